"""The judge over real HTTP, against a server on this machine that behaves badly on purpose."""

import re
import time

import pytest

from chalkbench.errors import ChalkbenchError
from chalkbench.judge import open_judge
from chalkbench.scoring.judged_qa import judgements, quiz_prompt


def prompts(n: int) -> list:
    return [quiz_prompt(f"Question {index}?", "An answer", "A reply") for index in range(n)]


def ask_one(server, **more):
    return open_judge(server.spec, **more).ask(prompts(1), progress=False)[0]


def test_replies_come_in_order_and_the_server_names_itself(server, web):
    server.answer = lambda question, attempt: web.saying(re.search(r"Question (\d)", question)[1])
    judge = open_judge(server.spec)
    replies = judge.ask(prompts(9), progress=False)
    assert [reply.text for reply in replies] == list("012345678")
    assert judge.served == {"tiny-2026"}


@pytest.mark.parametrize("fault", [429, 500, 503])
def test_a_passing_fault_is_retried(server, web, fault):
    server.plan = [web.fault(fault), web.saying(web.YES)]
    assert ask_one(server).text == web.YES


# What a server may send with status 200 that is no reply, or only a part of one.
NO_REPLY = ["HANG_UP", "HALF", "HTML", "OTHER_JSON", "BROKEN_JSON", "NO_CHOICES", "NULL", "EMPTY", "CUT_EMPTY"]


@pytest.mark.parametrize("lie", NO_REPLY)
def test_a_lie_about_the_format_is_a_typed_failure_and_no_grade(server, web, lie):
    server.plan = [getattr(web, lie)]
    reply = ask_one(server, max_retries=0)
    assert (reply.text, reply.status) == (None, "judge_failed")
    assert re.search("no chat completion|non-ChatCompletion|empty reply|Connection error", reply.error)
    assert judgements(["A reply"], [reply.text])[0].outcome.status == "judge_failed"


def test_a_lie_that_passes_is_asked_again(server, web):
    def answer(question, attempt):
        number = int(re.search(r"Question (\d+)", question)[1])
        return web.saying(web.YES) if attempt else getattr(web, NO_REPLY[number])

    server.answer = answer
    replies = open_judge(server.spec).ask(prompts(len(NO_REPLY)), progress=False)
    assert [reply.text for reply in replies] == [web.YES] * len(NO_REPLY)


def test_a_reply_that_ended_at_its_limit_is_marked(server, web):
    server.plan = [web.CUT]
    reply = ask_one(server)
    assert (reply.status, reply.cut) == (None, True)
    assert sum(server.attempts.values()) == 1


def test_a_lasting_fault_is_a_typed_failure_after_bounded_retries(server, web):
    server.plan = [web.fault(500)]
    reply = ask_one(server, max_retries=1)
    assert (reply.text, reply.status) == (None, "judge_failed")
    assert "500" in reply.error
    assert sum(server.attempts.values()) == 2


def test_a_refused_request_is_not_repeated(server, web):
    server.plan = [web.fault(400)]
    assert ask_one(server).status == "judge_failed"
    assert sum(server.attempts.values()) == 1


def test_a_server_that_is_too_slow_is_given_up_by_name(server, web):
    server.plan = [web.saying(web.YES, wait=5)]
    began = time.monotonic()
    reply = ask_one(server, max_retries=0, timeout=0.3)
    assert reply.status == "judge_failed"
    assert "0.3 s" in reply.error
    assert time.monotonic() - began < 5


def test_a_slow_answer_is_followed_by_another_attempt(server, web):
    server.plan = [web.saying(web.YES, wait=3), web.saying(web.YES)]
    assert ask_one(server, max_retries=1, timeout=1).text == web.YES


def test_the_wait_that_a_rate_limit_asks_for_holds_for_every_request(server, web):
    server.plan = [web.fault(429), web.saying(web.YES)]
    replies = open_judge(server.spec, concurrency=1).ask(prompts(3), progress=False)
    assert all(reply.text == web.YES for reply in replies)
    assert server.times[1] - server.times[0] >= 1


def test_one_bad_prompt_does_not_stop_the_others(server, web):
    server.answer = lambda question, attempt: web.fault(400) if "Question 3?" in question else web.saying(web.YES)
    replies = open_judge(server.spec).ask(prompts(8), progress=False)
    assert [reply.text == web.YES for reply in replies] == [True] * 3 + [False] + [True] * 4


def test_a_server_that_is_gone_is_not_asked_forever(server, web):
    server.plan = [web.fault(400)]
    replies = open_judge(server.spec).ask(prompts(150), progress=False)
    assert {reply.status for reply in replies} == {"judge_failed"}
    assert sum(server.attempts.values()) < 150
    assert "not asked after" in replies[-1].error


def test_requests_run_side_by_side_within_the_bound(server, web):
    server.plan = [web.saying(web.YES, wait=0.2)]
    replies = open_judge(server.spec, concurrency=8).ask(prompts(24), progress=False)
    assert all(reply.text == web.YES for reply in replies)
    assert 4 <= server.most_open <= 8


def test_a_kept_reply_is_not_asked_again_by_another_run(server, tmp_path):
    open_judge(server.spec, cache=tmp_path, name="tiny").ask(prompts(4), progress=False)
    again = open_judge(server.spec, cache=tmp_path, name="tiny").ask(prompts(5), progress=False)
    assert [reply.cached for reply in again] == [True] * 4 + [False]
    assert sum(server.attempts.values()) == 5


@pytest.mark.parametrize("lie", ["HTML", "NULL", "HALF"])
def test_a_failure_is_not_kept(server, web, tmp_path, lie):
    server.plan = [getattr(web, lie), web.saying(web.YES)]
    first = open_judge(server.spec, cache=tmp_path, name="tiny", max_retries=0).ask(prompts(1), progress=False)
    assert first[0].status == "judge_failed"
    again = open_judge(server.spec, cache=tmp_path, name="tiny").ask(prompts(1), progress=False)
    assert (again[0].text, again[0].cached) == (web.YES, False)


def test_the_stand_in_is_named_as_one(web):
    judge = open_judge("stand_in")
    assert "not-a-model" in judge.id
    assert judge.ask([quiz_prompt("Which?", "blue", "blue")], progress=False)[0].text == web.YES


@pytest.mark.parametrize("spec", ["gpt-4o", "http://127.0.0.1:1/v1", "nobody/model"])
def test_a_judge_that_cannot_be_understood_is_an_error_in_words(spec):
    with pytest.raises(ChalkbenchError, match="judge"):
        open_judge(spec)

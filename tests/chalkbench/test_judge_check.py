"""Whether a judge can be trusted: perfect, constant and broken judges over real HTTP."""

import io
import json
import re

import pytest
from rich.console import Console

from chalkbench import judge_check
from chalkbench.calibration import RULES, Case, Rule, load_cases
from chalkbench.errors import ChalkbenchError
from chalkbench.judge import Reply, open_judge
from chalkbench.judge_check import Checked, check, print_report, report
from chalkbench.scoring.judgement import fault_of
from chalkbench.scoring.outcome import UNPARSED
from chalkbench.scoring.reading import read_choice
from chalkbench.scoring.rubric_score import CRITERIA

CASES = load_cases()


def known(case: Case) -> str:
    """What a perfect judge says, in the form of the rule's prompt."""
    if case.expected in ("yes", "no") and not case.options:
        return str({"pred": case.expected, "score": 5 if case.expected == "yes" else 0})
    if isinstance(case.expected, tuple):
        grade = sum(case.expected) / 2
        return json.dumps(dict.fromkeys(CRITERIA, grade) | {"score": grade})
    return case.expected


def perfect(web):
    """Finds the case whose prompt was asked, and knows."""
    answers = {RULES[case.rule].prompt(case).user: known(case) for case in CASES}
    return lambda question, attempt: web.saying(answers[question])


def printed(result) -> str:
    stream = io.StringIO()
    print_report(result, Console(file=stream, width=160))
    return stream.getvalue()


def ask(server, **more):
    return check(open_judge(server.spec, max_retries=0), progress=False, **more)


def test_the_set_is_sound():
    assert 100 <= len(CASES) <= 150
    assert len({case.id for case in CASES}) == len(CASES)
    prompts = [RULES[case.rule].prompt(case) for case in CASES]
    assert len({(prompt.system, prompt.user) for prompt in prompts}) == len(CASES)
    assert {case.rule for case in CASES} == set(RULES)
    assert all(case.why and case.question and case.reply and (case.answer or case.options) for case in CASES)
    kinds = {"paraphrase", "wrong_value", "partial", "unrelated_addition", "other_language", "injection", "empty"}
    assert kinds <= {case.kind for case in CASES}


@pytest.mark.parametrize("rule", sorted({case.rule for case in CASES}))
def test_no_constant_answer_is_right_on_most_of_a_rules_cases(rule):
    expected = [case.expected for case in CASES if case.rule == rule]
    assert max(expected.count(one) for one in set(expected)) / len(expected) < 0.7


def test_every_case_is_one_that_a_run_would_ask_about():
    assert all(fault_of(case.reply) is None for case in CASES)
    unread = [read_choice(case.reply, case.options) for case in CASES if case.options]
    assert {read.status for read in unread} == {UNPARSED}
    labels = {case.expected for case in CASES if case.options}
    assert labels == {"A", "B", "C", "D", "none"}


def test_a_perfect_judge_is_trusted(server, web):
    server.answer = perfect(web)
    result = ask(server)
    assert (result.n, result.agreement, result.level) == (len(CASES), 1.0, "trusted")
    assert set(result.levels.values()) == {"trusted"}
    assert not result.failures and not result.disagreements
    assert (
        sum(part.n for part in result.by_rule.values()) == sum(part.n for part in result.by_kind.values()) == result.n
    )
    assert "can be trusted" in printed(result)


def test_a_judge_that_always_says_yes_is_not_trusted(server, web):
    server.plan = [web.saying(web.YES)]
    result = ask(server)
    assert result.level == "not_trusted"
    assert (result.by_side["yes"].agreement, result.by_side["no"].agreement) == (1.0, 0.0)
    assert result.by_rule["quiz"].agreement < 0.5
    assert {one.said for one in result.disagreements if one.case.rule == "quiz"} == {"yes"}


def test_a_judge_that_talks_of_something_else_gives_no_verdicts(server, web):
    server.plan = [web.saying("As a large language model, I like trains.")]
    result = ask(server)
    assert result.level == "not_trusted"
    assert all(part.failed == part.n for rule, part in result.by_rule.items() if rule != "option_extract")
    assert "no verdict: no verdict could be read" in printed(result)


def test_a_judge_that_fails_is_not_trusted_and_its_error_is_shown(server, web):
    server.plan = [web.fault(400)]
    result = ask(server)
    assert (result.agreement, result.level, len(result.failures)) == (0.0, "not_trusted", result.n)
    assert "400" in printed(result)


def test_replies_that_ended_at_the_limit_are_named(server, web):
    server.plan = [web.Answer(web.completion("<think>Let me see", finish_reason="length"))]
    result = ask(server, rules=["quiz"])
    assert len(result.failures) == result.n
    assert f"{result.n} replies ended at their token limit" in result.sentence


def test_the_stand_in_is_not_trusted():
    result = check(open_judge("stand_in"), progress=False)
    assert result.level == "not_trusted"
    assert not result.failures


def test_only_the_rules_that_are_named_are_asked(server, web):
    server.answer = perfect(web)
    result = ask(server, rules=["caption_text"])
    assert set(result.by_rule) == {"caption_text"}
    assert result.n == sum(case.rule == "caption_text" for case in CASES)


@pytest.mark.parametrize("grade", range(11))
def test_a_judge_that_always_gives_the_same_grade_is_not_trusted(server, web, grade):
    server.plan = [web.saying(json.dumps(dict.fromkeys(CRITERIA, min(grade, 5)) | {"score": grade}))]
    result = ask(server, rules=["summary", "translation", "rubric"])
    assert set(result.levels.values()) == {"not_trusted"}


def test_one_weak_rule_takes_the_trust_from_the_whole(server, web):
    knows = perfect(web)
    open_ended = {RULES[case.rule].prompt(case).user for case in CASES if case.rule == "open_ended"}
    server.answer = lambda question, attempt: (
        web.saying("I like trains.") if question in open_ended else knows(question, attempt)
    )
    result = ask(server)
    assert result.agreement >= 0.9
    assert (result.levels["open_ended"], result.levels["quiz"], result.level) == (
        "not_trusted",
        "trusted",
        "not_trusted",
    )


def case(expected="yes", *, rule="quiz", number=0):
    return Case(f"x-{number}", rule, "[b]kind", "Why?", "because", "since", expected, "[i]plain")


@pytest.mark.parametrize(
    ("right", "wrong", "level"),
    [(90, 10, "trusted"), (89, 11, "with_care"), (80, 20, "with_care"), (79, 21, "not_trusted")],
)
def test_the_levels_have_bounds(right, wrong, level):
    checked = [
        Checked(case("yes" if number % 2 else "no", number=number), "agreed" if number < right else "differs")
        for number in range(right + wrong)
    ]
    assert report("judge", checked).level == level


def test_what_comes_from_data_is_no_markup():
    text = printed(report("[b]judge", [Checked(case(), "differs", said="[u]no")]))
    for piece in ("[b]judge", "[b]kind", "[i]plain", "[u]no"):
        assert piece in text


def test_the_last_line_names_judge_set_and_size(server, web):
    result = check(open_judge("stand_in"), progress=False)
    last = printed(result).strip().splitlines()[-1]
    assert re.fullmatch(rf"judge:stand_in.*\|set:[0-9a-f]{{12}}\|n:{result.n}", last)


def test_the_sets_hash_changes_with_a_case():
    assert (
        report("j", [Checked(case("yes"), "agreed")]).set_hash != report("j", [Checked(case("no"), "agreed")]).set_hash
    )


def test_an_unknown_rule_and_a_broken_line_are_named(tmp_path):
    with pytest.raises(ChalkbenchError, match="no such rule: quizz"):
        load_cases(rules=["quizz"])
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"id": "x"}) + "\n", encoding="utf-8")
    with pytest.raises(ChalkbenchError, match="line 1"):
        load_cases(path)
    with pytest.raises(ChalkbenchError, match="no cases"):
        check(open_judge("stand_in"), cases=[], progress=False)


def test_a_rating_within_its_band_agrees(monkeypatch):
    rated = Rule(lambda one: None, lambda text, one: float(text))
    monkeypatch.setitem(RULES, "rated", rated)
    banded = case((7.0, 10.0), rule="rated")
    states = [judge_check._checked(banded, Reply(text)).state for text in ("7", "10", "6.9")]
    assert states == ["agreed", "agreed", "differs"]

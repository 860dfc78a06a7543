"""The judge over real HTTP, against a server on this machine that behaves badly on purpose."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from chalkbench.errors import ChalkbenchError
from chalkbench.judge import open_judge
from chalkbench.scoring.judged_qa import quiz_prompt

YES = "{'pred': 'yes', 'score': 5}"


class Server(ThreadingHTTPServer):
    """Answers chat completions. `plan` says what happens at each attempt for a question; the last entry stays."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan: list[int | str] = [YES]
        self.attempts: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.open = self.most_open = 0
        self.delay = 0.0

    @property
    def spec(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1#tiny"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = body["messages"][-1]["content"]
        with self.server.lock:
            self.server.open += 1
            self.server.most_open = max(self.server.most_open, self.server.open)
            attempt = self.server.attempts[question]
            self.server.attempts[question] += 1
        time.sleep(self.server.delay)
        step = self.server.plan[min(attempt, len(self.server.plan) - 1)]
        with self.server.lock:
            self.server.open -= 1
        if step == "hang up":
            self.connection.close()
            return
        if isinstance(step, int):
            self._send(step, {"error": {"message": f"fault {step}"}})
            return
        message = {"role": "assistant", "content": step}
        self._send(
            200,
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": "tiny-2026",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            },
        )

    def _send(self, status: int, value: dict) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    threading.Thread(target=one.serve_forever, daemon=True).start()
    yield one
    one.shutdown()
    one.server_close()


def prompts(n: int) -> list:
    return [quiz_prompt(f"Question {index}?", "An answer", "A reply") for index in range(n)]


def test_replies_come_in_order_and_the_server_names_itself(server):
    judge = open_judge(server.spec)
    replies = judge.ask(prompts(3), progress=False)
    assert [reply.text for reply in replies] == [YES] * 3
    assert judge.served == {"tiny-2026"}


@pytest.mark.parametrize("fault", [429, 500, 503, "hang up"])
def test_a_passing_fault_is_retried(server, fault):
    server.plan = [fault, YES]
    assert open_judge(server.spec).ask(prompts(1), progress=False)[0].text == YES


def test_a_lasting_fault_is_a_typed_failure_after_bounded_retries(server):
    server.plan = [500]
    reply = open_judge(server.spec, max_retries=1).ask(prompts(1), progress=False)[0]
    assert (reply.text, reply.status) == (None, "judge_failed")
    assert "500" in reply.error
    assert sum(server.attempts.values()) == 2


def test_a_refused_request_is_not_repeated(server):
    server.plan = [400]
    reply = open_judge(server.spec).ask(prompts(1), progress=False)[0]
    assert reply.status == "judge_failed"
    assert sum(server.attempts.values()) == 1


def test_requests_run_side_by_side_within_the_bound(server):
    server.delay = 0.2
    assert all(reply.text == YES for reply in open_judge(server.spec, concurrency=8).ask(prompts(24), progress=False))
    assert 4 <= server.most_open <= 8


def test_a_kept_reply_is_not_asked_again_by_another_run(server, tmp_path):
    open_judge(server.spec, cache=tmp_path, name="tiny").ask(prompts(4), progress=False)
    again = open_judge(server.spec, cache=tmp_path, name="tiny").ask(prompts(5), progress=False)
    assert [reply.cached for reply in again] == [True] * 4 + [False]
    assert sum(server.attempts.values()) == 5


def test_a_failure_is_not_kept(server, tmp_path):
    server.plan = [400, YES]
    open_judge(server.spec, cache=tmp_path, name="tiny").ask(prompts(1), progress=False)
    assert open_judge(server.spec, cache=tmp_path, name="tiny").ask(prompts(1), progress=False)[0].text == YES


def test_the_stand_in_is_named_as_one():
    judge = open_judge("stand_in")
    assert "not-a-model" in judge.id
    assert judge.ask([quiz_prompt("Which?", "blue", "blue")], progress=False)[0].text == YES


@pytest.mark.parametrize("spec", ["gpt-4o", "http://127.0.0.1:1/v1", "nobody/model"])
def test_a_judge_that_cannot_be_understood_is_an_error_in_words(spec):
    with pytest.raises(ChalkbenchError, match="judge"):
        open_judge(spec)

"""`describe`, `errors`, `audit` and `judge-check`: what they print, and one line for what a user can mend."""

import json
import re
from pathlib import Path

import pytest

from chalkbench.benchmarks.layout import read_rows
from chalkbench.calibration import load_cases

SAMPLES = Path(__file__).parents[2] / "benchmarks"


def cells(out: str, name: str) -> list[list[str]]:
    """The lines of all printed tables that begin with a name, cell by cell."""
    return [
        [cell.strip() for cell in line.split("│")[2:-1]] for line in out.splitlines() if line.startswith(f"│ {name} ")
    ]


def fault(result) -> str:
    """The one line that a fault is told in."""
    code, _, err = result
    assert code == 1 and "Traceback" not in err
    [line] = [line for line in err.splitlines() if line.startswith("chalkbench: ")]
    return line


# describe


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("lemon", {"all": "33", "SP/KCR": "3", "AC/CL": "2", "TA": "2", "KT": "8"}),
        ("video_mmlu", {"all": "20"}),
        ("instructionbench", {"all": "24"}),
        ("vira_bench", {"all": "20", "OEG/AI": "3", "SRM/OP": "2"}),
        ("mmou", {"all": "45"}),
    ],
)
def test_describe_counts_the_questions_of_every_benchmark(cli, sample_data, name, lines):
    code, out, err = cli("describe", sample_data / name)
    assert code == 0 and not err
    for line, count in lines.items():
        assert count in [found[0] for found in cells(out, line)], line


def test_describe_shows_conversations_languages_and_the_place_of_the_right_answer(cli, sample_data):
    _, out, _ = cli("describe", sample_data / "lemon")
    assert cells(out, "conversations of 3 questions")[0][0] == "3"
    assert cells(out, "conversations of 2 questions")[0][0] == "6"
    assert cells(out, "questions into ja")[0][0] == "1"
    right = [int(cells(out, f"right answer {letter}")[0][0]) for letter in "ABCD"]
    assert sum(right) == int(cells(out, "4 options")[0][0]) == 23
    assert "Beside the paper's figures" in out


@pytest.mark.parametrize(
    ("folder", "said"),
    [("nowhere", "does not exist"), (SAMPLES / "lemon" / "sample", "is a release of lemon, not a layout")],
)
def test_describe_of_something_else_is_one_line(cli, folder, said):
    assert said in fault(cli("describe", folder))


# errors


@pytest.fixture
def wrong_answers(sample_data, tmp_path):
    """Answers to LEMON's first questions of speech: two wrong options, one that says none, the others right."""
    rows = list(read_rows(sample_data / "lemon", "SP", "test"))
    replies = ["ABCD"[row["answer_index"]] for row in rows]
    for place in (0, 4):
        replies[place] = "ABCD"[(rows[place]["answer_index"] + 1) % 4]
    replies[8] = "I like trains."
    lines = [json.dumps({"id": row["id"], "answer": reply}) for row, reply in zip(rows, replies, strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    return [rows[place]["id"] for place in (0, 4, 8)]


def test_a_judge_says_what_kind_of_error_each_wrong_answer_is(cli, sample_data, tmp_path, wrong_answers, server, web):
    def answer(question, attempt):
        return web.saying("format" if "I like trains." in question else "Temporal.")

    server.answer = answer
    arguments = ("errors", "a.jsonl", "lemon:SP", "--data", sample_data, "--judge", server.spec, "--output", "e.json")
    code, out, err = cli(*arguments)
    assert code == 0, err
    assert cells(out, "temporal")[0][1:] == ["2", "66.67"] and cells(out, "format")[0][1:] == ["1", "33.33"]
    assert cells(out, "hallucination")[0][1:] == ["0", "0.00"] and cells(out, "labelled")[0][1] == "3 / 3"
    kept = json.loads((tmp_path / "e.json").read_text())
    assert kept["labels"] == dict(zip(wrong_answers, ("temporal", "temporal", "format"), strict=True))
    assert "tiny" in kept["judge"]
    for question in server.attempts:
        row = next(row for row in read_rows(sample_data / "lemon", "SP", "test") if row["question"] in question)
        assert f"Right answer: {row['options'][row['answer_index']]}" in question
    assert cli(*arguments)[0] == 0 and sum(server.attempts.values()) == 3  # kept


def test_a_label_that_no_one_gave_is_counted(cli, sample_data, wrong_answers, server, web):
    server.answer = lambda question, attempt: (
        web.fault(400) if "I like trains." in question else web.saying("It is a nice day.")
    )
    _, out, _ = cli("errors", "a.jsonl", "lemon:SP", "--data", sample_data, "--judge", server.spec)
    assert cells(out, "labelled")[0][1] == "0 / 3"
    assert "judge_failed 1" in cells(out, "labelled")[0][0]


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("lemon:VS", "lemon:VS has no options"),
        ("video_mmlu:quiz", "video_mmlu:quiz has no options"),
        ("lemon", "lemon is 7 tasks"),
        ("lemon:SP,lemon:OR", "is 2 tasks"),
        ("lemon:SQ", "no task 'lemon:SQ'"),
        ("mmou", "none of its 9 ids is a question of this task"),
    ],
)
def test_errors_are_labelled_for_one_task_with_options(cli, sample_data, wrong_answers, task, said):
    assert said in fault(cli("errors", "a.jsonl", task, "--data", sample_data, "--judge", "stand_in"))


def test_errors_of_hidden_answers_are_refused(cli, sample_data):
    cli("eval", "random", "mmou_hidden", "--data", sample_data, "--output", "r")
    line = fault(
        cli("errors", "r/answers/mmou_hidden.jsonl", "mmou_hidden", "--data", sample_data, "--judge", "stand_in")
    )
    assert "hidden" in line


def test_a_missing_file_and_an_unknown_judge_are_one_line(cli, sample_data, wrong_answers):
    assert "gone.jsonl" in fault(cli("errors", "gone.jsonl", "lemon:SP", "--data", sample_data, "--judge", "stand_in"))
    assert "judge 'gpt'" in fault(cli("errors", "a.jsonl", "lemon:SP", "--data", sample_data, "--judge", "gpt"))


# audit


def labelled(path, pairs):
    """pairs: (reply, label) of the answer `blue`."""
    lines = [
        {"id": f"q{place}", "reply": reply, "answer": "blue", "label": label}
        for place, (reply, label) in enumerate(pairs)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))


def test_the_audit_counts_agreement_and_names_every_disagreement(cli, tmp_path):
    labelled(
        tmp_path / "l.jsonl",
        [("Blue.", "right")] * 6 + [("red", "wrong")] * 12 + [("blue", "wrong"), ("azure", "right")],
    )
    code, out, _ = cli("audit", "l.jsonl")
    assert code == 0 and "20 of 20 replies: the matcher agrees with the labels on 90.00 %" in out
    assert "Cohen's kappa 0.780" in out  # (0.9 - 0.545) / (1 - 0.545)
    assert re.findall(r"^(q\d+): label (\w+), matcher (\w+)", out, re.M) == [
        ("q18", "wrong", "right"),
        ("q19", "right", "wrong"),
    ]


def test_the_audit_draws_with_a_seed(cli, tmp_path):
    labelled(tmp_path / "l.jsonl", [("blue", "right" if place % 3 else "wrong") for place in range(90)])
    draws = [cli("audit", "l.jsonl", *more)[1] for more in ((), (), ("--seed", "1"), ("--n", "7"))]
    assert draws[0] == draws[1] != draws[2] and draws[0].startswith("50 of 90") and draws[3].startswith("7 of 90")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no label"),
        (b"no json", "line 1 is no JSON"),
        (b'{"id": "1", "reply": "a", "answer": "b", "label": "maybe"}', "label 'maybe'; give one of right, wrong"),
        (b'{"id": "1", "reply": "a", "label": "right"}', "'answer' is None"),
        (b"\xff\xfe", "l.jsonl: 'utf-8' codec can't decode"),
        (None, "cannot read the labels"),
    ],
)
def test_labels_that_cannot_be_read_are_one_line(cli, tmp_path, content, said):
    if content is not None:
        (tmp_path / "l.jsonl").write_bytes(content)
    assert said in fault(cli("audit", "l.jsonl"))


# judge-check


def test_a_judge_is_checked_over_http_and_its_level_printed(cli, server, web):
    server.plan = [web.saying(web.YES)]
    code, out, _ = cli("judge-check", server.spec)
    cases = load_cases()
    quiz = [case for case in cases if case.rule == "quiz"]
    right = sum(case.expected == "yes" for case in quiz)
    assert code == 0 and sum(server.attempts.values()) == len(cases)
    assert cells(out, "quiz")[0] == [str(len(quiz)), str(right), "0", f"{100 * right / len(quiz):.2f}", "not_trusted"]
    assert "Do not trust this judge" in out and re.search(
        rf"^judge:.*tiny.*\|set:\w{{12}}\|n:{len(cases)}$", out, re.M
    )


@pytest.mark.parametrize("judge", ["gpt-4o", "http://127.0.0.1:1/v1"])
def test_a_judge_to_check_that_cannot_be_understood_is_one_line(cli, judge):
    assert f"judge '{judge}'" in fault(cli("judge-check", judge))


def test_the_commands_say_how_they_are_used(cli):
    for command in ("describe", "errors", "audit", "judge-check"):
        assert cli(command)[0] == 2
    assert cli("audit", "l.jsonl", "--n", "0")[0] == 2

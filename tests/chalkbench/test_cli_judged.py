"""Judged tracks on the command line, with a judge over real HTTP: the scores, its failures, and judging afterwards."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from chalkbench.benchmarks.layout import read_rows

WRONG = "zebra"  # the judges below take a reply with this word for wrong


@pytest.fixture
def judge(server, web):
    """A judge that speaks each rule's form, and finds wrong what holds the word."""

    def answer(question, attempt):
        wrong = WRONG in question
        if "detailed description:" in question:
            return web.saying(_said(question))
        if "'pred'" in question:
            return web.saying(web.NO if wrong else web.YES)
        if '"correctness"' in question:
            grades = (2, 1, 4, 5) if wrong else (5, 5, 5, 5)
            return web.saying(json.dumps(dict(zip(CRITERIA, grades, strict=True))))
        if '{"score": x}' in question:
            return web.saying('{"score": 2.5}' if wrong else 'Here you are:\n```json\n{"score": 10}\n```')
        return web.fault(400)

    server.answer = answer
    return server


CRITERIA = ("correctness", "completeness", "faithfulness", "clarity")


def _said(question: str) -> str:
    """What a caption of lines `question = answer` says to the question."""
    caption, _, rest = question.partition("detailed description:")[2].partition("\n\nquestion: ")
    asked = rest.partition("\n")[0]
    return next(line.partition(" = ")[2] for line in caption.splitlines() if line.strip().startswith(asked))


def written(path: Path, replies: dict[str, str]) -> Path:
    path.write_text("\n".join(json.dumps({"id": id, "answer": reply}) for id, reply in replies.items()))
    return path


def entry(folder: Path, task: str) -> dict:
    return json.loads((folder / "scores.json").read_text())["tasks"][task]


def answers(folder: Path, task: str) -> dict[str, dict]:
    path = folder / "answers" / f"{task.replace(':', '-')}.jsonl"
    return {line["id"]: line for line in map(json.loads, path.read_text().splitlines())}


def rows_of(data: Path, benchmark: str, config: str, split: str = "test") -> list[dict]:
    return list(read_rows(data / benchmark, config, split))


def captions(data):
    """Every question is answered; wrongly the first one of a video, and all of chemistry."""
    made = {}
    for row in rows_of(data, "video_mmlu", "notebook", "Video_MMLU"):
        pairs = row["questions"]
        false = len(pairs) if row["discipline"] == "Chemistry" else 1
        lines = [f"{one['question']} = {WRONG if place < false else one['answer']}" for place, one in enumerate(pairs)]
        made[row["id"]] = "\n".join(lines)
    return made


def summaries(data):
    """Two of five key terms and sound; none and wrong."""
    return {"sample_ro01-vs": "A talk about the force of a spring.", "sample_cs01-vs": f"A {WRONG}."}


def translations(data):
    return {
        row["id"]: row["answer"] if row["target_language"] != "de" else f"Ein {WRONG}."
        for row in rows_of(data, "lemon", "KT")
    }


def free_answers(data):
    rows = [row for row in rows_of(data, "mmou", "test") if "none_option:gold" not in row["tags"]]
    return {row["id"]: row["options"][row["answer_index"]] if place % 4 else WRONG for place, row in enumerate(rows)}


def open_answers(data):
    rows = rows_of(data, "instructionbench", "open_ended")
    return {row["id"]: row["answer"] if row["task"] == "fine" else WRONG for row in rows}


# {task: (replies, micro score, official score, what else is in the result)}; 82 = 0.7 · 100 + 0.3 · 100 · 2 / 5
TRACKS = {
    "video_mmlu:notebook": (captions, 9 / 16, 0.5, {"mean_score": 5 * 9 / 16}),
    "lemon:VS": (summaries, (82 + 17.5) / 2, (82 + 17.5) / 2, {"judge": 6.25, "key_terms": 0.2}),
    "lemon:KT": (translations, (7 * 10 + 2.5) / 8, (7 * 10 + 2.5) / 8, {}),
    "instructionbench_open": (open_answers, 0.5, 0.5, {"mean_score": 2.5}),
}  # fmt: skip


@pytest.mark.parametrize("task", TRACKS)
def test_a_track_is_judged_and_scored_by_its_own_arithmetic(cli, sample_data, tmp_path, judge, task):
    replies, micro, official, beside = TRACKS[task]
    written(tmp_path / "a.jsonl", replies(sample_data))
    arguments = ("a.jsonl", task, "--data", sample_data)
    code, out, err = cli("score", *arguments, "--judge", judge.spec, "--output", "judged")
    assert code == 0, err
    judged = entry(tmp_path / "judged", task)
    result = judged["result"]
    assert result[result["main"]] == pytest.approx(micro) and result["not_scored"] == {}
    assert result["official"]["value"] == pytest.approx(official)
    assert {name: result[name] for name in beside} == pytest.approx(beside)
    assert judged["record"]["judge"]["served"] == ["tiny-2026"] and "|judge:" in judged["signature"]
    assert max(judge.attempts.values()) == 1

    # the same answers kept without a judge, and judged afterwards
    code, out, _ = cli("score", *arguments, "--output", "kept")
    waiting = entry(tmp_path / "kept", task)
    name = task.replace(":", "-")
    assert code == 0 and waiting["result"]["not_scored"] == {"not_judged": judged["result"]["n"]}
    assert waiting["result"]["official"]["value"] is None
    assert f"chalkbench score kept/answers/{name}.jsonl {task} --judge MODEL" in out
    cli("score", f"kept/answers/{name}.jsonl", *arguments[1:], "--judge", judge.spec, "--output", "later")
    assert entry(tmp_path / "later", task)["result"] == judged["result"]
    for id, answer in answers(tmp_path / "later", task).items():
        assert answer == answers(tmp_path / "judged", task)[id]


def test_mmous_rubric_is_the_mean_of_four_criteria(cli, sample_data, tmp_path, judge):
    replies = free_answers(sample_data)
    written(tmp_path / "a.jsonl", replies)
    code, _, err = cli(
        "score", "a.jsonl", "mmou_open", "--data", sample_data, "--judge", judge.spec, "--output", "r", "--by", "skill"
    )
    assert code == 0, err
    result = entry(tmp_path / "r", "mmou_open")["result"]
    false = sum(reply == WRONG for reply in replies.values()) / len(replies)
    assert 0.2 < false < 0.3 and result["n"] == len(replies) == 42
    for name, grade in zip(CRITERIA, (2, 1, 4, 5), strict=True):
        assert result[name] == pytest.approx(5 - false * (5 - grade)), name
    assert result["score"] == pytest.approx(5 - false * 2) and result["top"] == 5
    assert set(result["groupings"]["none"]["by_group"]) <= {"present", "distractor", "absent", "hidden"}
    said = answers(tmp_path / "r", "mmou_open")
    assert {said[id]["value"] for id, reply in replies.items() if reply == WRONG} == {3.0}


def test_translations_are_reported_by_language_and_summaries_by_the_papers_count(cli, sample_data, tmp_path, judge):
    written(tmp_path / "a.jsonl", translations(sample_data) | summaries(sample_data))
    arguments = ("score", "a.jsonl", "lemon:KT,lemon:VS", "--data", sample_data, "--judge", judge.spec)
    code, out, _ = cli(*arguments, "--variant", "count", "--by", "language", "--output", "r")
    assert code == 0 and "lemon:KT by language" in out
    translated = entry(tmp_path / "r", "lemon:KT")["result"]
    by_language = translated["groupings"]["language"]["by_group"]
    assert {name: part["score"] for name, part in by_language.items()} == {
        name: 2.5 if name == "de" else 10.0 for name in ("ar", "zh", "fr", "de", "ja", "ko", "ru", "es")
    }
    assert all(part["bleu"] == pytest.approx(100) for name, part in by_language.items() if name in ("zh", "ja", "ru"))
    assert by_language["de"]["bleu"] < 10
    counted = answers(tmp_path / "r", "lemon:VS")["sample_ro01-vs"]
    assert counted["value"] == pytest.approx(70 + 30 * 2) and sorted(counted["found"]) == ["force", "spring"]


def test_a_judge_that_fails_is_counted_and_asked_again_for_what_it_failed(cli, sample_data, tmp_path, judge, web):
    """A refused request, a reply without a verdict and a grade off the scale are three failures, and no grade."""
    works = judge.answer
    replies = open_answers(sample_data)
    refused, talking, beyond = list(replies)[1::2][:3]
    replies |= {refused: "okapi", talking: "tapir", beyond: "coati"}
    bad = {
        "okapi": web.fault(400),
        "tapir": web.saying("I like trains."),
        "coati": web.saying("{'pred': 'yes', 'score': 90}"),
    }

    def failing(question, attempt):
        word = re.search(r"Predicted answer: (\w+)", question)[1]
        return bad.get(word) or works(question, attempt)

    judge.answer = failing
    written(tmp_path / "a.jsonl", replies)
    arguments = ("score", "a.jsonl", "instructionbench_open", "--data", sample_data, "--judge", judge.spec)
    code, _, err = cli(*arguments, "--output", "r")
    result = entry(tmp_path / "r", "instructionbench_open")["result"]
    assert code == 3 and "3 of 8 questions could not be asked or judged (judge_failed 3)" in err
    assert result["not_scored"] == {"judge_failed": 3} and (result["n"], result["n_scored"]) == (8, 5)
    assert result["accuracy"] == 1 / 5  # four are wrong, one of the four others is judged
    said = answers(tmp_path / "r", "instructionbench_open")
    assert {said[id]["value"] for id in (refused, talking, beyond)} == {None}
    assert "400" in said[refused]["error"] and all(said[id]["error"] for id in (talking, beyond))

    judge.answer = works
    asked = sum(judge.attempts.values())
    cli(*arguments, "--output", "r")
    assert sum(judge.attempts.values()) == asked + 1  # the refused one; what the judge said is kept
    assert entry(tmp_path / "r", "instructionbench_open")["result"]["not_scored"] == {"judge_failed": 2}


def test_a_stage_that_fails_costs_its_question_and_not_the_caption(cli, sample_data, tmp_path, judge, web):
    works = judge.answer
    judge.answer = lambda question, attempt: (
        web.fault(400)
        if "detailed description:" in question and "question: How many blue marbles" in question
        else works(question, attempt)
    )
    written(tmp_path / "a.jsonl", captions(sample_data))
    arguments = ("score", "a.jsonl", "video_mmlu:notebook", "--data", sample_data, "--judge", judge.spec)
    code, _, err = cli(*arguments, "--output", "r")
    result = entry(tmp_path / "r", "video_mmlu:notebook")["result"]
    assert code == 3 and "(judge_failed 1)" in err
    assert result["not_scored"] == {"judge_failed": 1} and result["accuracy"] == 8 / 15


def test_a_judge_that_is_not_there_is_named(cli, sample_data, tmp_path):
    written(tmp_path / "a.jsonl", open_answers(sample_data))
    arguments = ("score", "a.jsonl", "instructionbench_open", "--data", sample_data, "--judge")
    for wrong in ("gpt-4o", "http://127.0.0.1:1/v1"):
        code, _, err = cli(*arguments, wrong)
        assert code == 1 and len(err.splitlines()) == 1 and f"judge '{wrong}'" in err


# a model's answers, judged in its run or later


def by_hash(web):
    """A judge that answers any prompt in its form, as the prompt's hash says."""

    def answer(question, attempt):
        number = hashlib.sha256(question.encode()).digest()[0]
        if "Which one of the options does the reply choose?" in question:
            return web.saying(["A", "B", "C", "D", "none"][number % 5])
        if "detailed description:" in question:
            return web.saying(f"About {number}.")
        if '{"score": x}' in question:
            return web.saying(json.dumps({"score": number % 11}))
        return web.saying(web.YES if number % 2 else web.NO)

    return answer


def test_a_run_without_a_judge_that_is_judged_later_has_the_scores_of_a_judged_run(
    cli, sample_data, tmp_path, server, web, tiny_model
):
    server.answer = by_hash(web)
    tasks = [
        "lemon_vision_only:SP",
        "lemon_vision_only:VS",
        "lemon:KT",
        "video_mmlu:notebook",
        "instructionbench_open",
    ]
    run = (
        "eval",
        tiny_model("qwen3_vl"),
        ",".join(tasks),
        "--data",
        sample_data,
        "--frames",
        "2",
        "--dtype",
        "float32",
    )
    run += ("--size", "56", "--max-new-tokens", "4", "--device", "cpu", "--output")
    assert cli(*run, "judged", "--judge", server.spec)[0] == 0
    once = sum(server.attempts.values())
    assert cli(*run, "plain")[0] == 0
    assert sum(server.attempts.values()) == once
    for task in tasks:
        judged, plain = (entry(tmp_path / folder, task)["result"] for folder in ("judged", "plain"))
        if task == "lemon_vision_only:SP":  # the extractor reads replies in which the rules find no letter
            assert plain["not_scored"]["unparsed"] > judged["not_scored"].get("unparsed", 0)
        else:
            waiting = dict(plain["not_scored"])
            assert waiting.pop("not_judged") > 1 and judged["not_scored"] == waiting
        name = task.replace(":", "-")
        arguments = (f"plain/answers/{name}.jsonl", task, "--data", sample_data, "--judge", server.spec)
        assert cli("score", *arguments, "--output", "later")[0] == 0
        assert entry(tmp_path / "later", task)["result"] == judged, task
    assert set(server.attempts.values()) == {2}  # each prompt once a cache: the same ones in both


def test_free_responses_are_matched_by_rule_with_no_judge(cli, sample_data, tmp_path):
    rows = rows_of(sample_data, "vira_bench", "default")
    replies = {
        row["id"]: row["options"][row["answer_index"]].upper() + "." if place % 4 else WRONG
        for place, row in enumerate(rows)
    }
    written(tmp_path / "a.jsonl", replies)
    arguments = ("score", "a.jsonl", "vira_bench_free_response", "--data", sample_data)
    code, out, _ = cli(*arguments, "--output", "r", "--judge", "stand_in")
    found = entry(tmp_path / "r", "vira_bench_free_response")
    assert code == 0 and found["result"]["accuracy"] == 0.75 and found["record"]["judge"] is None
    assert "|judge:none|" in found["signature"] and "not-a-model" not in out

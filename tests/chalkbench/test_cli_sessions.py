"""Conversations, clips in order and pictures, asked of tiny models with the command line; and such a run killed."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from chalkbench.benchmarks.layout import read_rows
from chalkbench.cli import main
from chalkbench.scoring.replies import strip_reasoning

LEMON = ("SP", "OR", "AC", "TA", "IP", "VS", "KT")
SESSIONS = ("SP", "OR", "AC", "IP")
SHORT = ("--frames", "3", "--max-new-tokens", "4", "--dtype", "float32", "--device", "cpu")


def answers(folder: Path, task: str) -> dict[str, dict]:
    path = folder / "answers" / f"{task.replace(':', '-')}.jsonl"
    return {line["id"]: line for line in map(json.loads, path.read_text().splitlines())}


def results(folder: Path) -> dict:
    return {name: entry["result"] for name, entry in json.loads((folder / "scores.json").read_text())["tasks"].items()}


@pytest.fixture(scope="module")
def run(fixture_module, tmp_path_factory, sample_data):
    """Runs `chalkbench eval MODEL TASKS`: exit code, stdout, the folder, and {(task, id): (request, material)}."""

    def evaluate(model, tasks, *more, output=None):
        folder = output or tmp_path_factory.mktemp("run")
        arguments = ["eval", model, tasks, "--data", sample_data, "--output", folder, *more]
        out = StringIO()
        with (
            fixture_module("asked_models").noted() as asked,
            redirect_stdout(out),
            redirect_stderr(StringIO()),
            pytest.raises(SystemExit) as end,
        ):
            main([str(argument) for argument in arguments])
        given = {(request.task.partition("|")[0], request.id): (request, material) for request, material in asked}
        assert len(given) == len(asked)  # nothing is asked twice
        return SimpleNamespace(code=end.value.code, out=out.getvalue(), folder=folder, given=given)

    return evaluate


@pytest.fixture(scope="module")
def hearing(run, tiny_model):
    """A model with eyes and ears on four benchmarks, one question at a time."""
    return run(tiny_model("qwen2_5_omni"), "lemon,video_mmlu,instructionbench,vira_bench", *SHORT)


@pytest.fixture(scope="module")
def deaf(run, tiny_model):
    """A model that sees and does not hear, on LEMON."""
    return run(tiny_model("qwen3_vl"), "lemon", *SHORT)


def rows_of(sample_data, key):
    return read_rows(sample_data / "lemon", key, "test")


def test_four_questions_at_a_time_are_answered_like_one_at_a_time(hearing, run, tiny_model):
    batched = run(
        tiny_model("qwen2_5_omni"), "lemon,video_mmlu,instructionbench,vira_bench", *SHORT, "--batch-size", "4"
    )
    assert hearing.code == batched.code == 0
    names = sorted(path.name for path in (hearing.folder / "answers").iterdir())
    assert len(names) == 7 + 2 + 1 + 1
    for name in names:
        one, four = ((folder / "answers" / name).read_text() for folder in (hearing.folder, batched.folder))
        assert one == four, name
    assert len({answer["answer"] for answer in answers(hearing.folder, "video_mmlu:quiz").values()}) > 8
    assert results(batched.folder) == results(hearing.folder)


@pytest.mark.parametrize("key", SESSIONS)
def test_a_later_question_sees_the_models_own_answers(hearing, sample_data, key):
    task, told = f"lemon:{key}", answers(hearing.folder, f"lemon:{key}")
    sessions = {}
    for row in rows_of(sample_data, key):
        sessions.setdefault(row["session_id"], []).append(row)
    assert len(sessions) == (3 if key == "SP" else 2)
    for turns in sessions.values():
        said = []
        for number, row in enumerate(turns):
            request, _ = hearing.given[task, row["id"]]
            assert [(turn.prompt, turn.reply) for turn in request.history] == said
            assert told[row["id"]]["seen"]["turns"] == number == row["turn"]
            said.append((request.prompt, strip_reasoning(told[row["id"]]["answer"])[0].strip()))
        assert all(reply for _, reply in said)


def test_the_gold_history_changes_later_answers_and_no_first_one(hearing, run, tiny_model, sample_data):
    gold = run(tiny_model("qwen2_5_omni"), "lemon:SP,lemon:IP", *SHORT, "--evidence", "gold_history")
    for key in ("SP", "IP"):
        own, other = answers(hearing.folder, f"lemon:{key}"), answers(gold.folder, f"lemon:{key}")
        rows = {row["id"]: row for row in rows_of(sample_data, key)}
        assert all(own[id]["answer"] == other[id]["answer"] for id in rows if rows[id]["turn"] == 0)
        later = [id for id in rows if rows[id]["turn"]]
        assert any(own[id]["answer"] != other[id]["answer"] for id in later)
        for id in later:
            before = [row for row in rows.values() if row["session_id"] == rows[id]["session_id"]]
            said = [turn.reply for turn in gold.given[f"lemon:{key}", id][0].history]
            right = [f"{'ABCD'[row['answer_index']]}. {row['options'][row['answer_index']]}" for row in before]
            assert said == right[: rows[id]["turn"]]


def test_the_clips_of_an_order_question_are_shown_by_name_and_not_in_the_releases_order(hearing, sample_data):
    shown_otherwise = 0
    for row in rows_of(sample_data, "TA"):
        request, material = hearing.given["lemon:TA", row["id"]]
        released = {clip["id"]: (clip["start"], clip["end"]) for clip in row["clips"]}
        names = [clip.label for clip in request.clips]
        assert sorted(names) == sorted(released) and len(material.clips) == 3
        assert all(name in row["options"][row["answer_index"]] for name in names)
        for name, frames in zip(names, material.clips, strict=True):
            start, end = released[name]
            assert len(frames.times) == 1 and start <= frames.times[0] < end
        assert answers(hearing.folder, "lemon:TA")[row["id"]]["seen"]["frame_times"] == [
            time for frames in material.clips for time in frames.times
        ]
        shown_otherwise += names != list(released)
        right = row["options"][row["answer_index"]]
        assert (
            sorted(names, key=right.index) != names or shown_otherwise
        )  # what is shown first is not what comes first
    assert shown_otherwise


def test_the_pictures_of_contextual_listening_stand_under_their_letters(hearing, deaf, sample_data):
    for row in rows_of(sample_data, "AC"):
        request, material = hearing.given["lemon:AC", row["id"]]
        pictures = [str(sample_data / "lemon" / path) for path in row["option_media"]]
        assert list(request.pictures) == pictures and len(material.pictures) == (4 if row["subtask"] == "CL" else 0)
        assert all(picture.shape[0] == 3 for picture in material.pictures)
        if row["subtask"] == "CL":
            assert "picture 1" not in request.prompt
            assert len({picture.numpy().tobytes() for picture in material.pictures}) == 4
            assert len(deaf.given["lemon:AC", row["id"]][1].pictures) == 4


def test_a_model_that_does_not_hear_reads_instead(hearing, deaf, sample_data):
    assert deaf.code == 0
    assert all(material.sound is None for _, material in deaf.given.values())
    for key in ("SP", "OR", "IP"):
        told = answers(deaf.folder, f"lemon:{key}")
        assert set(told) == {row["id"] for row in rows_of(sample_data, key)}
        assert all(answer["seen"]["cues"] > 5 and answer["seen"]["seconds_of_audio"] == 0 for answer in told.values())
        heard = answers(hearing.folder, f"lemon:{key}")
        assert all(
            answer["seen"]["cues"] == 0 and answer["seen"]["seconds_of_audio"] > 40 for answer in heard.values()
        )
        for id in told:
            assert "Subtitles of the lecture:" in deaf.given[f"lemon:{key}", id][0].text
            assert "Subtitles" not in hearing.given[f"lemon:{key}", id][0].text
    assert "|evidence:uniform:3+size:224x224+subtitles+normalised|" in deaf.out


def test_a_model_that_does_not_hear_is_given_the_right_transcript_and_asked_the_second_question_alone(
    deaf, sample_data
):
    rows = {row["id"]: row for row in rows_of(sample_data, "AC")}
    told = answers(deaf.folder, "lemon:AC")
    assert set(told) == {id for id, row in rows.items() if row["subtask"] == "CL"} and len(told) == 2
    for id in told:
        request, _ = deaf.given["lemon:AC", id]
        [first] = [row for row in rows.values() if row["session_id"] == rows[id]["session_id"] and row["turn"] == 0]
        [turn] = request.history
        assert turn.reply == f"{'ABCD'[first['answer_index']]}. {first['answer']}" and first["question"] in turn.prompt
        assert told[id]["seen"]["turns"] == 1 and told[id]["seen"]["cues"] == 0


def test_a_kept_transcript_is_the_one_in_the_prompt(hearing, sample_data):
    """VIRA-Bench puts the transcript into the prompt; Video-MMLU and InstructionBench give none."""
    for row in read_rows(sample_data / "vira_bench", "default", "test"):
        text = hearing.given["vira_bench", row["id"]][0].text
        assert all(cue["text"] in text for cue in row["subtitles"])
        assert answers(hearing.folder, "vira_bench")[row["id"]]["seen"]["cues"] == len(row["subtitles"]) > 0
    for task in ("video_mmlu:quiz", "instructionbench"):
        assert all(answer["seen"]["cues"] == 0 for answer in answers(hearing.folder, task).values())


def test_the_seven_prompts_ask_for_what_their_rule_reads(hearing, sample_data):
    for key in LEMON:
        for row in rows_of(sample_data, key):
            prompt = hearing.given[f"lemon:{key}", row["id"]][0].prompt
            assert row["question"] in prompt
            if key in ("VS", "KT"):
                assert "letter" not in prompt
            else:
                assert "Answer with the letter of the one correct option (A to D)." in prompt
    languages = {row["id"]: row["target_language"] for row in rows_of(sample_data, "KT")}
    asked = {languages[id]: given[0].prompt for (task, id), given in hearing.given.items() if task == "lemon:KT"}
    assert "Answer in Japanese" in asked["ja"] and "Answer in Arabic" in asked["ar"] and len(asked) == 8


def test_the_caption_cascade_answers_from_two_descriptions(run, tiny_model):
    model = "caption_cascade?" + "&".join(
        f"{part}={tiny_model(kind)}"
        for part, kind in (("vision", "qwen3_vl"), ("audio", "qwen2_5_omni"), ("text", "llama"))
    )
    done = run(model, "mmou", *SHORT, "--limit", "2")
    assert done.code == 0 and len(answers(done.folder, "mmou")) == 2
    signature = json.loads((done.folder / "scores.json").read_text())["tasks"]["mmou"]["signature"]
    for part, kind in (("vision", "qwen3_vl"), ("audio", "qwen2_5_omni"), ("text", "llama")):
        assert f"|{part}:{kind}@" in signature
    assert "|n:2/45|" in signature
    for answer in answers(done.folder, "mmou").values():
        assert answer["answer"] and answer["seen"]["frame_indices"] and answer["seen"]["seconds_of_audio"] > 0


@pytest.mark.slow
def test_a_killed_conversation_goes_on_without_asking_a_turn_twice(run, tiny_model, tmp_path, sample_data):
    tasks = ",".join(f"lemon:{key}" for key in SESSIONS)
    arguments = ("--frames", "4", "--max-new-tokens", "12", "--dtype", "float32", "--device", "cpu")
    journal = tmp_path / "killed" / "journal" / "answers.jsonl"
    command = [sys.executable, "-m", "chalkbench", "eval", tiny_model("qwen2_5_omni"), tasks, *arguments]
    process = subprocess.Popen(
        [*map(str, command), "--data", str(sample_data), "--output", str(tmp_path / "killed")],
        env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < 5):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run ended before it could be killed"
    kept = {(line["task"].partition("|")[0], line["id"]) for line in map(json.loads, _whole_lines(journal))}
    assert 5 <= len(kept) < 21 and not (tmp_path / "killed" / "scores.json").exists()

    resumed = run(tiny_model("qwen2_5_omni"), tasks, *arguments, output=tmp_path / "killed")
    whole = run(tiny_model("qwen2_5_omni"), tasks, *arguments)
    assert len(whole.given) == 21
    assert set(resumed.given) == set(whole.given) - kept
    assert any(request.turn for request, _ in resumed.given.values())
    for key in SESSIONS:
        assert answers(tmp_path / "killed", f"lemon:{key}") == answers(whole.folder, f"lemon:{key}")
    assert {name: given[0].history for name, given in resumed.given.items()} == {
        name: given[0].history for name, given in whole.given.items() if name not in kept
    }
    assert results(tmp_path / "killed") == results(whole.folder)


def _whole_lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]

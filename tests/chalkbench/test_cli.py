"""The command line as a user meets it: results, and one clear line for what went wrong."""

import json
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chalkbench.benchmarks.layout import read_rows
from chalkbench.scoring.stand_in import STAND_IN_ID


@pytest.fixture
def own_data(sample_data, tmp_path) -> Path:
    """A copy of MMOU's sample layout, to be damaged."""
    shutil.copytree(sample_data / "mmou", tmp_path / "own" / "mmou")
    return tmp_path / "own"


def fault(result) -> str:
    """The one line that a fault is told in."""
    code, _, err = result
    assert code == 1
    lines = [line for line in err.splitlines() if line.startswith("chalkbench: ")]
    assert len(lines) == 1 and "Traceback" not in err
    return lines[0]


def scores(folder: Path, *, without: tuple[str, ...] = ("finished",)) -> dict:
    tasks = json.loads((folder / "scores.json").read_text())["tasks"]
    return {
        task: {name: value for name, value in entry.items() if name not in without} for task, entry in tasks.items()
    }


def video(data: Path, name: str) -> Path:
    return next((data / "mmou" / "videos").rglob(f"{name}.mp4"))


# what works


def test_random_is_a_model_like_any_other(cli, sample_data, tmp_path):
    code, out, _ = cli("eval", "random", "mmou", "--data", sample_data, "--by", "skill,duration", "--output", "r")
    assert code == 0
    assert "random (SAMPLE, not a result)" in out
    assert "mmou by skill" in out and "<5 min" in out
    assert re.search(r"mmou  benchmark:mmou\|release:\w{12}\|split:test/test\|n:45\|evidence:uniform:64\+audio\|", out)
    entry = scores(tmp_path / "r")["mmou"]
    assert entry["sample"] is True
    assert (entry["result"]["n"], entry["result"]["n_scored"]) == (45, 45)
    assert entry["result"]["official"] == {"name": "micro", "value": entry["result"]["accuracy"]}
    assert entry["record"]["model"] == "random" and entry["record"]["prompt"].startswith("unpublished:")
    assert set(entry["result"]["groupings"]) == {"domain", "duration", "skill", "none"}
    names = {path.name.split("_2")[0] for path in (tmp_path / "r").rglob("*") if path.is_file()}
    assert names == {"scores.json", "mmou.jsonl", "answers.jsonl", "results", "details_mmou|0"}


def test_two_runs_are_alike_and_the_seed_makes_another(cli, sample_data, tmp_path):
    for model, folder in (("random", "a"), ("random", "b"), ("random:1", "c")):
        assert cli("eval", model, "mmou", "--data", sample_data, "--output", folder)[0] == 0
    assert scores(tmp_path / "a") == scores(tmp_path / "b")
    assert (tmp_path / "a/answers/mmou.jsonl").read_text() == (tmp_path / "b/answers/mmou.jsonl").read_text()
    assert (tmp_path / "a/answers/mmou.jsonl").read_text() != (tmp_path / "c/answers/mmou.jsonl").read_text()


def test_tasks_of_one_folder_are_kept_side_by_side(cli, sample_data, tmp_path):
    cli("eval", "random", "mmou", "--data", sample_data, "--output", "r", "--limit", "5")
    code, out, _ = cli("eval", "random", "mmou_text_only,mmou_audio_only", "--data", sample_data, "--output", "r")
    assert code == 0 and "mmou_audio_only" in out
    assert list(scores(tmp_path / "r")) == ["mmou", "mmou_audio_only", "mmou_text_only"]
    assert "|n:5/45|" in scores(tmp_path / "r")["mmou"]["signature"]
    assert "evidence:no-frames|" in scores(tmp_path / "r")["mmou_text_only"]["signature"]


def test_frames_and_named_conditions_are_part_of_the_signature(cli, sample_data, tmp_path):
    cli("eval", "random", "mmou", "--data", sample_data, "--output", "r", "--evidence", "vision_only", "--frames", "8")
    assert "|evidence:uniform:8|" in scores(tmp_path / "r")["mmou"]["signature"]


def test_questions_without_subtitles_are_counted_when_subtitles_are_asked_for(cli, sample_data):
    _, out, err = cli("eval", "random", "mmou", "--data", sample_data, "--evidence", "video_subtitles")
    assert "45 of 45 questions have no subtitles; they are asked without" in out and "warning: mmou: 45 of 45" in err


def test_the_default_folder_is_named_after_the_model(cli, sample_data, tmp_path):
    cli("eval", "random:3", "mmou", "--data", sample_data, "--limit", "2")
    assert (tmp_path / "runs" / "random-3" / "scores.json").exists()


def test_a_hidden_split_gives_the_submission_file(cli, sample_data, tmp_path):
    code, out, _ = cli("eval", "random", "mmou_hidden", "--data", sample_data, "--output", "r")
    assert code == 0 and "6 chosen / 6" in out and "submission file for the official scorer" in out
    submission = json.loads((tmp_path / "r" / "submission_mmou_hidden.json").read_text())
    assert len(submission) == 6 and set(submission[0]) == {"question_id", "answer"}
    assert "accuracy" not in scores(tmp_path / "r")["mmou_hidden"]["result"]


def test_our_own_answers_score_the_same_again(cli, sample_data, tmp_path):
    cli("eval", "random", "mmou", "--data", sample_data, "--output", "r")
    code, out, _ = cli("score", "r/answers/mmou.jsonl", "mmou", "--data", sample_data, "--output", "s")
    assert code == 0 and "of 45 questions have no answer" not in out
    assert scores(tmp_path / "s")["mmou"]["result"] == scores(tmp_path / "r")["mmou"]["result"]


def test_answers_made_elsewhere_are_scored_and_the_rest_is_named(cli, sample_data, tmp_path):
    cli("eval", "random", "mmou", "--data", sample_data, "--output", "r")
    lines = (tmp_path / "r/answers/mmou.jsonl").read_text().splitlines()
    given = [{"id": json.loads(line)["id"], "response": "**A**"} for line in lines[:40]]
    path = tmp_path / "people.jsonl"
    path.write_text("\n".join(map(json.dumps, [*given, {"id": "nobody", "response": "B"}])))
    code, out, _ = cli("score", path, "mmou", "--data", sample_data)
    assert code == 0
    assert "people (SAMPLE, not a result)" in out and "40 / 45" in out and "no_answer 5" in out
    assert "1 ids are no question of this task, and are left out (nobody)" in out


def test_several_answerers_are_settled_by_vote(cli, sample_data, tmp_path):
    rows = read_rows(sample_data / "mmou", "test")
    records = []
    for row in rows:
        gold, other = row["answer_index"], (row["answer_index"] + 1) % len(row["options"])
        records += [
            {"id": row["id"], "answer": chr(65 + choice), "answerer": who}
            for who, choice in (("ann", gold), ("bob", other), ("eve", gold))
        ]
    records[0]["answer"], records[2]["answer"] = "", "no idea"  # the first question: one vote is left
    records[3]["answer"] = "hm"  # the second: a tie of two
    (tmp_path / "votes.jsonl").write_text("\n".join(map(json.dumps, records)))
    assert cli("score", "votes.jsonl", "mmou", "--data", sample_data, "--output", "s")[0] == 0
    result = scores(tmp_path / "s")["mmou"]["result"]
    assert result["accuracy"] == pytest.approx(43 / 45) and result["not_scored"] == {"unparsed": 1}
    answers = [json.loads(line) for line in (tmp_path / "s/answers/mmou.jsonl").read_text().splitlines()]
    rules = {answer["id"]: answer["rule"] for answer in answers}
    assert rules[rows[1]["id"]] == "tie" and rules[rows[2]["id"]] == "vote"


def test_the_tasks_are_listed_with_their_data(cli, sample_data):
    code, out, _ = cli("tasks", "--data", sample_data)
    assert code == 0
    assert all(name in out for name in ("mmou_audio_only", "video_mmlu:quiz", "video_mmlu_vision_blind:quiz"))
    assert "(sample)" in out
    assert cli("tasks")[0] == 0  # also where there are no data


def test_check_names_row_and_field(cli, own_data):
    assert cli("check", own_data / "mmou")[0] == 0
    video(own_data, "sample_ph01").unlink()
    code, out, _ = cli("check", own_data / "mmou")
    assert code == 0 and "warning: test/test: row" in out and "sample_ph01.mp4 is missing" in out


def test_where_the_model_file_is(cli):
    code, out, _ = cli("where", "model")
    assert code == 0 and Path(out.strip()).name == "lighteval_model.py" and Path(out.strip()).exists()


def test_a_tiny_video_model_resumes_and_answers_the_same(cli, sample_data, tmp_path, tiny_model):
    arguments = ("eval", tiny_model("qwen2_5_vl"), "mmou_vision_only", "--data", sample_data)
    arguments += ("--frames", "4", "--max-new-tokens", "4", "--dtype", "float32", "--device", "cpu")
    assert cli(*arguments, "--output", "one")[0] == 0
    assert cli(*arguments, "--output", "two", "--limit", "7")[0] == 0
    before = (tmp_path / "two/journal/answers.jsonl").read_bytes()
    assert cli(*arguments, "--output", "two")[0] == 0
    assert (tmp_path / "two/journal/answers.jsonl").read_bytes().startswith(before)
    assert scores(tmp_path / "two") == scores(tmp_path / "one")
    assert scores(tmp_path / "one")["mmou_vision_only"]["coverage"]["frames"] == {"least": 4, "most": 4}
    ids = [json.loads(line)["id"] for line in (tmp_path / "two/journal/answers.jsonl").read_text().splitlines()]
    assert len(ids) == len(set(ids)) == 45  # no question was asked again


# what does not


def test_no_data_says_how_to_get_some(cli, tmp_path):
    assert "no data folder data: build one with `chalkbench build`" in fault(cli("eval", "random", "mmou"))
    (tmp_path / "data").mkdir()
    line = fault(cli("eval", "random", "mmou"))
    assert "no layout of mmou found in data: chalkbench build mmou --from RELEASE --to data/mmou" in line


@pytest.mark.parametrize(
    ("name", "hint"),
    [("mmuo", "did you mean mmou"), ("video_mmlu:quizz", "video_mmlu:quiz"), ("xyz", "there are lemon,"), ("", "")],
)
def test_an_unknown_task_names_its_like(cli, sample_data, name, hint):
    line = fault(cli("eval", "random", name, "--data", sample_data))
    assert f"no task {name!r}" in line and hint in line


def test_few_shot_examples_are_refused(cli, sample_data):
    assert "no task takes few-shot examples; write mmou" in fault(
        cli("eval", "random", "mmou|5", "--data", sample_data)
    )


def test_an_unknown_model_is_one_line(cli, sample_data):
    line = fault(cli("eval", "nobody/no-such-model", "mmou", "--data", sample_data))
    assert "nobody/no-such-model" in line


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--frames", "many", "frames='many'"),
        ("--evidence", "blindfolded", "choose one of"),
        ("--protocol", "generous", "expected one of strict, answered"),
        ("--by", "colour", "can be grouped by domain, duration, skill, none"),
    ],
)
def test_a_wrong_value_names_the_right_ones(cli, sample_data, option, value, message):
    assert message in fault(cli("eval", "random", "mmou", "--data", sample_data, option, value))


def test_a_model_that_cannot_hear_is_told_before_the_run(cli, sample_data, tiny_model):
    line = fault(cli("eval", tiny_model("qwen2_5_vl"), "mmou", "--data", sample_data, "--output", "r"))
    assert "cannot hear" in line and "vision_only" in line


def test_the_tasks_for_lightevals_own_models_are_refused(cli, sample_data):
    line = fault(cli("eval", "random", "mmou_as_images", "--data", sample_data))
    assert "lighteval accelerate" in line and "mmou_vision_only" in line


def test_a_wrong_release_folder_is_one_line(cli, tmp_path):
    (tmp_path / "photos").mkdir()
    assert "no release of mmou in" in fault(cli("build", "mmou", "--from", "photos", "--to", "data/mmou"))
    assert not (tmp_path / "data" / "mmou").exists()
    assert "gone" in fault(cli("build", "mmou", "--from", "gone", "--to", "data/mmou"))


def test_a_release_given_as_data_is_recognised(cli):
    release = Path(__file__).parents[2] / "benchmarks" / "mmou" / "sample"
    line = fault(cli("check", release))
    assert "is a release of " in line and "mmou" in line and ", not a layout" in line


def test_a_layout_with_a_bad_row_is_refused_with_row_and_field(cli, own_data):
    path = own_data / "mmou" / "test.parquet"
    rows = pq.read_table(path)
    place = rows.schema.get_field_index("answer_index")
    wrong = pa.array([99, *rows.column(place).to_pylist()[1:]], rows.schema.field(place).type)
    pq.write_table(rows.set_column(place, rows.schema.field(place), wrong), path)
    line = fault(cli("eval", "random", "mmou", "--data", own_data))
    assert "1 faults in test/test: row" in line and "answer_index: 99 is outside 0..9" in line


def test_missing_videos_are_listed_up_front_and_not_scored(cli, own_data, tmp_path):
    video(own_data, "sample_ph01").unlink()
    code, out, err = cli("eval", "random", "mmou", "--data", own_data, "--output", "r")
    result = scores(tmp_path / "r")["mmou"]["result"]
    lost = result["not_scored"]["media_missing"]
    assert code == 3 and 0 < lost < 45 and result["n"] == 45 and result["n_scored"] == 45 - lost
    first = err.splitlines()[0]
    assert first.startswith("warning: mmou: 1 videos (") and "sample_ph01.mp4" in first
    assert f"chalkbench: mmou: {lost} of 45 questions could not be asked or judged (media_missing {lost})" in err
    assert f"left out: {lost} media_missing" in out


def test_a_corrupt_video_is_named_and_the_others_are_scored(cli, own_data, tmp_path, tiny_model):
    path = video(own_data, "sample_ma01")
    path.write_bytes(path.read_bytes()[:2000])
    arguments = ("eval", tiny_model("qwen2_5_vl"), "mmou_vision_only", "--data", own_data, "--output", "r")
    arguments += ("--frames", "2", "--max-new-tokens", "2", "--dtype", "float32")
    code, out, err = cli(*arguments)
    result = scores(tmp_path / "r")["mmou_vision_only"]["result"]
    assert code == 3 and result["not_scored"]["decode_error"] > 0
    assert "decode_error, the first: " in out and "sample_ma01.mp4" in out
    assert "could not be asked or judged (decode_error" in err


def test_a_damaged_answers_file_is_one_line(cli, sample_data, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "q", "answer": "B"}\nB\n')
    assert "a.jsonl, line 2: is no JSON" in fault(cli("score", "a.jsonl", "mmou", "--data", sample_data))


def test_a_hidden_split_needs_a_place_for_the_submission(cli, sample_data, tmp_path):
    cli("eval", "random", "mmou_hidden", "--data", sample_data, "--output", "r")
    line = fault(cli("score", "r/answers/mmou_hidden.jsonl", "mmou_hidden", "--data", sample_data))
    assert "--output" in line
    assert cli("score", "r/answers/mmou_hidden.jsonl", "mmou_hidden", "--data", sample_data, "--output", "s")[0] == 0
    assert (tmp_path / "s/submission_mmou_hidden.json").read_text() == (
        tmp_path / "r/submission_mmou_hidden.json"
    ).read_text()


def test_a_damaged_scores_file_is_not_overwritten(cli, sample_data, tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r/scores.json").write_text("{")
    assert "scores.json is there but cannot be read" in fault(
        cli("eval", "random", "mmou", "--data", sample_data, "--output", "r")
    )
    assert (tmp_path / "r/scores.json").read_text() == "{"
    assert not (tmp_path / "r/journal").exists()  # said before the run, not after it


def test_debug_shows_where_an_error_came_from(cli):
    code, _, err = cli("eval", "random", "mmou", "--debug")
    assert code == 1 and "Traceback" in err and "chalkbench: no data folder" in err


def test_usage_errors_end_with_2(cli):
    assert cli("eval", "random")[0] == 2
    assert cli("eval", "random", "mmou", "--batch-size", "0")[0] == 2


def test_ctrl_c_says_how_to_go_on(cli, sample_data, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("chalkbench.run.ask", interrupted)
    code, _, err = cli("eval", "random", "mmou", "--data", sample_data)
    assert code == 130 and "stopped; run the same command to resume" in err and "Traceback" not in err


def test_open_ended_answers_without_a_judge_are_kept_and_wait_for_one(cli, sample_data, tmp_path, tiny_model):
    arguments = ("eval", tiny_model("qwen2_5_vl"), "video_mmlu:quiz", "--data", sample_data, "--output", "r")
    code, out, _ = cli(*arguments, "--frames", "2", "--max-new-tokens", "4", "--dtype", "float32")
    entry = scores(tmp_path / "r")["video_mmlu:quiz"]
    assert code == 0 and entry["result"]["n"] == 16 and entry["result"]["accuracy"] is None
    assert entry["result"]["not_scored"].keys() <= {"not_judged", "unparsed"}
    assert entry["result"]["official"] == {"name": "mean over discipline", "value": None}
    assert "chalkbench score r/answers/video_mmlu-quiz.jsonl video_mmlu:quiz --judge MODEL" in out
    assert len((tmp_path / "r/answers/video_mmlu-quiz.jsonl").read_text().splitlines()) == 16


def test_a_stand_in_judge_is_named_and_judging_afterwards_gives_the_same(cli, sample_data, tmp_path, tiny_model):
    rows = read_rows(sample_data / "video_mmlu", "quiz")
    records = [
        {"id": row["id"], "answer": row["answer"] if place % 4 else "nothing"} for place, row in enumerate(rows)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    arguments = ("score", "a.jsonl", "video_mmlu:quiz", "--data", sample_data)
    code, out, _ = cli(*arguments, "--judge", "stand_in", "--output", "s", "--by", "discipline")
    assert code == 0 and STAND_IN_ID in out and "SAMPLE, not a result" in out
    entry = scores(tmp_path / "s")["video_mmlu:quiz"]
    assert entry["result"]["accuracy"] == 0.75 and entry["result"]["official"]["name"] == "mean over discipline"
    assert "|options:none|" in entry["signature"] and f"|judge:{STAND_IN_ID},T:0," in entry["signature"]
    assert cli(*arguments, "--output", "kept")[0] == 0  # not judged yet
    cli("score", "kept/answers/video_mmlu-quiz.jsonl", *arguments[2:], "--judge", "stand_in", "--output", "later")
    assert scores(tmp_path / "later")["video_mmlu:quiz"]["result"] == entry["result"]


def test_free_answers_to_questions_with_options_go_to_the_judge(cli, sample_data, tmp_path):
    arguments = ("eval", "random", "mmou", "--data", sample_data, "--evidence", "free_response", "--output", "r")
    code, _, _ = cli(*arguments, "--judge", "stand_in")
    entry = scores(tmp_path / "r")["mmou"]
    assert code == 0 and entry["result"]["not_scored"] == {"unparsed": 45}  # random has nothing to say
    assert "no-options" in entry["signature"] and "prompt:unpublished" in entry["signature"]

"""Every task of every benchmark on the command line: what runs, what is counted, and what the results folder holds."""

import json
from collections import Counter
from pathlib import Path

import pytest

from chalkbench.benchmarks.layout import read_rows
from chalkbench.evidence import CONDITIONS
from chalkbench.tasks import all_tasks

ONE_OF_EACH = ("lemon:SP", "video_mmlu:quiz", "instructionbench", "vira_bench", "mmou")


@pytest.fixture
def asked_of_models(fixture_module):
    """(request, material) of every question that a model is asked."""
    with fixture_module("asked_models").noted() as asked:
        yield asked


def answers(folder: Path, task: str) -> list[dict]:
    path = folder / "answers" / f"{task.replace(':', '-')}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def entries(folder: Path) -> dict:
    return json.loads((folder / "scores.json").read_text())["tasks"]


def row_of(out: str, name: str) -> list[str]:
    """The cells of a task's line in the printed table."""
    return [cell.strip() for line in out.splitlines() if line.startswith(f"│ {name} ") for cell in line.split("│")][1:]


def test_every_task_of_the_list_runs_on_the_samples(cli, sample_data, tmp_path):
    names = [task.name for task in all_tasks() if not task.as_images]
    listed = cli("tasks", "--data", sample_data)[1]
    assert all(task.name[:30] in listed for task in all_tasks())  # the table folds longer names

    code, out, err = cli(
        "eval",
        "random",
        ",".join(names),
        "--limit",
        "3",
        "--data",
        sample_data,
        "--output",
        "r",
        "--judge",
        "stand_in",
    )
    assert code == 0, err
    found = entries(tmp_path / "r")
    assert set(found) == set(names)
    for task in all_tasks():
        if task.as_images:
            continue
        entry = found[task.name]
        asked = answers(tmp_path / "r", task.name)
        assert len(asked) == (2 if task.name.endswith((":TA", ":VS")) else 3), task.name
        assert entry["record"]["evidence"] == task.evidence.to_dict()
        if task.hidden:
            continue
        result = entry["result"]
        assert set(result["groupings"]) == {name for name, _ in task.groupings}
        # random picks options, and has nothing to say where there are none
        open_ended = task.rule != "option_accuracy"
        assert result["not_scored"] == ({"unparsed": result["n"]} if open_ended else {})
        assert row_of(out, task.name)[4] == ("0" if open_ended else str(result["n"])) + f" / {result['n']}"


@pytest.mark.parametrize("name", sorted(CONDITIONS))
def test_every_named_condition_runs_on_every_benchmark_and_is_in_its_signature(cli, sample_data, tmp_path, name):
    arguments = ("--data", sample_data, "--limit", "1", "--output", "r", "--evidence", name)
    assert cli("eval", "random", ",".join(ONE_OF_EACH), *arguments)[0] == 0
    tasks = {task.name: task for task in all_tasks()}
    for task, entry in entries(tmp_path / "r").items():
        assert f"|evidence:{CONDITIONS[name](tasks[task].evidence)}|" in entry["signature"]


def test_a_model_is_really_given_less_under_a_condition(cli, sample_data, tmp_path, tiny_model):
    """(frames, seconds of sound, subtitles) of one question with everything."""
    arguments = ("eval", tiny_model("qwen2_5_omni"), "lemon:SP", "--data", sample_data, "--limit", "1")
    arguments += ("--frames", "2", "--max-new-tokens", "1", "--dtype", "float32", "--device", "cpu")
    given = {}
    for name in ("video_audio_subtitles", "vision_only", "audio_only", "asr_only", "text_only", "online"):
        assert cli(*arguments, "--evidence", name, "--output", name)[0] == 0
        (answer,) = answers(tmp_path / name, "lemon:SP")
        seen = answer["seen"]
        given[name] = len(seen["frame_indices"]), round(seen["seconds_of_audio"]), seen["cues"]
        if name == "online":
            (row,) = [row for row in read_rows(sample_data / "lemon", "SP", "test") if row["id"] == answer["id"]]
            assert row["asked_at"] < 45 < row["duration"] and max(seen["frame_times"]) <= row["asked_at"]
            assert seen["seconds_of_audio"] == pytest.approx(row["asked_at"], abs=0.1)
    whole = given["video_audio_subtitles"]
    assert whole[0] == 2 and whole[1] > 40 and whole[2] > 10
    assert given["vision_only"] == (2, 0, 0) and given["audio_only"] == (0, whole[1], 0)
    assert given["asr_only"] == (0, 0, whole[2]) and given["text_only"] == (0, 0, 0)


# the benchmarks' own scores over several tasks


def test_lemons_score_is_the_mean_of_its_tasks_with_expression_as_one(cli, sample_data, tmp_path):
    code, out, _ = cli("eval", "random", "lemon", "--data", sample_data, "--output", "r", "--judge", "stand_in")
    values = {
        name.removeprefix("lemon:"): entry["result"]["official"]["value"]
        for name, entry in entries(tmp_path / "r").items()
    }
    assert code == 0 and sorted(values) == ["AC", "IP", "KT", "OR", "SP", "TA", "VS"]
    assert values["VS"] == values["KT"] == 0 and 0 < values["SP"] < 1
    expected = sum(values[name] for name in ("SP", "OR", "AC", "TA", "IP")) / 6  # AE = (VS + KT) / 2 = 0
    assert row_of(out, "lemon")[1] == f"{100 * expected:.2f}*"
    assert "not run" not in out


@pytest.mark.parametrize(
    ("tasks", "name", "lacking"),
    [
        ("lemon:SP,lemon:KT", "lemon", "OR, AC, TA, IP, AE/VS"),
        ("video_mmlu:quiz", "video_mmlu", "notebook"),
        ("video_mmlu_vision_blind:notebook", "video_mmlu_vision_blind", "quiz"),
    ],
)
def test_a_part_of_a_benchmark_is_marked_as_one(cli, sample_data, tasks, name, lacking):
    _, out, _ = cli("eval", "random", tasks, "--data", sample_data)
    assert "*" not in row_of(out, f"{name} (in part)")[1]
    assert f"not run, so no whole result: {lacking}" in out


def test_a_limit_or_a_missing_judge_leaves_a_part_without_a_star(cli, sample_data, tmp_path, tiny_model):
    _, out, _ = cli("eval", "random", "video_mmlu,vira_bench", "--data", sample_data, "--limit", "3")
    assert row_of(out, "video_mmlu (in part)")[1] == "0.00" and "*" not in row_of(out, "vira_bench")[1]
    model = (tiny_model("qwen3_vl"), "--frames", "2", "--max-new-tokens", "1", "--dtype", "float32")
    model += ("--size", "56", "--data", sample_data)
    _, out, _ = cli("eval", model[0], "video_mmlu", *model[1:])
    assert "*" not in row_of(out, "video_mmlu (in part)")[1] and "not all asked and judged" in out


@pytest.mark.parametrize("limit", range(1, 9))
def test_a_limit_tears_no_conversation(cli, sample_data, tmp_path, limit):
    """A later question is not asked without the earlier ones that it builds on."""
    cli("eval", "random", "lemon:SP", "--data", sample_data, "--limit", str(limit), "--output", "r")
    rows = {row["id"]: row for row in read_rows(sample_data / "lemon", "SP", "test")}
    asked = [answer["id"] for answer in answers(tmp_path / "r", "lemon:SP")]
    assert len(asked) == limit
    turns = {(rows[id]["session_id"], rows[id]["turn"]) for id in asked}
    assert all((session, earlier) in turns for session, turn in turns for earlier in range(turn))


def test_a_benchmark_of_one_task_has_no_line_of_its_own(cli, sample_data):
    _, out, _ = cli("eval", "random", "instructionbench,vira_bench,mmou", "--data", sample_data)
    assert [line.split()[1] for line in out.splitlines() if line.startswith("│ ")] == [
        "instructionbench", "vira_bench", "mmou",
    ]  # fmt: skip


# options in another order


@pytest.mark.parametrize("order", ["independent", "balanced"])
def test_shuffled_options_are_scored_against_the_moved_gold_and_score_the_same_again(
    cli, sample_data, tmp_path, order
):
    arguments = ("vira_bench", "--data", sample_data)
    assert cli("eval", "random:5", *arguments, "--option-order", order, "--output", "r")[0] == 0
    rows = {row["id"]: row for row in read_rows(sample_data / "vira_bench", "default", "test")}
    places = Counter()
    read = answers(tmp_path / "r", "vira_bench")
    for answer in read:
        row, shown = rows[answer["id"]], answer["option_order"]
        assert sorted(shown) == [0, 1, 2, 3]
        released = shown["ABCD".index(answer["choice"])]
        assert answer["option"] == row["options"][released] and answer["released_choice"] == released
        assert answer["value"] == (released == row["answer_index"])
        places[shown.index(row["answer_index"])] += 1
    assert 0 < sum(answer["value"] for answer in read) < 20
    assert sum(answer["option_order"] != [0, 1, 2, 3] for answer in read) > 10
    if order == "balanced":
        assert set(places.values()) == {5}  # 20 questions, four places
    before = entries(tmp_path / "r")["vira_bench"]
    assert f"|options:{order}:0:random:5|" in before["signature"]

    assert cli("score", "r/answers/vira_bench.jsonl", *arguments, "--output", "again")[0] == 0
    after = entries(tmp_path / "again")["vira_bench"]
    assert after["result"] == before["result"] and "|options:as-answered|" in after["signature"]


def test_a_model_of_another_name_sees_another_order(cli, sample_data, tmp_path):
    orders = []
    for seed in (1, 2):
        cli("eval", f"random:{seed}", "vira_bench", "--data", sample_data, "--output", str(seed))
        orders.append([answer["option_order"] for answer in answers(tmp_path / str(seed), "vira_bench")])
    assert orders[0] != orders[1]


def test_as_released_is_what_the_release_says(cli, sample_data, tmp_path):
    cli("eval", "random", "vira_bench", "--data", sample_data, "--option-order", "as_released", "--output", "r")
    assert not any(answer.get("option_order") for answer in answers(tmp_path / "r", "vira_bench"))
    assert "|options:as-released|" in entries(tmp_path / "r")["vira_bench"]["signature"]


# frames, variants


@pytest.mark.parametrize(
    ("size", "shape", "said"),
    [("own", (360, 640), ""), ("56", (56, 56), "+size:56x56"), (None, (224, 224), "+size:224x224")],
)
def test_the_size_of_frames_is_what_is_asked_for(
    cli, sample_data, tmp_path, tiny_model, asked_of_models, size, shape, said
):
    arguments = ("eval", tiny_model("qwen3_vl"), "lemon_vision_only:SP", "--data", sample_data, "--limit", "1")
    arguments += ("--frames", "2", "--max-new-tokens", "1", "--dtype", "float32", "--output", "r")
    assert cli(*arguments, *(("--size", size) if size else ()))[0] == 0
    [(_, material)] = asked_of_models
    assert tuple(material.frames.pixels.shape[-2:]) == shape
    assert f"|evidence:uniform:2{said}+normalised|" in entries(tmp_path / "r")["lemon_vision_only:SP"]["signature"]


def test_a_variant_goes_to_the_tasks_that_have_it(cli, sample_data, tmp_path):
    tasks = "lemon:VS,lemon:SP,video_mmlu:notebook"
    assert cli("eval", "random", tasks, "--data", sample_data, "--variant", "count", "--output", "r")[0] == 0
    rules = {
        name: entry["signature"].partition("|rule:")[2].partition("|")[0]
        for name, entry in entries(tmp_path / "r").items()
    }
    assert rules == {
        "lemon:VS": "summary_score(count)",
        "lemon:SP": "option_accuracy(lemon)",
        "video_mmlu:notebook": "vdc_score",
    }


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--variant", "nonsense", "no rule of these tasks has it (lemon:VS: fraction, count)"),
        ("--size", "0", "expected a number of pixels, or own"),
        ("--option-order", "sorted", "expected one of as_released, independent, balanced"),
        ("--evidence", "nothing", "choose one of"),
    ],
)
def test_a_wrong_value_is_one_line_that_names_the_right_ones(cli, sample_data, option, value, said):
    code, _, err = cli("eval", "random", "lemon:VS", "--data", sample_data, option, value)
    assert code == 1 and len(err.splitlines()) == 1 and err.startswith("chalkbench: ") and said in err

"""Finding layouts: what is missing is said with the command that makes it."""

import os
import shutil
from pathlib import Path

import pytest

from chalkbench.errors import ChalkbenchError
from chalkbench.tasks import all_tasks
from chalkbench.tasks.data import data_places, find_layouts, layout_of, rows_hash, task_rows

TASKS = {task.name: task for task in all_tasks()}


def test_a_place_is_a_layout_or_a_folder_of_layouts(sample_data):
    both = find_layouts([sample_data])
    assert set(both) == {"lemon", "video_mmlu", "instructionbench", "vira_bench", "mmou"}
    assert find_layouts([sample_data / "mmou"]) == {"mmou": both["mmou"]}
    assert find_layouts([sample_data, sample_data / "mmou"]) == both  # twice the same one is no conflict


def test_folders_without_a_layouts_card_are_passed_over(sample_data, tmp_path):
    (tmp_path / "mmou").symlink_to(sample_data / "mmou")
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads" / "README.md").write_text("# MMOU\n")
    assert set(find_layouts([tmp_path])) == {"mmou"}


def test_two_layouts_of_one_benchmark_are_refused(sample_data, tmp_path):
    shutil.copytree(sample_data / "mmou", tmp_path / "other")
    with pytest.raises(ChalkbenchError, match=r"mmou is there twice, in .*: give one of them"):
        find_layouts([sample_data, tmp_path])


def test_a_place_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ChalkbenchError, match=r"no data folder .*gone: build one"):
        find_layouts([tmp_path / "gone"])


def test_a_missing_layout_is_said_with_the_command_that_makes_it(tmp_path):
    with pytest.raises(ChalkbenchError) as fault:
        layout_of(TASKS["mmou"], find_layouts([tmp_path]), places=[tmp_path])
    assert f"no layout of mmou found in {tmp_path}" in str(fault.value)
    assert "chalkbench build mmou --from RELEASE --to data/mmou" in str(fault.value)
    assert "--data" in str(fault.value) and "CHALKBENCH_DATA" in str(fault.value)


def test_a_release_in_place_of_a_layout_is_recognised():
    release = Path(__file__).parents[2] / "benchmarks" / "mmou" / "sample"
    with pytest.raises(ChalkbenchError, match=r"is a release of .*mmou.*, not a layout"):
        layout_of(TASKS["mmou"], find_layouts([release]), places=[release])


def test_the_variable_holds_several_places(monkeypatch):
    monkeypatch.setenv("CHALKBENCH_DATA", os.pathsep.join(("a", "b/c")))
    assert data_places() == ["a", "b/c"]
    monkeypatch.delenv("CHALKBENCH_DATA")
    assert data_places() == ["data"]


@pytest.mark.parametrize("name", TASKS)
def test_each_task_has_rows_in_the_sample(sample_data, name):
    layouts = find_layouts([sample_data])
    task = TASKS[name]
    rows = task_rows(task, layout_of(task, layouts, places=[sample_data]))
    assert len(rows) > 1
    assert isinstance(rows[0]["video_path"], str)  # a path: no video is opened for a row
    assert all((row["answer_index"] == -1) == (task.hidden or not row["options"]) for row in rows)


def test_only_what_is_shown_or_heard_needs_its_video():
    assert {name for name, task in TASKS.items() if not task.needs_media} == {
        "mmou_text_only",
        "video_mmlu_vision_blind:quiz",
        "video_mmlu_vision_blind:notebook",
        "instructionbench_blind",
        "vira_bench_asr_only",
        "vira_bench_stem_options",
    }


def test_the_rows_hash_is_of_the_questions(sample_data):
    layout = find_layouts([sample_data])["mmou"]
    assert len(rows_hash(TASKS["mmou"], layout)) == 12
    assert rows_hash(TASKS["mmou"], layout) != rows_hash(TASKS["mmou_hidden"], layout)
    assert rows_hash(TASKS["video_mmlu:quiz"], layout) == "none"

"""The real `lighteval custom` on tasks of two benchmarks with a model that sees and hears, in a process of its own."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import chalkbench.models
from chalkbench.benchmarks.layout import read_rows

pytestmark = pytest.mark.slow  # 12 s

MODEL_FILE = Path(chalkbench.models.__file__).with_name("lighteval_model.py")


@pytest.fixture(scope="module")
def finished(tmp_path_factory, sample_data, tiny_model):
    """The process and the folder of its results. One of lighteval's own task modules would fetch a file at import,
    unless it is there: an empty one is put there for the time of the run.
    """
    fetched = Path(importlib.util.find_spec("lighteval.tasks.tasks.tiny_benchmarks").origin).with_name(
        "tinyBenchmarks.pkl"
    )
    ours = not fetched.exists()
    fetched.touch()
    folder = tmp_path_factory.mktemp("lighteval")
    model = f"{tiny_model('qwen2_5_omni')}?frames=2&max_new_tokens=4&dtype=float32&device=cpu&batch=2"
    command = ["lighteval", "custom", model, MODEL_FILE, "lemon:SP|0,vira_bench|0"]
    command += ["--custom-tasks", "chalkbench.tasks", "--output-dir", folder, "--save-details"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", *map(str, command)],
            cwd=folder,
            env=os.environ
            | {"CHALKBENCH_DATA": str(sample_data), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        if ours:
            fetched.unlink()
    assert done.returncode == 0, done.stderr[-2000:]
    return done, folder


def details(folder: Path, task: str) -> dict[str, dict]:
    """{id: what lighteval kept of a question}"""
    [path] = [path for path in folder.rglob("details_*.parquet") if path.name.startswith(f"details_{task}|0")]
    return {row["doc"]["specific"]["item_id"]: row for row in pq.read_table(path).to_pylist()}


def test_every_question_is_answered_from_what_was_seen_and_heard(finished, sample_data):
    _, folder = finished
    for task, benchmark, config in (("lemon:SP", "lemon", "SP"), ("vira_bench", "vira_bench", "default")):
        rows = {row["id"]: row for row in read_rows(sample_data / benchmark, config, "test")}
        found = details(folder, task)
        assert set(found) == set(rows)
        assert all(row["model_response"]["text"][0] for row in found.values())
        for id, row in found.items():
            seen = row["model_response"]["seen"]
            assert len(seen["frame_indices"]) == 2 and seen["turns"] == rows[id]["turn"]
            assert (seen["seconds_of_audio"] > 40, seen["cues"] > 0) == (task == "lemon:SP", task == "vira_bench")
        assert {row["metric"]["option_accuracy"]["id"] for row in found.values()} == set(rows)


def test_the_groups_of_both_benchmarks_are_in_lightevals_results(finished):
    done, folder = finished
    [path] = folder.rglob("results_*.json")
    results = json.loads(path.read_text())["results"]
    lemon, vira = results["lemon:SP|0"], results["vira_bench|0"]
    assert (lemon["n"], vira["n"]) == (9, 20)
    assert {"subtask:KCR", "subtask:DCC", "subtask:LDT", "course:Algorithms", "macro:subtask"} <= set(lemon)
    assert {"layer:OEG", "layer:ICR", "layer:SRM", "subtask:AI", "interval_low", "official"} <= set(vira)
    for one in (lemon, vira):
        assert (
            one["n_scored"] + sum(value for name, value in one.items() if name.startswith("not_scored:")) == one["n"]
        )
    assert "macro:layer" in done.stdout and "subtask:LDT" in done.stdout


def test_options_are_shuffled_and_the_gold_is_where_it_then_stands(finished, sample_data):
    _, folder = finished
    rows = {row["id"]: row for row in read_rows(sample_data / "vira_bench", "default", "test")}
    moved = 0
    for id, row in details(folder, "vira_bench").items():
        order = list(row["doc"]["specific"]["option_order"])
        assert order.index(rows[id]["answer_index"]) == row["metric"]["option_accuracy"]["gold"]
        assert [rows[id]["options"][place] for place in order] == list(row["doc"]["choices"])
        moved += order != [0, 1, 2, 3]
    assert moved > 10

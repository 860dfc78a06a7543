"""The real lighteval commands, in processes of their own, without a network."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import chalkbench.models

pytestmark = pytest.mark.slow

MODEL_FILE = Path(chalkbench.models.__file__).with_name("lighteval_model.py")


@pytest.fixture(scope="module")
def lighteval(tmp_path_factory, sample_data):
    """Runs `lighteval …` on the sample; (process, folder of its results).

    One of lighteval's built-in task modules fetches a file when it is imported, unless it is there: an empty one is
    put there for the time of the tests.
    """
    fetched = Path(importlib.util.find_spec("lighteval.tasks.tasks.tiny_benchmarks").origin).with_name(
        "tinyBenchmarks.pkl"
    )
    ours = not fetched.exists()
    fetched.touch()
    home = tmp_path_factory.mktemp("lighteval")

    def run(*arguments) -> tuple[subprocess.CompletedProcess[str], Path]:
        folder = home / f"run{len(list(home.iterdir()))}"
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-m", "lighteval", *map(str, arguments), "--output-dir", str(folder), "--save-details"],
            cwd=folder,
            env=os.environ
            | {"CHALKBENCH_DATA": str(sample_data), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done, folder

    yield run
    if ours:
        fetched.unlink()


def details(folder: Path) -> list[dict]:
    (path,) = folder.rglob("details_*.parquet")
    return pq.read_table(path).to_pylist()


def test_custom_runs_our_model_file_on_our_tasks(lighteval):
    done, folder = lighteval("custom", "random", MODEL_FILE, "mmou|0", "--custom-tasks", "chalkbench.tasks")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "skill:Counting" in done.stdout and "not_scored:unparsed" in done.stdout
    rows = details(folder)
    assert len(rows) == 45
    assert {row["model_response"]["text"][0] for row in rows} <= set("ABCDEFGHIJ")
    assert rows[0]["metric"]["option_accuracy"]["id"] and rows[0]["doc"]["specific"]["video"].endswith(".mp4")


def test_accelerate_runs_lightevals_own_vision_model_on_frames_as_images(lighteval, tiny_model, tmp_path):
    model = f"model_name={tiny_model('qwen2_5_vl')},device=cpu,generation_size=4,cache_dir={tmp_path}"
    done, folder = lighteval(
        *("accelerate", model, "mmou_as_images|0", "--custom-tasks", "chalkbench.tasks"),
        *("--vision-model", "--max-samples", "3"),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "not_scored:unparsed" in done.stdout
    rows = details(folder)
    assert len(rows) == 3 and all(len(row["doc"]["images"]) == 8 for row in rows)

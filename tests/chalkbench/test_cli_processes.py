"""Runs that end badly, in processes of their own: killed, without FFmpeg, with a full disk."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

# no file of these names is a library, so the loader finds no FFmpeg
LIBRARIES = [
    f"lib{name}.so.{number}"
    for name, first in (("avutil", 56), ("avcodec", 58), ("avformat", 58), ("avfilter", 7), ("avdevice", 58))
    for number in range(first, first + 7)
]


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"} | more


def scores(folder: Path) -> dict:
    tasks = json.loads((folder / "scores.json").read_text())["tasks"]
    for entry in tasks.values():
        del entry["finished"]
    return tasks


def journal(folder: Path) -> list[str]:
    path = folder / "journal" / "answers.jsonl"
    return [json.loads(line)["id"] for line in path.read_text().splitlines()] if path.exists() else []


def test_a_killed_run_resumes_and_ends_with_the_same_scores(sample_data, tmp_path, tiny_model, cli):
    arguments = ["eval", tiny_model("qwen2_5_vl"), "mmou_vision_only", "--data", sample_data, "--batch-size", "2"]
    arguments += ["--frames", "8", "--max-new-tokens", "16", "--dtype", "float32", "--device", "cpu", "--limit", "24"]
    command = [sys.executable, "-m", "chalkbench", *map(str, arguments), "--output", str(tmp_path / "killed")]
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(journal(tmp_path / "killed")) < 6 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run ended before it could be killed"
    before = journal(tmp_path / "killed")
    assert not (tmp_path / "killed" / "scores.json").exists()

    assert cli(*arguments, "--output", tmp_path / "killed")[0] == 0
    assert cli(*arguments, "--output", tmp_path / "whole")[0] == 0
    assert scores(tmp_path / "killed") == scores(tmp_path / "whole")
    after = journal(tmp_path / "killed")
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) == 24  # what was in the journal is not asked again


def test_without_ffmpeg_a_run_ends_with_one_line_and_what_to_install(sample_data, tmp_path, tiny_model, chalkbench):
    for name in LIBRARIES:
        (tmp_path / name).write_bytes(b"no library")
    done = chalkbench(
        *("eval", tiny_model("qwen2_5_vl"), "mmou_vision_only", "--data", sample_data, "--output", tmp_path / "r"),
        LD_LIBRARY_PATH=str(tmp_path),
    )
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("chalkbench:")]
    assert "FFmpeg" in line and "apt-get install ffmpeg" in line
    assert "Traceback" not in done.stderr


def test_a_full_disk_ends_the_run_with_one_line_and_keeps_the_answers(sample_data, tmp_path, cli):
    command = [sys.executable, "-m", "chalkbench", "eval", "random", "mmou", "--data", str(sample_data)]
    done = subprocess.run(
        [*command, "--output", str(tmp_path / "r")],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000)),  # no file grows above it
    )
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("chalkbench:")]
    assert "cannot write the journal" in line and "run the same command again" in line
    assert "Traceback" not in done.stderr
    before = journal(tmp_path / "r")
    assert 0 < len(before) < 45
    assert cli("eval", "random", "mmou", "--data", sample_data, "--output", tmp_path / "r")[0] == 0
    assert journal(tmp_path / "r")[: len(before)] == before and len(journal(tmp_path / "r")) == 45


def test_ctrl_c_keeps_the_answers_and_ends_with_130(sample_data, tmp_path, tiny_model):
    command = [sys.executable, "-m", "chalkbench", "eval", str(tiny_model("qwen2_5_vl")), "mmou_vision_only"]
    command += [
        "--data",
        str(sample_data),
        "--frames",
        "8",
        "--max-new-tokens",
        "400",
        "--output",
        str(tmp_path / "r"),
    ]
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not journal(tmp_path / "r") and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped; run the same command to resume" in err and "Traceback" not in err
    assert journal(tmp_path / "r")

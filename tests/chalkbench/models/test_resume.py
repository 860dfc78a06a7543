import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chalkbench.models import load_model
from chalkbench.models.journal import read_journal

VIDEOS = ["sound.mp4", "plain.mp4", "stereo.mp4", "long.mp4"]


@pytest.fixture
def runs(fixture_module):
    return fixture_module("resumable_run")


def whole_run(runs, model_folder, videos, journal=None):
    """(texts and what was seen, ids that were asked)"""
    model = load_model(str(model_folder), batch_size=runs.BATCH, journal=journal, device="cpu", progress=False)
    asked = runs.asked_of(model)
    return model.greedy_until(runs.docs(videos)), asked


@pytest.mark.slow
@pytest.mark.parametrize("kill", ["right after a question is asked", "at a random moment"])
def test_a_killed_run_resumes_to_the_same_answers(runs, tiny_model, clips, tmp_path, kill):
    videos, folder, journal = [clips[name] for name in VIDEOS], tiny_model("qwen2_5_omni"), tmp_path / "answers.jsonl"
    process = subprocess.Popen(
        [sys.executable, runs.__file__, folder, journal, *videos],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
    )
    started = [process.stdout.readline().split()[1:] for _ in range(4)]
    if kill == "at a random moment":
        time.sleep(random.uniform(0, 0.2))
    os.kill(process.pid, signal.SIGKILL)
    started += [line.split()[1:] for line in process.stdout if line.startswith("asked")]
    assert process.wait() == -signal.SIGKILL

    kept = [entry.id for entry in read_journal(journal)]
    answers, asked = whole_run(runs, folder, videos, journal)
    assert answers == whole_run(runs, folder, videos)[0]
    assert len(kept) >= 3 * runs.BATCH
    assert not set(asked) & set(kept)  # no journalled question is asked again
    assert set(asked) | set(kept) == {f"v{place}-q{number}" for place in range(4) for number in range(4)}
    twice = {id for batch in started for id in batch} & set(asked)
    assert len(twice) <= runs.BATCH
    assert len(list(read_journal(journal))) == 16


def test_a_swapped_checkpoint_gets_no_old_reply(runs, fixture_module, clips, tmp_path):
    videos, journal, folder = [clips["plain.mp4"]], tmp_path / "answers.jsonl", tmp_path / "model"
    build = fixture_module("tiny_models").BUILDERS["qwen2_5_omni"]
    build(folder, seed=0)
    first, _ = whole_run(runs, folder, videos, journal)
    assert whole_run(runs, folder, videos, journal) == (first, [])
    build(folder, seed=1)
    second, asked = whole_run(runs, folder, videos, journal)
    assert len(asked) == 4
    assert [response.text for response in second] != [response.text for response in first]


def test_a_changed_video_gets_no_old_reply(runs, tiny_model, clips, tmp_path):
    video, journal = tmp_path / "lecture.mp4", tmp_path / "answers.jsonl"
    video.write_bytes(Path(clips["plain.mp4"]).read_bytes())
    whole_run(runs, tiny_model("qwen2_5_omni"), [video], journal)
    video.write_bytes(Path(clips["long.mp4"]).read_bytes())
    assert len(whole_run(runs, tiny_model("qwen2_5_omni"), [video], journal)[1]) == 4

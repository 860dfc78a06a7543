"""Tiny releases in the official forms, for tests: records with and without the quirks of the real ones."""

import json
import shutil
import subprocess
from pathlib import Path

OPTIONS = {chr(65 + index): f"option {index}" for index in range(10)}


def make_clip(path: Path, *, audio: bool = True, seconds: int = 1) -> Path:
    """A moving test picture of 64 x 48, with a tone or silent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sound = ["-f", "lavfi", "-i", f"sine=d={seconds}", "-shortest"] if audio else []
    picture = ["-f", "lavfi", "-i", f"testsrc=s=64x48:d={seconds}:r=5"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", *picture, *sound, str(path)], check=True)
    return path


def mmou_record(number: int = 0, **changes) -> dict:
    """A question of the test mini set. A field changed to `...` is left out."""
    record = {
        "question_id": f"q{number}",
        "video_url": "https://www.youtube.com/watch?v=aaaaaaaaaaa",
        "question": "What is said when the lamp is lit?",
        "options": dict(OPTIONS),
        "question_type": ["Needle", "Tacking Spurious Correlations"],
        "domain": "Film",
        "subdomain": "Short films",
        "start_time": "00:01",
        "end_time": "0:00:02",
        "video_duration": 3.5,
        "correct_option_letter": "C",
        "correct_option_text": "option 2",
        "answer": "Good evening",
        "channel_name": "A channel",
    }
    return {key: value for key, value in (record | changes).items() if value is not ...}


def write_mmou(root: Path, *records: dict, name: str = "MMOU_TEST_MINI.json", videos: dict[str, Path] | None = None):
    """A release: the JSON file, and videos {path in the release: file to copy}."""
    root.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(json.dumps(list(records)), encoding="utf-8")
    (root / "SAMPLE.md").write_text("made for a test")
    for path, source in (videos or {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, root / path)
    return root


def lecture(video: str = "aaaaaaaaaaa", **changes) -> dict:
    """A video of Video-MMLU with two quiz questions and one on the caption."""
    record = {
        "video_id": video,
        "caption": "A lecture on Thales\\' theorem.",
        "reasoning_qa": [
            {"question": "Why is it Thales\\' theorem?", "answer": "He proved it"},
            {"question": "What follows?", "answer": "A right angle"},
        ],
        "captions_qa": [{"question": "Whose theorem is shown?", "answer": "Thales\\'"}],
    }
    return {key: value for key, value in (record | changes).items() if value is not ...}


def write_video_mmlu(root: Path, *records: dict, labels: list[tuple[str, str]] | None = None):
    """A release: the jsonl file, and (video id, label) lines of video_sources.jsonl."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "video_mmlu.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (root / "SAMPLE.md").write_text("made for a test")
    if labels is not None:
        lines = [json.dumps({"video_id": video, "label": label}) + "\n" for video, label in labels]
        (root / "video_sources.jsonl").write_text("".join(lines), encoding="utf-8")
    return root

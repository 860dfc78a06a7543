"""Tiny releases in the neutral layout, for tests."""

import json
import shutil
from pathlib import Path


def mcq(number: int = 0, **changes) -> dict:
    """A question of VIRA-Bench. A field changed to `...` is left out."""
    record = {
        "id": f"q{number}",
        "video": "clip1.mp4",
        "question": "What does the teacher do first?",
        "options": ["circles a word", "writes a word", "asks a question", "plays a sound"],
        "answer": "C",
        "task": "OEG",
        "subtask": "AI",
    }
    return {key: value for key, value in (record | changes).items() if value is not ...}


def lemon_question(number: int = 0, **changes) -> dict:
    """A question of LEMON's Streaming Perception."""
    return mcq(number, **({"task": "SP", "subtask": "KCR", "question": "Which idea is introduced?"} | changes))


def write_release(root: Path, *records, name: str = "questions.jsonl", files: dict | None = None, sample: bool = True):
    """A release: the questions, and files {path: bytes, text, or a file to copy}."""
    root.mkdir(parents=True, exist_ok=True)
    lines = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("\n".join(lines), encoding="utf-8")
    if sample:
        (root / "SAMPLE.md").write_text("made for a test")
    for path, content in (files or {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copyfile(content, root / path)
        else:
            (root / path).write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def units(builder_class, root: Path, config: str = "default"):
    """(rows, what was left out as text, remarks) of a release's config."""
    builder = builder_class(config_name=config, data_dir=root, cache_dir=root.parent / ".cache")
    found = list(builder.units(builder.files))
    rows = [unit for unit in found if isinstance(unit, dict)]
    return rows, [str(unit) for unit in found if not isinstance(unit, dict)], builder.remarks.lines()

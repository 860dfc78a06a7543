"""Submission files, for benchmarks whose answers are hidden and whose authors score."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from chalkbench.files import write_text


def write_mmou(items: Iterable[Mapping[str, Any]], path: Path) -> int:
    """Writes MMOU's file: a JSON list of {question_id, answer}, answer a letter; returns how many it holds.

    items: {id, choice}. An item without a choice is left out: the official accuracy is over all questions, so it
    counts as wrong either way, and a made-up letter would be a guess that the model did not make.
    """
    lines = [
        json.dumps({"question_id": item["id"], "answer": item["choice"]})
        for item in items
        if item["choice"] is not None
    ]
    write_text(path, "[\n" + ",\n".join(lines) + "\n]\n")
    return len(lines)

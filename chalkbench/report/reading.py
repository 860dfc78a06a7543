"""Results folders as the report takes them: who answered, and the entries of `scores.json`.

What belongs here: finding and reading the folders, and names that tell them apart. What does not: answers
(`items.py`).
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chalkbench.errors import ChalkbenchError
from chalkbench.run import SCORES

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_NEEDED = ("result", "record", "signature", "sample")


@dataclass(frozen=True)
class Run:
    """What one model did in one folder. entries: {task: its entry of `scores.json`}; name: unique in a report."""

    name: str
    folder: Path
    entries: Mapping[str, Mapping[str, Any]]


def read_runs(places: Iterable[str | Path]) -> list[Run]:
    """The runs of results folders; a place may also be a folder of results folders.

    A folder in which several models were scored becomes a run a model. Raises ChalkbenchError for a place without
    results, and for results that cannot be read.
    """
    folders = list(dict.fromkeys(folder for place in map(Path, places) for folder in _folders(place)))
    runs = [run for folder in folders for run in _runs(folder)]
    names = Counter(run.name for run in runs)
    named = [replace(run, name=f"{run.name} ({run.folder.name})") if names[run.name] > 1 else run for run in runs]
    names = Counter(run.name for run in named)
    return [replace(run, name=f"{run.name} ({run.folder})") if names[run.name] > 1 else run for run in named]


def _folders(place: Path) -> list[Path]:
    if place.name == SCORES:
        place = place.parent
    if (place / SCORES).is_file():
        return [place]
    found = sorted(path.parent for path in place.glob(f"*/{SCORES}")) if place.is_dir() else []
    if not found:
        raise ChalkbenchError(
            f"{place} holds no {SCORES}: give a folder that `chalkbench eval` wrote (its --output, else runs/MODEL)"
        )
    return found


def _runs(folder: Path) -> list[Run]:
    path = folder / SCORES
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["tasks"]
        for task, entry in entries.items():
            if lacking := [name for name in _NEEDED if name not in entry]:
                raise ChalkbenchError(f"{path}: {task} has no {', '.join(lacking)}: score it again with this version")
            if not _NAME.fullmatch(entry["record"]["benchmark"]):  # it becomes part of links and ids
                raise ChalkbenchError(f"{path}: {task} is of a benchmark {entry['record']['benchmark']!r}")
        by_model: dict[str, dict[str, Any]] = {}
        for task, entry in entries.items():
            by_model.setdefault(str(entry["record"]["model"]), {})[task] = entry
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ChalkbenchError(f"{path} cannot be read ({type(error).__name__}: {error})") from error
    if not by_model:
        raise ChalkbenchError(f"{path} holds no task")
    return [Run(model, folder, scored) for model, scored in by_model.items()]

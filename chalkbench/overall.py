"""A benchmark's own score over several tasks: LEMON's six, Video-MMLU's two tracks.

What belongs here: which tasks go together, and what is lacking. What does not: the means themselves
(`chalkbench.scoring.aggregate`), and benchmarks of one task, whose score is that task's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from chalkbench.results import share
from chalkbench.scoring.aggregate import OVERALL, macro
from chalkbench.scoring.outcome import JUDGE_FAILED, NO_ANSWER, NOT_JUDGED
from chalkbench.task import Task


@dataclass(frozen=True)
class Overall:
    """value: mean over the outermost cells, 0..1; None if none has a score. cells: {cell or group: the same}.

    lacking: cells that were not run. partial: cells of which not every question was asked and judged. A cell that was
    run and has no score is None, and left out of the mean, as LEMON leaves out what a model cannot do (Table 2: found
    by fit).
    """

    name: str
    value: float | None
    cells: Mapping[str, float | None]
    lacking: tuple[str, ...]
    partial: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether this is the benchmark's score, and not that of a part of it."""
        return not self.lacking and not self.partial


def overall(scores: Mapping[str, Mapping[str, Any]], tasks: Iterable[Task]) -> list[Overall]:
    """The score of every set of tasks that makes up a benchmark (`lemon`, `video_mmlu_vision_blind`, …).

    scores: {task: its entry of `scores.json`}. tasks: all that there are.
    """
    sets: dict[str, dict[str, str]] = {}
    for task in tasks:
        if task.cell and not task.as_images:
            sets.setdefault(_set(task.name), {})[task.cell] = task.name
    found = []
    for name, cells in sets.items():
        run = {cell: _value(scores[task]["result"]) for cell, task in cells.items() if task in scores}
        if not run or len(cells) == 1:
            continue
        means = macro(run)
        lacking = tuple(cell for cell in cells if cell not in run)
        partial = tuple(cell for cell in run if not is_whole(scores[cells[cell]]))
        found.append(Overall(name, means.pop(OVERALL), means, lacking, partial))
    return found


def is_whole(entry: Mapping[str, Any]) -> bool:
    """Whether every question of a task was asked and answered, and judged where a judge is needed."""
    record, waiting = entry["record"], entry["result"]["not_scored"]
    return record["n"] == record["n_total"] and not any(map(waiting.get, (NOT_JUDGED, JUDGE_FAILED, NO_ANSWER)))


def _set(name: str) -> str:
    return name.partition(":")[0]


def _value(result: Mapping[str, Any]) -> float | None:
    return share(result["official"]["value"], result["top"])

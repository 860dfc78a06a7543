"""What a command is about: tasks by their names, changed as its options say, with their data and given answers.

What belongs here: names to tasks, tasks to rows, and every fault in them that a user can mend. What does not: asking
and scoring (`commands.py`).
"""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from datasets import Dataset

from chalkbench import answers, results
from chalkbench.benchmarks.layout import Layout, MissingMedia, check_rows, missing_media
from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence, condition
from chalkbench.rules import rule_of
from chalkbench.scoring.outcome import PROTOCOLS
from chalkbench.task import OptionOrder, Task
from chalkbench.tasks import all_tasks, prompts
from chalkbench.tasks.binding import item_of
from chalkbench.tasks.data import data_places, describe_missing, find_layouts, layout_of, rows_of, task_rows
from chalkbench.tasks.prepared import reordered

_SHOWN = 3


@dataclass(frozen=True)
class Asked:
    """A task with its data. remarks: what a reader of its score must know."""

    task: Task
    layout: Layout
    rows: Dataset
    remarks: tuple[str, ...]


def chosen(names: str) -> list[Task]:
    """The tasks of a list of names joined with commas; a name before a colon means all its tasks.

    Raises ChalkbenchError that names similar tasks.
    """
    known = {task.name: task for task in all_tasks()}
    sets = dict.fromkeys(name.partition(":")[0] for name in known)
    found: dict[str, Task] = {}
    for name in names.split(","):
        bare, _, shots = name.strip().partition("|")
        if shots not in ("", "0"):
            raise ChalkbenchError(f"{name}: no task takes few-shot examples; write {bare}")
        of_name = [task for task in known if task == bare or task.startswith(f"{bare}:")]
        if not bare or not of_name:
            close = difflib.get_close_matches(bare, known, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(sets)}"
            raise ChalkbenchError(f"no task {bare!r}: {hint} (`chalkbench tasks` lists them)")
        found |= {task: known[task] for task in of_name}
    return list(found.values())


def shown(task: Task, *, frames: str | None, size: str | None, evidence: str, option_order: str | None) -> Task:
    """The task under a named condition, with other frames or another order of the options.

    size: longest side in pixels, or `own` for the video's own size. Raises ChalkbenchError for what does not exist.
    """

    def changed(given: Evidence) -> Evidence:
        if frames is not None and given.sees:  # a blind task stays blind
            given = replace(given, frames=f"uniform:{frames}" if frames.isdecimal() else frames)
        if size is not None:
            own = size == "own"
            given = replace(given, size=None if own else _pixels(size), stretch=given.stretch and not own)
        return given

    if option_order is not None:
        orders = [order for order in get_args(OptionOrder) if order != "as_answered"]
        if option_order not in orders:
            raise ChalkbenchError(f"--option-order {option_order}: expected one of {', '.join(orders)}")
        task = replace(task, option_order=option_order)
    try:
        if evidence != "default":
            task = replace(task.given(condition(evidence, task.evidence)), deaf=None)  # what was named is meant
        return task.given(changed(task.evidence))
    except ValueError as error:
        raise ChalkbenchError(str(error)) from error


def _pixels(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ChalkbenchError(f"--size {text}: expected a number of pixels, or own")
    return int(text)


def read_as(tasks: Sequence[Task], variant: str | None) -> list[Task]:
    """The tasks under a named variant of their rules; those whose rule does not have it keep their own.

    Raises ChalkbenchError if none has it.
    """
    if variant is None:
        return list(tasks)
    known = {task.name: rule_of(task).variants for task in tasks}
    if not any(variant in names for names in known.values()):
        there = "; ".join(f"{name}: {', '.join(names) or 'none'}" for name, names in known.items())
        raise ChalkbenchError(f"--variant {variant}: no rule of these tasks has it ({there})")
    return [replace(task, variant=variant) if variant in known[task.name] else task for task in tasks]


def as_answered(task: Task, given: Iterable[answers.Given]) -> Task:
    """The task with its options in the released order, or in the one that the answers name."""
    return replace(task, option_order="as_answered" if any(one.order for one in given) else "as_released")


def chosen_groupings(by: str, tasks: Iterable[Task]) -> list[str]:
    """The names of groupings in `by`. Raises ChalkbenchError if no task has one of them."""
    known = list(dict.fromkeys(name for task in tasks for name, _ in task.groupings))
    wanted = [name.strip() for name in by.split(",") if name.strip()]
    for name in wanted:
        if name not in known:
            raise ChalkbenchError(f"--by {name}: these tasks can be grouped by {', '.join(known)}")
    return wanted


def check_protocol(protocol: str) -> None:
    """Raises ChalkbenchError for an unknown protocol."""
    if protocol not in PROTOCOLS:
        raise ChalkbenchError(f"--protocol {protocol}: expected one of {', '.join(PROTOCOLS)}")


def with_data(tasks: Iterable[Task], data: Sequence[Path] | None, *, media: bool = True) -> list[Asked]:
    """The tasks with their layouts and checked rows.

    media: whether it matters that videos are there. Raises ChalkbenchError if data are missing or damaged.
    """
    places = [str(place) for place in data] if data else data_places()
    layouts = find_layouts(places)
    return [_with_rows(task, layout_of(task, layouts, places=places), media=media) for task in tasks]


def for_model(asked: Asked, *, name: str, hears: bool) -> Asked:
    """A task with its data as a model is asked it; rows that do not hang on the model stay as they are."""
    task = asked.task.asked(name, hears=hears)
    if task == replace(asked.task, asked_of=name) and task.option_order == "as_released":
        return replace(asked, task=task)
    return _with_rows(task, asked.layout, media=True)


def _with_rows(task: Task, layout: Layout, *, media: bool) -> Asked:
    rows = task_rows(task, layout)
    faults = [
        problem for problem in check_rows(rows, layout.root, task.hidden) if not isinstance(problem, MissingMedia)
    ]
    if faults:
        first = "; ".join(map(str, faults[:_SHOWN]))
        raise ChalkbenchError(
            f"{layout.root}: {len(faults)} faults in {task.config}/{task.split}: {first}. "
            f"`chalkbench check {layout.root}` lists them all; build the layout again"
        )
    remarks = []
    if (left_out := rows_of(task, layout) - len(rows)) > 0:
        remarks.append(f"{left_out} of {len(rows) + left_out} questions are no part of this task, and are not asked")
    if media and task.needs_media and (missing := missing_media(layout, rows)):
        remarks.append(describe_missing(missing, rows, layout.root))
    without = sum(not cues for cues in rows["subtitles"]) if task.evidence.subtitles else 0
    if without:
        remarks.append(f"{without} of {len(rows)} questions have no subtitles; they are asked without")
    return Asked(task, layout, rows, tuple(remarks))


def first(rows: Dataset, limit: int | None) -> Dataset:
    """The first so many rows, None = all."""
    return rows if limit is None else rows.select(range(min(limit, len(rows))))


def matched(asked: Asked, given: Sequence[answers.Given], *, where: str) -> tuple[list[results.Item], list[str]]:
    """The task's questions with the answers of a file, and remarks on what did not fit."""
    rows = {row["id"]: row for row in asked.rows}
    settled, remarks = answers.match(given, {id: row["options"] for id, row in rows.items()}, where=where)
    shown_as = {id: reordered(rows[id], settled[id].order) for id in rows}
    docs = [prompts.doc(row, task=asked.task, root=asked.layout.root) for row in shown_as.values()]
    items = [
        replace(item, reply=found.reply, status=found.status, rule=found.rule)
        for item, found in ((item, settled[item.id]) for item in (item_of(doc, None) for doc in docs))
    ]
    return items, remarks

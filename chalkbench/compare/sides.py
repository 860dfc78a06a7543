"""What is compared: the tasks of several results that ask the same questions, put side by side.

What belongs here: matching tasks, names for the sides, what a reader must know of their differences. What does not:
reading results (`outcomes.py`), and comparing them (`comparing.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chalkbench import outcomes
from chalkbench.errors import ChalkbenchError
from chalkbench.outcomes import Item, Results
from chalkbench.tasks import all_tasks
from chalkbench.tasks.data import data_places, find_layouts

# of a record: what two results should have in common, or a reader must know
_ALIKE = {"release": "release", "rule": "rule", "judge": "judge", "n": "questions asked"}


@dataclass(frozen=True)
class Unit:
    """One task, or two conditions of it, put side by side: {side: its own task}, {side: {id: item}}."""

    name: str
    tasks: Mapping[str, str]
    entries: Mapping[str, Mapping[str, Any]]
    items: Mapping[str, Mapping[str, Item]] = field(repr=False)


def names(found: Sequence[Results]) -> list[str]:
    """The shortest names that tell the sides apart: models, tasks, both, or what the user wrote."""
    models, tasks = [one.model for one in found], [one.wanted for one in found]
    both = [f"{model} {task}".strip() for model, task in zip(models, tasks, strict=True)]
    folders = [f"{name} ({one.path.name})" for name, one in zip(both, found, strict=True)]
    for candidates in (models, tasks, both, folders, [one.name for one in found]):
        if len(set(candidates)) == len(candidates) and all(candidates):
            return candidates
    raise ChalkbenchError(f"{', '.join(one.name for one in found)}: the same results are named twice")


def units(found: Mapping[str, Results], data: Sequence[Path] | None, remarks: list[str]) -> list[Unit]:
    """The tasks that the sides ({name: results}) have in common, with their items.

    data: layouts, None = those that are found. remarks: takes what a reader must know. Raises ChalkbenchError for
    results that cannot be compared.
    """
    places = {(one.path.resolve(), one.wanted) for one in found.values()}
    if len(places) < len(found):
        raise ChalkbenchError(f"{', '.join(one.name for one in found.values())}: the same results are named twice")
    layouts = _layouts(data)
    known = {task.name: task for task in all_tasks()}
    made = []
    for part, tasks in _matched(found, remarks):
        entries = {name: found[name].entries[task] for name, task in tasks.items()}
        name = _check(tasks, entries, part, remarks)
        items = {}
        for side, task in tasks.items():
            rows = outcomes.rows_of(entries[side], layouts)
            items[side] = outcomes.with_rows(outcomes.read_items(found[side], task), rows, known.get(task))
        made.append(Unit(name, tasks, entries, items))
    if not layouts:
        remarks.append(
            "no layout is here (--data), so nothing is grouped by duration and place of the evidence but what the "
            "answers say"
        )
    return made


def _layouts(data: Sequence[Path] | None) -> Mapping[str, Any]:
    try:
        return find_layouts(data or data_places())
    except ChalkbenchError:
        if data:
            raise
        return {}


def _matched(found: Mapping[str, Results], remarks: list[str]) -> list[tuple[str, dict[str, str]]]:
    """For each task that is compared its part of the set, and {side: its own task}."""
    named = {one.wanted for one in found.values() if one.wanted}
    if not named:
        first, *others = found.values()
        common = [task for task in first.entries if all(task in one.entries for one in others)]
        if not common:
            held = "; ".join(f"{one.name}: {', '.join(one.entries)}" for one in found.values())
            raise ChalkbenchError(
                f"no task is in all of these results ({held}): name two with FOLDER:TASK FOLDER:TASK"
            )
        alone = sorted({task for one in found.values() for task in one.entries} - set(common))
        if alone:
            remarks.append(f"not in all results, and left out: {', '.join(alone)}")
        shown = [task for task in common if not _is_hidden(found, task)]
        if not shown:
            raise ChalkbenchError(f"{', '.join(common)}: the right answers are hidden, so nothing can be compared")
        if len(shown) < len(common):
            remarks.append(f"left out, as their answers are hidden: {', '.join(sorted(set(common) - set(shown)))}")
        return [("", dict.fromkeys(found, task)) for task in shown]
    lacking = [one.name for one in found.values() if not one.wanted]
    if lacking and len(named) > 1:
        raise ChalkbenchError(f"{', '.join(lacking)}: name its task as well, FOLDER:TASK, or name none")
    parts = {name: _parts(one, one.wanted or next(iter(named))) for name, one in found.items()}
    first, *others = parts.values()
    common = [part for part in first if all(part in other for other in others)]
    if not common:
        raise ChalkbenchError(f"{', '.join(sorted(named))}: these have no task in common")
    tasks = [(key, {name: part[key] for name, part in parts.items()}) for key in common]
    if hidden := next((task for _, one in tasks for task in one.values() if _is_hidden(found, task)), None):
        raise ChalkbenchError(f"{hidden}: the right answers are hidden, so nothing can be compared")
    return tasks


def _parts(one: Results, wanted: str) -> dict[str, str]:
    """{part of a set, "" of a single task: the task}."""
    if wanted in one.entries:
        return {"": wanted}
    parts = {task.removeprefix(f"{wanted}:"): task for task in one.entries if task.startswith(f"{wanted}:")}
    if not parts:
        raise ChalkbenchError(f"{one.path} has no task {wanted}: it holds {', '.join(one.entries)}")
    return parts


def _is_hidden(found: Mapping[str, Results], task: str) -> bool:
    return any("n_chosen" in one.entries[task]["result"] for one in found.values() if one.entries.get(task))


def _check(
    tasks: Mapping[str, str],
    entries: Mapping[str, Mapping[str, Any]],
    part: str,
    remarks: list[str],
) -> str:
    """The name of what is compared. Raises ChalkbenchError if these are not the same questions."""
    records = {name: entry["record"] for name, entry in entries.items() if entry}
    asked = {(record["benchmark"], record["split"]) for record in records.values()}
    if len(asked) > 1:
        shown = ", ".join(f"{tasks[name]}: {one['benchmark']} {one['split']}" for name, one in records.items())
        raise ChalkbenchError(f"these are not the same questions ({shown}): compare tasks of one benchmark and split")
    own = list(dict.fromkeys(tasks.values()))
    name = own[0]
    if len(own) > 1:
        benchmark = asked.pop()[0] if asked else " / ".join(own)
        name = f"{benchmark}:{part}" if part else benchmark
    for key, words in _ALIKE.items():
        values = {side: _short(record[key]) for side, record in records.items()}
        if len(set(values.values())) > 1:
            remarks.append(f"{name}: not the same {words}: " + ", ".join(f"{k} {v}" for k, v in values.items()))
    given = {side: record["evidence_name"] for side, record in records.items()}
    if len(own) == 1 and len(set(given.values())) > 1:
        remarks.append(f"{name}: not the same evidence: " + ", ".join(f"{k} {v}" for k, v in given.items()))
    return name


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value.get("judge"))
    text = str(value)
    return text[:12] if len(text) >= 40 else text

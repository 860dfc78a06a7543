"""What the commands of `cli.py` do: tasks and data are looked up, a model is asked, results are written and shown.

With `cli.py` the only room of chalkbench that knows the tasks.
"""

import difflib
import hashlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from datasets import Dataset
from rich.table import Table
from rich.text import Text

from chalkbench import answers, results, run, table
from chalkbench.benchmarks.layout import Layout, MissingMedia, check_rows, missing_media
from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence, condition
from chalkbench.overall import overall
from chalkbench.rules import asks_a_judge, rule_of
from chalkbench.scoring.outcome import DECODE_ERROR, JUDGE_FAILED, MEDIA_MISSING, PROTOCOLS
from chalkbench.task import OptionOrder, Task
from chalkbench.tasks import all_tasks, prompts
from chalkbench.tasks.binding import item_of
from chalkbench.tasks.config import lighteval_config
from chalkbench.tasks.data import data_places, describe_missing, find_layouts, layout_of, task_rows
from chalkbench.tasks.prepared import reordered

_SHOWN = 3
_LOST = (MEDIA_MISSING, DECODE_ERROR, JUDGE_FAILED)


@dataclass(frozen=True)
class Asked:
    """A task with its data. remarks: what a reader of its score must know."""

    task: Task
    layout: Layout
    rows: Dataset
    remarks: tuple[str, ...]


@run.quiet()
def evaluate(
    model: str,
    tasks: str,
    *,
    data: Sequence[Path] | None,
    output: Path | None,
    frames: str | None,
    size: str | None,
    option_order: str | None,
    variant: str | None,
    evidence: str,
    limit: int | None,
    protocol: str,
    judge: str | None,
    judge_tokens: int | None,
    by: str,
    settings: dict[str, Any],
) -> bool:
    """Asks a model the questions of some tasks, writes the results and shows them; returns `complete`."""
    from chalkbench.models import load_model, read_name

    if "?" in model and not Path(model).exists():  # what a model is shown is the task's, and stands in the signature
        _, named, _ = read_name(model)
        frames, size = frames or named.get("frames"), size or (str(named["size"]) if "size" in named else None)
    wanted = [
        shown(task, frames=frames, size=size, evidence=evidence, option_order=option_order)
        for task in read_as(chosen(tasks), variant)
    ]
    for task in wanted:
        if task.as_images:
            raise ChalkbenchError(f"{task.name} is for `lighteval accelerate --vision-model`: take {_instead(task)}")
    groupings = chosen_groupings(by, wanted)
    check_protocol(protocol)
    with_data(wanted, data)  # what is wrong there is to be told before a model is loaded
    output = output or Path("runs") / folder_name(model)
    run.check_output(output)
    opened = open_judge(judge, wanted, cache=output / "journal", max_tokens=judge_tokens)
    loaded = load_model(model, journal=output / "journal" / "answers.jsonl", **settings)
    backend = loaded.backend
    asked = with_data([task.asked(backend.name, hears=backend.hears) for task in wanted], data)
    for one in asked:
        for remark in one.remarks:
            print(f"warning: {one.task.name}: {remark}", file=sys.stderr)
    configs = [lighteval_config(one.task, one.layout, protocol=protocol, judge=opened) for one in asked]
    answered = run.ask(loaded, configs, output=output, limit=limit)
    entries = {
        one.task.name: run.entry(
            done,
            layout=one.layout,
            n_total=len(one.rows),
            remarks=[*one.remarks, *unjudged(done, output=output)],
            protocol=protocol,
            model=loaded.backend.name,
            fingerprint=loaded.backend.fingerprint,
            settings={
                "batch": settings["batch_size"],
                "new_tokens": settings["max_new_tokens"] or one.task.max_new_tokens,
                **loaded.config.settings,
            },
        )
        for one, done in zip(asked, answered, strict=True)
    }
    submissions = run.write(output, entries, answered)
    show(entries, title=loaded.backend.name, by=groupings)
    for path in submissions:
        print(f"submission file for the official scorer: {path}")
    print(f"results: {output / run.SCORES}")
    return complete(entries)


@run.quiet()
def score_file(
    path: Path,
    tasks: str,
    *,
    data: Sequence[Path] | None,
    output: Path | None,
    name: str,
    protocol: str,
    variant: str | None,
    judge: str | None,
    judge_tokens: int | None,
    by: str,
) -> bool:
    """Scores the answers of a file on one task or several, and shows the results; returns `complete`."""
    wanted = read_as(chosen(tasks), variant)
    groupings = chosen_groupings(by, wanted)
    check_protocol(protocol)
    given = answers.read_answers(path)
    opened = open_judge(
        judge,
        wanted,
        cache=output / "journal" if output else path.with_name(f"{path.stem}.judge.jsonl"),
        max_tokens=judge_tokens,
    )
    if output:
        run.check_output(output)
    entries, scored = {}, []
    for one in with_data([as_answered(task, given) for task in wanted], data, media=False):
        items, remarks = matched(one, given, where=str(path))
        result = results.score(items, task=one.task, protocol=protocol, judge=opened)
        done = run.Answered(one.task, items, result)
        scored.append(done)
        entries[one.task.name] = run.entry(
            done,
            layout=one.layout,
            n_total=len(one.rows),
            remarks=[*one.remarks, *remarks, *unjudged(done, output=output)],
            protocol=protocol,
            model=name,
            fingerprint="",
        )
    submissions = []
    if output:
        submissions = run.write(output, entries, scored)
    elif any(one.task.hidden for one in scored):
        raise ChalkbenchError("answers to a hidden split become a submission file: say with --output where to")
    show(entries, title=name, by=groupings)
    for submission in submissions:
        print(f"submission file for the official scorer: {submission}")
    return complete(entries)


def list_tasks(data: Sequence[Path] | None) -> None:
    """Shows all tasks, and where their data are."""
    try:
        layouts = find_layouts(data or data_places())
    except ChalkbenchError:
        if data:
            raise
        layouts = {}
    listed = Table("Task", "Evidence", "Rule", "Data", "", title_justify="left")
    for task in all_tasks():
        layout = layouts.get(task.benchmark)
        here = str(layout.root) + (" (sample)" if layout.sample else "") if layout else "-"
        listed.add_row(*map(Text, (task.name, str(task.evidence), task.rule, here, task.about)))
    table.console().print(listed)


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
            task = task.given(condition(evidence, task.evidence))
        deaf = task.deaf and replace(task.deaf, evidence=changed(task.deaf.evidence))
        given = changed(task.evidence)
    except ValueError as error:
        raise ChalkbenchError(str(error)) from error
    return task if given == task.evidence else replace(task.given(given), deaf=deaf)


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
    asked = []
    for task in tasks:
        layout = layout_of(task, layouts, places=places)
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
        if media and task.needs_media and (missing := missing_media(layout, rows)):
            remarks.append(describe_missing(missing, rows, layout.root))
        without = sum(not cues for cues in rows["subtitles"]) if task.evidence.subtitles else 0
        if without:
            remarks.append(f"{without} of {len(rows)} questions have no subtitles; they are asked without")
        asked.append(Asked(task, layout, rows, tuple(remarks)))
    return asked


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


def open_judge(name: str | None, tasks: Iterable[Task], *, cache: Path | None, max_tokens: int | None) -> Any:
    """The judge of that name, None if none is named or needed."""
    if name is None or not any(map(asks_a_judge, tasks)):
        return None
    from chalkbench.judge import open_judge as opened

    return opened(name, cache=cache, max_tokens=max_tokens)


def unjudged(done: run.Answered, *, output: Path | None) -> list[str]:
    """How to judge afterwards what nobody judged yet."""
    waiting = done.result["not_scored"].get("not_judged", 0)
    if not waiting:
        return []
    name = done.task.name
    kept = f"{output}/answers/{name.replace(':', '-')}.jsonl" if output else "ANSWERS.jsonl"
    return [
        f"{waiting} answers are kept and wait for a judge: chalkbench score {kept} {name} --judge MODEL "
        "(--judge stand_in tries it out without a model)"
    ]


def show(entries: dict[str, Any], *, title: str, by: Iterable[str]) -> None:
    """Prints the tables."""
    table.print_scores(entries, overall(entries, all_tasks()), title=title, by=by, console=table.console())


def complete(entries: dict[str, Any]) -> bool:
    """Whether every question could be asked, and judged if a judge was named; says on stderr if not."""
    whole = True
    for name, entry in entries.items():
        result = entry["result"]
        lost = {reason: count for reason, count in result["not_scored"].items() if reason in _LOST and count}
        if lost:
            whole = False
            print(
                f"chalkbench: {name}: {sum(lost.values())} of {result['n']} questions could not be asked or judged "
                f"({table.reasons(lost)}); the others are scored. Mend that and run the same command again",
                file=sys.stderr,
            )
    return whole


def folder_name(model: str) -> str:
    """A folder's name for a model: a Hub id with its slash replaced, the last part of a local path.

    Settings behind the name become a hash: they may hold paths.
    """
    spec, mark, settings = model.partition("?")
    name = Path(spec).name if Path(spec).exists() else spec
    name = name.replace("/", "__").replace(":", "-")
    return f"{name}-{hashlib.sha256(settings.encode()).hexdigest()[:8]}" if mark else name


def _instead(task: Task) -> str:
    return "mmou_vision_only" if task.benchmark == "mmou" else task.name.replace("_as_images", "")

"""What the commands `eval`, `score` and `tasks` do: a model is asked, answers are scored, results written and shown.

What belongs here: the order of the steps. What does not: which tasks a command is about, and their data
(`selection.py`).
"""

import hashlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from chalkbench import answers, results, run, table
from chalkbench.errors import ChalkbenchError
from chalkbench.overall import overall
from chalkbench.rules import asks_a_judge
from chalkbench.scoring.outcome import DECODE_ERROR, JUDGE_FAILED, MEDIA_MISSING, MEDIA_NOT_RECEIVED
from chalkbench.selection import (
    as_answered,
    check_protocol,
    chosen,
    chosen_groupings,
    first,
    for_model,
    matched,
    read_as,
    shown,
    with_data,
)
from chalkbench.task import Task
from chalkbench.tasks import all_tasks
from chalkbench.tasks.config import lighteval_config
from chalkbench.tasks.data import data_places, find_layouts

_LOST = (MEDIA_MISSING, MEDIA_NOT_RECEIVED, DECODE_ERROR, JUDGE_FAILED)


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
    ready = with_data(wanted, data)  # what is wrong there is to be told before a model is loaded
    output = output or Path("runs") / folder_name(model)
    run.check_output(output)
    opened = open_judge(judge, wanted, cache=output / "journal", max_tokens=judge_tokens)
    loaded = load_model(model, journal=output / "journal" / "answers.jsonl", **settings)
    backend = loaded.backend
    asked = [for_model(one, name=backend.name, hears=backend.hears) for one in ready]
    for one in asked:
        for remark in one.remarks:
            print(f"warning: {one.task.name}: {remark}", file=sys.stderr)
    configs = [
        # the first ones: lighteval would draw a limit at random, and tear conversations
        lighteval_config(one.task, one.layout, rows=first(one.rows, limit), protocol=protocol, judge=opened)
        for one in asked
    ]
    answered = run.ask(loaded, configs, output=output)
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
        orders = unordered(wanted, one.task)
        result = results.score(items, task=one.task, protocol=protocol, judge=opened)
        done = run.Answered(one.task, items, result)
        scored.append(done)
        entries[one.task.name] = run.entry(
            done,
            layout=one.layout,
            n_total=len(one.rows),
            remarks=[*one.remarks, *remarks, *orders, *unjudged(done, output=output)],
            protocol=protocol,
            model=name,
            fingerprint="",
            elsewhere=True,
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


def unordered(wanted: Iterable[Task], read: Task) -> list[str]:
    """What to know of answers to a task that shuffles its options, if they do not say in which order these were."""
    shuffles = any(task.name == read.name and task.option_order in ("independent", "balanced") for task in wanted)
    if not shuffles or read.option_order == "as_answered":
        return []
    return [
        "the letters of these answers are taken for the released order of the options. If they were shuffled, as this "
        "task shuffles them, each line must name it: option_order, the released positions in the order shown"
    ]


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

"""Tables: results as they are printed.

A score never stands alone: beside it are its interval, how many of the questions it rests on, why the others are
not scored, and below the table the signature.
"""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chalkbench.overall import Overall, is_whole
from chalkbench.results import share
from chalkbench.task import MICRO

SAMPLE = "SAMPLE, not a result"
OFFICIAL = "*"


def print_scores(
    scores: Mapping[str, Mapping[str, Any]],
    overall: Iterable[Overall] = (),
    *,
    title: str,
    by: Iterable[str],
    console: Console,
) -> None:
    """The table of all tasks, a table for each grouping of `by` that a task has, and the signatures.

    scores: {task: its entry of `scores.json`}. overall: of benchmarks with several tasks, a line below them.
    """
    sample = any(entry["sample"] for entry in scores.values())
    judged = any(entry["record"]["judge"] for entry in scores.values())
    table = Table(title=f"{title} ({SAMPLE})" if sample else title, title_justify="left")
    for column in (
        "Task",
        "Score",
        "95 % interval",
        "Macro",
        "Scored",
        "Not scored",
        *(["Judge"] if judged else []),
    ):
        table.add_column(column, justify="right" if column in ("Score", "95 % interval", "Scored") else "left")
    for name, entry in scores.items():
        table.add_row(*map(Text, _row(name, entry, judged=judged)))
    overall = list(overall)
    if overall:
        table.add_section()
    for one in overall:
        value = percent(one.value) + (OFFICIAL if one.whole else "")
        table.add_row(*map(Text, (one.name if one.whole else f"{one.name} (in part)", value, "-", "", "", "")))
    console.print(table)
    for one in overall:
        console.print(_of_cells(one), highlight=False, markup=False, soft_wrap=True)
    console.print(f"{OFFICIAL} the benchmark's own score. {_unit(scores)}", highlight=False)
    for grouping in by:
        for name, entry in scores.items():
            if grouping in entry["result"].get("groupings", {}):
                console.print(_group_table(name, grouping, entry["result"], sample=entry["sample"]))
    for name, entry in scores.items():
        for remark in [*_denominator(entry["result"]), *_beside(entry["result"]), *entry["remarks"]]:
            console.print(f"{name}: {remark}", highlight=False, markup=False, soft_wrap=True)
    for name, entry in scores.items():
        console.print(f"{name}  {entry['signature']}", highlight=False, markup=False, soft_wrap=True)


def console() -> Console:
    """A console that does not fold tables to 80 columns where the output is a file."""
    # no emoji: `video_mmlu:notebook:` is a task's name
    return Console(emoji=False) if sys.stdout.isatty() else Console(width=160, emoji=False)


def percent(value: float | None) -> str:
    """A share in percent with two decimals; `-` for none."""
    return "-" if value is None else f"{100 * value:.2f}"


def score_of(result: Mapping[str, Any]) -> str:
    """A result's score in percent of the highest one; in points where there is no highest one."""
    value, top = result[result["main"]], result["top"]
    return f"{value:.2f} pt" if value is not None and top is None else percent(share(value, top))


def _of_cells(overall: Overall) -> str:
    outer = {name: value for name, value in overall.cells.items() if "/" not in name}
    parts = ", ".join(f"{name} {percent(value)}" for name, value in outer.items() if value is not None)
    lacking = [name for name, value in outer.items() if value is None]
    text = f"{overall.name}: the mean of {parts or 'nothing'}"
    text += f"; without a score, and left out: {', '.join(lacking)}" if lacking else ""
    text += f"; not all asked and judged, so no whole result: {', '.join(overall.partial)}" if overall.partial else ""
    return text + (f"; not run, so no whole result: {', '.join(overall.lacking)}" if overall.lacking else "")


def _unit(scores: Mapping[str, Mapping[str, Any]]) -> str:
    graded = [name for name, entry in scores.items() if entry["result"].get("main") == "score"]
    if not graded:
        return "In percent."
    return f"In percent; of {', '.join(graded)} in percent of the highest grade."


def interval(bounds: Iterable[float] | None) -> str:
    """The bounds in percent."""
    return "-" if bounds is None else "{} - {}".format(*map(percent, bounds))


def reasons(not_scored: Mapping[str, int]) -> str:
    """`unparsed 3, media_missing 1`; the reasons that occurred."""
    return ", ".join(f"{name} {count}" for name, count in not_scored.items() if count)


def _row(name: str, entry: Mapping[str, Any], *, judged: bool) -> list[str]:
    result = entry["result"]
    if "n_chosen" in result:
        scored, accuracy, bounds, macro = f"{result['n_chosen']} chosen / {result['n']}", "hidden", "-", "-"
    else:
        scored = f"{result['n_scored']} / {result['n']}"
        official = entry["record"]["official"] if is_whole(entry) else ""
        accuracy = score_of(result) + (OFFICIAL if official == MICRO else "")
        bounds = interval(result["interval"])
        macro = _macro(result, official)
    shown = [name, accuracy, bounds, macro, scored, reasons(result["not_scored"])]
    return [*shown, (entry["record"]["judge"] or {}).get("judge", "-")] if judged else shown


def _macro(result: Mapping[str, Any], official: str) -> str:
    """The mean over the groups of the official grouping, else of the first one."""
    groupings = result["groupings"]
    grouped = (name for name, grouping in groupings.items() if grouping["by_group"])
    name = official if official and official != MICRO else next(grouped, None)
    if name is None:
        return "-"
    value = score_of({**result, result["main"]: groupings[name]["macro"]})
    return f"{value}{OFFICIAL if official == name else ''} ({name})"


def _group_table(name: str, grouping: str, result: Mapping[str, Any], *, sample: bool) -> Table:
    title = f"{name} by {grouping}" + (f" ({SAMPLE})" if sample else "")
    table = Table(title=title, title_justify="left")
    for column in (grouping.capitalize(), "Score", "95 % interval", "Scored", "Not scored"):
        table.add_column(column, justify="right" if column in ("Score", "95 % interval", "Scored") else "left")
    for group, part in result["groupings"][grouping]["by_group"].items():
        table.add_row(
            Text(group),  # not markup: it comes from the data
            score_of({**result, **part}),
            interval(part["interval"]),
            f"{part['n_scored']} / {part['n']}",
            reasons(part["not_scored"]),
        )
    table.add_section()
    mean = score_of({**result, result["main"]: result["groupings"][grouping]["macro"]})
    table.add_row("mean of groups", mean, "", "", "")
    return table


# of a result, what the table shows already
_SHOWN = {"accuracy", "score", "n", "n_scored", "n_counted", "top"}


def _beside(result: Mapping[str, Any]) -> list[str]:
    """What the rule reports beside its score, as it reports it."""
    numbers = {name: value for name, value in result.items() if isinstance(value, float) and name not in _SHOWN}
    return [", ".join(f"{name} {value:.4g}" for name, value in numbers.items())] if numbers else []


def _denominator(result: Mapping[str, Any]) -> list[str]:
    """What the accuracy is taken over, in words."""
    return [result["denominator"]] if "denominator" in result else []

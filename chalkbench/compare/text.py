"""A comparison as it is written: tables and notes, for a terminal, as Markdown and as JSON.

What belongs here: which columns there are and how numbers look. What does not: the numbers (`comparing.py`).
"""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from chalkbench.agreement import Labels
from chalkbench.compare.comparing import Changed, Comparison, Power
from chalkbench.outcomes import Measured
from chalkbench.report import markdown
from chalkbench.stats import MIN_CHANGED, MIN_ITEMS, Bounds, Correlation, Detectable, Paired
from chalkbench.table import SAMPLE, percent, reasons

NONE = "-"
_LONGEST = 300  # characters of a question or a reply


@dataclass(frozen=True)
class Table:
    """A table as text. left: how many columns name the row, and are aligned left."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 2


def tables(comparison: Comparison) -> list[Table]:
    """All tables that have a line."""
    made = [_tests(comparison), *_grouped(comparison), _powers(comparison), _shared(comparison)]
    made += [_labels(comparison), _given(comparison), _correlations(comparison)]
    return [table for table in made if table.rows]


def notes(comparison: Comparison) -> list[str]:
    """What a reader of the tables must know."""
    tests = {one.test: None for one in (*comparison.tests, *comparison.groups) if one.p is not None}
    families = {one.family: one.n_tests for one in (*comparison.tests, *comparison.groups) if one.family}
    said = [
        "In percent; of graded tasks in percent of the highest grade. Only questions that both sides have a value for "
        f"count ({comparison.protocol}: {_PROTOCOLS[comparison.protocol]}). Difference: second minus first, with its "
        "95 % interval. b, c: questions that only the first, only the second has right (or graded higher).",
        f"p: {', '.join(_TESTS[test] for test in tests) or 'no test could be made'}.",
        *(
            [f"Adjusted by Holm over {', '.join(f'{n} ({name})' for name, n in families.items())} tests."]
            if families
            else []
        ),
        f"n < {MIN_ITEMS}: too few questions for an interval. b + c < {MIN_CHANGED[comparison.test]}: too few changed "
        "questions for a p-value.",
    ]
    lacking = [
        f"{side.task}, {side.side}: {what}, {measured.why}"
        for side in comparison.sides
        for what, measured in (("seconds", side.seconds), ("tokens per frame", side.tokens_per_frame))
        if measured.why and measured.n_measured
    ]
    if not any(side.seconds.n_measured for side in comparison.sides):
        lacking.append("seconds a question are not shown: no answer says how long it took")
    if not any(side.tokens_per_frame.n_measured for side in comparison.sides):
        lacking.append("visual tokens a frame are not shown: no answer says them")
    return [*said, *comparison.remarks, *lacking]


_PROTOCOLS = {
    "strict": "unparsed replies and the model's failures are wrong",
    "answered": "unparsed replies and the model's failures are left out",
}
_TESTS = {
    "exact": "McNemar's exact test",
    "chi2": "McNemar's chi-square test",
    "chi2_corrected": "McNemar's chi-square test with Edwards' correction",
    "sign_flip": "of graded values, the signs of the differences flipped",
}


def _title(text: str, comparison: Comparison) -> str:
    return f"{text} ({SAMPLE})" if comparison.sample else text


def _pair(first: str, second: str) -> str:
    return f"{first} → {second}"


def _tests(comparison: Comparison) -> Table:
    return Table(
        _title(f"Compared on the same questions: {', '.join(comparison.names)}", comparison),
        ("Task", "First → second", *_COLUMNS),
        tuple((one.task, _pair(one.first, one.second), *_cells(one)) for one in comparison.tests),
    )


_COLUMNS = ("In common", "First", "Second", "Difference", "b", "c", "p", "p (Holm)")


def _cells(one: Paired) -> tuple[str, ...]:
    common = f"{one.n} of {one.n + one.left_out}" if one.left_out else str(one.n)
    if not one.n:
        return (common, *[NONE] * 7)
    few = f" [n < {MIN_ITEMS}]" if one.n < MIN_ITEMS else ""
    changed = f"b + c < {MIN_CHANGED[one.test]}"
    return (
        common,
        _with(percent(one.mean_first), one.interval_first),
        _with(percent(one.mean_second), one.interval_second),
        _with(_signed(one.difference), one.interval, signed=True) + few,
        str(one.only_first),
        str(one.only_second),
        changed if one.p is None else _p(one.p),
        _p(one.p_adjusted),
    )


def _with(number: str, bounds: Bounds | None, *, signed: bool = False) -> str:
    if bounds is None:
        return number
    low, high = map(_signed if signed else percent, bounds)
    return f"{number} ({low} to {high})"


def _signed(value: float | None) -> str:
    return NONE if value is None else f"{100 * value:+.2f}"


def _p(value: float | None) -> str:
    if value is None:
        return NONE
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _grouped(comparison: Comparison) -> Iterator[Table]:
    for whole in comparison.tests:
        key = whole.task, whole.first, whole.second
        rows = [one for one in comparison.groups if (one.task, one.first, one.second) == key]
        yield Table(
            _title(f"{whole.task} by group: {_pair(whole.first, whole.second)}", comparison),
            ("Grouping", "Group", *_COLUMNS),
            tuple((one.grouping, one.group, *_cells(one)) for one in rows),
        )


def _powers(comparison: Comparison) -> Table:
    return Table(
        "The smallest difference that such a sample shows (power 80 %, two-sided, 5 %), in points",
        ("Task", "First → second", "In common", "Paired", "Unpaired"),
        tuple(_power_row(one) for one in comparison.powers),
    )


def _power_row(one: Power) -> tuple[str, ...]:
    found = map(_points, (one.paired, one.unpaired))
    return (one.task, _pair(one.first, one.second), str(one.paired.n), *found)


def _points(found: Detectable) -> str:
    return found.why if found.difference is None else f"{100 * found.difference:.1f}"


def _shared(comparison: Comparison) -> Table:
    rows = []
    for task, one in comparison.shared:
        if not one.n and not one.why.startswith("question"):
            continue
        expected = one.why if one.expected is None else percent(one.expected)
        rows.append(
            (
                *(task, _pair(one.first, one.second), str(one.n), str(one.same), percent(one.share)),
                *(expected, percent(one.by_chance), _p(one.p)),
            )
        )
    headings = ("Task", "First → second", "Both wrong", "Same option", "Share", "Permuted", "By chance", "p")
    return Table("Shared errors: questions where both chose a wrong option, and the same one", headings, tuple(rows))


def _labels(comparison: Comparison) -> Table:
    rows = []
    for side in comparison.sides:
        if side.labels is None:
            continue
        found: Labels = side.labels
        chi2 = found.why if found.chi2 is None else f"{found.chi2:.2f}"
        rows.append(
            (
                *(side.task, side.side, _counts(found.counts), _counts(found.gold or {})),
                *(str(found.n - found.n_chosen), percent(found.distance), chi2, _p(found.p)),
            )
        )
    headings = ("Task", "Side", "Chosen labels", "Right ones", "None", "Distance", "Chi-square", "p")
    return Table("Labels chosen, as shown, and how far they are from all alike", headings, tuple(rows), left=4)


def _counts(found: Mapping[str, int]) -> str:
    return " ".join(f"{name}{count}" for name, count in found.items()) or NONE


def _given(comparison: Comparison) -> Table:
    return Table(
        "Sides",
        ("Task", "Side", "Model", "Its task", "Answers", "Without a value", "Seconds a question", "Tokens a frame"),
        tuple(
            (
                *(side.task, side.side, side.model, side.own_task, str(side.n), reasons(side.left_out) or NONE),
                *(_measured(side.seconds), _measured(side.tokens_per_frame)),
            )
            for side in comparison.sides
        ),
        left=4,
    )


def _measured(found: Measured) -> str:
    return NONE if found.mean is None else f"{found.mean:.2f}"


def _correlations(comparison: Comparison) -> Table:
    return Table(
        "Correlation of two tasks over the sides",
        ("Task", "Task", "Sides", "Pearson", "p", "Spearman", "p"),
        tuple((a, b, *_correlation(one)) for a, b, one in comparison.correlations),
    )


def _correlation(one: Correlation) -> tuple[str, ...]:
    def number(value: float | None) -> str:
        return NONE if value is None else f"{value:.3f}"

    pearson = number(one.pearson)
    if one.interval is not None:
        pearson += " ({:.3f} to {:.3f})".format(*one.interval)
    return (*(str(one.n), pearson, _p(one.pearson_p), number(one.spearman), one.why or _p(one.spearman_p)),)


def items(comparison: Comparison) -> Iterator[tuple[str, list[str]]]:
    """The changed questions: (heading, lines)."""
    totals = {(one.task, one.first, one.second): one.only_first + one.only_second for one in comparison.tests}
    shown: dict[tuple[str, str, str], list[Changed]] = {}
    for change in comparison.changed:
        shown.setdefault((change.task, change.first, change.second), []).append(change)
    for (task, first, second), changes in shown.items():
        total = totals[task, first, second]
        count = f"{len(changes)} of {total}" if len(changes) < total else str(total)
        yield (
            f"Changed in {task}, {_pair(first, second)}: {count}",
            [line for change in changes for line in _change(change)],
        )


def _change(change: Changed) -> Iterator[str]:
    yield f"{change.id}: {_cut(change.question) or '(question not known: give --data)'}"
    yield f"  right: {_cut(change.gold) or NONE}"
    for place, side in enumerate((change.first, change.second)):
        reply, option = _cut(change.replies[place]), change.options[place]
        said = f"{reply} = {option}" if option and option not in reply else reply
        status = "" if change.statuses[place] == "scored" else f", {change.statuses[place]}"
        yield f"  {side}: {percent(change.values[place])}{status}: {said or '(no reply)'}"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 2] + " …"


def show(comparison: Comparison, console: Console) -> None:
    """Prints a comparison."""
    for table in tables(comparison):
        shown = RichTable(title=Text(table.title), title_justify="left")
        for place, heading in enumerate(table.headings):
            shown.add_column(heading, justify="left" if place < table.left else "right", overflow="fold")
        for row in table.rows:
            shown.add_row(*map(Text, row))  # not markup: names come from the data
        console.print(shown)
    for heading, lines in items(comparison):
        for line in (heading, *(f"  {line}" for line in lines)):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    for note in notes(comparison):
        console.print(note, highlight=False, markup=False, soft_wrap=True)
    for signature in _signatures(comparison):
        console.print("  ".join(signature), highlight=False, markup=False, soft_wrap=True)


def plain_text(comparison: Comparison) -> str:
    """A comparison as the terminal shows it, 160 columns wide."""
    plain = Console(file=io.StringIO(), width=160, emoji=False)
    show(comparison, plain)
    return plain.file.getvalue()


def _signatures(comparison: Comparison) -> Sequence[tuple[str, str]]:
    return list(dict.fromkeys((side.own_task, side.signature) for side in comparison.sides if side.signature))


def markdown_text(comparison: Comparison) -> str:
    """A comparison as Markdown."""
    lines = []
    for table in tables(comparison):
        rows = [[markdown.plain(cell) for cell in row] for row in table.rows]
        lines += [f"## {markdown.plain(table.title)}\n"]
        lines += markdown.table_lines(table.headings, rows, numbers=slice(table.left, None))
        lines.append("")
    for heading, changes in items(comparison):
        lines += [f"## {markdown.plain(heading)}\n"]
        lines += [("  - " if line.startswith(" ") else "- ") + markdown.plain(line) for line in changes]
        lines.append("")
    lines += [f"- {markdown.plain(note)}" for note in notes(comparison)]
    lines += [f"- {markdown.plain(task)}: {markdown.code(signature)}" for task, signature in _signatures(comparison)]
    return "\n".join([*lines, ""])


def json_text(comparison: Comparison) -> str:
    """All of a comparison; shares are 0..1, and texts whole."""
    return json.dumps(asdict(comparison), indent=1, ensure_ascii=False) + "\n"

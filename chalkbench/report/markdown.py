"""The report as Markdown with tables, as a README or an issue takes it.

What belongs here: Markdown. What does not: the tables' numbers (`tables.py`) and how they are written (`figures.py`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from chalkbench.report import figures
from chalkbench.report.tables import BenchmarkTable, Cell, Row
from chalkbench.scoring.aggregate import OVERALL

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def text(tables: Sequence[BenchmarkTable]) -> str:
    """The whole document."""
    return "\n".join([*_lines(tables), ""])


def _lines(tables: Sequence[BenchmarkTable]) -> Iterator[str]:
    yield "# Results\n"
    rows = [
        [*map(plain, lead), *(_cell(_overall(rows.get(table.benchmark))) for table in tables)]
        for lead, rows in figures.overview(tables).items()
    ]
    yield from table_lines(
        ["Model", "Condition", *(plain(table.title) for table in tables)], rows, numbers=slice(2, None)
    )
    yield f"\n{plain(figures.LEGEND)} Bold marks the best."
    for table in tables:
        yield from _benchmark(table)


def _overall(row: Row | None) -> Cell | None:
    return row.cells.get(OVERALL) if row else None


def _benchmark(table: BenchmarkTable) -> Iterator[str]:
    yield f"\n## {plain(table.title)}\n"
    if table.source:
        yield f"The shape of {plain(table.source)}.\n"
    headings = [f"{column.group} {column.heading}".strip() for column in table.columns]
    rows = []
    for row in table.rows:
        name, condition = plain(row.name), plain(figures.condition(row))
        whose = plain(figures.source(row))
        lead = [f"*{name}*", f"*{condition}*", f"*{whose}*"] if row.published else [name, condition, whose]
        rows.append([*lead, *(_cell(row.cells.get(column.key)) for column in table.columns)])
    yield from table_lines(["Model", "Condition", "Source", *map(plain, headings)], rows, numbers=slice(3, None))
    yield "\nWhat the scores rest on:\n"
    rests = [
        [
            *map(plain, (row.name, task.task)),
            figures.value(Cell(task.value)),
            *map(plain, (figures.interval(task) or figures.NONE, figures.asked(task))),
            *map(plain, (figures.reasons(task.not_scored), figures.given(task), figures.judge(task))),
        ]
        for row in table.own
        for task in row.tasks
    ]
    headings = ["Model", "Task", "Mean", "95 % interval", "Scored", "Not scored", "Given", "Judge"]
    yield from table_lines(headings, rests, numbers=slice(2, 5))
    notes = [*table.remarks]
    notes += [
        f"{row.name}, {task.task}: {remark}"
        for row in table.own
        for task in row.tasks
        for remark in filter(None, [figures.beside(task), *task.remarks])
    ]
    if notes:
        yield ""
        yield from (f"- {plain(note)}" for note in notes)
    yield "\nSignatures:\n"
    for row in table.own:
        for task in row.tasks:
            yield f"- {plain(row.name)}, {plain(task.task)}: {code(task.signature)}"


def table_lines(headings: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: slice) -> Iterator[str]:
    """numbers: the columns that are aligned right."""
    right = range(len(headings))[numbers]
    yield f"| {' | '.join(headings)} |"
    yield f"| {' | '.join('---:' if place in right else '---' for place in range(len(headings)))} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _cell(cell: Cell | None) -> str:
    number = plain(figures.value(cell))
    bounds = figures.interval(cell)
    shown = f"**{number}**" if cell is not None and cell.best else number
    return f"{shown} ({bounds})" if bounds else shown


def plain(text: str) -> str:
    """Text from data, with nothing left that Markdown or HTML reads as its own."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(text).split())).replace("\\<", "&lt;").replace("\\>", "&gt;")


def code(text: str) -> str:
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{' '.join(text.split())}{fence}"

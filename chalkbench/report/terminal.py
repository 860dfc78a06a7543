"""The report in a terminal, or as plain text: tables that fit the width, what each score rests on, signatures.

What belongs here: rich tables. What does not: their numbers (`tables.py`) and how they are written (`figures.py`).
"""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chalkbench.report import figures
from chalkbench.report.shapes import Column
from chalkbench.report.tables import BenchmarkTable, Cell, Row
from chalkbench.scoring.aggregate import OVERALL

_CELL = 12  # characters of a column, lines included
_NAMES = 60  # of the columns that name a row


def show(tables: Sequence[BenchmarkTable], console: Console) -> None:
    """Prints the overview, each benchmark's table in as many parts as the width needs, and what the scores rest on.

    Where no bold can be shown, the best number has a `>` before it.
    """
    plain = not console.is_terminal
    console.print(_overview(tables, plain=plain))
    for table in tables:
        for number, columns in enumerate(_parts(table.columns, console.width)):
            title = f"{table.title}: the shape of {table.source}" if table.source else table.title
            console.print(
                _table(table, columns, title=title if not number else f"{table.title}, further", plain=plain)
            )
        console.print(_rests_on(table))
        for remark in table.remarks:
            console.print(f"{table.title}: {remark}", highlight=False, markup=False, soft_wrap=True)
        for row in table.own:
            for task in row.tasks:
                for remark in filter(None, [figures.beside(task), *task.remarks]):
                    console.print(f"{row.name}, {task.task}: {remark}", highlight=False, markup=False, soft_wrap=True)
        for row in table.own:
            for task in row.tasks:
                console.print(f"{task.task}  {task.signature}", highlight=False, markup=False, soft_wrap=True)
    console.print(figures.LEGEND + (" > marks the best." if plain else " Bold marks the best."), highlight=False)


def _overall(row: Row | None) -> Cell | None:
    return row.cells.get(OVERALL) if row else None


def _overview(tables: Sequence[BenchmarkTable], *, plain: bool) -> Table:
    shown = Table("Model", "Condition", title="Overall scores", title_justify="left")
    for table in tables:
        shown.add_column(table.title, justify="right")
    for (name, condition), rows in figures.overview(tables).items():
        cells = [_text(_overall(rows.get(table.benchmark)), plain=plain) for table in tables]
        shown.add_row(Text(name), Text(condition), *cells)
    return shown


def _parts(columns: Sequence[Column], width: int) -> Iterator[Sequence[Column]]:
    fits = max(1, (width - _NAMES) // _CELL)
    for start in range(0, len(columns), fits):
        yield columns[start : start + fits]


def _table(table: BenchmarkTable, columns: Sequence[Column], *, title: str, plain: bool) -> Table:
    shown = Table(title=title, title_justify="left")
    for heading, width in (("Model", 20), ("Condition", 18), ("Source", 14)):
        shown.add_column(heading, overflow="fold", max_width=width)
    for column in columns:
        shown.add_column(
            Text(f"{column.group}\n{column.heading}" if column.group else column.heading), justify="right"
        )
    last = ""
    for row in table.rows:
        if row.published and not last:
            shown.add_section()
        last = row.published
        cells = [row.cells.get(column.key) for column in columns]
        if row.published and not any(cells):
            continue
        shown.add_row(
            Text(row.name),
            Text(figures.condition(row)),
            Text(figures.source(row)),
            *(_text(cell, plain=plain) for cell in cells),
            style="dim" if row.published else "",
        )
    return shown


def _text(cell: Cell | None, *, plain: bool = False) -> Text:
    number = figures.value(cell)
    best = cell is not None and cell.best
    text = Text(f"> {number}" if best and plain else number, style="bold" if best else "")
    if bounds := figures.interval(cell):
        text.append(f"\n{bounds}", style="not bold dim")
    return text


def _rests_on(table: BenchmarkTable) -> Table:
    shown = Table(title=f"{table.title}: what the scores rest on", title_justify="left")
    for heading in ("Model", "Task", "Mean", "95 % interval", "Scored", "Not scored", "Given", "Judge"):
        right = heading in ("Mean", "95 % interval", "Scored")
        shown.add_column(heading, justify="right" if right else "left", overflow="fold")
    for row in table.own:
        for task in row.tasks:
            score = figures.value(Cell(task.value))
            line = (
                *(row.name, task.task, score, figures.interval(task) or figures.NONE, figures.asked(task)),
                *(figures.reasons(task.not_scored), figures.given(task), figures.judge(task)),
            )
            shown.add_row(*map(Text, line))
    return shown

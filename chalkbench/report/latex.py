"""The report as LaTeX tables (booktabs), to be put into a paper.

What belongs here: LaTeX. What does not: the tables' numbers (`tables.py`) and how they are written (`figures.py`).
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from chalkbench.report import figures
from chalkbench.report.tables import BenchmarkTable, Cell, Row

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "†": r"\dag{}",
        "–": "--",
        "“": "``",
        "”": "''",
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    }
)


def text(tables: Sequence[BenchmarkTable]) -> str:
    """The tables, one after the other, with the signatures as comments. Needs booktabs and graphicx."""
    lines = ["% needs \\usepackage{booktabs,graphicx} and, for names in other scripts, a LaTeX that reads UTF-8"]
    for table in tables:
        lines += _benchmark(table)
    return "\n".join([*lines, ""])


def _benchmark(table: BenchmarkTable) -> Iterator[str]:
    columns = table.columns
    yield "\n\\begin{table*}\n\\centering\n\\resizebox{\\linewidth}{!}{%"
    yield f"\\begin{{tabular}}{{lll{'r' * len(columns)}}}\n\\toprule"
    spans, rules, place = [], [], 4
    for group, members in groupby(columns, key=lambda column: column.group):
        count = len(list(members))
        spans.append(f"\\multicolumn{{{count}}}{{c}}{{{_plain(group)}}}" if group else " & ".join([""] * count))
        if group:
            rules.append(f"\\cmidrule(lr){{{place}-{place + count - 1}}}")
        place += count
    if rules:
        yield f" & & & {' & '.join(spans)} \\\\\n{' '.join(rules)}"
    yield f"Model & Condition & Source & {' & '.join(_plain(column.heading) for column in columns)} \\\\\n\\midrule"
    yield from (_row(table, row) for row in table.own)
    papers = [row for row in table.rows if row.published]
    if papers:
        yield "\\midrule"
        yield from (_row(table, row) for row in papers)
    yield "\\bottomrule\n\\end{tabular}}"
    yield f"\\caption{{{_plain(f'{table.title}. {figures.LEGEND}')} Bold marks the best.}}"
    yield f"\\label{{tab:{table.benchmark.replace('_', '-')}}}\n\\end{{table*}}"
    for note in table.remarks:
        yield f"% {_comment(note)}"
    for row in table.own:
        for task in row.tasks:
            counts = f"scored {figures.asked(task)} {figures.reasons(task.not_scored)}".strip()
            yield f"% {_comment(f'{row.name}, {task.task}: {counts}')}"
            yield f"% {_comment(task.signature)}"


def _row(table: BenchmarkTable, row: Row) -> str:
    lead = [_plain(part) for part in (row.name, figures.condition(row), figures.source(row))]
    if row.published:
        lead = [f"\\textit{{{part}}}" for part in lead]
    return f"{' & '.join([*lead, *(_cell(row.cells.get(column.key)) for column in table.columns)])} \\\\"


def _cell(cell: Cell | None) -> str:
    number = _plain(figures.value(cell))
    if cell is not None and cell.best:
        number = f"\\textbf{{{number}}}"
    bounds = figures.interval(cell)
    return f"{number} {{\\tiny {_plain(bounds)}}}" if bounds else number


def _plain(text: str) -> str:
    """Text from data, with nothing left that LaTeX reads as its own."""
    return " ".join(str(text).split()).translate(_ESCAPES)


def _comment(text: str) -> str:
    """One line, so that nothing after it is read."""
    return " ".join(str(text).split())

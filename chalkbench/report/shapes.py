"""The shapes of the papers' tables: which columns in which order, and the published rows in them.

What belongs here: what a paper's table looks like, and where a group of our results stands in it. What does not:
numbers of ours (`tables.py`). A column's key is the path of `published.csv`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from chalkbench.benchmarks.published import Published, published
from chalkbench.scoring.aggregate import OVERALL


@dataclass(frozen=True)
class Column:
    """key: path of the group, as in `published.csv`. heading: as printed. group: the heading that spans it, or ""."""

    key: str
    heading: str
    group: str = ""


@dataclass(frozen=True)
class Shape:
    """A benchmark's table.

    title: the benchmark's name. source: where the shape is from. columns: those the paper has. groupings: {grouping of
    the results: what stands before its groups in a key; `*` = the key is that of the column that ends with the group}.
    tables: numbers of the paper's tables whose rows are shown; the first has one row a model, the others one row a
    model and condition. metrics: of the published rows, those that are scores. labels: {prefix of keys: heading} of
    columns that the paper does not name.
    """

    title: str
    source: str
    columns: tuple[Column, ...]
    groupings: Mapping[str, str]
    tables: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)


def _spanned(group: str, prefix: str, names: str, *, mean: str = "") -> tuple[Column, ...]:
    """Columns under one heading. mean: heading of the column of the group itself, "" = there is none."""
    parts = tuple(
        Column(f"{prefix}/{name.lower() if name.istitle() else name}", name, group) for name in names.split()
    )
    return (*parts, Column(prefix, mean, group)) if mean else parts


_ALL = Column(OVERALL, "Overall")
_MINUTES = ("<5 min", "5-10 min", "10-20 min", "20-30 min", ">30 min")

SHAPES: dict[str, Shape] = {
    "lemon": Shape(
        title="LEMON",
        source="LEMON Table 2",
        columns=(
            *_spanned("SP", "SP", "KCR DCC LDT", mean="Avg."),
            *_spanned("OR", "OR", "OCR PS", mean="Avg."),
            *_spanned("AC", "AC", "ST CL", mean="Avg."),
            Column("TA", "TA"),
            *_spanned("IP", "IP", "TIR FCP", mean="Avg."),
            *_spanned("AE", "AE", "VS KT", mean="Avg."),
            _ALL,
        ),
        groupings={"subtask": "cell"},
        tables=("2",),
    ),
    "video_mmlu": Shape(
        title="Video-MMLU",
        source="Video-MMLU Table 2",
        columns=(
            _ALL,
            Column("notebook", "Avg.", "Notebook"),
            *_spanned("Notebook", "notebook", "Math Physics Chemistry"),
            Column("quiz", "Avg.", "Quiz"),
            *_spanned("Quiz", "quiz", "Math Physics Chemistry"),
        ),
        groupings={"discipline": "cell"},
        tables=("2",),
    ),
    "instructionbench": Shape(
        title="InstructionBench",
        source="InstructionBench Table 4",
        columns=(
            *_spanned("Coarse", "coarse", "FSP PSR ISR SS SSR"),
            *_spanned("Fine", "fine", "OES OAR OIR"),
            Column("coarse", "CG overall"),
            Column("fine", "FG overall"),
            _ALL,
        ),
        groupings={"grain": "", "type": "*"},
        tables=("4",),
    ),
    "vira_bench": Shape(
        title="VIRA-Bench",
        source="VIRA-Bench Table 2, and Table 3 for other conditions",
        columns=(
            *_spanned("OEG", "OEG", "AI BE CR", mean="Avg"),
            *_spanned("ICR", "ICR", "SR CA CF", mean="Avg"),
            *_spanned("SRM", "SRM", "SC OP", mean="Avg"),
            Column(OVERALL, "All"),
        ),
        groupings={"layer": "", "subtask": "*"},
        tables=("2", "3"),
    ),
    "mmou": Shape(
        title="MMOU",
        source="MMOU section 4: by domain, duration and skill",
        columns=(_ALL, *(Column(f"duration/{bucket}", bucket, "Duration") for bucket in _MINUTES)),
        groupings={"domain": "domain/", "duration": "duration/", "skill": "skill/", "none": "none/"},
        tables=("text", "3"),
        labels={"domain": "Domain", "duration": "Duration", "skill": "Skill", "none": "“None of the options” is"},
    ),
}


def shape_of(benchmark: str) -> Shape:
    """The shape of a benchmark's table; of an unknown one, the overall score alone."""
    plain = Shape(title=benchmark, source="", columns=(_ALL,), groupings={}, tables=())
    return SHAPES.get(benchmark, plain)


def key_of(shape: Shape, grouping: str, group: str, *, cell: str) -> str | None:
    """Where a group of a task's results stands in the table; None = nowhere.

    cell: of the task (`Task.cell`), "" = the task is the whole table.
    """
    prefix = shape.groupings.get(grouping)
    if prefix is None:
        return None
    if prefix == "cell":
        known = {column.key.lower(): column.key for column in shape.columns}
        key = f"{cell}/{group}"
        return known.get(key.lower(), key)
    if prefix == "*":
        found = (column.key for column in shape.columns if column.key.endswith(f"/{group}"))
        return next(found, f"other/{group}")
    return prefix + group


def further(shape: Shape, keys: set[str]) -> tuple[Column, ...]:
    """Columns for groups that the paper's table does not name (domains and skills, or groups of the user's own)."""
    named = {column.key for column in shape.columns}
    added = []
    for key in sorted(keys - named, key=lambda key: (_rank(shape, key), key)):
        parent, _, name = key.rpartition("/")
        added.append(Column(key, name, shape.labels.get(parent, parent)))
    return tuple(added)


def _rank(shape: Shape, key: str) -> int:
    labels = list(shape.labels)
    parent = key.rpartition("/")[0]
    return labels.index(parent) if parent in labels else len(labels)


@dataclass(frozen=True)
class PublishedRow:
    """A row of a paper's table. cells: {key: the printed figure}; interval: {key: printed bounds, percent}."""

    table: str
    model: str
    condition: str
    cells: Mapping[str, Published]
    interval: Mapping[str, tuple[str, str]]


def published_rows(benchmark: str, *, ablations: bool) -> list[PublishedRow]:
    """The papers' rows for a benchmark's table, in the paper's order.

    ablations: also those of tables that vary the conditions (VIRA-Bench Table 3), less what the first table has.
    """
    shape = shape_of(benchmark)
    if not shape.tables:
        return []
    wanted = shape.tables if ablations or shape.tables[0] == "text" else shape.tables[:1]
    rows: dict[tuple[str, ...], list[Published]] = {}
    for figure in published(benchmark):
        if figure.table not in wanted:
            continue
        # LEMON and Video-MMLU print one row a model, though its columns were made under several conditions
        one = benchmark in ("lemon", "video_mmlu")
        rows.setdefault((figure.table, figure.model, "" if one else figure.condition), []).append(figure)
    made = [_row(figures) for figures in rows.values()]
    first = {(row.model, row.condition) for row in made if row.table == wanted[0]}
    return [row for row in made if row.table == wanted[0] or (row.model, row.condition) not in first]


def _row(figures: list[Published]) -> PublishedRow:
    cells = {figure.group: figure for figure in figures if not figure.metric.startswith("interval")}
    bounds = {(figure.group, figure.metric): figure.value for figure in figures}
    intervals = {
        group: (low, bounds[group, "interval_high"])
        for (group, metric), low in bounds.items()
        if metric == "interval_low"
    }
    whole = cells.get(OVERALL, figures[0])
    return PublishedRow(whole.table, whole.model, whole.condition, cells, intervals)

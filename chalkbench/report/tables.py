"""The report's tables: the user's rows and the published ones, cell by cell, before they are shown in any format.

What belongs here: which number stands where, what it rests on, and what is best. What does not: how it looks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chalkbench.evidence import CONDITIONS, Evidence
from chalkbench.overall import is_whole, overall
from chalkbench.report.reading import Run
from chalkbench.report.shapes import Column, PublishedRow, Shape, further, key_of, published_rows, shape_of
from chalkbench.results import share
from chalkbench.scoring.aggregate import OVERALL
from chalkbench.task import MICRO, Task

_SHOWN = {"accuracy", "score", "top"}  # of a result, numbers that stand elsewhere


@dataclass(frozen=True)
class Cell:
    """One number of a table.

    value: a share of the highest score, 0..1; None = there is no score. printed: the digits of a published figure.
    interval: 95 %, shares, None = none can be given. n, n_scored: questions, None = not known. partial: not every
    question was asked and judged. best: highest of the user's comparable rows. defect: of a published figure.
    """

    value: float | None
    printed: str = ""
    interval: tuple[float, float] | None = None
    n: int | None = None
    n_scored: int | None = None
    partial: bool = False
    best: bool = False
    defect: str = ""


@dataclass(frozen=True)
class Scored:
    """What one task's score rests on.

    value: mean over its questions, share of the highest score; interval: as in `Cell`. not_scored: {reason: count}.
    beside: what the rule reports beside its score, as it reports it (`bleu`, `accuracy_all`, …).
    """

    task: str
    value: float | None
    interval: tuple[float, float] | None
    n: int
    n_total: int
    n_scored: int
    not_scored: Mapping[str, int]
    evidence: str
    coverage: Mapping[str, Any]
    judge: Mapping[str, Any] | None
    remarks: tuple[str, ...]
    signature: str
    beside: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """One row of a table: a model under a condition.

    published: number of the paper's table, "" = the user's own. sample: made on a sample, so no result. partial: why
    the row is not the benchmark's whole score, in words. tasks: what its scores rest on; of the user's rows only.
    """

    name: str
    condition: str
    cells: Mapping[str, Cell]
    published: str = ""
    sample: bool = False
    partial: tuple[str, ...] = ()
    tasks: tuple[Scored, ...] = ()
    set: str = ""


@dataclass(frozen=True)
class BenchmarkTable:
    """A benchmark's table. remarks: what a reader must know of it."""

    benchmark: str
    title: str
    source: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = field(default=())

    @property
    def own(self) -> tuple[Row, ...]:
        """The user's rows."""
        return tuple(row for row in self.rows if not row.published)


def tables(runs: Sequence[Run], tasks: Sequence[Task], *, with_published: bool = True) -> list[BenchmarkTable]:
    """A table for each benchmark that a run has results of, in the order of the tasks.

    tasks: all that there are. with_published: whether the papers' rows stand beside the user's.
    """
    order = list(dict.fromkeys(task.benchmark for task in tasks))
    there = dict.fromkeys(entry["record"]["benchmark"] for run in runs for entry in run.entries.values())
    names = sorted(there, key=lambda name: order.index(name) if name in order else len(order))
    return [_table(name, runs, tasks, with_published=with_published) for name in names]


def _table(benchmark: str, runs: Sequence[Run], tasks: Sequence[Task], *, with_published: bool) -> BenchmarkTable:
    shape = shape_of(benchmark)
    own = [row for run in runs for row in _rows(benchmark, shape, run, tasks)]
    own = _marked(own)
    papers = []
    if with_published:
        ablations = any(row.condition != "default" for row in own)
        papers = [_published(row) for row in published_rows(benchmark, ablations=ablations)]
    extra = further(shape, {key for row in own for key in row.cells})
    return BenchmarkTable(
        benchmark,
        shape.title,
        shape.source,
        (*shape.columns, *extra),
        (*own, *papers),
        tuple(_remarks(own, papers)),
    )


def _rows(benchmark: str, shape: Shape, run: Run, tasks: Sequence[Task]) -> list[Row]:
    """A row for each set of tasks of the benchmark that the run has, in the order of the tasks."""
    known = {task.name: task for task in tasks}
    place = {name: number for number, name in enumerate(known)}
    mine = {name: entry for name, entry in run.entries.items() if entry["record"]["benchmark"] == benchmark}
    sets: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name in sorted(mine, key=lambda name: place.get(name, len(place))):
        sets.setdefault(name.partition(":")[0], {})[name] = mine[name]
    wholes = {one.name: one for one in overall(_scored_only(mine), tasks)}
    rows = []
    for name, entries in sets.items():
        cells: dict[str, Cell] = {}
        for task, entry in _scored_only(entries).items():
            cells |= _cells(shape, entry, cell=known[task].cell if task in known else "")
        whole, partial = wholes.get(name), []
        if whole is not None:
            cells |= {key: Cell(value, partial=True) for key, value in whole.cells.items() if key not in cells}
            for key in whole.cells:  # a mean of means is whole if all that it is made of is
                parts = [
                    cell for cell in (*whole.lacking, *whole.partial) if cell == key or cell.startswith(f"{key}/")
                ]
                cells[key] = replace(cells[key], partial=bool(parts))
            cells[OVERALL] = Cell(whole.value, partial=not whole.whole)
            partial += [f"not run: {', '.join(whole.lacking)}"] if whole.lacking else []
        short = [task for task, entry in _scored_only(entries).items() if not is_whole(entry)]
        partial += [f"not all asked and judged: {', '.join(short)}"] if short else []
        rows.append(
            Row(
                run.name,
                _condition(name, entries, known),
                cells,
                sample=any(entry["sample"] for entry in entries.values()),
                partial=tuple(partial),
                tasks=tuple(_rests_on(task, entry) for task, entry in entries.items()),
                set=name,
            )
        )
    return rows


def _scored_only(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Those whose answers are not hidden."""
    return {name: entry for name, entry in entries.items() if "official" in entry["result"]}


def _cells(shape: Shape, entry: Mapping[str, Any], *, cell: str) -> dict[str, Cell]:
    """The cells that a task fills. cell: its own place, "" = all of the table."""
    result, partial = entry["result"], not is_whole(entry)
    cells = {}
    for grouping, grouped in result["groupings"].items():
        for group, part in grouped["by_group"].items():
            if key := key_of(shape, grouping, group, cell=cell):
                cells[key] = _cell(part, part[result["main"]], result["top"], partial=partial)
    official = result["official"]
    bounded = result if official["name"] == MICRO else {**result, "interval": None}
    cells[cell or OVERALL] = _cell(bounded, official["value"], result["top"], partial=partial)
    return cells


def _cell(part: Mapping[str, Any], value: float | None, top: float | None, *, partial: bool) -> Cell:
    return Cell(
        share(value, top),
        interval=tuple(part["interval"]) if part.get("interval") else None,
        n=part["n"],
        n_scored=part["n_scored"],
        partial=partial,
    )


def _rests_on(task: str, entry: Mapping[str, Any]) -> Scored:
    result, record = entry["result"], entry["record"]
    hidden = "official" not in result
    cell = Cell(None) if hidden else _cell(result, result[result["main"]], result["top"], partial=False)
    return Scored(
        task,
        cell.value,
        cell.interval,
        result["n"],
        record.get("n_total", result["n"]),
        result.get("n_scored", 0),
        {reason: count for reason, count in result["not_scored"].items() if count},
        record["evidence_name"],
        entry.get("coverage", {}),
        record.get("judge"),
        tuple(entry.get("remarks", ())),
        entry["signature"],
        {name: number for name, number in result.items() if isinstance(number, float) and name not in _SHOWN},
    )


def _condition(name: str, entries: Mapping[str, Mapping[str, Any]], known: Mapping[str, Task]) -> str:
    """`default`, the name of the set's or the command line's condition, or the evidence itself."""
    suffix = name.removeprefix(next(iter(entries.values()))["record"]["benchmark"]).strip("_")
    found = list(dict.fromkeys(_evidence(known.get(task), entry) for task, entry in entries.items()))
    changed = [one for one in found if one]
    return "+".join(filter(None, [suffix, "/".join(changed)])) or "default"


def _evidence(task: Task | None, entry: Mapping[str, Any]) -> str:
    """How the evidence differs from the task's own: a condition's name, what is different, or "" if nothing is."""
    record = entry["record"]
    if task is None:
        return record["evidence_name"]
    own = [task.evidence, task.unheard().evidence]
    try:
        given = Evidence(**record["evidence"])
    except (TypeError, ValueError):  # of another version
        return record["evidence_name"]
    if given in own:
        return ""
    for name, make in CONDITIONS.items():
        if name != "default" and any(make(one) == given for one in own):
            return name
    return min((_differences(one, given) for one in own), key=len)


def _differences(own: Evidence, given: Evidence) -> str:
    before, now = own.to_dict(), given.to_dict()
    changed = {name: value for name, value in now.items() if value != before[name]}
    if "size" in changed:  # stretching goes with a size
        changed.pop("stretch", None)
        changed["size"] = changed["size"] or "own"
    words = {True: "with {}", False: "without {}"}
    return ", ".join(
        words[value].format(name) if isinstance(value, bool) else f"{name} {value}" for name, value in changed.items()
    )


def _marked(rows: Sequence[Row]) -> list[Row]:
    """The rows with the best cell of each column marked, where there are several to compare.

    Partial cells are not compared, and samples not with results.
    """
    compared = [row for row in rows if not row.sample] or list(rows)
    best: dict[str, float] = {}
    for key in {key for row in compared for key in row.cells}:
        cells = [cell for row in compared if (cell := row.cells.get(key)) and not cell.partial]
        values = [cell.value for cell in cells if cell.value is not None]
        if len(values) > 1 and max(values) > min(values):
            best[key] = max(values)
    return [
        replace(
            row,
            cells={
                key: replace(cell, best=row in compared and not cell.partial and cell.value == best.get(key, -1.0))
                for key, cell in row.cells.items()
            },
        )
        for row in rows
    ]


def _published(row: PublishedRow) -> Row:
    cells = {
        key: Cell(
            float(figure.value) / 100,
            printed=figure.value,
            interval=tuple(float(bound) / 100 for bound in row.interval[key]) if key in row.interval else None,
            defect=figure.defect,
        )
        for key, figure in row.cells.items()
    }
    where = "text" if row.table == "text" else f"Table {row.table}"
    return Row(row.model, row.condition, cells, published=where)


def _remarks(own: Sequence[Row], papers: Sequence[Row]) -> list[str]:
    remarks = []
    if any(row.sample for row in own):
        remarks.append("Rows marked “sample” were made on a small sample: they show that it works, and are no result.")
    for row in own:
        remarks += [f"{row.name}, {row.condition}: in part only ({why})." for why in row.partial]
    remarks += _unlike(own)
    defects = [(row, key, cell.defect) for row in papers for key, cell in row.cells.items() if cell.defect]
    remarks += [f"{row.published}, {row.name}, {key}: {defect}." for row, key, defect in defects]
    return remarks


def _unlike(rows: Sequence[Row]) -> list[str]:
    """What makes rows that stand together hard to compare: parts of the signatures of the same task that differ."""
    seen: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        for task in row.tasks:
            parts = dict(part.partition(":")[::2] for part in task.signature.split("|"))
            for name in ("release", "protocol", "rule", "judge"):
                if name in parts:
                    seen.setdefault((task.task, name), {})[row.name] = parts[name]
    found = []
    for (task, name), values in seen.items():
        if len(set(values.values())) > 1:
            each = "; ".join(f"{who}: {what}" for who, what in values.items())
            found.append(f"{task}: not made alike, so not to be compared: {name} differs ({each}).")
    return found

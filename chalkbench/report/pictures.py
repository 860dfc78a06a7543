"""The report's pictures of one benchmark: which charts there are, and what they show.

What belongs here: numbers of the tables and of the answers as series. What does not: drawing (`drawing.py`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill

from chalkbench.report.drawing import MOST, Series, grouped_bars, lines, stacked
from chalkbench.report.items import Asked
from chalkbench.report.shapes import Column
from chalkbench.report.tables import BenchmarkTable, Cell, Row
from chalkbench.scoring.aggregate import OVERALL
from chalkbench.scoring.outcome import SCORED, wilson

_DURATION = "duration/"
_DEFAULT = "default"
_LABEL, _SPEAKS = 24, 12  # characters of a label's line, and of a heading that needs no other
_FEWEST = 5  # chosen labels below which their shares say nothing
# MMOU's groups of a video's length (its layout's own grouping has the same names); the last has no end
_MINUTES = ((5, "<5 min"), (10, "5-10 min"), (20, "10-20 min"), (30, "20-30 min"), (float("inf"), ">30 min"))


@dataclass(frozen=True)
class Picture:
    """A chart with its title, and what a reader must know of it."""

    title: str
    note: str
    svg: str


def pictures(table: BenchmarkTable, rows: Sequence[Row], asked: Sequence[Asked]) -> list[Picture]:
    """All pictures that the results allow.

    rows: of the whole report, which the replies of `asked` name by their number. asked: all questions of the report.
    """
    own = table.own[:MOST]
    more = f" The first {MOST} of {len(table.own)} rows." if len(table.own) > MOST else ""
    mine = [one for one in asked if one.benchmark == table.benchmark]
    numbers = {id(row): number for number, row in enumerate(rows)}
    places = [numbers[id(row)] for row in own]
    makers = (
        _scores(table, own),
        _deltas(table),
        _durations(table, own, mine, places),
        _labels(table, own, mine, places),
        _rules(table, own, mine, places),
    )
    return [Picture(one.title, one.note + more, one.svg) for maker in makers for one in maker]


def _name(row: Row) -> str:
    return row.name if row.condition == _DEFAULT else f"{row.name}, {row.condition}"


def _percent(cell: Cell | None) -> float | None:
    return None if cell is None or cell.value is None else 100 * cell.value


def _interval(cell: Cell | None) -> tuple[float, float] | None:
    return None if cell is None or cell.interval is None else tuple(100 * bound for bound in cell.interval)


def _series(rows: Sequence[Row], keys: Sequence[str]) -> list[Series]:
    return [
        Series(
            _name(row),
            [_percent(row.cells.get(key)) for key in keys],
            [_interval(row.cells.get(key)) for key in keys],
        )
        for row in rows
    ]


def _scores(table: BenchmarkTable, own: Sequence[Row]) -> Iterator[Picture]:
    """Bars for each column that a row has, less what has a picture of its own."""
    columns = [
        column
        for column in table.columns
        if not column.key.startswith(_DURATION) and any(_percent(row.cells.get(column.key)) is not None for row in own)
    ]
    if not columns:
        return
    labels = [fill(_label(column), _LABEL) for column in columns]
    svg = grouped_bars(
        labels, _series(own, [column.key for column in columns]), axis="percent", name=f"{table.benchmark}-scores"
    )
    yield Picture("Scores", "Whiskers are 95 % intervals; a mean of means has none.", svg)


def _label(column: Column) -> str:
    """Short names need the one of their group (`Avg.`); those of MMOU's groups speak for themselves."""
    return column.heading if len(column.heading) > _SPEAKS else f"{column.group} {column.heading}".strip()


def _deltas(table: BenchmarkTable) -> Iterator[Picture]:
    """What each condition changes against the default one of the same model, in points."""
    default = {row.name: row for row in table.own if row.condition == _DEFAULT}
    changed = [row for row in table.own if row.condition != _DEFAULT and row.name in default]
    groups = [column for column in table.columns if "/" not in column.key]
    if len(groups) == 1:  # no layers: what the paper groups by
        groups = [column for column in table.columns if column.key.startswith((_DURATION, "domain/", OVERALL))]
    series, shown = [], set()
    for row in changed[:MOST]:
        values = []
        for column in groups:
            before, after = (_percent(one.cells.get(column.key)) for one in (default[row.name], row))
            values.append(None if before is None or after is None else after - before)
            shown |= {column.key} if values[-1] is not None else set()
        series.append(Series(f"{row.name}, {row.condition}", values))
    if not shown:
        return
    kept = [place for place, column in enumerate(groups) if column.key in shown]
    labels = [_layer(groups[place].group, groups[place].heading, groups[place].key) for place in kept]
    series = [Series(one.name, [one.values[place] for place in kept]) for one in series]
    least = min(value for one in series for value in one.values if value is not None)
    most = max(value for one in series for value in one.values if value is not None)
    svg = grouped_bars(
        labels,
        series,
        axis="points, against the default condition",
        name=f"{table.benchmark}-deltas",
        span=(min(-10, least - 5), max(10, most + 5)),
    )
    note = "What taking evidence away (or adding it) changes, in points of each model's own score."
    alike = all(_same_questions(default[row.name], row) for row in changed)
    yield Picture("Evidence", note + ("" if alike else " The rows were not asked the same number of questions."), svg)


def _layer(group: str, heading: str, key: str) -> str:
    return group if heading.startswith("Avg") else heading if key != OVERALL else "Overall"


def _same_questions(one: Row, other: Row) -> bool:
    return sum(task.n for task in one.tasks) == sum(task.n for task in other.tasks)


def _durations(
    table: BenchmarkTable, own: Sequence[Row], asked: Sequence[Asked], places: Sequence[int]
) -> Iterator[Picture]:
    """Scores by the video's length, where there are several lengths: the benchmark's grouping, else from the data."""
    keys = [column.key for column in table.columns if column.key.startswith(_DURATION)]
    labels = [key.removeprefix(_DURATION) for key in keys]
    series = _series(own, keys)
    if not keys:
        labels = [name for _, name in _MINUTES]
        series = [_by_length(row, place, asked) for row, place in zip(own, places, strict=True)]
    kept = [at for at in range(len(labels)) if any(one.values[at] is not None for one in series)]
    if len(kept) < 2:
        return
    series = [Series(one.name, [one.values[at] for at in kept], [one.intervals[at] for at in kept]) for one in series]
    svg = lines([labels[at] for at in kept], series, axis="percent", name=f"{table.benchmark}-duration")
    yield Picture("Length of the video", "Share of right answers; whiskers are 95 % intervals.", svg)


def _by_length(row: Row, place: int, asked: Sequence[Asked]) -> Series:
    right: dict[str, list[bool]] = {name: [] for _, name in _MINUTES}
    for one in asked:
        if one.duration is not None:
            bucket = next(name for bound, name in _MINUTES if one.duration / 60 < bound)
            right[bucket] += [reply.right for reply in one.replies if reply.row == place and reply.right is not None]
    values = [100 * sum(found) / len(found) if found else None for found in right.values()]
    bounds = [wilson(sum(found), len(found)) for found in right.values()]
    return Series(_name(row), values, [tuple(100 * bound for bound in pair) if pair else None for pair in bounds])


def _labels(
    table: BenchmarkTable, own: Sequence[Row], asked: Sequence[Asked], places: Sequence[int]
) -> Iterator[Picture]:
    """Which options were chosen, by the labels that the model saw."""
    counts = []
    for place in places:
        labels = (reply.item.label for one in asked for reply in one.replies if reply.row == place)
        counts.append(Counter(label for label in labels if len(label) == 1 and "A" <= label <= "Z"))
    shown = [(row, count) for row, count in zip(own, counts, strict=True) if count.total() >= _FEWEST]
    if not shown:
        return
    letters = sorted(set().union(*(count for _, count in shown)))
    widest = max((len(one.options) for one in asked), default=0)
    letters = [chr(65 + at) for at in range(max(widest, ord(letters[-1]) - 64))]
    series = [
        Series(f"{_name(row)} ({count.total()})", [100 * count[letter] / count.total() for letter in letters])
        for row, count in shown
    ]
    numbers = {len(one.options) for one in asked if one.options}
    mark = [(100 / (even := numbers.pop()), f"even choice among {even}")] if len(numbers) == 1 else []
    most = max(value for one in series for value in one.values)
    svg = grouped_bars(
        letters,
        series,
        axis="percent of the chosen options",
        name=f"{table.benchmark}-labels",
        span=(0, min(100, max(most, mark[0][0] if mark else 0) + 5)),
        mark=mark,
    )
    yield Picture("Chosen labels", "As the model saw them; in brackets, how many were chosen.", svg)


def _rules(
    table: BenchmarkTable, own: Sequence[Row], asked: Sequence[Asked], places: Sequence[int]
) -> Iterator[Picture]:
    """How the replies were read, or why they were not."""
    counts = []
    for place in places:
        given = [reply.item for one in asked for reply in one.replies if reply.row == place]
        counts.append(
            Counter(item.rule or "read" if item.status == SCORED else f"not: {item.status}" for item in given)
        )
    total = sum(counts, Counter())
    if not total:
        return
    names = [name for name, _ in total.most_common()]
    kept, rest = (names, []) if len(names) <= MOST else (names[: MOST - 1], names[MOST - 1 :])
    series = [Series(name, [100 * count[name] / max(1, count.total()) for count in counts]) for name in kept]
    if rest:
        sums = [100 * sum(count[name] for name in rest) / max(1, count.total()) for count in counts]
        series.append(Series(f"other ({', '.join(rest)})"[:70], sums))
    labels = [_name(row) for row in own]
    svg = stacked(labels, series, axis="percent of the replies", name=f"{table.benchmark}-rules")
    yield Picture("How replies were read", "The rule that read each reply; “not” are those without a score.", svg)

"""`chalkbench compare`: results side by side on the questions they have in common.

What belongs here: what is computed of them. What does not: which tasks of which results are put side by side
(`sides.py`), statistics (`stats.py`, `agreement.py`), and how a comparison is written (`text.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from pathlib import Path

from chalkbench import agreement, outcomes, stats
from chalkbench.agreement import Labels, SharedErrors
from chalkbench.compare import sides
from chalkbench.compare.sides import Unit
from chalkbench.errors import ChalkbenchError
from chalkbench.outcomes import Measured
from chalkbench.scoring.outcome import PROTOCOLS
from chalkbench.scoring.paired import TESTS
from chalkbench.selection import check_protocol
from chalkbench.stats import Correlation, Detectable, Paired

ALL = "all questions"  # the family of the tests that are over no group
FAMILIES = ("grouping", "task", "all")


@dataclass(frozen=True)
class Changed:
    """A question that two sides do not have alike. values: 0..1, first and second side; options: text of the chosen
    ones, "" = none, or the reply itself."""

    task: str
    first: str
    second: str
    id: str
    question: str
    gold: str
    values: tuple[float, float]
    statuses: tuple[str, str]
    replies: tuple[str, str]
    options: tuple[str, str]


@dataclass(frozen=True)
class Side:
    """What one side is of a task. left_out: {reason: questions without a value}."""

    task: str
    side: str
    own_task: str
    model: str
    n: int
    n_valued: int
    left_out: Mapping[str, int]
    labels: Labels | None
    seconds: Measured
    tokens_per_frame: Measured
    signature: str = ""


@dataclass(frozen=True)
class Power:
    """What the common questions of two sides can show: see `stats.Detectable`."""

    task: str
    first: str
    second: str
    paired: Detectable
    unpaired: Detectable


@dataclass(frozen=True)
class Comparison:
    """All of a comparison. names: of the sides. tests: over all questions; groups: over those of a group.

    changed: at most so many as asked for, a task and pair. n_changed: how many there are, in the order of `tests`.
    """

    names: tuple[str, ...]
    protocol: str
    test: str
    family: str
    sample: bool
    sides: tuple[Side, ...]
    tests: tuple[Paired, ...]
    groups: tuple[Paired, ...]
    powers: tuple[Power, ...]
    shared: tuple[tuple[str, SharedErrors], ...]
    correlations: tuple[tuple[str, str, Correlation], ...]
    changed: tuple[Changed, ...]
    remarks: tuple[str, ...]


def compare(
    places: Sequence[str],
    *,
    data: Sequence[Path] | None = None,
    by: Sequence[str] = (),
    all_pairs: bool = False,
    protocol: str | None = None,
    test: str = "exact",
    family: str = "grouping",
    items: int = 10,
) -> Comparison:
    """Compares results, the first with each other one, or all pairs of them.

    places: as `outcomes.find` takes them. data: layouts; None = those that are found, if any. by: groupings, () = all.
    protocol: None = that of the results. test: of `scoring.paired.TESTS`. family: what Holm's adjustment is over, the
    tests of one `grouping` (of all tasks and pairs), of one `task` and grouping, or `all`. items: how many changed
    questions a task and pair. Raises ChalkbenchError for what cannot be compared.
    """
    if test not in TESTS:
        raise ChalkbenchError(f"--test {test}: expected one of {', '.join(TESTS)}")
    if family not in FAMILIES:
        raise ChalkbenchError(f"--family {family}: expected one of {', '.join(FAMILIES)}")
    found = [outcomes.find(place) for place in places]
    if len(found) < 2:
        raise ChalkbenchError("give two results or more to compare: FOLDER FOLDER, or FOLDER:TASK FOLDER:TASK")
    names = sides.names(found)
    remarks: list[str] = []
    units = sides.units(dict(zip(names, found, strict=True)), data, remarks)
    protocol = _protocol(protocol, units)
    valued = {unit.name: {name: outcomes.values(unit.items[name], protocol) for name in names} for unit in units}
    settings = {"against": None if all_pairs else names[0], "test": test}
    tests = [one for unit in units for one in stats.paired(valued[unit.name], task=unit.name, **settings)]
    if not any(one.n for one in tests):
        raise ChalkbenchError(f"{' and '.join(places)} have no question in common that both have a value for")
    groups = {unit.name: _groups(unit) for unit in units}
    grouped = [
        one
        for unit in units
        for name in _groupings(groups[unit.name], by)
        for one in stats.by_group(valued[unit.name], _only(name, groups[unit.name]), task=unit.name, **settings)
    ]
    known = list(dict.fromkeys(name for unit in units for name in _groupings(groups[unit.name], ())))
    if lacking := [name for name in by if name not in {one.grouping for one in grouped}]:
        raise ChalkbenchError(
            f"--by {', '.join(lacking)}: these results can be grouped by {', '.join(known) or 'nothing'}"
        )
    everything = stats.adjusted([*tests, *grouped], family=_FAMILY[family])
    tests, grouped = everything[: len(tests)], everything[len(tests) :]
    by_name = {unit.name: unit for unit in units}
    return Comparison(
        names=tuple(names),
        protocol=protocol,
        test=test,
        family=family,
        sample=any(entry and entry["sample"] for unit in units for entry in unit.entries.values()),
        sides=tuple(_side(unit, name, valued[unit.name][name]) for unit in units for name in names),
        tests=tuple(tests),
        groups=tuple(grouped),
        powers=tuple(_power(one) for one in tests if one.n and one.test in TESTS),
        shared=tuple((one.task, _shared(by_name[one.task], one)) for one in tests if one.n),
        correlations=tuple(_correlations(units, valued)),
        changed=tuple(
            change for one in tests for change in _changed(by_name[one.task], one, valued[one.task])[:items]
        ),
        remarks=tuple(remarks),
    )


_FAMILY = {
    "grouping": lambda one: one.grouping or ALL,
    "task": lambda one: f"{one.task}, {one.grouping or ALL}",
    "all": lambda one: "all tests",
}


def _protocol(wanted: str | None, units: Sequence[Unit]) -> str:
    if wanted:
        check_protocol(wanted)
        return wanted
    there = {entry["record"]["protocol"] for unit in units for entry in unit.entries.values() if entry}
    if len(there) > 1:
        raise ChalkbenchError(f"these results are scored by {' and '.join(sorted(there))}: choose with --protocol")
    return there.pop() if there else PROTOCOLS[0]


def _groups(unit: Unit) -> stats.Groups:
    """{id: {grouping: groups}}, as whichever side says."""
    found: dict[str, dict[str, Sequence[str]]] = {}
    for items in unit.items.values():
        for id, item in items.items():
            found.setdefault(id, {}).update({name: groups for name, groups in item.groups.items() if groups})
    return found


def _groupings(groups: stats.Groups, by: Sequence[str]) -> list[str]:
    """Those of `by`, else all that make more than one group: the task's own first, then what a layout adds."""
    names: dict[str, set[str]] = {}
    for groupings in groups.values():
        for name, members in groupings.items():
            names.setdefault(name, set()).update(members)
    if by:
        return [name for name in by if name in names]
    return sorted((name for name in names if len(names[name]) > 1), key=lambda name: name in outcomes.ADDED)


def _only(name: str, groups: stats.Groups) -> stats.Groups:
    return {id: {name: groupings[name]} for id, groupings in groups.items() if name in groupings}


def _side(unit: Unit, name: str, values: Mapping[str, float | None]) -> Side:
    items, entry = list(unit.items[name].values()), unit.entries[name]
    reasons = [item.status for item in items if values[item.id] is None]
    choosing = [item for item in items if item.n_options]
    spread = None
    if choosing:
        spread = agreement.labels(
            [item.shown for item in choosing],
            [item.n_options for item in choosing],
            gold=[item.gold_shown for item in choosing],
        )
    return Side(
        task=unit.name,
        side=name,
        own_task=unit.tasks[name],
        model=str(entry["record"]["model"]) if entry else name,
        n=len(items),
        n_valued=len(items) - len(reasons),
        left_out={reason: reasons.count(reason) for reason in sorted(set(reasons))},
        labels=spread,
        seconds=outcomes.seconds_per_question(items),
        tokens_per_frame=outcomes.tokens_per_frame(items),
        signature=entry["signature"] if entry else "",
    )


def _power(one: Paired) -> Power:
    changed = (one.only_first + one.only_second) / one.n
    return Power(
        one.task,
        one.first,
        one.second,
        stats.detectable_paired(one.n, changed=changed),
        stats.detectable_unpaired(one.n, base=one.mean_first),
    )


def _shared(unit: Unit, one: Paired) -> SharedErrors:
    first, second = unit.items[one.first], unit.items[one.second]
    sides: tuple[dict[str, agreement.Chosen], ...] = ({}, {})
    for id in first.keys() & second.keys():
        pair = first[id], second[id]
        golds = {item.gold for item in pair} - {None}
        if len(golds) > 1:
            return SharedErrors(
                one.first, one.second, 0, 0, why=f"question {id} has two right options: other releases?"
            )
        options = max(item.n_options for item in pair)
        if not golds or not options:
            continue
        for side, item in zip(sides, pair, strict=True):
            if item.choice is not None:
                side[id] = agreement.Chosen(item.choice, min(golds), options)
    return agreement.shared_errors(*sides, names=(one.first, one.second))


def _correlations(
    units: Sequence[Unit], valued: Mapping[str, Mapping[str, Mapping[str, float | None]]]
) -> list[tuple[str, str, Correlation]]:
    """Of each two tasks over the sides, from three sides on."""
    means = {unit.name: {side: _mean(values) for side, values in valued[unit.name].items()} for unit in units}
    pairs = combinations(means, 2) if units and len(units[0].items) > 2 else ()
    return [(a, b, stats.correlation(means[a], means[b])) for a, b in pairs]


def _mean(values: Mapping[str, float | None]) -> float | None:
    known = [value for value in values.values() if value is not None]
    return sum(known) / len(known) if known else None


def _changed(unit: Unit, one: Paired, values: Mapping[str, Mapping[str, float | None]]) -> list[Changed]:
    """Lost and won ones in turn, the largest differences first."""
    first, second = values[one.first], values[one.second]
    common = [id for id in sorted(first.keys() & second.keys()) if None not in (first[id], second[id])]
    apart = sorted((id for id in common if first[id] != second[id]), key=lambda id: -abs(first[id] - second[id]))
    lost = [id for id in apart if first[id] > second[id]]
    won = [id for id in apart if first[id] < second[id]]
    turns = [id for pair in zip_longest(lost, won) for id in pair if id is not None]
    return [_change(unit, one, id, (first[id], second[id])) for id in turns]


def _change(unit: Unit, one: Paired, id: str, values: tuple[float, float]) -> Changed:
    pair = unit.items[one.first][id], unit.items[one.second][id]
    return Changed(
        task=unit.name,
        first=one.first,
        second=one.second,
        id=id,
        question=next((item.question for item in pair if item.question), ""),
        gold=next((item.reference for item in pair if item.reference), ""),
        values=values,
        statuses=(pair[0].status, pair[1].status),
        replies=(pair[0].reply, pair[1].reply),
        options=(pair[0].option, pair[1].option),
    )

"""Paired outcomes: whether two conditions differ on the same items. McNemar's test, adjusted by Holm over all tests.

VIRA-Bench (appendix, statistical testing) compares a condition with each perturbation this way, a layer at a time. It
names neither the form of the test nor the family of the adjustment, and prints no counts: all three forms are given,
and the family is every test of one call.

What belongs here: counts of agreeing and disagreeing items, p-values, their adjustment. What does not: how an item
came to be right or wrong.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

# Binomial; chi-square with one degree of freedom; the same with Edwards' continuity correction.
TESTS = ("exact", "chi2", "chi2_corrected")

Values = Sequence[float | bool | None]


def counts(first: Values, second: Values) -> dict[str, int]:
    """How the items that both conditions have an outcome for fall: `both_right`, `only_first`, `only_second`,
    `both_wrong`; `n` of them in all, and `left_out`, those without an outcome in one or both.

    first, second: 1 (right), 0 (wrong) or None (no outcome) an item, in the same order.
    Raises ValueError for different lengths and other values.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} outcomes: give one an item in both, None if there is none")
    pairs = [(_checked(a, at), _checked(b, at)) for at, (a, b) in enumerate(zip(first, second, strict=True))]
    both = [pair for pair in pairs if None not in pair]
    cells = {"both_right": (1, 1), "only_first": (1, 0), "only_second": (0, 1), "both_wrong": (0, 0)}
    return {name: both.count(cell) for name, cell in cells.items()} | {
        "n": len(both),
        "left_out": len(pairs) - len(both),
    }


def _checked(value: float | bool | None, at: int) -> int | None:
    if value is None or value in (0, 1):
        return None if value is None else int(value)
    raise ValueError(f"item {at}: outcome {value!r}; McNemar's test needs 1 (right), 0 (wrong) or None")


def mcnemar_p(only_first: int, only_second: int, *, test: str = "exact") -> tuple[float, float]:
    """(statistic, p) of McNemar's test, from the two counts of items that only one condition has right.

    test: of `TESTS`. The statistic of `exact` is the smaller count. Equal counts, none at all among them, say nothing
    against the conditions being alike: p is 1, where the formulas divide by 0 or correct past it.
    Raises ValueError for another test and for counts below 0.

    >>> statistic, p = mcnemar_p(10, 2, test="chi2")
    >>> round(statistic, 3), round(p, 4)
    (5.333, 0.0209)
    >>> mcnemar_p(0, 0, test="chi2_corrected")
    (0.0, 1.0)
    """
    if test not in TESTS:
        raise ValueError(f"test {test!r}: expected one of {', '.join(TESTS)}")
    if min(only_first, only_second) < 0:
        raise ValueError(f"counts {only_first} and {only_second}: expected 0 or more")
    if only_first == only_second:
        return (float(only_first) if test == "exact" else 0.0), 1.0
    table = [[0, only_first], [only_second, 0]]
    found = mcnemar(table, exact=test == "exact", correction=test == "chi2_corrected")
    return float(found.statistic), float(found.pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted by Holm's step-down method, in their order; an empty list stays one.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    if not p_values:
        return []
    return [float(p) for p in multipletests(list(p_values), method="holm")[1]]


def compare(
    conditions: Mapping[str, Values],
    *,
    test: str = "exact",
    against: str | None = None,
    groups: Sequence[str | Sequence[str]] | None = None,
) -> dict[str, Any]:
    """McNemar's test for every pair of conditions, p-values adjusted by Holm over all of them.

    Parameters
    ----------
    conditions: two or more, {name: outcomes}, each 1 (right), 0 (wrong) or None (no outcome) an item, the items in the
        same order. An item without an outcome in one of two conditions is left out of that pair alone.
    test: of `TESTS`; whose p is adjusted.
    against: compare this condition with each other one, instead of all pairs.
    groups: name or names of each item's groups: one test a pair and group, and the adjustment is over all of them.

    Returns
    -------
    `tests`: one dictionary a test with `first`, `second`, `group` (None without groups), the counts of `counts`,
    `difference` (share right of first minus second over the common items), `statistic`, `p`, `p_holm`, and `p_values`
    {test: p} of all forms; all None where two conditions have no item in common, which is no test. `n_items`,
    `n_tests` (those that the adjustment is over), `test`, `adjustment` ("holm").

    Raises
    ------
    ValueError: fewer than two conditions, different lengths, other values, an unknown test or condition.
    """
    names = list(conditions)
    if len(names) < 2:
        raise ValueError(f"{len(names)} conditions: give two or more to compare")
    if test not in TESTS:
        raise ValueError(f"test {test!r}: expected one of {', '.join(TESTS)}")
    if against is not None and against not in conditions:
        raise ValueError(f"against={against!r}: expected one of {', '.join(names)}")
    lengths = {name: len(values) for name, values in conditions.items()}
    n_items = lengths[names[0]]
    if set(lengths.values()) != {n_items}:
        raise ValueError(f"outcomes a condition: {lengths}: give one an item in each, None if there is none")
    pairs = [(against, name) for name in names if name != against] if against else list(combinations(names, 2))
    places = _places(groups, n_items)
    tests = [
        {"first": first, "second": second, "group": group}
        | _tested([conditions[first][at] for at in part], [conditions[second][at] for at in part], test)
        for first, second in pairs
        for group, part in places
    ]
    # A pair without common items is no test, and does not weigh on the others.
    made = [one for one in tests if one["n"]]
    for one, adjusted in zip(made, holm([one["p"] for one in made]), strict=True):
        one["p_holm"] = adjusted
    return {"tests": tests, "n_items": n_items, "n_tests": len(made), "test": test, "adjustment": "holm"}


def _places(groups: Sequence[str | Sequence[str]] | None, n_items: int) -> list[tuple[str | None, Sequence[int]]]:
    """(group, places of its items) by name; one without a name for all items if there are no groups."""
    if groups is None:
        return [(None, range(n_items))]
    if len(groups) != n_items:
        raise ValueError(f"{len(groups)} groups for {n_items} items: give one entry an item")
    members: dict[str, list[int]] = {}
    for at, names in enumerate(groups):
        for name in [names] if isinstance(names, str) else names:
            members.setdefault(name, []).append(at)
    return sorted(members.items())


def _tested(first: Values, second: Values, test: str) -> dict[str, Any]:
    found = counts(first, second)
    if not found["n"]:
        nothing = dict.fromkeys(("difference", "statistic", "p", "p_holm"))
        return found | nothing | {"p_values": dict.fromkeys(TESTS)}
    apart = found["only_first"], found["only_second"]
    statistic, p = mcnemar_p(*apart, test=test)
    return found | {
        "difference": (apart[0] - apart[1]) / found["n"],
        "statistic": statistic,
        "p": p,
        "p_holm": p,
        "p_values": {name: mcnemar_p(*apart, test=name)[1] for name in TESTS},
    }

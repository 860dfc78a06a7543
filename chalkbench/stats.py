"""Statistics of outcomes: paired comparisons, differences a group, what a sample can show, correlations of scores.

Outcomes are {id of the item: value}, a share 0..1 of the highest grade, None = no value. Items are taken as
independent; questions on one video are not quite, so that intervals are, if anything, too narrow.

Where there are too few items for an interval or a p-value there is none, and `why` says so. The bounds:

- `MIN_ITEMS` = 10 for an interval: Wilson's of fewer, half of them right, spans more than half of the scale.
- `MIN_CHANGED` for a p-value, of items that the two sides do not have alike. 6 for the exact tests: with fewer even
  the most extreme outcome has p > 0.05 (2 / 2**5), so the test cannot say anything; it says nothing of the others
  either, and is no member of their family (Tarone 1990, Biometrics 46, 515). 25 for the chi-square forms, the usual
  rule of thumb for the approximation.
- `MIN_MODELS` = 5 for a correlation's p-value: of 4, even ranks in perfect order have p = 2 / 4!.

What belongs here: numbers from outcomes. What does not: which option was chosen (`agreement.py`), where outcomes come
from (`outcomes.py`), tables (`compare/`), and the tests that the papers' rules share (`chalkbench.scoring`).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy import optimize
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import power_proportions_2indep
from statsmodels.stats.weightstats import DescrStatsW

from chalkbench.scoring.outcome import wilson
from chalkbench.scoring.paired import TESTS, holm, mcnemar_p

Values = Mapping[str, float | None]
Groups = Mapping[str, Mapping[str, Sequence[str]]]
Bounds = tuple[float, float]

ALPHA = 0.05
POWER = 0.8
SIGN_FLIP = "sign_flip"  # the test of graded values
MIN_ITEMS = 10
MIN_CHANGED = {"exact": 6, SIGN_FLIP: 6, "chi2": 25, "chi2_corrected": 25}
MIN_MODELS = 5
RESAMPLES = 9999
SEED = 0
_EXACT_RANKS = 8  # 8! orders can be gone through


@dataclass(frozen=True)
class Paired:
    """Two sides on the items that both have a value for.

    first, second: names of the sides. task, grouping, group: where the items are from, "" = all.
    n: items in common; left_out: those that only one side has, or that have no value in one.
    mean_first, mean_second: 0..1, None without items. interval_first, interval_second: Wilson 95 %, of 0/1 values.
    difference: mean of second minus mean of first; interval: its 95 % interval (Newcombe 1998, method 10, of 0/1
        values; Student's t of graded ones).
    only_first, only_second: items that only this side has right (McNemar's b and c); of graded values, those where it
        is the higher one.
    test: of `scoring.paired.TESTS`, or `sign_flip` of graded values. p: raw; p_adjusted: by Holm over the `n_tests`
        tests of `family`, None before `adjusted`. why: what is not given, and why not.
    """

    first: str
    second: str
    n: int
    left_out: int
    mean_first: float | None = None
    mean_second: float | None = None
    interval_first: Bounds | None = None
    interval_second: Bounds | None = None
    difference: float | None = None
    interval: Bounds | None = None
    only_first: int = 0
    only_second: int = 0
    test: str = "exact"
    p: float | None = None
    p_adjusted: float | None = None
    family: str = ""
    n_tests: int = 0
    why: tuple[str, ...] = ()
    task: str = ""
    grouping: str = ""
    group: str = ""


def paired(
    sides: Mapping[str, Values], *, against: str | None = None, test: str = "exact", task: str = ""
) -> list[Paired]:
    """Every pair of sides, or one side (`against`) with each other one, on the items that both have a value for.

    0/1 values are tested by McNemar (test: of `scoring.paired.TESTS`), graded ones by flipping the signs of the
    differences: all ways of it where there are at most `RESAMPLES`, else that many at random, seeded.
    Raises ValueError for fewer than two sides, an unknown test or side, and values outside 0..1.
    """
    names = list(sides)
    if len(names) < 2:
        raise ValueError(f"{len(names)} sides: give two or more to compare")
    if test not in TESTS:
        raise ValueError(f"test {test!r}: expected one of {', '.join(TESTS)}")
    if against is not None and against not in sides:
        raise ValueError(f"against={against!r}: expected one of {', '.join(names)}")
    pairs = [(against, name) for name in names if name != against] if against else combinations(names, 2)
    return [replace(_pair(a, b, sides[a], sides[b], test), task=task) for a, b in pairs]


def by_group(
    sides: Mapping[str, Values],
    groups: Groups,
    *,
    against: str | None = None,
    test: str = "exact",
    task: str = "",
) -> list[Paired]:
    """`paired` for each group of each grouping, in the order in which the groupings occur, groups by name.

    groups: {id: {grouping: groups}}; an item counts under each of its groups. Groups without a common item are left
    out.
    """
    members: dict[str, dict[str, set[str]]] = {}
    for id, groupings in groups.items():
        for grouping, names in groupings.items():
            for name in names:
                members.setdefault(grouping, {}).setdefault(name, set()).add(id)
    found = []
    for grouping, parts in members.items():
        for group in sorted(parts):
            part = {side: {id: values[id] for id in values if id in parts[group]} for side, values in sides.items()}
            tests = paired(part, against=against, test=test, task=task)
            found += [replace(one, grouping=grouping, group=group) for one in tests if one.n]
    return found


def adjusted(tests: Iterable[Paired], *, family: Callable[[Paired], str] = lambda one: "all") -> list[Paired]:
    """The tests with p-values adjusted by Holm within each family; those without a p-value are in none.

    family: test → name of its family; by default all are one.
    """
    tests = list(tests)
    members: dict[str, list[int]] = {}
    for place, one in enumerate(tests):
        if one.p is not None:
            members.setdefault(family(one), []).append(place)
    for name, places in members.items():
        for place, p in zip(places, holm([tests[place].p for place in places]), strict=True):
            tests[place] = replace(tests[place], p_adjusted=p, family=name, n_tests=len(places))
    return tests


def _pair(first: str, second: str, values: Values, others: Values, test: str) -> Paired:
    known = [{id for id, value in side.items() if value is not None} for side in (values, others)]
    ids = sorted(known[0] & known[1])
    a, b = ([float(side[id]) for id in ids] for side in (values, others))
    bad = next((value for value in (*a, *b) if not 0 <= value <= 1), None)
    if bad is not None:
        raise ValueError(f"outcome {bad}: expected a share 0..1 of the highest grade, or None")
    found = Paired(first, second, len(ids), len(values.keys() | others.keys()) - len(ids), test=test)
    if not ids:
        return replace(found, why=("no item in common",))
    binary = {*a, *b} <= {0.0, 1.0}
    only_first = sum(x > y for x, y in zip(a, b, strict=True))
    only_second = sum(x < y for x, y in zip(a, b, strict=True))
    found = replace(
        found,
        mean_first=math.fsum(a) / len(a),
        mean_second=math.fsum(b) / len(b),
        difference=math.fsum(y - x for x, y in zip(a, b, strict=True)) / len(a),
        only_first=only_first,
        only_second=only_second,
        test=test if binary else SIGN_FLIP,
    )
    why = []
    if len(ids) < MIN_ITEMS:
        why.append(f"no interval: {_items(len(ids))}, {MIN_ITEMS} needed")
    elif binary:
        right = [round(sum(side)) for side in (a, b)]
        found = replace(
            found,
            interval_first=tuple(wilson(right[0], len(ids))),
            interval_second=tuple(wilson(right[1], len(ids))),
            interval=paired_interval(right[0] - only_first, only_first, only_second, len(ids)),
        )
    elif only_first or only_second:
        low, high = DescrStatsW(np.subtract(b, a)).tconfint_mean(alpha=ALPHA)
        found = replace(found, interval=(max(float(low), -1.0), min(float(high), 1.0)))
    changed, needed = only_first + only_second, MIN_CHANGED[found.test]
    if changed < needed:
        why.append(f"no p: {_items(changed)} changed, {needed} needed")
    elif binary:
        found = replace(found, p=mcnemar_p(only_first, only_second, test=test)[1])
    else:
        found = replace(found, p=_sign_flip(a, b))
    return replace(found, why=tuple(why))


def _items(n: int) -> str:
    return f"{n} item" if n == 1 else f"{n} items"


def paired_interval(both: int, only_first: int, only_second: int, n: int) -> Bounds:
    """95 % interval of second minus first, two shares of the same items (Newcombe 1998, Stat Med 17, method 10).

    both: items that both have right. n: all items, at least 1. Never beyond -1..1.
    """
    neither = n - both - only_first - only_second
    p, q = (both + only_first) / n, (both + only_second) / n
    (low_p, high_p), (low_q, high_q) = wilson(both + only_first, n), wilson(both + only_second, n)
    margins = (both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    agreement = both * neither - only_first * only_second
    if agreement > 0:
        agreement = max(agreement - n / 2, 0)
    phi = agreement / math.sqrt(margins) if margins else 0.0

    def distance(x: float, y: float) -> float:
        return math.sqrt(max(x * x - 2 * phi * x * y + y * y, 0.0))

    low = q - p - distance(q - low_q, high_p - p)
    high = q - p + distance(high_q - q, p - low_p)
    return max(low, -1.0), min(high, 1.0)


def _sign_flip(first: Sequence[float], second: Sequence[float]) -> float:
    differences = np.subtract(second, first)
    changed = differences[differences != 0]  # the others are the same either way
    found = scipy_stats.permutation_test(
        (changed, np.zeros_like(changed)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(SEED),
        vectorized=True,
    )
    return float(found.pvalue)


@dataclass(frozen=True)
class Detectable:
    """The smallest difference of two accuracies that a test would find with `POWER`, at `ALPHA`, two-sided.

    difference: 0..1; None = none of that size can be found with n items, and `why` says so.
    """

    n: int
    difference: float | None
    why: str = ""


def detectable_paired(n: int, *, changed: float) -> Detectable:
    """For two sides on the same n items (Connor 1987, Biometrics 43, 207).

    changed: the share of items that only one of them has right, 0..1.
    Raises ValueError for another share.
    """
    if not 0 <= changed <= 1:
        raise ValueError(f"changed={changed}: expected a share 0..1")
    if n < MIN_ITEMS:
        return Detectable(n, None, f"{_items(n)}, {MIN_ITEMS} needed")
    alpha, beta = (float(scipy_stats.norm.isf(tail)) for tail in (ALPHA / 2, 1 - POWER))
    # sqrt(n) d = alpha sqrt(c) + beta sqrt(c - d^2), solved for d
    half = alpha * math.sqrt(n * changed)
    root = math.sqrt(max(half * half - (n + beta * beta) * (alpha * alpha - beta * beta) * changed, 0.0))
    difference = (half + root) / (n + beta * beta)
    if difference > changed or not changed:
        share = f"{100 * changed:.0f} %"
        return Detectable(n, None, f"with {share} of {n} items changed, no difference is large enough")
    return Detectable(n, difference)


def detectable_unpaired(n: int, *, base: float) -> Detectable:
    """For two sides on n items each, not the same ones; base: the accuracy of one, 0..1.

    The other one is taken towards 0.5, where a difference is harder to find. Raises ValueError for another base.
    """
    if not 0 <= base <= 1:
        raise ValueError(f"base={base}: expected a share 0..1")
    if n < MIN_ITEMS:
        return Detectable(n, None, f"{_items(n)}, {MIN_ITEMS} needed")
    low = min(base, 1 - base)

    def lacking(difference: float) -> float:
        return power_proportions_2indep(difference, low, n, alpha=ALPHA, return_results=False) - POWER

    widest = 1 - low - 1e-9
    if lacking(widest) < 0:
        return Detectable(n, None, f"{_items(n)} are too few for any difference")
    return Detectable(n, float(optimize.brentq(lacking, 1e-9, widest)))


@dataclass(frozen=True)
class Correlation:
    """Two scores over the same models.

    pearson, spearman: -1..1, None where there are fewer than three models or one score never changes. interval: 95 %
    of Pearson's r (Fisher's z). spearman_p: exact for at most eight models.
    """

    n: int
    pearson: float | None = None
    interval: Bounds | None = None
    pearson_p: float | None = None
    spearman: float | None = None
    spearman_p: float | None = None
    why: str = ""


def correlation(first: Values, second: Values) -> Correlation:
    """Pearson's and Spearman's correlation of two scores, {model: score}, over the models that have both."""
    names = sorted(name for name in first.keys() & second.keys() if None not in (first[name], second[name]))
    x, y = ([float(scores[name]) for name in names] for scores in (first, second))
    if len(names) < 3:
        return Correlation(len(names), why=f"{len(names)} models with both scores, 3 needed")
    if len(set(x)) == 1 or len(set(y)) == 1:
        return Correlation(len(names), why="a score is the same for all models")
    straight, ranks = scipy_stats.pearsonr(x, y), scipy_stats.spearmanr(x, y)
    found = Correlation(len(names), pearson=float(straight.statistic), spearman=float(ranks.statistic))
    if len(names) < MIN_MODELS:
        return replace(found, why=f"no p, no interval: {len(names)} models, {MIN_MODELS} needed")
    low, high = straight.confidence_interval(1 - ALPHA)
    return replace(
        found,
        interval=(float(low), float(high)),
        pearson_p=float(straight.pvalue),
        spearman_p=_rank_p(x, y) if len(names) <= _EXACT_RANKS else float(ranks.pvalue),
    )


def _rank_p(x: Sequence[float], y: Sequence[float]) -> float:
    """Of all orders of one side, the share whose correlation is at least as strong."""
    found = scipy_stats.permutation_test(
        (x,),
        lambda values: scipy_stats.spearmanr(values, y).statistic,
        permutation_type="pairings",
        n_resamples=math.inf,
    )
    return float(found.pvalue)

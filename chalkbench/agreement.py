"""Which options were chosen: how the labels are spread, and whether two sides make the same errors.

VIRA-Bench's answer-label diagnostics (appendix E): output labels a model (Table 8), and, of the errors that two
related models share, in how many both chose the same distractor by content, with a permutation test. The paper does
not print what is permuted: see `shared_errors`.

Where there are too few answers there is no p-value, and `why` says so: a chi-square test needs `MIN_EXPECTED` = 5
expected answers a label (Cochran's rule), and shared errors are compared from `MIN_SHARED` = 10 on.

What belongs here: choices. What does not: whether they were right (`stats.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

import numpy as np
from scipy import stats as scipy_stats

MIN_EXPECTED = 5
MIN_SHARED = 10
RESAMPLES = 9999
SEED = 0


@dataclass(frozen=True)
class Labels:
    """How often each label was chosen, as shown.

    n: questions; n_chosen: those with a choice. counts: {label: answers}. expected: the same if every option of a
    question were as likely. distance: total variation between the two, 0..1 (the share of answers that would have to
    move). chi2, p: against the expected counts; where questions differ in how many options they have, p is, if
    anything, too high. gold: {label: right answers}, as shown, of the questions with a choice; {} = not known.
    """

    n: int
    n_chosen: int
    counts: Mapping[str, int]
    expected: Mapping[str, float]
    distance: float | None = None
    chi2: float | None = None
    p: float | None = None
    gold: Mapping[str, int] | None = None
    why: str = ""


def labels(shown: Sequence[int | None], options: Sequence[int], *, gold: Sequence[int | None] | None = None) -> Labels:
    """The spread of the chosen labels.

    shown: the chosen position as shown (0 = A), None = no choice. options: how many there were. gold: the right
    position as shown. Raises ValueError for lists of different lengths and positions that are no option.
    """
    right = [None] * len(shown) if gold is None else gold
    if not len(shown) == len(options) == len(right):
        raise ValueError(f"{len(shown)} choices, {len(options)} counts of options, {len(right)} right answers")
    answered = [(at, of, true) for at, of, true in zip(shown, options, right, strict=True) if at is not None]
    bad = next((at for at, of, _ in answered if not 0 <= at < of), None)
    if bad is not None:
        raise ValueError(f"choice {bad} is no position of an option")
    names = ascii_uppercase[: max((of for _, of, _ in answered), default=0)]
    found = Counter(names[at] for at, _, _ in answered)
    expected = {name: sum(1 / of for _, of, _ in answered if place < of) for place, name in enumerate(names)}
    true = Counter(names[true] for _, of, true in answered if true is not None and 0 <= true < of)
    made = Labels(
        len(shown),
        len(answered),
        {name: found[name] for name in names},
        expected,
        gold={name: true[name] for name in names} if true else {},
    )
    if not answered:
        return replace(made, why="no choice was read")
    made = replace(made, distance=sum(abs(found[name] - expected[name]) for name in names) / 2 / len(answered))
    least = min(expected.values())
    if least < MIN_EXPECTED or len(names) < 2:
        return replace(made, why=f"no p: {least:.1f} answers expected for a label, {MIN_EXPECTED} needed")
    test = scipy_stats.chisquare([found[name] for name in names], list(expected.values()))
    return replace(made, chi2=float(test.statistic), p=float(test.pvalue))


@dataclass(frozen=True)
class Chosen:
    """One side's choice: released position of the chosen and of the right option, and how many options there are."""

    choice: int
    gold: int
    options: int


@dataclass(frozen=True)
class SharedErrors:
    """Questions that two sides both answered with a wrong option.

    n: of them; same: those where both chose the same option, by its released position. share: same / n. expected:
    the mean share over the permutations. by_chance: the share if every wrong option were as likely. p: one-sided,
    of at least so much agreement, (1 + hits) / (1 + resamples).
    """

    first: str
    second: str
    n: int
    same: int
    share: float | None = None
    expected: float | None = None
    by_chance: float | None = None
    p: float | None = None
    resamples: int = 0
    why: str = ""


def shared_errors(
    first: Mapping[str, Chosen],
    second: Mapping[str, Chosen],
    *,
    names: tuple[str, str] = ("first", "second"),
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> SharedErrors:
    """How often two sides fall for the same distractor, against choices of which one is dealt out anew.

    first, second: {id: choice} of the questions where an option was chosen and the right one is known. Questions with
    two options are left out: there is only one way to be wrong.
    Permuted is which of its wrong options the second side chose: by its place among them (in the order of the
    release), over the shared errors with as many options. So its liking for a place stays what it is, and only what
    hangs on the question is lost. Raises ValueError where the sides do not agree on the right option.
    """
    both = []
    for id in sorted(first.keys() & second.keys()):
        one, other = first[id], second[id]
        if one.gold != other.gold:
            raise ValueError(f"question {id}: right option {one.gold} on one side, {other.gold} on the other")
        options = max(one.options, other.options)
        if one.gold not in (one.choice, other.choice) and options > 2:
            both.append((_distractor(one), _distractor(other), options))
    same = sum(a == b for a, b, _ in both)
    found = SharedErrors(*names, len(both), same, same / len(both) if both else None)
    if len(both) < MIN_SHARED:
        return replace(found, why=f"no p: {len(both)} shared errors, {MIN_SHARED} needed")
    generator = np.random.default_rng(seed)
    hits = np.zeros(resamples, dtype=int)
    for count in sorted({options for _, _, options in both}):
        mine = np.array([a for a, _, options in both if options == count])
        other = np.array([b for _, b, options in both if options == count])
        for turn in range(resamples):
            hits[turn] += np.count_nonzero(mine == generator.permutation(other))
    return replace(
        found,
        expected=float(hits.mean()) / len(both),
        by_chance=sum(1 / (options - 1) for *_, options in both) / len(both),
        p=(1 + int(np.count_nonzero(hits >= same))) / (1 + resamples),
        resamples=resamples,
    )


def _distractor(chosen: Chosen) -> int:
    """The place of a wrong option among the wrong ones."""
    return chosen.choice - (chosen.choice > chosen.gold)

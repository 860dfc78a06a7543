"""Statistics of outcomes: known values, symmetry, and no number where there are too few items."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, norm
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from chalkbench import stats
from chalkbench.scoring.paired import holm
from chalkbench.stats import (
    Paired,
    adjusted,
    by_group,
    correlation,
    detectable_paired,
    detectable_unpaired,
    paired,
    paired_interval,
)


def sides(*, both=0, first=0, second=0, neither=0):
    """Two sides with so many items that both, only the first, only the second, and none of them have right."""
    pairs = [(1, 1)] * both + [(1, 0)] * first + [(0, 1)] * second + [(0, 0)] * neither
    return {
        "video": {f"q{place}": float(a) for place, (a, _) in enumerate(pairs)},
        "blind": {f"q{place}": float(b) for place, (_, b) in enumerate(pairs)},
    }


# paired


def test_two_conditions_are_compared_item_by_item():
    [found] = paired(sides(both=20, first=15, second=3, neither=12), task="vira_bench")
    assert (found.first, found.second, found.task, found.n, found.left_out) == ("video", "blind", "vira_bench", 50, 0)
    assert (found.mean_first, found.mean_second) == (0.7, 0.46)
    assert found.difference == pytest.approx(-0.24)
    assert (found.only_first, found.only_second) == (15, 3)
    assert found.p == pytest.approx(binomtest(3, 18).pvalue)
    assert found.interval_first == pytest.approx(proportion_confint(35, 50, method="wilson"))
    assert found.interval_second == pytest.approx(proportion_confint(23, 50, method="wilson"))
    assert found.interval[0] < -0.24 < found.interval[1] < 0
    assert found.why == ()


def test_only_items_that_both_have_a_value_for_count_and_the_others_are_told():
    two = sides(both=5, first=8, neither=2)
    two["video"] |= {"only here": 1.0, "q0": None}
    two["blind"] |= {"only there": 0.0, "q1": None}
    [found] = paired(two)
    assert (found.n, found.left_out, found.only_first) == (13, 4, 8)
    assert found.mean_first == pytest.approx(11 / 13)


def test_sides_without_a_common_item_have_no_numbers():
    [found] = paired({"a": {"q1": 1.0}, "b": {"q2": 1.0}})
    assert (found.n, found.left_out, found.difference, found.p, found.why) == (
        0,
        2,
        None,
        None,
        ("no item in common",),
    )
    assert paired({"a": {}, "b": {}})[0].n == 0


def test_too_few_items_give_no_interval_and_too_few_changed_ones_no_p():
    [found] = paired(sides(both=3, first=5, neither=1))
    assert (found.n, found.mean_first) == (9, pytest.approx(8 / 9))
    assert found.interval is found.interval_first is found.interval_second is found.p is None
    assert found.why == ("no interval: 9 items, 10 needed", "no p: 5 items changed, 6 needed")
    [enough] = paired(sides(both=3, first=6, neither=1))
    assert enough.interval is not None and enough.p == pytest.approx(2 / 2**6) and enough.why == ()
    [rough] = paired(sides(both=3, first=24, neither=1), test="chi2")
    assert rough.p is None and "24 items changed, 25 needed" in rough.why[0]


def test_the_bounds_are_where_their_reasons_put_them():
    least = stats.MIN_CHANGED["exact"]
    assert binomtest(0, least).pvalue < stats.ALPHA < binomtest(0, least - 1).pvalue
    low, high = proportion_confint(stats.MIN_ITEMS // 2, stats.MIN_ITEMS, method="wilson")
    assert 0.5 < high - low < 0.55
    assert 2 / math.factorial(stats.MIN_MODELS) < stats.ALPHA < 2 / math.factorial(stats.MIN_MODELS - 1)


def test_all_pairs_or_one_against_the_others():
    three = sides(both=5, first=7) | {"still": {"q0": 1.0}}
    assert [(one.first, one.second) for one in paired(three)] == [
        ("video", "blind"),
        ("video", "still"),
        ("blind", "still"),
    ]
    assert [(one.first, one.second) for one in paired(three, against="blind")] == [
        ("blind", "video"),
        ("blind", "still"),
    ]


def test_graded_values_are_tested_by_flipping_signs_and_never_by_mcnemar():
    base = {f"q{place}": place / 20 for place in range(10)}
    better = {id: value + 0.05 for id, value in base.items()}
    [found] = paired({"a": base, "b": better})
    assert found.test == "sign_flip" and found.interval_first is None
    assert found.difference == pytest.approx(0.05)
    assert found.p == pytest.approx(2 / 2**10)  # of all 1,024 ways only two are as extreme
    assert found.interval == pytest.approx((0.05, 0.05))
    [noisy] = paired(
        {"a": base, "b": {id: value + (0.3 if id < "q5" else -0.1) for id, value in base.items()} | {"q9": 1.0}}
    )
    assert 0.01 < noisy.p < 1 and noisy.interval[0] < noisy.difference < noisy.interval[1]


def test_what_cannot_be_compared_is_an_error_that_says_why():
    with pytest.raises(ValueError, match="1 sides"):
        paired({"a": {}})
    with pytest.raises(ValueError, match="against='c': expected one of a, b"):
        paired({"a": {}, "b": {}}, against="c")
    with pytest.raises(ValueError, match="expected one of exact"):
        paired({"a": {}, "b": {}}, test="t")
    for value in (1.5, -0.1, math.nan):
        with pytest.raises(ValueError, match="expected a share"):
            paired({"a": {"q": value}, "b": {"q": 1.0}})


OUTCOMES = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, None])] * 2), max_size=60)
GRADES = st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0, None])] * 2), max_size=14)


@settings(max_examples=60)
@given(st.one_of(OUTCOMES, GRADES), st.randoms(use_true_random=False))
def test_swapping_the_sides_mirrors_the_comparison_and_the_order_of_items_is_nothing(rows, shuffler):
    a = {f"q{place}": one for place, (one, _) in enumerate(rows)}
    b = {f"q{place}": two for place, (_, two) in enumerate(rows)}
    [there], [back] = paired({"a": a, "b": b}), paired({"b": b, "a": a})
    assert (there.n, there.left_out, there.why) == (back.n, back.left_out, back.why)
    assert (there.only_first, there.only_second) == (back.only_second, back.only_first)
    assert (there.p is None) == (back.p is None)
    if there.p is not None:
        assert there.p == pytest.approx(back.p) and 0 < there.p <= 1
    if there.n:
        assert there.difference == pytest.approx(-back.difference)
    if there.interval is not None:
        assert there.interval == pytest.approx((-back.interval[1], -back.interval[0]))
        assert -1 <= there.interval[0] <= there.difference + 1e-12
        assert there.difference - 1e-12 <= there.interval[1] <= 1
    ids = list(a)
    shuffler.shuffle(ids)
    assert paired({"a": {id: a[id] for id in ids}, "b": b}) == [there]


# interval of a difference


def test_independent_margins_give_newcombe_s_interval_of_unpaired_shares():
    # 12 * 18 = 216 = 24 * 9: no correlation, so method 10 is method 10 of unpaired shares
    low, high = paired_interval(12, 24, 9, 63)
    expected = confint_proportions_2indep(21, 63, 36, 63, method="newcomb", compare="diff")
    assert (low, high) == pytest.approx(expected)


def test_agresti_s_approval_ratings_lost_two_to_six_points():
    # Agresti, Categorical Data Analysis, section 10.1: 794, 150, 86, 570; the interval 0.02 to 0.06
    low, high = paired_interval(794, 150, 86, 1600)
    assert (round(low, 2), round(high, 2)) == (-0.06, -0.02)


def test_the_interval_holds_the_true_difference_about_95_times_in_100():
    generator = np.random.default_rng(1)
    held = 0
    for both, first, second, _ in generator.multinomial(40, [0.4, 0.25, 0.1, 0.25], size=2000):
        low, high = paired_interval(int(both), int(first), int(second), 40)
        held += low <= -0.15 <= high
    assert 0.935 < held / 2000 < 0.975


# groups and families


def test_groups_are_compared_one_by_one_under_each_of_their_names():
    two = sides(both=10, first=8, neither=2)
    groups = {id: {"layer": ["OEG" if int(id[1:]) < 10 else "ICR"], "skill": ["x", "y"]} for id in two["video"]}
    groups["q5"] = {"skill": ["y"]}
    found = by_group(two, groups, task="t")
    assert [(one.grouping, one.group, one.n, one.only_first) for one in found] == [
        ("layer", "ICR", 10, 8),
        ("layer", "OEG", 9, 0),
        ("skill", "x", 19, 8),
        ("skill", "y", 20, 8),
    ]
    assert {one.task for one in found} == {"t"}
    assert by_group(two, {"unknown": {"layer": ["OEG"]}}) == []


def made(p, grouping="", group=""):
    return Paired("a", "b", 50, 0, p=p, grouping=grouping, group=group)


def test_the_family_of_holm_is_said_and_those_without_a_p_are_in_none():
    tests = [made(0.01), made(0.04), made(None), made(0.03), made(0.005, "layer", "ICR")]
    found = adjusted(tests)
    assert [one.p_adjusted for one in found] == [
        *(pytest.approx(p) for p in (0.03, 0.06)),
        None,
        *(pytest.approx(p) for p in (0.06, 0.02)),
    ]
    assert [(one.family, one.n_tests) for one in found] == [("all", 4), ("all", 4), ("", 0), ("all", 4), ("all", 4)]
    apart = adjusted(tests, family=lambda one: one.grouping or "whole")
    assert [one.p_adjusted for one in apart] == [
        *(pytest.approx(p) for p in (0.03, 0.06)),
        None,
        *(pytest.approx(p) for p in (0.06, 0.005)),
    ]
    assert [one.n_tests for one in apart] == [3, 3, 0, 3, 1]


@pytest.mark.parametrize("seed", range(4))
def test_holm_does_not_care_for_the_order_of_the_tests(seed):
    values = [0.001, 0.01, 0.02, 0.03, 0.04]
    order = random.Random(seed).sample(values, len(values))
    found = {one.p: one.p_adjusted for one in adjusted([made(p) for p in order])}
    assert found == dict(zip(values, holm(values), strict=True))


# VIRA-Bench, Table 3: the accuracy of a layer in percent, full input and perturbed, for five models. The paper prints
# no counts of changed items. The least favourable ones that fit are taken: as many items as possible change both ways.
VIRA = {
    ("ASR only", "OEG"): (497, (62.0, 60.8, 57.7, 55.1, 45.1), (40.0, 42.9, 43.3, 38.2, 32.4)),
    ("visual shuffle", "ICR"): (529, (55.0, 50.1, 53.7, 54.3, 39.3), (35.9, 36.9, 35.9, 36.9, 27.4)),
}


@pytest.mark.parametrize("perturbation", VIRA)
def test_vira_s_ten_declines_survive_whatever_the_family(perturbation):
    n, full, perturbed = VIRA[perturbation]
    tests = []
    for model, (before, after) in enumerate(zip(full, perturbed, strict=True)):
        right, left = round(before * n / 100), round(after * n / 100)
        won = min(left, n - right)
        both, lost = left - won, right - left + won
        [one] = paired(sides(both=both, first=lost, second=won, neither=n - both - lost - won), task=f"model {model}")
        assert (one.n, round(one.mean_first, 2), round(one.mean_second, 2)) == (
            n,
            round(before / 100, 2),
            round(after / 100, 2),
        )
        tests.append(one)
    others = [made(1.0) for _ in range(25)]  # three layers, two perturbations, five models: the rest finds nothing
    assert max(one.p_adjusted for one in adjusted([*tests, *others])[:5]) < 0.05
    assert max(one.p_adjusted for one in adjusted([*tests, *others], family=lambda one: one.task)[:5]) < 0.05


# what a sample can show


def test_connor_s_formula_holds_and_such_a_difference_is_found_four_times_in_five():
    found = detectable_paired(300, changed=0.3)
    z = norm.isf(0.025) * math.sqrt(0.3) + norm.isf(0.2) * math.sqrt(0.3 - found.difference**2)
    assert z**2 / found.difference**2 == pytest.approx(300)
    lost, won = (0.3 + found.difference) / 2, (0.3 - found.difference) / 2
    power = sum(
        binom.pmf(changed, 300, 0.3) * binom.pmf(b, changed, lost / (lost + won))
        for changed in range(30, 160)
        for b in range(changed + 1)
        if abs(2 * b - changed) > norm.isf(0.025) * math.sqrt(changed)
    )
    assert power == pytest.approx(0.8, abs=0.02)


def test_fleiss_s_388_a_group_tell_40_from_50_percent():
    assert detectable_unpaired(388, base=0.4).difference == pytest.approx(0.1, abs=0.0005)
    assert detectable_unpaired(388, base=0.6).difference == pytest.approx(0.1, abs=0.0005)


def test_a_sample_that_can_show_nothing_says_so():
    assert detectable_paired(9, changed=0.5).why == detectable_unpaired(9, base=0.5).why == "9 items, 10 needed"
    none = detectable_paired(20, changed=0.1)
    assert none.difference is None and none.why == "with 10 % of 20 items changed, no difference is large enough"
    assert detectable_paired(1000, changed=0).difference is None
    with pytest.raises(ValueError, match="share"):
        detectable_paired(20, changed=1.1)
    with pytest.raises(ValueError, match="share"):
        detectable_unpaired(20, base=-1)


@given(st.integers(20, 3000), st.floats(0.2, 1))
def test_more_items_show_smaller_differences(n, changed):
    less, more = detectable_paired(n, changed=changed), detectable_paired(2 * n, changed=changed)
    assert less.difference is None or more.difference < less.difference
    assert detectable_unpaired(2 * n, base=changed).difference < detectable_unpaired(n, base=changed).difference


# correlation


def test_anscombe_s_first_set():
    x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    found = correlation({str(at): v for at, v in enumerate(x)}, {str(at): v for at, v in enumerate(y)} | {"none": 3.0})
    assert (found.n, round(found.pearson, 3), round(found.pearson_p, 4)) == (11, 0.816, 0.0022)
    assert round(found.spearman, 3) == 0.818
    assert found.interval[0] < found.pearson < found.interval[1]


def test_few_models_have_exact_ranks_or_no_p_at_all():
    scores = {name: place for place, name in enumerate("abcdefgh")}
    five = {name: scores[name] for name in "abcde"}
    assert correlation(five, {name: value**3 for name, value in five.items()}).spearman_p == pytest.approx(2 / 120)
    four = correlation({name: scores[name] for name in "abcd"}, scores)
    assert (four.n, four.spearman, four.spearman_p, four.interval) == (4, 1.0, None, None)
    assert four.why == "no p, no interval: 4 models, 5 needed"
    assert correlation({"a": 1, "b": 2}, scores).why == "2 models with both scores, 3 needed"
    assert correlation(five, dict.fromkeys(five, 0.5)).why == "a score is the same for all models"
    assert correlation({"a": None, "b": 1, "c": 2, "d": 3}, scores).n == 3


def test_correlation_is_the_same_both_ways():
    generator = random.Random(3)
    x, y = ({name: generator.random() for name in "abcdefg"} for _ in range(2))
    there, back = correlation(x, y), correlation(y, dict(reversed(x.items())))
    assert there.pearson == pytest.approx(back.pearson) and there.spearman_p == pytest.approx(back.spearman_p)

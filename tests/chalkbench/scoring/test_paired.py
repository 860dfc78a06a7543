import doctest
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from chalkbench.scoring import paired
from chalkbench.scoring.paired import TESTS, compare, counts, holm, mcnemar_p

VALUES = st.sampled_from([0, 1, None])


def outcomes(*, both=0, first=0, second=0, none=0):
    """Two lists with so many items that both, the first, the second, and none of the two have right."""
    return [1] * (both + first) + [0] * (second + none), [1] * both + [0] * first + [1] * second + [0] * none


def test_items_without_an_outcome_in_one_condition_are_left_out_of_the_pair_and_counted():
    assert counts([1, 1, 0, 0, None, 1, None], [1, 0, 1, 0, 1, None, None]) == {
        "both_right": 1,
        "only_first": 1,
        "only_second": 1,
        "both_wrong": 1,
        "n": 4,
        "left_out": 3,
    }


def test_each_form_is_what_its_formula_says():
    b, c = 25, 10
    assert mcnemar_p(b, c)[1] == pytest.approx(binomtest(b, b + c).pvalue)
    assert mcnemar_p(b, c, test="chi2")[0] == pytest.approx((b - c) ** 2 / (b + c))
    assert mcnemar_p(b, c, test="chi2_corrected")[0] == pytest.approx((b - c - 1) ** 2 / (b + c))
    assert mcnemar_p(b, c, test="chi2")[1] == pytest.approx(chi2.sf((b - c) ** 2 / (b + c), 1))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("count", [0, 1, 7])
def test_equal_counts_say_nothing_against_the_conditions_being_alike(count, test):
    assert mcnemar_p(count, count, test=test)[1] == 1.0


def test_agresti_s_table_of_approval_ratings():
    # Agresti, Categorical Data Analysis: 86 and 150 changed their mind; z = 4.17, z^2 = 17.36
    statistic, p = mcnemar_p(150, 86, test="chi2")
    assert round(statistic, 2) == 17.36
    assert p < 0.0001


def test_holm_multiplies_the_smallest_by_the_number_of_tests_and_never_falls():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_all_pairs_are_tested_and_adjusted_together():
    video, blind = outcomes(both=20, first=15, second=3, none=12)
    result = compare({"video": video, "blind": blind, "same": video})
    assert [(one["first"], one["second"]) for one in result["tests"]] == [
        ("video", "blind"),
        ("video", "same"),
        ("blind", "same"),
    ]
    first, alike, last = result["tests"]
    assert (first["n"], first["only_first"], first["only_second"], first["difference"]) == (50, 15, 3, 0.24)
    assert (alike["p"], alike["p_holm"], last["difference"]) == (1.0, 1.0, -0.24)
    assert first["p_holm"] == pytest.approx(3 * first["p"]) == last["p_holm"]
    assert (result["n_tests"], result["n_items"], result["adjustment"]) == (3, 50, "holm")


def test_one_condition_can_be_compared_with_each_other_one():
    video, blind = outcomes(both=5, first=9, second=1)
    result = compare({"blind": blind, "video": video, "more": blind}, against="video", test="chi2")
    assert [(one["first"], one["second"]) for one in result["tests"]] == [("video", "blind"), ("video", "more")]
    assert result["tests"][0]["p"] == result["tests"][0]["p_values"]["chi2"]
    with pytest.raises(ValueError, match="against='audio': expected one of blind, video"):
        compare({"blind": blind, "video": video}, against="audio")


def test_groups_are_tested_one_by_one_and_the_adjustment_is_over_all():
    video, blind = outcomes(first=8, none=8)
    result = compare({"video": video, "blind": blind}, groups=["OEG"] * 8 + [["ICR", "all"]] * 8)
    assert [(one["group"], one["n"], one["only_first"]) for one in result["tests"]] == [
        ("ICR", 8, 0),
        ("OEG", 8, 8),
        ("all", 8, 0),
    ]
    assert result["tests"][1]["p_holm"] == pytest.approx(3 * result["tests"][1]["p"])
    with pytest.raises(ValueError, match="1 groups for 16 items"):
        compare({"video": video, "blind": blind}, groups=["OEG"])


def test_a_condition_that_failed_throughout_does_not_weigh_on_the_others():
    video, blind = outcomes(first=9, second=1)
    alone = compare({"video": video, "blind": blind})["tests"][0]
    result = compare({"video": video, "blind": blind, "failed": [None] * 10})
    assert result["tests"][0]["p_holm"] == alone["p_holm"]
    assert [(one["n"], one["left_out"], one["p"], one["p_holm"]) for one in result["tests"][1:]] == [
        (0, 10, None, None)
    ] * 2
    assert result["n_tests"] == 1
    assert compare({"a": [], "b": []})["n_tests"] == 0


@pytest.mark.parametrize("value", [0.5, 2, -1, math.nan])
def test_a_grade_is_no_outcome_for_this_test(value):
    with pytest.raises(ValueError, match="item 1: outcome"):
        counts([1, value], [1, 0])


def test_what_cannot_be_compared_is_an_error_that_says_why():
    with pytest.raises(ValueError, match="1 conditions"):
        compare({"a": [1]})
    with pytest.raises(ValueError, match="'a': 1, 'b': 2"):
        compare({"a": [1], "b": [1, 0]})
    with pytest.raises(ValueError, match="exact, chi2, chi2_corrected"):
        compare({"a": [1], "b": [1]}, test="t")


@given(st.lists(st.tuples(VALUES, VALUES), max_size=40))
def test_the_counts_make_up_the_items_and_the_order_of_two_conditions_changes_no_p(rows):
    first, second = [one for one, _ in rows], [two for _, two in rows]
    found, back = counts(first, second), counts(second, first)
    cells = [found[name] for name in ("both_right", "only_first", "only_second", "both_wrong")]
    assert sum(cells) == found["n"] == len(rows) - found["left_out"]
    for test in TESTS:
        p = mcnemar_p(found["only_first"], found["only_second"], test=test)[1]
        assert 0 <= p <= 1
        assert p == mcnemar_p(back["only_first"], back["only_second"], test=test)[1]


# VIRA-Bench, Table 3: accuracy of a layer's n items, full input and perturbed. The paper prints no discordant counts,
# so the least favourable ones that fit its accuracies are taken: as many items as possible change both ways.
OEG_ASR_ONLY = {"n": 497, "full": (62.0, 60.8, 57.7, 55.1, 45.1), "perturbed": (40.0, 42.9, 43.3, 38.2, 32.4)}
ICR_SHUFFLED = {"n": 529, "full": (55.0, 50.1, 53.7, 54.3, 39.3), "perturbed": (35.9, 36.9, 35.9, 36.9, 27.4)}


@pytest.mark.parametrize("table", [OEG_ASR_ONLY, ICR_SHUFFLED])
@pytest.mark.parametrize("test", TESTS)
def test_vira_s_claim_that_all_five_declines_survive_holm_follows_from_its_printed_accuracies(table, test):
    worst = []
    for full, perturbed in zip(table["full"], table["perturbed"], strict=True):
        right, left = round(full * table["n"] / 100), round(perturbed * table["n"] / 100)
        only_perturbed = min(left, table["n"] - right)
        worst.append(mcnemar_p(right - left + only_perturbed, only_perturbed, test=test)[1])
    # among the tests of three layers for five models and one perturbation, the ten others not significant
    assert max(holm(worst + [1.0] * 10)[:5]) < 0.05


def test_the_examples_say_what_is_true():
    result = doctest.testmod(paired)
    assert result.attempted >= 4 and result.failed == 0

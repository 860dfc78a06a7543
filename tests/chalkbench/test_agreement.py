"""Chosen labels and shared errors: VIRA-Bench's printed figures, shuffled options, and what is too little."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalkbench.agreement import Chosen, labels, shared_errors

# VIRA-Bench, Table 8: labels that models chose in the full condition, of 1,322 questions with four options.
TABLE_8 = {
    "Gemini 3 Pro": (293, 345, 342, 342),
    "Qwen3.5-Flash": (291, 340, 340, 351),
    "Qwen3-VL-32B-Inst": (332, 334, 319, 337),
}


@pytest.mark.parametrize("model", TABLE_8)
def test_vira_s_table_8_shows_no_collapse(model):
    counts = TABLE_8[model]
    shown = [place for place, count in enumerate(counts) for _ in range(count)]
    found = labels(shown, [4] * 1322, gold=[0] * 330 + [1] * 331 + [2] * 331 + [3] * 330)
    assert tuple(found.counts.values()) == counts and found.gold == {"A": 330, "B": 331, "C": 331, "D": 330}
    assert found.chi2 == pytest.approx(sum((count - 330.5) ** 2 / 330.5 for count in counts))
    assert found.distance == pytest.approx(sum(max(count - 330.5, 0) for count in counts) / 1322)
    assert found.p > 0.05 and found.distance < 0.03 and found.why == ""


def test_a_model_that_always_says_a_is_found_out():
    found = labels([0] * 40, [4] * 40)
    assert (found.counts, found.distance, found.chi2) == ({"A": 40, "B": 0, "C": 0, "D": 0}, 0.75, 120.0)
    assert found.p < 1e-20


def test_questions_with_more_options_expect_more_labels():
    found = labels([0, 1, 2, 3], [2, 2, 4, 4])
    assert found.expected == {"A": 1.5, "B": 1.5, "C": 0.5, "D": 0.5}
    assert found.distance == pytest.approx((0.5 + 0.5 + 0.5 + 0.5) / 2 / 4)


def test_too_few_answers_have_a_distance_and_no_p():
    found = labels([0, 1, None], [4, 4, 4])
    assert (found.n, found.n_chosen, found.distance, found.p) == (3, 2, 0.5, None)
    assert found.why == "no p: 0.5 answers expected for a label, 5 needed"
    assert labels([None], [4]).why == "no choice was read"
    assert labels([], []).n == 0
    with pytest.raises(ValueError, match="choice 4"):
        labels([4], [4])
    with pytest.raises(ValueError, match="1 choices, 2 counts"):
        labels([1], [4, 4])


def choices(places, *, gold=0, options=4):
    return {f"q{at:04}": Chosen(place, gold, options) for at, place in enumerate(places)}


def test_vira_s_shared_errors_are_more_than_permutation_gives():
    # appendix E: on 924 shared errors the same distractor in 47.6 %, p < 0.001
    first = [1 + at % 3 for at in range(924)]
    second = [place if at % 1000 < 440 else 1 + place % 3 for at, place in enumerate(first)]
    found = shared_errors(choices(first), choices(second), names=("Think", "Inst"))
    assert (found.first, found.n, found.same, round(100 * found.share, 1)) == ("Think", 924, 440, 47.6)
    assert found.by_chance == pytest.approx(1 / 3) and found.expected == pytest.approx(1 / 3, abs=0.01)
    assert found.p < 0.001


def test_right_answers_and_questions_of_one_side_are_no_shared_errors():
    first = choices([0, 1, 1, 2, 3])
    second = choices([1, 0, 1, 3])
    found = shared_errors(first, second)
    assert (found.n, found.same, found.share, found.p) == (2, 1, 0.5, None)
    assert found.why == "no p: 2 shared errors, 10 needed"
    assert shared_errors({}, {}).share is None


def test_two_options_leave_no_choice_of_a_wrong_one():
    two = choices([1] * 20, options=2)
    assert shared_errors(two, two).n == 0


def test_sides_that_both_like_one_place_do_not_agree_on_content():
    # both choose the first wrong option nearly always: they agree in most, and so do the permutations
    first = choices([1] * 55 + [2] * 5)
    second = choices([2] * 5 + [1] * 55)
    found = shared_errors(first, second)
    assert found.share > 0.8 and found.p > 0.05
    assert found.expected == pytest.approx((55 * 55 + 5 * 5) / 3600, abs=0.01)


def test_another_right_option_is_an_error():
    with pytest.raises(ValueError, match="question q0000: right option 0 on one side, 1 on the other"):
        shared_errors(choices([2]), choices([2], gold=1))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=10, max_size=60))
def test_swapped_sides_share_the_same_errors(rows):
    first = {f"q{at}": Chosen(a, gold, 4) for at, (a, _, gold) in enumerate(rows)}
    second = {f"q{at}": Chosen(b, gold, 4) for at, (_, b, gold) in enumerate(rows)}
    there, back = shared_errors(first, second, resamples=200), shared_errors(second, first, resamples=200)
    assert (there.n, there.same, there.why) == (back.n, back.same, back.why)
    assert there == shared_errors(dict(reversed(first.items())), second, resamples=200)
    assert there.p is None or 1 / 201 <= there.p <= 1

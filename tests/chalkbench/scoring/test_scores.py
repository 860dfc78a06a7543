from functools import partial

import pytest

from chalkbench.scoring.outcome import Outcome, failed
from chalkbench.scoring.scores import score_outcomes

graded = partial(score_outcomes, main="score")

ITEMS = [Outcome(4.0), Outcome(1.0), failed("unparsed"), failed("judge_failed"), failed("media_missing")]


def test_a_fault_of_the_model_counts_as_0_and_one_of_the_judge_is_left_out_and_counted():
    result = graded(ITEMS)
    assert (result["score"], result["n"], result["n_scored"], result["n_counted"]) == (pytest.approx(5 / 3), 5, 2, 3)
    assert result["denominator"] == (
        "strict: mean over 3 of 5 items; counted as 0: 1 unparsed; left out: 1 judge_failed, 1 media_missing"
    )
    assert result["interval"] is None


def test_answered_takes_the_mean_over_what_has_a_grade():
    result = graded(ITEMS, protocol="answered")
    assert (result["score"], result["n_counted"]) == (2.5, 2)


def test_macro_is_the_mean_over_groups_and_an_item_counts_in_each_of_its_groups():
    result = graded([Outcome(4.0), Outcome(2.0)], groups=[["a", "b"], "a"])
    assert {name: part["score"] for name, part in result["by_group"].items()} == {"a": 3.0, "b": 4.0}
    assert result["macro"] == 3.5


def test_nothing_that_counts_gives_no_score():
    assert graded([])["score"] is None
    assert graded([failed("judge_failed")], groups=["a"])["macro"] is None

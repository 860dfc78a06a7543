"""Aggregation: unweighted means, and unavailable cells."""

import pytest

from chalkbench.scoring.aggregate import OVERALL, macro, mean


def test_mean_leaves_out_what_is_not_there() -> None:
    assert mean([60.0, None, 40.0]) == 50.0
    assert mean([]) is None
    assert mean([None]) is None


def test_macro_is_the_mean_of_subtasks_and_then_of_tasks() -> None:
    scores = macro({"SP/KCR": 90.0, "SP/DCC": 60.0, "SP/LDT": 60.0, "OR/OCR": 50.0, "TA": 24.0})
    assert scores["SP"] == 70.0
    assert scores["OR"] == 50.0
    assert scores[OVERALL] == 48.0


def test_a_cell_that_a_model_cannot_do_is_left_out_and_so_is_a_task_of_such_cells() -> None:
    scores = macro({"AC/ST": None, "AC/CL": 80.0, "AE/VS": None, "AE/KT": None, "TA": 20.0})
    assert scores["AC"] == 80.0
    assert scores["AE"] is None
    assert scores[OVERALL] == 50.0


def test_macro_of_nothing_has_no_overall() -> None:
    assert macro({}) == {OVERALL: None}


def test_macro_keeps_deeper_levels_apart() -> None:
    scores = macro({"a/b/c": 1.0, "a/b/d": 3.0, "a/e": 4.0})
    assert (scores["a/b"], scores["a"], scores[OVERALL]) == (2.0, 3.0, 3.0)


def test_a_group_that_is_also_a_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="'SP' is a cell and the group of another cell"):
        macro({"SP": 50.0, "SP/KCR": 40.0})

"""Aggregation: micro and macro means, unavailable cells, and the papers' rules."""

import math

import pytest

from chalkbench.scoring.aggregate import OVERALL, RULES, aggregate, macro, mean, path_of
from chalkbench.scoring.outcome import MEDIA_MISSING, UNPARSED, Outcome, failed, wilson

RIGHT, WRONG = Outcome(1.0), Outcome(0.0)


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


def test_micro_and_macro_differ_on_unbalanced_groups_and_the_official_one_is_the_value() -> None:
    outcomes = [RIGHT] * 9 + [WRONG] + [WRONG] * 2
    paths = ["quiz/Math"] * 10 + ["quiz/Physics"] * 2
    official = aggregate(outcomes, paths, official="macro")
    assert official["quiz"].macro == pytest.approx(0.45)
    assert official["quiz"].micro == pytest.approx(0.75)
    assert official["quiz"].value == official["quiz"].macro
    assert aggregate(outcomes, paths, official="micro")["quiz"].value == pytest.approx(0.75)
    assert list(official) == [OVERALL, "quiz", "quiz/Math", "quiz/Physics"]


def test_a_leaf_s_two_means_are_the_same() -> None:
    score = aggregate([RIGHT, WRONG], ["a/b", "a/b"], official="macro")["a/b"]
    assert score.micro == score.macro == 0.5


def test_denominators_follow_the_protocol_and_reasons_are_counted() -> None:
    outcomes = [RIGHT, failed(UNPARSED), failed(MEDIA_MISSING)]
    strict = aggregate(outcomes, [""] * 3, official="micro")[OVERALL]
    assert (strict.value, strict.n, strict.n_scored, strict.n_counted) == (0.5, 3, 1, 2)
    assert strict.not_scored == {MEDIA_MISSING: 1, UNPARSED: 1}
    answered = aggregate(outcomes, [""] * 3, official="micro", protocol="answered")[OVERALL]
    assert (answered.value, answered.n_counted) == (1.0, 1)


def test_a_group_whose_items_all_failed_has_no_score_and_does_not_lower_the_overall() -> None:
    scores = aggregate([RIGHT, failed(MEDIA_MISSING)], ["a/x", "b/y"], official="macro")
    assert scores["b"].value is None
    assert scores[OVERALL].value == 1.0


def test_the_interval_is_wilson_s_and_only_for_right_or_wrong() -> None:
    right_or_wrong = aggregate([RIGHT] * 3 + [WRONG], ["a"] * 4, official="micro")[OVERALL]
    assert right_or_wrong.interval == tuple(wilson(3, 4))
    assert aggregate([Outcome(0.5)], ["a"], official="micro")[OVERALL].interval is None
    assert aggregate([], [], official="micro")[OVERALL].interval is None


def test_scores_of_another_range_are_scaled_before_they_meet_shares() -> None:
    outcomes = [Outcome(60.0), RIGHT]
    scores = aggregate(outcomes, ["AE/VS", "TA"], official="macro", scales={"AE/VS": 100})
    assert scores["AE"].value == pytest.approx(0.6)
    assert scores[OVERALL].value == pytest.approx(0.8)
    assert math.isclose(outcomes[0].value or 0, 60.0)


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="1 paths for 2 items"):
        aggregate([RIGHT, WRONG], ["a"], official="micro")


def test_a_row_s_path_is_made_of_its_benchmark_s_levels() -> None:
    row = {"task": "SP", "subtask": "KCR", "discipline": "Mathematics"}
    assert path_of(row, "lemon") == "SP/KCR"
    assert path_of(row | {"task": "TA", "subtask": ""}, "lemon") == "TA"
    assert path_of(row | {"task": "quiz"}, "video_mmlu") == "quiz/Mathematics"
    assert path_of(row, "mmou") == ""
    with pytest.raises(ValueError, match="expected one of instructionbench"):
        path_of(row, "lemonade")


def test_every_benchmark_has_its_official_mean() -> None:
    assert {name: rule.official for name, rule in RULES.items()} == {
        "lemon": "macro",
        "video_mmlu": "macro",
        "instructionbench": "micro",
        "vira_bench": "micro",
        "mmou": "micro",
    }

"""Grading replies: value, reason, denominators."""

import pytest

from chalkbench.scoring.options import outcomes
from chalkbench.scoring.outcome import Outcome
from chalkbench.scoring.scores import score_outcomes

CELL = ["The mitochondria", "The ribosome", "The nucleus", "The cell wall"]


def score(replies, gold, statuses=None, **more):
    return score_outcomes(outcomes(replies, [CELL] * len(replies), gold, statuses=statuses), **more)


def test_a_reply_is_right_wrong_or_not_scored() -> None:
    assert outcomes(["B", "the nucleus", "no idea", "<think>B"], [CELL] * 4, [1, 1, 1, 1]) == [
        Outcome(1.0, choice="B", rule="label"),
        Outcome(0.0, choice="C", rule="option_text"),
        Outcome(None, status="unparsed"),
        Outcome(None, status="truncated_reasoning", rule="reasoning"),
    ]


def test_a_hidden_gold_is_read_and_not_scored() -> None:
    assert outcomes(["B", "?"], [CELL] * 2, [-1, -1]) == [
        Outcome(None, status="hidden_gold", choice="B", rule="label"),
        Outcome(None, status="hidden_gold"),
    ]


def test_a_failure_before_the_reply_keeps_its_reason() -> None:
    statuses = ["media_missing", None, "scored", "out_of_memory"]
    graded = outcomes(["B", "B", "B", "B"], [CELL] * 4, [1] * 4, statuses=statuses)
    assert [one.status for one in graded] == ["media_missing", "scored", "scored", "out_of_memory"]


def test_strict_counts_faults_of_the_model_as_wrong_and_leaves_out_the_rest() -> None:
    replies = ["B", "A", "no idea", "<think>", "", "", "B"]
    statuses = [None, None, None, None, "out_of_memory", "media_missing", None]
    gold = [1, 1, 1, 1, 1, 1, -1]
    strict = score(replies, gold, statuses=statuses)
    assert strict["accuracy"] == 1 / 5
    assert (strict["n"], strict["n_scored"], strict["n_counted"]) == (7, 2, 5)
    assert strict["not_scored"] == {
        "hidden_gold": 1,
        "media_missing": 1,
        "out_of_memory": 1,
        "truncated_reasoning": 1,
        "unparsed": 1,
    }
    assert strict["denominator"] == (
        "strict: accuracy over 5 of 7 items; counted as wrong: 1 out_of_memory, 1 truncated_reasoning, 1 unparsed; "
        "left out: 1 hidden_gold, 1 media_missing"
    )
    answered = score(replies, gold, statuses=statuses, protocol="answered")
    assert (answered["accuracy"], answered["n_counted"], answered["n_scored"]) == (1 / 2, 2, 2)
    assert "left out: 1 hidden_gold, 1 media_missing, 1 out_of_memory" in answered["denominator"]


def test_groups_have_the_same_keys_and_macro_is_their_mean() -> None:
    result = score(["B", "B", "A", "?"], [1, 1, 1, 1], groups=["x", ["x", "y"], "y", "z"])
    assert {name: part["accuracy"] for name, part in result["by_group"].items()} == {"x": 1.0, "y": 0.5, "z": 0.0}
    assert result["macro"] == 0.5
    assert result["by_group"]["z"]["not_scored"] == {"unparsed": 1}
    assert result["by_group"]["x"].keys() == {"accuracy", "n", "n_scored", "n_counted", "not_scored", "interval"}


def test_a_group_without_counted_items_has_no_part_in_the_macro_mean() -> None:
    result = score(["B", "B"], [1, -1], groups=["x", "y"])
    assert result["by_group"]["y"]["accuracy"] is None
    assert result["macro"] == 1.0


def test_nothing_to_score_is_none_and_not_a_number() -> None:
    result = score([], [])
    assert (result["accuracy"], result["interval"], result["macro"], result["n"]) == (None, None, None, 0)
    assert score(["B"], [-1])["accuracy"] is None


def test_the_interval_is_wilsons() -> None:
    low, high = score(["B"] * 8 + ["A"] * 2, [1] * 10)["interval"]
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)


def test_each_item_has_its_own_labels() -> None:
    result = score_outcomes(outcomes(["C", "C"], [["x", "y"], ["x", "y", "z"]], [0, 2]))
    assert (result["accuracy"], result["not_scored"]) == (0.5, {"unparsed": 1})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gold": [4]}, "item 0: answer_index 4 is outside -1..3"),
        ({"gold": [-2]}, "answer_index -2"),
        ({"gold": [1, 1]}, "2 answer_indices"),
        ({"gold": [1], "statuses": []}, "0 statuses"),
        ({"gold": [1], "statuses": ["lost"]}, "'lost' is no known reason"),
        ({"gold": [1], "groups": []}, "0 groups for 1 items"),
        ({"gold": [1], "protocol": "lenient"}, "protocol 'lenient'"),
    ],
)
def test_wrong_input_is_named(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score(["B"], arguments.pop("gold"), **arguments)


def test_a_reply_that_is_no_text_is_named() -> None:
    with pytest.raises(TypeError, match="item 1: the reply is None"):
        score(["B", None], [1, 1])

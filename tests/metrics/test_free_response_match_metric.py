"""The evaluate module, loaded by its path as a user does."""

import importlib.resources

import evaluate
import pytest

FOLDER = importlib.resources.files("chalkbench.metrics") / "free_response_match"
MOVES = ["The teacher points at the word.", "The teacher repeats the question.", "The teacher moves on."]


def reference(index=1, answer="", options=MOVES):
    return {"answer": answer, "options": options, "answer_index": index}


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(str(FOLDER), keep_in_memory=True)


def test_each_reply_is_right_wrong_or_not_scored_for_a_reason(metric):
    result = metric.compute(
        predictions=["Repeating her question.", "She moves on.", "B", "", ""],
        references=[reference()] * 5,
        groups=["SR", "SR", "CA", "CA", "CA"],
        statuses=[None, None, None, None, "media_missing"],
    )
    assert (result["accuracy"], result["n"], result["n_counted"], result["macro"]) == (0.25, 5, 4, 0.25)
    assert result["not_scored"] == {"media_missing": 1, "unparsed": 1}
    assert result["rules"] == {"closest": 2, "no_match": 1}
    assert result["interval"][0] < 0.25 < result["interval"][1]


def test_items_say_which_option_was_matched_and_how(metric):
    items = metric.compute(
        predictions=["Repeating her question.", "It is 47 grams."],
        references=[reference(), reference(-1, "47 grams", [])],
        return_items=True,
    )["items"]
    assert items == [
        {"choice": "B", "rule": "closest", "status": "scored", "value": 1.0},
        {"choice": None, "rule": "contained", "status": "scored", "value": 1.0},
    ]


def test_exact_is_a_variant_with_a_name(metric):
    item = {"predictions": ["Repeating her question."], "references": [reference()]}
    results = [metric.compute(**item, variant=variant) for variant in ("closest", "exact")]
    assert [(one["variant"], one["accuracy"]) for one in results] == [("closest", 1.0), ("exact", 0.0)]


def test_no_items_give_no_accuracy(metric):
    assert metric.compute(predictions=[], references=[])["accuracy"] is None

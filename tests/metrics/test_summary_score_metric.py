"""The evaluate module, loaded by its path as a user does."""

import importlib.resources

import evaluate
import pytest

FOLDER = importlib.resources.files("chalkbench.metrics") / "summary_score"
REFERENCE = {"key_terms": ["spring", "elastic energy"], "answer": "A spring.", "question": "Summarise."}


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(str(FOLDER), keep_in_memory=True)


def test_the_score_and_its_two_parts_are_there_by_group_too(metric):
    result = metric.compute(
        predictions=["Springs store elastic energy.", "a text", ""],
        references=[REFERENCE] * 3,
        verdicts=["9", "Rating: 4/10", None],
        groups=["Physics", ["Physics", "short"], "short"],
    )
    assert (result["score"], result["judge"], result["key_terms"]) == (pytest.approx((93 + 28) / 3), 13 / 3, 1 / 3)
    assert result["by_group"]["Physics"]["judge"] == 6.5
    assert (result["n_counted"], result["variant"], result["interval"]) == (3, "fraction", None)


def test_the_count_variant_and_the_items(metric):
    result = metric.compute(
        predictions=["Springs store elastic energy."],
        references=[REFERENCE],
        verdicts=["9"],
        variant="count",
        return_items=True,
    )
    assert result["score"] == pytest.approx(63 + 60)
    assert result["items"][0]["found"] == ["spring", "elastic energy"]


def test_hidden_terms_and_no_items_give_no_score(metric):
    hidden = metric.compute(predictions=["x"], references=[{**REFERENCE, "key_terms": []}], verdicts=["9"])
    assert (hidden["score"], hidden["not_scored"]) == (None, {"hidden_gold": 1})
    assert metric.compute(predictions=[], references=[], verdicts=[])["score"] is None

"""The evaluate module, loaded by its path as a user does."""

import importlib.resources

import evaluate
import pytest

FOLDER = importlib.resources.files("chalkbench.metrics") / "rubric_score"
REFERENCE = {"question": "Why do they clap?", "answer": "The goal is given.", "caption": "A match."}
GOOD = '{"correctness": 5, "completeness": 4, "faithfulness": 5, "clarity": 4}'
BAD = "Correctness: 1, completeness: 0, faithfulness: 3, clarity: 4"


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(str(FOLDER), keep_in_memory=True)


def test_the_score_is_the_mean_of_the_four_and_each_has_its_own(metric):
    result = metric.compute(
        predictions=["a", "b", "c", ""],
        references=[REFERENCE] * 4,
        verdicts=[GOOD, BAD, "no grades", None],
        groups=["Film", "News", "News", "News"],
    )
    assert (result["score"], result["clarity"], result["n_counted"]) == ((4.5 + 2) / 3, 8 / 3, 3)
    assert result["not_scored"] == {"judge_failed": 1, "unparsed": 1}
    assert (result["by_group"]["Film"]["completeness"], result["macro"]) == (4.0, (4.5 + 1) / 2)


def test_items_hold_the_four_grades(metric):
    items = metric.compute(
        predictions=["a", "b"], references=[REFERENCE] * 2, verdicts=[GOOD, "{'clarity': 4}"], return_items=True
    )["items"]
    assert items[0]["criteria"] == {"correctness": 5, "completeness": 4, "faithfulness": 5, "clarity": 4}
    assert (items[0]["value"], items[0]["status"]) == (4.5, "scored")
    assert (items[1]["value"], items[1]["status"], items[1]["rule"]) == (
        None,
        "judge_failed",
        "correctness:unreadable",
    )


def test_no_items_give_no_score(metric):
    result = metric.compute(predictions=[], references=[], verdicts=[])
    assert (result["score"], result["clarity"], result["n"]) == (None, None, 0)

"""The evaluate module, loaded by its path as a user does."""

import importlib.resources

import evaluate
import pytest

FOLDER = importlib.resources.files("chalkbench.metrics") / "vdc_score"
QUESTIONS = [{"question": "Which colour?", "answer": "Green"}, {"question": "Who?", "answer": "A man"}]
YES, NO = "{'pred': 'yes', 'score': 5}", "{'pred': 'no', 'score': 1}"


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(str(FOLDER), keep_in_memory=True)


def test_macro_is_the_mean_over_disciplines_each_the_share_of_its_questions(metric):
    result = metric.compute(
        predictions=["a", "b", "c"],
        references=[{"questions": QUESTIONS}, {"questions": QUESTIONS[:1]}, {"questions": QUESTIONS}],
        verdicts=[[YES, YES], [YES], [NO, NO]],
        groups=["Math", "Math", "Physics"],
    )
    assert (result["accuracy"], result["macro"], result["macro_score"]) == (0.6, 0.5, 3.0)
    assert (result["n"], result["n_captions"], result["by_group"]["Math"]["n"]) == (5, 3, 3)


def test_items_are_captions_with_their_questions(metric):
    items = metric.compute(
        predictions=["a", ""],
        references=[{"questions": QUESTIONS}] * 2,
        verdicts=[[YES, None], []],
        return_items=True,
    )["items"]
    assert [(one["value"], one["status"]) for one in items] == [(1.0, "scored"), (None, "unparsed")]
    assert [one["status"] for one in items[0]["questions"]] == ["scored", "judge_failed"]


def test_each_variant_says_its_name_and_reads_verdicts_its_way(metric):
    item = {"predictions": ["a"], "references": [{"questions": QUESTIONS}], "verdicts": [[f"Here: {YES}", NO]]}
    results = [metric.compute(**item, variant=variant) for variant in ("paper", "official_code")]
    assert [(one["variant"], one["accuracy"], one["n_counted"]) for one in results] == [
        ("paper", 0.5, 2),
        ("official_code", 0.0, 1),
    ]


def test_no_captions_give_no_accuracy(metric):
    result = metric.compute(predictions=[], references=[], verdicts=[])
    assert (result["accuracy"], result["mean_score"], result["n"]) == (None, None, 0)

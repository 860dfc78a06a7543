"""The evaluate module, loaded by its path as a user does."""

import importlib.resources

import evaluate
import pytest

FOLDER = importlib.resources.files("chalkbench.metrics") / "judged_qa_accuracy"
REFERENCE = {"question": "What is shown?", "answer": "Squares."}


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(str(FOLDER), keep_in_memory=True)


def test_macro_is_the_mean_over_disciplines(metric):
    result = metric.compute(
        predictions=["a reply"] * 4,
        references=[REFERENCE] * 4,
        verdicts=["yes.", "yes.", "yes.", "no."],
        groups=["Math", "Math", "Math", "Physics"],
    )
    assert (result["accuracy"], result["macro"]) == (0.75, 0.5)


def test_items_say_what_the_judge_said(metric):
    items = metric.compute(
        predictions=["a reply", "a reply", ""],
        references=[REFERENCE] * 3,
        verdicts=["{'pred': 'no', 'score': 1}", None, None],
        statuses=[None, "not_judged", None],
        return_items=True,
    )["items"]
    assert [item["choice"] for item in items] == ["no", None, None]
    assert [item["status"] for item in items] == ["scored", "not_judged", "unparsed"]


def test_each_variant_says_its_name_and_gives_the_mean_score(metric):
    item = {"predictions": ["a reply"] * 2, "references": [REFERENCE] * 2}
    item["verdicts"] = ["{'pred': 'yes', 'score': 4}", "Yes."]
    results = [metric.compute(**item, variant=variant) for variant in ("strict", "official")]
    assert [(one["variant"], one["n_counted"], one["mean_score"]) for one in results] == [
        ("strict", 2, 4.0),
        ("official", 1, 4.0),
    ]


def test_the_result_names_the_benchmark_whose_prompt_was_used(metric):
    item = {"predictions": ["a"], "references": [REFERENCE], "verdicts": ["yes."]}
    assert metric.compute(**item)["benchmark"] == "video_mmlu"
    assert metric.compute(**item, benchmark="instructionbench")["benchmark"] == "instructionbench"
    with pytest.raises(ValueError, match="video_mmlu, instructionbench"):
        metric.compute(**item, benchmark="mmou")


def test_an_empty_reference_is_a_hidden_one(metric):
    result = metric.compute(predictions=["a"], references=[{"question": "", "answer": ""}], verdicts=[None])
    assert result["not_scored"] == {"hidden_gold": 1}


def test_no_items_give_no_accuracy(metric):
    assert metric.compute(predictions=[], references=[], verdicts=[])["accuracy"] is None

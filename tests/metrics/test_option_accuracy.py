"""The evaluate module, loaded by its path as a user does."""

import importlib.resources
import json
import math
import warnings
from pathlib import Path

import evaluate
import pytest

FOLDER = importlib.resources.files("chalkbench.metrics") / "option_accuracy"
CASES = Path(__file__).parents[1] / "cases" / "answers.jsonl"
OPTIONS = ["The mitochondria", "The ribosome", "The nucleus", "The cell wall"]


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(str(FOLDER), keep_in_memory=True)


def reference(index: int = 1, options: list[str] = OPTIONS) -> dict:
    return {"options": options, "answer_index": index}


def test_every_case_is_read_as_a_careful_reader_does(metric):
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    items = metric.compute(
        predictions=[case["reply"] for case in cases],
        references=[reference(0, case["options"]) for case in cases],
        return_items=True,
    )["items"]
    wrong = [
        (case["reply"], case["expect"], item["choice"])
        for case, item in zip(cases, items, strict=True)
        if item["choice"] != case["expect"]
    ]
    assert len(items) == 44
    assert not wrong


def test_strict_counts_the_models_faults_as_wrong_and_leaves_out_the_rest(metric):
    result = metric.compute(
        predictions=["B", "A", "no idea", "", "", ""],
        references=[reference()] * 6,
        statuses=[None, None, None, "out_of_memory", "media_missing", "decode_error"],
    )
    assert (result["n"], result["n_scored"], result["n_counted"], result["accuracy"]) == (6, 2, 4, 0.25)
    assert result["not_scored"] == {"decode_error": 1, "media_missing": 1, "out_of_memory": 1, "unparsed": 1}
    assert result["interval"][0] < 0.25 < result["interval"][1]


def test_answered_leaves_out_everything_without_a_score(metric):
    result = metric.compute(predictions=["B", "no idea", "A"], references=[reference()] * 3, protocol="answered")
    assert (result["accuracy"], result["n_counted"], result["protocol"]) == (0.5, 2, "answered")


def test_an_item_counts_under_each_of_its_groups_and_macro_is_their_mean(metric):
    result = metric.compute(predictions=["B", "A", "B"], references=[reference()] * 3, groups=[["x", "y"], ["x"], "z"])
    assert {name: part["accuracy"] for name, part in result["by_group"].items()} == {"x": 0.5, "y": 1.0, "z": 1.0}
    assert result["by_group"]["x"]["n"] == 2
    assert math.isclose(result["macro"], 2.5 / 3)


def test_no_items_give_no_accuracy_and_no_warning(metric):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        result = metric.compute(predictions=[], references=[])
    assert (result["accuracy"], result["interval"], result["macro"], result["n"]) == (None, None, None, 0)


def test_texts_that_look_like_missing_values_survive_as_text(metric):
    result = metric.compute(predictions=["None", "NA", "nan", ""], references=[reference()] * 4)
    assert result["not_scored"] == {"unparsed": 4}


def test_a_hidden_gold_is_read_and_not_scored(metric):
    result = metric.compute(predictions=["C"], references=[reference(-1)], return_items=True)
    assert result["not_scored"] == {"hidden_gold": 1}
    assert result["items"][0]["choice"] == "C"


def test_items_carry_the_text_of_the_chosen_option_and_the_value(metric):
    items = metric.compute(predictions=["C", "?"], references=[reference()] * 2, return_items=True)["items"]
    assert items == [
        {"choice": "C", "option": "The nucleus", "rule": "label", "status": "scored", "value": 0.0},
        {"choice": None, "option": None, "rule": "", "status": "unparsed", "value": None},
    ]


def test_lemons_extractor_reads_what_the_rules_leave_and_its_failure_is_no_grade(metric):
    result = metric.compute(
        predictions=["A", "where proteins are put together", "inside", "outside"],
        references=[reference()] * 4,
        variant="lemon",
        verdicts=[None, "B", "none", None],
    )
    assert (result["accuracy"], result["n_counted"], result["variant"]) == (1 / 3, 3, "lemon")
    assert result["not_scored"] == {"judge_failed": 1, "unparsed": 1}


def test_vira_returns_the_stated_confidence(metric):
    result = metric.compute(
        predictions=['{"answer": "B", "confidence": 0.5}', '{"answer": "A", "confidence": "high"}', "no idea"],
        references=[reference()] * 3,
        variant="vira_bench",
        return_items=True,
    )
    assert [item["confidence"] for item in result["items"]] == [0.5, "high", None]
    assert result["confidence"]["mean_right"] == 0.5
    assert result["confidence"]["by_word"] == {"high": {"n": 1, "accuracy": 0.0}}
    assert result["accuracy"] == 1 / 3


def test_mmou_also_counts_over_every_item_and_says_how_many_were_read(metric):
    result = metric.compute(
        predictions=["B", "A", "no idea", "", ""],
        references=[reference()] * 4 + [reference(-1)],
        statuses=[None, None, None, "media_missing", None],
        groups=["x", "y", "x", "x", "y"],
        variant="mmou",
    )
    assert (result["accuracy"], result["n_counted"]) == (1 / 3, 3)
    assert (result["accuracy_all"], result["coverage"]) == (1 / 4, 2 / 4)
    assert (result["by_group"]["x"]["accuracy_all"], result["by_group"]["y"]["coverage"]) == (1 / 3, 1.0)


def test_mmou_without_a_known_answer_has_no_accuracy(metric):
    result = metric.compute(predictions=["B"], references=[reference(-1)], variant="mmou")
    assert (result["accuracy_all"], result["coverage"]) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"variant": "lenient"}, "lenient"),
        ({"verdicts": ["B"]}, "verdicts"),
        ({"references": [reference(4)]}, "answer_index 4"),
        ({"protocol": "lenient"}, "lenient"),
        ({"statuses": ["lost"]}, "lost"),
        ({"groups": ["x", "y"]}, "groups"),
    ],
)
def test_bad_input_is_named(metric, arguments, words):
    with pytest.raises(ValueError, match=words):
        metric.compute(**({"predictions": ["B"], "references": [reference()]} | arguments))

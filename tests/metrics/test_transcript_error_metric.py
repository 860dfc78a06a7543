"""The evaluate module, loaded by its path as a user does."""

import importlib.resources

import evaluate
import pytest

FOLDER = importlib.resources.files("chalkbench.metrics") / "transcript_error"
SAID = {"answer": "The eigen values are real.", "language": "en"}


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(str(FOLDER), keep_in_memory=True)


def test_the_rates_are_there_by_group_too(metric):
    result = metric.compute(
        predictions=["the eigen values are reel", "机器学"],
        references=[SAID, {"answer": "机器学习", "language": "zh"}],
        groups=["Mathematics", "Computing"],
    )
    assert (result["score"], result["unit"]) == (pytest.approx(2 / 9), "mixed")
    assert (result["by_group"]["Mathematics"]["wer"], result["by_group"]["Computing"]["cer"]) == (0.2, 0.25)


def test_raw_counts_case_and_punctuation(metric):
    options = {"predictions": ["the eigen values are real"], "references": [SAID]}
    assert metric.compute(**options)["wer"] == 0
    assert metric.compute(**options, variant="raw")["wer"] == 0.4


def test_items_and_statuses(metric):
    items = metric.compute(
        predictions=["the eigen values", ""],
        references=[SAID] * 2,
        statuses=[None, "decode_error"],
        return_items=True,
    )["items"]
    assert [item["status"] for item in items] == ["scored", "decode_error"]
    assert items[0]["wer"] == 0.4


def test_no_items_give_no_rate(metric):
    assert metric.compute(predictions=[], references=[])["score"] is None

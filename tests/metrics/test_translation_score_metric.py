"""The evaluate module, loaded by its path as a user does."""

import importlib.resources

import evaluate
import pytest

FOLDER = importlib.resources.files("chalkbench.metrics") / "translation_score"
REFERENCE = {
    "source": "The force of a spring.",
    "answer": "Сила пружины.",
    "language": "ru",
    "key_terms": [{"term": "spring", "translation": "пружина"}],
    "question": "Translate.",
}


@pytest.fixture(scope="module")
def metric():
    return evaluate.load(str(FOLDER), keep_in_memory=True)


def test_all_numbers_are_there_by_language_and_by_group(metric):
    result = metric.compute(
        predictions=["Сила пружины.", "La force du ressort."],
        references=[REFERENCE, {**REFERENCE, "language": "fr", "answer": "La force d'un ressort.", "key_terms": []}],
        verdicts=["9", '{"score": 7}'],
        groups=["Physics", "Physics"],
    )
    assert (result["score"], result["key_terms"], result["n_texts"]) == (8.0, 1.0, 2)
    assert result["by_language"]["ru"]["rouge_l"] == 1.0
    assert result["by_language"]["fr"]["score"] == 7.0
    assert result["by_group"]["Physics"]["bleu"] == result["bleu"]


def test_the_papers_variant_sees_no_russian(metric):
    result = metric.compute(predictions=["Сила пружины."], references=[REFERENCE], verdicts=["9"], variant="paper")
    assert (result["rouge_l"], result["variant"]) == (0.0, "paper")


def test_an_extra_metric_that_is_not_installed_is_an_error_that_says_what_it_needs(metric):
    with pytest.raises(RuntimeError, match="unbabel-comet"):
        metric.compute(
            predictions=["x"],
            references=[REFERENCE],
            verdicts=["9"],
            extra_metrics=["comet22"],
            comet_python="no/such/python",
        )


def test_an_item_without_terms_and_no_items_are_fine(metric):
    items = metric.compute(
        predictions=["x"], references=[{**REFERENCE, "key_terms": []}], verdicts=["no"], return_items=True
    )["items"]
    assert (items[0]["status"], items[0]["language"]) == ("judge_failed", "ru")
    assert metric.compute(predictions=[], references=[], verdicts=[])["bleu"] is None

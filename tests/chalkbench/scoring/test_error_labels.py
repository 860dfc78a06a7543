"""Labels on wrong answers: who is asked about, what is read, what is counted."""

import doctest
import re

import pytest

from chalkbench.scoring import error_labels
from chalkbench.scoring.error_labels import ERROR_TYPES, LABELS, TEMPLATE, asking, distribution, read_error_label
from chalkbench.scoring.stand_in import stand_in_reply


def item(reply, **more):
    return {"reply": reply, "question": "What grows?", "reference": "the sum of odd numbers", "status": None} | more


def ask(items, answer):
    stage = asking(items)
    prompts = next(stage)
    with pytest.raises(StopIteration) as end:
        stage.send([answer(prompt) for prompt in prompts])
    return end.value.value, prompts


def test_the_examples_say_what_is_true():
    assert doctest.testmod(error_labels).failed == 0


def test_the_prompt_holds_the_texts_and_every_kind_and_is_marked_as_ours():
    _, (prompt,) = ask([item("<think>Hm.</think>{x} triangles", options=["cubes", "squares"])], stand_in_reply)
    for text in ("What grows?", "A. cubes\nB. squares\n", "the sum of odd numbers", "{x} triangles"):
        assert text in prompt.user
    assert all(f"{kind.name}: {kind.meaning}" in prompt.user for kind in ERROR_TYPES)
    assert "Hm." not in prompt.user
    assert not TEMPLATE.published


def test_an_open_question_has_no_options_in_its_prompt():
    _, (prompt,) = ask([item("triangles")], stand_in_reply)
    assert "Options" not in prompt.user


def test_nothing_said_is_not_asked_about():
    items = [item("triangles"), item(""), item("x", status="media_missing"), item("<think>cut"), item("odd")]
    verdicts, prompts = ask(items, stand_in_reply)
    assert verdicts == ["hallucination", None, None, None, "detail"]
    assert len(prompts) == 2


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("audio", "audio"),
        ("**Temporal**.", "temporal"),
        ("Label: detail", "detail"),
        ("error type: prompt misread", "prompt_misread"),
        ("```json\n{'label': 'cross-modal'}\n```", "cross_modal"),
        ("other", "other"),
        ("audio: misses or mishears what is said", "audio"),
        ("I think it is hallucination, since the video does it otherwise.", "hallucination"),
        ("<think>audio</think>format", "format"),
    ],
)
def test_one_label_is_read_in_any_usual_form(reply, label):
    assert read_error_label(reply) == label


NONE = """reasoning, temporal|audio or detail|{"label": "bad mood"}|it is not audio|<html>502</html>|7|audiovisual
on the other hand, who knows|<think>audio|{'label': ['audio', 'detail']}"""


@pytest.mark.parametrize("reply", [None, "", *re.split(r"[|\n]", NONE)])
def test_no_label_or_several_are_none(reply):
    assert read_error_label(reply) is None


def test_every_label_is_read_from_its_own_name():
    assert [read_error_label(name) for name in LABELS] == list(LABELS)


def test_the_distribution_counts_labels_themes_and_every_failure():
    items = [item("a"), item("b"), item("c"), item(""), item("d"), item("e")]
    verdicts = ["audio", "cross_modal", "detail", None, None, "audio or detail"]
    result = distribution(items, verdicts, groups=["AC", "AC", ["VS", "AE"], "AC", "VS", "VS"])
    assert (result["n"], result["n_labelled"]) == (6, 3)
    assert result["not_labelled"] == {"judge_failed": 1, "not_asked": 1, "unreadable": 1}
    assert {name: count for name, count in result["counts"].items() if count} == {
        "audio": 1,
        "cross_modal": 1,
        "detail": 1,
    }
    assert result["themes"]["limited audio understanding"] == 2
    assert sum(result["shares"].values()) == pytest.approx(1)
    assert result["labels"] == ["audio", "cross_modal", "detail", None, None, None]
    assert result["by_group"]["VS"]["n_labelled"] == 1
    assert result["by_group"]["AE"]["counts"]["detail"] == 1


def test_no_labels_have_no_shares():
    assert distribution([], [])["shares"] is None
    assert distribution([item("a")], [None])["shares"] is None


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(ValueError):
        distribution([item("a")], [])

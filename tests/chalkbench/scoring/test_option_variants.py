"""The benchmarks' own ways of reading: what each does that ours does not."""

import doctest
import re

import pytest

from chalkbench.scoring import option_variants
from chalkbench.scoring.option_variants import (
    EXTRACT,
    asking,
    calibration,
    outcomes_of,
    read_confidence,
    read_extraction,
    read_vira,
)
from chalkbench.scoring.options import outcomes
from chalkbench.scoring.outcome import Outcome
from chalkbench.scoring.stand_in import stand_in_reply

CELL = ["The mitochondria", "The ribosome", "The nucleus", "The cell wall"]
NONE_OPTION = [*CELL[:3], "None of these"]
FREE = "It is where proteins are put together, I would say."


def item(reply, status=None, options=CELL):
    return {"reply": reply, "question": "What makes protein?", "options": options, "status": status}


def lemon(replies, verdicts, **more):
    return outcomes_of(replies, [CELL] * len(replies), [1] * len(replies), variant="lemon", verdicts=verdicts, **more)


def verdicts_of(items, answer):
    """Drives `asking` with a function from prompt to reply; returns (verdicts, prompts)."""
    stage = asking(items)
    prompts = next(stage)
    with pytest.raises(StopIteration) as end:
        stage.send([answer(prompt) for prompt in prompts])
    return end.value.value, prompts


def test_the_examples_say_what_is_true() -> None:
    assert doctest.testmod(option_variants).failed == 0


@pytest.mark.parametrize("variant", ["chalkbench", "lemon", "instructionbench", "mmou"])
def test_without_verdicts_the_variants_read_as_the_default_does(variant) -> None:
    replies = ["B", "the nucleus", FREE, "<think>B", "", "A and B"]
    expected = outcomes(replies, [CELL] * 6, [1] * 6)
    assert outcomes_of(replies, [CELL] * 6, [1] * 6, variant=variant) == expected


def test_the_extractor_is_asked_about_what_the_rules_leave_and_nothing_else() -> None:
    items = [
        item("The answer is B"),
        item(FREE),
        item(""),
        item("   "),
        item("<think>It may be B"),
        item("", status="media_missing"),
        item("<think>Hm.</think>" + FREE),
    ]
    verdicts, prompts = verdicts_of(items, lambda prompt: "B")
    assert verdicts == [None, "B", None, None, None, None, "B"]
    assert len(prompts) == 2
    for text in ("What makes protein?", "B. The ribosome", FREE, "A, B, C or D", "none"):
        assert text in prompts[0].user
    assert prompts[1].user == prompts[0].user
    assert prompts[0].settings.temperature == 0


def test_nothing_to_ask_is_an_empty_stage() -> None:
    assert verdicts_of([item("B")], lambda prompt: "A") == ([None], [])


def test_the_extractors_prompt_is_marked_as_ours() -> None:
    assert not EXTRACT.published
    assert str(EXTRACT).startswith("unpublished:")


def test_the_extractors_word_counts_only_where_the_rules_found_nothing() -> None:
    assert lemon(["C", FREE, ""], ["B", "B", "B"]) == [
        Outcome(0.0, choice="C", rule="label"),
        Outcome(1.0, choice="B", rule="extractor"),
        Outcome(None, status="unparsed"),
    ]


NO_LABEL_OR_TWO = """none|None.|Answer: none|{"answer": "none"}|{"answer": null}|E|A or B|A, B|It is not B.|?
B rather than C|ANSWER: A ANSWER: D|I cannot tell.|<html><body>502 Bad Gateway</body></html>"""


@pytest.mark.parametrize("verdict", re.split(r"[|\n]", NO_LABEL_OR_TWO))
def test_an_extractor_that_names_no_label_or_two_is_none(verdict) -> None:
    assert lemon([FREE], [verdict]) == [Outcome(None, status="unparsed", rule="extractor")]


@pytest.mark.parametrize("verdict", ["B", "b", "(B)", "**B**", "B.", "Answer: B", "Option B", '{"answer": "B"}'])
def test_one_label_in_any_usual_form_is_read(verdict) -> None:
    assert lemon([FREE], [verdict])[0].choice == "B"


@pytest.mark.parametrize("verdict", [None, "", "  ", "<think>The reply speaks of"])
def test_a_failed_extractor_is_a_failure_of_the_judge_and_no_grade(verdict) -> None:
    assert lemon([FREE], [verdict])[0] == Outcome(None, status="judge_failed", rule="extractor")


def test_the_word_none_is_not_the_items_own_none_option() -> None:
    assert read_extraction("none", NONE_OPTION).choice is None
    assert read_extraction("D", NONE_OPTION).choice == "D"
    assert read_extraction("None of these", NONE_OPTION).choice == "D"


def test_the_article_before_a_letter_is_no_second_label() -> None:
    assert read_extraction("The reply quotes A student and means: B", CELL).choice == "B"


def test_a_hidden_gold_stays_hidden_and_is_read_by_the_extractor() -> None:
    graded = outcomes_of([FREE], [CELL], [-1], variant="lemon", verdicts=["B"])
    assert graded == [Outcome(None, status="hidden_gold", choice="B", rule="extractor")]


def test_an_items_earlier_failure_is_kept() -> None:
    assert lemon([""], ["B"], statuses=["media_missing"])[0].status == "media_missing"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"variant": "lenient"}, "lenient"),
        ({"variant": "chalkbench", "verdicts": ["B"]}, "verdicts"),
        ({"variant": "lemon", "verdicts": ["B", "B"]}, "2 verdicts for 1"),
    ],
)
def test_bad_input_is_named(arguments, words) -> None:
    with pytest.raises(ValueError, match=words):
        outcomes_of(["B"], [CELL], [1], **arguments)


@pytest.mark.parametrize(
    ("reply", "choice", "rule"),
    [
        ('{"answer": "B", "confidence": 0.9, "reasoning": "Not A."}', "B", "json_field"),
        ('```json\n{"letter": "c", "confidence": "high", "reasoning": "It is B"}\n```', "C", "json_field"),
        ("{'answer': 'B', 'confidence': 80}", "B", "json_field"),
        ('{"answer": "B", "confidence": 0.7, "reasoning": "The tu', "B", "json_field"),
        ('{"answer": "B"} The answer is A.', "B", "json_field"),
        ('{"answer": "A"} Wait. {"answer": "C"}', "C", "field"),
        ('{"answer": "B"} is my answer. {"answer": "A"} would be wrong.', "B", "field"),
        ('{"answer": "The ribosome"}', "B", "json_field"),
        ('{"answer": null, "reasoning": "B seems wrong"}', None, "json_field"),
        ('{"answer": "none", "reasoning": "B seems wrong"}', None, "json_field"),
        ('<think>{"answer": "A"}</think>{"answer": "D"}', "D", "json_field"),
        ("B", "B", "label"),
        ("the RIBOSOME", "B", "option_text"),
        ("A student asks something.", None, ""),
        ("I did not receive the video.", None, ""),
        ('{"answer": "E"}', None, "field"),
        ("", None, ""),
    ],
)
def test_vira_reads_the_json_field_then_a_letter_then_a_text(reply, choice, rule) -> None:
    read = read_vira(reply, CELL)
    assert (read.choice, read.rule) == (choice, rule)


def test_vira_does_not_read_an_answer_from_reasoning_that_was_cut_off() -> None:
    assert read_vira('<think>{"answer": "A"', CELL).status == "truncated_reasoning"


@pytest.mark.parametrize(
    ("reply", "confidence"),
    [
        ('{"answer": "B", "confidence": 0.9}', 0.9),
        ('{"confidence": 1}', 1.0),
        ('{"confidence": "85%"}', 0.85),
        ('{"confidence_level": 85}', 0.85),
        ("Confidence: High.", "high"),
        ('{"confidence": null}', None),
        ('{"confidence": 150}', None),
        ('{"confidence": "n/a"}', None),
        ("I am confident.", None),
        ('<think>"confidence": 0.1</think>{"confidence": 0.8}', 0.8),
        ("", None),
    ],
)
def test_the_stated_confidence_is_a_share_or_a_word(reply, confidence) -> None:
    assert read_confidence(reply) == confidence


def test_confidence_is_compared_where_right_and_where_wrong() -> None:
    right, wrong, lost = Outcome(1.0), Outcome(0.0), Outcome(None, status="unparsed")
    result = calibration([right, right, wrong, lost, wrong], [0.9, 0.7, 0.6, 0.9, "high"])
    assert result["n"] == 4
    assert (result["mean_right"], result["mean_wrong"]) == (0.8, 0.6)
    assert result["by_word"] == {"high": {"n": 1, "accuracy": 0.0}}


def test_no_confidence_gives_no_mean() -> None:
    assert calibration([Outcome(1.0)], [None]) == {"n": 0, "mean_right": None, "mean_wrong": None, "by_word": {}}


def test_the_stand_in_answers_the_extractors_prompt() -> None:
    verdicts, _ = verdicts_of([item("Proteins come from the ribosome or so they say; the ribosome?")], stand_in_reply)
    assert verdicts == ["B"]

import pytest

from chalkbench.scoring.judge_prompts import UNPUBLISHED
from chalkbench.scoring.stand_in import stand_in_reply
from chalkbench.scoring.translation_score import (
    TRANSLATION,
    as_item,
    asking,
    reference_text,
    source_text,
    translation_prompt,
    translations,
)

TERMS = [{"term": "spring", "translation": "Feder"}, {"term": "force", "translation": "Kraft"}]
REFERENCE = {"source": "The force.", "answer": "Die Kraft der Feder.", "language": "de", "key_terms": TERMS}
ITEM = {
    "reply": "<think>Hm.</think>Die Kraft einer {Feder}.",
    "question": "Translate into German.",
    "reference": "Die Kraft der Feder.",
    "source": "The force.",
    "language": "de",
    "key_terms": TERMS,
    "status": None,
}


def drive(asking_of_rule, answer):
    prompts = next(asking_of_rule)
    with pytest.raises(StopIteration) as done:
        asking_of_rule.send([answer] * len(prompts))
    return prompts, done.value.value


def test_the_value_is_the_judges_rating():
    graded = translations(["Die Kraft."] * 3, [REFERENCE] * 3, ["Score: 7.5", "out of scale: 70/100", None])
    assert [one.outcome.value for one in graded] == [7.5, None, None]
    assert [one.outcome.status for one in graded] == ["scored", "judge_failed", "judge_failed"]


def test_without_a_reference_translation_the_terms_take_its_place():
    bare = {**REFERENCE, "answer": "", "source": ""}
    assert (reference_text(bare), source_text(bare)) == ("Feder\nKraft", "spring\nforce")
    assert reference_text(REFERENCE) == "Die Kraft der Feder."


def test_an_item_with_neither_is_hidden_gold_and_not_asked():
    nothing = {**REFERENCE, "answer": " ", "key_terms": [{"term": "spring", "translation": ""}]}
    assert translations(["x"], [nothing], ["9"])[0].outcome.status == "hidden_gold"
    assert drive(asking([{**ITEM, "reference": "", "key_terms": []}]), "9") == ([], [None])


def test_an_empty_reply_is_the_models_fault_even_where_no_judge_was_there():
    graded = translations(["", "x"], [REFERENCE] * 2, [None] * 2, statuses=["not_judged", "not_judged"])
    assert [one.outcome.status for one in graded] == ["unparsed", "not_judged"]
    assert [one.text for one in graded] == ["", "x"]


def test_an_item_without_a_language_is_an_error_that_says_which():
    with pytest.raises(ValueError, match=r"item 1: language '': expected an ISO 639-1 code"):
        translations(["x"] * 2, [REFERENCE, {**REFERENCE, "language": ""}], [None] * 2)


def test_lists_of_different_lengths_are_an_error():
    with pytest.raises(ValueError, match="1 replies, 1 references, 2 verdicts"):
        translations(["x"], [REFERENCE], [None] * 2)


def test_the_prompt_gives_the_judge_the_terms_the_principles_and_the_language():
    prompt = translation_prompt(ITEM)
    assert "into German" in prompt.system
    assert all(f"{name}:" in prompt.system for name in ("Accuracy", "Fluency", "Elegance"))
    assert "- spring: Feder\n- force: Kraft" in prompt.user
    assert "Reference translation:\nDie Kraft der Feder." in prompt.user
    assert "<reply>\nDie Kraft einer {Feder}.\n</reply>" in prompt.user
    assert "Hm." not in prompt.user
    assert TRANSLATION.source.startswith(UNPUBLISHED)


def test_the_prompt_says_what_is_not_given():
    prompt = translation_prompt({**ITEM, "reference": "", "source": "", "question": "", "language": "sw"})
    assert prompt.user.count("(not given)") == 3
    assert "the language with the code sw" in prompt.system


def test_the_stand_in_compares_the_reply_with_the_reference_or_the_terms():
    assert stand_in_reply(translation_prompt(ITEM)) == "Score: 8"  # three of the four words
    assert stand_in_reply(translation_prompt({**ITEM, "reference": ""})) == "Score: 10"


def test_only_what_has_a_reply_is_asked_and_verdicts_come_back_at_their_places():
    items = [{**ITEM, "reply": ""}, ITEM, {**ITEM, "status": "media_missing"}]
    prompts, verdicts = drive(asking(items), "9")
    assert (len(prompts), verdicts) == (1, [None, "9", None])


def test_items_are_plain():
    item = as_item(translations(["x"], [REFERENCE], ["9/10"])[0])
    assert item == {"choice": None, "rule": "judge", "status": "scored", "value": 9.0, "language": "de"}

import pytest

from chalkbench.scoring.judge_prompts import Prompt
from chalkbench.scoring.stand_in import STAND_IN_ID, stand_in_reply

WORDS = {"answer": "The mass is 47 grams.", "reply": "47 grams of mass"}
SCALE = {"low": "1", "high": "5"}


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (WORDS, "{'pred': 'yes', 'score': 5}"),
        (WORDS | {"form": "yes_no", "reply": "It is 12 grams."}, "{'pred': 'no', 'score': 2}"),
        (WORDS | {"form": "yes_no", "answer": ""}, "{'pred': 'no', 'score': 0}"),
        (WORDS | {"form": "rating"}, "Score: 10"),
        (WORDS | {"form": "rating", "reply": "no"} | SCALE, "Score: 1"),
        (WORDS | {"form": "rubric", "criteria": "clarity, style"} | SCALE, "{'clarity': 5, 'style': 5}"),
        (
            {"form": "extract", "question": "Which mass?", "text": "A board.\nThe mass is 47 g. A man."},
            "The mass is 47 g.",
        ),
        ({"form": "extract", "question": "Which mass?", "text": "A board."}, ""),
        ({"form": "option", "options": "A. a red cell\nB. a blue wall", "reply": "It is the wall"}, "B"),
        ({"form": "option", "options": "A. a red cell\nB. a blue wall", "reply": "I cannot tell"}, "none"),
        ({"form": "option", "options": "A. a red cell\nB. a blue cell", "reply": "the cell"}, "none"),
    ],
)
def test_each_form_is_answered_by_its_words(fields, says):
    assert stand_in_reply(Prompt(user="", fields=fields)) == says


def test_a_form_without_a_stand_in_is_an_error_that_says_what_to_do():
    with pytest.raises(ValueError, match=r"form 'song' has no stand-in.*FORMS"):
        stand_in_reply(Prompt(user="", fields={"form": "song"}))


def test_the_name_says_that_it_is_no_model():
    assert STAND_IN_ID == "stand_in(words,not-a-model)"

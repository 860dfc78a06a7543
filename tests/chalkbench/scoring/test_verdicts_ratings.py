"""One number on a scale: what is read, what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.scoring.verdicts import read_score


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("8", 8),
        ("8.5", 8.5),
        (" **8.5** ", 8.5),
        ("8/10", 8),
        ("I'd give it 8/10.", 8),
        ("I would rate this 8 out of 10", 8),
        ('```json\n{"score": 7.5}\n```', 7.5),
        ("{'score': '8/10'}", 8),
        ('{"evaluation": {"score": 6}}', 6),
        ('{"overall_score": 6}', 6),
        ('{"score": 8, "reason": "cut', 8),
        ("Accuracy 8/10\nFinal score: 7/10", 7),
        ("<think>9</think>3", 3),
        ("Rating: **8**", 8),
        ("Score: 8 - well done", 8),
        ("Score：8", 8),
        ("评分：8/10", 8),
        ("[[9]]", 9),
        ("0", 0),
        ("10", 10),
    ],
)
def test_a_rating_is_read_in_the_forms_that_judges_give(reply, value):
    assert read_score(reply).value == value


@pytest.mark.parametrize("reply", ["11", "Score: 11", "-1", "{'score': 90}", "100", "Score: -3", "10.01"])
def test_a_rating_outside_the_scale_is_no_rating(reply):
    assert (read_score(reply).value, read_score(reply).fault) == (None, "out_of_range")


@pytest.mark.parametrize(
    "reply",
    [
        *("N/A", "[ERROR] 500", "85%", "80/100", "Score: 80/100", "Score: 80%", "8,5", "7 9/10", "1e1", "Score: 1e1"),
        *("8-9/10", "8 - 9/10", "Score: 8-9", "Score: 8–9 out of 10", "Accuracy: 8/10, Fluency: 9/10", "score=NaN"),
        *("{'accuracy': 8}", "{'score': None}", "{'score': True}", "I saw 8 slides", "2024-05-08"),
    ],
)
def test_a_range_another_scale_or_a_number_by_the_way_is_no_rating(reply):
    assert (read_score(reply).value, read_score(reply).fault) == (None, "unreadable")


@given(st.text())
def test_whatever_a_judge_says_the_rating_is_on_the_scale_or_none(reply):
    value = read_score(reply).value
    assert value is None or 0 <= value <= 10


@given(st.integers(0, 100), st.sampled_from(["{}", "Score: {}", "{{'score': {}}}", "{}/10", "Good.\nRating: {} / 10"]))
def test_every_tenth_comes_back_as_it_was_given(tenths, form):
    assert read_score(form.format(tenths / 10)).value == tenths / 10

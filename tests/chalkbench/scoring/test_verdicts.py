import doctest
import warnings

import pytest

from chalkbench.scoring import verdicts
from chalkbench.scoring.verdicts import read_ratings, read_score, read_verdict


@pytest.mark.parametrize(
    ("reply", "correct", "score"),
    [
        ("{'pred': 'yes', 'score': 4.8}", True, 4.8),
        ('{"pred": "no", "score": 0}', False, 0),
        ('```json\n{"pred": "yes", "score": 5}\n```\nThanks!', True, 5),
        ("Let me see. {'pred': 'no', 'score': '2'} That is all.", False, 2),
        ("{’pred’: ’yes’, ’score’: 5}", True, 5),
        ("pred: yes\nscore: 4", True, 4),
        ("Yes.", True, None),
        ("<think>no, no</think>{'pred': 'yes', 'score': 3}", True, 3),
    ],
)
def test_a_verdict_is_read_whatever_stands_around_it(reply, correct, score):
    read = read_verdict(reply)
    assert (read.correct, read.score, read.fault) == (correct, score, "")


@pytest.mark.parametrize(
    "reply", ["{}", "", None, "[ERROR] 1", "No errors were found.", "Yes, but no.", "I cannot say"]
)
def test_what_gives_no_verdict_is_a_fault(reply):
    read = read_verdict(reply)
    assert read.correct is None
    assert read.fault in ("empty", "unreadable")


@pytest.mark.parametrize("score", [90, -1, 5.5])
def test_a_score_outside_the_scale_is_never_clamped(score):
    read = read_verdict(f"{{'pred': 'yes', 'score': {score}}}")
    assert (read.correct, read.fault) == (None, "out_of_range")


def test_a_number_too_long_for_a_float_is_outside_the_scale_and_stops_nothing():
    for reader in ("tolerant", "release"):
        assert read_verdict("{'pred': 'yes', 'score': " + "1" * 400 + "}", reader=reader).fault == "out_of_range"
    assert read_score("{'score': " + "1" * 400 + "}").fault == "out_of_range"


def test_backslashes_of_a_formula_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_verdict("{'pred': 'yes', 'score': 4, 'why': '\\\\lambda \\lambda'}").correct


@pytest.mark.parametrize(
    "reply",
    [
        "```python\n{'pred': 'yes', 'score': 4}\n```",
        "Verdict: {'pred': 'yes', 'score': 4}",
        '{"pred": true, "score": 4}',
        "{'pred': 'yes'}",
        "yes",
        "[1, 2]",
        "{[]: 1}",
        None,
    ],
)
def test_the_released_code_reads_one_python_dictionary_and_nothing_else(reply):
    assert read_verdict(reply, reader="release").correct is None
    assert read_verdict(" {'pred': 'Yes', 'score': 4}\n", reader="release").correct is True
    assert read_verdict("{'pred': 'maybe', 'score': 4}", reader="release").correct is False


def test_another_reader_is_an_error_that_names_the_known_ones():
    with pytest.raises(ValueError, match="tolerant, release"):
        read_verdict("yes", reader="loose")


@pytest.mark.parametrize(
    ("reply", "value", "fault"),
    [
        ("Score: 8/10", 8.0, ""),
        ("7", 7.0, ""),
        ("{'score': 3} or rather {'score': 4}", 4.0, ""),
        ("{'score': 90}", None, "out_of_range"),
        ("80/100", None, "unreadable"),
        ("I give 3 reasons.", None, "unreadable"),
        ("", None, "empty"),
        (None, None, "empty"),
    ],
)
def test_one_number_on_a_scale_is_read_and_never_guessed(reply, value, fault):
    read = read_score(reply)
    assert (read.value, read.fault) == (value, fault)


@pytest.mark.parametrize(
    "reply",
    [
        "{'clarity': 4, 'style': 2}",
        '```json\n{"Scores": {"Clarity": 4, "Style": "2/5"}}\n```',
        "{'clarity': {'score': 4, 'reason': 'x'}, 'style': {'rating': 2}}",
        "{'Clarity score': 4, 'style_score': 2}",
        "Clarity: 4/5\n- **Style**: 2",
        "**Clarity** (0-5): 4\nStyle score is 2",
        "| Clarity | 4 |\n| Style | 2 |",
        "Clarity - 4\nStyle – 2.0",
        "<think>clarity: 1</think>clarity: 4, style: 2",
    ],
)
def test_several_ratings_are_read_in_the_forms_that_judges_use(reply):
    assert {name: rating.value for name, rating in read_ratings(reply, ["clarity", "style"]).items()} == {
        "clarity": 4,
        "style": 2,
    }


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("{'clarity': 4}", "unreadable"),
        ("{'clarity': 4, 'style': 6}", "out_of_range"),
        ("{'clarity': 4, 'style': -1}", "out_of_range"),
        ("{'clarity': 4, 'style': None}", "unreadable"),
        ("{'clarity': 4, 'style': True}", "unreadable"),
        ("{'clarity': 4, 'style': '40/50'}", "unreadable"),
        ("{'clarity': 4, 'style': 'good'}", "unreadable"),
        ("", "empty"),
    ],
)
def test_a_rating_that_is_missing_or_off_the_scale_is_a_fault_with_a_name(reply, fault):
    rating = read_ratings(reply, ["clarity", "style"])["style"]
    assert (rating.value, rating.fault) == (None, fault)


@pytest.mark.parametrize("piece", ["\n", " ", "{", "'", "clarity ", "clarity: ", "score ", "1/", "1 out of ", "{'a':"])
def test_a_long_reply_of_one_piece_is_read_to_its_end(piece):
    for text in (piece * 20_000, "clarity" + piece * 20_000, "score" + piece * 20_000):
        assert read_verdict(text).correct is None
        assert read_ratings(text, ["clarity"])["clarity"].value is None
        assert read_score(text).value is None


def test_the_examples_say_what_is_true():
    result = doctest.testmod(verdicts)
    assert result.attempted >= 3
    assert result.failed == 0

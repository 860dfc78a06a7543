import doctest

import pytest

from chalkbench.scoring import verdicts
from chalkbench.scoring.verdicts import read_verdict


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


def test_the_examples_say_what_is_true():
    result = doctest.testmod(verdicts)
    assert result.attempted >= 3
    assert result.failed == 0

"""Signatures: whatever can change a number changes the line."""

import pytest

from chalkbench import signature
from chalkbench.evidence import Evidence
from chalkbench.tasks import mmou, video_mmlu

TASK = mmou.TASKS[0]
MADE = {
    "release": "ab" * 32,
    "n": 40,
    "n_total": 45,
    "protocol": "strict",
    "model": "org/omni",
    "fingerprint": "0123456789abcdef" * 4,
    "settings": {"batch": 4},
    "frames": "f00",
    "judge": None,
}


def line(task=TASK, **other):
    return signature.line(signature.record(task, **MADE | other))


def test_the_line_says_how_the_score_was_made():
    assert line().startswith(
        "benchmark:mmou|release:abababababab|split:test/test|n:40/45|evidence:uniform:64+audio|options:as-released|"
        "prompt:unpublished:88c88880a3f2|rule:option_accuracy(mmou)|protocol:strict|judge:none|model:org/omni@0123456789ab|"
        "batch:4|frames:f00|chalkbench:"
    )
    assert "\n" not in line()


@pytest.mark.parametrize("name", MADE)
def test_each_circumstance_changes_the_line(name):
    judge = {"judge": "stand_in", "settings": "T:0", "prompt_hash": "abc"}
    other = {"settings": {"batch": 1}, "n": 45, "n_total": 50, "judge": judge}.get(name, "other")
    assert line(**{name: other}) != line()


def test_the_evidence_changes_the_line():
    assert line(TASK.given(Evidence(frames="uniform:8"))) != line()


def test_a_published_prompt_with_our_transcript_is_marked_as_ours():
    quiz = video_mmlu.TASKS[0]
    assert signature.prompt_name(quiz) == quiz.prompt.hash
    assert signature.prompt_name(quiz.given(Evidence(subtitles=True))) == f"unpublished:{quiz.prompt.hash}"


def test_the_frames_hash_is_of_the_frames_and_not_of_the_order_of_answers():
    one, two = ("a", (0, 5)), ("b", (1, 2))
    assert signature.frames_hash([one, two]) == signature.frames_hash([two, one])
    assert signature.frames_hash([one]) != signature.frames_hash([("a", (0, 6))])
    assert signature.frames_hash([("a", ())]) == "none"

"""Prompts: the exact text, and what a Doc carries."""

from dataclasses import replace
from pathlib import Path

import pytest

from chalkbench.benchmarks.schema import make_row
from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.models.request import Request
from chalkbench.task import Task
from chalkbench.tasks import mmou, prompts, video_mmlu

MMOU, QUIZ = mmou.TASKS[0], video_mmlu.TASKS[0]
ROOT = Path("/layout")
CUES = [
    {"start": 0.0, "end": 4.0, "text": "First the pendulum."},
    {"start": 4.0, "end": 9.0, "text": "Then the spring."},
    {"start": 9.0, "end": 12.0, "text": "At last the wave."},
]


def row(**values):
    return make_row(
        **{
            "id": "q1",
            "video_path": "videos/aa/v.mp4",
            "question": "What swings?",
            "options": ["A rope", "A pendulum", "Nothing"],
            "answer_index": 1,
            "subtitles": CUES,
        }
        | values
    )


def text(task: Task, **values) -> str:
    return prompts.doc(row(**values), task=task, root=ROOT).query


def test_mmou_prompt_is_the_golden_one():
    assert text(MMOU) == (
        "What swings?\n\nA. A rope\nB. A pendulum\nC. Nothing\n\n"
        "Answer with the letter of the one correct option (A, B or C)."
    )
    assert str(MMOU.prompt) == "unpublished:88c88880a3f2"


def test_quiz_prompt_is_the_papers():
    made = prompts.doc(row(options=[], answer_index=-1, answer="A pendulum."), task=QUIZ, root=ROOT)
    assert made.query == "What swings?"
    assert made.instruction == "Answer briefly and directly in one sentence."
    assert (QUIZ.max_new_tokens, QUIZ.evidence.frames, QUIZ.evidence.audio) == (64, "uniform:32", False)
    assert made.get_golds() == ["A pendulum."]
    assert str(QUIZ.prompt) == "a5c59aa4e1a4"


@pytest.mark.parametrize(
    ("n", "words"),
    [(2, "A or B"), (3, "A, B or C"), (4, "A to D"), (8, "A to H"), (10, "A to J"), (11, "A to K"), (26, "A to Z")],
)
def test_labels_have_no_gap_and_the_range_fits_the_item(n, words):
    options = [f"option number {i}" for i in range(n)]
    lines = text(MMOU, options=options, answer_index=0).split("\n")[2 : 2 + n]
    assert [line[0] for line in lines] == list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:n])
    assert text(MMOU, options=options, answer_index=0).endswith(f"({words}).")


@pytest.mark.parametrize("n", [1, 27])
def test_what_cannot_be_labelled_is_refused(n):
    with pytest.raises(ValueError, match=f"{n} options"):
        prompts.labels(n)


def test_braces_in_a_question_are_left_alone():
    assert text(MMOU, question="What is {x} in {0}?").startswith("What is {x} in {0}?")


def test_subtitles_are_in_the_prompt_when_they_are_given_and_only_then():
    with_cues = MMOU.given(Evidence(subtitles=True))
    assert text(with_cues).startswith(
        "Transcript of the video:\nFirst the pendulum. Then the spring. At last the wave.\n\nWhat swings?"
    )
    assert "pendulum." not in text(MMOU).replace("A pendulum", "")


def test_subtitles_are_cut_to_the_clip_and_to_the_moment_of_an_online_question():
    clip = MMOU.given(Evidence(subtitles=True))
    assert "Then the spring. At last" in text(clip, clip_start=4.0) and "First" not in text(clip, clip_start=4.0)
    online = MMOU.given(Evidence(subtitles=True, horizon="online"))
    assert "At last" not in text(online, asked_at=9.0)
    assert "At last" in text(clip, asked_at=9.0)


def test_an_item_without_subtitles_has_no_empty_transcript():
    assert text(MMOU.given(Evidence(subtitles=True)), subtitles=[]).startswith("What swings?")


def test_without_options_the_question_is_open_ended_and_the_option_is_the_reference():
    free = MMOU.given(Evidence(options=False))
    made = prompts.doc(row(), task=free, root=ROOT)
    assert made.query == "What swings?\n\nAnswer in one sentence."
    assert made.get_golds() == ["A pendulum"]
    assert free.rule == "rubric_score"
    assert Request.from_doc(made).options == ()


def test_the_request_comes_through_the_doc_whole():
    values = {"has_audio": True, "clip_start": 1.0, "clip_end": 9.0, "asked_at": 5.0}
    task = MMOU.given(Evidence(subtitles=True, audio=True, size=224))
    made = prompts.doc(row(**values), task=task, root=ROOT)
    made.task_name, made.generation_size, made.stop_sequences = task.name, task.max_new_tokens, []
    assert Request.from_doc(made) == prompts.request(row(**values), task=task, root=ROOT)
    assert Request.from_doc(made).video == "/layout/videos/aa/v.mp4"


def test_the_gold_is_not_in_the_request():
    made = prompts.request(row(answer="secret-reference"), task=MMOU, root=ROOT)
    assert "secret-reference" not in repr(made)


def test_every_row_gives_the_same_types():
    """lighteval writes `specific` to parquet after the run; a mixed column would lose it."""
    full = prompts.doc(
        row(has_audio=True, domain="Sports", tags=["Counting", "none_option:gold"]), task=MMOU, root=ROOT
    )
    empty = prompts.doc(row(video_path="", subtitles=[]), task=MMOU, root=ROOT)
    assert full.specific.keys() == empty.specific.keys()
    for name in full.specific:
        kinds = {type(made.specific[name]) for made in (full, empty)} - {type(None)}
        assert len(kinds) <= 1, name
    assert full.specific["groups"].keys() == empty.specific["groups"].keys()


def test_hidden_answers_have_no_gold():
    made = prompts.doc(row(answer_index=-1), task=MMOU, root=ROOT)
    assert made.gold_index == -1


def test_few_shot_examples_are_refused():
    with pytest.raises(ChalkbenchError, match=r"mmou\|0"):
        prompts.doc(row() | {"__few_shots": True}, task=MMOU, root=ROOT)


def test_any_change_of_wording_changes_the_hash():
    other = replace(MMOU.prompt, choice=MMOU.prompt.choice + " ")
    assert other.hash != MMOU.prompt.hash
    assert replace(MMOU.prompt, instruction="").hash != MMOU.prompt.hash


@pytest.mark.parametrize(
    ("minutes", "bucket"),
    [
        (0.1, "<5 min"),
        (5, "5-10 min"),
        (9.99, "5-10 min"),
        (10, "10-20 min"),
        (20, "20-30 min"),
        (30, "20-30 min"),
        (30.01, ">30 min"),
        (120, ">30 min"),
    ],
)
def test_duration_buckets(minutes, bucket):
    assert mmou.duration_bucket({"duration": minutes * 60}) == [bucket]


def test_an_unknown_duration_is_in_no_bucket():
    assert mmou.duration_bucket({"duration": None}) == []


def test_the_none_option_is_a_group_of_its_own_and_no_skill():
    tagged = {"tags": ["Counting", "none_option:distractor"]}
    assert (mmou.skills(tagged), mmou.none_group(tagged)) == (["Counting"], ["distractor"])

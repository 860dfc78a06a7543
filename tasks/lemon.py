"""
name:
LEMON

dataset:
lemon (no release was found; a neutral layout is read)

abstract:
Lectures in five STEM disciplines: perception in conversations, problems read from slides, speech, order in time,
prediction, summaries and translations.

languages:
english

tags:
multimodal, video, audio, multiple-choice, open-ended, multi-turn

paper:
https://arxiv.org/abs/2601.20705
"""

from dataclasses import replace

from datasets import Dataset

from chalkbench.evidence import Evidence, condition
from chalkbench.task import MICRO, Prompt, Task
from chalkbench.tasks.config import lighteval_table
from chalkbench.tasks.prompts import OPTION

# The paper prints no prompt (its appendix shows them as pictures): every wording here is ours.
_TRANSCRIPT = "Subtitles of the lecture:\n{cues}\n\n"
CHOICE = Prompt(
    choice="{question}\n\n{options}\n\nAnswer with the letter of the one correct option ({range}).",
    option=OPTION,
    open="{question}\n\nAnswer in one sentence.",
    transcript=_TRANSCRIPT,
)
SUMMARY = replace(
    CHOICE,
    open="{question}\n\nWrite one coherent paragraph that names the lecture's aims and its key concepts.",
)
TRANSLATION = replace(CHOICE, open="{question}\n\nAnswer in {language}, with the translation alone.")

# Appendix I.1.1: 64 frames for models that do not stream, 224 x 224 for open ones; sound of one loudness, subtitles of
# plain punctuation. Which task gets what is not said; it was found by matching Table 2 with Tables 3, 4 and 8.
SEES = Evidence(frames="uniform:64", size=224, stretch=True, normalised=True)
HEARS = replace(SEES, audio=True)
READS = replace(SEES, subtitles=True)

GROUPINGS = (
    ("subtask", lambda row: [row["subtask"]] if row["subtask"] else []),
    ("discipline", lambda row: [row["discipline"]] if row["discipline"] else []),
    ("course", lambda row: [row["course"]] if row["course"] else []),
)
LANGUAGE = ("language", lambda row: [row["target_language"]] if row["target_language"] else [])

NAMES = {
    "SP": "Streaming Perception",
    "OR": "OCR-Based Reasoning",
    "AC": "Audio Comprehension",
    "TA": "Temporal Awareness",
    "IP": "Instructional Prediction",
    "VS": "Video Summarization",
    "KT": "Knowledge Translation",
}


def contextual_listening(rows: Dataset) -> list[int]:
    """The rows that a model without ears can answer: it is given the right transcript of the turn before."""
    return [place for place, subtask in enumerate(rows["subtask"]) if subtask == "CL"]


def _choice(key: str, evidence: Evidence, *, superset: str = "lemon", about: str = "", **more) -> Task:
    return Task(
        name=f"{superset}:{key}",
        benchmark="lemon",
        config=key,
        split="test",
        evidence=evidence,
        prompt=CHOICE,
        rule="option_accuracy",
        variant="lemon",
        max_new_tokens=512,
        groupings=GROUPINGS,
        official="subtask" if key != "TA" else MICRO,  # Table 2: a task is the mean of its subtasks
        cell=key,
        about=f"LEMON {NAMES[key]}{about}",
        **more,
    )


def _expression(key: str, evidence: Evidence, *, superset: str = "lemon", about: str = "") -> Task:
    translates = key == "KT"
    return Task(
        name=f"{superset}:{key}",
        benchmark="lemon",
        config=key,
        split="test",
        evidence=evidence,
        prompt=TRANSLATION if translates else SUMMARY,
        rule="translation_score" if translates else "summary_score",
        max_new_tokens=512 if translates else 1024,
        groupings=(*((LANGUAGE,) if translates else ()), *GROUPINGS[1:]),
        cell=f"AE/{key}",  # Table 2: Advanced Expression is the mean of both
        about=f"LEMON {NAMES[key]}{about}",
    )


def _reading(task: Task) -> Task:
    return task.given(replace(task.evidence, audio=False, subtitles=True))


def _told(task: Task) -> Task:
    evidence = condition("ground_truth_transcript", task.evidence.without("audio"))
    return replace(task.given(evidence), select=contextual_listening)


def _with_ears(key: str) -> Task:
    """Picture and sound, or picture and subtitles for a model that does not hear (20 of 20 models of Table 2)."""
    return _choice(key, HEARS, about=": picture and sound, else subtitles", deaf=_reading)


def _studied(name: str, superset: str, keys: str, about: str) -> tuple[Task, ...]:
    """Tasks under a named condition that the paper reports for them."""
    made = []
    for key in keys.split():
        evidence = condition(name, SEES if name.startswith("v") else HEARS)
        make = _choice if key in ("SP", "OR", "AC", "TA", "IP") else _expression
        made.append(make(key, evidence, superset=superset, about=about))
    return tuple(made)


TASKS = (
    _with_ears("SP"),
    _with_ears("OR"),
    # Table 2's notes: a model without audio is given the right answer to Speech Transcription
    _choice(
        "AC",
        HEARS,
        about=": picture and sound",
        deaf=_told,
    ),
    _choice("TA", SEES, about=": clips to be put in order"),
    _with_ears("IP"),
    _expression("VS", READS, about=": judged, with key terms"),
    _expression("KT", READS, about=": judged, eight languages"),
    *_studied("vision_only", "lemon_vision_only", "SP OR IP TA VS", ": picture alone (Tables 3, 4, 8)"),
    *_studied("video_subtitles", "lemon_video_subtitles", "SP OR IP TA VS", " with subtitles (Tables 3, 4, 8)"),
    *_studied("video_audio", "lemon_video_audio", "SP OR IP TA", " with sound (Tables 3, 8)"),
    *_studied("ground_truth_transcript", "lemon_ground_truth_transcript", "AC", ", right transcript given (Table 9)"),
    *_studied("online", "lemon_online", "SP", ", nothing after the question shown (Figure 10)"),
)


def __getattr__(name: str):
    if name == "TASKS_TABLE":  # made when lighteval asks: where the data are is not known at import
        return lighteval_table(TASKS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""
name:
MMOU

dataset:
nvidia/MMOU

abstract:
Questions on long real-world videos whose answer needs picture and sound together: ten options, thirteen skills.

languages:
english

tags:
multimodal, video, audio, multiple-choice

paper:
https://arxiv.org/abs/2603.14145
"""

from dataclasses import replace

from datasets import Dataset

from chalkbench.evidence import Evidence, condition
from chalkbench.task import Prompt, Row, Task
from chalkbench.tasks.config import lighteval_table
from chalkbench.tasks.prompts import OPTION, TRANSCRIPT

# The paper prints neither its prompts nor its frames (section 4: options are shown, exactly one is to be selected).
PROMPT = Prompt(
    choice="{question}\n\n{options}\n\nAnswer with the letter of the one correct option ({range}).",
    option=OPTION,
    open="{question}\n\nAnswer in one sentence.",
    transcript=TRANSCRIPT,
)
EVIDENCE = Evidence(frames="uniform:64", audio=True)
# lighteval holds the frames of all questions in memory at once: few and small ones.
IMAGES = Evidence(frames="uniform:8", size=448)

# Minutes, as the paper groups its results (releases: <5, 5-10, 10-20, 20-30, >30).
_BUCKETS = ((5, "<5 min"), (10, "5-10 min"), (20, "10-20 min"), (30, "20-30 min"))

_NONE = "none_option:"  # how the layout tags the items of the paper's section 3.4, step 5


def duration_bucket(row: Row) -> list[str]:
    """The paper's group of the video's length; none if the length is not known."""
    if row["duration"] is None:
        return []
    minutes = row["duration"] / 60
    return [next((name for bound, name in _BUCKETS if minutes < bound), "20-30 min" if minutes == 30 else ">30 min")]


def skills(row: Row) -> list[str]:
    """The paper's skills that the question is tagged with; it counts under each."""
    return [tag for tag in row["tags"] if not tag.startswith(_NONE)]


def none_group(row: Row) -> list[str]:
    """Whether the item's "none of the options" is right (`gold`), a `distractor`, `present` (hidden) or `absent`."""
    return [tag.removeprefix(_NONE) for tag in row["tags"] if tag.startswith(_NONE)]


def answerable(rows: Dataset) -> list[int]:
    """The rows that can be asked without their options: not those whose right answer is that no option is right."""
    return [place for place, tags in enumerate(rows["tags"]) if f"{_NONE}gold" not in tags]


# The benchmark's own score is micro (section 4, evaluation).
GROUPINGS = (
    ("domain", lambda row: [row["domain"]] if row["domain"] else []),
    ("duration", duration_bucket),
    ("skill", skills),
    ("none", none_group),
)


def _task(name: str, evidence: Evidence, about: str, *, config: str = "test", split: str = "test", **more) -> Task:
    return Task(
        name=name,
        benchmark="mmou",
        config=config,
        split=split,
        evidence=evidence,
        prompt=PROMPT,
        rule="option_accuracy",
        variant="mmou",  # the official score is over all questions: `accuracy_all` stands beside ours
        open_rule="rubric_score",
        max_new_tokens=512,
        groupings=GROUPINGS,
        about=about,
        **more,
    )


TASKS = (
    _task("mmou", EVIDENCE, "MMOU mini (answers published): picture and sound"),
    _task("mmou_vision_only", condition("vision_only", EVIDENCE), "MMOU mini: picture alone"),
    _task("mmou_audio_only", condition("audio_only", EVIDENCE), "MMOU mini: sound alone"),
    _task("mmou_text_only", condition("text_only", EVIDENCE), "MMOU mini: question and options alone"),
    _task(
        "mmou_hidden",
        EVIDENCE,
        "MMOU's 15,000 (answers hidden): writes the submission file",
        config="default",
        split="train",
        hidden=True,
    ),
    replace(
        _task("mmou_open", EVIDENCE, "MMOU mini without the options: judged by four criteria").given(
            condition("free_response", EVIDENCE)
        ),
        select=answerable,
    ),
    _task("mmou_as_images", IMAGES, "MMOU mini for `lighteval accelerate --vision-model`", as_images=True),
)


def __getattr__(name: str):
    if name == "TASKS_TABLE":  # made when lighteval asks: where the data are is not known at import
        return lighteval_table(TASKS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

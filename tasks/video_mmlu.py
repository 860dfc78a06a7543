"""
name:
Video-MMLU

dataset:
Enxin/Video-MMLU

abstract:
Lectures on mathematics, physics and chemistry: captions that are examined by questions, and a quiz of open
questions, judged against reference answers.

languages:
english

tags:
multimodal, video, open-ended

paper:
https://arxiv.org/abs/2504.14693
"""

from dataclasses import replace

from chalkbench.evidence import Evidence, condition
from chalkbench.task import Prompt, Task
from chalkbench.tasks.caption_prompts import CAPTION_PROMPTS, caption_prompt
from chalkbench.tasks.config import lighteval_table
from chalkbench.tasks.prompts import OPTION, TRANSCRIPT

# Section 11: the quiz's system prompt, and 64 new tokens. The transcript is ours: no condition of the paper has one.
QUIZ = Prompt(
    choice="{question}\n{options}",
    option=OPTION,
    open="{question}",
    transcript=TRANSCRIPT,
    instruction="Answer briefly and directly in one sentence.",
    published=True,
)
QUIZ_TOKENS = 64
# Section 4.1: the same 32 uniformly sampled frames for all models, 4 or 2 where a model takes no more; no sound.
EVIDENCE = Evidence(frames="uniform:32")
# lighteval holds the frames of all questions in memory at once: few and small ones.
IMAGES = Evidence(frames="uniform:8", size=448)

GROUPINGS = (("discipline", lambda row: [row["discipline"]] if row["discipline"] else []),)


# Section 11: "prompt with the designed instruction in different length randomly"; one is drawn for each video. The
# model's own length limit holds; 1,024 new tokens are what a repack of the benchmark allows, which is not the paper's
# word.
CAPTION = Prompt(
    choice="{question}\n{options}",
    option=OPTION,
    open="{question}",
    transcript=TRANSCRIPT,
    published=True,
    drawn_from=CAPTION_PROMPTS,
)
CAPTION_TOKENS = 1024


def _quiz(name: str, evidence: Evidence, about: str, **more) -> Task:
    return Task(
        name=name,
        benchmark="video_mmlu",
        config="quiz",
        split="Video_MMLU",
        evidence=evidence,
        prompt=QUIZ,
        rule="judged_qa_accuracy",
        max_new_tokens=QUIZ_TOKENS,
        groupings=GROUPINGS,
        # the track's score is the mean of the three disciplines (Tables 2 to 4; released calculate_scores.py)
        official="discipline",
        cell="quiz",
        about=about,
        **more,
    )


def _notebook(name: str, evidence: Evidence, about: str) -> Task:
    return replace(
        _quiz(name, evidence, about),
        config="notebook",
        prompt=CAPTION,
        question=lambda row: caption_prompt(row["id"]),
        rule="vdc_score",
        max_new_tokens=CAPTION_TOKENS,
        cell="notebook",
    )


TASKS = (
    _quiz("video_mmlu:quiz", EVIDENCE, "Video-MMLU quiz: 32 frames, judged"),
    _notebook("video_mmlu:notebook", EVIDENCE, "Video-MMLU notebook: a caption, questions answered from it, judged"),
    _quiz(
        "video_mmlu_vision_blind:quiz", condition("vision_blind", EVIDENCE), "Video-MMLU quiz from the question alone"
    ),
    _notebook(
        "video_mmlu_vision_blind:notebook",
        condition("vision_blind", EVIDENCE),
        "Video-MMLU notebook without the video",
    ),
    _quiz(
        "video_mmlu_as_images:quiz",
        IMAGES,
        "Video-MMLU quiz for `lighteval accelerate --vision-model`",
        as_images=True,
    ),
)


def __getattr__(name: str):
    if name == "TASKS_TABLE":  # made when lighteval asks: where the data are is not known at import
        return lighteval_table(TASKS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

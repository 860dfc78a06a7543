"""
name:
InstructionBench

dataset:
sunwhw/InstructionBench

abstract:
How-to videos: the order of steps and the objects in them, with five options or open.

languages:
english

tags:
multimodal, video, multiple-choice, open-ended

paper:
https://arxiv.org/abs/2504.05040
"""

from dataclasses import replace

from chalkbench.evidence import Evidence, condition
from chalkbench.task import Prompt, Task
from chalkbench.tasks.config import lighteval_table
from chalkbench.tasks.prompts import OPTION, TRANSCRIPT

# The main text prints no prompt; the supplementary material (arXiv, version 2) was not read: the wording is ours.
PROMPT = Prompt(
    choice="{question}\n\n{options}\n\nAnswer with the letter of the one correct option ({range}).",
    option=OPTION,
    open="{question}\n\nAnswer in one sentence.",
    transcript=TRANSCRIPT,
)
EVIDENCE = Evidence(frames="uniform:8")  # Table 4; 16 in its second part, 1 fps for models that take it

# The benchmark's own score is micro, by grain and type as well (Table 4: found by fit).
GROUPINGS = (
    ("grain", lambda row: [row["task"]] if row["task"] else []),
    ("type", lambda row: [row["subtask"]] if row["subtask"] else []),
    ("dataset", lambda row: [row["domain"]] if row["domain"] else []),
)


def _task(name: str, evidence: Evidence, about: str) -> Task:
    return Task(
        name=name,
        benchmark="instructionbench",
        config="multiple_choice",
        split="test",
        evidence=evidence,
        prompt=PROMPT,
        rule="option_accuracy",
        variant="instructionbench",
        max_new_tokens=512,
        groupings=GROUPINGS,
        about=about,
    )


TASKS = (
    _task("instructionbench", EVIDENCE, "InstructionBench: 8 frames"),
    _task("instructionbench_16_frames", replace(EVIDENCE, frames="uniform:16"), "InstructionBench: 16 frames"),
    _task("instructionbench_1fps", replace(EVIDENCE, frames="fps:1"), "InstructionBench: a frame a second"),
    _task("instructionbench_blind", condition("text_only", EVIDENCE), "InstructionBench: question and options alone"),
    replace(
        _task("instructionbench_open", EVIDENCE, "InstructionBench: open-ended, judged"),
        config="open_ended",
        rule="judged_qa_accuracy",
        variant="",
        max_new_tokens=256,
    ),
)


def __getattr__(name: str):
    if name == "TASKS_TABLE":  # made when lighteval asks: where the data are is not known at import
        return lighteval_table(TASKS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

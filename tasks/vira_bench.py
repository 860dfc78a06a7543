"""
name:
VIRA-Bench

dataset:
vira_bench (no release was found; a neutral layout is read)

abstract:
Short clips of one-to-one online tutoring: what is seen and said, how a teacher's step, the learner's response and the
follow-up hang together, and what support does.

languages:
english

tags:
multimodal, video, multiple-choice

paper:
https://arxiv.org/abs/2610.29428
"""

import hashlib
from collections import defaultdict

from datasets import Dataset

from chalkbench.evidence import Evidence, condition
from chalkbench.task import Prompt, Task
from chalkbench.tasks.config import lighteval_table
from chalkbench.tasks.prompts import OPTION

# The default (section 4.1): one frame a second, and the transcript in the prompt.
EVIDENCE = Evidence(frames="fps:1", subtitles=True)
RESENDS = 3  # appendix E: up to 3 automatic retries where the model did not receive the video
HUMAN_ITEMS = 25  # a subtask: the 200 items that three people answered (section 4.1)

# Appendix E, inference prompt templates. How a reply is to look is described there and not printed: that is ours, and
# so is the sentence for conditions that have none of their own.
WITH_TRANSCRIPT = (
    "Watch the video clip and read the speech transcript, then answer the question. Use the transcript as "
    "spoken-language evidence; use the video for visual context."
)
WITHOUT_VIDEO = (
    "Read the speech transcript from a tutoring clip, then answer the question. You do NOT have access to the video."
)
STATIC = (
    "Look at these {count} key frames extracted from a video clip of an online tutoring session, then answer the "
    "question."
)
_REPLY = (
    'Return a JSON object: {{"answer": the letter of the one correct option ({range}), "confidence": "high", "medium" '
    'or "low", "reasoning": one short sentence}}.'
)


def wording(evidence: Evidence) -> Prompt:
    """The prompt under a condition."""
    if evidence.frames.startswith("static:"):
        lead = STATIC.format(count=evidence.frames.partition(":")[2])
    elif evidence.subtitles:
        lead = WITH_TRANSCRIPT if evidence.sees else WITHOUT_VIDEO
    else:
        lead = "Watch the video clip, then answer the question." if evidence.sees else "Answer the question."
    return Prompt(
        choice=f"{lead}\n\nQuestion: {{question}}\n\nOptions:\n{{options}}\n\n{_REPLY}",
        option=OPTION,
        open=f"{lead}\n\nQuestion: {{question}}\n\nAnswer with a short phrase.",
        transcript="Speech transcript:\n{cues}\n\n",
    )


def human_subset(rows: Dataset) -> list[int]:
    """25 rows of each subtask (all, where there are fewer), in the rows' order; which ones hangs on their ids alone.

    The paper's own 200 items are not published.
    """
    of_subtask: dict[str, list[int]] = defaultdict(list)
    for place, subtask in enumerate(rows["subtask"]):
        of_subtask[subtask].append(place)
    ids = rows["id"]

    def draw(place: int) -> bytes:
        return hashlib.sha256(f"human\0{ids[place]}".encode()).digest()

    return sorted(place for places in of_subtask.values() for place in sorted(places, key=draw)[:HUMAN_ITEMS])


# The benchmark's own score is micro, by layer and subtask as well (appendix E, response parsing and scoring).
GROUPINGS = (
    ("layer", lambda row: [row["task"]] if row["task"] else []),
    ("subtask", lambda row: [row["subtask"]] if row["subtask"] else []),
)


def _task(name: str, evidence: Evidence, about: str, **more) -> Task:
    task = Task(
        name=name,
        benchmark="vira_bench",
        config="default",
        split="test",
        evidence=EVIDENCE,
        prompt=wording(EVIDENCE),
        rule="option_accuracy",
        variant="vira_bench",
        open_rule="free_response_match",
        max_new_tokens=512,
        groupings=GROUPINGS,
        option_order="independent",  # appendix E
        resend=RESENDS,
        wording=wording,
        about=about,
        **more,
    )
    return task if evidence == EVIDENCE else task.given(evidence)


TASKS = (
    _task("vira_bench", EVIDENCE, "VIRA-Bench: video and transcript"),
    _task("vira_bench_asr_only", condition("asr_only", EVIDENCE), "VIRA-Bench: transcript alone"),
    _task("vira_bench_static_frames", condition("static_frames", EVIDENCE), "VIRA-Bench: five still frames"),
    _task("vira_bench_stem_options", condition("stem_options", EVIDENCE), "VIRA-Bench: question and options alone"),
    _task("vira_bench_free_response", condition("free_response", EVIDENCE), "VIRA-Bench: without the options"),
    _task(
        "vira_bench_human",
        EVIDENCE,
        "VIRA-Bench: 25 questions a subtask, as people were asked",
        select=human_subset,
    ),
)


def __getattr__(name: str):
    if name == "TASKS_TABLE":  # made when lighteval asks: where the data are is not known at import
        return lighteval_table(TASKS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""What a task is: which rows of which benchmark, shown how, asked how, scored by which rule.

What belongs here: the value objects that the task files fill in and the results carry. What does not: the tasks
themselves (`chalkbench.tasks`), and anything of lighteval.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chalkbench.evidence import Evidence

Row = dict[str, Any]
MICRO = "micro"


@dataclass(frozen=True)
class Prompt:
    """How a question is put into words. The templates' fields are filled in by `chalkbench.tasks.prompts`.

    choice: text of a question with options; fields {question}, {options} (lines of `option`), {range} (`A to J`).
    option: a line of an option; fields {label}, {text}.
    open: text of a question without options; field {question}.
    transcript: what stands before it when the subtitles are given; field {cues}.
    instruction: system text, or None.
    published: whether the benchmark's paper or code prints this wording (else the signature says so).
    """

    choice: str
    option: str
    open: str
    transcript: str
    instruction: str | None = None
    published: bool = False

    @property
    def hash(self) -> str:
        """First 12 hex digits of the SHA-256 over all the templates."""
        parts = [self.choice, self.option, self.open, self.transcript, self.instruction]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        """The form that stands in a signature."""
        return self.hash if self.published else f"unpublished:{self.hash}"


@dataclass(frozen=True)
class Task:
    """One line of a results table.

    name: as in a lighteval command, e.g. `video_mmlu:quiz`.
    benchmark, config, split: where the rows are; `benchmark` is the folder's name in `benchmarks/`.
    rule: the folder's name in `metrics/`.
    max_new_tokens: length of a reply, unless the user overrides it.
    groupings: (name, row → the groups it belongs to), in the order of the tables.
    official: `micro`, or the grouping whose unweighted mean over groups is the benchmark's own score.
    hidden: the answers are not published; the run writes a submission file instead of a score.
    as_images: frames are decoded into lighteval's own `Doc.images`, for its own vision models.
    about: one line for `chalkbench tasks`.
    """

    name: str
    benchmark: str
    config: str
    split: str
    evidence: Evidence
    prompt: Prompt
    rule: str
    max_new_tokens: int
    groupings: Sequence[tuple[str, Callable[[Row], list[str]]]] = field(default=(), repr=False)
    official: str = MICRO
    hidden: bool = False
    as_images: bool = False
    about: str = ""

    @property
    def needs_media(self) -> bool:
        """Whether a question of this task cannot be asked without its video."""
        return self.evidence.sees or self.evidence.audio

    @property
    def judged(self) -> bool:
        """Whether the answers are open-ended, so that a judge is needed."""
        return self.rule != "option_accuracy"

    def groups(self, row: Row) -> dict[str, list[str]]:
        """{grouping: the groups of this row}; every grouping is present."""
        return {name: function(row) for name, function in self.groupings}

    def given(self, evidence: Evidence) -> "Task":
        """The same task with another evidence. Without its options a question is open-ended, and needs a judge."""
        rule = "judged_qa_accuracy" if self.rule == "option_accuracy" and not evidence.options else self.rule
        return replace(self, evidence=evidence, rule=rule)

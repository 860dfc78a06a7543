"""What a task is: which rows of which benchmark, shown how, asked how, scored by which rule.

What belongs here: the value objects that the task files fill in and the results carry. What does not: the tasks
themselves (`chalkbench.tasks`), and anything of lighteval.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from datasets import Dataset

from chalkbench.evidence import Evidence

Row = dict[str, Any]
MICRO = "micro"
SEED = 0  # of the orders of options
OptionOrder = Literal["as_released", "as_answered", "independent", "balanced"]


@dataclass(frozen=True)
class Prompt:
    """How a question is put into words. The templates' fields are filled in by `chalkbench.tasks.prompts`.

    choice: text of a question with options; fields {question}, {options} (lines of `option`), {range} (`A to J`).
    option: a line of an option; fields {label}, {text}.
    pictures: what stands for {options} where they are pictures, which follow the text; field {range}.
    open: text of a question without options; fields {question}, {language} (of the answer, in English).
    transcript: what stands before it when the subtitles are given; field {cues}.
    instruction: system text, or None.
    drawn_from: the wordings one of which is drawn as the question, if the task draws it.
    published: whether the benchmark's paper or code prints this wording (else the signature says so).
    """

    choice: str
    option: str
    open: str
    transcript: str
    instruction: str | None = None
    published: bool = False
    pictures: str = "The options are the pictures {range}."
    drawn_from: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """First 12 hex digits of the SHA-256 over all the templates."""
        parts = [self.choice, self.option, self.open, self.transcript, self.instruction, self.pictures]
        parts += self.drawn_from
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        """The form that stands in a signature."""
        return self.hash if self.published else f"unpublished:{self.hash}"


@dataclass(frozen=True)
class Task:
    """One line of a results table.

    name: as in a lighteval command, e.g. `video_mmlu:quiz`.
    benchmark, config, split: where the rows are; `benchmark` is the folder's name in `benchmarks/`.
    rule: the folder's name in `metrics/`. variant: of the rule; "" = its own default. open_rule: the rule that scores
        questions with options when these are not shown.
    max_new_tokens: length of a reply, unless the user overrides it.
    groupings: (name, row → the groups it belongs to), in the order of the tables.
    official: `micro`, or the grouping whose unweighted mean over groups is the benchmark's own score.
    cell: where the task stands in its benchmark's table, e.g. `AE/VS`; the benchmark's score is the mean over the
        outermost cells. "" = the task is all of its benchmark's table.
    option_order: how options are shown: as released, or shuffled for every model and item (`prepared.py`); as
        answered: the answers say themselves in which order their options were.
    asked_of: name of the model, which decides a shuffle; "" = not known.
    wording: evidence → how questions are worded under it, None = always as `prompt` says.
    select: the positions of the rows that are asked, None = all.
    question: row → the question's text, None = the row's own.
    resend: how often a question is sent again whose video did not arrive.
    deaf: task with sound → what takes its place for a model that cannot hear, None = such a model is refused.
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
    variant: str = ""
    open_rule: str = "judged_qa_accuracy"
    cell: str = ""
    option_order: OptionOrder = "as_released"
    asked_of: str = ""
    wording: Callable[[Evidence], Prompt] | None = field(default=None, repr=False)
    select: Callable[[Dataset], list[int]] | None = field(default=None, repr=False)
    question: Callable[[Row], str] | None = field(default=None, repr=False)
    resend: int = 0
    deaf: "Callable[[Task], Task] | None" = field(default=None, repr=False)
    hidden: bool = False
    as_images: bool = False
    about: str = ""

    @property
    def needs_media(self) -> bool:
        """Whether a question of this task cannot be asked without its video."""
        return self.evidence.sees or self.evidence.audio

    def groups(self, row: Row) -> dict[str, list[str]]:
        """{grouping: the groups of this row}; every grouping is present."""
        return {name: function(row) for name, function in self.groupings}

    def given(self, evidence: Evidence) -> "Task":
        """The same task with another evidence. Without its options a question is open-ended."""
        opened = self.rule == "option_accuracy" and not evidence.options
        rule, variant = (self.open_rule, "") if opened else (self.rule, self.variant)
        prompt = self.wording(evidence) if self.wording is not None else self.prompt
        return replace(self, evidence=evidence, prompt=prompt, rule=rule, variant=variant)

    def asked(self, model: str, *, hears: bool) -> "Task":
        """The task as a model of that name is asked it."""
        return replace(self if hears else self.unheard(), asked_of=model)

    def unheard(self) -> "Task":
        """The task for a model that cannot hear."""
        return self.deaf(self) if self.deaf is not None and self.evidence.audio else self

"""The rules as a run needs them: what each evaluate module is handed of a question, and what it asks a judge.

What belongs here: one line a folder of `metrics/` that a task can be scored by. What does not: the rules themselves
(`chalkbench.scoring`), asking the judge (`judging.py`), and what becomes of the scores (`results.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from chalkbench.scoring import judged_qa, option_variants
from chalkbench.scoring.judge_prompts import Asking
from chalkbench.task import Row, Task

if TYPE_CHECKING:
    from chalkbench.results import Item

Mappings = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Rule:
    """How a run scores with one evaluate module.

    reference: item → what the module takes as its reference.
    asking: (items as mappings, task) → what a judge is asked; None = there is no judge.
    main: the module's own score, `accuracy` for right or wrong. top: its highest value.
    extra: row → what the reference needs beside question, options, gold and reference text.
    settings: task → further arguments of the module.
    """

    reference: Callable[["Item"], dict[str, Any]]
    asking: Callable[[Mappings, Task], Asking] | None = None
    main: Literal["accuracy", "score"] = "accuracy"
    top: float = 1.0
    extra: Callable[[Row], dict[str, Any]] = lambda row: {}
    settings: Callable[[Task], dict[str, Any]] = lambda task: {}


def _question(item: "Item") -> dict[str, Any]:
    return {"question": item.question, "answer": item.reference}


def _options(item: "Item") -> dict[str, Any]:
    return {"options": item.options, "answer_index": item.gold}


def _judge_of(task: Task) -> str:
    """Whose prompt judges open answers: the benchmark's own, else Video-MMLU's, the only one that is printed."""
    return task.benchmark if task.benchmark in judged_qa.BENCHMARKS else "video_mmlu"


RULES: dict[str, Rule] = {
    "option_accuracy": Rule(_options, lambda items, task: option_variants.asking(items)),
    "judged_qa_accuracy": Rule(
        _question,
        lambda items, task: judged_qa.asking(items, benchmark=_judge_of(task)),
        settings=lambda task: {"benchmark": _judge_of(task)},
    ),
}


def rule_of(task: Task) -> Rule:
    """The rule of a task."""
    return RULES[task.rule]


def extra(row: Row, rule: str) -> dict[str, Any]:
    """What a rule needs of a row beside its question, options, gold and reference text; plain values."""
    return RULES[rule].extra(row)


def asks_a_judge(task: Task) -> bool:
    """Whether a judge has a part in the task's score."""
    return rule_of(task).asking is not None and not (task.rule == "option_accuracy" and task.variant != "lemon")

"""The rules as a run needs them: what each evaluate module is handed of a question, and what it asks a judge.

What belongs here: one line a folder of `metrics/` that a task can be scored by. What does not: the rules themselves
(`chalkbench.scoring`), asking the judge (`judging.py`), and what becomes of the scores (`results.py`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from chalkbench.scoring import (
    free_response_match,
    judged_qa,
    option_variants,
    rubric_score,
    summary_score,
    translation_numbers,
    translation_score,
    vdc_score,
)
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
    main: the module's own score, `accuracy` for right or wrong. top: its highest value. unbounded: variants whose
        score has none.
    extra: row → what the reference needs beside question, options, gold and reference text.
    settings: task → further arguments of the module. unasked: the verdict of an item that no judge was asked about.
    variants: the names that the module takes as `variant`, its default first.
    """

    reference: Callable[["Item"], dict[str, Any]]
    asking: Callable[[Mappings, Task], Asking] | None = None
    main: Literal["accuracy", "score"] = "accuracy"
    top: float = 1.0
    unbounded: tuple[str, ...] = ()
    extra: Callable[[Row], dict[str, Any]] = lambda row: {}
    settings: Callable[[Task], dict[str, Any]] = lambda task: {}
    unasked: Any = None
    variants: tuple[str, ...] = ()


def _question(item: "Item") -> dict[str, Any]:
    return {"question": item.question, "answer": item.reference}


def _options(item: "Item") -> dict[str, Any]:
    return {"options": item.options, "answer_index": item.gold}


def _judge_of(task: Task) -> str:
    """Whose prompt judges open answers: the benchmark's own, else Video-MMLU's, the only one that is printed."""
    return task.benchmark if task.benchmark in judged_qa.BENCHMARKS else "video_mmlu"


def variant_of(task: Task) -> dict[str, str]:
    """The argument that names the task's variant of its rule; none where the rule's own default is meant."""
    return {"variant": task.variant} if task.variant else {}


def _translation(row: Row) -> dict[str, Any]:
    """What is to be translated, if the record says so, and the key terms with their translations."""
    source = json.loads(row["source"])
    said = next((source[name] for name in ("statement", "source", "text") if isinstance(source.get(name), str)), "")
    terms = [{"term": term["term"], "translation": term["translation"]} for term in row["key_terms"]]
    return {"source": said, "language": row["target_language"], "key_terms": terms}


def _choices(row: Row) -> dict[str, Any]:
    """The options that were not shown."""
    return {"options": row["options"], "answer_index": row["answer_index"]}


RULES: dict[str, Rule] = {
    "option_accuracy": Rule(
        _options,
        lambda items, task: option_variants.asking(items),
        variants=tuple(option_variants.VARIANTS),
    ),
    "judged_qa_accuracy": Rule(
        _question,
        lambda items, task: judged_qa.asking(items, benchmark=_judge_of(task)),
        settings=lambda task: {"benchmark": _judge_of(task)},
        variants=tuple(judged_qa.VARIANTS),
    ),
    "vdc_score": Rule(
        lambda item: {"questions": item.extra["questions"]},
        lambda items, task: vdc_score.asking(items, **variant_of(task)),
        extra=lambda row: {"questions": row["questions"]},
        unasked=[],
        variants=tuple(vdc_score.VARIANTS),
    ),
    "rubric_score": Rule(
        lambda item: _question(item) | {"caption": item.extra["caption"]},
        lambda items, task: rubric_score.asking(items),
        main="score",
        top=rubric_score.HIGH,
        extra=lambda row: {"caption": str(json.loads(row["source"]).get("caption") or "")},
    ),
    "summary_score": Rule(
        lambda item: _question(item) | {"key_terms": item.extra["key_terms"]},
        lambda items, task: summary_score.asking(items),
        main="score",
        top=100.0,
        unbounded=("count",),  # 30 points for each key term that is found
        variants=summary_score.VARIANTS,
        extra=lambda row: {"key_terms": list(dict.fromkeys(term["term"] for term in row["key_terms"]))},
    ),
    "translation_score": Rule(
        lambda item: _question(item) | {name: item.extra[name] for name in ("source", "language", "key_terms")},
        lambda items, task: translation_score.asking(items),
        main="score",
        top=10.0,
        variants=translation_numbers.VARIANTS,
        extra=_translation,
    ),
    "free_response_match": Rule(
        lambda item: {"answer": item.reference} | item.extra,
        extra=_choices,
        variants=free_response_match.VARIANTS,
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

"""Judging: what a rule asks about the answers is put to a judge, and its replies go back to the rule.

What belongs here: which answers a judge sees, and who judged and how. What does not: the judge (`judge.py`), what a
rule asks and how it reads the replies (`chalkbench.scoring`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chalkbench.rules import asks_a_judge, rule_of
from chalkbench.scoring.judge_prompts import Prompt
from chalkbench.scoring.judgement import fault_of
from chalkbench.scoring.outcome import HIDDEN_GOLD, NOT_JUDGED
from chalkbench.task import Task

if TYPE_CHECKING:
    from chalkbench.judge import Judge
    from chalkbench.results import Item


@dataclass(frozen=True)
class Judged:
    """What the rule's module is told of the judge.

    statuses: why an item has no grade, None = the verdict decides. verdicts: one an item, in the rule's own form.
    judge: who judged and how, for `scores.json`; None = nobody. errors: what the judge's failures said, each once.
    """

    statuses: list[str | None]
    verdicts: list[Any] | None = None
    judge: dict[str, Any] | None = None
    errors: list[str] = field(default_factory=list)


def ask(items: Sequence["Item"], *, task: Task, judge: "Judge | None") -> Judged:
    """Puts a rule's questions to the judge, stage by stage.

    Asked about is what has a reply and a reference. Without a judge every such reply of a judged rule is
    `not_judged`: kept, and no grade.
    """
    if not asks_a_judge(task):
        return Judged([item.status for item in items])
    optional = task.rule == "option_accuracy"  # the extractor is asked only where the rules find nothing
    statuses = [item.status if optional else _before(item) for item in items]
    if judge is None:
        if optional:
            return Judged(statuses)
        waiting = [NOT_JUDGED if _waits(*pair) else pair[1] for pair in zip(items, statuses, strict=True)]
        return Judged(waiting, [rule_of(task).unasked] * len(items))
    mappings = [_mapping(item, status, task) for item, status in zip(items, statuses, strict=True)]
    stages = rule_of(task).asking(mappings, task)
    asked: list[Prompt] = []
    errors: dict[str, None] = {}
    prompts = next(stages)
    while True:
        replies = judge.ask(prompts) if prompts else []
        asked += prompts
        errors |= dict.fromkeys(reply.error for reply in replies if reply.status is not None)
        try:
            prompts = stages.send([reply.text if reply.status is None else None for reply in replies])
        except StopIteration as end:
            return Judged(statuses, end.value, describe(judge, asked, benchmark=task.benchmark), list(errors))


def _before(item: "Item") -> str | None:
    """Why an item cannot be judged, None = it can."""
    return item.status or (None if item.reference or any(item.extra.values()) else HIDDEN_GOLD)


def _waits(item: "Item", status: str | None) -> bool:
    return status is None and fault_of(item.reply) is None


def _mapping(item: "Item", status: str | None, task: Task) -> dict[str, Any]:
    reference = rule_of(task).reference(item)
    return reference | {
        "reply": item.reply,
        "question": item.question,
        "reference": item.reference,
        "answer": item.reference,
        "status": status,
    }


def describe(judge: "Judge", prompts: Sequence[Prompt], *, benchmark: str) -> dict[str, Any]:
    """Who judged and how, for `scores.json` and the signature.

    settings, prompt_hash: those of all stages, joined with `+`. A wording that another benchmark's paper prints is
    our choice for this one, and marked so.
    """
    stages = {(prompt.template, prompt.settings): None for prompt in prompts if prompt.template is not None}
    described: list[Mapping[str, Any]] = [judge.describe(template, settings) for template, settings in stages]
    foreign = [template.published and not template.name.startswith(benchmark) for template, _ in stages]
    hashes = [
        f"unpublished:{one['prompt_hash']}" if other else one["prompt_hash"]
        for one, other in zip(described, foreign, strict=True)
    ]
    return {
        "judge": judge.id,
        "served": sorted(judge.served),
        "settings": "+".join(dict.fromkeys(one["settings"] for one in described)) or "-",
        "prompt": "+".join(one["prompt"] for one in described),
        "prompt_hash": "+".join(hashes) or "-",
        "prompt_source": "; ".join(
            f"unpublished for {benchmark}" if other else one["prompt_source"]
            for one, other in zip(described, foreign, strict=True)
        ),
    }

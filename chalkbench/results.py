"""Results: answers and their questions become scores, through the evaluate module of the task's rule.

What belongs here: what is handed to a rule, and the nested result that is written to `scores.json`. What does not:
the rules (`chalkbench.scoring`, `metrics/`), the printed tables (`table.py`) and the signature (`signature.py`).
"""

import importlib.resources
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from chalkbench import judging
from chalkbench.scoring.aggregate import mean
from chalkbench.scoring.options import read_choice
from chalkbench.scoring.outcome import HIDDEN_GOLD, MODEL_FAULTS, OTHER_FAULTS
from chalkbench.task import MICRO, Task

REASONS = tuple(sorted(MODEL_FAULTS | OTHER_FAULTS))
_GROUP = "="  # between a grouping and a group in the labels that go to the module


@dataclass(frozen=True)
class Item:
    """One answered question, as a rule needs it.

    options: empty = open-ended. gold: index of the right option, -1 = none or hidden. reference: text, "" = hidden.
    groups: {grouping: groups}. reply: raw, reasoning included. status: why there is no reply, None = there is one.
    rule: what settled the reply before it was read (e.g. `tie`), "" = nothing.
    """

    id: str
    question: str
    options: list[str]
    gold: int
    reference: str
    groups: dict[str, list[str]] = field(default_factory=dict)
    reply: str = ""
    status: str | None = None
    rule: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values; `Item(**value)` is the way back."""
        return asdict(self)


def module(rule: str) -> Any:
    """A fresh instance of the evaluate module `metrics/<rule>`, found by its path: no network is asked."""
    import evaluate  # here: it imports all of transformers' pipelines, and a command that ends earlier need not wait

    folder = importlib.resources.files("chalkbench.metrics") / rule
    return evaluate.load(str(folder), keep_in_memory=True)


def score(items: Sequence[Item], *, task: Task, protocol: str = "strict", judge: Any = None) -> dict[str, Any]:
    """The nested result of a task.

    Keys: `accuracy` (micro, None if nothing counts), `n`, `n_scored`, `n_counted` (the denominator), `not_scored`
    {reason: count}, `interval` [low, high] or None, `protocol`, `denominator` (in words), `groupings` {name:
    {`by_group`: {group: the same}, `macro`}}, `official` {`name`, `value`}, `items` [{`id`, `choice`, `rule`,
    `status`, …}] in the order given.
    A task whose answers are hidden has `n`, `n_chosen`, `not_scored` and `items` only.
    """
    if task.hidden:
        return _chosen(items)
    if task.rule == "option_accuracy":
        result = _option_accuracy(items, protocol=protocol)
    else:
        result = _judged_accuracy(items, rule=task.rule, protocol=protocol, judge=judge)
    by_group = result.pop("by_group") or {}
    result.pop("macro", None)
    result["groupings"] = {name: _grouping(name, by_group) for name, _ in task.groupings}
    macro = task.official != MICRO
    result["official"] = {
        "name": f"mean over {task.official}" if macro else MICRO,
        "value": result["groupings"][task.official]["macro"] if macro else result["accuracy"],
    }
    return result


def flat(result: Mapping[str, Any]) -> dict[str, float]:
    """A nested result as lighteval's tables want it: one level, numbers only; what has no value is left out.

    Every reason is there, with 0 if it did not occur: lighteval averages over tasks, and takes what one lacks for 0.
    """
    numbers = {name: result.get(name) for name in ("accuracy", "n", "n_scored", "n_counted", "n_chosen")}
    if "official" in result:
        numbers["official"] = result["official"]["value"]
    if result.get("interval"):
        numbers["interval_low"], numbers["interval_high"] = result["interval"]
    numbers |= {f"not_scored:{reason}": result["not_scored"].get(reason, 0) for reason in REASONS}
    for name, grouping in result.get("groupings", {}).items():
        numbers[f"macro:{name}"] = grouping["macro"]
        numbers |= {f"{name}:{group}": values["accuracy"] for group, values in grouping["by_group"].items()}
    return {name: float(value) for name, value in numbers.items() if value is not None}


def _labels(item: Item) -> list[str]:
    return [f"{name}{_GROUP}{group}" for name, groups in item.groups.items() for group in groups]


def _grouping(name: str, by_group: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    prefix = name + _GROUP
    members = {label.removeprefix(prefix): dict(part) for label, part in by_group.items() if label.startswith(prefix)}
    ordered = {group: members[group] for group in sorted(members, key=_order)}
    return {"by_group": ordered, "macro": mean(part["accuracy"] for part in members.values())}


def _order(group: str) -> tuple[float, str]:
    """Ranges (`<5 min`, `10-20 min`, `>30 min`) by their numbers, everything else by name."""
    bound = re.match(r"([<>]?)(\d+)", group)
    return (int(bound[2]) + {"<": -0.5, ">": 0.5, "": 0.0}[bound[1]] if bound else 0.0, group)


def _option_accuracy(items: Sequence[Item], *, protocol: str) -> dict[str, Any]:
    result = module("option_accuracy").compute(
        predictions=[item.reply for item in items],
        references=[{"options": item.options, "answer_index": item.gold} for item in items],
        groups=[_labels(item) for item in items],
        statuses=[item.status for item in items],
        protocol=protocol,
        return_items=True,
    )
    result["items"] = _named(items, result["items"])
    return result


def _judged_accuracy(items: Sequence[Item], *, rule: str, protocol: str, judge: Any) -> dict[str, Any]:
    statuses, verdicts = judging.ask(items, judge)
    result = module(rule).compute(
        predictions=[item.reply for item in items],
        references=[{"question": item.question, "answer": item.reference} for item in items],
        verdicts=[verdict.text if verdict else None for verdict in verdicts],
        groups=[_labels(item) for item in items],
        statuses=statuses,
        protocol=protocol,
        return_items=True,
    )
    read = _named(items, result["items"])
    for one, verdict in zip(read, verdicts, strict=True):
        one |= {"verdict": (verdict.text or "") if verdict else "", "error": verdict.error if verdict else ""}
    result["items"] = read
    return result


def _named(items: Sequence[Item], read: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What was read of each item, with its id, and the rule that settled it before it was read."""
    return [
        {"id": item.id, **values, "rule": item.rule or values["rule"]}
        for item, values in zip(items, read, strict=True)
    ]


def _chosen(items: Sequence[Item]) -> dict[str, Any]:
    """What was chosen, where nobody here knows what is right."""
    read = [_unscored(item) for item in items]
    return {
        "n": len(items),
        "n_chosen": sum(one["choice"] is not None for one in read),
        "not_scored": dict(sorted(Counter(one["status"] for one in read).items())),
        "items": read,
    }


def _unscored(item: Item) -> dict[str, Any]:
    if item.status is not None:
        return {"id": item.id, "choice": None, "rule": item.rule, "status": item.status}
    choice, rule, status = read_choice(item.reply, item.options)
    return {
        "id": item.id,
        "choice": choice,
        "rule": item.rule or rule,
        "status": HIDDEN_GOLD if choice is not None else status,
    }

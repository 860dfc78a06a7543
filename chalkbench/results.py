"""Results: answers and their questions become scores, through the evaluate module of the task's rule.

What belongs here: what is handed to a rule, and the nested result that is written to `scores.json`. What does not:
the rules (`chalkbench.scoring`, `metrics/`), the printed tables (`table.py`) and the signature (`signature.py`).
"""

import importlib.resources
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from chalkbench import judging
from chalkbench.rules import rule_of, variant_of
from chalkbench.scoring.aggregate import mean
from chalkbench.scoring.options import read_choice
from chalkbench.scoring.outcome import HIDDEN_GOLD, JUDGE_FAILED, MODEL_FAULTS, OTHER_FAULTS
from chalkbench.task import MICRO, Task

REASONS = tuple(sorted(MODEL_FAULTS | OTHER_FAULTS))
_GROUP = "="  # between a grouping and a group in the labels that go to the module


@dataclass(frozen=True)
class Item:
    """One answered question, as a rule needs it.

    options: empty = open-ended. gold: index of the right option, -1 = none or hidden. reference: text, "" = hidden.
    groups: {grouping: groups}. reply: raw, reasoning included. status: why there is no reply, None = there is one.
    rule: what settled the reply before it was read (e.g. `tie`), "" = nothing.
    extra: what else the task's rule needs (`rules.py`). order: released positions of the options, [] = as released.
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
    extra: dict[str, Any] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Plain values of the same types for every item; `from_dict` is the way back."""
        return asdict(self) | {"extra": json.dumps(self.extra, ensure_ascii=False)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Item":
        """The item of `to_dict`."""
        return cls(**{**values, "extra": json.loads(values["extra"])})


def module(rule: str) -> Any:
    """A fresh instance of the evaluate module `metrics/<rule>`, found by its path: no network is asked."""
    import evaluate  # here: it imports all of transformers' pipelines, and a command that ends earlier need not wait

    folder = importlib.resources.files("chalkbench.metrics") / rule
    return evaluate.load(str(folder), keep_in_memory=True)


def score(items: Sequence[Item], *, task: Task, protocol: str = "strict", judge: Any = None) -> dict[str, Any]:
    """The nested result of a task.

    Keys: `main`, the name of the score (`accuracy` or `score`), under it the score (micro, None if nothing counts);
    `top`, its highest value, None if there is none; `n`, `n_scored`, `n_counted` (the denominator), `not_scored`
    {reason: count}, `interval` [low, high] or None, `protocol`, `denominator` (in words), `groupings` {name:
    {`by_group`: {group: the same}, `macro`}}, `official` {`name`, `value`}, `judged_by` (who judged and how, or None),
    `items` [{`id`, `choice`, `rule`, `status`, …}] in the order given; and what the rule reports beside (e.g. `bleu`).
    A task whose answers are hidden has `n`, `n_chosen`, `not_scored` and `items` only.
    """
    if task.hidden:
        return _chosen(items)
    rule = rule_of(task)
    result = _scored(items, task=task, protocol=protocol, judge=judge)
    by_group = result.pop("by_group", None) or {}
    result.pop("macro", None)
    result |= {"main": rule.main, "top": None if task.variant in rule.unbounded else rule.top}
    result["groupings"] = {name: _grouping(name, by_group, rule.main) for name, _ in task.groupings}
    macro = task.official != MICRO
    result["official"] = {
        "name": f"mean over {task.official}" if macro else MICRO,
        "value": result["groupings"][task.official]["macro"] if macro else result[rule.main],
    }
    return result


def share(value: float | None, top: float | None) -> float | None:
    """A score as a share of its highest value, 0..1; None where there is no score, or no highest value."""
    return None if value is None or top is None else value / top


def flat(result: Mapping[str, Any]) -> dict[str, float]:
    """A nested result as lighteval's tables want it: one level, numbers only; what has no value is left out.

    Every reason is there, with 0 if it did not occur: lighteval averages over tasks, and takes what one lacks for 0.
    """
    main = result.get("main", "accuracy")
    numbers = {name: result.get(name) for name in (main, "n", "n_scored", "n_counted", "n_chosen")}
    if "official" in result:
        numbers["official"] = result["official"]["value"]
    if result.get("interval"):
        numbers["interval_low"], numbers["interval_high"] = result["interval"]
    numbers |= {f"not_scored:{reason}": result["not_scored"].get(reason, 0) for reason in REASONS}
    for name, grouping in result.get("groupings", {}).items():
        numbers[f"macro:{name}"] = grouping["macro"]
        numbers |= {f"{name}:{group}": values[main] for group, values in grouping["by_group"].items()}
    return {name: float(value) for name, value in numbers.items() if value is not None}


def _labels(item: Item) -> list[str]:
    return [f"{name}{_GROUP}{group}" for name, groups in item.groups.items() for group in groups]


def _grouping(name: str, by_group: Mapping[str, Mapping[str, Any]], main: str) -> dict[str, Any]:
    prefix = name + _GROUP
    members = {label.removeprefix(prefix): dict(part) for label, part in by_group.items() if label.startswith(prefix)}
    ordered = {group: members[group] for group in sorted(members, key=_order)}
    return {"by_group": ordered, "macro": mean(part[main] for part in members.values())}


def _order(group: str) -> tuple[float, str]:
    """Ranges (`<5 min`, `10-20 min`, `>30 min`) by their numbers, everything else by name."""
    bound = re.match(r"([<>]?)(\d+)", group)
    return (int(bound[2]) + {"<": -0.5, ">": 0.5, "": 0.0}[bound[1]] if bound else 0.0, group)


def _scored(items: Sequence[Item], *, task: Task, protocol: str, judge: Any) -> dict[str, Any]:
    """What the module of the task's rule says, with `judged_by` and named items."""
    rule = rule_of(task)
    judged = judging.ask(items, task=task, judge=judge)
    verdicts = {} if judged.verdicts is None else {"verdicts": judged.verdicts}
    result = module(task.rule).compute(
        predictions=[item.reply for item in items],
        references=[rule.reference(item) for item in items],
        groups=[_labels(item) for item in items],
        statuses=judged.statuses,
        protocol=protocol,
        return_items=True,
        **verdicts,
        **variant_of(task),
        **rule.settings(task),
    )
    result["judged_by"] = judged.judge
    result["items"] = _named(items, result["items"])
    failure = judged.errors[0] if judged.errors else ""
    for place, one in enumerate(result["items"]):
        if judged.verdicts is not None:
            one["verdict"] = judged.verdicts[place]
            one["error"] = failure if one["status"] == JUDGE_FAILED else ""
    return result


def _named(items: Sequence[Item], read: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What was read of each item, with its id, and the rule that settled it before it was read."""
    return [
        {"id": item.id, **values, "rule": item.rule or values["rule"]} | _released(item, values["choice"])
        for item, values in zip(items, read, strict=True)
    ]


def _released(item: Item, choice: str | None) -> dict[str, Any]:
    """Of shuffled options: their order, and the released position of the chosen one."""
    if not item.order:
        return {}
    return {"option_order": item.order, "released_choice": item.order[ord(choice) - ord("A")] if choice else None}


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

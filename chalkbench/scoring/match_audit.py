"""The audit of a matcher against hand labels: on how many sampled items a person agrees with it.

VIRA-Bench audits its free-response matcher on 50 items and reports 96.0 % agreement. The same is done here with
`free_response_match.py` and labels of your own.

What belongs here: reading labelled replies, sampling them, agreement. What does not: the matcher.
"""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from statsmodels.stats.inter_rater import cohens_kappa

from chalkbench.scoring.free_response_match import outcomes
from chalkbench.scoring.outcome import counted, wilson

LABELS = ("right", "wrong")
SIZE = 50  # VIRA-Bench section 4.3


def read_labelled(lines: Iterable[str]) -> list[dict[str, Any]]:
    """The labelled replies of a JSONL file: {id, reply, answer, label} a line, and {options} if there are any.

    reply: the model's text. answer: the reference. options: all options, the reference among them. label: "right" or
    "wrong", as a person says. Empty lines are skipped.
    Raises ValueError that names the line and what is wrong with it.
    """
    items: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            items.append(_item(line, f"line {number}"))
    ids = [item["id"] for item in items]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        raise ValueError(f"id {twice[0]!r} stands on more than one line: give each item an id of its own")
    return items


def _item(line: str, where: str) -> dict[str, Any]:
    try:
        item = json.loads(line)
    except json.JSONDecodeError as fault:
        raise ValueError(f"{where} is no JSON ({fault.msg}): give one object a line") from None
    if not isinstance(item, dict):
        raise ValueError(f"{where} is no JSON object: give {{id, reply, answer, label}}")
    for field in ("id", "reply", "answer", "label"):
        if not isinstance(item.get(field), str):
            raise ValueError(f"{where}: {field!r} is {item.get(field)!r}; give text")
    if item["label"] not in LABELS:
        raise ValueError(f"{where}: label {item['label']!r}; give one of {', '.join(LABELS)}")
    options = item.get("options") or []
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise ValueError(f"{where}: 'options' is {options!r}; give a list of texts, or leave it out")
    if options and item["answer"] not in options:
        raise ValueError(f"{where}: the answer {item['answer']!r} is none of the options")
    index = options.index(item["answer"]) if options else -1
    return {
        **{name: item[name] for name in ("id", "reply", "answer", "label")},
        "options": options,
        "answer_index": index,
    }


def audit(
    replies: Sequence[str],
    references: Sequence[Mapping[str, Any]],
    labels: Sequence[str],
    *,
    ids: Sequence[str] | None = None,
    n: int = SIZE,
    seed: int = 0,
    variant: str = "closest",
) -> dict[str, Any]:
    """How far the matcher agrees with hand labels on `n` items, drawn with a seed (all, if there are no more).

    replies, references, variant: as in `free_response_match.outcomes`. labels: "right" or "wrong". ids: names of the
    items, their places if not given. An empty reply counts as wrong.
    Returns `n`, `n_available`, `agreement` (0..1, None if there are no items), `interval` (Wilson 95 %), `kappa`
    (Cohen's; None if matcher or person says the same of all items, where it has no meaning), `both_right`,
    `both_wrong`, `only_matcher_right`, `only_label_right`, `seed`, `variant`, and `disagreements` [{id, reply, answer,
    label, matcher, rule}] in the order of the items.
    Raises ValueError for different lengths, another label, n < 1, or an item whose reference is hidden.
    """
    names = [str(place) for place in range(len(replies))] if ids is None else list(ids)
    lists = {"replies": replies, "references": references, "labels": labels, "ids": names}
    if len({len(values) for values in lists.values()}) > 1:
        counts = ", ".join(f"{len(values)} {name}" for name, values in lists.items())
        raise ValueError(f"{counts}: give one of each an item")
    if n < 1:
        raise ValueError(f"n={n}: expected 1 or more")
    if unknown := next((label for label in labels if label not in LABELS), None):
        raise ValueError(f"label {unknown!r}: expected one of {', '.join(LABELS)}")
    drawn = sorted(random.Random(seed).sample(range(len(replies)), min(n, len(replies))))
    found = outcomes([replies[at] for at in drawn], [references[at] for at in drawn], variant=variant)
    table = [[0, 0], [0, 0]]  # [matcher right, wrong][label right, wrong]
    disagreements = []
    for at, outcome in zip(drawn, found, strict=True):
        value = counted(outcome, "strict")
        if value is None:
            raise ValueError(f"item {names[at]!r} has no reference ({outcome.status}): give an answer")
        says = "right" if value == 1 else "wrong"
        table[says == "wrong"][labels[at] == "wrong"] += 1
        if says != labels[at]:
            disagreements.append(
                {
                    "id": names[at],
                    "reply": replies[at],
                    "answer": _answer(references[at]),
                    "label": labels[at],
                    "matcher": says,
                    "rule": outcome.rule or outcome.status,
                }
            )
    agreed = table[0][0] + table[1][1]
    return {
        "n": len(drawn),
        "n_available": len(replies),
        "agreement": agreed / len(drawn) if drawn else None,
        "interval": wilson(agreed, len(drawn)),
        "kappa": _kappa(table),
        "both_right": table[0][0],
        "both_wrong": table[1][1],
        "only_matcher_right": table[0][1],
        "only_label_right": table[1][0],
        "seed": seed,
        "variant": variant,
        "disagreements": disagreements,
    }


def _answer(reference: Mapping[str, Any]) -> str:
    options, index = reference.get("options") or [], reference.get("answer_index", -1)
    return options[index] if options and index >= 0 else reference["answer"]


def _kappa(table: list[list[int]]) -> float | None:
    one_sided = 0 in (sum(table[0]), sum(table[1]), table[0][0] + table[1][0], table[0][1] + table[1][1])
    return None if one_sided else float(cohens_kappa(table, return_results=False))

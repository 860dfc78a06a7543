"""Scoring replies to multiple-choice questions: each is right, wrong, or not scored for a named reason.

What belongs here: grading and denominators. What does not: how a reply is read (`reading.py`).
"""

from collections.abc import Callable, Sequence
from typing import Any

from chalkbench.scoring.outcome import (
    HIDDEN_GOLD,
    MODEL_FAULTS,
    SCORED,
    Outcome,
    failed,
    grouped,
    summarise,
    wilson,
)
from chalkbench.scoring.reading import Choice, read_choice

__all__ = ["Choice", "outcome_of", "outcomes", "read_choice", "score_options", "score_outcomes"]


def outcomes(
    replies: Sequence[str],
    options: Sequence[Sequence[str]],
    answer_indices: Sequence[int],
    *,
    statuses: Sequence[str | None] | None = None,
    read: Callable[[str, Sequence[str]], Choice] = read_choice,
) -> list[Outcome]:
    """Reads and grades every reply: value 1 or 0, or the reason why there is none.

    replies: raw text, one an item. options: each item's options in the order of its labels. answer_indices: position
    of the right one, or -1 if it is hidden (the reply is read, the outcome is `hidden_gold`). statuses: a reason of
    `outcome.py` where the item failed before there was a reply, else None. read: the reader, one of a benchmark
    (`option_variants.py`) in place of ours.
    Raises ValueError where lengths differ or an index is out of range, TypeError for a reply that is no text.
    """
    lengths = {"replies": len(replies), "options": len(options), "answer_indices": len(answer_indices)}
    lengths |= {"statuses": len(statuses)} if statuses is not None else {}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{', '.join(f'{n} {name}' for name, n in lengths.items())}: give one of each an item")
    return [
        _outcome(index, reply, choices, gold, status, read)
        for index, (reply, choices, gold, status) in enumerate(
            zip(replies, options, answer_indices, statuses or [None] * len(replies), strict=True)
        )
    ]


def _outcome(
    index: int,
    reply: str,
    options: Sequence[str],
    gold: int,
    status: str | None,
    read: Callable[[str, Sequence[str]], Choice],
) -> Outcome:
    if not -1 <= gold < len(options):
        raise ValueError(f"item {index}: answer_index {gold} is outside -1..{len(options) - 1}; -1 means hidden")
    if status and status != SCORED:
        return failed(status)
    if not isinstance(reply, str):
        raise TypeError(f"item {index}: the reply is {reply!r}; give text, and a status for an answer that failed")
    return outcome_of(read(reply, options), gold)


def outcome_of(read: Choice, gold: int) -> Outcome:
    """The outcome of what was read, beside the position of the right option (-1 = hidden)."""
    if gold == -1:
        return Outcome(value=None, status=HIDDEN_GOLD, choice=read.choice, rule=read.rule)
    if read.choice is None:
        return failed(read.status, read.rule)
    return Outcome(value=float(ord(read.choice) - 65 == gold), choice=read.choice, rule=read.rule)


def score_options(
    replies: Sequence[str],
    options: Sequence[Sequence[str]],
    answer_indices: Sequence[int],
    *,
    groups: Sequence[str | Sequence[str]] | None = None,
    statuses: Sequence[str | None] | None = None,
    protocol: str = "strict",
) -> dict[str, Any]:
    """Accuracy of replies to multiple-choice questions, with what it was taken over.

    Parameters as in `outcomes`; groups: name or names of each item's groups; protocol: `strict` or `answered`, the
    denominators of `outcome.py`.
    Returns `accuracy` (0..1; None if nothing counts), `n`, `n_scored`, `n_counted` (the denominator), `not_scored`
    {reason: count}, `interval` (Wilson 95 %, [low, high] or None), `protocol`, `denominator` (a sentence),
    `by_group` {name: accuracy … interval} and `macro` (mean of the groups' accuracies; None without groups).
    """
    return score_outcomes(
        outcomes(replies, options, answer_indices, statuses=statuses), groups=groups, protocol=protocol
    )


def score_outcomes(
    graded: Sequence[Outcome], *, groups: Sequence[str | Sequence[str]] | None = None, protocol: str = "strict"
) -> dict[str, Any]:
    """`score_options` over outcomes that are there already."""
    result = _accuracy(graded, protocol)
    by_group = (
        {name: _accuracy(part, protocol) for name, part in grouped(graded, groups).items()}
        if groups is not None
        else {}
    )
    parts = [part["accuracy"] for part in by_group.values() if part["accuracy"] is not None]
    return result | {
        "by_group": by_group,
        "macro": sum(parts) / len(parts) if parts else None,
        "protocol": protocol,
        "denominator": _denominator(result, protocol),
    }


def _accuracy(graded: Sequence[Outcome], protocol: str) -> dict[str, Any]:
    summary = summarise(graded, protocol=protocol)
    mean = summary.pop("mean")
    correct = round(mean * summary["n_counted"]) if mean is not None else 0
    return {"accuracy": mean, **summary, "interval": wilson(correct, summary["n_counted"])}


def _denominator(result: dict[str, Any], protocol: str) -> str:
    def named(reasons: dict[str, int]) -> str:
        return ", ".join(f"{count} {reason}" for reason, count in reasons.items())

    faults = {reason: count for reason, count in result["not_scored"].items() if reason in MODEL_FAULTS}
    wrong = faults if protocol == "strict" else {}
    left_out = {reason: count for reason, count in result["not_scored"].items() if reason not in wrong}
    text = f"{protocol}: accuracy over {result['n_counted']} of {result['n']} items"
    text += f"; counted as wrong: {named(wrong)}" if wrong else ""
    return text + (f"; left out: {named(left_out)}" if left_out else "")

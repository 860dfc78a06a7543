"""Scores of outcomes whose values are grades on a scale, not right or wrong.

What belongs here: the summary that graded rules share, in the shape of `options.score_outcomes`. What does not: how a
grade comes about (the rule's own module), and the denominators (`outcome.py`).
"""

from collections.abc import Sequence
from typing import Any

from chalkbench.scoring.outcome import Outcome, counted, failed, grouped, summarise


def score_graded(
    graded: Sequence[Outcome], *, groups: Sequence[str | Sequence[str]] | None = None, protocol: str = "strict"
) -> dict[str, Any]:
    """Mean grade of outcomes, in the unit of their values, with what it was taken over.

    groups: name or names of each item's groups. protocol: one of the denominators of `outcome.counted`; a fault of the
    model counts as 0.
    Returns `score` (None if nothing counts), `n`, `n_scored`, `n_counted` (the denominator), `not_scored`
    {reason: count}, `interval` (None: the values are no shares), `protocol`, `denominator` (a sentence), `by_group`
    {name: score … interval} and `macro` (mean of the groups' scores; None without groups).
    """
    result = _mean(graded, protocol)
    by_group = (
        {name: _mean(part, protocol) for name, part in grouped(graded, groups).items()} if groups is not None else {}
    )
    parts = [part["score"] for part in by_group.values() if part["score"] is not None]
    return result | {
        "by_group": by_group,
        "macro": sum(parts) / len(parts) if parts else None,
        "protocol": protocol,
        "denominator": _denominator(result, protocol),
    }


def _mean(graded: Sequence[Outcome], protocol: str) -> dict[str, Any]:
    summary = summarise(graded, protocol=protocol)
    return {"score": summary.pop("mean"), **summary, "interval": None}


def _denominator(result: dict[str, Any], protocol: str) -> str:
    def named(*, as_zero: bool) -> str:
        return ", ".join(
            f"{count} {reason}"
            for reason, count in result["not_scored"].items()
            if (counted(failed(reason), protocol) is not None) == as_zero
        )

    text = f"{protocol}: mean over {result['n_counted']} of {result['n']} items"
    text += f"; counted as 0: {zero}" if (zero := named(as_zero=True)) else ""
    return text + (f"; left out: {left_out}" if (left_out := named(as_zero=False)) else "")

"""From outcomes to a rule's score: the mean, what it was taken over, and the same for groups.

What belongs here: the summary that all rules share. What does not: how an outcome comes about (the rule's own module),
and the denominators (`outcome.py`).
"""

from collections.abc import Sequence
from typing import Any, Literal

from chalkbench.scoring.aggregate import mean
from chalkbench.scoring.outcome import Outcome, counted, failed, grouped, summarise, wilson

Main = Literal["accuracy", "score"]


def score_outcomes(
    outcomes: Sequence[Outcome],
    *,
    groups: Sequence[str | Sequence[str]] | None = None,
    protocol: str = "strict",
    main: Main = "accuracy",
) -> dict[str, Any]:
    """The mean of outcomes, with what it was taken over.

    main: `accuracy` of values that are right (1) or wrong (0), `score` of grades in their own unit. groups: name or
    names of each item's groups. protocol: one of the denominators of `outcome.counted`; a fault of the model counts as
    0 or not at all.
    Returns the mean under its name (None if nothing counts), `n`, `n_scored`, `n_counted` (the denominator),
    `not_scored` {reason: count}, `interval` (Wilson 95 %, of an accuracy), `protocol`, `denominator` (a sentence),
    `by_group` {name: mean … interval} and `macro` (mean over the groups; None without groups).
    """
    result = _mean(outcomes, protocol, main)
    members = {} if groups is None else grouped(outcomes, groups)
    by_group = {name: _mean(part, protocol, main) for name, part in members.items()}
    return result | {
        "by_group": by_group,
        "macro": mean(part[main] for part in by_group.values()),
        "protocol": protocol,
        "denominator": _denominator(result, protocol, main),
    }


def _mean(outcomes: Sequence[Outcome], protocol: str, main: Main) -> dict[str, Any]:
    summary = summarise(outcomes, protocol=protocol)
    value = summary.pop("mean")
    right = round((value or 0) * summary["n_counted"])
    return {main: value, **summary, "interval": wilson(right, summary["n_counted"]) if main == "accuracy" else None}


def _denominator(result: dict[str, Any], protocol: str, main: Main) -> str:
    def named(*, counts: bool) -> str:
        return ", ".join(
            f"{count} {reason}"
            for reason, count in result["not_scored"].items()
            if (counted(failed(reason), protocol) is not None) == counts
        )

    kind, none = ("accuracy", "wrong") if main == "accuracy" else ("mean", "0")
    text = f"{protocol}: {kind} over {result['n_counted']} of {result['n']} items"
    text += f"; counted as {none}: {faults}" if (faults := named(counts=True)) else ""
    return text + (f"; left out: {left_out}" if (left_out := named(counts=False)) else "")

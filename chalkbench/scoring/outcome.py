"""Outcomes: every answer is scored, or not scored for a named reason; and how outcomes become a score.

What belongs here: the reasons, the denominators and the summary that all rules share. What does not: how a reply
is read (`options.py` and its neighbours).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from statsmodels.stats.proportion import proportion_confint

SCORED = "scored"
# Faults of the model: the strict protocol counts them as wrong.
UNPARSED = "unparsed"
OUT_OF_MEMORY = "out_of_memory"
TRUNCATED_REASONING = "truncated_reasoning"
MODEL_FAULTS = frozenset({UNPARSED, OUT_OF_MEMORY, TRUNCATED_REASONING})
# Faults of the material, the judge or the set-up: never a grade, under any protocol.
MEDIA_MISSING = "media_missing"
DECODE_ERROR = "decode_error"
MEDIA_NOT_RECEIVED = "media_not_received"  # the model's server says that no video came
JUDGE_FAILED = "judge_failed"
NOT_JUDGED = "not_judged"
NO_ANSWER = "no_answer"
HIDDEN_GOLD = "hidden_gold"
OTHER_FAULTS = frozenset(
    {MEDIA_MISSING, DECODE_ERROR, MEDIA_NOT_RECEIVED, JUDGE_FAILED, NOT_JUDGED, NO_ANSWER, HIDDEN_GOLD}
)

T = TypeVar("T")
PROTOCOLS = ("strict", "answered")


@dataclass(frozen=True)
class Outcome:
    """What one answer came to.

    value: in the rule's range (0 or 1 for options); None if not scored.
    status: "scored", or the reason why not.
    choice: label of the chosen option, or what the rule read; None if nothing was read.
    rule: name of the reading rule that fired; "" if none did.
    """

    value: float | None
    status: str = SCORED
    choice: str | None = None
    rule: str = ""


def failed(status: str, rule: str = "") -> Outcome:
    """The outcome of an answer that cannot be scored. Raises ValueError for a reason that is not known."""
    if status not in MODEL_FAULTS | OTHER_FAULTS:
        known = ", ".join(sorted(MODEL_FAULTS | OTHER_FAULTS))
        raise ValueError(f"status {status!r} is no known reason; known are {known}")
    return Outcome(value=None, status=status, rule=rule)


def counted(outcome: Outcome, protocol: str = "strict") -> float | None:
    """The outcome's part in a mean under a protocol: its value, 0 for a fault of the model, None if left out.

    `strict` counts faults of the model as wrong and leaves out what could not be asked or judged; `answered`
    leaves out both. Raises ValueError for another protocol.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol {protocol!r}: expected one of {', '.join(PROTOCOLS)}")
    if outcome.value is not None:
        return outcome.value
    return 0.0 if protocol == "strict" and outcome.status in MODEL_FAULTS else None


def wilson(successes: float, n: int) -> list[float] | None:
    """Wilson 95 % interval of a share, [low, high] within 0..1; None for n = 0."""
    if not n:
        return None
    low, high = (float(bound) for bound in proportion_confint(successes, n, method="wilson"))
    # exact at the ends, where rounding would leave 3e-17 for a share of 0
    return [low if successes else 0.0, high if successes < n else 1.0]


def summarise(outcomes: Sequence[Outcome], *, protocol: str = "strict") -> dict[str, Any]:
    """Mean value of the counted outcomes, and how many there were.

    Returns `mean` (None if nothing counts), `n` (all items), `n_scored`, `n_counted` (the denominator of `mean`)
    and `not_scored` {reason: count}.
    """
    values = [value for outcome in outcomes if (value := counted(outcome, protocol)) is not None]
    reasons = Counter(outcome.status for outcome in outcomes if outcome.value is None)
    return {
        "mean": sum(values) / len(values) if values else None,
        "n": len(outcomes),
        "n_scored": sum(outcome.value is not None for outcome in outcomes),
        "n_counted": len(values),
        "not_scored": dict(sorted(reasons.items())),
    }


def grouped(outcomes: Sequence[T], groups: Sequence[str | Sequence[str]]) -> dict[str, list[T]]:
    """The outcomes (or what stands for them) of each group, sorted by name; an item counts under each of its groups.

    Raises ValueError if `groups` is not as long as `outcomes`.
    """
    if len(groups) != len(outcomes):
        raise ValueError(f"{len(groups)} groups for {len(outcomes)} items: give one entry an item")
    members: dict[str, list[T]] = {}
    for outcome, names in zip(outcomes, groups, strict=True):
        for name in [names] if isinstance(names, str) else names:
            members.setdefault(name, []).append(outcome)
    return dict(sorted(members.items()))

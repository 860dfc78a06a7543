"""Yes/no verdicts of a judge as outcomes, each with its score from 0 to 5.

What belongs here: what all rules with such verdicts share. What does not: their prompts (`judged_qa.py`,
`vdc_score.py`) and how a verdict is read (`verdicts.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chalkbench.scoring.aggregate import mean
from chalkbench.scoring.outcome import (
    JUDGE_FAILED,
    SCORED,
    TRUNCATED_REASONING,
    UNPARSED,
    Outcome,
    counted,
    failed,
    grouped,
)
from chalkbench.scoring.replies import strip_reasoning
from chalkbench.scoring.scores import score_outcomes
from chalkbench.scoring.verdicts import read_verdict


@dataclass(frozen=True)
class Judgement:
    """What a verdict came to.

    outcome: value 1 for yes, 0 for no, or the reason why there is none.
    score: 0..5; None if there is no verdict, or one without a score ("Yes.").
    """

    outcome: Outcome
    score: float | None = None


def fault_of(reply: str) -> str | None:
    """Why a reply need not go to the judge: nothing is left of it once reasoning is removed. None = it must."""
    text, cut = strip_reasoning(reply)
    if text.strip():
        return None
    return TRUNCATED_REASONING if cut else UNPARSED


def is_known(status: str | None) -> bool:
    """Whether a status says why the item failed before it could be judged."""
    return status is not None and status != SCORED


def judgement(verdict: str | None, *, reader: str = "tolerant") -> Judgement:
    """The judgement of a judge's reply; `judge_failed` if it gives no verdict. reader: of `verdicts.READERS`."""
    read = read_verdict(verdict, reader=reader)
    if read.correct is None:
        return Judgement(failed(JUDGE_FAILED, read.fault))
    return Judgement(
        Outcome(value=float(read.correct), choice="yes" if read.correct else "no", rule="judge"), read.score
    )


def score_judgements(
    judged: Sequence[Judgement], *, groups: Sequence[str | Sequence[str]] | None = None, protocol: str = "strict"
) -> dict[str, Any]:
    """`scores.score_outcomes`, and beside each accuracy the mean of the scores from 0 to 5.

    `mean_score`: over the items that the accuracy counts, a fault of the model counting as 0, less those whose verdict
    came without a score; `n_mean_score` says how many are left. `macro_score` is the mean over groups.
    """
    result = score_outcomes([one.outcome for one in judged], groups=groups, protocol=protocol)
    result |= _mean_score(judged, protocol)
    for name, part in grouped(judged, groups).items() if groups is not None else ():
        result["by_group"][name] |= _mean_score(part, protocol)
    return result | {"macro_score": mean(part["mean_score"] for part in result["by_group"].values())}


def _mean_score(judged: Sequence[Judgement], protocol: str) -> dict[str, Any]:
    scores = [
        one.score if one.outcome.value is not None else 0.0
        for one in judged
        if counted(one.outcome, protocol) is not None and (one.outcome.value is None or one.score is not None)
    ]
    return {"mean_score": mean(scores), "n_mean_score": len(scores)}


def as_item(one: Judgement) -> dict[str, Any]:
    """The judgement as the plain dictionary that evaluate modules return."""
    outcome = one.outcome
    return {
        "choice": outcome.choice,
        "rule": outcome.rule,
        "status": outcome.status,
        "value": outcome.value,
        "score": one.score,
    }

"""Scoring replies to multiple-choice questions: each is right, wrong, or not scored for a named reason.

What belongs here: grading. What does not: how a reply is read (`reading.py`), and what a score is taken over
(`scores.py`).
"""

from collections.abc import Callable, Sequence

from chalkbench.scoring.outcome import HIDDEN_GOLD, SCORED, Outcome, failed
from chalkbench.scoring.reading import Choice, read_choice

__all__ = ["Choice", "outcome_of", "outcomes", "read_choice"]


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

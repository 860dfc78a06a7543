"""Judging: open-ended answers are put to a judge, and its replies to the evaluate module of the rule.

What belongs here: which answers a judge sees, and what is kept of its replies. What does not: the judge (`judge.py`),
its prompt and what its replies mean (`chalkbench.scoring.judged_qa`).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chalkbench.scoring.judged_qa import QUIZ, QUIZ_SETTINGS, fault_of, quiz_prompt
from chalkbench.scoring.outcome import HIDDEN_GOLD, NOT_JUDGED

if TYPE_CHECKING:
    from chalkbench.judge import Judge, Reply
    from chalkbench.results import Item


def ask(items: Sequence["Item"], judge: "Judge | None") -> tuple[list[str | None], list["Reply | None"]]:
    """(status, the judge's reply) of each item.

    Asked about is what has a reply and a reference. status: None = scored by the judge's reply; what was known before
    or the judge's failure otherwise. Without a judge every such reply is `not_judged`: kept, and no grade.
    """
    statuses = [_before(item) for item in items]
    waiting = [place for place, item in enumerate(items) if statuses[place] is None and fault_of(item.reply) is None]
    replies: list[Reply | None] = [None] * len(items)
    if judge is None:
        for place in waiting:
            statuses[place] = NOT_JUDGED
        return statuses, replies
    prompts = [quiz_prompt(items[place].question, items[place].reference, items[place].reply) for place in waiting]
    for place, reply in zip(waiting, judge.ask(prompts) if prompts else [], strict=True):
        replies[place], statuses[place] = reply, reply.status
    return statuses, replies


def _before(item: "Item") -> str | None:
    """Why an item cannot be judged, None = it can."""
    return item.status or (None if item.reference else HIDDEN_GOLD)


def describe(judge: "Judge | None", *, benchmark: str) -> dict[str, Any] | None:
    """Who judged and how, for `scores.json` and the signature; None without a judge.

    The prompt is Video-MMLU's; for another benchmark it is our choice, and marked so.
    """
    if judge is None:
        return None
    described = judge.describe(QUIZ, QUIZ_SETTINGS)
    if benchmark != "video_mmlu":
        described |= {"prompt_hash": f"unpublished:{QUIZ.hash}", "prompt_source": f"unpublished for {benchmark}"}
    return described

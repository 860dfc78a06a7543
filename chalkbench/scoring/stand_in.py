"""The stand-in judge: a rule in a judge's place, so that judged tasks can be tried without a model.

It compares words, so its verdicts mean nothing about an answer's sense: it is named in every signature and never makes
a result.
"""

import re

from chalkbench.scoring.judge_prompts import Prompt

STAND_IN_ID = "stand_in(words,not-a-model)"
_ENOUGH = 0.8  # share of the reference's words that a "yes" needs; our own choice
_EMPTY_WORDS = frozenset(
    ("a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "into", "is", "it", "its", "of", "on", "or")
) | {"that", "the", "their", "there", "this", "to", "was", "were", "with"}


def words(text: str) -> set[str]:
    """The words and numbers of a text that carry meaning, in lower case."""
    return set(re.findall(r"\w+", text.lower())) - _EMPTY_WORDS


def stand_in_reply(prompt: Prompt) -> str:
    """What the rule says to a prompt with the fields `answer` and `reply`, in the form a judge is asked for."""
    wanted, given = words(prompt.fields["answer"]), words(prompt.fields["reply"])
    share = len(wanted & given) / len(wanted) if wanted else 0.0
    return str({"pred": "yes" if share >= _ENOUGH else "no", "score": round(5 * share)})

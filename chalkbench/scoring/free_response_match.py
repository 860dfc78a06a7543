"""Free answers matched with the text of the right option, without a judge: VIRA-Bench's free-response control.

The paper (section 4.3) says that "a deterministic normalized-text matcher scores the output", and that it agrees with
people on 48 of 50 items. It does not print the matcher: what follows is ours, to be checked by the same audit
(`match_audit.py`). A model that answers freely has not seen the options, so a letter means nothing; its words are
compared with those of each option, and the closest one counts as chosen.

What belongs here: normalization, the steps of matching, and outcomes. What does not: the audit.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from chalkbench.scoring.judgement import fault_of, is_known
from chalkbench.scoring.outcome import HIDDEN_GOLD, Outcome, failed
from chalkbench.scoring.replies import fold, plain, strip_reasoning
from chalkbench.scoring.scripts import units
from chalkbench.scoring.verdicts import read_mappings

# `exact`: the right option's text, alone or inside the reply. `closest`: that, else the option with most words in
# common.
VARIANTS = ("closest", "exact")

# Our choices. F1 over the words that tell the options apart, each weighted by how few options hold it, for the closest
# option; and the share of the reference's words that a reply must hold where there are no options to compare with.
LEAST_F1 = 0.25
ENOUGH = 0.6

SAME, CONTAINED, CLOSEST, SEVERAL, NO_MATCH = "same", "contained", "closest", "several", "no_match"

_ARTICLES = frozenset(("a", "an", "the"))
_EMPTY = frozenset(
    ("is", "are", "was", "were", "be", "been", "do", "does", "did", "it", "that", "this", "there", "and", "then", "so")
) | {
    "to",
    "of",
    "in",
    "on",
    "at",
    "by",
    "with",
    "for",
    "as",
    "from",
    "their",
    "his",
    "her",
    "they",
    "he",
    "she",
    "who",
}
_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_NEGATIONS = frozenset(("not", "no", "never", "without", "neither", "nor", "cannot"))
_FIELDS = ("answer", "final_answer", "final answer", "response")
_ANSWER_LINE = re.compile(
    r"^[ *_#>-]{0,20}(?:(?:my|the|final) +){0,3}answer\s{0,9}(?:is\s{0,9}:|:)[\s*_]{0,20}(?=\S)", re.I | re.M
)


def answer_text(reply: str) -> str:
    """What of a reply is meant as the answer: a JSON field `answer`, what follows "Answer:", else all of it.

    >>> answer_text('{"answer": "She points at the word.", "confidence": 0.9}')
    'She points at the word.'
    """
    text = strip_reasoning(reply)[0].strip()
    for mapping in reversed(read_mappings(text)):
        for field in _FIELDS:
            if isinstance(mapping.get(field), str):
                return mapping[field].strip()
    marks = list(_ANSWER_LINE.finditer(text))
    return text[marks[-1].end() :].strip() if marks else text


def normalized(text: str) -> list[str]:
    """The words of a text in order, without case, width, mark-up, punctuation, articles and endings.

    Contractions are spelt out ("didn't" → did not) and numbers to twelve are digits. Of scripts without spaces, each
    character is a word.

    >>> normalized("The teacher's **two** hints didn’t help!")
    ['teacher', '2', 'hint', 'did', 'not', 'help']
    """
    lower = plain(fold(text)).casefold()
    lower = re.sub(r"\bcan't\b", "cannot", lower)
    lower = re.sub(r"n't\b", " not", lower)
    lower = re.sub(r"'(?:s|re|m|ve|ll|d)\b|(?<=s)'(?!\w)", "", lower)
    return [_stem(_NUMBERS.get(word, word)) for word in units(lower) if word not in _ARTICLES]


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer  # a second to import

    return PorterStemmer()


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    """The word without its English endings; empty words, numbers and other scripts as they are."""
    fixed = word in _EMPTY or word in _NEGATIONS or not (word.isascii() and word.isalpha())
    return word if fixed else _stemmer().stem(word)


def match(reply: str, options: Sequence[str], *, variant: str = "closest") -> tuple[int | None, str]:
    """(place of the option that a free reply says, the step that found it); place None if it says none, or several.

    Steps: the reply is an option (`same`); it holds one option's text, not denied just before (`contained`); with
    `closest`, one option leads in the words that tell the options apart (`closest`). The same words twice among the
    options match neither.
    Raises ValueError for another variant.

    >>> moves = ["The teacher points at the word.", "The teacher repeats the question."]
    >>> match("She asks the same question again, repeating it slowly.", moves)
    (1, 'closest')
    >>> match("B", moves)
    (None, 'no_match')
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant {variant!r}: expected one of {', '.join(VARIANTS)}")
    said, texts = normalized(answer_text(reply)), [normalized(option) for option in options]
    same = [place for place, text in enumerate(texts) if text and text == said]
    if same:
        return (same[0], SAME) if len(same) == 1 else (None, SEVERAL)
    held, rest = _held(said, texts)
    if held:
        return (held[0], CONTAINED) if len(held) == 1 else (None, SEVERAL)
    return _closest(rest, texts) if variant == "closest" else (None, NO_MATCH)


def _held(said: list[str], texts: list[list[str]]) -> tuple[list[int], list[str]]:
    """Places of the options that stand in the reply word by word and are not denied, and the reply without options.

    Longer options come first, and no word is used twice.
    """
    free = [True] * len(said)
    found: set[int] = set()
    for place in sorted(range(len(texts)), key=lambda index: -len(texts[index])):
        text = texts[place]
        # One short word ("no") stands in many sentences.
        if not text or (len(text) == 1 and not (text[0].isdigit() or len(text[0]) > 3)):
            continue
        for at in range(len(said) - len(text) + 1):
            if said[at : at + len(text)] == text and all(free[at : at + len(text)]):
                free[at : at + len(text)] = [False] * len(text)
                if not _NEGATIONS & set(said[max(0, at - 2) : at]):
                    found.add(place)
    return sorted(found), [word for word, left in zip(said, free, strict=True) if left]


def _closest(said: list[str], texts: list[list[str]]) -> tuple[int | None, str]:
    words = [set(text) - _EMPTY for text in texts]
    holders = Counter(word for part in words for word in part)
    # A word of every option says nothing about which one is meant, and weighs nothing.
    weights = {word: math.log(len(texts) / count) for word, count in holders.items() if count < len(texts)}
    given = set(said) & set(weights)
    scores = [_f1(given, part & set(weights), weights) for part in words]
    best = max(scores, default=0.0)
    leading = [place for place, score in enumerate(scores) if score == best]
    if best < LEAST_F1 or len(leading) > 1:
        return None, NO_MATCH
    shared = [given & part for part in words]
    # Being shorter than another option that shares the same words is no lead.
    rivals = shared[: leading[0]] + shared[leading[0] + 1 :]
    return (None, NO_MATCH) if any(shared[leading[0]] <= other for other in rivals) else (leading[0], CLOSEST)


def _f1(given: set[str], wanted: set[str], weights: Mapping[str, float]) -> float:
    # fsum: the same sum whatever the order of a set, which changes from process to process
    shared, all_given, all_wanted = (
        math.fsum(weights[word] for word in part) for part in (given & wanted, given, wanted)
    )
    # "I do not know" shares its "not" with "The student does not reply"
    says_something = given & wanted > _NEGATIONS & given & wanted
    return 2 * shared / (all_given + all_wanted) if says_something else 0.0


def says(reply: str, answer: str, *, variant: str = "closest") -> tuple[bool, str]:
    """Whether a free reply says the reference, where there are no options; and the step that found it.

    `closest` needs `ENOUGH` of the reference's words, and the same on either side about "not".
    """
    place, step = match(reply, [answer], variant="exact")
    if place == 0 or variant == "exact":
        return place == 0, step
    said, wanted = set(normalized(answer_text(reply))), set(normalized(answer)) - _EMPTY
    agree = bool(_NEGATIONS & said) == bool(_NEGATIONS & wanted)
    enough = bool(wanted) and len(said & wanted) >= ENOUGH * len(wanted)
    return (True, CLOSEST) if agree and enough else (False, NO_MATCH)


def outcomes(
    replies: Sequence[str],
    references: Sequence[Mapping[str, Any]],
    *,
    statuses: Sequence[str | None] | None = None,
    variant: str = "closest",
) -> list[Outcome]:
    """Value 1 where a reply says the reference, else 0.

    replies: raw text, one an item. references: {answer (text), options [text], answer_index}; options may be empty,
    and then `answer` is what counts; with options and answer_index -1, the option that reads as `answer` does. Without
    either the item is `hidden_gold`. statuses: a reason of `outcome.py` where the item failed before, else None.
    An empty reply is `unparsed`; one that says no option is wrong, with the rule `no_match` or `several`. The
    outcome's choice is the label (A, B, …) of the option that was matched.
    Raises ValueError for another variant, different lengths, or an index out of range.
    """
    statuses = [None] * len(replies) if statuses is None else statuses
    lists = {"replies": replies, "references": references, "statuses": statuses}
    if len({len(values) for values in lists.values()}) > 1:
        counts = ", ".join(f"{len(values)} {name}" for name, values in lists.items())
        raise ValueError(f"{counts}: give one of each an item")
    if variant not in VARIANTS:
        raise ValueError(f"variant {variant!r}: expected one of {', '.join(VARIANTS)}")
    return [
        _outcome(index, reply, reference, status, variant)
        for index, (reply, reference, status) in enumerate(zip(replies, references, statuses, strict=True))
    ]


def _outcome(index: int, reply: str, reference: Mapping[str, Any], status: str | None, variant: str) -> Outcome:
    options, gold = list(reference.get("options") or ()), reference.get("answer_index", -1)
    answer = (reference.get("answer") or "").strip()
    if not -1 <= gold < max(len(options), 1):
        raise ValueError(f"item {index}: answer_index {gold} is outside -1..{len(options) - 1}; -1 means hidden")
    if status is not None and is_known(status):
        return failed(status)
    if gold == -1 or not options:
        alike = [place for place, option in enumerate(options) if normalized(option) == normalized(answer)]
        gold = alike[0] if answer and alike else -1
    if gold == -1 and not answer:
        return failed(HIDDEN_GOLD)
    if fault := fault_of(reply):
        return failed(fault)
    if gold == -1:
        right, step = says(reply, answer, variant=variant)
        return Outcome(value=float(right), rule=step)
    place, step = match(reply, options, variant=variant)
    return Outcome(value=float(place == gold), choice=None if place is None else chr(65 + place), rule=step)

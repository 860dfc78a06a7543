"""Errors of transcripts: how far what a model heard is from what was said.

For LEMON's study of self-transcribed against ground-truth transcripts (J.4), which shows by accuracies alone that
hearing limits the answers. Word error rate (WER) and character error rate (CER), both micro: all edits over all
reference lengths.

What belongs here: normalization, the units of a language, and the sums. What does not: how a transcript is made.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jiwer import process_characters, process_words

from chalkbench.scoring.judgement import fault_of, is_known
from chalkbench.scoring.outcome import (
    MODEL_FAULTS,
    PROTOCOLS,
    UNPARSED,
    Outcome,
    failed,
    grouped,
    summarise,
)
from chalkbench.scoring.replies import strip_reasoning
from chalkbench.scoring.scripts import CHARACTER_LANGUAGES, language_of, units, unspaced, wordy

# `normalized`: compatible characters (NFKC), small letters, no punctuation, hyphens apart; words of scripts without
# spaces are single characters, and spaces count for nothing in the CER of zh, ja and ko. `raw`: jiwer on the texts as
# they are, words at spaces.
VARIANTS = ("normalized", "raw")

_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")  # an apostrophe stands inside a word
_APOSTROPHES = str.maketrans(dict.fromkeys("’ʼ＇`´", "'"))


@dataclass(frozen=True)
class Edits:
    """Edits between a reference and a transcript, in words or characters."""

    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0
    length: int = 0

    @property
    def total(self) -> int:
        """All edits."""
        return self.substitutions + self.deletions + self.insertions

    def __add__(self, other: "Edits") -> "Edits":
        return Edits(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Transcript:
    """What a transcript came to.

    outcome: its rate in the language's unit, or the reason why there is none. words, characters: the edits; of a reply
    that failed, those of an empty one. unit: "character" for zh, ja, ko and other scripts without spaces, else "word".
    """

    outcome: Outcome
    words: Edits
    characters: Edits
    unit: str

    @property
    def edits(self) -> Edits:
        """Edits in the language's own unit."""
        return self.characters if self.unit == "character" else self.words


def normalize(text: str) -> str:
    """The text in small letters and compatible characters, without punctuation; apostrophes inside words stay.

    >>> normalize("It’s a  well-known Ｆact: 50 %!")
    "it's a well known fact 50"
    """
    text = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).casefold()
    kept = (char if char == "'" or wordy(char) or unicodedata.category(char)[0] == "S" else " " for char in text)
    return " ".join(_QUOTE.sub(" ", "".join(kept)).split())


def word_edits(reference: str, transcript: str, *, variant: str = "normalized") -> Edits:
    """Edits between words."""
    if variant == "raw":
        return _edits(process_words(reference, transcript))
    return _edits(process_words(*(" ".join(_words(normalize(text))) for text in (reference, transcript))))


def character_edits(reference: str, transcript: str, *, language: str, variant: str = "normalized") -> Edits:
    """Edits between characters; spaces count, but for the normalized texts of languages that have none, and Korean."""
    if variant == "raw":
        return _edits(process_characters(reference, transcript))
    texts = [normalize(text) for text in (reference, transcript)]
    if language in CHARACTER_LANGUAGES:
        texts = [text.replace(" ", "") for text in texts]
    return _edits(process_characters(*texts))


def transcripts(
    replies: Sequence[str],
    references: Sequence[str],
    languages: Sequence[str],
    *,
    statuses: Sequence[str | None] | None = None,
    variant: str = "normalized",
) -> list[Transcript]:
    """What each transcript came to.

    references: what was said; "" = nothing was, and an empty reply is right. languages: ISO 639-1 codes. statuses: a
    reason of `outcome.py` where the item failed before, else None (`hidden_gold` where the reference is not known).
    variant: of `VARIANTS`.
    Raises ValueError for another variant, where lengths differ or an item has no language.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant {variant!r}: expected one of {', '.join(VARIANTS)}")
    statuses = [None] * len(replies) if statuses is None else statuses
    if len({len(replies), len(references), len(languages), len(statuses)}) > 1:
        raise ValueError(
            f"{len(replies)} replies, {len(references)} references, {len(languages)} languages, {len(statuses)} "
            "statuses: give one of each an item"
        )
    found = []
    for place, (reply, reference, code, status) in enumerate(
        zip(replies, references, languages, statuses, strict=True)
    ):
        try:
            language = language_of(code)
        except ValueError as error:
            raise ValueError(f"item {place}: {error}") from None
        found.append(_transcript(reply, reference or "", language, status, variant))
    return found


def _transcript(reply: str, reference: str, language: str, status: str | None, variant: str) -> Transcript:
    fault = status if is_known(status) else fault_of(reply)
    if fault == UNPARSED and not is_known(status) and not _said(reference, variant):
        fault = None
    text = "" if fault else strip_reasoning(reply)[0].strip()
    words = word_edits(reference, text, variant=variant)
    characters = character_edits(reference, text, language=language, variant=variant)
    unit = "character" if language in CHARACTER_LANGUAGES else "word"
    edits = characters if unit == "character" else words
    outcome = failed(fault) if fault else Outcome(_rate(edits), rule=unit)
    return Transcript(outcome, words=words, characters=characters, unit=unit)


def score_transcripts(
    graded: Sequence[Transcript], *, groups: Sequence[str | Sequence[str]] | None = None, protocol: str = "strict"
) -> dict[str, Any]:
    """Error rates over all transcripts; lower is better.

    groups: name or names of each item's groups. protocol: `strict` counts a fault of the model (no reply, cut-off
    reasoning, out of memory) as a transcript of nothing; `answered` leaves it out. What could not be asked is left
    out by both.
    Returns `score` (edits over length in each language's own unit; may be above 1; None if no reference says
    anything), `wer`, `cer`, `unit` ("word", "character" or "mixed"), `edits` {word, character: {substitutions,
    deletions, insertions, length}}, `n`, `n_scored`, `n_counted`, `not_scored` {reason: count}, `interval` (None),
    `by_group` {name: the same}, `macro` (mean of the groups' scores; None without groups), `protocol`,
    `denominator`.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol {protocol!r}: expected one of {', '.join(PROTOCOLS)}")
    result = _rates(graded, protocol)
    by_group = (
        {name: _rates(inside, protocol) for name, inside in grouped(graded, groups).items()}
        if groups is not None
        else {}
    )
    parts = [part["score"] for part in by_group.values() if part["score"] is not None]
    return result | {
        "by_group": by_group,
        "macro": sum(parts) / len(parts) if parts else None,
        "protocol": protocol,
        "denominator": f"{protocol}: all edits over all reference lengths of {result['n_counted']} of {result['n']} "
        "items",
    }


def as_item(one: Transcript) -> dict[str, Any]:
    """The transcript as the plain dictionary that evaluate modules return."""
    outcome = one.outcome
    heard = outcome.value is not None
    return {
        "choice": outcome.choice,
        "rule": outcome.rule,
        "status": outcome.status,
        "value": outcome.value,
        "wer": _rate(one.words) if heard else None,
        "cer": _rate(one.characters) if heard else None,
    }


def _rates(graded: Sequence[Transcript], protocol: str) -> dict[str, Any]:
    summary = summarise([one.outcome for one in graded], protocol=protocol)
    del summary["mean"]  # of rates; the score is the rate of sums
    inside = [
        one
        for one in graded
        if one.outcome.value is not None or (protocol == "strict" and one.outcome.status in MODEL_FAULTS)
    ]
    words, characters, own = (
        sum((getattr(one, name) for one in inside), Edits()) for name in ("words", "characters", "edits")
    )
    used = sorted({one.unit for one in inside})
    return {
        "score": _micro(own),
        "wer": _micro(words),
        "cer": _micro(characters),
        "unit": used[0] if len(used) == 1 else "mixed" if used else None,
        "edits": {"word": _plain(words), "character": _plain(characters)},
        **summary,
        "interval": None,
    }


def _micro(edits: Edits) -> float | None:
    return edits.total / edits.length if edits.length else None


def _rate(edits: Edits) -> float:
    """One transcript's rate; 1 for anything heard where nothing was said."""
    return edits.total / edits.length if edits.length else float(edits.total > 0)


def _plain(edits: Edits) -> dict[str, int]:
    return {name: getattr(edits, name) for name in edits.__dataclass_fields__}


def _edits(measured: Any) -> Edits:
    """jiwer's counts, of a word or a character output."""
    return Edits(
        substitutions=measured.substitutions,
        deletions=measured.deletions,
        insertions=measured.insertions,
        length=measured.hits + measured.substitutions + measured.deletions,
    )


def _words(text: str) -> list[str]:
    """The words of a normalized text; each character of a script without spaces is one."""
    return [unit for word in text.split() for unit in (units(word) if any(map(unspaced, word)) else [word])]


def _said(reference: str, variant: str) -> bool:
    return bool(reference.strip() if variant == "raw" else normalize(reference))

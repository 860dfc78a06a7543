"""Choosing an option, or a supporting sentence, by comparing texts: the retrieval half of the text cascade.

What belongs here: pieces of evidence text, words and numbers, and the comparison. What does not: where text comes
from (`chalkbench.media`), and what becomes of the choice (`text_cascade.py`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

# The recipe's own constants: cosine plus 0.5 x lexical overlap over the 8 most relevant pieces.
BEST_PIECES = 8
LEXICAL_WEIGHT = 0.5
# Below this share of its own words in the evidence an option has no support: then "none of …" is chosen, if offered.
SUPPORTED = 0.5

Embed = Callable[[Sequence[str]], np.ndarray]  # n texts -> (n, d), rows of length 1

_NONE_OF = re.compile(r"none\s+of\s+(the|these|those)\b", re.IGNORECASE)
_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_STOP_TEXT = "a an the of in on at to and or is are was were be it its by for from with as that this"
_STOP = frozenset(_STOP_TEXT.split())
_TO_TEN = "zero one two three four five six seven eight nine ten"
_TO_NINETEEN = "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TO_NINETY = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: value for value, word in enumerate([*_TO_TEN.split(), *_TO_NINETEEN.split()])}
_TENS = {word: 10 * ten for ten, word in enumerate(_TO_NINETY.split(), start=2)}
_LARGE = {"thousand": 1000, "million": 1_000_000}


class Choice(NamedTuple):
    """Index of the chosen option, and the piece of evidence behind it ("" if there was none)."""

    index: int
    support: str


def choose(question: str, options: Sequence[str], pieces: Sequence[str], embed: Embed) -> Choice:
    """The option that the evidence supports best.

    An option's score is the highest cosine of "question option" with one of the 8 pieces that are most relevant to
    the question, plus 0.5 x the highest share of the option's words in one of them, weighted by its relevance.
    An option "none of …" has no content to compare: it is chosen if no other option has half of its words in a
    piece. Without evidence the option most similar to the question is chosen.
    """
    if not pieces:
        similarity = embed(options) @ embed([question])[0]
        return Choice(int(similarity.argmax()), "")
    relevance = embed(pieces) @ embed([question])[0]
    best = np.argsort(-relevance, kind="stable")[:BEST_PIECES]
    kept = [pieces[index] for index in best]
    weight = np.clip(relevance[best], 0, None)
    cosine = embed([f"{question} {option}" for option in options]) @ embed(kept).T  # (options, pieces)
    shares = overlap(options, kept)
    # Rounded: equal evidence gives equal scores, however the texts were batched for the embedding.
    support = np.round(cosine + LEXICAL_WEIGHT * shares * weight / max(float(weight.max()), 1e-9), 4)
    scores = support.max(axis=1)
    none = [index for index, option in enumerate(options) if _NONE_OF.match(option.strip())]
    scores[none] = -np.inf
    if none and shares[scores > -np.inf].max(initial=0.0) < SUPPORTED:
        return Choice(none[0], "")
    chosen = int(scores.argmax())
    return Choice(chosen, kept[int(support[chosen].argmax())])


def supporting(question: str, pieces: Sequence[str], embed: Embed, *, room: int = 0) -> str:
    """The pieces that answer an open question best: highest cosine plus 0.5 x the share of the question's words.

    room: words that the answer may have; the best piece is taken in any case, the others in the order of the video as
    long as they fit. A piece that only repeats the question, as a slide's title may, is taken last; "" if there are
    no pieces.
    """
    asked = set(words(question))
    telling = [piece for piece in pieces if set(words(piece)) - asked] or list(pieces)
    if not telling:
        return ""
    scores = np.round(embed(telling) @ embed([question])[0] + LEXICAL_WEIGHT * overlap([question], telling)[0], 4)
    taken: list[int] = []
    for place in np.argsort(-scores, kind="stable").tolist():
        if not taken or len(telling[place].split()) <= room:
            taken.append(place)
            room -= len(telling[place].split())
    return " ".join(telling[place] for place in sorted(taken))


def overlap(texts: Sequence[str], pieces: Sequence[str]) -> np.ndarray:
    """Share of each text's words that each piece holds, (texts, pieces), 0..1.

    A word weighs less the more of the texts hold it: of "23 metres" and "61 metres" the number counts, not the unit.
    """
    of_texts, of_pieces = [set(words(text)) for text in texts], [set(words(piece)) for piece in pieces]
    held = Counter(word for found in of_texts for word in found)
    shares = np.zeros((len(texts), len(pieces)))
    for row, found in enumerate(of_texts):
        total = sum(1 / held[word] for word in found)
        for column, piece in enumerate(of_pieces):
            shares[row, column] = sum(1 / held[word] for word in found & piece) / total if total else 0.0
    return shares


def slide_pieces(lines: Sequence[str]) -> list[str]:
    """Pieces of one slide: each line, and each line with the one before it (a sentence may run over two)."""
    return _unique([*lines, *(f"{first} {second}" for first, second in pairwise(lines))])


def speech_pieces(lines: Sequence[str]) -> list[str]:
    """Pieces of speech: each sentence, and each sentence with the one before it."""
    return slide_pieces([sentence for sentence in _SENTENCE_END.split(" ".join(lines)) if sentence.strip()])


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text.strip() for text in texts))


def words(text: str) -> list[str]:
    """Lower-case words and numbers without stop words, plural endings and thousands separators.

    >>> words("The bells rang 1,200 times: forty-seven an hour.")
    ['bell', 'rang', '1200', 'time', '47', 'hour']
    """
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.lower())
    found = [word for word in digits(_WORD.findall(plain)) if word not in _STOP]
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found]


def digits(spoken: Sequence[str]) -> list[str]:
    """English number words become digits: speech says "forty-seven" where a slide says "47".

    >>> digits("two hundred and ten minutes in nineteen sixty four".split())
    ['210', 'minutes', 'in', '1964']
    >>> digits("twelve point five".split())
    ['12.5']
    """
    result, position = [], 0
    while position < len(spoken):
        value, after = _whole_number(spoken, position)
        if after == position:
            result.append(spoken[position])
            position += 1
            continue
        text = str(value)
        year, end = _below_hundred(spoken, after)
        if after - position == 1 and 10 <= value < 100 and year >= 10:  # "nineteen sixty four"
            text, after = f"{value}{year}", end
        elif spoken[after : after + 1] == ["point"]:
            end = after + 1
            while end < len(spoken) and _NUMBERS.get(spoken[end], 10) < 10:
                end += 1
            if end > after + 1:
                decimals = "".join(str(_NUMBERS[word]) for word in spoken[after + 1 : end])
                text, after = f"{value}.{decimals}", end
        result.append(text)
        position = after
    return result


def _whole_number(spoken: Sequence[str], position: int) -> tuple[int, int]:
    """The whole number that starts at a position, and the position after it (the same if there is none)."""
    total = 0
    while True:
        part, after = _below_thousand(spoken, position)
        if after == position:
            return total, position
        scale = _LARGE.get(spoken[after]) if after < len(spoken) else None
        if scale is None:
            return total + part, after
        total, position = total + part * scale, after + 1


def _below_thousand(spoken: Sequence[str], position: int) -> tuple[int, int]:
    value, after = _below_hundred(spoken, position)
    following = list(spoken[position + 1 : position + 2])
    if (
        after == position
        and spoken[position : position + 1] == ["a"]
        and following
        and following[0] in ("hundred", *_LARGE)
    ):
        value, after = 1, position + 1
    if after > position and spoken[after : after + 1] == ["hundred"]:
        value, after = value * 100, after + 1
        rest, end = _below_hundred(spoken, after + 1 if spoken[after : after + 1] == ["and"] else after)
        if rest:
            value, after = value + rest, end
    return value, after


def _below_hundred(spoken: Sequence[str], position: int) -> tuple[int, int]:
    word = spoken[position] if position < len(spoken) else ""
    if word in _TENS:
        unit = _NUMBERS.get(spoken[position + 1], 0) if position + 1 < len(spoken) else 0
        return (_TENS[word] + unit, position + 2) if 0 < unit < 10 else (_TENS[word], position + 1)
    return (_NUMBERS[word], position + 1) if word in _NUMBERS else (0, position)

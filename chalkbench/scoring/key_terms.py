"""Key terms in a text: which of them it mentions, whatever the case, hyphens, plural, LaTeX or script.

What belongs here: finding a term. What does not: what is compared (`term_text.py`), forms of words (`term_forms.py`),
and what the share of found terms counts (`summary_score.py`, `translation_score.py`).

Not found are synonyms, abbreviations that the term does not spell out itself ("Convolutional neural network (CNN)" is
found by either), and simplified characters where the term has traditional ones. A name inside a longer name counts, as
in English: "network" in "neural network", 网络 in 神经网络, ネットワーク in ニューラルネットワーク.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from chalkbench.scoring.scripts import hangul, unspaced, wordy
from chalkbench.scoring.term_forms import forms, particles
from chalkbench.scoring.term_text import (
    BREAK,
    HANGUL_RUN,
    KATAKANA_RUN,
    Token,
    has_spaceless,
    tokens,
    without_accents,
)

_SHORT_KATAKANA = 3  # characters; a shorter run inside a longer one is another word: テスト in コンテスト
_JOINED = 4  # least length of words that may be written as one: "k-means" and "kmeans", not "O(n)" and "on"
_LONGEST = 8  # words of a term that is looked for written as one: a sentence is not
_WINDOW = 6  # most words of a text that one word of a term may be written as
_ABBREVIATED = re.compile(r"(?P<long>.*\S)\s*[(（](?P<short>[^()（）]{2,20})[)）]\s*")
# Words that a text has anyway: a term that is one of them, written otherwise, is a name (the AND gate, IT, the set A).
_COMMON = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "go", "he", "i", "if", "in", "is", "it", "me", "my")
) | {"no", "not", "of", "on", "or", "so", "to", "up", "us", "we"}


class Text:
    """A text in which terms are looked for: its tokens, each with the forms of its word.

    language: ISO 639-1 code of the text, for the forms of its words.
    """

    def __init__(self, text: str, *, language: str = "en") -> None:
        self.language = language
        self.tokens = tokens(text)
        self._forms = [_forms(token, language) for token in self.tokens]
        self._line: tuple[str, list[bool]] | None = None

    def mentions(self, term: str) -> bool:
        """Whether the text mentions a term. A term of no letters, digits or symbols is never mentioned."""
        return any(self._mentions(one) for one in alternatives(term))

    def _mentions(self, term: str) -> bool:
        looked_for = list(_term_tokens(term))
        if not looked_for:
            return False
        if has_spaceless(term):
            return self._in_line(looked_for)
        as_written = _as_written(looked_for, term)
        wanted = [_forms(token, self.language) for token in looked_for]
        begins = (at for at, own in enumerate(self._forms) if _same(wanted[0], own))
        return any(self._stands_at(at, looked_for, wanted, as_written) for at in begins) or self._joined(looked_for)

    def _stands_at(self, at: int, looked_for: Sequence[Token], wanted: Sequence["_Forms"], as_written: bool) -> bool:
        here = self.tokens[at : at + len(looked_for)]
        if len(here) < len(looked_for):
            return False
        if as_written:
            return here[0].raw == looked_for[0].raw and not self._continued(at + 1)
        return all(_same(one, self._forms[at + place]) for place, one in enumerate(wanted))

    def _continued(self, at: int) -> bool:
        """Whether a symbol is written on to the token before: C is not in C++."""
        return at < len(self.tokens) and self.tokens[at].glued and not self.tokens[at].word

    def _joined(self, looked_for: Sequence[Token]) -> bool:
        """Whether the term's words stand there written as one or as others: "data base", "back-propagation"."""
        whole = "".join(token.text for token in looked_for)
        if len(looked_for) > _LONGEST or len(whole) < _JOINED or not all(token.word for token in looked_for):
            return False
        wanted = _forms(_as_one(looked_for), self.language)
        beginning = without_accents(whole)[:3]
        for at, first in enumerate(self.tokens):
            if not first.word or not beginning.startswith(first.plain[:3]):
                continue
            length = 0
            for last in range(at, min(at + _WINDOW + len(looked_for), len(self.tokens))):
                length += len(self.tokens[last].text)
                if not self.tokens[last].word or length > len(whole) + 4:
                    break
                # No ending is half of a word: shorter parts need no forms.
                if 2 * length >= len(whole) and _same(
                    wanted, _forms(_as_one(self.tokens[at : last + 1]), self.language)
                ):
                    return True
        return False

    def _in_line(self, looked_for: Sequence[Token]) -> bool:
        """Whether the term stands in the text written without spaces."""
        if self._line is None:
            self._line = _line(self.tokens)
        line, starts = self._line
        wanted = "".join(token.text for token in looked_for)
        at = line.find(wanted)
        while at >= 0:
            if _is_apart(line, starts, at, at + len(wanted)):
                return True
            at = line.find(wanted, at + 1)
        return False


def found_terms(text: str, terms: Sequence[str], *, language: str = "en") -> list[bool]:
    """Which of the terms a text mentions.

    text: as it is read (reasoning removed by the caller). language: ISO 639-1 code of text and terms: German, Spanish,
    French, Italian, Dutch, Portuguese and some more have their words' endings taken off; Russian always.

    >>> found_terms("Backpropagation of $\\\\alpha$ and the *Eigenvalues*.", ["back-propagation", "α", "eigenvector"])
    [True, True, False]
    >>> found_terms("神经网络用于分类。", ["神经网络", "回归"], language="zh")
    [True, False]
    """
    whole = Text(text, language=language)
    return [whole.mentions(term) for term in terms]


def fraction_found(text: str, terms: Sequence[str], *, language: str = "en") -> float | None:
    """Share of the terms that a text mentions, 0..1; None if there are no terms."""
    found = found_terms(text, terms, language=language)
    return sum(found) / len(found) if found else None


def alternatives(term: str) -> list[str]:
    """The ways to say a term that it gives itself: "Support vector machine (SVM)" by its name or its abbreviation.

    >>> alternatives("Support vector machine (SVM)")
    ['Support vector machine', 'SVM']
    >>> alternatives("sin(x)")
    ['sin(x)']
    """
    both = _ABBREVIATED.fullmatch(term)
    if not both or (both["short"].isascii() and not _abbreviates(both["short"])):
        return [term]
    return [both["long"], both["short"]]


def _abbreviates(short: str) -> bool:
    return sum(char.isupper() for char in short) >= 2 and not re.search(r"[=+<>^_\\]", short)


_Forms = tuple[frozenset[str], frozenset[str]]


@lru_cache(maxsize=8192)
def _term_tokens(term: str) -> tuple[Token, ...]:
    found = tokens(term)
    while found and found[-1].text == BREAK:
        found.pop()
    return tuple(found)


def _forms(token: Token, language: str) -> _Forms:
    """Forms with accents, and without."""
    exact = forms(token.text, language)
    if token.text == token.plain:
        return exact, exact
    return exact, frozenset(map(without_accents, exact)) | forms(token.plain, language)


def _same(one: _Forms, other: _Forms) -> bool:
    """Whether two words share a form; accents may be missing on either side, but not differ."""
    return not one[0].isdisjoint(other[0]) or (
        (one[0] is one[1]) != (other[0] is other[1]) and not one[1].isdisjoint(other[1])
    )


def _as_one(parts: Sequence[Token]) -> Token:
    return Token(*("".join(getattr(token, name) for token in parts) for name in ("text", "plain", "raw")))


def _as_written(looked_for: Sequence[Token], term: str) -> bool:
    """Whether a term counts only in its own case: one letter, or a name that is a common word in small letters."""
    if len(looked_for) != 1 or not looked_for[0].word:
        return False
    raw = looked_for[0].raw
    return len(raw) == 1 or (raw.lower() in _COMMON and not raw.islower())


def _line(parts: Sequence[Token]) -> tuple[str, list[bool]]:
    """The tokens in one line without spaces, and for each character whether a space or a sign stands before it."""
    line, starts = [], []
    for place, token in enumerate(parts):
        line.append(token.text)
        starts += [place == 0 or not token.glued] + [False] * (len(token.text) - 1)
    return "".join(line), starts


def _is_apart(line: str, starts: Sequence[bool], at: int, end: int) -> bool:
    """Whether a term is no part of another word at either end."""
    return _begins_apart(line, starts, at, end) and _ends_apart(line, starts, end)


def _begins_apart(line: str, starts: Sequence[bool], at: int, end: int) -> bool:
    first, before = line[at], line[at - 1] if at else BREAK
    if starts[at] or not wordy(before):
        return True
    if hangul(first):
        return not hangul(before) or len(HANGUL_RUN.match(line, at, end)[0]) > 1
    if not unspaced(first):
        return unspaced(before) or hangul(before)
    return not KATAKANA_RUN.match(before) or not _is_short(KATAKANA_RUN.match(line, at, end))


def _ends_apart(line: str, starts: Sequence[bool], end: int) -> bool:
    last, after = line[end - 1], line[end] if end < len(line) else BREAK
    if end == len(line) or starts[end] or not wordy(after):
        return True
    if hangul(last):
        stop = next((place for place in range(end, len(line)) if starts[place] or not hangul(line[place])), len(line))
        return particles(line[end:stop])
    if unicodedata.category(after)[0] == "M":
        return False  # the mark makes another character of the term's last one
    if not unspaced(last):
        return unspaced(after) or hangul(after)
    return not KATAKANA_RUN.match(after) or not _is_short(KATAKANA_RUN.match(line[:end][::-1]))


def _is_short(run: re.Match[str] | None) -> bool:
    """Whether a run of Katakana at a term's end is too short to be told from a part of another word."""
    return run is not None and len(run[0]) <= _SHORT_KATAKANA

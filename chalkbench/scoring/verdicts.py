"""What a judge's reply says: yes or no with a score, one number on a scale, or several.

A reply is read tolerantly (Python or JSON dictionary, fenced, with prose around, a labelled line, a bare word or
number) and never guessed: what cannot be read, or lies outside the scale, is a fault with a name and no grade.
"""

import ast
import json
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalkbench.scoring.replies import strip_reasoning

READERS = ("tolerant", "release")

EMPTY = "empty"
UNREADABLE = "unreadable"
OUT_OF_RANGE = "out_of_range"

_YES = {"yes", "true", "correct"}
_NO = {"no", "false", "incorrect"}
_VERDICT_KEYS = ("pred", "prediction", "verdict", "judgement", "judgment", "match", "correct")
_SCORE_KEYS = ("score", "rating", "grade")
_OVERALL_KEYS = (*_SCORE_KEYS, "overall_score", "final_score", "overall score", "final score", "overall")

_OPEN = r"[\s*_'\"`]*"
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
# What shows that a number is a part of something else: 80 %, 4,5, 7/9/10, a range 8-9, 1e1.
_NO_PART = r"(?![\d.,]*\d|\s*[/%]|\s*[–-]\s*\d|e\d)"
# a number, and the end of the scale if the reply names it
_SCALED = rf"({_NUMBER})(?:\s*(?:/|out\s+of)\s*(\d+))?{_NO_PART}"
_VERDICT_LINE = re.compile(
    rf"\b(?:{'|'.join(_VERDICT_KEYS)}){_OPEN}[:=]{_OPEN}(yes|no|true|false)\b(?!['\"]?\s*(?:or\b|[/|]))", re.I
)
_SCORE_LINE = re.compile(rf"\b(?:{'|'.join(_SCORE_KEYS)}){_OPEN}(?:is|[:=：]){_OPEN}{_SCALED}", re.I)
# "8/10", "8 out of 10" anywhere in a sentence
_OVER_SCALE = re.compile(rf"(?<![\w.,/–-])(?<!\d\s)(?<!\d [–-] )({_NUMBER})\s*(?:/|out\s+of)\s*(\d+){_NO_PART}", re.I)
_BARE_NUMBER = re.compile(rf"[\s*_`\"'\[(]*{_SCALED}[\s*_`\"'\])]*\.?\s*")
# The first word alone decides only if a pause follows and nothing takes it back: "No errors were found" is no verdict.
_FIRST_WORD = re.compile(
    r"[\s*_'\"`(\[]*(yes|no|true|false|correct|incorrect)[*_'\"`)\]]*(?=\s*(?:[.,;:!\n–—(-]|$))", re.I
)
_TAKEN_BACK = re.compile(r"\b(?:but|however|except|although|though|yes|no)\b", re.I)
# between a criterion and its number: "**Clarity** (0-5): ", "| clarity | ", "clarity score is "
_CRITERION_END = re.compile(r"[\s_-]+(?:score|rating)$")
_SOME_OPEN = r"[\s*_'\"`]{0,20}"  # bounded: two stand side by side
_BEFORE_RATING = (
    rf"{_SOME_OPEN}(?:\([^()\n]{{0,30}}\)\s{{0,9}})?(?:score|rating)?{_SOME_OPEN}(?:is|[:=|]|[–-](?=\s)){_SOME_OPEN}"
)
_CUT_PAIR = re.compile(r"""\{\s*['"](?:pred|verdict)['"]\s*:\s*['"](yes|no)['"]""", re.I)


@dataclass(frozen=True)
class Verdict:
    """A yes/no verdict.

    correct: None if there is none; then `fault` says why.
    score: on the scale asked for; None if the reply gives none.
    """

    correct: bool | None
    score: float | None = None
    fault: str = ""


@dataclass(frozen=True)
class Rating:
    """A number on a scale; None if there is none, then `fault` says why."""

    value: float | None
    fault: str = ""


def _objects(text: str) -> Iterator[str]:
    """Every balanced {...} of the text that no other contains, from the left."""
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for position, char in enumerate(text):
        if char == "{":
            opened.append(position)
        elif char == "}" and opened:
            pairs.append((opened.pop(), position + 1))
    end = 0
    for start, stop in sorted(pairs):
        if start >= end:
            end = stop
            yield text[start:stop]


def _literal(text: str, *, as_json: bool = True) -> Any:
    """The value of a Python or JSON literal, or None."""
    try:
        with warnings.catch_warnings(action="ignore"):  # a formula's backslashes
            return ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        pass
    try:
        return json.loads(text) if as_json else None
    except (ValueError, RecursionError):
        return None


def read_mappings(text: str) -> list[dict[str, Any]]:
    """The dictionaries that a reply holds (Python or JSON, fenced or not), keys in lower case."""
    values = (_literal(part) for part in _objects(text.replace("’", "'").replace("‘", "'")))
    return [_lowered(value) for value in values if isinstance(value, dict)]


def _lowered(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key).strip().lower(): value for key, value in mapping.items()}


def _number(value: Any, high: float) -> float | None:
    """A number of a dictionary: int, float, "4", "4.5" or "4/5" if 5 is the scale's end; else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        match = _BARE_NUMBER.fullmatch(value)
        if not match or (match[2] and float(match[2]) != high):
            return None
        value = float(match[1])
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number of 400 digits
        return math.inf
    return None if math.isnan(number) else number


def _word(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.strip(" .!*\"'").lower() if isinstance(value, str) else ""
    return True if word in _YES else False if word in _NO else None


def _first(mapping: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((mapping[key] for key in keys if key in mapping), None)


def _cleaned(reply: str | None) -> str:
    text, _ = strip_reasoning(reply or "")
    return text.strip()


def read_verdict(reply: str | None, *, low: float = 0, high: float = 5, reader: str = "tolerant") -> Verdict:
    """The yes/no verdict of a reply, with its score from `low` to `high` if there is one.

    The last dictionary with a verdict counts; without any, a labelled line (`pred: yes`), else the first word if a
    pause follows it. A score outside the scale makes the whole reply a fault: it says that the scale was not
    understood, and is never clamped.

    reader: `tolerant`, or `release` = the whole reply must be one Python dictionary with `pred` and `score`, as the
        code released with Video-MMLU (`post_eval/`) reads it. The range is checked by both.

    >>> read_verdict("{'pred': 'yes', 'score': 4.8}")
    Verdict(correct=True, score=4.8, fault='')
    >>> read_verdict('```json\\n{"pred": "no", "score": 90}\\n```').fault
    'out_of_range'
    >>> read_verdict("{}").fault
    'unreadable'
    """
    if reader not in READERS:
        raise ValueError(f"reader {reader!r}: expected one of {', '.join(READERS)}")
    if reader == "release":
        return _release_verdict(reply, low, high)
    text = _cleaned(reply)
    if not text:
        return Verdict(None, fault=EMPTY)
    for mapping in reversed(read_mappings(text)):
        correct = _word(_first(mapping, _VERDICT_KEYS))
        if correct is not None:
            return _checked(correct, _number(_first(mapping, _SCORE_KEYS), high), low, high)
    scores = _labelled_numbers(_SCORE_LINE, text, high)
    lines = _VERDICT_LINE.findall(text) or _CUT_PAIR.findall(text)
    if lines:
        return _checked(_word(lines[-1]), scores[-1] if scores else None, low, high)
    first = _FIRST_WORD.match(text)
    rest = text[first.end() :].lstrip(" ,;:.–—-\n") if first else ""
    if not first or _TAKEN_BACK.search(rest):
        return Verdict(None, fault=UNREADABLE)
    return _checked(_word(first[1]), scores[-1] if scores else _number(rest, high), low, high)


def _labelled_numbers(pattern: re.Pattern[str], text: str, high: float) -> list[float]:
    """The numbers that a pattern finds, less those that name another scale."""
    return [float(value) for value, end in pattern.findall(text) if not end or float(end) == high]


def _release_verdict(reply: str | None, low: float, high: float) -> Verdict:
    value = _literal(reply or "", as_json=False)
    pred = value.get("pred") if isinstance(value, dict) else None
    score = _number(value.get("score"), high) if isinstance(value, dict) else None
    if not isinstance(pred, str) or score is None:
        return Verdict(None, fault=UNREADABLE if reply else EMPTY)
    return _checked(pred.lower() == "yes", score, low, high)


def _checked(correct: bool | None, score: float | None, low: float, high: float) -> Verdict:
    if score is not None and not low <= score <= high:
        return Verdict(None, fault=OUT_OF_RANGE)
    return Verdict(correct, score)


def read_score(reply: str | None, *, low: float = 0, high: float = 10) -> Rating:
    """The one number of a reply on the scale `low` to `high`.

    The last dictionary with a score counts, else the last labelled number (`Score: 8/10`), else the number over the
    scale's end (`8 out of 10`) if only one value is given so, else a reply that is nothing but a number. A number
    over another scale (`80/100`) is not converted.

    >>> read_score("The summary is good.\\nScore: 8/10")
    Rating(value=8.0, fault='')
    >>> read_score("[[90]]")
    Rating(value=None, fault='out_of_range')
    >>> read_score("[ERROR] 1")
    Rating(value=None, fault='unreadable')
    """
    text = _cleaned(reply)
    if not text:
        return Rating(None, EMPTY)
    found = [_number(_overall(mapping), high) for mapping in read_mappings(text)]
    found = [value for value in found if value is not None]
    found = found or _labelled_numbers(_SCORE_LINE, text, high) or _sole_over_scale(text, high)
    return _rated(found[-1] if found else _number(text, high), low, high)


def _overall(mapping: Mapping[str, Any]) -> Any:
    """The value of a score's key, also one level down: {"evaluation": {"score": 8}}."""
    inner = [_lowered(value) for value in mapping.values() if isinstance(value, dict)]
    return next((found for part in (mapping, *inner) if (found := _first(part, _OVERALL_KEYS)) is not None), None)


def _sole_over_scale(text: str, high: float) -> list[float]:
    values = {float(value) for value, end in _OVER_SCALE.findall(text) if float(end) == high}
    return list(values) if len(values) == 1 else []


def _rated(value: float | None, low: float, high: float) -> Rating:
    if value is None:
        return Rating(None, UNREADABLE)
    return Rating(value) if low <= value <= high else Rating(None, OUT_OF_RANGE)


def read_ratings(reply: str | None, names: Sequence[str], *, low: float = 0, high: float = 5) -> dict[str, Rating]:
    """One rating for each of `names`, from a dictionary or from lines `name: 4`; one that is missing is a fault.

    The last mention of a name counts. `{"scores": {"clarity": 4}}` and `{"clarity": {"score": 4}}` are read too.

    >>> ratings = read_ratings("Clarity: 4\\n- **Style**: 9", ["clarity", "style"])
    >>> ratings["clarity"].value, ratings["style"].fault
    (4.0, 'out_of_range')
    """
    text = _cleaned(reply)
    if not text:
        return {name: Rating(None, EMPTY) for name in names}
    given: dict[str, Any] = {}
    for mapping in read_mappings(text):
        for key, value in mapping.items():
            nested = _lowered(value) if isinstance(value, dict) else {}
            given |= {name: nested[name] for name in names if name in nested}
            given[_CRITERION_END.sub("", key)] = _first(nested, _SCORE_KEYS) if nested else value
    ratings = {}
    for name in names:
        line = re.compile(rf"\b{re.escape(name)}{_BEFORE_RATING}{_SCALED}", re.I)
        numbers = [] if name in given else _labelled_numbers(line, text, high)
        value = _number(given[name], high) if name in given else numbers[-1] if numbers else None
        ratings[name] = _rated(value, low, high)
    return ratings

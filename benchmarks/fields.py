"""Values of untidy records: times, lists, options, answers, names of files.

What belongs here: reading one value whose form is not certain. What does not: where it stands (`field_map.py`), and
which column it becomes (`neutral.py`, the builders).
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from string import ascii_uppercase
from typing import Any

from chalkbench.benchmarks.media import VIDEO_SUFFIXES
from chalkbench.benchmarks.release import Malformed

_CLOCK = re.compile(r"(?:(?:(\d+):)?(\d+):)?(\d+(?:[.,]\d+)?)", re.ASCII)
_LABEL = re.compile(r"[(\[]?([A-Za-z])[)\].:]?")
_LABELLED = re.compile(r"\s*[(\[]?([A-Za-z])[)\].:]\s+")


def seconds(value: float | str) -> float:
    """A time in seconds, from a number, `SS`, `MM:SS` or `H:MM:SS`. Raises ValueError for anything else."""
    match = _CLOCK.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    if not match:
        raise ValueError(f"{value!r} is no time")
    hours, minutes, rest = match.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(rest.replace(",", "."))


def as_seconds(record: Mapping[str, Any], field: str) -> float | None:
    """A field that is a time, None if it is absent. Raises Malformed."""
    value = record.get(field)
    if value is None or value == "":
        return None
    try:
        return seconds(value)
    except ValueError as error:
        raise Malformed(f"{field}: {error}: expected seconds, MM:SS or H:MM:SS") from None


def as_list(record: Mapping[str, Any], field: str) -> list[Any]:
    """A field that is a list; one value is a list of one, nothing an empty list."""
    value = record.get(field)
    return [] if value is None or value == "" else value if isinstance(value, list) else [value]


def name_of(value: str) -> str:
    """The name of a file as a record gives it: forward slashes, no `./` or `/` before it."""
    return PurePosixPath(value.strip().replace("\\", "/").lstrip("/")).as_posix()


def stem_of(name: str) -> str:
    """A name without the suffix of a video file; other dots belong to it."""
    suffix = PurePosixPath(name).suffix
    return name.removesuffix(suffix) if suffix.lower() in VIDEO_SUFFIXES else name


def options_of(value: Any) -> list[str]:
    """Options in the order of their labels, from a list or from {label: text}; labels in the texts are taken away.

    Raises Malformed.
    """
    if value is None or value == "":
        return []
    if isinstance(value, dict):
        labels = sorted(map(str, value))
        if labels != list(ascii_uppercase[: len(labels)]):
            raise Malformed(f"options: labels {', '.join(labels)} are not A, B, C, … without a gap")
        value = [value[label] for label in labels]
    if not isinstance(value, list) or any(isinstance(option, (dict, list)) or option is None for option in value):
        raise Malformed("options: expected a list of texts, or texts by label")
    texts = [str(option).strip() for option in value]
    found = [_LABELLED.match(text) for text in texts]
    if len(texts) > 1 and all(match and match[1].upper() == label for match, label in zip(found, ascii_uppercase)):  # noqa: B905
        texts = [text[match.end() :].strip() for match, text in zip(found, texts, strict=True) if match]
    return texts


def answer_of(value: Any, options: list[str]) -> tuple[int, str]:
    """(position, reference text) of an answer: a number is a position from 0, a letter a label, other text an option.

    No answer at all is (-1, ""), and so is the position where there are no options. Raises Malformed if there are
    options and the answer is none of them, or several.
    """
    if value is None or value == "":
        return -1, ""
    if isinstance(value, (dict, list)):
        raise Malformed(f"answer: expected text or a position, found {type(value).__name__}")
    if not options:
        return -1, str(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value not in range(len(options)):
            raise Malformed(f"answer: position {value} is outside 0..{len(options) - 1}")
        return int(value), options[int(value)]
    text = str(value).strip()
    if label := _LABEL.fullmatch(text):
        index = ascii_uppercase.index(label[1].upper())
        if index < len(options):
            return index, options[index]
    same = [index for index, option in enumerate(options) if option == text]
    same = same or [index for index, option in enumerate(options) if option.casefold() == text.casefold()]
    if not same and (own := _LABELLED.match(text)):  # "B. text of the option"
        index = ascii_uppercase.index(own[1].upper())
        same = [index] if index < len(options) and options[index].casefold() == text[own.end() :].casefold() else []
    if len(same) != 1:
        raise Malformed(f"answer: {text!r} is {'none' if not same else 'several'} of the options")
    return same[0], options[same[0]]

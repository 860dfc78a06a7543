"""Subtitles and transcripts: files to timed cues, cues to text.

What belongs here: SRT, WebVTT and JSON, cutting by time, text as a prompt takes it. What does not: prompts.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Any

from chalkbench.media import MediaError
from chalkbench.media.files import undecodable
from chalkbench.scoring.outcome import MEDIA_MISSING


@dataclass(frozen=True)
class Cue:
    """A piece of text on screen or spoken. start, end: seconds from the beginning of the video."""

    start: float
    end: float
    text: str


def read_subtitles(path: str | Path) -> list[Cue]:
    """The cues of a file, by its suffix: .json, else a subtitle format that pysubs2 knows (.srt, .vtt, .ass, ...).

    JSON as in `cues_from`. Cues come in order of time, without markup and without empty ones. Raises MediaError for a
    file that is missing, not UTF-8, or holds no cues.
    """
    file = Path(path)
    if not file.exists():
        raise MediaError("the file does not exist", path=path, reason=MEDIA_MISSING)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise undecodable(path, f"is not UTF-8 (byte {error.start}): convert it") from error
    except OSError as error:
        raise undecodable(path, f"cannot be read: {error.strerror}") from error
    if file.suffix.lower() == ".json":
        try:
            return cues_from(json.loads(text))
        except ValueError as error:
            raise undecodable(path, str(error)) from error
    if not text.strip():
        return []
    cues = _parsed(path, text)
    if not cues:
        raise undecodable(path, f"no cue found in it: is it really {file.suffix or 'a subtitle file'}?")
    return cues


def cues_from(data: Any) -> list[Cue]:
    """Cues of a transcript as JSON: a list of {start, text} with `end` or `duration`, seconds as numbers.

    Also takes such a list inside {segments: ...} (Whisper), {transcript: ...} or {org_text: {transcript: ...}} (an
    entry of Video-MMLU's transcripts). Raises ValueError naming the cue and the field.
    """
    for key in ("org_text", "transcript", "segments"):
        if isinstance(data, dict) and key in data:
            data = data[key]
    if not isinstance(data, list):
        raise ValueError(f"expected a list of cues {{start, end or duration, text}}, found {type(data).__name__}")
    return _in_order(_cue(index, entry) for index, entry in enumerate(data))


def within(cues: Iterable[Cue], start: float | None, end: float | None) -> list[Cue]:
    """The cues on show at any time in [start, end), their times cut at its bounds; None = no bound.

    A cue that straddles a bound keeps its whole text. Times still count from the beginning of the video.
    """
    low, high = float("-inf") if start is None else start, float("inf") if end is None else end
    return [
        replace(cue, start=max(cue.start, low), end=min(cue.end, high))
        for cue in cues
        if cue.start < high and (cue.end > low or cue.start >= low)
    ]


def as_text(cues: Iterable[Cue]) -> str:
    """All text in one paragraph, as a transcript in a prompt: cues are cut by the clock, not by sentences."""
    return " ".join(text for cue in cues if (text := " ".join(cue.text.split())))


_PUNCTUATION = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2212\uff0d", "-"),
    **dict.fromkeys("\u2013\u2014\u2015", " - "),
    "\u2026": "...",
    "\uff0c": ", ",
    "\u3001": ", ",
    "\u3002": ". ",
    "\uff0e": ". ",
    "\uff01": "! ",
    "\uff1f": "? ",
    "\uff1a": ": ",
    "\uff1b": "; ",
    "\uff08": " (",
    "\uff09": ") ",
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
}
_TO_ASCII = str.maketrans(_PUNCTUATION)


def normalise(text: str) -> str:
    """Text with plain punctuation: ASCII quotes, dashes, dots and full-width marks, single spaces, none before a mark.

    LEMON's preprocessing says only that "punctuation is normalized" in subtitles (arXiv 2601.20705, appendix I.1.1);
    the rules are ours. Words, case and the marks' meaning are unchanged; applying it twice changes nothing more.
    """
    text = " ".join(text.translate(_TO_ASCII).split())
    text = re.sub(r"\s+([,;:!?)\]]|\.(?!\w))", r"\1", text)
    return re.sub(r"([(\[])\s+", r"\1", text)


# Markup of SubRip and WebVTT. Nothing looser: "a<b and c>d" in a lecture is no tag.
_TAG = re.compile(
    r"</?(?:[bisu]|ruby|rt|c)(?:\.[^<>\s]*)?>|</?(?:v|lang|font)(?:[.\s][^<>]*)?>|<\d+:[\d:.]+>", re.IGNORECASE
)


def _parsed(path: str | Path, text: str) -> list[Cue]:
    import pysubs2

    form = {".srt": "srt", ".vtt": "vtt"}.get(Path(path).suffix.lower())
    if form == "vtt":
        text = _only_cues(text)
    try:
        # tags and braces are kept, because pysubs2 takes the braces of LaTeX for SubStation's overrides
        events = pysubs2.SSAFile.from_string(text, format_=form, **({"keep_html_tags": True} if form else {}))
    except (pysubs2.exceptions.Pysubs2Error, ValueError) as error:
        raise undecodable(path, f"is no subtitle file: {error}") from error
    cues = []
    for event in events:
        if event.is_comment or event.is_drawing:
            continue
        words = _TAG.sub("", event.text.replace("\\N", "\n")) if form else event.plaintext
        cues.append(Cue(event.start / 1000, event.end / 1000, (unescape(words) if form == "vtt" else words).strip()))
    return _in_order(cues)


def _only_cues(text: str) -> str:
    """WebVTT without notes, styles and the names of cues, which pysubs2 would add to the cue before."""
    blocks = (block.strip() for block in re.split(r"\n\s*\n", text))
    return "\n\n".join(
        found.group() for block in blocks if (found := re.search(r"^.*-->[\s\S]*", block, re.MULTILINE))
    )


def _cue(index: int, entry: Any) -> Cue:
    if not isinstance(entry, dict):
        raise ValueError(f"cue {index}: expected {{start, end or duration, text}}, found {type(entry).__name__}")
    try:
        start = float(entry["start"])
        end = float(entry["end"]) if entry.get("end") is not None else start + float(entry["duration"])
        text = entry["text"]
    except KeyError as error:
        name = "'end' (or 'duration')" if error.args[0] == "duration" else error
        raise ValueError(
            f"cue {index}: field {name} is missing; it has {', '.join(map(str, entry)) or 'none'}"
        ) from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"cue {index}: start and end (or duration) must be numbers of seconds") from error
    if not isinstance(text, str):
        raise ValueError(f"cue {index}: text is no string")
    if end < start:
        raise ValueError(f"cue {index}: ends at {end} s, before its start {start} s")
    return Cue(start, end, text.strip())


def _in_order(cues: Iterable[Cue]) -> list[Cue]:
    return sorted((cue for cue in cues if cue.text), key=lambda cue: (cue.start, cue.end))

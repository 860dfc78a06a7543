"""The row: one question of any benchmark, and the rules that every row keeps.

What belongs here: column names, their types, and checks that need nothing but the row itself.
What does not: files and folders (`layout.py`), and anything that only one benchmark knows (its `builder.py`).
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from datasets import Features, List, Value

_TEXT, _SECONDS = Value("string"), Value("float64")

FEATURES = Features(
    {
        "id": _TEXT,  # unique within a benchmark
        "video_id": _TEXT,
        "video_path": _TEXT,  # relative to the layout's root, with forward slashes; "" = no video
        "file_name": _TEXT,  # the same path; `load_dataset` turns it into the `video` column
        "has_audio": Value("bool"),  # null = not probed (the file was missing when the layout was built)
        "clip_start": _SECONDS,  # the part of the file that belongs to the item; null = from its beginning
        "clip_end": _SECONDS,  # null = to its end
        "evidence_start": _SECONDS,  # where the answer is found, if annotated
        "evidence_end": _SECONDS,
        "asked_at": _SECONDS,  # the moment of the question; an online model sees nothing after it
        "duration": _SECONDS,  # of the whole file, as the release states it, else as probed
        "clips": List({"id": _TEXT, "path": _TEXT, "start": _SECONDS, "end": _SECONDS}),
        "option_media": List(_TEXT),  # paths of options that are pictures, in the order of the labels
        "subtitles": List({"start": _SECONDS, "end": _SECONDS, "text": _TEXT}),
        "question": _TEXT,
        "options": List(_TEXT),  # empty = open-ended
        "answer_index": Value("int32"),  # -1 = open-ended or hidden
        "answer": _TEXT,  # reference text; "" = hidden
        "task": _TEXT,
        "subtask": _TEXT,
        "discipline": _TEXT,
        "course": _TEXT,
        "domain": _TEXT,
        "subdomain": _TEXT,
        "target_language": _TEXT,  # ISO 639-1
        "tags": List(_TEXT),
        "session_id": _TEXT,  # questions of one conversation share it; "" = on its own
        "turn": Value("int32"),  # from 0
        "key_terms": List({"term": _TEXT, "language": _TEXT, "translation": _TEXT}),
        "questions": List({"question": _TEXT, "answer": _TEXT}),
        # a training pair as a chat, whose part of type "video" is the row's video; empty for test items
        "messages": List({"role": _TEXT, "content": List({"type": _TEXT, "text": _TEXT})}),
        "source": _TEXT,  # JSON: everything of the original record that has no column
    }
)

_EMPTY: dict[str, Any] = {
    name: [] if isinstance(feature, List) else "" if feature == _TEXT else None for name, feature in FEATURES.items()
} | {"answer_index": -1, "turn": 0, "source": "{}"}

MAX_OPTIONS = 26  # labels A to Z


class Problem(NamedTuple):
    """One fault of one row: `row` is its id (or position), `field` the column, `message` what to change."""

    row: str
    field: str
    message: str

    def __str__(self) -> str:
        return f"row {self.row}: {self.field}: {self.message}"


def make_row(**values: Any) -> dict[str, Any]:
    """A complete row from the given columns; every other column is empty (text "", list [], number null).

    `file_name` follows `video_path`. Raises TypeError for a column that the schema does not have.
    """
    unknown = values.keys() - FEATURES.keys()
    if unknown:
        raise TypeError(f"no such column: {', '.join(sorted(unknown))}. Put it into `source`, as JSON.")
    row = _EMPTY | values
    row["file_name"] = row["video_path"]
    return row


def check_row(row: dict[str, Any], *, hidden: bool = False) -> Iterator[Problem]:
    """Yields what is wrong with one row. `hidden`: the split's answers are not published."""
    name = row["id"] or f"(without id, question {row['question'][:40]!r})"

    def problem(field: str, message: str) -> Problem:
        return Problem(name, field, message)

    if not row["id"]:
        yield problem("id", "is empty")
    if not row["question"].strip():
        yield problem("question", "is empty")
    if row["video_path"] and (row["video_path"].startswith("/") or ".." in re.split(r"[/\\]", row["video_path"])):
        yield problem("video_path", f"{row['video_path']!r} must stay inside the layout")
    options = row["options"]
    if options and not 2 <= len(options) <= MAX_OPTIONS:
        yield problem("options", f"{len(options)} options; 2 to {MAX_OPTIONS} can be labelled")
    for index, option in enumerate(options):
        if not option.strip():
            yield problem("options", f"option {chr(65 + index)} is empty")
    if options and not -1 <= row["answer_index"] < len(options):
        yield problem("answer_index", f"{row['answer_index']} is outside 0..{len(options) - 1}")
    if options and row["answer_index"] == -1 and not hidden:
        yield problem("answer_index", "is missing, and the split is not a hidden one")
    if not options and row["answer_index"] != -1:
        yield problem("answer_index", f"{row['answer_index']}, but the row has no options")
    for start, end in (("clip_start", "clip_end"), ("evidence_start", "evidence_end")):
        if row[start] is not None and row[start] < 0:
            yield problem(start, f"{row[start]} s is negative")
        if row[start] is not None and row[end] is not None and row[end] < row[start]:
            yield problem(end, f"{row[end]} s is before {start} {row[start]} s")
    for index, cue in enumerate(row["subtitles"]):
        if cue["start"] is not None and cue["end"] is not None and cue["end"] < cue["start"]:
            yield problem("subtitles", f"cue {index} ends at {cue['end']} s, before its start {cue['start']} s")

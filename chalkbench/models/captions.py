"""Captions: descriptions that models write, each made once and kept in a bounded memory.

What belongs here: asking for what is not there yet, in batches, and the record of it. What does not: what is described
and to what end (`caption_cascade.py`).
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from chalkbench.errors import ChalkbenchError
from chalkbench.files import json_line
from chalkbench.models.base import ASKED_AGAIN, Backend, Batch, answer_batch
from chalkbench.models.request import Answer, Material, Request
from chalkbench.scoring.replies import strip_reasoning

REMEMBERED = 1024  # captions kept in memory


@dataclass(frozen=True)
class Wanted:
    """A caption that a question needs.

    key: questions with equal keys share it. request, material: what a model is asked. label: its name among several.
    of: what is described, for the record.
    """

    key: Hashable
    request: Request
    material: Material
    label: str = ""
    of: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Caption:
    """What a model said, without its reasoning. seconds: of sound that it heard. note: what is wrong with the text.

    failure: why there is none; None = there is one.
    """

    text: str
    seconds: float = 0.0
    note: str = ""
    failure: Answer | None = None


class Captions:
    """Makes captions and remembers the last ones.

    record: file to which each one is appended, a JSON line each; None = none. Raises ChalkbenchError if it cannot be
    written.
    """

    def __init__(self, record: str | Path | None = None) -> None:
        self._record = None if record is None else Path(record)
        self._known: OrderedDict[Hashable, Caption] = OrderedDict()
        self._write("")

    def made(self, what: str, model: Backend, wanted: Iterable[Wanted], *, most: int) -> dict[Hashable, Caption]:
        """The captions by their keys: from memory, or made now, at most so many together.

        what: how a caption is called in notes and errors. One that needed more memory than there is counts for these
        questions, and is tried again for later ones.
        """
        distinct = {one.key: one for one in wanted}
        found = {key: self._known[key] for key in distinct if key in self._known}
        new = [one for key, one in distinct.items() if key not in found]
        answers = in_groups(model, [(one.request, one.material) for one in new], most=most)
        for one, answer in zip(new, answers, strict=True):
            caption = found[one.key] = _caption(what, model, answer)
            if answer.status not in ASKED_AGAIN:
                self._known[one.key] = caption
            line = {"what": what, "model": model.name, **one.of, "text": caption.text, "note": caption.note}
            self._write(json_line(line | ({"error": answer.error} if answer.status else {})) + "\n")
        for key in distinct:
            if key in self._known:
                self._known.move_to_end(key)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found

    def _write(self, text: str) -> None:
        if self._record is None:
            return
        try:
            self._record.parent.mkdir(parents=True, exist_ok=True)
            with open(self._record, "a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise ChalkbenchError(
                f"cannot write captions to {self._record}: {error.strerror}: choose another file"
            ) from error


def in_groups(model: Backend, asked: Batch, *, most: int) -> list[Answer]:
    """Answers in order, to batches of what may be asked together; one that fills the memory is asked in parts."""
    of_model = getattr(model, "batch_key", lambda request, material: None)
    keys = [of_model(request, material) for request, material in asked]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    order = sorted(range(len(asked)), key=lambda place: numbers[keys[place]])
    answers: dict[int, Answer] = {}
    for _, group in groupby(order, key=lambda place: keys[place]):
        places = list(group)
        for first in range(0, len(places), most):
            part = places[first : first + most]
            answers |= dict(zip(part, answer_batch(model, [asked[place] for place in part]), strict=True))
    return [answers[place] for place in range(len(asked))]


def _caption(what: str, model: Backend, answer: Answer) -> Caption:
    if answer.status is not None:
        error = f"no {what} by {model.name}: {answer.error}"
        return Caption("", failure=Answer("", status=answer.status, error=error, seen=answer.seen))
    text, unfinished = strip_reasoning(answer.text)
    text = text.strip()
    notes = [f"the {what} was cut"] if answer.seen.truncated or unfinished else []
    notes += [] if text else [f"the {what} is empty"]
    notes += [answer.seen.note] if answer.seen.note else []
    return Caption(text, answer.seen.seconds_of_audio, "; ".join(notes))

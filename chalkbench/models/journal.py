"""The journal: every answer on disk as soon as it is made, so that a run killed at any moment can go on.

A line of JSON an answer, only ever appended to. The key of an answer covers all that it depends on (model, prompt,
evidence, settings, media), so an entry can be stale but never wrong. What does not belong here: scores.
"""

import errno
import hashlib
import json
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from chalkbench.errors import ChalkbenchError
from chalkbench.models.request import Answer, Request

try:
    import fcntl
except ImportError:  # Windows has no such lock; two runs on one journal are then the user's care
    fcntl = None

logger = logging.getLogger(__name__)

_VERSION = 2  # part of every key: raise it when answers made by an older version must not be reused


@dataclass(frozen=True)
class Entry:
    """One answer in the journal."""

    key: str
    task: str
    id: str
    answer: Answer

    def to_line(self) -> bytes:
        value = {"key": self.key, "task": self.task, "id": self.id, "answer": self.answer.to_dict()}
        return json.dumps(value).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Entry":
        """Raises ValueError, KeyError or TypeError for anything but a whole entry."""
        value = json.loads(line)
        return cls(value["key"], value["task"], value["id"], Answer.from_dict(value["answer"]))


def media_state(path: str | None) -> dict[str, Any] | None:
    """What tells one state of a file from another: path, size and time of the last change; None for no path.

    A file that is not there has a state too, so an answer "media missing" is stale once the file appears.
    """
    if path is None:
        return None
    try:
        stat = os.stat(path)
    except OSError:
        return {"path": path, "missing": True}
    return {"path": path, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}


def answer_key(request: Request, *, model: str, media: Sequence[dict[str, Any] | None]) -> str:
    """SHA-256 over all that an answer depends on.

    model: fingerprint and settings of the model. media: `media_state` of each of the request's files.
    """
    depends_on = {
        "version": _VERSION,
        "model": model,
        "id": request.id,
        "prompt": [request.context, request.prompt],
        "question": request.question,
        "options": request.options,
        "instruction": request.instruction,
        "evidence": request.evidence.to_dict(),
        "cues": [[cue.start, cue.end, cue.text] for cue in request.cues],
        "clip": [request.clip_start, request.clip_end, request.asked_at],
        "clips": [[clip.label, clip.start, clip.end] for clip in request.clips],
        "history": [[turn.context, turn.prompt, turn.reply] for turn in request.history],
        "generation": [request.max_new_tokens, request.stop, request.temperature, request.top_p, request.top_k],
        "media": list(media),
    }
    return hashlib.sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest()


def read_journal(path: str | Path) -> Iterator[Entry]:
    """The whole entries of a journal, in the order of writing; a later one with the same key replaces an earlier.

    A last line that a kill has torn is left out. A damaged line before it is left out with a warning.
    Raises ChalkbenchError if the file cannot be read.
    """
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return  # torn
                try:
                    entry = Entry.from_line(line)
                except (ValueError, KeyError, TypeError, AttributeError):
                    logger.warning("%s: line %d is damaged; its question will be asked again", path, number)
                    continue
                yield entry
    except OSError as error:
        raise ChalkbenchError(f"cannot read the journal {path}: {error.strerror}") from error


class Journal:
    """An open journal, locked against a second run. Use it in a `with` statement.

    Raises ChalkbenchError if the file cannot be written or another run holds it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise ChalkbenchError(
                f"cannot write the journal {self.path}: {error.strerror}. Choose another folder for the output."
            ) from error
        try:
            self._lock()
            self._answers = {entry.key: entry.answer for entry in read_journal(self.path)}
            self._drop_torn_line()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)  # gives the lock back

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, key: str) -> Answer | None:
        """The last answer under a key, None if there is none."""
        return self._answers.get(key)

    def append(self, entries: Sequence[Entry]) -> None:
        """Writes entries and returns when they are on the disk.

        Raises ChalkbenchError if they cannot be written, e.g. because the disk is full; the journal is then as it was.
        """
        data = b"".join(entry.to_line() for entry in entries)
        whole = os.fstat(self._file).st_size
        try:
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, whole)
            raise ChalkbenchError(
                f"cannot write the journal {self.path}: {error.strerror}. The {len(self)} answers before are kept: "
                "make room and run the same command again."
            ) from error
        self._answers.update({entry.key: entry.answer for entry in entries})

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                message = "another run is using it. Wait for it, or choose another folder for the output."
            else:
                message = f"it cannot be locked ({error.strerror}). Choose a folder on a local disk for the output."
            raise ChalkbenchError(f"cannot use the journal {self.path}: {message}") from error

    def _drop_torn_line(self) -> None:
        """Cuts what follows the last line break, so that the next answer begins on a line of its own."""
        size = os.fstat(self._file).st_size
        with open(self.path, "rb") as file:
            whole = sum(len(line) for line in file if line.endswith(b"\n"))
        if whole < size:
            logger.warning("%s: the last line was torn; its question will be asked again", self.path)
            os.ftruncate(self._file, whole)

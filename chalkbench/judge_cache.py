"""The judge's replies on disk: one JSON line each, appended as it comes, so that a killed run loses none.

Replies are kept for good and under everything that decides them (`Prompt.key`); failures are not kept. Several
processes may append to one file.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from chalkbench.errors import ChalkbenchError

FILE_NAME = "judge_replies.jsonl"


@dataclass(frozen=True)
class Kept:
    """One kept reply. judge: its id; served: the model name that the server reported; cut: ended at the limit."""

    judge: str
    text: str
    served: str = ""
    cut: bool = False


@dataclass
class Cache:
    """Replies by key, in memory and, if `path` is given, in that file.

    damaged: lines of the file that could not be read (a killed process leaves at most one); they are asked again.
    """

    path: Path | None = None
    replies: dict[str, Kept] = field(default_factory=dict, repr=False)
    damaged: int = 0

    def get(self, key: str) -> Kept | None:
        """The kept reply, or None."""
        return self.replies.get(key)

    def put(self, key: str, kept: Kept) -> None:
        """Keep a reply. Raises ChalkbenchError if the file cannot be written."""
        self.replies[key] = kept
        if self.path is None:
            return
        line = json.dumps({"key": key, **asdict(kept)}, ensure_ascii=False) + "\n"
        try:
            with self.path.open("ab") as file:
                file.write(line.encode())
        except OSError as fault:
            raise ChalkbenchError(
                f"{self.path}: cannot keep the judge's reply ({fault.strerror}). Free the disk or give another "
                "cache; the replies kept so far are used again."
            ) from fault


def open_cache(path: Path | None) -> Cache:
    """The cache in a file, or in `judge_replies.jsonl` of a folder; None keeps replies in memory only.

    Raises ChalkbenchError if the file can be neither read nor made.
    """
    if path is None:
        return Cache()
    path = Path(path)
    path = path if path.suffix and not path.is_dir() else path / FILE_NAME
    cache = Cache(path=path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.exists() else b""
        if content and not content.endswith(b"\n"):
            # the last line was cut by a kill: close it, or the next reply would be lost with it
            with path.open("ab") as file:
                file.write(b"\n")
    except OSError as fault:
        raise ChalkbenchError(f"{path}: cannot be used as the judge's cache ({fault.strerror})") from fault
    for line in content.splitlines():
        try:
            record = json.loads(line)
            key = record.pop("key")
            cache.replies[key] = Kept(**record)
        except (ValueError, KeyError, TypeError, AttributeError):
            cache.damaged += 1
    return cache

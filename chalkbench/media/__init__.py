"""Media: files to frames, sound and cues. No benchmark, no model and no prompt is known here."""

from functools import partial
from pathlib import Path
from typing import Any

from chalkbench.errors import ChalkbenchError


class MediaError(ChalkbenchError):
    """A file that cannot give what was asked of it.

    reason: `media_missing` or `decode_error`, as in `chalkbench.scoring.outcome`.
    """

    def __init__(self, message: str, *, path: str | Path, reason: str) -> None:
        super().__init__(f"{path}: {message}")
        self.message = message
        self.path = str(path)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        # workers hand their failures to the main process
        return partial(MediaError, path=self.path, reason=self.reason), (self.message,)

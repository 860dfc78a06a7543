"""Result files: written whole or not at all."""

import contextlib
import os
from pathlib import Path

from chalkbench.errors import ChalkbenchError


def write_text(path: Path, text: str) -> None:
    """Writes a file so that a reader finds the old one or the new one, never a part.

    Raises ChalkbenchError if it cannot be written, e.g. because the disk is full.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise ChalkbenchError(
            f"cannot write {path}: {error.strerror}. Make room or choose another --output"
        ) from error

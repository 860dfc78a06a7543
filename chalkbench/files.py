"""Result files: written whole or not at all, a line a value."""

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from chalkbench.errors import ChalkbenchError

# Characters that many readers take for the end of a line, and those that UTF-8 cannot hold.
_ESCAPED = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029, *range(0xD800, 0xE000))}


def json_line(value: Any) -> str:
    """A value as JSON that is one line for every reader, and readable in any script."""
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPED)


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

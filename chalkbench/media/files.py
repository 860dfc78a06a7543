"""Opening media files: what every reader checks first, and torchcodec's faults in one line.

What belongs here: what frames and sound share. What does not: decoding either (`decode.py`, `audio.py`).
"""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

from chalkbench.errors import ChalkbenchError
from chalkbench.media import MediaError
from chalkbench.scoring.outcome import DECODE_ERROR, MEDIA_MISSING


def decoders() -> ModuleType:
    """torchcodec's decoders, imported when they are first needed: other parts of this package work without.

    Raises ChalkbenchError if torchcodec or FFmpeg's shared libraries are not there.
    """
    try:
        import torchcodec
    except (ImportError, OSError, RuntimeError) as error:
        raise ChalkbenchError(
            f"torchcodec cannot be loaded ({_first_line(error)}): reinstall it for this torch, with FFmpeg's "
            "shared libraries present (apt-get install ffmpeg)"
        ) from error
    if torchcodec.ffmpeg_major_version is None:
        raise ChalkbenchError("FFmpeg's shared libraries not found: apt-get install ffmpeg")
    return torchcodec.decoders


def undecodable(path: str | Path, message: str) -> MediaError:
    """The error of a file that is there but cannot give what was asked."""
    return MediaError(message, path=path, reason=DECODE_ERROR)


def header(path: str | Path) -> Any:
    """The container's header, as torchcodec's ContainerMetadata; nothing is decoded.

    Raises MediaError for a file that is missing, empty or no media file.
    """
    file = Path(path)
    if not file.exists():
        raise MediaError("the file does not exist", path=path, reason=MEDIA_MISSING)
    if not file.is_file():
        raise undecodable(path, "is a folder, not a video file")
    if file.stat().st_size == 0:
        raise undecodable(path, "the file is empty (0 bytes): copy or download it again")
    try:
        return decoders().get_container_metadata(str(file))
    except (RuntimeError, ValueError) as error:
        raise undecodable(path, f"cannot be read as a media file: {reason_of(error, path)}") from error


def video_stream(path: str | Path, container: Any) -> Any:
    """The header of the best video stream. Raises MediaError if there is none."""
    if container.best_video_stream_index is None:
        raise undecodable(path, "no video stream")
    return container.streams[container.best_video_stream_index]


def reason_of(error: Exception, path: str | Path) -> str:
    """FFmpeg's words in one line: torchcodec puts its source position and the file's name around them."""
    line = re.sub(r"^\w+, \S+\.(cpp|h):\d+, ", "", _first_line(error))
    return line.replace(str(path), "").replace("  ", " ").strip(" :") or type(error).__name__


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0]

"""Archives of a release, read where they lie: whole or in split parts, without a joined copy on disk.

What belongs here: which files form an archive, and the videos in it as streams. What does not: where they go
(`media.py`).
"""

import bisect
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

# what follows `.tar` or `.zip`: a compression, then the name of a part (`.part_aa`, `.001`, `-part2`, `aa`)
_ARCHIVE = re.compile(
    r"(?P<base>.+?\.(?P<kind>tar|zip|tgz)(?P<packed>\.(?:gz|bz2|xz))?)(?P<part>[._-]?(?:part|p)?[._-]?(?:\d+|[a-z]{1,3}))?",
    re.IGNORECASE,
)
_BESIDE = {"asc", "bak", "crc", "log", "md5", "sha", "sig", "tmp", "txt"}  # files about an archive, no parts of it
# RuntimeError: zipfile's word for an archive with a password, or a compression that it does not know
DAMAGED = (tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError)


class Member(NamedTuple):
    """One file in an archive. path: as the archive has it. size: bytes. open: gives its content as a stream."""

    path: PurePosixPath
    size: int
    open: Callable[[], IO[bytes]]

    @property
    def is_safe(self) -> bool:
        """Whether the path stays below the place where the archive is unpacked."""
        return not (self.path.is_absolute() or ".." in self.path.parts or re.match(r"[A-Za-z]:|\\", str(self.path)))


@dataclass(frozen=True)
class Archive:
    """An archive. name: without its part's name. kind: tar or zip. parts: its files, in order."""

    name: str
    kind: str
    parts: tuple[Path, ...]

    @property
    def changed_ns(self) -> int:
        """When the newest part was written, in nanoseconds."""
        return max(path.stat().st_mtime_ns for path in self.parts)

    def members(self) -> Iterator[Member]:
        """The regular files of the archive, in its order; links and devices are passed over.

        Raises one of DAMAGED if the archive cannot be read (further).
        """
        with Joined(self.parts) as raw, io.BufferedReader(raw, 1 << 20) as file:
            yield from _zip_members(file) if self.kind == "zip" else _tar_members(file)


def find_archives(paths: Iterable[Path]) -> list[Archive]:
    """The archives among the files, by name; split parts are put in order (part 2 before part 10)."""
    groups: dict[tuple[Path, bool], list[Path]] = {}
    kinds: dict[tuple[Path, bool], str] = {}
    for path in paths:
        match = _ARCHIVE.fullmatch(path.name)
        if not match or (match["part"] or "").lstrip("._-").lower() in _BESIDE:
            continue
        key = (path.with_name(match["base"]), match["part"] is not None)  # a joined copy may lie beside its parts
        groups.setdefault(key, []).append(path)
        kinds[key] = "zip" if match["kind"].lower() == "zip" else "tar"
    ordered = sorted(groups.items(), key=lambda item: (item[0][0].as_posix(), item[0][1]))
    return [Archive(key[0].name, kinds[key], tuple(sorted(parts, key=_natural))) for key, parts in ordered]


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """Sorts numbers by value, all else by letters."""
    pieces = re.findall(r"\d+|\D+", path.name)
    return [(0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in pieces]


def _tar_members(file: IO[bytes]) -> Iterator[Member]:
    with tarfile.open(fileobj=file, mode="r:*") as archive:
        for info in archive:
            if info.isfile():
                yield Member(PurePosixPath(info.name), info.size, lambda info=info: archive.extractfile(info))
            archive.members.clear()  # else the list of a large archive stays in memory
        archive.fileobj.seek(archive.offset)
        if archive.fileobj.read(1) != b"\0":  # tarfile takes a file that stops between two members for a whole one
            raise tarfile.ReadError("it has no end mark")


def _zip_members(file: IO[bytes]) -> Iterator[Member]:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                yield Member(PurePosixPath(info.filename), info.file_size, lambda info=info: archive.open(info))


class Joined(io.RawIOBase):
    """Several files read as if they were one, with seek; one of them is open at a time."""

    def __init__(self, parts: Iterable[Path]) -> None:
        self._parts = tuple(parts)
        self._starts = [0]
        for path in self._parts:
            self._starts.append(self._starts[-1] + path.stat().st_size)
        self._position, self._index, self._file = 0, -1, None

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """The position in the whole."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves to a position of the whole."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._starts[-1]}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: memoryview) -> int:
        """Reads up to the end of the current part; 0 at the end of the last."""
        if self._position >= self._starts[-1]:
            return 0
        index = bisect.bisect_right(self._starts, self._position) - 1
        if index != self._index:
            self._release()
            self._file, self._index = self._parts[index].open("rb", buffering=0), index
        self._file.seek(self._position - self._starts[index])
        count = self._file.readinto(memoryview(buffer)[: self._starts[index + 1] - self._position])
        self._position += count
        return count

    def _release(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file, self._index = None, -1

    def close(self) -> None:
        """Closes the open part."""
        self._release()
        super().close()

"""Media of a release: found once, put once into a layout, never twice for two questions.

What belongs here: which file of the release (loose or in an archive) is which video, and placing it by hard link,
copy or unpacking, so that a killed run can be taken up again. What does not: rows and their meaning.
"""

import errno
import json
import os
import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from tqdm import tqdm

from chalkbench.benchmarks.archives import DAMAGED, Archive, Member, find_archives
from chalkbench.benchmarks.release import is_pointer

VIDEOS, PICTURES = "videos", "pictures"
VIDEO_SUFFIXES = (".mp4", ".mkv", ".webm", ".mov", ".avi")
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
_UNLINKABLE = {errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.ENOSYS}


def place(video_id: str, suffix: str = ".mp4") -> str:
    """Where a video stands in every layout, relative to its root: spread evenly over 256 folders."""
    return _place(VIDEOS, video_id, suffix)


def picture_place(name: str) -> str:
    """Where a picture (name with suffix) stands in every layout, relative to its root."""
    suffix = PurePosixPath(name).suffix
    return _place(PICTURES, name.removesuffix(suffix), suffix.lower())


def _place(folder: str, identity: str, suffix: str) -> str:
    spread = sha256(identity.encode()).hexdigest()
    name = re.sub(r"[^\w.-]", "_", identity, flags=re.ASCII)
    if name != identity or name.startswith("."):  # no two ids may meet; a hidden file is not listed
        name = f"{name.lstrip('.')}-{spread[:8]}"
    return f"{folder}/{spread[:2]}/{name}{suffix}"


def _kind(path: PurePath) -> str | None:
    """Whether a file is a video or a picture, by its suffix."""
    suffix = path.suffix.lower()
    return VIDEOS if suffix in VIDEO_SUFFIXES else PICTURES if suffix in PICTURE_SUFFIXES else None


def _bare(kind: str, name: str) -> str:
    """A file's name as it is compared: of a video without suffix, for it may come in another container."""
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        return name
    if kind == VIDEOS:
        return stem if f".{suffix.lower()}" in VIDEO_SUFFIXES else name
    return f"{stem}.{suffix.lower()}"


def _place_of(path: PurePath) -> str | None:
    """Where a file of a release belongs in a layout, by its name; None for what is no media file."""
    kind = _kind(path)
    return place(path.stem) if kind == VIDEOS else picture_place(path.name) if kind == PICTURES else None


def media_of(row: Mapping[str, Any]) -> Iterator[str]:
    """The paths, in the layout, of the videos and pictures that a row needs."""
    for path in (row["video_path"], *(clip["path"] for clip in row["clips"]), *row["option_media"]):
        if path:
            yield path


def bar(*, total: int, name: str, unit: str) -> tqdm:
    """A progress bar with rate and remaining time; where no one watches it prints a line every ten seconds."""
    return tqdm(total=total, desc=name, unit=unit, dynamic_ncols=True, mininterval=0.5 if sys.stderr.isatty() else 10)


@dataclass
class Placed:
    """What became of the wanted files.

    moved: {path asked for: path taken}, where a video of the release has another suffix than .mp4.
    missing: paths that the release has no file for. faults: archives that could not be read, in words.
    doubts: files that could have been another one as well, in words.
    """

    moved: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


class Finder:
    """Which wanted paths a file of the release is: those that its name gives, or that a builder has named it for.

    wanted: paths in the layout. names: see `place_media`.
    """

    def __init__(self, wanted: Iterable[str], names: Mapping[str, Sequence[str]]) -> None:
        self._by_name = {path for path in wanted if path not in names}
        self._named: dict[tuple[str, str], list[tuple[str, tuple[str, ...], int]]] = defaultdict(list)
        for path in wanted:
            for rank, name in enumerate(names.get(path, ())):
                *folders, last = PurePosixPath(name).parts
                kind = VIDEOS if path.startswith(VIDEOS) else PICTURES
                self._named[kind, _bare(kind, last)].append((path, tuple(folders), rank))

    def of(self, file: PurePath) -> Iterator[tuple[str, int]]:
        """(wanted path, rank: 0 = the best of its names) of a file."""
        kind = _kind(file)
        if kind is None:
            return
        if self._by_name and (path := _place_of(file)) in self._by_name:
            yield path, 0
        for path, folders, rank in self._named.get((kind, _bare(kind, file.name)), ()):
            if file.parts[-1 - len(folders) : -1] == folders:
                yield path, rank


def place_media(
    wanted: Iterable[str],
    paths: Iterable[Path],
    *,
    root: Path,
    before: Path | None,
    hard_link: bool,
    names: Mapping[str, Sequence[str]] | None = None,
) -> Placed:
    """Puts the wanted files (paths in the layout) below `root`, each once; what stands there already stays.

    paths: the release's files; a file belongs where `place` or `picture_place` puts its name. names: {path in the
    layout: names of its file in the release} where that rule is not enough: the end of the file's path, such as
    `takes/cooking_1/aria01.mp4` (the suffix of a video does not count); the first of them that is there is taken, in
    an archive the one that comes first. before: an earlier layout whose equal files are linked rather than unpacked
    again.
    Raises OSError (disk full, no permission); a later call goes on from there.
    """
    paths = list(paths)
    result = Placed()
    left = dict.fromkeys(wanted)
    finder = Finder(left, names or {})
    loose = _loose(paths, finder, result)
    with bar(total=len(left), name="placing", unit=" files") as progress:
        for path in [path for path in left if path in loose]:
            target = _target(root, path, loose[path].suffix, result)
            _put_file(loose[path], target, hard_link=hard_link, before=before and before / target.relative_to(root))
            del left[path]
            progress.update()
        for archive in find_archives(paths) if left else []:
            _unpack(archive, finder, left, result, root=root, before=before, progress=progress)
            if not left:
                break
    result.missing = list(left)
    return result


def _loose(paths: Iterable[Path], finder: Finder, result: Placed) -> dict[str, Path]:
    """{path in the layout: file}: the best named, .mp4 before other containers, the shallowest.

    Empty files and pointers are none.
    """
    found: dict[str, list[tuple[tuple[int, bool], Path]]] = defaultdict(list)
    for path in paths:
        fits = list(finder.of(path))
        if not fits or path.stat().st_size == 0 or is_pointer(path):
            continue
        for wanted, rank in fits:
            found[wanted].append(((rank, path.suffix.lower() != ".mp4"), path))
    best = {}
    for wanted, files in found.items():
        order, best[wanted] = min(files, key=lambda file: file[0])  # of equal ones the first
        equal = [path for other, path in files if other == order]
        if len({path.stat().st_size for path in equal}) > 1:
            shown = ", ".join("/".join(path.parts[-3:]) for path in equal[:3])
            result.doubts.append(
                f"{len(equal)} different files could be {Path(wanted).name}; the first is taken: {shown}"
            )
    return best


def _target(root: Path, path: str, suffix: str, result: Placed) -> Path:
    """The file to write. A container other than .mp4 keeps its suffix."""
    if suffix.lower() != Path(path).suffix:
        result.moved[path] = str(Path(path).with_suffix(suffix.lower()).as_posix())
    target = root / result.moved.get(path, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _put_file(source: Path, target: Path, *, hard_link: bool, before: Path | None) -> None:
    source = Path(os.path.realpath(source))  # a link to a link would break in the layout
    if hard_link:
        if target.exists() and target.samefile(source):
            return
        if _link(source, target):
            return
    stat = source.stat()
    for known in (target, before):
        if known and known.is_file() and not known.samefile(source):
            there = known.stat()
            if (there.st_size, there.st_mtime_ns) == (stat.st_size, stat.st_mtime_ns) and (
                known == target or _link(known, target)
            ):
                return
    part = _part(target)
    shutil.copyfile(source, part)
    os.utime(part, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    part.replace(target)


def _link(source: Path, target: Path) -> bool:
    """Hard-links `source`; False where the file system or its rules do not allow it."""
    part = _part(target)
    try:
        part.unlink(missing_ok=True)
        os.link(source, part)
    except OSError as error:
        if error.errno in _UNLINKABLE:
            return False
        raise
    part.replace(target)
    part.unlink(missing_ok=True)  # rename does nothing between two names of one file
    return True


def _part(target: Path) -> Path:
    """The name under which a file is written until it is whole."""
    return target.with_name(f".{target.name}.part")


def _unpack(
    archive: Archive,
    finder: Finder,
    left: dict[str, None],
    result: Placed,
    *,
    root: Path,
    before: Path | None,
    progress: tqdm,
) -> None:
    changed_ns = archive.changed_ns
    try:
        for member in archive.members():
            fits = [path for path, _ in finder.of(member.path) if path in left] if member.size else []
            if fits and not member.is_safe:
                result.faults.append(f"{archive.name}: {member.path} points outside the archive, and was refused")
                continue
            for path in fits:
                target = _target(root, path, member.path.suffix, result)
                known = [target, *([before / target.relative_to(root)] if before else [])]
                _put_member(member, target, known=known, since_ns=changed_ns)
                del left[path]
                progress.update()
            if not left:
                return
    except DAMAGED as error:
        result.faults.append(
            f"{archive.name} ({len(archive.parts)} files) cannot be read to its end ({error}): "
            "a part is damaged or missing; download it again"
        )


def _put_member(member: Member, target: Path, *, known: list[Path], since_ns: int) -> None:
    """Unpacks a file, unless one of `known` is it: as large, and unpacked since the archive was downloaded."""
    for path in known:
        same = path.is_file() and path.stat().st_size == member.size and path.stat().st_mtime_ns >= since_ns
        if same and (path == target or _link(path, target)):
            return
    part = _part(target)
    with member.open() as source, part.open("wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
    if part.stat().st_size != member.size:
        raise EOFError(f"{member.path} is cut short")
    part.replace(target)


@dataclass(frozen=True)
class Probe:
    """What the header of a file says. has_audio, duration (seconds): None if it cannot be read, `error` says why."""

    has_audio: bool | None = None
    duration: float | None = None
    error: str = ""


def probe_media(paths: Iterable[str], *, root: Path) -> dict[str, Probe]:
    """{path: what its header says} for files below `root`; each is opened once, also over several runs."""
    journal = root / ".probes.jsonl"
    known = {}
    for line in journal.read_text().splitlines() if journal.exists() else []:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:  # the last line of a killed run
            continue
        known[tuple(entry["file"])] = Probe(**entry["probe"])
    keys = {path: (path, (root / path).stat().st_size, (root / path).stat().st_mtime_ns) for path in paths}
    todo = [path for path, key in keys.items() if key not in known]
    pool = ThreadPoolExecutor(min(8, os.cpu_count() or 1))
    try:
        with bar(total=len(todo), name="probing", unit=" videos") as progress, journal.open("a") as file:
            for path, found in zip(todo, pool.map(lambda path: _probe(root / path), todo), strict=True):
                known[keys[path]] = found
                file.write(json.dumps({"file": keys[path], "probe": asdict(found)}) + "\n")
                file.flush()
                progress.update()
    finally:
        pool.shutdown(cancel_futures=True)  # an interrupted build does not wait for thousands of files
    return {path: known[key] for path, key in keys.items()}


def _probe(path: Path) -> Probe:
    from chalkbench.media import MediaError  # here: reading a layout's rows needs no decoder
    from chalkbench.media.video import probe

    try:
        info = probe(path)
    except MediaError as error:
        return Probe(error=str(error).removeprefix(f"{path}: "))
    return Probe(has_audio=info.has_audio, duration=info.duration)

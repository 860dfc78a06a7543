"""Making a layout: rows, then media, then the card, in a folder aside that takes the layout's place when it is whole.

What belongs here: the order of the steps, and what is said at the end. What does not: reading a release
(`release.py`, the builders), and placing one file (`media.py`).
"""

import errno
import hashlib
import inspect
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from chalkbench.benchmarks import load_builder
from chalkbench.benchmarks.card import CARD, config_entry, read_card, write_card
from chalkbench.benchmarks.media import PICTURES, VIDEOS, Placed, Probe, media_of, place_media, probe_media
from chalkbench.benchmarks.release import LeftOut, ReleaseBuilder, ReleaseFiles, Remarks, list_files
from chalkbench.benchmarks.schema import FEATURES
from chalkbench.errors import ChalkbenchError

LEFT_OUT = "left_out.jsonl"
ROW_GROUP = 1_000  # rows; bounds the memory that a reader needs
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_SLACK = 1.0  # seconds by which a clip may end after its video: releases round, and containers do
_STATE = ".building.json"  # which release the unfinished layout is of


def build_layout(benchmark: str, *, release: Path, to: Path, hard_link: bool) -> Path:
    """See `layout.build`."""
    builder_class = load_builder(benchmark)
    release, to = release.expanduser(), Path(os.path.abspath(to.expanduser()))
    _check_target(to, benchmark, release)
    work, old = to.with_name(f".{to.name}.building"), to.with_name(f".{to.name}.replaced")
    files = list_files(release, leave_out=(to, work, old))
    configs = builder_class.configs_in(files)
    if not configs:
        raise ChalkbenchError(_no_release(builder_class, files))
    with _storage_faults(to), _alone(work):
        if old.exists() and not to.exists():
            old.rename(to)  # killed between the two steps of a replacement
        _prepare(work, {"benchmark": benchmark, "release": builder_class.release_sha256(files)})
        rows, left_out, remarks, names = _read(builder_class, configs, files)
        before = to if (to / CARD).is_file() else None
        wanted = dict.fromkeys(path for config in rows.values() for row in config for path in media_of(row))
        placed = place_media(wanted, files.paths, root=work, before=before, hard_link=hard_link, names=names)
        missing = set(placed.missing)
        there = sorted(placed.moved.get(path, path) for path in wanted if path not in missing)
        videos = [path for path in there if path.startswith(VIDEOS)]
        probes = probe_media(videos, root=work)
        for config in rows.values():
            for row in config:
                _complete(row, placed, probes)
                for fault in _beyond(row, probes):
                    remarks.add(fault, row["id"])
        unreadable = {path: probe.error for path, probe in probes.items() if probe.error}
        facts = {
            "benchmark": benchmark,
            "release_sha256": builder_class.release_sha256(files),
            "redistributable": builder_class.REDISTRIBUTABLE or files.is_sample,
            "sample": files.is_sample,
            "hidden": [
                config.name for config in builder_class.BUILDER_CONFIGS if config.hidden and config.name in rows
            ],
            "rows": {config: len(of_config) for config, of_config in rows.items()},
            "videos": len(videos),
            "missing_videos": sum(path.startswith(VIDEOS) for path in missing),
            "missing_pictures": sum(path.startswith(PICTURES) for path in missing),
            "unreadable_videos": len(unreadable),
            "left_out": len(left_out),
        }
        _write(work, builder_class, rows, left_out, videos, facts)
        _tidy(work, there)
        _swap(work, to, old)
    print(_closing(to, facts, rows, placed, unreadable, left_out, remarks), file=sys.stderr)
    return to


def _check_target(to: Path, benchmark: str, release: Path) -> None:
    where = f"the target folder {to}"
    if to.is_symlink() or to.is_file():
        raise ChalkbenchError(f"{where} is a {'link' if to.is_symlink() else 'file'}; choose another.")
    if os.path.ismount(to):
        raise ChalkbenchError(f"{where} is the root of a file system; choose a folder in it.")
    if Path(os.path.realpath(release)).is_relative_to(os.path.realpath(to)):
        raise ChalkbenchError(f"{where} is or holds the release itself; choose another.")
    if to.is_dir() and any(to.iterdir()):
        facts = read_card(to / CARD)[0].get("chalkbench") if (to / CARD).is_file() else None
        if not isinstance(facts, dict) or facts.get("benchmark") != benchmark:
            raise ChalkbenchError(f"{where} is not empty and no layout of {benchmark}; choose another, or empty it.")


def _no_release(builder_class: type[ReleaseBuilder], files: ReleaseFiles) -> str:
    if "chalkbench" in (read_card(files.root / CARD)[0] if (files.root / CARD).is_file() else {}):
        return f"{files.root} is a layout already, not a release; nothing needs to be built."
    shown = ", ".join(path.relative_to(files.root).as_posix() for path in files.paths[:5]) or "nothing"
    more = f" and {len(files.paths) - 5:,} more" if len(files.paths) > 5 else ""
    return f"no release of {builder_class.BENCHMARK} in {files.root}: {builder_class.EXPECTS}. Found: {shown}{more}."


@contextmanager
def _storage_faults(to: Path) -> Iterator[None]:
    """Faults of the disk, as one line. What was placed stays, and the next call goes on from it."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL or "No space left" in str(error):
            needed = f"no space is left on the disk of {to}"
            raise ChalkbenchError(
                f"{needed}; free some, and give the same command again: it goes on there."
            ) from error
        what = f"{error.strerror or error}: {error.filename or to}"
        raise ChalkbenchError(f"{what}; mend that, and give the same command again: it goes on there.") from error


@contextmanager
def _alone(work: Path) -> Iterator[None]:
    work.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(work / ".lock", timeout=0):
            yield
    except Timeout:
        raise ChalkbenchError(f"another build into the same folder is running ({work}); wait for it.") from None


def _prepare(work: Path, state: dict[str, str]) -> None:
    """Takes up an unfinished layout if it is of the same release; clears it otherwise."""
    path = work / _STATE
    try:
        same = json.loads(path.read_text()) == state
    except (OSError, json.JSONDecodeError):
        same = False
    if not same:
        for entry in work.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != ".lock":
                entry.unlink()
        path.write_text(json.dumps(state))


def _read(
    builder_class: type[ReleaseBuilder], configs: list[str], files: ReleaseFiles
) -> tuple[dict[str, list[dict[str, Any]]], list[LeftOut], Remarks, dict[str, tuple[str, ...]]]:
    """The rows of each config, what was left out, what is to be remarked, and `names` of `place_media`."""
    rows: dict[str, list[dict[str, Any]]] = {}
    left_out: list[LeftOut] = []
    remarks = Remarks()
    names: dict[str, tuple[str, ...]] = {}
    for name in configs:
        with tempfile.TemporaryDirectory() as cache:  # the builder's own cache is of no use here
            builder = builder_class(config_name=name, data_dir=files.root, cache_dir=cache)
            builder.remarks = remarks
            units = list(builder.units(files))
            names |= builder.sources
        rows[name] = [unit for unit in units if not isinstance(unit, LeftOut)]
        left_out += [unit for unit in units if isinstance(unit, LeftOut)]
    if not any(rows.values()):
        reasons = f" The first: {left_out[0]}." if left_out else ""
        raise ChalkbenchError(f"no record of {files.root} can become a question.{reasons}")
    return rows, left_out, remarks, names


def _complete(row: dict[str, Any], placed: Placed, probes: dict[str, Probe]) -> None:
    """Adds to a row what is known once its video is in place."""
    row["video_path"] = row["file_name"] = placed.moved.get(row["video_path"], row["video_path"])
    for clip in row["clips"]:
        clip["path"] = placed.moved.get(clip["path"], clip["path"])
    probe = probes.get(row["video_path"])
    if probe is not None:
        row["has_audio"] = probe.has_audio
        row["duration"] = probe.duration if row["duration"] is None else row["duration"]


def _beyond(row: dict[str, Any], probes: dict[str, Probe]) -> Iterator[str]:
    """What of a row lies after the end of its video, so that there is nothing to show."""
    parts = [(row["video_path"], row["clip_start"], row["clip_end"])]
    parts += [(clip["path"], clip["start"], clip["end"]) for clip in row["clips"]]
    for path, start, end in parts:
        length = probes[path].duration if path in probes else None
        if length is None:
            continue
        if start is not None and start >= length:
            yield "a clip begins after the end of its video: there is nothing to show"
        elif end is not None and end > length + _SLACK:
            yield "a clip ends after the end of its video, and is shown as far as it goes"


def _write(
    work: Path,
    builder_class: type[ReleaseBuilder],
    rows: dict[str, list[dict[str, Any]]],
    left_out: list[LeftOut],
    videos: list[str],
    facts: dict[str, Any],
) -> None:
    schema = FEATURES.arrow_schema
    splits = {config.name: config.split for config in builder_class.BUILDER_CONFIGS}
    entries = []
    for config, of_config in rows.items():
        path = work / f"{config}.parquet"
        with pq.ParquetWriter(path, schema, compression="zstd", write_page_index=True) as writer:
            for start in range(0, len(of_config), ROW_GROUP):
                writer.write_table(pa.Table.from_pylist(of_config[start : start + ROW_GROUP], schema=schema))
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        default = config == builder_class.DEFAULT_CONFIG_NAME and len(rows) > 1
        files = {splits[config]: path.name}
        entries.append(config_entry(config, files, videos=videos, content=content, default=default))
    (work / LEFT_OUT).unlink(missing_ok=True)
    if left_out:
        with (work / LEFT_OUT).open("w", encoding="utf-8") as file:
            for unit in left_out:
                file.write(json.dumps(unit._asdict(), ensure_ascii=False, default=str) + "\n")
    template = Path(inspect.getfile(builder_class)).with_name(CARD)
    write_card(work / CARD, template=template, configs=entries, facts=facts)


def _tidy(work: Path, media: list[str]) -> None:
    """Removes what only the build needed, and media that no row names (of a release that has changed since)."""
    keep = set(media)
    for path in sorted((path for folder in (VIDEOS, PICTURES) for path in (work / folder).rglob("*")), reverse=True):
        if path.is_file() and path.relative_to(work).as_posix() not in keep:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for path in work.glob(".*"):
        path.unlink()


def _swap(work: Path, to: Path, old: Path) -> None:
    if old.exists():
        shutil.rmtree(old)
    if to.exists():
        to.rename(old)
    work.rename(to)
    if old.exists():
        shutil.rmtree(old)


def _closing(
    to: Path,
    facts: dict[str, Any],
    rows: dict[str, list[dict[str, Any]]],
    placed: Placed,
    unreadable: dict[str, str],
    left_out: list[LeftOut],
    remarks: Remarks,
) -> str:
    """What was made and what is amiss: the missing videos first."""
    lines = []
    if placed.missing:
        missing, names = set(placed.missing), sorted(Path(path).stem for path in placed.missing)
        asked = sum(any(path in missing for path in media_of(row)) for of_one in rows.values() for row in of_one)
        kind = "pictures" if not facts["missing_videos"] else "videos" if not facts["missing_pictures"] else "files"
        lines.append(
            f"missing: {len(names):,} {kind} of {asked:,} questions are not in the release: {_first(names, 10)}. "
            "The questions are kept; get the files and build again to add them."
        )
    lines += [f"archive: {fault}." for fault in placed.faults]
    lines += [f"note: {doubt}." for doubt in placed.doubts[:20]] + (["  …"] if len(placed.doubts) > 20 else [])
    if unreadable:
        named = [f"{path} ({reason})" for path, reason in unreadable.items()]
        lines.append(f"unreadable: {len(named):,} videos cannot be decoded: {_first(named, 5)}.")
    if left_out:
        lines.append(f"left out: {len(left_out):,} records, kept in {LEFT_OUT}:")
        lines += [f"  {unit}" for unit in left_out[:20]] + (["  …"] if len(left_out) > 20 else [])
    lines += [f"note: {line}." for line in remarks.lines()]
    counts = ", ".join(f"{count:,} in `{config}`" for config, count in facts["rows"].items())
    kind = "sample " if facts["sample"] else ""
    lines.append(f"{to}: {kind}layout of {facts['benchmark']}, questions: {counts}; videos: {facts['videos']:,}.")
    return "\n".join(lines)


def _first(names: list[str], count: int) -> str:
    return ", ".join(names[:count]) + (f" and {len(names) - count:,} more" if len(names) > count else "")

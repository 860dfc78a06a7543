"""The data layout: a folder with a card, a parquet file a config, and each video once.

    README.md            the card; its front matter tells `load_dataset` the configs, and `open_layout` the rest
    <config>.parquet     one row a question (`schema.py`); `<config>-<split>.parquet` if a config has several splits
    videos/<2 chars>/    the videos; pictures/<2 chars>/ likewise, where options are pictures
    left_out.jsonl       records of the release that could not become rows, if there were any

What belongs here: opening, reading and checking a layout. What does not: making one (`building.py`), and anything
that only one benchmark knows.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

from chalkbench import benchmarks
from chalkbench.benchmarks.card import CARD, SCHEMA, read_card
from chalkbench.benchmarks.media import media_of, place
from chalkbench.benchmarks.release import list_files
from chalkbench.benchmarks.schema import FEATURES, Problem, check_row
from chalkbench.errors import ChalkbenchError

__all__ = ["Layout", "MissingMedia", "build", "check_rows", "missing_media", "open_layout", "place", "read_rows"]

# all that a check reads; the rest (long texts above all) stays in the file
_CHECKED = [
    *("id", "video_id", "video_path", "clip_start", "clip_end", "evidence_start", "evidence_end", "clips"),
    *("option_media", "subtitles", "question", "options", "answer_index"),
]


@dataclass(frozen=True)
class Layout:
    """An opened layout.

    configs: {config: {split: parquet file, relative to the root}}. hidden: configs whose answers are not published.
    sample: made by this project to try the set-up, no official data. facts: the rest of the card's `chalkbench` key.
    """

    root: Path
    benchmark: str
    configs: Mapping[str, Mapping[str, str]]
    hidden: frozenset[str] = frozenset()
    sample: bool = False
    facts: Mapping[str, Any] | None = None


class MissingMedia(Problem):
    """A video that is not there: a warning, for all else can be asked. Every other Problem is an error."""


def build(benchmark: str, *, release: str | Path, to: str | Path, hard_link: bool = True) -> Path:
    """Makes a layout of an official release, with a progress bar; returns its folder.

    Nothing is at `to` before the layout is whole; a build that was stopped goes on where it was when it is called
    again. Videos are hard-linked, or copied where that is not possible or not wanted (`hard_link=False`: later
    changes of the release leave the layout alone); archives are unpacked straight into the layout. A layout of the
    same benchmark at `to` is replaced. Videos that the release lacks, and records that cannot become rows, are named
    at the end and stop nothing.

    Raises ChalkbenchError if the release or the target folder is not what it should be, or the disk is full.
    """
    from chalkbench.benchmarks.building import build_layout  # here: it needs this module

    return build_layout(benchmark, release=Path(release), to=Path(to), hard_link=hard_link)


def open_layout(path: str | Path) -> Layout:
    """The layout in a folder. Raises ChalkbenchError that says what is wrong and what to do."""
    root = Path(path).expanduser()
    if not root.is_dir():
        raise ChalkbenchError(f"the layout folder {root} {'is a file' if root.is_file() else 'does not exist'}.")
    front = read_card(root / CARD)[0] if (root / CARD).is_file() else {}
    facts = front.get("chalkbench")
    if facts is None:
        raise ChalkbenchError(_not_a_layout(root))
    broken = f"{root / CARD}: its front matter is broken"
    if not isinstance(facts, dict) or not isinstance(facts.get("benchmark"), str):
        raise ChalkbenchError(f"{broken} (`chalkbench:` must name a `benchmark`); build the layout again.")
    if facts.get("schema") != SCHEMA:
        raise ChalkbenchError(
            f"{root} has rows of schema {facts.get('schema')}, this chalkbench reads {SCHEMA}; build the layout again."
        )
    try:
        configs = {
            entry["config_name"]: {
                file["split"]: next(path for path in _as_list(file["path"]) if path.endswith(".parquet"))
                for file in entry["data_files"]
            }
            for entry in front["configs"]
        }
    except (KeyError, TypeError, AttributeError, StopIteration):
        raise ChalkbenchError(f"{broken} (`configs`); build the layout again.") from None
    layout = Layout(
        root=root,
        benchmark=facts["benchmark"],
        configs=configs,
        hidden=frozenset(facts.get("hidden") or ()),
        sample=bool(facts.get("sample")),
        facts=facts,
    )
    for splits in configs.values():
        for file in splits.values():
            _check_columns(root / file)
    return layout


def read_rows(layout: Layout | str | Path, config: str, split: str | None = None) -> datasets.Dataset:
    """The questions of a config, with video paths as text: no media file is touched, and no cache can be stale.

    split: may be left out if the config has only one. Raises ChalkbenchError naming what there is.
    """
    layout = layout if isinstance(layout, Layout) else open_layout(layout)
    splits = layout.configs.get(config)
    if splits is None:
        raise ChalkbenchError(f"{layout.root} has no config {config!r}; it has {', '.join(layout.configs)}.")
    if split is None and len(splits) == 1:
        split = next(iter(splits))
    if split not in splits:
        raise ChalkbenchError(
            f"config {config!r} of {layout.root} has no split {split!r}; it has {', '.join(splits)}."
        )
    path = layout.root / splits[split]
    _check_columns(path)
    content = path.read_bytes()
    table = pq.read_table(pa.BufferReader(content), columns=list(FEATURES)).cast(FEATURES.arrow_schema)
    return datasets.Dataset(
        table,
        info=datasets.DatasetInfo(features=FEATURES, dataset_name=layout.benchmark, config_name=config),
        split=datasets.NamedSplit(split),
        fingerprint=hashlib.sha256(content).hexdigest()[:16],  # what is derived from the rows is cached by content
    )


def check_rows(rows: Iterable[Mapping[str, Any]], root: str | Path, hidden: bool) -> list[Problem]:
    """What is wrong with rows: first the videos that are missing (`MissingMedia`), then duplicate ids and bad rows."""
    if isinstance(rows, datasets.Dataset):
        rows = rows.select_columns([name for name in _CHECKED if name in rows.column_names]).to_list()
    rows = list(rows)
    missing: list[Problem] = []
    absent = set(missing_media(root, rows))
    others, seen = [], set()
    for row in rows:
        missing += [
            MissingMedia(row["id"], _field_of(row, path), f"{path} is missing")
            for path in media_of(row)
            if path in absent
        ]
        if row["id"] and row["id"] in seen:
            others.append(Problem(row["id"], "id", "stands on an earlier row too"))
        seen.add(row["id"])
        others += check_row(row, hidden=hidden)
    return missing + others


def missing_media(layout: Layout | str | Path, rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The videos of the rows that are not there: paths relative to the layout, each once, in the rows' order."""
    root = layout.root if isinstance(layout, Layout) else Path(layout)
    if isinstance(rows, datasets.Dataset):
        rows = rows.select_columns([name for name in _CHECKED if name in rows.column_names]).to_list()
    paths = dict.fromkeys(path for row in rows for path in media_of(row))
    return [path for path in paths if not os.path.isfile(root / path)]


def _field_of(row: Mapping[str, Any], path: str) -> str:
    return "video_path" if path == row["video_path"] else "option_media" if path in row["option_media"] else "clips"


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _check_columns(path: Path) -> None:
    """Raises ChalkbenchError if a parquet file is missing, unreadable or lacks columns."""
    if not path.is_file():
        raise ChalkbenchError(f"{path} is missing, though the card names it; build the layout again.")
    try:
        found = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise ChalkbenchError(
            f"{path} cannot be read ({str(error).splitlines()[0]}); build the layout again."
        ) from None
    lacking = [name for name in FEATURES if name not in found.names]
    if lacking:
        raise ChalkbenchError(f"{path} lacks columns ({', '.join(lacking)}); build the layout again.")
    wanted = FEATURES.arrow_schema
    wrong = [name for name in FEATURES if found.field(name).type != wanted.field(name).type]
    if wrong:
        raise ChalkbenchError(
            f"{path}: column {wrong[0]} is {found.field(wrong[0]).type}, expected {wanted.field(wrong[0]).type}; "
            "build the layout again."
        )


def _not_a_layout(root: Path) -> str:
    """What a folder is that is no layout, and what to do."""
    files = list_files(root)
    if not files.paths:
        return f"{root} is empty; make a layout there with `chalkbench build BENCHMARK --from RELEASE --to {root}`."
    found = [name for name in benchmarks.names() if benchmarks.load_builder(name).holds(files)]
    if found:
        return (
            f"{root} is a release of {' or '.join(found)}, not a layout; "
            f"make one of it with `chalkbench build {found[0]} --from {root} --to LAYOUT`."
        )
    inner = next((path.parent for path in files.paths if path.name == CARD and path.parent != root), None)
    hint = f" Did you mean {inner}?" if inner and "chalkbench" in read_card(inner / CARD)[0] else ""
    what = f"its {CARD} has no `chalkbench:` key" if (root / CARD).is_file() else f"it has no {CARD}"
    return f"{root} is no layout: {what}.{hint} Make one with `chalkbench build BENCHMARK --from RELEASE --to LAYOUT`."

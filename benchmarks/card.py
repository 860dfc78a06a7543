"""The card of a layout: its README.md, which `load_dataset`, the Hub and `open_layout` read.

What belongs here: the YAML front matter and the part of the text that states what this layout holds. What does not:
the text on the benchmark itself (`benchmarks/<name>/README.md`).
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from chalkbench.errors import ChalkbenchError

CARD = "README.md"
SCHEMA = 2  # of the row; a layout of another number is built again
# what `datasets` counts as a video when it chooses how to read a folder (its packaged module videofolder)
_COUNTED_SUFFIXES = {".mkv", ".mp4", ".avi", ".mpeg", ".mov"}
_FRONT = re.compile(r"\A---\s*\n(.*?)\n---\s*(?:\n|\Z)", re.DOTALL)
_SAMPLE = "> **A sample.** Made by this project to try the set-up with; a score on it is never a result on {name}.\n\n"


def read_card(path: Path) -> tuple[dict[str, Any], str]:
    """The front matter and the text of a card. Raises ChalkbenchError if the front matter cannot be read."""
    text = path.read_text(encoding="utf-8")
    match = _FRONT.match(text)
    try:
        front = yaml.safe_load(match[1]) if match else {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 2}" if mark else ""
        raise ChalkbenchError(f"{path}: its front matter is no valid YAML{line}.") from None
    if not isinstance(front, dict):
        raise ChalkbenchError(f"{path}: its front matter is not a set of `key: value` lines.")
    return front, text[match.end() :] if match else text


def config_entry(
    name: str, splits: dict[str, str], *, videos: Iterable[str], content: str, default: bool = False
) -> dict[str, Any]:
    """A config as `load_dataset` needs it. splits: {split: parquet file}. content: hash of the parquet files.

    The content hash is part of the key of `datasets`' cache, which else goes by the files' times alone.
    """
    counted = sum(Path(video).suffix in _COUNTED_SUFFIXES for video in videos)
    entry: dict[str, Any] = {"config_name": name, "description": f"rows sha256 {content[:16]}"}
    if default:
        entry["default"] = True
    # The folder is read as videos only if they outnumber the parquet file; a pattern given twice counts twice.
    media = ["videos/**"] * (0 if not counted else 2 if counted == 1 else 1)
    entry["data_files"] = [{"split": split, "path": [file, *media]} for split, file in splits.items()]
    if media:
        entry |= {"metadata_filenames": list(splits.values()), "drop_labels": True}
    return entry


def write_card(path: Path, *, template: Path, configs: list[dict[str, Any]], facts: dict[str, Any]) -> None:
    """Writes a layout's card: the benchmark's own (`template`), the configs, and what this layout holds.

    facts: benchmark, release_sha256, redistributable, sample, hidden [config], rows {config: n}, videos,
    missing_videos, missing_pictures, unreadable_videos, left_out (numbers).
    """
    front, text = read_card(template)
    front["size_categories"] = [_size(sum(facts["rows"].values()))]
    front["configs"] = configs
    front["chalkbench"] = {"benchmark": facts["benchmark"], "schema": SCHEMA} | facts
    if facts["sample"]:
        front = {key: value for key, value in front.items() if not key.startswith("extra_gated")}
        front["license"] = "cc0-1.0"
        front["pretty_name"] = f"{front.get('pretty_name', facts['benchmark'])} (sample)"
        text = _SAMPLE.format(name=facts["benchmark"]) + text.lstrip()
    header = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=110)
    path.write_text(f"---\n{header}---\n\n{text.strip()}\n\n{_this_layout(facts)}", encoding="utf-8")


def _this_layout(facts: dict[str, Any]) -> str:
    lines = ["## This layout", "", "| config | questions |", "|---|---|"]
    lines += [f"| `{config}` | {count:,} |" for config, count in facts["rows"].items()]
    lines += [
        "",
        f"Videos: {facts['videos']:,} there, {facts['missing_videos']:,} missing, "
        f"{facts['unreadable_videos']:,} that cannot be decoded. "
        f"Records left out as malformed: {facts['left_out']:,}"
        + (" (kept in `left_out.jsonl`, with the reasons)." if facts["left_out"] else "."),
        *([f"Pictures missing: {facts['missing_pictures']:,}."] if facts["missing_pictures"] else []),
        "Questions whose video is missing are kept; an evaluation counts them apart, never as wrong.",
        "",
        "Built by `chalkbench build`; the rows follow `chalkbench.benchmarks.schema`.",
    ]
    return "\n".join(lines) + "\n"


def _size(count: int) -> str:
    """The Hub's name for a number of rows."""
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for bound, name in bounds if count < bound), "n>1M")

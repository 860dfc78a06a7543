"""Where a task's rows come from: layouts found on disk, their rows read without touching a video.

What belongs here: finding layouts and reading their questions. What does not: what a layout looks like
(`chalkbench.benchmarks.layout`).
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow.parquet as pq
from datasets import Dataset

from chalkbench.benchmarks.card import CARD
from chalkbench.benchmarks.layout import Layout, open_layout, read_rows
from chalkbench.errors import ChalkbenchError
from chalkbench.task import Task
from chalkbench.tasks.prepared import prepare

DATA_VARIABLE = "CHALKBENCH_DATA"


def data_places() -> list[str]:
    """The places where layouts are looked for without `--data`: those of CHALKBENCH_DATA, else `./data`."""
    return os.environ.get(DATA_VARIABLE, "data").split(os.pathsep)


def find_layouts(places: Iterable[str | Path]) -> dict[str, Layout]:
    """{benchmark: its layout} of all layouts at the places; a place is a layout, or a folder of layouts.

    Folders without the card of a layout (downloads, say) are passed over. Raises ChalkbenchError if a place does not
    exist, a layout is damaged, or a benchmark is found twice.
    """
    found: dict[str, Layout] = {}
    for place in map(Path, places):
        if not place.is_dir():
            raise ChalkbenchError(f"no data folder {place}: build one with `chalkbench build`, or give --data")
        folders = [place] if _has_card(place) else sorted(folder for folder in place.iterdir() if _has_card(folder))
        for folder in folders:
            layout = open_layout(folder)
            other = found.get(layout.benchmark)
            if other and other.root.resolve() != layout.root.resolve():
                raise ChalkbenchError(
                    f"{layout.benchmark} is there twice, in {other.root} and in {layout.root}: give one of them"
                )
            found[layout.benchmark] = layout
    return found


def _has_card(folder: Path) -> bool:
    card = folder / CARD
    return card.is_file() and "\nchalkbench:" in card.read_text(encoding="utf-8", errors="replace")


def layout_of(task: Task, layouts: Mapping[str, Layout], *, places: Iterable[str | Path]) -> Layout:
    """The layout that holds a task's rows. Raises ChalkbenchError that says how to get one."""
    if task.benchmark not in layouts:
        if not layouts:
            for place in map(Path, places):
                if any(place.iterdir()):
                    open_layout(place)  # says what the folder is, if it is no layout: an official release, for one
        raise ChalkbenchError(no_layout(task, places))
    check_split(task, layouts[task.benchmark])
    return layouts[task.benchmark]


def no_layout(task: Task, places: Iterable[str | Path]) -> str:
    """What to do where a task's data are not found."""
    return (
        f"no layout of {task.benchmark} found in {', '.join(map(str, places))}: "
        f"chalkbench build {task.benchmark} --from RELEASE --to data/{task.benchmark}, "
        f"or say where it is with --data (lighteval: {DATA_VARIABLE})"
    )


def check_split(task: Task, layout: Layout) -> None:
    """Raises ChalkbenchError if a layout lacks the questions of a task."""
    if task.split not in layout.configs.get(task.config, {}):
        held = ", ".join(f"{config}/{split}" for config, splits in layout.configs.items() for split in splits)
        raise ChalkbenchError(
            f"{layout.root} holds no {task.config}/{task.split}, which {task.name} asks for (it holds {held}): "
            "build it again from a release that has it"
        )


def task_rows(task: Task, layout: Layout) -> Dataset:
    """The questions of a task as it asks them, in the layout's order."""
    return prepare(read_rows(layout, task.config, task.split), task)


def rows_of(task: Task, layout: Layout) -> int:
    """How many questions the task's split holds, whether or not the task asks them all."""
    return pq.read_metadata(layout.root / layout.configs[task.config][task.split]).num_rows


def rows_hash(task: Task, layout: Layout) -> str:
    """First 12 hex digits of the SHA-256 of the file that holds a task's questions; `none` if it is not there."""
    try:
        with (layout.root / layout.configs[task.config][task.split]).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:12]
    except (KeyError, OSError):
        return "none"


def describe_missing(missing: list[str], rows: Dataset, root: Path) -> str:
    """One line: how many videos are missing, the first of them, and how many questions that concerns."""
    gone = set(missing)
    questions = sum(path in gone for path in rows["video_path"])
    first = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    return (
        f"{len(missing)} videos ({questions} of {len(rows)} questions) are missing in {root}: {first}. "
        "These questions are not scored (media_missing)"
    )

"""A chalkbench task as lighteval's registry wants it, and the one place that changes how lighteval reads rows.

lighteval loads a dataset with all its columns, so it would decode a video for each question, and has no way to say
no. For our tasks alone, its loader is replaced by one that reads the questions and touches no media.
"""

import functools
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets import Dataset
from lighteval.tasks.lighteval_task import LightevalTask, LightevalTaskConfig

from chalkbench.benchmarks.layout import Layout, missing_media, open_layout
from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.task import Task
from chalkbench.tasks import as_images, prompts
from chalkbench.tasks.binding import metric
from chalkbench.tasks.data import (
    check_split,
    data_places,
    describe_missing,
    find_layouts,
    no_layout,
    rows_hash,
    task_rows,
)

logger = logging.getLogger(__name__)


@dataclass
class TaskConfig(LightevalTaskConfig):
    """lighteval's task configuration, with what makes our results reproducible. `hf_repo` is a layout's folder.

    evidence, prompt: as in the signature; lighteval writes them into its results.
    `hf_revision` covers rows, evidence and prompt, so that lighteval's own cache of answers (which looks at
    neither) is not used for other questions.
    """

    evidence: str = ""
    prompt: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        # no fields: lighteval prints those into its cache's keys
        self.task: Task | None = None
        self.rows: Dataset | None = None  # prepared and checked before; None = they are read when they are needed


def lighteval_config(
    task: Task, layout: Layout | None, *, rows: Dataset | None = None, protocol: str = "strict", judge: Any = None
) -> TaskConfig:
    """The configuration of a task; without a layout it can be listed but not run.

    rows: the questions to ask, prepared and checked; None = all of the task, read when lighteval asks for them.
    """
    make = as_images.doc if task.as_images else prompts.doc
    config = TaskConfig(
        name=task.name,
        prompt_function=functools.partial(make, task=task, root=layout.root.resolve() if layout else Path()),
        hf_repo=str(layout.root.resolve()) if layout else task.benchmark,
        hf_subset=task.config,
        hf_revision=f"{rows_hash(task, layout) if layout else 'none'}-{task.evidence}-{task.prompt}",
        hf_avail_splits=[task.split],
        evaluation_splits=[task.split],
        few_shots_split=task.split,  # never used; without it lighteval warns of it at each start
        metrics=[metric(task, protocol=protocol, judge=judge)],
        generation_size=task.max_new_tokens,
        stop_sequence=[],
        evidence=str(task.evidence),
        prompt=str(task.prompt),
    )
    config.task, config.rows = task, rows
    return config


def lighteval_table(
    tasks: Iterable[Task],
    layouts: Mapping[str, Layout | str | Path] | None = None,
    *,
    evidence: Evidence | None = None,
) -> list[TaskConfig]:
    """lighteval's table of the tasks.

    layouts: {benchmark: layout or its folder}; None looks where CHALKBENCH_DATA says, or in `./data`, and takes what
        is there: what is missing is named when a task is run.
    evidence: for all tasks instead of their own.
    """
    if layouts is None:
        try:
            found = find_layouts(data_places())
        except ChalkbenchError as error:
            logger.info("%s", error)
            found = {}
    else:
        found = {
            name: layout if isinstance(layout, Layout) else open_layout(layout) for name, layout in layouts.items()
        }
    return [lighteval_config(task.given(evidence) if evidence else task, found.get(task.benchmark)) for task in tasks]


def load(config: TaskConfig) -> dict[str, Dataset]:
    """The rows of a task, {split: rows}. Names missing videos in a warning. Raises ChalkbenchError."""
    task = config.task
    if config.rows is not None:
        return {task.split: config.rows}
    if not Path(config.hf_repo).is_absolute():  # the table was made without a layout: says how to get one
        raise ChalkbenchError(no_layout(task, data_places()))
    layout = open_layout(config.hf_repo)
    check_split(task, layout)
    rows = task_rows(task, layout)
    if task.needs_media:
        missing = missing_media(layout, rows)
        if missing:
            logger.warning("%s: %s", task.name, describe_missing(missing, rows, layout.root))
    if task.as_images:
        as_images.check_size(rows, task=task, root=layout.root)
    return {task.split: rows}


def _reads_no_media(original):
    @functools.wraps(original)
    def worker(task: LightevalTask):
        return load(task.config) if isinstance(task.config, TaskConfig) else original(task)

    worker.reads_no_media = True
    return worker


def install() -> None:
    """Makes lighteval read our tasks' rows with `load`; other tasks are read as before. Doing it twice is harmless."""
    if not hasattr(LightevalTask.download_dataset_worker, "reads_no_media"):
        LightevalTask.download_dataset_worker = staticmethod(_reads_no_media(LightevalTask.download_dataset_worker))


install()

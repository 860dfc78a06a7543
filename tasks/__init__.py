"""lighteval tasks: a file a benchmark, and here the table of all of them.

`lighteval custom … --custom-tasks chalkbench.tasks` takes the layouts that `CHALKBENCH_DATA` names: a folder of
layouts, or several places joined with the system's path separator; without it, `./data`.
"""

from collections.abc import Mapping
from pathlib import Path

from chalkbench.evidence import Evidence
from chalkbench.task import Task


def all_tasks() -> tuple[Task, ...]:
    """Every task, in the order of its benchmark's file."""
    from chalkbench.tasks import instructionbench, lemon, mmou, video_mmlu, vira_bench

    return lemon.TASKS + video_mmlu.TASKS + instructionbench.TASKS + vira_bench.TASKS + mmou.TASKS


def table(layouts: Mapping[str, str | Path], evidence: Evidence | None = None) -> list:
    """lighteval's table of all tasks on given layouts ({benchmark: folder}).

    evidence: for all tasks instead of their own. A file of one's own with `TASKS_TABLE = table(…)` can be given to
    `--custom-tasks`.
    """
    from chalkbench.tasks.config import lighteval_table

    return lighteval_table(all_tasks(), layouts, evidence=evidence)


def __getattr__(name: str):
    if name == "TASKS_TABLE":  # made when lighteval asks: where the data are is not known at import
        from chalkbench.tasks.config import lighteval_table

        return lighteval_table(all_tasks())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

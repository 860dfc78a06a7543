"""The answers behind the tables, question by question: who was right, what differs, what could not be read.

What belongs here: answers of several rows brought together by question, and which of them a page shows. What does
not: scoring, and how they look (`page.py`).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from chalkbench.outcomes import Item, Results, read_items
from chalkbench.report.reading import Run
from chalkbench.report.tables import BenchmarkTable, Row
from chalkbench.scoring.outcome import SCORED, UNPARSED

HALF = 0.5  # a graded answer counts as right from half of the highest grade on
LONGEST = 1500  # characters of a reply or a question on the page

# what a reader can filter by: flag → in words
FLAGS = {
    "wrong": "wrong in all rows",
    "differs": "right in some rows, wrong in others",
    "condition": "differs between conditions of one model",
    "unparsed": "a reply could not be read",
    "lost": "not scored for another reason",
}


@dataclass(frozen=True)
class Reply:
    """One row's answer to a question. row: number of the row among the user's."""

    row: int
    item: Item

    @property
    def right(self) -> bool | None:
        """Whether it counts as right; None = not scored."""
        return None if self.item.value is None else self.item.value >= HALF


@dataclass(frozen=True)
class Asked:
    """A question with the replies of all rows that were asked it.

    options: as released, () = not known, or open. gold: position, -1 = not known. duration: seconds, None = not known.
    """

    benchmark: str
    task: str
    id: str
    replies: tuple[Reply, ...]
    flags: tuple[str, ...]
    question: str = ""
    options: tuple[str, ...] = ()
    gold: int = -1
    answer: str = ""
    subtask: str = ""
    duration: float | None = None


def read(
    runs: Sequence[Run], tables: Sequence[BenchmarkTable], *, data: Sequence[Path] | None = None
) -> tuple[list[Row], list[Asked]]:
    """The user's rows in the order of the tables, and all questions that any of them was asked.

    data: layouts; without them a question's text, options and right answer are not known. Raises ChalkbenchError for
    answers that cannot be read.
    """
    by_name = {run.name: run for run in runs}
    rows = [row for table in tables for row in table.own]
    benchmarks = [table.benchmark for table in tables for _ in table.own]
    replies: dict[tuple[str, str, str], list[Reply]] = defaultdict(list)
    tasks: dict[tuple[str, str, str], str] = {}
    for number, (row, benchmark) in enumerate(zip(rows, benchmarks, strict=True)):
        run = by_name[row.name]
        for scored in row.tasks:
            split = run.entries[scored.task]["record"]["split"]
            answered = Results(run.name, run.folder, scored.task, run.entries)
            for item in read_items(answered, scored.task).values() if answered.file(scored.task).is_file() else ():
                key = (benchmark, split, item.id)
                replies[key].append(Reply(number, item))
                tasks.setdefault(key, scored.task.partition(":")[2] or split.partition("/")[0])
    questions = _questions(data, {key[:2] for key in replies})
    asked = []
    for key, given in replies.items():
        row = questions.get(key, {})
        asked.append(
            Asked(key[0], tasks[key], key[2], tuple(given), _flags(given, rows), **row),
        )
    return rows, asked


def most_telling(asked: Sequence[Asked], most: int) -> list[Asked]:
    """At most so many questions: those with a flag first, the tasks in turn."""
    by_task: dict[tuple[str, str], list[Asked]] = defaultdict(list)
    for one in sorted(asked, key=lambda one: not one.flags):
        by_task[one.benchmark, one.task].append(one)
    chosen = [one for turn in zip_longest(*by_task.values()) for one in turn if one is not None][:most]
    kept = {(one.benchmark, one.task, one.id) for one in chosen}
    return [one for one in asked if (one.benchmark, one.task, one.id) in kept]


def _flags(replies: Sequence[Reply], rows: Sequence[Row]) -> tuple[str, ...]:
    right = [reply.right for reply in replies]
    of_model: dict[str, set[bool]] = defaultdict(set)
    for reply in replies:
        if reply.right is not None:
            of_model[rows[reply.row].name].add(reply.right)
    found = {
        "wrong": False in right and True not in right,
        "differs": True in right and False in right,
        "condition": any(len(values) > 1 for values in of_model.values()),
        "unparsed": any(reply.item.status == UNPARSED for reply in replies),
        "lost": any(reply.item.status not in (SCORED, UNPARSED) for reply in replies),
    }
    return tuple(name for name in FLAGS if found[name])


def _questions(
    data: Sequence[Path] | None, splits: set[tuple[str, str]]
) -> dict[tuple[str, str, str], dict[str, Any]]:
    """{(benchmark, config/split, id): what the layout says of the question}; nothing without layouts."""
    if not data:
        return {}
    from chalkbench.benchmarks.layout import read_rows
    from chalkbench.tasks.data import find_layouts

    layouts = find_layouts(data)
    found = {}
    for benchmark, split in sorted(splits):
        config, _, name = split.partition("/")
        layout = layouts.get(benchmark)
        if layout is None or name not in layout.configs.get(config, {}):
            continue
        wanted = ("id", "question", "options", "answer_index", "answer", "subtask", "duration")
        for row in read_rows(layout, config, name).select_columns(list(wanted)):
            found[benchmark, split, row["id"]] = {
                "question": row["question"],
                "options": tuple(row["options"]),
                "gold": row["answer_index"],
                "answer": row["answer"] or "",
                "subtask": row["subtask"] or "",
                "duration": row["duration"],
            }
    return found

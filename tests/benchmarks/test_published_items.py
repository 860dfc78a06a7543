"""Published rows item by item: right and wrong replies, as many as a row must have had, scored as a run is scored."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pytest

from chalkbench.benchmarks.published import published
from chalkbench.results import Item, score
from chalkbench.scoring.aggregate import OVERALL
from chalkbench.tasks import all_tasks

# Questions of each subtask: the only split of the stated totals that gives every printed percentage.
VIRA = {
    **{"OEG/AI": 215, "OEG/BE": 188, "OEG/CR": 94},
    **{"ICR/SR": 250, "ICR/CA": 82, "ICR/CF": 197},
    **{"SRM/SC": 136, "SRM/OP": 160},
}
HUMAN = dict.fromkeys(VIRA, 25)  # VIRA-Bench section 4.1: 25 a subtask
INSTRUCTION = {
    **{"coarse/FSP": 1776, "coarse/PSR": 1104, "coarse/ISR": 244, "coarse/SS": 65, "coarse/SSR": 321},
    **{"fine/OES": 548, "fine/OAR": 263, "fine/OIR": 679},
}
Cells = Mapping[str, str]


def rows(benchmark: str, *tables: str, metric: str = "accuracy") -> dict[tuple[str, str, str], Cells]:
    """{(table, model, condition): {group: printed figure}}."""
    found: dict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    for row in published(benchmark):
        if row.table in tables and row.metric == metric:
            found[row.table, row.model, row.condition][row.group] = row.value
    return found


def digits(share: float, printed: str) -> str:
    """A share as a percentage with as many digits as the printed one."""
    return f"{100 * share:.{len(printed.partition('.')[2])}f}"


def right_answers(cells: Cells, sizes: Mapping[str, int]) -> dict[str, int]:
    """How many items of each subtask were right: the whole number that its printed percentage stands for."""
    right = {group: round(float(cells[group]) * size / 100) for group, size in sizes.items()}
    for group, size in sizes.items():
        assert digits(right[group] / size, cells[group]) == cells[group], group
    return right


def paths_and_right(cells: Cells, sizes: Mapping[str, int]) -> tuple[list[str], list[bool]]:
    """The subtask of each item, and whether it was right."""
    right = right_answers(cells, sizes)
    items = [(group, index < right[group]) for group, size in sizes.items() for index in range(size)]
    return [group for group, _ in items], [was_right for _, was_right in items]


def scored(paths: list[str], right: list[bool], *, options: int, benchmark: str) -> dict[str, Any]:
    """What a run of the benchmark's own task gets for replies that name the gold option or the next one.

    VIRA-Bench's replies are JSON objects in turn with the two forms that its parser falls back to (appendix E).
    Returns {group: its part of the result}, `overall` included.
    """
    [task] = [task for task in all_tasks() if task.name == benchmark]
    outer, inner = [name for name, _ in task.groupings][:2]
    letters = "ABCDE"[:options]
    steps = [f"step {letter}" for letter in letters]
    forms = (
        (f'{{"answer": "{letter}", "confidence": "high", "reasoning": "It is not A."}}', letter, f"step {letter}")
        for letter in letters
    )
    texts = list(forms) if benchmark == "vira_bench" else [(letter,) for letter in letters]
    items = []
    for index, (path, good) in enumerate(zip(paths, right, strict=True)):
        place = (index + (not good)) % options
        group, _, subtask = path.partition("/")
        groups = {outer: [group], inner: [subtask]}
        reply = texts[place][index % len(texts[place])]
        items.append(Item(str(index), "Which?", steps, index % options, steps[index % options], groups, reply))
    result = score(items, task=task)
    assert result["official"] == {"name": "micro", "value": result["accuracy"]}
    names = dict.fromkeys(path.partition("/")[::2] for path in paths)
    found = {f"{group}/{part}": result["groupings"][inner]["by_group"][part] for group, part in names}
    return found | result["groupings"][outer]["by_group"] | {OVERALL: result}


@pytest.mark.parametrize(
    ("row", "cells"),
    rows("vira_bench", "2").items(),
    ids=lambda value: value[1] if isinstance(value, tuple) else "row",
)
def test_vira_s_leaderboard_comes_out_of_items_with_its_intervals(row: tuple[str, str, str], cells: Cells) -> None:
    result = scored(*paths_and_right(cells, HUMAN if row[1] == "Human" else VIRA), options=4, benchmark="vira_bench")
    for group, printed in cells.items():
        assert digits(result[group]["accuracy"], printed) == printed, group
    low, high = (rows("vira_bench", "2", metric=f"interval_{end}")[row][OVERALL] for end in ("low", "high"))
    assert [digits(bound, low) for bound in result[OVERALL]["interval"]] == [low, high]


@pytest.mark.parametrize(
    ("benchmark", "table", "sizes", "options"),
    [("vira_bench", "3", VIRA, 4), ("instructionbench", "4", INSTRUCTION, 5)],
)
def test_every_row_of_a_table_comes_out_of_items(
    benchmark: str, table: str, sizes: Mapping[str, int], options: int
) -> None:
    table_rows = rows(benchmark, table)
    assert len(table_rows) == 15
    for row, cells in table_rows.items():
        result = scored(*paths_and_right(cells, sizes), options=options, benchmark=benchmark)
        for group, printed in cells.items():
            assert digits(result[group]["accuracy"], printed) == printed, (row, group)


def test_models_trained_on_instructionbench_agree_with_their_own_overall() -> None:
    sizes = {"coarse": 3510, "fine": 1490}
    for row, cells in rows("instructionbench", "5").items():
        right = right_answers(cells, sizes)
        assert digits(sum(right.values()) / 5000, cells[OVERALL]) == cells[OVERALL], row


def test_every_model_of_vira_s_answer_counts_answered_every_question() -> None:
    counts: dict[str, int] = defaultdict(int)
    for row in published("vira_bench"):
        if row.table == "8" and row.metric != "accuracy":
            counts[row.model] += int(row.value)
    assert len(counts) == 11
    assert set(counts.values()) == {sum(VIRA.values())}

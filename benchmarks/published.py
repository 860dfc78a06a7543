"""Published results: what the five papers print, as tidy rows (`<benchmark>/published.csv`).

What belongs here: reading those files. What does not: their arithmetic (`chalkbench.scoring.aggregate`), and results
of our own.

The columns: `table` (number in the paper; `text` = a figure of the running text), `model` (as the paper's main table
spells it; LLM and size in brackets where the paper uses one name for several), `condition` (frames; evidence, as far
as the paper and its tables tell), `group` (path of the task, as in `chalkbench.scoring.aggregate`), `metric`, `value`
(the printed digits, percent unless the metric says otherwise) and `defect`: empty, or what the paper's own parts give
instead of the printed value. "last digit" defects are within what the rounding of the parts allows, "wrong" ones are
not.
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Published(NamedTuple):
    """One printed figure. All fields are text; `value` keeps the printed digits."""

    table: str
    model: str
    condition: str
    group: str
    metric: str
    value: str
    defect: str


@cache
def published(benchmark: str) -> tuple[Published, ...]:
    """The published rows of a benchmark, in the paper's order.

    Raises ValueError naming the benchmarks that have them.
    """
    folder = Path(__file__).parent
    path = folder / benchmark / "published.csv"
    if not path.is_file():
        known = ", ".join(sorted(found.parent.name for found in folder.glob("*/published.csv")))
        raise ValueError(f"no published results for {benchmark!r}: expected one of {known}")
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(Published(**row) for row in csv.DictReader(file))

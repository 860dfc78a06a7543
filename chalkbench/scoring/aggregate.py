"""Aggregation: how the scores of single groups become the numbers of a paper's table.

What belongs here: unweighted means, of one level and of several. What does not: means over items (`outcome.py`), and
which mean is a benchmark's own (its tasks say so, with the source).

Cells have a *path*: the groups that name their place in the table, outermost first, joined by "/" ("SP/KCR"). A
path's beginnings are groups as well ("SP"), and so is `OVERALL`.
"""

from collections.abc import Iterable, Mapping

OVERALL = "overall"


def mean(values: Iterable[float | None]) -> float | None:
    """Unweighted mean of the values that are there; None if there is none."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def macro(cells: Mapping[str, float | None]) -> dict[str, float | None]:
    """Nested unweighted means of a table's cells.

    `cells`: {path: score, or None if the model cannot do it}, all in one unit. Every group is the mean of its
    children, `overall` of the outermost groups; what is None is left out, and a group of nothing else is None.
    Returns the cells and the groups. Raises ValueError for a path that is a cell and a group at once.
    """
    scores = dict(cells)
    groups = {prefix for path in cells for prefix in _prefixes(path)} - {OVERALL}
    if mixed := sorted(groups & cells.keys()):
        raise ValueError(f"{mixed[0]!r} is a cell and the group of another cell: give either the group or its parts")
    names = groups | cells.keys()
    for group in sorted(groups, key=lambda name: name.count("/"), reverse=True):
        scores[group] = mean(scores[name] for name in sorted(names) if _parent(name) == group)
    scores[OVERALL] = mean(scores[name] for name in sorted(names) if "/" not in name and name)
    return scores


def _prefixes(path: str) -> list[str]:
    """`overall` and the groups above a path: "a/b/c" → overall, a, a/b."""
    parts = path.split("/")
    return [OVERALL, *("/".join(parts[:depth]) for depth in range(1, len(parts)))]


def _parent(name: str) -> str:
    return name.rpartition("/")[0]

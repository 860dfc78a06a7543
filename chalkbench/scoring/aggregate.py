"""Aggregation: how the scores of single items become the numbers of a paper's table.

What belongs here: the two kinds of mean, and which of them is each benchmark's official one. What does not: how an
item is scored (the neighbours of this module), and grouping that no paper's average is made of (skills, duration).

Items have a *path*: the columns that name their place in the table, outermost first, joined by "/" ("SP/KCR"). A
path's beginnings are groups as well ("SP"), and so is `OVERALL`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from chalkbench.scoring.outcome import Outcome, counted, summarise, wilson

OVERALL = "overall"
Mean = Literal["micro", "macro"]


@dataclass(frozen=True)
class Rule:
    """A benchmark's official aggregation.

    official: `micro` (each item counts the same) or `macro` (each child of a group counts the same).
    levels: columns of the row that make an item's path, outermost first.
    source: where the rule is stated, or how it was found.
    """

    official: Mean
    levels: tuple[str, ...]
    source: str


RULES: dict[str, Rule] = {
    "lemon": Rule("macro", ("task", "subtask"), "LEMON Table 2, caption; unavailable cells left out: found by fit"),
    "video_mmlu": Rule(
        "macro",
        ("task", "discipline"),
        "Video-MMLU Table 2: found by fit; its post_eval/calculate_scores.py for a track",
    ),
    "instructionbench": Rule("micro", ("task", "subtask"), "InstructionBench Table 4: found by fit"),
    "vira_bench": Rule("micro", ("task", "subtask"), "VIRA-Bench appendix E, response parsing and scoring"),
    "mmou": Rule("micro", (), "MMOU section 4, evaluation: micro-averaged accuracy"),
}


@dataclass(frozen=True)
class Score:
    """One group's score, both ways.

    micro: mean over the items, 0..1; None if none counts.
    macro: mean over the group's children (of a leaf: over its items), 0..1; None if no child has a score.
    official: which of the two the benchmark reports.
    n, n_scored, n_counted, not_scored: as in `outcome.summarise`; `n_counted` is the denominator of `micro`.
    interval: Wilson 95 % interval of `micro`, or None where the values are not all right or wrong.
    """

    micro: float | None
    macro: float | None
    official: Mean
    n: int
    n_scored: int
    n_counted: int
    not_scored: Mapping[str, int]
    interval: tuple[float, float] | None

    @property
    def value(self) -> float | None:
        """The official one of the two."""
        return self.micro if self.official == "micro" else self.macro


def mean(values: Iterable[float | None]) -> float | None:
    """Unweighted mean of the values that are there; None if there is none."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def path_of(row: Mapping[str, Any], benchmark: str) -> str:
    """The path of a row (or of any mapping with the benchmark's level columns). Empty levels are left out.

    Raises ValueError for a benchmark without a rule.
    """
    return "/".join(row[column] for column in _rule(benchmark).levels if row[column])


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


def aggregate(
    outcomes: Sequence[Outcome],
    paths: Sequence[str],
    *,
    official: Mean,
    protocol: str = "strict",
    scales: Mapping[str, float] | None = None,
) -> dict[str, Score]:
    """Scores of `overall`, of every group and of every path, micro and macro.

    `paths`: one an item, "" = in no group. `scales` {path: highest value of the rule} brings values that are not in
    0..1 there (LEMON's summary score: 100). Raises ValueError if the two sequences differ in length, or for an
    unknown protocol.
    """
    if len(outcomes) != len(paths):
        raise ValueError(f"{len(paths)} paths for {len(outcomes)} items: give one an item")
    scaled = [_scaled(outcome, (scales or {}).get(path, 1.0)) for outcome, path in zip(outcomes, paths, strict=True)]
    members: dict[str, list[Outcome]] = {OVERALL: []}
    for outcome, path in zip(scaled, paths, strict=True):
        for group in (*_prefixes(path), path) if path else (OVERALL,):
            members.setdefault(group, []).append(outcome)
    leaves = sorted({path for path in paths if path})
    means = macro({path: summarise(members[path], protocol=protocol)["mean"] for path in leaves})
    if not leaves:
        means[OVERALL] = summarise(members[OVERALL], protocol=protocol)["mean"]
    order = [OVERALL, *sorted(members.keys() - {OVERALL})]
    return {group: _score(members[group], means[group], official, protocol) for group in order}


def _rule(benchmark: str) -> Rule:
    try:
        return RULES[benchmark]
    except KeyError:
        raise ValueError(f"benchmark {benchmark!r}: expected one of {', '.join(sorted(RULES))}") from None


def _prefixes(path: str) -> list[str]:
    """`overall` and the groups above a path: "a/b/c" → overall, a, a/b."""
    parts = path.split("/")
    return [OVERALL, *("/".join(parts[:depth]) for depth in range(1, len(parts)))]


def _parent(name: str) -> str:
    return name.rpartition("/")[0]


def _scaled(outcome: Outcome, scale: float) -> Outcome:
    if outcome.value is None or scale == 1.0:
        return outcome
    return Outcome(value=outcome.value / scale, status=outcome.status, choice=outcome.choice, rule=outcome.rule)


def _score(outcomes: Sequence[Outcome], macro_mean: float | None, official: Mean, protocol: str) -> Score:
    summary = summarise(outcomes, protocol=protocol)
    values = [value for outcome in outcomes if (value := counted(outcome, protocol)) is not None]
    binary = bool(values) and all(value in (0.0, 1.0) for value in values)
    bounds = wilson(sum(values), len(values)) if binary else None
    return Score(
        micro=summary["mean"],
        macro=macro_mean,
        official=official,
        n=summary["n"],
        n_scored=summary["n_scored"],
        n_counted=summary["n_counted"],
        not_scored=summary["not_scored"],
        interval=(bounds[0], bounds[1]) if bounds else None,
    )

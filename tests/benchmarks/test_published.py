"""The published figures: each stands in its paper, none is missing, and the list of the papers' defects is exact."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

import pytest

from chalkbench import benchmarks
from chalkbench.benchmarks.published import Published, published
from chalkbench.scoring.aggregate import macro, mean

PAPERS = Path(__file__).parents[3] / "shared" / "papers"
BENCHMARKS = ("lemon", "video_mmlu", "instructionbench", "vira_bench", "mmou")
needs_papers = pytest.mark.skipif(
    not PAPERS.is_dir(), reason="the papers' texts (a folder shared/papers beside the checkout) may not be published"
)

# Beginnings of the first line of a table and of the line after it.
TABLES = {
    ("lemon", "2"): ("Models\t#Params", "Table 2: The"),
    ("lemon", "3"): ("Models\tOverall", "Table 3: Impact"),
    ("lemon", "4"): ("Table 3: Impact", "Table 4: Impact"),
    ("lemon", "6"): ("Models\tHardware", "Table 6: Average"),
    ("lemon", "8"): ("Models\tTemporal", "Table 8: Ablation"),
    ("lemon", "9"): ("Model\tSelf", "Table 9: Comparison"),
    ("lemon", "10"): ("Models\tArabic", "Table 10: Evaluation"),
    ("video_mmlu", "2"): ("Table 2: Results", "Table 3: Results"),
    ("video_mmlu", "3"): ("Table 3: Results", "Table 4: Results"),
    ("video_mmlu", "4"): ("Table 4: Results", "Figure 4:"),
    ("video_mmlu", "O1"): ("Table O1: Results", "Figure O5:"),
    ("instructionbench", "4"): ("Model\t# Frames\tCoarse", "Table 4: Comprehensive"),
    ("instructionbench", "5"): ("Model\t# Frames\tCG", "Table 5: The"),
    ("vira_bench", "2"): ("Table 2: Leaderboard", "## 4 Exp"),
    ("vira_bench", "3"): ("Table 3: Evidence", "Removing video"),
    ("vira_bench", "8"): ("Table 8: Model", "##### Statistical"),
}
FIGURE = re.compile(r"(?<![\w.])-?\d+\.\d+(?![a-zA-Z\d])")
COUNTS = {("vira_bench", "8"): re.compile(r"\d+(?:\.\d+)?")}


def plain(model: str) -> str:
    """A model's name without footnote marks, citations, brackets, and ways to write spaces."""
    name = re.sub(r"\\\w+|\^.*|\[\d+\]|\(.*\)", "", model.casefold())
    return re.sub(r"[^a-z0-9.+]", "", name)


def printed(benchmark: str, table: str) -> list[tuple[str, str]]:
    """(model, figure) of a paper's table in the order of the text."""
    first, end = TABLES[benchmark, table]
    lines = (PAPERS / f"{benchmark}.txt").read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(first))
    stop = next(number for number, line in enumerate(lines) if number > start and line.startswith(end))
    figures, model = [], ""
    for line in lines[start + 1 : stop]:
        name, *cells = re.split(r"\t|\|", line.strip("|\n"))
        found = [value for cell in cells for value in COUNTS.get((benchmark, table), FIGURE).findall(cell)]
        if not found:
            continue
        if name.strip() and name.strip() not in ("ASR Text Only", "Visual Shuffle"):  # these continue a model
            model = plain(name)
        figures += [(model, value) for value in found]
    return figures


@needs_papers
@pytest.mark.parametrize(("benchmark", "table"), TABLES, ids=lambda value: value)
def test_a_table_holds_the_paper_s_figures_and_all_of_them(benchmark: str, table: str) -> None:
    rows = [row for row in published(benchmark) if row.table == table]
    ours = [(plain(row.model), row.value.lstrip("-") if "gain" in row.metric else row.value) for row in rows]
    assert ours == printed(benchmark, table)


@needs_papers
def test_figures_of_the_running_text_stand_in_it_beside_their_model() -> None:
    text = (PAPERS / "mmou.txt").read_text(encoding="utf-8")
    for row in published("mmou"):
        sentences = [sentence for sentence in re.split(r"(?<=[.;]) ", text) if f"{row.value}%" in sentence]
        assert any(row.model in sentence for sentence in sentences), row


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_figure_is_there_once_and_says_how_it_was_made(benchmark: str) -> None:
    rows = published(benchmark)
    assert len({row[:5] for row in rows}) == len(rows)
    for row in rows:
        assert all(row[:6]), row
        Decimal(row.value)


def test_an_unknown_benchmark_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'lemonade': expected one of instructionbench, lemon, mmou"):
        published("lemonade")


class Check(NamedTuple):
    """A printed figure, and what the paper's own parts give for it. `slack`: what their rounding allows."""

    benchmark: str
    row: Published
    parts: str
    value: Decimal
    slack: Decimal


HALF = Decimal("0.005")
TASKS = ("SP", "OR", "AC", "TA", "IP", "AE")


def by_model(benchmark: str, *tables: str) -> dict[tuple[str, str, str], dict[str, Published]]:
    """{(table, model, tokens a frame): {group: row}}; a table's conditions differ within a model only in O1."""
    rows: dict[tuple[str, str, str], dict[str, Published]] = defaultdict(dict)
    for row in published(benchmark):
        if row.table in tables:
            tokens = row.condition.rpartition("; ")[2] if row.table == "O1" else ""
            rows[row.table, row.model, tokens][row.group] = row
    return rows


def averages() -> Iterator[Check]:
    """LEMON's Table 2 and Video-MMLU's tables: each average against the cells one level below it."""
    for benchmark, tables, parts in (
        ("lemon", ("2",), ("its subtasks give", "its task averages give")),
        ("video_mmlu", ("2", "3", "4", "O1"), ("its disciplines give", "its tracks give")),
    ):
        for rows in by_model(benchmark, *tables).values():
            cells = {group: Decimal(row.value) for group, row in rows.items()}
            tops = {group: value for group, value in cells.items() if "/" not in group and group != "overall"}
            below = macro({group: value for group, value in cells.items() if "/" in group})
            for group in tops.keys() & below.keys():
                yield Check(benchmark, rows[group], parts[0], below[group], 2 * HALF)
            yield Check(benchmark, rows["overall"], parts[1], macro(tops)["overall"], 2 * HALF)


def lemon_ablations() -> Iterator[Check]:
    """LEMON's Tables 3, 4, 8 and 9 against Table 2 (its default evidence is one of their columns), and their gains."""
    main = {model: rows for (_, model, _), rows in by_model("lemon", "2").items()}
    cells = {row[:5]: Decimal(row.value) for row in published("lemon") if row.table in ("3", "4", "8", "9")}
    for row in published("lemon"):
        if row.table not in ("3", "4", "8", "9"):
            continue
        rows, evidence = main[row.model], row.condition.partition("; ")[2]
        if row.metric.startswith("gain_over_"):
            base = row.condition.replace(evidence, row.metric.removeprefix("gain_over_").replace("_", " "))
            metric = {"3": "mean_accuracy", "4": "mean_accuracy"}.get(row.table, rows.get(row.group, row).metric)
            key = (row.table, row.model, row.condition, row.group, metric)
            gain = cells[key] - cells[row.table, row.model, base, row.group, metric]
            yield Check("lemon", row, "its two scores give", gain, Decimal(0))
        elif row.table in ("3", "4") and rows["SP"].condition == row.condition:
            value = mean(Decimal(rows[task].value) for task in ("SP", "OR", "IP"))
            yield Check("lemon", row, "the averages in Table 2 give", value, 2 * HALF)
        elif row.table in ("8", "9") and rows[row.group].condition == row.condition:
            task = row.group.partition("/")[0]
            mistaken = (
                f"this is the {task} average; " if row.value == rows[task].value != rows[row.group].value else ""
            )
            parts = f"{mistaken}{row.group} in Table 2 is"
            yield Check("lemon", row, parts, Decimal(rows[row.group].value), Decimal(0))


def repeated() -> Iterator[Check]:
    """Figures that a paper prints twice, and VIRA-Bench's answer counts."""
    vira = published("vira_bench")
    first = {
        (row.model, row.condition, row.group): row for row in vira if (row.table, row.metric) == ("2", "accuracy")
    }
    for row in vira:
        again = first.get((row.model, row.condition, row.group))
        if again and row.table in ("3", "8") and row.metric == "accuracy":
            yield Check("vira_bench", row, "the score in Table 2 is", Decimal(again.value), Decimal(0))
    table = [row for row in published("instructionbench") if row.table == "4"]
    known = {row[1:4]: row for row in table}
    for row in published("instructionbench"):
        if row.table == "5" and row[1:4] in known:
            yield Check("instructionbench", row, "the score in Table 4 is", Decimal(known[row[1:4]].value), Decimal(0))
    seen = {}
    for row in published("video_mmlu"):
        first_row = seen.setdefault(row[1:5], row)
        if first_row is not row:
            yield Check("video_mmlu", row, f"the score in Table {first_row.table} is", Decimal(first_row.value), HALF)


def deviations() -> dict[tuple[str, ...], str]:
    """{(benchmark, the row's first five columns): defect} of every figure that its parts do not give.

    A figure may be rounded (a tie either way) or cut off: Video-MMLU does both.
    """
    found: dict[tuple[str, ...], str] = {}
    for benchmark, row, parts, value, slack in [*averages(), *lemon_ablations(), *repeated()]:
        ours = Decimal(row.value)
        unit = Decimal(1).scaleb(ours.as_tuple().exponent)
        if ours not in {value.quantize(unit, rounding) for rounding in (ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_DOWN)}:
            kind = "last digit" if abs(value - ours) <= slack else "wrong"
            found[(benchmark, *row[:5])] = f"{kind}: {parts} {value.quantize(unit, ROUND_HALF_UP)}"
    return found


def test_every_deviation_is_listed_and_every_listed_defect_is_one() -> None:
    listed = {(name, *row[:5]): row.defect for name in BENCHMARKS for row in published(name) if row.defect}
    assert listed == deviations()


def test_lemon_s_overall_comes_out_of_its_subtasks_for_all_models() -> None:
    for (_, model, _), rows in by_model("lemon", "2").items():
        cells = {group: Decimal(row.value) for group, row in rows.items() if "/" in group or group == "TA"}
        value, ours = macro(cells)["overall"], Decimal(rows["overall"].value)
        cut = {value.quantize(ours, rounding) for rounding in (ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_DOWN)}
        assert ours in cut, model


def test_every_model_of_video_mmlu_s_tables_has_its_llm_and_size_in_the_sidecar() -> None:
    with (Path(benchmarks.__file__).parent / "video_mmlu" / "models.csv").open(encoding="utf-8", newline="") as file:
        sidecar = list(csv.DictReader(file))
    assert {row["model"] for row in sidecar} == {row.model for row in published("video_mmlu")}
    tokens = {(row["model"], row["tokens_per_frame"]) for row in sidecar if row["tokens_per_frame"]}
    table = [row for row in published("video_mmlu") if row.table == "O1"]
    assert tokens == {(row.model, row.condition.split("; ")[2].split()[0]) for row in table}

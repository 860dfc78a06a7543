"""The report's tables: every number is one of `scores.json` or of the papers, and nobody is best by mistake."""

import json
import shutil
from dataclasses import replace

import pytest

from chalkbench.benchmarks.published import published
from chalkbench.errors import ChalkbenchError
from chalkbench.report.reading import read_runs
from chalkbench.report.shapes import SHAPES
from chalkbench.report.tables import tables
from chalkbench.tasks import all_tasks

HEADINGS = {
    "lemon": "KCR DCC LDT Avg. OCR PS Avg. ST CL Avg. TA TIR FCP Avg. VS KT Avg. Overall",
    "vira_bench": "AI BE CR Avg SR CA CF Avg SC OP Avg All",
    "instructionbench": "FSP PSR ISR SS SSR OES OAR OIR CG-overall FG-overall Overall",
    "video_mmlu": "Overall Avg. Math Physics Chemistry Avg. Math Physics Chemistry",
}


def row(table, name, condition="default"):
    return next(row for row in table.own if row.name == name and row.condition == condition)


@pytest.mark.parametrize("benchmark", HEADINGS)
def test_the_columns_are_the_paper_s_in_its_order(made, benchmark):
    shown = [column.heading.replace(" ", "-") for column in made()[benchmark].columns]
    assert shown == HEADINGS[benchmark].split()


def test_every_group_of_the_results_has_a_cell_with_its_numbers(made, entries):
    table = made()["vira_bench"]
    result = entries("one")["vira_bench"]["result"]
    cells = row(table, "random:1").cells
    expected = {"overall": result} | result["groupings"]["layer"]["by_group"]
    subtasks = result["groupings"]["subtask"]["by_group"]
    expected |= {key: subtasks[key.partition("/")[2]] for key in cells if "/" in key}
    assert len(cells) == len(expected) == 1 + 3 + 8
    for key, part in expected.items():
        assert cells[key].value == part["accuracy"], key
        assert cells[key].interval == tuple(part["interval"]), key
        assert (cells[key].n, cells[key].n_scored) == (part["n"], part["n_scored"]), key


def test_means_of_means_are_the_official_ones_and_have_no_interval(made, entries):
    table, found = made()["lemon"], entries("one")
    cells = row(table, "random:1").cells
    official = {task.partition(":")[2]: found[task]["result"] for task in found if task.startswith("lemon:")}
    for key in ("SP", "OR", "AC", "IP"):
        assert cells[key].value == official[key]["official"]["value"]
        assert cells[key].interval is None
    assert cells["AE/VS"].value == official["VS"]["official"]["value"] / 100
    assert cells["AE/KT"].value == official["KT"]["official"]["value"] / 10
    assert cells["AE"].value == pytest.approx((cells["AE/VS"].value + cells["AE/KT"].value) / 2)
    outer = [cells[key].value for key in ("SP", "OR", "AC", "TA", "IP", "AE")]
    assert cells["overall"].value == pytest.approx(sum(outer) / 6)
    assert not cells["overall"].partial


@pytest.mark.parametrize("benchmark", SHAPES)
def test_published_rows_are_the_paper_s_figures_and_no_others(made, benchmark):
    table = made()[benchmark]
    known = {(figure.model, figure.group, figure.value) for figure in published(benchmark)}
    papers = [row for row in table.rows if row.published]
    assert papers and not any(cell.best for row in papers for cell in row.cells.values())
    for one in papers:
        for key, cell in one.cells.items():
            assert (one.name, key, cell.printed) in known
    first = SHAPES[benchmark].tables[0]
    models = {figure.model for figure in published(benchmark) if figure.table == first}
    assert models <= {row.name for row in papers}


def test_no_published_row_is_there_if_not_wanted(made):
    assert not any(row.published for table in made(with_published=False).values() for row in table.rows)


def test_ablations_of_the_paper_stand_beside_ablations_alone(made, results):
    runs = read_runs([results / "two"])
    assert {row.published for row in made("two")["vira_bench"].rows} == {"", "Table 2"}
    [run] = runs
    given = json.loads(json.dumps(run.entries["vira_bench"]))
    given["record"]["evidence"] |= {"frames": "none", "subtitles": True}
    [table] = tables([replace(run, entries={"vira_bench": given})], all_tasks())
    assert row(table, "random:2", "asr_only")
    assert {row.published for row in table.rows} == {"", "Table 2", "Table 3"}
    conditions = {row.condition for row in table.rows if row.published == "Table 3"}
    assert conditions == {"transcript only", "1 fps; visual shuffle+fixed transcript"}


def test_the_best_is_the_highest_of_the_user_s_whole_rows(made):
    table = made()["vira_bench"]
    whole = [one for one in table.own if one.name != "random:3"]
    for key in {key for one in table.own for key in one.cells}:
        values = [one.cells[key].value for one in whole if key in one.cells]
        marked = [one.cells[key].value for one in table.own if key in one.cells and one.cells[key].best]
        assert set(marked) == ({max(values)} if max(values) > min(values) else set()), key


def test_a_single_row_is_not_the_best(made):
    assert not any(cell.best for table in made("two").values() for row in table.own for cell in row.cells.values())


def test_samples_do_not_compete_with_results(results):
    real, sample = read_runs([results / "one", results / "two"])
    real = replace(real, entries={"vira_bench": {**real.entries["vira_bench"], "sample": False}})
    best = json.loads(json.dumps(sample.entries["vira_bench"]))
    best["result"]["accuracy"] = best["result"]["official"]["value"] = 1.0
    [table] = tables([real, replace(sample, entries={"vira_bench": best})], all_tasks())
    assert not any(cell.best for one in table.own for cell in one.cells.values())


def test_a_part_of_a_benchmark_is_marked_so(made):
    part = row(made()["lemon"], "random:3")
    assert part.cells["overall"].partial and part.cells["SP"].partial
    assert any("not run: OR, AC, TA" in why for why in part.partial)
    assert any("not all asked and judged: lemon:SP" in why for why in part.partial)
    assert any("random:3, default: in part only" in remark for remark in made()["lemon"].remarks)
    other = row(made()["lemon"], "random:2")  # all of one task
    assert other.cells["overall"].partial and not other.cells["SP"].partial


def test_what_makes_rows_hard_to_compare_is_said(made, results):
    first, second = read_runs([results / "one", results / "two"])
    changed = {**second.entries["vira_bench"]}
    changed["signature"] = changed["signature"].replace("protocol:strict", "protocol:answered")
    found = tables([first, replace(second, entries={"vira_bench": changed})], all_tasks())
    remarks = next(table.remarks for table in found if table.benchmark == "vira_bench")
    assert any("protocol differs (random:1: strict; random:2: answered)" in remark for remark in remarks)


def test_a_defect_of_the_paper_is_a_remark(made):
    figure = next(figure for figure in published("lemon") if figure.table == "2" and figure.defect)
    assert any(figure.model in remark and figure.defect in remark for remark in made()["lemon"].remarks)


def test_answers_to_a_hidden_split_have_a_row_without_scores(results):
    [run] = read_runs([results / "two"])
    entry = json.loads(json.dumps(run.entries["mmou"]))
    entry["result"] = {"n": 5, "n_chosen": 4, "not_scored": {"hidden_gold": 4, "unparsed": 1}}
    [table] = tables([replace(run, entries={"mmou_hidden": entry})], all_tasks(), with_published=False)
    assert table.own[0].condition == "hidden" and table.own[0].cells == {}
    assert table.own[0].tasks[0].value is None


def test_a_group_that_the_paper_does_not_have_gets_a_column(results):
    [run] = read_runs([results / "two"])
    entry = json.loads(json.dumps(run.entries["vira_bench"]))
    groups = entry["result"]["groupings"]["subtask"]["by_group"]
    groups["XX"] = groups.pop("AI")
    [table] = tables([replace(run, entries={"vira_bench": entry})], all_tasks(), with_published=False)
    assert table.columns[-1].key == "other/XX"
    assert table.own[0].cells["other/XX"].value == groups["XX"]["accuracy"]


def test_two_folders_of_one_model_have_two_names(results, tmp_path):
    shutil.copytree(results / "two", tmp_path / "again")
    assert [run.name for run in read_runs([results / "two", tmp_path / "again"])] == [
        "random:2 (two)",
        "random:2 (again)",
    ]


def test_a_folder_is_read_once(results):
    assert len(read_runs([results / "two", results / "two" / "scores.json"])) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "holds no scores.json"),
        ("{", "cannot be read"),
        ('{"tasks": {}}', "holds no task"),
        ('{"tasks": {"mmou": {}}}', "mmou has no result, record, signature, sample"),
        ("[]", "cannot be read"),
        (
            json.dumps(
                {"tasks": {"t": {"result": {}, "record": {"benchmark": '"><b'}, "signature": "", "sample": False}}}
            ),
            "is of a benchmark",
        ),
    ],
)
def test_what_is_no_results_folder_is_said(tmp_path, text, expected):
    if text is not None:
        (tmp_path / "scores.json").write_text(text)
    with pytest.raises(ChalkbenchError, match=expected):
        read_runs([tmp_path])

"""Pictures: which there are, and that they show the tables' numbers and nothing of the data as markup."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from chalkbench.report import items
from chalkbench.report.drawing import MOST, Series, grouped_bars
from chalkbench.report.pictures import pictures
from chalkbench.report.reading import read_runs
from chalkbench.report.tables import tables
from chalkbench.tasks import all_tasks


def drawn(runs, benchmark, data=None):
    """{title: picture} of a benchmark."""
    made = tables(runs, all_tasks(), with_published=False)
    rows, asked = items.read(runs, made, data=data)
    table = next(table for table in made if table.benchmark == benchmark)
    return {picture.title: picture for picture in pictures(table, rows, asked)}


def words(svg: str) -> list[str]:
    return [text.strip() for text in ElementTree.fromstring(svg).itertext() if text.strip()]


def test_one_condition_has_no_picture_of_what_evidence_changes(results):
    assert "Evidence" not in drawn(read_runs([results / "two"]), "vira_bench")
    shown = drawn(read_runs([results / "one"]), "instructionbench")["Evidence"]
    assert {"CG overall", "FG overall", "Overall", "random:1, blind"} <= set(words(shown.svg))


def test_several_lengths_of_videos_have_a_picture_and_one_has_none(results, sample_data):
    [run] = read_runs([results / "two"])
    assert "Length of the video" not in drawn([run], "mmou", data=[sample_data])
    entry = json.loads(json.dumps(run.entries["mmou"]))
    groups = entry["result"]["groupings"]["duration"]["by_group"]
    groups[">30 min"] = groups["10-20 min"] = groups["<5 min"]
    shown = drawn([replace(run, entries={"mmou": entry})], "mmou")["Length of the video"]
    found = [word for word in words(shown.svg) if "min" in word]
    assert found == ["<5 min", "10-20 min", ">30 min"]


def test_labels_are_compared_with_an_even_choice_where_the_options_are_known(results, sample_data):
    runs = read_runs([results / "two"])
    assert not any("even choice" in word for word in words(drawn(runs, "vira_bench")["Chosen labels"].svg))
    shown = drawn(runs, "vira_bench", data=[sample_data])["Chosen labels"]
    assert "even choice among 4" in words(shown.svg)


def test_replies_that_could_not_be_read_are_in_the_picture(results):
    shown = drawn(read_runs([results / "hostile"]), "vira_bench")["How replies were read"]
    assert "not: unparsed" in words(shown.svg)


def test_more_rows_than_can_be_told_apart_are_left_out_and_said(results):
    [run] = read_runs([results / "two"])
    many = [replace(run, name=f"model {number}") for number in range(MOST + 2)]
    shown = drawn(many, "mmou")["Scores"]
    assert shown.note.endswith(f"The first {MOST} of {MOST + 2} rows.")
    assert f"model {MOST - 1}" in words(shown.svg) and f"model {MOST}" not in words(shown.svg)


@pytest.mark.parametrize("name", ['<b id="x">&amp;--></b>', "$\\frac{1}{0}$", "]]>", "ab\ncd"])
def test_names_are_text_in_a_picture(name):
    svg = grouped_bars([name], [Series(name, [50.0], [(40.0, 60.0)])], axis="percent", name="p")
    root = ElementTree.fromstring(svg)
    assert not any(element.tag.endswith("}b") for element in root.iter())
    assert set(name.split()) <= set(" ".join(root.itertext()).split())


def test_bars_are_as_long_as_the_values():
    svg = grouped_bars(["a", "b"], [Series("m", [20.0, 80.0])], axis="percent", name="p")
    paths = re.findall(r'<path d="M ([\d.]+) [\d.]+ \nL ([\d.]+) [\d.]+ \n[^"]*" clip[^>]*var\(--c1\)', svg)
    short, long = sorted(abs(float(right) - float(left)) for left, right in paths if left != right)[-2:]
    assert long / short == pytest.approx(4, rel=0.01)


def test_a_value_that_is_not_there_has_no_bar():
    svg = grouped_bars(["a", "b"], [Series("m", [20.0, None])], axis="percent", name="p")
    more = grouped_bars(["a", "b"], [Series("m", [20.0, 20.0])], axis="percent", name="p")
    assert svg.count("var(--c1)") == more.count("var(--c1)") - 1

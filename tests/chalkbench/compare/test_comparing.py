"""`chalkbench compare` on runs of the samples: what is counted and printed, one line for what cannot be compared."""

import json
import shutil
from itertools import pairwise

import pytest

from chalkbench.benchmarks.layout import read_rows
from chalkbench.cli import main

LETTERS = "ABCDEFGHIJ"


@pytest.fixture(scope="module")
def runs(sample_data, tmp_path_factory):
    """Results folders: `one` and `two` guess differently; `gold` is right throughout, `poor` in every other question,
    leaves out five of VIRA-Bench, and says nothing that can be read in three."""
    folder = tmp_path_factory.mktemp("runs")

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([*map(str, arguments), "--data", str(sample_data)])
        assert end.value.code in (0, 3)

    for name, model in (("one", "random"), ("two", "random:1")):
        tasks = "mmou,vira_bench,vira_bench_stem_options" + (",instructionbench" if name == "one" else "")
        run("eval", model, tasks, "--output", folder / name)
    rows = list(read_rows(sample_data / "vira_bench", "default", "test"))
    for name, step in (("gold", 1), ("poor", 2)):
        lines = []
        for place, row in enumerate(rows[: None if name == "gold" else -5]):
            right = row["answer_index"] if place % step == 0 else (row["answer_index"] + 1) % len(row["options"])
            unread = name == "poor" and place in (2, 4, 6)
            lines.append({"id": row["id"], "answer": "I cannot say." if unread else LETTERS[right]})
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
        run("score", folder / f"{name}.jsonl", "vira_bench", "--output", folder / name)
    return folder


@pytest.fixture
def compare(cli, sample_data):
    """`chalkbench compare … --format json`, read."""

    def run(*arguments, data=True):
        given = ("--data", sample_data) if data else ()
        code, out, err = cli("compare", *arguments, "--format", "json", *given)
        assert code == 0, err
        return json.loads(out)

    return run


def fault(result) -> str:
    code, out, err = result
    assert code == 1 and out == ""
    [line] = err.splitlines()
    assert line.startswith("chalkbench: ")
    return line


def test_two_models_are_compared_on_every_task_that_both_were_asked(compare, runs):
    found = compare(runs / "one", runs / "two")
    assert found["names"] == ["random", "random:1"] and found["sample"]
    assert [(one["task"], one["n"], one["left_out"]) for one in found["tests"]] == [
        ("mmou", 45, 0),
        ("vira_bench", 20, 0),
        ("vira_bench_stem_options", 20, 0),
    ]
    assert any("left out: instructionbench" in remark for remark in found["remarks"])
    for test in found["tests"]:
        for side, name in (("first", "one"), ("second", "two")):
            entry = json.loads((runs / name / "scores.json").read_text())["tasks"][test["task"]]["result"]
            assert test[f"mean_{side}"] == pytest.approx(entry["accuracy"])
            assert test[f"interval_{side}"] == pytest.approx(entry["interval"])
        assert test["difference"] == pytest.approx((test["only_second"] - test["only_first"]) / test["n"])


def test_groups_are_the_task_s_own_and_those_of_the_layout(compare, runs):
    found = compare(runs / "one", runs / "two")
    of_vira = {one["grouping"] for one in found["groups"] if one["task"] == "vira_bench"}
    assert of_vira == {"layer", "subtask", "duration", "evidence"}
    layers = [one for one in found["groups"] if (one["task"], one["grouping"]) == ("vira_bench", "layer")]
    assert [one["group"] for one in layers] == ["ICR", "OEG", "SRM"] and sum(one["n"] for one in layers) == 20
    assert all(one["p"] is None and one["why"] for one in layers if one["only_first"] + one["only_second"] < 6)
    bare = compare(runs / "one", runs / "two", data=False)
    assert {one["grouping"] for one in bare["groups"] if one["task"] == "vira_bench"} == {"layer", "subtask"}
    assert any("no layout is here" in remark for remark in bare["remarks"])
    only = compare(runs / "one", runs / "two", "--by", "layer,skill")
    assert {one["grouping"] for one in only["groups"]} == {"layer", "skill"}


def test_missing_and_unread_answers_are_told_and_the_protocol_decides(compare, runs):
    [test] = compare(runs / "gold", runs / "poor")["tests"]
    # right in 0, 8, 10, 12, 14 of 15; 2, 4 and 6 are unread and count as wrong
    assert (test["n"], test["left_out"], test["only_first"], test["only_second"]) == (15, 5, 10, 0)
    assert (test["mean_first"], test["mean_second"]) == (1.0, pytest.approx(1 / 3))
    assert test["p"] == pytest.approx(2 / 2**10)
    answered = compare(runs / "gold", runs / "poor", "--protocol", "answered")
    assert (answered["tests"][0]["n"], answered["tests"][0]["left_out"]) == (12, 8)
    poor = next(side for side in answered["sides"] if side["side"] == "poor")
    assert poor["left_out"] == {"no_answer": 5, "unparsed": 3} and (poor["n"], poor["n_valued"]) == (20, 12)


def test_shuffled_options_are_compared_by_content(compare, runs):
    found = compare(runs / "one", runs / "two")
    shared = dict(found["shared"])
    files = [(runs / name / "answers/vira_bench.jsonl").read_text().splitlines() for name in ("one", "two")]
    first, second = ({line["id"]: line for line in map(json.loads, lines)} for lines in files)
    wrong = [id for id in first if first[id]["value"] == second[id]["value"] == 0]
    same = sum(first[id]["option"] == second[id]["option"] for id in wrong)
    assert (shared["vira_bench"]["n"], shared["vira_bench"]["same"]) == (len(wrong), same)
    side = next(one for one in found["sides"] if (one["task"], one["side"]) == ("vira_bench", "random:1"))
    letters = [line["choice"] for line in second.values()]
    assert side["labels"]["counts"] == {letter: letters.count(letter) for letter in "ABCD"}
    assert side["labels"]["gold"] == {
        letter: sum(line["option_order"].index(line["gold"]) == place for line in second.values())
        for place, letter in enumerate("ABCD")
    }


def test_two_conditions_of_one_run_are_compared(compare, runs):
    place = runs / "one"
    found = compare(f"{place}:vira_bench", f"{place}:vira_bench_stem_options")
    assert found["names"] == ["vira_bench", "vira_bench_stem_options"]
    [test] = found["tests"]
    assert (test["task"], test["n"], test["p"]) == ("vira_bench", 20, None)
    assert not any("evidence:" in remark for remark in found["remarks"])  # that is what is compared
    assert found["changed"] == []  # who guesses does not look


def test_the_items_that_changed_are_shown_with_both_replies(compare, cli, runs):
    found = compare(runs / "gold", runs / "poor", "--items", "4")
    assert len(found["changed"]) == 4
    for change in found["changed"]:
        assert change["question"] and change["values"] == [1.0, 0.0] and change["options"][0] == change["gold"]
        assert change["options"][1] != change["gold"]
    assert compare(runs / "gold", runs / "poor", "--items", "0")["changed"] == []
    code, out, _ = cli("compare", runs / "gold", runs / "poor", "--items", "4")
    assert code == 0 and "Changed in vira_bench, gold → poor: 4 of 10" in out
    assert f"{found['changed'][0]['id']}: {found['changed'][0]['question']}" in out
    assert "SAMPLE, not a result" in out and "15 of 20" in out and "p: McNemar's exact test." in out


def test_many_sides_stand_against_the_first_or_all_against_all(compare, runs):
    places = [f"{runs / name}:vira_bench" for name in ("gold", "one", "two", "poor")]
    found = compare(*places)
    assert [(one["first"], one["second"]) for one in found["tests"]] == [
        ("gold", "random"),
        ("gold", "random:1"),
        ("gold", "poor"),
    ]
    assert {one["n_tests"] for one in found["tests"]} == {3}
    every = compare(*places, "--all-pairs", "--family", "all")
    assert len(every["tests"]) == 6
    tested = [one for one in every["tests"] + every["groups"] if one["p"] is not None]
    assert {(one["family"], one["n_tests"]) for one in tested} == {("all tests", len(tested))}
    assert all(one["p_adjusted"] >= one["p"] for one in tested)
    ordered = sorted(tested, key=lambda one: one["p"])
    assert all(a["p_adjusted"] <= b["p_adjusted"] for a, b in pairwise(ordered))
    swapped = compare(*reversed(places), "--all-pairs", "--family", "all")
    flip = {(one["second"], one["first"]): one for one in swapped["tests"]}
    for one in every["tests"]:
        other = flip[one["first"], one["second"]]
        assert one["p_adjusted"] == pytest.approx(other["p_adjusted"])
        assert one["difference"] == pytest.approx(-other["difference"])


def test_tasks_are_correlated_over_the_sides_from_three_on(compare, runs, tmp_path):
    assert compare(runs / "one", runs / "two")["correlations"] == []
    third = tmp_path / "third"
    shutil.copytree(runs / "two", third)
    found = compare(runs / "one", runs / "two", third)
    assert found["names"] == ["random (one)", "random:1 (two)", "random:1 (third)"]
    pairs = [(a, b) for a, b, _ in found["correlations"]]
    assert pairs == [
        ("mmou", "vira_bench"),
        ("mmou", "vira_bench_stem_options"),
        ("vira_bench", "vira_bench_stem_options"),
    ]
    assert all(one["n"] == 3 and one["spearman_p"] is None and one["why"] for *_, one in found["correlations"])


def test_markdown_and_files(cli, runs, tmp_path):
    code, out, _ = cli("compare", runs / "gold", runs / "poor", "--format", "markdown", "--by", "layer")
    assert code == 0 and "| vira\\_bench | gold → poor | 15 of 20 | 100.00 " in out and "| layer | ICR |" in out
    code, out, _ = cli("compare", runs / "gold", runs / "poor", "--output", tmp_path / "c.txt")
    assert code == 0 and out == f"comparison: {tmp_path / 'c.txt'}\n"
    assert "gold → poor" in (tmp_path / "c.txt").read_text()


def test_files_of_scored_answers_are_compared_wherever_they_lie(compare, runs, tmp_path):
    for name in ("gold", "poor"):
        shutil.copy(runs / name / "answers/vira_bench.jsonl", tmp_path / f"{name}.jsonl")
    found = compare("gold.jsonl", "poor.jsonl")
    assert found["names"] == ["gold", "poor"] and found["tests"][0]["only_first"] == 10
    mixed = compare(f"{runs / 'gold'}:vira_bench", "poor.jsonl")
    assert mixed["tests"][0]["only_first"] == 10 and mixed["tests"][0]["task"] == "vira_bench"


def test_a_file_of_answers_stands_for_its_task(compare, runs):
    found = compare(runs / "one/answers/mmou.jsonl", runs / "two/answers/mmou.jsonl")
    assert [one["task"] for one in found["tests"]] == ["mmou"] and found["names"] == ["random", "random:1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["one"], "give two results or more"),
        (["one", "one"], "the same results are named twice"),
        (["one", "nowhere"], "nowhere: there is no such file or folder"),
        (["one:mmou", "two:vira_bench"], "these are not the same questions (mmou: mmou test/test"),
        (["one:mmuo", "two:mmou"], "has no task mmuo: it holds"),
        (["one:mmou", "two:vira_bench", "gold"], "gold: name its task as well"),
        (["one:mmou", "gold:vira_bench_x"], "has no task vira_bench_x"),
        (["gold.jsonl", "poor.jsonl"], "line 1: is no scored answer"),
        (["one", "two", "--by", "layers"], "--by layers: these results can be grouped by"),
        (["one", "two", "--test", "t"], "--test t: expected one of exact"),
        (["one", "two", "--family", "f"], "--family f: expected one of grouping"),
        (["one", "two", "--protocol", "p"], "--protocol p: expected one of strict"),
        (["one", "two", "--data", "nowhere"], "no data folder nowhere"),
    ],
)
def test_what_cannot_be_compared_is_one_line(cli, runs, monkeypatch, arguments, said):
    monkeypatch.chdir(runs)
    assert said in fault(cli("compare", *arguments))


def test_results_of_other_releases_or_rules_are_compared_and_told(compare, runs, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(runs / "poor", other)
    scores = json.loads((other / "scores.json").read_text())
    record = scores["tasks"]["vira_bench"]["record"]
    record |= {"release": "f" * 64, "model": "other", "evidence_name": "no-frames", "rule": "option_accuracy(exact)"}
    (other / "scores.json").write_text(json.dumps(scores))
    remarks = "\n".join(compare(runs / "poor", other)["remarks"])
    assert "vira_bench: not the same release: poor " in remarks and "other ffffffffffff" in remarks
    assert "not the same rule" in remarks and "not the same evidence" in remarks


def test_results_of_two_protocols_need_one_to_be_chosen(cli, runs, tmp_path):
    shutil.copytree(runs / "poor", tmp_path / "other")
    scores = json.loads((tmp_path / "other/scores.json").read_text())
    scores["tasks"]["vira_bench"]["record"] |= {"protocol": "answered", "model": "other"}
    (tmp_path / "other/scores.json").write_text(json.dumps(scores))
    assert "answered and strict: choose with --protocol" in fault(cli("compare", runs / "poor", "other"))
    assert cli("compare", runs / "poor", "other", "--protocol", "strict")[0] == 0


def test_hidden_answers_cannot_be_compared(cli, runs, sample_data):
    for name in ("h1", "h2"):
        assert cli("eval", "random", "mmou_hidden", "--data", sample_data, "--output", name)[0] == 0
    assert "mmou_hidden: the right answers are hidden" in fault(cli("compare", "h1", "h2"))

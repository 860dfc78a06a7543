"""Printed tables: what stands beside a score."""

import io

from rich.console import Console

from chalkbench.table import print_scores


def part(accuracy, n=4, n_scored=3, **not_scored):
    return {
        "accuracy": accuracy,
        "n": n,
        "n_scored": n_scored,
        "interval": [0.1, 0.9] if accuracy is not None else None,
        "not_scored": not_scored,
    }


def entry(*, sample=False, official="micro", judge=None, **result):
    groupings = {"domain": {"by_group": {"[b]Sports": part(0.5), "Food": part(None, n_scored=0)}, "macro": 0.5}}
    return {
        "sample": sample,
        "signature": "benchmark:mmou|split:test|" + "x" * 300,
        "result": part(2 / 3, unparsed=1) | {"main": "accuracy", "top": 1.0, "groupings": groupings} | result,
        "remarks": ["2 videos [of 9] are missing"],
        "record": {"official": official, "judge": judge, "protocol": "strict", "n": 4, "n_total": 4},
    }


def printed(entries, by=()):
    stream = io.StringIO()
    print_scores(entries, title="omni", by=by, console=Console(file=stream, width=160))
    return stream.getvalue()


def test_a_score_stands_with_interval_counts_and_reasons():
    text = printed({"mmou": entry()})
    row = next(line for line in text.splitlines() if "mmou" in line)
    for piece in ("66.67*", "10.00 - 90.00", "3 / 4", "unparsed 1", "50.00 (domain)"):
        assert piece in row
    assert "SAMPLE" not in text


def test_the_official_score_is_marked_where_it_is_a_mean_over_groups():
    row = next(line for line in printed({"quiz": entry(official="domain")}).splitlines() if "quiz" in line)
    assert "66.67 " in row and "50.00* (domain)" in row


def test_a_sample_is_never_shown_as_a_result():
    assert "omni (SAMPLE, not a result)" in printed({"mmou": entry(sample=True)})
    assert printed({"mmou": entry(sample=True)}, by=["domain"]).count("SAMPLE, not a result") == 2


def test_the_signature_is_one_line():
    assert any(line == "mmou  " + entry()["signature"] for line in printed({"mmou": entry()}).splitlines())


def test_groups_are_shown_on_demand_and_their_names_are_no_markup():
    assert "Sports" not in printed({"mmou": entry()})
    text = printed({"mmou": entry()}, by=["domain"])
    assert "[b]Sports" in text and "mean of groups" in text
    assert next(line for line in text.splitlines() if "Food" in line).split("│")[2].strip() == "-"


def test_remarks_are_printed_as_they_are():
    assert "mmou: 2 videos [of 9] are missing" in printed({"mmou": entry()})


def test_the_judge_is_named_where_there_is_one():
    assert "Judge" not in printed({"mmou": entry()})
    assert "stand_in" in printed({"quiz": entry(judge={"judge": "stand_in(words, not a model)"})})


def test_a_hidden_split_shows_no_accuracy():
    hidden = entry()
    hidden["result"] = {"n": 6, "n_chosen": 5, "not_scored": {"hidden_gold": 5, "unparsed": 1}}
    row = next(line for line in printed({"mmou_hidden": hidden}).splitlines() if "mmou_hidden" in line)
    assert "hidden" in row and "5 chosen / 6" in row


def test_a_score_without_a_highest_value_is_shown_in_points():
    row = next(
        line for line in printed({"VS": entry(main="score", top=None, score=220.0)}).splitlines() if "VS" in line
    )
    assert "220.00 pt*" in row

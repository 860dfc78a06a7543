"""Nested results: groups, their order, and what settled a reply before it was read."""

from chalkbench.results import Item, flat, score
from chalkbench.tasks import mmou, video_mmlu

MMOU, QUIZ = mmou.TASKS[0], video_mmlu.TASKS[0]


def item(id="q", gold=0, reply="A", **more):
    groups = {"domain": ["Food"], "duration": ["<5 min"], "skill": ["Counting", "Needle"], "none": ["absent"]}
    return Item(id, "Which?", ["red", "green"], gold, "", **{"groups": groups, "reply": reply} | more)


def in_bucket(*names):
    return [item(str(place), groups={"duration": [name]}) for place, name in enumerate(names)]


def test_ranges_stand_in_their_own_order():
    buckets = [">30 min", "10-20 min", "<5 min", "20-30 min", "5-10 min"]
    result = score(in_bucket(*buckets), task=MMOU)
    assert list(result["groupings"]["duration"]["by_group"]) == [
        "<5 min",
        "5-10 min",
        "10-20 min",
        "20-30 min",
        ">30 min",
    ]


def test_a_question_counts_under_each_of_its_skills():
    result = score([item("a"), item("b", gold=1, groups={"skill": ["Counting"]})], task=MMOU)
    skills = result["groupings"]["skill"]
    assert (skills["by_group"]["Counting"]["accuracy"], skills["by_group"]["Needle"]["accuracy"]) == (0.5, 1.0)
    assert skills["macro"] == 0.75 and result["accuracy"] == 0.5


def test_groups_of_one_name_in_two_groupings_are_kept_apart():
    groups = {"domain": ["Counting"], "skill": ["Counting=much"]}
    result = score([item(groups=groups)], task=MMOU)
    assert list(result["groupings"]["domain"]["by_group"]) == ["Counting"]
    assert list(result["groupings"]["skill"]["by_group"]) == ["Counting=much"]


def test_micro_and_macro_are_both_there_and_the_official_one_is_named():
    result = score([item("a"), item("b"), item("c", gold=1, groups={"domain": ["Sports"]})], task=MMOU)
    assert (result["accuracy"], result["groupings"]["domain"]["macro"]) == (2 / 3, 0.5)
    assert result["official"] == {"name": "micro", "value": 2 / 3}


def test_the_rule_that_settled_a_vote_is_kept():
    result = score([item(reply="", status="unparsed", rule="tie"), item("b", rule="vote")], task=MMOU)
    assert [one["rule"] for one in result["items"]] == ["tie", "vote"]


def test_the_protocol_decides_the_denominator():
    items = [item("a"), item("b", reply="who knows"), item("c", reply="", status="media_missing")]
    strict, answered = (score(items, task=MMOU, protocol=protocol) for protocol in ("strict", "answered"))
    assert (strict["accuracy"], answered["accuracy"]) == (0.5, 1.0)
    assert "counted as wrong: 1 unparsed; left out: 1 media_missing" in strict["denominator"]


def test_numbers_for_lighteval_leave_out_what_has_no_value():
    result = score([item(status="media_missing", reply="")], task=MMOU)
    assert "accuracy" not in flat(result) and "macro:domain" not in flat(result)
    assert flat(result)["not_scored:media_missing"] == 1.0


def test_open_ended_answers_wait_for_a_judge():
    asked = Item("q", "Why?", [], -1, "Because.", {"discipline": ["Math"]}, reply="Because.")
    result = score([asked], task=QUIZ)
    assert result["not_scored"] == {"not_judged": 1} and result["official"]["value"] is None

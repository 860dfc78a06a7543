import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.scoring.rubric_score import CRITERIA, RUBRIC, asking, grades, rubric_prompt, score_grades
from chalkbench.scoring.stand_in import stand_in_reply

GOOD = '{"correctness": 5, "completeness": 4, "faithfulness": 5, "clarity": 4}'
BAD = "Correctness: 1/5\n- **Completeness**: 0\nFaithfulness (0-5): 3\n| clarity | 4 |"
ITEM = {
    "reply": "The goal counts.",
    "question": "Why?",
    "reference": "It is given.",
    "caption": "A match.",
    "status": None,
}


def graded(*verdicts):
    return grades(["a reply"] * len(verdicts), verdicts, answers=["an answer"] * len(verdicts))


def judged_by(items, says):
    dialogue = asking(items)
    prompts = next(dialogue)
    with pytest.raises(StopIteration) as end:
        dialogue.send([says(prompt) for prompt in prompts])
    return prompts, end.value.value


def test_the_prompt_holds_all_that_the_benchmark_gives_its_judge_and_says_that_it_is_ours():
    prompt = rubric_prompt("Why {x}?", "It is given.", "<think>Hm.</think>It {caption} counts.", " A match. ")
    for part in (
        "video:\nA match.\n\n",
        "Question: Why {x}?\n",
        "answer: It is given.\n",
        "Response: It {caption} counts.\n",
    ):
        assert part in prompt.user
    assert "Hm." not in prompt.user
    assert all(f"- {name}: " in prompt.system for name in CRITERIA)
    assert not RUBRIC.published
    assert "(none is given)" in rubric_prompt("Why?", "x", "y", "").user


def test_one_call_gives_all_four_and_their_mean():
    good, bad = graded(GOOD, BAD)
    assert good.criteria == {"correctness": 5, "completeness": 4, "faithfulness": 5, "clarity": 4}
    assert (good.outcome.value, bad.outcome.value) == (4.5, 2.0)
    result = score_grades([good, bad])
    assert (result["score"], result["correctness"], result["clarity"], result["scale"]) == (3.25, 3.0, 4.0, [0, 5])


@pytest.mark.parametrize(
    ("verdict", "rule"),
    [
        ('{"correctness": 5, "completeness": 4, "faithfulness": 5}', "clarity:unreadable"),
        (GOOD.replace("5,", "6,", 1), "correctness:out_of_range"),
        (GOOD.replace('"clarity": 4', '"clarity": -1'), "clarity:out_of_range"),
        (GOOD.replace('"clarity": 4', '"clarity": "good"'), "clarity:unreadable"),
        (GOOD[:40], "faithfulness:unreadable"),
        ("[ERROR] 5", "correctness:unreadable"),
        ("{}", "correctness:unreadable"),
        ("", "correctness:empty"),
        (None, "correctness:empty"),
        ("<think>" + GOOD, "correctness:empty"),
        ("All criteria: 5/5", "correctness:unreadable"),
    ],
)
def test_a_verdict_without_all_four_is_a_failure_of_the_judge_that_names_what_it_lacks(verdict, rule):
    one = graded(verdict)[0]
    assert (one.outcome.value, one.outcome.status, one.outcome.rule, one.criteria) == (None, "judge_failed", rule, {})


def test_an_empty_reply_is_0_for_each_criterion_under_strict_and_left_out_under_answered():
    items = grades(["a reply", "", "<think>so"], [GOOD, GOOD, None], answers=["x"] * 3)
    strict, answered = score_grades(items), score_grades(items, protocol="answered")
    assert (strict["score"], strict["clarity"], strict["n_counted"]) == (1.5, pytest.approx(4 / 3), 3)
    assert (answered["score"], answered["clarity"], answered["n_counted"]) == (4.5, 4.0, 1)
    assert strict["not_scored"] == {"truncated_reasoning": 1, "unparsed": 1}


def test_groups_have_the_four_means_too():
    result = score_grades(graded(GOOD, BAD), groups=["Film", ["Film", "News"]])
    assert (result["by_group"]["Film"]["correctness"], result["by_group"]["News"]["correctness"]) == (3.0, 1.0)
    assert result["macro"] == (3.25 + 2.0) / 2


def test_only_items_with_a_reply_and_a_reference_are_asked_about():
    items = [ITEM | {"reply": ""}, ITEM, ITEM | {"reference": ""}, ITEM | {"status": "decode_error", "reply": None}]
    prompts, verdicts = judged_by(items, lambda _: GOOD)
    assert len(prompts) == 1
    assert verdicts == [None, GOOD, None, None]
    assert grades(["a"], [None], answers=[""])[0].outcome.status == "hidden_gold"


def test_an_item_without_a_caption_is_asked_about_all_the_same():
    item = {name: value for name, value in ITEM.items() if name != "caption"}
    assert "(none is given)" in judged_by([item, ITEM | {"caption": None}], lambda _: GOOD)[0][1].user


def test_the_stand_in_gives_all_four():
    _, verdicts = judged_by([ITEM | {"reply": "It is given."}, ITEM | {"reply": "Rain."}], stand_in_reply)
    assert [one.outcome.value for one in grades(["a", "b"], verdicts, answers=["x", "x"])] == [5.0, 0.0]


def test_lists_of_different_lengths_are_named():
    with pytest.raises(ValueError, match="2 replies, 1 verdicts, 2 answers"):
        grades(["a", "b"], [GOOD], answers=["x", "x"])


@given(st.lists(st.one_of(st.none(), st.text(max_size=80), st.sampled_from([GOOD, BAD, GOOD[:50]])), max_size=8))
def test_whatever_a_judge_says_every_item_is_a_grade_on_the_scale_or_a_counted_failure(verdicts):
    result = score_grades(graded(*verdicts))
    assert result["n"] == len(verdicts) == result["n_scored"] + result["not_scored"].get("judge_failed", 0)
    assert all(result[name] is None or 0 <= result[name] <= 5 for name in ("score", *CRITERIA))
    if result["score"] is not None:
        assert result["score"] == pytest.approx(sum(result[name] for name in CRITERIA) / 4)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.scoring.judge_prompts import UNPUBLISHED
from chalkbench.scoring.stand_in import stand_in_reply
from chalkbench.scoring.summary_score import SUMMARY, as_item, asking, score_summaries, summaries, summary_prompt

TERMS = {"key_terms": ["spring", "elastic energy", "stiffness", "stretch"]}
ITEM = {
    "reply": "<think>Hm.</think>The elastic energy of Springs.",
    "question": "Summarise {this}.",
    "reference": "A spring stores energy.",
    "status": None,
    **TERMS,
}


def drive(asking_of_rule, answer):
    """What a judge that always says `answer` is asked, and the verdicts."""
    prompts = next(asking_of_rule)
    with pytest.raises(StopIteration) as done:
        asking_of_rule.send([answer] * len(prompts))
    return prompts, done.value.value


def test_the_score_is_seven_tenths_rating_and_three_tenths_key_terms():
    [one] = summaries([ITEM["reply"]], [TERMS], ["Score: 8"])
    assert one.outcome.value == pytest.approx(0.7 * 10 * 8 + 0.3 * 100 * 2 / 4)
    assert (one.found, one.missed) == (("spring", "elastic energy"), ("stiffness", "stretch"))


def test_the_count_as_printed_has_no_upper_end():
    [one] = summaries(["spring, elastic energy, stiffness, stretch"], [TERMS], ["10"], variant="count")
    assert one.outcome.value == pytest.approx(70 + 0.3 * 100 * 4)


@pytest.mark.parametrize("verdict", [None, "", "11", "80/100", "{}", "[ERROR] 8", "8-9/10"])
def test_a_judge_without_a_rating_on_the_scale_is_a_failure_and_no_grade(verdict):
    result = score_summaries(summaries([ITEM["reply"]] * 2, [TERMS] * 2, ["Score: 10", verdict]))
    assert (result["score"], result["n_counted"], result["not_scored"]) == (85.0, 1, {"judge_failed": 1})
    assert (result["judge"], result["key_terms"]) == (10.0, 0.5)


def test_a_reply_that_failed_is_0_in_all_three_numbers_under_strict():
    graded = summaries([ITEM["reply"], "", "<think>so"], [TERMS] * 3, ["Score: 9", "Score: 9", None])
    strict, answered = (score_summaries(graded, protocol=protocol) for protocol in ("strict", "answered"))
    assert (strict["score"], strict["judge"], strict["key_terms"]) == (pytest.approx(26), 3.0, pytest.approx(0.5 / 3))
    assert strict["not_scored"] == {"truncated_reasoning": 1, "unparsed": 1}
    assert (answered["score"], answered["judge"], answered["n_counted"]) == (pytest.approx(78), 9.0, 1)


def test_an_item_without_key_terms_is_hidden_gold_and_not_asked():
    graded = summaries(["a summary"], [{"key_terms": ["", " "]}], ["10"])
    assert graded[0].outcome.status == "hidden_gold"
    assert drive(asking([{**ITEM, "key_terms": []}]), "10") == ([], [None])


def test_groups_have_numbers_of_their_own():
    graded = summaries([ITEM["reply"], "nothing"], [TERMS] * 2, ["10", "0"])
    result = score_summaries(graded, groups=["Physics", ["Physics", "Biology"]])
    assert result["by_group"]["Biology"]["judge"] == 0
    assert result["by_group"]["Physics"]["key_terms"] == 0.25
    assert result["macro"] == pytest.approx((42.5 + 0) / 2)


def test_only_what_has_a_reply_is_asked_and_verdicts_come_back_at_their_places():
    items = [ITEM, {**ITEM, "reply": " "}, {**ITEM, "status": "media_missing"}, {**ITEM, "reply": "short"}]
    prompts, verdicts = drive(asking(items), "Score: 5")
    assert len(prompts) == 2
    assert verdicts == ["Score: 5", None, None, "Score: 5"]


def test_nothing_to_ask_is_an_empty_list_and_no_error():
    assert drive(asking([]), "") == ([], [])


def test_the_prompt_holds_references_and_reply_and_says_that_its_wording_is_ours():
    prompt = summary_prompt(ITEM)
    assert "Task: Summarise {this}.\n" in prompt.user
    assert "A spring stores energy." in prompt.user
    assert "spring; elastic energy; stiffness; stretch" in prompt.user
    assert "<summary>\nThe elastic energy of Springs.\n</summary>" in prompt.user
    assert "Hm." not in prompt.user
    assert SUMMARY.source.startswith(UNPUBLISHED)


def test_without_a_reference_summary_the_prompt_says_so_and_the_stand_in_compares_terms():
    prompt = summary_prompt({**ITEM, "reference": ""})
    assert "Reference summary:\n(not given)" in prompt.user
    assert stand_in_reply(prompt) == "Score: 4"


def test_items_say_which_terms_were_missed():
    item = as_item(summaries([ITEM["reply"]], [TERMS], ["x"])[0])
    assert (item["status"], item["value"], item["key_terms"]) == ("judge_failed", None, 0.5)
    assert item["missed"] == ["stiffness", "stretch"]


def test_lists_of_different_lengths_and_unknown_variants_are_errors():
    with pytest.raises(ValueError, match="1 replies, 2 references"):
        summaries(["a"], [TERMS] * 2, ["8"])
    with pytest.raises(ValueError, match="variant 'mean'"):
        summaries(["a"], [TERMS], ["8"], variant="mean")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "a spring", "stiffness and stretch of springs", "<think>"]),
            st.sampled_from([None, "11", "0", "3.5", "{'score': 7}", "10/10"]),
        )
    ),
    st.sampled_from(["strict", "answered"]),
)
def test_the_score_is_always_the_sum_of_its_two_parts(pairs, protocol):
    graded = summaries([reply for reply, _ in pairs], [TERMS] * len(pairs), [verdict for _, verdict in pairs])
    result = score_summaries(graded, protocol=protocol)
    if result["score"] is None:
        assert (result["judge"], result["key_terms"], result["n_counted"]) == (None, None, 0)
    else:
        assert result["score"] == pytest.approx(7 * result["judge"] + 30 * result["key_terms"])
        assert 0 <= result["score"] <= 100

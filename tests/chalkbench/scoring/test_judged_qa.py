import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.scoring.judged_qa import (
    QUIZ,
    QUIZ_SETTINGS,
    asking,
    fault_of,
    judge_prompt,
    judgements,
    outcomes,
    quiz_prompt,
)
from chalkbench.scoring.judgement import score_judgements
from chalkbench.scoring.scores import score_outcomes
from chalkbench.scoring.stand_in import stand_in_reply


def test_the_prompt_holds_question_answer_and_reply_and_the_papers_example():
    prompt = quiz_prompt("What role does {x} play?", "It initiates transcription", "<think>Hm.</think>It binds.")
    assert "Question: What role does {x} play?\n" in prompt.user
    assert "Correct Answer: It initiates transcription\n" in prompt.user
    assert "Predicted Answer: It binds.\n" in prompt.user
    assert prompt.user.endswith("your response should look like this: {'pred': 'yes', 'score': 4.8}.")
    assert "Hm." not in prompt.user
    assert QUIZ.published
    assert QUIZ_SETTINGS.temperature == 0 and QUIZ_SETTINGS.max_tokens == 32


def test_a_judge_that_gives_no_verdict_is_counted_and_never_a_grade():
    verdicts = ["{'pred': 'yes', 'score': 5}", "{'pred': 'no', 'score': 0}", "{}", "[ERROR] 1", None]
    graded = outcomes(["a reply"] * 5, verdicts)
    assert [one.value for one in graded] == [1.0, 0.0, None, None, None]
    result = score_outcomes(graded)
    assert (result["accuracy"], result["n"], result["n_counted"]) == (0.5, 5, 2)
    assert result["not_scored"] == {"judge_failed": 3}


def test_a_score_outside_the_scale_is_no_verdict():
    assert outcomes(["a reply"], ["{'pred': 'yes', 'score': 90}"])[0].status == "judge_failed"


def test_an_empty_reply_is_wrong_under_strict_whatever_the_judge_says():
    graded = outcomes(["", "a reply"], ["{'pred': 'yes', 'score': 5}"] * 2)
    result = score_outcomes(graded)
    assert (result["accuracy"], result["not_scored"]) == (0.5, {"unparsed": 1})
    assert score_outcomes(graded, protocol="answered")["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("reply", "fault"), [("", "unparsed"), ("<think>so", "truncated_reasoning"), ("<think>a</think>b", None)]
)
def test_what_need_not_go_to_the_judge(reply, fault):
    assert fault_of(reply) == fault


@pytest.mark.parametrize(
    ("answer", "reply", "says"),
    [
        ("It is 47 grams.", "the mass is 47 grams", "{'pred': 'yes', 'score': 5}"),
        ("It is 47 grams.", "the mass is 12 grams", "{'pred': 'no', 'score': 2}"),
        ("", "anything", "{'pred': 'no', 'score': 0}"),
    ],
)
def test_the_stand_in_compares_words(answer, reply, says):
    assert stand_in_reply(quiz_prompt("Which mass?", answer, reply)) == says


ITEM = {"reply": "47 grams", "question": "Which mass?", "reference": "It is 47 grams.", "status": None}


def answered(items, texts, **options):
    """(prompts, verdicts) of a dialogue with a judge that says `texts`."""
    dialogue = asking(items, **options)
    prompts = next(dialogue)
    with pytest.raises(StopIteration) as end:
        dialogue.send(texts(prompts))
    return prompts, end.value.value


def test_only_items_with_a_reply_and_a_reference_are_asked_about_and_verdicts_keep_their_place():
    items = [
        ITEM | {"reply": ""},
        ITEM,
        ITEM | {"status": "media_missing", "reply": None},
        ITEM | {"reference": ""},
        ITEM | {"reply": "<think>so"},
        ITEM | {"status": "scored"},
    ]
    prompts, verdicts = answered(items, lambda asked: [f"verdict {place}" for place in range(len(asked))])
    assert len(prompts) == 2
    assert verdicts == [None, "verdict 0", None, None, None, "verdict 1"]


def test_nothing_to_judge_still_returns_a_verdict_an_item():
    assert answered([ITEM | {"reply": " "}], lambda asked: [])[1] == [None]


def test_a_benchmark_has_its_own_prompt_and_says_whether_it_is_published():
    prompt = judge_prompt(
        "What next?", "Whisk the eggs", "{answer} <think>x</think>whisk", benchmark="instructionbench"
    )
    assert "Correct answer: Whisk the eggs\n" in prompt.user
    assert "Predicted answer: {answer} whisk\n" in prompt.user
    assert prompt.user != quiz_prompt("What next?", "Whisk the eggs", "whisk").user
    with pytest.raises(ValueError, match="video_mmlu, instructionbench"):
        judge_prompt("", "", "", benchmark="mmou")


def test_official_drops_from_the_denominator_what_the_released_code_cannot_read():
    verdicts = [
        "{'pred': 'yes', 'score': 5}",
        "```{'pred': 'yes', 'score': 5}```",
        "Yes.",
        "{'pred': 'no', 'score': 1}",
    ]
    strict = score_judgements(judgements(["a reply"] * 4, verdicts))
    official = score_judgements(judgements(["a reply"] * 4, verdicts, variant="official"))
    assert (strict["accuracy"], strict["n_counted"], strict["not_scored"]) == (0.75, 4, {})
    assert (official["accuracy"], official["n_counted"], official["not_scored"]) == (0.5, 2, {"judge_failed": 2})
    with pytest.raises(ValueError, match="strict, official"):
        judgements([], [], variant="loose")


def test_the_mean_score_counts_a_fault_as_0_and_leaves_out_verdicts_without_a_score():
    judged = judgements(["a", "b", "", "d"], ["{'pred': 'yes', 'score': 4}", "Yes.", None, None])
    result = score_judgements(judged, groups=["x", "x", "y", "y"])
    assert (result["mean_score"], result["n_mean_score"], result["n_counted"]) == (2.0, 2, 3)
    assert result["by_group"]["x"]["mean_score"] == 4 and result["by_group"]["y"]["mean_score"] == 0
    assert result["macro_score"] == 2.0


def test_an_answer_that_is_hidden_is_no_failure_of_the_judge():
    judged = judgements(["a reply"], [None], answers=[" "])
    assert judged[0].outcome.status == "hidden_gold"
    assert judgements(["a reply"], [None], answers=[""], statuses=["decode_error"])[0].outcome.status == "decode_error"


def test_lists_of_different_lengths_are_named():
    with pytest.raises(ValueError, match="2 replies, 1 verdicts"):
        judgements(["a", "b"], ["yes."])


@given(st.lists(st.one_of(st.none(), st.text(max_size=60), st.sampled_from(["yes.", "{'pred': 'no', 'score': 9}"]))))
def test_whatever_a_judge_says_every_item_is_a_grade_or_a_counted_failure(verdicts):
    for variant in ("strict", "official"):
        result = score_judgements(judgements(["a reply"] * len(verdicts), verdicts, variant=variant))
        assert result["n"] == len(verdicts) == result["n_scored"] + result["not_scored"].get("judge_failed", 0)
        assert result["accuracy"] is None or 0 <= result["accuracy"] <= 1
        assert result["mean_score"] is None or 0 <= result["mean_score"] <= 5

import pytest

from chalkbench.scoring.judged_qa import QUIZ, QUIZ_SETTINGS, fault_of, outcomes, quiz_prompt
from chalkbench.scoring.options import score_outcomes
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

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.scoring.stand_in import stand_in_reply
from chalkbench.scoring.vdc_score import (
    CAPTION,
    EXTRACT,
    VARIANTS,
    asking,
    caption_item,
    compare_prompt,
    extract_prompt,
    judgements,
    score_captions,
)

QUESTIONS = [
    {"question": "What colour is the board?", "answer": "Green"},
    {"question": "Who speaks?", "answer": "A man"},
]
YES, NO = "{'pred': 'yes', 'score': 5}", "{'pred': 'no', 'score': 1}"


def item(reply="The board is green. A man speaks.", questions=QUESTIONS, status=None):
    return {"reply": reply, "questions": questions, "status": status}


def judged_by(items, first, second, **options):
    """(prompts of the first stage, of the second, verdicts) of a dialogue with two functions of a prompt."""
    dialogue = asking(items, **options)
    extract = next(dialogue)
    compare = dialogue.send([first(prompt) for prompt in extract])
    with pytest.raises(StopIteration) as end:
        dialogue.send([second(prompt) for prompt in compare])
    return extract, compare, end.value.value


def test_the_prompts_are_the_papers_with_everything_filled_in():
    first = extract_prompt("<think>Hm {x}.</think>A {green} board.", "What colour?")
    assert first.user.startswith("Please provide accurate answers to questions related to the content")
    assert "detailed description: A {green} board.\n\nquestion: What colour?\n" in first.user
    assert "Answer the question only based on the detailed description." in first.system
    second = compare_prompt("What colour?", "Green", "Dark green")
    assert "Correct Answer: Green\nPredicted Answer: Dark green\n" in second.user
    assert "1. For OCR-related questions:\n- Perform a strict letter-by-letter comparison." in second.system
    assert "2. For non-OCR-related questions:\n- Focus on the meaningful match" in second.system
    assert EXTRACT.published and CAPTION.published


def test_the_paper_asks_at_temperature_0_and_the_released_code_at_08():
    settings = {
        name: (one.extract.temperature, one.extract.max_tokens, one.judge.max_tokens) for name, one in VARIANTS.items()
    }
    assert settings == {"paper": (0.0, 64, 32), "official_code": (0.8, 64, 32)}
    extract, compare, _ = judged_by([item()], lambda _: "green", lambda _: YES, variant="official_code")
    assert {prompt.settings.temperature for prompt in extract + compare} == {0.8}
    with pytest.raises(ValueError, match="paper, official_code"):
        next(asking([item()], variant="mine"))


def test_a_caption_with_k_questions_is_asked_2k_prompts_and_verdicts_keep_their_place():
    items = [
        item(reply=""),
        item(),
        item(status="media_missing", reply=None),
        item(questions=[]),
        item(questions=QUESTIONS[1:]),
    ]
    extract, compare, verdicts = judged_by(
        items, lambda prompt: f"re: {prompt.fields['question']}", lambda prompt: f"on: {prompt.fields['reply']}"
    )
    assert len(extract) == len(compare) == 3
    assert verdicts == [
        [None, None],
        ["on: re: What colour is the board?", "on: re: Who speaks?"],
        [None, None],
        [],
        ["on: re: Who speaks?"],
    ]


def test_the_judge_never_sees_the_caption_and_the_assistant_never_the_answer():
    extract, compare, _ = judged_by([item(reply="SECRET caption")], lambda _: "nothing", lambda _: NO)
    assert not any("SECRET" in prompt.user + prompt.system for prompt in compare)
    assert not any("Green" in prompt.user + prompt.system for prompt in extract)


def test_a_failed_first_stage_is_not_judged_and_no_grade():
    _, compare, verdicts = judged_by(
        [item()], lambda prompt: None if "colour" in prompt.fields["question"] else "A man", lambda _: YES
    )
    assert len(compare) == 1
    assert verdicts == [[None, YES]]
    result = score_captions(judgements(["A caption."], [QUESTIONS], verdicts))
    assert (result["accuracy"], result["n_counted"], result["not_scored"]) == (1.0, 1, {"judge_failed": 1})


def test_an_assistant_that_finds_nothing_is_judged_and_one_that_was_cut_off_is_not():
    _, compare, verdicts = judged_by(
        [item()], lambda prompt: "" if "colour" in prompt.fields["question"] else "<think>so", lambda _: NO
    )
    assert [prompt.fields["reply"] for prompt in compare] == [""]
    assert verdicts == [[NO, None]]


def test_the_questions_of_an_empty_caption_are_each_wrong_under_strict():
    judged = judgements(["", "<think>so", "A caption."], [QUESTIONS] * 3, [[], [], [YES, NO]])
    result = score_captions(judged)
    assert (result["n"], result["n_captions"], result["n_counted"], result["accuracy"]) == (
        6,
        3,
        6,
        pytest.approx(1 / 6),
    )
    assert result["not_scored"] == {"truncated_reasoning": 2, "unparsed": 2}
    assert score_captions(judged, protocol="answered")["accuracy"] == 0.5


def test_a_reason_goes_for_all_questions_of_its_caption():
    judged = judgements(["", ""], [QUESTIONS, []], [[], []], statuses=["media_missing", None])
    assert score_captions(judged)["not_scored"] == {"hidden_gold": 1, "media_missing": 2}


def test_a_question_without_an_answer_is_neither_asked_nor_graded():
    questions = [{"question": "What?", "answer": " "}, QUESTIONS[0]]
    extract, _, verdicts = judged_by([item(questions=questions)], lambda _: "green", lambda _: YES)
    assert len(extract) == 1
    assert [one.outcome.status for one in judgements(["A caption."], [questions], verdicts)[0]] == [
        "hidden_gold",
        "scored",
    ]


def test_the_released_code_drops_what_is_no_python_dictionary():
    verdicts = [["```\n" + YES + "\n```", NO]]
    assert score_captions(judgements(["A caption."], [QUESTIONS], verdicts))["accuracy"] == 0.5
    official = score_captions(judgements(["A caption."], [QUESTIONS], verdicts, variant="official_code"))
    assert (official["accuracy"], official["not_scored"]) == (0.0, {"judge_failed": 1})


def test_a_group_is_given_a_caption_and_counts_questions():
    judged = judgements(["a", "b"], [QUESTIONS, QUESTIONS[:1]], [[YES, NO], [YES]])
    result = score_captions(judged, groups=["Math", "Physics"])
    assert {name: (part["n"], part["accuracy"], part["mean_score"]) for name, part in result["by_group"].items()} == {
        "Math": (2, 0.5, 3.0),
        "Physics": (1, 1.0, 5.0),
    }
    assert (result["macro"], result["macro_score"]) == (0.75, 4.0)
    with pytest.raises(ValueError, match="1 groups for 2 captions"):
        score_captions(judged, groups=["Math"])


def test_a_caption_is_the_share_of_yes_among_its_judged_questions():
    whole, nothing = judgements(["a", ""], [[*QUESTIONS, QUESTIONS[0]]] * 2, [[YES, NO, "?"], []])
    assert caption_item(whole)["value"] == 0.5
    assert [one["status"] for one in caption_item(whole)["questions"]] == ["scored", "scored", "judge_failed"]
    assert (caption_item(nothing)["value"], caption_item(nothing)["status"]) == (None, "unparsed")


def test_verdicts_that_do_not_fit_the_questions_are_an_error_that_says_where():
    with pytest.raises(ValueError, match="caption 1: 1 verdicts for 2 questions"):
        judgements(["a", "b"], [QUESTIONS] * 2, [[YES, NO], [YES]])
    with pytest.raises(ValueError, match="1 verdicts"):
        judgements(["a", "b"], [QUESTIONS] * 2, [[YES, NO]])


def test_the_stand_in_answers_both_stages():
    items = [item(), item(reply="A cat sleeps.")]
    _, compare, verdicts = judged_by(items, stand_in_reply, stand_in_reply)
    assert [prompt.fields["reply"] for prompt in compare] == ["The board is green.", "A man speaks.", "", ""]
    result = score_captions(judgements([one["reply"] for one in items], [QUESTIONS] * 2, verdicts))
    assert (result["accuracy"], result["n_scored"]) == (0.5, 4)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "<think>so", "A caption.", "{question} A caption."]),
            st.integers(0, 4),
            st.sampled_from([None, None, "media_missing"]),
        ),
        max_size=6,
    ),
    st.lists(
        st.sampled_from([None, "", "yes.", YES, "{'pred': 'no', 'score': 90}", "<think>"]), min_size=1, max_size=5
    ),
)
def test_every_question_comes_back_as_one_outcome_whatever_the_judge_says(captions, says):
    items = [item(reply, (QUESTIONS * 2)[:number], status) for reply, number, status in captions]
    extract, compare, verdicts = judged_by(
        items, lambda prompt: says[len(prompt.user) % len(says)], lambda prompt: says[len(prompt.user) % len(says)]
    )
    assert (
        len(compare)
        <= len(extract)
        == sum(len(one["questions"]) for one in items if one["status"] is None and "caption" in one["reply"])
    )
    assert [len(row) for row in verdicts] == [len(one["questions"]) for one in items]
    judged = judgements(
        [one["reply"] for one in items],
        [one["questions"] for one in items],
        verdicts,
        statuses=[one["status"] for one in items],
    )
    result = score_captions(judged)
    assert result["n"] == sum(max(1, len(one["questions"])) for one in items)
    assert result["n"] == result["n_scored"] + sum(Counter(result["not_scored"]).values())

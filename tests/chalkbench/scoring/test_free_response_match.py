import doctest
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.scoring import free_response_match
from chalkbench.scoring.free_response_match import answer_text, match, normalized, outcomes

MOVES = [
    "The teacher points at the word on the screen and waits for the student to read it.",
    "The teacher reads the whole sentence aloud before the student can try.",
    "The teacher asks the student to spell the word letter by letter.",
    "The student does not respond, and the teacher moves to the next slide.",
]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The **Teacher's** hint!", ["teacher", "hint"]),
        ("ＴＷＯ hints, 2 hints", ["2", "hint", "2", "hint"]),
        ("didn’t can't won't", ["did", "not", "cannot", "wo", "not"]),
        ("re-reads / well-known", ["re", "read", "well", "known"]),
        ("stopped stopping stops", ["stop", "stop", "stop"]),
        ("\\textbf{word}", ["word"]),
        ("老师指着单词", list("老师指着单词")),
        ("", []),
    ],
)
def test_words_are_compared_without_what_makes_no_difference(text, words):
    assert normalized(text) == words


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<think>B?</think> She waits.", "She waits."),
        ('{"answer": "She waits.", "confidence": 0.9, "reasoning": "x"}', "She waits."),
        ('```json\n{"Answer": "She waits."}\n```', "She waits."),
        ("Let me see.\n**Answer:** She waits.", "She waits."),
        ("Answer: no.\nFinal answer: She waits.", "She waits."),
        ("The answer to that is clear: she waits.", "The answer to that is clear: she waits."),
        ('{"answer": null}', '{"answer": null}'),
    ],
)
def test_the_answer_is_told_from_what_stands_around_it(reply, answer):
    assert answer_text(reply) == answer


@pytest.mark.parametrize(
    ("reply", "place", "step"),
    [
        (MOVES[2].upper(), 2, "same"),
        (f"I think that {MOVES[2]} That is what I saw.", 2, "contained"),
        ("Pointing to the word on screen, she waits for it to be read by the student.", 0, "closest"),
        ("The student is asked for the spelling, letter by letter.", 2, "closest"),
        ("There's no response so they go on to the next slide.", 3, "closest"),
        (f"Either {MOVES[0]} or {MOVES[1]}", None, "several"),
        (" ".join(MOVES), None, "several"),
        (f"It is not that {MOVES[0]}", None, "no_match"),
        (f"Not {MOVES[0]} Rather, the next slide comes without a response.", 3, "closest"),
        ("I do not know.", None, "no_match"),
        ("The teacher helps the student.", None, "no_match"),
        ("The word of the teacher.", None, "no_match"),
        ("A", None, "no_match"),
        ("Answer: (B)", None, "no_match"),
        ("你好", None, "no_match"),
        ("", None, "no_match"),
    ],
)
def test_a_reply_says_one_option_or_none(reply, place, step):
    assert match(reply, MOVES) == (place, step)


def test_exact_takes_an_option_word_by_word_alone():
    assert match("The student is asked for the spelling, letter by letter.", MOVES, variant="exact") == (
        None,
        "no_match",
    )
    assert match(f"Well, {MOVES[2]}", MOVES, variant="exact") == (2, "contained")
    with pytest.raises(ValueError, match="closest, exact"):
        match("x", MOVES, variant="loose")


def test_an_option_inside_another_does_not_count_beside_it():
    assert match("It is dark green today.", ["green", "dark green", "blue"]) == (1, "contained")
    assert match("It is green today.", ["green", "dark green", "blue"]) == (0, "contained")


def test_a_short_word_of_a_sentence_is_no_option():
    assert match("Without any doubt it is so.", ["no", "yes"]) == (None, "no_match")
    assert match("No", ["no", "yes"]) == (0, "same")


def test_options_that_say_the_same_match_neither():
    assert match("A hint.", ["A hint", "a hint!", "A pause"]) == (None, "several")


def reference(index=2, answer="", options=MOVES):
    return {"answer": answer, "options": options, "answer_index": index}


def test_a_reply_that_says_no_option_is_wrong_and_an_empty_one_unparsed():
    graded = outcomes(["I do not know.", "", "<think>so", MOVES[2]], [reference()] * 4)
    assert [(one.value, one.status, one.choice) for one in graded] == [
        (0.0, "scored", None),
        (None, "unparsed", None),
        (None, "truncated_reasoning", None),
        (1.0, "scored", "C"),
    ]


def test_without_an_index_the_option_that_reads_as_the_answer_is_right():
    graded = outcomes([MOVES[2]] * 2, [reference(-1, MOVES[2].lower()), reference(-1, "")])
    assert [(one.value, one.status) for one in graded] == [(1.0, "scored"), (None, "hidden_gold")]


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("He is moving to the next slide.", 1.0),
        ("The teacher moves on to the next slide quickly", 1.0),
        ("The teacher does not move to the next slide.", 0.0),
        ("A slide.", 0.0),
    ],
)
def test_without_options_the_answer_is_what_a_reply_must_say(reply, value):
    assert outcomes([reply], [reference(-1, "The teacher moves to the next slide.", [])])[0].value == value


def test_a_known_reason_stays_and_an_index_out_of_range_says_where():
    assert outcomes([""], [reference()], statuses=["media_missing"])[0].status == "media_missing"
    with pytest.raises(ValueError, match=r"item 1: answer_index 4 is outside -1\.\.3"):
        outcomes(["a", "b"], [reference(), reference(4)])
    with pytest.raises(ValueError, match="2 replies, 1 references"):
        outcomes(["a", "b"], [reference()])


@given(st.text(max_size=200), st.lists(st.text(max_size=40), max_size=6))
def test_any_reply_is_matched_with_one_option_of_the_list_or_none(reply, options):
    place, step = match(reply, options)
    assert place is None or 0 <= place < len(options)
    assert (place is None) == (step in ("several", "no_match"))


@given(st.sampled_from(MOVES), st.permutations(range(4)), st.text(alphabet="xyz ,.", max_size=20))
def test_the_order_of_the_options_decides_nothing(option, order, more):
    reply = f"{more} {option} {more}"
    place, _ = match(reply, [MOVES[at] for at in order])
    assert place is not None and MOVES[order[place]] == option


@pytest.mark.parametrize("piece", ["\n", " ", "{", "the ", "the answer ", "**", "teacher word "])
def test_a_long_reply_of_one_piece_is_read_to_its_end(piece):
    assert match(piece * 20_000, MOVES)[0] is None


def test_the_match_is_the_same_in_every_process():
    code = "from chalkbench.scoring.free_response_match import match; print(match('c d f g', ['b c d', 'd e f', 'h']))"
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_the_examples_say_what_is_true():
    result = doctest.testmod(free_response_match)
    assert result.attempted >= 4 and result.failed == 0

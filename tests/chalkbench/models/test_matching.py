import numpy as np
import pytest

from chalkbench.models import matching


def embed(texts):
    """Bags of words, so that the comparison itself can be followed by hand."""
    rows = np.zeros((len(texts), 512), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in matching.words(text):
            row[sum(map(ord, word)) % 512] += 1
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


SLIDES = ["Mass of the bob: 61 kilograms", "Length of the wire: 23 metres", "Period: 9.6 seconds"]


@pytest.mark.parametrize(
    ("spoken", "expected"),
    [
        ("forty seven grams", "47 grams"),
        ("a hundred and thirty six beads", "136 beads"),
        ("two hundred and ten minutes", "210 minutes"),
        ("forty five thousand two hundred", "45200"),
        ("nineteen sixty four", "1964"),
        ("twelve point five", "12.5"),
        ("zero point zero eight zero", "0.080"),
        ("one two three", "1 2 3"),
        ("twenty and thirty", "20 and 30"),
        ("three point", "3 point"),
        ("a dog and a hundred", "a dog and 100"),
        ("a thousand", "1000"),
        ("hundred", "hundred"),
        ("", ""),
    ],
)
def test_spoken_numbers_become_digits(spoken, expected):
    assert " ".join(matching.digits(spoken.split())) == expected


def test_speech_and_slide_agree_on_words():
    assert matching.words("Forty-seven grams, the bells!") == matching.words("47 gram: bell") == ["47", "gram", "bell"]
    assert matching.words("1,200 glass") == ["1200", "glass"]


def test_value_on_the_slide_is_chosen():
    options = ["23 kilograms", "84 kilograms", "61 kilograms"]
    choice = matching.choose("What is the mass of the bob?", options, SLIDES, embed)
    assert choice == (2, SLIDES[0])


def test_unit_that_all_options_share_says_nothing():
    shares = matching.overlap(["23 metres", "61 metres"], ["Length: 23 metres"])
    assert shares[0, 0] == 1 and shares[1, 0] < 0.4


def test_none_option_is_chosen_only_without_support():
    options = ["23 kilograms", "None of the options given", "84 kilograms"]
    assert matching.choose("What is the mass of the bob?", [*options, "61 kilograms"], SLIDES, embed).index == 3
    assert (
        matching.choose("How much did the teacher pay?", ["a crown", options[1], "a dollar"], SLIDES, embed).index == 1
    )


def test_without_evidence_some_option_is_chosen():
    assert matching.choose("What is it?", ["a bar", "it", "a ball"], [], embed).support == ""


def test_only_the_most_relevant_pieces_count():
    noise = [f"bob mass bob mass {number}" for number in range(matching.BEST_PIECES)]
    choice = matching.choose("What is the mass of the bob?", ["a trout", "a perch"], ["We ate a perch", *noise], embed)
    assert choice.support != "We ate a perch"


def test_open_question_gets_the_sentence_that_speaks_of_it():
    assert matching.supporting("How long is the wire?", SLIDES, embed) == SLIDES[1]
    assert matching.supporting("How long is the wire?", [], embed) == ""


def test_title_that_repeats_the_question_is_no_answer_while_there_is_another():
    assert matching.supporting("How long is the wire?", ["The long wire", *SLIDES], embed) == SLIDES[1]
    assert matching.supporting("How long is the wire?", ["The long wire"], embed) == "The long wire"


def test_speech_is_cut_into_sentences_and_pairs():
    pieces = matching.speech_pieces(["It is cold. The wire", "is long. Why?"])
    assert pieces == [
        "It is cold.",
        "The wire is long.",
        "Why?",
        "It is cold. The wire is long.",
        "The wire is long. Why?",
    ]
    assert matching.speech_pieces([]) == []

# ruff: noqa: E501
"""Options by their wording."""

import pytest

from chalkbench.scoring.option_text import Item, key


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The cell wall", "the cell-wall."),
        ("Newton’s law", "newton's law"),
        ("$x^2$", "x^{2}"),
        ("x²", "x^2"),
        ("E = mc^2", "E=mc²"),
        ("1,000", "1000"),
        ("15 m", "15m"),
        ("“Yes”", "yes"),
        ("Ｙｅｓ", "yes"),
        ("**bold** text", "bold  text"),
        ("an apple", "apple"),
    ],
)
def test_the_same_wording_has_the_same_key(one: str, two: str) -> None:
    assert key(one) == key(two)


@pytest.mark.parametrize(
    ("one", "two"), [("-3", "3"), ("3", "13"), ("3.5", "35"), ("x^2", "x^3"), ("C", "C++"), ("5%", "5")]
)
def test_different_values_keep_different_keys(one: str, two: str) -> None:
    assert key(one) != key(two)


def test_an_option_is_found_to_the_letter_before_its_key() -> None:
    assert Item(["(0, 1)", "[0, 1]"]).by_text("[0, 1]") == "B"
    assert Item(["us", "US"]).by_text("US") == "B"
    assert Item(["same", "same"]).by_text("same") is None
    assert Item(["A. red", "B. blue"]).by_text("blue") == "B"


def test_the_longest_option_takes_its_words() -> None:
    item = Item(["Nucleus", "Nucleus membrane", "Membrane"])
    assert [label for _, _, label in item.mentioned(key("the nucleus membrane"))] == ["B"]
    assert [label for _, _, label in item.mentioned(key("membrane and nucleus"))] == ["C", "A"]


def test_numbers_and_words_are_mentioned_whole() -> None:
    item = Item(["3", "13", "no", "cat"])
    assert item.mentioned("it is 13.5 or 130") == []
    assert [label for _, _, label in item.mentioned("there are 3, not 13")] == ["A", "B"]
    assert item.mentioned("a notice about a category") == []


@pytest.mark.parametrize(
    "text",
    ["None of the above", "none of these", "None", "No correct answer", "None of the options given", "neither", "以上都不是",
     "Keine der genannten", "Aucune de ces réponses", "Ninguna de las anteriores", "None of the listed options is correct"],
)  # fmt: skip
def test_none_of_these_means_the_items_own_option(text: str) -> None:
    assert Item(["red", "blue", "None of the options given"]).set_phrase(text) == (True, "C")
    assert Item(["red", "blue"]).set_phrase(text) == (True, None)


def test_none_of_some_others_is_not_none_of_these() -> None:
    for text in ("None of the other options", "None of this can be seen", "Nothing"):
        assert Item(["red", "None of these"]).set_phrase(text) == (False, None)


def test_labels_together_may_be_an_option() -> None:
    assert Item(["red", "blue", "Both A and B"]).combined(["A", "B"]) == "C"
    assert Item(["red", "blue", "green", "All of the above"]).combined(["A", "B", "C"]) == "D"
    assert Item(["red", "blue", "green", "All of the above"]).combined(["A", "B"]) is None

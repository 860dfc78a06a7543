"""Reading a reply: every labelled case, by its kind, and text that is made to be slow."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from chalkbench.scoring.reading import read_choice

CASES = Path(__file__).parents[2] / "cases"
CELL = ["The mitochondria", "The ribosome", "The nucleus", "The cell wall"]


def cases(name: str) -> list[dict]:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def by_kind() -> dict[str, list[dict]]:
    kinds = defaultdict(list)
    for case in cases("answers_more.jsonl"):
        kinds[case["kind"]].append(case)
    return kinds


KINDS = by_kind()


@pytest.mark.parametrize("case", cases("answers.jsonl"), ids=lambda case: f"{case['id']}")
def test_handed_case(case: dict) -> None:
    assert read_choice(case["reply"], case["options"]).choice == case["expect"]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_cases_of_a_kind(kind: str) -> None:
    read = {(case["reply"], case["expect"]): read_choice(case["reply"], case["options"]) for case in KINDS[kind]}
    assert {key: choice for key, choice in read.items() if key[1] != choice.choice} == {}


def test_there_are_many_cases_of_many_kinds() -> None:
    assert len(KINDS) > 30
    assert sum(map(len, KINDS.values())) > 1000


@pytest.mark.parametrize(
    ("reply", "choice", "rule"),
    [
        ("(B)", "B", "label"),
        ("B. The ribosome", "B", "label_and_text"),
        ("the ribosome.", "B", "option_text"),
        ('{"answer": "B", "why": "not A"}', "B", "field"),
        ("<answer>B</answer> as A is not shown", "B", "answer_tag"),
        ("so we get \\boxed{B} in the end", "B", "boxed"),
        ("A is drawn first. Answer: B", "B", "answer_line"),
        ("The answer is B, since A is not shown.", "B", "sentence"),
        ("I would choose B.", "B", "choice"),
        ("B is correct.", "B", "verdict"),
        ("It makes protein, so B.", "B", "conclusion"),
        ("Some text.\nB\nMore text.", "B", "label_line"),
        ("B), since it makes protein", "B", "opening_label"),
        ("Protein is made there: B", "B", "closing_label"),
        ("probably B, from what is drawn", "B", "hedged"),
        ("The clip fits option B", "B", "mentioned_label"),
        ("The lecturer points at the ribosome.", "B", "mentioned_text"),
        ("The answer is A or B.", None, "sentence"),
        ("The answer is A. Actually, no.", None, "retracted"),
        ("I cannot tell.", None, ""),
    ],
)
def test_the_rule_that_fired_is_returned(reply: str, choice: str | None, rule: str) -> None:
    read = read_choice(reply, CELL)
    assert (read.choice, read.rule) == (choice, rule)
    assert read.status == ("scored" if choice else "unparsed")


def test_cut_off_reasoning_has_a_status_of_its_own() -> None:
    assert read_choice("<think>It must be A because", CELL) == (None, "reasoning", "truncated_reasoning")
    assert read_choice("<think>It must be A</think>", CELL).status == "unparsed"


def test_an_answer_before_cut_off_reasoning_counts_if_it_is_explicit() -> None:
    assert read_choice("Answer: B\n<think>But what about C", CELL).choice == "B"
    assert read_choice("I like B. <think>But what about C", CELL).status == "truncated_reasoning"


def test_words_that_a_table_reader_takes_for_missing_are_text() -> None:
    for reply in ("None", "NA", "nan", "null", ""):
        assert read_choice(reply, CELL) == (None, read_choice(reply, CELL).rule, "unparsed")


def test_every_number_of_options_from_two_to_twenty_six_has_its_labels() -> None:
    for n in range(2, 27):
        options = [f"Thing {index}" for index in range(n)]
        last = chr(64 + n)
        assert read_choice(f"The answer is {last}.", options).choice == last
        assert n == 26 or read_choice(f"The answer is {chr(65 + n)}.", options).choice is None


def test_more_than_twenty_six_options_cannot_be_labelled() -> None:
    with pytest.raises(ValueError, match="27 options"):
        read_choice("A", ["x"] * 27)


def test_the_same_reply_means_what_its_item_says() -> None:
    assert read_choice("None of the above", [*CELL[:3], "None of these options"]).choice == "D"
    assert read_choice("None of the above", CELL).choice is None


HOSTILE = [
    "A, ",
    "A and ",
    "not A but ",
    "the answer is not A but ",
    "answer: ",
    "the answer is A or ",
    "{",
    '{"answer": ',
    '{"a": {"a": ',
    "[[",
    "<think>",
    "</think>",
    "<answer>A ",
    "\\boxed{",
    "\\text{",
    "**A** ",
    "$",
    "\n",
    "A\n",
    "A. The nucleus\n",
    "I think ",
    "so A ",
    "is correct ",
    "the nucleus or ",
    "答案是",
    "不是A",
    "（",
    "none of the ",
    " ",
    "\\",
    "'",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_long_hostile_text_is_read_to_its_end(unit: str) -> None:
    # A pattern that backtracks would not finish: each is read in about a second.
    text = unit * (100_000 // len(unit))
    read_choice(text, CELL)


def test_an_answer_after_a_very_long_reply_is_found() -> None:
    assert read_choice("So it goes on.\n" * 10_000 + "\n\nAnswer: B", CELL).choice == "B"
    assert read_choice("It goes on. " * 10_000 + "Thus the answer is (C).", CELL).choice == "C"

# ruff: noqa: E501
"""Properties that reading a reply keeps, whatever the text."""

from hypothesis import given
from hypothesis import strategies as st

from chalkbench.scoring.reading import read_choice

WRAPPERS = [
    "{}", "({})", "[{}]", "{{{}}}", "<{}>", '"{}"', "'{}'", "“{}”", "「{}」", "【{}】", "（{}）", "{}.", "{})", "{}:", "{}。", "*{}*",
    "**{}**", "***{}***", "__{}__", "`{}`", "${}$", "$${}$$", "\\({}\\)", "\\[{}\\]", "\\text{{{}}}", "\\textbf{{{}}}",
    "\\mathrm{{{}}}", "\\boxed{{{}}}", "<b>{}</b>", "[[{}]]", "```\n{}\n```", " {} ", "\n{}\n", "Option {}", "option ({})",
    "Answer: {}", "**Answer:** {}", "The answer is {}.", "The correct answer is ({}).", "<answer>{}</answer>",
    '{{"answer": "{}"}}', "答案是{}。", "<think>A or B?</think>\n{}",
]  # fmt: skip
# What may follow an answer line without touching it: no labels, no second answer, nothing taken back.
PROSE = [
    "The lecturer explains the slide in detail.", "This is shown at 2:10.", "Let me know if you need more.", "Thanks!",
    "The drawing on the left shows a cell.", "A student then asks a question.", "I hope this helps.", "See the second slide.",
    "The rest of the clip is about history.", "A lecture on cells is shown.", "It is a short clip of 30 seconds.",
]  # fmt: skip

sizes = st.integers(2, 26)
wrapper = st.sampled_from(WRAPPERS)


def options(n: int) -> list[str]:
    return [f"thing number {index}" for index in range(n)]


@st.composite
def items(draw) -> tuple[list[str], str]:
    n = draw(sizes)
    return options(n), chr(65 + draw(st.integers(0, n - 1)))


@given(items(), wrapper)
def test_a_wrapped_label_is_that_label(item: tuple[list[str], str], form: str) -> None:
    choices, label = item
    assert read_choice(form.format(label), choices).choice == label


@given(items(), wrapper, st.sampled_from(["{}", "({})", "**{}**", "{}."]))
def test_wrappers_nest(item: tuple[list[str], str], outer: str, inner: str) -> None:
    choices, label = item
    if outer not in ("{{{}}}", "<{}>"):  # "{**A**}" is no usual form
        assert read_choice(outer.format(inner.format(label)), choices).choice == label


@given(items(), st.lists(st.sampled_from(PROSE), max_size=6), st.lists(st.sampled_from(PROSE), max_size=6))
def test_prose_around_an_answer_line_does_not_alter_it(
    item: tuple[list[str], str], before: list[str], after: list[str]
) -> None:
    choices, label = item
    text = "\n".join([*before, f"Answer: {label}", *after])
    assert read_choice(text, choices).choice == label


@given(items(), st.sampled_from(["{}", "({})", "Answer: {}", "The answer is {}.", "\\boxed{{{}}}", "I choose {}."]))
def test_a_label_that_the_item_lacks_is_never_returned(item: tuple[list[str], str], form: str) -> None:
    choices, _ = item
    if len(choices) < 26:
        outside = chr(65 + len(choices))
        assert read_choice(form.format(outside), choices).choice is None


@given(items(), st.text(max_size=300))
def test_any_text_gives_a_label_of_the_item_or_none(item: tuple[list[str], str], text: str) -> None:
    choices, _ = item
    read = read_choice(text, choices)
    assert read.choice is None or read.choice in [chr(65 + index) for index in range(len(choices))]
    assert read.status in ("scored", "unparsed", "truncated_reasoning")
    assert (read.status == "scored") == (read.choice is not None)


SHARDS = ["A", "B", "(C)", "I", "answer", "Answer:", "is", "not", "or", "and", "so", "correct", "wrong", ".", ",", "\n", "{", "}", '"',
          "\\boxed{", "<think>", "</think>", "**", "thing number 1", "none of the above", "答案是", "不是", "but", "wait,", "?", "$"]  # fmt: skip


@given(items(), st.lists(st.sampled_from(SHARDS), max_size=40))
def test_shards_of_declarations_do_not_break_the_reader(item: tuple[list[str], str], shards: list[str]) -> None:
    choices, _ = item
    read = read_choice(" ".join(shards), choices)
    assert read.choice is None or ord(read.choice) - 65 < len(choices)


@given(items(), st.sampled_from(["The answer is not {}.", "{} is incorrect.", "I rule out {}.", "不是{}"]))
def test_a_denied_label_is_no_answer(item: tuple[list[str], str], form: str) -> None:
    choices, label = item
    assert read_choice(form.format(label), choices).choice is None


@given(
    st.integers(2, 25),
    st.data(),
    st.sampled_from(["{} or {}", "Answer: {} and {}", "The answer is {} or {}.", "\\boxed{{{}, {}}}"]),
)
def test_two_labels_together_are_no_answer(n: int, data: st.DataObject, form: str) -> None:
    one, two = data.draw(st.permutations(range(n)).map(lambda order: order[:2]))
    assert read_choice(form.format(chr(65 + one), chr(65 + two)), options(n)).choice is None


@given(items())
def test_reasoning_changes_nothing(item: tuple[list[str], str]) -> None:
    choices, label = item
    thought = "The answer is A. No, B. Answer: C"
    assert read_choice(f"<think>{thought}</think>The answer is {label}.", choices).choice == label
    assert read_choice(f"<think>{thought}", choices).choice is None


@given(items())
def test_an_option_is_named_by_its_text(item: tuple[list[str], str]) -> None:
    choices, label = item
    text = choices[ord(label) - 65]
    for reply in (
        text,
        text.upper(),
        f"**{text}**",
        f"The answer is {text}.",
        f"It shows {text}.",
        f"{label}. {text}",
    ):
        assert read_choice(reply, choices).choice == label

"""Replies: reasoning and template tokens are taken off, the answer text is kept."""

import pytest

from chalkbench.scoring.replies import fold, plain, strip_reasoning


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("B", "B"),
        ("<think>A?</think>\nB", "B"),
        ("<think>\n</think>\n\nB", "B"),
        ("<THINK>A</Think> B", "B"),
        ("<think budget=3>A</think>B", "B"),
        ("<thinking>A</thinking>B", "B"),
        ("<reasoning>A</reasoning>B", "B"),
        ("<reflection>A</reflection>B", "B"),
        ("<thought>A</thought>B", "B"),
        ("<scratchpad>A</scratchpad>B", "B"),
        ("[THINK]A[/THINK]B", "B"),
        ("◁think▷A◁/think▷B", "B"),
        ("<seed:think>A</seed:think>B", "B"),
        ("<|begin_of_thought|>A<|end_of_thought|>B", "B"),
        ("<|START_THINKING|>A<|END_THINKING|>B", "B"),
        ("<unused94>thought\nA<unused95>B", "B"),
        ("A, or perhaps C.</think>B", "B"),
        ("<think>A</thinking>B", "B"),
        ("<think>A <think> A</think>B", "B"),
        ("<think>A <think>A</think> A</think>B", "B"),
        ("<thinking>A<reflection>C</reflection>A</thinking>B", "B"),
        ("<think>A</think>B<think>C</think>", "B"),
        ("B <think/>", "B <think/>"),
        ("<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "B"),
        ("<|channel>thought\nA<channel|>B", "B"),
        ("analysisThe slide shows A.assistantfinalB", "B"),
        ("analysis\nA is near.\nfinal\nB", "B"),
        ("Here is my thought process: A. Here is my response: B", "B"),
        ("Analysis of the slide: B", "Analysis of the slide: B"),
        ("I think <b>B</b>", "I think <b>B</b>"),
        ("B<|im_end|>", "B"),
        ("<|im_start|>assistant\nB<|im_end|>\n<|im_start|>user\nC?", "B"),
        ("<s>B</s>", "B"),
        ("B</s></s>", "B"),
        ("Assistant: B", "B"),
        ("<think>so B</think>", ""),
        ("", ""),
    ],
)
def test_what_is_left_without_reasoning(reply: str, text: str) -> None:
    assert strip_reasoning(reply) == (text, False)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("<think>It must be A because", ""),
        ("<thinking>A</think> <think>B", ""),
        ("<reasoning>Answer: A", ""),
        ("[THINK]A", ""),
        ("◁think▷A", ""),
        ("<|begin_of_thought|>A", ""),
        ("<thinking>a <reflection>b</reflection> c", ""),
        ("<|channel|>analysis<|message|>A", ""),
        ("analysisThe slide shows A", ""),
        ("Here is my thought process: A", ""),
        ("Answer: B <think>or C", "Answer: B"),
    ],
)
def test_cut_off_reasoning_is_told(reply: str, text: str) -> None:
    assert strip_reasoning(reply) == (text, True)


def test_a_complete_answer_tag_at_the_end_shows_that_nothing_was_cut() -> None:
    assert strip_reasoning("<think>I lean to A. <answer>B</answer>") == ("<answer>B</answer>", False)
    assert strip_reasoning("<think>The form is <answer>A</answer>, so I") == ("", True)


def test_look_alike_characters_are_folded() -> None:
    assert fold("（Ｂ）：“Ｃ”　Ⓓ𝐄。") == '(B):"C" (D)E.'
    assert fold("\ufeffB\u200b") == "B"
    assert fold("Ответ: В") == "Ответ: B"
    assert fold("В лекции") == "В лекции"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("**Answer:** B", "Answer: B"),
        ("the answer is **B**", "the answer is (B)"),
        ("$B$", "(B)"),
        ("\\textbf{\\text{B}}", "(B)"),
        ("\\(x^2\\)", "x^2"),
        ("# B", "B"),
        ("~~A~~ B", "B"),
        ("2*3 and a_b", "2*3 and a_b"),
        ("```\nB\n```", "B"),
        ("<b>B</b>, not <i>A</i>", "(B), not (A)"),
    ],
)
def test_markup_is_dropped_and_a_marked_letter_stays_marked(text: str, bare: str) -> None:
    assert plain(text).strip() == bare

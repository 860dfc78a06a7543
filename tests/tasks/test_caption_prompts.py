import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from chalkbench.tasks.caption_prompts import CAPTION_PROMPTS, caption_prompt

PAPER = Path(__file__).parents[3] / "shared" / "papers" / "video_mmlu.txt"


def test_the_paper_prints_23_different_prompts():
    assert len(CAPTION_PROMPTS) == len(set(CAPTION_PROMPTS)) == 23
    assert CAPTION_PROMPTS[0].startswith("The images are given containing equally spaced video frames. Please imagine")
    assert CAPTION_PROMPTS[11:13] == (
        "Describe the video based on these frames in a few sentences.",
        "Explain the video using these frames.",
    )
    assert all(prompt == " ".join(prompt.split()) and prompt.endswith(".") for prompt in CAPTION_PROMPTS)


@pytest.mark.skipif(not PAPER.is_file(), reason="the paper's text is not beside the checkout")
def test_they_stand_in_the_paper_in_this_order_and_no_other_stands_between():
    section = PAPER.read_text(encoding="utf-8").split("\n11 More Details about the Evaluation Strategies\n")[1]
    section = section.split("\n12 Correctness Evaluation")[0]
    assert [line[2:] for line in section.splitlines() if line.startswith("• ")] == list(CAPTION_PROMPTS)


def test_a_prompt_is_drawn_by_item_and_seed_alone():
    code = "from chalkbench.tasks.caption_prompts import caption_prompt as c; print([c(str(i)) for i in range(40)])"
    here = [caption_prompt(str(item)) for item in range(40)]
    there = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True
    ).stdout
    assert there.strip() == str(here)
    assert here != [caption_prompt(str(item), seed=1) for item in range(40)]


def test_each_prompt_is_as_likely_as_another():
    drawn = Counter(caption_prompt(f"video-{item}", seed=3) for item in range(4600))
    assert set(drawn) == set(CAPTION_PROMPTS)
    assert 140 < min(drawn.values()) <= max(drawn.values()) < 265  # 200 expected, SD 14

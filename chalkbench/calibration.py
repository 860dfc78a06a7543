"""Replies with known verdicts, and how each rule asks about them: what a judge is checked with.

The set, `calibration.jsonl` beside this file, was written for it and holds no question of a benchmark. A line a case:
the rule whose own prompt is asked and whose own reader is used (`RULES`), the kind of difficulty, the texts, the
expected verdict and why.

What belongs here: the cases and their rules. What does not: asking and comparing (`judge_check.py`), and the prompts
and readers themselves (`chalkbench.scoring`).
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chalkbench.errors import ChalkbenchError
from chalkbench.scoring.judge_prompts import Prompt
from chalkbench.scoring.judged_qa import judge_prompt
from chalkbench.scoring.option_variants import extraction_prompt, read_extraction
from chalkbench.scoring.rubric_score import CRITERIA, HIGH, LOW, rubric_prompt
from chalkbench.scoring.summary_score import summary_prompt
from chalkbench.scoring.translation_score import translation_prompt
from chalkbench.scoring.vdc_score import compare_prompt
from chalkbench.scoring.verdicts import read_ratings, read_score, read_verdict

CALIBRATION = Path(__file__).with_name("calibration.jsonl")


@dataclass(frozen=True)
class Case:
    """A reply with a known verdict.

    rule: of `RULES`. kind: the difficulty (`paraphrase`, `wrong_value`, `partial`, `injection`, …).
    answer: the reference text ("" where there are options). options: of a multiple-choice question, else empty.
    source, language: of a translation, else "".
    expected: "yes" or "no", a label, "none", or (low, high), the band of a rating. why: in a few words.
    """

    id: str
    rule: str
    kind: str
    question: str
    answer: str
    reply: str
    expected: str | tuple[float, float]
    why: str
    options: tuple[str, ...] = ()
    source: str = ""
    language: str = ""

    @property
    def side(self) -> str:
        """What is expected, in a word: a judge that always says the same is right on one side only."""
        if isinstance(self.expected, tuple):
            return "a low grade" if self.expected[0] == 0 else "a high grade"
        return "an option" if self.options and self.expected != "none" else self.expected

    @property
    def item(self) -> dict[str, Any]:
        """The case as the rules' `asking` takes items."""
        texts = {"reply": self.reply, "question": self.question, "reference": self.answer}
        return texts | {"source": self.source, "language": self.language, "key_terms": [], "status": None}


@dataclass(frozen=True)
class Rule:
    """How a rule is asked about a case, and what its judge's reply says.

    prompt: case → what the judge is asked. read: (its reply, case) → the verdict or a rating; None = none.
    """

    prompt: Callable[[Case], Prompt]
    read: Callable[[str, Case], str | float | None]


def _yes_no(text: str, case: Case) -> str | None:
    correct = read_verdict(text).correct
    return None if correct is None else "yes" if correct else "no"


def _label(text: str, case: Case) -> str | None:
    read = read_extraction(text, case.options)
    return None if read.status == "judge_failed" else read.choice or "none"


def _correctness(text: str, case: Case) -> float | None:
    return read_ratings(text, CRITERIA, low=LOW, high=HIGH)["correctness"].value


def _rating(text: str, case: Case) -> float | None:
    return read_score(text).value


def _open_ended(case: Case) -> Prompt:
    return judge_prompt(case.question, case.answer, case.reply, benchmark="instructionbench")


def _compare(case: Case) -> Prompt:
    return compare_prompt(case.question, case.answer, case.reply)


# Video-MMLU asks one prompt about text on the screen and about meaning: two rules here, as it goes by two standards.
RULES: dict[str, Rule] = {
    "quiz": Rule(lambda case: judge_prompt(case.question, case.answer, case.reply), _yes_no),
    "caption_text": Rule(_compare, _yes_no),
    "caption_meaning": Rule(_compare, _yes_no),
    "open_ended": Rule(_open_ended, _yes_no),
    # of the four criteria the one whose grade is beyond dispute
    "rubric": Rule(lambda case: rubric_prompt(case.question, case.answer, case.reply, ""), _correctness),
    "summary": Rule(lambda case: summary_prompt(case.item), _rating),
    "translation": Rule(lambda case: translation_prompt(case.item), _rating),
    "option_extract": Rule(lambda case: extraction_prompt(case.question, case.options, case.reply), _label),
}


def load_cases(path: Path = CALIBRATION, *, rules: Sequence[str] | None = None) -> list[Case]:
    """The cases of a set. rules: those to keep; None = all.

    Raises ChalkbenchError for a rule that is not known, or for a line that is no case, naming the line.
    """
    unknown = sorted(set(rules or ()) - set(RULES))
    if unknown:
        raise ChalkbenchError(f"no such rule: {', '.join(unknown)}; known are {', '.join(RULES)}")
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            case = _case(json.loads(line))
        except (ValueError, TypeError, KeyError) as fault:
            raise ChalkbenchError(f"{path}, line {number}: no case ({fault})") from fault
        if rules is None or case.rule in rules:
            cases.append(case)
    return cases


def _case(record: dict[str, Any]) -> Case:
    case = Case(**record | {"options": tuple(record.get("options", ()))})
    if case.rule not in RULES:
        raise ValueError(f"rule {case.rule!r} is not one of {', '.join(RULES)}")
    if isinstance(case.expected, str):
        return case
    low, high = case.expected
    return Case(**vars(case) | {"expected": (float(low), float(high))})

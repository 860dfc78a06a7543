"""Lines that are a label, and lists of the options: the one is a declaration, the other is not.

What belongs here: declarations that are seen by their layout. What does not: sentences (`declarations.py`).
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from chalkbench.scoring.declarations import Said
from chalkbench.scoring.option_text import key
from chalkbench.scoring.values import Page, Value, W

# Matched at the beginning of a line, by `_at_lines`.
_BARE_LINE = re.compile(r"[ \t]*[(\[\"']{0,3}([A-Za-z])[)\]\"'.:,!*]{0,3}[ \t]*$", re.MULTILINE)
_LED_LINE = re.compile(
    r"[ \t]*(?:-[ ])?(?:(?:option|choice)[ ])?[(\[]?([A-Z])[)\]]?[ ]?(?:[.:)]|-(?= )|(?<=[)\]]))"
    r"[ \t]+(?=\S)(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_VERDICT_HINTS = ("wrong", "correct", "false", " no", ":no", "✗", "✘", "❌", "×")
_VERDICT_WORDS = frozenset(("true", "false", "yes", "no", "correct", "incorrect"))
_VERDICT = re.compile(
    rf"(?P<label>[A-Z])(?<![{W}].)[)\]]?[.:]?(?: ?[-=|])? ?"
    r"(?:(?P<right>(?i:correct|right|true|yes)|[✓✔✅☑])|(?i:incorrect|wrong|false|no)|[✗✘❌×])(?![A-Za-z])"
)
_TICKED = re.compile(
    rf"^[ \t|-]*(?:(?P<right>[✓✔✅☑]|\[[xX✓✔]\])|[✗✘❌×]|\[ ?\]) ?[(\[]?(?P<label>[A-Z])(?![{W}])", re.MULTILINE
)
_VERDICT_YES = re.compile(
    r"^\W*(?:this (?:option |one )?is )?(?:the )?(?:correct|right|true|yes)\b|(?:[-:(]"
    r"|is) ?(?:the )?(?:correct|right|true|yes)(?: answer)?\W*$|[✓✔✅☑]|正[确確]"
)
_VERDICT_NO = re.compile(
    r"\b(?:incorrect|wrong|false|not|no|isn't|doesn't|cannot|partially|partly)\b|n't|[✗✘❌×]|[错錯不]"
)


def _at_lines(page: Page, form: re.Pattern[str]) -> list[re.Match[str]]:
    """The lines of a form, if their label is one of the item's."""
    found, at = [], 0
    while True:
        line = form.match(page.text, at)
        if line and page.item.label(line[1]):
            found.append(line)
        at = page.text.find("\n", at) + 1
        if not at:
            return found


def _alone(page: Page) -> list[re.Match[str]]:
    """The lines that are no more than a label, without those that stand in a list of different ones."""
    bare = _at_lines(page, _BARE_LINE)
    listed = set()
    for one, two in pairwise(bare):
        if one[1].upper() != two[1].upper() and not page.text[one.end() : two.start()].strip():
            listed |= {one.start(), two.start()}
    return [line for line in bare if line.start() not in listed]


def lines(page: Page) -> Iterator[Said]:
    """Lines that are a label, or a label and its option's text; a list of the options is none."""
    for line in _alone(page):
        yield Said(line.start(), line.end(), line[1].upper(), "label_line")
    led = _at_lines(page, _LED_LINE)
    labels = {line[1].upper() for line in led}
    if len(labels) == 1 and page.item.by_text(led[-1]["rest"]) == led[-1][1].upper():
        yield Said(led[-1].start(), led[-1].end(), led[-1][1].upper(), "label_line")
    if len(labels) > 1:
        right = [line for line in led if _judged_right(page, line[1].upper(), line["rest"])]
        if len(right) == 1:
            yield Said(right[0].start(), right[0].end(), right[0][1].upper(), "verdict")
    yield from _verdicts(page)


def _verdicts(page: Page) -> Iterator[Said]:
    """The one option that a run of verdicts calls right: "A: wrong. B: correct. C: wrong."."""
    ticked = _TICKED.search(page.text)
    if not (ticked or any(hint in page.low for hint in _VERDICT_HINTS)) or _VERDICT_WORDS & set(page.item.keys):
        return
    form = _TICKED if ticked else _VERDICT
    judged = {m["label"]: m for m in form.finditer(page.text) if page.item.label(m["label"])}
    right = [m for m in judged.values() if m["right"]]
    if len(judged) > 1 and len(right) == 1:
        yield Said(right[0].start(), right[0].end(), right[0]["label"], "verdict")


def _judged_right(page: Page, label: str, rest: str) -> bool:
    """Whether a line of a list of options says of its option that it is the right one."""
    verdict, own = key(rest), page.item.keys[page.item.labels.index(label)]
    if own and verdict.startswith(own):
        verdict = verdict[len(own) :]
    marks = "".join(mark for mark in "✓✔✅☑✗✘❌×" if mark in rest)
    return bool(_VERDICT_YES.search(verdict + marks)) and not _VERDICT_NO.search(verdict + marks)


def is_list(page: Page, value: Value) -> bool:
    """Whether the passage goes on to list the options after a label that opens it."""
    labels = {line[1].upper() for line in _at_lines(page, _LED_LINE)}
    bare = {line[1].upper() for line in _at_lines(page, _BARE_LINE)} if not _alone(page) else set()
    return page.opens_list(value) or len(labels) > 1 or len(bare) > 1

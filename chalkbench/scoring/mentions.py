"""Mentions: a reply that declares nothing, but speaks of one option only.

What belongs here: the weakest readings. What does not: declarations of any kind (`declarations.py`).
"""

import re

from chalkbench.scoring import languages as words
from chalkbench.scoring.languages import Form
from chalkbench.scoring.option_text import key
from chalkbench.scoring.values import NOUN, REFUSAL, Page, Value, W

_NAMED = Form(NOUN, rf"[ :#]{{0,2}}[(\[\"']?[a-z](?![{W}'-])")
_BRACKETED = re.compile(r"[(\[][A-Z][)\]]|\x02.")
_ANY_NO = re.compile(
    r"\b(?:not|no|cannot|never|wrong|incorrect|unlikely|neither|nor|however|but|whether|if|false"
    r"|except|rather|instead|nicht|pas|não|non|не)\b|n't|eliminat|rule[sd]? out|不|错|錯|ない|아니|ليس"
)
_TEXT_DENIED = re.compile(
    rf"(?:(?<![{W}])(?:{words.NOT}|no|isn't|wasn't|aren't|nothing to do with|different from|if|whether"
    rf"|unless|as opposed to|confused with)"
    rf"|n't(?: (?:be|think it(?:'s| is)))?)\W{{1,2}}(?:(?:the|an?|it(?:'s| is| was)|in|on|at|from|about"
    rf"|to|be|really|exactly|just|by|of|with|any|at)[ ]){{0,3}}$"
)
# "does not mention the …", "never shows …"
_VERB_DENIED = re.compile(
    r"(?:\b(?:not|never)|n't) (?:have |be )?[a-z]{3,12} (?:(?:the|an?|any|about|in|on|to|at|of) ){0,3}$"
)
_CLAUSE_ASKS = re.compile(r"\b(?:if|whether|unless|nobody|no one|nothing)\b[^.,;!?]{0,60}$|\bneither\b[^.;!?]{0,120}$")
_TEXT_WRONG = re.compile(
    r"(?: (?:is|are|was|were|would be|seems?|looks?|can be))?(?: (?:also|clearly|both|all|the|an?"
    r"|obviously)){0,2} (?:not\b|incorrect|wrong|false|ruled out|eliminated|excluded|unlikely"
    r"|implausible|distractor)|n't\b| (?:isn't|wasn't|aren't|can't|cannot|doesn't)\b"
)


def only_label(page: Page) -> Value | None:
    """The one label that is mentioned as such ("option B", "(B)"), in a passage that denies and doubts nothing."""
    places = [place.start for place in _NAMED.finditer(page.low) if place.end > place.start + len(place.words)]
    places = sorted(places + [place.start() for place in _BRACKETED.finditer(page.text)])
    found = [(at, page.label_at(at)) for at in places]
    found = [(at, value) for at, value in found if value and value.label and value.marked]
    labels = {value.label for _, value in found}
    if len(labels) != 1 or _ANY_NO.search(page.low) or REFUSAL.search(page.low):
        return None
    if any(page.asked(value.end) or page.wrong_at(value.end) or page.opens_list(value) for _, value in found):
        return None
    return found[-1][1]


def only_text(page: Page) -> str | None:
    """Label of the one option whose text the passage mentions, if it does not deny, doubt or refuse."""
    text = key(page.text[-20_000:]) + ("?" if page.text.endswith("?") else "")
    spans = page.item.mentioned(text)
    if not spans:
        return None
    stated = {label: end for start, end, label in spans if not _denied_text(text, start, end)}
    # "The nucleus or …" leaves it open, whatever the other is.
    if len(stated) != 1 or any(text.startswith((" or ", " and/or ", "/"), end) for end in stated.values()):
        return None
    for start, end, _ in spans:  # an option may be worded as a refusal
        text = text[:start] + " " * (end - start) + text[end:]
    return None if REFUSAL.search(text) else next(iter(stated))


def _denied_text(page: str, start: int, end: int) -> bool:
    if _TEXT_DENIED.search(page, max(0, start - 60), start) or _CLAUSE_ASKS.search(page, max(0, start - 130), start):
        return True
    if _VERB_DENIED.search(page, max(0, start - 60), start) or _TEXT_WRONG.match(page, end):
        return True
    stop = re.compile(r"[.!?](?!\d)").search(page, end, end + 200)
    return bool(stop and stop[0] == "?")

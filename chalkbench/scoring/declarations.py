"""The grammar of declarations: the forms in which a reply states which option it chose.

    reply        = { declaration | anything }
    declaration  = token | answer-line | sentence | label-line
    token        = a JSON field, an `<answer>` tag or a box (`fields.py` puts tokens into the text)
    answer-line  = ANSWER [link] ( ":" | "=" | " - " | "->" | line break ) value        "Final answer: (B)"
    sentence     = ANSWER … link value                                                  "the correct answer is B"
                 | PRONOUN link label | "so" label | "no," label                        "it is (C)", "so D"
                 | chooser CHOOSE value                                                 "I would pick C"
                 | label RIGHT                                                          "B fits best"
                 | NOT label BUT label                                                  "not A but B"
    label-line   = a line that is a label, or a label and its option's text
    value, label : `values.py`

The words in capitals are those of `languages.py`. A label that is negated, doubted, asked about or said of somebody
else is no declaration; several joined labels declare no single option. What belongs here: finding declarations. What
does not: choosing among them (`options.py`).
"""

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from chalkbench.scoring import languages as words
from chalkbench.scoring.fields import KINDS
from chalkbench.scoring.languages import Form, any_of
from chalkbench.scoring.mentions import only_text
from chalkbench.scoring.values import (
    AFTER,
    DETERMINERS,
    END,
    FILL,
    JOIN,
    NOT,
    NOUN,
    RIGHT,
    UNASSERTED,
    WRONG,
    Page,
    Value,
    W,
)

TOKEN = re.compile("\x02(?P<label>.)(?P<kind>.)\x03")
_HEAD = Form(f"{any_of(words.ANSWER)}|{any_of(words.CHOICE)}")
_FIRM = re.compile(any_of(words.ANSWER))
_ENGLISH_NOUN = re.compile(words.ANSWER["en"])
_LINK = any_of(words.LINK)
_QUALIFIER = (
    r"(?: ?\([^()\n]{0,60}\)| ?\[[^\[\]\n]{0,60}\])?(?: (?:#?\d{1,3}|letter|choice|option|text|code"
    r"|is correct|to (?:the |this )?question(?: #?\d{1,3})?"
    r"|correcta?|richtig|final|finale|الصحيحة|الصحيح|النهائية))?"
)
_EXPLICIT = re.compile(
    rf"{_QUALIFIER}(?: (?:{_LINK}|is as follows|here is))?(?:{words.PARTICLES}){{0,3}}(?: ?(?::{{1,2}}"
    rf"|=>?|→|⇒|\||-*>)| -{{1,2}}(?= )|-(?=[(\[]?[a-z](?![{W}]))|[\])])(?:[\s:=>]|-(?!\d))*"
)
_BEFORE_NOUN = re.compile(rf"\W*{DETERMINERS}")
_OWN_LINE = re.compile(r" ?\n\s*")
_SPOKEN = re.compile(rf"(?:{_QUALIFIER})(?: ?(?:{words.PARTICLES})){{1,4}} ?[:(]?")
_LINKS = re.compile(rf"(?<![{W}])(?:{_LINK})(?![{W}])|'s (?=[(\"a-z])|[:]")
_NEGATION = re.compile(
    rf"(?<![{W}])(?:not|cannot|never|hardly|neither|nor|wrong|incorrect|unlikely|rather than|no|não"
    rf"|kein\w*|nicht|jamais|нет|не|ليس\w?|could|might|may)(?![{W}])|n't|不|ない"
)
_BREAK = re.compile(r"[.!?\n;](?!\d)")

_PRONOUN = Form(words.PRONOUN)
_MAYBE = Form(words.MAYBE_PRONOUN)
_SURELY = Form(words.SURELY)
_SO = Form(words.SO, rf"(?:[,:]? (?:it(?:'s| is| must be| should be)|that(?:'s| is)|the answer)(?![{W}]))?[,:]?")
_CORRECTION = Form(words.CORRECTION, " ?[,:;-]*")
_CHOOSE = Form(any_of(words.CHOOSE))
_CHOOSE_ENGLISH = re.compile(words.CHOOSE["en"])
_CHOOSER = re.compile(words.CHOOSER)
_DENIED_HEAD = Form(words.NOT)
_CAPITAL = re.compile(rf"[A-Z](?<![{W}'][A-Z])(?![{W}]|['-][{W}])|\x02.")
_SMALL = re.compile(rf"(?:[(\[\"']|option |choice |answer )(?P<label>[a-z])(?![{W}'-])")
_BEFORE_RIGHT = re.compile(
    rf"(?:^|[.!?,;:\n(\[\"'>|-] ?|(?<![{W}])(?:and|but|so|that|think|thinks|believe|because|therefore"
    rf"|thus|hence|then|while|though|although|since|clearly|only|both"
    rf"|either|say|conclude|whereas|makes?|making|means|is|reflection|overall|instead|here|now|finally"
    rf"|{NOUN}) ?[(\[\"']{{0,2}}|[\u2e80-\uffff] ?)$"
)
_RIGHT_HINT = re.compile(
    r"correct|right|true|accurate|best|answer|choice|most|likely|plaus|better|winner|fit|match|wins|is left|remains"
    r"|support|it is|for sure|the one|prefer|way to go|pick|must be|should be|only|richtig|bon|just|exact|vrai|adecuad"
    r"|mejor|cert|giust|верн|правильн|صحيح|[✓✔✅☑正确確对對最符合适合答です だでしょ選を맞정답옳니이]"
)
_CLAUSE = re.compile(r"[^.!?;,\n]+")
_SET_HINTS = (
    "none",
    "neither",
    "no ",
    "all ",
    "以上",
    "上述",
    "皆非",
    "上記",
    "해당",
    "위의",
    "not ",
    "n't",
    "kein",
    "aucun",
    "ningun",
    "nenhum",
    "nessun",
    "ни од",
    "لا شيء",
)
_IF_AFTER = re.compile(r"[^.!?\n]{0,80}\b(?:if|were it)\b")

_ONLY_VERB = re.compile(r"is|was|can|could|[a-z]+(?:es|ts|rs|ks|ns|ls|ys|ds)|because|since|as|and|or|which")
_RULED_OUT = re.compile(r"\b(?:rul|eliminat|exclud|discard|reject)")
_STATEMENTS = frozenset(
    [
        "believe",
        "think",
        "prefer",
        "recommend",
        "conclude",
        "take",
        "write",
        "enter",
        "submit",
        "chose",
        "chosen",
        "picked",
        "selected",
        "favor",
        "favour",
        "answer",
        "respond",
        "reply",
    ]
) | {
    "conclude with",
    "argue for",
    "answer with",
    "respond with",
    "reply with",
    "decide on",
    "decided on",
}  # not as an imperative


class Said(NamedTuple):
    """A declaration: where it stands in the text, its label (None: no single option), and the form it has."""

    start: int
    end: int
    label: str | None
    rule: str


# Of the places where a wording stands, only so many are read, the last ones: no honest reply holds more.
_PLACES = 1000


def _heads(page: Page, start: int) -> Iterator[tuple[int, int, bool]]:
    """Places of the nouns for "answer": (start, end, whether it is a firm one)."""
    for head in deque(_HEAD.finditer(page.low, start), _PLACES):
        if head.words == "one" and not page.low.endswith(("right ", "correct ", "best "), 0, head.start):
            continue
        yield head.start, head.end, bool(_FIRM.fullmatch(head.words))


def explicit(page: Page) -> Said | None:
    """The last answer line, field, tag or box."""
    # Most stand at the end, and the last one is what counts: the rest is searched only without one there.
    return _explicit(page, len(page.text) - 300) or _explicit(page, 0) if len(page.text) > 600 else _explicit(page, 0)


def _explicit(page: Page, start: int) -> Said | None:
    last = _last_token(page)
    for head, end, firm in reversed(list(_heads(page, start))):
        if last and head < last.start:
            break
        said = _answer_line(page, head, end, firm)
        if said and not (last and said.end < last.end):
            return said
    return last if last and last.start >= start else None


def _last_token(page: Page) -> Said | None:
    tokens = list(TOKEN.finditer(page.text)) if "\x02" in page.text else []
    if not tokens:
        return None
    while len(tokens) > 1 and page.wrong_at(tokens[-1].end()):
        tokens.pop()
    last = tokens[-1]
    label = last["label"] if last["label"] != "0" else None
    if len(tokens) > 1 and tokens[-2]["label"] != last["label"]:
        between = page.text[tokens[-2].end() : last.start()]
        if not between.strip(" $") or JOIN.fullmatch(between.rstrip(" $")) or JOIN.fullmatch(between):
            label = None
    return Said(last.start(), last.end(), label, KINDS[last["kind"]])


def _answer_line(page: Page, start: int, end: int, firm: bool) -> Said | None:
    link = _EXPLICIT.match(page.low, end)
    if not link and firm and (link := _OWN_LINE.match(page.low, end)):
        line = page.low[page.low.rfind("\n", 0, start) + 1 : start]
        link = link if len(line) < 60 and _BEFORE_NOUN.fullmatch(line) else None
    if not link:
        return None
    value = page.value_at(link.end(), line=True)
    next_line = "\n" in page.low[end : link.end()]
    if value and (next_line or not firm) and page.opens_list(value):
        return None
    if value is None and not next_line and firm:
        value = _line_value(page, link.end())
    if value is None or page.is_other(start) or UNASSERTED.search(page.low, max(0, start - 90), start):
        return None
    return Said(start, value.end, value.label, "answer_line")


def _line_value(page: Page, at: int) -> Value | None:
    """What the prose of an answer line says: "Answer: it must be the ribosome, so B."."""
    stop = page.text.find("\n", at, at + 400)
    if stop < 0 and len(page.text) <= at + 400:
        stop = len(page.text)
    if stop <= at or page.prose_read >= 20:  # more unreadable answer lines than that are no answers
        return None
    page.prose_read += 1
    inner = Page(page.text[at:stop], page.item)
    said = last_said(sentences(inner))
    if said:
        return Value(said.label, at + said.end)
    label = only_text(inner)
    return Value(label, stop) if label else None


def sentences(page: Page, start: int = 0) -> Iterator[Said]:
    """Declared sentences that begin at `start` or later, in the order of the grammar's forms (not of the text)."""
    for at, end, firm in _heads(page, start):
        yield from _head_sentence(page, at, end, firm)
    for form, rule in (
        (_PRONOUN, "sentence"),
        (_SURELY, "sentence"),
        (_SO, "conclusion"),
        (_CORRECTION, "correction"),
    ):
        yield from _worded(page, form, start, rule=rule)
    yield from _chosen(page, start)
    if _RIGHT_HINT.search(page.low, start):
        yield from _said_right(page, start)
    yield from _instead_of(page, start)
    tail = page.low[start:] if start else page.low
    if any(hint in tail for hint in _SET_HINTS):
        yield from _set_sentences(page, start)


def _set_sentences(page: Page, start: int) -> Iterator[Said]:
    """Clauses that say "none of these is right" or "all of them are", where the item has an option for it."""
    for clause in _CLAUSE.finditer(page.text, start):
        if len(clause[0]) < 80 and any(hint in clause[0].lower() for hint in _SET_HINTS):
            label = page.item.set_phrase(clause[0])[1]
            if label and page.asserted(clause.start(), clause.end()):
                yield Said(clause.start(), clause.end(), label, "set_option")


def _head_sentence(page: Page, start: int, end: int, firm: bool) -> Iterator[Said]:
    stop = _BREAK.search(page.low, end, end + 110)
    limit = stop.start() if stop and stop[0] != "\n" else min(len(page.low), end + 110)
    spoken = _SPOKEN.match(page.low, end)
    if spoken and firm and not page.low[spoken.start() : spoken.end()].strip().startswith("不"):
        value = page.value_at(spoken.end())
        if value and not page.is_other(start) and page.asserted(start, value.end):
            yield Said(start, value.end, value.label, "sentence")
            return
    for link in islice(_LINKS.finditer(page.low, end, limit), 4):
        if _NEGATION.search(page.low, end, link.start()):
            break
        if link[0] == ":" and page.label_at(min(end + 1, len(page.text))):
            continue  # "Option A: …" names the option that is talked about
        value = page.value_at(link.end())
        if value and not (not firm and page.opens_list(value)):
            if not page.is_other(start) and page.asserted(start, value.end):
                yield Said(start, value.end, value.label, "sentence")
            return
    # "Final answer B", "Ответ B": no link at all.
    before = page.low[max(0, start - 24) : start]
    if firm and (
        page.low[start] > "\x7f"
        or not _ENGLISH_NOUN.fullmatch(page.low, start, end)
        or re.search(r"(?:^|\n|[.:;] ?|final |correct |right |best |my )$", before)
    ):
        value = (
            page.label_at(end + 1)
            if page.text[end : end + 1] == " "
            else page.label_at(end)
            if page.low[start] >= "\u0600"
            else None
        )
        if (
            value
            and END.match(page.text, value.end)
            and not page.is_other(start)
            and page.asserted(start, value.end)
            and not WRONG.match(page.low, value.end)
        ):
            yield Said(start, value.end, value.label, "sentence")


def _worded(page: Page, form: Form, start: int, *, rule: str) -> Iterator[Said]:
    """Label after a fixed wording: "it is C", "so D", "no, B"."""
    for head in deque(form.finditer(page.low, start), _PLACES):
        at = FILL.match(page.low, head.end).end()
        if NOT.match(page.low, at):
            value = page.instead_at(at)
        else:
            value = page.joined_at(at, strict=head.words != "only")
            after = AFTER.match(page.low, value.end) if value and head.words == "only" else None
            if after and not _ONLY_VERB.fullmatch(after["word"]):
                continue
        if value is None or (
            value.label is None and page.label_at(at) and len((page.labels_at(at) or ([], 0))[0]) < 2
        ):
            continue
        letter = page.text[at : at + 1]
        if letter.islower() and not value.marked:
            ends = rule == "conclusion" and not page.text[value.end :].strip(" .!\n")
            if letter in "ai" or not (ends or rule == "sentence"):
                continue
        if (
            rule == "conclusion"
            and not value.marked
            and page.text[value.end : value.end + 1] not in ("", ".", "!", "\n", ",", ")", ";", ":", " ")
        ):
            continue
        if page.asserted(head.start, value.end) and not page.is_denied(head.start):
            yield Said(head.start, value.end, value.label, rule)


def _chosen(page: Page, start: int) -> Iterator[Said]:
    for verb in deque(_CHOOSE.finditer(page.low, start), _PLACES):
        start = verb.start
        english = _CHOOSE_ENGLISH.fullmatch(verb.words)
        if english and not _CHOOSER.search(page.low, max(0, start - 60), start):
            continue
        value = page.value_at(verb.end)
        imperative = english and not re.search(r"\b(?:i|we)\b", page.low[max(0, start - 60) : start])
        if value and imperative and verb.words in _STATEMENTS:
            continue
        if value and not page.opens_list(value) and page.asserted(start, value.end):
            if value.label is None and imperative:
                continue  # "Choose A, B, C or D" repeats the task
            yield Said(start, value.end, value.label, "choice")


def _said_right(page: Page, start: int) -> Iterator[Said]:
    """A label, then that it is right; several together are right together."""
    seen_until = -1
    places = [m.start() for m in _CAPITAL.finditer(page.text, start)]
    places = sorted(places + [m.start("label") for m in _SMALL.finditer(page.text, start)])
    earlier: str | None = None
    for at in places:
        if at < seen_until:
            continue
        before = page.low[max(0, at - 24) : at]
        if not _BEFORE_RIGHT.search(before):
            continue
        opened = at - 1 if at and page.text[at - 1] in "([\"'" else at
        found = page.labels_at(opened)
        if not found:
            continue
        values, end = found
        seen_until = end
        right = RIGHT.match(page.low, end)
        if not right:
            plural = re.compile(
                r" ?(?:are|were|seem|both|would be|都|均)(?: (?:both|all|equally|also|the|likely|probably|options?"
                r"|choices?)){0,3} ?(?:是)?(?:correct|right|true|plausible|possible|valid|answers?|正确|正確|对)"
            ).match(page.low, end)
            if plural and len(values) > 1 and page.asserted(at, plural.end()):
                seen_until = plural.end()
                yield Said(opened, plural.end(), _together(page, values), "verdict")
            continue
        if re.search(
            r"\b(?:not|n't|never|either|neither|nor|no longer)\b ?[(\"'\[]?(?:option |choice )?[(\"'\[]?$", before
        ) or re.search(r"(?:不|非)是?$", before):
            continue
        seen_until = right.end()
        if not page.asserted(opened, right.end()) or (_IF_AFTER.match(page.low, right.end()) and " would" in right[0]):
            continue
        labels = {value.label for value in values}
        label = _together(page, values) if len(labels) > 1 else values[0].label
        if label is None and len(labels) == 1:
            continue  # a letter that is no label of the item
        also = re.search(r"\b(?:also|equally|likewise|as well|too)\b", page.low[end : right.end() + 9])
        if also and earlier and label and earlier != label:
            label = page.item.combined([earlier, label])
        earlier = label or earlier
        yield Said(opened, right.end(), label, "verdict")


def _together(page: Page, values: list[Value]) -> str | None:
    labels = [value.label for value in values if value.label]
    return page.item.combined(labels) if len(labels) == len(values) else None


def _instead_of(page: Page, start: int) -> Iterator[Said]:
    """ "Not A but B", and "all except B are wrong"."""
    for denied in deque(_DENIED_HEAD.finditer(page.low, start), _PLACES):
        value = page.instead_at(denied.start)
        if value and value.label and page.asserted(denied.start, value.end):
            yield Said(denied.start, value.end, value.label, "correction")
        elif denied.words in ("except", "other than", "apart from", "besides"):
            value = page.label_at(FILL.match(page.low, denied.end).end())
            every = re.search(
                r"\b(?:all|every\w*|no|others?)\b[^.!?\n]{0,30}$", page.low[max(0, denied.start - 40) : denied.start]
            )
            if (
                value
                and value.label
                and every
                and (
                    WRONG.match(page.low, value.end)
                    or _RULED_OUT.search(page.low, max(0, denied.start - 60), denied.start)
                )
            ):
                yield Said(denied.start, value.end, value.label, "verdict")


def hedged(page: Page) -> Iterator[Said]:
    """Declarations with a "maybe", and those put as a question."""
    yield from _worded(page, _MAYBE, 0, rule="hedged")


def last_said(said: Iterator[Said]) -> Said | None:
    """The declaration that stands last in the text; of those that end together, the first form of the grammar."""
    return max(said, key=lambda one: (one.end, one.label is not None), default=None)

"""Reading which option a reply chose.

Rules of reading, by falling authority:

1. The whole reply is a label ("B", "(B)", "**B**", "option b") or an option's text.
2. An explicit answer: a field (`{"answer": "B"}`), a tag, a box, or an answer line ("Answer: B").
3. A declared sentence ("the answer is B", "I choose B", "B is correct", "so B") or a line that is a label.
4. A label that opens the reply ("B), since …") or ends it ("… makes protein: B").
5. The only label that is guessed ("probably B"), or the only one that is mentioned, where nothing is denied.
6. The only option whose text is mentioned, where it is not denied.

Among equals the last wins. Denied, doubted, quoted and asked-about options are not declared, and a declaration that
the reply takes back is none. Several options declared together are no answer, unless the item has an option for them
("both A and B"). "None of the above" and its kin mean the item's own option of that kind. Only the item's labels
count; the article "A" and the pronoun "I" are none. What a reply reasons is not read (`replies.py`), and reasoning
that was cut off is no answer.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from chalkbench.scoring.declarations import Said, explicit, hedged, last_said, sentences
from chalkbench.scoring.fields import mark
from chalkbench.scoring.lines import is_list, lines
from chalkbench.scoring.mentions import only_label, only_text
from chalkbench.scoring.option_text import Item
from chalkbench.scoring.outcome import TRUNCATED_REASONING, UNPARSED
from chalkbench.scoring.replies import fold, plain, strip_reasoning
from chalkbench.scoring.values import JOIN, Page

SCORED = "scored"


class Choice(NamedTuple):
    """What was read from a reply.

    choice: label of the chosen option, or None.
    rule: the rule that fired, "" if none did; with `choice` None it found that no single option is declared.
    status: "scored", "unparsed" or "truncated_reasoning".
    """

    choice: str | None
    rule: str
    status: str


_OPENERS = " \t\r\n([{<\"'*_`$-–—=>→•#|:✅✓✔☑👉“‘「『【（《«"
_CLOSERS = " \t\r\n)]}>\"'*_`$.,:;!?|”’」』】）》»。．：！？，、✅✓✔☑"
_NAMED = re.compile(
    r"(?:the )?(?:option|choice|letter|answer|选项|選項|選択肢|선택지)[ :#]{0,2}[(\[\"']?([A-Za-z])[)\]\"']?",
    re.IGNORECASE,
)
_ONLY_LABELS = re.compile(r"[A-Z](?:[\s,;/&+|()\[\].:*-]{0,6}[A-Z])+")
_LED = re.compile(r"[(\[]?([A-Za-z])(?:[)\]][.:]?|[.:])\s+")
_INTERJECTION = re.compile(
    (
        r"(?:(?:ok(?:ay)?|hm+|um+|well|sure|alright|all right|100 ?%|certainly|of course|great|thanks"
        r"|\(?\d{1,2}[.):](?= )|#\d{1,2}(?= ))(?![\w'])[ ,.!:…-]*)+"
    ),
    re.IGNORECASE,
)
_SPACES = re.compile(r"[ \t\r\f\v]{2,}|[\t\r\f\v]")
_RUN_ON = re.compile(
    r"\n\s*(?:#{1,4} *)?(?:next question|question|q|user|human|instruction|问题|問題)\s*\d{0,3}\s*[:：]", re.IGNORECASE
)


def read_choice(reply: str, options: Sequence[str] | Item) -> Choice:
    """Which of the options a reply chose; they are labelled A, B, C … in order.

    Takes time in proportion to the reply's length, whatever it holds. Raises ValueError for more than 26 options.
    """
    item = options if isinstance(options, Item) else Item(options)
    text, cut = strip_reasoning(reply)
    choice, rule = _read(text, item) if text else (None, "")
    if cut and not (choice and rule in _COMPLETE):
        return Choice(None, "reasoning", TRUNCATED_REASONING)
    return Choice(choice, rule, SCORED if choice else UNPARSED)


# What stands before reasoning that was cut off counts only if it is a complete answer.
_COMPLETE = frozenset({"label", "field", "answer_tag", "boxed", "answer_line"})


def _read(text: str, item: Item) -> tuple[str | None, str]:
    whole = _whole(text, item)
    if whole:
        return whole
    run_on = _RUN_ON.search(text)
    if run_on and (head := text[: run_on.start()].strip()):
        choice, rule = _read(head, item)
        if choice and rule in _COMPLETE | {"option_text", "label_line"}:
            return choice, rule
    folded = fold(text)
    bare = _spaced(plain(mark(folded, lambda content: _content(content, item))))
    opening = _INTERJECTION.match(bare)
    bare = bare[opening.end() :] if opening else bare
    if bare != text and (whole := _whole(bare, item)):
        return whole
    page = Page(bare, item)
    for find in (_explicit, _declared, _opening, _opening_text, _closing, _guessed, _mention):
        said = find(page)
        if said:
            return said.label, said.rule
    label = only_text(page)
    return (label, "mentioned_text") if label else (None, "")


def _spaced(text: str) -> str:
    return (_SPACES.sub(" ", text) if "  " in text or "\t" in text or "\r" in text else text).strip()


def _whole(text: str, item: Item) -> tuple[str | None, str] | None:
    """Label and rule if the text is no more than a label or an option's text; None otherwise."""
    core = text.lstrip(_OPENERS).rstrip(_CLOSERS)
    named = _NAMED.fullmatch(core) if 5 < len(core) < 24 or core[:2] in ("选项", "選項", "選択", "선택") else None
    core = named[1] if named else core
    if len(core) == 1 and core.isascii() and core.isalpha():
        if label := item.label(core):
            return label, "label"
        return item.by_text(core), "option_text" if item.by_text(core) else "label"
    if len(core) == 2 and core[1] == "1" and core[0] in item.labels and core[0] >= "A":
        # "A1" is one of the forms that LEMON's extractor takes (Table 7).
        return item.by_text(text) or core[0], "label"
    led = _LED.match(text)
    if led and (label := item.label(led[1])) and not item.starts_like_label:
        own = item.options[item.labels.index(label)]
        return (
            (label, "label_and_text")
            if text[led.end() :].strip().rstrip(".").lower() == own.strip().rstrip(".").lower()
            else None
        )
    if label := item.by_text(text):
        return label, "option_text"
    if len(text) < 60 and (only := _ONLY_LABELS.fullmatch(core)):
        letters = re.findall("[A-Z]", only[0])
        if all(letter in item.labels for letter in letters):
            return (letters[0] if len(set(letters)) == 1 else item.combined(letters)), "label"
    is_set, label = item.set_phrase(text)
    return (label, "set_option") if is_set else None


def _content(content: str, item: Item, depth: int = 0) -> str | bool | None:
    """What a field, tag or box holds: a label, None for "no single option", False if it says nothing of options."""
    whole = _whole(content, item)
    if whole:
        return whole[0]
    inner = mark(fold(content), lambda deeper: _content(deeper, item, depth + 1) if depth < 3 else False)
    bare = _spaced(plain(inner))
    if bare != content and (whole := _whole(bare, item)):
        return whole[0]
    page = Page(bare, item)
    value = page.value_at(0, line=True)
    if value:
        return value.label
    if len(bare) > 4000:
        return False
    for find in (_explicit, _declared, _closing):
        if said := find(page):
            return said.label
    return only_text(page) or False


# The writer takes back what stands before: at once, or by going on to another answer.
_TAKEN_BACK = re.compile(
    r"(?:^|[.!?\n,;)-]\s{0,3})(?:oh,? |hmm+,? |but |ah,? )?(?:actually,? no\b|no,? wait|wait,? no\b"
    r"|scratch that|strike that|i take (?:that|it) back|ignore that"
    r"|disregard (?:that|the above)|i was (?:wrong|mistaken)|my mistake|i made (?:a mistake|an error)"
    r"|no, (?:that(?:'s| is)|this is|i) )"
    r"|\A[^.!?\n]{0,80}[.!?\n]\s{0,3}(?:no,? |wait,? |but |oh,? |hmm,? ){0,2}(?:that|this)(?:'s| is"
    r"| was) (?:not (?:right|correct)|wrong|incorrect|a mistake)"
)
_GOING_ON = re.compile(
    r"(?:^|[.!?\n,;)-]\s{0,3})(?:but |oh,? |hmm+,? )?(?:wait|actually|hmm+|on second thought"
    r"|let me (?:re-?consider|re-?check|re-?think|double-?check|correct|look)"
    r"|correction|edit:|oops|sorry|no,|不对|等等|等一下)"
)
_STRONGLY_WRONG = re.compile(
    r"[)\]\"']? ?(?:(?:is|was|must be|would be|can be)(?: actually| clearly| in fact| also"
    r"| therefore)? (?:wrong|incorrect|false|eliminated|excluded|ruled out"
    r"|not (?:the )?(?:correct|right|answer|best))|isn't (?:the )?(?:correct|right|answer|it)"
    r"|(?:cannot|can't|could not|couldn't) be|is out\b|(?:选项|項)?(?:是)?(?:错误|錯誤|错的|不正确|不对|不對))"
)
_STRONGLY_DENIED = re.compile(
    r"(?:(?:answer|it|this|that)(?:'s| is) not|(?:it|that|answer) isn't|(?:can't|cannot|couldn't) be"
    r"|ruled? out|rules out|不是|不选)(?: option| choice)? ?[(\[\"']?$"
)


def _denied_after(page: Page, said: Said) -> bool:
    """Whether the text after a declaration says that its option is wrong."""
    label = said.label
    if not label or page.text.find(label, said.end) < 0:
        return False
    if label not in page.last_denial:
        page.last_denial[label] = _last_denial(page, label)
    return page.last_denial[label] >= said.end


def _last_denial(page: Page, label: str) -> int:
    """Where the last denial of a label begins; -1 if it is nowhere denied."""
    last = -1
    for place in re.finditer(rf"(?<![\w'])[(\[\"']?{label.lower()}(?![a-z0-9_])", page.low):
        at = place.end() - 1
        if not page.text[at].isupper():
            continue
        if _STRONGLY_WRONG.match(page.low, at + 1, at + 60):
            last = max(last, at)
        elif before := _STRONGLY_DENIED.search(page.low, max(0, at - 40), at):
            last = max(last, before.start())
    return last


def _settled(said: Said, page: Page) -> Said:
    """The declaration, or what the reply replaces it by further on."""
    tail = page.low[said.end :]
    if len(tail) < 4:
        return said
    back = _TAKEN_BACK.search(tail)
    cue = back or _GOING_ON.search(tail)
    if cue:
        rest = Page(page.text[said.end + cue.start() :], page.item)
        new = last_said(s for s in (*sentences(rest), *lines(rest)) if not _denied_after(rest, s))
        if new and (new.label or back):
            return new
    if back or _denied_after(page, said):
        return Said(said.start, said.end, None, "retracted")
    return said


def _explicit(page: Page) -> Said | None:
    said = explicit(page)
    return _settled(said, page) if said else None


def _declared(page: Page) -> Said | None:
    # The last declaration counts, and most stand at the end: the rest is searched only if none does.
    length = len(page.text)
    led = list(lines(page))
    for start in (length - _LAST_WORDS, 0) if length > 2 * _LAST_WORDS else (0,):
        found = [*sentences(page, start), *(said for said in led if said.start >= start)]
        said = last_said(said for said in found if not _denied_after(page, said))
        if said:
            back = _TAKEN_BACK.search(page.low, said.end)
            return said._replace(label=None, rule="retracted") if back else said
    return max(found)._replace(label=None, rule="retracted") if found else None


_LAST_WORDS = 300  # characters: a sentence or two
_REASON = re.compile(
    r"\s*(?:,? ?(?:because|since|as|due|given|which|for|based|rather than|instead of|over|(?:and "
    r"|but )?not)\b|(?:选项|選項|项|項|번)(?:\W|$)|[.):,;、\n]|- |\(|=>|→|$)"
)


def _opening(page: Page) -> Said | None:
    """A label that the reply begins with, set off from what follows."""
    found = page.labels_at(0)
    if not found:
        return None
    (first, *more), end = found
    labels = {value.label for value in (first, *more)}
    if page.wrong_at(end):
        return None
    if len(labels) > 1:
        further = JOIN.match(page.low, end)  # "A, B, and D are wrong"
        last = page.label_at(further.end()) if further else None
        if last and page.wrong_at(last.end):
            return None
        joined = page.item.combined([label for label in labels if label]) if None not in labels else None
        return Said(0, end, joined, "opening_label")
    text, low = page.text, page.low
    if first.label is None or is_list(page, first):
        return None
    if (
        text[0] == "I"
        and not first.marked
        and text[end : end + 1] not in (".", ":", "\n", "")
        and text[end - 1] not in ")]"
    ):
        return None
    own = page.item.at_start(text[end:])
    if not (text[end - 1] in ")]\"'>}" or _REASON.match(low, end) or (own and own[0] == first.label)):
        return None
    return Said(0, end, first.label, "opening_label")


def _opening_text(page: Page) -> Said | None:
    """An option's text as the first sentence, or "yes" and "no" set off by a comma."""
    named = page.item.at_start(page.text)
    if not named or not named[0] or named[1][:1] not in (".", ";", "!", ","):
        return None
    index = page.item.labels.index(named[0])
    if named[1][0] == "," and page.item.keys[index] not in ("yes", "no", "true", "false"):
        return None
    return Said(0, 1, named[0], "opening_text")


_LAST = re.compile(r"(?:[.!?:;=>→]|->)\s*[(\[\"']{0,2}([A-Z])[)\]\"']{0,2}[.!\s\"')\]]*\Z")
_LAST_IS = re.compile(
    r"(?<=[\w)'\"]) (?:is|are|was|=|ist|est|es|é|è)[ :]{1,2}[(\[\"']{0,2}([A-Z])[)\]\"']{0,2}[.!\s\"')\]]*\Z"
)
_LAST_PREFACED = re.compile(
    r"(?:\A|[.!?\n] ?)(?i:based on|according to|judging (?:by|from)|from|given|looking at) [^,.!?\n]{1,80}, "
    r"[(\[\"']{0,2}([A-Z])[)\]\"']{0,2}[.!\s\"')\]]*\Z"
)
# In the clause of a closing label: it is doubted, or the clause is about answers and was understood otherwise.
_DOUBTFUL = re.compile(
    r"\b(?:not|no|never|wrong|incorrect|false|doubt|unlikely|least|worst|whether|if|could|might|may"
    r"|think|thinks|thought|believe|says?|said"
    r"|answer|option|choice|first|second|or|and|grade|type)\b|n't|不|错"
)


def _closing(page: Page) -> Said | None:
    """A label that the reply ends with, set off from what stands before."""
    start = max(0, len(page.text) - 300)
    for form in (_LAST, _LAST_IS, _LAST_PREFACED):
        found = form.search(page.text, start)
        label = page.item.label(found[1]) if found else None
        if not label:
            continue
        clause = re.split(r"[.!?\n;]", page.low[start : found.start(1)].rstrip(" .!?\n;([\"'"))[-1]
        own_sentence = found[0][0] in ".!?;"
        if (own_sentence or not _DOUBTFUL.search(clause)) and not page.is_denied(found.start(1)):
            return Said(found.start(), found.end(), label, "closing_label")
    return None


def _guessed(page: Page) -> Said | None:
    found = [said for said in hedged(page) if not _denied_after(page, said)]
    labels = {said.label for said in found}
    if not found:
        return None
    return found[-1] if len(labels) == 1 else found[-1]._replace(label=None)


def _mention(page: Page) -> Said | None:
    value = only_label(page)
    return Said(0, value.end, value.label, "mentioned_label") if value else None

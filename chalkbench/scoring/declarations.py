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
    value        = label { JOIN label } | option text | "none of these" | "the second option"
    label        = [noun] [bracket] letter [bracket] end

The words in capitals are those of `languages.py`. A label that is negated, doubted, asked about or said of somebody
else is no declaration; several joined labels declare no single option. What belongs here: finding declarations. What
does not: choosing among them (`options.py`).
"""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from chalkbench.scoring import languages as words
from chalkbench.scoring.fields import KINDS
from chalkbench.scoring.languages import Form, any_of
from chalkbench.scoring.option_text import Item, key

W = words.WORD
_NOUN = any_of(words.LABEL_NOUN)
_TOKEN = re.compile("\x02(?P<label>.)(?P<kind>.)\x03")
_LABEL = re.compile(
    rf"""
    (?P<noun>(?i:(?:(?:{words.ARTICLES})[ ]|l')?(?:{_NOUN})(?:[ ]letter)?)[ ]?[#:]?[ ]?(?![{W}][{W}])|(?i:(?:la|le|el|die|der|il|o|a)[ ]|l')(?=[(\[]?[B-Z]\b))?
    (?P<open>[(\[{{<"']{{0,3}})[ ]?
    (?:(?P<letter>[A-Za-z])|\x02(?P<token>.).\x03)
    (?P<close>[ ]?[)\]}}>"']{{0,3}})
    (?![{W}]|[-'][{W}]|[ ]?[+^\#](?![{W}]?\s*$)|[ ]?=(?![=>])|[.:/][{W}])
    """,
    re.VERBOSE,
)
_END = re.compile(r"\s*(?:$|[.!?,;:)\]\n*|\x02]|-{1,2}[ >]|->|\(|=>|→|[✓✔✅☑👍🎉]|[\u0590-\u06ff\u0900-\u0e7f\u2e80-\uffff])")
_AFTER = re.compile(rf"\s+(?P<word>[{W}']+|[ऀ-ॿ]+)")
# Words that cannot follow an article, and those that cannot follow the pronoun "I".
_AFTER_A = frozenset(
    "is was are and or but not nor in on at from to since because as which that if when while rather instead it its the this these"
    " with for by based given due und oder et ou y ist est es though although however mais sondern sino mas ma maar".split()
)
_AFTER_I = frozenset("is because since as and or in on from rather instead based given due for und oder et ou y ist est es mais sondern sino mas ma maar".split())
_WHY = frozenset("because since as due given based for which that if where when by in on from according considering but and or".split())

_ADVERBS = (
    r"(?:definitely|clearly|certainly|obviously|undoubtedly|(?:the )?most (?:likely|probably|plausibly)|likely|probably|indeed|actually|therefore|thus|then"
    r"|simply|still|surely|just|really|in fact|of course|only|again|now|hence|i think|i believe|in my (?:view|opinion)|as follows|correct|either|both|between"
    r"|bien sûr|sicher|wahrscheinlich|probablemente|provavelmente|вероятно)"
)
_FILL = re.compile(rf"(?:[\s:,=>\"]|-(?!\d)){{0,12}}(?:{_ADVERBS}[ ,:]{{1,3}}){{0,4}}")
_BOUND = rf"(?:(?<=[\u2e80-\uffff])|(?![{W}]))"
_NOT_HERE = re.compile(rf"(?:{words.NOT}){_BOUND}")
_JOIN = re.compile(rf"(?: ?(?:{words.JOIN})| ?\((?:and|or|&|/) ) ?\(?{words.JOIN_MORE}")
_BUT = re.compile(rf"{words.BUT}\s*")
_RUN_OF_LABELS = re.compile(rf"[(\[\"']?([A-Z]{{2,26}})[)\]\"']?(?![{W}])")
_WRONG = re.compile(rf"(?:{any_of(words.WRONG)})")
_RIGHT = re.compile(rf"(?:{any_of(words.RIGHT)})")
_PLURAL = re.compile(r" ?(?:are|were|both|together|seem|look|would|could|sont|sind|son|são|sono|都|均|皆)(?![a-z])")
_ORDINALS = {
    word: index
    for index, names in enumerate(
        ("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th", "seventh 7th", "eighth 8th", "ninth 9th", "tenth 10th")
    )
    for word in names.split()
}
_ORDINAL = re.compile(rf"(?:the )?(?P<word>{'|'.join(_ORDINALS)}|last) (?:option|choice|answer|one|alternative|statement)(?![{W}])")
_REFUSAL = re.compile(words.REFUSAL)
_NO_VALUE = re.compile(words.NO_VALUE)

_HEAD = Form(f"{any_of(words.ANSWER)}|{any_of(words.CHOICE)}")
_FIRM = re.compile(any_of(words.ANSWER))
_ENGLISH_NOUNS = ("answer", "answers", "ans", "solution", "verdict", "final")
_OTHER = re.compile(rf"(?<![{W}])(?:{words.OTHER_ANSWER}) ?$")
_LINK = any_of(words.LINK)
_QUALIFIER = (
    r"(?: ?\([^()\n]{0,60}\)| ?\[[^\[\]\n]{0,60}\])?(?: (?:#?\d{1,3}|letter|choice|option|text|code|is correct|to (?:the |this )?question(?: #?\d{1,3})?"
    r"|correcta?|richtig|final|finale|الصحيحة|الصحيح|النهائية))?"
)
_EXPLICIT = re.compile(
    rf"{_QUALIFIER}(?: (?:{_LINK}|is as follows|here is))?(?:{words.PARTICLES}){{0,3}}(?: ?(?::{{1,2}}|=>?|→|⇒|\||-+>)| -{{1,2}}(?= )|[\])])(?:[\s:=>]|-(?!\d))*"
)
_OWN_LINE = re.compile(r" ?\n\s*")
_SPOKEN = re.compile(rf"(?:{_QUALIFIER})(?: ?(?:{words.PARTICLES})){{1,4}} ?[:(]?")
_LINKS = re.compile(rf"(?<![{W}])(?:{_LINK})(?![{W}])|'s (?=[(\"a-z])|[:]")
_NEGATION = re.compile(
    rf"(?<![{W}])(?:not|cannot|never|hardly|neither|nor|wrong|incorrect|unlikely|rather than|no|não|kein\w*|nicht|jamais|нет|не|ليس\w?|could|might|may)(?![{W}])|n't|不|ない"
)
_BREAK = re.compile(r"[.!?\n;](?!\d)")
_DETERMINERS = (
    r"(?:(?:the|my|our|an?|any|that|this|its|final|correct|right|best|proper|true|actual|likely|single|only|chosen|possible|most \w+|answer|option|choice|of"
    r"|la|le|el|die|das|der|il|a|o|bonne|richtige|korrekte|correcta|правильный)[ ])*$"
)
_PEOPLE = r"(?:(?:the |a |an |one |some |many |most |another )?(?:students?|pupils?|people|others|viewers?|someone|learners?|classmates?)|some|many|you|one|everyone|nobody|no one)"
_SAY = r"(?:says?|said|thinks?|thought|claims?|claimed|believes?|believed|guess(?:es|ed)?|assumes?|assumed|suggests?|suggested|answers?|answered|ch[oi]{1,2}ses?|picks?|picked|selects?|selected|argues?|expects?)"
_UNASSERTED = re.compile(
    rf"""(?<![{W}])(?:
      (?:if|whether|unless|suppose|supposing|assuming|assume|(?<!no[ ])(?<!not[ ])(?<!out[ ])doubt(?:ful)?|imagine|pretend|unless|in[ ]case|wenn|ob|si|se|если|如果|是否|假如|もし)(?:[ ]that)?
    | (?:(?:do|does|did|can|could|would|is|was|am|are|should)(?:n't|[ ]not)|not|never|cannot|can't|hardly)[ ](?:\w+[ ])?
        (?:think|believe|say|agree|mean|expect|sure|certain|clear|convinced|likely|true|the[ ]case|possible|conclude|claim|know|tell|confident|obvious)
        (?:[ ](?:that|if|whether|why))?
    | (?:wrong|mistake|incorrect|error|unwise|hard|difficult|easy|tempting|not)[ ]to(?:[ ](?:say|think|choose|pick))?
    | (?:unsure|uncertain|unclear|unlikely|mistaken)(?:[ ](?:that|if|whether))?
    | {_PEOPLE}[ ](?:(?:\w+ly|might|may|could|would|will|also|first|often|who)[ ]){{0,3}}{_SAY}(?:[ ]that)?
    | i[ ](?:\w+[ ])?(?:thought|assumed|believed|guessed|suspected)(?:[ ]that)?
    | at[ ]first(?:[ ]glance|[ ]sight)?|initially|originally
    )[,:\s"]*{_DETERMINERS}""",
    re.VERBOSE,
)
_TAG_QUESTION = re.compile(r",? ?(?:right|correct|no|isn't it|ok|okay|agreed|yes)\s*$")

_PRONOUN = Form(words.PRONOUN)
_MAYBE = Form(words.MAYBE_PRONOUN)
_SURELY = Form(words.SURELY)
_SO = Form(words.SO, rf"(?:[,:]? (?:it(?:'s| is| must be| should be)|that(?:'s| is)|the answer)(?![{W}]))?[,:]?")
_CORRECTION = Form(words.CORRECTION, " ?[,:;-]*")
_CHOOSE = Form(any_of(words.CHOOSE))
_CHOOSE_ENGLISH = re.compile(words.CHOOSE["en"])
_CHOOSER = re.compile(words.CHOOSER)
_DENIED_HEAD = Form(words.NOT)
_DENIED_BEFORE = re.compile(rf"(?:(?<![{W}])|(?=n't))(?:{words.NOT}){_BOUND}(?: be)?[ (\[\"']{{0,3}}$")
_CAPITAL = re.compile(rf"[A-Z](?<![{W}'][A-Z])(?![{W}]|['-][{W}])|\x02.")
_SMALL = re.compile(rf"(?:[(\[\"']|option |choice |answer )(?P<label>[a-z])(?![{W}'-])")
_BEFORE_RIGHT = re.compile(
    rf"(?:^|[.!?,;:\n(\[\"'>|-] ?|(?<![{W}])(?:and|but|so|that|think|thinks|believe|because|therefore|thus|hence|then|while|though|although|since|clearly|only|both"
    rf"|either|say|conclude|whereas|makes?|means|is|reflection|overall|instead|here|now|finally|{_NOUN}) ?[(\[\"']{{0,2}}|[\u2e80-\uffff] ?)$"
)
_RIGHT_HINT = re.compile(
    r"correct|right|true|accurate|best|answer|choice|most|likely|plaus|better|winner|fit|match|wins|is left|remains|support|it is|for sure|[✓✔✅☑"
    r"正确確对對最符合适合答です だでしょ選を맞정답옳니이]|richtig|bon|just|exact|vrai|adecuad|mejor|cert|giust|верн|правильн|صحيح|the one|prefer|way to go|pick"
)
_PHRASE_END = re.compile(r"[.;!\n]|,? (?:because|since|as)\b|, ")
_CLAUSE = re.compile(r"[^.!?;,\n]+")
_SET_HINTS = ("none", "neither", "no ", "all", "以上", "上述", "皆非", "上記", "해당", "위의", "not ", "n't", "kein", "aucun", "ningun", "nenhum", "nessun", "ни од", "لا شيء")
_IF_AFTER = re.compile(r"[^.!?\n]{0,80}\b(?:if|were it)\b")

_BARE_LINE = re.compile(r"^[ \t]*[(\[\"']{0,3}([A-Za-z])[)\]\"'.:,!*]{0,3}[ \t]*$", re.MULTILINE)
_LED_LINE = re.compile(r"^[ \t]*(?:-[ ])?(?:(?:option|choice)[ ])?[(\[]?([A-Z])[)\]]?[ ]?(?:[.:)]|-(?= )|(?<=[)\]]))[ \t]+(?=\S)(?P<rest>[^\n]*)$", re.MULTILINE | re.IGNORECASE)
_VERDICT_HINT = re.compile(r"wrong|incorrect|\bfalse|\bno\b|[✗✘❌×]")
_VERDICT = re.compile(
    rf"(?P<label>[A-Z])(?<![{W}].)[)\]]?[.:]?(?: ?[-=])? ?"
    r"(?:(?P<right>(?i:correct|right|true|yes)|[✓✔✅☑])|(?i:incorrect|wrong|false|no)|[✗✘❌×])(?![A-Za-z])"
)
_VERDICT_YES = re.compile(
    r"^\W*(?:this (?:option |one )?is )?(?:the )?(?:correct|right|true|yes)\b|(?:[-:(]|is) ?(?:the )?(?:correct|right|true|yes)(?: answer)?\W*$|[✓✔✅☑]|正[确確]"
)
_VERDICT_NO = re.compile(r"\b(?:incorrect|wrong|false|not|no|isn't|doesn't|cannot|partially|partly)\b|n't|[✗✘❌×]|[错錯不]")


_NAMED = Form(_NOUN, rf"[ :#]{{0,2}}[(\[\"']?[a-z](?![{W}'-])")
_BRACKETED = re.compile(r"[(\[][A-Z][)\]]|\x02.")
_ANY_NO = re.compile(
    r"\b(?:not|no|cannot|never|wrong|incorrect|unlikely|neither|nor|however|but|whether|if|false|except|rather|instead|nicht|pas|não|non|не)\b|n't|eliminat|rule[sd]? out|不|错|錯|ない|아니|ليس"
)


class Said(NamedTuple):
    """A declaration: where it stands in the text, its label (None: no single option), and the form it has."""

    start: int
    end: int
    label: str | None
    rule: str


class Value(NamedTuple):
    """What a place in the text names: a label (None: no single option of the item), up to `end`."""

    label: str | None
    end: int
    marked: bool = True


class Passage:
    """A piece of plain text (`replies.plain`, with the tokens of `fields.mark`) in which an item's options are declared."""

    def __init__(self, text: str, item: Item) -> None:
        self.text = text
        low = text.lower()
        self.low = low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
        self.item = item
        self._prose_read = 0

    # -- value ---------------------------------------------------------------------------------------------------

    def label_at(self, at: int, *, strict: bool = False) -> Value | None:
        """The label that begins at `at`, its end checked: an article, a pronoun or a word's first letter is none.

        strict: the label must end its clause. The value's label is None if the item has no such label.
        """
        match = _LABEL.match(self.text, at)
        if not match:
            return None
        if match["token"]:
            return Value(match["token"] if match["token"] != "0" else None, match.end())
        letter = match["letter"]
        bracketed = bool(match["open"] and match["close"].strip())
        marked = bool(match["noun"] and len(match["noun"]) > 3) or bracketed
        closed = bracketed or (marked and letter not in "aAI") or bool(match["close"].strip()) or _END.match(self.text, match.end())
        if not closed:
            after = _AFTER.match(self.low, match.end())
            word = after["word"] if after else ""
            if letter.islower() or strict:
                closed = word in _WHY if letter not in "aiAI" else word in ("because", "since")
            elif letter in "AI":
                closed = word in (_AFTER_A if letter == "A" else _AFTER_I)
            else:
                closed = True
            if not closed:
                return None
        return Value(self.item.label(letter), match.end(), marked)

    def labels_at(self, at: int, *, strict: bool = False) -> tuple[list[Value], int] | None:
        """The joined labels that begin at `at` ("A", "A or C", "A, B and D") and their end."""
        first = self.label_at(at, strict=strict)
        if not first:
            return None
        found, end = [first], first.end
        while len(found) < 27:
            join = _JOIN.match(self.low, end)
            more = self.label_at(join.end()) if join else None
            if not more or not self._joins(more):
                break
            found.append(more)
            end = more.end
        return found, end

    def _joins(self, value: Value) -> bool:
        """Whether a label after "and" is declared with the one before, not the subject of a clause of its own."""
        end = value.end
        if self.text[end - 1 : end] == "'":
            return False
        plural = _PLURAL.match(self.low, end)
        if plural:
            return True
        if _WRONG.match(self.low, end) or _RIGHT.match(self.low, end):
            return False
        return bool(_END.match(self.text, end) or _JOIN.match(self.low, end))

    def value_at(self, at: int, *, strict: bool = False, line: bool = False) -> Value | None:
        """What is named at `at`: labels, an option's text, "none of these", an ordinal; None if none of them.

        line: the rest of the line is all there is to read (an answer line), so a refusal counts as well.
        """
        at = _FILL.match(self.low, at).end()
        if at >= len(self.text):
            return None
        limit = at + 2 * self.item.longest + 200
        stop = self.text.find("\n", at, limit)
        rest = self.text[at : stop if stop >= 0 else limit]
        if _NOT_HERE.match(self.low, at):
            # "No" may be an option, and "no option is right" the item's own.
            return self._instead(at) or self._text_at(at, rest, strict=strict) or self._phrase_at(at, rest, line=line)
        if self.item.starts_like_label and (value := self._text_at(at, rest, strict=strict)):
            return value
        value = self._labels_value(at, strict=strict)
        if value and value.label is None and "\x02" not in rest[:4]:
            # No label of the item, and several of them, may still be an option's wording ("O", "AB", "both A and B").
            return self._text_at(at, rest, strict=strict) or self._renumbered(value, rest, at) or value
        return value or self._text_at(at, rest, strict=strict) or self._phrase_at(at, rest, line=line)

    def _labels_value(self, at: int, *, strict: bool) -> Value | None:
        run = _RUN_OF_LABELS.match(self.text, at)
        if run and strict is False and all(letter in self.item.labels for letter in run[1]) and len(set(run[1])) > 1:
            return Value(self.item.combined(run[1]) if _END.match(self.text, run.end()) else None, run.end()) if _END.match(self.text, run.end()) else None
        labels = self.labels_at(at, strict=strict)
        if not labels:
            return None
        values, end = labels
        if _WRONG.match(self.low, end):
            return None
        distinct = {value.label for value in values}
        if len(distinct) == 1:
            return Value(values[0].label, end, values[0].marked)
        return Value(self.item.combined([label for label in distinct if label]) if None not in distinct else None, end)

    def _renumbered(self, value: Value, rest: str, at: int) -> Value | None:
        """A label the item does not have, followed by an option's exact text: the text is what was meant."""
        after = rest[value.end - at :].lstrip(" .:)-]")
        label = self.item.by_text(after) if after else None
        return Value(label, at + len(rest)) if label else None

    def _text_at(self, at: int, rest: str, *, strict: bool) -> Value | None:
        if strict:
            return None
        named = self.item.at_start(rest)
        if named is None or _WRONG.match(" " + named[1].strip()) or re.match(r"(?: (?:is|are|was))? (?:not|wrong|incorrect|false)\b", named[1]):
            return None
        # The rest is a key, so the position is as good as the key's length.
        return Value(named[0], at + max(len(rest) - len(named[1]), 1))

    def _phrase_at(self, at: int, rest: str, *, line: bool) -> Value | None:
        stop = _PHRASE_END.search(rest, 0, 90)
        sentence = rest[: stop.start() if stop else len(rest)]
        is_set, label = self.item.set_phrase(sentence)
        if is_set:
            return Value(label, at + len(sentence))
        ordinal = _ORDINAL.match(self.low, at)
        if ordinal:
            index = _ORDINALS.get(ordinal["word"], len(self.item.labels) - 1)
            return Value(self.item.labels[index] if index < len(self.item.labels) else None, ordinal.end())
        if line and (_NO_VALUE.match(self.low, at) or _REFUSAL.match(self.low[at : at + len(rest)].removeprefix("i "))):
            return Value(None, at + len(rest))
        return None

    def _instead(self, at: int) -> Value | None:
        """The second label of "not A but B"."""
        labels = self.labels_at(_FILL.match(self.low, _NOT_HERE.match(self.low, at).end()).end())
        but = _BUT.match(self.low, labels[1]) if labels else None
        end = _FILL.match(self.low, but.end()).end() if but else 0
        return self.value_at(end) if but and not _NOT_HERE.match(self.low, end) else None

    # -- what surrounds a declaration ----------------------------------------------------------------------------

    def asserted(self, start: int, end: int) -> bool:
        """Whether the writer states what stands at `start`: it is not doubted, supposed, asked, or said by others."""
        return not _UNASSERTED.search(self.low, max(0, start - 90), start) and not self.asked(end)

    def _other(self, start: int) -> bool:
        """Whether the noun at `start` is another answer than the writer's: "the wrong answer", "my first answer"."""
        return bool(_OTHER.search(self.low, max(0, start - 24), start))

    def asked(self, end: int) -> bool:
        """Whether the sentence that goes on at `end` is a question, other than "…, right?"."""
        stop = re.compile(r"[.!?\n]").search(self.low, end, end + 200)
        return bool(stop and stop[0] == "?" and not _TAG_QUESTION.search(self.low, end, stop.start()))

    def _listed(self, value: Value) -> bool:
        """Whether label A only opens a list of the options ("the correct option: A. … B. …")."""
        return value.label == "A" and bool(re.compile(r"[^\n]{0,300}?\s[(\[]?B[.):\]]\s").match(self.text, value.end))

    # -- declarations --------------------------------------------------------------------------------------------

    @cached_property
    def heads(self) -> list[tuple[int, int, bool]]:
        """Places of the nouns for "answer": (start, end, whether it is a firm one)."""
        return list(self._heads(0))

    def _heads(self, start: int) -> Iterator[tuple[int, int, bool]]:
        for head in _HEAD.finditer(self.low, start):
            if head.words == "one" and not self.low.endswith(("right ", "correct ", "best "), 0, head.start):
                continue
            yield head.start, head.end, bool(_FIRM.fullmatch(head.words))

    def explicit(self) -> Said | None:
        """The last answer line, field, tag or box."""
        # Most stand at the end, and the last one is what counts: the rest is searched only without one there.
        return self._explicit(len(self.text) - 300) or self._explicit(0) if len(self.text) > 600 else self._explicit(0)

    def _explicit(self, start: int) -> Said | None:
        last = self._last_token()
        for head, end, firm in reversed(list(self._heads(start)) if start else self.heads):
            if last and head < last.start:
                break
            said = self._answer_line(head, end, firm)
            if said and not (last and said.end < last.end):
                return said
        return last if last and last.start >= start else None

    def _last_token(self) -> Said | None:
        tokens = list(_TOKEN.finditer(self.text)) if "\x02" in self.text else []
        if not tokens:
            return None
        while len(tokens) > 1 and self.wrong_at(tokens[-1].end()):
            tokens.pop()
        last = tokens[-1]
        label = last["label"] if last["label"] != "0" else None
        if len(tokens) > 1 and tokens[-2]["label"] != last["label"]:
            between = self.text[tokens[-2].end() : last.start()]
            if not between.strip(" $") or _JOIN.fullmatch(between.rstrip(" $")) or _JOIN.fullmatch(between):
                label = None
        return Said(last.start(), last.end(), label, KINDS[last["kind"]])

    def _answer_line(self, start: int, end: int, firm: bool) -> Said | None:
        link = _EXPLICIT.match(self.low, end)
        if not link:
            line = self.low[self.low.rfind("\n", 0, start) + 1 : start]
            link = _OWN_LINE.match(self.low, end) if firm and re.fullmatch(rf"\W*{_DETERMINERS}", line) else None
        if not link:
            return None
        value = self.value_at(link.end(), line=True)
        next_line = "\n" in self.low[end : link.end()]
        if value and (next_line or not firm) and self._listed(value):
            return None
        if value is None and not next_line and firm:
            value = self._line_value(link.end())
        if value is None or self._other(start) or _UNASSERTED.search(self.low, max(0, start - 90), start):
            return None
        return Said(start, value.end, value.label, "answer_line")

    def _line_value(self, at: int) -> Value | None:
        """What the prose of an answer line says: "Answer: it must be the ribosome, so B."."""
        stop = self.text.find("\n", at, at + 400)
        if stop < 0 and len(self.text) <= at + 400:
            stop = len(self.text)
        if stop <= at or self._prose_read >= 20:  # more unreadable answer lines than that are no answers
            return None
        self._prose_read += 1
        inner = Passage(self.text[at:stop], self.item)
        said = last_said(inner.sentences())
        if said:
            return Value(said.label, at + said.end)
        label = inner.mentioned_option()
        return Value(label, stop) if label else None

    def sentences(self, start: int = 0) -> Iterator[Said]:
        """Declared sentences that begin at `start` or later, in the order of the grammar's forms (not of the text)."""
        for at, end, firm in self._heads(start):
            yield from self._head_sentence(at, end, firm)
        for form, rule in ((_PRONOUN, "sentence"), (_SURELY, "sentence"), (_SO, "conclusion"), (_CORRECTION, "correction")):
            yield from self._worded(form, start, rule=rule)
        yield from self._chosen(start)
        if _RIGHT_HINT.search(self.low, start):
            yield from self._said_right(start)
        yield from self._instead_of(start)
        if any(hint in self.low for hint in _SET_HINTS):
            yield from self._set_sentences(start)

    def _set_sentences(self, start: int) -> Iterator[Said]:
        """Clauses that say "none of these is right" or "all of them are", where the item has an option for it."""
        for clause in _CLAUSE.finditer(self.text, start):
            if len(clause[0]) < 80 and any(hint in clause[0].lower() for hint in _SET_HINTS):
                label = self.item.set_phrase(clause[0])[1]
                if label and self.asserted(clause.start(), clause.end()):
                    yield Said(clause.start(), clause.end(), label, "set_option")

    def _head_sentence(self, start: int, end: int, firm: bool) -> Iterator[Said]:
        stop = _BREAK.search(self.low, end, end + 110)
        limit = stop.start() if stop and stop[0] != "\n" else min(len(self.low), end + 110)
        spoken = _SPOKEN.match(self.low, end)
        if spoken and firm and not self.low[spoken.start() : spoken.end()].strip().startswith("不"):
            value = self.value_at(spoken.end())
            if value and not self._other(start) and self.asserted(start, value.end):
                yield Said(start, value.end, value.label, "sentence")
                return
        for link in islice(_LINKS.finditer(self.low, end, limit), 4):
            if _NEGATION.search(self.low, end, link.start()):
                break
            if link[0] == ":" and self.label_at(min(end + 1, len(self.text))):
                continue  # "Option A: …" names the option that is talked about
            value = self.value_at(link.end())
            if value and not (not firm and self._listed(value)):
                if not self._other(start) and self.asserted(start, value.end):
                    yield Said(start, value.end, value.label, "sentence")
                return
        # "Final answer B", "Ответ B": no link at all.
        before = self.low[max(0, start - 24) : start]
        if firm and (self.low[start] > "\x7f" or self.low[start:end] not in _ENGLISH_NOUNS or re.search(r"(?:^|\n|[.:;] ?|final |correct |right |best |my )$", before)):
            value = self.label_at(end + 1) if self.text[end : end + 1] == " " else self.label_at(end) if self.low[start] >= "\u0600" else None
            if value and _END.match(self.text, value.end) and not self._other(start) and self.asserted(start, value.end) and not _WRONG.match(self.low, value.end):
                yield Said(start, value.end, value.label, "sentence")

    def _worded(self, form: Form, start: int, *, rule: str) -> Iterator[Said]:
        """Label after a fixed wording: "it is C", "so D", "no, B"."""
        for head in form.finditer(self.low, start):
            at = _FILL.match(self.low, head.end).end()
            if _NOT_HERE.match(self.low, at):
                value = self._instead(at)
            else:
                value = self._labels_value(at, strict=True)
            if value is None or (value.label is None and self.label_at(at) and len((self.labels_at(at) or ([], 0))[0]) < 2):
                continue
            letter = self.text[at : at + 1]
            if letter.islower() and not value.marked and (letter in "ai" or rule != "sentence"):
                continue
            if rule == "conclusion" and not value.marked and self.text[value.end : value.end + 1] not in ("", ".", "!", "\n", ",", ")", ";", ":", " "):
                continue
            if self.asserted(head.start, value.end) and not self.is_denied(head.start):
                yield Said(head.start, value.end, value.label, rule)

    def _chosen(self, start: int) -> Iterator[Said]:
        for verb in _CHOOSE.finditer(self.low, start):
            start = verb.start
            english = _CHOOSE_ENGLISH.fullmatch(verb.words)
            if english and not _CHOOSER.search(self.low, max(0, start - 60), start):
                continue
            value = self.value_at(verb.end)
            imperative = english and not re.search(r"\b(?:i|we)\b", self.low[max(0, start - 60) : start])
            if value and imperative and verb.words not in ("choose", "pick", "select", "mark", "circle", "go with", "choosing", "picking", "selecting", "say", "answer"):
                continue
            if value and not self._listed(value) and self.asserted(start, value.end):
                if value.label is None and imperative:
                    continue  # "Choose A, B, C or D" repeats the task
                yield Said(start, value.end, value.label, "choice")

    def _said_right(self, start: int) -> Iterator[Said]:
        """A label, then that it is right; several together are right together."""
        seen_until = -1
        places = [m.start() for m in _CAPITAL.finditer(self.text, start)]
        places = sorted(places + [m.start("label") for m in _SMALL.finditer(self.text, start)])
        earlier: str | None = None
        for at in places:
            if at < seen_until:
                continue
            before = self.low[max(0, at - 24) : at]
            if not _BEFORE_RIGHT.search(before):
                continue
            opened = at - 1 if at and self.text[at - 1] in "([\"'" else at
            found = self.labels_at(opened)
            if not found:
                continue
            values, end = found
            seen_until = end
            right = _RIGHT.match(self.low, end)
            if not right:
                plural = re.compile(
                    r" ?(?:are|were|seem|both|would be|都|均)(?: (?:both|all|equally|also|the|likely|probably|options?|choices?)){0,3} ?(?:是)?(?:correct|right|true|plausible|possible|valid|answers?|正确|正確|对)"
                ).match(self.low, end)
                if plural and len(values) > 1 and self.asserted(at, plural.end()):
                    seen_until = plural.end()
                    yield Said(opened, plural.end(), self._together(values), "verdict")
                continue
            if re.search(r"\b(?:not|n't|never|either|neither|nor|no longer)\b ?[(\"'\[]?(?:option |choice )?[(\"'\[]?$", before) or re.search(r"(?:不|非)是?$", before):
                continue
            seen_until = right.end()
            if not self.asserted(opened, right.end()) or _IF_AFTER.match(self.low, right.end()) and " would" in right[0]:
                continue
            labels = {value.label for value in values}
            label = self._together(values) if len(labels) > 1 else values[0].label
            if label is None and len(labels) == 1:
                continue  # a letter that is no label of the item
            also = re.search(r"\b(?:also|equally|likewise|as well|too)\b", self.low[end : right.end() + 9])
            if also and earlier and label and earlier != label:
                label = self.item.combined([earlier, label])
            earlier = label or earlier
            yield Said(opened, right.end(), label, "verdict")

    def _together(self, values: list[Value]) -> str | None:
        labels = [value.label for value in values if value.label]
        return self.item.combined(labels) if len(labels) == len(values) else None

    def _instead_of(self, start: int) -> Iterator[Said]:
        """ "Not A but B", and "all except B are wrong"."""
        for denied in _DENIED_HEAD.finditer(self.low, start):
            value = self._instead(denied.start)
            if value and value.label and self.asserted(denied.start, value.end):
                yield Said(denied.start, value.end, value.label, "correction")
            elif denied.words in ("except", "other than", "apart from", "besides"):
                value = self.label_at(_FILL.match(self.low, denied.end).end())
                every = re.search(r"\b(?:all|every\w*|no|others?)\b[^.!?\n]{0,30}$", self.low[max(0, denied.start - 40) : denied.start])
                if value and value.label and every and _WRONG.match(self.low, value.end):
                    yield Said(denied.start, value.end, value.label, "verdict")

    def lines(self) -> Iterator[Said]:
        """Lines that are a label, or a label and its option's text; a list of the options is none."""
        bare = [m for m in _BARE_LINE.finditer(self.text) if self.item.label(m[1])]
        if len({m[1].upper() for m in bare}) == 1:
            yield Said(bare[-1].start(), bare[-1].end(), bare[-1][1].upper(), "label_line")
        led = [m for m in _LED_LINE.finditer(self.text) if self.item.label(m[1])]
        labels = {m[1].upper() for m in led}
        if len(labels) == 1 and self.item.by_text(led[-1]["rest"]) == led[-1][1].upper():
            yield Said(led[-1].start(), led[-1].end(), led[-1][1].upper(), "label_line")
        if len(labels) > 1:
            right = [m for m in led if self._judged_right(m[1].upper(), m["rest"])]
            if len(right) == 1:
                yield Said(right[0].start(), right[0].end(), right[0][1].upper(), "verdict")

        yield from self._verdicts()

    def _verdicts(self) -> Iterator[Said]:
        """The one option that a run of verdicts calls right: "A: wrong. B: correct. C: wrong."."""
        if not _VERDICT_HINT.search(self.low) or {"true", "false", "yes", "no", "correct"} & set(self.item.keys):
            return
        judged = {m["label"]: m for m in _VERDICT.finditer(self.text) if self.item.label(m["label"])}
        right = [m for m in judged.values() if m["right"]]
        if len(judged) > 1 and len(right) == 1:
            yield Said(right[0].start(), right[0].end(), right[0]["label"], "verdict")

    def _judged_right(self, label: str, rest: str) -> bool:
        """Whether a line of a list of options says of its option that it is the right one."""
        verdict, own = key(rest), self.item.keys[self.item.labels.index(label)]
        if own and verdict.startswith(own):
            verdict = verdict[len(own) :]
        marks = "".join(mark for mark in "✓✔✅☑✗✘❌×" if mark in rest)
        return bool(_VERDICT_YES.search(verdict + marks)) and not _VERDICT_NO.search(verdict + marks)

    def hedged(self) -> Iterator[Said]:
        """Declarations with a "maybe", and those put as a question."""
        yield from self._worded(_MAYBE, 0, rule="hedged")

    def only_mention(self) -> Said | None:
        """The one label that is mentioned as such ("option B", "(B)"), in a passage that denies and doubts nothing."""
        places = [place.start for place in _NAMED.finditer(self.low) if place.end > place.start + len(place.words)]
        places = sorted(places + [place.start() for place in _BRACKETED.finditer(self.text)])
        found = [(at, self.label_at(at)) for at in places]
        found = [(at, value) for at, value in found if value and value.label and value.marked]
        labels = {value.label for _, value in found}
        if len(labels) != 1 or _ANY_NO.search(self.low) or _REFUSAL.search(self.low):
            return None
        if any(self.asked(value.end) or self.wrong_at(value.end) or self._listed(value) for _, value in found):
            return None
        return Said(found[0][0], found[0][1].end, labels.pop(), "mentioned_label")

    def wrong_at(self, end: int) -> bool:
        """Whether a label that ends at `end` is called wrong."""
        return bool(_WRONG.match(self.low, end) or _WRONG.match(re.sub(r"^[ .:,)-]*", " ", self.low[end : end + 60])))

    def is_denied(self, start: int) -> bool:
        """Whether a label that begins at `start` is denied by what stands before."""
        return bool(_DENIED_BEFORE.search(self.low, max(0, start - 30), start))

    def is_list(self, value: Value) -> bool:
        """Whether the passage goes on to list the options after a label that opens it."""
        lines = (*_LED_LINE.finditer(self.text), *_BARE_LINE.finditer(self.text))
        labels = {m[1].upper() for m in lines if self.item.label(m[1])}
        return self._listed(value) or len(labels) > 1

    # -- options by their wording --------------------------------------------------------------------------------

    def mentioned_option(self) -> str | None:
        """Label of the one option whose text the passage mentions, if it does not deny, doubt or refuse."""
        page = key(self.text[-20_000:]) + ("?" if self.text.endswith("?") else "")
        spans = self.item.mentioned(page)
        if not spans:
            return None
        stated = {label for start, end, label in spans if not _denied_text(page, start, end)}
        if len(stated) != 1:
            return None
        for start, end, _ in spans:  # an option may be worded as a refusal
            page = page[:start] + " " * (end - start) + page[end:]
        return None if _REFUSAL.search(page) else stated.pop()


_TEXT_DENIED = re.compile(
    rf"(?:(?<![{W}])(?:{words.NOT}|no|isn't|wasn't|aren't|nothing to do with|different from|if|whether|unless|as opposed to|confused with)"
    rf"|n't(?: (?:be|think it(?:'s| is)))?)\W{{1,2}}(?:(?:the|an?|it(?:'s| is| was)|in|on|at|from|about|to|be|really|exactly|just|by|of|with|any|at)[ ]){{0,3}}$"
)
_CLAUSE_ASKS = re.compile(r"\b(?:if|whether|unless)\b[^.,;!?]{0,60}$|\bneither\b[^.;!?]{0,120}$")
_TEXT_WRONG = re.compile(r"(?: (?:is|are|was|were|would be|seems?|looks?|can be))?(?: (?:also|clearly|both|all|the|an?|obviously)){0,2} (?:not\b|incorrect|wrong|false|ruled out|eliminated|excluded|unlikely|implausible|distractor)|n't\b| (?:isn't|wasn't|aren't|can't|cannot|doesn't)\b")


def _denied_text(page: str, start: int, end: int) -> bool:
    if _TEXT_DENIED.search(page, max(0, start - 60), start) or _CLAUSE_ASKS.search(page, max(0, start - 130), start):
        return True
    if _TEXT_WRONG.match(page, end):
        return True
    stop = re.compile(r"[.!?](?!\d)").search(page, end, end + 200)
    return bool(stop and stop[0] == "?")


def last_said(said: Iterator[Said]) -> Said | None:
    """The declaration that stands last in the text; of those that end together, the first form of the grammar."""
    return max(said, key=lambda one: (one.end, one.label is not None), default=None)

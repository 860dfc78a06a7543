"""Values: what a place in a reply names, be it a label, several of them, an option's text or "none of these".

    value = label { JOIN label } | option text | "none of these" | "the second option" | "not A but B"
    label = [noun] [bracket] letter [bracket] end

What belongs here: reading at a given place, and what its surroundings say of it (denied, doubted, asked). What does
not: which places declare an answer (`declarations.py`). The words in capitals are those of `languages.py`.
"""

import re
from typing import NamedTuple

from chalkbench.scoring import languages as words
from chalkbench.scoring.languages import any_of
from chalkbench.scoring.option_text import Item

W = words.WORD
NOUN = any_of(words.LABEL_NOUN)
_LABEL = re.compile(
    rf"""
    (?P<noun>(?i:(?:(?:{words.ARTICLES})[ ]|l')?(?:{NOUN})(?:[ ]letter)?)[ ]?[#:]?[ ]?(?![{W}][{W}])
      |(?i:(?:la|le|el|die|der|il|o|a)[ ]|l')(?=[(\[]?[B-Z]\b))?
    (?P<open>[(\[{{<"']{{0,3}})[ ]?
    (?:(?P<letter>[A-Za-z])|\x02(?P<token>.).\x03)
    (?P<close>[ ]?[)\]}}>"']{{0,3}})
    (?:(?<=')[dt][ıiuü]r)?  # "B'dir": Turkish writes "is" on to the label
    (?![{W}]|[-'][{W}]|[ ]?[+^\#](?![{W}]?\s*$)|[ ]?=(?![=>])|[.:/][{W}])
    """,
    re.VERBOSE,
)
END = re.compile(
    r"\s*(?:$|[.!?,;:)\]\n*|\x02]|-{1,2}[ >]|->|\(|=>|→|[✓✔✅☑👍🎉]|[\u0590-\u06ff\u0900-\u0e7f\u2e80-\uffff])"
)
AFTER = re.compile(rf"\s+(?P<word>[{W}']+|[ऀ-ॿ]+)")
# Words that cannot follow an article, and those that cannot follow the pronoun "I".
_AFTER_EITHER = frozenset(
    [
        "is",
        "and",
        "or",
        "in",
        "on",
        "from",
        "since",
        "because",
        "as",
        "rather",
        "instead",
        "for",
        "based",
        "given",
        "due",
        "und",
        "oder",
        "et",
        "ou",
        "y",
        "ist",
        "est",
        "es",
        "mais",
        "sondern",
        "sino",
        "mas",
        "ma",
        "maar",
    ]
)
_AFTER_A = _AFTER_EITHER | frozenset(
    [
        "was",
        "are",
        "but",
        "not",
        "nor",
        "at",
        "to",
        "which",
        "that",
        "if",
        "when",
        "while",
        "it",
        "its",
        "the",
        "this",
        "these",
        "with",
        "by",
        "though",
        "although",
        "however",
    ]
)
_AFTER_I = _AFTER_EITHER | frozenset([])
_WHY = frozenset(
    [
        "because",
        "since",
        "as",
        "due",
        "given",
        "based",
        "for",
        "which",
        "that",
        "if",
        "where",
        "when",
        "by",
        "in",
        "on",
        "from",
        "according",
        "considering",
        "but",
        "and",
        "or",
    ]
)

_ADVERBS = (
    r"(?:definitely|clearly|certainly|obviously|undoubtedly|(?:the )?most (?:likely|probably"
    r"|plausibly)|likely|probably|indeed|actually|therefore|thus|then"
    r"|simply|still|surely|just|really|in fact|of course|only|again|now|hence|i think|i believe"
    r"|in my (?:view|opinion)|as follows|correct|either|both|between"
    r"|bien sûr|sicher|wahrscheinlich|probablemente|provavelmente|вероятно)"
)
FILL = re.compile(rf"(?:[\s:,=>\"]|-(?!\d)){{0,12}}(?:{_ADVERBS}[ ,:]{{1,3}}){{0,4}}")
_BOUND = rf"(?:(?<=[\u2e80-\uffff])|(?![{W}]))"
NOT = re.compile(rf"(?:{words.NOT}){_BOUND}")
JOIN = re.compile(rf"(?: ?(?:{words.JOIN})| ?\((?:and|or|&|/) ) ?\(?{words.JOIN_MORE}")
_BUT = re.compile(rf"{words.BUT}\s*")
_RUN_OF_LABELS = re.compile(rf"[(\[\"']?([A-Z]{{2,26}})[)\]\"']?(?![{W}])")
WRONG = re.compile(rf"(?:{any_of(words.WRONG)})")
RIGHT = re.compile(rf"(?:{any_of(words.RIGHT)})")
_PLURAL = re.compile(r" ?(?:are|were|both|together|seem|look|would|could|sont|sind|son|são|sono|都|均|皆)(?![a-z])")
_ORDINALS = {
    word: index
    for index, names in enumerate(
        (
            "first 1st",
            "second 2nd",
            "third 3rd",
            "fourth 4th",
            "fifth 5th",
            "sixth 6th",
            "seventh 7th",
            "eighth 8th",
            "ninth 9th",
            "tenth 10th",
        )
    )
    for word in names.split()
}
_ORDINAL = re.compile(
    rf"(?:the )?(?P<word>{'|'.join(_ORDINALS)}|last) (?:option|choice|answer|one|alternative|statement)(?![{W}])"
)
REFUSAL = re.compile(words.REFUSAL)
_NO_VALUE = re.compile(words.NO_VALUE)

DETERMINERS = (
    r"(?:(?:the|my|our|an?|any|that|this|its|final|correct|right|best|proper|true|actual|likely|single"
    r"|only|chosen|possible|most \w+|answer|option|choice|of"
    r"|la|le|el|die|das|der|il|a|o|bonne|richtige|korrekte|correcta|правильный)[ ])*$"
)
_PEOPLE = (
    r"(?:(?:the |a |an |one |some |many |most |another )?(?:students?|pupils?|people|others|viewers?"
    r"|someone|learners?|classmates?)|some|many|you|one|everyone|nobody|no one)"
)
_SAY = (
    r"(?:says?|said|thinks?|thought|claims?|claimed|believes?|believed|guess(?:es|ed)?|assumes?"
    r"|assumed|suggests?|suggested|answers?|answered|ch[oi]{1,2}ses?|picks?|picked|selects?|selected"
    r"|argues?|expects?)"
)
UNASSERTED = re.compile(
    rf"""(?<![{W}])(?:
      (?:if|whether|unless|suppose|supposing|assuming|assume|(?<!no[ ])(?<!not[ ])(?<!out[ ])doubt(?:ful)?
        |imagine|pretend|in[ ]case|wenn|ob|si|se|если|如果|是否|假如|もし)(?:[ ]that)?
    | (?:(?:do|does|did|can|could|would|is|was|am|are|should)(?:n't|[ ]not)|not|never|cannot|can't|hardly)
        [ ](?:\w+[ ])?(?:think|believe|say|agree|mean|expect|sure|certain|clear|convinced|likely|true|the[ ]case
        |possible|conclude|claim|know|tell|confident|obvious)(?:[ ](?:that|if|whether|why))?
    | (?:wrong|mistake|incorrect|error|unwise|hard|difficult|easy|tempting|not)[ ]to(?:[ ](?:say|think|choose|pick))?
    | (?:unsure|uncertain|unclear|unlikely|mistaken)(?:[ ](?:that|if|whether))?
    | {_PEOPLE}[ ](?:(?:\w+ly|might|may|could|would|will|also|first|often|who)[ ]){{0,3}}{_SAY}(?:[ ]that)?
    | i[ ](?:\w+[ ])?(?:thought|assumed|believed|guessed|suspected)(?:[ ]that)?
    | at[ ]first(?:[ ]glance|[ ]sight)?|initially|originally
    )[,:\s"]*{DETERMINERS}""",
    re.VERBOSE,
)
_TAG_QUESTION = re.compile(r",? ?(?:right|correct|no|isn't it|ok|okay|agreed|yes)\s*$")
_DENIED_BEFORE = re.compile(rf"(?:(?<![{W}])|(?=n't))(?:{words.NOT}){_BOUND}(?: be)?[ (\[\"']{{0,3}}$")
_PHRASE_END = re.compile(r"[.;!\n]|,? (?:because|since|as)\b|, ")


_OTHER = re.compile(rf"(?<![{W}])(?:{words.OTHER_ANSWER}) ?$")


class Value(NamedTuple):
    """What a place in the text names: a label (None: no single option of the item), up to `end`."""

    label: str | None
    end: int
    marked: bool = True


class Page:
    """Plain text (`replies.plain`, with the tokens of `fields.mark`) that may name options of an item."""

    def __init__(self, text: str, item: Item) -> None:
        self.text = text
        low = text.lower()
        self.low = low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
        self.item = item
        self.prose_read = 0  # answer lines whose prose was read
        self.last_denial: dict[str, int] = {}  # by label: where its last denial begins, once looked for

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
        closed = (
            bracketed
            or (marked and letter not in "aAI")
            or bool(match["close"].strip())
            or END.match(self.text, match.end())
        )
        if not closed:
            after = AFTER.match(self.low, match.end())
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
            join = JOIN.match(self.low, end)
            more = self.label_at(join.end()) if join else None
            if not more or not (self._joins(more) or (join[0] > "\u2e80" and not WRONG.match(self.low, more.end))):
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
        if WRONG.match(self.low, end) or RIGHT.match(self.low, end):
            return False
        return bool(END.match(self.text, end) or JOIN.match(self.low, end))

    def value_at(self, at: int, *, strict: bool = False, line: bool = False) -> Value | None:
        """What is named at `at`: labels, an option's text, "none of these", an ordinal; None if none of them.

        line: the rest of the line is all there is to read (an answer line), so a refusal counts as well.
        """
        at = FILL.match(self.low, at).end()
        if at >= len(self.text):
            return None
        limit = at + 2 * self.item.longest + 200
        stop = self.text.find("\n", at, limit)
        rest = self.text[at : stop if stop >= 0 else limit]
        if NOT.match(self.low, at):
            # "No" may be an option, and "no option is right" the item's own.
            return (
                self.instead_at(at) or self._text_at(at, rest, strict=strict) or self._phrase_at(at, rest, line=line)
            )
        if self.item.starts_like_label and (value := self._text_at(at, rest, strict=strict)):
            return value
        value = self.joined_at(at, strict=strict)
        if value and value.label is None and "\x02" not in rest[:4]:
            # No label of the item, and several of them, may still be an option's wording ("O", "AB", "both A and B").
            return self._text_at(at, rest, strict=strict) or self._renumbered(value, rest, at) or value
        return value or self._text_at(at, rest, strict=strict) or self._phrase_at(at, rest, line=line)

    def joined_at(self, at: int, *, strict: bool) -> Value | None:
        run = _RUN_OF_LABELS.match(self.text, at)
        if run and strict is False and all(letter in self.item.labels for letter in run[1]) and len(set(run[1])) > 1:
            return (
                Value(self.item.combined(run[1]) if END.match(self.text, run.end()) else None, run.end())
                if END.match(self.text, run.end())
                else None
            )
        labels = self.labels_at(at, strict=strict)
        if not labels:
            return None
        values, end = labels
        if WRONG.match(self.low, end):
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
        if (
            named is None
            or WRONG.match(" " + named[1].strip())
            or re.match(r"(?: (?:is|are|was))? (?:not|wrong|incorrect|false)\b", named[1])
        ):
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
        if line and (_NO_VALUE.match(self.low, at) or REFUSAL.match(self.low[at : at + len(rest)].removeprefix("i "))):
            return Value(None, at + len(rest))
        return None

    def instead_at(self, at: int) -> Value | None:
        """The second label of "not A but B"."""
        labels = self.labels_at(FILL.match(self.low, NOT.match(self.low, at).end()).end())
        but = _BUT.match(self.low, labels[1]) if labels else None
        end = FILL.match(self.low, but.end()).end() if but else 0
        return self.value_at(end) if but and not NOT.match(self.low, end) else None

    # -- what surrounds a declaration ----------------------------------------------------------------------------

    def asserted(self, start: int, end: int) -> bool:
        """Whether the writer states what stands at `start`: it is not doubted, supposed, asked, or said by others."""
        return not UNASSERTED.search(self.low, max(0, start - 90), start) and not self.asked(end)

    def is_other(self, start: int) -> bool:
        """Whether the noun at `start` is another answer than the writer's: "the wrong answer", "my first answer"."""
        return bool(_OTHER.search(self.low, max(0, start - 24), start))

    def asked(self, end: int) -> bool:
        """Whether the sentence that goes on at `end` is a question, other than "…, right?"."""
        stop = re.compile(r"[.!?\n]").search(self.low, end, end + 200)
        return bool(stop and stop[0] == "?" and not _TAG_QUESTION.search(self.low, end, stop.start()))

    def opens_list(self, value: Value) -> bool:
        """Whether label A only opens a list of the options ("the correct option: A. … B. …")."""
        return value.label == "A" and bool(re.compile(r"[^\n]{0,300}?\s[(\[]?B[.):\]]\s").match(self.text, value.end))

    def wrong_at(self, end: int) -> bool:
        """Whether a label that ends at `end` is called wrong."""
        return bool(WRONG.match(self.low, end) or WRONG.match(re.sub(r"^[ .:,)-]*", " ", self.low[end : end + 60])))

    def is_denied(self, start: int) -> bool:
        """Whether a label that begins at `start` is denied by what stands before."""
        return bool(_DENIED_BEFORE.search(self.low, max(0, start - 30), start))

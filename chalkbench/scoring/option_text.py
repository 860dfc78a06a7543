"""An item's options as a reader knows them: their labels, their texts, and the option that says "none of these".

What belongs here: telling whether a piece of text names one of the options by its wording. What does not: labels
and how they are declared (`declarations.py`).
"""

import re
from collections.abc import Sequence
from functools import cached_property

from chalkbench.scoring.replies import fold, plain

_SCRIPTS = str.maketrans(
    {c: f"^{d}" for c, d in zip("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ", "0123456789n", strict=True)}
    | dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
)
_FRACTION = re.compile(
    r"\\[dt]?frac ?(?:\{(?P<over>[^{}]{1,60})\}|(?P<one>\w)) ?(?:\{(?P<under>[^{}]{1,60})\}|(?P<two>\w))"
)
_SUBSCRIPT = re.compile(r"(?<=[a-z])_(?=\d)")
_SIMPLE = re.compile(r"[a-z ,;:.!?()]*|[0-9]*")
_HYPHEN = re.compile(r"-(?!\d)|(?<=\w)-")
_QUOTES = re.compile(r"\"|(?<!\w)'|'(?!\w)")
_OPERATOR_SIGN = re.compile("[=+*/^<>≤≥≈≠×·÷]")
_OPERATOR = re.compile(rf"\s*({_OPERATOR_SIGN.pattern})\s*")
# A number's unit, written on to it or apart.
_UNIT = re.compile(r"(?<=\d) +(?=(?:[kcmnµ]?m|m?s|[km]?g|[km]?hz|[kmg]b|m?l|k?w|[km]?v|[km]?ev|%|°[cf]?)(?![a-z]))")
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_ARTICLE = re.compile(r"(?:the|an?) (?=\w)")
_EDGES = " \t\n.,:;!?"

_JOINED = re.compile(r"(?:,| and| or|/| &|, and|, or) (?:the |an? )?")

# "None of the above" and its kin, as keys (lower case, no leading article), in the languages that replies come in.
_SET = (
    r"(?:(?:the|these|those|them|my|your|its|all)\b ?)?"
    r"(?:(?:above|given|listed|following|provided|available|presented|stated|proposed|mentioned"
    r"|offered)(?: mentioned| listed)? ?)?"
    r"(?:(?:options?|choices?|answers?|alternatives?|statements?|possibilities|candidates|responses?) ?)?"
    r"(?:(?:that (?:are|were) |which are )?(?:above|given|listed|provided|below|here|presented|offered"
    r"|stated|mentioned|available))?"
)
_FITS = (
    r"(?: (?:(?:is|are|seems?|appears?)(?: to be)? (?:all )?(?:correct|right|true|accurate|valid"
    r"|suitable|appropriate|supported)"
    r"|(?:is|are|was|were) (?:mentioned|shown|discussed|described|depicted|present|named|seen|used)"
    r"|appl(?:y|ies)|match(?:es)?|fits?|works?|holds?|appears?)(?: here|(?: in| on| by)? the \w+)?)?"
)
# "These metals", "the listed metals": the options by what they are.
_LISTED = r"(?:above|given|listed|provided|stated|mentioned)"
_KIND = rf"(?:(?:these|those)(?: \w+)?|the {_LISTED}|the(?= \w+ {_LISTED})) \w+(?: {_LISTED})?(?: above| here| below)?"
_NONE = re.compile(
    "|".join(
        (
            rf"(?:none|neither) of (?!(?:the|them) others?\b)(?:{_SET} ?|{_KIND}){_FITS}",
            (
                rf"(?:correct |right |true )?(?:answer|option|choice) (?:is not|isn't) (?:listed|given|provided"
                rf"|present|included|there|here|(?:among|in|any of) {_SET})"
            ),
            rf"none{_FITS}|neither(?: one)?|nothing above",
            r"(?:no|not any of the|not one of the)(?: given| listed| provided| available)?(?: correct| right"
            r"| valid| suitable)?"
            r" (?:options?|choices?|answers?)"
            rf"(?: above| given| listed| provided| (?:is|are) (?:given|listed|provided|present))?{_FITS}",
            r"(?:以上|上述|上面)(?:选项|選項|答案)?(?:都|皆|均|全)*(?:不是|不对|不對|不正确|不正確|非|错|錯|错误|无|無|没有)(?:正确|正確|答案)?",
            r"(?:无|無|没有|沒有)正[确確](?:选项|選項|答案)|都不是|都不[对對]|皆非",
            r"(?:上記|以上)の?(?:いずれ|どれ)(?:で)?も(?:ない|ありません)|該当なし|(?:どれ|いずれ)で?もない",
            r"(?:위|위의|보기)? ?(?:중|것)? ?(?:해당 ?없음|정답 ?없음|어느 것도 아님|모두 아님|답이 없음)|없음",
            r"keine[rs]?(?: (?:der|von) [\w ]+)?|aucune?(?: (?:de |des |d')[\w' ]+)?|ningun[ao](?: de [\w ]+)?",
            r"nenhuma?(?: d[aeo]s? [\w ]+)?|nessun[ao](?: (?:delle|dei|di) [\w ]+)?|geen van [\w ]+",
            r"ни од(?:ин|на|но)(?: из [\w ]+)?|ничего из [\w ]+|нет (?:правильного|верного) ответа",
            (
                r"لا شيء(?: مما (?:سبق|ذكر))?|ليس أيا? مما سبق|hiçbiri|tidak ada(?: yang benar)?"
                r"|không (?:có )?đáp án nào[\w ]*"
            ),
        )
    )
)
_ALL = re.compile(
    rf"all|both|(?:all|both|every one) (?:of )?{_SET} ?(?:(?:are|is) (?:correct|right|true))?"
    r"|(?:以上|上述)(?:都|皆|均|全)+(?:是|对|對|正确|正確)"
    r"|以上すべて|위의 모두|모두 맞음|alle (?:genannten|oben)[\w ]*"
    r"|tou(?:te)?s (?:les|ces) [\w ]+|tod[ao]s (?:l?[ao]s) [\w ]+|tutte le [\w ]+|все (?:выше|варианты"
    r"|из|пере)[\w ]*|جميع ما سبق"
)
# Words that are an option's text when they stand alone, but say nothing inside a sentence.
_COMMON = frozenset(
    [
        "a",
        "i",
        "an",
        "the",
        "it",
        "is",
        "in",
        "on",
        "at",
        "to",
        "of",
        "or",
        "and",
        "no",
        "not",
        "none",
        "one",
        "all",
        "both",
        "neither",
        "either",
        "yes",
        "so",
        "as",
        "by",
        "if",
        "do",
        "be",
        "we",
        "he",
        "she",
        "up",
        "out",
        "off",
    ]
)


def key(text: str) -> str:
    """The text as compared: without case, width, mark-up, quotes, hyphens, leading article and end punctuation."""
    lower = text.casefold()
    if not _SIMPLE.fullmatch(lower):
        # Labels are told by their case (fold), so case goes last.
        lower = (
            plain(_FRACTION.sub(_divided, fold(text)) if "frac" in text else fold(text)).casefold().translate(_SCRIPTS)
        )
        if "\\" in lower or "{" in lower or "}" in lower:
            lower = lower.replace("\\", "").replace("{", "").replace("}", "")
        lower = _SUBSCRIPT.sub("", lower) if "_" in lower else lower
        lower = _HYPHEN.sub(" ", lower) if "-" in lower else lower
        lower = _QUOTES.sub("", lower) if '"' in lower or "'" in lower else lower
        lower = _THOUSANDS.sub("", lower) if "," in lower else lower
        lower = _UNIT.sub("", lower)
        lower = _OPERATOR.sub(r"\1", lower) if _OPERATOR_SIGN.search(lower) else lower
    lower = " ".join(lower.split()).strip(_EDGES)
    article = _ARTICLE.match(lower)
    return lower[article.end() :] if article else lower


def _divided(fraction: re.Match[str]) -> str:
    """LaTeX's fraction as it is written in a line."""
    parts = (fraction["over"] or fraction["one"], fraction["under"] or fraction["two"])
    return "/".join(part if re.fullmatch(r"[\w^.]+|\\\w+", part) else f"({part})" for part in parts)


def _worded(char: str) -> bool:
    """Whether a word goes on at this character; scripts without spaces have no such limit."""
    return char.isalnum() and char < "\u2e80"


def _ends_word(text: str, at: int) -> bool:
    """Whether a word, or a number, that ends before `at` ends there."""
    if at >= len(text):
        return True
    after = text[at]
    if _worded(after):
        return not _worded(text[at - 1])
    return not (
        (after in ".," and text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit())
        or after in "%^*+"
        or (after == "/" and (text[at - 1].isdigit() or text[at + 1 : at + 2].isdigit()))
    )


def _starts_word(text: str, at: int) -> bool:
    """Whether a word, or a number, begins at `at`: it is no part of a longer word, number or expression."""
    if at == 0:
        return True
    before, char = text[at - 1], text[at]
    if _worded(before) and _worded(char):
        return False
    if before in "^*+/" and at > 1 and text[at - 2].isalnum():
        return before == "/" and not (text[at - 2].isdigit() or char.isdigit())
    return not (char.isdigit() and before in ".,-" and (at < 2 or text[at - 2].isdigit() or before != ","))


class Item:
    """The options of one question, labelled A, B, C … in order (2 to 26; any number up to 26 is read)."""

    def __init__(self, options: Sequence[str]) -> None:
        if len(options) > 26:
            raise ValueError(f"{len(options)} options: at most 26 can be labelled A to Z")
        self.options = options
        self.labels = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(options)]

    def label(self, letter: str) -> str | None:
        """The label that a letter in either case is, or None if the item has no such option."""
        letter = letter.upper()
        return letter if len(letter) == 1 and letter in self.labels else None

    @cached_property
    def keys(self) -> list[str]:
        """Keys of the options in order; an option that repeats its own label in front is read without it."""
        keys = []
        for label, option in zip(self.labels, self.options, strict=True):
            own = re.match(rf"\s*[(\[]?{label}[)\].:]+\s+(?=\S)", option)
            keys.append(key(option[own.end() :] if own else option))
        return keys

    @cached_property
    def _by_key(self) -> dict[str, str]:
        """Key → label, without the keys that two options share; longest first."""
        pairs = sorted(zip(self.keys, self.labels, strict=True), key=lambda pair: -len(pair[0]))
        return {text: label for text, label in pairs if text and self.keys.count(text) == 1}

    @cached_property
    def _exactly(self) -> dict[str, str | None]:
        """Option to the letter → label; None where two options are the same."""
        labels: dict[str, str | None] = {}
        for label, option in zip(self.labels, map(str.strip, self.options), strict=True):
            labels[option] = None if option in labels else label
        return labels

    @cached_property
    def starts_like_label(self) -> bool:
        """Whether some option's text begins with a word of one letter ("A lecture", "C major")."""
        return any(
            len(text) > 1 and text[0].isalpha() and not text[1].isalnum() for text in map(str.lstrip, self.options)
        )

    @cached_property
    def longest(self) -> int:
        """Number of characters of the longest option."""
        return max(map(len, self.options), default=0)

    @cached_property
    def none_label(self) -> str | None:
        """Label of the one option that says that none of the others is right."""
        return _only(label for text, label in zip(self.keys, self.labels, strict=True) if _NONE.fullmatch(text))

    @cached_property
    def all_label(self) -> str | None:
        """Label of the one option that says that all others are right."""
        return _only(label for text, label in zip(self.keys, self.labels, strict=True) if _ALL.fullmatch(text))

    def by_text(self, text: str) -> str | None:
        """Label of the option that has this text: to the letter if one has, else by its key."""
        if len(text) > 2 * self.longest + 40:
            return None
        exact = text.strip()
        if exact in self._exactly:
            return self._exactly[exact]
        return self._by_key.get(key(exact))

    def combined(self, labels: Sequence[str]) -> str | None:
        """Label of the option that stands for these options together: "Both A and B", "All of the above"."""
        wanted = set(labels)
        for text, label in zip(self.keys, self.labels, strict=True):
            words = set(re.findall(r"\w+", text))
            letters = {word.upper() for word in words if len(word) == 1}
            if letters == wanted and label not in wanted and words <= {w.lower() for w in letters} | {
                "both", "and", "only", "option", "options", "or", "all", "of", "are", "correct",
            }:  # fmt: skip
                return label
        rest = set(self.labels) - {self.all_label, self.none_label}
        return self.all_label if self.all_label and wanted == rest else None

    def set_phrase(self, text: str) -> tuple[bool, str | None]:
        """Whether the text says "none (or all) of these" and no more, and the label of the item's option for that."""
        if len(text) > 80:
            return False, None
        phrase = key(text)
        if _NONE.fullmatch(phrase):
            return True, self.none_label
        return (True, self.all_label) if _ALL.fullmatch(phrase) else (False, None)

    def at_start(self, text: str) -> tuple[str | None, str] | None:
        """Label of the option that the text begins with and the rest as a key; label None if it names two of them.

        Returns None if the text begins with no option.
        """
        start = key(text[: 2 * self.longest + 60])
        for option, label in self._by_key.items():
            if start.startswith(option) and _ends_word(start, len(option)):
                rest = start[len(option) :]
                joined = _JOINED.match(rest)
                if joined and any(
                    self._goes_on(rest, joined.end(), other) for other in self._by_key if other != option
                ):
                    return None, rest
                return label, rest
        return None

    @staticmethod
    def _goes_on(text: str, at: int, option: str) -> bool:
        """Whether an option is named at `at`, rather than a word that also serves otherwise ("yes, no doubt")."""
        end = at + len(option)
        if not (text.startswith(option, at) and _ends_word(text, end)):
            return False
        return (
            option not in _COMMON or not re.compile(r" \w").match(text, end) or text.startswith((" and ", " or "), end)
        )

    def mentioned(self, text: str) -> list[tuple[int, int, str]]:
        """Where a key mentions options as whole words: (start, end, label), a longer option's words not shared."""
        spans: list[tuple[int, int, str]] = []
        taken = bytearray(len(text) + 1)
        for option, label in self._by_key.items():  # longest first
            if option in _COMMON or (len(option) == 1 and option.isalpha()):
                continue
            at = text.find(option)
            while at >= 0:
                end = at + len(option)
                if _starts_word(text, at) and _ends_word(text, end) and not taken[at] and not taken[end - 1]:
                    spans.append((at, end, label))
                    taken[at:end] = b"\1" * len(option)
                at = text.find(option, at + 1 if len(option) < 4 else end)
        return sorted(spans)


def _only(labels) -> str | None:
    found = list(labels)
    return found[0] if len(found) == 1 else None

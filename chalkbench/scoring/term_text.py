"""Text taken down to what key terms are compared by: LaTeX, mark-up, case, accents and hyphens no longer matter.

What belongs here: folding, and the cutting into tokens. What does not: which forms a word has (`term_forms.py`), and
where a term stands (`key_terms.py`).
"""

import re
import unicodedata
from dataclasses import dataclass

from chalkbench.scoring.scripts import ARABIC, GREEK, HANGUL, HEBREW, KATAKANA, hangul, unspaced, wordy

BREAK = "\n"  # a token that no term reaches across: the end of a sentence, a comma, a bracket

_SIGNS = {
    **{"times": "×", "cdot": " ", "div": "÷", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠"},
    **{"neq": "≠", "approx": "≈", "sim": "∼", "infty": "∞", "to": "→", "rightarrow": "→", "Rightarrow": "→"},
    **{"sum": "∑", "int": "∫", "prod": "∏", "partial": "∂", "nabla": "∇", "sqrt": "√", "in": "∈", "cup": "∪"},
    **{"cap": "∩", "subset": "⊂", "forall": "∀", "exists": "∃", "otimes": "⊗", "oplus": "⊕", "circ": "∘"},
}
_STYLE = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf|cal|bb|tt|frak|scr)|operatorname\*?|emph|underline"
    r"|boldsymbol|bm|mbox|left|right|[bB]igg?[lr]?|displaystyle|limits|(?:begin|end)\{\w{1,20}\*?\})(?![A-Za-z])"
)
_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}]{0,200})\}\s?\{([^{}]{0,200})\}")
_COMMAND = re.compile(r"\\(?:var)?([A-Za-z]{1,20})(?![A-Za-z])")
_LATEX_REST = re.compile(r"\\[\\()\[\],;:! ]|\$")
_SCRIPT = re.compile(r"[_^]\s?\{([^{}]{1,60})\}")
# One letter with what stands at its foot or head is one name: x_i, n^2. Two words with a line between are two.
_FOOT = re.compile(r"(?:(?<![^\W_]{2})(?<=[^\W_])_(?=[^\W_])|_(?=[^\W_](?![^\W_]))|\^(?=[\w+*-]))")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=\S)([^*\n]{1,300})(?<=\S)\1(?![\w*])")
_TAG = re.compile(r"</?(?:(?P<inline>b|i|u|em|strong|sub|sup|code|span)|br|p|li|[uo]l|div|h\d)\b[^<>]{0,80}>", re.I)
_INITIALS = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,8}")
_TIMES = re.compile(r"(?<=\d)\s?[×xX]\s?(?=\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POSSESSIVE = re.compile(r"(?<=[^\W\d_])['’ʼ`´][sS](?![^\W_])")
_OPTIONAL_S = re.compile(r"(?<=[^\W\d_])\((?:e?s)\)")
_LONE_GREEK = re.compile(rf"(?<![{GREEK}])([Α-Ωα-ωςϑϕϵ])(?![{GREEK}\u0300-\u036f])")
_ARABIC_MARKS = re.compile("[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640]")
_HEBREW_MARKS = re.compile("[\u0591-\u05bd\u05bf-\u05c7]")
_ARABIC_ONE = str.maketrans({**dict.fromkeys("أإآٱ", "ا"), "ى": "ي", "ی": "ي", "ة": "ه", "ک": "ك", "ؤ": "و", "ئ": "ي"})
_HAS_ARABIC, _HAS_HEBREW = re.compile(f"[{ARABIC}]"), re.compile(f"[{HEBREW}]")
_LONG_END = re.compile(f"(?<=[{KATAKANA}]{{2}})ー(?![{KATAKANA}])")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\xad\ufe0e\ufe0f"))
_PARAGRAPH = re.compile(r"\n\s*(?:\n|[-*+•‣◦#>]\s|\(?\d{1,2}[.)]\s)")
_BREAKS = frozenset(".,;:!?()[]{}|。，、；：！？（）「」『』【】《》،؛؟।॥…·")


@dataclass(frozen=True)
class Token:
    """A word, a number, one character of a script without spaces, a symbol, or `BREAK`.

    text: folded, accents kept. plain: the same without accents. raw: in the case it was written in. glued: whether
    nothing stands between it and the token before.
    """

    text: str
    plain: str
    raw: str
    glued: bool = False

    @property
    def word(self) -> bool:
        """Whether it is a word or a number."""
        return wordy(self.text[0])


def cleaned(text: str) -> str:
    """The text without LaTeX and Markdown, in compatible characters (NFKC), case kept."""
    if "\\" in text or "$" in text:
        for _ in range(3):  # as deep as fractions are nested
            text = _FRACTION.sub(r"\1/\2", text)
        text = _STYLE.sub("", text)
        text = _COMMAND.sub(lambda command: f" {_SIGNS.get(command[1], command[1])} ", text)
        text = _LATEX_REST.sub(" ", text)
    text = _SCRIPT.sub(r"_\1", text) if "_" in text or "^" in text else text
    text = text.replace("{", "").replace("}", "")
    text = _TAG.sub(lambda tag: "" if tag["inline"] else " ", text) if "<" in text else text
    text = _EMPHASIS.sub(r"\2", text) if "*" in text else text
    # Bullets and blank lines part; before NFKC, which turns … into dots
    text = _PARAGRAPH.sub(" ; ", unicodedata.normalize("NFKC", text.translate(_INVISIBLE)))
    text = _FOOT.sub("", text) if "_" in text or "^" in text else text
    text = _INITIALS.sub(lambda initials: initials[0].replace(".", ""), text)
    text = _THOUSANDS.sub("", _TIMES.sub("x", text))
    text = _OPTIONAL_S.sub("", _POSSESSIVE.sub("", text))
    return text if text.isascii() else _one_script(text)


def _one_script(text: str) -> str:
    text = _LONE_GREEK.sub(lambda letter: f" {_greek_name(letter[0])} ", text)
    if _HAS_ARABIC.search(text):
        text = _ARABIC_MARKS.sub("", text).translate(_ARABIC_ONE)
    if _HAS_HEBREW.search(text):
        text = _HEBREW_MARKS.sub("", text)
    return _LONG_END.sub("", text).replace("ё", "е").replace("Ё", "Е")


def _greek_name(letter: str) -> str:
    """The name of a letter as it is spelt in English and in LaTeX: λ → lambda."""
    name = unicodedata.name(letter).lower().replace("lamda", "lambda").replace("final sigma", "sigma")
    return name.removesuffix(" symbol").rpartition(" ")[2]


def without_accents(text: str) -> str:
    """Latin and Greek letters without their accents; other scripts as they are."""
    if text.isascii():
        return text
    kept = []
    for char in text:
        base = unicodedata.normalize("NFD", char)
        kept.append(base[0] if len(base) > 1 and base[0] < "\u0400" else char)
    return "".join(kept)


def tokens(text: str) -> list[Token]:
    """The tokens of a text: a word ends where its script changes between one with spaces and one without.

    >>> [token.text for token in tokens(r"The $\\mathbf{x}$-axis of BERT模型")]
    ['the', 'x', 'axis', 'of', 'bert', '模', '型']
    """
    found: list[Token] = []
    text = cleaned(text)
    at, ended = 0, -1
    while at < len(text):
        start, char = at, text[at]
        at += 1
        if wordy(char):
            kind = _kind(char)
            while at < len(text) and _goes_on(text, at, kind):
                at += 1
            found.append(_token(text[start:at], glued=start == ended))
            ended = at
        elif char in _BREAKS:
            found += [Token(BREAK, BREAK, BREAK)] if found and found[-1].text != BREAK else []
        elif _is_symbol(char) and (char not in "#*" or start == ended):  # not a heading, a bullet
            found.append(Token(char, char, char, glued=start == ended))
            ended = at
    return found


def _is_symbol(char: str) -> bool:
    return char in "+=<>#%*°" or (not char.isascii() and unicodedata.category(char) == "Sm")


def _kind(char: str) -> str:
    return "one" if unspaced(char) else "hangul" if hangul(char) else "word"


def _goes_on(text: str, at: int, kind: str) -> bool:
    char = text[at]
    if not wordy(char):
        return char == "." and text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit()
    if unicodedata.category(char)[0] == "M" and not unspaced(char):
        return True
    return kind != "one" and _kind(char) == kind


def _token(raw: str, *, glued: bool) -> Token:
    text = raw.casefold()
    return Token(text, without_accents(text), raw, glued=glued)


def has_spaceless(text: str) -> bool:
    """Whether a text holds characters of a script that is compared without regard to spaces (Korean too)."""
    return any(unspaced(char) or hangul(char) for char in text)


HANGUL_RUN = re.compile(f"[{HANGUL}]*")
KATAKANA_RUN = re.compile(f"[{KATAKANA}]+")

"""Writing systems: which characters make words, and which scripts write words without spaces between them.

What belongs here: classes of characters and the cutting of a text into units. What does not: what a rule does with
them (`term_text.py`, `overlap.py`, `transcript_error.py`).
"""

import re
import unicodedata

HAN = "々〇㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff"
HIRAGANA = "ぁ-ゖゝ-ゟ"
KATAKANA = "ァ-ヺー-ヿㇰ-ㇿ"
HANGUL = "가-힣ᄀ-ᇿㄱ-ㆎ"
# Thai, Lao, Tibetan, Myanmar, Khmer: letters and marks
SOUTH_EAST = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0f40-\u0fbc\u1000-\u103f\u1050-\u109d\u1780-\u17d3"
CYRILLIC = "Ѐ-ԯ"
GREEK = "Ͱ-Ͽἀ-῿"
ARABIC = "\u0610-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u06ff\u0750-\u077f\u08a0-\u08ff"
HEBREW = "\u0591-\u05bd\u05bf-\u05c7\u05d0-\u05ea"

# Languages whose words have no spaces between them, so that a word is no unit that everybody cuts alike. Korean has
# spaces, but writes particles on to its words and leaves spaces out at will.
UNSPACED_LANGUAGES = frozenset({"zh", "yue", "ja", "th", "lo", "my", "km", "bo"})
CHARACTER_LANGUAGES = UNSPACED_LANGUAGES | {"ko"}

_UNSPACED = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}{SOUTH_EAST}]")
_HANGUL = re.compile(f"[{HANGUL}]")


def unspaced(char: str) -> bool:
    """Whether a character belongs to a script that writes words without spaces."""
    return char > "\u0e00" and _UNSPACED.match(char) is not None


def hangul(char: str) -> bool:
    """Whether a character is Korean."""
    return char > "\u1100" and _HANGUL.match(char) is not None


def wordy(char: str) -> bool:
    """Whether a character is part of a word or number: a letter, a mark on a letter, or a digit, of any script."""
    return char.isalnum() or (not char.isascii() and unicodedata.category(char)[0] == "M")


def units(text: str) -> list[str]:
    """The words of a text in the order they stand; of scripts without spaces, and of Korean, each character.

    A mark stays with the character before it. Punctuation and symbols are left out; case is left as it is.

    >>> units("Das KI-Modell 学习 신경망")
    ['Das', 'KI', 'Modell', '学', '习', '신', '경', '망']
    """
    found: list[str] = []
    open_word = False
    for char in text:
        if not wordy(char):
            open_word = False
        elif found and unicodedata.category(char)[0] == "M" and (open_word or unspaced(found[-1][0])):
            found[-1] += char
        elif unspaced(char) or hangul(char):
            found.append(char)
            open_word = False
        elif open_word:
            found[-1] += char
        else:
            found.append(char)
            open_word = True
    return found


def language_of(code: str) -> str:
    """The language of a code in lower case, without region and script: "zh-Hans" → "zh".

    Raises ValueError for what is no code of two or three letters.
    """
    language = re.split(r"[-_]", code.strip().lower())[0]
    if not re.fullmatch(r"[a-z]{2,3}", language):
        raise ValueError(f'language {code!r}: expected an ISO 639-1 code such as "zh" or "de"')
    return language

"""LEMON's labels of Advanced Expression: key terms, and the languages that they are translated into.

What belongs here: the forms in which a release may write them. What does not: how they are scored.
"""

import re
from typing import Any

from chalkbench.benchmarks.release import Malformed, as_text

# Table 10, in its order
LANGUAGES = ("ar", "zh", "fr", "de", "ja", "ko", "ru", "es")
_NAMES = ("arabic", "chinese", "french", "german", "japanese", "korean", "russian", "spanish")
SOURCE_LANGUAGE = "en"  # appendix G.1.1: English narration
_CODES = dict(zip(_NAMES, LANGUAGES, strict=True)) | {"english": SOURCE_LANGUAGE}
_ABOUT = ("term", "language", "translation", "translations")


def language_code(name: str) -> str:
    """The ISO 639-1 code of a name (`Chinese (Simplified)`) or a code (`zh-CN`). Raises Malformed."""
    word = re.split(r"[^a-z]", name.strip().lower(), maxsplit=1)[0]
    code = _CODES.get(word, word)
    if code not in (*LANGUAGES, SOURCE_LANGUAGE):
        raise Malformed(f"target_language: {name!r} is not known; known are {', '.join(LANGUAGES)}, and their names")
    return code


def read_terms(value: Any) -> list[dict[str, str]]:
    """Key terms as {term, language, translation}, one a translation; a term without any has language `en`.

    value: a list of texts, of {term, language, translation} or of {term, <language>: translation, ...} (there may be
    `translations: {<language>: ...}` around them); or {term: {<language>: translation, ...}}. Raises Malformed.
    """
    if value is None or value == "":
        return []
    if isinstance(value, dict):
        value = [
            {"term": term} | (said if isinstance(said, dict) else {"translations": said})
            for term, said in value.items()
        ]
    if isinstance(value, str):
        value = [part for part in re.split(r"[,;]\s*", value) if part.strip()]
    if not isinstance(value, list):
        raise Malformed(f"key_terms: expected a list, found {type(value).__name__}")
    return [term for entry in value for term in _read_term(entry)]


def _read_term(entry: Any) -> list[dict[str, str]]:
    if not isinstance(entry, dict):
        return [_term(as_text({"key_terms": entry}, "key_terms"), SOURCE_LANGUAGE, "")]
    term = as_text({"key_terms": entry.get("term")}, "key_terms")
    if entry.get("language"):
        return [_term(term, language_code(str(entry["language"])), entry.get("translation"))]
    said = entry.get("translations") or {key: text for key, text in entry.items() if key not in _ABOUT}
    if not isinstance(said, dict):
        raise Malformed(f"key_terms: expected translations by language of {term!r}, found {type(said).__name__}")
    return [_term(term, language_code(str(name)), text) for name, text in said.items()] or [
        _term(term, SOURCE_LANGUAGE, "")
    ]


def _term(term: str, language: str, translation: Any) -> dict[str, str]:
    text = as_text({"key_terms": translation}, "key_terms", required=False)
    return {"term": term.strip(), "language": language, "translation": text.strip()}

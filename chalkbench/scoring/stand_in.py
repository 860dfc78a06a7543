"""The stand-in judge: a rule in a judge's place, so that judged tasks can be tried without a model.

It compares words, so its verdicts mean nothing about an answer's sense: it is named in every signature and never makes
a result.

What belongs here: one short function a form of question, and `FORMS`, their table. A rule names its form in the
prompt's fields, as `template.fill(settings, form="rating", …)`; a prompt without one is a yes/no question. What does
not: anything that weighs more than words.
"""

import re
from collections.abc import Callable, Mapping

from chalkbench.scoring.judge_prompts import Prompt

STAND_IN_ID = "stand_in(words,not-a-model)"
_ENOUGH = 0.8  # share of the reference's words that a "yes" needs; our own choice
_EMPTY_WORDS = frozenset(
    ("a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "into", "is", "it", "its", "of", "on", "or")
) | {"that", "the", "their", "there", "this", "to", "was", "were", "with"}
_OPTION = re.compile(r"^\W*(?P<label>\w+)\s*[.):]\s*(?P<text>.+)$", re.M)

Fields = Mapping[str, str]


def words(text: str) -> set[str]:
    """The words and numbers of a text that carry meaning, in lower case."""
    return set(re.findall(r"\w+", text.lower())) - _EMPTY_WORDS


def share(wanted: str, given: str) -> float:
    """Share of the words of `wanted` that `given` holds, 0..1; 0 if nothing is wanted."""
    looked_for = words(wanted)
    return len(looked_for & words(given)) / len(looked_for) if looked_for else 0.0


def yes_no(fields: Fields) -> str:
    """`{'pred': 'yes', 'score': 5}`: the words of `answer` in `reply`, on a scale of 0 to 5."""
    part = share(fields["answer"], fields["reply"])
    return str({"pred": "yes" if part >= _ENOUGH else "no", "score": round(5 * part)})


def rating(fields: Fields) -> str:
    """`Score: 8`: the words of `answer` in `reply`, on the scale `low` to `high` (0 to 10 if not given)."""
    return f"Score: {_scaled(share(fields['answer'], fields['reply']), fields)}"


def rubric(fields: Fields) -> str:
    """`{'clarity': 4, …}`: the same number for each of the `criteria` (names with commas between)."""
    value = _scaled(share(fields["answer"], fields["reply"]), fields)
    return str({name.strip(): value for name in fields["criteria"].split(",")})


def extract(fields: Fields) -> str:
    """The sentence of `text` that shares most words with `question`, the first of equals; "" if none shares one."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", fields["text"])
    best = max(sentences, key=lambda sentence: share(fields["question"], sentence))
    return best.strip() if share(fields["question"], best) else ""


def option(fields: Fields) -> str:
    """The label of the line of `options` ("A. text") whose words `reply` holds most of; "none" if no line leads."""
    parts = {match["label"]: share(match["text"], fields["reply"]) for match in _OPTION.finditer(fields["options"])}
    best = max(parts.values(), default=0.0)
    leading = [name for name, part in parts.items() if part == best]
    return leading[0] if best and len(leading) == 1 else "none"


def error_label(fields: Fields) -> str:
    """`detail` for a wrong answer that shares a word with `answer`, `hallucination` for any other."""
    return "detail" if share(fields["answer"], fields["reply"]) else "hallucination"


def _scaled(part: float, fields: Fields) -> int:
    low, high = float(fields.get("low", "0")), float(fields.get("high", "10"))
    return round(low + part * (high - low))


FORMS: dict[str, Callable[[Fields], str]] = {
    "yes_no": yes_no,
    "rating": rating,
    "rubric": rubric,
    "extract": extract,
    "option": option,
    "error_label": error_label,
}


def stand_in_reply(prompt: Prompt) -> str:
    """What the rule says to a prompt, in the form that its field `form` names.

    Raises ValueError for a form that is not in `FORMS`.
    """
    form = prompt.fields.get("form", "yes_no")
    if form not in FORMS:
        raise ValueError(f"form {form!r} has no stand-in: expected one of {', '.join(FORMS)}; add a function to FORMS")
    return FORMS[form](prompt.fields)

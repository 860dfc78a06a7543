"""Marked answers: the JSON field, the `<answer>` tag and the `\\boxed{}` of a reply, each replaced by a token.

What belongs here: finding such a place in a reply and cutting out what it holds. What it says is read by the function
that the caller hands over. After `mark`, a reply holds no JSON, tag or box that was readable, only tokens, so that
the grammar (`declarations.py`) meets them in their order and never reads letters from inside of them.
"""

import ast
import json
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

# A token: STX, the label (or "0" for an answer that names no single option), kind of the place, ETX.
TOKEN = "\x02{label}{kind}\x03"
KINDS = {"j": "field", "t": "answer_tag", "b": "boxed"}

Reader = Callable[[str], "str | bool | None"]
"""Reads a content: the label, None for "no single option", False if it says nothing about options."""

# Fields that hold the answer, by falling authority, compared without case, spaces, dashes and underscores.
_FIELDS = tuple(
    tuple(names.split())
    for names in (
        "finalanswer final finalchoice finaloption finalanswerletter 最终答案",
        "answer answerletter answerchoice answeroption correctanswer correctoption correctchoice correctletter"
        " correctanswerletter correctoptionletter bestanswer bestoption bestchoice 答案 正确答案 回答 答え 正解"
        " 정답 답 antwort réponse reponse respuesta resposta risposta ответ الإجابة الجواب",
        "choice option letter optionletter choiceletter selected selectedoption selectedanswer selectedchoice"
        " selectedletter selection chosen chosenoption chosenanswer mychoice myanswer ans pick 选项 选择"
        " predictedanswer predictedoption predictedletter modelanswer",
        "prediction predicted pred label response result output conclusion value text content",
    )
)
_RANK = {name: rank for rank, names in enumerate(_FIELDS) for name in names}
_BOXES = 200  # boxes that are read, the last ones
_TRIES = 12  # braces tried as the beginning of an object: replies hold few, hostile ones many

_OBJECT = re.compile(r"[{\[]\s{0,20}(?:\{\s{0,20})?[\"']?[^\W\d][\w -]{0,40}[\"']?\s{0,5}:|[{\[]\s{0,5}\{")
_LOOSE = re.compile(
    r"""["'](?P<name>[^\W\d][\w -]{0,40})["']\s{0,5}:\s{0,20}
        (?:"(?P<double>(?:[^"\\]|\\.){0,2000})"|'(?P<single>(?:[^'\\]|\\.){0,2000})'|(?P<bare>[\w.()]{1,40}|\[[^\[\]]{0,200}\]))""",
    re.VERBOSE,
)
_TAG = re.compile(
    r"<\|?(?P<name>final[_ -]?answer|answer|ans|choice|option|final[_ -]?choice|correct[_ -]?(?:answer"
    r"|option)|begin_of_box|begin_of_answer"
    r"|letter|selected[_ -]?option)\|?>(?P<content>[^<]{0,3000}(?:<(?!/)[^<]{0,1000}){0,5})"
    r"(?:</\|?(?P=name)\|?>|<\|end_of_(?:box|answer)\|>|\Z)"
    r"|\[(?P<square>answer|ans)\](?P<inner>[^\[]{0,1000})(?:\[/(?P=square)\]|\Z)",
    re.IGNORECASE,
)
# Also where the backslash was lost, or was read as the escape of a backspace ("\b").
_BOX = re.compile(
    r"(?:(?:\\|(?<![A-Za-z\\]))(?:boxed|fbox|framebox)|\x08oxed)\s{0,3}(?=\{)"
    r"|\\(?:boxed|fbox)\s{1,3}(?P<one>[A-Za-z])(?![A-Za-z])"
)
_ESCAPED = re.compile(r"[{,]\s{0,20}\\[\"'][^\W\d]")
_DOUBLE = re.compile(
    r"\[\[(?P<square>[^\[\]\n]{1,80})\]\]|\{\{(?P<curly>[^{}\n]{1,80})\}\}|<<(?P<angle>[^<>\n]{1,80})>>"
)


def mark(text: str, read: Reader) -> str:
    """The text with each readable JSON field, answer tag and box replaced by a token."""
    text = text.replace("\x02", "").replace("\x03", "")
    if '\\"' in text and _ESCAPED.search(text):  # JSON that was encoded twice
        text = text.replace('\\"', '"')
    if "{" in text or '":' in text:
        text = _mark_objects(text, read)
    if "<" in text or "[" in text:
        text = _TAG.sub(lambda tag: _token(tag[0], tag["content"] or tag["inner"] or "", "t", read), text)
    if "box" in text or "\x08" in text:
        text = _mark_boxes(text, read)
    if "[[" in text or "{{" in text or "<<" in text:
        text = _DOUBLE.sub(lambda it: _token(it[0], it["square"] or it["curly"] or it["angle"], "b", read), text)
    return text


def _token(whole: str, content: str, kind: str, read: Reader) -> str:
    label = read(content)
    if label is False:
        return whole
    # Line breaks keep a token from becoming the value of a word that stands on another line.
    return TOKEN.format(label=label or "0", kind=kind)


def _mark_objects(text: str, read: Reader) -> str:
    kept, at = [], 0
    tries = 0
    for start in _OBJECT.finditer(text):
        if start.start() < at:
            continue
        tries += 1
        if tries > _TRIES:
            break
        parsed = _parse(text, start.start())
        if parsed is None:
            continue
        value, end = parsed
        label = _of_object(value, read)
        if label is not False:
            kept += [text[at : start.start()], TOKEN.format(label=label or "0", kind="j")]
            at = end
    text = "".join([*kept, text[at:]])
    return _mark_loose(text, read) if '":' in text or "':" in text or '" :' in text else text


def _parse(text: str, start: int) -> tuple[Any, int] | None:
    """The JSON object or Python literal that begins at `start` and its end; None if there is none."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    end = text.find("}", start, start + 20_000) + 1
    for _ in range(4):  # a literal that holds braces of its own ends at a later one
        if not end:
            return None
        piece = text[start:end]
        for candidate in (piece, re.sub(r",\s*([}\]])", r"\1", piece)):
            try:
                return json.loads(candidate, strict=False), end
            except (ValueError, RecursionError):
                pass
            try:
                with warnings.catch_warnings(action="ignore"):  # a formula's backslashes
                    return ast.literal_eval(candidate), end
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                pass
        end = text.find("}", end, start + 20_000) + 1
    return None


def _fields(value: Any, depth: int = 0) -> Iterator[tuple[int, Any]]:
    """(authority, value) of every answer field, in order."""
    if depth > 6:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            rank = _RANK.get(re.sub(r"[\s_-]", "", str(name)).lower())
            if isinstance(inner, dict | list) and not (rank is not None and isinstance(inner, list)):
                yield from _fields(inner, depth + 1)
            elif rank is not None:
                yield rank, inner
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _fields(inner, depth + 1)


def _of_object(value: Any, read: Reader) -> str | bool | None:
    if isinstance(value, list | tuple) and sum(isinstance(part, dict) for part in value) > 1:
        # Several objects are options that were looked at one by one, unless they agree.
        found = {label for part in value if (label := _of_object(part, read)) is not False}
        return found.pop() if len(found) == 1 else None if found else False
    if isinstance(value, dict) and value and all(isinstance(name, str) and len(name) == 1 for name in value):
        # {"B": "The ribosome"}, {"A": false, "B": true}
        true = [
            name for name, part in value.items() if part is True or str(part).lower() in ("true", "correct", "yes")
        ]
        names = list(value) if len(value) == 1 else true
        return read(names[0]) if len(names) == 1 else False
    best: tuple[int, str | bool | None] = (len(_FIELDS), False)
    for rank, inner in _fields(value):
        label = _of_value(inner, read)
        if label is not False and (rank < best[0] or (rank == best[0] and label is not None) or best[1] is None):
            best = (rank, label)
    return best[1]


def _of_value(value: Any, read: Reader) -> str | bool | None:
    if value is None or value == "" or isinstance(value, bool):
        return None if not isinstance(value, bool) else read(str(value))
    if isinstance(value, list | tuple | set):
        labels = {_of_value(part, read) for part in value}
        return labels.pop() if len(labels) == 1 else None
    return read(value if isinstance(value, str) else str(value))


def _mark_loose(text: str, read: Reader) -> str:
    """Fields of an object that is broken or cut off: the last readable one stands for the rest of the text."""
    last: tuple[int, int, str | None] | None = None
    first = None
    for field in _LOOSE.finditer(text):
        first = field.start() if first is None else first
        if _RANK.get(re.sub(r"[\s_-]", "", field["name"]).lower(), 9) < 3:
            content = field["double"] or field["single"] or field["bare"] or ""
            label = None if content in ("", "null", "None") and not field["double"] else read(content.strip("[]"))
            if label is not False:
                last = (first, field.end(), label)
    if last is None:
        return text
    start = max(text.rfind("{", 0, last[0]), 0) if "{" in text[: last[0]] else last[0]
    close = text.find("}", last[1])
    after = text[close + 1 :] if close >= 0 else ""
    return text[:start] + TOKEN.format(label=last[2] or "0", kind="j") + after


def _mark_boxes(text: str, read: Reader) -> str:
    kept, at = [], 0
    for box in deque(_BOX.finditer(text), _BOXES):
        if box.start() < at:
            continue
        if box["one"]:
            content, end = box["one"], box.end()
        else:
            end = _closing(text, box.end())
            content = text[box.end() + 1 : end - 1]
        kept += [text[at : box.start()], _token(content, content, "b", read)]
        at = end
    return "".join([*kept, text[at:]])


def _closing(text: str, start: int) -> int:
    """End of the balanced braces that open at `start`; end of the line if they never close."""
    depth = 0
    for brace in re.compile(r"\\[{}]|[{}]").finditer(text, start, start + 4000):
        if len(brace[0]) == 1:
            depth += 1 if brace[0] == "{" else -1
            if not depth:
                return brace.end()
    line = text.find("\n", start)
    return min(line if line >= 0 else len(text), start + 4000) + 1

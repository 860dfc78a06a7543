"""Answers made elsewhere: a file of replies is matched with a task's questions.

A line of JSON an answer: `id`, and `answer`, `reply` or `response`; also `answerer` where several people or models
answered, `status` where there is no reply, and `option_order` where the options were shown in another order than the
released one (both as our own runs write them). What does not belong here: scoring.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from chalkbench.errors import ChalkbenchError
from chalkbench.scoring.options import read_choice
from chalkbench.scoring.outcome import MODEL_FAULTS, NO_ANSWER, OTHER_FAULTS, UNPARSED

REPLY_FIELDS = ("answer", "reply", "response")
TIE = "tie"
_SHOWN = 5


@dataclass(frozen=True)
class Given:
    """One line of the file. answerer: "" = the only one. order: as in `Settled`."""

    id: str
    reply: str
    answerer: str = ""
    status: str | None = None
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class Settled:
    """What counts as the one answer to a question. rule: what settled it, "" = there was only one answer.

    order: released positions of the options in the order in which the reply's labels count them, () = as released.
    """

    reply: str
    status: str | None = None
    rule: str = ""
    order: tuple[int, ...] = ()


def read_answers(path: str | Path) -> list[Given]:
    """The answers of a JSONL file. Raises ChalkbenchError that names the line and what is wrong with it."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")  # not splitlines: JSON may hold U+2028
    except OSError as error:
        raise ChalkbenchError(f"cannot read the answers {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ChalkbenchError(f"{path}: is not UTF-8 (byte {error.start}): convert it") from error
    answers = [_given(line, where=f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not answers:
        raise ChalkbenchError(f"{path}: holds no answer; expected a line of JSON an answer, with id and answer")
    return answers


def _given(line: str, *, where: str) -> Given:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise ChalkbenchError(f"{where}: is no JSON ({error}); expected a line of JSON an answer") from error
    if not isinstance(value, dict):
        raise ChalkbenchError(f"{where}: expected an object with id and answer, found {type(value).__name__}")
    name = value.get("id", value.get("question_id"))
    if name is None or name == "":
        raise ChalkbenchError(f"{where}: field id is missing")
    status = value.get("status") or None
    if status == "scored":
        status = None
    if status and not (isinstance(status, str) and status in MODEL_FAULTS | OTHER_FAULTS):
        known = ", ".join(sorted(MODEL_FAULTS | OTHER_FAULTS))
        raise ChalkbenchError(f"{where}: status {status!r} is no known reason; known are {known}")
    field = next((field for field in REPLY_FIELDS if field in value), None)
    if field is None and not status:
        raise ChalkbenchError(f"{where}: none of the fields {', '.join(REPLY_FIELDS)} is there")
    order = value.get("option_order") or []
    if not isinstance(order, list) or sorted(map(str, order)) != sorted(map(str, range(len(order)))):
        raise ChalkbenchError(f"{where}: option_order {order!r} is no order of positions from 0, such as [2, 0, 1]")
    return Given(str(name), _text(value.get(field)), str(value.get("answerer", "")), status, tuple(map(int, order)))


def _text(value: Any) -> str:
    """A reply as text; an object (a model's JSON reply that was parsed on the way) becomes JSON again."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def match(
    answers: Sequence[Given], options: Mapping[str, Sequence[str]], *, where: str
) -> tuple[dict[str, Settled], list[str]]:
    """One settled answer for each question, and remarks on what did not fit.

    options: {id of the question: its options} of all questions; where: the file's name, for messages.
    Questions without an answer get status `no_answer`. Answers to unknown questions are left out and named. An answer
    that stands there twice counts once. Several answerers are settled by majority vote over the options they chose;
    a tie is `unparsed`, with rule `tie`. Raises ChalkbenchError if one answerer gave two different answers to a
    question, if no answer fits a question, or if several answered a question without options.
    """
    known = [answer for answer in answers if answer.id in options]
    extra = list(dict.fromkeys(answer.id for answer in answers if answer.id not in options))
    if not known:
        raise ChalkbenchError(
            f"{where}: none of its {len(answers)} ids is a question of this task ({named(extra)}): "
            "are these answers to another benchmark or split?"
        )
    by_question: dict[str, dict[str, Given]] = {}
    repeated = []
    for answer in known:
        others = by_question.setdefault(answer.id, {})
        other = others.setdefault(answer.answerer, answer)
        if other is not answer:
            repeated.append(answer)
    conflicting = [answer.id for answer in repeated if answer != by_question[answer.id][answer.answerer]]
    if conflicting:
        raise ChalkbenchError(
            f"{where}: {len(set(conflicting))} questions have two different answers ({named(conflicting)}); keep one "
            "of each, or name who gave it in the field answerer"
        )
    settled = {id: _settle(id, list(given.values()), options[id]) for id, given in by_question.items()}
    missing = [id for id in options if id not in settled]
    remarks = [
        f"{len(ids)} {what} ({named(ids)})"
        for ids, what in (
            (missing, f"of {len(options)} questions have no answer"),
            (extra, "ids are no question of this task, and are left out"),
            ([answer.id for answer in repeated], "answers stand there twice, and count once"),
        )
        if ids
    ]
    return settled | {id: Settled("", NO_ANSWER) for id in missing}, remarks


def _settle(id: str, given: Sequence[Given], options: Sequence[str]) -> Settled:
    wrong = next((one.order for one in given if one.order and len(one.order) != len(options)), None)
    if wrong:
        raise ChalkbenchError(f"question {id} has {len(options)} options, but its option_order names {len(wrong)}")
    if len(given) == 1:
        return Settled(given[0].reply, given[0].status, order=given[0].order)
    if not options:
        raise ChalkbenchError(
            f"question {id} has {len(given)} answerers, and no options: a majority vote needs options. Score each "
            "answerer's file by itself"
        )
    return vote([answer for answer in given if answer.status is None], options)


def vote(given: Iterable[Given], options: Sequence[str]) -> Settled:
    """The option that most answerers chose. Answers in which no option can be read do not vote."""
    votes = Counter(choice for answer in given if (choice := _released_choice(answer, options)))
    if not votes:
        return Settled("", UNPARSED, "vote")
    (first, most), *rest = votes.most_common()
    if rest and rest[0][1] == most:
        return Settled("", UNPARSED, TIE)
    return Settled(first, None, "vote")


def _released_choice(answer: Given, options: Sequence[str]) -> str | None:
    """The label that the chosen option has as released."""
    order = answer.order or tuple(range(len(options)))
    choice = read_choice(answer.reply, [options[place] for place in order]).choice
    return ascii_uppercase[order[ascii_uppercase.index(choice)]] if choice else None


def named(ids: Iterable[str]) -> str:
    """The first few ids, for a message."""
    ids = list(dict.fromkeys(ids))
    return ", ".join(ids[:_SHOWN]) + (", …" if len(ids) > _SHOWN else "")

"""Prompts: a row becomes the text that a model reads, and a lighteval `Doc` that carries it.

What belongs here: wording, labels, and the one place where they are put together. What does not: which benchmark
uses which wording (`mmou.py`, `video_mmlu.py`), and media (a `Doc` holds where a file is, not what is in it).
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase

from lighteval.tasks.requests import Doc

from chalkbench import rules
from chalkbench.errors import ChalkbenchError
from chalkbench.media.subtitles import Cue, as_text, normalise, within
from chalkbench.models.request import Clip, Request, Turn
from chalkbench.scoring.outcome import MEDIA_MISSING
from chalkbench.task import Prompt, Row, Task

OPTION = "{label}. {text}"
TRANSCRIPT = "Transcript of the video:\n{cues}\n\n"
# How prompts name the languages that answers are asked in (LEMON's eight, Table 10).
LANGUAGES = {
    **{"ar": "Arabic", "de": "German", "es": "Spanish", "fr": "French"},
    **{"ja": "Japanese", "ko": "Korean", "ru": "Russian", "zh": "Chinese"},
}


def labels(n: int) -> str:
    """The first n labels, `ABC…`, without a gap. Raises ValueError unless 2 <= n <= 26."""
    if not 2 <= n <= len(ascii_uppercase):
        raise ValueError(f"{n} options: 2 to {len(ascii_uppercase)} can be labelled")
    return ascii_uppercase[:n]


def label_range(n: int) -> str:
    """The n labels in words: `A or B`, `A, B or C`, `A to J`."""
    names = labels(n)
    return f"{', '.join(names[:-1])} or {names[-1]}" if n < 4 else f"{names[0]} to {names[-1]}"


def user_text(
    prompt: Prompt, *, question: str, options: Sequence[str], pictures: bool = False, language: str = ""
) -> str:
    """A question in words, with its labelled options if there are any.

    pictures: the options are pictures, which follow the text. language: of an open answer, ISO 639-1, "" = English.
    """
    if not options:
        return prompt.open.format(question=question.strip(), language=LANGUAGES.get(language, language) or "English")
    names = label_range(len(options))
    lines = [
        prompt.option.format(label=label, text=option.strip())
        for label, option in zip(labels(len(options)), options, strict=True)
    ]
    shown = prompt.pictures.format(range=names) if pictures else "\n".join(lines)
    return prompt.choice.format(question=question.strip(), options=shown, range=names)


def question_text(row: Row, task: Task) -> str:
    """A row's question as the task words it."""
    options = row["options"] if task.evidence.options else []
    return user_text(
        task.prompt,
        question=row["question"],
        options=options,
        pictures=bool(row["option_media"]),
        language=row["target_language"],
    )


def visible_cues(row: Row, task: Task, *, start: float | None, end: float | None) -> tuple[Cue, ...]:
    """The row's subtitles between two moments as the evidence gives them; if online, to the question's moment."""
    if not task.evidence.subtitles:
        return ()
    ends = [end, row["asked_at"] if task.evidence.horizon == "online" else None]
    last = min((end for end in ends if end is not None), default=float("inf"))
    change = normalise if task.evidence.normalised else str
    cues = [Cue(start=cue["start"], end=cue["end"], text=change(cue["text"])) for cue in row["subtitles"]]
    return tuple(within(cues, start or 0.0, last))


def _transcripts(row: Row, task: Task) -> list[tuple[str, tuple[Cue, ...]]]:
    """(name, cues) of each clip that has any; of a row that shows one video, without a name."""
    if not row["clips"]:
        parts = [("", visible_cues(row, task, start=row["clip_start"], end=row["clip_end"]))]
    else:  # the subtitles are those of the row's own video
        parts = [
            (clip["id"], visible_cues(row, task, start=clip["start"], end=clip["end"]))
            for clip in row["clips"]
            if clip["path"] == row["video_path"]
        ]
    return [(name, cues) for name, cues in parts if cues]


def context(row: Row, task: Task) -> str:
    """What stands before the question: the transcript if it is part of the evidence, clip by clip where there are."""
    said = [f"Clip {name}:\n{as_text(cues)}" if name else as_text(cues) for name, cues in _transcripts(row, task)]
    return task.prompt.transcript.format(cues="\n".join(said)) if said else ""


def gold_reply(row: Row, task: Task) -> str:
    """The right answer as a reply: the option with its label, or the reference text."""
    if row["options"] and row["answer_index"] >= 0 and task.evidence.options:
        label = labels(len(row["options"]))[row["answer_index"]]
        text = "" if row["option_media"] else row["options"][row["answer_index"]]
        return task.prompt.option.format(label=label, text=text).strip()
    return row["answer"]


def request(row: Row, *, task: Task, root: Path) -> Request:
    """What a model gets of a row. `root`: the layout's folder."""
    options = row["options"] if task.evidence.options else []
    said = row.get("history") or "[]"
    return Request(
        id=row["id"],
        task=task.name,
        prompt=question_text(row, task),
        context=context(row, task),
        question=row["question"],
        options=tuple(options),
        evidence=task.evidence,
        instruction=task.prompt.instruction,
        video=str(root / row["video_path"]) if row["video_path"] and not row["clips"] else None,
        has_audio=row["has_audio"],
        clip_start=row["clip_start"],
        clip_end=row["clip_end"],
        asked_at=row["asked_at"],
        cues=tuple(cue for _, cues in _transcripts(row, task) for cue in cues),
        clips=tuple(
            Clip(label=clip["id"], path=str(root / clip["path"]), start=clip["start"], end=clip["end"])
            for clip in (row["clips"] if task.needs_media else [])
        ),
        pictures=tuple(str(root / path) for path in row["option_media"]) if options else (),
        session=row["session_id"],
        turn=row["turn"],
        history=tuple(Turn(*turn) for turn in json.loads(said)),
        resend=task.resend,
        max_new_tokens=task.max_new_tokens,
    )


def gold(row: Row, *, options_shown: bool) -> tuple[list[str], int]:
    """(choices, index of the right one); index -1 if the answer is hidden.

    A question with options keeps them, unless it is asked without: then, as for an open-ended one, the only choice
    is the reference text.
    """
    if row["options"] and options_shown:
        return row["options"], row["answer_index"]
    chosen = row["options"][row["answer_index"]] if row["options"] and row["answer_index"] >= 0 else ""
    reference = row["answer"] or chosen
    return [reference], 0 if reference else -1


def doc(row: Row, _name: str = "", *, task: Task, root: Path, status: str | None = None) -> Doc:
    """lighteval's form of a row: prompt, gold, and in `specific` the request and the groups it belongs to.

    status: why the question cannot be asked at all, "" = it can; None looks whether a video that is needed is there,
    so that such a question is left out for every model alike, also for one that looks at nothing.
    Every value in `specific` has the same type on every row: lighteval's details file breaks otherwise. Raises
    ChalkbenchError if few-shot examples are asked for.
    """
    if row.get("__few_shots"):
        raise ChalkbenchError(f"{task.name} takes no few-shot examples: ask for {task.name}|0")
    asked = request(row, task=task, root=root)
    if status is None:
        needed = (*asked.pictures, *(asked.media if task.needs_media else ()))
        status = "" if all(map(os.path.isfile, needed)) else MEDIA_MISSING
    choices, index = gold(row, options_shown=task.evidence.options)
    return Doc(
        query=asked.text,
        choices=choices,
        gold_index=index,
        instruction=asked.instruction,
        specific=asked.to_specific()
        | {
            "groups": task.groups(row),
            "options_shown": bool(asked.options),
            "option_order": list(row.get("option_order") or []),
            "extra": json.dumps(rules.extra(row, task.rule), ensure_ascii=False),
            "status": status,
        },
    )

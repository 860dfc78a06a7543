"""Prompts: a row becomes the text that a model reads, and a lighteval `Doc` that carries it.

What belongs here: wording, labels, and the one place where they are put together. What does not: which benchmark
uses which wording (`mmou.py`, `video_mmlu.py`), and media (a `Doc` holds where a file is, not what is in it).
"""

import os
from pathlib import Path
from string import ascii_uppercase

from lighteval.tasks.requests import Doc

from chalkbench.errors import ChalkbenchError
from chalkbench.media.subtitles import Cue, as_text, within
from chalkbench.models.request import Request
from chalkbench.scoring.outcome import MEDIA_MISSING
from chalkbench.task import Prompt, Row, Task

OPTION = "{label}. {text}"
TRANSCRIPT = "Transcript of the video:\n{cues}\n\n"


def labels(n: int) -> str:
    """The first n labels, `ABC…`, without a gap. Raises ValueError unless 2 <= n <= 26."""
    if not 2 <= n <= len(ascii_uppercase):
        raise ValueError(f"{n} options: 2 to {len(ascii_uppercase)} can be labelled")
    return ascii_uppercase[:n]


def label_range(n: int) -> str:
    """The n labels in words: `A or B`, `A, B or C`, `A to J`."""
    names = labels(n)
    return f"{', '.join(names[:-1])} or {names[-1]}" if n < 4 else f"{names[0]} to {names[-1]}"


def user_text(prompt: Prompt, *, question: str, options: list[str], cues: tuple[Cue, ...] = ()) -> str:
    """The complete user text: transcript if there are cues, question, labelled options if there are any."""
    transcript = prompt.transcript.format(cues=as_text(cues)) if cues else ""
    if not options:
        return transcript + prompt.open.format(question=question.strip())
    lines = [
        prompt.option.format(label=label, text=option.strip())
        for label, option in zip(labels(len(options)), options, strict=True)
    ]
    return transcript + prompt.choice.format(
        question=question.strip(), options="\n".join(lines), range=label_range(len(options))
    )


def visible_cues(row: Row, task: Task) -> tuple[Cue, ...]:
    """The row's subtitles as the evidence gives them: cut to the clip, and to the question's moment if online."""
    if not task.evidence.subtitles:
        return ()
    ends = [row["clip_end"], row["asked_at"] if task.evidence.horizon == "online" else None]
    end = min((end for end in ends if end is not None), default=float("inf"))
    cues = [Cue(start=cue["start"], end=cue["end"], text=cue["text"]) for cue in row["subtitles"]]
    return tuple(within(cues, row["clip_start"] or 0.0, end))


def request(row: Row, *, task: Task, root: Path) -> Request:
    """What a model gets of a row. `root`: the layout's folder."""
    options = row["options"] if task.evidence.options else []
    cues = visible_cues(row, task)
    return Request(
        id=row["id"],
        task=task.name,
        prompt=user_text(task.prompt, question=row["question"], options=options, cues=cues),
        question=row["question"],
        options=tuple(options),
        evidence=task.evidence,
        instruction=task.prompt.instruction,
        video=str(root / row["video_path"]) if row["video_path"] else None,
        has_audio=row["has_audio"],
        clip_start=row["clip_start"],
        clip_end=row["clip_end"],
        asked_at=row["asked_at"],
        cues=cues,
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
        status = MEDIA_MISSING if task.needs_media and asked.video and not os.path.isfile(asked.video) else ""
    choices, index = gold(row, options_shown=task.evidence.options)
    return Doc(
        query=asked.prompt,
        choices=choices,
        gold_index=index,
        instruction=asked.instruction,
        specific=asked.to_specific()
        | {
            "groups": task.groups(row),
            "options_shown": bool(asked.options),
            "status": status,
        },
    )

"""What goes into a model and what comes out: a question with its evidence, and an answer with what was seen for it.

What belongs here: the values, and the one place that knows how they travel through lighteval's `Doc.specific`.
What does not: decoding (`material.py`), running (`base.py`), prompts (`chalkbench.tasks.prompts`).
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field, fields
from typing import Any

import torch
from lighteval.tasks.requests import Doc

from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.media.audio import Sound
from chalkbench.media.subtitles import Cue
from chalkbench.media.video import Frames


@dataclass(frozen=True)
class Turn:
    """An earlier question of a conversation, as it was asked, and its answer. context: what could stand before it."""

    prompt: str
    reply: str
    context: str = ""


@dataclass(frozen=True)
class Clip:
    """One of several clips that an item shows. label: its name in the prompt. path: absolute. start, end: seconds."""

    label: str
    path: str
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True)
class Request:
    """One question as a model gets it; never the gold.

    id: the item's; unique within its task. task: lighteval's full name of the task.
    prompt: the user text: question, options, instruction. context: what stands before it when the conversation begins:
        the transcript, when it is part of the evidence.
    question, options: the bare parts, for models that do not read prompts.
    instruction: system text.
    video: absolute path of the file, None = the item has no video.
    has_audio: None = not known before the file is opened.
    clip_start, clip_end: the part of the file that belongs to the item, seconds; None = its beginning, its end.
    asked_at: the moment of the question, seconds; an online horizon ends there.
    cues: subtitles that are part of the evidence, cut to clip and horizon.
    clips: what is shown instead of `video`, in this order. pictures: absolute paths of options that are pictures, in
        the order of the labels.
    session, turn: questions of one conversation share a session and are asked in the order of their turns.
    history: the conversation so far. A request that leaves a task has it only if the evidence says gold; the model's
        own answers are filled in when the question is asked.
    resend: how often the question is sent again if the reply says that no video arrived.
    max_new_tokens: None = the model's default. temperature: None = greedy.
    """

    id: str
    task: str
    prompt: str
    question: str
    options: tuple[str, ...] = ()
    context: str = ""
    evidence: Evidence = field(default_factory=lambda: Evidence(frames="none"))
    instruction: str | None = None
    video: str | None = None
    has_audio: bool | None = None
    clip_start: float | None = None
    clip_end: float | None = None
    asked_at: float | None = None
    cues: tuple[Cue, ...] = ()
    clips: tuple[Clip, ...] = ()
    pictures: tuple[str, ...] = ()
    session: str = ""
    turn: int = 0
    history: tuple[Turn, ...] = ()
    resend: int = 0
    max_new_tokens: int | None = None
    stop: tuple[str, ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None

    @property
    def media(self) -> tuple[str, ...]:
        """Every file that the question needs, each once."""
        paths = (self.video, *(clip.path for clip in self.clips), *self.pictures)
        return tuple(dict.fromkeys(path for path in paths if path))

    @property
    def text(self) -> str:
        """The complete user text of a question that begins a conversation."""
        return self.context + self.prompt

    def conversation(self) -> list[tuple[str, str]]:
        """(role, text) of all turns, the last one being this question. A context stands only where it is new."""
        said: list[tuple[str, str]] = []
        known: set[str] = {""}
        for turn in (*self.history, Turn(self.prompt, "", self.context)):
            said.append(("user", turn.prompt if turn.context in known else turn.context + turn.prompt))
            said += [("assistant", turn.reply)]
            known.add(turn.context)
        return said[:-1]

    def to_specific(self) -> dict[str, Any]:
        """For `Doc.specific`: the same keys with the same types on every row (lighteval writes them to parquet).

        The task, the prompt, the instruction, the stop strings and the answer's length have fields of `Doc` itself.
        """
        return {
            "item_id": self.id,
            "question": self.question,
            "options": json.dumps(self.options, ensure_ascii=False),
            "evidence": json.dumps(self.evidence.to_dict()),
            "video": self.video or "",
            "has_audio": self.has_audio,
            "clip_start": self.clip_start,
            "clip_end": self.clip_end,
            "asked_at": self.asked_at,
            "context": self.context,
            "cues": json.dumps([[cue.start, cue.end, cue.text] for cue in self.cues], ensure_ascii=False),
            "clips": json.dumps([astuple(clip) for clip in self.clips], ensure_ascii=False),
            "pictures": json.dumps(self.pictures),
            "session": self.session,
            "turn": self.turn,
            "history": json.dumps([astuple(turn) for turn in self.history], ensure_ascii=False),
            "resend": self.resend,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "top_k": self.top_k,
        }

    @classmethod
    def from_doc(cls, doc: Doc) -> "Request":
        """The request that a task put into a Doc; a Doc of a foreign task becomes a question without any media.

        Raises ChalkbenchError if several samples are asked for.
        """
        if doc.num_samples > 1:
            raise ChalkbenchError(
                f"task {doc.task_name} asks for {doc.num_samples} samples an item: only 1 is supported"
            )
        specific = doc.specific or {}
        return cls(
            id=str(specific.get("item_id", doc.id)),
            task=doc.task_name,
            prompt=doc.query.removeprefix(specific.get("context", "")),
            context=specific.get("context", ""),
            question=specific.get("question", doc.query),
            options=tuple(json.loads(specific["options"])) if "options" in specific else tuple(doc.choices or ()),
            evidence=Evidence(**json.loads(specific["evidence"]))
            if "evidence" in specific
            else Evidence(frames="none"),
            instruction=doc.instruction or None,
            video=specific.get("video") or None,
            has_audio=specific.get("has_audio"),
            clip_start=specific.get("clip_start"),
            clip_end=specific.get("clip_end"),
            asked_at=specific.get("asked_at"),
            cues=tuple(Cue(*cue) for cue in json.loads(specific.get("cues") or "[]")),
            clips=tuple(Clip(*clip) for clip in json.loads(specific.get("clips") or "[]")),
            pictures=tuple(json.loads(specific.get("pictures") or "[]")),
            session=specific.get("session", ""),
            turn=specific.get("turn", 0),
            history=tuple(Turn(*turn) for turn in json.loads(specific.get("history") or "[]")),
            resend=specific.get("resend", 0),
            max_new_tokens=doc.generation_size,
            stop=tuple(doc.stop_sequences or ()),
            temperature=specific.get("temperature"),
            top_p=specific.get("top_p"),
            top_k=specific.get("top_k"),
        )


@dataclass(frozen=True)
class Material:
    """What was decoded for a request. note: what was asked for but is not there, "" = nothing is amiss.

    clips: the frames of each of `Request.clips`. pictures: uint8 (3, height, width) each, of `Request.pictures`.
    """

    frames: Frames | None = None
    sound: Sound | None = None
    note: str = ""
    clips: tuple[Frames, ...] = ()
    pictures: tuple[torch.Tensor, ...] = ()


@dataclass(frozen=True)
class Seen:
    """What a model really got, and how its answer ended.

    frame_indices, frame_times: position in the file, and seconds from its start; of clips one after another.
    seconds_of_audio: heard by the model; seconds_of_audio_available: in the clip.
    cues: subtitles in the prompt. turns: earlier questions in it. truncated: the answer was cut at `max_new_tokens`.
    note: whatever a reader of the result should know, e.g. "no audio track".
    """

    frame_indices: tuple[int, ...] = ()
    frame_times: tuple[float, ...] = ()
    seconds_of_audio: float = 0.0
    seconds_of_audio_available: float = 0.0
    cues: int = 0
    turns: int = 0
    prompt_tokens: int | None = None
    new_tokens: int | None = None
    truncated: bool = False
    note: str = ""


@dataclass(frozen=True)
class Answer:
    """A reply, or why there is none.

    text: the raw reply, reasoning included; "" if there is none.
    status: a reason of `chalkbench.scoring.outcome`, None = a reply was made.
    error: the fault in words.
    """

    text: str
    status: str | None = None
    seen: Seen = Seen()
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Answer":
        """The way back. Fields that this version does not know are left out."""
        seen = {name: tuple(value) if isinstance(value, list) else value for name, value in values["seen"].items()}
        return cls(
            text=values["text"],
            status=values["status"],
            seen=Seen(**{name: seen[name] for name in _SEEN_FIELDS & seen.keys()}),
            error=values["error"],
        )


_SEEN_FIELDS = {one.name for one in fields(Seen)}

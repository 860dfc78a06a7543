"""The caption cascade, MMOU's baseline of section 4.1: two captioners describe a video, a text model answers.

`caption_cascade?vision=MODEL&audio=MODEL&text=MODEL`. What is seen and what is heard are described separately, the two
descriptions become one, and the text model gets it with the question and nothing else. The paper prints neither its
prompts nor how the descriptions become one: the wording below is ours, and by default the text model writes the one
("fused into a single coherent audio-visual description").

What belongs here: prompts, and the order of the steps. What does not: how captions are made and kept (`captions.py`),
how a model is asked (`transformers_video.py`, `transformers_text.py`), and how its name is read (`chalkbench.models`).
"""

import hashlib
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Literal

import torch

from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.media.video import Frames
from chalkbench.models import transformers_text, transformers_video
from chalkbench.models.base import Backend, Batch
from chalkbench.models.captions import Caption, Captions, Wanted, in_groups
from chalkbench.models.material import bounds
from chalkbench.models.request import Answer, Clip, Material, Request

RECIPE = 1  # part of the fingerprint: raise it when the same captions would be made or used in another way
CAPTION_TOKENS = 1024
FUSIONS = ("model", "joined")

# All wording is unpublished: MMOU describes the baseline without its prompts.
SEEN = (
    "Describe this video in detail and in the order of time: what is shown, who does what, what changes. Copy text, "
    "formulas and numbers on the screen word for word. Say only what can be seen."
)
HEARD = (
    "Describe this recording in detail and in the order of time: write down what is said as literally as you can, who "
    "says it and how, and name music and other sounds. Say only what can be heard."
)
PICTURE = "Describe this picture in detail. Copy text, formulas and numbers word for word. Say only what can be seen."
FUSE = (
    "These are two descriptions of the same video.\n\n{joined}\n\nWrite one coherent description of the video, in the "
    "order of time, that keeps every detail of both. Add nothing that they do not say."
)
# in this order, also where they only stand behind each other
SEEN_HEADING, HEARD_HEADING = "What can be seen:\n", "What can be heard:\n"
DESCRIPTION = "Description of the video:\n{description}\n\n"  # before transcript and question

_OF_SEEN, _OF_HEARD = "description of what is seen", "description of what is heard"
_OF_PICTURE, _OF_BOTH = "description of a picture", "fused description"

Made = Mapping[Hashable, Caption]


@dataclass(frozen=True)
class Needs:
    """The captions of one question: of what is seen (its video, or each of its clips), heard, and of its pictures."""

    seen: tuple[Wanted, ...]
    heard: tuple[Wanted, ...]
    pictures: tuple[Wanted, ...]

    @property
    def both(self) -> Hashable:
        """The key of the description that is made of what is seen and heard."""
        return "both", tuple(one.key for one in (*self.seen, *self.heard))

    def used(self, made: Made) -> list[Caption]:
        """What was made of it so far."""
        keys = [*(one.key for one in (*self.seen, *self.heard, *self.pictures)), self.both]
        return [made[key] for key in keys if key in made]


class CaptionCascade:
    """The back end `caption_cascade`, of loaded back ends; `load` loads them.

    vision describes frames, audio the sound (None = sound is refused), text makes one of the two and answers.
    fuse: model = the text model writes one description; joined = one stands behind the other.
    caption_tokens: the longest description. captions: file to which every description is appended, a JSON line each.
    Raises ChalkbenchError for a captioner that cannot hear, or a setting that cannot be.
    """

    wants: Literal["material"] = "material"

    def __init__(
        self,
        *,
        vision: Backend,
        text: Backend,
        audio: Backend | None = None,
        fuse: str = "model",
        caption_tokens: int = CAPTION_TOKENS,
        captions: str | Path | None = None,
    ) -> None:
        _check(fuse, caption_tokens)
        if audio is not None and not audio.hears:
            raise ChalkbenchError(f"audio={audio.name}: this model cannot hear, so it cannot describe the sound")
        self._vision, self._audio, self._text = vision, audio, text
        self._fuse, self._tokens, self._captions = fuse, caption_tokens, Captions(captions)
        self.hears = audio is not None
        self.sound_rate = getattr(audio, "sound_rate", 16_000)
        self.tokenizer = getattr(text, "tokenizer", None)
        self.max_length = getattr(text, "max_length", None)
        parts = {"vision": vision, "audio": audio, "text": text}
        given = {role: part for role, part in parts.items() if part is not None}
        self.name = "caption_cascade:" + "+".join(part.name.rpartition("/")[2] for part in given.values())
        identity = [RECIPE, SEEN, HEARD, PICTURE, FUSE, SEEN_HEADING, HEARD_HEADING, DESCRIPTION]
        identity += [(role, part.name, part.fingerprint) for role, part in given.items()]
        self.fingerprint = hashlib.sha256(json.dumps(identity).encode()).hexdigest()
        self.settings = {
            **{role: f"{part.name}@{part.fingerprint[:12]}" for role, part in given.items()},
            "fuse": fuse,
            "caption_tokens": caption_tokens,
            **_shared([getattr(part, "settings", {}) for part in given.values()]),
        }

    def answer(self, batch: Batch) -> list[Answer]:
        """The text model's answers to requests of one length, stop strings and temperature.

        A description that cannot be made fails the questions that need it, and no others.
        """
        needs = [self._needs(request, material) for request, material in batch]
        made = self._described(needs, most=len(batch))
        answers: dict[int, Answer] = {}
        asked: dict[int, Request] = {}
        for place, ((request, _), need) in enumerate(zip(batch, needs, strict=True)):
            failed = next((one.failure for one in need.used(made) if one.failure is not None), None)
            if failed is not None:
                answers[place] = failed
            else:
                asked[place] = _question(request, need, made)
        replies = in_groups(self._text, [(request, Material()) for request in asked.values()], most=len(batch))
        for place, reply in zip(asked, replies, strict=True):
            answers[place] = _with_seen(reply, needs[place].used(made))
        return [answers[place] for place in range(len(batch))]

    def _described(self, needs: Sequence[Needs], *, most: int) -> dict[Hashable, Caption]:
        """All captions of some questions, by their keys."""
        make = self._captions.made
        made = make(_OF_SEEN, self._vision, [one for need in needs for one in need.seen], most=most)
        made |= make(_OF_PICTURE, self._vision, [one for need in needs for one in need.pictures], most=most)
        if self._audio is not None:
            made |= make(_OF_HEARD, self._audio, [one for need in needs for one in need.heard], most=most)
        if self._fuse == "model":
            fusions = [self._fusion(need, made) for need in needs]
            made |= make(_OF_BOTH, self._text, [one for one in fusions if one is not None], most=most)
        return made

    def _needs(self, request: Request, material: Material) -> Needs:
        shown = material.clips or ((material.frames,) if material.frames is not None else ())
        clips = request.clips if material.clips else (Clip("", request.video or ""),)
        seen = [
            self._of_frames(frames, clip, policy=request.evidence.frames)
            for frames, clip in zip(shown, clips, strict=False)
            if len(frames.indices)
        ]
        heard = [] if material.sound is None or self._audio is None else [self._of_sound(request, material)]
        pictures = [
            self._of_picture(picture, path) for picture, path in zip(material.pictures, request.pictures, strict=True)
        ]
        return Needs(tuple(seen), tuple(heard), tuple(pictures))

    def _of_frames(self, frames: Frames, clip: Clip, *, policy: str) -> Wanted:
        return Wanted(
            # frames that stand still go another way into the model
            ("seen", clip.path, frames.indices, tuple(frames.pixels.shape), policy.startswith("static")),
            self._asked(SEEN, Evidence(frames=policy)),
            Material(frames=frames),
            label=clip.label,
            of={"video": clip.path, "frames": list(frames.indices)},
        )

    def _of_sound(self, request: Request, material: Material) -> Wanted:
        start, end = bounds(request)
        paths = [clip.path for clip in request.clips] or request.video
        return Wanted(
            ("heard", request.video, request.clips, start, end, request.evidence.normalised),
            self._asked(HEARD, Evidence(frames="none", audio=True)),
            Material(sound=material.sound),
            of={"video": paths, "start": start, "end": end, "seconds": round(material.sound.seconds, 3)},
        )

    def _of_picture(self, picture: torch.Tensor, path: str) -> Wanted:
        return Wanted(
            ("picture", path, tuple(picture.shape)),
            self._asked(PICTURE, Evidence(frames="static:1")),
            Material(frames=Frames(picture[None], (0,), (0.0,), 1.0, 1, 1.0)),
            of={"picture": path},
        )

    def _fusion(self, need: Needs, made: Made) -> Wanted | None:
        """What the text model is to make one of; None where there is only one, or one of them failed."""
        seen, heard = (any(made[one.key].text for one in part) for part in (need.seen, need.heard))
        if not (seen and heard) or any(one.failure for one in need.used(made)):
            return None
        asked = self._asked(FUSE.format(joined=_joined(need, made)), Evidence(frames="none"))
        return Wanted(need.both, asked, Material(), of={"of": [dict(one.of) for one in (*need.seen, *need.heard)]})

    def _asked(self, prompt: str, evidence: Evidence) -> Request:
        return Request(
            id="caption",
            task="caption",
            prompt=prompt,
            question=prompt,
            evidence=evidence,
            max_new_tokens=self._tokens,
        )


def _joined(need: Needs, made: Made) -> str:
    """What is seen, then what is heard, each under its heading; "" if there is neither. Clips have their labels."""
    seen = [
        (f"Clip {one.label}: " if one.label else "") + made[one.key].text for one in need.seen if made[one.key].text
    ]
    heard = [made[one.key].text for one in need.heard if made[one.key].text]
    parts = [SEEN_HEADING + "\n".join(seen)] if seen else []
    parts += [HEARD_HEADING + heard[0]] if heard else []
    return "\n\n".join(parts)


def _question(request: Request, need: Needs, made: Made) -> Request:
    """The question for a model that only reads: the description stands first, where the conversation begins.

    Behind it the transcript, if the evidence has one, and the question; pictures that are options are described
    behind the question, each with its label.
    """
    description = made[need.both].text if need.both in made else ""
    description = description or _joined(need, made)
    before = DESCRIPTION.format(description=description) if description else ""
    first = (request.history[0] if request.history else request).context

    def context(of: str) -> str:
        return before + of if of == first else of

    options = "".join(
        f"\n{label}. {made[one.key].text}" for label, one in zip(ascii_uppercase, need.pictures, strict=False)
    )
    return replace(
        request,
        prompt=request.prompt + options,
        context=context(request.context),
        history=tuple(replace(turn, context=context(turn.context)) for turn in request.history),
        evidence=replace(request.evidence, frames="none", audio=False),
        video=None,
        clips=(),
        pictures=(),
    )


def _with_seen(reply: Answer, used: Sequence[Caption]) -> Answer:
    """The reply with what was heard for it, and what is wrong with its captions."""
    notes = dict.fromkeys(note for note in (*(one.note for one in used), reply.seen.note) if note)
    heard = max((one.seconds for one in used), default=0.0)
    return replace(reply, seen=replace(reply.seen, seconds_of_audio=heard, note="; ".join(notes)))


def _shared(settings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Settings of several models as those of one: the value, or the different ones in the order of the models."""
    names = dict.fromkeys(name for one in settings for name in one)
    values = {name: list(dict.fromkeys(str(one[name]) for one in settings if name in one)) for name in names}
    return {name: "+".join(found) for name, found in values.items()}


def load(
    *,
    vision: str = "",
    audio: str = "",
    text: str = "",
    fuse: str = "model",
    caption_tokens: int = CAPTION_TOKENS,
    captions: str | Path | None = None,
    revision: str | None = None,
    as_images: bool = False,
    max_audio_seconds: float | None = None,
    **loading: Any,
) -> CaptionCascade:
    """A cascade by the Hub ids or folders of its parts; a model that has several parts is loaded once.

    vision, audio, text: `MODEL`, or `ORG/MODEL@COMMIT` of the Hub; audio "" = the cascade only sees. text may be a
    model that only reads. fuse, caption_tokens, captions: of `CaptionCascade`. The others, for all parts alike: of
    `transformers_video.load`. Raises ChalkbenchError that names the part.
    """
    if not vision or not text:
        raise ChalkbenchError(
            "caption_cascade needs a model that sees and one that answers, and takes one that hears: "
            "caption_cascade?vision=MODEL&audio=MODEL&text=MODEL"
        )
    if revision is not None:
        raise ChalkbenchError(f"caption_cascade: write the revision behind a part's model: ORG/MODEL@{revision}")
    _check(fuse, caption_tokens)
    Captions(captions)  # better now than after minutes of loading
    multimodal = loading | {"as_images": as_images, "max_audio_seconds": max_audio_seconds}
    loaded: dict[tuple[str, str | None], Backend] = {}

    def part(role: str, spec: str) -> Backend:
        folder = Path(spec).expanduser()
        model, _, commit = (str(folder.resolve()), "", "") if folder.is_dir() else spec.partition("@")
        key = model, commit or None
        try:
            if key not in loaded:
                reads = transformers_text.only_reads(model, revision=key[1])
                if reads and role != "text":
                    raise ChalkbenchError("this model only reads, so it cannot describe a video")
                open_part = transformers_text.load if reads else transformers_video.load
                loaded[key] = open_part(model, revision=key[1], **(loading if reads else multimodal))
        except ChalkbenchError as error:
            raise ChalkbenchError(f"caption_cascade: {role}={spec}: {error}") from error
        return loaded[key]

    return CaptionCascade(
        vision=part("vision", vision),
        audio=part("audio", audio) if audio else None,
        text=part("text", text),
        fuse=fuse,
        caption_tokens=caption_tokens,
        captions=captions,
    )


def _check(fuse: str, caption_tokens: int) -> None:
    if fuse not in FUSIONS:
        raise ChalkbenchError(f"caption_cascade: fuse={fuse!r}: expected {' or '.join(FUSIONS)}")
    if caption_tokens < 1:
        raise ChalkbenchError(f"caption_cascade: caption_tokens={caption_tokens}: expected at least 1")

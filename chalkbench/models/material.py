"""From a request to what a model sees and hears, each part decoded once for requests that follow each other.

What belongs here: which part of the file the evidence allows. What does not: how it is decoded (`chalkbench.media`).
"""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import numpy as np
import torch

from chalkbench.evidence import Evidence
from chalkbench.media import MediaError
from chalkbench.media.audio import Sound, levelled, read_audio
from chalkbench.media.pictures import read_picture
from chalkbench.media.video import Frames, read_frames
from chalkbench.models.request import Clip, Material, Request

NO_AUDIO_TRACK = "no audio track"
NO_SOUND_HERE = "the audio track has nothing in this part"
NOTHING_YET = "the question comes before anything was shown"

T = TypeVar("T")


def bounds(request: Request) -> tuple[float | None, float | None]:
    """First and last second of the file that the evidence allows; None = from its beginning, to its end."""
    end = request.clip_end
    if request.evidence.horizon == "online" and request.asked_at is not None:
        end = request.asked_at if end is None else min(end, request.asked_at)
    return request.clip_start, end


def frames_key(request: Request) -> Hashable:
    """Requests with equal keys see the same frames; None = no frames."""
    if request.video is None or not request.evidence.sees:
        return None
    evidence = request.evidence
    return request.video, evidence.frames, evidence.size, evidence.stretch, bounds(request)


def sound_key(request: Request) -> Hashable:
    """Requests with equal keys hear the same; None = nothing."""
    if request.video is None or not request.evidence.audio:
        return None
    return request.video, bounds(request), request.evidence.normalised


def shared_out(policy: str, clips: int) -> str:
    """The frames policy of one of several clips: together they show as many frames as one video would.

    A number of frames is divided, and at least 1; a rate stays, and its limit is divided.
    """
    kind, _, rest = policy.partition(":")
    if kind in ("uniform", "static"):
        return f"{kind}:{max(1, int(rest) // clips)}"
    rate, _, most = rest.partition(",max:")
    return f"fps:{rate},max:{max(1, int(most) // clips)}" if most else policy


class Decoder:
    """Keeps the last frames and the last sound, and nothing else: memory does not grow with the benchmark.

    rate: of the sound, samples a second.
    """

    def __init__(self, *, rate: int = 16_000) -> None:
        self._rate = rate
        self._frames: _Last[Frames] = _Last()
        self._sound: _Last[Sound | None] = _Last()

    def material(self, request: Request) -> Material:
        """Raises MediaError if the file cannot give what the evidence asks for.

        A file without an audio track is no error: the request goes on without sound, and a note says so.
        """
        if request.clips:
            return self._of_clips(request)
        pictures = _read_pictures(request)
        frames_of, sound_of = frames_key(request), sound_key(request)
        if frames_of is None and sound_of is None:
            return Material(pictures=pictures)
        start, end = bounds(request)
        if end is not None and end <= (start or 0.0):
            return Material(note=NOTHING_YET, pictures=pictures)
        frames = sound = None
        notes = []
        if frames_of is not None:
            whole = Clip(label="", path=request.video, start=start, end=end)
            frames = self._frames.get(
                frames_of, lambda: _read_frames(whole, request.evidence.frames, request.evidence)
            )
            notes += [frames.note] if frames.note else []
        if sound_of is not None:
            sound = self._sound.get(sound_of, lambda: self._read_sound(request.video, start, end, request.evidence))
            if sound is None:
                notes.append(NO_AUDIO_TRACK)
            elif not len(sound.samples):
                sound = None
                notes.append(NO_SOUND_HERE)
        return Material(frames=frames, sound=sound, note="; ".join(notes), pictures=pictures)

    def _of_clips(self, request: Request) -> Material:
        """Frames of each clip, and their sounds one after another."""
        evidence = request.evidence
        policy = shared_out(evidence.frames, len(request.clips)) if evidence.sees else ""
        clips = [_read_frames(clip, policy, evidence) for clip in request.clips] if evidence.sees else []
        sounds = []
        if evidence.audio:
            sounds = [self._read_sound(clip.path, clip.start, clip.end, evidence) for clip in request.clips]
        heard = [sound.samples for sound in sounds if sound is not None and len(sound.samples)]
        return Material(
            clips=tuple(clips),
            sound=Sound(np.concatenate(heard), self._rate) if heard else None,
            note=NO_AUDIO_TRACK if evidence.audio and not heard else "",
            pictures=_read_pictures(request),
        )

    def _read_sound(self, path: str, start: float | None, end: float | None, evidence: Evidence) -> Sound | None:
        sound = read_audio(path, rate=self._rate, start=start, end=end)
        return levelled(sound) if sound is not None and evidence.normalised else sound


def _read_frames(part: Clip, policy: str, evidence: Evidence) -> Frames:
    return read_frames(
        part.path, policy=policy, start=part.start, end=part.end, size=evidence.size, stretch=evidence.stretch
    )


def _read_pictures(request: Request) -> tuple[torch.Tensor, ...]:
    """The options that are pictures: part of the question, so they are there also for a model that sees no frames."""
    size = request.evidence.size
    return tuple(read_picture(path, size=size) for path in request.pictures)


class _Last(Generic[T]):
    """Remembers one value, or the failure to make it."""

    def __init__(self) -> None:
        self._key: Hashable = None
        self._value: T | None = None
        self._error: MediaError | None = None

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made if it is not the last one. Raises MediaError if it cannot be made."""
        if key != self._key:
            self._value = self._error = None  # the old one goes before the new one is made
            try:
                self._value = make()
            except MediaError as error:
                self._error = error.with_traceback(None)
            self._key = key
        if self._error is not None:
            raise self._error
        return self._value

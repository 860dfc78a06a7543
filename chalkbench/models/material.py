"""From a request to what a model sees and hears, each part decoded once for requests that follow each other.

What belongs here: which part of the file the evidence allows. What does not: how it is decoded (`chalkbench.media`).
"""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from chalkbench.media import MediaError
from chalkbench.media.audio import Sound, read_audio
from chalkbench.media.video import Frames, read_frames
from chalkbench.models.request import Material, Request

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
    return request.video, request.evidence.frames, request.evidence.size, bounds(request)


def sound_key(request: Request) -> Hashable:
    """Requests with equal keys hear the same; None = nothing."""
    return (request.video, bounds(request)) if request.video is not None and request.evidence.audio else None


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
        frames_of, sound_of = frames_key(request), sound_key(request)
        if frames_of is None and sound_of is None:
            return Material()
        start, end = bounds(request)
        if end is not None and end <= (start or 0.0):
            return Material(note=NOTHING_YET)
        frames = sound = None
        notes = []
        if frames_of is not None:
            frames = self._frames.get(frames_of, lambda: _read_frames(request, start, end))
            notes += [frames.note] if frames.note else []
        if sound_of is not None:
            sound = self._sound.get(sound_of, lambda: read_audio(request.video, rate=self._rate, start=start, end=end))
            if sound is None:
                notes.append(NO_AUDIO_TRACK)
            elif not len(sound.samples):
                sound = None
                notes.append(NO_SOUND_HERE)
        return Material(frames=frames, sound=sound, note="; ".join(notes))


def _read_frames(request: Request, start: float | None, end: float | None) -> Frames:
    evidence = request.evidence
    return read_frames(request.video, policy=evidence.frames, start=start, end=end, size=evidence.size)


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

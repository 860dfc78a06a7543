"""Media files to sound: one channel, at the rate that a model takes, on the same clock as the frames.

What belongs here: decoding, averaging of channels, resampling. What does not: features, recognition (`asr.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chalkbench.media.files import decoders, header, reason_of, undecodable

# Sound that is decoded at a time, in all its channels, seconds: bounds the memory. Shorter pieces would cost more: a
# seek each, and in containers with times in milliseconds a step of up to 0.5 ms.
PIECE_SECONDS = 1200.0

# Holes in a track's timestamps: a piece that is shorter than it should be by more is read again in halves, down to
# the second length, so that the sound after a hole stays in time with the picture. Seconds.
HOLE_SECONDS = 0.25
SHORTEST_PIECE_SECONDS = 1.0


# Loudness that `levelled` brings a sound to: root mean square over the whole, relative to full scale. LEMON names no
# figure (appendix I.1.1: "loudness and channel normalization"); this one is ours.
LEVEL_DBFS = -23.0


@dataclass(frozen=True, eq=False)
class Sound:
    """A piece of sound. samples: float32 (n,), one channel, within -1..1. rate: samples a second."""

    samples: np.ndarray
    rate: int

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.samples) / self.rate


def read_audio(
    path: str | Path, *, rate: int = 16_000, start: float | None = None, end: float | None = None
) -> Sound | None:
    """The sound of a media file, or of the part from `start` to `end`; None if it has no audio track.

    start, end: seconds from the beginning of the video (of the sound, if there is no video), as `read_frames` counts;
    None = from the beginning, to the end. The first sample is the one at `start`: a track that begins later has
    silence before it. A track that ends before `start` gives a Sound without samples.

    Channels are averaged (as librosa does; FFmpeg's own downmix of stereo is louder by the root of 2) and resampled by
    FFmpeg's resampler. Raises MediaError (`media_missing`, or `decode_error`: unreadable or damaged, the part is empty
    or outside the file), ValueError for a rate below 1.
    """
    if rate < 1:
        raise ValueError(f"rate={rate}: expected at least 1 sample a second")
    container = header(path)
    if container.best_audio_stream_index is None:
        return None
    begin = start or 0.0
    length = container.duration_seconds_from_header
    if begin < 0 or (end is not None and end <= begin) or (length is not None and begin >= length):
        wanted = f"{begin:g} s to {'its end' if end is None else f'{end:g} s'}"
        raise undecodable(path, f"nothing to hear from {wanted}: the file has {length or 0:.2f} s")
    zero = _zero(container)
    parts, filled = [], 0
    try:
        for moment, samples in _track(path, container, rate, zero + begin, None if end is None else zero + end):
            silence = max(0, round((moment - zero - begin) * rate) - filled)
            if silence > 1:  # one sample is rounding
                parts.append(np.zeros(silence, np.float32))
                filled += silence
            parts.append(samples)
            filled += len(samples)
    except (RuntimeError, ValueError) as error:
        raise undecodable(path, f"its sound cannot be decoded: {reason_of(error, path)}") from error
    return Sound(np.concatenate(parts) if parts else np.zeros(0, np.float32), rate)


def levelled(sound: Sound, *, dbfs: float = LEVEL_DBFS) -> Sound:
    """The sound at one loudness, however it was recorded; less loud where its peaks would leave -1..1.

    Silence stays as it is.
    """
    rms = float(np.sqrt(np.mean(np.square(sound.samples, dtype=np.float64)))) if len(sound.samples) else 0.0
    if rms == 0.0:
        return sound
    gain = min(10 ** (dbfs / 20) / rms, 1.0 / float(np.abs(sound.samples).max()))
    return Sound((sound.samples * gain).astype(np.float32), sound.rate)


def _zero(container: Any) -> float:
    """The timestamp at which the file begins: of its video, else of its sound."""
    best = container.best_video_stream_index
    stream = container.streams[container.best_audio_stream_index if best is None else best]
    return stream.begin_stream_seconds_from_header or 0.0


def _track(
    path: str | Path, container: Any, rate: int, begin: float, end: float | None
) -> Iterator[tuple[float, np.ndarray]]:
    """Timestamp and samples (n,) of successive stretches; there may be holes between them."""
    stream = container.streams[container.best_audio_stream_index]
    lasts = stream.duration_seconds_from_header or container.duration_seconds_from_header
    known_end = None if lasts is None else (stream.begin_stream_seconds_from_header or 0.0) + lasts
    decoder = decoders().AudioDecoder(str(path), sample_rate=rate)
    while end is None or begin < end:
        stop = begin + PIECE_SECONDS if end is None else min(begin + PIECE_SECONDS, end)
        found = list(_pieces(decoder, begin, stop, known_end))
        yield from found
        if not found and (known_end is None or stop >= known_end):
            return
        begin = stop


def _pieces(decoder: Any, begin: float, stop: float, known_end: float | None) -> Iterator[tuple[float, np.ndarray]]:
    """One piece, or several if it has holes; none where the track is silent for lack of data."""
    try:
        piece = decoder.get_samples_played_in_range(begin, stop)
    except RuntimeError as error:
        if "No audio frames were decoded" in str(error):
            return
        raise
    due = min(stop, known_end or stop) - piece.pts_seconds - piece.duration_seconds
    if due > HOLE_SECONDS and stop - begin > SHORTEST_PIECE_SECONDS:
        middle = (begin + stop) / 2
        yield from _pieces(decoder, begin, middle, known_end)
        yield from _pieces(decoder, middle, stop, known_end)
    elif piece.data.numel():
        yield piece.pts_seconds, piece.data.mean(dim=0).numpy()

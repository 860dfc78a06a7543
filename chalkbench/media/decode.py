"""From positions to pixels: the scan of a video, access by seeking that is checked, and the way round when it fails.

A frame's position is its place in the order of presentation. Seeking trusts a file's timestamps, and some lie (AVI
has none for frames out of order, MPEG-TS seeks past the target, damage makes the decoder skip), so each frame that
seeking gives is compared with the scan. One that differs makes the file be decoded from its beginning and counted,
which is slow but right for any file. Neither way holds more than the asked frames and a few more.

What belongs here: torchcodec's video decoders. What does not: which frames are asked for (`sampling.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from chalkbench.media.files import decoders, header, reason_of, undecodable, video_stream

# Full-size frames that are held at a time while others are resized: bytes.
CHUNK_BYTES = 32 * 2**20

# The longest reordering that H.264 and H.265 allow: as many frames may be lost with the end of a file that was cut
# off.
REORDERED = 16

# A header may promise a little more than there is: the sound that outlasts the picture, rounding.
SHORTFALL_SECONDS = 1.0

# Times rounded to a millisecond make the spacing of 60 frames a second uneven by 4 %.
SPACING_TOLERANCE = 0.05

# Share of frames that must keep the rate in the header for it to be the video's rate.
STEADY = 0.95


@dataclass(frozen=True, eq=False)
class FrameIndex:
    """The frames of a file as a scan of its packets (or a full decode) found them.

    pts: timestamps in the file, ascending, seconds, shape (n,). start: timestamp of the first frame.
    duration: seconds from the first frame's beginning to the last one's end. fps: mean rate.
    width, height: as shown, rotation applied.
    ends_early: the header promises more seconds.
    ordinals: place of each frame among those that the decoder gives, -1 = damaged; None = not decoded yet.
    note: what is amiss with the file; "" = nothing.
    """

    pts: np.ndarray
    start: float
    duration: float
    fps: float
    width: int
    height: int
    ends_early: bool = False
    ordinals: np.ndarray | None = None
    note: str = ""

    @property
    def times(self) -> np.ndarray:
        """Seconds from the first frame's beginning."""
        return self.pts - self.start


def scan(path: str | Path) -> FrameIndex:
    """Reads all packets of the video, decodes none: about 40 ms for ten minutes of 720p, beside the reading.

    The header is not trusted for the number and the times of frames. Raises MediaError.
    """
    container = header(path)
    stream = video_stream(path, container)
    try:
        found = decoders().Demuxer(str(path), streams="video").streams[0].scan()
    except (RuntimeError, ValueError) as error:
        raise undecodable(path, f"its packets cannot be read: {reason_of(error, path)}") from error
    if not len(found):
        raise undecodable(path, "the video stream holds no frame")
    pts = found.pts_seconds.numpy()
    start, end = float(pts[0]), found.end_stream_seconds_from_content
    length = float(pts[-1]) - start
    stated = stream.average_fps_from_header
    fps = float(_rate(pts, stated) or (1 / (end - start) if end > start else 1.0))
    # the last packet of a live recording may have no duration of its own
    duration = end - start if end - start > length else length + 1 / fps
    promised = stream.duration_seconds_from_header or container.duration_seconds_from_header or 0.0
    # a container's duration may count from 0 even if the first frame comes later
    ends_early = promised - max(duration, start + duration) > SHORTFALL_SECONDS
    note = f"the video ends after {duration:.2f} s, its header says {promised:.2f} s" if ends_early else ""
    gap = int(np.diff(pts).argmax()) if len(pts) > 1 else None
    if gap is not None and fps == stated and pts[gap + 1] - pts[gap] > SHORTFALL_SECONDS:
        note = _joined(note, f"no frame from {pts[gap] - start:.2f} s to {pts[gap + 1] - start:.2f} s")
    return FrameIndex(pts, start, duration, fps, stream.width, stream.height, ends_early, note=note)


def by_seeking(
    path: str | Path, index: FrameIndex, positions: Sequence[int], shape: tuple[int, int]
) -> torch.Tensor | None:
    """The frames at ascending positions, (n, 3, *shape) uint8; None if seeking does not give just these frames."""
    if not (np.diff(index.pts) > 0).all():
        return None
    pixels = torch.empty((len(positions), 3, *shape), dtype=torch.uint8)
    step = max(1, CHUNK_BYTES // (3 * index.width * index.height))
    try:
        # "exact" costs no more than "approximate" on the files measured, and also serves files without a good header
        decoder = decoders().VideoDecoder(str(path), seek_mode="exact", num_ffmpeg_threads=1)
        if len(decoder) != len(index.pts):
            return None
        # where a container has no timestamps for frames out of order, all labels are late, and the first shows it
        if positions[0] != 0 and decoder.get_frame_at(0).pts_seconds != index.pts[0]:
            return None
        for begin in range(0, len(positions), step):
            part = list(positions[begin : begin + step])
            batch = decoder.get_frames_at(part)
            if not np.array_equal(batch.pts_seconds.numpy(), index.pts[part]):
                return None
            for offset, frame in enumerate(batch.data):
                pixels[begin + offset] = fitted(frame, shape)
    except (RuntimeError, IndexError):
        return None
    return pixels


def counted(path: str | Path, index: FrameIndex) -> FrameIndex:
    """The index of the frames that a decode from beginning to end really gives.

    Frames that are missing at the ends of a file (it was cut off, or it promises more than it holds) leave the index;
    frames that are damaged in its middle stay, with ordinal -1. Raises MediaError if no frame can be decoded, or if it
    cannot be told which ones were lost.
    """
    faults: list[RuntimeError] = []
    labels = np.array([frame.pts_seconds for frame in _play(path, faults)])
    promised = len(index.pts)
    fraction = f"{len(labels)} of its {promised} frames can be decoded"
    if not len(labels):
        raise undecodable(path, f"none of its {promised} frames can be decoded")
    note = index.note if len(labels) == promised else _joined(index.note, fraction)
    ascending = bool(np.all(np.diff(labels) > 0))
    if not (ascending and np.isin(labels, index.pts).all()):
        # timestamps that do not tell which frame is which: only a count can, and only if nothing was lost on the way
        if faults or not (ascending or len(labels) == promised):
            raise undecodable(path, f"damaged: {fraction}")
        # late labels keep their distances; those that begin again say nothing
        pts = labels if ascending else index.start + np.arange(len(labels)) / index.fps
        duration = float(pts[-1] - pts[0]) + 1 / index.fps
        ordinals = np.arange(len(pts))
        return replace(index, pts=pts, start=float(pts[0]), duration=duration, ordinals=ordinals, note=note)
    places = np.searchsorted(index.pts, labels)
    ordinals = np.full(promised, -1)
    ordinals[places] = np.arange(len(labels))
    inner = ordinals[places[0] : max(promised - REORDERED, places[0]) if index.ends_early else None]
    if faults and (inner == -1).any():
        return replace(index, ordinals=ordinals, note=_joined(index.note, f"damaged: {fraction}"))
    duration = index.duration if places[-1] == promised - 1 else float(labels[-1]) - index.start + 1 / index.fps
    return replace(index, pts=labels, ordinals=np.arange(len(labels)), duration=duration, note=note)


def by_counting(path: str | Path, index: FrameIndex, positions: Sequence[int], shape: tuple[int, int]) -> torch.Tensor:
    """The frames at ascending positions of a counted index, (n, 3, *shape) uint8, decoded from the beginning.

    Raises MediaError saying how many of them can be decoded, if not all can.
    """
    wanted = index.ordinals[list(positions)]
    if (wanted == -1).any():
        whole = int((index.ordinals != -1).sum())
        raise undecodable(
            path,
            f"damaged: {int((wanted != -1).sum())} of the {len(wanted)} asked frames can be decoded "
            f"({whole} of all {len(index.pts)})",
        )
    pixels = torch.empty((len(wanted), 3, *shape), dtype=torch.uint8)
    convert = decoders().ColorConverter().convert
    slots = {int(ordinal): slot for slot, ordinal in enumerate(wanted)}
    for ordinal, frame in enumerate(_play(path, [])):
        if ordinal in slots:
            try:
                picture = convert(frame).data
            except RuntimeError as error:
                raise undecodable(path, f"its frames cannot be turned into RGB: {reason_of(error, path)}") from error
            pixels[slots.pop(ordinal)] = fitted(picture, shape)
            if not slots:
                break
    if slots:
        raise undecodable(path, f"{len(slots)} frames were lost on the second reading: the file is changing")
    return pixels


def fitted(frame: torch.Tensor, shape: tuple[int, int]) -> torch.Tensor:
    """A frame (3, H, W) uint8 at (height, width) `shape`: bilinear with antialiasing, rounded, deterministic."""
    if tuple(frame.shape[1:]) == tuple(shape):
        return frame
    return torch.nn.functional.interpolate(frame[None], size=shape, mode="bilinear", antialias=True)[0]


def _play(path: str | Path, faults: list[RuntimeError]) -> Iterator[Any]:
    """All frames that can be decoded, in order of presentation; what the decoder refuses is put into `faults`."""
    demuxer = decoders().Demuxer(str(path), streams="video")
    try:
        decoder = demuxer.streams[0].make_decoder(num_ffmpeg_threads=1)
    except RuntimeError as error:
        raise undecodable(path, f"FFmpeg has no decoder for its video: {reason_of(error, path)}") from error
    while True:
        try:
            packet = next(demuxer)
        except StopIteration:
            break
        except RuntimeError as error:  # reading on would give the same error for ever
            faults.append(error)
            break
        try:
            frames = decoder.decode(packet)
        except RuntimeError as error:
            faults.append(error)
            continue
        yield from frames
    yield from decoder.drain()


def _rate(pts: np.ndarray, stated: float | None) -> float | None:
    """Frames a second: the header's if nearly all keep to it (a gap does not change the rate), else the mean."""
    if len(pts) < 2 or pts[-1] <= pts[0]:
        return stated
    if stated and np.mean(np.abs(np.diff(np.unique(pts)) * stated - 1) < SPACING_TOLERANCE) > STEADY:
        return stated
    return (len(pts) - 1) / float(pts[-1] - pts[0])


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)

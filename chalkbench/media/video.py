"""Video files to frames: exactly the asked ones, at their true times, or a MediaError that says why not.

What belongs here: what a caller sees. What does not: which frames a policy means (`sampling.py`), and how a file that
lies about itself is read (`decode.py`).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from chalkbench.media.decode import FrameIndex, by_counting, by_seeking, counted, scan
from chalkbench.media.files import header, undecodable, video_stream
from chalkbench.media.sampling import choose

if TYPE_CHECKING:
    from transformers.video_utils import VideoMetadata


@dataclass(frozen=True)
class VideoInfo:
    """What a file holds.

    frames, fps, duration (s), start (timestamp of the first frame, s), width, height (as shown, rotation applied):
    of the video. audio_rate (Hz), audio_duration (s): None without audio, or if the header does not say.
    """

    path: str
    frames: int
    fps: float
    duration: float
    start: float
    width: int
    height: int
    has_audio: bool
    audio_rate: int | None
    audio_duration: float | None


@dataclass(frozen=True, eq=False)
class Frames:
    """Frames of a video, decoded.

    pixels: (n, 3, H, W) uint8, RGB. indices: positions in the file. times: seconds from the file's first frame.
    fps: of the file, frames a second. total: frames in the file. duration: of the file, seconds.
    clip: beginning and end of the part that the frames were chosen from, seconds; None = the whole file.
    note: what is amiss with the file; "" = nothing.
    """

    pixels: torch.Tensor
    indices: tuple[int, ...]
    times: tuple[float, ...]
    fps: float
    total: int
    duration: float
    clip: tuple[float, float] | None = None
    note: str = ""

    @property
    def sampled_fps(self) -> float:
        """Chosen frames a second of the clip."""
        begin, end = self.clip or (0.0, self.duration)
        return len(self.indices) / (end - begin)

    def metadata(self) -> "VideoMetadata":
        """The transformers `VideoMetadata` of the clip, for `do_sample_frames=False`.

        Processors take `frames_indices[i] / fps` for a frame's time, so indices count from the clip's beginning, and
        in videos with a variable rate they are the true times put on a constant one.
        """
        from transformers.video_utils import VideoMetadata

        begin, end = self.clip or (0.0, self.duration)
        places = [max(0, round((time - begin) * self.fps)) for time in self.times]
        return VideoMetadata(
            total_num_frames=max(round((end - begin) * self.fps), *(place + 1 for place in places), 1),
            fps=self.fps,
            width=self.pixels.shape[-1],
            height=self.pixels.shape[-2],
            duration=end - begin,
            video_backend="torchcodec",
            frames_indices=places,
        )


def probe(path: str | Path) -> VideoInfo:
    """What a file holds, by its header; by a scan of its packets if the header does not say.

    Raises MediaError for a file that is missing, unreadable, or without a video stream.
    """
    container = header(path)
    stream = video_stream(path, container)
    frames, fps = stream.num_frames_from_header, stream.average_fps_from_header
    duration, start = stream.duration_seconds_from_header, stream.begin_stream_seconds_from_header
    if not frames or not fps or not duration or start is None:
        index = scan(path)
        frames, fps, duration, start = len(index.pts), index.fps, index.duration, index.start
    best = container.best_audio_stream_index
    audio = None if best is None else container.streams[best]
    return VideoInfo(
        path=str(path),
        frames=frames,
        fps=float(fps),
        duration=float(duration),
        start=float(start),
        width=stream.width,
        height=stream.height,
        has_audio=audio is not None,
        audio_rate=audio and audio.sample_rate,
        audio_duration=audio and audio.duration_seconds_from_header,
    )


def read_frames(
    path: str | Path,
    *,
    policy: str = "uniform:64",
    start: float | None = None,
    end: float | None = None,
    size: int | None = None,
    stretch: bool = False,
) -> Frames:
    """The frames that a policy of `Evidence.frames` shows of a video, or of the part from `start` to `end`.

    start, end: seconds from the first frame; None = from the beginning, to the end. The frame on show at `start` is
    part of it, a frame that begins at `end` is not. size: longest side in pixels, aspect kept (bilinear, antialiased);
    None = the video's own. stretch: to squares of that side instead. The file is opened and closed within the call, so
    it may be called in any process; memory is that of the asked frames, however long the video is.

    Raises MediaError (`media_missing`, or `decode_error`: unreadable, no video stream, the part is empty or outside
    the video, some of the asked frames are damaged), ValueError for an unknown policy or a size below 1.
    """
    if size is not None and size < 1:
        raise ValueError(f"size={size}: expected at least 1 pixel, or None for the video's own size")
    index = scan(path)
    shape = (size, size) if stretch and size else _shape(index.height, index.width, size)
    clip = _clip(path, index, start, end)
    positions = choose(policy, index.times, start=clip[0], end=clip[1])
    pixels = by_seeking(path, index, positions, shape) if positions else torch.empty((0, 3, *shape), dtype=torch.uint8)
    if pixels is None:
        index = counted(path, index)
        clip = _clip(path, index, start, end)
        positions = choose(policy, index.times, start=clip[0], end=clip[1])
        pixels = by_counting(path, index, positions, shape)
    return Frames(
        pixels=pixels,
        indices=tuple(positions),
        times=tuple(index.times[positions].tolist()),
        fps=index.fps,
        total=len(index.pts),
        duration=index.duration,
        clip=clip,
        note=index.note,
    )


def _clip(path: str | Path, index: FrameIndex, start: float | None, end: float | None) -> tuple[float, float]:
    """The asked part within the video, seconds. Raises MediaError if it is empty."""
    begin, stop = start or 0.0, index.duration if end is None else min(end, index.duration)
    if not 0 <= begin < stop:
        wanted = f"{begin:g} s to {'its end' if end is None else f'{end:g} s'}"
        raise undecodable(path, f"nothing to show from {wanted}: the video has {index.duration:.2f} s")
    return begin, stop


def _shape(height: int, width: int, size: int | None) -> tuple[int, int]:
    """(height, width) with the longest side at `size`, the other to the nearest pixel, at least 1."""
    if size is None:
        return height, width
    longest = max(height, width)
    return max(1, round(height * size / longest)), max(1, round(width * size / longest))

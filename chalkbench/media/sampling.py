"""Which frames of a video are shown, as positions: no file is opened here.

What belongs here: the policies of `Evidence.frames`, over frame times or over a constant rate. What does not:
decoding (`video.py`) and the order of segments.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

# Matroska and WebM round times to a millisecond, so a frame counts as shown up to one before its stated time.
TICK = 1e-3

POLICY_FORMS = "none, uniform:N, static:N, fps:R or fps:R,max:N"


class _Span(NamedTuple):
    """The part of a video to choose from: all frame times (s), first and last position, and its bounds (s)."""

    times: np.ndarray
    first: int
    last: int
    start: float
    end: float


def frame_indices(policy: str, *, total: int, fps: float, first: int = 0, last: int | None = None) -> list[int]:
    """Positions of the frames that a policy shows of a video with a constant rate.

    total: frames of the video. fps: frames a second. first, last: the part to choose from, both included (None = to
    the end). Returns distinct ascending positions within [first, last]; `uniform:N` and `static:N` give exactly
    min(N, available). Raises ValueError for an unknown policy or bounds outside the video.
    """
    if fps <= 0:
        raise ValueError(f"fps={fps}: expected a rate above 0")
    if total < 1:
        raise ValueError(f"total={total}: expected at least 1 frame")
    last = total - 1 if last is None else last
    if not 0 <= first <= last < total:
        raise ValueError(f"first={first}, last={last}: expected 0 <= first <= last <= {total - 1}")
    return _choose(policy, _Span(np.arange(total) / fps, first, last, first / fps, (last + 1) / fps))


def frame_times(policy: str, *, start: float, end: float, fps: float) -> list[float]:
    """Times (s) of the frames that a policy shows of the part [start, end) of a video with a constant rate.

    The first frame begins at `start`. Raises ValueError for an unknown policy, a rate of 0 or an empty part.
    """
    if not 0 <= start < end:
        raise ValueError(f"start={start}, end={end}: expected 0 <= start < end")
    total = max(1, math.ceil((end - start - TICK) * fps))
    return [start + index / fps for index in frame_indices(policy, total=total, fps=fps)]


def choose(policy: str, times: Sequence[float] | np.ndarray, *, start: float, end: float) -> list[int]:
    """Positions of the frames that a policy shows, for frames at any (also uneven) times.

    times: of all frames, ascending, in seconds. start, end: the part to choose from, in seconds, within the video. The
    frame on show at `start` belongs to the part, a frame that begins at `end` does not. Raises ValueError for an
    unknown policy or an empty part.
    """
    if not 0 <= start < end:
        raise ValueError(f"start={start}, end={end}: expected 0 <= start < end")
    times = np.asarray(times, dtype=float)
    first = max(int(np.searchsorted(times, start + TICK, side="right")) - 1, 0)
    last = max(int(np.searchsorted(times, end - TICK)) - 1, first)
    return _choose(policy, _Span(times, first, last, start, end))


def _choose(policy: str, span: _Span) -> list[int]:
    name, _, argument = policy.partition(":")
    if name not in _POLICIES:
        raise ValueError(f"policy={policy!r}: expected {POLICY_FORMS}")
    try:
        return [int(position) for position in _POLICIES[name](span, argument)]
    except ValueError:
        raise ValueError(f"policy={policy!r}: expected {POLICY_FORMS}, with N at least 1 and R above 0") from None


def _nothing(span: _Span, argument: str) -> list[int]:
    if argument:
        raise ValueError(argument)
    return []


def _uniform(span: _Span, argument: str) -> np.ndarray:
    """N positions from the first to the last, both included, fractions cut off: linspace(first, last, N, dtype=int).

    This is what decord-based loaders do (lmms-eval `load_video_decord`, LLaVA-Video `load_video`), so that equal
    policies show equal frames; `uniform:1` is the first frame.
    """
    count = int(argument)
    if count < 1:
        raise ValueError(argument)
    available = span.last - span.first + 1
    return np.linspace(span.first, span.last, min(count, available), dtype=int)


def _by_rate(span: _Span, argument: str) -> np.ndarray:
    """The frames on show at start, start + 1/R, start + 2/R, ... before the end, each once.

    With more than max:N of them, N uniform ones instead (as LLaVA-Video's `load_video`).
    """
    rate, _, cap = argument.partition(",")
    per_second = float(rate)
    if not 0 < per_second < math.inf or (cap and not cap.startswith("max:")):
        raise ValueError(argument)
    # a frame is taken if a moment falls into its time on show: the moments before its beginning and its end differ
    edges = np.concatenate(([span.start], span.times[span.first + 1 : span.last + 1] - TICK, [span.end - TICK]))
    moments_before = np.ceil((edges - span.start) * per_second)
    positions = span.first + np.flatnonzero(np.diff(moments_before) > 0)
    if not len(positions):  # a part shorter than a tick
        positions = np.array([span.first])
    return _uniform(span, cap.removeprefix("max:")) if cap and len(positions) > int(cap[4:]) else positions


_POLICIES = {"none": _nothing, "uniform": _uniform, "static": _uniform, "fps": _by_rate}

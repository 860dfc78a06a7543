import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.media.sampling import choose, frame_indices, frame_times

RATES = st.sampled_from([0.5, 1.0, 12.5, 24000 / 1001, 25.0, 30000 / 1001, 60.0])


@st.composite
def ranges(draw):
    total = draw(st.integers(1, 20_000))
    first = draw(st.integers(0, total - 1))
    return total, first, draw(st.integers(first, total - 1))


@given(ranges(), st.integers(1, 2000), RATES, st.sampled_from(["uniform", "static"]))
def test_a_count_gives_exactly_that_many_or_all_there_are(part, count, fps, policy):
    total, first, last = part
    indices = frame_indices(f"{policy}:{count}", total=total, fps=fps, first=first, last=last)
    assert len(indices) == min(count, last - first + 1)
    assert indices == sorted(set(indices))
    assert first <= indices[0] and indices[-1] <= last


@given(ranges(), st.integers(1, 2000))
def test_uniform_is_the_rule_of_decord_loaders(part, count):
    total, first, last = part
    if count <= last - first + 1:
        expected = np.linspace(first, last, count, dtype=int).tolist()
        assert frame_indices(f"uniform:{count}", total=total, fps=25, first=first, last=last) == expected


@given(ranges(), RATES, st.floats(0.01, 100, allow_subnormal=False), st.integers(1, 500))
def test_a_rate_gives_distinct_ascending_frames_and_keeps_its_cap(part, fps, rate, cap):
    total, first, last = part
    free = frame_indices(f"fps:{rate:.4f}", total=total, fps=fps, first=first, last=last)
    capped = frame_indices(f"fps:{rate:.4f},max:{cap}", total=total, fps=fps, first=first, last=last)
    for indices in (free, capped):
        assert indices == sorted(set(indices))
        assert first <= indices[0] and indices[-1] <= last
    assert len(capped) == min(len(free), cap)
    if len(free) <= cap:
        assert capped == free


@given(ranges(), RATES)
def test_a_rate_at_or_above_the_videos_gives_every_frame(part, fps):
    total, first, last = part
    if last - first < 5000:
        for rate in (fps, 2 * fps):
            assert frame_indices(f"fps:{rate!r}", total=total, fps=fps, first=first, last=last) == list(
                range(first, last + 1)
            )


def test_thirteen_of_fifteen_are_thirteen():
    assert len(frame_indices("uniform:13", total=15, fps=30)) == 13


def test_more_than_there_are_gives_each_once():
    assert frame_indices("uniform:20", total=10, fps=30) == list(range(10))
    assert frame_indices("uniform:16", total=9, fps=30) == list(range(9))


def test_a_rate_picks_by_time():
    assert frame_indices("fps:1", total=100, fps=30) == [0, 30, 60, 90]
    assert frame_indices("fps:1", total=100, fps=29.97) == [0, 29, 59, 89]
    assert frame_indices("fps:2.5", total=25, fps=10) == [0, 4, 8, 12, 16, 20, 24]
    assert frame_indices("fps:1", total=100, fps=30, first=45, last=80) == [45, 75]


def test_a_rate_above_its_cap_becomes_uniform():
    assert frame_indices("fps:1,max:4", total=100, fps=10) == frame_indices("uniform:4", total=100, fps=10)


def test_an_absurd_rate_costs_no_more_than_the_frames():
    assert frame_indices("fps:1000000000", total=100_000, fps=1) == list(range(100_000))


def test_none_shows_nothing():
    assert frame_indices("none", total=100, fps=30) == []


@pytest.mark.parametrize(
    "policy", ["", "uniform", "uniform:0", "uniform:-3", "uniform:1.5", "fps:0", "fps:-1", "fps:nan", "fps:inf", "all"]
)
def test_an_unknown_policy_is_named_with_the_forms_there_are(policy):
    with pytest.raises(ValueError, match=r"policy=.*uniform:N"):
        frame_indices(policy, total=10, fps=10)


@pytest.mark.parametrize("policy", ["fps:1,max:0", "fps:1,most:3", "fps:1,max:x", "none:1"])
def test_a_malformed_cap_is_refused(policy):
    with pytest.raises(ValueError, match="policy="):
        frame_indices(policy, total=100, fps=10)


@pytest.mark.parametrize(
    "bounds",
    [
        {"total": 0, "fps": 1},
        {"total": 5, "fps": 0},
        {"total": 5, "fps": 1, "first": 5},
        {"total": 5, "fps": 1, "first": 3, "last": 2},
        {"total": 5, "fps": 1, "last": 5},
    ],
)
def test_bounds_outside_the_video_are_refused(bounds):
    with pytest.raises(ValueError, match="expected"):
        frame_indices("uniform:2", **bounds)


@given(st.floats(0, 1000), st.floats(0.1, 500), st.integers(1, 64), RATES)
def test_times_lie_in_the_part(start, length, count, fps):
    times = frame_times(f"uniform:{count}", start=start, end=start + length, fps=fps)
    assert times[0] == start and all(start <= time < start + length for time in times)
    assert len(times) == min(count, max(1, math.ceil((length - 1e-3) * fps))) or len(times) == count


class TestUnevenTimes:
    TIMES = (0.0, 1.0, 2.0, 2.1, 2.2, 2.3, 9.0)

    def pick(self, policy, start=0.0, end=10.0):
        return choose(policy, self.TIMES, start=start, end=end)

    def test_a_rate_takes_what_is_on_show(self):
        assert self.pick("fps:1") == [0, 1, 2, 5, 6]

    def test_uniform_counts_frames_not_seconds(self):
        assert self.pick("uniform:3") == [0, 3, 6]

    def test_the_frame_on_show_at_the_start_belongs_to_the_part(self):
        assert self.pick("uniform:9", start=1.5, end=2.15) == [1, 2, 3]
        assert self.pick("uniform:9", start=5, end=6) == [5]

    def test_a_frame_that_begins_at_the_end_does_not(self):
        assert self.pick("uniform:9", start=0, end=2.0) == [0, 1]

    def test_adjoining_parts_share_no_frame_when_frames_begin_at_the_border(self):
        assert self.pick("uniform:9", start=0, end=2.0) + self.pick("uniform:9", start=2.0) == list(range(7))

    def test_times_rounded_to_milliseconds_count_as_reached(self):
        times = [round(index / 30, 3) for index in range(300)]
        assert choose("fps:30", times, start=0.0, end=10.0) == list(range(300))

    @pytest.mark.parametrize(("start", "end"), [(10.0, 10.0), (3, 3), (4, 2), (-1, 5)])
    def test_an_empty_part_is_refused(self, start, end):
        with pytest.raises(ValueError, match="start < end"):
            self.pick("uniform:2", start=start, end=end)

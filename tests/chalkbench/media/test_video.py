import hashlib
import multiprocessing
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
import torchcodec
from transformers.video_utils import VideoMetadata

from chalkbench.errors import ChalkbenchError
from chalkbench.media import MediaError, decode
from chalkbench.media.video import Frames, probe, read_frames

WHOLE = [
    "plain.mp4", "vfr.mp4", "vfr.mkv", "late.mp4", "late.mkv", "plain.ts", "odd.webm", "odd.mp4", "one.mp4",
    "three.mp4", "vp8.webm", "live.mkv", "live.webm", "no_timestamps.avi", "stereo.mp4", "late_sound.mp4",
]  # fmt: skip


def in_order(media, clips, name, frames):
    """What ffmpeg gives for the same places, read from the beginning."""
    return media.ffmpeg_frames(clips[name], frames.indices, *frames.pixels.shape[-2:])


@pytest.mark.parametrize("name", WHOLE)
def test_every_frame_is_the_asked_one_whatever_the_container(media, clips, name):
    frames = read_frames(clips[name], policy="uniform:1000")
    assert media.numbers_of(frames.pixels) == list(range(frames.total)) == list(frames.indices)


@pytest.mark.parametrize("name", [*WHOLE, "rotated.mp4", "edited.mp4"])
def test_pixels_equal_ffmpegs_bit_for_bit(media, clips, name):
    frames = read_frames(clips[name], policy="uniform:5")
    np.testing.assert_array_equal(frames.pixels.numpy(), in_order(media, clips, name, frames))


@pytest.mark.parametrize("name", ["plain.mp4", "vfr.mp4", "vfr.mkv", "late.mkv", "plain.ts", "no_timestamps.avi"])
def test_access_in_the_middle_gives_what_reading_from_the_beginning_gives(media, clips, name):
    whole = read_frames(clips[name], policy="uniform:1000")
    for index in (3, 24, 25, 30, 49, 61, 74):
        begin = whole.times[index]
        one = read_frames(clips[name], policy="uniform:1", start=begin, end=begin + 0.01)
        assert one.indices == (index,)
        assert one.times == (begin,)
        assert torch.equal(one.pixels[0], whole.pixels[index])


def test_uneven_times_are_the_files_own(media, clips):
    for name in ("vfr.mp4", "vfr.mkv"):
        assert read_frames(clips[name], policy="uniform:75").times == pytest.approx(media.VFR_TIMES, abs=1e-3)


def test_a_rate_goes_by_the_clock_when_frames_do_not(media, clips):
    frames = read_frames(clips["vfr.mp4"], policy="fps:2")
    assert media.numbers_of(frames.pixels) == [0, 5, 10, 15, 20, 45, 70]


def test_a_late_beginning_is_subtracted(clips):
    for name in ("late.mp4", "late.mkv", "plain.ts", "live.mkv"):
        frames = read_frames(clips[name], policy="uniform:3")
        assert frames.times == pytest.approx((0.0, 37 / 25, 74 / 25), abs=1e-3)
        assert frames.duration == pytest.approx(3.0, abs=1e-3)
        assert frames.note == ""
    assert probe(clips["late.mp4"]).start == pytest.approx(5.0, abs=1e-3)


def test_rotation_is_applied_once(media, clips):
    info = probe(clips["rotated.mp4"])
    assert (info.width, info.height) == (120, 160)
    frames = read_frames(clips["rotated.mp4"], policy="uniform:5")
    assert frames.pixels.shape == (5, 3, 160, 120)
    upright = torch.rot90(frames.pixels, 1, dims=(-2, -1))
    assert media.numbers_of(upright) == list(frames.indices)


def test_rotation_is_applied_once_on_the_slow_way_too(clips, monkeypatch):
    quick = read_frames(clips["rotated.mp4"], policy="uniform:5")
    monkeypatch.setattr("chalkbench.media.video.by_seeking", lambda *_: None)
    assert torch.equal(read_frames(clips["rotated.mp4"], policy="uniform:5").pixels, quick.pixels)


def test_odd_sizes_are_true(clips):
    for name in ("odd.webm", "odd.mp4"):
        assert read_frames(clips[name], policy="uniform:2").pixels.shape == (2, 3, 321, 241)
        assert (probe(clips[name]).width, probe(clips[name]).height) == (241, 321)


@pytest.mark.parametrize(("name", "there"), [("one.mp4", 1), ("three.mp4", 3), ("ten.mp4", 10)])
def test_a_short_clip_gives_each_frame_once(media, clips, name, there):
    for policy in ("uniform:16", "uniform:64", "fps:60", "static:20"):
        frames = read_frames(clips[name], policy=policy)
        assert media.numbers_of(frames.pixels) == list(range(there))
        assert frames.metadata().frames_indices == list(range(there))


def test_a_header_without_duration_costs_nothing(clips):
    for name in ("live.mkv", "live.webm"):
        info = probe(clips[name])
        assert (info.frames, info.fps) == (75, 25.0)
        assert info.duration == pytest.approx(3.0, abs=1e-3)
        assert len(read_frames(clips[name], policy="uniform:20").indices) == 20


def test_a_header_that_counts_hidden_frames_is_not_believed(media, clips):
    assert probe(clips["edited.mp4"]).frames > 42
    frames = read_frames(clips["edited.mp4"], policy="uniform:1000")
    assert media.numbers_of(frames.pixels) == list(range(33, 75))
    assert frames.total == 42


def test_a_file_that_gives_fewer_frames_than_it_has_packets_is_sampled_again(media, clips, monkeypatch):
    scanned = decode.scan(clips["plain.mp4"])
    more = np.concatenate([scanned.pts, scanned.pts[-1] + np.arange(1, 31) / 25])
    false = decode.FrameIndex(more, 0.0, 105 / 25, 25.0, 160, 120)
    monkeypatch.setattr("chalkbench.media.video.scan", lambda path: false)
    frames = read_frames(clips["plain.mp4"], policy="uniform:5")
    assert media.numbers_of(frames.pixels) == list(frames.indices) == [0, 18, 37, 55, 74]
    assert (frames.total, frames.duration) == (75, pytest.approx(3.0))
    assert frames.note == "75 of its 105 frames can be decoded"


class TestDamage:
    def test_damage_in_the_middle_does_not_hide_the_rest(self, media, clips):
        frames = read_frames(clips["damaged.mp4"], policy="uniform:8", start=14)
        assert media.numbers_of(frames.pixels) == list(frames.indices)
        assert frames.indices[0] == 350 and frames.indices[-1] == 499

    def test_asked_frames_that_are_lost_are_counted(self, clips):
        with pytest.raises(MediaError, match=r"7 of the 8 asked frames can be decoded \(\d+ of all 500\)") as caught:
            read_frames(clips["damaged.mp4"], policy="uniform:8")
        assert caught.value.reason == "decode_error"
        assert caught.value.path == str(clips["damaged.mp4"])

    @pytest.mark.parametrize("name", ["cut.mp4", "cut.mkv"])
    def test_a_file_cut_off_is_sampled_over_what_is_left_and_says_so(self, media, clips, name):
        frames = read_frames(clips[name], policy="uniform:8")
        assert len(frames.indices) == 8
        assert frames.total < 320
        assert "header says 20.00 s" in frames.note
        # the last frames may refer to lost ones; each still stands at its time
        assert media.numbers_of(frames.pixels) == [round(time * 25) for time in frames.times]

    @pytest.mark.parametrize(
        ("name", "reason", "message"),
        [
            ("nowhere.mp4", "media_missing", "does not exist"),
            ("empty.mp4", "decode_error", "empty"),
            ("text.mp4", "decode_error", "cannot be read as a media file"),
            ("sound_only.m4a", "decode_error", "no video stream"),
            ("", "decode_error", "folder"),
        ],
    )
    def test_a_file_that_is_no_video_says_what_it_is_in_one_line(self, clips, tmp_path, name, reason, message):
        path = clips[name] if name and name != "nowhere.mp4" else tmp_path / name
        for read in (probe, read_frames):
            with pytest.raises(MediaError, match=message) as caught:
                read(path)
            assert caught.value.reason == reason
            assert str(caught.value).startswith(f"{path}: ")
            assert "\n" not in str(caught.value)

    def test_an_unknown_codec_is_named_as_the_fault(self, clips, tmp_path):
        path = tmp_path / "codec.mp4"
        path.write_bytes(clips["plain.mp4"].read_bytes().replace(b"avc1", b"zzzz"))
        with pytest.raises(MediaError, match=r"decoder|codec") as caught:
            read_frames(path)
        assert caught.value.reason == "decode_error"

    def test_joined_recordings_whose_clock_begins_again_are_counted_through(self, media, tmp_path):
        sizes = ((160, 120), (240, 160))
        parts = [
            media.encode(tmp_path / f"{w}.ts", *media.X264, "-bf", 0, frames=20, width=w, height=h) for w, h in sizes
        ]
        path = tmp_path / "both.ts"
        path.write_bytes(b"".join(part.read_bytes() for part in parts))
        frames = read_frames(path, policy="uniform:1000")
        assert media.numbers_of(frames.pixels) == [*range(20), *range(20)]
        assert frames.pixels.shape[1:] == (3, 120, 160)  # pictures of another size come in that of the header
        assert frames.times == pytest.approx([index / 25 for index in range(40)])

    def test_a_failure_travels_between_processes(self, clips):
        with pytest.raises(MediaError) as caught:
            read_frames(clips["text.mp4"])
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), again.path, again.reason) == (str(caught.value), caught.value.path, caught.value.reason)

    def test_noise_in_place_of_the_header_is_an_error(self, media, clips, tmp_path):
        path = media.damaged(tmp_path / "header.mp4", clips["plain.mp4"], 0, 0.05)
        with pytest.raises(MediaError, match="cannot be read"):
            read_frames(path)


class TestParts:
    def test_bounds_choose_the_frames(self, media, clips):
        frames = read_frames(clips["plain.mp4"], policy="uniform:1000", start=1.0, end=2.0)
        assert media.numbers_of(frames.pixels) == list(frames.indices) == list(range(25, 50))
        assert frames.clip == (1.0, 2.0)
        assert frames.total == 75

    def test_nothing_after_the_end_is_shown(self, clips):
        frames = read_frames(clips["vfr.mp4"], policy="fps:25", end=1.95)
        assert max(frames.times) < 1.95

    def test_an_end_beyond_the_video_is_its_end(self, clips):
        frames = read_frames(clips["plain.mp4"], policy="uniform:3", start=2.0, end=99)
        assert frames.indices == (50, 62, 74)
        assert frames.clip == (2.0, 3.0)

    @pytest.mark.parametrize(("start", "end"), [(3.0, None), (50, 60), (2, 2), (2, 1), (-1, 2)])
    def test_a_part_with_nothing_in_it_is_an_error_of_the_item(self, clips, start, end):
        with pytest.raises(MediaError, match="nothing to show"):
            read_frames(clips["plain.mp4"], start=start, end=end)

    def test_no_frames_may_be_asked_for(self, clips):
        assert read_frames(clips["plain.mp4"], policy="none").pixels.shape == (0, 3, 120, 160)


class TestSize:
    @pytest.mark.parametrize(
        ("name", "size", "shape"),
        [
            ("plain.mp4", 80, (60, 80)),
            ("odd.webm", 160, (160, 120)),
            ("odd.webm", 642, (642, 482)),
            ("rotated.mp4", 80, (80, 60)),
            ("plain.mp4", 1, (1, 1)),
        ],
    )
    def test_the_longest_side_has_the_size(self, clips, name, size, shape):
        assert read_frames(clips[name], policy="uniform:2", size=size).pixels.shape[-2:] == shape

    def test_small_frames_still_show_what_the_large_ones_do(self, media, clips):
        frames = read_frames(clips["plain.mp4"], policy="uniform:20", size=72)
        assert media.numbers_of(frames.pixels) == list(frames.indices)

    def test_resizing_is_the_antialiased_bilinear_one(self, clips):
        full = read_frames(clips["plain.mp4"], policy="uniform:5").pixels.float()
        small = read_frames(clips["plain.mp4"], policy="uniform:5", size=48).pixels.float()
        exact = torch.nn.functional.interpolate(full, size=(36, 48), mode="bilinear", antialias=True)
        assert (small - exact).abs().max() <= 1  # whole numbers

    def test_a_size_below_one_is_refused(self, clips):
        with pytest.raises(ValueError, match="size=0"):
            read_frames(clips["plain.mp4"], size=0)


class TestSameEveryTime:
    @pytest.mark.parametrize("name", ["no_timestamps.avi", "plain.mp4"])
    def test_a_hundred_readings_are_equal(self, clips, name):
        def digest():
            frames = read_frames(clips[name], policy="uniform:6", size=100)
            return hashlib.sha256(frames.pixels.numpy().tobytes() + repr(frames.times).encode()).hexdigest()

        assert len({digest() for _ in range(100)}) == 1

    def test_processes_forked_after_a_reading_read_the_same(self, clips):
        here = read_frames(clips["plain.mp4"], policy="uniform:4").pixels

        class Twice(torch.utils.data.Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, item):
                return read_frames(clips["plain.mp4"], policy="uniform:4").pixels

        loader = torch.utils.data.DataLoader(
            Twice(), batch_size=1, num_workers=2, multiprocessing_context=multiprocessing.get_context("fork")
        )
        assert all(torch.equal(batch[0], here) for batch in loader)


class TestMetadata:
    def test_processors_get_rate_places_and_length(self, clips):
        frames = read_frames(clips["plain.mp4"], policy="uniform:8")
        metadata = frames.metadata()
        assert isinstance(metadata, VideoMetadata)
        assert (metadata.total_num_frames, metadata.fps, metadata.duration) == (75, 25.0, pytest.approx(3.0))
        assert metadata.frames_indices == list(frames.indices)
        assert (metadata.width, metadata.height) == (160, 120)
        assert metadata.sampled_fps == pytest.approx(frames.sampled_fps) == pytest.approx(8 / 3)

    def test_few_and_many_frames_have_different_rates(self, clips):
        rates = {count: read_frames(clips["plain.mp4"], policy=f"uniform:{count}").sampled_fps for count in (8, 32)}
        assert rates[32] == pytest.approx(4 * rates[8])

    def test_a_part_is_a_video_of_its_own(self, clips):
        metadata = read_frames(clips["plain.mp4"], policy="uniform:5", start=1.0, end=2.0).metadata()
        assert (metadata.total_num_frames, metadata.duration) == (25, 1.0)
        assert metadata.frames_indices == [0, 6, 12, 18, 24]
        assert metadata.sampled_fps == pytest.approx(5.0)

    def test_uneven_times_reach_the_processor(self, clips):
        frames = read_frames(clips["vfr.mp4"], policy="uniform:9")
        assert frames.metadata().timestamps == pytest.approx(frames.times, abs=0.5 / frames.fps)
        assert frames.fps == pytest.approx(74 / 3.08, abs=0.01)

    def test_places_lie_inside_the_video(self):
        frames = Frames(torch.zeros(2, 3, 4, 4), (0, 9), (0.0, 0.999), 10.0, 10, 1.0)
        metadata = frames.metadata()
        assert max(metadata.frames_indices) < metadata.total_num_frames


def test_probe_tells_what_a_file_holds(clips):
    info = probe(clips["stereo.mp4"])
    assert (info.frames, info.fps, info.width, info.height) == (75, 25.0, 160, 120)
    assert info.duration == pytest.approx(3.0) and info.start == 0
    assert (info.has_audio, info.audio_rate) == (True, 44100)
    assert info.audio_duration == pytest.approx(3.0, abs=0.05)
    assert not probe(clips["plain.mp4"]).has_audio
    assert probe(clips["plain.mp4"]).audio_rate is None


@pytest.fixture(scope="module")
def large(media, tmp_path_factory):
    folder, size = tmp_path_factory.mktemp("large"), {"width": 1920, "height": 1080, "frames": 60}
    return {
        "mp4": media.encode(folder / "large.mp4", *media.X264, **size),
        "avi": media.encode(folder / "large.avi", "-c:v", "mpeg4", "-bf", 2, **size),
    }


class TestMemory:
    """Peak memory in a process of its own: 60 frames of 1080p are 373 MB, a small result must not need them all."""

    def growth(self, path, body):
        script = f"""
        import resource, torch
        from chalkbench.media.video import read_frames
        torch.set_num_threads(1)
        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        path = {str(path)!r}
        read_frames(path, policy="uniform:2", size=64)
        before = peak()
        {body}
        print(peak() - before)
        """
        run = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
        )
        return float(run.stdout)

    @pytest.mark.parametrize("kind", ["mp4", "avi"])  # by seeking, and from the beginning
    def test_full_size_frames_are_not_kept(self, large, kind):
        assert self.growth(large[kind], 'read_frames(path, policy="uniform:60", size=64)') < 120

    def test_readings_leave_nothing_behind(self, clips):
        body = 'for _ in range(200): read_frames(path, policy="uniform:16", size=64)'
        assert self.growth(clips["plain.mp4"], body) < 30


class TestWithoutFFmpeg:
    def test_missing_libraries_are_named_with_the_remedy(self, clips, monkeypatch):
        monkeypatch.setattr(torchcodec, "ffmpeg_major_version", None)
        for read in (probe, read_frames):
            with pytest.raises(ChalkbenchError, match="apt-get install ffmpeg") as caught:
                read(clips["plain.mp4"])
            assert not isinstance(caught.value, MediaError)

    def test_a_torchcodec_that_does_not_load_is_named_too(self, clips, monkeypatch):
        monkeypatch.setitem(sys.modules, "torchcodec", None)
        with pytest.raises(ChalkbenchError, match="torchcodec cannot be loaded"):
            read_frames(clips["plain.mp4"])

    def test_importing_the_readers_does_not_load_torchcodec(self):
        modules = "sampling, video, audio, subtitles"
        script = f"import sys; from chalkbench.media import {modules}; sys.exit('torchcodec' in sys.modules)"
        subprocess.run([sys.executable, "-c", script], check=True)

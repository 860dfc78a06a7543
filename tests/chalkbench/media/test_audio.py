import numpy as np
import pytest

from chalkbench.media import MediaError
from chalkbench.media import audio as audio_module
from chalkbench.media.audio import Sound, read_audio


def loudness(sound: Sound, begin: float, end: float) -> float:
    return float(np.sqrt(np.mean(sound.samples[int(begin * sound.rate) : int(end * sound.rate)] ** 2)))


def pitch(sound: Sound, begin: float, end: float) -> float:
    """The strongest frequency, Hz."""
    part = sound.samples[int(begin * sound.rate) : int(end * sound.rate)]
    return float(np.abs(np.fft.rfft(part * np.hanning(len(part)))).argmax() * sound.rate / len(part))


def by_ffmpeg(media, path, rate: int, channels: str) -> np.ndarray:
    raw = media.run_ffmpeg("-i", path, "-af", channels, "-ar", rate, "-f", "f32le", "-")
    return np.frombuffer(raw, np.float32)


def test_channels_are_averaged_not_summed(media, clips):
    sound = read_audio(clips["stereo.mp4"], rate=44_100)
    expected = by_ffmpeg(media, clips["stereo.mp4"], 44_100, "pan=mono|c0=0.5*c0+0.5*c1")
    length = min(len(expected), len(sound.samples))
    assert length > 2.9 * 44_100
    np.testing.assert_allclose(sound.samples[:length], expected[:length], atol=1e-5)
    assert loudness(sound, 0.5, 2.5) == pytest.approx(np.hypot(0.5, 0.2) / 2 / np.sqrt(2), rel=0.02)


def test_averaging_and_resampling_commute(media, clips):
    sound = read_audio(clips["stereo.mp4"])
    expected = by_ffmpeg(media, clips["stereo.mp4"], 16_000, "pan=mono|c0=0.5*c0+0.5*c1")
    length = min(len(expected), len(sound.samples))
    np.testing.assert_allclose(sound.samples[:length], expected[:length], atol=1e-3)


@pytest.mark.parametrize("rate", [8_000, 16_000, 24_000, 44_100])
def test_the_rate_is_the_asked_one_and_the_pitch_stays(clips, rate):
    sound = read_audio(clips["sound.mp4"], rate=rate)
    assert sound.rate == rate
    assert sound.samples.dtype == np.float32 and sound.samples.ndim == 1
    assert sound.seconds == pytest.approx(3.0, abs=0.05)
    assert pitch(sound, 0.5, 2.5) == pytest.approx(440, abs=1)


@pytest.mark.parametrize(("name", "seconds"), [("tone_40.mp4", 40), ("tone_310.mp4", 310)])
def test_long_sound_is_not_cut(clips, name, seconds):
    sound = read_audio(clips[name])
    assert sound.seconds == pytest.approx(seconds, abs=0.1)
    assert pitch(sound, seconds - 2, seconds - 1) == pytest.approx(440, abs=2)


def test_a_silent_video_has_none(clips):
    assert read_audio(clips["plain.mp4"]) is None


def test_a_file_of_sound_alone_is_read(clips):
    assert read_audio(clips["sound_only.m4a"]).seconds == pytest.approx(3.0, abs=0.1)


def test_bounds_choose_the_part(clips):
    whole = read_audio(clips["tone_40.mp4"])
    part = read_audio(clips["tone_40.mp4"], start=10.5, end=12.25)
    assert part.seconds == pytest.approx(1.75, abs=1e-3)
    np.testing.assert_allclose(part.samples, whole.samples[168_000 : 168_000 + len(part.samples)], atol=1e-4)


def test_an_end_beyond_the_track_is_its_end(clips):
    assert read_audio(clips["sound.mp4"], start=2.0, end=99).seconds == pytest.approx(1.0, abs=0.05)


def test_time_counts_from_the_videos_first_frame(clips):
    plain = read_audio(clips["sound.mp4"], end=2.5).samples
    for name in ("late.mp4", "late.mkv"):
        late = read_audio(clips[name], end=2.5).samples
        assert abs(len(late) - len(plain)) <= 16
        # Matroska's times are whole milliseconds: the sound may stand a few samples beside
        agreement = max(
            np.corrcoef(plain[1000 : 1000 + 8000], late[1000 + shift : 9000 + shift])[0, 1] for shift in range(-16, 17)
        )
        assert agreement > 0.999


def test_a_track_that_begins_later_has_silence_before_it(clips):
    sound = read_audio(clips["late_sound.mp4"])
    assert sound.seconds == pytest.approx(4.0, abs=0.05)
    assert loudness(sound, 0, 0.95) < 1e-3
    assert loudness(sound, 1.1, 3.9) > 0.05


def test_a_part_after_the_tracks_end_is_empty_but_no_error(clips):
    sound = read_audio(clips["short_sound.mp4"], start=1.5, end=2.5)
    assert sound.seconds == 0 and sound.samples.dtype == np.float32


def test_sound_after_a_hole_stays_in_time(clips):
    sound = read_audio(clips["hole.mkv"])
    assert sound.seconds == pytest.approx(20, abs=0.05)
    assert loudness(sound, 5.3, 7.7) == 0
    assert loudness(sound, 1, 4.9) > 0.05 and loudness(sound, 8.3, 19.9) > 0.05


def test_pieces_join_without_a_seam(clips, monkeypatch):
    whole = read_audio(clips["tone_40.mp4"])
    monkeypatch.setattr(audio_module, "PIECE_SECONDS", 7.0)
    pieces = read_audio(clips["tone_40.mp4"])
    assert len(pieces.samples) == len(whole.samples)
    np.testing.assert_allclose(pieces.samples, whole.samples, atol=1e-3)


def test_a_recording_without_a_length_is_read_to_its_end(clips):
    assert read_audio(clips["live.mkv"]).seconds == pytest.approx(3.0, abs=0.1)


def test_readings_are_equal(clips):
    first = read_audio(clips["stereo.mp4"]).samples
    assert all(np.array_equal(read_audio(clips["stereo.mp4"]).samples, first) for _ in range(5))


def test_damaged_sound_is_an_error_not_silence(clips):
    with pytest.raises(MediaError, match="sound cannot be decoded") as caught:
        read_audio(clips["damaged_sound.mp4"])
    assert caught.value.reason == "decode_error"


@pytest.mark.parametrize(
    ("name", "reason"), [("nowhere.mp4", "media_missing"), ("empty.mp4", "decode_error"), ("text.mp4", "decode_error")]
)
def test_a_file_that_is_no_media_is_an_error(clips, tmp_path, name, reason):
    with pytest.raises(MediaError) as caught:
        read_audio(tmp_path / name if name == "nowhere.mp4" else clips[name])
    assert caught.value.reason == reason


@pytest.mark.parametrize(("start", "end"), [(2, 2), (2, 1), (-1, None), (50, None)])
def test_a_part_outside_the_file_is_an_error(clips, start, end):
    with pytest.raises(MediaError, match="nothing to hear"):
        read_audio(clips["sound.mp4"], start=start, end=end)


def test_a_rate_below_one_is_refused(clips):
    with pytest.raises(ValueError, match="rate=0"):
        read_audio(clips["sound.mp4"], rate=0)

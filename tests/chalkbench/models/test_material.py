from dataclasses import replace

import pytest

from chalkbench.evidence import Evidence
from chalkbench.media import MediaError
from chalkbench.models import material
from chalkbench.models.material import NO_AUDIO_TRACK, NO_SOUND_HERE, NOTHING_YET, Decoder, bounds


@pytest.fixture
def reads(monkeypatch):
    """Every decoding of this test, as it happens."""
    calls = []
    for name in ("read_frames", "read_audio"):
        real = getattr(material, name)
        monkeypatch.setattr(
            material, name, lambda *args, real=real, name=name, **kw: calls.append(name) or real(*args, **kw)
        )
    return calls


def online(**fields):
    return Evidence(frames="uniform:4", audio=True, horizon="online", **fields)


@pytest.mark.parametrize(
    ("start", "end", "asked", "expected"),
    [
        (None, None, None, (None, None)),
        (2, 9, None, (2, 9)),
        (2, 9, 5, (2, 5)),
        (2, 9, 12, (2, 9)),
        (2, None, 5, (2, 5)),
    ],
)
def test_an_online_horizon_ends_at_the_question(question, start, end, asked, expected):
    request = question(evidence=online(), clip_start=start, clip_end=end, asked_at=asked)
    assert bounds(request) == expected
    assert bounds(replace(request, evidence=Evidence())) == (start, end)


def test_frames_and_sound_are_those_of_the_clip(question, clips, media):
    request = question(video=clips["sound.mp4"], audio=True, clip_start=1.0, clip_end=2.0)
    got = Decoder().material(request)
    assert media.numbers_of(got.frames.pixels) == [25, 33, 41, 49]
    assert got.sound.seconds == pytest.approx(1.0, abs=0.05)
    assert got.note == ""


def test_nothing_after_the_question_is_seen_or_heard(question, clips, media):
    got = Decoder().material(question(video=clips["sound.mp4"], evidence=online(), asked_at=1.0))
    assert max(media.numbers_of(got.frames.pixels)) < 25
    assert got.sound.seconds == pytest.approx(1.0, abs=0.05)


def test_a_question_before_the_beginning_shows_nothing(question, clips):
    got = Decoder().material(question(video=clips["sound.mp4"], evidence=online(), asked_at=0.0))
    assert (got.frames, got.sound, got.note) == (None, None, NOTHING_YET)


def test_what_is_not_asked_for_is_not_opened(question, reads, tmp_path):
    got = Decoder().material(question(video=tmp_path / "missing.mp4", frames="none"))
    assert (got.frames, got.sound, got.note, reads) == (None, None, "", [])


def test_a_silent_clip_goes_on_without_sound_and_says_so(question, clips):
    got = Decoder().material(question(video=clips["plain.mp4"], audio=True))
    assert len(got.frames.indices) == 4
    assert (got.sound, got.note) == (None, NO_AUDIO_TRACK)


def test_sound_that_ends_before_the_clip_is_noted(question, clips):
    got = Decoder().material(question(video=clips["short_sound.mp4"], audio=True, clip_start=2.0))
    assert (got.sound, got.note) == (None, NO_SOUND_HERE)


def test_sound_that_cannot_be_decoded_is_a_fault_not_silence(question, clips):
    with pytest.raises(MediaError) as caught:
        Decoder().material(question(video=clips["damaged_sound.mp4"], frames="none", audio=True))
    assert caught.value.reason == "decode_error"


def test_questions_that_follow_each_other_share_what_is_decoded(question, clips, reads):
    decoder = Decoder()
    video = clips["sound.mp4"]
    both = decoder.material(question("a", video, audio=True))
    only_seen = decoder.material(question("b", video))
    only_heard = decoder.material(question("c", video, frames="none", audio=True))
    assert reads == ["read_frames", "read_audio"]
    assert only_seen.frames is both.frames and only_heard.sound is both.sound
    decoder.material(question("d", video, frames="uniform:2"))
    assert reads == ["read_frames", "read_audio", "read_frames"]


def test_a_failure_is_remembered_like_a_value(question, tmp_path, reads):
    decoder = Decoder()
    for id in "abc":
        with pytest.raises(MediaError) as caught:
            decoder.material(question(id, tmp_path / "missing.mp4"))
        assert caught.value.reason == "media_missing"
    assert reads == ["read_frames"]

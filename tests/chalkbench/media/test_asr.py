import numpy as np
import pytest

from chalkbench.media.asr import WINDOW, Moonshine, windows
from chalkbench.media.audio import Sound, read_audio


@pytest.fixture(scope="module")
def moonshine() -> Moonshine:
    return Moonshine()


@pytest.fixture(scope="module")
def lecture(request) -> Sound:
    """27 s of the sample's synthetic voice."""
    return read_audio(request.config.rootpath / "benchmarks" / "mmou" / "sample" / "test" / "sample_ch01.mp4")


def test_speech_becomes_text_in_order(moonshine, lecture):
    text = " ".join(cue.text.lower() for cue in moonshine.transcribe(lecture))
    found = [text.find(word) for word in ("paper mill", "bubble", "peter", "snails")]
    assert -1 not in found and found == sorted(found)


def test_times_lie_within_the_sound_and_do_not_run_back(moonshine, lecture):
    cues = moonshine.transcribe(lecture)
    assert [cue.start for cue in cues] == sorted(cue.start for cue in cues)
    assert all(0 <= cue.start < cue.end <= lecture.seconds + 1 for cue in cues)


def test_speech_after_the_first_window_keeps_its_time(moonshine, lecture):
    quiet = np.zeros(int(40 * lecture.rate), dtype=np.float32)
    cues = moonshine.transcribe(Sound(np.concatenate([quiet, lecture.samples]), lecture.rate))
    heard = [cue for cue in cues if "bubble" in cue.text.lower()]
    expected = [cue for cue in moonshine.transcribe(lecture) if "bubble" in cue.text.lower()]
    assert heard and heard[0].start == pytest.approx(expected[0].start + 40, abs=4)


@pytest.mark.parametrize("seconds", [0, 0.01, 3])
def test_silence_gives_no_words(moonshine, seconds):
    assert moonshine.transcribe(Sound(np.zeros(int(16_000 * seconds), dtype=np.float32), 16_000)) == []


def test_long_track_is_cut_in_its_pauses_and_nothing_is_lost():
    rate = 1000
    samples = np.random.default_rng(0).normal(size=100 * rate).astype(np.float32)
    pauses = [28, 55, 80]
    for second in pauses:
        samples[second * rate : second * rate + rate // 2] = 0
    pieces = list(windows(samples, rate))
    assert [first for first, _ in pieces] == [0, *(last for _, last in pieces[:-1])] and pieces[-1][1] == len(samples)
    assert all(last - first <= WINDOW * rate for first, last in pieces)
    cuts = [last / rate for _, last in pieces[:-1]]
    assert [int(cut) for cut in cuts] == pauses


def test_short_track_is_one_piece():
    assert list(windows(np.zeros(5, dtype=np.float32), 16_000)) == [(0, 5)]

import numpy as np
import pytest

from chalkbench.media.asr import WINDOW, Moonshine, windows, without_loops
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


def test_pieces_stand_in_order_within_the_sound(moonshine, lecture):
    twice = Sound(np.concatenate([lecture.samples, lecture.samples]), lecture.rate)
    cues = moonshine.transcribe(twice)
    assert len(cues) == 2 and cues[0].start == 0 and cues[-1].end == twice.seconds
    assert cues[0].end == cues[1].start == pytest.approx(lecture.seconds, abs=5)
    assert "paper mill" in cues[0].text and "snails" in cues[1].text


def test_words_do_not_depend_on_what_was_heard_before(moonshine, lecture, request):
    """The recogniser's own detector of speech carried its state over, from one track and instance to the next."""
    sample = request.config.rootpath / "benchmarks" / "mmou" / "sample" / "test"
    other = read_audio(sample / "sample_ph01.mp4", end=9)
    first, again = moonshine.transcribe(other), Moonshine()
    again.transcribe(Sound(lecture.samples[: 9 * lecture.rate], lecture.rate))
    assert first and again.transcribe(other) == moonshine.transcribe(other) == first


@pytest.mark.parametrize("kind", ["tone", "noise"])
def test_no_words_are_made_of_tones_and_noise(moonshine, kind):
    time = np.arange(10 * 16_000) / 16_000
    sounds = {
        "tone": 0.3 * np.sin(2 * np.pi * 440 * time),
        "noise": np.random.default_rng(0).normal(scale=0.1, size=len(time)),
    }
    assert moonshine.transcribe(Sound(sounds[kind].astype(np.float32), 16_000)) == []


def test_sentence_that_comes_back_in_a_loop_is_kept_once():
    assert without_loops("See a movie. See a movie. See a movie. Then go home.") == "See a movie. Then go home."
    assert without_loops("") == ""


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

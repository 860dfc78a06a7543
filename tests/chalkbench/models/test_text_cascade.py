import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence, condition
from chalkbench.media import ocr
from chalkbench.media.audio import Sound
from chalkbench.media.subtitles import Cue
from chalkbench.media.video import Frames
from chalkbench.models import load_model, text_cascade
from chalkbench.models.base import VideoModel
from chalkbench.models.material import NO_AUDIO_TRACK
from chalkbench.models.request import Material
from chalkbench.models.text_cascade import NO_SPEECH, NO_TEXT, TextCascade

BOTH = Evidence(frames="uniform:32", audio=True)
SAMPLE = Path("benchmarks") / "mmou" / "sample"
LECTURES = ("sample_ch01", "sample_ph02", "-sample_ch2")  # both, only slides, mostly speech


@pytest.fixture(scope="module")
def cascade() -> TextCascade:
    return TextCascade()


@pytest.fixture(scope="module")
def model(cascade):
    """The back end as lighteval gets it, loaded once for this file."""
    return VideoModel(cascade, progress=False)


@pytest.fixture(scope="module")
def sample(request) -> list[dict]:
    """The questions of three lectures of the sample release."""
    release = request.config.rootpath / SAMPLE
    records = json.loads((release / "MMOU_TEST_MINI.json").read_text(encoding="utf-8"))
    chosen = []
    for record in records:
        for lecture in LECTURES:
            if lecture in record["video_url"]:
                chosen.append(record | {"path": release / "test" / f"{lecture}.mp4"})
    return chosen


@pytest.fixture
def ask(model, question, docs):
    """Answers of the model to the sample's questions under a condition."""

    def run(records, evidence):
        requests = [
            question(
                record["question_id"],
                record["path"],
                question=record["question"],
                options=tuple(record["options"].values()),
                evidence=evidence,
            )
            for record in records
        ]
        model.greedy_until(docs(*requests))
        return [model.answers[request.task, request.id] for request in requests]

    return run


def correct(answers, records) -> float:
    hits = [answer.text == f"Answer: {r['correct_option_letter']}" for answer, r in zip(answers, records, strict=True)]
    return sum(hits) / len(hits)


def frames_of(*pictures) -> Frames:
    count = len(pictures)
    return Frames(
        torch.stack(pictures), tuple(range(count)), tuple(map(float, range(count))), 1.0, count, float(count)
    )


GREY = torch.full((3, 90, 160), 128, dtype=torch.uint8)
SILENCE = Sound(np.zeros(16_000, dtype=np.float32), 16_000)


def test_it_beats_chance_with_both_and_falls_to_chance_with_neither(ask, sample):
    def score(name):
        return correct(ask(sample, condition(name, BOTH)), sample)

    both, blind = score("default"), score("text_only")
    assert both >= 0.6 and blind <= 0.2  # chance with ten options: 0.1
    assert blind < score("vision_only") < both and blind < score("audio_only") < both


def test_answers_say_what_was_seen_and_heard(ask, sample):
    silent = next(record for record in sample if record["path"].stem == "sample_ph02")
    spoken = next(record for record in sample if record["path"].stem == "sample_ch01")
    first, second = ask([silent, spoken], BOTH)
    assert len(first.seen.frame_indices) == len(first.seen.frame_times) == 32
    assert first.seen.seconds_of_audio == 0 and NO_AUDIO_TRACK in first.seen.note
    assert second.seen.seconds_of_audio == pytest.approx(spoken["video_duration"], abs=0.2)
    assert not second.seen.note


def test_video_is_read_and_heard_once_for_all_its_questions(ask, sample, cascade, monkeypatch):
    asked = {"read": 0, "heard": 0}
    read, transcribe = cascade._ocr.read, cascade._asr.transcribe
    monkeypatch.setattr(cascade, "_texts", type(cascade._texts)())
    monkeypatch.setattr(cascade._ocr, "read", lambda frame: (asked.update(read=asked["read"] + 1), read(frame))[1])
    monkeypatch.setattr(
        cascade._asr, "transcribe", lambda sound: (asked.update(heard=asked["heard"] + 1), transcribe(sound))[1]
    )
    records = [record for record in sample if record["path"].stem == "sample_ch01"]
    assert len(records) >= 5
    ask(records[:1], BOTH)
    once = dict(asked)
    ask(records, BOTH)
    assert asked == once and once["heard"] == 1


def test_neighbours_do_not_change_an_answer(cascade, sample, question):
    requests = [
        question(r["question_id"], question=r["question"], options=tuple(r["options"].values()), evidence=BOTH)
        for r in sample[:6]
    ]
    cues = (Cue(0, 2, "The first trial failed because a bubble was stuck in the tap."),)
    batch = [(replace(request, cues=cues), Material()) for request in requests]
    assert cascade.answer(batch) == [cascade.answer([one])[0] for one in batch]


def test_frames_without_text_and_sound_without_speech_still_get_an_answer(cascade, question):
    request = question(video="blank.mp4", evidence=BOTH)
    answer = cascade.answer([(request, Material(frames=frames_of(GREY, GREY), sound=SILENCE))])[0]
    assert answer.text in ("Answer: A", "Answer: B") and answer.status is None
    assert NO_TEXT in answer.seen.note and NO_SPEECH in answer.seen.note


def test_given_subtitles_stand_in_for_the_sound(cascade, question, monkeypatch):
    monkeypatch.setattr(cascade._asr, "transcribe", lambda sound: pytest.fail("must not be heard"))
    request = question(
        question="Who made the rope?",
        options=("a smith", "a fisherman"),
        cues=(Cue(0, 2, "A fisherman made the rope."),),
    )
    answer = cascade.answer([(request, Material(sound=SILENCE))])[0]
    assert answer.text == "Answer: B" and answer.seen.cues == 1 and answer.seen.seconds_of_audio == 0


def test_open_question_gets_the_supporting_sentence(cascade, question):
    cues = (Cue(0, 2, "The wire is long."), Cue(2, 4, "The stretch grows in step with the load."))
    request = question(question="How does the stretch depend on the load?", options=(), cues=cues)
    assert cascade.answer([(request, Material())])[0].text == "The stretch grows in step with the load."
    assert cascade.answer([(replace(request, cues=()), Material())])[0].text == ""


def test_last_of_26_options_can_be_chosen(cascade, question):
    options = tuple(f"value {number}" for number in range(26))
    request = question(question="Which value?", options=options, cues=(Cue(0, 1, "It is value 25."),))
    assert cascade.answer([(request, Material())])[0].text == "Answer: Z"


def test_frames_of_two_videos_are_not_mixed_up(cascade, question, monkeypatch):
    monkeypatch.setattr(cascade._ocr, "read", lambda frame: ["a ball" if int(frame[0, 0, 0]) else "a bar"])
    dark, light = frames_of(GREY * 0), frames_of(GREY)
    for videos in (("one.mp4", "two.mp4"), (None, None)):
        texts = [
            cascade.answer([(question(video=video), Material(frames=frames))])[0].text
            for video, frames in zip(videos, (dark, light), strict=True)
        ]
        assert texts == ["Answer: A", "Answer: B"]


def test_fingerprint_tells_the_engines_apart(cascade, monkeypatch):
    assert cascade.fingerprint == TextCascade().fingerprint and cascade.settings["ocr"] in cascade.fingerprint
    monkeypatch.setattr(ocr.RapidOcr, "__init__", lambda self: setattr(self, "identity", "another"))
    assert TextCascade(ocr="rapidocr").fingerprint != cascade.fingerprint


def test_changed_weights_stop_the_run_before_it_starts(monkeypatch):
    monkeypatch.setitem(text_cascade.MINILM_SUMS, "model.safetensors", "0" * 64)
    with pytest.raises(ChalkbenchError, match=r"model\.safetensors is not the file"):
        TextCascade()


def test_missing_extra_says_what_to_install(monkeypatch):
    find = text_cascade.checked_folder.__globals__["importlib"].util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *rest: None if name == "moonshine_voice" else find(name, *rest)
    )
    with pytest.raises(ChalkbenchError, match=r"pip install 'chalkbench\[cascade\]'"):
        load_model("text_cascade")

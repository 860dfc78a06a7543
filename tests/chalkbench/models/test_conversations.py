"""Several clips, options that are pictures, and earlier turns, through the processors and models of transformers."""

import numpy as np
import pytest
import torch
from PIL import Image

from chalkbench.media import MediaError
from chalkbench.models.base import VideoModel
from chalkbench.models.material import Decoder, shared_out
from chalkbench.models.request import Clip, Turn
from chalkbench.models.transformers_inputs import abilities, chat_text, tensors
from chalkbench.models.transformers_video import load

KINDS = ["qwen2_5_vl", "qwen3_vl", "qwen2_5_omni", "llava"]


@pytest.fixture(scope="module")
def backends(tiny_model):
    """A loaded model by kind."""
    made = {}

    def get(kind):
        if kind not in made:
            made[kind] = load(str(tiny_model(kind)), device="cpu")
        return made[kind]

    return get


@pytest.fixture
def pictures(tmp_path):
    """Paths of pictures of different colours."""
    paths = []
    for number, color in enumerate(("red", "green", "blue", "white")):
        paths.append(str(tmp_path / f"{number}.png"))
        Image.new("RGB", (64, 48), color).save(paths[-1])
    return tuple(paths)


@pytest.fixture
def three_clips(clips):
    """Two parts of one file and a whole other one, in no order."""
    long = str(clips["long.mp4"])
    return (Clip("c-2", long, 10.0, 14.0), Clip("c-1", long, 2.0, 4.0), Clip("c-3", str(clips["sound.mp4"])))


def answers(backend, docs, *requests, **settings):
    model = VideoModel(backend, progress=False, **settings)
    model.greedy_until(docs(*requests))
    return [model.answers[request.task, request.id] for request in requests]


def shown_to(backend, request):
    processor = backend._processor
    material = Decoder().material(request)
    able = abilities(processor, ["use_audio_in_video"])
    return chat_text(request, material, processor, able)[0], tensors(
        [(request, material)], processor, able, max_audio_seconds=None
    )[0]


def test_clips_share_the_frames_of_one_video():
    assert [shared_out(policy, 4) for policy in ("uniform:64", "uniform:2", "fps:1", "fps:1,max:8")] == [
        "uniform:16", "uniform:1", "fps:1", "fps:1,max:2",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_clip_is_shown_behind_its_name(backends, question, three_clips, kind):
    request = question(clips=three_clips, frames="uniform:12")
    text, out = shown_to(backends(kind), request)
    places = [text.index(f"Clip {name}:") for name in ("c-2", "c-1", "c-3")]
    assert places == sorted(places) and places[-1] < text.index("Question q")
    if kind != "llava":
        assert len(out["video_grid_thw"]) == 3
    else:
        assert len(out["pixel_values"]) == 12


def test_clips_keep_their_own_rates(backends, question, three_clips):
    _, out = shown_to(backends("qwen2_5_omni"), question(clips=three_clips, frames="uniform:12"))
    # four frames of 4, 2 and 3 seconds; two frames go into one place of the grid
    assert out["video_second_per_grid"].tolist() == pytest.approx([2 * 4 / 4, 2 * 2 / 4, 2 * 3 / 4])


def test_the_sounds_of_clips_are_heard_one_after_another(backends, question, docs, three_clips, clips):
    heard = (Clip("a", str(clips["sound.mp4"]), 0.0, 1.0), Clip("b", str(clips["stereo.mp4"]), 1.0, 3.0))
    (answer,) = answers(backends("qwen2_5_omni"), docs, question(clips=heard, audio=True))
    assert answer.seen.seconds_of_audio == pytest.approx(3.0, abs=0.05)
    (silent,) = answers(backends("qwen2_5_omni"), docs, question(clips=heard))
    assert silent.text != answer.text and silent.seen.seconds_of_audio == 0


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_stand_behind_the_question_each_with_its_label(backends, question, clips, pictures, kind):
    request = question(video=clips["sound.mp4"], pictures=pictures)
    text, out = shown_to(backends(kind), request)
    places = [text.index(f"\n{label}. ") for label in "ABCD"]
    assert places == sorted(places) and text.index("Question q") < places[0]
    if kind == "llava":
        assert len(out["pixel_values"]) == 4 + 4
    else:
        assert len(out["image_grid_thw"]) == 4 and len(out["video_grid_thw"]) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_clips_and_pictures_are_answered_alike_alone_and_in_a_batch(
    backends, question, docs, three_clips, pictures, clips, kind
):
    sound = backends(kind).hears
    requests = [
        question("clips", clips=three_clips, audio=sound, frames="uniform:12"),
        question("other clips", clips=three_clips[::-1], audio=sound, frames="uniform:12"),
        question("pictures", clips["sound.mp4"], pictures=pictures, audio=sound),
        question("two pictures", clips["sound.mp4"], pictures=pictures[:2], audio=sound, prompt="Which of both?"),
        question("plain", clips["sound.mp4"], audio=sound),
    ]
    alone = answers(backends(kind), docs, *requests)
    assert all(answer.status is None for answer in alone)
    assert answers(backends(kind), docs, *requests, batch_size=5) == alone
    assert len({answer.text for answer in alone}) == len(alone)


def test_the_conversation_so_far_stands_before_the_question(backends, question, clips):
    history = (Turn("First question?", "First answer.", "Transcript: bars.\n"), Turn("Second?", "Yes."))
    request = question(video=clips["sound.mp4"], history=history, context="Transcript: bars.\n")
    text, out = shown_to(backends("qwen2_5_vl"), request)
    order = ["Transcript: bars.", "First question?", "First answer.", "Second?", "Yes.", "Question q"]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)
    assert text.count("Transcript: bars.") == 1 and len(out["video_grid_thw"]) == 1
    assert text.index("<|video_pad|>") < text.index("Transcript")
    assert text.count("<|im_start|>assistant") == 3


def test_what_was_said_before_changes_the_answer(backends, question, docs, clips):
    requests = [
        question(id, clips["sound.mp4"], history=(Turn("What came first?", reply),), session=id, turn=1)
        for id, reply in (("a", "A bar."), ("b", "A ball, and then another one."))
    ]
    texts = [answer.text for answer in answers(backends("qwen3_vl"), docs, *requests)]
    assert texts[0] != texts[1]


@pytest.mark.parametrize(("content", "reason"), [(None, "media_missing"), (b"no picture", "decode_error")])
def test_a_picture_that_cannot_be_shown_costs_its_question(
    backends, question, docs, clips, pictures, tmp_path, content, reason
):
    broken = tmp_path / "broken.png"
    if content is not None:
        broken.write_bytes(content)
    requests = [
        question("bad", clips["sound.mp4"], pictures=(*pictures[:3], str(broken))),
        question("good", clips["sound.mp4"], pictures=pictures),
    ]
    assert [answer.status for answer in answers(backends("qwen2_5_vl"), docs, *requests)] == [reason, None]
    with pytest.raises(MediaError):
        Decoder().material(requests[0])


def test_a_transparent_picture_lies_on_white(tmp_path):
    from chalkbench.media.pictures import read_picture

    Image.new("RGBA", (300, 100), (255, 0, 0, 0)).save(tmp_path / "clear.png")
    picture = read_picture(tmp_path / "clear.png", size=30)
    assert picture.shape == (3, 10, 30) and picture.dtype == torch.uint8
    assert np.unique(picture.numpy()).tolist() == [255]


def test_stretched_frames_are_squares_and_levelled_sound_has_one_loudness(question, clips):
    from chalkbench.evidence import Evidence
    from chalkbench.media.audio import LEVEL_DBFS

    evidence = Evidence(frames="uniform:2", size=56, stretch=True, audio=True, normalised=True)
    loudness = []
    for name in ("sound.mp4", "stereo.mp4"):
        material = Decoder().material(question(video=clips[name], evidence=evidence))
        assert material.frames.pixels.shape[-2:] == (56, 56)
        loudness.append(20 * np.log10(np.sqrt(np.mean(material.sound.samples**2))))
    assert loudness == pytest.approx([LEVEL_DBFS] * 2, abs=0.1)

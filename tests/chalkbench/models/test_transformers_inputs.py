import pytest
import torch
from transformers import AutoProcessor, BatchFeature

from chalkbench.errors import ChalkbenchError
from chalkbench.models.material import Decoder
from chalkbench.models.request import Material
from chalkbench.models.transformers_inputs import abilities, batch_key, chat_text, route, tensors

VIDEO_AND_SOUND = ["use_audio_in_video"]  # an argument of the models that put sound into video


@pytest.fixture(scope="module")
def processors(tiny_model):
    """A processor by kind."""
    made = {}

    def load(kind):
        if kind not in made:
            made[kind] = AutoProcessor.from_pretrained(tiny_model(kind))
        return made[kind]

    return load


def able_of(processor, **settings):
    return abilities(processor, VIDEO_AND_SOUND, **settings)


def inputs(processor, *requests, max_audio_seconds=None):
    decoder = Decoder()
    batch = [(request, decoder.material(request)) for request in requests]
    return tensors(batch, processor, able_of(processor), max_audio_seconds=max_audio_seconds)


@pytest.mark.parametrize(
    ("kind", "video", "sound", "interleaves"),
    [("qwen2_5_vl", True, False, False), ("qwen3_vl", True, False, False), ("qwen2_5_omni", True, True, True),
     ("llava", False, False, False)],
)  # fmt: skip
def test_abilities_are_read_from_the_processor(processors, kind, video, sound, interleaves):
    able = able_of(processors(kind))
    assert (able.video, able.images, able.sound, able.interleaves) == (video, True, sound, interleaves)
    assert not able_of(processors(kind), as_images=True).video


def test_a_processor_without_a_chat_template_is_refused(processors):
    processor = AutoProcessor.from_pretrained(processors("qwen2_5_vl").tokenizer.name_or_path)
    processor.chat_template = None
    with pytest.raises(ChalkbenchError, match="no chat template"):
        able_of(processor)


def test_frame_times_reach_qwen2_5_vl(processors, question, clips):
    few = inputs(processors("qwen2_5_vl"), question(video=clips["long.mp4"], frames="uniform:8"))[0]
    many = inputs(processors("qwen2_5_vl"), question(video=clips["long.mp4"], frames="uniform:32"))[0]
    # 500 frames at 25 a second; two frames go into one place of the grid
    assert few["second_per_grid_ts"].tolist() == pytest.approx([2 * 20 / 8])
    assert many["second_per_grid_ts"].tolist() == pytest.approx([2 * 20 / 32])


def test_frame_times_of_a_clip_are_those_of_the_clip(processors, question, clips):
    clip = question(video=clips["long.mp4"], frames="uniform:8", clip_start=10.0, clip_end=14.0)
    assert inputs(processors("qwen2_5_vl"), clip)[0]["second_per_grid_ts"].tolist() == pytest.approx([2 * 4 / 8])
    out = inputs(processors("qwen3_vl"), clip)[0]
    text = processors("qwen3_vl").tokenizer.decode(out["input_ids"][0])
    assert "<0.3 seconds>" in text and "<3.7 seconds>" in text


def test_frame_times_reach_qwen3_vl_as_text(processors, question, clips):
    out = inputs(processors("qwen3_vl"), question(video=clips["long.mp4"], frames="uniform:4"))[0]
    text = processors("qwen3_vl").tokenizer.decode(out["input_ids"][0])
    # frames 0, 166, 332 and 499 at 25 a second, in pairs
    assert "<3.3 seconds>" in text and "<16.6 seconds>" in text


def test_frame_times_reach_qwen2_5_omni(processors, question, clips):
    out = inputs(processors("qwen2_5_omni"), question(video=clips["long.mp4"], frames="uniform:8"))[0]
    assert out["video_second_per_grid"].tolist() == pytest.approx([2 * 20 / 8])


@pytest.mark.parametrize("kind", ["qwen2_5_vl", "qwen3_vl", "qwen2_5_omni"])
@pytest.mark.parametrize(("name", "grid"), [("one.mp4", 1), ("three.mp4", 2)])
def test_an_odd_number_of_frames_is_filled_up(processors, question, clips, kind, name, grid):
    out = inputs(processors(kind), question(video=clips[name], frames="uniform:64"))[0]
    assert out["video_grid_thw"][0, 0] == grid


@pytest.mark.parametrize(("name", "frames"), [("tone_40.mp4", 4000), ("tone_310.mp4", 31_000)])
def test_all_of_a_sound_becomes_features(processors, question, clips, name, frames):
    out, _, heard = inputs(processors("qwen2_5_omni"), question(video=clips[name], frames="uniform:2", audio=True))
    assert out["feature_attention_mask"].sum() == pytest.approx(frames, abs=5)
    assert heard == [pytest.approx(frames / 100, abs=0.05)]
    assert (out["input_ids"] == processors("qwen2_5_omni").audio_token_id).sum() == pytest.approx(frames / 4, abs=3)


def test_a_limit_on_sound_is_kept_and_reported(processors, question, clips):
    request = question(video=clips["tone_40.mp4"], frames="uniform:2", audio=True)
    out, _, heard = inputs(processors("qwen2_5_omni"), request, max_audio_seconds=10)
    assert (out["feature_attention_mask"].sum(), heard) == (1000, [10.0])


def test_features_are_those_of_the_extractor_with_its_own_padding(processors, question, clips):
    processor = processors("qwen2_5_omni")
    requests = [question(id, clips[id], frames="none", audio=True) for id in ("stereo.mp4", "tone_40.mp4")]
    out = inputs(processor, *requests)[0]
    for row, request in enumerate(requests):
        sound = Decoder().material(request).sound
        own = processor.feature_extractor([sound.samples], sampling_rate=sound.rate, return_tensors="pt",
                                          return_attention_mask=True)  # fmt: skip
        frames = int(own["attention_mask"].sum())
        assert out["feature_attention_mask"][row].sum() == frames
        assert torch.equal(out["input_features"][row, :, :frames], own["input_features"][0, :, :frames])


def test_a_moment_of_sound_is_filled_up_with_silence(processors, question, clips):
    request = question(video=clips["sound.mp4"], frames="none", audio=True, clip_end=0.02)
    out, _, heard = inputs(processors("qwen2_5_omni"), request)
    assert (out["input_ids"] == processors("qwen2_5_omni").audio_token_id).any()
    assert heard == [0.1]


def test_batches_hold_equal_rates_and_no_silent_clip_beside_a_sounding_one(processors, question, clips):
    def key(processor, name, audio=True, **fields):
        request = question(video=clips[name], audio=audio, **fields)
        return batch_key(request, Decoder().material(request), able_of(processor))

    omni, plain = processors("qwen2_5_omni"), processors("qwen2_5_vl")
    assert key(omni, "sound.mp4") == key(omni, "stereo.mp4")
    assert key(omni, "sound.mp4") != key(omni, "plain.mp4")
    assert key(omni, "plain.mp4") != key(omni, "long.mp4")
    assert key(omni, "plain.mp4", frames="none") != key(omni, "plain.mp4")
    assert key(plain, "plain.mp4", audio=False) == key(plain, "long.mp4", audio=False)
    assert key(plain, "plain.mp4", audio=False) != key(plain, "plain.mp4", audio=False, frames="static:4")


def test_static_frames_go_in_as_pictures_even_where_the_model_takes_video(processors, question, clips):
    request = question(video=clips["plain.mp4"], frames="static:5")
    out = inputs(processors("qwen2_5_vl"), request)[0]
    assert len(out["image_grid_thw"]) == 5 and "video_grid_thw" not in out


def test_pictures_and_sound_go_in_side_by_side(processors, question, clips):
    request = question(video=clips["sound.mp4"], frames="static:2", audio=True)
    out, _, heard = inputs(processors("qwen2_5_omni"), request)
    assert len(out["image_grid_thw"]) == 2 and "input_features" in out
    assert heard == [pytest.approx(3, abs=0.05)]


def test_material_stands_before_the_question_and_the_instruction_is_the_system_text(processors, question, clips):
    request = question(video=clips["plain.mp4"], instruction="Be brief.")
    text, note = chat_text(
        request, Decoder().material(request), processors("qwen3_vl"), able_of(processors("qwen3_vl"))
    )
    assert text == (
        "<|im_start|>system\nBe brief.<|im_end|>\n"
        f"<|im_start|>user\n<|vision_start|><|video_pad|><|vision_end|>{request.prompt}<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert note == ""


@pytest.mark.parametrize(("kind", "token"), [("qwen2_5_vl", "<|video_pad|>"), ("qwen3_vl", "<|im_end|>"),
                                             ("llava", "<image>")])  # fmt: skip
def test_a_control_token_in_a_question_is_text(processors, question, clips, kind, token):
    request = question(video=clips["plain.mp4"], prompt=f"What does {token} mean?")
    out, notes, _ = inputs(processors(kind), request)
    assert f"{token[0]} {token[1:]} mean" in processors(kind).tokenizer.decode(out["input_ids"][0])
    assert notes == ["control tokens in the text were spelled apart"]


def test_a_question_without_material_is_text_alone(processors, question):
    out, _, heard = inputs(processors("qwen2_5_omni"), question())
    assert set(out) == {"input_ids", "attention_mask"} and heard == [0.0]
    assert route(question(), Material(), able_of(processors("qwen2_5_omni"))).look == "nothing"


def test_padding_is_on_the_left_although_the_tokenizer_says_right(processors, question, clips):
    short, long = question("a", clips["plain.mp4"]), question("b", clips["plain.mp4"], prompt="Why? " * 50)
    assert processors("qwen2_5_vl").tokenizer.padding_side == "right"
    mask = inputs(processors("qwen2_5_vl"), short, long)[0]["attention_mask"]
    assert mask[:, -1].all() and not mask[0, 0] and mask[1].all()


class Changed:
    """A processor whose output is changed."""

    def __init__(self, processor, change):
        self._processor, self._change = processor, change

    def __getattr__(self, name):
        return getattr(self._processor, name)

    def __call__(self, **arguments):
        return self._change(self._processor(**arguments))


@pytest.mark.parametrize(("lost", "words"), [("input_features", "the sound"), ("pixel_values_videos", "the video")])
def test_material_that_a_processor_drops_is_noticed(processors, question, clips, lost, words):
    kept = {"sound": ["feature_attention_mask"], "video": ["video_grid_thw"]}[words.removeprefix("the ")]

    def drop(out):
        return BatchFeature({name: value for name, value in out.items() if name != lost and name not in kept})

    processor = Changed(processors("qwen2_5_omni"), drop)
    request = question(video=clips["sound.mp4"], audio=True)
    material = Decoder().material(request)
    able = able_of(processors("qwen2_5_omni"))
    with pytest.raises(ChalkbenchError, match=f"took {words} and made no input of it"):
        tensors([(request, material)], processor, able, max_audio_seconds=None)


def test_a_processor_that_pads_on_the_right_is_refused(processors, question):
    def flip(out):
        return BatchFeature({name: value.flip(1) for name, value in out.items()})

    processor = Changed(processors("qwen2_5_vl"), flip)
    batch = [(question("a"), Material()), (question("b", prompt="Why? " * 50), Material())]
    with pytest.raises(ChalkbenchError, match="pads on the right"):
        tensors(batch, processor, able_of(processors("qwen2_5_vl")), max_audio_seconds=None)

import shutil

import pytest
import torch
from transformers import AutoProcessor

from chalkbench.errors import ChalkbenchError
from chalkbench.models.base import VideoModel
from chalkbench.models.transformers_video import TransformersVideo, load

NATIVE = ["qwen2_5_vl", "qwen3_vl", "qwen2_5_omni"]


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
def ask(docs):
    """Answers of a back end, in order."""

    def answers(backend, *requests, **settings):
        model = VideoModel(backend, progress=False, **settings)
        model.greedy_until(docs(*requests))
        return [model.answers[request.task, request.id] for request in requests]

    return answers


@pytest.fixture
def mixed(question, clips):
    """Two questions on each of several clips: of different length, rate, size and sound."""

    def make(audio):
        names = ["sound.mp4", "stereo.mp4", "plain.mp4", "long.mp4", "one.mp4", "three.mp4", "odd.mp4", "vfr.mp4"]
        return [
            question(
                f"{name} {number}", clips[name], frames="uniform:6", audio=audio, prompt=f"Why {number}?" * number
            )
            for name in names
            for number in (1, 9)
        ]

    return make


@pytest.mark.parametrize("kind", [*NATIVE, "llava"])
def test_answers_do_not_depend_on_the_batch_or_the_run(backends, tiny_model, ask, mixed, kind):
    requests = mixed(audio=backends(kind).hears)
    alone = ask(backends(kind), *requests)
    assert ask(backends(kind), *requests, batch_size=4) == alone
    assert ask(load(str(tiny_model(kind)), device="cpu"), *requests[::-1])[::-1] == alone
    assert len({answer.text for answer in alone}) > 8  # they depend on what is seen


def test_a_silent_clip_beside_sounding_ones_is_answered_as_alone(backends, ask, question, clips):
    names = ["sound.mp4", "plain.mp4", "stereo.mp4"]  # of one length, so of one frame rate
    requests = [question(name, clips[name], audio=True) for name in names]
    together = ask(backends("qwen2_5_omni"), *requests, batch_size=3)
    assert together == [ask(backends("qwen2_5_omni"), request)[0] for request in requests]
    assert [answer.seen.note for answer in together] == ["", "no audio track", ""]
    assert [answer.seen.seconds_of_audio > 2.9 for answer in together] == [True, False, True]
    assert together[1].text == ask(backends("qwen2_5_omni"), question("plain.mp4", clips["plain.mp4"]))[0].text


def test_what_is_heard_changes_the_answer(backends, ask, question, clips):
    heard, unheard, only_heard, blind = ask(
        backends("qwen2_5_omni"),
        question("a", clips["sound.mp4"], audio=True),
        question("b", clips["sound.mp4"], prompt=question("a").prompt),
        question("c", clips["sound.mp4"], frames="none", audio=True, prompt=question("a").prompt),
        question("d", frames="none", prompt=question("a").prompt),
    )
    assert len({heard.text, unheard.text, only_heard.text, blind.text}) == 4
    assert only_heard.seen.seconds_of_audio == heard.seen.seconds_of_audio > 2.9
    assert (unheard.seen.seconds_of_audio, blind.seen.frame_indices) == (0, ())


def test_the_frame_rate_changes_the_positions(backends, ask, question, clips):
    # the same frames, said to lie further apart
    backend = backends("qwen2_5_vl")
    grids = torch.tensor([[3, 4, 6]])
    token = backend._processor.video_token_id
    ids = torch.tensor([[1, *[token] * 18, 1]])
    kinds = (ids == token).int() * 2
    near, far = (
        backend._model.model.get_rope_index(
            ids, mm_token_type_ids=kinds, video_grid_thw=grids, second_per_grid_ts=torch.tensor([seconds])
        )[0]
        for seconds in (0.5, 5.0)
    )
    assert not torch.equal(near, far)


def test_the_whole_omni_model_answers_like_the_part_that_thinks(backends, ask, question, clips):
    request = question("a", clips["sound.mp4"], audio=True)
    assert ask(backends("qwen2_5_omni_whole"), request)[0].text == ask(backends("qwen2_5_omni"), request)[0].text


def test_frames_go_in_as_pictures_where_the_model_knows_no_video(backends, ask, question, clips):
    few, many = ask(
        backends("llava"),
        question("a", clips["plain.mp4"], frames="uniform:2", prompt="Why?"),
        question("b", clips["plain.mp4"], frames="uniform:5", prompt="Why?"),
    )
    assert many.seen.prompt_tokens - few.seen.prompt_tokens == 3 * 16  # tokens of a picture
    assert not backends("llava").hears


def test_pictures_can_be_forced(tiny_model, backends, ask, question, clips):
    request = question("a", clips["plain.mp4"])
    backend = load(str(tiny_model("qwen3_vl")), device="cpu", as_images=True)
    pictures, video = ask(backend, request)[0], ask(backends("qwen3_vl"), request)[0]
    assert pictures.seen.prompt_tokens != video.seen.prompt_tokens
    assert backend.settings != backends("qwen3_vl").settings


def test_a_deaf_model_is_not_given_sound(backends, ask, question, clips):
    with pytest.raises(ChalkbenchError, match="qwen3_vl cannot hear"):
        ask(backends("qwen3_vl"), question("a", clips["sound.mp4"], audio=True))


def test_a_reply_that_reaches_its_length_is_cut(backends, ask, question):
    answer = ask(backends("qwen2_5_vl"), question(max_new_tokens=5))[0]
    assert (answer.seen.new_tokens, answer.seen.truncated) == (5, True)


def test_a_stop_string_ends_the_reply(backends, ask, question):
    whole = ask(backends("qwen2_5_vl"), question("a", max_new_tokens=16))[0].text
    stop = whole[5:8]
    requests = [
        question("a", max_new_tokens=16, stop=(stop,)),
        question("b", prompt="Another one " * 9, max_new_tokens=16, stop=(stop,)),
    ]
    answers = ask(backends("qwen2_5_vl"), *requests, batch_size=2)
    assert answers[0].text == whole[: whole.find(stop)]
    assert not answers[0].seen.truncated and answers[0].seen.new_tokens < 16
    assert answers == [ask(backends("qwen2_5_vl"), request)[0] for request in requests]


def test_sampling_depends_on_the_seed_and_the_item_alone(backends, tiny_model, ask, question):
    def sampled(backend, *ids, **settings):
        requests = [question(id, prompt="Say something", temperature=1.0, max_new_tokens=12) for id in ids]
        return {
            request.id: answer.text
            for request, answer in zip(requests, ask(backend, *requests, **settings), strict=True)
        }

    backend = backends("qwen2_5_vl")
    first = sampled(backend, "a", "b", "c")
    assert len(set(first.values())) == 3
    assert sampled(backend, "c", "b", "a", batch_size=3) == first
    assert sampled(load(str(tiny_model("qwen2_5_vl")), device="cpu", seed=1), "a", "b", "c") != first


def test_greedy_answers_ignore_the_random_state(backends, ask, question):
    torch.manual_seed(1)
    first = ask(backends("qwen2_5_vl"), question())
    torch.manual_seed(2)
    assert ask(backends("qwen2_5_vl"), question()) == first


def test_a_prompt_beyond_the_positions_of_the_model_is_noted(backends, ask, question):
    answer = ask(backends("llava"), question(prompt="Why? " * 2500))[0]
    assert answer.seen.note == "the prompt is longer than the 4096 positions of the model"
    assert answer.seen.prompt_tokens > 4096


@pytest.fixture
def wide(media, tmp_path):
    """A video 300 times as wide as high."""
    path = tmp_path / "wide.mkv"
    media.run_ffmpeg("-f", "lavfi", "-i", "color=red:s=1200x4:r=5:d=1", "-c:v", "ffv1", path)
    return path


def test_a_shape_that_the_processor_refuses_costs_its_own_question_only(backends, ask, question, clips, wide):
    good, bad, fine = ask(
        load_again(backends("qwen2_5_vl")),
        question("a", clips["plain.mp4"]), question("b", wide), question("c", clips["plain.mp4"]), batch_size=3,
    )  # fmt: skip
    assert (good.status, bad.status, fine.status) == (None, "decode_error", None)
    assert bad.error.startswith("the model's processor refuses it: absolute aspect ratio")


def test_a_processor_that_refuses_everything_ends_the_run(backends, ask, question, wide):
    requests = [question(id, wide) for id in "abcd"]
    with pytest.raises(ChalkbenchError, match="processor took none of the questions: absolute aspect ratio"):
        ask(load_again(backends("qwen2_5_vl")), *requests)


def load_again(backend):
    return TransformersVideo(backend._model, backend._processor, name=backend.name, fingerprint="")


class Scripted:
    """In place of a model: gives the same new tokens to every prompt."""

    device, dtype = torch.device("cpu"), torch.float32

    def __init__(self, model, tokens):
        self.config, self.generation_config, self._tokens = model.config, model.generation_config, tokens

    def forward(self, input_ids):
        raise NotImplementedError

    def generate(self, input_ids, **_):
        return torch.cat([input_ids, torch.tensor([self._tokens] * len(input_ids))], dim=1)


@pytest.mark.parametrize(
    ("said", "expected", "new_tokens"),
    [("<think>A? B?</think> C<|im_end|>", "<think>A? B?</think> C", None),
     ("B<|im_end|>C<|endoftext|>", "B", 2),
     ("<|vision_start|>B<|im_end|>", "B", 3),
     ("<|im_end|>", "", 1)],
)  # fmt: skip
def test_a_reply_ends_at_its_end_and_keeps_reasoning_tags(
    backends, tiny_model, ask, question, said, expected, new_tokens
):
    processor = AutoProcessor.from_pretrained(tiny_model("qwen2_5_vl"))
    processor.tokenizer.add_special_tokens({"additional_special_tokens": ["<think>", "</think>"]})
    tokens = processor.tokenizer.encode(said, add_special_tokens=False)
    model = Scripted(backends("qwen2_5_vl")._model, tokens)
    answer = ask(TransformersVideo(model, processor, name="scripted", fingerprint=""), question())[0]
    assert answer.text == expected
    assert not answer.seen.truncated
    assert new_tokens is None or answer.seen.new_tokens == new_tokens


def test_other_weights_have_another_fingerprint(backends, tiny_model, tmp_path):
    import json

    folder = tmp_path / "copy"
    shutil.copytree(tiny_model("qwen2_5_vl"), folder)
    assert load(str(folder), device="cpu").fingerprint == backends("qwen2_5_vl").fingerprint
    config = json.loads((folder / "generation_config.json").read_text())
    (folder / "generation_config.json").write_text(json.dumps(config | {"repetition_penalty": 1.5}))
    assert load(str(folder), device="cpu").fingerprint != backends("qwen2_5_vl").fingerprint


def test_a_model_of_the_hub_is_known_by_its_commit(tiny_model, tmp_path, monkeypatch):
    import huggingface_hub.constants

    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "models--someone--tiny"
    shutil.copytree(tiny_model("qwen2_5_vl"), repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    backend = load("someone/tiny", device="cpu")
    assert (backend.name, backend.fingerprint) == ("someone/tiny", commit)


@pytest.mark.parametrize(
    ("spec", "message"),
    [("no-such/model", r"no model 'no-such/model': it is no local folder, .* and it is not among the models"),
     ("nonsense", "no model 'nonsense'"), ("./nowhere", "no model folder nowhere: check the path"),
     ("/nowhere/at/all", "no model folder /nowhere/at/all"), ("what is this?!", "no model 'what is this")],
)  # fmt: skip
def test_an_unknown_model_is_named_in_one_line(spec, message):
    with pytest.raises(ChalkbenchError, match=message) as caught:
        load(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"config.json": None}, "holds no model: there is no config.json"),
     ({"config.json": '{"model_type": "never_heard_of"}'}, "cannot be loaded: .*never_heard_of"),
     ({"config.json": "{"}, "cannot be loaded: .*JSON"),
     ({"model.safetensors": None}, "cannot be loaded: .*model.safetensors"),
     ({"processor_config.json": None}, "cannot be loaded: |no processor for pictures"),
     ({"config.json": '{"model_type": "llama"}'}, "cannot be loaded: .*[Ll]lama")],
)  # fmt: skip
def test_a_folder_that_holds_no_such_model_is_named_in_one_line(tiny_model, tmp_path, change, message):
    folder = tmp_path / "model"
    shutil.copytree(tiny_model("qwen2_5_vl"), folder)
    for name, text in change.items():
        (folder / name).unlink()
        if text is not None:
            (folder / name).write_text(text)
    with pytest.raises(ChalkbenchError, match=message) as caught:
        load(str(folder), device="cpu")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", ["float31", "int8", "load"])
def test_an_unknown_precision_is_refused(dtype):
    with pytest.raises(ChalkbenchError, match="expected auto, float32, bfloat16 or float16"):
        load("no-such/model", dtype=dtype)


def test_half_precision_answers_too(tiny_model, ask, question, clips):
    backend = load(str(tiny_model("qwen2_5_omni")), device="cpu", dtype="bfloat16")
    answer = ask(backend, question("a", clips["sound.mp4"], audio=True))[0]
    assert answer.seen.new_tokens > 0 and backend.settings["dtype"] == "bfloat16"

import json
from dataclasses import replace

import pytest
import torch
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.models.model_loader import load_model as lighteval_load
from PIL import Image

from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.models import caption_cascade, captions, lighteval_model, load_model
from chalkbench.models.base import VideoModel
from chalkbench.models.caption_cascade import FUSE, HEARD, PICTURE, SEEN, CaptionCascade, load
from chalkbench.models.material import NO_AUDIO_TRACK
from chalkbench.models.request import Answer, Clip, Seen, Turn

BOTH = "What can be seen:\na ball\n\nWhat can be heard:\na bell"


class Teller:
    """Answers with one text, or by prompt; keeps what it was asked."""

    wants, hears = "material", True

    def __init__(self, name, text, **changes):
        self.name, self.fingerprint, self.text = name, f"{name}-1", text
        self.asked = []
        self.batches = []
        for key, value in changes.items():
            setattr(self, key, value)

    def answer(self, batch):
        self.batches.append(len(batch))
        self.asked += [(request, material) for request, material in batch]
        texts = [self.text(request) if callable(self.text) else self.text for request, _ in batch]
        return [text if isinstance(text, Answer) else Answer(text) for text in texts]

    @property
    def prompts(self):
        return [request.text for request, _ in self.asked]


def tellers(**changes):
    """A back end for each part, as keyword arguments of the cascade."""
    fused = lambda request: "a ball rings a bell" if request.prompt.startswith(FUSE[:20]) else "Answer: B"  # noqa: E731
    parts = {"vision": Teller("eye", "a ball"), "audio": Teller("ear", "a bell"), "text": Teller("reader", fused)}
    return parts | changes


@pytest.fixture
def ask(docs):
    """Answers of a back end to requests, as a run asks them."""

    def answers(backend, *requests, **settings):
        model = VideoModel(backend, progress=False, **settings)
        model.greedy_until(docs(*requests))
        return [model.answers[request.task, request.id] for request in requests]

    return answers


@pytest.fixture(scope="module")
def spec(tiny_model):
    def make(**parts):
        chosen = {"vision": "qwen3_vl", "audio": "qwen2_5_omni", "text": "llama"} | parts
        return {role: str(tiny_model(kind)) for role, kind in chosen.items() if kind}

    return make


@pytest.fixture(scope="module")
def cascade(spec):
    """Three real models."""
    return load(**spec(), caption_tokens=12, device="cpu")


def test_real_models_describe_and_answer(cascade, ask, question, clips):
    requests = [
        question("open", clips["sound.mp4"], audio=True, options=(), prompt="What happens?"),
        question("options", clips["sound.mp4"], audio=True),
        question("another video", clips["stereo.mp4"], audio=True, prompt=question("options").prompt),
        question("silent", clips["plain.mp4"], audio=True, prompt=question("options").prompt),
        question("nothing", frames="none", prompt=question("options").prompt),
    ]
    answers = ask(cascade, *requests)
    assert [answer.status for answer in answers] == [None] * 5
    assert len({answer.text for answer in answers}) == 5
    assert [len(answer.seen.frame_indices) for answer in answers] == [4, 4, 4, 4, 0]
    assert [answer.seen.seconds_of_audio > 2.9 for answer in answers] == [True, True, True, False, False]
    assert NO_AUDIO_TRACK in answers[3].seen.note
    assert all(answer.seen.prompt_tokens for answer in answers)
    assert ask(cascade, *requests, batch_size=4) == answers


def test_answers_are_the_same_in_another_order_and_in_batches(spec, cascade, ask, question, clips):
    requests = [question(name, clips[name], audio=True) for name in ("sound.mp4", "long.mp4", "plain.mp4", "one.mp4")]
    fresh = load(**spec(), caption_tokens=12, device="cpu")
    assert ask(fresh, *requests[::-1], batch_size=3)[::-1] == ask(cascade, *requests)


def test_one_model_for_all_parts_is_loaded_once(spec, ask, question, clips, monkeypatch):
    made = []
    original = caption_cascade.transformers_video.load
    monkeypatch.setattr(
        caption_cascade.transformers_video, "load", lambda *args, **more: made.append(args) or original(*args, **more)
    )
    omni = load(**spec(vision="qwen2_5_omni", text="qwen2_5_omni"), caption_tokens=8, device="cpu", as_images=True)
    assert len(made) == 1
    assert omni.settings["as_images"] == "True"
    assert omni.name == "caption_cascade:qwen2_5_omni+qwen2_5_omni+qwen2_5_omni"
    assert ask(omni, question("q", clips["sound.mp4"], audio=True))[0].status is None


def test_both_descriptions_become_one_and_stand_before_transcript_and_question(ask, question, clips):
    parts = tellers()
    asked = question("q", clips["sound.mp4"], audio=True, context="Transcript.\n\n")
    [answer] = ask(CaptionCascade(**parts), asked)
    assert answer.text == "Answer: B"
    assert parts["vision"].prompts == [SEEN]
    assert parts["audio"].prompts == [HEARD]
    assert parts["text"].prompts == [
        FUSE.format(joined=BOTH),
        f"Description of the video:\na ball rings a bell\n\nTranscript.\n\n{asked.prompt}",
    ]
    [(_, seen)], [(_, heard)] = parts["vision"].asked, parts["audio"].asked
    assert (len(seen.frames.indices), seen.sound, heard.frames) == (4, None, None)
    assert all(material.frames is None and material.sound is None for _, material in parts["text"].asked)


def test_joined_descriptions_stand_behind_each_other(ask, question, clips):
    parts = tellers()
    ask(CaptionCascade(**parts, fuse="joined"), question("q", clips["sound.mp4"], audio=True, prompt="Why?"))
    assert parts["text"].prompts == [f"Description of the video:\n{BOTH}\n\nWhy?"]


@pytest.mark.parametrize(
    ("frames", "audio", "description"),
    [
        ("uniform:4", False, "Description of the video:\nWhat can be seen:\na ball\n\n"),
        ("none", True, "Description of the video:\nWhat can be heard:\na bell\n\n"),
        ("none", False, ""),
    ],
)
def test_what_the_condition_hides_is_not_described(ask, question, clips, frames, audio, description):
    parts = tellers()
    ask(CaptionCascade(**parts), question("q", clips["sound.mp4"], frames=frames, audio=audio, prompt="Why?"))
    assert parts["text"].prompts == [f"{description}Why?"]


def test_a_video_is_described_once_for_each_condition(ask, question, clips):
    parts = tellers()
    cascade = CaptionCascade(**parts)
    whole = [question(id, clips["sound.mp4"], audio=True) for id in ("a", "b", "c")]
    ask(cascade, *whole, batch_size=2)
    ask(cascade, *whole, question("d", clips["sound.mp4"]), batch_size=2)
    assert (len(parts["vision"].asked), len(parts["audio"].asked)) == (1, 1)
    ask(cascade, question("e", clips["sound.mp4"], audio=True, clip_end=1.0))
    ask(cascade, question("f", clips["sound.mp4"], frames="static:4"))
    assert (len(parts["vision"].asked), len(parts["audio"].asked)) == (3, 2)
    # fused once for the whole and once for the part; all questions but two of the first run were asked again
    assert sum(prompt.startswith(FUSE[:20]) for prompt in parts["text"].prompts) == 2


def test_the_memory_of_captions_is_bounded(ask, question, clips, monkeypatch):
    monkeypatch.setattr(captions, "REMEMBERED", 2)
    parts = tellers()
    cascade = CaptionCascade(**parts)
    for name in ("plain.mp4", "long.mp4", "one.mp4", "one.mp4", "plain.mp4"):
        ask(cascade, question(name, clips[name]))
    assert len(parts["vision"].asked) == 4
    assert len(cascade._captions._known) == 2


def test_several_videos_are_described_together_and_never_more_than_a_batch(ask, question, clips):
    parts = tellers(vision=Teller("eye", "a ball", batch_key=lambda request, material: material.frames.total))
    names = ["plain.mp4", "long.mp4", "one.mp4", "sound.mp4"]
    ask(CaptionCascade(**parts), *(question(name, clips[name]) for name in names), batch_size=4)
    assert sorted(parts["vision"].batches) == [1, 1, 2]  # plain and sound have as many frames
    assert parts["text"].batches == [4]


def test_a_conversation_begins_with_the_description(question, clips, ask):
    parts = tellers(audio=None)
    history = (Turn("First?", "Yes.", "Transcript.\n"), Turn("Second?", "No.", "Transcript.\n"))
    asked = question("q", clips["plain.mp4"], prompt="Third?", context="Transcript.\n", history=history)
    ask(CaptionCascade(**parts), replace(asked, evidence=replace(asked.evidence, history="gold")))
    assert parts["text"].asked[0][0].conversation() == [
        ("user", "Description of the video:\nWhat can be seen:\na ball\n\nTranscript.\nFirst?"),
        ("assistant", "Yes."),
        ("user", "Second?"),
        ("assistant", "No."),
        ("user", "Third?"),
    ]


def test_clips_are_described_one_by_one_under_their_labels(question, clips, ask):
    parts = tellers(vision=Teller("eye", lambda request: "a bar"))
    shown = (Clip("X", str(clips["plain.mp4"])), Clip("Y", str(clips["sound.mp4"]), 0.0, 1.0))
    ask(CaptionCascade(**parts, fuse="joined"), question("q", clips=shown, audio=True, prompt="Order?"))
    joined = "What can be seen:\nClip X: a bar\nClip Y: a bar\n\nWhat can be heard:\na bell"
    assert parts["text"].prompts == [f"Description of the video:\n{joined}\n\nOrder?"]
    assert [len(material.frames.indices) for _, material in parts["vision"].asked] == [2, 2]


def test_options_that_are_pictures_are_described_behind_the_question(question, clips, ask, tmp_path):
    paths = [tmp_path / "a.png", tmp_path / "b.png"]
    for shade, path in enumerate(paths):
        Image.new("RGB", (32, 24), (shade * 99,) * 3).save(path)
    told = iter(["a wall", "a door"])
    parts = tellers(vision=Teller("eye", lambda request: next(told) if request.prompt == PICTURE else "a ball"))
    ask(
        CaptionCascade(**parts),
        question("q", clips["plain.mp4"], prompt="Which?", pictures=tuple(map(str, paths))),
    )
    assert parts["text"].prompts == [
        "Description of the video:\nWhat can be seen:\na ball\n\nWhich?\nA. a wall\nB. a door"
    ]
    assert parts["text"].asked[0][0].media == ()


def test_real_models_describe_pictures_and_clips(cascade, question, clips, ask, tmp_path):
    Image.new("RGB", (64, 48), (200, 0, 0)).save(tmp_path / "a.png")
    shown = (Clip("X", str(clips["plain.mp4"])), Clip("Y", str(clips["sound.mp4"])))
    [answer] = ask(cascade, question("q", clips=shown, audio=True, pictures=(str(tmp_path / "a.png"),)))
    assert (answer.status, len(answer.seen.frame_indices)) == (None, 4)


def test_reasoning_is_no_part_of_a_description(ask, question, clips):
    parts = tellers(vision=Teller("eye", "<think>Hm, a bar?</think>\na ball\n"), audio=None)
    ask(CaptionCascade(**parts), question("q", clips["plain.mp4"], prompt="Why?"))
    assert "What can be seen:\na ball\n\nWhy?" in parts["text"].prompts[0]


def test_cut_and_empty_descriptions_are_noted(ask, question, clips):
    cut = Answer("a ba", seen=Seen(truncated=True))
    cascade = CaptionCascade(**tellers(vision=Teller("eye", cut), audio=Teller("ear", " ")))
    [answer] = ask(cascade, question("q", clips["sound.mp4"], audio=True))
    assert answer.seen.note == "the description of what is seen was cut; the description of what is heard is empty"
    assert answer.text == "Answer: B"  # there was nothing to fuse


def test_a_description_that_cannot_be_made_fails_its_questions_only(ask, question, clips):
    def see(request):
        return Answer("", status="decode_error", error="too wide")

    parts = tellers(vision=Teller("eye", see), audio=None)
    failed, blind = ask(
        CaptionCascade(**parts), question("q", clips["plain.mp4"]), question("r", frames="none"), batch_size=2
    )
    assert (failed.status, failed.error) == (
        "decode_error",
        "no description of what is seen by eye: too wide",
    )
    assert blind.text == "Answer: B"


def test_a_description_that_needed_too_much_memory_is_tried_again(ask, question, clips):
    first = [True]

    def see(request):
        if first:
            first.clear()
            raise torch.OutOfMemoryError("CUDA out of memory")
        return "a ball"

    cascade = CaptionCascade(**tellers(vision=Teller("eye", see)))
    [failed] = ask(cascade, question("q", clips["plain.mp4"]))
    assert (failed.status, "eye: CUDA out of memory" in failed.error) == ("out_of_memory", True)
    assert ask(cascade, question("q", clips["plain.mp4"]))[0].text == "Answer: B"


def test_without_an_audio_captioner_it_only_sees(ask, question, clips):
    cascade = CaptionCascade(**tellers(audio=None))
    assert not cascade.hears
    with pytest.raises(ChalkbenchError, match=r"caption_cascade:eye\+reader cannot hear"):
        ask(cascade, question("q", clips["sound.mp4"], audio=True))


def test_the_descriptions_can_be_read_in_a_file(ask, question, clips, tmp_path):
    cascade = CaptionCascade(**tellers(), captions=tmp_path / "runs" / "captions.jsonl")
    ask(cascade, question("q", clips["sound.mp4"], audio=True), question("r", clips["sound.mp4"], audio=True))
    lines = [json.loads(line) for line in (tmp_path / "runs" / "captions.jsonl").read_text().splitlines()]
    assert [(line["what"], line["model"], line["text"]) for line in lines] == [
        ("description of what is seen", "eye", "a ball"),
        ("description of what is heard", "ear", "a bell"),
        ("fused description", "reader", "a ball rings a bell"),
    ]
    assert len(lines[0]["frames"]) == 4
    assert lines[1]["seconds"] == pytest.approx(3, abs=0.05)
    assert [part["video"] for part in lines[2]["of"]] == [str(clips["sound.mp4"])] * 2


def test_parts_settings_and_wording_are_in_what_the_journal_goes_by(monkeypatch):
    def identity(**changes):
        cascade = CaptionCascade(**(tellers() | changes))
        return cascade.fingerprint, json.dumps(cascade.settings)

    same = identity()
    assert identity() == same
    others = [
        identity(vision=Teller("eye", "", fingerprint="eye-2")),
        identity(audio=None),
        identity(text=Teller("other", "")),
        identity(text=Teller("reader", "", settings={"dtype": "bfloat16"})),
        identity(fuse="joined"),
        identity(caption_tokens=9),
    ]
    monkeypatch.setattr(caption_cascade, "HEARD", "What do you hear?")
    assert len({same, identity(), *others}) == 8


def test_a_shared_setting_is_given_once_and_others_in_the_order_of_the_parts():
    cascade = CaptionCascade(
        vision=Teller("eye", "", settings={"dtype": "bfloat16", "seed": 0}),
        text=Teller("reader", "", settings={"dtype": "float32", "seed": 0}),
    )
    assert cascade.settings == {
        "vision": "eye@eye-1",
        "text": "reader@reader-1",
        "fuse": "model",
        "caption_tokens": 1024,
        "dtype": "bfloat16+float32",
        "seed": "0",
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"text": ""}, "needs a model that sees and one that answers"),
        ({"fuse": "both"}, "fuse='both': expected model or joined"),
        ({"caption_tokens": 0}, "caption_tokens=0"),
        ({"revision": "main"}, "write the revision behind a part's model"),
        ({"vision": "./nowhere"}, r"vision=./nowhere: no model folder"),
        ({"captions": "."}, "cannot write captions to"),
    ],
)
def test_what_cannot_be_is_said_before_a_model_is_loaded(changes, words):
    with pytest.raises(ChalkbenchError, match=words):
        load(**({"vision": "./v", "text": "./t"} | changes))


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"audio": "qwen3_vl"}, "audio=qwen3_vl: this model cannot hear"),
        ({"vision": "llama", "audio": ""}, "vision=.*llama: this model only reads"),
    ],
)
def test_a_model_that_lacks_the_sense_is_refused(spec, parts, words):
    with pytest.raises(ChalkbenchError, match=words):
        load(**spec(**parts), device="cpu")


def test_it_is_opened_by_its_name(spec, docs, question, clips, tmp_path):
    parts = spec(vision="llava", audio="")
    name = f"caption_cascade?vision={parts['vision']}&text={parts['text']}&caption_tokens=8&fuse=joined&batch=2"
    model = load_model(name, device="cpu", journal=tmp_path / "answers.jsonl", progress=False)
    assert (model.batch_size, model.config.settings["caption_tokens"]) == (2, 8)
    asked = docs(question("q", clips["plain.mp4"], evidence=Evidence(frames="uniform:2")))
    [response] = model.greedy_until(asked)
    again = load_model(name, device="cpu", journal=tmp_path / "answers.jsonl", progress=False)
    again.backend.answer = None  # the journal knows it
    assert again.greedy_until(asked)[0].text == response.text


def test_lighteval_opens_it_by_its_name(spec, docs, question, clips):
    parts = spec()
    name = "caption_cascade?" + "&".join(f"{role}={folder}" for role, folder in parts.items())
    config = CustomModelConfig(
        model_name=f"{name}&caption_tokens=4&frames=2&device=cpu", model_definition_file_path=lighteval_model.__file__
    )
    [response] = lighteval_load(config).greedy_until(docs(question("q", clips["sound.mp4"], audio=True)))
    assert (response.status, len(response.seen["frame_indices"])) == (None, 2)
    assert response.seen["seconds_of_audio"] == pytest.approx(3, abs=0.05)

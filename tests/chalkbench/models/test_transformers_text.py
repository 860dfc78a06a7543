import json
import shutil

import huggingface_hub
import pytest

from chalkbench.errors import ChalkbenchError
from chalkbench.models.request import Material, Turn
from chalkbench.models.transformers_text import load, only_reads


@pytest.fixture(scope="module")
def reader(tiny_model):
    return load(str(tiny_model("llama")), device="cpu")


@pytest.fixture
def ask(question):
    """Answers of a back end to prompts, asked together."""

    def answers(backend, *prompts, **fields):
        requests = [
            question(str(number), prompt=prompt, frames="none", **fields) for number, prompt in enumerate(prompts)
        ]
        return backend.answer([(request, Material()) for request in requests])

    return answers


def test_answers_do_not_depend_on_the_batch(reader, ask):
    prompts = ["Why?", "What is on the slide? " * 9, "How many balls fall in the video, and why?"]
    together = ask(reader, *prompts, max_new_tokens=24)
    assert together == [ask(reader, prompt, max_new_tokens=24)[0] for prompt in prompts]
    assert len({answer.text for answer in together}) == 3
    assert {answer.seen.new_tokens for answer in together} <= set(range(1, 25))


def test_a_seed_decides_what_is_sampled(reader, tiny_model, ask):
    sampled = ask(reader, "Why?", temperature=1.0)
    assert ask(reader, "Why?", temperature=1.0) == sampled
    other = load(str(tiny_model("llama")), device="cpu", seed=1)
    assert ask(other, "Why?", temperature=1.0) != sampled
    assert ask(other, "Why?")[0].text == ask(reader, "Why?")[0].text


def test_the_chat_is_the_templates_with_instruction_and_history(reader, question):
    request = question(
        prompt="And now?", context="Transcript.\n", instruction="Be short.", history=(Turn("Why?", "So.", "Text.\n"),)
    )
    seen = []
    tokenize = reader._processor.tokenizer.apply_chat_template
    reader._processor.tokenizer.apply_chat_template = lambda messages, **_: seen.append(messages) or "x"
    try:
        reader.answer([(request, Material())])
    finally:
        reader._processor.tokenizer.apply_chat_template = tokenize
    assert [(one["role"], one["content"]) for one in seen[0]] == [
        ("system", "Be short."),
        ("user", "Text.\nWhy?"),
        ("assistant", "So."),
        ("user", "Transcript.\nAnd now?"),
    ]


def test_it_hears_nothing_and_its_fingerprint_is_that_of_its_folder(reader, tiny_model, tmp_path):
    assert not reader.hears
    assert (reader.name, len(reader.fingerprint)) == ("llama", 64)
    assert reader.settings["dtype"] == "float32"
    copy = shutil.copytree(tiny_model("llama"), tmp_path / "copy")
    assert load(str(copy), device="cpu").fingerprint == reader.fingerprint
    config = json.loads((copy / "generation_config.json").read_text())
    (copy / "generation_config.json").write_text(json.dumps(config | {"max_length": 99}))
    assert load(str(copy), device="cpu").fingerprint != reader.fingerprint


def test_models_that_only_read_are_told_from_others(tiny_model):
    assert only_reads(str(tiny_model("llama")))
    assert not only_reads(str(tiny_model("qwen3_vl")))


def test_a_model_without_a_chat_template_is_refused(tiny_model, tmp_path):
    copy = shutil.copytree(tiny_model("llama"), tmp_path / "base")
    (copy / "chat_template.jinja").unlink()
    with pytest.raises(ChalkbenchError, match=r"base: its tokenizer has no chat template"):
        load(str(copy), device="cpu")


@pytest.mark.parametrize(
    ("spec", "words"), [("./nowhere", "no model folder nowhere"), ("org/none", "no model 'org/none'")]
)
def test_what_cannot_be_loaded_is_named(spec, words, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ChalkbenchError, match=words):
        load(spec)
    with pytest.raises(ChalkbenchError, match=words):
        only_reads(spec)


def test_a_multimodal_model_is_no_text_model(tiny_model):
    with pytest.raises(ChalkbenchError, match="llava cannot be loaded"):
        load(str(tiny_model("llava")), device="cpu")

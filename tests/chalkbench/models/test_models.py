import pytest

from chalkbench.errors import ChalkbenchError
from chalkbench.models import load_model, open_backend, read_name


def test_random_needs_no_settings(question, docs):
    model = load_model("random", dtype="float32", device=None, progress=False)
    assert model.backend.name == "random"
    assert model.greedy_until(docs(question()))[0].text[0] in ("A", "B")
    assert open_backend("random:7").fingerprint == "random:7"


def test_a_seed_must_be_a_number():
    with pytest.raises(ChalkbenchError, match=r"random:x: the seed must be a whole number"):
        load_model("random:x")


def test_the_journal_is_tried_before_the_model_is_loaded(tmp_path):
    with pytest.raises(ChalkbenchError, match="cannot write the journal"):
        load_model("no-such/model", journal=tmp_path)


def test_a_model_is_loaded_with_its_settings(tiny_model):
    model = load_model(str(tiny_model("qwen3_vl")), device="cpu", dtype="bfloat16", batch_size=3, frames="8")
    assert (model.batch_size, model.config.frames) == (3, "8")
    assert model.config.settings["dtype"] == "bfloat16"
    assert model.config.model_name == "qwen3_vl"  # not the path: lighteval makes folders of it


def test_a_name_carries_settings():
    assert read_name("org/model") == ("org/model", {}, {})
    assert read_name("./a/b?frames=8&batch=2&dtype=bfloat16&as_images=1&max_audio_seconds=300") == (
        "./a/b",
        {"frames": "8", "batch_size": 2},
        {"dtype": "bfloat16", "as_images": True, "max_audio_seconds": 300.0},
    )
    assert read_name("m?frames=fps:1,max:64")[1] == {"frames": "fps:1,max:64"}


def test_the_parts_of_a_caption_cascade_are_options_of_its_name_alone():
    assert read_name("caption_cascade?vision=./a+b&text=org/m@main&caption_tokens=64&batch=2") == (
        "caption_cascade",
        {"batch_size": 2},
        {"vision": "./a+b", "text": "org/m@main", "caption_tokens": 64},
    )
    with pytest.raises(ChalkbenchError, match="no option 'vision'"):
        read_name("org/model?vision=./a")


def test_settings_in_a_name_count_more_than_arguments(tiny_model):
    model = load_model(f"{tiny_model('qwen3_vl')}?batch=3&as_images=1", batch_size=1, device="cpu", as_images=False)
    assert (model.batch_size, model.config.settings["as_images"]) == (3, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [("m?fraems=8", "no option 'fraems'; there are batch, batch_size, frames"), ("m?batch=two", "batch_size='two'"),
     ("m?as_images=maybe", "as_images='maybe' cannot be read"), ("m?size=", "size='' cannot be read")],
)  # fmt: skip
def test_a_setting_that_cannot_be_read_is_named(name, message):
    with pytest.raises(ChalkbenchError, match=message):
        read_name(name)

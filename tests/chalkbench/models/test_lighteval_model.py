from lighteval.models.abstract_model import LightevalModel
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.models.model_loader import load_model

from chalkbench.models import lighteval_model


def test_lighteval_finds_one_model_class():
    found = [value for value in vars(lighteval_model).values()
             if isinstance(value, type) and issubclass(value, LightevalModel)]  # fmt: skip
    assert found == [lighteval_model.ChalkbenchModel]


def test_lighteval_loads_a_model_with_the_settings_in_its_name(tiny_model, question, docs, clips):
    name = f"{tiny_model('qwen3_vl')}?frames=2&batch=3&max_new_tokens=4&device=cpu"
    config = CustomModelConfig(model_name=name, model_definition_file_path=lighteval_model.__file__)
    model = load_model(config)
    (response,) = model.greedy_until(docs(question(video=clips["plain.mp4"])))
    assert (model.batch_size, model.config.model_name) == (3, "qwen3_vl")
    assert response.seen["frame_indices"] == (0, 74)
    assert response.seen["new_tokens"] == 4

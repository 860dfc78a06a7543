"""Our tasks in lighteval's hands: rows without media, keys that change with the data, other tasks left alone."""

import copy
import shutil
from types import ModuleType

import pytest
from lighteval.tasks.lighteval_task import LightevalTask, LightevalTaskConfig

import chalkbench.tasks
from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.run import _our_tasks_alone
from chalkbench.tasks import all_tasks, instructionbench, lemon, mmou, table, video_mmlu, vira_bench
from chalkbench.tasks.config import install, lighteval_table


def configs(data, **more):
    return {
        config.name: config for config in table({"mmou": data / "mmou", "video_mmlu": data / "video_mmlu"}, **more)
    }


def loaded(config):
    task = LightevalTask(config)
    LightevalTask.load_datasets({task.full_name: task})
    return task


def test_the_table_can_be_read_where_there_are_no_data(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CHALKBENCH_DATA", raising=False)
    names = [task.name for task in all_tasks()]
    assert [config.name for config in chalkbench.tasks.TASKS_TABLE] == names
    of_files = [
        config.name for file in (lemon, video_mmlu, instructionbench, vira_bench, mmou) for config in file.TASKS_TABLE
    ]
    assert of_files == names
    with pytest.raises(ChalkbenchError, match="no layout of mmou found in data: chalkbench build mmou"):
        loaded(mmou.TASKS_TABLE[0])


def test_the_table_finds_its_data_through_the_variable(monkeypatch, sample_data):
    monkeypatch.setenv("CHALKBENCH_DATA", str(sample_data))
    task = loaded(next(config for config in chalkbench.tasks.TASKS_TABLE if config.name == "mmou"))
    assert len(task.get_docs()) == 45


def test_no_video_is_opened_for_the_questions(monkeypatch, sample_data):
    opened = []
    real = open
    monkeypatch.setattr("builtins.open", lambda file, *a, **k: (opened.append(str(file)), real(file, *a, **k))[1])
    docs = loaded(configs(sample_data)["mmou"]).get_docs()
    assert all(doc.specific["video"].endswith(".mp4") for doc in docs)
    assert not [path for path in opened if path.endswith(".mp4")]


def test_a_limit_takes_so_many_questions(sample_data):
    docs = loaded(configs(sample_data)["video_mmlu:quiz"]).get_docs(3)
    assert len(docs) == 3
    assert {doc.generation_size for doc in docs} == {64}


def test_missing_videos_are_named_when_the_rows_are_read(sample_data, tmp_path, caplog):
    shutil.copytree(sample_data / "mmou", tmp_path / "mmou")
    video = next((tmp_path / "mmou" / "videos").rglob("sample_ph01.mp4"))
    video.unlink()
    config = lighteval_table(mmou.TASKS, {"mmou": tmp_path / "mmou"})
    loaded(config[0])
    assert "mmou: 1 videos (" in caplog.text and "sample_ph01.mp4" in caplog.text and "media_missing" in caplog.text
    caplog.clear()
    loaded(next(one for one in config if one.name == "mmou_text_only"))
    assert caplog.text == ""


def test_a_split_that_the_layout_lacks_is_named(sample_data, tmp_path):
    shutil.copytree(sample_data / "mmou", tmp_path / "mmou")
    card = tmp_path / "mmou" / "README.md"
    card.write_text(card.read_text().replace("config_name: test", "config_name: trial"))
    with pytest.raises(ChalkbenchError, match=r"holds no test/test, which mmou asks for \(it holds default/train"):
        loaded(lighteval_table(mmou.TASKS, {"mmou": tmp_path / "mmou"})[0])


def test_lightevals_own_cache_sees_another_prompt_evidence_or_data(sample_data, tmp_path):
    """Its keys are made of the printed configuration, in which neither prompt nor data stand."""
    first = configs(sample_data)["mmou"]
    assert str(configs(sample_data)["mmou"]) == str(first)
    assert str(configs(sample_data, evidence=Evidence(frames="uniform:8"))["mmou"]) != str(first)
    shutil.copytree(sample_data / "mmou", tmp_path / "mmou")
    shutil.copy(tmp_path / "mmou" / "default.parquet", tmp_path / "mmou" / "test.parquet")
    other = lighteval_table(mmou.TASKS, {"mmou": tmp_path / "mmou"})[0]
    other.hf_repo = first.hf_repo  # not by the folder's name alone
    assert str(other) != str(first)


def test_the_result_is_kept_where_it_was_asked_for(sample_data):
    config = configs(sample_data)["mmou"]
    assert copy.deepcopy(config).metrics[0].corpus_level_fn is config.metrics[0].corpus_level_fn


def test_other_tasks_are_loaded_as_before(monkeypatch):
    asked = []
    monkeypatch.setattr("lighteval.tasks.lighteval_task.load_dataset", lambda **how: asked.append(how))
    other = LightevalTaskConfig(
        name="other", prompt_function=lambda row, name: None, hf_repo="org/other", hf_subset="x", metrics=[]
    )
    LightevalTask.download_dataset_worker(LightevalTask(other))
    assert asked == [{"path": "org/other", "name": "x", "revision": None}]


def test_installing_twice_changes_nothing():
    before = LightevalTask.download_dataset_worker
    install()
    assert LightevalTask.download_dataset_worker is before


def test_the_registry_is_asked_for_our_tasks_alone_and_is_whole_afterwards(sample_data):
    from lighteval.tasks.registry import Registry

    module = ModuleType("ours")
    module.TASKS_TABLE = list(configs(sample_data).values())
    before = Registry._load_from_files
    with _our_tasks_alone():
        registry = Registry(tasks="mmou|0,video_mmlu:quiz|0", custom_tasks=module)
    assert sorted(registry.load_tasks()) == ["mmou|0", "video_mmlu:quiz|0"]
    assert Registry._load_from_files is before

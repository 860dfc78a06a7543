import json
import re
from functools import cache
from pathlib import Path

import pytest
from datasets import load_dataset
from neutral_releases import units, write_release

from chalkbench.benchmarks.instructionbench.builder import InstructionBench
from chalkbench.benchmarks.layout import build, check_rows, open_layout, read_rows
from chalkbench.benchmarks.release import list_files
from chalkbench.errors import ChalkbenchError

FOLDER = Path(__file__).resolve().parents[3] / "benchmarks" / "instructionbench"
OPTIONS = ["Pour the broth", "Slice the leeks", "Melt the butter", "Stir the barley", "Serve the soup"]


def question(number: int = 0, **changes) -> dict:
    """A multiple-choice question. A field changed to `...` is left out."""
    record = {
        "id": f"q{number}",
        "dataset": "YouCook2",
        "video": "aaaaaaaaaaa",
        "question": "What is the next step?",
        "options": OPTIONS,
        "answer": "D",
        "subtask": "FSP",
    }
    return {key: value for key, value in (record | changes).items() if value is not ...}


def pair(number: int = 0, **changes) -> dict:
    """An open-ended one."""
    return question(number, **({"options": ..., "answer": "The barley is stirred in."} | changes))


def one(root, record, *, config="multiple_choice", name="questions.jsonl", **files):
    """(row or reason, remarks) of a release with one question."""
    rows, left_out, remarks = units(InstructionBench, write_release(root, record, name=name, **files), config)
    return (rows or left_out)[0], remarks


@pytest.fixture(scope="module")
def layout(tmp_path_factory) -> Path:
    return build("instructionbench", release=FOLDER / "sample", to=tmp_path_factory.mktemp("layout") / "data")


def test_a_question_becomes_a_row(tmp_path):
    record = question(clip_start="1:05", clip_end=140, tags=["kitchen"], made_by="kept")
    row, remarks = one(tmp_path, record)
    assert remarks == []
    assert (row["video_id"], row["domain"]) == ("youcook2/aaaaaaaaaaa", "YouCook2")
    assert row["video_path"] == row["file_name"]
    assert (row["clip_start"], row["clip_end"], row["evidence_start"]) == (65, 140, None)
    assert (row["options"], row["answer_index"], row["answer"]) == (OPTIONS, 3, "Stir the barley")
    assert (row["task"], row["subtask"], row["tags"], row["messages"]) == ("coarse", "FSP", ["kitchen"], [])
    assert json.loads(row["source"]) == record


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({"subtask": "Future Step Prediction"}, ("coarse", "FSP")),
        (
            {"subtask": "past_step_recall", "task": "Coarse-Grained (event-level)"},
            "task: 'Coarse-Grained (event-level)'",
        ),
        ({"subtask": "past_step_recall", "task": "Coarsed-Grained"}, ("coarse", "PSR")),
        ({"subtask": "Intermediate Step Recognition", "task": "CG"}, ("coarse", "ISR")),
        ({"subtask": "ss"}, ("coarse", "SS")),
        ({"subtask": "Specific Step Recognition", "task": "event level"}, ("coarse", "SSR")),
        ({"subtask": "Object Existence in Steps", "task": "Fine-Grained Task"}, ("fine", "OES")),
        ({"subtask": "OAR", "task": "object-level"}, ("fine", "OAR")),
        ({"task": "Object Interaction Recognition", "subtask": ...}, ("fine", "OIR")),
        ({"subtask": "OIR", "task": "coarse"}, "subtask: 'OIR' belongs to fine"),
        ({"task": "fine", "subtask": ...}, "subtask: is missing"),
        ({"task": ..., "subtask": ...}, "task: is missing"),
        ({"subtask": "Juggling"}, "subtask: 'Juggling' is not known"),
    ],
)
def test_kinds_of_questions_in_all_spellings(tmp_path, named, expected):
    row, _ = one(tmp_path, question(**named))
    if isinstance(expected, tuple):
        assert (row["task"], row["subtask"]) == expected
    else:
        assert expected in row


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": ...}, "id: is missing"),
        ({"question": " "}, "question: is empty"),
        ({"video": ...}, "video: is missing"),
        ({"video": "/"}, "video: '/' is no id of a video"),
        ({"video": "../.."}, "is no id of a video"),
        ({"video": "https://example.org/watch?x=1"}, "is no id of a video"),
        ({"video": ["a", "b"]}, "video: expected text, found list"),
        ({"dataset": ...}, "dataset: is missing"),
        ({"dataset": "COIN"}, "dataset: 'COIN' is not known; known are YouCook2, HiREST, Ego4D, EgoExo4D"),
        ({"answer": "F"}, "answer: 'F' is none of the options"),
        ({"answer": 5}, "answer: position 5 is outside 0..4"),
        ({"answer": True}, "answer: 'True' is none of the options"),
        ({"answer": ...}, "answer_index: is missing"),
        ({"options": ["a", ""], "answer": 0}, "options: option B is empty"),
        ({"options": {"A": "x", "C": "y"}}, "options: labels A, C are not A, B, C"),
        ({"clip_start": 90, "clip_end": 60}, "clip_end: 60.0 s is not after clip_start 90.0 s"),
        ({"clip_start": 60, "clip_end": 60}, "clip_end: 60.0 s is not after clip_start 60.0 s"),
        ({"clip_end": 0}, "clip_end: 0.0 s is not after clip_start 0.0 s"),
        ({"clip_start": -3}, "clip_start"),
        ({"clip_start": "soon"}, "clip_start: 'soon' is no time"),
        ({"clip_end": "nan"}, "clip_end: 'nan' is no time"),
    ],
)
def test_a_hostile_record_is_left_out_with_its_field(tmp_path, changes, message):
    row, _ = one(tmp_path, question(**changes))
    assert isinstance(row, str) and message in row


def test_what_is_no_record_is_left_out_and_the_others_stay(tmp_path):
    release = write_release(tmp_path, question(), "5", '["a"]', "null", question(1))
    rows, left_out, _ = units(InstructionBench, release, "multiple_choice")
    assert [row["id"] for row in rows] == ["q0", "q1"]
    assert len(left_out) == 3


def test_broken_json_names_file_and_line(tmp_path):
    with pytest.raises(ChalkbenchError, match=r"questions\.jsonl: no valid JSON at line 2"):
        units(InstructionBench, write_release(tmp_path, question(), "{"), "multiple_choice")


def test_an_id_stands_once_in_a_config(tmp_path):
    rows, left_out, _ = units(InstructionBench, write_release(tmp_path, question(), question()), "multiple_choice")
    assert len(rows) == len(left_out) == 1
    assert "already stands at" in left_out[0]


def test_another_number_of_options_is_remarked_and_stays(tmp_path):
    row, remarks = one(tmp_path, question(options=OPTIONS[:4]))
    assert len(row["options"]) == 4
    assert remarks == ["a question has not 5 options (1: q0)"]


def test_one_file_may_hold_all_three_configs(tmp_path):
    records = [question(0), pair(1), pair(2, split="training"), question(3)]
    release = write_release(tmp_path, *records)
    assert InstructionBench.configs_in(list_files(release)) == ["multiple_choice", "open_ended", "train"]
    found = {config: units(InstructionBench, release, config) for config in ("multiple_choice", "open_ended", "train")}
    assert {config: [row["id"] for row in rows] for config, (rows, _, _) in found.items()} == {
        "multiple_choice": ["q0", "q3"],
        "open_ended": ["q1"],
        "train": ["q2"],
    }
    assert not any(left_out for _, left_out, _ in found.values())


@pytest.mark.parametrize(
    ("answer", "text"), [("D", "Stir the barley"), ("Stir it in.", "answer: 'Stir it in.' is none")]
)
def test_an_open_ended_question_leaves_its_options_behind(tmp_path, answer, text):
    row, _ = one(tmp_path, question(answer=answer), config="open_ended", name="open_ended.jsonl")
    if isinstance(row, str):
        assert text in row
    else:
        assert (row["options"], row["answer_index"], row["answer"]) == ([], -1, text)


@pytest.mark.parametrize("config", ["open_ended", "train"])
def test_an_open_ended_question_needs_its_reference(tmp_path, config):
    row, _ = one(tmp_path, pair(answer=...), config=config, name=f"{config}.jsonl")
    assert "answer: is missing" in row


def test_a_training_pair_is_a_chat_with_a_place_for_the_video(tmp_path):
    row, remarks = one(tmp_path, pair(subtask=..., clip_start=3, clip_end=9), config="train", name="train.jsonl")
    assert remarks == []
    assert (row["task"], row["subtask"]) == ("", "")
    assert row["messages"] == [
        {
            "role": "user",
            "content": [{"type": "video", "text": ""}, {"type": "text", "text": "What is the next step?"}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "The barley is stirred in."}]},
    ]


def test_test_questions_are_no_chats(layout):
    for config in ("multiple_choice", "open_ended"):
        assert not any(row["messages"] for row in read_rows(layout, config))


def test_counts_that_differ_are_named_by_subtask(tmp_path):
    records = [question(number, subtask="SS") for number in range(65)]
    records += [question(number + 100, subtask="OAR") for number in range(2)]
    _, _, remarks = units(InstructionBench, write_release(tmp_path, *records, sample=False), "multiple_choice")
    assert remarks == [
        "`multiple_choice` should hold 5,000 questions, found 67",
        "FSP should hold 1,776 questions, found 0",
        "PSR should hold 1,104 questions, found 0",
        "ISR should hold 244 questions, found 0",
        "SSR should hold 321 questions, found 0",
        "OES should hold 548 questions, found 0",
        "OAR should hold 263 questions, found 2",
        "OIR should hold 679 questions, found 0",
    ]
    assert sum(InstructionBench.COUNTS.values()) == 5_000


@pytest.mark.parametrize("config", ["open_ended", "train"])
def test_no_counts_are_expected_of_open_ended_ones(tmp_path, config):
    release = write_release(tmp_path, pair(), name=f"{config}.jsonl", sample=False)
    assert units(InstructionBench, release, config)[2] == []


def test_the_field_map_of_the_card_reads_what_it_describes(tmp_path):
    described = re.findall(r"```yaml\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL)[-1]
    clip = {
        "clip_id": "c7",
        "source": "Ego4D Goal-Step",
        "video_id": "uid-1",
        "segment": [12, 40.5],
        "qa": [
            {"question": "And then?", "choices": OPTIONS, "gold": 2, "type": "next"},
            {"question": "And before?", "choices": OPTIONS, "gold": 1, "type": "previous"},
        ],
    }
    files = {"instructionbench_mc.json": json.dumps([clip]), "field_map.yaml": described}
    release = write_release(tmp_path, name="unused.jsonl", files=files)
    rows, left_out, _ = units(InstructionBench, release, "multiple_choice")
    assert left_out == []
    assert [(row["id"], row["subtask"], row["answer"]) for row in rows] == [
        ("c7-1", "FSP", "Slice the leeks"),
        ("c7-2", "PSR", "Pour the broth"),
    ]
    assert {(row["video_id"], row["clip_start"], row["clip_end"]) for row in rows} == {("ego4d/uid-1", 12, 40.5)}


def test_the_sample_builds_clean_and_loads(layout):
    opened = open_layout(layout)
    assert opened.sample
    assert {name: dict(files) for name, files in opened.configs.items()} == {
        "multiple_choice": {"test": "multiple_choice.parquet"},
        "open_ended": {"test": "open_ended.parquet"},
        "train": {"train": "train.parquet"},
    }
    for config, count in {"multiple_choice": 24, "open_ended": 8, "train": 8}.items():
        rows = read_rows(layout, config)
        assert len(rows) == count
        assert check_rows(rows, layout, hidden=False) == []
    assert all(row["messages"] for row in read_rows(layout, "train"))
    assert len(list((layout / "videos").rglob("*.mp4"))) == 5


def test_load_dataset_takes_every_config_of_the_sample(layout, tmp_path):
    for config, split in (("multiple_choice", "test"), ("open_ended", "test"), ("train", "train")):
        loaded = load_dataset(str(layout), config, split=split, cache_dir=str(tmp_path))
        assert len(loaded) == len(read_rows(layout, config))
    chat = loaded[0]["messages"]
    assert [message["role"] for message in chat] == ["user", "assistant"]
    default = load_dataset(str(layout), split="test", cache_dir=str(tmp_path))
    assert len(default) == 24


@cache
def card_code() -> dict:
    """What the card's Python block defines."""
    (code,) = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict = {}
    exec(compile(code, "README.md", "exec"), names)  # it is our own file
    return names


def test_the_cards_code_gives_pictures_in_the_places_of_the_chat(layout):
    row = card_code()["training_pairs"](layout)[0]
    made = card_code()["for_trl"](row, layout, count=4)
    user, assistant = made["messages"]
    assert [part["type"] for part in user["content"]] == ["image"] * 4 + ["text"]
    assert all(set(part) == {"type"} for part in user["content"][:4])
    assert [image.size for image in made["images"]] == [(448, 252)] * 4
    assert assistant["content"][0]["text"] == "The fruit is left to stand over night."


def test_the_cards_code_shows_the_clip_alone(layout):
    row = next(row for row in read_rows(layout, "multiple_choice") if row["domain"] == "Ego4D")
    frames = card_code()["frames_of"](row, layout, 8)
    assert row["clip_start"] > 5
    assert min(frames.times) >= row["clip_start"] and max(frames.times) < row["clip_end"]


def test_the_cards_code_feeds_a_processor(layout, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER.parents[1] / "tests" / "fixtures")
    from tiny_models import BUILDERS
    from transformers import AutoProcessor

    BUILDERS["qwen2_5_vl"](tmp_path / "model")
    processor = AutoProcessor.from_pretrained(tmp_path / "model")
    row = card_code()["training_pairs"](layout)[0]
    batch = card_code()["for_transformers"](row, layout, processor, count=4)
    text = processor.tokenizer.decode(batch["input_ids"][0])
    assert text.index("What is done after the sugar") < text.index("The fruit is left to stand over night.")
    assert batch["pixel_values_videos"].shape[0] > 0
    assert batch["video_grid_thw"][0][0] == 2  # four frames, two to a patch

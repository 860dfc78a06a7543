import json
import shutil
import socket

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from datasets import Audio, load_dataset
from releases import lecture, mmou_record, write_mmou, write_video_mmlu

from chalkbench.benchmarks.card import CARD, SCHEMA, config_entry, read_card
from chalkbench.benchmarks.layout import (
    MissingMedia,
    build,
    check_rows,
    missing_media,
    open_layout,
    place,
    read_rows,
)
from chalkbench.benchmarks.schema import FEATURES, make_row
from chalkbench.errors import ChalkbenchError


def url(video):
    return f"https://www.youtube.com/watch?v={video}"


@pytest.fixture(scope="session")
def layout(tmp_path_factory, clip, silent_clip):
    """Both configs of MMOU; `test` has two questions on one video, one on a silent one, one without a video."""
    root = tmp_path_factory.mktemp("mmou")
    videos = {"videos/aaaaaaaaaaa.mp4": clip, "videos/test/bbbbbbbbbbb.mp4": silent_clip}
    hidden = {"correct_option_letter": ..., "correct_option_text": ..., "answer": ...}
    write_mmou(root / "release", mmou_record(9, **hidden), name="MMOU.json")
    records = [mmou_record(0), mmou_record(1), mmou_record(2, video_url=url("bbbbbbbbbbb"))]
    write_mmou(root / "release", *records, mmou_record(3, video_url=url("ccccccccccc")), videos=videos)
    return build("mmou", release=root / "release", to=root / "layout")


def load(path, config, cache, **kwargs):
    return load_dataset(str(path), config, cache_dir=str(cache), **kwargs)


def test_one_row_a_question_with_a_lazily_decoded_video(layout, tmp_path):
    rows = load(layout, "test", tmp_path, split="test")
    assert rows["id"][:] == ["q0", "q1", "q2", "q3"]
    assert isinstance(rows.features["video"], datasets.Video)
    assert rows[0]["video"][0].shape == (3, 48, 64)
    with pytest.raises(RuntimeError):  # a missing file shows when it is decoded, not before
        rows[3]
    assert len(rows.cast_column("video", datasets.Video(decode=False))[:]["id"]) == 4


def test_the_hidden_config_shares_the_videos(layout, tmp_path):
    rows = load(layout, "default", tmp_path, split="train")
    assert rows[0]["video"][0].shape == (3, 48, 64)
    assert rows[0]["answer_index"] == -1


def test_a_layout_streams(layout, tmp_path):
    rows = load(layout, "test", tmp_path, split="test", streaming=True)
    first = next(iter(rows))
    assert (first["id"], first["video"][0].shape) == ("q0", (3, 48, 64))


def test_the_video_column_casts_to_audio(layout, tmp_path):
    rows = load(layout, "test", tmp_path, split="test").filter(lambda has: has, input_columns="has_audio")
    heard = rows.cast_column("video", Audio(sampling_rate=16_000, num_channels=1))
    assert rows["id"][:] == ["q0", "q1"]
    assert heard[0]["video"].get_all_samples().data.shape[0] == 1
    assert heard[0]["video"].get_all_samples().duration_seconds == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_layouts_of_few_videos_load_too(tmp_path, clip, count):
    records = [lecture(f"v{number}", discipline="Math") for number in range(3)]
    release = write_video_mmlu(tmp_path / "release", *records)
    for number in range(count):
        shutil.copyfile(clip, release / f"v{number}.mp4")
    made = build("video_mmlu", release=release, to=tmp_path / "layout")
    for config, rows in (("quiz", 6), ("notebook", 3)):
        for streaming in (False, True):
            found = load(made, config, tmp_path / "cache", split="Video_MMLU", streaming=streaming)
            first = next(iter(found))
            assert first["video_id"] == "v0"
            if count:
                assert first["video"][0].shape == (3, 48, 64)
            else:
                assert first["file_name"] == first["video_path"]
        assert len(load(made, config, tmp_path / "cache", split="Video_MMLU")) == rows


def test_rows_that_changed_under_the_same_name_and_time_are_not_served_from_the_cache(layout, tmp_path):
    import os

    copy = shutil.copytree(layout, tmp_path / "layout")
    assert load(copy, "test", tmp_path / "cache", split="test").features
    rows = read_rows(copy, "test").to_list()
    time = (copy / "test.parquet").stat()
    rows[0]["question"] = "Another question?"
    pq.write_table(pa.Table.from_pylist(rows, schema=FEATURES.arrow_schema), copy / "test.parquet")
    os.utime(copy / "test.parquet", ns=(time.st_atime_ns, time.st_mtime_ns))
    front, text = read_card(copy / CARD)
    for entry in front["configs"]:
        entry |= config_entry(entry["config_name"], {}, videos=[], content="f" * 64) | {
            "data_files": entry["data_files"]
        }
    (copy / CARD).write_text(f"---\n{yaml.safe_dump(front)}---\n{text}")
    found = load(copy, "test", tmp_path / "cache", split="test").select_columns("question")
    assert found[0]["question"] == "Another question?"
    assert read_rows(copy, "test")[0]["question"] == "Another question?"


def test_loading_needs_no_network(layout, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert len(load(layout, "test", tmp_path, split="test")) == 4
    assert len(read_rows(layout, "test")) == 4


def test_rows_are_read_without_any_media_file(layout, tmp_path):
    copy = shutil.copytree(layout, tmp_path / "layout")
    shutil.rmtree(copy / "videos")
    rows = read_rows(copy, "test")
    assert rows.features == FEATURES
    assert rows.split == "test"
    assert rows[0]["video_path"] == place("aaaaaaaaaaa")
    assert rows["has_audio"][:] == [True, True, False, None]


def test_rows_of_the_same_content_have_the_same_fingerprint(layout, tmp_path):
    copy = shutil.copytree(layout, tmp_path / "elsewhere")
    assert read_rows(layout, "test")._fingerprint == read_rows(copy, "test")._fingerprint
    assert read_rows(layout, "test")._fingerprint != read_rows(layout, "default")._fingerprint


def test_an_opened_layout_says_what_it_is(layout):
    opened = open_layout(layout)
    assert (opened.benchmark, opened.sample, opened.hidden) == ("mmou", True, {"default"})
    assert opened.configs == {"default": {"train": "default.parquet"}, "test": {"test": "test.parquet"}}
    assert opened.facts["missing_videos"] == 1
    assert opened.facts["rows"] == {"default": 1, "test": 4}


def test_an_unknown_config_or_split_names_what_there_is(layout):
    with pytest.raises(ChalkbenchError, match="no config 'mini'; it has default, test"):
        read_rows(layout, "mini")
    with pytest.raises(ChalkbenchError, match="no split 'train'; it has test"):
        read_rows(layout, "test", "train")


def test_missing_videos_come_first_and_once_a_row(layout):
    rows = read_rows(layout, "test")
    problems = check_rows(rows, layout, hidden=False)
    assert problems == [MissingMedia("q3", "video_path", f"{place('ccccccccccc')} is missing")]
    assert missing_media(layout, rows) == [place("ccccccccccc")]
    assert missing_media(open_layout(layout), rows.to_list()) == [place("ccccccccccc")]


def bad(**values):
    return make_row(**({"id": "x", "question": "q", "video_path": place("gone")} | values))


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"options": ["a", "b"], "answer_index": 2}, "answer_index"),
        ({"options": ["a", ""], "answer_index": 0}, "options"),
        ({"options": ["a"], "answer_index": 0}, "options"),
        ({"clip_start": 3.0, "clip_end": 2.0}, "clip_end"),
        ({"evidence_start": 3.0, "evidence_end": 2.0}, "evidence_end"),
        ({"subtitles": [{"start": 2.0, "end": 1.0, "text": "x"}]}, "subtitles"),
        ({"question": " "}, "question"),
    ],
)
def test_a_bad_row_is_named_with_its_field_after_the_missing_videos(tmp_path, values, field):
    rows = [make_row(id="ok", question="q"), bad(**values), make_row(id="ok", question="q")]
    for given in (rows, datasets.Dataset.from_list(rows, features=FEATURES)):
        problems = check_rows(given, tmp_path, hidden=False)
        assert [(type(problem).__name__, problem.row, problem.field) for problem in problems] == [
            ("MissingMedia", "x", "video_path"),
            ("Problem", "x", field),
            ("Problem", "ok", "id"),
        ]


def test_hidden_answers_are_no_problem_where_they_are_hidden(tmp_path):
    row = make_row(id="x", question="q", options=["a", "b"])
    assert check_rows([row], tmp_path, hidden=True) == []
    assert [problem.field for problem in check_rows([row], tmp_path, hidden=False)] == ["answer_index"]


def test_what_is_no_layout_is_told_apart(layout, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/notes.txt").write_text("")
    shutil.copytree(layout, tmp_path / "outer/layout")
    release = write_mmou(tmp_path / "release", mmou_record())
    for folder, message in [
        ("none", "does not exist"),
        ("release/MMOU_TEST_MINI.json", "is a file"),
        ("empty", "is empty"),
        ("other", f"it has no {CARD}"),
        ("outer", f"Did you mean {tmp_path / 'outer/layout'}"),
        ("release", f"is a release of .*mmou.*chalkbench build .* --from {release} --to LAYOUT"),
    ]:
        with pytest.raises(ChalkbenchError, match=message):
            open_layout(tmp_path / folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("configs:", "configs: ["), "no valid YAML at line"),
        (lambda text: text.replace("---\npretty", "pretty"), "no `chalkbench:` key"),
        (lambda text: text.replace("chalkbench:", "chalkbench: 3\nx:"), "must name a `benchmark`"),
        (lambda text: text.replace(f"schema: {SCHEMA}", "schema: 0"), f"schema 0, this chalkbench reads {SCHEMA}"),
        (lambda text: text.replace("path:", "paths:"), "`configs`"),
        (lambda text: text.replace("test.parquet", "tset.parquet"), r"tset\.parquet is missing"),
        (lambda text: "---\njust a word\n---\n", "not a set of"),
    ],
)
def test_a_broken_card_is_told_with_its_fault(layout, tmp_path, change, message):
    copy = shutil.copytree(layout, tmp_path / "layout")
    (copy / CARD).write_text(change((copy / CARD).read_text()))
    with pytest.raises(ChalkbenchError, match=message):
        open_layout(copy)


def test_a_parquet_file_that_is_cut_short_or_lacks_columns_is_told(layout, tmp_path):
    copy = shutil.copytree(layout, tmp_path / "layout")
    table = pq.read_table(copy / "test.parquet")
    pq.write_table(table.drop_columns(["tags", "turn"]), copy / "test.parquet")
    with pytest.raises(ChalkbenchError, match=r"test\.parquet lacks columns \(tags, turn\)"):
        open_layout(copy)
    wrong = table.set_column(table.column_names.index("turn"), "turn", table["id"])
    pq.write_table(wrong, copy / "test.parquet")
    with pytest.raises(ChalkbenchError, match="column turn is string, expected int32"):
        open_layout(copy)
    (copy / "test.parquet").write_bytes((layout / "test.parquet").read_bytes()[:-100])
    with pytest.raises(ChalkbenchError, match=r"test\.parquet cannot be read"):
        read_rows(open_layout(layout).__class__(**vars(open_layout(layout)) | {"root": copy}), "test")


def test_the_source_of_every_row_is_json(layout):
    assert json.loads(read_rows(layout, "test")["source"][0]) == mmou_record(0)

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from releases import OPTIONS, mmou_record, write_mmou

from chalkbench.benchmarks.mmou.builder import MMOU, SKILLS, seconds, youtube_id
from chalkbench.benchmarks.release import LeftOut, Malformed
from chalkbench.errors import ChalkbenchError


def units(root, config="test"):
    builder = MMOU(config_name=config, data_dir=root, cache_dir=root / ".cache")
    return list(builder.units(builder.files)), builder.remarks.lines()


def one(tmp_path, config="test", **changes):
    """The row of a record with these changes (or why there is none), and the remarks."""
    name = {"test": "MMOU_TEST_MINI.json", "default": "MMOU.json"}[config]
    (unit,), remarks = units(write_mmou(tmp_path, mmou_record(**changes), name=name), config)
    return unit.message if isinstance(unit, LeftOut) else unit, remarks


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/watch?v=-aB_3456789",
        "https://www.youtube.com/watch?list=PL1&v=-aB_3456789&t=30s",
        "http://m.youtube.com/watch?v=-aB_3456789#t=1",
        "https://music.youtube.com/watch?v=-aB_3456789&si=x",
        "https://youtu.be/-aB_3456789?si=abc",
        "https://www.youtube.com/shorts/-aB_3456789?feature=share",
        "https://www.youtube.com/embed/-aB_3456789/?start=4",
        "https://www.youtube-nocookie.com/embed/-aB_3456789",
        "https://www.youtube.com/live/-aB_3456789",
        "https://youtube.com/v/-aB_3456789",
        "youtube.com/watch?v=-aB_3456789",
        " https://YouTube.com/watch?v=-aB_3456789 ",
        "-aB_3456789",
        "https://host.example/videos/-aB_3456789.mp4",
        "test/-aB_3456789.mp4",
    ],
)
def test_every_form_of_address_gives_the_video_id(url):
    assert youtube_id(url) == "-aB_3456789"


@pytest.mark.parametrize(
    "url", ["https://www.youtube.com/", "https://example.org/watch?v=abc", "x y", "https://youtu.be/"]
)
def test_an_address_without_video_is_named(url):
    with pytest.raises(Malformed, match="no video id"):
        youtube_id(url)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("01:05", 65), ("1:02:03", 3723), ("0:00:00", 0), ("75:30", 4530), ("12.5", 12.5), (7, 7), (" 00:09.5 ", 9.5)],
)
def test_times_of_all_forms(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["1:2:3:4", "-1:00", "soon", "nan", "1:", "00:01-00:05"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match="no time"):
        seconds(text)


def test_a_record_becomes_a_row(tmp_path):
    row, remarks = one(tmp_path)
    assert remarks == []
    assert (row["id"], row["video_id"]) == ("q0", "aaaaaaaaaaa")
    assert row["video_path"] == row["file_name"]
    assert row["video_path"].endswith("/aaaaaaaaaaa.mp4")
    assert (row["evidence_start"], row["evidence_end"], row["duration"]) == (1, 2, 3.5)
    assert (row["clip_start"], row["clip_end"]) == (None, None)
    assert row["options"] == list(OPTIONS.values())
    assert (row["answer_index"], row["answer"]) == (2, "Good evening")
    assert row["tags"] == [
        "Needle-in-the-haystack reasoning",
        "Tracking spurious correlations",
        "none_option:absent",
    ]
    assert (row["domain"], row["subdomain"], row["task"]) == ("Film", "Short films", "multiple_choice")
    assert json.loads(row["source"]) == mmou_record()


def test_the_paper_has_thirteen_skills_and_all_short_tags_are_known(tmp_path):
    tags = [
        *("Temporal Understanding", "Sequential", "Subscene", "General Holistic Reasoning", "Inference", "Context"),
        *("Needle", "Referential Grounding", "Counting", "Comparative", "Object Interaction Reasoning"),
        *("Audio-Visual Stitching", "Tacking Spurious Correlations"),
    ]
    row, remarks = one(tmp_path, question_type=[*tags, "Tracking Spurious Correlations", "Audio-Visual Understanding"])
    assert len(SKILLS) == 13
    assert row["tags"][:-1] == [*SKILLS, "Audio-visual understanding"]
    assert remarks == []


def test_an_unknown_tag_is_kept_and_remarked(tmp_path):
    row, remarks = one(tmp_path, question_type=["Juggling", "Counting"])
    assert row["tags"][:2] == ["Juggling", "Counting"]
    assert remarks == ["`question_type` 'Juggling' is none of the paper's skills; kept as it is (1: q0)"]


@pytest.mark.parametrize(("gold", "tag"), [("D", "gold"), ("A", "distractor")])
@pytest.mark.parametrize(
    "text", ["None of the options given", "None of the above.", "none of these options are correct"]
)
def test_none_options_are_a_group_of_their_own(tmp_path, gold, tag, text):
    row, _ = one(tmp_path, options=OPTIONS | {"D": text}, correct_option_letter=gold, correct_option_text=...)
    assert row["tags"][-1] == f"none_option:{tag}"


def test_a_none_option_of_a_hidden_question_is_only_present(tmp_path):
    hidden = {"correct_option_letter": ..., "correct_option_text": ..., "answer": ...}
    row, _ = one(tmp_path, "default", options=OPTIONS | {"D": "None of the options given"}, **hidden)
    assert row["tags"][-1] == "none_option:present"
    assert (row["answer_index"], row["answer"]) == (-1, "")


def test_an_option_that_only_begins_like_a_none_option_is_none(tmp_path):
    row, _ = one(tmp_path, options=OPTIONS | {"D": "None of the guests answers"})
    assert row["tags"][-1] == "none_option:absent"


def test_options_come_in_the_order_of_their_labels(tmp_path):
    row, _ = one(tmp_path, options=dict(reversed(OPTIONS.items())))
    assert row["options"] == list(OPTIONS.values())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"question_id": ...}, "question_id: is missing"),
        ({"video_url": "https://www.youtube.com/"}, "video_url: no video id"),
        ({"options": {"A": "x", "C": "y"}}, "options: labels A, C are not A, B, C"),
        ({"options": 5}, "options: expected a dict"),
        ({"correct_option_letter": "K"}, "correct_option_letter: 'K' is none of the labels"),
        ({"correct_option_letter": ..., "correct_option_text": ...}, "answer_index: is missing"),
        ({"options": {"A": "x", "B": ""}, "correct_option_letter": "A"}, "options: option B is empty"),
    ],
)
def test_a_malformed_record_is_left_out_with_its_field(tmp_path, changes, message):
    assert message in one(tmp_path, **changes)[0]


@pytest.mark.parametrize("letter", ["(C)", "c", " C. "])
def test_a_letter_with_marks_is_read(tmp_path, letter):
    assert one(tmp_path, correct_option_letter=letter)[0]["answer_index"] == 2


def test_the_right_option_is_found_by_text_or_by_a_letter_in_answer(tmp_path):
    assert one(tmp_path, correct_option_letter=..., correct_option_text="option 4")[0]["answer_index"] == 4
    row, _ = one(tmp_path, correct_option_letter=..., correct_option_text=..., answer="B")
    assert (row["answer_index"], row["answer"]) == (1, "option 1")


def test_a_text_that_contradicts_the_letter_is_remarked(tmp_path):
    row, remarks = one(tmp_path, correct_option_text="option 3")
    assert row["answer_index"] == 2
    assert "correct_option_text" in remarks[0]


def test_evidence_that_ends_before_it_starts_is_dropped_but_the_question_is_not(tmp_path):
    row, remarks = one(tmp_path, start_time="02:00", end_time="01:00")
    assert (row["evidence_start"], row["evidence_end"]) == (None, None)
    assert json.loads(row["source"])["start_time"] == "02:00"
    assert "`end_time` is before `start_time`" in remarks[0]


def test_an_unreadable_time_is_left_empty_and_remarked(tmp_path):
    row, remarks = one(tmp_path, start_time="soon", end_time="", video_duration=None)
    assert (row["evidence_start"], row["evidence_end"], row["duration"]) == (None, None, None)
    assert remarks == ["`start_time` is no time and is left empty (1: q0 'soon')"]


def test_a_question_without_options_is_open_ended(tmp_path):
    row, _ = one(tmp_path, options={}, correct_option_letter=..., correct_option_text=...)
    assert (row["options"], row["answer_index"], row["answer"]) == ([], -1, "Good evening")
    assert row["task"] == "open_ended"


def repack(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(records)), path)


@pytest.mark.parametrize("packed", [True, False])
def test_the_parquet_repack_gives_the_same_rows(tmp_path, packed):
    record = mmou_record(is_test=True, video_id="aaaaaaaaaaa")
    fewer = mmou_record(1, video_id="bbbbbbbbbbb", options={"A": "x", "B": "y"}, correct_option_letter="B")
    fewer["correct_option_text"] = "y"
    if packed:
        for entry in (record, fewer):
            entry |= {key: json.dumps(entry[key]) for key in ("options", "question_type")}
    repack(tmp_path / "data/test-00000-of-00001.parquet", record, fewer)
    repack(tmp_path / "data_missing/test_missing-00000.parquet", record | {"question_id": "q2", "video_id": "lost"})
    rows, remarks = units(tmp_path)
    assert [row["id"] for row in rows] == ["q0", "q1", "q2"]
    assert rows[0]["options"] == list(OPTIONS.values())
    assert rows[0]["tags"][0] == "Needle-in-the-haystack reasoning"
    assert (rows[1]["options"], rows[1]["answer_index"]) == (["x", "y"], 1)  # a struct column holds C to J as null
    assert rows[2]["video_id"] == "lost"
    assert remarks == ["`test` should hold 5,000 questions, found 3"]


def test_a_damaged_parquet_file_is_named(tmp_path):
    (tmp_path / "test-0.parquet").write_bytes(b"PAR1 no parquet")
    with pytest.raises(ChalkbenchError, match=r"test-0\.parquet cannot be read"):
        units(tmp_path)


def test_only_the_configs_that_the_release_holds_are_there(tmp_path):
    write_mmou(tmp_path, mmou_record())
    assert MMOU.configs_in(MMOU(config_name="test", data_dir=tmp_path, cache_dir=tmp_path / ".c").files) == ["test"]
    builder = MMOU(config_name="default", data_dir=tmp_path, cache_dir=tmp_path / ".c")
    with pytest.raises(ChalkbenchError, match="holds no `default` of mmou"):
        builder.download_and_prepare()


def test_captions_of_videos_are_joined_for_the_judge_of_open_answers(tmp_path):
    root = write_mmou(tmp_path, mmou_record(), name="MMOU_TEST_MINI.json")
    lines = [{"video_path": "test/aaaaaaaaaaa.mp4", "caption": "A ball falls."}, {"video_id": "other"}, "?"]
    (root / "MMOU_Captions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (row,), remarks = units(root)
    assert json.loads(row["source"])["caption"] == "A ball falls."
    assert any("has no video or no caption" in line and "(2:" in line for line in remarks)


def test_captions_alone_are_no_release(tmp_path):
    (tmp_path / "MMOU_Captions.jsonl").write_text("{}")
    assert MMOU(config_name="test", data_dir=tmp_path).annotations(MMOU(data_dir=tmp_path).files, "test") == []

import json

import pytest
from releases import mmou_record, write_mmou

from chalkbench.benchmarks.mmou.builder import MMOU
from chalkbench.benchmarks.release import (
    Malformed,
    Remarks,
    as_text,
    list_files,
    read_json,
    read_json_lines,
    unpack,
)
from chalkbench.errors import ChalkbenchError


def test_hidden_folders_and_left_out_ones_are_not_entered_and_links_are_followed(tmp_path):
    for name in ("a.mp4", ".cache/b.mp4", "layout/c.mp4", "sub/d.mp4", "sub/.e.mp4"):
        (tmp_path / "release" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "release" / name).write_bytes(b"x")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/f.mp4").write_bytes(b"x")
    (tmp_path / "release/linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "release/sub/loop").symlink_to(tmp_path / "release")
    (tmp_path / "release/broken.mp4").symlink_to(tmp_path / "nowhere")
    files = list_files(tmp_path / "release", leave_out=(tmp_path / "release/layout",))
    assert [path.name for path in files.paths] == ["a.mp4", "f.mp4", "d.mp4"]


@pytest.mark.parametrize(("name", "message"), [("none", "does not exist"), ("file", "is a file")])
def test_a_release_that_is_no_folder_is_named(tmp_path, name, message):
    (tmp_path / "file").write_text("")
    with pytest.raises(ChalkbenchError, match=f"{name} {message}"):
        list_files(tmp_path / name)


def test_broken_json_is_told_with_file_and_position(tmp_path):
    (tmp_path / "a.json").write_text('[\n {"x": 1},\n {"x": }\n]')
    with pytest.raises(ChalkbenchError, match=r"a\.json: no valid JSON at line 3, column 8"):
        read_json(tmp_path / "a.json")
    (tmp_path / "a.jsonl").write_text('{"x": 1}\n\n{"x": 2\n')
    with pytest.raises(ChalkbenchError, match=r"a\.jsonl: no valid JSON at line 3, column"):
        list(read_json_lines(tmp_path / "a.jsonl"))


def test_wrong_encoding_and_lfs_pointers_are_told(tmp_path):
    (tmp_path / "a.json").write_bytes(b'["\xe9"]')
    with pytest.raises(ChalkbenchError, match="byte 2 is no UTF-8"):
        read_json(tmp_path / "a.json")
    (tmp_path / "b.json").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with pytest.raises(ChalkbenchError, match="git lfs pull"):
        read_json(tmp_path / "b.json")


def test_a_byte_order_mark_and_unicode_line_ends_do_no_harm(tmp_path):
    (tmp_path / "a.jsonl").write_bytes('\ufeff{"x": "a\u2028b"}\r\n{"x": 2}'.encode())
    assert [record["x"] for _, record in read_json_lines(tmp_path / "a.jsonl")] == ["a\u2028b", 2]


def test_half_characters_are_replaced_and_whole_ones_kept(tmp_path):
    (tmp_path / "a.jsonl").write_text(r'{"a \ud800": "\udc00x \ud83d\ude00 \\ud800"}')
    assert [record for _, record in read_json_lines(tmp_path / "a.jsonl")] == [{"a ?": "?x \U0001f600 \\ud800"}]
    (tmp_path / "a.json").write_text(r'["\uD800"]')
    assert read_json(tmp_path / "a.json") == ["?"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("{'A': \"it's\"}", {"A": "it's"}),
        ("[not a list", "[not a list"),
        ("Needle", "Needle"),
        (["a"], ["a"]),
        (None, None),
    ],
)
def test_packed_values_are_unpacked(value, expected):
    assert unpack(value) == expected


def test_a_field_is_taken_as_text_or_named():
    assert as_text({"a": 5}, "a") == "5"
    assert as_text({"a": None}, "a", required=False) == ""
    for record, message in [({}, "a: is missing"), ({"a": " "}, "a: is empty"), ({"a": ["x"]}, "a: expected text")]:
        with pytest.raises(Malformed, match=message):
            as_text(record, "a")


def test_remarks_are_counted_by_kind():
    remarks = Remarks()
    for number in range(7):
        remarks.add("odd time", f"q{number}")
    remarks.add("no count")
    assert remarks.lines() == ["odd time (7: q0, q1, q2, q3, q4, …)", "no count"]


def test_the_builder_alone_gives_rows_and_never_stale_ones(tmp_path):
    write_mmou(tmp_path / "release", mmou_record(0), mmou_record(1))
    builder = MMOU(config_name="test", data_dir=tmp_path / "release", cache_dir=tmp_path / "cache")
    builder.download_and_prepare()
    assert builder.as_dataset(split="test")["id"][:] == ["q0", "q1"]
    assert [row["id"] for row in builder.as_streaming_dataset(split="test")] == ["q0", "q1"]

    write_mmou(tmp_path / "release", mmou_record(2))
    builder = MMOU(config_name="test", data_dir=tmp_path / "release", cache_dir=tmp_path / "cache")
    builder.download_and_prepare()
    assert builder.as_dataset(split="test")["id"][:] == ["q2"]


def test_bad_records_are_left_out_with_place_and_reason_and_the_good_ones_stay(tmp_path):
    records = [
        mmou_record(0),
        "no record",
        mmou_record(1, question=" "),
        mmou_record(0, question="Again?"),
        mmou_record(2, options={"A": "x", "B": " "}, correct_option_letter="A"),
        mmou_record(3),
    ]
    write_mmou(tmp_path, *records)
    builder = MMOU(config_name="test", data_dir=tmp_path, cache_dir=tmp_path / ".cache")
    units = list(builder.units(builder.files))
    assert [unit["id"] for unit in units if isinstance(unit, dict)] == ["q0", "q3"]
    assert [str(unit) for unit in units if not isinstance(unit, dict)] == [
        "MMOU_TEST_MINI.json entry 1: expected an object with fields, found str",
        "MMOU_TEST_MINI.json entry 2: question: is empty",
        "MMOU_TEST_MINI.json entry 3: row q0: id: already stands at MMOU_TEST_MINI.json entry 0",
        "MMOU_TEST_MINI.json entry 4: row q2: options: option B is empty",
    ]
    assert [unit.record for unit in units if not isinstance(unit, dict)] == [records[index] for index in (1, 2, 3, 4)]


def test_a_release_of_another_size_is_remarked_unless_it_is_a_sample(tmp_path):
    write_mmou(tmp_path, mmou_record(0))
    for sample, expected in [(True, []), (False, ["`test` should hold 5,000 questions, found 1"])]:
        if not sample:
            (tmp_path / "SAMPLE.md").unlink()
        builder = MMOU(config_name="test", data_dir=tmp_path, cache_dir=tmp_path / ".cache")
        list(builder.units(builder.files))
        assert builder.remarks.lines() == expected


def test_a_json_that_is_no_list_is_one_error(tmp_path):
    write_mmou(tmp_path)
    (tmp_path / "MMOU_TEST_MINI.json").write_text(json.dumps({"data": []}))
    builder = MMOU(config_name="test", data_dir=tmp_path, cache_dir=tmp_path / ".cache")
    with pytest.raises(ChalkbenchError, match="expected a JSON list"):
        list(builder.units(builder.files))

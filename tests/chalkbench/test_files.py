"""Result files are whole or not there."""

import json
from pathlib import Path

import pytest

from chalkbench.errors import ChalkbenchError
from chalkbench.files import json_line, write_text
from chalkbench.submission import write_mmou


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "scores.json"
    write_text(path, "old")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ChalkbenchError, match="No space left"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_the_way_is_named(tmp_path: Path):
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(ChalkbenchError, match="cannot write"):
        write_text(tmp_path / "runs" / "scores.json", "{}")


def test_mmous_submission_holds_letters_and_leaves_out_what_was_not_chosen(tmp_path):
    path = tmp_path / "submission.json"
    items = [{"id": "q1", "choice": "C"}, {"id": "q2", "choice": None}, {"id": "q3", "choice": "J"}]
    assert write_mmou(items, path) == 2
    assert json.loads(path.read_text()) == [{"question_id": "q1", "answer": "C"}, {"question_id": "q3", "answer": "J"}]


def test_an_empty_submission_is_valid_json(tmp_path):
    write_mmou([], tmp_path / "s.json")
    assert json.loads((tmp_path / "s.json").read_text()) == []


def test_a_line_is_one_line_for_every_reader_and_comes_back_as_it_was(tmp_path):
    value = {"answer": "so\u2028B\u2029\x85\x0b\n选项 B \ud800"}
    assert len(json_line(value).splitlines()) == 1 and "选项" in json_line(value)
    write_text(tmp_path / "a.jsonl", json_line(value))
    assert json.loads((tmp_path / "a.jsonl").read_text(encoding="utf-8")) == value

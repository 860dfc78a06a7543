"""What is wrong with every record alike is a fault of the field map, and stops the build."""

import json

import pytest

from chalkbench.benchmarks.vira_bench.builder import BUILDER
from chalkbench.errors import ChalkbenchError


def release(tmp_path, n=6, **changes):
    records = [
        {
            "id": f"q{number}",
            "video": "a.mp4",
            "question": "Which?",
            "options": ["a lamp", "a bell", "a rope", "a ball"],
            "answer": number % 4,
            "task": "OEG",
            "subtask": "AI",
        }
        | {name: value(number) if callable(value) else value for name, value in changes.items()}
        for number in range(n)
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, records)))
    (tmp_path / "SAMPLE.md").write_text("made for a test")
    return tmp_path


def units(root):
    builder = BUILDER(data_dir=root, cache_dir=root / ".cache")
    return list(builder.units(builder.files))


def test_answers_counted_from_one_are_not_taken_for_positions(tmp_path):
    with pytest.raises(ChalkbenchError, match=r"counted from 1.*from_one"):
        units(release(tmp_path, answer=lambda number: number % 4 + 1))


def test_answers_counted_from_zero_are_read(tmp_path):
    rows = units(release(tmp_path))
    assert [row["answer_index"] for row in rows] == [0, 1, 2, 3, 0, 1]


def test_transcripts_that_are_all_lost_stop_the_build_and_name_the_key(tmp_path):
    broken = [{"start": 0.0, "stop": 1.0, "text": "Hello."}]
    with pytest.raises(
        ChalkbenchError, match=r"none of the 6 transcripts .*'end' \(or 'duration'\) is missing; it has start, stop"
    ):
        units(release(tmp_path, subtitles=broken))


def test_some_lost_transcripts_cost_no_question(tmp_path):
    good, broken = [{"start": 0.0, "end": 1.0, "text": "Hello."}], [{"start": 0.0}]
    rows = units(release(tmp_path, subtitles=lambda number: good if number else broken))
    assert [bool(row["subtitles"]) for row in rows] == [False, *[True] * 5]

import json

import pytest
from releases import lecture, write_video_mmlu

from chalkbench.benchmarks.release import LeftOut
from chalkbench.benchmarks.video_mmlu.builder import CAPTION_QUESTION, VideoMMLU, read_labels
from chalkbench.errors import ChalkbenchError


def units(root, config="quiz"):
    builder = VideoMMLU(config_name=config, data_dir=root, cache_dir=root / ".cache")
    return list(builder.units(builder.files)), builder.remarks.lines()


def test_every_quiz_question_is_a_row(tmp_path):
    root = write_video_mmlu(tmp_path, lecture(), lecture("bbb"), labels=[("aaaaaaaaaaa", "math"), ("bbb", "Physics")])
    rows, remarks = units(root)
    assert [row["id"] for row in rows] == ["aaaaaaaaaaa:quiz:0", "aaaaaaaaaaa:quiz:1", "bbb:quiz:0", "bbb:quiz:1"]
    assert rows[0]["question"] == "Why is it Thales' theorem?"
    assert (rows[0]["answer"], rows[0]["options"], rows[0]["answer_index"]) == ("He proved it", [], -1)
    assert [row["discipline"] for row in rows] == ["Math", "Math", "Physics", "Physics"]
    assert {row["task"] for row in rows} == {"quiz"}
    assert rows[0]["video_path"] == rows[1]["video_path"]
    assert json.loads(rows[0]["source"])["reasoning_qa"]["question"] == "Why is it Thales\\' theorem?"
    assert remarks == []


def test_every_video_is_a_notebook_row(tmp_path):
    record = lecture(discipline="chemistry", extra={"kept": 1})
    (row,), _ = units(write_video_mmlu(tmp_path, record), "notebook")
    assert (row["id"], row["question"]) == ("aaaaaaaaaaa:notebook", CAPTION_QUESTION)
    assert row["answer"] == "A lecture on Thales' theorem."
    assert row["questions"] == [{"question": "Whose theorem is shown?", "answer": "Thales'"}]
    assert row["discipline"] == "Chemistry"
    assert json.loads(row["source"]) == record


def test_transcripts_become_subtitles_of_both(tmp_path):
    root = write_video_mmlu(tmp_path, lecture(), lecture("bbb"))
    (root / "transcript").mkdir()
    cues = [{"start": 0.5, "duration": 2, "text": "Thales"}, {"start": "3", "duration": None, "text": "was right"}]
    transcripts = [
        {"video_id": "aaaaaaaaaaa", "org_text": {"transcript": cues, "language": "en"}, "punctuated": "Thales."},
        {"video_id": "bbb", "org_text": {"transcript": [{"start": "?"}]}},
    ]
    (root / "transcript/transcripts_punctuated.json").write_text(json.dumps(transcripts))
    rows, remarks = units(root)
    expected = [{"start": 0.5, "end": 2.5, "text": "Thales"}, {"start": 3.0, "end": 3.0, "text": "was right"}]
    assert [row["subtitles"] for row in rows] == [expected, expected, [], []]
    assert remarks[0] == "a transcript cannot be read and is left out (1: transcripts_punctuated.json entry 1)"
    rows, _ = units(root, "notebook")
    assert json.loads(rows[0]["source"])["transcript"] == {"punctuated": "Thales.", "language": "en"}


def test_a_repeated_label_is_fine_and_a_contradicting_one_is_an_error(tmp_path):
    write_video_mmlu(tmp_path, lecture(), labels=[("aaa", "Math"), ("aaa", "math")])
    assert read_labels(tmp_path / "video_sources.jsonl") == {"aaa": "Math"}
    write_video_mmlu(tmp_path, lecture(), labels=[("aaa", "Math"), ("bbb", "Physics"), ("aaa", "Chemistry")])
    with pytest.raises(ChalkbenchError, match=r"aaa is Math at .* line 1, Chemistry at .* line 3"):
        read_labels(tmp_path / "video_sources.jsonl")


def test_without_disciplines_the_rows_stay_and_it_is_said(tmp_path):
    rows, remarks = units(write_video_mmlu(tmp_path, lecture()))
    assert [row["discipline"] for row in rows] == ["", ""]
    assert remarks == ["no discipline is known, so the score lacks it (2: aaaaaaaaaaa)"]


def test_the_record_s_own_discipline_counts(tmp_path):
    rows, remarks = units(write_video_mmlu(tmp_path, lecture(discipline="Physics"), labels=[("aaaaaaaaaaa", "Math")]))
    assert rows[0]["discipline"] == "Physics"
    assert "another discipline" in remarks[0]


def test_bad_pairs_cost_only_themselves(tmp_path):
    pairs = [{"question": "Why?", "answer": ""}, "no pair", {"answer": "x"}, {"question": "How?", "answer": "so"}]
    found, _ = units(write_video_mmlu(tmp_path, lecture(reasoning_qa=pairs), lecture("bbb", reasoning_qa=...)))
    assert [unit["id"] for unit in found if isinstance(unit, dict)] == ["aaaaaaaaaaa:quiz:3"]
    assert [str(unit) for unit in found if isinstance(unit, LeftOut)] == [
        "video_mmlu.jsonl line 1, reasoning_qa 0: answer: is empty",
        "video_mmlu.jsonl line 1, reasoning_qa 1: reasoning_qa: expected a question and an answer, found str",
        "video_mmlu.jsonl line 1, reasoning_qa 2: question: is missing",
        "video_mmlu.jsonl line 2: reasoning_qa: is missing, or no list",
    ]
    assert found[0].record == {"video_id": "aaaaaaaaaaa", "reasoning_qa": pairs[0]}


def test_a_bad_caption_pair_is_left_out_of_the_row_and_remarked(tmp_path):
    pairs = [{"question": "Whose?", "answer": None}, {"question": "What?", "answer": "A line"}]
    (row,), remarks = units(write_video_mmlu(tmp_path, lecture(captions_qa=pairs, discipline="Math")), "notebook")
    assert row["questions"] == [{"question": "What?", "answer": "A line"}]
    assert "a pair of `captions_qa` is left out (answer: is empty)" in remarks[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"video_id": ...}, "video_id: is missing"),
        ({"video_id": {"x": 1}}, "video_id: expected text"),
        ({"caption": ""}, "caption: is empty"),
        ({"captions_qa": []}, "captions_qa: holds no question"),
        ({"captions_qa": "none"}, "captions_qa: is missing, or no list"),
    ],
)
def test_a_malformed_video_is_left_out(tmp_path, changes, message):
    (unit,), _ = units(write_video_mmlu(tmp_path, lecture(**changes)), "notebook")
    assert message in unit.message


def test_the_tsv_repack_gives_the_same_rows(tmp_path):
    pairs = [{"question": "Whose theorem?", "answer": "Thales\\'"}]
    (tmp_path / "Video_MMLU_QA.tsv").write_text(
        "index\tvideo\tquestion\tanswer\tdiscipline\n"
        '0\taaa.mp4\t"Why ""so"",\nthen?"\tNone\tMath\n'
        "1\taaa.mp4\tHow\\'s that?\tNA\tMath\n"
        "2\tbbb.mp4\tWhat?\tA line\tphysics\n"
    )
    (tmp_path / "Video_MMLU_CAP.tsv").write_text(
        f"index\tvideo\tquestion\tanswer\tdiscipline\n0\taaa.mp4\t{pairs!r}\tA lecture\tMath\n"
    )
    rows, _ = units(tmp_path)
    assert [row["id"] for row in rows] == ["aaa:quiz:0", "aaa:quiz:1", "bbb:quiz:0"]
    assert [row["question"] for row in rows] == ['Why "so",\nthen?', "How's that?", "What?"]
    assert [row["answer"] for row in rows] == ["None", "NA", "A line"]
    assert [row["discipline"] for row in rows] == ["Math", "Math", "Physics"]
    (row,), remarks = units(tmp_path, "notebook")
    assert (row["id"], row["answer"]) == ("aaa:notebook", "A lecture")
    assert row["questions"] == [{"question": "Whose theorem?", "answer": "Thales'"}]
    assert json.loads(row["source"])["index"] == "0"
    assert remarks == ["`notebook` should hold 1,065 questions, found 1"]


def test_a_tsv_without_its_columns_is_named(tmp_path):
    (tmp_path / "Video_MMLU_QA.tsv").write_text("index\tquestion\n0\tWhy?\n")
    with pytest.raises(ChalkbenchError, match="lacks the columns answer, video"):
        units(tmp_path)

"""The neutral layout, through VIRA-Bench's builder, which adds least to it."""

import json

import pytest
from neutral_releases import mcq, units, write_release

from chalkbench.benchmarks import names
from chalkbench.benchmarks.layout import build, open_layout, place, read_rows
from chalkbench.benchmarks.lemon.builder import Lemon
from chalkbench.benchmarks.release import list_files
from chalkbench.benchmarks.vira_bench.builder import ViraBench
from chalkbench.errors import ChalkbenchError


def one(root, record, **files):
    """(row or reason, remarks) of a release with one question."""
    rows, left_out, remarks = units(ViraBench, write_release(root, record, **files))
    return (rows or left_out)[0], remarks


def test_every_column_of_a_question(tmp_path):
    record = mcq(
        clip_start="00:10",
        clip_end=40,
        evidence_start=12.5,
        evidence_end="0:00:20",
        asked_at=38,
        duration=60,
        subtitles=[{"start": 10, "end": "12.5", "text": "Look here."}],
        discipline="English",
        course="B1",
        domain="grammar",
        subdomain="tense",
        target_language="en",
        tags=["length bias", 3],
        strategy="kept",
    )
    row, remarks = one(tmp_path, record)
    assert remarks == []
    assert json.loads(row["source"]) == record
    expected = {
        "id": "q0",
        "video_id": "clip1",
        "video_path": place("clip1"),
        "file_name": place("clip1"),
        "clip_start": 10,
        "clip_end": 40,
        "evidence_start": 12.5,
        "evidence_end": 20,
        "asked_at": 38,
        "duration": 60,
        "subtitles": [{"start": 10, "end": 12.5, "text": "Look here."}],
        "question": record["question"],
        "options": record["options"],
        "answer_index": 2,
        "answer": "asks a question",
        "task": "OEG",
        "subtask": "AI",
        "discipline": "English",
        "course": "B1",
        "domain": "grammar",
        "subdomain": "tense",
        "target_language": "en",
        "tags": ["length bias", "3"],
    }
    empty = {"has_audio": None, "clips": [], "option_media": [], "session_id": "", "turn": 0, "key_terms": []}
    empty |= {"questions": [], "messages": []}
    assert row == expected | empty | {"source": row["source"]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": ...}, "id: is missing"),
        ({"id": ["x"]}, "id: expected text, found list"),
        ({"question": " "}, "question: is empty"),
        ({"video": ...}, "video: is missing"),
        ({"video": {"path": "x"}}, "video: expected text, found dict"),
        ({"options": ...}, "options: is missing"),
        ({"options": "A, B"}, "options: expected a list"),
        ({"options": ["x", "", "y", "z"]}, "options: option B is empty"),
        ({"answer": ...}, "answer_index: is missing"),
        ({"answer": "Z"}, "answer: 'Z' is none of the options"),
        ({"answer": 9}, "answer: position 9 is outside 0..3"),
        ({"task": ..., "subtask": ...}, "task: is missing, and so is the subtask"),
        ({"subtask": ...}, "subtask: is missing; OEG has AI, BE, CR"),
        ({"subtask": "XY"}, "subtask: 'XY' is not known; known are OEG, ICR, SRM, AI"),
        ({"task": "ICR"}, "subtask: 'AI' belongs to OEG, not to ICR"),
        ({"subtask": "OEG"}, "subtask: 'OEG' is a task; subtasks are AI"),
        ({"task": ["OEG"]}, "task: expected text, found list"),
        ({"clip_start": "soon"}, "clip_start: 'soon' is no time"),
        ({"clip_start": 9, "clip_end": 3}, "clip_end: 3.0 s is before clip_start"),
        ({"asked_at": [1]}, "asked_at: [1] is no time"),
        ({"course": {"a": 1}}, "course: expected text"),
    ],
)
def test_a_malformed_question_is_left_out_with_its_field(tmp_path, changes, message):
    reason, _ = one(tmp_path, mcq(**changes))
    assert reason.startswith("questions.jsonl line 1: ")
    assert message in reason


@pytest.mark.parametrize("record", ["5", "null", '["a"]', '"text"'])
def test_what_is_no_record_is_left_out(tmp_path, record):
    rows, left_out, _ = units(ViraBench, write_release(tmp_path, mcq(), record))
    assert len(rows) == 1
    assert "expected an object with fields" in left_out[0]


def test_an_id_that_stands_twice_is_left_out_the_second_time(tmp_path):
    rows, left_out, _ = units(ViraBench, write_release(tmp_path, mcq(question="first"), mcq(question="second")))
    assert [row["question"] for row in rows] == ["first"]
    assert "already stands at questions.jsonl line 1" in left_out[0]


def test_broken_json_is_told_with_its_line(tmp_path):
    write_release(tmp_path, mcq(), "{broken")
    with pytest.raises(ChalkbenchError, match=r"questions\.jsonl: no valid JSON at line 2"):
        units(ViraBench, tmp_path)


@pytest.mark.parametrize(
    ("task", "subtask", "expected"),
    [
        ("OEG", "AI", ("OEG", "AI")),
        ("", "ai", ("OEG", "AI")),
        (..., "Causal Attribution Plausibility", ("ICR", "CA")),
        ("Causal Attribution", ..., ("ICR", "CA")),
        ("Interaction-Contingency Reasoning", "contingent_feedback_recognition", ("ICR", "CF")),
        ("Support–Response Modelling", "OP", ("SRM", "OP")),
    ],
)
def test_tasks_are_known_by_short_and_long_names(tmp_path, task, subtask, expected):
    row, _ = one(tmp_path, mcq(task=task, subtask=subtask))
    assert (row["task"], row["subtask"]) == expected


def test_times_that_only_describe_cost_no_question(tmp_path):
    row, remarks = one(tmp_path, mcq(evidence_start=5, evidence_end=1, duration="long"))
    assert (row["evidence_start"], row["evidence_end"], row["duration"]) == (None, None, None)
    assert len(remarks) == 2
    assert all("q0" in remark for remark in remarks)


SRT = "1\n00:00:01,000 --> 00:00:02,500\n<i>Look</i> here.\n"
VTT = "WEBVTT\n\n00:01.000 --> 00:02.500\nLook here.\n"
CUES = json.dumps({"text": "Look here.", "segments": [{"start": 1.0, "end": 2.5, "text": "Look here."}]})


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("subtitles/clip1.srt", SRT),
        ("subtitles/deep/clip1.VTT", VTT),
        ("clip1.json", CUES),
        ("asr/clip1.en.srt", SRT),
    ],
)
def test_the_videos_file_of_subtitles_is_found(tmp_path, path, content):
    row, remarks = one(tmp_path, mcq(), files={path: content})
    assert row["subtitles"] == [{"start": 1, "end": 2.5, "text": "Look here."}]
    assert remarks == []


def test_a_record_may_name_its_file_of_subtitles_or_hold_them(tmp_path):
    files = {"asr/other.srt": SRT, "clip1.srt": SRT.replace("Look", "Never")}
    for given in (
        "other.srt",
        "asr\\other.srt",
        json.loads(CUES),
        [{"start": "00:01", "duration": 1.5, "text": "Look here."}],
    ):
        row, _ = one(tmp_path, mcq(subtitles=given), files=files)
        assert row["subtitles"] == [{"start": 1, "end": 2.5, "text": "Look here."}]


def test_a_transcript_without_times_is_one_piece(tmp_path):
    row, remarks = one(tmp_path, mcq(subtitles="Look here.\nWhat is it?", clip_start=5, duration=9))
    assert row["subtitles"] == [{"start": 5, "end": 9, "text": "Look here.\nWhat is it?"}]
    assert remarks == ["the transcript has no times: it is one piece (1: q0)"]
    row, _ = one(tmp_path, mcq(subtitles="Look here."))
    assert row["subtitles"] == [{"start": 0, "end": 0, "text": "Look here."}]


@pytest.mark.parametrize(
    ("given", "files", "message"),
    [
        (..., {"clip1.srt": "no cues at all"}, "a file of subtitles cannot be read, so its questions have none"),
        (..., {"clip1.srt": b"1\n00:00:01,000 --> 00:00:02,000\n\xe9"}, "is not UTF-8"),
        (..., {"clip1.json": '[{"start": 3}]'}, "cue 0: field 'end' (or 'duration') is missing"),
        (..., {"clip1.json": "{"}, "cannot be read"),
        ("gone.srt", {}, "subtitles are named that the release does not hold (1: gone.srt)"),
        ([{"start": "soon", "end": 1, "text": "x"}], {}, "'soon' is no time"),
        ([{"start": 1, "end": 2}], {}, "cue 0: field 'text' is missing"),
        ([5], {}, "cue 0: expected"),
        ({"other": []}, {}, "expected a list of cues"),
        ([{"start": 4, "end": 2, "text": "x"}], {}, "cue 0: ends at 2"),
    ],
)
def test_subtitles_that_cannot_be_read_cost_no_question(tmp_path, given, files, message):
    row, remarks = one(tmp_path, mcq(subtitles=given), files=files)
    assert row["subtitles"] == []
    assert len(remarks) == 1
    assert message in remarks[0]


def test_the_questions_themselves_are_no_subtitles(tmp_path):
    fields = ", ".join(f"{name}: {name}" for name in ("id", "video", "question", "options", "answer", "subtask"))
    own = f"files: [clip1.json]\nfields: {{{fields}}}"
    files = {"field_map.yaml": own, "clip1.json": json.dumps([mcq()])}
    write_release(tmp_path, name="notes.txt", files=files)
    rows, _, remarks = units(ViraBench, tmp_path)
    assert rows[0]["subtitles"] == []
    assert not any("subtitles" in remark for remark in remarks[:1])


def test_a_video_is_known_by_its_file_name_wherever_the_records_say_it_lies(tmp_path):
    records = [mcq(number, video=video) for number, video in enumerate(["/data/a/x.mp4", "a\\x.webm", "a/x", "y.v2"])]
    rows, _, _ = units(ViraBench, write_release(tmp_path, *records))
    assert [row["video_id"] for row in rows] == ["data/a/x", "a/x", "a/x", "y.v2"]
    rows, _, _ = units(ViraBench, write_release(tmp_path, *records[1:]))
    assert [row["video_id"] for row in rows] == ["x", "x", "y.v2"]


def test_videos_of_the_same_name_in_different_folders_are_told_apart(tmp_path):
    records = [
        mcq(0, video="math/lecture1.mp4"),
        mcq(1, video="physics/lecture1.mp4"),
        mcq(2, video="chemistry/lecture1.mp4"),
    ]
    files = {"videos/math/lecture1.mp4": "math", "videos/physics/lecture1.mp4": "physics"}
    to = build(
        "vira_bench", release=write_release(tmp_path / "release", *records, files=files), to=tmp_path / "layout"
    )
    rows = read_rows(to, "default")
    assert rows["video_id"][:] == ["math/lecture1", "physics/lecture1", "chemistry/lecture1"]
    assert [(to / path).read_text() for path in rows["video_path"][:2]] == ["math", "physics"]
    assert not (to / rows["video_path"][2]).exists()
    assert open_layout(to).facts["missing_videos"] == 1


def test_counts_that_differ_are_named_for_each_subtask_but_not_for_samples(tmp_path):
    records = [mcq(0), mcq(1), mcq(2, subtask="BE"), mcq(3, id=...)]
    assert units(ViraBench, write_release(tmp_path, *records))[2] == []
    (tmp_path / "SAMPLE.md").unlink()
    remarks = units(ViraBench, tmp_path)[2]
    assert remarks[0] == "`default` should hold 1,322 questions, found 4"
    assert "AI should hold 215 questions, found 2" in remarks
    assert "OP should hold 160 questions, found 0" in remarks
    assert len(remarks) == 9


def test_the_official_counts_are_met_without_a_word(tmp_path):
    records = [
        mcq(f"{subtask}{number}", task=..., subtask=subtask)
        for subtask, count in ViraBench.COUNTS.items()
        for number in range(count)
    ]
    assert sum(ViraBench.COUNTS.values()) == 1322
    assert units(ViraBench, write_release(tmp_path, *records, sample=False))[2] == []


def test_only_its_own_benchmark_takes_a_folder_for_its_release(tmp_path):
    vira = list_files(write_release(tmp_path / "vira", mcq()))
    lemon = list_files(write_release(tmp_path / "lemon", mcq(task="OR", subtask="PS")))
    other = list_files(write_release(tmp_path / "other", {"id": 1, "question": "?"}, "5"))
    broken = list_files(write_release(tmp_path / "broken", "{"))
    empty = list_files(write_release(tmp_path / "empty", name="readme.txt"))
    assert [ViraBench.holds(files) for files in (vira, lemon, other, broken, empty)] == [
        True,
        False,
        False,
        False,
        False,
    ]
    assert [Lemon.holds(files) for files in (vira, lemon, other, broken, empty)] == [False, True, False, False, False]
    with pytest.raises(ChalkbenchError, match="is a release of vira_bench, not a layout"):
        open_layout(tmp_path / "vira")


@pytest.mark.parametrize("name", ["lemon", "vira_bench"])
def test_a_folder_without_a_release_is_told_what_was_expected(tmp_path, name):
    assert name in names()
    (tmp_path / "r").mkdir()
    with pytest.raises(ChalkbenchError, match=r"no release of .* expected questions\.jsonl and videos/"):
        build(name, release=tmp_path / "r", to=tmp_path / "layout")
    write_release(tmp_path / "r", mcq(subtask="other"))
    with pytest.raises(ChalkbenchError, match=r"no record .* can become a question.*'other' is not known"):
        build(name, release=tmp_path / "r", to=tmp_path / "layout")


def test_a_changed_field_map_or_subtitle_is_another_release(tmp_path):
    root = write_release(tmp_path, mcq(), files={"clip1.srt": SRT})
    first = ViraBench.release_sha256(list_files(root))
    (root / "clip1.srt").write_text(SRT.replace("Look", "Listen"))
    second = ViraBench.release_sha256(list_files(root))
    (root / "field_map.yaml").write_text("files: [questions.jsonl]\nfields: {id: id, question: question}")
    assert len({first, second, ViraBench.release_sha256(list_files(root))}) == 3

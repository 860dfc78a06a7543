"""The sample releases that are committed: whole, balanced, and what their script makes."""

import hashlib
import importlib
import io
import json
import tarfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml

from chalkbench.media.video import probe

ROOT = Path(__file__).resolve().parents[2]
MMOU, VIDEO_MMLU = (ROOT / "benchmarks" / name / "sample" for name in ("mmou", "video_mmlu"))
NEUTRAL = ("lemon", "vira_bench", "instructionbench")
LEMON, VIRA_BENCH, INSTRUCTIONBENCH = (ROOT / "benchmarks" / name / "sample" for name in NEUTRAL)
LECTURES = ROOT / "tests" / "fixtures" / "lectures"
NONE = "None of the options given"
LETTERS = "ABCDEFGHIJ"


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def mini():
    return read(MMOU / "MMOU_TEST_MINI.json")


@pytest.fixture(scope="module")
def hidden():
    return read(MMOU / "MMOU.json")


@pytest.fixture(scope="module")
def archive() -> dict[str, bytes]:
    """What the joined tar parts of Video-MMLU hold."""
    joined = b"".join(part.read_bytes() for part in sorted(VIDEO_MMLU.glob("*.tar*")))
    with tarfile.open(fileobj=io.BytesIO(joined)) as tar:
        return {name: tar.extractfile(name).read() for name in tar.getnames()}


def lecture_of(record):
    return next(lecture for lecture in written("mmou") if lecture["id"] in record["video_url"])


@cache
def written(name):
    return yaml.safe_load((LECTURES / f"{name}.yaml").read_text(encoding="utf-8"))


def test_samples_are_marked_and_small():
    for release in (MMOU, VIDEO_MMLU, LEMON, VIRA_BENCH, INSTRUCTIONBENCH):
        note = (release / "SAMPLE.md").read_text(encoding="utf-8")
        assert "make_samples.py" in note and "never a result" in note and "CC0" in note
    for release in (LEMON, VIRA_BENCH, INSTRUCTIONBENCH):
        assert sum(file.stat().st_size for file in release.rglob("*") if file.is_file()) < 800_000
    files = [file for release in (MMOU, VIDEO_MMLU) for file in release.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 5_000_000
    assert all(file.stat().st_size < 500_000 for file in files)


def test_no_clip_is_there_twice(archive):
    clips = [file.read_bytes() for file in MMOU.rglob("*.mp4")] + list(archive.values())
    assert len(clips) == len({hashlib.sha256(clip).digest() for clip in clips}) == 11


def test_questions_have_ten_different_options_and_balanced_golds(mini):
    assert len(mini) >= 30
    assert all(list(record["options"]) == list(LETTERS) for record in mini)
    assert all(len(set(record["options"].values())) == 10 for record in mini)
    counts = Counter(record["correct_option_letter"] for record in mini)
    assert set(counts) == set(LETTERS) and max(counts.values()) - min(counts.values()) <= 1
    assert all(record["options"][record["correct_option_letter"]] == record["correct_option_text"] for record in mini)


def test_none_option_is_gold_and_distractor(mini):
    offered = [record for record in mini if NONE in record["options"].values()]
    gold = [record for record in offered if record["correct_option_text"] == NONE]
    assert len(gold) >= 2 and len(offered) - len(gold) >= 2
    assert all(record["answer"] not in record["options"].values() for record in gold)


def test_hidden_part_has_no_answers_and_shares_nothing(mini, hidden):
    assert len(hidden) >= 6
    assert not any({"answer", "correct_option_letter", "correct_option_text"} & record.keys() for record in hidden)
    assert not {record["question_id"] for record in mini} & {record["question_id"] for record in hidden}


def test_every_question_has_its_video(mini, hidden):
    for records, folder in ((mini, MMOU / "test"), (hidden, MMOU)):
        assert all((folder / f"{lecture_of(record)['id']}.mp4").is_file() for record in records)


def test_quirks_of_the_release_are_there(mini):
    urls = " ".join({record["video_url"] for record in mini})
    assert all(form in urls for form in ("watch?v=", "youtu.be/", "/embed/", "/shorts/", "&t=", "?si="))
    assert any(record["start_time"].count(":") == 2 for record in mini)
    assert any(record["start_time"].count(":") == 1 for record in mini)
    assert any("Tacking Spurious Correlations" in record["question_type"] for record in mini)
    assert max(Counter(record["video_url"] for record in mini).values()) >= 5


def test_one_clip_is_silent_and_durations_are_true(mini):
    silent = set()
    for record in {record["video_url"]: record for record in mini}.values():
        info = probe(MMOU / "test" / f"{lecture_of(record)['id']}.mp4")
        assert info.duration == pytest.approx(record["video_duration"], abs=0.2)
        silent |= set() if info.has_audio else {info.path}
    assert len(silent) == 1


def test_questions_need_the_slide_the_speech_or_both():
    needs = Counter(item["needs"] for lecture in written("mmou") for item in lecture["questions"])
    assert needs["shown"] >= 10 and needs["said"] >= 10 and needs["both"] >= 3 and needs["seen"] >= 1


def test_speech_does_not_say_what_only_the_slide_shows():
    for lecture in written("mmou"):
        said = " ".join(slide.get("say", "") for slide in lecture["slides"]).lower()
        shown = " ".join(text for slide in lecture["slides"] for text in [slide["title"], *slide["lines"]]).lower()
        for item in lecture["questions"]:
            if item["needs"] == "shown":
                assert item["answer"].lower() not in said
            if item["needs"] == "said":
                assert item["answer"].lower() not in shown


def test_committed_release_is_what_the_lectures_say(mini, hidden):
    expected = [item["ask"] for lecture in written("mmou") for item in lecture["questions"]]
    assert sorted(expected) == sorted(record["question"] for record in [*mini, *hidden])
    rows = lines(VIDEO_MMLU / "video_mmlu.jsonl")
    assert [row["video_id"] for row in rows] == [lecture["id"] for lecture in written("video_mmlu")]


def test_video_mmlu_has_its_files_and_quirks(archive):
    rows, sources = lines(VIDEO_MMLU / "video_mmlu.jsonl"), lines(VIDEO_MMLU / "video_sources.jsonl")
    assert {f"youtube_videos/{row['video_id']}.mp4" for row in rows} == set(archive)
    assert len(list(VIDEO_MMLU.glob("*.tar*"))) == 2
    assert {row["discipline"] for row in rows} == {"Math", "Physics", "Chemistry"}
    assert all(len(row["reasoning_qa"]) >= 4 and len(row["captions_qa"]) >= 4 and row["caption"] for row in rows)
    assert len(sources) > len({source["video_id"] for source in sources}) == len(rows)
    text = (VIDEO_MMLU / "video_mmlu.jsonl").read_text(encoding="utf-8")
    assert r"\\'" in text
    transcripts = read(VIDEO_MMLU / "transcript" / "transcripts_punctuated.json")
    assert {entry["video_id"] for entry in transcripts} == {row["video_id"] for row in rows}
    cues = transcripts[0]["org_text"]["transcript"]
    assert all(cue.keys() == {"start", "duration", "text"} for cue in cues)


def test_script_draws_and_speaks_nothing_else_than_the_lectures(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "tests" / "fixtures")
    lecture_video = importlib.import_module("lecture_video")
    silent = next(lecture for lecture in written("mmou") if lecture["voice"] is None)
    parts = lecture_video.make_video(silent, tmp_path / "silent.mp4")
    assert parts[-1].end == len(silent["slides"]) * lecture_video.SILENT_SLIDE
    assert probe(tmp_path / "silent.mp4").frames == parts[-1].end * lecture_video.FPS
    slide = silent["slides"][0]
    assert lecture_video.draw_slide(slide, 1.0).tobytes() != lecture_video.draw_slide(slide, 2.0).tobytes()

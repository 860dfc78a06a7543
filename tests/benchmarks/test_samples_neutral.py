"""The sample releases in the neutral layout: they build clean, load, and hold what their tasks need."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import yaml
from datasets import load_dataset
from skimage.metrics import structural_similarity

from chalkbench.benchmarks.layout import build, check_rows, open_layout, read_rows
from chalkbench.media.video import probe, read_frames

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
# {benchmark: {config: its questions}}
HOLDS = {
    "lemon": {"SP": 9, "OR": 4, "AC": 4, "TA": 2, "IP": 4, "VS": 2, "KT": 8},
    "vira_bench": {"default": 20},
    "instructionbench": {"multiple_choice": 24, "open_ended": 8, "train": 8},
}
CLIP_IDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def written(name):
    path = ROOT / "tests" / "fixtures" / "lectures" / f"{name}.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def layouts(tmp_path_factory) -> dict[str, Path]:
    """{benchmark: the layout of its sample}."""
    root = tmp_path_factory.mktemp("layouts")
    return {name: build(name, release=BENCHMARKS / name / "sample", to=root / name) for name in HOLDS}


@pytest.fixture(scope="module")
def rows(layouts) -> dict[str, list[dict]]:
    """{benchmark: the rows of all its configs}."""
    return {
        name: [row for config in configs for row in read_rows(layouts[name], config)]
        for name, configs in HOLDS.items()
    }


@pytest.mark.parametrize("name", HOLDS)
def test_a_sample_builds_clean(layouts, name):
    layout = layouts[name]
    opened = open_layout(layout)
    assert opened.sample
    facts = ("missing_videos", "missing_pictures", "unreadable_videos", "left_out")
    assert [opened.facts[fact] for fact in facts] == [0, 0, 0, 0]
    assert opened.facts["rows"] == HOLDS[name]
    for config in HOLDS[name]:
        assert check_rows(read_rows(layout, config), layout, hidden=False) == []


@pytest.mark.parametrize("name", HOLDS)
def test_load_dataset_takes_every_config(layouts, name, tmp_path):
    for config, count in HOLDS[name].items():
        (split,) = open_layout(layouts[name]).configs[config]
        loaded = load_dataset(str(layouts[name]), config, split=split, cache_dir=str(tmp_path))
        assert len(loaded) == count
        assert loaded[0]["id"] == read_rows(layouts[name], config)[0]["id"]


@pytest.mark.parametrize("name", HOLDS)
def test_right_options_are_spread_evenly(rows, name):
    of_choice = [row for row in rows[name] if row["options"]]
    counts = Counter(row["answer_index"] for row in of_choice)
    assert set(counts) == set(range(5 if name == "instructionbench" else 4))
    assert max(counts.values()) - min(counts.values()) <= 1
    assert all(len(set(row["options"])) == len(row["options"]) for row in of_choice)


@pytest.mark.parametrize("name", HOLDS)
def test_clips_are_short_and_sound(layouts, name):
    videos = sorted((layouts[name] / "videos").rglob("*.mp4"))
    assert len({video.read_bytes() for video in videos}) == len(videos)
    for info in map(probe, videos):
        assert 15 <= info.duration <= 60 and info.has_audio


def test_a_lemon_question_builds_on_the_one_before(rows):
    sessions: dict[str, list[dict]] = {}
    for row in rows["lemon"]:
        if row["session_id"]:
            sessions.setdefault(row["session_id"], []).append(row)
    kinds = {tuple(row["subtask"] for row in turns) for turns in sessions.values()}
    assert kinds == {("KCR", "DCC", "LDT"), ("OCR", "PS"), ("ST", "CL"), ("TIR", "FCP")}
    for turns in sessions.values():
        assert [row["turn"] for row in turns] == list(range(len(turns)))
        assert len({row["video_path"] for row in turns}) == 1
        asked = [row["asked_at"] for row in turns if row["asked_at"] is not None]
        assert asked == sorted(asked)
        assert all("Based on your answer to the previous question" in row["question"] for row in turns[1:])


def test_what_a_lemon_question_foresees_comes_after_it(rows):
    foreseen = [row for row in rows["lemon"] if row["subtask"] == "FCP"]
    assert foreseen and all(row["evidence_start"] >= row["asked_at"] for row in foreseen)


def test_lemons_clips_are_parts_to_be_put_in_order(rows):
    for row in (row for row in rows["lemon"] if row["task"] == "TA"):
        clips = {clip["id"]: clip for clip in row["clips"]}
        assert len(clips) == 3 and all(CLIP_IDS.fullmatch(name) for name in clips)
        assert {clip["path"] for clip in clips.values()} == {row["video_path"]}
        right = CLIP_IDS.findall(row["options"][row["answer_index"]])
        assert right == sorted(clips, key=lambda name: clips[name]["start"])
        assert all(sorted(CLIP_IDS.findall(option)) == sorted(clips) for option in row["options"])
        assert list(clips) != right  # shown as they stand they would give the order away


def test_lemons_pictures_are_frames_of_the_lecture(layouts, rows):
    from PIL import Image

    for row in (row for row in rows["lemon"] if row["subtask"] == "CL"):
        assert len(row["option_media"]) == len(row["options"]) == 4
        within = (row["evidence_start"], row["evidence_end"])
        picture = Image.open(layouts["lemon"] / row["option_media"][row["answer_index"]]).convert("L")
        frames = read_frames(
            layouts["lemon"] / row["video_path"], policy="uniform:5", start=within[0], end=within[1], size=480
        )
        last = frames.pixels[-1].float().mean(dim=0).numpy()
        seen = np.asarray(picture.resize(last.shape[::-1]), float)
        assert np.corrcoef(seen.ravel(), last.ravel())[0, 1] > 0.9


def test_lemon_translates_into_its_eight_languages(rows):
    translated = {row["target_language"]: row for row in rows["lemon"] if row["task"] == "KT"}
    assert list(translated) == ["ar", "zh", "fr", "de", "ja", "ko", "ru", "es"]
    for language, row in translated.items():
        assert row["answer"] and len(row["key_terms"]) == 3
        assert {term["language"] for term in row["key_terms"]} == {language}
    assert all(row["key_terms"] and row["answer"] for row in rows["lemon"] if row["task"] == "VS")


def test_lemon_has_both_kinds_of_subtitles(rows):
    suffixes = {path.suffix for path in (BENCHMARKS / "lemon" / "sample" / "subtitles").iterdir()}
    assert suffixes == {".srt", ".json"}
    for row in rows["lemon"]:
        cues = row["subtitles"]
        assert cues and cues[-1]["end"] <= row["duration"]
        assert all(first["end"] <= then["start"] for first, then in pairwise(cues))


def test_vira_bench_asks_two_of_every_subtask(rows):
    counts = Counter(row["subtask"] for row in rows["vira_bench"])
    assert set(counts) == {"AI", "BE", "CR", "SR", "CA", "CF", "SC", "OP"}
    assert min(counts.values()) >= 2


def test_vira_benchs_options_are_of_like_length(rows):
    for row in rows["vira_bench"]:
        lengths = [len(option) for option in row["options"]]
        mean = sum(lengths) / len(lengths)
        assert all(abs(length - mean) <= 0.2 * mean for length in lengths), row["options"]  # the paper's section 3.4.2


def test_vira_benchs_clips_have_events_that_its_thresholds_find(layouts):
    """Table 4 of the paper: 2 fps, SSIM below 0.88, at least 3 % of the pixels changed, 2 s apart."""
    for video in sorted((layouts["vira_bench"] / "videos").rglob("*.mp4")):
        frames = read_frames(video, policy="fps:2", size=320)
        grey = frames.pixels.float().mean(dim=1).numpy().astype(np.uint8)
        events = [
            time
            for before, after, time in zip(grey, grey[1:], frames.times[1:], strict=False)
            if structural_similarity(before, after) < 0.88 and (np.abs(after.astype(int) - before) > 25).mean() >= 0.03
        ]
        assert len(events) >= 3, video.name
        assert np.diff(events).min() >= 2


def test_vira_benchs_transcripts_tell_two_speakers_turns(rows):
    for clip in written("vira_bench"):
        row = next(row for row in rows["vira_bench"] if row["video_id"] == clip["id"])
        assert [cue["text"] for cue in row["subtitles"]] == [turn["say"] for turn in clip["turns"]]
        assert clip["teacher"] != clip["learner"]


def test_instructionbench_asks_two_of_every_kind_and_all_datasets(rows):
    of_choice = [row for row in rows["instructionbench"] if row["options"]]
    assert min(Counter(row["subtask"] for row in of_choice).values()) >= 2
    assert len({row["subtask"] for row in of_choice}) == 8
    assert {row["domain"] for row in of_choice} == {"YouCook2", "HiREST", "Ego4D", "EgoExo4D"}
    assert all(len(row["options"]) == 5 for row in of_choice)


def test_instructionbench_trains_on_no_test_video(rows):
    train = {row["video_path"] for row in rows["instructionbench"] if row["messages"]}
    test = {row["video_path"] for row in rows["instructionbench"] if not row["messages"]}
    assert train and not train & test


def test_instructionbenchs_trimmed_sources_have_clip_bounds(rows):
    for row in rows["instructionbench"]:
        trimmed = row["domain"] in ("Ego4D", "EgoExo4D")
        assert (row["clip_end"] is not None) == trimmed
        if trimmed:
            assert row["clip_start"] > 0 or row["clip_end"] < row["duration"]


@pytest.mark.parametrize("name", HOLDS)
def test_what_is_committed_is_what_the_texts_say(name):
    release = BENCHMARKS / name / "sample"
    asked = [
        json.loads(line)["question"]
        for file in release.glob("*.jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    for video in written(name):
        kinds = ("questions", "open_ended", "train")
        items = [item for kind in kinds for item in video.get(kind, ())]
        items += [item for session in video.get("sessions", ()) for item in session["questions"]]
        assert items and all(item["ask"] in asked for item in items)

import json
import re
from pathlib import Path

import datasets
import pytest
import yaml
from datasets import load_dataset
from neutral_releases import mcq, units, write_release

from chalkbench.benchmarks.card import CARD, read_card
from chalkbench.benchmarks.layout import build, check_rows, open_layout, read_rows
from chalkbench.benchmarks.vira_bench.builder import ViraBench

HERE = Path(__file__).parents[3] / "benchmarks/vira_bench"


@pytest.fixture(scope="module")
def layout(tmp_path_factory, clip, silent_clip):
    """Three clips, one without its file; transcripts in two forms; not marked as a sample."""
    root = tmp_path_factory.mktemp("vira")
    records = [
        mcq(0, subtitles="clip1.json"),
        mcq(1, task=..., subtask="Causal Attribution Plausibility", video="clip2.mp4"),
        mcq(2, task="SRM", subtask="OP", video="clip3.mp4"),
        mcq(3, subtask="BE", confidence=0.5),
    ]
    cues = json.dumps([{"start": 0, "end": 1, "text": "Circle it. 圈出来。"}])
    files = {"videos/a/clip1.mp4": clip, "videos/b/clip2.mp4": silent_clip, "subtitles/clip1.json": cues}
    files["subtitles/clip2.srt"] = "1\n00:00:00,000 --> 00:00:00,500\nYes.\n"
    release = write_release(root / "release", *records, files=files, sample=False)
    return build("vira_bench", release=release, to=root / "layout")


def test_a_release_becomes_a_layout_whose_rows_are_in_the_papers_layers(layout):
    rows = read_rows(layout, "default")
    assert ["/".join((row["task"], row["subtask"])) for row in rows] == ["OEG/AI", "ICR/CA", "SRM/OP", "OEG/BE"]
    assert [len(row["subtitles"]) for row in rows] == [1, 1, 0, 1]
    assert rows["has_audio"][:] == [True, False, None, True]
    assert rows["duration"][0] == pytest.approx(1, abs=0.1)
    assert [str(problem) for problem in check_rows(rows, layout, hidden=False)] == [
        f"row q2: video_path: {rows[2]['video_path']} is missing"
    ]


def test_the_rows_load_with_their_videos_and_as_a_stream(layout, tmp_path):
    plain = read_rows(layout, "default")
    loaded = load_dataset(str(layout), split="test", cache_dir=str(tmp_path))
    assert loaded[0]["video"][0].shape == (3, 48, 64)
    streamed = load_dataset(str(layout), split="test", streaming=True).cast_column(
        "video", datasets.Video(decode=False)
    )
    columns = [name for name in plain.column_names if name != "file_name"]
    assert [{name: row[name] for name in columns} for row in streamed] == plain.select_columns(columns).to_list()


def test_the_layouts_card_gates_and_allows_no_publication(layout, tmp_path):
    front, text = read_card(layout / CARD)
    assert front["chalkbench"]["redistributable"] is False
    assert "no one in them may be identified" in front["extra_gated_prompt"]
    assert "must not be published again" in " ".join(text.split())
    sample = build("vira_bench", release=write_release(tmp_path / "r", mcq()), to=tmp_path / "sample")
    front = read_card(sample / CARD)[0]
    assert front["license"] == "cc0-1.0"
    assert not any(key.startswith("extra_gated") for key in front)
    assert open_layout(sample).sample


def test_what_is_amiss_is_said_at_the_end(layout, tmp_path, capsys):
    release = layout.parent / "release"
    build("vira_bench", release=release, to=tmp_path / "again")
    said = capsys.readouterr().err
    assert "missing: 1 videos of 1 questions are not in the release: clip3" in said
    assert "note: `default` should hold 1,322 questions, found 4." in said
    assert "note: CA should hold 82 questions, found 1." in said
    assert "4 in `default`; videos: 2." in said


@pytest.mark.parametrize("count", [3, 5])
def test_a_question_with_other_than_four_options_is_kept_and_remarked(tmp_path, count):
    record = mcq(options=[f"option {n}" for n in range(count)])
    rows, left_out, remarks = units(ViraBench, write_release(tmp_path, record))
    assert (len(rows), left_out) == (1, [])
    assert remarks == ["a question has not four options (1: q0)"]


def test_the_field_map_of_the_card_reads_what_it_describes(tmp_path):
    own = re.search(r"```yaml\n(.*?)```", (HERE / CARD).read_text(), re.DOTALL)[1]
    item = {
        "mcq_id": 7,
        "clip": {"file": "c/7.mp4"},
        "stem": "Why?",
        "options": {"A": "w", "B": "x", "C": "y", "D": "z"},
        "gold": "D",
        "labels": {"subtask": "Contingent Feedback Recognition"},
        "asr": [{"begin": 0, "end": 2, "utterance": "Good."}],
    }
    files = {"metadata.json": json.dumps({"version": 1, "items": [item]}), "field_map.yaml": own}
    rows, left_out, remarks = units(ViraBench, write_release(tmp_path, name="notes.txt", files=files))
    assert (left_out, remarks) == ([], [])
    assert (rows[0]["id"], rows[0]["video_id"], rows[0]["subtask"], rows[0]["answer"]) == ("7", "7", "CF", "z")
    assert rows[0]["subtitles"] == [{"start": 0, "end": 2, "text": "Good."}]


def test_the_card_states_what_a_build_expects():
    text = read_card(HERE / CARD)[1]
    assert "Layout unverified" in text
    stated = {name: int(count) for name, count in re.findall(r"\| ([A-Z]{2})(?:, [^|]+)? \| (\d+) \|", text)}
    assert stated == ViraBench.COUNTS
    fields = yaml.safe_load((HERE / "field_map.yaml").read_text())["fields"]
    assert fields.keys() == ViraBench.FIELDS
    assert all(f"`{field}`" in text for field in ViraBench.FIELDS)

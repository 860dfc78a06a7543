"""What a model is shown, as a picture and as a manifest."""

import json

from PIL import Image


def test_frames_pictures_and_conversation_are_shown(cli, sample_data, tmp_path):
    code, out, _ = cli(
        "show", "sample_ro01-ac-speech-1", "lemon:AC", "--data", sample_data, "--evidence", "gold_history",
        "--frames", "12", "--output", tmp_path / "shown",
    )  # fmt: skip
    assert code == 0 and "[assistant]\nD. We took this spring" in out and "12 frames, 49.4" in out
    manifest = json.loads((tmp_path / "shown" / "sample_ro01-ac-speech-1.json").read_text())
    assert len(manifest["frames"][0]["indices"]) == 12 and len(manifest["pictures"]) == 4
    assert manifest["evidence"]["history"] == "gold"
    with Image.open(tmp_path / "shown" / "sample_ro01-ac-speech-1.png") as sheet:
        assert sheet.width == 8 * 224 and sheet.height > 2 * 100


def test_a_question_without_frames_has_a_manifest_alone(cli, sample_data, tmp_path):
    code, out, _ = cli(
        "show", "sample_ro01-sp-law-0", "lemon:SP", "--data", sample_data, "--evidence", "asr_only",
        "--output", tmp_path / "shown",
    )  # fmt: skip
    assert code == 0 and "Subtitles of the lecture:" in out
    assert [path.suffix for path in (tmp_path / "shown").iterdir()] == [".json"]


def test_an_unknown_question_is_named(cli, sample_data):
    code, _, err = cli("show", "nothing", "vira_bench", "--data", sample_data)
    assert code == 1 and "vira_bench has no question 'nothing'; the first is" in err


def test_shuffled_options_are_shown_as_the_named_model_gets_them(cli, sample_data, tmp_path):
    from chalkbench.benchmarks.layout import read_rows

    item = read_rows(sample_data / "vira_bench", "default")[0]["id"]
    shown = {
        model: cli("show", item, "vira_bench", "--data", sample_data, "--model", model, "--output", tmp_path)[1]
        for model in ("one", "two", "three")
    }
    assert len(set(shown.values())) > 1

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile

import pytest
from filelock import FileLock
from neutral_releases import lemon_question, mcq, write_release
from releases import lecture, make_clip, mmou_record, write_mmou, write_video_mmlu

from chalkbench.benchmarks.card import CARD, read_card
from chalkbench.benchmarks.layout import build, check_rows, open_layout, place, read_rows
from chalkbench.errors import ChalkbenchError


def url(video):
    return f"https://www.youtube.com/watch?v={video}"


def many(root, count, content=None):
    """A release of `count` questions, each with a file of its own (no real video unless `content` is one)."""
    write_mmou(root, *(mmou_record(number, video_url=url(f"video{number:06}")) for number in range(count)))
    for number in range(count):
        (root / f"video{number:06}.mp4").write_bytes(content or bytes([1 + number % 255]) * 10)
    return root


def run_build(release, to):
    code = "import sys; from chalkbench.benchmarks.layout import build; "
    code += "build('mmou', release=sys.argv[1], to=sys.argv[2], hard_link=False)"
    return subprocess.Popen([sys.executable, "-c", code, str(release), str(to)], stderr=subprocess.DEVNULL)


def kill_when(process, condition):
    deadline = time.monotonic() + 60
    while not condition() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.003)
    assert process.poll() is None, "the build ended before it could be killed"
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
def test_a_killed_build_leaves_nothing_and_goes_on_where_it_was(tmp_path, clip):
    padded = clip.read_bytes() + (200_008).to_bytes(4) + b"free" + bytes(200_000)  # time to be killed in
    release, to = many(tmp_path / "release", 300, padded), tmp_path / "out/mmou"
    work = tmp_path / "out/.mmou.building"

    def placed():
        return {path.name: path.stat().st_ino for path in work.rglob("*.mp4")}

    kill_when(run_build(release, to), lambda: len(placed()) >= 30)
    assert not to.exists()
    first = placed()
    assert 30 <= len(first) < 300

    journal = work / ".probes.jsonl"
    kill_when(run_build(release, to), lambda: journal.exists() and journal.stat().st_size > 2_000)
    assert not to.exists()
    second = placed()
    assert len(second) == 300
    assert first.items() <= second.items()  # the same files: none was copied again

    assert run_build(release, to).wait() == 0
    assert {path.name: path.stat().st_ino for path in to.rglob("*.mp4")} == second
    assert check_rows(read_rows(to, "test"), to, hidden=False) == []
    assert len(read_rows(to, "test")) == 300
    assert sorted(path.name for path in to.iterdir()) == [CARD, "test.parquet", "videos"]
    assert [path.name for path in to.parent.iterdir()] == ["mmou"]


def test_a_build_killed_while_it_replaces_a_layout_is_mended(tmp_path):
    release = many(tmp_path / "release", 3)
    to = build("mmou", release=release, to=tmp_path / "mmou")
    to.rename(tmp_path / ".mmou.replaced")  # the first of the two steps, and then the kill
    (release / "video000000.mp4").unlink()
    build("mmou", release=release, to=to)
    assert open_layout(to).facts["missing_videos"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mmou", "release"]


def test_a_full_disk_is_one_line_and_the_build_goes_on_afterwards(tmp_path):
    release, to = many(tmp_path / "release", 5), tmp_path / "mmou"
    blocked = tmp_path / ".mmou.building" / place("video000003")
    blocked.parent.mkdir(parents=True)
    (tmp_path / ".mmou.building/.building.json").write_text(
        json.dumps({"benchmark": "mmou", "release": _sha256(release)}),
    )
    full = blocked.with_name(f".{blocked.name}.part")
    full.symlink_to("/dev/full")  # every write to it fails as on a full disk
    with pytest.raises(ChalkbenchError, match=f"no space is left on the disk of {to}; free some") as caught:
        build("mmou", release=release, to=to, hard_link=False)
    assert "\n" not in str(caught.value)
    assert not to.exists()
    done = {path.name: path.stat().st_ino for path in (tmp_path / ".mmou.building").rglob("*.mp4")}
    assert len(done) == 3
    full.unlink()
    build("mmou", release=release, to=to, hard_link=False)
    assert done.items() <= {path.name: path.stat().st_ino for path in to.rglob("*.mp4")}.items()


def _sha256(release):
    from chalkbench.benchmarks.mmou.builder import MMOU
    from chalkbench.benchmarks.release import list_files

    return MMOU.release_sha256(list_files(release))


def test_an_unfinished_layout_of_another_release_is_not_taken_up(tmp_path):
    stale = tmp_path / ".mmou.building" / place("video000000")
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"of another release")
    build("mmou", release=many(tmp_path / "release", 2), to=tmp_path / "mmou", hard_link=False)
    assert (tmp_path / "mmou" / place("video000000")).read_bytes() == b"\x01" * 10


def test_a_second_build_adds_what_was_missing_and_copies_nothing_again(tmp_path, clip, capsys):
    release = write_video_mmlu(tmp_path / "release", *(lecture(f"v{number}") for number in range(3)))
    with tarfile.open(release / "videos.tar", "w") as archive:
        archive.add(clip, "youtube_videos/v0.mp4")
        archive.add(clip, "youtube_videos/v1.mp4")
    to = build("video_mmlu", release=release, to=tmp_path / "layout")
    assert "missing: 1 videos of 3 questions are not in the release: v2." in capsys.readouterr().err
    first = (to / place("v0")).stat().st_ino
    with zipfile.ZipFile(release / "more.zip", "w") as archive:
        archive.write(clip, "v2.mp4")
    build("video_mmlu", release=release, to=to)
    assert (to / place("v0")).stat().st_ino == first
    assert open_layout(to).facts["missing_videos"] == 0
    assert read_rows(to, "notebook")["has_audio"][:] == [True, True, True]
    assert "missing" not in capsys.readouterr().err


def test_split_archives_are_unpacked_into_the_layout(tmp_path, clip):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("youtube_videos/v0.mp4", "../../v1.mp4", "youtube_videos/unasked.mp4"):
            archive.add(clip, name)
    release = write_video_mmlu(tmp_path / "release", lecture("v0"), lecture("v1"))
    half = len(out.getvalue()) // 2
    (release / "v.tar.part_aa").write_bytes(out.getvalue()[:half])
    (release / "v.tar.part_ab").write_bytes(out.getvalue()[half:])
    to = build("video_mmlu", release=release, to=tmp_path / "layout")
    assert (to / place("v0")).read_bytes() == clip.read_bytes()
    assert [path.name for path in to.rglob("*.mp4")] == ["v0.mp4"]  # one outside the archive, one that no row names
    assert not (tmp_path / "v1.mp4").exists()


def test_an_archive_downloaded_again_is_unpacked_again(tmp_path):
    release = write_video_mmlu(tmp_path / "release", lecture("v0"))
    for content in (b"damaged bytes", b"correct bytes"):
        with zipfile.ZipFile(release / "v.zip", "w") as archive:
            archive.writestr("v0.mp4", content)
        to = build("video_mmlu", release=release, to=tmp_path / "layout")
        assert (to / place("v0")).read_bytes() == content


def test_a_damaged_archive_is_named_and_the_rest_is_built(tmp_path, clip, capsys):
    release = write_video_mmlu(tmp_path / "release", lecture("v0"), lecture("v1"))
    with tarfile.open(release / "v.tar", "w") as archive:
        archive.add(clip, "v0.mp4")
        archive.add(clip, "v1.mp4")
    content = (release / "v.tar").read_bytes()
    (release / "v.tar").write_bytes(content[: 512 + clip.stat().st_size + 1_500])
    to = build("video_mmlu", release=release, to=tmp_path / "layout")
    said = capsys.readouterr().err
    assert "archive: v.tar (1 files) cannot be read to its end" in said
    assert "missing: 1 videos of 3 questions are not in the release: v1." in said
    assert (to / place("v0")).is_file()
    assert not list(to.rglob(".*"))


def test_a_video_is_there_once_for_all_its_questions_and_linked_to_the_release(tmp_path, clip):
    records = [mmou_record(number) for number in range(3)]
    release = write_mmou(tmp_path / "release", *records, videos={"test/aaaaaaaaaaa.mp4": clip})
    to = build("mmou", release=release, to=tmp_path / "layout")
    assert [path.name for path in to.rglob("*.mp4")] == ["aaaaaaaaaaa.mp4"]
    assert (to / place("aaaaaaaaaaa")).samefile(release / "test/aaaaaaaaaaa.mp4")
    assert len(set(read_rows(to, "test")["video_path"])) == 1


def test_corrupt_and_silent_videos_are_told_apart(tmp_path, silent_clip, capsys):
    records = [mmou_record(0), mmou_record(1, video_url=url("bbbbbbbbbbb"), video_duration=...)]
    release = write_mmou(tmp_path / "release", *records, videos={"bbbbbbbbbbb.mp4": silent_clip})
    (release / "aaaaaaaaaaa.mp4").write_bytes(silent_clip.read_bytes()[:500])
    to = build("mmou", release=release, to=tmp_path / "layout")
    rows = read_rows(to, "test")
    assert rows["has_audio"][:] == [None, False]
    assert rows["duration"][0] == 3.5  # as the release says
    assert rows["duration"][1] == pytest.approx(1, abs=0.1)  # as probed
    assert "unreadable: 1 videos cannot be decoded: " + place("aaaaaaaaaaa") in capsys.readouterr().err
    assert open_layout(to).facts["unreadable_videos"] == 1


def test_malformed_records_are_kept_aside_and_counted(tmp_path, capsys):
    good, bad = mmou_record(0), mmou_record(1, options={"A": "x", "C": "y"})
    to = build("mmou", release=write_mmou(tmp_path / "release", good, bad), to=tmp_path / "layout")
    (kept,) = [json.loads(line) for line in (to / "left_out.jsonl").read_text().splitlines()]
    assert kept["record"] == bad
    assert kept["where"] == "MMOU_TEST_MINI.json entry 1"
    said = capsys.readouterr().err
    assert "left out: 1 records" in said
    assert "MMOU_TEST_MINI.json entry 1: options: labels A, C" in said
    assert open_layout(to).facts["left_out"] == 1
    assert "Records left out as malformed: 1" in read_card(to / CARD)[1]


def test_the_card_of_a_sample_says_so(tmp_path):
    release = write_mmou(tmp_path / "release", mmou_record(0))
    front, text = read_card(build("mmou", release=release, to=tmp_path / "sample") / CARD)
    assert front["chalkbench"]["sample"] is True
    assert front["pretty_name"] == "MMOU (sample)"
    assert text.lstrip().startswith("> **A sample.**")
    (release / "SAMPLE.md").unlink()
    front, text = read_card(build("mmou", release=release, to=tmp_path / "official") / CARD)
    assert front["chalkbench"]["sample"] is False
    assert front["license"] == "apache-2.0"
    assert front["size_categories"] == ["n<1K"]
    assert "sample" not in text.lower().split("## this layout")[1]


def test_a_video_whose_container_is_no_mp4_keeps_it(tmp_path):
    make_clip(tmp_path / "release/aaaaaaaaaaa.mkv")
    to = build("mmou", release=write_mmou(tmp_path / "release", mmou_record(0)), to=tmp_path / "layout")
    (row,) = read_rows(to, "test")
    assert row["video_path"] == row["file_name"] == place("aaaaaaaaaaa", ".mkv")
    assert check_rows([row], to, hidden=False) == []


def test_a_layout_inside_the_release_folder_is_not_read_as_part_of_it(tmp_path):
    release = many(tmp_path / "release", 2)
    to = build("mmou", release=release, to=release / "layout")
    (release / "video000001.mp4").unlink()
    build("mmou", release=release, to=to)
    assert open_layout(to).facts["missing_videos"] == 1


def test_wrong_releases_are_told_apart(tmp_path):
    release = many(tmp_path / "release", 1)
    layout = build("mmou", release=release, to=tmp_path / "layout")
    (tmp_path / "empty").mkdir()
    broken = write_mmou(tmp_path / "broken")
    (broken / "MMOU_TEST_MINI.json").write_text("[{")
    nothing = write_mmou(tmp_path / "nothing", {"question_id": "q"})
    for benchmark, folder, message in [
        ("mmuo", release, "no benchmark 'mmuo'. Did you mean mmou"),
        ("mmou", tmp_path / "none", "none does not exist"),
        ("mmou", tmp_path / "empty", r"no release of mmou in .*empty: expected MMOU\.json.* Found: nothing"),
        ("video_mmlu", release, r"no release of video_mmlu .*Found: MMOU_TEST_MINI\.json, SAMPLE\.md, video000000"),
        ("mmou", layout, "is a layout already"),
        ("mmou", broken, r"MMOU_TEST_MINI\.json: no valid JSON at line 1, column 3"),
        (
            "mmou",
            nothing,
            "no record of .*nothing can become a question. The first: MMOU_TEST_MINI.json entry 0: video_url",
        ),
    ]:
        with pytest.raises(ChalkbenchError, match=message):
            build(benchmark, release=folder, to=tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_wrong_targets_are_refused(tmp_path):
    release = many(tmp_path / "release", 1)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter.txt").write_text("dear")
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("full")
    for to, message in [
        ("full", "is not empty and no layout of mmou"),
        ("file", "is a file"),
        ("link", "is a link"),
        ("release", "is or holds the release itself"),
        (".", "is or holds the release itself"),
        ("/", "is the root of a file system"),
        ("file/layout", "Not a directory"),
    ]:
        with pytest.raises(ChalkbenchError, match=message):
            build("mmou", release=release, to=tmp_path / to)
    assert (tmp_path / "full/letter.txt").read_text() == "dear"


def test_two_builds_into_one_folder_do_not_mix(tmp_path):
    release = many(tmp_path / "release", 1)
    (tmp_path / ".mmou.building").mkdir()
    with FileLock(tmp_path / ".mmou.building/.lock"), pytest.raises(ChalkbenchError, match="another build"):
        build("mmou", release=release, to=tmp_path / "mmou")


def test_an_empty_target_folder_is_taken(tmp_path):
    (tmp_path / "mmou").mkdir()
    to = build("mmou", release=many(tmp_path / "release", 1), to=tmp_path / "mmou")
    assert len(read_rows(to, "test")) == 1


def test_rows_stand_in_groups_that_bound_memory(tmp_path):
    import pyarrow.parquet as pq

    to = build("mmou", release=many(tmp_path / "release", 1), to=tmp_path / "mmou")
    shutil.rmtree(to)
    write_mmou(tmp_path / "release", *(mmou_record(number) for number in range(2_500)))
    build("mmou", release=tmp_path / "release", to=to)
    file = pq.ParquetFile(to / "test.parquet")
    assert [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)] == [1000, 1000, 500]


@pytest.mark.parametrize("benchmark", ["mmou", "video_mmlu"])
def test_the_committed_sample_becomes_a_whole_layout(tmp_path, benchmark):
    sample = os.path.join(os.path.dirname(__file__), "../../benchmarks", benchmark, "sample")
    layout = open_layout(build(benchmark, release=sample, to=tmp_path / "layout"))
    assert layout.sample
    assert (layout.facts["missing_videos"], layout.facts["unreadable_videos"], layout.facts["left_out"]) == (0, 0, 0)
    for config in layout.configs:
        rows = read_rows(layout, config)
        assert len(rows)
        assert check_rows(rows, layout.root, hidden=config in layout.hidden) == []


def test_clips_beyond_the_end_of_their_video_are_noted(tmp_path, clip, capsys):
    bounds = {"early": (0, 1), "late": (500, 600), "long": (0, 600), "rounded": (0, 1.4), "open": (None, None)}
    records = [mcq(id=id, clip_start=start, clip_end=end) for id, (start, end) in bounds.items()]
    build("vira_bench", release=write_release(tmp_path / "r", *records, files={"clip1.mp4": clip}), to=tmp_path / "to")
    said = capsys.readouterr().err
    assert "a clip begins after the end of its video: there is nothing to show (1: late)" in said
    assert "a clip ends after the end of its video, and is shown as far as it goes (1: long)" in said
    assert "early" not in said and "open" not in said


def test_a_clip_of_several_that_begins_after_the_end_is_noted(tmp_path, clip, capsys):
    parts = [{"id": "x", "start": 0, "end": 1}, {"id": "y", "start": 700, "end": 701}]
    about = {"task": "TA", "subtask": ..., "clips": parts, "options": ["x y", "y x"], "answer": "A"}
    release = write_release(tmp_path / "r", lemon_question(**about), files={"clip1.mp4": clip})
    build("lemon", release=release, to=tmp_path / "to")
    assert "a clip begins after the end of its video: there is nothing to show (1: q0)" in capsys.readouterr().err

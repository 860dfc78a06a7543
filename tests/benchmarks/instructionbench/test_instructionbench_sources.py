"""Videos of the four source datasets, as their own tools lay them out."""

import io
import json
import tarfile

import pytest
from neutral_releases import write_release

from chalkbench.benchmarks.instructionbench.sources import dataset_of, wanted
from chalkbench.benchmarks.layout import build, open_layout, read_rows
from chalkbench.benchmarks.release import Malformed
from chalkbench.errors import ChalkbenchError

UID = "5a3b1c9e-7d24-4f60-9b8e-0c1d2e3f4a5b"
TAKE = "cmu_bike01_5"
ALIGNED = f"takes/{TAKE}/frame_aligned_videos"


def question(number=0, **address):
    options = {"options": ["a", "b", "c", "d", "e"], "answer": "A", "subtask": "OAR"}
    return {"id": f"q{number}", "question": "Which one?", **options, **address}


def taken(tmp_path, *addresses, files):
    """The content of the file that each question gets in the layout; "" if none. files: {path: content}."""
    records = [question(number, **address) for number, address in enumerate(addresses)]
    release = write_release(tmp_path / "release", *records, files=files)
    layout = build("instructionbench", release=release, to=tmp_path / "layout")
    rows = {row["id"]: layout / row["video_path"] for row in read_rows(layout, "multiple_choice")}
    paths = [rows[record["id"]] for record in records]
    return [path.read_text() if path.is_file() else "" for path in paths]


@pytest.mark.parametrize("root", ["", "videos/", "a/b/c/"])
@pytest.mark.parametrize(
    ("dataset", "video", "path"),
    [
        ("YouCook2", "-aB_3456789", "raw_videos/validation/226/-aB_3456789.mp4"),
        ("YouCook2", "-aB_3456789", "raw_videos/training/110/-aB_3456789.webm"),
        ("YouCookII", "-aB_3456789", "YouCookII/raw_videos/testing/403/-aB_3456789.mkv"),
        ("HiREST", "-aB_3456789", "HiREST/videos/-aB_3456789.mp4"),
        ("HiREST", "-aB_3456789.mp4", "videos/-aB_3456789.mp4"),
        ("Ego4D", UID, f"v2/full_scale/{UID}.mp4"),
        ("Ego4D Goal-Step", UID, f"ego4d_data/v2/video_540ss/{UID}.mp4"),
        ("ego4d", UID, f"v2/clips/{UID}.mp4"),
        ("EgoExo4D", TAKE, f"{ALIGNED}/aria01_214-1.mp4"),
        ("Ego-Exo4D", TAKE, f"{ALIGNED}/downscaled/448/aria07_214-1.mp4"),
        ("YouCook2", "-aB_3456789", "youcook2/-aB_3456789.mp4"),
        ("HiREST", "-aB_3456789", "hirest/-aB_3456789.mp4"),
        ("Ego4D", UID, f"ego4d/{UID}.mp4"),
        ("EgoExo4D", TAKE, f"egoexo4d/{TAKE}.mp4"),
    ],
)
def test_every_root_is_found_at_any_depth(tmp_path, root, dataset, video, path):
    assert taken(tmp_path, {"dataset": dataset, "video": video}, files={f"{root}{path}": "it"}) == ["it"]


def test_a_file_of_one_dataset_is_never_taken_for_another(tmp_path):
    both = [{"dataset": "YouCook2", "video": "x1"}, {"dataset": "HiREST", "video": "x1"}]
    files = {"youcook2/raw_videos/validation/9/x1.mp4": "cooked", "hirest/videos/x1.mp4": "repotted"}
    assert taken(tmp_path / "both", *both, files=files) == ["cooked", "repotted"]
    only = {"raw_videos/validation/9/x1.mp4": "cooked"}
    assert taken(tmp_path / "one", *both, files=only) == ["cooked", ""]


def test_a_loose_file_serves_where_no_folder_tells(tmp_path):
    both = [{"dataset": "YouCook2", "video": "x1"}, {"dataset": "HiREST", "video": "x1"}]
    assert taken(tmp_path, *both, files={"x1.mp4": "loose"}) == ["loose", "loose"]


def test_the_largest_size_comes_first(tmp_path):
    files = {
        f"v2/clips/{UID}.mp4": "clip",
        f"v2/video_540ss/{UID}.mp4": "small",
        f"v2/full_scale/{UID}.mp4": "full",
        f"{ALIGNED}/downscaled/448/aria01_214-1.mp4": "small take",
        f"{ALIGNED}/aria01_214-1.mp4": "full take",
    }
    addresses = [{"dataset": "Ego4D", "video": UID}, {"dataset": "EgoExo4D", "video": TAKE}]
    assert taken(tmp_path, *addresses, files=files) == ["full", "full take"]


def test_a_pointer_in_the_largest_size_gives_way_to_a_real_file(tmp_path):
    files = {
        f"{ALIGNED}/aria01_214-1.mp4": "version https://git-lfs.github.com/spec/v1\n",
        f"{ALIGNED}/downscaled/448/aria01_214-1.mp4": "real",
    }
    assert taken(tmp_path, {"dataset": "EgoExo4D", "video": TAKE}, files=files) == ["real"]


def test_the_camera_of_a_take(tmp_path, capsys):
    files = {
        f"{ALIGNED}/aria01_1201-1.mp4": "left eye",
        f"{ALIGNED}/aria01_214-1.mp4": "glasses",
        f"{ALIGNED}/cam01.mp4": "first",
        f"{ALIGNED}/cam02.mp4": "second",
        "takes/other_2/frame_aligned_videos/cam02.mp4": "of another take",
    }
    addresses = [
        {"dataset": "EgoExo4D", "video": TAKE},
        {"dataset": "EgoExo4D", "video": TAKE, "camera": "cam02"},
        {"dataset": "EgoExo4D", "video": f"{TAKE}/cam01"},
        {"video": f"{ALIGNED}/cam02.mp4"},
        {"dataset": "EgoExo4D", "video": TAKE, "camera": "cam09"},
        {"dataset": "EgoExo4D", "video": "other_2"},
    ]
    assert taken(tmp_path, *addresses, files=files) == ["glasses", "second", "first", "second", "", "of another take"]
    said = capsys.readouterr().err
    assert "a take has no file of its glasses' colour camera; cam02 is shown (1: other_2)" in said


def test_a_takes_uid_is_found_through_the_list_of_takes(tmp_path):
    files = {"takes.json": json.dumps([{"take_uid": UID, "take_name": TAKE}, {"odd": 1}, 5])}
    files |= {f"{ALIGNED}/aria01_214-1.mp4": "glasses"}
    assert taken(tmp_path, {"dataset": "EgoExo4D", "video": UID}, files=files) == ["glasses"]


def test_a_list_of_takes_that_is_none_is_named(tmp_path):
    with pytest.raises(ChalkbenchError, match=r"takes\.json: expected Ego-Exo4D's list of takes, found dict"):
        taken(tmp_path, {"dataset": "EgoExo4D", "video": UID}, files={"takes.json": "{}"})


def test_an_archive_of_a_dataset_is_read_where_it_lies(tmp_path):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for name in ("raw_videos/validation/226/x1.mp4", f"{ALIGNED}/cam01.mp4", f"{ALIGNED}/cam02.mp4"):
            entry = tarfile.TarInfo(name)
            entry.size = len(name)
            tar.addfile(entry, io.BytesIO(name.encode()))
    addresses = [
        {"dataset": "YouCook2", "video": "x1"},
        {"dataset": "EgoExo4D", "video": TAKE, "camera": "cam02"},
    ]
    found = taken(tmp_path, *addresses, files={"media.tar": content.getvalue()})
    assert found == ["raw_videos/validation/226/x1.mp4", f"{ALIGNED}/cam02.mp4"]


def test_a_missing_video_is_named_and_its_question_kept(tmp_path, capsys):
    assert taken(tmp_path, {"dataset": "Ego4D", "video": "gone"}, files={}) == [""]
    assert "missing: 1 videos of 1 questions are not in the release: ego4d_gone" in capsys.readouterr().err
    assert open_layout(tmp_path / "layout").facts["missing_videos"] == 1


@pytest.mark.parametrize(
    ("video", "dataset", "camera", "expected"),
    [
        ("4eWzsx1vAi8", "YouCook2", "", "youcook2/4eWzsx1vAi8"),
        ("https://www.youtube.com/watch?v=4eWzsx1vAi8&t=3m5s", "YouCook2", "", "youcook2/4eWzsx1vAi8"),
        ("https://youtu.be/4eWzsx1vAi8", "hirest", "", "hirest/4eWzsx1vAi8"),
        ("raw_videos/validation/226/4eWzsx1vAi8.mp4", "", "", "youcook2/4eWzsx1vAi8"),
        (r".\HiREST\videos\4eWzsx1vAi8.mp4", "", "", "hirest/4eWzsx1vAi8"),
        (f"/data/ego4d/v2/full_scale/{UID}.mp4", "", "", f"ego4d/{UID}"),
        (TAKE, "egoexo4d", " cam03.mp4 ", f"egoexo4d/{TAKE}/cam03"),
        (f"/data/egoexo4d/{TAKE}.mp4", "", "", f"egoexo4d/{TAKE}"),
        (f"/data/egoexo4d/{ALIGNED}/downscaled/448/cam01.mp4", "", "", f"egoexo4d/{TAKE}/cam01"),
        ("grp-" + UID, "Ego4D", "", f"ego4d/grp-{UID}"),
    ],
)
def test_forms_of_an_address(video, dataset, camera, expected):
    assert wanted(dataset, video, camera).id == expected


def test_names_of_datasets():
    assert [dataset_of(name) for name in ("You Cook 2", "hi-rest", "EGO4D", "Ego-Exo4D (trimmed)")] == [
        *("YouCook2", "HiREST", "Ego4D", "EgoExo4D")
    ]
    with pytest.raises(Malformed, match="'Epic' is not known"):
        dataset_of("Epic")

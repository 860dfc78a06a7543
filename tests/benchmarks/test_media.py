import os
from collections import Counter

import pytest

from chalkbench.benchmarks.media import picture_place, place, place_media, probe_media


def put(root, files, wanted, *, before=None, hard_link=True):
    """Places {video: path}; `files` {name: content} are the release."""
    release = root / "release"
    for name, content in files.items():
        (release / name).parent.mkdir(parents=True, exist_ok=True)
        (release / name).write_bytes(content)
    paths = sorted((path for path in release.rglob("*") if path.is_file()), key=lambda path: len(path.parts))
    return place_media(
        [place(video) for video in wanted], paths, root=root / "layout", before=before, hard_link=hard_link
    )


def test_places_are_spread_evenly():
    folders = Counter(place(f"video{number:06}").split("/")[1] for number in range(25_600))
    assert len(folders) == 256
    assert max(folders.values()) < 160


@pytest.mark.parametrize("video", ["-abc_DEF123", "a.b.c", "_x"])
def test_a_plain_id_stays_readable(video):
    assert place(video).endswith(f"/{video}.mp4")


def test_ids_with_odd_characters_never_meet_or_leave_the_layout():
    odd = ["../../etc/x", "a/b", "a_b", "a b", ".hidden", "a:b", "a*b", "é", "e", "..", "a\\b"]
    places = [place(video) for video in odd]
    assert len(set(places)) == len(odd)
    assert all(path.startswith("videos/") and path.count("/") == 2 and "/." not in path for path in places)


def test_a_loose_video_is_linked_not_copied(tmp_path):
    placed = put(tmp_path, {"sub/one.mp4": b"film"}, ["one"])
    assert placed.missing == []
    assert (tmp_path / "layout" / place("one")).samefile(tmp_path / "release/sub/one.mp4")


def test_without_hard_links_the_layout_has_its_own_copy(tmp_path):
    put(tmp_path, {"one.mp4": b"film"}, ["one"], hard_link=False)
    (tmp_path / "release/one.mp4").write_bytes(b"another")
    assert (tmp_path / "layout" / place("one")).read_bytes() == b"film"


def test_a_link_in_the_release_is_followed_to_the_file(tmp_path):
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs/abc").write_bytes(b"film")
    (tmp_path / "release").mkdir()
    (tmp_path / "release/one.mp4").symlink_to("../blobs/abc")  # as in the Hub's cache
    put(tmp_path, {}, ["one"])
    target = tmp_path / "layout" / place("one")
    assert not target.is_symlink()
    assert target.samefile(tmp_path / "blobs/abc")


def test_a_file_system_without_hard_links_gets_a_copy(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    put(tmp_path, {"one.mp4": b"film"}, ["one"])
    assert (tmp_path / "layout" / place("one")).read_bytes() == b"film"


def test_empty_files_and_pointers_are_missing_videos(tmp_path):
    files = {
        "one.mp4": b"",
        "two.mp4": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "3.mp4": b"x",
    }
    assert put(tmp_path, files, ["one", "two", "3"]).missing == [place("one"), place("two")]


def test_another_container_keeps_its_suffix_and_mp4_is_preferred(tmp_path):
    placed = put(tmp_path, {"one.WEBM": b"film", "two.webm": b"film", "two.mp4": b"film"}, ["one", "two"])
    assert placed.moved == {place("one"): place("one", ".webm")}
    assert (tmp_path / "layout" / place("one", ".webm")).is_file()


def test_pictures_have_a_folder_of_their_own(tmp_path):
    release, names = tmp_path / "release", ["a.PNG", "a.jpg"]
    release.mkdir()
    for name in [*names, "a.mp4"]:
        (release / name).write_bytes(name.encode())
    wanted = [picture_place(name) for name in names]
    placed = place_media(wanted, release.iterdir(), root=tmp_path / "layout", before=None, hard_link=True)
    assert placed.missing == []
    assert [(tmp_path / "layout" / path).read_bytes() for path in wanted] == [b"a.PNG", b"a.jpg"]
    assert {path.split("/")[0] for path in wanted} == {"pictures"}


def test_a_copy_already_there_is_not_made_again(tmp_path):
    put(tmp_path, {"one.mp4": b"film"}, ["one"], hard_link=False)
    inode = (tmp_path / "layout" / place("one")).stat().st_ino
    put(tmp_path, {}, ["one"], hard_link=False)
    assert (tmp_path / "layout" / place("one")).stat().st_ino == inode


def test_a_video_that_changed_in_the_release_is_taken_again(tmp_path):
    put(tmp_path, {"one.mp4": b"film"}, ["one"], hard_link=False)
    put(tmp_path, {"one.mp4": b"better film"}, ["one"], hard_link=False)
    assert (tmp_path / "layout" / place("one")).read_bytes() == b"better film"


def test_a_file_is_probed_once_and_again_when_it_changes(tmp_path, clip, silent_clip):
    (tmp_path / "one.mp4").write_bytes(clip.read_bytes())
    (tmp_path / "two.mp4").write_bytes(b"no film")
    first = probe_media(["one.mp4", "two.mp4"], root=tmp_path)
    assert first["one.mp4"].has_audio is True
    assert first["one.mp4"].duration == pytest.approx(1, abs=0.1)
    assert first["two.mp4"].has_audio is None
    assert first["two.mp4"].error
    assert probe_media(["one.mp4", "two.mp4"], root=tmp_path) == first
    assert len((tmp_path / ".probes.jsonl").read_text().splitlines()) == 2
    (tmp_path / "one.mp4").write_bytes(silent_clip.read_bytes())
    assert probe_media(["one.mp4"], root=tmp_path)["one.mp4"].has_audio is False

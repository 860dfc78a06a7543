import os
import zipfile
from collections import Counter
from pathlib import PurePosixPath

import pytest

from chalkbench.benchmarks.media import Finder, picture_place, place, place_media, probe_media


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


def put_named(root, files, names, *, wanted=()):
    """Places {video: names of its file}, and videos that go by their own name."""
    release = root / "release"
    for name, content in files.items():
        (release / name).parent.mkdir(parents=True, exist_ok=True)
        (release / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    paths = sorted((path for path in release.rglob("*") if path.is_file()), key=lambda path: (len(path.parts), path))
    names = {place(video): tuple(of_one) for video, of_one in names.items()}
    found = place_media(
        [*names, *map(place, wanted)], paths, root=root / "layout", before=None, hard_link=True, names=names
    )

    def content(video):
        path = root / "layout" / found.moved.get(place(video), place(video))
        return path.read_text() if path.is_file() else None

    return found, content


TAKES = {f"takes/cook_{n}/frame_aligned_videos/aria01_214-1.mp4": f"take {n}" for n in (1, 2)}


def test_a_file_is_found_by_the_end_of_its_path_where_names_repeat(tmp_path):
    names = {f"take{n}": [f"takes/cook_{n}/frame_aligned_videos/aria01_214-1.mp4"] for n in (1, 2, 3)}
    found, content = put_named(tmp_path, {f"egoexo/{path}": text for path, text in TAKES.items()}, names)
    assert [content(f"take{n}") for n in (1, 2, 3)] == ["take 1", "take 2", None]  # never another take's file
    assert found.missing == [place("take3")]
    assert found.doubts == []


def test_a_folders_name_counts_whole_and_the_suffix_of_a_video_does_not(tmp_path):
    files = {"xcook_1/a.mp4": "wrong", "cook_1/a.webm": "right", "cook_1/a.txt": "no video", "cook_1/ba.mp4": "wrong"}
    found, content = put_named(tmp_path, files, {"one": ["cook_1/a.mp4"], "two": ["cook_1/a"]})
    assert [content("one"), content("two")] == ["right", "right"]
    assert found.moved == {place(video): place(video, ".webm") for video in ("one", "two")}


def test_the_first_name_that_is_there_is_taken(tmp_path):
    files = {"small/a.mp4": "small", "a/deep/full/a.mp4": "full", "small/b.mp4": "small b"}
    names = {video: [f"full/{video}.mp4", f"small/{video}.mp4"] for video in "ab"}
    _, content = put_named(tmp_path, files, names)
    assert [content("a"), content("b")] == ["full", "small b"]


def test_a_named_video_never_falls_back_on_its_own_id(tmp_path):
    found, content = put_named(tmp_path, {"one.mp4": "by its id"}, {"one": ["x/one.mp4"]}, wanted=["two"])
    assert content("one") is None
    assert found.missing == [place("one"), place("two")]


def test_named_files_are_found_in_archives_too(tmp_path):
    (tmp_path / "release").mkdir()
    with zipfile.ZipFile(tmp_path / "release/takes.zip", "w") as archive:
        for name, text in TAKES.items():
            archive.writestr(name, text)
        archive.writestr("images/a/frame1.png", "a")
        archive.writestr("images/b/frame1.PNG", "b")
    names = {f"take{n}": [f"cook_{n}/frame_aligned_videos/aria01_214-1"] for n in (1, 2)}
    _, content = put_named(tmp_path, {}, names)
    assert [content("take1"), content("take2")] == ["take 1", "take 2"]
    pictures = {picture_place(f"{folder}/frame1.png"): (f"{folder}/frame1.png",) for folder in "abc"}
    found = place_media(
        pictures, (tmp_path / "release").iterdir(), root=tmp_path / "p", before=None, hard_link=True, names=pictures
    )
    assert found.missing == [picture_place("c/frame1.png")]
    assert [(tmp_path / "p" / path).read_text() for path in list(pictures)[:2]] == ["a", "b"]


def test_two_different_files_that_could_be_a_video_are_named(tmp_path):
    files = {"a/one.mp4": "first", "b/one.mp4": "second, longer", "a/two.mp4": "same", "b/two.mp4": "same"}
    found, content = put_named(tmp_path, files, {}, wanted=["one", "two"])
    assert content("one") == "first"
    assert found.doubts == [
        "2 different files could be one.mp4; the first is taken: release/a/one.mp4, release/b/one.mp4"
    ]


def test_pictures_of_one_name_in_several_folders_have_places_of_their_own():
    assert len({picture_place(name) for name in ("frame1.png", "a/frame1.png", "b/frame1.png", "b/frame1.jpg")}) == 4
    assert picture_place("x.PNG") == picture_place("x.png")


def test_many_named_files_are_found_in_one_pass(tmp_path, monkeypatch):
    """No file of the release is compared with every wanted one."""
    compared = []
    names = {f"videos/00/{n}.mp4": (f"takes/t{n}/cams/v{n % 500}.mp4",) for n in range(9_000)}
    finder = Finder(names, names)
    monkeypatch.setattr("chalkbench.benchmarks.media._place_of", lambda path: compared.append(path))
    found = [list(finder.of(PurePosixPath(f"/r/takes/t{n}/cams/v{n % 500}.mp4"))) for n in range(9_000)]
    assert found == [[(path, 0)] for path in names]
    assert compared == []  # the rule of names is not asked where every path is named

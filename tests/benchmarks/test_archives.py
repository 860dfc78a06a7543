import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from chalkbench.benchmarks.archives import DAMAGED, Joined, find_archives

CONTENT = {f"youtube_videos/v{index}.mp4": bytes([index]) * 70_000 for index in range(4)}


def tar_bytes(mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in CONTENT.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zip_bytes() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in CONTENT.items():
            archive.writestr(name, content)
    return out.getvalue()


def split(folder: Path, content: bytes, names: list[str]) -> list[Path]:
    size = -(-len(content) // len(names))
    for index, name in enumerate(names):
        (folder / name).write_bytes(content[index * size : (index + 1) * size])
    return [folder / name for name in names]


def read(archive) -> dict[str, bytes]:
    return {str(member.path): member.open().read() for member in archive.members()}


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (tar_bytes(), ["videos.tar"]),
        (tar_bytes("w:gz"), ["videos.tar.gz"]),
        (tar_bytes("w:xz"), ["videos.tgz"]),
        (tar_bytes(), ["videos.tar.part_aa", "videos.tar.part_ab", "videos.tar.part_ac"]),
        (tar_bytes(), [f"videos.tar.part{number}" for number in range(1, 12)]),
        (tar_bytes("w:gz"), ["videos.tar.gz.00", "videos.tar.gz.01"]),
        (tar_bytes(), ["videos.taraa", "videos.tarab"]),
        (zip_bytes(), ["videos_chunked_01.zip"]),
        (zip_bytes(), ["videos.zip.001", "videos.zip.002"]),
    ],
)
def test_whole_and_split_archives_give_their_files(tmp_path, content, names):
    parts = split(tmp_path, content, names)
    (archive,) = find_archives(reversed(parts))
    assert archive.parts == tuple(parts)
    assert read(archive) == CONTENT


def test_chunks_that_are_archives_of_their_own_are_not_joined(tmp_path):
    for number in (1, 2):
        (tmp_path / f"videos_chunked_{number}.zip").write_bytes(zip_bytes())
    assert [len(archive.parts) for archive in find_archives(tmp_path.iterdir())] == [1, 1]


def test_a_joined_copy_beside_its_parts_is_an_archive_of_its_own(tmp_path):
    split(tmp_path, tar_bytes(), ["v.tar.aa", "v.tar.ab"])
    (tmp_path / "v.tar").write_bytes(tar_bytes())
    assert sorted(len(archive.parts) for archive in find_archives(tmp_path.iterdir())) == [1, 2]


def test_checksums_and_texts_beside_an_archive_are_no_parts(tmp_path):
    for name in ("v.tar.md5", "v.tar.sha256", "v.tar.txt", "v.zip.json", "tarred.mp4", "v.tar.aria2"):
        (tmp_path / name).write_bytes(b"x")
    assert find_archives(tmp_path.iterdir()) == []


def test_joined_files_read_and_seek_like_one(tmp_path):
    content = bytes(range(256)) * 40
    parts = split(tmp_path, content, ["a", "b", "c"])
    (tmp_path / "empty").write_bytes(b"")
    with Joined([parts[0], tmp_path / "empty", *parts[1:]]) as raw, io.BufferedReader(raw, 16) as file:
        assert file.read() == content
        for position in (0, 3413, 3414, 9000, 10_239, 10_240):
            assert file.seek(position) == position
            assert file.read(700) == content[position : position + 700]
        file.seek(-10, io.SEEK_END)
        assert file.read() == content[-10:]


@pytest.mark.parametrize("names", [["v.tar.aa", "v.tar.ab"], ["v.zip.001", "v.zip.002"]])
def test_a_missing_part_is_a_damaged_archive(tmp_path, names):
    content = zip_bytes() if ".zip" in names[0] else tar_bytes()
    split(tmp_path, content, names)[1].unlink()
    (archive,) = find_archives(tmp_path.iterdir())
    with pytest.raises(DAMAGED):
        read(archive)


@pytest.mark.parametrize("size", [512 + 70_144, 2 * (512 + 70_144) + 100, 2 * (512 + 70_144) + 600])
@pytest.mark.parametrize("packed", [False, True])
def test_a_tar_that_stops_between_or_in_its_files_is_damaged(tmp_path, size, packed):
    content = tar_bytes()[:size]
    (tmp_path / "v.tar.gz").write_bytes(gzip.compress(content) if packed else content)
    (archive,) = find_archives(tmp_path.iterdir())
    with pytest.raises(DAMAGED):
        read(archive)


def test_unsafe_paths_are_told(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        for name in ("../../out.mp4", "/etc/out.mp4", "C:\\out.mp4", "in/side.mp4", "in/two..dots.mp4"):
            archive.writestr(name, b"x")
    (archive,) = find_archives(tmp_path.iterdir())
    safe = [str(member.path) for member in archive.members() if member.is_safe]
    assert safe == ["in/side.mp4", "in/two..dots.mp4"]

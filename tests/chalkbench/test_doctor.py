"""doctor: what works is said, what does not comes with a remedy."""

import importlib.metadata

import pytest

from chalkbench import doctor

# no file of these names is a library, so the loader gives up on each FFmpeg
LIBRARIES = [
    f"lib{name}.so.{number}"
    for name, first in (("avutil", 56), ("avcodec", 58), ("avformat", 58), ("avfilter", 7), ("avdevice", 58))
    for number in range(first, first + 7)
]


@pytest.fixture(scope="module")
def without_ffmpeg(tmp_path_factory):
    """A folder that hides FFmpeg's libraries when it stands first on the loader's path."""
    folder = tmp_path_factory.mktemp("no-ffmpeg")
    for name in LIBRARIES:
        (folder / name).write_bytes(b"no library")
    return folder


def test_a_good_installation_has_nothing_wrong():
    findings = list(doctor.examine())
    assert [finding for finding in findings if finding.state == "wrong"] == []
    names = {finding.name for finding in findings}
    assert {"Python", "torch", "lighteval", "FFmpeg", "decoding", "GPU", "Hub", "rapidocr"} <= names
    assert next(f for f in findings if f.name == "decoding").found == "a test clip: 8 frames, 1.0 s of sound"


def test_a_version_that_does_not_work_is_wrong_and_the_remedy_installs_another(monkeypatch):
    real = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "4.0.1" if name == "xxhash" else real(name))
    finding = next(f for f in doctor.packages() if f.name == "xxhash")
    assert (finding.state, finding.found) == ("wrong", "4.0.1, needed is <4")
    assert finding.remedy == "pip install 'xxhash<4'"


def test_what_only_the_cascade_needs_is_no_fault(monkeypatch):
    def version(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert {f.state for f in doctor.cascade() if f.name != "tesseract"} == {"note"}
    assert {f.state for f in doctor.packages()} == {"wrong"}


def test_a_hub_that_cannot_be_reached_is_said_with_a_remedy(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    finding = doctor.hub()
    assert finding.state == "note" and "cannot be reached" in finding.found and "HF_HUB_OFFLINE=1" in finding.remedy


@pytest.mark.slow
def test_without_ffmpeg_the_command_says_so_and_ends_with_1(chalkbench, without_ffmpeg):
    done = chalkbench("doctor", LD_LIBRARY_PATH=str(without_ffmpeg))
    assert done.returncode == 1
    assert "torchcodec finds no FFmpeg libraries" in done.stdout
    assert "apt-get install ffmpeg" in done.stdout
    assert "2 wrong" in done.stdout  # FFmpeg, and decoding with it

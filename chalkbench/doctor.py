"""doctor: what is installed, whether it works together, and how to mend what does not.

What belongs here: checks that take seconds and change nothing. What does not: benchmarks and models.
"""

import importlib.metadata
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement

State = Literal["ok", "note", "wrong"]
HUB_TIMEOUT = 3.0  # seconds
_FFMPEG = (
    "install FFmpeg's shared libraries (Debian, Ubuntu: apt-get install ffmpeg; macOS: brew install ffmpeg; "
    "conda: conda install -c conda-forge ffmpeg)"
)


@dataclass(frozen=True)
class Finding:
    """One line of the report. state: `wrong` = something needed does not work; `note` = worth knowing.

    remedy: what to do, "" = nothing.
    """

    name: str
    state: State
    found: str
    remedy: str = ""


def examine() -> Iterator[Finding]:
    """All checks, one finding after the other as they are made."""
    yield python()
    yield from packages()
    yield ffmpeg()
    yield decoding()
    yield gpu()
    yield hub()
    yield from cascade()


def python() -> Finding:
    """The interpreter's version against the one that the package asks for."""
    needed = importlib.metadata.metadata("chalkbench")["Requires-Python"]
    found = f"{platform.python_version()} ({sys.executable})"
    if platform.python_version() in Requirement(f"python{needed}").specifier:
        return Finding("Python", "ok", found)
    return Finding("Python", "wrong", found, f"use a Python {needed}: python3.11 -m venv .venv")


def packages() -> Iterator[Finding]:
    """Every package that chalkbench needs: installed, and in a version that works."""
    for requirement in _requirements(extra=""):
        yield _package(requirement, otherwise="wrong", install=f"pip install '{_bare(requirement)}'")


def cascade() -> Iterator[Finding]:
    """What text_cascade alone needs."""
    for requirement in _requirements(extra="cascade"):
        yield _package(requirement, otherwise="note", install="for text_cascade: pip install 'chalkbench[cascade]'")
    tesseract = shutil.which("tesseract")
    yield (
        Finding("tesseract", "ok", tesseract)
        if tesseract
        else Finding(
            "tesseract",
            "note",
            "not installed",
            "optional: text_cascade reads slides faster with it than with rapidocr",
        )
    )


def _requirements(*, extra: str) -> list[Requirement]:
    wanted = [Requirement(text) for text in importlib.metadata.requires("chalkbench") or ()]
    if not extra:
        return [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    return [one for one in wanted if one.marker and f'extra == "{extra}"' in str(one.marker)]


def _bare(requirement: Requirement) -> str:
    return f"{requirement.name}{requirement.specifier}"


def _package(requirement: Requirement, *, otherwise: State, install: str) -> Finding:
    try:
        found = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return Finding(requirement.name, otherwise, "not installed", install)
    if requirement.specifier.contains(found, prereleases=True):
        return Finding(requirement.name, "ok", found)
    return Finding(requirement.name, otherwise, f"{found}, needed is {requirement.specifier}", install)


def ffmpeg() -> Finding:
    """FFmpeg's version, and which of torchcodec's libraries serves it."""
    program = shutil.which("ffmpeg")
    shown = "no ffmpeg program"
    if program:
        output = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stdout
        words = output.split()
        shown = f"ffmpeg {words[2]}" if len(words) > 2 else "an ffmpeg program that does not say its version"
    try:
        import torchcodec
    except (ImportError, RuntimeError, OSError) as error:
        return Finding("FFmpeg", "wrong", f"{shown}; torchcodec does not load: {_first_line(error)}", _FFMPEG)
    if torchcodec.ffmpeg_major_version is None:
        return Finding("FFmpeg", "wrong", f"{shown}; torchcodec finds no FFmpeg libraries", _FFMPEG)
    library = Path(torchcodec.core_library_path).name
    return Finding("FFmpeg", "ok", f"{shown}; torchcodec serves FFmpeg {torchcodec.ffmpeg_major_version} ({library})")


def decoding() -> Finding:
    """Writes a clip of a second with a tone, and reads both back."""
    try:
        frames, seconds = _round_trip()
    except Exception as error:  # whatever is wrong with an installation must become a line, not end the report
        return Finding("decoding", "wrong", f"{type(error).__name__}: {_first_line(error)}", _FFMPEG)
    if frames == 8:
        return Finding("decoding", "ok", f"a test clip: {frames} frames, {seconds:.1f} s of sound")
    return Finding("decoding", "wrong", f"a test clip of 8 frames gave {frames}", "update torchcodec or FFmpeg")


def _round_trip() -> tuple[int, float]:
    """(frames, seconds of sound) of a clip with 8 frames and 1 s, written and read back."""
    import torch
    from torchcodec.encoders import AudioEncoder, VideoEncoder

    from chalkbench.media.audio import read_audio
    from chalkbench.media.video import read_frames

    with tempfile.TemporaryDirectory() as folder:
        clip, tone = Path(folder) / "clip.mp4", Path(folder) / "tone.wav"
        pixels = torch.arange(8, dtype=torch.uint8).mul(30).reshape(8, 1, 1, 1).expand(8, 3, 64, 64).contiguous()
        VideoEncoder(pixels, frame_rate=8).to_file(str(clip))
        wave = torch.sin(torch.arange(16_000) * 0.17).unsqueeze(0)
        AudioEncoder(wave, sample_rate=16_000).to_file(str(tone))
        return len(read_frames(clip, policy="uniform:64").indices), read_audio(tone).seconds


def gpu() -> Finding:
    """Which accelerator torch can use."""
    import torch

    if torch.cuda.is_available():
        devices = [torch.cuda.get_device_properties(index) for index in range(torch.cuda.device_count())]
        named = ", ".join(f"{one.name} ({one.total_memory / 2**30:.0f} GiB)" for one in devices)
        return Finding("GPU", "ok", f"{named}; torch {torch.__version__}")
    if torch.backends.mps.is_available():
        return Finding("GPU", "ok", "Apple (mps)")
    if shutil.which("nvidia-smi"):
        return Finding(
            "GPU",
            "note",
            f"an NVIDIA driver is there, but torch {torch.__version__} cannot use it",
            "install the torch build for your CUDA version (pytorch.org, Get Started), or update the driver",
        )
    return Finding("GPU", "note", "none; models run on the CPU", "text_cascade and random need none")


def hub() -> Finding:
    """Whether the Hub can be reached, or is not meant to be."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return Finding("Hub", "ok", "offline as HF_HUB_OFFLINE asks; models come from local folders and the cache")
    import httpx

    try:
        answer = httpx.head(constants.ENDPOINT, timeout=HUB_TIMEOUT, follow_redirects=True)
    except httpx.HTTPError as error:
        return Finding(
            "Hub",
            "note",
            f"{constants.ENDPOINT} cannot be reached ({type(error).__name__})",
            "check the network or proxy (HTTPS_PROXY); without one set HF_HUB_OFFLINE=1 and use local folders",
        )
    if answer.status_code < 500:
        return Finding("Hub", "ok", f"{constants.ENDPOINT} answers")
    return Finding("Hub", "note", f"{constants.ENDPOINT} answers with {answer.status_code}", "try again later")


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)[:200]

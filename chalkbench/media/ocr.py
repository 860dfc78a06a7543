"""Text on frames: which frames show something new, and what is written on them.

What belongs here: the choice of frames to read, and the two engines. What does not: what is done with the text.
"""

import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as functional
from PIL import Image

from chalkbench.errors import ChalkbenchError
from chalkbench.packaged import INSTALL, checked_folder, sha256

# Own choices, tried on slides of 360 to 1080 lines with moving figures.
WIDTH, BLOCK = 640, 10  # frames are compared at this width, in blocks of this size
DIFFERENT = 6.0  # mean grey (0..255) by which a block differs from the same block of another frame
FINE = 16.0  # mean step of grey from pixel to pixel in a block that holds letters, not only the edge of a figure
NEW_TEXT = 0.002  # share of blocks with fine, new content that stays: about a word
NEW_SLIDE = 0.01  # the same, if it does not stay: about a line; figures that move are smaller
CUT = 0.25  # share of blocks that differ at all: another picture
TALL = 1000  # tesseract reads small letters better when a frame has about this many lines
PAGE_SECONDS = 60  # tesseract is stopped after this time on one frame

_TEXT = re.compile(r"\d|[^\W_].*[^\W_]")  # a number or two letters; less is a speck

RAPIDOCR_SUMS = {
    "PP-OCRv6_det_small.onnx": "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    "PP-OCRv6_rec_small.onnx": "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
    "ch_ppocr_mobile_v2.0_cls_mobile.onnx": "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
}


class Engine(Protocol):
    """Reads the text on one frame. `identity` names the program or weights, for fingerprints."""

    name: str
    identity: str

    def read(self, frame: torch.Tensor) -> list[str]:
        """Lines from top to bottom; `frame` is uint8 (3, H, W). No text gives an empty list."""
        ...


def frames_to_read(pixels: torch.Tensor) -> list[int]:
    """Positions of the frames to read so that no text is missed and none is read twice; a moving figure is not text.

    A frame counts if, against the last that counted, enough blocks differ and hold fine structure: few are enough if
    they are the same in the next frame (text stays, figures move), more are needed if not (sparse frames show a slide
    once); or if much of the picture differs. Of a slide that grows line by line only the last state is read.
    pixels: uint8 (n, 3, H, W), in the order of time.
    """
    if not len(pixels):
        return []
    looks = [_look(frame) for frame in pixels]
    counted = [0]
    for here in range(1, len(looks)):
        new = _differs(looks[here], looks[counted[-1]])
        still = ~_differs(looks[here], looks[here + 1]) if here + 1 < len(looks) else True
        text = new & _fine(looks[here])
        if _share(text & still) >= NEW_TEXT or _share(text) >= NEW_SLIDE or _share(new) >= CUT:
            counted.append(here)
    grown = {
        earlier
        for earlier, later in itertools.pairwise(counted)
        if _share(_differs(looks[earlier], looks[later]) & _fine(looks[earlier])) < NEW_TEXT
    }
    return [here for here in counted if here not in grown]


def _differs(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Which blocks of two looks differ in grey or in structure."""
    return (one - other).abs().amax(dim=0) > DIFFERENT


def _share(blocks: torch.Tensor) -> float:
    return blocks.float().mean().item()


def _fine(look: torch.Tensor) -> torch.Tensor:
    return look[1] > FINE


def _look(frame: torch.Tensor) -> torch.Tensor:
    """(2, rows, columns): each block's mean grey, and its mean step of grey from a pixel to the next in the row."""
    grey = frame.float().mean(dim=0)[None]
    height = max(BLOCK, round(grey.shape[1] * WIDTH / grey.shape[2]))
    grey = functional.adaptive_avg_pool2d(grey, (height, WIDTH))
    step = functional.pad((grey[..., 1:] - grey[..., :-1]).abs(), (0, 1))
    return functional.adaptive_avg_pool2d(torch.cat([grey, step]), (height // BLOCK, WIDTH // BLOCK))


def read_slides(pixels: torch.Tensor, engine: Engine) -> Iterator[tuple[int, list[str]]]:
    """(position, lines) of each frame that shows something new, without those that hold no text."""
    for position in frames_to_read(pixels):
        lines = [line for line in engine.read(pixels[position]) if _TEXT.search(line)]
        if lines:
            yield position, lines


def find_engine(name: str = "auto") -> Engine:
    """`tesseract`, `rapidocr`, or `auto`: tesseract where it is installed (three times as fast), else rapidocr.

    Raises ChalkbenchError if the engine is not installed, ValueError for another name.
    """
    if name not in ("auto", "tesseract", "rapidocr"):
        raise ValueError(f"OCR engine {name!r}: expected auto, tesseract or rapidocr")
    if name != "rapidocr" and _english_data() is not None:
        return Tesseract()
    if name == "tesseract":
        raise ChalkbenchError("tesseract with its English data is not installed: apt-get install tesseract-ocr")
    return RapidOcr()


def _english_data() -> Path | None:
    """Tesseract's English data, or None if the program or the data is missing."""
    if shutil.which("tesseract") is None:
        return None
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False).stdout
    folder = re.search(r'"(.+)"', listed)
    data = Path(folder[1]) / "eng.traineddata" if folder else None
    return data if data and data.is_file() else None


class Tesseract:
    """The `tesseract` program, on one thread, with the English data of the system."""

    name = "tesseract"

    def __init__(self) -> None:
        data = _english_data()
        if data is None:
            raise ChalkbenchError("tesseract with its English data is not installed: apt-get install tesseract-ocr")
        version = subprocess.run(["tesseract", "--version"], capture_output=True, text=True, check=True).stdout
        # The data is the system's, in several versions: it is not checked, but part of the identity.
        self.identity = f"{version.split(chr(10))[0]} eng:{sha256(data)[:12]}"

    def read(self, frame: torch.Tensor) -> list[str]:
        """See `Engine.read`. Raises ChalkbenchError if the program fails."""
        page = _page(frame)
        try:
            run = subprocess.run(
                ["tesseract", "stdin", "stdout", "-l", "eng"],
                input=page,
                capture_output=True,
                timeout=PAGE_SECONDS,
                check=True,
                env=os.environ | {"OMP_THREAD_LIMIT": "1"},
            )
        except subprocess.TimeoutExpired:
            return []
        except (OSError, subprocess.CalledProcessError) as error:
            raise ChalkbenchError(f"tesseract failed ({error}): reinstall it, or remove it to use rapidocr") from None
        return [line.strip() for line in run.stdout.decode("utf-8", "replace").splitlines() if line.strip()]


def _page(frame: torch.Tensor) -> bytes:
    """The frame as a PPM picture, small frames enlarged."""
    image = Image.fromarray(frame.permute(1, 2, 0).contiguous().numpy())
    factor = TALL // image.height
    if factor > 1:
        image = image.resize((image.width * factor, image.height * factor), Image.Resampling.BICUBIC)
    return b"P6 %d %d 255\n" % image.size + image.tobytes()


class RapidOcr:
    """rapidocr with the weights inside its pip package, on one thread."""

    name = "rapidocr"

    def __init__(self) -> None:
        models = checked_folder("rapidocr", "models", RAPIDOCR_SUMS)
        try:
            from rapidocr import RapidOCR
        except ImportError as error:
            raise ChalkbenchError(f"rapidocr cannot be imported ({error}): {INSTALL}") from None
        detector, recogniser, classifier = RAPIDOCR_SUMS
        self.identity = f"rapidocr det:{RAPIDOCR_SUMS[detector][:12]} rec:{RAPIDOCR_SUMS[recogniser][:12]}"
        # Named files, so that nothing is ever fetched; threads that fight for the cores are slower than one.
        self._engine = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Det.model_path": str(models / detector),
                "Rec.model_path": str(models / recogniser),
                "Cls.model_path": str(models / classifier),
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def read(self, frame: torch.Tensor) -> list[str]:
        """See `Engine.read`."""
        blue_green_red = np.ascontiguousarray(frame.permute(1, 2, 0).numpy()[:, :, ::-1])
        texts = self._engine(blue_green_red).txts  # None on a picture without text
        return [text.strip() for text in texts or () if text.strip()]

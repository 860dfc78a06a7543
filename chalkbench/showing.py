"""What a model is shown of one question, to be looked at: a picture of the frames, and a manifest of all of it.

What belongs here: laying frames out on a sheet, and naming what was given. What does not: choosing and decoding it
(`chalkbench.models.material`).
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from PIL import Image, ImageDraw, ImageFont

from chalkbench.errors import ChalkbenchError
from chalkbench.files import write_text
from chalkbench.models.material import Decoder
from chalkbench.models.request import Material, Request
from chalkbench.selection import chosen, shown, with_data
from chalkbench.tasks import prompts

CELL = 224  # longest side of a frame on the sheet, pixels
COLUMNS = 8
_LINE = 14  # height of a label, pixels


def show(
    item: str,
    task: str,
    *,
    data: Sequence[Path] | None,
    evidence: str,
    frames: str | None,
    size: str | None,
    model: str,
    output: Path,
) -> dict[str, Any]:
    """Writes `output`/<item>.png and .json for a question as a task shows it, and returns the manifest.

    model: name of the model that the options are ordered for, where they are shuffled.
    Raises ChalkbenchError for an unknown item, and for a video that cannot be shown.
    """
    wanted, *others = chosen(task)
    if others:
        raise ChalkbenchError(f"{task} is {1 + len(others)} tasks: name the one that asks the question")
    wanted = shown(wanted, frames=frames, size=size, evidence=evidence, option_order=None).asked(model, hears=True)
    [asked] = with_data([wanted], data)
    found = [row for row in asked.rows if row["id"] == item]
    if not found:
        raise ChalkbenchError(f"{wanted.name} has no question {item!r}; the first is {asked.rows[0]['id']!r}")
    request = prompts.request(found[0], task=wanted, root=asked.layout.root)
    material = Decoder().material(request)
    manifest = describe(request, material)
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in item)
    sheet = contact_sheet(request, material)
    output.mkdir(parents=True, exist_ok=True)
    if sheet is not None:
        sheet.save(output / f"{name}.png")
    write_text(output / f"{name}.json", json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    return manifest


def describe(request: Request, material: Material) -> dict[str, Any]:
    """All that a model is given of a question, plain values: texts, and which frames and seconds of which files."""
    return {
        "id": request.id,
        "task": request.task,
        "evidence": request.evidence.to_dict(),
        "instruction": request.instruction,
        "conversation": [{"role": role, "text": text} for role, text in request.conversation()],
        "video": request.video,
        "clip": [request.clip_start, request.clip_end],
        "frames": [
            {"file": path, "indices": list(frames.indices), "times": [round(time, 3) for time in frames.times]}
            for path, frames in _videos(request, material)
        ],
        "pictures": list(request.pictures),
        "audio_seconds": round(material.sound.seconds, 3) if material.sound is not None else 0.0,
        "cues": [asdict(cue) for cue in request.cues],
        "note": material.note,
    }


def contact_sheet(request: Request, material: Material) -> Image.Image | None:
    """The frames in the order in which they are shown, each with its time, and options that are pictures below.

    None where nothing is shown.
    """
    cells: list[tuple[str, Image.Image]] = []
    labels = [clip.label for clip in request.clips] or [""]
    for label, (_, frames) in zip(labels, _videos(request, material), strict=False):
        cells += [
            (f"{label[:8]} {time:.2f} s".strip(), _thumbnail(pixels))
            for time, pixels in zip(frames.times, frames.pixels, strict=True)
        ]
    cells += [(f"option {chr(65 + place)}", _thumbnail(pixels)) for place, pixels in enumerate(material.pictures)]
    if not cells:
        return None
    width = max(picture.width for _, picture in cells)
    height = max(picture.height for _, picture in cells) + _LINE
    columns = min(COLUMNS, len(cells))
    sheet = Image.new("RGB", (columns * width, -(-len(cells) // columns) * height), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=_LINE - 3)
    for place, (label, picture) in enumerate(cells):
        left, top = place % columns * width, place // columns * height
        draw.text((left + 2, top), label, fill="black", font=font)
        sheet.paste(picture, (left, top + _LINE))
    return sheet


def _videos(request: Request, material: Material) -> list[tuple[str | None, Any]]:
    if material.clips:
        return list(zip((clip.path for clip in request.clips), material.clips, strict=True))
    return [(request.video, material.frames)] if material.frames is not None else []


def _thumbnail(pixels: torch.Tensor) -> Image.Image:
    picture = Image.fromarray(pixels.permute(1, 2, 0).numpy())
    picture.thumbnail((CELL, CELL))
    return picture

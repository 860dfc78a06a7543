"""Frames as pictures, for lighteval's own vision models (`lighteval accelerate … --vision-model`).

They know no video: the frames must lie in `Doc.images`, all of them at once, before the first question is asked. So
the tasks that do this take few and small frames, and refuse what would fill the memory.
"""

from functools import lru_cache
from pathlib import Path

from datasets import Dataset
from lighteval.tasks.requests import Doc
from PIL import Image

from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.media import MediaError
from chalkbench.media.video import probe, read_frames
from chalkbench.models.material import bounds
from chalkbench.task import Row, Task
from chalkbench.tasks import prompts

# Each question holds its own copies: lighteval writes them into its details. Twice this is needed at the end.
LIMIT_BYTES = 2 * 1024**3
_BLANK = (112, 112)  # stands where a video cannot be read; the question is not scored


def doc(row: Row, name: str = "", *, task: Task, root: Path) -> Doc:
    """`prompts.doc` with the clip's frames in `images`.

    A video that is missing or cannot be read gives one blank picture, and the status that keeps the question unscored.
    """
    status, images = "", [Image.new("RGB", _BLANK)]
    asked = prompts.request(row, task=task, root=root)
    try:
        images = _frames(asked.video or str(root), bounds(asked), evidence=task.evidence)
    except MediaError as error:
        status = error.reason
    made = prompts.doc(row, name, task=task, root=root, status=status)
    made.images = list(images)
    return made


@lru_cache(maxsize=4)  # the questions of a video mostly follow each other
def _frames(path: str, part: tuple[float | None, float | None], *, evidence: Evidence) -> list[Image.Image]:
    frames = read_frames(path, policy=evidence.frames, start=part[0], end=part[1], size=evidence.size)
    return [Image.fromarray(frame.permute(1, 2, 0).numpy()) for frame in frames.pixels]


def check_size(rows: Dataset, *, task: Task, root: Path, limit: int = LIMIT_BYTES) -> int:
    """Bytes that the frames of all rows will take.

    Raises ChalkbenchError above `limit`, and for a frames policy whose number of frames is not bounded.
    """
    kind, _, count = task.evidence.frames.partition(":")
    if kind not in ("uniform", "static"):
        raise ChalkbenchError(
            f"{task.name}: frames={task.evidence.frames} is not possible where all pictures are held in memory: "
            "use uniform:N"
        )
    sizes: dict[str, int] = {}
    total = 0
    for path in rows["video_path"]:
        if path not in sizes:
            sizes[path] = _frame_bytes(root / path, task.evidence.size)
        total += sizes[path] * int(count)
    if total > limit:
        raise ChalkbenchError(
            f"{task.name}: the frames of {len(rows)} questions would take {total / 1024**3:.1f} GiB of memory, and "
            f"lighteval holds them all at once (limit {limit / 1024**3:.1f} GiB). Use `chalkbench eval` or "
            f"`lighteval custom`, which decode as they go, or a table with smaller evidence: "
            f"chalkbench.tasks.table(layouts, evidence=Evidence(frames='uniform:4', size=224))"
        )
    return total


def _frame_bytes(path: Path, size: int | None) -> int:
    """Bytes of one RGB frame after scaling; 0 if the file cannot be read."""
    try:
        info = probe(path)
    except MediaError:
        return 0
    scale = size / max(info.width, info.height) if size else 1.0  # `size` also enlarges
    return int(info.width * scale) * int(info.height * scale) * 3

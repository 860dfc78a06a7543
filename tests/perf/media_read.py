"""CPU seconds, memory and pixels of reading 64 frames of a ten-minute lecture, beside decord and PyAV.

Run by hand: `python tests/perf/media_read.py [--peers PYTHON] [--runs N] [--minutes M]`. PYTHON is an interpreter that
has decord or av (and numpy); a peer that it lacks is skipped. Every run is a process of its own with one thread, and
only the reading counts, not the imports. One FFmpeg thread, frames at full size unless the name says otherwise.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

WIDTH, HEIGHT, FPS, SLIDE_SECONDS, FRAMES = 1280, 720, 30, 20, 64

MEASURE = """
import hashlib, json, resource, sys, time
import numpy as np
path, frames = sys.argv[1], int(sys.argv[2])
{imports}
def rss(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, began = rss(), time.process_time()
{read}
seconds = time.process_time() - began
grown = rss() - before
print(json.dumps([seconds, grown, hashlib.sha256(np.ascontiguousarray(pixels)).hexdigest()[:12]]))
"""

OURS = "import torch; torch.set_num_threads(1); import torchcodec; from chalkbench.media.video import read_frames"
METHODS = {
    "chalkbench": (OURS, "pixels = read_frames(path, policy=f'uniform:{frames}').pixels.numpy()"),
    "chalkbench, longest side 448": (
        OURS,
        "pixels = read_frames(path, policy=f'uniform:{frames}', size=448).pixels.numpy()",
    ),
    "decord": (
        "import decord",
        "video = decord.VideoReader(path, num_threads=1); places = np.linspace(0, len(video) - 1, frames, dtype=int)\n"
        "pixels = video.get_batch(places.tolist()).asnumpy().transpose(0, 3, 1, 2)",
    ),
    "PyAV, every frame decoded": (
        "import av",
        "video = av.open(path); stream = video.streams.video[0]; stream.thread_count = 1\n"
        "places = set(np.linspace(0, stream.frames - 1, frames, dtype=int).tolist())\n"
        "pixels = np.stack([frame.to_ndarray(format='rgb24') for index, frame in enumerate(video.decode(video=0))"
        " if index in places]).transpose(0, 3, 1, 2)",
    ),
}


def lecture(path: Path, minutes: float) -> Path:
    """Slides of random marks that change every 20 s, a moving picture in the corner, a tone; keyframes 250 apart."""
    random = np.random.default_rng(0)
    slides = b""
    for _ in range(round(minutes * 60 / SLIDE_SECONDS)):
        marks = random.random((12, 100)) < 0.4
        slide = np.full((HEIGHT, WIDTH), 235, np.uint8)
        slide[60:660, 60:1060] = np.where(np.kron(marks, np.ones((50, 10))), 30, 235)
        slides += slide.tobytes()
    command = f"ffmpeg -v error -y -f rawvideo -pix_fmt gray -s {WIDTH}x{HEIGHT} -r 1/{SLIDE_SECONDS} -i - "
    command += f"-f lavfi -i testsrc2=s=240x180:r={FPS}:d={minutes * 60} "
    command += f"-f lavfi -i sine=frequency=300:sample_rate=44100:d={minutes * 60} -filter_complex "
    command += f"[0:v]fps={FPS},format=yuv420p[a];[1:v]noise=alls=12:allf=t[b];[a][b]overlay=1020:520:shortest=1[v] "
    command += "-map [v] -map 2:a -c:v libx264 -preset veryfast -g 250 -c:a aac -shortest"
    subprocess.run([*command.split(), str(path)], input=slides, check=True)
    return path


def measure(python: str, name: str, path: Path) -> tuple[float, float, str] | None:
    """CPU seconds, memory grown (MB) and digest of the pixels; None if the interpreter lacks the library."""
    imports, read = METHODS[name]
    run = subprocess.run(
        [python, "-c", MEASURE.format(imports=imports, read=read), str(path), str(FRAMES)],
        env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    if "ModuleNotFoundError" in run.stderr:
        return None
    run.check_returncode()
    return tuple(json.loads(run.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="an interpreter with decord or av")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = lecture(Path(folder) / "lecture.mp4", options.minutes)
        print(
            f"{options.minutes:g} min, {path.stat().st_size / 1e6:.1f} MB, {FRAMES} frames, medians of {options.runs}"
        )
        for name in METHODS:
            python = sys.executable if name.startswith("chalkbench") else options.peers
            runs = [measure(python, name, path) for _ in range(options.runs)]
            if None in runs:
                print(f"{name:30} not installed")
                continue
            seconds, grown, digests = zip(*runs, strict=True)
            spread = f"{min(seconds):.2f}-{max(seconds):.2f}"
            print(
                f"{name:30} {statistics.median(seconds):6.2f} CPU s ({spread}) {statistics.median(grown):6.0f} MB "
                f"pixels {' '.join(sorted(set(digests)))}"
            )


if __name__ == "__main__":
    main()

"""Which model exactly: the commit of a model from the Hub, or a hash of what is in a local folder."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

WHOLE_BELOW = 256 * 1024**2  # bytes; a larger file of weights is sampled, so that 100 GB do not take minutes
BLOCKS, BLOCK_BYTES = 64, 64 * 1024
_TEMPLATES = "additional_chat_templates"  # the one folder in a model's folder that transformers reads
_WEIGHTS = {".safetensors", ".bin", ".pt", ".pth", ".gguf", ".h5", ".msgpack", ".onnx"}


def folder_fingerprint(folder: str | Path) -> str:
    """Hash of a model's folder: every file by its content; weights of 256 MB and more by size, time of change and
    64 blocks of their content, spread evenly.

    Only what a model is loaded from counts: no hidden files, no texts about it, no other folders (results of runs may
    lie there). Returns 64 hex digits.
    """
    digest = hashlib.sha256()
    for path in sorted(_files(Path(folder))):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        _add(digest, path)
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for place in (folder, folder / _TEMPLATES):
        if place.is_dir():
            files = (path for path in place.iterdir() if path.is_file() and not path.name.startswith("."))
            yield from (path for path in files if path.suffix != ".md")


def _add(digest, path: Path) -> None:
    size = path.stat().st_size
    with open(path, "rb") as file:
        if path.suffix not in _WEIGHTS or size < WHOLE_BELOW:
            while block := file.read(1024**2):
                digest.update(block)
            return
        digest.update(f"{path.stat().st_mtime_ns}\0".encode())
        for number in range(BLOCKS):
            file.seek((size - BLOCK_BYTES) * number // (BLOCKS - 1))
            digest.update(file.read(BLOCK_BYTES))

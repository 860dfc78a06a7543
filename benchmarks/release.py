"""Official releases: what the builders of all benchmarks share when they read one.

What belongs here: finding and reading annotation files, taking fields from untidy records, and the builder that
keeps the good rows and names the bad ones. What does not: anything that one benchmark alone knows (its
`builder.py`), and where media go (`media.py`).
"""

import ast
import hashlib
import inspect
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

from chalkbench.benchmarks import schema
from chalkbench.errors import ChalkbenchError

logger = datasets.utils.logging.get_logger(__name__)

SAMPLE_MARK = "SAMPLE.md"  # a release folder that holds this file is a sample: no counts are expected of it
_LFS_POINTER = b"version https://git-lfs"
_HALF = re.compile(r"\\u[dD][89a-fA-F]", re.ASCII)  # the escape of half a character, which may lack its other half


class Malformed(ValueError):
    """One record that cannot become a row. The message names the field and what is wrong with it."""


class LeftOut(NamedTuple):
    """A record without a row: where it stands (file and position), why, and the record itself."""

    where: str
    message: str
    record: Any

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class Remarks:
    """Faults that cost no row, counted by kind, each with its first examples."""

    def __init__(self) -> None:
        self._seen: dict[str, list[str]] = {}

    def add(self, kind: str, where: str = "") -> None:
        """Counts one fault of this kind; `where` names the row, record or file."""
        self._seen.setdefault(kind, []).append(where)

    def lines(self, *, examples: int = 5) -> list[str]:
        """One line a kind, in the order of first sight."""
        lines = []
        for kind, places in self._seen.items():
            named = [place for place in dict.fromkeys(places) if place]
            shown = ", ".join(named[:examples]) + (", …" if len(named) > examples else "")
            lines.append(f"{kind} ({len(places)}: {shown})" if named else kind)
        return lines


@dataclass(frozen=True)
class ReleaseFiles:
    """Every file of a release folder, found once. `paths`: the shallow ones first, then by name."""

    root: Path
    paths: tuple[Path, ...]

    def named(self, name: str) -> Path | None:
        """The shallowest file of this name, in any folder; None if there is none."""
        return next((path for path in self.paths if path.name == name), None)

    def like(self, pattern: str) -> list[Path]:
        """The files whose name fits the glob pattern, by name."""
        return sorted((path for path in self.paths if path.match(pattern)), key=lambda path: path.as_posix())

    @property
    def is_sample(self) -> bool:
        """Whether the release is marked as a sample."""
        return (self.root / SAMPLE_MARK).is_file()


def list_files(root: str | Path, *, leave_out: tuple[Path, ...] = ()) -> ReleaseFiles:
    """Lists a release folder. Links are followed; hidden files and folders, and `leave_out`, are not entered.

    Raises ChalkbenchError if there is no such folder.
    """
    root = Path(root).expanduser()
    if not root.is_dir():
        what = "is a file; name the folder that holds it" if root.is_file() else "does not exist"
        raise ChalkbenchError(f"the release folder {root} {what}.")
    skip = {os.path.realpath(path) for path in leave_out}
    entered, paths = set(), []
    for folder, subfolders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        if real in entered or real in skip:  # a link back up would never end
            subfolders.clear()
            continue
        entered.add(real)
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        paths += [Path(folder, name) for name in names if not name.startswith(".")]
    paths = [path for path in paths if path.is_file()]  # broken links are missing files
    return ReleaseFiles(root, tuple(sorted(paths, key=lambda path: (len(path.parts), path.as_posix()))))


def is_pointer(path: Path) -> bool:
    """Whether the file is only Git LFS's note of where the real one is."""
    if path.stat().st_size > 1024:
        return False
    with path.open("rb") as file:
        return file.read(len(_LFS_POINTER)) == _LFS_POINTER


def read_text(path: Path) -> str:
    """The file as text. Raises ChalkbenchError if it is no UTF-8, or a Git LFS pointer."""
    if is_pointer(path):
        raise ChalkbenchError(f"{path} is only a Git LFS pointer: run `git lfs pull` there, or download the file.")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ChalkbenchError(f"{path}: byte {error.start} is no UTF-8; download the file again.") from None


def _loads(text: str) -> Any:
    """JSON, with a `?` for half characters: no file can hold them."""
    value = json.loads(text)
    if _HALF.search(text):
        value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return value


def read_json(path: Path) -> Any:
    """A whole JSON file. Raises ChalkbenchError with line and column of a fault."""
    try:
        return _loads(read_text(path))
    except json.JSONDecodeError as error:
        raise ChalkbenchError(
            f"{path}: no valid JSON at line {error.lineno}, column {error.colno} ({error.msg}); download it again."
        ) from None


def read_json_list(path: Path) -> Iterator[tuple[str, Any]]:
    """The entries of a JSON list, each with where it stands."""
    entries = read_json(path)
    if not isinstance(entries, list):
        raise ChalkbenchError(f"{path}: expected a JSON list of records, found {type(entries).__name__}.")
    for index, entry in enumerate(entries):
        yield f"{path.name} entry {index}", entry


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """The entries of a JSON Lines file (or of a JSON list), each with where it stands."""
    text = read_text(path)
    if text.lstrip().startswith("["):
        yield from read_json_list(path)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield f"{path.name} line {number}", _loads(line)
        except json.JSONDecodeError as error:
            raise ChalkbenchError(
                f"{path}: no valid JSON at line {number}, column {error.colno} ({error.msg}); download it again."
            ) from None


def read_parquet(path: Path) -> Iterator[tuple[str, Any]]:
    """The rows of a parquet file, each with where it stands. Raises ChalkbenchError if the file is damaged."""
    try:
        position = 0
        for batch in pq.ParquetFile(path).iter_batches():
            for record in batch.to_pylist():
                yield f"{path.name} row {position}", record
                position += 1
    except (pa.ArrowException, OSError) as error:
        raise ChalkbenchError(f"{path} cannot be read ({str(error).splitlines()[0]}); download it again.") from None


def as_text(record: Mapping[str, Any], field: str, *, required: bool = True) -> str:
    """A field as text, "" if it is absent. Raises Malformed if it is needed and empty, or no plain value."""
    value = record.get(field)
    if isinstance(value, (dict, list)):
        raise Malformed(f"{field}: expected text, found {type(value).__name__}")
    text = "" if value is None else str(value)
    if required and not text.strip():
        raise Malformed(f"{field}: is {'missing' if field not in record else 'empty'}")
    return text


def unpack(value: Any) -> Any:
    """A value that a repack may have written as JSON or as a Python literal; other text stays as it is."""
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value.strip())
        except (ValueError, SyntaxError):
            continue
    return value


def digest(paths: list[Path], *, root: Path) -> str:
    """SHA-256 over names and contents of files."""
    total = hashlib.sha256()
    for path in sorted(paths):
        with path.open("rb") as file:
            total.update(
                f"{path.relative_to(root).as_posix()}\n{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode()
            )
    return total.hexdigest()


@dataclass
class ReleaseConfig(datasets.BuilderConfig):
    """One set of questions of a release.

    split: its split's name. hidden: its answers are not published. expected: questions in the official release,
    where that is certain.
    """

    split: str = "test"
    hidden: bool = False
    expected: int | None = None


class ReleaseBuilder(datasets.GeneratorBasedBuilder):
    """Reads one official release, given as `data_dir`. A benchmark adds `annotations`, `read` and `convert`."""

    BUILDER_CONFIG_CLASS = ReleaseConfig
    BENCHMARK: ClassVar[str]
    EXPECTS: ClassVar[str]  # for the error: the files that a release holds
    REDISTRIBUTABLE: ClassVar[bool] = False  # whether media and annotations may be published again by others

    def __init__(self, *, data_dir: str | Path, hash: str | None = None, **kwargs: Any) -> None:
        self.files = list_files(data_dir)
        self.remarks = Remarks()
        self.sources: dict[str, tuple[str, ...]] = {}  # see `media.place_media`, where the rule of names is not enough
        # without a content hash `datasets` serves the rows of a release that has changed since
        hash = hash or hashlib.sha256((self.release_sha256(self.files) + self._source_code()).encode()).hexdigest()
        kwargs.setdefault("dataset_name", self.BENCHMARK)
        super().__init__(data_dir=str(data_dir), hash=hash, **kwargs)

    @classmethod
    def annotations(cls, files: ReleaseFiles, config: str) -> list[Path]:
        """The files that a config's rows are made of; none if the release does not hold the config."""
        raise NotImplementedError

    def read(self, files: ReleaseFiles) -> Iterator[tuple[str, Any]]:
        """The config's records, each with where it stands."""
        raise NotImplementedError

    def convert(self, record: dict[str, Any], where: str) -> dict[str, Any]:
        """The row of a record. Raises Malformed."""
        raise NotImplementedError

    @classmethod
    def configs_in(cls, files: ReleaseFiles) -> list[str]:
        """The names of the configs that the release holds."""
        return [config.name for config in cls.BUILDER_CONFIGS if cls.annotations(files, config.name)]

    @classmethod
    def holds(cls, files: ReleaseFiles) -> bool:
        """Whether a folder looks like a release of this benchmark. Cheap, and raises nothing."""
        return bool(cls.configs_in(files))

    @classmethod
    def release_sha256(cls, files: ReleaseFiles) -> str:
        """One hash for all annotation files of the release."""
        paths = {path for config in cls.BUILDER_CONFIGS for path in cls.annotations(files, config.name)}
        return digest(list(paths), root=files.root)

    @classmethod
    def _source_code(cls) -> str:
        return "".join(inspect.getsource(module) for module in (sys.modules[cls.__module__], schema))

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(features=schema.FEATURES, description=inspect.getdoc(type(self)))

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        if not self.annotations(self.files, self.config.name):
            raise ChalkbenchError(
                f"{self.files.root} holds no `{self.config.name}` of {self.BENCHMARK}: {self.EXPECTS}."
            )
        return [datasets.SplitGenerator(name=self.config.split, gen_kwargs={"files": self.files})]

    def _generate_examples(self, files: ReleaseFiles) -> Iterator[tuple[int, dict[str, Any]]]:
        for key, unit in enumerate(self.units(files)):
            if isinstance(unit, LeftOut):
                logger.warning(f"left out {unit}")
            else:
                yield key, unit

    def units(self, files: ReleaseFiles) -> Iterator[dict[str, Any] | LeftOut]:
        """Every record of the config, as a good row or as left out with the reason."""
        seen: dict[str, str] = {}
        found = 0
        for found, (where, record) in enumerate(self.read(files), start=1):  # noqa: B007
            try:
                if not isinstance(record, dict):
                    raise Malformed(f"expected an object with fields, found {type(record).__name__}")
                row = self.convert(record, where)
            except Malformed as fault:
                yield LeftOut(where, str(fault), record)
                continue
            problems = [str(problem) for problem in schema.check_row(row, hidden=self.config.hidden)]
            if row["id"] in seen:
                problems.append(f"row {row['id']}: id: already stands at {seen[row['id']]}")
            if problems:
                yield LeftOut(where, "; ".join(problems), record)
                continue
            seen[row["id"]] = where
            yield row
        if self.config.expected not in (None, found) and not files.is_sample:
            self.remarks.add(f"`{self.config.name}` should hold {self.config.expected:,} questions, found {found:,}")

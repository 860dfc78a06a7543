"""Field maps: a small YAML file that says where in a release's records each of our fields stands.

What belongs here: reading such a file, and the records of a release through it. What does not: what a field means
(`neutral.py`, the builders).

    files: [questions.jsonl]    # glob patterns; or {config: patterns}. JSON Lines, JSON, CSV, TSV or parquet
    records: ""                 # where in a JSON file the list of records stands, e.g. `data.test`; "." = the file is
                                # a mapping of records, whose keys become the field `key` (and `value`, if no mapping)
    items: ""                   # where in a record the list of its questions stands; "" = a record is one question
    fields:                     # our field: where it stands
      question: query           # a key, or a path of keys: `meta.id`, `choices.0`; `../id` is of the record around an
                                # item; `#` is the number of the question in its record (or file), from 1
      video: [video, clip.file] # the first that is there; null and empty text count as not there
      id: {join: [../id, "#"], by: "-"}            # texts joined
      options: {each: [a, b, c, d]}                # a list of all that are there
      clip_start: {from: span.begin, as: milliseconds}
      tags: {from: skills, as: split, by: ";"}
      task: {from: kind, values: {"OCR-based Reasoning": OR}}
      subtitles: {from: asr, keys: {start: begin, text: said}}   # a list of records with other keys
      target_language: {is: de}                    # the same everywhere

`as` is one of: value (the default: as it is), text, number, from_one (a position counted from 1), milliseconds,
split (by `by`, default a comma), json (a value that was written as JSON or as a Python literal), name (of a file,
without folders).
"""

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from chalkbench.benchmarks.release import (
    Malformed,
    ReleaseFiles,
    read_json,
    read_json_lines,
    read_parquet,
    read_text,
    unpack,
)
from chalkbench.errors import ChalkbenchError

NUMBER, OUTER, WHOLE = "#", "../", "."
_PARTS = {"files", "records", "items", "fields"}
_PLACES = ("from", "each", "join", "is")


class Question(dict):
    """A question as the release has it. outer: the record around it. number: in its record, else its file; from 1."""

    outer: Mapping[str, Any]
    number: int

    @classmethod
    def of(cls, content: Mapping[str, Any], *, outer: Mapping[str, Any], number: int) -> "Question":
        """The content as a question."""
        question = cls(content)
        question.outer, question.number = outer, number
        return question


@dataclass(frozen=True)
class Place:
    """Where a field stands. how: `from` the first of the paths, `each`, `join` of them, or what it always `is`."""

    how: str
    paths: tuple[str, ...] = ()
    kind: str = "value"
    by: str = ","
    values: Mapping[Any, Any] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    constant: Any = None

    def read(self, question: Question) -> Any:
        """The field's value, None if it is not there. Raises Malformed naming the key path."""
        if self.how == "is":
            return self.constant
        found = [value for path in self.paths if (value := self._at(question, path)) is not None]
        if not found:
            return None
        if self.how == "join":
            return self.by.join(map(str, found)) if len(found) == len(self.paths) else None
        return found if self.how == "each" else found[0]

    def _at(self, question: Question, path: str) -> Any:
        if path == NUMBER:
            return question.number
        outer = path.startswith(OUTER)
        value = walk(question.outer if outer else question, path.removeprefix(OUTER))
        if value is None or value == "":
            return None
        try:
            value = KINDS[self.kind](value, self.by)
        except (TypeError, ValueError):
            raise Malformed(f"{path}: {value!r} cannot be read as {self.kind}") from None
        return self._renamed(value)

    def _renamed(self, value: Any) -> Any:
        if self.keys and isinstance(value, list):
            return [self._renamed(entry) for entry in value]
        if self.keys and isinstance(value, dict):
            taken = set(self.keys.values())
            ours = {our: value[their] for our, their in self.keys.items() if their in value}
            return {key: entry for key, entry in value.items() if key not in taken} | ours
        if isinstance(value, list):
            return [self._valued(entry) for entry in value] if self.values else value
        return self._valued(value)

    def _valued(self, value: Any) -> Any:
        if isinstance(value, (dict, list)):
            return value
        return self.values.get(value, self.values.get(str(value).strip(), value))

    def __str__(self) -> str:
        return " or ".join(f"`{path}`" for path in self.paths) if self.how == "from" else f"{self.how} {self.paths}"


@dataclass(frozen=True)
class FieldMap:
    """A field map. files: {config: glob patterns}, in the benchmark's order. source: the file it was read from."""

    files: Mapping[str, tuple[str, ...]]
    records: str
    items: str
    fields: Mapping[str, Place]
    source: Path

    def annotations(self, files: ReleaseFiles, config: str) -> list[Path]:
        """The files of a config that the release has."""
        return list(dict.fromkeys(path for name in self.files.get(config, ()) for path in files.like(name)))

    def owners(self, files: ReleaseFiles) -> dict[Path, list[str]]:
        """{file: the configs that it is of}."""
        owners: dict[Path, list[str]] = {}
        for config in self.files:
            for path in self.annotations(files, config):
                owners.setdefault(path, []).append(config)
        return owners

    def pick(self, question: Question) -> dict[str, Any]:
        """{our field: value} of what is there. Raises Malformed."""
        found = {name: place.read(question) for name, place in self.fields.items()}
        return {name: value for name, value in found.items() if value is not None}

    def read(self, path: Path) -> Iterator[tuple[str, Any]]:
        """The questions of a file, each with where it stands; a `Question`, or whatever stands there instead.

        Raises ChalkbenchError if the file cannot be read.
        """
        for number, (where, record) in enumerate(self._records(path), start=1):
            if not isinstance(record, dict):
                yield where, record
            elif not self.items:
                yield where, Question.of(record, outer={}, number=number)
            else:
                yield from self._items(record, where)

    def _items(self, record: dict[str, Any], where: str) -> Iterator[tuple[str, Any]]:
        items = unpack(walk(record, self.items))
        if not isinstance(items, list):
            yield where, f"no list of questions at {self.items!r}"
            return
        first = self.items.partition(".")[0]
        outer = {key: value for key, value in record.items() if key != first}
        for number, item in enumerate(items, start=1):
            place = f"{where}, {self.items} {number - 1}"
            yield place, Question.of(item, outer=outer, number=number) if isinstance(item, dict) else item

    def _records(self, path: Path) -> Iterator[tuple[str, Any]]:
        suffix = path.suffix.lower()
        if suffix in (".jsonl", ".ndjson"):
            yield from read_json_lines(path)
        elif suffix in (".csv", ".tsv"):
            yield from _read_table(path, "," if suffix == ".csv" else "\t")
        elif suffix == ".parquet":
            yield from read_parquet(path)
        else:
            yield from self._json_records(path)

    def _json_records(self, path: Path) -> Iterator[tuple[str, Any]]:
        content = read_json(path)
        found = content if self.records in ("", WHOLE) else walk(content, self.records)
        if isinstance(found, dict) and self.records:
            for key, value in found.items():
                yield f"{path.name} {key}", {"key": key} | (value if isinstance(value, dict) else {"value": value})
            return
        if not isinstance(found, list):
            keys = f" (its keys: {', '.join(map(str, list(content)[:10]))})" if isinstance(content, dict) else ""
            at = f"at {self.records!r}" if self.records else "in the file"
            raise ChalkbenchError(
                f"{path}: no list of records {at}{keys}; say in a field map where it is (`records`)."
            )
        for index, record in enumerate(found):
            yield f"{path.name} entry {index}", record


def read_field_map(path: Path, *, known: frozenset[str], needed: frozenset[str], configs: list[str]) -> FieldMap:
    """Reads a field map. known, needed: fields that a benchmark has and cannot do without. configs: its configs.

    Raises ChalkbenchError naming what is wrong and what there is.
    """
    try:
        content = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        raise ChalkbenchError(f"{path} is no valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict) or not isinstance(content.get("fields"), dict):
        raise ChalkbenchError(f"{path}: expected `files` and `fields`, as in chalkbench/benchmarks/field_map.py.")
    _refuse(path, "part", content.keys() - _PARTS, _PARTS)
    _refuse(path, "field", content["fields"].keys() - known, known)
    fields = {name: _place(path, name, place) for name, place in content["fields"].items() if place is not None}
    if lacking := sorted(needed - fields.keys()):
        raise ChalkbenchError(f"{path}: `fields` must say where {', '.join(f'`{name}`' for name in lacking)} stands.")
    for part in ("records", "items"):
        if not isinstance(content.get(part) or "", str):
            raise ChalkbenchError(f"{path}: `{part}` must be a path of keys, such as `data.test`.")
    return FieldMap(
        files=_files(path, content.get("files"), configs),
        records=content.get("records") or "",
        items=content.get("items") or "",
        fields=fields,
        source=path,
    )


def walk(value: Any, path: str) -> Any:
    """What stands at a path of keys, None if nothing does; a key that has dots itself is found too."""
    if isinstance(value, Mapping) and path in value:
        return value[path]
    key, dot, rest = path.partition(".")
    if isinstance(value, Mapping) and key in value:
        value = value[key]
    elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
        value = value[int(key)]
    else:
        return None
    return walk(value, rest) if dot else value


def _read_table(path: Path, delimiter: str) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(sys.maxsize)  # a transcript may be longer than the default of 128 KB
    for number, record in enumerate(csv.DictReader(io.StringIO(read_text(path)), delimiter=delimiter), start=1):
        yield f"{path.name} row {number}", {key: value for key, value in record.items() if key is not None}


def _number(value: Any, _: str) -> float:
    number = float(value)
    return int(number) if number.is_integer() else number


def _split(value: Any, by: str) -> list[Any]:
    return value if isinstance(value, list) else [part.strip() for part in str(value).split(by) if part.strip()]


KINDS: dict[str, Callable[[Any, str], Any]] = {
    "value": lambda value, _: value,
    "text": lambda value, _: str(value),
    "number": _number,
    "from_one": lambda value, by: _number(value, by) - 1,
    "milliseconds": lambda value, _: float(value) / 1000,
    "split": _split,
    "json": lambda value, _: unpack(value),
    "name": lambda value, _: PurePosixPath(str(value).replace("\\", "/")).name,
}


def _files(path: Path, files: Any, configs: list[str]) -> dict[str, tuple[str, ...]]:
    by_config = files if isinstance(files, dict) else dict.fromkeys(configs, files)
    _refuse(path, "config", by_config.keys() - set(configs), configs)
    found = {}
    for config in (config for config in configs if config in by_config):
        patterns = by_config[config]
        patterns = [patterns] if isinstance(patterns, str) else patterns
        if (
            not isinstance(patterns, list)
            or not patterns
            or not all(isinstance(name, str) and name for name in patterns)
        ):
            raise ChalkbenchError(
                f"{path}: `files` must name files, e.g. `files: [questions.jsonl]`; it has {files!r}."
            )
        found[config] = tuple(patterns)
    return found


def _place(path: Path, name: str, place: Any) -> Place:
    place = place if isinstance(place, dict) else {"from": place}
    _refuse(path, f"part of `{name}`", place.keys() - {*_PLACES, "as", "by", "values", "keys"}, _PLACES)
    _refuse(path, f"`as` of `{name}`", {place.get("as", "value")} - KINDS.keys(), KINDS)
    how = [key for key in _PLACES if key in place]
    if len(how) != 1:
        raise ChalkbenchError(f"{path}: `{name}` needs one of {', '.join(f'`{key}`' for key in _PLACES)}.")
    for part in ("values", "keys"):
        if not isinstance(place.get(part, {}), dict):
            raise ChalkbenchError(f"{path}: `{part}` of `{name}` must be a mapping.")
    if how == ["is"]:
        return Place("is", constant=place["is"])
    paths = place[how[0]] if isinstance(place[how[0]], list) else [place[how[0]]]
    if not paths or any(isinstance(key, (dict, list)) or key in (None, "") for key in paths):
        raise ChalkbenchError(f"{path}: `{name}` needs a key or a list of keys, found {place[how[0]]!r}.")
    return Place(
        how[0],
        paths=tuple(map(str, paths)),
        kind=place.get("as", "value"),
        by=str(place.get("by", ",")),
        values=place.get("values", {}),
        keys=place.get("keys", {}),
    )


def _refuse(path: Path, what: str, wrong: Any, known: Any) -> None:
    if wrong:
        names = ", ".join(repr(name) for name in sorted(wrong, key=str))
        raise ChalkbenchError(f"{path}: no such {what}: {names}. Known are {', '.join(sorted(known))}.")

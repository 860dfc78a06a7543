"""The neutral layout: how releases are read whose official layout is not known.

A release is a folder with

    questions.jsonl     one question a line (which files, and which key is what: `field_map.yaml`)
    videos/             the videos, loose or as tar or zip archives, named as in the records, at any depth
    subtitles/          optional: <video>.json, .srt or .vtt, at any depth
    images/             only where options are pictures
    field_map.yaml      optional: a changed copy of the benchmark's own, for a release with other keys

What belongs here: reading that layout into rows. What does not: what one benchmark alone has (its `builder.py`).
"""

import inspect
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from chalkbench.benchmarks import cues, field_map, fields
from chalkbench.benchmarks.cues import Subtitles, subtitle_files
from chalkbench.benchmarks.field_map import OUTER, FieldMap, Question, read_field_map
from chalkbench.benchmarks.fields import answer_of, as_list, as_seconds, name_of, options_of, stem_of
from chalkbench.benchmarks.media import picture_place, place
from chalkbench.benchmarks.release import LeftOut, Malformed, ReleaseBuilder, ReleaseFiles, as_text, digest
from chalkbench.benchmarks.schema import make_row
from chalkbench.errors import ChalkbenchError

FIELD_MAP = "field_map.yaml"
_MANY = 5  # what so many records have alike is no accident
_TEXTS = ("discipline", "course", "domain", "subdomain", "target_language")
_BOUNDS = ("clip_start", "clip_end", "asked_at")  # what is shown: a question is left out if one cannot be read
_ANNOTATED = ("evidence_start", "evidence_end", "duration")
COMMON_FIELDS = frozenset(
    {"id", "video", "subtitles", "question", "options", "answer", "task", "subtask", "tags"}
    | {*_TEXTS, *_BOUNDS, *_ANNOTATED}
)
_GLANCE = 100  # records that tell whose release it is


@dataclass(frozen=True)
class Scan:
    """What a first look at all records shows.

    configs: {config: its questions}. shared: file names (videos without suffix) that stand for several files, in
    different folders. unseen: fields of the field map that no record has.
    """

    configs: Mapping[str, int]
    shared: frozenset[str]
    unseen: tuple[str, ...]


class NeutralBuilder(ReleaseBuilder):
    """Reads a release in the neutral layout. A benchmark adds its classes of questions, and what else it has."""

    EXPECTS = (
        "expected questions.jsonl and videos/, as the benchmark's README.md describes, or a field_map.yaml that says "
        "where the release has what"
    )
    FIELDS: ClassVar[frozenset[str]] = COMMON_FIELDS
    NEEDED: ClassVar[frozenset[str]] = frozenset({"id", "question"})  # what no question can do without
    SUBTASKS: ClassVar[Mapping[str, tuple[str, ...]]]  # {task: its subtasks}; () = a task without subtasks
    NAMES: ClassVar[Mapping[str, str]] = {}  # {long name, in lower case and letters only: the short one}
    COUNTS: ClassVar[Mapping[str, int]] = {}  # {subtask: its questions in the official release}, where certain

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._positions: Counter[str] = Counter()  # where the answers lie that are numbers
        self._transcripts: Counter[bool] = Counter()  # whether a transcript that a record names could be read

    # -- what a benchmark may change ----------------------------------------------------------------------------------

    @classmethod
    def config_of(cls, fields: Mapping[str, Any]) -> str:
        """The config that a question belongs to, where a file is of several configs. Raises Malformed."""
        return cls.DEFAULT_CONFIG_NAME

    @classmethod
    def media_names(cls, fields: Mapping[str, Any]) -> Iterator[str]:
        """Names of the files that a question needs, as the record gives them."""
        if isinstance(fields.get("video"), str):
            yield fields["video"]

    def fields_of(self, record: Question) -> dict[str, Any]:
        """What the field map finds in a record. Raises Malformed."""
        return self._map.pick(record)

    def video(self, fields: dict[str, Any]) -> tuple[str, str]:
        """(id, path in the layout) of the question's video. Raises Malformed if it names none."""
        return self.video_named(as_text(fields, "video"))

    def values(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The columns of a question. Raises Malformed."""
        task, subtask = self.place_in(fields)
        video, path = self.video(fields)
        options = options_of(fields.get("options"))
        given = fields.get("answer")
        if options and isinstance(given, (int, float)) and not isinstance(given, bool):
            self._positions["first" if given == 0 else "beyond" if given == len(options) else "inside"] += 1
        index, answer = answer_of(given, options)
        row = {
            "id": as_text(fields, "id"),
            "video_id": video,
            "video_path": path,
            "question": as_text(fields, "question"),
            "options": options,
            "answer_index": index,
            "answer": answer,
            "task": task,
            "subtask": subtask,
            "tags": [str(tag) for tag in as_list(fields, "tags")],
            **{name: as_text(fields, name, required=False) for name in _TEXTS},
            **{name: as_seconds(fields, name) for name in _BOUNDS},
        }
        row |= self._annotated(fields, row["id"])
        return row | {"subtitles": self._subtitles.of(fields.get("subtitles"), row, remarks=self.remarks)}

    # -- the steps of a build -----------------------------------------------------------------------------------------

    @classmethod
    def field_map(cls, files: ReleaseFiles) -> FieldMap:
        """The release's own field map, else the benchmark's."""
        own = files.root / FIELD_MAP
        path = own if own.is_file() else _packaged_map(cls)
        configs = [config.name for config in cls.BUILDER_CONFIGS]
        return read_field_map(path, known=cls.FIELDS, needed=cls.NEEDED, configs=configs)

    @classmethod
    def annotations(cls, files: ReleaseFiles, config: str) -> list[Path]:
        """The files that the field map names for the config."""
        return cls.field_map(files).annotations(files, config)

    @classmethod
    def configs_in(cls, files: ReleaseFiles) -> list[str]:
        """The configs that the release has questions of; if it has none at all, the first that has a file."""
        field_map = cls.field_map(files)
        there = [config.name for config in cls.BUILDER_CONFIGS if field_map.annotations(files, config.name)]
        if not there and field_map.source.parent == files.root and field_map.source.name == FIELD_MAP:
            patterns = ", ".join(pattern for patterns in field_map.files.values() for pattern in patterns)
            raise ChalkbenchError(f"{field_map.source}: no file of the release fits {patterns} (`files`).")
        counts = cls.scan(files).configs
        return [config for config in there if counts.get(config)] or there[:1]

    @classmethod
    def holds(cls, files: ReleaseFiles) -> bool:
        """Whether the folder looks like a release of this benchmark: the first records that are there can be read."""
        try:
            field_map = cls.field_map(files)
            for config in cls.BUILDER_CONFIGS:
                for path in field_map.annotations(files, config.name):
                    for (_, question), _ in zip(field_map.read(path), range(_GLANCE), strict=False):
                        if isinstance(question, Question) and cls._is_ours(field_map.pick(question)):
                            return True
        except (ChalkbenchError, Malformed, OSError):
            return False
        return False

    @classmethod
    def _is_ours(cls, fields: Mapping[str, Any]) -> bool:
        try:
            cls.place_in(fields)
        except Malformed:
            return False
        return fields.keys() >= cls.NEEDED

    @classmethod
    def scan(cls, files: ReleaseFiles) -> Scan:
        """A first look at all records."""
        where = cls.field_map(files)
        configs: Counter[str] = Counter()
        names: dict[str, set[str]] = defaultdict(set)
        seen: set[str] = set()
        untold: list[list[str]] = []  # the configs of files that have records of none of them
        for path, owners in where.owners(files).items():
            for _, question in where.read(path):
                try:
                    found = where.pick(question) if isinstance(question, Question) else {}
                    config = owners[0] if len(owners) == 1 else cls.config_of(found)
                except Malformed:
                    found, config = {}, ""
                if config not in owners:
                    untold.append(owners)
                    continue
                configs[config] += 1
                seen |= found.keys()
                for name in cls.media_names(found):
                    whole = stem_of(name_of(name))
                    names[PurePosixPath(whole).name].add(whole)
        for owners in untold:
            if not any(configs[config] for config in owners):
                configs[owners[0]] += 1  # one has to tell what is wrong
        shared = frozenset(name for name, wholes in names.items() if len(wholes) > 1)
        unseen = tuple(name for name in where.fields if seen and name not in seen)
        return Scan(configs, shared, unseen)

    @classmethod
    def release_sha256(cls, files: ReleaseFiles) -> str:
        """One hash for annotations, subtitles and the release's own field map."""
        field_map = cls.field_map(files)
        paths = {*field_map.owners(files), *subtitle_files(files)}
        own = [field_map.source] if field_map.source == files.root / FIELD_MAP else []
        return digest([*paths, *own], root=files.root)

    @classmethod
    def _source_code(cls) -> str:
        code = "".join(inspect.getsource(module) for module in (sys.modules[__name__], field_map, fields, cues))
        return super()._source_code() + code + _packaged_map(cls).read_text(encoding="utf-8")

    @cached_property
    def _map(self) -> FieldMap:
        return self.field_map(self.files)

    @cached_property
    def _scan(self) -> Scan:
        return self.scan(self.files)

    @cached_property
    def _subtitles(self) -> Subtitles:
        return Subtitles(self.files, other_than=self._map.owners(self.files))

    def read(self, files: ReleaseFiles) -> Iterator[tuple[str, Any]]:
        """The questions of the config; the first config of a file also gets what belongs to no config."""
        mine = self.config.name
        for path, owners in self._map.owners(files).items():
            if mine not in owners:
                continue
            first = next((config for config in owners if self._scan.configs.get(config)), owners[0])
            for where, question in self._map.read(path):
                config = owners[0] if len(owners) == 1 else self._config(question)
                if config == mine or (config not in owners and first == mine):
                    yield where, question

    def _config(self, question: Any) -> str | None:
        try:
            return self.config_of(self._map.pick(question)) if isinstance(question, Question) else None
        except Malformed:
            return None

    def convert(self, record: dict[str, Any], where: str) -> dict[str, Any]:
        """The row of a question. Raises Malformed."""
        fields = self.fields_of(record)
        try:
            row = self.values(fields)
        except Malformed as fault:
            at = self._map.fields.get(str(fault).partition(":")[0])
            named = f" (looked for at {at})" if at and "is missing" in str(fault) else ""
            raise Malformed(f"{fault}{named}") from None
        if fields.get("subtitles"):
            self._transcripts[bool(row["subtitles"])] += 1
        outer = {OUTER: record.outer} if getattr(record, "outer", None) else {}
        return make_row(**row, source=json.dumps(dict(record) | outer, ensure_ascii=False, default=str))

    def _check_whole(self) -> None:
        """Raises ChalkbenchError for what is wrong with all questions alike: that is a fault of the field map."""
        if self._positions["beyond"] and not self._positions["first"] and self._positions.total() >= _MANY:
            raise ChalkbenchError(
                "the answers seem to be positions counted from 1, for none is 0 and some are the number of options: "
                f"write `answer: {{from: …, as: from_one}}` in {FIELD_MAP}"
            )
        lost = self._transcripts[False]
        if lost >= _MANY and not self._transcripts[True]:
            last = next((line for line in self.remarks.lines() if "subtitles" in line or "transcript" in line), "")
            raise ChalkbenchError(
                f"none of the {lost} transcripts could be read: {last}. Say in {FIELD_MAP} where they stand, or take "
                "`subtitles` out of it"
            )

    def units(self, files: ReleaseFiles) -> Iterator[dict[str, Any] | LeftOut]:
        """Rows and what was left out; afterwards, remarks on counts that differ from the official release."""
        counts: Counter[str] = Counter()
        self._positions.clear()
        self._transcripts.clear()
        for unit in super().units(files):
            if not isinstance(unit, LeftOut):
                counts[unit["subtask"]] += 1
            yield unit
        self._check_whole()
        if self._map.source == files.root / FIELD_MAP:
            for name in self._scan.unseen:
                self.remarks.add(f"no record has `{name}`, looked for at {self._map.fields[name]} ({FIELD_MAP})")
        if not files.is_sample:
            for subtask, expected in self.COUNTS.items():
                if counts[subtask] != expected:
                    self.remarks.add(f"{subtask} should hold {expected:,} questions, found {counts[subtask]:,}")

    # -- parts of a question ------------------------------------------------------------------------------------------

    @classmethod
    def place_in(cls, fields: Mapping[str, Any]) -> tuple[str, str]:
        """Task and subtask of a question in the paper's short names. Raises Malformed."""
        return cls.place_of(*(as_text(fields, name, required=False) for name in ("task", "subtask")))

    @classmethod
    def place_of(cls, task: str, subtask: str) -> tuple[str, str]:
        """Task and subtask in the paper's short names; the task of a subtask need not be given.

        Raises Malformed for a name that is not known, or a subtask of another task.
        """
        task, subtask = cls.short("task", task), cls.short("subtask", subtask)
        if task and not subtask and task not in cls.SUBTASKS:
            task, subtask = "", task
        owner = next((name for name, parts in cls.SUBTASKS.items() if subtask in parts), None)
        if subtask and owner is None:
            raise Malformed(f"subtask: {subtask!r} is a task; subtasks are {', '.join(_subtasks(cls))}")
        if task and owner and task != owner:
            raise Malformed(f"subtask: {subtask!r} belongs to {owner}, not to {task}")
        task = task or owner or ""
        if not task:
            raise Malformed("task: is missing, and so is the subtask")
        if cls.SUBTASKS[task] and not subtask:
            raise Malformed(f"subtask: is missing; {task} has {', '.join(cls.SUBTASKS[task])}")
        return task, subtask

    @classmethod
    def short(cls, field: str, name: str) -> str:
        """The paper's short name of a task or subtask, in any spelling; "" for "". Raises Malformed."""
        if not name.strip():
            return ""
        known = {letters(short): short for short in (*cls.SUBTASKS, *_subtasks(cls))}
        found = {letters(long): short for long, short in cls.NAMES.items()} | known
        if letters(name) not in found:
            raise Malformed(f"{field}: {name!r} is not known; known are {', '.join(known.values())} and long names")
        return found[letters(name)]

    def video_named(self, name: str) -> tuple[str, str]:
        """(id, path in the layout) of a video by the name that a record gives it.

        A file's name without suffix is its id; where several files share it, the whole path that the records give.
        """
        whole = stem_of(name_of(name))
        identity = PurePosixPath(whole).name
        if identity not in self._scan.shared:
            return identity, place(identity)
        self.sources[place(whole)] = (whole,)
        return whole, place(whole)

    def picture_named(self, name: str) -> str:
        """The path in the layout of a picture by the name that a record gives it; as with videos."""
        whole = name_of(name)
        identity = PurePosixPath(whole).name
        if identity not in self._scan.shared:
            return picture_place(identity)
        self.sources[picture_place(whole)] = (whole,)
        return picture_place(whole)

    def _annotated(self, fields: dict[str, Any], name: str) -> dict[str, float | None]:
        """Times that only describe: one that cannot be read costs no question."""
        found: dict[str, float | None] = {}
        for field in _ANNOTATED:
            try:
                found[field] = as_seconds(fields, field)
            except Malformed as fault:
                self.remarks.add(f"a time cannot be read and is left empty ({fault})", name)
                found[field] = None
        start, end = found["evidence_start"], found["evidence_end"]
        if start is not None and end is not None and end < start:
            self.remarks.add("the evidence ends before it starts; the span is left empty", name)
            found |= {"evidence_start": None, "evidence_end": None}
        return found


def _packaged_map(cls: type[NeutralBuilder]) -> Path:
    return Path(inspect.getfile(cls)).with_name(FIELD_MAP)


def _subtasks(cls: type[NeutralBuilder]) -> list[str]:
    return [subtask for parts in cls.SUBTASKS.values() for subtask in parts]


def letters(name: str) -> str:
    """A name as it is compared: lower case, letters and digits only."""
    return re.sub(r"[\W_]+", "", name.casefold())

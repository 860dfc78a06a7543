"""LEMON as a dataset: a release in the neutral layout. No official release was found.

Source: the paper (arXiv 2601.20705).
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from chalkbench.benchmarks.field_map import Question
from chalkbench.benchmarks.fields import as_list, as_seconds
from chalkbench.benchmarks.lemon.terms import LANGUAGES, SOURCE_LANGUAGE, language_code, read_terms
from chalkbench.benchmarks.neutral import COMMON_FIELDS, NeutralBuilder, letters
from chalkbench.benchmarks.release import LeftOut, Malformed, ReleaseConfig, ReleaseFiles, as_text

ARROW = " → "  # between the clips of an order that is given as a list
ADVANCED_EXPRESSION = 768  # Table 5, added up: the questions of VS and KT together


class Lemon(NeutralBuilder):
    """LEMON: questions on lectures in five STEM disciplines, most of them in conversations."""

    BENCHMARK = "lemon"
    BUILDER_CONFIGS: ClassVar = [
        # Table 5, added up over the subjects. How many are of each subtask is not known.
        ReleaseConfig(name="SP", expected=1_285, description="Streaming Perception"),
        ReleaseConfig(name="OR", expected=806, description="OCR-Based Reasoning"),
        ReleaseConfig(name="AC", expected=578, description="Audio Comprehension"),
        ReleaseConfig(name="TA", expected=310, description="Temporal Awareness"),
        ReleaseConfig(name="IP", expected=434, description="Instructional Prediction"),
        ReleaseConfig(name="VS", description="Video Summarization"),
        ReleaseConfig(name="KT", description="Knowledge Translation, one row a language"),
    ]
    DEFAULT_CONFIG_NAME = "SP"
    FIELDS = COMMON_FIELDS | {"session", "turn", "clips", "option_images", "key_terms"}
    # Section 3.3. A subtask builds on the answers to those before it (section 3.1, QA generation).
    SUBTASKS: ClassVar = {
        "SP": ("KCR", "DCC", "LDT"),
        "OR": ("OCR", "PS"),
        "AC": ("ST", "CL"),
        "TA": (),
        "IP": ("TIR", "FCP"),
        "VS": (),
        "KT": (),
    }
    NAMES: ClassVar = {
        "streaming perception": "SP",
        "key concept recognition": "KCR",
        "domain conceptual comprehension": "DCC",
        "local detail tracking": "LDT",
        "ocr based reasoning": "OR",
        "ocr reasoning": "OR",
        "optical character recognition": "OCR",
        "problem solving": "PS",
        "audio comprehension": "AC",
        "speech transcription": "ST",
        "contextual listening": "CL",
        "temporal awareness": "TA",
        "temporal ordering": "TA",
        "instructional prediction": "IP",
        "instructional predicting": "IP",
        "teaching intent recognition": "TIR",
        "future content prediction": "FCP",
        "video summarization": "VS",
        "knowledge translation": "KT",
    }

    @classmethod
    def config_of(cls, fields: Mapping[str, Any]) -> str:
        """The task's short name."""
        return cls.place_in(fields)[0]

    @classmethod
    def place_of(cls, task: str, subtask: str) -> tuple[str, str]:
        """As elsewhere. Advanced Expression (AE) only embraces two tasks, and a task may be given as the subtask."""
        if letters(task) in ("ae", "advancedexpression"):
            if not subtask.strip():
                raise Malformed("subtask: is missing; Advanced Expression has VS, KT")
            if cls.short("subtask", subtask) not in ("VS", "KT"):
                raise Malformed(f"subtask: {subtask!r} does not belong to Advanced Expression")
            task = ""
        if subtask.strip() and cls.short("subtask", subtask) in cls.SUBTASKS:
            if task.strip() and cls.short("task", task) != cls.short("subtask", subtask):
                raise Malformed(f"subtask: {subtask!r} does not belong to {task!r}")
            task, subtask = subtask, ""
        return super().place_of(task, subtask)

    @classmethod
    def media_names(cls, fields: Mapping[str, Any]) -> Iterator[str]:
        """The video, those of the clips, and the pictures."""
        yield from super().media_names(fields)
        clips = [clip.get("video") for clip in as_list(fields, "clips") if isinstance(clip, dict)]
        yield from (name for name in (*clips, *as_list(fields, "option_images")) if isinstance(name, str))

    def read(self, files: ReleaseFiles) -> Iterator[tuple[str, Any]]:
        """The questions; one that asks for several languages at once comes once for each of them."""
        for where, record in super().read(files):
            languages = self._languages(record) if self.config.name == "KT" else []
            for language in languages:
                yield f"{where} ({language})", _InLanguage.of_record(record, language)
            if not languages:
                yield where, record

    def _languages(self, record: Any) -> list[str]:
        """The languages that one record asks for at once; none if it names its one language itself."""
        try:
            fields = super().fields_of(record) if isinstance(record, Question) else {}
            named = [language_code(str(name)) for name in as_list(fields, "target_language")]
            if named:
                return named if len(named) > 1 else []
            answer = fields.get("answer")
            found = {language_code(str(name)) for name in answer} if isinstance(answer, dict) else set()
            found = found or {term["language"] for term in read_terms(fields.get("key_terms"))}
        except Malformed:
            return []  # `values` meets it again, and says so
        return [language for language in LANGUAGES if language in found]

    def fields_of(self, record: Question) -> dict[str, Any]:
        """As elsewhere, for the one language that is asked for."""
        fields = super().fields_of(record)
        if not fields.keys() & {"task", "subtask"}:
            fields["task"] = self.config.name  # `files` of the field map may say it
        if isinstance(record, _InLanguage):
            fields |= {"id": f"{as_text(fields, 'id')}-{record.language}", "target_language": record.language}
        return fields

    def values(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The common columns, and sessions, clips to order, options that are pictures, key terms."""
        terms, language = read_terms(fields.get("key_terms")), ""
        if fields.get("target_language"):
            named = as_list(fields, "target_language")
            language = language_code(str(named[0] if len(named) == 1 else named))
            fields["target_language"] = language
            terms = [term for term in terms if term["language"] == language]
            if isinstance(fields.get("answer"), dict):
                answers = {language_code(str(name)): text for name, text in fields["answer"].items()}
                fields["answer"] = answers.get(language)
        pictures = as_list(fields, "option_images")
        fields["options"] = _options(fields.get("options"), pictures)
        if fields["options"] and isinstance(fields.get("answer"), list):  # the right order itself
            fields["answer"] = ARROW.join(map(str, fields["answer"]))
        row = super().values(fields)
        if row["task"] != self.config.name:
            raise Malformed(
                f"task: is {row['task']}, in a file that is of {self.config.name} (`files` of the field map)"
            )
        if row["task"] == "KT" and not language:
            raise Malformed("target_language: is missing")
        if row["task"] not in ("VS", "KT") and not row["options"]:
            raise Malformed("options: is missing")
        if row["task"] == "VS":  # what is asked for is English; the other languages stay in `source`
            names = dict.fromkeys(term["term"] for term in terms)
            terms = [{"term": name, "language": SOURCE_LANGUAGE, "translation": ""} for name in names]
            if not terms:
                self.remarks.add("a summary has no key terms, so it cannot be scored", row["id"])
        return row | {
            "session_id": as_text(fields, "session", required=False),
            "turn": _turn(fields),
            "clips": self._clips(fields, row),
            "option_media": [self.picture_named(name) for name in _texts(pictures, "option_images")],
            "key_terms": terms,
        }

    def video(self, fields: dict[str, Any]) -> tuple[str, str]:
        """As elsewhere; a question that shows clips needs no video of its own."""
        return super().video(fields) if fields.get("video") or not fields.get("clips") else ("", "")

    def _clips(self, fields: dict[str, Any], row: dict[str, Any]) -> list[dict[str, Any]]:
        """The clips, in the release's order: files of their own, or parts of the question's video."""
        clips = []
        if row["task"] == "TA" and not as_list(fields, "clips"):
            self.remarks.add("a question about an order has no clips", row["id"])
        for clip in as_list(fields, "clips"):
            clip = clip if isinstance(clip, dict) else {"id": clip}
            name = as_text({"clips": clip.get("id")}, "clips")
            part = {bound: as_seconds(clip, bound) for bound in ("start", "end")}
            if None not in part.values() and part["end"] < part["start"]:
                raise Malformed(f"clips: {name} ends at {part['end']} s, before its start")
            file = as_text({"clips": clip.get("video")}, "clips", required=False)
            is_part = not file and row["video_path"] and part["start"] is not None
            path = row["video_path"] if is_part else self.video_named(file or name)[1]
            clips.append({"id": name, "path": path, **part})
        names = [clip["id"] for clip in clips]
        if len(set(names)) < len(names):
            raise Malformed("clips: two clips have the same id")
        if clips and any(name not in option for option in row["options"] for name in names):
            self.remarks.add("an option does not name every clip of the question", row["id"])
        return clips

    def units(self, files: ReleaseFiles) -> Iterator[dict[str, Any] | LeftOut]:
        """The questions of a conversation one after another, its turns counted from 0."""
        rows = []
        for unit in super().units(files):
            if isinstance(unit, LeftOut):
                yield unit
            else:
                rows.append(unit)
        if self.config.name in ("VS", "KT") and not files.is_sample:
            self._count_advanced_expression(files)
        yield from self._in_turns(rows)

    def _count_advanced_expression(self, files: ReleaseFiles) -> None:
        """Table 5 counts the two tasks together, and does not say whether a language is a question: either will do."""
        records = sum(self._scan.configs.get(task, 0) for task in ("VS", "KT"))
        rows = records
        if self.config.name == "KT":
            rows = self._scan.configs.get("VS", 0) + sum(1 for _ in self.read(files))
        if ADVANCED_EXPRESSION not in (records, rows) and (
            self.config.name == "KT" or not self._scan.configs.get("KT")
        ):
            self.remarks.add(f"`VS` and `KT` should hold {ADVANCED_EXPRESSION} questions together, found {rows:,}")

    def _in_turns(self, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        sessions: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            sessions.setdefault(row["session_id"] or f"\0{row['id']}", []).append(row)
        for session, turns in sessions.items():
            given = [row["turn"] for row in turns]
            if None in given:
                if any(turn is not None for turn in given):
                    self.remarks.add("questions of a conversation lack a turn; the file's order counts", session)
            else:
                turns.sort(key=lambda row: row["turn"])
                if len(set(given)) < len(given):
                    self.remarks.add(
                        "questions of a conversation have the same turn; the file's order counts", session
                    )
                elif max(given) - min(given) >= len(given):
                    self.remarks.add("a conversation lacks a turn", session)
            for turn, row in enumerate(turns):
                yield row | {"turn": turn}


BUILDER = Lemon


class _InLanguage(Question):
    """A record that asks for several languages at once, for one of them."""

    language: str

    @classmethod
    def of_record(cls, record: Question, language: str) -> "_InLanguage":
        question = cls.of(record, outer=record.outer, number=record.number)
        question.language = language
        return question


def _options(options: Any, pictures: list[Any]) -> Any:
    """Options as texts: an order that is a list of clips is joined; pictures without texts are numbered."""
    if not options and pictures:
        return [f"picture {number}" for number in range(1, len(pictures) + 1)]
    if isinstance(options, dict):
        return {label: _options([text], [])[0] for label, text in options.items()}
    if isinstance(options, list):
        if pictures and len(options) != len(pictures):
            raise Malformed(f"option_images: {len(pictures)} pictures for {len(options)} options")
        return [ARROW.join(map(str, text)) if isinstance(text, list) else text for text in options]
    return options


def _texts(values: list[Any], field: str) -> list[str]:
    return [as_text({field: value}, field) for value in values]


def _turn(fields: Mapping[str, Any]) -> int | None:
    value = fields.get("turn")
    if value is None or not fields.get("session"):
        return None
    try:
        return int(str(value))
    except ValueError:
        raise Malformed(f"turn: {value!r} is no whole number") from None

"""MMOU as a dataset: the official JSON with loose videos, or the parquet repack with zipped ones.

Sources: the paper (arXiv 2603.14145), the card of `nvidia/MMOU`, and the repack `kcz358/MMOU`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

from chalkbench.benchmarks.fields import seconds
from chalkbench.benchmarks.media import VIDEO_SUFFIXES, place
from chalkbench.benchmarks.release import (
    Malformed,
    ReleaseBuilder,
    ReleaseConfig,
    ReleaseFiles,
    Remarks,
    as_text,
    read_json_lines,
    read_json_list,
    read_parquet,
    unpack,
)
from chalkbench.benchmarks.schema import MAX_OPTIONS, make_row

# Section 3.4 of the paper names the skills; the release tags them shortly, and one with a slip. Keys: letters only.
SKILLS = {
    "Temporal understanding": ("temporal", "temporalreasoning"),
    "Event sequencing": ("sequential", "sequencing", "sequentialreasoning", "sequentialunderstanding"),
    "Sub-scene understanding": ("subscene",),
    "Holistic video reasoning": ("holistic", "holisticreasoning", "generalholisticreasoning"),
    "Inference": (),
    "Context understanding": ("context",),
    "Needle-in-the-haystack reasoning": ("needle", "needleinthehaystack"),
    "Referential grounding": ("referential",),
    "Counting": (),
    "Comparative reasoning": ("comparative", "comparison"),
    "Object interaction reasoning": ("objectinteraction",),
    "Audio-visual stitching": ("stitching",),
    "Tracking spurious correlations": (
        "tackingspuriouscorrelations",
        "tacklingspuriouscorrelations",
        "spuriouscorrelations",
    ),
}
AUDIO_VISUAL = "Audio-visual understanding"  # "all questions are additionally tagged" with it; no skill of the 13
_NONE_OPTION = re.compile(
    r"none of (?:the|these|those)(?: (?:above|given|listed|provided|other|options?|choices?|answers?))*"
    r"(?: (?:is|are) (?:correct|right|true))?[.!]?",
    re.IGNORECASE,
)


def _letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


_SKILL_OF = {_letters(alias): skill for skill, aliases in SKILLS.items() for alias in (skill, *aliases)}
_SKILL_OF[_letters(AUDIO_VISUAL)] = AUDIO_VISUAL


_CAPTIONS = "MMOU_Captions.jsonl"
_CAPTION_IDS = ("video_id", "youtube_id", "ytid", "id", "video", "video_path", "file_name", "video_url", "url")
_CAPTION_TEXTS = ("caption", "video_caption", "captions", "description", "text")


class MMOU(ReleaseBuilder):
    """MMOU: ten-option questions on long videos that need sight and sound together."""

    BENCHMARK = "mmou"
    BUILDER_CONFIGS = [  # noqa: RUF012 - as `datasets` wants it
        ReleaseConfig(name="default", split="train", hidden=True, expected=15_000, description="answers hidden"),
        ReleaseConfig(name="test", split="test", expected=5_000, description="the test mini set, with answers"),
    ]
    DEFAULT_CONFIG_NAME = "default"
    EXPECTS = "expected MMOU.json or MMOU_TEST_MINI.json, or the repack's train-*.parquet or test-*.parquet"

    @classmethod
    def annotations(cls, files: ReleaseFiles, config: str) -> list[Path]:
        """The official JSON, else the repack's parquet files (of lost videos, too: they have files of their own)."""
        official = files.named({"default": "MMOU.json", "test": "MMOU_TEST_MINI.json"}[config])
        split = {"default": "train", "test": "test"}[config]
        main = [official] if official else files.like(f"{split}-*.parquet") + files.like(f"{split}_missing-*.parquet")
        captions = files.named(_CAPTIONS)
        return [*main, captions] if main and captions else main

    def read(self, files: ReleaseFiles) -> Iterator[tuple[str, Any]]:
        """The questions, as the release has them. Captions of their videos are joined where they are there."""
        self._captions = read_captions(path, self.remarks) if (path := files.named(_CAPTIONS)) else {}
        for path in self.annotations(files, self.config.name):
            if path.name != _CAPTIONS:
                yield from read_json_list(path) if path.suffix == ".json" else read_parquet(path)

    def convert(self, record: dict[str, Any], where: str) -> dict[str, Any]:
        """The row of a question."""
        question_id = as_text(record, "question_id")
        video = as_text(record, "video_id", required=False) or youtube_id(as_text(record, "video_url"))
        labels, options = _options(record)
        gold = _gold(record, labels, options)
        if gold is not None and (text := record.get("correct_option_text")) and text != options[gold]:
            self.remarks.add(
                "`correct_option_text` differs from the option of the correct letter, which counts", question_id
            )
        start, end = (self._seconds(record, field, question_id) for field in ("start_time", "end_time"))
        if start is not None and end is not None and end < start:
            self.remarks.add("`end_time` is before `start_time`; the evidence span is left empty", question_id)
            start = end = None
        return make_row(
            id=question_id,
            video_id=video,
            video_path=place(video),
            evidence_start=start,
            evidence_end=end,
            duration=self._seconds(record, "video_duration", question_id),
            question=as_text(record, "question"),
            options=options,
            answer_index=-1 if gold is None else gold,
            answer=_reference(record, labels, options, gold),
            task="multiple_choice" if options else "open_ended",
            domain=as_text(record, "domain", required=False),
            subdomain=as_text(record, "subdomain", required=False),
            tags=self._skills(record, question_id) + _none_option(options, gold),
            source=json.dumps(
                ({"caption": self._captions[video]} if video in self._captions else {}) | record,
                ensure_ascii=False,
                default=str,
            ),
        )

    def _seconds(self, record: dict[str, Any], field: str, question_id: str) -> float | None:
        value = record.get(field)
        if value is None or value == "":
            return None
        try:
            return seconds(value)
        except ValueError:
            self.remarks.add(f"`{field}` is no time and is left empty", f"{question_id} {value!r}")
            return None

    def _skills(self, record: dict[str, Any], question_id: str) -> list[str]:
        raw = unpack(record.get("question_type") or [])
        raw = raw if isinstance(raw, list) else str(raw).split(",")
        skills = []
        for tag in (str(tag).strip() for tag in raw):
            skill = _SKILL_OF.get(_letters(tag))
            if tag and skill is None:
                self.remarks.add(f"`question_type` {tag!r} is none of the paper's skills; kept as it is", question_id)
            skills.append(skill or tag)
        return [skill for skill in dict.fromkeys(skills) if skill]


BUILDER = MMOU


def read_captions(path: Path, remarks: Remarks) -> dict[str, str]:
    """{video id: its caption} of `MMOU_Captions.jsonl`, which the judge of open-ended answers is given.

    Its fields are not known: the first that looks like an id, and the first that looks like a caption, are taken. What
    has neither is remarked, for captions are optional.
    """
    captions = {}
    for where, record in read_json_lines(path):
        fields = record if isinstance(record, dict) else {}
        video = next((str(fields[name]) for name in _CAPTION_IDS if fields.get(name)), "")
        text = next((fields[name] for name in _CAPTION_TEXTS if isinstance(fields.get(name), str)), "")
        if video and text.strip():
            captions[_video_of(video)] = text
        else:
            remarks.add(f"a line of {_CAPTIONS} has no video or no caption, and is left out", where)
    return captions


def _video_of(name: str) -> str:
    """The id in an address, a path or a file's name."""
    return youtube_id(name) if "//" in name else name.removesuffix(".mp4").rpartition("/")[2]


def youtube_id(url: str) -> str:
    """The id in any form of a YouTube address, or the name of a video file. Raises Malformed."""
    parsed = urlparse(url.strip() if "//" in url else f"//{url.strip()}")
    host, steps = (parsed.hostname or "").lower(), [step for step in parsed.path.split("/") if step]
    found = ""
    if re.fullmatch(r"[\w-]{11}", url.strip(), re.ASCII):
        found = url.strip()
    elif host.removeprefix("www.") == "youtu.be":
        found = steps[0] if steps else ""
    elif f".{host}".endswith((".youtube.com", ".youtube-nocookie.com")):
        query = parse_qs(parsed.query)
        if "v" in query:
            found = query["v"][0]
        elif len(steps) > 1 and steps[0] in ("shorts", "embed", "live", "v", "e", "watch"):
            found = steps[1]
    elif Path(parsed.path).suffix.lower() in VIDEO_SUFFIXES:
        found = Path(parsed.path).stem
    if not re.fullmatch(r"[\w-]+", found, re.ASCII):
        raise Malformed(f"video_url: no video id in {url!r}")
    return found


def _options(record: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The labels and texts of the options, in the labels' order."""
    options = unpack(record.get("options") or {})
    if isinstance(options, list):
        options = {chr(65 + index): text for index, text in enumerate(options)}
    if not isinstance(options, dict):
        raise Malformed(f"options: expected a dict of labels and texts, found {type(options).__name__}")
    present = {str(label).strip(): text for label, text in options.items() if text is not None}  # a repack fills up
    labels = sorted(present)
    if labels != [chr(65 + index) for index in range(min(len(labels), MAX_OPTIONS))]:
        raise Malformed(f"options: labels {', '.join(labels)} are not A, B, C, … without a gap")
    return labels, [str(present[label]) for label in labels]


def _gold(record: dict[str, Any], labels: list[str], options: list[str]) -> int | None:
    """Position of the right option; None if it is hidden or the question has no options. Raises Malformed."""
    letter = as_text(record, "correct_option_letter", required=False).strip().strip("().").upper()
    answer = as_text(record, "answer", required=False).strip()
    if not letter and answer in labels:
        letter = answer
    if letter:
        if letter not in labels:
            raise Malformed(f"correct_option_letter: {letter!r} is none of the labels {', '.join(labels) or '(none)'}")
        return labels.index(letter)
    text = as_text(record, "correct_option_text", required=False)
    return options.index(text) if options.count(text) == 1 else None


def _reference(record: dict[str, Any], labels: list[str], options: list[str], gold: int | None) -> str:
    """The annotator's own answer where it is given (an open-ended judge needs it), else the right option's text."""
    answer = as_text(record, "answer", required=False)
    if answer.strip() and answer.strip() not in labels:
        return answer
    return "" if gold is None else options[gold]


def _none_option(options: list[str], gold: int | None) -> list[str]:
    """The question's part in the paper's two sets of 2,000 with a none-option (section 3.4, step 5)."""
    if not options:
        return []
    places = [index for index, option in enumerate(options) if _NONE_OPTION.fullmatch(option.strip())]
    if not places:
        return ["none_option:absent"]
    return [
        "none_option:present" if gold is None else "none_option:gold" if gold in places else "none_option:distractor"
    ]

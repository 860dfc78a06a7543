"""Video-MMLU as a dataset: the official jsonl files with archived videos, or the TSV repack.

Sources: the paper (arXiv 2504.14693), `Enxin/Video-MMLU`, and the TSV files that VLMEvalKit reads.
"""

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chalkbench.benchmarks.media import place
from chalkbench.benchmarks.release import (
    Malformed,
    ReleaseBuilder,
    ReleaseConfig,
    ReleaseFiles,
    Remarks,
    as_text,
    read_json_lines,
    read_json_list,
    read_text,
    unpack,
)
from chalkbench.benchmarks.schema import make_row
from chalkbench.errors import ChalkbenchError

# The paper asks for a caption with one of several prompts, drawn at random. Which one is the task's choice, and the
# row needs a question: this one stands for all (Figure O7's).
CAPTION_QUESTION = "Describe this video in detail."
DISCIPLINES = {"math": "Math", "maths": "Math", "mathematics": "Math", "physics": "Physics", "chemistry": "Chemistry"}
_TSV = {"quiz": "Video_MMLU_QA.tsv", "notebook": "Video_MMLU_CAP.tsv"}
_OFFICIAL, _LABELS, _TRANSCRIPTS = "video_mmlu.jsonl", "video_sources.jsonl", "transcripts_punctuated.json"


class VideoMMLU(ReleaseBuilder):
    """Video-MMLU: short lectures in mathematics, physics and chemistry, to take notes of and to be quizzed on."""

    BENCHMARK = "video_mmlu"
    BUILDER_CONFIGS = [  # noqa: RUF012 - as `datasets` wants it
        # The paper counts 15,746 quiz questions; whether the file holds as many is not known, so none are expected.
        ReleaseConfig(name="quiz", split="Video_MMLU", description="one row a reasoning question"),
        ReleaseConfig(name="notebook", split="Video_MMLU", expected=1_065, description="one row a video to describe"),
    ]
    DEFAULT_CONFIG_NAME = "quiz"
    REDISTRIBUTABLE = True  # apache-2.0, annotations and videos in one repository
    EXPECTS = f"expected {_OFFICIAL}, or the repack's {' and '.join(_TSV.values())}"

    @classmethod
    def annotations(cls, files: ReleaseFiles, config: str) -> list[Path]:
        """The official file and what belongs to it, else the config's TSV."""
        main = files.named(_OFFICIAL) or files.named(_TSV[config])
        beside = [files.named(name) for name in (_LABELS, _TRANSCRIPTS)]
        return [main, *(path for path in beside if path)] if main else []

    def read(self, files: ReleaseFiles) -> Iterator[tuple[str, Any]]:
        """The videos (notebook) or their questions (quiz), each with discipline and transcript joined under `+`."""
        official = files.named(_OFFICIAL)
        labels = read_labels(path) if (path := files.named(_LABELS)) else {}
        transcripts = _read_transcripts(path, self.remarks) if (path := files.named(_TRANSCRIPTS)) else {}
        entries = read_json_lines(official) if official else _read_tsv(files.named(_TSV[self.config.name]))
        counts: dict[str, int] = defaultdict(int)
        for where, record in entries:
            if not isinstance(record, dict):
                yield where, record
                continue
            video = str(record.get("video_id") or record.get("video") or "").strip().removesuffix(".mp4")
            joined = {"label": labels.get(video), "transcript": transcripts.get(video)}
            pairs = unpack(record.get("reasoning_qa"))
            if self.config.name == "notebook":
                yield where, record | {"+": joined}
            elif not official:
                yield where, record | {"+": joined | {"index": counts[video]}}
                counts[video] += 1
            elif not isinstance(pairs, list):
                yield where, record | {"+": joined | {"fault": "reasoning_qa: is missing, or no list"}}
            else:  # captions are kept once, in the notebook's rows
                rest = {key: value for key, value in record.items() if key not in ("caption", "captions_qa")}
                if not pairs:
                    self.remarks.add("`reasoning_qa` holds no question", video)
                for index, pair in enumerate(pairs):
                    yield (
                        f"{where}, reasoning_qa {index}",
                        rest | {"reasoning_qa": pair, "+": joined | {"index": index}},
                    )

    def convert(self, record: dict[str, Any], where: str) -> dict[str, Any]:
        """The row of a video or of a question."""
        joined = record.pop("+")
        if "fault" in joined:
            raise Malformed(joined["fault"])
        video = as_text(record, "video" if "video" in record else "video_id").strip().removesuffix(".mp4")
        transcript = joined["transcript"] or {}
        common = {
            "video_id": video,
            "video_path": place(video),
            "discipline": self._discipline(record, joined["label"], video),
            "subtitles": transcript.get("cues", []),
            "task": self.config.name,
        }
        if self.config.name == "quiz":
            pair = record.get("reasoning_qa", record)  # the repack's line is the pair
            if not isinstance(pair, dict):
                raise Malformed(f"reasoning_qa: expected a question and an answer, found {type(pair).__name__}")
            return make_row(
                id=f"{video}:quiz:{joined['index']}",
                question=plain(as_text(pair, "question")),
                answer=plain(as_text(pair, "answer")),
                source=json.dumps(record, ensure_ascii=False),
                **common,
            )
        source = record | ({"transcript": transcript["rest"]} if transcript.get("rest") else {})
        return make_row(
            id=f"{video}:notebook",
            question=CAPTION_QUESTION,
            answer=plain(as_text(record, "caption" if "caption" in record else "answer")),
            questions=self._caption_questions(record, video),
            source=json.dumps(source, ensure_ascii=False),
            **common,
        )

    def _discipline(self, record: dict[str, Any], label: str | None, video: str) -> str:
        own = as_text(record, "discipline", required=False).strip()
        name = DISCIPLINES.get(own.lower(), own)
        if not name and not label:
            self.remarks.add("no discipline is known, so the score lacks it", video)
        if name and label and name != label:
            self.remarks.add(f"{_LABELS} names another discipline than the record, which counts", video)
        return name or label or ""

    def _caption_questions(self, record: dict[str, Any], video: str) -> list[dict[str, str]]:
        pairs = unpack(record["captions_qa"] if "captions_qa" in record else record.get("question"))
        if not isinstance(pairs, list):
            raise Malformed("captions_qa: is missing, or no list")
        questions = []
        for pair in pairs:
            try:
                if not isinstance(pair, dict):
                    raise Malformed("no question with an answer")
                questions.append({field: plain(as_text(pair, field)) for field in ("question", "answer")})
            except Malformed as fault:
                self.remarks.add(f"a pair of `captions_qa` is left out ({fault}); it stays in `source`", video)
        if not questions:
            raise Malformed("captions_qa: holds no question with an answer")
        return questions


BUILDER = VideoMMLU


def plain(text: str) -> str:
    """The text without the backslashes that the release puts before apostrophes."""
    return text.replace("\\'", "'")


def read_labels(path: Path) -> dict[str, str]:
    """{video id: discipline}. A video may stand twice with one label; ChalkbenchError if its labels differ."""
    labels: dict[str, tuple[str, str]] = {}
    for where, record in read_json_lines(path):
        if not isinstance(record, dict) or not record.get("video_id") or not record.get("label"):
            raise ChalkbenchError(f"{path}: {where} needs a `video_id` and a `label`.")
        video, raw = str(record["video_id"]), str(record["label"]).strip()
        label = DISCIPLINES.get(raw.lower(), raw)
        earlier, place_of_earlier = labels.setdefault(video, (label, where))
        if earlier != label:
            raise ChalkbenchError(
                f"{path}: video {video} is {earlier} at {place_of_earlier}, {label} at {where}; keep one of the lines."
            )
    return {video: label for video, (label, _) in labels.items()}


def _read_transcripts(path: Path, remarks: Remarks) -> dict[str, dict[str, Any]]:
    """{video id: its cues, and the rest of its record}. What cannot be read is remarked: transcripts are optional."""
    transcripts = {}
    for where, record in read_json_list(path):
        try:
            cues = [
                {
                    "start": (start := float(cue["start"])),
                    "end": start + max(0.0, float(cue.get("duration") or 0)),
                    "text": str(cue["text"]),
                }
                for cue in record["org_text"]["transcript"]
            ]
            rest = {key: value for key, value in record.items() if key not in ("video_id", "org_text")}
            rest |= {key: value for key, value in record["org_text"].items() if key != "transcript"}
            transcripts[str(record["video_id"])] = {"cues": cues, "rest": rest}
        except (KeyError, TypeError, ValueError, AttributeError):
            remarks.add("a transcript cannot be read and is left out", where)
    return transcripts


def _read_tsv(path: Path) -> Iterator[tuple[str, Any]]:
    """The lines of a TSV file; every value stays text, so that an answer `None` or `NA` survives."""
    csv.field_size_limit(sys.maxsize)
    lines = csv.DictReader(read_text(path).splitlines(keepends=True), delimiter="\t")
    lacking = {"video", "question", "answer"} - set(lines.fieldnames or ())
    if lacking:
        raise ChalkbenchError(f"{path}: its first line lacks the columns {', '.join(sorted(lacking))}.")
    for record in lines:
        yield f"{path.name} line {lines.line_num}", {key: value for key, value in record.items() if key is not None}

"""Subtitles of a release in the neutral layout: of the record, of a file that it names, or of the video's own file.

What belongs here: which cues are a question's. What does not: the formats (`chalkbench.media.subtitles`).
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from chalkbench.benchmarks.fields import name_of, seconds
from chalkbench.benchmarks.release import ReleaseFiles, Remarks
from chalkbench.media import MediaError
from chalkbench.media.subtitles import cues_from, read_subtitles

SUFFIXES = (".json", ".srt", ".vtt")
_LANGUAGE = re.compile(r"\.[a-z]{2,3}(?:-[A-Za-z]+)?$")  # `talk.en.srt`, as downloaders name them
_TIMES = ("start", "end", "duration")
Cues = list[dict[str, Any]]


class Subtitles:
    """The subtitle files of a release, each read once."""

    def __init__(self, files: ReleaseFiles, *, other_than: Collection[Path]) -> None:
        paths = [path for path in subtitle_files(files) if path not in other_than]
        paths.reverse()  # the shallowest counts
        self._files = {_LANGUAGE.sub("", path.stem): path for path in paths} | {path.stem: path for path in paths}
        self._read: dict[str, Cues] = {}

    def of(self, given: Any, row: Mapping[str, Any], *, remarks: Remarks) -> Cues:
        """The cues of a question. given: what the record has; row: its other columns.

        A text without times becomes one cue. What cannot be read is remarked, and costs no question.
        """
        if given is None or given == "":
            return self._of_file(PurePosixPath(row["video_id"]).name, remarks)
        if isinstance(given, (dict, list)):
            try:
                return [vars(cue) for cue in cues_from(_timed(given))]
            except ValueError as error:
                remarks.add(f"subtitles cannot be read ({error}), so the question has none", row["id"])
                return []
        text = str(given).strip()
        if PurePosixPath(text).suffix.lower() in SUFFIXES and "\n" not in text:
            name = PurePosixPath(name_of(text)).stem
            if name not in self._files:
                remarks.add("subtitles are named that the release does not hold", text)
            return self._of_file(name, remarks)
        remarks.add("the transcript has no times: it is one piece", row["id"])
        start = row["clip_start"] or 0.0
        return [{"start": start, "end": max(start, row["clip_end"] or row["duration"] or start), "text": text}]

    def _of_file(self, name: str, remarks: Remarks) -> Cues:
        if name not in self._read:
            path = self._files.get(name)
            try:
                self._read[name] = [vars(cue) for cue in read_subtitles(path)] if path else []
            except MediaError as error:
                remarks.add("a file of subtitles cannot be read, so its questions have none", str(error))
                self._read[name] = []
        return self._read[name]


def subtitle_files(files: ReleaseFiles) -> list[Path]:
    """The files of the release that may be subtitles."""
    return [path for path in files.paths if path.suffix.lower() in SUFFIXES]


def _timed(cues: Any) -> Any:
    """The same cues, times that are written as `MM:SS` as numbers. Raises ValueError."""
    if isinstance(cues, list):
        return [_timed(cue) for cue in cues]
    if not isinstance(cues, dict):
        return cues
    nested = {key: _timed(value) for key, value in cues.items() if isinstance(value, (dict, list))}
    return cues | nested | {key: seconds(cues[key]) for key in _TIMES if isinstance(cues.get(key), str)}

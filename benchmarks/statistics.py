"""Statistics of a layout, from its rows alone: what it holds, how long, how wordy, and how its answers lie.

    tables(describe(rows), benchmark="vira_bench", title="default")

What belongs here: counting rows, and the papers' own figures beside. What does not: media files, results.

A word is what stands between spaces; of scripts without spaces, each character. The clip of a question is the part of
the file that belongs to it, else the whole file; one clip may serve several questions, and counts once in all figures
on clips.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
from rich.table import Table
from rich.text import Text

from chalkbench.benchmarks.layout import Layout, open_layout
from chalkbench.scoring.scripts import unspaced, wordy

# all that is read of a layout; long texts (subtitles, original records) stay in the file
COLUMNS = (
    *("video_path", "has_audio", "clip_start", "clip_end", "duration", "clips", "option_media", "question", "options"),
    *("answer_index", "answer", "task", "subtask", "session_id", "target_language"),
)
ALL = "all"
MINUTES = (1, 5, 10, 20, 30)  # bounds of the groups of durations; from 5 on those of MMOU's section 4
DESIGN_WINDOW = (15.0, 60.0)  # VIRA-Bench section 3.1: seconds of a clip

Published = Mapping[str, tuple[Mapping[str, float | None], str]]
# {benchmark: {figure: ({group: value, None = shown beside, not printed}, source)}}
PUBLISHED: Mapping[str, Published] = {
    "vira_bench": {  # its surface-complexity measures; the paper gives them in the text, not in a table
        "words per question": ({"OEG": None, "ICR": 13.0, "SRM": None}, "section 4.5: ICR's are the shortest"),
        "words per option": ({"OEG": 18.8, "ICR": 20.0, "SRM": 19.5}, "section 4.5"),
        "clip length, mean (s)": (
            {ALL: 32.4, "OEG": None, "ICR": None, "SRM": None},
            "appendix D; section 4.5: at most 1.1 s between layers",
        ),
        "clip length, SD (s)": ({ALL: 11.4}, "appendix D"),
        "clips of 15-60 s (%)": ({ALL: 94.0}, "appendix D"),
        "questions per clip": ({ALL: 1.32}, "appendix D"),
    },
    "instructionbench": {
        "words per question": ({ALL: 11.66}, "Figure 3"),
        "words per option": ({ALL: 10.92}, "Figure 3"),
        "clip length, mean (s)": ({ALL: 282.95}, "Figure 3"),
    },
    "lemon": {"clip length, mean (s)": ({ALL: 196.1}, "section 3.2")},
    "mmou": {"clip length, mean (s)": ({ALL: 711.6}, "section 3.2, Table 2")},
}


@dataclass(frozen=True)
class Spread:
    """A distribution. n: values known. mean, sd (of the values as a whole), low, quartiles, high: None if n is 0."""

    n: int
    mean: float | None = None
    sd: float | None = None
    low: float | None = None
    quartiles: tuple[float, float, float] | None = None
    high: float | None = None

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """The distribution of some values; quartiles are interpolated between them."""
        known = sorted(values)
        if not known:
            return cls(0)
        low, middle, high = statistics.quantiles(known * (2 if len(known) == 1 else 1), n=4, method="inclusive")
        mean, sd = statistics.fmean(known), statistics.pstdev(known)
        return cls(len(known), mean, sd, known[0], (low, middle, high), known[-1])


@dataclass(frozen=True)
class Group:
    """The questions of a task, a subtask, or all. Words: mean of questions, of single options, of open answers."""

    questions: int
    clips: int
    question_words: float | None
    option_words: float | None
    answer_words: float | None
    clip_length: Spread


@dataclass(frozen=True)
class Description:
    """What rows hold.

    groups: {"all", task, "task/subtask": Group}. videos: files named. durations: seconds of these files.
    clips_in_window: share of clips of 15 to 60 s, 0..1. questions_per_clip: {questions: clips}.
    option_counts: {options: questions}; 0 = open-ended. positions: {label: questions with the right answer there}.
    languages: {target language: questions}. sessions: {questions of a conversation: conversations}.
    silent, unprobed: videos without sound, and those of which that is not known.
    """

    groups: Mapping[str, Group]
    videos: int
    pictures: int
    durations: Spread
    duration_groups: Mapping[str, int]
    clips_in_window: float | None
    questions_per_clip: Mapping[int, int]
    option_counts: Mapping[int, int]
    positions: Mapping[str, int]
    languages: Mapping[str, int]
    sessions: Mapping[int, int]
    silent: int
    unprobed: int


def describe(rows: Iterable[Mapping[str, Any]]) -> Description:
    """Statistics of rows (a `Dataset` of them, or mappings). No media file is touched."""
    if isinstance(rows, datasets.Dataset):
        rows = rows.select_columns([name for name in COLUMNS if name in rows.column_names]).to_list()
    rows = list(rows)
    members: dict[str, list[Mapping[str, Any]]] = {ALL: rows}
    for row in rows:
        for name in (row["task"], f"{row['task']}/{row['subtask']}" if row["subtask"] else ""):
            if name:
                members.setdefault(name, []).append(row)
    videos = {path: row for row in reversed(rows) for path in _videos(row)}
    durations = {
        row["video_path"]: row["duration"] for row in rows if row["video_path"] and row["duration"] is not None
    }
    lengths = _clip_lengths(rows)
    window = [DESIGN_WINDOW[0] <= length <= DESIGN_WINDOW[1] for length in lengths.values()]
    probed = [row["has_audio"] for path, row in videos.items() if path == row["video_path"]]
    return Description(
        groups={name: _group(members[name]) for name in [ALL, *sorted(members.keys() - {ALL})]},
        videos=len(videos),
        pictures=len({path for row in rows for path in row["option_media"]}),
        durations=Spread.of(durations.values()),
        duration_groups=_in_minutes(durations.values()),
        clips_in_window=sum(window) / len(window) if window else None,
        questions_per_clip=_counted(Counter(_clip(row) for row in rows if row["video_path"]).values()),
        option_counts=_counted(len(row["options"]) for row in rows),
        positions=_counted(
            chr(65 + row["answer_index"]) for row in rows if row["options"] and row["answer_index"] >= 0
        ),
        languages=_counted(row["target_language"] for row in rows if row["target_language"]),
        sessions=_counted(Counter(row["session_id"] for row in rows if row["session_id"]).values()),
        silent=probed.count(False),
        unprobed=probed.count(None),
    )


def describe_layout(layout: Layout | str | Path) -> dict[str, Description]:
    """{config: its description}, splits taken together; configs that hold different tasks are described as one.

    Raises ChalkbenchError as `open_layout`.
    """
    layout = layout if isinstance(layout, Layout) else open_layout(layout)
    rows = {
        config: [
            row
            for file in splits.values()
            for row in pq.read_table(layout.root / file, columns=list(COLUMNS)).to_pylist()
        ]
        for config, splits in layout.configs.items()
    }
    tasks = [task for of_config in rows.values() for task in {row["task"] for row in of_config}]
    if len(set(tasks)) == len(tasks):  # LEMON's six tasks are six configs
        rows = {", ".join(rows): [row for of_config in rows.values() for row in of_config]}
    return {config: describe(of_config) for config, of_config in rows.items()}


def words(text: str) -> int:
    """The number of words: pieces between spaces with a letter or digit; of scripts without spaces, characters."""
    total = 0
    for piece in text.split():
        alone = sum(map(unspaced, piece))
        total += alone + any(wordy(char) and not unspaced(char) for char in piece)
    return total


def tables(description: Description, *, benchmark: str, title: str = "") -> list[Table]:
    """The tables to print: what there is, by task; clips; answers; and beside them what the paper prints."""
    found = [_task_table(description, f"{benchmark} {title}".strip()), _clip_table(description)]
    if any(description.option_counts):
        found.append(_answer_table(description))
    if benchmark in PUBLISHED:
        found.append(_published_table(description, benchmark))
    return found


def figures(description: Description) -> dict[str, dict[str, float | None]]:
    """{figure: {group: value}} of the figures that papers print, for all and for each task."""
    groups = {name: group for name, group in description.groups.items() if "/" not in name}
    asked = sum(count * clips for count, clips in description.questions_per_clip.items())
    clips = sum(description.questions_per_clip.values())
    window = description.clips_in_window
    return {
        "words per question": {name: group.question_words for name, group in groups.items()},
        "words per option": {name: group.option_words for name, group in groups.items()},
        "clip length, mean (s)": {name: group.clip_length.mean for name, group in groups.items()},
        "clip length, SD (s)": {name: group.clip_length.sd for name, group in groups.items()},
        "clips of 15-60 s (%)": {ALL: None if window is None else 100 * window},
        "questions per clip": {ALL: asked / clips if clips else None},
    }


def _counted(values: Iterable[Any]) -> dict[Any, int]:
    return dict(sorted(Counter(values).items()))


def _videos(row: Mapping[str, Any]) -> list[str]:
    return [path for path in (row["video_path"], *(clip["path"] for clip in row["clips"])) if path]


def _clip(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["video_path"], row["clip_start"], row["clip_end"]


def _clip_lengths(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[Any, ...], float]:
    """{clip: seconds} of the clips whose length is known."""
    lengths = {}
    for row in rows:
        end = row["clip_end"] if row["clip_end"] is not None else row["duration"]
        if row["video_path"] and end is not None:
            lengths[_clip(row)] = max(0.0, end - (row["clip_start"] or 0.0))
    return lengths


def _group(rows: Sequence[Mapping[str, Any]]) -> Group:
    def mean(texts: Iterable[str]) -> float | None:
        counts = [words(text) for text in texts]
        return statistics.fmean(counts) if counts else None

    return Group(
        questions=len(rows),
        clips=len({_clip(row) for row in rows if row["video_path"]}),
        question_words=mean(row["question"] for row in rows),
        # "picture 1" is our word for a picture
        option_words=mean(option for row in rows if not row["option_media"] for option in row["options"]),
        answer_words=mean(row["answer"] for row in rows if not row["options"] and row["answer"]),
        clip_length=Spread.of(_clip_lengths(rows).values()),
    )


def _in_minutes(durations: Iterable[float]) -> dict[str, int]:
    """{group of durations: files}; a file of exactly five minutes is in 5-10."""
    names = [
        f"under {MINUTES[0]} min",
        *(f"{low}-{high} min" for low, high in pairwise(MINUTES)),
    ]
    names.append(f"{MINUTES[-1]} min and more")
    found = dict.fromkeys(names, 0)
    for duration in durations:
        found[names[sum(duration >= bound * 60 for bound in MINUTES)]] += 1
    return found


def _table(title: str, first: str, *columns: str) -> Table:
    table = Table(title=Text(title), title_justify="left")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _row(table: Table, first: str, *cells: Any) -> None:
    table.add_row(Text(first), *(Text(_shown(cell)) for cell in cells))  # not markup: it comes from the data


def _shown(value: Any) -> str:
    return (
        "-"
        if value is None
        else f"{value:,.1f}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


def _task_table(description: Description, title: str) -> Table:
    words_of = ("Words per question", "per option", "per answer")
    table = _table(title, "Task", "Questions", "Clips", "Clip length (s)", *words_of)
    for name, group in description.groups.items():
        length = group.clip_length.mean
        _row(
            table,
            name,
            group.questions,
            group.clips,
            length,
            group.question_words,
            group.option_words,
            group.answer_words,
        )
    return table


def _clip_table(description: Description) -> Table:
    table = _table("Videos and clips", "", "Number", "Mean", "SD", "Shortest", "25 %", "50 %", "75 %", "Longest")
    clips = description.groups[ALL].clip_length
    for name, spread in (("videos, length in s", description.durations), ("clips, length in s", clips)):
        quartiles = spread.quartiles or (None, None, None)
        _row(table, name, spread.n, spread.mean, spread.sd, spread.low, *quartiles, spread.high)
    table.add_section()
    counts = {
        "videos named": description.videos,
        "videos without sound": description.silent,
        "videos not probed": description.unprobed,
        "pictures": description.pictures,
        **{f"videos {name}": count for name, count in description.duration_groups.items() if count},
        **{f"clips with {count} questions": clips for count, clips in description.questions_per_clip.items()},
        **{f"conversations of {turns} questions": count for turns, count in description.sessions.items()},
        **{f"questions into {language}": count for language, count in description.languages.items()},
    }
    for name, count in counts.items():
        if count or name == "videos named":
            _row(table, name, count, *[""] * 7)
    return table


def _answer_table(description: Description) -> Table:
    table = _table("Options and right answers", "", "Questions", "Share (%)")
    for count, questions in description.option_counts.items():
        share = 100 * questions / description.groups[ALL].questions
        _row(table, f"{count} options" if count else "open-ended", questions, share)
    table.add_section()
    known = sum(description.positions.values())
    for label, questions in description.positions.items():
        _row(table, f"right answer {label}", questions, 100 * questions / known)
    return table


def _published_table(description: Description, benchmark: str) -> Table:
    table = _table("Beside the paper's figures", "Figure", "Questions of", "This layout", "Paper", "Where")
    ours = figures(description)
    for name, (printed, source) in PUBLISHED[benchmark].items():
        for group, value in printed.items():
            _row(table, name, group, ours[name].get(group), value, source)
    return table

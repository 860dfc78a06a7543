"""Outcomes of runs: a results folder, one of its tasks, or a file of scored answers as items that can be compared.

What belongs here: finding results by what a user wrote (`FOLDER`, `FOLDER:TASK`, `ANSWERS.jsonl`), reading
`scores.json` and `answers/<task>.jsonl`, and what a layout adds to the items. What does not: comparing them
(`compare/`), statistics (`stats.py`, `agreement.py`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean, median
from string import ascii_uppercase
from typing import Any

from chalkbench.benchmarks.layout import read_rows
from chalkbench.errors import ChalkbenchError
from chalkbench.report.reading import read_runs
from chalkbench.run import SCORES
from chalkbench.scoring.outcome import NOT_JUDGED, SCORED, UNPARSED, Outcome, counted
from chalkbench.task import Row, Task

# The rules whose choice is an option's letter; that of a free response counts options that were not shown.
_SHOWS, _MATCHES = "option_accuracy", "free_response_match"
_BOUNDS = ((30, "under 30 s"), (60, "30-60 s"), (300, "1-5 min"), (600, "5-10 min"), (1200, "10-20 min"))
_LONGEST = "20 min and more"
ADDED = ("duration", "evidence")  # the groupings that a layout adds
_THIRDS = ("first third", "middle third", "last third")


@dataclass(frozen=True)
class Item:
    """One answered question.

    value: 0..1, the share of the highest grade; None = not scored. status: `scored`, or the reason why not.
    choice: released position of the chosen option, gold: of the right one; None = none, or not known. order: released
    positions of the options as shown, () = as released. n_options: of those shown, 0 = open. option: text of the
    chosen one. label: what was read of the reply, e.g. the letter of the option as shown, or yes; "" = nothing. rule:
    what read it. error: why there is no reply or verdict.
    groups: {grouping: groups}. seen: what the model was given, as the answer says it.
    """

    id: str
    value: float | None
    status: str
    reply: str = ""
    choice: int | None = None
    gold: int | None = None
    order: tuple[int, ...] = ()
    n_options: int = 0
    option: str = ""
    label: str = ""
    rule: str = ""
    error: str = ""
    question: str = ""
    reference: str = ""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    seen: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> int | None:
        """Position of the chosen option as the model was shown it."""
        return self._as_shown(self.choice)

    @property
    def gold_shown(self) -> int | None:
        """Position of the right option as the model was shown it."""
        return self._as_shown(self.gold)

    def _as_shown(self, place: int | None) -> int | None:
        if place is None or not self.n_options:
            return None
        return self.order.index(place) if self.order else place


@dataclass(frozen=True)
class Results:
    """What a user named. path: a folder with `scores.json`, or a file of answers that stands alone.

    wanted: the task, or set of tasks (`lemon`), that was named behind it, "" = none. entries: {task: its entry of
    `scores.json`}; of a lone file {its name: {}}.
    """

    name: str
    path: Path
    wanted: str
    entries: Mapping[str, Mapping[str, Any]]

    @property
    def model(self) -> str:
        """Who answered; the folder's name if there are several, or nobody knows."""
        models = {entry["record"]["model"] for entry in self.entries.values() if entry}
        return models.pop() if len(models) == 1 else self.path.stem

    def file(self, task: str) -> Path:
        """Where the answers to a task are."""
        return self.path if self.path.is_file() else self.path / "answers" / f"{_file_name(task)}.jsonl"


def find(name: str) -> Results:
    """The results that a user names: FOLDER, FOLDER:TASK, FOLDER:SET or ANSWERS.jsonl.

    A file of answers in a results folder stands for its task there. Raises ChalkbenchError for what is not there.
    """
    path, wanted = _place(name)
    if path.name == SCORES:
        path = path.parent
    if path.is_file():
        folder = path.parent.parent
        if path.parent.name == "answers" and (folder / SCORES).is_file():
            entries = _entries(folder)
            task = next((task for task in entries if _file_name(task) == path.stem), "")
            if task:
                return Results(name, folder, wanted or task, entries)
        return Results(name, path, wanted or path.stem, {wanted or path.stem: {}})
    if not (path / SCORES).is_file():
        inside = sorted(found.parent.name for found in path.glob(f"*/{SCORES}"))
        hint = f"it holds the results {', '.join(inside)}: name one of them" if inside else _EXPECTED
        raise ChalkbenchError(f"{path} holds no {SCORES}: {hint}")
    return Results(name, path, wanted, _entries(path))


_EXPECTED = "give a folder that `chalkbench eval` or `score --output` wrote, FOLDER:TASK, or a file in its answers/"


def _place(name: str) -> tuple[Path, str]:
    if Path(name).exists():
        return Path(name), ""
    parts = name.split(":")
    for end in range(len(parts) - 1, 0, -1):
        path = Path(":".join(parts[:end]))
        if path.exists() and parts[end]:
            return path, ":".join(parts[end:])
    raise ChalkbenchError(f"{name}: there is no such file or folder; {_EXPECTED}")


def _entries(folder: Path) -> dict[str, Mapping[str, Any]]:
    return {task: entry for run in read_runs([folder]) for task, entry in run.entries.items()}


def _file_name(task: str) -> str:
    return task.replace(":", "-")


def read_items(results: Results, task: str) -> dict[str, Item]:
    """{id: item} of a task. Raises ChalkbenchError for answers that are not there, not scored, or cannot be read."""
    path, entry = results.file(task), results.entries[task]
    if entry and entry["result"].get("top", 1.0) is None:
        raise ChalkbenchError(
            f"{task} in {results.path}: {entry['record']['rule']} has no highest score to compare by"
        )
    top = entry["result"].get("top", 1.0) if entry else 1.0
    rule = str(entry["record"]["rule"]).partition("(")[0] if entry else ""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # not splitlines: JSON may hold U+2028
    except (OSError, UnicodeDecodeError) as error:
        raise ChalkbenchError(f"cannot read the answers {path} ({error}): score {task} again") from error
    items: dict[str, Item] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            item = _item(json.loads(line), top=top, rule=rule)
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise ChalkbenchError(
                f"{where}: is no scored answer ({reason}): `chalkbench score {path} TASK --output FOLDER` scores it"
            ) from error
        if item.id in items:
            raise ChalkbenchError(f"{where}: question {item.id} stands there twice: keep one answer to it")
        items[item.id] = item
    if not items:
        raise ChalkbenchError(f"{path}: holds no answer")
    return items


def _item(line: Mapping[str, Any], *, top: float, rule: str) -> Item:
    value = line["value"] if line.get("outcome") in (None, SCORED) else line.get("value")
    share = None if value is None else float(value) / top
    if share is not None and not 0 <= share <= 1:
        raise ValueError(f"value {value} is not within 0 and {top:g}")
    order = tuple(int(place) for place in line.get("option_order") or [])
    letter = _position(line.get("choice")) if rule in ("", _SHOWS, _MATCHES) else None
    return Item(
        id=str(line["id"]),
        value=share,
        status=SCORED if share is not None else str(line.get("outcome") or line.get("status") or _reason(line)),
        reply=str(line.get("answer") or ""),
        choice=order[letter] if order and letter is not None else letter,
        gold=line.get("gold"),
        order=order,
        n_options=int(line.get("n_options") or len(order)),
        option=str(line.get("option") or ""),
        label=str(line.get("choice") or ""),
        rule=str(line.get("rule") or ""),
        error=str(line.get("error") or ""),
        question=str(line.get("question") or ""),
        reference=str(line.get("reference") or ""),
        groups={name: tuple(groups) for name, groups in (line.get("groups") or {}).items()},
        seen=line.get("seen") or {},
    )


def _position(label: Any) -> int | None:
    return ascii_uppercase.index(label) if isinstance(label, str) and len(label) == 1 and label.isupper() else None


def _reason(line: Mapping[str, Any]) -> str:
    """Of answers written without their outcome: nobody graded it, or it could not be read."""
    return NOT_JUDGED if line.get("rule") == "judge" or line.get("choice") else UNPARSED


def values(items: Mapping[str, Item], protocol: str) -> dict[str, float | None]:
    """{id: its part in a mean under a protocol}, as `scoring.outcome.counted`."""
    return {id: counted(Outcome(item.value, item.status), protocol) for id, item in items.items()}


def with_rows(items: Mapping[str, Item], rows: Iterable[Row], task: Task | None) -> dict[str, Item]:
    """The items with what a layout knows: what the answers do not say, and the groups `duration` and `evidence`.

    rows: of the layout, the options as released. task: whose groupings they are, None = not known.
    """
    found = dict(items)
    for row in rows:
        if (item := found.get(row["id"])) is None:
            continue
        gold = row["answer_index"] if row["options"] and row["answer_index"] >= 0 else None
        reference = row["answer"] if gold is None else row["options"][gold]
        options = len(row["options"]) if task and task.rule == _SHOWS else 0
        found[item.id] = replace(
            item,
            gold=gold if item.gold is None else item.gold,
            n_options=item.n_options or options,
            question=item.question or row["question"],
            reference=item.reference or reference or "",
            groups=_placed(row) | (task.groups(row) if task else {}) | dict(item.groups),
        )
    return found


def _placed(row: Row) -> dict[str, tuple[str, ...]]:
    """How long the part of the video is that belongs to the question, and where in it the answer is found."""
    start = row["clip_start"] or 0.0
    end = row["clip_end"] if row["clip_end"] is not None else row["duration"]
    if end is None or end <= start:
        return {}
    length = end - start
    groups = {"duration": (next((name for bound, name in _BOUNDS if length < bound), _LONGEST),)}
    marks = [mark for mark in (row["evidence_start"], row["evidence_end"]) if mark is not None]
    if marks:
        place = (mean(marks) - start) / length
        if 0 <= place <= 1:
            groups["evidence"] = (_THIRDS[min(int(3 * place), 2)],)
    return groups


def rows_of(entry: Mapping[str, Any], layouts: Mapping[str, Any]) -> Iterable[Row]:
    """The rows of the split that a task was run on; none if no layout of that very release is among those given."""
    record = entry["record"] if entry else {}
    layout = layouts.get(record.get("benchmark", ""))
    config, _, split = str(record.get("split", "")).partition("/")
    if (
        layout is None
        or split not in layout.configs.get(config, {})
        or layout.facts["release_sha256"] != record["release"]
    ):
        return []
    return read_rows(layout, config, split)


@dataclass(frozen=True)
class Measured:
    """A quantity that was measured for some of n questions. why: what is missing, "" = nothing."""

    n: int
    n_measured: int
    mean: float | None = None
    median: float | None = None
    why: str = ""


def seconds_per_question(items: Sequence[Item]) -> Measured:
    """Seconds from question to answer, of the answers that say them (LEMON, Table 6)."""
    return _measured([item.seen.get("seconds") for item in items], "its answer does not say how long it took")


def tokens_per_frame(items: Sequence[Item]) -> Measured:
    """Visual tokens for each frame, of the questions with frames whose answers say them (Video-MMLU, Table O1)."""
    given = [(item.seen.get("visual_tokens"), len(item.seen.get("frame_indices") or ())) for item in items]
    shares = [None if tokens is None else tokens / frames for tokens, frames in given if frames]
    return _measured(shares, "its answer does not say the visual tokens", none="no frame was shown")


def _measured(found: Sequence[float | None], missing: str, none: str = "no questions") -> Measured:
    known = [float(value) for value in found if value is not None]
    lacking = len(found) - len(known)
    why = f"{lacking} of {len(found)} questions: {missing}" if lacking else "" if known else none
    if not known:
        return Measured(len(found), 0, why=why)
    return Measured(len(found), len(known), mean(known), median(known), why)

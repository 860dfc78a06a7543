"""A run: a model is asked the questions of some tasks through lighteval's pipeline, and the results are written.

What an output folder holds: `scores.json`, `answers/<task>.jsonl`, `journal/` (a killed run resumes from it),
lighteval's own `results_….json` and `details/`, and for a hidden split `submission_<task>.json`. What does not
belong here: the command line (`cli.py`), which tasks there are (`chalkbench.tasks`), and how a model answers.
"""

import json
import logging
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.registry import Registry

from chalkbench import signature
from chalkbench.errors import ChalkbenchError
from chalkbench.files import json_line, write_text
from chalkbench.models.base import VideoModel
from chalkbench.results import Item
from chalkbench.submission import write_mmou
from chalkbench.task import Task

SCORES = "scores.json"
_CHATTY = (
    *("lighteval", "transformers", "datasets", "evaluate", "accelerate", "httpx", "huggingface_hub"),
    "chalkbench.tasks.config",  # what it warns of stands among the remarks
)
_TIMES = "finished"  # the one entry of a task that differs between two runs alike


@dataclass(frozen=True)
class Answered:
    """A task after its run.

    result: nested, of `results.score`. seen: {id: what the model was given}, plain values. errors: {id: why there is
    no reply, in words}.
    """

    task: Task
    items: Sequence[Item]
    result: Mapping[str, Any]
    seen: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


def ask(model: VideoModel, configs: Sequence[Any], *, output: Path) -> list[Answered]:
    """Runs lighteval's pipeline on a model and the configurations of `chalkbench.tasks`; writes lighteval's files.

    configs: each with `task`, and with a metric that keeps its nested result (`tasks.binding`).
    """
    tracker = EvaluationTracker(
        output_dir=str(output), results_path_template="{output_dir}", save_details=True, push_to_hub=False
    )
    table = ModuleType("chalkbench_tasks_of_this_run")
    table.TASKS_TABLE = list(configs)
    parameters = PipelineParameters(
        launcher_type=ParallelismManager.CUSTOM,
        custom_tasks_directory=table,
        remove_reasoning_tags=False,  # the rules do it, and keep the raw reply
    )
    with _our_tasks_alone():
        pipeline = Pipeline(
            tasks=",".join(f"{config.name}|0" for config in configs),
            pipeline_parameters=parameters,
            evaluation_tracker=tracker,
            model=model,
        )
    pipeline.evaluate()
    answered = [_answered(config, tracker, model) for config in configs]
    pipeline.save_and_push_results()
    return answered


@contextmanager
def _our_tasks_alone() -> Iterator[None]:
    """lighteval imports its hundred built-in task modules to look for ours; two of them call the network."""
    kept = Registry.__dict__["_load_from_files"], Registry.__dict__["_load_from_subdirs"]
    Registry._load_from_files = Registry._load_from_subdirs = staticmethod(lambda *_: {})
    try:
        yield
    finally:
        Registry._load_from_files, Registry._load_from_subdirs = kept


def _answered(config: Any, tracker: EvaluationTracker, model: VideoModel) -> Answered:
    name = f"{config.name}|0"
    details = tracker.details_logger.details[name]
    items = [Item.from_dict(detail.metric[config.task.rule]) for detail in details]
    made = {item.id: model.answers[name, item.id] for item in items}
    return Answered(
        config.task,
        items,
        config.metrics[0].corpus_level_fn.result,
        seen={id: asdict(answer.seen) for id, answer in made.items()},
        errors={id: answer.error for id, answer in made.items() if answer.error},
    )


def entry(
    answered: Answered, *, layout: Any, n_total: int, remarks: Sequence[str], **made_with: Any
) -> dict[str, Any]:
    """A task's part of `scores.json`. made_with: of `signature.record`."""
    record = signature.record(
        answered.task,
        release=layout.facts["release_sha256"],
        n=len(answered.items),
        n_total=n_total,
        judge=answered.result.get("judged_by"),
        frames=signature.frames_hash((id, seen.get("frame_indices", ())) for id, seen in answered.seen.items()),
        **made_with,
    )
    return {
        "sample": layout.sample,
        "signature": signature.line(record),
        "result": {name: value for name, value in answered.result.items() if name not in ("items", "judged_by")},
        "coverage": coverage(answered),
        "remarks": [*remarks, *failures(answered)],
        "record": record,
        _TIMES: datetime.now(UTC).isoformat(timespec="seconds"),
    }


def coverage(answered: Answered) -> dict[str, Any]:
    """What the model was really given over all questions: frames, seconds of sound, cut replies, notes."""
    seen = [one for one in answered.seen.values() if one]
    frames = [len(one["frame_indices"]) for one in seen]
    return {
        "frames": {"least": min(frames, default=0), "most": max(frames, default=0)},
        "audio_seconds": round(sum(one["seconds_of_audio"] for one in seen), 3),
        "audio_seconds_available": round(sum(one["seconds_of_audio_available"] for one in seen), 3),
        "with_subtitles": sum(one["cues"] > 0 for one in seen),
        "cut_replies": sum(one["truncated"] for one in seen),
        "notes": dict(sorted(Counter(one["note"] for one in seen if one["note"]).items())),
    }


def failures(answered: Answered) -> list[str]:
    """For each reason that questions were not scored, how many there are and the first fault in words."""
    faults: dict[str, list[str]] = {}
    for read in sorted(answered.result["items"], key=lambda read: read["id"]):
        error = answered.errors.get(read["id"]) or read.get("error")
        if error:
            faults.setdefault(read["status"], []).append(error)
    return [f"{len(errors)} {status}, the first: {errors[0]}" for status, errors in sorted(faults.items())]


def write(output: Path, entries: Mapping[str, Mapping[str, Any]], answered: Sequence[Answered]) -> list[Path]:
    """Writes scores, answers and submission files; returns the submission files.

    Tasks that an earlier run in the same folder scored stay in `scores.json`.
    """
    submissions = []
    for one in answered:
        name = one.task.name.replace(":", "-")
        lines = [
            json_line(_line(item, read, error=one.errors.get(item.id, ""), seen=one.seen.get(item.id, {})))
            for item, read in sorted(zip(one.items, one.result["items"], strict=True), key=lambda pair: pair[0].id)
        ]
        write_text(output / "answers" / f"{name}.jsonl", "\n".join(lines) + "\n")
        if one.task.hidden:
            path = output / f"submission_{name}.json"
            write_mmou(sorted(one.result["items"], key=lambda item: item["id"]), path)
            submissions.append(path)
    tasks = _earlier(output / SCORES) | dict(entries)
    write_text(
        output / SCORES, json.dumps({"tasks": dict(sorted(tasks.items()))}, indent=1, ensure_ascii=False) + "\n"
    )
    return submissions


def _line(item: Item, read: Mapping[str, Any], *, error: str, seen: Mapping[str, Any]) -> dict[str, Any]:
    """An answer as it is written: what `chalkbench score` reads again, and all that a comparison of runs needs.

    status: why there was no reply. outcome: `scored`, or why the answer has no value. gold: released position of the
    right option; with `reference`, its text or the reference text, it is empty where the answer is hidden.
    """
    known = item.options and item.gold >= 0
    return (
        {"id": item.id, "answer": item.reply, "status": item.status}
        | {name: value for name, value in read.items() if name not in ("id", "status")}
        | {
            "outcome": read["status"],
            "question": item.question,
            "n_options": len(item.options),
            "gold": (item.order[item.gold] if item.order else item.gold) if known else None,
            "reference": item.options[item.gold] if known else item.reference,
            "groups": item.groups,
            "error": error or read.get("error", ""),
            "seen": seen,
        }
    )


def check_output(output: Path) -> None:
    """Makes the folder. Raises ChalkbenchError, before hours of work, if the results could not be written there."""
    _earlier(output / SCORES)
    probe = output / ".probe"
    write_text(probe, "")
    probe.unlink()


def _earlier(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8"))["tasks"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ChalkbenchError(
            f"{path} is there but cannot be read ({error}): move it away, or choose another --output"
        ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keeps the libraries' own chatter away; their errors stay, and what we have to say is in our tables."""
    import datasets
    import transformers

    loggers = [logging.getLogger(name) for name in _CHATTY]
    levels = [logger.level for logger in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        transformers.logging.disable_progress_bar()
        datasets.disable_progress_bars()
        try:
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)
            transformers.logging.enable_progress_bar()
            datasets.enable_progress_bars()

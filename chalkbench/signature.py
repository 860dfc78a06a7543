"""Signatures: one line that says exactly how a score was made, as sacrebleu prints one.

What belongs here: what makes a number reproducible, as a record (for `scores.json`) and as a line (under a table).
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import chalkbench
from chalkbench.task import SEED, Task

# Libraries that can change a number: decoding, generation, parsing.
LIBRARIES = ("lighteval", "transformers", "torch", "torchcodec", "datasets", "evaluate")


def record(
    task: Task,
    *,
    release: str,
    n: int,
    n_total: int,
    protocol: str,
    model: str,
    fingerprint: str,
    judge: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    frames: str = "none",
    elsewhere: bool = False,
) -> dict[str, Any]:
    """All that a task's score depends on, as plain values.

    release: SHA-256 of the official files. n of n_total: questions asked, and in the split. fingerprint: of the
    model's weights or code. judge: of `judging.describe`. settings: of the model, e.g. its batch size. frames:
    `frames_hash`. elsewhere: the answers came in a file, so how they were asked for is not known here.
    """
    return {
        "benchmark": task.benchmark,
        "release": release,
        "split": f"{task.config}/{task.split}",
        "n": n,
        "n_total": n_total,
        "evidence": task.evidence.to_dict(),
        "evidence_name": str(task.evidence),
        "options": option_order(task),
        "prompt": prompt_name(task),
        "rule": f"{task.rule}({task.variant})" if task.variant else task.rule,
        "official": task.official,
        "protocol": protocol,
        "judge": dict(judge) if judge else None,
        "model": model,
        "fingerprint": fingerprint,
        "settings": dict(settings or {}),
        "frames": frames,
        "elsewhere": elsewhere,
        "versions": versions(),
    }


def prompt_name(task: Task) -> str:
    """The prompt's hash, marked if its wording is ours: a transcript and a question without options always are."""
    ours = task.evidence.subtitles or not task.evidence.options
    return f"unpublished:{task.prompt.hash}" if ours and task.prompt.published else str(task.prompt)


def option_order(task: Task) -> str:
    """`none` of open questions, `as-released`, `as-answered`, or how they were shuffled and for whom."""
    if task.rule != "option_accuracy":
        return "none"
    if task.option_order in ("as_released", "as_answered"):
        return task.option_order.replace("_", "-")
    return f"{task.option_order}:{SEED}:{task.asked_of or 'any-model'}"


def line(record: Mapping[str, Any]) -> str:
    """The record as one line of `name:value` parts, joined with `|`."""
    n, total = record["n"], record["n_total"]
    parts = {
        "benchmark": record["benchmark"],
        "release": record["release"][:12],
        "split": record["split"],
        "n": str(n) if n == total else f"{n}/{total}",
        "evidence": "as-answered" if record["elsewhere"] else record["evidence_name"],
        "options": record["options"],
        "prompt": "as-answered" if record["elsewhere"] else record["prompt"],
        "rule": record["rule"],
        "protocol": record["protocol"],
        "judge": _judge(record["judge"]),
        "model": "@".join(filter(None, (record["model"], _short(record["fingerprint"])))),
        **{name: str(value) for name, value in record["settings"].items()},
        "frames": "as-answered" if record["elsewhere"] else record["frames"],
        **{name: record["versions"][name] for name in ("chalkbench", "transformers", "torch")},
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def _judge(judge: Mapping[str, Any] | None) -> str:
    """`id,settings,prompt:hash`."""
    return f"{judge['judge']},{judge['settings']},prompt:{judge['prompt_hash']}" if judge else "none"


def _short(fingerprint: str) -> str:
    """12 digits of a commit or a hash; any other name of a version as it is."""
    return fingerprint[:12] if len(fingerprint) >= 40 else fingerprint


def frames_hash(seen: Iterable[tuple[str, Sequence[int]]]) -> str:
    """12 hex digits over which frames of which question were shown; `none` if no frame was.

    seen: (id of the question, positions of its frames in the file), in any order.
    """
    shown = sorted((id, list(indices)) for id, indices in seen if indices)
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:12] if shown else "none"


def versions() -> dict[str, str]:
    """{library: version}, ours first; `-` for what is not installed."""
    found = {"chalkbench": chalkbench.__version__}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "-"
    return found

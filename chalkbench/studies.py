"""What the papers do with answers beside scoring them: kinds of error, and the audit of a matcher.

What belongs here: from files to tables. What does not: the rules (`chalkbench.scoring`).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from chalkbench import answers, commands, results, table
from chalkbench.errors import ChalkbenchError
from chalkbench.files import write_text
from chalkbench.judge import open_judge
from chalkbench.scoring import error_labels, free_response_match


def label_errors(
    path: Path, task: str, *, data: Sequence[Path] | None, judge: str, output: Path | None
) -> Mapping[str, Any]:
    """Asks a judge for the kind of error of every wrong answer in a file, shows the spread and returns it.

    The labels are LEMON's (Figure 6). output: a JSON file for all of it, with the label of each question.
    Raises ChalkbenchError for a task without options.
    """
    [wanted] = commands.chosen(task)[:1]
    if wanted.rule != "option_accuracy":
        raise ChalkbenchError(f"{wanted.name} has no options: errors are labelled where an answer is right or wrong")
    [asked] = commands.with_data([commands.as_released(wanted)], data, media=False)
    items, remarks = commands.matched(asked, answers.read_answers(path), where=str(path))
    read = results.score(items, task=asked.task)["items"]
    wrong = [
        item for item, one in zip(items, read, strict=True) if one["choice"] and ord(one["choice"]) - 65 != item.gold
    ]
    mappings = [
        {
            "reply": item.reply,
            "question": item.question,
            "reference": item.options[item.gold],
            "options": item.options,
            "status": None,
        }
        for item in wrong
    ]
    opened = open_judge(judge, cache=path.with_name(f"{path.stem}.judge.jsonl"))
    stages = error_labels.asking(mappings)
    replies = opened.ask(next(stages))
    try:
        stages.send([reply.text if reply.status is None else None for reply in replies])
    except StopIteration as end:
        verdicts = end.value
    labelled = error_labels.distribution(
        mappings, verdicts, groups=[item.groups.get("subtask") or [] for item in wrong]
    )
    labels = dict(zip((item.id for item in wrong), labelled.pop("labels"), strict=True))
    labelled |= {"judge": opened.id, "labels": labels}
    for remark in remarks:
        table.console().print(f"{wanted.name}: {remark}", highlight=False, markup=False)
    table.console().print(_error_table(labelled, title=f"{wanted.name}: wrong answers by kind, judge {opened.id}"))
    if output is not None:
        write_text(output, json.dumps(labelled, indent=1, ensure_ascii=False) + "\n")
    return labelled


def _error_table(labelled: Mapping[str, Any], *, title: str) -> Table:
    shown = Table("Kind", "Theme", "Answers", "Percent", title=title, title_justify="left")
    for kind in error_labels.ERROR_TYPES:
        share = labelled["shares"][kind.name] if labelled["shares"] else None
        shown.add_row(kind.name, kind.theme, str(labelled["counts"][kind.name]), table.percent(share))
    lost = table.reasons(labelled["not_labelled"]) or "none"
    shown.add_section()
    shown.add_row("labelled", Text(f"not: {lost}"), f"{labelled['n_labelled']} / {labelled['n']}", "")
    return shown


def audit_matcher(path: Path, *, n: int, seed: int) -> None:
    """Compares the free-response matcher with hand labels, and shows the agreement and every disagreement.

    path: JSONL with id, reply, answer, label (right or wrong), and options where there were any.
    Raises ChalkbenchError that names the line and what is wrong with it.
    """
    labelled = [_hand_label(where, value) for where, value in _lines(path)]
    found = free_response_match.audit(
        [one["reply"] for one in labelled], labelled, [one["label"] for one in labelled], n=n, seed=seed
    )
    console = table.console()
    console.print(
        f"{found['n']} replies: the matcher agrees with the labels on {table.percent(found['agreement'])} % "
        f"(Cohen's kappa {found['kappa'] if found['kappa'] is None else round(found['kappa'], 3)}). "
        "VIRA-Bench reports 96.0 % on its 50.",
        highlight=False,
    )
    for one in found["disagreements"]:
        line = labelled[one["index"]]
        console.print(
            f"{line['id']}: label {line['label']}, reply {line['reply']!r}, answer {line['answer']!r}",
            highlight=False,
            markup=False,
        )


def _lines(path: Path) -> list[tuple[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise ChalkbenchError(f"cannot read the labels {path}: {error.strerror}") from error
    read = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                read.append((f"{path}, line {number}", json.loads(line)))
            except ValueError as error:
                raise ChalkbenchError(f"{path}, line {number}: is no JSON ({error})") from error
    if not read:
        raise ChalkbenchError(f"{path}: holds no label; expected a line of JSON with reply, answer and label")
    return read


def _hand_label(where: str, value: Any) -> dict[str, Any]:
    lacking = [name for name in ("reply", "answer", "label") if not isinstance(value, dict) or name not in value]
    if lacking:
        raise ChalkbenchError(f"{where}: {', '.join(lacking)} is missing")
    if value["label"] not in ("right", "wrong"):
        raise ChalkbenchError(f"{where}: label {value['label']!r}: expected right or wrong")
    return {"id": where, "options": [], **value}

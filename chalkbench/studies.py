"""What the papers do with answers beside scoring them: kinds of error, and the audit of a matcher.

What belongs here: from files to tables. What does not: the rules (`chalkbench.scoring`).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from rich.table import Table
from rich.text import Text

from chalkbench import answers, results, table
from chalkbench.errors import ChalkbenchError
from chalkbench.files import write_text
from chalkbench.judge import open_judge
from chalkbench.scoring import error_labels, match_audit
from chalkbench.scoring.outcome import UNPARSED
from chalkbench.selection import as_answered, chosen, matched, with_data


def label_errors(
    path: Path,
    task: str,
    *,
    data: Sequence[Path] | None,
    judge: str,
    judge_tokens: int | None,
    output: Path | None,
) -> Mapping[str, Any]:
    """Asks a judge for the kind of error of every wrong answer in a file, shows the spread and returns it.

    The labels are LEMON's (Figure 6). output: a JSON file for all of it, with the label of each question.
    Raises ChalkbenchError for a task without options.
    """
    wanted, *others = chosen(task)
    if others:
        raise ChalkbenchError(f"{task} is {1 + len(others)} tasks: errors are labelled for one, such as {wanted.name}")
    if wanted.hidden:
        raise ChalkbenchError(f"{wanted.name}: its answers are hidden, so nobody here knows which are wrong")
    if wanted.rule != "option_accuracy":
        raise ChalkbenchError(f"{wanted.name} has no options: errors are labelled where an answer is right or wrong")
    given = answers.read_answers(path)
    [asked] = with_data([as_answered(wanted, given)], data, media=False)
    items, remarks = matched(asked, given, where=str(path))
    read = results.score(items, task=asked.task)["items"]
    wrong = [item for item, one in zip(items, read, strict=True) if _is_wrong(one, item.gold)]
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
    opened = open_judge(judge, cache=path.with_name(f"{path.stem}.judge.jsonl"), max_tokens=judge_tokens)
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


def _is_wrong(read: Mapping[str, Any], gold: int) -> bool:
    """A wrong option, or a reply in which none can be read: that is an error of form (section 4.3, iv)."""
    if read["choice"] is None:
        return read["status"] == UNPARSED
    return ascii_uppercase.index(read["choice"]) != gold


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

    path: JSONL as `match_audit.read_labelled` takes it. Raises ChalkbenchError that says what is wrong with it.
    """
    try:
        labelled = match_audit.read_labelled(path.read_text(encoding="utf-8-sig").split("\n"))
    except OSError as error:
        raise ChalkbenchError(f"cannot read the labels {path}: {error.strerror}") from error
    except ValueError as error:
        raise ChalkbenchError(f"{path}: {error}") from error
    if not labelled:
        raise ChalkbenchError(f"{path}: holds no label; expected a line of JSON with id, reply, answer and label")
    found = match_audit.audit(
        [one["reply"] for one in labelled],
        labelled,
        [one["label"] for one in labelled],
        ids=[one["id"] for one in labelled],
        n=n,
        seed=seed,
    )
    kappa = "-" if found["kappa"] is None else f"{found['kappa']:.3f}"
    console = table.console()
    console.print(
        f"{found['n']} of {found['n_available']} replies: the matcher agrees with the labels on "
        f"{table.percent(found['agreement'])} % ({table.interval(found['interval'])}), Cohen's kappa {kappa}. "
        "VIRA-Bench reports 96.0 % on its 50.",
        highlight=False,
        soft_wrap=True,
    )
    for one in found["disagreements"]:
        console.print(
            f"{one['id']}: label {one['label']}, matcher {one['matcher']} ({one['rule']}); reply {one['reply']!r}, "
            f"answer {one['answer']!r}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )

"""The report as one HTML page that needs nothing else: tables, pictures, and a browser of the questions.

What belongs here: what is handed to the template. What does not: how the page looks (`templates/`). Everything that
comes from data is escaped: by the template where it is text of the page, and as JSON that holds no `<` where the
page's script reads it. The page's policy lets no script run but its own, and nothing be fetched.
"""

import base64
import hashlib
import importlib.resources
import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from chalkbench import __version__
from chalkbench.report import figures, items, pictures
from chalkbench.report.items import LONGEST, Asked
from chalkbench.report.reading import Run
from chalkbench.report.shapes import Column
from chalkbench.report.tables import BenchmarkTable, Cell, Row
from chalkbench.scoring.aggregate import OVERALL

_OPTION = 400  # characters of an option on the page


def text(runs: Sequence[Run], tables: Sequence[BenchmarkTable], *, data: Sequence[Path] | None, most: int) -> str:
    """The page.

    data: layouts, for the text of the questions. most: how many questions its browser holds at most. Raises
    ChalkbenchError for answers that cannot be read.
    """
    rows, asked = items.read(runs, tables, data=data)
    chosen = items.most_telling(asked, most)
    titles = {table.benchmark: table.title for table in tables}
    script = _template("report.js")
    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return made.from_string(_template("report.html.j2")).render(
        version=__version__,
        tables=tables,
        overall=OVERALL,
        overview=figures.overview(tables),
        pictures={table.benchmark: pictures.pictures(table, rows, asked) for table in tables},
        spans=_spans,
        figures=figures,
        cell=Cell,
        markup=Markup,
        legend=figures.LEGEND,
        sample=any(row.sample for table in tables for row in table.own),
        flags=items.FLAGS,
        tasks=list(dict.fromkeys((one.benchmark, titles[one.benchmark], one.task) for one in chosen)),
        n_items=len(asked),
        n_shown=len(chosen),
        with_questions=any(one.question for one in chosen),
        longest=LONGEST,
        style=Markup(_template("report.css")),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=Markup(
            _json(
                {"rows": [_row(row) for row in rows], "items": [_item(one, titles[one.benchmark]) for one in chosen]}
            )
        ),
    )


def _template(name: str) -> str:
    return (importlib.resources.files("chalkbench.report") / "templates" / name).read_text(encoding="utf-8")


def _spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """Headings over the columns, and how many each spans."""
    return [(group, len(list(members))) for group, members in groupby(columns, key=lambda column: column.group)]


def _json(value: Any) -> str:
    """JSON that can stand in a script element: nothing in it ends the element, or opens a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _row(row: Row) -> Mapping[str, str]:
    return {"name": row.name, "condition": row.condition}


def _item(one: Asked, title: str) -> Mapping[str, Any]:
    """A question as the page's script reads it; long texts are cut."""
    return {
        "benchmark": one.benchmark,
        "title": title,
        "task": one.task,
        "subtask": one.subtask,
        "id": one.id,
        "question": _cut(one.question),
        "options": [_cut(option, _OPTION) for option in one.options],
        "gold": one.gold,
        "answer": _cut(one.answer),
        "flags": one.flags,
        "replies": [
            {
                "row": reply.row,
                "text": _cut(reply.item.reply),
                "label": reply.item.label if len(reply.item.label) == 1 else "",
                "place": reply.item.choice,
                "value": None if reply.item.value is None else round(100 * reply.item.value, 2),
                "right": reply.right,
                "status": reply.item.status,
                "rule": reply.item.rule,
                "error": _cut(reply.item.error, _OPTION),
            }
            for reply in one.replies
        ],
    }


def _cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text)} characters)"

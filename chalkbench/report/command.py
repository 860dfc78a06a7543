"""The command `chalkbench report`: its arguments, and the steps from results folders to a document.

What belongs here: the order of the steps. What does not: tables, pictures and formats (the neighbours of this
module), which are imported where they are needed.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Format(StrEnum):
    """The formats of a report."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    HTML = "html"
    LATEX = "latex"
    JSON = "json"


_SUFFIXES = {
    ".md": Format.MARKDOWN,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".tex": Format.LATEX,
    ".json": Format.JSON,
}


def report(
    results: Annotated[list[Path], typer.Argument(help="Folders that `chalkbench eval` or `score` wrote to.")],
    format: Annotated[
        Format | None, typer.Option(help="Default: by the name of --output, else terminal.", case_sensitive=False)
    ] = None,
    output: Annotated[Path | None, typer.Option(help="File for the report. Default: standard output.")] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(help="Layouts, for the questions of the items in HTML; can be given several times."),
    ] = None,
    published: Annotated[bool, typer.Option(help="Show the papers' rows beside yours.")] = True,
    items: Annotated[int, typer.Option(min=0, help="HTML: at most so many questions in the browser of items.")] = 500,
) -> None:
    """Show results in the shape of the papers' tables, beside the published ones."""
    from chalkbench.run import quiet

    if format is None:
        format = _SUFFIXES.get(output.suffix.lower(), Format.TERMINAL) if output else Format.TERMINAL
    with quiet():
        write(results, format=format, output=output, data=data, published=published, items=items)


def write(
    places: Sequence[Path],
    *,
    format: Format,
    output: Path | None,
    data: Sequence[Path] | None,
    published: bool,
    items: int,
) -> None:
    """Makes the report of results folders and writes it to a file, None = to standard output.

    data, items: as the command's options of that name. Raises ChalkbenchError for results that cannot be read.
    """
    from chalkbench.files import write_text
    from chalkbench.report.reading import read_runs
    from chalkbench.report.tables import tables
    from chalkbench.tasks import all_tasks

    runs = read_runs(places)
    made = tables(runs, all_tasks(), with_published=published)
    if format is Format.TERMINAL and output is None:
        from chalkbench.report import terminal
        from chalkbench.table import console

        terminal.show(made, console())
        return
    if format is Format.HTML:
        from chalkbench.report import page

        text = page.text(runs, made, data=data, most=items)
    else:
        text = _TEXTS[format](made)
    text = text.encode("utf-8", "backslashreplace").decode()  # halves of characters, which no file can hold
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)
        print(f"report: {output}")


def _terminal(tables: Sequence[Any]) -> str:
    import io

    from rich.console import Console

    from chalkbench.report import terminal

    plain = Console(file=io.StringIO(), width=160, emoji=False)
    terminal.show(tables, plain)
    return plain.file.getvalue()


def _markdown(tables: Sequence[Any]) -> str:
    from chalkbench.report import markdown

    return markdown.text(tables)


def _latex(tables: Sequence[Any]) -> str:
    from chalkbench.report import latex

    return latex.text(tables)


def _json(tables: Sequence[Any]) -> str:
    """All that the tables hold; scores and intervals are shares of the highest score."""
    value = {"benchmarks": {table.benchmark: asdict(table) for table in tables}}
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


_TEXTS: dict[Format, Callable[[Sequence[Any]], str]] = {
    Format.TERMINAL: _terminal,
    Format.MARKDOWN: _markdown,
    Format.LATEX: _latex,
    Format.JSON: _json,
}

"""The command `chalkbench compare`: its arguments, and the steps from names to a document.

What belongs here: the order of the steps. What does not: comparing (`comparing.py`) and formats
(`text.py`), which are imported where they are needed.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """The formats of a comparison."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    JSON = "json"


def compare(
    results: Annotated[
        list[str],
        typer.Argument(help="Results to compare: FOLDER, or FOLDER:TASK for conditions of one benchmark."),
    ],
    data: Annotated[
        list[Path] | None,
        typer.Option(help="Layouts, for groups by duration and place of the evidence; can be given several times."),
    ] = None,
    by: Annotated[str, typer.Option(help="Groupings, joined with commas. Default: all.")] = "",
    all_pairs: Annotated[bool, typer.Option(help="Compare all pairs, not the first with each other one.")] = False,
    protocol: Annotated[str | None, typer.Option(help="strict or answered. Default: that of the results.")] = None,
    test: Annotated[str, typer.Option(help="McNemar's test: exact, chi2 or chi2_corrected.")] = "exact",
    family: Annotated[
        str,
        typer.Option(help="Tests that Holm's adjustment is over: of one grouping, of one task and grouping, or all."),
    ] = "grouping",
    items: Annotated[int, typer.Option(min=0, help="At most so many changed questions a task and pair.")] = 10,
    format: Annotated[Format, typer.Option(help="How it is written.", case_sensitive=False)] = Format.TERMINAL,
    output: Annotated[Path | None, typer.Option(help="File to write to. Default: standard output.")] = None,
) -> None:
    """Compare results question by question: models on one task, or conditions of one model."""
    from chalkbench.compare import comparing, text
    from chalkbench.files import write_text
    from chalkbench.run import quiet
    from chalkbench.table import console

    with quiet():
        found = comparing.compare(
            results,
            data=data,
            by=[name.strip() for name in by.split(",") if name.strip()],
            all_pairs=all_pairs,
            protocol=protocol,
            test=test,
            family=family,
            items=items,
        )
    if format is Format.TERMINAL and output is None:
        text.show(found, console())
        return
    written = {
        Format.TERMINAL: text.plain_text,
        Format.MARKDOWN: text.markdown_text,
        Format.JSON: text.json_text,
    }[format](found)
    if output is None:
        sys.stdout.write(written)
    else:
        write_text(output, written)
        print(f"comparison: {output}")

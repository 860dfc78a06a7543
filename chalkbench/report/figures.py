"""How numbers and counts are written in every format: percent, intervals, coverage, notes.

What belongs here: values to words. What does not: the marks of a format (bold, cells, escapes).
"""

from collections.abc import Iterable, Mapping

from chalkbench.report.tables import BenchmarkTable, Cell, Row, Scored

NONE = "-"
LEGEND = (
    "In percent of the highest score. Ranges are Wilson 95 % intervals; a mean of means has none. Best: the highest "
    "of your own rows, whole ones alone. Rows of a paper are published figures, as printed there: they are in no "
    "comparison and in no statistic. ~ marks a score of a part of the questions; † a figure that does not follow "
    "from the paper's other figures."
)


def value(cell: Cell | None) -> str:
    """`62.50`, the printed digits, or `-`; with `~` if partial and `†` if the paper contradicts itself."""
    if cell is None or (cell.value is None and not cell.printed):
        return NONE
    number = cell.printed or f"{100 * cell.value:.2f}"
    return f"{number}{'~' if cell.partial else ''}{'†' if cell.defect else ''}"


def interval(cell: Cell | Scored | None, *, digits: int = 1) -> str:
    """`34.2–74.2`, or nothing."""
    if cell is None or cell.interval is None:
        return ""
    return "–".join(f"{100 * bound:.{digits}f}" for bound in cell.interval)


def source(row: Row) -> str:
    """Whose row it is."""
    return f"paper, {row.published}" if row.published else "own"


def condition(row: Row) -> str:
    """The condition, and whether it was made on a sample."""
    return f"{row.condition} (sample)" if row.sample else row.condition


def reasons(counts: Mapping[str, int]) -> str:
    """`unparsed 3, media_missing 1`."""
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def asked(scored: Scored) -> str:
    """`20 / 20`, or `18 / 20, of 1322` where not every question was asked."""
    text = f"{scored.n_scored} / {scored.n}"
    return text if scored.n == scored.n_total else f"{text}, of {scored.n_total}"


def beside(scored: Scored) -> str:
    """What the rule reports beside its score."""
    return ", ".join(f"{name} {number:.4g}" for name, number in scored.beside.items())


def given(scored: Scored) -> str:
    """What the model was really given: frames, seconds of sound, subtitles, cut replies, notes."""
    seen = scored.coverage
    if not seen:
        return scored.evidence
    frames = seen["frames"]
    parts = [scored.evidence]
    if frames["most"]:
        least, most = frames["least"], frames["most"]
        parts.append(f"{most} frames" if least == most else f"{least} to {most} frames")
    if seen["audio_seconds_available"]:
        parts.append(f"{seen['audio_seconds']:g} of {seen['audio_seconds_available']:g} s of sound")
    if seen["with_subtitles"]:
        parts.append(f"subtitles with {seen['with_subtitles']}")
    if seen["cut_replies"]:
        parts.append(f"{seen['cut_replies']} replies cut off")
    parts += [f"{note}: {count}" for note, count in seen["notes"].items()]
    return "; ".join(parts)


def judge(scored: Scored) -> str:
    """Who judged and how, or nothing."""
    if not scored.judge:
        return ""
    return ", ".join(
        f"{name.replace('_', ' ')} {scored.judge[name]}" if name != "judge" else str(scored.judge[name])
        for name in ("judge", "settings", "prompt_hash")
        if scored.judge.get(name) not in (None, "", "-")
    )


def overview(tables: Iterable[BenchmarkTable]) -> dict[tuple[str, str], dict[str, Row]]:
    """{(model, condition, marked if a sample): {benchmark: its row}} of the user's rows."""
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for table in tables:
        for row in table.own:
            found.setdefault((row.name, condition(row)), {})[table.benchmark] = row
    return found

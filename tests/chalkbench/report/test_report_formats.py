"""The report's formats: the same numbers in each, marked the same, and text from data that stays text."""

import json
import re
import shutil
import subprocess

import pytest

FORMATS = ("terminal", "markdown", "latex", "json", "html")


@pytest.fixture
def text(cli, results):
    """The report in a format, on all results or those named."""

    def make(format: str, *names: str, more: tuple[str, ...] = ()) -> str:
        code, out, err = cli("report", *([results / name for name in names] or [results]), "--format", format, *more)
        assert code == 0, err
        return out

    return make


@pytest.mark.parametrize("format", FORMATS)
def test_scores_intervals_counts_and_signatures_are_there(text, entries, format):
    shown = " ".join(text(format, "one").split())
    for task, entry in entries("one").items():
        result = entry["result"]
        if format == "json":
            assert f'"signature": {json.dumps(entry["signature"], ensure_ascii=False)}' in shown
            continue
        assert entry["signature"] in shown
        value = f"{100 * result[result['main']] / result['top']:.2f}"
        assert value in shown or format == "latex", task
        if result["interval"] and not task.startswith(("lemon", "video_mmlu")):
            low, high = (f"{100 * bound:.1f}" for bound in result["interval"])
            dash = "--" if format == "latex" else "–"
            assert f"{low}{dash}{high}" in shown, task
        assert f"{result['n_scored']} / {result['n']}" in shown


def test_json_holds_the_results_digit_by_digit(text, entries):
    tables = json.loads(text("json"))["benchmarks"]
    for name, folder in (("random:1", "one"), ("random:2", "two")):
        for benchmark in ("vira_bench", "mmou"):
            result = entries(folder)[benchmark]["result"]
            row = next(row for row in tables[benchmark]["rows"] if row["name"] == name)
            assert row["cells"]["overall"]["value"] == result["accuracy"]
            assert row["cells"]["overall"]["interval"] == result["interval"]
            assert row["tasks"][0]["not_scored"] == result["not_scored"]


def test_markdown_bolds_the_best_of_the_user_s_rows_and_no_published_one(text, made):
    table = made()["vira_bench"]
    section = text("markdown").partition("## VIRA-Bench")[2].partition("What the scores rest on")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    assert len(lines) == len(table.rows)
    for line, row in zip(lines, table.rows, strict=True):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)][4:-1]
        for cell, column in zip(cells, table.columns, strict=True):
            assert cell.startswith("**") == bool(column.key in row.cells and row.cells[column.key].best)
        assert ("| paper, Table" in line or "| *paper, Table" in line) == bool(row.published)


def test_plain_text_marks_the_best_with_a_sign(text, made):
    best = {f"{100 * cell.value:.2f}" for row in made()["mmou"].own for cell in row.cells.values() if cell.best}
    shown = text("terminal").partition("MMOU: the shape")[2]
    assert best and all(f"> {value}" in shown for value in best)


@pytest.mark.parametrize("format", FORMATS)
def test_published_rows_are_marked_and_can_be_left_out(text, format):
    assert "Gemini 3 Pro" in text(format, "two")
    assert "Gemini 3 Pro" not in text(format, "two", more=("--no-published",))
    if format != "json":
        assert "paper, Table 2" in text(format, "two")


@pytest.mark.parametrize("format", FORMATS)
def test_partial_and_sample_results_are_marked(text, format):
    shown = text(format, "part")
    if format == "json":
        row = json.loads(shown)["benchmarks"]["lemon"]["rows"][0]
        assert row["sample"] and row["partial"] and row["cells"]["overall"]["partial"]
    else:
        assert "sample" in shown and "in part" in shown
        assert re.search(r"\d(\\?~|\\textasciitilde)", shown)


def test_markdown_holds_no_markup_of_the_data(text):
    shown = text("markdown", "hostile")
    rows = [line for line in shown.splitlines() if "evil" in line and line.startswith("|")]
    assert rows
    for line in rows:
        assert "<i>" not in line and r"\|" in line and r"\_" in line
        assert len(re.findall(r"(?<!\\)\|", line)) == len(re.findall(r"(?<!\\)\|", _head(shown, line)))


def _head(text: str, line: str) -> str:
    """The heading of the table that a line is in."""
    lines = text.splitlines()
    at = lines.index(line)
    while lines[at - 1].startswith("|"):
        at -= 1
    return lines[at]


def test_latex_escapes_the_data(text):
    shown = text("latex", "hostile")
    rows = [line for line in shown.splitlines() if "evil" in line and not line.startswith("%")]
    assert rows
    for line in rows:
        assert r"\textless{}i\textgreater{}M \& \$x\_1\$\textbar{}\textbackslash{}evil\%`" in line


def test_latex_has_as_many_cells_in_every_row(text):
    for body in re.findall(r"\\begin\{tabular\}\{l+r+\}(.*?)\\end\{tabular\}", text("latex"), flags=re.DOTALL):
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        widths = set()
        for line in rows:
            spans = [int(count) - 1 for count in re.findall(r"\\multicolumn\{(\d+)\}", line)]
            widths.add(len(re.findall(r"(?<!\\)&", line)) + sum(spans))
        assert len(rows) > 2 and len(widths) == 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
def test_latex_compiles(text, tmp_path):
    tables = text("latex", more=("--no-published",))
    page = "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n" + tables
    (tmp_path / "page.tex").write_text(page + "\\end{document}\n")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_format_follows_the_file_s_name(cli, results, tmp_path):
    code, out, _ = cli("report", results / "two", "--output", "made/report.md")
    assert (code, out) == (0, "report: made/report.md\n")
    assert (tmp_path / "made" / "report.md").read_text().startswith("# Results\n")


def test_a_folder_without_results_is_one_line_of_error(cli, tmp_path):
    code, _, err = cli("report", tmp_path)
    assert code == 1 and err.startswith("chalkbench: ") and "holds no scores.json" in err and err.count("\n") == 1

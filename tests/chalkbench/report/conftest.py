"""Results to report on: random answers to all samples, and hostile ones."""

import json
from pathlib import Path

import pytest

from chalkbench.benchmarks.layout import open_layout, read_rows

HOSTILE = "</script><img src=x onerror=\"document.title='taken'\"><b>"
HOSTILE_NAME = "<i>M & $x_1$|\\evil%`</i>"


def run(*arguments: str | Path) -> None:
    from chalkbench.cli import main

    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    assert end.value.code == 0


@pytest.fixture(scope="session")
def results(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results folders: `one` and `two`, random models, `part`, of two questions, `hostile`, replies."""
    folder = tmp_path_factory.mktemp("results")
    run(
        *("eval", "random:1", "lemon,video_mmlu,instructionbench,instructionbench_blind,vira_bench,mmou"),
        *("--data", sample_data, "--output", folder / "one", "--judge", "stand_in"),
    )
    run("eval", "random:2", "lemon:SP,vira_bench,mmou", "--data", sample_data, "--output", folder / "two")
    run("eval", "random:3", "lemon:SP,vira_bench", "--limit", "2", "--data", sample_data, "--output", folder / "part")
    layout = open_layout(sample_data / "vira_bench")
    ids = read_rows(layout, "default", "test")["id"]
    answers = folder / "answers.jsonl"
    lines = [{"id": id, "answer": HOSTILE if place % 2 else f"A {HOSTILE}"} for place, id in enumerate(ids)]
    answers.write_text("\n".join(map(json.dumps, lines)))
    run(
        *("score", answers, "vira_bench", "--data", sample_data),
        *("--name", HOSTILE_NAME, "--output", folder / "hostile"),
    )
    return folder


@pytest.fixture(scope="session")
def entries(results: Path):
    """The entries of `scores.json` of one of the folders."""
    return lambda name: json.loads((results / name / "scores.json").read_text())["tasks"]


@pytest.fixture(scope="session")
def made(results: Path):
    """{benchmark: its table} of all the results, or of those named."""
    from chalkbench.report.reading import read_runs
    from chalkbench.report.tables import tables
    from chalkbench.tasks import all_tasks

    def make(*names: str, **settings):
        places = [results / name for name in names] if names else [results]
        return {table.benchmark: table for table in tables(read_runs(places), all_tasks(), **settings)}

    return make

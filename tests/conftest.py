"""Fixtures that tests of several rooms share. Each is made when first asked for."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

# no test is timed: a busy machine is no fault
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

FIXTURES = Path(__file__).parent / "fixtures"
ROOT = Path(__file__).parent.parent
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "NO_COLOR": "1"}


def _fixture_module(name: str):
    spec = importlib.util.spec_from_file_location(f"chalkbench_fixtures_{name}", FIXTURES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def fixture_module():
    """A module of tests/fixtures by its name."""
    return _fixture_module


@pytest.fixture(scope="session")
def media():
    """tests/fixtures/media.py: how clips are made, and how the number in a frame is read."""
    return _fixture_module("media")


@pytest.fixture(scope="session")
def clips(media, tmp_path_factory):
    """Small media files by name: `clips["plain.mp4"]` is the path of one."""
    return media.Clips(tmp_path_factory.mktemp("clips"))


@pytest.fixture(scope="session")
def sample_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the layouts of all samples that `chalkbench.tasks` uses. Not to be changed."""
    from chalkbench.benchmarks.layout import build

    data = tmp_path_factory.mktemp("data")
    for name in ("lemon", "video_mmlu", "instructionbench", "vira_bench", "mmou"):
        build(name, release=ROOT / "benchmarks" / name / "sample", to=data / name)
    return data


@pytest.fixture
def chalkbench(tmp_path: Path):
    """Runs `chalkbench …` in a process of its own, in an empty folder; returns the finished process."""

    def run(*arguments: str | Path, timeout: float = 120, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "chalkbench", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | ENVIRONMENT | environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory):
    """Folder of a tiny random model by kind, as `tiny_model("qwen3_vl")`; the kinds: tests/fixtures/tiny_models.py."""
    folders: dict[str, Path] = {}

    def build(kind: str) -> Path:
        if kind not in folders:
            folders[kind] = tmp_path_factory.mktemp("models") / kind
            _fixture_module("tiny_models").BUILDERS[kind](folders[kind])
        return folders[kind]

    return build


@pytest.fixture
def cli(capsys, tmp_path: Path, monkeypatch):
    """Runs `chalkbench …` in this process, which is much faster, in an empty folder: (exit code, stdout, stderr)."""
    from chalkbench.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CHALKBENCH_DATA", raising=False)

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return end.value.code, captured.out, captured.err

    return run

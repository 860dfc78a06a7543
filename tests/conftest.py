"""Fixtures that tests of several rooms share. Each is made when first asked for."""

import importlib.util
from pathlib import Path

import hypothesis
import pytest

# no test is timed: a busy machine is no fault
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

FIXTURES = Path(__file__).parent / "fixtures"


def _fixture_module(name: str):
    spec = importlib.util.spec_from_file_location(f"chalkbench_fixtures_{name}", FIXTURES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def media():
    """tests/fixtures/media.py: how clips are made, and how the number in a frame is read."""
    return _fixture_module("media")


@pytest.fixture(scope="session")
def clips(media, tmp_path_factory):
    """Small media files by name: `clips["plain.mp4"]` is the path of one."""
    return media.Clips(tmp_path_factory.mktemp("clips"))

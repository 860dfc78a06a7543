import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for `releases`

from releases import make_clip


@pytest.fixture(scope="session")
def clip(tmp_path_factory) -> Path:
    """One second of picture and tone."""
    return make_clip(tmp_path_factory.mktemp("clips") / "clip.mp4")


@pytest.fixture(scope="session")
def silent_clip(tmp_path_factory) -> Path:
    """One second of picture, without an audio track."""
    return make_clip(tmp_path_factory.mktemp("clips") / "silent.mp4", audio=False)

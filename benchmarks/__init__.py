"""The benchmarks as datasets: the row, the layout, and a folder a benchmark.

What belongs here: how an official release becomes rows and media. What does not: prompts, scores and models.
"""

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from chalkbench.errors import ChalkbenchError


def names() -> list[str]:
    """The known benchmarks: the folders here that hold a `builder.py`."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/builder.py"))


def load_builder(benchmark: str) -> Any:
    """The benchmark's builder class. Raises ChalkbenchError naming the known benchmarks."""
    if benchmark not in names():
        near = get_close_matches(benchmark, names(), n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise ChalkbenchError(f"no benchmark {benchmark!r}. {hint}Known are {', '.join(names())}.")
    return import_module(f"chalkbench.benchmarks.{benchmark}.builder").BUILDER

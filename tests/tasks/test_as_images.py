"""Frames as pictures: what lies in `Doc.images`, and what is refused."""

import shutil

import pytest
from lighteval.tasks.lighteval_task import LightevalTask

from chalkbench.benchmarks.layout import open_layout, read_rows
from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.tasks import as_images, mmou
from chalkbench.tasks.config import lighteval_config

TASK = next(task for task in mmou.TASKS if task.as_images).given(Evidence(frames="uniform:3", size=64))


def documents(folder, task=TASK):
    task = LightevalTask(lighteval_config(task, open_layout(folder)))
    LightevalTask.load_datasets({task.full_name: task})
    return task.get_docs(6)


def test_each_question_has_its_frames(sample_data):
    for doc in documents(sample_data / "mmou"):
        assert len(doc.images) == 3
        assert all(image.mode == "RGB" and max(image.size) == 64 for image in doc.images)
        assert len({image.tobytes() for image in doc.images}) > 1
        assert doc.specific["status"] == ""


def test_a_video_that_cannot_be_read_keeps_its_questions_unscored(sample_data, tmp_path):
    shutil.copytree(sample_data / "mmou", tmp_path / "mmou")
    for number, path in enumerate(sorted((tmp_path / "mmou" / "videos").rglob("*.mp4"))):
        if number % 2:
            path.unlink()
        else:
            path.write_bytes(b"no video")
    docs = documents(tmp_path / "mmou")
    assert {doc.specific["status"] for doc in docs} == {"media_missing", "decode_error"}
    assert all(len(doc.images) == 1 for doc in docs)


def test_what_would_fill_the_memory_is_refused_before_a_frame_is_decoded(sample_data):
    rows = read_rows(open_layout(sample_data / "mmou"), "test")
    with pytest.raises(ChalkbenchError) as fault:
        as_images.check_size(rows, task=TASK, root=sample_data / "mmou", limit=10_000)
    assert "the frames of 45 questions would take" in str(fault.value)
    assert "chalkbench eval" in str(fault.value) and "limit 0.0 GiB" in str(fault.value)


def test_the_stated_size_is_the_real_one(sample_data):
    rows = read_rows(open_layout(sample_data / "mmou"), "test").select(range(4))
    expected = as_images.check_size(rows, task=TASK, root=sample_data / "mmou")
    made = [as_images.doc(row, task=TASK, root=sample_data / "mmou") for row in rows]
    assert expected == sum(len(image.tobytes()) for doc in made for image in doc.images)


def test_an_unbounded_number_of_frames_is_refused(sample_data):
    rows = read_rows(open_layout(sample_data / "mmou"), "test")
    with pytest.raises(ChalkbenchError, match="use uniform:N"):
        as_images.check_size(rows, task=TASK.given(Evidence(frames="fps:1")), root=sample_data / "mmou")


def test_enlarged_frames_are_counted_at_their_size(sample_data):
    rows = read_rows(open_layout(sample_data / "mmou"), "test")
    own, large = (
        as_images.check_size(rows, task=TASK.given(Evidence(frames="uniform:1", size=size)), root=sample_data / "mmou")
        for size in (640, 1280)
    )
    assert large == 4 * own

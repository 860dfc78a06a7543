import os
import subprocess
import sys
from dataclasses import replace

import pytest

from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.media.subtitles import Cue
from chalkbench.models.journal import Entry, Journal, answer_key, media_state, read_journal
from chalkbench.models.request import Answer, Clip, Seen, Turn


def entry(number: int, text: str = "B") -> Entry:
    return Entry(f"key-{number}", "task|0", f"q{number}", Answer(text, seen=Seen(frame_indices=(number,))))


def write(path, *entries: Entry) -> None:
    with Journal(path) as journal:
        for one in entries:
            journal.append([one])


def test_entries_come_back(tmp_path):
    path = tmp_path / "deep" / "answers.jsonl"
    entries = [entry(1), entry(2, "Überraschung \u2028\x00 „A“"), entry(3, "")]
    write(path, *entries)
    assert list(read_journal(path)) == entries
    with Journal(path) as journal:
        assert journal.get("key-2") == entries[1].answer
        assert journal.get("key-9") is None


def test_the_last_entry_of_a_key_counts(tmp_path):
    path = tmp_path / "answers.jsonl"
    write(path, entry(1, "first"), entry(1, "second"))
    with Journal(path) as journal:
        assert journal.get("key-1").text == "second"


def test_a_kill_at_any_byte_leaves_the_whole_entries_and_a_journal_that_goes_on(tmp_path):
    path = tmp_path / "answers.jsonl"
    entries = [entry(1), entry(2, "ü")]
    write(path, *entries)
    data = path.read_bytes()
    ends = [0, len(entries[0].to_line()), len(data)]
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        whole = sum(end <= size for end in ends) - 1
        assert list(read_journal(path)) == entries[:whole]
        with Journal(path) as journal:
            assert len(journal) == whole
            journal.append([entry(3)])
        assert list(read_journal(path)) == [*entries[:whole], entry(3)]


def test_a_damaged_line_costs_its_own_question_only(tmp_path, caplog):
    path = tmp_path / "answers.jsonl"
    write(path, entry(1), entry(2), entry(3))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"key": "key-2", "answer": null}\n' + b"\xff\x00\n" + lines[2])
    assert [one.id for one in read_journal(path)] == ["q1", "q3"]
    assert "line 2 is damaged" in caplog.text and "line 3 is damaged" in caplog.text


def test_two_runs_cannot_share_a_journal(tmp_path):
    path = tmp_path / "answers.jsonl"
    with Journal(path), pytest.raises(ChalkbenchError, match="another run is using it"):
        Journal(path)
    with Journal(path):
        pass


def test_a_killed_run_leaves_no_lock(tmp_path):
    path = tmp_path / "answers.jsonl"
    code = (
        "import os, signal\nfrom chalkbench.models.journal import Journal\n"
        f"journal = Journal({str(path)!r})\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    write(path, entry(1))


@pytest.mark.parametrize("place", ["a folder", "below a file"])
def test_a_journal_that_cannot_be_written_says_so_at_once(tmp_path, place):
    (tmp_path / "file").touch()
    path = tmp_path if place == "a folder" else tmp_path / "file" / "answers.jsonl"
    with pytest.raises(ChalkbenchError, match=r"cannot write the journal .*Choose another folder"):
        Journal(path)


def test_a_full_disk_keeps_the_answers_before(tmp_path):
    path = tmp_path / "answers.jsonl"
    # the limit on the size of files fails a write in the middle of a line, as a full disk does
    code = f"""
import resource
from chalkbench.errors import ChalkbenchError
from chalkbench.models.journal import Entry, Journal
from chalkbench.models.request import Answer
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
with Journal({str(path)!r}) as journal:
    try:
        for number in range(100):
            journal.append([Entry(f"key-{{number}}", "task|0", f"q{{number}}", Answer("B"))])
    except ChalkbenchError as error:
        print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    entries = list(read_journal(path))
    assert len(entries) > 3
    assert path.read_bytes().endswith(b"\n")
    assert f"The {len(entries)} answers before are kept: make room" in ran.stdout
    write(path, entry(200))
    assert len(list(read_journal(path))) == len(entries) + 1


def test_the_key_covers_all_that_an_answer_depends_on(question, tmp_path):
    video = tmp_path / "a.mp4"
    video.write_bytes(b"first")
    base = question(video=video)
    keys = {answer_key(base, model="m", media=[media_state(base.video)])}
    changes = [
        {"id": "other"}, {"prompt": "?"}, {"question": "?"}, {"options": ("a bar", "a bell")}, {"instruction": "x"},
        {"evidence": Evidence(frames="uniform:8")}, {"evidence": Evidence(frames="uniform:4", size=64)},
        {"cues": (Cue(0, 1, "x"),)}, {"clip_start": 1.0}, {"clip_end": 1.0}, {"asked_at": 1.0}, {"max_new_tokens": 9},
        {"context": "x"}, {"clips": (Clip("x", "a"),)}, {"clips": (Clip("x", "a", 1.0),)},
        {"history": (Turn("p", "r"),)}, {"history": (Turn("p", "s"),)},
        {"stop": ("x",)}, {"temperature": 0.5}, {"top_p": 0.5}, {"top_k": 5},
    ]  # fmt: skip
    for change in changes:
        keys.add(answer_key(replace(base, **change), model="m", media=[media_state(base.video)]))
    keys.add(answer_key(base, model="another", media=[media_state(base.video)]))
    assert len(keys) == len(changes) + 2
    video.write_bytes(b"other")
    os.utime(video, ns=(1, 1))
    keys.add(answer_key(base, model="m", media=[media_state(base.video)]))
    video.unlink()
    keys.add(answer_key(base, model="m", media=[media_state(base.video)]))
    assert len(keys) == len(changes) + 4


def test_the_key_does_not_depend_on_the_task_or_on_what_the_layout_knew(question):
    keys = {
        answer_key(replace(question(), **change), model="m", media=[])
        for change in ({}, {"task": "other|0"}, {"has_audio": True})
    }
    assert len(keys) == 1

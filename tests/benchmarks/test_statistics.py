import io

import datasets
import pytest
from rich.console import Console

from chalkbench.benchmarks import names
from chalkbench.benchmarks.layout import read_rows
from chalkbench.benchmarks.schema import FEATURES, make_row
from chalkbench.benchmarks.statistics import PUBLISHED, Spread, describe, describe_layout, figures, tables, words


def row(number=0, **changes):
    values = {
        "id": f"q{number}",
        "video_path": "videos/a.mp4",
        "duration": 30.0,
        "has_audio": True,
        "question": "What does she do?",
        "options": ["a b", "c d e", "f", "g h"],
        "answer_index": 1,
        "answer": "c d e",
        "task": "OEG",
        "subtask": "AI",
    }
    return make_row(**(values | changes))


def printed(found):
    console = Console(file=io.StringIO(), width=200)
    for table in found:
        console.print(table)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("What does she do?", 4),
        ("  a - b … ", 2),
        ("the well-known don't", 3),
        ("她在 x 写字。", 5),
        ("写x字", 3),
        ("2 + 2 = 4", 3),
        ("", 0),
        ("naïve é", 2),
        ("стр. 5", 2),
    ],
)
def test_words_are_counted_in_any_script(text, count):
    assert words(text) == count


def test_a_clip_that_serves_two_questions_counts_once():
    rows = [
        row(0),
        row(1, subtask="BE"),
        row(2, task="ICR", subtask="CA", video_path="videos/b.mp4", duration=100.0, clip_start=10.0, clip_end=70.5),
        row(3, task="ICR", subtask="CA", video_path="videos/b.mp4", duration=100.0, clip_start=80.0),
        row(4, task="ICR", subtask="CF", video_path="videos/c.mp4", duration=None, has_audio=None),
    ]
    found = describe(rows)
    assert found.videos == 3
    assert found.durations == Spread(2, 65.0, 35.0, 30.0, (47.5, 65.0, 82.5), 100.0)
    assert found.groups["all"].clip_length.n == 3
    assert found.groups["all"].clip_length.mean == pytest.approx((30 + 60.5 + 20) / 3)
    assert found.groups["OEG"].clip_length == Spread(1, 30.0, 0.0, 30.0, (30.0, 30.0, 30.0), 30.0)
    assert found.groups["ICR/CF"].clip_length == Spread(0)
    assert list(found.groups) == ["all", "ICR", "ICR/CA", "ICR/CF", "OEG", "OEG/AI", "OEG/BE"]
    assert [found.groups[name].questions for name in ("all", "OEG", "ICR/CA")] == [5, 2, 2]
    assert found.questions_per_clip == {1: 3, 2: 1}
    assert found.clips_in_window == pytest.approx(2 / 3)
    assert (found.silent, found.unprobed) == (0, 1)
    assert found.duration_groups["under 1 min"] == 1
    assert found.duration_groups["1-5 min"] == 1


def test_lengths_of_texts_and_places_of_answers():
    rows = [
        row(0),
        row(1, question="Why?", options=["x", "y"], answer_index=0),
        row(2, options=[], answer_index=-1, answer="one two three"),
        row(3, options=["picture 1", "picture 2"], option_media=["pictures/p.png", "pictures/q.png"], answer_index=-1),
    ]
    found = describe(rows)
    group = found.groups["all"]
    assert group.question_words == pytest.approx((4 + 1 + 4 + 4) / 4)
    assert group.option_words == pytest.approx((2 + 3 + 1 + 2 + 1 + 1) / 6)  # of single options, not of pictures
    assert group.answer_words == 3
    assert found.option_counts == {0: 1, 2: 2, 4: 1}
    assert found.positions == {"A": 1, "B": 1}
    assert found.pictures == 2


def test_conversations_languages_and_clips_to_order():
    clips = [{"id": str(n), "path": f"videos/{n}.mp4", "start": None, "end": None} for n in range(3)]
    rows = [row(n, session_id="s", turn=n) for n in range(3)]
    rows += [row(5, video_path="", clips=clips), *(row(n, target_language="de") for n in (6, 7))]
    found = describe(rows)
    assert found.sessions == {3: 1}
    assert found.languages == {"de": 2}
    assert found.videos == 4


def test_no_rows_at_all_are_described():
    found = describe([])
    assert found.groups["all"].questions == 0
    assert "vira_bench" in printed(tables(found, benchmark="vira_bench"))


def test_a_dataset_is_described_as_its_rows_are():
    rows = [row(0), row(1, subtask="BE")]
    assert describe(datasets.Dataset.from_list(rows, features=FEATURES)) == describe(rows)


def test_the_papers_surface_complexity_stands_beside_ours():
    rows = [row(0), row(1, task="ICR", subtask="SR", question=" ".join(["word"] * 13))]
    shown = printed(tables(describe(rows), benchmark="vira_bench", title="default"))
    lines = [[cell.strip() for cell in line.strip("│").split("│")] for line in shown.splitlines()]
    assert ["words per question", "ICR", "13.0", "13.0", "section 4.5: ICR's are the shortest"] in lines
    assert ["words per option", "OEG", "2.0", "18.8", "section 4.5"] in lines
    assert ["words per option", "SRM", "-", "19.5", "section 4.5"] in lines
    assert ["questions per clip", "all", "2.0", "1.3", "appendix D"] in lines


def test_names_in_the_data_are_no_markup():
    assert "[red]x" in printed(tables(describe([row(task="[red]x")]), benchmark="mmou"))


def test_published_figures_are_of_known_benchmarks_and_are_all_computed():
    assert PUBLISHED.keys() <= {*names(), "instructionbench"}
    ours = figures(describe([row()]))
    assert {figure for of_one in PUBLISHED.values() for figure in of_one} <= ours.keys()


def test_layouts_are_described_by_config_without_their_media(sample_data, monkeypatch):
    monkeypatch.setattr("chalkbench.media.video.probe", None)
    found = describe_layout(sample_data / "mmou")
    assert list(found) == ["default", "test"]  # both hold the same tasks
    assert found["test"].groups["all"].questions == len(read_rows(sample_data / "mmou", "test"))
    together = describe_layout(sample_data / "video_mmlu")
    assert list(together) == ["quiz, notebook"]
    assert {"quiz", "notebook"} <= together["quiz, notebook"].groups.keys()

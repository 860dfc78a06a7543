"""Results folders as items that can be compared: what is found, what is read, what old answers lack."""

import json

import pytest

from chalkbench.errors import ChalkbenchError
from chalkbench.outcomes import Item, find, read_items, seconds_per_question, tokens_per_frame, values, with_rows
from chalkbench.tasks import all_tasks

LINE = {
    "id": "q1",
    "answer": "B",
    "status": None,
    "choice": "B",
    "option": "the fox",
    "rule": "label",
    "value": 1.0,
    "option_order": [2, 0, 1],
    "released_choice": 0,
    "outcome": "scored",
    "question": "Who jumps?",
    "n_options": 3,
    "gold": 0,
    "reference": "the fox",
    "groups": {"layer": ["OEG"], "subtask": []},
    "error": "",
    "seen": {"frame_indices": [0, 1], "visual_tokens": 64, "seconds": 1.5},
}


def entry(**changed):
    record = {
        **{"benchmark": "vira_bench", "split": "default/test", "release": "r", "rule": "option_accuracy(vira_bench)"},
        **{"model": "m", "protocol": "strict", "judge": None, "n": 1, "n_total": 1, "evidence_name": "fps:1"},
    }
    result = {"main": "accuracy", "top": 1.0, **changed.pop("result", {})}
    return {"result": result, "record": record | changed, "signature": "s", "sample": True}


@pytest.fixture
def folder(tmp_path):
    """A results folder of two tasks."""

    def write(lines, task="vira_bench", **changed):
        scores = tmp_path / "run" / "scores.json"
        scores.parent.mkdir(exist_ok=True)
        tasks = json.loads(scores.read_text())["tasks"] if scores.exists() else {}
        scores.write_text(json.dumps({"tasks": tasks | {task: entry(**changed)}}))
        path = tmp_path / "run" / "answers" / f"{task.replace(':', '-')}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
        return tmp_path / "run"

    return write


def test_an_answer_says_all_that_a_comparison_needs(folder):
    place = folder([LINE])
    [item] = read_items(find(str(place)), "vira_bench").values()
    assert (item.value, item.status, item.reply, item.option) == (1.0, "scored", "B", "the fox")
    assert (item.choice, item.gold) == (0, 0)  # as released
    assert (item.shown, item.gold_shown, item.n_options) == (1, 1, 3)  # as shown: B
    assert (item.question, item.reference) == ("Who jumps?", "the fox")
    assert item.groups == {"layer": ("OEG",), "subtask": ()}


def test_a_grade_becomes_a_share_of_the_highest_one_and_a_reason_stays(folder):
    lines = [
        {"id": "a", "answer": "…", "value": 3.0, "choice": None, "outcome": "scored"},
        {"id": "b", "answer": "", "value": None, "outcome": "judge_failed"},
        {"id": "c", "answer": "", "value": None, "outcome": "unparsed"},
    ]
    place = folder(lines, "lemon:KT", rule="translation_score", result={"main": "score", "top": 10.0})
    items = read_items(find(str(place)), "lemon:KT")
    assert [(item.value, item.status) for item in items.values()] == [
        (0.3, "scored"),
        (None, "judge_failed"),
        (None, "unparsed"),
    ]
    assert values(items, "strict") == {"a": 0.3, "b": None, "c": 0.0}
    assert values(items, "answered") == {"a": 0.3, "b": None, "c": None}


def test_answers_of_before_are_read_and_a_layout_gives_what_they_lack(folder):
    new = ("outcome", "question", "n_options", "gold", "reference", "groups")
    old = {name: value for name, value in LINE.items() if name not in new}
    unread = {"id": "q2", "answer": "hm", "status": None, "choice": None, "rule": "", "value": None}
    place = folder([old, unread])
    items = read_items(find(str(place)), "vira_bench")
    assert (items["q1"].choice, items["q1"].gold, items["q2"].status) == (0, None, "unparsed")
    row = {
        **{"id": "q1", "question": "Who jumps?", "options": ["the fox", "a cow", "a dog"], "answer_index": 0},
        **{"answer": "", "task": "OEG", "subtask": "AI", "duration": 90.0, "clip_start": 20.0, "clip_end": 60.0},
        **{"evidence_start": 50.0, "evidence_end": 58.0},
    }
    task = next(task for task in all_tasks() if task.name == "vira_bench")
    full = with_rows(items, [row, {"id": "not asked"}], task)
    assert (full["q1"].gold, full["q1"].gold_shown, full["q1"].reference) == (0, 1, "the fox")
    groups = {name: list(members) for name, members in full["q1"].groups.items()}
    assert groups == {"duration": ["30-60 s"], "evidence": ["last third"], "layer": ["OEG"], "subtask": ["AI"]}
    assert full["q2"] == items["q2"]


@pytest.mark.parametrize(
    ("changed", "groups"),
    [
        ({}, {"duration": ("1-5 min",)}),
        ({"duration": 29.9}, {"duration": ("under 30 s",)}),
        ({"duration": 1200.0}, {"duration": ("20 min and more",)}),
        ({"duration": None}, {}),
        ({"evidence_start": 0.0, "evidence_end": 20.0}, {"duration": ("1-5 min",), "evidence": ("first third",)}),
        ({"evidence_start": 99.0}, {"duration": ("1-5 min",), "evidence": ("last third",)}),
        ({"evidence_start": 500.0}, {"duration": ("1-5 min",)}),
    ],
)
def test_a_layout_tells_how_long_the_clip_is_and_where_the_answer_lies(changed, groups):
    row = {
        **{"id": "q", "question": "", "options": [], "answer_index": -1, "answer": "", "duration": 100.0},
        **dict.fromkeys(("clip_start", "clip_end", "evidence_start", "evidence_end")),
        **changed,
    }
    assert with_rows({"q": Item("q", 1.0, "scored")}, [row], None)["q"].groups == groups


def test_a_free_response_chooses_among_options_that_were_not_shown(folder):
    line = {**LINE, "option_order": [], "n_options": 0, "gold": None, "choice": "C"}
    [item] = read_items(find(str(folder([line], rule="free_response_match"))), "vira_bench").values()
    assert (item.choice, item.shown, item.gold_shown) == (2, None, None)
    [judged] = read_items(find(str(folder([line], rule="judged_qa_accuracy"))), "vira_bench").values()
    assert judged.choice is None


def test_results_are_named_by_folder_task_set_and_file(folder):
    place = folder([LINE])
    folder([LINE], "lemon:SP")
    assert list(find(str(place)).entries) == ["vira_bench", "lemon:SP"]
    assert find(f"{place}/scores.json").path == place
    assert (find(f"{place}:lemon:SP").path, find(f"{place}:lemon:SP").wanted) == (place, "lemon:SP")
    assert find(f"{place}:lemon").wanted == "lemon"
    named = find(f"{place}/answers/lemon-SP.jsonl")
    assert (named.path, named.wanted, named.model) == (place, "lemon:SP", "m")


def test_a_file_of_scored_answers_can_stand_alone(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"id": "q1", "value": 0, "answer": "A", "choice": "A"}) + "\n\n")
    found = find(str(path))
    assert (found.model, list(found.entries)) == ("mine", ["mine"])
    assert read_items(found, "mine")["q1"].value == 0.0


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["{"], "line 1: is no scored answer"),
        (['"text"\n'], "line 1: is no scored answer"),
        ([{"id": "q1", "answer": "A"}], "chalkbench score"),
        ([{"answer": "A", "value": 1}], "KeyError: 'id'"),
        ([LINE, LINE], "line 2: question q1 stands there twice"),
        ([{**LINE, "value": 7}], "value 7 is not within 0 and 1"),
        ([], "holds no answer"),
    ],
)
def test_answers_that_cannot_be_compared_are_an_error_that_says_where(folder, lines, said):
    place = folder(lines)
    with pytest.raises(ChalkbenchError) as error:
        read_items(find(str(place)), "vira_bench")
    assert said in str(error.value) and "vira_bench.jsonl" in str(error.value)


def test_what_is_not_there_is_an_error_that_says_what_to_give(tmp_path, folder):
    for name in ("nowhere", f"{tmp_path}/nowhere:mmou", str(tmp_path)):
        with pytest.raises(ChalkbenchError, match="give a folder that `chalkbench eval`"):
            find(name)
    place = folder([LINE])
    with pytest.raises(ChalkbenchError, match="it holds the results run: name one of them"):
        find(str(tmp_path))
    (place / "answers" / "vira_bench.jsonl").unlink()
    with pytest.raises(ChalkbenchError, match="score vira_bench again"):
        read_items(find(str(place)), "vira_bench")


def test_time_and_tokens_are_those_that_were_measured():
    seen = {"frame_indices": [0, 1], "visual_tokens": 64, "seconds": 1.5}
    items = [
        Item("a", 1.0, "scored", seen=seen),
        Item("b", 1.0, "scored", seen=seen | {"seconds": 2.5}),
        Item("c", 1.0, "scored"),
    ]
    time, tokens = seconds_per_question(items), tokens_per_frame(items)
    assert (time.n, time.n_measured, time.mean) == (3, 2, 2.0)
    assert time.why == "1 of 3 questions: its answer does not say how long it took"
    assert (tokens.n, tokens.mean, tokens.why) == (2, 32.0, "")
    assert tokens_per_frame([items[2]]).why == "no frame was shown"
    assert seconds_per_question([]).why == "no questions"

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.scoring.match_audit import audit, read_labelled

OPTIONS = ["The teacher points at the word.", "The teacher repeats the question.", "The teacher moves on."]
REFERENCE = {"answer": OPTIONS[0], "options": OPTIONS, "answer_index": 0}
RIGHT, WRONG = "She is pointing at the word.", "She repeats her question."


def line(**changes):
    return json.dumps({"id": "1", "reply": "a", "answer": OPTIONS[0], "options": OPTIONS, "label": "right"} | changes)


def test_agreement_and_kappa_are_those_of_the_table():
    # 24 both right, 24 both wrong, 1 + 1 apart: 96 % as in the paper; chance 0.5, kappa (0.96 - 0.5) / 0.5
    replies = [RIGHT] * 25 + [WRONG] * 25
    labels = ["right"] * 24 + ["wrong"] * 25 + ["right"]
    found = audit(replies, [REFERENCE] * 50, labels)
    assert (found["n"], found["agreement"], found["kappa"]) == (50, 0.96, pytest.approx(0.92))
    assert (found["both_right"], found["both_wrong"], found["only_matcher_right"], found["only_label_right"]) == (
        24,
        24,
        1,
        1,
    )
    assert found["interval"][0] < 0.96 < found["interval"][1]
    assert [(one["id"], one["label"], one["matcher"]) for one in found["disagreements"]] == [
        ("24", "wrong", "right"),
        ("49", "right", "wrong"),
    ]
    assert found["disagreements"][0]["answer"] == OPTIONS[0]


def test_fifty_items_are_drawn_with_a_seed_and_all_if_there_are_no_more():
    replies, labels = [RIGHT, WRONG] * 100, ["wrong", "right"] * 100
    first, again, other = (audit(replies, [REFERENCE] * 200, labels, seed=seed) for seed in (1, 1, 2))
    assert first == again and first["disagreements"] != other["disagreements"]
    assert (first["n"], first["n_available"], first["agreement"]) == (50, 200, 0.0)
    assert audit([RIGHT], [REFERENCE], ["right"])["n"] == 1


def test_kappa_has_no_meaning_where_all_items_are_judged_alike():
    assert audit([RIGHT] * 3, [REFERENCE] * 3, ["right"] * 3)["kappa"] is None
    assert audit([RIGHT] * 3, [REFERENCE] * 3, ["right", "right", "wrong"])["kappa"] is None
    nothing = audit([], [], [])
    assert (nothing["n"], nothing["agreement"], nothing["kappa"]) == (0, None, None)


def test_an_empty_reply_counts_as_wrong():
    found = audit(["", RIGHT], [REFERENCE] * 2, ["wrong", "right"])
    assert (found["agreement"], found["both_wrong"]) == (1.0, 1)


def test_what_cannot_be_audited_is_named():
    with pytest.raises(ValueError, match="right, wrong"):
        audit(["a"], [REFERENCE], ["maybe"])
    with pytest.raises(ValueError, match="1 labels"):
        audit(["a", "b"], [REFERENCE] * 2, ["right"])
    with pytest.raises(ValueError, match="n=0"):
        audit([], [], [], n=0)
    with pytest.raises(ValueError, match="'7' has no reference"):
        audit(["a"], [{"answer": "", "options": [], "answer_index": -1}], ["right"], ids=["7"])


def test_a_file_is_read_line_by_line():
    items = read_labelled([line(), "\n", line(id="2", options=None, label="wrong", answer="x")])
    assert [(item["id"], item["answer_index"], item["options"]) for item in items] == [
        ("1", 0, OPTIONS),
        ("2", -1, []),
    ]
    found = audit(
        [item["reply"] for item in items], items, [item["label"] for item in items], ids=[item["id"] for item in items]
    )
    assert found["n"] == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "line 2 is no JSON"),
        ("[1]", "line 2 is no JSON object"),
        (line(id=2), "line 2: 'id' is 2; give text"),
        (line(reply=None), "line 2: 'reply' is None"),
        (line(label="yes"), "line 2: label 'yes'"),
        (line(answer="Else"), "none of the options"),
        (line(options="A"), "'options' is 'A'"),
        (line(), "id '1' stands on more than one line"),
    ],
)
def test_a_line_that_is_wrong_is_named_with_what_is_wrong(text, says):
    with pytest.raises(ValueError, match=says):
        read_labelled([line(), text])


@given(st.lists(st.tuples(st.sampled_from([RIGHT, WRONG, ""]), st.sampled_from(["right", "wrong"])), max_size=60))
def test_the_counts_make_up_the_sample(pairs):
    found = audit([reply for reply, _ in pairs], [REFERENCE] * len(pairs), [label for _, label in pairs])
    cells = ("both_right", "both_wrong", "only_matcher_right", "only_label_right")
    assert sum(found[cell] for cell in cells) == found["n"] == min(50, len(pairs))
    assert len(found["disagreements"]) == found["only_matcher_right"] + found["only_label_right"]
    assert found["kappa"] is None or -1 <= found["kappa"] <= 1

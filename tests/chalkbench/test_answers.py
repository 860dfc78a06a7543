"""Answers made elsewhere: read, matched by id, and settled where several answered."""

import json

import pytest

from chalkbench.answers import Given, Settled, match, read_answers, vote
from chalkbench.errors import ChalkbenchError

OPTIONS = ["red", "green", "blue", "black"]


def write(path, *records):
    path.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("field", ["answer", "reply", "response"])
def test_the_reply_stands_in_any_of_the_three_fields(tmp_path, field):
    assert read_answers(write(tmp_path / "a.jsonl", {"id": 7, field: "B"})) == [Given("7", "B")]


@pytest.mark.parametrize("text", ["", "None", "NA", "nan", "null"])
def test_strings_survive_as_they_are(tmp_path, text):
    assert read_answers(write(tmp_path / "a.jsonl", {"id": "q", "answer": text}))[0].reply == text


def test_a_reply_with_a_unicode_line_separator_is_one_line(tmp_path):
    assert read_answers(write(tmp_path / "a.jsonl", {"id": "q", "answer": "so\u2028B"}))[0].reply == "so\u2028B"


def test_null_is_an_empty_reply_and_an_object_is_json(tmp_path):
    path = write(tmp_path / "a.jsonl", {"id": "a", "answer": None}, {"id": "b", "answer": {"answer": "C"}})
    assert [given.reply for given in read_answers(path)] == ["", '{"answer": "C"}']


def test_our_own_status_is_kept(tmp_path):
    path = write(tmp_path / "a.jsonl", {"id": "a", "answer": "", "status": "media_missing"})
    assert read_answers(path)[0].status == "media_missing"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no answer"),
        ("{", "line 1: is no JSON"),
        ('{"id": "a", "answer": "B"}\n[1]', "line 2: expected an object"),
        ('{"answer": "B"}', "line 1: field id is missing"),
        ('{"id": "a", "text": "B"}', "none of the fields answer, reply, response"),
        ('{"id": "a", "answer": "", "status": "tired"}', "status 'tired' is no known reason"),
        ('{"id": "a", "answer": "", "status": ["x"]}', "is no known reason"),
        ('{"id": "a", "answer": "A", "option_order": [0, 0]}', "is no order of positions"),
        ('{"id": "a", "answer": "A", "option_order": "10"}', "is no order of positions"),
    ],
)
def test_a_faulty_file_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "a.jsonl"
    path.write_text(content)
    with pytest.raises(ChalkbenchError, match=message):
        read_answers(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ChalkbenchError, match=r"cannot read the answers .*gone\.jsonl: No such file"):
        read_answers(tmp_path / "gone.jsonl")


def test_missing_and_extra_ids_are_named_and_counted():
    settled, remarks = match(
        [Given("a", "A"), Given("x", "B"), Given("y", "B")], dict.fromkeys("abc", OPTIONS), where="f"
    )
    assert settled == {"a": Settled("A"), "b": Settled("", "no_answer"), "c": Settled("", "no_answer")}
    assert remarks == [
        "2 of 3 questions have no answer (b, c)",
        "2 ids are no question of this task, and are left out (x, y)",
    ]


def test_the_same_answer_twice_counts_once_and_is_named():
    settled, remarks = match([Given("a", "A"), Given("a", "A")], {"a": OPTIONS}, where="f")
    assert settled == {"a": Settled("A")}
    assert remarks == ["1 answers stand there twice, and count once (a)"]


def test_two_different_answers_of_one_answerer_are_refused():
    with pytest.raises(ChalkbenchError, match=r"1 questions have two different answers \(a\)"):
        match([Given("a", "A"), Given("a", "B")], {"a": OPTIONS}, where="f")


def test_answers_to_another_benchmark_are_refused():
    with pytest.raises(ChalkbenchError, match=r"none of its 1 ids is a question of this task \(x\)"):
        match([Given("x", "A")], {"a": OPTIONS}, where="f")


def three(*replies):
    return [
        Given("a", reply, answerer) for reply, answerer in zip(replies, ("ann", "bob", "eve", "dan"), strict=False)
    ]


@pytest.mark.parametrize(
    ("replies", "settled"),
    [
        (("A", "B", "A"), Settled("A", None, "vote")),
        (("A", "(A)", "C"), Settled("A", None, "vote")),
        (("A", "B", "C"), Settled("", "unparsed", "tie")),
        (("A", "B", "A", "B"), Settled("", "unparsed", "tie")),
        (("A", "no idea", "well"), Settled("A", None, "vote")),
        (("what", "no idea", "well"), Settled("", "unparsed", "vote")),
    ],
)
def test_several_answerers_are_settled_by_majority(replies, settled):
    assert match(three(*replies), {"a": OPTIONS}, where="f")[0] == {"a": settled}


def test_a_vote_is_over_choices_not_over_spellings():
    assert vote(three("B", "The answer is B.", "A"), OPTIONS).reply == "B"


def test_a_vote_without_options_is_refused():
    with pytest.raises(ChalkbenchError, match="no options: a majority vote needs options"):
        match(three("yes", "no"), {"a": []}, where="f")


def test_a_shuffled_answer_keeps_its_order_and_votes_for_the_released_option():
    options = {"q": ["lamp", "bell", "rope"]}
    (settled, _) = match([Given("q", "A", order=(2, 0, 1))], options, where="file")
    assert settled["q"].order == (2, 0, 1) and settled["q"].reply == "A"
    votes = [Given("q", "A", "one", order=(2, 0, 1)), Given("q", "C", "two"), Given("q", "B", "three")]
    (voted, _) = match(votes, options, where="file")
    assert voted["q"].reply == "C" and voted["q"].order == ()
    with pytest.raises(ChalkbenchError, match="has 3 options, but its option_order names 2"):
        match([Given("q", "A", order=(1, 0))], options, where="file")

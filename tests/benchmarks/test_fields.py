import pytest

from chalkbench.benchmarks.fields import answer_of, as_seconds, name_of, options_of, seconds, stem_of
from chalkbench.benchmarks.release import Malformed

OPTIONS = ["a word", "two words", "3", "None"]


@pytest.mark.parametrize(("value", "expected"), [("00:00:01,500", 1.5), (0, 0), ("90", 90), ("1:30", 90), (2.5, 2.5)])
def test_times_of_subtitles_and_records(value, expected):
    assert seconds(value) == expected
    assert as_seconds({"at": value}, "at") == expected


@pytest.mark.parametrize("value", [True, [1], {"a": 1}, "1e5", "²", float("nan"), float("inf"), -1])
def test_what_is_no_time_is_named(value):
    with pytest.raises(Malformed, match=r"at: .* is no time: expected seconds, MM:SS or H:MM:SS"):
        as_seconds({"at": value}, "at")


@pytest.mark.parametrize("value", [None, ""])
def test_no_time_is_none(value):
    assert as_seconds({"at": value}, "at") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, []),
        ([], []),
        ({}, []),
        (["x", 2, 0.5], ["x", "2", "0.5"]),
        ({"B": "y", "A": "x"}, ["x", "y"]),
        (["A. x", "B. y"], ["x", "y"]),
        (["(a) x", "(b) y"], ["x", "y"]),
        (["A) x", "C) y"], ["A) x", "C) y"]),
        (["A. x"], ["A. x"]),
        (["A cat", "B cells"], ["A cat", "B cells"]),
    ],
)
def test_options_of_all_forms(value, expected):
    assert options_of(value) == expected


@pytest.mark.parametrize(
    "value", ["x", 5, [["x"], "y"], [None, "x"], {"A": "x", "C": "y"}, {"A": ["x"]}, [{"t": "x"}]]
)
def test_what_are_no_options_is_named(value):
    with pytest.raises(Malformed, match=r"^options: "):
        options_of(value)


@pytest.mark.parametrize(
    ("value", "index"),
    [
        ("B", 1),
        ("(b)", 1),
        ("b.", 1),
        (1, 1),
        (1.0, 1),
        ("two words", 1),
        ("Two Words", 1),
        ("B. two words", 1),
        ("3", 2),
        ("None", 3),
        (0, 0),
    ],
)
def test_the_right_option_is_found(value, index):
    assert answer_of(value, OPTIONS) == (index, OPTIONS[index])


@pytest.mark.parametrize("value", ["E", "B. a word", "words", 4, -1, 1.5, True, ["B"], {"a": 1}, "7", float("nan")])
def test_an_answer_that_is_no_option_is_named(value):
    with pytest.raises(Malformed, match=r"^answer: "):
        answer_of(value, OPTIONS)


def test_an_answer_that_is_two_options_is_refused_and_case_can_tell_them_apart():
    with pytest.raises(Malformed, match="several of the options"):
        answer_of("same", ["same", "same"])
    assert answer_of("PH", ["ph", "PH"]) == (1, "PH")


def test_open_ended_answers_are_text():
    assert answer_of("B", []) == (-1, "B")
    assert answer_of(5, []) == (-1, "5")
    assert answer_of(None, OPTIONS) == (-1, "")


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a.MP4", "a"), ("a.b", "a.b"), ("x/a.webm", "x/a"), ("a.b.mp4", "a.b"), ("mp4", "mp4")],
)
def test_a_video_is_known_without_the_suffix_of_its_container(name, stem):
    assert stem_of(name) == stem


def test_names_of_files_have_one_form():
    assert {name_of(name) for name in ("./x/a.mp4", "x\\a.mp4", "/x/a.mp4", " x//a.mp4 ")} == {"x/a.mp4"}

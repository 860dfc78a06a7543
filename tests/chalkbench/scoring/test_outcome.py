"""Outcomes: reasons, denominators, groups, intervals."""

import pytest

from chalkbench.scoring import outcome
from chalkbench.scoring.outcome import Outcome, counted, failed, grouped, summarise, wilson

RIGHT, WRONG = Outcome(1.0), Outcome(0.0)


@pytest.mark.parametrize("reason", sorted(outcome.MODEL_FAULTS))
def test_a_fault_of_the_model_is_wrong_under_strict_and_left_out_under_answered(reason: str) -> None:
    assert counted(failed(reason), "strict") == 0.0
    assert counted(failed(reason), "answered") is None


@pytest.mark.parametrize("reason", sorted(outcome.OTHER_FAULTS))
@pytest.mark.parametrize("protocol", outcome.PROTOCOLS)
def test_a_fault_of_media_judge_or_set_up_is_never_a_grade(reason: str, protocol: str) -> None:
    assert counted(failed(reason), protocol) is None


def test_a_value_counts_under_every_protocol() -> None:
    assert [counted(one, protocol) for one in (RIGHT, WRONG) for protocol in outcome.PROTOCOLS] == [1.0, 1.0, 0.0, 0.0]


def test_an_unknown_reason_or_protocol_is_refused_and_the_known_ones_named() -> None:
    with pytest.raises(ValueError, match=r"'lost' is no known reason; known are .*unparsed"):
        failed("lost")
    with pytest.raises(ValueError, match="expected one of strict, answered"):
        counted(RIGHT, "loose")


def test_summary_counts_every_item_once() -> None:
    items = [RIGHT, WRONG, failed("unparsed"), failed("unparsed"), failed("media_missing")]
    assert summarise(items) == {
        "mean": 0.25,
        "n": 5,
        "n_scored": 2,
        "n_counted": 4,
        "not_scored": {"media_missing": 1, "unparsed": 2},
    }
    assert summarise(items, protocol="answered")["mean"] == 0.5


def test_a_summary_of_nothing_has_no_mean() -> None:
    assert summarise([]) == {"mean": None, "n": 0, "n_scored": 0, "n_counted": 0, "not_scored": {}}
    assert summarise([failed("judge_failed")])["mean"] is None


def test_an_item_counts_under_each_of_its_groups_and_groups_are_sorted() -> None:
    groups = grouped([RIGHT, WRONG, RIGHT], ["b", ["a", "b"], []])
    assert list(groups.items()) == [("a", [WRONG]), ("b", [RIGHT, WRONG])]


def test_groups_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="1 groups for 2 items"):
        grouped([RIGHT, WRONG], ["a"])


def test_wilson_stays_within_the_unit_interval() -> None:
    assert wilson(0, 0) is None
    for n in (1, 7, 1000):
        for successes in (0, n // 2, n):
            low, high = wilson(successes, n)
            assert 0.0 <= low <= successes / n <= high <= 1.0


def test_wilson_of_the_vira_human_reference() -> None:
    # VIRA-Bench section 5: 181 of 200 right, 95 % interval 86.2 to 94.2 %? printed for its human reference, 91.0 %.
    low, high = wilson(182, 200)
    assert (round(100 * low, 1), round(100 * high, 1)) == (86.2, 94.2)

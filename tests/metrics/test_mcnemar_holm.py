"""The evaluate module, loaded by its path as a user does."""

import importlib.resources

import evaluate
import pytest

FOLDER = importlib.resources.files("chalkbench.metrics") / "mcnemar_holm"
VIDEO, BLIND = [1] * 12 + [0] * 8, [0] * 9 + [1] * 4 + [0] * 7


@pytest.fixture(scope="module")
def comparison():
    return evaluate.load(str(FOLDER), module_type="comparison", keep_in_memory=True)


def test_it_is_a_comparison(comparison):
    assert isinstance(comparison, evaluate.Comparison)
    assert comparison.module_type == "comparison"


def test_any_number_of_conditions_is_compared_pair_by_pair(comparison):
    result = comparison.compute(predictions=[VIDEO, BLIND, VIDEO, BLIND], conditions=["a", "b", "c", "d"])
    assert result["n_tests"] == 6
    assert [(one["first"], one["second"]) for one in result["tests"]][:3] == [("a", "b"), ("a", "c"), ("a", "d")]
    assert comparison.compute(predictions=[VIDEO, BLIND])["tests"][0]["second"] == "2"


def test_missing_outcomes_stay_missing_on_their_way_through_evaluate(comparison):
    test = comparison.compute(predictions=[[1, None, 1, 0], [0, 1, 0, None]])["tests"][0]
    assert (test["n"], test["left_out"], test["only_first"]) == (2, 2, 2)


def test_groups_and_forms_are_handed_on(comparison):
    result = comparison.compute(
        predictions=[VIDEO, BLIND], test="chi2_corrected", against="1", groups=["OEG"] * 10 + ["ICR"] * 10
    )
    assert [one["group"] for one in result["tests"]] == ["ICR", "OEG"]
    assert result["test"] == "chi2_corrected"


def test_conditions_need_names_of_their_own(comparison):
    for names in (["a"], ["a", "a"]):
        with pytest.raises(ValueError, match="one name of its own each"):
            comparison.compute(predictions=[VIDEO, BLIND], conditions=names)
    with pytest.raises(ValueError, match="1 conditions"):
        comparison.compute(predictions=[VIDEO])

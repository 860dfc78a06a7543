"""A benchmark's score over its tasks."""

import pytest

from chalkbench.overall import overall
from chalkbench.tasks import all_tasks


def entry(value, top=1.0, *, n=9, **not_scored):
    return {
        "result": {"official": {"value": value}, "top": top, "not_scored": not_scored},
        "record": {"n": n, "n_total": 9},
    }


def scores(**values):
    return {f"lemon:{key}": entry(*(value if isinstance(value, tuple) else (value,))) for key, value in values.items()}


def test_lemon_is_the_mean_of_six_tasks_and_expression_of_its_two():
    # GPT-4o's row of LEMON's Table 2, as shares: its AC is not available
    (found,) = overall(scores(SP=0.7, OR=0.8, AC=0.6, TA=0.3, IP=0.6, VS=(60.0, 100.0), KT=(9.0, 10.0)), all_tasks())
    assert found.name == "lemon" and found.lacking == ()
    assert found.cells["AE"] == pytest.approx(0.75)
    assert found.value == pytest.approx((0.7 + 0.8 + 0.6 + 0.3 + 0.6 + 0.75) / 6)


def test_what_a_model_cannot_do_is_left_out_and_what_was_not_run_is_named():
    (found,) = overall(scores(SP=0.5, AC=None, TA=0.3), all_tasks())
    assert found.value == pytest.approx(0.4)
    assert set(found.lacking) == {"OR", "IP", "AE/VS", "AE/KT"}


def test_tracks_are_averaged_and_conditions_are_not_mixed():
    tasks = {"video_mmlu:quiz": 0.4, "video_mmlu:notebook": 0.6, "video_mmlu_vision_blind:quiz": 0.1, "mmou": 0.9}
    found = {one.name: one for one in overall({name: entry(value) for name, value in tasks.items()}, all_tasks())}
    assert found["video_mmlu"].value == pytest.approx(0.5)
    assert found["video_mmlu_vision_blind"].lacking == ("notebook",)
    assert set(found) == {"video_mmlu", "video_mmlu_vision_blind"}


def test_a_study_of_some_tasks_is_whole_with_them():
    (found,) = overall({f"lemon_video_audio:{key}": entry(0.5) for key in ("SP", "OR", "IP", "TA")}, all_tasks())
    assert found.lacking == ()


def test_what_waits_for_a_judge_or_was_not_asked_makes_no_whole_result():
    keys = ("SP", "OR", "AC", "TA", "IP", "VS", "KT")
    whole = {f"lemon:{key}": entry(0.5) for key in keys}
    assert overall(whole, all_tasks())[0].whole
    for part in (entry(None, not_judged=9), entry(0.5, judge_failed=1), entry(0.5, n=3)):
        (found,) = overall(whole | {"lemon:VS": part}, all_tasks())
        assert not found.whole and found.partial == ("AE/VS",)
    assert overall(whole | {"lemon:AC": entry(None, unparsed=9)}, all_tasks())[0].whole  # what it cannot do


def test_a_score_without_a_highest_value_is_no_part_of_a_mean_of_shares():
    (found,) = overall(scores(SP=0.5, VS=(220.0, None)), all_tasks())
    assert found.value == 0.5 and found.cells["AE/VS"] is None

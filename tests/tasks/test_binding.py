"""Binding: what lighteval collects goes to the evaluate module whole, and comes back as numbers."""

from pathlib import Path

import pytest
from lighteval.metrics import apply_metric
from lighteval.models.model_output import ModelResponse

from chalkbench.benchmarks.schema import make_row
from chalkbench.models.base import VideoResponse
from chalkbench.results import REASONS
from chalkbench.tasks import mmou, prompts
from chalkbench.tasks.binding import item_of, metric, reply_of

TASK = mmou.TASKS[0]


def docs(n=4, **values):
    row = {"question": "Which?", "options": ["red", "green", "blue"], "answer_index": 1}
    made = []
    for i in range(n):
        tags = {"domain": "Sports" if i % 2 else "Food", "tags": ["Counting"], "duration": 60.0}
        made.append(prompts.doc(make_row(**({"id": f"q{i}"} | row | tags | values)), task=TASK, root=Path("/")))
    return made


def aggregated(questions, responses, task=TASK):
    bound = metric(task)
    values = [out[bound.metric_name] for out in apply_metric(responses, questions, [bound])]
    return bound.get_corpus_aggregations()[bound.metric_name](values), bound.corpus_level_fn.result


@pytest.mark.parametrize(
    ("text", "reply"), [("B", "B"), (["B", "C"], "B"), ([], ""), ([""], ""), ("", ""), ([None], ""), (None, "")]
)
def test_a_reply_is_a_list_or_a_string(text, reply):
    assert reply_of(ModelResponse(text=text)) == reply


def test_the_score_is_flat_numbers_for_lighteval_and_nested_for_us():
    responses = [VideoResponse(text=[text]) for text in ("B", "The answer is (B).", "C", "no idea")]
    flat, nested = aggregated(docs(), responses)
    assert all(isinstance(value, float) for value in flat.values())
    assert flat["accuracy"] == flat["official"] == 0.5
    assert (flat["n"], flat["n_scored"], flat["not_scored:unparsed"]) == (4, 3, 1)
    assert flat["interval_low"] < 0.5 < flat["interval_high"]
    assert (flat["domain:Food"], flat["domain:Sports"], flat["macro:domain"]) == (0.5, 0.5, 0.5)
    assert flat["duration:<5 min"] == flat["skill:Counting"] == 0.5
    assert nested["groupings"]["domain"]["by_group"]["Sports"]["not_scored"] == {"unparsed": 1}
    assert [(item["id"], item["choice"]) for item in nested["items"]] == [
        ("q0", "B"),
        ("q1", "B"),
        ("q2", "C"),
        ("q3", None),
    ]


def test_every_reason_has_a_number_so_that_lightevals_average_is_right():
    flat, _ = aggregated(docs(1), [VideoResponse(text=["B"])])
    assert {f"not_scored:{reason}" for reason in REASONS} <= flat.keys()


def test_a_failure_is_not_a_grade():
    responses = [VideoResponse(text=["B"])] + [
        VideoResponse(text=[""], status=status) for status in ("media_missing", "decode_error", "out_of_memory")
    ]
    flat, nested = aggregated(docs(), responses)
    assert nested["not_scored"] == {"decode_error": 1, "media_missing": 1, "out_of_memory": 1}
    assert flat["accuracy"] == 0.5  # strict: memory is the model's fault, media are not
    assert flat["n_scored"] == 1


def test_what_was_known_before_outranks_the_reply():
    """lighteval's own vision models answer a blank picture, too."""
    (doc,) = docs(1)
    doc.specific["status"] = "media_missing"
    assert item_of(doc, ModelResponse(text="B")).status == "media_missing"


def test_reasoning_is_removed_and_the_raw_reply_kept():
    (doc,) = docs(1)
    reply = "<think>A? No, C.</think> B"
    _, nested = aggregated([doc], [VideoResponse(text=[reply])])
    assert nested["items"][0]["choice"] == "B"
    assert item_of(doc, VideoResponse(text=[reply])).reply == reply


def test_hidden_answers_give_choices_and_no_accuracy():
    hidden = next(task for task in mmou.TASKS if task.hidden)
    questions = docs(answer_index=-1)
    responses = [
        VideoResponse(text=["C"]),
        VideoResponse(text=["hm"]),
        VideoResponse(text=["<think>so"]),
        VideoResponse(text=[""], status="media_missing"),
    ]
    flat, nested = aggregated(questions, responses, hidden)
    assert "accuracy" not in flat and (flat["n"], flat["n_chosen"]) == (4, 1)
    assert nested["not_scored"] == {"hidden_gold": 1, "media_missing": 1, "truncated_reasoning": 1, "unparsed": 1}


def test_no_question_scored_gives_no_accuracy():
    flat, nested = aggregated(docs(), [VideoResponse(text=[""], status="media_missing")] * 4)
    assert nested["accuracy"] is None and nested["interval"] is None
    assert "accuracy" not in flat and flat["not_scored:media_missing"] == 4

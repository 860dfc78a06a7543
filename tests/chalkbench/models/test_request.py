import json
from dataclasses import replace

import pytest
from lighteval.tasks.requests import Doc

from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.media.subtitles import Cue
from chalkbench.models.request import Answer, Request, Seen


def test_a_request_survives_the_way_through_a_doc(question, docs):
    asked = question(
        "q-1", "/data/a.mp4", evidence=Evidence(frames="fps:1,max:8", size=224, audio=True, horizon="online"),
        instruction="Be brief.", has_audio=True, clip_start=1.5, clip_end=9.0, asked_at=4.0,
        cues=(Cue(1.5, 2.0, "f(x) „quoted“"), Cue(2.0, 3.0, "\u2028")), stop=("\n\n",), temperature=0.7, top_p=0.9,
        top_k=20,
    )  # fmt: skip
    assert Request.from_doc(docs(asked)[0]) == asked
    assert Request.from_doc(docs(question())[0]) == question()


def test_the_item_keeps_its_id_although_lighteval_numbers_the_rows(question, docs):
    assert [Request.from_doc(doc).id for doc in docs(question("b"), question("a"))] == ["b", "a"]


def test_specific_has_the_same_types_on_every_row(question):
    full = question("a", "/v.mp4", has_audio=True, clip_start=1.0, temperature=1.0, top_k=3).to_specific()
    bare = replace(question("b"), options=(), evidence=Evidence(frames="none")).to_specific()
    assert full.keys() == bare.keys()
    for name, value in bare.items():
        assert value is None or type(value) is type(full[name]), name
    assert not any(isinstance(value, list | tuple | dict) for value in full.values())


def test_the_gold_reference_of_an_open_question_is_no_option(question, docs):
    doc = docs(question(options=()))[0]
    doc.choices = ["the reference text"]
    asked = Request.from_doc(doc)
    assert asked.options == ()
    assert "the reference text" not in json.dumps(doc.specific)


def test_a_doc_of_a_foreign_task_is_a_question_without_media():
    asked = Request.from_doc(Doc(query="2 + 2?", choices=["3", "4"], gold_index=1, id="7", task_name="sums|0"))
    assert (asked.id, asked.prompt, asked.options) == ("7", "2 + 2?", ("3", "4"))
    assert asked.video is None and not asked.evidence.sees


def test_several_samples_an_item_are_refused(question, docs):
    doc = docs(question())[0]
    doc.num_samples = 4
    with pytest.raises(ChalkbenchError, match="4 samples"):
        Request.from_doc(doc)


def test_an_answer_survives_json():
    seen = Seen(frame_indices=(0, 9), frame_times=(0.0, 0.36), seconds_of_audio=3.0, prompt_tokens=9, note="n")
    answer = Answer("The answer is „B“.\ud800", status=None, seen=seen, error="")
    assert Answer.from_dict(json.loads(json.dumps(answer.to_dict()))) == answer


def test_an_answer_of_a_later_version_can_be_read():
    values = Answer("B").to_dict()
    values["seen"]["smells"] = 3
    assert Answer.from_dict(values) == Answer("B")

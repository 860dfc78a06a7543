import json
import weakref
from dataclasses import replace

import pytest
import torch

from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.media.subtitles import Cue
from chalkbench.models import material
from chalkbench.models.base import VideoModel
from chalkbench.models.grouping import grouped
from chalkbench.models.journal import read_journal
from chalkbench.models.request import Answer, Seen, Turn
from chalkbench.scoring.outcome import MEDIA_NOT_RECEIVED


def run(backend, docs, requests, **settings):
    model = VideoModel(backend, progress=False, **settings)
    return model, model.greedy_until(docs(*requests))


@pytest.fixture
def opened(monkeypatch):
    """Paths of the videos in the order in which frames were read."""
    paths = []
    real = material.read_frames
    monkeypatch.setattr(material, "read_frames", lambda path, **kw: paths.append(str(path)) or real(path, **kw))
    return paths


def test_answers_come_in_the_order_of_the_questions(recorder, question, docs, clips):
    videos = [clips["plain.mp4"], clips["sound.mp4"]]
    requests = [question(f"q{number}", videos[number % 2]) for number in range(6)]
    model, responses = run(recorder(), docs, requests, batch_size=2)
    assert [response.text for response in responses] == [[f"q{number} got 4"] for number in range(6)]
    assert model.answers["lectures|0", "q3"].text == "q3 got 4"
    assert model.backend.batches == [["q0", "q2"], ["q4", "q1"], ["q3", "q5"]]


def test_a_video_is_decoded_once_for_fifteen_questions(recorder, question, docs, clips, opened):
    videos = [clips["plain.mp4"], clips["sound.mp4"]]
    requests = [question(f"q{number}", videos[number % 2]) for number in range(30)]
    run(recorder(), docs, requests, batch_size=4)
    assert opened == [str(video) for video in videos]


def test_several_tasks_on_a_video_share_its_frames(recorder, question, docs, clips, opened):
    video = clips["sound.mp4"]
    requests = [
        replace(question(f"q{number}", video, audio=audio), task=task)
        for task, audio in (("whole|0", True), ("vision|0", False))
        for number in range(3)
    ]
    model, _ = run(recorder(), docs, requests)
    assert opened == [str(video)]
    assert len(model.answers) == 6


def test_requests_that_see_the_same_stand_together(question):
    waiting = [
        question("1", "a"), question("2", "b"), question("3", "a", clip_start=5.0), question("4", "a"),
        question("5", None), question("6", "a", audio=True), question("7", "b"), question("8", "a", clip_start=5.0),
    ]  # fmt: skip
    assert [request.id for request in grouped(waiting)] == ["1", "4", "6", "3", "8", "2", "7", "5"]


def test_conversations_stay_together_and_in_turn(question):
    def turn(id, **fields):
        return question(id, "a", session=id[0], turn=int(id[1]), **fields)

    waiting = [turn("s1"), turn("t0"), question("x", "a"), turn("s0"), turn("t2"), turn("t1"), turn("u0", audio=True)]
    assert [request.id for request in grouped(waiting)] == ["t0", "x", "s0", "s1", "t1", "t2", "u0"]
    online = Evidence(frames="uniform:4", horizon="online")
    crossed = [
        question(f"{session}{number}", "a", session=session, turn=number, asked_at=moment, evidence=online)
        for session, moments in (("s", (1.0, 2.0)), ("t", (2.0, 1.0)))
        for number, moment in enumerate(moments)
    ]
    ids = [request.id for request in grouped(crossed)]
    assert ids.index("s0") < ids.index("s1") and ids.index("t0") < ids.index("t1")


def test_a_later_turn_sees_the_models_own_answers(recorder, question, docs, tmp_path):
    requests = [
        question(f"{session}{number}", session=session, turn=number, context="Transcript.\n") for session in "st"
        for number in range(3)
    ]  # fmt: skip
    backend = recorder()
    backend.answer, answer = lambda batch: seen.extend(r for r, _ in batch) or answer(batch), backend.answer
    seen = []
    run(backend, docs, requests, batch_size=4, journal=tmp_path / "answers.jsonl")
    by_id = {request.id: request for request in seen}
    assert by_id["s0"].history == ()
    assert [turn.reply for turn in by_id["t2"].history] == ["t0", "t1"]
    said = by_id["s2"].conversation()
    assert [role for role, _ in said] == ["user", "assistant", "user", "assistant", "user"]
    assert [text.startswith("Transcript.") for _, text in said] == [True, False, False, False, False]
    assert backend.batches == [["s0", "t0"], ["s1", "t1"], ["s2", "t2"]]
    again = recorder()
    run(again, docs, requests, batch_size=4, journal=tmp_path / "answers.jsonl")
    assert again.asked == []


def test_an_earlier_turn_without_reply_is_left_out_and_its_return_asks_the_later_ones_again(
    recorder, question, docs, tmp_path, clips
):
    missing = tmp_path / "later.mp4"
    requests = [question("a", missing, session="s"), question("b", clips["plain.mp4"], session="s", turn=1)]
    model, _ = run(recorder(), docs, requests, journal=tmp_path / "answers.jsonl")
    assert model.answers["lectures|0", "b"].seen.turns == 0
    missing.write_bytes(clips["plain.mp4"].read_bytes())
    again = recorder()
    model, _ = run(again, docs, requests, journal=tmp_path / "answers.jsonl")
    assert again.asked == ["a", "b"]
    assert model.answers["lectures|0", "b"].seen.turns == 1


def test_a_gold_history_is_kept_as_it_was_given(recorder, question, docs):
    given = (Turn("What was that?", "A bar."),)
    evidence = Evidence(frames="none", history="gold")
    requests = [
        question("a", session="s", evidence=evidence),
        question("b", session="s", turn=1, history=given, evidence=evidence),
    ]
    seen = {}
    backend = recorder()
    backend.answer, answer = lambda batch: seen.update({r.id: r for r, _ in batch}) or answer(batch), backend.answer
    run(backend, docs, requests)
    assert seen["b"].history == given


@pytest.mark.parametrize(("refusals", "status"), [(2, None), (3, None), (9, MEDIA_NOT_RECEIVED)])
def test_a_question_whose_video_did_not_arrive_is_sent_again(recorder, question, docs, refusals, status):
    backend = recorder(varies=True)
    replies = iter(["I cannot see the video, please upload it."] * refusals + ["B"])
    backend.answer = lambda batch: [Answer(next(replies)) for _ in batch]
    model, responses = run(backend, docs, [question("a", resend=3)])
    assert model.answers["lectures|0", "a"].status == status
    assert responses[0].text == (["B"] if status is None else ["I cannot see the video, please upload it."])


def test_no_more_material_is_held_than_a_batch_and_the_next(recorder, question, docs, clips, monkeypatch):
    alive, most = weakref.WeakSet(), []
    real = material.read_frames

    def read(path, **kw):
        frames = real(path, **kw)
        alive.add(frames)
        most.append(len(alive))
        return frames

    class Forgetful:
        name, fingerprint, hears, wants = "forgetful", "1", True, "material"

        def answer(self, batch):
            return [Answer("B") for _ in batch]

    monkeypatch.setattr(material, "read_frames", read)
    requests = [question(f"q{number}", clips["plain.mp4"], clip_end=1 + number / 10) for number in range(12)]
    run(Forgetful(), docs, requests, batch_size=2)
    assert len(most) == 12
    assert max(most) <= 3


def test_only_requests_of_one_key_and_one_setting_share_a_batch(recorder, question, docs):
    backend = recorder(batch_key=lambda request, material: request.id[0])
    requests = [question(id) for id in ("a1", "a2", "b1", "b2", "b3")] + [question("b4", max_new_tokens=3)]
    run(backend, docs, requests, batch_size=8)
    assert backend.batches == [["a1", "a2"], ["b1", "b2", "b3"], ["b4"]]


def test_a_request_that_samples_goes_alone(recorder, question, docs):
    backend = recorder()
    run(backend, docs, [question("a"), question("b", temperature=0.5), question("c"), question("d")], batch_size=4)
    assert backend.batches == [["a"], ["b"], ["c", "d"]]


def test_a_missing_and_a_broken_video_cost_their_own_questions_only(recorder, question, docs, clips, tmp_path):
    requests = [
        question("good", clips["plain.mp4"]),
        question("missing", tmp_path / "gone.mp4"),
        question("broken", clips["text.mp4"]),
        question("also good", clips["plain.mp4"]),
    ]
    model, responses = run(recorder(), docs, requests, batch_size=4, journal=tmp_path / "answers.jsonl")
    assert [response.status for response in responses] == [None, "media_missing", "decode_error", None]
    assert [response.text for response in responses] == [["good got 4"], [""], [""], ["also good got 4"]]
    assert "gone.mp4" in model.answers["lectures|0", "missing"].error
    assert len(list(read_journal(tmp_path / "answers.jsonl"))) == 4


def test_out_of_memory_costs_one_question_not_the_run(recorder, question, docs, tmp_path):
    class Small(recorder):
        def answer(self, batch):
            answers = super().answer(batch)
            if len(batch) > 2 or "large" in self.batches[-1]:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.\nMore words")
            return answers

    backend = Small()
    requests = [question(id) for id in ("a", "large", "b", "c", "d")]
    model, responses = run(backend, docs, requests, batch_size=3, journal=tmp_path / "answers.jsonl")
    assert [response.status for response in responses] == [None, "out_of_memory", None, None, None]
    assert model.answers["lectures|0", "large"].error == "CUDA out of memory. Tried to allocate 20.00 GiB."
    assert backend.batches == [["a", "large", "b"], ["a"], ["large"], ["b"], ["c", "d"]]
    resumed = recorder()
    _, responses = run(resumed, docs, requests, batch_size=3, journal=tmp_path / "answers.jsonl")
    assert resumed.asked == ["large"]  # a resumed run may have more memory
    assert [response.status for response in responses] == [None] * 5


def test_memory_that_runs_out_while_decoding_is_the_same(recorder, question, docs, clips, monkeypatch):
    def read(path, **_):
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:124] DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(material, "read_frames", read)
    _, responses = run(recorder(), docs, [question("a", clips["plain.mp4"]), question("b")])
    assert [response.status for response in responses] == ["out_of_memory", None]


def test_any_other_error_of_a_back_end_ends_the_run_and_keeps_the_answers(recorder, question, docs, tmp_path):
    class Faulty(recorder):
        def answer(self, batch):
            if batch[0][0].id == "c":
                raise RuntimeError("a bug")
            return super().answer(batch)

    with pytest.raises(RuntimeError, match="a bug"):
        run(Faulty(), docs, [question(id) for id in "abcd"], journal=tmp_path / "answers.jsonl")
    assert [entry.id for entry in read_journal(tmp_path / "answers.jsonl")] == ["a", "b"]


def test_sound_is_refused_before_anything_runs_if_the_model_is_deaf(recorder, question, docs, tmp_path):
    backend = recorder(hears=False)
    requests = [question("a"), question("b", tmp_path / "x.mp4", audio=True)]
    with pytest.raises(ChalkbenchError, match=r"recorder cannot hear, but lectures gives the sound \(1 questions\)"):
        run(backend, docs, requests)
    assert backend.asked == []


def test_a_shuffled_order_is_refused_before_anything_runs(recorder, question, docs):
    evidence = Evidence(order="visual_shuffle")
    with pytest.raises(ChalkbenchError, match="visual_shuffle is not available yet"):
        run(recorder(), docs, [question(evidence=evidence)])


def test_two_questions_with_one_id_are_refused(recorder, question, docs):
    with pytest.raises(ChalkbenchError, match=r"1 ids stand for several questions: a in lectures"):
        run(recorder(), docs, [question("a"), question("a", prompt="another")])


def test_a_resumed_run_asks_only_what_is_not_in_the_journal(recorder, question, docs, tmp_path):
    journal = tmp_path / "answers.jsonl"
    requests = [question(id) for id in "abcde"]
    run(recorder(), docs, requests[:3], journal=journal)
    backend = recorder()
    _, responses = run(backend, docs, requests, journal=journal)
    assert backend.asked == ["d", "e"]
    assert [response.text for response in responses] == [[id] for id in "abcde"]
    complete = recorder()
    assert [response.text for response in run(complete, docs, requests, journal=journal)[1]] == [
        [id] for id in "abcde"
    ]
    assert complete.asked == []


def test_a_resumed_answer_is_the_same_to_the_last_field(recorder, question, docs, clips, tmp_path):
    requests = [question("a", clips["sound.mp4"], audio=True), question("b", clips["plain.mp4"], audio=True)]
    first = run(recorder(), docs, requests, journal=tmp_path / "answers.jsonl")[1]
    assert run(recorder(), docs, requests, journal=tmp_path / "answers.jsonl")[1] == first


@pytest.mark.parametrize(
    "change",
    [{"fingerprint": "recorder-2"}, {"settings": {"dtype": "bfloat16"}}],
    ids=["other weights", "other settings"],
)
def test_another_model_does_not_get_the_old_replies(recorder, question, docs, tmp_path, change):
    run(recorder(), docs, [question()], journal=tmp_path / "answers.jsonl")
    other = recorder(**change)
    run(other, docs, [question()], journal=tmp_path / "answers.jsonl")
    assert other.asked == ["q"]


def test_a_video_that_appears_is_asked_again_and_one_that_stays_away_is_not(recorder, question, docs, clips, tmp_path):
    journal, video = tmp_path / "answers.jsonl", tmp_path / "late.mp4"
    requests = [question("late", video), question("never", tmp_path / "never.mp4")]
    run(recorder(), docs, requests, journal=journal)
    video.write_bytes(clips["plain.mp4"].read_bytes())
    backend = recorder()
    _, responses = run(backend, docs, requests, journal=journal)
    assert backend.asked == ["late"]
    assert [response.status for response in responses] == [None, "media_missing"]


def test_what_was_seen_comes_with_the_response_and_the_journal(recorder, question, docs, clips, tmp_path):
    request = question("a", clips["sound.mp4"], audio=True, cues=(Cue(0, 1, "x"),))
    _, (response,) = run(recorder(), docs, [request], journal=tmp_path / "answers.jsonl")
    assert response.seen["frame_indices"] == (0, 24, 49, 74)
    assert response.seen["seconds_of_audio_available"] == pytest.approx(3, abs=0.05)
    assert response.seen["cues"] == 1
    (entry,) = read_journal(tmp_path / "answers.jsonl")
    assert entry.answer.seen.frame_indices == (0, 24, 49, 74)
    _, (response,) = run(recorder(), docs, [question("b", clips["plain.mp4"], audio=True)])
    assert response.seen["note"] == "no audio track"


def test_what_a_back_end_says_itself_stays(question, docs, clips, recorder):
    class Careful(recorder):
        def answer(self, batch):
            return [Answer("B", seen=Seen(frame_indices=(7,), note="read two; no audio track")) for _ in batch]

    _, (response,) = run(Careful(), docs, [question("a", clips["plain.mp4"], audio=True)])
    assert response.seen["frame_indices"] == (7,)
    assert response.seen["note"] == "read two; no audio track"


def test_a_model_that_wants_nothing_opens_no_video(recorder, question, docs, tmp_path, opened):
    _, (response,) = run(recorder(wants="nothing"), docs, [question("a", tmp_path / "missing.mp4", audio=True)])
    assert (response.text, response.status, opened) == (["a"], None, [])


@pytest.mark.parametrize(
    ("override", "of_task", "expected"),
    [(8, "uniform:64", "uniform:8"), ("8", "fps:1", "uniform:8"), (8, "static:5", "static:8"),
     ("fps:2,max:9", "uniform:64", "fps:2,max:9"), (8, "none", "none"), (None, "fps:1", "fps:1")],
)  # fmt: skip
def test_frames_can_be_overridden_but_a_blind_task_stays_blind(recorder, question, docs, override, of_task, expected):
    class Looking(recorder):
        def answer(self, batch):
            return [Answer(request.evidence.frames) for request, _ in batch]

    _, (response,) = run(Looking(), docs, [question(frames=of_task)], frames=override)
    assert response.text == [expected]


@pytest.mark.parametrize("frames", ["all", "uniform:0", 0, -3])
def test_frames_that_mean_nothing_are_refused(recorder, frames):
    with pytest.raises(ChalkbenchError, match="expected none, uniform:N"):
        VideoModel(recorder(), frames=frames)


def test_length_is_that_of_the_run_then_of_the_task_then_the_default(recorder, question, docs):
    class Long(recorder):
        def answer(self, batch):
            return [Answer(str(request.max_new_tokens)) for request, _ in batch]

    requests = [question("a", max_new_tokens=5), question("b", max_new_tokens=None)]
    assert [response.text[0] for response in run(Long(), docs, requests)[1]] == ["5", "1024"]
    assert [response.text[0] for response in run(Long(), docs, requests, max_new_tokens=7)[1]] == ["7", "7"]


def test_a_journal_that_cannot_be_written_is_refused_before_the_run(recorder, tmp_path):
    with pytest.raises(ChalkbenchError, match="cannot write the journal"):
        VideoModel(recorder(), journal=tmp_path)


def test_a_journal_is_written_from_the_first_answer(recorder, question, docs, tmp_path):
    lines = []

    class Counting(recorder):
        def answer(self, batch):
            lines.append(len((tmp_path / "answers.jsonl").read_text().splitlines()))
            return super().answer(batch)

    run(Counting(), docs, [question(id) for id in "abcd"], journal=tmp_path / "answers.jsonl")
    assert lines == [0, 1, 2, 3]


def test_likelihoods_are_refused_in_words(recorder):
    with pytest.raises(NotImplementedError, match="answer in text"):
        VideoModel(recorder()).loglikelihood([])


def test_the_configuration_is_plain_for_results(recorder):
    model = VideoModel(recorder(settings={"dtype": "float32"}), batch_size=4, frames="uniform:8")
    config = json.loads(model.config.model_dump_json())
    assert config["model_name"] == "recorder"
    assert (config["fingerprint"], config["batch_size"], config["frames"]) == ("recorder-1", 4, "uniform:8")
    assert config["settings"] == {"dtype": "float32"}


def test_progress_counts_questions_and_starts_behind_the_journal(recorder, question, docs, tmp_path, capsys):
    requests = [question(id) for id in "abcd"]
    run(recorder(), docs, requests[:2], journal=tmp_path / "answers.jsonl")
    VideoModel(recorder(), journal=tmp_path / "answers.jsonl").greedy_until(docs(*requests))
    shown = capsys.readouterr().err
    assert "2/4" in shown and "4/4" in shown and "question" in shown

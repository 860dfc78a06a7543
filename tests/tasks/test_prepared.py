"""Rows as a task asks them: the same order everywhere, gold where it belongs, conversations as they went."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from datasets import Dataset

from chalkbench.benchmarks.layout import open_layout, read_rows
from chalkbench.benchmarks.schema import FEATURES, make_row
from chalkbench.evidence import condition
from chalkbench.tasks import lemon, prompts, video_mmlu, vira_bench
from chalkbench.tasks.binding import item_of
from chalkbench.tasks.caption_prompts import CAPTION_PROMPTS
from chalkbench.tasks.prepared import option_orders, prepare, reordered

VIRA = vira_bench.TASKS[0]
TASKS = {task.name: task for task in (*lemon.TASKS, *vira_bench.TASKS, *video_mmlu.TASKS)}


def rows(n, options=4, **more):
    made = [
        make_row(
            id=f"q{number}",
            question="Which?",
            options=[f"option {place}" for place in range(options)],
            answer_index=number % options,
            **more,
        )
        for number in range(n)
    ]
    return Dataset.from_list(made, features=FEATURES)


def golds(prepared):
    return [prepared_row["options"][prepared_row["answer_index"]] for prepared_row in prepared]


def test_the_gold_moves_with_its_option_and_the_released_place_is_kept():
    plain = rows(40)
    shuffled = prepare(plain, VIRA.asked("some-model", hears=False))
    assert golds(shuffled) == golds(plain)
    assert shuffled["options"] != plain["options"]
    for before, after in zip(plain, shuffled, strict=True):
        assert [before["options"][place] for place in after["option_order"]] == after["options"]


def test_an_order_hangs_on_the_model_and_the_item_and_nothing_else():
    task = VIRA.asked("one", hears=False)
    first = {row["id"]: row["options"] for row in prepare(rows(40), task)}
    again = {row["id"]: row["options"] for row in prepare(rows(20), task)}
    other = {row["id"]: row["options"] for row in prepare(rows(40), VIRA.asked("two", hears=False))}
    assert again.items() <= first.items()
    assert first != other


def test_independent_orders_spread_the_golds_as_chance_does():
    counts = Counter(row["answer_index"] for row in prepare(rows(4000), VIRA.asked("m", hears=False)))
    assert all(abs(counts[place] - 1000) < 5 * 27.4 for place in range(4))  # SD of a count: sqrt(4000 * 3/16)
    assert len(set(counts.values())) > 1


def test_balanced_orders_give_the_papers_counts():
    task = replace(VIRA, option_order="balanced").asked("m", hears=False)
    balanced = prepare(rows(1322), task)
    assert [Counter(balanced["answer_index"])[place] for place in range(4)] == [330, 331, 331, 330]
    assert golds(balanced) == golds(rows(1322))
    assert len({tuple(order) for order in balanced["option_order"]}) == 24


def test_items_with_other_numbers_of_options_and_hidden_golds_are_shuffled_too():
    mixed = [*rows(3, options=2).to_list(), *rows(3, options=5).to_list(), make_row(id="h", options=["a", "b", "c"])]
    orders = option_orders(mixed, "balanced", model="m")
    assert [sorted(order) for order in orders] == [[0, 1]] * 3 + [[0, 1, 2, 3, 4]] * 3 + [[0, 1, 2]]
    assert reordered(mixed[-1], orders[-1])["answer_index"] == -1


def test_pictures_move_with_their_options():
    row = make_row(id="q", options=["", ""], option_media=["pictures/a.png", "pictures/b.png"], answer_index=0)
    moved = reordered(row, [1, 0])
    assert moved["option_media"] == ["pictures/b.png", "pictures/a.png"] and moved["answer_index"] == 1


def test_the_stem_and_the_shown_letters_reach_doc_and_item(sample_data):
    layout = open_layout(sample_data / "vira_bench")
    task = VIRA.asked("m", hears=False)
    row = next(iter(prepare(read_rows(layout, "default"), task)))
    doc = prompts.doc(row, task=task, root=layout.root)
    assert doc.choices == row["options"] and f"A. {row['options'][0]}" in doc.query
    assert item_of(doc, None).order == row["option_order"]


def test_a_task_that_changes_nothing_gives_the_rows_as_they_are(sample_data):
    read = read_rows(open_layout(sample_data / "lemon"), "SP")
    assert prepare(read, TASKS["lemon:SP"]) is read


def test_a_gold_history_holds_the_earlier_questions_with_their_right_answers(sample_data):
    task = TASKS["lemon:SP"].given(condition("gold_history", TASKS["lemon:SP"].evidence))
    layout = open_layout(sample_data / "lemon")
    made = prepare(read_rows(layout, "SP"), task)
    by_session = {}
    for row in made:
        by_session.setdefault(row["session_id"], []).append(row)
    for first, *later in by_session.values():
        assert first["history"] == ""
        for row in later:
            turns = prompts.request(row, task=task, root=layout.root).history
            assert len(turns) == row["turn"]
            assert first["question"] in turns[0].prompt
            assert turns[0].reply == f"{'ABCD'[first['answer_index']]}. {first['options'][first['answer_index']]}"


def test_a_deaf_model_is_given_the_right_transcript_and_is_not_asked_to_transcribe(sample_data):
    task = TASKS["lemon:AC"].asked("m", hears=False)
    made = prepare(read_rows(open_layout(sample_data / "lemon"), "AC"), task)
    assert set(made["subtask"]) == {"CL"}
    ((prompt, reply, _),) = json.loads(made[0]["history"])
    assert "what is said" in prompt.lower() or "lecturer" in prompt.lower()
    assert len(reply) > 20
    assert TASKS["lemon:AC"].asked("m", hears=True).evidence.audio


def test_deaf_models_read_subtitles_where_others_hear():
    for name in ("lemon:SP", "lemon:OR", "lemon:IP"):
        hearing, deaf = (TASKS[name].asked("m", hears=hears).evidence for hears in (True, False))
        assert (hearing.audio, hearing.subtitles) == (True, False)
        assert (deaf.audio, deaf.subtitles) == (False, True)


def test_what_a_user_asked_for_holds_for_a_deaf_model_too():
    changed = replace(TASKS["lemon:SP"], variant="chalkbench", option_order="balanced")
    deaf = changed.asked("m", hears=False)
    assert deaf.evidence.subtitles and (deaf.variant, deaf.option_order) == ("chalkbench", "balanced")


def test_the_order_of_clips_does_not_tell_the_answer(sample_data):
    layout = open_layout(sample_data / "lemon")
    read = read_rows(layout, "TA")
    made = prepare(read, TASKS["lemon:TA"])
    assert [sorted(clip["id"] for clip in clips) for clips in made["clips"]] == [
        sorted(clip["id"] for clip in clips) for clips in read["clips"]
    ]
    many = Dataset.from_list([read[0] | {"id": f"q{number}"} for number in range(60)], features=FEATURES)
    orders = Counter(tuple(clip["id"] for clip in clips) for clips in prepare(many, TASKS["lemon:TA"])["clips"])
    assert len(orders) == 6


def test_a_caption_is_asked_for_in_one_of_the_papers_ways(sample_data):
    read = read_rows(open_layout(sample_data / "video_mmlu"), "notebook")
    made = prepare(read, TASKS["video_mmlu:notebook"])
    assert set(made["question"]) <= set(CAPTION_PROMPTS)
    assert made["question"] == prepare(read, TASKS["video_mmlu:notebook"])["question"]


@pytest.mark.parametrize("n", [10, 60])
def test_the_human_subset_has_25_of_each_subtask_and_does_not_depend_on_the_others(n):
    made = [make_row(id=f"{kind}-{number}", subtask=kind) for kind in ("AI", "BE") for number in range(n)]
    chosen = vira_bench.human_subset(Dataset.from_list(made, features=FEATURES))
    ids = {made[place]["id"] for place in chosen}
    assert Counter(id[:2] for id in ids) == {"AI": min(n, 25), "BE": min(n, 25)}
    alone = vira_bench.human_subset(Dataset.from_list(made[:n], features=FEATURES))
    assert {made[place]["id"] for place in alone} <= ids


@pytest.mark.parametrize(
    ("name", "lead"),
    [
        ("vira_bench", "Watch the video clip and read the speech transcript, then answer"),
        ("vira_bench_asr_only", "You do NOT have access to the video."),
        ("vira_bench_static_frames", "Look at these 5 key frames extracted from a video clip"),
        ("vira_bench_stem_options", "Answer the question."),
    ],
)
def test_the_prompt_follows_the_condition(sample_data, name, lead):
    layout = open_layout(sample_data / "vira_bench")
    task = TASKS[name]
    asked = prompts.request(read_rows(layout, "default")[0], task=task, root=layout.root)
    assert lead in asked.prompt
    assert bool(asked.context) == task.evidence.subtitles
    assert ('{"answer": the letter' in asked.prompt) == task.evidence.options


def test_free_responses_are_matched_and_not_judged():
    assert TASKS["vira_bench_free_response"].rule == "free_response_match"
    assert not TASKS["vira_bench_free_response"].evidence.options


def test_languages_are_named_and_pictures_stand_for_their_options(sample_data):
    layout = open_layout(sample_data / "lemon")
    translation = next(row for row in read_rows(layout, "KT") if row["target_language"] == "ja")
    assert "Answer in Japanese" in prompts.question_text(translation, TASKS["lemon:KT"])
    listening = next(row for row in read_rows(layout, "AC") if row["option_media"])
    text = prompts.question_text(listening, TASKS["lemon:AC"])
    assert "The options are the pictures A to D." in text
    asked = prompts.request(listening, task=TASKS["lemon:AC"], root=layout.root)
    assert len(asked.pictures) == 4 and asked.session and asked.turn == 1

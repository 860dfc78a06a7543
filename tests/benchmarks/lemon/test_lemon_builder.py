import io
import json
import re
import zipfile
from pathlib import Path

import datasets
import pytest
import yaml
from datasets import load_dataset
from neutral_releases import lemon_question, units, write_release
from PIL import Image

from chalkbench.benchmarks.card import read_card
from chalkbench.benchmarks.layout import build, check_rows, missing_media, open_layout, place, read_rows
from chalkbench.benchmarks.lemon.builder import Lemon
from chalkbench.benchmarks.lemon.terms import LANGUAGES, language_code, read_terms
from chalkbench.benchmarks.media import picture_place
from chalkbench.benchmarks.release import Malformed, list_files

CARD = Path(__file__).parents[3] / "benchmarks/lemon/README.md"
CLIPS = [{"id": "c3", "video": "part3.mp4"}, {"id": "c1", "video": "part1.mp4"}, {"id": "c2", "video": "part2.mp4"}]
ORDERS = [["c1", "c2", "c3"], ["c2", "c1", "c3"], ["c3", "c2", "c1"], ["c3", "c1", "c2"]]


def picture(colour) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(file, "png")
    return file.getvalue()


def ordering(number=0, **changes):
    about = {
        "task": "TA",
        "subtask": ...,
        "video": ...,
        "clips": CLIPS,
        "options": ORDERS,
        "answer": ["c2", "c1", "c3"],
    }
    return lemon_question(number, **(about | changes))


def listening(number=0, **changes):
    about = {"task": "AC", "subtask": "CL", "options": ..., "option_images": [f"f{n}.png" for n in range(4)]}
    return lemon_question(number, **(about | changes))


def open_ended(number=0, task="VS", **changes):
    return lemon_question(number, **({"task": task, "subtask": ..., "options": ..., "answer": "A spring."} | changes))


def one(root, record, config, **files):
    """(row or reason, remarks) of a release with one question."""
    rows, left_out, remarks = units(Lemon, write_release(root, record, **files), config)
    return (rows or left_out)[0], remarks


def test_each_task_is_a_config_and_only_those_that_are_there(tmp_path):
    release = write_release(
        tmp_path, lemon_question(0), ordering(1), open_ended(2), open_ended(3, "KT", target_language="de")
    )
    assert Lemon.configs_in(list_files(release)) == ["SP", "TA", "VS", "KT"]
    for config, name in (("SP", "q0"), ("TA", "q1"), ("VS", "q2"), ("KT", "q3")):
        rows, left_out, _ = units(Lemon, release, config)
        assert ([row["id"] for row in rows], left_out) == ([name], [])
    assert units(Lemon, release, "OR")[:2] == ([], [])


def test_a_record_of_no_task_is_told_once(tmp_path):
    release = write_release(
        tmp_path, lemon_question(0, task="OR", subtask="PS"), lemon_question(1, task="XX"), "7", open_ended(2)
    )
    told = {config: units(Lemon, release, config)[1] for config in ("OR", "VS")}
    assert len(told["OR"]) == 2
    assert "task: 'XX' is not known; known are SP, OR, AC, TA, IP, VS, KT, KCR" in told["OR"][0]
    assert told["VS"] == []


@pytest.mark.parametrize(
    ("task", "subtask", "expected"),
    [
        ("SP", "LDT", ("SP", "LDT")),
        ("Streaming Perception", "Local Detail Tracking", ("SP", "LDT")),
        ("", "ocr", ("OR", "OCR")),
        ("OCR-Based Reasoning", "Optical Character Recognition", ("OR", "OCR")),
        ("TA", "Temporal Ordering", ("TA", "")),
        ("TA", "", ("TA", "")),
        ("AE", "VS", ("VS", "")),
        ("Advanced Expression", "Knowledge Translation", ("KT", "")),
        ("VS", "VS", ("VS", "")),
        ("", "Video Summarization", ("VS", "")),
        ("Instructional Predicting", "FCP", ("IP", "FCP")),
    ],
)
def test_tasks_are_known_by_the_papers_names(task, subtask, expected):
    assert Lemon.place_of(task, subtask) == expected


@pytest.mark.parametrize(
    ("task", "subtask"), [("AE", ""), ("AE", "KCR"), ("SP", "VS"), ("SP", "OCR"), ("TA", "KCR"), ("", "")]
)
def test_what_does_not_belong_together_is_refused(task, subtask):
    with pytest.raises(Malformed):
        Lemon.place_of(task, subtask)


def test_conversations_stand_together_in_the_order_of_their_turns(tmp_path):
    said = [("b", 2, "KCR"), ("a", 1, "DCC"), (None, None, "LDT"), ("b", 1, "KCR"), ("a", 3, "LDT"), ("a", 2, "DCC")]
    records = [lemon_question(n, session=s, turn=t, subtask=part) for n, (s, t, part) in enumerate(said)]
    rows, _, remarks = units(Lemon, write_release(tmp_path, *records), "SP")
    found = [(row["id"], row["session_id"], row["turn"]) for row in rows]
    assert found == [("q3", "b", 0), ("q0", "b", 1), ("q1", "a", 0), ("q5", "a", 1), ("q4", "a", 2), ("q2", "", 0)]
    assert remarks == []
    assert json.loads(rows[0]["source"])["turn"] == 1


def test_a_conversation_of_which_one_turn_has_no_number_is_remarked(tmp_path):
    records = [lemon_question(n, session="s", turn=turn) for n, turn in enumerate([2, ..., 1])]
    rows, _, remarks = units(Lemon, write_release(tmp_path, *records), "SP")
    assert [(row["id"], row["turn"]) for row in rows] == [("q0", 0), ("q1", 1), ("q2", 2)]
    assert remarks == ["questions of a conversation lack a turn; the file's order counts (1: s)"]


def test_an_order_without_clips_and_a_summary_without_terms_are_remarked(tmp_path):
    _, remarks = one(tmp_path / "TA", ordering(clips=[], video="clip1.mp4"), "TA")
    assert remarks == ["a question about an order has no clips (1: q0)"]
    _, remarks = one(tmp_path / "VS", open_ended(key_terms=[]), "VS")
    assert remarks == ["a summary has no key terms, so it cannot be scored (1: q0)"]


def test_turns_that_are_not_given_follow_the_file_and_doubtful_ones_are_remarked(tmp_path):
    records = [lemon_question(n, session="s") for n in range(3)]
    rows, _, remarks = units(Lemon, write_release(tmp_path, *records), "SP")
    assert ([row["turn"] for row in rows], remarks) == ([0, 1, 2], [])
    records = [
        lemon_question(n, session=session, turn=turn)
        for n, (session, turn) in enumerate([("s", 0), ("s", 0), ("t", 1), ("t", "3")])
    ]
    rows, _, remarks = units(Lemon, write_release(tmp_path, *records), "SP")
    assert [row["turn"] for row in rows] == [0, 1, 0, 1]
    assert remarks == [
        "questions of a conversation have the same turn; the file's order counts (1: s)",
        "a conversation lacks a turn (1: t)",
    ]


def test_clips_keep_the_releases_order_and_orders_become_text(tmp_path):
    row, remarks = one(tmp_path, ordering(), "TA")
    assert remarks == []
    assert [clip["id"] for clip in row["clips"]] == ["c3", "c1", "c2"]
    assert [clip["path"] for clip in row["clips"]] == [place(f"part{n}") for n in (3, 1, 2)]
    assert (row["video_id"], row["video_path"]) == ("", "")
    assert row["options"][1] == "c2 → c1 → c3"
    assert (row["answer_index"], row["answer"]) == (1, "c2 → c1 → c3")


def test_clips_may_be_parts_of_the_questions_video_or_files_of_their_id(tmp_path):
    parts = [{"id": "c1", "start": "00:10", "end": 30}, {"id": "c2", "start": 40, "end": 60, "video": "x.mp4"}, "c3"]
    row, _ = one(tmp_path, ordering(clips=parts, video="lecture.mp4"), "TA")
    assert row["clips"] == [
        {"id": "c1", "path": place("lecture"), "start": 10, "end": 30},
        {"id": "c2", "path": place("x"), "start": 40, "end": 60},
        {"id": "c3", "path": place("c3"), "start": None, "end": None},
    ]


def test_options_that_are_texts_of_orders_are_kept(tmp_path):
    texts = [", ".join(order) for order in ORDERS]
    row, _ = one(tmp_path, ordering(options=texts, answer="D"), "TA")
    assert (row["options"], row["answer"]) == (texts, texts[3])
    _, remarks = one(tmp_path, ordering(options=["1-2-3", "2-1-3"], answer="A"), "TA")
    assert remarks == ["an option does not name every clip of the question (1: q0)"]


def test_pictures_as_options_are_numbered_and_placed(tmp_path):
    row, _ = one(tmp_path, listening(answer="C"), "AC")
    assert row["option_media"] == [picture_place(f"f{n}.png") for n in range(4)]
    assert row["options"] == ["picture 1", "picture 2", "picture 3", "picture 4"]
    assert (row["answer_index"], row["answer"]) == (2, "picture 3")
    row, _ = one(tmp_path, listening(options=["w", "x", "y", "z"]), "AC")
    assert row["options"] == ["w", "x", "y", "z"]


def test_the_four_transcripts_are_plain_options(tmp_path):
    row, _ = one(
        tmp_path, lemon_question(task="AC", subtask="ST", options={"A": "a", "B": "b", "C": "c", "D": "d"}), "AC"
    )
    assert (row["options"], row["answer"]) == (["a", "b", "c", "d"], "c")


@pytest.mark.parametrize(
    ("record", "config", "message"),
    [
        (lemon_question(options=...), "SP", "options: is missing"),
        (lemon_question(video=...), "SP", "video: is missing"),
        (lemon_question(session="s", turn="first"), "SP", "turn: 'first' is no whole number"),
        (lemon_question(session=["s"]), "SP", "session: expected text"),
        (ordering(clips=[{"video": "a.mp4"}]), "TA", "clips: is empty"),
        (ordering(clips=[{"id": "a"}, {"id": "a"}]), "TA", "clips: two clips have the same id"),
        (ordering(clips=[{"id": "a", "start": 9, "end": 3}], video="v.mp4"), "TA", "clips: a ends at 3.0 s"),
        (ordering(clips=[{"id": "a", "start": "x"}], video="v.mp4"), "TA", "start: 'x' is no time"),
        (ordering(clips=...), "TA", "video: is missing"),
        (ordering(answer=["c9"]), "TA", "answer: 'c9' is none of the options"),
        (listening(option_images=["a.png"], options=["x", "y"]), "AC", "option_images: 1 pictures for 2 options"),
        (listening(option_images=[["a.png"], "b.png", "c.png"]), "AC", "option_images: expected text, found list"),
        (open_ended(0, "KT"), "KT", "target_language: is missing"),
        (open_ended(0, "KT", target_language="Klingon"), "KT", "'Klingon' is not known; known are ar, zh"),
        (open_ended(0, "KT", target_language="de", key_terms=5), "KT", "key_terms: expected a list"),
        (open_ended(0, "VS", key_terms=[{"language": "de"}]), "VS", "key_terms: is empty"),
        (open_ended(0, "VS", answer=["a"]), "VS", "answer: expected text or a position, found list"),
        (open_ended(0, "VS", question=None), "VS", "question: is missing"),
    ],
)  # fmt: skip
def test_a_malformed_question_is_left_out_with_its_field(tmp_path, record, config, message):
    reason, _ = one(tmp_path, record, config)
    assert message in reason


def test_one_translation_a_language_whichever_way_it_is_written(tmp_path):
    answers = {"Chinese": "弹簧", "de": "Feder", "French": "ressort"}
    terms = [{"term": "spring", "translations": {"zh": "弹簧", "German": "Feder"}}, {"term": "force", "de": "Kraft"}]
    together = open_ended(0, "KT", answer=answers, key_terms=terms)
    rows, left_out, _ = units(Lemon, write_release(tmp_path, together), "KT")
    assert left_out == []
    found = {row["target_language"]: (row["id"], row["answer"], row["key_terms"]) for row in rows}
    assert list(found) == ["zh", "fr", "de"]  # the order of the paper's table
    assert found["zh"] == ("q0-zh", "弹簧", [{"term": "spring", "language": "zh", "translation": "弹簧"}])
    assert found["fr"] == ("q0-fr", "ressort", [])
    assert [term["translation"] for term in found["de"][2]] == ["Feder", "Kraft"]
    assert all(json.loads(row["source"]) == together for row in rows)

    listed = open_ended(1, "KT", target_language=["de", "ja"], answer=None)
    rows, _, _ = units(Lemon, write_release(tmp_path, listed), "KT")
    assert [(row["id"], row["target_language"], row["answer"]) for row in rows] == [
        ("q1-de", "de", ""),
        ("q1-ja", "ja", ""),
    ]

    single = open_ended(2, "KT", target_language="zh-CN", answer="弹簧")
    rows, _, _ = units(Lemon, write_release(tmp_path, single), "KT")
    assert [(row["id"], row["target_language"], row["answer"]) for row in rows] == [("q2", "zh", "弹簧")]


def test_a_summarys_key_terms_are_english_and_stand_once(tmp_path):
    terms = [{"term": "spring", "language": code, "translation": "x"} for code in LANGUAGES] + [{"term": "force"}]
    row, _ = one(tmp_path, open_ended(key_terms=terms), "VS")
    assert row["key_terms"] == [{"term": name, "language": "en", "translation": ""} for name in ("spring", "force")]
    assert one(tmp_path, open_ended(answer=..., key_terms=["a b"]), "VS")[0]["answer"] == ""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, []),
        ("a, b;c", [("a", "en", ""), ("b", "en", ""), ("c", "en", "")]),
        (["a", 5], [("a", "en", ""), ("5", "en", "")]),
        ([{"term": "a", "language": "Russian", "translation": "я"}], [("a", "ru", "я")]),
        ([{"term": "a", "ko": "가", "Spanish": "e"}], [("a", "ko", "가"), ("a", "es", "e")]),
        ({"a": {"ar": "ا"}, "b": None}, [("a", "ar", "ا"), ("b", "en", "")]),
    ],
)
def test_key_terms_of_all_forms(value, expected):
    assert [tuple(term.values()) for term in read_terms(value)] == expected


@pytest.mark.parametrize(
    "value", [5, [None], [{"term": ["a"]}], [{"term": "a", "xx": "b"}], [{"term": "a", "translations": ["b"]}]]
)
def test_what_are_no_key_terms_is_named(value):
    with pytest.raises(Malformed):
        read_terms(value)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Arabic", "ar"),
        ("zh_Hans", "zh"),
        ("Chinese (Simplified)", "zh"),
        (" FR ", "fr"),
        ("ja-JP", "ja"),
        ("English", "en"),
    ],
)
def test_languages_are_known_by_name_and_code(name, code):
    assert language_code(name) == code


def test_totals_that_are_certain_are_checked_and_subtasks_are_not(tmp_path):
    records = [lemon_question(0), lemon_question(1, task="AC", subtask="ST"), open_ended(2, key_terms=["spring"])]
    release = write_release(tmp_path, *records, sample=False)
    assert units(Lemon, release, "SP")[2] == ["`SP` should hold 1,285 questions, found 1"]
    assert units(Lemon, release, "AC")[2] == ["`AC` should hold 578 questions, found 1"]
    assert units(Lemon, release, "VS")[2] == ["`VS` and `KT` should hold 768 questions together, found 1"]
    counted = {config.name: config.expected for config in Lemon.BUILDER_CONFIGS}
    assert counted == {"SP": 1285, "OR": 806, "AC": 578, "TA": 310, "IP": 434, "VS": None, "KT": None}
    assert sum(count or 0 for count in counted.values()) == 3_413  # the paper's multiple-choice questions


@pytest.mark.parametrize("languages", [1, 8])
def test_translations_may_be_counted_by_language_or_by_record(tmp_path, languages):
    names = list(LANGUAGES[:languages])
    records = [open_ended(n, key_terms=["spring"]) for n in range(384)]
    records += [open_ended(1000 + n, "KT", target_language=names) for n in range(384 // languages)]
    release = write_release(tmp_path, *records, sample=False)
    assert [units(Lemon, release, config)[2] for config in ("VS", "KT")] == [[], []]


@pytest.fixture(scope="module")
def layout(tmp_path_factory, clip):
    """A layout of all tasks: clips without a video around them, pictures loose and in an archive, some missing."""
    root = tmp_path_factory.mktemp("lemon")
    records = [
        *(lemon_question(n, session="s", turn=n, subtask=part) for n, part in enumerate(("KCR", "DCC", "LDT"))),
        lemon_question(3, task="OR", subtask="OCR"),
        listening(4, option_images=["q4/f1.png", "q4/f2.png", "q4/f3.png", "q4/f4.png"]),
        listening(5, option_images=["q5/f1.png", "q5/f2.png", "q5/f3.png", "q5/f4.png"]),
        ordering(6),
        lemon_question(7, task="IP", subtask="TIR", video="gone.mp4"),
        open_ended(8, key_terms=["spring"]),
        open_ended(9, "KT", target_language=list(LANGUAGES), answer={code: code for code in LANGUAGES}),
    ]
    files = {f"images/q4/f{n}.png": picture((n * 20, 0, 0)) for n in range(1, 5)}
    files |= {f"videos/{name}.mp4": clip for name in ("clip1", "part1", "part2")}
    release = write_release(root / "release", *records, files=files)
    with zipfile.ZipFile(release / "images.zip", "w") as archive:
        for n in range(1, 4):
            archive.writestr(f"images/q5/f{n}.png", picture((0, n * 20, 0)))
    return build("lemon", release=release, to=root / "layout")


def test_pictures_clips_and_videos_are_placed_and_the_missing_ones_named(layout):
    opened = open_layout(layout)
    missing = {path for config in opened.configs for path in missing_media(opened, read_rows(opened, config))}
    assert missing == {picture_place("q5/f4.png"), place("part3"), place("gone")}
    assert (opened.facts["missing_videos"], opened.facts["missing_pictures"]) == (2, 1)
    for row in read_rows(layout, "AC"):
        colours = []
        for path in row["option_media"]:
            if (layout / path).exists():
                with Image.open(layout / path) as opened_picture:
                    colours.append(opened_picture.getpixel((0, 0)))
        number = int(row["id"][1:])
        expected = [(n * 20, 0, 0) if number == 4 else (0, n * 20, 0) for n in range(1, 5)]
        assert colours == expected[: len(colours)]
        assert len(colours) == (4 if number == 4 else 3)


def test_every_config_loads_also_as_a_stream(layout, tmp_path):
    for config in open_layout(layout).configs:
        plain = read_rows(layout, config)
        loaded = load_dataset(str(layout), config, split="test", cache_dir=str(tmp_path)).cast_column(
            "video", datasets.Video(decode=False)
        )
        streamed = load_dataset(str(layout), config, split="test", streaming=True).cast_column(
            "video", datasets.Video(decode=False)
        )
        columns = [name for name in plain.column_names if name != "file_name"]
        wanted = plain.select_columns(columns).to_list()
        assert loaded.select_columns(columns).to_list() == wanted
        assert [{name: row[name] for name in columns} for row in streamed] == wanted


def test_the_video_of_a_question_is_decoded_where_it_has_one(layout, tmp_path):
    row = load_dataset(str(layout), "SP", split="test", cache_dir=str(tmp_path))[2]
    assert (row["session_id"], row["turn"], row["video"][0].shape) == ("s", 2, (3, 48, 64))


def test_a_built_layout_has_no_faults_but_the_missing_files(layout):
    opened = open_layout(layout)
    for config in opened.configs:
        problems = check_rows(read_rows(opened, config), layout, hidden=False)
        assert all("is missing" in str(problem) for problem in problems)


def test_the_field_map_of_the_card_reads_what_it_describes(tmp_path):
    own = re.search(r"```yaml\n(.*?)```", CARD.read_text(), re.DOTALL)[1]
    assert set(yaml.safe_load(own)["fields"]) <= Lemon.FIELDS
    asked = {"query": "Which?", "A": "w", "B": "x", "C": "y", "D": "z", "gold": "B"}
    spoken = [{"clip_id": "seg7", "qa_list": [asked | {"type": "type1"}, asked | {"type": "type3"}]}]
    read = [{"clip_id": "seg8", "qa_list": [asked | {"type": "PS"}]}]
    files = {"sp/a.json": json.dumps(spoken), "ocr.json": json.dumps(read), "field_map.yaml": own}
    release = write_release(tmp_path, name="notes.txt", files=files)
    assert Lemon.configs_in(list_files(release)) == ["SP", "OR"]
    rows, left_out, remarks = units(Lemon, release, "SP")
    assert (left_out, remarks) == ([], [])
    assert [(row["id"], row["subtask"], row["session_id"], row["turn"]) for row in rows] == [
        ("seg7-1", "KCR", "seg7", 0),
        ("seg7-2", "LDT", "seg7", 1),
    ]
    assert units(Lemon, release, "OR")[0][0]["answer"] == "x"


def test_a_file_of_one_task_may_say_it_by_being_there_and_strangers_in_it_are_told(tmp_path):
    fields = ", ".join(f"{name}: {name}" for name in ("id", "video", "question", "answer", "task"))
    own = f"files: {{TA: [ta.jsonl], VS: [vs.jsonl]}}\nfields: {{{fields}}}"
    write_release(
        tmp_path, open_ended(0, task=...), open_ended(1, task="KT"), name="vs.jsonl", files={"field_map.yaml": own}
    )
    rows, left_out, _ = units(Lemon, tmp_path, "VS")
    assert [row["task"] for row in rows] == ["VS"]
    assert "task: is KT, in a file that is of VS" in left_out[0]


def test_the_card_states_what_a_build_expects():
    front, text = read_card(CARD)
    assert front["pretty_name"] == "LEMON"
    assert "Layout unverified" in text
    for config in Lemon.BUILDER_CONFIGS:
        assert f"`{config.name}`" in text
        assert config.expected is None or f"| {config.expected:,} |" in text
    stated = yaml.safe_load((CARD.parent / "field_map.yaml").read_text())["fields"]
    assert stated.keys() == Lemon.FIELDS
    assert all(f"`{field}`" in text for field in Lemon.FIELDS)


ODD = [
    *(None, "", 0, -1, 1.5, float("nan"), float("inf"), 10**30, True, [], {}, [None], [[]], {"a": None}, {"A": "x"}),
    *("x", "A", "../../etc", "/", ".", "..", " ", "\0", "12:60", "a.srt", [{"id": None}], [1, 2], ["de", "fr"]),
    *({"de": "x", "xx": 1}, [{"term": 1}], [{"start": 1, "end": 2, "text": 3}], [{"id": "a", "start": "x"}], "\ud800"),
]


@pytest.mark.parametrize("field", sorted(Lemon.FIELDS))
def test_no_value_of_any_field_stops_a_build(tmp_path, field):
    bases = [
        lemon_question(session="s", turn=1),
        ordering(),
        listening(),
        open_ended(),
        open_ended(0, "KT", target_language="de"),
    ]
    records = [
        (base | {"id": f"{kind}-{n}"} | {field: value})
        for n, value in enumerate(ODD)
        for kind, base in enumerate(bases)
    ]
    lines = [json.dumps(record) for record in [*bases, *records]]
    to = build("lemon", release=write_release(tmp_path / "release", *lines), to=tmp_path / "layout")
    opened = open_layout(to)
    kept = sum(len(read_rows(opened, config)) for config in opened.configs)
    assert kept + opened.facts["left_out"] >= len(lines)  # nothing is lost without a word
    problems = [str(p) for config in opened.configs for p in check_rows(read_rows(opened, config), to, hidden=False)]
    assert all("is missing" in problem for problem in problems)

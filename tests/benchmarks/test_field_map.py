import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from neutral_releases import units, write_release

from chalkbench.benchmarks.field_map import Question, read_field_map, walk
from chalkbench.benchmarks.release import Malformed
from chalkbench.benchmarks.vira_bench.builder import ViraBench
from chalkbench.errors import ChalkbenchError

KNOWN = frozenset({"id", "question", "options", "answer", "clips", "task", "clip_start", "tags", "video", "subtask"})


def field_map(tmp_path, text):
    path = tmp_path / "field_map.yaml"
    path.write_text(text)
    return read_field_map(path, known=KNOWN, needed=frozenset({"id"}), configs=["one", "two"])


def pick(tmp_path, place, record, outer=None, number=1):
    """What `tags: <place>` finds in a record."""
    found = field_map(tmp_path, f"files: [a.jsonl]\nfields: {{id: id, tags: {place}}}")
    return found.pick(Question.of(record, outer=outer or {}, number=number)).get("tags")


@pytest.mark.parametrize(
    ("place", "record", "expected"),
    [
        ("x", {"x": [1]}, [1]),
        ("x.y.1", {"x": {"y": [1, 2]}}, 2),
        ("x.y", {"x.y": 3}, 3),
        ("[x, y]", {"x": None, "y": 2}, 2),
        ("[x, y]", {"x": "", "y": 2}, 2),
        ("x", {"x": 0}, 0),
        ("x", {}, None),
        ('"#"', {}, 1),
        ("../x", {"x": 1}, 5),
        ("{each: [a, b, c]}", {"a": 1, "c": 3}, [1, 3]),
        ('{join: [a, "#", b], by: "-"}', {"a": "x", "b": 2}, "x-1-2"),
        ('{join: [a, b], by: "-"}', {"a": "x"}, None),
        ("{is: 7}", {}, 7),
        ('{from: x, as: split, by: ";"}', {"x": "a; b;;c"}, ["a", "b", "c"]),
        ("{from: x, as: split}", {"x": ["a"]}, ["a"]),
        ("{from: x, as: number}", {"x": "2"}, 2),
        ("{from: x, as: from_one}", {"x": "2"}, 1),
        ("{from: x, as: milliseconds}", {"x": "1500"}, 1.5),
        ("{from: x, as: json}", {"x": "['a', \"b\"]"}, ["a", "b"]),
        ("{from: x, as: name}", {"x": "D:\\videos\\a.mp4"}, "a.mp4"),
        ("{from: x, as: text}", {"x": 5}, "5"),
        ("{from: x, values: {type 1: A, 2: B}}", {"x": "type 1"}, "A"),
        ("{from: x, values: {type 1: A, 2: B}}", {"x": 2}, "B"),
        ("{from: x, values: {type 1: A, '2': B}}", {"x": 2}, "B"),
        ("{from: x, values: {a: A}}", {"x": ["a", "b", {"a": 1}]}, ["A", "b", {"a": 1}]),
        ("{from: x, keys: {start: from, text: said}}", {"x": [{"from": 1, "said": "a", "who": "b"}]},
         [{"who": "b", "start": 1, "text": "a"}]),
    ],
)  # fmt: skip
def test_a_field_is_found_where_the_map_says(tmp_path, place, record, expected):
    assert pick(tmp_path, place, record, outer={"x": 5}) == expected


@pytest.mark.parametrize("how", ["number", "from_one", "milliseconds"])
def test_a_value_that_cannot_be_read_names_its_path(tmp_path, how):
    with pytest.raises(Malformed, match=rf"a\.b: 'soon' cannot be read as {how}"):
        pick(tmp_path, f"{{from: a.b, as: {how}}}", {"a": {"b": "soon"}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fields: [", "is no valid YAML"),
        ("just words", "expected `files` and `fields`"),
        ("fields: {id: id}\nrecord: x", "no such part: 'record'. Known are fields, files, items, records"),
        ("files: [a]\nfields: {id: id, qestion: q}", "no such field: 'qestion'. Known are answer,"),
        ("files: [a]\nfields: {question: q}", "must say where `id` stands"),
        ("files: [a]\nfields: {id: {from: q, as: clock}}", "no such `as` of `id`: 'clock'. Known are from_one"),
        ("files: [a]\nfields: {id: {form: q}}", "no such part of `id`: 'form'"),
        ("files: [a]\nfields: {id: {from: q, is: r}}", "`id` needs one of `from`, `each`, `join`, `is`"),
        ("files: [a]\nfields: {id: {as: text}}", "`id` needs one of"),
        ("files: [a]\nfields: {id: []}", "`id` needs a key or a list of keys"),
        ("files: [a]\nfields: {id: {from: q, values: [a]}}", "`values` of `id` must be a mapping"),
        ("fields: {id: id}", "`files` must name files"),
        ("files: {}\nfields: {id: id}\nitems: 3", "`items` must be a path"),
        ("files: {three: [a]}\nfields: {id: id}", "no such config: 'three'. Known are one, two"),
        ("files: {one: 7}\nfields: {id: id}", "`files` must name files"),
        ("files: []\nfields: {id: id}", "`files` must name files"),
    ],
)
def test_a_wrong_map_is_told_with_what_there_is(tmp_path, text, message):
    with pytest.raises(ChalkbenchError) as error:
        field_map(tmp_path, text)
    assert message in str(error.value)
    assert str(tmp_path / "field_map.yaml") in str(error.value)


def test_files_may_be_the_same_for_all_configs_or_said_for_each(tmp_path):
    assert field_map(tmp_path, "files: a.json\nfields: {id: id}").files == {"one": ("a.json",), "two": ("a.json",)}
    assert field_map(tmp_path, "files: {two: [b, c]}\nfields: {id: id}").files == {"two": ("b", "c")}


def read(tmp_path, name, content, head=""):
    path = tmp_path / name
    path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content)
    return list(field_map(tmp_path, f"files: [x]\n{head}\nfields: {{id: id}}").read(path))


def test_records_of_all_forms_of_files(tmp_path):
    wanted = [{"id": "a"}, {"id": "b"}]
    pq.write_table(pa.Table.from_pylist(wanted), tmp_path / "p.parquet")
    for name, content, head in [
        ("a.jsonl", '{"id": "a"}\n\n{"id": "b"}\n', ""),
        ("a.json", json.dumps(wanted), ""),
        ("b.json", json.dumps({"data": {"test": wanted}}), "records: data.test"),
        ("a.csv", "id\na\nb\n", ""),
        ("a.tsv", '\ufeffid\na\n"b"\n', ""),
        ("p.parquet", (tmp_path / "p.parquet").read_bytes(), ""),
    ]:
        found = read(tmp_path, name, content, head)
        assert [record for _, record in found] == wanted, name
        assert all(where.startswith(name) for where, _ in found)


def test_a_mapping_of_records_keeps_its_keys(tmp_path):
    found = read(tmp_path, "a.json", '{"v1": {"id": "a"}, "v2": [1]}', 'records: "."')
    assert [record for _, record in found] == [{"key": "v1", "id": "a"}, {"key": "v2", "value": [1]}]


def test_a_json_file_without_a_list_names_its_keys(tmp_path):
    with pytest.raises(ChalkbenchError, match=r"no list of records in the file \(its keys: version, data\)"):
        read(tmp_path, "a.json", '{"version": 1, "data": []}')
    with pytest.raises(ChalkbenchError, match="no list of records at 'x'"):
        read(tmp_path, "a.json", '{"version": 1, "data": []}', "records: x")


def test_items_know_the_record_around_them_and_their_number(tmp_path):
    content = json.dumps([{"v": 1, "qa": [{"id": "a"}, {"id": "b"}]}, {"v": 2, "qa": '[{"id": "c"}, 5]'}, {"v": 3}, 4])
    found = read(tmp_path, "a.json", content, "items: qa")
    assert [question for _, question in found] == [
        *({"id": "a"}, {"id": "b"}, {"id": "c"}, 5),
        "no list of questions at 'qa'",
        4,
    ]
    assert [(question.outer, question.number) for _, question in found[:3]] == [
        ({"v": 1}, 1),
        ({"v": 1}, 2),
        ({"v": 2}, 1),
    ]
    assert found[1][0] == "a.json entry 0, qa 1"


def test_a_path_that_leads_nowhere_is_nothing():
    assert [walk({"a": [1]}, path) for path in ("b", "a.5", "a.x", "a.0.b", "a.-1")] == [None] * 5


RENAMED = """
files: [meta/*.json]
records: payload
items: mcqs
fields:
  id: {join: [../clip_key, "#"], by: "/"}
  video: ../media.path
  duration: {from: ../media.ms, as: milliseconds}
  subtitles: {from: ../asr.chunks, keys: {start: t0, end: t1, text: said}}
  question: stem
  options: {each: [choices.A, choices.B, choices.C, choices.D]}
  answer: {from: gold, as: from_one}
  subtask: {from: label, values: {Action Ident.: AI, plausible cause: CA}}
  tags: {from: meta.strategy, as: split, by: "|"}
"""


def test_a_renamed_release_is_read_by_a_field_map_alone(tmp_path):
    question = {
        "stem": "Why?",
        "choices": {"A": "w", "B": "x", "C": "y", "D": "z"},
        "gold": "2",
        "label": "plausible cause",
        "meta": {"strategy": "length|tone"},
    }
    chunks = [{"t0": 0, "t1": "00:02.5", "said": "Circle it."}]
    clip = {"clip_key": "k7", "media": {"path": "mp4/k7.mp4", "ms": 32400}, "asr": {"chunks": chunks}}
    clip["mcqs"] = [question, question | {"label": "Action Ident.", "gold": 4}]
    write_release(tmp_path, json.dumps({"payload": [clip]}), name="meta/part1.json", files={"field_map.yaml": RENAMED})
    rows, left_out, remarks = units(ViraBench, tmp_path)
    assert (left_out, remarks) == ([], [])
    assert [row["id"] for row in rows] == ["k7/1", "k7/2"]
    assert [(row["task"], row["subtask"], row["answer"]) for row in rows] == [("ICR", "CA", "x"), ("OEG", "AI", "z")]
    assert rows[0]["subtitles"] == [{"start": 0, "end": 2.5, "text": "Circle it."}]
    assert (rows[0]["video_id"], rows[0]["duration"], rows[0]["tags"]) == ("k7", 32.4, ["length", "tone"])
    assert json.loads(rows[0]["source"])["../"]["media"] == {"path": "mp4/k7.mp4", "ms": 32400}


def test_a_field_that_no_record_has_is_remarked_for_a_map_of_the_users_own(tmp_path):
    own = (
        "files: [q.jsonl]\nfields: {id: id, video: id, question: q, options: o, answer: a, subtask: s, course: curse}"
    )
    record = {"id": "x", "q": "?", "o": ["a", "b", "c", "d"], "a": "A", "s": "AI"}
    write_release(tmp_path, record, name="q.jsonl", files={"field_map.yaml": own})
    assert units(ViraBench, tmp_path)[2] == ["no record has `course`, looked for at `curse` (field_map.yaml)"]


def test_a_missing_value_names_the_key_that_the_map_gives(tmp_path):
    own = "files: [q.jsonl]\nfields: {id: [key, id], question: query, subtask: s}"
    write_release(tmp_path, {"query": "?", "s": "AI"}, name="q.jsonl", files={"field_map.yaml": own})
    assert "video: is missing" in units(ViraBench, tmp_path)[1][0]
    write_release(tmp_path, {"query": "?", "s": "AI", "video": "a"}, name="q.jsonl")
    (tmp_path / "field_map.yaml").write_text(own.replace("subtask", "video: video, subtask"))
    assert "id: is missing (looked for at `key` or `id`)" in units(ViraBench, tmp_path)[1][0]


def test_a_map_whose_files_are_not_there_is_told(tmp_path):
    write_release(tmp_path, {}, files={"field_map.yaml": "files: [nothing*.json]\nfields: {id: a, question: b}"})
    with pytest.raises(ChalkbenchError, match=r"no file of the release fits nothing\*\.json"):
        ViraBench.configs_in(ViraBench(data_dir=tmp_path, cache_dir=tmp_path / ".c").files)

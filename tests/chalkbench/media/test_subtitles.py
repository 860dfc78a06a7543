import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.media import MediaError
from chalkbench.media.subtitles import Cue, as_text, cues_from, normalise, read_subtitles, within

SRT = """1
00:00:01,000 --> 00:00:02,500
Let us <i>begin</i>
with limits.

2
00:00:02,500 --> 00:01:04,000
If x < 3 and y > 2, then…
"""

VTT = """WEBVTT
Kind: captions

NOTE this is no cue

STYLE
::cue { color: white }

intro
00:01.000 --> 00:02.500 align:start position:0%
<v Teacher>Let us <00:00:01.500><c>begin</c></v>

NOTE neither is this

2 and a name

00:00:02.500 --> 01:00:04.000
<c.yellow>with</c> limits &amp; &lt;more&gt;.
"""


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class TestReading:
    def test_srt(self, tmp_path):
        assert read_subtitles(write(tmp_path, "a.srt", SRT)) == [
            Cue(1.0, 2.5, "Let us begin\nwith limits."),
            Cue(2.5, 64.0, "If x < 3 and y > 2, then…"),
        ]

    def test_webvtt_without_hours_notes_styles_and_markup(self, tmp_path):
        assert read_subtitles(write(tmp_path, "a.vtt", VTT)) == [
            Cue(1.0, 2.5, "Let us begin"),
            Cue(2.5, 3604.0, "with limits & <more>."),
        ]

    @pytest.mark.parametrize("suffix", ["srt", "vtt"])
    def test_formulas_are_no_markup(self, tmp_path, suffix):
        formula = r"if a<b and c>d, {x, y} in \frac{1}{2} \nabla f"
        times = "00:00:01,000 --> 00:00:02,000" if suffix == "srt" else "WEBVTT\n\n00:00:01.000 --> 00:00:02.000"
        assert read_subtitles(write(tmp_path, f"a.{suffix}", f"{times}\n{formula}\n")) == [Cue(1.0, 2.0, formula)]

    def test_substation_overrides_are_markup(self, tmp_path):
        head = "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\n\n[Events]\n"
        form = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        line = r"Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\i1}Let us{\i0}\Nbegin"
        assert read_subtitles(write(tmp_path, "a.ass", head + form + line)) == [Cue(1.0, 2.5, "Let us\nbegin")]

    def test_a_byte_order_mark_and_windows_line_ends(self, tmp_path):
        content = b"\xef\xbb\xbf" + SRT.replace("\n", "\r\n").encode()
        assert read_subtitles(write(tmp_path, "a.srt", content))[0] == Cue(1.0, 2.5, "Let us begin\nwith limits.")

    def test_json_with_end_or_duration(self, tmp_path):
        data = [{"start": 2, "duration": 1.5, "text": "b"}, {"start": 0, "end": 2, "text": "a"}]
        assert read_subtitles(write(tmp_path, "a.json", json.dumps(data))) == [Cue(0, 2, "a"), Cue(2, 3.5, "b")]

    def test_an_entry_of_video_mmlus_transcripts(self):
        entry = {"video_id": "x", "org_text": {"transcript": [{"start": 1.5, "duration": 2, "text": " Hello. "}]}}
        assert cues_from(entry) == [Cue(1.5, 3.5, "Hello.")]

    def test_whispers_own_json(self):
        assert cues_from({"text": "a", "segments": [{"id": 0, "start": 0.0, "end": 1.0, "text": " a"}]}) == [
            Cue(0.0, 1.0, "a")
        ]

    def test_empty_cues_are_left_out_and_order_is_that_of_time(self):
        data = [{"start": 5, "end": 6, "text": "b"}, {"start": 1, "end": 2, "text": " "}]
        assert cues_from([*data, {"start": 3, "end": 4, "text": "a"}]) == [Cue(3, 4, "a"), Cue(5, 6, "b")]

    @pytest.mark.parametrize("name", ["a.srt", "a.vtt"])
    def test_an_empty_file_has_no_cues(self, tmp_path, name):
        assert read_subtitles(write(tmp_path, name, "")) == []

    def test_an_empty_list_has_no_cues(self, tmp_path):
        assert read_subtitles(write(tmp_path, "a.json", "[]")) == []

    def test_a_missing_file_is_missing(self, tmp_path):
        with pytest.raises(MediaError, match="does not exist") as caught:
            read_subtitles(tmp_path / "a.srt")
        assert caught.value.reason == "media_missing"

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("a.srt", "Just some words.\n", "no cue found"),
            ("a.vtt", "Just some words.\n", "no cue found|is no subtitle file"),
            ("a.xyz", "Just some words.\n", "is no subtitle file"),
            ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nGr\xfc\xdfe\n".encode("latin-1"), "is not UTF-8"),
            ("a.json", "[{", "Expecting"),
            ("a.json", '{"cues": []}', "expected a list of cues"),
            (
                "a.json",
                '[{"start": 1, "end": 2, "text": "a"}, {"start": 1, "text": "b"}]',
                r"cue 1: field 'end' \(or 'duration'\)",
            ),
            ("a.json", '[{"end": 2, "text": "a"}]', "cue 0: field 'start'"),
            ("a.json", '[{"start": "one", "end": 2, "text": "a"}]', "cue 0: .*numbers"),
            ("a.json", '[{"start": 3, "end": 2, "text": "a"}]', "cue 0: ends at 2.0 s"),
            ("a.json", '[{"start": 1, "end": 2, "text": null}]', "cue 0: text"),
            ("a.json", '["hello"]', "cue 0: expected"),
        ],
    )
    def test_what_is_wrong_is_said(self, tmp_path, name, content, message):
        with pytest.raises(MediaError, match=message) as caught:
            read_subtitles(write(tmp_path, name, content))
        assert caught.value.reason == "decode_error"


ANY_CUES = st.lists(
    st.tuples(st.floats(0, 100), st.floats(0, 20)).map(lambda pair: Cue(pair[0], pair[0] + pair[1], "x")), max_size=20
)


class TestWithin:
    CUES = (Cue(0, 2, "a"), Cue(2, 4, "b"), Cue(4, 6, "c"))

    def test_a_cue_that_straddles_a_bound_is_cut_in_time(self):
        assert within(self.CUES, 1, 5) == [Cue(1, 2, "a"), Cue(2, 4, "b"), Cue(4, 5, "c")]

    def test_a_cue_that_ends_at_the_start_or_begins_at_the_end_is_outside(self):
        assert within(self.CUES, 2, 4) == [Cue(2, 4, "b")]

    def test_no_bounds_keep_all(self):
        assert within(self.CUES, None, None) == list(self.CUES)
        assert within(self.CUES, 4, None) == [Cue(4, 6, "c")]
        assert within(self.CUES, None, 2) == [Cue(0, 2, "a")]

    def test_a_cue_of_no_length_stays_where_it_is(self):
        assert within([Cue(2, 2, "a")], 2, 4) == [Cue(2, 2, "a")]
        assert within([Cue(4, 4, "a")], 2, 4) == []

    @given(ANY_CUES, st.floats(0, 60), st.floats(0.1, 60))
    def test_nothing_reaches_beyond_the_bounds(self, cues, start, length):
        for cue in within(cues, start, start + length):
            assert start <= cue.start <= cue.end <= start + length

    @given(ANY_CUES, st.floats(0, 100))
    def test_two_adjoining_parts_hold_the_whole_time(self, cues, border):
        parts = within(cues, None, border) + within(cues, border, None)
        assert sum(cue.end - cue.start for cue in parts) == pytest.approx(sum(cue.end - cue.start for cue in cues))


def test_text_is_one_paragraph():
    assert as_text([Cue(0, 1, "Let us begin\nwith"), Cue(1, 2, "  limits. "), Cue(2, 3, " ")]) == (
        "Let us begin with limits."
    )
    assert as_text([]) == ""


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("“Don’t” — he said…", '"Don\'t" - he said...'),
        ("so ， we 、 have （ two ） ！", "so, we, have (two)!"),
        ("a   b\n c , d ; e", "a b c, d; e"),
        ("pages 3–5", "pages 3 - 5"),
        ("well\u2010known co\u00adoperate\u200b", "well-known cooperate"),
        ("x = .5 and y . Then", "x = .5 and y. Then"),
        ("“ no space lost ”", '" no space lost "'),
        ("f(x) = 2², 50 %", "f(x) = 2², 50 %"),
        ("", ""),
    ],
)
def test_punctuation_becomes_plain(text, plain):
    assert normalise(text) == plain


@given(st.text(alphabet=st.sampled_from("ab1 .,;:!?()[]—–…“”‘’，。（）\u200b\n"), max_size=40))
def test_normalising_twice_changes_nothing_more(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(max_size=60))
def test_normalising_keeps_letters_and_digits(text):
    def kept(value):
        return [char for char in value if char.isalnum()]

    assert kept(normalise(text)) == kept(text)

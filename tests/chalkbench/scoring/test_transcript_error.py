import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkbench.scoring.transcript_error import (
    Edits,
    as_item,
    character_edits,
    normalize,
    score_transcripts,
    transcripts,
    word_edits,
)


def rates(replies, references, language="en", **options):
    graded = transcripts(replies, references, [language] * len(replies), variant=options.pop("variant", "normalized"))
    return score_transcripts(graded, **options)


def test_rates_are_sums_of_edits_over_sums_of_lengths():
    result = rates(["one two", "a b c d"], ["one too", "a b c d e f"])
    assert result["wer"] == result["score"] == pytest.approx(3 / 8)  # not the mean of 1/2 and 2/6
    assert result["edits"]["word"] == {"substitutions": 1, "deletions": 2, "insertions": 0, "length": 8}


@pytest.mark.parametrize(("language", "unit"), [("en", "word"), ("ar", "word"), ("ru", "word")])
def test_the_score_is_the_word_error_rate_where_words_have_spaces(language, unit):
    result = rates(["a b c"], ["a b d"], language)
    assert (result["unit"], result["score"], result["wer"]) == (unit, result["wer"], 1 / 3)


@pytest.mark.parametrize(
    ("language", "heard", "said", "error"),
    [
        ("zh", "机器学系", "机器学习。", 1 / 4),
        ("ja", "機械 学習 です", "機械学習です", 0),
        ("ko", "기계학습을 한다", "기계 학습을 한다", 0),
        ("th", "การเรียน", "การเรียน", 0),
        ("zh-TW", "机器", "机器学习", 1 / 2),
    ],
)
def test_the_score_is_the_character_error_rate_where_they_have_none_and_in_korean(language, heard, said, error):
    result = rates([heard], [said], language)
    assert (result["unit"], result["score"], result["cer"]) == ("character", error, error)


def test_words_of_a_script_without_spaces_are_its_characters():
    assert word_edits("使用 BERT 模型", "使用BERT模形") == Edits(substitutions=1, length=5)


def test_spaces_count_in_the_characters_of_other_languages():
    assert character_edits("data base", "database", language="en").deletions == 1


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It’s a  WELL-known Ｆact!", "it's a well known fact"),
        ("'Quoted' words' end", "quoted words end"),
        ("２０％ “more”…", "20 more"),
        ("a + b = c", "a + b = c"),
        ("مرحبا، كيف؟", "مرحبا كيف"),
        ("हिन्दी।", "हिन्दी"),
        ("!?", ""),
    ],
)
def test_normalization_takes_case_width_and_punctuation_away(text, plain):
    assert normalize(text) == plain


def test_raw_is_jiwer_on_the_texts_as_they_are():
    said, heard = ["The Eigen-values, are real.", "机器 学习"], ["the eigen values are real", "机器学习"]
    graded = transcripts(heard, said, ["en", "zh"], variant="raw")
    result = score_transcripts(graded)
    assert (result["wer"], result["cer"]) == (jiwer.wer(said, heard), jiwer.cer(said, heard))


def test_where_nothing_was_said_silence_is_right_and_every_word_heard_is_an_error():
    graded = transcripts(["", "a hum", "yes"], ["", "…", "yes"], ["en"] * 3)
    result = score_transcripts(graded)
    assert [one.outcome.value for one in graded] == [0, 1, 0]
    assert (result["wer"], result["edits"]["word"]["insertions"], result["n_scored"]) == (2.0, 2, 3)
    assert score_transcripts(graded[:2])["score"] is None


def test_a_missing_transcript_is_all_deletions_under_strict_and_left_out_under_answered():
    graded = transcripts(["", "<think>one", "one two"], ["one two"] * 3, ["en"] * 3)
    strict, answered = (score_transcripts(graded, protocol=protocol) for protocol in ("strict", "answered"))
    assert (strict["wer"], strict["n_counted"]) == (pytest.approx(4 / 6), 3)
    assert (answered["wer"], answered["n_counted"]) == (0, 1)
    assert strict["not_scored"] == {"truncated_reasoning": 1, "unparsed": 1}


def test_what_could_not_be_asked_is_left_out_and_counted():
    graded = transcripts(["one"] * 2, ["one two"] * 2, ["en"] * 2, statuses=["decode_error", None])
    result = score_transcripts(graded)
    assert (result["wer"], result["n"], result["n_counted"]) == (0.5, 2, 1)
    assert result["denominator"] == "strict: all edits over all reference lengths of 1 of 2 items"


def test_languages_together_are_summed_in_their_own_units_and_groups_apart():
    graded = transcripts(["a b", "机器"], ["a c", "机器学习"], ["en", "zh"])
    result = score_transcripts(graded, groups=["en", "zh"])
    assert (result["unit"], result["score"]) == ("mixed", pytest.approx(3 / 6))
    assert (result["by_group"]["en"]["score"], result["by_group"]["zh"]["score"]) == (0.5, 0.5)
    assert result["macro"] == 0.5


def test_reasoning_is_no_part_of_a_transcript():
    assert rates(["<think>What was it?</think>one two"], ["one two"])["wer"] == 0


def test_items_hold_both_rates():
    heard, failed = transcripts(["one", ""], ["one two"] * 2, ["en"] * 2)
    assert as_item(heard) == {
        **{"choice": None, "rule": "word", "status": "scored", "value": 0.5, "wer": 0.5},
        "cer": pytest.approx(4 / 7),
    }
    assert (as_item(failed)["wer"], as_item(failed)["status"]) == (None, "unparsed")


def test_wrong_arguments_are_errors_that_say_which():
    with pytest.raises(ValueError, match="variant 'plain'"):
        transcripts([], [], [], variant="plain")
    with pytest.raises(ValueError, match="item 0: language 'English'"):
        transcripts(["a"], ["a"], ["English"])
    with pytest.raises(ValueError, match="1 replies, 1 references, 2 languages"):
        transcripts(["a"], ["a"], ["en"] * 2)
    with pytest.raises(ValueError, match="protocol 'all'"):
        score_transcripts([], protocol="all")


TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


@given(TEXT, st.sampled_from(["en", "zh", "ko", "ar"]))
def test_a_text_has_no_errors_against_itself(text, language):
    assert word_edits(text, text).total == character_edits(text, text, language=language).total == 0


@given(TEXT, TEXT)
def test_normalizing_twice_changes_nothing_and_lengths_are_the_references(said, heard):
    assert normalize(normalize(said)) == normalize(said)
    assert character_edits(said, heard, language="en").length == len(normalize(said))


@given(st.lists(st.tuples(TEXT, TEXT), max_size=5))
def test_the_whole_is_the_sum_of_its_parts(pairs):
    graded = transcripts([heard for _, heard in pairs], [said for said, _ in pairs], ["en"] * len(pairs))
    result = score_transcripts(graded, groups=[str(place) for place in range(len(pairs))])
    parts = [part["edits"]["word"] for part in result["by_group"].values()]
    assert all(result["edits"]["word"][name] == sum(part[name] for part in parts) for name in ("length", "deletions"))

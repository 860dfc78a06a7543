import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer
from sacrebleu.metrics import BLEU

from chalkbench.scoring.overlap import (
    ScriptTokenizer,
    bleu_signature,
    bleu_tokenizer,
    corpus_bleu,
    rouge_l,
    rouge_signature,
)

# reply, reference: LEMON's eight languages
TEXTS = {
    "ar": ("تزداد قوة النابض مع استطالته، نعم.", "تزداد قوة النابض بالتناسب مع استطالته."),
    "zh": ("弹簧的力与伸长成正比。", "弹簧的力与其伸长量成正比。"),
    "fr": (
        "La force d'un ressort augmente avec son allongement.",
        "La force d'un ressort augmente avec l'allongement.",
    ),
    "de": ("Die Kraft der Feder wächst mit ihrer Dehnung.", "Die Kraft einer Feder wächst mit ihrer Dehnung."),
    "ja": ("ばねの力は伸びに比例する。", "ばねの力は伸びに比例して大きくなる。"),
    "ko": ("용수철의 힘은 길이에 비례한다.", "용수철의 힘은 늘어난 길이에 비례하여 커진다."),
    "ru": ("Сила пружины растёт вместе с её растяжением.", "Сила пружины растёт пропорционально её растяжению."),
    "es": ("La fuerza de un muelle crece con su alargamiento.", "La fuerza de un muelle crece con el alargamiento."),
}
LATIN = ("fr", "de", "es")


@pytest.mark.parametrize("language", TEXTS)
def test_bleu_is_sacrebleus_with_the_tokenizer_of_the_language(language):
    name = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab", "ar": "intl"}.get(language, "13a")
    assert bleu_tokenizer(language) == name
    reply, reference = TEXTS[language]
    plain = BLEU(tokenize=name).corpus_score([reply, reply], [[reference, reference]]).score
    assert corpus_bleu([reply] * 2, [reference] * 2, tokenizer=name) == plain
    assert f"tok:{name}" in bleu_signature(name)


@pytest.mark.parametrize("language", TEXTS)
def test_the_stock_numbers_are_those_of_the_packages(language):
    reply, reference = TEXTS[language]
    assert corpus_bleu([reply], [reference], tokenizer="13a") == BLEU().corpus_score([reply], [[reference]]).score
    plain = RougeScorer(["rougeL"]).score(reference, reply)["rougeL"].fmeasure
    assert rouge_l(reply, reference, stock=True) == plain
    assert (plain == 0) == (language not in LATIN)


@given(*[st.lists(st.sampled_from("abcdefg"), max_size=90).map(" ".join)] * 2)
def test_rouge_l_is_the_packages_for_any_text(reply, reference):
    assert rouge_l(reply, reference, stock=True) == RougeScorer(["rougeL"]).score(reference, reply)["rougeL"].fmeasure


def test_rouge_l_of_a_reply_that_repeats_itself_needs_no_table():
    assert rouge_l("die Feder " * 50_000, "die Feder dehnt sich aus " * 2_000) == pytest.approx(8 / 110)


@pytest.mark.parametrize("language", TEXTS)
def test_rouge_l_sees_every_script(language):
    reply, reference = TEXTS[language]
    assert 0.4 < rouge_l(reply, reference) < 1
    assert rouge_l(reference, reference) == 1


@pytest.mark.parametrize(("language", "name"), [("zh", "zh"), ("ja", "ja-mecab"), ("ko", "ko-mecab")])
def test_a_language_written_without_spaces_gains_by_its_own_tokenizer(language, name):
    reply, reference = TEXTS[language]
    own, plain = (corpus_bleu([reply], [reference], tokenizer=tokenizer) for tokenizer in (name, "13a"))
    assert own > 1.5 * plain


def test_13a_leaves_arabic_punctuation_on_the_word_and_intl_does_not():
    pair = ["قوة النابض كبيرة جدا، نعم"], ["قوة النابض كبيرة جدا ، نعم"]
    assert corpus_bleu(*pair, tokenizer=bleu_tokenizer("ar")) == pytest.approx(100)
    assert corpus_bleu(*pair, tokenizer="13a") < 100


def test_thai_is_cut_into_characters_and_an_unknown_language_at_spaces():
    assert bleu_tokenizer("th") == "char"
    assert bleu_tokenizer("sw") == "13a"


def test_a_chosen_tokenizer_goes_before_and_an_unknown_one_is_an_error():
    assert bleu_tokenizer("ja", {"ja": "char"}) == "char"
    with pytest.raises(ValueError, match=r"BLEU tokenizer 'mecab': expected one of .*ja-mecab"):
        bleu_tokenizer("de", {"ja": "mecab"})


@pytest.mark.parametrize(
    ("name", "module", "package"), [("ja-mecab", "ja", "sacrebleu[ja]"), ("ko-mecab", "ko", "sacrebleu[ko]")]
)
def test_a_dictionary_that_is_not_installed_is_an_error_that_names_its_package(monkeypatch, name, module, package):
    tokenizer = f"sacrebleu.tokenizers.tokenizer_{module}_mecab"
    __import__(tokenizer)
    monkeypatch.setattr(sys.modules[tokenizer], "MeCab", None)  # what the package sets when the import fails
    with pytest.raises(RuntimeError, match=r"cannot be used") as said:
        corpus_bleu(["a"], ["a"], tokenizer=name)
    assert package in str(said.value)
    assert "bleu_tokenizers" in str(said.value)


def test_lines_of_a_text_are_one_segment():
    assert corpus_bleu(["a b\nc d"], ["a b c d"], tokenizer="13a") == pytest.approx(100)


def test_no_texts_are_an_error_and_empty_ones_are_0():
    with pytest.raises(ValueError, match="no texts"):
        corpus_bleu([], [], tokenizer="13a")
    assert corpus_bleu([""], ["a"], tokenizer="13a") == 0
    assert rouge_l("", "a") == rouge_l("a", "") == 0


def test_rouge_signs_its_tokenizer():
    assert rouge_signature().startswith("rougeL|f1|tok:script|stem:no|version:")
    assert "tok:default" in rouge_signature(stock=True)


@given(st.text(st.characters(codec="ascii")))
def test_on_ascii_text_the_tokens_are_the_packages_own(text):
    assert ScriptTokenizer().tokenize(text) == DefaultTokenizer().tokenize(text)


@given(st.text(), st.text())
def test_rouge_l_lies_between_0_and_1_and_is_1_for_the_same_text(one, other):
    assert 0 <= rouge_l(one, other) <= 1
    assert rouge_l(one, one) in (0, 1)

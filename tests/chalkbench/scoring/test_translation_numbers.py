import json

import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from chalkbench.scoring.overlap import corpus_bleu, rouge_l
from chalkbench.scoring.translation_numbers import score_translations
from chalkbench.scoring.translation_score import translations

ZH = {
    "source": "The force of a spring.",
    "answer": "弹簧的力与其伸长量成正比。",
    "language": "zh",
    "key_terms": [{"term": "spring", "translation": "弹簧"}, {"term": "stretch", "translation": "伸长量"}],
}
DE = {
    "source": "",
    "answer": "Die Kraft einer Feder wächst mit ihrer Dehnung.",
    "language": "de-DE",
    "key_terms": [{"term": "spring", "translation": "Feder"}],
}
REPLIES = ["弹簧的力与伸长成正比。", "弹簧的力与其伸长量成正比。", "Die Kraft der Federn wächst mit ihrer Dehnung."]
ITEMS = translations(REPLIES, [ZH, ZH, DE], ["6", "10", "9"])


def test_each_language_has_its_own_numbers_and_bleu_over_all_is_their_mean():
    result = score_translations(ITEMS)
    chinese, german = result["by_language"]["zh"], result["by_language"]["de"]
    assert (chinese["score"], chinese["n"], german["score"], german["n"]) == (8.0, 2, 9.0, 1)
    assert chinese["bleu"] == corpus_bleu(REPLIES[:2], [ZH["answer"]] * 2, tokenizer="zh")
    assert result["bleu"] == pytest.approx((chinese["bleu"] + german["bleu"]) / 2)
    assert chinese["rouge_l"] == pytest.approx((rouge_l(REPLIES[0], ZH["answer"]) + 1) / 2)
    assert (chinese["key_terms"], german["key_terms"], result["key_terms"]) == (0.75, 1.0, pytest.approx(2.5 / 3))
    assert "tok:zh" in result["signatures"]["bleu"]["zh"]


def test_the_papers_variant_gives_the_numbers_of_the_plain_packages():
    result = score_translations(ITEMS, variant="paper")["by_language"]
    for language, places in (("zh", [0, 1]), ("de", [2])):
        replies = [REPLIES[place] for place in places]
        references = [ITEMS[place].reference for place in places]
        scorer = RougeScorer(["rougeL"])
        stock = [scorer.score(*pair)["rougeL"].fmeasure for pair in zip(references, replies, strict=True)]
        assert result[language]["bleu"] == BLEU().corpus_score(replies, [references]).score
        assert result[language]["rouge_l"] == sum(stock) / len(stock)
    assert result["zh"]["rouge_l"] == 0


def test_the_judges_failure_takes_nothing_from_bleu_and_the_models_is_an_empty_text_under_strict():
    items = translations([REPLIES[1], REPLIES[1], "", "x"], [ZH] * 4, ["9", None, None, None], statuses=None)
    items = items[:3] + translations(["x"], [ZH], [None], statuses=["media_missing"])
    strict = score_translations(items)
    assert (strict["n_texts"], strict["n_counted"], strict["score"]) == (3, 2, 4.5)
    assert strict["rouge_l"] == pytest.approx(2 / 3)
    assert strict["not_scored"] == {"judge_failed": 1, "media_missing": 1, "unparsed": 1}
    answered = score_translations(items, protocol="answered")
    assert (answered["n_texts"], answered["score"], answered["rouge_l"]) == (2, 9.0, 1.0)


def test_without_a_judge_the_automatic_numbers_are_there():
    items = translations(REPLIES, [ZH, ZH, DE], [None] * 3, statuses=["not_judged"] * 3)
    result = score_translations(items)
    assert (result["score"], result["n_texts"], result["not_scored"]) == (None, 3, {"not_judged": 3})
    assert result["bleu"] == score_translations(ITEMS)["bleu"]


def test_groups_have_all_numbers_too():
    result = score_translations(ITEMS, groups=["Physics", ["Physics", "all"], "all"])
    assert result["by_group"]["Physics"]["bleu"] == result["by_language"]["zh"]["bleu"]
    assert result["by_group"]["all"]["rouge_l"] == pytest.approx((1 + rouge_l(REPLIES[2], DE["answer"])) / 2)


@pytest.mark.parametrize("variant", ["by_language", "paper"])
def test_a_chosen_tokenizer_goes_before_the_variants_and_stands_in_the_signature(variant):
    result = score_translations(ITEMS, variant=variant, bleu_tokenizers={"zh": "char"})
    assert "tok:char" in result["signatures"]["bleu"]["zh"]
    assert "tok:13a" in result["signatures"]["bleu"]["de"]


def test_no_items_and_hidden_references_give_no_numbers():
    hidden = translations(["x"], [{"language": "ja", "answer": "", "key_terms": []}], [None])
    for items in ([], hidden):
        result = score_translations(items)
        assert [result[name] for name in ("score", "bleu", "rouge_l", "key_terms", "n_texts")] == [None] * 4 + [0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"variant": "best"}, "variant 'best'"),
        ({"protocol": "all"}, "protocol 'all'"),
        ({"extra_metrics": ["chrf"]}, "extra metric 'chrf': expected one of bertscore, comet22"),
        ({"models": {"bleurt": "x"}}, "extra metric 'bleurt'"),
        ({"bleu_tokenizers": {"zh": "jieba"}}, "BLEU tokenizer 'jieba'"),
    ],
)
def test_unknown_names_are_errors_that_say_the_known_ones(options, says):
    with pytest.raises(ValueError, match=says):
        score_translations(ITEMS, **options)


def test_the_result_is_plain_json():
    result = score_translations(ITEMS, groups=["a", "b", "b"])
    assert json.loads(json.dumps(result)) == result

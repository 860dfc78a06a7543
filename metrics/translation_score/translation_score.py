"""Translations of a lecture's material: a judge's rating, BLEU, ROUGE-L and more, by language too."""

import datasets
import evaluate

from chalkbench.scoring.translation_numbers import score_translations
from chalkbench.scoring.translation_score import as_item, translations

_DESCRIPTION = """\
Mean rating of a judge, 0 to 10, of translations of a lecture's material (LEMON's Knowledge Translation), with BLEU,
ROUGE-L and the share of key terms beside it, each with the tokens of its language, and BERTScore and COMET-22 on
request. A judge that gives no rating is counted as a failure of the judge, never as a grade.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the raw replies, reasoning included.
    references: list of {"source": str, "answer": str, "language": str, "key_terms": list of {"term": str,
        "translation": str}, "question": str}. language: ISO 639-1 code of the target, "zh-Hans" is read as "zh".
        answer: the reference translation; if it is "", the key terms' translations take its place, one a line. An item
        with neither is `hidden_gold`. source and question are for the judge, source for COMET-22 too.
    verdicts: list of str or None, the judge's reply to each item's prompt
        (`chalkbench.scoring.translation_score.translation_prompt`), such as '{"score": 7.5}', "8/10" or "Rating: 8";
        None = it gave none. A rating outside 0..10, or on another scale, is `judge_failed`.
    groups: list of str, or of lists of str: the groups each item counts under.
    statuses: list of a reason or None, for items that failed before (`media_missing`, `not_judged`, …).
    protocol: "strict" counts empty replies, cut-off reasoning and out of memory as 0; "answered" leaves them out.
        Both leave out what was not judged, and count it. BLEU and its neighbours need no judge: they are taken over
        `n_texts`, all replies with a reference, and under "strict" a model's fault as an empty text.
    variant: "by_language" = BLEU with sacrebleu's tokenizer of the language (zh; ja-mecab; ko-mecab; intl for ar; char
        for th, lo, my, km; 13a for the others), ROUGE-L over words, and over characters of Chinese, Japanese, Thai,
        Korean …, raw BERTScore; "paper" = the packages' defaults, as LEMON names them: 13a and rouge-score's own
        tokenizer for every language, and BERTScore rescaled where the package has a baseline.
    extra_metrics: list of "bertscore" (package bert-score) and "comet22" (package unbabel-comet), both with a model
        that is loaded from the Hub or from `models`. One that is not installed is an error, not left out.
    bleu_tokenizers: {language: name of a sacrebleu tokenizer}, before the variant's choice. A dictionary that is not
        installed (ja-mecab, ko-mecab) is an error; {"ja": "char"} goes without it, and `signatures` says so.
    models: {"bertscore" or "comet22": name or folder of another model}.
    comet_python: the Python of an environment with unbabel-comet, which seldom goes together with this one's packages.
    return_items: whether to return each item's rating.

Returns:
    score: mean rating, 0..10, None if nothing counts (LEMON's Table 2 prints ten times that).
    bleu: 0..100, corpus BLEU within a language, mean over languages. rouge_l: 0..1, mean F-measure.
    key_terms: 0..1, mean share of the key terms' translations that a reply holds.
    bertscore, comet22: means, on request. n_texts: what these are taken over.
    n, n_scored, n_counted, not_scored {reason: count}, interval (None), by_group {group: the same}, macro, protocol,
    denominator, variant; by_language {code: the same}.
    signatures: {"bleu": {language: sacrebleu's own}, "rouge_l": str, …}, how each number was made.
    items: [{value, language, status, rule, choice: None}] on request.

Raises:
    ValueError: lists of different lengths, an unknown status, protocol, variant, metric or tokenizer, an item without
    language. RuntimeError: something that is asked for is not installed; the text names package and model.

Examples:
    >>> reference = {"source": "The force of a spring.", "question": "Translate into Chinese.", "language": "zh",
    ...     "answer": "弹簧的力。", "key_terms": [{"term": "spring", "translation": "弹簧"}]}
    >>> result = metric.compute(
    ...     predictions=["弹簧的力。", "春天的力量。"],
    ...     references=[reference] * 2,
    ...     verdicts=['{"score": 9.5}', "Score: 2/10"],
    ... )
    >>> result["score"], round(result["bleu"], 1), round(result["rouge_l"], 2), result["key_terms"]
    (5.75, 51.3, 0.72, 0.5)
    >>> result["signatures"]["bleu"]["zh"].split("|")[3]
    'tok:zh'
    >>> stock = metric.compute(
    ...     predictions=["弹簧的力。"], references=[reference], verdicts=["9"], variant="paper"
    ... )
    >>> stock["rouge_l"]
    0.0
"""

_CITATION = """\
@misc{lemon, title={LEMON}, eprint={2601.20705}, archivePrefix={arXiv}}
"""


class TranslationScore(evaluate.Metric):
    """Thin: the features, and calls of `chalkbench.scoring.translation_score` and `.translation_numbers`."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "predictions": text,
                    "references": {
                        "source": text,
                        "answer": text,
                        "language": text,
                        "key_terms": datasets.List({"term": text, "translation": text}),
                        "question": text,
                    },
                }
            ),
        )

    def _compute(
        self,
        predictions,
        references,
        verdicts,
        groups=None,
        statuses=None,
        protocol="strict",
        variant="by_language",
        extra_metrics=(),
        bleu_tokenizers=None,
        models=None,
        comet_python=None,
        return_items=False,
    ):
        graded = translations(predictions, references, verdicts, statuses=statuses)
        result = score_translations(
            graded,
            groups=groups,
            protocol=protocol,
            variant=variant,
            extra_metrics=extra_metrics,
            bleu_tokenizers=bleu_tokenizers,
            models=models,
            comet_python=comet_python,
        )
        if return_items:
            result["items"] = [as_item(one) for one in graded]
        return result

"""Translation score: translations of a lecture's material, by a judge's rating, BLEU, ROUGE-L and more.

What belongs here: the features, the documentation, and the calls of the scoring rule. What does not: the judge's
prompt (`translation_score.py` of chalkbench.scoring), asking it, and the automatic metrics (`overlap.py`,
`neural_overlap.py`).
"""

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
        with neither is `hidden_gold`. source: for the judge, and for COMET-22. question: for the judge alone.
    verdicts: list of str or None, the judge's reply to each item's prompt
        (`chalkbench.scoring.translation_score.translation_prompt`), such as '{"score": 7.5}', "8/10" or "Rating: 8";
        None = it gave none. A rating outside 0..10, or on another scale, is `judge_failed`.
    groups: list of str, or of lists of str, one an item: an item counts in each of its groups.
    statuses: list of a reason or None, one an item: why there is no reply. Known are `media_missing`, `decode_error`,
        `media_not_received`, `out_of_memory`, `truncated_reasoning`, `unparsed`, `no_answer`, `not_judged`,
        `judge_failed`, `hidden_gold`.
    protocol: the denominator. "strict" (default) counts empty replies, cut-off reasoning and out of memory as 0;
        "answered" leaves them out. Both leave out what was not judged, and count it in `not_scored`. BLEU and its
        neighbours need no judge: they are taken over `n_texts`, all replies with a reference, and under "strict" a
        model's fault is an empty text.
    variant: "by_language" (default) = BLEU with sacrebleu's tokenizer of the language (zh for zh and yue; ja-mecab;
        ko-mecab; intl for ar, fa and ur; char for th, lo, my, km and bo; 13a for the others), ROUGE-L over words, and
        over characters of Chinese, Japanese, Thai, Korean …, raw BERTScore. "paper" = the packages' defaults, as LEMON
        names them: 13a and rouge-score's own tokenizer for every language, and BERTScore rescaled where the package
        has a baseline.
    extra_metrics: list of "bertscore" (package bert-score) and "comet22" (package unbabel-comet), both with a model
        that is loaded from the Hub or from `models`; none by default. One that is not installed is an error, not left
        out.
    bleu_tokenizers: {language: name of a sacrebleu tokenizer}, before the variant's choice. A dictionary that is not
        installed (ja-mecab, ko-mecab) is an error; {"ja": "char"} goes without it, and `signatures` says so.
    models: {"bertscore" or "comet22": name or folder of another model}.
    comet_python: the Python of an environment with unbabel-comet, which seldom goes together with this one's packages.
    return_items: whether to return each item's rating; False by default.

Returns:
    score: mean rating, 0..10; None if nothing counts. LEMON's Table 2 prints ten times that.
    bleu: corpus BLEU within a language, 0..100, mean over languages.
    rouge_l: mean F-measure, 0..1.
    key_terms: mean share of the key terms' translations that a reply holds, 0..1.
    bertscore, comet22: means, on request.
    n_texts: what the automatic metrics are taken over.
    n, n_scored, n_counted: items; items with a score; the denominator of `score`.
    not_scored: {reason: count}.
    interval: None; the values are no shares.
    by_group: {group: the keys above}.
    by_language: {code: the same keys and denominator}.
    macro: unweighted mean of the groups' scores; None without groups.
    protocol, denominator: its name, and a sentence that says what was counted.
    variant: its name.
    signatures: how each number was made: {"bleu": {code: sacrebleu's own line}, "rouge_l": str, "bertscore":
        {code: str}, "comet22": the model}.
    items: with return_items: [{"value": rating or None, "language": code, "status": "scored" or a reason, "rule":
        "judge", what was wrong with the verdict, or "", "choice": None}].

Raises:
    ValueError: lists of different lengths, an unknown status, protocol, variant, metric or tokenizer, an item without
        language.
    RuntimeError: something that is asked for is not installed; the text names package and model.

Examples:
    >>> import evaluate
    >>> metric = evaluate.load("path/to/translation_score")
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
@article{yu2026lemon,
  title   = {LEMON: How Well Do MLLMs Perform Temporal Multimodal Understanding on Instructional Videos?},
  author  = {Yu, Zhuang and Shen, Lei and Zhao, Jing and Sun, Shiliang},
  journal = {arXiv preprint arXiv:2601.20705},
  year    = {2026}
}
@inproceedings{post2018call,
  title     = {A Call for Clarity in Reporting BLEU Scores},
  author    = {Post, Matt},
  booktitle = {Proceedings of the Third Conference on Machine Translation: Research Papers},
  pages     = {186--191},
  note      = {arXiv:1804.08771},
  year      = {2018}
}
@inproceedings{lin2004rouge,
  title     = {ROUGE: A Package for Automatic Evaluation of Summaries},
  author    = {Lin, Chin-Yew},
  booktitle = {Text Summarization Branches Out},
  pages     = {74--81},
  year      = {2004}
}
@inproceedings{zhang2020bertscore,
  title     = {BERTScore: Evaluating Text Generation with BERT},
  author    = {Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav},
  booktitle = {International Conference on Learning Representations},
  note      = {arXiv:1904.09675},
  year      = {2020}
}
@inproceedings{rei2022comet22,
  title     = {COMET-22: Unbabel-IST 2022 Submission for the Metrics Shared Task},
  author    = {Rei, Ricardo and de Souza, José G. C. and Alves, Duarte and Zerva, Chrysoula and Farinha, Ana C. and
               Glushkova, Taisiya and Lavie, Alon and Coheur, Luisa and Martins, André F. T.},
  booktitle = {Proceedings of the Seventh Conference on Machine Translation},
  pages     = {578--585},
  year      = {2022}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class TranslationScore(evaluate.Metric):
    """Thin: it declares the features and calls the scoring rule."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            reference_urls=[
                "https://arxiv.org/abs/2601.20705",
                "https://arxiv.org/abs/1804.08771",
                "https://arxiv.org/abs/1904.09675",
            ],
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

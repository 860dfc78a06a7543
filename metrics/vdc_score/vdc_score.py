"""VDCscore: the share of questions about a video that can be answered rightly from its caption alone.

What belongs here: the features, the documentation, and the calls of the scoring rule. What does not: the prompts of
the two stages (`vdc_score.py` of chalkbench.scoring), asking, and how a verdict is read (`verdicts.py`).
"""

import datasets
import evaluate

from chalkbench.scoring.vdc_score import caption_item, judgements, score_captions

_DESCRIPTION = """\
Share of questions about a video that can be answered rightly from its caption (Video-MMLU's notebook track): an
assistant answers each question from the caption alone, a judge compares. A reply of the judge that gives no verdict is
counted as a failure of the judge, never as a grade.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the captions as the model wrote them, reasoning included.
    references: list of {"questions": list of {"question": str, "answer": str}}, any number a caption. A question
        without an answer, and a caption without questions, are `hidden_gold`.
    verdicts: one list a caption with the judge's reply to each question's second prompt
        (`chalkbench.scoring.vdc_score.asking`), such as "{'pred': 'yes', 'score': 4}"; None = a stage failed. An empty
        list stands for a caption about which nothing was asked.
    groups: list of str, or of lists of str, one a caption: its questions count in each of its groups.
    statuses: list of a reason or None, one a caption: why there is none; it goes for all of its questions. Known are
        `media_missing`, `decode_error`, `media_not_received`, `out_of_memory`, `truncated_reasoning`, `unparsed`,
        `no_answer`, `not_judged`, `judge_failed`, `hidden_gold`.
    protocol: the denominator. "strict" (default) counts the questions of empty captions, of cut-off reasoning and of
        out of memory as wrong; "answered" leaves them out. Both leave out what was not judged, as Video-MMLU's
        released code does, and count it in `not_scored`.
    variant: "paper" (default: both stages at temperature 0; verdicts are read tolerantly) or "official_code" (both at
        0.8, top-p 0.8, top-k 40; a verdict is one Python dictionary with `pred` and `score`, and nothing else). The
        settings are those of the prompts; here the variant decides how verdicts are read.
    return_items: whether to return each caption's verdicts; False by default.

Returns:
    accuracy: share of yes over all questions, 0..1; None if nothing counts.
    n, n_scored, n_counted: questions; questions with a verdict; the denominator of `accuracy`. A caption without
        questions counts as one.
    not_scored: {reason: count}, of questions.
    n_captions: captions.
    interval: Wilson 95 % interval of `accuracy`, [low, high]; it takes questions of one caption as independent.
    mean_score, n_mean_score: mean of the judge's scores, 0..5, and over how many questions: those that `accuracy`
        counts, less verdicts without a score; a fault of the model is 0.
    by_group: {group: the keys above, without n_captions}.
    macro, macro_score: unweighted means of the groups' accuracies and mean scores; None without groups. Video-MMLU's
        score of a track is `macro` over its three disciplines.
    protocol, denominator: its name, and a sentence that says what was counted.
    variant: its name.
    items: with return_items, one a caption: [{"value": share of yes among its judged questions or None, "status":
        "scored" or a reason, "rule", "choice": None, "questions": [{"choice": "yes", "no" or None, "rule", "status",
        "value": 1.0, 0.0 or None, "score": 0..5 or None}]}].

Raises:
    ValueError: lists of different lengths, an unknown status, protocol or variant.

Examples:
    >>> import evaluate
    >>> metric = evaluate.load("path/to/vdc_score")
    >>> questions = [
    ...     {"question": "Which formula stands on the board?", "answer": "e^0 = 1"},
    ...     {"question": "What colour is the board?", "answer": "Green"},
    ...     {"question": "Who speaks?", "answer": "A man"},
    ... ]
    >>> result = metric.compute(
    ...     predictions=["A man stands at a green board that reads e^O = 1.", ""],
    ...     references=[{"questions": questions}, {"questions": questions[:1]}],
    ...     verdicts=[["{'pred': 'no', 'score': 2}", "{'pred': 'yes', 'score': 5}", "I cannot say."], []],
    ... )
    >>> round(result["accuracy"], 3), result["n"], result["n_captions"], result["not_scored"]
    (0.333, 4, 2, {'judge_failed': 1, 'unparsed': 1})
    >>> result["denominator"]
    'strict: accuracy over 3 of 4 items; counted as wrong: 1 unparsed; left out: 1 judge_failed'
"""

_CITATION = """\
@article{song2025videommlu,
  title   = {Video-MMLU: A Massive Multi-Discipline Lecture Understanding Benchmark},
  author  = {Song, Enxin and Chai, Wenhao and Xu, Weili and Xie, Jianwen and Liu, Yuxuan and Wang, Gaoang},
  journal = {arXiv preprint arXiv:2504.14693},
  year    = {2025}
}
@inproceedings{chai2025auroracap,
  title     = {AuroraCap: Efficient, Performant Video Detailed Captioning and a New Benchmark},
  author    = {Chai, Wenhao and Song, Enxin and Du, Yilun and Meng, Chenlin and Madhavan, Vashisht and Bar-Tal, Omer
               and Hwang, Jenq-Neng and Xie, Saining and Manning, Christopher D.},
  booktitle = {International Conference on Learning Representations},
  note      = {arXiv:2410.03051},
  year      = {2025}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class VDCScore(evaluate.Metric):
    """Thin: it declares the features and calls the scoring rule."""

    def _info(self) -> evaluate.MetricInfo:
        question = {"question": datasets.Value("string"), "answer": datasets.Value("string")}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            reference_urls=["https://arxiv.org/abs/2504.14693", "https://arxiv.org/abs/2410.03051"],
            features=datasets.Features(
                {"predictions": datasets.Value("string"), "references": {"questions": datasets.List(question)}}
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
        variant="paper",
        return_items=False,
    ):
        questions = [reference["questions"] for reference in references]
        judged = judgements(predictions, questions, verdicts, statuses=statuses, variant=variant)
        result = score_captions(judged, groups=groups, protocol=protocol) | {"variant": variant}
        if return_items:
            result["items"] = [caption_item(one) for one in judged]
        return result

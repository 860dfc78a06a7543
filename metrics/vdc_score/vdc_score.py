"""VDCscore: the share of questions about a video that its caption answers, as a judge sees it."""

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
    references: list of {"questions": list of {"question": str, "answer": str}}, any number a caption.
    verdicts: one list a caption with the judge's reply to each question's second prompt
        (`chalkbench.scoring.vdc_score.asking`), such as "{'pred': 'yes', 'score': 4}"; None = a stage failed. An empty
        list stands for a caption about which nothing was asked.
    groups: list of str, or of lists of str: the groups each caption counts under. Video-MMLU's own score of a track is
        `macro` over the three disciplines.
    statuses: list of a reason or None, for captions that failed before (`media_missing`, `not_judged`, …); it goes for
        all questions of the caption.
    protocol: "strict" counts the questions of empty captions, of cut-off reasoning and of out of memory as wrong;
        "answered" leaves them out. Both leave out what was not judged, as Video-MMLU's released code does, and count
        it.
    variant: "paper" (both stages at temperature 0; verdicts are read tolerantly) or "official_code" (both at 0.8,
        top-p 0.8, top-k 40; a verdict is one Python dictionary and nothing else, all others leave the denominator).
        The settings are those of the prompts; here the variant decides how verdicts are read.
    return_items: whether to return each caption's verdicts.

Returns:
    accuracy: share of yes over all questions, 0..1, None if nothing counts. n, n_scored, n_counted, not_scored
    {reason: count}: of questions; n_captions. interval (Wilson 95 %; it takes questions of one caption as
    independent), by_group {group: the same}, macro, protocol, denominator; mean_score (0..5, over n_mean_score
    questions: those that accuracy counts, less verdicts without a score; a fault of the model is 0) and macro_score;
    variant; and items [{value: share of yes among the caption's judged questions or None, status, choice: None, rule,
    questions: [{choice: "yes", "no" or None, rule, status, value, score}]}] on request.

Raises:
    ValueError: lists of different lengths, an unknown status, protocol or variant.

Examples:
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
@misc{videommlu, title={Video-MMLU: A Massive Multi-Discipline Lecture Understanding Benchmark}, eprint={2504.14693},
archivePrefix={arXiv}}
"""


class VDCScore(evaluate.Metric):
    """Thin: the features, and calls of `chalkbench.scoring.vdc_score`."""

    def _info(self) -> evaluate.MetricInfo:
        question = {"question": datasets.Value("string"), "answer": datasets.Value("string")}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
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

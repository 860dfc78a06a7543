"""Accuracy of open-ended answers that a judge graded yes or no."""

import datasets
import evaluate

from chalkbench.scoring.judged_qa import judgements, known_benchmark
from chalkbench.scoring.judgement import as_item, score_judgements

_DESCRIPTION = """\
Share of open-ended answers that a judge found right (Video-MMLU's quiz, InstructionBench's open-ended items). A reply
of the judge that gives no verdict is counted as a failure of the judge, never as a grade.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the raw replies, reasoning included.
    references: list of {"question": str, "answer": str}; an empty answer means that it is hidden.
    verdicts: list of str or None, the judge's reply to each item's prompt
        (`chalkbench.scoring.judged_qa.judge_prompt`), such as "{'pred': 'yes', 'score': 4}"; None = it gave none.
    groups: list of str, or of lists of str: the groups each item counts under. Video-MMLU's own score of a track is
        `macro` over the three disciplines; InstructionBench's averages are micro.
    statuses: list of a reason or None, for items that failed before (`media_missing`, `not_judged`, …).
    protocol: "strict" counts empty replies, cut-off reasoning and out of memory as wrong; "answered" leaves them out.
        Both leave out what was not judged, as Video-MMLU's released code does, and count it.
    variant: how verdicts are read. "strict": a Python or JSON dictionary, fenced or with prose around, a labelled
        line, or a first word with a pause after it. "official": the whole reply must be one Python dictionary with
        `pred` and `score`, as in Video-MMLU's released code; all others leave the denominator. Either way a verdict
        that cannot be read, or whose score lies outside 0..5, is `judge_failed` and counted.
    benchmark: whose prompt the judge was asked with, "video_mmlu" or "instructionbench"; named in the result.
    return_items: whether to return each item's verdict.

Returns:
    accuracy: float in 0..1, None if nothing counts. n, n_scored, n_counted, not_scored {reason: count}, interval
    (Wilson 95 %), by_group {group: the same}, macro, protocol, denominator; mean_score (0..5, over n_mean_score items:
    those that accuracy counts, less verdicts without a score; a fault of the model is 0) and macro_score; variant,
    benchmark; and items [{choice: "yes", "no" or None, rule, status, value, score}] on request.

Raises:
    ValueError: lists of different lengths, an unknown status, protocol, variant or benchmark.

Examples:
    >>> result = metric.compute(
    ...     predictions=["Odd numbers add up to squares.", "Nothing.", "Triangles."],
    ...     references=[{"question": "What is shown?", "answer": "Odd numbers accumulate to perfect squares."}] * 3,
    ...     verdicts=["{'pred': 'yes', 'score': 4.8}", "{'pred': 'no', 'score': 0}", "I cannot say."],
    ... )
    >>> result["accuracy"], result["n_scored"], result["not_scored"]
    (0.5, 2, {'judge_failed': 1})
    >>> result["mean_score"], result["n_mean_score"]
    (2.4, 2)
    >>> fenced = dict(predictions=["Odd numbers."], references=[{"question": "What?", "answer": "Odd numbers."}])
    >>> fenced["verdicts"] = ["```python\\n{'pred': 'yes', 'score': 5}\\n```"]
    >>> metric.compute(**fenced)["accuracy"], metric.compute(**fenced, variant="official")["not_scored"]
    (1.0, {'judge_failed': 1})
"""

_CITATION = """\
@misc{videommlu, title={Video-MMLU: A Massive Multi-Discipline Lecture Understanding Benchmark}, eprint={2504.14693},
archivePrefix={arXiv}}
"""


class JudgedQAAccuracy(evaluate.Metric):
    """Thin: the features, and a call of `chalkbench.scoring.judged_qa`."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": {"question": datasets.Value("string"), "answer": datasets.Value("string")},
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
        variant="strict",
        benchmark="video_mmlu",
        return_items=False,
    ):
        known_benchmark(benchmark)
        answers = [reference["answer"] for reference in references]
        judged = judgements(predictions, verdicts, statuses=statuses, answers=answers, variant=variant)
        result = score_judgements(judged, groups=groups, protocol=protocol) | {
            "variant": variant,
            "benchmark": benchmark,
        }
        if return_items:
            result["items"] = [as_item(one) for one in judged]
        return result

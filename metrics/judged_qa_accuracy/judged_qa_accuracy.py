"""Accuracy of open-ended answers that a judge graded yes or no."""

import datasets
import evaluate

from chalkbench.scoring.judged_qa import outcomes
from chalkbench.scoring.options import score_outcomes

_DESCRIPTION = """\
Share of open-ended answers that a judge found right (Video-MMLU's quiz). The judge's replies are read tolerantly, and
one that gives no verdict is counted as a failure of the judge, never as a grade.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the raw replies, reasoning included.
    references: list of {"question": str, "answer": str}.
    verdicts: list of str or None, the judge's reply to each item's prompt
        (`chalkbench.scoring.judged_qa.quiz_prompt`), such as "{'pred': 'yes', 'score': 4}"; None = it gave none.
    groups: list of str, or of lists of str: the groups each item counts under. Video-MMLU's own score of a track is
        `macro` over the three disciplines.
    statuses: list of a reason or None, for items that failed before (`media_missing`, `not_judged`, …).
    protocol: "strict" counts empty replies, cut-off reasoning and out of memory as wrong; "answered" leaves them out.
        Both leave out what was not judged, as Video-MMLU's released code does, and both count it.
    return_items: whether to return each item's verdict.

Returns:
    accuracy: float in 0..1, None if nothing counts. n, n_scored, n_counted, not_scored {reason: count}, interval
    (Wilson 95 %), by_group {group: the same}, macro, protocol, denominator; and items [{choice: "yes", "no" or None,
    rule, status}] on request.

Raises:
    ValueError: lists of different lengths, an unknown status or protocol.

Examples:
    >>> result = metric.compute(
    ...     predictions=["Odd numbers add up to squares.", "Nothing.", "Triangles."],
    ...     references=[{"question": "What is shown?", "answer": "Odd numbers accumulate to perfect squares."}] * 3,
    ...     verdicts=["{'pred': 'yes', 'score': 4.8}", "{'pred': 'no', 'score': 0}", "I cannot say."],
    ... )
    >>> result["accuracy"], result["n_scored"], result["not_scored"]
    (0.5, 2, {'judge_failed': 1})
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
        self, predictions, references, verdicts, groups=None, statuses=None, protocol="strict", return_items=False
    ):
        graded = outcomes(predictions, verdicts, statuses=statuses)
        result = score_outcomes(graded, groups=groups, protocol=protocol)
        if return_items:
            result["items"] = [{"choice": one.choice, "rule": one.rule, "status": one.status} for one in graded]
        return result

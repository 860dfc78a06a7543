"""Open-ended answers graded by a judge for correctness, completeness, faithfulness and clarity."""

import datasets
import evaluate

from chalkbench.scoring.rubric_score import as_item, grades, score_grades

_DESCRIPTION = """\
Mean of a judge's grades from 0 to 5 for correctness, completeness, faithfulness and clarity of open-ended answers
(MMOU's open-ended track). A reply of the judge without all four grades is counted as a failure of the judge, never as
a grade.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the raw replies, reasoning included.
    references: list of {"question": str, "answer": str, "caption": str}; the caption of the video is for the judge
        alone, "" if there is none. An empty answer means that it is hidden.
    verdicts: list of str or None, the judge's reply to each item's prompt
        (`chalkbench.scoring.rubric_score.rubric_prompt`), such as
        '{"correctness": 3, "completeness": 2, "faithfulness": 4, "clarity": 5}'; None = it gave none. Read are
        dictionaries, nested or not, and lines ("Clarity: 4/5"). One that lacks a criterion, or has one outside 0..5,
        is `judge_failed` as a whole.
    groups: list of str, or of lists of str: the groups each item counts under.
    statuses: list of a reason or None, for items that failed before (`media_missing`, `not_judged`, …).
    protocol: "strict" counts empty replies, cut-off reasoning and out of memory as 0; "answered" leaves them out.
        Both leave out what was not judged, and count it.
    return_items: whether to return each item's grades.

Returns:
    score: mean over items of the mean of the four, 0..5, None if nothing counts. correctness, completeness,
    faithfulness, clarity: their means over the same items. n, n_scored, n_counted, not_scored {reason: count},
    interval (None), by_group {group: the same}, macro, protocol, denominator, scale; and items [{value, criteria
    {name: grade}, status, choice: None, rule: "judge", or what the verdict lacked}] on request.

Raises:
    ValueError: lists of different lengths, an unknown status or protocol.

Examples:
    >>> reference = {"question": "Why do they clap?", "answer": "The goal is given.", "caption": "A match; a whistle."}
    >>> result = metric.compute(
    ...     predictions=["Because the goal counts.", "A whistle.", "No idea."],
    ...     references=[reference] * 3,
    ...     verdicts=[
    ...         '{"correctness": 5, "completeness": 4, "faithfulness": 5, "clarity": 4}',
    ...         "Correctness: 1/5, completeness: 0, faithfulness: 3, clarity: 4",
    ...         '{"correctness": 0, "completeness": 0, "faithfulness": 90, "clarity": 3}',
    ...     ],
    ...     return_items=True,
    ... )
    >>> result["score"], result["correctness"], result["n_counted"], result["not_scored"]
    (3.25, 3.0, 2, {'judge_failed': 1})
    >>> result["items"][2]["rule"]
    'faithfulness:out_of_range'
"""

_CITATION = """\
@misc{mmou, title={MMOU: A Massive Multi-Task Omni Understanding and Reasoning Benchmark for Long and Complex
Real-World Videos}, eprint={2603.14145}, archivePrefix={arXiv}}
"""


class RubricScore(evaluate.Metric):
    """Thin: the features, and calls of `chalkbench.scoring.rubric_score`."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {"predictions": text, "references": {"question": text, "answer": text, "caption": text}}
            ),
        )

    def _compute(
        self, predictions, references, verdicts, groups=None, statuses=None, protocol="strict", return_items=False
    ):
        answers = [reference["answer"] for reference in references]
        graded = grades(predictions, verdicts, answers=answers, statuses=statuses)
        result = score_grades(graded, groups=groups, protocol=protocol)
        if return_items:
            result["items"] = [as_item(one) for one in graded]
        return result

"""Rubric score: open-ended answers graded by a judge for correctness, completeness, faithfulness and clarity.

What belongs here: the features, the documentation, and the calls of the scoring rule. What does not: the judge's
prompt (`rubric_score.py` of chalkbench.scoring), asking it, and how a grade is read (`verdicts.py`).
"""

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
    references: list of {"question": str, "answer": str, "caption": str}. Question and caption ("" if there is none)
        are for the judge and are not read here; an empty answer means that it is hidden (`hidden_gold`).
    verdicts: list of str or None, the judge's reply to each item's prompt
        (`chalkbench.scoring.rubric_score.rubric_prompt`), such as
        '{"correctness": 3, "completeness": 2, "faithfulness": 4, "clarity": 5}'; None = it gave none. Read are
        dictionaries, nested or not, and lines ("Clarity: 4/5"). One that lacks a criterion, or has one outside 0..5,
        is `judge_failed` as a whole.
    groups: list of str, or of lists of str, one an item: an item counts in each of its groups.
    statuses: list of a reason or None, one an item: why there is no reply. Known are `media_missing`, `decode_error`,
        `media_not_received`, `out_of_memory`, `truncated_reasoning`, `unparsed`, `no_answer`, `not_judged`,
        `judge_failed`, `hidden_gold`.
    protocol: the denominator. "strict" (default) counts empty replies, cut-off reasoning and out of memory as 0;
        "answered" leaves them out. Both leave out what was not judged, and count it in `not_scored`.
    return_items: whether to return each item's grades; False by default.

Returns:
    score: mean over items of the mean of the four grades, 0..5; None if nothing counts.
    correctness, completeness, faithfulness, clarity: the mean of each over the same items.
    n, n_scored, n_counted: items; items with a score; the denominator of `score`.
    not_scored: {reason: count}.
    interval: None; the values are no shares.
    by_group: {group: the keys above}.
    macro: unweighted mean of the groups' scores; None without groups.
    protocol, denominator: its name, and a sentence that says what was counted.
    scale: [0, 5].
    items: with return_items: [{"value": mean of the four or None, "criteria": {name: grade}, "status": "scored" or a
        reason, "rule": "judge", what the verdict lacked, or "", "choice": None}].

Raises:
    ValueError: lists of different lengths, an unknown status or protocol.

Examples:
    >>> import evaluate
    >>> metric = evaluate.load("path/to/rubric_score")
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
@article{goel2026mmou,
  title   = {MMOU: A Massive Multi-Task Omni Understanding and Reasoning Benchmark for Long and Complex Real-World
             Videos},
  author  = {Goel, Arushi and Ghosh, Sreyan and Agarwal, Vatsal and Anand, Nishit and Jayakumar, Kaousheik and
             Koroshinadze, Lasha and Xu, Yao and Lyons, Katie and Case, James and Sapra, Karan and Shih, Kevin J. and
             Gururani, Siddharth and Shrivastava, Abhinav and Duraiswami, Ramani and Manocha, Dinesh and
             Tao, Andrew and Catanzaro, Bryan and Shoeybi, Mohammad and Ping, Wei},
  journal = {arXiv preprint arXiv:2603.14145},
  year    = {2026}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class RubricScore(evaluate.Metric):
    """Thin: it declares the features and calls the scoring rule."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            reference_urls=["https://arxiv.org/abs/2603.14145"],
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

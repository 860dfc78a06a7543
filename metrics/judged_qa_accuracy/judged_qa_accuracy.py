"""Judged QA accuracy: the share of open-ended answers that a judge found right.

What belongs here: the features, the documentation, and the calls of the scoring rule. What does not: the judge's
prompts (`judged_qa.py` of chalkbench.scoring), asking it, and how a verdict is read (`verdicts.py`).
"""

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
    references: list of {"question": str, "answer": str}. The question is for the judge and is not read here; an empty
        answer means that it is hidden (`hidden_gold`).
    verdicts: list of str or None, the judge's reply to each item's prompt
        (`chalkbench.scoring.judged_qa.judge_prompt`), such as "{'pred': 'yes', 'score': 4}"; None = it gave none.
    groups: list of str, or of lists of str, one an item: an item counts in each of its groups.
    statuses: list of a reason or None, one an item: why there is no reply. Known are `media_missing`, `decode_error`,
        `media_not_received`, `out_of_memory`, `truncated_reasoning`, `unparsed`, `no_answer`, `not_judged`,
        `judge_failed`, `hidden_gold`.
    protocol: the denominator. "strict" (default) counts empty replies, cut-off reasoning and out of memory as wrong;
        "answered" leaves them out. Both leave out what was not judged, as Video-MMLU's released code does, and count
        it in `not_scored`.
    variant: how verdicts are read. "strict" (default): a Python or JSON dictionary with `pred`, fenced or with prose
        around, a labelled line, or a first word with a pause after it; the score may be missing. "official": the whole
        reply must be one Python dictionary with `pred` and `score`, as in Video-MMLU's released code. Either way a
        verdict that cannot be read, or whose score lies outside 0..5, is `judge_failed`.
    benchmark: whose prompt the judge was asked with, "video_mmlu" (default) or "instructionbench"; it is named in the
        result and changes nothing else.
    return_items: whether to return each item's verdict; False by default.

Returns:
    accuracy: share of yes, 0..1; None if nothing counts.
    n, n_scored, n_counted: items; items with a score; the denominator of `accuracy`.
    not_scored: {reason: count}.
    interval: Wilson 95 % interval of `accuracy`, [low, high]; None if nothing counts.
    mean_score, n_mean_score: mean of the judge's scores, 0..5, and over how many items: those that `accuracy` counts,
        less verdicts without a score; a fault of the model is 0.
    by_group: {group: the keys above}.
    macro, macro_score: unweighted means of the groups' accuracies and mean scores; None without groups. Video-MMLU's
        score of a track is `macro` over its three disciplines; InstructionBench's averages are micro.
    protocol, denominator: its name, and a sentence that says what was counted.
    variant, benchmark: their names.
    items: with return_items: [{"choice": "yes", "no" or None, "rule": "judge", what was wrong with the verdict, or "",
        "status": "scored" or a reason, "value": 1.0, 0.0 or None, "score": 0..5 or None}].

Raises:
    ValueError: lists of different lengths, an unknown status, protocol, variant or benchmark.

Examples:
    >>> import evaluate
    >>> metric = evaluate.load("path/to/judged_qa_accuracy")
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
@article{song2025videommlu,
  title   = {Video-MMLU: A Massive Multi-Discipline Lecture Understanding Benchmark},
  author  = {Song, Enxin and Chai, Wenhao and Xu, Weili and Xie, Jianwen and Liu, Yuxuan and Wang, Gaoang},
  journal = {arXiv preprint arXiv:2504.14693},
  year    = {2025}
}
@article{instructionbench2025,
  title   = {InstructionBench: An Instructional Video Understanding Benchmark},
  author  = {Wei, Haiwan and Yuan, Yitian and Lan, Xiaohan and Ke, Wei and Ma, Lin},
  journal = {arXiv preprint arXiv:2504.05040},
  year    = {2025}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class JudgedQAAccuracy(evaluate.Metric):
    """Thin: it declares the features and calls the scoring rule."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            reference_urls=["https://arxiv.org/abs/2504.14693", "https://arxiv.org/abs/2504.05040"],
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

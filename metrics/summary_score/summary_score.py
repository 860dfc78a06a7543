"""Summary score: summaries of lectures, by a judge's rating and by the key terms that they mention.

What belongs here: the features, the documentation, and the calls of the scoring rule. What does not: the judge's
prompt (`summary_score.py` of chalkbench.scoring), asking it, and how a key term is found (`key_terms.py`).
"""

import datasets
import evaluate

from chalkbench.scoring.summary_score import as_item, score_summaries, summaries

_DESCRIPTION = """\
Score of lecture summaries, 0 to 100: 0.7 times a judge's rating and 0.3 times the share of key terms that a summary
mentions (LEMON's Video Summarization). Terms are found whatever their case, hyphens, plural, LaTeX or script; a judge
that gives no rating is counted as a failure of the judge, never as a grade.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the raw replies, reasoning included.
    references: list of {"key_terms": list of str, "answer": str, "question": str}. The reference summary ("" if there
        is none) and the question are for the judge and are not read here. An item without key terms is `hidden_gold`.
    verdicts: list of str or None, the judge's reply to each item's prompt
        (`chalkbench.scoring.summary_score.summary_prompt`), such as '{"score": 7.5}', "8/10" or "Rating: 8"; None = it
        gave none. A rating outside 0..10, or on another scale, is `judge_failed`.
    groups: list of str, or of lists of str, one an item: an item counts in each of its groups.
    statuses: list of a reason or None, one an item: why there is no reply. Known are `media_missing`, `decode_error`,
        `media_not_received`, `out_of_memory`, `truncated_reasoning`, `unparsed`, `no_answer`, `not_judged`,
        `judge_failed`, `hidden_gold`.
    protocol: the denominator. "strict" (default) counts empty replies, cut-off reasoning and out of memory as 0;
        "answered" leaves them out. Both leave out what was not judged, and count it in `not_scored`.
    variant: "fraction" (default) = the share of key terms found, times 100; "count" = the number of them, times 100,
        as LEMON's equation 3 is printed: a score then has no upper end.
    return_items: whether to return each item's parts; False by default.

Returns:
    score: mean over items, 0..100 ("fraction"); None if nothing counts.
    judge, key_terms: mean rating, 0..10, and mean share of key terms, 0..1, over the same items, so that score =
        7 judge + 30 key_terms ("fraction").
    n, n_scored, n_counted: items; items with a score; the denominator of `score`.
    not_scored: {reason: count}.
    interval: None; the values are no shares.
    by_group: {group: the keys above}.
    macro: unweighted mean of the groups' scores; None without groups.
    protocol, denominator: its name, and a sentence that says what was counted.
    variant: its name.
    items: with return_items: [{"value": score or None, "judge": rating or None, "key_terms": share or None, "found",
        "missed": lists of terms, "status": "scored" or a reason, "rule": "judge", what was wrong with the verdict, or
        "", "choice": None}].

Raises:
    ValueError: lists of different lengths, an unknown status, protocol or variant.

Examples:
    >>> import evaluate
    >>> metric = evaluate.load("path/to/summary_score")
    >>> reference = {"key_terms": ["eigenvalue", "back-propagation"], "answer": "", "question": "Summarise."}
    >>> result = metric.compute(
    ...     predictions=["Eigenvalues and backpropagation.", "The EIGENVALUES.", "A lecture."],
    ...     references=[reference] * 3,
    ...     verdicts=['{"score": 8}', "6/10", "I cannot say."],
    ...     return_items=True,
    ... )
    >>> round(result["score"], 2), result["judge"], result["key_terms"], result["not_scored"]
    (71.5, 7.0, 0.75, {'judge_failed': 1})
    >>> result["items"][1]["missed"]
    ['back-propagation']
"""

_CITATION = """\
@article{yu2026lemon,
  title   = {LEMON: How Well Do MLLMs Perform Temporal Multimodal Understanding on Instructional Videos?},
  author  = {Yu, Zhuang and Shen, Lei and Zhao, Jing and Sun, Shiliang},
  journal = {arXiv preprint arXiv:2601.20705},
  year    = {2026}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SummaryScore(evaluate.Metric):
    """Thin: it declares the features and calls the scoring rule."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            reference_urls=["https://arxiv.org/abs/2601.20705"],
            features=datasets.Features(
                {
                    "predictions": text,
                    "references": {"key_terms": datasets.List(text), "answer": text, "question": text},
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
        variant="fraction",
        return_items=False,
    ):
        graded = summaries(predictions, references, verdicts, statuses=statuses, variant=variant)
        result = score_summaries(graded, groups=groups, protocol=protocol) | {"variant": variant}
        if return_items:
            result["items"] = [as_item(one) for one in graded]
        return result

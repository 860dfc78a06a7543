"""Transcript error: how far transcripts are from what was said, as word and character error rate.

What belongs here: the features, the documentation, and the calls of the scoring rule. What does not: how texts
are normalized and edits are summed (`transcript_error.py` of chalkbench.scoring).
"""

import datasets
import evaluate

from chalkbench.scoring.transcript_error import as_item, score_transcripts, transcripts

_DESCRIPTION = """\
Word and character error rate of transcripts against what was said, over all of them: edits over reference length.
Lower is better. The score is the character error rate for Chinese, Japanese, Korean and other languages without spaces
between words, else the word error rate.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the raw replies, reasoning included.
    references: list of {"answer": str, "language": str}: what was said, "" = nothing, and its ISO 639-1 code. Give the
        status `hidden_gold` to an item whose reference is not known.
    groups: list of str, or of lists of str, one an item: an item counts in each of its groups.
    statuses: list of a reason or None, one an item: why there is no reply. Known are `media_missing`, `decode_error`,
        `media_not_received`, `out_of_memory`, `truncated_reasoning`, `unparsed`, `no_answer`, `not_judged`,
        `judge_failed`, `hidden_gold`.
    protocol: the denominator. "strict" (default) counts empty replies, cut-off reasoning and out of memory as
        transcripts of nothing (each word is an error); "answered" leaves them out. Both leave out what could not be
        asked.
    variant: "normalized" (default) = compatible characters (NFKC), small letters, no punctuation, hyphens as spaces;
        each character of a script without spaces is a word; spaces do not count in the character error rate of
        languages that are scored by it. "raw" = jiwer on the texts as they are.
    return_items: whether to return each item's rates; False by default.

Returns:
    score: edits over reference length in the language's own unit: characters for zh, yue, ja, ko, th, lo, my, km and
        bo, else words. 0 and up, above 1 where more was heard than said; None if no reference says anything.
    wer, cer: word and character error rate over the same items.
    unit: "word", "character", or "mixed" where languages differ (edits and lengths are then summed in each one's
        unit); None if nothing counts.
    edits: {"word", "character": {"substitutions", "deletions", "insertions", "length"}}.
    n, n_scored, n_counted: items; items with a rate; the items whose edits are summed.
    not_scored: {reason: count}.
    interval: None; the values are no shares.
    by_group: {group: the keys above}.
    macro: unweighted mean of the groups' scores; None without groups.
    protocol, denominator: its name, and a sentence that says what was counted.
    variant: its name.
    items: with return_items: [{"value": rate in the language's unit or None, "wer", "cer", "rule": the unit, "status":
        "scored" or a reason, "choice": None}]. An item in which nothing was said has the value 0 if nothing was heard,
        else 1; its insertions count in the rates over all.

Raises:
    ValueError: lists of different lengths, an unknown status, protocol or variant, an item without language.

Examples:
    >>> import evaluate
    >>> metric = evaluate.load("path/to/transcript_error")
    >>> result = metric.compute(
    ...     predictions=["the Eigen-values, are real", "学习机器"],
    ...     references=[
    ...         {"answer": "The eigen values are real.", "language": "en"},
    ...         {"answer": "机器学习。", "language": "zh"},
    ...     ],
    ...     groups=["en", "zh"],
    ... )
    >>> round(result["score"], 2), result["unit"], result["by_group"]["en"]["wer"], result["by_group"]["zh"]["cer"]
    (0.44, 'mixed', 0.0, 1.0)
    >>> metric.compute(
    ...     predictions=["the Eigen-values, are real"],
    ...     references=[{"answer": "The eigen values are real.", "language": "en"}],
    ...     variant="raw",
    ... )["wer"]
    0.8
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
class TranscriptError(evaluate.Metric):
    """Thin: it declares the features and calls the scoring rule."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            reference_urls=["https://arxiv.org/abs/2601.20705"],
            features=datasets.Features({"predictions": text, "references": {"answer": text, "language": text}}),
        )

    def _compute(
        self,
        predictions,
        references,
        groups=None,
        statuses=None,
        protocol="strict",
        variant="normalized",
        return_items=False,
    ):
        graded = transcripts(
            predictions,
            [reference["answer"] for reference in references],
            [reference["language"] for reference in references],
            statuses=statuses,
            variant=variant,
        )
        result = score_transcripts(graded, groups=groups, protocol=protocol) | {"variant": variant}
        if return_items:
            result["items"] = [as_item(one) for one in graded]
        return result

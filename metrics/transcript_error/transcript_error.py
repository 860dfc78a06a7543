"""Errors of transcripts: word and character error rate."""

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
    groups: list of str, or of lists of str: the groups each item counts under.
    statuses: list of a reason or None, for items that failed before (`media_missing`, `decode_error`, …).
    protocol: "strict" counts empty replies, cut-off reasoning and out of memory as transcripts of nothing (each word
        is an error); "answered" leaves them out.
    variant: "normalized" = compatible characters (NFKC), small letters, no punctuation, hyphens as spaces; each
        character of a script without spaces is a word; spaces do not count in the character error rate of zh, ja, ko.
        "raw" = jiwer on the texts as they are.
    return_items: whether to return each item's rates.

Returns:
    score: 0 and up, above 1 where more was heard than said; None if no reference says anything. wer, cer: both rates.
    unit: "word", "character", or "mixed" where languages differ; then edits and lengths are summed in each one's unit.
    edits {"word", "character": {substitutions, deletions, insertions, length}}. n, n_scored, n_counted, not_scored
    {reason: count}, interval (None), by_group {group: the same}, macro (mean over groups), protocol, denominator,
    variant; and items [{value, wer, cer, rule: the unit, status, choice: None}] on request. An item in which nothing
    was said has the value 0 if nothing was heard, else 1; its insertions count in the rates over all.

Raises:
    ValueError: lists of different lengths, an unknown status, protocol or variant, an item without language.

Examples:
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
@misc{lemon, title={LEMON}, eprint={2601.20705}, archivePrefix={arXiv}}
"""


class TranscriptError(evaluate.Metric):
    """Thin: the features, and calls of `chalkbench.scoring.transcript_error`."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
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

"""Accuracy on multiple-choice questions, read from free-form replies."""

import datasets
import evaluate

from chalkbench.scoring.options import outcomes, score_outcomes

_CITATION = """\
@misc{chalkbench, title={chalkbench: instructional-video benchmarks, tasks and metrics}}
"""

_DESCRIPTION = """\
Reads which option each reply chose and scores it against the gold option, with every item accounted for: right,
wrong, or not scored for a named reason.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the raw replies, reasoning included. A reply that is missing is "", with its reason in
        `statuses`.
    references: list of {"options": list of 2 to 26 str, "answer_index": int}; the options are labelled A, B, C … in
        order. answer_index -1: the gold is hidden; the reply is read and the item is not scored (`hidden_gold`).
    groups: list of str, or of lists of str, beside the predictions: an item counts in each of its groups.
    statuses: list of a reason or None, for items that failed before there was a reply: `media_missing`,
        `decode_error`, `out_of_memory`, `truncated_reasoning`, `no_answer`, ….
    protocol: the denominator. `strict`: unparsed replies, cut-off reasoning and out-of-memory count as wrong; items
        whose media are missing, that were not asked, or whose gold is hidden are left out. `answered`: all items that
        are not scored are left out.
    return_items: whether to return what was read from each reply.

Rules of reading, by falling authority:
    1. The whole reply is a label ("B", "(B)", "**B**", "option b") or an option's text.
    2. An explicit answer: a field ({"answer": "B"}), a tag, a box, or an answer line ("Answer: B").
    3. A declared sentence ("the answer is B", "I choose B", "B is correct", "so B"), in several languages, or a line
       that is a label.
    4. A label that opens the reply ("B), since …") or ends it.
    5. The only label that is guessed ("probably B") or mentioned, where nothing is denied.
    6. The only option whose text is mentioned, where it is not denied.
    Among equals the last wins. A denied or retracted option ("not A", "A is incorrect") is no declaration. Two options
    declared together are none. "None of the above" and its kin mean the item's own option of that kind. Only the
    item's labels count; the pronoun "I" and the article "A" never do. Reasoning (<think> and its cousins) is not
    read, and reasoning that was cut off is no answer. A label that contradicts the text beside it ("B. The nucleus")
    counts as the label.

Returns:
    accuracy: float in 0..1, None if nothing counts.
    n, n_scored, n_counted: items; items with a grade; the denominator of `accuracy`.
    not_scored: {reason: count}.
    interval: Wilson 95 % interval [low, high] of `accuracy`, or None.
    by_group: {group: the keys above}. macro: unweighted mean of the groups' accuracies, None without groups.
    protocol, denominator: its name, and a sentence that says what was counted.
    items (with return_items): [{"choice": label or None, "rule": str, "status": "scored" or a reason}].

Examples:
    >>> import evaluate
    >>> metric = evaluate.load("option_accuracy")  # or the path of this folder
    >>> cell = ["The mitochondria", "The ribosome", "The nucleus", "The cell wall"]
    >>> references = [{"options": cell, "answer_index": gold} for gold in (1, 2, 0)]
    >>> replies = ["The answer is (B).", "ANSWER: A\\nWait.\\nANSWER: D", "I cannot tell."]
    >>> result = metric.compute(predictions=replies, references=references)
    >>> round(result["accuracy"], 3), result["n_scored"], result["not_scored"]
    (0.333, 2, {'unparsed': 1})
    >>> result["denominator"]
    'strict: accuracy over 3 of 3 items; counted as wrong: 1 unparsed'
    >>> result = metric.compute(predictions=replies, references=references, protocol="answered", return_items=True)
    >>> result["accuracy"], result["items"][1]
    (0.5, {'choice': 'D', 'rule': 'answer_line', 'status': 'scored'})
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class OptionAccuracy(evaluate.Metric):
    """Thin wrapper of `chalkbench.scoring.options`."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": {
                        "options": datasets.List(datasets.Value("string")),
                        "answer_index": datasets.Value("int32"),
                    },
                }
            ),
        )

    def _compute(self, predictions, references, groups=None, statuses=None, protocol="strict", return_items=False):
        graded = outcomes(
            predictions,
            [reference["options"] for reference in references],
            [reference["answer_index"] for reference in references],
            statuses=statuses,
        )
        result = score_outcomes(graded, groups=groups, protocol=protocol)
        if return_items:
            result["items"] = [{"choice": one.choice, "rule": one.rule, "status": one.status} for one in graded]
        return result

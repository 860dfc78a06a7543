"""Free answers to multiple-choice questions, matched with the options' texts without a judge."""

from collections import Counter

import datasets
import evaluate

from chalkbench.scoring.free_response_match import outcomes
from chalkbench.scoring.options import score_outcomes

_DESCRIPTION = """\
Share of free answers that say the right option (VIRA-Bench's free-response control): the model has not seen the
options, and its normalized words are compared with those of each. Deterministic; no judge, no model.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the raw replies, reasoning included. Of a JSON object, the field `answer` is read; after
        a line that begins with "Answer:", the rest.
    references: list of {"answer": str, "options": list of str, "answer_index": int}. With options, the one at
        answer_index is right; with answer_index -1, the one that reads as `answer` does. Without options, `answer`
        is what a reply must say. Neither: the item is hidden.
    groups: list of str, or of lists of str: the groups each item counts under.
    statuses: list of a reason or None, for items that failed before (`media_missing`, `out_of_memory`, …).
    protocol: "strict" counts empty replies, cut-off reasoning and out of memory as wrong; "answered" leaves them out.
        A reply that says none of the options is wrong under both, as in VIRA-Bench.
    variant: "closest": a reply is an option, holds one option's text, or has clearly more words in common with one
        than with the others. "exact": the first two.
    return_items: whether to return what each reply was matched with.

Returns:
    accuracy: float in 0..1, None if nothing counts. n, n_scored, n_counted, not_scored {reason: count}, interval
    (Wilson 95 %), by_group {group: the same}, macro, protocol, denominator; variant; rules {rule: count} of the scored
    items: `same`, `contained`, `closest`, `several` (it says more than one), `no_match`; and items [{choice: label of
    the option or None, rule, status, value}] on request.

Raises:
    ValueError: lists of different lengths, an index out of range, an unknown status, protocol or variant.

Examples:
    >>> moves = ["The teacher points at the word.", "The teacher repeats the question.", "The teacher moves on."]
    >>> references = [{"answer": moves[1], "options": moves, "answer_index": 1}] * 4
    >>> replies = ["The teacher repeats the question!", "She repeats her question slowly.", "She moves on.", "B"]
    >>> result = metric.compute(predictions=replies, references=references, return_items=True)
    >>> result["accuracy"], [(item["choice"], item["rule"]) for item in result["items"]]
    (0.5, [('B', 'same'), ('B', 'closest'), ('C', 'closest'), (None, 'no_match')])
    >>> metric.compute(predictions=replies, references=references, variant="exact")["rules"]
    {'no_match': 3, 'same': 1}
"""

_CITATION = """\
@misc{virabench, title={VIRA-Bench}, eprint={2610.29428}, archivePrefix={arXiv}}
"""


class FreeResponseMatch(evaluate.Metric):
    """Thin: the features, and a call of `chalkbench.scoring.free_response_match`."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "predictions": text,
                    "references": {
                        "answer": text,
                        "options": datasets.List(text),
                        "answer_index": datasets.Value("int32"),
                    },
                }
            ),
        )

    def _compute(
        self,
        predictions,
        references,
        groups=None,
        statuses=None,
        protocol="strict",
        variant="closest",
        return_items=False,
    ):
        graded = outcomes(predictions, references, statuses=statuses, variant=variant)
        rules = Counter(one.rule for one in graded if one.value is not None)
        result = score_outcomes(graded, groups=groups, protocol=protocol)
        result |= {"variant": variant, "rules": dict(sorted(rules.items()))}
        if return_items:
            result["items"] = [
                {"choice": one.choice, "rule": one.rule, "status": one.status, "value": one.value} for one in graded
            ]
        return result

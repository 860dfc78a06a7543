"""Free-response match: the share of free answers that say the right option, by their words, without a judge.

What belongs here: the features, the documentation, and the calls of the scoring rule. What does not: how a reply is
matched (`free_response_match.py` of chalkbench.scoring), and the audit of the matcher (`match_audit.py`).
"""

from collections import Counter

import datasets
import evaluate

from chalkbench.scoring.free_response_match import outcomes
from chalkbench.scoring.scores import score_outcomes

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
        is what a reply must say. Neither: the item is hidden (`hidden_gold`).
    groups: list of str, or of lists of str, one an item: an item counts in each of its groups.
    statuses: list of a reason or None, one an item: why there is no reply. Known are `media_missing`, `decode_error`,
        `media_not_received`, `out_of_memory`, `truncated_reasoning`, `unparsed`, `no_answer`, `not_judged`,
        `judge_failed`, `hidden_gold`.
    protocol: the denominator. "strict" (default) counts empty replies, cut-off reasoning and out of memory as wrong;
        "answered" leaves them out. A reply that says none of the options is wrong under both, as in VIRA-Bench.
    variant: "closest" (default): a reply is an option, holds one option's text, or has clearly more words in common
        with one than with the others. "exact": the first two.
    return_items: whether to return what each reply was matched with; False by default.

Returns:
    accuracy: share of replies that say the right option, 0..1; None if nothing counts.
    n, n_scored, n_counted: items; items with a score; the denominator of `accuracy`.
    not_scored: {reason: count}.
    interval: Wilson 95 % interval of `accuracy`, [low, high]; None if nothing counts.
    by_group: {group: the keys above}.
    macro: unweighted mean of the groups' accuracies; None without groups.
    protocol, denominator: its name, and a sentence that says what was counted.
    variant: its name.
    rules: {rule: count} of the scored items: `same`, `contained`, `closest`, `several` (it says more than one),
        `no_match`.
    items: with return_items: [{"choice": label of the option or None, "rule", "status": "scored" or a reason,
        "value": 1.0, 0.0 or None}].

Raises:
    ValueError: lists of different lengths, an index out of range, an unknown status, protocol or variant.

Examples:
    >>> import evaluate
    >>> metric = evaluate.load("path/to/free_response_match")
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
@article{wang2026vira,
  title   = {VIRA-Bench: Diagnosing Pedagogical Contingency Understanding in Online Tutoring Videos},
  author  = {Wang, Weihang and Gu, Hansu and Liu, Guanming and Zhang, Peng and Gu, Ning and Lu, Tun},
  journal = {arXiv preprint arXiv:2610.29428},
  year    = {2026}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class FreeResponseMatch(evaluate.Metric):
    """Thin: it declares the features and calls the scoring rule."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            reference_urls=["https://arxiv.org/abs/2610.29428"],
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

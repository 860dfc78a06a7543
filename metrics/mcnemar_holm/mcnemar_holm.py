"""McNemar with Holm: whether conditions differ on the same items, with p-values adjusted over all tests.

What belongs here: the features, the documentation, and the call of the scoring rule. What does not: the tests
themselves (`paired.py` of chalkbench.scoring).
"""

import datasets
import evaluate

from chalkbench.scoring.paired import compare

_DESCRIPTION = """\
Whether conditions (models, inputs) differ on the same items: McNemar's test for every pair, exact or chi-square with
and without continuity correction, p-values adjusted by Holm over all tests. An evaluate comparison.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: one list of outcomes a condition: 1 (right), 0 (wrong) or None (no outcome) an item, the items in the
        same order in each. An item without an outcome in one of two conditions is left out of that pair alone.
    conditions: names of the conditions, in the same order; "1", "2", … if not given.
    test: whose p is adjusted: "exact" (default, binomial), "chi2", or "chi2_corrected" (Edwards' continuity
        correction).
    against: name of a condition to be compared with each other one; all pairs if not given.
    groups: list of str, or of lists of str, an item: one test a pair and group; the adjustment is over all of them.

Returns:
    tests: one dictionary a test, with
        first, second, group: names; group is None without groups.
        n, left_out: items with both outcomes, and the others.
        both_right, only_first, only_second, both_wrong: counts.
        difference: share right of first minus second, over the n items.
        statistic, p, p_holm: of the chosen form; p_holm is adjusted over all tests. p is 1 where only_first equals
            only_second, 0 and 0 among them.
        p_values: {form: p} of all three forms, not adjusted.
        Where two conditions have no item in common, difference, statistic and every p are None, and the pair is not
        among the tests that the adjustment is over.
    n_items: items in each condition.
    n_tests: the tests that the adjustment is over.
    test, adjustment: the chosen form, and "holm".

Raises:
    ValueError: fewer than two conditions, different lengths, names that repeat or are not one a condition, other
        values than 1, 0 and None, an unknown test or condition.

Examples:
    >>> import evaluate
    >>> comparison = evaluate.load("path/to/mcnemar_holm", module_type="comparison")
    >>> comparison = evaluate.load("path/to/mcnemar_holm", module_type="comparison")
    >>> comparison = evaluate.load("path/to/mcnemar_holm", module_type="comparison")
    >>> comparison = evaluate.load("path/to/mcnemar_holm", module_type="comparison")
    >>> comparison = evaluate.load("path/to/mcnemar_holm", module_type="comparison")
    >>> comparison = evaluate.load("path/to/mcnemar_holm", module_type="comparison")
    >>> video = [1] * 12 + [0] * 8
    >>> blind = [0] * 9 + [1] * 4 + [0] * 7
    >>> result = comparison.compute(predictions=[video, blind], conditions=["video", "blind"])
    >>> test = result["tests"][0]
    >>> test["only_first"], test["only_second"], test["difference"], round(test["p"], 4)
    (9, 1, 0.4, 0.0215)
    >>> result = comparison.compute(
    ...     predictions=[video, blind, [None] * 20], conditions=["video", "blind", "failed"], against="video"
    ... )
    >>> [(test["second"], test["n"], test["left_out"], test["p_holm"]) for test in result["tests"]]
    [('blind', 20, 0, 0.021484375), ('failed', 0, 20, None)]
"""

_CITATION = """\
@article{wang2026vira,
  title   = {VIRA-Bench: Diagnosing Pedagogical Contingency Understanding in Online Tutoring Videos},
  author  = {Wang, Weihang and Gu, Hansu and Liu, Guanming and Zhang, Peng and Gu, Ning and Lu, Tun},
  journal = {arXiv preprint arXiv:2610.29428},
  year    = {2026}
}
@article{mcnemar1947note,
  title   = {Note on the sampling error of the difference between correlated proportions or percentages},
  author  = {McNemar, Quinn},
  journal = {Psychometrika},
  volume  = {12},
  number  = {2},
  pages   = {153--157},
  year    = {1947}
}
@article{edwards1948note,
  title   = {Note on the ``correction for continuity'' in testing the significance of the difference between correlated
             proportions},
  author  = {Edwards, Allen L.},
  journal = {Psychometrika},
  volume  = {13},
  number  = {3},
  pages   = {185--187},
  year    = {1948}
}
@article{holm1979simple,
  title   = {A simple sequentially rejective multiple test procedure},
  author  = {Holm, Sture},
  journal = {Scandinavian Journal of Statistics},
  volume  = {6},
  number  = {2},
  pages   = {65--70},
  year    = {1979}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class McNemarHolm(evaluate.Comparison):
    """Thin: it declares the features and calls the scoring rule."""

    def _info(self) -> evaluate.ComparisonInfo:
        return evaluate.ComparisonInfo(
            module_type="comparison",
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            reference_urls=["https://arxiv.org/abs/2610.29428"],
            # a row a condition, so that any number of them can be compared
            features=datasets.Features({"predictions": datasets.List(datasets.Value("float64"))}),
        )

    def _compute(self, predictions, conditions=None, test="exact", against=None, groups=None):
        names = [str(place) for place in range(1, len(predictions) + 1)] if conditions is None else list(conditions)
        if len(names) != len(predictions) or len(set(names)) != len(names):
            raise ValueError(
                f"conditions {names} for {len(predictions)} lists of outcomes: give one name of its own each"
            )
        return compare(dict(zip(names, predictions, strict=True)), test=test, against=against, groups=groups)

"""McNemar's test between conditions over the same items, adjusted by Holm."""

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
    test: whose p is adjusted: "exact" (binomial), "chi2", or "chi2_corrected" (Edwards' continuity correction).
    against: name of a condition to be compared with each other one, instead of all pairs.
    groups: list of str, or of lists of str, an item: one test a pair and group; the adjustment is over all of them.

Returns:
    tests: one dictionary a test: first, second, group (None without groups); n (items with both outcomes), left_out;
    both_right, only_first, only_second, both_wrong; difference (share right of first minus second over the n items);
    statistic, p, p_holm, and p_values {test: p} of all three forms. n_items, n_tests, test, adjustment ("holm").
    Where only_first equals only_second, 0 and 0 among them, p is 1; where two conditions have no item in common, it is
    None, and the pair is not among the n_tests that the adjustment is over.

Raises:
    ValueError: fewer than two conditions, different lengths, other values than 1, 0, None, an unknown test or
        condition.

Examples:
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
@article{mcnemar, author={McNemar, Quinn}, title={Note on the sampling error of the difference between correlated
proportions or percentages}, journal={Psychometrika}, volume={12}, year={1947}}
@article{holm, author={Holm, Sture}, title={A simple sequentially rejective multiple test procedure},
journal={Scandinavian Journal of Statistics}, volume={6}, year={1979}}
"""


class McNemarHolm(evaluate.Comparison):
    """Thin: the features, and a call of `chalkbench.scoring.paired`."""

    def _info(self) -> evaluate.ComparisonInfo:
        return evaluate.ComparisonInfo(
            module_type="comparison",
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
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

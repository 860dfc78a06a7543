"""Option accuracy: the share of multiple-choice questions whose right option a reply declares.

What belongs here: the features, the documentation, and the calls of the scoring rule. What does not: how a reply is
read (`reading.py` and `option_variants.py` of chalkbench.scoring).
"""

import datasets
import evaluate

from chalkbench.scoring.option_variants import calibration, outcomes_of, over_all, read_confidence
from chalkbench.scoring.scores import score_outcomes

_DESCRIPTION = """\
Share of multiple-choice questions whose right option a reply declares. Every item is accounted for: right, wrong, or
not scored for a named reason.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str, the raw replies, reasoning included. A reply that is missing is "", with its reason in
        `statuses`.
    references: list of {"options": list of 2 to 26 str, "answer_index": int}; the options are labelled A, B, C … in
        order. answer_index -1: the right one is hidden; the reply is read and the item is not scored (`hidden_gold`).
    groups: list of str, or of lists of str, one an item: an item counts in each of its groups.
    statuses: list of a reason or None, one an item: why there is no reply. Known are `media_missing`, `decode_error`,
        `media_not_received`, `out_of_memory`, `truncated_reasoning`, `unparsed`, `no_answer`, `not_judged`,
        `judge_failed`, `hidden_gold`.
    protocol: the denominator. "strict" (default) counts unparsed replies, cut-off reasoning and out of memory as
        wrong, and leaves out items whose media are missing, that were not asked, or whose answer is hidden.
        "answered" leaves out everything that is not scored.
    return_items: whether to return what was read from each reply; False by default.
    variant: whose way of reading.
        "chalkbench" (default): the rules of reading below.
        "lemon": LEMON's two stages (appendix I.2.1): the rules below, then an LLM extractor on what they leave. Put
            its replies in as `verdicts`; its prompt is ours (`chalkbench.scoring.option_variants.asking`), since the
            paper shows one as a picture only. "none", no label of the item or two labels: `unparsed`.
        "vira_bench": VIRA-Bench's order (appendix, response parsing and scoring): the answer of a JSON object before
            all else, then the rules below, which know its bare letter and option text; the stated confidence is
            returned too.
        "instructionbench": the rules below; the paper's main text names accuracy, and no rule for replies.
        "mmou": the rules below in place of the paper's regular expressions, which it does not print; the leaderboard's
            accuracy over all items, missing answers wrong, is returned beside ours.
    verdicts: for "lemon" alone: list of str or None, the extractor's reply to each item; None where it was not asked,
        or failed. An item that needed one and has none, or an empty one, is `judge_failed`. Without the list, what the
        rules leave is `unparsed`.

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
    accuracy: share of right replies, 0..1; None if nothing counts.
    n, n_scored, n_counted: items; items with a score; the denominator of `accuracy`.
    not_scored: {reason: count}.
    interval: Wilson 95 % interval of `accuracy`, [low, high]; None if nothing counts.
    by_group: {group: the keys above}.
    macro: unweighted mean of the groups' accuracies; None without groups.
    protocol, denominator: its name, and a sentence that says what was counted.
    variant: its name.
    accuracy_all, coverage: for "mmou" alone, also in each group: right replies, and replies that were read, over all
        items whose answer is known; None without any.
    confidence: for "vira_bench" alone: {"n": scored items that state one, "mean_right", "mean_wrong": means of the
        stated shares where the reply is right and wrong, "by_word": {word: {"n", "accuracy"}}}.
    items: with return_items: [{"choice": label or None, "option": its text or None, "rule": what read it, or "",
        "status": "scored" or a reason, "value": 1.0, 0.0 or None}]; for "vira_bench" also "confidence": a share in
        0..1, a word, or None.

Raises:
    ValueError: lists of different lengths, an index outside the options, an unknown status, variant or protocol,
        verdicts for a variant that takes none.

Examples:
    >>> import evaluate
    >>> metric = evaluate.load("path/to/option_accuracy")
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
    (0.5, {'choice': 'D', 'option': 'The cell wall', 'rule': 'answer_line', 'status': 'scored', 'value': 0.0})
    >>> result = metric.compute(
    ...     predictions=replies, references=references, variant="lemon", verdicts=[None, None, "A"], return_items=True
    ... )
    >>> round(result["accuracy"], 3), result["items"][2]["option"], result["items"][2]["rule"]
    (0.667, 'The mitochondria', 'extractor')
    >>> replies = ['{"answer": "B", "confidence": 0.9}', '{"answer": "D", "confidence": 0.6}', "the nucleus"]
    >>> result = metric.compute(predictions=replies, references=references, variant="vira_bench")
    >>> result["confidence"]["mean_right"], result["confidence"]["mean_wrong"]
    (0.9, 0.6)
    >>> result = metric.compute(
    ...     predictions=["B", "C", ""], references=references, statuses=[None, None, "no_answer"], variant="mmou"
    ... )
    >>> result["accuracy"], round(result["accuracy_all"], 3), round(result["coverage"], 3)
    (1.0, 0.667, 0.667)
"""

_CITATION = """\
@article{yu2026lemon,
  title   = {LEMON: How Well Do MLLMs Perform Temporal Multimodal Understanding on Instructional Videos?},
  author  = {Yu, Zhuang and Shen, Lei and Zhao, Jing and Sun, Shiliang},
  journal = {arXiv preprint arXiv:2601.20705},
  year    = {2026}
}
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
@article{wang2026vira,
  title   = {VIRA-Bench: Diagnosing Pedagogical Contingency Understanding in Online Tutoring Videos},
  author  = {Wang, Weihang and Gu, Hansu and Liu, Guanming and Zhang, Peng and Gu, Ning and Lu, Tun},
  journal = {arXiv preprint arXiv:2610.29428},
  year    = {2026}
}
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
class OptionAccuracy(evaluate.Metric):
    """Thin: it declares the features and calls the scoring rule."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            reference_urls=[
                "https://arxiv.org/abs/2601.20705",
                "https://arxiv.org/abs/2504.14693",
                "https://arxiv.org/abs/2504.05040",
                "https://arxiv.org/abs/2610.29428",
                "https://arxiv.org/abs/2603.14145",
            ],
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

    def _compute(
        self,
        predictions,
        references,
        groups=None,
        statuses=None,
        protocol="strict",
        return_items=False,
        variant="chalkbench",
        verdicts=None,
    ):
        options = [reference["options"] for reference in references]
        graded = outcomes_of(
            predictions,
            options,
            [reference["answer_index"] for reference in references],
            variant=variant,
            statuses=statuses,
            verdicts=verdicts,
        )
        result = score_outcomes(graded, groups=groups, protocol=protocol) | {"variant": variant}
        if variant == "mmou":
            for part in (result, *result["by_group"].values()):
                part |= over_all(part)
        stated = [
            read_confidence(reply) if one.choice else None for reply, one in zip(predictions, graded, strict=True)
        ]
        if variant == "vira_bench":
            result["confidence"] = calibration(graded, stated)
        if return_items:
            result["items"] = [
                {
                    "choice": one.choice,
                    "option": texts[ord(one.choice) - 65] if one.choice else None,
                    "rule": one.rule,
                    "status": one.status,
                    "value": one.value,
                }
                | ({"confidence": said} if variant == "vira_bench" else {})
                for one, texts, said in zip(graded, options, stated, strict=True)
            ]
        return result

"""Binding: an evaluate module as lighteval's metric.

lighteval calls a metric once an item and once for the whole; here the item's call only collects what the rule needs,
and the whole goes to the module in one call. It returns a dictionary: for a single number lighteval runs a thousand
bootstraps, which a module cannot stand, and prints an error bar that is not ours.
"""

import json
from collections.abc import Sequence
from typing import Any

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from chalkbench.results import Item, flat, score
from chalkbench.task import Task


def reply_of(response: ModelResponse) -> str:
    """The raw reply: the first of `text`, which lighteval's own vision models give as a plain string."""
    if isinstance(response.text, str):
        return response.text
    return (response.text[0] or "") if response.text else ""


def item_of(doc: Doc, response: ModelResponse | None) -> Item:
    """What a rule needs of a question and its answer; `response` None: of a question that nobody answered yet.

    The status is the one that the model gave its response, or that the question had before it was asked.
    """
    specific = doc.specific
    open_ended = not specific["options_shown"]
    return Item(
        id=specific["item_id"],
        question=specific["question"],
        options=[] if open_ended else list(doc.choices),
        gold=-1 if open_ended else doc.gold_index,
        reference=doc.choices[0] if open_ended else "",
        groups=specific["groups"],
        reply=reply_of(response) if response else "",
        status=specific["status"] or getattr(response, "status", None),
        extra=json.loads(specific["extra"]),
        order=[] if open_ended else list(specific["option_order"]),
    )


class Collect(SampleLevelComputation):
    """The item's part: collects."""

    def compute(self, doc: Doc, model_response: ModelResponse, **_) -> dict:
        return item_of(doc, model_response).to_dict()


class Score(CorpusLevelComputation):
    """The whole's part: one call of the module. `result` keeps the nested result, of which lighteval takes numbers."""

    def __init__(self, task: Task, *, protocol: str = "strict", judge: Any = None) -> None:
        self.task = task
        self.protocol = protocol
        self.judge = judge
        self.result: dict[str, Any] | None = None

    def __deepcopy__(self, _memo: dict) -> "Score":
        return self  # lighteval copies its configurations; the result is to be found in the one that was handed in

    def __str__(self) -> str:
        return f"Score({self.task.rule}, {self.protocol})"  # lighteval prints it into its cache's keys

    def compute_corpus(self, items: Sequence[dict]) -> dict[str, float]:
        self.result = score(
            [Item.from_dict(item) for item in items], task=self.task, protocol=self.protocol, judge=self.judge
        )
        return flat(self.result)


def metric(task: Task, *, protocol: str = "strict", judge: Any = None) -> CorpusLevelMetric:
    """lighteval's metric of a task's rule."""
    return CorpusLevelMetric(
        metric_name=task.rule,
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=Collect(),
        corpus_level_fn=Score(task, protocol=protocol, judge=judge),
    )

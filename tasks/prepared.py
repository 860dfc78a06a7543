"""Rows as a task asks them: which of them, in what words, with options and clips in which order, after what was said.

What belongs here: changes of the rows that must be the same for prompt, gold and score. What does not: wording
(`prompts.py`), reading a layout (`data.py`). Nothing here is random: every order hangs on names and ids alone.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from datasets import Dataset, Features, List, Value

from chalkbench.benchmarks.schema import FEATURES
from chalkbench.task import SEED, OptionOrder, Row, Task
from chalkbench.tasks import prompts

# What a prepared row has beside the schema: the released positions of the options in the order shown ([] = as
# released), and the conversation before it as JSON ("" = none, or the model's own).
PREPARED = Features(FEATURES | {"option_order": List(Value("int32")), "history": Value("string")})


def prepare(rows: Dataset, task: Task) -> Dataset:
    """The rows of a task, in their order, with the columns of `PREPARED`.

    The rows themselves come back where the task changes nothing.
    """
    made = _changed(rows, task)
    if not task.evidence.options and any(made["option_media"]):  # "picture 1" is no answer that can be compared
        made = made.select([place for place, pictures in enumerate(made["option_media"]) if not pictures])
    return made.select(task.select(made)) if task.select is not None else made


def _changed(rows: Dataset, task: Task) -> Dataset:
    shuffled = task.option_order in ("independent", "balanced")
    gold = task.evidence.history == "gold" and any(rows["session_id"])
    clips = any(rows["clips"])
    if not (shuffled or gold or clips or task.question):
        return rows
    made = [row | {"option_order": [], "history": ""} for row in rows.to_list()]
    for row in made:
        if task.question is not None:
            row["question"] = task.question(row)
        # the order in which a release lists the clips may be the answer
        row["clips"] = sorted(row["clips"], key=lambda clip: _number("clip", row["id"], clip["id"]))
    if shuffled:
        orders = option_orders(made, task.option_order, model=task.asked_of)
        made = [reordered(row, order) for row, order in zip(made, orders, strict=True)]
    if gold:
        _add_gold_history(made, task)
    return Dataset.from_list(made, features=PREPARED, split=rows.split)


def option_orders(rows: Sequence[Row], kind: OptionOrder, *, model: str, seed: int = SEED) -> list[list[int]]:
    """For each row the released positions of its options, in the order in which this model is shown them.

    `independent`: each order hangs on seed, model and item id alone (VIRA-Bench, appendix E). `balanced`: the right
    answers are dealt out evenly over the positions, so that their counts differ by at most one, as the paper reports
    them (330, 331, 331, 330); the other options are ordered as in `independent`.
    """
    orders = [
        sorted(range(len(row["options"])), key=lambda place: _number(seed, model, row["id"], place)) for row in rows
    ]
    if kind != "balanced":
        return orders
    dealt: dict[int, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if row["answer_index"] >= 0:
            dealt[len(row["options"])].append(place)
    for count, places in dealt.items():
        places.sort(key=lambda place: _number(seed, model, rows[place]["id"], "gold"))
        for turn, place in enumerate(places, start=1):  # from the second position, as the paper's counts have it
            gold = rows[place]["answer_index"]
            order = [option for option in orders[place] if option != gold]
            order.insert(turn % count, gold)
            orders[place] = order
    return orders


def reordered(row: Row, order: Sequence[int]) -> Row:
    """The row with its options in another order, and the gold where it then is."""
    if not order:
        return row
    gold = row["answer_index"]
    return row | {
        "options": [row["options"][place] for place in order],
        "option_media": [row["option_media"][place] for place in order] if row["option_media"] else [],
        "answer_index": list(order).index(gold) if gold >= 0 else gold,
        "option_order": list(order),
    }


def _add_gold_history(rows: Iterable[Row], task: Task) -> None:
    """Writes into each later turn what was asked before, with the right answers."""
    sessions: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["session_id"]:
            sessions[row["session_id"]].append(row)
    for turns in sessions.values():
        said: list[tuple[str, str, str]] = []
        for row in sorted(turns, key=lambda row: row["turn"]):
            row["history"] = json.dumps(said, ensure_ascii=False) if said else ""
            said.append((prompts.question_text(row, task), prompts.gold_reply(row, task), prompts.context(row, task)))


def _number(*parts: Any) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:8])

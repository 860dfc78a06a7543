"""Captions graded by what can be answered from them: VDCscore, the rule of Video-MMLU's notebook track.

Two stages. An assistant answers each of a caption's questions from the caption alone; a judge compares the answer with
the correct one, letter by letter where the question is about text on the screen, by meaning otherwise. Both are the
same model here: the one that is handed to `chalkbench.judge`.

What belongs here: the prompts and settings of both stages, what is asked, and how verdicts become one outcome a
question. What does not: sending the prompts (`chalkbench.judge`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalkbench.scoring.judge_prompts import Asking, Prompt, Settings, Template
from chalkbench.scoring.judgement import Judgement, as_item, fault_of, is_known, judgement, score_judgements
from chalkbench.scoring.outcome import HIDDEN_GOLD, failed
from chalkbench.scoring.replies import strip_reasoning

# Video-MMLU (arXiv 2504.14693), section 9, with straight quotation marks, less the one that follows "task:" there.
EXTRACT = Template(
    name="video_mmlu.extract",
    source="Video-MMLU section 9",
    system=(
        "You are an intelligent chatbot designed for providing accurate answers to questions related to the content "
        "based on a detailed description of a video or image.\n"
        "Here's how you can accomplish the task:\n"
        "------\n"
        "##INSTRUCTIONS:\n"
        "- Read the detailed description carefully.\n"
        "- Answer the question only based on the detailed description.\n"
        "- The answer should be a short sentence or phrase."
    ),
    user=(
        "Please provide accurate answers to questions related to the content based on a detailed description of a "
        "video or image:\n\n"
        "detailed description: {text}\n\n"
        "question: {question}\n\n"
        "DO NOT PROVIDE ANY OTHER OUTPUT TEXT OR EXPLANATION. Only provide short but accurate answer."
    ),
)
# Section 12, with straight quotation marks.
CAPTION = Template(
    name="video_mmlu.caption",
    source="Video-MMLU section 12",
    system=(
        "You are an intelligent chatbot designed for evaluating the correctness of generative outputs for "
        "question-answer pairs.\n"
        "Your task is to compare the predicted answer with the correct answer and determine if they match "
        "meaningfully. The evaluation criteria differ based on the type of question:\n"
        "------\n"
        "##INSTRUCTIONS:\n"
        "1. For OCR-related questions:\n"
        "- Perform a strict letter-by-letter comparison.\n"
        "- Any difference in characters (including case, punctuation, or letter substitution) must result in 'no'.\n"
        "- Minor spelling errors or missing characters should not be accepted.\n"
        "2. For non-OCR-related questions:\n"
        "- Focus on the meaningful match between the predicted answer and the correct answer.\n"
        "- Synonyms or paraphrases can be considered valid matches.\n"
        "- Minor spelling differences or alternative expressions should not be penalized."
    ),
    user=(
        "Please evaluate the following video-based question-answer pair:\n\n"
        "Question: {question}\n"
        "Correct Answer: {answer}\n"
        "Predicted Answer: {reply}\n\n"
        "Provide your evaluation only as a yes/no and score where the score is an integer value between 0 and 5, with "
        "5 indicating the highest meaningful match.\n"
        "Please generate the response in the form of a Python dictionary string with keys 'pred' and 'score', where "
        "value of 'pred' is a string of 'yes' or 'no' and value of 'score' is in INTEGER, not STRING.\n"
        "DO NOT PROVIDE ANY OTHER OUTPUT TEXT OR EXPLANATION. Only provide the Python dictionary string.\n"
        "For example, your response should look like this: {'pred': 'yes', 'score': 4.8}."
    ),
)


@dataclass(frozen=True)
class Variant:
    """A way in which the paper's numbers may have been made. The wording is the paper's in all of them; the released
    code's differs a little, and sends system and user text as two conversations, so that its model sees the user's.

    extract, judge: settings of the two stages. reader: how verdicts are read (`verdicts.READERS`); one that cannot be
    read is `judge_failed` either way, leaves the denominator and is counted.
    """

    extract: Settings
    judge: Settings
    reader: str
    source: str


VARIANTS = {
    "paper": Variant(
        extract=Settings(temperature=0.0, max_tokens=64),
        judge=Settings(temperature=0.0, max_tokens=32),
        reader="tolerant",
        source="Video-MMLU, evaluation strategies: temperature 0; lengths from the released code",
    ),
    "official_code": Variant(
        extract=Settings(temperature=0.8, top_p=0.8, top_k=40, max_tokens=64),
        judge=Settings(temperature=0.8, top_p=0.8, top_k=40, max_tokens=32),
        reader="release",
        source="Video-MMLU's released post_eval/gener_qa.py and eval_cap_qa.py: temperature 0.8, Python dictionaries",
    ),
}


def variant_of(name: str) -> Variant:
    """The variant of a name. Raises ValueError for another."""
    if name not in VARIANTS:
        raise ValueError(f"variant {name!r}: expected one of {', '.join(VARIANTS)}")
    return VARIANTS[name]


def extract_prompt(caption: str, question: str, *, variant: str = "paper") -> Prompt:
    """What the assistant is asked: one question, to be answered from the caption alone (reasoning removed)."""
    text = strip_reasoning(caption)[0].strip()
    return EXTRACT.fill(variant_of(variant).extract, form="extract", text=text, question=question)


def compare_prompt(question: str, answer: str, extracted: str, *, variant: str = "paper") -> Prompt:
    """What the judge is asked about the assistant's answer (reasoning removed)."""
    reply = strip_reasoning(extracted)[0].strip()
    return CAPTION.fill(variant_of(variant).judge, form="yes_no", question=question, answer=answer, reply=reply)


def asking(items: Sequence[Mapping[str, Any]], *, variant: str = "paper") -> Asking:
    """Two questions for every question of every caption: an answer from the caption, then a verdict on it.

    items: mappings with `reply` (the caption), `questions` [{question, answer}], and `status` (None = there is a
    caption). Yields the prompts of the first stage, then those of the second, each once and possibly empty. Returns
    one list an item with one verdict a question: None where nothing was asked or where a stage failed. A question
    without an answer is not asked.
    """
    asked = [
        (place, number)
        for place, item in enumerate(items)
        if not is_known(item.get("status")) and fault_of(item["reply"]) is None
        for number, pair in enumerate(item["questions"])
        if pair["answer"].strip()
    ]
    answers = yield [
        extract_prompt(items[place]["reply"], items[place]["questions"][number]["question"], variant=variant)
        for place, number in asked
    ]
    found = [
        (where, answer)
        for where, answer in zip(asked, answers, strict=True)
        if answer is not None and not _cut(answer)
    ]
    texts = yield [
        compare_prompt(pair["question"], pair["answer"], answer, variant=variant)
        for (place, number), answer in found
        for pair in [items[place]["questions"][number]]
    ]
    verdicts: list[list[str | None]] = [[None] * len(item["questions"]) for item in items]
    for ((place, number), _), text in zip(found, texts, strict=True):
        verdicts[place][number] = text
    return verdicts


def _cut(answer: str) -> bool:
    """Whether the assistant was cut off while it reasoned: no answer, where an empty text is one that says nothing."""
    text, cut = strip_reasoning(answer)
    return cut and not text.strip()


def judgements(
    captions: Sequence[str],
    questions: Sequence[Sequence[Mapping[str, str]]],
    verdicts: Sequence[Sequence[str | None]],
    *,
    statuses: Sequence[str | None] | None = None,
    variant: str = "paper",
) -> list[list[Judgement]]:
    """One judgement a question, in lists as long as each caption's questions.

    captions: raw replies. questions: each caption's [{question, answer}]. verdicts: as `asking` returns them; an empty
    list stands for "none was given". statuses: a reason of `outcome.py` where the caption failed before, else None; it
    goes for all its questions. An empty caption is `unparsed` for each of them; a caption without questions is one
    `hidden_gold`, and so is a question without an answer.
    Raises ValueError for another variant and where lengths differ.
    """
    reader = variant_of(variant).reader
    statuses = [None] * len(captions) if statuses is None else statuses
    lists = {"captions": captions, "questions": questions, "verdicts": verdicts, "statuses": statuses}
    if len({len(values) for values in lists.values()}) > 1:
        counts = ", ".join(f"{len(values)} {name}" for name, values in lists.items())
        raise ValueError(f"{counts}: give one of each a caption")
    return [
        _of_caption(index, *one, reader)
        for index, one in enumerate(zip(captions, questions, verdicts, statuses, strict=True))
    ]


def _of_caption(
    index: int,
    caption: str,
    questions: Sequence[Mapping[str, str]],
    verdicts: Sequence[str | None],
    status: str | None,
    reader: str,
) -> list[Judgement]:
    if verdicts and len(verdicts) != len(questions):
        raise ValueError(f"caption {index}: {len(verdicts)} verdicts for {len(questions)} questions: give one each")
    known = status if is_known(status) else None
    if not questions:
        return [Judgement(failed(known or HIDDEN_GOLD))]
    if fault := known or fault_of(caption):
        return [Judgement(failed(fault))] * len(questions)
    return [
        judgement(verdict, reader=reader) if pair["answer"].strip() else Judgement(failed(HIDDEN_GOLD))
        for pair, verdict in zip(questions, verdicts or [None] * len(questions), strict=True)
    ]


def score_captions(
    judged: Sequence[Sequence[Judgement]],
    *,
    groups: Sequence[str | Sequence[str]] | None = None,
    protocol: str = "strict",
) -> dict[str, Any]:
    """`judgement.score_judgements` over all questions; groups: name or names of each caption's groups.

    `n_captions` is beside the counts, which are of questions.
    """
    if groups is not None and len(groups) != len(judged):
        raise ValueError(f"{len(groups)} groups for {len(judged)} captions: give one entry a caption")
    flat = [one for caption in judged for one in caption]
    names = None if groups is None else [name for name, part in zip(groups, judged, strict=True) for _ in part]
    return score_judgements(flat, groups=names, protocol=protocol) | {"n_captions": len(judged)}


def caption_item(judged: Sequence[Judgement]) -> dict[str, Any]:
    """One caption as a plain dictionary: `value` is the share of yes among its questions that have a verdict.

    `status` is "scored" if any has, else the first question's reason; `questions` holds one dictionary each.
    """
    values = [one.outcome.value for one in judged if one.outcome.value is not None]
    return {
        "choice": None,
        "rule": "judge" if values else judged[0].outcome.rule,
        "status": "scored" if values else judged[0].outcome.status,
        "value": sum(values) / len(values) if values else None,
        "questions": [as_item(one) for one in judged],
    }

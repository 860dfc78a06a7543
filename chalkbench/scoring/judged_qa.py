"""Open-ended answers, graded yes or no by a judge: Video-MMLU's quiz.

What belongs here: the judge's prompt and settings, and how its verdicts become outcomes. What does not: asking it
(`chalkbench.judge`).
"""

from collections.abc import Sequence

from chalkbench.scoring.judge_prompts import Prompt, Settings, Template
from chalkbench.scoring.outcome import JUDGE_FAILED, TRUNCATED_REASONING, UNPARSED, Outcome, failed
from chalkbench.scoring.replies import strip_reasoning
from chalkbench.scoring.verdicts import read_verdict

# Video-MMLU (arXiv 2504.14693), section 13, with straight quotation marks.
QUIZ = Template(
    name="video_mmlu.quiz",
    source="Video-MMLU section 13",
    system=(
        "You are an intelligent chatbot designed for evaluating the correctness of generative outputs for "
        "reasoning-based question-answer pairs.\n"
        "Your task is to compare the predicted answer with the correct answer based on the following rules:\n"
        "------\n"
        "##INSTRUCTIONS:\n"
        "1. Evaluate Reasoning Tasks Strictly:\n"
        "- The predicted answer must capture all critical concepts and details mentioned in the correct answer.\n"
        "- If the correct answer mentions specific concepts or examples (e.g., 'odd numbers accumulate to form "
        "perfect squares'), the predicted answer must include these concepts or examples.\n"
        "- Even if the phrasing differs, the key meaning and concepts must be preserved. However, omitting or "
        "altering key concepts or examples is not acceptable.\n"
        "- Example 1: If the correct answer is 'The construction method shows how odd numbers accumulate to form "
        "perfect squares,' the predicted answer must include 'odd numbers' and 'perfect squares.'\n"
        "- Example 2: If the correct answer is 'To eliminate HBr and form an alkene,' the predicted answer must "
        "address the elimination of HBr as well.\n"
        "- Minor differences in phrasing are acceptable as long as the key information is retained.\n"
        "- Critical Detail: If any essential element (e.g., key terms, concepts, or examples) is missing from the "
        "predicted answer, the answer is considered incorrect.\n"
        "- Do not introduce new, unrelated information in the predicted answer."
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
# The released code's call for the quiz; at temperature 0 top-p and top-k have no effect.
QUIZ_SETTINGS = Settings(temperature=0.0, top_p=0.8, top_k=40, max_tokens=32)


def quiz_prompt(question: str, answer: str, reply: str) -> Prompt:
    """What the judge is asked about one reply; reasoning is removed from it first."""
    return QUIZ.fill(QUIZ_SETTINGS, question=question, answer=answer, reply=strip_reasoning(reply)[0])


def fault_of(reply: str) -> str | None:
    """Why a reply need not go to the judge: nothing is left of it once reasoning is removed. None = it must."""
    text, cut = strip_reasoning(reply)
    if text.strip():
        return None
    return TRUNCATED_REASONING if cut else UNPARSED


def outcomes(
    replies: Sequence[str], verdicts: Sequence[str | None], *, statuses: Sequence[str | None] | None = None
) -> list[Outcome]:
    """Value 1 for yes, 0 for no; `judge_failed` where the judge gave no verdict that can be read.

    replies: raw text, one an item. verdicts: the judge's replies, None = there is none. statuses: a reason of
    `outcome.py` where the item failed before, else None. An empty reply is `unparsed`, whatever the judge says.
    Raises ValueError where lengths differ.
    """
    statuses = [None] * len(replies) if statuses is None else statuses
    return [
        _outcome(reply, verdict, status) for reply, verdict, status in zip(replies, verdicts, statuses, strict=True)
    ]


def _outcome(reply: str, verdict: str | None, status: str | None) -> Outcome:
    if status is not None and status != "scored":
        return failed(status)
    if fault := fault_of(reply):
        return failed(fault)
    read = read_verdict(verdict)
    if read.correct is None:
        return failed(JUDGE_FAILED, read.fault)
    return Outcome(value=float(read.correct), choice="yes" if read.correct else "no", rule="judge")

"""What a judge is asked, and what becomes of its replies and its failures."""

from dataclasses import dataclass, field, replace

from chalkbench.judge import Reply
from chalkbench.judging import ask
from chalkbench.results import Item, score
from chalkbench.tasks import video_mmlu

QUIZ = video_mmlu.TASKS[0]
MMOU_OPEN = replace(QUIZ, benchmark="mmou")  # no prompt of its own is printed


@dataclass
class Scripted:
    """A judge that gives these replies in turn, and keeps what it was asked."""

    replies: list[Reply]
    asked: list = field(default_factory=list)

    id = "scripted"
    served = frozenset()

    def ask(self, prompts):
        self.asked += prompts
        return self.replies[: len(prompts)]

    def describe(self, template, settings):
        return {"settings": str(settings), "prompt": template.name, "prompt_hash": "0", "prompt_source": "-"}


def item(id, reply="Because of gravity.", discipline="Math", **more):
    known = {"options": [], "gold": -1, "reference": "Gravity.", "groups": {"discipline": [discipline]}}
    return Item(id, "Why does it fall?", **known | {"reply": reply} | more)


def yes(score=4):
    return Reply(text=f"{{'pred': 'yes', 'score': {score}}}")


def no():
    return Reply(text="{'pred': 'no', 'score': 1}")


def test_the_judge_sees_question_reference_and_reply_without_its_reasoning():
    judge = Scripted([yes()])
    ask([item("a", "<think>Magnets?</think>It is gravity.")], task=QUIZ, judge=judge)
    (prompt,) = judge.asked
    assert "Why does it fall?" in prompt.user and "Gravity." in prompt.user and "It is gravity." in prompt.user
    assert "Magnets" not in prompt.user


def test_only_replies_that_can_be_judged_reach_the_judge():
    judge = Scripted([yes()])
    items = [
        item("a", ""),
        item("b", "<think>so"),
        item("c", "", status="media_missing"),
        item("d", reference=""),
        item("e"),
    ]
    result = score(items, task=QUIZ, judge=judge)
    assert len(judge.asked) == 1
    assert [one["status"] for one in result["items"]] == [
        "unparsed",
        "truncated_reasoning",
        "media_missing",
        "hidden_gold",
        "scored",
    ]


def test_a_failed_judge_is_counted_and_never_a_grade():
    failure = Reply(text=None, status="judge_failed", error="HTTP 500")
    items = [item("a"), item("b"), item("c"), item("d")]
    result = score(items, task=QUIZ, judge=Scripted([yes(), failure, Reply(text="[[90]]"), yes(90)]))
    assert result["not_scored"] == {"judge_failed": 3}
    assert (result["accuracy"], result["n_scored"], result["n"]) == (1.0, 1, 4)
    assert result["items"][1]["error"] == "HTTP 500"
    assert result["items"][2]["verdict"] == "[[90]]"


def test_the_official_score_is_the_mean_of_the_disciplines():
    items = [item("a"), item("b"), item("c"), item("d", discipline="Physics")]
    result = score(items, task=QUIZ, judge=Scripted([yes(), yes(), yes(), no()]))
    assert result["accuracy"] == 0.75
    assert result["official"] == {"name": "mean over discipline", "value": 0.5}


def test_without_a_judge_the_answers_wait():
    result = score([item("a"), item("b", "")], task=QUIZ)
    assert result["not_scored"] == {"not_judged": 1, "unparsed": 1} and result["judged_by"] is None


def test_the_judge_is_described_with_its_prompt_and_settings():
    from chalkbench.judge import open_judge

    judge = open_judge("stand_in")
    quiz, other = (score([item("a")], task=task, judge=judge)["judged_by"] for task in (QUIZ, MMOU_OPEN))
    assert quiz["judge"] == judge.id and quiz["settings"] == "T:0,max:32" and len(quiz["prompt_hash"]) == 12
    assert other["prompt_hash"] == f"unpublished:{quiz['prompt_hash']}"

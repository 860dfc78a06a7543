from collections import Counter

from chalkbench.models.random_choice import RandomChoice
from chalkbench.models.request import Material


def picks(model, requests):
    return [answer.text for answer in model.answer([(request, Material()) for request in requests])]


def test_every_option_comes_up_equally_often(question):
    options = tuple("abcdefghij")
    counts = Counter(picks(RandomChoice(), [question(f"q{number}", options=options) for number in range(5000)]))
    assert sorted(counts) == list("ABCDEFGHIJ")
    assert all(400 < count < 600 for count in counts.values())


def test_a_pick_depends_on_seed_and_id_alone(question):
    requests = [question(f"q{number}") for number in range(50)]
    assert picks(RandomChoice(), requests) == picks(RandomChoice(), requests[::-1])[::-1]
    assert picks(RandomChoice(1), requests) != picks(RandomChoice(2), requests)


def test_an_open_question_gets_nothing(question):
    assert picks(RandomChoice(), [question(options=())]) == [""]

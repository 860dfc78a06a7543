"""What every scoring rule's folder says of itself: card, docstring, citation and examples, in one form for all."""

import importlib.resources
import inspect
import re
from pathlib import Path

import evaluate
import pytest
import yaml

METRICS = Path(str(importlib.resources.files("chalkbench.metrics")))
RULES = sorted(path.parent.name for path in METRICS.glob("*/README.md"))
SECTIONS = ["How to use", "Inputs", "Output", "Variants", "Source", "Limits", "Citation"]
FRONT = ["title", "sdk", "app_file", "pinned", "license", "tags", "description"]
# keys that a result has only where they are asked for
ON_REQUEST = {"accuracy_all", "coverage", "confidence", "bertscore", "comet22", "items"}


@pytest.fixture(scope="module")
def modules():
    """The loaded modules by name."""
    return {rule: evaluate.load(str(METRICS / rule), keep_in_memory=True) for rule in RULES}


@pytest.fixture(scope="module")
def examples(fixture_module):
    """What the examples and the page of each rule come to, by name."""
    run = fixture_module("module_examples").examples
    return {rule: run(METRICS / rule) for rule in RULES}


def card(rule):
    """The card's front matter and its sections by title; what stands before the first is named ""."""
    _, front, body = (METRICS / rule / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    title, *parts = re.split(r"^## ", body, flags=re.MULTILINE)
    named = {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in parts}
    return yaml.safe_load(front), {"": title} | named


def first_column(table):
    """The names in backticks in the first column of a table."""
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def documented(module, section):
    """The names that a section of the docstring begins its lines with."""
    text = module.inputs_description.split(f"\n{section}:\n")[1].split("\n\n")[0]
    heads = re.findall(r"^    ([a-z]\w*(?:, \w+)*):", text, re.MULTILINE)
    return [name for head in heads for name in head.split(", ")]


@pytest.mark.parametrize("rule", RULES)
def test_a_card_has_its_sections_in_order(rule):
    front, sections = card(rule)
    assert list(front) == FRONT
    assert front["license"] == "apache-2.0"
    assert re.match(r"\n# .+\n\nMeasures [^#]+\.\n\n$", sections.pop(""))
    assert list(sections) == [name for name in SECTIONS if name in sections]
    assert set(SECTIONS) - set(sections) <= {"Variants"}
    assert all(text.strip() for text in sections.values())


@pytest.mark.parametrize("rule", RULES)
def test_every_argument_stands_in_card_and_docstring(modules, rule):
    arguments = list(inspect.signature(modules[rule]._compute).parameters)
    assert first_column(card(rule)[1]["Inputs"]) == arguments
    assert documented(modules[rule], "Args") == arguments


@pytest.mark.parametrize("rule", RULES)
def test_every_key_of_a_result_stands_in_card_and_docstring(modules, examples, rule):
    in_card = first_column(card(rule)[1]["Output"])
    assert documented(modules[rule], "Returns") == in_card
    returned = set(examples[rule]["result"])
    assert returned <= set(in_card)
    assert set(in_card) - returned <= ON_REQUEST


@pytest.mark.parametrize("rule", RULES)
def test_every_variant_stands_in_card_and_docstring(modules, rule):
    parameters = inspect.signature(modules[rule]._compute).parameters
    if "variant" not in parameters:
        assert "Variants" not in card(rule)[1] or rule == "mcnemar_holm"
        return
    sample = {"predictions": [], "references": []} | ({"verdicts": []} if "verdicts" in parameters else {})
    sample |= {"verdicts": None} if rule == "option_accuracy" else {}
    with pytest.raises(ValueError, match="expected one of ") as caught:
        modules[rule].compute(**sample, variant="unheard of")
    names = str(caught.value).split("expected one of ")[1].split(", ")
    assert parameters["variant"].default == names[0]
    for name in names:
        assert f"`{name}`" in card(rule)[1]["Variants"]
        assert f'"{name}"' in modules[rule].inputs_description


@pytest.mark.parametrize("rule", RULES)
def test_papers_are_named_cited_and_linked(modules, rule):
    sections = card(rule)[1]
    assert sections["Citation"].strip() == f"```bibtex\n{modules[rule].citation.strip()}\n```"
    entries = re.split(r"\n(?=@)", modules[rule].citation.strip())
    for entry in entries:
        assert re.match(r"@\w+\{\w+,\n", entry)
        assert {"title", "author", "year"} <= set(re.findall(r"^  (\w+) *= \{", entry, re.MULTILINE))
        assert entry.count("{") == entry.count("}")
    cited = set(re.findall(r"arXiv:(\d{4}\.\d{5})", modules[rule].citation))
    assert {url.removeprefix("https://arxiv.org/abs/") for url in modules[rule].reference_urls} == cited
    assert set(re.findall(r"\(https://arxiv\.org/abs/([\d.]+)\)", sections["Source"])) <= cited


@pytest.mark.parametrize("rule", RULES)
def test_examples_load_the_module_in_one_form(modules, rule):
    name, more = ("comparison", ', module_type="comparison"') if rule == "mcnemar_holm" else ("metric", "")
    loading = f'{name} = evaluate.load("path/to/{rule}"{more})\n'
    assert f"Examples:\n    >>> import evaluate\n    >>> {loading}" in modules[rule].inputs_description
    assert f"```python\nimport evaluate\n\n{loading}" in card(rule)[1]["How to use"]


@pytest.mark.parametrize("rule", RULES)
def test_examples_of_card_and_docstring_say_what_is_true(examples, rule):
    done = examples[rule]
    assert done["promised"], "the card shows no output"
    assert done["printed"] == done["promised"]
    assert done["tried"] > 2
    assert not done["failed"]


@pytest.mark.parametrize("rule", RULES)
def test_help_shows_arguments_and_examples(modules, rule):
    shown = inspect.getdoc(type(modules[rule]))
    assert all(f"{section}:\n" in shown for section in ("Args", "Returns", "Raises", "Examples"))

"""What would be published of a scoring rule does without chalkbench what the rule does here."""

import importlib.resources
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml

from chalkbench.errors import ChalkbenchError
from chalkbench.push_scripts import metric_folder
from chalkbench.push_scripts.metric_folder import build, rules

METRICS = Path(str(importlib.resources.files("chalkbench.metrics")))
RUNNER = Path(__file__).parents[1] / "fixtures" / "module_examples.py"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Folder with the folders of all rules."""
    folder = tmp_path_factory.mktemp("published")
    for rule in rules():
        build(rule, to=folder)
    return folder


@pytest.fixture(scope="module")
def here(fixture_module):
    """What the rules do here, by their names."""
    run = fixture_module("module_examples").examples
    return {rule: json.loads(json.dumps(run(METRICS / rule))) for rule in rules()}


@pytest.fixture(scope="module")
def there(published, tmp_path_factory):
    """What the published folders do where chalkbench cannot be imported; pages lie in `app`, as in a Space."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for rule in rules():
        shutil.copytree(published / rule, elsewhere / rule)
        shutil.copytree(published / rule, elsewhere / rule / "app")
    done = subprocess.run(
        [sys.executable, RUNNER, *(elsewhere / rule for rule in rules())],
        cwd=tmp_path_factory.mktemp("cwd"),
        env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "HF_MODULES_CACHE": str(elsewhere / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_folder_of_metrics_is_a_rule():
    folders = {path.name for path in METRICS.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert set(rules()) == folders


@pytest.mark.parametrize("rule", rules())
def test_the_examples_of_a_rule_say_what_is_true(here, rule):
    done = here[rule]
    assert done["promised"], "the card shows no output"
    assert done["printed"] == done["promised"]
    assert done["tried"] > 0
    assert not done["failed"]


@pytest.mark.parametrize("rule", rules())
def test_a_published_rule_does_the_same_without_chalkbench(here, there, rule):
    same = ("printed", "promised", "tried", "failed", "result")
    assert {key: there[rule][key] for key in same} == {key: here[rule][key] for key in same}
    assert "cache" in there[rule]["file"]  # evaluate's copy was run, with nothing beside it that it did not copy


@pytest.mark.parametrize("rule", rules())
def test_a_published_card_makes_a_space(published, rule):
    front = yaml.safe_load((published / rule / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    assert (front["sdk"], front["app_file"]) == ("gradio", "app.py")
    assert front["sdk_version"] == metric_folder.GRADIO
    assert "evaluate" in front["tags"] and {"metric", "comparison"} & set(front["tags"])
    assert front["title"]


@pytest.mark.parametrize("rule", rules())
def test_published_requirements_are_complete_without_chalkbench(published, rule):
    lines = (published / rule / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if "chalkbench" in line]
    assert any(line.startswith("evaluate>=") for line in lines)
    assert any(line.startswith("datasets>=") for line in lines)


def test_no_published_file_imports_chalkbench(published):
    found = [path for path in published.rglob("*.py") for line in path.read_text(encoding="utf-8").splitlines()
             if line.strip().startswith(("from chalkbench", "import chalkbench"))]  # fmt: skip
    assert not found


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Makes a rule of given files and builds it; what a rule needs besides is filled in."""
    monkeypatch.setattr(metric_folder, "_metrics", lambda: tmp_path / "metrics")
    front = "---\ntitle: Odd\nsdk: gradio\napp_file: app.py\ntags:\n- evaluate\n- metric\n---\n"
    page = "from pathlib import Path\nimport evaluate\nmetric = evaluate.load(str(Path(__file__).parent))\n"

    def make(module, *, card=front, app=page, requirements="evaluate>=0.4.6\n", **more):
        folder = tmp_path / "metrics" / "odd"
        folder.mkdir(parents=True, exist_ok=True)
        module += "\n\nimport evaluate\n\nclass Odd(evaluate.Metric):\n    pass\n"
        files = {"odd.py": module, "README.md": card, "app.py": app, "requirements.txt": requirements}
        for name, text in files.items():
            (folder / name).write_text(text)
        return build("odd", to=tmp_path / "built", **more)

    return make


def test_imports_of_every_form_become_local(made_up):
    folder = made_up(
        '"""Odd."""\n'
        "from chalkbench.scoring import languages as words, replies\n"
        "from chalkbench.scoring.outcome import (  # all of them\n    SCORED,\n    UNPARSED as LOST,\n)\n"
        "from chalkbench.scoring.replies import fold  # noqa: F401\n"
        "def later():\n    from chalkbench.scoring.verdicts import read_verdict\n    return read_verdict\n"
    )
    text = (folder / "odd.py").read_text()
    assert "from . import scoring_languages as words, scoring_replies as replies\n" in text
    assert "from .scoring_outcome import SCORED, UNPARSED as LOST\n" in text
    assert "from .scoring_replies import fold\n" in text  # evaluate would load from what stands behind #
    assert "    from .scoring_verdicts import read_verdict\n" in text
    assert {path.name for path in folder.glob("scoring_*.py")} == {
        f"scoring_{name}.py" for name in ("languages", "replies", "outcome", "verdicts")
    }


def test_what_a_file_needs_and_the_rule_does_not_name_is_required(made_up):
    folder = made_up(
        "from chalkbench.scoring.outcome import SCORED\n", requirements="# small\nchalkbench\nevaluate>=0.4.6\n"
    )
    assert (folder / "requirements.txt").read_text() == "# small\nevaluate>=0.4.6\nstatsmodels>=0.14\n"


def test_the_card_loads_the_published_module_if_its_owner_is_known(published, tmp_path):
    card = (build("option_accuracy", to=tmp_path, owner="some-org") / "README.md").read_text(encoding="utf-8")
    assert 'evaluate.load("some-org/option_accuracy")' in card
    assert 'evaluate.load("path/to/option_accuracy")' in (published / "option_accuracy" / "README.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("import chalkbench.scoring.outcome", r"odd\.py, line 1: write `from chalkbench\.scoring\.name import …`"),
        ("\nfrom chalkbench.errors import ChalkbenchError", r"line 2: chalkbench\.errors is not published"),
        ("from chalkbench.scoring.nothing import x", "line 1: there is no file"),
        ("from chalkbench.scoring.outcome import SCORED\nx = open('cases.json')", "line 2: it reads a file"),
        ("from pathlib import Path\nx = Path(__file__).parent", "line 2: it reads a file"),
        ("from importlib import resources", "line 1: it reads a file"),
        ("import not_installed_anywhere", "imports not_installed_anywhere, which neither"),
    ],
)
def test_what_cannot_stand_alone_is_refused(made_up, module, words, tmp_path):
    with pytest.raises(ChalkbenchError, match=words):
        made_up(module)
    assert not (tmp_path / "built" / "odd").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"card": "# Odd\n"},
            r"README\.md: the lines between --- lack sdk: gradio, app_file: app\.py, tags: evaluate",
        ),
        (
            {"card": "---\ntitle: Odd\nsdk: gradio\napp_file: app.py\ntags: [evaluate, comparison]\n---\n"},
            "lack tags: metric",
        ),
        (
            {"card": "---\ntitle: O\nsdk: gradio\napp_file: app.py\ntags: [evaluate, metric]\n---\n[x](../y.md)\n"},
            r"the link to \.\./y\.md leads nowhere",
        ),
        ({"app": "import gradio"}, r"app\.py: expected one evaluate\.load"),
        ({"app": "from chalkbench.scoring.outcome import SCORED"}, "the page may use the loaded module alone"),
    ],
)
def test_a_card_or_page_that_makes_no_space_is_refused(made_up, changes, words):
    with pytest.raises(ChalkbenchError, match=words):
        made_up("x = 1\n", **changes)


def test_nothing_is_overwritten(tmp_path):
    build("option_accuracy", to=tmp_path)
    with pytest.raises(ChalkbenchError, match="option_accuracy is not empty"):
        build("option_accuracy", to=tmp_path)
    with pytest.raises(ChalkbenchError, match="is not empty"):
        build("option_accuracy", to=METRICS)


@pytest.mark.slow
def test_the_command_makes_folders(tmp_path):
    command = [sys.executable, "-m", "chalkbench.push_scripts.metric_folder", "option_accuracy", "--to", "built"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, str(Path("built", "option_accuracy")))
    assert (tmp_path / "built" / "option_accuracy" / "option_accuracy.py").is_file()


def test_the_command_makes_all_and_names_what_is_wrong(tmp_path, capsys):
    metric_folder.main("all", tmp_path)
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / rule) for rule in rules()]
    with pytest.raises(typer.Exit) as end:
        metric_folder.main("option_acuracy", tmp_path)
    assert end.value.exit_code == 1
    assert capsys.readouterr().err.startswith("metric_folder: no scoring rule 'option_acuracy': there are ")

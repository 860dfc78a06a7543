"""The folder of a scoring rule as it is published: an `evaluate` Space that runs without chalkbench.

    python -m chalkbench.push_scripts.metric_folder option_accuracy --to build
    python -m chalkbench.push_scripts.metric_folder all --to build --owner my-org

From `metrics/<rule>/` and the files of `chalkbench/scoring/` that it needs, directly or through each other, with their
imports changed to local ones. What belongs here: making the folder. What does not: uploading it.

How `evaluate` loads a module decides the form: it copies the module's file and the files beside it which that file
itself imports as `from .name import …` at the beginning of a line without a comment, and nothing else; a file may not
have the module's own name.
"""

import ast
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Annotated

import typer
import yaml
from evaluate.loading import get_imports
from packaging.requirements import Requirement

from chalkbench.errors import ChalkbenchError

SCORING = "chalkbench.scoring"
PREFIX = "scoring_"  # rules and files of scoring share names
GRADIO = "6.31.0"  # a Space names the version that runs its page
KINDS = {"Metric": "metric", "Comparison": "comparison", "Measurement": "measurement"}
_OWN = ("__init__.py", "app.py", "README.md", "requirements.txt")

Edit = tuple[ast.stmt | ast.expr, str]


def rules() -> list[str]:
    """The names of all scoring rules."""
    return sorted(folder.name for folder in _metrics().iterdir() if (folder / f"{folder.name}.py").is_file())


def build(rule: str, *, to: str | Path, owner: str = "") -> Path:
    """Makes `to`/`rule` and returns it. owner: user or organisation of the Space, for the example in the card.

    Raises ChalkbenchError if there is no such rule, the folder is there already, or the rule cannot stand alone.
    """
    if rule not in rules():
        raise ChalkbenchError(f"no scoring rule {rule!r}: there are {', '.join(rules())}")
    source, target = _metrics() / rule, Path(to) / rule
    if target.exists() and any(target.iterdir()):
        raise ChalkbenchError(f"{target} is not empty: remove it or choose another folder")
    siblings = [path for path in sorted(source.glob("*.py")) if path.name not in (*_OWN, f"{rule}.py")]
    files = {f"{rule}.py": source / f"{rule}.py"} | {path.name: path for path in siblings}
    scoring = _needed(files.values())
    files |= {f"{PREFIX}{name}.py": path for name, path in scoring.items()}
    texts = {name: _alone(path) for name, path in files.items()}
    texts[f"{rule}.py"] = _importing_all(texts[f"{rule}.py"], [name[:-3] for name in files if name != f"{rule}.py"])
    texts["app.py"] = _page(source / "app.py", rule)
    texts["README.md"] = _card(source / "README.md", rule, kind=_kind(source / f"{rule}.py"), owner=owner)
    texts["requirements.txt"] = _requirements(source / "requirements.txt", files.values())
    part = target.with_name(f".{rule}.part")  # what fails half-way leaves no folder that looks whole
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, text in texts.items():
        (part / name).write_text(text, encoding="utf-8")
    _check_copied(part / f"{rule}.py", {name[:-3] for name in files} - {rule})
    return part.replace(target)


def _metrics() -> Path:
    return Path(str(resources.files("chalkbench.metrics")))


def _needed(files: Iterable[Path]) -> dict[str, Path]:
    """The files of scoring that some files import, directly or through each other, by name."""
    folder = Path(str(resources.files(SCORING)))
    found: dict[str, Path] = {}
    waiting = list(files)
    while waiting:
        path = waiting.pop(0)
        for node in ast.walk(_parsed(path)):
            for name in _scoring_modules(node, path):
                if name not in found:
                    found[name] = folder / f"{name}.py"
                    if not found[name].is_file():
                        raise ChalkbenchError(f"{_at(path, node)}: there is no file {found[name]}")
                    waiting.append(found[name])
    return dict(sorted(found.items()))


def _scoring_modules(node: ast.AST, path: Path) -> list[str]:
    """Names of the files of scoring that a statement imports. Raises ChalkbenchError for the rest of chalkbench."""
    if isinstance(node, ast.Import):
        ours = [alias.name for alias in node.names if alias.name.split(".")[0] == "chalkbench"]
        if ours:
            raise ChalkbenchError(
                f"{_at(path, node)}: write `from {SCORING}.name import …` instead of `import {ours[0]}`"
            )
        return []
    if not isinstance(node, ast.ImportFrom) or node.level or (node.module or "").split(".")[0] != "chalkbench":
        return []
    if node.module == SCORING:
        return [alias.name for alias in node.names]
    if not node.module.startswith(f"{SCORING}."):
        raise ChalkbenchError(f"{_at(path, node)}: {node.module} is not published: a rule may import {SCORING} alone")
    return [node.module.removeprefix(f"{SCORING}.")]


def _alone(path: Path) -> str:
    """A file's text with local imports in the place of chalkbench's."""
    tree = _parsed(path)
    edits: list[Edit] = []
    for node in ast.walk(tree):
        if _reads_a_file(node):
            raise ChalkbenchError(
                f"{_at(path, node)}: it reads a file, but evaluate copies only Python files: put the data in a module"
            )
        names = _scoring_modules(node, path)
        if names and node.module == SCORING:
            modules = [ast.alias(PREFIX + alias.name, alias.asname or alias.name) for alias in node.names]
            edits.append((node, ast.unparse(ast.ImportFrom(None, modules, 1))))
        elif names:
            edits.append((node, ast.unparse(ast.ImportFrom(PREFIX + names[0], node.names, 1))))
    return _edited(path.read_text(encoding="utf-8"), edits)


def _reads_a_file(node: ast.AST) -> bool:
    """Whether it looks for a file that came with the code; files that it makes itself are its own affair."""
    if isinstance(node, ast.Name):
        return node.id in ("__file__", "__path__")
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == "open" and bool(node.args) and isinstance(node.args[0], ast.Constant)
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
    module = node.module if isinstance(node, ast.ImportFrom) else None
    return bool({module, *names, *(f"{module}.{name}" for name in names)} & {"importlib.resources", "pkgutil"})


def _edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with other words for some of its nodes; a comment behind a changed statement goes with it.

    evaluate takes what follows `#` behind an import for an address to load from.
    """
    raw = text.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, words in sorted(edits, key=lambda edit: (edit[0].lineno, edit[0].col_offset), reverse=True):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        if isinstance(node, ast.stmt):
            end += len(re.match(rb"[ \t]*(?:#[^\n]*)?", raw[end:])[0])
        raw = raw[:begin] + words.encode() + raw[end:]
    return raw.decode()


def _importing_all(text: str, names: list[str]) -> str:
    """The module's text with an import of every file beside it, also of those that only other files need."""
    local = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom) and node.level == 1]
    there = {node.module for node in local}
    more = [f"from .{name} import __name__ as _" for name in names if name not in there]
    if not more:
        return text
    if not local:
        raise ChalkbenchError("files stand beside a module that imports none of them")
    lines = text.splitlines()
    place = local[-1].end_lineno
    return "\n".join(
        [*lines[:place], "", "# evaluate copies no file but those which this one imports", *more, *lines[place:], ""]
    )


def _page(path: Path, rule: str) -> str:
    """The page's text; it loads the module's own file.

    A Space lies in a folder called `app`, where evaluate would take `app.py` for the module.
    """
    tree = _parsed(path)
    for node in ast.walk(tree):
        if _scoring_modules(node, path):
            raise ChalkbenchError(f"{_at(path, node)}: the page may use the loaded module alone, not chalkbench")
    loads = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "evaluate.load"
    ]
    imports = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    if len(loads) != 1 or not loads[0].args or "Path" not in imports:
        raise ChalkbenchError(f"{path}: expected one evaluate.load(…), and `from pathlib import Path`")
    return _edited(
        path.read_text(encoding="utf-8"), [(loads[0].args[0], f'str(Path(__file__).resolve().with_name("{rule}.py"))')]
    )


def _kind(path: Path) -> str:
    """metric, comparison or measurement, by the class that the module defines."""
    for node in ast.walk(_parsed(path)):
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            name = ast.unparse(base).removeprefix("evaluate.")
            if name in KINDS:
                return KINDS[name]
    raise ChalkbenchError(f"{path}: there is no class of evaluate.Metric or evaluate.Comparison")


def _card(path: Path, rule: str, *, kind: str, owner: str) -> str:
    """The card with what a Space needs to run, its example loading the published module if the owner is known."""
    text = path.read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2) if text.startswith("---\n") and text.count("---\n") > 1 else ("", "", text)
    try:
        fields = yaml.safe_load(front) or {}
    except yaml.YAMLError as error:
        raise ChalkbenchError(f"{path}: the lines between --- are no YAML: {error}") from error
    lacking = [
        f"{name}: {value}" for name, value in (("sdk", "gradio"), ("app_file", "app.py")) if fields.get(name) != value
    ]
    lacking += [f"tags: {tag}" for tag in ("evaluate", kind) if tag not in (fields.get("tags") or [])]
    lacking += [] if fields.get("title") else ["title"]
    if lacking:
        raise ChalkbenchError(f"{path}: the lines between --- lack {', '.join(lacking)}")
    outside = re.search(r"\]\((?!https?://|#|mailto:)([^)\s]+)\)", body)
    if outside:
        raise ChalkbenchError(f"{path}: the link to {outside[1]} leads nowhere in a Space: give the whole address")
    if "sdk_version" not in fields:
        front = re.sub(r"^sdk: .*\n", lambda sdk: f"{sdk[0]}sdk_version: {GRADIO}\n", front, flags=re.MULTILINE)
    if owner:
        body = body.replace(f"path/to/{rule}", f"{owner}/{rule}")
    return f"---\n{front}---\n{body}"


def _requirements(path: Path, files: Iterable[Path]) -> str:
    """The module's own requirements, and those of the files beside it that they leave out, as chalkbench has them."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    lines = [line for line in lines if line.startswith("#") or _project(Requirement(line).name) != "chalkbench"]
    named = {_project(Requirement(line).name) for line in lines if not line.startswith("#")}
    distributions = _distributions()
    own = {_project(one.name): one for one in map(Requirement, metadata.requires("chalkbench") or [])}
    needing = {library: file for file in files for library in _libraries(_parsed(file))}
    for library, file in sorted(needing.items()):
        projects = {_project(name) for name in distributions.get(library, ())}
        if projects & named:
            continue
        known = sorted(projects & own.keys())
        if not known:
            raise ChalkbenchError(f"{file} imports {library}, which neither {path} nor chalkbench requires")
        lines.append(f"{own[known[0]].name}{own[known[0]].specifier}")
        named.add(known[0])
    return "\n".join([*lines, ""])


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Names of projects by those of their packages; it takes a second to look through what is installed."""
    return metadata.packages_distributions()


def _libraries(tree: ast.Module) -> Iterator[str]:
    """Foreign packages that a file needs to be imported; those that it looks for later are its own affair."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        else:
            continue
        for name in (one.split(".")[0] for one in names):
            if name not in sys.stdlib_module_names and name != "chalkbench":
                yield name


def _project(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _check_copied(module: Path, expected: set[str]) -> None:
    """Raises ChalkbenchError unless evaluate itself finds all files beside the module."""
    found = {name for kind, name, *_ in get_imports(str(module)) if kind == "internal"}
    if found != expected:
        raise ChalkbenchError(f"{module}: evaluate would copy {sorted(found)}, but needed are {sorted(expected)}")


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def _at(path: Path, node: ast.AST) -> str:
    return f"{path}, line {getattr(node, 'lineno', 1)}"


def main(
    rule: Annotated[str, typer.Argument(help="A folder of metrics/, or all.")],
    to: Annotated[Path, typer.Option(help="Folder for the folders; each must not be there yet.")],
    owner: Annotated[str, typer.Option(help="User or organisation that will own the Space, for the card.")] = "",
) -> None:
    """Make the folder of a scoring rule as it would be published."""
    try:
        for name in rules() if rule == "all" else [rule]:
            print(build(name, to=to, owner=owner))
    except ChalkbenchError as error:
        print(f"metric_folder: {error}", file=sys.stderr)
        raise typer.Exit(1) from None


if __name__ == "__main__":
    typer.run(main)

"""BERTScore and COMET-22: similarity of translations by models that are not part of the package.

Both are asked for by name, and say what they need if it is not there; nothing is left out or replaced unasked.

What belongs here: finding the packages and calling them. What does not: which answers are counted
(`translation_score.py`), and metrics without a model (`overlap.py`).
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# LEMON I.2.3, footnotes 9 and 10
COMET_MODEL = "Unbabel/wmt22-comet-da"
_COMET_HOME = "pip install unbabel-comet"

# Runs where COMET is installed: unbabel-comet 2.2 needs transformers below 5, so seldom beside chalkbench.
_COMET_SCRIPT = """
import json, sys
import torch
from comet import download_model, load_from_checkpoint
asked = json.load(open(sys.argv[1], encoding="utf-8"))
path = asked["model"] if asked["model"].endswith(".ckpt") else download_model(asked["model"])
model = load_from_checkpoint(path)
gpus = int(torch.cuda.is_available())
said = model.predict(asked["data"], batch_size=8, gpus=gpus, progress_bar=False)
json.dump([float(score) for score in said.scores], open(sys.argv[2], "w", encoding="utf-8"))
"""


@dataclass(frozen=True)
class BertScores:
    """F-measures of one language's texts, in their order.

    rescaled: whether the package's baseline of this language and model was taken off, as LEMON's numbers show for zh,
    fr, de and es, which alone fall below 0 in its Table 10; the package has none for ar, ja, ko and ru.
    """

    scores: list[float]
    rescaled: bool
    signature: str


def bertscore(
    translations: Sequence[str],
    references: Sequence[str],
    *,
    language: str,
    rescale: bool = False,
    model: str | None = None,
) -> BertScores:
    """BERTScore (F1) with the package's model for the language, or one of your own.

    language: ISO 639-1 code. rescale: take the baseline off where the package has one. model: name or folder; None =
    bert-base-chinese for zh, roberta-large for en, bert-base-multilingual-cased for most others. An empty text has
    the raw score 0, as in the package.
    Raises RuntimeError if bert-score or the model is not there.
    """
    if importlib.util.find_spec("bert_score") is None:
        raise RuntimeError(
            f"bertscore needs the package bert-score and a model ({model or _bert_model(language)}): "
            'run pip install "bert-score>=0.3.13", or leave bertscore out of extra_metrics'
        )
    from bert_score import BERTScorer, __version__

    try:
        scorer = BERTScorer(lang=language, model_type=model, num_layers=_layers(model))
    except OSError as error:
        raise RuntimeError(
            f"bertscore needs the model {model or _bert_model(language)}, which could not be loaded: download it once "
            f'with a network, or give its folder as models={{"bertscore": FOLDER}} ({error})'
        ) from error
    # bert-score 0.3.13 cannot encode an empty text with transformers 5
    full = [
        place for place, pair in enumerate(zip(translations, references, strict=True)) if all(map(str.strip, pair))
    ]
    scores = [0.0] * len(references)
    if full:
        _, _, measured = scorer.score([translations[place] for place in full], [references[place] for place in full])
        for place, score in zip(full, measured.tolist(), strict=True):
            scores[place] = score
    rescaled = rescale and Path(scorer.baseline_path).is_file()
    if rescaled:
        base = float(scorer.baseline_vals[2])
        scores = [(score - base) / (1 - base) for score in scores]
    name = Path(scorer.model_type).name if model else scorer.model_type
    signature = f"{name}|L{scorer.num_layers}|f1|rescaled:{'yes' if rescaled else 'no'}|version:{__version__}"
    return BertScores(scores=scores, rescaled=rescaled, signature=signature)


def comet22(
    sources: Sequence[str],
    translations: Sequence[str],
    references: Sequence[str],
    *,
    model: str | None = None,
    python: str | None = None,
) -> list[float]:
    """COMET-22 scores of texts, about 0 to 1.

    model: another name, or a .ckpt file. python: the interpreter of an environment that has unbabel-comet; None = this
    one.
    Raises RuntimeError if COMET is not there, fails, or gives another number of scores than texts.
    """
    model = model or COMET_MODEL
    if python is None and importlib.util.find_spec("comet") is None:
        raise RuntimeError(
            f"comet22 needs the package unbabel-comet and the model {model}: give it an environment of its own, since "
            f"it wants an older transformers (python -m venv comet; comet/bin/{_COMET_HOME}), and name its "
            'interpreter: comet_python="comet/bin/python"; or leave comet22 out of extra_metrics'
        )
    data: list[dict[str, Any]] = [
        {"src": source, "mt": translation, "ref": reference}
        for source, translation, reference in zip(sources, translations, references, strict=True)
    ]
    if not data:
        return []
    with tempfile.TemporaryDirectory() as folder:
        asked, said = Path(folder) / "asked.json", Path(folder) / "said.json"
        asked.write_text(json.dumps({"model": model, "data": data}, ensure_ascii=False), encoding="utf-8")
        command = [python or sys.executable, "-c", _COMET_SCRIPT, str(asked), str(said)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            raise RuntimeError(
                f"comet22: {command[0]} could not be run ({error}): give as comet_python the Python of an "
                "environment with unbabel-comet"
            ) from error
        if done.returncode or not said.is_file():
            last = "\n".join(done.stderr.strip().splitlines()[-5:]) or f"exit code {done.returncode}"
            raise RuntimeError(
                f"comet22 failed in {command[0]} with the model {model}: it needs unbabel-comet there "
                f"({_COMET_HOME}) and the model on disk or a network. It said:\n{last}"
            )
        scores = json.loads(said.read_text(encoding="utf-8"))
    if len(scores) != len(data):
        raise RuntimeError(f"comet22 gave {len(scores)} scores for {len(data)} texts")
    return scores


def _bert_model(language: str) -> str:
    """The model that bert-score 0.3.13 takes for a language."""
    special = {"en": "roberta-large", "zh": "bert-base-chinese", "tr": "dbmdz/bert-base-turkish-cased"}
    return special.get(language, "bert-base-multilingual-cased")


def _layers(model: str | None) -> int | None:
    """The layer to take: the package knows it for its own models; of another model the last one."""
    if model is None:
        return None
    from bert_score.utils import model2layers
    from transformers import AutoConfig

    known = model2layers.get(model) or model2layers.get(Path(model).name)
    return known or int(AutoConfig.from_pretrained(model).num_hidden_layers)

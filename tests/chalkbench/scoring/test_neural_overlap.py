"""BERTScore by the real package with a tiny model; COMET's place is taken by a package that counts letters."""

import importlib.util
import sys
from pathlib import Path

import bert_score
import pytest
import torch
from bert_score import BERTScorer
from transformers import BertConfig, BertModel, BertTokenizerFast

from chalkbench.scoring import neural_overlap
from chalkbench.scoring.neural_overlap import bertscore, comet22
from chalkbench.scoring.translation_numbers import score_translations
from chalkbench.scoring.translation_score import translations

pytestmark = pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")  # of bert-score

COMET = """
import types
def download_model(name): return "/models/" + name
def load_from_checkpoint(path):
    if "missing" in path: raise KeyError("no such model")
    def predict(data, batch_size, gpus, progress_bar):
        print("Predicting...")
        return types.SimpleNamespace(scores=[len(one["mt"]) / len(one["ref"]) for one in data if one["src"]])
    return types.SimpleNamespace(predict=predict)
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A narrow BERT over letters, with weights drawn by a seed, in a folder with the name of a model that is known."""
    folder = tmp_path_factory.mktemp("models") / "bert-base-multilingual-cased"
    folder.mkdir()
    torch.manual_seed(0)
    letters = list("abcdefghijklmnopqrstuvwxyz弹簧的力")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    shape = {"hidden_size": 16, "num_hidden_layers": 12, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=len(vocabulary), **shape)).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def comet(tmp_path, monkeypatch):
    (tmp_path / "comet.py").write_text(COMET, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def test_bertscore_is_the_packages_own_number(tiny):
    texts, references = ["a spring", "the force"], ["a spring", "a farce"]
    said = bertscore(texts, references, language="de", model=tiny)
    _, _, plain = BERTScorer(lang="de", model_type=tiny, num_layers=9).score(texts, references)
    assert said.scores == pytest.approx(plain.tolist())
    assert said.scores[0] == pytest.approx(1, abs=1e-5)
    assert "|L9|f1|rescaled:no|" in said.signature


def test_an_empty_text_scores_0_and_stops_nothing(tiny):
    said = bertscore(["", "force", " "], ["a", "force", "b"], language="de", model=tiny)
    assert said.scores == [0, pytest.approx(1, abs=1e-5), 0]


def test_rescaling_takes_the_packages_baseline_off_where_it_has_one(tiny, monkeypatch):
    monkeypatch.chdir(Path(tiny).parent)  # found there in the place of the model from the Hub
    pair = ["force", ""], ["farce", "x"]
    raw, said, other = (bertscore(*pair, language=code, rescale=on) for code, on in (("de", 0), ("de", 1), ("ar", 1)))
    plain = bert_score.score(["force"], ["farce"], lang="de", rescale_with_baseline=True)[2].item()
    assert (raw.rescaled, said.rescaled, other.rescaled) == (False, True, False)
    assert said.scores[0] == pytest.approx(plain)
    assert said.scores[1] < 0 == raw.scores[1]
    assert other.scores == raw.scores
    assert said.signature.startswith("bert-base-multilingual-cased|L9|f1|rescaled:yes|")


def test_the_package_has_baselines_for_the_four_languages_whose_published_values_fall_below_0():
    baselines = Path(bert_score.__file__).parent / "rescale_baseline"
    languages = ("ar", "de", "es", "fr", "ja", "ko", "ru", "zh")
    has = [code for code in languages if (baselines / code / f"{neural_overlap._bert_model(code)}.tsv").is_file()]
    assert has == ["de", "es", "fr", "zh"]


def test_without_the_package_bertscore_says_what_it_needs(monkeypatch):
    monkeypatch.setattr(neural_overlap.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        RuntimeError, match=r"bertscore needs the package bert-score and a model \(bert-base-chinese\)"
    ):
        bertscore(["a"], ["b"], language="zh")


def test_without_the_model_bertscore_names_it(tmp_path, monkeypatch):
    monkeypatch.setattr(neural_overlap, "_layers", lambda model: 2)
    missing = str(tmp_path / "nowhere")
    with pytest.raises(RuntimeError, match=r"bertscore needs the model .*nowhere.*models="):
        bertscore(["a"], ["b"], language="zh", model=missing)


@pytest.mark.skipif(importlib.util.find_spec("comet") is not None, reason="COMET is installed here")
def test_without_the_package_comet_says_what_it_needs():
    with pytest.raises(
        RuntimeError, match=r"comet22 needs the package unbabel-comet and the model Unbabel/wmt22-comet"
    ):
        comet22(["a"], ["b"], ["c"])


def test_comet_is_run_by_the_interpreter_that_has_it(comet):
    assert comet22(["s", "s"], ["ab", "弹"], ["abcd", "弹"], python=sys.executable) == [0.5, 1.0]
    assert comet22([], [], [], python=sys.executable) == []


def test_comets_failure_says_where_and_what(comet):
    with pytest.raises(RuntimeError, match=r"comet22 failed in .*missing[\s\S]*no such model"):
        comet22(["s"], ["a"], ["b"], model="missing", python=sys.executable)
    with pytest.raises(RuntimeError, match="could not be run"):
        comet22(["s"], ["a"], ["b"], python="no/such/python")


def test_another_number_of_scores_than_texts_is_an_error(comet):
    with pytest.raises(RuntimeError, match="gave 1 scores for 2 texts"):
        comet22(["s", ""], ["a", "b"], ["a", "b"], python=sys.executable)


def test_extra_metrics_stand_in_every_language_and_in_the_signatures(tiny, comet):
    references = [
        {"source": "s", "answer": "弹簧", "language": "zh", "key_terms": []},
        {"source": "s", "answer": "feder", "language": "de", "key_terms": []},
    ]
    result = score_translations(
        translations(["弹", "feder"], references, ["5", "9"]),
        extra_metrics=["bertscore", "comet22"],
        models={"bertscore": tiny},
        comet_python=sys.executable,
    )
    assert result["by_language"]["zh"]["comet22"] == 0.5
    assert result["comet22"] == 0.75
    assert result["by_language"]["de"]["bertscore"] == pytest.approx(1, abs=1e-5)
    assert result["bertscore"] < 1
    assert result["signatures"]["comet22"] == "Unbabel/wmt22-comet-da"
    assert set(result["signatures"]["bertscore"]) == {"de", "zh"}

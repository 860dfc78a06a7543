"""BLEU and ROUGE-L of translations, each with the tokens of the target language.

What belongs here: which tokens a language needs, and the calls of sacrebleu and rouge-score. What does not: which
answers are counted (`translation_score.py`), and metrics that need a model (`neural_overlap.py`).
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version

from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import Tokenizer
from sacrebleu.metrics.bleu import BLEU

from chalkbench.scoring.scripts import UNSPACED_LANGUAGES, units

PAPER_TOKENIZER = "13a"  # LEMON I.2.3 names sacrebleu alone; 13a is its default
# 13a leaves Arabic punctuation on the words; `intl` knows every script's. Japanese and Korean: sacrebleu's own choice.
_BLEU_TOKENIZERS = {
    "zh": "zh",
    "yue": "zh",
    "ja": "ja-mecab",
    "ko": "ko-mecab",
    "ar": "intl",
    "fa": "intl",
    "ur": "intl",
}
_INSTALLED_BY = {"ja-mecab": "sacrebleu[ja]", "ko-mecab": "sacrebleu[ko]"}


class ScriptTokenizer(Tokenizer):
    """Words in small letters; of Chinese, Japanese, Thai, Korean … each character.

    On text in ASCII the tokens are those of rouge-score's own tokenizer, which drops every other character.
    """

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text, in order."""
        return [unit.casefold() for unit in units(text)]


def bleu_tokenizer(language: str, chosen: Mapping[str, str] | None = None) -> str:
    """The name of sacrebleu's tokenizer for a language: `chosen`'s, else the recommended one.

    Raises ValueError if a chosen one is none of sacrebleu's.
    """
    for name in (chosen or {}).values():
        if name not in BLEU.TOKENIZERS:
            raise ValueError(f"BLEU tokenizer {name!r}: expected one of {', '.join(BLEU.TOKENIZERS)}")
    recommended = _BLEU_TOKENIZERS.get(language, "char" if language in UNSPACED_LANGUAGES else PAPER_TOKENIZER)
    return (chosen or {}).get(language, recommended)


def corpus_bleu(translations: Sequence[str], references: Sequence[str], *, tokenizer: str) -> float:
    """BLEU over all texts of one language, 0..100, as sacrebleu computes it.

    Raises ValueError if there are no texts; RuntimeError if the tokenizer's dictionary is not installed: no other
    takes its place unasked.
    """
    if not references:
        raise ValueError("no texts: BLEU needs at least one")
    hypotheses, targets = list(map(_line, translations)), list(map(_line, references))
    return float(_bleu(tokenizer).corpus_score(hypotheses, [targets]).score)


def bleu_signature(tokenizer: str) -> str:
    """sacrebleu's own line on how it computes BLEU, which names the tokenizer. Raises as `corpus_bleu` does."""
    metric = _bleu(tokenizer)
    metric.corpus_score([""], [[""]])  # it counts the references before it signs
    return str(metric.get_signature())


def rouge_l(translation: str, reference: str, *, stock: bool = False) -> float:
    """F-measure of the longest common subsequence of tokens, 0..1.

    stock: with rouge-score's own tokenizer, which knows the letters a to z and digits and nothing else.
    """
    return float(_rouge(stock).score(reference, translation)["rougeL"].fmeasure)


def rouge_signature(*, stock: bool = False) -> str:
    """How `rouge_l` was made, in sacrebleu's manner."""
    return f"rougeL|f1|tok:{'default' if stock else 'script'}|stem:no|version:{version('rouge-score')}"


@lru_cache(maxsize=2)
def _rouge(stock: bool) -> RougeScorer:
    return RougeScorer(["rougeL"], use_stemmer=False, tokenizer=None if stock else ScriptTokenizer())


def _bleu(tokenizer: str) -> BLEU:
    try:
        # without `force` sacrebleu warns of texts that end in a full stop after a space
        return BLEU(tokenize=tokenizer, force=True)
    except (RuntimeError, AssertionError, ImportError) as error:  # sacrebleu asserts the dictionary's size
        package = _INSTALLED_BY.get(tokenizer, "sacrebleu")
        raise RuntimeError(
            f"BLEU tokenizer {tokenizer!r} cannot be used ({' '.join(str(error).split()) or type(error).__name__}): "
            f'run pip install "{package}", or choose another in bleu_tokenizers, such as {{"ja": "char"}}; the choice '
            "stands in the result's signature"
        ) from error


def _line(text: str) -> str:
    """One line, as sacrebleu's files have a segment a line."""
    return " ".join(text.split())

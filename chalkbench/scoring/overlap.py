"""BLEU and ROUGE-L of translations, each with the tokens of the target language.

What belongs here: which tokens a language needs, the calls of sacrebleu, and ROUGE-L of rouge-score's parts. What does
not: which answers are counted (`translation_score.py`), and metrics that need a model (`neural_overlap.py`).
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version

from rouge_score.scoring import fmeasure
from rouge_score.tokenizers import DefaultTokenizer, Tokenizer
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
    tokenizer = DefaultTokenizer(use_stemmer=False) if stock else ScriptTokenizer()
    wanted, said = tokenizer.tokenize(reference), tokenizer.tokenize(translation)
    if not wanted or not said:
        return 0.0
    common = common_length(wanted, said)
    return float(fmeasure(common / len(said), common / len(wanted)))


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence, a bit a token of the shorter one.

    rouge-score's own table takes a gigabyte and a minute for a reply that repeats itself to the end of its limit. The
    row of such a table rises by at most 1 a place: `level` has a 0 where it rises (Crochemore et al., 2001).
    """
    short, long = sorted((one, other), key=len)
    places: dict[str, int] = {}
    for at, token in enumerate(short):
        places[token] = places.get(token, 0) | 1 << at
    whole = level = (1 << len(short)) - 1
    for token in long:
        if here := level & places.get(token, 0):
            level = ((level + here) | (level - here)) & whole
    return len(short) - level.bit_count()


def rouge_signature(*, stock: bool = False) -> str:
    """How `rouge_l` was made, in sacrebleu's manner."""
    return f"rougeL|f1|tok:{'default' if stock else 'script'}|stem:no|version:{version('rouge-score')}"


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

"""The numbers of translations: judge, BLEU, ROUGE-L, key terms and optional metrics; over all, by language, by group.

What belongs here: which answers each number counts, and how languages are put together. What does not: the metrics
(`overlap.py`, `neural_overlap.py`), and what a reply came to (`translation_score.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalkbench.scoring.key_terms import fraction_found
from chalkbench.scoring.neural_overlap import COMET_MODEL, bertscore, comet22
from chalkbench.scoring.outcome import JUDGE_FAILED, NOT_JUDGED, PROTOCOLS, counted, grouped
from chalkbench.scoring.overlap import (
    PAPER_TOKENIZER,
    bleu_signature,
    bleu_tokenizer,
    corpus_bleu,
    rouge_l,
    rouge_signature,
)
from chalkbench.scoring.scores import score_outcomes
from chalkbench.scoring.translation_score import Translation

VARIANTS = ("by_language", "paper")
EXTRA_METRICS = ("bertscore", "comet22")


@dataclass(frozen=True)
class _Measured:
    """One text as the automatic metrics see it, with the values that are taken of it alone.

    text: "" if the reply failed but counts. key_terms: share found; None if it has none.
    """

    text: str
    reference: str
    language: str
    rouge_l: float
    key_terms: float | None
    extras: dict[str, float]


def score_translations(
    items: Sequence[Translation],
    *,
    groups: Sequence[str | Sequence[str]] | None = None,
    protocol: str = "strict",
    variant: str = "by_language",
    extra_metrics: Iterable[str] = (),
    bleu_tokenizers: Mapping[str, str] | None = None,
    models: Mapping[str, str] | None = None,
    comet_python: str | None = None,
) -> dict[str, Any]:
    """The judge's mean rating in the shape of `scores.score_outcomes`, and beside it, also by language and by group:

    `bleu` (0..100; corpus BLEU within a language, mean over languages), `rouge_l` (0..1, mean over texts), `key_terms`
    (0..1, mean share of the key terms' translations that a reply holds), `n_texts` (what these three are taken over:
    replies whatever the judge said; under `strict` a model's fault counts as an empty text) and the mean of each extra
    metric. `by_language` {code: the same}, `signatures` {metric: {language: how it was made}}.

    variant: `by_language` = each language's own tokens, raw BERTScore; `paper` = sacrebleu's and rouge-score's
    defaults for all, BERTScore rescaled where the package can.
    extra_metrics: of `EXTRA_METRICS`. bleu_tokenizers {language: a name of sacrebleu's} overrules the variant.
    models {extra metric: name or folder}, comet_python: see `neural_overlap.py`.
    Raises ValueError for unknown names; RuntimeError if something that is asked for is not installed.
    """
    extra_metrics = list(extra_metrics)
    _check(variant, protocol, extra_metrics, models)
    stock = variant == "paper"
    languages = sorted({item.language for item in items})
    everywhere = dict.fromkeys(languages, PAPER_TOKENIZER) if stock else {}
    tokenizers = {
        language: bleu_tokenizer(language, {**everywhere, **(bleu_tokenizers or {})}) for language in languages
    }
    signatures: dict[str, Any] = {
        "bleu": {language: bleu_signature(tokenizer) for language, tokenizer in tokenizers.items()},
        "rouge_l": rouge_signature(stock=stock),
    }
    measured = _measured(items, protocol=protocol, stock=stock)
    for name in extra_metrics:
        signatures[name] = _add(name, items, measured, stock=stock, models=models or {}, python=comet_python)

    def numbers(places: Iterable[int]) -> dict[str, Any]:
        texts = [measured[place] for place in places if measured[place] is not None]
        return _numbers(texts, extra_metrics, tokenizers)

    everything = range(len(items))
    result = score_outcomes([item.outcome for item in items], groups=groups, protocol=protocol, main="score")
    result |= numbers(everything)
    for name, places in grouped(everything, groups).items() if groups is not None else ():
        result["by_group"][name] |= numbers(places)
    by_language = grouped(everything, [item.language for item in items])
    result["by_language"] = {
        language: score_outcomes([items[place].outcome for place in places], protocol=protocol, main="score")
        | numbers(places)
        for language, places in by_language.items()
    }
    for part in result["by_language"].values():
        for name in ("by_group", "macro", "protocol"):
            del part[name]
    return result | {"variant": variant, "signatures": signatures}


def _check(variant: str, protocol: str, extra_metrics: list[str], models: Mapping[str, str] | None) -> None:
    if variant not in VARIANTS:
        raise ValueError(f"variant {variant!r}: expected one of {', '.join(VARIANTS)}")
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol {protocol!r}: expected one of {', '.join(PROTOCOLS)}")
    for name in [*extra_metrics, *(models or {})]:
        if name not in EXTRA_METRICS:
            raise ValueError(f"extra metric {name!r}: expected one of {', '.join(EXTRA_METRICS)}")


def _measured(items: Sequence[Translation], *, protocol: str, stock: bool) -> list[_Measured | None]:
    """Each item as a text; None if it has no reference or is left out."""
    found: list[_Measured | None] = []
    for item in items:
        said = item.outcome.value is not None or item.outcome.status in (JUDGE_FAILED, NOT_JUDGED)
        if not item.reference or not (said or counted(item.outcome, protocol) is not None):
            found.append(None)
            continue
        text = item.text if said else ""
        found.append(
            _Measured(
                text=text,
                reference=item.reference,
                language=item.language,
                rouge_l=rouge_l(text, item.reference, stock=stock),
                key_terms=fraction_found(text, item.terms, language=item.language),
                extras={},
            )
        )
    return found


def _add(
    name: str,
    items: Sequence[Translation],
    measured: Sequence[_Measured | None],
    *,
    stock: bool,
    models: Mapping[str, str],
    python: str | None,
) -> dict[str, str] | str:
    """Adds an extra metric's value to every text; returns how it was made."""
    places = [place for place, one in enumerate(measured) if one is not None]
    if name == "comet22":
        scores = comet22(
            [items[place].source for place in places],
            [measured[place].text for place in places],
            [measured[place].reference for place in places],
            model=models.get(name),
            python=python,
        )
        for place, score in zip(places, scores, strict=True):
            measured[place].extras[name] = score
        return models.get(name) or COMET_MODEL
    signatures = {}
    for language in sorted({measured[place].language for place in places}):
        inside = [measured[place] for place in places if measured[place].language == language]
        said = bertscore(
            [one.text for one in inside],
            [one.reference for one in inside],
            language=language,
            rescale=stock,
            model=models.get(name),
        )
        for one, score in zip(inside, said.scores, strict=True):
            one.extras[name] = score
        signatures[language] = said.signature
    return signatures


def _numbers(
    texts: Sequence[_Measured], extra_metrics: Sequence[str], tokenizers: Mapping[str, str]
) -> dict[str, Any]:
    """The automatic numbers of some texts."""
    by_language: dict[str, list[_Measured]] = {}
    for one in texts:
        by_language.setdefault(one.language, []).append(one)
    scores = [
        corpus_bleu([one.text for one in inside], [one.reference for one in inside], tokenizer=tokenizers[language])
        for language, inside in by_language.items()
    ]
    return {
        "bleu": _mean(scores),
        "rouge_l": _mean([one.rouge_l for one in texts]),
        "key_terms": _mean([one.key_terms for one in texts if one.key_terms is not None]),
        **{name: _mean([one.extras[name] for one in texts]) for name in extra_metrics},
        "n_texts": len(texts),
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None

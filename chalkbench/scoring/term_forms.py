"""The forms of a word: its plural and singular, what a language writes on to it.

What belongs here: forms by language and script. What does not: how text becomes tokens (`term_text.py`).
"""

import re
from functools import lru_cache

from chalkbench.scoring.scripts import ARABIC, CYRILLIC, HEBREW

# Plurals of lectures that no ending tells. Those in -ices, -ies, -ves, -es, -ae are told by it.
_IRREGULAR = {
    **{"nuclei": "nucleus", "radii": "radius", "stimuli": "stimulus", "foci": "focus", "loci": "locus"},
    **{"calculi": "calculus", "moduli": "modulus", "tori": "torus", "annuli": "annulus", "fungi": "fungus"},
    **{"bacilli": "bacillus", "alumni": "alumnus", "thalami": "thalamus", "nimbi": "nimbus", "genera": "genus"},
    **{"criteria": "criterion", "phenomena": "phenomenon", "automata": "automaton", "polyhedra": "polyhedron"},
    **{"tetrahedra": "tetrahedron", "ganglia": "ganglion", "mitochondria": "mitochondrion", "corpora": "corpus"},
    **{"spectra": "spectrum", "quanta": "quantum", "momenta": "momentum", "maxima": "maximum", "minima": "minimum"},
    **{"optima": "optimum", "extrema": "extremum", "continua": "continuum", "bacteria": "bacterium"},
    **{"media": "medium", "data": "datum", "strata": "stratum", "errata": "erratum", "equilibria": "equilibrium"},
    **{"infima": "infimum", "suprema": "supremum", "symposia": "symposium", "ova": "ovum", "addenda": "addendum"},
    **{"lemmata": "lemma", "schemata": "schema", "stigmata": "stigma", "stomata": "stoma", "traumata": "trauma"},
    **{"people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth"},
    **{"mice": "mouse", "geese": "goose", "oxen": "ox", "halves": "half", "leaves": "leaf", "lives": "life"},
    **{"shelves": "shelf", "knives": "knife", "wolves": "wolf", "calves": "calf", "quizzes": "quiz"},
}
# Names of fields: no plurals of the adjective.
_FIELDS = re.compile(
    r"(?:.*dynam|.*mechan|phys|.*physi|mathemat|stat|.*electrostat|kinet|kinemat|electron|photon|acoust|opt|econom"
    r"|econometr|eth|genet|genom|proteom|ballist|linguist|robot|analyt|informat|cybernet|semant|phonet|pragmat)ics"
)
_SNOWBALL = {
    **{"ar": "arabic", "da": "danish", "de": "german", "es": "spanish", "fi": "finnish", "fr": "french"},
    **{"hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian"},
    **{"ru": "russian", "sv": "swedish"},
}
_ARABIC = re.compile(f"[{ARABIC}]+")
_HEBREW = re.compile(f"[{HEBREW}]+")
_CYRILLIC = re.compile(f"[{CYRILLIC}]+")
# "and", "so"; "in", "as", "for"; the article, which becomes one with "for"
_ARABIC_PREFIX = re.compile(r"(?:[وف]?[بكل]?ال|[وف]?لل|[وف][بكل]?|[بكل])")
_ARABIC_SUFFIX = re.compile(r"(?:ات|ون|ين|ان|ه|ها|هم|هاي|ي)\Z")
# The feminine ending (ة, compared as ه) is ت before what is written on to it: استطالته is of استطالة
_ARABIC_FEMININE = re.compile(r"ت(?:ه|ها|هم|هما|نا|ي|ك|ان|ين)\Z")
_HEBREW_PREFIX = re.compile(r"[ושכ]{0,2}[הבלמ]?")

# What Korean writes on to a noun: plural, particles, the copula, the verbs and adjectives made of it.
_PARTICLE = (
    r"들|은|는|이|가|을|를|의|에|에서|에게|에게서|께|로|으로|로서|으로서|로써|으로써|로부터|으로부터|와|과|도|만|까지|부터"
    r"|마다|조차|보다|처럼|같은|같이|만큼|밖에|대로|이나|나|이란|란|이라는|라는|이라고|라고|이라|라|이며|며|이고|고|이다|입니다"
    r"|인|일|임|이었다|였다|하고|하는|한|하여|해|해서|하다|하며|하면|할|하기|합니다|한다|했다|되는|된|되다|되어|됩니다|된다"
    r"|시키다|시킨|시키는|적|화|별|간|및"
)
_PARTICLES = re.compile(rf"(?:{_PARTICLE}){{0,3}}")


def particles(rest: str) -> bool:
    """Whether what follows a Korean noun is written on to it and makes no other noun of it."""
    return _PARTICLES.fullmatch(rest) is not None


@lru_cache(maxsize=65536)
def forms(word: str, language: str = "en") -> frozenset[str]:
    """The word (lower case) and the words that it may be a form of; two words match if they share one.

    language: ISO 639-1 code; English plurals are known in every language's text.
    """
    found = {word}
    if word.isascii():
        found |= _singulars(word)
    elif _ARABIC.fullmatch(word):
        found |= _without_clitics(word)
    elif _HEBREW.fullmatch(word):
        found |= {word[end:] for end in range(1, _HEBREW_PREFIX.match(word).end() + 1) if len(word) - end >= 3}
    if _CYRILLIC.fullmatch(word):
        language = language if language in _SNOWBALL else "ru"
    if language in _SNOWBALL and language != "ar" and len(word) > 3:
        found.add(_stem(word, language))
    return frozenset(found)


def _singulars(word: str) -> set[str]:
    if word in _IRREGULAR:
        return {_IRREGULAR[word]}
    if len(word) < 4 or word.endswith(("ss", "us", "is")) or _FIELDS.fullmatch(word):
        return set()
    found = set()
    if word.endswith("ices") and len(word) > 5:
        found |= {f"{word[:-4]}ex", f"{word[:-4]}ix"}
    if word.endswith("ies") and len(word) > 4:
        found |= {f"{word[:-3]}y"}
    if word.endswith("es"):
        found |= {word[:-2], f"{word[:-2]}is"}
    if word.endswith("s"):
        found |= {word[:-1]}
    if word.endswith("ae"):
        found |= {word[:-1]}
    return {one for one in found if len(one) > 1}


def _without_clitics(word: str) -> set[str]:
    found = set()
    prefix = _ARABIC_PREFIX.match(word)
    starts = [word, word[prefix.end() :]] if prefix else [word]
    if word.startswith("ال"):
        starts.append(word[2:])
    for start in starts:
        # A letter alone may be the word's own: what is left must be long enough to be one
        if len(start) < (4 if len(word) - len(start) == 1 else 3) and start != word:
            continue
        found.add(start)
        suffix = _ARABIC_SUFFIX.search(start)
        if suffix and suffix.start() >= 3:
            found.add(start[: suffix.start()])
        feminine = _ARABIC_FEMININE.search(start)
        if feminine and feminine.start() >= 3:
            found.add(f"{start[: feminine.start()]}ه")
    return found


@lru_cache(maxsize=8)
def _stemmer(name: str):
    from nltk.stem.snowball import SnowballStemmer  # a second to import, and only some languages need it

    return SnowballStemmer(name)


def _stem(word: str, language: str) -> str:
    return f"{_stemmer(_SNOWBALL[language]).stem(word)}~"

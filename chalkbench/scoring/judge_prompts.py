"""What a judge is asked: settings, prompts and the templates they are made from.

What belongs here: the shape of a question to a judge, and its hash. What does not: the wording of one rule's prompt
(the rule's own module), sending it (`chalkbench.judge`), and reading the reply (`verdicts.py`).
"""

import hashlib
import json
import re
from collections.abc import Generator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

UNPUBLISHED = "unpublished"

_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Settings:
    """How the judge generates. None = the judge's own default.

    temperature: 0 = greedy.
    top_p, top_k: nucleus and top-k sampling; neither has an effect at temperature 0.
    max_tokens: length of the reply in tokens.
    """

    temperature: float = 0.0
    top_p: float | None = None
    top_k: int | None = None
    max_tokens: int | None = 64

    def __post_init__(self) -> None:
        if self.temperature < 0:
            raise ValueError(f"temperature={self.temperature}: expected 0 or more")
        if self.max_tokens is not None and not (isinstance(self.max_tokens, int) and self.max_tokens > 0):
            # A list here once made every request of another tool fail, and the error text was graded.
            raise ValueError(f"max_tokens={self.max_tokens!r}: expected a whole number above 0, or None")

    def __str__(self) -> str:
        """The form that stands in a signature, e.g. `T:0,top_p:0.8,max:32`."""
        parts = {"T": self.temperature, "top_p": self.top_p, "top_k": self.top_k, "max": self.max_tokens}
        return ",".join(f"{name}:{value:g}" for name, value in parts.items() if value is not None)


@dataclass(frozen=True)
class Prompt:
    """One question to a judge.

    user, system: the texts; an empty system text is not sent.
    fields: what was filled in. Only the stand-in judge reads it; a model gets the texts alone.
    template: what it was made from; None = it was written as it is.
    """

    user: str
    system: str = ""
    settings: Settings = Settings()
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    template: "Template | None" = field(default=None, compare=False, repr=False)

    def key(self, judge: str) -> str:
        """SHA-256 (hex) of everything that decides the reply: who is asked, what, and with which settings."""
        parts = [judge, self.system, self.user, asdict(self.settings)]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Template:
    """The wording of a rule's prompt, with {fields} to fill in.

    name: e.g. `video_mmlu.quiz`.
    source: where the wording is printed, or `unpublished` and a word why.
    """

    name: str
    user: str
    system: str = ""
    source: str = UNPUBLISHED

    def fill(self, settings: Settings, **fields: str) -> Prompt:
        """The prompt with all fields filled in, in one pass: braces inside a value stay as they are.

        Raises KeyError if the template has a field that is not given.
        """
        system, user = (_FIELD.sub(lambda match: fields[match[1]], text) for text in (self.system, self.user))
        return Prompt(user=user, system=system, settings=settings, fields=fields, template=self)

    @property
    def published(self) -> bool:
        """Whether a paper prints this wording."""
        return not self.source.startswith(UNPUBLISHED)

    @property
    def hash(self) -> str:
        """First 12 hex digits of the SHA-256 over the wording."""
        return hashlib.sha256(json.dumps([self.system, self.user], ensure_ascii=False).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        """The form that stands in a signature."""
        return self.hash if self.published else f"{UNPUBLISHED}:{self.hash}"


# How a rule puts its questions to a judge: it yields the prompts of a stage, gets the judge's replies to them (None =
# the judge failed), may yield the next stage's, and returns what its evaluate module takes as `verdicts`.
Asking = Generator[list[Prompt], list[str | None], list[Any]]

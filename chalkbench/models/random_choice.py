"""The chance row: a model that looks at nothing and picks an option."""

import hashlib
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Literal

from chalkbench.models.request import Answer, Material, Request


class RandomChoice:
    """Picks each option with equal probability; an item's pick depends on the seed and its id alone.

    It takes any evidence, and answers an open-ended question with nothing.
    """

    hears = True
    wants: Literal["nothing"] = "nothing"

    def __init__(self, seed: int = 0) -> None:
        self.name = "random" if seed == 0 else f"random:{seed}"
        self.fingerprint = f"random:{seed}"
        self._seed = seed

    def answer(self, batch: Sequence[tuple[Request, Material]]) -> list[Answer]:
        """A letter for each request with options, else ""."""
        return [Answer(self._pick(request)) for request, _ in batch]

    def _pick(self, request: Request) -> str:
        if not request.options:
            return ""
        digest = hashlib.sha256(f"{self._seed}\0{request.id}".encode()).digest()
        return ascii_uppercase[int.from_bytes(digest) % len(request.options)]

"""What the tests of models share: questions as lighteval hands them over, and a back end that keeps a record."""

from collections.abc import Callable, Sequence

import pytest
from lighteval.tasks.requests import Doc

from chalkbench.evidence import Evidence
from chalkbench.models.request import Answer, Material, Request


class Recorder:
    """Answers with the id and what it was given. batches: ids of every batch; material: by id."""

    name, fingerprint, hears, wants = "recorder", "recorder-1", True, "material"

    def __init__(self, **changes) -> None:
        self.batches: list[list[str]] = []
        self.material: dict[str, Material] = {}
        for name, value in changes.items():
            setattr(self, name, value)

    def answer(self, batch: Sequence[tuple[Request, Material]]) -> list[Answer]:
        self.batches.append([request.id for request, _ in batch])
        self.material |= {request.id: material for request, material in batch}
        return [Answer(f"{request.id} got {len(material.frames.indices)}" if material.frames else request.id)
                for request, material in batch]  # fmt: skip

    @property
    def asked(self) -> list[str]:
        return [id for batch in self.batches for id in batch]


@pytest.fixture
def recorder() -> Callable[..., Recorder]:
    """The class: call it with attributes that differ."""
    return Recorder


@pytest.fixture
def question() -> Callable[..., Request]:
    """A request with two options on a video; keyword arguments as those of `Request`, and `frames`, `audio`, …"""

    def make(id: str = "q", video=None, *, frames: str = "uniform:4", audio: bool = False, **fields) -> Request:
        evidence = fields.pop("evidence", None) or Evidence(frames=frames, audio=audio)
        return Request(
            **{
                "id": id,
                "task": "lectures|0",
                "prompt": f"Question {id}: what is on the slide?\nA. a bar\nB. a ball",
                "question": f"Question {id}: what is on the slide?",
                "options": ("a bar", "a ball"),
                "evidence": evidence,
                "video": None if video is None else str(video),
                "max_new_tokens": 8,
            }
            | fields
        )

    return make


@pytest.fixture
def docs() -> Callable[..., list[Doc]]:
    """Requests as lighteval hands them over: with a row number for an id."""

    def make(*requests: Request) -> list[Doc]:
        made = []
        for number, request in enumerate(requests):
            doc = Doc(
                query=request.prompt,
                choices=list(request.options),
                gold_index=0,
                instruction=request.instruction,
                specific=request.to_specific(),
                id=str(number),
                task_name=request.task,
                generation_size=request.max_new_tokens,
                stop_sequences=list(request.stop),
            )
            made.append(doc)
        return made

    return make

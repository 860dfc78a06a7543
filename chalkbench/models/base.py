"""One lighteval model over any back end: grouping, decoding, batches, the journal and failures as values.

What belongs here: everything that is the same for all models. What does not: how a batch becomes text
(`transformers_video.py` and its neighbours), and which benchmark a question is from.
"""

import gc
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import torch
from lighteval.models.abstract_model import LightevalModel, ModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc
from pydantic import Field
from tqdm import tqdm

from chalkbench.errors import ChalkbenchError
from chalkbench.evidence import Evidence
from chalkbench.media import MediaError
from chalkbench.models.grouping import grouped, sessions_of, talk_of
from chalkbench.models.journal import Entry, Journal, answer_key, media_state
from chalkbench.models.material import Decoder
from chalkbench.models.request import Answer, Material, Request, Turn
from chalkbench.models.resend import says_no_video
from chalkbench.scoring.outcome import MEDIA_NOT_RECEIVED, OUT_OF_MEMORY
from chalkbench.scoring.replies import strip_reasoning

DEFAULT_NEW_TOKENS = 1024  # room for some reasoning where a task does not say
# A resumed run may have more memory, and a server that did not get the video may get it now.
ASKED_AGAIN = frozenset({OUT_OF_MEMORY, MEDIA_NOT_RECEIVED})

Batch = Sequence[tuple[Request, Material]]


class Made(NamedTuple):
    """A question as it was asked, and its answer. key: what the journal is to keep it under; None = it has it."""

    request: Request
    key: str | None
    answer: Answer


class Backend(Protocol):
    """Turns questions and their material into text.

    name: as shown in results. fingerprint: commit or hash of the content. hears: False = sound is refused before a
    run. wants: "nothing" = no media need be decoded. Optional attributes: `settings`, plain values that change the
    answers; `sound_rate`, Hz; `tokenizer`; `max_length`, tokens; `batch_key(request, material)`, as only requests
    with equal keys go into one batch; `varies`, True = the same question may get another reply when it is sent again;
    `sees`, False = frames and pictures are refused before a run.
    """

    name: str
    fingerprint: str
    hears: bool
    wants: Literal["material", "nothing"]

    def answer(self, batch: Batch) -> list[Answer]:
        """One answer a request, in order. A failure of one question is an Answer; running out of memory raises."""


class VideoModelConfig(ModelConfig):
    """What lighteval writes into its results about the model."""

    fingerprint: str = ""
    batch_size: int = 1
    frames: str | None = None
    size: int | None = None
    max_new_tokens: int | None = None
    settings: dict[str, Any] = Field(default_factory=dict)


@dataclass
class VideoResponse(ModelResponse):
    """lighteval's response, with the reason for a missing reply (None = there is one) and what was seen."""

    status: str | None = None
    seen: dict[str, Any] = field(default_factory=dict)


class VideoModel(LightevalModel):
    """Asks a back end. `answers` holds every answer by (task, id) after `greedy_until`.

    batch_size: the most requests asked at once, from one video or several.
    journal: file to append answers to, and to resume from; None = nothing is kept.
    frames, size, max_new_tokens: override what the tasks say; frames may be a number, which keeps the task's policy.
    Raises ChalkbenchError if the journal cannot be written.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        batch_size: int = 1,
        journal: str | Path | None = None,
        frames: str | int | None = None,
        size: int | None = None,
        max_new_tokens: int | None = None,
        progress: bool = True,
    ) -> None:
        if batch_size < 1:
            raise ChalkbenchError(f"batch size {batch_size}: expected at least 1")
        self.backend = backend
        self.batch_size = batch_size
        self.journal = None if journal is None else Path(journal)
        self.answers: dict[tuple[str, str], Answer] = {}
        self._sessions: dict[tuple[str, str], list[Request]] = {}
        self._frames, self._size, self._max_new_tokens = _policy(frames), size, max_new_tokens
        self._progress = progress
        self._cache = _NoCache()
        self.config = VideoModelConfig(
            model_name=backend.name,
            fingerprint=backend.fingerprint,
            batch_size=batch_size,
            frames=None if frames is None else str(frames),
            size=size,
            max_new_tokens=max_new_tokens,
            settings=dict(_settings(backend)),
        )
        if self.journal is not None:
            with Journal(self.journal):
                pass  # better now than after the first batch

    @property
    def tokenizer(self) -> Any:
        return getattr(self.backend, "tokenizer", None)

    @property
    def add_special_tokens(self) -> bool:
        return False  # chat templates write them

    @property
    def max_length(self) -> int | None:
        return getattr(self.backend, "max_length", None)

    @property
    def disable_tqdm(self) -> bool:
        return not self._progress

    def loglikelihood(self, docs: list[Doc]) -> list[ModelResponse]:
        raise NotImplementedError(_ONLY_GENERATION)

    def loglikelihood_rolling(self, docs: list[Doc]) -> list[ModelResponse]:
        raise NotImplementedError(_ONLY_GENERATION)

    def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        """Answers questions; greedy unless a request has a temperature. Responses come in the order of the docs.

        Raises ChalkbenchError before anything runs if a question asks for what the back end cannot do, and later only
        if the journal cannot be written; what was answered before is kept.
        """
        requests = [self._effective(Request.from_doc(doc)) for doc in docs]
        check(requests, self.backend)
        self._sessions = sessions_of(requests)
        kept = nullcontext() if self.journal is None else Journal(self.journal)
        with kept as journal, self._bar(total=len(requests)) as bar:
            for made in self._ask(requests, journal):
                fresh = [one for one in made if one.key is not None]
                if journal is not None and fresh:
                    journal.append([Entry(one.key, one.request.task, one.request.id, one.answer) for one in fresh])
                self.answers.update({(one.request.task, one.request.id): one.answer for one in made})
                _advance(bar, fresh=len(fresh), known=len(made) - len(fresh))
        return [_response(request, self.answers[request.task, request.id]) for request in requests]

    def _effective(self, request: Request) -> Request:
        """The request as it is asked: with the overrides of this run, and with a length."""
        evidence = request.evidence
        if self._frames is not None and evidence.sees:
            kind = "static" if evidence.frames.startswith("static") else "uniform"
            evidence = replace(
                evidence, frames=self._frames if isinstance(self._frames, str) else f"{kind}:{self._frames}"
            )
        if self._size is not None:
            evidence = replace(evidence, size=self._size)
        length = self._max_new_tokens or request.max_new_tokens or DEFAULT_NEW_TOKENS
        return replace(request, evidence=evidence, max_new_tokens=length)

    def _bar(self, *, total: int) -> tqdm:
        return tqdm(
            total=total,
            desc=self.backend.name,
            unit="question",
            disable=self.disable_tqdm,
            smoothing=0.1,
        )

    def _ask(self, requests: Sequence[Request], journal: Journal | None) -> Iterator[list[Made]]:
        """Answers as they are made, a batch at a time, and those of the journal where they are met.

        What an answer is kept under depends on the conversation so far, so it is known only when earlier turns are.
        """
        decoder = Decoder(rate=getattr(self.backend, "sound_rate", 16_000))
        key_of = _keys(self.backend)
        batch: list[tuple[Request, str, Material]] = []
        for waiting in grouped(requests):
            if waiting.session and any(talk_of(waiting) == talk_of(asked) for asked, _, _ in batch):
                yield self._answered(batch)  # the turn before must be answered first
                batch = []
            request = self._continued(waiting)
            key = key_of(request)
            known = journal.get(key) if journal is not None else None
            if known is not None and known.status not in ASKED_AGAIN:
                yield [Made(request, None, known)]
                continue
            try:
                material = self._decode(decoder, request)
            except MediaError as error:
                yield [Made(request, key, Answer("", status=error.reason, error=str(error)))]
                continue
            except (MemoryError, RuntimeError) as error:
                if not is_out_of_memory(error):
                    raise
                failure = f"while decoding: {_first_line(error)}"
                yield [Made(request, key, Answer("", status=OUT_OF_MEMORY, error=failure))]
                continue
            # a request that samples goes alone: its answer must not depend on its neighbours
            alone = request.temperature is not None
            if batch and (alone or self._batch_key(request, material) != self._batch_key(batch[0][0], batch[0][2])):
                yield self._answered(batch)
                batch = []
            batch.append((request, key, material))
            if alone or len(batch) == self.batch_size:
                yield self._answered(batch)
                batch = []
        if batch:
            yield self._answered(batch)

    def _continued(self, request: Request) -> Request:
        """The request with its conversation so far: the earlier turns of this run that got a reply."""
        if not request.session or request.history or request.evidence.history != "own":
            return request
        turns = []
        for earlier in self._sessions[talk_of(request)]:
            if earlier.turn >= request.turn:
                break
            answer = self.answers.get((earlier.task, earlier.id))
            reply = strip_reasoning(answer.text)[0].strip() if answer is not None else ""
            if reply:
                turns.append(Turn(earlier.prompt, reply, earlier.context))
        return replace(request, history=tuple(turns))

    def _decode(self, decoder: Decoder, request: Request) -> Material:
        return Material() if self.backend.wants == "nothing" else decoder.material(request)

    def _batch_key(self, request: Request, material: Material) -> Hashable:
        of_backend = getattr(self.backend, "batch_key", lambda request, material: None)
        return request.max_new_tokens, request.stop, of_backend(request, material)

    def _answered(self, batch: Sequence[tuple[Request, str, Material]]) -> list[Made]:
        asked = [(request, material) for request, _, material in batch]
        answers = answer_batch(self.backend, asked)
        if getattr(self.backend, "varies", False):
            answers = [sent_again(self.backend, *one, answer) for one, answer in zip(asked, answers, strict=True)]
        if self.backend.wants == "material":
            answers = [_with_material(answer, *one) for answer, one in zip(answers, asked, strict=True)]
        return [Made(request, key, answer) for (request, key, _), answer in zip(batch, answers, strict=True)]


_ONLY_GENERATION = "these models answer in text: likelihoods of options are not implemented"


class _NoCache:
    """In place of lighteval's own cache, whose keys know neither the prompt nor the media."""

    def _init_registry(self, registry: Any) -> None:
        """Nothing to do: the journal needs no registry."""


def check(requests: Sequence[Request], backend: Backend) -> None:
    """Raises ChalkbenchError if questions ask for what cannot be done, or share an id within a task."""
    counts = Counter((request.task, request.id) for request in requests)
    doubled = [f"{id} in {task.partition('|')[0]}" for (task, id), count in counts.items() if count > 1]
    if doubled:
        raise ChalkbenchError(f"{len(doubled)} ids stand for several questions: {', '.join(doubled[:5])}")
    heard = [request for request in requests if request.evidence.audio]
    if heard and not backend.hears:
        tasks = ", ".join(sorted({request.task.partition("|")[0] for request in heard}))
        raise ChalkbenchError(
            f"{backend.name} cannot hear, but {tasks} gives the sound ({len(heard)} questions): choose a model that "
            "hears, or a task or condition without audio, such as vision_only or video_subtitles"
        )
    shown = [request for request in requests if request.evidence.sees or request.pictures]
    if shown and not getattr(backend, "sees", True):
        tasks = ", ".join(sorted({request.task.partition("|")[0] for request in shown}))
        raise ChalkbenchError(
            f"{backend.name} cannot see, but {tasks} shows frames or pictures ({len(shown)} questions): choose a "
            "model that sees, or a condition without them, such as text_only or asr_only"
        )
    shuffled = {request.evidence.order for request in requests if request.evidence.order != "intact"}
    if shuffled:
        raise ChalkbenchError(f"order={', '.join(sorted(shuffled))} is not available yet: use order=intact")


def _keys(backend: Backend) -> Callable[[Request], str]:
    """Under what the journal keeps an answer; each file is looked at once."""
    model = repr((backend.fingerprint, sorted(_settings(backend).items())))
    state = cache(media_state)
    return lambda request: answer_key(request, model=model, media=[state(path) for path in request.media])


def _advance(bar: tqdm, *, fresh: int, known: int) -> None:
    """Moves the bar on; answers that were there already do not count for its rate."""
    if not bar.disable:
        bar.initial += known
        bar.last_print_n += known
        bar.n += known
        if fresh and bar.n == bar.initial:  # the first answer of this run: shows where it begins
            bar.refresh()
    bar.update(fresh)


def sent_again(backend: Backend, request: Request, material: Material, answer: Answer) -> Answer:
    """The answer, or that of up to `resend` further attempts while the reply says that no video arrived.

    After the last such reply the question counts as not received.
    """
    for _ in range(request.resend):
        if answer.status is not None or not says_no_video(answer.text):
            return answer
        [answer] = answer_batch(backend, [(request, material)])
    if request.resend and answer.status is None and says_no_video(answer.text):
        error = f"after {request.resend + 1} attempts the reply is still: {answer.text.strip()[:200]}"
        return replace(answer, status=MEDIA_NOT_RECEIVED, error=error)
    return answer


def answer_batch(backend: Backend, batch: Batch) -> list[Answer]:
    """A back end's answers; if it runs out of memory, those of its requests one by one."""
    try:
        answers = backend.answer(batch)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        failure = _first_line(error)  # not the error itself: its traceback holds the memory
    else:
        if len(answers) != len(batch):
            raise RuntimeError(f"{backend.name} gave {len(answers)} answers to {len(batch)} questions")
        return answers
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if len(batch) == 1:
        return [Answer("", status=OUT_OF_MEMORY, error=failure)]
    return [answer for one in batch for answer in answer_batch(backend, [one])]


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out; on the CPU and on Apple's devices torch has no class for it."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    message = str(error)
    return isinstance(error, RuntimeError) and ("out of memory" in message or "can't allocate memory" in message)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0]


def _policy(frames: str | int | None) -> str | int | None:
    """An override of the frames policy: a number of frames, or a whole policy. Raises ChalkbenchError."""
    if frames is None:
        return None
    try:
        text = str(frames)
        Evidence(frames=f"uniform:{text}" if text.isdecimal() else text)
    except ValueError as error:
        raise ChalkbenchError(str(error)) from error
    return int(text) if text.isdecimal() else text


def _settings(backend: Backend) -> Mapping[str, Any]:
    return getattr(backend, "settings", {})


def _with_material(answer: Answer, request: Request, material: Material) -> Answer:
    """The answer with what was decoded for it, where the back end did not say itself."""
    seen = answer.seen
    changes: dict[str, Any] = {"cues": seen.cues or len(request.cues), "turns": len(request.history)}
    shown = material.clips or ((material.frames,) if material.frames is not None else ())
    if shown and not seen.frame_indices:
        changes["frame_indices"] = tuple(index for frames in shown for index in frames.indices)
        changes["frame_times"] = tuple(time for frames in shown for time in frames.times)
    if material.sound is not None:
        changes["seconds_of_audio_available"] = round(material.sound.seconds, 3)
    notes = [material.note] if material.note not in seen.note else []
    if request.session and len(request.history) < request.turn:
        notes.append("earlier turns of the conversation are missing")
    changes["note"] = "; ".join(note for note in (*notes, seen.note) if note)
    return replace(answer, seen=replace(seen, **changes))


def _response(request: Request, answer: Answer) -> VideoResponse:
    return VideoResponse(input=request.text, text=[answer.text], status=answer.status, seen=asdict(answer.seen))

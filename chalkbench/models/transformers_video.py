"""Any `AutoModelForMultimodalLM` of transformers, from the Hub or a local folder.

Native video where the processor takes it, frames as pictures elsewhere; sound where the processor hears. What does
not belong here: how material becomes tensors (`transformers_inputs.py`), grouping and the journal (`base.py`).
"""

import hashlib
import inspect
import re
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from huggingface_hub import constants, hf_hub_download
from huggingface_hub.errors import HfHubHTTPError
from transformers import AutoConfig, AutoModelForMultimodalLM, AutoProcessor, BatchFeature

from chalkbench.errors import ChalkbenchError
from chalkbench.models.base import DEFAULT_NEW_TOKENS, Batch
from chalkbench.models.fingerprint import folder_fingerprint
from chalkbench.models.request import Answer, Material, Request, Seen
from chalkbench.models.transformers_inputs import abilities, batch_key, hearing, interleaved, route, tensors
from chalkbench.scoring.outcome import DECODE_ERROR

REFUSALS = 3  # so many questions refused in a row at the beginning are no accident

# Tokens that mark reasoning stay in the reply even where a tokenizer calls them special: the scoring reads them.
_REASONING = re.compile(
    r"\W*/?\W*(?:seed:)?(?:think|thinking|thought|reason|reasoning|analysis|reflection)\W*", re.IGNORECASE
)


class TransformersVideo:
    """A loaded model as a back end; `load` makes one.

    settings: what changes answers beside the weights, part of the journal's keys.
    """

    wants: Literal["material"] = "material"

    def __init__(
        self,
        model: Any,
        processor: Any,
        *,
        name: str,
        fingerprint: str,
        as_images: bool = False,
        max_audio_seconds: float | None = None,
        seed: int = 0,
    ) -> None:
        self.name, self.fingerprint = name, fingerprint
        self.tokenizer = processor.tokenizer
        self.tokenizer.padding_side = "left"
        self._model, self._processor = model, processor
        try:
            self._able = abilities(processor, list(inspect.signature(model.forward).parameters), as_images=as_images)
        except ChalkbenchError as error:
            raise ChalkbenchError(f"{name}: {error}") from error
        self.hears = self._able.sound
        self.sees = self._able.video or self._able.images
        self.sound_rate = getattr(hearing(processor), "sampling_rate", 16_000)
        self.max_length = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        self.settings = {
            "dtype": str(model.dtype).removeprefix("torch."),
            "attention": model.config._attn_implementation,
            "as_images": as_images,
            "max_audio_seconds": max_audio_seconds,
            "seed": seed,
            "transformers": transformers.__version__,
        }
        self._max_audio_seconds, self._seed = max_audio_seconds, seed
        self._refusals: int | None = 0  # None = something was taken
        ends = model.generation_config.eos_token_id
        ends = self.tokenizer.eos_token_id if ends is None else ends
        self._ends = {ends} if isinstance(ends, int) else set(ends or ())
        pad = model.generation_config.pad_token_id
        pad = self.tokenizer.pad_token_id if pad is None else pad
        self._pad = min(self._ends, default=0) if pad is None else pad
        self._hidden = {
            id
            for id, token in zip(self.tokenizer.all_special_ids, self.tokenizer.all_special_tokens, strict=True)
            if not _REASONING.fullmatch(str(token))
        }

    def batch_key(self, request: Request, material: Material) -> Hashable:
        """Requests with equal keys can be asked together."""
        return batch_key(request, material, self._able)

    @torch.inference_mode()
    def answer(self, batch: Batch) -> list[Answer]:
        """Answers to requests of one batch key and one set of generation settings.

        Material that the processor refuses, such as a picture 300 times as wide as high, is a decode error of its
        question. Raises ChalkbenchError if it refuses everything.
        """
        try:
            inputs, notes, heard = tensors(
                batch, self._processor, self._able, max_audio_seconds=self._max_audio_seconds
            )
        except ValueError as error:
            return self._refused(batch, error)
        self._refusals = None
        inputs = self._moved(inputs)
        first = batch[0][0]
        if self._able.interleaves:
            inputs["use_audio_in_video"] = interleaved(route(*batch[0], self._able), self._able)
        with torch.random.fork_rng(devices=_cuda(self._model.device)):
            torch.manual_seed(_seed(self._seed, first))
            out = self._model.generate(**inputs, **self._generation(first))
        asked = inputs["input_ids"].shape[1]
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        return [
            self._read(tokens, request, Seen(seconds_of_audio=seconds, prompt_tokens=length, note=note))
            for tokens, (request, _), seconds, length, note in zip(
                out[:, asked:].tolist(), batch, heard, lengths, notes, strict=True
            )
        ]

    def _refused(self, batch: Batch, error: ValueError) -> list[Answer]:
        if len(batch) > 1:
            return [answer for one in batch for answer in self.answer([one])]
        if self._refusals is not None:
            self._refusals += 1
            if self._refusals == REFUSALS:
                raise ChalkbenchError(f"{self.name}: its processor took none of the questions: {in_short(error)}")
        return [Answer("", status=DECODE_ERROR, error=f"the model's processor refuses it: {in_short(error)}")]

    def _moved(self, inputs: BatchFeature) -> BatchFeature:
        """On the model's device; pictures and sound in its precision, but never the frames' times."""
        kind = self._model.dtype
        for name, value in inputs.to(self._model.device).items():
            if isinstance(value, torch.Tensor) and value.is_floating_point() and value.ndim > 1:
                inputs[name] = value.to(kind)
        return inputs

    def _generation(self, request: Request) -> dict[str, Any]:
        sampling = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        if request.temperature is not None:
            sampling = {
                "do_sample": True,
                "temperature": request.temperature,
                "top_p": 1.0 if request.top_p is None else request.top_p,
                "top_k": 0 if request.top_k is None else request.top_k,
            }
        stop = {"stop_strings": list(request.stop), "tokenizer": self.tokenizer} if request.stop else {}
        return {
            "max_new_tokens": request.max_new_tokens or DEFAULT_NEW_TOKENS,
            "pad_token_id": self._pad,
            **sampling,
            **stop,
        }

    def _read(self, tokens: list[int], request: Request, seen: Seen) -> Answer:
        """The reply in the new tokens of one row, which are filled up behind its end."""
        end = next((place for place, token in enumerate(tokens) if token in self._ends), None)
        made = tokens[:end] if end is not None else tokens
        text = self.tokenizer.decode(
            [token for token in made if token not in self._hidden],
            skip_special_tokens=False,
            clean_up_tokenization_spaces=False,
        )
        stops = [place for stop in request.stop if (place := text.find(stop)) >= 0]
        while end is None and stops and made and made[-1] == self._pad:
            made = made[:-1]
        limit = request.max_new_tokens or DEFAULT_NEW_TOKENS
        notes = [seen.note] if seen.note else []
        if self.max_length is not None and seen.prompt_tokens > self.max_length:
            notes.append(f"the prompt is longer than the {self.max_length} positions of the model")
        return Answer(
            text[: min(stops)] if stops else text,
            seen=Seen(
                seconds_of_audio=seen.seconds_of_audio,
                prompt_tokens=seen.prompt_tokens,
                new_tokens=len(made) + (end is not None),
                truncated=end is None and not stops and len(tokens) >= limit,
                note="; ".join(notes),
            ),
        )


def load(
    spec: str,
    *,
    device: str | None = None,
    dtype: str = "auto",
    revision: str | None = None,
    attention: str | None = None,
    as_images: bool = False,
    max_audio_seconds: float | None = None,
    seed: int = 0,
) -> TransformersVideo:
    """A model by its Hub id or folder.

    device: of torch; "auto" = spread over all GPUs; None = a GPU if there is one. dtype: of torch; "auto" = bfloat16
    on a GPU, float32 elsewhere. revision: branch, tag or commit on the Hub. attention: transformers' implementation.
    as_images: frames as pictures even where the model takes video. max_audio_seconds: cut longer sound; None = never.
    seed: for requests that sample. Raises ChalkbenchError if there is no such model, or it is of another kind.
    """
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    kind = dtype_of(dtype, device)
    folder, name, fingerprint, commit = identify(spec, revision)
    try:
        config = AutoConfig.from_pretrained(folder, revision=commit)
        # whole omni models hold a part that speaks; the part that thinks has a configuration of its own
        config = getattr(config, "thinker_config", config)
        processor = AutoProcessor.from_pretrained(folder, revision=commit)
        model = AutoModelForMultimodalLM.from_pretrained(
            folder,
            revision=commit,
            config=config,
            dtype=kind,
            attn_implementation=attention,
            device_map=None if device == "cpu" else device,
        )
    except (OSError, ValueError, ImportError) as error:
        raise ChalkbenchError(f"model {spec} cannot be loaded: {in_short(error)}") from error
    if not hasattr(processor, "tokenizer"):
        raise ChalkbenchError(f"model {spec} has no processor for pictures, video or sound: it only reads text")
    return TransformersVideo(
        model.eval(),
        processor,
        name=name,
        fingerprint=fingerprint,
        as_images=as_images,
        max_audio_seconds=max_audio_seconds,
        seed=seed,
    )


def identify(spec: str, revision: str | None) -> tuple[str, str, str, str | None]:
    """(what to load from, name, fingerprint, commit) of a local folder, else of a Hub id."""
    folder = Path(spec).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ChalkbenchError(f"{folder} holds no model: there is no config.json in it")
        return str(folder), folder.resolve().name, folder_fingerprint(folder), None
    if spec.startswith((".", "/", "~")) or spec.count("/") > 1 or folder.exists():
        raise ChalkbenchError(f"no model folder {folder}: check the path")
    try:
        found = hf_hub_download(spec, "config.json", revision=revision)
    except (OSError, ValueError, HfHubHTTPError) as error:
        hub = (
            "it is not among the models downloaded from the Hub (offline: HF_HUB_OFFLINE is set)"
            if constants.HF_HUB_OFFLINE
            else f"the Hub does not give it: {in_short(error)}"
        )
        raise ChalkbenchError(
            f"no model {spec!r}: it is no local folder, no built-in model (random, text_cascade), and {hub}"
        ) from error
    commit = Path(found).parent.name  # the cache has a folder a commit
    return spec, spec, commit, commit


def in_short(error: BaseException) -> str:
    """An error's first line, cut."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


def dtype_of(name: str, device: str) -> torch.dtype:
    """torch's type of a name; `auto` = bfloat16 on a GPU, float32 elsewhere. Raises ChalkbenchError."""
    if name == "auto":
        return torch.float32 if device == "cpu" else torch.bfloat16
    kind = getattr(torch, name, None)
    if not isinstance(kind, torch.dtype) or not kind.is_floating_point:
        raise ChalkbenchError(f"dtype {name!r}: expected auto, float32, bfloat16 or float16")
    return kind


def _seed(seed: int, request: Request) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}\0{request.id}".encode()).digest()[:7])


def _cuda(device: torch.device) -> Sequence[int]:
    return range(torch.cuda.device_count()) if device.type == "cuda" else ()

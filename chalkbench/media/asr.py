"""Speech in a sound track, as text with times.

What belongs here: the recogniser and how a long track is cut for it. What does not: subtitles (`subtitles.py`).
"""

from collections.abc import Iterator

import numpy as np

from chalkbench.errors import ChalkbenchError
from chalkbench.media.audio import Sound
from chalkbench.media.subtitles import Cue
from chalkbench.packaged import INSTALL, checked_folder

# Moonshine tiny, English, MIT: inside moonshine-voice 0.0.73; newer versions of the package hold no weights.
MOONSHINE_SUMS = {
    "decoder_model_merged.ort": "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0",
    "encoder_model.ort": "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221",
    "tokenizer.bin": "6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d",
}
# Own choices: memory stays small however long the track is, and a cut falls into a pause.
WINDOW, SEARCH, PAUSE = 30.0, 6.0, 0.05  # seconds: a window, its end where a pause is looked for, length of a pause
SILENCE = 1e-3  # root mean square below which a window is not given to the recogniser, which would invent a word
BLIP = 0.4  # seconds: a line shorter than this is noise


class Moonshine:
    """Moonshine tiny for English speech, with the weights inside its pip package; CPU only.

    Raises ChalkbenchError if the package is missing or its weights are other ones.
    """

    name = "moonshine-tiny-en"

    def __init__(self) -> None:
        folder = checked_folder("moonshine_voice", "assets/tiny-en", MOONSHINE_SUMS)
        try:
            from moonshine_voice.moonshine_api import ModelArch
            from moonshine_voice.transcriber import Transcriber
        except (ImportError, OSError) as error:
            raise ChalkbenchError(f"moonshine-voice cannot be loaded ({error}): {INSTALL}") from None
        self.identity = f"{self.name}:{MOONSHINE_SUMS['decoder_model_merged.ort'][:12]}"
        self._transcriber = Transcriber(str(folder), ModelArch.TINY)

    def transcribe(self, sound: Sound) -> list[Cue]:
        """What is said, in the order of time; seconds from the start of the sound. No speech gives an empty list."""
        cues = []
        for first, last in windows(sound.samples, sound.rate):
            piece = sound.samples[first:last]
            if np.sqrt(np.mean(np.square(piece, dtype=np.float64))) < SILENCE:
                continue
            offset = first / sound.rate
            for line in self._transcriber.transcribe_without_streaming(piece, sound.rate).lines:
                text, start = line.text.strip(), offset + line.start_time
                if text and line.duration >= BLIP:
                    cues.append(Cue(start, start + line.duration, text))
        return cues


def windows(samples: np.ndarray, rate: int) -> Iterator[tuple[int, int]]:
    """Cuts mono samples into pieces (first, last) of at most `WINDOW` seconds, at a quiet place near their end."""
    first, total, pause = 0, len(samples), max(1, int(PAUSE * rate))
    while total - first > WINDOW * rate:
        last = first + int(WINDOW * rate)
        searched = np.square(samples[last - int(SEARCH * rate) : last], dtype=np.float64)
        loudness = searched[: len(searched) // pause * pause].reshape(-1, pause).sum(axis=1)
        cut = last - int(SEARCH * rate) + int(loudness.argmin()) * pause + pause // 2
        yield first, cut
        first = cut
    if total > first:
        yield first, total

"""Speech in a sound track, as text with times.

What belongs here: the recogniser and how a long track is cut for it. What does not: subtitles (`subtitles.py`).
"""

import re
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
WINDOW, SEARCH, PAUSE = 30.0, 6.0, 0.05  # seconds: a piece, its end where a pause is looked for, length of a pause
# On music, noise or silence the recogniser invents a word or two, such as "You" or "Thank you for watching."
SILENCE = 1e-3  # root mean square below which a piece is not given to it
SPEECH = 0.2  # words a second; lecturers say ten times as many
# Its own detector of speech keeps a state between calls, across tracks and even instances: the same track gave
# different words after another one. Pieces as a whole depend on nothing but themselves.
_OPTIONS = {"vad_threshold": 0}


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
        self._transcriber = Transcriber(str(folder), ModelArch.TINY, options=_OPTIONS)

    def transcribe(self, sound: Sound) -> list[Cue]:
        """What is said, a cue a piece of at most 30 s, in seconds from the start of the sound.

        Silence and steady noise give an empty list; music may give an invented sentence.
        """
        cues = []
        for first, last in windows(sound.samples, sound.rate):
            piece = sound.samples[first:last]
            if np.sqrt(np.mean(np.square(piece, dtype=np.float64))) < SILENCE:
                continue
            lines = self._transcriber.transcribe_without_streaming(piece, sound.rate).lines
            text = without_loops(" ".join(line.text.strip() for line in lines))
            if len(re.findall(r"\w+", text)) > SPEECH * len(piece) / sound.rate:
                cues.append(Cue(first / sound.rate, last / sound.rate, text))
        return cues


def without_loops(text: str) -> str:
    """The text with each sentence once: on music the recogniser says the same over and over.

    >>> without_loops("I see. I see. I see. Then we add.")
    'I see. Then we add.'
    """
    return " ".join(dict.fromkeys(re.split(r"(?<=[.!?])\s+", text)))


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

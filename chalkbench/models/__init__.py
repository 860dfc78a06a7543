"""Models: from a name to something that answers questions about videos. No benchmark is known here.

`load_model` is the way in; `base.py` holds what all models share, one file a back end holds the rest.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from chalkbench.errors import ChalkbenchError

if TYPE_CHECKING:
    from chalkbench.models.base import Backend, VideoModel

_RUN = {"batch_size": int, "frames": str, "size": int, "journal": str, "max_new_tokens": int}
_LOAD = {
    "device": str,
    "dtype": str,
    "revision": str,
    "attention": str,
    "as_images": lambda text: {"1": True, "true": True, "0": False, "false": False}[text.lower()],
    "max_audio_seconds": float,
    "seed": int,
}
_PARTS = {"vision": str, "audio": str, "text": str, "fuse": str, "caption_tokens": int, "captions": str}
_SHORT = {"batch": "batch_size"}
CASCADE = "caption_cascade"


def load_model(
    spec: str,
    *,
    batch_size: int = 1,
    frames: str | int | None = None,
    size: int | None = None,
    journal: str | Path | None = None,
    max_new_tokens: int | None = None,
    progress: bool = True,
    **loading: Any,
) -> "VideoModel":
    """A model that lighteval can ask.

    spec: `random`, `random:SEED`, `text_cascade`, `caption_cascade?vision=MODEL&audio=MODEL&text=MODEL`, a folder, or
    a Hub id; settings may stand behind it as `read_name` reads them, and count more than the arguments.
    loading: of `transformers_video.load` (device, dtype, revision, …). The other arguments: `base.VideoModel`.
    Raises ChalkbenchError for an unknown model.
    """
    from chalkbench.models.base import VideoModel
    from chalkbench.models.journal import Journal

    run = {"batch_size": batch_size, "frames": frames, "size": size, "max_new_tokens": max_new_tokens}
    run |= {"journal": journal}
    if "?" in spec and not Path(spec).exists():
        spec, named_run, named_loading = read_name(spec)
        run, loading = run | named_run, loading | named_loading
    journal = run["journal"]
    if journal is not None:
        with Journal(journal):
            pass  # a model may take minutes to load
    return VideoModel(open_backend(spec, **loading), progress=progress, **run)


def open_backend(spec: str, **loading: Any) -> "Backend":
    """The back end of a model; built-in ones need no settings and leave them aside. Raises ChalkbenchError."""
    name, _, seed = spec.partition(":")
    if name == "random":
        from chalkbench.models.random_choice import RandomChoice

        if seed and not seed.isdecimal():
            raise ChalkbenchError(f"{spec}: the seed must be a whole number, as in random:3")
        return RandomChoice(int(seed or 0))
    if spec == "text_cascade":
        from chalkbench.models.text_cascade import TextCascade

        return TextCascade()
    if name == CASCADE:
        from chalkbench.models.caption_cascade import load as load_cascade

        return load_cascade(**loading)
    from chalkbench.models import transformers_text, transformers_video

    if transformers_text.only_reads(spec, revision=loading.get("revision")):
        reads = {key: value for key, value in loading.items() if key not in ("as_images", "max_audio_seconds")}
        return transformers_text.load(spec, **reads)
    return transformers_video.load(spec, **loading)


def read_name(name: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """`spec?key=value&…` as (spec, arguments of `VideoModel`, arguments of `open_backend`).

    For lighteval's command line, which hands over nothing but a name, and for what ours has no option for. In a value,
    `&` is written `%26`. Raises ChalkbenchError that names the option.
    """
    spec, _, query = name.partition("?")
    run: dict[str, Any] = {}
    loading: dict[str, Any] = {}
    readers = _RUN | _LOAD | (_PARTS if spec == CASCADE else {})
    for key, text in parse_qsl(query.replace("+", "%2B"), keep_blank_values=True):  # a plus is a plus: file names
        key = _SHORT.get(key, key)
        if key not in readers:
            raise ChalkbenchError(f"{name}: no option {key!r}; there are {', '.join([*_SHORT, *readers])}")
        try:
            value = readers[key](text)
        except (ValueError, KeyError):
            raise ChalkbenchError(f"{name}: {key}={text!r} cannot be read") from None
        (run if key in _RUN else loading)[key] = value
    return spec, run, loading

"""Any `AutoModelForCausalLM` of transformers with a chat template: a model that only reads.

What belongs here: loading, and a tokenizer in the place of a processor, so that generation, padding, seeds, stop
strings and fingerprints are those of `transformers_video.py`. What does not: where its text comes from
(`caption_cascade.py`).
"""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoProcessor, AutoTokenizer, BatchEncoding, PreTrainedTokenizerBase

from chalkbench.errors import ChalkbenchError
from chalkbench.models import transformers_video as multimodal
from chalkbench.models.transformers_video import TransformersVideo


class TextProcessor:
    """A tokenizer that is called as the processor of a multimodal model is; it takes nothing but text."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self.tokenizer = tokenizer

    def apply_chat_template(self, messages: Sequence[dict[str, Any]], **settings: Any) -> str:
        """Messages whose content is a list of texts; templates of models that only read expect one string."""
        return self.tokenizer.apply_chat_template(
            [one | {"content": "".join(part["text"] for part in one["content"])} for one in messages], **settings
        )

    def __call__(self, *, text: list[str], text_kwargs: dict[str, Any], return_tensors: str) -> BatchEncoding:
        """Token ids and their mask, (texts, longest)."""
        # the kinds of tokens are not among the inputs of every model whose tokenizer makes them
        return self.tokenizer(text, return_tensors=return_tensors, return_token_type_ids=False, **text_kwargs)


def load(
    spec: str,
    *,
    device: str | None = None,
    dtype: str = "auto",
    revision: str | None = None,
    attention: str | None = None,
    seed: int = 0,
) -> TransformersVideo:
    """A model that only reads, by its Hub id or folder. Arguments: of `transformers_video.load`.

    Raises ChalkbenchError if there is no such model, it writes no text, or it has no chat template.
    """
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    kind = multimodal.dtype_of(dtype, device)
    folder, name, fingerprint, commit = multimodal.identify(spec, revision)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, revision=commit)
        model = AutoModelForCausalLM.from_pretrained(
            folder,
            revision=commit,
            dtype=kind,
            attn_implementation=attention,
            device_map=None if device == "cpu" else device,
        )
    except (OSError, ValueError, ImportError) as error:
        raise ChalkbenchError(f"model {spec} cannot be loaded: {multimodal.in_short(error)}") from error
    if not tokenizer.chat_template:
        raise ChalkbenchError(
            f"{name}: its tokenizer has no chat template: chalkbench needs an instruction-tuned model"
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token  # it is masked: which one it is changes nothing
    return TransformersVideo(model.eval(), TextProcessor(tokenizer), name=name, fingerprint=fingerprint, seed=seed)


def only_reads(spec: str, *, revision: str | None = None) -> bool:
    """Whether a model has a tokenizer and no processor for pictures, video or sound.

    Raises ChalkbenchError if there is no such model.
    """
    folder, _, _, commit = multimodal.identify(spec, revision)
    try:
        return isinstance(AutoProcessor.from_pretrained(folder, revision=commit), PreTrainedTokenizerBase)
    except (OSError, ValueError, ImportError) as error:
        raise ChalkbenchError(f"model {spec} cannot be loaded: {multimodal.in_short(error)}") from error

"""Single pictures, such as options that are no text."""

from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageOps, UnidentifiedImageError

from chalkbench.media import MediaError
from chalkbench.media.files import undecodable
from chalkbench.scoring.outcome import MEDIA_MISSING


def read_picture(path: str | Path, *, size: int | None = None) -> torch.Tensor:
    """A picture as uint8 (3, height, width) in RGB, turned as its metadata say, transparency on white.

    size: longest side in pixels that is not exceeded, aspect kept; None = the picture's own.
    Raises MediaError (`media_missing`, or `decode_error`).
    """
    try:
        with Image.open(path) as opened:
            picture = ImageOps.exif_transpose(opened).convert("RGBA")
    except FileNotFoundError:
        raise MediaError("the file does not exist", path=path, reason=MEDIA_MISSING) from None
    except (OSError, UnidentifiedImageError, SyntaxError, Image.DecompressionBombError) as error:
        raise undecodable(path, f"it is no picture that can be read: {error}") from error
    whole = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")
    if size is not None:
        whole.thumbnail((size, size), Image.Resampling.BILINEAR)
    return torch.from_numpy(np.array(whole)).permute(2, 0, 1)

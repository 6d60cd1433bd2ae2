"""Letters and PNG files by Pillow: a picture does not depend on the fonts of the machine.

Pillow's built-in typeface Aileron has ASCII, ±, · and °. A text with other letters is drawn in `letters.ttf`, which has Latin, Greek and
Cyrillic; others are boxes. Superscripts are small raised digits.

Tests: `tests/writers/test_picture.py`.
"""

from __future__ import annotations

import functools
import io
import itertools
import math
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.errors import MissingExtra
from massprops.moments.arrays import Array

#: From the top of a text to its base line, to the middle of its capitals and to its end, in sizes of its letters.
BASE, MIDDLE, HEIGHT = 0.85, 0.49, 1.1
#: Size of superscripts, and how far they are raised.
_SMALL, _RAISED = 0.65, 0.35
#: Size of the other typeface, whose letters are larger: room for the accents of capitals above the line.
_OTHER = 0.82
#: What a PNG file says of who made it.
MADE_BY = ("Software", "massprops")
_ALIKE = str.maketrans("−–—×", "---x")
#: Characters of the built-in typeface, besides superscripts.
_BUILT_IN = frozenset([*map(chr, range(32, 127)), *"±·°−–—×\xa0"])


def text_mask(text: str, size: float) -> Array:
    """Share of each pixel that a text of one line covers; letters are `size` pixels high, descenders included."""
    from PIL import Image, ImageDraw

    image = Image.new("L", (math.ceil(text_width(text, size)) + 1, math.ceil(HEIGHT * size)))
    pen, left = ImageDraw.Draw(image), 0.0
    for letters, font, rise in _runs(text, size):
        pen.text((left, round(BASE * size - rise)), letters, fill=255, font=font, anchor="ls")
        left += font.getlength(letters)
    return np.asarray(image) / 255


@functools.lru_cache(1024)  # lines of a legend are broken by trial
def text_width(text: str, size: float) -> float:
    """Width of a text, pixels."""
    return sum((font.getlength(letters) for letters, font, _ in _runs(text, size)), 0.0)


def _runs(text: str, size: float) -> Iterator[tuple[str, Any, float]]:
    """Parts of a text with their font, and how far they are raised, pixels."""
    text = unicodedata.normalize("NFC", text)
    is_built_in = all(c in _BUILT_IN or _is_raised(c) for c in text)
    for raised, group in itertools.groupby(text, _is_raised):
        letters = "".join(unicodedata.normalize("NFKD", c)[0] if raised else c for c in group)
        font = _font(size * _SMALL if raised else size, is_built_in)
        yield letters.translate(_ALIKE) if is_built_in else letters, font, _RAISED * size if raised else 0.0


def _is_raised(c: str) -> bool:
    return unicodedata.decomposition(c).startswith("<super>")


@functools.cache
def _font(size: float, is_built_in: bool) -> Any:
    from PIL import ImageFont, features

    if not features.check("freetype2"):
        raise MissingExtra(
            "Pillow draws no letters here: it was built without FreeType", hint="install another build of Pillow"
        )
    if is_built_in:
        return ImageFont.load_default(size)
    return ImageFont.truetype(io.BytesIO(Path(__file__).with_name("letters.ttf").read_bytes()), _OTHER * size)


def png(pixels: NDArray[np.uint8], *, small: bool = False) -> bytes:
    """PNG file of an image of shape (height, width, 3); a small one has at most 256 colours and a quarter of the size."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    image, file, about = Image.fromarray(pixels), io.BytesIO(), PngInfo()
    if not small:
        about.add_text(*MADE_BY)
    (image.quantize(method=Image.Quantize.FASTOCTREE) if small else image).save(
        file, "PNG", compress_level=9 if small else 4, pnginfo=about
    )
    return file.getvalue()


def pdf(pixels: NDArray[np.uint8]) -> bytes:
    """PDF file of one page with an image of shape (height, width, 3), 144 pixels to the inch; no time is in it."""
    from PIL import Image

    file, undated = io.BytesIO(), {"title": None, "creationDate": None, "modDate": None}
    Image.fromarray(pixels).save(file, "PDF", resolution=144.0, quality=95, subsampling=0, **undated)
    return file.getvalue()

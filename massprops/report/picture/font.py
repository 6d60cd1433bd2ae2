"""Texts in a picture: letters of five by nine dots, drawn with a pen from dot to dot."""

from __future__ import annotations

import functools
import json
import unicodedata
from pathlib import Path

import numpy as np

from massprops.moments.arrays import Array

#: Dots from one letter to the next, and from one line to the next; rows of a letter; width of the pen, in dots.
ADVANCE, LINE, ROWS, _PEN = 6, 11, 9, 0.9

#: Of a letter that is not known.
_BOX = "07f04104104107f"


def text_mask(text: str, size: float) -> Array:
    """How much of each pixel a text of one line covers, shape (9 size, 6 size letters); letters that are not known are boxes."""
    return np.concatenate([np.empty((round(ROWS * size), 0)), *(_drawn(letter, size) for letter in text)], axis=1)


@functools.cache
def _drawn(letter: str, size: float) -> Array:
    """A letter: strokes between dots that are neighbours; diagonal ones only where no dot is beside them."""
    base = unicodedata.normalize("NFD", letter)[0]
    digits = _letters().get(letter) or _letters().get(base, _BOX)
    columns = [int(digits[i : i + 3], 16) for i in range(0, 15, 3)]
    dots = {(x, y) for x, column in enumerate(columns) for y in range(ROWS) if column >> y & 1}
    strokes = [(d, d) for d in dots]
    for x, y in dots:
        strokes += [((x, y), p) for p in ((x + 1, y), (x, y + 1)) if p in dots]
        strokes += [
            ((x, y), (x + 1, y + k)) for k in (1, -1) if (x + 1, y + k) in dots and not {(x + 1, y), (x, y + k)} & dots
        ]
    row, column = np.mgrid[0 : round(ROWS * size), 0 : round(ADVANCE * size)] / size
    cover = np.zeros(row.shape)
    for (x, y), (u, v) in strokes:
        across, down = column + 0.5 / size - x - 0.5, row + 0.5 / size - y - 0.5
        along = np.clip(((u - x) * across + (v - y) * down) / max((u - x) ** 2 + (v - y) ** 2, 1), 0.0, 1.0)
        far = np.hypot(across - along * (u - x), down - along * (v - y)) * size
        cover = np.maximum(cover, np.clip(_PEN * size / 2 + 0.5 - far, 0.0, 1.0))
    return cover


@functools.cache
def _letters() -> dict[str, str]:
    """Three hexadecimal digits for each of the five columns of a letter, the lowest bit on top."""
    known: dict[str, str] = json.loads(Path(__file__).with_name("letters.json").read_text(encoding="utf-8"))
    return known

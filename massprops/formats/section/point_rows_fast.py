"""Points out of clean text, fast: rows of two numbers, each as `float()` reads it.

Gives up silently at anything unusual: the careful readers then decide what is right and say what is wrong. Where both read
a text they give the same bits.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from massprops.formats.fast_floats import Bytes, Words, finite_floats, line_blocks
from massprops.moments.arrays import Array

#: All that a finite decimal number is made of, and what may stand around it.
_CLEAN = b"0123456789+-.eE \t\n"
#: Bytes of text for which `Words` are not worth their start: a map may have a hundred thousand rings.
_SHORT = 1 << 14


def quick_points(text: bytes, column: bytes | None, short: int = _SHORT) -> Array | None:
    """Points of rows such as ``1.5,2``, or None where anything in the text is unusual.

    Parameters
    ----------
    text : bytes
        Rows separated by line feeds, without one at the end.
    column : bytes
        One character between the numbers of a row; None is any number of blanks and tabs.
    short : int
        Bytes below which rows are split one by one; nothing else depends on it.

    Returns
    -------
    ndarray, shape (n, 2), or None
        Finite. None says nothing of what is wrong, or whether anything is.
    """
    if text.translate(None, _CLEAN + (column or b"")):
        return None
    try:
        points = np.concatenate([_numbers(block, column, short) for block in line_blocks(text + b"\n")])
    except ValueError:
        return None
    return points.reshape(-1, 2) if np.isfinite(points).all() else None


def _numbers(block: Bytes, column: bytes | None, short: int) -> Array:
    """The numbers of whole lines; ValueError where one has more or fewer than two."""
    if len(block) < short:
        rows = [row.split(column) for row in block[:-1].tobytes().split(b"\n")]
        if set(map(len, rows)) != {2}:
            raise ValueError
        return np.fromiter(map(float, chain.from_iterable(rows)), np.float64, 2 * len(rows))
    words = Words(block, column or b"")
    if (words.per_line()[:-1] != 2).any():
        raise ValueError
    first, second = words.ends[::2], words.starts[1::2]
    marks = np.flatnonzero(words.text == column[0]) if column else first
    if len(marks) != len(first) or (marks < first).any() or (marks >= second).any():
        raise ValueError
    return finite_floats(words)

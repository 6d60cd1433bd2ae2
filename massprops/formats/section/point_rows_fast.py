"""Points out of clean text, fast: rows of two numbers, as `float()` reads each of them.

Gives up silently at anything unusual: the careful readers then decide what is right and say what is wrong. Where both read
a text they give the same bits, since both leave every number to `float()`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from massprops.moments.arrays import Array

#: Text read at a time: its words stay in the processor's cache, and memory does not grow with their number.
_BLOCK = 1 << 17
#: All that a finite decimal number is made of. Without letters and underscores `float()` reads no `nan`, `infinity` or `1_000`.
_NUMERALS = b"0123456789+-.eE"
_WHITE = b" \t"


def quick_points(text: bytes, row: bytes, column: bytes | None) -> Array | None:
    """Points of rows such as ``1.5,2``, or None where anything in the text is unusual.

    Parameters
    ----------
    text : bytes
        Rows separated by `row`, without one at the end.
    row, column : bytes
        One character each; a `column` of None is any number of blanks and tabs.

    Returns
    -------
    ndarray, shape (n, 2), or None
        Finite. None says nothing of what is wrong, or whether anything is.
    """
    if text.translate(None, _NUMERALS + _WHITE + row + (column or b"")):
        return None
    try:
        blocks = [_block(block, row, column) for block in _blocks(text, row)]
    except ValueError:
        return None
    points = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    return points if np.isfinite(points).all() else None


def _blocks(text: bytes, row: bytes) -> Iterator[bytes]:
    start = 0
    while start <= len(text):
        end = text.find(row, start + _BLOCK)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _block(text: bytes, row: bytes, column: bytes | None) -> Array:
    text = text.strip(_WHITE)
    words = _words_at_once(text, row, column) or _words_by_row(text, row, column)
    return np.fromiter(map(float, words), np.float64, len(words)).reshape(-1, 2)


def _words_at_once(text: bytes, row: bytes, column: bytes | None) -> list[bytes] | None:
    """Words of rows that are all written alike; None where that is not certain.

    What is left of the text without its numbers is one column mark in each row, so no row has more than two words;
    none has fewer if there are two for each row.
    """
    rows = text.count(row) + 1
    if column is None:
        text = text.replace(row + b" ", row)
        marks, column = text.translate(None, _NUMERALS), b" "
    else:
        marks = text.translate(None, _NUMERALS + _WHITE)
    if marks != (column + row) * (rows - 1) + column:
        return None
    words = text.replace(row, column).split(column)
    return words if len(words) == 2 * rows else None


def _words_by_row(text: bytes, row: bytes, column: bytes | None) -> list[bytes]:
    words = [line.split(column) for line in text.split(row)]
    if set(map(len, words)) != {2}:
        raise ValueError
    return list(chain.from_iterable(words))

"""OBJ as exporters write it, a column at a time.

Gives up silently at anything unusual; `obj_careful` then decides what is right and says what is wrong. Where both
read a file they give the same contents: numbers are those of `float()` and `int()` in both.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from massprops.readers.obj_careful import ATTRIBUTES, ELEMENTS, Contents

# After a number: `3 /7` is no corner.
_TEXTURE_AND_NORMAL = re.compile(rb"(?<=\d)/(?:[+-]?\d+)?(?:/(?:[+-]?\d+)?)?(?=\s|\Z)")
_CONTINUED = re.compile(rb"\\[ \t]*\n")
_SHAPE = {3: 0, 6: 0, 4: 1, 7: 1}


class _Unusual(Exception):  # no error: the careful reader takes over
    pass


def read_quickly(data: bytes) -> Contents | None:
    """Contents of a well-behaved file in UTF-8, lines ended by LF, or None where anything in it is unusual."""
    if _CONTINUED.search(data):
        return None
    lines = data.split(b"\n")
    heads = [line[:2] for line in lines]
    try:
        vertex_lines = [i for i, head in enumerate(heads) if head == b"v "]
        face_lines = [i for i, head in enumerate(heads) if head == b"f "]
        vertices = _vertices([lines[i] for i in vertex_lines])
        corners, counts = _faces([lines[i] for i in face_lines])
        before = np.searchsorted(np.array(vertex_lines), np.array(face_lines))
        contents = Contents(vertices, _from_zero(corners, np.repeat(before, counts)), counts)
        _tally(contents, lines, heads)
    except (_Unusual, ValueError, OverflowError):
        return None
    return contents


def _columns(lines: list[bytes], keyword: bytes) -> list[list[bytes]] | None:
    """Words of lines as columns, the keyword's left out; None where the lines have not all as many words.

    Lines with one more and lines with one less would move a keyword out of its column.
    """
    words = b"\n".join(lines).split()
    width = len(lines[0].split())
    if len(words) != width * len(lines) or words[::width].count(keyword) != len(lines):
        return None
    return [words[column::width] for column in range(1, width)]


def _vertices(lines: list[bytes]) -> NDArray[np.float64]:
    columns = _columns(lines, b"v") if lines else None
    # float() would read 1_000 as a thousand.
    if columns is None or len(columns) not in _SHAPE or any(b"_" in line for line in lines):
        raise _Unusual
    numbers = [np.fromiter(map(float, column), np.float64, len(lines)) for column in columns]
    if not all(np.isfinite(column).all() for column in numbers) or (_SHAPE[len(columns)] and (numbers[3] != 1).any()):
        raise _Unusual
    return np.stack(numbers[:3], axis=1)


def _faces(lines: list[bytes]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Vertex numbers of all corners in a row, as the file counts them, and the number of each face's."""
    text = b"\n".join(lines)
    if b"_" in text or not lines:
        raise _Unusual
    if b"/" in text:
        text = _TEXTURE_AND_NORMAL.sub(b"", text)
        lines = text.split(b"\n")
    columns = _columns(lines, b"f")
    if columns is None:
        rows = list(map(bytes.split, lines))
        counts = np.fromiter(map(len, rows), np.int64, len(rows)) - 1
        words = [word for row in rows for word in row[1:]]
        corners = np.fromiter(map(int, words), np.int64, len(words))
    else:
        counts = np.full(len(lines), len(columns), np.int64)
        corners = np.stack([np.fromiter(map(int, c), np.int64, len(lines)) for c in columns], axis=1).reshape(-1)
    if counts.min() < 3:
        raise _Unusual
    return corners, counts


def _from_zero(corners: NDArray[np.int64], before: NDArray[np.int64]) -> NDArray[np.int64]:
    """Vertices counted from 0, given how many are defined before each corner's face."""
    if (corners == 0).any() or (corners > before).any() or (corners < -before).any():
        raise _Unusual
    return np.where(corners > 0, corners - 1, before + corners)


def _tally(contents: Contents, lines: list[bytes], heads: list[bytes]) -> None:
    """Counts the other statements; those that no list knows are for the careful reader."""
    usual = {b"v ", b"f ", b"vn", b"vt", b"", b"# "}
    for number, (line, head) in enumerate(zip(lines, heads, strict=True), 1):
        if head in usual and (head[:1] != b"v" or line[2:3] in (b" ", b"") or head == b"v "):
            continue
        words = line.split()
        if words and not words[0].startswith(b"#"):
            word = words[0].decode("latin-1")
            if word not in ATTRIBUTES and word not in ELEMENTS:
                raise _Unusual
            contents.tally(number, word)

"""OBJ as exporters write it, a block of lines at a time.

Stops silently at anything unusual; from there on `obj_strict` decides what is right and says what is wrong. Where both
read a file they give the same contents: numbers are those of `float()` and `int()` in both.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from massprops.formats.fast_floats import BLOCK, Bytes, Words, all_whole, finite_floats, integers, line_blocks
from massprops.formats.mesh.obj_strict import ATTRIBUTES, ELEMENTS, Contents, joined
from massprops.moments.arrays import Array, Integers, Mask

_CONTINUED = re.compile(rb"\\[ \t]*\n")
#: Numbers of a vertex to the place of its weight.
_WEIGHT = {3: None, 6: None, 4: 3, 7: 3}
_LF, _BLANK, _SLASH, _HASH, _V, _F, _T, _N = b"\n /#vftn"


class _Unusual(Exception):  # no error: the strict reader takes over
    pass


def read_fast(data: bytes, block: int = BLOCK) -> tuple[Contents, int]:
    """Contents of a file in UTF-8, lines ended by LF, as far as it is well-behaved, and how many bytes that are: whole lines.

    `block` is how many bytes are looked at together; nothing else depends on it.
    """
    parts = [Contents()]
    done = points = 0
    if b"\\" in data and _CONTINUED.search(data):
        return parts[0], 0
    try:
        for lines in line_blocks(data, block):
            parts.append(_block(lines, points))
            points += len(parts[-1].vertices)
            done += len(lines)
    except (_Unusual, ValueError):
        pass
    return joined(parts), done


def _block(text: Bytes, points: int) -> Contents:
    """What some whole lines hold, after so many vertices; the last line may have no end."""
    lines = _Lines(text)
    found = Contents(elements=_elements(lines))
    faces = np.flatnonzero(lines.faces)
    before: Integers | int = points
    if lines.vertices.any():
        found.vertices = _vertices(*lines.of(lines.vertices))
        before = points + np.cumsum(lines.vertices)[faces]
    if len(faces):
        corners, found.counts = _faces(lines.of(lines.faces)[0])
        found.corners = _from_zero(corners, found.counts, before)
    return found


def _elements(lines: _Lines) -> Counter[str]:
    """How many of the other statements there are of each; those that no list knows are for the strict reader."""
    found: Counter[str] = Counter()
    for i in np.flatnonzero(lines.others).tolist():
        words = lines.text[lines.starts[i] : lines.ends[i]].tobytes().split()
        if words and not words[0].startswith(b"#"):
            word = words[0].decode("latin-1")
            if word in ELEMENTS:
                found[word] += 1
            elif word not in ATTRIBUTES:
                raise _Unusual
    return found


class _Lines:
    """The lines of a block and of which kind each is."""

    def __init__(self, text: Bytes) -> None:
        self.text = text if text[-1] == _LF else np.append(text, np.uint8(_LF))
        self.ends = np.flatnonzero(self.text == _LF)
        self.starts = np.empty_like(self.ends)
        self.starts[0], self.starts[1:] = 0, self.ends[:-1] + 1
        first, second, third = (self.text.take(self.starts + i, mode="clip") for i in range(3))
        self.vertices: Mask = (first == _V) & (second == _BLANK)
        self.faces: Mask = (first == _F) & (second == _BLANK)
        ended = (third == _BLANK) | (third == _LF)
        attribute = (first == _V) & ((second == _N) | (second == _T)) & ended
        self.others: Mask = ~(self.vertices | self.faces | attribute | (first == _HASH) | (first == _LF))

    def of(self, kind: Mask) -> tuple[Bytes, int]:
        """The text of the lines of a kind, without their first letter, and how many there are."""
        if kind.all():
            text, starts = self.text.copy(), self.starts
        else:
            lengths = self.ends + 1 - self.starts
            text = self.text[np.repeat(kind, lengths)]
            kept = lengths[kind]
            starts = np.cumsum(kept) - kept
        text[starts] = _BLANK
        return text, len(starts)


def _vertices(text: Bytes, lines: int) -> Array:
    """Coordinates, shape (lines, 3)."""
    words = Words(text)
    width, rest = divmod(len(words), lines)
    if rest or width not in _WEIGHT or (words.per_line()[:-1] != width).any():
        raise _Unusual
    numbers = finite_floats(words).reshape(lines, width)
    weight = _WEIGHT[width]
    if weight is not None and (numbers[:, weight] != 1).any():
        raise _Unusual
    return numbers[:, :3]


def _faces(text: Bytes) -> tuple[Integers, Integers]:
    """Vertex numbers of all corners in a row, as the file counts them, and the number of each face's."""
    words = Words(text)
    counts = words.per_line()[:-1]
    if counts.min() < 3:
        raise _Unusual
    corners, left = integers(_without_attributes(words) if (text == _SLASH).any() else words)
    if len(left):
        raise _Unusual
    return corners, counts


def _without_attributes(words: Words) -> Words:
    """Only the vertex of each corner `v`, `v/vt`, `v//vn` or `v/vt/vn`."""
    upto = np.cumsum(words.text == _SLASH, dtype=np.int32)
    parts = Words(words.text, b"/")
    vertices = parts.select(parts.text[parts.starts - 1] != _SLASH)
    if (upto[words.ends - 1] - upto[words.starts - 1] > 2).any() or len(vertices) != len(words) or not all_whole(parts):
        raise _Unusual
    return vertices


def _from_zero(corners: Integers, counts: Integers, before: Integers | int) -> Integers:
    """Vertices counted from 0, given how many are defined before each face."""
    if corners.min() > 0 and corners.max() <= np.min(before):
        return corners - 1
    defined = np.repeat(np.broadcast_to(before, counts.shape), counts)
    if (corners == 0).any() or (corners > defined).any() or (corners < -defined).any():
        raise _Unusual
    return np.where(corners > 0, corners - 1, defined + corners)

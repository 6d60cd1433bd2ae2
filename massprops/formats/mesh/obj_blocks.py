"""Blocks of OBJ as exporters write them: `v` and `f`, and lines without geometry. All other blocks are for `obj_strict`.

Where both read a block they give the same contents.
"""

from __future__ import annotations

import re

import numpy as np

from massprops import native
from massprops.formats.text_blocks import rows
from massprops.moments.arrays import Array, Integers

_WITHOUT_GEOMETRY = re.compile(rb"#.*|(?:(?:vn|vt|g|o|s|usemtl|mtllib)(?![^ \t\v\f])[^\\]*)?")
_ATTRIBUTES = re.compile(rb"(?<=\d)/(?:[+-]?\d+)?(?:/(?:[+-]?\d+)?)?(?=\s)")
#: Numbers of a vertex to the place of its weight, which must be 1.
_WEIGHT = {3: None, 6: None, 4: 3, 7: 3}


def read_block(text: bytes, points: int) -> tuple[Array, Integers, Integers] | None:
    """Coordinates of vertices in a row, vertices of faces in a row (counted from 0) and the number of each face's.

    Parameters
    ----------
    text : bytes
        Whole lines.
    points : int
        Vertices before them.

    Returns
    -------
    vertices, corners, counts : ndarray
        None where anything is unusual.
    """
    core = native.core()
    if core is None:
        return _read_plain(text, points)
    vertices, corners, counts = (
        np.empty(len(text) // 2),
        np.empty(len(text) // 2, np.int32),
        np.empty(len(text) // 6, np.int32),
    )
    found = core.obj(text, points, vertices, corners, counts)
    return found and (vertices[: found[0]], corners[: found[1]], counts[: found[2]])


def _read_plain(text: bytes, points: int) -> tuple[Array, Integers, Integers] | None:
    vertices, faces, before = [], [], []
    for line in text.removesuffix(b"\n").split(b"\n"):
        kind = line[:2]
        if kind in (b"v ", b"v\t"):
            vertices.append(line[2:])
        elif kind in (b"f ", b"f\t"):
            faces.append(line[2:])
            before.append(points + len(vertices))
        elif not _WITHOUT_GEOMETRY.fullmatch(line):
            return None
    coordinates = _vertices(vertices)
    found = _faces(faces, before)
    return None if coordinates is None or found is None else (coordinates, *found)


def _vertices(lines: list[bytes]) -> Array | None:
    if not lines:
        return np.empty(0)
    found = rows(b"\n".join([*lines, b""]))
    if found is None or not np.isfinite(found[0]).all():
        return None
    values, lengths = found
    if lengths[0] not in _WEIGHT or (lengths != lengths[0]).any():
        return None
    numbers = values.reshape(len(lines), -1)
    weight = _WEIGHT[int(lengths[0])]
    return None if weight and (numbers[:, weight] != 1).any() else numbers[:, :3].reshape(-1)


def _faces(lines: list[bytes], before: list[int]) -> tuple[Integers, Integers] | None:
    if not lines:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    text = b"\n".join([*lines, b""])
    if b"/" in text:
        text = _ATTRIBUTES.sub(b"", text)
    found = rows(text) if not text.translate(None, b"0123456789+- \t\v\f\n") else None
    if found is None or found[1].min() < 3:
        return None
    corners, counts = found
    defined = np.repeat(before, counts)
    if (corners == 0).any() or (np.abs(corners) > defined).any():
        return None
    return np.where(corners > 0, corners - 1, defined + corners).astype(np.int32), counts.astype(np.int32)

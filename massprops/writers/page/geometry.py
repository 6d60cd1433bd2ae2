"""Triangles made small for a page: corners merged on a grid of 16 bits, in the order in which triangles that grow across edges reach them.

A corner of a triangle is stored as its distance back from the next new corner, a coordinate as its difference from that of the corner
before. All of it is deflated, the bytes of equal weight together; `viewer.js` undoes it with the browser's DecompressionStream.

Tests: `tests/writers/test_page.py`.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops.moments.arrays import Array
from massprops.writers.picture.scene import Solid

Indices = NDArray[np.int64]

#: Facets that a page shows at most; larger meshes are thinned.
MOST_FACETS = 50_000
#: Cells along the longest side of the bounds, in which a larger mesh is thinned until few enough facets are left.
_CELLS = (256, 181, 128, 91, 64, 45, 32, 16, 8, 4)
#: Steps along the longest side of the bounds.
_STEPS = 0xFFFF


@dataclass(frozen=True, eq=False)
class PackedMesh:
    """A mesh as the page holds it.

    Attributes
    ----------
    vertices, faces : int
        Corners and triangles.
    data : str
        Base64 of the deflated bytes.
    matrix : ndarray, shape (3, 4)
        From the whole numbers of a corner to the coordinates of the triangles that were packed.
    """

    vertices: int
    faces: int
    data: str
    matrix: Array


def pack(solid: Solid, most: int = MOST_FACETS) -> PackedMesh | None:
    """A mesh made small, thinned if it has more than `most` facets; None if it has none that is larger than a step."""
    bounds = solid.bounds
    size = float((bounds[1] - bounds[0]).max())
    if not size > 0:
        return None
    points, faces = _thin(solid, size, most)
    grid, proper = _index((np.rint((points - bounds[0]) * (_STEPS / size)).astype(np.int64))[faces])
    return _encode(grid, proper, np.column_stack([np.eye(3) * (size / _STEPS), bounds[0]])) if len(proper) else None


def _thin(solid: Solid, size: float, most: int) -> tuple[Array, Indices]:
    """Corners and faces; of too many, those whose corners are in three cells of a grid, each cell at its first corner in the file."""
    if solid.facets <= most:
        triangles = np.concatenate([np.asarray(chunk, dtype=np.float64) for chunk in solid.read_chunks()])
        return triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    tried = [c for c in _CELLS if c * c <= 2 * most]
    for cells in tried:
        keys, points, triples = _cluster(solid, cells / size, most if cells > tried[-1] else solid.facets)
        if len(triples) <= most:
            break
    return points, np.searchsorted(keys, triples)


def _cluster(solid: Solid, scale: float, most: int) -> tuple[Indices, Array, Indices]:
    """Keys of cells in rising order, the first corner in each, and the distinct triangles between cells, by keys, or some too many."""
    keys, points, hashes = np.empty(0, np.int64), np.empty((0, 3)), np.empty(0, np.int64)
    triples = np.empty((0, 3), np.int64)
    for chunk in solid.read_chunks():
        key = _cell_keys(np.floor((chunk - solid.bounds[0]) * scale).astype(np.int64))
        keys, first = np.unique(np.concatenate([keys, key.ravel()]), return_index=True)
        points = np.concatenate([points, chunk.reshape(-1, 3)])[first]
        proper = key[(key[:, 0] != key[:, 1]) & (key[:, 1] != key[:, 2]) & (key[:, 2] != key[:, 0])]
        turn = (proper.argmin(axis=1)[:, None] + np.arange(3)) % 3  # the same triangle begins at the same corner
        triples = np.concatenate([triples, np.take_along_axis(proper, turn, axis=1)])
        hashes, first = np.unique(np.concatenate([hashes, _hash(triples[len(hashes) :])]), return_index=True)
        triples = triples[first]
        if len(triples) > most:
            break
    return keys, points, triples


def _cell_keys(cell: Indices) -> Indices:
    return np.asarray((cell[..., 0] << 42) | (cell[..., 1] << 21) | cell[..., 2])


def _hash(triples: Indices) -> Indices:
    """Hashes of triangles. Two triangles of one hash are taken as one: a facet in 10¹⁹ is missing in the picture."""
    with np.errstate(over="ignore"):
        mixed = triples * np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64).view(
            np.int64
        )
        mixed ^= mixed >> 29
        return np.asarray((mixed * np.array([3, 5, 7])).sum(axis=1))


def _index(corners: Indices) -> tuple[Indices, Indices]:
    """Distinct corners, shape (v, 3), and the faces between three of them, from corners of shape (n, 3, 3) on the grid."""
    _, first, faces = np.unique(_cell_keys(corners), return_index=True, return_inverse=True)
    faces = faces.reshape(-1, 3)
    proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return corners.reshape(-1, 3)[first], faces[proper]


def _encode(points: Indices, faces: Indices, matrix: Array) -> PackedMesh:
    known, first, corner = np.unique(_grow_order(faces.tolist()), return_index=True, return_inverse=True)
    reached = np.argsort(first)
    number = np.argsort(reached)[corner.ravel()]
    back = np.maximum.accumulate(np.append(0, number + 1))[:-1] - number
    places = points[known[reached]]
    step = np.diff(places.T, prepend=0).astype(np.int16)  # modulo 2¹⁶
    data = _bytes_of((step << 1 ^ step >> 15).astype("<u2")) + _bytes_of(back.astype("<u4"))
    text = base64.b64encode(zlib.compress(data, 9)).decode("ascii")
    return PackedMesh(len(places), len(faces), text, matrix)


def _bytes_of(numbers: NDArray[np.unsignedinteger]) -> bytes:
    """The lowest bytes of all numbers, then the next."""
    return np.ascontiguousarray(numbers).view(np.uint8).reshape(-1, numbers.itemsize).T.tobytes()


def _grow_order(faces: list[list[int]]) -> Indices:
    """The triangles, each followed by its neighbour across the last edge that has one left."""
    across: dict[tuple[int, int], tuple[int, int]] = {}
    for i, (a, b, c) in enumerate(faces):
        for edge, third in (((a, b), c), ((b, c), a), ((c, a), b)):
            across.setdefault(edge, (i, third))
    done = bytearray(len(faces))
    found: list[list[int]] = []
    for first, (a, b, c) in enumerate(faces):
        waiting = [(first, a, b, c)]
        while waiting:
            i, a, b, c = waiting.pop()
            if not done[i]:
                done[i] = 1
                found.append([a, b, c])
                beyond = (((q, p), across.get((q, p))) for p, q in ((c, a), (b, c), (a, b)))
                waiting += [(near[0], *edge, near[1]) for edge, near in beyond if near is not None]
    return np.array(found)

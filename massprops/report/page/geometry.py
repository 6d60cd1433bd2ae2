"""Triangles made small for a page: corners merged on a grid of 16 bits, connectivity as a growing front, corners predicted.

The front grows triangle by triangle across its last edge (as in Touma and Gotsman, Triangle Mesh Compression, 1998): a byte says whether
the third corner is new, a neighbour on the front, or another known one. A new corner is stored as its difference from the parallelogram
on the triangle behind the edge. All of it is deflated; `viewer.js` undoes it with the browser's DecompressionStream.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops.moments.arrays import Array, Floats
from massprops.values import json_object

Indices = NDArray[np.int64]
ReadChunks = Callable[[], Iterable[Floats]]

#: Facets that a page shows at most; larger meshes are thinned.
MOST_FACETS = 50_000
#: Cells along the longest side of the bounds, in which a larger mesh is thinned until few enough facets are left.
_CELLS = (256, 181, 128, 91, 64, 45, 32, 16, 8, 4)
#: Steps along the longest side of the bounds, finest first, and the characters that a mesh and each facet may take for more than the
#: coarsest to be taken.
_STEPS = (0xFFFF, 0x3FFF, 0xFFF)
_CHARACTERS, _PER_FACET = 20_000, 3.4
#: RFC 1924 without ``< > &``, which HTML would have escaped.
_TO_PAGE = bytes.maketrans(b"<>&", b",.:")

_NONE, _NEW, _NEXT, _BEFORE, _KNOWN = range(5)


@dataclass(frozen=True, eq=False)
class PackedMesh:
    """A mesh as the page holds it.

    Attributes
    ----------
    vertices, faces, steps, references, bytes : int
        Lengths of what is packed: corners, triangles, bytes of the front, bytes of references, and of the deflated whole.
    data : str
        Of 85 characters, none of which HTML or JSON escapes.
    matrix : ndarray, shape (3, 4)
        From the whole numbers of a corner to the coordinates of the triangles that were packed.
    extent : ndarray, shape (3,)
        The largest of these whole numbers.
    """

    vertices: int
    faces: int
    steps: int
    references: int
    bytes: int
    data: str
    matrix: Array
    extent: Array

    def to_dict(self) -> dict[str, object]:
        """What the page needs to unpack it."""
        return json_object(self, "vertices faces steps references bytes data")


def packed(read_chunks: ReadChunks, bounds: Array, facets: int, most: int = MOST_FACETS) -> PackedMesh | None:
    """A mesh made small, thinned if it has more than `most` facets; None if it has none that is larger than a step.

    Parameters
    ----------
    read_chunks : callable
        Starts a pass over triangles, shape (n, 3, 3).
    bounds : ndarray, shape (2, 3)
        Of these triangles.
    facets : int
        How many there are.
    most : int
        Facets that are shown.
    """
    size = float((bounds[1] - bounds[0]).max())
    if not size > 0:
        return None
    points, faces = _thinned(read_chunks, bounds, size, facets, most)
    for steps in _STEPS:
        grid, front = _indexed((np.rint((points - bounds[0]) * (steps / size)).astype(np.int64))[faces])
        if not len(front):
            return None
        matrix = np.column_stack([np.eye(3) * (size / steps), bounds[0]])
        found = _packed(grid, front, matrix)
        if len(found.data) <= max(_CHARACTERS, _PER_FACET * len(front)):
            break
    return found


def _thinned(read_chunks: ReadChunks, bounds: Array, size: float, facets: int, most: int) -> tuple[Array, Indices]:
    """Corners and faces; of too many, those whose corners are in three cells of a grid, each cell at its first corner in the file."""
    if facets <= most:
        triangles = np.concatenate([np.asarray(chunk, dtype=np.float64) for chunk in read_chunks()])
        return triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    for cells in (c for c in _CELLS if c * c <= 2 * most):
        keys, points, triples = _clustered(read_chunks, bounds[0], cells / size)
        if len(triples) <= most:
            break
    return points, np.searchsorted(keys, triples)


def _clustered(read_chunks: ReadChunks, low: Array, scale: float) -> tuple[Indices, Array, Indices]:
    """Keys of cells in rising order, the first corner in each, and the distinct triangles between cells, by keys."""
    keys, points, hashes = np.empty(0, np.int64), np.empty((0, 3)), np.empty(0, np.int64)
    triples = np.empty((0, 3), np.int64)
    for chunk in read_chunks():
        key = _cell_keys(np.floor((chunk - low) * scale).astype(np.int64))
        keys, first = np.unique(np.concatenate([keys, key.ravel()]), return_index=True)
        points = np.concatenate([points, chunk.reshape(-1, 3)])[first]
        proper = key[(key[:, 0] != key[:, 1]) & (key[:, 1] != key[:, 2]) & (key[:, 2] != key[:, 0])]
        turn = (proper.argmin(axis=1)[:, None] + np.arange(3)) % 3  # the same triangle begins at the same corner
        triples = np.concatenate([triples, np.take_along_axis(proper, turn, axis=1)])
        hashes, first = np.unique(np.concatenate([hashes, _hashed(triples[len(hashes) :])]), return_index=True)
        triples = triples[first]
    return keys, points, triples


def _cell_keys(cell: Indices) -> Indices:
    return np.asarray((cell[..., 0] << 42) | (cell[..., 1] << 21) | cell[..., 2])


def _hashed(triples: Indices) -> Indices:
    """Two triangles of one hash are taken as one: a facet in 10¹⁹ is missing in the picture."""
    with np.errstate(over="ignore"):
        mixed = triples * np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64).view(
            np.int64
        )
        mixed ^= mixed >> 29
        return np.asarray((mixed * np.array([3, 5, 7])).sum(axis=1))


def _indexed(corners: Indices) -> tuple[Indices, Indices]:
    """Distinct corners, shape (v, 3), and the faces between three of them, from corners of shape (n, 3, 3) on the grid."""
    _, first, faces = np.unique(_cell_keys(corners), return_index=True, return_inverse=True)
    faces = faces.reshape(-1, 3)
    proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return corners.reshape(-1, 3)[first], faces[proper]


def _packed(points: Indices, faces: Indices, matrix: Array) -> PackedMesh:
    front = _Front(faces.tolist())
    places = points[front.order]
    a, b, c = np.array(front.guesses).T
    guess = places[a] + places[b] - places[c]
    guess[0] = 0
    off = (places - guess + 0x8000 & 0xFFFF) - 0x8000
    zigzag = (off << 1 ^ off >> 15) & 0xFFFF
    planes = np.concatenate([(zigzag & 0xFF).T.ravel(), (zigzag >> 8).T.ravel()]).astype(np.uint8)
    data = zlib.compress(bytes(front.steps) + bytes(front.references) + planes.tobytes(), 9)
    text = base64.b85encode(data, pad=True).translate(_TO_PAGE).decode("ascii")
    return PackedMesh(
        len(places), len(faces), len(front.steps), len(front.references), len(data), text, matrix, places.max(axis=0)
    )


class _Front:
    """The order in which triangles and corners are visited, and the bytes that tell it.

    Attributes
    ----------
    order : list of int
        Corners as they become known.
    guesses : list of (int, int, int)
        For each of them the known ones a, b, c of its prediction a + b − c.
    steps, references : bytearray
        What happens at each edge of the front; and numbers of corners, counted back from the newest.
    """

    def __init__(self, faces: list[list[int]]) -> None:
        self.order: list[int] = []
        self.guesses: list[tuple[int, int, int]] = []
        self.steps, self.references = bytearray(), bytearray()
        self._number: dict[int, int] = {}
        self._next: dict[int, int] = {}
        self._before: dict[int, int] = {}
        self._gates: list[tuple[int, int, int]] = []
        self._used: set[tuple[int, int]] = set()
        beyond: dict[tuple[int, int], tuple[int, int]] = {}
        for i, (a, b, c) in enumerate(faces):
            for edge, third in (((a, b), c), ((b, c), a), ((c, a), b)):
                beyond.setdefault(edge, (i, third))
        done = bytearray(len(faces))
        for i, face in enumerate(faces):
            if done[i]:
                continue
            done[i] = 1
            self._start(face)
            while self._gates:
                a, b, behind = self._gates.pop()
                if (a, b) in self._used:
                    continue
                j, c = beyond.get((a, b), (-1, -1))
                if j < 0 or done[j]:
                    self.steps.append(_NONE)
                else:
                    done[j] = 1
                    self._step(a, b, c, behind)

    def _start(self, face: list[int]) -> None:
        for corner in face:
            known = self._number.get(corner)
            self._refer(0 if known is None else len(self.order) - known)
            if known is None:
                self._add(corner, (len(self.order) - 1, 0, 0))
        a, b, c = face
        self._use(a, b, c)
        for gate in ((a, c, b), (c, b, a), (b, a, c)):
            self._open(*gate)

    def _step(self, a: int, b: int, c: int, behind: int) -> None:
        if c not in self._number:
            self.steps.append(_NEW)
            self._add(c, (self._number[a], self._number[b], self._number[behind]))
        elif self._next.get(b) == c:
            self.steps.append(_NEXT)
        elif self._before.get(a) == c:
            self.steps.append(_BEFORE)
        else:
            self.steps.append(_KNOWN)
            self._refer(len(self.order) - self._number[c])
        self._use(a, b, c)
        self._open(a, c, b)
        self._open(c, b, a)

    def _add(self, corner: int, guess: tuple[int, int, int]) -> None:
        self._number[corner] = len(self.order)
        self.order.append(corner)
        self.guesses.append(guess)

    def _use(self, a: int, b: int, c: int) -> None:
        self._used.update(((a, b), (b, c), (c, a)))

    def _open(self, a: int, b: int, behind: int) -> None:
        self._gates.append((a, b, behind))
        self._next[a], self._before[b] = b, a

    def _refer(self, number: int) -> None:
        while number > 127:
            self.references.append(number & 127 | 128)
            number >>= 7
        self.references.append(number)

"""Cells of finite elements: their nodes, faces and maps, the sign of the Jacobian, and the faces that bound a group of them.

Nodes are in the order of VTK (that of Abaqus, too): corners, middles of edges, middles of faces. A map is a sum of shape functions, which
are polynomials that are 1 at one node and 0 at all others. Those of a pyramid are polynomials in a = x / c, b = y / c and c = 1 − z.

Sources: O. C. Zienkiewicz, R. L. Taylor, The Finite Element Method, vol. 1, ch. 8 (serendipity families); G. Bedrosian, Int. J. Numer.
Methods Eng. 35 (1992), 95–108 (pyramids); https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html (orders of nodes).

Tests: `tests/formats/mesh/test_fe_cells.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.moments.arrays import Array
from massprops.section.curves.quadrature import unit_rule

Integers = NDArray[np.int64]
#: Cells whose maps are evaluated at a time.
_SOME = 4096
_TRIANGLE, _SQUARE = ((0, 0), (1, 0), (0, 1)), ((-1, -1), (1, -1), (1, 1), (-1, 1))
_LOOPS = {
    "triangle": ((0, 1), (1, 2), (2, 0)),
    "quad": ((0, 1), (1, 2), (2, 3), (3, 0)),
    "tetra": ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    "wedge": ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)),
    "pyramid": ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)),
    "hexahedron": (
        *((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)),
        *((0, 4), (1, 5), (2, 6), (3, 7)),
    ),
}
_FACES: dict[str, tuple[tuple[int, ...], ...]] = {
    "triangle": ((0, 1, 2),),
    "quad": ((0, 1, 2, 3),),
    "tetra": ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)),
    "wedge": ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    "pyramid": ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
    "hexahedron": ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
}
_CORNERS: dict[str, tuple[tuple[int, ...], ...]] = {
    "triangle": _TRIANGLE,
    "quad": _SQUARE,
    "tetra": (*((*p, 0) for p in _TRIANGLE), (0, 0, 1)),
    "wedge": tuple((*p, z) for z in (0, 1) for p in _TRIANGLE),
    "pyramid": (*((*p, 0) for p in _SQUARE), (0, 0, 1)),
    "hexahedron": tuple((*p, z) for z in (-1, 1) for p in _SQUARE),
}
_SIDES = ((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (2, 3, 7, 6), (0, 1, 2, 3), (4, 5, 6, 7))
#: Corners between which a node lies that is in the middle of a face or of the cell.
_CENTRES: dict[str, tuple[tuple[int, ...], ...]] = {
    "quad9": ((0, 1, 2, 3),),
    "wedge18": ((0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    "pyramid14": ((0, 1, 2, 3),),
    "hexahedron27": (*_SIDES, tuple(range(8))),
}


def _powers(dimension: int, most: int, total: int) -> list[tuple[int, ...]]:
    return [p for p in product(range(most + 1), repeat=dimension) if sum(p) <= total]


_SERENDIPITY = [p for p in _powers(3, 2, 6) if sum(i for i in p if i > 1) <= 2]
_P5: list[tuple[int, ...]] = [(0, 0, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)]
_P13: list[tuple[int, ...]] = [
    *_P5,
    (0, 0, 2),
    (1, 0, 2),
    (0, 1, 2),
    (2, 0, 2),
    (1, 1, 2),
    (0, 2, 2),
    (2, 1, 2),
    (1, 2, 2),
]
#: Exponents of the monomials that the shape functions of a kind are made of.
_MONOMIALS: dict[str, list[tuple[int, ...]]] = {
    "triangle": _powers(2, 1, 1),
    "triangle6": _powers(2, 2, 2),
    "quad": _powers(2, 1, 2),
    "quad8": [p for p in _powers(2, 2, 4) if p != (2, 2)],
    "quad9": _powers(2, 2, 4),
    "tetra": _powers(3, 1, 1),
    "tetra10": _powers(3, 2, 2),
    "wedge": [(*p, z) for z in (0, 1) for p in _powers(2, 1, 1)],
    "wedge15": [(*p, z) for z in range(3) for p in _powers(2, 2, 1 if z == 2 else 2)],
    "wedge18": [(*p, z) for z in range(3) for p in _powers(2, 2, 2)],
    "pyramid": _P5,
    "pyramid13": _P13,
    "pyramid14": [*_P13, (2, 2, 2)],
    "hexahedron": _powers(3, 1, 3),
    "hexahedron20": _SERENDIPITY,
    "hexahedron27": _powers(3, 2, 6),
}


@dataclass(frozen=True)
class CellKind:
    """A kind of cell or face, by its name in meshio: ``hexahedron20``."""

    name: str

    @cached_property
    def shape(self) -> str:
        """Its name without the number of nodes."""
        return self.name.rstrip("0123456789")

    @cached_property
    def is_solid(self) -> bool:
        """Whether it has a volume."""
        return self.shape not in ("triangle", "quad")

    @cached_property
    def size(self) -> int:
        """How many nodes it has."""
        return len(_MONOMIALS[self.name])

    @cached_property
    def corners(self) -> int:
        """How many corners it has."""
        return len(_CORNERS[self.shape])

    @cached_property
    def _middles(self) -> tuple[tuple[int, ...], ...]:
        """The corners that each further node is in the middle of."""
        edges = _LOOPS[self.shape] if self.size > self.corners else ()
        return (*edges, *_CENTRES.get(self.name, ()))

    @cached_property
    def _coefficients(self) -> Array:
        corners = np.array(_CORNERS[self.shape], float)
        nodes = np.concatenate([corners, *(corners[list(m)].mean(axis=0, keepdims=True) for m in self._middles)])
        if self.shape == "pyramid":
            c = 1 - nodes[:, 2]
            nodes = np.column_stack([nodes[:, :2] / np.where(c, c, 1.0)[:, np.newaxis], c])
        inverse = np.linalg.inv(_values(_MONOMIALS[self.name], nodes))
        return np.asarray(inverse, np.float64).round(12) + 0.0  # multiples of 1/8

    def functions(self, at: Array) -> Array:
        """Shape functions at points of the reference cell, shape (q, d) → (q, nodes)."""
        found: Array = _values(_MONOMIALS[self.name], at) @ self._coefficients
        return found

    def slopes(self, at: Array) -> Array:
        """Their derivatives, shape (q, d) → (d, q, nodes)."""
        powers, found = np.array(_MONOMIALS[self.name]), []
        for axis in range(powers.shape[1]):
            lower = powers.copy()
            lower[:, axis] = np.maximum(lower[:, axis] - 1, 0)
            found.append((_values(lower, at) * powers[:, axis]) @ self._coefficients)
        return np.array(found)

    def rule(self, n: int) -> tuple[Array, Array]:
        """Gauss points of the reference cell, shape (q, d), and their weights, n along each axis; Duffy's on simplices."""
        t, w = unit_rule(n)
        dimension = len(_CORNERS[self.shape][0])
        p = np.array(list(product(t, repeat=dimension)))
        weights = np.array([np.prod(some) for some in product(w, repeat=dimension)])
        u, v = p[:, 0], p[:, 1]
        if self.shape in ("triangle", "wedge", "tetra"):
            columns = [u, v * (1 - u), *p.T[2:]]
            weights = weights * (1 - u)
            if self.shape == "tetra":
                columns[2], weights = columns[2] * (1 - u) * (1 - v), weights * (1 - u) * (1 - v)
            return np.column_stack(columns), weights
        p[:, :2] = 2 * p[:, :2] - 1
        if self.shape == "hexahedron":
            p[:, 2] = 2 * p[:, 2] - 1
        return p, weights * (4 if self.shape in ("quad", "pyramid") else 8)

    @cached_property
    def faces(self) -> list[tuple[CellKind, list[int]]]:
        """Faces seen from outside: kind, and its nodes among those of the cell."""
        known = {frozenset(m): self.corners + i for i, m in enumerate(self._middles)}
        found = []
        for loop in _FACES[self.shape]:
            around = zip(loop, (*loop[1:], loop[0]), strict=True)
            wanted = [*(frozenset(edge) for edge in around), frozenset(loop)]
            nodes = [*loop, *(known[m] for m in wanted if m in known)] if self.size > self.corners else [*loop]
            shape = "triangle" if len(loop) == 3 else "quad"
            found.append((KINDS[shape if len(nodes) == len(loop) else f"{shape}{len(nodes)}"], nodes))
        return found

    def least_jacobians(self, points: Array, cells: Integers) -> tuple[Array, Array]:
        """The least and the largest determinant of the map of each cell, at the points of a rule that is exact for its volume."""
        n = 1 if self.name == "tetra" else 2 if self.name in ("hexahedron", "wedge") else 3
        slopes = self.slopes(self.rule(n)[0])
        least, most = np.empty(len(cells)), np.empty(len(cells))
        for start in range(0, len(cells), _SOME):
            some = slice(start, start + _SOME)
            nodes = points[cells[some]]
            a, b, c = np.einsum("dqk,nkx->dnqx", slopes, nodes - nodes[:, :1], optimize=True)  # the sign alone counts
            found = (np.cross(a, b) * c).sum(axis=-1) * (-1 if self.shape == "pyramid" else 1)
            least[some], most[some] = found.min(axis=1), found.max(axis=1)
        return least, most


KINDS = {name: CellKind(name) for name in _MONOMIALS}


def _values(powers: Any, at: Array) -> Array:
    found: Array = (at[:, np.newaxis] ** np.array(powers)).prod(axis=-1)
    return found


@dataclass(frozen=True, eq=False)
class Faces:
    """Faces of one kind, seen from outside: numbers of their nodes, shape (n, nodes), and where they come from, shape (n,) each.

    Attributes
    ----------
    block, cell : ndarray
        The cell that each is of.
    group : ndarray
        Its group.
    """

    kind: CellKind
    nodes: Integers
    block: Integers
    cell: Integers
    group: Integers

    def __getitem__(self, mask: Any) -> Faces:
        return Faces(self.kind, self.nodes[mask], self.block[mask], self.cell[mask], self.group[mask])


def faces_of(blocks: Sequence[tuple[CellKind, Integers, Integers, bool]]) -> list[Faces]:
    """The faces of all cells by kind; `blocks` are kind, nodes, group of each cell, and whether the cells are all turned."""
    by_kind: dict[str, list[tuple[Integers, ...]]] = {}
    for number, (kind, cells, groups, turned) in enumerate(blocks):
        for of_face, local in kind.faces:
            order = _reversed(of_face, local) if turned else local
            ids = np.full(len(cells), number), np.arange(len(cells)), groups
            by_kind.setdefault(of_face.name, []).append((cells[:, order], *ids))
    return [
        Faces(KINDS[name], *(np.concatenate(columns) for columns in zip(*found, strict=True)))
        for name, found in by_kind.items()
    ]


def _reversed(kind: CellKind, nodes: Sequence[int]) -> list[int]:
    """The nodes of a face, seen from the other side."""
    n = kind.corners
    edges = [*nodes[n : 2 * n]]
    return [nodes[0], *nodes[n - 1 : 0 : -1], *edges[::-1], *nodes[2 * n :]]


def condense(faces: Sequence[Faces], merged: Integers) -> list[Faces]:
    """Faces with corners in one place as what they are: triangles, or nothing. Wedges and tetrahedra are often written as hexahedra."""
    found: dict[str, list[Faces]] = {}
    for f in faces:
        n = f.kind.corners
        corners = merged[f.nodes[:, :n]]
        same = corners == np.roll(corners, -1, axis=1)
        count = same.sum(axis=1)
        found.setdefault(f.kind.name, []).append(f[count == 0])
        if n == 4 and (count == 1).any():
            some, first = f[count == 1], (same[count == 1].argmax(axis=1) + 2) % n
            around = (first[:, np.newaxis] + np.arange(n)) % n
            local = (
                around[:, :3] if f.kind.size == n else np.concatenate([around[:, :3], n + around[:, [0, 1, 3]]], axis=1)
            )
            kind = KINDS["triangle" if f.kind.size == n else "triangle6"]
            some = replace(some, kind=kind, nodes=np.take_along_axis(some.nodes, local, axis=1))
            found.setdefault(kind.name, []).append(some)
    return [_together(same_kind) for same_kind in found.values()]


def _together(faces: Sequence[Faces]) -> Faces:
    columns = ([getattr(f, name) for f in faces] for name in ("nodes", "block", "cell", "group"))
    return Faces(faces[0].kind, *map(np.concatenate, columns))


def bounding(faces: Faces, merged: Integers) -> tuple[Faces, Integers]:
    """The faces that no other one covers from the other side, and the numbers of those that others cover from the same side.

    `merged` numbers the nodes by place: where two cells have nodes of their own in one place, they share it.
    """
    corners, n = merged[faces.nodes[:, : faces.kind.corners]], faces.kind.corners
    first = corners.argmin(axis=1)
    loops = np.take_along_axis(corners, (first[:, np.newaxis] + np.arange(n)) % n, axis=1)
    side = np.where(loops[:, 1] > loops[:, -1], 1, -1)
    loops[side < 0, 1:] = loops[side < 0, :0:-1]
    keys = np.column_stack([loops, np.sort(merged[faces.nodes[:, n:]], axis=1)])
    order = np.lexsort(keys.T[::-1])
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(keys[order], axis=0) != 0).any(axis=1)]))
    counts = np.diff(starts, append=len(order))
    sums = np.add.reduceat(side[order], starts)
    cancels = (counts == 2) & (sums == 0)
    on_same_side = np.repeat(counts, counts) + side[order] * np.repeat(sums, counts)  # twice their number
    doubled = on_same_side > 2
    return faces[np.sort(order[~np.repeat(cancels, counts)])], order[doubled]


def edges_of(faces: Faces) -> Iterator[tuple[Integers, Integers, Integers]]:
    """First and last node of each side of the faces, and the node in its middle, or −1; shape (n,) each."""
    n = faces.kind.corners
    for i, (a, b) in enumerate(pairwise([*range(n), 0])):
        middle = faces.nodes[:, n + i] if faces.kind.size > n else np.full(len(faces.nodes), -1)
        yield faces.nodes[:, a], faces.nodes[:, b], middle

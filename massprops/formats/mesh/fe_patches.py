"""Faces of finite elements as surfaces: exact integrals over the solid inside them, and triangles near them.

A face is a polynomial patch S(u, v). By the divergence theorem ∫ q dV = ∮ q (S − r)·(S_u × S_v) du dv / (k + 3) for a monomial q of degree
k about r; the integrand is a polynomial of degree 9 at most in each of u and v, for which five Gauss points are exact. The area is none:
there the difference to eight points is the stated error.

Tests: `tests/formats/mesh/test_fe_cells.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from massprops.formats.mesh.fe_cells import KINDS, Faces, Integers, edges_of
from massprops.mesh.exact_solid import ExactSolid
from massprops.moments.arrays import Array, length
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, U, displacement

#: Faces that are evaluated at a time.
_SOME = 2048
#: Coordinates may be off by so many of their roundings where a side or a face counts as straight or flat.
_ROUNDINGS = 4.0
#: Parts that a curved side is cut into for the triangles near it, and a straight one of a mesh with warped faces.
_CURVED, _WARPED = 4, 2
#: So many triangles and no more are made by cutting sides.
_MOST = 4_000_000
_GAUSS, _FINER = 5, 8
_ROWS, _COLUMNS = [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]


@dataclass(frozen=True, eq=False)
class Patches:
    """Faces of a mesh: which of them are curved, and how far the others are from flat.

    Attributes
    ----------
    points : ndarray, shape (V, 3)
        All nodes.
    half_unit : float
        How far a coordinate may be off as written.
    """

    points: Array
    half_unit: float

    def straightened(self, faces: Sequence[Faces]) -> list[Faces]:
        """Faces without the nodes in the middle of straight sides, where all are straight."""
        found: list[Faces] = []
        for f in faces:
            n = f.kind.corners
            if f.kind.size == n:
                found.append(f)
                continue
            bent = np.zeros(len(f.nodes), bool)
            for a, b, middle in edges_of(f):
                bent |= self._bends(a, b, middle)
            if f.kind.size > 2 * n:
                centre = self.points[f.nodes[:, -1]] - self.points[f.nodes[:, :n]].mean(axis=1)
                bent |= np.abs(centre).max(axis=1, initial=0.0) > _ROUNDINGS * self.half_unit
            plain = replace(f[~bent], kind=KINDS[f.kind.shape])
            found += [f[bent], replace(plain, nodes=plain.nodes[:, :n])]
        return [f for f in found if len(f.nodes)]

    def _bends(self, a: Integers, b: Integers, middle: Integers) -> NDArray[np.bool_]:
        off = self.points[middle] - (self.points[a] + self.points[b]) / 2
        found: NDArray[np.bool_] = np.abs(off).max(axis=1, initial=0.0) > _ROUNDINGS * self.half_unit
        return found

    def is_curved(self, faces: Sequence[Faces]) -> bool:
        """Whether a face of several straightened ones is no polygon in a plane."""
        return any(f.kind.name != "triangle" and self.warp(f) > _ROUNDINGS * self.half_unit for f in faces)

    def warp(self, faces: Faces) -> float:
        """The largest distance of the middle of a face from the triangles that it is cut into; infinite if a side is curved."""
        if faces.kind.size > faces.kind.corners:
            return np.inf
        if faces.kind.name == "triangle":
            return 0.0
        a, b, c, d = np.moveaxis(self.points[faces.nodes], 1, 0)
        normal, twist = np.cross(c - a, d - b), a - b + c - d
        size = np.sqrt((normal * normal).sum(axis=-1))
        with np.errstate(invalid="ignore", divide="ignore"):
            off = np.abs((normal * twist).sum(axis=-1)) / (4 * size)
        return float(np.where(size > 0, off, np.sqrt((twist * twist).sum(axis=-1)) / 4).max(initial=0.0))

    def flat_triangles(self, faces: Sequence[Faces]) -> Integers:
        """Flat faces as triangles, shape (n, 3); quadrilaterals are cut at their node of the smallest number."""
        found = []
        for f in faces:
            n, nodes = f.kind.corners, f.nodes
            first = nodes.argmin(axis=1)[:, np.newaxis] if n > 3 else np.zeros((len(nodes), 1), np.int64)
            nodes = np.take_along_axis(nodes, (first + np.arange(n)) % n, axis=1)
            found += [nodes[:, [0, i, i + 1]] for i in range(1, n - 1)]
        return np.concatenate(found) if found else np.empty((0, 3), np.int64)

    def triangles_near(self, faces: Sequence[Faces]) -> tuple[Array, Integers, float]:
        """Points, shape (P, 3), triangles between them, and how far these are from the faces."""
        curved = any(f.kind.size > f.kind.corners for f in faces)
        count, k = sum(len(f.nodes) for f in faces), _CURVED if curved else _WARPED
        while k > 1 and 2 * k * k * count > _MOST:
            k //= 2
        sides = [np.concatenate(some) for some in zip(*(e for f in faces for e in edges_of(f)), strict=True)]
        added, edge_ids = self._cut_sides(sides, k)
        points, triangles, off = [self.points, added], [], 0.0
        start, edge = len(self.points) + len(added), 0
        for f in faces:
            n, m = f.kind.corners, len(f.nodes)
            lattice, cells, inside = _lattice(f.kind.shape, k)
            of_edges = edge_ids[edge : edge + n * m].reshape(n, m, k - 1)
            edge += n * m
            numbers = start + np.arange(m * len(inside)).reshape(m, -1)
            start += m * len(inside)
            local = np.concatenate([f.nodes[:, :n], *of_edges, numbers], axis=1)
            triangles.append(local[:, cells].reshape(-1, 3))
            points.append(self._at(f, lattice[inside]).reshape(-1, 3))
            off = max(off, self._deviation(f, lattice, cells))
        return np.concatenate(points), np.concatenate(triangles), off

    def _cut_sides(self, sides: Sequence[Integers], k: int) -> tuple[Array, Integers]:
        """Points that cut the sides into k parts, and their numbers in the sense of each side: a side has them once for all its faces."""
        a, b, middle = sides
        bent = (middle >= 0) & self._bends(a, b, middle)
        ends = np.sort(np.column_stack([a, b]), axis=1)
        keys, place = _unique_rows(np.column_stack([ends, np.where(bent, middle, -1)]))
        low, high, mid = (self.points[keys[:, i]][:, np.newaxis] for i in range(3))
        t = (np.arange(1, k) / k)[:, np.newaxis]
        straight = low + (high - low) * t
        bow = (mid - (low + high) / 2) * (4 * t * (1 - t))
        added = straight + np.where((keys[:, 2] >= 0)[:, np.newaxis, np.newaxis], bow, 0.0)
        numbers = len(self.points) + place[:, np.newaxis] * (k - 1) + np.arange(k - 1)
        return added.reshape(-1, 3), np.where((a > b)[:, np.newaxis], numbers[:, ::-1], numbers)

    def _at(self, f: Faces, at: Array) -> Array:
        """Points of the faces at parameters, shape (q, 2) → (n, q, 3)."""
        found: Array = np.einsum("qk,nkx->nqx", f.kind.functions(at), self.points[f.nodes])
        return found

    def _deviation(self, f: Faces, lattice: Array, cells: Integers) -> float:
        """The largest distance of the faces from the triangles of their lattice, at the middles of these and of their sides."""
        weights = np.array([[1, 1, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1]]) / [[3], [2], [2], [2]]
        shares: Array = np.zeros((len(cells), 4, len(lattice)))
        for i, cell in enumerate(cells):
            shares[i][:, cell] = weights
        shares = shares.reshape(-1, len(lattice))
        functions, nodes = f.kind.functions(shares @ lattice) - shares @ f.kind.functions(lattice), f.nodes
        most = 0.0
        for start in range(0, len(nodes), _SOME):
            off = np.einsum("qk,nkx->nqx", functions, self.points[nodes[start : start + _SOME]])
            most = max(most, float((off * off).sum(axis=-1).max(initial=0.0)))
        return float(np.sqrt(most))

    def exact_solid(self, faces: Sequence[Faces], deviation: float) -> ExactSolid:
        """The integrals over the solid inside the faces, with what rounding can have done to them."""
        used = np.unique(np.concatenate([f.nodes.ravel() for f in faces]))
        bounds = np.array([self.points[used].min(axis=0), self.points[used].max(axis=0)])
        reference = bounds.mean(axis=0)
        sums, finer = np.zeros(20), np.zeros(20)
        for f in faces:
            sums += self._sums(f, reference, _GAUSS)
            finer += self._sums(f, reference, _FINER)
        reach = np.abs(bounds - reference).max(axis=0)
        solid, sheet = (_moments(s, reference) for s in (sums[:10], finer[10:]))
        rounding = 64 * U * (float(np.abs(bounds).max()) + length(reach)) * sheet.measure
        far = np.outer(reach, reach)
        off_area, of_first = float(abs(sums[10] - finer[10])) + rounding, np.abs(sums[11:14] - finer[11:14])
        of_second = np.abs(_moments(sums[10:] - finer[10:], reference).second)
        with np.errstate(divide="ignore", invalid="ignore"):  # of an open surface, which is refused
            sources = {
                "arithmetic": Spread.from_moments(solid, rounding, rounding * reach, rounding * far),
                "resolution": displacement(solid, sheet, np.sqrt(3) * self.half_unit),
            }
        sheet_error = Spread.from_moments(sheet, off_area, of_first + rounding * reach, of_second + rounding * far)
        return ExactSolid(
            solid,
            sheet.measure,
            bounds,
            sources,
            deviation,
            area_error=off_area,
            sheet=sheet,
            sheet_error=sheet_error,
        )

    def sheet(self, faces: Faces) -> Moments:
        """Integrals over faces as a sheet without thickness."""
        reference = self.points[faces.nodes[0, 0]]
        return _moments(self._sums(faces, reference, _FINER)[10:], reference)

    def _sums(self, f: Faces, reference: Array, n: int) -> Array:
        """∫ 1, x, xx xy xz yy yz zz over the solid inside the faces, then over these, about the reference."""
        at, weights = f.kind.rule(n)
        functions, slopes, total = f.kind.functions(at), f.kind.slopes(at), np.zeros(20)
        for start in range(0, len(f.nodes), _SOME):
            nodes = self.points[f.nodes[start : start + _SOME]] - reference
            arm = np.einsum("qk,nkx->nqx", functions, nodes)
            normal = np.cross(*np.einsum("dqk,nkx->dnqx", slopes, nodes))
            cone = (normal * arm).sum(axis=-1) * weights
            area = np.sqrt((normal * normal).sum(axis=-1)) * weights
            x = np.ascontiguousarray(arm.reshape(-1, 3).T)
            terms = np.concatenate([np.ones_like(x[:1]), x, x[_ROWS] * x[_COLUMNS]])
            degrees = np.array([3] + 3 * [4] + 6 * [5])
            # not a dot product: a sum in pairs is the same on all processors
            of_solid, of_sheet = ((terms * weight.ravel()).sum(axis=1) for weight in (cone, area))
            total += np.concatenate([of_solid / degrees, of_sheet])
        return total


def _moments(sums: Array, reference: Array) -> Moments:
    return Moments(float(sums[0]), sums[1:4], sums[4:][[[0, 1, 2], [1, 3, 4], [2, 4, 5]]], reference)


def _unique_rows(rows: Integers) -> tuple[Integers, Integers]:
    """The different rows, and the number of each row among them."""
    order = np.lexsort(rows.T[::-1])
    new = np.concatenate([[True], (np.diff(rows[order], axis=0) != 0).any(axis=1)])
    place = np.empty(len(rows), np.int64)
    place[order] = np.cumsum(new) - 1
    return rows[order[new]], place


@cache
def _lattice(shape: str, k: int) -> tuple[Array, Integers, Integers]:
    """A face cut into k parts along each side: parameters of the points (corners, points of each side, others), triangles between
    them, and the numbers of the others.
    """
    kind, whole = KINDS[shape], [(i, j) for i in range(k + 1) for j in range(k + 1)]
    if shape == "triangle":
        whole = [(i, j) for i, j in whole if i + j <= k]
        corners = [(0, 0), (k, 0), (0, k)]
    else:
        corners = [(0, 0), (k, 0), (k, k), (0, k)]
    around = zip(corners, (*corners[1:], corners[0]), strict=True)
    sides = [(a + (c - a) * i // k, b + (d - b) * i // k) for (a, b), (c, d) in around for i in range(1, k)]
    order = [*corners, *sides, *(p for p in whole if p not in {*corners, *sides})]
    number = {p: i for i, p in enumerate(order)}
    cells = []
    for i, j in whole:
        a, b, c, d = (number.get(p) for p in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)))
        if None not in (a, b, c, d):
            cells += [(a, b, c), (a, c, d)] if shape == "quad" else [(a, b, d), (b, c, d)]
        elif None not in (a, b, d):
            cells.append((a, b, d))
    at = np.array(order) / k
    others = np.arange(kind.corners * k, len(order))
    return 2 * at - 1 if shape == "quad" else at, np.array(cells), others

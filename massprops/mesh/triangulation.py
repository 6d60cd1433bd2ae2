"""Faces with any number of corners, cut into triangles that cover each face exactly once.

A cut is certified rather than trusted. The triangles of a face together have the boundary of the face, whatever the cut, so
the sum of their signed shadows on any plane is the face's winding number there. Where no triangle is turned against the face
and the face does not cross itself, that sum of non-negative parts is 1 inside and 0 outside: the cover is exact.
So a fan is good as soon as every triangle of it looks the way the face does; only faces without such a fan need ears.

The direction of a face is its Newell normal, the sum of its area vectors. Corners are never dropped or merged: every edge
of the file stays an edge of a triangle, and every diagonal appears once each way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from massprops.errors import ReadError
from massprops.findings import BentFaces, Finding, count_finding
from massprops.mesh.coordinate_resolution import of_text
from massprops.mesh.ear_clipping import PlaneRing
from massprops.mesh.source import Array
from massprops.wording import plural

Indices = NDArray[np.integer]
Doubles = NDArray[np.float64]
#: Where a face of this number is, counted from 0, as messages begin: ``file:12: face``.
Place = Callable[[int], str]

#: Corners handled at a time: their coordinates stay in the processor's cache.
_CORNERS = 1 << 14
#: A corner from which a fan is tried, counted from the face's first corner in space. Two reach both diagonals of a quad.
_APEXES = 4
#: Signs are taken from doubles only where they exceed 32 roundings of the largest product: a generous bound of the six
#: subtractions, nine products and five sums that lie behind them.
_SIGN_MARGIN = 32 * 2.0**-53
#: 2 to the power of one more is no double.
_LARGEST_SCALE = 1023
#: Vertices that tell how many digits a text states.
_SAMPLED = 4096
#: A plane through corners that are each off by a rounding is missed by their sum, at most.
_ROUNDINGS = 4
#: Corners of a face, and concave or straight ones, up to which ears are cut where no fan is good: the time is their product.
LARGEST, MOST_CONCAVE = 10_000, 1000
#: Most products of the two, in all such faces of a mesh together; each face counts `_FACE` besides.
_MOST_PRODUCTS, _FACE = LARGEST * MOST_CONCAVE, 100
_CUT = "corners and is not star-shaped, and such faces are cut up to "
#: Corners of any face.
MOST_CORNERS = 500_000
#: A fraction of the box's volume that nobody should leave to the choice of diagonals.
_NOTABLE = 1e-3


@dataclass(frozen=True)
class Polygons:
    """Faces as corners, at least three each, every index valid.

    Attributes
    ----------
    corners : ndarray of int
        Shape (F, k) where all faces have k corners, else the corners of all faces in a row.
    counts : ndarray of int, shape (F,), or None
        Corners of each face, in the latter case.
    """

    corners: Indices
    counts: Indices | None = None

    @classmethod
    def of_sizes(cls, corners: Indices, counts: Indices) -> Self:
        """Polygons from the corners of all faces in a row, one face at least, and how many each has."""
        same = counts[0] and (counts == counts[0]).all()
        return cls(corners.reshape(len(counts), -1)) if same else cls(corners, counts)

    def groups(self) -> Iterator[tuple[Indices, Indices]]:
        """Faces of equal size: their numbers, shape (m,), and their corners, shape (m, k)."""
        if self.counts is None:
            yield np.arange(len(self.corners)), self.corners
            return
        first = np.cumsum(self.counts) - self.counts
        for size in np.unique(self.counts):
            faces = np.flatnonzero(self.counts == size)
            yield faces, self.corners[first[faces, None] + np.arange(size)]

    def without_thin(self) -> tuple[Self, Sequence[int] | Indices, list[Finding]]:
        """The faces of three corners or more, their numbers, and a finding if there are others: those bound nothing."""
        if self.counts is None and self.corners.shape[1] >= 3:
            return self, range(len(self.corners)), []
        sizes = self.sizes
        good = sizes >= 3
        kept = np.flatnonzero(good)
        if len(kept) == len(sizes):
            return self, kept, []
        left = len(sizes) - len(kept)
        what = f"{plural(left, 'face')} of fewer than 3 vertices left out: such faces bound nothing"
        finding = Finding("skipped-elements", "info", what, value=float(left))
        return type(self)(self.corners.reshape(-1)[np.repeat(good, sizes)], sizes[good]), kept, [finding]

    @property
    def sizes(self) -> Indices:
        """Corners of each face, shape (F,)."""
        return np.full(len(self.corners), self.corners.shape[1]) if self.counts is None else self.counts


def rounding(vertices: Array, *, text: bool) -> float:
    """Rounding that moves a corner off its plane: half a unit of the last digit that the file states."""
    size = float(max(vertices.max(initial=0), -vertices.min(initial=0)))
    if size == 0:
        return 0.0
    return of_text(vertices[:_SAMPLED], size).half_unit if text else size * float(np.finfo(vertices.dtype).eps) / 2


def triangulate(vertices: Array, polygons: Polygons, resolution: float, place: Place) -> tuple[Indices, list[Finding]]:
    """Triangles of faces, in the order of the faces.

    The cut of a face depends on where its corners lie, not on which the list begins with. Triangles come back as they are.

    Parameters
    ----------
    vertices : ndarray, shape (V, 3)
        Finite.
    polygons : Polygons
        Faces of these vertices.
    resolution : float
        How far rounding may have moved a coordinate; see `rounding`.
    place : callable
        Where a face is, for messages.

    Returns
    -------
    triangles : ndarray of int, shape (T, 3)
        Σ (corners − 2) of them.
    findings : list of Finding
        ``non-planar-faces`` (`BentFaces`): `value` is the largest change of the volume, in cubed units of the file, that other
        diagonals could make. The two cuts of a quad enclose a tetrahedron, and between two covers of a face of more corners
        lies at most its area times its thickness.
        ``self-intersecting-faces``: no cut covers such a face once; the signed sum of the triangles is still its own.

    Raises
    ------
    ReadError
        Code ``large-face``: a face of more than `MOST_CORNERS`; of more than `LARGEST` corners, or `MOST_CONCAVE` concave or straight
        ones, that no fan covers; or too many of those together.
    """
    if polygons.counts is None and polygons.corners.shape[1] == 3:
        return polygons.corners, []
    first = np.cumsum(polygons.sizes - 2) - (polygons.sizes - 2)
    triangles = np.empty((int((polygons.sizes - 2).sum()), 3), dtype=np.int64)
    survey = _Survey(resolution)
    # A power of two changes no digit, and with it the products of any coordinates stay in range.
    scale = min(-int(np.frexp(np.abs(vertices).max(initial=0))[1]), _LARGEST_SCALE)
    largest = int(polygons.sizes.argmax())
    if polygons.sizes[largest] > MOST_CORNERS:
        raise _large(place, largest, f"has {polygons.sizes[largest]:,} corners, more than {MOST_CORNERS:,}")
    for faces, corners in polygons.groups():
        size = corners.shape[1]
        step = max(1, _CORNERS // size)
        for start in range(0, len(faces), step):
            part = slice(start, start + step)
            cut = _cut(vertices, corners[part], scale, survey, faces[part], place)
            if polygons.counts is None:
                triangles[start * (size - 2) :][: cut.size // 3] = cut.reshape(-1, 3)
            else:
                triangles[first[faces[part], None] + np.arange(size - 2)] = cut
    return triangles, survey.findings(vertices)


def _cut(vertices: Array, corners: Indices, scale: int, survey: _Survey, numbers: Indices, place: Place) -> Indices:
    """Triangles of faces of one size k: (m, k) → (m, k − 2, 3); `numbers`: of the faces, for messages."""
    if corners.shape[1] == 3:
        return corners[:, None]
    points = _points(vertices, corners, scale)
    start = _lowest_corner(points)
    points = _starting_at(points, start)
    fan = _Fan.over(points)
    apex = np.where(fan.looks_one_way(), 0, -1)
    left = np.flatnonzero(apex < 0)
    if len(left):
        apex[left] = _fan_apex(points[:, :, left])
    survey.planarity(fan, apex, scale)
    triangles = _fan(corners, start + np.maximum(apex, 0))
    for face in map(int, np.flatnonzero(apex < 0)):
        order = np.roll(corners[face], -start[face])
        if len(order) > LARGEST:
            raise _large(place, numbers[face], f"has {len(order)} {_CUT}{LARGEST} corners")
        ring = PlaneRing(vertices[order].astype(np.float64))
        if len(ring.concave) > MOST_CONCAVE:
            most = f"{MOST_CONCAVE} concave or straight ones, not {len(ring.concave)}"
            raise _large(place, numbers[face], f"has {len(order)} {_CUT}{most}")
        survey.products += _FACE + len(order) * len(ring.concave)
        if survey.products > _MOST_PRODUCTS:
            what = f"is the last of many that are not star-shaped: corners times concave ones exceed {_MOST_PRODUCTS:,}"
            raise _large(place, numbers[face], what)
        ears = list(ring.cut())
        triangles[face] = order[ears]
        turned = vertices[order[[t for t in ears if ring.is_turned(t)]]]
        survey.overlap(turned.astype(np.float64), points[:, :, face], scale)
    return triangles


def _large(place: Place, face: int, what: str) -> ReadError:
    return ReadError(f"{place(int(face))} {what}", code="large-face", hint="export the mesh in triangles")


def _points(vertices: Array, corners: Indices, scale: int) -> Doubles:
    """Coordinates of corners as (3, k, m) doubles: sums run along memory."""
    count, size = corners.shape
    points = np.empty((3, size, count))
    rows = vertices.take(corners.T.reshape(-1), axis=0)
    np.multiply(rows.T.reshape(3, size, count), np.ldexp(1.0, scale), out=points, dtype=np.float64)
    return points


def _starting_at(points: Doubles, start: Indices) -> Doubles:
    """Corners of each face from number `start` on."""
    _, size, count = points.shape
    place = (start + np.arange(size)[:, None]) % size * count + np.arange(count)
    turned: Doubles = points.reshape(3, -1).take(place, axis=1)
    return turned


def _lowest_corner(points: Doubles) -> Indices:
    """The corner with the least x, of these the least y, then z: a start that does not depend on the list's. Shape (m,)."""
    lowest: NDArray[np.bool_] = points[0] == points[0].min(axis=0)
    for axis in (1, 2):
        rest = np.where(lowest, points[axis], np.inf)
        lowest = rest == rest.min(axis=0)
    start: Indices = lowest.argmax(axis=0)
    return start


@dataclass(frozen=True)
class _Fan:
    """The triangles from the first corner of each face.

    Attributes
    ----------
    spokes : ndarray, shape (3, k − 1, m)
        From the first corner to each other.
    areas : ndarray, shape (3, k − 2, m)
        Twice the area vectors of the triangles.
    normal : ndarray, shape (3, m)
        Their sums: twice the area vectors of the faces.
    length : ndarray, shape (m,)
        Of the normals.
    """

    spokes: Doubles
    areas: Doubles
    normal: Doubles
    length: Doubles

    @classmethod
    def over(cls, points: Doubles) -> Self:
        spokes = points[:, 1:] - points[:, :1]
        (x, y, z), (u, v, w) = spokes[:, :-1], spokes[:, 1:]
        areas = np.empty((3, points.shape[1] - 2, points.shape[2]))
        for axis, (a, b, c, d) in enumerate([(y, w, z, v), (z, u, x, w), (x, v, y, u)]):
            np.subtract(a * b, c * d, out=areas[axis])
        normal = areas.sum(axis=1)
        return cls(spokes, areas, normal, np.sqrt(_dot(normal, normal)))

    def looks_one_way(self, repeats: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Whether every triangle certainly looks along the face's normal, or is one of those that repeat a corner. Shape (m,)."""
        longest = _dot(self.spokes, self.spokes).max(axis=0)
        certain = _dot(self.areas, self.normal[:, None]) > _SIGN_MARGIN * longest * self.length
        if repeats is not None:
            certain |= repeats
        good: NDArray[np.bool_] = np.logical_and.reduce(certain, axis=0)
        return good

    def other_covers(self, thickness: Doubles, apex: Indices) -> tuple[Doubles, Doubles]:
        """The least and the most volume that another cover of each face would add to that of its fan from `apex`. Shape (m,).

        The two cuts of a quad enclose a tetrahedron. Between two covers of other faces lies at most their area times their thickness.
        """
        if self.spokes.shape[1] > 3:
            volume = self.length / 2 * thickness
            return -volume, volume
        volume = _dot(self.spokes[:, 0], self.areas[:, 1]) / 6  # what the cut from the second corner adds
        added = np.where(apex % 2 == 0, volume, -volume)
        low, high = np.minimum(added, 0.0), np.maximum(added, 0.0)
        unknown = apex < 0
        return np.where(unknown, -np.abs(volume), low), np.where(unknown, np.abs(volume), high)

    def thickness(self) -> Doubles:
        """Distance between the two planes across the normal that hold the corners; 0 where there is no normal. Shape (m,)."""
        height = _dot(self.spokes, self.normal[:, None])
        thickness = height.max(axis=0, initial=0) - height.min(axis=0, initial=0)
        relative: Doubles = np.divide(thickness, self.length, out=np.zeros_like(thickness), where=self.length > 0)
        return relative


def _dot(a: Doubles, b: Doubles) -> Doubles:
    product: Doubles = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


def _repeats(ring: Doubles) -> NDArray[np.bool_]:
    """Whether triangles of the fan from the first corner have two corners in one place. Shape (k − 2, m)."""
    apex, second, third = ring[:, :1], ring[:, 1:-1], ring[:, 2:]
    pairs = ((apex, second), (second, third), (third, apex))
    repeats: NDArray[np.bool_] = np.logical_or.reduce([(a == b).all(axis=0) for a, b in pairs])
    return repeats


def _fan_apex(points: Doubles) -> Indices:
    """The first corner from which a fan covers the face once, −1 where none is certain. Shape (m,).

    Fans of proper triangles come first; a second round takes triangles with a repeated corner too.
    """
    apex = np.full(points.shape[2], -1)
    for proper in (True, False):
        for corner in range(min(_APEXES, points.shape[1])):
            left = np.flatnonzero(apex < 0)
            if len(left):
                ring = np.roll(points[:, :, left], -corner, axis=1)
                apex[left[_Fan.over(ring).looks_one_way(None if proper else _repeats(ring))]] = corner
    return apex


def _fan(corners: Indices, apex: Indices) -> Indices:
    """Triangles of fans from some corners, whose numbers may go round once more: (m, k) → (m, k − 2, 3)."""
    count, size = corners.shape
    places = (apex[:, None] + np.arange(size)) % size + np.arange(0, count * size, size)[:, None]
    ring = corners.reshape(-1).take(places)
    triangles = np.empty((count, size - 2, 3), dtype=np.int64)
    triangles[:, :, 0], triangles[:, :, 1], triangles[:, :, 2] = ring[:, :1], ring[:, 1:-1], ring[:, 2:]
    return triangles


class _Survey:
    """Remarks on the faces that were cut; lengths in units of the file."""

    def __init__(self, resolution: float) -> None:
        self.resolution = resolution
        self.faces = self.bent = self.crossing = self.products = 0
        self.thickness = self.less = self.more = 0.0

    def planarity(self, fan: _Fan, apex: Indices, scale: int) -> None:
        """Adds faces whose corners leave a plane by more than rounding, cut into fans from `apex` (−1: in some other way)."""
        thickness = fan.thickness()
        # Both sides in units of the file, where the left one may overflow with coordinates near 1e308.
        bent = np.flatnonzero(thickness > np.ldexp(_ROUNDINGS * self.resolution, scale))
        self.faces += len(thickness)
        if not len(bent):
            return
        low, high = fan.other_covers(thickness, apex)
        with np.errstate(over="ignore"):
            self.less -= float(np.ldexp(low[bent], -3 * scale).sum())
            self.more += float(np.ldexp(high[bent], -3 * scale).sum())
            self.thickness = max(self.thickness, float(np.ldexp(thickness[bent].max(), -scale)))
        self.bent += len(bent)

    def overlap(self, turned: Doubles, points: Doubles, scale: int) -> None:
        """Adds a face with the triangles, shape (n, 3, 3), that had to be turned against it: none, if they cover it once."""
        if not turned.size:
            return
        sides = np.sqrt(((points - np.roll(points, 1, axis=1)) ** 2).sum(axis=0))
        with np.errstate(over="ignore", invalid="ignore"):  # of coordinates near 1e308
            areas = np.cross(turned[:, 1] - turned[:, 0], turned[:, 2] - turned[:, 0])
            area = np.sqrt((areas * areas).sum(axis=1)).sum() / 2
            self.crossing += bool(area > _ROUNDINGS * self.resolution * np.ldexp(sides.sum(), -scale))

    def findings(self, vertices: Array) -> list[Finding]:
        """`non-planar-faces` and `self-intersecting-faces`, where there are any."""
        crossing = (
            f"{self.crossing} of {self.faces} faces with more than three corners cross themselves: their triangles overlap,"
            " so areas count twice there, and volumes with their sign"
        )
        bent = [self._bent(vertices)] if self.bent else []
        return [*bent, *count_finding(int(self.crossing), "self-intersecting-faces", "warning", crossing)]

    def _bent(self, vertices: Array) -> Finding:
        with np.errstate(over="ignore"):
            box = float(np.prod(np.ptp(vertices.astype(np.float64), axis=0)))
        volume = max(self.less, self.more)
        return BentFaces(
            "non-planar-faces",
            "warning" if volume > _NOTABLE * box else "info",
            f"{self.bent} of {self.faces} faces with more than three corners are not flat (by up to {self.thickness:.3g} in the"
            " file's units): the volume depends on how they are cut into triangles",
            value=volume if np.isfinite(volume) else None,
            change=(-self.less, self.more),
        )

"""Right answers that share no code with the program, and bodies to ask for them.

Answers are `fractions.Fraction`, from the coordinates taken as the rationals that they are: a comparison with them has
the program's error in it and none of the oracle's. There are several ways to the same answer, and `test_oracles.py`
plays them off against each other:

- `exact_moments`: simplices over the origin, monomials over the unit simplex integrate to a! b! c! / (a + b + c + 3)!
- `lee_moments`, `lee_polygon_moments`: the surface and edge sums of Lee (2011), misprints corrected
- `polycube`: moments by adding cubes, facets by walking their boundary
- `box_form` … `torus_form`: textbook closed forms

Bodies are arrays of triangles, shape (n, 3, 3): facet, corner, xyz; wound outward unless their name says
otherwise. Equal corners have equal bits, so their surfaces are closed without any merging.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])

Triangles = NDArray[np.float64]
Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]


# --- values ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExactMoments:
    """∫1, ∫x, ∫x xᵀ about the origin, of a solid (three dimensions) or a polygon (two)."""

    measure: Fraction
    first: Vector
    second: Matrix

    @property
    def volume(self) -> Fraction:
        return self.measure

    @property
    def area(self) -> Fraction:
        return self.measure

    def __add__(self, other: ExactMoments) -> ExactMoments:
        return self._combined(other, 1)

    def __sub__(self, other: ExactMoments) -> ExactMoments:
        return self._combined(other, -1)

    def __neg__(self) -> ExactMoments:
        return self - self - self

    def __rmul__(self, density: Any) -> ExactMoments:
        factor = rational(density)
        second = tuple(tuple(factor * x for x in row) for row in self.second)
        return ExactMoments(factor * self.measure, tuple(factor * x for x in self.first), second)

    def _combined(self, other: ExactMoments, sign: int) -> ExactMoments:
        def add(a: Vector, b: Vector) -> Vector:
            return tuple(x + sign * y for x, y in zip(a, b, strict=True))

        second = tuple(add(a, b) for a, b in zip(self.second, other.second, strict=True))
        return ExactMoments(self.measure + sign * other.measure, add(self.first, other.first), second)


@dataclass(frozen=True)
class ExactBody:
    """A solid of unit density: volume, centroid, and the inertia tensor about the centroid (Ixy = −∫xy)."""

    volume: Fraction
    centroid: Vector
    inertia: Matrix


def rational(number: Any) -> Fraction:
    """A coordinate as the rational that it is; NumPy scalars of any width included."""
    return Fraction(number.item() if isinstance(number, np.generic) else number)


def floats(values: Any) -> Any:
    """Nested tuples of rationals as an array, each entry correctly rounded."""
    if isinstance(values, Fraction):
        return float(values)
    return np.array([floats(value) for value in values])


def centroid(moments: ExactMoments) -> Vector:
    return tuple(first / moments.measure for first in moments.first)


def central_second(moments: ExactMoments) -> Matrix:
    """∫(x − c)(x − c)ᵀ about the centroid c, in any dimension."""
    c, first, second = centroid(moments), moments.first, moments.second
    n = range(len(c))
    return tuple(tuple(second[i][j] - c[i] * first[j] for j in n) for i in n)


def inertia_of(second: Matrix) -> Matrix:
    """The tensor Ixx = ∫y² + ∫z², Ixy = −∫xy of a second moment, about the same point."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = second
    return (yy + zz, -xy, -xz), (-xy, xx + zz, -yz), (-xz, -yz, xx + yy)


def central(moments: ExactMoments) -> ExactBody:
    return ExactBody(moments.measure, centroid(moments), inertia_of(central_second(moments)))


def exact_body(triangles: Iterable[Any]) -> ExactBody:
    return central(exact_moments(triangles))


# --- sums over simplices with the origin -----------------------------------------------------------------------------


def simplex_monomial(*powers: int) -> Fraction:
    """∫ u^a v^b … over the unit simplex {u, v, … ≥ 0, u + v + … ≤ 1} of as many dimensions as powers."""
    return Fraction(math.prod(map(math.factorial, powers)), math.factorial(sum(powers) + len(powers)))


def exact_moments(facets: Iterable[Any]) -> ExactMoments:
    """Moments of the body inside triangles (or, in the plane, directed edges), about the origin.

    Each facet spans a signed simplex with the origin, the image of the unit simplex under u ↦ Σ uₖ pₖ.
    Coordinates are brought to a common denominator first: integers are many times faster than fractions.
    """
    points, scale = _over_common_denominator(facets)
    n = points.shape[1]
    axes = range(n)
    det = np.array(determinant([[points[:, k, i] for i in axes] for k in axes]))
    same, different = _monomial_of_pair(n, 0, 0), _monomial_of_pair(n, 0, 1)
    sums = points.sum(axis=1)
    unit, linear = simplex_monomial(*[0] * n), simplex_monomial(1, *[0] * (n - 1))
    quadratic = Fraction(1, math.factorial(n + 2))

    def second(i: int, j: int) -> int:
        pairs = different * sums[:, i] * sums[:, j]
        return int((det * (pairs + (same - different) * (points[:, :, i] * points[:, :, j]).sum(axis=1))).sum())

    entries = {(i, j): second(i, j) * quadratic / scale ** (n + 2) for i in axes for j in axes[i:]}
    return ExactMoments(
        int(det.sum()) * unit / scale**n,
        tuple(int((det * sums[:, i]).sum()) * linear / scale ** (n + 1) for i in axes),
        tuple(tuple(entries[min(i, j), max(i, j)] for j in axes) for i in axes),
    )


def _monomial_of_pair(n: int, k: int, m: int) -> int:
    """(n + 2)! ∫ uₖ uₘ over the unit simplex: a whole number."""
    powers = [(axis == k) + (axis == m) for axis in range(n)]
    return int(math.factorial(n + 2) * simplex_monomial(*powers))


def _over_common_denominator(facets: Iterable[Any]) -> tuple[NDArray[np.object_], int]:
    """Python's own integers, in an array of objects, and what they are to be divided by."""
    given = np.array(facets if isinstance(facets, np.ndarray) else list(facets), dtype=object)
    ratios = [rational(x).as_integer_ratio() if isinstance(x, np.generic) else x.as_integer_ratio() for x in given.flat]
    scale = math.lcm(*{denominator for _, denominator in ratios})
    whole = np.empty(len(ratios), dtype=object)
    whole[:] = [numerator * (scale // denominator) for numerator, denominator in ratios]
    return whole.reshape(given.shape), scale


def determinant(rows: Sequence[Sequence[Any]]) -> Any:
    """Laplace's expansion along the first row."""
    if len(rows) == 1:
        return rows[0][0]
    minors = ([[*row[:j], *row[j + 1 :]] for row in rows[1:]] for j in range(len(rows)))
    return sum((-1) ** j * rows[0][j] * determinant(minor) for j, minor in enumerate(minors))


# --- Lee's sums ------------------------------------------------------------------------------------------------------


def lee_moments(triangles: Iterable[Any]) -> ExactMoments:
    """Lee (2011), section 2: surface sums with the normal N = (p₁ − p₀) × (p₂ − p₀), about the origin."""
    volume, first, second = Fraction(0), [Fraction(0)] * 3, [[Fraction(0)] * 3 for _ in range(3)]
    for triangle in triangles:
        corners = [[rational(x) for x in point] for point in triangle]
        columns = list(zip(*corners, strict=True))
        normal = _normal(*corners)
        volume += sum(columns[0]) * normal[0] / 6
        for i in range(3):
            j = (i + 1) % 3
            first[i] += _lee_quadratic(*columns[i]) * normal[i] / 24
            second[i][i] += _lee_cubic(*columns[i]) * normal[i] / 60
            second[i][j] += _lee_mixed(columns[i], columns[j]) * normal[i] / 120
    xy, yz, zx = second[0][1], second[1][2], second[2][0]
    xx, yy, zz = (second[i][i] for i in range(3))
    return ExactMoments(volume, tuple(first), ((xx, xy, zx), (xy, yy, yz), (zx, yz, zz)))


def _normal(p0: list[Fraction], p1: list[Fraction], p2: list[Fraction]) -> Vector:
    a, b = ([q - p for p, q in zip(p0, other, strict=True)] for other in (p1, p2))
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _lee_quadratic(x0: Fraction, x1: Fraction, x2: Fraction) -> Fraction:
    return x0**2 + x0 * x1 + x1**2 + x2 * (x0 + x1 + x2)


def _lee_cubic(x0: Fraction, x1: Fraction, x2: Fraction) -> Fraction:
    return x0**3 + x0**2 * x1 + x0 * x1**2 + x1**3 + x2 * _lee_quadratic(x0, x1, x2)


def _lee_mixed(x: Vector, y: Vector) -> Fraction:
    g = [_lee_quadratic(*x) + xi * (sum(x) + xi) for xi in x]
    return sum((yi * gi for yi, gi in zip(y, g, strict=True)), Fraction(0))


def lee_polygon_moments(*rings: Iterable[Any]) -> ExactMoments:
    """Lee (2011), section 1: edge sums about the origin; counter-clockwise rings count, clockwise ones are holes.

    `second` is ((∫x², ∫xy), (∫xy, ∫y²)): the moment Ixx about the x axis is ∫y².
    """
    area = cx = cy = xx = yy = xy = 0  # of whole numbers: fractions take ten times as long
    whole, scale = _over_common_denominator(edges(*rings))
    for (x0, y0), (x1, y1) in whole.tolist():
        c = x0 * y1 - x1 * y0
        area += c
        cx += (x0 + x1) * c
        cy += (y0 + y1) * c
        xx += (x0**2 + x0 * x1 + x1**2) * c
        yy += (y0**2 + y0 * y1 + y1**2) * c
        xy += (2 * x0 * y0 + x0 * y1 + x1 * y0 + 2 * x1 * y1) * c
    center = (Fraction(cx, 6 * scale**3), Fraction(cy, 6 * scale**3))
    mixed = Fraction(xy, 24 * scale**4)
    second = ((Fraction(xx, 12 * scale**4), mixed), (mixed, Fraction(yy, 12 * scale**4)))
    return ExactMoments(Fraction(area, 2 * scale**2), center, second)


def edges(*rings: Iterable[Any]) -> list[tuple[Vector, Vector]]:
    """The directed edges of closed rings, whose first point is not repeated."""
    exact = [[tuple(rational(x) for x in point) for point in ring] for ring in rings]
    return [edge for ring in exact for edge in pairwise([*ring, ring[0]])]


def extruded_moments(section: ExactMoments, bottom: Any, top: Any) -> ExactMoments:
    """A polygon's moments swept along z from `bottom` to `top`: products of plane and line integrals."""
    low, high = rational(bottom), rational(top)
    length, linear, square = (Fraction(high**k - low**k, k) for k in (1, 2, 3))
    (x, y), ((xx, xy), (_, yy)) = section.first, section.second
    return ExactMoments(
        section.measure * length,
        (x * length, y * length, section.measure * linear),
        (
            (xx * length, xy * length, x * linear),
            (xy * length, yy * length, y * linear),
            (x * linear, y * linear, section.measure * square),
        ),
    )


# --- closed forms: (volume, centroid, diagonal of the central second moment) -----------------------------------------


@dataclass(frozen=True)
class ClosedForm:
    """Volume, centroid in the frame its function states, and ∫(x − c)(x − c)ᵀ, which is diagonal there."""

    volume: Any
    centroid: tuple[Any, Any, Any]
    second: tuple[Any, Any, Any]


def box_form(a: Fraction, b: Fraction, c: Fraction) -> ClosedForm:
    """Edges a, b, c along x, y, z, one corner at the origin; exact."""
    volume = Fraction(a) * b * c
    return ClosedForm(volume, (a / 2, b / 2, c / 2), (volume * a**2 / 12, volume * b**2 / 12, volume * c**2 / 12))


def sphere_form(r: float) -> ClosedForm:
    volume = 4 / 3 * math.pi * r**3
    return ClosedForm(volume, (0.0, 0.0, 0.0), (volume * r**2 / 5,) * 3)


def cylinder_form(r: float, h: float) -> ClosedForm:
    """Along z, centred at the origin."""
    volume = math.pi * r**2 * h
    return ClosedForm(volume, (0.0, 0.0, 0.0), (volume * r**2 / 4, volume * r**2 / 4, volume * h**2 / 12))


def cone_form(r: float, h: float) -> ClosedForm:
    """Along z, the base at z = 0, the apex at z = h."""
    volume = math.pi * r**2 * h / 3
    across = 3 / 20 * volume * r**2
    return ClosedForm(volume, (0.0, 0.0, h / 4), (across, across, 3 / 80 * volume * h**2))


def torus_form(ring: float, tube: float) -> ClosedForm:
    """Around z, centred at the origin; the tube's centre runs at radius `ring`."""
    volume = 2 * math.pi**2 * ring * tube**2
    across = volume * (ring**2 / 2 + 3 / 8 * tube**2)
    return ClosedForm(volume, (0.0, 0.0, 0.0), (across, across, volume * tube**2 / 4))


# --- bodies ----------------------------------------------------------------------------------------------------------

#: The first oracle: all six entries of its tensor differ, and no product is zero.
TETRAHEDRON = ((1, 2, 3), (7, -1, 2), (0, 5, -4), (3, 3, 9))
TETRAHEDRON_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
TETRAHEDRON_VOLUME = Fraction(181, 6)
TETRAHEDRON_PRODUCTS = (Fraction(15023, 480), Fraction(-1991, 80), Fraction(4163, 240))  # Ixy, Ixz, Iyz

#: The faces of a cube whose corners are counted in binary, x first; −x, +x, −y, +y, −z, +z.
CUBE_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def tetrahedron() -> Triangles:
    return np.array(TETRAHEDRON, dtype=float)[np.array(TETRAHEDRON_FACES)]


def box(lower: Sequence[Any] = (0, 0, 0), upper: Sequence[Any] = (1, 1, 1)) -> Triangles:
    """Twelve triangles of an axis-parallel box."""
    corners = np.array(list(product(*zip(lower, upper, strict=True))), dtype=float)
    return corners[np.array(split_quads(CUBE_QUADS))]


def box_obj(low: Sequence[Any], high: Sequence[Any], first: int = 0, before: str = "") -> str:
    """A box as OBJ below a line, in a file where `first` vertices stand before it."""
    corners = (f"v {x} {y} {z}" for x, y, z in product(*zip(low, high, strict=True)))
    faces = ("f " + " ".join(str(first + i + 1) for i in quad) for quad in CUBE_QUADS)
    return "\n".join([before, *corners, *faces, ""])


def split_quads(quads: Iterable[tuple[int, int, int, int]]) -> list[tuple[int, int, int]]:
    return [triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))]


def reversed_facets(triangles: Triangles) -> Triangles:
    return triangles[:, ::-1]


def mapped(triangles: ArrayLike, matrix: ArrayLike, offset: ArrayLike = (0, 0, 0)) -> Triangles:
    """A x + t, summed in one fixed order: equal corners stay equal to the last bit (a matrix product's need not)."""
    points, a = np.asarray(triangles, dtype=float), np.asarray(matrix, dtype=float)
    return sum(points[..., k, None] * a[:, k] for k in range(3)) + np.asarray(offset, dtype=float)


def rotation(w: int = 4, x: int = 1, y: int = -2, z: int = 3) -> Matrix:
    """An exactly orthogonal rational matrix, from a quaternion of whole numbers that need not be normalised."""
    n = w * w + x * x + y * y + z * z
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    return tuple(tuple(Fraction(entry, n) for entry in row) for row in rows)


def rotated(triangles: ArrayLike, quaternion: tuple[int, int, int, int] = (4, 1, -2, 3)) -> Triangles:
    return mapped(triangles, floats(rotation(*quaternion)))


def moved(triangles: ArrayLike, offset: ArrayLike) -> Triangles:
    return np.asarray(triangles, dtype=float) + np.asarray(offset, dtype=float)


def indexed(triangles: ArrayLike) -> tuple[Triangles, NDArray[np.int64]]:
    """The same body as vertices (V, 3) and faces (F, 3)."""
    vertices, faces = np.unique(np.asarray(triangles, dtype=float).reshape(-1, 3), axis=0, return_inverse=True)
    return vertices, faces.reshape(-1, 3).astype(np.int64)


def bounds_of(triangles: ArrayLike) -> Triangles:
    """Smallest and largest coordinates, shape (2, 3)."""
    corners = np.asarray(triangles, dtype=np.float64)
    return np.array([corners.min(axis=(0, 1)), corners.max(axis=(0, 1))])


def write_ascii_stl(path: Path, triangles: np.ndarray) -> Path:
    """Every coordinate with all its digits; the folder is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    facet = "facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n"
    corners = ("".join(f"vertex {x!r} {y!r} {z!r}\n" for x, y, z in t) for t in triangles.tolist())
    path.write_text("solid part\n" + "".join(map(facet.format, corners)) + "endsolid part\n", encoding="ascii")
    return path


def write_binary_stl(path: Path, triangles: ArrayLike) -> Path:
    """A file of these facets, in single precision."""
    corners = np.asarray(triangles)
    facets = np.zeros(len(corners), dtype=_STL_FACET)
    facets["corners"] = corners
    path.write_bytes(bytes(80) + len(facets).to_bytes(4, "little") + facets.tobytes())
    return path


def bumpy_torus(n: int = 12, m: int = 8) -> Triangles:
    """A ring of n × m quads without any symmetry, about 8 wide; closed, of genus 1, off the origin."""
    u, v = np.meshgrid(np.arange(n) * (2 * np.pi / n), np.arange(m) * (2 * np.pi / m), indexing="ij")
    tube = 1 + 0.25 * np.cos(3 * u + 1) + 0.15 * np.sin(2 * v + u)
    ring = 3 + 0.4 * np.sin(u + 0.5) + tube * np.cos(v)
    height = 0.6 * np.cos(2 * u + 0.3) + 0.5 * np.sin(u) + 1.3 * tube * np.sin(v)
    points = np.stack([ring * np.cos(u) + 0.7, 1.2 * ring * np.sin(u) - 0.4, height + 0.2], axis=-1).reshape(-1, 3)
    return points[_grid_quads(n, m)[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)]


def moebius_band(n: int) -> Triangles:
    """A band of 2 n triangles with a half twist: they agree across every rung but one, and its one rim runs round twice."""
    angle = np.arange(n) * (2 * np.pi / n)
    radius = np.array([[-1.0], [1.0]]) * np.cos(angle / 2) + 3
    height = np.array([[-1.0], [1.0]]) * np.sin(angle / 2)
    sides = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=-1).tolist()
    rungs = [*zip(*sides, strict=True), (sides[1][0], sides[0][0])]
    return np.array([t for (a, b), (c, d) in pairwise(rungs) for t in ((a, b, c), (b, d, c))])


def _grid_quads(n: int, m: int) -> NDArray[np.int64]:
    """Quads of a grid that closes in both directions."""
    i, j = np.divmod(np.arange(n * m), m)
    after, beside = (i + 1) % n, (j + 1) % m
    return np.stack([i * m + j, after * m + j, after * m + beside, i * m + beside], axis=1)


def generic_body() -> Triangles:
    """What laws are tried on: a bumpy ring and, beside it, a box with a cavity; rotated.

    Six different entries in the tensor, none of them zero.
    """
    hollow = [box((6, -1, 0), (9, 1, 4)), reversed_facets(box((6.5, -0.5, 1), (8, 0.25, 3)))]
    return rotated(np.concatenate([bumpy_torus(), *hollow]))


def star_body(radii: Sequence[float]) -> Triangles:
    """24 triangles over the corners (8) and face centres (6) of a cube, at any 14 positive distances from the origin.

    Every ray from the origin meets the surface once: an honest body, concave or not, whatever the distances are.
    """
    corners = [np.array(c, dtype=float) for c in product((-1, 1), repeat=3)]
    centres = [sign * axis for axis in np.eye(3) for sign in (-1.0, 1.0)]
    points = np.array([r * p / np.linalg.norm(p) for r, p in zip(radii, [*corners, *centres], strict=True)])
    faces = [(a, b, 8 + k) for k, quad in enumerate(CUBE_QUADS) for a, b in pairwise([*quad, quad[0]])]
    return points[np.array(faces)]


def prism(polygon: Sequence[Sequence[Any]], height: Any, *, fan: bool = False) -> Triangles:
    """A counter-clockwise polygon, concave or not, swept from z = 0 to z = height; one that crosses itself has caps of a `fan`."""
    n = len(polygon)
    bottom = np.array([[float(x), float(y), 0.0] for x, y in polygon])
    points = np.concatenate([bottom, bottom + np.array([0, 0, float(height)])])
    caps = [(0, i, i + 1) for i in range(1, n - 1)] if fan else ears(polygon)
    faces = [(c, b, a) for a, b, c in caps] + [(n + a, n + b, n + c) for a, b, c in caps]
    faces += split_quads((i, (i + 1) % n, n + (i + 1) % n, n + i) for i in range(n))
    return points[np.array(faces)]


def ears(polygon: Sequence[Sequence[Any]]) -> list[tuple[int, int, int]]:
    """A simple counter-clockwise polygon as triangles of its own corners, by clipping ears; exact."""
    rationals = [[rational(x) for x in point] for point in polygon]
    scale = math.lcm(*(x.denominator for point in rationals for x in point))
    points = [
        tuple(int(x * scale) for x in point) for point in rationals
    ]  # whole numbers: as exact, and ten times as fast
    left, triangles = list(range(len(points))), []
    while len(left) > 3:
        k = next(k for k in range(len(left)) if _is_ear(points, left, k))
        triangles.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
        del left[k]
    return [*triangles, tuple(left)]


def _is_ear(points: Sequence[Sequence[int]], left: Sequence[int], k: int) -> bool:
    tip = [left[k - 1], left[k], left[(k + 1) % len(left)]]
    a, b, c = (points[i] for i in tip)
    others = (points[i] for i in left if i not in tip)
    return _turn(a, b, c) > 0 and all(min(_turn(a, b, p), _turn(b, c, p), _turn(c, a, p)) < 0 for p in others)


def _turn(a: Sequence[int], b: Sequence[int], c: Sequence[int]) -> int:
    """Twice the signed area of a triangle in the plane: positive when a, b, c turn left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def polycube(cells: Iterable[tuple[int, int, int]]) -> tuple[Triangles, ExactMoments]:
    """Unit cubes with their lowest corners at `cells`: the triangles of their boundary, and the moments by addition."""
    filled = set(cells)
    directions = [(axis, step) for axis in range(3) for step in (-1, 1)]
    squares = [
        _square(cell, axis, step)
        for cell in sorted(filled)
        for axis, step in directions
        if tuple(x + step * (k == axis) for k, x in enumerate(cell)) not in filled
    ]
    triangles = [t for a, b, c, d in squares for t in ((a, b, c), (a, c, d))]
    cubes = (box_moments(cell, [x + 1 for x in cell]) for cell in sorted(filled))
    return np.array(triangles, dtype=float), sum(cubes, NOTHING)


def _square(cell: tuple[int, int, int], axis: int, step: int) -> list[tuple[int, ...]]:
    """The face of a unit cube towards `step` along `axis`, seen counter-clockwise from outside."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    corners = []
    for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
        shift = {axis: (step + 1) // 2, u: du, v: dv}
        corners.append(tuple(cell[k] + shift[k] for k in range(3)))
    return corners if step > 0 else corners[::-1]


#: Of no points at all.
NOTHING = ExactMoments(Fraction(0), (Fraction(0),) * 3, ((Fraction(0),) * 3,) * 3)


def box_moments(low: Sequence[Any], high: Sequence[Any]) -> ExactMoments:
    """Moments of an axis-parallel box between two corners: parallel axes."""
    pairs = [(rational(a), rational(b)) for a, b in zip(low, high, strict=True)]
    c, volume = [(a + b) / 2 for a, b in pairs], math.prod(b - a for a, b in pairs)
    own = [(b - a) ** 2 / 12 for a, b in pairs]
    second = tuple(tuple(volume * (c[i] * c[j] + (own[i] if i == j else 0)) for j in range(3)) for i in range(3))
    return ExactMoments(volume, tuple(volume * x for x in c), second)


def cells_of(boxes: Sequence[Any]) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], list[bool]]]:
    """Space cut along all sides of boxes: both corners of each cell, and which of the boxes hold it."""
    sides = [sorted({box[end][k] for box in boxes for end in (0, 1)}) for k in range(3)]
    for cell in product(*map(pairwise, sides)):
        low, high = zip(*cell, strict=True)
        yield low, high, [all(b[0][k] <= low[k] and high[k] <= b[1][k] for k in range(3)) for b in boxes]


def regular_polygon(n: int, r: float = 1.0) -> list[tuple[float, float]]:
    """Counter-clockwise, inscribed in a circle about the origin."""
    angles = [2 * math.pi * k / n for k in range(n)]
    return [(r * math.cos(a), r * math.sin(a)) for a in angles]


def revolved(profile: Sequence[tuple[float, float]], n: int) -> Triangles:
    """A closed (r, z) profile, counter-clockwise, turned around z in n steps; points on the axis stay single."""
    ring = regular_polygon(n)
    points = [[[r * x, r * y, z] for r, z in profile] for x, y in ring]
    grid = np.array(points).reshape(-1, 3)
    faces = np.array(split_quads(_grid_quads(n, len(profile))))
    triangles = grid[faces]
    a, b, c = (triangles[:, k] for k in range(3))
    # Quads that touch the axis have one triangle without area; edges on the axis have two.
    distinct = (a != b).any(1) & (b != c).any(1) & (c != a).any(1)
    return triangles[distinct]


# --- winding numbers -------------------------------------------------------------------------------------------------


def winding_number(triangles: ArrayLike, point: ArrayLike) -> float:
    """How often a closed surface winds around a point: solid angles (van Oosterom and Strackee 1983) over 4π."""
    a, b, c = (np.asarray(triangles, dtype=float) - np.asarray(point, dtype=float)).transpose(1, 0, 2)
    la, lb, lc = (np.linalg.norm(p, axis=1) for p in (a, b, c))
    dots = [(p * q).sum(1) for p, q in ((a, b), (b, c), (c, a))]
    below = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
    return float(np.arctan2((a * np.cross(b, c)).sum(1), below).sum() / (2 * np.pi))


def times_inside(tetrahedra: Iterable[Any], point: Sequence[Any]) -> int:
    """Σ ±1 over the tetrahedra that hold a point in their inside, by the signs of their volumes; exact."""
    total = 0
    for corners in tetrahedra:
        exact = [[rational(x) for x in corner] for corner in corners]
        target = [rational(x) for x in point]
        whole = _orientation(exact)
        parts = [_orientation([*exact[:k], target, *exact[k + 1 :]]) for k in range(4)]
        total += whole * (whole != 0 and all(part == whole for part in parts))
    return total


def _orientation(corners: Sequence[Sequence[Fraction]]) -> int:
    volume = determinant([[x - x0 for x, x0 in zip(p, corners[0], strict=True)] for p in corners[1:]])
    return (volume > 0) - (volume < 0)


def tetrahedron_facets(corners: ArrayLike) -> Triangles:
    """Four triangles, outward where the corners have a positive determinant; closed whatever the corners are."""
    return np.asarray(corners, dtype=float)[[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]]


# --- curves in the plane -----------------------------------------------------------------------------------------------


def bezier_loop_moments(control: Iterable[Any]) -> ExactMoments:
    """Of the region between a polynomial Bézier curve and its chord, about the origin: Green's theorem on polynomials.

    ∫1 = ∮ x dy, ∫x = ½ ∮ x² dy, ∫y = −½ ∮ y² dx, ∫x² = ⅓ ∮ x³ dy, ∫y² = −⅓ ∮ y³ dx, ∫xy = ½ ∮ x² y dy; positive where the
    loop runs counter-clockwise.
    """
    points = [tuple(rational(v) for v in p) for p in control]
    sums = [Fraction(0)] * 6
    for piece in (points, [points[-1], points[0]]):
        x, y = (_power_form([p[axis] for p in piece]) for axis in (0, 1))
        dx, dy = _derivative(x), _derivative(y)
        x2, y2 = _product(x, x), _product(y, y)
        forms = [(x, dy, 1), (x2, dy, 2), (y2, dx, -2), (_product(x2, x), dy, 3), (_product(y2, y), dx, -3)]
        forms.append((_product(x2, y), dy, 2))
        sums = [s + _unit_integral(_product(f, d)) / n for s, (f, d, n) in zip(sums, forms, strict=True)]
    area, cx, cy, xx, yy, xy = sums
    return ExactMoments(area, (cx, cy), ((xx, xy), (xy, yy)))


def _power_form(values: list[Fraction]) -> list[Fraction]:
    """Coefficients of Σ C(n, i) t^i (1 − t)^(n−i) vᵢ, by multiplying out."""
    n = len(values) - 1
    total = [Fraction(0)] * (n + 1)
    for i, v in enumerate(values):
        for k in range(n - i + 1):
            total[i + k] += v * math.comb(n, i) * math.comb(n - i, k) * (-1) ** k
    return total


def _product(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    total = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, p in enumerate(a):
        for j, q in enumerate(b):
            total[i + j] += p * q
    return total


def _derivative(a: list[Fraction]) -> list[Fraction]:
    return [k * c for k, c in enumerate(a)][1:] or [Fraction(0)]


def _unit_integral(a: list[Fraction]) -> Fraction:
    return sum((c / (k + 1) for k, c in enumerate(a)), Fraction(0))


def ellipse_perimeter(a: float, b: float) -> float:
    """4 a E(e) by the arithmetic-geometric mean (Abramowitz and Stegun 17.6)."""
    x, y, total, power = 1.0, b / a, (1 - (b / a) ** 2) / 2, 0.5
    while abs(x - y) > 1e-16:
        x, y, c = (x + y) / 2, math.sqrt(x * y), (x - y) / 2
        power *= 2
        total += power * c * c
    return 2 * math.pi * a * (1 - total) / x

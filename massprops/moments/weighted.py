"""Integrals of a solid weighted with a density that varies in space.

The solid is the signed sum of the cones from a point inside its bounds to its triangles. Over a cone of t p, with t from 0 to 1 and p in
the triangle,

    ∫ f dV = 3 V ∫ t² (mean of f(t p) over the triangle) dt

with Gauss's rule of 4 points along t (degree 7) and Radon's of 7 points in the triangle (degree 5). A density of degree two times the
second moments has degree four in p and, with t², six in t: its integrals have no error but rounding. For any other function, every cone
is also halved along t, and its triangle cut in four; where that changes most, the parts are examined in the same way. The changes that
are left, summed with their sizes, are the estimate of the error.

Tests: `tests/measurement/test_varying_density.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from massprops.errors import InvalidInput
from massprops.moments.arrays import Array, ByValue, Density, product, symmetric_eigen, winding_numbers
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Magnitude, Spread, U
from massprops.values import dataclass

_A, _B = (6 - math.sqrt(15)) / 21, (6 + math.sqrt(15)) / 21
#: Radon 1948, Monatshefte für Mathematik 52: barycentric coordinates and weights, whose sum is 1.
_NODES = np.array([[1 / 3] * 3] + [np.roll([1 - 2 * x, x, x], k).tolist() for x in (_A, _B) for k in range(3)])
_WEIGHTS = np.array([9 / 40] + [(155 + sign * math.sqrt(15)) / 1200 for sign in (-1, -1, -1, 1, 1, 1)])
_INNER, _OUTER = (math.sqrt(3 / 7 + sign * 2 / 7 * math.sqrt(6 / 5)) for sign in (-1, 1))
#: Gauss's rule on [0, 1].
_STEPS = (1 + np.array([-_OUTER, -_INNER, _INNER, _OUTER])) / 2
_STEP_WEIGHTS = (18 + math.sqrt(30) * np.array([-1, 1, 1, -1])) / 72
#: The corners of the four parts of a triangle as means of two of its corners.
_QUARTERS = np.array(
    [[[0, 0], [0, 1], [0, 2]], [[0, 1], [1, 1], [1, 2]], [[0, 2], [1, 2], [2, 2]], [[0, 1], [1, 2], [0, 2]]]
)
#: Rows and columns of the six entries of a second moment.
_I, _J = np.triu_indices(3)
#: Quadrature ends where its estimated error is this share of all, or after so many points beyond the first.
TOLERANCE, MOST_POINTS = 1e-9, 2_000_000
#: Points for the four parts of a cone: each is halved and quartered again.
_COST = 4 * (2 + 4) * 28
#: Cones whose points are in memory together.
_BLOCK = 4096
#: Roundings that a term can have suffered: determinant 8, nodes and density 30, products 6, sums over 28 points and all cones 64.
_ROUNDINGS = 128


@dataclass(frozen=True, eq=False)
class PolynomialDensity(ByValue):
    """ρ(x) = a + g · u + uᵀ Q u with u = x − origin: integrated without a quadrature error.

    Attributes
    ----------
    constant : float
        a, kg/m³.
    gradient : array_like, shape (3,)
        g, kg/m⁴.
    quadratic : array_like, shape (3, 3)
        Q, kg/m⁵; its symmetric part counts.
    origin : array_like, shape (3,)
        m, in the coordinates of the result.
    """

    constant: float
    gradient: Any = (0.0, 0.0, 0.0)
    quadratic: Any = ((0.0, 0.0, 0.0),) * 3
    origin: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        shapes: dict[str, tuple[int, ...]] = {"constant": (), "gradient": (3,), "quadratic": (3, 3), "origin": (3,)}
        for name, shape in shapes.items():
            try:
                value = np.array(getattr(self, name), dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise InvalidInput(f"{name} of a density must be numbers: {error}") from error
            if value.shape != shape or not np.isfinite(value).all():
                what = f"{name} of a density must be finite numbers of shape {shape}, got {getattr(self, name)!r:.60}"
                raise InvalidInput(what)
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __call__(self, points: Array) -> Array:
        """ρ at points, shape (…, 3), m."""
        u = points - self.origin
        total: Array = self.constant + product(u, self.gradient) + (product(u, self.quadratic) * u).sum(axis=-1)
        return total

    @property
    def lowest_point(self) -> Array | None:
        """Where ρ is least, shape (3,), m, if that is one point: −½ Q⁻¹ g from the origin, Q positive definite."""
        values, columns = symmetric_eigen((self.quadratic + self.quadratic.T) / 2)
        if values[0] <= 0:
            return None
        step: Array = product(columns, product(columns.T, self.gradient) / values)
        lowest: Array = self.origin - step / 2
        return lowest

    def most(self, bounds: Array) -> float:
        """A bound of |ρ|, and of the sizes of its terms together, in a box, shape (2, 3)."""
        r = np.abs(bounds - self.origin).max(axis=0)
        sizes = product(np.abs(self.quadratic), r) + np.abs(self.gradient)
        return float(abs(self.constant) + (sizes * r).sum())


class Mesh(NamedTuple):
    """Triangles in the unit of a file, chunk by chunk (n, 3, 3), and how they come into metres and the axes of the result."""

    chunks: Iterable[Any]
    facets: int
    middle: Array
    scale: float
    rotation: Array | None


@dataclass(frozen=True, eq=False)
class Weighted:
    """∫ρ, ∫ρ x, ∫ρ x xᵀ in kilograms and metres, and how far rounding and quadrature can have put them off.

    `least` and `most` are the smallest density that was found, and the largest size that it has: a bound of a polynomial, else that
    of all points.
    """

    moments: Moments
    rounding: Spread
    quadrature: Spread | None
    least: float
    most: float


def integrate_weighted(mesh: Mesh, center: Array, bounds: Array, density: Density) -> Weighted:
    """Integrals of a solid with a density.

    Parameters
    ----------
    mesh : Mesh
        The triangles.
    center, bounds : ndarray, shape (3,) and (2, 3)
        The point `mesh.middle`, and the bounds of the solid, in the coordinates of the result, m.
    density : callable
        ρ(points), in the coordinates of the result.

    Raises
    ------
    InvalidInput
        If the density is negative or not finite at a point, of another shape, or zero everywhere.
    """
    polynomial = density if isinstance(density, PolynomialDensity) else None
    total, off = np.zeros(10), np.zeros(10)
    magnitude, sampled = Magnitude.within(0.0, np.zeros(3)), _Sampled(density, center)
    lowest = None if polynomial is None else polynomial.lowest_point
    winding = 0.0
    for raw in mesh.chunks:
        corners = raw.astype(np.float64)
        # of the file's own coordinates: best, or exact
        e1, e2 = (mesh.scale * (corners[:, k] - corners[:, 0]).T for k in (1, 2))
        arms = mesh.scale * (corners - mesh.middle)
        a = arms[:, 0].T
        volumes = (a * np.cross(e1, e2, axis=0)).sum(axis=0) / 6
        magnitude += Magnitude.of(a, e1, e2, np.full(3, float(np.sqrt((arms * arms).sum(axis=2)).max())))
        turned = arms if mesh.rotation is None else product(arms, mesh.rotation.T)
        cones = _Cones(turned, volumes, np.zeros(len(raw)), np.ones(len(raw)))
        if polynomial is not None:
            sampled.check(np.concatenate([turned, (turned + np.roll(turned, 1, axis=1)) / 2], axis=1))
            if lowest is not None:
                winding += float(winding_numbers((lowest - center)[np.newaxis], turned)[0])
            total += cones.sums(lambda x: polynomial(center + x)).sum(axis=0)
        else:
            budget = MOST_POINTS * len(raw) // mesh.facets
            found, error = _adaptive(cones, sampled.check, float(np.ptp(bounds, axis=0).max()), budget)
            total, off = total + found, off + error
    if lowest is not None and winding > 0.25:  # inside
        sampled.check((lowest - center)[np.newaxis])
    most = sampled.most if polynomial is None else polynomial.most(bounds)
    moments = _moments(total, center)
    if moments.measure <= 0:
        raise InvalidInput(f"must not be zero everywhere: the mass is {moments.measure:.6g}\xa0kg", parameter="density")
    rounding = _ROUNDINGS * U * most
    quadrature = None
    if polynomial is None:
        if off[0] >= moments.measure:
            what = (
                f"varies too much: the quadrature has an error of {off[0]:.3g}\xa0kg beside {moments.measure:.3g}\xa0kg"
            )
            raise InvalidInput(what, parameter="density", hint="divide the body, or give a smoother function")
        sizes = _moments(off, center)
        quadrature = Spread.from_moments(moments, sizes.measure, sizes.first, sizes.second)
    off_by = rounding * magnitude.volume, rounding * magnitude.first, rounding * magnitude.second
    spread = Spread.from_moments(moments, *off_by)
    return Weighted(moments, spread, quadrature, sampled.least, most)


class _Sampled:
    """A density that is checked wherever it is evaluated, at points relative to the centre."""

    def __init__(self, density: Density, center: Array) -> None:
        self._density, self._center = density, center
        self.least, self.most = float("inf"), 0.0

    def check(self, points: Array) -> Array:
        """The densities at points, shape (…, 3) → (…)."""
        places = (self._center + points).reshape(-1, 3)
        hint = "it takes all points at once, in an array of shape (n, 3): points[:, 0] is x"
        try:
            found = np.asarray(self._density(places.copy()))
            if np.iscomplexobj(found):  # numpy would drop the imaginary part
                raise TypeError("the densities are complex numbers")
            values = found.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"fails for {len(places)} points: {error}", parameter="density", hint=hint) from error
        if values.shape != (len(places),):
            what = f"returns shape {values.shape} for {len(places)} points, expected ({len(places)},)"
            raise InvalidInput(what, parameter="density", hint=hint)
        wrong = ~(np.isfinite(values) & (values >= 0))
        if wrong.any():
            at = int(wrong.argmax())
            where = ", ".join(f"{x:.6g}" for x in places[at].tolist())
            what = f"is {values[at]:.6g}\xa0kg/m³ at ({where}) m, and must be a number that is not negative"
            raise InvalidInput(what, parameter="density")
        self.least, self.most = min(self.least, float(values.min())), max(self.most, float(values.max()))
        return values.reshape(points.shape[:-1])


class _Cones(NamedTuple):
    """Cones from the origin to n triangles, shape (n, 3, 3), of signed volumes (n,), between the shares t of `start` and `end`, (n,)."""

    triangles: Array
    volumes: Array
    start: Array
    end: Array

    def halves(self) -> _Cones:
        """Both parts of each along t, (2 n)."""
        middle = (self.start + self.end) / 2
        ends = np.stack([self.start, middle, middle, self.end], axis=1).reshape(-1, 2)
        return _Cones(np.repeat(self.triangles, 2, axis=0), np.repeat(self.volumes, 2), ends[:, 0], ends[:, 1])

    def quarters(self) -> _Cones:
        """The four parts of each in its triangle, (4 n)."""
        triangles = self.triangles[:, _QUARTERS].mean(axis=3).reshape(-1, 3, 3)
        return _Cones(triangles, *(np.repeat(x, 4) for x in (self.volumes / 4, self.start, self.end)))

    def sums(self, density: Callable[[Array], Array]) -> Array:
        """∫ρ, ∫ρ x and ∫ρ x xᵀ (xx xy xz yy yz zz) over each, shape (n, 10)."""
        found = np.empty((len(self.volumes), 10))
        for first in range(0, len(found), _BLOCK):
            block = slice(first, first + _BLOCK)
            triangles, volumes, start, end = (field[block] for field in self)
            t = start[:, np.newaxis] + (end - start)[:, np.newaxis] * _STEPS
            along = (3 * volumes * (end - start))[:, np.newaxis] * t * t * _STEP_WEIGHTS
            across = np.einsum("pk,nkd->npd", _NODES, triangles)
            points = (t[:, :, np.newaxis, np.newaxis] * across[:, np.newaxis]).reshape(len(t), -1, 3)
            terms = (along[:, :, np.newaxis] * _WEIGHTS).reshape(len(t), -1) * density(points)
            moved = terms[..., np.newaxis] * points
            found[block, 0], found[block, 1:4] = terms.sum(axis=1), moved.sum(axis=1)
            found[block, 4:] = (moved[..., _I] * points[..., _J]).sum(axis=1)
        return found


def _adaptive(cones: _Cones, density: Callable[[Array], Array], size: float, budget: int) -> tuple[Array, Array]:
    """The ten integrals over all cones, and the estimates of their errors: what halving and quartering changes."""
    scale = size ** np.repeat([0.0, 1.0, 2.0], [1, 3, 6])
    whole, settled, off = cones.sums(density), np.zeros(10), np.zeros(10)
    allowed = TOLERANCE * float(np.abs(whole[:, 0]).sum())
    while True:
        halves, quarters = cones.halves(), cones.quarters()
        by_half, by_quarter = halves.sums(density), quarters.sums(density)
        along = by_half.reshape(-1, 2, 10).sum(axis=1) - whole
        across = by_quarter.reshape(-1, 4, 10).sum(axis=1) - whole
        best, error = whole + along + across, np.abs(along) + np.abs(across)
        scores = np.stack([(np.abs(x) / scale).max(axis=1) for x in (along, across)])
        score = scores.sum(axis=0)
        order = np.argsort(-score, kind="stable")
        left = np.cumsum(score[order][::-1])[::-1]  # of each and all better ones
        needed = int((left > allowed / 2).sum()) if left[0] > allowed else 0
        again = order[: min(needed, budget // _COST)]
        done = order[len(again) :]
        settled, off = settled + best[done].sum(axis=0), off + error[done].sum(axis=0)
        if len(again) == 0:
            return settled, off
        allowed = max(allowed - float(score[done].sum()), 0.0)
        budget -= len(again) * _COST
        is_long = scores[0, again] >= scores[1, again]
        half = (2 * again[is_long][:, np.newaxis] + np.arange(2)).ravel()
        quarter = (4 * again[~is_long][:, np.newaxis] + np.arange(4)).ravel()
        both = zip(halves, quarters, strict=True)
        cones = _Cones(*(np.concatenate([of_half[half], of_quarter[quarter]]) for of_half, of_quarter in both))
        whole = np.concatenate([by_half[half], by_quarter[quarter]])


def _moments(ten: Array, center: Array) -> Moments:
    second = np.zeros((3, 3))
    second[_I, _J] = second[_J, _I] = ten[4:]
    return Moments(float(ten[0]), ten[1:4], second, center)

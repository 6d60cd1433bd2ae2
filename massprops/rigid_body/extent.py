"""The convex hull in which the mass of a body lies, and whether some density in it has a stated centre and spread.

The matrices J = ∫ x̃ x̃ᵀ, x̃ = (x, 1), of all densities of mass 1 in a hull are the convex hull of those of its points, and those with
no more spread than one of them are that less the cone of v vᵀ. What is nearest to a stated J there, and so the form F that tells it from
all of them, is unique and turns with the bodies. It is found from below, one point at a time (Gilbert, Johnson and Keerthi 1988, with
Lawson and Hanson's least squares): the next point is that with the largest x̃ᵀ F x̃, which no point between corners has. A stated body is
impossible if its own ⟨F, J⟩ is larger than that of every point.

Tests: `tests/rigid_body/test_extent.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from massprops.findings import Finding
from massprops.moments.arrays import Array, Index, length, symmetric_eigen
from massprops.rigid_body.consistency import CONSISTENCY_TOLERANCE
from massprops.rigid_body.mass_properties import MassProperties

#: Directions in which the farthest points of a mesh are kept; others are looked for where these do not decide.
_DIRECTIONS = 60
#: Points that are tried one by one, and passes over all points of a mesh, before a body counts as possible.
_MOST_STEPS, _MOST_PASSES = 200, 20
#: Points of a chunk that are added at once.
_AT_ONCE = 20
#: A distance from all densities, in units of the size, that is none.
_NEAR = 1e-6
#: Points farther out by so small a share of how far a body is away change no number of a message.
_SETTLED = 0.02
#: Of a variance, in squares of the size, and of a squared distance: a larger one is as impossible as this.
_ABSURD = 1e9
#: Entries of J that tell where the centre is: far more than that, the mass.
_CENTRE = np.array([[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 1e3]])
_SPREAD = np.ones((4, 4))


@dataclass(frozen=True, eq=False)
class Extent:
    """The convex hull of ellipsoids and points.

    Attributes
    ----------
    centres : ndarray, shape (k, 3)
        Of the ellipsoids, m.
    axes : ndarray, shape (k, 3, 3)
        Their semi-axes in columns, m; some may be zero: discs and segments are ellipsoids, too.
    points : ndarray, shape (n, 3)
        The farthest points in many directions, m.
    rest : tuple of callable
        The points of all meshes, in chunks; read where those that are kept do not decide.
    margin : float
        How far around the points the hull is enlarged, m.
    """

    centres: Array
    axes: Array
    points: Array
    rest: tuple[Callable[[], Iterable[Array]], ...] = ()
    margin: float = 0.0

    @classmethod
    def of_points(cls, chunks: Callable[[], Iterable[Array]]) -> Extent:
        """The hull of points that are read in chunks of shape (n, 3)."""
        return cls(np.zeros((0, 3)), np.zeros((0, 3, 3)), farthest(chunks()), (chunks,))

    @classmethod
    def of_box(cls, bounds: Array) -> Extent:
        """A box between two corners, shape (2, 3)."""
        return cls(np.zeros((0, 3)), np.zeros((0, 3, 3)), np.array(np.meshgrid(*bounds.T)).reshape(3, -1).T)

    @classmethod
    def of_shape(cls, name: str, lengths: Mapping[str, float]) -> Extent:
        """The hull of a primitive of `massprops.rigid_body.shapes` that stands for a solid of a robot, in its own frame."""
        if name == "box":
            half = np.array(list(lengths.values())) / 2
            return cls.of_box(np.array([-half, half]))
        if name == "ellipsoid":
            return cls(np.zeros((1, 3)), np.diag(list(lengths.values()))[np.newaxis], np.zeros((0, 3)))
        radius, reach = lengths["radius"], lengths.get("height", lengths.get("length", 0.0)) / 2
        flat = [1, 1, name in ("sphere", "capsule")]
        radii = radius, lengths.get("top_radius", radius)
        ends = np.array([[0, 0, -reach], [0, 0, reach]])
        return cls(ends, np.array([np.diag(np.multiply(flat, r)) for r in radii]), np.zeros((0, 3)))

    def mapped(self, linear: Array, translation: Array) -> Extent:
        """The hull of all x ↦ linear x + translation."""
        rest = tuple(_mapped(chunks, linear, translation) for chunks in self.rest)
        return Extent(
            self.centres @ linear.T + translation, linear @ self.axes, self.points @ linear.T + translation, rest
        )

    def __add__(self, other: Extent) -> Extent:
        """The hull of both."""
        pairs = (self.centres, other.centres), (self.axes, other.axes), (self.points, other.points)
        centres, axes, points = map(np.concatenate, pairs)
        return Extent(centres, axes, points, self.rest + other.rest)

    def enlarged(self, margin: float) -> Extent:
        """The hull with balls in place of the points, longer semi-axes, and ellipsoids that are moved along theirs: discs grow thick."""
        u, s, _ = np.linalg.svd(self.axes)
        moved = margin * np.concatenate([u, -u], axis=2).transpose(0, 2, 1).reshape(-1, 3)
        centres = np.concatenate([self.centres, np.repeat(self.centres, 6, axis=0) + moved])
        axes = np.concatenate([u * (s + margin)[:, np.newaxis], np.repeat(self.axes, 6, axis=0)])
        return replace(self, centres=centres, axes=axes, margin=margin)

    def largest(self, form: Array) -> tuple[float, Array]:
        """The largest x̃ᵀ F x̃ of the points that are known, for certain not too small, and a point that has it or nearly so.

        The form is convex.
        """
        found = []
        if len(self.points):
            most, best = _largest_of_points(self.points, form, self.margin)
            slope = form[:3, :3] @ self.points[best[-1]] + form[:3, 3]
            found.append((most, self.points[best[-1]] + self.margin * slope / (length(slope) or 1.0)))
        if len(self.centres):
            found.append(_largest_of_ellipsoids(self.centres, self.axes, form))
        return max(found, key=lambda pair: pair[0])

    def reach(self, normals: Array) -> Array:
        """The largest coordinates along normals, shape (n, 3): points are read once for all of them."""
        forms = np.zeros((len(normals), 4, 4))
        forms[:, :3, 3] = forms[:, 3, :3] = normals / 2
        found = [[self.largest(form)[0] for form in forms]]
        found += [[float((c @ n).max()) for n in normals] for chunks in self.rest for c in chunks()]
        most: Array = np.array(found).max(axis=0)
        return most

    def bounds(self) -> Array:
        """Smallest and largest coordinates, shape (2, 3)."""
        low, high = self.reach(np.concatenate([-np.eye(3), np.eye(3)])).reshape(2, 3)
        return np.array([-low, high])

    def separating(self, stated: Array, kinds: Array) -> Array | None:
        """The form F, shape (4, 4), that is larger over a stated J than over any density; None if there is none for certain."""
        known = self
        for _ in range(_MOST_PASSES):
            form = known._nearest(stated, kinds)  # of this class
            if form is None or not self.rest:
                return form
            most, own = known.largest(form)[0], float((form * stated).sum())
            found = [(c, *_largest_of_points(c, form, self.margin)) for chunks in self.rest for c in chunks()]
            if max(value for _, value, _ in found) <= most + _SETTLED * (own - most):
                return form
            known = replace(known, points=np.concatenate([known.points, *(c[best] for c, _, best in found)]))
        return None

    def _nearest(self, stated: Array, kinds: Array) -> Array | None:
        """The form of the points that are known."""
        target = (kinds * stated).ravel()
        columns, weights, residual = np.zeros((16, 0)), np.zeros(0), target
        for _ in range(_MOST_STEPS):
            form = (kinds.ravel() * residual).reshape(4, 4)
            moments, turned = np.linalg.eigh(form[:3, :3])
            convex = form.copy()
            convex[:3, :3] = (turned * np.maximum(moments, 0.0)) @ turned.T
            most, point = self.largest(convex)
            own = float((convex * stated).sum())
            if most <= _SETTLED * own or length(residual) < _NEAR:
                break
            x, steepest = np.append(point, 1.0), np.append(turned[:, 0], 0.0)
            added = [np.outer(x, x)] if most > 0.0 else []
            added += [-np.outer(steepest, steepest)] if moments[0] < -_NEAR * length(form) else []
            for column in added:
                columns, weights = _least_squares(np.column_stack([columns, (kinds * column).ravel()]), target, weights)
            residual = target - columns @ weights
        return convex if length(residual) >= _NEAR and own > most else None


@dataclass(frozen=True, eq=False)
class _Mapped:
    """Chunks of points, mapped."""

    chunks: Callable[[], Iterable[Array]]
    linear: Array
    translation: Array

    def __call__(self) -> Iterator[Array]:
        for chunk in self.chunks():
            yield np.einsum("ij,kj->ik", chunk, self.linear) + self.translation


def _mapped(chunks: Callable[[], Iterable[Array]], linear: Array, translation: Array) -> _Mapped:
    if isinstance(chunks, _Mapped):  # once for both
        return _Mapped(chunks.chunks, linear @ chunks.linear, linear @ chunks.translation + translation)
    return _Mapped(chunks, linear, translation)


def farthest(chunks: Iterable[Array]) -> Array:
    """The points that are farthest in each of many directions, shape (n, 3)."""
    kept = np.zeros((0, 3))
    for chunk in chunks:
        points = np.concatenate([kept, chunk])
        kept = points[np.unique(np.argmax(_SPHERE @ points.T, axis=1))]
    return kept


def _spiral(count: int) -> Array:
    """Directions that are spread evenly."""
    z = 1 - (2 * np.arange(count) + 1) / count
    angle = np.pi * (1 + 5**0.5) * np.arange(count)
    r = np.sqrt(1 - z**2)
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), z])


_SPHERE = np.concatenate([_spiral(_DIRECTIONS), np.eye(3), -np.eye(3)])


def _largest_of_points(points: Array, form: Array, margin: float) -> tuple[float, Index]:
    """The largest value of a convex form over balls about points, or a little more, and the points where it is large, the largest last."""
    slopes = np.einsum("ij,jk->ik", points, form[:3, :3]) + form[:3, 3]
    values = np.einsum("ij,ij->i", slopes + form[:3, 3], points) + form[3, 3]
    values += 2 * margin * np.sqrt(np.einsum("ij,ij->i", slopes, slopes))
    most = min(_AT_ONCE, len(values))
    best = np.argpartition(values, len(values) - most)[-most:] if most < len(values) else np.argsort(values)
    best = best[np.argsort(values[best])]
    return float(values[best[-1]]) + margin**2 * float(np.linalg.eigvalsh(form[:3, :3])[2]), best


def _largest_of_ellipsoids(centres: Array, axes: Array, form: Array) -> tuple[float, Array]:
    """The largest value of a convex form over ellipsoids c + G u, |u| ≤ 1, and where that is.

    There (λ − B) u = g with B = Gᵀ A G, g = Gᵀ (A c + b) and the λ above all eigenvalues of B at which |u| is 1.
    """
    slopes = centres @ form[:3, :3] + form[:3, 3]
    g = np.einsum("kji,kj->ki", axes, slopes)
    eigen, turned = np.linalg.eigh(np.swapaxes(axes, 1, 2) @ form[:3, :3] @ axes)
    g = np.einsum("kji,kj->ki", turned, g)
    lowest = root = (eigen + np.abs(g)).max(axis=1, keepdims=True)
    least = 1e-12 * (np.abs(eigen) + np.abs(g)).max(axis=1, keepdims=True) + 1e-60  # where it is an eigenvalue
    for _ in range(8):  # Newton's, of 1 / |u|, from below
        gap = np.maximum(root - eigen, least)
        square, slope = ((g / gap) ** 2).sum(axis=1, keepdims=True), (g**2 / gap**3).sum(axis=1, keepdims=True)
        step = (np.sqrt(square) - 1) * square / np.where(slope > 0, slope, 1.0)
        root = np.maximum(root + step, lowest)
    u = g / np.maximum(root - eigen, least)
    u[:, 2] += np.copysign(np.sqrt(np.maximum(1 - (u**2).sum(axis=1), 0.0)), g[:, 2])
    u /= np.sqrt((u**2).sum(axis=1))[:, np.newaxis]
    values = (eigen * u**2 + 2 * g * u).sum(axis=1) + ((slopes + form[:3, 3]) * centres).sum(axis=1) + form[3, 3]
    best = int(np.argmax(values))
    return float(values[best]), centres[best] + axes[best] @ (turned[best] @ u[best])


def _least_squares(columns: Array, target: Array, weights: Array) -> tuple[Array, Array]:
    """The columns with a positive weight, and their weights, that make the sum nearest to a target; the last column is new."""
    weights = np.append(weights, 0.0)
    used = np.ones(len(weights), dtype=bool)
    while used.any():
        best = np.zeros(len(weights))
        best[used] = np.linalg.lstsq(columns[:, used], target, rcond=None)[0]
        wrong = used & (best <= 0)
        if not wrong.any():
            return columns[:, used], best[used]
        step = float((weights[wrong] / (weights[wrong] - best[wrong])).min()) if (weights[wrong] > 0).all() else 0.0
        weights = np.where(used, weights + step * (best - weights), 0.0)
        used &= ~(wrong & (weights <= _NEAR**2))
    return columns[:, used], weights[used]


# ---- findings -----------------------------------------------------------------------------------------------------------


def hull_findings(body: MassProperties, extent: Extent, origin: Array, size: float, margin: float) -> list[Finding]:
    """Why no density inside a hull gives this body: its centre, or its moments with that centre.

    Parameters
    ----------
    body : MassProperties
        In the frame of the hull.
    extent : Extent
        The hull.
    origin : ndarray, shape (3,)
        A point in the middle of it.
    size : float
        Of the hull, about, m.
    margin : float
        How far outside the hull mass may be for rounding, m.

    Returns
    -------
    list of Finding
        ``com-outside-bounds`` or ``spread-outside-bounds``, or empty.
    """
    if not (body.mass > 0 and size > 0):
        return []
    own = extent.mapped(np.eye(3) / size, -origin / size)
    arm, limit = body.com - origin, math.sqrt(_ABSURD) * size
    near = arm * min(1.0, limit / max(float(np.abs(arm).max()), 1e-300))
    blur = CONSISTENCY_TOLERANCE * float(np.abs([near, origin]).max())
    larger = own.enlarged((margin + blur) / size)
    centre, covariance = near / size, body.second_moment() / body.mass / size**2
    at = np.outer(np.append(centre, 1.0), np.append(centre, 1.0))
    least = min(1.0, _ABSURD / max(float(np.abs(covariance).max()), 1e-300))
    form = larger.separating(at + np.pad(least * covariance, (0, 1)), _SPREAD)
    if form is None:
        return []
    where = tuple(body.com.tolist())
    if (of_centre := larger.separating(at, _CENTRE)) is not None:
        normal = of_centre[:3, 3] / length(of_centre[:3, 3])
        away = float(normal @ arm) - float(own.reach(normal[None])[0]) * size
        text = f"the centre of mass is outside the geometry: {away:.2g}\xa0m from its convex hull"
        return [Finding("com-outside-bounds", "error", text, away, 0.0, where)]
    axis = symmetric_eigen(form[:3, :3])[1][:, 2]
    ends = np.maximum(own.reach(np.array([axis, -axis])) - [axis @ centre, -axis @ centre], 0.0)
    spread, limit = size * float(np.sqrt(axis @ covariance @ axis)), size * math.sqrt(ends[0] * ends[1])
    text = "the mass is spread too far for the geometry: no density inside its convex hull has this centre and these moments"
    if spread > limit:
        text += f"; in one direction it is {spread:.2g}\xa0m about its centre (root mean square), and at most {limit:.2g}\xa0m is possible"
    return [Finding("spread-outside-bounds", "error", text, spread, limit, where)]

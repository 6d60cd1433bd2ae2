"""Third moments and facets, which tell a body from its mirror image.

Second moments cannot: they are even, and a reflection in a principal plane leaves them as they are.

Tests: `tests/comparison/test_diff.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations

import numpy as np

from massprops.moments.arrays import Array, nearest_orthogonal, product

#: Facets of which the corners are kept, 72 bytes each: enough for parts, and little beside an interpreter.
MOST_FACETS = 2_000_000


@dataclass(frozen=True, eq=False)
class ThirdMoments:
    """A closed surface, as far as it tells a body from others with the same second moments. Metres.

    Attributes
    ----------
    tensor : ndarray, shape (3, 3, 3)
        ∫ u u u over the solid, u from its centre of mass, m⁶.
    sensitivity : float
        By how much an entry of `tensor` can change, to first order, for each metre that the surface moves: ∫ |u|³ dA at most, m⁵.
    perimeters : float
        Lengths of all edges, once for each facet: twice what the area can change for each metre that the corners move.
    corners : ndarray, shape (n, 3, 3), or None
        [facet, corner, xyz]; None where there are more than `MOST_FACETS`.
    """

    tensor: Array
    sensitivity: float
    perimeters: float
    corners: Array | None

    @classmethod
    def of(cls, chunks: Iterable[Array], center: Array, facets: int) -> ThirdMoments:
        """Third moments of triangles about `center` (3,), m."""
        tensor, sensitivity, perimeters, kept = np.zeros((3, 3, 3)), 0.0, 0.0, []
        for corners in chunks:
            about = corners - center
            tensor += _third(about)
            areas = np.linalg.norm(np.cross(about[:, 1] - about[:, 0], about[:, 2] - about[:, 0]), axis=1) / 2
            sensitivity += float((areas * np.linalg.norm(about, axis=2).max(axis=1) ** 3).sum())
            perimeters += float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).sum())
            if facets <= MOST_FACETS:
                kept.append(corners)
        return cls(tensor, sensitivity, perimeters, np.concatenate(kept) if kept else None)


def _third(corners: Array) -> Array:
    """∫ u u u over the tetrahedra that the triangles make with the origin.

    With barycentric coordinates λ, E[λa λb λc] = α! / (4 · 5 · 6), α! counting equal indices, so that over a tetrahedron of volume V

        ∫ u u u = V / 120 · ( s s s + Σₚ (p p s + p s p + s p p) + 2 Σₚ p p p ),   s = Σₚ p
    """
    weight = (corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])).sum(axis=1) / 720
    total = corners.sum(axis=1)
    tensor = np.empty((3, 3, 3))
    for i, j, k in combinations_with_replacement(range(3), 3):
        a, b, c = corners[..., i], corners[..., j], corners[..., k]
        sa, sb, sc = total[:, i], total[:, j], total[:, k]
        pairs = (a * b).sum(axis=1) * sc + (a * c).sum(axis=1) * sb + (b * c).sum(axis=1) * sa
        entry = float((weight * (sa * sb * sc + pairs + 2 * (a * b * c).sum(axis=1))).sum())
        for place in permutations((i, j, k)):
            tensor[place] = entry
    return tensor


def map_third(third: Array, linear: Array) -> Array:
    """Third moments of the image under u ↦ Q u with |det Q| = 1."""
    image: Array = np.einsum("ia,jb,kc,abc->ijk", linear, linear, linear, third)
    return image


@dataclass(frozen=True, eq=False)
class Similarity:
    """x ↦ s Q x + t, Q orthogonal."""

    scale: float
    linear: Array
    translation: Array

    def apply(self, points: Array) -> Array:
        """Images of points, shape (…, 3)."""
        image: Array = self.scale * product(points, self.linear.T) + self.translation
        return image


def fit_similarity(before: Array, after: Array) -> tuple[Similarity, float]:
    """The similarity that takes facet i to facet i best, and the largest distance that it leaves between corners.

    Least squares on the middles of the facets (Umeyama 1991, IEEE Transactions on Pattern Analysis 13(4)), with reflections allowed; a
    mirrored export runs through the corners of a facet in another order, the middles do not know of it.
    """
    p, q = before.mean(axis=1), after.mean(axis=1)
    p0, q0 = p.mean(axis=0), q.mean(axis=0)
    linear = nearest_orthogonal(((q - q0)[:, :, np.newaxis] * (p - p0)[:, np.newaxis]).sum(axis=0))
    scale = float(np.sqrt(((q - q0) ** 2).sum() / ((p - p0) ** 2).sum()))
    similarity = Similarity(scale, linear, q0 - scale * product(linear, p0))
    image = similarity.apply(before)
    # the corners of each facet in whichever order fits it best
    orders = [np.linalg.norm(image - after[:, order], axis=2).max(axis=1) for order in permutations(range(3))]
    return similarity, float(np.min(orders, axis=0).max())


#: Directions in general position: no part is made along them.
_DIRECTIONS = np.array([[0.6180, 0.5257, 0.5842], [-0.4399, 0.8090, 0.3898], [0.2764, -0.3633, 0.8898]])


def shadow_distance(one: Array, other: Array) -> float:
    """Distance of the corners of two surfaces as seen along three directions, in whatever order their facets are.

    Zero for the same set of corners, each as often; the converse fails only where sets agree in projection on three lines in
    general position.
    """
    pairs = ((np.sort(product(one, d).ravel()), np.sort(product(other, d).ravel())) for d in _DIRECTIONS)
    return max(float(np.abs(a - b).max()) for a, b in pairs)

"""Plastic bending: statical moments of the halves of a section, plastic neutral axes and plastic moduli.

With h the height over an axis, s the coordinate along it and c a level, Green's theorem gives the part of a region below c as sums
over its outlines, run through counter-clockwise: A(c) = ∬ 1 = ∮ (c − h)₊ ds and Q(c) = ∬ (c − h) = ½ ∮ (c − h)₊² ds.

W(c) = ∬ |h − c| is convex and W′(c) = 2 A(c) − A: the plastic modulus is its minimum, at the level that halves the area, and to first
order does not change with that level. Regions that differ by an area δ have W(c) that differ by at most δ times the largest |h − c|, and
so have their minima. Between the heights of two neighbouring vertices A(c) is quadratic, and is solved. Of a curve, the slivers between
it and many chords are integrated; one that the level cuts is taken for a piece of a parabola, and all of it counted as an error.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from massprops.moments.arrays import Array, product
from massprops.moments.uncertainty import U
from massprops.section.curves import Bezier, EllipticArc, sweep
from massprops.section.curves.quadrature import nodes_between
from massprops.section.outline import Outline
from massprops.values import dataclass

#: How far chords may be from a curve, in sizes of the section: the slivers between them are integrated, so this is no error.
FLATNESS = 1e-6
#: Nodes of the quadrature on each sliver: the curve turns by some milliradians there.
_NODES = 4
#: Roundings of a sum, in units of U and of the magnitude of its terms, as in `massprops.section.assemble`.
_ROUNDINGS = 82


class PlacedOutline(NamedTuple):
    """An outline, its length unit in metres, and what it counts: the modulus ratio, negative where the inside is on its right."""

    outline: Outline
    scale: float
    weight: float


@dataclass(frozen=True)
class HalfPlaneIntegrals:
    """Integrals over the two sides of an axis through the centroid, each with an upper bound of its error.

    Attributes
    ----------
    statical : (float, float)
        First moment of the part on either side about the axis, m³.
    modulus : (float, float)
        Plastic modulus, m³.
    offset : (float, float)
        From the axis to the parallel plastic neutral axis, m.
    """

    statical: tuple[float, float]
    modulus: tuple[float, float]
    offset: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Region:
    """Region inside outlines, as chords and slivers, relative to a point, in metres.

    Attributes
    ----------
    begin, end : ndarray, shape (n, 2)
        Of the chords.
    weight : ndarray, shape (n,)
    sliver : ndarray, shape (n, 3)
        ∫ 1, x, y over the sliver between chord and curve, times the weight; 0 of a straight edge.
    width : ndarray, shape (n,)
        How far the curve may be from its chord.
    """

    begin: Array
    end: Array
    weight: Array
    sliver: Array
    width: Array

    @classmethod
    def of(cls, outlines: Sequence[PlacedOutline], reference: Array, size: float) -> Region:
        """Region inside outlines that is `size` across, relative to `reference`, shape (2,), in metres."""
        found = [chords for placed in outlines for chords in _chords(placed, reference, FLATNESS * size)]
        return cls(*(np.concatenate(column) for column in zip(*found, strict=True)))

    def halves(self, normal: Array, mean: float, error: float, shift: float) -> HalfPlaneIntegrals:
        """About the axis through the centroid at right angles to a unit vector.

        Parameters
        ----------
        normal : ndarray, shape (2,)
            Upward.
        mean : float
            Height of the centroid over the point that the region is relative to.
        error : float
            By how much area the region may differ from the true one, m².
        shift : float
            How far the centroid may be off, m.
        """
        view = _View(self, normal)
        margin = float(self.width.max())
        top = float(view.levels[-1]) + margin
        extent = top - float(view.levels[0]) + margin
        area, first = view.below(top)
        rounding = _ROUNDINGS * U * extent * float(np.abs(view.step).sum())
        slack = error + rounding
        # in a gap at half of the area, any level halves it: the middle
        level = sum(view.level(area / 2 + side * rounding) for side in (-1, 1)) / 2
        doubt = view.doubt(level)
        ends = [view.level(area / 2 + side * (slack / 2 + 2 * doubt)) for side in (-1, 1)]
        statical, by_area = view.below(mean)[1], slack * extent + doubt * float(view.length.max())
        modulus = 2 * view.below(level)[1] - (first - area * (top - level))
        away = max(abs(end - level) for end in ends) + 8 * U * extent
        return HalfPlaneIntegrals(
            (statical, (by_area + area * shift) / 2), (modulus, by_area), (level - mean, away + shift)
        )


def _dot(a: Array, b: Array) -> float:
    """a · b in an order of sums that does not depend on the processor, as that of BLAS does."""
    return float((a * b).sum())


class _View:
    """A region by heights over an axis at right angles to `normal`."""

    def __init__(self, region: Region, normal: Array) -> None:
        chord = region.end - region.begin
        begin, end = product(region.begin, normal), product(region.end, normal)
        self.bottom, self.top = np.minimum(begin, end), np.maximum(begin, end)
        self.step = product(chord, np.array([normal[1], -normal[0]])) * region.weight
        self.sliver, self.moment = region.sliver[:, 0], product(region.sliver[:, 1:], normal)
        self.length = np.hypot(chord[:, 0], chord[:, 1])
        self.width = region.width * np.abs(region.weight)
        self.levels = np.unique(begin)  # an outline ends where it begins
        self.below = functools.cache(self._below)  # neighbouring areas are looked for between the same levels

    def _below(self, level: float) -> tuple[float, float]:
        """A(c) and Q(c)."""
        low, high = level - self.top, level - self.bottom
        under = (high > 0).astype(np.float64)  # the share of each chord
        cut = np.flatnonzero((low < 0) & (high > 0))
        under[cut] = high[cut] / (high[cut] - low[cut])
        low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
        step, both = self.step * under, low + high
        area, first = _dot(step, both) / 2, _dot(step, both * both - low * high) / 6
        if self.width.any():
            # a cut sliver as between chord and parabola, 6 u (1 − u) high
            u, share = under[cut], under * under * (3 - 2 * under)
            area += _dot(share, self.sliver)
            share[cut] = 0.0
            first += level * _dot(share, self.sliver) - _dot(share, self.moment)
            first += _dot(self.sliver[cut], high[cut] * u * u * (1 - u / 2))
        return area, first

    def doubt(self, level: float) -> float:
        """The area of the slivers that a level cuts, at most."""
        near = np.abs((self.bottom + self.top) / 2 - level) <= self.length / 2 + self.width
        return float((self.length * self.width)[near].sum())

    def level(self, area: float) -> float:
        """Where so much area is below."""
        low, high = 0, len(self.levels) - 1
        (least, most), is_halved = (self.below(float(self.levels[k]))[0] for k in (low, high)), False
        while high - low > 1:  # by turns where the area would be if the width were even, and in the middle
            guess = self.levels[low] + (area - least) / (most - least) * (self.levels[high] - self.levels[low])
            k = (low + high) // 2 if is_halved or not most > least else int(np.searchsorted(self.levels, guess))
            k, is_halved = min(max(k, low + 1), high - 1), not is_halved
            found = self.below(float(self.levels[k]))[0]
            low, high, least, most = (k, high, found, most) if found <= area else (low, k, least, found)
        bottom, top = float(self.levels[low]), float(self.levels[high])
        # between them the width w of the region is linear: 2 r / (w + √(w² + 2 w′ r)) is where it has gathered r
        across = (self.bottom <= bottom) & (self.top >= top)
        slope = float((self.step[across] / (self.top - self.bottom)[across]).sum())
        gathered, height = self.below(bottom)[0], top - bottom
        width = (self.below(top)[0] - gathered) / height - slope * height / 2
        left = area - gathered
        divisor = width + math.sqrt(max(0.0, width * width + 2 * slope * left))
        return bottom + (min(max(2 * left / divisor, 0.0), height) if divisor > 0 else height * (left > 0))


def _chords(placed: PlacedOutline, reference: Array, tolerance: float) -> Iterator[tuple[Array, ...]]:
    """The fields of the region for each curve of an outline, and for the edges that close it."""
    outline, scale, weight = placed
    origin = reference / scale

    def fields(points: Array, sliver: Array, width: float) -> tuple[Array, ...]:
        p, n = (points - origin) * scale, len(points) - 1  # not the origin of the file: far from it digits are lost
        return p[:-1], p[1:], np.full(n, weight), sliver * weight, np.full(n, width)

    curves = outline.curves
    for k, curve in enumerate(curves):
        points = curve.flattened(tolerance / scale)
        sliver, width = np.zeros((len(points) - 1, 3)), 0.0
        if isinstance(curve, Bezier | EllipticArc):
            sliver, width = _slivers(curve, points, origin, scale), tolerance
        yield fields(points, sliver, width)
        closing = np.array([curve.end, curves[(k + 1) % len(curves)].start])
        yield fields(closing, np.zeros((1, 3)), 0.0)


def _slivers(curve: Bezier | EllipticArc, points: Array, origin: Array, scale: float) -> Array:
    """∫ 1, x, y over the slivers between a curve and its chords, in metres, relative to `origin`: of triangles (p, x(t), x(t))."""
    n = len(points) - 1
    t, weight = nodes_between(np.linspace(0.0, 1.0, n + 1), _NODES)
    away, speed = curve.along(t)
    first = np.repeat(points[:-1], _NODES, axis=0) - curve.start
    area = sweep(away - first, speed, weight) * scale**2
    middle = ((first + 2 * away) / 3 + (curve.start - origin)) * scale
    integrals = np.column_stack([area, area[:, np.newaxis] * middle])
    return np.asarray(integrals.reshape(n, _NODES, 3).sum(axis=1))

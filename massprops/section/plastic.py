"""Plastic bending: statical moments of the halves of a section, plastic neutral axes and plastic moduli.

With h the height over an axis, s the coordinate along it and c a level, Green's theorem gives the part of a region below c as sums
over its outlines, run through counter-clockwise: A(c) = ∬ 1 = ∮ (c − h)₊ ds and Q(c) = ∬ (c − h) = ½ ∮ (c − h)₊² ds.

W(c) = ∬ |h − c| is convex and W′(c) = 2 A(c) − A: the plastic modulus is its minimum, at the level that halves the area, and to first
order does not change with that level. Regions that differ by an area δ have W(c) that differ by at most δ times the largest |h − c|, and
so have their minima. Between the heights of two neighbouring vertices A(c) is quadratic, and is solved. Of a curve, the slivers between
it and many chords are integrated; one that the level cuts is taken for a piece of a parabola, and all of it counted as an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from massprops.moments.arrays import Array, product
from massprops.moments.uncertainty import U
from massprops.section.curves import Bezier, EllipticArc, sweep
from massprops.section.curves.quadrature import nodes_between
from massprops.section.outline import ROUNDINGS, Outline
from massprops.values import dataclass

#: How far chords may be from a curve, in sizes of the section: the slivers between them are integrated, so this is no error.
FLATNESS = 1e-6
#: Nodes of the quadrature on each sliver: the curve turns by some milliradians there.
_NODES = 4
#: Edges that are worked on at a time, and within what share of the height, at first, the level that halves the area is looked for.
_BLOCK, _NEAR = 8192, 2.0**-10
#: Share of breadth times height that may be added to half of the area, or taken away, and has its level in a narrower range, too.
_SURE = 1e-13


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
    points : ndarray, shape (2, n + 1)
        Closed polygons, one after the other: chords lead from each point to the next.
    weight : ndarray, shape (n,)
        0 of the chord from one polygon to the next.
    slivers : ndarray, shape (4, n), or (4, 0) where all edges are straight
        ∫ 1, x, y over the sliver between chord and curve, times the weight, and how far the curve may be from its chord.
    """

    points: Array
    weight: Array
    slivers: Array

    @classmethod
    def of(cls, outlines: Sequence[PlacedOutline], reference: Array, size: float) -> Region:
        """Region inside outlines that is `size` across, relative to `reference`, shape (2,), in metres."""
        polygons = [_polygon(o, reference / o.scale, FLATNESS * size) for o in outlines]
        ends = np.cumsum([len(points) + 1 for points, _ in polygons])
        points, weight = np.empty((2, ends[-1])), np.zeros(ends[-1])
        slivers = np.zeros((4, 0 if all(found is None for _, found in polygons) else len(weight)))
        for (polygon, found), (_, scale, ratio), end in zip(polygons, outlines, ends.tolist(), strict=True):
            own = slice(end - len(polygon) - 1, end - 1)
            # not the origin of the file: far from it digits are lost
            np.subtract(polygon.T, (reference / scale)[:, np.newaxis], out=points[:, own])
            points[:, own] *= scale
            points[:, end - 1], weight[own] = points[:, own.start], ratio
            if found is not None:
                slivers[:, own] = found
        return cls(points, weight[:-1], slivers[:, :-1])

    def halves(self, normal: Array, mean: float, error: float, shift: float) -> HalfPlaneIntegrals:
        """Integrals over both sides of the axis through the centroid at right angles to a unit vector.

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
        view = _View(self, normal, mean)
        extent = 2 * view.upper - view.highest - view.lowest
        rounding = ROUNDINGS * U * extent * view.breadth
        slack = error + rounding
        # in a gap at half of the area, any level halves it: the middle
        level = sum(view.level(view.area / 2 + side * rounding) for side in (-1, 1)) / 2
        modulus = 2 * view.around.below(level)[0] - (view.first - view.area * (view.upper - level))
        doubt, longest = view.doubt(level)
        ends = [view.level(view.area / 2 + side * (slack / 2 + 2 * doubt)) for side in (-1, 1)]
        by_area = slack * extent + doubt * longest
        away = max(abs(end - level) for end in ends) + 8 * U * extent
        return HalfPlaneIntegrals(
            (view.statical, (by_area + view.area * shift) / 2), (modulus, by_area), (level - mean, away + shift)
        )


def _dot(a: Array, b: Array) -> float:
    """a · b in an order of sums that does not depend on the processor, as that of BLAS does."""
    return float((a * b).sum())


def _integrals(edges: Array, level: float) -> tuple[float, float]:
    """Q(c) and A(c) of some edges, as `_View.blocks` has them."""
    bottom, top, step = edges[:3]
    low, high = level - top, level - bottom
    under = (low >= 0).astype(np.float64)  # the share of each chord
    cut = np.flatnonzero((low < 0) & (high > 0))
    under[cut] = high[cut] / (high[cut] - low[cut])
    low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    step, both = step * under, low + high
    first, area = _dot(step, both * both - low * high) / 6, _dot(step, both) / 2
    if len(edges) > 3:
        # a cut sliver as between chord and parabola, 6 u (1 − u) high
        sliver, moment = edges[3:5]
        u, share = under[cut], under * under * (3 - 2 * under)
        area += _dot(share, sliver)
        share[cut] = 0.0
        first += level * _dot(share, sliver) - _dot(share, moment)
        first += _dot(sliver[cut], high[cut] * u * u * (1 - u / 2))
    return first, area


#: Q, A, A′ and A″ at a level. A = Q′, and between neighbouring vertices A is quadratic.
_Series = tuple[float, float, float, float]


def _settled(edges: Array, bottom: float, top: float) -> tuple[_Series, Array]:
    """Series at the lower of two levels of edges without a vertex between them, and the others; between two levels, curves are others."""
    low, high, step = edges[:3]
    is_open = (high > bottom) & (low < top) & ((low > bottom) | (high < top))
    is_open &= step != 0
    if len(edges) > 3 and bottom < top:
        is_open |= (high > bottom) & (low < top) & (edges[5] > 0)
    left = edges[:, is_open]
    settled = np.where(is_open, 0.0, edges[2:])
    first, area = _integrals(np.concatenate([edges[:2], settled]), bottom)
    cut = np.flatnonzero((low <= bottom) & (high > bottom))
    slope = settled[0, cut] / (high[cut] - low[cut])
    width = _dot(settled[0], high <= bottom) + _dot(slope, bottom - low[cut])
    return (first, area, width, float(slope.sum())), left


@dataclass(frozen=True, eq=False)
class _Slab:
    """A region between two levels: the edges that have a vertex there, or are curves, and a series of all others from the lower level."""

    bottom: float
    top: float
    series: _Series
    edges: Array

    @classmethod
    def of(cls, blocks: Iterable[Array], bottom: float, top: float, series: _Series = (0.0, 0.0, 0.0, 0.0)) -> _Slab:
        """Slab of blocks of edges, and of a series at the lower level."""
        found = [_settled(edges, bottom, top) for edges in blocks]
        first, area, width, slope = map(math.fsum, zip(series, *(own for own, _ in found), strict=True))
        return cls(bottom, top, (first, area, width, slope), np.concatenate([left for _, left in found], axis=1))

    def below(self, level: float) -> tuple[float, float]:
        """Q(c) and A(c)."""
        first, area = _integrals(self.edges, level)
        return first + self._at(level)[0], area + self._at(level)[1]

    def _at(self, level: float) -> _Series:
        (first, area, width, slope), u = self.series, level - self.bottom
        first += u * (area + u * (width / 2 + u * slope / 6))
        return first, area + u * (width + u * slope / 2), width + u * slope, slope

    # what levels of nearly equal areas have in common

    @cached_property
    def _areas(self) -> tuple[float, float]:
        """Areas below both of its levels."""
        return self.below(self.bottom)[1], self.below(self.top)[1]

    def holds(self, area: float) -> bool:
        """Whether the level below which the region has this area is in the slab."""
        return self._areas[0] <= area <= self._areas[1]

    @cached_property
    def _middle(self) -> tuple[float, float]:
        """The median of its vertices, and the area below; NaN without vertices."""
        heights = self.edges[:2]
        heights = heights[(heights > self.bottom) & (heights < self.top)]
        if not len(heights):
            return math.nan, math.nan
        place = (len(heights) - 1) // 2
        middle = float(np.partition(heights, place)[place])
        return middle, self.below(middle)[1]

    @cached_property
    def _lower(self) -> _Slab:
        return _Slab.of([self.edges], self.bottom, self._middle[0], self.series)

    @cached_property
    def _upper(self) -> _Slab:
        return _Slab.of([self.edges], self._middle[0], self.top, self._at(self._middle[0]))

    def half(self, area: float) -> _Slab | None:
        """Half of the slab, above or below the median of its vertices, that holds the level of this area; None without vertices."""
        if math.isnan(self._middle[0]):
            return None
        return self._upper if self._middle[1] <= area else self._lower

    def level(self, area: float) -> float:
        """Level below which the region has this area."""
        if half := self.half(area):
            return half.level(area)
        # the width w of the region is linear: 2 r / (w + √(w² + 2 w′ r)) is where it has gathered r
        slope = self.series[3] + _settled(self.edges, self.bottom, self.bottom)[0][3]
        (gathered, below), height = self._areas, self.top - self.bottom
        width = (below - gathered) / height - slope * height / 2
        left = area - gathered
        divisor = width + math.sqrt(max(0.0, width * width + 2 * slope * left))
        return self.bottom + (min(max(2 * left / divisor, 0.0), height) if divisor > 0 else height * (left > 0))


class _View:
    """A region by heights over an axis at right angles to `normal`; `mean` is the height of its centroid.

    Attributes
    ----------
    lowest, highest : float
        Of the vertices.
    breadth : float
        Lengths of all chords along the axis.
    upper, first, area : float
        A level above all slivers, and Q and A there.
    statical : float
        Q at the centroid.
    around : _Slab
        Where levels are looked for: near the one that halves the area, as far as it is known.
    """

    def __init__(self, region: Region, normal: Array, mean: float) -> None:
        self._region, self._normal = region, normal
        blocks = (slice(k, k + _BLOCK) for k in range(0, region.points.shape[1], _BLOCK))
        ends = [(float(h.min()), float(h.max())) for h in (product(region.points[:, k].T, normal) for k in blocks)]
        self.lowest, self.highest = min(low for low, _ in ends), max(high for _, high in ends)
        self.upper = self.highest + float(region.slivers[3:].max(initial=0.0))
        sums = []
        for edges in self.blocks():
            at_mean, _ = _settled(edges, mean, mean)
            sums.append((float(np.abs(edges[2]).sum()), *_integrals(edges, self.upper), *at_mean))
        self.breadth, self.first, self.area, self.statical, under, width, _ = map(math.fsum, zip(*sums, strict=True))
        guess = mean + (self.area / 2 - under) / width if width > 0 else mean
        self._guess = min(max(guess, self.lowest), self.highest)
        reach = abs(self._guess - mean) + (self.highest - self.lowest) * _NEAR
        self._look(reach if len(sums) > 1 else math.inf)

    def _look(self, reach: float) -> None:
        self._reach, low, high = reach, self._guess - reach, self._guess + reach
        self.around = _Slab.of(self.blocks(), max(low, self.lowest), min(high, self.highest))
        half = self.area / 2
        off = self.breadth * (self.highest - self.lowest) * _SURE
        while self.around.edges.shape[1] > _BLOCK:
            less = self.around.half(half)
            if less is None or not (less.holds(half - off) and less.holds(half + off)):
                break
            self.around = less

    def blocks(self) -> Iterator[Array]:
        """Edges, as many as stay in the processor's cache.

        Rows: lower end, higher end, length along the axis times weight; of a region with curves too: area and first moment of the sliver,
        its width times the size of the weight, length of the chord.
        """
        region, along = self._region, np.array([self._normal[1], -self._normal[0]])
        for begin in range(0, len(region.weight), _BLOCK):
            some = slice(begin, begin + _BLOCK)
            p, weight, slivers = (
                region.points[:, begin : begin + _BLOCK + 1],
                region.weight[some],
                region.slivers[:, some],
            )
            height, chord = product(p.T, self._normal), p[:, 1:] - p[:, :-1]
            edges = np.empty((7 if slivers.size else 3, len(weight)))
            np.minimum(height[:-1], height[1:], out=edges[0])
            np.maximum(height[:-1], height[1:], out=edges[1])
            np.multiply(product(chord.T, along), weight, out=edges[2])
            if slivers.size:
                edges[3:] = (
                    slivers[0],
                    product(slivers[1:3].T, self._normal),
                    slivers[3] * np.abs(weight),
                    np.hypot(*chord),
                )
            yield edges

    def doubt(self, level: float) -> tuple[float, float]:
        """The area of the slivers that a level cuts, at most, and the longest of all chords of curves."""
        area, longest = 0.0, 0.0
        for bottom, top, _, _, _, width, length in self.blocks() if self._region.slivers.size else ():
            near = np.abs((bottom + top) / 2 - level) <= length / 2 + width
            area += float((length * width)[near].sum())
            longest = max(longest, float(length.max()))
        return area, longest

    def level(self, area: float) -> float:
        """Level below which the region has this area."""
        while not self.around.holds(area) and self._reach < self.highest - self.lowest:
            self._look(8 * self._reach)
        return self.around.level(area)


def _polygon(placed: PlacedOutline, reference: Array, tolerance: float) -> tuple[Array, Array | None]:
    """Points of a polygon in units of the file, and of each chord the column of `Region.slivers`; None where all edges are straight."""
    outline, scale, weight = placed
    if outline.straight:
        return outline.corners, None
    points, columns = [], []
    for curve in outline.curves:
        points.append(curve.flattened(tolerance / scale))
        own = np.zeros((4, len(points[-1])))  # straight from the end of the curve to the beginning of the next one
        if isinstance(curve, Bezier | EllipticArc):
            own[:3, :-1] = _slivers(curve, points[-1], reference, scale).T * weight
            own[3, :-1] = tolerance
        columns.append(own)
    return np.concatenate(points), np.concatenate(columns, axis=1)


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

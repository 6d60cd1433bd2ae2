"""The X-ray: the winding number of a surface along lattices of lines. Does the surface bound each point of the body exactly once?

The integral over a closed surface is ∫ w(x) q(x) dx, w the integer winding number, so it is the body's only where w is 1 inside and
0 outside. Lines are shot through the body along three orthogonal directions in general position, one line at a random place in each
cell of an n × n lattice. Where a line crosses a triangle, w changes by one; sorted along the line, the running sum of the changes
*is* w.

Whether a line meets a triangle is decided edge by edge: an edge counts +1 or −1 if it passes the line's level on its far side, and
the three counts of a triangle add up to its own winding number about the line. An edge counts exactly opposite for its reverse
(both products are rounded before they are subtracted, so the test is antisymmetric to the bit); hence the counts of a closed
surface add up to zero on every line, whatever rounding does: no line leaks through a shared edge or vertex.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from typing import Self

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.mesh.edge_defects import components
from massprops.mesh.source import MeshSource
from massprops.moments.arrays import Array, orthonormal
from massprops.values import dataclass

#: How far the lines are turned away from the axes of the file, about, in radians.
_TILT = 0.1


@dataclass(frozen=True)
class Lattice:
    """Where the lines are: three families of n × n parallel lines, along the axes of a rotated frame.

    Coordinates of the lattice are those of the rotated frame in units of its cells: the body lies in [0, n]³.

    Attributes
    ----------
    lines : int
        n: lines per side of each family.
    rotation : ndarray, shape (3, 3)
        Rows are the axes, in the coordinates of the file.
    low, cell : ndarray, shape (3,)
        Origin of the lattice along the axes, and the sizes of its cells, in file units.
    places : ndarray, shape (3, 2, n * n)
        Of each family k: coordinates along axes k + 1 and k + 2 (mod 3) of the line in every cell; the lines run along axis k.
    """

    lines: int
    rotation: Array
    low: Array
    cell: Array
    places: Array

    @classmethod
    def over(cls, bounds: Array, lines: int, seed: int, *, jittered: bool = True) -> Self:
        """A lattice over a box of shape (2, 3), in general position; the same seed gives the same lines.

        Jittered lines lie anywhere in their cells, independently; else all lie at the same place of their cells.
        """
        random = Random(seed)  # noqa: S311  # lines, not secrets
        # some degrees off the axes: general position, and a lattice hardly larger than the box of a flat or long body
        tilt = np.array([random.gauss(0, _TILT) for _ in range(9)]).reshape(3, 3)
        rotation = orthonormal((np.eye(3) + tilt).T).T * [-1, -1, 1]  # the Q of a QR factorisation, with its signs
        # sums in a fixed order, not products of matrices: the same lines on every processor
        half = (np.abs(rotation) * np.ptp(bounds, axis=0) / 2).sum(axis=1) * (1 + 1e-9)  # no vertex outside by rounding
        half = np.maximum(half, np.spacing(np.abs(bounds).max()))  # a part that is one point still has cells
        low = (rotation * bounds.mean(axis=0)).sum(axis=1) - half
        cells = np.stack(np.divmod(np.arange(lines * lines), lines))
        offset = _uniform(random, (3, 2, lines * lines if jittered else 1))
        return cls(lines, rotation, low, 2 * half / lines, cells + offset)

    def coordinates(self, corners: Array) -> Array:
        """Lattice coordinates of corners, both of shape (3, 3, m) [corner, axis, facet].

        Written out, since a matrix product may round the same vertex differently in different places of an array.
        """
        x, y, z = corners[:, 0], corners[:, 1], corners[:, 2]
        q = np.empty_like(corners)
        for axis, (row, low, cell) in enumerate(zip(self.rotation, self.low, self.cell, strict=True)):
            out = q[:, axis]
            np.multiply(x, row[0] / cell, out=out)
            out += y * (row[1] / cell)
            out += z * (row[2] / cell)
            out -= low / cell
        return q

    def point(self, family: int, line: int, depth: float) -> tuple[float, float, float]:
        """The point at `depth` on a line, in file units."""
        q = np.empty(3)
        q[family] = depth
        q[[(family + 1) % 3, (family + 2) % 3]] = self.places[family, :, line]
        x, y, z = (self.rotation.T * (self.low + q * self.cell)).sum(axis=1).tolist()
        return x, y, z


def _uniform(random: Random, shape: tuple[int, ...]) -> Array:
    """Numbers in [0, 1), 53 random bits each.

    The standard library's generator is the same in all its versions, and importing numpy's takes as long as certifying a small body.
    """
    words = np.frombuffer(random.randbytes(8 * math.prod(shape)), dtype="<u8")
    return (words >> np.uint64(11)).astype(np.float64).reshape(shape) * 2.0**-53


# --- where lines cross triangles, and the winding number between ----------------------------------------------------------------

Index = NDArray[np.intp]

#: A crossing as the compiled core has it.
_COMPILED = np.dtype([("line", np.int64), ("facet", np.int64), ("depth", np.float64), ("change", np.int64)])

#: In cells of the lattice: facets with the same corners are crossed at the same depth but for rounding.
_SAME_DEPTH = 1e-9

#: Pairs of a triangle and a cell that are looked at together: long triangles pass many cells, and memory is bounded.
_PAIRS = 1 << 17


@dataclass(frozen=True)
class Crossings:
    """Where the lines of one family cross the surface: line, depth (lattice units), change of w, and the facet."""

    line: Index
    depth: Array
    change: NDArray[np.int8]
    facet: Index

    def weighted(self, factors: NDArray[np.int8]) -> Self:
        """With the change of every facet multiplied by its factor, shape (facets,): 0 leaves it out, −1 turns it round."""
        change = self.change * factors[self.facet]
        kept = np.flatnonzero(change)
        return type(self)(self.line[kept], self.depth[kept], change[kept], self.facet[kept])

    @classmethod
    def compiled(cls, found: NDArray[np.void]) -> Self:
        """As the compiled core has them: `massprops/native/crossings.c`."""
        return cls(found["line"], found["depth"], found["change"].astype(np.int8), found["facet"])

    @classmethod
    def joined(cls, parts: Sequence[Crossings]) -> Self:
        """All of them together."""
        return cls(
            *(np.concatenate([getattr(p, name) for p in parts]) for name in ("line", "depth", "change", "facet"))
        )


@dataclass(frozen=True)
class Winding:
    """w along the lines of one family: between one crossing and the next on the same line.

    Attributes
    ----------
    line : ndarray of int, shape (s,)
    start, stop : ndarray, shape (s,)
        Depths, in lattice units.
    w : ndarray of int, shape (s,)
    leaks : int
        Lines on which w does not return to zero: none, if the surface is closed.
    folds : int
        How often a line enters and leaves at one depth: through two facets back to back, or by accident through an edge.
    """

    line: Index
    start: Array
    stop: Array
    w: Index
    leaks: int
    folds: int = 0

    @classmethod
    def along(cls, crossings: Crossings) -> Self:
        """From the crossings of one family, in any order."""
        order = np.lexsort((crossings.depth, crossings.line))
        line, depth = crossings.line[order], crossings.depth[order]
        change = crossings.change[order]
        w = np.cumsum(change, dtype=np.intp)
        folds = (np.diff(depth) <= _SAME_DEPTH) & (change[1:] == -change[:-1]) & (line[1:] == line[:-1])
        last = np.append(line[1:] != line[:-1], True) if len(line) else np.zeros(0, dtype=bool)
        total = np.diff(w[last], prepend=0)
        w -= np.repeat(w[last] - total, np.diff(np.flatnonzero(last), prepend=-1))
        inner = np.flatnonzero(~last)
        return cls(
            line[inner],
            depth[inner],
            depth[inner + 1],
            w[inner],
            int(np.count_nonzero(total)),
            int(np.count_nonzero(folds)),
        )


def xray(mesh: MeshSource, lattice: Lattice) -> list[Crossings]:
    """Crossings of the three families of lines with a surface, facet by facet and line by line."""
    parts = list(mesh.map(functools.partial(shoot, lattice)))
    return [Crossings.joined(family) for family in zip(*parts, strict=True)]


def shoot(lattice: Lattice, corners: NDArray[np.floating], first: int = 0) -> list[Crossings]:
    """Crossings of the three families with triangles, shape (n, 3, 3), file units; `first` is the number of the first of them."""
    if core := native.core():
        given = (corners, lattice.rotation / lattice.cell[:, np.newaxis], lattice.low / lattice.cell, lattice.places)
        found = core.crossings(*map(np.ascontiguousarray, given), lattice.lines, first)
        return [Crossings.compiled(np.frombuffer(family, _COMPILED)) for family in found]
    q = lattice.coordinates(np.ascontiguousarray(corners.transpose(1, 2, 0)).astype(np.float64))
    low, high = q.min(axis=0), q.max(axis=0)
    cells = np.clip(np.stack([low, high]).astype(np.intp), 0, lattice.lines - 1)  # (2, axis, m)
    return [_cross(q, low, high, cells, k, lattice, first) for k in range(3)]


def _cross(q: Array, low: Array, high: Array, cells: Index, k: int, lattice: Lattice, first: int) -> Crossings:
    u, v = (k + 1) % 3, (k + 2) % 3
    parts = []
    for facet, cell in _pairs(cells[:, [u, v]], lattice.lines):
        at_u, at_v = places = lattice.places[k].take(cell, axis=1)
        near = (low[u, facet] <= at_u) & (at_u <= high[u, facet]) & (low[v, facet] <= at_v) & (at_v <= high[v, facet])
        facet, cell, places = facet[near], cell[near], places[:, near]
        parts.append(_hit(q[:, :, facet], cell, first + facet, k, places))
    return Crossings.joined(parts)


def _pairs(cells: Index, lines: int) -> Iterator[tuple[Index, Index]]:
    """Facets and the cells that their shadows may touch, in batches; `cells` (2, 2, m): [low, high], [u, v], facet."""
    (low_u, low_v), (high_u, high_v) = cells
    width = high_v - low_v + 1
    ends = np.cumsum((high_u - low_u + 1) * width)
    start = 0
    while start < len(ends):
        base = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, base + _PAIRS, side="right")))
        counts = np.diff(ends[start:stop], prepend=base)
        facet = np.repeat(np.arange(start, stop), counts)
        step_u, step_v = np.divmod(
            np.arange(len(facet)) - np.repeat(ends[start:stop] - counts - base, counts), width[facet]
        )
        yield facet, (low_u[facet] + step_u) * lines + low_v[facet] + step_v
        start = stop


def _hit(q: Array, line: Index, facet: Index, k: int, places: Array) -> Crossings:
    """The crossings among pairs of a triangle, q of shape (3, 3, p), and a line at `places`, shape (2, p)."""
    u = q[:, (k + 1) % 3] - places[0]
    v = q[:, (k + 2) % 3] - places[1]
    above = v > 0
    count = np.zeros(len(line), dtype=np.int8)
    area = np.empty_like(u)
    for i, (a, b) in enumerate(((1, 2), (2, 0), (0, 1))):
        area[i] = u[a] * v[b] - v[a] * u[b]
        count += above[b] & ~above[a] & (area[i] > 0)
        count -= above[a] & ~above[b] & (area[i] < 0)
    hit = np.flatnonzero(count)
    depth = _interpolated(q[:, k][:, hit], area[:, hit])
    return Crossings(
        line[hit], depth, -count[hit], facet[hit]
    )  # along an axis one leaves where the normal points ahead


def _interpolated(depth: Array, area: Array) -> Array:
    """Depth of a line in a triangle, from the depths of its corners and the areas opposite to them; within the triangle's own."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = (depth * area).sum(axis=0) / area.sum(axis=0)
    inside = np.where(np.isfinite(inside), inside, depth.mean(axis=0))  # seen edge-on: anywhere on the edge
    return np.asarray(np.clip(inside, depth.min(axis=0), depth.max(axis=0)))


#: The chance that a wrong region larger than the bound was missed by every line.
ALPHA = 1e-3


# --- where w leaves {0, 1}, how much volume that is, and what the lines cannot have missed --------------------------------------


@dataclass(frozen=True)
class Region:
    """A connected set of line segments on which w is wrong: a point inside it, and about how much volume it is (file units)."""

    place: tuple[float, float, float]
    volume: float


@dataclass(frozen=True)
class Offence:
    """Where w is wrong in one way: `multiple` (2 or more: counted several times) or `negative` (−1 or less: inside out).

    Attributes
    ----------
    share : float
        Of the volume where w is not 0.
    extreme : int
        The value of w that is furthest off.
    regions : tuple of Region
        Largest first.
    """

    share: float
    extreme: int
    regions: tuple[Region, ...]


@dataclass(frozen=True)
class Verdict:
    """The outcome of an X-ray.

    Attributes
    ----------
    lines : int
        How many lines were shot, all families together.
    leaks : int
        Lines on which w does not return to zero.
    multiple, negative : Offence or None
        Where w is wrong.
    empty : bool
        Whether w is zero everywhere.
    folds : int
        How often a line enters and leaves at one depth.
    copies : int
        The greatest common divisor of all values of w: 2 if every wall is there twice.
    hidden : float
        With a probability of 1 − `ALPHA`, no region with w outside {0, 1} that the lines have missed is larger: a volume, file units.
    """

    lines: int
    leaks: int
    multiple: Offence | None
    negative: Offence | None
    copies: int
    empty: bool
    hidden: float
    folds: int

    @property
    def valid(self) -> bool:
        """Whether w is 0 or 1 on every line."""
        return not self.leaks and self.multiple is None and self.negative is None

    @property
    def uniform(self) -> bool:
        """Whether w is 0 or `copies`, 2 or more: every point is counted equally often."""
        once_each = self.multiple is not None and self.multiple.extreme == self.copies
        return not self.leaks and once_each and self.negative is None


def judge(windings: Sequence[Winding], lattice: Lattice, noise: float) -> Verdict:
    """The verdict on w along the lines of three families; segments shorter than `noise` (file units) are rounding."""
    values = [np.where(w.stop - w.start > noise / lattice.cell[k], w.w, 0) for k, w in enumerate(windings)]
    return Verdict(
        lines=3 * lattice.lines**2,
        leaks=sum(w.leaks for w in windings),
        multiple=_offence([w >= 2 for w in values], windings, lattice),
        negative=_offence([w <= -1 for w in values], windings, lattice),
        copies=int(np.gcd.reduce(np.concatenate(values))),
        empty=not any(w.any() for w in values),
        hidden=hidden_volume(lattice),
        folds=sum(w.folds for w in windings),
    )


def hidden_volume(lattice: Lattice, alpha: float = ALPHA) -> float:
    """The largest volume that three families of N independent lines miss with a probability of more than `alpha`, file units.

    One line at a random place in each of N cells misses a set with the share s of the lattice's area with a probability of
    Π(1 − sᵢ) ≤ exp(−N s), and the three families are independent. A region of volume V has shadows σ₁ σ₂ σ₃ ≥ V² (Loomis and Whitney
    1949), and s₁ + s₂ + s₃ ≥ 3 (s₁ s₂ s₃)^⅓, so that the probability is below exp(−3 N (V² / (A₁ A₂ A₃))^⅓), A the lattice's areas.

    The confidence assumes that the surface was not made to fit the lines. They follow from a digest of all coordinates
    (`Surface.seed`), so that whoever changes the surface to hide something between them changes them too, unless the digest is kept on
    purpose; trying m variants of a file until one passes multiplies α by m.
    """
    n = lattice.lines**2
    area_product = float(np.prod(lattice.cell * lattice.lines)) ** 2  # each axis spans two of the three areas
    return math.sqrt(area_product) * math.pow(-math.log(alpha) / (3 * n), 1.5)


def _offence(wrong: list[NDArray[np.bool_]], windings: Sequence[Winding], lattice: Lattice) -> Offence | None:
    if not any(m.any() for m in wrong):
        return None
    lengths = [w.stop - w.start for w in windings]
    bad = np.array([length[m].sum() for length, m in zip(lengths, wrong, strict=True)])
    covered = sum(length[w.w != 0].sum() for length, w in zip(lengths, windings, strict=True))
    family = int(np.argmax(bad))
    values = np.concatenate([w.w[m] for w, m in zip(windings, wrong, strict=True)])
    extreme = int(values[np.argmax(np.abs(values))])
    regions = _regions(windings[family], np.flatnonzero(wrong[family]), family, lattice)
    return Offence(float(bad.sum() / covered), extreme, regions)


def _regions(winding: Winding, members: Index, family: int, lattice: Lattice) -> tuple[Region, ...]:
    """Wrong segments of one family, joined where they lie in neighbouring cells and overlap in depth."""
    length = winding.stop[members] - winding.start[members]
    labels = components(len(members), *_neighbours(winding, members, lattice.lines))
    volume = float(np.prod(lattice.cell))
    found = []
    for label in np.unique(labels):
        mine = np.flatnonzero(labels == label)
        longest = members[mine[np.argmax(length[mine])]]
        middle = (winding.start[longest] + winding.stop[longest]) / 2
        found.append(
            Region(lattice.point(family, int(winding.line[longest]), float(middle)), float(length[mine].sum()) * volume)
        )
    return tuple(sorted(found, key=lambda r: -r.volume))


def _neighbours(winding: Winding, members: Index, lines: int) -> tuple[Index, Index]:
    """Pairs of segments (numbered within `members`) in cells with a common side or corner that overlap in depth."""
    cells: dict[int, list[int]] = defaultdict(list)
    for i, line in enumerate(winding.line[members].tolist()):
        cells[line].append(i)
    pairs = [
        (i, j)
        for line, here in cells.items()
        for row, column in ((0, 1), (1, -1), (1, 0), (1, 1))
        if 0 <= line % lines + column < lines
        for j in cells.get(line + row * lines + column, ())
        for i in here
        if winding.start[members[i]] < winding.stop[members[j]] and winding.start[members[j]] < winding.stop[members[i]]
    ]
    u, v = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return u, v

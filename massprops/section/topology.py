"""Whether there is one area: which rings meet, which lie in which, how often each winds round a point, and what it counts.

Tests: `tests/measurement/test_section.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np

from massprops.errors import InvalidGeometry
from massprops.moments.arrays import Array, Index, Mask, expand_counts
from massprops.section.crossings import Contact, contacts
from massprops.section.curves import box, stretches

Rule = Literal["evenodd", "nonzero", "orientation"]

#: Pairs of an edge and a point that are compared at a time: what stays in cache.
_BLOCK = 1 << 16
#: A probe stands this share of its edge's length beside the edge's middle: nearer to it than to anything else that a drawing means.
_BESIDE = 1e-6
#: Pairs of rings, one within the bounds of the other, that are tested: 4,000 rings nested in each other have eight million.
MOST_PAIRS = 10_000_000


def winding(points: Array, ring: Array) -> Index:
    """Winding numbers of the closed polygon `ring` (n, 2) about `points` (m, 2), none of them on it: signed crossings of a ray along x."""
    order = np.argsort(points[:, 1], kind="stable")
    heights, after = points[order, 1], np.roll(ring, -1, axis=0)
    first, end = np.searchsorted(heights, np.sort([ring[:, 1], after[:, 1]], axis=0))  # points beside each edge
    found = np.zeros(len(points), dtype=np.intp)
    for i, number in expand_counts(end - first, _BLOCK):
        k = order[first[i] + number]
        a, b, (x, y) = ring[i], after[i], points[k].T
        side = (b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (x - a[:, 0]) * (b[:, 1] - a[:, 1])
        downward = a[:, 1] > y
        through = (~downward & (side > 0)).astype(np.intp) - (downward & (side < 0))
        found += np.bincount(k, weights=through, minlength=len(points)).astype(np.intp)
    return found


@dataclass(frozen=True)
class Defect:
    """Defect of one ring or between two: a code, the rings, and the place."""

    code: str
    rings: tuple[int, int]
    where: tuple[float, float]


@dataclass
class Topology:
    """How rings lie to each other.

    Attributes
    ----------
    rings : list of ndarray, shape (n, 2)
        Flattened, no point equal to the one before.
    turns : ndarray of int, shape (r,)
        1: counter-clockwise, −1: clockwise.
    inner, outer : ndarray of int, shape (k,)
        Every pair of rings of which one lies inside the other.
    crossings : list of Defect
        `self-crossing`, `rings-cross`, `duplicate-rings`: there is no single area.
    touching : list of Defect
        `self-touching`, `rings-touch`: there is one.
    """

    rings: list[Array]
    turns: Index
    inner: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    outer: Index = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    crossings: list[Defect] = field(default_factory=list)
    touching: list[Defect] = field(default_factory=list)

    def windings(self) -> tuple[Index, Index]:
        """Winding numbers just outside and just inside of every ring."""
        turns = self.turns[self.outer]
        outside = self.count_around(turns > 0) - self.count_around(turns < 0)
        return outside, outside + self.turns

    def count_around(self, chosen: Mask) -> Index:
        """How many of the chosen pairs (k,) have each ring as the inner one, shape (r,)."""
        return np.bincount(self.inner[chosen], minlength=len(self.rings))

    def signs(self, rule: Rule) -> Index:
        """Weight of each ring: 1 adds its inside, −1 takes it away, 0 changes nothing."""
        if rule == "evenodd":
            return np.where(np.bincount(self.inner, minlength=len(self.rings)) % 2 == 0, 1, -1)
        outside, inside = self.windings()
        if rule == "nonzero":
            return np.asarray((inside != 0).astype(np.intp) - (outside != 0).astype(np.intp))
        return np.asarray(self.turns)

    def stated_signs(self, polygons: Index, nonzero: Mask) -> Index:
        """Weight of each ring by the rule of its own polygon, shapes (r,); what an odd number of polygons cover is inside."""
        same = polygons[self.inner] == polygons[self.outer]
        turns = self.turns[self.outer]
        outside = self.count_around(same & (turns > 0)) - self.count_around(same & (turns < 0))
        wound = ((outside + self.turns) != 0).astype(np.intp) - (outside != 0)
        own = np.where(nonzero, wound, np.where(self.count_around(same) % 2 == 0, 1, -1))
        around = np.zeros_like(own)
        np.add.at(around, self.inner[~same], own[self.outer[~same]])
        return np.where(around % 2 == 0, own, -own)


def topology(rings: list[Array], turns: Iterable[int], name: str = "the section") -> Topology:
    """How closed polygons lie to each other; `name` is that of the file, for messages.

    Raises
    ------
    InvalidGeometry
        Code ``too-many-rings``: more pairs than `MOST_PAIRS` lie in each other's bounds.
    """
    meetings = contacts(rings)
    found = Topology(rings, np.array(list(turns), dtype=np.intp))
    touching: dict[tuple[int, int], list[Contact]] = defaultdict(list)
    for c in meetings:
        if c.kind == "cross":
            code = "self-crossing" if c.rings[0] == c.rings[1] else "rings-cross"
            found.crossings.append(Defect(code, c.rings, c.where))
        else:
            touching[c.rings].append(c)
    if found.crossings:
        return found
    nested: list[tuple[int, int]] = []
    for (one, other), group in touching.items():
        if one == other:
            _judge_own(found, one, group)
        else:
            nested += _judge_pair(found, one, other, group)
    if not found.crossings:
        _nest(found, set(touching), nested, name)
    return found


def _judge_own(found: Topology, ring: int, group: list[Contact]) -> None:
    """A ring that touches itself has one area if it winds round everything once or not at all, in its own sense."""
    points, turn = found.rings[ring], int(found.turns[ring])
    for c in group:
        left, right = _beside(points, [*c.edges])
        numbers = {*winding(left, points).tolist(), *winding(right, points).tolist()}
        if not numbers <= {0, turn}:
            found.crossings.append(Defect("self-crossing", c.rings, c.where))
            return
    found.touching += [Defect("self-touching", c.rings, c.where) for c in group]


def _judge_pair(found: Topology, one: int, other: int, group: list[Contact]) -> list[tuple[int, int]]:
    """Two rings that touch have one area if each lies on one side of the other, wherever they do not run along each other.

    Returns the pair as (inner, outer) if one lies inside the other.
    """
    pairs, edges = [(one, other), (other, one)], zip(*(c.edges for c in group), strict=True)
    sides = [_sides(found.rings[i], list(e), found.rings[j]) for (i, j), e in zip(pairs, edges, strict=True)]
    if not any(sides) or max(map(len, sides)) > 1:
        code = "rings-cross" if any(sides) else "duplicate-rings"
        found.crossings.append(Defect(code, (one, other), group[0].where))
        return []
    found.touching += [Defect("rings-touch", c.rings, c.where) for c in group]
    return [pair for pair, side in zip(pairs, sides, strict=True) if True in side]


def _sides(points: Array, edges: list[int], ring: Array) -> set[bool]:
    """Sides of `ring` on which the edges of `points` near a contact are (True: inside); none of edges that run along it."""
    left, right = (winding(p, ring) != 0 for p in _beside(points, edges))
    return set(left[left == right].tolist())


def _beside(points: Array, edges: list[int]) -> tuple[Array, Array]:
    """Points to the left and to the right of the middles of edges and of their neighbours."""
    n = len(points)
    k = np.unique([(e + d) % n for e in edges for d in (-1, 0, 1)])
    a, b = points[k], points[(k + 1) % n]
    normal = np.column_stack([a[:, 1] - b[:, 1], b[:, 0] - a[:, 0]]) * _BESIDE
    middle = a + (b - a) * 0.4875  # not the half: what a drawing repeats, it repeats at halves
    return middle + normal, middle - normal


def _nest(found: Topology, decided: set[tuple[int, int]], nested: list[tuple[int, int]], name: str) -> None:
    """Nesting of the rings: a point of each decides where they do not touch; `nested` are the pairs that do."""
    boxes = np.array([box(r) for r in found.rings])
    order = np.argsort(boxes[:, 0, 0], kind="stable")
    low, high = boxes[order, 0], boxes[order, 1]
    last = np.searchsorted(low[:, 0], high[:, 0], side="right")
    points = np.array([r[0] for r in found.rings])
    touching = np.array(nested, dtype=np.intp).reshape(-1, 2)
    inner, outer, pairs = [touching[:, 0]], [touching[:, 1]], 0
    for k, j in enumerate(order.tolist()):
        near = slice(int(np.searchsorted(low[:, 0], low[k, 0])), int(last[k]))  # those that begin in its range of x
        within = (high[near, 0] <= high[k, 0]) & (low[near, 1] >= low[k, 1]) & (high[near, 1] <= high[k, 1])
        asked = order[near][within]
        pairs += len(asked)
        if pairs > MOST_PAIRS:
            message = f"{name}: more than {MOST_PAIRS:,} pairs of rings lie inside each other"
            hint = "measure the file in parts, for example by layer"
            raise InvalidGeometry(message, code="too-many-rings", hint=hint)
        asked = asked[asked != j]
        if decided:
            asked = np.array([i for i in asked.tolist() if (min(i, j), max(i, j)) not in decided], dtype=np.intp)
        if len(asked):
            inside = asked[winding(points[asked], found.rings[j]) != 0]
            inner.append(inside)
            outer.append(np.full(len(inside), j))
    found.inner, found.outer = np.concatenate(inner), np.concatenate(outer)


def spikes(points: Array) -> Array:
    """Corners of a closed polygon where it turns back on itself exactly, shape (k, 2)."""
    found: list[Array] = []
    for some in stretches(np.concatenate([points[-1:], points, points[:1]]), 2):
        step = some[1:] - some[:-1]
        x, y = (step[:-1] * step[1:]).T
        k = np.flatnonzero(x + y < 0)
        (a, b), (c, d) = step[k].T, step[k + 1].T
        doubtful = np.abs(a * d - b * c) <= 4e-16 * (np.abs(a * d) + np.abs(b * c))
        found += [some[i + 1] for i in k[doubtful].tolist() if _is_straight(some[i : i + 3])]
    return np.array(found).reshape(-1, 2)


def _is_straight(corners: Array) -> bool:
    """Whether three points lie on one line exactly."""
    a, b, c = ([Fraction(float(x)) for x in p] for p in corners)
    return (b[0] - a[0]) * (c[1] - b[1]) == (b[1] - a[1]) * (c[0] - b[0])


def collinear(points: Array) -> bool:
    """Whether all points lie on one line, but for what rounding their coordinates does: some units in the last place."""
    p = points - points[0]
    far = p[int(np.abs(p).max(axis=1).argmax())]
    size = float(np.abs(far).max())
    across = np.abs(p[:, 0] * far[1] - p[:, 1] * far[0]).max(initial=0.0)
    rounding = 16 * float(np.finfo(np.float64).eps) * max(float(np.abs(points).max()), size)
    return bool(across <= rounding * size)

"""Is the winding number 0 or 1 round surfaces that touch? Decided in whole numbers, where no two facets pass through each other.

The winding number w is one more behind a facet than in front of it. Facets that touch divide each other along segments. Round a segment,
the facets that meet there are put in order of their angle; those at one angle cancel where their fronts are opposite. Where the rest face
alternately one way and the other, w takes two values, and is the same in front of all of them. So it is in front of all facets that are
connected by such segments and by edges, and one ray from each connected part tells whether it is 0. Points in common decide nothing.

Tests: `tests/mesh/test_contact.py`.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from massprops.mesh.box_tree import NO_LIMIT, Index, Points, facet_boxes, meeting_boxes
from massprops.mesh.connectivity import components
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.values import dataclass

Vector = tuple[int, int, int]
#: Direction and moment x × direction of a line, without a common factor.
Line = tuple[Vector, Vector]
#: A half-plane at a line: its direction square to that, and by how much w changes where one turns through it.
Half = tuple[Vector, int]

#: Rays from a part before it is given up because all of them meet edges.
_TRIES = 16
#: Rays rise so steeply that they stay in slim boxes.
_UP = 1 << 20


def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Vector, b: Vector) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _combine(x: int, a: Vector, y: int, b: Vector) -> Vector:
    return x * a[0] + y * b[0], x * a[1] + y * b[1], x * a[2] + y * b[2]


def _line(direction: Vector, moment: Vector) -> Line:
    divisor = math.gcd(*direction, *moment)
    if direction < (0, 0, 0):
        divisor = -divisor
    d, e, f, x, y, z = (c // divisor for c in (*direction, *moment))
    return (d, e, f), (x, y, z)


@dataclass(frozen=True, eq=False)
class _Facet:
    """Corners and normal of a facet, and its edges with the directions into it that are square to them."""

    corners: tuple[Vector, Vector, Vector]
    normal: Vector

    @classmethod
    def of(cls, a: Vector, b: Vector, c: Vector) -> _Facet:
        return cls((a, b, c), _cross(_minus(b, a), _minus(c, a)))

    @functools.cached_property
    def edges(self) -> tuple[tuple[Vector, Vector, Vector], ...]:
        """Start, direction, and the direction into the facet."""
        a, b, c = self.corners
        return tuple(
            (p, d, _cross(self.normal, d)) for p, d in ((a, _minus(b, a)), (b, _minus(c, b)), (c, _minus(a, c)))
        )

    def on(self, line: Line) -> tuple[Fraction, Fraction, tuple[int, ...]] | None:
        """From where to where a line in its plane is in it, if it is longer than a point, and on which sides of the line it is."""
        direction, moment = line
        size, foot = _dot(direction, direction), _cross(direction, moment)
        sides: tuple[int, ...] = (1, -1)
        bounds: tuple[list[Fraction], list[Fraction]] = ([], [])
        for a, _, into in self.edges:
            start, step = _dot(into, foot) - size * _dot(into, a), _dot(into, direction)
            if step:
                bounds[step < 0].append(Fraction(-start, step))
            elif start < 0:
                return None
            elif not start:  # along an edge
                sides = (1 if _dot(into, _cross(self.normal, direction)) > 0 else -1,)
        low, high = max(bounds[0]), min(bounds[1])
        return (low, high, sides) if low < high else None

    def is_beside(self, other: _Facet) -> bool:
        """Whether all of another facet in its plane lies beyond one of its sides."""
        return any(all(_dot(into, _minus(p, a)) <= 0 for p in other.corners) for a, _, into in self.edges)


@dataclass(frozen=True, eq=False)
class _Start:
    """A point (divided by `scale`) from which a ray is sent, the facets that it lies on, and the half-planes round a line through it; or
    none, and the normal of its facet.
    """

    point: Vector
    scale: int
    own: frozenset[int]
    halves: tuple[Half, ...]
    direction: Vector

    def is_behind(self, ray: Vector) -> bool | None:
        """Whether a ray begins behind the facets, where w is one more than in front of them; None where it lies in one of them."""
        if not self.halves:
            front = _dot(ray, self.direction)
            return front < 0 if front else None
        if any(not _dot(self.direction, _cross(u, ray)) for u, _ in self.halves):
            return None
        found = [jump for _, jump in _turn_round(self.direction, [*self.halves, (ray, 2)])]
        place = found.index(2)
        return next(jump for jump in (*found[place + 1 :], *found[:place]) if jump) < 0


def _turn_round(direction: Vector, halves: Sequence[Half]) -> list[Half]:
    """Half-planes in the order in which one meets them round a direction."""
    first = halves[0][0]

    def quarter(u: Vector) -> int:
        turned, ahead = _dot(direction, _cross(first, u)), _dot(first, u)
        return (0 if ahead > 0 else 2) if not turned else 1 if turned > 0 else 3

    def compare(one: Half, other: Half) -> int:
        a, b = quarter(one[0]), quarter(other[0])
        return a - b if a != b or a in (0, 2) else -_sign(_dot(direction, _cross(one[0], other[0])))

    return sorted(halves, key=functools.cmp_to_key(compare))


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)


def _net(direction: Vector, halves: Sequence[Half]) -> list[Half] | None:
    """Half-planes with those at one angle added up, without those that cancel; None where the rest do not alternate."""
    together: list[Half] = []
    for u, jump in _turn_round(direction, halves):
        last = together[-1] if together else None
        if last and not _dot(direction, _cross(last[0], u)) and _dot(last[0], u) > 0:
            together[-1] = (u, last[1] + jump)
        else:
            together.append((u, jump))
    left = [h for h in together if h[1]]
    alternate = all(abs(h[1]) == 1 and h[1] == -left[i - 1][1] for i, h in enumerate(left))
    return left if alternate else None


class _Contacts:
    """Facets that touch, in whole numbers."""

    def __init__(self, points: Points, faces: Index) -> None:
        self.points, self.faces = points, faces
        _, exponent = np.frexp(points)
        self._unit = 1 << max(0, 53 - int(exponent[points != 0].min(initial=0)))
        self._facets: dict[int, _Facet] = {}

    def facet(self, number: int) -> _Facet:
        if number not in self._facets:
            a, b, c = (self._whole(k) for k in self.faces[:, number].tolist())
            self._facets[number] = _Facet.of(a, b, c)
        return self._facets[number]

    def _whole(self, vertex: int) -> Vector:
        x, y, z = (n * (self._unit // d) for n, d in (float(p).as_integer_ratio() for p in self.points[:, vertex]))
        return x, y, z

    def to_float(self, point: Vector, scale: int) -> list[float]:
        """A point in the coordinates of the surface, rounded."""
        return [float(Fraction(x, scale * self._unit)) for x in point]

    def lines(self, pairs: Index) -> tuple[dict[Line, set[int]], set[int]]:
        """Lines along which facets touch, with the facets that do; and the facets that have an area in common with another."""
        found: dict[Line, set[int]] = defaultdict(set)
        covered: set[int] = set()
        for one, other in pairs.tolist():
            f, g = self.facet(one), self.facet(other)
            if not any(f.normal) or not any(g.normal):  # without area: it bounds nothing
                continue
            direction = _cross(f.normal, g.normal)
            if any(direction):
                moment = _combine(_dot(g.normal, g.corners[0]), f.normal, -_dot(f.normal, f.corners[0]), g.normal)
                candidates = [_line(direction, moment)]
            else:
                candidates = [_line(d, _cross(a, d)) for a, d, _ in (*f.edges, *g.edges)]
                if not f.is_beside(g) and not g.is_beside(f):
                    covered |= {one, other}
            for line in candidates:
                mine, its = f.on(line), g.on(line)
                if mine and its and max(mine[0], its[0]) < min(mine[1], its[1]):
                    found[line] |= {one, other}
        return found, covered

    def segments(self, line: Line, members: set[int]) -> Iterator[tuple[_Start, list[Half] | None]]:
        """The segments of a line between its ends in facets: a point of each, with all half-planes there, and what is left of them."""
        spans = [(k, span) for k in sorted(members) if (span := self.facet(k).on(line)) is not None]
        ends = sorted({end for _, span in spans for end in span[:2]})
        direction, moment = line
        size, foot = _dot(direction, direction), _cross(direction, moment)
        for low, high in itertools.pairwise(ends):
            here = [(k, sides) for k, (begin, end, sides) in spans if begin <= low and high <= end]
            across = {k: _cross(self.facet(k).normal, direction) for k, _ in here}
            halves = [(_combine(side, across[k], 0, across[k]), -side) for k, sides in here for side in sides]
            if halves:
                # not in the middle, where corners of others often are
                left, middle = _net(direction, halves), (377 * low + 610 * high) / 987
                point = _combine(middle.denominator, foot, middle.numerator, direction)
                own = frozenset(k for k, _ in here)
                yield _Start(point, size * middle.denominator, own, tuple(left or ()), direction), left


def winds_once_in_contact(points: Points, faces: Index, pairs: Index) -> bool:
    """Whether w is 0 or 1 everywhere outside of a closed surface whose facets touch in the given pairs alone, shape (n, 2).

    Parameters
    ----------
    points : ndarray, shape (3, V)
        Coordinates of at most 1.
    faces : ndarray of int, shape (3, F)
        The corners of each facet, three different ones.
    pairs : ndarray of int, shape (n, 2)
        All pairs of facets with a point in common that they do not share, or with an edge in the same direction.
    """
    exact, count = _Contacts(points, faces), faces.shape[1]
    lines, covered = exact.lines(pairs)
    flat = {k for k in np.unique(pairs).tolist() if not any(exact.facet(k).normal)}
    whole = np.ones(count, dtype=bool)
    whole[list(covered | flat)] = False
    starts: list[_Start] = []
    ties: list[tuple[int, int]] = []  # of a segment, counted after the facets, and a facet
    for line, members in lines.items():
        for start, left in exact.segments(line, members):
            if left is None:
                return False
            if left:
                ties += [(count + len(starts), k) for k in start.own if whole[k]]
                starts.append(start)
    _, both, opposite = IndexedMesh(points.T, faces.T).shared_edges()
    both = both[:, opposite & whole[both].all(axis=0)]
    tied = np.array(ties, dtype=np.intp).reshape(-1, 2).T
    part = components(count + len(starts), *np.concatenate([both, tied], axis=1))
    heads = np.unique(part[np.append(whole, np.ones(len(starts), dtype=bool))])
    return _is_outside_in_front(exact, [(int(k), starts[k - count] if k >= count else None) for k in heads], flat)


def _is_outside_in_front(exact: _Contacts, heads: list[tuple[int, _Start | None]], flat: set[int]) -> bool:
    """Whether w is 0 in front of one facet, or of the facets round one segment, of each connected part."""
    boxes, generator = facet_boxes(exact.points, exact.faces), np.random.default_rng(len(heads))
    for _ in range(_TRIES):
        if not heads:
            return True
        rays: list[tuple[_Start, Vector, bool | None]] = []
        for facet, start in heads:
            x, y, i, j = generator.integers(1, 1 << 10, 4).tolist()
            ray = (2 * i + 1, 2 * j + 1, _UP)
            at = start or _inside(exact.facet(facet), facet, x, y)
            rays.append((at, ray, at.is_behind(ray)))
        reach = 2.0**-7  # sideways: more than 2 · 2¹¹ / 2²⁰
        feet = np.array([exact.to_float(at.point, at.scale) for at, _, _ in rays]).T
        low, high = feet - reach, feet + reach
        high[2] = 2
        numbers, facets = meeting_boxes(boxes, np.array([low, high]), NO_LIMIT)
        winding = [None if behind is None else 0 for _, _, behind in rays]
        for k, facet in zip(numbers.tolist(), facets.tolist(), strict=True):
            at, ray, _ = rays[k]
            so_far = winding[k]
            if so_far is not None and facet not in at.own and facet not in flat:
                turns = _passes(exact.facet(facet), at, ray)
                winding[k] = None if turns is None else so_far + turns
        if any(w is not None and w != behind for w, (_, _, behind) in zip(winding, rays, strict=True)):
            return False
        heads = [head for head, w in zip(heads, winding, strict=True) if w is None]
    return False


def _inside(facet: _Facet, number: int, x: int, y: int) -> _Start:
    """A point inside a facet."""
    a, b, c = facet.corners
    scale = x + y + (1 << 10)
    return _Start(_combine(1, _combine(x, a, y, b), 1 << 10, c), scale, frozenset([number]), (), facet.normal)


def _passes(facet: _Facet, at: _Start, ray: Vector) -> int | None:
    """By how much w falls where a ray passes a facet; None where it meets an edge, or begins on the facet."""
    a, b, c = (_combine(at.scale, p, -1, at.point) for p in facet.corners)
    sides = {_sign(_dot(ray, _cross(p, q))) for p, q in ((a, b), (b, c), (c, a))}
    if {1, -1} <= sides:
        return 0
    ahead, front = _dot(a, facet.normal), _dot(ray, facet.normal)
    if 0 in sides or not ahead:
        return None
    return _sign(front) if (ahead > 0) == (front > 0) else 0

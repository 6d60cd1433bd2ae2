"""Walls along centre lines: the region within half a thickness of segments and circular arcs, with mitred corners and square ends.

Parallels of segments and arcs are segments and arcs, and neighbours are prolonged or cut to where they meet, so the outline is exact and
covers nothing twice. What a corner gains outside it loses inside: the area of a wall of segments is thickness times length.

Tests: `tests/section/test_walls.py`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from massprops.moments.arrays import Array
from massprops.section.curves import Curve, EllipticArc, Polyline
from massprops.section.outline import Outline

#: Neighbours whose directions differ by less are tangent.
_TANGENT = 1e-7
#: Cosine of the sharpest turn that has a mitre: 150°.
_SHARPEST = math.cos(math.radians(150))


class NoWall(ValueError):
    """A centre line has no wall; its text says why, `where` near which point."""

    def __init__(self, what: str, where: Array) -> None:
        super().__init__(what)
        self.where = where


@dataclass(frozen=True, eq=False)
class _Line:
    start: Array
    end: Array

    @property
    def directions(self) -> tuple[Array, Array]:
        """Unit vectors along it at its ends."""
        d = (self.end - self.start) / math.hypot(*(self.end - self.start))
        return d, d

    def parallel(self, distance: float) -> _Line:
        """Parallel line at a distance to the left."""
        shift = distance * _left(self.directions[0])
        return _Line(self.start + shift, self.end + shift)

    def between(self, start: Array, end: Array) -> Curve:
        """The part between two of its points, in its direction."""
        if not (end - start) @ (self.end - self.start) > 0:
            raise NoWall("a segment is shorter than the corners at its ends take", start)
        return Polyline(np.array([start, end]), is_rounded=True)


@dataclass(frozen=True, eq=False)
class _Arc:
    center: Array
    radius: float
    begin: float
    sweep: float

    def _at(self, angle: float) -> Array:
        return self.center + self.radius * np.array([math.cos(angle), math.sin(angle)])

    @property
    def start(self) -> Array:
        return self._at(self.begin)

    @property
    def end(self) -> Array:
        return self._at(self.begin + self.sweep)

    @property
    def directions(self) -> tuple[Array, Array]:
        """Unit vectors along it at its ends."""
        first, last = (
            math.copysign(1.0, self.sweep) * np.array([-math.sin(a), math.cos(a)])
            for a in (self.begin, self.begin + self.sweep)
        )
        return first, last

    def parallel(self, distance: float) -> _Arc:
        """Concentric arc at a distance to the left."""
        radius = self.radius - distance * math.copysign(1.0, self.sweep)
        if not radius > 0:
            raise NoWall("the radius of a bend is not above half the thickness", self.start)
        return _Arc(self.center, radius, self.begin, self.sweep)

    def between(self, start: Array, end: Array) -> Curve:
        """The part between two of its points, in its direction."""
        begin, finish = (
            angle + (math.atan2(*(point - self.center)[::-1]) - angle + math.pi) % (2 * math.pi) - math.pi
            for point, angle in ((start, self.begin), (end, self.begin + self.sweep))
        )
        if not (finish - begin) * self.sweep > 0:
            raise NoWall("a bend is shorter than the corners at its ends take", start)
        r = self.radius
        ends = np.array([start, end])
        return EllipticArc(self.center, np.array([r, 0.0]), np.array([0.0, r]), begin, finish - begin, ends)


_Piece = _Line | _Arc


def walls(curves: Sequence[Curve], thickness: float, place: str, layer: str, *, closed: bool) -> list[Outline]:
    """Outlines of the wall along a centre line: one, counter-clockwise, or of a closed line the outer one and, clockwise, the inner one.

    Parameters
    ----------
    curves : sequence of Curve
        The centre line, end to end; a closed one is closed with a straight edge.
    thickness : float
        In units of the file, positive.
    place, layer : str
        Of the outlines.
    closed : bool
        Whether its end is joined to its beginning.

    Raises
    ------
    NoWall
        If it has other curves, a corner or bend too sharp for the thickness, or no length.
    """
    pieces = [*_pieces(curves, closed=closed)]
    if not pieces:
        raise NoWall("the centre line has no length", curves[0].start)
    left, right = (_parallel(pieces, side * thickness / 2, closed=closed) for side in (1, -1))
    back = [curve.reversed() for curve in reversed(right)]
    if not closed:
        caps = [
            Polyline(np.array([a.end, b.start]), is_rounded=True) for a, b in ((left[-1], back[0]), (back[-1], left[0]))
        ]
        ring = Outline((*left, caps[0], *back, caps[1]), place, layer=layer)
        return [ring if ring.own_moments.measure > 0 else _reversed(ring)]
    both = [Outline(tuple(own), place, layer=layer) for own in (left, back)]
    if sum(ring.own_moments.measure for ring in both) < 0:
        both = [_reversed(ring) for ring in both]
    return both


def _reversed(ring: Outline) -> Outline:
    return Outline(tuple(c.reversed() for c in reversed(ring.curves)), ring.place, layer=ring.layer)


def _pieces(curves: Iterable[Curve], *, closed: bool) -> Iterator[_Piece]:
    curves = list(curves)
    if closed:
        curves.append(Polyline(np.array([curves[-1].end, curves[0].start])))
    for curve in curves:
        if isinstance(curve, EllipticArc) and (radius := curve.circular_radius) is not None:
            a, b = curve.a, curve.b
            turned = math.copysign(1.0, float(a[0] * b[1] - a[1] * b[0]))
            yield _Arc(curve.center, radius, math.atan2(a[1], a[0]) + turned * curve.begin, turned * curve.sweep)
        elif isinstance(curve, Polyline):
            points = curve.chords()
            for p, q in itertools.pairwise(points):
                if np.hypot(*(q - p)) > 1e-9 * np.abs(points).max():
                    yield _Line(p, q)
        else:
            raise NoWall("a centre line has lines and circular arcs alone, and this is another curve", curve.start)


def _left(direction: Array) -> Array:
    return np.array([-direction[1], direction[0]])


def _parallel(pieces: Sequence[_Piece], distance: float, *, closed: bool) -> list[Curve]:
    """The parallel of a centre line, so far to its left."""
    moved = [piece.parallel(distance) for piece in pieces]
    joints = [_joint(*pair, distance) for pair in itertools.pairwise(pieces)]
    around = [_joint(pieces[-1], pieces[0], distance)] if closed and len(pieces) > 1 else []
    starts = [around[0] if around else moved[0].start, *joints]
    ends = [*joints, around[0] if around else moved[-1].end]
    if closed and not around:  # a circle
        (arc,) = moved
        return [EllipticArc.circular(arc.center, arc.radius, arc.begin, arc.sweep)] if isinstance(arc, _Arc) else []
    return [piece.between(start, end) for piece, start, end in zip(moved, starts, ends, strict=True)]


def _joint(before: _Piece, after: _Piece, distance: float) -> Array:
    """The point where the parallels of two neighbours meet."""
    vertex, one, other = before.end, before.directions[1], after.directions[0]
    cosine, sine = float(one @ other), float(one[0] * other[1] - one[1] * other[0])
    if cosine < _SHARPEST:
        raise NoWall("a corner is sharper than 30°", vertex)
    if abs(sine) < _TANGENT or (isinstance(before, _Line) and isinstance(after, _Line)):
        return np.asarray(vertex + distance * (_left(one) + _left(other)) / (1 + cosine))
    found = _crossings(before.parallel(distance), after.parallel(distance))
    if not len(found):
        raise NoWall("the sides of a corner do not meet", vertex)
    return np.asarray(found[np.argmin(np.hypot(*(found - vertex).T))])


def _crossings(one: _Piece, other: _Piece) -> Array:
    """Points where a whole line or circle meets a whole circle, shape (n, 2)."""
    if isinstance(other, _Line):
        one, other = other, one
    assert isinstance(other, _Arc)  # noqa: S101  # two lines have a mitre
    if isinstance(one, _Line):
        d, away = one.directions[0], other.center - one.start
        foot, height = float(away @ d), float(away[0] * d[1] - away[1] * d[0])
        base, along, square = one.start + foot * d, d, other.radius**2 - height**2
    else:
        away = other.center - one.center
        apart = math.hypot(*away)
        foot = (apart**2 + one.radius**2 - other.radius**2) / (2 * apart) if apart else math.inf
        base, along = one.center + foot * away / (apart or 1.0), _left(away / (apart or 1.0))
        square = one.radius**2 - foot**2
    if not square >= 0:
        return np.empty((0, 2))
    return np.array([base + s * math.sqrt(square) * along for s in (1, -1)])

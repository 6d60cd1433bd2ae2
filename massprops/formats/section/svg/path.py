"""Path data and the basic shapes of SVG, into curves that are never flattened.

Source: SVG 1.1 (second edition), 8.3, 9 and the implementation notes F.6 for arcs.

Tests: `tests/formats/section/test_svg.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from massprops.formats.section.svg import values as svg
from massprops.formats.text import quote
from massprops.section.curves import Bezier, Curve, EllipticArc, Polyline
from massprops.wording import plural

#: Points of a drawing with all its references, and the number of them that takes as long as a curve.
MOST_POINTS, _CURVE = 1_000_000, 13
#: How many numbers a command takes.
_SIZES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_LETTER = re.compile(f"([{''.join(_SIZES)}])", re.IGNORECASE | re.ASCII)


@dataclass
class Subpath:
    """Curves end to end.

    Attributes
    ----------
    curves : list of Curve
    closed : bool
        Whether Z closes it.
    """

    curves: list[Curve] = field(default_factory=list)
    closed: bool = False


class Pen:
    """Draws subpaths through a map of the plane: neighbours share their mapped points bit for bit.

    Attributes
    ----------
    is_rounded : bool
        Whether points so far may be rounded: any map but the one that turns y up can, sums as they were added, and y' = height − y.
    """

    def __init__(self, matrix: svg.Matrix, left: int) -> None:
        self.matrix, self.left, self.is_rounded = matrix, left, matrix[:5] != svg.UP[:5]
        self.subpaths = [Subpath()]
        self.at: svg.Point = (0.0, 0.0)
        self.begin: svg.Point = (0.0, 0.0)
        #: Kind of the Bézier curve that was drawn last, cubic or quadratic, and its last control point.
        self.control: tuple[str, svg.Point] | None = None
        self._points: list[svg.Point] = []

    def move(self, point: svg.Point) -> None:
        """Begins a subpath."""
        self._begin_subpath()
        self.at = self.begin = point

    def line(self, point: svg.Point) -> None:
        """A straight edge from here."""
        self._points = self._points or [self._mapped(self.at)]
        self._points.append(self._mapped(point))
        self.at = point

    def bezier(self, *control: svg.Point) -> None:
        """A Bézier curve from here; the last point is its end."""
        self._add(Bezier([self._mapped(p) for p in (self.at, *control)]))  # type: ignore[arg-type]
        self.at = control[-1]

    def arc(self, center: svg.Point, a: svg.Point, b: svg.Point, begin: float, sweep: float, end: svg.Point) -> None:
        """center + a cos t + b sin t for t from `begin` over `sweep`, ending at `end`."""
        ends = [self._mapped(self.at), self._mapped(end)]
        a, b = svg.map_direction(self.matrix, a), svg.map_direction(self.matrix, b)
        self._add(EllipticArc(self._mapped(center), a, b, begin, sweep, ends))  # type: ignore[arg-type]
        self.at = end

    def close(self) -> None:
        """Closes the subpath, if there is one."""
        self.subpaths[-1].closed = True
        self._begin_subpath()
        self.at = self.begin

    def end(self) -> list[Subpath]:
        """All that was drawn."""
        self._end_lines()
        return [subpath for subpath in self.subpaths if subpath.curves]

    def plus(self, start: float, step: float) -> float:
        """A coordinate some way on."""
        end = start + step
        self.is_rounded |= end - start != step or end - step != start
        return end

    def _mapped(self, point: svg.Point) -> svg.Point:
        self.left -= 1
        if self.left < 0:
            raise svg.BadValue(f"the drawing has more than {MOST_POINTS:,} points, a curve counted as {_CURVE} more")
        x, y = svg.map_point(self.matrix, point)
        height = self.matrix[5]
        self.is_rounded |= y - height != -point[1] or y + point[1] != height
        if not (math.isfinite(x) and math.isfinite(y)):
            raise svg.BadValue("a coordinate is too large for a double-precision number")
        return x, y

    def _begin_subpath(self) -> None:
        self._end_lines()
        self.subpaths.append(Subpath())

    def _add(self, curve: Curve) -> None:
        self._end_lines()
        self.left -= _CURVE
        self.subpaths[-1].curves.append(curve)

    def _end_lines(self) -> None:
        if self._points:
            self.subpaths[-1].curves.append(Polyline(self._points, self.is_rounded))  # type: ignore[arg-type]
            self._points = []


def draw(data: str, pen: Pen) -> None:
    """Draws path data.

    Raises
    ------
    BadValue
        Where a browser would stop drawing and leave out the rest.
    """
    before, *parts = _LETTER.split(data)
    begin = before.strip() or "".join(parts[:1])
    if begin not in ("", "M", "m"):
        raise svg.BadValue(f"path data begin with {quote(begin)}, not with M")
    for letter, text in zip(parts[::2], parts[1::2], strict=True):
        kind = letter.upper()
        size = _SIZES[kind]
        step = size or 1
        args = svg.numbers(text, (3, 4) if kind == "A" else (), step)
        if bool(args) != bool(size) or len(args) % step:
            raise svg.BadValue(f"the path command {letter} takes {plural(size, 'number')}, and has {len(args)}")
        for at in range(0, len(args) or 1, step):
            _command(pen, kind, args[at : at + size], letter.islower())
            kind = "L" if kind == "M" else kind  # further points after a move are lines


def _command(pen: Pen, kind: str, args: Sequence[float], relative: bool) -> None:
    """Draws one command of path data."""
    x, y = pen.at if relative else (0.0, 0.0)
    points = [(pen.plus(x, a), pen.plus(y, b)) for a, b in zip(args[::2], args[1::2], strict=False)]
    before, pen.control = pen.control, None
    if kind == "Z":
        pen.close()
    elif kind == "M":
        pen.move(points[0])
    elif kind == "A":
        _arc(pen, args, (x + args[5], y + args[6]))
    elif kind == "L":
        pen.line(points[0])
    elif kind == "H":
        pen.line((pen.plus(x, args[0]), pen.at[1]))
    elif kind == "V":
        pen.line((pen.at[0], pen.plus(y, args[0])))
    else:
        curve = "cubic" if kind in "CS" else "quadratic"
        if kind in "ST":
            points.insert(0, _reflected(pen.at, before[1] if before and before[0] == curve else None))
        pen.control = curve, points[-2]
        pen.bezier(*points)


def _reflected(at: svg.Point, control: svg.Point | None) -> svg.Point:
    """The control point of a smooth curve: the one before it, through the point here; without one, here."""
    return at if control is None else (2 * at[0] - control[0], 2 * at[1] - control[1])


def _arc(pen: Pen, args: Sequence[float], end: svg.Point) -> None:
    """From two end points to a centre: F.6.5, and F.6.6 for radii that are too small."""
    rx, ry, tilt = abs(args[0]), abs(args[1]), math.radians(args[2])
    if end == pen.at:
        return
    if rx == 0 or ry == 0:
        pen.line(end)
        return
    cos, sin = math.cos(tilt), math.sin(tilt)
    hx, hy = (pen.at[0] - end[0]) / 2, (pen.at[1] - end[1]) / 2
    px, py = (cos * hx + sin * hy) / rx, (cos * hy - sin * hx) / ry  # half the chord, in the circle's own coordinates
    square = px * px + py * py
    if square > 1:  # no such ellipse reaches: the smallest that does
        stretch = math.sqrt(square)
        rx, ry, px, py, square = rx * stretch, ry * stretch, px / stretch, py / stretch, 1.0
    if not 0 < square < math.inf:
        raise svg.BadValue("the radii of an arc are out of proportion to its ends")
    offset = math.sqrt((1 - square) / square) * (-1 if args[3] == args[4] else 1)
    cx, cy = offset * py, -offset * px
    begin, last = math.atan2(py - cy, px - cx), math.atan2(-py - cy, -px - cx)
    sweep = math.remainder(last - begin, 2 * math.pi)
    if args[4] and sweep < 0:
        sweep += 2 * math.pi
    elif not args[4] and sweep > 0:
        sweep -= 2 * math.pi
    a, b = (rx * cos, rx * sin), (-ry * sin, ry * cos)
    middle = (pen.at[0] + end[0]) / 2, (pen.at[1] + end[1]) / 2
    center = middle[0] + a[0] * cx + b[0] * cy, middle[1] + a[1] * cx + b[1] * cy
    pen.arc(center, a, b, begin, sweep, end)


_HALF, _TURN = math.pi / 2, 2 * math.pi


class Attributes:
    """The attributes of a shape, read as lengths in user units.

    `size` is that of the viewport, which percentages refer to.
    """

    def __init__(self, values: dict[str, str], size: svg.Size) -> None:
        self.values = values
        width, height = size or (None, None)
        diagonal = None if width is None or height is None else math.hypot(width, height) / math.sqrt(2)
        self._whole = {"r": diagonal} | dict.fromkeys(("x", "width", "cx", "rx"), width)
        self._whole |= dict.fromkeys(("y", "height", "cy", "ry"), height)

    def get(self, name: str) -> float:
        """A length; 0 where it is missing."""
        return svg.length(self.values.get(name, "0"), self._whole[name])

    def size(self, name: str) -> float:
        """A length that must not be negative."""
        value = self.get(name)
        if value < 0:
            raise svg.BadValue(f"{name} is negative: {value!r}")
        return value

    def radii(self) -> tuple[float, float]:
        """`rx` and `ry`, which must not be negative; one that is missing or `auto` is the other, and both together are 0."""
        rx, ry = (None if self.values.get(name, "auto") == "auto" else self.size(name) for name in ("rx", "ry"))
        return (ry if rx is None else rx) or 0.0, (rx if ry is None else ry) or 0.0


def rect(given: Attributes, pen: Pen) -> None:
    """A rectangle, with corners rounded by quarters of ellipses."""
    x, y, width, height = given.get("x"), given.get("y"), given.size("width"), given.size("height")
    if width == 0 or height == 0:
        return
    rx, ry = given.radii()
    rx, ry = min(rx, width / 2), min(ry, height / 2)
    right, bottom = pen.plus(x, width), pen.plus(y, height)
    pen.is_rounded |= any(not svg.NUMBER.fullmatch(given.values.get(k, "0")) for k in ("x", "y", "width", "height"))
    if rx == 0 or ry == 0:
        _lines([(x, y), (right, y), (right, bottom), (x, bottom)], pen)
        pen.close()
        return
    (left, last), (top, low) = _straight_part(x, right, rx), _straight_part(y, bottom, ry)
    pen.move((left, y))
    corners = [
        ((last, y), (last, top), (right, top)),
        ((right, low), (last, low), (last, bottom)),
        ((left, bottom), (left, low), (x, low)),
        ((x, top), (left, top), (left, y)),
    ]
    for index, (start, center, end) in enumerate(corners):
        if start != pen.at:
            pen.line(start)
        pen.arc(center, (rx, 0.0), (0.0, ry), (index - 1) * _HALF, _HALF, end)
    pen.close()


def _straight_part(first: float, last: float, radius: float) -> tuple[float, float]:
    """Where the straight part of a rounded side begins and ends; one place where only rounding is between the corners."""
    begin, end = first + radius, last - radius
    if end - begin > 4 * math.ulp(max(abs(first), abs(last))):
        return begin, end
    return (middle := (first + last) / 2), middle


def circle(given: Attributes, pen: Pen) -> None:
    """A circle."""
    _ellipse(given, given.size("r"), given.size("r"), pen)


def ellipse(given: Attributes, pen: Pen) -> None:
    """An ellipse."""
    _ellipse(given, *given.radii(), pen)


def _ellipse(given: Attributes, rx: float, ry: float, pen: Pen) -> None:
    if rx == 0 or ry == 0:
        return
    cx, cy = given.get("cx"), given.get("cy")
    pen.move((cx + rx, cy))
    pen.arc((cx, cy), (rx, 0.0), (0.0, ry), 0.0, _TURN, (cx + rx, cy))
    pen.close()


def polygon(given: Attributes, pen: Pen) -> None:
    """A closed polygon."""
    polyline(given, pen)
    pen.close()


def polyline(given: Attributes, pen: Pen) -> None:
    """A chain of straight edges, which is not closed by itself."""
    found = svg.numbers(given.values.get("points", ""))
    if len(found) % 2:
        raise svg.BadValue(f"points has {len(found)} numbers, and a point has two")
    _lines(list(zip(found[::2], found[1::2], strict=True)), pen)


def path(given: Attributes, pen: Pen) -> None:
    """A path."""
    data = given.values.get("d", "")
    if data.strip() != "none":
        draw(data, pen)


SHAPES: dict[str, Callable[[Attributes, Pen], None]] = {
    "path": path,
    "rect": rect,
    "circle": circle,
    "ellipse": ellipse,
    "polygon": polygon,
    "polyline": polyline,
}


def _lines(points: list[svg.Point], pen: Pen) -> None:
    pen.move(points[0] if points else (0.0, 0.0))
    for point in points[1:]:
        pen.line(point)

"""The basic shapes of SVG, drawn with a pen."""

from __future__ import annotations

import math
from collections.abc import Callable

from massprops.formats.section.svg.path import Pen, draw
from massprops.formats.section.svg.values import BadValue, Point, length, numbers

Size = tuple[float, float] | None
_HALF, _TURN = math.pi / 2, 2 * math.pi


class Attributes:
    """The attributes of a shape, read as lengths in user units.

    `size` is that of the viewport, which percentages refer to.
    """

    def __init__(self, values: dict[str, str], size: Size) -> None:
        self.values = values
        width, height = size or (None, None)
        diagonal = None if width is None or height is None else math.hypot(width, height) / math.sqrt(2)
        self._whole = {
            **dict.fromkeys(("x", "width", "cx", "rx"), width),
            **dict.fromkeys(("y", "height", "cy", "ry"), height),
        }
        self._whole["r"] = diagonal

    def get(self, name: str) -> float:
        """A length; 0 where it is missing."""
        return length(self.values.get(name, "0"), self._whole[name])

    def size(self, name: str) -> float:
        """A length that must not be negative."""
        value = self.get(name)
        if value < 0:
            raise BadValue(f"{name} is negative: {value!r}")
        return value

    def radius(self, name: str) -> float | None:
        """A length that must not be negative; None where it is missing or `auto`."""
        return None if self.values.get(name, "auto") == "auto" else self.size(name)


def rect(given: Attributes, pen: Pen) -> None:
    """A rectangle, with corners rounded by quarters of ellipses."""
    x, y, width, height = given.get("x"), given.get("y"), given.size("width"), given.size("height")
    if width == 0 or height == 0:
        return
    rx, ry = given.radius("rx"), given.radius("ry")
    rx, ry = (ry if rx is None else rx) or 0.0, (rx if ry is None else ry) or 0.0
    rx, ry = min(rx, width / 2), min(ry, height / 2)
    right, bottom = x + width, y + height
    if rx == 0 or ry == 0:
        _polygon([(x, y), (right, y), (right, bottom), (x, bottom)], pen)
        return
    pen.move((x + rx, y))
    corners = [
        ((right - rx, y), (right - rx, y + ry), (right, y + ry)),
        ((right, bottom - ry), (right - rx, bottom - ry), (right - rx, bottom)),
        ((x + rx, bottom), (x + rx, bottom - ry), (x, bottom - ry)),
        ((x, y + ry), (x + rx, y + ry), (x + rx, y)),
    ]
    for index, (start, center, end) in enumerate(corners):
        if start != pen.at:
            pen.line(start)
        pen.arc(center, (rx, 0.0), (0.0, ry), (index - 1) * _HALF, _HALF, end)
    pen.close()


def circle(given: Attributes, pen: Pen) -> None:
    """A circle."""
    _ellipse(given, given.size("r"), given.size("r"), pen)


def ellipse(given: Attributes, pen: Pen) -> None:
    """An ellipse."""
    rx, ry = given.radius("rx"), given.radius("ry")
    _ellipse(given, (ry if rx is None else rx) or 0.0, (rx if ry is None else ry) or 0.0, pen)


def _ellipse(given: Attributes, rx: float, ry: float, pen: Pen) -> None:
    if rx == 0 or ry == 0:
        return
    cx, cy = given.get("cx"), given.get("cy")
    pen.move((cx + rx, cy))
    pen.arc((cx, cy), (rx, 0.0), (0.0, ry), 0.0, _TURN, (cx + rx, cy))
    pen.close()


def polygon(given: Attributes, pen: Pen) -> None:
    """A closed polygon."""
    _polygon(_points(given), pen)


def polyline(given: Attributes, pen: Pen) -> None:
    """A chain of straight edges, which is not closed by itself."""
    _lines(_points(given), pen)


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


def _points(given: Attributes) -> list[Point]:
    found = numbers(given.values.get("points", ""))
    if len(found) % 2:
        raise BadValue(f"points has {len(found)} numbers, and a point has two")
    return list(zip(found[::2], found[1::2], strict=True))


def _polygon(points: list[Point], pen: Pen) -> None:
    if points:
        _lines(points, pen)
        pen.close()


def _lines(points: list[Point], pen: Pen) -> None:
    pen.move(points[0] if points else (0.0, 0.0))
    for point in points[1:]:
        pen.line(point)

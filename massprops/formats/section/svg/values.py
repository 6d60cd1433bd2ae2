"""Numbers, lengths and transforms as SVG writes them; the page: the unit of its coordinates, and where viewports put what is in them.

Tests: `tests/formats/section/test_svg.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from massprops.formats.text import quote
from massprops.formats.xml import Node

#: A map of the plane: x ↦ a x + c y + e, y ↦ b x + d y + f, in the order of `matrix(a, b, c, d, e, f)`.
Matrix = tuple[float, float, float, float, float, float]
Point = tuple[float, float]
#: Width and height of a viewport, where they are known.
Size = tuple[float, float] | None

IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
#: y down to y up.
UP: Matrix = (1.0, 0.0, 0.0, -1.0, 0.0, 0.0)
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_FLAG = re.compile(r"[01]")
_COMMA = re.compile(r"[ \t\r\n\f]*,?[ \t\r\n\f]*")
_LENGTH = re.compile(rf"({NUMBER.pattern})([a-zA-Z]*|%)", re.ASCII)
_FUNCTION = re.compile(r"[ \t\r\n\f,]*([a-zA-Z]+)[ \t\r\n\f]*\(([^()]*)\)")
#: Millimetres in one unit, exactly: 96 pixels, 72 points and 6 picas are an inch.
MILLIMETRES = {"mm": Fraction(1), "cm": Fraction(10), "Q": Fraction(1, 4)}
MILLIMETRES |= {unit: Fraction(127, 5) / parts for unit, parts in (("in", 1), ("pt", 72), ("pc", 6), ("px", 96))}
_EXACT_TURNS = {0: (1.0, 0.0), 90: (0.0, 1.0), 180: (-1.0, 0.0), 270: (0.0, -1.0)}


class BadValue(ValueError):
    """A value breaks the rules of SVG; its text says which, and the caller says where."""


def number(text: str) -> float:
    """A finite decimal number."""
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise BadValue(f"{quote(text)} is {'no number' if math.isnan(value) else 'too large for a number'}")
    return value


def numbers(text: str, flags: Sequence[int] = (), every: int = 1) -> list[float]:
    """Numbers separated by blanks, commas, or nothing where a sign or a point begins the next, as in ``10-5.5.5``.

    Of so many each, those at the places `flags` are 0 or 1, and nothing need separate them from the next.
    """
    text = text.strip(" \t\r\n\f")
    found: list[float] = []
    at = 0
    while at < len(text):
        is_flag = len(found) % every in flags
        match = (_FLAG if is_flag else NUMBER).match(text, at)
        if match is None:
            raise BadValue(f"{quote(text[at:])} is no {'flag, 0 or 1' if is_flag else 'number'}")
        found.append(number(match[0]))
        separator = _COMMA.match(text, match.end())
        at = separator.end() if separator else match.end()
        if at == len(text) and separator and separator[0]:
            raise BadValue("a number is missing after the last comma")
    return found


def length(text: str, whole: float | None = None) -> float:
    """A length in user units: ``12``, ``3mm`` (96 user units are an inch), ``50%`` of `whole`."""
    value, unit = length_and_unit(text)
    if unit == "%" and whole is not None:
        return value * whole / 100
    if unit == "":
        return value
    if unit not in MILLIMETRES:
        raise BadValue(f"{quote(text)} is no length; known units: {' '.join(MILLIMETRES)}")
    return float(Fraction(value) * MILLIMETRES[unit] / MILLIMETRES["px"])


def length_and_unit(text: str) -> tuple[float, str]:
    """The number and the unit of a length; the unit may be empty."""
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        raise BadValue(f"{quote(text)} is no length")
    return number(match[1]), match[2]


def compose(outer: Matrix, inner: Matrix) -> Matrix:
    """The map that does `inner` first, then `outer`."""
    a, b, c, d, e, f = outer
    p, q, r, s, t, u = inner
    return (a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f)


def map_point(matrix: Matrix, point: Point) -> Point:
    """The image of a point."""
    a, b, c, d, e, f = matrix
    return a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f


def map_direction(matrix: Matrix, vector: Point) -> Point:
    """The image of a direction, which is not translated."""
    return map_point((*matrix[:4], 0.0, 0.0), vector)


def determinant(matrix: Matrix) -> float:
    """By how much areas grow; 0 where the plane collapses."""
    a, b, c, d, _, _ = matrix
    return a * d - b * c


def transform(text: str) -> Matrix:
    """The map of a `transform` attribute: ``translate(10) rotate(30 5 5)``, the last function done first."""
    matrix = IDENTITY
    at = 0
    text = text.strip(" \t\r\n\f")
    while at < len(text) and text != "none":
        match = _FUNCTION.match(text, at)
        if match is None:
            raise BadValue(f"{quote(text[at:])} is no transform")
        matrix = compose(matrix, _function(match[1], numbers(match[2])))
        at = match.end()
    return matrix


def transform_about(style: Mapping[str, str], size: Size) -> Matrix:
    """The map of a `transform` about its `transform-origin`, which no translation depends on: CSS Transforms 1, 4 and 6.

    `size` is that of the viewport at whose user origin the reference box ``view-box`` lies; None where percentages are of another box.
    """
    matrix = transform(style.get("transform", ""))
    box, text = style.get("transform-box", "view-box").lower(), style.get("transform-origin", "").lower()
    if matrix[:4] == IDENTITY[:4] or (box == "view-box" and not text):
        return matrix
    if box != "view-box" or size is None:
        raise BadValue(
            "its transform is about a point of another box than its viewport, which massprops does not follow"
        )
    x, y = _origin(text.split(), size)
    return compose((1.0, 0.0, 0.0, 1.0, x, y), compose(matrix, (1.0, 0.0, 0.0, 1.0, -x, -y)))


def _origin(words: Sequence[str], size: tuple[float, float]) -> Point:
    """A `transform-origin` in user units; the third length is a depth."""
    across, down = words[0], words[1] if len(words) > 1 else "center"
    if across in ("top", "bottom") or down in ("left", "right"):
        across, down = down, across
    shares = {"left": "0%", "top": "0%", "center": "50%", "right": "100%", "bottom": "100%"}
    if across in ("top", "bottom") or down in ("left", "right") or len(words) > 3:
        raise BadValue(f"transform-origin is {quote(' '.join(words))}, which is no point")
    return length(shares.get(across, across), size[0]), length(shares.get(down, down), size[1])


def _function(name: str, args: list[float]) -> Matrix:
    match name, args:
        case "matrix", [a, b, c, d, e, f]:
            return a, b, c, d, e, f
        case "translate", [x, *rest] if len(rest) < 2:
            return 1.0, 0.0, 0.0, 1.0, x, rest[0] if rest else 0.0
        case "scale", [x, *rest] if len(rest) < 2:
            return x, 0.0, 0.0, rest[0] if rest else x, 0.0, 0.0
        case "rotate", [angle, *center] if len(center) in (0, 2):
            return _rotation(angle, *center)
        case "skewX", [angle]:
            return 1.0, 0.0, math.tan(math.radians(angle)), 1.0, 0.0, 0.0
        case "skewY", [angle]:
            return 1.0, math.tan(math.radians(angle)), 0.0, 1.0, 0.0, 0.0
    raise BadValue(f"there is no transform {name} of {len(args)} numbers")


def _rotation(angle: float, x: float = 0.0, y: float = 0.0) -> Matrix:
    quarter = _EXACT_TURNS.get(int(angle % 360)) if angle % 90 == 0 else None
    cos, sin = quarter or (math.cos(math.radians(angle)), math.sin(math.radians(angle)))
    return cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y


#: The unit that coordinates are given in, for the unit of the page's width.
_UNITS = {"mm": "mm", "cm": "mm", "Q": "mm", "in": "in", "pt": "in", "pc": "in"}
#: Scales of width and height that differ by more than double precision does, and by less than a page that leaves room beside
#: its drawing: somebody rounded the page's size.
ROUNDING, LETTERBOX = 1e-12, 1e-2
#: Scales beyond these leave double precision in the powers that moments need.
LEAST, MOST = 1e-50, 1e50


@dataclass(frozen=True)
class Page:
    """How the outermost viewport maps user units to lengths.

    Attributes
    ----------
    unit : str or None
        `mm` or `in` where the page says how large it is; None: coordinates are user units, as the file has them.
    matrix : Matrix
        From user units to `unit`, y still down.
    size : (float, float) or None
        Width and height in user units, which percentages refer to.
    unevenness : float
        By how much the scales of width and height differ, relative.
    bottom : float
        Where the page ends, y down, in `unit`; 0 where its height is not known.
    frame : (Point, Point) or None
        Its least and its largest coordinates in `unit`, y up from its bottom.
    """

    unit: str | None
    matrix: Matrix
    size: Size
    unevenness: float = 0.0
    bottom: float = 0.0
    frame: tuple[Point, Point] | None = None

    @property
    def up(self) -> Matrix:
        """From user units to `unit`, y up from the bottom of the page."""
        return compose((1.0, 0.0, 0.0, -1.0, 0.0, self.bottom), self.matrix)


def page_of(root: Node) -> Page:
    """The page: `width` and `height` with physical units, and `viewBox`."""
    box = view_box(root)
    width, height = (_physical(root.attributes.get(side)) for side in ("width", "height"))
    size = (box[2], box[3]) if box else None
    given = width or height
    if given is None:
        size = size or _pixels(root)
        bottom = (box[1] if box else 0.0) + (size[1] if size else 0.0)
        return Page(None, IDENTITY, size, bottom=bottom, frame=_shown(root, box, size))
    unit = _UNITS[given[1]]
    per_unit = MILLIMETRES[unit]
    if box is None:  # without a viewBox a user unit is a pixel, of which 96 are an inch
        scale = float(MILLIMETRES["px"] / per_unit)
        bottom = 0.0 if height is None else float(height[0] / per_unit)
        frame = ((0.0, 0.0), (float(width[0] / per_unit), bottom)) if width and height else None
        return Page(unit, (scale, 0.0, 0.0, scale, 0.0, 0.0), _pixels(root), bottom=bottom, frame=frame)
    stated_w, stated_h = (None if side is None else float(side[0] / per_unit) for side in (width, height))
    w = (stated_h or 0.0) * box[2] / box[3] if stated_w is None else stated_w
    h = w * box[3] / box[2] if stated_h is None else stated_h
    if not (LEAST < w / box[2] < MOST and LEAST < h / box[3] < MOST):
        sizes = f"a page of {w:.3g} × {h:.3g} {unit} and a viewBox of {box[2]:.3g} × {box[3]:.3g}"
        raise BadValue(f"{sizes} have no usable scale")
    aspect = root.attributes.get("preserveAspectRatio", "")
    uneven = abs((w / box[2]) / (h / box[3]) - 1)
    uneven = 0.0 if "none" in aspect else uneven
    return Page(unit, viewbox_map(box, (w, h), aspect), size, uneven, h, ((0.0, 0.0), (w, h)))


def _shown(root: Node, box: tuple[float, float, float, float] | None, size: Size) -> tuple[Point, Point] | None:
    """The page in user units, y up from the bottom of its box: the box, and what pixels of another shape leave beside it."""
    if size is None:
        return None
    x, y, width, height = box = box or (0.0, 0.0, *size)
    low, high = (x, y), (x + width, y + height)
    pixels = _pixels(root)
    if pixels and min(pixels) > LEAST * max(width, height) and max(pixels) < MOST * min(width, height):
        back = inverse(viewbox_map(box, pixels, root.attributes.get("preserveAspectRatio", "")))
        low, high = map_point(back, (0.0, 0.0)), map_point(back, pixels)
    return (low[0], y + height - high[1]), (high[0], y + height - low[1])


def view_box(element: Node) -> tuple[float, float, float, float] | None:
    """`viewBox`: the least x and y, width and height; None where there is none."""
    text = element.attributes.get("viewBox")
    if text is None:
        return None
    found = numbers(text)
    if len(found) != 4 or found[2] <= 0 or found[3] <= 0:
        raise BadValue(f"viewBox is {quote(text)}; it has four numbers, and width and height are positive")
    return found[0], found[1], found[2], found[3]


def viewbox_map(box: tuple[float, float, float, float], size: tuple[float, float], aspect: str) -> Matrix:
    """The map of a viewBox onto a viewport at the origin: SVG 1.1, 7.8."""
    x, y, width, height = box
    sx, sy = size[0] / width, size[1] / height
    words = [word for word in aspect.split() if word != "defer"] or ["xMidYMid"]
    if words[0] == "none":
        return sx, 0.0, 0.0, sy, -x * sx, -y * sy
    shares, align = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}, re.fullmatch("x(Min|Mid|Max)Y(Min|Mid|Max)", words[0])
    if align is None:
        raise BadValue(f"preserveAspectRatio is {quote(aspect)}, which is no alignment")
    scale = max(sx, sy) if words[1:] == ["slice"] else min(sx, sy)
    dx, dy = (size[0] - scale * width) * shares[align[1]], (size[1] - scale * height) * shares[align[2]]
    return scale, 0.0, 0.0, scale, dx - x * scale, dy - y * scale


def translation(given: dict[str, str], outer: Size) -> Matrix:
    """The map by the `x` and `y` of an inner viewport or a `use`."""
    width, height = outer or (None, None)
    return 1.0, 0.0, 0.0, 1.0, length(given.get("x", "0"), width), length(given.get("y", "0"), height)


def frame(given: dict[str, str], outer: Size) -> tuple[Point, tuple[float, float]] | None:
    """Least corner and size of an inner viewport, where they are known: nothing is drawn beyond them."""
    if outer is None and ("width" not in given or "height" not in given):
        return None
    width, height = outer or (None, None)
    *_, x, y = translation(given, outer)
    return (x, y), (length(given.get("width", "100%"), width), length(given.get("height", "100%"), height))


def inverse(matrix: Matrix) -> Matrix:
    """The map back; the determinant is not 0."""
    a, b, c, d, e, f = matrix
    by = determinant(matrix)
    return d / by, -b / by, -c / by, a / by, (c * f - d * e) / by, (b * e - a * f) / by


def viewport(element: Node, given: dict[str, str], outer: Size) -> tuple[Matrix, Size]:
    """The map of an inner `svg` or a `symbol`, and the size that percentages in it refer to.

    `given` holds x, y, width and height, the sizes those of a `use` that states them.
    """
    moved, rectangle, box = translation(given, outer), frame(given, outer), view_box(element)
    if box is None:
        return moved, rectangle[1] if rectangle else outer
    if rectangle is None:
        raise BadValue("the size of an inner viewport is not known, since the drawing has none")
    size = rectangle[1]
    if not (LEAST < size[0] / box[2] < MOST and LEAST < size[1] / box[3] < MOST):
        raise BadValue("the width and height of an inner viewport must be positive and within 1e50 of its viewBox")
    return compose(moved, viewbox_map(box, size, element.attributes.get("preserveAspectRatio", ""))), (box[2], box[3])


def _physical(text: str | None) -> tuple[Fraction, str] | None:
    """A length in millimetres and its unit, inches and their like; None for pixels, percentages and bare numbers."""
    if text is None or text.strip() == "auto":
        return None
    value, unit = length_and_unit(text)
    if unit not in (*MILLIMETRES, "", "%"):
        raise BadValue(f"the page is {quote(text)} large; known units: {' '.join(MILLIMETRES)}")
    if unit not in _UNITS:
        return None
    if value <= 0:
        raise BadValue(f"the page is {quote(text)} large, which leaves nothing")
    return Fraction(value) * MILLIMETRES[unit], unit


def _pixels(root: Node) -> Size:
    sides = [root.attributes.get(side, "100%") for side in ("width", "height")]
    if any(side.strip().endswith("%") or side.strip() == "auto" for side in sides):
        return None
    return length(sides[0]), length(sides[1])

"""Numbers, lengths and transforms as SVG writes them."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from massprops.formats.text import quoted

#: A map of the plane: x ↦ a x + c y + e, y ↦ b x + d y + f, in the order of `matrix(a, b, c, d, e, f)`.
Matrix = tuple[float, float, float, float, float, float]
Point = tuple[float, float]

IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[ \t\r\n\f]*,?[ \t\r\n\f]*")
_LENGTH = re.compile(rf"({NUMBER.pattern})([a-zA-Z]*|%)", re.ASCII)
_FUNCTION = re.compile(r"[ \t\r\n\f,]*([a-zA-Z]+)[ \t\r\n\f]*\(([^()]*)\)")
#: Millimetres in one unit, exactly: 96 pixels, 72 points and 6 picas are an inch.
MILLIMETRES = {
    "mm": Fraction(1),
    "cm": Fraction(10),
    "Q": Fraction(1, 4),
    "in": Fraction(127, 5),
    "pt": Fraction(127, 5) / 72,
    "pc": Fraction(127, 5) / 6,
    "px": Fraction(127, 5) / 96,
}
_EXACT_TURNS = {0: (1.0, 0.0), 90: (0.0, 1.0), 180: (-1.0, 0.0), 270: (0.0, -1.0)}


class BadValue(ValueError):
    """A value breaks the rules of SVG; its text says which, and the caller says where."""


def number(text: str) -> float:
    """A finite decimal number."""
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise BadValue(
            f"{quoted(text)} is no number" if math.isnan(value) else f"{quoted(text)} is too large for a number"
        )
    return value


def numbers(text: str) -> list[float]:
    """Numbers separated by blanks, commas, or nothing where a sign or a point begins the next, as in ``10-5.5.5``."""
    text = text.strip(" \t\r\n\f")
    found: list[float] = []
    at = 0
    while at < len(text):
        match = NUMBER.match(text, at)
        if match is None:
            raise BadValue(f"{quoted(text[at:])} is no number")
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
        raise BadValue(f"{quoted(text)} is no length; known units: {' '.join(MILLIMETRES)}")
    return float(Fraction(value) * MILLIMETRES[unit] / MILLIMETRES["px"])


def length_and_unit(text: str) -> tuple[float, str]:
    """The number and the unit of a length; the unit may be empty."""
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        raise BadValue(f"{quoted(text)} is no length")
    return number(match[1]), match[2]


def combined(outer: Matrix, inner: Matrix) -> Matrix:
    """The map that does `inner` first, then `outer`."""
    a, b, c, d, e, f = outer
    p, q, r, s, t, u = inner
    return (a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f)


def mapped(matrix: Matrix, point: Point) -> Point:
    """The image of a point."""
    a, b, c, d, e, f = matrix
    return a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f


def directed(matrix: Matrix, vector: Point) -> Point:
    """The image of a direction, which is not translated."""
    return mapped((*matrix[:4], 0.0, 0.0), vector)


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
            raise BadValue(f"{quoted(text[at:])} is no transform")
        matrix = combined(matrix, _function(match[1], numbers(match[2])))
        at = match.end()
    return matrix


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

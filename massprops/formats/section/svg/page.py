"""The page of an SVG file: which unit its coordinates are in, and where viewports put what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from massprops.formats.section.svg.values import (
    IDENTITY,
    MILLIMETRES,
    BadValue,
    Matrix,
    combined,
    length,
    length_and_unit,
    numbers,
)
from massprops.formats.text import quoted
from massprops.formats.xml import Node

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
    """

    unit: str | None
    matrix: Matrix
    size: tuple[float, float] | None
    unevenness: float = 0.0


def page_of(root: Node) -> Page:
    """The page: `width` and `height` with physical units, and `viewBox`."""
    box = view_box(root)
    width, height = (_physical(root.attributes.get(side)) for side in ("width", "height"))
    size = (box[2], box[3]) if box else None
    given = width or height
    if given is None:
        return Page(None, IDENTITY, size or _pixels(root))
    unit = _UNITS[given[1]]
    per_unit = MILLIMETRES[unit]
    extent = [
        None if side is None else float(Fraction(side[0]) * MILLIMETRES[side[1]] / per_unit) for side in (width, height)
    ]
    if box is None:  # without a viewBox a user unit is a pixel, of which 96 are an inch
        scale = float(MILLIMETRES["px"] / per_unit)
        return Page(unit, (scale, 0.0, 0.0, scale, 0.0, 0.0), _pixels(root))
    w = extent[0] if extent[0] is not None else (extent[1] or 0.0) * box[2] / box[3]
    h = extent[1] if extent[1] is not None else w * box[3] / box[2]
    if not (LEAST < w / box[2] < MOST and LEAST < h / box[3] < MOST):
        raise BadValue(
            f"a page of {w:.3g} × {h:.3g} {unit} and a viewBox of {box[2]:.3g} × {box[3]:.3g} have no usable scale"
        )
    aspect = root.attributes.get("preserveAspectRatio", "")
    uneven = abs((w / box[2]) / (h / box[3]) - 1)
    return Page(unit, fitted(box, (w, h), aspect), size, 0.0 if "none" in aspect else uneven)


def view_box(element: Node) -> tuple[float, float, float, float] | None:
    """`viewBox`: the least x and y, width and height; None where there is none."""
    text = element.attributes.get("viewBox")
    if text is None:
        return None
    found = numbers(text)
    if len(found) != 4 or found[2] <= 0 or found[3] <= 0:
        raise BadValue(f"viewBox is {quoted(text)}; it has four numbers, and width and height are positive")
    return found[0], found[1], found[2], found[3]


def fitted(box: tuple[float, float, float, float], size: tuple[float, float], aspect: str) -> Matrix:
    """The map of a viewBox onto a viewport at the origin: SVG 1.1, 7.8."""
    x, y, width, height = box
    sx, sy = size[0] / width, size[1] / height
    words = [word for word in aspect.split() if word != "defer"] or ["xMidYMid"]
    if words[0] == "none":
        return sx, 0.0, 0.0, sy, -x * sx, -y * sy
    shares = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
    align = words[0]
    if len(align) != 8 or align[:1] != "x" or align[4:5] != "Y" or align[1:4] not in shares or align[5:] not in shares:
        raise BadValue(f"preserveAspectRatio is {quoted(aspect)}, which is no alignment")
    scale = max(sx, sy) if words[1:] == ["slice"] else min(sx, sy)
    dx, dy = (size[0] - scale * width) * shares[align[1:4]], (size[1] - scale * height) * shares[align[5:]]
    return scale, 0.0, 0.0, scale, dx - x * scale, dy - y * scale


def shifted(given: dict[str, str], outer: tuple[float, float] | None) -> Matrix:
    """The map by the `x` and `y` of an inner viewport or a `use`."""
    width, height = outer or (None, None)
    return 1.0, 0.0, 0.0, 1.0, length(given.get("x", "0"), width), length(given.get("y", "0"), height)


def viewport(
    element: Node, given: dict[str, str], outer: tuple[float, float] | None
) -> tuple[Matrix, tuple[float, float] | None]:
    """The map of an inner `svg` or a `symbol`, and the size that percentages in it refer to.

    `given` holds x, y, width and height, which for a symbol are those of the `use`.
    """
    moved, (width, height) = shifted(given, outer), outer or (None, None)
    box = view_box(element)
    if box is None:
        return moved, outer
    if outer is None and ("width" not in given or "height" not in given):
        raise BadValue("the size of an inner viewport is not known, since the drawing has none")
    size = length(given.get("width", "100%"), width), length(given.get("height", "100%"), height)
    if not (LEAST < size[0] / box[2] < MOST and LEAST < size[1] / box[3] < MOST):
        raise BadValue("the width and height of an inner viewport must be positive and within 1e50 of its viewBox")
    return combined(moved, fitted(box, size, element.attributes.get("preserveAspectRatio", ""))), (box[2], box[3])


def _physical(text: str | None) -> tuple[float, str] | None:
    """A length in millimetres, inches and their like; None for pixels, percentages and bare numbers."""
    if text is None or text.strip() == "auto":
        return None
    value, unit = length_and_unit(text)
    if unit not in (*MILLIMETRES, "", "%", "px"):
        raise BadValue(f"the page is {quoted(text)} large; known units: {' '.join(MILLIMETRES)}")
    if unit not in _UNITS:
        return None
    if value <= 0:
        raise BadValue(f"the page is {quoted(text)} large, which leaves nothing")
    return value, unit


def _pixels(root: Node) -> tuple[float, float] | None:
    sides = [root.attributes.get(side, "100%") for side in ("width", "height")]
    if any(side.strip().endswith("%") or side.strip() == "auto" for side in sides):
        return None
    return length(sides[0]), length(sides[1])

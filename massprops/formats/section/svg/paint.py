"""Whether a shape of a drawing is seen: its computed fill and stroke, with their opacities.

Source: SVG 1.1 (second edition), 11 and 13; SVG 2, 13.2; CSS Color Module Level 4.

Tests: `tests/formats/section/test_svg.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from massprops.formats.section.svg.values import NUMBER, BadValue, length
from massprops.formats.text import quote
from massprops.formats.xml import Node

#: Inherited properties, with their first values.
INHERITED = {
    "visibility": "visible",
    "color": "black",
    "fill": "black",
    "fill-rule": "nonzero",
    "fill-opacity": "1",
    "stroke": "none",
    "stroke-opacity": "1",
    "stroke-width": "1",
}
_SHARE = re.compile(rf"({NUMBER.pattern})(%?)", re.ASCII)
_HEX = re.compile(r"#(?:[0-9a-f]{3}([0-9a-f])|[0-9a-f]{6}([0-9a-f]{2}))")
_FUNCTION = re.compile(r"(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(([^()]*)\)")
_URL = re.compile(r"url\(\s*[\"']?([^\"')]*)[\"']?\s*\)\s*(.*)")
_OPACITY = re.compile(r"\bopacity\(\s*([^()]*?)\s*\)")
#: Gradients that refer to each other.
_DEEPEST = 32

#: The element of a name, if there is one, and the properties of an element itself.
FindElement = Callable[[str], Node | None]
FindStyle = Callable[[Node], Mapping[str, str]]


def is_clear(opacity: str) -> bool:
    """Whether an opacity leaves nothing to be seen: ``0``, ``0%``, or less; what is no opacity is ignored, as it is in SVG."""
    text = opacity.strip().lower()
    if "(" in text:
        raise BadValue(f"an opacity is {quote(opacity)}, and massprops reads numbers and percentages alone")
    match = _SHARE.fullmatch(text)
    return match is not None and float(match[1]) <= 0


def hides(effects: str) -> bool:
    """Whether a list of filter functions leaves nothing to be seen; what a filter of the file does is not followed."""
    return any(is_clear(share) for share in _OPACITY.findall(effects.lower()))


def is_filled(style: Mapping[str, str], element: FindElement, style_of: FindStyle) -> bool:
    """Whether the fill of a shape is seen; `style` has the inherited properties."""
    return not is_clear(style["fill-opacity"]) and _is_seen(style["fill"], style["color"], element, style_of)


def is_stroked(style: Mapping[str, str], element: FindElement, style_of: FindStyle) -> bool:
    """Whether the stroke of a shape is seen."""
    if is_clear(style["stroke-opacity"]) or not length(style["stroke-width"], 1.0) > 0:
        return False
    return _is_seen(style["stroke"], style["color"], element, style_of)


def _is_seen(paint: str, color: str, element: FindElement, style_of: FindStyle) -> bool:
    if match := _URL.fullmatch(paint.strip()):
        server = element(match[1])
        if server is None:
            return _is_seen(match[2] or "none", color, element, style_of)
        return _shows(server, element, style_of)
    word = paint.strip().lower()
    return _is_opaque(color if word == "currentcolor" else word)


def _is_opaque(color: str) -> bool:
    """Whether a color is not wholly transparent."""
    word = color.strip().lower()
    if match := _HEX.fullmatch(word):
        return (match[1] or match[2] or "f").strip("0") != ""
    if match := _FUNCTION.fullmatch(word):
        before, slash, alpha = match[1].partition("/")
        with_commas = before.split(",")
        return not is_clear(alpha if slash else with_commas[3] if len(with_commas) == 4 else "1")
    return word not in ("none", "transparent")


def _shows(server: Node, element: FindElement, style_of: FindStyle) -> bool:
    """Whether a gradient has a stop that is seen, or a pattern an element."""
    for _ in range(_DEEPEST):
        stops = [style_of(stop) for stop in server.children if stop.tag == "stop"]
        if stops:
            own = style_of(server).get(
                "color", "black"
            )  # a stop's current color is the gradient's, not that of the shape
            return any(
                not is_clear(stop.get("stop-opacity", "1"))
                and _is_seen(stop.get("stop-color", "black"), stop.get("color", own), element, style_of)
                for stop in stops
            )
        if server.children and server.tag == "pattern":
            return True
        linked = element(server.attributes.get("href", ""))
        if linked is None:
            return False
        server = linked
    raise BadValue("gradients or patterns refer to each other without an end")

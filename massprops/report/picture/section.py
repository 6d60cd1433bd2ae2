"""A plane section as SVG: its outlines as the curves that they are, centroid, principal axes, core, dimensions and axes of coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Self

import numpy as np

from massprops.findings import Finding
from massprops.formats.escaping import plain, xml
from massprops.measurement.output_units import OutputUnits, rounded
from massprops.moments.arrays import Array
from massprops.report.picture.raster import Colour
from massprops.report.picture.scene import Theme
from massprops.report.quantities import QuantityOptions, section_quantities
from massprops.section.curves import Bezier, Curve, EllipticArc, Polyline
from massprops.section.outline import Outline
from massprops.section.properties import Section
from massprops.section.rings import Ring

#: Pixels beside the drawing: for numbers on the left and below, for dimensions above and on the right.
_LEFT, _RIGHT, _TOP, _BOTTOM = 84.0, 50.0, 74.0, 66.0
_ROW = 18
#: Pixels of a letter, and the part of the height that messages may take.
_LETTER, _MOST_LEGEND = 7.5, 0.4
#: Pixels from one tick to the next, at least.
_TICKS = 70.0
#: Points of a curve that SVG has no word for lie within this of it, pixels.
_TOLERANCE = 0.02
_SVG_BEZIERS = {1: "L", 2: "Q", 3: "C"}


@dataclass(frozen=True)
class _Paper:
    """Where points of the section, m, are on the paper, pixels."""

    scale: float
    origin: Array

    @classmethod
    def around(cls, bounds: Array, rows: int, size: tuple[int, int]) -> Self:
        """With what lies in the bounds in the middle, above a legend of so many rows."""
        width, height = (
            max(have - used, 1.0)
            for have, used in zip(size, (_LEFT + _RIGHT, _TOP + _BOTTOM + _ROW * rows), strict=True)
        )
        span = bounds[1] - bounds[0]
        span = np.maximum(span, 1e-12 * (span.max() or np.abs(bounds).max() or 1.0))  # a point and a line have no size
        scale = float(min(width / span[0], height / span[1]))
        middle = np.array([_LEFT + width / 2, _TOP + height / 2])
        return cls(scale, middle + scale * bounds.mean(axis=0) * [-1.0, 1.0])

    @property
    def matrix(self) -> Array:
        return np.array([[self.scale, 0.0, self.origin[0]], [0.0, -self.scale, self.origin[1]]])

    def __call__(self, point: Array) -> tuple[float, float]:
        x, y = (self.matrix[:, :2] * point).sum(axis=1) + self.matrix[:, 2]
        return float(x), float(y)


def section_svg(
    title: str,
    outlines: Sequence[tuple[Outline, float]],
    section: Section,
    units: OutputUnits,
    size: tuple[int, int],
    theme: Theme,
) -> str:
    """The picture of a section.

    Parameters
    ----------
    title : str
        Name and verdict; foreign text, escaped here.
    outlines : sequence of (Outline, float)
        The rings that bound it, and metres per unit of each.
    section : Section
        Its properties, m.
    units : OutputUnits
        Of all numbers.
    size : (int, int)
        Width and height, pixels.
    theme : Theme
        Colours.
    """
    legend = _legend(section, units, theme)
    paper = _Paper.around(section.bounds, len(legend), size)
    body = [
        _filled(outlines, paper, theme, 0.75),
        *_coordinates(section.bounds, paper, units, theme),
        *_core(outlines, section, paper, theme),
        *_principal_axes(section, paper, theme),
        *_centroid(section, paper, theme),
        *_dimensions(section.bounds, paper, units, theme),
    ]
    return _document(title, body, legend, size, theme)


def refused_svg(
    title: str,
    rings: Sequence[tuple[Ring, float]],
    findings: Sequence[Finding],
    units: OutputUnits,
    size: tuple[int, int],
    theme: Theme,
) -> str:
    """The rings of a file that bound no section, and the numbered places, m, of what is wrong; the rest as for `section_svg`."""
    outlines = [(Outline.of(ring), factor) for ring, factor in rings]
    boxes = np.array([outline.bounds * factor for outline, factor in outlines])
    bounds = np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
    most = int((size[0] - _LEFT / 2) / _LETTER)
    wrapped = [wrap(f"{i} {plain(f.code)}: {plain(f.message)}", most) for i, f in enumerate(findings, 1)]
    legend = [(line, theme.defect) for lines in wrapped for line in lines][: max(int(_MOST_LEGEND * size[1] / _ROW), 1)]
    paper = _Paper.around(bounds, len(legend), size)
    is_open = [ring.closing == "open" for ring, _ in rings]
    loose = " ".join(_path(*o, paper, closed=False) for o, is_loose in zip(outlines, is_open, strict=True) if is_loose)
    body = [
        _filled([o for o, is_loose in zip(outlines, is_open, strict=True) if not is_loose], paper, theme, 0.3),
        f'<path d="{loose}" fill="none" stroke="{_css(theme.ink)}" stroke-width="1.5"/>',
        *_coordinates(bounds, paper, units, theme),
        *_dimensions(bounds, paper, units, theme),
    ]
    for i, finding in enumerate(findings, 1):
        if isinstance(finding.where, tuple):
            x, y = paper(np.array(finding.where[:2]))
            ring = f'<circle class="defect" cx="{x:.2f}" cy="{y:.2f}" r="7" fill="none" stroke="{_css(theme.defect)}"'
            body += [f'{ring} stroke-width="2.5"/>', _text(x + 10, y - 8, str(i), theme.defect, size=14, halo=theme)]
    return _document(title, body, legend, size, theme)


def _filled(outlines: Sequence[tuple[Outline, float]], paper: _Paper, theme: Theme, opacity: float) -> str:
    path = " ".join(_path(outline, factor, paper) for outline, factor in outlines)
    return (
        f'<path d="{path}" fill="{_css(theme.solid)}" fill-opacity="{opacity}" fill-rule="evenodd"'
        f' stroke="{_css(theme.ink)}" stroke-width="1.5"/>'
    )


def _document(
    title: str, body: Sequence[str], legend: Sequence[tuple[str, Colour]], size: tuple[int, int], theme: Theme
) -> str:
    """The title above, and the legend below the drawing."""
    body = [
        *body,
        _text(_LEFT / 4, 24, plain(title), theme.ink, size=16),
        *(
            _text(_LEFT / 4, size[1] - _ROW * (len(legend) - i) + 4, words, colour)
            for i, (words, colour) in enumerate(legend)
        ),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" viewBox="0 0 {size[0]} {size[1]}" role="img">'
    title = f"<title>{escape(xml(plain(title)))}</title>"
    paint = f'<rect width="100%" height="100%" fill="{_css(theme.background)}"/>'
    return "\n".join([head, title, paint, *body, "</svg>", ""])


def core(points: Array, section: Section) -> Array:
    """Vertices of the core (kern) about the centroid, shape (k, 2), m: a force in it leaves no stress of the other sign.

    A side n·x = d of the convex hull is the neutral axis of a force at −S n / (A d), with S = ∫ x xᵀ, all about the centroid.
    """
    hull = _convex_hull(points - section.centroid)
    sides = np.roll(hull, -1, axis=0) - hull
    normal = np.stack([sides[:, 1], -sides[:, 0]], axis=1)
    distance = (normal * hull).sum(axis=1)
    second = section.moments.central_second() / section.moments.measure
    return np.asarray(-np.stack([(normal * row).sum(axis=1) for row in second], axis=1) / distance[:, None])


def _convex_hull(points: Array) -> Array:
    """Counter-clockwise corners, without those on a side, shape (n, 2): Andrew's monotone chain (1979)."""
    ordered = sorted(set(map(tuple, points.tolist())))

    def half(line: Iterable[tuple[float, ...]]) -> list[tuple[float, ...]]:
        found: list[tuple[float, ...]] = []
        for p in line:
            while len(found) > 1 and _turn(found[-2], found[-1], p) <= 0:
                found.pop()
            found.append(p)
        return found[:-1]

    return np.array(half(ordered) + half(reversed(ordered)))


def _turn(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _path(outline: Outline, factor: float, paper: _Paper, *, closed: bool = True) -> str:
    scaled = np.array([[factor, 0.0, 0.0], [0.0, factor, 0.0]])
    curves = [curve.transformed(scaled).transformed(paper.matrix) for curve in outline.curves]
    return " ".join([f"M {_xy(curves[0].start)}", *(_segment(curve) for curve in curves), *["Z"] * closed])


def _segment(curve: Curve) -> str:
    if isinstance(curve, EllipticArc):
        return _arc(curve)
    if isinstance(curve, Bezier) and curve.weights is None and curve.degree in _SVG_BEZIERS:
        return f"L {_xy(curve.start)} {_SVG_BEZIERS[curve.degree]} " + " ".join(map(_xy, curve.control[1:]))
    points = curve.chords() if isinstance(curve, Polyline) else curve.flattened(_TOLERANCE)
    return "L " + " ".join(map(_xy, points))


def _arc(arc: EllipticArc) -> str:
    """As one or two elliptical arcs of SVG, of at most half a turn each: a whole ellipse has no end that differs from its start."""
    conjugate = np.stack([arc.a, arc.b], axis=1)
    squares, axes = np.linalg.eigh((conjugate[:, None, :] * conjugate[None, :, :]).sum(axis=2))
    small, large = np.sqrt(np.maximum(squares, 0.0)).tolist()
    angle = math.degrees(math.atan2(axes[1, 1], axes[0, 1]))
    forward = int((arc.a[0] * arc.b[1] - arc.a[1] * arc.b[0]) * arc.sweep > 0)
    half = EllipticArc(arc.center, arc.a, arc.b, arc.begin, arc.sweep / 2)
    ends = (half.end, arc.end)
    return f"L {_xy(arc.start)} " + " ".join(
        f"A {large:.6g} {small:.6g} {angle:.4f} 0 {forward} {_xy(end)}" for end in ends
    )


def _coordinates(bounds: Array, paper: _Paper, units: OutputUnits, theme: Theme) -> list[str]:
    """Ticks at round numbers along both axes, below and on the left of the drawing, with their names and the unit."""
    low, high = (np.array([units.of(x, (0, 1)) for x in row]) for row in bounds)
    step = _round_step(_TICKS * units.of(1.0, (0, 1)) / paper.scale)
    largest = max(step, *abs(low), *abs(high))
    digits = min(math.floor(math.log10(largest) + 1e-9) - math.floor(math.log10(step) + 1e-9) + 1, 15)
    (left, below), (right, above) = paper(bounds[0]), paper(bounds[1])
    x, y, middle = left - 8, below + 8, (above + below) / 2
    drawn = [
        _line(left, y, right, y, theme.faint),
        _line(x, below, x, above, theme.faint),
        _text((left + right) / 2, y + 36, f"x [{units.length}]", theme.ink, anchor="middle"),
        _text(x - 54, middle, f"y [{units.length}]", theme.ink, anchor="middle", upward=True),
    ]
    for k in range(2):
        for i in range(math.ceil(low[k] / step - 1e-9), math.floor(high[k] / step + 1e-9) + 1):
            place = np.array(bounds[0])
            place[k] = i * step / units.of(1.0, (0, 1))
            at = paper(place)[k]
            line, label = ((at, y, at, y + 5), (at, y + 19)) if k == 0 else ((x - 5, at, x, at), (x - 9, at + 4))
            drawn.append(_line(*line, theme.faint))
            number = min(f"{i * step:.{digits}g}", rounded(i * step, digits=digits), key=len)
            drawn.append(_text(*label, number, theme.ink, anchor=("middle", "end")[k]))
    return drawn


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return power * next(k for k in (1, 2, 5, 10) if k * power >= least)


def _core(outlines: Sequence[tuple[Outline, float]], section: Section, paper: _Paper, theme: Theme) -> list[str]:
    tolerance = 1e-4 * float((section.bounds[1] - section.bounds[0]).max())
    points = np.concatenate([o.flattened(tolerance / factor) * factor for o, factor in outlines])
    corners = core(points, section) + section.centroid
    listed = " ".join(_xy(np.array(paper(p))) for p in corners)
    return [
        f'<polygon points="{listed}" fill="none" stroke="{_css(theme.equivalent)}" stroke-width="1.4" stroke-dasharray="5 3"/>'
    ]


def _principal_axes(section: Section, paper: _Paper, theme: Theme) -> list[str]:
    """Through the centroid, as far as the bounds."""
    drawn = []
    for i, turn in enumerate((0.0, math.pi / 2)):
        angle = section.principal_angle + turn
        along = np.array([math.cos(angle), math.sin(angle)])
        slow = np.where(abs(along) < 1e-9, np.inf, along)
        reach = np.sort((section.bounds - section.centroid) / slow, axis=0)  # where it leaves each pair of sides
        back, on = reach[0][np.isfinite(slow)].max(), reach[1][np.isfinite(slow)].min()
        (x, y), (u, v) = (paper(section.centroid + t * along) for t in (back, on))
        drawn += [_line(x, y, u, v, theme.axes[i], 1.8)]
        u, v = paper(section.centroid + 0.92 * on * along)
        place = u - 12 * along[1], v - 12 * along[0] + 5  # beside the line
        drawn += [_text(*place, str(i + 1), theme.axes[i], anchor="middle", size=14, halo=theme)]
    return drawn


def _centroid(section: Section, paper: _Paper, theme: Theme) -> list[str]:
    x, y = paper(section.centroid)
    quarters = f"M {x:.2f} {y:.2f} v -7 a 7 7 0 0 1 7 7 z M {x:.2f} {y:.2f} v 7 a 7 7 0 0 1 -7 -7 z"
    return [
        f'<circle class="centroid" cx="{x:.2f}" cy="{y:.2f}" r="7" fill="{_css(theme.background)}" stroke="{_css(theme.ink)}"/>',
        f'<path d="{quarters}" fill="{_css(theme.ink)}"/>',
    ]


def _dimensions(bounds: Array, paper: _Paper, units: OutputUnits, theme: Theme) -> list[str]:
    """Width above, height on the right."""
    (left, below), (right, above) = paper(bounds[0]), paper(bounds[1])
    width, height = (rounded(units.of(x, (0, 1)), digits=5) for x in (bounds[1] - bounds[0]).tolist())
    ink, y, x = theme.ink, above - 16, right + 16
    ends = [
        (left, y, left, above - 4),
        (right, y, right, above - 4),
        (x, above, right + 4, above),
        (x, below, right + 4, below),
    ]
    return [
        _line(left, y, right, y, ink, arrows=True),
        _line(x, below, x, above, ink, arrows=True),
        *(_line(a, b, c, d, theme.faint) for a, b, c, d in ends),
        _text((left + right) / 2, y - 6, f"{width} {units.length}", ink, anchor="middle"),
        _text(x + 16, (above + below) / 2, f"{height} {units.length}", ink, anchor="middle", upward=True),
    ]


def _legend(section: Section, units: OutputUnits, theme: Theme) -> list[tuple[str, Colour]]:
    fourth = units.label((0, 4))
    known = {q.name.split(" [")[0]: q for q in section_quantities(section, QuantityOptions(units))}
    area, centroid, principal = (known[name] for name in ("Area", "Centroid", "Principal I"))
    first, other = principal.numbers(units)
    angle = rounded(round(units.of_angle(section.principal_angle), 6), digits=4)
    return [
        (f"area {area.numbers(units)[0]} {units.label((0, 2))}", theme.ink),
        (f"centroid ({', '.join(centroid.numbers(units))}) {units.length}", theme.ink),
        (f"I1 = {first} {fourth} about axis 1 at {angle} {units.angle}", theme.axes[0]),
        (f"I2 = {other} {fourth} about axis 2", theme.axes[1]),
        ("core (dashed)", theme.equivalent),
    ]


def _line(x: float, y: float, u: float, v: float, colour: Colour, width: float = 1.0, *, arrows: bool = False) -> str:
    drawn = (
        f'<path d="M {x:.2f} {y:.2f} L {u:.2f} {v:.2f}" stroke="{_css(colour)}" stroke-width="{width}" fill="none"/>'
    )
    if not arrows:
        return drawn
    along = np.array([u - x, v - y]) / max(math.hypot(u - x, v - y), 1e-9)
    across = np.array([-along[1], along[0]])
    heads = [(np.array([x, y]), along), (np.array([u, v]), -along)]
    tips = "".join(f"M {_xy(p)} L {_xy(p + 8 * d + 3 * across)} L {_xy(p + 8 * d - 3 * across)} Z " for p, d in heads)
    return f'{drawn}<path d="{tips}" fill="{_css(colour)}"/>'


def _text(
    x: float,
    y: float,
    words: str,
    colour: Colour,
    *,
    anchor: str = "start",
    size: int = 13,
    upward: bool = False,
    halo: Theme | None = None,
) -> str:
    style = f'font-family="sans-serif" font-size="{size}" text-anchor="{anchor}" fill="{_css(colour)}"'
    if upward:
        style += f' transform="rotate(-90 {x:.2f} {y:.2f})"'
    if halo is not None:
        style += f' paint-order="stroke" stroke="{_css(halo.background)}" stroke-width="4" stroke-linejoin="round"'
    return f'<text x="{x:.2f}" y="{y:.2f}" {style}>{escape(xml(words))}</text>'


def _xy(point: Array) -> str:
    return f"{point[0]:.3f},{point[1]:.3f}"


def _css(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)

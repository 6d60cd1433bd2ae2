"""A plane section as SVG: its outlines as the curves that they are, centroid, principal axes, core, dimensions and axes of coordinates.

Tests: `tests/writers/test_section_picture.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits, number_text
from massprops.measurement.quantities import Quantity
from massprops.moments.arrays import Array, product
from massprops.section.curves import Bezier, Curve, EllipticArc, Polyline
from massprops.section.outline import Outline
from massprops.section.properties import Section
from massprops.values import regex
from massprops.writers.picture.raster import Colour
from massprops.writers.picture.scene import Look, Theme, letters_of
from massprops.writers.quantities import QuantityOptions, section_quantities
from massprops.writers.template import fill_template

#: Pixels beside the drawing: for numbers on the left and below, for dimensions above and on the right.
_LEFT, _RIGHT, _TOP, _BOTTOM = 84.0, 50.0, 74.0, 66.0
_ROW = 18
#: Pixels of a letter, and the part of the height that messages may take.
_LETTER, _MOST_LEGEND = 7.5, 0.4
#: The part that numbers may take; quantities in the legend, their words and colours.
_MOST_NUMBERS = 0.33
_LEGEND = (
    ("Area", "area {}", "ink"),
    ("Centroid", "centroid {}", "ink"),
    ("Torsion J", "J = {}", "ink"),
    ("Shear centre", "shear centre S {}", "defect"),
    ("W top, bottom", "elastic {}", "ink"),
    ("W right, left", "elastic {}", "ink"),
    ("Plastic W", "plastic {}, neutral axes dashed", "ink"),
)
_ABOUT = regex(r"Second moments about (the origin|\()")
#: Pixels from one tick to the next, at least.
_TICKS = 70.0
#: Points of a curve that SVG has no word for lie within this of it, pixels.
_TOLERANCE = 0.02
_SVG_BEZIERS = {1: "L", 2: "Q", 3: "C"}


#: Outlines, and metres per unit of each.
Outlines = Sequence[tuple[Outline, float]]
#: Lines of text and their colours.
Legend = list[tuple[str, Colour]]


def section_svg(
    title: str,
    outlines: Outlines,
    section: Section | None,
    findings: Sequence[Finding],
    units: OutputUnits,
    look: Look,
    *,
    straight: bool = False,
    about: ArrayLike | str | None = None,
) -> str:
    """The picture of a section.

    Parameters
    ----------
    title : str
        Name and verdict; foreign text, escaped here.
    outlines : sequence of (Outline, float)
        The rings that bound it, and metres per unit of each.
    section : Section or None
        Its properties, m; None if the rings bound none.
    findings : sequence of Finding
        Explained where there is no section; those with a place, m, are marked with their numbers.
    units : OutputUnits
        Units of all numbers.
    look : Look
        Size and colours.
    straight : bool
        Whether curves are drawn as polygons, for `section_pixels`.
    about : "origin", array_like or None
        The point about which the legend has second moments, too, m.
    """
    boxes = np.array([outline.bounds * factor for outline, factor in outlines])
    bounds = np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)]) if section is None else section.bounds
    size = np.array(look.size) * _letters_share(look.size)
    legend = (
        _explain(findings, units, look, size)
        if section is None
        else _legend(section, units, look.theme, float(size[1]), about)
    )
    paper = _fit(bounds, legend, size)
    closed = [section is not None or outline.closing != "open" for outline, _ in outlines]
    paths = [
        _path(outline, paper * [factor, factor, 1.0], c, straight)
        for (outline, factor), c in zip(outlines, closed, strict=True)
    ]
    drawn: dict[str, Any] = {"places": ()}
    if section is None:
        marked = [(i, np.array(f.where[:2])) for i, f in enumerate(findings, 1) if isinstance(f.where, tuple)]
        drawn |= {"places": [(i, _at(paper, place)) for i, place in marked]}
    else:
        fine = 1e-4 * float(np.ptp(bounds, axis=0).max())
        points = np.concatenate([outline.flattened(fine / factor) * factor for outline, factor in outlines])
        corners = core(points, section) + section.centroid
        angles = (section.principal_angle, section.principal_angle + math.pi / 2)
        drawn |= {"core": " ".join(_xy(_at(paper, p)) for p in corners), "centroid": _at(paper, section.centroid)}
        drawn |= {"plastic": _plastic_axes(section, bounds, paper)}
        drawn |= {"shear": None if section.torsion is None else _at(paper, section.torsion.shear_center)}
        drawn |= {"axes": [_principal_axis(section, angle, paper) for angle in angles]}
    across, upward = _ticks(bounds, paper, units)
    return fill_template(
        "picture/section.svg",
        title=title,
        section=section,
        closed=" ".join(path for path, c in zip(paths, closed, strict=True) if c),
        loose=" ".join(path for path, c in zip(paths, closed, strict=True) if not c),
        corners=_at(paper, bounds[0]) + _at(paper, bounds[1]),
        across=across,
        upward=upward,
        sides=[number_text(units.of(x, (0, 1)), digits=5) for x in np.ptp(bounds, axis=0).tolist()],
        unit=units.length,
        legend=legend,
        look=look,
        theme=look.theme,
        margin=_LEFT / 4,
        row=_ROW,
        size=size.tolist(),
        straight=straight,
        **drawn,
    )


def _letters_share(size: tuple[int, int]) -> float:
    """Units of the drawing, in which letters have 13, per pixel: letters are as high as in pictures of parts of this size."""
    return 16.0 / letters_of(size)


def _fit(bounds: Array, legend: Legend, size: Array) -> Array:
    """Matrix, shape (2, 3), from metres to pixels that puts the bounds in the middle, above or at the right of the legend."""
    span = bounds[1] - bounds[0]
    span = np.maximum(span, 1e-12 * (span.max() or np.abs(bounds).max() or 1.0))  # a point and a line have no size
    beside = _LEFT / 4 + _LETTER * max((len(words) for words, _ in legend), default=0)
    fits = []
    for left, below in ((0.0, _ROW * len(legend)), (beside, 0.0)):
        room = np.maximum(size - [left + _LEFT + _RIGHT, _TOP + _BOTTOM + below], 1.0)
        fits.append((float((room / span).min()), left, room))
    scale, left, room = max(fits, key=lambda fit: fit[0])
    linear = scale * np.array([[1.0, 0.0], [0.0, -1.0]])
    return np.column_stack([linear, np.array([left + _LEFT, _TOP]) + room / 2 - product(linear, bounds.mean(axis=0))])


def _plastic_axes(section: Section, bounds: Array, paper: Array) -> list[tuple[float, ...]]:
    """Ends of the plastic neutral axes parallel to x and y, on the bounds; none where they are not known."""
    if section.plastic is None:
        return []
    (left, below), (right, above) = bounds
    y, x = (section.plastic.neutral_axes[name] for name in "xy")
    ends = [((left, y), (right, y)), ((x, below), (x, above))]
    return [_at(paper, np.array(a)) + _at(paper, np.array(b)) for a, b in ends]


def _at(paper: Array, point: Array) -> tuple[float, float]:
    """Pixels of a point, m."""
    x, y = (product(paper[:, :2], point) + paper[:, 2]).tolist()
    return x, y


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


def _path(outline: Outline, matrix: Array, closed: bool, straight: bool) -> str:
    curves: list[Curve] = [curve.transformed(matrix) for curve in outline.curves]
    if straight:
        curves = [Polyline(np.concatenate([curve.flattened(_TOLERANCE) for curve in curves]))]
    return " ".join([f"M {_xy(curves[0].start)}", *(_segment(curve) for curve in curves), *["Z"] * closed])


def _segment(curve: Curve) -> str:
    if isinstance(curve, EllipticArc):
        return _arc(curve)
    if isinstance(curve, Bezier) and curve.weights is None and curve.degree in _SVG_BEZIERS:
        return f"L {_xy(curve.start)} {_SVG_BEZIERS[curve.degree]} " + " ".join(map(_xy, curve.control[1:]))
    points = curve.chords() if isinstance(curve, Polyline) else curve.flattened(_TOLERANCE)
    return "L " + " ".join(map(_xy, points))


def _arc(arc: EllipticArc) -> str:
    """Two elliptical arcs of SVG, of at most half a turn each: the end of a whole ellipse does not differ from its start."""
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


def _ticks(bounds: Array, paper: Array, units: OutputUnits) -> list[list[tuple[float, str]]]:
    """Round numbers on both axes, with their places on the paper."""
    unit = units.of(1.0, (0, 1))
    low, high = (np.array([units.of(x, (0, 1)) for x in row]) for row in bounds)
    least = _TICKS * unit / paper[0, 0]
    power = 10.0 ** math.floor(math.log10(least))
    step = power * next(k for k in (1, 2, 5, 10) if k * power >= least)
    largest = max(step, *abs(low), *abs(high))
    digits = min(math.floor(math.log10(largest) + 1e-9) - math.floor(math.log10(step) + 1e-9) + 1, 15)
    found: list[list[tuple[float, str]]] = [[], []]
    for k, ticks in enumerate(found):
        for i in range(math.ceil(low[k] / step - 1e-9), math.floor(high[k] / step + 1e-9) + 1):
            number = min(f"{i * step:.{digits}g}", number_text(i * step, digits=digits), key=len)
            ticks.append((float(paper[k, k] * (i * step / unit) + paper[k, 2]), number))
    return found


def _principal_axis(section: Section, angle: float, paper: Array) -> dict[str, tuple[float, ...]]:
    """Ends of an axis through the centroid, on the bounds, and the place of its number."""
    along = np.array([math.cos(angle), math.sin(angle)])
    slow = np.where(abs(along) < 1e-9, np.inf, along)
    reach = np.sort((section.bounds - section.centroid) / slow, axis=0)  # where it leaves each pair of sides
    back, on = reach[0][np.isfinite(slow)].max(), reach[1][np.isfinite(slow)].min()
    start, end, near = (_at(paper, section.centroid + t * along) for t in (back, on, 0.92 * on))
    return {"ends": start + end, "label": (near[0] - 12 * along[1], near[1] - 12 * along[0] + 5)}  # beside the line


def _legend(section: Section, units: OutputUnits, theme: Theme, height: float, about: ArrayLike | str | None) -> Legend:
    fourth = units.label((0, 4))
    quantities = list(section_quantities(section, QuantityOptions(units, about)))
    known = {q.name.split(" [")[0]: q for q in quantities}
    angle = number_text(round(units.of_angle(section.principal_angle), 6), digits=4)
    principal = known["Principal I"].numbers(units)
    lines = [
        (f"I1 = {principal[0]} {fourth} about axis 1 at {angle} {units.angle}", theme["I1"]),
        (f"I2 = {principal[1]} {fourth} about axis 2", theme["I2"]),
        ("core (dashed)", theme["equivalent"]),
    ]
    others = [(f"{q.name}: {_values(q, units)}", theme["ink"]) for q in quantities if _ABOUT.match(q.name)]
    lines, others = [*others, *lines], []
    for name, words, colour in _LEGEND:
        if q := known.get(name):
            named = q.entries(units)
            text = ", ".join(x if n in ("", "x", "y") else f"{n} = {x}" for n, x in named)
            text = f"({text})" if named[0][0] == "x" else text
            others.append((words.format(f"{text} {units.label(q.dimension)}"), theme[colour]))
    most = max(int(_MOST_NUMBERS * height / _ROW), 1)
    return [*others[:2], *lines, *others[2:]][:most]


def _values(q: Quantity, units: OutputUnits) -> str:
    """The numbers with their names and unit."""
    return ", ".join(f"{name} = {x}" for name, x in q.entries(units)) + f" {units.label(q.dimension)}"


def _explain(findings: Sequence[Finding], units: OutputUnits, look: Look, size: Array) -> Legend:
    """Findings with their numbers, wrapped to the width."""
    most = int((size[0] - _LEFT / 2) / _LETTER)
    texts = (f"{i} {plain(f.code)}: {plain(units.sentence(f.marked))}" for i, f in enumerate(findings, 1))
    wrapped = [wrap(text, most) for text in texts]
    rows = max(int(_MOST_LEGEND * size[1] / _ROW), 1)
    return [(line, look.theme["defect"]) for lines in wrapped for line in lines][:rows]


def _xy(point: Array | tuple[float, float]) -> str:
    return f"{point[0]:.3f},{point[1]:.3f}"

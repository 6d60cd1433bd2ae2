"""A picture of solids in space: what is drawn, and how it is laid out on the canvas."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

import numpy as np

from massprops.measurement.output_units import OutputUnits
from massprops.moments.arrays import Array, Floats
from massprops.report.picture.font import ADVANCE, LINE, text_mask
from massprops.report.picture.raster import Canvas, Colour
from massprops.report.picture.view import View, ViewName

#: Facets up to which a picture is drawn at twice its size and halved, so that edges are smooth.
_SMOOTH = 300_000
#: Pixels of a letter's dot; of the margin round a view; and between lines of the legend.
_DOT, _MARGIN = 2, 34
#: The part of the height that a legend may take.
_MOST_LEGEND = 0.4
#: Shares of red, green and blue in what the eye sees as bright, and from where on a colour is.
_LUMINANCE, _BRIGHT = (0.299, 0.587, 0.114), 140.0
_LIGHT = np.array([-0.35, 0.5, 0.8]) / math.sqrt(0.35**2 + 0.5**2 + 0.8**2)  # right, up, toward the viewer


@dataclass(frozen=True)
class Theme:
    """The colours of a picture; of `links` with errors, with warnings, with neither, and without an inertial."""

    background: Colour = (252, 252, 253)
    ink: Colour = (32, 36, 44)
    faint: Colour = (150, 154, 162)
    solid: Colour = (140, 164, 196)
    inside: Colour = (226, 140, 60)
    defect: Colour = (214, 40, 40)
    axes: tuple[Colour, Colour, Colour] = ((200, 40, 60), (30, 140, 60), (40, 80, 210))
    equivalent: Colour = (120, 60, 170)
    links: tuple[Colour, Colour, Colour, Colour] = ((206, 84, 74), (222, 168, 66), (104, 164, 116), (168, 172, 180))
    edge: float = 0.55


LIGHT = Theme()
DARK = Theme(
    background=(24, 26, 31),
    ink=(232, 234, 238),
    faint=(120, 125, 135),
    solid=(118, 146, 186),
    defect=(255, 92, 92),
    axes=((255, 110, 120), (90, 210, 120), (120, 160, 255)),
    equivalent=(200, 150, 255),
)


@dataclass(frozen=True)
class Solid:
    """Triangles in metres, read a chunk at a time, shape (n, 3, 3), and their colour; None: that of the theme."""

    read_chunks: Callable[[], Iterable[Floats]]
    facets: int
    colour: Colour | None = None


@dataclass(frozen=True)
class Line:
    """A polyline through points, shape (n, 3), m; how much of it is seen behind a solid; and a label at its end."""

    points: Array
    colour: Colour
    width: float = 1.6
    hidden: float = 0.3
    label: str = ""


@dataclass(frozen=True)
class Marker:
    """A place: a centre of mass, quartered, or with a label the numbered place of a defect, so many pixels beside it."""

    point: Array
    colour: Colour
    radius: float = 8.0
    label: str = ""
    beside: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Explained:
    """A line of the legend, and what it explains: a line ─ or a surface ■ of a colour, or a mark with a number."""

    words: str
    colour: Colour | None = None
    sign: str = ""


@dataclass(frozen=True)
class Scene:
    """All that is drawn. `bounds`: shape (2, 3), m."""

    title: str
    bounds: Array
    solids: Sequence[Solid]
    units: OutputUnits
    lines: Sequence[Line] = ()
    markers: Sequence[Marker] = ()
    legend: Sequence[Explained] = ()


def draw(scene: Scene, views: Sequence[ViewName], size: tuple[int, int], theme: Theme) -> Canvas:
    """The canvas of a scene: one view, or several beside and below each other.

    Parameters
    ----------
    scene : Scene
        What is drawn.
    views : sequence of str
        One of them fills the canvas; four are a table of two by two.
    size : (int, int)
        Width and height in pixels.
    theme : Theme
        Colours.
    """
    factor = 2 if sum(solid.facets for solid in scene.solids) <= _SMOOTH else 1
    letters = max(1, (size[0] - _MARGIN) // (ADVANCE * _DOT))
    indent = 2 if any(e.sign for e in scene.legend) else 0
    legend = [
        Explained(line, e.colour, "" if i else e.sign)
        for e in scene.legend
        for i, line in enumerate(wrap(e.words, max(letters - indent, 1)))
    ]
    most = max(int(_MOST_LEGEND * size[1] / (LINE * _DOT)), 1)
    if len(legend) > most:
        legend = [*legend[: most - 1], Explained("... see 'massprops check' for all")]
    below = LINE * _DOT * len(legend) + (_MARGIN // 2 if legend else 0)
    places = _areas(len(views), size, LINE * _DOT + _MARGIN // 2, below)
    fitted = [View.fitted(name, scene.bounds, area) for name, area in zip(views, places, strict=True)]
    scale = min(view.scale for view in fitted)
    fitted = [replace(view, scale=scale) for view in fitted]
    large = Canvas(size[0] * factor, size[1] * factor, theme.background)
    for solid in scene.solids:
        for chunk in solid.read_chunks():
            for view in fitted:
                _shade(large, view.enlarged(factor), chunk, solid.colour or theme.solid, theme)
    large.edges(theme.edge)
    canvas = large.halved() if factor == 2 else large
    canvas.depth /= factor
    for view, name, area in zip(fitted, views, places, strict=True):
        _overlay(canvas, view, scene, theme)
        if len(views) > 1:
            text(canvas, name, int(area[0]), int(area[1]) - _MARGIN // 2, theme.faint)
    _scale_bar(canvas, fitted[-1], scene.units, places[-1], theme)
    text(canvas, _shortened(scene.title, letters), _MARGIN // 2, _MARGIN // 3, theme.ink)
    for i, e in enumerate(legend):
        _explain(canvas, e, size[1] - (len(legend) - i) * LINE * _DOT - _MARGIN // 4, indent, theme)
    return canvas


def _explain(canvas: Canvas, e: Explained, row: int, indent: int, theme: Theme) -> None:
    left, middle = _MARGIN // 2, row + 3.5 * _DOT
    text(canvas, e.words, left + indent * ADVANCE * _DOT, row, theme.ink)
    if e.sign.isdecimal():
        _number(canvas, np.array([left + 7.0, middle, 0.0]), e.sign, 9.0, e.colour or theme.ink, theme)
    elif e.sign:
        ends = np.array([[left, middle, 0.0], [left + 14, middle, 0.0]])
        canvas.line(ends[0], ends[1], e.colour or theme.ink, width=11.0 if e.sign == "■" else 3.0, hidden=1.0)


def _number(canvas: Canvas, at: Array, number: str, radius: float, colour: Colour, theme: Theme) -> None:
    """A disc with a number in it, in the ink that is easier to read on its colour."""
    canvas.disc(at, radius + 1.5, theme.background)
    canvas.disc(at, radius, colour)
    dark, light = sorted((theme.ink, theme.background))
    half = (len(number) * ADVANCE - 1) * _DOT / 2
    ink = dark if np.dot(colour, _LUMINANCE) > _BRIGHT else light
    text(canvas, number, round(at[0] - half), round(at[1] - 3.5 * _DOT), ink)


def text(canvas: Canvas, words: str, column: int, row: int, colour: Colour) -> None:
    """A line of text from its upper left corner on."""
    canvas.mask(text_mask(words, _DOT), column, row, colour)


def _shortened(words: str, most: int) -> str:
    """With its middle left out where it is too long: names begin alike, and a verdict is at the end."""
    half = max((most - 3) // 2, 1)
    return words if len(words) <= most else f"{words[:half]}...{words[-half:]}"


def _areas(views: int, size: tuple[int, int], above: int, below: int) -> list[tuple[float, float, float, float]]:
    columns = math.ceil(math.sqrt(views))
    rows = math.ceil(views / columns)
    width, height = size[0] / columns, (size[1] - above - below) / rows
    return [
        (
            i % columns * width + _MARGIN,
            above + i // columns * height + _MARGIN,
            max(width - 2 * _MARGIN, 1.0),
            max(height - 2 * _MARGIN, 1.0),
        )
        for i in range(views)
    ]


def _shade(canvas: Canvas, view: View, chunk: Floats, colour: Colour, theme: Theme) -> None:
    """Facets lit from over the viewer's shoulder; those seen from inside have a colour of their own."""
    seen = view(chunk)
    u, v = seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0]
    ux, uy, ud, vx, vy, vd = (*u.T, *v.T)
    normal = np.stack(
        [ud * vy - uy * vd, ud * vx - ux * vd, uy * vx - ux * vy], axis=1
    )  # y points downward on the canvas
    size = np.sqrt((normal * normal).sum(axis=1))
    normal /= np.maximum(size, 1e-300)[:, None]
    outside = normal[:, 2] >= 0
    light = np.where(outside, 1.0, -1.0) * (
        normal[:, 0] * _LIGHT[0] + normal[:, 1] * _LIGHT[1] + normal[:, 2] * _LIGHT[2]
    )
    shade = 0.62 + 0.38 * light
    colours = np.where(outside[:, None], np.array(colour), np.array(theme.inside)) * shade[:, None]
    canvas.triangles(seen, colours.astype(np.uint8))


def _overlay(canvas: Canvas, view: View, scene: Scene, theme: Theme) -> None:
    for line in scene.lines:
        points = view(line.points)
        points[:, 2] += 0.5  # a line on a face is in front of it
        for start, end in itertools.pairwise(points):
            canvas.line(start, end, line.colour, width=line.width, hidden=line.hidden)
        if line.label:
            end = points[-1]
            text(canvas, line.label, int(end[0]) + 6, int(end[1]) - 7, line.colour)
    for marker in scene.markers:
        at = view(marker.point)
        if marker.label:
            at[:2] += marker.beside
            _number(canvas, at, marker.label, marker.radius + 3, marker.colour, theme)
        else:
            canvas.disc(at, marker.radius + 1.5, theme.background)
            canvas.disc(at, marker.radius, theme.ink, quarters=marker.colour)


def _scale_bar(
    canvas: Canvas, view: View, units: OutputUnits, area: tuple[float, float, float, float], theme: Theme
) -> None:
    """A bar of 1, 2 or 5 times a power of ten of the unit, at most a third of the view."""
    most = units.of(area[2] / 3 / view.scale, (0, 1))
    power = 10.0 ** math.floor(math.log10(most))
    length = power * max(k for k in (1, 2, 5) if k * power <= most)
    pixels = length / units.of(1.0, (0, 1)) * view.scale
    right, bottom = area[0] + area[2], area[1] + area[3] + _MARGIN / 2
    ends = np.array([[right - pixels, bottom, 0.0], [right, bottom, 0.0]])
    canvas.line(ends[0], ends[1], theme.ink, width=2.0, hidden=1.0)
    words = f"{length:g} {units.length}"
    text(canvas, words, int(right) - len(words) * ADVANCE * _DOT, int(bottom) - LINE * _DOT, theme.ink)

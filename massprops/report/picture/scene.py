"""A picture of solids in space: what is drawn, and how it is laid out on the canvas.

A `View` is where one looks from, and how points of a body come onto the canvas: parallel projection.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Literal, Self

import numpy as np

from massprops.measurement.output_units import OutputUnits
from massprops.moments.arrays import Array, Floats, product
from massprops.report.picture.font import ADVANCE, LINE, ROWS, text_mask
from massprops.report.picture.raster import Canvas, Colour

ViewName = Literal["iso", "front", "top", "right"]
Shown = Literal["axes", "ellipsoid", "box", "com", "defects", "bounds"]

_ROOT2, _ROOT3, _ROOT6 = 2**0.5, 3**0.5, 6**0.5
#: Rows: to the right of the picture, upward in it, and toward the viewer. The isometric one looks from +x, −y, +z.
VIEWS: dict[str, Array] = {
    "iso": np.array(
        [[1 / _ROOT2, 1 / _ROOT2, 0], [-1 / _ROOT6, 1 / _ROOT6, 2 / _ROOT6], [1 / _ROOT3, -1 / _ROOT3, 1 / _ROOT3]]
    ),
    "front": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "top": np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "right": np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]),
}


@dataclass(frozen=True, eq=False)
class View:
    """A parallel projection: p ↦ pixels (x, y) and depth.

    Attributes
    ----------
    axes : ndarray, shape (3, 3)
        Rows: right, up, toward the viewer.
    scale : float
        Pixels per metre.
    target, place : ndarray, shapes (3,), (2,)
        The point of the body, m, that comes to this place of the canvas, pixels.
    """

    axes: Array
    scale: float
    target: Array
    place: Array

    @classmethod
    def fitted(cls, name: ViewName, bounds: Array, area: tuple[float, float, float, float]) -> Self:
        """The largest view of a box, shape (2, 3), m, in an area of the canvas: left, top, width, height in pixels."""
        axes = VIEWS[name]
        size = product(np.abs(axes), bounds[1] - bounds[0])
        left, top, width, height = area
        scale = min(width / max(size[0], 1e-300), height / max(size[1], 1e-300))
        return cls(axes, scale, bounds.mean(axis=0), np.array([left + width / 2, top + height / 2]))

    def __call__(self, points: Floats) -> Array:
        """Pixels and depth, shape (…, 3), of points (…, 3), m."""
        arms = np.asarray(points, dtype=np.float64) - self.target
        seen = product(arms, self.axes.T) * self.scale
        seen[..., 1] *= -1
        seen[..., :2] += self.place
        return np.asarray(seen)

    def enlarged(self, factor: int) -> Self:
        """The same view of a canvas so many times as wide and high."""
        return replace(self, scale=self.scale * factor, place=self.place * factor)


#: Facets up to which a picture is drawn at twice its size and halved, so that edges are smooth.
_SMOOTH = 300_000
#: Margin round a view, in dots of a letter; sizes of marks are for dots of two pixels, and at least this share of that.
_MARGIN, _SMALLEST = 17, 0.7
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
class Look:
    """How a picture looks.

    Attributes
    ----------
    show : sequence of str
        What is drawn on the surface of a part.
    views : sequence of str
        From where.
    size : (int, int)
        Width and height, pixels.
    theme : Theme
        Colours.
    units : str or None
        Units of the numbers in it, as `OutputUnits.chosen` reads them; by default those of the file.
    """

    show: Sequence[Shown] = ("axes", "com", "defects", "bounds")
    views: Sequence[ViewName] = ("iso",)
    size: tuple[int, int] = (1200, 900)
    theme: Theme = LIGHT
    units: str | None = None


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


def draw(scene: Scene, look: Look) -> Canvas:
    """The canvas of a scene: one view fills it; several are beside and below each other, four a table of two by two."""
    views, size, theme = look.views, look.size, look.theme
    factor = 2 if sum(solid.facets for solid in scene.solids) <= _SMOOTH else 1
    share = min(size[0] / 400, size[1] / 300)
    dot, room = _dot(share), min(share, 1.0)
    margin, line = _MARGIN * dot * room, LINE * dot
    letters = max(1, int((size[0] - margin) // (ADVANCE * dot)))
    indent = 2 if any(e.sign for e in scene.legend) else 0
    legend = [
        Explained(words, e.colour, "" if i else e.sign)
        for e in scene.legend
        for i, words in enumerate(wrap(e.words, max(letters - indent, 1)))
    ]
    most = int(_MOST_LEGEND * room * size[1] / line)
    if len(legend) > most:
        legend = [
            *legend[: max(most - 1, 0)],
            Explained(shortened("... see 'massprops check' for all", letters - indent)),
        ][:most]
    below = line * len(legend) + (margin / 2 if legend else 0)
    places = _areas(len(views), size, line + margin / 2, below, margin)
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
    pen = _Pen(canvas, theme, dot)
    for view, name, area in zip(fitted, views, places, strict=True):
        pen.overlay(view, scene)
        if len(views) > 1:
            pen.text(name, area[0], area[1] - margin / 2, theme.faint)
    pen.scale_bar(fitted[-1], scene, places[-1])
    pen.text(shortened(scene.title, letters), margin / 2, margin / 3, theme.ink)
    for i, e in enumerate(legend):
        pen.explain(e, margin / 2, size[1] - (len(legend) - i) * line - margin / 4, indent)
    return canvas


def _dot(share: float) -> float:
    """Pixels of a letter's dot: two in pictures of 800 × 600 to 1200 × 900, in proportion in others; a letter is whole pixels wide."""
    return max(1.0, math.floor(ADVANCE * max(min(share, 2.0), share * 2 / 3)) / ADVANCE)


@dataclass(frozen=True)
class _Pen:
    """Draws marks and letters, whose dots are of so many pixels, on top of what is shaded."""

    canvas: Canvas
    theme: Theme
    dot: float

    @property
    def share(self) -> float:
        """What the size of a mark is multiplied by."""
        return max(self.dot / 2, _SMALLEST)

    def text(self, words: str, column: float, row: float, colour: Colour) -> None:
        """A line of text from its upper left corner on."""
        self.canvas.mask(text_mask(words, self.dot), round(column), round(row), colour)

    def number(self, at: Array, number: str, radius: float, colour: Colour) -> None:
        """A disc with a number in it, in the ink that is easier to read on its colour."""
        self.canvas.disc(at, radius * self.share + 1.5, self.theme.background)
        self.canvas.disc(at, radius * self.share, colour)
        dark, light = sorted((self.theme.ink, self.theme.background))
        half = (len(number) * ADVANCE - 1) * self.dot / 2
        ink = dark if np.dot(colour, _LUMINANCE) > _BRIGHT else light
        self.text(number, at[0] - half, at[1] - 3.5 * self.dot, ink)

    def explain(self, e: Explained, left: float, row: float, indent: int) -> None:
        """A line of the legend, and before it what it explains."""
        middle, wide, colour = row + 3.5 * self.dot, 7 * self.dot, e.colour or self.theme.ink
        self.text(e.words, left + indent * ADVANCE * self.dot, row, self.theme.ink)
        if e.sign.isdecimal():
            self.number(np.array([left + wide / 2, middle, 0.0]), e.sign, 9.0, colour)
        elif e.sign:
            ends = np.array([[left, middle, 0.0], [left + wide, middle, 0.0]])
            self.canvas.line(ends[0], ends[1], colour, width=self.dot * (5.5 if e.sign == "■" else 1.5), hidden=1.0)

    def overlay(self, view: View, scene: Scene) -> None:
        """Lines and marks."""
        for line in scene.lines:
            points = view(line.points)
            points[:, 2] += 0.5  # a line on a face is in front of it
            for start, end in itertools.pairwise(points):
                self.canvas.line(start, end, line.colour, width=line.width * self.share, hidden=line.hidden)
            if line.label and np.ptp(points[:, :2], axis=0).max() > 2 * ADVANCE * self.dot:  # not seen from its end
                self.text(line.label, points[-1, 0] + 3 * self.dot, points[-1, 1] - 3.5 * self.dot, line.colour)
        for marker in scene.markers:
            at = view(marker.point)
            at[:2] += np.multiply(marker.beside, self.share)
            if marker.label:
                self.number(at, marker.label, marker.radius + 3, marker.colour)
            else:
                self.canvas.disc(at, marker.radius * self.share + 1.5, self.theme.background)
                self.canvas.disc(at, marker.radius * self.share, self.theme.ink, quarters=marker.colour)

    def scale_bar(self, view: View, scene: Scene, area: tuple[float, float, float, float]) -> None:
        """A bar of 1, 2 or 5 times a power of ten of the unit, at most a third of the view; none for a point."""
        if not np.ptp(scene.bounds, axis=0).any():
            return
        units = scene.units
        most = units.of(area[2] / 3 / view.scale, (0, 1))
        power = 10.0 ** math.floor(math.log10(most))
        length = power * max(k for k in (1, 2, 5) if k * power <= most)
        pixels = length / units.of(1.0, (0, 1)) * view.scale
        right, bottom = area[0] + area[2], area[1] + area[3] + _MARGIN * self.dot / 2
        ends = np.array([[right - pixels, bottom, 0.0], [right, bottom, 0.0]])
        self.canvas.line(ends[0], ends[1], self.theme.ink, width=self.dot, hidden=1.0)
        words = f"{length:g} {units.length}"
        self.text(words, right - len(words) * ADVANCE * self.dot, bottom - ROWS * self.dot, self.theme.ink)


def shortened(words: str, most: int) -> str:
    """With its middle left out where it is too long: names begin alike, and a verdict is at the end."""
    half = max((most - 3) // 2, 1)
    return words if len(words) <= most else f"{words[:half]}...{words[-half:]}"


def _areas(
    views: int, size: tuple[int, int], above: float, below: float, margin: float
) -> list[tuple[float, float, float, float]]:
    columns = math.ceil(math.sqrt(views))
    rows = math.ceil(views / columns)
    width, height = size[0] / columns, (size[1] - above - below) / rows
    return [
        (
            i % columns * width + margin,
            above + i // columns * height + margin,
            max(width - 2 * margin, 1.0),
            max(height - 2 * margin, 1.0),
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
    light = np.where(outside, 1.0, -1.0) * product(normal, _LIGHT)
    shade = 0.62 + 0.38 * light
    colours = np.where(outside[:, None], np.array(colour), np.array(theme.inside)) * shade[:, None]
    canvas.triangles(seen, colours.astype(np.uint8))

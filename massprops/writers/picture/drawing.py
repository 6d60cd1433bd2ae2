"""A scene as pixels: where its views, legend and scale are on the canvas, and how solids, lines and marks are drawn there.

Tests of this room: `tests/writers/test_picture.py`, `test_robot_picture.py` and `test_section_picture.py`.
"""

from __future__ import annotations

import base64
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Self

import numpy as np

from massprops.errors import spelling
from massprops.moments.arrays import Array, Floats, length, product
from massprops.writers.picture.pillow import HEIGHT, MIDDLE, pdf, png, text_mask, text_width
from massprops.writers.picture.raster import Canvas, Colour
from massprops.writers.picture.scene import CENTRE, LegendEntry, Look, Scene, Theme, ViewName, letters_of, shorten
from massprops.writers.template import fill_template

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
#: Widths of the lines of each layer, pixels, and how much of them is seen behind a solid.
STROKES = {
    "bounds": (1.0, 0.35),
    "axes": (2.0, 0.45),
    "box": (1.6, 0.35),
    "ellipsoid": (1.4, 0.6),
    "defects": (2.4, 0.7),
    "com": (2.0, 0.6),
}
#: Facets up to which a picture is drawn at twice its size and halved, so that edges are smooth.
_SMOOTH = 300_000
#: Pixels of facets that are filled, hidden ones too; what a row of a facet costs, in pixels.
_MOST_PIXELS, _ROW = 5e7, 8.0
#: Margin round a view and height of a line of text, in heights of letters.
_MARGIN, _LINE = 1.7, 1.15
#: Marks have their sizes where letters are so high, and at least this share of them.
_MARKS, _SMALLEST = 19.0, 0.7
#: Largest share of the height for a legend, and where its words begin, in heights of letters.
_MOST_LEGEND, _INDENT = 0.4, 1.2
#: Shares of red, green and blue in luminance, and the luminance from which on a colour has dark letters.
_LUMINANCE, _BRIGHT = (0.299, 0.587, 0.114), 140.0
_LIGHT = np.array([-0.35, 0.5, 0.8]) / math.sqrt(0.35**2 + 0.5**2 + 0.8**2)  # right, up, toward the viewer
#: Distances at which a number finds a free place, in radii of its disc.
_RINGS = (2.4, 4.0, 6.0)
#: Length of the arms of the triad, in heights of letters.
_ARM = 2.0
#: Shade of edges.
_EDGE = 0.55

#: Left, top, width and height, pixels.
Area = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Projection:
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
    def fit(cls, name: ViewName, points: Array, area: Area) -> Self:
        """The largest view of points, shape (n, 3), m, in an area of the canvas."""
        axes = VIEWS[name]
        seen = product(points, axes.T)
        size, middle = np.ptp(seen, axis=0), (seen.min(axis=0) + seen.max(axis=0)) / 2
        left, top, width, height = area
        scale = min(width / max(size[0], 1e-300), height / max(size[1], 1e-300))
        return cls(axes, scale, product(middle, axes), np.array([left + width / 2, top + height / 2]))

    def __call__(self, points: Floats) -> Array:
        """Pixels and depth, shape (…, 3), of points (…, 3), m."""
        arms = np.asarray(points, dtype=np.float64) - self.target
        seen = product(arms, self.axes.T) * self.scale
        seen[..., 1] *= -1
        seen[..., :2] += self.place
        return np.asarray(seen)

    def enlarge(self, factor: float) -> Self:
        """View of a canvas that is so many times as wide and high."""
        return replace(self, scale=self.scale * factor, place=self.place * factor)


def draw_png(scene: Scene, look: Look, *, small: bool = False) -> bytes:
    """PNG file of a scene; see `png`."""
    return png(draw(scene, look).image, small=small)


def draw_file(scene: Scene, look: Look) -> bytes:
    """PNG, SVG or PDF file of a scene; the latter two hold its pixels."""
    pixels = draw(scene, look).image
    if look.format == "pdf":
        return pdf(pixels)
    data = png(pixels)
    if look.format != "svg":
        return data
    image = base64.b64encode(data).decode("ascii")
    return fill_template("picture/pixels.svg", title=scene.title, size=look.size, image=image).encode()


def draw(scene: Scene, look: Look) -> Canvas:
    """The canvas of a scene: one view fills it; several are beside and below each other, four a table of two by two."""
    views, (width, height), theme = look.views, look.size, look.theme
    letters, room = letters_of(look.size), min(width / 400, height / 300, 1.0)
    margin, line = _MARGIN * letters * room, _LINE * letters
    legend = _layout_legend(scene, look, letters, width - margin, int(_MOST_LEGEND * room * height / line))
    below = line * len(legend) + (margin / 2 if legend else 0)
    beside = _INDENT * letters + max((text_width(entry.words, letters) for entry in legend), default=0.0)
    above, points = line + margin / 2, scene.corners
    layouts = []
    for left, bottom in ((0.0, below), (beside, 0.0)):  # the legend below the views or, of what is tall, at their left
        areas = _areas(len(views), look.size, (left, above, bottom), margin)
        fitted = [Projection.fit(name, points, area) for name, area in zip(views, areas, strict=True)]
        layouts.append((min(view.scale for view in fitted), areas, fitted))
    scale, areas, fitted = max(layouts, key=lambda layout: layout[0])
    fitted = [replace(view, scale=scale) for view in fitted]
    factor = _resolution(scene, fitted, look.size)
    large = Canvas(math.ceil(width * factor), math.ceil(height * factor), theme["background"])
    for solid in scene.solids:
        for chunk in solid.placed_chunks():
            for view in fitted:
                _shade(large, view.enlarge(factor), chunk, theme[solid.colour], theme["inside"])
    large.edges(_EDGE)
    canvas = large.halve() if factor == 2 else large.repeat(round(1 / factor), look.size)
    canvas.depth /= factor
    pen = _Pen(canvas, theme, letters)
    for view, name, area in zip(fitted, views, areas, strict=True):
        pen.overlay(view, scene, look)
        pen.triad(view, area)
        if len(views) > 1:
            pen.text(name, area[0], area[1] - margin / 2, "faint")
    pen.scale_bar(fitted[-1], scene, areas[-1])
    (title,) = _fit(scene.title, width - margin, letters, lambda words, most: [shorten(words, most)])
    pen.text(title, margin / 2, margin / 3)
    for i, entry in enumerate(legend):
        pen.explain(entry, margin / 2, height - (len(legend) - i) * line - margin / 4)
    return canvas


def _resolution(scene: Scene, views: Sequence[Projection], size: tuple[int, int]) -> float:
    """Pixels that are drawn for one along each side: fewer where facets lie over each other hundreds of times."""
    area, rows = 0.0, 0.0
    for chunk, view in itertools.product((c for solid in scene.solids for c in solid.placed_chunks()), views):
        boxes = np.minimum(np.ptp(view(chunk)[..., :2], axis=1), size)
        area += float(boxes.prod(axis=1).sum()) / 2
        rows += float(boxes[:, 1].sum())
    smooth = 2.0 if sum(solid.facets for solid in scene.solids) <= _SMOOTH else 1.0
    tried = [smooth * 0.5**k for k in range(8)]
    return next((f for f in tried if f * (f * area + _ROW * rows) <= _MOST_PIXELS), tried[-1])


def _layout_legend(scene: Scene, look: Look, letters: float, width: float, most: int) -> list[LegendEntry]:
    """The entries whose layers are shown, wrapped to this width, pixels, in at most so many lines."""
    room = width - _INDENT * letters
    entries = [e for e in scene.legend if e.layer is None or e.layer in look.show]
    if not any(e.sign for e in entries):
        room = width
    lines = [
        replace(entry, words=words, sign="" if i else entry.sign)
        for entry in entries
        for i, words in enumerate(_fit(entry.words, room, letters, wrap))
    ]
    more = LegendEntry(spelling().commands("... see 'massprops check' for all"))
    return lines if len(lines) <= most else [*lines[: max(most - 1, 0)], more][:most]


def _fit(words: str, width: float, letters: float, split: Callable[[str, int], list[str]]) -> list[str]:
    """Lines of as many characters as are nowhere wider than so many pixels; `split` makes them from the words and a number."""
    for n in range(len(words), 1, -1):
        lines = split(words, n)
        if all(text_width(line, letters) <= width for line in lines):
            return lines
    return split(words, 1)


@dataclass(frozen=True)
class _Pen:
    """Draws marks and letters of this height, pixels, on top of the solids."""

    canvas: Canvas
    theme: Theme
    letters: float

    @property
    def share(self) -> float:
        """Factor of the sizes of marks."""
        return max(self.letters / _MARKS, _SMALLEST)

    def text(self, words: str, left: float, top: float, colour: str = "ink") -> None:
        """A line of text from its upper left corner on."""
        self.canvas.mask(text_mask(words, self.letters), round(left), round(top), self.theme[colour])

    def number(self, at: Array, number: str, radius: float, colour: str) -> None:
        """A disc with a number in it, in the ink that is easier to read on its colour."""
        self.canvas.disc(at, radius * self.share + 1.5, self.theme["background"])
        self.canvas.disc(at, radius * self.share, self.theme[colour])
        dark, light = sorted(("ink", "background"), key=self.theme.__getitem__)
        ink = dark if np.dot(self.theme[colour], _LUMINANCE) > _BRIGHT else light
        self.text(number, at[0] - text_width(number, self.letters) / 2, at[1] - MIDDLE * self.letters, ink)

    def centre(self, at: Array, radius: float) -> None:
        """The quartered disc of a centre of mass."""
        self.canvas.disc(at, radius * self.share + 1.5, self.theme["background"])
        self.canvas.disc(at, radius * self.share, self.theme["ink"], quarters=self.theme["background"])

    def triad(self, view: Projection, area: Area) -> None:
        """Arms along x, y and z of the scene in the lower left corner of a view; one that is seen from its end has no letter."""
        origin = np.array([area[0] + _ARM * self.letters / 2, area[1] + area[3] - self.letters / 2, 0.0])
        for name, axis in zip("xyz", view.axes.T * [1, -1, 0] * _ARM * self.letters, strict=True):
            self.canvas.line(np.array([origin, origin + axis]), self.theme["ink"], width=self.letters / 10, hidden=1.0)
            if length(axis) > self.letters / 2:
                at = origin + (1 + 0.5 / _ARM) * axis
                self.text(name, at[0] - text_width(name, self.letters) / 2, at[1] - MIDDLE * self.letters)

    def explain(self, entry: LegendEntry, left: float, top: float) -> None:
        """A line of the legend, with its sign before it."""
        middle, wide, fitting = top + MIDDLE * self.letters, 0.7 * self.letters, 0.45 * self.letters / self.share
        self.text(entry.words, left + _INDENT * self.letters, top)
        if entry.sign.isdecimal():
            self.number(np.array([left + wide / 2, middle, 0.0]), entry.sign, fitting, entry.colour)
        elif entry.sign == CENTRE:
            self.centre(np.array([left + wide / 2, middle, 0.0]), fitting)
        elif entry.sign:
            ends = np.array([[left, middle, 0.0], [left + wide, middle, 0.0]])
            width = self.letters * (0.55 if entry.sign == "■" else 0.15)
            self.canvas.line(ends, self.theme[entry.colour], width=width, hidden=1.0)

    def overlay(self, view: Projection, scene: Scene, look: Look) -> None:
        """Lines and marks of the layers that are shown; a number only where the legend explains it."""
        taken: list[tuple[Array, float]] = []
        for stroke in (s for s in scene.strokes if s.layer in look.show):
            points, (width, hidden) = view(stroke.points), STROKES[stroke.layer]
            points[:, 2] += 0.5  # a line on a face is in front of it
            for ends in itertools.pairwise(points):
                self.canvas.line(np.array(ends), self.theme[stroke.colour], width=width * self.share, hidden=hidden)
            if stroke.label and np.ptp(points[:, :2], axis=0).max() > 1.2 * self.letters:  # not seen from its end
                left, top = points[-1, :2] + np.array([0.3, -MIDDLE]) * self.letters
                self.text(stroke.label, left, top, stroke.colour)
                taken.append((points[-1] + [self.letters, 0.0, 0.0], self.letters / 2))
        explained = {entry.sign for entry in scene.legend}
        markers = [m for m in scene.markers if m.layer == "links" or m.layer in look.show]
        for marker in (m for m in markers if not m.number):
            taken.append((view(marker.point), marker.radius * self.share))
            self.centre(taken[-1][0], marker.radius)
        numbered = [(m, view(m.point)) for m in markers if m.number and m.number in explained]
        moved = [self._free_place(at, (m.radius + 3) * self.share, taken) for m, at in numbered]
        for (_, at), place in zip(numbered, moved, strict=True):
            if place is not at:
                self.canvas.line(np.array([at, place]), self.theme["ink"], width=1.2 * self.share, hidden=1.0)
        for (marker, _), place in zip(numbered, moved, strict=True):
            self.number(place, marker.number, marker.radius + 3, marker.colour)

    def _free_place(self, at: Array, radius: float, taken: list[tuple[Array, float]]) -> Array:
        """The place nearest to `at` where a disc of this radius covers no other mark; it is taken then. `at` itself where all are."""
        height, width = self.canvas.depth.shape
        places = [at] + [
            at + far * radius * np.array([math.sin(k * math.pi / 6), -math.cos(k * math.pi / 6), 0.0])
            for far in _RINGS
            for k in range(12)
        ]
        for place in places:
            inside = radius <= place[0] <= width - radius and radius <= place[1] <= height - radius
            if inside and all(length((place - other)[:2]) > radius + own for other, own in taken):
                break
        else:
            place = at
        taken.append((place, radius))
        return place

    def scale_bar(self, view: Projection, scene: Scene, area: Area) -> None:
        """A bar of 1, 2 or 5 times a power of ten of the unit, at most a third of the view; none for a point."""
        if not np.ptp(scene.bounds, axis=0).any():
            return
        units = scene.units
        most = units.of(area[2] / 3 / view.scale, (0, 1))
        power = 10.0 ** math.floor(math.log10(most))
        size = power * max(k for k in (1, 2, 5) if k * power <= most)
        pixels = size / units.of(1.0, (0, 1)) * view.scale
        right, bottom = area[0] + area[2], area[1] + area[3] + _MARGIN * self.letters / 2
        ends = np.array([[right - pixels, bottom, 0.0], [right, bottom, 0.0]])
        self.canvas.line(ends, self.theme["ink"], width=self.letters / 10, hidden=1.0)
        words = f"{size:g} {units.length}"
        self.text(words, right - text_width(words, self.letters), bottom - HEIGHT * self.letters)


def _areas(views: int, size: tuple[int, int], free: tuple[float, float, float], margin: float) -> list[Area]:
    """Areas of the views, within their margins; what is `free` stands at their left, above and below."""
    left, above, below = free
    columns = math.ceil(math.sqrt(views))
    wide, high = (size[0] - left) / columns, (size[1] - above - below) / math.ceil(views / columns)
    inner = max(wide - 2 * margin, 1.0), max(high - 2 * margin, 1.0)
    return [(left + i % columns * wide + margin, above + i // columns * high + margin, *inner) for i in range(views)]


def _shade(canvas: Canvas, view: Projection, chunk: Floats, colour: Colour, inside: Colour) -> None:
    """Facets lit from over the viewer's shoulder; those seen from inside have a colour of their own."""
    seen = view(chunk)
    u, v = seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0]
    ux, uy, ud, vx, vy, vd = (*u.T, *v.T)
    normal = np.stack([ud * vy - uy * vd, ud * vx - ux * vd, uy * vx - ux * vy], axis=1)  # y points downward
    size = np.sqrt((normal * normal).sum(axis=1))
    normal /= np.maximum(size, 1e-300)[:, None]
    outside = normal[:, 2] >= 0
    shade = 0.62 + 0.38 * np.where(outside, 1.0, -1.0) * product(normal, _LIGHT)
    colours = np.where(outside[:, None], np.array(colour), np.array(inside)) * shade[:, None]
    canvas.triangles(seen, colours.astype(np.uint8))

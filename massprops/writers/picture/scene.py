"""The scene of a picture: surfaces, lines, marks and texts in space, in colours by name.

It is built once and written by `massprops.writers.picture.drawing` as pixels and by `massprops.writers.page.viewer` for the browser.

Tests: `tests/writers/test_picture.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from massprops.measurement.output_units import OutputUnits
from massprops.moments.arrays import Array, Floats, determinant, product
from massprops.rigid_body.line import CENTRAL, InertiaReference
from massprops.writers.picture.raster import Colour

PictureFormat = Literal["", "png", "svg", "pdf"]
ViewName = Literal["iso", "front", "top", "right"]
#: Parts of a scene that can be shown and hidden.
Layer = Literal["axes", "ellipsoid", "box", "com", "defects", "bounds"]
#: Colours by name: those of axes by their moments, those of links by what was found about them.
Theme = Mapping[str, Colour]

#: Colours of the parts of an assembly, one after the other: about equally light.
PARTS: tuple[Colour, ...] = (
    (118, 160, 205),
    (226, 165, 90),
    (110, 178, 132),
    (205, 128, 152),
    (160, 140, 205),
    (186, 178, 92),
    (92, 180, 184),
    (176, 148, 124),
)
#: Each colour on a light and on a dark background.
_COLOURS: dict[str, tuple[Colour, Colour]] = {
    "background": ((252, 252, 253), (24, 26, 31)),
    "ink": ((32, 36, 44), (232, 234, 238)),
    "faint": ((150, 154, 162), (120, 125, 135)),
    "surface": ((140, 164, 196), (118, 146, 186)),
    "inside": ((226, 140, 60), (226, 140, 60)),
    "defect": ((214, 40, 40), (255, 92, 92)),
    "overlap": ((250, 130, 30), (255, 160, 60)),
    "I1": ((200, 40, 60), (255, 110, 120)),
    "I2": ((30, 140, 60), (90, 210, 120)),
    "I3": ((40, 80, 210), (120, 160, 255)),
    "equivalent": ((120, 60, 170), (200, 150, 255)),
    **{f"part {k}": (colour, colour) for k, colour in enumerate(PARTS)},
    "link with errors": ((206, 84, 74), (206, 84, 74)),
    "link with warnings": ((222, 168, 66), (222, 168, 66)),
    "link without findings": ((104, 164, 116), (104, 164, 116)),
    "link without inertial": ((168, 172, 180), (168, 172, 180)),
}
LIGHT, DARK = ({name: both[dark] for name, both in _COLOURS.items()} for dark in (0, 1))
AXES = ("I1", "I2", "I3")
#: Height of letters in pictures of 400 × 300.
_LETTERS = 9.5
#: Sign of the mark of a centre of mass.
CENTRE = "◕"


#: Pixels of the sides of a picture: the least and the most.
SIDES = (100, 4096)


def is_side(pixels: object) -> bool:
    """Whether a picture can have a side of this length."""
    return isinstance(pixels, int) and SIDES[0] <= pixels <= SIDES[1]


@dataclass(frozen=True)
class Look:
    """Choices about a picture.

    Attributes
    ----------
    show : sequence of str
        Layers that are drawn.
    views : sequence of str
        Directions of view.
    size : (int, int)
        Width and height, pixels.
    theme : Theme
        Colours.
    units : str or None
        Units of the numbers in it, as `OutputUnits.chosen` reads them; by default those of the file.
    format : {"", "png", "svg", "pdf"}
        Of its file; by default PNG of a part or robot, and SVG of a section.
    reference : callable
        The point and the line that inertia is shown about, for a unit of lengths.
    """

    show: Sequence[Layer] = ("axes", "com", "defects", "bounds")
    views: Sequence[ViewName] = ("iso",)
    size: tuple[int, int] = (1200, 900)
    theme: Theme = field(default_factory=lambda: LIGHT)
    units: str | None = None
    format: PictureFormat = ""
    reference: Callable[[str], InertiaReference] = lambda _unit: CENTRAL


@dataclass(frozen=True, eq=False)
class Solid:
    """A surface.

    Attributes
    ----------
    read_chunks : callable
        Starts a pass over its triangles in their own axes, shape (n, 3, 3), m.
    facets : int
        Number of triangles.
    colour : str
        Its colour in the theme.
    matrix : ndarray, shape (3, 4), or None
        From its own axes to those of the scene; None where they are the same.
    file, link : str
        The file from which it was read, where several solids may share it; and the link of a robot to which it belongs.
    """

    read_chunks: Callable[[], Iterable[Floats]]
    facets: int
    colour: str = "surface"
    matrix: Array | None = None
    file: str = ""
    link: str = ""

    @cached_property
    def bounds(self) -> Array:
        """Bounds in its own axes, shape (2, 3), m."""
        return bounds_of(self.read_chunks())

    def placed_chunks(self) -> Iterator[Floats]:
        """Triangles in the axes of the scene, outward where they are outward in their own."""
        if self.matrix is None:
            yield from self.read_chunks()
            return
        linear, offset = self.matrix[:, :3], self.matrix[:, 3]
        order = 1 if determinant(linear) > 0 else -1
        for chunk in self.read_chunks():
            yield product(np.asarray(chunk[:, ::order], np.float64), linear.T) + offset


@dataclass(frozen=True, eq=False)
class Stroke:
    """A polyline through points, shape (n, 3), m, with a label at its end."""

    points: Array
    layer: Layer
    colour: str
    label: str = ""


@dataclass(frozen=True, eq=False)
class Marker:
    """A mark: of a centre of mass, or with a number that the legend explains.

    Attributes
    ----------
    point : ndarray, shape (3,)
        Its place, m.
    layer : str
        The layer that it is in; "links": the numbers of the links in a picture of a robot.
    radius : float
        Pixels.
    number, name : str
        The text in it, and the text beside it in the browser.
    colour : str
        Background of the number.
    """

    point: Array
    layer: Layer | Literal["links"] = "com"
    radius: float = 8.0
    number: str = ""
    name: str = ""
    colour: str = "defect"


@dataclass(frozen=True)
class LegendEntry:
    """A line of the legend, shown with its layer, and the sign before it: a line ─, an area ■ of a colour, `CENTRE` or a number."""

    words: str
    sign: str = ""
    colour: str = "ink"
    layer: Layer | None = None


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is drawn. `bounds`: shape (2, 3), m."""

    title: str
    bounds: Array
    solids: Sequence[Solid]
    units: OutputUnits
    strokes: Sequence[Stroke] = ()
    markers: Sequence[Marker] = ()
    legend: Sequence[LegendEntry] = ()

    @cached_property
    def corners(self) -> Array:
        """Corners of the boxes of all solids, shape (n, 3), m; of the bounds where there is no solid."""
        boxes = [(s.bounds, s.matrix) for s in self.solids] or [(self.bounds, None)]
        pick = np.array([[i >> k & 1 for k in range(3)] for i in range(8)])
        corners = [(box[pick, range(3)], matrix) for box, matrix in boxes]
        return np.concatenate([c if m is None else product(c, m[:, :3].T) + m[:, 3] for c, m in corners])


def letters_of(size: tuple[int, int]) -> float:
    """Height of the letters, descenders included, in a picture of this size, pixels."""
    share = min(size[0] / 400, size[1] / 300)
    return _LETTERS * max(1.0, min(share, 2.0), share * 2 / 3)


def bounds_of(chunks: Iterable[Floats]) -> Array:
    """Bounds of triangles, shape (2, 3)."""
    boxes = np.array([(chunk.min(axis=(0, 1)), chunk.max(axis=(0, 1))) for chunk in chunks], dtype=np.float64)
    return np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])


def shorten(words: str, most: int) -> str:
    """A text without its middle where it is too long: names begin alike, and a verdict is at the end."""
    half = max((most - 3) // 2, 1)
    return words if len(words) <= most else f"{words[:half]}...{words[-half:]}"

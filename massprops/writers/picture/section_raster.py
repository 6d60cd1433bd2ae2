"""The drawing of a section as pixels: reads the elements of our own SVG, whose paths are straight there, and draws them by Pillow.

Tests: `tests/writers/test_section_picture.py`.
"""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.writers.picture.pillow import BASE, text_mask
from massprops.writers.picture.raster import Canvas

#: Pixels that are drawn for one along each side; letters of Pillow are that much larger than the font size of SVG.
_FINE, _LETTERS = 4, 1.2
#: Pixels of the lines of a shape: a thousand times as long as the picture is wide.
_LONGEST = 1e7
_SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"-?[\d.]+(?:e-?\d+)?")
_AROUND = [(i, j) for i in (-2, 0, 2) for j in (-2, 0, 2) if i or j]


def section_pixels(svg: str) -> NDArray[np.uint8]:
    """Image, shape (height, width, 3), of a drawing by `section_svg` with `straight` paths."""
    from PIL import Image

    root = ET.fromstring(svg)  # noqa: S314  # our own text
    size = int(root.get("width", "")), int(root.get("height", ""))
    scale = size[0] / float(root.get("viewBox", "").split()[2])
    paper = _Paper((size[0] * _FINE, size[1] * _FINE), scale * _FINE, next(root.iter(_SVG + "rect")).get("fill", ""))
    for shape in (e for e in root.iter() if e.tag in (_SVG + "path", _SVG + "polygon")):
        paper.draw_shape(shape)
    for circle in root.iter(_SVG + "circle"):
        paper.draw_circle(circle)
    canvas = Canvas(*size, (0, 0, 0))
    canvas.image[:] = np.asarray(paper.image.resize(size, Image.Resampling.BOX))
    for text in root.iter(_SVG + "text"):
        _write(canvas, text, scale)
    return canvas.image


class _Paper:
    """An image of Pillow, and what one unit of the drawing is on it."""

    def __init__(self, size: tuple[int, int], factor: float, color: str) -> None:
        from PIL import Image, ImageDraw

        self.factor = factor
        self.image = Image.new("RGB", size, color)
        self._pen = ImageDraw.Draw(self.image)

    def draw_shape(self, shape: ET.Element) -> None:
        """Fill a path or polygon, and draw its outline."""
        given = shape.get("d") or f"M {shape.get('points', '')} Z"
        parts = [part for part in given.split("M") if part.strip(" Z")]
        lines = [_points(part, self.factor, _LONGEST / len(parts)) for part in parts]
        if (fill := shape.get("fill", "none")) != "none":
            self._fill(lines, fill, float(shape.get("fill-opacity", 1)))
        if (stroke := shape.get("stroke")) is None:
            return
        width = max(round(float(shape.get("stroke-width", 1)) * self.factor), 1)
        for line in lines:
            closed = [*line, *line[:1]] if "Z" in given else line
            if not shape.get("stroke-dasharray"):
                self._pen.line(closed, fill=stroke, width=width, joint="curve")
                continue
            for dash in _dashes(np.array(closed), 5 * self.factor, 8 * self.factor):
                self._pen.line(dash, fill=stroke, width=width)

    def _fill(self, lines: list[list[tuple[float, float]]], color: str, opacity: float) -> None:
        """Fill what an odd number of lines goes round."""
        from PIL import Image, ImageChops, ImageDraw

        inside = Image.new("1", self.image.size)
        for line in lines:
            box = _box(line, self.image.size)
            ring = Image.new("1", (box[2] - box[0], box[3] - box[1]))
            ImageDraw.Draw(ring).polygon([(x - box[0], y - box[1]) for x, y in line], fill=1)
            inside.paste(ImageChops.logical_xor(inside.crop(box), ring), box)
        self.image.paste(color, mask=inside.convert("L").point(lambda covered: int(covered * opacity)))

    def draw_circle(self, circle: ET.Element) -> None:
        """Draw a circle; that of a centroid has two black quarters."""
        x, y, r = (float(circle.get(name, "")) * self.factor for name in ("cx", "cy", "r"))
        around, width = (x - r, y - r, x + r, y + r), round(float(circle.get("stroke-width", 1)) * self.factor)
        fill = circle.get("fill", "none")
        self._pen.ellipse(around, fill=None if fill == "none" else fill, outline=circle.get("stroke"), width=width)
        for start in (90, 270) if circle.get("class") == "centroid" else ():
            self._pen.pieslice(around, start + 180, start + 270, fill=circle.get("stroke"))


def _points(words: str, factor: float, longest: float) -> list[tuple[float, float]]:
    """Points of a line that are in different pixels; a line that fills the picture many times over is cut off."""
    points = np.array([float(n) for n in _NUMBER.findall(words)]).reshape(-1, 2) * factor
    kept = np.append([True] * 3, np.diff(np.rint(points[2:]), axis=0).any(axis=1))[: len(points)]
    points = points[kept]
    far = np.cumsum(np.abs(np.diff(points, axis=0)).sum(axis=1)) > longest
    return [(x, y) for x, y in points[: max(int(far.argmax()) + 1, 3) if far.any() else None].tolist()]


def _box(line: list[tuple[float, float]], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Pixels around a line: left, top, right, bottom."""
    low, high = np.floor(np.min(line, axis=0)), np.ceil(np.max(line, axis=0)) + 1
    (left, top), (right, bottom) = (np.clip(x, 0, size).astype(int).tolist() for x in (low, high))
    return left, top, max(right, left), max(bottom, top)


def _dashes(line: Any, long: float, period: float) -> list[list[tuple[float, float]]]:
    """Dashes along a line, each side from its start."""
    found = []
    for a, b in itertools.pairwise(line):
        reach = float(np.hypot(*(b - a)))
        ends = [(s, min(s + long, reach)) for s in np.arange(0.0, reach, period).tolist()]
        found += [[tuple(a + (b - a) * (t / reach)) for t in both] for both in ends]
    return found


def _write(canvas: Canvas, text: ET.Element, scale: float) -> None:
    x, y, size = (float(text.get(name, "")) * scale for name in ("x", "y", "font-size"))
    cover = text_mask(text.text or "", size * _LETTERS)
    along = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor", "start")] * cover.shape[1]
    left, top = x - along, y - BASE * size * _LETTERS
    if text.get("transform"):  # upward: a quarter turn about (x, y)
        cover, left, top = np.rot90(cover), x - BASE * size * _LETTERS, y - cover.shape[1] + along
    if halo := text.get("stroke"):
        for i, j in _AROUND:
            canvas.mask(cover, round(left) + i, round(top) + j, _colour(halo))
    canvas.mask(cover, round(left), round(top), _colour(text.get("fill", "")))


def _colour(hexadecimal: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(hexadecimal.removeprefix("#"))
    return red, green, blue

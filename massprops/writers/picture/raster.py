"""A canvas with a depth buffer: triangles, lines and discs, in plain numpy.

Coordinates are pixels, x to the right, y downward, and depth, larger nearer to the viewer. Every pixel keeps the nearest triangle, the last
one of equals, so that the picture does not depend on how the triangles are shared out.

Tests: `tests/writers/test_picture.py`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from massprops.moments.arrays import Array, Floats, Index, expand_counts

Colour = tuple[int, int, int]

#: Rows or pixels that are worked on together: their arrays stay in the cache.
_BATCH = 1 << 17
#: A change of slope from one pixel to the next that is an edge.
_CREASE = 0.6


class Canvas:
    """An image with the depth of each pixel.

    Attributes
    ----------
    image : ndarray of uint8, shape (height, width, 3)
    depth : ndarray of float32, shape (height, width)
        −∞ where nothing has been drawn.
    """

    def __init__(self, width: int, height: int, background: Colour) -> None:
        self.background = background
        row = np.tile(np.array(background, np.uint8), (width, 1))
        self.image = np.tile(row, (height, 1, 1))
        self.depth = np.full((height, width), -np.inf, np.float32)

    def triangles(self, corners: Floats, colours: NDArray[np.uint8]) -> None:
        """Draw triangles of one colour each: corners (n, 3, 3) [triangle, corner, x y depth], colours (n, 3), uint8."""
        height, width = self.depth.shape
        x, y, depth = np.moveaxis(corners.astype(np.float64), 2, 0)
        first, last = np.ceil(y.min(axis=1) - 0.5), np.floor(y.max(axis=1) - 0.5)
        seen = (x.max(axis=1) >= 0) & (x.min(axis=1) <= width) & np.isfinite(first + last)
        first, last = np.maximum(first, 0), np.minimum(last, height - 1)
        kept = np.flatnonzero(seen & (first <= last))
        slopes = _slopes(x, y, depth)
        lowest, highest = depth.min(axis=1), depth.max(axis=1)
        for place, number in expand_counts((last - first + 1)[kept].astype(np.intp), _BATCH):
            owner = kept[place]
            row = first[owner].astype(np.intp) + number
            left, right = _span(x[owner], y[owner], row + 0.5)
            left, right = np.maximum(np.ceil(left - 0.5), 0), np.minimum(np.floor(right - 0.5), width - 1)
            full = np.flatnonzero(left <= right)
            owner, row, left, right = owner[full], row[full], left[full], right[full]
            across, down = (slope[owner] for slope in slopes)
            start = depth[owner, 0] + across * (left + 0.5 - x[owner, 0]) + down * (row + 0.5 - y[owner, 0])
            ends = np.clip([start, start + across * (right - left)], lowest[owner], highest[owner]).astype(np.float32)
            self._fill(row * width + left.astype(np.intp), (right - left + 1).astype(np.intp), ends, colours[owner])

    def _fill(self, first: Index, counts: Index, ends: Floats, colours: NDArray[np.uint8]) -> None:
        """Draw spans of pixels in rows: the first of each, how many, the depths of the first and the last, shape (2, n), and a colour."""
        near, image = self.depth.reshape(-1), self.image.reshape(-1, 3)
        step = ((ends[1] - ends[0]) / np.maximum(counts - 1, 1)).astype(np.float32)
        for span, along in expand_counts(counts, _BATCH):
            pixel = first[span] + along
            value = ends[0, span] + step[span] * along.astype(np.float32)
            np.maximum.at(near, pixel, value)
            top = np.flatnonzero(near[pixel] == value)
            image[pixel[top]] = colours[span[top]]

    def line(self, ends: Array, colour: Colour, *, width: float, hidden: float) -> None:
        """Draw a line between points, shape (2, 3) [x, y, depth]; `hidden` is how much of it is seen behind other things."""
        span = ends[1] - ends[0]
        major = int(abs(span[1]) > abs(span[0]))
        first, last = self._within(ends, width + 2)
        if not (span[:2].any() and first <= last):
            return  # seen along itself, or not at all
        steps = int(np.ceil(abs(span[major])))
        share = np.arange(math.floor(first * steps), math.ceil(last * steps) + 1) * (1 / steps)
        middle = ends[0] + np.minimum(share, 1.0)[:, None] * span
        tilt = math.hypot(span[0], span[1]) / abs(float(span[major]))  # how much wider a line is along the other axis
        reach = int(np.ceil(width * tilt / 2)) + 1
        offsets = np.arange(-reach, reach + 1)
        across = np.floor(middle[:, 1 - major])[:, None] + offsets + 0.5
        along = np.floor(middle[:, major])[:, None] + 0.5 + 0 * offsets
        cover = np.clip(width / 2 + 0.5 - np.abs(across - middle[:, 1 - major, None]) / tilt, 0.0, 1.0)
        column, row = (across, along) if major else (along, across)
        self._blend(column, row, np.broadcast_to(middle[:, 2, None], column.shape), cover, colour, hidden)

    def _within(self, ends: Array, margin: float) -> tuple[float, float]:
        """First and last share of a line, which may be far longer, that is within a margin around the canvas (Kay and Kajiya, slabs)."""
        height, width = self.depth.shape
        with np.errstate(divide="ignore", invalid="ignore"):  # parallel to a side, and on it
            crossed = ([[-margin, -margin], [width + margin, height + margin]] - ends[0, :2]) / (ends[1] - ends[0])[:2]
        return np.nanmax([0.0, *np.minimum(*crossed)]), np.nanmin([1.0, *np.maximum(*crossed)])

    def disc(self, centre: Array, radius: float, colour: Colour, *, quarters: Colour | None = None) -> None:
        """Draw a disc in front of everything, shape (3,); with a second colour for two of its quarters, as centres of mass are marked."""
        reach = np.arange(-int(radius) - 2, int(radius) + 3)
        column, row = np.meshgrid(np.floor(centre[0]) + 0.5 + reach, np.floor(centre[1]) + 0.5 + reach)
        cover = np.clip(radius + 0.5 - np.hypot(column - centre[0], row - centre[1]), 0.0, 1.0)
        other = (column > centre[0]) == (row > centre[1])
        self._blend(column, row, np.inf, cover * ~other if quarters else cover, colour, 1.0)
        if quarters:
            self._blend(column, row, np.inf, cover * other, quarters, 1.0)

    def _blend(
        self, column: Floats, row: Floats, depth: Floats | float, cover: Floats, colour: Colour, hidden: float
    ) -> None:
        height, width = self.depth.shape
        kept = (cover > 0) & (column >= 0) & (column < width) & (row >= 0) & (row < height)
        i, j = row[kept].astype(np.intp), column[kept].astype(np.intp)
        cover, depth = cover[kept], np.broadcast_to(depth, kept.shape)[kept]
        cover = np.where(depth >= self.depth[i, j], cover, hidden * cover)[:, None]
        self.image[i, j] = np.rint(self.image[i, j] * (1 - cover) + np.asarray(colour) * cover)

    def mask(self, cover: Array, column: int, row: int, colour: Colour) -> None:
        """Draw a small picture, such as a text: its share of each pixel, with its upper left corner in (column, row)."""
        i, j = np.mgrid[row : row + cover.shape[0], column : column + cover.shape[1]]
        self._blend(j, i, np.inf, cover, colour, 1.0)

    def edges(self, shade: float) -> None:
        """Darken creases and outlines: pixels where the slope changes at once."""
        d = self.depth
        found = np.zeros(d.shape, np.bool_)
        with np.errstate(invalid="ignore"):  # −∞ less −∞: nothing there
            for before, here, after, at in (
                (d[:, :-2], d[:, 1:-1], d[:, 2:], found[:, 1:-1]),
                (d[:-2], d[1:-1], d[2:], found[1:-1]),
            ):
                change = before + after
                change -= 2 * here
                at |= np.abs(change, out=change) > _CREASE
        found &= d > -np.inf
        self.image[found] = (self.image[found] * np.float32(shade)).astype(np.uint8)

    def halve(self) -> Canvas:
        """A canvas half as large, each pixel the mean of four: smooth edges."""
        small = Canvas(self.depth.shape[1] // 2, self.depth.shape[0] // 2, self.background)
        total = self.image[::2].astype(np.uint16) + self.image[1::2]
        small.image[:] = (total[:, ::2] + total[:, 1::2] + 2) >> 2
        nearer = np.maximum(self.depth[::2], self.depth[1::2])
        small.depth = np.maximum(nearer[:, ::2], nearer[:, 1::2])
        return small

    def repeat(self, times: int, size: tuple[int, int]) -> Canvas:
        """A canvas of this width and height, of which so many pixels along each side are one of these."""
        if times == 1:
            return self
        large, (width, height) = Canvas(*size, self.background), size
        large.image[:] = self.image.repeat(times, 0).repeat(times, 1)[:height, :width]
        large.depth[:] = self.depth.repeat(times, 0).repeat(times, 1)[:height, :width]
        return large


def _span(x: Array, y: Array, at: Array) -> tuple[Array, Array]:
    """Abscissas at which lines y = at, shape (n,), enter and leave triangles, x and y of shape (n, 3)."""
    left, right = np.full(len(at), np.inf), np.full(len(at), -np.inf)
    for i in range(3):
        j = (i + 1) % 3
        rise = y[:, j] - y[:, i]
        crosses = ((y[:, i] <= at) & (at <= y[:, j])) | ((y[:, j] <= at) & (at <= y[:, i]))
        share = np.divide(at - y[:, i], rise, out=np.zeros_like(rise), where=rise != 0)
        place = x[:, i] + np.clip(share, 0.0, 1.0) * (x[:, j] - x[:, i])
        left = np.where(crosses, np.minimum(left, place), left)
        right = np.where(crosses, np.maximum(right, place), right)
    return left, right


def _slopes(x: Array, y: Array, depth: Array) -> tuple[Array, Array]:
    """Growth of the depth of triangles to the right and downward, shape (n,) each; 0 for those seen edge-on."""
    ux, uy, ud, vx, vy, vd = (q[:, k] - q[:, 0] for k in (1, 2) for q in (x, y, depth))
    area = ux * vy - uy * vx
    flat = area == 0
    area = np.where(flat, 1.0, area)
    return np.where(flat, 0.0, (ud * vy - uy * vd) / area), np.where(flat, 0.0, (ux * vd - ud * vx) / area)

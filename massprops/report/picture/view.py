"""Where one looks from, and how points of a body come onto the canvas: parallel projection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from massprops.moments.arrays import Array, Floats, product

ViewName = Literal["iso", "front", "top", "right"]

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
        seen = (
            arms[..., 0, None] * self.axes[:, 0]
            + arms[..., 1, None] * self.axes[:, 1]
            + arms[..., 2, None] * self.axes[:, 2]
        ) * self.scale
        seen[..., 1] *= -1
        seen[..., :2] += self.place
        return np.asarray(seen)

    def enlarged(self, factor: int) -> Self:
        """The same view of a canvas so many times as wide and high."""
        return replace(self, scale=self.scale * factor, place=self.place * factor)

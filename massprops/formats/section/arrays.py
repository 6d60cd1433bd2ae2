"""Rings from memory: arrays of points, and polygons as shapely has them, known by their attributes.

Tests: `tests/measurement/test_python_objects.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from massprops.errors import InvalidInput
from massprops.frames import finite_array
from massprops.section.curves import Polyline
from massprops.section.rings import PlanarSource, Ring, Role


def from_object(source: Any) -> PlanarSource:
    """The rings of an array of points, shape (n, 2), of an object with `.exterior.coords` and `.interiors`,
    or of one with several of these in `.geoms`.

    Raises
    ------
    InvalidInput
        If they are not finite numbers in the plane.
    """
    if hasattr(source, "geoms"):  # shapely.MultiPolygon
        if not source.geoms or not all(hasattr(part, "exterior") for part in source.geoms):
            raise InvalidInput(f"a {type(source).__name__} of polygons is expected", hint="pass its polygons")
        parts = [from_object(part).rings for part in source.geoms]
        return PlanarSource(type(source).__name__, "object", "array", [ring for rings in parts for ring in rings])
    if not hasattr(source, "exterior"):
        return PlanarSource("array", "array", "array", [_ring(source, "the ring")])
    rings = [_ring(source.exterior.coords, "the exterior", "outer")]
    rings += [_ring(hole.coords, f"interior {i}", "hole") for i, hole in enumerate(source.interiors, 1)]
    return PlanarSource(type(source).__name__, "object", "array", rings)


def _ring(points: Any, place: str, role: Role | None = None) -> Ring:
    found = finite_array(points if isinstance(points, np.ndarray) else np.asarray(points), (-1, 2), place)
    if len(found) == 0:
        raise InvalidInput(f"{place} has no points")
    return Ring((Polyline(found),), place, role=role)

"""Triangles that are in memory already: arrays, and objects with `.vertices` and `.faces`.

Tests: `tests/formats/mesh/test_arrays_as_meshes.py`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.errors import InvalidInput
from massprops.mesh.source import Array, MeshFile, indexed_chunks, slices
from massprops.moments.arrays import Integers
from massprops.units import length_unit, number

#: What a multiple of a unit may be another name for.
_UNITS = ("m", "mm", "cm", "dm", "um", "in", "ft", "yd", "km")


def from_object(source: Any) -> MeshFile:
    """A source from an (n, 3, 3) array, a `(vertices, faces)` pair, an object that has both, a `trimesh.Scene` or a `meshio.Mesh`.

    Raises
    ------
    InvalidInput
        If the shapes are not (n, 3, 3), or (V, 3) and (F, 3), an index is outside the vertices, a coordinate is not finite, or the
        object's `.units`, where it has them, are no known unit of length.
    """
    if hasattr(source, "read") and not hasattr(source, "seek") and not hasattr(source, "fileno"):
        hint = "pass (points, triangles): arrays of shape (V, 3) and (F, 3)"
        raise InvalidInput(f"{type(source).__name__!r} is a type of another package", hint=hint)
    if hasattr(source, "read"):
        what = f"an open file ({type(source).__name__}) is not measured"
        raise InvalidInput(what, hint="pass its path, or '-' with `stdin` and `format`")
    if (cad := _from_cad(source)) is not None:
        return cad
    if hasattr(source, "to_mesh") and hasattr(source, "geometry"):  # trimesh.Scene
        return from_object(source.to_mesh())
    if hasattr(source, "points") and hasattr(source, "cells"):
        return _from_meshio(source)
    if hasattr(source, "vertices") and hasattr(source, "faces"):
        return replace(from_indexed(source.vertices, source.faces), unit=_unit(getattr(source, "units", None)))
    if isinstance(source, tuple | list) and len(source) == 2 and np.shape(source[0]) != (3, 3):  # not two triangles
        return from_indexed(*source)
    return from_soup(source)


#: Attributes of objects that hold shapes of Open CASCADE: see `cad.from_shape`.
_OF_CAD = ("wrapped", "toCompound", "vals", "part")


def _from_cad(source: Any) -> MeshFile | None:
    if not (type(source).__name__.startswith("TopoDS_") or any(hasattr(source, name) for name in _OF_CAD)):
        return None
    from massprops.formats.mesh.cad import from_shape  # imported lazily

    return from_shape(source)


def _from_meshio(source: Any) -> MeshFile:
    """The triangles of a `meshio.Mesh`; cells of lower dimension bound nothing."""
    cells = {block.type: block.data for block in source.cells if block.type not in ("vertex", "line")}
    if list(cells) != ["triangle"]:
        held = ", ".join(sorted(cells)) or "none"
        what = f"a mesh of triangles is expected, and this {type(source).__name__} has cells of other types: {held}"
        raise InvalidInput(what, hint="extract its boundary as triangles")
    blocks = [block.data for block in source.cells if block.type == "triangle"]
    return from_indexed(source.points, np.concatenate(blocks))


def _unit(stated: object) -> str | None:
    """The unit that a mesh states, by a name that `massprops.units` knows; trimesh also has ``0.0254 * meters``."""
    if stated is None:
        return None
    factor, times, unit = str(stated).rpartition("*")
    try:
        metres = length_unit(unit.strip()) * (number(factor.strip()) if times else 1.0)
    except InvalidInput:
        metres = 0.0
    known = unit.strip() if metres and length_unit(unit.strip()) == metres else unit_of(metres)
    if known is None:
        message = f"the mesh states the unit {stated!r}, which is no unit of length that massprops knows"
        raise InvalidInput(message, hint="set its `.units` to one such as 'mm', or to none and pass `units`")
    return known


def unit_of(metres: float) -> str | None:
    """The name of the unit of this length; None if it has none."""
    return next((name for name in _UNITS if length_unit(name) == metres), None)


def from_soup(triangles: Any) -> MeshFile:
    """A source from an array of triangles, shape (n, 3, 3) [facet, corner, xyz]; float32 stays float32."""
    corners = _coordinates(triangles, "triangles")
    if corners.ndim != 3 or corners.shape[1:] != (3, 3) or len(corners) == 0:
        raise InvalidInput(f"triangles must have shape (n, 3, 3) with n > 0, got {corners.shape}")

    return MeshFile("array", len(corners), partial(slices, corners), format="array", encoding=str(corners.dtype))


def from_indexed(vertices: Any, faces: Any) -> MeshFile:
    """A source from vertices, shape (V, 3), and triangles of indices into them, shape (F, 3)."""
    points = _coordinates(vertices, "vertices")
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise InvalidInput(f"vertices must have shape (V, 3) with V > 0, got {points.shape}")
    index = _indices(faces, len(points))
    return MeshFile("array", len(index), indexed_chunks(points, index), format="array", encoding=str(points.dtype))


def _coordinates(values: Any, name: str) -> Array:
    array = _array(values, name)
    if array.dtype.kind not in "iuf":  # float64 would also take texts, None as NaN, and drop imaginary parts
        held = f"an array of {array.dtype}" if array.ndim else type(values).__name__
        raise InvalidInput(f"{name} are not an array of numbers, got {held}")
    array = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise InvalidInput(f"{name}{[int(i) for i in bad[0]]} is {array[tuple(bad[0])]}; coordinates must be finite")
    return array


def _array(values: Any, name: str) -> NDArray[Any]:
    if np.any(getattr(values, "_mask", False)):
        raise InvalidInput(f"{name} have masked entries", hint="leave these rows out")
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:  # rows of different lengths
        raise InvalidInput(f"{name} are not an array of numbers", hint="give rows of equal length") from error


def _indices(faces: Any, count: int) -> Integers:
    index = _array(faces, "faces")
    if index.ndim != 2 or index.shape[1] != 3 or len(index) == 0:
        what = f"faces must have shape (F, 3) with F > 0, got {index.shape}"
        raise InvalidInput(what, hint="split larger faces into triangles first")
    if not np.issubdtype(index.dtype, np.integer):
        raise InvalidInput(f"faces must be integers, got {index.dtype}")
    outside = np.argwhere((index < 0) | (index >= count))
    if len(outside):
        row, column = (int(i) for i in outside[0])
        there = f"there are {count} vertices (0 to {count - 1})"
        raise InvalidInput(f"faces[{row}, {column}] is {index[row, column]}, but {there}")
    return index

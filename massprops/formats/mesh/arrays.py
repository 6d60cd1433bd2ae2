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
from massprops.formats.mesh.packages import READERS, Cells, cells_of, flat_faces, packages_of
from massprops.mesh.source import Array, MeshFile, indexed_chunks, slices
from massprops.mesh.triangulation import Polygons, rounding, triangulate
from massprops.moments.arrays import Integers
from massprops.units import length_unit, number
from massprops.wording import several

#: What a multiple of a unit may be another name for.
_UNITS = ("m", "mm", "cm", "dm", "um", "in", "ft", "yd", "km")


#: What the error of a wrong type names.
TAKEN = (
    "a path, (vertices, faces) as one tuple, triangles of shape (n, 3, 3), or a mesh or solid of another library "
    "(trimesh, meshio, pyvista, Open3D, vedo, pymeshlab, CadQuery, build123d)"
)
#: Attributes by which meshes are known that are of no package above.
_MARKS = ("faces", "cells", "to_mesh")


def is_mesh_object(source: Any) -> bool:
    """Whether an object is of a package whose meshes and solids are read, or has what a mesh has; no array is."""
    if any(name in (*_OF_CAD, *READERS) for name in packages_of(source)):
        return True
    return any(hasattr(source, name) for name in (*_MARKS, *_HOLDERS))


def from_object(source: Any) -> MeshFile:
    """A source from an (n, 3, 3) array, a `(vertices, faces)` pair, an object that has both, or a mesh or solid of another package.

    Raises
    ------
    InvalidInput
        If the shapes are not (n, 3, 3), or (V, 3) and (F, 3), an index is outside the vertices, a coordinate is not finite, the
        object's `.units`, where it has them, are no known unit of length, or it is an object of another kind.
    """
    if (found := cells_of(source)) is not None:
        return _from_cells(found)
    if (cad := _from_cad(source)) is not None:
        return cad
    if hasattr(source, "read") and not hasattr(source, "seek") and not hasattr(source, "fileno"):
        hint = "pass (points, triangles): arrays of shape (V, 3) and (F, 3)"
        raise InvalidInput(f"{type(source).__name__!r} is a type of another package", hint=hint)
    if hasattr(source, "read"):
        what = f"an open file ({type(source).__name__}) is not measured"
        raise InvalidInput(what, hint="pass its path, or '-' with `stdin` and `format`")
    if hasattr(source, "to_mesh") and hasattr(source, "geometry"):  # trimesh.Scene
        return _from_scene(source)
    if hasattr(source, "vertices") and hasattr(source, "faces"):
        return replace(from_indexed(source.vertices, source.faces), unit=_unit(getattr(source, "units", None)))
    if isinstance(source, tuple | list) and len(source) == 2 and not all(_shape(s) == (3, 3) for s in source):
        return from_indexed(*source)  # else two triangles
    return from_soup(source)


def _shape(values: Any) -> tuple[int, ...]:
    try:
        return np.shape(values)
    except ValueError:  # ragged
        return ()


#: Packages whose objects hold shapes of Open CASCADE, and the attributes by which others do: see `cad.from_shape`.
_OF_CAD, _HOLDERS = ("OCP", "cadquery", "build123d"), ("wrapped", "part")


def _from_cells(cells: Cells) -> MeshFile:
    """The faces of a mesh, or if it has solid or curved cells these as `massprops.formats.mesh.fe` has those of files."""
    if (faces := flat_faces(cells)) is not None:
        return from_polygons(cells.points, faces)
    from massprops.formats.mesh.fe import from_memory  # imported lazily

    return from_memory(cells, _points(cells.points))


def _from_cad(source: Any) -> MeshFile | None:
    package = next((name for name in packages_of(source) if name in _OF_CAD), None)
    if not (package or any(hasattr(source, name) for name in _HOLDERS)):
        return None
    from massprops.formats.mesh.cad import from_shape  # imported lazily

    found = from_shape(source)
    if found is None and package:
        what = f"this {type(source).__name__} of {package} holds no solid"
        raise InvalidInput(what, hint="pass the solid that is made of it")
    return found


def _from_scene(source: Any) -> MeshFile:
    """The meshes of a `trimesh.Scene` where it places them, in the one unit that they state."""
    meshes = [mesh for mesh in source.geometry.values() if hasattr(mesh, "faces")]  # the others are points and curves
    units = {mesh.units for mesh in meshes}
    if len(units) > 1:
        named = several(sorted(map(str, units)), 6)
        raise InvalidInput(f"the meshes of the scene state different units: {named}", hint="set its `.units` to one")
    return from_object(source.to_mesh())


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
        hint = f"expected {TAKEN}" if corners.ndim < 2 and corners.size else ""
        hint = "a mesh is (vertices, faces) as one tuple" if corners.ndim == 2 else hint
        raise InvalidInput(f"triangles must have shape (n, 3, 3) with n > 0, got {corners.shape}", hint=hint)

    return MeshFile("array", len(corners), partial(slices, corners), format="array", encoding=str(corners.dtype))


def from_indexed(vertices: Any, faces: Any) -> MeshFile:
    """A source from vertices, shape (V, 3), and triangles of indices into them, shape (F, 3)."""
    points = _points(vertices)
    return _indexed(points, _indices(faces, len(points)))


def from_polygons(vertices: Any, polygons: Polygons) -> MeshFile:
    """A source from vertices, shape (V, 3), and faces of any number of corners, cut into triangles."""
    points = _points(vertices)
    corners = polygons.corners.reshape(len(polygons.sizes), -1) if polygons.counts is None else polygons.corners
    _check_indices(corners, len(points))
    kept, numbers, left = polygons.without_thin()
    if not len(numbers):
        raise InvalidInput("the mesh has no faces of three corners or more")
    triangles, bent = triangulate(points, kept, rounding(points, text=False), lambda i: f"faces[{numbers[i]}]: face")
    return replace(_indexed(points, triangles), findings=(*left, *bent))


def _indexed(points: Array, index: Integers) -> MeshFile:
    return MeshFile("array", len(index), indexed_chunks(points, index), format="array", encoding=str(points.dtype))


def _points(vertices: Any) -> Array:
    points = _coordinates(vertices, "vertices")
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise InvalidInput(f"vertices must have shape (V, 3) with V > 0, got {points.shape}")
    return points


def _coordinates(values: Any, name: str) -> Array:
    array = _array(values, name)
    if array.dtype.kind not in "iuf":  # float64 would also take texts, None as NaN, and drop imaginary parts
        held = f"an array of {array.dtype}" if array.ndim else type(values).__name__
        is_other = name == "triangles" and not isinstance(values, list | tuple | np.ndarray)
        hint = f"expected {TAKEN}" if is_other else ""
        raise InvalidInput(f"{name} are not an array of numbers, got {held}", hint=hint)
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
    _check_indices(index, count)
    return index


def _check_indices(index: Integers, count: int) -> None:
    """Raise where numbers of vertices, shape (n,) or (F, k), are none."""
    if not np.issubdtype(index.dtype, np.integer):
        hint = "a mesh is (vertices, faces), in this order" if index.dtype.kind == "f" else ""
        raise InvalidInput(f"faces must be integers, got {index.dtype}", hint=hint)
    outside = np.argwhere((index < 0) | (index >= count))
    if len(outside):
        place = tuple(int(i) for i in outside[0])
        there = f"there are {count} vertices (0 to {count - 1})"
        raise InvalidInput(f"faces[{', '.join(map(str, place))}] is {index[place]}, but {there}")

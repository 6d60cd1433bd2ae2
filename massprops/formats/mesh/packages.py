"""Meshes of other packages, in memory: points, and faces of any number of corners.

A package is known by the module of the object's class or of one that it inherits from, not by attributes that others have, too.

Tests: `tests/formats/mesh/test_packages.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from massprops.errors import InvalidInput
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Integers
from massprops.wording import several

#: Points, and faces by the numbers of their corners.
Faces = tuple[Any, Polygons]
#: Cells by the name of their type, each a row of numbers of points.
Blocks = Iterable[tuple[str, Sequence[Any] | Integers]]

#: Cells of VTK by number, in the names of meshio; of 6 and 8 the corners are not in the order of the outline.
_VTK = dict.fromkeys((0, 1, 2), "vertex") | dict.fromkeys((3, 4, 21, 35, 68, 75), "line")
_VTK |= {5: "triangle", 6: "strip", 7: "polygon", 8: "pixel", 9: "quad", 22: "triangle6", 23: "quad8"}
_VTK |= {10: "tetra", 11: "voxel", 12: "hexahedron", 13: "wedge", 14: "pyramid", 24: "tetra10", 25: "hexahedron20"}


def packages_of(source: object) -> list[str]:
    """The packages of the classes that an object is of, the nearest first."""
    return [kind.__module__.partition(".")[0] for kind in type(source).__mro__]


def faces_of(source: Any) -> Faces | None:
    """The faces of a mesh of a package in `READERS`; None of anything else.

    Raises
    ------
    InvalidInput
        It is another object of such a package, or has cells that are no flat faces.
    """
    read = next((READERS[name] for name in packages_of(source) if name in READERS), None)
    return None if read is None else read(source)


def faces_of_cells(source: Any, blocks: Blocks) -> Polygons:
    """The faces among cells; those of lower dimension bound nothing.

    Raises
    ------
    InvalidInput
        There are solid or curved cells, or none that bound anything.
    """
    named = [(name, rows) for name, rows in blocks if not name.startswith(("vertex", "line")) and len(rows)]
    others = sorted({name for name, _ in named} - {"triangle", "quad", "polygon"})
    if others:
        kind = type(source).__name__
        what = f"a mesh of flat faces is expected, and this {kind} has cells of other types: {several(others, 6)}"
        raise InvalidInput(what, hint="extract its boundary as triangles")
    if not named:
        _refuse(source, "has no faces", "pass its surface")
    sizes, corners = zip(*(_sizes_and_corners(rows) for _, rows in named), strict=True)
    return Polygons.of_sizes(np.concatenate(corners), np.concatenate(sizes))


def _sizes_and_corners(rows: Any) -> tuple[Any, Any]:
    if isinstance(rows, np.ndarray) and rows.ndim == 2:
        return np.full(len(rows), rows.shape[1]), rows.reshape(-1)
    return np.array([len(row) for row in rows]), np.concatenate([np.asarray(row) for row in rows])


def _refuse(source: Any, what: str, hint: str) -> NoReturn:
    kind = type(source)
    raise InvalidInput(f"this {kind.__name__} of {kind.__module__.partition('.')[0]} {what}", hint=hint)


def _of_meshio(source: Any) -> Faces:
    if not hasattr(source, "points") or (blocks := blocks_of(source)) is None:
        _refuse(source, "is no mesh", "pass its Mesh")
    return source.points, faces_of_cells(source, blocks)


def blocks_of(source: Any) -> Blocks | None:
    """The cells of a mesh that has them as meshio does; None of another object."""
    cells = getattr(source, "cells", None)
    if not (isinstance(cells, list) and all(hasattr(block, "type") and hasattr(block, "data") for block in cells)):
        return None
    return [(block.type, block.data) for block in cells]


def _of_pyvista(source: Any) -> Faces:
    if hasattr(source, "celltypes"):
        return source.points, _of_grid(source)
    if not hasattr(source, "strips"):
        _refuse(source, "is no surface", "pass what its `extract_surface()` or `combine()` returns")
    faces = _unpadded(source.faces)
    strips = [row for strip in _unpadded(source.strips) for row in _of_strip(strip)]
    return source.points, faces_of_cells(source, [("polygon", [*faces, *strips] if strips else faces)])


def _of_grid(source: Any) -> Polygons:
    cells, kinds = _unpadded(source.cells), np.asarray(source.celltypes)
    blocks: list[tuple[str, Any]] = []
    for number in np.unique(kinds).tolist():
        chosen = np.flatnonzero(kinds == number).tolist()
        name = _VTK.get(number, f"type {number} of VTK")
        rows = [cells[i] for i in chosen]
        if name == "strip":
            name, rows = "polygon", [triangle for row in rows for triangle in _of_strip(row)]
        elif name == "pixel":
            name, rows = "quad", [row[[0, 1, 3, 2]] for row in rows]
        blocks.append((name, rows))
    return faces_of_cells(source, blocks)


def _unpadded(padded: Any) -> Any:
    """Rows of numbers from an array in which the length of each stands before it."""
    flat = np.asarray(padded)
    if not len(flat):
        return []
    size = int(flat[0]) + 1
    if len(flat) % size == 0 and (flat[::size] == size - 1).all():  # then each row begins where the last one ends
        return flat.reshape(-1, size)[:, 1:]
    rows, first = [], 0
    while first < len(flat):
        end = first + 1 + int(flat[first])
        rows.append(flat[first + 1 : end])
        first = end
    return rows


def _of_strip(strip: Any) -> list[Any]:
    """The triangles of a strip: every second one is the other way round."""
    return [strip[[i + i % 2, i + 1 - i % 2, i + 2]] for i in range(len(strip) - 2)]


def _of_vedo(source: Any) -> Faces:
    data = getattr(source, "dataset", None)
    if data is None or not (hasattr(data, "GetNumberOfStrips") and hasattr(source, "cells_as_flat_array")):
        _refuse(source, "is no surface", "pass its Mesh, such as its `tomesh()`")
    if data.GetNumberOfStrips():
        _refuse(source, "has strips of triangles", "pass its `triangulate()`")
    return source.vertices, faces_of_cells(source, [("polygon", _unpadded(source.cells_as_flat_array))])


def _of_open3d(source: Any) -> Faces:
    if hasattr(source, "triangles"):
        points, triangles = source.vertices, source.triangles
    elif hasattr(source, "triangle") and "indices" in source.triangle:  # tensors, which may be on another device
        points, triangles = source.vertex["positions"].cpu().numpy(), source.triangle["indices"].cpu().numpy()
    else:
        _refuse(source, "is no mesh of triangles", "pass a TriangleMesh")
    return np.asarray(points), faces_of_cells(source, [("triangle", np.asarray(triangles))])


def _of_pymeshlab(source: Any) -> Faces:
    if not hasattr(source, "transformed_vertex_matrix"):
        _refuse(source, "is no mesh", "pass its `current_mesh()`")
    if not source.is_compact():
        _refuse(source, "has room for deleted vertices or faces", "call its `compact()` first")
    return source.transformed_vertex_matrix(), faces_of_cells(source, [("triangle", source.face_matrix())])


READERS: dict[str, Callable[[Any], Faces]] = {
    "meshio": _of_meshio,
    "meshlane": _of_meshio,
    "pyvista": _of_pyvista,
    "vedo": _of_vedo,
    "open3d": _of_open3d,
    "pymeshlab": _of_pymeshlab,
}

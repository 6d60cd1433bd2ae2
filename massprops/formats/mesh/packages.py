"""Meshes of other packages, in memory: points, and cells by the names that meshio gives their types.

A package is known by the module of the object's class or of one that it inherits from, not by attributes that others have, too.

Tests: `tests/formats/mesh/test_packages.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from massprops.errors import InvalidInput
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Integers

#: Cells of VTK by number, in the names of meshio; others have the name of their number. Where the corners are not in the order of the
#: outline, `_PIXELS` has this.
_VTK = dict.fromkeys((0, 1, 2), "vertex") | dict.fromkeys((3, 4, 21, 35, 68, 75), "line")
_VTK |= {5: "triangle", 6: "strip", 7: "polygon", 8: "quad", 9: "quad", 22: "triangle6", 23: "quad8", 28: "quad9"}
_VTK |= {10: "tetra", 11: "hexahedron", 12: "hexahedron", 13: "wedge", 14: "pyramid", 24: "tetra10", 25: "hexahedron20"}
_VTK |= {26: "wedge15", 27: "pyramid13", 29: "hexahedron27", 32: "wedge18"}
_PIXELS = {8: [0, 1, 3, 2], 11: [0, 1, 3, 2, 4, 5, 7, 6]}
_FLAT = {"triangle", "quad", "polygon"}


@dataclass(frozen=True, eq=False)
class Cells:
    """A mesh of a package.

    Attributes
    ----------
    name : str
        That of its class.
    points : array_like, shape (V, 3)
        All nodes.
    blocks : sequence
        Cells by the name of their type: rows of numbers of points, and their numbers in the object, where these are not in sequence.
    cell_data, cell_sets, field_data : mapping
        Values and sets of the cells for each block, and what they are called, as meshio has them.
    """

    name: str
    points: Any
    blocks: Sequence[tuple[str, Any, Integers | None]]
    cell_data: Mapping[str, Any] = field(default_factory=dict)
    cell_sets: Mapping[str, Any] = field(default_factory=dict)
    field_data: Mapping[str, Any] = field(default_factory=dict)


def packages_of(source: object) -> list[str]:
    """The packages of the classes that an object is of, the nearest first."""
    return [kind.__module__.partition(".")[0] for kind in type(source).__mro__]


def cells_of(source: Any) -> Cells | None:
    """The cells of a mesh of a package in `READERS`, or of an object that has them as meshio does; None of anything else.

    Raises
    ------
    InvalidInput
        It is another object of such a package.
    """
    if read := next((READERS[name] for name in packages_of(source) if name in READERS), None):
        return read(source)
    return _blocks_of(source) if hasattr(source, "points") and not hasattr(source, "read") else None


def flat_faces(cells: Cells) -> Polygons | None:
    """The faces among cells of which those of lower dimension bound nothing; None if there are solid or curved ones.

    Raises
    ------
    InvalidInput
        There is none that bounds anything.
    """
    named = [(name, rows) for name, rows, _ in cells.blocks if not name.startswith(("vertex", "line")) and len(rows)]
    if not named:
        raise InvalidInput(f"this {cells.name} has no faces and no solid cells", hint="pass its surface")
    if {name for name, _ in named} - _FLAT:
        return None
    sizes, corners = zip(*(_sizes_and_corners(rows) for _, rows in named), strict=True)
    return Polygons.of_sizes(np.concatenate(corners), np.concatenate(sizes))


def _sizes_and_corners(rows: Any) -> tuple[Any, Any]:
    if isinstance(rows, np.ndarray) and rows.ndim == 2:
        return np.full(len(rows), rows.shape[1]), rows.reshape(-1)
    return np.array([len(row) for row in rows]), np.concatenate([np.asarray(row) for row in rows])


def _refuse(source: Any, what: str, hint: str) -> NoReturn:
    kind = type(source)
    raise InvalidInput(f"this {kind.__name__} of {kind.__module__.partition('.')[0]} {what}", hint=hint)


def _faces(source: Any, points: Any, kind: str, rows: Any) -> Cells:
    return Cells(type(source).__name__, points, [(kind, rows, None)])


def _of_meshio(source: Any) -> Cells:
    if not hasattr(source, "points") or (found := _blocks_of(source)) is None:
        _refuse(source, "is no mesh", "pass its Mesh")
    return found


def _blocks_of(source: Any) -> Cells | None:
    """The cells of a mesh that has them as meshio does; None of another object."""
    cells = getattr(source, "cells", None)
    if not (isinstance(cells, list) and all(hasattr(block, "type") and hasattr(block, "data") for block in cells)):
        return None
    found = {name: getattr(source, name, None) for name in ("cell_data", "cell_sets", "field_data")}
    more = {name: value for name, value in found.items() if isinstance(value, Mapping)}
    return Cells(type(source).__name__, source.points, [(b.type, b.data, None) for b in cells], **more)


def _of_pyvista(source: Any) -> Cells:
    if hasattr(source, "strips"):
        faces = _unpadded(source.faces)
        strips = [row for strip in _unpadded(source.strips) for row in _of_strip(strip)]
        return _faces(source, source.points, "polygon", [*faces, *strips] if strips else faces)
    if hasattr(source, "cell_connectivity") and hasattr(source, "celltypes"):
        return _of_grid(source, source)
    if hasattr(source, "cast_to_unstructured_grid"):  # grids in which the places of the points say what the cells are
        return _of_grid(source, source.cast_to_unstructured_grid())
    return _refuse(source, "is no mesh", "pass its blocks, or what its `combine()` returns")


def _of_grid(source: Any, grid: Any) -> Cells:
    ends = np.asarray(grid.cell_offsets if hasattr(grid, "cell_offsets") else grid.offset)  # its name before 0.49
    kinds, starts, sizes = np.asarray(grid.celltypes), ends[:-1], np.diff(ends)
    numbers, blocks = np.asarray(grid.cell_connectivity), list[tuple[str, Any, Integers | None]]()
    for kind, size in sorted(set(zip(kinds.tolist(), sizes.tolist(), strict=True))):
        chosen = np.flatnonzero((kinds == kind) & (sizes == size))
        rows = numbers[starts[chosen, np.newaxis] + _PIXELS.get(kind, np.arange(size))]
        name = _VTK.get(kind, f"type {kind} of VTK")
        if name == "strip":
            rows = np.array([triangle for row in rows for triangle in _of_strip(row)], np.int64).reshape(-1, 3)
            name, chosen = "triangle", chosen.repeat(size - 2)
        elif name == "polygon":
            name = {3: "triangle", 4: "quad"}.get(size, name)
        blocks.append((name, rows, chosen))
    data = {name: [np.asarray(a)[own] for *_, own in blocks] for name, a in grid.cell_data.items()}
    return Cells(type(source).__name__, grid.points, blocks, data)


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


def _of_vedo(source: Any) -> Cells:
    data = getattr(source, "dataset", None)
    if data is None or not (hasattr(data, "GetNumberOfStrips") and hasattr(source, "cells_as_flat_array")):
        _refuse(source, "is no surface", "pass its Mesh, such as its `tomesh()`")
    if data.GetNumberOfStrips():
        _refuse(source, "has strips of triangles", "pass its `triangulate()`")
    return _faces(source, source.vertices, "polygon", _unpadded(source.cells_as_flat_array))


def _of_open3d(source: Any) -> Cells:
    if hasattr(source, "triangles"):
        points, triangles = source.vertices, source.triangles
    elif hasattr(source, "triangle") and "indices" in source.triangle:  # tensors, which may be on another device
        points, triangles = source.vertex["positions"].cpu().numpy(), source.triangle["indices"].cpu().numpy()
    else:
        _refuse(source, "is no mesh of triangles", "pass a TriangleMesh")
    return _faces(source, np.asarray(points), "triangle", np.asarray(triangles))


def _of_pymeshlab(source: Any) -> Cells:
    if not hasattr(source, "transformed_vertex_matrix"):
        _refuse(source, "is no mesh", "pass its `current_mesh()`")
    if not source.is_compact():
        _refuse(source, "has room for deleted vertices or faces", "call its `compact()` first")
    return _faces(source, source.transformed_vertex_matrix(), "triangle", source.face_matrix())


READERS: dict[str, Callable[[Any], Cells]] = {
    "meshio": _of_meshio,
    "meshlane": _of_meshio,
    "pyvista": _of_pyvista,
    "vedo": _of_vedo,
    "open3d": _of_open3d,
    "pymeshlab": _of_pymeshlab,
}

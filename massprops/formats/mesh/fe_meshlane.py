"""Meshes of finite elements as meshlane reads them, in a process of its own, which `massprops.formats.mesh.fe` starts.

It prints, ends the process on what it cannot read, and reads HDF5 and NetCDF with libraries that can crash on damaged files.

Tests: `tests/formats/mesh/test_fe.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.errors import ReadError, needing
from massprops.formats.text import shorten

#: Cell data that say what region a cell is of, best first, and how a number of it is named.
_REGIONS = {
    "gmsh:physical": "physical group",
    "medit:ref": "region",
    "cell_tags": "group",
    "netgen:index": "region",
    "flac3d:group": "group",
    "avsucd:material": "material",
    "su2:tag": "region",
    "material": "material",
    "materialids": "material",
    "material_id": "material",
    "region": "region",
    "regionid": "region",
    "region_id": "region",
    "subdomain": "region",
    "gmsh:geometrical": "entity",
}
#: The order of VTK of cells whose upright edges come before the upper ones.
_EDGES_LAST = {"hexahedron20": [*range(12), *range(16, 20), *range(12, 16)]}
_EDGES_LAST["wedge15"] = [*range(9), *range(12, 15), *range(9, 12)]


def main(argument: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Content of a file, from its path and format in JSON: ``cells`` by kind, ``groups`` by name, and what was warned of.

    The arrays are ``points``, and by number of the cells ``nodes0`` and ``groups0``.
    """
    path, kind = json.loads(argument)
    with needing("fe", f"meshlane reads {kind}"):
        import meshlane
        from meshlane import _common, _helpers

    warned: list[str] = []
    _hear(warned, _common)
    try:
        mesh = _helpers.reader_map[kind](path)
        points = np.asarray(mesh.points, np.float64)
        cells = [(b.type, whole_numbers(b.data)) for b in mesh.cells]
    except MemoryError:
        raise
    except ModuleNotFoundError as error:
        with needing("fe", f"meshlane reads {kind} with another package"):
            raise ModuleNotFoundError(name=error.name) from error
    except (Exception, SystemExit) as error:
        what = f"meshlane {meshlane.__version__} cannot read it: {shorten(str(error) or f'it raises {type(error).__name__}', 80)}"
        raise ReadError(what, code="broken-reader") from error
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ReadError(f"its points have the shape {points.shape}, not (n, 3)", code="broken-reader")
    if points.shape[1] == 2:
        points = np.column_stack([points, np.zeros(len(points))])
    if kind == "exodus":
        cells = [_of_exodus(name, nodes) for name, nodes in cells]
    names, groups = regions(mesh, [len(nodes) for _, nodes in cells])
    arrays: dict[str, NDArray[Any]] = {"points": points}
    for i, ((_, nodes), own) in enumerate(zip(cells, groups, strict=True)):
        arrays |= {f"nodes{i}": nodes, f"groups{i}": own}
    about = {"cells": [name for name, _ in cells], "groups": names, "warned": warned, "reader": meshlane.__version__}
    return about, arrays


def _hear(warned: list[str], common: Any) -> None:
    """Let warnings of all modules of the package be noted."""
    import sys

    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("meshlane") and hasattr(module, "warn"):
            module.warn = lambda text, *_, **__: warned.append(str(text))  # type: ignore[attr-defined]
    common.warn = lambda text, *_, **__: warned.append(str(text))


def whole_numbers(data: Any) -> NDArray[np.int64]:
    """Numbers of nodes, shape (n, nodes); of cells with different numbers of nodes (polygons, polyhedra), none."""
    try:
        found = np.asarray(data)
    except ValueError:
        found = np.empty(0, object)
    if found.ndim != 2 or found.dtype.kind not in "iu":
        return np.zeros((len(data), 0), np.int64)
    return np.ascontiguousarray(found, np.int64)


def _of_exodus(kind: str, nodes: NDArray[np.int64]) -> tuple[str, NDArray[np.int64]]:
    """A block of Exodus, whose kinds do not always say the number of nodes, and whose upright edges come before the upper ones."""
    shape = {"tetra4": "tetra"}.get(kind, kind).rstrip("0123456789")
    corners = {"triangle": 3, "quad": 4, "tetra": 4, "pyramid": 5, "wedge": 6, "hexahedron": 8}.get(shape)
    if corners is None:
        return kind, nodes
    kind = shape if nodes.shape[1] == corners else f"{shape}{nodes.shape[1]}"
    order = _EDGES_LAST.get(kind)
    return kind, nodes if order is None else nodes[:, order]


def regions(mesh: Any, sizes: Sequence[int]) -> tuple[list[str], list[NDArray[np.int64]]]:
    """Names of the regions, and the number of that of each cell: by sets with names, else by a region in the data of the cells.

    Cells that VTK marks as hidden, or as copies from another piece of a mesh, have the number −1.
    """
    names, found = _regions(mesh, sizes)
    marked = _columns(dict(mesh.cell_data).get("vtkGhostType"), sizes)
    return names, found if marked is None else [np.where(m, -1, own) for m, own in zip(marked, found, strict=True)]


def _regions(mesh: Any, sizes: Sequence[int]) -> tuple[list[str], list[NDArray[np.int64]]]:
    sets = {n: s for n, s in (mesh.cell_sets or {}).items() if not n.startswith("gmsh:") and len(s) == len(sizes)}
    found = _by_sets(sets, sizes) if sets else None
    if found is None:
        data = {str(k).lower(): v for k, v in mesh.cell_data.items()}
        for key, word in _REGIONS.items():
            if (columns := _columns(data.get(key), sizes)) is not None:
                return _by_number(columns, word, _names_in(mesh, key))
        names = ["all cells"]
        return names, [np.zeros(n, np.int64) for n in sizes]
    return found


def _by_sets(sets: Mapping[str, Any], sizes: Sequence[int]) -> tuple[list[str], list[NDArray[np.int64]]] | None:
    """Cells by the sets that they are in; those in several have the names of all."""
    within: list[list[list[str]]] = [[[] for _ in range(n)] for n in sizes]
    for name, of_blocks in sets.items():
        for own, members in zip(within, of_blocks, strict=True):
            chosen = np.asarray([] if members is None else members).ravel()
            chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
            if len(chosen) and (chosen.dtype.kind not in "iu" or not 0 <= chosen.min() <= chosen.max() < len(own)):
                what = f"the set {name!r} has other things than cells of a block of {len(own)}"
                raise ReadError(what, code="bad-index", hint="export the mesh again")
            for i in chosen.tolist():
                own[i].append(name)
    numbers: dict[str, int] = {}
    groups = [
        np.array([numbers.setdefault(" + ".join(names) or "no set", len(numbers)) for names in own], np.int64)
        for own in within
    ]
    return (list(numbers), groups) if set(numbers) - {"no set"} else None


def _columns(data: Any, sizes: Sequence[int]) -> list[NDArray[np.int64]] | None:
    """Whole numbers for each cell, if the data are that."""
    if data is None or len(data) != len(sizes):
        return None
    found = [np.asarray(d) for d in data]
    if any(d.shape != (n,) or d.dtype.kind not in "iuf" for d, n in zip(found, sizes, strict=True)):
        return None
    if not all((d == np.rint(d)).all() for d in found):
        return None
    return [d.astype(np.int64) for d in found]


def _names_in(mesh: Any, key: str) -> dict[int, str]:
    if key == "cell_tags":
        return {int(i): " + ".join(names) for i, names in getattr(mesh, "cell_tags", {}).items() if names}
    # solids last: numbers are unique among groups of one dimension
    by_dimension = sorted(mesh.field_data.items(), key=lambda n: n[1][-1] if np.size(n[1]) == 2 else 0)
    named = (n for n in by_dimension if key == "gmsh:physical" and np.size(n[1]) == 2)
    return {int(value[0]): str(name) for name, value in named}


def _by_number(
    columns: Sequence[NDArray[np.int64]], word: str, names: Mapping[int, str]
) -> tuple[list[str], list[NDArray[np.int64]]]:
    different = np.unique(np.concatenate(columns)) if columns else np.empty(0, np.int64)
    return [names.get(i, f"{word} {i}") for i in different.tolist()], [np.searchsorted(different, c) for c in columns]


def warnings_that_matter(warned: Sequence[str]) -> Iterator[str]:
    """Warnings about cells or elements that are left out."""
    for text in dict.fromkeys(warned):
        if any(word in text.lower() for word in ("cell", "element")):
            yield text

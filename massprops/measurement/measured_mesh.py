"""The triangles that were measured, after repairs, as a mesh of trimesh.

A measurement holds no triangles: its source is measured again.

Tests: `tests/measurement/test_measured_mesh.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from massprops.errors import InvalidGeometry, InvalidInput, ReadError
from massprops.measurement.mesh_integration import MeshIntegration
from massprops.measurement.result import Measurement
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import Triangles, slices
from massprops.moments.arrays import Array, Integers

if TYPE_CHECKING:
    import trimesh


def to_trimesh(again: Callable[..., Measurement], measured: Measurement) -> trimesh.Trimesh:
    """Mesh that a measurement is of, made when it is measured `again`; raises what `Measurement.to_trimesh` does."""
    name, what = measured.input.path, ""
    if measured.section is not None:
        what, hint = "a section has no triangles", "plot it"
    elif measured.parts:
        what, hint = "it was measured part by part", "measure one part: FILE#NAME"
    elif name == "-":
        what, hint = "standard input cannot be read again", "measure a file"
    if what:
        raise InvalidInput(what, place=name, hint=hint)
    found: list[trimesh.Trimesh] = []
    try:
        is_the_same = again(examine=lambda integration: found.append(_mesh_of(integration))) == measured
    except InvalidGeometry:
        is_the_same = False
    if not is_the_same:
        raise ReadError(f"{name}: it has changed since it was measured", code="changed-file", hint="measure it again")
    return found[0]


def _mesh_of(integration: MeshIntegration) -> trimesh.Trimesh:
    mesh = IndexedMesh.of(_triangles(integration))
    return trimesh_of(mesh.points, mesh.faces, integration.options.units)


def trimesh_of(points: Array, faces: Integers, unit: str | None) -> trimesh.Trimesh:
    """A mesh of trimesh, which states the unit where it is known."""
    import trimesh  # 0.3 s

    found = trimesh.Trimesh(points, faces, process=False)
    if unit:
        found.units = unit
    return found


def _triangles(integration: MeshIntegration) -> Triangles:
    """The triangles that bound the body, or are the sheet, in file units."""
    body, mesh = integration.body, integration.mesh
    if body.mesh is not None:
        return body.mesh
    if body.method == "hull":
        from massprops.mesh.repair.convex_hull import convex_hull

        hull = convex_hull(mesh)
        return mesh.altered(lambda: slices(hull), len(hull))
    if body.method == "shell" or any(f.code == "open-integral" for f in body.findings):
        return mesh
    what = "no triangles bound what was measured, which is an estimate, or certified by its edges alone"
    raise InvalidInput(what, place=mesh.name, hint="mend the mesh first")

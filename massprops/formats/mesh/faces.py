"""Common parts of readers of faces: the source that they make, and the refusal of a file without facets.

Tests: `tests/formats/mesh/test_text_meshes.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.mesh.source import InputFile, MeshFile, indexed_chunks
from massprops.mesh.triangulation import Place, Polygons, rounding, triangulate
from massprops.moments.arrays import Array
from massprops.wording import plural


def text_source(
    file: InputFile, format: str, vertices: Array, faces: Polygons, place: Place, findings: Sequence[Finding]
) -> MeshFile:
    """Triangles of the faces of a text; the findings about them follow `findings`."""
    triangles, found = triangulate(vertices, faces, rounding(vertices, text=True), place)
    chunks = indexed_chunks(vertices, triangles)
    return MeshFile(file.name, len(triangles), chunks, format=format, encoding="ascii", findings=(*findings, *found))


def no_facets(name: str, points: int, why: str = "no faces") -> ReadError:
    """The error for a file that has no facets, but perhaps points."""
    if points:
        hint = "export the surface as a mesh; points have no volume"
        return ReadError(f"{name}: a point cloud of {plural(points, 'point')}: {why}", code="no-facets", hint=hint)
    hint = "export the mesh again; there is nothing to measure"
    return ReadError(f"{name}: no vertices and no faces", code="no-facets", hint=hint)

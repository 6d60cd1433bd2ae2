"""MSH: the meshes of Gmsh, which `fe` reads, or the older binary meshes of MuJoCo, which the length of the file tells.

Four counts (int32) of vertices, normals, texture coordinates and faces; then those, float32 but for the faces, int32 from 0.
<https://mujoco.readthedocs.io/en/stable/XMLreference.html#asset-mesh>

Tests: `tests/formats/mesh/test_msh.py`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from massprops.errors import ReadError
from massprops.formats.mesh.placement import EXPORT_AGAIN, check_corners
from massprops.mesh.source import InputFile, MeshFile, slices

_HEADER = 16


def read(file: InputFile) -> MeshFile:
    """Facets of an MSH file, float32 of MuJoCo.

    Raises
    ------
    ReadError
        Without facets, or with damaged ones; and what `fe.read` raises.
    """
    counts = np.frombuffer(file.stream.read(_HEADER).ljust(_HEADER, b"\0"), "<i4").tolist()
    vertices, normals, textures, faces = counts
    if min(counts) < 0 or file.size != _HEADER + 12 * vertices + 12 * normals + 8 * textures + 12 * faces:
        from massprops.formats.mesh import fe

        file.stream.seek(0)
        return fe.read(file)
    if not faces:
        what = f"{file.name}: the mesh of MuJoCo holds {vertices} points and no facets"
        raise ReadError(what, code="no-facets", hint="name it in a model, where MuJoCo takes their convex hull")
    points = np.frombuffer(file.stream.read(12 * vertices), "<f4").reshape(-1, 3)
    file.stream.seek(12 * normals + 8 * textures, 1)
    corners = np.frombuffer(file.stream.read(12 * faces), "<u4").reshape(-1, 3)
    check_corners(file.name, corners, vertices)
    if not np.isfinite(points).all():
        place = int(np.argwhere(~np.isfinite(points))[0, 0])
        raise ReadError(
            f"{file.name}: vertex {place}, counted from 0, is not finite", code="non-finite", hint=EXPORT_AGAIN
        )
    return MeshFile(file.name, faces, partial(slices, points[corners]), format="msh", encoding="binary")

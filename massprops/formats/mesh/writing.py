"""Meshes out: binary STL, PLY with doubles, OBJ, and what trimesh writes; what is written reads back as the same triangles, in STL and glTF
to single precision.

Tests: `tests/cli/test_repair.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from massprops.errors import InvalidInput, Remedy, needing
from massprops.formats import load
from massprops.formats.table import WRITTEN
from massprops.moments.arrays import Array, Integers
from massprops.units import length_unit

_STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_PLY_FACE = np.dtype([("count", "u1"), ("corners", "<i4", 3)])


#: The unit of formats that have one by definition, or that trimesh states.
_UNITS = {".glb": "m", ".dae": "m", ".3mf": "mm"}
#: Suffixes of the formats that trimesh writes beside ours.
OTHERS = (".glb", ".3mf", ".off", ".dae")


def is_written(suffix: str) -> bool:
    """Whether meshes are written in the format of a suffix, in lower case with its dot."""
    return suffix in (*WRITTEN, *OTHERS)


def written_unit(suffix: str, unit: str | None) -> str | None:
    """The unit of coordinates in the file of a suffix, of a mesh in `unit`, where it is known."""
    return _UNITS.get(suffix, unit)


def mesh_bytes(points: Array, faces: Integers, suffix: str, unit: str | None = None) -> bytes:
    """A mesh, points (V, 3) and faces (F, 3), as the file of this suffix (``.stl``, ``.ply``, ``.obj``; others by trimesh).

    Parameters
    ----------
    points, faces : ndarray
        Shapes (V, 3), in `unit`, and (F, 3).
    suffix : str
        In lower case, with its dot.
    unit : str, optional
        Needed where the format states one (glTF: m, COLLADA: m, 3MF: mm): then coordinates are in that.

    Raises
    ------
    InvalidInput
        If meshes are not written in this format, or the unit is not known and the format has one.
    MissingExtra
        trimesh needs a package for it that is not installed.
    """
    if suffix in WRITTEN:
        written: bytes = load(WRITTEN[suffix])(points, faces)
        return written
    if not is_written(suffix):
        *first, last = (*WRITTEN, *OTHERS)
        what = f"meshes are written as {', '.join(first)} or {last}, not {suffix or 'without a suffix'}"
        raise InvalidInput(
            what, code="unknown-format", hint=Remedy("choose another {}", "output", python="choose another suffix")
        )
    if suffix in _UNITS:
        if unit is None:
            what = f"{suffix} states a unit, and that of the mesh is not known"
            raise InvalidInput(what, code="missing-unit", hint=Remedy("pass {}", "units=mm"))
        points = points * (length_unit(unit) / length_unit(_UNITS[suffix]))
    import trimesh  # 0.3 s

    mesh = trimesh.Trimesh(points, faces, process=False)
    digits: dict[str, Any] = {"digits": 17} if suffix == ".off" else {}
    with needing("meshes", f"trimesh writes {suffix} with another package"):
        found = mesh.export(file_type=suffix[1:], **digits)
    return found.encode() if isinstance(found, str) else bytes(found)


def stl_bytes(points: Array, faces: Integers) -> bytes:
    """A binary STL file: single precision."""
    corners = points[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    records = np.zeros(len(faces), _STL_RECORD)
    records["normal"] = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
    records["corners"] = corners
    return b"massprops".ljust(80) + np.uint32(len(faces)).tobytes() + records.tobytes()


def ply_bytes(points: Array, faces: Integers) -> bytes:
    """A binary PLY file: double precision."""
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
        "property double x\nproperty double y\nproperty double z\n"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows = np.empty(len(faces), _PLY_FACE)
    rows["count"], rows["corners"] = 3, faces
    return header.encode("ascii") + points.astype("<f8").tobytes() + rows.tobytes()


def obj_bytes(points: Array, faces: Integers) -> bytes:
    """An OBJ file: the shortest decimals that read back as the same doubles."""
    vertices = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist())
    triangles = "".join(f"f {a} {b} {c}\n" for a, b, c in (faces + 1).tolist())
    return (vertices + triangles).encode("ascii")

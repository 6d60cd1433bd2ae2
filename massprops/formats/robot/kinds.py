"""Robot files, by their suffixes, or where meshes have the same ones by their content.

Tests: `tests/formats/robot/test_gltf_physics.py`.
"""

from __future__ import annotations

from pathlib import PurePath

from massprops.formats.table import USD_SUFFIXES as USD_SUFFIXES

#: Suffixes of files that hold inertials.
ROBOTS = (".urdf", ".sdf", ".mjcf", *USD_SUFFIXES)
_GLTF = (".glb", ".gltf")


def is_robot(path: str) -> bool:
    """Whether a file is a robot: by its suffix, ``.xml`` too, or of glTF by its extensions."""
    suffix = PurePath(path).suffix.lower()
    return suffix in (*ROBOTS, ".xml") or states_bodies(path)


def states_bodies(path: str) -> bool:
    """Whether a file of a mesh format states bodies: glTF with the extensions for that."""
    if PurePath(path).suffix.lower() not in _GLTF:
        return False
    from massprops.formats.robot import gltf

    return gltf.states_bodies(path)

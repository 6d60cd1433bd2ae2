"""A robot file by its root element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from massprops.errors import UnknownFormat
from massprops.formats.files import read_bytes
from massprops.formats.robot import mjcf_geometry as mjcf
from massprops.formats.robot import sdf_geometry as sdf
from massprops.formats.robot import urdf_geometry as urdf
from massprops.formats.robot.links import Link
from massprops.formats.xml import Node, parse

_READERS: dict[str, Callable[[Node], Iterator[Link]]] = {
    "robot": urdf.links,
    "sdf": sdf.links,
    "gazebo": sdf.links,
    "model": sdf.links,
    "mujoco": mjcf.links,
    "mujocoinclude": mjcf.links,
}


def read_robot(path: str, stdin: BinaryIO | None = None) -> list[Link]:
    """The links of a URDF, SDF or MJCF file, with their inertials and their geometry, in the order of the file.

    Raises
    ------
    ReadError
        If the file cannot be read, is not well-formed, or begins with no element that is known. What is wrong with one link is in
        that `Link`.
    """
    root = parse(read_bytes(path, stdin), path)
    if root.tag not in _READERS:
        raise UnknownFormat(
            f"{root.place}: <{root.tag}> begins no robot file that is known",
            hint="known: <robot> (URDF), <sdf>, <mujoco>; a xacro file is expanded to URDF first",
        )
    return list(_READERS[root.tag](root))

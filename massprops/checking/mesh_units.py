"""Units of meshes that state none, by the robots that name them: a scale of 0.001 means millimetres.

Tests: `tests/checking/test_mesh_units.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from massprops.errors import MasspropsError
from massprops.formats.address import Address
from massprops.formats.files import absolute_path
from massprops.formats.kinds import kind_of, suffix_of
from massprops.formats.robot.links import LinkMesh
from massprops.formats.robot.opening import read_robot
from massprops.formats.search_path import SearchPath
from massprops.formats.table import MESHES
from massprops.units import length_unit

#: The units that a scale may mean.
_BY_SCALE = {length_unit(unit): unit for unit in ("m", "mm", "cm", "in", "ft")}


def units_by_robots(names: Sequence[str], search: SearchPath) -> dict[str, str]:
    """The unit of each mesh that robots among these files scale alike, by its absolute path.

    Meshes of formats that state a unit are left out, and those whose scale is no unit or differs from robot to robot.
    """
    files = [name for name in names if name != "-"]
    meshes = {str(absolute_path(name)) for name in files if _has_no_unit(name)}
    found: dict[str, set[str | None]] = {}
    for robot in files if meshes else ():
        if kind_of(Address.parse(robot).path) == "robot":
            with suppress(MasspropsError):  # it is reported where the robot itself is checked
                for path, unit in _named_meshes(Address.parse(robot).path, search):
                    found.setdefault(path, set()).add(unit)
    alike = ((path, units.pop()) for path, units in found.items() if len(units) == 1 and path in meshes)
    return {path: unit for path, unit in alike if unit is not None}


def _has_no_unit(name: str) -> bool:
    row = MESHES.get(suffix_of(name))
    return row is not None and not row.states_unit and not row.is_robot


def _named_meshes(robot: str, search: SearchPath) -> Iterator[tuple[str, str | None]]:
    """Meshes that a robot names, and the unit of each; None for a scale that means none."""
    for link in read_robot(robot, search=search):
        for geometry in (*link.visual, *link.collision):
            solid = geometry.solid
            if isinstance(solid, LinkMesh) and not solid.is_own and solid.triangles is None and solid.points is None:
                with suppress(MasspropsError):
                    path = search.beside(link.file).mesh_file(solid.uri, solid.model)
                    yield str(absolute_path(str(path))), _unit_of(solid.scale)


def _unit_of(scale: Sequence[float]) -> str | None:
    sizes = {abs(factor) for factor in scale}
    return _BY_SCALE.get(sizes.pop()) if len(sizes) == 1 else None

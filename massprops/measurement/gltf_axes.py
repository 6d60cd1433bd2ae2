"""Axis that is up in the glTF meshes that a robot names: given, else as its inertials and collision shapes say.

glTF defines y up, and programs that follow it turn such a mesh to z up (Drake, RViz); others (SAPIEN) take it as it is, and robots that
are made with those are drawn with z up. A link whose meshes fit under one of both readings alone speaks for that. The other axis is
taken where at least two links speak for it and none against.

Tests: `tests/measurement/test_gltf_axes.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from massprops.errors import InvalidInput, MasspropsError, result_or_error, spell
from massprops.findings import Finding
from massprops.formats.address import Address, split_part
from massprops.formats.kinds import named_kind
from massprops.formats.link_names import some
from massprops.formats.robot.links import Geometry, Link, LinkMesh
from massprops.formats.robot.opening import read_robot
from massprops.formats.search_path import SearchPath
from massprops.formats.table import MESHES
from massprops.frames import GltfUp
from massprops.measurement.links import LinkSolids, PlacedSolid
from massprops.moments.arrays import Array, length, sum_of
from massprops.rigid_body.mass_properties import MassProperties

#: A reading fits if what it is compared with is no farther than this share, and the other reading is, and is `CLEARLY` times as far.
FITS, CLEARLY = 0.05, 3.0
#: Links that decide against the format.
SEVERAL = 2
_UNDECIDED = "the inertials and collision shapes do not decide which axis is up"

#: The solids of a link, with y up and with z up.
_Readings = tuple[Sequence[PlacedSolid], Sequence[PlacedSolid]]


def is_gltf_mesh(geometry: Geometry) -> bool:
    """Whether a geometry is a glTF file, and no part of the robot file."""
    solid = geometry.solid
    if not isinstance(solid, LinkMesh) or solid.is_own:
        return False
    suffix = split_part(solid.uri)[0].rpartition(".")[2].lower()
    return f".{suffix}" in MESHES and MESHES[f".{suffix}"].is_y_up


def names_gltf(link: Link) -> bool:
    """Whether a link has a glTF mesh."""
    return any(map(is_gltf_mesh, (*link.visual, *link.collision)))


def require_robots(sources: Iterable[str], search: SearchPath) -> None:
    """Raise InvalidInput if packages or an axis are given, and no source is a robot, or an assembly, that can name them."""
    files = list(sources)
    if search.packages and {"robot", "assembly", "stdin"}.isdisjoint(map(named_kind, files)):
        raise InvalidInput(
            "{} is for robots and assemblies, and there is none", names=["packages"], hint="leave it out"
        )
    require_gltf(files, search)


def require_gltf(sources: Iterable[str], search: SearchPath) -> None:
    """Raise InvalidInput if the axis is given, and no source is a robot that names a glTF mesh.

    A source that cannot be read may be one; an assembly may name one.
    """
    if search.gltf_up is not None and all(result_or_error(lacks_gltf, source, search) is True for source in sources):
        what = "{} is for glTF meshes that a robot file names, and there is none"
        raise InvalidInput(what, names=["gltf_up"], hint="leave it out")


def lacks_gltf(source: str, search: SearchPath) -> bool:
    """Whether a file is no robot that names a glTF mesh; raises what `read_robot` does. An assembly may name such a robot."""
    kind = named_kind(source)
    may = kind in ("robot", "stdin") and any(map(names_gltf, read_robot(Address.parse(source).path, search=search)))
    return kind != "assembly" and not may


def settle_axes(links: Sequence[Link], solids: LinkSolids) -> tuple[list[Link], Finding | None]:
    """All links of a robot with their glTF meshes as these are to be read, and what is to be said of that.

    `solids` measures them, if the search path does not say which axis is up.
    """
    up, finding = solids.search.gltf_up, None
    concerned = [link for link in links if names_gltf(link)]
    if up is None and concerned:
        up, finding = _decided(concerned, solids)
    return ([_with_z_up(link) for link in links] if up == "z" and concerned else list(links)), finding


def _decided(links: Sequence[Link], solids: LinkSolids) -> tuple[GltfUp, Finding | None]:
    votes: dict[GltfUp, list[str]] = {"y": [], "z": []}
    differs = False
    for link in links:
        readings = _readings(link.geometry("visual"), solids) or _readings(link.geometry("collision"), solids)
        if readings is None:
            continue
        as_drawn = _body(readings[1], 1.0)
        differs = differs or _distance(as_drawn, readings[0]) > FITS
        found = {*_votes(link, readings, solids)}
        if len(found) == 1:
            votes[found.pop()].append(link.name or "?")
    z, y = (f"{some(votes[up])} {'fits' if len(votes[up]) == 1 else 'fit'} with {up} up alone" for up in ("z", "y"))
    if len(votes["z"]) >= SEVERAL and not votes["y"]:
        text = f"the glTF meshes are read with z up: {z}; glTF defines y up, and programs that follow it turn them"
        return "z", Finding("gltf-axes", "info", text)
    as_defined = (
        f"the glTF meshes are read with y up, as the format defines it; {spell('gltf_up=z')} reads them with z up"
    )
    if votes["z"]:
        return "y", Finding("gltf-axes", "warning", f"{z}{f', and {y}' if votes['y'] else ''}: {as_defined}")
    if differs and not votes["y"]:
        return "y", Finding("gltf-axes", "info", f"{_UNDECIDED}: {as_defined}")
    return "y", None


def _votes(link: Link, readings: _Readings, solids: LinkSolids) -> Iterator[GltfUp]:
    """The readings for which the inertial and the collision shapes of a link speak."""
    body = None if link.body is None else link.body.properties
    if body is not None and body.mass > 0:
        yield from _vote([_distance(body, parts) for parts in readings])
    if not any(map(is_gltf_mesh, link.geometry("collision"))) and (
        shapes := _placed(link.geometry("collision"), solids)
    ):
        box = _bounds(shapes)
        apart = (np.abs(_bounds(parts) - box).max() / length(np.ptp(_bounds(parts), axis=0)) for parts in readings)
        yield from _vote([*map(float, apart)])


def _vote(distances: Sequence[float]) -> Iterator[GltfUp]:
    near, far = sorted(distances)
    if near <= FITS < far and CLEARLY * near < far:
        yield "y" if distances[0] == near else "z"


def _readings(geometries: Sequence[Geometry], solids: LinkSolids) -> _Readings | None:
    """The solids of the geometries of a link with y up and with z up; None where they are no glTF, or cannot be measured."""
    if not any(map(is_gltf_mesh, geometries)):
        return None
    y, z = _placed(geometries, solids), _placed([*map(_turned_back, geometries)], solids)
    return (y, z) if y and z else None


def _placed(geometries: Sequence[Geometry], solids: LinkSolids) -> list[PlacedSolid]:
    try:
        return [solids.place(geometry) for geometry in geometries]
    except MasspropsError:  # said where the link is measured
        return []


def _body(parts: Sequence[PlacedSolid], mass: float) -> MassProperties:
    return MassProperties.from_moments(sum_of(part.moments for part in parts), mass=mass)


def _distance(stated: MassProperties, parts: Sequence[PlacedSolid]) -> float:
    """The larger of the relative distances of the centre and of the tensor from those of solids."""
    uniform = _body(parts, stated.mass)
    centre = length(stated.com - uniform.com) / length(np.ptp(_bounds(parts), axis=0))
    return max(centre, length(stated.inertia - uniform.inertia) / length(uniform.inertia))


def _bounds(parts: Sequence[PlacedSolid]) -> Array:
    low, high = np.array([part.bounds for part in parts]).transpose(1, 0, 2)
    return np.array([low.min(axis=0), high.max(axis=0)])


def _turned_back(geometry: Geometry) -> Geometry:
    """The geometry with z up, if it is a glTF mesh."""
    solid = geometry.solid
    return (
        replace(geometry, solid=replace(solid, keeps_axes=True))
        if isinstance(solid, LinkMesh) and is_gltf_mesh(geometry)
        else geometry
    )


def _with_z_up(link: Link) -> Link:
    return replace(link, visual=(*map(_turned_back, link.visual),), collision=(*map(_turned_back, link.collision),))

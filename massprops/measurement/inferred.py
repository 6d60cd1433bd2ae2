"""Inertials that MuJoCo infers from the geoms of bodies that state none, with their masses or densities.

Tests: `tests/formats/robot/test_mjcf_model.py`, `tests/diagnosis/test_engines.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from typing import BinaryIO

import numpy as np

from massprops.errors import InvalidGeometry, ReadError, require_type
from massprops.formats.address import Address
from massprops.formats.bodies.opening import contents_at, require_bodies
from massprops.formats.inertial.inertial import FileBodies, NamedBody
from massprops.formats.inertial.numbers import number
from massprops.formats.robot.links import Geometry, Link, LinkMesh
from massprops.formats.robot.mjcf import change_findings, compiler_of
from massprops.formats.robot.opening import links_of
from massprops.formats.search_path import SearchPath
from massprops.measurement.gltf_axes import names_gltf, settle_axes
from massprops.measurement.links import LinkSolids, computed_body, hull_of, warnings_of
from massprops.moments.arrays import Array, sum_of
from massprops.moments.integrals import Moments, simplex_moments
from massprops.rigid_body.mass_properties import MassProperties

NOTHING = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
#: The first and the last group of the geoms that count.
Groups = tuple[float, float]
_WEIGHTS = ("mass", "density", "group")


def inferred_body(link: Link, solids: LinkSolids) -> NamedBody | None:
    """The body that MuJoCo infers for a link, without mass where no geom counts; None where it states one, or has no geom.

    Raises
    ------
    MasspropsError
        If a geom that counts cannot be measured.
    """
    if link.body is not None or link.error is not None or not link.infers or not link.has_geometry:
        return None
    compiler = compiler_of(link.settings, link.place)
    body = weigh((*link.visual, *link.collision), compiler.groups, lambda geometry: _moments(geometry, solids))
    moments = body.principal().moments.tolist()
    compiler = compiler if body.mass else replace(compiler, total_mass=-1.0)
    changed = change_findings(compiler, body.mass, moments, link.place, "inferred")
    return NamedBody(link.name, body, link.place, link.dialect, changed, inferred=True)


def known_bodies(
    text: str | PathLike[str],
    *,
    stdin: BinaryIO | None = None,
    search: SearchPath | None = None,
    cad: str = "auto",
    required: bool = False,
) -> FileBodies:
    """Bodies that `open_bodies` finds, and those that a robot's format computes, or its simulator infers, where none is stated.

    Raises
    ------
    MasspropsError
        What `open_bodies` raises, and why the body of a link that is asked for, or `required` as all are, cannot be computed.
    """
    require_type(text, str | PathLike, "text", "the name of a file")
    address, search = Address.parse(fspath(text)), search or SearchPath()
    required = required or address.link is not None
    complete = partial(_with_bodies, path=address.path, search=search, required=required)
    return require_bodies(contents_at(address.path, address.link, stdin, search, cad, complete), address.path)


def links_with_bodies(data: bytes, path: str, search: SearchPath, *, required: bool) -> list[Link]:
    """The links of a robot of these bytes, with the bodies that their format computes or the simulator infers.

    Where that fails, a link has the reason as its error, if its body is `required`. Raises what `links_of` does.
    """
    return _with_bodies(links_of(data, path, search), path, search, required=required)


def _with_bodies(links: Sequence[Link], path: str, search: SearchPath, *, required: bool) -> list[Link]:
    if all(x.body is not None or not (x.infers or x.automatic) for x in links):
        return list(links)
    solids, found = LinkSolids(search.beside(path)), []
    links, about = settle_axes(links, solids)
    for link in links:
        if about is not None and link.automatic is not None and names_gltf(link):
            link, about = replace(link, findings=(*link.findings, about)), None
        if link.body is None and link.error is None:
            known = link.with_body(partial(unstated_body, link, solids))
            if known.error is None:
                link = known
            elif required:
                link = replace(link, error=known.error.at(link.name or link.place))
        found.append(link)
    return found


def unstated_body(link: Link, solids: LinkSolids) -> NamedBody | None:
    """Body of a link without an inertial, as its format computes or its simulator infers it; raises why it is not computed."""
    if link.automatic is None:
        return inferred_body(link, solids)
    parts = [solids.place(geometry) for geometry in link.geometry("collision")]
    if not parts:
        what = "its inertial is to be computed from its collisions, and it has none"
        raise InvalidGeometry(f"{link.place}: {what}", code="no-geometry")
    body = computed_body(link, link.automatic, parts)
    return NamedBody(link.name, body, link.place, link.dialect, tuple(warnings_of(parts)))


def _moments(geometry: Geometry, solids: LinkSolids) -> Moments:
    """Moments of a geom as MuJoCo integrates them."""
    if geometry.stated.get("shellinertia") == "true":
        raise InvalidGeometry(f"{geometry.place}: shellinertia is not computed", code="unmeasured-geometry")
    if not isinstance(geometry.solid, LinkMesh):
        return solids.place(geometry).moments
    found = mesh_moments(solids.corners(geometry, geometry.solid), geometry.solid.integral, geometry.solid)
    if not found.measure > 0:
        what = f"{geometry.place}: the integral over {geometry.solid.uri} is {found.measure:.3g}, and must be positive"
        raise InvalidGeometry(what, code="zero-volume")
    return found


def weigh(
    geometries: Sequence[Geometry], groups: Groups, moments_of: Callable[[Geometry], Moments | None]
) -> MassProperties:
    """The sum of geoms by their masses or densities, without those that have no moments."""
    found = ((moments_of(g), weight) for g, weight in geoms_with_mass(geometries, groups))
    return sum_of([NOTHING, *(MassProperties.from_moments(m, **weight) for m, weight in found if m is not None)])


def geoms_with_mass(geometries: Sequence[Geometry], groups: Groups) -> Iterator[tuple[Geometry, dict[str, float]]]:
    """Geoms of some groups with their densities or masses; those without a mass do not count, and need not be measured."""
    for geometry in geometries:
        stated = {k: number(v, geometry.place, k) for k, v in geometry.stated.items() if k in _WEIGHTS}
        weight = {"mass": stated["mass"]} if "mass" in stated else {"density": stated.get("density", 1000.0)}
        in_group = groups[0] <= stated.get("group", 0.0) <= groups[1]
        if in_group and not geometry.is_empty and min(weight.values()) > 0:
            yield geometry, weight


def mesh_moments(corners: Array, how: str, mesh: LinkMesh | None = None) -> Moments:
    """Moments of a mesh as MuJoCo integrates them (mjCMesh::Process), whatever the mesh bounds.

    Parameters
    ----------
    corners : ndarray, shape (n, 3, 3)
        Of the facets.
    how : {"exact", "convex", "shell", "legacy"}
        ``legacy`` adds up the absolute volumes of cones from the centroid of the faces, and once more from the centre that this gives.
        ``shell`` integrates over the surface, in m², m³ and m⁴.
    mesh : LinkMesh, optional
        With the limit of its hull.
    """
    if how not in ("exact", "convex", "shell", "legacy"):
        raise ReadError(f"the inertia of a mesh is {how!r}", code="bad-attribute")
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    about = areas @ corners.mean(axis=1) / (areas.sum() or 1.0)  # of no area: there is no volume either
    if how == "convex":
        corners = hull_of(mesh or LinkMesh("mesh"), corners)
    for _ in range(2):
        cones = np.ascontiguousarray((corners - about).transpose(1, 2, 0))
        if how == "shell":
            return simplex_moments(cones, areas, 2, about)
        volumes = (np.cross(cones[0], cones[1], axis=0) * cones[2]).sum(axis=0) / 6
        found = simplex_moments(cones, np.abs(volumes) if how == "legacy" else volumes, 3, about)
        if not found.measure > 0:
            return found
        about = found.centroid
    return replace(found, first=np.zeros(3))

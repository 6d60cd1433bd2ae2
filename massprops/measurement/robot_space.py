"""Links of a robot that share space at a position of its joints: their masses are stated, so it is found, not refused.

Tests: `tests/measurement/test_shared_space.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from massprops.errors import InvalidGeometry, MasspropsError
from massprops.findings import Finding, point_text
from massprops.formats.link_names import some
from massprops.formats.robot.links import Link
from massprops.formats.search_path import SearchPath
from massprops.frames import Pose
from massprops.measurement.links import LinkSolids
from massprops.measurement.robot import Robot
from massprops.measurement.shared_space import Key, Occupant, near
from massprops.mesh.repair.overlap import FilledSpace, common_space
from massprops.mesh.winding_policy import OVERLAP_LIMIT
from massprops.moments.arrays import sum_of
from massprops.rigid_body.mass_properties import MassProperties


def shared_by_links(robot: Robot, poses: Mapping[str, Pose], search: SearchPath) -> list[Finding]:
    """Findings of links that share space, but for those that a joint connects, and of links that could not be compared.

    Their collision shapes are compared, or the visual ones of a link without.

    Parameters
    ----------
    robot : Robot
        Its links, and which of them a joint connects.
    poses : mapping of str to Pose
        X_WL of the links that are compared.
    search : SearchPath
        Where their meshes are.
    """
    measurer, names = LinkSolids(search), list(poses)
    solids: dict[Key, Occupant] = {}
    unknown: list[str] = []
    for n, name in enumerate(names):
        family = object()
        try:
            spaces = list(_spaces(robot.links[name], measurer))
        except MasspropsError:
            unknown.append(name)
            continue
        for k, space in enumerate(spaces):
            body = MassProperties(space.moments.measure, space.moments.centroid, np.eye(3))
            solids[n, k] = Occupant(name, body, space, family=family).transformed(poses[name])
    shared: dict[tuple[int, int], list[tuple[Key, Key]]] = {}
    for one, other in near(solids):
        a, b = names[one[0]], names[other[0]]
        if a not in (robot.placements[b].parent, None) and b not in (robot.placements[a].parent, None):
            shared.setdefault((one[0], other[0]), []).append((one, other))
    found = [finding for pairs in shared.values() if (finding := _finding(solids, pairs)) is not None]
    if unknown:
        what = f"{some(unknown)}: their geometry cannot be measured, so they are not compared with others"
        found.append(Finding("unverified-overlap", "warning", what))
    return found


def _finding(solids: Mapping[Key, Occupant], pairs: list[tuple[Key, Key]]) -> Finding | None:
    """Finding of the space that two links share, if that is more than the limit of one of their solids."""
    common = []
    for keys in pairs:
        one, other = (solids[key].filled for key in keys)
        found = common_space(one, other)
        if found and found[0].measure - found[1] > OVERLAP_LIMIT * min(one.moments.measure, other.moments.measure):
            common.append(found[0])
    if not common:
        return None
    a, b = (solids[key].name for key in pairs[0])
    total = sum_of(common)
    where = tuple(total.centroid.tolist())
    what = f"links {a} and {b} share {total.measure:.4g}\xa0m³ near {point_text(where)}, which a robot cannot do"
    return Finding("shared-space", "warning", what, total.measure, 0.0, where)


def _spaces(link: Link, solids: LinkSolids) -> Iterator[FilledSpace]:
    """Spaces that the geometries of a link fill, in its frame; raises the error of one that cannot be measured."""
    for solid in solids.place_whole(link.geometry("collision") or link.geometry("visual")):
        if solid.mesh is not None and (solid.mesh[1].method != "exact" or solid.mesh[1].repairs):
            raise InvalidGeometry(f"{solid.geometry.place}: the mesh is not closed", code="open-edges")
        corners = solids.triangles(solid)
        yield FilledSpace(solid.moments, corners, corners)

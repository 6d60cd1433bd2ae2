"""The repair ladder: drop, flip, weld, split, fill; each step has a name, a count, a place and a bound.

Steps are taken in this order and only where something is wrong; what comes out is closed and consistently oriented, or the surface is
refused with the reason. Which shells look outward, cavities and overlaps are decided by
`massprops.mesh.repair.overlaps`, which sees inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from massprops.mesh.repair.bounds import Step
from massprops.mesh.repair.facets import dropped, flipped
from massprops.mesh.repair.holes import filled
from massprops.mesh.repair.indexed import IndexedMesh
from massprops.mesh.repair.t_junctions import split
from massprops.mesh.repair.welding import welded
from massprops.moments.integrals import Array
from massprops.wording import percent

#: Tolerances of the weld, in sizes of the body, tried in this order.
WELDS = {"safe": (1e-8, 1e-7, 1e-6), "full": (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)}
#: How far a vertex may be from the edge that it is said to lie on, in sizes of the body.
ON_EDGE = {"safe": 1e-6, "full": 1e-5}
#: More of the surface than this is not filled, flat faces of which the rim is there aside.
MOST_MISSING = 0.1
#: Nor more than this in flat lids, on request: the lid of a hemisphere, a third of its surface, could as well be the rest of a sphere.
MOST_IN_LIDS = 0.33
#: Pairs of open edges and vertices are compared: before, for more edges than this, whether there is enough of a surface.
MANY = 2000


@dataclass(frozen=True, eq=False)
class Repaired:
    """A closed mesh, what was done to the file's, and the point that the bounds of the steps are about."""

    mesh: IndexedMesh
    steps: tuple[Step, ...]
    reference: Array


@dataclass(frozen=True)
class Irreparable:
    """Why the surface is not closed in this way."""

    reason: str


def repaired(mesh: IndexedMesh, level: Literal["safe", "full"]) -> Repaired | Irreparable:
    """The mesh closed and consistently oriented, step by step; vertices that nothing had to move keep their positions to the bit.

    Parameters
    ----------
    mesh : IndexedMesh
        All facets of the file.
    level : {"safe", "full"}
        How far vertices may be moved: welds up to 1e-6 of the size, or up to 1e-3.
    """
    size, r = mesh.size, mesh.points.mean(axis=0) if len(mesh.points) else np.zeros(3)
    steps: list[Step] = []

    def take(change: Callable[[IndexedMesh], tuple[IndexedMesh, Sequence[Step]] | None]) -> None:
        nonlocal mesh
        found = change(mesh)
        if found is not None and found[1]:
            mesh = found[0]
            steps.extend(found[1])
            if change not in (dropped, flipped):  # what was joined or split has new neighbours
                take(dropped)
                take(flipped)

    take(dropped)
    take(flipped)
    for share in WELDS[level]:
        if len(mesh.open_edges()):
            take(lambda m, share=share: welded(m, share * size, r))  # type: ignore[misc]
    if len(mesh.open_edges()) > MANY:  # mostly loose facets: no edge is worth splitting
        share = filled(mesh, r).share
        if share > MOST_IN_LIDS:
            return _missing(share)
    if len(mesh.open_edges()):
        take(lambda m: split(m, ON_EDGE[level] * size, r))
    if not len(mesh.faces):
        return Irreparable("no facet is left")
    if len(mesh.open_edges()):
        found = filled(mesh, r)
        unsure = found.share - (found.flat if level == "full" else found.in_plane)
        if unsure > MOST_MISSING or found.share > max(MOST_MISSING, MOST_IN_LIDS):
            return _missing(found.share)
        mesh = found.mesh
        steps.extend(found.steps)
    return Repaired(mesh, _merged(steps), r)


def _missing(share: float) -> Irreparable:
    return Irreparable(f"{percent(share)} of the surface is missing, more than {percent(MOST_MISSING)}")


def _merged(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Steps that say the same of other facets, as one."""
    merged: dict[str, Step] = {}
    for s in steps:
        key = s.step
        if key in merged and s.step == "flip":
            m = merged[key]
            n = m.count + s.count
            merged[key] = Step("flip", n, m.where, m.bound + s.bound, f"turned {n} facets round")
        else:
            merged[f"{key} {len(merged)}" if key in merged else key] = s
    return tuple(merged.values())

"""The space that the solids of a link fill together: a body cannot have its space twice.

Tests: `tests/filling/test_fill.py`, `tests/diagnosis/test_same_geometry.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from massprops.errors import InvalidGeometry, Remedy, result_or_error
from massprops.measurement.checks import too_uncertain
from massprops.measurement.links import LinkSolids, PlacedSolid, join
from massprops.mesh.box_tree import overlapping_pairs
from massprops.mesh.components import label_facets
from massprops.mesh.repair.solid_union import LINES, ExactUnion, estimate_union, exact_union
from massprops.mesh.source import Triangles, slices
from massprops.mesh.surface import Surface
from massprops.moments.arrays import sum_of
from massprops.moments.integrals import Moments

Overlap = Literal["union", "sum"]
#: Lines per side with which an exact union has to agree first; all `LINES` only where it does not.
_LINES_OF_CHECK = 64


@dataclass(frozen=True, eq=False)
class UnitedSolids:
    """The solids of a link as one.

    Attributes
    ----------
    parts : tuple of PlacedSolid
        The solids, copies in the same place once.
    moments : Moments
        Of the space that they fill, in the frame of the link, m³ …
    name : str
        For people: that of its file or shape, or ``3 visual solids``.
    off : float
        By how much the volume can be off, m³.
    method : {"", "summed", "united"}
        How they were put together; empty of one.
    is_exact : bool
        Whether the union is no estimate.
    """

    parts: tuple[PlacedSolid, ...]
    moments: Moments
    name: str
    off: float = 0.0
    method: Literal["", "summed", "united"] = ""
    is_exact: bool = True


def unite(solids: LinkSolids, parts: Sequence[PlacedSolid], which: str, overlap: Overlap = "union") -> UnitedSolids:
    """The solids of one kind of a link together, summed where they do not overlap or that is asked for.

    Raises
    ------
    InvalidGeometry
        If they have too many facets, or the ± of their volume exceeds the limit.
    """
    name = parts[0].name if len(parts) == 1 else f"{len(parts)} {which} solids"
    found = _together(solids, parts, name, overlap)
    if found.off > solids.limit * found.moments.measure:
        said = too_uncertain(f"the volume of {name}", found.off / found.moments.measure, solids.limit)
        raise InvalidGeometry(said.message, code=said.code, hint=Remedy("", see="max_uncertainty"), findings=[said])
    return found


def _together(solids: LinkSolids, parts: Sequence[PlacedSolid], name: str, overlap: Overlap) -> UnitedSolids:
    if overlap == "union":  # copies in the same place are one
        parts = [*{(p.key, p.linear.tobytes(), p.geometry.pose.translation.tobytes()): p for p in parts}.values()]
    summed, own = sum_of(p.moments for p in parts), sum(map(_uncertainty, parts))
    if len(parts) == 1 or overlap == "sum" or not any(overlapping_pairs([p.bounds for p in parts])):
        return UnitedSolids(tuple(parts), summed.recentred(), name, own, "" if len(parts) == 1 else "summed")
    united, off, is_exact = _union(solids, parts, summed)
    return UnitedSolids(tuple(parts), united.recentred(), name, own + off, "united", is_exact)


def _uncertainty(part: PlacedSolid) -> float:
    if part.mesh is None or part.mesh[1].uncertainty is None:
        return 0.0
    return (part.mesh[1].uncertainty.volume or 0.0) * part.moments.measure / part.mesh[1].moments.measure


def _union(solids: LinkSolids, parts: Sequence[PlacedSolid], summed: Moments) -> tuple[Moments, float, bool]:
    """The union: the exact sum less what the triangles count more than once; its bound; whether it is exact."""
    triangles = join((p.key if p.mesh else None, solids.triangles(p)) for p in parts)
    mesh = Triangles("link", len(triangles), partial(slices, triangles))
    surface = Surface.of(triangles, triangles[0, 0])
    tessellated = surface.solid
    missing = abs(tessellated.measure - summed.measure)  # of round primitives, by their facets
    labels = label_facets(mesh)
    ones = np.ones(int(labels.max()) + 1, dtype=np.int8)
    exact = result_or_error(exact_union, mesh, labels, ones, tessellated.reference)
    each = np.ones(len(triangles), dtype=np.int8)
    for lines in (_LINES_OF_CHECK, LINES) if isinstance(exact, ExactUnion) else (LINES,):
        estimate, spread = estimate_union(mesh, surface, tessellated, each, lines)
        if isinstance(exact, ExactUnion):
            apart = abs(exact.moments.measure - estimate.measure)
            if apart <= spread.volume + exact.spread.volume:
                return summed + (exact.moments - tessellated), exact.spread.volume + missing, True
    return summed + (estimate - tessellated), spread.volume + missing, False

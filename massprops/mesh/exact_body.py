"""Solids with exact surfaces, measured once the triangles near those are verified.

Tests: `tests/formats/mesh/test_step.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.mesh.enclosed_solid import EnclosedSolid, MeshSurface
from massprops.mesh.exact_solid import FURTHER, ExactSolid
from massprops.mesh.policies import Policies
from massprops.mesh.surface import Surface
from massprops.mesh.winding_policy import resolve_winding
from massprops.wording import percent


def exact_body(solid: ExactSolid, body: EnclosedSolid, triangles: Surface, name: str) -> EnclosedSolid:
    """The body that was found from the triangles, with the integrals of the exact solid.

    Raises
    ------
    InvalidGeometry
        If the two are further apart than the triangles are from the surfaces.
    """
    apart = solid.apart(solid.moments, triangles.sheet)
    own, other = solid.moments.recentred(), body.moments.recentred()
    off = (abs(own.measure - other.measure), np.abs(own.reference - other.reference), np.abs(own.second - other.second))
    if not (off[0] <= apart.volume and (off[1] <= apart.center).all() and (off[2] <= apart.second).all()):
        share = off[0] / abs(own.measure)
        message = (
            f"the integrals over its exact surfaces and over triangles near them differ: {percent(share)} of the volume"
        )
        hint = "the surfaces of the file are damaged, or cross each other; mend and export it again"
        finding = Finding("integrals-disagree", "error", message, value=share)
        raise InvalidGeometry(message, code=finding.code, hint=hint, findings=[finding], place=name)
    # no two triangles meet: strong evidence for the surfaces near them, and no proof
    grade = "certified" if body.grade == "proved" else body.grade
    return replace(body, grade=grade, moments=solid.moments, area=solid.area, sources={**solid.sources, **body.sources})


def without_overlaps(solid: ExactSolid, surface: MeshSurface, lines: int) -> EnclosedSolid:
    """The triangles of several solids as one body, by lines: where surfaces touch, their triangles cross.

    Raises
    ------
    InvalidGeometry
        If two solids are in the same place, by more than triangles that touch can be.
    """
    found = resolve_winding(surface, Policies(lines=lines, on_inverted="flip"), 2 * FURTHER * solid.deviation)
    # the ± stays that of the exact solids
    return replace(found or surface.solid("certified"), sources={})

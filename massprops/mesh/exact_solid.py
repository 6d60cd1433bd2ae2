"""A solid whose integrals are known from its exact surfaces, beside triangles near them that are verified in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.mesh.enclosed_solid import Body
from massprops.mesh.repair.overlaps import Wishes, examine
from massprops.mesh.source import MeshSource
from massprops.mesh.surface import Surface
from massprops.moments.arrays import Array, sum_of
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, displacement
from massprops.values import dataclass
from massprops.wording import percent

#: Triangles are up to so many times further from the surfaces than their program was asked for: it looks at a few points of each.
_FURTHER = 4.0


@dataclass(frozen=True, eq=False)
class ExactSolid:
    """Integrals over the exact solid, in the units and axes of the file.

    Attributes
    ----------
    moments : Moments
        Of the solid.
    area : float
        Of its surface.
    bounds : ndarray, shape (2, 3)
        Smallest and largest coordinates.
    sources : dict of str to Spread
        How far the integrals can be off, by source.
    deviation : float
        How far the triangles may be from the surfaces, as asked for.
    problem : str
        Why the solid is invalid, or nothing.
    """

    moments: Moments
    area: float
    bounds: Array
    sources: dict[str, Spread]
    deviation: float
    problem: str = ""

    @classmethod
    def together(cls, parts: Sequence[ExactSolid]) -> ExactSolid:
        """Several solids as one; the first that is invalid stands for all."""
        for part in parts:
            if part.problem:
                return part
        moments = sum_of(p.moments for p in parts).recentred()
        sources = {name: sum_of(p.sources[name].within(p.moments, moments) for p in parts) for name in parts[0].sources}
        bounds = np.array([p.bounds for p in parts])
        return cls(
            moments,
            sum(p.area for p in parts),
            np.array([bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)]),
            sources,
            max(p.deviation for p in parts),
        )

    def replacing(self, body: Body, triangles: Surface, name: str) -> Body:
        """The body that was found from the triangles, with the integrals of the exact solid.

        Raises
        ------
        InvalidGeometry
            If the two are further apart than the triangles are from the surfaces.
        """
        apart = self.apart(self.moments, triangles.sheet)
        own, other = self.moments.recentred(), body.moments.recentred()
        off = (
            abs(own.measure - other.measure),
            np.abs(own.reference - other.reference),
            np.abs(own.second - other.second),
        )
        if not (off[0] <= apart.volume and (off[1] <= apart.center).all() and (off[2] <= apart.second).all()):
            share = off[0] / abs(own.measure)
            message = f"the integrals over its exact surfaces and over triangles near them differ: {percent(share)} of the volume"
            hint = "the surfaces of the file are damaged, or cross each other; mend and export it again"
            finding = Finding("integrals-disagree", "error", message, value=share)
            raise InvalidGeometry(f"{name}: {message}", code=finding.code, hint=hint, findings=[finding])
        # no two triangles meet: strong evidence for the surfaces near them, and no proof
        grade = "certified" if body.grade == "proved" else body.grade
        return replace(
            body, grade=grade, moments=self.moments, area=self.area, sources={**self.sources, **body.sources}
        )

    def without_overlaps(self, mesh: MeshSource, surface: Surface, scale: float, lines: int) -> Body:
        """The triangles of several solids as one body, by lines: where surfaces touch, their triangles cross.

        Raises
        ------
        InvalidGeometry
            If two solids are in the same place, by more than triangles that touch can be.
        """
        deepest = 2 * _FURTHER * self.deviation
        found = examine(mesh, surface, scale, deepest, Wishes(lines, "error", "ask", flip=True))
        if found is None:
            return Body("exact", "certified", surface.solid, mesh=mesh)
        return Body("exact", found.grade, found.solid, found.findings)

    def apart(self, solid: Moments, sheet: Moments) -> Spread:
        """What lies at most between the triangles and the exact surfaces; `sheet` is that of the triangles."""
        return displacement(solid, sheet, _FURTHER * self.deviation)

    def check(self, name: str) -> None:
        """Raise InvalidGeometry if the solid is invalid."""
        if self.problem:
            finding = Finding("invalid-solid", "error", self.problem)
            hint = "mend the solid in the CAD program, and export it again"
            raise InvalidGeometry(
                f"{name}: invalid-solid: {self.problem}", code=finding.code, hint=hint, findings=[finding]
            )

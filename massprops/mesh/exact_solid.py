"""A solid whose integrals are known from its exact surfaces, beside triangles near them that are verified in their place.

Tests: `tests/formats/mesh/test_step.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.moments.arrays import Array, sum_of
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, displacement
from massprops.values import dataclass

#: Triangles are up to this many times further from the surfaces than their program was asked for: it looks at a few points of each.
FURTHER = 4.0


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
    area_error : float
        How far the area can be off.
    is_sealed : bool
        Whether its edges are shared by two faces each, and its vector area is 0 within the gaps.
    sheet : Moments or None
        Of its surface as a sheet; None of an invalid one.
    sheet_error : Spread or None
        How far these can be off.
    """

    moments: Moments
    area: float
    bounds: Array
    sources: dict[str, Spread]
    deviation: float
    problem: str = ""
    area_error: float = 0.0
    is_sealed: bool = False
    sheet: Moments | None = None
    sheet_error: Spread | None = None

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
            area_error=sum(p.area_error for p in parts),
            is_sealed=all(p.is_sealed for p in parts),
            **cls._sheets(parts),
        )

    @staticmethod
    def _sheets(parts: Sequence[ExactSolid]) -> dict[str, Any]:
        """The surfaces of several solids as one sheet, with its error."""
        each = [(p.sheet, p.sheet_error) for p in parts if p.sheet is not None and p.sheet_error is not None]
        if len(each) < len(parts):
            return {}
        whole = sum_of(sheet for sheet, _ in each).recentred()
        return {"sheet": whole, "sheet_error": sum_of(off.within(sheet, whole) for sheet, off in each)}

    def apart(self, solid: Moments, sheet: Moments) -> Spread:
        """Bounds of the difference between the triangles and the exact surfaces; `sheet`: the integrals over the triangles."""
        return displacement(solid, sheet, FURTHER * self.deviation)

    def check(self, name: str) -> None:
        """Raise InvalidGeometry if the solid is invalid."""
        if self.problem:
            finding = Finding("invalid-solid", "error", self.problem)
            hint = "mend the solid in the CAD program, and export it again"
            message = f"invalid-solid: {self.problem}"
            raise InvalidGeometry(message, code=finding.code, hint=hint, findings=[finding], place=name)

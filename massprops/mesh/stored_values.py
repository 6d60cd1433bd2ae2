"""Volumes, areas and centres that a file states of its bodies, beside those that are measured: validation properties.

Tests: `tests/formats/mesh/test_step_validation.py`.
"""

from __future__ import annotations

import math

import numpy as np

from massprops.findings import Finding
from massprops.json_values import json_object
from massprops.mesh.exact_solid import ExactSolid
from massprops.moments.arrays import Array, product, sum_of
from massprops.values import dataclass

#: Quantities: code of the finding, words, dimension in lengths.
STORED = {
    "volume": ("gvp-volume", "volume", 3),
    "area": ("gvp-area", "surface area", 2),
    "center_of_mass": ("gvp-centroid", "centre", 1),
}


@dataclass(frozen=True)
class StoredValue:
    """A volume, area or centre as a file states it, and as measured; SI units, in the frame that the file states it in.

    Attributes
    ----------
    of : str
        The body: ``part bolt``, ``usage bolt_3 in dm1``, ``solid 2 of frame``.
    quantity : {"volume", "area", "center_of_mass"}
    stored : tuple of float
        One number, or three.
    ours, error : tuple of float or None
        The measured value and its ±; None where the body of the file could not be identified or measured.
    explained : tuple of float or None
        Differences that the ±, the digits of the stored value and the accuracy that the file states explain.
    """

    of: str
    quantity: str
    stored: tuple[float, ...]
    ours: tuple[float, ...] | None = None
    error: tuple[float, ...] | None = None
    explained: tuple[float, ...] | None = None

    @property
    def verdict(self) -> str:
        """``agrees``, ``differs`` or ``not compared``."""
        if self.ours is None or self.explained is None:
            return "not compared"
        pairs = zip(self.stored, self.ours, self.explained, strict=True)
        return "agrees" if all(abs(a - b) <= most for a, b, most in pairs) else "differs"

    def beside(self, solid: ExactSolid, pose: Array, unit: float, rounding: float, accuracy: float) -> StoredValue:
        """The value with that of a solid, which is in a frame with the `pose` in which it was measured, and in `unit`, m.

        `rounding` is half a unit of the last digit of the stored numbers; `accuracy` is how far the file states that surfaces may be
        off, m. Surfaces moved by it change the volume V by it times the area A, and the area of a convex body by at most
        2 ∫H dA ≤ 2 A² / (3 V) times it (Minkowski).
        """
        volume, area = abs(solid.moments.measure) * unit**3, solid.area * unit**2
        spread = sum_of(solid.sources.values())
        if self.quantity == "center_of_mass":
            back = pose[:3, :3].T
            ours = product(back, solid.moments.centroid - pose[:3, 3]) * unit
            error = product(np.abs(back), spread.center) * unit
            change = area / volume * float(np.linalg.norm(np.ptp(solid.bounds, axis=0))) * unit
        elif self.quantity == "area":
            ours, error, change = np.array([area]), np.array([solid.area_error * unit**2]), area**2 / volume
        else:
            ours, error, change = np.array([volume]), np.array([spread.volume * unit**3]), area
        most = error + rounding + accuracy * change
        numbers = (tuple(map(float, values)) for values in (ours, error, most))
        return StoredValue(self.of, self.quantity, self.stored, *numbers)

    def finding(self) -> Finding | None:
        """Difference that nothing explains."""
        if self.verdict != "differs" or self.ours is None or self.error is None or self.explained is None:
            return None
        code, words, power = STORED[self.quantity]
        unit = "\xa0m" + {1: "", 2: "²", 3: "³"}[power]

        def text(values: tuple[float, ...]) -> str:
            least = 1e-12 * max(map(abs, values))
            numbers = ", ".join(f"{x if abs(x) > least else 0:.9g}" for x in values)
            return (f"({numbers})" if len(values) > 1 else numbers) + unit

        apart, most = math.dist(self.stored, self.ours), math.hypot(*self.explained)
        message = (
            f"the file states the {words} {text(self.stored)} for {self.of}; its surfaces give {text(self.ours)} ± "
            f"{max(self.error):.2g}{unit}: {apart:.2g}{unit} apart, and at most {most:.2g}{unit} are explained"
        )
        return Finding(code, "error", message, value=apart, limit=most)

    def to_dict(self) -> dict[str, object]:
        """The value as the JSON schema spells it."""
        return json_object(self, "of quantity stored ours error explained verdict")

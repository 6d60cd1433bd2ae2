"""What is printed of a plane section."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from massprops.report.quantities import Quantity, named
from massprops.section.properties import AreaMoments, Section


def section_quantities(section: Section, about: ArrayLike | str | None) -> Iterator[Quantity]:
    """Area, centroid, second moments about the centroid, the origin and the point `about`, and what follows from them."""
    point = None if about is None or isinstance(about, str) else [float(x) for x in np.asarray(about)[:2]]
    off = section.errors(point) or {}
    yield Quantity("Area", "m²", [[("", section.area)]], _off(off.get("area")))
    if section.moments.measure != section.area:
        yield Quantity("Weighted area", "m²", [[("", section.moments.measure)]], _off(off.get("weighted_area")))
    yield Quantity("Perimeter", "m", [[("", section.perimeter)]], _off(off.get("perimeter")))
    yield Quantity("Centroid", "m", [named("xy", section.centroid)], _off(off.get("centroid")))
    yield Quantity("Outline, min", "m", [named("xy", section.bounds[0])])
    yield Quantity("Outline, max", "m", [named("xy", section.bounds[1])])
    yield _moments("I about centroid", section.about_centroid, off.get("about_centroid"))
    yield _moments("I about origin", section.about([0.0, 0.0]), off.get("about_origin"))
    if point is not None:
        yield _moments(f"I about ({point[0]:.6g}, {point[1]:.6g})", section.about(point), off.get("about"))
    yield Quantity("Polar moment", "m⁴", [[("", section.polar)]], _off(off.get("polar")))
    principal = off.get("principal_moments")
    yield Quantity("Principal I", "m⁴", [named(("I1", "I2"), section.principal_moments)], _off(principal, principal))
    yield Quantity("Angle of axis 1", "rad", [[("", section.principal_angle)]])
    yield Quantity(
        "Section radii", "m", [named(("rx", "ry"), section.radii_of_gyration)], _off(off.get("radii_of_gyration"))
    )
    w, by = section.moduli, off.get("moduli", {})
    for label, one, other in (
        ("Modulus, top, bottom", "x_plus", "x_minus"),
        ("Modulus, right, left", "y_plus", "y_minus"),
    ):
        names = (f"{one[0]}+", f"{other[0]}-")
        yield Quantity(label, "m³", [named(names, (w[one], w[other]))], _off(by.get(one), by.get(other)))


def _moments(label: str, i: AreaMoments, off: dict[str, float] | None) -> Quantity:
    row = [("Ixx", i.Ixx), ("Iyy", i.Iyy), ("Ixy", i.Ixy)]
    return Quantity(label, "m⁴", [row], None if off is None else _off(*off.values()))


def _off(*bounds: float | list[float] | None) -> list[tuple[float, float]] | None:
    """Bounds as what is missing at most, on either side; None if one of the numbers has none."""
    values = [x for bound in bounds for x in (bound if isinstance(bound, list) else [bound])]
    return None if None in values else [(-x, x) for x in values if x is not None]

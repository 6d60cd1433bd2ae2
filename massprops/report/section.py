"""What is printed of a plane section."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from massprops.report.quantities import Quantity, named
from massprops.section.properties import AreaMoments, Section


def section_quantities(section: Section, about: ArrayLike | str | None) -> Iterator[Quantity]:
    """Area, centroid, second moments about the centroid, the origin and the point `about`, and what follows from them."""
    yield Quantity("Area", "m²", [[("", section.area)]])
    if section.moments.measure != section.area:
        yield Quantity("Weighted area", "m²", [[("", section.moments.measure)]])
    yield Quantity("Perimeter", "m", [[("", section.perimeter)]])
    yield Quantity("Centroid", "m", [named("xy", section.centroid)])
    yield Quantity("Outline, min", "m", [named("xy", section.bounds[0])])
    yield Quantity("Outline, max", "m", [named("xy", section.bounds[1])])
    yield _moments("I about centroid", section.about_centroid)
    yield _moments("I about origin", section.about([0.0, 0.0]))
    if about is not None and not isinstance(about, str):
        point = np.asarray(about, dtype=np.float64)[:2]
        yield _moments(f"I about ({point[0]:.6g}, {point[1]:.6g})", section.about(point))
    yield Quantity("Polar moment", "m⁴", [[("", section.polar)]])
    yield Quantity("Principal I", "m⁴", [named(("I1", "I2"), section.principal_moments)])
    yield Quantity("Angle of axis 1", "rad", [[("", section.principal_angle)]])
    yield Quantity("Section radii", "m", [named(("rx", "ry"), section.radii_of_gyration)])
    w = section.moduli
    yield Quantity("Modulus, top, bottom", "m³", [[("x+", w["x_plus"]), ("x-", w["x_minus"])]])
    yield Quantity("Modulus, right, left", "m³", [[("y+", w["y_plus"]), ("y-", w["y_minus"])]])


def _moments(label: str, i: AreaMoments) -> Quantity:
    return Quantity(label, "m⁴", [[("Ixx", i.Ixx), ("Iyy", i.Iyy), ("Ixy", i.Ixy)]])

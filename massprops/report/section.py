"""What is printed of a plane section."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from massprops.measurement.output_units import OutputUnits
from massprops.measurement.short_table import Quantity
from massprops.report.quantities import in_words
from massprops.section.properties import AreaMoments, Section


def section_quantities(
    section: Section, about: ArrayLike | str | None, units: OutputUnits, *, verbose: bool
) -> Iterator[Quantity]:
    """Area, centroid, second moments about the centroid and the point `about`, and what follows; `verbose`: about the origin, radii."""
    point = None if about is None or isinstance(about, str) else [float(x) for x in np.asarray(about)[:2]]
    off, size = section.errors(point) or {}, float((section.bounds[1] - section.bounds[0]).max())
    yield Quantity("Area", (0, 2), [section.area], _off(off.get("area")))
    if section.moments.measure != section.area:
        yield Quantity("Weighted area", (0, 2), [section.moments.measure], _off(off.get("weighted_area")))
    yield Quantity("Perimeter", (0, 1), [section.perimeter], _off(off.get("perimeter")))
    yield Quantity("Centroid", (0, 1), section.centroid.tolist(), _off(off.get("centroid")), scale=size)
    yield Quantity("Size", (0, 1), (section.bounds[1] - section.bounds[0]).tolist())
    yield _moments("the centroid", section.about_centroid, off.get("about_centroid"))
    if verbose or about == "origin":
        yield _moments("the origin", section.about([0.0, 0.0]), off.get("about_origin"))
    if point is not None:
        yield _moments(in_words(point, units), section.about(point), off.get("about"))
    yield Quantity("Polar moment", (0, 4), [section.polar], _off(off.get("polar")))
    moments, bound = section.principal_moments.tolist(), off.get("principal_moments")
    yield Quantity("Principal I", (0, 4), moments, _off(bound, bound), names=("I1", "I2"))
    angle = [units.of_angle(section.principal_angle)]
    yield Quantity(f"Angle of axis 1 [{units.angle}]", (0, 0), angle)
    w, by = section.moduli, off.get("moduli", {})
    for axis, sides in (("x", "top, bottom"), ("y", "right, left")):
        both = (f"{axis}_plus", f"{axis}_minus")
        names = (f"W{axis}+", f"W{axis}-")
        yield Quantity(f"W {sides}", (0, 3), [w[k] for k in both], _off(*(by.get(k) for k in both)), names=names)
    if verbose:
        radii = section.radii_of_gyration.tolist()
        yield Quantity("Radii of gyration", (0, 1), radii, _off(off.get("radii_of_gyration")), names=("rx", "ry"))
        for end, corner in zip(("min", "max"), section.bounds.tolist(), strict=True):
            yield Quantity(f"Bounds, {end}", (0, 1), corner)


def _moments(place: str, i: AreaMoments, off: dict[str, float] | None) -> Quantity:
    bounds = None if off is None else _off(*off.values())
    title = f"Second moments about {place}: ∫y², ∫x², +∫xy"
    return Quantity(title, (0, 4), [i.Ixx, i.Iyy, i.Ixy], bounds, names=("Ixx", "Iyy", "Ixy"))


def _off(*bounds: float | list[float] | None) -> list[float] | None:
    """Bounds of the numbers of a quantity; None if one of them has none."""
    values = [x for bound in bounds for x in (bound if isinstance(bound, list) else [bound])]
    return [x for x in values if x is not None] if None not in values else None

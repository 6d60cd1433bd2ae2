"""The section of a beam or plate: area, centroid, second moments of area, and what engineers derive from them.

Ixx = ∫y², Iyy = ∫x², Ixy = +∫xy, as structural engineers write them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.moments.arrays import ByValue, length, symmetric_eigen
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Spread
from massprops.values import dataclass

#: Principal moments closer than this, relative to the larger, are equal: their axes are arbitrary.
EQUAL_MOMENTS_TOLERANCE = 1e-9


@dataclass(frozen=True)
class AreaMoments:
    """Second moments of area about axes through one point, parallel to x and y: ∫y², ∫x², +∫xy."""

    Ixx: float
    Iyy: float
    Ixy: float

    @classmethod
    def of(cls, second: Array) -> Self:
        """From ∫ x xᵀ about the point, shape (2, 2)."""
        return cls(float(second[1, 1]), float(second[0, 0]), float(second[0, 1]))

    def to_dict(self) -> dict[str, object]:
        """As the JSON schema spells it."""
        return {"Ixx": self.Ixx, "Iyy": self.Iyy, "Ixy": self.Ixy}


@dataclass(frozen=True, eq=False)
class Section(ByValue):
    """A plane section, in metres.

    Attributes
    ----------
    moments : Moments
        ∫ 1, x, x xᵀ, d = 2; of a composite section weighted with the ratios of its parts.
    area : float
        m², not weighted.
    perimeter : float
        Length of all its outlines, those of holes included, m.
    bounds : ndarray, shape (2, 2)
        Smallest and largest coordinates, m.
    rounding : float
        What the rounding of the sums can have changed the weighted area by, m²; the other moments by as much times their arms.
    error : Spread or None
        Bounds on the errors of area, centroid and central second moments, all sources together.
    area_error : float
        A bound on the error of the area that is not weighted, m².
    perimeter_error : float or None
        A bound on the error of the perimeter, m: the rounding of straight edges; None where curves are integrated.
    """

    moments: Moments
    area: float
    perimeter: float
    bounds: Array
    rounding: float = 0.0
    error: Spread | None = None
    area_error: float = 0.0
    perimeter_error: float | None = None

    def __repr__(self) -> str:
        """One line."""
        (x, y), i = self.centroid.tolist(), self.about_centroid
        second = f"Ixx {i.Ixx:.6g}, Iyy {i.Iyy:.6g}, Ixy {i.Ixy:.6g} m⁴"
        return f"<Section: area {self.area:.6g} m², centroid ({x:.6g}, {y:.6g}) m, {second}>"

    @property
    def centroid(self) -> Array:
        """Shape (2,), m; of a composite section the elastic centre."""
        return self.moments.centroid

    @property
    def about_centroid(self) -> AreaMoments:
        """About axes through the centroid, m⁴."""
        return AreaMoments.of(self.moments.central_second())

    def about(self, point: ArrayLike) -> AreaMoments:
        """About axes through `point`, shape (2,), m⁴.

        Raises
        ------
        InvalidInput
            If it is not two finite numbers.
        """
        arm = self._arm(point)
        return AreaMoments.of(self.moments.central_second() + self.moments.measure * np.outer(arm, arm))

    def first_moments(self, point: ArrayLike = (0.0, 0.0)) -> tuple[float, float]:
        """Qx = ∫y and Qy = ∫x about axes through `point`, shape (2,), by default the origin; m³. InvalidInput as for `about`."""
        x, y = (self.moments.measure * self._arm(point)).tolist()
        return y, x

    def polar_about(self, point: ArrayLike = (0.0, 0.0)) -> float:
        """Ixx + Iyy about `point`, shape (2,), by default the origin; m⁴. InvalidInput as for `about`."""
        moments = self.about(point)
        return moments.Ixx + moments.Iyy

    def _arm(self, point: ArrayLike) -> Array:
        p = np.asarray(point, dtype=np.float64)
        if p.shape != (2,) or not np.isfinite(p).all():
            raise InvalidInput(f"a point in the plane has two finite coordinates, got {point!r}")
        return self.centroid - p

    @property
    def polar(self) -> float:
        """Ixx + Iyy about the centroid, m⁴. Not the torsion constant, except for round sections."""
        return float(np.trace(self.moments.central_second()))

    @property
    def principal_moments(self) -> Array:
        """Smallest and largest second moment about an axis through the centroid, shape (2,), m⁴, ascending."""
        return self._principal()[0]

    @property
    def principal_angle(self) -> float:
        """From the x axis counter-clockwise to the axis of the smallest moment, radians, above −π/2 and up to π/2; 0 if both are equal."""
        return self._principal()[1]

    @property
    def radii_of_gyration(self) -> Array:
        """√(Ixx/A) and √(Iyy/A) about the centroid, shape (2,), m."""
        i = self.about_centroid
        return np.sqrt(np.array([i.Ixx, i.Iyy]) / self.moments.measure)

    @property
    def moduli(self) -> dict[str, float]:
        """Elastic section moduli I / c, m³: for bending about x to the upper and lower edge, about y to the right and left one."""
        return {name: i / c for name, i, c in self._edges()}

    def _edges(self) -> list[tuple[str, float, float]]:
        """Of each modulus its name, the second moment, and the distance of the edge from the axis."""
        i, arm = self.about_centroid, self.moments.first / self.moments.measure
        low, high = self.bounds - self.moments.reference  # not less the centroid: far away it is rounded
        up, down = high - arm, arm - low
        sides = (("plus", up), ("minus", down))
        axes = (("x", i.Ixx, 1), ("y", i.Iyy, 0))
        return [(f"{axis}_{side}", moment, float(c[k])) for axis, moment, k in axes for side, c in sides]

    def weighted(self, ratio: float) -> Section:
        """The part of a composite section whose modulus (or density) is `ratio` times that of reference."""
        return replace(self, moments=self.moments.times(ratio), rounding=self.rounding * ratio)

    def scaled(self, factor: float) -> Section:
        """In coordinates multiplied by `factor`, as in a change of the length unit."""
        area, rounding = self.area * factor**2, self.rounding * factor**2
        length, off = self.perimeter * factor, None if self.perimeter_error is None else self.perimeter_error * factor
        bounds = self.bounds * factor
        return Section(self.moments.scaled(factor), area, length, bounds, rounding, perimeter_error=off)

    def __add__(self, other: Section) -> Section:
        """Both parts as one section; outlines are not merged."""
        if not isinstance(other, Section):
            return NotImplemented
        offs = (self.perimeter_error, other.perimeter_error)
        bounds = np.array([np.minimum(self.bounds[0], other.bounds[0]), np.maximum(self.bounds[1], other.bounds[1])])
        return Section(
            self.moments + other.moments,
            self.area + other.area,
            self.perimeter + other.perimeter,
            bounds,
            self.rounding + other.rounding,
            perimeter_error=None if None in offs else sum(off for off in offs if off is not None),
        )

    def __radd__(self, other: object) -> Section:
        """Makes `sum` work, which begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def extruded(self, thickness: float, *, centered: bool = False) -> Moments:
        """Moments in space of the solid between z = 0 and `thickness` (`centered`: −thickness/2 to thickness/2).

        About its middle plane the products with z vanish and ∫z² = A t³ / 12.
        """
        m = self.moments
        middle = 0.0 if centered else thickness / 2
        solid = _in_plane(m, middle)
        second = thickness * solid.second
        second[2, 2] = m.measure * thickness**3 / 12
        return Moments(thickness * m.measure, thickness * solid.first, second, solid.reference)

    def lamina(self) -> Moments:
        """Moments in space of the section as a sheet without thickness in the plane z = 0: those of a body of rank two."""
        return _in_plane(self.moments, 0.0)

    def to_dict(self, about: ArrayLike | None = None) -> dict[str, object]:
        """The section as the JSON schema spells it; `about` a point of the plane, shape (2,)."""
        point = None if about is None else [float(x) for x in np.asarray(about, dtype=np.float64)]
        return {
            "area": self.area,
            "weighted_area": self.moments.measure,
            "perimeter": self.perimeter,
            "centroid": self.centroid.tolist(),
            "about_centroid": self.about_centroid.to_dict(),
            "about_origin": self.about([0.0, 0.0]).to_dict(),
            "about": None if point is None else {"point": point, **self.about(point).to_dict()},
            "first_moments": dict(zip(("Qx", "Qy"), self.first_moments(), strict=True)),
            "polar": self.polar,
            "polar_about_origin": self.polar_about(),
            "principal": {"moments": self.principal_moments.tolist(), "angle": self.principal_angle},
            "radii_of_gyration": self.radii_of_gyration.tolist(),
            "moduli": self.moduli,
            "uncertainty": self.errors(point),
        }

    def errors(self, point: Sequence[float] | None = None) -> dict[str, Any] | None:
        """How far each number of `to_dict` can be off: bounds of what follows from area, centroid and central second moments."""
        e = self.error
        if e is None:
            return None
        m, center, second = self.moments, e.center[:2], e.second[:2, :2]
        i, off = self.about_centroid, AreaMoments.of(second)

        def about(p: ArrayLike) -> AreaMoments:  # A c cᵀ, the area and the arm each off
            arm, area = np.abs(self.centroid - np.asarray(p)), m.measure + e.volume
            cross = np.outer(arm, center)
            shift = area * (cross + cross.T + np.outer(center, center)) + e.volume * np.outer(arm, arm)
            return AreaMoments.of(second + shift)

        def radius(moment: float, error: float) -> float | None:
            least = m.measure - e.volume
            return math.sqrt((moment + error) / least) - math.sqrt(moment / m.measure) if least > 0 else None

        def modulus(axis: str, moment: float, distance: float) -> float | None:
            error, shift = (off.Ixx, center[1]) if axis == "x" else (off.Iyy, center[0])
            return float((moment + error) / (distance - shift) - moment / distance) if shift < distance else None

        away = about([0.0, 0.0])
        q = m.measure * center + e.volume * (np.abs(self.centroid) + center)
        return {
            "area": self.area_error,
            "weighted_area": e.volume,
            "perimeter": self.perimeter_error,
            "centroid": center.tolist(),
            "about_centroid": off.to_dict(),
            "about_origin": away.to_dict(),
            "about": None if point is None else about(point).to_dict(),
            "first_moments": {"Qx": float(q[1]), "Qy": float(q[0])},
            "polar_about_origin": away.Ixx + away.Iyy,
            "polar": off.Ixx + off.Iyy,
            "principal_moments": length(second),  # Weyl: at most the norm of the difference
            "radii_of_gyration": [radius(i.Ixx, off.Ixx), radius(i.Iyy, off.Iyy)],
            "moduli": {name: modulus(name[0], moment, distance) for name, moment, distance in self._edges()},
        }

    def _principal(self) -> tuple[Array, float]:
        # the moment about an axis is ∫ (distance from it)²: smallest about the direction in which ∫ x xᵀ is largest
        values, columns = symmetric_eigen(self.moments.central_second())
        values = np.maximum(values, 0.0)  # of a thin strip the smaller one may be lost in the rounding of the larger
        if values[1] - values[0] <= EQUAL_MOMENTS_TOLERANCE * values[1]:
            return values, 0.0
        x, y = columns[:, 1]
        angle = math.atan(y / x) if x else math.pi / 2
        return values, angle


def _in_plane(m: Moments, z: float) -> Moments:
    second = np.zeros((3, 3))
    second[:2, :2] = m.second
    return Moments(m.measure, np.append(m.first, 0.0), second, np.append(m.reference, z))

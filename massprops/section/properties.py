"""The section of a beam or plate: area, centroid, second moments of area, and what engineers derive from them.

Ixx = ∫y², Iyy = ∫x², Ixy = +∫xy, as structural engineers write them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.json_values import json_object
from massprops.moments.arrays import ByValue, length, product, symmetric_eigen
from massprops.moments.exact import ExactMoments
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Spread, U
from massprops.section.curves.base import box
from massprops.section.plastic import HalfPlaneIntegrals, PlacedOutline, Region
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
        """Moments from ∫ x xᵀ about the point, shape (2, 2)."""
        return cls(float(second[1, 1]), float(second[0, 0]), float(second[0, 1]))

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        return json_object(self, "Ixx Iyy Ixy")


#: The axes of bending: x, y, and the principal axes, all through the centroid.
AXES = ("x", "y", "1", "2")


@dataclass(frozen=True)
class Plastic:
    """Plastic bending of a section of one material, by axis: about x, y and the principal axes 1 and 2.

    Attributes
    ----------
    modulus : mapping of str to float
        First moments of both halves about the plastic neutral axis, which halves the area, added; m³.
    neutral_axes : mapping of str to float
        ``x``: the y of the axis parallel to x; ``y``: the x of the axis parallel to y; ``1`` and ``2``: the distance from the centroid,
        positive on the left of axis 1 and on the side that axis 1 points to; m.
    shape_factors : mapping of str to float
        Plastic over the smaller elastic modulus; None where rounding may be all of that.
    """

    modulus: dict[str, float]
    neutral_axes: dict[str, float]
    shape_factors: dict[str, float | None]

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        return json_object(self, "modulus neutral_axes shape_factors")


@dataclass(frozen=True, eq=False)
class Torsion(ByValue):
    """Torsion and warping by finite elements; the errors are the differences of the last two meshes: estimates, no bounds.

    Attributes
    ----------
    constant : float
        J (It), m⁴.
    warping_constant : float
        Γ (Iw, Cw) about the shear centre, m⁶.
    shear_center : ndarray, shape (2,)
        In the axes of the file, m; for a Poisson's ratio of 0.
    constant_error, warping_constant_error : float
    shear_center_error : ndarray, shape (2,)
    elements : int
        Of the finest mesh.
    """

    constant: float
    warping_constant: float
    shear_center: Array
    constant_error: float
    warping_constant_error: float
    shear_center_error: Array
    elements: int

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        return json_object(self, "constant warping_constant shear_center elements")

    def errors(self) -> dict[str, object]:
        """Errors of the numbers of `to_dict`, under the same keys."""
        found = {name: getattr(self, f"{name}_error") for name in ("constant", "warping_constant", "shear_center")}
        return json_object(**found)


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
    outlines : tuple of PlacedOutline
        What bounds it, in the units of the file, with the weight of each part.
    edge_error : float
        How far the outlines may be from the true ones, m.
    torsion : Torsion or None
        Where it was asked for.
    exact : ExactMoments or None
        The moments as fractions, where exact results were asked for: then `moments` are these, rounded once.
    """

    moments: Moments
    area: float
    perimeter: float
    bounds: Array
    rounding: float = 0.0
    error: Spread | None = None
    area_error: float = 0.0
    perimeter_error: float | None = None
    outlines: tuple[PlacedOutline, ...] = field(default=(), compare=False, repr=False)
    edge_error: float = 0.0
    torsion: Torsion | None = None
    exact: ExactMoments | None = field(default=None, compare=False, repr=False)

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
        """Second moments about axes through the centroid, m⁴."""
        return AreaMoments.of(self._central_second)

    @property
    def _central_second(self) -> Array:
        """∫ x xᵀ about the centroid, shape (2, 2): fractions where the moments are."""
        return (self.exact or self.moments).central_second()

    def _moments_about(self, point: ArrayLike) -> Moments:
        """Moments about a point, shape (2,): fractions where those of the section are."""
        p = np.asarray(point, dtype=np.float64)
        if p.shape != (2,) or not np.isfinite(p).all():
            raise InvalidInput(f"a point in the plane has two finite coordinates, got {point!r}")
        if self.exact is not None:
            return self.exact.about(p)
        m, arm = self.moments, self.centroid - p
        return Moments(m.measure, m.measure * arm, m.central_second() + m.measure * np.outer(arm, arm), p)

    def about(self, point: ArrayLike) -> AreaMoments:
        """Second moments about axes through `point`, shape (2,), m⁴.

        Returns
        -------
        AreaMoments
            Ixx, Iyy and Ixy, m⁴.

        Raises
        ------
        InvalidInput
            If it is not two finite numbers.
        """
        return AreaMoments.of(self._moments_about(point).second)

    def first_moments(self, point: ArrayLike = (0.0, 0.0)) -> tuple[float, float]:
        """Qx = ∫y and Qy = ∫x about axes through `point`, shape (2,), by default the origin; m³. InvalidInput as for `about`."""
        x, y = self._moments_about(point).first
        return float(y), float(x)

    def polar_about(self, point: ArrayLike = (0.0, 0.0)) -> float:
        """Ixx + Iyy about `point`, shape (2,), by default the origin; m⁴. InvalidInput as for `about`."""
        return float(np.trace(self._moments_about(point).second))

    @property
    def polar(self) -> float:
        """Ixx + Iyy about the centroid, m⁴. Not the torsion constant, except for round sections."""
        return float(np.trace(self._central_second))

    @property
    def principal_moments(self) -> Array:
        """Smallest and largest second moment about an axis through the centroid, shape (2,), m⁴, ascending."""
        return self._principal()[0]

    @property
    def principal_angle(self) -> float:
        """Angle of the axis of the smallest moment, counter-clockwise from x, radians, above −π/2 and up to π/2; 0 if both are equal."""
        return self._principal()[1]

    @property
    def radii_of_gyration(self) -> Array:
        """√(Ixx/A) and √(Iyy/A) about the centroid, shape (2,), m."""
        i = self.about_centroid
        return np.sqrt(np.array([i.Ixx, i.Iyy]) / self.moments.measure)

    @property
    def moduli(self) -> dict[str, float]:
        """Elastic section moduli I / c, m³, to the edge on either side of the axis.

        About x to the upper and lower edge, about y to the right and left one, about principal axis 1 to the left and right of it, about 2
        in the direction of axis 1 and against it.
        """
        return {name: i / c for name, i, c in self._edges()}

    @functools.cached_property
    def _directions(self) -> dict[str, Array]:
        """Unit vectors, shape (2,), at right angles to each axis of bending, towards its side `plus`."""
        c, s = math.cos(self.principal_angle), math.sin(self.principal_angle)
        return {axis: np.array(v) for axis, v in zip(AXES, ((0.0, 1.0), (1.0, 0.0), (-s, c), (c, s)), strict=True)}

    def _edges(self) -> list[tuple[str, float, float]]:
        """Name, second moment and distance of the edge from the axis for each modulus."""
        i, principal = self.about_centroid, self.principal_moments.tolist()
        moments = dict(zip(AXES, (i.Ixx, i.Iyy, *principal), strict=True))
        ends = ((axis, {"plus": high, "minus": -low}) for axis, (low, high) in self._extents.items())
        return [(f"{axis}_{side}", moments[axis], end) for axis, sides in ends for side, end in sides.items()]

    @functools.cached_property
    def _extents(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest distance from each axis of bending."""
        arm, bounds = self.moments.first / self.moments.measure, self.bounds - self.moments.reference
        low, high = bounds - arm  # not less the centroid: far away it is rounded
        ends = {"x": (float(low[1]), float(high[1])), "y": (float(low[0]), float(high[0]))}
        if self.principal_angle == 0.0:
            return ends | {"1": ends["x"], "2": ends["y"]}
        if not self.outlines:
            return ends
        for axis in AXES[2:]:
            n = self._directions[axis]
            ranges = np.array([o.extent(n, self.moments.reference / scale) * scale for o, scale, _ in self.outlines])
            mean = float(product(arm, n))
            ends[axis] = (float(ranges[:, 0].min()) - mean, float(ranges[:, 1].max()) - mean)
        return ends

    @functools.cached_property
    def _halves(self) -> dict[str, HalfPlaneIntegrals]:
        """Integrals over both sides of each axis of bending; of a composite section each part with its weight."""
        if not self.outlines:
            return {}
        arm, e = self.moments.first / self.moments.measure, self.error
        region = Region.of(self.outlines, self.moments.reference, float(np.ptp(self.bounds, axis=0).max()))
        area, shift = (self.rounding, 0.0) if e is None else (e.volume, length(e.center))

        @functools.cache  # the principal axes may be x and y
        def halves(*normal: float) -> HalfPlaneIntegrals:
            n = np.array(normal)
            return region.halves(n, float(product(arm, n)), area, shift)

        return {axis: halves(*n.tolist()) for axis, n in self._directions.items()}

    @property
    def statical_moments(self) -> dict[str, float]:
        """First moment of the part on either side of an axis through the centroid about it, m³: the S of the shear stress V S / (I t)."""
        return {axis: halves.statical[0] for axis, halves in self._halves.items()}

    @property
    def plastic(self) -> Plastic | None:
        """Plastic moduli and neutral axes; None of a composite section, whose parts may yield at any stress."""
        if not self._halves or any(abs(o.weight) != 1.0 for o in self.outlines):
            return None
        x, y = self.centroid.tolist()
        origin, w = {"x": y, "y": x}, self.moduli
        elastic = {axis: min(w[f"{axis}_plus"], w[f"{axis}_minus"]) for axis in self._halves}
        moduli = {axis: halves.modulus[0] for axis, halves in self._halves.items()}
        axes = {axis: origin.get(axis, 0.0) + halves.offset[0] for axis, halves in self._halves.items()}
        factors = {axis: moduli[axis] / least if least > 0 else None for axis, least in elastic.items()}
        return Plastic(moduli, axes, factors)

    def weighted(self, ratio: float) -> Section:
        """The part of a composite section whose modulus (or density) is `ratio` times that of reference."""
        outlines = tuple(o._replace(weight=o.weight * ratio) for o in self.outlines)
        exact = None if self.exact is None else self.exact.times(ratio)
        moments = self.moments.times(ratio) if exact is None else exact.rounded()
        return replace(self, moments=moments, rounding=self.rounding * ratio, outlines=outlines, exact=exact)

    def scaled(self, factor: Fraction | float) -> Section:
        """Section in coordinates multiplied by `factor`, as in a change of the length unit."""
        exact, factor = None if self.exact is None else self.exact.scaled(factor), float(factor)
        area, rounding = self.area * factor**2, self.rounding * factor**2
        length, off = self.perimeter * factor, None if self.perimeter_error is None else self.perimeter_error * factor
        bounds, outlines = self.bounds * factor, tuple(o._replace(scale=o.scale * factor) for o in self.outlines)
        moments = self.moments.scaled(factor) if exact is None else exact.rounded()
        return Section(moments, area, length, bounds, rounding, perimeter_error=off, outlines=outlines, exact=exact)

    def __add__(self, other: Section) -> Section:
        """Both parts as one section; outlines are not merged."""
        if not isinstance(other, Section):
            return NotImplemented
        one, two = self.perimeter_error, other.perimeter_error
        off = None if one is None or two is None else one + two
        bounds = box(np.concatenate([self.bounds, other.bounds]))
        moments, outlines = self.moments + other.moments, (*self.outlines, *other.outlines)
        area, length, rounding = (getattr(self, k) + getattr(other, k) for k in ("area", "perimeter", "rounding"))
        exact = None if self.exact is None or other.exact is None else self.exact + other.exact
        moments = moments if exact is None else exact.rounded()
        return Section(moments, area, length, bounds, rounding, perimeter_error=off, outlines=outlines, exact=exact)

    def __radd__(self, other: object) -> Section:
        """Makes `sum` work, which begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @property
    def roundings(self) -> Spread:
        """Bounds of what some operations in floating point do to the integrals, and to what is derived from them."""
        # the unit is a power and products; the centroid is a sum as large as the coordinates
        off = 8 * U * float(np.abs(self.bounds).max()) * np.array([1, 1, 0])
        return Spread(16 * U * self.moments.measure, off, 32 * U * np.abs(self.lamina().central_second()))

    def extruded(self, thickness: float, *, centered: bool = False) -> Moments:
        """Moments in space of the solid between z = 0 and `thickness` (`centered`: −thickness/2 to thickness/2).

        About its middle plane the products with z vanish and ∫z² = A t³ / 12.
        """
        return extrusion_of(self.moments, thickness, centered=centered)

    def lamina(self) -> Moments:
        """Moments in space of the section as a sheet without thickness in the plane z = 0: those of a body of rank two."""
        return lamina_of(self.moments)

    def to_dict(self, about: ArrayLike | None = None) -> dict[str, object]:
        """The section as the JSON schema spells it; `about` a point of the plane, shape (2,)."""
        point = None if about is None else [float(x) for x in np.asarray(about, dtype=np.float64)]
        return {
            **json_object(area=self.area, weighted_area=self.moments.measure),
            **json_object(self, "perimeter centroid about_centroid"),
            "about_origin": self.about([0.0, 0.0]).to_dict(),
            "about": None if point is None else {"point": point, **self.about(point).to_dict()},
            "first_moments": dict(zip(("Qx", "Qy"), self.first_moments(), strict=True)),
            "polar": self.polar,
            "polar_about_origin": self.polar_about(),
            "principal": {"moments": self.principal_moments.tolist(), "angle": self.principal_angle},
            **json_object(self, "radii_of_gyration moduli statical_moments plastic torsion"),
            "uncertainty": self.errors(point),
        }

    def errors(self, point: Sequence[float] | None = None) -> dict[str, Any] | None:
        """How far each number of `to_dict` can be off: bounds of what follows from area, centroid and central second moments."""
        e = self.error
        if e is None:
            return None
        m, center, second = self.moments, e.center[:2], e.second[:2, :2]
        i, off = self.about_centroid, AreaMoments.of(second)
        # moments that are rounded once leave no room for the roundings of what is derived from them
        derived = e if self.exact is None else e + self.roundings
        wider = AreaMoments.of(derived.second)

        def about(p: ArrayLike) -> AreaMoments:  # A c cᵀ, the area and the arm each off
            arm, area = np.abs(self.centroid - np.asarray(p)), m.measure + e.volume
            cross = np.outer(arm, center)
            shift = area * (cross + cross.T + np.outer(center, center)) + e.volume * np.outer(arm, arm)
            return AreaMoments.of(second + shift)

        def radius(moment: float, error: float) -> float | None:
            least = m.measure - derived.volume
            return math.sqrt((moment + error) / least) - math.sqrt(moment / m.measure) if least > 0 else None

        principal = length(derived.second)  # Weyl: at most the norm of the difference
        wrong = {"x": (wider.Ixx, derived.center[1]), "y": (wider.Iyy, derived.center[0])}
        edge = self.edge_error + 8 * U * float(np.abs(self.bounds).max())

        def modulus(axis: str, moment: float, distance: float) -> float | None:
            error, shift = wrong.get(axis, (principal, length(derived.center)))
            shift += edge
            return float((moment + error) / (distance - shift) - moment / distance) if shift < distance else None

        moduli = {name: modulus(name[0], moment, distance) for name, moment, distance in self._edges()}

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
            "principal_moments": principal,
            "radii_of_gyration": [radius(i.Ixx, wider.Ixx), radius(i.Iyy, wider.Iyy)],
            "moduli": moduli,
            "statical_moments": {axis: halves.statical[1] for axis, halves in self._halves.items()},
            "plastic": None if self.plastic is None else self._plastic_errors(self.plastic, moduli),
            "torsion": None if self.torsion is None else self.torsion.errors(),
        }

    def _plastic_errors(self, plastic: Plastic, moduli: dict[str, float | None]) -> dict[str, object]:
        elastic = self.moduli
        off = {axis: halves.modulus[1] for axis, halves in self._halves.items()}
        placed = 2 * U * float(np.abs(self.bounds).max())

        def factor(axis: str) -> float | None:
            sides = [(elastic[name], moduli[name]) for name in (f"{axis}_plus", f"{axis}_minus")]
            least = min(w - e if e is not None else 0.0 for w, e in sides)
            shown = plastic.shape_factors[axis]
            return None if shown is None or least <= 0 else (plastic.modulus[axis] + off[axis]) / least - shown

        axes = {axis: halves.offset[1] + placed for axis, halves in self._halves.items()}
        return {"modulus": off, "neutral_axes": axes, "shape_factors": {axis: factor(axis) for axis in off}}

    def _principal(self) -> tuple[Array, float]:
        # the moment about an axis is ∫ (distance from it)²: smallest about the direction in which ∫ x xᵀ is largest
        values, columns = symmetric_eigen(self._central_second.astype(np.float64))
        values = np.maximum(values, 0.0)  # of a thin strip the smaller one may be lost in the rounding of the larger
        if values[1] - values[0] <= EQUAL_MOMENTS_TOLERANCE * values[1]:
            return values, 0.0
        x, y = columns[:, 1]
        return values, math.atan(y / x) if x else math.pi / 2


M = TypeVar("M", bound=Moments)


def lamina_of(m: M, height: Any = 0) -> M:
    """Moments in space of a plane figure as a sheet at a height: fractions where those of the figure are."""
    second = np.zeros((3, 3), dtype=m.second.dtype)
    second[:2, :2] = m.second
    return type(m)(m.measure, np.append(m.first, 0), second, np.append(m.reference, height))


def extrusion_of(m: M, thickness: Any, *, centered: bool) -> M:
    """Moments in space of the solid above a plane figure; of fractions the thickness is one, too."""
    sheet = lamina_of(m, 0 if centered else thickness / 2)
    second = thickness * sheet.second
    second[2, 2] = m.measure * thickness**3 / 12
    return type(m)(thickness * m.measure, thickness * sheet.first, second, sheet.reference)

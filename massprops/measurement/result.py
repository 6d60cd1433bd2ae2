"""The result of measuring a body: what `compute` prints, in SI units.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from massprops._version import __version__
from massprops.errors import InvalidInput, MasspropsError, require_type
from massprops.findings import Finding
from massprops.formats.address import files_together
from massprops.frames import finite_array
from massprops.grades import SHEETS, Grade, Method
from massprops.json_values import json_object
from massprops.mesh.enclosed_solid import RepairStep
from massprops.mesh.source import PartLabel
from massprops.moments.arrays import ByValue, sum_of
from massprops.moments.exact import ExactMoments
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Uncertainty
from massprops.rigid_body.as_json import (
    SCHEMA,
    Axes,
    Products,
    errors_dict,
    inertia_dict,
    point_of,
    principal_dict,
    uncertainty_dict,
)
from massprops.rigid_body.consistency import radii_of
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.mass_specification import StatedError, with_stated_errors
from massprops.rigid_body.principal import Principal
from massprops.rigid_body.tensors import inertia_of
from massprops.values import dataclass

if TYPE_CHECKING:
    import trimesh

    from massprops.measurement.short_table import ShortTable
    from massprops.mesh.stored_values import StoredValue
    from massprops.rigid_body.line import Line
    from massprops.section.properties import Section


@dataclass(frozen=True)
class Input:
    """Description of the file: its name as the user wrote it, how it was read, its length unit, and the number of separate bodies."""

    path: str
    format: str
    encoding: str
    unit: str
    facets: int | None
    sha256: str | None = None
    rings: int | None = None
    bodies: int | None = None

    def to_dict(self) -> dict[str, object]:
        """The input as the JSON schema spells it."""
        described = json_object(self, "path format encoding", units=self.unit)
        return described | json_object(self, "facets rings bodies sha256")


@dataclass(frozen=True)
class Outcome:
    """Result of one file: either a measurement or an error, and the seconds that it took."""

    path: str
    measurement: Measurement | None
    error: MasspropsError | None
    seconds: float = 0.0

    def result(self) -> Measurement:
        """The measurement; raises the error if there is none."""
        if self.error is not None:
            raise self.error
        assert self.measurement is not None  # noqa: S101  # one of the two is given
        return self.measurement


@dataclass(frozen=True, eq=False)
class MeasuredPart(ByValue):
    """One part of a file, measured by itself in the frame of the whole."""

    label: PartLabel
    measurement: Measurement

    def to_dict(self) -> dict[str, object]:
        """The part as the JSON schema spells it."""
        return {
            "name": self.label.name,
            **json_object(self.measurement.input, "path format"),
            "count": 1,
            "group": self.label.path.rpartition("/")[0] or None,
            "material": self.label.material,
            **json_object(self.measurement, "density volume mass center_of_mass inertia grade"),
            "bounds": dict(zip(("min", "max"), self.measurement.bounds.tolist(), strict=True)),
        }


@dataclass(frozen=True)
class WallShape:
    """Thickness of a wall inside a surface, m, and the share of its inside that is filled."""

    thickness: float
    infill: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """The wall as the JSON schema spells it."""
        return json_object(self, "thickness infill")


@dataclass(frozen=True, eq=False, repr=False)
class Measurement(ByValue):
    """A measured body. SI units; coordinates are those of the file in metres, or of the pose or frame that was asked for.

    Attributes
    ----------
    input : Input
        The file that was measured.
    method : {"exact", "hull", "shell", "lamina", "extrusion"}
        What was integrated: the solid inside the surface, the solid inside its convex hull, the surface itself as a sheet; the section
        of a plane file as a sheet in the plane z = 0, or the solid above it.
    grade : {"proved", "certified", "closed", "repaired", "estimated", "unverified"}
        How far the integral is known to be that of the body.
    area : float
        Of the surface, m²; of a lamina, one side of it.
    moments : Moments
        ∫ 1, x, x xᵀ over the solid (m³, m⁴, m⁵) or over the sheet (m², m³, m⁴), weighted with density / mean where it varies.
    bounds : ndarray, shape (2, 3)
        Smallest and largest coordinates, m.
    density : float or None
        kg/m³; of a sheet kg/m²; the mean where it varies. None if neither a density nor a mass was given.
    given_mass : float or None
        The mass, kg, where it was given and the density follows from it.
    axes : {"file", "parent", "frame"}
        Whose axes and origin the coordinates refer to: the file's, those of the frame in which `pose` places the part, or
        those of the frame of the observer.
    findings : tuple of Finding
        What was noticed, worst first; places are in the coordinates of the file, in metres.
    sources : mapping of str to Uncertainty
        How far the numbers can be off, by source: ``arithmetic``, ``resolution`` (of the coordinates in the file), ``chord``,
        ``faces`` (that are not flat), ``matter`` (density, mass, thickness), ``xray`` (what all lines can have missed, with 99.9 %
        confidence), ``overlap`` (that was found, too small to refuse), ``estimate``, ``quadrature`` (of a density).
        Empty where the numbers are not verified.
    exact : ExactMoments or None
        The moments as fractions, where exact results were asked for: then every number is rounded once.
    section : Section or None
        Of a plane file, in its own axes whatever the pose or frame.
    repairs : tuple of RepairStep
        What was done to the triangles of the file before they were integrated; places are in the coordinates of the file, m.
    stated : tuple of StatedError
        The errors stated for density and mass that are the same share of all moments; their bounds are part of `sources`, too.
    parts : tuple of MeasuredPart
        Of a file that was measured part by part: then this is their sum, `density` its mean density, and `moments` are weighted by mass.
    stored : tuple of StoredValue
        Volumes, areas and centres that the file states of its bodies (validation properties of STEP), beside the measured ones.
    wall : WallShape or None
        Of a wall.
    beside : Moments or None
        Masses that the file states beside its volumes, kg, kg m, kg m²; part of `density` and `moments`.
    """

    input: Input
    method: Method
    grade: Grade
    area: float | None
    moments: Moments
    bounds: Array
    density: float | None
    axes: Axes
    findings: tuple[Finding, ...]
    given_mass: float | None = None
    sources: Mapping[str, Uncertainty] = field(default_factory=dict)
    exact: ExactMoments | None = None
    section: Section | None = None
    repairs: tuple[RepairStep, ...] = ()
    stated: tuple[StatedError, ...] = ()
    parts: tuple[MeasuredPart, ...] = ()
    stored: tuple[StoredValue, ...] = ()
    wall: WallShape | None = None
    beside: Moments | None = None

    @property
    def uncertainty(self) -> Uncertainty | None:
        """How far the numbers can be off, all sources together; None where they are not verified."""
        return sum_of(self.sources.values()) if self.sources else None

    @property
    def volume(self) -> float | None:
        """Volume of the solid, m³; None for a sheet."""
        return None if self.method in SHEETS else self.moments.measure

    @property
    def center_of_mass(self) -> Array:
        """Centre of the body, of uniform density, shape (3,), m."""
        return self.moments.centroid

    @property
    def com(self) -> Array:
        """Short name of `center_of_mass`, as in `MassProperties`."""
        return self.center_of_mass

    @property
    def principal(self) -> Principal:
        """Principal moments, kg m², ascending, and their axes; InvalidInput where no mass is known."""
        return self._body().principal()

    def inertia_about_axis(self, point: ArrayLike, direction: ArrayLike) -> float:
        """Moment of inertia about the line through `point`, m, along `direction`, shapes (3,), kg m².

        Returns
        -------
        float
            kg m².

        Raises
        ------
        InvalidInput
            If no mass is known, a number is not finite, or the direction is zero.
        """
        return self._body().inertia_about_axis(point, direction)

    def _body(self) -> MassProperties:
        if self.properties is None:
            what = f"the mass of {self.input.path} is not known"
            raise InvalidInput(what, hint="measure it with a density, a material or a mass")
        return self.properties

    def to_trimesh(self) -> trimesh.Trimesh:
        """The mesh that was measured, as it is after policies and repairs, in the unit and axes of the file.

        Measured with the same policies it has the same numbers, and a repaired solid without any: holes are filled, bodies turned and
        united. Of a hull it is the hull, of a wall the surface around it, of exact surfaces (STEP) the triangles near them, which have
        other numbers. The source is measured again, so an object in memory is kept with its measurement.

        Returns
        -------
        trimesh.Trimesh
            Its `units` are those of the file, or those that `measure` was given; None where neither states any.

        Raises
        ------
        InvalidInput
            If it has no triangles: a section, an estimated union, several parts; or if it was stored, sent or made otherwise.
        ReadError
            If the source has changed.
        """
        mesh: Callable[[Measurement], trimesh.Trimesh] | None = vars(self).get("_mesh")  # that `measure` puts there
        if mesh is None:
            what = "a measurement that was stored or sent does not know its source"
            raise InvalidInput(what, place=self.input.path, hint="measure it again")
        return mesh(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copied = object.__new__(type(self))
        vars(copied).update(vars(self) | deepcopy(self.__getstate__(), memo))  # the source may be an object of any size
        return copied

    def __getstate__(self) -> dict[str, Any]:
        """The fields, for files: not the source, which may be an object of any size."""
        return {name: value for name, value in vars(self).items() if name not in ("_mesh", "_made")}

    def __repr__(self) -> str:
        """One line: name, grade, mass or volume, centre."""
        return f"<{self._short().line()}>"

    def __str__(self) -> str:
        """A short table in the unit of the file."""
        return self._short().text()

    def _repr_html_(self) -> str:
        """The short table, for notebooks; `massprops/__init__.py` adds a picture."""
        return self._short().html()

    def _short(self) -> ShortTable:
        from massprops.measurement.output_units import OutputUnits
        from massprops.measurement.quantities import QUANTITIES, Quantity
        from massprops.measurement.short_table import NAMES, ShortTable

        axes, known = 2 if self.method == "lamina" else 3, self.numbers()  # a section lies in the plane z = 0
        size, quantities = (self.bounds[1] - self.bounds[0]).tolist()[:axes], []
        for path, name in NAMES.items():
            if q := QUANTITIES[path].read(known, name=name):
                if name == "centre":
                    q = replace(q, values=q.values[:axes], off=q.off and q.off[:axes], scale=max(size))
                if name == "principal moments" and (errors := self._body().uncertainty).sources:
                    bound = errors.principal_moments.bound.tolist() if errors.mass_is_certain else None
                    q = replace(q, off=bound)
                quantities.append(q)
                if name == "centre":
                    quantities.append(Quantity("size", (0, 1), size))
        label = " + ".join(file.name for file in files_together(self.input.path))
        units = OutputUnits.suited(self.input.unit, self.mass)
        return ShortTable(label or self.input.path, self.method, self.grade, units, quantities, self.findings)

    @cached_property
    def properties(self) -> MassProperties | None:
        """Mass, centre and inertia with their errors; None where no density and no mass is known."""
        body, total = self._stated, self.uncertainty
        if body is None or total is None or total.mass is None or total.inertia is None:
            return body
        return body.with_errors(total.mass, total.center_of_mass, total.inertia, of_all=True)

    @cached_property
    def _stated(self) -> MassProperties | None:
        """The body with the errors that are stated for density and mass alone."""
        if self.density is None:
            return None
        known = {"density": self.density} if self.given_mass is None else {"mass": self.given_mass}
        if self.parts:
            body = sum_of(b for p in self.parts if (b := p.measurement.properties) is not None)
            body = body if self.structures is None else body + self.structures
        elif self.exact is not None:
            body = MassProperties.from_exact_moments(self.exact, **known)
        else:
            body = MassProperties.from_moments(self.moments, **known)
        return with_stated_errors(body, self.stated)

    @property
    def structures(self) -> MassProperties | None:
        """Masses that the file states beside its volumes."""
        return None if self.beside is None else MassProperties.from_moments(self.beside, density=1.0)

    @property
    def uniform_moments(self) -> Moments:
        """∫ 1, x, x xᵀ of the geometry, whatever its parts weigh."""
        if self.parts:
            return sum_of(p.measurement.moments for p in self.parts)
        if self.beside is None or self.density is None:
            return self.moments
        solid = self.moments.times(self.density) - self.beside
        return solid.times(self.moments.measure / solid.measure)

    @property
    def unit_density_properties(self) -> MassProperties:
        """Mass properties at a density of one, known without a material: the mass is the volume or area."""
        body, off = MassProperties.from_moments(self.moments, density=1.0), self.uncertainty
        if self.density is not None or off is None or off.volume is None or off.inertia_per_density is None:
            return body
        return body.with_errors(off.volume, off.center_of_mass, off.inertia_per_density, of_all=True)

    @property
    def mass(self) -> float | None:
        """kg; None where no density and no mass is known."""
        if self.given_mass is not None:
            return self.given_mass
        if self.density is None:
            return None
        if self.parts:
            beside = self.beside.measure if self.beside else 0.0
            return math.fsum([beside, *(p.measurement.mass or 0.0 for p in self.parts)])
        if self.exact is not None:
            return float(Fraction(self.density) * self.exact.measure)
        return self.density * self.moments.measure

    @property
    def inertia(self) -> Array | None:
        """Inertia tensor about the centre of mass, shape (3, 3), kg m², Ixy = −∫ρ x y; None where no mass is known."""
        return None if self.properties is None else self.properties.inertia

    def to_dict(
        self, *, about: ArrayLike | str = "com", products: Products = "tensor", axis: Line | None = None
    ) -> dict[str, object]:
        """The result as the JSON schema `massprops/1` spells it: plain Python values, never NaN.

        Parameters
        ----------
        about : "com", "origin" or array_like of shape (3,)
            The point that `inertia` is taken about, m; of a plane file also of shape (2,).
        products : {"tensor", "positive"}
            Sign of the products of inertia: tensor elements (−∫ρ x y), or +∫ρ x y as some CAD dialogs print them.
        axis : Line
            A line that `inertia` has the moment and the radius of gyration about, too.

        Returns
        -------
        dict
            What ``compute --format json`` prints, SI units.
        """
        if axis is not None:
            from massprops.rigid_body.line import Line  # imported lazily

            require_type(axis, Line, "axis", "a Line")
        body, about = self._stated, self.point(about)
        return {
            "schema": SCHEMA,
            "massprops": __version__,
            **json_object(self, "input method grade repairs"),
            **self.numbers(about, products, axis),
            "pseudo_inertia": None if body is None else _pseudo_inertia(body).tolist(),
            "uncertainty": self._uncertainty_dict(about),
            **json_object(self, " ".join(["findings", *(k for k in ("parts", "stored", "wall") if getattr(self, k))])),
            **({"axes": self.axes} if body is None and self.axes != "file" else {}),
            **({"structures": json_object(mass=s.mass, center_of_mass=s.com)} if (s := self.structures) else {}),
        }

    @property
    def density_change(self) -> tuple[float, float] | None:
        """Bounds of the density by what is stated of it, or of the mass, and by the volume where the mass is given, or of each part."""
        if self.density is None:
            return None
        bodies = [p.measurement for p in self.parts] or [self]
        stated = max(math.prod(1 + e.relative for e in x.stated if e.kind == "bound") for x in bodies) - 1
        by_volume = self.uncertainty is not None and (self.given_mass or self.parts)
        volume = (self.uncertainty.volume or 0.0) / self.moments.measure if self.uncertainty and by_volume else 0.0
        most = self.density * ((1 + stated) / max(1 - volume, 1e-9) - 1)
        return (-most, most) if most else None

    def deviation(self, of: str) -> float | None:
        """Standard deviation of the mass or the density by what is stated of them; None without one, and of other quantities."""
        stated = [e.name for e in self.stated if e.kind == "sigma"]
        if not stated or self.properties is None or of not in ("mass", "density"):
            return None
        sigma = float(self.properties.uncertainty.only(*stated).mass.sigma)
        return sigma if of == "mass" else sigma * (self.density or 0.0) / (self.mass or 1.0)

    def _uncertainty_dict(self, about: Array | str) -> dict[str, object] | None:
        found = uncertainty_dict(self.uncertainty, self.sources, self._stated, about)
        if found is not None:
            found["density"] = None if self.density is None else max(self.density_change or (0.0,))
            if isinstance(sigma := found["sigma"], dict):
                found["sigma"] = sigma | {"density": self.deviation("density")}
        is_about_com = isinstance(about, str) and about == "com"
        if found is None or is_about_com or self.uncertainty is None or self.properties is None:
            return found
        return found | errors_dict(self.properties.uncertainty, "bound", about, "inertia_about")

    def numbers(
        self, about: Array | str = "com", products: Products = "tensor", axis: Line | None = None
    ) -> dict[str, object]:
        """The part of `to_dict` that the rows of tables have, in its order."""
        body, off = self._stated, self.uncertainty
        return {
            **json_object(self, "density volume area mass center_of_mass"),
            "inertia": inertia_dict(self.properties if axis else body, about, products, self.axes, axis),
            "principal": principal_dict(body),
            **json_object(radii_of_gyration=radii_of(self.moments.measure, inertia_of(self.moments.central_second()))),
            "bounds": dict(zip(("min", "max"), self.bounds.tolist(), strict=True)),
            "pseudo_inertia": None,
            **json_object(self.section, "perimeter centroid"),
            "section": self.section and self.section.to_dict(None if isinstance(about, str) else about[:2]),
            "uncertainty": off and off.to_dict(),
        }

    def point(self, about: ArrayLike | str) -> Array | str:
        """A point to take moments about, shape (3,), or "com" or "origin" as they are; a point of the plane has z = 0.

        Returns
        -------
        ndarray, shape (3,), or str
            m.

        Raises
        ------
        InvalidInput
            If it is none of these.
        """
        if isinstance(about, str):
            return about
        if self.section is None:
            return point_of(about)
        given = finite_array(about, (-1,), "point")
        return point_of(np.append(given, 0.0) if len(given) == 2 else given)


class MeasuredBody(Measurement):
    """Measurement of a body whose mass is known: its mass, inertia and properties are never None."""

    if TYPE_CHECKING:
        mass: float
        density: float
        inertia: Array
        properties: MassProperties


def measurement_of(**fields: Any) -> Measurement:
    """A measurement of these fields: a `MeasuredBody` where its density is known."""
    return (Measurement if fields["density"] is None else MeasuredBody)(**fields)


def _pseudo_inertia(body: MassProperties) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        matrix = body.pseudo_inertia()
    if not np.isfinite(matrix).all():
        raise InvalidInput("the pseudo-inertia about the origin is not finite", hint="choose a nearer pose or frame")
    return matrix

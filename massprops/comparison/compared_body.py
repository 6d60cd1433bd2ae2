"""A body to compare, from a mesh, a section, a result or a robot file.

Tests: `tests/comparison/test_diff.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, BinaryIO, Literal, Self

import numpy as np

from massprops.comparison.third_moments import ThirdMoments
from massprops.errors import as_read_error
from massprops.findings import Finding
from massprops.formats.address import Address
from massprops.formats.bodies.json_results import StoredResult, all_findings, read_stored
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.kinds import is_planar, kind_of, suffix_of
from massprops.formats.link_names import named_link
from massprops.formats.plugins import is_mesh
from massprops.formats.registry import open_mesh
from massprops.formats.search_path import SearchPath
from massprops.grades import SOUND
from massprops.measurement.options import Options
from massprops.measurement.parts import states_densities
from massprops.measurement.pipeline import measure_with
from massprops.measurement.result import Measurement
from massprops.mesh.source import MeshFile
from massprops.mesh.stored_values import STORED
from massprops.moments.arrays import Array, length, sum_of
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import implausible_size
from massprops.units import length_unit

#: Sources of uncertainty that are no resolution: the bound of the X-ray is for defects that its lines may have missed, not for rounding.
_NO_RESOLUTION = frozenset({"xray"})


@dataclass(frozen=True, eq=False)
class ErrorBounds:
    """Error bounds from arithmetic, the resolution of the file, a chord tolerance and the material; SI."""

    volume: float = 0.0
    mass: float = 0.0
    center_of_mass: float = 0.0
    inertia: float = 0.0
    shape: float = 0.0
    surface: float = 0.0
    area: float = 0.0


@dataclass(frozen=True, eq=False)
class ComparedBody:
    """A body and where it comes from; unknown numbers are None. SI, coordinates of the file.

    Attributes
    ----------
    name : str or None
        Of the link or body; None for a file that holds one body without a name.
    place : str
        For messages: ``part.stl``, ``robot.urdf:12``.
    volume, area, mass, density : float or None
    center_of_mass : ndarray, shape (3,), or None
    body : MassProperties or None
        With its mass.
    shape : MassProperties or None
        At unit density: what is known without a mass.
    bounds : ndarray, shape (2, 3), or None
    third : ThirdMoments or None
        Of a closed mesh that is measured as it is.
    off : ErrorBounds
        In principal moments of inertia for `inertia` (kg m²) and `shape` (m⁵); how far points of the surface can be for `surface`.
    findings : tuple of Finding
    unit : str
        The length unit that the file was read in.
    grade : str or None
        How far the integral is known to be that of the body.
    count : int or None
        Number of separate bodies.
    section : mapping or None
        What results have as ``section``.
    stored : tuple of mapping
        Values that the file states of its bodies; see `StoredValue`.
    kind : {"", "surfaces", "facets"}
        What a file that was measured as it is has: exact surfaces or facets.
    geometry : ComparedBody or None
        The same without the densities that the file states, to be compared with a body whose mass is not known.
    axes : {"file", "parent", "frame"}
        Whose coordinates these are, as a result states them.
    """

    name: str | None
    place: str
    volume: float | None = None
    area: float | None = None
    mass: float | None = None
    density: float | None = None
    center_of_mass: Array | None = None
    body: MassProperties | None = None
    shape: MassProperties | None = None
    bounds: Array | None = None
    third: ThirdMoments | None = None
    off: ErrorBounds = ErrorBounds()
    findings: tuple[Finding, ...] = ()
    unit: str = "m"
    grade: str | None = None
    count: int | None = None
    section: Mapping[str, Any] | None = None
    stored: tuple[Mapping[str, Any], ...] = ()
    kind: Literal["", "surfaces", "facets"] = ""
    geometry: ComparedBody | None = None
    axes: str = "file"

    @classmethod
    def of_result(cls, stored: StoredResult) -> Self:
        """The body of a result; ReadError, beginning with its place, if that is the report of an error or a number is none."""
        value, source = stored.value, stored.value.get("input") or {}
        body = stored.body() if stored.has_body or stored.error is not None else None
        volume, area, mass, density = map(stored.number, ("volume", "area", "mass", "density"))
        shape, parts = None, value.get("parts")
        if body and volume and body.properties.mass > 0:
            shape = replace(body.properties, sources={}).scaled_to_mass(volume)
        sources = (value.get("uncertainty") or {}).get("sources") or {}
        found = cls(
            name=body.name if body is not None else value.get("name"),
            place=stored.place,
            volume=volume,
            area=area,
            mass=mass,
            density=density,
            center_of_mass=stored.array("center_of_mass", (3,)),
            body=None if body is None else body.properties,
            shape=shape,
            bounds=stored.array("bounds", (2, 3)),
            off=_off({k: s for k, s in sources.items() if k not in _NO_RESOLUTION}, area, density),
            findings=stored.findings,
            unit=source.get("units") or "m",
            grade=value.get("grade"),
            count=source.get("bodies"),
            section=value.get("section"),
            stored=_stored(value.get("stored")),
            axes=(value.get("inertia") or {}).get("axes") or "file",
        )
        if shape is None or not parts:
            return found
        uniform = _of_one_density(parts, stored.place)
        bare = replace(found, mass=None, body=None, density=None, shape=uniform, center_of_mass=uniform.com)
        return replace(found, geometry=bare)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Verdicts on the values that the file states."""
        return tuple(str(value.get("verdict")) for value in self.stored)

    @property
    def is_plane(self) -> bool:
        """Whether it is a section without a solid above it."""
        return self.section is not None and self.volume is None

    @property
    def inertia(self) -> Array | None:
        """Inertia tensor about the centre of mass, shape (3, 3), kg m²."""
        return None if self.body is None else self.body.inertia

    @property
    def principal(self) -> Array | None:
        """Principal moments, ascending, shape (3,), kg m²."""
        return None if self.body is None else self.body.principal().moments

    def numbers(self, name: str) -> list[float]:
        """Numbers of a quantity by its name in results: one, three of a point, six of the bounds; none where it is not known."""
        value = getattr(self, name)
        return [] if value is None else np.ravel(value).tolist()

    @property
    def properties(self) -> MassProperties | None:
        """The shape where it is known, else the body: for numbers that do not depend on the scale of mass."""
        return self.shape or self.body

    @property
    def size(self) -> float:
        """The length that differences of coordinates are relative to, m: the diagonal of the bounds, else of the body's spread."""
        if self.bounds is not None:
            return length(self.bounds[1] - self.bounds[0])
        if self.properties is None or not self.properties.mass:
            return 0.0
        # a uniform rod from end to end is √12 times as long as its radius of gyration
        return float(np.sqrt(6 * np.trace(np.abs(self.properties.inertia)) / abs(self.properties.mass)))


def read_bodies(
    text: str, options: Options, stdin: BinaryIO | None = None, search: SearchPath | None = None
) -> list[ComparedBody]:
    """The bodies of a mesh, a section, a result, or a robot file (``file`` or ``file#link``).

    Parameters
    ----------
    text : str
        What ``compute`` or ``convert`` read.
    options : Options
        How meshes and sections are measured; without a density, mass or material they are compared as geometry.
    stdin : BinaryIO, optional
        What ``-`` reads: a result or a robot file.
    search : SearchPath, optional
        Where the files that a robot file includes are looked for; by default around it.

    Raises
    ------
    InvalidInput, ReadError, InvalidGeometry
        What measuring a mesh and reading a body raise.
    """
    kind = kind_of(text, options.format)
    if kind in ("mesh", "section") or is_mesh(suffix_of(text)):  # glTF that states bodies is compared as a mesh
        return [_of_file(text, options, stdin)]
    from massprops.formats.bodies.opening import open_bodies

    address = Address.parse(text)
    if kind_of(address.path) == "results":
        found = list(map(ComparedBody.of_result, read_stored(address.path)))
        return found if address.link is None else [named_link(found, address.link, address.path, "body")]
    bodies = open_bodies(text, stdin=stdin, search=search).bodies
    return list(map(partial(_of_inertial, place=text), bodies))


def _of_inertial(body: NamedBody, place: str) -> ComparedBody:
    """The body of a robot file or of the text of a CAD program, which states its volume besides."""
    p, volume = body.properties, body.volume
    shape = replace(p, sources={}).scaled_to_mass(volume) if volume and p.mass > 0 else None
    found, at = all_findings(body), body.place or place
    return ComparedBody(body.name, at, volume, mass=p.mass, center_of_mass=p.com, body=p, shape=shape, findings=found)


def _of_file(path: str, options: Options, stdin: BinaryIO | None) -> ComparedBody:
    """The body of a mesh or a plane file."""
    if is_planar(path, options.format):
        return _of_measurement(measure_with(options, path, stdin=stdin), path)
    with open_mesh(path, format=options.format, stdin=stdin) as mesh:
        return _of_mesh(mesh, path, options)


def _of_measurement(measurement: Measurement, path: str) -> ComparedBody:
    result = StoredResult(measurement.to_dict(), path, path, measurement.findings)
    return replace(ComparedBody.of_result(result), name=None)


def _of_mesh(mesh: MeshFile, path: str, options: Options) -> ComparedBody:
    """The body of a mesh: its geometry alone, where neither the options nor the file state what it weighs."""
    if options.states_mass or not states_densities(mesh):
        return _of_solid(mesh, path, options, geometry=not options.states_mass)
    bare = _of_solid(mesh, path, options, geometry=True)
    return replace(_of_solid(mesh, path, options, geometry=False), geometry=bare)


def _of_solid(mesh: MeshFile, path: str, options: Options, *, geometry: bool) -> ComparedBody:
    if geometry and options.on_open == "shell" and measure_with(options, mesh).method != "shell":
        options = replace(options, on_open="error")
    if geometry and options.on_open != "shell":  # a sheet has no density
        # inertia per density is inertia at unit density: the uncertainties of the geometry come with it
        options = replace(options, density=1.0)
    measurement = measure_with(options, mesh)
    found = _of_measurement(measurement, path)
    if geometry:
        found = replace(found, mass=None, body=None, findings=_geometry_findings(measurement))
    if path == "-" or measurement.method != "exact" or measurement.grade not in SOUND:
        return found
    third = ThirdMoments.of(mesh.chunks(), length_unit(found.unit), measurement.center_of_mass, mesh.facets)
    # a corner that moves by δ changes the area of a facet by δ / 2 times the edge opposite to it at most
    kind: Literal["surfaces", "facets"] = "surfaces" if measurement.input.format == "step" else "facets"
    return replace(found, kind=kind, third=third, off=replace(found.off, area=found.off.surface * third.perimeters / 2))


def _of_one_density(parts: Sequence[Mapping[str, Any]], place: str) -> MassProperties:
    """The geometry of a body whose parts differ in density: the sum of theirs; ReadError if a number of a part is none."""
    with as_read_error(place, "bad-inertial"):
        bodies = (MassProperties(*(p.get(key) for key in ("mass", "center_of_mass", "inertia"))) for p in parts)  # type: ignore[arg-type]
        return sum_of(b.scaled_to_mass(p["volume"]) for b, p in zip(bodies, parts, strict=True))


def _geometry_findings(m: Measurement) -> tuple[Finding, ...]:
    """Findings without remarks on a mass that was not given."""
    size = float(np.ptp(m.bounds, axis=0).max())
    kept = [f for f in m.findings if f.code != "implausible-density"]
    return tuple(implausible_size(size, None, m.input.unit)[0] if f.code == "implausible-size" else f for f in kept)


def _off(sources: Mapping[str, Mapping[str, Any]], area: float | None, density: float | None) -> ErrorBounds:
    """Error bounds from the sources of a result's uncertainty."""

    def total(key: str, *, without: str = "") -> float:
        known = (s[key] for name, s in sources.items() if s.get(key) is not None and name != without)
        return sum(length(np.asarray(value, dtype=np.float64)) for value in known)

    moved = sum(s["volume"] for name, s in sources.items() if name in ("resolution", "chord") and s.get("volume"))
    # inertia, Weyl: an eigenvalue moves by no more than the norm of what is added to its matrix
    shape = total("inertia", without="matter") / density if density else 0.0
    surface = moved / area if area else 0.0  # these volumes are that of a layer on the surface
    return ErrorBounds(total("volume"), total("mass"), total("center_of_mass"), total("inertia"), shape, surface)


def _stored(values: object) -> tuple[Mapping[str, Any], ...]:
    """Stored values of a result, those that can be used."""
    known = [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []
    return tuple(v for v in known if v.get("quantity") in STORED and isinstance(v.get("stored"), list))

"""A body to compare, from a mesh, a section, a result or a robot file.

Tests: `tests/comparison/test_diff.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, BinaryIO, Literal, Self

import numpy as np

from massprops.comparison.third_moments import ThirdMoments
from massprops.errors import MasspropsError, ReadError, as_read_error
from massprops.findings import Finding
from massprops.formats.address import Address
from massprops.formats.bodies import as_body
from massprops.formats.bodies.json_results import Body, body_dict, read_results
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.kinds import is_planar, kind_of, states_bodies
from massprops.formats.link_names import named_link
from massprops.formats.mesh.arrays import from_object
from massprops.formats.registry import open_mesh
from massprops.formats.search_path import SearchPath
from massprops.formats.table import EXACT
from massprops.frames import Pose
from massprops.grades import SOUND
from massprops.measurement.assembly import read_assembly
from massprops.measurement.combining import RobotPosition, join
from massprops.measurement.inferred import known_bodies
from massprops.measurement.options import Options
from massprops.measurement.parts import states_densities
from massprops.measurement.pipeline import are_paths, is_section, measure_with
from massprops.measurement.result import Measurement
from massprops.mesh.source import MeshFile
from massprops.moments.arrays import length, product, sum_of
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import implausible_size
from massprops.units import length_unit
from massprops.values import dataclass

#: Sources of uncertainty that are no resolution: the bound of the X-ray is for defects that its lines may have missed, not for rounding.
_NO_RESOLUTION = frozenset({"xray"})
#: Numbers by which a measurement knows its source again.
_SAME = ("volume", "area", "bounds", "mass")
#: And those that move the surface.
_MOVING = ("resolution", "chord")


@dataclass(frozen=True, eq=False)
class ComparedBody(Body):
    """A body to compare, and what its file says beyond a result. SI, coordinates of the file.

    Attributes
    ----------
    name : str or None
        Of the link or body; None for a file that holds one body without a name.
    uniform : MassProperties or None
        At unit density, where that is not what `properties` are with the volume as their mass.
    third : ThirdMoments or None
        Of a closed mesh that is measured as it is.
    kind : {"", "surfaces", "facets"}
        What a file that was measured as it is has: exact surfaces or facets.
    bare : ComparedBody or None
        The same without the densities that the file states.
    without_inertial : int
        Links of its file that state no inertial; 0 where one link is asked for.
    """

    name: str | None = None
    uniform: MassProperties | None = None
    third: ThirdMoments | None = None
    kind: Literal["", "surfaces", "facets"] = ""
    bare: ComparedBody | None = None
    without_inertial: int = 0

    @cached_property
    def shape(self) -> MassProperties | None:
        """At unit density: what is known without a mass."""
        p, volume = self.properties, self.volume
        if self.uniform is not None or p is None or not volume or p.mass <= 0:
            return self.uniform
        return replace(p, sources={}).scaled_to_mass(volume)

    @cached_property
    def geometry(self) -> ComparedBody | None:
        """Geometry without the densities that differ from part to part, to be compared with a body whose mass is not known."""
        parts = self.value.get("parts")
        if self.bare is not None or self.shape is None or not parts:
            return self.bare
        return self.without_mass(_of_one_density(parts, self.place))

    def without_mass(self, uniform: MassProperties | None) -> Self:
        """The body of which only the geometry is known, `uniform` at unit density."""
        own = {} if uniform is None else {"center_of_mass": uniform.com}
        return replace(self, value={**self.value, "mass": None, "inertia": None, **own}, uniform=uniform)

    def off(self, name: str) -> float:
        """Error bound of a quantity, by the sources of the result's uncertainty; of principal moments for ``inertia`` and ``shape``.

        For ``surface`` and ``bounds`` how far points of the surface can be, m.
        """
        stated = (self.value.get("uncertainty") or {}).get("sources") or {}
        sources = {source: known for source, known in stated.items() if source not in _NO_RESOLUTION}

        def total(key: str, *, without: str = "") -> float:
            known = (s[key] for source, s in sources.items() if s.get(key) is not None and source != without)
            return sum((length(np.asarray(value, dtype=np.float64)) for value in known), 0.0)

        if name in ("surface", "bounds"):  # these volumes are that of a layer on the surface
            moved = sum(s["volume"] for source, s in sources.items() if source in _MOVING and s.get("volume"))
            return moved / self.area if self.area else 0.0
        if name == "shape":  # Weyl: an eigenvalue moves by no more than the norm of what is added to its matrix
            return total("inertia", without="matter") / self.density if self.density else 0.0
        if name == "area":  # by δ / 2 times the edge opposite to each corner at most, which moves by δ
            return 0.0 if self.third is None else self.off("surface") * self.third.perimeters / 2
        return total(name)

    @property
    def is_plane(self) -> bool:
        """Whether it is a section without a solid above it."""
        return self.value.get("section") is not None and self.volume is None

    @property
    def size(self) -> float:
        """The length that differences of coordinates are relative to, m: the diagonal of the bounds, else of the body's spread."""
        if self.bounds is not None:
            return length(self.bounds[1] - self.bounds[0])
        body = self.shape or self.properties
        if body is None or not body.mass:
            return 0.0
        # a uniform rod from end to end is √12 times as long as its radius of gyration
        return float(np.sqrt(6 * np.trace(np.abs(body.inertia)) / abs(body.mass)))


def read_bodies(
    source: Any,
    options: Options,
    stdin: BinaryIO | None = None,
    search: SearchPath | None = None,
    remark: Callable[[str], object] = lambda _: None,
) -> list[ComparedBody]:
    """The bodies of a mesh, a section, a result, or a robot file (``file`` or ``file#link``).

    Parameters
    ----------
    source : path or object
        What ``compute`` or ``convert`` read, an assembly, of which the whole has no name, a measurement, mass properties, or a mesh
        or section in memory.
    options : Options
        How meshes and sections are measured; without a density, mass or material they are compared as geometry.
    stdin : BinaryIO, optional
        What ``-`` reads: a result or a robot file.
    search : SearchPath, optional
        Where the files that a robot file includes are looked for; by default around it.
    remark : callable
        Called with what was noticed about a table.

    Raises
    ------
    InvalidInput, ReadError, InvalidGeometry
        What measuring a mesh and reading a body raise.
    """
    if isinstance(source, Measurement):
        return [_of_result_in_memory(source)]
    if isinstance(source, MassProperties | NamedBody):
        body = as_body(source, "source")
        return [_of_inertial(body, body.path or type(source).__name__)]
    if not isinstance(source, str | os.PathLike):
        name = type(source).__name__
        if is_section(source, options.format):
            return [_of_measurement(measure_with(options, source), name)]
        return [_of_mesh(from_object(source), name, options)]
    text = os.fspath(source)
    kind = kind_of(text, options.format)
    if kind in ("mesh", "section"):
        return [_of_file(text, options, stdin)]
    if kind == "assembly":
        whole = join([read_assembly(text, search)], None, RobotPosition())
        parts = [replace(p.body, place=text, name=n) for p, n in zip(whole.parts, whole.part_names, strict=True)]
        return [_of_inertial(replace(whole.body, name=None), text), *(_of_inertial(part, text) for part in parts)]
    address = Address.parse(text)
    if kind_of(address.path) == "results":
        found = list(map(_of_result, read_results(address.path)))
        return found if address.link is None else [named_link(found, address.link, address.path, "body")]
    return _stated_bodies(text, address, options, stdin, search, remark)


def _stated_bodies(
    text: str,
    address: Address,
    options: Options,
    stdin: BinaryIO | None,
    search: SearchPath | None,
    remark: Callable[[str], object],
) -> list[ComparedBody]:
    """The bodies of a robot or another file of inertials; of glTF whose bodies state none the mesh."""
    try:
        contents = known_bodies(text, stdin=stdin, search=search, required=True)
    except ReadError as error:
        if error.code == "no-inertial" and states_bodies(text) and address.link is None:
            return [_of_file(text, options, stdin)]
        raise
    for note in contents.of_rows:
        remark(note)
    without = len(contents.without) if address.link is None else 0
    return [replace(_of_inertial(body, text), without_inertial=without) for body in contents.bodies]


def _of_result_in_memory(found: Measurement) -> ComparedBody:
    """A measurement as it is: with all that its source says, if that is as it was; else like its JSON, with the geometry."""
    stated = _of_measurement(found, found.input.path)
    source, options, limits, _ = vars(found).get("_made", (None, None, nullcontext, None))
    if source is not None and not are_paths(source):
        with suppress(MasspropsError), limits():
            (again,) = read_bodies(source, options)
            if all(again.value[name] == stated.value[name] for name in _SAME):
                return replace(again, findings=found.findings if found.mass is not None else again.findings)
    is_solid = found.mass is None and found.section is None and found.method != "shell"
    return stated.without_mass(found.unit_density_properties) if is_solid else stated


def _of_result(found: Body) -> ComparedBody:
    name = found.value.get("name") if found.properties is None else found.named().name
    return ComparedBody(found.value, found.place, found.path, found.findings, found.error, name)


@np.errstate(over="ignore", invalid="ignore")  # of numbers near the largest, moments that are not compared
def _of_inertial(body: NamedBody, file: str) -> ComparedBody:
    """The body of a robot file or of the text of a CAD program, which states its volume besides."""
    value = {**body_dict(body), "volume": body.volume}
    return ComparedBody(value, body.place or file, file, body.all_findings, name=body.name)


def _of_file(path: str, options: Options, stdin: BinaryIO | None) -> ComparedBody:
    """The body of a mesh or a plane file."""
    if is_planar(path, options.format):
        return _of_measurement(measure_with(options, path, stdin=stdin), path)
    with open_mesh(path, format=options.format, stdin=stdin) as mesh:
        return _of_mesh(mesh, path, options)


def _of_measurement(measurement: Measurement, path: str) -> ComparedBody:
    return ComparedBody(measurement.to_dict(), path, path, measurement.findings)


def _of_mesh(mesh: MeshFile, path: str, options: Options) -> ComparedBody:
    """The body of a mesh: its geometry alone, where neither the options nor the file state what it weighs."""
    masses = mesh.masses if options.units is not None else None
    if masses is not None and not masses.has_solids:
        return _of_solid(mesh, path, options, geometry=False)
    if options.states_mass or not (states_densities(mesh) or (masses is not None and masses.densities)):
        return _of_solid(mesh, path, options, geometry=not options.states_mass)
    bare = _of_solid(mesh, path, options, geometry=True)
    return replace(_of_solid(mesh, path, options, geometry=False), bare=bare)


def _of_solid(mesh: MeshFile, path: str, options: Options, *, geometry: bool) -> ComparedBody:
    mesh = replace(mesh, masses=None) if geometry else mesh
    if geometry and options.on_open == "shell" and measure_with(options, mesh).method != "shell":
        options = replace(options, on_open="error")
    if geometry and options.on_open != "shell":  # a sheet has no density
        # inertia per density is inertia at unit density: the uncertainties of the geometry come with it
        options = replace(options, density=1.0)
    measurement = measure_with(options, mesh)
    found = _of_measurement(measurement, path)
    if geometry:
        found = replace(found.without_mass(found.shape), findings=_geometry_findings(measurement))
    if path == "-" or measurement.method != "exact" or measurement.grade not in SOUND:
        return found
    pose, scale = options.in_unit(mesh).transform or Pose.identity(), length_unit(found.unit)
    placed = (product(chunk.astype(np.float64) * scale, pose.rotation.T) + pose.translation for chunk in mesh.chunks())
    third = ThirdMoments.of(placed, measurement.center_of_mass, mesh.facets)
    kind: Literal["", "surfaces", "facets"] = "facets" if mesh.exact is None else ""
    kind = "surfaces" if measurement.input.format in EXACT else kind
    return replace(found, kind=kind, third=third)


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

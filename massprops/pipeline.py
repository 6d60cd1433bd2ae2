"""The pipe itself: a source in, a `Measurement` out."""

from __future__ import annotations

import functools
import hashlib
import itertools
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self, get_args

import numpy as np

from massprops import units as unit
from massprops.body import OnInverted, OnOpen, body_of
from massprops.checks import implausible_size, properties_findings
from massprops.errors import InvalidGeometry, InvalidInput
from massprops.findings import SEVERITIES
from massprops.frames import Pose
from massprops.materials import find
from massprops.measurement import Axes, Input, Measurement, Method
from massprops.moments import Array
from massprops.readers import FORMATS, is_planar, open_mesh, read_planar
from massprops.readers.arrays import from_object
from massprops.readers.source import Array as Chunk
from massprops.readers.source import MeshSource
from massprops.surface import Surface

Progress = Callable[[int, int], None]

#: Second moments are fifth powers of a length: sizes outside these bounds overflow, or lose digits to underflow.
SMALLEST_SIZE, LARGEST_SIZE = 1e-50, 1e50


def measure(
    source: Any,
    *,
    density: float | str | None = None,
    mass: float | str | None = None,
    material: str | None = None,
    area_density: float | str | None = None,
    thickness: float | str | None = None,
    units: str | None = None,
    on_open: OnOpen = "error",
    on_inverted: OnInverted = "error",
    pose: Pose | None = None,
    frame: Pose | None = None,
    format: str | None = None,
    hash: bool = False,
    stdin: BinaryIO | None = None,
    progress: Progress | None = None,
    rings: Literal["evenodd", "nonzero", "orientation"] | None = None,
    layers: Sequence[str] = (),
    gap: float | str | None = None,
    centered: bool = False,
    ratios: Mapping[str, float] | None = None,
    densities: Mapping[str, float | str] | None = None,
) -> Measurement:
    """Measure a body: volume, area, centre and, with a density, mass and inertia.

    Of a plane file: the section in it, and with a thickness the solid above it.

    Parameters
    ----------
    source : path, (vertices, faces), array of shape (n, 3, 3), or an object with `.vertices` and `.faces`
        The closed surface of the body, faces wound counter-clockwise seen from outside. Or a section: a plane file, a list of such
        files (one composite section), a ring of points of shape (n, 2), or an object with `.exterior` and `.interiors` (shapely).
    density, mass, material : float, str
        At most one: kg/m³ or a text with a unit (``"7.8 g/cm3"``); kg or a text; a name from `massprops.materials`.
    area_density, thickness : float, str
        For `on_open="shell"`: kg/m² of the sheet, or its thickness in metres (with a density or a material). Of a section: kg/m² of the
        sheet that it is, or the height of the solid above it, from z = 0.
    units : str
        The length unit of the coordinates; if None, the one that the file states, else metres.
    on_open : {"error", "integrate", "hull", "shell"}
        What to measure if the surface is not closed: nothing; the integral as it is, about the middle of the bounds; the convex
        hull; the surface as a thin sheet.
    on_inverted : {"error", "flip"}
        What to do with a closed surface whose faces all look inward.
    pose : Pose
        X_WB: places the part in a parent frame W; results are in W.
    frame : Pose
        X_BF: the observer's frame F in the coordinates of the file; results are in F. Not together with `pose`.
    format : str
        Of a file whose suffix does not say it (``"stl"``).
    hash : bool
        Whether to put the file's SHA-256 into the result.
    stdin : BinaryIO
        Read instead of a path if `source` is ``"-"``.
    progress : callable
        Called with the triangles done and their number after each chunk.
    rings : {"evenodd", "nonzero", "orientation"}
        Of a plane file, what is inside: what an odd number of rings goes round (default); all that rings wind round, crossing or not;
        counter-clockwise rings less clockwise ones.
    layers : sequence of str
        The layers of a plane file that are measured; by default all.
    gap : float, str
        Ends of loose pieces within this distance are the same point, m; by default a millionth of the drawing's size.
    centered : bool
        Whether the solid above a section reaches from −thickness/2 to thickness/2.
    ratios, densities : mapping
        Of the parts of a composite section, by layer of one file or by file: modulus ratio, for the section's moments; density, for mass.

    Returns
    -------
    Measurement

    Raises
    ------
    InvalidInput
        If an argument breaks a rule.
    ReadError
        If the file cannot be read.
    InvalidGeometry
        If the surface has no valid integral and no policy allows going on.
    """
    matter = Matter.parse(density=density, mass=mass, material=material, area_density=area_density, thickness=thickness)
    motion, axes = _motion(pose, frame)
    _check_policy("on_open", on_open, get_args(OnOpen))
    _check_policy("on_inverted", on_inverted, get_args(OnInverted))
    if on_open == "shell":
        matter.check_shell()
    planar = {
        "rings": rings,
        "layers": tuple(layers),
        "gap": gap,
        "centered": centered,
        "ratios": ratios,
        "densities": densities,
    }
    if _is_section(source, format):
        return _measured_section(source, planar, matter, units, motion, axes, format, hash, stdin)
    _check_not_planar(planar)
    _keep_freed_memory()
    with _open(source, format, stdin) as mesh:
        name = units or mesh.unit or "m"
        scale = unit.length_unit(name)
        surface = integrate(mesh, progress)
        body = body_of(mesh, surface, scale, on_open, on_inverted)
        bounds = surface.bounds if motion is None else _rotated_bounds(mesh, motion.rotation)
        digest = _sha256(source, stdin) if hash else None
    measurement = Measurement(
        input=Input(mesh.name, mesh.format, mesh.encoding, name, surface.facets, digest),
        method=body.method,
        grade=body.grade,
        area=surface.area * scale**2,
        moments=(moments := body.moments.scaled(scale, body.dimension)),
        bounds=bounds * scale,
        density=matter.density_of(moments.measure, body.method),
        axes=axes,
        findings=(*mesh.findings, *body.findings),
    )
    return _checked(_moved(measurement, motion), unit_is_stated=units is not None or mesh.unit is not None)


def _check_not_planar(planar: dict[str, Any]) -> None:
    """Raise InvalidInput where a mesh is given what only sections have."""
    given = [name for name, value in planar.items() if value]
    if given:
        raise InvalidInput(f"{given[0]} is for plane files, and a mesh is measured", hint="leave it out")


def _is_section(source: Any, format: str | None) -> bool:
    """Whether a source lies in the plane: a file, a list of files, a ring of points, or an object with an exterior ring."""
    if isinstance(source, str | os.PathLike):
        return is_planar(source, format)
    if isinstance(source, tuple):  # vertices and faces
        return False
    if _are_paths(source) or hasattr(source, "exterior"):
        return True
    try:
        shape = np.shape(source)
    except ValueError:  # ragged: the mesh readers say what is wrong
        return False
    return len(shape) == 2 and shape[1] == 2


def _is_mesh(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() in FORMATS


def _are_paths(source: Any) -> bool:
    return isinstance(source, list) and bool(source) and all(isinstance(s, str | os.PathLike) for s in source)


def _measured_section(
    source: Any,
    planar: dict[str, Any],
    matter: Matter,
    units: str | None,
    motion: Pose | None,
    axes: Axes,
    format: str | None,
    hash: bool,
    stdin: BinaryIO | None,
) -> Measurement:
    """The measurement of a section; parameters as those of `measure`. Loaded only where there is one."""
    from massprops.planar.measure import Part, Planar, parts_of, planar_measurement
    from massprops.readers.planar.arrays import from_object as ring_from
    from massprops.readers.planar.source import Request

    asked = Planar.parse(**planar)
    named = source if _are_paths(source) else [source]
    mesh = next((s for s in named if _are_paths([s]) and not is_planar(s, format) and _is_mesh(s)), None)
    if mesh is not None:
        raise InvalidInput(f"{mesh}: is a mesh, and only plane files are parts of a section", hint="leave it out")
    request = Request(units, asked.layers)
    sources = [
        read_planar(s, request, format=format, stdin=stdin) if isinstance(s, str | os.PathLike) else ring_from(s)
        for s in named
    ]
    parts: list[Part] = []
    for s in sources:
        scale = unit.length_unit(units or s.unit or "m")
        parts += parts_of(s, scale, asked, by_layer=asked.composite and len(sources) == 1)
    digests = [_sha256(s, stdin) for s in named] if hash else []
    described = Input(
        " + ".join(s.name for s in sources),
        sources[0].format,
        sources[0].encoding,
        units or sources[0].unit or "m",
        None,
        digests[0] if len(digests) == 1 else None,
        sum(len(p.assembled.outlines) for p in parts),
    )
    measurement = planar_measurement(parts, asked, described, matter.thickness, motion, axes, matter.density_of)
    noticed = tuple(f for s in sources for f in s.findings)
    stated = units is not None or all(s.unit is not None for s in sources)
    return _checked(replace(measurement, findings=(*noticed, *measurement.findings)), unit_is_stated=stated)


def integrate(mesh: MeshSource, progress: Progress | None = None) -> Surface:
    """One pass over the triangles of a source, about its first vertex: differences of float32 vertices are exact.

    Raises
    ------
    InvalidGeometry
        If the body is too large or too small for its second moments to be double precision numbers.
    """
    chunks = mesh.chunks()
    first = next(chunks)
    reference = first[0, 0].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # the size itself may overflow; it is checked below, once
        parts = (Surface.of(c, reference) for c in _reported(itertools.chain([first], chunks), mesh.facets, progress))
        surface = functools.reduce(operator.add, parts)
        size = float(np.ptp(surface.bounds, axis=0).max())
    if not (size == 0 or SMALLEST_SIZE < size < LARGEST_SIZE):
        raise InvalidGeometry(
            f"{mesh.name}: the body is {size:.3g} units across; fifth powers of that are not double precision numbers",
            code="implausible-size",
            hint="scale the coordinates",
        )
    return surface


@dataclass(frozen=True)
class Matter:
    """What the body is made of, as far as the caller says: at most one of density and mass; a sheet's area density or thickness."""

    density: float | None = None
    mass: float | None = None
    area_density: float | None = None
    thickness: float | None = None

    @classmethod
    def parse(
        cls,
        *,
        density: float | str | None,
        mass: float | str | None,
        material: str | None,
        area_density: float | str | None,
        thickness: float | str | None,
    ) -> Self:
        """From the caller's values; raises InvalidInput if they contradict each other or break a rule."""
        given = {"density": density, "mass": mass, "material": material, "area density": area_density}
        named = [k for k, v in given.items() if v is not None]
        if len(named) > 1:
            raise InvalidInput(f"{' and '.join(named)} are given together", hint="give one of them")
        if thickness is not None and area_density is not None:
            raise InvalidInput("area density and thickness are given together", hint="give one of them")
        volumetric = None if density is None else unit.parse_density(density)
        return cls(
            density=find(material).density if material is not None else volumetric,
            mass=None if mass is None else unit.parse_mass(mass),
            area_density=None if area_density is None else unit.parse_area_density(area_density),
            thickness=None
            if thickness is None
            else unit.parse_length(thickness, name="thickness", must_be_positive=True),
        )

    def check_shell(self) -> None:
        """Raise InvalidInput if a density is known but the sheet's thickness is not."""
        if self.density is not None and self.thickness is None:
            raise InvalidInput(
                "a sheet has a mass per area, and only a density is given",
                hint="add --thickness, or give --area-density",
            )

    def density_of(self, measure: float, method: Method) -> float | None:
        """Mass per volume of a solid or per area of a sheet that measures `measure` (m³ or m²); None where nothing is known."""
        if self.mass is not None:
            return self.mass / measure
        if method == "shell":
            return (
                self.area_density if self.thickness is None or self.density is None else self.density * self.thickness
            )
        if method == "lamina":
            self.check_shell()
            return self.area_density
        if method == "extrusion":
            return self.density
        if self.area_density is not None or self.thickness is not None:
            raise InvalidInput(
                "an area density or a thickness describes a sheet, and the body is measured as a solid",
                hint="give --density, or measure an open surface with --on-open shell",
            )
        return self.density


def _check_policy(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidInput(f"{name} must be one of {', '.join(known)}, got {value!r}")


def _motion(pose: Pose | None, frame: Pose | None) -> tuple[Pose | None, Axes]:
    """The map from the coordinates of the file to those of the result, and whose axes these are."""
    if pose is not None and frame is not None:
        raise InvalidInput("a pose moves the part and a frame moves the observer", hint="give one of them")
    if frame is not None:
        return frame.inverse(), "frame"
    return pose, "file" if pose is None else "parent"


def _moved(measurement: Measurement, motion: Pose | None) -> Measurement:
    """The measurement in the coordinates of the pose or frame; its bounds are taken along the new axes already."""
    if motion is None:
        return measurement
    return replace(
        measurement,
        moments=measurement.moments.mapped(motion.rotation, motion.translation),
        bounds=measurement.bounds + motion.translation,
    )


def _rotated_bounds(mesh: MeshSource, rotation: Array) -> Array:
    """Bounds along rotated axes, shape (2, 3), in file units: those of the body, not of its rotated box."""
    turned = (c.astype(np.float64) @ rotation.T for c in mesh.chunks())
    extremes = np.array([(t.min(axis=(0, 1)), t.max(axis=(0, 1))) for t in turned])
    return np.array([extremes[:, 0].min(axis=0), extremes[:, 1].max(axis=0)])


def _checked(measurement: Measurement, *, unit_is_stated: bool) -> Measurement:
    """The measurement with the findings about its numbers, worst first.

    Raises
    ------
    InvalidGeometry
        If they prove that the integral is not that of any body.
    """
    found = properties_findings(measurement.unit_density_properties)
    if measurement.method == "lamina":  # a plate is what it is
        found = [f for f in found if f.code != "degenerate-rank"]
    impossible = [f for f in found if f.severity == "error"]
    if impossible:
        first = impossible[0]
        raise InvalidGeometry(
            f"{measurement.input.path}: {first.code}: {first.message}; so {_cause(measurement)}",
            code=first.code,
            hint="mend the export",
            findings=impossible,
        )
    if not unit_is_stated:
        size = float(np.ptp(measurement.bounds, axis=0).max())
        found += implausible_size(size, measurement.mass, measurement.input.unit)
    findings = sorted([*measurement.findings, *found], key=lambda f: SEVERITIES.index(f.severity))
    return replace(measurement, findings=tuple(findings))


def _cause(measurement: Measurement) -> str:
    """Why an integral can be that of no body."""
    if measurement.grade == "unverified":
        return "too much of the surface is missing or turned round for its integral to be that of a body"
    return "the surface crosses itself or is partly inside out"


def _sha256(source: Any, stdin: BinaryIO | None) -> str | None:
    """Of a file; None for arrays and for standard input, which has been read."""
    if stdin is not None or not isinstance(source, str | os.PathLike):
        return None
    with Path(source).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _open(source: Any, format: str | None, stdin: BinaryIO | None) -> AbstractContextManager[MeshSource]:
    if isinstance(source, str | os.PathLike):
        return open_mesh(source, format=format, stdin=stdin)
    return nullcontext(from_object(source))


def _reported(chunks: Iterable[Chunk], facets: int, progress: Progress | None) -> Iterator[Chunk]:
    done = 0
    for chunk in chunks:
        yield chunk
        done += len(chunk)
        if progress is not None:
            progress(done, facets)


def _keep_freed_memory() -> None:
    """Let the C library keep freed memory for the next chunk instead of giving it back to the system each time.

    glibc raises its limits for that when a large block is freed; else every temporary of a chunk is mapped anew, which costs three
    times as much as the arithmetic (benchmarks/kernel.py). The block is never touched, so it takes no memory.
    """
    np.empty(1 << 24, dtype=np.uint8)

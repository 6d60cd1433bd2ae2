"""The pipe itself: a source in, a `Measurement` out."""

from __future__ import annotations

import functools
import hashlib
import itertools
import operator
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Self, get_args

import numpy as np

from massprops.body import OnInverted, OnOpen, body_of
from massprops.checks import implausible_size, properties_findings
from massprops.errors import InvalidGeometry, InvalidInput
from massprops.findings import SEVERITIES
from massprops.frames import Pose
from massprops.matter import Matter
from massprops.measurement import Axes, Input, Measurement
from massprops.moments import Array
from massprops.readers import open_mesh
from massprops.readers.arrays import from_object
from massprops.readers.source import Array as Chunk
from massprops.readers.source import MeshSource, keep_freed_memory
from massprops.surface import Surface
from massprops.units import length_unit

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
) -> Measurement:
    """Measure a body: volume, area, centre and, with a density, mass and inertia.

    Parameters
    ----------
    source : path, (vertices, faces), array of shape (n, 3, 3), or an object with `.vertices` and `.faces`
        The closed surface of the body, faces wound counter-clockwise seen from outside.
    density, mass, material : float, str
        At most one: kg/m³ or a text with a unit (``"7.8 g/cm3"``); kg or a text; a name from `massprops.materials`.
    area_density, thickness : float, str
        For `on_open="shell"`: kg/m² of the sheet, or its thickness in metres (with a density or a material).
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
    plan = Plan.parse(
        matter=Matter.parse(
            density=density, mass=mass, material=material, area_density=area_density, thickness=thickness
        ),
        units=units,
        on_open=on_open,
        on_inverted=on_inverted,
        pose=pose,
        frame=frame,
        format=format,
        hash=hash,
    )
    return plan.measure(source, stdin=stdin, progress=progress)


@dataclass(frozen=True, eq=False)
class Plan:
    """How to measure: the caller's wishes, checked once, for any number of sources. See `measure` for what they mean."""

    matter: Matter
    units: str | None
    on_open: OnOpen
    on_inverted: OnInverted
    motion: Pose | None
    axes: Axes
    format: str | None
    hash: bool

    @classmethod
    def parse(
        cls,
        *,
        matter: Matter,
        units: str | None,
        on_open: OnOpen,
        on_inverted: OnInverted,
        pose: Pose | None,
        frame: Pose | None,
        format: str | None,
        hash: bool,
    ) -> Self:
        """From the caller's values; raises InvalidInput if they contradict each other or break a rule."""
        if units is not None:
            length_unit(units)
        _check_policy("on_open", on_open, get_args(OnOpen))
        _check_policy("on_inverted", on_inverted, get_args(OnInverted))
        if on_open == "shell":
            matter.check_shell()
        motion, axes = _motion(pose, frame)
        return cls(matter, units, on_open, on_inverted, motion, axes, format, hash)

    def measure(self, source: Any, *, stdin: BinaryIO | None = None, progress: Progress | None = None) -> Measurement:
        """Measure one source, as `measure` does."""
        keep_freed_memory()
        with _open(source, self.format, stdin) as mesh:
            unit = self.units or mesh.unit or "m"
            scale = length_unit(unit)
            surface = integrate(mesh, progress)
            body = body_of(mesh, surface, scale, self.on_open, self.on_inverted)
            bounds = surface.bounds if self.motion is None else _rotated_bounds(mesh, self.motion.rotation)
            digest = _sha256(source, stdin) if self.hash else None
        moments = body.moments.scaled(scale, body.dimension)
        measurement = Measurement(
            input=Input(mesh.name, mesh.format, mesh.encoding, unit, surface.facets, digest),
            method=body.method,
            grade=body.grade,
            area=surface.area * scale**2,
            moments=moments,
            bounds=bounds * scale,
            density=self.matter.density_of(moments.measure, body.method),
            axes=self.axes,
            findings=(*mesh.findings, *body.findings),
        )
        return _checked(_moved(measurement, self.motion), unit_is_stated=bool(self.units or mesh.unit))


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

"""The pipe itself: a source in, a `Measurement` out."""

from __future__ import annotations

import functools
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, Unpack

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, as_error
from massprops.findings import SEVERITIES, BentFaces, Finding
from massprops.formats.files import size_limit
from massprops.formats.mesh.arrays import from_object
from massprops.formats.registry import is_planar, open_mesh
from massprops.grades import SHEETS
from massprops.measurement.options import Options, check_names
from massprops.measurement.result import Input, Measurement, Outcome
from massprops.mesh.components import count_bodies
from massprops.mesh.coordinate_resolution import resolution
from massprops.mesh.enclosed_solid import Body, sheet_of
from massprops.mesh.repaired_solid import solid_of
from massprops.mesh.source import Boxes, Chunk, MeshSource, keep_freed_memory
from massprops.mesh.surface import Surface, total
from massprops.moments import uncertainty
from massprops.moments.arrays import product, sum_of
from massprops.moments.exact import ExactMoments
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Spread, Uncertainty
from massprops.rigid_body.consistency import is_solid
from massprops.rigid_body.plausibility import implausible_density, implausible_size, properties_findings
from massprops.units import exact_length_unit, length_unit
from massprops.values import dataclass
from massprops.wording import percent

if TYPE_CHECKING:
    from massprops.measurement.arguments import MeasureOptions

Progress = Callable[[int, int], None]

#: Exact results are for files of up to so many triangles: ten seconds.
EXACT_LIMIT = 10_000_000

#: Second moments are fifth powers of a length: sizes outside these bounds overflow, or lose digits to underflow.
SMALLEST_SIZE, LARGEST_SIZE = 1e-50, 1e50


def measure(  # the options are arguments
    source: Any,
    *,
    stdin: BinaryIO | None = None,
    progress: Progress | None = None,
    max_bytes: int | None = None,
    **options: Unpack[MeasureOptions],
) -> Measurement:
    """Measure a body: volume, area, centre and, with a density, mass and inertia.

    Of a plane file: the section in it, and with a thickness the solid above it.

    Parameters
    ----------
    source : path, (vertices, faces), array of shape (n, 3, 3), or an object with `.vertices` and `.faces`
        The closed surface of the body, faces wound counter-clockwise seen from outside. Or a section: a plane file, a list of such
        files (one composite section), a ring of points of shape (n, 2), or an object with `.exterior` and `.interiors` (shapely).
    density, mass, material : float, str
        At most one: kg/m³ or a text with a unit (``"7.8 g/cm3"``); kg or a text; a name from `massprops.materials`. A density that
        varies in space is a `massprops.PolynomialDensity`, integrated exactly, or any function of points in metres, shape (n, 3), in the
        coordinates of the result, that returns n densities in kg/m³; it is also evaluated in the convex hull of the body.
    area_density, thickness : float, str
        For `on_open="shell"`: kg/m² of the sheet, or its thickness in metres (with a density or a material). Of a section: kg/m² of the
        sheet that it is, or the height of the solid above it, from z = 0.
    units : str
        The length unit of the coordinates; if None, the one that the file states, else metres.
    on_open : {"error", "integrate", "hull", "shell"}
        What to measure if the surface is not closed: nothing; the integral as it is, about the middle of the bounds; the convex
        hull; the surface as a thin sheet.
    on_inverted : {"error", "flip"}
        What to do with a closed surface whose faces all look inward, or with such a body among several.
    on_overlap : {"error", "count", "union"}
        What to measure if the surface bounds some points more than once, or negatively: nothing, above a thousandth of the
        volume; every point as often as it is bounded; the union, as an estimate.
    nested : {"ask", "cavity", "body"}
        What a body is that lies inside another and is wound the same way: a reason to refuse; a cavity; part of the solid.
    verify : {"none", "closed", "xray", "proof", "auto"}
        What has to hold: nothing; the surface is closed and consistently wound; and its winding number is 0 or 1 along lines; or no two
        facets meet but in what they share, which proves it. `auto`: the proof up to 200,000 facets, and lines where it is left open.
    lines : int
        Lines per side of the lattices of the X-ray: 3 · lines² in all.
    repair : {"none", "safe", "full"}
        What may be done to a surface that is refused as it is, step by step, each with a bound: nothing; what moves no vertex by more than
        1e-6 of the size and leaves less than 1e-4 of the volume open; welds up to 1e-3, holes with their interval, and unions, up to a
        tenth. A surface that is valid, or that one of the policies above covers, is not touched.
    max_uncertainty : float, str
        The largest ± of the volume (of a section: the area), as a share or in percent (``"1 %"``); the limit of the repairs, too.
    kind : {"solid", "sheet", "wall"}
        What the surface of a mesh is measured as: the solid inside it; the surface itself, closed or open, of an `area_density` or a
        `thickness`; a wall of `thickness` inside the surface.
    infill : float, str
        Of a wall: the share of its inside that is filled with the same density, ``"15 %"``.
    chord_tolerance : float, str
        How far the facets, or the outlines of a section, may be from the true ones (the export's setting), metres or a text with a unit.
    pose : Pose
        X_WB: places the part in a parent frame W; results are in W.
    frame : Pose
        X_BF: the observer's frame F in the coordinates of the file; results are in F. Not together with `pose`.
    format : str
        Of a file whose suffix does not say it (``"stl"``).
    hash : bool
        Whether to put the file's SHA-256 into the result.
    exact : bool
        Whether every number shall be the double nearest to the truth about the coordinates of the file: exact sums, rounded once.
    jobs : int
        Threads that work on a large mesh; the result does not depend on it.
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
    torsion : bool
        Whether the torsion of a section is computed: torsion and warping constants and shear centre, in seconds (extra ``torsion``).
    ratios : mapping
        Modulus ratios of the parts of a composite section, by layer of one file or by file, for the section's moments.
    densities, materials : mapping
        Densities, or names of materials, of the parts of a file or of a composite section: by name of object, group, node, layer or
        material, or by a pattern (``"bolt*"``). A `density` or `material` is that of all other parts.
    count_bodies : bool
        Whether the separate bodies of a mesh are counted, which costs more than its integral.
    max_bytes : int
        The largest file that is read; by default 4 GiB for meshes (none for binary STL, which is read in parts) and 256 MiB for others.

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
    check_names(options, "stdin", "progress", "max_bytes")
    with size_limit(max_bytes):
        return measure_with(Options(**options), source, stdin=stdin, progress=progress)


def measure_with(
    options: Options, source: Any, *, stdin: BinaryIO | None = None, progress: Progress | None = None
) -> Measurement:
    """Measure one source, as `measure` does."""
    if not is_section(source, options.format):
        options.check_for_mesh()
        return _measured_mesh(options, source, stdin, progress)
    options.check_for_section()
    from massprops.measurement.section import measure_section

    section, stated = measure_section(source, options, stdin)
    _check_limit(section, options.largest_share)
    return _checked(section, unit_is_stated=stated)


def outcome_of(path: str, options: Options, source: Any = None, **how: Any) -> Outcome:
    """What becomes of one file, or of all files of a section together, named `path`; `how` as for `measure_with`."""
    start = time.perf_counter()
    try:
        measurement = measure_with(options, source or path, **how)
    except Exception as error:
        return Outcome(path, None, as_error(error, path), time.perf_counter() - start)
    return Outcome(path, measurement, None, time.perf_counter() - start)


def is_section(source: Any, format: str | None) -> bool:
    """Whether a source lies in the plane: a file, a list of files, a ring of points, or an object with an exterior ring."""
    if isinstance(source, str | os.PathLike):
        return is_planar(source, format)
    if isinstance(source, tuple):  # vertices and faces
        return False
    if are_paths(source) or hasattr(source, "exterior") or hasattr(source, "geoms"):
        return True
    try:
        shape = np.shape(source)
    except ValueError:  # ragged: the mesh readers say what is wrong
        return False
    return len(shape) == 2 and shape[1] == 2


def _measured_mesh(options: Options, source: Any, stdin: BinaryIO | None, progress: Progress | None) -> Measurement:
    keep_freed_memory()
    is_file = isinstance(source, str | os.PathLike)
    with open_mesh(source, format=options.format, stdin=stdin) if is_file else nullcontext(from_object(source)) as mesh:
        stated = bool(options.units or mesh.unit)
        mesh.jobs = options.jobs
        surface = integrate(mesh, progress)
        if not (options.part_matter or mesh.is_divided):
            return _checked(_measured(options, mesh, surface)[0], unit_is_stated=stated)
        from massprops.measurement.parts import is_divided, measure_parts

        if not is_divided(options, mesh):
            return _checked(_measured(options, mesh, surface)[0], unit_is_stated=stated)
        whole = measure_parts(options, mesh, surface.boundary.closed, _measured_part, integrate)
        _check_limit(whole, options.largest_share)
        return _checked(whole, unit_is_stated=stated)


def _measured_part(options: Options, mesh: MeshSource) -> tuple[Measurement, MeshSource | None]:
    measurement, bounding = _measured(options, mesh, integrate(mesh))
    return _checked(measurement, unit_is_stated=True), bounding


def _measured(options: Options, mesh: MeshSource, surface: Surface) -> tuple[Measurement, MeshSource | None]:
    """The body of one mesh, not yet checked, and the triangles that bound it."""
    if options.exact and mesh.exact is not None:
        what = "no exact results: its surfaces are not flat, and their integrals have a stated error instead"
        raise InvalidInput(what, place=mesh.name, hint="leave out --exact")
    if options.exact and mesh.is_rounded:
        what = "no exact results: the file places its mesh by a transform, which rounds the coordinates"
        raise InvalidInput(what, place=mesh.name, hint="export it without transforms, or without --exact")
    unit = options.units or mesh.unit or "m"
    scale = length_unit(unit)
    rounding = resolution(mesh, float(np.abs(surface.bounds).max())).half_unit
    try:
        body = _body(options, mesh, surface, scale, rounding)
    except InvalidGeometry as error:
        raise error.noting(mesh.findings) from None
    exact_solid = mesh.exact if body.method == "exact" and body.mesh is mesh else None
    if exact_solid is not None:
        from massprops.mesh.exact_body import exact_body

        body = exact_body(exact_solid, body, surface, mesh.name)
        summed = _Summed(body.moments.recentred(), uncertainty.conversion(body.moments))
    else:
        summed = _summed(options, body, body.surface or surface)
    extent = surface.bounds if exact_solid is None else exact_solid.bounds
    bounds = extent if options.motion is None else _rotated_bounds(mesh, options.motion.rotation)
    spreads = _spreads(options, mesh, body, summed, body.surface or surface, rounding, scale)
    digest, facets = mesh.digest() if options.hash else None, surface.facets if exact_solid is None else None
    # sorting all vertices costs more than the integral: only for who asks
    bodies = count_bodies(mesh) if options.count_bodies and body.dimension == 3 else None
    exact = None
    if options.exact and summed.exact is not None:
        exact = summed.exact.scaled(exact_length_unit(unit))
        exact = exact if options.motion is None else exact.moved(options.motion.rotation, options.motion.translation)
    surface = body.surface or surface
    moments = summed.moments.scaled(scale, body.dimension)
    if body.method in ("exact", "hull"):
        options.matter.check_solid(closed=surface.boundary.closed)
        if options.on_open == "shell" and options.mass is not None:
            raise InvalidInput(
                "the surface is closed: the mass would be that of the solid, not of a shell",
                hint="leave out --on-open shell; for a thin wall, export an open surface or use 'massprops shape'",
            )
    density = options.matter.density_of(moments.measure, body.method)
    measurement = Measurement(
        input=Input(mesh.name, mesh.format, mesh.encoding, unit, facets, digest, bodies=bodies),
        method=body.method,
        grade=body.grade,
        area=None if body.area is None else body.area * scale**2,
        moments=moments,
        bounds=bounds * scale,
        density=density,
        given_mass=options.matter.mass,
        axes=options.axes,
        findings=(*_in_metres(mesh.findings, scale, moments.measure, body.dimension), *body.findings, *summed.findings),
        sources=_uncertainties(options, spreads, moments, density, body.dimension),
        repairs=body.repairs,
        stated=options.matter.stated_errors(is_sheet=body.method == "shell"),
    )
    _check_limit(measurement, options.largest_share)
    moved, motion = measurement, options.motion
    if motion is not None:
        placed = measurement.moments.moved(motion.rotation, motion.translation)
        moved = replace(measurement, moments=placed, bounds=measurement.bounds + motion.translation)
    if exact is not None:
        moved = replace(moved, moments=exact.rounded(), exact=exact)
    if callable(options.density):
        from massprops.measurement.varying_density import with_varying_density  # only who needs it pays for its modules

        moved = with_varying_density(
            moved, options.density, body, surface, summed.moments.centroid, spreads, scale, motion, rounding
        )
    return moved, body.mesh


def _body(options: Options, mesh: MeshSource, surface: Surface, scale: float, rounding: float) -> Body:
    """What is measured: the solid, the surface as a sheet, or a wall inside it."""
    if options.kind == "sheet":
        return sheet_of(mesh, surface)
    if mesh.exact is not None:
        mesh.exact.check(mesh.name)
        options = replace(options, repair="none")  # repairs are for triangles
    body = solid_of(mesh, surface, scale, rounding, options)
    if options.kind == "solid" or options.matter.thickness is None:
        return body
    from massprops.mesh.wall import walled

    return walled(body, options.matter.thickness / scale, options.infill_share)


def _check_limit(m: Measurement, limit: float | None) -> None:
    if limit is None:
        return
    name, size, off, remedy = "volume", m.volume, m.uncertainty.volume if m.uncertainty else None, "--lines"
    if m.section is not None:
        name, size, off, remedy = "area", m.section.area, m.section.area_error, "--chord-tolerance"
    if off is not None and (not size or off <= limit * size):
        return
    share = None if off is None or not size else off / size
    message = f"the ± of the {name} is not known ({m.grade}), and may exceed the limit of {percent(limit)}"
    if share is not None:
        message = f"the {name} is known within ±{percent(share)}, which exceeds the limit of {percent(limit)}"
    raise InvalidGeometry(
        f"{m.input.path}: {message}",
        code="uncertain-volume",
        hint=f"see --max-uncertainty and {remedy}",
        findings=[Finding("uncertain-volume", "error", message, value=share, limit=limit)],
    )


def _summed(options: Options, body: Body, surface: Surface) -> _Summed:
    """The moments about the centroid, and what rounding can have done to them; without any where that is asked for or too much."""
    solid, spread = body.moments, uncertainty.arithmetic(body.moments, surface.magnitude)
    size = float(np.ptp(surface.bounds, axis=0).max())
    poor = uncertainty.exceeds_rounding_limit(spread, solid, size)
    if body.method != "exact" or body.mesh is None:
        if options.exact:
            raise InvalidInput("exact results are those of a solid inside its own surface, as it is or turned round")
        poor = False
    elif options.exact and surface.facets > EXACT_LIMIT:
        raise InvalidInput(f"exact results are for up to {EXACT_LIMIT:,} triangles, got {surface.facets:,}")
    elif poor and not options.exact:  # the first vertex is at the rim: about the middle the terms are smaller
        nearer = integrate(body.mesh, about=surface.bounds.mean(axis=0))
        solid, spread = nearer.solid, uncertainty.arithmetic(nearer.solid, nearer.magnitude)
        poor = uncertainty.exceeds_rounding_limit(spread, solid, size)
    if body.mesh is None or not (poor or options.exact):
        return _Summed(solid.recentred(), spread)
    from massprops.moments.exact import solid_moments

    exact, cut = solid_moments(body.mesh.chunks())
    moments = exact.rounded()
    note = Finding("summed-exactly", "info", "rounding could have cost more than 1e-12: summed again, without any")
    spread = uncertainty.rounded_once(moments) if cut is None else uncertainty.rounded_once(moments) + cut
    return _Summed(moments.recentred(), spread, exact, () if options.exact else (note,))


def _spreads(
    options: Options, mesh: MeshSource, body: Body, summed: _Summed, surface: Surface, rounding: float, scale: float
) -> dict[str, Spread]:
    """By source, how far the integrals of a solid can be off; none where its surface is not valid. In metres, axes of the result."""
    if body.method not in ("exact", "wall", "infill") or (body.grade == "unverified" and options.verify != "none"):
        return {}
    solid, sheet = body.moments, surface.sheet
    spreads = {
        "arithmetic": summed.spread,
        "resolution": uncertainty.displacement(solid, sheet, math.sqrt(3) * rounding),
    }
    for name, spread in body.sources.items():
        spreads[name] = spreads[name] + spread if name in spreads else spread
    bent = _of_bent_faces(body, mesh, surface.bounds)
    if body.method != "exact":  # a wall has two surfaces
        spreads["resolution"] += spreads["resolution"]
    if bent is not None:
        spreads["faces"] = bent
    if mesh.exact is not None:
        if body.moments is not mesh.exact.moments:
            spreads["chord"] = mesh.exact.apart(solid, sheet)
    elif options.chord:
        spreads["chord"] = _of_chords(body, mesh, surface, options.chord / scale)
        if spreads["chord"].volume >= solid.measure:
            what = f"a chord tolerance of {options.chord:.3g} m leaves nothing certain of the volume"
            raise InvalidInput(what, hint="is its unit meant?")
    scaled = {name: spread.scaled(scale, body.dimension) for name, spread in spreads.items()}
    if options.motion is None:
        return scaled
    moved = {name: spread.rotated(options.motion.rotation) for name, spread in scaled.items()}
    moved["arithmetic"] += uncertainty.placement(solid.centroid * scale, options.motion.translation)
    return moved


def _uncertainties(
    options: Options, spreads: dict[str, Spread], moments: Moments, density: float | None, dimension: int
) -> dict[str, Uncertainty]:
    if not spreads:
        return {}
    kind = {"solid": dimension == 3}
    given = options.matter.mass is not None
    of = {k: Uncertainty.of(s, moments, density, mass_is_given=given, **kind) for k, s in spreads.items()}
    if density is not None and options.matter.relative:
        shape = sum_of(of.values())
        of["matter"] = Uncertainty.of_matter(options.matter.relative, moments, density, shape)
    return of


def _of_chords(body: Body, mesh: MeshSource, surface: Surface, distance: float) -> Spread:
    """What the chord tolerance leaves open: facet by facet for a solid that is not too large, else its product with the area."""
    from massprops.mesh.chord_heights import MOST_FACETS, chord_displacement

    if body.method != "exact" or surface.facets > MOST_FACETS:
        return uncertainty.displacement(body.moments, surface.sheet, distance)
    return chord_displacement(body.mesh or mesh, body.moments, distance)


def _of_bent_faces(body: Body, mesh: MeshSource, bounds: Array) -> Spread | None:
    """What other cuts of the file's faces that are not flat would change; with its sign, where they bound the body as they are."""
    found = next((f for f in mesh.findings if isinstance(f, BentFaces)), None)
    if found is None or found.value is None:
        return None
    less, more = found.change
    off = uncertainty.hidden(body.moments, bounds, more - less)
    return replace(off, volume=found.value, signed=found.change) if body.mesh is mesh else off


#: A share of the volume that faces which are not flat may decide without a warning.
_NOTABLE = 1e-3


def _in_metres(findings: Iterable[Finding], scale: float, measure: float, dimension: int) -> Iterator[Finding]:
    """What a reader noticed, in the units of the result; faces that are not flat are judged by the volume that they leave open."""
    for f in findings:
        if isinstance(f, BentFaces) and f.value is not None:
            open_volume, (less, more) = f.value * scale**3, f.change
            share = open_volume / abs(measure) if dimension == 3 and measure else math.inf
            yield replace(
                f,
                value=open_volume,
                change=(less * scale**3, more * scale**3),
                severity="warning" if share > _NOTABLE else "info",
                message=f.message + (f", by up to {percent(share)}" if math.isfinite(share) else ""),
            )
        else:
            yield f


@dataclass(frozen=True, eq=False)
class _Summed:
    """Moments about their centroid, in file units; what rounding can have done to them; and the fractions, where there is none."""

    moments: Moments
    spread: Spread
    exact: ExactMoments | None = None
    findings: tuple[Finding, ...] = ()


def integrate(mesh: MeshSource, progress: Progress | None = None, about: Array | None = None) -> Surface:
    """One pass over the triangles of a source, by default about its first vertex: differences of float32 vertices are exact.

    Raises
    ------
    InvalidGeometry
        If the body is too large or too small for its second moments to be double precision numbers.
    """
    reference = next(mesh.chunks())[0, 0].astype(np.float64) if about is None else about
    with np.errstate(over="ignore", invalid="ignore"):  # the size itself may overflow; it is checked below, once
        boxes = Boxes.room(mesh.facets)
        parts = mesh.map(functools.partial(_gathered, reference, boxes))
        surface = total(_reported(parts, mesh.facets, progress))
        mesh.boxes = boxes
        size = float(np.ptp(surface.bounds, axis=0).max())
    if not (size == 0 or SMALLEST_SIZE < size < LARGEST_SIZE):
        raise InvalidGeometry(
            f"{mesh.name}: the body is {size:.3g} units across; fifth powers of that are not double precision numbers",
            code="implausible-size",
            hint="scale the coordinates",
        )
    return surface


def _rotated_bounds(mesh: MeshSource, rotation: Array) -> Array:
    """Bounds along rotated axes, shape (2, 3), in file units: those of the body, not of its rotated box."""
    turned = (product(c.astype(np.float64), rotation.T) for c in mesh.chunks())
    extremes = np.array([(t.min(axis=(0, 1)), t.max(axis=(0, 1))) for t in turned])
    return np.array([extremes[:, 0].min(axis=0), extremes[:, 1].max(axis=0)])


def _checked(measurement: Measurement, *, unit_is_stated: bool) -> Measurement:
    """The measurement with the findings about its numbers, worst first.

    Raises
    ------
    InvalidGeometry
        If they prove that the integral is not that of any body.
    """
    moments = measurement.moments
    sound = moments.measure > 0 and is_solid(moments.central_second())
    found = [] if sound else properties_findings(measurement.unit_density_properties)
    # a foil is a plate to any tolerance, and yet a solid; a section without a mass is no body
    if measurement.method not in SHEETS or (measurement.method == "lamina" and measurement.density is None):
        found = [f for f in found if f.code != "degenerate-rank"]
    impossible = [f for f in found if f.severity == "error"]
    if impossible:
        first = impossible[0]
        cause = "the surface crosses itself or is partly inside out"
        if measurement.grade == "unverified":
            cause = "too much of the surface is missing or turned round for its integral to be that of a body"
        what = f"{measurement.input.path}: {first.code}: {first.message}; so {cause}"
        raise InvalidGeometry(what, code=first.code, hint="mend the export", findings=impossible)
    if not unit_is_stated:
        size = float(np.ptp(measurement.bounds, axis=0).max())
        found += implausible_size(size, measurement.mass, measurement.input.unit)
    if measurement.density is not None:
        _check_finite(measurement)
        mean = measurement.parts or any(f.code == "varying-density" for f in measurement.findings)
        if measurement.method not in SHEETS and not mean:  # a mean density is that of no material
            found += implausible_density(measurement.density, from_mass=measurement.given_mass is not None)
    if not found and len(measurement.findings) < 2:
        return measurement
    findings = sorted([*measurement.findings, *found], key=lambda f: SEVERITIES.index(f.severity))
    return replace(measurement, findings=tuple(findings))


def _check_finite(measurement: Measurement) -> None:
    """Raise InvalidInput if mass and inertia are not positive, finite numbers: they have left double precision."""
    density, mass = measurement.density or 0.0, measurement.mass or 0.0
    inertia = density * float(np.abs(measurement.moments.central_second()).max())
    if not (0 < mass < math.inf and 0 < inertia < math.inf):
        what = f"a density of {density:.3g} kg/m³ gives {mass:.3g} kg, and an inertia outside double precision"
        raise InvalidInput(what, hint="is the density or the mass meant?")


def are_paths(source: Any) -> bool:
    """Whether a source is a list of files."""
    return isinstance(source, list) and bool(source) and all(isinstance(s, str | os.PathLike) for s in source)


def _gathered(reference: Array, boxes: Boxes | None, chunk: Chunk, first: int) -> Surface:
    with np.errstate(over="ignore", invalid="ignore"):  # which other threads do not take over
        return Surface.of(chunk, reference, boxes.of(first, len(chunk)) if boxes else ())


def _reported(parts: Iterable[Surface], facets: int, progress: Progress | None) -> Iterator[Surface]:
    done = 0
    for part in parts:
        yield part
        done += part.facets
        if progress is not None:
            progress(done, facets)

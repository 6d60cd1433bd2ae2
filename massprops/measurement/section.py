"""The pipe for plane files: rings in, a `Measurement` out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from typing import Any, BinaryIO

import numpy as np

from massprops.errors import InvalidInput, stating_unit
from massprops.formats.address import literal_name
from massprops.formats.kinds import kind_of
from massprops.formats.registry import read_planar
from massprops.formats.section.arrays import from_object
from massprops.frames import Pose
from massprops.grades import Method
from massprops.measurement.checks import add_plausibility, check_limit
from massprops.measurement.options import Options
from massprops.measurement.part_names import by_part
from massprops.measurement.parts import options_by_part
from massprops.measurement.result import Input, MeasuredPart, Measurement, measurement_of
from massprops.mesh.source import PartLabel, digest_of_several
from massprops.moments.arrays import sum_of
from massprops.moments.integrals import Array, Moments
from massprops.section.assemble import assemble, join
from massprops.section.part_overlaps import overlap_findings
from massprops.section.parts import Assembled, Part
from massprops.section.properties import Section, extrusion_of, lamina_of
from massprops.section.rings import PlanarSource, Request, Ring
from massprops.section.uncertainty import Extrusion, plane_spreads
from massprops.units import exact_length_unit
from massprops.wording import by_end


def measure_section(source: Any, options: Options, stdin: BinaryIO | None) -> Measurement:
    """The measurement of a section.

    Parameters
    ----------
    source : path, list of paths, ring or polygon
        As `massprops.measure` takes it.
    options : Options
        How it is measured.
    stdin : BinaryIO or None
        Read instead of a path that is ``-``.
    """
    options.check_applicable("section")
    if options.wall_thickness is not None and options.states_mass:
        what = "of a section, {} is that of its wall, and a mass needs a length"
        raise InvalidInput(what, names=("thickness",), hint="multiply the area with the length and the density")
    named = source if isinstance(source, list) and isinstance(source[0], str | PathLike) else [source]
    for s in named:
        if isinstance(s, str | PathLike) and kind_of(s, options.format) == "mesh":
            what = "is a mesh, and only plane files are parts of a section"
            raise InvalidInput(what, place=str(s), hint="leave it out")
    sources, parts = read_parts(named, options, stdin)
    described = Input(
        " + ".join(s.name for s in sources),
        sources[0].format,
        sources[0].encoding,
        options.unit_of(sources[0]),
        None,
        digest_of_several([s.sha256 for s in sources]),
        sum(len(p.assembled.outlines) for p in parts),
    )
    measurement = planar_measurement(parts, options.in_unit(sources[0]), described)
    if options.transform is not None:
        placing = options.axes.replace("parent", "pose")
        require_body(measurement, placing, f", or leave out the {placing} or {placing} matrix")
    noticed = tuple(f for s in sources for f in (*s.findings, *options.unit_findings(s)))
    stated = all(options.in_unit(s).units is not None for s in sources)
    if any(f.code == "stray-fills" for f in noticed) and measurement.grade == "certified":
        measurement = replace(measurement, grade="closed")
    section = replace(
        measurement, given_mass=options.mass_specification.mass, findings=(*noticed, *measurement.findings)
    )
    check_limit(section, options.largest_share)
    return add_plausibility(section, unit_is_stated=stated)


def require_body(m: Measurement, parameter: str, otherwise: str = "") -> None:
    """Raise InvalidInput, naming the argument that is for bodies, of a section by itself."""
    if m.method == "lamina" and m.properties is None:
        what = "is for bodies, and this is a section without a thickness or an area density"
        raise InvalidInput(what, parameter=parameter, place=m.input.path, hint=f"give one of them{otherwise}")


def require_plane(m: Measurement, about: Any, line: object) -> None:
    """Raise InvalidInput if the inertia of a section without thickness is asked for about a line, or a point with a z."""
    if line is not None:
        require_body(m, "axis")
    if not isinstance(about, str | None) and any(about[2:]):
        require_body(m, "about", ", or leave out its z")


def read_parts(
    named: Sequence[Any], options: Options, stdin: BinaryIO | None = None
) -> tuple[list[PlanarSource], list[Part]]:
    """Contents of plane files or rings, and the parts that their outlines make; raises the errors of `parts_of` and of the readers."""
    request = _request(options)
    sources = [
        read_planar(s, request, format=options.format, stdin=stdin, hash=options.hash)
        if isinstance(s, str | PathLike)
        else from_object(s)
        for s in named
    ]
    by_layer = len(sources) == 1 and bool(options.ratios or options.part_specifications)
    units = [options.unit_of(s) for s in sources]
    found: list[Part] = []
    for s, unit in zip(sources, units, strict=True):
        with stating_unit(unit):
            found += parts_of(s, exact_length_unit(unit), options, by_layer=by_layer)
    return sources, found


def read_rings(path: str, options: Options) -> tuple[PlanarSource, list[Ring]]:
    """Contents of a plane file, and the rings of the layers that are measured."""
    source = read_planar(path, _request(options), format=options.format)
    return source, _select(source, options.layers)


def _request(options: Options) -> Request:
    return Request(options.override_units or options.units, [*map(literal_name, options.layers)])


def parts_of(source: PlanarSource, unit: Fraction, options: Options, *, by_layer: bool) -> list[Part]:
    """The section of one file, or of each of its layers.

    Raises
    ------
    InvalidInput
        If a layer that is asked for is not there.
    InvalidGeometry
        If there is no single area.
    """
    rings = _select(source, options.layers)
    scale, gap = float(unit), options.in_unit(source).gap_length
    gap = None if gap is None else gap / scale
    groups = {source.name: rings}
    if by_layer and any(r.layer for r in rings):
        groups = {layer: [r for r in rings if r.layer == layer] for layer in dict.fromkeys(r.layer for r in rings)}
    wall = (options.in_unit(source).wall_thickness or 0.0) / scale

    def assembled(own: Sequence[Ring]) -> Assembled:
        return assemble(source, own, scale, options.rings, gap, exact=options.exact, wall=wall)

    return [Part(name, assembled(own), unit) for name, own in groups.items()]


def _select(source: PlanarSource, layers: Sequence[str]) -> list[Ring]:
    known = list(dict.fromkeys(r.layer for r in source.rings))
    named = ", ".join(map(repr, known)) if any(known) else "none"
    chosen = {name: by_end(literal_name(name), known) for name in layers}
    for name, found in chosen.items():
        if found is None:
            raise InvalidInput(f"there is no layer {name!r}", hint=f"layers with outlines: {named}")
    return [r for r in source.rings if not layers or r.layer in chosen.values()]


@dataclass(frozen=True)
class _Own:
    """Parts of different densities: the mean ρ, the largest ρᵢ/ρ, and the options of each part."""

    mean: float
    largest: float
    options: Sequence[Options]


def section_of(parts: Sequence[Part], options: Options) -> tuple[Section, Moments, _Own | None]:
    """The section, weighted with the ratios; the plane moments of its mass, scaled to measure its area; and the densities.

    Parts of density ρᵢ have the moments Σ ρᵢ Jᵢ = ρ Σ (ρᵢ/ρ) Jᵢ with the mean density ρ = Σ ρᵢ Aᵢ / Σ Aᵢ.

    Raises
    ------
    InvalidInput
        If a ratio or density names no part, or a part has no density while others have.
    """
    # two parts may have one name: a file that is given more than once counts as often
    sections = [(p.name, p.section) for p in parts]
    names = [(name,) for name, _ in sections]
    ratios = [ratio or 1.0 for ratio in by_part(options.ratios or {}, names, "ratio")]
    section = sum_of(s.weighted(ratio) for (_, s), ratio in zip(sections, ratios, strict=True))
    if not options.part_specifications:
        return section, sum_of(s.moments for _, s in sections), None
    own = options_by_part(options, [PartLabel(p.name) for p in parts])
    if any(e.shared for o in own for e in o.mass_specification.errors):
        what = "the ± of a density is supported for the parts of a mesh only"
        raise InvalidInput(what, argument="densities", code="tolerance-not-propagated", hint="leave it out")
    densities = [o.mass_specification.density or 0.0 for o in own]
    mean = sum(d * s.area for d, (_, s) in zip(densities, sections, strict=True)) / sum(s.area for _, s in sections)
    weights = [d / mean for d in densities]
    moments = sum_of(s.weighted(w).moments for w, (_, s) in zip(weights, sections, strict=True))
    return section, moments, _Own(mean, max(weights), own)


def planar_measurement(parts: Sequence[Part], options: Options, described: Input) -> Measurement:
    """The measurement of a section: without a thickness as a sheet in the plane z = 0, else that of the solid above it."""
    mass_specification, transform, centered = options.mass_specification, options.transform, options.centered
    section, mass_moments, own = section_of(parts, options)
    plain = sum_of(p.section for p in parts)
    thickness = mass_specification.thickness if options.wall_thickness is None else None
    if own is not None and thickness is None:
        raise InvalidInput("a mass follows from the densities of parts and a thickness", hint="give the thickness")
    weight = 1.0 if own is None else own.largest
    # each part is weighted with less than the largest weight, so its rounding is, too
    rounding = max(weight, 1.0) * sum(p.section.rounding for p in parts)
    body = Section(mass_moments, section.area, section.perimeter, section.bounds, rounding, exact=plain.exact)
    method: Method = "lamina" if thickness is None else "extrusion"
    moments = body.lamina() if thickness is None else body.extruded(thickness, centered=centered)
    exact = None
    if (flat := plain.exact) is not None:
        section = replace(section, area=float(flat.measure))
        exact = lamina_of(flat) if thickness is None else extrusion_of(flat, Fraction(thickness), centered=centered)
        exact = exact if transform is None else exact.moved(transform.rotation, transform.translation)
    whole = join([p.assembled for p in parts])
    overlaps = overlap_findings(parts) if len(parts) > 1 else []
    density = mass_specification.density_of(moments.measure, method) if own is None else own.mean
    extrusion = Extrusion(body, weight, centered, thickness, moments, transform, options.chord)
    ratio = max((options.ratios or {}).values(), default=1.0)
    errors = plane_spreads(section, whole.findings, weight=max(ratio, 1.0), chord=options.chord).values()
    area_error = sum(e.volume for e in plane_spreads(plain, whole.findings, chord=options.chord).values())
    gap = max((f.value or 0.0 for f in whole.findings if f.code == "pieces-joined"), default=0.0)
    section = replace(section, error=sum_of(errors), area_error=area_error, edge_error=options.chord + gap)
    if options.torsion:
        from massprops.section.torsion import torsion_of

        section = replace(section, torsion=torsion_of(section, described.path))
    if options.chord or any(f.code in ("pieces-joined", "rings-united") for f in whole.findings):
        section = replace(section, perimeter_error=None)  # an outline within a distance of another can be of any length
    total = measurement_of(
        input=described,
        method=method,
        grade="closed" if overlaps and whole.grade == "certified" else whole.grade,
        area=section.area if thickness is None else 2 * section.area + section.perimeter * thickness,
        moments=moments if transform is None else moments.mapped(transform.rotation, transform.translation),
        bounds=_bounds(parts, _heights(thickness, centered), transform or Pose.identity()),
        density=density,
        axes=options.axes,
        findings=(*whole.findings, *overlaps),
        section=section,
        sources=extrusion.uncertainties(whole.findings, mass_specification, density),
        # a density makes the mass, and all moments, that share of the thickness too
        stated=mass_specification.stated_errors(is_sheet=thickness is None or mass_specification.mass is None),
    )
    if exact is not None:
        total = replace(total, moments=exact.rounded(), exact=exact)
    each = zip(parts, own.options if own is not None else (), strict=False)
    return replace(total, parts=tuple(_measure_part(part, chosen, described) for part, chosen in each))


def _measure_part(part: Part, options: Options, whole: Input) -> MeasuredPart:
    described = replace(whole, path=f"{whole.path}#{part.name}", rings=len(part.assembled.outlines), sha256=None)
    return MeasuredPart(PartLabel(part.name), planar_measurement([part], replace(options, ratios=None), described))


def _heights(thickness: float | None, centered: bool) -> tuple[float, float]:
    if thickness is None:
        return 0.0, 0.0
    return (-thickness / 2, thickness / 2) if centered else (0.0, thickness)


def _bounds(parts: Sequence[Part], heights: tuple[float, float], transform: Pose) -> Array:
    """Bounds of the sheet or solid, shape (2, 3), m: along any axis, the ranges of the outlines and of the height add up."""
    flat = np.array([_range(parts, row[:2]) for row in transform.rotation]).T
    return flat + np.sort(np.outer(heights, transform.rotation[:, 2]), axis=0) + transform.translation


def _range(parts: Sequence[Part], direction: Array) -> tuple[float, float]:
    """Smallest and largest coordinate of outlines along a direction in their plane, m."""
    if not direction.any():
        return 0.0, 0.0
    ranges = [o.extent(direction) * p.scale for p in parts for o in p.assembled.outlines]
    return min(low for low, _ in ranges), max(high for _, high in ranges)

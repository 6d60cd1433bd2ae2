"""Several named parts in one file, of different densities: which density each has, and the body that they are together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import get_args

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, Remedy
from massprops.findings import BentFaces, Finding
from massprops.formats.link_names import some
from massprops.grades import SHEETS, Method, worst
from massprops.measurement.checks import add_plausibility, check_limit
from massprops.measurement.mesh_integration import MeshIntegration
from massprops.measurement.options import Options
from massprops.measurement.part_names import by_part, check_unambiguous, matching, number_of, quote_part, unknown_part
from massprops.measurement.result import Input, MeasuredPart, Measurement, measurement_of
from massprops.mesh.box_tree import overlapping_pairs
from massprops.mesh.coordinate_resolution import resolution
from massprops.mesh.enclosed_solid import MeshSurface
from massprops.mesh.exact_body import without_overlaps
from massprops.mesh.integration import integrate
from massprops.mesh.policies import Policies
from massprops.mesh.source import Division, MeshFile, PartLabel, Triangles
from massprops.mesh.validated_solid import validate
from massprops.moments.arrays import sum_of
from massprops.moments.uncertainty import Spread, Uncertainty, hidden
from massprops.units import length_unit
from massprops.wording import plural

#: Parts that are measured one by one: each takes 0.7 ms, with its row, and 1.4 ms with a density of its own.
MOST_PARTS = 6_000
#: Refusals of a surface that another part may complete.
_OPEN = frozenset({"open-edges", "inconsistent-winding", "non-manifold-edges"})
#: What is found where bodies touch, as parts may.
_OF_TOUCHING = frozenset({"touching-facets", "internal-sheets"})


def is_divided(options: Options, mesh: MeshFile) -> bool:
    """Whether the parts of a file are measured one by one: where densities or a list of parts are asked for, or the format defines it so.

    Raises
    ------
    InvalidInput
        If either is asked for, and the format has no parts.
    """
    if (options.part_specifications or options.list_parts) and mesh.divisions is None:
        what = f"{mesh.format.upper()} files have no named parts"
        hint = "export it as OBJ, glTF, COLLADA, 3MF or STEP, or each part as a file of its own"
        if mesh.pieces:
            what, hint = "files that are one surface have no named parts", "measure each of them alone"
        raise InvalidInput(what, place=mesh.name, hint=hint)
    plain = options.mass is None and not options.exact and not callable(options.density)
    if options.kind != "solid":  # a surface is divided only where its parts weigh differently
        is_sheet_of_density = options.kind == "sheet" and options.mass_specification.thickness is None
        plain = plain and not options.states_mass and not is_sheet_of_density and states_densities(mesh)
    as_one = mesh.exact is None and options.on_overlap == "union"  # of one density, since no part has its own
    return bool(options.part_specifications) or options.list_parts or (mesh.is_divided and plain and not as_one)


def states_densities(mesh: MeshFile) -> bool:
    """Whether a file states a density of each of its parts, so that the mass is known without any option."""
    way = next(iter(mesh.divisions()), ()) if mesh.is_divided and mesh.divisions is not None else ()
    return bool(way) and all(label.density is not None for label, _ in way)


def measure_parts(integration: MeshIntegration) -> Measurement:
    """The parts of a mesh file and the body that they are together.

    Raises
    ------
    InvalidInput
        If a name matches no part, or a part has no density while others have.
    InvalidGeometry
        If a part has no valid integral by itself, parts overlap, or the error exceeds the limit.
    """
    options, mesh = integration.options, integration.mesh
    division = _division(options, mesh)
    if len(division) > MOST_PARTS:
        what = f"the file has {len(division):,} parts, and at most {MOST_PARTS:,} are measured one by one"
        raise InvalidGeometry(what, place=mesh.name, code="too-large", hint="join some of them in the export")
    parts, bounding = [], []
    chosen = options_by_part(options, [label for label, _ in division], mesh.name)
    for (label, source), own in zip(division, chosen, strict=True):
        part = integration.of_part(own, source)
        try:
            measurement = add_plausibility(part.measurement(), unit_is_stated=True, policies=own)
        except InvalidGeometry as error:
            if error.code not in _OPEN or not integration.surface.boundary.closed:
                raise
            what = f"the part {quote_part(label.name)} is not closed by itself, only the whole file is"
            hint = "export each part as a closed body; a material that covers only a part of a surface has no volume"
            raise InvalidGeometry(what, place=mesh.name, code=error.code, hint=hint, findings=error.findings) from error
        parts.append(MeasuredPart(label, measurement))
        bounding.append(part.body.mesh)
    digest = mesh.digest() if options.hash else None
    facets = None if mesh.exact is not None and options.kind == "solid" else mesh.facets
    described = Input(mesh.name, mesh.format, mesh.encoding, integration.unit, facets, digest, bodies=len(parts))
    total = sum_of_parts(parts, described)
    # faces that are not flat are found in the parts, too
    of_file = [f for f in mesh.findings if not isinstance(f, BentFaces)]
    total = replace(total, stored=mesh.stored, findings=(*of_file, *total.findings))
    total = _check_overlaps(integration, total, bounding)
    check_limit(total, options.largest_share)
    return total


def measure_together(integration: MeshIntegration) -> Measurement:
    """A file of several parts whose mass is given: one body of one density, and a finding that says so."""
    total, parts = (
        integration.measurement(),
        len(next(iter(integration.mesh.divisions()))) if integration.mesh.divisions else 1,
    )
    if parts < 2:
        return total
    what = f"the mass is that of {parts} parts together, as of one density: the mass of each part is not known"
    return replace(total, findings=(*total.findings, Finding("one-density", "info", what)))


def _check_overlaps(
    integration: MeshIntegration, total: Measurement, bounding: Sequence[Triangles | None]
) -> Measurement:
    """The total, once it is verified that no two parts are in the same place, as far as that is asked for and possible."""
    options, parts = integration.options, total.parts
    if (
        options.verify in ("none", "closed")
        or total.method in SHEETS
        or not any(overlapping_pairs([p.measurement.bounds for p in parts]))
    ):
        return total
    solids = [m for m in bounding if m is not None]
    if len(solids) == len(parts):
        return _without_overlaps(total, options, integration.mesh, solids)
    what = "it is not verified that the parts do not overlap: a part is a hull or an estimated union, which has no triangles"
    unverified = Finding("unverified-overlap", "warning", what)
    return replace(total, grade=worst(total.grade, "closed"), findings=(unverified, *total.findings))


def _division(options: Options, mesh: MeshFile) -> Division:
    """The first way of dividing the file in which every key that was given means a part; numbers are those of the first way, as listed.

    Raises
    ------
    InvalidInput
        If the file names no parts, or no way of dividing it has them all.
    """
    keys = options.part_specifications
    ways = list(islice(mesh.divisions(), None if keys else 1)) if mesh.divisions is not None else []
    if not ways:
        hint = "name its objects or materials in the export"
        raise InvalidInput("the file names no parts", place=mesh.name, hint=hint)
    names = [[label.names for label, _ in way] for way in ways]
    for key in keys:
        check_unambiguous(key, names[0], mesh.name, [n for of_way in names[1:] for n in of_way])
    numbers = [key for key in keys if number_of(key) is not None]
    for way, of_way in zip(ways[: 1 if numbers else None], names, strict=False):
        if all(any(matching(key, of_way, mesh.name)) for key in keys):
            return way
    known = list(dict.fromkeys(name for of_way in names for each in of_way for name in each))
    for key in keys:
        if not any(any(matching(key, of_way, mesh.name)) for of_way in names):
            raise unknown_part(key, known, mesh.name, len(names[0]))
    what = "the names that are given mix objects, groups and materials"
    if numbers:
        what = f"{numbers[0]} is the number of an object, and other names are those of groups or materials"
    raise InvalidInput(what, place=mesh.name, hint=f"use names of one kind; parts: {some([*map(quote_part, known)])}")


def options_by_part(options: Options, labels: Sequence[PartLabel], place: str = "") -> list[Options]:
    """The options of each part: the density that is given for it, else that of all parts, else the one that the file states.

    Raises
    ------
    InvalidInput
        If a name means no part, or a part has no density while others have.
    """
    found, of_all = [], replace(options, densities=None, materials=None, hash=False)
    for label, mass_specification in zip(
        labels, by_part(options.part_specifications, [x.names for x in labels], place=place), strict=True
    ):
        if mass_specification is not None:
            found.append(replace(of_all, **{"density": None, "material": None, **mass_specification}))
        elif not options.mass_specification.is_known and label.density is not None:
            found.append(replace(of_all, density=label.density))
        else:
            found.append(of_all)
    without = [label.name for label, own in zip(labels, found, strict=True) if not own.mass_specification.is_known]
    if 0 < len(without) < len(found):
        what = f"{len(without)} of {len(found)} parts have no density: {some([*map(quote_part, without)])}"
        raise InvalidInput(what, place=place, hint="give each one its own, or a density for all others")
    return found


def sum_of_parts(parts: Sequence[MeasuredPart], described: Input) -> Measurement:
    """The sum of measured parts: its density is the mean, and its moments are weighted with ρᵢ / ρ, so that they measure the volume.

    Raises
    ------
    InvalidInput
        If some parts are solids and others sheets.
    """
    each = [p.measurement for p in parts]
    if len({m.method in SHEETS for m in each}) > 1:
        what = "some parts are solids, others open sheets"
        raise InvalidInput(what, place=described.path, hint="close them in the export")
    measure = math.fsum(m.moments.measure for m in each)
    mean = None if each[0].density is None else math.fsum(m.mass or 0.0 for m in each) / measure
    moments = sum_of(m.moments.times((m.density or 1.0) / (mean or 1.0)) for m in each)
    areas = [m.area for m in each]
    bounds = np.array([m.bounds for m in each])
    known = get_args(Method)
    total = measurement_of(
        input=described,
        method=max((m.method for m in each), key=known.index),
        grade=worst(*(m.grade for m in each)),
        area=None if None in areas else math.fsum(a for a in areas if a is not None),
        moments=moments.recentred(),
        bounds=np.array([bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)]),
        density=mean,
        axes=each[0].axes,
        findings=tuple(_findings_with_names(parts)),
        repairs=tuple(r for m in each for r in m.repairs),
        parts=tuple(parts),
        wall=each[0].wall,
    )
    offs = [m.uncertainty for m in each]
    return replace(total, sources={"parts": _bounds(total, [off for off in offs if off])} if all(offs) else {})


def _findings_with_names(parts: Sequence[MeasuredPart]) -> Iterator[Finding]:
    """Findings about the parts, with their names; one that several parts have is listed once."""
    found: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for p in parts:
        for f in p.measurement.findings:
            found.setdefault((f.code, f.message), []).append((p.label.name, f))
    for (name, first), *others in found.values():
        more = f" and {plural(len(others), 'other part')}" if others else ""
        yield replace(first, message=f"{name}{more}: {first.marked}")


def _bounds(total: Measurement, offs: Sequence[Uncertainty]) -> Uncertainty:
    """The bounds of all parts together."""
    volume, change = None, None
    if total.method not in SHEETS:
        volume = math.fsum(off.volume or 0.0 for off in offs)
        low, high = zip(*(off.volume_change or (0.0, 0.0) for off in offs), strict=True)
        change = math.fsum(low), math.fsum(high)
    if (body := total.properties) is not None:
        return replace(body.uncertainty.bounds, volume=volume, volume_change=change)
    nothing = np.zeros((3, 3))
    centre = sum_of(
        Spread(off.volume or 0.0, off.center_of_mass, nothing).within(p.measurement.moments, total.moments).center
        for p, off in zip(total.parts, offs, strict=True)
    )
    return Uncertainty(volume, None, centre, None, change, None)


def _without_overlaps(
    total: Measurement, options: Options, mesh: MeshFile, bounding: Sequence[Triangles]
) -> Measurement:
    """The total, once it is verified that no two parts are in the same place, as the parts of one surface are.

    Raises
    ------
    InvalidGeometry
        If they are, by more than the limit, unless overlaps are to be counted.
    """
    scale, facets = length_unit(total.input.unit), sum(m.facets for m in bounding)
    whole = mesh.altered(lambda: chain.from_iterable(m.chunks() for m in bounding), facets)
    surface = integrate(whole)
    rounding = resolution(mesh, float(np.abs(surface.bounds).max())).half_unit
    policies = Policies(verify=options.verify, lines=options.lines)
    try:
        if mesh.exact is None:
            found = validate(MeshSurface(whole, surface, scale, rounding), policies)
        else:
            found = without_overlaps(mesh.exact, MeshSurface(whole, surface, scale), options.lines)
    except InvalidGeometry as error:
        if options.on_overlap != "count":
            what = f"parts overlap: {error.text}"
            hint = Remedy("separate the parts in the export", see="on_overlap")
            raise InvalidGeometry(what, place=mesh.name, code=error.code, hint=hint, findings=error.findings) from None
        counted = (replace(f, severity="warning") for f in error.findings)
        return replace(total, grade=worst(total.grade, "closed"), findings=(*counted, *total.findings))
    densest = max((p.measurement.density or 1.0) for p in total.parts) / (total.density or 1.0)
    sources, moments = dict(total.sources), total.moments
    for name, spread in found.sources.items():
        if sources and spread.volume:
            off = hidden(moments, total.bounds, densest * spread.volume * scale**3)
            off = replace(off, volume=spread.volume * scale**3)
            of = Uncertainty.of(off, moments, total.density, solid=True, mass_is_given=False)
            if of.mass is not None:
                mass = densest * of.mass
                of = replace(of, mass=mass, mass_change=(-mass, mass))
            sources[name] = of
    noticed = (f for f in found.findings if f.code not in _OF_TOUCHING)
    return replace(total, grade=worst(total.grade, found.grade), sources=sources, findings=(*noticed, *total.findings))

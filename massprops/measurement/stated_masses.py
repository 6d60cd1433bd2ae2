"""Densities and masses without a volume that a model of finite elements states, in kilograms: see `massprops.mesh.stated_masses`.

Tests: `tests/measurement/test_stated_masses.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from massprops.errors import InvalidInput, spell
from massprops.findings import Finding, worst_first
from massprops.measurement.options import Options
from massprops.measurement.result import Input, Measurement, measurement_of
from massprops.mesh.integration import integrate
from massprops.mesh.source import Division, MeshFile
from massprops.mesh.stated_masses import StatedMasses, Structure
from massprops.moments.arrays import sum_of
from massprops.moments.integrals import Moments
from massprops.units import length_unit
from massprops.wording import several


def with_densities(mesh: MeshFile, masses: StatedMasses, options: Options) -> tuple[MeshFile, float | None]:
    """The file with its densities in kg/m³, and its unit of mass in kilograms; without them, and a finding, where that is not known.

    Raises
    ------
    InvalidInput
        The densities are those of solids in no unit of mass that goes with the length unit, and no other one is given.
    """
    has_own = options.mass_specification.is_known or bool(options.part_specifications)
    if options.units is None:
        what = "the densities and masses in the file are not used, since their units go with that of its lengths"
        return _noting(mesh, Finding("unread-density", "warning", f"{what}: give {spell('units')}")), None
    try:
        name, kilograms = masses.unit(options.units)
    except InvalidInput as error:
        if not has_own:
            hint = "give the density of each part, or is the length unit another one?"
            raise InvalidInput(error.text, place=mesh.name, hint=hint) from None
        return _noting(mesh, Finding("unread-density", "warning", f"not used, since {error.text}")), None
    cubed = kilograms / length_unit(options.units) ** 3
    densities = {label: d * cubed for label, d in masses.densities.items()}
    divisions = mesh.divisions

    def divided() -> Iterator[Division]:
        for way in divisions() if divisions is not None else ():
            yield [(replace(label, density=densities.get(label)), part) for label, part in way]

    stated = sorted({*masses.densities.values(), *masses.others} - {0.0})
    example = f"; {stated[0]:g} is {stated[0] * cubed:.4g}\xa0kg/m³" if stated else ""
    note = Finding("mass-unit", "info", f"the unit of mass of the file is {name}, by its densities{example}")
    found = _noting(mesh, note)
    return replace(found, divisions=divided if divisions else None, is_divided=bool(densities)), kilograms


def _noting(mesh: MeshFile, finding: Finding) -> MeshFile:
    return replace(mesh, findings=(*mesh.findings, finding))


def shells_alone(mesh: MeshFile, masses: StatedMasses, options: Options, kilograms: float | None) -> Measurement | None:
    """A model of shells, beams and lumped masses alone, as a sheet that weighs what the file states; None of anything else."""
    is_plain = options.kind == "solid" and not options.states_mass and not options.part_specifications
    if kilograms is None or not is_plain:
        return None
    surface, size = integrate(mesh), length_unit(options.units or "m")
    area, total = surface.sheet.measure * size**2, _in_si(masses.structures, options, kilograms)
    if not area:
        return None
    density = total.measure / area
    bounds = surface.bounds * size
    if (transform := options.transform) is not None:
        corners = np.array(list(product(*bounds.T))) @ transform.rotation.T + transform.translation
        bounds = np.array([corners.min(axis=0), corners.max(axis=0)])
    what = f"without solid cells; measured is what the file states of {several([s.what for s in masses.structures], 6)}"
    return measurement_of(
        input=Input(
            mesh.name,
            mesh.format,
            mesh.encoding,
            options.units or "m",
            mesh.facets,
            mesh.digest() if options.hash else None,
        ),
        method="shell",
        grade="unverified",
        area=area,
        moments=total.times(1 / density).recentred(),
        bounds=bounds,
        density=density,
        axes=options.axes,
        findings=(*mesh.findings, Finding("added-structure", "info", what)),
        sources={},
    )


def _in_si(structures: Sequence[Structure], options: Options, kilograms: float) -> Moments:
    """All structures in kilograms and metres, in the axes of the result."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = sum_of(s.moments for s in structures).scaled(length_unit(options.units or "m"), 0).times(kilograms)
    if not (0 < found.measure < np.inf and np.isfinite(found.second).all()):
        raise InvalidInput(f"the masses that the file states beside its volumes add up to {found.measure:.3g}\xa0kg")
    transform = options.transform
    return found if transform is None else found.moved(transform.rotation, transform.translation)


def with_structures(
    measured: Measurement, masses: StatedMasses, options: Options, kilograms: float | None
) -> Measurement:
    """The result with the masses that the file states beside its volumes; an error finding where they belong to it and are not in it."""
    structures = masses.structures
    if not structures:
        return measured
    names = several([s.what for s in structures], 6)
    why = ""
    if kilograms is None:
        why = "the unit of mass of the file is not known"
    elif measured.given_mass is not None:
        why = "the mass is given"
    elif measured.exact is not None:
        why = "exact results are those of the solids alone"
    elif measured.method != "exact" or callable(options.density):
        why = "what is measured is not the solid cells as they are"
    if why or measured.density is None or kilograms is None:
        is_open = measured.given_mass is None and measured.density is not None and masses.has_solids
        severity = "error" if is_open else "warning"
        what = f"{names} in the file are not in the result{f': {why}' if why else ''}"
        note = Finding("unmeasured-structure", severity, what)  # type: ignore[arg-type]  # one of two words
        return replace(measured, findings=worst_first([*measured.findings, note]))
    beside = _in_si(structures, options, kilograms)
    volume, solid = measured.moments.measure, measured.moments.times(measured.density)
    density = (solid.measure + beside.measure) / volume
    what = f"{names} of the file are part of it: {beside.measure:.6g}\xa0kg in all, without a volume"
    note = Finding("added-structure", "info", what)
    findings = worst_first([*measured.findings, note])
    whole = (solid + beside).times(1 / density).recentred()
    found = replace(measured, moments=whole, density=density, findings=findings, beside=beside)
    body, off, added = measured.properties, measured.uncertainty, found.structures
    if body is None or off is None or added is None:
        return found
    bounds = (body + added).uncertainty.bounds
    errors = replace(bounds, volume=off.volume, volume_change=off.volume_change)
    return replace(found, sources={"parts": errors}, stated=())

"""STEP (ISO 10303-21): solids with exact surfaces, which Open CASCADE reads in a process of its own; see `step_kernel`.

The kernel is the package cadquery-ocp-novtk. What is measured are the exact surfaces. The triangles beside them are for verification,
pictures and comparisons.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from massprops.errors import ReadError, Remedy
from massprops.findings import Finding, count_finding
from massprops.formats.child_process import SubprocessFailed, run_in_subprocess
from massprops.formats.inertial.inertial import symmetric
from massprops.formats.mesh import step_text
from massprops.formats.mesh.placement import Instance, source_of
from massprops.formats.mesh.step_kernel import UNITS
from massprops.formats.mesh.step_references import StepFile, gather, unattached_files
from massprops.formats.mesh.step_validation import has_properties, stored_values
from massprops.mesh.exact_solid import ExactSolid
from massprops.mesh.source import Division, InputFile, MeshFile, PartLabel
from massprops.mesh.stored_values import StoredValue
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array, length
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, U
from massprops.units import length_unit
from massprops.wording import plural, several

#: What the kernel found, by name.
Values = dict[str, Any]
AGAIN = "export or copy it again, or export it as STL"
#: Seconds of processor time for each megabyte of a file, and for two more: on damaged files the kernel can run for ever.
PATIENCE = 60.0


def read(file: InputFile) -> MeshFile:
    """The solids of a STEP file, in the file's length unit.

    Raises
    ------
    MissingExtra
        If the kernel is not installed.
    ReadError
        If the file is damaged, or holds no solid.
    """
    data = file.stream.read()
    if problem := step_text.damage(data):
        raise _bad(file, problem, "truncated-file" if step_text.end_is_missing(data) else "bad-step")
    with tempfile.TemporaryDirectory() as folder:
        files = gather(file, data, folder)
        about, found = kernel_finds(file, files, [one.path for one in files])
    _check_references(file, files, about)
    promised, there = sum(step_text.solids_promised(files[i].data) for i in about["files"]), len(about["solids"])
    if there < promised:
        what = f"the CAD kernel reads {there} of its {plural(promised, 'solid')}"
        raise _bad(file, f"{what}: the others are damaged, or not closed")
    promised = sum(step_text.usages_promised(files[i].data) for i in about["files"])
    placed = sum(node["is_usage"] for node in about["nodes"])
    if placed < promised:
        what = f"the CAD kernel places {placed} of {plural(promised, 'usage')} of its parts: the others are damaged"
        raise _bad(file, what)
    check_solids(file, about, "export it as a solid (AP214 or AP242)")
    return source_of_solids(file, found, about, files)


def check_solids(file: InputFile, about: Values, hint: str) -> None:
    """Raise ReadError if the kernel found no solid."""
    if not about["solids"]:
        what = "surfaces, but no solid" if about["loose"] else "no solid"
        raise _bad(file, f"the file holds {what}", "no-solid", hint)


def _bad(file: InputFile, what: str, code: str = "bad-step", hint: str | Remedy = AGAIN) -> ReadError:
    return ReadError(f"{file.name}: {what}", code=code, hint=hint)


def _check_references(file: InputFile, files: Sequence[StepFile], about: Values) -> None:
    """Raise ReadError if a part is in a file that cannot be read."""
    missing = [one for i in about["missing"] if (one := files[i]).error]
    names = list(dict.fromkeys(Path(one.name).name for one in missing))
    error = missing[0].error if missing else None
    if not names and about["empty"]:
        unread = [Path(one.name).name for i, one in enumerate(files) if not one.error and i not in about["files"]]
        names = list(dict.fromkeys([*unread, *(n for i in about["files"] for n in unattached_files(files[i].data))]))
    if names:
        reason = f": {error.text}" if error else ""
        what = f"{plural(len(names), 'file')} with parts of it cannot be read ({several(names, 6)}){reason}"
        code, hint = (error.code, error.hint) if error else ("missing-file", "export it as one file")
        raise ReadError(f"{file.name}: {what}", code=code, hint=hint)


def distances(file: InputFile, points: Array) -> Array:
    """Distances of points, shape (n, 3), from the surfaces of a file, in its unit; ReadError where the kernel fails."""
    with tempfile.TemporaryDirectory() as folder:
        files = gather(file, file.stream.read(), folder)
        np.save(f"{folder}/points.npy", points)
        _, found = kernel_finds(file, files, [one.path for one in files], f"{folder}/points.npy")
    return np.asarray(found["distances"], np.float64)


def kernel_finds(file: InputFile, files: Sequence[StepFile], *arguments: Any, size: int = 0) -> tuple[Any, Values]:
    """Output of `step_kernel` for a file and those that it refers to, or of so many bytes; ReadError where it crashes or refuses them."""
    limit = PATIENCE * (2 + (size or sum(len(one.data) for one in files)) / 1e6)
    try:
        return run_in_subprocess("massprops.formats.mesh.step_kernel", json.dumps(arguments), limit)
    except SubprocessFailed as error:
        raise _bad(file, f"the CAD kernel {error}", hint=error.hint or AGAIN) from error
    except ReadError as error:
        raise _bad(file, error.text, error.code) from error


#: A solid in its place: its triangles and its exact integrals, in the file's unit.
_Solid = tuple[Instance, ExactSolid]
#: By number of the file and name of the product.
_Densities = dict[tuple[int, str], step_text.Density]


def source_of_solids(
    file: InputFile, found: Values, about: Values, files: Sequence[StepFile], kind: tuple[str, str] | None = None
) -> MeshFile:
    """The solids that the kernel found, with what the texts of STEP files state of them; `kind` is format and encoding of other ones."""
    stated = {(i, name): d for i in about["files"] for name, d in step_text.densities(files[i].data).items()}
    unit = UNITS.get(about["unit"].lower())
    if unit is None:
        raise _bad(file, f"its length unit {about['unit']!r} is unknown")
    scale = length_unit(unit) * 1000
    unread = [name for (_, name), (density, _) in stated.items() if density is None]
    turned = [name for (_, name), (_, is_turned) in stated.items() if is_turned]
    empty = list(dict.fromkeys(about["empty"]))
    without = f"{plural(len(empty), 'part')} ({several(empty, 3)}) {'has' if len(empty) == 1 else 'have'} no shape"
    of = f"the density that the file states for {min(unread, default='')!r}"
    unit_of = f"the unit of the density of {min(turned, default='')!r}"
    noticed = (
        (about["loose"], "skipped-elements", f"{about['loose']} faces belong to no solid; they are not measured"),
        (len(empty), "skipped-elements", f"{without} in the file: not measured"),
        (len(unread), "unread-density", f"{of} has no unit of a density; it is not used"),
        (len(turned), "density-exponent", f"{unit_of} is a mass times a volume; it is read as mass / volume"),
    )
    findings = [f for count, code, text in noticed for f in count_finding(count, code, "warning", text)]
    placed = [_placed(found, about["solids"][one["solid"]], one, stated, scale) for one in about["instances"]]
    kind = kind or ("step", step_text.schema_of(files[0].data))
    stored: list[StoredValue] = []
    for i in about["files"]:
        if has_properties(files[i].data):
            nodes, solids = [n for n in about["nodes"] if n["file"] == i], [exact for _, exact in placed]
            stored += stored_values(step_text.statements(files[i].data), nodes, solids, length_unit(unit))
    findings += [f for value in stored if (f := value.finding())]
    whole, divisions = _join(file, kind, placed, unit, findings), partial(_divisions, file, kind, placed, unit)
    is_divided = len(placed) > 1 or any(i.label and i.label.density for i, _ in placed)
    return replace(whole, stored=tuple(stored), divisions=divisions, is_divided=is_divided)


def _join(
    file: InputFile, kind: tuple[str, str], placed: Sequence[_Solid], unit: str, findings: Sequence[Finding] = ()
) -> MeshFile:
    source = source_of(file, *kind, [instance for instance, _ in placed], unit, findings)
    return replace(source, divisions=None, exact=ExactSolid.together([exact for _, exact in placed]))


def _divisions(file: InputFile, kind: tuple[str, str], placed: Sequence[_Solid], unit: str) -> Iterator[Division]:
    """Division of the assembly by solid."""
    parts = []
    for p in placed:
        label = p[0].label or PartLabel("part")
        source = _join(replace(file, name=f"{file.name}#{label.name}"), kind, [p], unit)
        parts.append((label, replace(source, file=file)))
    yield parts


def _placed(found: Values, solid: Values, one: Values, stated: _Densities, scale: float) -> _Solid:
    """An instance: `scale` is the file's unit in millimetres."""
    i = one["solid"]
    pose = np.vstack([np.array(one["pose"]), [0.0, 0.0, 0.0, 1.0]])
    rotation = pose[:3, :3]
    pose[:3, 3] /= scale
    density = next((d for number, name in one["products"] if (d := stated.get((number, name), (None,))[0])), None)
    label = PartLabel(one["name"], one["path"], one["material"], density)
    vertices, triangles = found[f"vertices{i}"] / scale, Polygons(found[f"triangles{i}"])
    exact = exact_solid(found, solid, i)
    bounds = exact.bounds
    if not np.array_equal(rotation, np.eye(3)):
        turned = found[f"vertices{i}"] @ rotation.T
        bounds = np.array([turned.min(axis=0), turned.max(axis=0)])
    bounds = bounds / scale + pose[:3, 3]
    moments = exact.moments.moved(rotation, pose[:3, 3] * scale).scaled(1 / scale)
    sources = {name: s.rotated(rotation).scaled(1 / scale, 3) for name, s in exact.sources.items()}
    moved = ExactSolid(moments, exact.area / scale**2, bounds, sources, exact.deviation / scale, exact.problem)
    moved = replace(moved, area_error=exact.area_error / scale**2, is_sealed=exact.is_sealed)
    if exact.sheet is not None and exact.sheet_error is not None:
        sheet = exact.sheet.moved(rotation, pose[:3, 3] * scale).scaled(1 / scale, 2)
        moved = replace(moved, sheet=sheet, sheet_error=exact.sheet_error.rotated(rotation).scaled(1 / scale, 2))
    return Instance(vertices, triangles, pose, U * float(np.abs(vertices).max(initial=0.0)), label), moved


def exact_solid(found: Values, solid: Values, i: int) -> ExactSolid:
    """The integrals of a solid where the file has it, in millimetres, with the differences that remain of the quadrature, rounding, and
    what the gaps between its faces, which are up to the tolerance of their edges wide, leave open.
    """
    sums, errors, bounds, reference = (found[f"{name}{i}"] for name in ("sums", "errors", "bounds", "reference"))
    second, of_area = (
        [symmetric(*values[start : start + 6][[0, 3, 5, 1, 2, 4]].tolist()) for values in (sums, errors)]
        for start in (8, 17)
    )
    moments = Moments(float(sums[4]), sums[5:8], second[0], reference)
    problem = solid["problem"] and f"the CAD kernel's check of a solid fails: {solid['problem']} of it are invalid"
    reach = np.abs(bounds - reference).max(axis=0)
    gap = solid["slits"] * length(reach)
    if not problem and not gap + errors[4] < abs(moments.measure):
        problem = "the tolerances of its edges, or the errors of its integrals, are as large as the solid"
    if problem:
        return ExactSolid(moments, float(sums[3]), bounds, {}, solid["deflection"], problem)
    # a point of a surface is off by some roundings of its coordinates
    rounding = 64 * U * (float(np.abs(bounds).max()) + length(reach)) * sums[3]
    off, far = errors[4:8] + rounding * np.array([1.0, *reach]), np.outer(reach, reach)
    sources = {
        "arithmetic": Spread.from_moments(moments, off[0], off[1:], second[1] + rounding * far),
        "resolution": Spread.from_moments(moments, gap / 3, gap / 4 * reach, gap / 5 * far),
    }
    area_error = float(errors[3] + solid["slits"] + rounding)
    sheet = Moments(float(sums[3]), sums[14:17], of_area[0], reference)
    open_area = solid["slits"] + rounding
    sheet_off = Spread.from_moments(sheet, area_error, errors[14:17] + open_area * reach, of_area[1] + open_area * far)
    # the vector area of what is closed is 0
    sealed = solid["edges_meet"] and length(sums[:3]) <= solid["slits"] + length(errors[:3]) + rounding
    return ExactSolid(
        moments,
        float(sums[3]),
        bounds,
        sources,
        solid["deflection"],
        area_error=area_error,
        is_sealed=sealed,
        sheet=sheet,
        sheet_error=sheet_off,
    )

"""`massprops repair`: the mesh that would be measured, written to a file."""

from __future__ import annotations

import io
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from massprops.access import allowing
from massprops.cli.groups import Text, output_option
from massprops.cli.options import OutsideFiles
from massprops.cli.streams import log, say_findings, write_output
from massprops.declarations import INVALID, OUTPUT, argument, flag, option, option_of
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, stating_unit
from massprops.formats.mesh.writing import OTHERS
from massprops.formats.table import MESHES, WRITTEN
from massprops.measurement.options import Options
from massprops.mesh.policies import Policies
from massprops.units import length_unit
from massprops.wording import percent

if TYPE_CHECKING:
    from massprops.mesh.enclosed_solid import EnclosedSolid
    from massprops.mesh.indexed_mesh import IndexedMesh


#: A mesh whose volume changes by more in single precision is another body.
_ROUNDED = 1e-4
_PRECISION = {
    ".stl": "STL has single precision",
    ".glb": "glTF has single precision",
    ".dae": "COLLADA has seven digits",
}
_READ = " ".join(suffix for suffix in MESHES if suffix != ".stp")


def repair(
    *,
    file: str = argument("MESH", f"A mesh: {_READ}."),
    output: str = output_option(
        f"Write the repaired mesh: {' '.join((*WRITTEN, *OTHERS))} (STL and glTF: single precision).", default=MISSING
    ),
    level: Literal["safe", "full"] = option(
        INVALID, "Repairs that leave at most 1 % of the volume open, or up to 10 %.", "--repair", default="safe"
    ),
    max_uncertainty: Text = option_of(
        Options, "max_uncertainty", help="How much of the volume repairs may leave open: 1%."
    ),
    units: Text = option_of(Options, "units"),
    type: Text = option_of(Options, "format"),
    allow_outside: bool = option_of(OutsideFiles, "allow_outside", default=False),
    verbose: bool = flag(OUTPUT, "List all places that were repaired; by default three of a kind.", "--verbose", "-v"),
) -> None:
    """Repair a mesh and write it, in the unit and axes of the file; a mesh that is valid is written as it is.

    Repairs are listed on stderr. Solids that overlap are united where that is exact, else refused; so is a file whose precision would
    change the volume by 0.01 %. glTF and COLLADA are written in metres, 3MF in millimetres, whatever the unit of the mesh is.
    """
    from massprops.formats.mesh.writing import mesh_bytes
    from massprops.formats.registry import open_mesh
    from massprops.measurement.output_units import OutputUnits
    from massprops.mesh.coordinate_resolution import resolution
    from massprops.mesh.enclosed_solid import MeshSurface
    from massprops.mesh.indexed_mesh import IndexedMesh
    from massprops.mesh.integration import integrate
    from massprops.mesh.repaired_solid import validate_or_repair

    if file == "-":
        raise InvalidInput("a mesh on standard input is not repaired", hint="name a file")
    policies = Policies(repair=level, max_uncertainty=max_uncertainty)
    policies.check()
    with allowing(outside=allow_outside or None), open_mesh(file, format=type) as mesh:
        surface = integrate(mesh)
        rounding = resolution(mesh, float(np.abs(surface.bounds).max())).half_unit
        unit = mesh.unit or units
        scale = length_unit(unit or "m")
        with stating_unit(unit or "m"):
            body = validate_or_repair(MeshSurface(mesh, surface, scale, rounding), policies)
        if body.mesh is None:
            raise InvalidGeometry(
                "the solids overlap: their union is only estimated, and has no triangles",
                place=file,
                code="overlapping-bodies",
                hint="pip install 'massprops[union]', or unite them in the program that made the file",
            )
        indexed = IndexedMesh.of(body.mesh)
    suffix = Path(output).suffix.lower()
    with np.errstate(over="ignore"):  # what single precision cannot hold is found when it is read
        content = mesh_bytes(indexed.points, indexed.faces, suffix, unit)
    grade = body.grade if suffix in (".ply", ".obj") else _as_written(content, indexed, body, scale, output)
    write_output(content, output)
    warnings = [f for f in body.findings if f.severity == "warning"]
    say_findings(file, warnings, verbose, OutputUnits.suited(unit or "m", None))
    volume = abs(body.moments.measure) * scale**3
    opened = sum(r.bound for r in body.repairs)
    log(f"{output}: {len(indexed.faces)} facets, {grade}" + (f", ±{percent(opened / volume)}" if opened else ""))


def _as_written(content: bytes, mesh: IndexedMesh, body: EnclosedSolid, scale: float, output: str) -> str:
    """The grade of the mesh that a file holds, in its precision; raises InvalidInput where that is another body."""
    from massprops.formats.registry import open_mesh
    from massprops.measurement.pipeline import measure

    suffix, volume = Path(output).suffix.lower(), abs(body.moments.measure)
    try:
        with open_mesh("-", format=suffix, stdin=io.BytesIO(content)) as written:
            corners = np.concatenate(list(written.chunks()))
            factor = length_unit(written.unit) / scale if written.unit else 1.0
        if factor == 1 and np.array_equal(corners, mesh.points[mesh.faces]):
            return body.grade
        rounded = measure(corners, repair="none")
        change = abs((rounded.volume or 0.0) * factor**3 - volume) / volume
        wrong = f"its volume changes by {percent(change)}" if change > _ROUNDED else ""
    except MasspropsError as error:
        wrong = error.text.removeprefix("array: ").removeprefix("-: ")
    if wrong:
        what = f"{_PRECISION.get(suffix, 'the format rounds coordinates')}, in which the mesh is another body: {wrong}"
        raise InvalidInput(what, place=output, hint="write .ply or .obj, which have doubles")
    return rounded.grade if body.grade in ("proved", "certified") else body.grade

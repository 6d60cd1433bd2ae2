"""`massprops repair`: the mesh that would be measured, written to a file."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Literal

from massprops.access import allowing
from massprops.cli.groups import Text, output_option
from massprops.cli.options import OutsideFiles
from massprops.cli.streams import note_mesh, say_findings, write_output
from massprops.declarations import INVALID, OUTPUT, argument, flag, option, option_of
from massprops.errors import InvalidInput
from massprops.formats.mesh.writing import OTHERS
from massprops.formats.table import MESHES, WRITTEN
from massprops.measurement.options import Options
from massprops.mesh.policies import Policies
from massprops.wording import percent

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
    from massprops.measurement.output_units import OutputUnits
    from massprops.measurement.repairing import solid_mesh

    if file == "-":
        raise InvalidInput("a mesh on standard input is not repaired", hint="name a file")
    policies = Policies(repair=level, max_uncertainty=max_uncertainty)
    policies.check()
    options = Options(units=units, format=type)
    with allowing(outside=allow_outside or None):
        found = solid_mesh(file, policies, options)
    content, grade = found.content(output)
    write_output(content, output)
    warnings = [f for f in found.findings if f.severity == "warning"]
    say_findings(file, warnings, verbose, OutputUnits.suited(found.units or "m", None))
    opened = sum(r.bound for r in found.repairs)
    what = f"{len(found.faces)} facets, {grade}" + (f", ±{percent(opened / found.volume)}" if opened else "")
    note_mesh(output, what, found.units, units)

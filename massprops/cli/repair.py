"""`massprops repair`: the mesh that would be measured, written to a file."""

from __future__ import annotations

from dataclasses import MISSING
from pathlib import Path
from typing import Literal

import numpy as np

from massprops.cli.groups import INVALID, Text, argument, option, output_option, type_option
from massprops.cli.streams import check_output, deliver, say
from massprops.errors import InvalidGeometry, InvalidInput
from massprops.wording import percent


def repair(
    *,
    file: str = argument("MESH", "A mesh: .stl .obj .ply .off .dae .glb .gltf .3mf .step."),
    output: str = output_option("Write the repaired mesh: .stl, .ply (doubles) or .obj.", default=MISSING),
    level: Literal["safe", "full"] = option(
        INVALID,
        "Repairs that leave less than 0.01 % of the volume open, or also wider gaps and holes.",
        "--repair",
        default="safe",
    ),
    max_uncertainty: Text = option(INVALID, "How much of the volume repairs may leave open: 1%.", metavar="SHARE"),
    type: Text = type_option(),
) -> None:
    """Repair a mesh and write it, in the unit and axes of the file; a mesh that is valid is written as it is.

    Repairs are listed on stderr. Overlapping solids are refused.
    """
    from massprops.formats.mesh.writing import mesh_bytes
    from massprops.formats.registry import open_mesh
    from massprops.measurement.pipeline import integrate
    from massprops.mesh.coordinate_resolution import resolution
    from massprops.mesh.enclosed_solid import Policies
    from massprops.mesh.repair.indexed import IndexedMesh
    from massprops.mesh.repaired_solid import solid_of
    from massprops.units import length_unit

    if file == "-":
        raise InvalidInput("a mesh on standard input is not repaired", hint="name a file")
    check_output(output, [file])
    policies = Policies(repair=level, max_uncertainty=max_uncertainty)
    policies.check()
    with open_mesh(file, format=type) as mesh:
        surface = integrate(mesh)
        rounding = resolution(mesh, float(np.abs(surface.bounds).max())).half_unit
        scale = length_unit(mesh.unit or "m")
        body = solid_of(mesh, surface, scale, rounding, policies)
        if body.mesh is None:
            raise InvalidGeometry(
                "the solids overlap: their union was measured, and has no triangles",
                place=file,
                code="overlapping-bodies",
                hint="unite them in the program that made the file",
            )
        indexed = IndexedMesh.of(body.mesh)
    deliver(mesh_bytes(indexed.points, indexed.faces, Path(output).suffix.lower()), output)
    for f in body.findings:
        if f.severity == "warning":
            say(f"{file}: {f.code}: {f.message}")
    volume = abs(body.moments.measure) * scale**3
    opened = sum(r.bound for r in body.repairs)
    say(f"{output}: {len(indexed.faces)} facets, {body.grade}" + (f", ±{percent(opened / volume)}" if opened else ""))

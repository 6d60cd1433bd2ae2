"""Meshes of USD stages where they are placed, in metres, along the axes of the stage; see `massprops.formats.robot.usd`.

Of a rigid body they are its visible meshes that are no colliders, or colliders where there are no others; outside of bodies all visible
ones. A part is a prim, ``stage.usd#/World/arm`` or by its name, with all below it.

Tests: `tests/formats/robot/test_usd.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from massprops.errors import InvalidInput, ReadError
from massprops.findings import count_finding
from massprops.formats.mesh.arrays import unit_of
from massprops.formats.mesh.placement import Instance, chosen_parts, gather, source_of
from massprops.formats.robot.usd import read_stage
from massprops.mesh.coordinate_resolution import of_binary
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import product
from massprops.wording import plural


def read(file: InputFile) -> MeshFile:
    """The meshes of a stage, or of one prim of it; raises what `read_stage` does."""
    if file.is_in_memory:
        raise InvalidInput("a USD stage refers to other files, and is not read from stdin", hint="name its file")
    stage = read_stage(file.name, scene=True)
    for lost in stage.unread():
        if lost.error:
            raise lost.error
    found = [(g, link) for link in stage.about["links"] for g in link["geometry"]]
    paths = {"/".join(g["path"].split("/")[: n + 2]): None for g, _ in found for n in range(g["path"].count("/"))}
    labels = [PartLabel(path.rpartition("/")[2], path) for path in paths]
    meant = [labels[i].path for i in chosen_parts(file, labels, "prim")]
    top = meant[0] if file.part else None  # also where nobody sees it
    found = [(g, link) for g, link in found if g["path"] in meant and (g["shown"] or g["path"] == top)]
    drawn = {link["path"] for g, link in found if not g["collides"]} - {"/"}
    found = [(g, link) for g, link in found if not g["collides"] or link["path"] not in drawn]
    metre, _ = stage.units

    def instance(g: dict[str, Any], link: dict[str, Any]) -> Instance:
        points, triangles = stage.mesh_of(g, f"{file.name}: {g['path']}")
        pose = product(np.array(g["matrix"]), np.array(link["matrix"])).T * [[metre], [metre], [metre], [1.0]]
        off = of_binary(points, float(np.abs(points).max())).half_unit
        return Instance(points, Polygons(triangles), pose, off, PartLabel(g["path"].rpartition("/")[2], g["path"]))

    left_out = [g for g, _ in found if "mesh" not in g]
    why = left_out and (left_out[0]["unread"] or f"it is a {left_out[0]['type']}, and meshes alone are measured")
    text = f"{plural(len(left_out), 'solid')} left out: {left_out[0]['path']}: {why}" if left_out else ""
    if left_out and len(left_out) == len(found):
        raise ReadError(f"{file.name}: {text}", code="no-facets", hint="check and fill measure its bodies")
    instances = gather(file, (instance(g, link) for g, link in found if "mesh" in g))
    skipped = count_finding(len(left_out), "skipped-elements", "warning", text)
    mesh = source_of(file, "usd", "composed", instances, "m", skipped)
    return replace(mesh, converted="" if metre == 1 else unit_of(metre) or f"{metre:.6g} m")

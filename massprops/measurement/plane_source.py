"""Whether a source lies in the plane, and its measurement if it does; what measures sections is loaded only where there is one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from massprops.errors import InvalidInput
from massprops.formats.registry import FORMATS, is_planar, read_planar
from massprops.frames import Pose
from massprops.measurement.result import Input, Measurement
from massprops.rigid_body.as_json import Axes
from massprops.rigid_body.mass_specification import Matter
from massprops.units import length_unit


@dataclass(frozen=True)
class Wanted:
    """What the caller asks of plane files, as it was given: see `massprops.measure`."""

    rings: str | None = None
    layers: tuple[str, ...] = ()
    gap: float | str | None = None
    centered: bool = False
    ratios: Mapping[str, float] | None = None
    densities: Mapping[str, float | str] | None = None

    def check_unused(self) -> None:
        """Raise InvalidInput where a mesh is given what only sections have."""
        given = [name for name, value in asdict(self).items() if value]
        if given:
            raise InvalidInput(f"{given[0]} is for plane files, and a mesh is measured", hint="leave it out")


def is_section(source: Any, format: str | None) -> bool:
    """Whether a source lies in the plane: a file, a list of files, a ring of points, or an object with an exterior ring."""
    if isinstance(source, str | os.PathLike):
        return is_planar(source, format)
    if isinstance(source, tuple):  # vertices and faces
        return False
    if _are_paths(source) or hasattr(source, "exterior"):
        return True
    try:
        shape = np.shape(source)
    except ValueError:  # ragged: the mesh readers say what is wrong
        return False
    return len(shape) == 2 and shape[1] == 2


def section_of(
    source: Any,
    wanted: Wanted,
    matter: Matter,
    *,
    units: str | None,
    motion: Pose | None,
    axes: Axes,
    format: str | None,
    hash: bool,
    chord: float,
    stdin: BinaryIO | None,
) -> tuple[Measurement, bool]:
    """The measurement of a section, not yet checked, and whether its unit is stated; parameters as those of `measure`."""
    from massprops.formats.section.arrays import from_object as ring_from
    from massprops.measurement.section import Planar, parts_of, planar_measurement
    from massprops.section.rings import Request

    if wanted.centered and matter.thickness is None:
        raise InvalidInput("centered is for the solid above a section, which has a thickness", hint="add --thickness")
    asked = Planar.parse(**{name: getattr(wanted, name) for name in Wanted.__dataclass_fields__})
    named = source if _are_paths(source) else [source]
    mesh = next((s for s in named if _are_paths([s]) and not is_planar(s, format) and _is_mesh(s)), None)
    if mesh is not None:
        raise InvalidInput(f"{mesh}: is a mesh, and only plane files are parts of a section", hint="leave it out")
    request = Request(units, asked.layers)
    sources = [
        read_planar(s, request, format=format, stdin=stdin, hash=hash)
        if isinstance(s, str | os.PathLike)
        else ring_from(s)
        for s in named
    ]
    parts = []
    for s in sources:
        scale = length_unit(units or s.unit or "m")
        parts += parts_of(s, scale, asked, by_layer=asked.composite and len(sources) == 1)
    described = Input(
        " + ".join(s.name for s in sources),
        sources[0].format,
        sources[0].encoding,
        units or sources[0].unit or "m",
        None,
        sources[0].sha256 if len(sources) == 1 else None,
        sum(len(p.assembled.outlines) for p in parts),
    )
    measurement = planar_measurement(parts, asked, described, matter, motion, axes, chord)
    noticed = tuple(f for s in sources for f in s.findings)
    stated = units is not None or all(s.unit is not None for s in sources)
    if any(f.code == "stray-fills" for f in noticed) and measurement.grade == "certified":
        measurement = replace(measurement, grade="closed")
    return replace(measurement, given_mass=matter.mass, findings=(*noticed, *measurement.findings)), stated


def _is_mesh(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() in FORMATS


def _are_paths(source: Any) -> bool:
    return isinstance(source, list) and bool(source) and all(isinstance(s, str | os.PathLike) for s in source)

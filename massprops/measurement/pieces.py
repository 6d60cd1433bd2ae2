"""One surface of several mesh files: pieces that are open alone and closed together.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from pathlib import Path
from typing import BinaryIO

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, Remedy
from massprops.findings import Finding
from massprops.formats.kinds import is_planar
from massprops.formats.registry import open_mesh
from massprops.measurement.options import Options
from massprops.mesh.coordinate_resolution import resolution
from massprops.mesh.repaired_solid import body_mesh
from massprops.mesh.source import MeshFile
from massprops.moments.integrals import Array
from massprops.units import length_unit
from massprops.wording import plural

_NUMBERED = re.compile(r"(.+[ _.-])\d+")
#: Refusals of a surface that others may close.
_OF_PIECES = ("open-edges", "inconsistent-winding", "non-manifold-edges")


def naming_pieces(error: InvalidGeometry, source: object) -> InvalidGeometry:
    """The refusal of an open file, and how it is measured with the files of the same stem beside it, if there are some."""
    numbered = _NUMBERED.fullmatch(Path(source).stem) if isinstance(source, str | os.PathLike) else None
    if numbered is None or error.code not in _OF_PIECES:
        return error
    path, stem = Path(str(source)), numbered[1]
    try:
        beside = [p.name for p in path.parent.iterdir() if p.suffix == path.suffix and p.name != path.name]
    except OSError:
        return error
    others = [n for n in beside if (m := _NUMBERED.fullmatch(Path(n).stem)) is not None and m[1] == stem]
    if not others:
        return error
    pattern = f"{shlex.quote(str(path.parent / stem))}*{path.suffix}"
    count = plural(len(others), "file of its stem lies", "files of its stem lie")
    way = f"{count} beside it: if it is a piece of one surface with them,"
    text = f"{way} 'massprops compute {pattern} --together' measures them"
    python = f"{way} a list of them with together=True is measured"
    found = copy(error)
    found.remedy = Remedy(text, see=error.remedy.see if isinstance(error.remedy, Remedy) else (), python=python)
    return found


@contextmanager
def open_together(
    paths: Sequence[str | os.PathLike[str]], options: Options, stdin: BinaryIO | None = None
) -> Iterator[MeshFile]:
    """All facets of several mesh files, in the unit that they have in common, else in metres.

    Raises
    ------
    InvalidInput
        If one of them is a section, or has exact surfaces.
    """
    with ExitStack() as stack:
        meshes = []
        for path in paths:
            if is_planar(path, options.format):
                raise InvalidInput("is for meshes, and this is a section", parameter="together", place=str(path))
            meshes.append(body_mesh(stack.enter_context(open_mesh(path, format=options.format, stdin=stdin))))
            if meshes[-1].exact is not None:
                what = "is for triangles, and these solids have exact surfaces"
                raise InvalidInput(what, parameter="together", place=str(path))
            if meshes[-1].masses is not None:
                what = "is for surfaces, and this file states densities and masses"
                raise InvalidInput(what, parameter="together", place=str(path))
        units = [options.unit_of(mesh.unit) for mesh in meshes]
        common = units[0] if len(set(units)) == 1 else "m"
        scaled = [(mesh, length_unit(u) / length_unit(common)) for mesh, u in zip(meshes, units, strict=True)]

        def read_chunks() -> Iterator[Array]:
            for mesh, scale in scaled:
                yield from (chunk.astype(np.float64) * scale for chunk in mesh.chunks())

        names = ", ".join(f"{mesh.name} ({u})" for mesh, u in zip(meshes, units, strict=True))
        note = Finding("joined-files", "info", f"one surface of {len(meshes)} files: {names}")
        yield MeshFile(
            name=" + ".join(mesh.name for mesh in meshes),
            facets=sum(mesh.facets for mesh in meshes),
            read_chunks=read_chunks,
            format=" + ".join(dict.fromkeys(mesh.format for mesh in meshes)),
            encoding=" + ".join(dict.fromkeys(mesh.encoding for mesh in meshes)),
            unit=common if options.units or any(mesh.unit for mesh in meshes) else None,
            findings=(note, *(f for m in meshes for f in (*m.findings, *options.unit_findings(m.unit)))),
            half_unit=max(resolution(m, max(float(abs(c).max()) for c in m.chunks())).half_unit * s for m, s in scaled),
            is_rounded=lambda: any(s != 1 or mesh.is_rounded() for mesh, s in scaled),
        )

"""One surface of several mesh files: pieces that are open alone and closed together.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

import numpy as np

from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.formats.kinds import is_planar
from massprops.formats.registry import open_mesh
from massprops.measurement.options import Options
from massprops.mesh.coordinate_resolution import resolution
from massprops.mesh.repaired_solid import body_mesh
from massprops.mesh.source import MeshFile
from massprops.moments.integrals import Array
from massprops.units import length_unit


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

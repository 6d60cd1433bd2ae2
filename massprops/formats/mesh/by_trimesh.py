"""Every other mesh format that trimesh reads; asked after the readers of this program and those of other packages.

Tests: `tests/formats/mesh/test_by_trimesh.py`.
"""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from massprops.errors import InvalidInput, ReadError, needing
from massprops.findings import Finding
from massprops.formats.mesh.arrays import unit_of
from massprops.formats.mesh.placement import (
    EXPORT_AGAIN,
    Instance,
    check_corners,
    check_finite,
    chosen_parts,
    gather,
    source_of,
)
from massprops.formats.packed import check_unpacked
from massprops.formats.text import shorten
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.mesh.triangulation import Polygons
from massprops.units import length_unit

#: Of what trimesh loads, points and archives of files are no mesh format.
_OTHERS = {"xyz", "stl_ascii", "dict", "dict64"}
#: Warnings of trimesh that become findings.
_SHOWN = 20


def reader_of(suffix: str) -> Callable[[InputFile], MeshFile] | None:
    """The reader of a suffix with its dot; None where trimesh reads none of this name."""
    from trimesh.exchange.load import mesh_formats  # 0.3 s, where the suffix is none of ours

    return read if suffix[1:] in mesh_formats() - _OTHERS else None


def read(file: InputFile) -> MeshFile:
    """Facets as trimesh reads them, unmerged, in the unit that the file states, with a finding that says so.

    Raises
    ------
    MissingExtra
        trimesh needs a package that is not installed.
    ReadError
        It fails, or finds no facets.
    """
    import trimesh
    from trimesh.exchange.load import mesh_loaders

    text = file.stream.read()
    size = _unpacked(file, text)
    with needing("meshes", f"{file.name}: trimesh reads {file.format} with another package"):
        _ = mesh_loaders[file.format].__name__  # one that cannot run raises here what it lacks
    reader = f"trimesh {trimesh.__version__}"
    try:
        with _warnings() as warned:
            scene = trimesh.load_scene(io.BytesIO(text), file_type=file.format, process=False)
            found = list(_instances(file, scene))
    except (ReadError, MemoryError):
        raise
    except Exception as error:
        what = f"{file.name}: {reader} cannot read it: {shorten(str(error) or repr(error), 80)}"
        raise ReadError(what, code="broken-reader", hint=EXPORT_AGAIN) from error
    instances = gather(file, found, lambda: max(len(text), size))
    chosen = chosen_parts(file, [i.label for i in instances if i.label is not None], "node")
    units = {_unit(mesh.units) for mesh in scene.geometry.values()}
    unit = units.pop() if len(units) == 1 else None
    said = f"read by {reader}, which may have rounded coordinates"
    notes = [Finding("read-by-other", "info", f"{said}{'' if unit else ', and states no unit'}")]
    notes += [Finding("read-by-other", "warning", f"{reader} warns: {shorten(w, 200)}") for w in warned[:_SHOWN]]
    return source_of(file, file.format, reader, [instances[i] for i in chosen], unit, notes)


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """Warnings of trimesh meanwhile, as of parts that it leaves out: each text once."""
    found: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if (text := record.getMessage()) not in found:
                found.append(text)

    logger, handler = logging.getLogger("trimesh"), Keep(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)


def _instances(file: InputFile, scene: Any) -> Iterator[Instance]:
    """The meshes of a scene where it places them; points and curves bound nothing."""
    for node in scene.graph.nodes_geometry:
        pose, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not len(getattr(mesh, "faces", ())):
            continue
        vertices, faces = np.asarray(mesh.vertices, np.float64), np.asarray(mesh.faces, np.int64)
        check_finite(file.name, vertices)
        check_corners(file.name, faces, len(vertices))
        label = PartLabel(str(node), str(node))
        yield Instance(vertices, Polygons(faces), np.asarray(pose, np.float64), 0.0, label)


def _unit(stated: str | None) -> str | None:
    """The unit of a mesh by a name of `massprops.units`; None where it is none of length."""
    try:
        return unit_of(length_unit(stated)) if stated else None
    except InvalidInput:
        return None


def _unpacked(file: InputFile, text: bytes) -> int:
    """The size of what a package unpacks to, which is checked; 0 of a file that is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(text)) as archive:
            return check_unpacked(file, archive, EXPORT_AGAIN)
    except zipfile.BadZipFile:
        return 0

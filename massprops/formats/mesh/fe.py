"""Finite elements that meshlane reads (VTK, Gmsh, MED, Exodus, XDMF …), or other packages have in memory, as models; see `fe_model`.

Tests: `tests/formats/mesh/test_fe.py`, `tests/formats/mesh/test_packages.py`.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.errors import InvalidInput, MissingExtra, ReadError
from massprops.findings import Finding, count_finding
from massprops.formats.child_process import SubprocessFailed, run_in_subprocess
from massprops.formats.mesh.fe_cells import KINDS, Integers
from massprops.formats.mesh.fe_meshlane import regions, warnings_that_matter, whole_numbers
from massprops.formats.mesh.fe_model import CellBlock, CellGroup, Model, source_of_model
from massprops.formats.mesh.packages import Cells
from massprops.formats.text import quote, shorten
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.moments.arrays import Array
from massprops.wording import plural

#: Seconds of processor time for each megabyte of a file, and for two more.
_PATIENCE = 60.0
#: Readers of meshlane by format, where they have another name.
_READERS = {"msh": "gmsh", "exo": "exodus", "mesh": "medit", "vol": "netgen", "avs": "avsucd", "f3grid": "flac3d"}
_READERS |= {"cdb": "ansysInp"}
#: Coordinates of XML files as text, and as anything else.
_BINARY_XML = re.compile(rb'format\s*=\s*"(binary|appended|hdf)"', re.IGNORECASE)
#: Kinds of VTK files that meshlane does not read, in their first bytes.
_UNREAD, _HEAD = re.compile(rb"\n\s*(?:ASCII|BINARY)\s+DATASET\s+(POLYDATA|FIELD)\b", re.IGNORECASE), 1024
#: Other files that an XDMF file refers to.
_HDF = re.compile(rb">\s*([^<>:]+\.h(?:df)?5?):")

#: Kind of some cells, their nodes, shape (n, nodes), and their groups, shape (n,).
_Block = tuple[str, Integers, Integers]


def read(file: InputFile) -> MeshFile:
    """The solid cells of a file, or if it has none its surface, as meshlane reads them.

    Raises
    ------
    MissingExtra
        It, or a package that it needs, is not installed.
    ReadError
        It fails, or finds no cell with a volume or an area.
    """
    data = file.stream.read()
    if file.format == "vtk" and (kind := _UNREAD.search(data[:_HEAD])):
        what = f"{file.name}: VTK files of the kind {kind[1].decode().upper()} are not read"
        raise ReadError(what, code="unknown-format", hint="save it as STL, PLY or .vtu")
    about, found = _read(file, data, _READERS.get(file.format, file.format))
    cells = [(kind, found[f"nodes{i}"], found[f"groups{i}"]) for i, kind in enumerate(about["cells"])]
    model = _model(file.name, found["points"], cells, _in_sequence(cells, first=1), about["groups"], _encoding(data))
    reader = f"read by meshlane {about['reader']}, and states no unit"
    model.findings.append(Finding("read-by-other", "info", reader))
    warned = about["warned"][:20]
    model.findings += [Finding("read-by-other", "warning", f"meshlane warns: {shorten(w, 200)}") for w in warned]
    model.unmeasured[:0] = warnings_that_matter(about["warned"])
    return source_of_model(file, model)


def from_memory(cells: Cells, points: NDArray[np.floating]) -> MeshFile:
    """The solid cells of a mesh of another package, or if it has none its surface; `points` are checked already.

    Raises
    ------
    InvalidInput
        A cell refers to no node, or none has a volume or an area.
    InvalidGeometry
        A cell is turned or tangled, or two are on one side of a face.
    """
    file = InputFile(cells.name, io.BytesIO(), 0, format="array")
    try:
        nodes = [whole_numbers(rows) for _, rows, _ in cells.blocks]
        names, groups = regions(cells, [len(rows) for rows in nodes])
        blocks = [(b[0], rows, own) for b, rows, own in zip(cells.blocks, nodes, groups, strict=True)]
        given = zip((n for *_, n in cells.blocks), _in_sequence(blocks, first=0), strict=True)
        numbers = [counted if own is None else own.astype(np.int64) for own, counted in given]
        model = _model(cells.name, points.astype(np.float64), blocks, numbers, names, str(points.dtype))
        return replace(source_of_model(file, model), file=None)
    except ReadError as error:
        raise InvalidInput(error.text, hint=error.hint) from error


def _in_sequence(cells: Sequence[_Block], first: int) -> list[Integers]:
    """Numbers for the cells of some blocks."""
    starts = np.cumsum([first, *(len(nodes) for _, nodes, _ in cells)])
    return [start + np.arange(len(nodes)) for start, (_, nodes, _) in zip(starts, cells, strict=False)]


def _model(
    name: str, points: Array, cells: Sequence[_Block], numbers: Sequence[Integers], names: Sequence[str], encoding: str
) -> Model:
    """The model of some blocks; cells of the group −1 are left out."""
    blocks, lines, unmeasured, left = list[CellBlock](), list[Integers](), list[str](), 0
    for (kind, every, groups), ids in zip(cells, numbers, strict=True):
        known, kept = KINDS.get(kind), groups >= 0
        nodes, left = every[kept], left + int((~kept).sum())
        if len(nodes) and not (nodes.min(initial=0) >= 0 and nodes.max(initial=0) < len(points)):
            what = f"a cell refers to a node that is none of its {len(points)}"
            raise ReadError(f"{name}: {what}", code="bad-index", hint="export the mesh again")
        if known is not None and nodes.shape[1] == known.size:
            blocks.append(CellBlock(known, nodes, ids[kept], groups[kept]))
        elif kind.startswith("line") and nodes.shape[1]:
            lines.append(nodes[:, :2])
        elif kind != "vertex" and len(nodes):
            unmeasured.append(f"{plural(len(nodes), 'cell')} of the kind {kind}")
    if beams := _apart(lines, blocks):
        unmeasured.append(f"{plural(beams, 'line')} between nodes of no other cell")
    what = f"{plural(left, 'cell')} that the mesh marks as hidden, or as a copy from another piece, left out"
    notes = list(count_finding(left, "skipped-elements", "info", what))
    return Model(points, blocks, [CellGroup(PartLabel(one, one)) for one in names], encoding, notes, unmeasured)


def _apart(lines: Sequence[Integers], blocks: Sequence[CellBlock]) -> int:
    """How many lines are no sides of other cells, as beams are."""
    if not lines or not blocks:
        return 0
    used = np.unique(np.concatenate([b.nodes.ravel() for b in blocks]))
    return int((~np.isin(np.concatenate(lines), used).all(axis=1)).sum())


def _read(file: InputFile, data: bytes, format: str) -> tuple[Any, dict[str, Any]]:
    others = [_reference(file, name) for name in dict.fromkeys(_HDF.findall(data))] if format == "xdmf" else []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"mesh.{format}"
        path.write_bytes(data)
        for name, content in others:
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_bytes(content)
        argument = json.dumps([str(path), format])
        try:
            limit = _PATIENCE * (2 + len(data) / 1e6)
            return run_in_subprocess("massprops.formats.mesh.fe_meshlane", argument, limit)
        except SubprocessFailed as error:
            raise ReadError(
                f"{file.name}: meshlane {error}", code="broken-reader", hint=error.hint or "export the mesh again"
            ) from error
        except (ReadError, MissingExtra) as error:
            hint = error.hint or "export the mesh again"
            raise type(error)(f"{file.name}: {error.text}", code=error.code, hint=hint) from error


def _reference(file: InputFile, written: bytes) -> tuple[str, bytes]:
    """Name and content of a file that an XDMF file refers to, beside it or below."""
    name = written.decode("utf-8", "replace").strip()
    if file.is_in_memory or Path(name).is_absolute() or ".." in Path(name).parts:
        what = f"it refers to {quote(name)}, which is not beside it or below"
        raise ReadError(f"{file.name}: {what}", code="missing-file", hint="put both into one folder")
    from massprops.formats.files import MESH_LIMIT, open_file

    with open_file(str(Path(file.name).parent / name), MESH_LIMIT) as opened:
        return name, opened.stream.read()


def _encoding(data: bytes) -> str:
    """Whether coordinates are written as text."""
    head = data[: 1 << 16]
    return "binary" if b"\0" in head or _BINARY_XML.search(data[: 1 << 20]) or not head.isascii() else "ascii"

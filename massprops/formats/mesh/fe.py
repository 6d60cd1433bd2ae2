"""Files of finite elements that meshlane reads (VTK, Gmsh, MED, Exodus, XDMF …), as models; see `fe_model`.

Tests: `tests/formats/mesh/test_fe.py`.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from massprops.errors import MissingExtra, ReadError
from massprops.findings import Finding
from massprops.formats.child_process import SubprocessFailed, run_in_subprocess
from massprops.formats.mesh.fe_cells import KINDS, Integers
from massprops.formats.mesh.fe_meshlane import warnings_that_matter
from massprops.formats.mesh.fe_model import CellBlock, CellGroup, Model, source_of_model
from massprops.formats.text import quote, shorten
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.wording import plural

#: Seconds of processor time for each megabyte of a file, and for two more.
_PATIENCE = 60.0
#: Readers of meshlane by format, where they have another name.
_READERS = {"msh": "gmsh", "exo": "exodus", "mesh": "medit", "vol": "netgen", "avs": "avsucd", "f3grid": "flac3d"}
_READERS |= {"cdb": "ansysInp"}
#: Coordinates of XML files as text, and as anything else.
_BINARY_XML = re.compile(rb'format\s*=\s*"(binary|appended|hdf)"', re.IGNORECASE)
#: Other files that an XDMF file refers to.
_HDF = re.compile(rb">\s*([^<>:]+\.h(?:df)?5?):")


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
    about, found = _read(file, data, _READERS.get(file.format, file.format))
    blocks, unmeasured = [], list(warnings_that_matter(about["warned"]))
    points, start, lines = found["points"], 0, list[Integers]()
    for i, kind in enumerate(about["cells"]):
        nodes, groups = found[f"nodes{i}"], found[f"groups{i}"]
        numbers = start + np.arange(1, len(nodes) + 1)
        start += len(nodes)
        known = KINDS.get(kind)
        if known is not None and nodes.shape[1] == known.size:
            if len(nodes) and not (nodes.min() >= 0 and nodes.max() < len(points)):
                what = f"a cell refers to a node that is none of the {len(points)} of the file"
                raise ReadError(f"{file.name}: {what}", code="bad-index", hint="export the mesh again")
            blocks.append(CellBlock(known, nodes, numbers, groups))
        elif kind.startswith("line") and nodes.shape[1]:
            lines.append(nodes[:, :2])
        elif kind != "vertex" and len(nodes):
            unmeasured.append(f"{plural(len(nodes), 'cell')} of the kind {kind}")
    if beams := _apart(lines, blocks):
        unmeasured.append(f"{plural(beams, 'line')} between nodes of no other cell")
    reader = f"read by meshlane {about['reader']}, and states no unit"
    notes = [Finding("read-by-other", "info", reader)]
    notes += [Finding("read-by-other", "warning", f"meshlane warns: {shorten(w, 200)}") for w in about["warned"][:20]]
    labels = [CellGroup(PartLabel(name, name)) for name in about["groups"]]
    model = Model(points, blocks, labels, _encoding(data), notes, unmeasured)
    return source_of_model(file, model)


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


def _encoding(data: bytes) -> Literal["ascii", "binary"]:
    """Whether coordinates are written as text."""
    head = data[: 1 << 16]
    return "binary" if b"\0" in head or _BINARY_XML.search(data[: 1 << 20]) or not head.isascii() else "ascii"

"""Meshes read as their readers may be driven: in blocks of any size, by the compiled core or strictly."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from cases import raised
from cores import core_of

from massprops import MasspropsError, ReadError
from massprops.formats import text_lines
from massprops.formats.mesh import collada, obj, off, ply, ply_binary_rows, stl
from massprops.mesh.source import InputFile, MeshFile

READERS = {"stl": stl, "obj": obj, "ply": ply, "off": off, "dae": collada}


def source(kind: str, data: bytes | str) -> MeshFile:
    data = data.encode() if isinstance(data, str) else data
    return READERS[kind].read(InputFile(f"part.{kind}", io.BytesIO(data), len(data)))


def facets(kind: str, data: bytes | str) -> np.ndarray:
    mesh = source(kind, data)
    found = np.concatenate(list(mesh.chunks()))
    assert mesh.facets == len(found) > 0
    assert np.isfinite(found).all()
    return found


def refusal(kind: str, data: bytes | str) -> Any:
    """The error that reading the facets of a file raises."""
    return raised(ReadError, facets, kind, data)


def outcome(kind: str, data: bytes | str, block: int = 1 << 17, core: str = "") -> Any:
    """The facets of a file and what was noticed, or the message, in blocks of some size; the core `numpy` reads strictly."""
    with pytest.MonkeyPatch.context() as patch, core_of(core):
        patch.setattr(text_lines, "BLOCK", block)
        patch.setattr(ply_binary_rows, "_BLOCK", block)
        try:
            found = facets(kind, data)
            return found.dtype, found.tobytes(), source(kind, data).findings
        except MasspropsError as error:
            where = f"{error}".startswith(f"part.{kind}:")
            return f"{error} {error.code}" if where else None


def lines_read_strictly(kind: str, data: bytes | str, block: int = 1 << 17) -> int:
    """How many lines the compiled core leaves to the strict reader."""
    left = []
    lines = text_lines.TextLines.lines
    with pytest.MonkeyPatch.context() as patch, core_of("native"):
        patch.setattr(text_lines, "BLOCK", block)
        patch.setattr(text_lines.TextLines, "lines", lambda *all: (left.append(line) or line for line in lines(*all)))
        with contextlib.suppress(MasspropsError):
            source(kind, data)
    return len(left)

"""Text formats read as their driver may read them: in blocks of any size, by the compiled core or strictly."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from cores import core_of

from massprops.errors import ReadError
from massprops.formats import text_lines
from massprops.mesh.source import InputFile, MeshSource


def outcome(read: Callable[[InputFile], MeshSource], data: bytes, block: int = 1 << 17, core: str = "") -> Any:
    """The facets of a file as bytes and what was noticed, or the message, in blocks of some size; the core `numpy` reads strictly."""
    with pytest.MonkeyPatch.context() as patch, core_of(core):
        patch.setattr(text_lines, "BLOCK", block)
        try:
            source = read(InputFile("part.x", io.BytesIO(data), len(data)))
            return [(c.dtype, c.shape, c.tobytes()) for c in source.chunks()], source.findings
        except ReadError as error:
            return f"{error} {error.code}"


def lines_read_strictly(read: Callable[[InputFile], MeshSource], data: bytes, block: int = 1 << 17) -> int:
    """How many lines the compiled core leaves to the strict reader."""
    left = []
    lines = text_lines.TextLines.lines
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines.TextLines, "lines", lambda *all: (left.append(line) or line for line in lines(*all)))
        outcome(read, data, block)
    return len(left)

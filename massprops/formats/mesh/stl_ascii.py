"""ASCII STL: facets as exporters write them, many at a time, and everything else word by word (`stl_ascii_strict`).

The strict reader decides what is right and says what is wrong and on which line; where both read a facet they give the same doubles.
"""

from __future__ import annotations

import re
from functools import partial

from massprops.errors import ReadError
from massprops.formats.mesh.stl_ascii_strict import read_solids
from massprops.formats.text import decode
from massprops.formats.text_blocks import text_blocks
from massprops.mesh.source import CHUNK, InputFile, MeshSource

NO_FACETS = "export the mesh again; there is nothing to measure"
_BINARY_HEADER = 84
#: Bytes read together: the facet that does not end in a block is read word by word.
_BLOCK = 1 << 20


def recognises(head: bytes) -> bool:
    """Whether a file begins as an ASCII STL file does.

    Binary headers may begin with ``solid`` too; then a zero byte follows soon, at the latest in the count
    (which has one in files of less than 16,777,216 facets). Zeros after a line of STL are damage to a text.
    """
    begin = decode(head)[:_BINARY_HEADER]
    if re.match(r"\s*solid(\s|$)", begin, re.IGNORECASE) is None:
        return False
    return "\0" not in begin or re.match(r"[^\0\r\n]*[\r\n]\s*(facet|endsolid)\s", begin, re.IGNORECASE) is not None


def read(file: InputFile) -> MeshSource:
    """Facets of an ASCII STL file, float64; all of them are in memory, but not the text."""
    file.stream.seek(0)
    corners = read_solids(file.name, text_blocks(file.stream, _BLOCK))
    if not len(corners):
        raise ReadError(f"{file.name}: the ASCII STL file holds no facets", code="no-facets", hint=NO_FACETS)
    chunks = [corners[start : start + CHUNK] for start in range(0, len(corners), CHUNK)]
    return MeshSource(file.name, "stl", "ascii", len(corners), partial(iter, chunks))

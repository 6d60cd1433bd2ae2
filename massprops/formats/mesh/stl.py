"""STL: 80 bytes of header, a count and 50 bytes per facet; or text, which `stl_ascii` reads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops.errors import ReadError, Remedy
from massprops.findings import Finding
from massprops.formats.text import decode
from massprops.mesh.source import CHUNK, Array, InputFile, MeshFile, read_into
from massprops.wording import plural

HEADER = 84
FACET = 50
_COUNT = slice(80, 84)
_WHITE_SPACE = dict.fromkeys(map(ord, "\t\n\v\f\r"))

# 12 bytes of normal, 36 of corners, 2 of attributes. The corners are copied as one opaque block: numpy moves
# 36 bytes at a time twice as fast as nine floats that lie at odd addresses.
_CORNERS = np.dtype({"names": ["corners"], "formats": ["V36"], "offsets": [12], "itemsize": FACET})


def read(file: InputFile) -> MeshFile:
    """Facets of an STL file, binary or ASCII as its content says.

    A binary file may start with ``solid`` as well, so the length decides first: where it is exactly what the
    header promises, the file is binary.

    Returns
    -------
    MeshFile
        float32 chunks for binary files (memory does not grow with the file), float64 for ASCII.

    Raises
    ------
    ReadError
        Truncated, damaged or without facets; non-finite coordinates of binary files while the chunks are read.
    """
    file.stream.seek(0)
    head = file.stream.read(512)
    if not is_exact_binary(head, file.size):
        from massprops.formats.mesh import stl_ascii

        if stl_ascii.recognises(head):
            return stl_ascii.read(file)
    return _read_binary(file, head)


def is_exact_binary(head: bytes, size: int) -> bool:
    """Whether the file has exactly the length that a binary header promises."""
    return len(head) >= HEADER and size == HEADER + FACET * _promised(head)


def _promised(head: bytes) -> int:
    return int.from_bytes(head[_COUNT], "little")


def _read_binary(file: InputFile, head: bytes) -> MeshFile:
    if not is_exact_binary(head, file.size) and decode(head).translate(_WHITE_SPACE).isprintable():
        what = f"{file.name}: neither binary nor ASCII STL: the file is text that does not begin with 'solid'"
        again = Remedy("export the mesh again, or say with {} what it is", "format")
        raise ReadError(what, code="wrong-format", hint=again)
    if file.size < HEADER:
        what = f"{file.name}: a binary STL file has at least {HEADER} bytes, but this one has {file.size}"
        hint = "it looks truncated, or is of another format; export or copy it again"
        raise ReadError(what, code="truncated-file", hint=hint)
    facets, findings = _count(file, _promised(head))
    if facets == 0:
        from massprops.formats.mesh.stl_ascii import NO_FACETS

        raise ReadError(f"{file.name}: the binary STL file holds no facets", code="no-facets", hint=NO_FACETS)
    chunks = partial(_chunks, file.name, file.stream, facets)
    return MeshFile(file.name, facets, chunks, format="stl", encoding="binary", findings=tuple(findings))


def _count(file: InputFile, promised: int) -> tuple[int, list[Finding]]:
    """Number of facets, by the length and by the header's count, and findings.

    Some exporters never fill in the count, so a whole number of facets is believed. Some append a few bytes, which
    are no facet. In every other case the two contradict each other, and the facets may be cut or something else.
    """
    there, rest = divmod(file.size - HEADER, FACET)
    if rest == 0:
        what = f"the header promises {plural(promised, 'triangle')}, but the file's length holds exactly {there}: all were read"
        other = Finding("facet-count", "warning", what, value=there, limit=promised)
        return there, [] if there == promised else [other]
    if there == promised:
        what = f"{rest} bytes follow the last of the {plural(there, 'triangle')} that the header promises: they were not read"
        return there, [Finding("facet-count", "warning", what, value=rest, limit=0)]
    promise = f"{plural(promised, 'triangle')} ({HEADER + FACET * promised} bytes)"
    what = f"binary STL header promises {promise} but the file has {file.size} bytes"
    if there < promised:
        hint = "it looks truncated; export or copy it again"
        raise ReadError(f"{file.name}: {what}", code="truncated-file", hint=hint)
    hint = "something else follows the facets, or the count is wrong; export the mesh again"
    raise ReadError(f"{file.name}: {what}, {rest} more than {there} whole facets", code="facet-count", hint=hint)


def _chunks(name: str, stream: BinaryIO, facets: int) -> Iterator[Array]:
    """Corners of the facets, float32, shape (n, 3, 3), through one buffer of `CHUNK` records."""
    buffer = np.empty(min(CHUNK, facets) * FACET, np.uint8)
    for start in range(0, facets, CHUNK):
        records = buffer[: min(CHUNK, facets - start) * FACET]
        # Seek each time: two passes may run at once.
        stream.seek(HEADER + FACET * start)
        read_into(name, stream, records)
        corners = _corners(records)
        _check_finite(name, corners, start)
        yield corners


def _corners(records: NDArray[np.uint8]) -> Array:
    block = np.ascontiguousarray(records.view(_CORNERS)["corners"])
    return block.view("<f4").reshape(-1, 3, 3).astype(np.float32, copy=False)


def _check_finite(name: str, corners: Array, start: int) -> None:
    flat = corners.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        # One number shows any NaN or infinity, since squares never cancel; huge coordinates overflow it too.
        suspect = not np.isfinite(np.dot(flat, flat))
    if suspect and not (finite := np.isfinite(corners)).all():
        facet, corner, axis = np.argwhere(~finite)[0].tolist()
        place, value = f"facet {start + facet + 1}, vertex {corner + 1}", corners[facet, corner, axis]
        what = f"{name}: {place}: {'xyz'[axis]} is {value}"
        raise ReadError(what, code="non-finite", hint="export the file again; a coordinate must be finite")

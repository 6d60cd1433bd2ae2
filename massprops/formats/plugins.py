"""Mesh formats of other packages: entry points of the group `massprops.formats`, asked for only where no suffix of ours matches.

The name of an entry point is the suffix; its object is a function of an `InputFile` that returns what `massprops.measure` takes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from massprops.errors import MasspropsError, ReadError
from massprops.formats.mesh.arrays import from_object
from massprops.formats.table import MESHES, PLANAR
from massprops.mesh.source import InputFile, MeshFile

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


#: The group of entry points.
GROUP = "massprops.formats"


@functools.cache
def formats_of_others() -> dict[str, list[EntryPoint]]:
    """Entry points of the group `massprops.formats` by their name, a suffix; asked for only where no suffix of ours matches."""
    from importlib.metadata import entry_points  # 20 ms

    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(f".{point.name.removeprefix('.').lower()}", []).append(point)
    return {suffix: points for suffix, points in found.items() if suffix not in (*MESHES, *PLANAR)}


def is_mesh(suffix: str) -> bool:
    """Whether files of a suffix, in lower case, are read as meshes wherever they are named."""
    if suffix in MESHES:
        return not MESHES[suffix].is_robot
    return suffix not in PLANAR and suffix in formats_of_others()


def reader_of_others(suffix: str) -> Callable[[InputFile], MeshFile] | None:
    """The reader of a mesh format that another package adds: a function of an `InputFile` that returns what `massprops.measure` takes.

    None where there is none. What fails in it is a ReadError that names its distribution.
    """
    points = formats_of_others().get(suffix)
    if points is None:
        return None
    names = [f"{p.value} of {p.dist.name} {p.dist.version}" if p.dist else p.value for p in points]

    def read(file: InputFile) -> MeshFile:
        if len(points) > 1:
            what = f"{file.name}: several packages read {suffix}: {', '.join(sorted(names))}"
            raise ReadError(what, code="broken-reader", hint="remove all but one")
        try:
            found = from_object(points[0].load()(file))
        except Exception as error:
            why = error.message if isinstance(error, MasspropsError) else repr(error)
            what = f"{file.name}: the reader {names[0]} failed: {why}"
            raise ReadError(what, code="broken-reader", hint="update or remove that package") from error
        return replace(found, name=file.name, format=suffix[1:])

    return read

"""Bodies and meshes in another format: what `massprops convert` writes, also mirrored.

Tests: `tests/cli/test_convert.py`, `tests/measurement/test_converting.py`.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack, get_args, overload

import numpy as np

from massprops.access import allowing
from massprops.declarations import public
from massprops.errors import InvalidInput, ReadError, Remedy, require_word
from massprops.findings import Finding
from massprops.formats.bodies import NamedBody, WriteOptions, as_body, write
from massprops.formats.bodies.json_results import body_dict
from massprops.formats.bodies.mass_table import without_sums
from massprops.formats.kinds import kind_of
from massprops.formats.mesh.writing import mesh_bytes
from massprops.formats.registry import open_mesh
from massprops.formats.saving import Data, Text
from massprops.formats.search_path import SearchPath
from massprops.frames import MIRRORS, Plane, Pose
from massprops.measurement.arguments import MeasureOptions
from massprops.measurement.gltf_axes import require_robots
from massprops.measurement.inferred import known_bodies
from massprops.measurement.options import Options, check_names
from massprops.measurement.pipeline import measure
from massprops.measurement.repairing import in_axes_of_file
from massprops.measurement.result import Measurement
from massprops.measurement.sources import each, naming
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import MeshFile
from massprops.rigid_body.mass_properties import MassProperties
from massprops.units import length_unit
from massprops.wording import plural

BodyFormat = Literal["urdf", "sdf", "mjcf", "usd", "csv", "markdown", "ten-vector", "json"]
MeshFormat = Literal["stl", "ply", "obj", "glb", "3mf", "off", "dae"]
#: Suffixes of text formats.
_SUFFIXES: dict[str, tuple[str, ...]] = {
    "urdf": (".urdf", ".xml"),
    "sdf": (".sdf", ".world"),
    "mjcf": (".xml", ".mjcf"),
    "usd": (".usda", ".usd"),
    "csv": (".csv",),
    "markdown": (".md",),
    "ten-vector": (".txt", ".dat"),
    "json": (".json", ".jsonl"),
}
#: Share of the size by which coordinates may be off when they are read again, in single precision or with seven digits.
_ROUNDED = 1e-6


class ConvertOptions(MeasureOptions, total=False):
    """Arguments of `convert`, as type checkers read them."""

    mirror: Plane | None
    form: WriteOptions
    packages: Mapping[str, str] | None
    allow_outside: bool


#: Options of measuring that the triangles of a mesh depend on.
_OF_MESHES = ("units", "override_units", "format")


@overload
def convert(source: Any, to: BodyFormat, **how: Unpack[ConvertOptions]) -> Text: ...


@overload
def convert(source: Any, to: MeshFormat, **how: Unpack[ConvertOptions]) -> Data: ...


@public(lambda: MeasureOptions, Options)
def convert(
    source: Any,
    to: str,
    *,
    mirror: Plane | None = None,
    form: WriteOptions = WriteOptions(),  # noqa: B008  # frozen
    packages: Mapping[str, str] | None = None,
    allow_outside: bool = False,
    **options: Unpack[MeasureOptions],
) -> Text | Data:
    """Inertials or a mesh in another format, as `massprops convert` writes them; what is written was read back and compared.

    Parameters
    ----------
    source : path, Measurement, MassProperties, NamedBody or object
        URDF, SDF, MJCF, USD, JSON results, CSV tables or ten-vectors, ``file#link`` is one link; a body; or a mesh as `massprops.measure`
        takes it, which is measured for a format of inertials. Also a list of these.
    to : str
        A name in `massprops.formats.bodies.DIALECTS`; ``json``: one object on each line; or of a mesh ``stl``, ``ply``, ``obj``, ``glb``,
        ``3mf``, ``off``, ``dae``.
    mirror : {"xy", "xz", "yz"}, optional
        Plane through the origin in which bodies and meshes are mirrored, before the pose; the facets of a mesh keep looking outward.
    form : WriteOptions
        Principal axes, digits, and the like; of inertials but JSON.
    packages, allow_outside
        Where included files are looked for, see `massprops.fill`.
    **options
        Those of `massprops.measure`, for a mesh; and its `pose`, X_WB, which places bodies in a parent frame W.

    Returns
    -------
    Text or Data
        The file that `to` names, with `save`; its `findings` name rows and links that state no body, or one that is computed.

    Raises
    ------
    ReadError
        If a file cannot be read or has no inertial.
    InvalidInput
        If no source is given, or the format is unknown or cannot hold the bodies.
    """
    known = (*get_args(BodyFormat), *get_args(MeshFormat))
    require_word(to, known, "to")
    check_names(options)
    pose = Options(pose=options.pop("pose", None)).transform
    if mirror is not None:
        require_word(mirror, MIRRORS, "mirror")
    sources = each([source])
    if not sources:
        raise InvalidInput("no file given", argument="source")
    search = SearchPath(packages=packages or {}, allow_outside=allow_outside)
    require_robots([os.fspath(one) for one in sources if isinstance(one, str | os.PathLike)], search)
    if to in get_args(MeshFormat):
        if len(sources) != 1 or pose is not None:
            what = "a pose is of inertials" if pose is not None else f"{plural(len(sources), 'mesh', 'meshes')} given"
            raise InvalidInput(what, hint="convert one mesh at a time, without a pose")
        if given := [n for n, v in options.items() if v is not None and n not in _OF_MESHES]:
            raise InvalidInput(f"{given[0]} is an option of measuring, and a mesh is written", hint="leave it out")
        with naming(sources, options) as (named,), allowing(outside=allow_outside or None):
            of = named.options
            in_axes_of_file(of, named.name)
            return Data.of(mesh_in_format(named.name, f".{to}", mirror, of)[0], (f".{to}",))
    read = [_bodies_of(one, search, options) for one in sources]
    bodies = [move_body(body, mirror, pose) for found, _ in read for body in found]
    notes = [note for _, found in read for note in found]
    if to != "json":
        return Text.of(write(bodies, to, form)[0], _SUFFIXES[to], notes)
    lines = (json.dumps(body_dict(body), allow_nan=False) + "\n" for body in bodies)
    return Text.of("".join(lines), _SUFFIXES[to], notes)


def _bodies_of(
    source: Any, search: SearchPath, options: Mapping[str, Any]
) -> tuple[Sequence[NamedBody], Sequence[Finding]]:
    """The bodies that a source states, or the one that it is; and findings about what else it states."""
    is_file = isinstance(source, str | os.PathLike)
    is_mesh = is_file and kind_of(source) in ("mesh", "section")
    is_body = isinstance(source, NamedBody | MassProperties | Measurement)
    if is_mesh or not (is_file or is_body):
        found = measure(source, allow_outside=search.allow_outside, **options)
        if found.mass is None:
            hint = Remedy("give {}, {} or {}", "density", "material", "mass")
            raise InvalidInput("is measured without a mass", place=found.input.path, hint=hint)
        return [as_body(found, "source")], ()
    if given := [name for name, value in options.items() if value is not None]:
        what, place = f"{given[0]} is an option of measuring, and this states its mass", str(source) if is_file else ""
        raise InvalidInput(what, place=place, hint="leave it out")
    if not is_file:
        return [as_body(source, "source")], ()
    contents = without_sums(known_bodies(source, search=search))
    return contents.bodies, contents.notes_about(os.fspath(source))


def move_body(body: NamedBody, mirror: str | None, pose: Pose | None) -> NamedBody:
    """A body mirrored in a plane through the origin of its frame, and then placed in another."""
    if mirror is not None:
        body = body.with_properties(body.properties.mirrored(mirror))
    return body if pose is None else body.with_properties(body.properties.transformed(pose))


def mesh_in_format(
    path: str,
    suffix: str,
    mirror: str | None,
    options: Options,
) -> tuple[bytes, int, str | None]:
    """The triangles of a mesh, mirrored or not, as the file of a suffix, their number, and the unit of the mesh, where it is known.

    A mirrored one is wound the other way round.

    Raises
    ------
    InvalidInput
        If the mesh has exact surfaces or roles of volumes, which triangles do not state, or the suffix is of no format that is written.
    ReadError
        If it cannot be read, or what was written does not read back as the same triangles.
    """
    with open_mesh(path, format=options.format) as mesh:
        _require_triangles(mesh)
        found, unit = IndexedMesh.of(mesh), options.known_unit(mesh)
    points, faces = found.points, found.faces
    if mirror is not None:
        points = points * np.array(MIRRORS[mirror], points.dtype) + 0  # no −0
        faces = faces[:, ::-1]
    with np.errstate(over="ignore"):  # what single precision cannot hold is found when it is read
        content = mesh_bytes(points, faces, suffix, unit)
    with open_mesh("-", format=suffix, stdin=io.BytesIO(content)) as again:
        corners = np.concatenate(list(again.chunks()))
        scale = length_unit(again.unit) / length_unit(unit) if again.unit and unit else 1.0
    wanted = points[faces]
    if corners.shape != wanted.shape or np.abs(corners * scale - wanted).max() > _ROUNDED * np.abs(wanted).max():
        raise ReadError("does not read back as the same triangles", place=f"{path} as {suffix}", code="round-trip")
    return content, len(faces), unit


def _require_triangles(mesh: MeshFile) -> None:
    if mesh.exact is not None or mesh.stated:
        what = "has exact surfaces" if mesh.exact is not None else "states which volumes are cut out of others"
        hint = "convert it in the program that made it"
        raise InvalidInput(f"{what}, which triangles do not state", place=Path(mesh.name).as_posix(), hint=hint)

"""Formats that trimesh reads for us: OFF, glTF, and COLLADA where pycollada is installed.

trimesh is lenient where this program must not be, so what a file promises is counted here and compared with what came
out: faces that were dropped, primitives that were skipped and data that could not be decoded are refused. Vertices are
never merged; the scene's transforms are applied in double precision.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.errors import MasspropsError, MissingExtra, ReadError
from massprops.readers.source import InputFile, MeshSource, indexed_chunks
from massprops.readers.text import decode, split_lines

Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]

_EXPORT_AGAIN = "the file is damaged, or uses what massprops cannot read; export it as STL, OBJ or PLY"
_TRIANGLES = 4  # glTF's number for separate triangles
_LINES = range(4)  # points and lines: no surface


def read_off(file: InputFile) -> MeshSource:
    """Facets of an OFF file; polygons become fans, which for flat ones has the same integrals."""
    promised = _wrapped(file, lambda: _off_triangles(file))
    return _source(file, "off", "ascii", promised)


def read_glb(file: InputFile) -> MeshSource:
    """Facets of a binary glTF file in metres, as the format defines."""
    return _read_gltf(file, "glb", "binary_little_endian", _glb_header)


def read_gltf(file: InputFile) -> MeshSource:
    """Facets of a glTF file and the buffers that it names, in metres."""
    return _read_gltf(file, "gltf", "binary_little_endian", lambda file: decode(_whole(file)))


def read_dae(file: InputFile) -> MeshSource:
    """Facets of a COLLADA file, in the unit that it states.

    Raises
    ------
    MissingExtra
        pycollada is not installed.
    """
    import importlib.util

    if importlib.util.find_spec("collada") is None:
        message = f"{file.name}: COLLADA files are read through pycollada, which is not installed"
        raise MissingExtra(message, hint="pip install 'massprops[dae]', or export the mesh as STL, OBJ or PLY")
    return _source(file, "dae", "ascii", None)


def _whole(file: InputFile) -> bytes:
    file.stream.seek(0)
    return file.stream.read()


def _wrapped(file: InputFile, function: Callable[[], Any]) -> Any:
    """What `function` returns; what parsers and trimesh throw at bad files becomes a ReadError."""
    try:
        return function()
    except (MasspropsError, MemoryError):
        raise
    except Exception as error:
        reason = str(error).strip() or type(error).__name__
        raise ReadError(f"{file.name}: cannot be read: {reason.splitlines()[0]}", hint=_EXPORT_AGAIN) from error


def _source(file: InputFile, format_: str, encoding: str, promised: int | None, unit: str | None = None) -> MeshSource:
    """Load, verify and hand on; `promised` is the number of triangles that the file says it has."""
    file.stream.seek(0)
    vertices, faces, metres = _wrapped(file, lambda: _load(file, format_))
    _verify(file, vertices, faces, promised)
    if metres is not None:
        unit = "m"
        vertices = vertices if metres == 1.0 else vertices * metres
    return MeshSource(file.name, format_, encoding, len(faces), partial(indexed_chunks, vertices, faces), unit=unit)


def _load(file: InputFile, format_: str) -> tuple[Doubles, Indices, float | None]:
    """All instances of all meshes of the scene in one vertex list, and the file's unit in metres where it has one."""
    import trimesh

    resolver = None if file.name == "-" else trimesh.resolvers.FilePathResolver(str(Path(file.name).absolute()))
    scene: Any = trimesh.load_scene(
        file.stream, file_type=format_, resolver=resolver, process=False, **_OPTIONS.get(format_, {})
    )
    meshes = {name: mesh for name, mesh in scene.geometry.items() if isinstance(mesh, trimesh.Trimesh)}
    placed = [scene.graph[node] for node in scene.graph.nodes_geometry]
    parts = [_place(meshes[name], pose) for pose, name in placed if name in meshes]
    return *_joined(parts), _metres(list(meshes.values()))


_OPTIONS: dict[str, dict[str, Any]] = {
    # Else missing references are passed over in silence, and textures are decoded for nothing.
    "dae": {"ignore_broken": False},
    "glb": {"skip_materials": True},
    "gltf": {"skip_materials": True},
}


def _place(mesh: Any, pose: Doubles) -> tuple[Doubles, Indices]:
    """Vertices and faces in the scene's frame; a mirror turns the facets round, so that outside stays outside."""
    vertices = np.array(mesh.vertices, np.float64).reshape(-1, 3)
    faces = np.array(mesh.faces, np.int64).reshape(-1, 3)
    if np.array_equal(pose, np.eye(4)):
        return vertices, faces
    linear = pose[:3, :3]
    return vertices @ linear.T + pose[:3, 3], faces[:, ::-1] if np.linalg.det(linear) < 0 else faces


def _joined(parts: list[tuple[Doubles, Indices]]) -> tuple[Doubles, Indices]:
    if not parts:
        return np.empty((0, 3)), np.empty((0, 3), np.int64)
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    faces = [_valid(faces, len(vertices)) + start for (vertices, faces), start in zip(parts, starts, strict=False)]
    return np.concatenate([vertices for vertices, _ in parts]), np.concatenate(faces)


def _valid(faces: Indices, vertices: int) -> Indices:
    if faces.size and (faces.min() < 0 or faces.max() >= vertices):
        bad = faces[(faces < 0) | (faces >= vertices)][0]
        raise ValueError(f"a face refers to vertex {bad}, counted from 0, but its mesh has {vertices} vertices")
    return faces


def _metres(meshes: list[Any]) -> float | None:
    """`meters` or `0.0254 * meters`, as trimesh writes the units of COLLADA and glTF."""
    stated = {str(mesh.metadata["units"]) for mesh in meshes if "units" in mesh.metadata}
    match = re.fullmatch(r"(?:(\S+) \* )?meters", stated.pop()) if len(stated) == 1 else None
    return None if match is None else float(match[1] or 1.0)


def _verify(file: InputFile, vertices: Doubles, faces: Indices, promised: int | None) -> None:
    if promised is not None and promised != len(faces):
        raise ReadError(
            f"{file.name}: the file promises {promised} triangles, but {len(faces)} could be read",
            code="facet-count",
            hint=_EXPORT_AGAIN,
        )
    if len(faces) == 0:
        raise ReadError(f"{file.name}: the file holds no facets", code="no-facets", hint=_EXPORT_AGAIN)
    finite = np.isfinite(vertices).all(axis=1)
    if not finite.all():
        vertex = int(np.flatnonzero(~finite)[0])
        raise ReadError(
            f"{file.name}: vertex {vertex}, counted from 0, is {tuple(vertices[vertex].tolist())}",
            code="non-finite",
            hint="export the mesh again; a coordinate must be finite",
        )


# OFF: how many triangles there must be.


def _off_triangles(file: InputFile) -> int:
    """Triangles that the polygons of an OFF file make, counted from its face lines."""
    words = _off_lines(decode(_whole(file)))
    header = next(words, [""])
    if re.fullmatch(r"(ST)?C?N?OFF", header[0].upper()) is None:
        raise _off_error(file, f"an OFF file begins with 'OFF', found {header[0]!r}")
    counts = header[1:] or next(words, [])
    if len(counts) < 2 or not all(count.isdecimal() for count in counts):
        raise _off_error(file, "the line of vertex and face counts is missing")
    lines = list(words)
    vertices, faces = int(counts[0]), int(counts[1])
    if len(lines) != vertices + faces:
        promise = f"{vertices} vertices and {faces} faces, one on each line,"
        raise _off_error(file, f"the header promises {promise} but {len(lines)} lines follow")
    return sum(_off_polygon(file, line) for line in lines[vertices:])


def _off_lines(text: str) -> Iterator[list[str]]:
    for line in split_lines(text):
        if words := line.split("#")[0].split():
            yield words


def _off_polygon(file: InputFile, words: list[str]) -> int:
    corners = int(words[0])
    if corners < 3 or len(words) <= corners:
        raise _off_error(file, f"not a face: {' '.join(words[:8])!r}")
    return corners - 2


def _off_error(file: InputFile, message: str) -> ReadError:
    return ReadError(f"{file.name}: {message}", code="bad-off", hint=_EXPORT_AGAIN)


# glTF: how many triangles there must be, and what trimesh would pass over.


def _read_gltf(file: InputFile, format_: str, encoding: str, header: Callable[[InputFile], str]) -> MeshSource:
    promised = _wrapped(file, lambda: _gltf_triangles(file, json.loads(header(file))))
    return _source(file, format_, encoding, promised, unit="m")


def _glb_header(file: InputFile) -> str:
    """The JSON chunk: magic, version and length of the file, then length and kind of the chunk."""
    head = file.stream.read(20)
    length, chunk = (int.from_bytes(head[at : at + 4], "little") for at in (8, 12))
    if length > file.size or chunk > file.size:
        raise ReadError(
            f"{file.name}: binary glTF header promises {length} bytes but the file has {file.size}",
            code="truncated-file",
            hint="it looks truncated; export or copy it again",
        )
    return decode(file.stream.read(chunk))


def _gltf_triangles(file: InputFile, tree: dict[str, Any]) -> int:
    """Triangles of all instances in the scene, from the accessors' counts."""
    _refuse_unread(file, tree)
    counts = [sum(_primitive(file, tree, p) for p in mesh["primitives"]) for mesh in tree.get("meshes", [])]
    nodes = tree.get("nodes", [])
    scenes = tree.get("scenes", [{}])
    waiting = list(scenes[tree.get("scene", 0)].get("nodes", []))
    seen: set[int] = set()
    total = 0
    while waiting:
        index = waiting.pop()
        if index in seen:
            raise _unread(file, f"node {index} stands in the scene more than once")
        seen.add(index)
        waiting += nodes[index].get("children", [])
        total += counts[nodes[index]["mesh"]] if "mesh" in nodes[index] else 0
    return total


# They change how a surface looks and nothing of where it is.
_HARMLESS = re.compile(r"(KHR|EXT|MSFT|ADOBE|AGI|FB)_(materials?|textures?|lights|xmp)_\w*|KHR_xmp\w*")


def _refuse_unread(file: InputFile, tree: dict[str, Any]) -> None:
    strange = [name for name in tree.get("extensionsRequired", []) if not _HARMLESS.fullmatch(name)]
    if strange:
        raise _unread(file, f"the extension {strange[0]} is required")
    if any("skin" in node for node in tree.get("nodes", [])):
        raise _unread(file, "a mesh is bent by a skeleton")


def _primitive(file: InputFile, tree: dict[str, Any], primitive: dict[str, Any]) -> int:
    mode = primitive.get("mode", _TRIANGLES)
    if mode in _LINES:
        return 0
    if mode != _TRIANGLES:
        raise _unread(file, "triangle strips or fans")
    if primitive.get("targets"):
        raise _unread(file, "morph targets")
    accessors = [tree["accessors"][index] for index in _accessors_of(primitive)]
    for accessor in accessors:
        if "sparse" in accessor or "bufferView" not in accessor or accessor.get("normalized"):
            raise _unread(file, "sparse, normalized or undefined coordinates")
    triangles, rest = divmod(accessors[-1]["count"], 3)
    if rest:
        raise _unread(file, f"{accessors[-1]['count']} corners, which is no multiple of 3")
    return int(triangles)


def _accessors_of(primitive: dict[str, Any]) -> list[int]:
    """Those of the coordinates and, where there are any, of the indices."""
    return [primitive["attributes"]["POSITION"]] + ([primitive["indices"]] if "indices" in primitive else [])


def _unread(file: InputFile, what: str) -> ReadError:
    message = f"{file.name}: massprops does not read such glTF: {what}"
    return ReadError(message, code="unsupported-gltf", hint="export it without, or as STL, OBJ or PLY")

"""Formats that trimesh reads for us: glTF, and COLLADA where pycollada is installed.

trimesh is lenient where this program must not be, so what a file promises is counted here and compared with what came
out: faces that were dropped, primitives that were skipped and data that could not be decoded are refused. Vertices are
never merged; the scene's transforms are applied in double precision.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.errors import MasspropsError, ReadError
from massprops.formats.text import decode
from massprops.mesh.source import InputFile, MeshSource, indexed_chunks

Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]

_EXPORT_AGAIN = "the file is damaged, or uses what massprops cannot read; export it as STL, OBJ or PLY"
_TRIANGLES = 4  # glTF's number for separate triangles
_LINES = range(4)  # points and lines: no surface


def read_glb(file: InputFile) -> MeshSource:
    """Facets of a binary glTF file in metres, as the format defines."""
    return _read_gltf(file, "glb", "binary_little_endian", _glb_tree)


def read_gltf(file: InputFile) -> MeshSource:
    """Facets of a glTF file and the buffers that it names, in metres."""
    return _read_gltf(file, "gltf", "binary_little_endian", _gltf_tree)


def read_dae(file: InputFile) -> MeshSource:
    """Facets of a COLLADA file, in the unit that it states.

    Raises
    ------
    ReadError
        As all readers; code ``missing-extra`` where pycollada is not installed: other files can still be measured.
    """
    import importlib.util

    if importlib.util.find_spec("collada") is None:
        message = f"{file.name}: COLLADA files are read through pycollada, which is not installed"
        hint = "pip install 'massprops[dae]', or export the mesh as STL, OBJ or PLY"
        raise ReadError(message, code="missing-extra", hint=hint)
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
        raise ReadError(f"{file.name}: cannot be read: {_reason(error)}", hint=_EXPORT_AGAIN) from error


def _reason(error: Exception) -> str:
    """What a parser's exception means to somebody who has only the file."""
    if isinstance(error, KeyError):
        return f"the entry {error} is missing"
    if isinstance(error, IndexError):
        return "an entry refers to another that does not exist"
    if isinstance(error, AssertionError):
        return "a part of it is shorter than another part says"
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return f"an entry is of the wrong kind ({reason})" if isinstance(error, TypeError | AttributeError) else reason


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


# glTF: how many triangles there must be, and what trimesh would pass over.


def _read_gltf(file: InputFile, format_: str, encoding: str, tree_of: Callable[[InputFile], Any]) -> MeshSource:
    tree = _wrapped(file, lambda: tree_of(file))
    if not isinstance(tree, dict):
        what = f"glTF is a JSON object, and this is {type(tree).__name__}"
        raise ReadError(f"{file.name}: {what}", code="bad-gltf", hint=_EXPORT_AGAIN)
    promised = _wrapped(file, lambda: _gltf_triangles(file, tree))
    return _source(file, format_, encoding, promised, unit="m")


def _gltf_tree(file: InputFile) -> Any:
    try:
        return json.loads(decode(_whole(file)))
    except json.JSONDecodeError as error:
        what = f"{file.name}:{error.lineno}: no JSON, which glTF is: {error.msg} in column {error.colno}"
        raise ReadError(what, code="bad-gltf", hint=_EXPORT_AGAIN) from error


def _glb_tree(file: InputFile) -> Any:
    """What the JSON chunk says. Before it: magic, version and length of the file, then length and kind of the chunk."""
    head = file.stream.read(_GLB_HEADER)
    _check_glb(file, head)
    try:
        return json.loads(decode(file.stream.read(_word(head, 12))))
    except json.JSONDecodeError as error:
        what = f"{file.name}: the first chunk of the file is no JSON: {error.msg} at character {error.pos + 1}"
        raise ReadError(what, code="bad-gltf", hint=_EXPORT_AGAIN) from error


_GLB_HEADER = 20


def _word(head: bytes, at: int) -> int:
    return int.from_bytes(head[at : at + 4], "little")


def _check_glb(file: InputFile, head: bytes) -> None:
    truncated = "it looks truncated; export or copy it again"
    if len(head) < _GLB_HEADER:
        what = f"a binary glTF file has at least {_GLB_HEADER} bytes, but this one has {file.size}"
        raise ReadError(f"{file.name}: {what}", code="truncated-file", hint=truncated)
    if head[:4] == b"glTF" and _word(head, 4) != 2:
        what = f"binary glTF of version {_word(head, 4)}, and only version 2 is read"
        raise ReadError(f"{file.name}: {what}", code="unsupported-gltf", hint="export it as glTF 2.0, STL, OBJ or PLY")
    if head[:4] != b"glTF" or head[16:20] != b"JSON":
        what = f"a binary glTF file begins with 'glTF' and a chunk 'JSON', got {head[:4]!r} and {head[16:20]!r}"
        raise ReadError(f"{file.name}: {what}", code="bad-gltf", hint="is it another format?")
    length = _word(head, 8)
    if max(length, _GLB_HEADER + _word(head, 12)) > file.size:
        what = f"binary glTF header promises {max(length, _GLB_HEADER + _word(head, 12))} bytes but the file has {file.size}"
        raise ReadError(f"{file.name}: {what}", code="truncated-file", hint=truncated)


_COUNTED = frozenset(
    {"mesh", "scene", "nodes", "children", "indices", "POSITION", "bufferView", "buffer"}
    | {"count", "byteOffset", "byteLength", "byteStride"}
)


def _check_signs(file: InputFile, tree: Any) -> None:
    """Refuse negative indices and sizes: Python would count them from the end, and read another part of the file."""
    for name, value in tree.items() if isinstance(tree, dict) else ():
        numbers = value if isinstance(value, list) else [value]
        negative = [n for n in numbers if isinstance(n, int | float) and n < 0]
        if name in _COUNTED and negative:
            what = f"the entry {name!r} is {negative[0]}, and must not be negative"
            raise ReadError(f"{file.name}: {what}", code="bad-gltf", hint=_EXPORT_AGAIN)
        for part in numbers:
            _check_signs(file, part)


def _check_buffers(file: InputFile, tree: dict[str, Any]) -> None:
    """Buffers in other files must be there, where the file says: trimesh would take one of that name from anywhere near."""
    for buffer in tree.get("buffers", []):
        uri = buffer.get("uri", "data:")
        if uri.startswith("data:"):
            continue
        if file.name == "-":
            what = f"its buffer {uri!r} is another file, which standard input cannot name"
            raise ReadError(f"{file.name}: {what}", code="missing-buffer", hint="export it as one file (.glb)")
        path = Path(file.name).parent / uri
        if not path.is_file():
            what = f"its buffer {uri!r} is not there ({path}: no such file)"
            hint = "copy it there, or export the mesh as one file (.glb)"
            raise ReadError(f"{file.name}: {what}", code="missing-buffer", hint=hint)
        if path.stat().st_size < buffer["byteLength"]:
            what = f"its buffer {uri!r} has {path.stat().st_size} bytes, but {buffer['byteLength']} are promised"
            hint = "it looks truncated; export or copy it again"
            raise ReadError(f"{file.name}: {what}", code="truncated-file", hint=hint)


def _gltf_triangles(file: InputFile, tree: dict[str, Any]) -> int:
    """Triangles of all instances in the scene, from the accessors' counts."""
    _check_signs(file, tree)
    _refuse_unread(file, tree)
    _check_buffers(file, tree)
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

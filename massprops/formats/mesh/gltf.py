"""glTF 2.0, as one binary file or as JSON with its buffers: triangles of the scene, placed in double precision.

The format has coordinates as single-precision numbers, in metres, y up. What would change the surface and is not read (skins, morph
targets, sparse accessors, required extensions) is refused; extensions that are used without being required are reported.

Source: Khronos, "glTF 2.0 Specification", ISO/IEC 12113:2022.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.files import MESH_LIMIT, file_of_mesh, open_file
from massprops.formats.mesh.placement import EXPORT_AGAIN, Instance, gather, source_of
from massprops.formats.text import decode, quote
from massprops.frames import Pose
from massprops.mesh.coordinate_resolution import of_binary
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array, Floats, Integers, product

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_LINES = range(4)  # points and lines: no surface
_FLOAT = 5126
_INDICES = {5121: "<u1", 5123: "<u2", 5125: "<u4"}
_TRUNCATED = "it looks truncated; export or copy it again"
#: Bytes of a binary file before its JSON: magic, version and length of the file, then length and kind of the chunk.
_HEADER = 20
#: Extensions that change how a surface looks, and not where it is.
_HARMLESS = re.compile(r"(KHR|EXT|MSFT|ADOBE|AGI|FB)_(materials?|textures?|lights|xmp)_\w*|KHR_xmp\w*")
#: Other extensions of a file: each is a finding.
_MOST_EXTENSIONS = 100
#: Entries that count or point: Python would count negative ones from the end.
_COUNTED = frozenset(
    {"mesh", "scene", "nodes", "children", "indices", "POSITION", "bufferView", "buffer"}
    | {"count", "byteOffset", "byteLength", "byteStride"}
)


def read_glb(file: InputFile) -> MeshFile:
    """Facets of a binary glTF file in metres, as the format defines."""
    return _read(file, "glb")


def read_gltf(file: InputFile) -> MeshFile:
    """Facets of a glTF file and the buffers that it names, in metres."""
    return _read(file, "gltf")


def _read(file: InputFile, format: str) -> MeshFile:
    try:
        text, chunk = _chunks(file) if format == "glb" else (file.stream.read(), None)
        tree = json.loads(decode(text))
        if not isinstance(tree, dict):
            raise _error(file, f"glTF is a JSON object, and this is {type(tree).__name__}")
        extensions = set(tree.get("extensionsUsed", []))
        _check_entries(file, tree, extensions)
        scene = _Scene(file, tree, chunk, {}, {})
        instances = gather(file, scene.instances(), lambda: file.size + sum(map(len, scene.buffers.values())))
        findings = _skipped(file, extensions)
    except (ReadError, MemoryError):
        raise
    except json.JSONDecodeError as error:
        if format == "glb":
            what = f"the first chunk of the file is not JSON: {error.msg} at character {error.pos + 1}"
            raise _error(file, what) from error
        what = f"{file.name}:{error.lineno}: not JSON, which glTF is: {error.msg} in column {error.colno}"
        raise ReadError(what, code="bad-gltf", hint=EXPORT_AGAIN) from error
    except Exception as error:  # a tree of any shape: each part of it can be of another kind than the format says
        raise _error(file, f"cannot be read: {_reason(error)}", "") from error
    return source_of(file, format, "binary_little_endian", instances, "m", findings)


def _error(file: InputFile, what: str, code: str = "bad-gltf", hint: str = EXPORT_AGAIN) -> ReadError:
    return ReadError(f"{file.name}: {what}", code=code, hint=hint)


def _reason(error: Exception) -> str:
    """Meaning of an exception for somebody who has only the file."""
    if isinstance(error, KeyError):
        return f"the entry {error} is missing"
    if isinstance(error, IndexError):
        return "an entry refers to another that does not exist"
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return f"an entry is of the wrong kind ({reason})" if isinstance(error, TypeError | AttributeError) else reason


def _chunks(file: InputFile) -> tuple[bytes, bytes | None]:
    """The JSON chunk, and the binary chunk if there is one."""
    data = file.stream.read()
    if len(data) < _HEADER:
        what = f"a binary glTF file has at least {_HEADER} bytes, but this one has {file.size}"
        raise _error(file, what, "truncated-file", _TRUNCATED)
    version, promised, size = np.frombuffer(data, "<u4", 3, 4).tolist()
    if data[:4] == b"glTF" and version != 2:
        what = f"binary glTF of version {version}, and only version 2 is read"
        raise _error(file, what, "unsupported-gltf", "export it as glTF 2.0, STL, OBJ or PLY")
    if data[:4] != b"glTF" or data[16:20] != b"JSON":
        what = f"a binary glTF file begins with 'glTF' and a chunk 'JSON', got {data[:4]!r} and {data[16:20]!r}"
        raise _error(file, what, hint="is it another format?")
    end = _HEADER + size
    if max(promised, end) > file.size:
        what = f"binary glTF header promises {max(promised, end)} bytes but the file has {file.size}"
        raise _error(file, what, "truncated-file", _TRUNCATED)
    binary = data[end + 8 : end + 8 + int.from_bytes(data[end : end + 4], "little")]
    return data[_HEADER:end], binary if data[end + 4 : end + 8] == b"BIN\0" else None


def _check_entries(file: InputFile, tree: Any, extensions: set[str]) -> None:
    """Refuse negative indices and sizes; add the names of the extensions that entries have."""
    for name, value in tree.items() if isinstance(tree, dict) else ():
        numbers = value if isinstance(value, list) else [value]
        negative = [n for n in numbers if isinstance(n, int | float) and n < 0]
        if name in _COUNTED and negative:
            raise _error(file, f"the entry {name!r} is {negative[0]}, and must not be negative")
        if name == "extensions":
            extensions.update(value)
        for part in numbers:
            _check_entries(file, part, extensions)


def _skipped(file: InputFile, extensions: set[str]) -> list[Finding]:
    """Findings about extensions that may change the body."""
    strange = sorted(name for name in extensions if not _HARMLESS.fullmatch(name))
    if len(strange) > _MOST_EXTENSIONS:
        what = (
            f"has {len(strange):,} extensions that massprops does not read, more than the limit of {_MOST_EXTENSIONS}"
        )
        raise _error(file, what, "too-large", "export it without them")
    what = (
        "the file uses the extension {}, which massprops does not read: the body is what other programs show without it"
    )
    return [Finding("skipped-extension", "warning", what.format(quote(name))) for name in strange]


@dataclass
class _Scene:
    """The JSON of a file, with its binary chunk; buffers are read once."""

    file: InputFile
    tree: dict[str, Any]
    chunk: bytes | None
    buffers: dict[int, bytes]
    known: dict[tuple[Any, ...], list[tuple[Floats, Integers, float]]]

    def unread(self, what: str) -> ReadError:
        hint = "export it without, or as STL, OBJ or PLY"
        return _error(self.file, f"massprops does not read such glTF: {what}", "unsupported-gltf", hint)

    def instances(self) -> Iterator[Instance]:
        """The primitives of all nodes of the scene, each with its place."""
        strange = [name for name in self.tree.get("extensionsRequired", []) if not _HARMLESS.fullmatch(name)]
        if strange:
            raise self.unread(f"the extension {strange[0]} is required")
        nodes = self.tree.get("nodes", [])
        if any("skin" in node for node in nodes):
            raise self.unread("a mesh is bent by a skeleton")
        meshes = [mesh["primitives"] for mesh in self.tree.get("meshes", [])]
        scene = self.tree.get("scenes", [{}])[self.tree.get("scene", 0)]
        waiting = [(index, np.eye(4), "") for index in reversed(scene.get("nodes", []))]
        seen: set[int] = set()
        while waiting:
            index, above, path = waiting.pop()
            if index in seen:
                raise self.unread(f"node {index} stands in the scene more than once")
            seen.add(index)
            node = nodes[index]
            pose = product(above, _matrix(node))
            name = str(node.get("name", "")) or f"node {index}"
            label = PartLabel(name, f"{path}{name}")
            waiting += [(child, pose, f"{label.path}/") for child in reversed(node.get("children", []))]
            for primitive in meshes[node["mesh"]] if "mesh" in node else ():
                for vertices, faces, half_unit in self.primitive(primitive):
                    material = self.material(primitive.get("material"))
                    yield Instance(vertices, Polygons(faces), pose, half_unit, label, material)

    def material(self, index: int | None) -> str | None:
        """The name of a material."""
        return None if index is None else str(self.tree["materials"][index].get("name", "")) or f"material {index}"

    def primitive(self, primitive: dict[str, Any]) -> list[tuple[Floats, Integers, float]]:
        """Vertices, triangles, and how far a coordinate may be off, read once; nothing for points and lines."""
        key = primitive.get("mode"), primitive["attributes"].get("POSITION"), primitive.get("indices")
        if key not in self.known or primitive.get("targets"):
            self.known[key] = list(self.read_primitive(primitive))
        return self.known[key]

    def read_primitive(self, primitive: dict[str, Any]) -> Iterator[tuple[Floats, Integers, float]]:
        mode = primitive.get("mode", _TRIANGLES)
        if mode in _LINES:
            return
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            raise self.unread(f"primitives of mode {mode!r:.20}")
        if primitive.get("targets"):
            raise self.unread("morph targets")
        vertices = self.accessor(primitive["attributes"]["POSITION"], 3, {_FLOAT: "<f4"})
        if "indices" in primitive:
            corners = self.accessor(primitive["indices"], 1, _INDICES)[:, 0].astype(np.int64)
        else:
            corners = np.arange(len(vertices))
        if mode == _TRIANGLES and len(corners) % 3:
            raise self.unread(f"{len(corners)} corners, which is no multiple of 3")
        if not len(corners):
            return
        if corners.max() >= len(vertices):
            what = f"a face refers to vertex {corners.max()}, counted from 0"
            raise ValueError(f"{what}, but its mesh has {len(vertices)} vertices")
        if not np.isfinite(vertices).all():
            vertex = int(np.flatnonzero(~np.isfinite(vertices).all(axis=1))[0])
            what = f"vertex {vertex}, counted from 0, is {tuple(vertices[vertex].tolist())}"
            raise _error(self.file, what, "non-finite", "export the mesh again; a coordinate must be finite")
        yield vertices, _triangles(corners, mode), of_binary(vertices, float(np.abs(vertices).max())).half_unit

    def accessor(self, index: int, width: int, kinds: dict[int, str]) -> Any:
        """The rows of an accessor, shape (count, width)."""
        accessor = self.tree["accessors"][index]
        if "sparse" in accessor or "bufferView" not in accessor or accessor.get("normalized"):
            raise self.unread("sparse, normalized or undefined coordinates")
        if accessor["componentType"] not in kinds or accessor["type"] != ("SCALAR" if width == 1 else f"VEC{width}"):
            kind = f"{accessor['type']} of component type {accessor['componentType']}"
            raise self.unread(f"{'indices' if width == 1 else 'coordinates'} as {kind}")
        dtype = np.dtype(kinds[accessor["componentType"]])
        view = self.tree["bufferViews"][accessor["bufferView"]]
        count, row = int(accessor["count"]), width * dtype.itemsize
        stride = int(view.get("byteStride", row))
        start, length = int(view.get("byteOffset", 0)), int(view["byteLength"])
        first = start + int(accessor.get("byteOffset", 0))
        data = self.buffer(view["buffer"])
        last = first + (count - 1) * stride + row if count else first
        if stride < row or max(last, start + length) > len(data) or last > start + length:
            raise ValueError("a part of it is shorter than another part says")
        return np.ndarray((count, width), dtype, data, first, (stride, dtype.itemsize))

    def buffer(self, index: int) -> bytes:
        if index not in self.buffers:
            self.buffers[index] = self.read_buffer(index, self.tree["buffers"][index])
        return self.buffers[index]

    def read_buffer(self, index: int, buffer: dict[str, Any]) -> bytes:
        uri = buffer.get("uri")
        if uri is None:
            if index or self.chunk is None:
                raise _error(self.file, f"its buffer {index} has no data", "missing-buffer", EXPORT_AGAIN)
            return self.chunk
        if uri[:5].lower() == "data:":
            return base64.b64decode(uri.partition(",")[2], validate=True)
        if self.file.name == "-":
            what = f"its buffer {uri!r} is another file, which standard input cannot name"
            raise _error(self.file, what, "missing-buffer", "export it as one file (.glb)")
        path = file_of_mesh(uri, self.file.name)
        if not path.is_file():
            what = f"its buffer {uri!r} is not there ({path}: no such file)"
            raise _error(self.file, what, "missing-buffer", "copy it there, or export the mesh as one file (.glb)")
        length = int(buffer["byteLength"])
        with open_file(str(path), MESH_LIMIT) as found:
            if found.size < length:
                what = f"its buffer {uri!r} has {found.size} bytes, but {length} are promised"
                raise _error(self.file, what, "truncated-file", _TRUNCATED)
            return found.stream.read(length)


def _triangles(corners: Integers, mode: int) -> Integers:
    """Corners of the triangles of a primitive, shape (n, 3); every second one of a strip is turned round (section 3.7.2.1)."""
    if mode == _TRIANGLES:
        return corners.reshape(-1, 3)
    i = np.arange(max(len(corners) - 2, 0))
    places = (i, i + 1 + i % 2, i + 2 - i % 2) if mode == _STRIP else (i + 1, i + 2, 0 * i)
    faces: Integers = corners[np.stack(places, axis=1)]
    return np.asarray(faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)])  # a repeated corner joins two strips


def _matrix(node: dict[str, Any]) -> Array:
    """The transform of a node: its matrix, written column by column, or T R S."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    matrix = np.eye(4)
    if "rotation" in node:
        xyzw = np.array(node["rotation"], np.float64) / math.hypot(*node["rotation"])
        matrix[:3, :3] = Pose.from_quaternion(xyzw=xyzw).rotation
    matrix[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), np.float64)
    matrix[:3, 3] = node.get("translation", (0, 0, 0))
    return matrix

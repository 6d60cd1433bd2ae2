"""Document of glTF 2.0: its JSON, its buffers, and the rows of accessors (sparse, interleaved, normalized and quantized ones too).

Source: Khronos, "glTF 2.0 Specification", ISO/IEC 12113:2022, sections 3.6 and 4.4; KHR_mesh_quantization.

Tests: `tests/formats/mesh/test_gltf.py`.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.files import MESH_LIMIT, file_of_mesh, open_file
from massprops.formats.mesh.placement import EXPORT_AGAIN
from massprops.formats.text import decode, quote
from massprops.mesh.source import InputFile

_TRUNCATED = "it looks truncated; export or copy it again"
#: Bytes of a binary file before its JSON: magic, version and length of the file, then length and kind of the chunk.
_HEADER = 20
#: Component types of accessors: dtype by number.
_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
#: Extensions that are read.
INSTANCING = "EXT_mesh_gpu_instancing"
READ = frozenset({INSTANCING, "KHR_mesh_quantization"})
#: Extensions that state bodies and the shapes that they collide with; meshes are measured without.
PHYSICS = frozenset({"KHR_physics_rigid_bodies", "KHR_implicit_shapes", "OMI_physics_body", "OMI_physics_shape"})
#: Extensions that change how a surface looks or moves, and not where it is.
_HARMLESS = re.compile(
    r"(KHR|EXT|MSFT|ADOBE|AGI|FB)_(materials?|textures?|lights|xmp)_\w*|KHR_(xmp\w*|animation_pointer)"
)
#: Extensions that pack the data; a file that does not require them has it unpacked, too.
_PACKED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")
_UNPACK = "'npx @gltf-transform/cli cp FILE NEW.glb' unpacks it"
#: Other extensions of a file that are named: each is a finding.
_MOST_EXTENSIONS = 100
#: Entries that count or point: Python would count negative ones from the end.
_COUNTED = frozenset(
    {
        *("mesh", "scene", "nodes", "children", "indices", "POSITION", "bufferView", "buffer", "skin", "joints"),
        *("shape", "node", "count", "byteOffset", "byteLength", "byteStride", "inverseBindMatrices"),
        *("JOINTS_0", "WEIGHTS_0", "accessor"),
    }
)


@dataclass
class GltfDocument:
    """JSON of a file with its binary chunk.

    Attributes
    ----------
    file : InputFile
    tree : dict
        The JSON.
    chunk : bytes or None
        Of a binary file.
    extensions : set of str
        Those that the file declares, and those that its entries have.
    """

    file: InputFile
    tree: dict[str, Any]
    chunk: bytes | None
    extensions: set[str]
    _buffers: dict[int, bytes] = field(default_factory=dict)

    @classmethod
    def read(cls, file: InputFile, format: str) -> GltfDocument:
        """The document of a ``glb`` or ``gltf`` file.

        Raises
        ------
        ReadError
            If it is no glTF 2.0, or an entry that counts or points is negative.
        """
        text, chunk = _chunks(file) if format == "glb" else (file.stream.read(), None)
        try:
            tree = json.loads(decode(text))
        except json.JSONDecodeError as error:
            what = f"{file.name}:{error.lineno}: not JSON, which glTF is: {error.msg} in column {error.colno}"
            raise ReadError(what, code="bad-gltf", hint=EXPORT_AGAIN) from error
        if not isinstance(tree, dict):
            raise damage(file, f"glTF is a JSON object, and this is {type(tree).__name__}")
        document = cls(file, tree, chunk, set(tree.get("extensionsUsed", [])))
        document._check(tree)
        return document

    @property
    def size(self) -> int:
        """Bytes of the file and of the buffers that were read."""
        return self.file.size + sum(map(len, self._buffers.values()))

    def _check(self, entry: Any) -> None:
        """Refuse negative indices and sizes; add the names of the extensions that entries have."""
        for name, value in entry.items() if isinstance(entry, dict) else ():
            numbers = value if isinstance(value, list) else [value]
            negative = [n for n in numbers if isinstance(n, int | float) and n < 0]
            if name in _COUNTED and negative:
                raise damage(self.file, f"the entry {name!r} is {negative[0]}, and must not be negative")
            if name == "extensions":
                self.extensions.update(value)
            for part in numbers:
                self._check(part)

    def unread(self, what: str, hint: str = "export it without, or as STL, OBJ or PLY") -> ReadError:
        """Error about what massprops does not read."""
        return damage(self.file, f"massprops does not read such glTF: {what}", "unsupported-gltf", hint)

    def skipped(self, also_read: frozenset[str] = frozenset()) -> list[Finding]:
        """Findings about extensions that may change the body.

        Raises
        ------
        ReadError
            If one of them is required, or packs the data.
        """
        known = READ | also_read
        required = self.tree.get("extensionsRequired", [])
        strange = sorted(x for x in {*self.extensions, *required} - known if not _HARMLESS.fullmatch(x))
        for name in required:
            if name in _PACKED:
                raise self.unread(f"the extension {name} packs its data", _UNPACK)
            if name in strange:
                raise self.unread(f"the extension {name} is required")
        strange = [name for name in strange if name not in _PACKED][:_MOST_EXTENSIONS]
        what = "the file uses the extension {}, which massprops does not read: the body is what other programs show without it"
        return [Finding("skipped-extension", "warning", what.format(quote(name))) for name in strange]

    def rows(self, index: int, width: int) -> tuple[Any, float]:
        """The rows of an accessor, shape (count, width), in the type of the file, and the number by which normalized ones are divided."""
        accessor = self.tree["accessors"][index]
        dtype = np.dtype(_DTYPES.get(accessor["componentType"], "O"))
        if _WIDTHS.get(accessor["type"]) != width or dtype.hasobject:
            kind = f"{accessor['type']} of component type {accessor['componentType']}"
            raise self.unread(f"an accessor of {kind}")
        count = int(accessor["count"])
        if "bufferView" in accessor:
            rows = self._view(accessor, dtype, count, width)
        elif "sparse" not in accessor:
            raise self.unread("an accessor without data")
        else:
            if count * width * dtype.itemsize > max(4 * self.size, 1 << 24):
                raise damage(self.file, "an accessor without data is much larger than the file", "too-large")
            rows = np.zeros((count, width), dtype)
        if "sparse" in accessor:
            sparse, rows = accessor["sparse"], np.array(rows)
            own = int(sparse["count"])
            type_of_places = np.dtype(_DTYPES[sparse["indices"]["componentType"]])
            if type_of_places.kind != "u":
                raise self.unread(f"sparse indices of component type {sparse['indices']['componentType']}")
            places = self._view(sparse["indices"], type_of_places, own, 1)[:, 0].astype(np.int64)
            if own and places.max() >= count:
                raise ValueError(f"a sparse entry is for row {places.max()}, counted from 0, of {count}")
            rows[places] = self._view(sparse["values"], dtype, own, width)
        if not accessor.get("normalized"):
            return rows, 1.0
        largest = np.iinfo(dtype).max  # of whole numbers: of others an error
        rows = np.maximum(rows, dtype.type(-largest if dtype.kind == "i" else 0))  # −128 means −1, as −127 does
        return rows, float(largest)

    def floats(self, index: int, width: int) -> Any:
        """The rows of an accessor in double precision."""
        rows, divisor = self.rows(index, width)
        return rows.astype(np.float64) / divisor

    def counts(self, index: int, width: int) -> Any:
        """The rows of an accessor of indices, int64; ReadError if its type has a sign or a point."""
        rows, _ = self.rows(index, width)
        if rows.dtype.kind != "u":
            raise self.unread(f"indices as {rows.dtype.name}")
        return rows.astype(np.int64)

    def _view(self, entry: dict[str, Any], dtype: np.dtype[Any], count: int, width: int) -> Any:
        """Rows in the view of a buffer that an entry names."""
        view = self.tree["bufferViews"][entry["bufferView"]]
        row = width * dtype.itemsize
        stride = int(view.get("byteStride", row))
        start, length = int(view.get("byteOffset", 0)), int(view["byteLength"])
        first = start + int(entry.get("byteOffset", 0))
        data = self.buffer(view["buffer"])
        last = first + (count - 1) * stride + row if count else first
        if stride < row or max(last, start + length) > len(data) or last > start + length:
            raise ValueError("a part of it is shorter than another part says")
        return np.ndarray((count, width), dtype, data, first, (stride, dtype.itemsize))

    def buffer(self, index: int) -> bytes:
        """The bytes of a buffer, read once."""
        if index not in self._buffers:
            self._buffers[index] = self._read_buffer(index, self.tree["buffers"][index])
        return self._buffers[index]

    def _read_buffer(self, index: int, buffer: dict[str, Any]) -> bytes:
        uri = buffer.get("uri")
        if uri is None:
            if index or self.chunk is None:
                raise damage(self.file, f"its buffer {index} has no data", "missing-buffer")
            return self.chunk
        if uri[:5].lower() == "data:":
            return base64.b64decode(uri.partition(",")[2], validate=True)
        if self.file.name == "-":
            what = f"its buffer {uri!r} is another file, which standard input cannot name"
            raise damage(self.file, what, "missing-buffer", "export it as one file (.glb)")
        path = file_of_mesh(uri, self.file.name)
        if not path.is_file():
            what = f"its buffer {uri!r} is not there ({path}: no such file)"
            raise damage(self.file, what, "missing-buffer", "copy it there, or export the mesh as one file (.glb)")
        length = int(buffer["byteLength"])
        with open_file(str(path), MESH_LIMIT) as found:
            if found.size < length:
                what = f"its buffer {uri!r} has {found.size} bytes, but {length} are promised"
                raise damage(self.file, what, "truncated-file", _TRUNCATED)
            return found.stream.read(length)


def damage(file: InputFile, what: str, code: str = "bad-gltf", hint: str = EXPORT_AGAIN) -> ReadError:
    """Error about a file that is damaged or cannot be read."""
    return ReadError(f"{file.name}: {what}", code=code, hint=hint)


@contextmanager
def damage_as_errors(file: InputFile) -> Iterator[None]:
    """Any error is a ReadError about the file: a tree of any shape, each part of it can be of another kind than the format says."""
    try:
        yield
    except (ReadError, MemoryError):
        raise
    except Exception as error:
        raise damage(file, f"cannot be read: {_reason(error)}") from error


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
        raise damage(file, what, "truncated-file", _TRUNCATED)
    version, promised, size = np.frombuffer(data, "<u4", 3, 4).tolist()
    if data[:4] == b"glTF" and version != 2:
        what = f"binary glTF of version {version}, and only version 2 is read"
        raise damage(file, what, "unsupported-gltf", "export it as glTF 2.0, STL, OBJ or PLY")
    if data[:4] != b"glTF" or data[16:20] != b"JSON":
        what = f"a binary glTF file begins with 'glTF' and a chunk 'JSON', got {data[:4]!r} and {data[16:20]!r}"
        raise damage(file, what, hint="is it another format?")
    end = _HEADER + size
    if max(promised, end) > file.size:
        what = f"binary glTF header promises {max(promised, end)} bytes but the file has {file.size}"
        raise damage(file, what, "truncated-file", _TRUNCATED)
    binary = data[end + 8 : end + 8 + int.from_bytes(data[end : end + 4], "little")]
    return data[_HEADER:end], binary if data[end + 4 : end + 8] == b"BIN\0" else None

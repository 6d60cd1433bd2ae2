"""3MF: the objects of the build, placed by their transforms, in the unit that the file states.

Read are the core specification and the production extension (models in several files of the package). Other extensions are refused where
the file requires them, and reported where it has elements of theirs. Supports and open surfaces of a build are not part of the body.

Source: 3MF Consortium, "3D Manufacturing Format Core Specification" 1.3 and "Production Extension" 1.1.
"""

from __future__ import annotations

import re
import zipfile
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from urllib.parse import unquote
from xml.parsers import expat

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding, counted
from massprops.formats import xml
from massprops.formats.files import MESH_LIMIT, allowed_size
from massprops.formats.mesh.placement import EXPORT_AGAIN, Instance, source_of
from massprops.formats.text import parse_number, quoted, shortened
from massprops.mesh.coordinate_resolution import of_text
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array, determinant, product
from massprops.wording import plural

_UNITS = {"micron": "um", "millimeter": "mm", "centimeter": "cm", "inch": "in", "foot": "ft", "meter": "m"}
_SPACE = "http://schemas.microsoft.com/3dmanufacturing/"
_CORE, _PRODUCTION = f"{_SPACE}core/2015/02", f"{_SPACE}production/2015/06"
_MODEL = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
#: Extensions that change how a body looks, or how its triangles are grouped, and not where they are.
_HARMLESS = (_PRODUCTION, f"{_SPACE}material/2015/02", f"{_SPACE}trianglesets/2021/07")
#: A part of the package that unpacks to more than this is refused where it was packed by more than this factor.
_LARGE, _RATIO = 1 << 24, 200
#: Objects in objects, and instances of all of them: each line of a file can double their number.
_DEEPEST, _MOST = 32, 20_000
_BLOCK = 1 << 16
#: Blocks of the list of relationships: a mebibyte.
_RELATIONS = 16
_INDEX = re.compile(r"[0-9]{1,10}")
_TRIPLE = re.compile(r"[0-9]{1,10}( [0-9]{1,10}){2}")
#: Three numbers as nearly all files have them, none too large for a double.
_POINT = re.compile(r"-?\d{1,99}(?:\.\d*)?(?:e[+-]?\d\d?)?(?: -?\d{1,99}(?:\.\d*)?(?:e[+-]?\d\d?)?){2}", re.ASCII)
_VERTEX, _TRIANGLE = f"{_CORE} vertex", f"{_CORE} triangle"
_OFTEN = frozenset({_VERTEX, _TRIANGLE})


def read(file: InputFile) -> MeshFile:
    """Facets of the build of a 3MF file, float64; every object of it is a part.

    Raises
    ------
    ReadError
        With the file, the part of the package, the line, the rule and the remedy.
    """
    try:
        archive = zipfile.ZipFile(file.stream)
    except Exception as error:  # of many kinds, since a field of the archive can be anything
        raise _error(file.name, f"not a ZIP archive, which 3MF is: {error}") from error
    package = _Package(file, archive, allowed_size() or MESH_LIMIT)
    root = package.model(package.root())
    package.unit = root.unit
    if root.unit not in _UNITS:
        raise _error(file.name, f"its unit is {quoted(root.unit)}; known: {', '.join(_UNITS)}")
    instances = [placed for item in root.build for placed in package.place(item, root, np.eye(4), "", 1)]
    source = source_of(file, "3mf", "xml", instances, _UNITS[root.unit], list(package.findings()))
    return replace(source, is_divided=len(instances) > 1)


def _error(place: str, what: str, code: str = "bad-3mf", hint: str = EXPORT_AGAIN) -> ReadError:
    return ReadError(f"{place}: {what}", code=code, hint=hint)


@dataclass(frozen=True, eq=False)
class _Use:
    """An item of the build, or a component: an object, where it is, and in which model of the package."""

    object: str
    path: str | None
    transform: Array
    place: str


@dataclass(eq=False)
class _Object:
    """Object of a model: a mesh, or its components."""

    name: str
    kind: str
    place: str
    own: tuple[str | None, str | None]
    vertices: array[float] = field(default_factory=lambda: array("d"))
    triangles: array[int] = field(default_factory=lambda: array("q"))
    properties: set[tuple[str | None, str | None]] = field(default_factory=set)
    components: list[_Use] = field(default_factory=list)
    mesh: tuple[Array, Polygons, float] | None = None


@dataclass(eq=False)
class _Model:
    """Model of a package."""

    name: str
    unit: str = "millimeter"
    objects: dict[str, _Object] = field(default_factory=dict)
    materials: dict[str, list[str]] = field(default_factory=dict)
    build: list[_Use] = field(default_factory=list)


@dataclass(eq=False)
class _Package:
    """The archive, and the models that were read so far."""

    file: InputFile
    archive: zipfile.ZipFile
    left: int
    models: dict[str, _Model] = field(default_factory=dict)
    foreign: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    unit: str = ""
    degenerate: int = 0
    uses: int = 0

    def blocks(self, name: str) -> Iterator[bytes]:
        """The bytes of a part of the package; names differ in more than capitals."""
        place = f"{self.file.name}:{name}"
        found = [info for info in self.archive.infolist() if "/" + info.filename.lower() == name.lower()]
        if len(found) != 1:
            what = f"{len(found)} parts of the package have this name" if found else "the package has no such part"
            raise _error(place, what)
        (info,) = found
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            what = "is encrypted" if info.flag_bits & 1 else f"is packed by method {info.compress_type}, not deflated"
            raise _error(place, what, "unsupported-3mf")
        size = 0
        try:
            with self.archive.open(info) as stream:
                while block := stream.read(_BLOCK):
                    size += len(block)
                    self.left -= len(block)
                    if size > max(_LARGE, _RATIO * info.compress_size):
                        raise _error(place, f"unpacks to more than {_RATIO} times its size", "too-large")
                    if self.left < 0:
                        raise _error(place, "unpacks to more than is read", "too-large", "see --max-bytes")
                    yield block
        except (ReadError, MemoryError):
            raise
        except Exception as error:  # as above
            raise _error(place, f"cannot be unpacked: {shortened(str(error), 80)}", "truncated-file") from error

    def root(self) -> str:
        """The name of the model that the package is about."""
        name = "/_rels/.rels"
        text = b"".join(islice(self.blocks(name), _RELATIONS))
        relations = xml.parse(text, f"{self.file.name}:{name}", namespaces=True).children
        given = [r.attributes for r in relations if r.attributes.get("TargetMode") != "External"]
        found = {attributes.get("Target", "") for attributes in given if attributes.get("Type") == _MODEL}
        if len(found) != 1:
            raise _error(f"{self.file.name}:{name}", f"names {plural(len(found), '3D model')}, not one")
        return "/" + unquote(found.pop()).lstrip("/")

    def model(self, name: str) -> _Model:
        """A model, read once."""
        if name.lower() not in self.models:
            model = self.models[name.lower()] = _Model(f"{self.file.name}:{name}")
            _Reader(model, self).read(self.blocks(name))
        return self.models[name.lower()]

    def place(self, use: _Use, model: _Model, above: Array, path: str, depth: int) -> Iterator[Instance]:
        """The meshes of an object, and of its components, where they are."""
        model = model if use.path is None else self.model(use.path)
        found = model.objects.get(use.object)
        if found is None:
            raise _error(use.place, f"refers to object {quoted(use.object)}, and {model.name} has no such object")
        self.uses += 1
        if depth > _DEEPEST:
            raise _error(use.place, f"objects are nested more than {_DEEPEST} deep, or in themselves", "too-large")
        if self.uses > _MOST:
            raise _error(use.place, f"the build has more than {_MOST:,} objects", "too-large")
        if model.unit != self.unit:
            raise _error(model.name, f"its unit is {quoted(model.unit)}, that of the build {quoted(self.unit)}")
        if found.kind != "model":
            self.kinds[found.kind] += 1
            return
        with np.errstate(over="ignore", invalid="ignore"):
            pose = product(above, use.transform)
        if not np.isfinite(pose).all():
            raise _error(use.place, "the transforms of an object and its components multiply to numbers too large")
        label = PartLabel(found.name, f"{path}{found.name}")
        for component in found.components:
            yield from self.place(component, model, pose, f"{label.path}/", depth + 1)
        if len(found.triangles):
            vertices, faces, half_unit = found.mesh = found.mesh or self.mesh(found)
            yield Instance(vertices, faces, pose, half_unit, label, _material(found, model))

    def mesh(self, found: _Object) -> tuple[Array, Polygons, float]:
        """Vertices, triangles, and how far a coordinate may be off; indices are checked."""
        vertices = np.asarray(found.vertices).reshape(-1, 3)
        faces = np.asarray(found.triangles).reshape(-1, 3)
        if faces.max() >= len(vertices):
            what = f"a triangle refers to vertex {faces.max()}, counted from 0, but its mesh has {len(vertices)}"
            raise _error(found.place, what, "bad-index")
        proper = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
        self.degenerate += int((~proper).sum())
        return vertices, Polygons(faces[proper]), of_text(vertices, float(np.abs(vertices).max())).half_unit

    def findings(self) -> Iterator[Finding]:
        """Findings about objects that were left out."""
        for space, count in self.foreign.items():
            extension = quoted(space.removeprefix(_SPACE))
            what = f"{plural(count, 'element')} of the extension {extension} left out: massprops does not read it"
            yield Finding("skipped-extension", "warning", what, value=float(count))
        kinds = ", ".join(f"{kind} ({count})" for kind, count in sorted(self.kinds.items()))
        text = f"objects that are no body were left out: {kinds}"
        yield from counted(self.kinds.total(), "skipped-elements", "info", text)
        text = f"triangles with a repeated vertex ({self.degenerate}) bound nothing; they were left out"
        yield from counted(self.degenerate, "skipped-elements", "info", text)


def _material(found: _Object, model: _Model) -> str | None:
    """The base material that all of an object has."""
    used = [(model.materials.get(group or "", []), index or "") for group, index in found.properties or {found.own}]
    names = {group[int(i)] for group, i in used if _INDEX.fullmatch(i) and int(i) < len(group)}
    return names.pop() if len(names) == 1 else None


class _Reader:
    """The events of one model; no tree is kept."""

    def __init__(self, model: _Model, package: _Package) -> None:
        self.model, self.package = model, package
        self.object: _Object | None = None
        self.group: list[str] = []
        self.spaces: dict[str, str] = {}
        self.depth = 0
        parser = self.parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.StartNamespaceDeclHandler = lambda prefix, space: self.spaces.__setitem__(prefix or "", space or "")
        parser.StartDoctypeDeclHandler = self.doctype

    def read(self, blocks: Iterator[bytes]) -> None:
        with xml.errors_of(self.model.name):
            for block in blocks:
                self.parser.Parse(block, False)
            self.parser.Parse(b"", True)

    @property
    def place(self) -> str:
        return f"{self.model.name}:{self.parser.CurrentLineNumber}"

    def doctype(self, *_: object) -> None:
        raise _error(self.place, "has a document type, which 3MF forbids", "external-dtd", "remove the DOCTYPE")

    def start(self, tag: str, given: dict[str, str]) -> None:
        self.depth += 1
        if self.object is not None and tag in _OFTEN:
            (self.vertex if tag == _VERTEX else self.triangle)(self.object, given)
            return
        space, _, name = tag.rpartition(" ")
        if self.depth == 1:
            self.check_root(space, name, given)
        elif self.depth > xml.DEEPEST:
            raise ReadError(f"{self.place}: elements are nested more than {xml.DEEPEST} deep", code="too-deep")
        elif space != _CORE:
            if space not in _HARMLESS:
                self.package.foreign[space] += 1
        elif name == "component" and self.object is not None:
            self.object.components.append(self.use(given))
        elif name == "object":
            kind = given.get("type", "model")
            title = given.get("name") or given.get("partnumber") or f"object {given.get('id', '')}"
            self.object = _Object(title, kind, self.place, (given.get("pid"), given.get("pindex", "0")))
            self.add(self.model.objects, given, self.object)
        elif name == "basematerials":
            self.group = []
            self.add(self.model.materials, given, self.group)
        elif name == "base":
            self.group.append(given.get("name", ""))
        elif name == "item":
            self.model.build.append(self.use(given))

    def end(self, tag: str) -> None:
        self.depth -= 1
        if tag == f"{_CORE} object" and self.object is not None:
            if bool(self.object.vertices) == bool(self.object.components) and self.object.kind == "model":
                both = "a mesh and components" if self.object.vertices else "no mesh and no components"
                raise _error(self.object.place, f"the object {quoted(self.object.name)} has {both}")
            self.object = None

    def check_root(self, space: str, name: str, given: dict[str, str]) -> None:
        if (space, name) != (_CORE, "model"):
            what = f"the root element is <{name}> of {quoted(space)}, not <model> of 3MF"
            raise _error(self.place, what, "wrong-format")
        self.model.unit = given.get("unit", "millimeter")
        for prefix in given.get("requiredextensions", "").split():
            if self.spaces.get(prefix) not in _HARMLESS:
                extension = self.spaces.get(prefix, prefix).removeprefix(_SPACE)
                what = f"requires the extension {quoted(extension)}, which massprops does not read"
                raise _error(self.place, what, "unsupported-3mf", "export it without, or as STL")

    def add(self, known: dict[str, _Object] | dict[str, list[str]], given: dict[str, str], value: object) -> None:
        """A resource under its id."""
        name = given.get("id", "")
        if not name or name in known:
            raise _error(self.place, f"a second resource has the id {quoted(name)}" if name else "a resource has no id")
        known[name] = value  # type: ignore[assignment]  # a value of the kind of its dictionary

    def vertex(self, to: _Object, given: dict[str, str]) -> None:
        point = given.get("x", ""), given.get("y", ""), given.get("z", "")
        usual = _POINT.fullmatch(" ".join(point))
        to.vertices.extend(map(float, point) if usual else [self.number(text, "coordinate") for text in point])

    def triangle(self, to: _Object, given: dict[str, str]) -> None:
        corners = given.get("v1", ""), given.get("v2", ""), given.get("v3", "")
        if not _TRIPLE.fullmatch(" ".join(corners)):
            raise _error(self.place, f"{' '.join(map(quoted, corners))} are not three vertices", "bad-index")
        to.triangles.extend(map(int, corners))
        to.properties.add((given.get("pid", to.own[0]), given["p1"]) if "p1" in given else to.own)

    def use(self, given: dict[str, str]) -> _Use:
        """An item or a component."""
        numbers = [self.number(text, "number of the transform") for text in given.get("transform", "").split()]
        if len(numbers) not in (0, 12):
            raise _error(self.place, f"a transform has 12 numbers, this one {len(numbers)}")
        matrix = np.eye(4)
        if numbers:
            matrix[:3] = np.reshape(numbers, (4, 3)).T
            if not determinant(matrix[:3, :3]):
                raise _error(self.place, "the transform is singular: it makes the object flat")
        return _Use(given.get("objectid", ""), given.get(f"{_PRODUCTION} path"), matrix, self.place)

    def number(self, text: str, what: str) -> float:
        return parse_number(text.strip(), self.place, what)

"""3MF: the objects of the build, placed by their transforms, in the unit that the file states.

Read are the core specification and the production extension (models in several files of the package). Other extensions are refused where
the file requires them, and reported where it has elements of theirs. Supports and open surfaces of a build are not part of the body.
What the core specification forbids is refused where readers could make another body of it, and read past elsewhere (content types,
thumbnails, print tickets, metadata, properties of no material). Slicers keep in a file of their own which volumes are no material, or are
cut out.

Sources: 3MF Consortium, "3D Manufacturing Format Core Specification" 1.4 and "Production Extension" 1.1; the readers of PrusaSlicer
(`3mf.cpp`) and Bambu Studio (`bbs_3mf.cpp`, `ModelVolume::type_from_string`); Ultimaker's libSavitar (`SceneNode.cpp`) and the settings of
CuraEngine.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from urllib.parse import unquote
from xml.parsers import expat

import numpy as np

from massprops.access import access
from massprops.errors import ReadError, Remedy
from massprops.findings import Finding, count_finding
from massprops.formats import xml
from massprops.formats.files import MESH_LIMIT
from massprops.formats.mesh.placement import EXPORT_AGAIN, Instance, Transforms, check_corners, gather, source_of
from massprops.formats.text import parse_number, quote, shorten
from massprops.mesh.coordinate_resolution import of_text
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array, Integers, determinant
from massprops.wording import plural

_UNITS = {"micron": "um", "millimeter": "mm", "centimeter": "cm", "inch": "in", "foot": "ft", "meter": "m"}
_SPACE = "http://schemas.microsoft.com/3dmanufacturing/"
_CORE, _PRODUCTION = f"{_SPACE}core/2015/02", f"{_SPACE}production/2015/06"
_MODEL = f"{_SPACE}2013/01/3dmodel"
#: Extensions that change how a body looks, or how its triangles are grouped, and not where they are.
_HARMLESS = (_PRODUCTION, f"{_SPACE}material/2015/02", f"{_SPACE}trianglesets/2021/07")
#: A part of the package that unpacks to more than this is refused where it was packed by more than this factor.
_LARGE, _RATIO = 1 << 24, 50
#: Objects in objects, and instances of all of them: each line of a file can double their number.
_DEEPEST, _MOST = 32, 20_000
_BLOCK = 1 << 16
#: Blocks of a list of relationships or of settings: 4 MiB.
_LISTED = 64
#: Characters of a name, and extensions that are named.
_LONGEST, _MOST_EXTENSIONS = 1000, 100
_INDEX = re.compile(r"[0-9]{1,10}")
_TRIPLE = re.compile(r"[0-9]{1,10}( [0-9]{1,10}){2}")
#: Three numbers as nearly all files have them, none too large for a double.
_POINT = re.compile(r"-?\d{1,99}(?:\.\d*)?(?:e[+-]?\d\d?)?(?: -?\d{1,99}(?:\.\d*)?(?:e[+-]?\d\d?)?){2}", re.ASCII)
_VERTEX, _TRIANGLE = f"{_CORE} vertex", f"{_CORE} triangle"
_OFTEN = {_VERTEX: "vertices", _TRIANGLE: "triangles"}
#: Elements that place geometry or name materials, by the element that each must be in.
_INSIDE = {"model": "resources build", "resources": "object", "object": "mesh components", "mesh": "vertices triangles"}
_INSIDE |= {
    "vertices": "vertex",
    "triangles": "triangle",
    "components": "component",
    "build": "item",
    "basematerials": "base",
}
_PARENTS = {name: parent for parent, inner in _INSIDE.items() for name in inner.split()}
_ONCE = frozenset({"resources", "build", "mesh", "vertices", "triangles", "components"})
_KINDS = ("model", "solidsupport", "support", "surface", "other")
#: Settings of PrusaSlicer, and of Bambu Studio and OrcaSlicer. Volumes that are no material: a part of the name of their type in either,
#: the code of the finding, and its text.
_SETTINGS = ("/Metadata/Slic3r_PE_model.config", "/Metadata/model_settings.config")
_NEGATIVE = "negative"
_ROLES = (
    (_NEGATIVE, "negative-volume", "to subtract"),
    ("modifier", "slicer-volume", "left out, as modifiers"),
    ("blocker", "slicer-volume", "left out, as support blockers"),
    ("enforcer", "slicer-volume", "left out, as support enforcers"),
)
#: Settings of Cura that an object has as metadata, and which of these roles they give it where they are true.
_CURA = {
    "infill_mesh": "modifier",
    "cutting_mesh": "modifier",
    "anti_overhang_mesh": "blocker",
    "support_mesh": "enforcer",
}


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
    package = _Package(file, archive, access().max_bytes or MESH_LIMIT)
    package.read_settings()
    root = package.root = package.model(package.start_part())
    found = (placed for item in root.build for placed in package.place(item, root, np.eye(4), (), ""))
    instances = gather(file, found, lambda: package.size)
    unit, findings = _UNITS[root.unit], list(package.findings())
    source = source_of(file, "3mf", "xml", instances, unit, findings, package.transforms)
    is_divided = len({id(i.owner or i.label) for i in instances}) > 1
    return replace(source, is_divided=is_divided)


def _error(place: str, what: str, code: str = "bad-3mf", hint: str | Remedy = EXPORT_AGAIN) -> ReadError:
    return ReadError(f"{place}: {what}", code=code, hint=hint)


@dataclass(frozen=True, eq=False)
class _Use:
    """An item of the build, or a component: an object, where it is, and in which model of the package."""

    object: int
    path: str | None
    transform: Array
    place: str


@dataclass(eq=False)
class _Object:
    """Object of a model: a mesh, or its components."""

    id: int
    name: str
    kind: str
    place: str
    own: tuple[str | None, str | None]
    vertices: array[float] = field(default_factory=lambda: array("d"))
    triangles: array[int] = field(default_factory=lambda: array("q"))
    properties: set[tuple[str | None, str | None]] = field(default_factory=set)
    components: list[_Use] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    volumes: list[tuple[Polygons, str]] = field(default_factory=list)
    half_unit: float = 0.0
    role: str = ""

    @property
    def points(self) -> Array:
        """Its vertices, shape (V, 3)."""
        return np.asarray(self.vertices).reshape(-1, 3)


@dataclass(eq=False)
class _Model:
    """Model of a package."""

    name: str
    unit: str = "millimeter"
    objects: dict[int, _Object] = field(default_factory=dict)
    groups: dict[int, list[str]] = field(default_factory=dict)
    build: list[_Use] = field(default_factory=list)


@dataclass(eq=False)
class _Package:
    """The archive, and the models that were read so far.

    `parts` are the roles of the components of an object, by their numbers; `ranges` those of some triangles of an object.
    """

    file: InputFile
    archive: zipfile.ZipFile
    limit: int
    models: dict[str, _Model] = field(default_factory=dict)
    foreign: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    roles: Counter[str] = field(default_factory=Counter)
    parts: dict[tuple[int, int], str] = field(default_factory=dict)
    ranges: defaultdict[int, list[tuple[int, int, str]]] = field(default_factory=lambda: defaultdict(list))
    root: _Model | None = None
    uses: int = 0
    size: int = 0
    transforms: Transforms = field(default_factory=Transforms)

    @cached_property
    def files(self) -> dict[str, list[zipfile.ZipInfo]]:
        """Parts of the package by name, which differ in more than capitals."""
        found: dict[str, list[zipfile.ZipInfo]] = {}
        for info in self.archive.infolist():
            found.setdefault(f"/{info.filename.lower()}", []).append(info)
        return found

    def blocks(self, name: str) -> Iterator[bytes]:
        """The bytes of a part of the package."""
        place = f"{self.file.name}:{name}"
        found = self.files.get(name.lower(), [])
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
                    self.size += len(block)
                    if size > max(_LARGE, _RATIO * info.compress_size):
                        raise _error(place, f"unpacks to more than {_RATIO} times its size", "too-large")
                    if self.size > self.limit:
                        raise _error(place, "unpacks to more than is read", "too-large", Remedy("", see="max_bytes"))
                    yield block
        except (ReadError, MemoryError):
            raise
        except Exception as error:  # as above
            raise _error(place, f"cannot be unpacked: {shorten(str(error), 80)}", "truncated-file") from error

    def tree(self, name: str) -> xml.Node:
        """The XML of a small part of the package."""
        text = b"".join(islice(self.blocks(name), _LISTED))
        return xml.parse(text, f"{self.file.name}:{name}", namespaces=True)

    def start_part(self) -> str:
        """The name of the model that the package is about."""
        relations = [relation.attributes for relation in self.tree("/_rels/.rels").children]
        found = {
            r.get("Target", "") for r in relations if r.get("Type") == _MODEL and r.get("TargetMode") != "External"
        }
        if len(found) != 1:
            raise _error(f"{self.file.name}:/_rels/.rels", f"names {plural(len(found), '3D model')}, not one")
        return posixpath.normpath(unquote(*found))

    def model(self, name: str) -> _Model:
        """A model, read once."""
        name = f"/{name.lstrip('/')}"
        if name.lower() not in self.models:
            model = self.models[name.lower()] = _Model(f"{self.file.name}:{name}")
            _Reader(model, self).read(self.blocks(name))
        return self.models[name.lower()]

    def read_settings(self) -> None:
        """Roles of volumes, from the settings of a slicer."""
        for settings in (self.tree(name) for name in _SETTINGS if name.lower() in self.files):
            for of_object in settings.all("object"):
                for volume in (*of_object.all("volume"), *of_object.all("part")):
                    given = {m.attributes.get("key"): m.attributes.get("value", "") for m in volume.all("metadata")}
                    old = "modifier" if given.get("modifier") == "1" else ""
                    word = volume.attributes.get("subtype") or given.get("volume_type") or old
                    role = next((role for role, *_ in _ROLES if role in word.lower()), "")
                    if "firstid" in volume.attributes:
                        first, last = self.number(volume, "firstid"), self.number(volume, "lastid")
                        self.ranges[self.number(of_object, "id")].append((first, last, role))
                    elif role:
                        self.parts[self.number(of_object, "id"), self.number(volume, "id")] = role

    def number(self, node: xml.Node, name: str) -> int:
        """A whole number of the settings of a slicer."""
        text = node.attributes.get(name, "")
        if not _INDEX.fullmatch(text):
            raise _error(node.place, f"its {name} is {quote(text)}, not a whole number", "bad-index")
        return int(text)

    def place(
        self, use: _Use, model: _Model, above: Array, names: tuple[str, ...], role: str, owner: PartLabel | None = None
    ) -> Iterator[Instance]:
        """The meshes of an object, and of its components, where they are, in the objects `names`; those of one owner are one part."""
        model, found = self.object_of(use, model)
        names = (*names, found.name)
        self.check_number(use, len(names))
        pose, label = self.pose_of(use, above), PartLabel(found.name, "/".join(names))
        known = self.parts if model is self.root else {}
        roles = [role or known.get((found.id, component.object), "") for component in found.components]
        owner = owner or (label if _NEGATIVE in roles else None)
        for component, its_role in zip(found.components, roles, strict=True):
            yield from self.place(component, model, pose, names, its_role, owner)
        role = role or found.role
        if found.volumes and (role or self.is_body(found, use)):
            own = owner or (label if len(found.volumes) > 1 else None)
            placed = Instance(
                found.points, found.volumes[0][0], pose, found.half_unit, label, _material(found, model), owner=own
            )
            yield from self.volumes_of(found, placed, role)

    def volumes_of(self, found: _Object, placed: Instance, role: str) -> Iterator[Instance]:
        """The volumes of a mesh that are material, or are cut out; all have the role of the object, if it has one."""
        for faces, its_role in found.volumes:
            stated = role or its_role
            self.roles[stated] += 1
            if stated == _NEGATIVE:
                yield replace(placed, faces=faces, role="cutter")
            elif not stated:
                yield replace(placed, faces=faces, role="body" if placed.owner else "")

    def object_of(self, use: _Use, model: _Model) -> tuple[_Model, _Object]:
        """The object that is used, and its model, whose unit is that of the build."""
        model = model if use.path is None else self.model(use.path)
        found = model.objects.get(use.object)
        if found is None:
            raise _error(use.place, f"refers to object {use.object}, and {model.name} has no such object")
        if self.root is not None and model.unit != self.root.unit:
            raise _error(model.name, f"its unit is {quote(model.unit)}, that of the build {quote(self.root.unit)}")
        return model, found

    def check_number(self, use: _Use, depth: int) -> None:
        """Refuse more objects, or objects in objects, than the limits."""
        self.uses += 1
        if depth > _DEEPEST:
            raise _error(use.place, f"objects are nested more than {_DEEPEST} deep, or in themselves", "too-large")
        if self.uses > _MOST:
            raise _error(use.place, f"the build has more than {_MOST:,} objects", "too-large")

    def pose_of(self, use: _Use, above: Array) -> Array:
        """The transform of an object to the scene."""
        with np.errstate(over="ignore", invalid="ignore"):
            pose = self.transforms.product(above, use.transform)
        if not np.isfinite(pose).all():
            raise _error(use.place, "the transforms of an object and its components multiply to numbers too large")
        return pose

    def is_body(self, found: _Object, use: _Use) -> bool:
        """Whether a mesh is part of the body; if not, it is counted by its kind."""
        if found.kind == "other":
            raise _error(use.place, f"the build refers to object {found.id} of the type 'other', which 3MF forbids")
        self.kinds[found.kind] += 1
        return found.kind == "model"

    def findings(self) -> Iterator[Finding]:
        """Findings about objects that were left out."""
        for space, count in self.foreign.items():
            extension = quote(space.removeprefix(_SPACE))
            what = f"{plural(count, 'element')} of the extension {extension} left out: massprops does not read it"
            yield Finding("skipped-extension", "warning", what, value=float(count))
        self.kinds.pop("model", None)
        kinds = ", ".join(f"{kind} ({count})" for kind, count in sorted(self.kinds.items()))
        text = f"objects that are no body were left out: {kinds}"
        yield from count_finding(self.kinds.total(), "skipped-elements", "info", text)
        for role, code, what in _ROLES:
            text = f"{plural(self.roles[role], 'volume')} {what}, by the settings of a slicer"
            yield from count_finding(self.roles[role], code, "info", text)


def _material(found: _Object, model: _Model) -> str | None:
    """The base material that all of an object has; properties of other groups are how it looks."""
    used = [(model.groups.get(_whole(group)), _whole(index)) for group, index in found.properties or {found.own}]
    names = {dict(enumerate(materials)).get(index) for materials, index in used if materials is not None}
    return names.pop() if len(names) == 1 else None


def _whole(text: str | None) -> int:
    """A whole number; −1 for what is none."""
    return int(text) if text and _INDEX.fullmatch(text) else -1


class _Reader:
    """The events of one model; no tree is kept."""

    def __init__(self, model: _Model, package: _Package) -> None:
        self.model, self.package = model, package
        self.object: _Object | None = None
        self.group: list[str] = []
        self.setting: list[str] = []
        self.spaces: dict[str, str] = {}
        self.seen: set[str] = set()  # elements outside of objects that may be there once
        self.open = ["/"]  # names of the elements that are not closed; nothing for those of extensions
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
        parent = self.open[-1]
        if _OFTEN.get(tag) == parent and self.object is not None:
            self.open.append(tag)
            (self.vertex if tag == _VERTEX else self.triangle)(self.object, given)
            return
        space, _, name = tag.rpartition(" ")
        if parent == "/":
            self.check_root(space, name, given)
        self.open.append(name if space == _CORE and parent else "")
        if space != _CORE:
            self.foreign(space)
        elif parent not in ("", "/"):
            self.check_place(name, parent)
            self.element(name, given)

    def element(self, name: str, given: dict[str, str]) -> None:
        """An element of the core specification in its place."""
        match name:
            case "object":
                self.object = self.new_object(given)
            case "component" if self.object is not None:
                self.object.components.append(self.use(given))
            case "item":
                self.model.build.append(self.use(given))
            case "basematerials":
                self.group = self.model.groups[self.identifier(given)] = []
            case "base":
                self.group.append(shorten(given.get("name", ""), _LONGEST))
            case "metadata" if self.object is not None:
                self.setting, self.parser.CharacterDataHandler = [given.get("name", "")], self.text

    def new_object(self, given: dict[str, str]) -> _Object:
        kind = given.get("type", "model")
        if kind not in _KINDS:
            raise _error(self.place, f"the type of the object is {quote(kind)}; known: {', '.join(_KINDS)}")
        number = self.identifier(given)
        title = shorten(given.get("name") or given.get("partnumber") or f"object {number}", _LONGEST)
        return _Object(number, title, kind, self.place, (given.get("pid"), given.get("pindex", "0")))

    def text(self, text: str) -> None:
        """Collect a piece of text: the metadata of an object."""
        self.setting.append(text[:_LONGEST])

    def end(self, tag: str) -> None:
        self.open.pop()
        if self.setting and self.object is not None:
            name, *value = self.setting
            is_on = "".join(value).strip().lower() in ("true", "1")
            self.object.role = (is_on and _CURA.get(name.rpartition(":")[2])) or self.object.role
            self.setting, self.parser.CharacterDataHandler = [], None
        closes = len(self.open) == 3 and tag == f"{_CORE} object"  # /, model and resources are open
        if self.object is not None and closes:
            self.finish(self.object)
            self.object = None

    def finish(self, found: _Object) -> None:
        """Check an object of which all was read; its mesh as arrays."""
        which, faces = f"the object {quote(found.name)}", np.asarray(found.triangles).reshape(-1, 3)
        if bool(found.components) == bool(len(faces)):
            both = "triangles and components" if found.components else "no triangles and no components"
            raise _error(found.place, f"{which} has {both}")
        if len(faces):
            check_corners(found.place, faces, len(found.points))
            found.half_unit = of_text(found.points, float(np.abs(found.points).max())).half_unit
            found.volumes = self.volumes(found, faces)
        self.model.objects[found.id] = found

    def volumes(self, found: _Object, faces: Integers) -> list[tuple[Polygons, str]]:
        """The triangles of each volume of a slicer, with their role; those of the body have none."""
        is_body, volumes = np.ones(len(faces), bool), []
        # the settings are about the objects of the first model
        for first, last, role in self.package.ranges[found.id] if self.package.root is None else ():
            if not first <= last < len(faces) or not is_body[first : last + 1].all():
                what = f"a volume has the triangles {first} to {last} of {len(faces)}, counted from 0, or shares some"
                raise _error(found.place, f"in the settings of a slicer, {what}", "bad-index")
            is_body[first : last + 1] = False
            volumes.append((Polygons(faces[first : last + 1]), role))
        return [*([(Polygons(faces[is_body]), "")] if is_body.any() else []), *volumes]

    def check_root(self, space: str, name: str, given: dict[str, str]) -> None:
        if (space, name) != (_CORE, "model"):
            what = f"the root element is <{name}> of {quote(space)}, not <model> of 3MF"
            raise _error(self.place, what, "wrong-format")
        self.model.unit = given.get("unit", "millimeter")
        if self.model.unit not in _UNITS:
            raise _error(self.place, f"its unit is {quote(self.model.unit)}; known: {', '.join(_UNITS)}")
        for prefix in given.get("requiredextensions", "").split():
            if self.spaces.get(prefix) not in _HARMLESS:
                extension = self.spaces.get(prefix, prefix).removeprefix(_SPACE)
                what = f"requires the extension {quote(extension)}, which massprops does not read"
                raise _error(self.place, what, "unsupported-3mf", "export it without, or as STL")

    def check_place(self, name: str, parent: str) -> None:
        """Refuse an element that places geometry where it must not be, or is there twice."""
        if parent != _PARENTS.get(name, parent):
            raise _error(self.place, f"<{name}> must not be in <{parent}>")
        seen = self.seen if self.object is None else self.object.seen
        if name in _ONCE & seen:
            raise _error(self.place, f"a second <{name}> in <{parent}>")
        seen.add(name)

    def foreign(self, space: str) -> None:
        """An element of an extension."""
        if space not in _HARMLESS:
            counts = self.package.foreign
            counts[space if space in counts or len(counts) < _MOST_EXTENSIONS else "others"] += 1

    def identifier(self, given: dict[str, str], name: str = "id") -> int:
        """The number of a resource; that of a new one is not yet taken."""
        text = given.get(name, "").strip()
        if not _INDEX.fullmatch(text) or not 0 < int(text) < 1 << 31:
            what = f"the {name} of a resource is {quote(text)}, not a positive whole number"
            raise _error(self.place, what if text else f"a resource has no {name}")
        number = int(text)
        if name == "id" and (number in self.model.objects or number in self.model.groups):
            raise _error(self.place, f"a second resource has the id {number}")
        return number

    def vertex(self, to: _Object, given: dict[str, str]) -> None:
        point = given.get("x", ""), given.get("y", ""), given.get("z", "")
        usual = _POINT.fullmatch(" ".join(point))
        to.vertices.extend(map(float, point) if usual else [self.number(text, "coordinate") for text in point])

    def triangle(self, to: _Object, given: dict[str, str]) -> None:
        corners = given.get("v1", ""), given.get("v2", ""), given.get("v3", "")
        if not _TRIPLE.fullmatch(" ".join(corners)):
            raise _error(self.place, f"{' '.join(map(quote, corners))} are not three vertices", "bad-index")
        to.triangles.extend(map(int, corners))
        to.properties.add((given.get("pid", to.own[0]), given["p1"]) if "p1" in given else to.own)

    def use(self, given: dict[str, str]) -> _Use:
        """An item or a component."""
        numbers = given.get("transform", "").split(None, 12)
        if len(numbers) not in (0, 12):
            raise _error(
                self.place, f"a transform has 12 numbers, this one {len(numbers)}{' or more' * (len(numbers) > 12)}"
            )
        matrix = np.eye(4)
        if numbers:
            matrix[:3] = np.reshape([self.number(text, "number of the transform") for text in numbers], (4, 3)).T
            if not determinant(matrix[:3, :3]):
                raise _error(self.place, "the transform is singular: it makes the object flat")
        number, path = self.identifier(given, "objectid"), given.get(f"{_PRODUCTION} path")
        if path is None and number not in self.model.objects:
            raise _error(self.place, f"refers to object {number}, and there is no such object before it")
        return _Use(number, path, matrix, self.place)

    def number(self, text: str, what: str) -> float:
        return parse_number(text.strip(), self.place, what)

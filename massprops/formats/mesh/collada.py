"""COLLADA 1.4 and 1.5: the meshes that the scene places, with their positions read from the text as doubles.

Only geometry is looked at: lights, cameras, materials, images and animations may be missing or damaged. Coordinates are in the unit
that the file states. Like trimesh and RViz, this reader does not turn the axes by `<up_axis>`.

Source: Khronos, "COLLADA – Digital Asset Schema Release 1.4.1" and "1.5.0" (2008); sections 5 and 7.
"""

from __future__ import annotations

import io
import math
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding, count_finding
from massprops.formats import xml
from massprops.formats.mesh.arrays import unit_of
from massprops.formats.mesh.placement import (
    EXPORT_AGAIN,
    Instance,
    Transforms,
    check_corners,
    chosen_parts,
    gather,
    source_of,
)
from massprops.formats.packed import open_package
from massprops.formats.text import parse_number, quote
from massprops.formats.text_lines import scan_numbers, text_blocks
from massprops.formats.xml import Node
from massprops.mesh.bridges import MOST_CORNERS, with_bridges
from massprops.mesh.coordinate_resolution import of_text
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array, Integers, cross_matrix, length, permutes_axes
from massprops.wording import plural

#: Nodes, transforms and instances of a scene: each line of a file can double their number.
_MOST_NODES = 100_000
#: Primitives without a surface.
_LINES = ("lines", "linestrips")
_WHOLE, _LARGEST = re.compile(rb"\+?0*\d{1,15}"), 10**15 - 1
_TO_LINE_FEEDS = bytes.maketrans(b" \t\r\v\f", b"\n" * 5)


def read(file: InputFile) -> MeshFile:
    """Facets of a COLLADA file, float64, in the unit that it states.

    Raises
    ------
    ReadError
        With the file, the line, the rule and the remedy.
    """
    return _read_document(file, file.stream.read())


def read_packed(file: InputFile) -> MeshFile:
    """Facets of a ZAE file, a package whose manifest names the COLLADA document; without one, its first document.

    Raises
    ------
    ReadError
        As of `read`; the package is damaged, holds no document, or unpacks to too much.
    """
    with open_package(file, EXPORT_AGAIN) as archive:
        names = archive.namelist()
        named = [posixpath.normpath(_root_of(archive, file.name))] if "manifest.xml" in names else []
        found = [name for name in (named or names) if name in names and name.lower().endswith(".dae")]
        if not found:
            what = f"{file.name}: the package holds no COLLADA document"
            raise ReadError(what, code="no-facets", hint=EXPORT_AGAIN)
        text = archive.read(found[0])
    return replace(_read_document(file, text), format="zae")


def _root_of(archive: zipfile.ZipFile, name: str) -> str:
    """The document that a manifest names: ``<dae_root>./scene.dae</dae_root>``, perhaps with a place in it."""
    root = xml.parse(archive.read("manifest.xml"), f"{name}/manifest.xml")
    return root.text.strip().partition("#")[0]


def _read_document(file: InputFile, text: bytes) -> MeshFile:
    root = xml.parse(text, file.name)
    if root.tag != "COLLADA":
        raise ReadError(f"{root.place}: the root element is <{root.tag}>, not <COLLADA>", code="wrong-format")
    scene = _Scene(root)
    metres = _metres(root)
    unit = unit_of(metres)
    scale = np.diag([metres] * 3 + [1.0]) if unit is None else np.eye(4)
    instances = [replace(i, pose=scene.transforms.product(scale, i.pose)) for i in gather(file, scene.instances())]
    chosen = chosen_parts(file, [i.label for i in instances if i.label is not None], "node")
    instances = [instances[i] for i in chosen]
    found = source_of(file, "dae", "ascii", instances, unit or "m", scene.findings(), scene.transforms)
    return replace(found, converted="" if unit else f"{metres:.6g} m")


def _metres(root: Node) -> float:
    asset = root.one("asset")
    unit = None if asset is None else asset.one("unit")
    text = "1" if unit is None else unit.attributes.get("meter", "1")
    metres = parse_number(text.strip(), "" if unit is None else unit.place, "the unit")
    if metres <= 0:
        raise _bad(unit or root, f"the unit is {text} m, and must be positive")
    return metres


def _bad(node: Node, what: str, code: str = "bad-collada") -> ReadError:
    return ReadError(f"{node.place}: {what}", code=code, hint=EXPORT_AGAIN)


def _unread(node: Node, what: str) -> ReadError:
    hint = "export it without, or as STL, OBJ or PLY"
    return ReadError(f"{node.place}: massprops does not read {what}", code="unsupported-collada", hint=hint)


def _blocks(node: Node) -> Iterator[bytes]:
    """The words of an element's text, each on a line, a block at a time; the text may be one endless line."""
    return text_blocks(io.BytesIO(node.text.encode().translate(_TO_LINE_FEEDS)))


def _numbers(node: Node, what: str) -> Array:
    """The finite decimal numbers of an element's text."""
    parts = [np.empty(0)]
    for block in _blocks(node):
        found = scan_numbers(block)
        strict = () if found else (parse_number(word, node.place, what) for word in block.decode().split())
        parts.append(found[0] if found else np.fromiter(strict, np.float64))
    return np.concatenate(parts)


def _whole_numbers(node: Node) -> Integers:
    """The whole numbers of an element's text, none negative."""
    parts = [np.empty(0, np.int64)]
    for block in _blocks(node):
        found = None if block.translate(None, b"0123456789\n") else scan_numbers(block)
        if found and found[0].max(initial=0) <= _LARGEST:
            parts.append(found[0].astype(np.int64))
            continue
        words = block.split()
        if bad := [word for word in words if not _WHOLE.fullmatch(word)]:
            raise _bad(node, f"{quote(bad[0].decode())} in <{node.tag}> is not an index or a count")
        parts.append(np.array([int(word) for word in words], np.int64))
    return np.concatenate(parts)


def _count(node: Node, attribute: str, default: str) -> int:
    text = node.attributes.get(attribute, default).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise _bad(node, f"{attribute}={quote(text)} of <{node.tag}> is not a count")
    return int(text)


@dataclass
class _Scene:
    """The elements of a document by their ids, and the meshes that were read so far."""

    root: Node
    ids: dict[tuple[str, str], list[Node]] = field(default_factory=dict)
    numbers: dict[int, Array] = field(default_factory=dict)
    meshes: dict[int, list[Instance]] = field(default_factory=dict)
    vertices: dict[int, tuple[Array, float]] = field(default_factory=dict)
    skinned: int = 0
    left_out: int = 0
    nodes: int = 0
    transforms: Transforms = field(default_factory=Transforms)

    def __post_init__(self) -> None:
        for node in self.root.walk():
            if "id" in node.attributes:
                self.ids.setdefault((node.tag, node.attributes["id"]), []).append(node)

    @cached_property
    def homes(self) -> dict[int, int]:
        """The number of the geometry or controller that an element is in."""
        homes = (node for node in self.root.walk() if node.tag in ("geometry", "controller"))
        return {id(node): number for number, home in enumerate(homes) for node in home.walk()}

    def find(self, user: Node, attribute: str, *tags: str) -> Node:
        """The element of one of these tags that an attribute refers to."""
        url = user.attribute(attribute)
        if not url.startswith("#"):
            what = f"<{user.tag}> refers to another file, {quote(url)}, which massprops does not follow"
            raise ReadError(f"{user.place}: {what}", code="geometry-elsewhere", hint="export the mesh in one file")
        found = [node for tag in tags for node in self.ids.get((tag, url[1:]), [])]
        if len(found) > 1:  # exporters number the elements of each geometry anew
            found = [node for node in found if self.homes.get(id(node)) == self.homes.get(id(user), -1)] or found
        if len(found) == 1:
            return found[0]
        many = f"{len(found)} elements have this id" if found else f"no <{tags[0]}> has this id"
        raise _bad(user, f"<{user.tag}> refers to {quote(url)}, but {many}")

    def instances(self) -> Iterator[Instance]:
        """Every mesh of the scene, with the transform and the name of the node that places it."""
        scene = self.root.one("scene")
        shown = None if scene is None else scene.one("instance_visual_scene")
        if shown is None:
            what = "the file has no <scene> with an <instance_visual_scene>, so no mesh is placed"
            raise ReadError(f"{self.root.place}: {what}", code="no-facets", hint=EXPORT_AGAIN)
        for node in self.find(shown, "url", "visual_scene").all("node"):
            yield from self.below(node, np.eye(4), (), "")

    def below(self, node: Node, pose: Array, above: tuple[Node, ...], path: str) -> Iterator[Instance]:
        """The meshes of a node and of the nodes in it."""
        self.nodes += 1 + len(node.children)
        if self.nodes > _MOST_NODES:
            raise _unread(node, f"scenes of more than {_MOST_NODES:,} nodes, transforms and instances")
        if len(above) > xml.DEEPEST or any(node is other for other in above):
            raise _bad(node, "the node contains itself, or nodes are nested too deeply")
        above = (*above, node)
        name = node.attributes.get("name") or node.attributes.get("id") or f"node {self.nodes}"
        label = PartLabel(name, f"{path}{name}")
        for child in node.children:
            if child.tag in _TRANSFORMS:
                inner = _transform(child)
                self.transforms.is_rounded |= child.tag in _BY_ANGLES and not permutes_axes(inner[:3, :3])
                pose = self.transforms.product(pose, inner)
        for child in node.children:
            if child.tag in ("node", "instance_node"):
                placed = child if child.tag == "node" else self.find(child, "url", "node")
                yield from self.below(placed, pose, above, f"{label.path}/")
            elif child.tag == "instance_geometry":
                yield from self.mesh(self.find(child, "url", "geometry"), pose, label)
            elif child.tag == "instance_controller":
                yield from self.skin(child, pose, label)

    def skin(self, user: Node, pose: Array, label: PartLabel) -> list[Instance]:
        """The mesh of a skin, in the shape before bending."""
        skin = self.find(user, "url", "controller").one("skin")
        if skin is None:
            raise _unread(user, "morph targets")
        bind = skin.one("bind_shape_matrix")
        self.skinned += 1
        bent = pose if bind is None else self.transforms.product(pose, _transform(bind))
        return self.mesh(self.find(skin, "source", "geometry"), bent, label)

    def mesh(self, geometry: Node, pose: Array, label: PartLabel) -> list[Instance]:
        """The primitives with a surface in one place, read once for all."""
        if id(geometry) not in self.meshes:
            mesh = geometry.one("mesh")
            if mesh is None:
                raise _unread(geometry, "a <geometry> without a <mesh>")
            self.left_out += sum(child.tag in _LINES for child in mesh.children)
            parts = [self.primitive(child) for child in mesh.children if child.tag in _PRIMITIVES]
            self.meshes[id(geometry)] = [part for part in parts if part is not None]
        return [replace(part, pose=pose, label=label) for part in self.meshes[id(geometry)]]

    def primitive(self, node: Node) -> Instance | None:
        """Mesh of a primitive; None if it has no faces."""
        inputs = node.all("input")
        found = [i for i in inputs if i.attributes.get("semantic") == "VERTEX"]
        if not found:
            if _count(node, "count", "0"):
                raise _bad(node, f"<{node.tag}> has no <input> of the semantic VERTEX")
            return None
        stride = 1 + max(_count(i, "offset", "0") for i in inputs)
        lists = [ring for child in node.children for ring in self.rings(child, stride, found[0])]
        faces = self.polygons(node, lists)
        if not faces.corners.size:
            return None
        vertices, half_unit = self.vertices_of(found[0])
        check_corners(node.place, faces.corners, len(vertices))
        return Instance(vertices, faces, np.eye(4), half_unit, material=node.attributes.get("material"))

    def vertices_of(self, user: Node) -> tuple[Array, float]:
        """Coordinates that an input refers to, shape (V, 3), and half a unit of the last digit that they state."""
        source = self.find(user, "source", "vertices")
        if id(source) not in self.vertices:
            read = self.positions(source)
            self.vertices[id(source)] = read, of_text(read, float(np.abs(read).max(initial=0))).half_unit
        return self.vertices[id(source)]

    def rings(self, node: Node, stride: int, user: Node) -> Iterator[Integers]:
        """Corners of a `<p>`; of a `<ph>`, a polygon with holes, those of one ring, its holes joined by bridges."""
        if node.tag not in ("p", "ph"):
            return
        lists = []
        for p in [node] if node.tag == "p" else [*node.all("p"), *node.all("h")]:
            numbers = _whole_numbers(p)
            if len(numbers) % stride:
                what = f"<{p.tag}> has {plural(len(numbers), 'index', 'indices')}, not a multiple of {stride}"
                raise _bad(p, what)
            lists.append(numbers[_count(user, "offset", "0") :: stride])
        if node.tag == "p":
            yield lists[0]
        elif len(node.all("p")) != 1:
            raise _bad(node, f"<ph> has {len(node.all('p'))} outlines <p>, not one")
        else:
            yield self.bridged(node, [lists[0], *(hole for hole in lists[1:] if len(hole) > 2)], user)

    def bridged(self, node: Node, rings: list[Integers], user: Node) -> Integers:
        """Corners of a polygon with holes in one ring."""
        corners, vertices = np.concatenate(rings), self.vertices_of(user)[0]
        if not corners.size or len(rings) == 1:
            return corners
        check_corners(node.place, corners, len(vertices))
        if len(corners) > MOST_CORNERS:
            what = f"a face with holes has {len(corners):,} corners, more than {MOST_CORNERS:,}"
            raise ReadError(f"{node.place}: {what}", code="large-face", hint="export the mesh in triangles")
        ring = with_bridges(vertices[corners], [len(r) for r in rings])
        if ring is None:
            raise _bad(node, "a hole <h> is not inside its outline <p>, or crosses it")
        return corners[ring]

    def positions(self, vertices: Node) -> Array:
        """Coordinates of `<vertices>`, shape (V, 3)."""
        inputs = [i for i in vertices.all("input") if i.attributes.get("semantic") == "POSITION"]
        if len(inputs) != 1:
            raise _bad(vertices, f"<vertices> has {plural(len(inputs), 'input')} of the semantic POSITION, not one")
        source = self.find(inputs[0], "source", "source")
        accessor = source.need("technique_common").need("accessor")
        array = self.find(accessor, "source", "float_array")
        if id(array) not in self.numbers:
            self.numbers[id(array)] = _numbers(array, "coordinate")
        values = self.numbers[id(array)]
        if len(values) != _count(array, "count", str(len(values))):
            what = f"<float_array> promises {array.attributes['count'].strip()} numbers, but has {len(values)}"
            raise _bad(array, what, "facet-count")
        params = accessor.all("param")
        named = [i for i, param in enumerate(params) if param.attributes.get("name")] or list(range(len(params)))
        if len(named) < 3:
            raise _bad(accessor, f"a position has {len(named)} coordinates, not 3")
        count, stride = _count(accessor, "count", "0"), _count(accessor, "stride", "1")
        first = _count(accessor, "offset", "0")
        if stride < named[2] + 1 or (count and first + stride * (count - 1) + named[2] >= len(values)):
            raise _bad(accessor, f"<accessor> needs more numbers than <float_array> has ({len(values)})")
        places = first + stride * np.arange(count)[:, None] + np.array(named[:3])
        return np.asarray(values[places])

    def polygons(self, node: Node, lists: list[Integers]) -> Polygons:
        """The faces of a primitive, of the corners of its lists."""
        corners = np.concatenate([np.empty(0, np.int64), *lists])
        if node.tag == "triangles":
            if len(corners) % 3 or len(corners) // 3 != _count(node, "count", str(len(corners) // 3)):
                promised = f"<triangles> promises {node.attributes.get('count', '')} triangles"
                raise _bad(node, f"{promised}, but has {len(corners)} corners", "facet-count")
            return Polygons(corners.reshape(-1, 3))
        if node.tag == "polylist":
            vcount = node.one("vcount")
            return self.of_sizes(node, corners, corners[:0] if vcount is None else _whole_numbers(vcount))
        if node.tag == "polygons":
            return self.of_sizes(node, corners, np.array([len(each) for each in lists], np.int64))
        return Polygons(np.concatenate([np.empty((0, 3), np.int64), *map(_STRIPS[node.tag], lists)]))

    def of_sizes(self, node: Node, corners: Integers, counts: Integers) -> Polygons:
        """Faces by their numbers of corners; faces of one or two have no surface, and are left out."""
        promised = _count(node, "count", str(len(counts)))
        if promised != len(counts) or counts.sum() != len(corners):
            there = f"{len(counts)} with {plural(int(counts.sum()), 'corner')}, and {len(corners)} indices"
            what = f"<{node.tag}> promises {plural(promised, 'face')}, but has {there}"
            raise _bad(node, what, "facet-count")
        found, kept, _ = Polygons(corners, counts).without_thin()
        self.left_out += len(counts) - len(kept)
        return found

    def findings(self) -> list[Finding]:
        """Findings about geometry that was left out."""
        thin = f"lines or faces of fewer than 3 corners ({self.left_out}) bound no volume; they were left out"
        bent = f"{plural(self.skinned, 'mesh', 'meshes')} bent by a skeleton: measured in the shape before bending"
        skipped = count_finding(self.left_out, "skipped-elements", "info", thin)
        return skipped + count_finding(self.skinned, "skinned-mesh", "warning", bent)


def _strip(corners: Integers) -> Integers:
    """Triangles of a strip: every second one is reversed, so that all face the same way. Shape (n − 2, 3)."""
    found = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    found[1::2] = found[1::2, ::-1]
    return found


def _fan(corners: Integers) -> Integers:
    """Triangles of a fan about its first corner. Shape (n − 2, 3)."""
    return np.stack([np.broadcast_to(corners[:1], max(len(corners) - 2, 0)), corners[1:-1], corners[2:]], axis=1)


_STRIPS = {"tristrips": _strip, "trifans": _fan}
_PRIMITIVES = ("triangles", "polylist", "polygons", *_STRIPS)


def _transform(node: Node) -> Array:
    """The 4 × 4 matrix of a transformation element."""
    kind = "matrix" if node.tag == "bind_shape_matrix" else node.tag
    numbers = _numbers(node, f"number of <{node.tag}>")
    if kind == "skew":
        raise _unread(node, "<skew>")
    if len(numbers) != _TRANSFORMS[kind]:
        raise _bad(node, f"<{node.tag}> has {plural(len(numbers), 'number')}, not {_TRANSFORMS[kind]}")
    if kind == "matrix":
        matrix = numbers.reshape(4, 4)
        if (matrix[3] != (0, 0, 0, 1)).any():
            raise _bad(node, f"the last row of <{node.tag}> is not 0 0 0 1")
        return matrix
    matrix = np.eye(4)
    if kind == "translate":
        matrix[:3, 3] = numbers
    elif kind == "scale":
        matrix[:3, :3] = np.diag(numbers)
    elif kind == "rotate":
        matrix[:3, :3] = _rotation(node, numbers[:3], numbers[3])
    else:
        eye, interest, up = numbers.reshape(3, 3)
        back = eye - interest
        right = np.cross(up, back)
        if not right.any():
            raise _bad(node, "<lookat> looks along its own up direction")
        back, right = back / length(back), right / length(right)
        matrix[:3] = np.stack([right, np.cross(back, right), back, eye], axis=1)
    return matrix


#: Transformation elements of which the matrix is computed; and all of them, and how many numbers each has.
_BY_ANGLES = ("rotate", "lookat")
_TRANSFORMS = {"matrix": 16, "translate": 3, "scale": 3, "rotate": 4, "lookat": 9, "skew": 7}
#: Sines of quarter turns, without the rounding of π.
_QUARTERS = (0.0, 1.0, 0.0, -1.0)


def _rotation(node: Node, axis: Array, degrees: float) -> Array:
    """Rotation about an axis (Rodrigues); quarter turns are exact."""
    quarters, rest = divmod(degrees, 90.0)
    if rest:
        sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    else:
        sine, cosine = _QUARTERS[int(quarters) % 4], _QUARTERS[int(quarters + 1) % 4]
    size = length(axis)
    if not size:
        if degrees:
            raise _bad(node, "<rotate> has no axis")
        return np.eye(3)
    n = axis / size
    return np.asarray(cosine * np.eye(3) + sine * cross_matrix(n) + (1 - cosine) * np.outer(n, n))

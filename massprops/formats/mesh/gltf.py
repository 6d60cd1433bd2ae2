"""Meshes of glTF 2.0, as one binary file or as JSON with its buffers: triangles of the scene, placed in double precision.

Lengths are metres, y is up. Skins and morph targets are in the pose and with the weights that the file states. What would change the
surface and is not read is refused where the file requires it, and a finding elsewhere.

Source: Khronos, "glTF 2.0 Specification", ISO/IEC 12113:2022, sections 3.5 and 3.7; EXT_mesh_gpu_instancing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from massprops.findings import Finding
from massprops.formats.mesh.gltf_document import INSTANCING, PHYSICS, GltfDocument, damage, damage_as_errors
from massprops.formats.mesh.placement import (
    MOST_INSTANCES,
    Instance,
    Transforms,
    check_corners,
    check_finite,
    chosen_parts,
    gather,
    source_of,
)
from massprops.frames import Pose
from massprops.mesh.coordinate_resolution import of_binary
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array, Floats, Integers, product
from massprops.wording import either

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
#: Levels of nodes.
DEEPEST = 1_000
_LINES = range(4)  # points and lines: no surface
#: What names one node of the scene by its number; a node that a collider refers to, with all below it, and a node alone, in its own space.
NUMBERED, OWN_SPACE, OWN_MESH = "nodes/", "own-space/", "own-mesh/"
#: Number of a node, its matrix (4, 4) to the scene, and its name and path.
PlacedNode = tuple[int, Array, PartLabel]
#: Triangles of a primitive: vertices, corners, the matrix that takes vertices to the mesh, and how far a coordinate may be off.
_Surface = tuple[Floats, Integers, Array, float]


def read_glb(file: InputFile) -> MeshFile:
    """Facets of a binary glTF file in metres, as the format defines."""
    return _read(file, "glb")


def read_gltf(file: InputFile) -> MeshFile:
    """Facets of a glTF file and the buffers that it names, in metres."""
    return _read(file, "gltf")


def _read(file: InputFile, format: str) -> MeshFile:
    with damage_as_errors(file):
        document = GltfDocument.read(file, format)
        findings = document.skipped(PHYSICS)
        scene = GltfScene(document)
        instances = gather(file, scene.instances(), lambda: document.size)
        findings = [*findings, *scene.findings()]
        return source_of(file, format, "binary_little_endian", instances, "m", findings, scene.transforms)


@dataclass
class GltfScene:
    """Nodes of a scene with their places, and the triangles of their meshes; primitives are read once."""

    document: GltfDocument
    known: dict[tuple[Any, ...], _Surface | None] = field(default_factory=dict)
    deformed: set[str] = field(default_factory=set)
    transforms: Transforms = field(default_factory=Transforms)

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """The nodes of the file."""
        nodes: list[dict[str, Any]] = self.document.tree.get("nodes", [])
        return nodes

    def placed_nodes(self) -> Iterator[PlacedNode]:
        """Nodes of the scene, parents before children.

        Raises
        ------
        ReadError
            If a node stands in the scene twice.
        """
        tree = self.document.tree
        scene = tree.get("scenes", [{}])[tree.get("scene", 0)]
        return self._walk([(index, self._matrix(self.nodes[index])) for index in scene.get("nodes", [])])

    def _walk(self, tops: Sequence[tuple[int, Array]]) -> Iterator[PlacedNode]:
        """Nodes with these numbers and places, and all below them; raises what `placed_nodes` does."""
        waiting = [(*top, "", 1) for top in reversed(tops)]
        seen: set[int] = set()
        while waiting:
            index, pose, path, depth = waiting.pop()
            if depth > DEEPEST:  # a path has the names of all nodes above
                what = f"its nodes have more than {DEEPEST:,} levels"
                raise damage(self.document.file, what, "too-large", "export it with fewer levels")
            if index in seen:
                raise self.document.unread(f"node {index} stands in the scene more than once")
            seen.add(index)
            node = self.nodes[index]
            name = str(node.get("name", "")) or f"node {index}"
            label = PartLabel(name, f"{path}{name}")
            yield index, pose, label
            for child in reversed(node.get("children", [])):
                place = self.transforms.product(pose, self._matrix(self.nodes[child]))
                waiting.append((child, place, f"{label.path}/", depth + 1))

    def instances(self) -> Iterator[Instance]:
        """The primitives of all nodes, each with its place."""
        part = self.document.file.part
        if part.startswith(OWN_SPACE) and (number := part.removeprefix(OWN_SPACE)).isdecimal():
            placed = chosen = list(self._walk([(int(number), np.eye(4))]))
        elif part.startswith(OWN_MESH) and (number := part.removeprefix(OWN_MESH)).isdecimal():
            placed = chosen = [next(self._walk([(int(number), np.eye(4))]))]
        else:
            placed = list(self.placed_nodes())
            chosen = self._chosen(placed)
        poses = {index: pose for index, pose, _ in placed}
        for index, pose, label in chosen:
            yield from self.instances_of(index, pose, label, poses)

    def _chosen(self, placed: list[PlacedNode]) -> list[PlacedNode]:
        """All nodes of the scene, or what `part` of the file means: ``nodes/3`` alone, or a node of this name or path with all below it."""
        part = self.document.file.part
        if part.startswith(NUMBERED):
            return [node for node in placed if part == f"{NUMBERED}{node[0]}"]
        return [placed[i] for i in chosen_parts(self.document.file, [label for _, _, label in placed], "node")]

    def instances_of(self, index: int, pose: Array, label: PartLabel, poses: Mapping[int, Array]) -> Iterator[Instance]:
        """The primitives of the mesh of one node; `poses` has the places of the joints of its skin."""
        node = self.nodes[index]
        if "mesh" not in node:
            return
        mesh = self.document.tree["meshes"][node["mesh"]]
        weights = node.get("weights", mesh.get("weights", ()))
        skin = self._skin(node["skin"], poses) if "skin" in node else None
        places = [np.eye(4)] if skin is not None else [self.transforms.product(pose, p) for p in self._copies(node)]
        for primitive in mesh["primitives"]:
            surface = self._surface(primitive, weights, skin, node.get("skin"))
            if surface is not None:
                vertices, corners, matrix, off = surface
                for place in places:
                    material = self._material(primitive.get("material"))
                    whole = self.transforms.product(place, matrix)
                    yield Instance(vertices, Polygons(corners), whole, off, label, material)

    def findings(self) -> list[Finding]:
        """Findings about surfaces that can move."""
        text = "the mesh has {}: it is measured as it stands in the file, without animations"
        return [Finding("rest-pose", "info", text.format(what)) for what in sorted(self.deformed)]

    def _copies(self, node: dict[str, Any]) -> list[Array]:
        """Places of the mesh in its node: one, or those of EXT_mesh_gpu_instancing."""
        given = node.get("extensions", {}).get(INSTANCING)
        if given is None:
            return [np.eye(4)]
        names = {"TRANSLATION": 3, "ROTATION": 4, "SCALE": 3}
        found = {k: self.document.floats(i, names[k]) for k, i in given["attributes"].items() if k in names}
        counts = {len(rows) for rows in found.values()}
        if len(counts) != 1 or max(counts) > MOST_INSTANCES:
            what = f"the instances of a node are {either([*map(str, sorted(counts))]) or 'none'}"
            raise damage(self.document.file, what, hint=f"one number of them, of at most {MOST_INSTANCES:,}")
        return [self._matrix({k.lower(): rows[i] for k, rows in found.items()}) for i in range(*counts)]

    def _matrix(self, node: Mapping[str, Any]) -> Array:
        """The transform of a node: its matrix, written column by column, or T R S."""
        if "matrix" in node:
            return np.array(node["matrix"], np.float64).reshape(4, 4).T
        matrix = np.eye(4)
        if "rotation" in node:
            matrix[:3, :3], is_exact = _rotation(np.array(node["rotation"], np.float64))
            self.transforms.is_rounded |= not is_exact
        matrix[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), np.float64)
        matrix[:3, 3] = node.get("translation", (0, 0, 0))
        return matrix

    def _material(self, index: int | None) -> str | None:
        """The name of a material."""
        if index is None:
            return None
        return str(self.document.tree["materials"][index].get("name", "")) or f"material {index}"

    def _skin(self, index: int, poses: Mapping[int, Array]) -> Array:
        """Matrices that take vertices of a skinned mesh to the scene, one for each joint, shape (J, 4, 4); section 3.7.3.3."""
        skin = self.document.tree["skins"][index]
        if any(joint not in poses for joint in skin["joints"]):
            raise damage(self.document.file, f"a joint of skin {index} does not stand in the scene")
        joints = np.stack([poses[joint] for joint in skin["joints"]])
        if "inverseBindMatrices" not in skin:
            return joints
        inverse = self.document.floats(skin["inverseBindMatrices"], 16).reshape(-1, 4, 4).transpose(0, 2, 1)
        return np.stack([product(a, b) for a, b in zip(joints, inverse[: len(joints)], strict=True)])

    def _surface(
        self, primitive: dict[str, Any], weights: Sequence[float], skin: Array | None, skin_index: int | None
    ) -> _Surface | None:
        """The triangles of a primitive, read once; None for points and lines."""
        targets = [target.get("POSITION") for target in primitive.get("targets", ())]
        attributes = map(primitive["attributes"].get, ("POSITION", "JOINTS_0", "WEIGHTS_0"))
        key = (primitive.get("mode"), primitive.get("indices"), *attributes, *targets, skin_index, *weights)
        if key not in self.known:
            self.known[key] = self._read_surface(primitive, weights, skin)
        return self.known[key]

    def _read_surface(self, primitive: dict[str, Any], weights: Sequence[float], skin: Array | None) -> _Surface | None:
        mode, attributes = primitive.get("mode", _TRIANGLES), primitive["attributes"]
        if mode in _LINES:
            return None
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            raise self.document.unread(f"primitives of mode {mode!r:.20}")
        stored, divisor = self.document.rows(attributes["POSITION"], 3)
        vertices, matrix = stored if stored.dtype.kind == "f" else stored.astype(np.float64), np.eye(4)
        off = 0.5 if stored.dtype.kind != "f" else of_binary(vertices, float(np.abs(vertices).max(initial=0))).half_unit
        matrix[:3, :3] /= divisor  # whole numbers stay whole
        self.transforms.is_rounded |= divisor != 1 or skin is not None
        check_finite(self.document.file.name, vertices)
        if primitive.get("targets"):
            self.deformed.add("morph targets")
            self.transforms.is_rounded |= any(weights)
            vertices = self._morph(primitive["targets"], weights, vertices / divisor)
            matrix, off = np.eye(4), off / divisor
        if skin is not None:
            self.deformed.add("a skin")
            off *= float(matrix[0, 0] * np.abs(skin[:, :3, :3]).sum(axis=2).max())
            vertices, matrix = self._bend(attributes, skin, vertices * matrix[0, 0]), np.eye(4)
        given = primitive.get("indices")
        corners = np.arange(len(vertices)) if given is None else self.document.counts(given, 1)[:, 0]
        if mode == _TRIANGLES and len(corners) % 3:
            raise self.document.unread(f"{len(corners)} corners, which is no multiple of 3")
        if not len(corners):
            return None
        check_corners(self.document.file.name, corners, len(vertices))
        return vertices, _triangles(corners, mode), matrix, off

    def _morph(self, targets: Sequence[dict[str, Any]], weights: Sequence[float], vertices: Array) -> Array:
        """Vertices with the displacements of targets, by their weights; section 3.7.2.2."""
        vertices = vertices.astype(np.float64)
        for target, weight in zip(targets, weights, strict=False):  # without weights they are zero
            if weight and "POSITION" in target:
                vertices = vertices + float(weight) * self.document.floats(target["POSITION"], 3)
        check_finite(self.document.file.name, vertices)
        return vertices

    def _bend(self, attributes: Mapping[str, Any], skin: Array, vertices: Array) -> Array:
        """Vertices in the scene, each the mean of where its joints take it, by their weights."""
        bent, sums = np.zeros((len(vertices), 3)), np.zeros((len(vertices), 1))
        for k in range(sum(name.startswith("JOINTS_") for name in attributes)):
            joints = self.document.counts(attributes[f"JOINTS_{k}"], 4)
            weights = self.document.floats(attributes[f"WEIGHTS_{k}"], 4)
            sums += weights.sum(axis=1, keepdims=True)
            for j in range(4):
                matrices = skin[joints[:, j]]
                places = np.einsum("vij,vj->vi", matrices[:, :3, :3], vertices) + matrices[:, :3, 3]
                bent += weights[:, j, None] * places
        free = np.flatnonzero(~(sums > 0))
        if len(free):
            what = f"the weights of vertex {free[0]}, counted from 0, name no joint"
            raise damage(self.document.file, what, hint="export the mesh again, or without its skin")
        check_finite(self.document.file.name, bent)
        return np.asarray(bent / sums)


def _triangles(corners: Integers, mode: int) -> Integers:
    """Corners of the triangles of a primitive, shape (n, 3); every second one of a strip is turned round (section 3.7.2.1)."""
    if mode == _TRIANGLES:
        return corners.reshape(-1, 3)
    i = np.arange(max(len(corners) - 2, 0))
    places = (i, i + 1 + i % 2, i + 2 - i % 2) if mode == _STRIP else (i + 1, i + 2, 0 * i)
    faces: Integers = corners[np.stack(places, axis=1)]
    return np.asarray(faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)])  # a repeated corner joins two strips


def _rotation(xyzw: Array) -> tuple[Array, bool]:
    """Rotation of a quaternion, shape (3, 3), and whether it is exact: that of one, two or four numbers of one size permutes axes."""
    rotation, size = Pose.from_quaternion(xyzw=xyzw / math.hypot(*xyzw)).rotation, np.abs(xyzw)
    permutes = bool(((size == 0) | (size == size.max())).all()) and np.count_nonzero(size) != 3
    return (np.rint(rotation), True) if permutes else (rotation, False)

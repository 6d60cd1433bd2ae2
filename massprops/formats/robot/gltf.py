"""Bodies of glTF scenes: KHR_physics_rigid_bodies with KHR_implicit_shapes, and OMI_physics_body with OMI_physics_shape.

A node with a `motion` is a body, with all nodes below it that have none of their own; its frame is that of the node, in metres, y up.
A node may be scaled, and a body may not: its frame has the directions of the axes of the node, and what the node states is in its scale.
Of a node that is mirrored z is reversed, since frames are right-handed; what it states is in its own space, which holds the mirror.
The inertia tensor is R D Rᵀ: the text of the extension forms R D, which is not symmetric. 0 stands for infinity.

Sources: Khronos, KHR_physics_rigid_bodies and KHR_implicit_shapes (drafts); Open Metaverse Interoperability Group, OMI_physics_body.

Tests: `tests/formats/robot/test_gltf_physics.py`.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePath
from typing import Any

import numpy as np

from massprops.errors import MasspropsError, ReadError, as_read_error, result_or_error
from massprops.findings import Finding
from massprops.formats.address import Place
from massprops.formats.files import read_head
from massprops.formats.inertial.inertial import Inertial, NamedBody, WriteOptions, numbers_of
from massprops.formats.mesh.gltf import NUMBERED, OWN_MESH, OWN_SPACE, GltfScene, PlacedNode
from massprops.formats.mesh.gltf_document import PHYSICS, GltfDocument, damage_as_errors
from massprops.formats.robot.kinematics import LinkPlacement
from massprops.formats.robot.links import Geometry, Link, LinkMesh, Primitive, UnsupportedGeometry
from massprops.frames import Pose
from massprops.mesh.source import InputFile
from massprops.moments.arrays import Array, determinant, nearest_orthogonal, product
from massprops.rigid_body.mass_properties import MassProperties
from massprops.values import regex

#: Extensions of nodes that state bodies.
EXTENSIONS = ("KHR_physics_rigid_bodies", "OMI_physics_body")
_SHAPES = {"KHR_physics_rigid_bodies": "KHR_implicit_shapes", "OMI_physics_body": "OMI_physics_shape"}
#: A quarter turn about x: z of a shape in closed form becomes y of the node.
_TO_Y_UP = Pose(np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0.0]]), np.zeros(3))
_TO_Y_DOWN = _TO_Y_UP.inverse()
#: The key that all glTF has; other JSON may have the word as a name.
_ASSET = regex(rb'"asset"\s*:')
_KINEMATIC = "the body is kinematic, as if its mass were infinite"
#: Share by which scales along the axes may differ, and directions be off: rounding of single precision.
_ROUNDING = 1e-6


def is_gltf(data: bytes) -> bool:
    """Whether bytes look like glTF, binary or JSON."""
    return data.startswith(b"glTF") or (data[:64].lstrip().startswith(b"{") and _ASSET.search(data) is not None)


def states_bodies(path: str) -> bool:
    """Whether a glTF file states bodies, by the names of the extensions in its text."""
    head = read_head(path, 20)  # in a GLB with the length of its text, which comes before the buffers
    size = 20 + int.from_bytes(head[12:16], "little") if head.startswith(b"glTF") else 1 << 28
    data = read_head(path, min(size, 1 << 28))
    return is_gltf(data) and any(f'"{name}"'.encode() in data for name in EXTENSIONS)


def links(data: bytes, path: str) -> Iterator[Link]:
    """The bodies of a glTF file in the order of its scene, each as a link that is placed in the frame of the file.

    Raises
    ------
    ReadError
        If it is no glTF 2.0.
    """
    file = InputFile(path, io.BytesIO(data), len(data))
    with damage_as_errors(file):
        document = GltfDocument.read(file, "glb" if data.startswith(b"glTF") else "gltf")
        document.skipped(PHYSICS)
        scene = GltfScene(document)
        groups: dict[int, list[PlacedNode]] = {}
        head_of: dict[int, int] = {}
        for placed in scene.placed_nodes():  # parents before children
            index = placed[0]
            head = index if _motion(scene.nodes[index])[1] is not None else head_of.get(index)
            if head is not None:
                groups.setdefault(head, []).append(placed)
                head_of.update(dict.fromkeys(scene.nodes[index].get("children", ()), head))
    names = [nodes[0][2].name for nodes in groups.values()]
    for nodes in groups.values():
        name = nodes[0][2].name if names.count(nodes[0][2].name) == 1 else nodes[0][2].path
        place = Place(path, node=f"/{nodes[0][2].path}")
        found = result_or_error(_Body(scene, nodes, name, place).read)
        yield Link(name, place, error=found, element=nodes[0][0]) if isinstance(found, MasspropsError) else found


def _motion(node: Mapping[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """The motion of a node and its extension; None of a node that is no body that moves."""
    for name in EXTENSIONS:
        motion = node.get("extensions", {}).get(name, {}).get("motion")
        if motion is not None and motion.get("type") != "static":
            return name, motion
    return "", None


@dataclass(frozen=True, eq=False)
class _Body:
    """The nodes of one body, its own first."""

    scene: GltfScene
    nodes: list[PlacedNode]
    name: str
    place: str
    findings: list[Finding] = field(default_factory=list)

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused
    def read(self) -> Link:
        """The link; a ReadError where an entry is not of the kind that the format says."""
        with damage_as_errors(self.scene.document.file):
            return self._link()

    def _link(self) -> Link:
        index, matrix, _ = self.nodes[0]
        frame, scale, is_sheared = _split(matrix, self.place)
        extension, motion = _motion(self.scene.nodes[index])
        assert motion is not None  # noqa: S101  # it made the body
        nodes = [(i, pose, self.scene.nodes[i]) for i, pose, _ in self.nodes]
        visual = tuple(self._mesh(i, matrix, frame) for i, matrix, node in nodes if "mesh" in node)
        stated = [(pose, node.get("extensions", {}).get(extension, {}).get("collider")) for _, pose, node in nodes]
        readers = (partial(self._collider, c, pose, frame, extension) for pose, c in stated if c is not None)
        collision = tuple(Geometry.read(self.place, reader) for reader in readers)
        placement = partial(LinkPlacement, None, frame, (), self.place)
        link = Link(self.name, self.place, visual=visual, collision=collision, placement=placement)
        link = replace(link, dialect="gltf")
        self._say_scale(scale, is_sheared)
        link = link.with_body(lambda: self._inertial(motion, scale, extension))
        is_mirrored = bool(scale[2] < 0)
        findings = tuple(self.findings)
        return replace(link, element=index, mass=_mass(motion), findings=findings, is_mirrored=is_mirrored)

    def _say_scale(self, scale: Array, is_sheared: bool) -> None:
        """Note what of the node a body does not have."""
        factors, is_mirrored = np.abs(scale), scale[2] < 0
        if is_sheared or np.ptp(factors) > _ROUNDING * factors.max() or abs(factors[0] - 1) > _ROUNDING:
            by = "sheared" if is_sheared else f"scaled by {' '.join(f'{s:.6g}' for s in factors)}"
            text = f"the node of the body is {by}: its centre of mass is taken in this scale"
            self.findings.append(Finding("scaled-body", "warning", text, where=self.place))
        elif is_mirrored:
            text = "the node of the body is mirrored: its numbers are in right-handed axes, of which z is that of the node reversed"
            self.findings.append(Finding("scaled-body", "info", text, where=self.place))

    def _inertial(self, motion: Mapping[str, Any], scale: Array, extension: str) -> NamedBody | None:
        """Inertial that the motion states, in the axes of the body; None where it leaves anything to the simulator."""
        stated = {k: _numbers(motion, k, n, self.place) for k, n in _NUMBERS.items() if k in motion}
        if extension == "OMI_physics_body":  # there moments of 0 are not stated, and a mass that is not stated is 1 kg
            stated = {"mass": np.ones(1)} | {k: x for k, x in stated.items() if k != "inertiaDiagonal" or x.any()}
        infinite = [k for k in ("mass", "inertiaDiagonal") if k in stated and not stated[k].all()]
        if infinite or motion.get("isKinematic") or motion.get("type") == "kinematic":
            why = f"{infinite[0]} is 0, which stands for infinity" if infinite else _KINEMATIC
            text = f"{why}: a simulator does not use its inertia"
            self.findings.append(Finding("infinite-mass", "info", text, where=self.place))
        if infinite or not stated.keys() >= {"mass", "inertiaDiagonal"}:
            return None
        com = stated.get("centerOfMass", np.zeros(3)) * scale
        xyzw = stated.get("inertiaOrientation", np.array([0.0, 0.0, 0.0, 1.0]))
        with as_read_error(self.place, "bad-inertial"):
            # of a mirror M the axes M R M: the moments are the same along an axis and its reverse
            signs = np.sign(scale)
            frame = Pose(signs[:, None] * Pose.from_quaternion(xyzw=xyzw).rotation * signs, com)
        diagonal = np.diag(stated["inertiaDiagonal"])
        inertial = Inertial(float(stated["mass"][0]), frame, diagonal, diagonal=True)
        return replace(NamedBody.of(self.name, inertial, self.place, "gltf"), scale=tuple(scale.tolist()))

    def _mesh(self, index: int, matrix: Array, frame: Pose) -> Geometry:
        """The mesh of a node; one with a skin, or that is flat, is read in the axes of the scene."""
        if "skin" in self.scene.nodes[index] or determinant(matrix[:3, :3]) == 0.0:
            return Geometry(self._own_mesh(f"{NUMBERED}{index}"), frame.inverse(), self.place)
        return self._placed(f"{OWN_MESH}{index}", matrix, frame)

    def _placed(self, part: str, matrix: Array, frame: Pose) -> Geometry:
        """Meshes in the space of a node that has this place in the scene."""
        linear = product(frame.rotation.T, matrix[:3, :3])
        turn = nearest_orthogonal(linear if determinant(linear) > 0 else -linear)
        at = Pose(turn, frame.inverse().apply(matrix[:3, 3]))
        return Geometry(self._own_mesh(part), at, self.place, linear=linear)

    def _own_mesh(self, part: str) -> LinkMesh:
        return LinkMesh(f"{PurePath(self.scene.document.file.name).name}#{part}", is_own=True)

    def _collider(self, collider: Mapping[str, Any], matrix: Array, frame: Pose, extension: str) -> Geometry:
        with damage_as_errors(self.scene.document.file):
            return self._shape(collider, matrix, frame, extension)

    def _shape(self, collider: Mapping[str, Any], matrix: Array, frame: Pose, extension: str) -> Geometry:
        shape = collider.get("geometry", collider)
        if "node" in shape or "mesh" in shape:
            if shape.get("convexHull") or "node" not in shape:
                what = "the convex hull of a mesh" if shape.get("convexHull") else "a mesh that is in no node"
                return Geometry(UnsupportedGeometry(f"it collides with {what}"), Pose.identity(), self.place)
            _split(matrix, self.place)  # refuses what is flat
            return self._placed(f"{OWN_SPACE}{int(shape['node'])}", matrix, frame)
        shapes = self.scene.document.tree.get("extensions", {}).get(_SHAPES[extension], {}).get("shapes", ())
        found = shapes[shape["shape"]]
        pose, scale, is_sheared = _split(matrix, self.place)
        solid, turned = _solid(found, scale, is_sheared, extension)
        return Geometry(solid, frame.inverse() @ pose @ turned, self.place)


def _mass(motion: Mapping[str, Any]) -> float | None:
    """The mass that is stated, kg; None where it is none or infinite."""
    stated = motion.get("mass")
    return float(stated) if isinstance(stated, int | float) and stated > 0 else None


_NUMBERS = {"mass": 1, "centerOfMass": 3, "inertiaDiagonal": 3, "inertiaOrientation": 4}


def motion_members(body: MassProperties, scale: Sequence[float] = ()) -> dict[str, str]:
    """The members of a motion that state a body, as JSON, for a node of this scale; the orientation is written x y z w."""
    factors = np.array(scale or (1.0, 1.0, 1.0))
    signs = np.sign(factors)
    mirrored = MassProperties(body.mass, body.com / factors, signs[:, None] * body.inertia * signs)
    n = numbers_of(mirrored, WriteOptions(principal=True))
    w, x, y, z = n.wxyz
    return {
        "mass": json.dumps(n.mass),
        "centerOfMass": json.dumps(n.com),
        "inertiaDiagonal": json.dumps(n.moments),
        "inertiaOrientation": json.dumps((x, y, z, w)),
    }


def _numbers(motion: Mapping[str, Any], key: str, count: int, place: str) -> Array:
    values = motion[key] if isinstance(motion[key], list) else [motion[key]]
    if len(values) != count or not all(isinstance(x, int | float) and math.isfinite(x) for x in values):
        what = f"{key} must be {count} finite number{'s' if count > 1 else ''}, got {motion[key]!r:.60}"
        raise ReadError(what, place=place, code="bad-number")
    return np.array(values, np.float64)


def _split(matrix: Array, place: str) -> tuple[Pose, Array, bool]:
    """A transform as a pose, the scales along its axes (of a mirror that of z is negative), and whether these are not at right angles."""
    linear = matrix[:3, :3]
    scale = np.sqrt((linear**2).sum(axis=0))
    scale[np.abs(scale - 1) < _ROUNDING] = 1.0  # of a turn alone
    if not (np.isfinite(matrix).all() and scale.all()):
        raise ReadError("the transform of the node is flat, or not finite", place=place, code="bad-pose")
    if determinant(linear / scale) < 0:
        scale = scale * [1, 1, -1]
    axes = linear / scale
    is_sheared = bool(np.abs(product(axes.T, axes) - np.eye(3)).max() > _ROUNDING)
    return Pose(nearest_orthogonal(axes), matrix[:3, 3]), scale, is_sheared


def _solid(
    shape: Mapping[str, Any], scale: Array, is_sheared: bool, extension: str
) -> tuple[Primitive | UnsupportedGeometry, Pose]:
    """A shape in its scale, along z, and the turn that puts it along y; lengths that are not stated have their defaults."""
    kind, whole, scale = shape["type"], Pose.identity(), np.abs(scale)  # all shapes are the same in a mirror along z
    sizes, is_omi = shape.get(kind, {}), extension == "OMI_physics_body"
    is_even = np.ptp(scale) <= _ROUNDING * scale.max()
    if kind not in ("box", "sphere", "capsule", "cylinder"):
        return UnsupportedGeometry(f"the shape {kind!r:.40} is not measured"), whole
    if is_sheared or not (is_even or kind == "box"):
        return UnsupportedGeometry(f"a {kind} that is scaled unevenly"), whole

    def length(name: str, default: float) -> float:
        value = sizes.get(name, default)
        if not isinstance(value, int | float):
            raise TypeError(f"{name} is {value!r:.20}")
        return float(value * scale[0])

    if kind == "box":
        edges = zip(sizes.get("size", (1, 1, 1)), scale, strict=True)
        return Primitive.of("box", (float(edge * factor) for edge, factor in edges)), whole
    if kind == "sphere":
        return Primitive.of("sphere", [length("radius", 0.5)]), whole
    if is_omi:  # of a capsule the height is that of all of it
        bottom = top = length("radius", 0.5)
        height = length("height", 2.0) - (2 * top if kind == "capsule" else 0)
    else:
        bottom, top, height = length("radiusBottom", 0.25), length("radiusTop", 0.25), length("height", 0.5)
    if bottom == top:
        return Primitive.of(kind, (bottom, height)), _TO_Y_UP
    if kind == "capsule":
        return UnsupportedGeometry("a capsule with two radii"), whole
    frustum = Primitive.of("frustum", (max(bottom, top), min(bottom, top), height))
    return frustum, _TO_Y_UP if bottom > top else _TO_Y_DOWN

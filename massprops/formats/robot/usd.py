"""USD stages as robots: rigid bodies with their masses, colliders and visible geometry, and joints.

https://openusd.org/release/api/usd_physics_page_front.html: lengths are in units of the stage's `metersPerUnit`, masses of its
`kilogramsPerUnit`. A mass or density of 0, a moment of 0, a centre of −inf and a quaternion of 0 mean "not stated"; a body gets
what it lacks from its colliders, each number by itself (`massprops.formats.robot.partial_inertial`), of which each has, in this order: a
mass, a density, the density of the body, that of its physics material, 1000 kg/m³. Attributes count where their schema is applied.
`principalAxes` is a quaternion, w first, that turns the principal axes into those of the prim.
`newton:inertia` (Ixx Iyy Izz Ixy Ixz Iyz, double precision) stands beside `diagonalInertia`.

The frame of a link is that of its prim, in metres; a link is named by its display name or prim, by its path where others have that name.

Tests: `tests/formats/robot/test_usd.py`.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from massprops.access import access
from massprops.errors import MasspropsError, ReadError, Remedy
from massprops.findings import Finding
from massprops.formats.address import Place
from massprops.formats.child_process import SubprocessFailed, run_in_subprocess
from massprops.formats.files import check_within_roots, marks_of, note_opened, read_head, real_path
from massprops.formats.inertial.inertial import Inertial, NamedBody, symmetric
from massprops.formats.inertial.numbers import rotation_of
from massprops.formats.inertial.simulator_rules import SMALLEST_USD_INERTIA
from massprops.formats.robot.kinematics import Joint, JointType, LinkPlacement, Mimic
from massprops.formats.robot.links import ComputedInertial, Geometry, Link, LinkMesh, Primitive, UnsupportedGeometry
from massprops.formats.robot.partial_inertial import PartialInertial
from massprops.formats.search_path import SearchPath
from massprops.formats.table import USD_MAGIC, USD_SUFFIXES
from massprops.formats.text import quote
from massprops.frames import Pose
from massprops.mesh.triangulation import Polygons, triangulate
from massprops.moments.arrays import Array, Integers, determinant, nearest_orthogonal, product
from massprops.wording import plural

#: Seconds of processor time for each megabyte of a file, and for two more.
_PATIENCE = 10.0
_READER = "massprops.formats.robot.usd_stage"
#: Scale factors this close to 1 are rounding of a stage's single-precision matrices.
_UNSCALED = 1e-6
#: What is taken for single-precision rounding of a tensor along its principal axes, of its largest moment.
_SINGLE = 20 * 2.0**-24
#: Of a density that nobody states, kg/m³.
_DENSITY = 1000.0
#: Type and number of values of the schema.
_TYPES = {
    "mass": ("float", 1),
    "density": ("float", 1),
    "centerOfMass": ("point3f", 3),
    "diagonalInertia": ("float3", 3),
}
_TYPES |= {"principalAxes": ("quatf", 4), "inertia": ("double[]", 6)}
#: Values of the schema by name.
_Masses = dict[str, list[float]]
_JOINTS: dict[str, JointType] = {"PhysicsRevoluteJoint": "turn", "PhysicsPrismaticJoint": "slide"}
#: What takes z to the axis that a shape or joint states.
_AXES = {
    "X": np.array([[0, 0, 1], [1, 0, 0], [0, 1.0, 0]]),
    "Y": np.array([[0, 1, 0], [0, 0, 1], [1.0, 0, 0]]),
    "Z": np.eye(3),
}


def is_usd(path: str) -> bool:
    """Whether a file is a stage, by its suffix or its first bytes."""
    return Path(path).suffix.lower() in USD_SUFFIXES or (path != "-" and read_head(path, 8).startswith(USD_MAGIC))


def layers_of_others(files: Sequence[str]) -> set[str]:
    """The files that are sublayers, payloads or references of others, below whose folders they are; none where OpenUSD cannot say."""
    real = {os.path.realpath(f): f for f in files if Path(f).suffix.lower() in USD_SUFFIXES and Path(f).is_file()}
    if len(real) < 2:
        return set()
    limit = _PATIENCE * (2 + sum(Path(f).stat().st_size for f in real) / 1e6)
    try:
        about, _ = run_in_subprocess(_READER, json.dumps({"among": [*real]}), limit)
    except (SubprocessFailed, RuntimeError):  # a damaged file, or no OpenUSD: the check of each file says so
        return set()
    return {real[path] for path in about["named"] if path in real}


def read_stage(path: str, search: SearchPath | None = None, over: str | None = None, scene: bool = False) -> Stage:
    """A stage with its rigid bodies, and what could not be read of it.

    Parameters
    ----------
    path : str
        A file; layers that it names are read from its folder and below.
    search : SearchPath, optional
        Its permissions: layers outside the folder of the stage are not read without.
    over : str, optional
        Text of a layer that stands above the stage, as `fill` writes it.
    scene : bool
        Whether what is in no body is read, too, as a body ``/``.

    Raises
    ------
    MissingExtra
        If usd-core is not installed.
    ReadError
        If the stage cannot be read.
    """
    search, roots = (search or SearchPath()).beside(path), access().roots
    folders = None if search.allow_outside else [os.path.realpath(f) for f in search.own_folders]
    file = real_path(path)
    note_opened(marks_of(path))  # also where OpenUSD fails
    asked: dict[str, Any] = {"path": str(file), "folders": folders, "over": over, "scene": scene}
    asked["roots"] = None if roots is None else list(map(str, roots))
    limit = _PATIENCE * (2 + file.stat().st_size / 1e6)
    try:
        about, arrays = run_in_subprocess(_READER, json.dumps(asked), limit, str(file.parent))
    except SubprocessFailed as error:
        raise ReadError(f"{path}: USD {error}", code="bad-usd", hint=error.hint or "") from error
    except ReadError as error:
        raise ReadError(f"{path}{error.place}: {error.text}", code=error.code) from error
    if about["refused"]:  # OpenUSD has read it, but nothing of it is shown
        raise ReadError(f"{path}: a layer is outside the robot's folder, and is not read", code="outside-file")
    return Stage(path, about, arrays)


@dataclass(frozen=True)
class Stage:
    """A stage, as the other process found it: `about` has the prims, `arrays` the meshes."""

    path: str
    about: Mapping[str, Any]
    arrays: Mapping[str, Any]

    @property
    def units(self) -> tuple[float, float]:
        """Metres and kilograms in units of the stage."""
        metre, kilogram = self.about["units"]
        return metre, kilogram

    def links(self) -> list[Link]:
        """The rigid bodies, in the order of the stage, and the layers that could not be read."""
        counts = Counter(link["name"] for link in self.about["links"])
        names = {x["path"]: x["name"] if counts[x["name"]] == 1 else x["path"] for x in self.about["links"]}
        loose = [note for note in self.about["unread"] if note["kind"] != "foreign"]
        places = [(Place(self.path, node=note["path"]), _unread(self.path, note)) for note in loose]
        aside = [Link(place.node, place, findings=(finding,), dialect="usd") for place, finding in places]
        return [*(self._link(found, names) for found in self.about["links"]), *aside, *self.unread()]

    def scale_of(self, path: str) -> Array:
        """Scale of the axes of a body that is not sheared, shape (3,)."""
        linear, _ = _matrix(next(found["matrix"] for found in self.about["links"] if found["path"] == path))
        stretch = product(_rotation(linear).T, linear).diagonal()
        return np.where(np.abs(stretch - 1) <= _UNSCALED, 1.0, stretch)

    def unread(self) -> list[Link]:
        """Links that stand for layers that are not there, or may not be read, and for masses that only others read."""
        what = f"{self.path}: cannot follow a reference"
        lost = [ReadError(f"{what}: {error}", code="unread-include") for error in self.about["lost"]]
        for layer, asset in self.about["outside"].items():
            try:
                check_within_roots(layer)
                hint = Remedy("{} reads it", "allow_outside=True")
                what = f"{self.path}: the layer {quote(asset)} is outside the robot's folder, and is not read"
                lost.append(ReadError(what, code="outside-file", hint=hint))
            except ReadError as error:
                lost.append(error)
        notes = (note for found in (self.about, *self.about["links"]) for note in found["unread"])
        for note in (note for note in notes if note["kind"] == "foreign"):
            what = f"{', '.join(note['names'])} has a mass for other programs, and is not read"
            lost.append(ReadError(what, place=Place(self.path, node=note["path"]), code="unread-element"))
        return [Link(None, error.place or self.path, error=error) for error in lost]

    def _link(self, found: dict[str, Any], names: Mapping[str, str]) -> Link:
        place, name = Place(self.path, node=found["path"]), names[found["path"]]
        metre, _ = self.units
        linear, origin = _matrix(found["matrix"])
        rotation = _rotation(linear)
        stretch = product(rotation.T, linear)
        is_scaled = not np.abs(stretch - np.eye(3)).max() <= _UNSCALED
        to_link = (stretch if is_scaled else np.eye(3)) * metre
        can_state = not (_is_sheared(stretch) or found["instanced"])
        solids = [(g, self._geometry(g, to_link)) for g in found["geometry"]]
        shown = [s for g, s in solids if g["shown"] and not g["collides"]] or [s for g, s in solids if g["shown"]]
        colliders = tuple(s for g, s in solids if g["collides"])
        joint = self._tree[found["path"]].joint
        fixed = joint is not None and joint["type"] == "PhysicsFixedJoint" and all(owner for owner, _ in joint["sides"])
        placement = partial(self._placement, found, names, Pose(rotation, origin * metre))
        settings = dict(zip(("metersPerUnit", "kilogramsPerUnit"), map(str, self.units), strict=True))
        link = Link(name, place, visual=tuple(shown), collision=colliders, fixed=fixed, placement=placement)
        link = replace(link, findings=tuple(_notes(found, place)), dialect="usd", settings=settings)
        link = replace(link, is_fillable=can_state)
        return self._with_inertial(link, found, linear)

    # ---- masses -----------------------------------------------------------------------------------------------------

    def _with_inertial(self, link: Link, found: dict[str, Any], linear: Array) -> Link:
        place, turn = link.place, _rotation(linear).T
        try:
            stated = _masses(found["masses"], place)
            here = product(turn, linear), np.zeros(3)
            own, noticed = self._partial(stated, here, place)
            colliders = [self._collider(g, here[0]) for g in found["geometry"] if g["collides"]]
            link = replace(link, mass=own.mass)
            moments = stated["diagonalInertia"]
            if own.mass is None or own.com is None or (own.moments is None and own.tensor is None):
                lacks = any(n["kind"] == "schema" and n["schema"] != "NewtonMassAPI" for n in found["unread"])
                return self._computed(link, own, stated["density"][0], colliders, lacks)
            diagonal = np.zeros((3, 3)) if own.moments is None else np.diag(own.moments)
            axes = np.eye(3) if own.axes is None else own.axes
            inertial = Inertial(own.mass, Pose(axes, own.com), diagonal, diagonal=True)
            more = []
            if own.tensor is not None:
                off = np.abs(inertial.properties.inertia - own.tensor).max()
                if own.moments is None or off <= _SINGLE * np.abs(own.tensor).max():  # the same, in double precision
                    inertial = Inertial(own.mass, Pose(np.eye(3), own.com), own.tensor)
                else:
                    text = f"{place}: newton:inertia differs from physics:diagonalInertia by up to {off:.3g}\xa0kg\xa0m², and is not read"
                    more.append(Finding("usd-inertia-mismatch", "warning", text, off, where=place))
            if 0 < math.hypot(*moments) < SMALLEST_USD_INERTIA:
                more.append(_small(place, moments, bool(colliders)))
            body = NamedBody.of(link.name, inertial, place, "usd", (*noticed, *more))
            return replace(link, body=body)
        except MasspropsError as error:
            return replace(link, error=error)

    def _partial(
        self, stated: _Masses, frame: tuple[Array, Array], place: str
    ) -> tuple[PartialInertial, tuple[Finding, ...]]:
        """The statements of the mass schema about a prim; `frame` is its linear part and origin in the link, in units of the stage."""
        metre, kilogram = self.units
        (mass,), com, wxyz = stated["mass"], stated["centerOfMass"], stated["principalAxes"]
        moments, full = (np.array(stated[k]) * kilogram * metre**2 for k in ("diagonalInertia", "inertia"))
        linear, origin = frame
        rotation, is_placed = _rotation(linear), all(map(math.isfinite, com))
        stretch = product(rotation.T, linear)
        if is_placed and _is_sheared(stretch):
            what = f"{place}: the prim is sheared, so its centre of mass is not where its numbers say"
            raise ReadError(what, code="scaled-prim", hint="apply the scale to the geometry")
        turn, noticed = rotation_of(wxyz if any(wxyz) else (1.0, 0.0, 0.0, 0.0), place, "principalAxes")
        found = PartialInertial(
            mass * kilogram if mass else None,
            (product(linear, np.array(com)) + origin) * metre if is_placed else None,
            moments if moments.any() else None,
            turn.rotation if any(wxyz) else None,
            symmetric(*full.tolist()) if full.any() else None,
            rotation,
        )
        return found, noticed

    def _collider(self, found: dict[str, Any], to_link: Array) -> tuple[dict[str, Any], PartialInertial, float]:
        """A collider as it was found, with what is stated of its masses, and its density, kg/m³, 0 where none is stated."""
        place = Place(self.path, node=found["of"])
        stated = _masses(found["masses"], place)
        linear, origin = _matrix(found["matrix"])
        own, _ = self._partial(stated, (product(to_link, linear), product(to_link, origin)), place)
        if found["of"] != found["path"] and not own.states_nothing:
            what = f"{place}: states a mass of a collider that is no geometry itself, and is not read"
            raise ReadError(what, code="unread-element", hint="state the mass of the geometry below it")
        return found, own, stated["density"][0]

    def _computed(
        self,
        link: Link,
        own: PartialInertial,
        density: float,
        colliders: Sequence[tuple[dict[str, Any], PartialInertial, float]],
        lacks_schema: bool,
    ) -> Link:
        """A link whose inertial simulators compute from its colliders, if anything is stated of their masses."""
        metre, kilogram = self.units
        given = [next((d for d in (each, density, g["material"] or 0.0) if d > 0), 0.0) for g, _, each in colliders]
        stated = [own, *(collider for _, collider, _ in colliders)]
        if all(each.states_nothing for each in stated) and not (any(given) or lacks_schema):
            return link
        known = {"mass": own.mass, "centre": own.com, "inertia": own.moments if own.tensor is None else own.tensor}
        names = ", ".join(name for name, value in known.items() if value is None)
        text = f"not stated: {names}; USD computes from the colliders what is not stated"
        if not colliders:
            text = f"not stated: {names}; there is no collider from which USD computes it"
        meshes = [g for g, _, _ in colliders if g["type"] == "Mesh" and g["approximation"] != "none"]
        shapes = ", ".join(sorted({f"{g['path']}: {g['approximation']}" for g in meshes}))
        taken = f"; not of these meshes, but of the shapes that simulators make of them: {shapes}" if shapes else ""
        finding = Finding("auto-inertial", "info", f"{link.place}: {text}{taken}", where=link.place)
        densities = tuple(d * kilogram / metre**3 if d else _DENSITY for d in given)
        computed = None
        if colliders:
            is_weighed = any(given) or any(each.mass for each in stated)
            computed = ComputedInertial(densities, own.mass, tuple(stated[1:]), own, is_weighed)
        return replace(link, findings=(*link.findings, finding), automatic=computed)

    # ---- geometry ---------------------------------------------------------------------------------------------------

    def _geometry(self, found: dict[str, Any], to_link: Array) -> Geometry:
        place = Place(self.path, node=found["path"])
        linear, offset = _matrix(found["matrix"])
        try:
            solid, turn = self._solid(found, place)
            linear = product(product(to_link, linear), turn)
            return Geometry(solid, Pose(_rotation(linear), product(to_link, offset)), place, linear=linear)
        except MasspropsError as error:
            return Geometry(error, Pose.identity(), place)

    def _solid(self, found: dict[str, Any], place: str) -> tuple[LinkMesh | Primitive | UnsupportedGeometry, Array]:
        """The solid in units of the stage, and what turns it to the axis that is stated."""
        if found["unread"]:
            return UnsupportedGeometry(found["unread"]), np.eye(3)
        if "mesh" in found:
            points, triangles = self.mesh_of(found, place)
            return LinkMesh(found["source"], triangles=points[triangles]), np.eye(3)
        kind, stated = found["type"].removesuffix("_1"), found["lengths"]
        values = {k: v for k, v in stated.items() if k != "axis"}
        bad = next((k for k, v in values.items() if not isinstance(v, (int, float)) or not 0 <= v < math.inf), None)
        axis = stated.get("axis", "Z")
        if bad is not None or axis not in _AXES:
            raise ReadError(f"{place}: {bad or 'axis'} is {values.get(bad or '', axis)!r}", code="bad-usd")
        radius, height = values.get("radius", values.get("radiusBottom", 0.0)), values.get("height", 0.0)
        top = values.get("radiusTop", radius)
        shape, lengths = {
            "Cube": ("box", [values.get("size", 0.0)] * 3),
            "Sphere": ("sphere", [radius]),
            "Cone": ("frustum", [radius, 0.0, height]),
            "Cylinder": ("cylinder", [radius, height]) if top == radius else ("frustum", [radius, top, height]),
            "Capsule": ("capsule", [radius, height]) if top == radius else ("", []),
        }.get(kind, ("", []))
        return Primitive.of(shape, lengths) if shape else UnsupportedGeometry(f"a {kind} is not measured"), _AXES[axis]

    def mesh_of(self, found: dict[str, Any], place: str) -> tuple[Array, Integers]:
        """Points of a mesh, in units of the stage along its own axes, and triangles, outward as its orientation says."""
        names = ("points", "counts", "corners", "holes")
        points, counts, corners, holes = (self.arrays[f"{name}{found['mesh']}"] for name in names)
        if points.ndim != 2 or points.shape[1:] != (3,) or not np.isfinite(points).all():
            raise ReadError(f"{place}: its points are not finite", code="bad-usd")
        if not len(counts) or counts.min() < 0 or counts.sum() != len(corners):
            what = f"{place}: its faces have {counts.sum()} corners, and {len(corners)} are listed"
            raise ReadError(what, code="bad-usd")
        if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
            raise ReadError(f"{place}: a face has a corner that is not one of its {len(points)} points", code="bad-usd")
        kept = np.ones(len(counts), bool)
        kept[holes[(holes >= 0) & (holes < len(counts))]] = False
        kept &= counts >= 3
        if not kept.any():
            raise ReadError(f"{place}: the mesh has no faces", code="no-facets")
        faces = Polygons.of_sizes(corners[np.repeat(kept, counts)], counts[kept])
        resolution = float(np.abs(points).max(initial=0.0)) * 2.0**-24
        cut, _ = triangulate(points, faces, resolution, lambda i: f"{place}: face {i}")
        return points, cut[:, ::-1] if found["left"] else cut

    # ---- joints -----------------------------------------------------------------------------------------------------

    @cached_property
    def _tree(self) -> dict[str, _Held]:
        """The joint that holds each body, by its path, from the roots outward: joints have no direction.

        The root is a body that a joint holds in the world, else that of an articulation, else the one that is never a second body.
        """
        joints = [j for j in self.about["joints"] if j["sides"][0][0] != j["sides"][1][0]]
        at: dict[str | None, list[dict[str, Any]]] = {}
        for joint in joints:
            for owner, _ in joint["sides"]:
                at.setdefault(owner, []).append(joint)
        second = {j["sides"][1][0] for j in joints}
        paths = [found["path"] for found in self.about["links"]]
        roots = sorted(paths, key=lambda path: (path not in self.about["roots"], path in second))
        tree: dict[str, _Held] = {}
        used: set[str] = set()
        for root in (None, *roots):
            waiting = [root]
            if root is not None:
                tree.setdefault(root, _Held(None, 0))
            while waiting:
                parent = waiting.pop(0)
                for joint in (j for j in at.get(parent, ()) if j["path"] not in used):
                    used.add(joint["path"])
                    side = 1 if joint["sides"][0][0] == parent else 0
                    child = joint["sides"][side][0]
                    if child in tree:  # it closes a chain
                        tree[child] = replace(tree[child], second=joint["path"])
                    else:
                        tree[child] = _Held(joint, side)
                        waiting.append(child)
        return tree

    def _placement(self, found: dict[str, Any], names: Mapping[str, str], here: Pose) -> LinkPlacement:
        held = self._tree[found["path"]]
        joint, side = held.joint, held.side
        if held.second:
            what, where = f"{names[found['path']]} is moved by two joints", Place(self.path, node=held.second)
            hint = "closed chains are not combined: exclude one of them from the articulation"
            raise ReadError(what, place=where, code="not-a-tree", hint=hint)
        if joint is None:
            return LinkPlacement(None, here, (), Place(self.path, node=found["path"]))
        outer, own = self._joint_frame(joint, 1 - side), self._joint_frame(joint, side)
        parent = joint["sides"][1 - side][0]
        where = Place(self.path, node=joint["path"])
        kind = "fixed" if joint["type"] == "PhysicsFixedJoint" else _JOINTS.get(joint["type"], "other")
        moves = () if kind == "fixed" else (self._joint(joint, kind, own, where, backward=side == 0),)
        return LinkPlacement(names[parent] if parent else None, outer @ own.inverse(), moves, where)

    def _joint_frame(self, joint: dict[str, Any], side: int) -> Pose:
        """X_LJ: the frame of a joint in the link of one of its sides, or in the stage, m."""
        metre, _ = self.units
        owner, matrix = joint["sides"][side]
        position, wxyz = joint.get(f"localPos{side}"), joint.get(f"localRot{side}")
        linear, origin = _matrix(matrix)
        turn, _ = rotation_of(wxyz if wxyz and any(wxyz) else (1.0, 0.0, 0.0, 0.0), joint["path"], f"localRot{side}")
        at = Pose(_rotation(linear), (origin + product(linear, np.array(position or [0.0] * 3))) * metre)
        world = Pose(product(at.rotation, turn.rotation), at.translation)
        if owner is None:
            return world
        body = next(x for x in self.about["links"] if x["path"] == owner)
        linear, origin = _matrix(body["matrix"])
        return Pose(_rotation(linear), origin * metre).inverse() @ world

    def _joint(self, joint: dict[str, Any], kind: JointType, own: Pose, place: str, *, backward: bool) -> Joint:
        metre, _ = self.units
        if kind == "other":
            return Joint(joint["name"], place, "other", np.zeros(3), np.zeros(3))
        unit = math.radians(1.0) if kind == "turn" else metre
        low, high = (joint.get(k) for k in ("lowerLimit", "upperLimit"))
        limits = [-math.inf if low is None else low * unit, math.inf if high is None else high * unit]
        axis = product(own.rotation, _AXES[joint.get("axis") or "X"][:, 2])
        leader, offset, factor = joint["follows"] or (None, 0.0, 0.0)
        known = next((j["name"] for j in self.about["joints"] if j["path"] == leader), leader)
        mimic = Mimic(known, (offset * unit, factor)) if leader else None
        line = -axis if backward else axis, own.translation
        return Joint(joint["name"], place, kind, *line, (limits[0], limits[1]), mimic=mimic)


@dataclass(frozen=True)
class _Held:
    """The joint that holds a body, on which side of it the body is, and the path of a second joint, which closes a chain."""

    joint: dict[str, Any] | None
    side: int
    second: str = ""


def _unread(file: str, note: dict[str, Any]) -> Finding:
    """The finding about what a prim states of masses and does not count."""
    place, listed = Place(file, node=note["path"]), ", ".join(note["names"])
    if note["kind"] == "schema":
        text = f"{place}: {listed} without {note['schema']}: a schema that is not applied does not count, as OpenUSD and Newton read it"
        return Finding("usd-schema-not-applied", "warning", text, where=place)
    what = "of a prim that is neither a body nor a collider that is enabled: OpenUSD does not read it"
    return Finding("usd-unread-mass", "warning", f"{place}: {listed} {what}", where=place)


def _notes(found: dict[str, Any], place: Place) -> list[Finding]:
    notes = [_unread(place.file, note) for note in found["unread"] if note["kind"] != "foreign"]
    if found["kinematic"]:
        text = f"{place}: a kinematic body, whose mass has no effect"
        notes.append(Finding("usd-kinematic", "info", text, where=place))
    smooth = [g for g in found["geometry"] if g.get("subdivision", "none") != "none"]
    if smooth:
        scheme = smooth[0]["subdivision"]
        text = f"{place}: {plural(len(smooth), 'mesh', 'meshes')} subdivided ({scheme}) when drawn; measured as stated, as by simulators"
        notes.append(Finding("usd-subdivision", "info", text, where=place))
    return notes


def _small(place: str, moments: Sequence[float], has_colliders: bool) -> Finding:
    norm = math.hypot(*moments)
    instead = "computes it from the colliders" if has_colliders else "has none, as there is no collider"
    text = (
        f"{place}: physics:diagonalInertia has a norm of {norm:.3g} in units of the stage; OpenUSD's ComputeMassProperties takes "
        f"less than {SMALLEST_USD_INERTIA:g} for not stated, and {instead}"
    )
    return Finding("usd-small-inertia", "warning", text, norm, SMALLEST_USD_INERTIA, where=place)


def _masses(found: Mapping[str, Any], place: str) -> _Masses:
    """The values of the mass schema by name, in units of the stage; those of "not stated" where there is none."""
    values = {"centerOfMass": [-math.inf] * 3} | {k: [0.0] * n for k, (_, n) in _TYPES.items() if k != "centerOfMass"}
    for name, value in found.items():
        listed = value if isinstance(value, list) else [value]
        type_name, count = _TYPES[name]
        if len(listed) != count or not all(isinstance(x, (int, float)) for x in listed):
            space = "newton" if name == "inertia" else "physics"
            what = f"{place}: {space}:{name} is not a value of type {type_name}"
            raise ReadError(what, code="bad-usd", hint="write it as the PhysicsMassAPI schema declares it")
        values[name] = [float(x) for x in listed]
    return values


def _matrix(rows: Sequence[Sequence[float]]) -> tuple[Array, Array]:
    """The linear part, for column vectors, and the translation."""
    matrix = np.array(rows)
    return matrix[:3, :3].T, matrix[3, :3]


def _is_sheared(stretch: Array) -> bool:
    """Whether a stretch is not along the axes of the prim."""
    return not np.abs(stretch - np.diag(stretch.diagonal())).max() <= _UNSCALED * np.abs(stretch).max()


def _rotation(linear: Array) -> Array:
    """The rotation nearest to a matrix; of one that mirrors, to its opposite."""
    return nearest_orthogonal(linear if determinant(linear) >= 0 else -linear)

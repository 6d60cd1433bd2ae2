"""A USD stage as OpenUSD composes it, in a process of its own, which `massprops.formats.robot.usd` starts.

On damaged files the library prints, and can crash: the program that measures is not to do so. What leaves here are the values of the
stage, in its units: rows of matrices as OpenUSD has them (row vectors), faces as they are, and attributes of any type as they were found.

Tests: `tests/formats/robot/test_usd.py`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from massprops.errors import ReadError, needing
from massprops.formats import OptionalPackage
from massprops.formats.files import marks_of, note_opened

#: OpenUSD.
pxr = OptionalPackage("pxr")

#: Metadata of a layer that are its own, and not those of the stage whose root it is.
_OF_LAYER = ("subLayers", "subLayerOffsets", "layerRelocates", "documentation", "comment", "owner", "hasOwnedSubLayers")
#: What a gprim states of its lengths.
_LENGTHS = ("size", "radius", "height", "axis", "radiusTop", "radiusBottom")
#: What a joint states, beside the bodies.
_OF_JOINTS = ("axis", "lowerLimit", "upperLimit", "localPos0", "localPos1", "localRot0", "localRot1")
_NO_TEXT = "it holds text that is not UTF-8"
#: Values of the mass schema.
_OF_MASSES = ("mass", "density", "centerOfMass", "diagonalInertia", "principalAxes")
#: Schemas whose attributes change masses, where they are applied.
_SCHEMAS = ("RigidBodyAPI", "MassAPI", "CollisionAPI", "MeshCollisionAPI", "MaterialAPI")
#: Masses and densities by schemas of others; and applied schemas of what is no rigid body, and has a mass.
_FOREIGN = re.compile(r"(?!physics:|primvars:|userProperties:)\w+:(.+:)?\w*([mM]ass|[dD]ensity)")
_SOFT = re.compile(r"Deformable|ParticleSet|ParticleCloth")


def main(argument: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A stage as JSON can hold it, and the arrays of its meshes.

    `argument`: JSON of ``path``; ``folders`` and ``roots``, below which layers may be, null for anywhere; ``over``, a layer above, or null;
    ``scene``, whether what is in no body is read, too. Or only ``among``, files of which those are found that others name.
    """
    arrays: dict[str, Any] = {}
    asked = json.loads(argument)
    return {"named": _named(asked["among"])} if "among" in asked else _about(asked, arrays), arrays


def _named(files: list[str]) -> list[str]:
    """Layers in the folders of files, or below, that these name."""
    found: set[str] = set()
    _ = pxr.Usd  # before it is imported, usd-core 24.11 knows no format of a layer
    for file in files:
        with suppress(pxr.Tf.ErrorException, UnicodeDecodeError):
            layer = pxr.Sdf.Layer.FindOrOpen(file)
            assets = layer.GetCompositionAssetDependencies() if layer else ()
            named = (pxr.Sdf.ComputeAssetPathRelativeToLayer(layer, asset) for asset in assets if asset)
            others = {os.path.realpath(path) for path in named} - {file}
            found |= {path for path in others if Path(path).is_relative_to(Path(file).parent)}
    return sorted(found)


def _about(asked: dict[str, Any], arrays: dict[str, Any]) -> dict[str, Any]:
    with needing("usd", "reading USD needs usd-core"):
        diagnostics, failure = pxr.UsdUtils.CoalescingDiagnosticDelegate, pxr.Tf.ErrorException
    warnings = diagnostics()  # else OpenUSD prints them
    try:
        return _Stage(asked, arrays).contents()
    except (failure, UnicodeDecodeError) as error:
        line, reason = ("", _NO_TEXT) if isinstance(error, UnicodeDecodeError) else _reason(error, asked["path"])
        raise ReadError(f"USD cannot read it: {reason}", code="bad-usd", place=line) from error
    finally:
        with suppress(UnicodeDecodeError):
            warnings.TakeUncoalescedDiagnostics()


def _reason(error: Exception, path: str) -> list[str]:
    """The line (``:12`` or empty), and the reason that OpenUSD gives, without the names of its functions and source files."""
    try:
        said = [str(getattr(e, "commentary", e)) for e in error.args]
    except UnicodeDecodeError:  # it quotes the file
        said = [_NO_TEXT]
    parsed = next((found for text in said if (found := re.search(r"(:\d+):\d+: (.*)", text))), None)
    whole = said[0].removeprefix("Python runtime error: ") if said else "it is damaged"
    line, reason = parsed.groups() if parsed else ("", whole)
    reason = re.sub(f"[<@]{re.escape(path)}[>@]", "it", reason.partition(" matching ")[0].partition(" in <")[0])
    reason = reason.removeprefix("Encountered: ").partition(", while reading ")[0].strip()[:80]
    return [line, "it states a size for which there is no memory" if "std::" in reason else reason]


class _Stage:
    """A stage without the layers that may not be read."""

    def __init__(self, asked: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.asked, self.arrays = asked, arrays
        self.meshes: dict[str, int] = {}
        self.outside: dict[str, str] = {}
        self.root = pxr.Sdf.Layer.FindOrOpen(asked["path"])
        if self.root is None:
            pxr.Tf.RaiseRuntimeError("it is no USD file")
        self._find_outside(self.root, set())
        self.stage = pxr.Usd.Stage.CreateInMemory()
        self.stage.MuteAndUnmuteLayers(list(self.outside), [])
        _copy_metadata(self.root, self.stage.GetRootLayer())  # variables of expressions … count in a root alone
        layers = [asked["path"]]
        if asked["over"] is not None:
            self.over = pxr.Sdf.Layer.CreateAnonymous(".usda")
            self.over.ImportFromString(asked["over"])
            self.over.subLayerPaths.clear()
            layers.insert(0, self.over.identifier)
        self.stage.GetRootLayer().subLayerPaths = layers
        self.time = pxr.Usd.TimeCode.EarliestTime()
        self.places = pxr.UsdGeom.XformCache(self.time)

    def _find_outside(self, layer: Any, seen: set[str]) -> None:
        """Put the layers that are outside the folders into `outside`, by identifier, with the name by which they are asked for."""
        if layer is None or layer.identifier in seen:
            return
        seen.add(layer.identifier)
        _note_opened(layer)
        for asset in layer.GetCompositionAssetDependencies():
            found = asset and pxr.Sdf.ComputeAssetPathRelativeToLayer(layer, asset)
            if not found:  # a reference within the layer
                continue
            if not self._may_read(found):
                self.outside[found] = asset
                continue
            note_opened(marks_of(pxr.Ar.SplitPackageRelativePathOuter(found)[0]))  # also one that is damaged
            try:
                self._find_outside(pxr.Sdf.Layer.FindOrOpen(found), seen)
            except pxr.Tf.ErrorException:  # an error of composition, if it is needed
                continue

    def _may_read(self, path: str) -> bool:
        real = Path(os.path.realpath(path.partition("[")[0]))
        limits = (self.asked["folders"], self.asked["roots"])
        return all(any(real.is_relative_to(folder) for folder in limit) for limit in limits if limit is not None)

    def contents(self) -> dict[str, Any]:
        root, info = self.root.pseudoRoot, self.root.pseudoRoot.GetInfo
        metres = info("metersPerUnit") if root.HasInfo("metersPerUnit") else pxr.UsdGeom.LinearUnits.centimeters
        kilograms = info("kilogramsPerUnit") if root.HasInfo("kilogramsPerUnit") else 1.0
        prims = list(self.stage.Traverse(pxr.Usd.TraverseInstanceProxies(pxr.Usd.PrimDefaultPredicate)))
        bodies = {p.GetPath(): p for p in prims if self._is_body(p)}
        scene = self.stage.GetPseudoRoot().GetPath() if self.asked["scene"] else None
        if scene:
            bodies[scene] = self.stage.GetPseudoRoot()
        links: dict[Any, dict[str, Any]] = {path: self._link(prim) for path, prim in bodies.items()}
        notes: list[tuple[Any, dict[str, Any]]] = []
        loose: list[dict[str, Any]] = []
        for prim in prims:
            owner = self._owner(prim.GetPath(), bodies) or scene
            if owner is not None and (geometry := self._geometry(prim, bodies[owner])):
                links[owner]["geometry"].append(geometry)
            notes += [(owner if owner in bodies and owner != scene else None, n) for n in self._unread(prim, bodies)]
        for owner, note in notes:
            (loose if owner is None else links[owner]["unread"]).append(note)
        joints = [self._joint(p, bodies) for p in prims if p.IsA(pxr.UsdPhysics.Joint)]
        lost = [str(error) for error in self.stage.GetCompositionErrors()]
        layers = self.stage.GetUsedLayers()
        used = [layer.realPath for layer in layers if layer.realPath]
        for layer in layers:
            _note_opened(layer)
        return {
            "units": [metres, kilograms],
            "metadata": self._metadata(metres, kilograms),
            "links": list(links.values()),
            "unread": loose,
            "roots": [str(path) for path in self._roots(prims, bodies)],
            "joints": [joint for joint in joints if joint],
            "lost": [text for text in lost if not any(f"@{layer}@" in text for layer in self.outside)],
            "outside": self.outside,
            "refused": [path for path in used if path != self.root.realPath and not self._may_read(path)],
        }

    def _metadata(self, metres: float, kilograms: float) -> str:
        """The metadata of the stage in its root layer, as lines of usda text."""
        layer = pxr.Sdf.Layer.CreateAnonymous(".usda")
        _copy_metadata(self.root, layer)
        layer.pseudoRoot.SetInfo("metersPerUnit", metres)
        layer.pseudoRoot.SetInfo("kilogramsPerUnit", kilograms)
        text: str = layer.ExportToString()
        return text.partition("(\n")[2].rstrip().removesuffix(")")

    def _is_body(self, prim: Any) -> bool:
        """Whether it is a rigid body that is enabled, or states mass and inertia outside of any."""
        if prim.HasAPI(pxr.UsdPhysics.RigidBodyAPI):
            return _is_enabled(prim)
        above = (self.stage.GetPrimAtPath(p) for p in prim.GetPath().GetPrefixes()[:-1])
        within = any(_is_enabled(p) or p.HasAPI(pxr.UsdPhysics.MassAPI) for p in above)
        return prim.HasAPI(pxr.UsdPhysics.MassAPI) and not within and not prim.HasAPI(pxr.UsdPhysics.CollisionAPI)

    def _unread(self, prim: Any, bodies: dict[Any, Any]) -> Iterator[dict[str, Any]]:
        """Statements of a prim about masses that do not count: ``kind``, ``path``, names of attributes, and the schema that is lacking."""
        applied = {name.removeprefix("Physics") for name in _applied(prim)}
        authored = [a for a in prim.GetAuthoredAttributes() if a.HasAuthoredValue()]
        own = {a.GetName(): a for a in authored}
        path = str(prim.GetPath())
        of_schemas = {s: own.keys() & {*getattr(pxr.UsdPhysics, s).GetSchemaAttributeNames(False)} for s in _SCHEMAS}
        read = {name for schema, names in of_schemas.items() if schema in applied for name in names}
        is_material = prim.IsA(pxr.UsdShade.Material)
        for schema, names in of_schemas.items():
            if (schema == "MaterialAPI") == is_material and (lacking := sorted(names - read)):
                yield {"kind": "schema", "path": path, "names": lacking, "schema": f"Physics{schema}"}
        if "newton:inertia" in own and "NewtonMassAPI" not in applied:
            yield {"kind": "schema", "path": path, "names": ["newton:inertia"], "schema": "NewtonMassAPI"}
        is_collider = prim.HasAPI(pxr.UsdPhysics.CollisionAPI) and _collides(prim)
        masses = sorted(of_schemas["MassAPI"]) if "MassAPI" in applied else []
        if masses and prim.GetPath() not in bodies and not is_collider:
            yield {"kind": "mass", "path": path, "names": masses}
        foreign = sorted(n for n, a in own.items() if _FOREIGN.fullmatch(n) and _is_positive(a.Get(self.time)))
        if foreign or (soft := [name for name in applied if _SOFT.search(name)]):
            yield {"kind": "foreign", "path": path, "names": foreign or soft}

    def _link(self, prim: Any) -> dict[str, Any]:
        return {
            "path": str(prim.GetPath()),
            "name": prim.GetDisplayName() or prim.GetName(),
            "matrix": self._world(prim),
            "instanced": prim.IsInstanceProxy(),
            "unread": [],
            "kinematic": bool(pxr.UsdPhysics.RigidBodyAPI(prim).GetKinematicEnabledAttr().Get()),
            "masses": self._masses(prim),
            "geometry": [],
        }

    def _world(self, prim: Any) -> Any:
        return np.array(self.places.GetLocalToWorldTransform(prim)).tolist()

    def _masses(self, prim: Any) -> dict[str, Any]:
        """Values that the mass schema and newton's state, where they are applied; None in place of what is of another type."""
        found = {}
        names = [f"physics:{k}" for k in _OF_MASSES] if prim.HasAPI(pxr.UsdPhysics.MassAPI) else []
        for name in (*names, *(["newton:inertia"] if "NewtonMassAPI" in _applied(prim) else [])):
            attribute = prim.GetAttribute(name)
            value = attribute.Get(self.time) if attribute else None
            is_blocked = value is None and name.startswith("physics:")
            if attribute and (attribute.IsAuthored() or is_blocked):
                wrong = name.endswith("principalAxes") and not hasattr(value, "GetReal")
                found[name.partition(":")[2]] = None if wrong else _plain(value)
        return found

    def _geometry(self, prim: Any, owner: Any) -> dict[str, Any] | None:
        """A solid of a body; None for a prim that is none, or seen by nobody."""
        kinds = pxr.UsdGeom
        is_solid = prim.IsA(kinds.Gprim) and not (prim.IsA(kinds.Curves) or prim.IsA(kinds.Points))
        is_solid = is_solid or prim.IsA(kinds.PointInstancer)
        unread = "a PointInstancer is not measured" if prim.IsA(kinds.PointInstancer) else ""
        if not is_solid:
            if not prim.HasAPI(pxr.UsdPhysics.CollisionAPI) or _holds_solids(prim):
                return None
            unread = f"a {prim.GetTypeName() or 'prim without a type'} is not measured"
        image = pxr.UsdGeom.Imageable(prim)
        shown = is_solid and image.ComputeVisibility(self.time) != "invisible"
        shown = shown and image.ComputePurpose() in ("default", "render")
        collider = self._collider(prim, owner)
        if not (shown or collider):
            return None
        matrix, resets = self.places.ComputeRelativeTransform(prim, owner)
        if resets:
            to_world = self.places.GetLocalToWorldTransform
            matrix = to_world(prim) * to_world(owner).GetInverse()
        moving = self._moves(prim, owner)
        several = f"{moving} has values at several times; which of them is meant is not known" if moving else ""
        found = {
            "path": str(prim.GetPath()),
            "type": str(prim.GetTypeName()),
            "matrix": np.array(matrix).tolist(),
            "shown": shown,
            "collides": collider is not None,
            "unread": unread or several,
        }
        if collider is not None:
            material, _ = pxr.UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
            is_physical = material and material.GetPrim().HasAPI(pxr.UsdPhysics.MaterialAPI)
            density = pxr.UsdPhysics.MaterialAPI(material.GetPrim()).GetDensityAttr().Get() if is_physical else None
            shaped = collider.HasAPI(pxr.UsdPhysics.MeshCollisionAPI)
            shape = pxr.UsdPhysics.MeshCollisionAPI(collider).GetApproximationAttr().Get() if shaped else None
            found |= {"material": density, "masses": self._masses(collider), "approximation": shape or "none"}
            found["of"] = str(collider.GetPath())
        if not found["unread"]:
            found |= self._mesh(prim) if prim.IsA(pxr.UsdGeom.Mesh) else self._lengths(prim)
        return found

    def _collider(self, prim: Any, owner: Any) -> Any:
        """The prim that makes it a collider: itself, or one above in its body, as simulators read it; None if there is none."""
        while prim and prim.GetPath().HasPrefix(owner.GetPath()):
            if prim.HasAPI(pxr.UsdPhysics.CollisionAPI):
                return prim if _collides(prim) else None
            prim = prim.GetParent()
        return None

    def _moves(self, prim: Any, owner: Any) -> str:
        """Name of an animated part: the first attribute of the geometry, or prim whose transform does; empty if nothing does."""
        names = ("points", "faceVertexCounts", "faceVertexIndices", "holeIndices", *_LENGTHS)
        attributes = (prim.GetAttribute(name) for name in names)
        moving: Iterator[str] = (a.GetName() for a in attributes if a and a.ValueMightBeTimeVarying())
        if first := next(moving, ""):
            return first
        while prim and prim != owner:
            placed = pxr.UsdGeom.Xformable(prim)
            if placed and placed.TransformMightBeTimeVarying():
                return f"the transform of {prim.GetPath()}"
            prim = prim.GetParent()
        return ""

    def _lengths(self, prim: Any) -> dict[str, Any]:
        attributes = {name: prim.GetAttribute(name) for name in _LENGTHS}
        return {"lengths": {name: _plain(a.Get(self.time)) for name, a in attributes.items() if a}}

    def _mesh(self, prim: Any) -> dict[str, Any]:
        """The number of its arrays, which instances share, or why it is not read."""
        if prim.HasAPI(pxr.UsdSkel.BindingAPI) and pxr.UsdSkel.BindingAPI(prim).GetInheritedSkeleton():
            return {"unread": "it is deformed by a skeleton"}
        source = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        mesh = pxr.UsdGeom.Mesh(source)
        number = self.meshes.setdefault(str(source.GetPath()), len(self.meshes))
        for name, attribute, kind in (
            ("points", mesh.GetPointsAttr(), np.float32),
            ("counts", mesh.GetFaceVertexCountsAttr(), np.int64),
            ("corners", mesh.GetFaceVertexIndicesAttr(), np.int64),
            ("holes", mesh.GetHoleIndicesAttr(), np.int64),
        ):
            values = attribute.Get(self.time)
            self.arrays.setdefault(f"{name}{number}", np.array([] if values is None else values, kind))
        return {
            "mesh": number,
            "source": str(source.GetPath()),
            "left": mesh.GetOrientationAttr().Get(self.time) == "leftHanded",
            "subdivision": str(mesh.GetSubdivisionSchemeAttr().Get(self.time)),
        }

    def _roots(self, prims: Sequence[Any], bodies: dict[Any, Any]) -> Iterator[Any]:
        """Paths of bodies that are roots of articulations by themselves, or by a joint."""
        for prim in prims:
            if prim.HasAPI(pxr.UsdPhysics.ArticulationRootAPI):
                joint = pxr.UsdPhysics.Joint(prim)
                sides = (joint.GetBody0Rel(), joint.GetBody1Rel()) if joint else ()
                named = [path for side in sides for path in side.GetTargets()] if joint else [prim.GetPath()]
                owners = (self._owner(path, bodies) for path in named)
                yield from [owner for owner in owners if owner][:1]

    @staticmethod
    def _owner(path: Any, bodies: dict[Any, Any]) -> Any:
        """The body of a prim: itself or the nearest above; None if there is none."""
        return next((p for p in path.GetPrefixes()[::-1] if p in bodies), None)

    def _joint(self, prim: Any, bodies: dict[Any, Any]) -> dict[str, Any] | None:
        joint = pxr.UsdPhysics.Joint(prim)
        if joint.GetExcludeFromArticulationAttr().Get() or joint.GetJointEnabledAttr().Get() is False:
            return None
        sides = []
        for relation in (joint.GetBody0Rel(), joint.GetBody1Rel()):
            target = next(iter(relation.GetTargets()), None)
            owner = self._owner(target, bodies) if target else None
            place = self.stage.GetPrimAtPath(target) if target else None
            sides.append([str(owner) if owner else None, self._world(place) if place else np.eye(4).tolist()])
        values = {name: prim.GetAttribute(f"physics:{name}") for name in _OF_JOINTS}
        return {
            "path": str(prim.GetPath()),
            "name": prim.GetDisplayName() or prim.GetName(),
            "type": str(prim.GetTypeName()),
            "sides": sides,
            "follows": _follows(prim),
            **{name: _plain(a.Get()) for name, a in values.items() if a},
        }


def _copy_metadata(source: Any, target: Any) -> None:
    """Copy the metadata of a stage from one root layer to another."""
    for key in source.pseudoRoot.ListInfoKeys():
        if key not in _OF_LAYER:
            target.pseudoRoot.SetInfo(key, source.pseudoRoot.GetInfo(key))


def _applied(prim: Any) -> list[str]:
    """Names of the applied schemas, also of those that OpenUSD does not know."""
    return list(map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas()))


def _is_enabled(prim: Any) -> bool:
    """Whether it is a rigid body that moves by itself: a disabled one is a part of the body above it."""
    body = pxr.UsdPhysics.RigidBodyAPI(prim)
    return prim.HasAPI(pxr.UsdPhysics.RigidBodyAPI) and body.GetRigidBodyEnabledAttr().Get() is not False


def _collides(prim: Any) -> bool:
    """Whether a collider is enabled."""
    return pxr.UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get() is not False


def _holds_solids(prim: Any) -> bool:
    """Whether there is geometry below a prim, which is then the collider."""
    below = pxr.Usd.PrimRange(prim, pxr.Usd.TraverseInstanceProxies())
    return any(p.IsA(pxr.UsdGeom.Gprim) or p.IsA(pxr.UsdGeom.PointInstancer) for p in below if p != prim)


def _is_positive(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 0


def _note_opened(layer: Any) -> None:
    """Record the file of a layer, which OpenUSD has opened: that of ``a.usdz[b.usd]`` is the package."""
    if layer.realPath:
        note_opened(marks_of(pxr.Ar.SplitPackageRelativePathOuter(layer.realPath)[0]))


def _follows(joint: Any) -> list[Any] | None:
    """Path of the joint that a joint follows, offset and factor by the schema of newton or PhysX; None if it follows none."""

    def value(name: str, default: float) -> float:
        found = joint.GetAttribute(name).Get() if joint.HasAttribute(name) else None
        return default if found is None else float(found)

    def leader(name: str) -> str | None:
        targets = joint.GetRelationship(name).GetTargets() if joint.HasRelationship(name) else ()
        return next(map(str, targets), None)

    if value("newton:mimicEnabled", 1.0) and (first := leader("newton:mimicJoint")):
        return [first, value("newton:mimicCoef0", 0.0), value("newton:mimicCoef1", 1.0)]
    for axis in (f"{motion}{axis}" for motion in ("rot", "trans") for axis in "XYZ"):
        if first := leader(f"physxMimicJoint:{axis}:referenceJoint"):  # q + gearing · q of the leader + offset = 0
            offset, gearing = (value(f"physxMimicJoint:{axis}:{k}", v) for k, v in (("offset", 0.0), ("gearing", 1.0)))
            return [first, -offset, -gearing]
    return None


def _plain(value: Any) -> Any:
    """A value as numbers or a word; of a quaternion w first; None where it is none of them."""
    if isinstance(value, (str, int, float, bool)):
        return value
    try:
        if hasattr(value, "GetReal"):
            return [float(value.GetReal()), *map(float, value.GetImaginary())]
        return [float(x) for x in value]
    except (TypeError, ValueError):  # blocked, or of another type than that of the schema
        return None

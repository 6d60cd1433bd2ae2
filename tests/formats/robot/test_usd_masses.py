"""Masses of USD stages, each number by itself: against OpenUSD's `ComputeMassProperties`, and what does not count or is not read."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import refused
from console import run

from massprops import combine, explain, fill
from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.errors import MasspropsError
from massprops.formats.robot import read_robot
from massprops.formats.robot.partial_inertial import mass_space
from massprops.frames import Pose
from massprops.rigid_body.mass_properties import MassProperties

pytest.importorskip("pxr", reason="usd-core is not installable everywhere")
pytestmark = pytest.mark.xdist_group("usd")

COUNT = 30


# ---- bodies drawn at random -------------------------------------------------------------------------------------------


class Draw:
    """A body, of which each feature is there or not."""

    def __init__(self, seed: int, name: str) -> None:
        self.random, self.name = random.Random(seed), name  # noqa: S311  # numbers of a test

    def maybe(self, text: str, share: float = 0.5) -> str:
        return text + "\n" if self.random.random() < share else ""

    def vector(self, low: float, high: float) -> str:
        return f"({', '.join(f'{self.random.uniform(low, high):.6f}' for _ in range(3))})"

    def quaternion(self) -> str:
        q = np.array([self.random.gauss(0, 1) for _ in range(4)])
        return f"({', '.join(f'{x:.9f}' for x in q / np.linalg.norm(q))})"

    def masses(self, share: float, density: bool = True) -> str:
        """Attributes of the mass schema; moments of the size that the geometry has, which keep the triangle inequality."""
        moments = ", ".join(f"{self.random.uniform(2e5, 3e5):.2f}" for _ in range(3))
        return (
            self.maybe(f"float physics:mass = {self.random.uniform(1, 9):.5f}", share)
            + self.maybe(f"float physics:density = {self.random.uniform(0.5, 3):.5f}", share if density else 0)
            + self.maybe(f"point3f physics:centerOfMass = {self.vector(-3, 3)}", share)
            + self.maybe(f"float3 physics:diagonalInertia = ({moments})", share)
            + self.maybe(f"quatf physics:principalAxes = {self.quaternion()}", share)
        )

    def place(self, turned: bool, scale: str) -> str:
        ops = {"double3 xformOp:translate": self.vector(-5, 5)}
        ops |= {"quatd xformOp:orient": self.quaternion()} if turned else {}
        ops |= {"double3 xformOp:scale": scale} if scale else {}
        order = ", ".join(f'"{name.partition(" ")[2]}"' for name in ops)
        listed = "\n".join(f"{name} = {value}" for name, value in ops.items())
        return f"{listed}\nuniform token[] xformOpOrder = [{order}]\n"

    def bound(self) -> str:
        return self.maybe(f"rel material:binding:physics = </{self.random.choice(('stuff', 'plain'))}>", 0.3)

    def collider(self, name: str, turned: bool) -> str:
        schemas = '"PhysicsCollisionAPI", "MaterialBindingAPI"' + self.random.choice((', "PhysicsMassAPI"', ""))
        off = self.maybe("bool physics:collisionEnabled = 0", 0.15)
        inside = f"double size = 2\n{self.masses(0.35)}{self.bound()}{off}{self.place(turned, self.vector(0.5, 3))}"
        return f'def Cube "{name}" (prepend apiSchemas = [{schemas}])\n{{\n{inside}}}\n'

    def text(self) -> str:
        uniform = self.random.random() < 0.6
        s = self.random.uniform(0.5, 2)
        scale = f"({s:.6f}, {s:.6f}, {s:.6f})" if uniform else self.vector(0.5, 2)
        colliders = [self.collider(f"c{i}", uniform) for i in range(self.random.randint(1, 3))]
        sure = f'def Cube "sure" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{{\n{self.place(uniform, "(1, 2, 3)")}}}\n'
        off = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])\n{\nbool physics:rigidBodyEnabled = 0\n'
        inner = f'def Xform "inner" {off}{self.masses(0.5)}{colliders.pop()}}}\n'
        schemas = '"PhysicsRigidBodyAPI", "MaterialBindingAPI"' + self.random.choice(
            (', "PhysicsMassAPI"',) * 4 + ("",)
        )
        own = self.masses(self.random.choice((0.2, 0.5, 0.9))) + self.bound() + self.place(True, scale)
        name = f'def Xform "{self.name}" (prepend apiSchemas = [{schemas}])'
        return f"{name}\n{{\n{own}{sure}{''.join(colliders)}{inner}}}\n"


MATERIAL = "{\nfloat physics:density = 0.7\n}\n"
MATERIALS = (
    f'def Material "stuff" (prepend apiSchemas = ["PhysicsMaterialAPI"])\n{MATERIAL}def Material "plain"\n{MATERIAL}'
)


@pytest.fixture(scope="module", params=[(1.0, 1.0), (0.01, 1.0), (1.0, 0.001), (0.01, 0.001)])
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, float, float, Any]:
    """A stage in some units, these, and its bodies as they are found by name."""
    metre, kilogram = request.param
    file = tmp_path_factory.mktemp("drawn") / "robot.usda"
    bodies = "".join(Draw(seed, f"b{seed}").text() for seed in range(COUNT))
    head = f"#usda 1.0\n(\nmetersPerUnit = {metre}\nkilogramsPerUnit = {kilogram}\n)\n"
    file.write_text(f"{head}{MATERIALS}{bodies}", encoding="ascii")
    return str(file), metre, kilogram, {f.name: f for f in link_findings(str(file), None, LinkOptions())}


def of_openusd(file: str, path: str) -> tuple[float, Any, Any, Any]:
    """Mass, centre, principal moments and axes as OpenUSD computes them, in units of the stage; cubes by their closed forms."""
    from pxr import Gf, Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.Open(file)
    prim = stage.GetPrimAtPath(path)
    cache = UsdGeom.XformCache()
    here = Gf.Transform(cache.GetLocalToWorldTransform(prim))
    rigid = Gf.Matrix4d().SetTransform(here.GetRotation(), here.GetTranslation())

    def cube(collider: Any) -> Any:
        found = UsdPhysics.RigidBodyAPI.MassInformation()
        placed = Gf.Transform(cache.GetLocalToWorldTransform(collider))
        a, b, c = (2 * abs(s) for s in placed.GetScale())
        found.volume = a * b * c
        found.inertia = Gf.Matrix3f(1).SetDiagonal(
            Gf.Vec3f(*(found.volume / 12 * x for x in (b * b + c * c, a * a + c * c, a * a + b * b)))
        )
        found.centerOfMass = Gf.Vec3f(0)
        found.localPos = Gf.Vec3f(rigid.GetInverse().Transform(placed.GetTranslation()))
        turn = placed.GetRotation() * here.GetRotation().GetInverse()
        found.localRot = Gf.Quatf(turn.GetQuat())
        return found

    mass, moments, com, axes = UsdPhysics.RigidBodyAPI(prim).ComputeMassProperties(cube)
    w, (x, y, z) = axes.GetReal(), axes.GetImaginary()
    return mass, np.array(moments), np.array(com), (w, x, y, z)


def rotation(w: float, x: float, y: float, z: float) -> Any:
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize("seed", range(COUNT))
def test_numbers_are_those_of_openusd(seed: int, drawn: tuple[str, float, float, Any]) -> None:
    file, metre, kilogram, every = drawn
    found = every[f"b{seed}"]
    mass, moments, com, axes = of_openusd(file, f"/b{seed}")
    assert found.link.error is None
    body = found.link.body
    assert body is not None
    assert body.properties.mass / kilogram == pytest.approx(mass, rel=1e-5)
    np.testing.assert_allclose(body.properties.com / metre, com, rtol=1e-4, atol=1e-4)
    # where all is stated but the axes, OpenUSD leaves them undefined: Newton takes those of the prim
    turn = rotation(*axes) if abs(sum(q * q for q in axes) - 1) < 1e-4 else np.eye(3)
    tensor = turn @ np.diag(moments) @ turn.T
    np.testing.assert_allclose(
        body.properties.inertia / (kilogram * metre**2), tensor, rtol=0, atol=1e-4 * np.abs(tensor).max()
    )


def test_axes_stand_in_the_order_of_the_prim() -> None:
    """Q diag Qᵀ of a small turn comes apart into the moments at their places, also where they are not in order of size."""
    turn = rotation(*(np.array([1, 0.02, 0.05, -0.03]) / np.linalg.norm([1, 0.02, 0.05, -0.03])))
    moments, axes = mass_space(turn @ np.diag([3.0, 1.0, 2.0]) @ turn.T)
    np.testing.assert_allclose(moments, [3, 1, 2], rtol=1e-12)
    np.testing.assert_allclose(axes, turn, atol=1e-12)


# ---- what does not count, and what is not read ------------------------------------------------------------------------

HEAD = "#usda 1.0\n(\nmetersPerUnit = 1\nkilogramsPerUnit = 1\n%s)\n"
BODY = 'def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"%s])\n{\n%s\n}\n'
MASS, COLLIDES = ', "PhysicsMassAPI"', '(prepend apiSchemas = ["PhysicsCollisionAPI"%s])'
#: Of 0.008 m³, 0.1 m along x.
AT = (
    'double size = 0.2\ndouble3 xformOp:translate = (0.1, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
)
CUBE = f'def Cube "c" {COLLIDES}\n{{\n{AT}%s}}\n'
STATED = (
    "float physics:mass = 3\npoint3f physics:centerOfMass = (0, 0, 0)\nfloat3 physics:diagonalInertia = (1, 2, 2.5)\n"
)
#: 0.25 kg of a box of 0.04 × 0.06 × 1 m; its centre is stated in the space of the prim, which is scaled.
SCALED = (
    "float physics:mass = 0.25\npoint3f physics:centerOfMass = (0.5, -0.25, 0)\nfloat3 physics:diagonalInertia = (0.0209, 0.0209, 0.0001)\n"
    'float3 xformOp:scale = (0.04, 0.06, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    f'def Cube "c" {COLLIDES % ""}\n{{\ndouble size = 1\n}}\n'
)
#: Body; mass, centre, moments Ixx Iyy Izz and a code that is found. m a² / 6 of a cube, and by parallel axes m d² more.
KNOWN: dict[str, tuple[str, float, tuple[float, ...], tuple[float, ...], str]] = {
    "without the schema": (BODY % ("", STATED + CUBE % ("", "")), 8.0, (0.1, 0, 0), (8 * 0.04 / 6,) * 3, "usd-schema-not-applied"),
    "mass and centre": (
        BODY % (MASS, "float physics:mass = 3\npoint3f physics:centerOfMass = (0.05, 0, 0)\n" + CUBE % ("", "")),
        3.0, (0.05, 0, 0), (0.02, 0.02 + 3 * 0.05**2, 0.02 + 3 * 0.05**2), "auto-inertial",
    ),
    "of the collider": (
        BODY % (MASS, CUBE % (MASS, "float physics:mass = 2\nfloat3 physics:diagonalInertia = (0.5, 0.6, 0.7)\n")),
        2.0, (0.1, 0, 0), (0.5, 0.6, 0.7), "auto-inertial",
    ),
    "scaled": (BODY % (MASS, SCALED), 0.25, (0.02, -0.015, 0), (0.0209, 0.0209, 0.0001), ""),
    "mesh below": (
        BODY % (MASS, f'{STATED}def Cube "seen" (prepend apiSchemas = ["PhysicsMassAPI"])\n{{\nfloat physics:mass = 9\n}}\n'),
        3.0, (0, 0, 0), (1, 2, 2.5), "usd-unread-mass",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_stated_counts_where_its_schema_is_applied(name: str, tmp_path: Path) -> None:
    """In `check`, `combine` and `fill`, whose layer OpenUSD takes as it is."""
    file = tmp_path / "robot.usda"
    text, mass, com, moments, code = KNOWN[name]
    file.write_text(HEAD % "" + text, encoding="ascii")
    (found,) = link_findings(str(file), None, LinkOptions())
    assert {f.code for f in found.findings} >= ({code} if code else set())
    filled = fill(file, links="all", density=None if found.link.is_weighed else 1000)
    assert found.link.body is not None
    bodies: list[MassProperties | None] = [found.link.body.properties, combine(file).body.properties]
    if found.link.is_weighed:
        bodies.append(filled.links[0].after)
    for body in bodies:
        assert body is not None
        assert body.mass == pytest.approx(mass, rel=1e-6)
        np.testing.assert_allclose(body.com, com, atol=1e-7)
        np.testing.assert_allclose(body.inertia, np.diag(moments), atol=1e-6)
    layer = tmp_path / "robot.massprops.usda"
    layer.write_bytes(filled.data)
    after = filled.links[0].after
    assert after is not None
    taken = of_openusd(str(layer), "/b")
    assert taken[0] == pytest.approx(after.mass, rel=1e-6)
    np.testing.assert_allclose(taken[2], after.com, atol=1e-7)


#: A prim outside of the body or in it that has a mass of no rigid body, and what is said of it.
UNREAD = {
    "deformable": (
        'def Mesh "cloth" (prepend apiSchemas = ["PhysxDeformableBodyAPI"])\n{\n}\n',
        "/cloth: PhysxDeformableBodyAPI",
    ),
    "wheel": ('def Scope "wheel"\n{\nfloat physxVehicleWheel:mass = 20\n}\n', "/wheel: physxVehicleWheel:mass"),
}


@pytest.mark.parametrize("name", UNREAD)
@pytest.mark.parametrize("command", ["check", "combine", "fill", "explain"])
def test_a_mass_of_other_programs_is_named_and_decides_the_exit_code(name: str, command: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.usda"
    text, said = UNREAD[name]
    file.write_text(HEAD % "" + BODY % (MASS, STATED + CUBE % ("", "")) + text, encoding="ascii")
    done = run(command, str(file), *(["--links", "all", "--density", "1000"] if command == "fill" else []))
    assert done.returncode in (3, 4)
    assert said in " ".join((done.stdout + done.stderr).decode().split())


def test_explain_says_why_a_stage_states_no_inertial(tmp_path: Path) -> None:
    """It is computed from the colliders, and the mass that was meant is not read."""
    file = tmp_path / "robot.usda"
    file.write_text(HEAD % "" + BODY % ("", STATED + CUBE % ("", "")), encoding="ascii")
    assert any("physics:mass without PhysicsMassAPI" in f.message for f in explain(file).findings)


def test_a_collider_that_is_no_solid_is_named(tmp_path: Path) -> None:
    file = tmp_path / "robot.usda"
    hair = f'def BasisCurves "hair" {COLLIDES % ""}\n{{\n}}\n'
    file.write_text(HEAD % "" + BODY % (MASS, "float physics:mass = 3\n" + CUBE % ("", "") + hair), encoding="ascii")
    (found,) = link_findings(str(file), None, LinkOptions())
    assert found.link.body is None
    assert ["/b/hair is not measured" in f.message for f in found.findings if f.code == "unmeasured-geometry"] == [True]
    assert "BasisCurves" in refused(MasspropsError, combine, file)


def test_metadata_of_the_root_layer_reach_the_stage_and_the_filled_one(tmp_path: Path) -> None:
    """A variant that an expression chooses has 9 kg; without the variable it would have 1 kg. The time codes are those of the root, too."""
    file = tmp_path / "robot.usda"
    choice = 'variants = { string size = \'`if(defined("V"), ${V}, "light")`\' }\nprepend variantSets = "size"'
    masses = {"light": 1, "heavy": 9}
    sets = "".join(f'"{size}" {{\nfloat physics:mass = {mass}\n}}\n' for size, mass in masses.items())
    text = BODY.replace('"%s])', '"%s]\n' + choice + ")") % (MASS, f'{CUBE % ("", "")}variantSet "size" = {{\n{sets}}}')
    head = HEAD % 'expressionVariables = { string V = "heavy" }\ntimeCodesPerSecond = 30\n'
    file.write_text(head + text, encoding="ascii")
    assert combine(file).body.properties.mass == 9
    layer = tmp_path / "robot.massprops.usda"
    layer.write_bytes(fill(file, links="all").data)
    from pxr import Usd

    stage = Usd.Stage.Open(str(layer))
    assert stage.GetTimeCodesPerSecond() == 30
    assert stage.GetPrimAtPath("/b").GetVariantSet("size").GetVariantSelection() == "heavy"
    assert combine(layer).body.properties.mass == 9


def test_bodies_and_colliders_that_are_disabled_do_not_count(tmp_path: Path) -> None:
    """A disabled body is a part of that above it, with its colliders and without its mass; by itself it does not move."""
    file = tmp_path / "robot.usda"
    off = BODY.replace('"b"', '"off"') % (
        MASS,
        f"bool physics:rigidBodyEnabled = 0\nfloat physics:mass = 50\n{CUBE % ('', '')}",
    )
    none = (CUBE % (MASS, "bool physics:collisionEnabled = 0\nfloat physics:mass = 70\n")).replace('"c"', '"none"')
    file.write_text(HEAD % "" + BODY % (MASS, f"float physics:density = 500\n{off}{none}") + off, encoding="ascii")
    assert combine(file).body.properties.mass == pytest.approx(4.0, rel=1e-6)
    within, alone = link_findings(str(file), None, LinkOptions())
    assert [f.code for f in within.findings if f.code == "usd-unread-mass"] == ["usd-unread-mass"] * 2
    assert [f.code for f in alone.findings] == ["usd-unread-mass"]


def test_products_of_the_other_sign_are_found_behind_principal_axes(tmp_path: Path) -> None:
    """The moments of the tensor with −Ixy, −Ixz, −Iyz are others, and so are their axes; of the true tensor nothing is said."""
    points = np.array([(0.02, 0.01, -0.03), (0.42, 0.03, 0), (0.05, 0.23, 0.02), (0.01, 0.02, 0.13)])
    mesh = f"point3f[] points = [{', '.join(str(tuple(p)) for p in points.tolist())}]\n"
    mesh += "int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]\n"
    # of a tetrahedron the covariance is Σ dᵢ dᵢᵀ / 20, d from the centre
    com, (a, b, c) = points.mean(axis=0), points[1:] - points[0]
    mass, d = 2700 * abs(float(np.dot(a, np.cross(b, c)))) / 6, points - points.mean(axis=0)
    second = mass / 20 * d.T @ d
    tensor = np.trace(second) * np.eye(3) - second
    for sign, codes in ((1, set()), (-1, {"products-sign"})):
        moments, axes = mass_space(np.diag(tensor.diagonal()) + sign * (tensor - np.diag(tensor.diagonal())))
        stated = f"float physics:mass = {mass}\npoint3f physics:centerOfMass = {tuple(com.tolist())}\n"
        stated += f"float3 physics:diagonalInertia = {tuple(moments.tolist())}\n"
        stated += f"quatf physics:principalAxes = {tuple(Pose(axes, np.zeros(3)).to_quaternion_wxyz().tolist())}\n"
        file = tmp_path / "robot.usda"
        file.write_text(HEAD % "" + BODY % (MASS, f'{stated}def Mesh "m"\n{{\n{mesh}}}\n'), encoding="ascii")
        (found,) = link_findings(str(file), None, LinkOptions())
        assert {f.code for f in found.findings if f.severity == "error"} == codes


# ---- the schema, walked -------------------------------------------------------------------------------------------------

#: What is read of each schema of UsdPhysics, and what bears no mass and moves no mass that is at rest.
READ = {
    "PhysicsRigidBodyAPI": {"rigidBodyEnabled", "kinematicEnabled"},
    "PhysicsMassAPI": {"mass", "density", "centerOfMass", "diagonalInertia", "principalAxes"},
    "PhysicsCollisionAPI": {"collisionEnabled"},
    "PhysicsMeshCollisionAPI": {"approximation"},
    "PhysicsMaterialAPI": {"density"},
    "PhysicsJoint": {
        "jointEnabled",
        "excludeFromArticulation",
        "localPos0",
        "localPos1",
        "localRot0",
        "localRot1",
        "body0",
        "body1",
    },
    "PhysicsRevoluteJoint": {"axis", "lowerLimit", "upperLimit"},
    "PhysicsPrismaticJoint": {"axis", "lowerLimit", "upperLimit"},
}
MASSLESS = {
    "PhysicsRigidBodyAPI": {"startsAsleep", "velocity", "angularVelocity", "simulationOwner"},
    "PhysicsCollisionAPI": {"simulationOwner"},
    "PhysicsMaterialAPI": {"dynamicFriction", "staticFriction", "restitution"},
    "PhysicsJoint": {"collisionEnabled", "breakForce", "breakTorque"},
    "PhysicsSphericalJoint": {"axis", "coneAngle0Limit", "coneAngle1Limit"},  # stays at rest
    "PhysicsDistanceJoint": {"minDistance", "maxDistance"},
    "PhysicsScene": {"gravityDirection", "gravityMagnitude"},
    "PhysicsFilteredPairsAPI": {"filteredPairs"},
    "PhysicsCollisionGroup": {"mergeGroup", "invertFilteredGroups", "filteredGroups"},
    "PhysicsLimitAPI": {"limit:__INSTANCE_NAME__:physics:low", "limit:__INSTANCE_NAME__:physics:high"},
    "PhysicsDriveAPI": {
        f"drive:__INSTANCE_NAME__:physics:{k}"
        for k in ("type", "maxForce", "targetPosition", "targetVelocity", "damping", "stiffness")
    },
}


def test_each_property_of_the_schemas_is_read_or_bears_no_mass() -> None:
    """And the lists above name no property that no schema has."""
    from pxr import Plug, Usd

    registry = Usd.SchemaRegistry()
    walked = set()
    for name in Plug.Registry().GetPluginWithName("usdPhysics").metadata["Types"]:
        schema = registry.GetSchemaTypeName(name)
        defined = registry.FindAppliedAPIPrimDefinition(schema) or registry.FindConcretePrimDefinition(schema)
        for full in (p for p in defined.GetPropertyNames() if "physics:" in p):
            own = full.removeprefix("physics:")
            is_of_joints = schema.endswith("Joint") and own in READ["PhysicsJoint"] | MASSLESS["PhysicsJoint"]
            walked.add(("PhysicsJoint" if is_of_joints else schema, own))
    assert walked == {(s, p) for table in (READ, MASSLESS) for s, names in table.items() for p in names}


def test_each_kind_of_collider_is_measured_or_named(tmp_path: Path) -> None:
    """All types of prims that have a place: none with PhysicsCollisionAPI is passed over."""
    from pxr import Plug, Tf, Usd, UsdGeom

    registry, xformable = Usd.SchemaRegistry(), Tf.Type.Find(UsdGeom.Xformable)
    names = [registry.GetSchemaTypeName(x) for x in Plug.Registry().GetPluginWithName("usdGeom").metadata["Types"]]
    kinds = [n for n in names if n and registry.IsConcrete(n) and registry.GetTypeFromName(n).IsA(xformable)]
    file = tmp_path / "robot.usda"
    prims = "".join(f'def {kind} "x{kind}" {COLLIDES % ""}\n{{\n}}\n' for kind in kinds)
    file.write_text(HEAD % "" + BODY % (MASS, f"float physics:mass = 3\n{prims}"), encoding="ascii")
    (link,) = read_robot(str(file))
    assert {g.place.rpartition("/x")[2] for g in link.collision} == set(kinds)
    assert "Cube" in kinds

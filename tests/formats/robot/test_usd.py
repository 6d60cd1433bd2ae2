"""USD stages as robots: what counts as a body, its geometry and its masses; the layer that `fill` writes; damaged stages."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import refused
from console import run
from places import ROOT

from massprops import explain, measure
from massprops.checking.discovery import expand
from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.errors import ReadError
from massprops.filling import fill
from massprops.filling.usd_layer import moved_layer
from massprops.formats import child_process
from massprops.formats.child_process import SubprocessFailed, run_in_subprocess
from massprops.formats.kinds import kind_of
from massprops.formats.robot import read_robot, usd_stage
from massprops.formats.robot.links import Link, LinkMesh, UnsupportedGeometry
from massprops.formats.search_path import SearchPath
from massprops.measurement.links import LinkSolids
from massprops.measurement.robot import Robot

pytest.importorskip("pxr", reason="usd-core is not installable everywhere")
pytestmark = pytest.mark.xdist_group("usd")

HEAD = (
    '#usda 1.0\n(\n    defaultPrim = "r"\n    kilogramsPerUnit = 0.001\n    metersPerUnit = 0.01\n    upAxis = "Y"\n)\n'
)
#: 2 kg about (1, 2, 3) cm: moments 2e6 g cm² = 0.2 kg m².
STATED = "float physics:mass = 2000 ; point3f physics:centerOfMass = (1, 2, 3) ; float3 physics:diagonalInertia = (2e6, 3e6, 4e6)"
FACES = "int[] faceVertexCounts = [3, 3, 3, 3%s] ; int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2%s]"
CORNERS = "point3f[] points = [(0, 0, 0), (6, 0, 0), (0, 6, 0), (0, 0, 6)]"
TETRA = f"{CORNERS} ; {FACES % ('', '')}"
HOLED = f"{CORNERS} ; {FACES % (', 3', ', 0, 1, 2')} ; int[] holeIndices = [4]"
SWAPPED = TETRA.replace("0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2", "0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3")
COLLIDER = '(prepend apiSchemas = ["PhysicsCollisionAPI"%s])'


def op(kind: str, value: str) -> str:
    return f"{kind} xformOp:{value.partition(' ')[0]} = {value.partition(' ')[2]}"


def shear(matrix: str) -> str:
    return f'matrix4d xformOp:transform = {matrix} ; uniform token[] xformOpOrder = ["xformOp:transform"]'


def body(name: str, inside: str, mass: str = "", more: str = "") -> str:
    return f'def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"{more}])\n{{\n{mass}\n{inside}\n}}\n'


def gprim(kind: str, text: str, head: str = "", name: str = "g") -> str:
    return f'def {kind} "{name}" {head}\n{{\n{text}\n}}\n'


MIRROR = shear("((-2, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 0, 0, 1))")
SHEAR = shear("((1, 0, 0, 0), (3, 1, 0, 0), (0, 0, 2, 0), (0, 0, 0, 1))")
#: Body, its inside, and the volume of its visual geometry in cm³ (None: not measured).
VOLUMES: dict[str, tuple[str, float | None]] = {
    "cube": (gprim("Cube", "double size = 2"), 8.0),
    "sphere": (gprim("Sphere", "double radius = 3"), 36 * math.pi),
    "cylinder": (gprim("Cylinder", 'double radius = 2 ; double height = 5 ; uniform token axis = "X"'), 20 * math.pi),
    "capsule": (gprim("Capsule", "double radius = 1 ; double height = 3"), 3 * math.pi + 4 / 3 * math.pi),
    "cone": (gprim("Cone", "double radius = 3 ; double height = 5"), 15 * math.pi),
    "mesh": (gprim("Mesh", TETRA), 36.0),
    "holed": (gprim("Mesh", HOLED), 36.0),
    "left": (gprim("Mesh", f'{SWAPPED} ; uniform token orientation = "leftHanded"'), 36.0),
    "mirrored": (gprim("Mesh", f"{TETRA} ; {MIRROR}"), 72.0),
    "sheared": (gprim("Cube", f"double size = 2 ; {SHEAR}"), 16.0),
    "squashed": (gprim("Sphere", f"double radius = 3 ; {SHEAR}"), 72 * math.pi),
    "plane": (gprim("Plane", "double width = 2"), None),
    "moving": (
        gprim("Mesh", TETRA.replace("points =", "points.timeSamples = {0:").replace("6)] ;", "6)], 1: []} ;")),
        None,
    ),
    "inner": (gprim("Cube", "") + body("nested", gprim("Cube", "double size = 4")), 8.0),
    "unseen": (
        gprim("Cube", 'token visibility = "invisible"', name="a")
        + gprim("Cube", 'uniform token purpose = "guide"', name="b")
        + 'def Cube "c" (active = false)\n{\n}\n'
        + gprim("Cube", "double size = 1", name="d"),
        1.0,
    ),
}
#: Body, its mass text, more schemas, its inside; the mass that is found, kg, and codes of its findings.
BLOCK = gprim("Cube", "double size = 2", COLLIDER % "")
DENSE = gprim("Cube", "double size = 2 ; float physics:density = 5", COLLIDER % ', "PhysicsMassAPI"')
BOUND = gprim(
    "Cube", "double size = 2 ; rel material:binding:physics = </r/stuff>", COLLIDER % ', "MaterialBindingAPI"'
)
INSTANCE = 'def Xform "i" (instanceable = true\n references = </r/proto>)\n{\n}\n'
#: What bodies share: a physics material of 4 g/cm³, and a cube of 8 cm³ that collides.
SHARED = gprim("Material", "float physics:density = 4", '(prepend apiSchemas = ["PhysicsMaterialAPI"])', "stuff")
SHARED += f'class Xform "proto"\n{{\n{BLOCK}}}\n'
HEAVY = gprim("Cube", "double size = 2 ; float physics:mass = 70", COLLIDER % ', "PhysicsMassAPI"')
MASSES: dict[str, tuple[str, str, str, float | None, list[str]]] = {
    "whole": (STATED, BLOCK, "", 2.0, []),
    "zero_quaternion": (f"{STATED} ; quatf physics:principalAxes = (0, 0, 0, 0)", BLOCK, "", 2.0, []),
    "zeros": (STATED.replace("2000", "0"), BLOCK, "", 0.008, ["auto-inertial"]),
    "mass_only": ("float physics:mass = 500", BLOCK, "", 0.5, ["auto-inertial"]),
    "of_body": ("float physics:density = 3", BLOCK, "", 0.024, ["auto-inertial"]),
    "of_collider": ("float physics:density = 3", DENSE, "", 0.040, ["auto-inertial"]),
    "collider_mass": ("float physics:density = 3", HEAVY, "", 0.070, ["auto-inertial"]),
    "of_material": ("", BOUND, "", 0.032, ["auto-inertial"]),
    "instanced": ("float physics:density = 3", INSTANCE, "", 0.024, ["auto-inertial"]),
    "no_centre": (STATED.replace("(1, 2, 3)", "(-inf, -inf, -inf)"), BLOCK, "", 2.0, ["auto-inertial"]),
    "unstated": ("float physics:density = 0", BLOCK, "", None, ["geometry-without-inertial"]),
    "kinematic": (f"{STATED} ; bool physics:kinematicEnabled = 1", BLOCK, "", 2.0, ["usd-kinematic"]),
    "small": (STATED.replace("2e6, 3e6, 4e6", "2e-6, 3e-6, 4e-6"), BLOCK, "", 2.0, ["usd-small-inertia"]),
    "exact": (f"{STATED} ; double[] newton:inertia = [2e6, 3e6, 4e6, 0, 0, 0]", BLOCK, ', "NewtonMassAPI"', 2.0, []),
    "torn": (
        f"{STATED} ; double[] newton:inertia = [2e6, 3e6, 4e6, 9e5, 0, 0]",
        BLOCK,
        ', "NewtonMassAPI"',
        2.0,
        ["usd-inertia-mismatch"],
    ),
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("usd") / "robot.usda"
    bodies = [body(name, inside) for name, (inside, _) in VOLUMES.items()]
    bodies += [body(name, inside, mass, more) for name, (mass, inside, more, *_) in MASSES.items()]
    file.write_text(f'{HEAD}def Xform "r"\n{{\n{SHARED}{"".join(bodies)}}}\n'.replace(" ;", "\n"), encoding="ascii")
    return str(file)


@pytest.fixture(scope="module")
def links(stage: str) -> dict[str | None, Link]:
    return {link.name: link for link in read_robot(stage)}


@pytest.mark.parametrize("name", VOLUMES)
def test_geometry_has_the_volume_of_its_formula(name: str, links: dict[str | None, Link]) -> None:
    measurer, volume = LinkSolids(SearchPath()), VOLUMES[name][1]
    (geometry,) = links[name].geometry("visual")
    if volume is None:
        assert isinstance(geometry.solid, UnsupportedGeometry)
    else:
        assert measurer.place(geometry).moments.measure == pytest.approx(volume * 1e-6, rel=1e-12)


def test_a_mirrored_mesh_is_where_its_matrix_puts_it(links: dict[str | None, Link]) -> None:
    placed = LinkSolids(SearchPath()).place(links["mirrored"].visual[0])
    # the tetrahedron has its centre at a quarter of its edges: 5 − 2 · 1.5, 1.5, 1.5 cm
    np.testing.assert_allclose(placed.moments.recentred().reference, [0.02, 0.015, 0.015], rtol=1e-12)


@pytest.fixture(scope="module")
def compared(stage: str) -> dict[str | None, Any]:
    return {found.link.name: found for found in link_findings(stage, None, LinkOptions())}


@pytest.mark.parametrize("name", MASSES)
def test_masses_follow_the_precedence_of_the_schema(name: str, compared: dict[str | None, Any]) -> None:
    *_, mass, codes = MASSES[name]
    found = compared[name]
    own = found.link.body
    assert (own and own.properties.mass) == (mass and pytest.approx(mass, rel=1e-6))
    noticed = {f.code for f in (*found.findings, *(own.findings if own else ()))}
    known = {"usd-kinematic", "usd-small-inertia", "usd-inertia-mismatch", "auto-inertial", "geometry-without-inertial"}
    assert noticed & known == set(codes)
    if name == "whole":
        np.testing.assert_allclose(own.properties.com, [0.01, 0.02, 0.03], rtol=1e-7)
        np.testing.assert_allclose(own.properties.inertia.diagonal(), [0.2, 0.3, 0.4], rtol=1e-7)


JOINTED = (
    body("a", "", STATED)
    + body("b", 'double3 xformOp:translate = (0, 30, 0) ; uniform token[] xformOpOrder = ["xformOp:translate"]', STATED)
    + """def PhysicsRevoluteJoint "hinge"
{
    uniform token physics:axis = "Y"
    rel physics:body0 = </r/a>
    rel physics:body1 = </r/b>
    point3f physics:localPos0 = (10, 20, 0)
    point3f physics:localPos1 = (10, -10, 0)
    quatf physics:localRot0 = (1, 0, 0, 0)
    quatf physics:localRot1 = (1, 0, 0, 0)
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
}
def "lost" (references = @gone.usda@)
{
}
def "far" (references = @../secret.usda@)
{
}
"""
)


def test_joints_move_and_what_is_not_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.usda").write_text(
        '#usda 1.0\n(defaultPrim = "s")\n' + body("s", "", STATED).replace(" ;", "\n")
    )
    file = tmp_path / "in" / "robot.usda"
    file.write_text(f'{HEAD}def Xform "r"\n{{\n{JOINTED}}}\n'.replace(" ;", "\n"), encoding="ascii")
    *bodies, lost, far = read_robot(str(file))
    assert "gone.usda" in str(lost.error)
    assert far.error is not None
    assert far.error.code == "outside-file"
    assert [link.name for link in bodies] == ["a", "b"]
    poses, _ = Robot.of(bodies, str(file)).poses({"hinge": math.pi / 2})
    # a quarter turn about the vertical through (10, ·, 0) takes the origin of b, (0, 30, 0), to (10, 30, 10)
    np.testing.assert_allclose(poses["b"].translation, [0.1, 0.3, 0.1], atol=1e-8)
    assert [x.name for x in read_robot(str(file), search=SearchPath(allow_outside=True))] == ["a", "b", "far", None]


FOLLOWING = {
    "newton": "rel newton:mimicJoint = </r/hinge> ; float newton:mimicCoef0 = 10 ; float newton:mimicCoef1 = -2",
    "physx": "rel physxMimicJoint:rotX:referenceJoint = </r/hinge> ; float physxMimicJoint:rotX:offset = -10 ; "
    "float physxMimicJoint:rotX:gearing = 2",
    "disabled": "rel newton:mimicJoint = </r/hinge> ; bool newton:mimicEnabled = 0",
}


def chain(tmp_path: Path, kind: str, more: str) -> Robot:
    """Three bodies: a hinge between the first two, a joint of another kind between the others."""
    sides = "rel physics:body0 = </r/{}> ; rel physics:body1 = </r/{}> ; point3f physics:localPos0 = (10, 0, 0)"
    joints = gprim("PhysicsRevoluteJoint", sides.format("a", "b"), name="hinge")
    joints += gprim(kind, f"{sides.format('b', 'c')} ; {more}", name="wrist")
    bodies = "".join(body(name, "", STATED) for name in "abc")
    file = tmp_path / "chain.usda"
    file.write_text(f'{HEAD}def Xform "r"\n{{\n{bodies}{joints}}}\n'.replace(" ;", "\n"), encoding="ascii")
    return Robot.of(list(read_robot(str(file))), str(file))


@pytest.mark.parametrize("by", FOLLOWING)
def test_a_joint_follows_another(by: str, tmp_path: Path) -> None:
    """10° − 2 × 0.5 rad, by the schema of newton and by that of PhysX, whose sum is 0."""
    value = 0.0 if by == "disabled" else math.radians(10) - 2 * 0.5
    free, _ = chain(tmp_path, "PhysicsRevoluteJoint", "").poses({"hinge": 0.5, "wrist": value})
    robot = chain(tmp_path, "PhysicsRevoluteJoint", FOLLOWING[by])
    found, _ = robot.poses(robot.values({"hinge": 0.5}))
    np.testing.assert_allclose(found["c"].translation, free["c"].translation, atol=1e-12)
    np.testing.assert_allclose(found["c"].rotation, free["c"].rotation, atol=1e-12)


@pytest.mark.parametrize("side", [0, 1])
def test_a_body_that_a_joint_holds_in_the_world_has_no_parent(side: int, tmp_path: Path) -> None:
    """It is the base of the robot, and needs a mass, whichever side of the joint names it."""
    file, joint = tmp_path / "base.usda", gprim("PhysicsFixedJoint", f"rel physics:body{side} = </r/a>", name="base")
    file.write_text(f'{HEAD}def Xform "r"\n{{\n{body("a", "", BLOCK)}{joint}}}\n'.replace(" ;", "\n"), encoding="ascii")
    assert [link.fixed for link in read_robot(str(file))] == [False]


JOINT = "rel physics:body{} = </r/{}> ; rel physics:body{} = </r/{}> ; point3f physics:localPos{} = (10, 0, 0)"
ROOTED = '(prepend apiSchemas = ["PhysicsArticulationRootAPI"])'


def joined(tmp_path: Path, sides: list[int], root: str, more: str = "") -> Robot:
    """Three bodies a, b, c in a row, with two hinges; the parent of each is named on the side that is given."""
    pairs = zip(sides, (("a", "b"), ("b", "c")), strict=True)
    texts = [JOINT.format(side, x, 1 - side, y, side) for side, (x, y) in pairs]
    joints = "".join(gprim("PhysicsRevoluteJoint", text, name=f"j{i}") for i, text in enumerate(texts))
    bodies = "".join(body(name, "", STATED, ', "PhysicsArticulationRootAPI"' * (name == root)) for name in "abc")
    file = tmp_path / "row.usda"
    file.write_text(f'{HEAD}def Xform "r"\n{{\n{bodies}{joints}{more}}}\n'.replace(" ;", "\n"), encoding="ascii")
    return Robot.of(list(read_robot(str(file))), str(file))


@pytest.mark.parametrize("sides", [[0, 1], [1, 0], [1, 1]])
@pytest.mark.parametrize("by", ["articulation", "world", "joint"])
def test_joints_have_no_direction(sides: list[int], by: str, tmp_path: Path) -> None:
    """The root is said by the stage; a turn of a joint whose parent is its second body is the other way."""
    world = gprim("PhysicsFixedJoint", "rel physics:body1 = </r/a>", ROOTED * (by == "joint"), "base")
    robot = joined(tmp_path, sides, "a" if by == "articulation" else "", world if by != "articulation" else "")
    assert robot.roots == ["a"]
    straight = joined(tmp_path, [0, 0], "a")
    angles = {"j0": 0.3, "j1": -0.7}
    turned = {name: -q if side else q for (name, q), side in zip(angles.items(), sides, strict=True)}
    for name, pose in robot.poses(turned)[0].items():
        expected = straight.poses(angles)[0][name]
        np.testing.assert_allclose(pose.translation, expected.translation, atol=1e-12)
        np.testing.assert_allclose(pose.rotation, expected.rotation, atol=1e-12)


def test_without_a_root_it_is_the_body_that_is_never_second(tmp_path: Path) -> None:
    assert joined(tmp_path, [1, 1], "").roots == ["c"]


def test_a_closed_chain_is_refused_by_its_joint(tmp_path: Path) -> None:
    closing = gprim("PhysicsRevoluteJoint", JOINT.format(0, "c", 1, "a", 0), name="closing")
    assert "moved by two joints" in refused(ReadError, joined, tmp_path, [0, 0], "a", closing)


def test_a_joint_of_six_degrees_stays_at_rest(tmp_path: Path) -> None:
    robot = chain(tmp_path, "PhysicsJoint", "")
    assert [f.code for f in robot.combine({}, None, "error").findings] == ["joint-at-rest"]
    poses, _ = robot.poses(robot.values({"hinge": 0.0}))
    np.testing.assert_allclose(poses["c"].translation, [0.2, 0.0, 0.0], atol=1e-12)


def test_a_joint_that_follows_none_of_the_stage_is_refused(tmp_path: Path) -> None:
    robot = chain(tmp_path, "PhysicsRevoluteJoint", "rel newton:mimicJoint = </r/gone>")
    assert "follows '/r/gone', which is not a moving joint" in refused(ReadError, robot.values, {})


def test_a_folder_is_checked_without_the_layers_that_a_stage_composes(tmp_path: Path) -> None:
    """As converters write it: alone a layer has no bodies, or those of the robot. One elsewhere is not composed, and is checked."""
    (tmp_path / "robot" / "Payload").mkdir(parents=True)
    (tmp_path / "scene").mkdir()
    named = {"robot/robot": "Payload/arm.usda", "robot/top": "robot.usda", "scene/scene": "../other.usda"}
    for name, layer in named.items():
        text = f'{HEAD}def Xform "r"\n{{\ndef "arm" (payload = @{layer}@)\n{{\n}}\n}}\n'
        (tmp_path / f"{name}.usda").write_text(text, encoding="ascii")
    for name in ("robot/Payload/arm.usda", "other.usda"):
        (tmp_path / name).write_text(f"{HEAD}{body('r', '', STATED)}".replace(" ;", "\n"), encoding="ascii")
    found = [Path(name).relative_to(tmp_path).as_posix() for name in expand([str(tmp_path)]).names]
    assert found == ["other.usda", "robot/top.usda", "scene/scene.usda"]
    assert expand([str(tmp_path / "robot" / "robot.usda")]).names == [str(tmp_path / "robot" / "robot.usda")]


def test_packages_and_payloads_are_read(tmp_path: Path) -> None:
    """A body in a payload; and both files packed into one, which is the same robot."""
    from pxr import UsdUtils

    own = f"{HEAD}{body('r', gprim('Mesh', TETRA), STATED)}".replace(" ;", "\n")
    (tmp_path / "part.usda").write_text(own, encoding="ascii")
    file = tmp_path / "robot.usda"
    file.write_text(f'{HEAD}def Xform "r"\n{{\ndef "arm" (payload = @part.usda@)\n{{\n}}\n}}\n', encoding="ascii")
    assert UsdUtils.CreateNewUsdzPackage(str(file), str(tmp_path / "robot.usdz"))
    for path in (file, tmp_path / "robot.usdz"):
        (link,) = read_robot(str(path))
        assert (link.name, len(link.visual)) == ("arm", 1)
        assert link.body is not None
        assert link.body.properties.mass == pytest.approx(2.0, rel=1e-6)


def test_fill_writes_a_layer_that_any_reader_composes(stage: str) -> None:
    from pxr import Usd, UsdPhysics

    before = Path(stage).read_bytes()
    filled = fill(stage, density=2700, links=["cube", "mesh", "sheared"])
    (name,) = filled.files
    assert name == stage.replace(".usda", ".massprops.usda")
    assert not [link.error for link in filled.links if link.error]
    Path(name).write_bytes(filled.data)
    assert Path(stage).read_bytes() == before
    after = {link.name: link for link in read_robot(name)}
    composed = Usd.Stage.Open(name)
    for link in filled.links:
        found, meant = after[link.name].body, link.after
        assert found is not None
        assert meant is not None
        assert found.properties.mass == meant.mass
        np.testing.assert_array_equal(found.properties.inertia, meant.inertia)
        api = UsdPhysics.MassAPI(composed.GetPrimAtPath(f"/r/{link.name}"))
        # 1 cm and 1 g: ρ V, with the volume of the formula
        assert api.GetMassAttr().Get() == pytest.approx(2.7 * (VOLUMES[link.name][1] or 0.0), rel=2e-7)
        computed = UsdPhysics.RigidBodyAPI(composed.GetPrimAtPath(f"/r/{link.name}")).ComputeMassProperties(
            lambda _prim: UsdPhysics.RigidBodyAPI.MassInformation()
        )
        assert computed[0] == api.GetMassAttr().Get()  # OpenUSD takes the numbers, and computes none of its own
        np.testing.assert_allclose(list(computed[1]), list(api.GetDiagonalInertiaAttr().Get()), rtol=1e-6)
    cube = after["cube"].body
    assert cube is not None  # m a² / 6
    np.testing.assert_allclose(cube.properties.inertia, np.eye(3) * 0.0216 * 0.02**2 / 6, rtol=1e-9, atol=1e-20)


#: Part of the stage below, and the volume of its meshes in cm³: each tetrahedron has 36.
PARTS = {"": 72.0, "#b": 36.0, "#hidden": 288.0}


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("placed") / "scene.usda"
    aside = 'double3 xformOp:translate = (0, 30, 0) ; uniform token[] xformOpOrder = ["xformOp:translate"]'
    guide = gprim("Mesh", TETRA.replace("6", "12"), COLLIDER % "", "hidden").replace(
        "{", '{\nuniform token purpose = "guide"', 1
    )
    own = gprim("Mesh", TETRA) + gprim("Mesh", TETRA, COLLIDER % "", "collider") + guide
    inside = gprim("Mesh", TETRA, COLLIDER % "", "floor") + body("b", own, aside) + gprim("Sphere", "", name="ball")
    file.write_text(f'{HEAD}def Xform "r"\n{{\n{inside}}}\n'.replace(" ;", "\n"), encoding="ascii")
    return file


@pytest.mark.parametrize("part", PARTS)
def test_meshes_are_measured_where_the_stage_places_them(part: str, placed: Path) -> None:
    found = measure(f"{placed}{part}", density=1000)
    assert found.volume == pytest.approx(PARTS[part] * 1e-6, rel=1e-9)
    if part == "#b":  # a quarter of each edge
        np.testing.assert_allclose(found.center_of_mass, [0.015, 0.315, 0.015], rtol=1e-7)
    assert [f.code for f in found.findings if f.code == "skipped-elements"] == ["skipped-elements"] * (part == "")


@pytest.mark.parametrize(("part", "said"), [("ball", "a Sphere, and meshes alone"), ("bal", "did you mean ball")])
def test_a_part_that_is_no_mesh_is_refused(part: str, said: str, placed: Path) -> None:
    assert said in refused(ReadError, measure, f"{placed}#{part}", density=1)


def test_a_stage_is_a_robot_to_all_other_commands(placed: Path) -> None:
    assert kind_of("stage.usda") == "robot"
    assert kind_of(placed) == "robot"


def test_a_reader_that_does_not_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "endless.py").write_text("def main(_):\n    while True: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(child_process, "_PATIENCE", 60)
    with pytest.raises(SubprocessFailed, match="within 1 s of processor time"):
        run_in_subprocess("endless", "", 1)


@pytest.mark.usefixtures("damaged")
def test_the_sample_is_two_boxes_with_one_slip() -> None:
    """Parallel axes: I = Σ m (s·s 1 − diag s²) / 12 + m (d·d 1 − d dᵀ); `explain` finds it in the other body, too."""
    sizes = np.array([[0.08, 0.04, 0.008], [0.008, 0.04, 0.024]])
    mass, at = 2700 * sizes.prod(axis=1), np.array([[0.04, 0.02, 0.004], [0.004, 0.02, 0.020]])
    d = at - mass @ at / mass.sum()
    boxes = zip(mass, sizes, d, strict=True)
    inertia = sum(
        m * ((s @ s) * np.eye(3) - np.diag(s * s)) / 12 + m * ((p @ p) * np.eye(3) - np.outer(p, p))
        for m, s, p in boxes
    )
    stage = ROOT / "samples" / "stages" / "arm.usda"
    upper, lower = read_robot(str(stage))
    assert upper.body is not None
    np.testing.assert_allclose(upper.body.properties.inertia, inertia, atol=1e-6 * np.abs(inertia).max())
    found = explain(f"{stage}#{lower.name}")
    assert (found.verdict, found.hypotheses[0].kind) == ("unique", "products-sign")
    np.testing.assert_allclose(found.hypotheses[0].body.inertia, inertia, atol=1e-6 * np.abs(inertia).max())


def test_a_stage_is_not_filled_in_place(stage: str) -> None:
    done = run("fill", stage, "--density", "1", "--in-place")
    assert done.returncode == 2
    assert b"robot.massprops.usda" in done.stderr


@pytest.mark.usefixtures("damaged")
@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b[:16] + b"\xff" * 8 + b[24:], lambda b: b[:8]]
)
def test_a_damaged_crate_is_refused(damage: Any, stage: str, tmp_path: Path) -> None:
    from pxr import Sdf

    file = tmp_path / "robot.usdc"
    Sdf.Layer.FindOrOpen(stage).Export(str(file))
    file.write_bytes(damage(file.read_bytes()))
    assert refused(ReadError, read_robot, str(file)).startswith(f"{file}: USD ")


@pytest.mark.usefixtures("damaged")
@pytest.mark.parametrize("head", ["#xsda 1.0", '#usda 1.0\ndef "a\xff" (references = @\xff@)\n{\n}'])
def test_a_damaged_text_is_refused(head: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.usda"
    file.write_bytes(head.encode("latin1"))
    assert refused(ReadError, read_robot, str(file)).startswith(str(file))


def test_instances_share_one_mesh(tmp_path: Path) -> None:
    file = tmp_path / "robot.usda"
    proto = f'class Xform "proto"\n{{\n{gprim("Mesh", TETRA)}}}\n'
    inner = 'def Xform "i" (instanceable = true\n references = </proto>)\n{\n}\n'
    file.write_text(f"{HEAD}{proto}{body('a', inner)}{body('b', inner)}".replace(" ;", "\n"), encoding="ascii")
    a, b = (link.visual[0].solid for link in read_robot(str(file)))
    assert isinstance(a, LinkMesh)
    assert a == b
    assert a.triangles is not None
    assert a.triangles.shape == (4, 3, 3)


def test_reasons_are_those_of_the_file_not_of_the_library() -> None:
    """Messages of OpenUSD on crate files with damaged bytes, as usd-core 26.11 gives them."""
    for said, reason in (
        ("Encountered: std::bad_alloc, while reading @/a/b.usdc@", "it states a size for which there is no memory"),
        (
            "Encountered: cannot create std::vector larger than max_size(), while reading @/a/b.usdc@",
            "it states a size for which there is no memory",
        ),
        (
            "Encountered: Read out-of-bounds: 8 bytes at offset 17511 in a mapping of length 990, while reading @/a/b.usdc@",
            "Read out-of-bounds: 8 bytes at offset 17511 in a mapping of length 990",
        ),
        ("Corrupt asset @/a/b.usdc@ - ignoring invalid specs", "Corrupt asset it - ignoring invalid specs"),
        ("Crate file missing TOKENS section", "Crate file missing TOKENS section"),
    ):
        assert usd_stage._reason(RuntimeError(said), "/a/b.usdc") == ["", reason]


def test_a_layer_in_another_folder_names_its_stage_from_there(tmp_path: Path) -> None:
    for stage, target, name in (
        ("a/robot.usda", "a/out.usda", "@./robot.usda@"),
        ("a/robot.usda", "a/out/robot.usda", "@../robot.usda@"),
        ("robot.usda", "b/c/out.usda", "@../../robot.usda@"),
        ("b/r.usda", "out.usda", "@./b/r.usda@"),
        ("x@y.usda", "out/x.usda", "@@@../x@y.usda@@@"),
    ):
        beside = f"subLayers = [\n        {'@@@' if '@' in stage else '@'}./{Path(stage).name}{'@@@' if '@' in stage else '@'}\n"
        moved = moved_layer(beside.encode(), str(tmp_path / stage), str(tmp_path / target))
        assert moved.decode() == f"subLayers = [\n        {name}\n"

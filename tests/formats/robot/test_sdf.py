"""SDFormat as libsdformat reads it: versions, frames of geometry, shapes, inertials that are computed, and what is not read.

Modules tested: `formats/robot/sdf`, `formats/robot/sdf_versions`, `formats/robot/includes`.
"""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import oracles
import pytest
from cases import each, raised
from console import run

import massprops
from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.errors import MasspropsError, ReadError
from massprops.formats.robot import Link, read_robot
from massprops.formats.robot.sdf_elements import KNOWN

INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
BOX = "<geometry><box><size>.1 .1 .1</size></box></geometry>"
#: Link b is half a turn about z from the model, link a a quarter; the axis and the pose under test are those of a.
MODEL = f"""<model name="m"><link name="b">{INERTIAL}<pose>1 0 0 0 0 {math.pi}</pose></link>
<link name="a">{INERTIAL}<pose>0 0 3 0 0 {math.pi / 2}</pose>{{geometry}}</link>
<joint name="j" type="revolute"><parent>b</parent><child>a</child><axis>{{axis}}<limit><lower>-1</lower><upper>1</upper></limit></axis>
</joint></model>"""
X = "<xyz>1 0 0</xyz>"
NESTED = '<model name="around"><link name="c">' + INERTIAL + "</link>{}</model>"
#: The axis in the frame of a, by where it is expressed; None: libsdformat refuses it.
IN_JOINT, IN_MODEL, IN_B = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)
YES, NO = (f"<use_parent_model_frame>{word}</use_parent_model_frame>" for word in ("true", "false"))
TO_B = '<xyz expressed_in="b">1 0 0</xyz>'
#: The centre of a geometry 0.5 m along x of the frame that its pose names, in a.
OF_LINK, OF_B = (0.5, 0.0, 0.0), (0.0, -0.5, -3.0)
OLD, NEW = ("1.4", "1.5", "1.6"), ("1.7", "1.8", "1.11", "1.12")
#: Version, axis, and the axis in a.
AXES = [
    *(("1.4", axis, IN_MODEL) for axis in (X, X + YES, TO_B)),
    ("1.4", X + NO, IN_JOINT),
    *((v, X, IN_JOINT) for v in ("1.5", "1.6", *NEW)),
    *((v, X + NO, IN_JOINT) for v in ("1.5", "1.6")),
    *((v, axis + YES, IN_MODEL) for v in ("1.5", "1.6") for axis in (X, TO_B)),
    *((v, TO_B, IN_B) for v in ("1.5", "1.6", *NEW)),
]
#: Version, attributes of a pose, and the centre in a.
POSES = [
    *((v, 'frame="b"', OF_B) for v in OLD),
    *((v, 'frame="b" relative_to="a"', OF_B) for v in OLD),
    *((v, 'relative_to="b"', OF_B) for v in (*OLD, *NEW)),
    *((v, attributes, OF_LINK) for v in (*OLD, *NEW) for attributes in ("", 'relative_to="a"', 'relative_to=""')),
]


def document(version: str, axis: str = X, attributes: str = "", around: str = "{}") -> str:
    placed = f"<pose {attributes}>0.5 0 0 0 0 0</pose>{BOX}"
    geometry = f'<visual name="v">{placed}</visual><collision name="c">{placed}</collision>'
    return f'<sdf version="{version}">{around.format(MODEL.format(axis=axis, geometry=geometry))}</sdf>'


def read(folder: Path, text: str) -> list[Link]:
    path = folder / "robot.sdf"
    path.write_text(text, encoding="utf-8")
    return read_robot(str(path))


def link_a(folder: Path, text: str) -> Link:
    return next(link for link in read(folder, text) if link.name and link.name.rpartition("::")[2] == "a")


# --- versions and frames ---------------------------------------------------------------------------------------------


@each(("version", "axis", "expected"), AXES)
def test_the_axis_of_a_joint_is_in_the_frame_of_its_version(
    version: str, axis: str, expected: tuple[float, ...], tmp_path: Path
) -> None:
    for around in ("{}", "<world name='w'>{}</world>"):
        (joint,) = link_a(tmp_path, document(version, axis, around=around)).placement().joints
        np.testing.assert_allclose(joint.axis, expected, atol=1e-15)


def test_the_axis_of_a_joint_of_a_nested_model_is_its_own_in_all_versions(tmp_path: Path) -> None:
    (joint,) = link_a(tmp_path, document("1.4", around=NESTED)).placement().joints
    np.testing.assert_allclose(joint.axis, IN_JOINT, atol=1e-15)


@each(("version", "attributes", "expected"), POSES)
def test_the_pose_of_a_geometry_is_relative_to_the_frame_that_it_names(
    version: str, attributes: str, expected: tuple[float, ...], tmp_path: Path
) -> None:
    link = link_a(tmp_path, document(version, attributes=attributes))
    for (geometry,) in (link.visual, link.collision):
        np.testing.assert_allclose(geometry.pose.translation, expected, atol=1e-15)


@each("version", NEW)
def test_a_frame_attribute_is_ignored_from_version_1_7_on(version: str, tmp_path: Path) -> None:
    link = link_a(tmp_path, document(version, attributes='frame="b"'))
    np.testing.assert_allclose(link.visual[0].pose.translation, OF_LINK)
    (joint,) = link_a(tmp_path, document(version, X + YES)).placement().joints
    np.testing.assert_allclose(joint.axis, IN_JOINT, atol=1e-15)


@each("name", ["gone", "world"])
def test_a_frame_that_is_not_in_the_model_is_an_error_of_the_geometry(name: str, tmp_path: Path) -> None:
    link = link_a(tmp_path, document("1.9", attributes=f'relative_to="{name}"'))
    assert link.body is not None
    for (geometry,) in (link.visual, link.collision):
        assert isinstance(geometry.solid, ReadError)
        assert geometry.solid.code == "unknown-frame"
    turned = link_a(tmp_path, document("1.9", f'<xyz expressed_in="{name}">1 0 0</xyz>'))
    assert raised(ReadError, turned.placement).code == "unknown-frame"


def test_an_included_document_is_of_its_own_version(tmp_path: Path) -> None:
    (tmp_path / "part.sdf").write_text(document("1.4", attributes='frame="b"'), encoding="utf-8")
    link = link_a(tmp_path, '<sdf version="1.9"><world name="w"><include><uri>part.sdf</uri></include></world></sdf>')
    np.testing.assert_allclose(link.visual[0].pose.translation, OF_B, atol=1e-15)
    np.testing.assert_allclose(link.placement().joints[0].axis, IN_MODEL, atol=1e-15)


def in_drake(text: str) -> Any:
    """Plant and scene of a document, as Drake reads it through libsdformat; its errors as they are."""
    drake = pytest.importorskip("pydrake.all")
    builder = drake.DiagramBuilder()
    plant, scene = drake.AddMultibodyPlantSceneGraph(builder, 0.01)
    drake.Parser(plant, scene).AddModelsFromString(text, "sdf")
    plant.Finalize()
    return plant, scene.model_inspector()


def test_drake_agrees_about_all_versions() -> None:
    pytest.importorskip("pydrake.all")
    for version, axis, expected in AXES:
        plant, _ = in_drake(document(version, axis))
        np.testing.assert_allclose(plant.GetJointByName("j").revolute_axis(), expected, atol=1e-12)
    for version, attributes, expected in POSES:
        plant, scene = in_drake(document(version, attributes=attributes))
        body = plant.GetBodyFrameIdOrThrow(plant.GetBodyByName("a").index())
        for geometry in scene.GetGeometries(body):
            np.testing.assert_allclose(scene.GetPoseInFrame(geometry).translation(), expected, atol=1e-12)


# --- shapes, and inertials that are computed ---------------------------------------------------------------------------

#: A shape, and its volume and centre along z by the closed forms, m³ and m; lengths that are left out have the defaults of SDFormat.
SHAPES = {
    "<box/>": (1.0, 0.0),
    "<cylinder/>": (math.pi, 0.0),
    "<cylinder><radius>0.5</radius></cylinder>": (math.pi / 4, 0.0),
    "<sphere/>": (4 / 3 * math.pi, 0.0),
    "<capsule/>": (math.pi / 4 + math.pi / 6, 0.0),
    "<ellipsoid/>": (4 / 3 * math.pi, 0.0),
    "<cone/>": (math.pi / 3, -0.25),
    "<cone><radius>0.3</radius><length>1.2</length></cone>": (math.pi * 0.3**2 * 1.2 / 3, -0.3),
}
AUTO = '<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true">{}</inertial>{}</link></model></sdf>'
COLLISION = '<collision name="c{0}"><pose>{0} 0 0 0 0 0</pose>{1}<geometry>{2}</geometry></collision>'


@each(("shape", "volume", "z"), [(shape, *closed) for shape, closed in SHAPES.items()])
def test_a_shape_is_its_closed_form_with_the_defaults_of_sdformat(
    shape: str, volume: float, z: float, tmp_path: Path
) -> None:
    (tmp_path / "auto.sdf").write_text(AUTO.format("", COLLISION.format(0, "", shape)), encoding="utf-8")
    body = massprops.combine(tmp_path / "auto.sdf").body.properties
    assert body.mass == pytest.approx(1000 * volume, rel=1e-14)
    np.testing.assert_allclose(body.com, [0, 0, z], atol=1e-15)


#: What an inertial says, and the mass of two unit boxes 1 m apart, of 500 kg/m³ and of the density of the inertial; and its centre.
COMPUTED = {
    "": (1500.0, 1 / 1.5),
    "<density>100</density>": (600.0, 1 / 6),
    "<mass>3</mass>": (3.0, 1 / 1.5),
    "<mass>3</mass><density>100</density>": (3.0, 1 / 6),
}
TWO = COLLISION.format(0, "<density>500</density>", "<box/>") + COLLISION.format(1, "", "<box/>")
PLATE = '<visual name="v"><geometry><box><size>9 9 9</size></box></geometry></visual>'


@each(("said", "mass", "x"), [(said, *expected) for said, expected in COMPUTED.items()])
def test_an_automatic_inertial_is_computed_by_every_command(said: str, mass: float, x: float, tmp_path: Path) -> None:
    path = tmp_path / "auto.sdf"
    path.write_text(AUTO.format(said, TWO + PLATE), encoding="utf-8")
    steiner = mass * x * (1 - x)  # of two equal boxes whose masses are as 1 - x and x
    filled = massprops.fill(path, links="all")
    assert filled.links[0].mass_from == "geometry"
    assert b"auto" not in filled.data
    for body in (massprops.combine(path).body.properties, filled.links[0].after):
        assert body is not None
        assert body.mass == pytest.approx(mass, rel=1e-12)
        np.testing.assert_allclose(body.com, [x, 0, 0], atol=1e-12)
        np.testing.assert_allclose(body.inertia, mass / 6 * np.eye(3) + steiner * np.diag([0, 1, 1]), atol=1e-9 * mass)
    explained = run("explain", f"{path}#a")
    assert explained.returncode == 0
    (shown,) = re.findall("<mass>(.*)</mass>", explained.out)
    assert float(shown) == pytest.approx(mass, rel=1e-12)
    assert massprops.fill(path).data == path.read_bytes()  # the default leaves alone what the format computes
    given = massprops.fill(path, links="all", density=10, mass_from="density").links[0].after
    assert given is not None
    assert given.mass == pytest.approx(20, rel=1e-12)


def test_an_automatic_inertial_without_a_solid_is_refused_by_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "auto.sdf"
    mesh = COLLISION.format(0, "", "<mesh><uri>gone.stl</uri></mesh>")
    for inside, code in (
        ("", "no-geometry"),
        (mesh, "missing-file"),
        (COLLISION.format(0, "", "<plane/>"), "unmeasured-geometry"),
    ):
        path.write_text(AUTO.format("", inside), encoding="utf-8")
        assert raised(MasspropsError, massprops.combine, path).code == code


def test_drake_agrees_about_computed_inertials() -> None:
    drake = pytest.importorskip("pydrake.all")
    cases: list[tuple[str, float, tuple[float, ...]]]
    cases = [(AUTO.format("", COLLISION.format(0, "", s)), v * 1000, (0, 0, z)) for s, (v, z) in SHAPES.items()]
    cases += [(AUTO.format(said, TWO), mass, (x, 0, 0)) for said, (mass, x) in COMPUTED.items()]
    for text, mass, centre in cases:
        plant, _ = in_drake(text)
        inertia = plant.GetBodyByName("a").default_spatial_inertia()
        assert isinstance(inertia, drake.SpatialInertia)
        assert inertia.get_mass() == pytest.approx(mass, rel=1e-12)
        np.testing.assert_allclose(inertia.get_com(), centre, atol=1e-12)


# --- includes and URIs -------------------------------------------------------------------------------------------------

BAR = f'<sdf version="1.9"><model name="bar"><link name="l">{INERTIAL.replace("1</mass>", "2</mass>")}</link></model></sdf>'
WORLD = '<sdf version="1.9"><world name="w"><include><uri>{}</uri><pose>1 0 0 0 0 0</pose></include></world></sdf>'


def save(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@each(
    ("folder", "option"),
    [("models", {}), ("../library", {"package_path": ["library"]}), ("../x", {"packages": {"bar": "x/bar"}})],
)
def test_a_uri_without_a_scheme_is_that_of_a_model(folder: str, option: dict[str, Any], tmp_path: Path) -> None:
    world = save(tmp_path / "own" / "world.sdf", WORLD.format("bar"))
    for other in ("own/models", "library", "x"):
        shutil.rmtree(tmp_path / other, ignore_errors=True)
    save(world.parent / folder / "bar" / "model.sdf", BAR)
    given: dict[str, Any] = {
        key: [str(tmp_path / x) for x in value]
        if isinstance(value, list)
        else {k: str(tmp_path / x) for k, x in value.items()}
        for key, value in option.items()
    }
    body = massprops.combine(world, **given).body.properties
    assert (body.mass, *body.com) == (2, 1, 0, 0)


def test_a_mesh_without_a_scheme_is_in_the_folder_of_its_model(tmp_path: Path) -> None:
    mesh = "<mesh><uri>bar/meshes/part.stl</uri><scale>.1 .1 .1</scale></mesh>"
    text = BAR.replace("</link>", f'<visual name="v"><geometry>{mesh}</geometry></visual></link>')
    own = save(tmp_path / "models" / "bar" / "model.sdf", text)
    (own.parent / "meshes").mkdir()
    corners = oracles.tetrahedron()
    oracles.write_ascii_stl(own.parent / "meshes" / "part.stl", corners)
    volume = abs(sum(np.linalg.det(facet) for facet in np.asarray(corners))) / 6 / 1000
    for path in (save(tmp_path / "world.sdf", WORLD.format("bar")), save(tmp_path / "bar.sdf", text)):
        (link,) = massprops.fill(path, links="all", density=6000, mass_from="density").links
        assert link.after is not None, link.error
        assert link.after.mass == pytest.approx(6000 * volume)


ARM = """<robot name="arm"><link name="base"><inertial><origin xyz="0 0 0.1"/><mass value="3"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>
<link name="tip"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual><origin xyz="0 0 2"/><geometry><mesh filename="part.stl" scale=".1 .1 .1"/></geometry></visual></link><link name="frame"/>
<link name="led"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="2"/></joint>
<joint name="m" type="continuous"><parent link="base"/><child link="led"/><origin xyz="0 3 0" rpy="0.1 0.2 0.3"/>
<mimic joint="j" multiplier="2" offset="0.5"/></joint>
<joint name="f" type="fixed"><parent link="tip"/><child link="frame"/><origin xyz="0 0 5"/></joint></robot>"""


def test_an_included_urdf_is_the_robot_at_its_pose(tmp_path: Path) -> None:
    save(tmp_path / "robots" / "arm.urdf", ARM)
    oracles.write_ascii_stl(tmp_path / "robots" / "part.stl", oracles.tetrahedron())
    world = save(tmp_path / "world.sdf", WORLD.format("robots/arm.urdf"))
    alone, placed = read_robot(str(tmp_path / "robots" / "arm.urdf")), read_robot(str(world))
    assert [x.name for x in placed] == [x.name for x in alone]
    for own, link in zip(alone, placed, strict=True):
        assert (link.body is None, link.default, link.dialect) == (own.body is None, None, "urdf")
        a, b = own.placement(), link.placement()
        assert a.parent == b.parent
        if a.pose is not None:
            assert b.pose is not None
            np.testing.assert_allclose(b.pose.matrix, a.pose.matrix, atol=1e-15)
        for one, other in zip(a.joints, b.joints, strict=True):
            np.testing.assert_allclose(other.axis, one.axis, atol=1e-15)
            assert other.limits == one.limits
    for q in (0.0, 0.7):
        whole = massprops.combine(tmp_path / "robots" / "arm.urdf", joints={"j": q}).body.properties
        moved = massprops.combine(world, joints={"j": q}).body.properties
        assert moved.mass == whole.mass
        np.testing.assert_allclose(moved.com, whole.com + np.array([1, 0, 0]), atol=1e-14)
        np.testing.assert_allclose(moved.inertia, whole.inertia, atol=1e-12)
    filled = massprops.fill(world, links="tip", density=6000, mass_from="density")
    assert [Path(name).name for name in filled.files] == ["arm.urdf"]  # written where it stands, as URDF
    assert filled.links[0].after is not None


#: The quaternion of urdfdom's own test (`urdf_schema_quaternion_test.cpp`), and the same in roll, pitch and yaw.
TURNED = {'quat_xyzw="0.5 0.5 0.5 0.5"': "1.1", 'rpy="1.5707963267948966 0 1.5707963267948966"': "1.0"}


def test_a_quaternion_counts_from_version_1_1_of_urdf_on(tmp_path: Path) -> None:
    found = []
    for turn, version in TURNED.items():
        text = re.sub('rpy="[^"]*"', turn, ARM).replace("<robot", f'<robot version="{version}"')
        save(tmp_path / "arm.urdf", text.replace('xyz="0 0 0.1"', f'xyz="0 0 0.1" {turn}'))
        world = save(tmp_path / "world.sdf", WORLD.format("arm.urdf"))
        whole = [massprops.combine(file, missing="ignore").body.properties for file in (tmp_path / "arm.urdf", world)]
        found.append([np.hstack([body.com, body.inertia.ravel()]) for body in whole])
        links = link_findings(tmp_path / "arm.urdf", None, LinkOptions(engines=("gz", "mujoco")))
        verdicts = {body.verdict for link in links for body in link.engines}
        assert (verdicts == {"unknown"}) is ("quat" in turn)  # which of them read quaternions is not known
    np.testing.assert_allclose(*found, rtol=0, atol=1e-12)
    assert found[0][0][1] > 0.1  # the centre of the arm that is not turned is at y = 1, that of the tip at 0


@each("file", ["arm.urdf", "world.sdf"])
def test_a_quaternion_that_urdfdom_ignores_is_refused(file: str, tmp_path: Path) -> None:
    world = WORLD.format("arm.urdf")
    for version, turn, said in (
        ("1.0", 'quat_xyzw="0 0 0 1"', "quat_xyzw is of URDF 1.1, and ignored by urdfdom"),
        ("1.1", 'quat_xyzw="0 0 0 1" rpy="0 0 0"', "<origin> has rpy and quat_xyzw, which exclude each other"),
    ):
        save(tmp_path / "arm.urdf", re.sub('rpy="[^"]*"', turn, ARM).replace("<robot", f'<robot version="{version}"'))
        save(tmp_path / "world.sdf", world)
        assert said in str(raised(ReadError, massprops.combine, tmp_path / file, missing="ignore"))


# --- parts of meshes ---------------------------------------------------------------------------------------------------

#: Two boxes of 1 x 1 x 1 and 2 x 1 x 1 m as nodes of one scene: the second is at 5 0 0, by its own corners 4 to 6.
SCENE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/><library_geometries>{}</library_geometries>
<library_visual_scenes><visual_scene id="s"><node name="one"><instance_geometry url="#g1"/></node><node name="two">
<translate>5 0 0</translate><instance_geometry url="#g2"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
GEOMETRY = """<geometry id="g{n}"><mesh><source id="p{n}"><float_array id="a{n}" count="24">{text}</float_array><technique_common>
<accessor source="#a{n}" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source><vertices id="v{n}"><input semantic="POSITION" source="#p{n}"/></vertices>
<polylist count="6"><input semantic="VERTEX" source="#v{n}" offset="0"/><vcount>4 4 4 4 4 4</vcount>
<p>0 2 3 1 4 5 7 6 0 1 5 4 2 6 7 3 0 4 6 2 1 3 7 5</p></polylist></mesh></geometry>"""


def boxes(path: Path) -> None:
    geometries = (
        GEOMETRY.format(
            n=n, text=" ".join(f"{x} {y} {z}" for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-n / 2, n / 2))
        )
        for n in (1, 2)
    )
    path.write_text(SCENE.format("".join(geometries)), encoding="utf-8")


#: Elements of a mesh, and the mass at 1000 kg/m³ and the centre along x that it has.
SUBMESHES = {
    "": (3000, 10 / 3),
    "<submesh><name>one</name></submesh>": (1000, 0),
    "<submesh><name>two</name></submesh>": (2000, 5),
    "<submesh><name>two</name><center>true</center></submesh>": (2000, 0),
    "<submesh><name>two</name></submesh><scale>2 1 1</scale>": (4000, 10),
    "<submesh><name>two</name><center>1</center></submesh><scale>2 1 1</scale>": (4000, 0),
}


@each(("inside", "mass", "x"), [(inside, *expected) for inside, expected in SUBMESHES.items()])
def test_a_submesh_is_its_node_of_the_scene(inside: str, mass: float, x: float, tmp_path: Path) -> None:
    boxes(tmp_path / "part.dae")
    mesh = COLLISION.format(0.25, "", f"<mesh><uri>part.dae</uri>{inside}</mesh>")
    body = massprops.combine(save(tmp_path / "robot.sdf", AUTO.format("", mesh))).body.properties
    assert body.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(body.com, [x + 0.25, 0, 0], atol=1e-12)
    if not inside:
        return
    moved = COLLISION.format(0.5, "", f"<mesh><uri>part.dae</uri>{inside}</mesh>")  # united, it is 0.25 m longer
    filled = massprops.fill(
        save(tmp_path / "two.sdf", AUTO.format("", mesh + moved).replace("auto", "by")), links="all", density=1000
    )
    after = filled.links[0].after
    assert after is not None, filled.links[0].error
    assert after.mass == pytest.approx(mass + 250, rel=1e-9)
    np.testing.assert_allclose(after.com, [x + 0.375, 0, 0], atol=1e-9)


@each(("uri", "code"), [("part.stl", "unmeasured-geometry"), ("part.dae", "broken-mesh")])
def test_a_submesh_that_is_not_there_is_named(uri: str, code: str, tmp_path: Path) -> None:
    boxes(tmp_path / "part.dae")
    mesh = COLLISION.format(0, "", f"<mesh><uri>{uri}</uri><submesh><name>gone</name></submesh></mesh>")
    path = save(tmp_path / "robot.sdf", AUTO.format("", mesh).replace(' auto="true"', ""))
    (link,) = link_findings(path, None, LinkOptions())
    assert any(f.code == code and ("gone" in f.message or "<submesh>" in f.message) for f in link.findings)


# --- what is not read --------------------------------------------------------------------------------------------------

#: Children of each element in the schemas of SDFormat 1.0 to 1.12 (of libsdformat 16), those of all versions together.
SCHEMA = {
    "sdf": "actor light model world",
    "world": "actor atmosphere audio frame gravity gui include joint light magnetic_field model physics plugin population road scene "
    "spherical_coordinates state wind",
    "model": "allow_auto_disable enable_wind frame gripper include joint link model model_state origin plugin pose self_collide static",
    "link": "acceleration audio_sink audio_source battery collision damping enable_wind frame gravity inertial kinematic light "
    "must_be_base_link origin particle_emitter pose projector self_collide sensor velocity velocity_decay visual wrench",
    "inertial": "auto_inertia_params density fluid_added_mass frame inertia mass origin pose",
    "inertia": "ixx ixy ixz iyy iyz izz",
    "collision": "auto_inertia_params density frame geometry laser_retro mass max_contacts origin pose surface",
    "visual": "cast_shadows frame geometry laser_retro material meta origin plugin pose transparency visibility_flags",
    "mesh": "convex_decomposition filename scale submesh uri",
    "axis": "dynamics initial_position limit mimic use_parent_model_frame xyz",
}
#: Those of versions before 1.2, which are refused as a whole; of axes what `sdf_versions` replaces; and what is spliced.
REPLACED = {"origin", "filename", "use_parent_model_frame", "include"}
#: Elements that bear mass, and how each is read: the mass that `combine` finds.
READ = {
    "model": ('<model name="n"><link name="l">{}</link></model>', 1.0),
    "link": ('<model name="n"><link name="l">{}</link></model>', 1.0),
    "inertial": ('<model name="n"><link name="l">{}</link><link name="m"/></model>', 2.0),
    "collision": (
        '<model name="n"><link name="l"><inertial auto="true"/>'
        + COLLISION.format(0, "", "<box/>")
        + "</link></model>",
        1e3,
    ),
}
HOLDERS = {
    "actor": '<actor name="a"><link name="l"/></actor>',
    "population": '<population name="p"><model name="n"><link name="l"/></model></population>',
    "state": '<state world_name="w"><insertions><model name="n"><link name="l"/></model></insertions></state>',
    "modle": '<modle name="m"><link name="l"/></modle>',
}


def test_every_element_of_the_schema_is_read_or_bears_no_mass_or_is_named() -> None:
    for parent, children in SCHEMA.items():
        unread = set(children.split()) - KNOWN[parent] - REPLACED - {*HOLDERS}
        assert unread <= {"mass"}, (parent, unread)  # of a collision before version 1.2
    for bears_mass in ("model", "link", "inertial", "collision", "include"):
        users = [parent for parent, children in KNOWN.items() if bears_mass in children]
        assert set(users) <= {"sdf", "world", "model", "link"}


@each("element", READ)
def test_every_element_that_bears_mass_counts(element: str, tmp_path: Path) -> None:
    text, mass = READ[element]
    path = save(tmp_path / "robot.sdf", f'<sdf version="1.11">{text.format(INERTIAL)}</sdf>')
    assert massprops.combine(path).body.properties.mass == pytest.approx(mass)


@each("element", HOLDERS)
def test_bodies_that_are_not_read_are_named_by_every_command(element: str, tmp_path: Path) -> None:
    own = f'<model name="m"><link name="l">{INERTIAL}<visual name="v">{BOX}</visual></link></model>'
    path = save(tmp_path / "world.sdf", f'<sdf version="1.9"><world name="w">{own}{HOLDERS[element]}</world></sdf>')
    for command, code in (
        (["check"], 3),
        (["combine"], 3),
        (["explain"], 3),
        (["fill", "--links", "all", "-d", "1000"], 3),
    ):
        ran = run(*command, path)
        assert ran.returncode == code, (command, ran.returncode)
        assert f"<{element}> is not read" in " ".join((ran.out + ran.err).split())
    path.write_text(path.read_text().replace(HOLDERS[element], f"<{element}/>"), encoding="utf-8")
    codes = {f.code for link in link_findings(path, None, LinkOptions()) for f in link.findings}
    assert ("ignored-element" in codes) == (element == "modle")


def test_what_sdformat_does_not_know_is_named_where_it_stands(tmp_path: Path) -> None:
    text = document("1.9", X + YES, 'frame="b"').replace("<mass>1", "<mas>3</mas><mass>1", 1)
    found = {link.name: link.findings for link in read(tmp_path, text)}
    body = next(link.body for link in read(tmp_path, text) if link.name == "b")
    assert body is not None
    assert body.properties.mass == 1
    said = {name: " ".join(f.message for f in findings) for name, findings in found.items()}
    assert said["a"].count("frame= of a <pose>") == 2
    assert "<mas> in <inertial>" in said["b"]
    assert "<use_parent_model_frame> in <axis>" in said["b"]  # the first link has what is in none


@each("version", ["1.0", "1.1"])
def test_a_version_whose_numbers_are_attributes_is_refused(version: str, tmp_path: Path) -> None:
    text = f'<gazebo version="{version}"><model name="m"><link name="l"><inertial mass="3"/></link></model></gazebo>'
    assert raised(ReadError, read, tmp_path, text).code == "unread-element"


@each(
    ("entries", "codes"),
    [
        ("<xx>5</xx><yy>6</yy><xy>-1</xy><pp>2</pp>", ["fluid-added-mass"]),
        ("", ["fluid-added-mass"]),
        ("<xx>1</xx><yy>1</yy><xy>2</xy>", ["negative-added-mass", "fluid-added-mass"]),
        ("<xx>-1</xx>", ["negative-added-mass", "fluid-added-mass"]),
        ("<xr>1</xr>", ["negative-added-mass", "fluid-added-mass"]),  # a coupling without what it couples
        ("<xx>1</xx><rr>1</rr><xr>1</xr>", ["fluid-added-mass"]),  # the least that the coupling needs
    ],
)
def test_added_mass_is_shown_and_positive(entries: str, codes: list[str], tmp_path: Path) -> None:
    added = f"<fluid_added_mass>{entries}</fluid_added_mass>"
    stated = f'<sdf version="1.11"><model name="m"><link name="l">{INERTIAL.replace("<mass>", added + "<mass>")}</link></model></sdf>'
    for text in (stated, AUTO.format(added, TWO)):
        path = save(tmp_path / "robot.sdf", text)
        (link,) = read_robot(str(path))
        found = [*(link.body.findings if link.body else ()), *link.findings]
        assert [f.code for f in found if f.code.endswith("added-mass")] == codes
        assert {f.code for f in massprops.combine(path).body.findings} >= {*codes}


def test_files_of_public_reports_have_their_right_values(tmp_path: Path) -> None:
    cone = "<cone><radius>0.3</radius><length>1.2</length></cone>"
    body = massprops.combine(
        save(tmp_path / "cone.sdf", AUTO.format("", COLLISION.format(0, "", cone)))
    ).body.properties
    mass = 1000 * math.pi * 0.3**2 * 1.2 / 3
    moments = [mass * (3 / 20 * 0.3**2 + 3 / 80 * 1.2**2)] * 2 + [mass * 3 / 10 * 0.3**2]
    np.testing.assert_allclose(body.inertia, np.diag(moments), rtol=1e-13, atol=1e-13)
    inertia = "<inertia><ixx>0.0017</ixx><iyy>0.0018</iyy><izz>0.0017</izz></inertia>"
    visual = f'<visual name="v"><pose frame="b">0.5 0 0 0 0 0</pose>{BOX}</visual>'
    links = f"""<link name="b"><pose>1 0 0 0 0 0</pose>{INERTIAL}</link>
<link name="a"><inertial><pose>1.5 0 0 0 0 0</pose><mass>1</mass>{inertia}</inertial>{visual}</link>"""
    path = save(tmp_path / "frame.sdf", f'<sdf version="1.6"><model name="m">{links}</model></sdf>')
    found = [f for x in link_findings(path, "a", LinkOptions()) for f in x.findings]
    assert not [f for f in found if f.severity == "error"]
    after = massprops.fill(path, links="a", density=1000).links[0].after
    assert after is not None
    np.testing.assert_allclose(after.com, [1.5, 0, 0], atol=1e-12)


@each("said", ["<mass>0</mass>", "<mass>-1</mass>", "<density>0</density>"])
def test_an_auto_inertial_of_no_mass_is_an_error_of_its_link_alone(tmp_path: Path, said: str) -> None:
    path = tmp_path / "r.sdf"
    auto = f'<link name="a"><inertial auto="true">{said}</inertial><collision name="c">{BOX}</collision></link>'
    path.write_text(f'<sdf version="1.11"><model name="m">{auto}<link name="b">{INERTIAL}</link></model></sdf>')
    a, b = read_robot(path)
    assert a.error is not None
    assert (a.error.code, b.error) == ("not-positive", None)
    assert [f.link.name for f in link_findings(path, None, LinkOptions())] == ["a", "b"]

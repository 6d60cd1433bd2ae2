"""SDFormat as libsdformat reads it: versions, frames of geometry, shapes, inertials that are computed, and what is not read.

Modules tested: `formats/robot/sdf`, `formats/robot/sdf_versions`, `formats/robot/includes`.
"""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import oracles
import pytest
from cases import each, raised

import massprops
from massprops.errors import MasspropsError, ReadError
from massprops.formats.robot import Link, read_robot

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
        assert body.mass == pytest.approx(mass, rel=1e-12)
        np.testing.assert_allclose(body.com, [x, 0, 0], atol=1e-12)
        np.testing.assert_allclose(body.inertia, mass / 6 * np.eye(3) + steiner * np.diag([0, 1, 1]), atol=1e-9 * mass)
    assert massprops.fill(path).data == path.read_bytes()  # the default leaves alone what the format computes
    given = massprops.fill(path, links="all", density=10, mass_from="density").links[0].after
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
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="2"/></joint>
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

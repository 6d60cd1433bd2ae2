"""SDFormat as libsdformat reads it: versions, frames of geometry, shapes, inertials that are computed, and what is not read.

Modules tested: `formats/robot/sdf`, `formats/robot/sdf_versions`, `formats/robot/includes`.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each, raised

from massprops.errors import ReadError
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

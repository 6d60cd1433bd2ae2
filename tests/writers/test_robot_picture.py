"""Pictures of robots: links where the joints put them, marks at their centres, colours by what is wrong with them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import each
from oracles import box_form, cylinder_form, indexed, sphere_form

from massprops import measure
from massprops.diagnosis.robot_links import LinkOptions
from massprops.formats.robot.links import Primitive
from massprops.measurement.links import facets_of
from massprops.writers.picture.drawing import draw
from massprops.writers.picture.robot import robot_scene
from massprops.writers.picture.scene import DARK, LIGHT, Look

BOX = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
#: Of a cube of a metre and 6 t, m a²/6 = 1000.
GOOD = '<inertial><mass value="6000"/><inertia ixx="1000" iyy="1000" izz="1000" ixy="0" ixz="0" iyz="0"/></inertial>'
#: No body has it: 1000 + 1000 < 4000.
BAD = '<inertial><mass value="6000"/><inertia ixx="1000" iyy="1000" izz="4000" ixy="0" ixz="0" iyz="0"/></inertial>'

PASSED = LIGHT["link without findings"]


def robot(tmp_path: Path, arm: str) -> Path:
    """A cube, and another one 3 m to the right that slides along z."""
    joint = '<joint name="lift" type="prismatic"><parent link="base"/><child link="arm"/><origin xyz="3 0 0"/><axis xyz="0 0 1"/><limit lower="0" upper="5"/></joint>'  # fmt: skip # noqa: E501
    path = tmp_path / "robot.urdf"
    links = f'<link name="base">{GOOD}{BOX}</link><link name="arm">{arm}{BOX}</link>'
    path.write_text(f'<robot name="r">{links}{joint}</robot>', encoding="ascii")
    return path


def test_a_joint_moves_its_link(tmp_path: Path) -> None:
    path = str(robot(tmp_path, GOOD))
    for lift in (0.0, 2.5):
        scene, findings = robot_scene(path, {"lift": lift}, LinkOptions(), None)
        assert findings == []
        assert scene.bounds == pytest.approx(np.array([[-0.5, -0.5, -0.5], [3.5, 0.5, 0.5 + lift]]))
        assert [m.point.tolist() for m in scene.markers] == [[0, 0, 0], pytest.approx([3, 0, lift])]
        assert [e.words for e in scene.legend[1:]] == [
            "centre of mass of a link",
            "2 links without errors and warnings",
        ]


def test_a_link_has_the_colour_of_its_verdict(tmp_path: Path) -> None:
    # seen from the front, the base is on the left and the arm on the right, each a cube with its mark in the middle
    for arm, colour in ((GOOD, PASSED), (BAD, LIGHT["link with errors"]), ("", LIGHT["link with warnings"])):
        scene, _ = robot_scene(str(robot(tmp_path, arm)), {}, LinkOptions(), None)
        canvas = draw(scene, Look(views=["front"], size=(500, 400)))
        rows, columns = np.nonzero(canvas.depth > -np.inf)
        side = np.ptp(columns) / 4
        for middle, expected in ((columns.min() + side / 2, PASSED), (columns.max() - side / 2, colour)):
            pixel = canvas.image[int(rows.max() - side / 6), int(middle - side / 3)].astype(float)
            assert pixel / pixel.max() == pytest.approx(np.array(expected) / max(expected), abs=0.03)


def test_the_number_of_a_link_is_seen_on_a_link_of_its_colour(tmp_path: Path) -> None:
    # a ring of the ground is round it, and the digit is far from the disc in brightness
    for theme in (LIGHT, DARK):
        scene, _ = robot_scene(str(robot(tmp_path, BAD)), {}, LinkOptions(), None)
        without = replace(scene, markers=[m for m in scene.markers if not m.number])
        with_number, plain = (
            draw(s, Look(views=["front"], size=(500, 400), theme=theme)).image.astype(int) for s in (scene, without)
        )
        changed = (with_number != plain).any(axis=2)
        colours = with_number[changed]
        assert (abs(colours - theme["background"]).max(axis=1) < 8).sum() > 20
        disc = (colours == theme["link with errors"]).all(axis=1)
        contrast = abs(
            colours[~disc] @ [0.299, 0.587, 0.114] - np.dot(theme["link with errors"], [0.299, 0.587, 0.114])
        )
        assert contrast.max() > 90


def test_heavier_links_have_larger_marks(tmp_path: Path) -> None:
    scene, _ = robot_scene(str(robot(tmp_path, GOOD.replace('"6000"', '"600"'))), {}, LinkOptions(), None)
    base, arm = (m.radius for m in scene.markers if not m.number)
    assert 3 < arm < base


@each(
    ("solid", "volume", "share"),
    [
        (Primitive("box", {"x": 1.0, "y": 2.0, "z": 3.0}), box_form(1, 2, 3).volume, 1e-12),
        # a polygon of n sides in a circle has n/(2π) sin(2π/n) of its area, 36: 0.005 missing; bands of δ = π/18 miss δ²/4 more
        (Primitive("cylinder", {"radius": 0.5, "length": 2.0}), cylinder_form(0.5, 2).volume, 0.006),
        (Primitive("sphere", {"radius": 2.0}), sphere_form(2.0).volume, 0.013),
        (Primitive("ellipsoid", {"rx": 1.0, "ry": 2.0, "rz": 3.0}), 4 / 3 * math.pi * 6, 0.013),
        (Primitive("capsule", {"radius": 1.0, "length": 3.0}), math.pi * 3 + 4 / 3 * math.pi, 0.013),
    ],
)
def test_shapes_are_drawn_as_closed_surfaces_of_their_size(solid: Primitive, volume: float, share: float) -> None:
    found = measure(indexed(facets_of(solid)))
    assert found.grade == "proved"
    assert float(volume) * (1 - share) <= found.volume <= float(volume) * (1 + 1e-12)

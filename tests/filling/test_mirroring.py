"""Inertials copied across a plane through the parent, as `fill --mirror` does."""

from __future__ import annotations

import re
from pathlib import Path

import console
import numpy as np
import oracles
import pytest
from cases import raised

import massprops
from massprops.errors import InvalidInput

#: Signs of coordinates, and of roll, pitch and yaw, under a reflection in xz.
AXES, ANGLES = np.array([1, -1, 1]), np.array([-1, 1, -1])
BOX = '<visual><origin xyz="{}" rpy="{}"/><geometry><box size="0.1 0.2 0.3"/></geometry></visual>'


def words(values: object) -> str:
    return " ".join(map(repr, np.asarray(values, float).tolist()))


def robot(*, turned: object = (0.0, 0.0, 0.0), shape: float = 1.0, y: float = -0.3) -> str:
    """Two arms of a base on both sides of xz, the right one in a frame that is turned besides."""
    centre, angles = np.array([0.1, 0.02, 0.03]), np.array([0.1, 0.2, 0.3])
    pose = massprops.Pose.from_xyz_rpy([0, 0, 0], turned).inverse() @ massprops.Pose.from_xyz_rpy(
        AXES * centre, ANGLES * angles
    )
    right = BOX.format(words(pose.translation * shape), words(rpy(pose.rotation)))
    return f"""<robot name="r"><link name="base"/>
<link name="left_arm"><inertial><origin xyz="0.1 0.02 0.03" rpy="0.3 0 0.1"/><mass value="1.5"/>
<inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.03" iyz="0.003" izz="0.04"/></inertial>
{BOX.format(words(centre), words(angles))}</link>
<link name="right_arm">{right}</link>
<joint name="l" type="fixed"><parent link="base"/><child link="left_arm"/><origin xyz="0.2 0.3 0.4"/></joint>
<joint name="r" type="fixed"><parent link="base"/><child link="right_arm"/><origin xyz="0.2 {y} 0.4" rpy="{words(turned)}"/></joint>
</robot>"""


def rpy(r: np.ndarray) -> list[float]:
    return [np.arctan2(r[2, 1], r[2, 2]), -np.arcsin(r[2, 0]), np.arctan2(r[1, 0], r[0, 0])]


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    return path


@pytest.mark.parametrize("turned", [(0, 0, 0), (3.141592653589793, 0, 0), (0.4, -0.2, 1.1)])
def test_the_robot_becomes_symmetric_whatever_the_frames_are(tmp_path: Path, turned) -> None:
    """The centre of both arms is in the plane, and the products across it vanish: neither shares code with the copy."""
    path = written(tmp_path, robot(turned=turned))
    filled = massprops.fill(path, mirror="left=right", in_place=True)
    (link,) = filled.links
    assert (link.name, link.mass_from, link.source, link.after.mass) == ("right_arm", "mirrored", "left_arm", 1.5)
    body = massprops.combine(path, missing="ignore").body.properties
    assert body.mass == 3
    assert abs(body.com[1]) < 1e-12
    assert abs(body.inertia[0, 1]) < 1e-12
    assert abs(body.inertia[1, 2]) < 1e-12
    assert abs(body.inertia[0, 2]) > 1e-3  # else the law would say nothing
    assert [f.code for f in link.findings] == ["mirror-plane"]
    if turned == (0, 0, 0):
        left, right = (massprops.open_bodies(f"{path}#{side}_arm").bodies[0].properties for side in ("left", "right"))
        np.testing.assert_allclose(right.inertia, left.mirrored("xz").inertia, rtol=1e-12)
        back = massprops.fill(path, mirror=("right", "left")).links[0].after
        np.testing.assert_allclose(back.inertia, left.inertia, rtol=1e-12)  # twice is the identity


def test_what_is_filled_now_is_mirrored(tmp_path: Path) -> None:
    path = written(tmp_path, robot())
    one, other = massprops.fill(path, density=1000, links="all", mirror="left=right").links
    wanted = massprops.fill(path, density=1000, links="all").links[1]
    assert (one.mass_from, other.mass_from) == ("stated", "mirrored")
    np.testing.assert_allclose(other.after.com, wanted.after.com, atol=1e-12)
    assert other.after.mass == 1.5


def test_the_command_does_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, robot())
    done = console.run("fill", path, "--mirror", "left=right", "-o", tmp_path / "out.urdf")
    assert (done.returncode, "right_arm  mirrored from left_arm" in done.err) == (0, True)
    assert "the plane of the mirror is xz through the origin of base" in " ".join(done.err.split())
    assert (tmp_path / "out.urdf").read_bytes() == massprops.fill(path, mirror="left=right").data
    config = tmp_path / "massprops.toml"
    config.write_text('[fill]\nmirror = "left=right"\nmirror-plane = "xz"\n')
    assert console.run("fill", path, "--config", config, "-o", tmp_path / "c.urdf").returncode == 0
    assert (tmp_path / "c.urdf").read_bytes() == (tmp_path / "out.urdf").read_bytes()
    config.write_text('[fill]\nmirror = "left"\n')
    assert "massprops.toml:2: mirror: must be two words" in console.run("fill", path, "--config", config).err


def test_a_geometry_that_is_no_image_is_refused_or_where_the_plane_is_stated_noticed(tmp_path: Path) -> None:
    path = written(tmp_path, robot(shape=1.5))
    caught = raised(InvalidInput, massprops.fill, path, mirror="left=right")
    assert "the links are placed as in xz, but the geometry of right_arm is no image: its centre is" in str(caught)
    (link,) = massprops.fill(path, mirror="left=right", mirror_plane="xz").links
    assert [(f.code, f.severity) for f in link.findings] == [("geometry-not-mirrored", "warning")]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mirror": "lefty=right"}, "no link has 'lefty' in its name; did you mean left_arm?"),
        ({"mirror": "left=wright"}, "1 link has no twin: left_arm (no wright_arm); did you mean right_arm?"),
        ({"mirror": "left"}, "mirror must be two words, got 'left'; for example left=right"),
        ({"mirror": "left=left"}, "mirror must be two words"),
        ({"mirror": 3}, "mirror must be two words"),
        ({"mirror": "base=left_arm"}, "base and left_arm have no common parent"),
        ({"mirror_plane": "xz"}, "mirror_plane needs mirror"),
        ({"mirror": "left=right", "mirror_plane": "yx"}, "mirror_plane must be one of xy, xz, yz, got 'yx'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, given: dict[str, object], message: str) -> None:
    assert message in str(raised(InvalidInput, massprops.fill, written(tmp_path, robot()), **given))


def test_places_that_no_plane_mirrors_are_refused(tmp_path: Path) -> None:
    caught = raised(InvalidInput, massprops.fill, written(tmp_path, robot(y=-0.31)), mirror="left=right")
    assert "in none of xy, xz, yz are the links mirrored; give mirror_plane='xz'" in str(caught)


def test_a_link_without_an_inertial_has_none_to_give(tmp_path: Path) -> None:
    (link,) = massprops.fill(written(tmp_path, robot()), mirror="right=left", mirror_plane="xz").links
    assert (link.name, link.after, link.error.code) == ("left_arm", None, "no-inertial")


def test_what_is_mirrored_takes_its_share_of_the_mass_of_the_robot(tmp_path: Path) -> None:
    bare = re.sub(r"<inertial>.*?</inertial>", "", robot(), flags=re.DOTALL)
    links = massprops.fill(written(tmp_path, bare), mass=12, mirror="left=right").links
    masses, codes = zip(*((x.after.mass, [f.code for f in x.findings]) for x in links if x.after), strict=True)
    assert (masses, codes) == ((6.0, 6.0), ([], ["mirror-plane"]))
    stated = massprops.fill(written(tmp_path, robot()), mass=3, links="all", mirror="left=right").links
    assert [x.after.mass for x in stated if x.after] == [1.5, 1.5]
    caught = raised(InvalidInput, massprops.fill, written(tmp_path, robot()), mass=4, links="all", mirror="left=right")
    assert "the links have 3 kg, not 4 kg" in str(caught)


def test_a_mass_of_a_link_that_is_mirrored_is_not_ignored(tmp_path: Path) -> None:
    path = written(tmp_path, robot())
    caught = raised(InvalidInput, massprops.fill, path, mirror="left=right", masses={"right_arm": "mass:2kg"})
    assert "right_arm is mirrored from left_arm, and has a mass of its own; state that of left_arm" in str(caught)
    links = massprops.fill(path, mirror="left=right", masses={"*_arm": "mass:2kg"}).links
    assert [x.after.mass for x in links if x.after] == [2.0, 2.0]


@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("side", ["left_arm", "right_arm"])
@pytest.mark.parametrize("kind", ["refused", "stands in", "missing", "none"])
def test_links_whose_geometry_is_not_compared_say_so(tmp_path: Path, side: str, plane: str | None, kind: str) -> None:
    """The inertial is a copy whatever the geometry is; nobody must take it for compared."""
    oracles.write_ascii_stl(
        tmp_path / "open.stl", np.array(oracles.box((-0.05, -0.1, -0.15), (0.05, 0.1, 0.15)), float)[:6]
    )
    text = robot()
    head, own, tail = re.split(rf'(?<=<link name="{side}">)(.*?)(?=</link>)', text, maxsplit=1, flags=re.DOTALL)
    box = '<geometry><box size="0.1 0.2 0.3"/></geometry>'
    mesh = own.replace(box, f'<geometry><mesh filename="{"gone" if kind == "missing" else "open"}.stl"/></geometry>')
    shape = re.search(r"<visual>.*</visual>", own, re.DOTALL)[0]
    geometry = {"stands in": mesh + shape.replace("visual", "collision"), "none": own.replace(shape, "")}
    path = written(tmp_path, head + geometry.get(kind, mesh) + tail)
    (link,) = massprops.fill(path, mirror="left=right", mirror_plane=plane).links
    assert (link.mass_from, link.after.mass) == ("mirrored", 1.5)
    (said,) = [f for f in link.findings if f.code == "geometry-not-compared"]
    assert said.severity == "warning"
    why = {"none": "no geometry", "missing": "no such file", "stands in": "the visual geometry is refused"}
    assert "geometry is not compared with that of left_arm, mirrored in xz" in said.message
    assert f"{side}: " in said.message
    assert why.get(kind, "open-edges") in said.message
    (whole,) = massprops.fill(written(tmp_path, text), mirror="left=right", mirror_plane=plane).links
    assert "geometry-not-compared" not in {f.code for f in whole.findings}

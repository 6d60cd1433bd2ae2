"""`formats/robot/links` and its dialects: the geometry of links, and what `diagnosis/link_geometry` measures of it."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import oracles
import pytest
from damage import box_mesh, open_ball

from massprops.diagnosis.link_geometry import Measurer
from massprops.errors import InvalidGeometry, ReadError
from massprops.formats.robot import Link, read_robot
from massprops.formats.search_path import SearchPath
from massprops.frames import Pose
from massprops.measurement.links import LinkSolids
from massprops.measurement.pipeline import measure
from massprops.rigid_body.extent import Extent
from massprops.units import length_unit

#: Turned about z by a right angle, then moved: exact in doubles, and no axis stays where it was but one.
TURN = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
OFFSET = np.array([0.5, -0.25, 2])
PART = oracles.tetrahedron()
#: π/2 as a double is off by 6e-17, and sums over a tetrahedron cost a few roundings of its largest coordinate's fifth power.
ROUNDING = 1e-13


def save(path: Path, triangles: np.ndarray = PART) -> Path:
    return oracles.write_ascii_stl(path, triangles)


def robot(tmp_path: Path, text: str, name: str = "robot.xml") -> list[Link]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_robot(str(path))


def measured(tmp_path: Path, link: Link, wanted: str = "auto", **where: object):
    return Measurer(SearchPath(tmp_path, **where)).measure(link, wanted)  # type: ignore[arg-type]


def assert_is(found, triangles: np.ndarray) -> None:
    """The oracle's exact rationals, relative to the largest entry of each integral."""
    exact = oracles.exact_body(triangles)
    volume, centre = float(abs(exact.volume)), oracles.floats(exact.centroid)
    assert found.solid.moments.measure == pytest.approx(volume, rel=ROUNDING)
    assert found.solid.moments.centroid == pytest.approx(centre, abs=ROUNDING * np.abs(centre).max())
    second = found.solid.moments.central_second()
    tensor = np.trace(second) * np.eye(3) - second
    wanted = oracles.floats(exact.inertia) * np.sign(float(exact.volume))
    assert tensor == pytest.approx(wanted, abs=10 * ROUNDING * np.abs(wanted).max())


URDF = """<robot name="r"><link name="a"><visual><origin xyz="0.5 -0.25 2" rpy="0 0 1.5707963267948966"/>
<geometry><mesh filename="part.stl" scale="{}"/></geometry></visual></link></robot>"""
SDF = """<sdf version="1.9"><model name="m"><link name="a"><visual name="v"><pose degrees="true">0.5 -0.25 2 0 0 90</pose>
<geometry><mesh><uri>part.stl</uri><scale>{}</scale></mesh></geometry></visual></link></model></sdf>"""
MJCF = """<mujoco><asset><mesh name="p" file="part.stl" scale="{}"/></asset><worldbody><body name="a">
<geom type="mesh" mesh="p" pos="0.5 -0.25 2" euler="0 0 90" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("text", [URDF, SDF, MJCF], ids=["urdf", "sdf", "mjcf"])
@pytest.mark.parametrize("scale", [(1, 1, 1), (0.5, 2, 4), (1, -1, 1), (-2, -2, -2)], ids=str)
def test_a_scaled_placed_mesh_is_the_mapped_body(tmp_path: Path, text: str, scale: tuple[float, ...]) -> None:
    # a mirror that turned the volume negative, or a scale applied after the turn, would show
    save(tmp_path / "part.stl")
    (link,) = robot(tmp_path, text.format(" ".join(map(str, scale))))
    found = measured(tmp_path, link)
    kept = [f for f in found.findings if f.code != "implausible-size"]  # the shapes are metres across
    assert (found.which, found.complete, kept) == ("visual", True, [])
    assert_is(found, oracles.mapped(PART, TURN @ np.diag(scale), OFFSET))


@pytest.mark.parametrize("text", [URDF, SDF, MJCF], ids=["urdf", "sdf", "mjcf"])
def test_pieces_that_are_closed_together_are_one_solid(tmp_path: Path, text: str) -> None:
    # a visual split by material; each piece by itself is open, and its loops could be closed in many ways
    shape = re.search(r"<(visual|geom) .*?</\1>|<visual>.*?</visual>|<geom .*?/>", text, re.DOTALL)[0]
    asset = re.search(r"<mesh name.*?/>", text)
    for whole in (shape, *([asset[0]] if asset else [])):
        names = [(f"part{k}.stl", f'"p{k}"', f'"v{k}"') for k in range(3)]
        each = [whole.replace("part.stl", n).replace('"p"', p).replace('"v"', v) for n, p, v in names]
        text = text.replace(whole, "".join(each))
    body = oracles.box((0, 1, 2), (1, 3, 5))
    for k in range(3):
        save(tmp_path / f"part{k}.stl", body[4 * k : 4 * k + 4])
    (link,) = robot(tmp_path, text.replace("{}", "1 -2 1"))
    found = measured(tmp_path, link)
    assert (found.which, found.complete, found.findings, found.solid.doubts) == ("visual", True, (), ())
    assert_is(found, oracles.mapped(body, TURN @ np.diag([1, -2, 1]), OFFSET))
    save(tmp_path / "part2.stl", body[8:11])  # without a facet they are not one solid
    assert measured(tmp_path, link).solid is None or measured(tmp_path, link).solid.doubts


def test_an_open_mesh_in_a_closed_one_of_its_link_is_measured_with_it(tmp_path: Path) -> None:
    """Of a ball without its bottom alone little is known; in the box of the same link the bottom does not count."""
    box = box_mesh(-np.ones(3), np.ones(3))
    save(tmp_path / "ball.stl", open_ball(0.75))
    save(tmp_path / "box.stl", box)
    visual = '<visual><geometry><mesh filename="{}.stl"/></geometry></visual>'
    links = ["".join(map(visual.format, names)) for names in (["ball"], ["ball", "box"])]
    alone, together = robot(
        tmp_path, f'<robot name="r"><link name="a">{links[0]}</link><link name="b">{links[1]}</link></robot>'
    )
    solids = LinkSolids(SearchPath().beside(str(tmp_path / "robot.xml")))
    with pytest.raises(InvalidGeometry, match="of the volume open"):
        solids.place_whole(alone.visual)
    (found,) = solids.place_whole(together.visual)
    whole = measure(np.concatenate([box, open_ball(0.75, whole=True)]), units="m", on_overlap="union")
    assert found.moments.measure == pytest.approx(whole.volume, rel=0.01)


def bounds_of(extent: Extent) -> np.ndarray:
    return np.array([-extent.reach(-np.eye(3)), extent.reach(np.eye(3))])


@pytest.mark.parametrize("text", [URDF, SDF, MJCF], ids=["urdf", "sdf", "mjcf"])
def test_the_bounds_hold_the_body(tmp_path: Path, text: str) -> None:
    save(tmp_path / "part.stl")
    (link,) = robot(tmp_path, text.format("1 -2 1"))
    bounds = bounds_of(measured(tmp_path, link).solid.extent())
    corners = oracles.mapped(PART, TURN @ np.diag([1, -2, 1]), OFFSET).reshape(-1, 3)
    # a right angle keeps the box tight
    assert bounds == pytest.approx(np.array([corners.min(axis=0), corners.max(axis=0)]), abs=ROUNDING * 20)


def test_several_geometries_are_summed(tmp_path: Path) -> None:
    save(tmp_path / "part.stl")
    visual = '<visual><origin xyz="{}"/><geometry>{}</geometry></visual>'
    mesh, box = '<mesh filename="part.stl"/>', '<box size="2 4 6"/>'
    text = f'<robot name="r"><link name="a">{visual.format("0 0 0", mesh)}{visual.format("20 0 1", box)}</link></robot>'
    (link,) = robot(tmp_path, text)
    both = np.concatenate([PART, oracles.box((19, -2, -2), (21, 2, 4))])
    assert_is(measured(tmp_path, link), both)


PRIMITIVES = {
    "box": (oracles.box_form(Fraction(2), Fraction(4), Fraction(6)), "2 4 6", "1 2 3"),
    "sphere": (oracles.sphere_form(2.0), "2", "2"),
    "cylinder": (oracles.cylinder_form(2.0, 6.0), "2 6", "2 3"),
}


@pytest.mark.parametrize("kind", PRIMITIVES)
@pytest.mark.parametrize("dialect", ["urdf", "sdf", "mjcf"])
def test_a_primitive_is_its_closed_form(tmp_path: Path, kind: str, dialect: str) -> None:
    # MuJoCo's sizes are halves, the others' are whole
    form, whole, halves = PRIMITIVES[kind]
    names = {"box": ["size"], "sphere": ["radius"], "cylinder": ["radius", "length"]}[kind]
    values = dict(zip(names, [whole] if kind == "box" else whole.split(), strict=True))
    attributes = " ".join(f'{n}="{v}"' for n, v in values.items())
    children = "".join(f"<{n}>{v}</{n}>" for n, v in values.items())
    shape = f"<{kind} {attributes}/>" if dialect == "urdf" else f"<{kind}>{children}</{kind}>"
    link = f'<link name="a"><visual name="v"><geometry>{shape}</geometry></visual></link>'
    texts = {
        "urdf": f'<robot name="r">{link}</robot>',
        "sdf": f'<sdf><model name="m">{link}</model></sdf>',
        "mjcf": f'<mujoco><worldbody><body name="a"><geom type="{kind}" size="{halves}"/></body></worldbody></mujoco>',
    }
    (found,) = (measured(tmp_path, link).solid.moments for link in robot(tmp_path, texts[dialect]))
    assert found.measure == pytest.approx(float(form.volume), rel=ROUNDING)
    wanted = np.array([float(x) for x in form.second])
    assert found.central_second().diagonal() == pytest.approx(wanted, rel=ROUNDING)


def test_a_capsule_between_two_points_lies_between_them(tmp_path: Path) -> None:
    text = '<mujoco><worldbody><body name="a"><geom type="capsule" fromto="1 2 3  1 2 7" size="0.5"/></body></worldbody></mujoco>'
    (link,) = robot(tmp_path, text)
    found = measured(tmp_path, link)
    assert found.solid.moments.centroid.tolist() == [1, 2, 5]
    assert bounds_of(found.solid.extent()) == pytest.approx(np.array([[0.5, 1.5, 2.5], [1.5, 2.5, 7.5]]), rel=1e-12)


def test_geoms_take_what_they_leave_out_from_their_class_and_frames_move_them(tmp_path: Path) -> None:
    # the commonest form of converted robots: a class for what is drawn, one for what collides
    save(tmp_path / "meshes" / "part.stl")
    (link,) = robot(
        tmp_path,
        """<mujoco><compiler meshdir="meshes" angle="radian"/>
        <default><geom contype="1"/><default class="drawn"><geom type="mesh" contype="0" conaffinity="0"/></default>
        <default class="hit"><geom type="box" size="1 1 1" euler="0.5 0 0"/></default></default>
        <asset><mesh file="part.stl"/></asset>
        <worldbody><body name="a" childclass="hit"><geom pos="1 0 0" quat="1 0 0 0"/>
        <frame pos="0.5 -0.25 2" euler="0 0 1.5707963267948966"><geom class="drawn" mesh="part"/></frame></body></worldbody></mujoco>""",
    )
    assert_is(measured(tmp_path, link, "visual"), oracles.mapped(PART, TURN, OFFSET))
    assert_is(measured(tmp_path, link, "collision"), oracles.box((0, -1, -1), (2, 1, 1)))


def test_visual_comes_first_unless_only_the_collision_geometry_is_whole(tmp_path: Path) -> None:
    save(tmp_path / "part.stl")
    text = """<robot name="r"><link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual>
    <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""
    (link,) = robot(tmp_path, text.format("part.stl"))
    assert measured(tmp_path, link).which == "visual"
    assert measured(tmp_path, link, "collision").which == "collision"
    (link,) = robot(tmp_path, text.format("gone.stl"))
    found = measured(tmp_path, link)
    assert (found.which, found.complete) == ("collision", True)
    assert [(f.code, f.severity) for f in found.findings] == [("missing-mesh", "warning")]
    assert found.findings[0].message == (
        f"the visual geometry at {tmp_path}/robot.xml:1 is not measured: gone.stl: no such file"
    )


def test_a_part_of_the_geometry_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    text = """<robot name="r"><link name="a"><visual><geometry><mesh filename="gone.stl"/></geometry></visual>
    <visual><geometry><box size="1 1 1"/></geometry></visual></link></robot>"""
    (link,) = robot(tmp_path, text)
    assert not measured(tmp_path, link).complete


def test_an_open_mesh_is_refused_and_not_compared(tmp_path: Path) -> None:
    save(tmp_path / "part.stl", PART[:2])
    (link,) = robot(tmp_path, URDF.format("1 1 1"))
    found = measured(tmp_path, link)
    assert (found.complete, found.solid, found.refused.code) == (False, None, "open-edges")
    (said,) = found.findings
    assert (said.code, said.severity) == ("broken-mesh", "warning")
    assert re.search(r"is not measured: \S*part\.stl: open-edges", said.message)
    assert "on-open" not in said.message  # a link has no such option


def test_a_broken_mesh_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text("solid part\nfacet", encoding="ascii")
    (link,) = robot(tmp_path, URDF.format("1 1 1"))
    found = measured(tmp_path, link)
    assert [f.code for f in found.findings] == ["broken-mesh"]
    assert "part.stl" in found.findings[0].message


DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/><up_axis>Z_UP</up_axis>
</asset><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">1 2 3 7 -1 2 0 5 -4 3 3 9</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def test_a_collada_mesh_is_in_the_unit_that_it_states(tmp_path: Path) -> None:
    (tmp_path / "part.dae").write_text(DAE, encoding="utf-8")
    (link,) = robot(tmp_path, URDF.format("1 1 1").replace("part.stl", "part.dae"))
    volume = float(oracles.TETRAHEDRON_VOLUME) * 1e-6
    # a centimetre is a rounded double, and is multiplied three times
    assert measured(tmp_path, link).solid.moments.measure == pytest.approx(volume, rel=1e-12)


def test_a_gltf_mesh_is_turned_from_y_up_to_z_up(tmp_path: Path) -> None:
    """glTF is defined with y up and links with z up: unturned, a box lies on its side. The scale is along the axes of the link."""
    import trimesh

    box = trimesh.creation.box((1.0, 2.0, 4.0))
    box.apply_translation((10.0, 20.0, 30.0))
    (tmp_path / "part.glb").write_bytes(box.export(file_type="glb"))
    (link,) = robot(tmp_path, URDF.format("1 1 2").replace("part.stl", "part.glb"))
    pose = link.visual[0].pose if hasattr(link, "visual") else link.geometry("visual")[0].pose
    found = measured(tmp_path, link).solid.moments
    assert found.measure == pytest.approx(16.0, rel=1e-12)
    # (x, y, z) of the file is (x, -z, y) of the link, and z is then stretched
    expected = pose.rotation @ np.array([10.0, -30.0, 40.0]) + pose.translation
    assert found.centroid == pytest.approx(expected, rel=1e-12)


def test_one_bad_link_does_not_hide_the_others(tmp_path: Path) -> None:
    bad, good = '<link name="a"><inertial/></link>', '<link name="b"/>'
    first, second = robot(tmp_path, f'<robot name="r">{bad}{good}</robot>', "r.urdf")
    assert str(first.error) == f"{tmp_path}/r.urdf:1: <inertial> has no <mass>; add <mass>"
    assert (second.name, second.error) == ("b", None)


def test_the_line_is_that_of_the_inertial(tmp_path: Path) -> None:
    # what an annotation in a pull request points at
    text = '<robot name="r">\n<link name="a">\n<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    one, two = robot(tmp_path, text + '</inertial></link>\n<link name="b"/></robot>')
    assert (one.line, two.line) == (3, 4)


def test_links_held_by_fixed_joints_are_known(tmp_path: Path) -> None:
    joint = '<joint name="{0}" type="{1}"><parent link="a"/><child link="{2}"/></joint>'
    text = f'<robot name="r"><link name="a"/><link name="b"/><link name="c"/>{joint.format("j", "fixed", "b")}'
    links = robot(tmp_path, text + joint.format("k", "revolute", "c") + "</robot>")
    assert [x.fixed for x in links] == [False, True, False]


def test_a_root_that_is_no_robot(tmp_path: Path) -> None:
    with pytest.raises(
        ReadError, match=r"^.*robot\.xml:1: not a URDF, SDF or MJCF file: the root element is <html>; expand"
    ):
        robot(tmp_path, "<html/>")


def test_the_oracle_knows_the_turn() -> None:
    # else the laws above would compare two mistakes
    assert Pose.from_xyz_rpy(OFFSET, [0, 0, np.pi / 2]).apply([1, 2, 3]) == pytest.approx(
        TURN @ [1, 2, 3] + OFFSET, abs=1e-15
    )
    assert length_unit("m") == 1.0


# --- what the programs read that these files are written for ---------------------------------------------------------


def test_a_scale_of_one_number_is_that_of_all_axes_in_urdf(tmp_path: Path) -> None:
    # https://github.com/bulletphysics/bullet3: UrdfParser::parseGeometry
    save(tmp_path / "part.stl")
    (link,) = robot(tmp_path, URDF.format("2"))
    assert measured(tmp_path, link).solid.moments.measure == pytest.approx(
        8 * float(oracles.TETRAHEDRON_VOLUME), rel=ROUNDING
    )


def test_the_first_of_several_uris_counts_in_sdf(tmp_path: Path) -> None:
    save(tmp_path / "part.stl")
    text = SDF.format("1 1 1").replace("</uri>", "</uri><uri>gone.stl</uri>")
    (link,) = robot(tmp_path, text)
    assert "missing-file" not in {f.code for f in measured(tmp_path, link).findings}
    assert measured(tmp_path, link).complete


INERTIA = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
SCALED = """<sdf><model name="m"><link name="a"><inertial><mass>2</mass></inertial><visual name="v"><geometry>
<mesh><uri>a.stl</uri><scale>2</scale></mesh></geometry></visual></link></model></sdf>"""
DRAWN = f'<robot name="r"><link name="a">{INERTIA}<visual>%s</visual></link></robot>'
GEOM = """<mujoco><asset><mesh name="one" file="m.stl" scale="2"/><mesh name="moved" file="m.stl" refpos="1 0 0"/>
<mesh name="m" file="m.stl"/></asset><worldbody><body name="a"><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/>%s</body>
</worldbody></mujoco>"""
BROKEN = {
    DRAWN % '<geometry><box size="1 1"/></geometry>': "size: expected 3 numbers, got 2",
    DRAWN % '<origin xyz="1"/><geometry/>': "origin xyz: expected 3 numbers, got 1",
    SCALED: "scale: expected 3 numbers, got 1",
    GEOM % '<geom type="box"/>': "<geom> has no attribute 'size'",
    GEOM % '<geom class="gone"/>': "the default class 'gone' is not defined",
    GEOM % '<frame quat="0 0 0 0"><geom size="1"/></frame>': "quat is a quaternion of length 0",
    GEOM % '<geom type="mesh" mesh="one"/>': "scale: expected 3 numbers, got 1",
}
UNMEASURED = {
    # MuJoCo fits a sphere of equal inertia to it: its geoms are spheres unless they say otherwise
    GEOM % '<geom mesh="m"/>': "MuJoCo fits a sphere to mesh 'm'",
    GEOM % '<geom type="mesh" mesh="moved"/>': "mesh 'moved' is moved by refpos or refquat",
    GEOM % '<geom type="mesh" mesh="gone"/>': "no mesh 'gone' is defined",
}


@pytest.mark.parametrize(("text", "said"), (BROKEN | UNMEASURED).items(), ids=range(len(BROKEN | UNMEASURED)))
def test_a_bad_geometry_does_not_hide_the_inertial(text: str, said: str, tmp_path: Path) -> None:
    (link,) = robot(tmp_path, text)
    assert link.error is None
    assert link.body is not None
    assert link.body.properties.mass == 2
    found = measured(tmp_path, link)
    assert not found.complete
    (finding,) = found.findings
    expected = ("broken-geometry", "error") if text in BROKEN else ("unmeasured-geometry", "info")
    assert (finding.code, finding.severity) == expected
    assert said in finding.message


def test_mujoco_takes_a_mesh_geom_without_a_type_for_a_sphere(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    oracles.write_binary_stl(tmp_path / "m.stl", PART)
    text = '<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody><body><geom mesh="m"/></body></worldbody></mujoco>'
    (tmp_path / "m.xml").write_text(text, encoding="utf-8")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml")).geom_type.tolist() == [mujoco.mjtGeom.mjGEOM_SPHERE]


def test_a_mesh_that_several_robots_name_is_measured_once_until_it_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    monkeypatch.setattr(
        "massprops.measurement.links.measure", lambda mesh, **options: read.append(mesh) or measure(mesh, **options)
    )
    volumes = []
    for size in (1, 1, 2):
        save(tmp_path / "part.stl", size * PART)
        os.utime(tmp_path / "part.stl", ns=(size, size))  # a clock that is too coarse would hide the second writing
        for name in ("a.urdf", "b.urdf"):
            (link,) = robot(tmp_path, URDF.format("1 1 1"), name)
            volumes.append(measured(tmp_path, link).solid.moments.measure)
    assert len(read) == 2
    assert volumes == pytest.approx(np.repeat([1, 1, 8], 2) * float(abs(oracles.exact_body(PART).volume)), rel=ROUNDING)


SDF_JOINTS = """<sdf version="1.11"><model name="m"><link name="base"/><link name="a"/><link name="b"/>
<joint name="j" type="revolute"><parent>base</parent><child>a</child>
<axis><xyz>0 0 1</xyz><limit><lower>-2</lower><upper>1e16</upper></limit></axis></joint>
<joint name="k" type="prismatic"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
<limit><lower>-1e16</lower><upper>0.5</upper></limit>
<mimic joint="j"><multiplier>-3</multiplier><offset>0.25</offset><reference>0.1</reference></mimic></axis></joint>
</model></sdf>"""


def test_joints_of_sdf_have_limits_and_follow_others(tmp_path: Path) -> None:
    """http://sdformat.org/spec?elem=joint: follower = multiplier (leader − reference) + offset; ±1e16 is no limit."""
    _, a, b = robot(tmp_path, SDF_JOINTS, "r.sdf")
    (turn,), (slide,) = a.placement().joints, b.placement().joints
    assert (turn.kind, turn.limits, turn.mimic) == ("turn", (-2.0, np.inf), None)
    assert (slide.kind, slide.limits) == ("slide", (-np.inf, 0.5))
    assert slide.mimic is not None
    assert slide.mimic.leader == "j"
    assert slide.mimic.value(0.5, rest=0.0) == pytest.approx(-3 * (0.5 - 0.1) + 0.25, rel=1e-15)


@pytest.mark.parametrize(
    ("compiler", "joint", "limits"),
    [
        ("", 'type="hinge" range="-90 45"', (-np.pi / 2, np.pi / 4)),
        ('angle="radian"', 'type="hinge" range="-1 0.5"', (-1.0, 0.5)),
        ("", 'type="slide" range="-90 45"', (-90.0, 45.0)),
        ("", 'type="hinge" range="-90 45" limited="false"', (-np.inf, np.inf)),
        ("", 'type="hinge"', (-np.inf, np.inf)),
    ],
)
def test_ranges_of_mjcf_are_in_the_unit_of_angles_or_metres(
    tmp_path: Path, compiler: str, joint: str, limits: tuple[float, float]
) -> None:
    body = f'<body name="a"><joint name="j" {joint}/><geom size="1"/></body>'
    (link,) = robot(tmp_path, f"<mujoco><compiler {compiler}/><worldbody>{body}</worldbody></mujoco>")
    (found,) = link.placement().joints
    assert found.limits == pytest.approx(limits, rel=1e-15)

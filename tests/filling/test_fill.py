"""`filling/robot` with `filling/inertials`, `masses` and `solids`: right numbers into robot files, and not one byte elsewhere."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from cases import refused
from damage import blob, moments
from hypothesis import given
from hypothesis import strategies as st
from oracles import box, write_ascii_stl, write_binary_stl

from massprops.errors import InvalidInput, ReadError
from massprops.filling import fill
from massprops.filling.inertials import Document
from massprops.formats.bodies import NamedBody
from massprops.formats.robot import read_robot
from massprops.measurement import links
from massprops.measurement.combining import combine
from massprops.rigid_body import shapes

#: Sums over twelve facets, and a shift to the centroid.
ROUNDING = 1e-13


def visual(shape: str, origin: str = "") -> str:
    return f"<visual>{origin}<geometry><{shape}/></geometry></visual>"


BOX = visual('box size="1 2 3"')
STATED = '<inertial><mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def urdf(*links: str) -> str:
    body = "\n".join(
        f'  <link name="{name}">\n    {content}\n  </link>' for name, content in zip("abcdef", links, strict=False)
    )
    return f'<?xml version="1.0"?>\n<robot name="r">\n{body}\n</robot>\n'


def saved(tmp_path: Path, text: str | bytes, name: str = "robot.urdf") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def bodies(tmp_path: Path, data: bytes, name: str = "again.urdf") -> dict:
    return {link.name: link.body.properties for link in read_robot(str(saved(tmp_path, data, name))) if link.body}


def without_inertials(data: bytes) -> bytes:
    document = Document.parse("x", data)
    spans = [s for s in document.root.walk() if s.tag == "inertial"]
    return document.apply_edits([(s.start, s.end, b"") for s in spans])


def test_a_link_without_an_inertial_gets_that_of_its_box(tmp_path: Path) -> None:
    found = fill(saved(tmp_path, urdf(BOX)), density=1000)
    body = bodies(tmp_path, found.data)["a"]
    assert body.mass == pytest.approx(6000, rel=ROUNDING)
    # m/12 (b² + c²) of a box with sides 1, 2, 3
    assert body.inertia.diagonal() == pytest.approx([500 * 13, 500 * 10, 500 * 5], rel=ROUNDING)
    (link,) = found.links
    assert (link.name, link.before, link.mass_from, link.error) == ("a", None, "density", None)


def test_nothing_but_the_inertial_changes_and_a_second_run_changes_nothing(tmp_path: Path) -> None:
    text = urdf(f"<!-- keep --> {BOX}", STATED.format(2) + BOX)
    found = fill(saved(tmp_path, text), density=1000)
    before, after = (without_inertials(data).replace(b"\n    ", b"") for data in (text.encode(), found.data))
    assert after == before
    assert fill(saved(tmp_path, found.data), density=1000, links="all").links[1].error is None
    again = fill(saved(tmp_path, found.data), density=1000)
    assert (again.files, again.links) == ({}, ())
    every = fill(saved(tmp_path, found.data), density=1000, links="all")
    assert fill(saved(tmp_path, every.data), density=1000, links="all").files == {}


EOLS = st.sampled_from(["\n", "\r\n"])
INDENTS = st.sampled_from(["  ", "\t", "    ", ""])
CONTENTS = (
    "<!-- <inertial><mass value='1'/></inertial> -->",
    "<!-- ü > \" ' -->",
    "<visual><geometry><box   size='1 1 1' /></geometry></visual>",
    '<collision name="a &gt; b &amp; c"><geometry><box size="1 1 1"/></geometry></collision>',
    "<x:extra xmlns:x='urn:x' note='/&gt;'><![CDATA[<inertial>]]></x:extra>",
    "<visual><origin xyz='0 0 5'/><geometry><cylinder radius='1' length='2'/></geometry></visual><!-- é -->",
)
TRAPS = st.lists(st.sampled_from(CONTENTS), min_size=1, max_size=5, unique=True)
NUMBERS = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/><mass value='0'/>"
LINE = "{eol}{ind}{ind}{ind}"
BY_HAND = f"<inertial>{LINE}<!-- by hand -->{LINE}{NUMBERS}{LINE.removesuffix('{ind}')}</inertial>"
INERTIALS = st.sampled_from(["", STATED.format(0), STATED.format(3), BY_HAND])


@given(traps=st.lists(st.tuples(TRAPS, INERTIALS), min_size=1, max_size=3), eol=EOLS, indent=INDENTS, bom=st.booleans())
def test_zero_bytes_change_outside_the_inertials(tmp_path_factory, traps, eol, indent, bom) -> None:
    tmp_path = tmp_path_factory.mktemp("robot")
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<robot name='r' xmlns:xacro=\"http://wiki.ros.org/xacro\">"]
    for i, (contents, inertial) in enumerate(traps):
        lines.append(f"{indent}<link name = 'link{i}'>")
        inner = [inertial.replace("{eol}", eol).replace("{ind}", indent)] if inertial else []
        lines += [f"{indent}{indent}{c}" for c in [*contents[:1], *inner, *contents[1:]]]
        lines.append(f"{indent}</link>")
    text = (b"\xef\xbb\xbf" if bom else b"") + eol.join([*lines, "</robot>", ""]).encode()
    found = fill(saved(tmp_path, text), density=1000, links="all", mass_from="density")
    before, after = Document.parse("x", text), Document.parse("x", found.data)
    assert found.data.startswith(b"\xef\xbb\xbf") == bom
    # take the inertials out of both, with the blanks before those that were put in: what is left is the same, byte for byte
    links = list(zip(before.root.all("link"), after.root.all("link"), strict=True))
    cut_before = [(s.start, s.end, b"") for old, _ in links for s in old.all("inertial")]
    cut_after = [
        (s.start if old.all("inertial") else new.inner, s.end, b"") for old, new in links for s in new.all("inertial")
    ]
    assert after.apply_edits(cut_after) == before.apply_edits(cut_before)
    if eol == "\r\n":
        assert not re.search(rb"(?<!\r)\n", found.data)
    for comment in re.findall(rb"<!--.*?-->", text):
        assert comment in found.data
    assert fill(saved(tmp_path, found.data), density=1000, links="all", mass_from="density").files == {}


def test_the_encoding_of_the_file_stays(tmp_path: Path) -> None:
    text = urdf(f"<!-- Gehäuse --> {BOX}").replace('version="1.0"', 'version="1.0" encoding="ISO-8859-1"')
    found = fill(saved(tmp_path, text.encode("latin-1")), density=1)
    assert b"Geh\xe4use" in found.data
    assert len(found.data) > len(text)


def test_overlapping_solids_are_united_and_not_summed(tmp_path: Path) -> None:
    beside = visual('box size="2 1 1"', '<origin xyz="1 0 0"/>')
    path = saved(tmp_path, urdf(visual('box size="2 2 2"') + beside))
    united, summed = fill(path, density=1), fill(path, density=1, overlap="sum")
    # a cube of 8 and a bar of 2, of which half lies in the cube
    assert bodies(tmp_path, united.data)["a"].mass == pytest.approx(9, rel=1e-9)
    assert bodies(tmp_path, summed.data)["a"].mass == pytest.approx(10, rel=ROUNDING)


def test_a_round_solid_in_another_is_united_within_its_bound(tmp_path: Path) -> None:
    shapes = visual('sphere radius="1"') + visual('cylinder radius="0.3" length="4"')
    (link,) = fill(saved(tmp_path, urdf(shapes)), density=1).links
    # the part of the bar in the sphere: a cylinder of height 2h and two caps of height 1 − h, h = √(1 − 0.09)
    h = np.sqrt(1 - 0.09)
    inside = np.pi * 0.09 * 2 * h + 2 * np.pi * (1 - h) ** 2 * (3 - (1 - h)) / 3
    truth = 4 / 3 * np.pi + np.pi * 0.09 * 4 - inside
    assert abs(link.after.mass - truth) <= link.solid.uncertainty <= 0.02 * truth


def test_masses_weighed_beat_stated_and_stated_beat_a_density(tmp_path: Path) -> None:
    path = saved(tmp_path, urdf(BOX, STATED.format(4242) + BOX, STATED.format(1e9) + BOX, BOX))
    found = fill(path, density=1000, links="all", masses={"a": "mass:7kg com:0,6,12mm", "d": "density:2"})
    after = {f.name: (f.after.mass, f.mass_from) for f in found.links}
    assert after == {
        "a": (7.0, "weighed"),
        "b": (4242.0, "stated"),
        "c": (pytest.approx(6000, rel=ROUNDING), "density"),  # 1e9 kg in 6 m³ is the mass of nothing
        "d": (pytest.approx(12, rel=ROUNDING), "density"),
    }
    assert bodies(tmp_path, found.data)["a"].com.tolist() == [0, 0.006, 0.012]
    again = fill(path, density=1000, links="all", mass_from="density")
    assert [f.after.mass for f in again.links] == pytest.approx([6000] * 4, rel=ROUNDING)


@pytest.mark.parametrize("digits", [None, 4])
def test_links_that_state_the_mass_they_were_filled_with_agree_with_their_geometry(
    tmp_path: Path, digits: int | None
) -> None:
    # --links all --check in CI: the tensor is that of the mass as it is written
    write_ascii_stl(tmp_path / "part.stl", np.array(box((0.3, 0.017, -0.0093), (0.3371, 0.13, 0.0719)), float))
    mesh = visual('mesh filename="part.stl"', '<origin xyz="0.3 0.017 -0.0093" rpy="1 -0.4 0.7"/>')
    path = saved(tmp_path, urdf(mesh))
    for density in range(701, 2500, 37):
        weighed = {"masses": {"a": f"mass:{density / 7919}"}}
        for amount in ({"density": density}, {"mass": density / 7919}, weighed):
            filled = saved(tmp_path, fill(path, digits=digits, **amount).data, "filled.urdf")
            assert fill(filled, links="all", digits=digits).files == {}, density


@pytest.mark.parametrize("digits", [1, 2, 3, 4, 9])
def test_the_robots_mass_is_that_of_its_links_but_for_the_digits(tmp_path: Path, digits: int) -> None:
    """Of two links the halves of 2888.8… kg are rounded down, to 1000 kg each with one digit."""
    path = saved(tmp_path, f'<robot name="r"><link name="a">{BOX}</link><link name="b">{BOX}</link></robot>')
    filled = saved(tmp_path, fill(path, mass=26000 / 9, digits=digits).data, "filled.urdf")
    assert fill(filled, mass=26000 / 9, links="all", digits=digits).files == {}
    with pytest.raises(InvalidInput, match="no link can take the difference"):
        fill(filled, mass=5000.0, links="all", digits=digits)


def test_the_robots_mass_is_shared_by_volume(tmp_path: Path) -> None:
    found = fill(
        saved(tmp_path, urdf(BOX, visual('box size="1 1 2"'), STATED.format(5), BOX)), mass=100, masses={"d": "mass:15"}
    )
    shares = {f.name: f.after.mass for f in found.links}
    assert shares == pytest.approx({"a": 60, "b": 20, "d": 15}, rel=1e-12)  # 100 − 5 − 15, in volumes of 6 and 2
    assert "nothing is left" in refused(InvalidInput, fill, saved(tmp_path, urdf(BOX, STATED.format(5))), mass=5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "for 1 of the links; give density=, material=, mass= or masses={'LINK': 'mass:…'}"),
        ({"density": 1, "mass": 2}, "density and mass are mutually exclusive"),
        ({"density": 1, "links": "finger"}, "links: there is no link 'finger'"),
        ({"density": 1, "masses": {"q": "mass:1"}}, "set: there is no link 'q'"),
        ({"density": 1, "masses": {"a": "mas:1"}}, "'mas:1' for link 'a' is not KEY:VALUE; did you mean mass"),
        (
            {"density": 1, "masses": {"a": "mass:1 density:2"}},
            "set: link 'a' has several of density, material and mass",
        ),
        ({"density": 1, "masses": {"a": "com:1,2"}}, "com of link 'a' has 2 of 3 coordinates"),
        ({"density": 1, "mass_from": "densities"}, "mass_from must be one of stated, density, got 'densities'"),
        ({"density": 1, "geometry": "auto"}, "geometry must be one of visual, collision, got 'auto'"),
        ({"density": 1, "overlap": "add"}, "overlap must be one of union, sum, got 'add'"),
        ({"density": 1, "repair": "all"}, "repair must be one of none, safe, full, got 'all'"),
    ],
)
def test_wrong_arguments_are_named(tmp_path: Path, arguments, message) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        fill(saved(tmp_path, urdf(BOX)), **arguments)


def test_copies_of_a_geometry_are_one_and_too_many_facets_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4,000 copies of a mesh, or 19,000 balls, took 4 GB."""
    part = np.array(box((0, 0, 0), (1, 2, 3)), float)
    for name, facets in (("part.stl", part), ("open.stl", part[1:])):
        write_ascii_stl(tmp_path / name, facets)
    monkeypatch.setattr(links, "MOST_FACETS", 150)
    copies = (visual('mesh filename="part.stl"') + BOX) * 20
    (link,) = fill(saved(tmp_path, urdf(copies)), density=1).links
    assert link.after.mass == pytest.approx(6 + 6 - 0.5 * 1 * 1.5, rel=1e-9)  # one from the origin on, and one about it
    places = [f'<origin xyz="0.{k:02} 0 0"/>' for k in range(20)]
    kinds = {'mesh filename="part.stl"': "too-large", 'sphere radius="1"': "too-large"}
    for shape, code in (kinds | {'mesh filename="open.stl"': "open-edges"}).items():  # not joined, so open
        path = saved(tmp_path, urdf("".join(visual(shape, place) for place in places)))
        (link,) = fill(path, density=1, repair="safe").links
        assert (link.error and link.error.code) == code


def test_one_bad_link_does_not_stop_the_others(tmp_path: Path) -> None:
    found = fill(saved(tmp_path, urdf(visual('mesh filename="gone.stl"'), BOX)), density=1)
    assert [(f.name, f.error is None) for f in found.links] == [("a", False), ("b", True)]
    assert found.data.count(b"<inertial>") == 1


def test_the_collision_geometry_stands_in_for_a_visual_that_is_refused(tmp_path: Path) -> None:
    part = np.array(box((0, 0, 0), (1, 2, 3)), float) - (0.5, 1, 1.5)
    write_ascii_stl(tmp_path / "open.stl", part[:6])  # half of the surface
    hull, large = (BOX.replace("visual", "collision").replace("1 2 3", f"{x} 2 3") for x in (1.2, 1.3))
    wanted = visual('mesh filename="open.stl"')
    aside = hull.replace("<geometry>", '<origin xyz="0 0 1"/><geometry>')
    path = saved(tmp_path, urdf(wanted + hull, wanted, wanted + large, wanted + aside, BOX + hull))
    stands_in, *refused, whole = fill(path, density=10).links
    assert (stands_in.solid.which, stands_in.after.mass) == ("collision", pytest.approx(72, rel=ROUNDING))
    assert (stands_in.solid.grade, stands_in.to_dict()["uncertainty"]) == (
        "unverified",
        None,
    )  # of the box, not of the link
    (said,) = [f for f in stands_in.findings if f.code == "other-geometry"]
    assert said.severity == "warning"
    assert "the visual geometry is refused" in said.message
    assert "1.2 × 1 × 1 times as large" in said.message
    assert "open.stl: open-edges" in said.message
    assert [(f.error.code, f.after) for f in refused] == [("open-edges", None)] * 3  # nothing else, or another body
    assert (whole.solid.which, whole.findings) == ("visual", ())
    path = saved(tmp_path, urdf(BOX + wanted.replace("visual", "collision")))
    assert fill(path, density=1, geometry="collision").links[0].solid.which == "visual"
    (missing,) = fill(saved(tmp_path, urdf(visual('mesh filename="gone.stl"') + hull)), density=1).links
    assert missing.error.code == "missing-file"  # a mistake of the call: the visual may be fine


def test_a_link_that_is_left_as_it_was_has_its_reason_alone(tmp_path: Path) -> None:
    """It was said that another geometry is measured in the place of a refused one, and that the link is not filled."""
    write_ascii_stl(tmp_path / "open.stl", np.array(box((-0.5, -1, -1.5), (0.5, 1, 1.5)), float)[:6])
    geoms = '<geom type="mesh" mesh="m" contype="0" conaffinity="0" {}/><geom type="box" size="0.6 1 1.5" {}/>'
    stated = ['mass="0"', 'mass="2"', 'density="3"']
    both = [(a, b) for a in ("", *stated) for b in ("", *stated)]
    bodies = "".join(f"<body><freejoint/>{geoms.format(*own)}</body>" for own in both)
    text = f'<mujoco><asset><mesh name="m" file="open.stl"/></asset><worldbody>{bodies}</worldbody></mujoco>'
    path = saved(tmp_path, text, "robot.xml")
    filled, *left = fill(path, density=100).links
    assert (filled.after.mass, [f.code for f in filled.findings]) == (pytest.approx(720), ["other-geometry"])
    for link in left:
        shown = link.to_dict()
        assert link.error.code == "stated-geom-mass"
        assert (link.after, link.findings, shown["after"], shown["mass_from"]) == (None, (), None, None)
    every = fill(path, density=100, mass_from="density").links
    assert {(f.after.mass, f.findings[0].code) for f in every} == {(filled.after.mass, "other-geometry")}


def test_geometries_of_other_kinds_are_no_mirror_images(tmp_path: Path) -> None:
    write_ascii_stl(tmp_path / "open.stl", np.array(box((0, 0, 0), (1, 2, 3)), float)[:6] - (0.5, 1, 1.5))
    hull = BOX.replace("visual", "collision").replace("1 2 3", "1.2 2 3")
    arms = (
        urdf(BOX, visual('mesh filename="open.stl"') + hull).replace('"a"', '"left_arm"').replace('"b"', '"right_arm"')
    )
    joint = '<joint name="{0}" type="fixed"><parent link="base"/><child link="{0}_arm"/><origin xyz="0 {1} 0"/></joint>'
    ends = '<link name="base"/>' + joint.format("left", 1) + joint.format("right", -1) + "</robot>"
    path = saved(tmp_path, arms.replace("</robot>", ends))
    left, right = fill(path, density=1, mirror="left=right", mirror_plane="xz").links
    assert (right.mass_from, right.after.mass) == ("mirrored", left.after.mass)
    assert [f.code for f in right.findings] == ["geometry-not-compared"]


def test_a_volume_known_within_a_tenth_fills_a_link_unless_less_is_asked_for(tmp_path: Path) -> None:
    body = blob(3)
    height = body.mean(axis=1) @ np.array([0.3, 0.5, 0.8])
    write_binary_stl(tmp_path / "open.stl", body[np.argsort(-height)[len(body) // 25 :]])
    path, (volume, *_) = saved(tmp_path, urdf(visual('mesh filename="open.stl"'))), moments(body)
    (link,) = fill(path, density=1).links
    assert 0.01 * volume < link.solid.uncertainty < 0.1 * volume
    assert abs(link.after.mass - volume) <= link.solid.uncertainty
    assert fill(path, density=1, repair="safe").links[0].error.code == "open-edges"


def test_a_mesh_is_scaled_mirrored_and_turned(tmp_path: Path) -> None:
    part = np.array(box((0, 0, 0), (1, 2, 3)), float)
    write_ascii_stl(tmp_path / "part.stl", part)
    mesh = visual('mesh filename="part.stl" scale="-1 2 1"', '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>')
    body = bodies(tmp_path, fill(saved(tmp_path, urdf(mesh)), density=1).data)["a"]
    # the box from (−1, 0, 0) to (0, 4, 3), a quarter turn about z, then moved: from (1 − 4, 2 − 1, 3) to (1, 2, 6)
    assert body.mass == pytest.approx(12, rel=ROUNDING)
    assert body.com == pytest.approx([-1, 1.5, 4.5], rel=ROUNDING)
    assert body.inertia.diagonal() == pytest.approx([1 * (1 + 9), 1 * (16 + 9), 1 * (16 + 1)], rel=ROUNDING)


def test_pieces_of_one_visual_are_filled_as_one_solid(tmp_path: Path) -> None:
    part = np.array(box((0, 0, 0), (1, 2, 3)), float)
    for k in range(2):
        write_ascii_stl(tmp_path / f"p{k}.stl", part[6 * k : 6 * k + 6])
    beside = visual('box size="1 1 1"', '<origin xyz="1 0.5 0.5"/>')  # half of it in the box of the pieces
    pieces = visual('mesh filename="p0.stl"') + visual('mesh filename="p1.stl"')
    for content, volume in ((pieces, 6), (pieces + beside, 6.5)):
        body = bodies(tmp_path, fill(saved(tmp_path, urdf(content)), density=1).data)["a"]
        assert body.mass == pytest.approx(volume, rel=1e-9)  # the union by manifold3d


def test_pieces_that_are_refused_alone_are_filled_together(tmp_path: Path) -> None:
    # each half lacks the other one, and both together a small hole
    body = blob(3)
    (volume, center, _), middle = moments(body), body.mean(axis=1)
    left = np.argsort(-(middle @ np.array([0.3, 0.5, 0.8])))[len(body) // 100 :]
    halves = [left[(middle[left] @ np.array([0.9, -0.2, 0.1]) > 0) == side] for side in (True, False)]
    for k, half in enumerate(halves):
        write_binary_stl(tmp_path / f"p{k}.stl", body[half])
        alone = fill(saved(tmp_path, urdf(visual(f'mesh filename="p{k}.stl"'))), density=1).links[0]
        assert alone.error.code == "open-edges"
    pieces = "".join(visual(f'mesh filename="p{k}.stl"') for k in range(2))
    (link,) = fill(saved(tmp_path, urdf(pieces)), density=1).links
    assert link.solid.grade == "estimated"
    assert abs(link.after.mass - volume) <= link.solid.uncertainty < 0.05 * volume
    assert link.after.com == pytest.approx(center, abs=0.05)


SDF = """<?xml version="1.0"?>
<sdf version="1.9">
  <model name="m">
    <link name="a">
      <pose>1 2 3 0 0 1</pose>
      <visual name="v"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></visual>
    </link>
    <model name="inner">
      <link name="b"><collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>
    </model>
  </model>
</sdf>
"""

MJCF = """<mujoco model="m">
\t<compiler angle="degree"/>
\t<worldbody>
\t\t<body name="a" pos="0 0 1">
\t\t\t<geom type="box" size="0.5 1 1.5" pos="0 0 1"/>
\t\t\t<body name="b">
\t\t\t\t<joint/>
\t\t\t\t<geom type="sphere" size="1"/>
\t\t\t</body>
\t\t</body>
\t</worldbody>
</mujoco>
"""


@pytest.mark.parametrize(("text", "name", "inner"), [(SDF, "robot.sdf", "inner::b"), (MJCF, "robot.xml", "b")])
def test_sdf_and_mjcf_are_filled(tmp_path: Path, text: str, name: str, inner: str) -> None:
    found = fill(saved(tmp_path, text, name), density=1)
    after = bodies(tmp_path, found.data, f"again{Path(name).suffix}")
    assert after["a"].mass == pytest.approx(6, rel=ROUNDING)
    assert after["a"].com.tolist() == [0, 0, 1]
    assert after[inner].mass == pytest.approx(4 / 3 * np.pi, rel=ROUNDING)
    assert without_inertials(found.data).split() == without_inertials(text.encode()).split()


def test_an_included_file_is_filled_where_the_body_stands(tmp_path: Path) -> None:
    part = '<mujocoinclude><body name="p"><geom type="sphere" size="1"/></body></mujocoinclude>\n'
    saved(tmp_path, part, "part.xml")
    main = '<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>\n'
    found = fill(saved(tmp_path, main, "scene.xml"), density=1)
    assert [Path(p).name for p in found.files] == ["part.xml"]
    (data,) = found.files.values()
    assert without_inertials(data) == part.encode()
    assert found.data == main.encode()


ZERO = '<mass value="0"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'


KEPT = [
    "<!-- </inertial> -->",
    "<?keep <inertial> ?>",
    "<note a='>'><!-- of it --></note>",
    "<!-- a\n   b -->\n<!-- c -->",
]


@pytest.mark.parametrize("inside", KEPT)
def test_what_is_no_number_stays_in_a_replaced_inertial(tmp_path: Path, inside: str) -> None:
    path = saved(tmp_path, urdf(f"<inertial>{inside}{ZERO}</inertial>{BOX}"))
    found = fill(path, density=1)
    for part in re.findall(r"<!--.*?-->|<\?.*?\?>|<note.*?</note>", inside, re.DOTALL):
        assert found.text.count(part) == 1
    assert bodies(tmp_path, found.data)["a"].mass == pytest.approx(6)
    again = fill(saved(tmp_path, found.data), density=1, links="all", mass_from="density")
    assert again.files == {}


def test_added_mass_of_fluid_stays(tmp_path: Path) -> None:
    fluid = "<fluid_added_mass><xx>1</xx></fluid_added_mass>"
    text = SDF.replace("<pose>1 2 3 0 0 1</pose>", f"<inertial><mass>0</mass>{fluid}</inertial>")
    assert fluid in fill(saved(tmp_path, text, "robot.sdf"), density=1).text


@pytest.mark.parametrize("inertial", ["<inertial/>", "<inertial></inertial>", '<inertial><mass value="x"/></inertial>'])
def test_an_inertial_that_cannot_be_read_is_named_or_replaced(tmp_path: Path, inertial: str) -> None:
    path = saved(tmp_path, urdf(inertial + BOX, BOX))
    named = fill(path, density=1)
    assert [(f.name, f.after is None) for f in named.links] == [("a", True), ("b", False)]
    assert named.links[0].error.exit_code == 3
    assert inertial in named.text
    replaced = fill(path, density=1, links="invalid")
    assert [f.error for f in replaced.links] == [None, None]
    assert bodies(tmp_path, replaced.data)["a"].mass == pytest.approx(6)


@pytest.mark.parametrize("eol", ["\r", "\r\n", "\n"])
def test_an_inserted_inertial_has_the_line_ends_around_it(tmp_path: Path, eol: str) -> None:
    text = urdf(BOX).replace("\n", eol)
    (whole,) = re.findall(r"<inertial>.*?</inertial>", fill(saved(tmp_path, text), density=1).data.decode(), re.DOTALL)
    assert set(re.findall(r"\r\n|\r|\n", whole)) == {eol}


@pytest.mark.parametrize("lead", ["\n \n", "<!-- x -->\n"])
def test_lines_before_the_root_change_nothing(tmp_path: Path, lead: str) -> None:
    text = urdf(BOX, BOX)
    text = lead + (text if lead.isspace() else text.partition("\n")[2])
    found = fill(saved(tmp_path, text), density=1)
    assert [f.error for f in found.links] == [None, None]
    assert found.text.startswith(lead)


def test_links_on_one_line_are_known_by_their_names(tmp_path: Path) -> None:
    text = f'<robot name="r"><link name="xa">{BOX}</link><link name="a">{BOX}</link></robot>'
    found = fill(saved(tmp_path, text), masses={"xa": "mass:1", "a": "mass:2"})
    after = bodies(tmp_path, found.data)
    assert (after["xa"].mass, after["a"].mass) == (1, 2)


@pytest.mark.parametrize("name", ["robot.sdf", "robot.xml"])
def test_links_of_one_name_on_one_line_each_get_their_own_inertial(tmp_path: Path, name: str) -> None:
    ball = '<visual name="v"><geometry><sphere><radius>{0}</radius></sphere></geometry></visual>'
    body, text = '<body><geom size="{0}"/></body>', "<mujoco><worldbody>{}</worldbody></mujoco>"
    if name == "robot.sdf":
        body = f'<model name="{{0}}"><link name="l">{ball}</link></model>'
        text = '<sdf version="1.9"><model name="m">{}</model></sdf>'
    found = fill(saved(tmp_path, text.format(body.format(1) + body.format(2)), name), density=1)
    assert [f.error for f in found.links] == [None, None]
    masses = [b.mass for b in bodies(tmp_path, found.data, name).values()]
    assert masses == pytest.approx([4 / 3 * np.pi, 32 / 3 * np.pi], rel=ROUNDING)


@pytest.mark.parametrize("selection", [["missing", "b"], ["all"], ("invalid", "b")])
def test_selections_and_names_of_links_can_be_given_together(tmp_path: Path, selection) -> None:
    path = saved(tmp_path, urdf(BOX, STATED.format(600) + BOX))
    assert [f.name for f in fill(path, density=1000, links=selection).links] == ["a", "b"]


ONLY_MASS = {
    "robot.urdf": urdf('<inertial><mass value="600"/></inertial>' + BOX),
    "robot.sdf": """<sdf version="1.9"><model name="m"><link name="a"><inertial auto="true"><mass>600</mass></inertial>
        <visual name="v"><geometry><box><size>1 2 3</size></box></geometry></visual></link></model></sdf>""",
    "robot.xml": '<mujoco><worldbody><body name="a"><inertial mass="600"/><geom type="box" size=".5 1 1.5"/></body></worldbody></mujoco>',
}


@pytest.mark.parametrize("name", ONLY_MASS)
def test_a_stated_mass_is_kept_where_the_rest_of_the_inertial_is_not_there(tmp_path: Path, name: str) -> None:
    (link,) = fill(saved(tmp_path, ONLY_MASS[name], name), density=1000, links="all").links
    assert (link.after.mass, link.mass_from) == (600, "stated")


def test_a_mass_of_the_robot_that_its_links_do_not_have_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, urdf(STATED.format(600) + BOX))
    with pytest.raises(InvalidInput, match=r"^mass: the links have 600 kg, not 700 kg"):
        fill(path, mass=700, links="all")
    assert fill(path, mass=700, links="all", mass_from="density").links[0].after.mass == 700
    assert fill(path, mass=600, links="all").links[0].after.mass == 600


def test_links_whose_mass_is_not_known_are_named_where_the_rest_is_shared_out(tmp_path: Path) -> None:
    one, other = fill(saved(tmp_path, urdf(BOX, visual('mesh filename="lost.stl"'))), mass=10).links
    assert (one.after.mass, [f.code for f in one.findings]) == (10, ["unknown-mass", "implausible-density"])
    assert "without b," in one.findings[0].message
    assert other.error.code == "missing-file"


def test_a_mass_so_small_that_moments_underflow_fills_nothing(tmp_path: Path) -> None:
    (link,) = fill(saved(tmp_path, urdf(BOX)), masses={"a": "mass:1e-323"}).links
    assert link.after is None
    assert link.error.code == "underflow"


def test_a_mass_of_thousands_of_tons_is_written_only_where_it_is_stated(tmp_path: Path) -> None:
    # 100 × 200 × 300 mm without a scale: 6·10⁶ m³
    path = saved(tmp_path, urdf(visual('box size="100 200 300"')))
    (link,) = fill(path, density=1000).links
    assert (link.after, link.error.code) == (None, "implausible-mass")
    assert "then it is 6 kg" in link.error.message
    (link,) = fill(path, masses={"a": "mass:2e5"}).links
    assert link.after.mass == 2e5
    heavy = [NamedBody("a", box_body).all_findings for box_body in (shapes.box(2, 2, 2, mass=m) for m in (1e5, 1.1e5))]
    assert [[f.code for f in found] for found in heavy] == [[], ["implausible-mass"]]


def test_a_density_that_no_material_has_is_named_once_for_all_links(tmp_path: Path) -> None:
    first, second, third = fill(saved(tmp_path, urdf(BOX, BOX, BOX)), density=2.7, masses={"c": "mass:1"}).links
    assert "is 2.7 g/cm3 meant?" in first.findings[0].message
    assert (second.findings, [f.code for f in third.findings]) == ((), ["implausible-density"])


def test_masses_of_geoms_are_seen_in_default_classes_and_frames(tmp_path: Path) -> None:
    classes = '<default><default class="heavy"><geom mass="3"/></default></default>'
    text = f'<mujoco>{classes}<worldbody><body name="b">{{}}</body></worldbody></mujoco>'
    for geom in ('<geom class="heavy" size="1"/>', '<frame><geom mass="3" size="1"/></frame>'):
        path = saved(tmp_path, text.format(geom), "robot.xml")
        assert fill(path, density=1).links[0].error.code == "stated-geom-mass"
        assert fill(path, density=1, mass_from="density").links[0].error is None
        # a density is that of the file, too, and no other one takes its place without a word
        path = saved(tmp_path, text.replace("mass=", "density=").format(geom.replace("mass=", "density=")), "robot.xml")
        assert fill(path, density=1).links[0].error.code == "stated-geom-mass"


def test_masses_that_geoms_state_are_not_overruled_by_a_density_for_all(tmp_path: Path) -> None:
    text = '<mujoco><worldbody><body name="b"><geom size="1" mass="3"/></body></worldbody></mujoco>'
    path = saved(tmp_path, text, "robot.xml")
    (link,) = fill(path, density=1).links
    assert link.error.code == "stated-geom-mass"
    assert fill(path, masses={"b": "mass:3"}).links[0].after.mass == 3


def test_a_setting_that_makes_mujoco_ignore_the_inertial_is_named(tmp_path: Path) -> None:
    text = MJCF.replace('angle="degree"', 'inertiafromgeom="true"')
    for model, codes in ((text, ["inertia-from-geoms"]), (MJCF, [])):
        links = fill(saved(tmp_path, model, "robot.xml"), density=1000).links
        assert [[f.code for f in link.findings] for link in links] == [codes] * 2


def test_sdf_with_a_byte_order_mark_in_utf_16(tmp_path: Path) -> None:
    text = SDF.replace('version="1.0"', 'version="1.0" encoding="utf-16"', 1).encode("utf-16")
    found = fill(saved(tmp_path, text, "robot.sdf"), density=1)
    assert found.data[:2] == text[:2]
    assert without_inertials(found.data).decode("utf-16").split() == text.decode("utf-16").split()


def test_a_link_that_is_included_twice_is_filled_once(tmp_path: Path) -> None:
    ball = '<visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry></visual>'
    part = f'<sdf version="1.9"><model name="p"><link name="a">{ball}</link></model></sdf>'
    saved(tmp_path, part, "part.sdf")
    include = "<include><uri>part.sdf</uri><name>{}</name></include>"
    main = f'<sdf version="1.9"><model name="m">{include.format("x")}{include.format("y")}</model></sdf>'
    path = saved(tmp_path, main, "robot.sdf")
    (data,) = fill(path, density=1).files.values()
    assert data.count(b"<inertial>") == 1
    found = fill(path, density=1, masses={"x::a": "mass:1"})
    assert [f.error and f.error.code for f in found.links] == [None, "shared-link"]


def test_the_number_of_processes_changes_no_bit(tmp_path: Path) -> None:
    meshes = []
    for i in range(3):
        write_ascii_stl(tmp_path / f"{i}.stl", np.array(box((0, 0, i / 2), (1, 2, 3 + i)), float))
        meshes.append(visual(f'mesh filename="{i}.stl"'))
    path = saved(tmp_path, urdf(*meshes, "".join(meshes), meshes[0].replace("0.stl", "gone.stl")))
    one, two = fill(path, density=1), fill(path, density=1, jobs=2)
    assert one.files == two.files
    assert [f.error and f.error.code for f in two.links] == [None] * 4 + ["missing-file"]


def test_a_macro_is_named_and_its_link_left(tmp_path: Path) -> None:
    text = urdf(BOX + '<xacro:box_inertia m="1"/>').replace(
        "<robot ", '<robot xmlns:xacro="http://wiki.ros.org/xacro" '
    )
    found = fill(saved(tmp_path, text), density=1)
    (link,) = found.links
    assert link.error.code == "xacro-macro"
    assert "xacro:box_inertia" in link.error.message
    assert found.files == {}


@pytest.mark.parametrize("name", ["robot.urdf", "robot.xml", "line.xml"])
def test_a_second_run_changes_no_comment_about_provenance(tmp_path: Path, name: str) -> None:
    text = '<mujoco><worldbody>\n  <body name="a">\n    <geom size="1"/>\n  </body>\n</worldbody></mujoco>'
    text = urdf(BOX) if name == "robot.urdf" else text.replace("\n", "") if name == "line.xml" else text
    first = fill(saved(tmp_path, text, name), density=1000, provenance=True)
    assert first.data.count(b"<!-- massprops ") == 1
    path = saved(tmp_path, first.data, name)
    assert fill(path, density=1000, links="all", provenance=True).files == {}
    assert fill(path, density=1000, links="all").files == {}
    other = fill(path, density=2000, links="all", mass_from="density", provenance=True).data
    assert (other.count(b"<!-- massprops "), b" 2000 kg/m" in other) == (1, True)
    assert b"<!--" not in fill(path, density=2000, links="all", mass_from="density").data


SHARED = {
    "sdf": """<sdf version="1.9"><model name="r"><link name="a"><visual name="v"><geometry><box><size>1 2 3</size></box></geometry>
        </visual></link><link name="b"><inertial auto="true"><density>2</density></inertial><collision name="c"><geometry>
        <box><size>1 1 3</size></box></geometry></collision></link></model></sdf>""",
    "xml": """<mujoco><worldbody><body name="a"><freejoint/><geom type="box" size=".5 1 1.5"/></body><body name="b"><freejoint/>
        <geom type="box" size=".5 .5 1.5" mass="2"/><geom type="box" size=".5 .5 1.5" density="4" pos="9 0 0" mass="4"/></body>
        </worldbody></mujoco>""",
}


@pytest.mark.parametrize("form", SHARED)
@pytest.mark.parametrize("links", ["missing", "a"])
def test_what_the_format_computes_is_no_part_of_a_share(tmp_path: Path, form: str, links: str) -> None:
    """The other link has 6 kg by the format or the simulator, so that 4 kg of 10 kg are left; all 10 kg were given, or 10 kg · 6/12."""
    path = saved(tmp_path, SHARED[form], f"robot.{form}")
    filled = fill(path, mass=10, links=links)
    after = {x.name: x.after.mass for x in filled.links if x.after is not None}
    assert after == pytest.approx({"a": 4.0}, rel=ROUNDING)
    assert not any(f.code == "unknown-mass" for x in filled.links for f in x.findings)
    filled.save(path)
    assert combine(path).body.properties.mass == pytest.approx(10, rel=1e-9)


def test_what_is_no_robot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError):
        fill(saved(tmp_path, "<html/>", "x.urdf"), density=1)


def test_boxes_apart_need_no_union(tmp_path: Path) -> None:
    corners = itertools.product((0, 2), (0, 2))
    spread = "".join(visual('box size="1 1 1"', f'<origin xyz="{x} {y} 0"/>') for x, y in corners)
    (link,) = fill(saved(tmp_path, urdf(spread)), density=1).links
    assert link.solid.method == "4 visual solids, summed"
    assert link.after.mass == pytest.approx(4, rel=ROUNDING)


def test_a_link_whose_volume_is_not_known_well_enough_stays_as_it_was(tmp_path: Path) -> None:
    # far away the corners of a foil are rounded by a fifth of its thickness
    write_binary_stl(tmp_path / "foil.stl", box((1000, 0, 0), (1001, 1, 5e-4)))
    path = saved(tmp_path, urdf(visual('mesh filename="foil.stl"')))
    (link,) = fill(path, density=1000).links
    assert link.after is None
    assert link.error is not None
    assert link.error.code == "uncertain-volume"
    assert fill(path, density=1000, max_uncertainty="50 %").links[0].after is not None


def test_a_mesh_that_the_robot_file_holds_is_refused_under_its_name(tmp_path: Path) -> None:
    asset = '<asset><mesh name="lid" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3"/></asset>'
    body = '<worldbody><body name="b"><freejoint/><geom type="mesh" mesh="lid"/></body></worldbody>'
    path = saved(tmp_path, f"<mujoco>{asset}{body}</mujoco>", "r.xml")
    (link,) = fill(path, density=1).links
    assert link.error.message.startswith(f"{path}:1#lid: open-edges: 4 of 5 edges")

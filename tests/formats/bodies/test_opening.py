"""`formats/bodies/opening` and the readers behind it: what each dialect means, and one tiny bad file per message.

Modules tested: `formats/bodies/opening`, `formats/bodies/json_results`, `formats/inertial/inertial`,
`formats/inertial/numbers`, `formats/xml`.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest
from cases import each, raised, refused
from console import run

import massprops
from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.errors import InvalidInput, MasspropsError, ReadError
from massprops.formats.bodies import NamedBody
from massprops.formats.bodies.json_results import body_dict, objects
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.inertial.inertial import NamedBody as Body
from massprops.formats.xml import parse
from massprops.measurement.output_units import OutputUnits
from massprops.rigid_body.mass_properties import MassProperties

RIGHT = 1.5707963267948966
SLIM = MassProperties(2.0, [1, 2, 3], np.diag([1.0, 1.5, 2]))
TURNED = [[1.5, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2]]


def written(tmp_path: Path, text: str, name: str = "robot.xml") -> str:
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(file)


def read(tmp_path: Path, text: str, name: str = "robot.xml") -> list[Body]:
    return list(open_bodies(written(tmp_path, text, name)).bodies)


def refusal(tmp_path: Path, text: str, name: str = "robot.xml", link: str = "") -> str:
    """The message, with the folder left out."""
    caught = raised(MasspropsError, open_bodies, written(tmp_path, text, name) + link)
    assert caught.exit_code == 3
    return str(caught).replace(f"{tmp_path}/", "")


# --- what the dialects mean ------------------------------------------------------------------------------------------

URDF = f"""<robot name="r">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="1 2 3" rpy="0 0 {RIGHT!r}"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="2"/>
    </inertial>
  </link>
</robot>"""


def test_urdf_turns_the_tensor_with_its_origin(tmp_path: Path) -> None:
    # a quarter turn about z takes x to y and y to −x: Ixx and Iyy change places, Ixy its sign, Ixz = −(old Iyz), Iyz = old Ixz
    contents = open_bodies(written(tmp_path, URDF))
    (arm,) = contents.bodies
    assert (arm.name, arm.place, contents.without) == ("arm", f"{tmp_path}/robot.xml:4", ("base",))
    assert arm.properties.com.tolist() == [1, 2, 3]
    np.testing.assert_allclose(arm.properties.inertia, TURNED, rtol=0, atol=1e-15)


def test_urdf_without_an_origin_is_at_the_origin(tmp_path: Path) -> None:
    bare = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    (body,) = read(tmp_path, bare)
    assert (body.name, body.dialect, body.properties.com.tolist()) == (None, "urdf", [0, 0, 0])


SDF = """<sdf version="1.9">
  <world name="w">
    <model name="robot">
      <link name="base"><inertial>
          <pose degrees="true">1 2 3 0 0 90</pose>
          <mass>2</mass>
          <inertia><ixx>1</ixx><ixy>0.1</ixy><ixz>0.2</ixz><iyy>1.5</iyy><iyz>0.3</iyz><izz>2</izz></inertia>
      </inertial></link>
      <model name="hand"><link name="base"><inertial>
          <pose rotation_format="quat_xyzw">1 2 3  0 0 0.7071067811865476 0.7071067811865476</pose>
          <mass>2</mass>
          <inertia><ixx>1</ixx><ixy>0.1</ixy><ixz>0.2</ixz><iyy>1.5</iyy><iyz>0.3</iyz><izz>2</izz></inertia>
      </inertial></link></model>
      <link name="default"><inertial><pose relative_to="default">0 0 1 0 0 0</pose><inertia><iyy>3</iyy></inertia></inertial></link>
      <link name="nothing"/>
    </model>
  </world>
</sdf>"""


def test_sdf_nests_models_and_has_defaults(tmp_path: Path) -> None:
    base, hand, default, nothing = read(tmp_path, SDF)
    assert [b.name for b in (base, hand, default, nothing)] == ["base", "hand::base", "default", "nothing"]
    for turned in (base, hand):
        np.testing.assert_allclose(turned.properties.inertia, TURNED, rtol=0, atol=1e-15)
    assert default.properties.mass == 1
    assert default.properties.com.tolist() == [0, 0, 1]
    assert default.properties.inertia.tolist() == np.diag([1, 3, 1]).tolist()
    said = [f.message.replace(f"{tmp_path}/", "") for f in default.findings]
    assert said[0] == "robot.xml:14: <mass> is left out; SDFormat takes 1"
    assert [m.split(" is ")[0].split("<")[1] for m in said] == ["mass>", "ixx>", "izz>", "ixy>", "ixz>", "iyz>"]
    assert {f.severity for f in default.findings} == {"warning"}
    assert nothing.properties.inertia.tolist() == np.eye(3).tolist()
    (left_out,) = nothing.findings
    assert left_out.message == (
        f"{tmp_path}/robot.xml:15: <inertial> is left out; SDFormat takes mass 1 kg, moments 1 kg m²"
    )


def test_the_last_part_of_a_nested_name_will_do_where_it_is_alone(tmp_path: Path) -> None:
    file = written(tmp_path, SDF.replace('name="hand"><link name="base">', 'name="hand"><link name="tip">'))
    for link, name in (("tip", "hand::tip"), ("base", "base")):
        assert [b.name for b in open_bodies(f"{file}#{link}").bodies] == [name]


def test_links_of_two_models_are_told_apart(tmp_path: Path) -> None:
    model = '<model name="%s"><link name="l"/></model>'
    text = f'<sdf version="1.9">{model % "a"}{model % "b"}</sdf>'
    assert [b.name for b in read(tmp_path, text)] == ["a::l", "b::l"]
    places = "a::l at robot.xml:1, b::l at robot.xml:1"
    assert refusal(tmp_path, text, link="#l") == f"robot.xml: 2 links are named 'l': {places}"


MJCF = f"""<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base">
      <inertial pos="1 2 3" mass="2" diaginertia="1 1.5 2" euler="0 0 {RIGHT!r}"/>
      <frame pos="1 0 0"><body><inertial pos="0 0 0" mass="1" fullinertia="1 2 2.5 0.1 0.2 0.3"/>
        <body name="geoms"><geom size="1"/></body>
      </body></frame>
    </body>
  </worldbody>
</mujoco>"""


def test_mjcf_bodies_nest(tmp_path: Path) -> None:
    contents = open_bodies(written(tmp_path, MJCF))
    base, unnamed = contents.bodies
    assert (base.name, unnamed.name, contents.without) == ("base", "body2", ("geoms",))
    np.testing.assert_allclose(base.properties.inertia, np.diag([1.5, 1, 2]), rtol=0, atol=1e-15)
    assert unnamed.properties.inertia.tolist() == [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]


def test_what_mujoco_would_ignore_is_said(tmp_path: Path) -> None:
    text = MJCF.replace('angle="radian"', 'angle="radian" inertiafromgeom="true"')
    assert [f.code for f in read(tmp_path, text)[0].findings] == ["inertia-from-geoms"]


RAISED = "boundinertia raises the smallest principal moment from 0.25 kg m² to {} kg m²"


@pytest.mark.parametrize(
    ("settings", "change"),
    [
        ('boundmass="3"', "boundmass raises the mass from 2 kg to 3 kg"),
        ('boundinertia="0.5"', RAISED.format(0.5)),
        ('balanceinertia="true"', "balanceinertia makes the principal moments all 0.75 kg m²"),
        ('boundinertia="0.75" balanceinertia="true"', RAISED.format(0.75)),
        ('settotalmass="5"', "settotalmass scales all bodies so that their masses add up to 5 kg"),
        ('boundmass="2" boundinertia="0.25" balanceinertia="false" settotalmass="0"', None),
    ],
)
def test_what_mujoco_would_change_is_said(settings: str, change: str | None, tmp_path: Path) -> None:
    # what MuJoCo itself makes of this body: mass 3; moments 0.75 0.75 1.5 for that bound, 0.75 each when balanced; mass 5
    text = BODY % (f"<compiler {settings}/>", 'mass="2" pos="0 0 0" diaginertia="0.25 0.5 1.5"')
    (body,) = read(tmp_path, text)
    assert (body.properties.mass, body.properties.inertia.diagonal().tolist()) == (2.0, [0.25, 0.5, 1.5])
    start = f"{tmp_path}/robot.xml:2: the numbers are read as they are stated, but MuJoCo changes them: "
    told = [(f.code, f.severity, f.message) for f in body.findings]
    assert told == ([] if change is None else [("changed-by-compiler", "warning", start + change)])
    grams = OutputUnits("mm", "g")
    assert [" kg" in grams.sentence(f.marked) for f in body.findings] == [False] * len(told)


@each("name", ["massless", "light"])
def test_what_mujoco_adds_to_a_body_without_a_stated_mass_is_said_by_every_command(name: str, tmp_path: Path) -> None:
    """Geoms without a mass, and of 8 g: MuJoCo gives both bodies 3 kg."""
    body = '<body name="{}"><joint/><geom type="box" size=".1 .1 .1" {}/></body>'
    bodies = body.format("massless", 'mass="0"') + body.format("light", 'density="1"')
    path = written(tmp_path, f'<mujoco><compiler boundmass="3"/><worldbody>{bodies}</worldbody></mujoco>')
    for command in ("convert {} -f csv", "combine {}", "check {}", f"explain {{}}#{name}"):
        done = run(*command.format(path).split())
        mass = {"massless": "0 kg", "light": r"(?:0\.008 k|8 )g"}[name]
        said = " ".join(f"{done.out} {done.err}".replace("\xa0", " ").split())
        assert re.search(rf"boundmass raises the mass from {mass} to (3 kg|3000 g)", said), (command, said)


def test_a_quaternion_is_a_direction_and_its_length_is_said(tmp_path: Path) -> None:
    text = '<body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1.5 2" quat="0.7 0 0 0.7"/></body>'
    (body,) = read(tmp_path, text)
    np.testing.assert_allclose(body.properties.inertia, np.diag([1.5, 1, 2]), rtol=0, atol=1e-15)
    (finding,) = body.findings
    assert (finding.code, finding.severity, finding.value) == ("quaternion-length", "info", pytest.approx(0.7 * 2**0.5))


def test_results_are_read_one_or_many(tmp_path: Path) -> None:
    # compute prints an indented object for one file, and a line each for several
    one = json.dumps(body_dict(NamedBody("a", SLIM)), indent=2)
    lines = "\n".join(json.dumps(body_dict(NamedBody(n, SLIM))) for n in "bc")
    for text, names in ((one, ["a"]), (lines, ["b", "c"]), (one + lines, ["a", "b", "c"])):
        assert [b.name for b in read(tmp_path, text, "r.json")] == names
    assert read(tmp_path, lines, "r.json")[1].place.endswith("r.json:2")


@pytest.mark.parametrize("about", ["com", "origin", [4.0, -5.0, 6.0]])
@pytest.mark.parametrize("products", ["tensor", "positive"])
def test_results_are_read_about_any_point_and_with_any_sign(about: object, products: str, tmp_path: Path) -> None:
    tensor = [[1, 0.1, 0.2], [0.1, 1.5, 0.3], [0.2, 0.3, 2]]
    p = MassProperties(2.0, [1, 2, 3], tensor)
    text = json.dumps(body_dict(NamedBody("a", p), about=about, products=products))  # type: ignore[arg-type]
    (body,) = read(tmp_path, text, "r.json")
    # the shift adds 100 kg m² at most, in integers and halves, and takes it away: ulps of 128 are left
    np.testing.assert_allclose(body.properties.inertia, tensor, rtol=0, atol=0 if about == "com" else 128 * 2.0**-52)


def test_a_measured_result_is_read_to_the_last_bit(tmp_path: Path) -> None:
    vertices = [[1, 2, 3], [7, -1, 2], [0, 5, -4], [3, 3, 9]]
    part = massprops.measure((vertices, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), density=1 / 3)
    (body,) = read(tmp_path, json.dumps(part.to_dict()), "part.json")
    assert part.properties is not None
    assert body.properties.mass == part.properties.mass
    assert body.properties.com.tolist() == part.properties.com.tolist()
    assert body.properties.inertia.tolist() == part.properties.inertia.tolist()


OPEN = {"code": "open-integral", "severity": "warning", "message": "up to 2 %", "value": 0.02, "where": [1, 2, 3]}
ERROR = OPEN | {"severity": "error"}
NOTE = {"code": "inverted-surface", "severity": "info", "message": "was turned"}
TRIANGLE = {"code": "triangle-inequality", "severity": "error", "message": "no"}
SAYS = "the result that was read, graded {}, says: {}"
WEAK = ("weak-result", "warning", "the result that was read is graded unverified")
WEAK_OPEN = ("open-integral", "warning", SAYS.format("unverified", "up to 2 %"))
WEAK_NOTE = ("inverted-surface", "info", SAYS.format("unverified", "was turned"))


@pytest.mark.parametrize(
    ("grade", "findings", "told"),
    [
        ("certified", [NOTE], []),
        ("closed", [], [("weak-result", "warning", "the result that was read is graded closed")]),
        ("unverified", [OPEN, NOTE], [WEAK, WEAK_OPEN, WEAK_NOTE]),
        ("repaired", [ERROR], [("open-integral", "warning", SAYS.format("repaired", "up to 2 %"))]),
        ("stated", [OPEN], [("open-integral", "warning", "up to 2 %")]),
        ("stated", [TRIANGLE], []),
        ("stated", 3, []),
    ],
)
def test_doubts_about_a_result_are_carried_on(
    grade: str, findings: object, told: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    # numbers of an open surface must not come out as those of a file that states them; what the numbers show is found anew
    result = body_dict(NamedBody("a", SLIM))
    (body,) = read(tmp_path, json.dumps({**result, "grade": grade, "findings": findings}), "r.json")
    assert [(f.code, f.severity, f.message) for f in body.findings] == told
    assert [f.where for f in body.findings if f.code == "open-integral"] in ([], [(1, 2, 3)])


def test_a_result_of_an_asset_is_no_gltf(tmp_path: Path) -> None:
    # which all glTF has as a key
    (body,) = read(tmp_path, json.dumps({**body_dict(NamedBody("asset", SLIM)), "input": {"path": "asset"}}), "r.json")
    assert body.properties.mass == SLIM.mass


def test_a_result_keeps_its_errors_from_file_to_file(tmp_path: Path) -> None:
    """Bounds, densities and standard deviations: written, read, moved and written again they are the same."""
    body = SLIM.with_relative_error(0.1, "density 7 ± 0.7 kg/m³")
    body = body.with_relative_error(0.2, "mass (σ)", "sigma", shared=False)
    body = body.with_errors(0.125, [0.1, 0, 0], np.diag([0.1, 0.2, 0.3]))
    (read_back,) = read(tmp_path, json.dumps(body_dict(NamedBody("a", body))), "r.json")
    assert set(read_back.properties.sources) == {"density 7 ± 0.7 kg/m³", "mass (σ)", "bounds"}
    one, other = body.uncertainty, read_back.properties.uncertainty
    assert other.mass.bound == pytest.approx(0.2 + 0.125)
    assert other.mass.sigma == pytest.approx(0.4)
    for name in ("center_of_mass", "inertia", "principal_moments", "radii_of_gyration"):
        np.testing.assert_allclose(getattr(other, name).sigma, getattr(one, name).sigma, rtol=1e-12, atol=1e-15)
        assert (getattr(other, name).bound >= getattr(one, name).bound * (1 - 1e-12)).all()


def changes(count: int, rows: int = 1, kind: str = "bound") -> dict[str, object]:
    return {"stated": {"a": {"kind": kind, "changes": [[0] * count] * rows, "shared": True}}}


@pytest.mark.parametrize(
    ("uncertainty", "message"),
    [
        ({"mass": 0.125}, "error of the centre must be numbers of shape (3,), got None"),
        ([0.125], "uncertainty is not an object: [0.125]"),
        (changes(10, kind="fuzzy"), "not a stated error: {'kind': 'fuzz"),
        (changes(10, rows=2), "changes must have shape (1, 10)"),
        (changes(9), "changes must have shape (1, 10)"),
    ],
)
def test_an_uncertainty_that_is_none_is_refused(uncertainty: object, message: str, tmp_path: Path) -> None:
    result = body_dict(NamedBody("a", SLIM))
    with pytest.raises(ReadError, match=re.escape(message)):
        read(tmp_path, json.dumps({**result, "uncertainty": uncertainty}), "r.json")


def test_an_error_as_large_as_the_mass_is_said() -> None:
    body = SLIM.with_errors(2.5, [0, 0, 0], np.zeros((3, 3)))
    result = body_dict(NamedBody("a", body))
    assert result["uncertainty"] is None
    (finding,) = result["findings"]
    assert (finding["code"], finding["severity"]) == ("uncertainty-left-out", "warning")
    assert finding["message"] == "the ± of the mass is not below the mass itself, so the other numbers have no ±"


def test_a_file_with_a_mark_in_its_name_is_a_file(tmp_path: Path) -> None:
    file = written(tmp_path, URDF, "robot#1.urdf")
    assert [b.name for b in open_bodies(file).bodies] == ["arm"]
    assert [b.name for b in open_bodies(f"{file}#arm").bodies] == ["arm"]


# --- bad files -------------------------------------------------------------------------------------------------------

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
LINK = '<robot name="r">\n<link name="a">\n<inertial>%s</inertial></link></robot>'
BODY = '<mujoco>%s<worldbody>\n<body name="a"><inertial %s/></body></worldbody></mujoco>'
SDF_LINK = '<sdf version="1.9"><model name="m">\n<link name="a"><inertial>%s</inertial></link></model></sdf>'
MASS = f"<mass value='%s'/>{INERTIA}"
FINITE = "write a finite decimal number"
DIAGONAL = 'mass="1" pos="0 0 0" diaginertia="1 1 1"'
RESULT = '{"schema": "massprops/1", %s}'
TWISTED = '"mass": 1, "center_of_mass": [0, 0, 0], "inertia": {"tensor": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}'
COLUMNS = "name, mass [kg], x [m], y [m], z [m], and for bodies that are no points Ixx … Iyz [kg m2]"
DOCTYPE = '<!DOCTYPE robot SYSTEM "http://example.org/robot.dtd"><robot name="r"/>'
COMMA = "has a comma where a number has a decimal point; export with '.' as the decimal separator"
NO_ROTATION = "is a quaternion of length 0, which is no rotation; the identity is w = 1"
FULL = 'mass="1" pos="0 0 0" fullinertia="1 1 1 0 0 0"'
EXCLUDE = "which exclude each other; leave one of them"
ONE = "give one of them"
FILL = "massprops.fill makes one from its geometry, if that can be measured"


def in_body(inertial: str, compiler: str = "") -> str:
    return BODY % (compiler, inertial)


#: Messages by the text, after the name of the file.
MESSAGES = {
    LINK % INERTIA: ":3: <inertial> has no <mass>; add <mass>",
    LINK % '<mass value="1"/>': ":3: <inertial> has no <inertia>; add <inertia>",
    LINK % f"<mass/>{INERTIA}": ":3: <mass> has no attribute 'value'; add value=…",
    LINK % (MASS % 1).replace(' ixz="0"', ""): ":3: <inertia> has no attribute 'ixz'; add ixz=…",
    LINK % (MASS % "1,5"): f":3: mass '1,5' {COMMA}",
    LINK % (MASS % "nan"): f":3: mass 'nan' is not a number; {FINITE}",
    LINK % (MASS % "${m}"): ":3: mass '${m}' is not expanded; expand it first: xacro FILE > robot.urdf",
    LINK % ('<origin xyz="1 2"/>' + MASS % 1): ":3: origin xyz: expected 3 numbers, got 2",
    LINK % ("<mass/>" + MASS % 2): ":3: a second <mass> in <inertial>; the first is at robot.xml:3; leave one of them",
    '<robot name="r">\n<link/></robot>': ":2: <link> has no attribute 'name'; add name=…",
    '<robot name="r"><link name="a"/><link name="b"/></robot>': f": states no inertial; 2 without one: a, b; {FILL}",
    "<robot>\n<link>\n</robot>": ":3: is not well-formed XML: mismatched tag, column 3",
    "<collada/>": ":1: not a URDF, SDF or MJCF file: the root element is <collada>; expand a xacro file first: xacro FILE > robot.urdf",
    '<!DOCTYPE robot [\n<!ENTITY a "aaaa">]><robot name="&a;"/>': (
        ":2: the document declares an entity, 'a'; write its text where it is used"
    ),
    DOCTYPE: (
        ":1: the document type is in another file, 'http://example.org/robot.dtd'; remove the DOCTYPE; no other file is read for it"
    ),
    "<body>" * 300: ":1: elements are nested more than 200 deep",
    SDF_LINK % "<mass>x</mass>": f":2: mass 'x' is not a number; {FINITE}",
    SDF_LINK % '<pose relative_to="b">0 0 0 0 0 0</pose>': (
        ":2: the pose of an inertial is relative to 'b', another frame than its link; state it relative to the link: SDFormat "
        "ignores the attribute here"
    ),
    SDF_LINK
    % '<pose rotation_format="wxyz">1</pose>': ":2: unknown rotation_format 'wxyz'; known: euler_rpy quat_xyzw",
    SDF_LINK % '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose>': f":2: pose {NO_ROTATION}",
    SDF_LINK % '<pose degrees="maybe">0 0 0 0 0 0</pose>': ":2: degrees must be true or false, got 'maybe'",
    SDF_LINK % "<pose>0 0 0</pose>": ":2: pose: expected 6 numbers, got 3",
    in_body('pos="0 0 0" diaginertia="1 1 1"'): ":2: <inertial> has no attribute 'mass'; add mass=…",
    in_body('mass="1" diaginertia="1 1 1"'): ":2: <inertial> has no attribute 'pos'; add pos=…",
    in_body('mass="1" pos="0 0 0"'): ":2: <inertial> has neither diaginertia nor fullinertia; give one of them",
    in_body(f'{FULL} diaginertia="1 1 1"'): f":2: <inertial> has both diaginertia and fullinertia; {ONE}",
    in_body(FULL + ' quat="1 0 0 0"'): f":2: <inertial> has quat and fullinertia, {EXCLUDE}",
    in_body(DIAGONAL + ' quat="1 0 0 0" euler="0 0 0"'): f":2: <inertial> has quat and euler, {EXCLUDE}",
    in_body(DIAGONAL + ' quat="0 0 0 0"'): f":2: quat {NO_ROTATION}",
    in_body(DIAGONAL + ' zaxis="0 0 0"'): ":2: zaxis has an axis of length 0; give a direction",
    in_body(DIAGONAL, '<compiler angle="grad"/>'): ":1: angle must be degree or radian, got 'grad'",
    in_body(DIAGONAL, '<compiler inertiafromgeom="1"/>'): ":1: inertiafromgeom must be auto, true or false, got '1'",
    in_body(DIAGONAL, '<compiler coordinate="global"/>'): (
        ":1: coordinate must be local, got 'global'; save it in MuJoCo 2.3.3, which converts it"
    ),
    in_body(DIAGONAL, '<compiler eulerseq="xyw"/>'): ":1: eulerseq must be three of x y z X Y Z, got 'xyw'",
    "hello": ": the format is not known; known: URDF, SDF, MJCF, USD, massprops JSON, CSV, ten-vectors, reports of CAD programs",
    "": ": the file is empty (0 bytes); export or copy it again",
    "{": (
        ":1: not valid JSON: Expecting property name enclosed in double quotes at column 2; the file is damaged or cut off; export "
        "or copy it again"
    ),
    '{"mass": NaN}': ":1: NaN is not a JSON number; numbers must be finite; export it again",
    '\n{"mass": 1,\n"mass": 2}': ":2: duplicate key 'mass' in one object; export it again",
    '{"mass": 1}': ":1: is not a massprops/1 object; make one of Measurement.to_dict()",
    '{"schema": "massprops-certificate/1"}': ":1: is not a massprops/1 object; give the mesh that it certifies",
    "\n" + RESULT % '"error": {"message": "x"}': ":2: is the report of an error: x",
    RESULT % '"mass": null': ":1: the result has no mass, only geometry; compute it with density=, material= or mass=",
    RESULT % TWISTED: (
        ":1: inertia must be symmetric, got 2.0 at [0, 1] and 0.0 at [1, 0]; if the difference is rounding, pass (I + I.T) / 2"
    ),
    "name,mass\n": f":1: has no column 'x'; expected: {COLUMNS}",
    "# ten-vector urdf: m\n1 2 3\n": ":2: ten-vector: expected 10 numbers, got 3",
}


@pytest.mark.parametrize(("text", "message"), MESSAGES.items(), ids=range(len(MESSAGES)))
def test_bad_files_are_refused_with_place_rule_value_and_remedy(text: str, message: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, text) == f"robot.xml{message}"


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("#Arm", "robot.xml: has no link 'Arm'; did you mean arm?"),
        ("#zzz", "robot.xml: has no link 'zzz'; known: arm"),
        ("#base", f"robot.xml: link 'base' states no inertial; {FILL}"),
    ],
)
def test_links_that_are_not_there_are_refused(link: str, message: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, URDF, link=link) == message


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part.stl").touch()
    first = "measure it first, with massprops.measure, or name it in an assembly"
    for name, message in (
        ("none.urdf", "no such file"),
        ("none.stl", "no such file"),
        ("part.stl", f"expected a body with a mass, got a mesh; {first}"),
        ("a.toml", "is an assembly; use massprops.combine"),
    ):
        assert refused(ReadError, open_bodies, str(tmp_path / name)) == f"{tmp_path / name}: {message}"
    with pytest.raises(ReadError, match=r"is a directory; name a file in it$"):
        open_bodies(str(tmp_path))
    for text, message in (("robot.urdf#", "link after"), ("#arm", "file before")):
        with pytest.raises(InvalidInput, match=rf"^'{text}' names no {message} the #$"):
            open_bodies(text)


def test_an_entity_is_never_expanded(tmp_path: Path) -> None:
    # a billion laughs: refused at the first declaration, before anything grows
    lines = "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(12))
    text = f'<!DOCTYPE robot [<!ENTITY a0 "ha">{lines}]><robot name="&a12;"/>'
    assert "the document declares an entity, 'a0'" in refusal(tmp_path, text)


def test_utf_16_is_xml_too(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_bytes(('<?xml version="1.0" encoding="UTF-16"?>' + URDF.replace("arm", "Träger")).encode("utf-16"))
    assert [b.name for b in open_bodies(str(file)).bodies] == ["Träger"]


def test_numbers_that_overflow_are_refused(tmp_path: Path) -> None:
    # finite as they stand, infinite once the tensor is moved by them
    p = body_dict(NamedBody("a", MassProperties(1e200, [0, 0, 0], np.eye(3))))
    p["inertia"] = {"about": [0, 0, 1e200], "tensor": np.eye(3).tolist()}
    assert refusal(tmp_path, json.dumps(p), "r.json").startswith("r.json:1: inertia must be finite, got ")


@pytest.mark.parametrize(
    ("orientation", "moments"),
    [
        ('euler="90 0 0"', (1, 2, 1.5)),  # about x: y and z change places
        ('euler="90 90 0"', (2, 1, 1.5)),  # then about the turned y, which is the old z
        ('axisangle="0 3 0 -90"', (2, 1.5, 1)),
        ('xyaxes="0 1 0 0 0 5"', (2, 1, 1.5)),  # x lies along y, y along z, z along x
        ('zaxis="0 -1 0"', (1, 2, 1.5)),
        ('zaxis="0 0 -1"', (1, 1.5, 2)),
        ('quat="1 1 1 1"', (2, 1, 1.5)),  # a third of a turn about (1, 1, 1): x to y, y to z, z to x
    ],
)
def test_orientations_of_quarter_turns_permute_the_moments(
    orientation: str, moments: tuple[float, ...], tmp_path: Path
) -> None:
    (body,) = read(tmp_path, f'<body><inertial pos="0 0 0" mass="1" diaginertia="1 1.5 2" {orientation}/></body>')
    np.testing.assert_allclose(body.properties.inertia, np.diag(moments), rtol=0, atol=4 * 2.0**-52)


def test_eulerseq_says_which_axes_and_whether_they_turn(tmp_path: Path) -> None:
    text = '<mujoco><compiler eulerseq="%s"/><worldbody><body><inertial pos="0 0 0" mass="1" diaginertia="1 1.5 2" euler="90 90 0"/>'
    # xyz is Rx Ry: x → −z → y, y → z, z → x. XYZ is Ry Rx: x → −z, y → z → x, z → −y. zxy is Rz Rx, ZX is Rx Rz.
    for sequence, moments in (("xyz", (2, 1, 1.5)), ("XYZ", (1.5, 2, 1)), ("zxy", (2, 1, 1.5)), ("ZXy", (1.5, 2, 1))):
        (body,) = read(tmp_path, text.replace("%s", sequence) + "</body></worldbody></mujoco>")
        np.testing.assert_allclose(
            body.properties.inertia, np.diag(moments), rtol=0, atol=4 * 2.0**-52, err_msg=sequence
        )


LINES, ELEMENTS = '<robot name="r">' + "\n" * 2_000_000 + "</robot>", "<sdf>" + "<model/>\n" * 100_000 + "</sdf>"


@pytest.mark.parametrize("text", [LINES, ELEMENTS], ids=["lines", "elements"])
def test_long_files_are_read_in_linear_time(text: str) -> None:
    # one megabyte of line ends took 29 s, and four times that for each doubling: two would take two minutes
    start = time.process_time()
    parse(text.encode(), "robot.xml")
    assert time.process_time() - start < 20


def test_the_lines_of_json_values_are_those_where_they_begin() -> None:
    values = list(objects('\n {"a":\n1}\n\n[2]\n3', "r.json"))
    assert [(value, place) for value, place in values] == [({"a": 1}, "r.json:2"), ([2], "r.json:5"), (3, "r.json:6")]


@pytest.mark.parametrize("start", ["\n", "\r\n\r\n", "\ufeff\n  "])
def test_blank_lines_before_the_declaration_are_skipped(start: str, tmp_path: Path) -> None:
    # TinyXML, which the programs use that these files are written for, skips them; lines are counted with them
    (arm,) = read(tmp_path, f'{start}<?xml version="1.0"?>\n{URDF}')
    assert arm.place == f"{tmp_path}/robot.xml:{5 + start.count(chr(10))}"
    assert refusal(tmp_path, f"{start}<robot>\n<").startswith(f"robot.xml:{2 + start.count(chr(10))}: ")


def test_one_bad_link_hides_the_others_only_where_all_are_wanted(tmp_path: Path) -> None:
    file = written(tmp_path, URDF.replace('<link name="base"/>', '<link name="base"><inertial/></link>'))
    assert [b.name for b in open_bodies(f"{file}#arm").bodies] == ["arm"]
    for address in (file, f"{file}#base"):
        with pytest.raises(ReadError, match=r":2: <inertial> has no <mass>; add <mass>$"):
            open_bodies(address)


AUTO = """<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true">%s</inertial>
<collision name="c">%s<geometry><box><size>1 1 1</size></box></geometry></collision></link>
<link name="b"><inertial><mass>2</mass></inertial></link></model></sdf>"""


VOXELS = "<auto_inertia_params><my:voxels>3</my:voxels></auto_inertia_params>"


@pytest.mark.parametrize(
    ("inertial", "collision", "said", "mass"),
    [
        ("", "", "the collisions, of 1000 kg/m³", 1000.0),
        ("<density>500</density>", "", "the collisions, of 500 kg/m³", 500.0),
        ("<density>500</density>", "<density>700</density>", "the collisions, of 700 kg/m³", 700.0),
        ("<mass>3</mass>", "", "the collisions, of 1000 kg/m³, scaled to 3 kg", 3.0),
        ("", VOXELS, "the collisions, of 1000 kg/m³; <my:voxels> in <auto_inertia_params> is not known", 1000.0),
    ],
)
def test_an_automatic_inertial_does_not_hide_the_other_links(
    inertial: str, collision: str, said: str, mass: float, tmp_path: Path
) -> None:
    # http://sdformat.org/spec?elem=collision: its own density comes first, then that of the inertial, then 1000 kg/m³
    file = written(tmp_path, AUTO % (inertial, collision), "robot.sdf")
    contents = open_bodies(file)
    assert ([b.name for b in contents.bodies], contents.without) == (["b"], ("a",))
    assert contents.remarks == (f'{file}:1: <inertial auto="true">: SDFormat computes it from {said}',)
    (found,) = link_findings(file, "a", LinkOptions())
    assert [(f.code, f.severity, f.value) for f in found.findings] == [("auto-inertial", "info", mass)]
    assert found.link.body is not None
    assert found.link.body.properties.inertia == pytest.approx(np.eye(3) * mass / 6, rel=1e-15)  # a cube of edge 1 m


def test_an_automatic_inertial_is_the_sum_of_its_collisions(tmp_path: Path) -> None:
    # Two cubes of 1 m, 500 kg/m³ at x = 1 and 1500 kg/m³ at 0: by hand, 2000 kg at x = 1/4, Iyy = 2000/6 + 500·(9/16) + 1500/16
    two = '<collision name="d"><pose>1 0 0 0 0 0</pose><density>500</density><geometry><box><size>1 1 1</size></box></geometry></collision>'
    text = AUTO.replace("</collision>", f"</collision>{two}") % ("", "<density>1500</density>")
    file = written(tmp_path, text, "r.sdf")
    (found,) = link_findings(file, "a", LinkOptions())
    assert found.link.body is not None
    body = found.link.body.properties
    assert (body.mass, body.com.tolist()) == (2000.0, [0.25, 0, 0])
    assert body.inertia.diagonal() == pytest.approx([2000 / 6, 2000 / 6 + 375, 2000 / 6 + 375], rel=1e-15)


def test_an_automatic_inertial_is_not_computed_from_a_part_of_its_collisions(tmp_path: Path) -> None:
    plane = '<collision name="d"><geometry><plane/></geometry></collision>'
    file = written(tmp_path, AUTO.replace("</collision>", f"</collision>{plane}") % ("", ""), "r.sdf")
    (found,) = link_findings(file, "a", LinkOptions())
    assert found.link.body is None
    assert [f.code for f in found.findings] == ["unmeasured-geometry", "auto-inertial"]

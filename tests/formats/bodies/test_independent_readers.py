"""What other programs read in our texts: MuJoCo, yourdfpy and OpenUSD. Extras of the tests; nothing is tested here alone."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import oracles
import pytest
from cases import refused

from massprops.errors import ReadError
from massprops.formats.bodies import NamedBody, WriteOptions, write
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.inertial.simulator_rules import predict
from massprops.frames import Pose
from massprops.rigid_body.mass_properties import MassProperties

u = 2.0**-52
TENSOR = np.array([[1.0, 0.1, 0.2], [0.1, 1.5, -0.3], [0.2, -0.3, 1.2]])
SKEW = MassProperties(2.5, [0.1, 0.2, 1 / 3], TENSOR)
AXES = np.eye(3)


def rotation(wxyz: Any) -> np.ndarray:
    """R(q) of a unit quaternion, in exact rationals."""
    return oracles.floats(oracles.rotation(*map(oracles.rational, wxyz)))


# --- MuJoCo ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mujoco() -> Any:
    return pytest.importorskip("mujoco", reason="MuJoCo is not installable everywhere")


def model(mujoco: Any, body: str, compiler: str = "") -> Any:
    body = body.partition("<worldbody>")[2].partition("</worldbody>")[0] or body
    inner = body.replace('name="a">', 'name="a"><freejoint/>', 1)
    return mujoco.MjModel.from_xml_string(f"<mujoco>{compiler}<worldbody>{inner}</worldbody></mujoco>")


def held(m: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and tensor of the one body, along the axes of the body."""
    r = rotation(m.body_iquat[1])
    return float(m.body_mass[1]), m.body_ipos[1], r @ np.diag(m.body_inertia[1]) @ r.T


@pytest.mark.parametrize("principal", [False, True])
def test_mujoco_reads_the_same_body(principal: bool, mujoco: Any) -> None:
    mass, centre, tensor = held(
        model(mujoco, write([NamedBody("a", SKEW)], "mjcf", WriteOptions(principal=principal))[0])
    )
    assert mass == SKEW.mass
    assert centre.tolist() == SKEW.com.tolist()
    # MuJoCo iterates for its axes until they are good to 1e-12 or so
    np.testing.assert_allclose(tensor, TENSOR, rtol=0, atol=1e-11)


def test_mujoco_loads_the_text_of_one_body_and_of_several(mujoco: Any) -> None:
    for names in ("a", "ab"):
        loaded = mujoco.MjModel.from_xml_string(write([NamedBody(name, SKEW) for name in names], "mjcf")[0])
        assert [loaded.body(i).name for i in range(1, loaded.nbody)] == list(names)
        assert loaded.body_mass[1:].tolist() == [SKEW.mass] * len(names)


def test_mujoco_reads_our_urdf_as_the_same_body(mujoco: Any) -> None:
    for principal in (False, True):
        link = write([NamedBody("a", SKEW)], "urdf", WriteOptions(principal=principal))[0]
        spec = mujoco.MjSpec.from_string(
            f'<robot name="r"><link name="w"/><joint name="j" type="floating"><parent '
            f'link="w"/><child link="a"/></joint>{link}</robot>'
        )
        mass, centre, tensor = held(spec.compile())
        assert mass == SKEW.mass
        np.testing.assert_allclose(centre, SKEW.com, rtol=0, atol=u)
        np.testing.assert_allclose(tensor, TENSOR, rtol=0, atol=1e-11)


ORIENTATIONS = [
    'quat="0.5 0.5 -0.5 0.5"',
    'quat="1 2 3 -4"',
    'axisangle="1 2 -3 40"',
    'axisangle="0 0 2 -0.5"',
    'euler="10 20 30"',
    'euler="-70 95 160"',
    'xyaxes="1 2 3 -1 1 0.5"',
    'xyaxes="0 1 0 -1 0 0"',
    'zaxis="1 2 3"',
    'zaxis="0 0 1"',
    'zaxis="0 0 -1"',
    'zaxis="0.1 0 -1"',
    "",
]


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("settings", ["", 'angle="radian"', *(f'eulerseq="{s}"' for s in ("zyx", "ZXz", "XYZ"))])
def test_we_read_orientations_as_mujoco_does(orientation: str, settings: str, mujoco: Any, tmp_path: Path) -> None:
    # intrinsic against extrinsic, degrees against radians, a transposed matrix: each shows as tens of per cent
    inertial = f'<inertial pos="1 2 3" mass="2" diaginertia="2 3 4.5" {orientation}/>'
    body, compiler = f'<body name="a">{inertial}</body>', f"<compiler {settings}/>"
    file = tmp_path / "model.xml"
    file.write_text(f"<mujoco>{compiler}<worldbody>{body}</worldbody></mujoco>", encoding="ascii")
    (ours,) = open_bodies(f"{file}#a").bodies
    _, _, tensor = held(model(mujoco, body, compiler))
    np.testing.assert_allclose(ours.properties.inertia, tensor, rtol=0, atol=1e-11)


def verdict(mujoco: Any, text: str) -> bool:
    try:
        model(mujoco, text)
    except ValueError:
        return False
    return True


def cases() -> list[MassProperties]:
    """Plates, rods, points and bodies near them, in their own axes and turned: the boundary of what is taken."""
    generator = np.random.default_rng(20)
    near = [[1, 1, 2], [1, 1, 2 + 4 * u], [1, 1, 2 - 4 * u], [1, 1, 0], *([x] * 3 for x in (1e-15, 1e-14, 9e-16, 0))]
    bodies = [MassProperties(1.0, [0, 0, 0], np.diag(d)) for d in near]
    bodies += [MassProperties(m, [0, 0, 0], np.diag([1.0, 1, 1])) for m in (1e-15, 9e-16, 0.0, -1.0)]
    for _ in range(30):
        a, b, thickness = generator.uniform(0.1, 1, 3) * [1, 1, 1e-7]
        plate = MassProperties(1.0, [0, 0, 0], np.diag([b + thickness, a + thickness, a + b]))
        bodies += [plate, plate.transformed(Pose.from_xyz_rpy(rpy=generator.uniform(-3, 3, 3)))]
    return bodies


@pytest.mark.parametrize("principal", [False, True])
@pytest.mark.parametrize("digits", [None, 6, 3])
def test_acceptance_by_mujoco_is_predicted(principal: bool, digits: int | None, mujoco: Any) -> None:
    certain = {True: 0, False: 0}
    for body in cases():
        text, (stated,) = write([NamedBody("a", body)], "mjcf", WriteOptions(principal=principal, digits=digits))
        predicted = predict("mujoco", stated)
        if predicted is not None and predicted.severity == "warning":
            continue  # it says that it does not know
        certain[predicted is None] += 1
        assert verdict(mujoco, text) == (predicted is None), (text, predicted)
    assert min(certain.values()) >= 6  # both answers occurred


def test_six_digits_make_mujoco_refuse_a_thin_plate(mujoco: Any) -> None:
    # the published example of what rounding does: the exact numbers are taken, the rounded ones are not
    plate = MassProperties(1.0, [0, 0, 0], np.diag([0.1234564, 0.2345674, 0.3580238]))
    for digits, taken in ((None, True), (6, False)):
        text, (stated,) = write([NamedBody("a", plate)], "mjcf", WriteOptions(digits=digits))
        assert verdict(mujoco, text) is taken
        assert (predict("mujoco", stated) is None) is taken


# --- yourdfpy --------------------------------------------------------------------------------------------------------


def test_yourdfpy_reads_the_same_body(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it imports is not ours to mend
        yourdfpy = pytest.importorskip("yourdfpy", reason="yourdfpy is not installable everywhere")
        file = tmp_path / "robot.urdf"
        text, _ = write([NamedBody("a & b", SKEW), NamedBody("c", SKEW)], "urdf")
        joint = '<joint name="j" type="fixed"><parent link="a &amp; b"/><child link="c"/></joint></robot>'
        file.write_text(text.replace("</robot>", joint), encoding="ascii")
        robot = yourdfpy.URDF.load(str(file), load_meshes=False, build_scene_graph=False)
    inertial = robot.link_map["a & b"].inertial
    assert inertial.mass == SKEW.mass
    assert inertial.inertia.tolist() == TENSOR.tolist()
    np.testing.assert_allclose(inertial.origin, Pose(AXES, SKEW.com).matrix, rtol=0, atol=0)


# --- OpenUSD ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pxr() -> Any:
    return pytest.importorskip("pxr", reason="usd-core is not installable everywhere")


#: Four single-precision components, the moments, and the products of both.
SINGLE = 20 * 2.0**-24


@pytest.mark.usefixtures("pxr")
def test_usd_holds_the_same_body() -> None:
    from pxr import Gf, Sdf, Usd, UsdPhysics

    layer = Sdf.Layer.CreateAnonymous(".usda")
    assert layer.ImportFromString(write([NamedBody('a "b"\\', SKEW)], "usd")[0])
    stage = Usd.Stage.Open(layer)
    (prim,) = [p for p in stage.Traverse() if p.HasAPI(UsdPhysics.MassAPI)]
    assert prim.HasAPI(UsdPhysics.RigidBodyAPI)
    assert prim.GetDisplayName() == 'a "b"\\'
    api = UsdPhysics.MassAPI(prim)
    assert api.GetMassAttr().Get() == 2.5
    assert list(api.GetCenterOfMassAttr().Get()) == [float(np.float32(x)) for x in SKEW.com]
    # OpenUSD itself turns the axes: column i of R is where it takes unit vector i
    turn = Gf.Rotation(Gf.Quatd(api.GetPrincipalAxesAttr().Get()))
    r = np.column_stack([np.array(turn.TransformDir(Gf.Vec3d(*axis.tolist()))) for axis in AXES])
    moments = np.array(api.GetDiagonalInertiaAttr().Get(), dtype=float)
    np.testing.assert_allclose(r @ np.diag(moments) @ r.T, TENSOR, rtol=0, atol=SINGLE * moments.max())
    conjugate = r.T @ np.diag(moments) @ r
    assert np.abs(conjugate - TENSOR).max() > 0.1 * moments.max()  # else this would not tell them apart


STAGE = """#usda 1.0
(
    kilogramsPerUnit = 0.001
    metersPerUnit = 0.01
)
def Xform "arm" (prepend apiSchemas = ["PhysicsMassAPI"])
{
    float physics:mass = 500
    point3f physics:centerOfMass = (10, 20, 30)
    float3 physics:diagonalInertia = (2e6, 3e6, 4e6)
    quatf physics:principalAxes = (0.5, 0.5, 0.5, 0.5)
    %s
    def Xform "unstated" (prepend apiSchemas = ["PhysicsMassAPI"])
    {
        float physics:density = 1000
    }
}
"""


GOOD = (
    "float physics:mass = 1 ; float3 physics:diagonalInertia = (1, 1, 1) ; point3f physics:centerOfMass = (0, 0, 0) ;"
)
PRIM = 'def Xform "b" (prepend apiSchemas = ["PhysicsMassAPI"])\n{\n%s\n}'


@pytest.mark.usefixtures("pxr")
def test_units_of_the_stage_are_applied(tmp_path: Path) -> None:
    # 500 g, centimetres: 2e6 g cm² is 0.2 kg m²; the quaternion takes x to y, y to z, z to x
    file = tmp_path / "arm.usda"
    file.write_text(STAGE % "", encoding="ascii")
    contents = open_bodies(str(file))
    (arm,) = contents.bodies
    assert arm.name == "arm"
    assert arm.properties.mass == pytest.approx(0.5, rel=u)
    np.testing.assert_allclose(arm.properties.com, [0.1, 0.2, 0.3], rtol=2 * u)
    np.testing.assert_allclose(arm.properties.inertia, np.diag([0.4, 0.2, 0.3]), rtol=4 * u, atol=1e-16)
    assert contents.without == ()  # a density below a body that states all is no body


@pytest.mark.usefixtures("pxr")
def test_the_centre_of_a_scaled_prim_is_scaled_and_its_moments_are_not(tmp_path: Path) -> None:
    # as UsdPhysicsRigidBodyAPI::ComputeMassProperties has it
    file = tmp_path / "arm.usda"
    scale = 'float3 xformOp:scale = (2, 2, 2)\n    uniform token[] xformOpOrder = ["xformOp:scale"]'
    file.write_text(STAGE % scale, encoding="ascii")
    (body,) = open_bodies(str(file)).bodies
    assert body.properties.com == pytest.approx([0.2, 0.4, 0.6], rel=1e-7)  # 2 × (10, 20, 30) cm, in single precision
    assert body.properties.inertia.diagonal() == pytest.approx([0.4, 0.2, 0.3], rel=1e-7)


@pytest.mark.usefixtures("pxr")
def test_a_prim_that_leaves_out_its_centre_is_left_out_and_the_others_are_read(tmp_path: Path) -> None:
    # the schema's fallback is −inf, "compute it": the origin would be a plausible wrong number
    file = tmp_path / "arm.usda"
    whole = STAGE % ""
    lacking = whole.replace("    point3f physics:centerOfMass = (10, 20, 30)\n", "").replace('"arm"', '"hand"')
    file.write_text(whole + lacking.partition(")\n")[2], encoding="ascii")
    contents = open_bodies(str(file))
    assert [b.name for b in contents.bodies] == ["arm"]
    assert contents.without == ("hand",)
    assert contents.remarks[-1] == f"{file}: /hand: not stated: centre; there is no collider from which USD computes it"
    with pytest.raises(ReadError, match=r"link '/hand' states no inertial;"):
        open_bodies(f"{file}#/hand")


AXES_NAME, ORDER = "physics:principalAxes", "uniform token[] xformOpOrder"
NOT_OF_TYPE = "is not a value of type"
BAD_STAGES = [
    ("def {", ":2: USD cannot read it: parse error"),
    (PRIM % "float physics:mass = x", ":4: USD cannot read it: "),
    (PRIM % "string physics:mass = 'x'", f": /b: physics:mass {NOT_OF_TYPE} float; "),
    (PRIM % "float[] physics:mass = [1, 2]", f": /b: physics:mass {NOT_OF_TYPE} float; "),
    (PRIM % "float physics:diagonalInertia = 1", f": /b: physics:diagonalInertia {NOT_OF_TYPE} float3; "),
    (PRIM % "point1e308f physics:centerOfMass = (1, 2, 3)", f": /b: physics:centerOfMass {NOT_OF_TYPE} point3f; "),
    (PRIM % "float4 physics:principalAxes = (1, 0, 0, 0)", f": /b: physics:principalAxes {NOT_OF_TYPE} quatf; "),
    (PRIM % f"{GOOD} quatf {AXES_NAME} = (nan, 0, 0, 0)", ": /b: principalAxes is a quaternion of length nan, "),
    (PRIM % f'{GOOD} {ORDER} = ["xformOp:no"]', ": USD cannot read it: Invalid xform opType token 'no'."),
    ('def "b" (references = @gone.usda@)\n{\n}', ": cannot follow a reference: Could not open asset @gone.usda@"),
    ("(\n    subLayers = [@gone.usda@]\n)", ": cannot follow a reference: Could not load sublayer @gone.usda@"),
]


@pytest.mark.usefixtures("pxr")
@pytest.mark.parametrize(("text", "message"), BAD_STAGES, ids=range(len(BAD_STAGES)))
def test_a_bad_stage_is_refused_in_one_line_without_names_of_openusd(
    text: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    # four of them ended in a traceback, the others named functions and the folders of the build
    file = tmp_path / "bad.usda"
    file.write_text("#usda 1.0\n" + text, encoding="ascii")
    caught = refused(ReadError, open_bodies, str(file))
    assert caught.startswith(f"{file}{message}")
    assert not re.search(r"\n|pxr|/opt|pegtl", caught)
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("pxr")
def test_our_stages_are_read_through_openusd_as_we_prove_them(tmp_path: Path) -> None:
    # the proof reads our text by itself, in single precision: it must see what OpenUSD sees, which also has newton:inertia
    text, proven = write([NamedBody("a b", SKEW), NamedBody("a_b", SKEW)], "usd")
    file = tmp_path / "two.usda"
    file.write_text(text, encoding="utf-8")
    found = open_bodies(str(file)).bodies
    assert [b.name for b in found] == ["a b", "a_b"]  # though both begin as a_b
    for one, other in zip(found, proven, strict=True):
        assert one.properties.inertia.tolist() == TENSOR.tolist()
        np.testing.assert_allclose(other.properties.inertia, TENSOR, rtol=0, atol=SINGLE * 2)
        assert one.properties.com.tolist() == other.properties.com.tolist()


def test_half_turns_hide_the_conjugate() -> None:
    # why the body above has to be skew: for a half turn R = Rᵀ
    half = rotation((math.cos(math.pi / 2), 0, 0, 1))
    np.testing.assert_allclose(half, half.T, atol=2 * u)

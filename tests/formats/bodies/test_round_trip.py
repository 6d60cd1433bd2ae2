"""Every dialect says the body that it was given: read back, all ten numbers, names, and the bounds where rounding is forced.

Modules tested: `formats/bodies/round_trip`, `formats/bodies/csv_markdown`, `formats/bodies/ten_vector_text`,
`formats/bodies/usd`, `formats/link_names`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import oracles
import pytest
from cases import each, raised, refused
from hypothesis import given, settings
from hypothesis import strategies as st

import massprops
from massprops.errors import InvalidInput, MasspropsError
from massprops.formats.bodies import DIALECTS, NamedBody, WriteOptions, write
from massprops.formats.bodies import usd as usd_dialect
from massprops.formats.bodies.opening import open_bodies
from massprops.frames import Pose
from massprops.rigid_body.mass_properties import MassProperties

#: The skew tetrahedron at 2.7 kg/m³, about its centroid: three distinct moments and three distinct products (exact fractions of
#: the first oracle), so that no two numbers can be swapped unseen.
XX, YY, ZZ, XY, XZ, YZ = 27693 / 160, 74933 / 480, 5611 / 60, 15023 / 480, -1991 / 80, 4163 / 240
TENSOR = 2.7 * np.array([[XX, XY, XZ], [XY, YY, YZ], [XZ, YZ, ZZ]])
SKEW = MassProperties(2.7 * 181 / 6, [11 / 4, 9 / 4, 5 / 2], TENSOR)
SUFFIX = {"urdf": "urdf", "sdf": "sdf", "mjcf": "xml", "csv": "csv", "ten-vector": "txt"}
NAMES = ["a \"b\" 'c'", "R&D <1>", "Träger_№5", "名前", "with blank", "a\nb\tc\rd", "😀", "]]>", "&amp;", "a,b|c\\d\\"]

#: Numbers of every size, with full mantissas and short ones. (Halves of numbers below 1e-307 have fewer bits.)
entries = st.one_of(st.floats(-1e6, 1e6), st.floats(-1e-6, 1e-6), st.integers(-9, 9).map(float)).map(
    lambda x: x if abs(x) > 1e-300 else 0.0
)


@st.composite
def properties(draw: st.DrawFn) -> MassProperties:
    xx, yy, zz, xy, xz, yz = draw(st.tuples(*[entries] * 6))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(draw(entries), draw(st.tuples(*[entries] * 3)), tensor)


def ten(p: MassProperties) -> list[float]:
    return [p.mass, *p.com.tolist(), *p.inertia[np.triu_indices(3)].tolist()]


@pytest.mark.parametrize("dialect", ["urdf", "sdf", "mjcf", "csv", "markdown"])
@given(body=properties())
def test_all_ten_numbers_come_back_to_the_last_bit(dialect: str, body: MassProperties) -> None:
    # impossible bodies too: a converter that mends numbers hides what is wrong with them
    text, (again,) = write([NamedBody("a", body)], dialect)
    assert ten(again.properties) == ten(body)
    assert text.isascii() or dialect == "markdown"


@pytest.mark.parametrize("dialect", SUFFIX)
@pytest.mark.parametrize("several", [False, True])
def test_files_are_read_as_they_were_written(dialect: str, several: bool, tmp_path: Path) -> None:
    other = MassProperties(1 / 3, [0.1, 0.2, 0.3], np.diag([0.1, 0.2, 0.25]))
    bodies = [NamedBody("one", SKEW), *([NamedBody("two", other)] if several else [])]
    file = tmp_path / f"bodies.{SUFFIX[dialect]}"
    file.write_text(write(bodies, dialect, WriteOptions(order="urdf"))[0], encoding="utf-8")
    found = open_bodies(str(file)).bodies
    assert [b.name for b in found] == [b.name for b in bodies]
    assert [ten(b.properties) for b in found] == [ten(b.properties) for b in bodies]


def test_the_numbers_stand_where_the_dialects_want_them() -> None:
    # the reader and the writer could share a mistake: this looks at the text itself
    i = SKEW.inertia
    urdf = ET.fromstring(write([NamedBody(None, SKEW)], "urdf")[0])  # noqa: S314  # our own text
    upper = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), i[np.triu_indices(3)].tolist(), strict=True)
    assert urdf.find("inertia").attrib == {name: repr(value) for name, value in upper}
    assert urdf.find("origin").attrib == {"xyz": "2.75 2.25 2.5", "rpy": "0 0 0"}
    sdf = ET.fromstring(write([NamedBody("a", SKEW)], "sdf")[0])  # noqa: S314
    assert sdf.find("inertial/pose").text == "2.75 2.25 2.5 0.0 0.0 0.0"
    assert float(sdf.find("inertial/inertia/ixz").text) == i[0, 2]
    assert float(sdf.find("inertial/inertia/iyz").text) == i[1, 2]
    mjcf = ET.fromstring(write([NamedBody(None, SKEW)], "mjcf")[0])  # noqa: S314
    order = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]  # MuJoCo's XML reference: M11 M22 M33 M12 M13 M23
    assert [float(x) for x in mjcf.attrib["fullinertia"].split()] == [i[k] for k in order]
    assert "quat" not in mjcf.attrib  # fullinertia excludes an orientation


@each("dialect", ["urdf", "sdf", "mjcf", "usd", "csv"])
@each("name", NAMES)
def test_every_name_comes_back(dialect: str, name: str) -> None:
    text, (again,) = write([NamedBody(name, SKEW)], dialect)
    assert again.name == name
    assert write([NamedBody(name, SKEW), NamedBody("b", SKEW)], dialect)[1][0].name == name
    assert dialect in ("usd", "csv") or text.isascii()  # stdout may have any encoding


@each("dialect", ["urdf", "sdf", "mjcf"])
@each("name", ["a\x01b", "a\x00", "\x1b[31m", "a\udcffb", "\ufffe"])
def test_a_name_that_xml_cannot_hold_is_refused(dialect: str, name: str) -> None:
    bad = next(c for c in name if not c.isprintable())
    for bodies in ([NamedBody(name, SKEW)], [NamedBody("a", SKEW), NamedBody(name, SKEW)]):
        assert refused(InvalidInput, write, bodies, dialect) == (
            f"a link named {name!r} cannot be written in XML, because of {bad!r}; give the body another name"
        )


@each("name", ["${arm}", "a$(find b)"])
def test_a_name_that_a_macro_processor_would_replace_is_no_name_in_a_urdf(name: str) -> None:
    assert "cannot be written in URDF, because of '$" in refused(InvalidInput, write, [NamedBody(name, SKEW)], "urdf")
    assert write([NamedBody(name, SKEW)], "sdf")[1][0].name == write([NamedBody(name, SKEW)], "mjcf")[1][0].name == name


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^a link named '::a::' has an empty name beside '::', which nests models"):
        write([NamedBody("::a::", SKEW)], "sdf")
    with pytest.raises(InvalidInput, match=r"^the link's name is empty; give the body a name$"):
        write([NamedBody("", SKEW)], "urdf")


def test_names_of_nested_models_come_back_nested() -> None:
    text, again = write([NamedBody("arm::hand::tip", SKEW), NamedBody("arm::base", SKEW)], "sdf")
    assert [b.name for b in again] == ["arm::hand::tip", "arm::base"]
    assert "::" not in text.replace('name="arm"', "")  # SDFormat refuses the colons in a name


# --- turned frames ---------------------------------------------------------------------------------------------------

u = 2.0**-52


def bound(dialect: str, digits: int | None) -> float:
    """Of the tensor's entries over the largest moment; derived in `massprops.formats.bodies.round_trip`, checked here from outside."""
    rounding = 0.0 if digits is None else 0.5 * 10.0 ** (1 - digits)
    return 64 * u + 20 * (rounding + (2.0**-24 if dialect == "usd" else 0.0))


@pytest.mark.parametrize("dialect", ["urdf", "sdf", "mjcf", "usd"])
@pytest.mark.parametrize("digits", [None, 12, 6, 4])
@settings(max_examples=10)
@given(angles=st.tuples(*[st.floats(-3.2, 3.2)] * 3))
def test_principal_axes_mean_the_same_body(dialect: str, digits: int | None, angles: tuple[float, ...]) -> None:
    # a transposed rotation or a conjugate quaternion moves entries by tens of per cent
    body = SKEW.transformed(Pose.from_xyz_rpy([0.1, 0.2, 0.3], angles))
    _, (again,) = write([NamedBody("a", body)], dialect, WriteOptions(principal=True, digits=digits))
    limit = bound(dialect, digits) * float(np.linalg.eigvalsh(body.inertia)[-1])
    np.testing.assert_allclose(again.properties.inertia, body.inertia, rtol=0, atol=limit)
    assert np.count_nonzero(again.stated.tensor - np.diag(again.stated.tensor.diagonal())) == 0


def test_a_quaternion_pose_means_the_same_body() -> None:
    text, (again,) = write([NamedBody("a", SKEW)], "sdf", WriteOptions(principal=True, quaternion=True))
    pose = ET.fromstring(text).find("inertial/pose")  # noqa: S314
    assert pose.attrib == {"rotation_format": "quat_xyzw"}
    x, y, z, w = [float(word) for word in pose.text.split()][3:]
    r = oracles.floats(oracles.rotation(*map(oracles.rational, (w, x, y, z))))  # its columns are the principal axes
    moments = again.stated.tensor.diagonal()
    np.testing.assert_allclose(r @ np.diag(moments) @ r.T, TENSOR, rtol=0, atol=64 * u * moments[-1])


@pytest.mark.parametrize("dialect", ["urdf", "sdf", "mjcf"])
def test_axes_that_are_principal_already_lose_no_bit(dialect: str) -> None:
    body = MassProperties(0.1, [0.1, 0.2, 0.3], np.diag([0.3, 0.1, 0.2]))
    text, (again,) = write([NamedBody("a", body)], dialect, WriteOptions(principal=True))
    assert ten(again.properties) == ten(body)
    assert "quat" not in text


def test_rounding_below_the_last_digit_of_a_tensor_is_not_written_in_usd() -> None:
    """An ulp of 2 is 2⁻⁵¹: less than a quarter of it changes no digit of the tensor; more is a number of the body."""
    for product, written in ((2.0**-54, "0.0"), (-(2.0**-60), "0.0"), (2.0**-50, repr(2.0**-50))):
        body = MassProperties(1.0, np.zeros(3), [[2.0, product, 0], [product, 1.5, 0], [0, 0, 1.0]])
        text, _ = write([NamedBody("a", body)], "usd")
        assert f"newton:inertia = [2.0, 1.5, 1.0, {written}, 0.0, 0.0]" in text


def test_usd_is_the_nearest_single_precision() -> None:
    body = MassProperties(0.1, [0.1, 0.2, 0.3], np.diag([0.3, 0.1, 0.2]))
    _, (again,) = write([NamedBody("a", body)], "usd")
    assert ten(again.properties) == [float(np.float32(x)) for x in ten(body)]


# --- digits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["urdf", "sdf", "mjcf", "csv", "markdown"])
@given(body=properties(), digits=st.integers(1, 17))
def test_rounded_numbers_are_rounded_once_and_correctly(dialect: str, body: MassProperties, digits: int) -> None:
    _, (again,) = write([NamedBody("a", body)], dialect, WriteOptions(digits=digits))
    assert ten(again.properties) == [float(f"{x:.{digits}g}") for x in ten(body)]


@pytest.mark.parametrize("digits", [0, -1, 18])
def test_digits_have_bounds(digits: int) -> None:
    with pytest.raises(InvalidInput, match=rf"^digits must be from 1 to 17, got {digits}$"):
        WriteOptions(digits=digits)


# --- the proof itself ------------------------------------------------------------------------------------------------


def swapped(text: str, one: str, other: str) -> str:
    return text.replace(one, "\0").replace(other, one).replace("\0", other)


@pytest.mark.parametrize(
    ("dialect", "one", "other", "what"),
    [
        ("urdf", "ixy", "ixz", "inertia off by 152 kg m², more than 0"),
        ("sdf", "ixx>", "iyy>", "inertia off by 45.8 kg m², more than 0"),
        ("urdf", "2.75", "2.25", "centre of mass [2.25, 2.75, 2.5] for [2.75, 2.25, 2.5]"),
        ("mjcf", "81.45", "81.46", "mass 81.46 for 81.45"),
        ("urdf", 'name="a"', 'name="b"', "its name is 'b'"),
    ],
)
def test_a_text_that_says_another_body_is_never_handed_out(
    dialect: str, one: str, other: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import massprops.formats.bodies as package
    from massprops.formats.robot import mjcf, sdf, urdf

    module = {"urdf": urdf, "sdf": sdf, "mjcf": mjcf}[dialect]
    right = module.write
    body = MassProperties(81.45, SKEW.com, SKEW.inertia)
    assert package.write([NamedBody("a", body)], dialect)  # as it is, it is fine
    monkeypatch.setattr(module, "write", lambda bodies, form: swapped(right(bodies, form), one, other))
    caught = raised(MasspropsError, package.write, [NamedBody("a", body)], dialect)
    assert caught.exit_code == 70
    assert caught.message == f"body 'a' does not come back from the {dialect} text: {what}"


def test_a_conjugate_quaternion_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    # the commonest mistake of USD writers: the quaternion of the inverse rotation
    right = usd_dialect._tuple
    monkeypatch.setattr(usd_dialect, "_tuple", lambda v: right(v if len(v) == 3 else (v[0], -v[1], -v[2], -v[3])))
    with pytest.raises(MasspropsError, match=r"^body 'a' does not come back from the usd text: inertia off by"):
        write([NamedBody("a", SKEW)], "usd")


# --- what a dialect cannot hold --------------------------------------------------------------------------------------

NOT_STATED = "in single precision, which USD reads as not stated; use another format"
PRODUCTS = "and a pinocchio ten-vector states only products or quotients of it; choose an order that states the centre of mass itself"
MASSLESS, POINT = MassProperties(0.0, [0, 0, 0], np.eye(3)), MassProperties(1.0, [0, 0, 0], np.zeros((3, 3)))
HUGE, TINY = MassProperties(1e39, [0, 0, 0], np.eye(3)), MassProperties(1e-20, [0, 0, 0], 1e-40 * np.eye(3))
REFUSED = [
    (SKEW, "csv", {"principal": True}, "csv has no form along principal axes; choose one of urdf, sdf, mjcf, usd"),
    (SKEW, "urdf", {"quaternion": True}, "a pose with a quaternion is SDF's, not for urdf; give dialect='sdf'"),
    (SKEW, "xml", {}, f"unknown dialect 'xml'; known: {', '.join(DIALECTS)}"),
    (MASSLESS, "usd", {}, f"body 'a' has zero mass {NOT_STATED}"),
    (POINT, "usd", {}, f"body 'a' has zero inertia about its centre of mass {NOT_STATED}"),
    (HUGE, "usd", {}, "body 'a' is too large for USD's single precision; use another format"),
    (TINY, "usd", {}, "body 'a' is too small for USD's single precision; use another format"),
    (MASSLESS, "ten-vector", {}, f"body 'a' has a mass of 0.0 kg, {PRODUCTS}: urdf, sdf or mjcf"),
]


@each(("body", "dialect", "options", "message"), REFUSED)
def test_what_a_dialect_cannot_hold_is_refused(
    body: MassProperties, dialect: str, options: dict[str, bool], message: str
) -> None:
    assert refused(InvalidInput, write, [NamedBody("a", body)], dialect, WriteOptions(**options)) == message


@pytest.mark.parametrize("order", ["pinocchio", "urdf", "sdf", "mjcf", "ksl", "spatial-v2", "drake"])
def test_a_ten_vector_says_which(order: str, tmp_path: Path) -> None:
    text, _ = write([NamedBody("a", SKEW)], "ten-vector", WriteOptions(order=order))
    file = tmp_path / "vector.txt"
    file.write_text(text, encoding="ascii")
    (again,) = open_bodies(str(file)).bodies
    # about the origin, a size away, a tensor loses a digit; the largest entry there is 2,000 kg m²
    np.testing.assert_allclose(ten(again.properties), ten(SKEW), rtol=1e-14, atol=2000 * 16 * u)


@given(st.tuples(*[st.floats(-6, 3)] * 3), st.tuples(*[st.floats(-3, 3)] * 3), st.booleans())
def test_printed_numbers_are_short_lie_within_their_bounds_and_stay_a_body(powers, angles, is_turned) -> None:
    # boxes of every shape, plates and rods too, whose A + B − C is rounding
    triangles = oracles.box((0, 0, 0), [10.0**p for p in powers])
    pose = Pose.from_xyz_rpy((0.1, 0.2, 0.3), angles if is_turned else (0, 0, 0))
    body = massprops.measure(np.asarray(triangles), density=1000, pose=pose, verify="closed").properties
    for dialect in ("urdf", "mjcf", "sdf", "markdown"):
        _, (again,) = write([NamedBody("a", body)], dialect)
        printed, off = again.properties, body.uncertainty
        bounds = [off.mass.bound, *off.center_of_mass.bound, *off.inertia.bound[np.triu_indices(3)]]
        assert all(abs(a - b) <= limit for a, b, limit in zip(ten(printed), ten(body), bounds, strict=True))
        assert all(len(repr(a)) <= len(repr(b)) for a, b in zip(ten(printed), ten(body), strict=True))
        least = [np.linalg.eigvalsh(p.inertia) for p in (printed, body)]
        rounding = 1e-15 * least[1][2]  # of the oracle's own eigenvalues
        assert least[0][0] >= min(least[1][0], 0.0) - rounding
        assert least[0][:2].sum() - least[0][2] >= min(least[1][:2].sum() - least[1][2], 0.0) - 4 * rounding
    _, (again,) = write([NamedBody("a", body)], "urdf", WriteOptions(digits=17))
    assert ten(again.properties) == ten(body)
    assert ten(write([NamedBody("a", body)], "csv")[1][0].properties) == ten(body)


def test_a_unit_cube_prints_ones_and_zeros() -> None:
    # off the origin and turned by a quarter, it is 0.9999999999999999 and 5e-17 to the last bit
    pose = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0, 0, np.pi / 2))
    cube = massprops.measure(np.asarray(oracles.box((0, 0, 0), (1, 1, 1))), density=6, pose=pose)
    text, (again,) = write([cube], "urdf")
    assert ten(again.properties) == [6.0, -0.4, 0.7, 0.8, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0], text


@pytest.mark.parametrize("order", ["urdf", "pinocchio"])
def test_a_ten_vector_is_that_of_the_printed_body(order: str) -> None:
    cube = massprops.measure(np.asarray(oracles.box((-1, -1, -1), (1, 1, 1))) * 0.1, density=1000)
    _, (again,) = write([cube], "ten-vector", WriteOptions(order=order))
    assert again.properties.ten_vector(order)[:4].tolist() == [8.0, 0.0, 0.0, 0.0]

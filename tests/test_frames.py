"""Frames: poses compose, invert and convert; what is no pose is refused with how far off it is."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from cases import each, refused
from hypothesis import given
from hypothesis import strategies as st

import massprops
from massprops.cli.options import parse_about, parse_axis
from massprops.errors import InvalidInput, ReadError, result_or_error
from massprops.formats.pose_file import read_pose
from massprops.frames import QUATERNION_TOLERANCE, ROTATION_TOLERANCE, Pose, finite_array

# Products of a few 3×3 matrices with entries up to 1 (lengths: up to 10): some ten roundings of 1.1e-16.
ROUNDING = 1e-14

angles = st.floats(-3.1, 3.1)
lengths = st.floats(-10, 10)
poses = st.builds(
    lambda xyz, rpy: Pose.from_xyz_rpy(xyz, rpy),
    st.tuples(lengths, lengths, lengths),
    st.tuples(angles, angles, angles),
)


def rotated_by_rodrigues(axis, angle, vector):
    """v cos θ + (k × v) sin θ + k (k·v)(1 − cos θ): an oracle without matrices."""
    k = np.asarray(axis) / np.linalg.norm(axis)
    v = np.asarray(vector)
    return v * math.cos(angle) + np.cross(k, v) * math.sin(angle) + k * (k @ v) * (1 - math.cos(angle))


@given(angles, angles, angles)
def test_rpy_turns_about_the_fixed_axes_roll_first(roll, pitch, yaw):
    v = np.array([1.0, 2.0, 3.0])
    moved = rotated_by_rodrigues([1, 0, 0], roll, v)
    moved = rotated_by_rodrigues([0, 1, 0], pitch, moved)
    moved = rotated_by_rodrigues([0, 0, 1], yaw, moved)
    np.testing.assert_allclose(Pose.from_xyz_rpy(rpy=[roll, pitch, yaw]).apply(v), moved, atol=ROUNDING)


@given(st.tuples(lengths, lengths, st.floats(0.1, 10)), angles)
def test_a_quaternion_turns_about_its_axis_by_twice_its_angle(axis, angle):
    k = np.array(axis) / np.linalg.norm(axis)
    x, y, z = math.sin(angle / 2) * k
    w = math.cos(angle / 2)
    v = np.array([1.0, 2.0, 3.0])
    expected = rotated_by_rodrigues(axis, angle, v)
    np.testing.assert_allclose(Pose.from_quaternion(wxyz=[w, x, y, z]).apply(v), expected, atol=ROUNDING)
    np.testing.assert_allclose(Pose.from_quaternion(xyzw=[x, y, z, w]).apply(v), expected, atol=ROUNDING)


@given(poses, poses)
def test_composition_is_the_matrix_product_and_applies_right_to_left(a, b):
    p = np.array([[1.0, 2.0, 3.0], [-4.0, 0.5, 7.0]])
    np.testing.assert_allclose((a @ b).matrix, a.matrix @ b.matrix, atol=10 * ROUNDING)
    np.testing.assert_allclose((a @ b).apply(p), a.apply(b.apply(p)), atol=10 * ROUNDING)


@given(poses)
def test_a_pose_undone_is_the_identity(pose):
    np.testing.assert_allclose((pose @ pose.inverse()).matrix, np.eye(4), atol=10 * ROUNDING)
    np.testing.assert_allclose((pose.inverse() @ pose).matrix, np.eye(4), atol=10 * ROUNDING)


@given(poses)
def test_every_form_round_trips(pose):
    xyz = pose.translation
    for again in (
        Pose.from_matrix(pose.matrix),
        Pose.from_xyz_rpy(xyz, pose.to_rpy()),
        Pose.from_quaternion(wxyz=pose.to_quaternion_wxyz(), translation=xyz),
    ):
        np.testing.assert_allclose(again.matrix, pose.matrix, atol=ROUNDING)


@each("sign", [1, -1])
@each("off", [0.0, 1e-17, 1e-12, 1e-9, 1e-6])
def test_rpy_round_trips_next_to_gimbal_lock(sign, off):
    # atan2(r21, r22) for roll loses all digits here, and a threshold on the pitch loses half of them
    pose = Pose.from_xyz_rpy(rpy=[0.3, sign * (math.pi / 2 - off), -1.1])
    np.testing.assert_allclose(Pose.from_xyz_rpy(rpy=pose.to_rpy()).rotation, pose.rotation, atol=ROUNDING)


def test_in_gimbal_lock_yaw_is_zero():
    roll, pitch, yaw = Pose.from_xyz_rpy(rpy=[0.3, math.pi / 2, -1.1]).to_rpy()
    assert yaw == 0.0
    assert pitch == pytest.approx(math.pi / 2, abs=ROUNDING)
    assert roll == pytest.approx(0.3 + 1.1, abs=ROUNDING)  # R depends on roll − yaw alone


@pytest.mark.parametrize(
    ("axis", "expected"), [([1, 0, 0], [0, 1, 0, 0]), ([0, 1, 0], [0, 0, 1, 0]), ([0, 0, 1], [0, 0, 0, 1])]
)
def test_half_turns_have_quaternions_with_w_zero(axis, expected):
    half_turn = 2 * np.outer(axis, axis) - np.eye(3)
    assert Pose(half_turn, np.zeros(3)).to_quaternion_wxyz().tolist() == expected


def test_a_quaternion_is_given_with_w_not_negative():
    assert Pose.from_quaternion(wxyz=[-0.5, 0.5, 0.5, 0.5]).to_quaternion_wxyz().tolist() == [0.5, -0.5, -0.5, -0.5]


def test_an_exact_matrix_is_kept_bit_for_bit():
    m = np.array([[0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]])
    assert Pose.from_matrix(m).matrix.tolist() == m.tolist()


def test_few_digits_of_a_right_angle_are_not_snapped():
    assert Pose.from_xyz_rpy(rpy=[0, 0, 1.5708]).rotation[0, 0] == math.cos(1.5708)


@given(poses)
def test_a_rotation_rounded_to_six_decimals_is_taken_as_the_nearest_rotation(pose):
    # its tensor would otherwise change size with it; entries are off by 5e-7 and stay within twice that
    rounded = Pose(pose.rotation.round(6), pose.translation)
    np.testing.assert_allclose(rounded.rotation.T @ rounded.rotation, np.eye(3), atol=ROUNDING)
    np.testing.assert_allclose(rounded.rotation, pose.rotation, atol=1e-6)


@given(poses)
def test_a_quaternion_rounded_to_six_decimals_is_taken_as_its_direction(pose):
    again = Pose.from_quaternion(wxyz=pose.to_quaternion_wxyz().round(6))
    np.testing.assert_allclose(again.rotation, pose.rotation, atol=4e-6)  # R moves by up to 4 |dq|, |dq| ≤ 1e-6


def test_three_decimals_are_refused_rather_than_guessed():
    rough = Pose.from_xyz_rpy(rpy=[0.3, -0.4, 0.5]).rotation.round(3)
    assert np.abs(rough.T @ rough - np.eye(3)).max() > ROTATION_TOLERANCE
    with pytest.raises(InvalidInput, match="rotation is not orthogonal"):
        Pose(rough, np.zeros(3))


def test_a_pose_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Pose.identity().rotation[0, 0] = 2.0
    source = np.zeros(3)
    pose = Pose(np.eye(3), source)
    source[0] = 1.0
    assert pose.translation[0] == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3 0 0 90deg",
        "1,2,3,0,0,90 deg",
        " 1, 2, 3  0 0 90° ",
        "100cm 2m 3m 0 0 1.5707963267948966rad",
        "1 2 3m 0 0 90deg",
        "100 200 300 cm 0 0 90 deg",
    ],
)
def test_the_ways_to_write_a_pose(text):
    np.testing.assert_allclose(
        Pose.parse(text).matrix, [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], atol=1e-16
    )


@each(
    "text", ["1 2 3mm", "1,2,3 mm", "1 2 3 mm", "1mm, 2mm, 3mm", "1 2 3", "0 0 3in", "1mm 2 3", "1 2cm 3", "1mm 2mm 3"]
)
def test_a_point_is_read_alike_wherever_it_stands(text):
    """The unit of the last coordinate alone is that of all; some with a unit and others without one are refused."""
    inertia = [1, 1, 1, 0, 0, 0]
    readers = [
        lambda: Pose.parse(text).translation,
        lambda: Pose.parse(f"{text} 0 0 90deg".replace(",", " ")).translation,
        lambda: massprops.explain(mass=1, com=text, inertia=inertia).body.properties.com,
        lambda: parse_about(text, unit="m"),
        lambda: parse_axis(f"{text} 0 0 1".replace(",", " ")).point,
    ]
    found = [result_or_error(read) for read in readers]
    if re.fullmatch(r"1mm 2 3|1 2cm 3|1mm 2mm 3", text):
        assert all("has a number without a unit" in str(error) for error in found)
    else:
        numbers = [float(x) for x in re.findall(r"\d", text)]
        unit = 0.001 if "mm" in text else 0.0254 if "in" in text else 1
        for point in found:
            assert list(point) == pytest.approx([unit * x for x in numbers], rel=1e-15)


@each("unit", ["deg", " deg", "°", " °"])
def test_the_unit_of_the_last_angle_is_that_of_all(unit):
    """As with lengths: 5 and 90deg were 5 rad and 90°."""
    separate = Pose.parse("1 2 3  10deg 5deg 90deg").matrix
    assert Pose.parse(f"1 2 3  10 5 90{unit}").matrix.tolist() == separate.tolist()
    assert Pose.parse(f"1 2 3  10 5 90{unit}").matrix.tolist() != Pose.parse("1 2 3  10rad 5rad 90deg").matrix.tolist()
    assert Pose.parse(f"1 2 3  10{unit} 0 0").matrix.tolist() == Pose.parse("1 2 3  10deg 0deg 0deg").matrix.tolist()
    assert "has a number without a unit" in refused(InvalidInput, Pose.parse, f"1 2 3  10{unit} 5 90deg")


def test_three_numbers_are_a_position():
    assert Pose.parse("0 0 0.1").matrix.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.1], [0, 0, 0, 1]]


WRONG_TEXTS = [
    ("", 'pose \'\' has 0 numbers, expected 3 or 6; write "x y z" or "x y z roll pitch yaw"'),
    ("1 2", 'pose \'1 2\' has 2 numbers, expected 3 or 6; write "x y z" or "x y z roll pitch yaw"'),
    ("0 0 x", "pose length 'x' does not begin with a finite number; for example 12 mm"),
    ("0 0 nan", "pose length 'nan' does not begin with a finite number; for example 12 mm"),
    ("0 0 1kg", "expected a length, got a mass: '1kg'; for example 12 mm"),
    ("0,,0", "pose length is empty; for example 12 mm"),
    ("0,5 1,5 2,5", "pose '0,5 1,5 2,5' mixes commas and blanks; write decimal points, and blanks between the numbers"),
    ("1 2 3 0 0 90", "pose angle 90.0 rad is more than two turns; if degrees are meant, write 90deg"),
    ("0 0 0 0 0 90grad", "pose angle must be an angle, got '90grad'; for example 90deg or 1.57"),
]


@each(("text", "message"), WRONG_TEXTS)
def test_what_is_no_pose_text(text, message):
    assert refused(InvalidInput, Pose.parse, text) == message


def pose_matrix(rotation, last=(0, 0, 0, 1)):
    m = np.eye(4)
    m[:3, :3] = rotation
    m[3] = last
    return m


SKEW = Pose.from_xyz_rpy(rpy=[0.3, -0.4, 0.5]).rotation
SHEAR = np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])
WRONG_MATRICES = [
    (pose_matrix(0.001 * SKEW), "rotation is scaled by 0.001; a pose moves a body and does not resize it"),
    (
        pose_matrix(SKEW @ np.diag([1, 1, -1])),
        "rotation is a mirror (determinant −1); a pose keeps right hands right: swap or reverse one axis",
    ),
    (
        pose_matrix(-25.4 * SKEW),
        "rotation is a mirror scaled by 25.4; a pose keeps right hands right: swap or reverse one axis",
    ),
    (
        pose_matrix(SHEAR),
        (
            "rotation is not orthogonal: RᵀR differs from the identity by 0.5, more than the 1.7e-06 of six decimals; "
            "give more digits, or remove the scale or shear"
        ),
    ),
    (
        pose_matrix(np.zeros((3, 3))),
        (
            "rotation is not orthogonal: RᵀR differs from the identity by 1, more than the 1.7e-06 of six decimals; "
            "give more digits, or remove the scale or shear"
        ),
    ),
    (
        pose_matrix(np.full((3, 3), 1e200)),
        (
            "rotation is not orthogonal: RᵀR differs from the identity by inf, more than the 1.7e-06 of six decimals; "
            "give more digits, or remove the scale or shear"
        ),
    ),
    (pose_matrix(np.eye(3), (0, 0, 0, 2)), "last row of a pose matrix must be 0 0 0 1, got 0.0 0.0 0.0 2.0"),
    (
        pose_matrix(np.eye(3), (1, 2, 3, 1)),
        (
            "last row of a pose matrix must be 0 0 0 1, got 1.0 2.0 3.0 1.0; "
            "it looks transposed: the translation belongs in the last column"
        ),
    ),
    (np.eye(3), "pose matrix must have shape (4, 4), got (3, 3)"),
    (pose_matrix(np.diag([1, np.nan, 1])), "pose matrix must be finite, got nan at index [1, 1]"),
    ([[1, 2], [3]], "pose matrix must be numbers of shape (4, 4), got [[1, 2], [3]]"),
    ("0 0 0", "pose matrix must be numbers of shape (4, 4), got '0 0 0'"),
]


@each(("matrix", "message"), WRONG_MATRICES)
def test_what_is_no_pose_matrix(matrix, message):
    assert refused(InvalidInput, Pose.from_matrix, matrix) == message


WRONG_QUATERNIONS = [
    (
        {"wxyz": [0, 0, 0, 0]},
        "quaternion must have length 1 (within 1e-06), got 0.0; all zero is no rotation (the identity is w = 1)",
    ),
    (
        {"xyzw": [1, 1, 1, 1]},
        (
            "quaternion must have length 1 (within 1e-06), got 2.0; "
            "give more digits, or divide it by its length if that is what is meant"
        ),
    ),
    ({"wxyz": [1, 0, 0]}, "quaternion wxyz must have shape (4,), got (3,)"),
    ({"xyzw": [1, 0, 0, math.inf]}, "quaternion xyzw must be finite, got inf at index [3]"),
    ({}, "expected one quaternion, as wxyz or as xyzw"),
    ({"wxyz": [1, 0, 0, 0], "xyzw": [0, 0, 0, 1]}, "expected one quaternion, as wxyz or as xyzw"),
]


@each(("arguments", "message"), WRONG_QUATERNIONS)
def test_what_is_no_quaternion(arguments, message):
    assert refused(InvalidInput, Pose.from_quaternion, **arguments) == message


def test_a_quaternion_just_beyond_rounding_is_refused_and_just_within_it_taken():
    Pose.from_quaternion(wxyz=[1 + 0.9 * QUATERNION_TOLERANCE, 0, 0, 0])
    with pytest.raises(InvalidInput):
        Pose.from_quaternion(wxyz=[1 + 1.1 * QUATERNION_TOLERANCE, 0, 0, 0])


def test_points_must_be_finite_numbers_of_three_coordinates():
    for points, message in (
        ([[1, 2]], "points must have shape (…, 3), got (1, 2)"),
        ("x", "points must be numbers of shape (…, 3), got 'x'"),
        ([[1, 2, float("nan")]], "points must be finite, got nan at index [0, 2]"),
    ):
        assert refused(InvalidInput, Pose.identity().apply, points) == message


def test_a_pose_is_parsed_from_a_text():
    with pytest.raises(InvalidInput, match=r'pose must be a text, such as "0 0 0\.1  0 0 90deg", got 5'):
        Pose.parse(5)


def test_complex_numbers_are_not_cut_to_their_real_part():
    with pytest.raises(InvalidInput):
        finite_array([1j, 0, 0], (3,), "point")


QUARTER = np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1.0]])
FILES = {
    "blanks": "0 -1 0 1\n1 0 0 2\n0 0 1 3\n0 0 0 1\n",
    "commas, comments, empty lines, CRLF, BOM": "\ufeff# X_AB\r\n\r\n0,-1,0,1\r\n1,0,0,2 # row\r\n0,0,1,3\r\n0,0,0,1",
    "semicolons between columns": "0;-1;0;1\n1;0;0;2\n0;0;1;3\n0;0;0;1\n",
    "semicolons between rows": "0 -1 0 1; 1 0 0 2; 0 0 1 3; 0 0 0 1",
    "JSON": "[[0, -1, 0, 1],\n [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]",
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
def test_matrix_files(tmp_path, content):
    path = tmp_path / "pose.txt"
    path.write_bytes(content.encode())
    assert Pose.parse(read_pose(path)).matrix.tolist() == QUARTER.tolist()
    assert Pose.parse(read_pose(path), unit="mm").translation.tolist() == [0.001, 0.002, 0.003]


WRONG_FILES = [
    ("1 0 0 0\n0 1 0\n", ":2: expected four numbers, found 3"),
    ("1 0 0 0\n\n0 1 x 0\n", ":3: number 'x' does not begin with a finite number"),
    ("1 0 0 0\n0 1 nan 0\n", ":2: number 'nan' does not begin with a finite number"),
    ("1 0 0 0\n0 1 0 0\n0 0 1 0\n", ": expected a 4×4 matrix, found 3 rows"),
    ("", ": the file is empty (0 bytes); export or copy it again"),
    ("# nothing", ": expected a 4×4 matrix, found 0 rows"),
    ("[[1, 0, 0, 0],\n [0 1 0 0]]", ":2: not a JSON list of four rows of four numbers"),
    ("[1, 2, 3]", ": pose matrix must have shape (4, 4), got (3,)"),
    (
        "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, NaN], [0, 0, 0, 1]]",
        ": pose matrix must be finite, got nan at index [2, 3]",
    ),
    ("2 0 0 0\n0 2 0 0\n0 0 2 0\n0 0 0 1\n", ": rotation is scaled by 2; a pose moves a body and does not resize it"),
    (
        "0 " * 70_000,
        (
            ": has 140,000 bytes, more than the limit of 65,536 bytes; is it the right file? if so, "
            "allow more with max_bytes="
        ),
    ),
    (b"1 0 0 \xff", ": is not UTF-8 text at byte 6"),
]


@pytest.mark.parametrize(("content", "message"), WRONG_FILES, ids=range(len(WRONG_FILES)))
def test_what_is_no_matrix_file(tmp_path, content, message):
    path = tmp_path / "pose.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert refused(ReadError, read_pose, path) == f"{path}{message}"


def test_a_missing_matrix_file(tmp_path):
    path = tmp_path / "none.txt"
    assert refused(ReadError, read_pose, path) == f"{path}: no such file"

"""Numbers that others have published and tested, by the program that published them.

They are carried over with their source, so that they are held to wherever the tests run. Further published numbers stand
beside the laws that they belong to: rotations, validity and principal moments (drake, gz-math) in test_properties.py, ten-vectors
(ksl) in test_vectors.py, equivalent boxes (gz-math) in test_equivalent.py, cubes (mujoco) and cuboid shells (Heins) in test_shapes.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import massprops
from massprops.frames import Pose
from massprops.rigid_body import shapes
from massprops.rigid_body import ten_vectors as vectors
from massprops.rigid_body.mass_properties import MassProperties

# ---- Mirtich, Fast and Accurate Computation of Polyhedral Mass Properties, journal of graphics tools 1(2), 1996 -----------
#
# The three bodies that are shipped with volInt.c (public domain), at density 1. The integrals are those of exact rational
# arithmetic over the shipped vertices (corpus/truth/mirtich_volint.json): T0 = ∫1, T1 = ∫x, T2 = ∫x², TP = ∫xy, ∫yz, ∫zx, and J
# about the centre of mass.

CUBE = (
    [[s * 10.0, t * 10.0, u * 10.0] for u in (-1, 1) for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))],
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [6, 2, 3, 7], [1, 2, 6, 5], [0, 4, 7, 3]],
)
TETRA = (
    [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 3.0]],
    [[0, 3, 2], [3, 0, 1], [2, 1, 0], [1, 2, 3]],
)
ICOSA = (
    [
        *([0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.89442719, 0.0, 0.4472136], [0.2763932, 0.85065081, 0.4472136]),
        *([-0.7236068, 0.52573111, 0.4472136], [-0.7236068, -0.52573111, 0.4472136]),
        *([0.2763932, -0.85065081, 0.4472136], [0.7236068, 0.52573111, -0.4472136]),
        *([-0.2763932, 0.85065081, -0.4472136], [-0.89442719, 0.0, -0.4472136]),
        *([-0.2763932, -0.85065081, -0.4472136], [0.7236068, -0.52573111, -0.4472136]),
    ],
    [
        *([6, 11, 2], [3, 2, 7], [7, 2, 11], [0, 2, 3], [0, 6, 2], [10, 1, 11], [1, 7, 11], [10, 11, 6], [8, 7, 1]),
        *([8, 3, 7], [5, 10, 6], [5, 6, 0], [4, 3, 8], [4, 0, 3], [9, 8, 1], [9, 1, 10], [4, 5, 0], [9, 10, 5]),
        *([9, 5, 4], [9, 4, 8]),
    ],
)
VOLINT = [
    (CUBE, 8000.0, [0.0] * 3, [266666.6666666667] * 3, [0.0] * 3, [533333.3333333334] * 3, [0.0] * 3),
    (
        *(TETRA, 10.0, [12.5, 10.0, 7.5], [25.0, 16.0, 9.0], [10.0, 6.0, 7.5]),
        *([9.375, 12.75, 15.375], [2.5, 1.5, 1.875]),
    ),
    (
        *(ICOSA, 2.536150725027924, [0.0] * 3, [0.3670351817480655, 0.36703518210928077, 0.3670351833067714]),
        *([0.0, 0.0, -6.889803919273842e-10], [0.7340703654160521, 0.7340703650548369, 0.7340703638573463]),
        [0.0, 0.0, 6.889803919273842e-10],
    ),
]


def triangulated(faces):
    return [[f[0], f[i], f[i + 1]] for f in faces for i in range(1, len(f) - 1)]


@pytest.mark.parametrize(("body", "t0", "t1", "t2", "tp", "jd", "jp"), VOLINT, ids=["cube", "tetra", "icosa"])
def test_bodies_published_by_mirtich(body, t0, t1, t2, tp, jd, jp):
    vertices, faces = body
    measured = massprops.measure((vertices, triangulated(faces)), density=1.0)
    moments, inertia = measured.moments.about([0, 0, 0]), measured.inertia
    # a few roundings of the largest moment; the icosahedron's product is 1e-9 of its moments
    size, reach = max(t2), float(np.abs(vertices).max())
    assert moments.measure == pytest.approx(t0, rel=1e-15)
    np.testing.assert_allclose(moments.first, t1, rtol=1e-15, atol=1e-15 * t0 * reach)
    np.testing.assert_allclose(moments.second.diagonal(), t2, rtol=1e-14)
    np.testing.assert_allclose(moments.second[[0, 1, 2], [1, 2, 0]], tp, rtol=0, atol=1e-14 * size)
    np.testing.assert_allclose(inertia.diagonal(), jd, rtol=1e-14)
    np.testing.assert_allclose(inertia[[0, 1, 2], [1, 2, 0]], jp, rtol=0, atol=1e-14 * size)


# ---- MuJoCo, test/user/user_mesh_test.cc (corpus/truth/mujoco_mesh_inertia.json) ------------------------------------------


def test_the_concave_cube_published_by_mujoco():
    # a unit cube of density 2 with a pocket of 0.8 × 0.8 × 0.9, open on one face
    pocket = shapes.box(0.8, 0.8, 0.9, density=2.0).translated([0, 0, 0.55])
    body = shapes.box(1, 1, 1, density=2.0).translated([0, 0, 0.5]) - pocket
    assert body.mass == pytest.approx(0.8479999999999999, rel=1e-15)
    assert body.com[2] == pytest.approx(0.4320754716981131, rel=1e-15)
    expected = [0.1873408805031446, 0.1873408805031446, 0.21045333333333333]
    np.testing.assert_allclose(body.inertia.diagonal(), expected, rtol=2e-15)


def test_a_mirrored_scale_published_by_mujoco():
    # a mesh scale of (−1, 1, 1) has the same mass and moments, and two mirrored products
    vertices, faces = (
        np.array([[1, 2, 3], [7, -1, 2], [0, 5, -4], [3, 3, 9.0]]),
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    )
    body = massprops.measure((vertices, faces), density=2.0)
    mirrored = massprops.measure((vertices * [-1, 1, 1], [f[::-1] for f in faces]), density=2.0)
    signs = np.array([[1, -1, -1], [-1, 1, 1], [-1, 1, 1]])
    assert mirrored.mass == body.mass
    np.testing.assert_allclose(mirrored.inertia, body.inertia * signs, rtol=1e-14)


# ---- Drake, multibody/tree/test (corpus/truth/drake_rotational_inertia.json) ------------------------------------------------


def tensor(*six):
    """From Ixx Iyy Izz Ixy Ixz Iyz, drake's order."""
    return vectors.tensor_of(six, "mjcf")


def test_a_shift_to_the_centre_of_mass_published_by_drake():
    # rotational_inertia_test.cc: ShiftToCenterOfMass from a point at distance r
    r, about_point = [2.234, 3.14, 0.56], tensor(13.2, 8.8, 20.3, -7.7, -1.3, -1.9)
    expected = tensor(
        2.009479999999998,
        2.9652084,
        3.9646083999999995,
        0.016236000000001027,
        0.07614400000000021,
        0.034240000000000714,
    )
    vector = [1.1, *np.multiply(1.1, r), *vectors.six_of(about_point, "pinocchio")]
    body = MassProperties.from_ten_vector(vector, "pinocchio")
    np.testing.assert_allclose(body.com, r, rtol=3e-16)
    np.testing.assert_allclose(body.inertia, expected, rtol=0, atol=1e-14)  # differences of numbers up to 20


TETRAHEDRA = [
    ([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], 0.12345, [0.25, 0.5, 0.75]),
    ([[0, 0, 0], [1, 1, 0], [0, 2, 0], [0, 3, 3]], 0.54321, [0.25, 1.5, 0.75]),
]


@pytest.mark.parametrize(("corners", "density", "com"), TETRAHEDRA)
def test_tetrahedra_published_by_drake(corners, density, com):
    # geometry_spatial_inertia_test.cc: both have a volume of 1
    measured = massprops.measure((corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), density=density)
    assert measured.mass == pytest.approx(density, rel=1e-15)
    np.testing.assert_allclose(measured.center_of_mass, com, rtol=1e-15)


def test_a_transformed_box_published_by_drake():
    # geometry_spatial_inertia_test.cc: R G Rᵀ of the box, shifted by p, about the origin of the frame
    axis, angle, p = np.array([1, 2, 3]) / math.sqrt(14), 1.0471975511965976, np.array([0.25, 2.3, -5.4])
    half = [math.cos(angle / 2), *(math.sin(angle / 2) * axis)]
    body = shapes.box(2, 1, 3, density=1.5).transformed(Pose.from_quaternion(wxyz=half, translation=p))
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    r = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross  # Rodrigues
    central = 9.0 / 12 * np.diag([1 + 9, 9 + 4, 4 + 1])
    expected = r @ central @ r.T + 9.0 * (p @ p * np.eye(3) - np.outer(p, p))
    assert body.mass == 9.0
    np.testing.assert_allclose(body.spatial_inertia(order="angular-first")[:3, :3], expected, rtol=0, atol=1e-12)


# ---- gz-math, Inertial_TEST.cc (corpus/truth/gz_math_inertial.json) -----------------------------------------------------------


def test_merges_published_by_gz_math():
    halves = [shapes.box(0.5, 1, 1, mass=6).translated([x, 0, 0]) for x in (-0.25, 0.25)]
    cube = sum(halves)
    assert (cube.mass, cube.com.tolist()) == (12.0, [0.0, 0.0, 0.0])
    np.testing.assert_allclose(cube.inertia, 2 * np.eye(3), rtol=0, atol=1e-15)
    corners = [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    whole = sum(shapes.box(1, 1, 1, mass=12).translated(c) for c in corners)
    assert whole.mass == 96.0
    np.testing.assert_allclose(whole.inertia, 64 * np.eye(3), rtol=0, atol=1e-13)


def test_a_diagonalisation_published_by_gz_math():
    # MassMatrix3_TEST.cc: 2 3 4 with products 0.3 0.2 0.1 is rebuilt from its principal moments and axes
    body = MassProperties(1.0, [0, 0, 0], tensor(2, 3, 4, 0.3, 0.2, 0.1))
    principal = body.principal()
    again = MassProperties.from_principal(1.0, principal.moments, Pose(principal.axes.T, np.zeros(3)))
    np.testing.assert_allclose(
        again.inertia, body.inertia, rtol=0, atol=1e-14
    )  # two products of three terms of up to 4
    # the characteristic polynomial has the trace, the sum of principal minors and the determinant of the tensor
    a, b, c = principal.moments
    assert a + b + c == pytest.approx(9, rel=1e-15)
    assert a * b + b * c + c * a == pytest.approx(26 - 0.09 - 0.04 - 0.01, rel=1e-14)
    assert a * b * c == pytest.approx(2 * (12 - 0.01) - 0.3 * (1.2 - 0.02) + 0.2 * (0.03 - 0.6), rel=1e-14)


# ---- conventions (corpus/truth/conventions.json): pinocchio unittest/python/bindings_inertia.py ------------------------------


# ---- Pinocchio 4.1.0 (pip install pin), run on the values below by way of its Python bindings --------------------------------

PIN = MassProperties(2.5, [0.3, -0.2, 0.5], [[0.4, 0.02, -0.03], [0.02, 0.5, 0.04], [-0.03, 0.04, 0.3]])


def test_dynamic_parameters_of_pinocchio():
    # Inertia(…).toDynamicParameters()
    expected = [2.5, 0.75, -0.5, 1.25, 1.125, 0.17, 1.3499999999999999, -0.405, 0.29, 0.625]
    np.testing.assert_allclose(PIN.ten_vector("pinocchio"), expected, rtol=1e-15)


def test_momentum_of_pinocchio():
    # Inertia * Motion: linear first
    expected = [
        2.8249999999999997,
        -5.949999999999999,
        6.925,
        1.7779999999999996,
        -0.4309999999999998,
        -1.3919999999999997,
    ]
    np.testing.assert_allclose(PIN.momentum([1, -2, 3, 0.4, 0.5, -0.6]), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(PIN.spatial_inertia() @ [1, -2, 3, 0.4, 0.5, -0.6], expected, rtol=0, atol=1e-14)


def test_motion_of_an_inertia_of_pinocchio():
    # SE3(rpyToMatrix(0.3, −0.4, 0.7), (0.4, −0.1, 0.25)).act(Inertia).toDynamicParameters()
    expected = [
        *(2.5, 1.7623795923980756, -0.7153640855524424, 1.8808716594353434, 2.057825532132457, 0.47677789719356817),
        *(3.086584667700511, -1.3817111864935006, 0.6132097951897317, 1.779914441660273),
    ]
    moved = PIN.transformed(Pose.from_xyz_rpy([0.4, -0.1, 0.25], [0.3, -0.4, 0.7]))
    np.testing.assert_allclose(moved.ten_vector("pinocchio"), expected, rtol=0, atol=1e-14)


def test_log_cholesky_parameters_of_pinocchio():
    # LogCholeskyParameters(θ).toDynamicParameters()
    theta = [0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8, 0.9, -1.0]
    expected = [
        *(1.2214027581601699, -0.977122206528136, 1.0992624823441528, -1.2214027581601699, 5.424796549794063),
        *(0.5680385089525296, 4.274480953593212, -1.5502337336827232, 1.590500934190942, 6.158848714878883),
    ]
    body = MassProperties.from_log_cholesky(theta)
    np.testing.assert_allclose(body.ten_vector("pinocchio"), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(body.log_cholesky(), theta, rtol=0, atol=1e-14)

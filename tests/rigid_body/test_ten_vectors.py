"""Ten-vectors and triangular orders: every entry where the tool wants it, and the body back from them."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each, refused
from hypothesis import given
from hypothesis import strategies as st

from massprops.errors import InvalidInput
from massprops.frames import Pose
from massprops.rigid_body import batch
from massprops.rigid_body import ten_vectors as vectors
from massprops.rigid_body.mass_properties import MassProperties

MASSES = np.array([1.0, 2.0, 3.5, 0.7, 1.3])
POINTS = np.array([[1, 2, 3], [7, -1, 2], [0, 5, -4], [3, 3, 9], [-2, 0.5, 1]], dtype=float)
BODY = MassProperties.from_point_masses(MASSES, POINTS)
ORDERS = sorted(vectors.LAYOUTS)
each_order = pytest.mark.parametrize("order", ORDERS)


def sums_over_points(about):
    """The integrals by name, Σ over the points in plain loops: xx = Σ m (y² + z²), xy = −Σ m x y …"""
    x, y, z = (POINTS - about).T
    named = {"xx": y * y + z * z, "yy": z * z + x * x, "zz": x * x + y * y, "xy": -x * y, "xz": -x * z, "yz": -y * z}
    return {name: float(MASSES @ values) for name, values in named.items()}


M = float(MASSES.sum())
C = (MASSES @ POINTS / M).tolist()
MC = (MASSES @ POINTS).tolist()
CENTRAL, ORIGIN = sums_over_points(np.array(C)), sums_over_points(np.zeros(3))

#: Where the numbers stand, as the tools say it: corpus/truth/conventions.json and ksl.json, drake's
#: parameter_conversion.h, spatial_v2_extended's inertiaVecToMat.m.
EXPECTED = {
    "urdf": [M, *C, *(CENTRAL[k] for k in ("xx", "xy", "xz", "yy", "yz", "zz"))],
    "sdf": [M, *C, *(CENTRAL[k] for k in ("xx", "xy", "xz", "yy", "yz", "zz"))],
    "mjcf": [M, *C, *(CENTRAL[k] for k in ("xx", "yy", "zz", "xy", "xz", "yz"))],
    "ksl": [M, *MC, *(CENTRAL[k] for k in ("xx", "yy", "zz", "xy", "yz", "xz"))],
    "pinocchio": [M, *MC, *(ORIGIN[k] for k in ("xx", "xy", "yy", "xz", "yz", "zz"))],
    "spatial-v2": [M, *MC, *(ORIGIN[k] for k in ("xx", "yy", "zz", "yz", "xz", "xy"))],
    "drake": [M, *C, *(ORIGIN[k] / M for k in ("xx", "yy", "zz", "xy", "xz", "yz"))],
}


@each_order
def test_every_number_stands_where_the_tool_expects_it(order):
    # six different entries: none can take another's place unseen
    assert min(np.diff(sorted(EXPECTED[order][4:]))) > 0.1
    # sums of five products of up to 300 that cancel to no less than a tenth
    np.testing.assert_allclose(BODY.ten_vector(order), EXPECTED[order], rtol=1e-13)


def test_all_orders_are_told_apart():
    assert set(EXPECTED) == set(vectors.LAYOUTS)


@each_order
def test_ten_numbers_make_the_body_again(order):
    back = MassProperties.from_ten_vector(BODY.ten_vector(order), order)
    exact = vectors.LAYOUTS[order].about == "com"
    assert back.mass == BODY.mass
    np.testing.assert_allclose(back.com, BODY.com, rtol=3e-16)  # m c / m: two roundings
    if exact:
        np.testing.assert_array_equal(back.inertia, BODY.inertia)
    # the tensor about the origin is up to 5 times as large: rounding of it and of the parallel axes
    np.testing.assert_allclose(back.inertia, BODY.inertia, rtol=0, atol=1e-14 * np.abs(BODY.inertia).max())


def test_field_order_of_ksl():
    # KSL, test/check_inertia.c: (1, (2, 3, 4), 5, 6, 7, 8, 9, 10) fills at[] with 1 … 10; products xy, yz, zx
    body = MassProperties(1.0, [2, 3, 4], [[5, 8, 10], [8, 6, 9], [10, 9, 7]])
    assert body.ten_vector("ksl").tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_a_rotation_published_by_ksl():
    # corpus/truth/ksl.json: ksl_inertia_rotated by Rz(0.7)
    given_vector = [2, 0, 0, 0, 0.1, 0.2, 0.25, 0.01, -0.02, 0.03]
    expected = [
        *(2, 0, 0, 0, 0.13164714555510337, 0.16835285444489667, 0.25),
        *(-0.04757281507042061, 0.00402968687144096, 0.035829619363288476),
    ]
    turned = MassProperties.from_ten_vector(given_vector, "ksl").rotated(Pose.from_xyz_rpy(rpy=[0, 0, 0.7]).rotation)
    np.testing.assert_allclose(turned.ten_vector("ksl"), expected, rtol=0, atol=1e-16)


def test_a_transformation_published_by_ksl():
    # corpus/truth/ksl.json: ksl_inertia_transformed leaves the tensor about the origin of the new frame
    given_vector = [2, 0, 0, 0, 0.1, 0.2, 0.25, 0.01, -0.02, 0.03]
    body = MassProperties.from_ten_vector(given_vector, "ksl")
    posed = body.transformed(Pose.from_xyz_rpy([0.4, -0.1, 0.25], [0, 0, 0.7]))
    about_origin = [
        0.2766471455551034,
        0.6133528544448967,
        0.59,
        0.032427184929579404,
        0.05402968687144096,
        -0.16417038063671152,
    ]
    np.testing.assert_allclose(posed.ten_vector("ksl")[:4], [2, 0.8, -0.2, 0.5], rtol=1e-15)
    np.testing.assert_allclose(vectors.six_of(posed.inertia_about([0, 0, 0]), "ksl"), about_origin, rtol=0, atol=1e-15)


# ---- precision ------------------------------------------------------------------------------------------------------


@each_order
def test_single_precision_is_the_nearest_number(order):
    single = BODY.ten_vector(order, dtype=np.float32)
    double = BODY.ten_vector(order)
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    assert (np.abs(single - double) <= 0.5 * np.spacing(np.abs(single))).all()
    np.testing.assert_allclose(MassProperties.from_ten_vector(single, order).inertia, BODY.inertia, atol=1e-5 * M * 100)


def test_single_precision_can_break_a_plate_and_is_seen_to():
    # a plate has λ₁ + λ₂ = λ₃ exactly; single precision breaks it one way or the other
    rng = np.random.default_rng(7)
    points = rng.uniform(-1, 1, (40, 3)) * [1, 1, 0]
    plates = [MassProperties.from_point_masses(np.ones(4), points[i : i + 4]) for i in range(0, 40, 4)]
    verdicts = [
        MassProperties.from_ten_vector(p.ten_vector("mjcf", np.float32), "mjcf").consistency().ok for p in plates
    ]
    assert all(p.consistency().ok for p in plates)
    assert not all(verdicts)


def test_what_single_precision_cannot_hold_is_refused():
    small, large = np.diag([1e-41, 2e-41, 2e-41]), np.diag([1e39, 2e39, 2e39])
    for inertia, told in ((small, "2e-41"), (large, "2e+39")):
        body = MassProperties(1.0, [0, 0, 0], inertia)
        assert body.ten_vector("urdf")[9] == inertia[2, 2]
        with pytest.raises(InvalidInput) as caught:
            body.ten_vector("urdf", dtype=np.float32)
        assert str(caught.value) == f"{told} is outside the range of float32; use float64"


# ---- structure ------------------------------------------------------------------------------------------------------


@each("order", sorted(vectors.TRIANGLES))
def test_six_entries_make_the_tensor_again(order):
    tensor = np.array([[1.0, 4, 5], [4, 2, 6], [5, 6, 3]])
    assert sorted(vectors.six_of(tensor, order).tolist()) == [1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal(vectors.tensor_of(vectors.six_of(tensor, order), order), tensor)


REFUSED = [
    (
        lambda: BODY.ten_vector("bullet"),
        "unknown ten-vector order 'bullet'; known: drake, ksl, mjcf, pinocchio, sdf, spatial-v2, urdf",
    ),
    (
        lambda: vectors.six_of(np.eye(3), "rowwise"),
        "unknown order 'rowwise' of a tensor's entries; known: ksl, mjcf, pinocchio, sdf, urdf, voigt",
    ),
    (lambda: vectors.six_of(np.eye(2), "urdf"), "tensor must have shape (…, 3, 3), got (2, 2)"),
    (lambda: vectors.tensor_of([1, 2, 3], "urdf"), "entries of a tensor must have shape (…, 6), got (3,)"),
    (lambda: vectors.tensor_of(["a"], "urdf"), "entries of a tensor must be numbers of shape (…, 6), got ['a']"),
    (lambda: BODY.ten_vector("urdf", dtype=np.int32), "a ten-vector is float32 or float64, got int32"),
    (lambda: MassProperties.from_ten_vector([1, 2], "urdf"), "ten-vector must have shape (10,), got (2,)"),
    (
        lambda: vectors.unpack([[1, 2, 3, 4, 5, np.nan, 7, 8, 9, 10]], "urdf"),
        "ten-vector must be finite, got nan at index [0, 5]",
    ),
    (
        lambda: MassProperties.from_ten_vector(np.zeros(10), "pinocchio"),
        "a pinocchio ten-vector needs a mass, got 0.0 kg: it holds products or quotients of it",
    ),
    (
        lambda: MassProperties(0.0, [0, 0, 0], np.eye(3)).ten_vector("drake"),
        "a drake ten-vector needs a mass, got 0.0 kg: it holds products or quotients of it",
    ),
]


@each(("make", "message"), REFUSED)
def test_what_has_no_order_is_refused(make, message):
    assert refused(InvalidInput, make) == message


# ---- many at once ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bodies():
    """Twelve bodies, good and bad, in a 3 × 4 grid."""
    rng = np.random.default_rng(3)
    good = [MassProperties.from_point_masses(rng.uniform(0.5, 2, 6), rng.normal(0, 1, (6, 3))) for _ in range(6)]
    moments = ([1, 2, 4], [-1, 2, 2.5], [1, 2, 3], [0, 2, 2], [0, 0, 0])
    bad = [MassProperties.from_principal(1.5, m, Pose.from_xyz_rpy([0.1, 0, 0.2], [0.3, 1, 2])) for m in moments]
    return np.array([*good, *bad, -good[0]]).reshape(3, 4)


def stacked(bodies, view):
    return np.array([[view(b) for b in row] for row in bodies])


@each_order
def test_an_array_of_bodies_is_each_of_them(bodies, order):
    tens = stacked(bodies, lambda b: b.ten_vector(order))
    assert tens.shape == (3, 4, 10)
    mass, com, inertia = vectors.unpack(tens, order)
    alone = stacked(bodies, lambda b: MassProperties.from_ten_vector(b.ten_vector(order), order).inertia)
    np.testing.assert_array_equal(0.5 * (inertia + np.swapaxes(inertia, -1, -2)), alone)
    np.testing.assert_array_equal(
        vectors.pack(mass, com, inertia, "mjcf"), batch.reordered(tens, order=order, to="mjcf")
    )
    pis = stacked(bodies, MassProperties.pseudo_inertia)
    np.testing.assert_allclose(batch.pseudo_inertia_of(tens, order=order), pis, rtol=0, atol=1e-14 * np.abs(pis).max())


@pytest.mark.parametrize("order", ["urdf", "mjcf", "ksl"])  # about the centre of mass: nothing is lost on the way
def test_the_verdict_on_many_is_the_verdict_on_each(bodies, order):
    tens = stacked(bodies, lambda b: b.ten_vector(order))
    expected = stacked(bodies, lambda b: b.consistency().ok)
    assert 0 < expected.sum() < expected.size
    np.testing.assert_array_equal(batch.is_consistent(tens, order=order), expected)
    margins = stacked(bodies, lambda b: b.consistency().second_margin)
    np.testing.assert_allclose(batch.second_margins(tens, order=order), margins, rtol=0, atol=1e-15)


def test_a_body_without_mass_is_inconsistent_among_others():
    tens = np.array([BODY.ten_vector("pinocchio"), np.zeros(10)])
    assert batch.is_consistent(tens, order="pinocchio").tolist() == [True, False]
    assert tens[1, 0] == 0.0  # what was given stays
    negative = np.array([-1.0, 0, 0, 0, 1, 1, 1, 0, 0, 0])  # the tensor alone is a sphere's
    assert not batch.is_consistent(negative, order="mjcf")


def test_single_precision_is_judged_by_its_own_tolerance():
    plate = MassProperties.from_point_masses([1, 1, 1], [[0, 0.1, 0], [1, 0.3, 0], [0.2, 0.7, 0]])
    turned = [plate.rotated(Pose.from_xyz_rpy(rpy=[0.1 * k, 0.2 * k, 0.3]).rotation) for k in range(20)]
    tens = np.array([b.ten_vector("mjcf", np.float32) for b in turned])
    assert not batch.is_consistent(tens.astype(float), order="mjcf").all()
    assert batch.is_consistent(tens, order="mjcf").all()
    assert not batch.is_consistent(tens, order="mjcf", tolerance=1e-12).all()


@given(st.floats(0.1, 10), st.floats(-1e3, 1e3))
def test_reordering_there_and_back_changes_no_bit_about_the_centre(scale, x):
    ten = MassProperties(scale * 3, [x, 2 * x, -x], BODY.inertia * scale).ten_vector("urdf")
    back = batch.reordered(batch.reordered(ten, order="urdf", to="mjcf"), order="mjcf", to="urdf")
    np.testing.assert_array_equal(back, ten)

"""Mass properties: the algebra of bodies, and what no body can be.

The oracle is the sum over point masses, written out with cross products; bodies are generic (three distinct products
of inertia, off the origin), since boxes and spheres hide swapped and mirrored products.
"""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from cases import each, refused
from hypothesis import assume, given
from hypothesis import strategies as st

from massprops.errors import InvalidInput
from massprops.formats.inertial.inertial import symmetric
from massprops.frames import Pose
from massprops.moments.integrals import Moments
from massprops.rigid_body.consistency import CONSISTENCY_TOLERANCE, Consistency, is_solid
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import impossible_density, properties_findings
from massprops.rigid_body.principal import EQUAL_MOMENTS_TOLERANCE

# Sums of a handful of products, each rounded to 1.1e-16, of numbers that differ by up to 1e3 from their result.
ROUNDING = 1e-12

MASSES = np.array([1.0, 2.0, 3.5, 0.7, 1.3])
POINTS = np.array([[1, 2, 3], [7, -1, 2], [0, 5, -4], [3, 3, 9], [-2, 0.5, 1]], dtype=float)

coordinates = st.floats(-10, 10)
vectors = st.tuples(coordinates, coordinates, coordinates)
angles = st.floats(-3.1, 3.1)
poses = st.builds(lambda xyz, rpy: Pose.from_xyz_rpy(xyz, rpy), vectors, st.tuples(angles, angles, angles))


@st.composite
def clouds(draw):
    """Masses and points of a generic body: the reference cloud, deformed."""
    masses = MASSES * np.array(draw(st.lists(st.floats(0.5, 2.0), min_size=5, max_size=5)))
    stretch = np.array(draw(st.tuples(*[st.floats(0.3, 3.0)] * 3)))
    return masses, POINTS * stretch + np.array(draw(vectors))


def inertia_by_cross_products(masses, points, about):
    """Σ m r × (e × r), column by column: no formula of the program."""
    arms = points - np.asarray(about)
    columns = [sum(m * np.cross(r, np.cross(e, r)) for m, r in zip(masses, arms, strict=True)) for e in np.eye(3)]
    return np.stack(columns, axis=1)


def centre(masses, points):
    return (masses[:, None] * points).sum(axis=0) / masses.sum()


def assert_same(actual, expected, tolerance=ROUNDING):
    size = np.abs(expected.inertia).max() + abs(expected.mass) * (expected.com @ expected.com)
    assert actual.mass == pytest.approx(expected.mass, rel=tolerance)
    np.testing.assert_allclose(actual.com, expected.com, rtol=0, atol=tolerance * (1 + np.abs(expected.com).max()))
    np.testing.assert_allclose(actual.inertia, expected.inertia, rtol=0, atol=tolerance * size)


def diagonal(*moments, mass=1.0, com=(0.0, 0.0, 0.0)):
    return MassProperties(mass, np.array(com), np.diag(np.array(moments, dtype=float)))


def codes(properties):
    return [finding.code for finding in properties_findings(properties)]


# ---- points, joins, holes -------------------------------------------------------------------------------------------


def test_the_reference_body_is_generic():
    xy, xz, yz = (MassProperties.from_point_masses(MASSES, POINTS).inertia[i] for i in ((0, 1), (0, 2), (1, 2)))
    assert min(abs(abs(xy) - abs(xz)), abs(abs(xz) - abs(yz)), abs(abs(yz) - abs(xy))) > 1.0


@given(clouds())
def test_point_masses_sum_to_their_body(cloud):
    masses, points = cloud
    body = MassProperties.from_point_masses(masses, points)
    c = centre(masses, points)
    expected = MassProperties(masses.sum(), c, inertia_by_cross_products(masses, points, c))
    assert_same(body, expected)


@given(clouds(), vectors)
def test_inertia_about_any_point_is_the_sum_over_the_point_masses(cloud, point):
    masses, points = cloud
    expected = inertia_by_cross_products(masses, points, point)
    actual = MassProperties.from_point_masses(masses, points).inertia_about(point)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=ROUNDING * np.abs(expected).max())


@given(clouds(), st.integers(1, 4))
def test_two_parts_make_the_whole(cloud, cut):
    masses, points = cloud
    parts = [
        MassProperties.from_point_masses(masses[:cut], points[:cut]),
        MassProperties.from_point_masses(masses[cut:], points[cut:]),
    ]
    whole = MassProperties.from_point_masses(masses, points)
    assert_same(parts[0] + parts[1], whole)
    assert_same(parts[1] + parts[0], whole)


@given(clouds(), st.integers(1, 4))
def test_what_is_cut_out_and_put_back_leaves_the_body(cloud, cut):
    masses, points = cloud
    whole = MassProperties.from_point_masses(masses, points)
    hole = MassProperties.from_point_masses(masses[:cut], points[:cut])
    rest = MassProperties.from_point_masses(masses[cut:], points[cut:])
    assert_same(whole - hole, rest, 100 * ROUNDING)  # the difference of bodies up to 30 times as large as what is left


def test_a_distant_join_loses_no_digits():
    # half boxes (gz-math merges them to a cube of 12 kg with moments of 2): about the origin 1e6 sizes away all is lost
    half = diagonal(1.0, 0.625, 0.625, mass=6.0)
    place = np.array([1e6, 2e6, -3e6])
    left = dataclasses.replace(half, com=place - np.array([0.25, 0, 0]))
    right = dataclasses.replace(half, com=place + np.array([0.25, 0, 0]))
    np.testing.assert_allclose((left + right).inertia, 2 * np.eye(3), rtol=0, atol=1e-15)


def test_a_distant_point_set_loses_no_digits():
    place = np.array([1e6, 2e6, -3e6])  # whole numbers: the coordinates are exact there
    near = MassProperties.from_point_masses(MASSES, POINTS)
    far = MassProperties.from_point_masses(MASSES, POINTS + place)
    np.testing.assert_allclose(far.inertia, near.inertia, rtol=0, atol=1e-14 * np.abs(near.inertia).max())


def test_equal_masses_cancel_to_nothing_that_has_a_centre():
    body = diagonal(1, 1, 1)
    with pytest.raises(InvalidInput) as caught:
        body - body
    assert str(caught.value) == "joined body has a mass of 0.0 kg, so its centre of mass is undefined"


# ---- motion ---------------------------------------------------------------------------------------------------------


@given(clouds(), poses)
def test_moving_the_points_moves_the_body(cloud, pose):
    masses, points = cloud
    moved = MassProperties.from_point_masses(masses, pose.apply(points))
    assert_same(MassProperties.from_point_masses(masses, points).transformed(pose), moved)


@pytest.mark.parametrize(
    ("rpy", "expected"),
    [
        ((math.pi / 2, 0, 0), [[2, 0, 0], [0, 4, 0], [0, 0, 3]]),
        ((0, math.pi / 2, 0), [[4, 0, 0], [0, 3, 0], [0, 0, 2]]),
        ((0, 0, math.pi / 2), [[3, 0, 0], [0, 2, 0], [0, 0, 4]]),
        ((0, 0, math.pi / 4), [[2.5, -0.5, 0], [-0.5, 2.5, 0], [0, 0, 4]]),
    ],
)
def test_rotations_published_by_gz_math(rpy, expected):
    turned = diagonal(2, 3, 4, mass=12.0).transformed(Pose.from_xyz_rpy(rpy=rpy))
    np.testing.assert_allclose(turned.inertia, expected, rtol=0, atol=1e-15)


def test_a_rotated_body_published_by_drake():
    # rotational_inertia_test.cc: moments 3, 4, 5 shifted to (1, 1.5, 2) with mass 1 … as tensors, from MotionGenesis
    s1, s2, s3 = (math.sin(math.radians(a)) for a in (30, 70, -70))
    c1, c2, c3 = (math.cos(math.radians(a)) for a in (30, 70, -70))
    r_ba = np.array(
        [
            [c2 * c3, s3 * c1 + s1 * s2 * c3, s1 * s3 - s2 * c1 * c3],
            [-s3 * c2, c1 * c3 - s1 * s2 * s3, s1 * c3 + s2 * s3 * c1],
            [s2, -s1 * c2, c1 * c2],
        ]
    )
    given_a = tensor(
        17.36933842091061,
        13.60270381717411,
        10.02795776191528,
        -3.084298624204901,
        -3.634144189476002,
        -6.539290790868233,
    )
    expected_b = tensor(
        6.369894432933752,
        18.38428249710324,
        16.24582306996301,
        1.134877977228511,
        6.018249975302059,
        -0.6136491084717202,
    )
    body = MassProperties(1.0, np.zeros(3), given_a).transformed(Pose(r_ba, np.zeros(3)))
    np.testing.assert_allclose(body.inertia, expected_b, rtol=0, atol=1e-15 * 30)  # drake: 1e-15 relative; trace is 41


def tensor(xx, yy, zz, xy, xz, yz):
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_a_shift_published_by_drake():
    expected = tensor(13.19052, 8.8347916, 20.3353916, -7.716236, -1.376144, -1.93424)
    shifted = diagonal(2, 3, 4, mass=1.1, com=(2.234, 3.14, 0.56)).inertia_about([0, 0, 0])
    np.testing.assert_allclose(shifted, expected, rtol=1e-14)  # printed to 16 digits by drake


# ---- forms ----------------------------------------------------------------------------------------------------------


@given(clouds())
def test_pseudo_inertia_is_the_sum_of_homogeneous_outer_products(cloud):
    masses, points = cloud
    homogeneous = np.column_stack([points, np.ones(len(points))])
    expected = (homogeneous * masses[:, None]).T @ homogeneous
    actual = MassProperties.from_point_masses(masses, points).pseudo_inertia()
    np.testing.assert_allclose(actual, expected, rtol=0, atol=ROUNDING * np.abs(expected).max())


@given(clouds())
def test_pseudo_inertia_round_trips(cloud):
    body = MassProperties.from_point_masses(*cloud)
    assert_same(MassProperties.from_pseudo_inertia(body.pseudo_inertia()), body)


@given(clouds(), vectors, vectors)
def test_moments_about_a_line_and_a_point_are_sums_over_the_point_masses(cloud, point, direction):
    masses, points = cloud
    assume(np.linalg.norm(direction) > 1e-3)
    body = MassProperties.from_point_masses(masses, points)
    arms = points - point
    n = np.array(direction) / np.linalg.norm(direction)
    distances = np.linalg.norm(np.cross(arms, n), axis=1)
    size = float((masses * (arms**2).sum(axis=1)).sum())
    assert abs(body.inertia_about_axis(point, direction) - (masses * distances**2).sum()) <= ROUNDING * size
    second = (masses[:, None, None] * arms[:, :, None] * arms[:, None, :]).sum(axis=0)
    assert np.abs(body.second_moment(point) - second).max() <= ROUNDING * size


def test_an_axis_has_a_direction():
    with pytest.raises(InvalidInput, match="direction of an axis must not be zero"):
        diagonal(1, 1, 1).inertia_about_axis([0, 0, 0], [0, 0, 0])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_thin_rod_keeps_its_small_moment(axis):
    # Exact: 1 × 2e-6 × 3e-6 by extent squared. tr S − Sxx would leave Ixx with five digits.
    second = np.roll([1.0, 2e-11, 3e-11], axis)
    moments = Moments(1.0, np.zeros(3), np.diag(second), np.zeros(3))
    body = MassProperties.from_moments(moments, density=1.0)
    assert body.inertia[axis, axis] == 2e-11 + 3e-11
    # Back again: S = ½ tr(I) 1 − I of the tensor as it is stored, in exact arithmetic, rounded once or twice at most.
    stored = [Fraction(moment) for moment in body.inertia.diagonal().tolist()]
    exact = [float(sum(stored) / 2 - moment) for moment in stored]
    np.testing.assert_allclose(body.second_moment().diagonal(), exact, rtol=4.5e-16)


@given(clouds(), st.floats(0.1, 1e4))
def test_density_is_a_scalar_factor_and_mass_fixes_it(cloud, density):
    masses, points = cloud  # as volumes
    reference = points[0]
    near = points - reference
    moments = Moments(float(masses.sum()), masses @ near, (near * masses[:, None]).T @ near, reference)
    expected = MassProperties.from_point_masses(masses * density, points)
    assert_same(MassProperties.from_moments(moments, density=density), expected)
    assert_same(MassProperties.from_moments(moments, mass=expected.mass), expected)


def test_a_given_mass_is_kept_bit_for_bit():
    volume = 2.9
    assert 0.1 / volume * volume != 0.1  # what the detour over the density would return
    moments = Moments(volume, np.zeros(3), np.eye(3), np.zeros(3))
    assert MassProperties.from_moments(moments, mass=0.1).mass == 0.1


@given(clouds(), st.floats(1e-3, 1e3))
def test_another_mass_scales_inertia_and_leaves_the_radii(cloud, mass):
    body = MassProperties.from_point_masses(*cloud)
    scaled = body.scaled_to_mass(mass)
    assert scaled.mass == mass
    np.testing.assert_allclose(scaled.radii_of_gyration, body.radii_of_gyration, rtol=ROUNDING)
    np.testing.assert_allclose(scaled.inertia * body.mass, body.inertia * mass, rtol=ROUNDING)


@given(clouds())
def test_a_radius_of_gyration_is_the_root_mean_square_distance_from_its_axis(cloud):
    masses, points = cloud
    arms = points - centre(masses, points)
    distances = np.stack(
        [np.hypot(arms[:, 1], arms[:, 2]), np.hypot(arms[:, 2], arms[:, 0]), np.hypot(arms[:, 0], arms[:, 1])]
    )
    expected = np.sqrt((distances**2 @ masses) / masses.sum())
    np.testing.assert_allclose(
        MassProperties.from_point_masses(masses, points).radii_of_gyration, expected, rtol=ROUNDING
    )


def test_there_are_no_radii_of_gyration_without_a_real_root():
    assert diagonal(1, 1, -1).radii_of_gyration is None
    assert diagonal(1, 1, 1, mass=0.0).radii_of_gyration is None
    # a rounded zero of a thin rod is zero, not missing (drake: diag(20, 20, −1e-15) must pass)
    assert diagonal(20, 20, -1e-15, mass=5.0).radii_of_gyration.tolist() == [2.0, 2.0, 0.0]


# ---- principal axes -------------------------------------------------------------------------------------------------


@given(clouds())
def test_principal_axes_diagonalise_and_are_right_handed(cloud):
    body = MassProperties.from_point_masses(*cloud)
    p = body.principal()
    np.testing.assert_allclose(
        p.axes.T @ np.diag(p.moments) @ p.axes, body.inertia, rtol=0, atol=ROUNDING * p.moments.max()
    )
    np.testing.assert_allclose(np.cross(p.axes[0], p.axes[1]), p.axes[2], atol=ROUNDING)
    np.testing.assert_allclose(p.axes @ p.axes.T, np.eye(3), atol=ROUNDING)
    assert (np.diff(p.moments) >= 0).all()


@pytest.mark.parametrize("shuffle", [[0, 1, 2], [1, 2, 0], [2, 1, 0]])
def test_the_signs_of_principal_axes_do_not_depend_on_how_they_were_found(shuffle):
    body = MassProperties.from_point_masses(MASSES, POINTS)
    axes = body.principal().axes
    for row in axes[:2]:
        assert row[np.argmax(np.abs(row))] > 0
    again = MassProperties.from_point_masses(np.roll(MASSES, shuffle[0]), np.roll(POINTS, shuffle[0], axis=0))
    np.testing.assert_allclose(again.principal().axes, axes, atol=ROUNDING)


def test_an_axis_between_two_coordinate_axes_has_one_sign():
    # (1, 1, 0)/√2: rounding decides which component is larger, and must not decide the sign
    for wiggle in (-1e-13, 0.0, 1e-13):
        inertia = tensor(2.5 + wiggle, 2.5 - wiggle, 4, -0.5, 0, 0)
        first, second, _ = MassProperties(12.0, np.zeros(3), inertia).principal().axes
        np.testing.assert_allclose(first, np.array([1, 1, 0]) / math.sqrt(2), atol=1e-12)
        np.testing.assert_allclose(second, np.array([1, -1, 0]) / math.sqrt(2), atol=1e-12)


@each(
    ("moments", "arbitrary"),
    [
        ((1, 2, 2.5), (False, False, False)),
        ((2, 2, 3), (True, True, False)),
        ((2, 3, 3), (False, True, True)),
        ((2, 2, 2), (True, True, True)),
        ((2, 2 + 1e-7, 3), (True, True, False)),
        ((2e-40, 2e-40, 3e-40), (True, True, False)),
        ((1e-40, 2e-40, 2.5e-40), (False, False, False)),
    ],
)
def test_equal_moments_are_flagged_whatever_their_size(moments, arbitrary):
    principal = diagonal(*moments).principal()
    assert principal.arbitrary == arbitrary
    assert principal.distinct == (not any(arbitrary))


def test_the_gap_that_counts_as_distinct_is_the_named_one():
    assert diagonal(2, 3 - 3 * 1.1 * EQUAL_MOMENTS_TOLERANCE, 3).principal().distinct
    assert not diagonal(2, 3 - 3 * 0.9 * EQUAL_MOMENTS_TOLERANCE, 3).principal().distinct


@each(
    ("entries", "moments"),
    [
        # gz-math, MassMatrix3_TEST: tensors with known principal moments
        ((4, 4, 3, -1, 0, 0), (3, 3, 5)),
        ((4, 3, 4, 0, -1, 0), (3, 3, 5)),
        ((3, 4, 4, 0, 0, -1), (3, 3, 5)),
        ((4, 4, 5, -1, 0, 0), (3, 5, 5)),
        ((5, 4, 4, 0, 0, -1), (3, 5, 5)),
        ((5.5, 4.125, 4.375, -0.4330127018922193, 0.75, -0.21650635094610965), (4, 4, 6)),
        ((4.125, 5.5, 4.375, -0.4330127018922193, -0.21650635094610965, 0.75), (4, 4, 6)),
        # drake, rotational_inertia_test.cc
        ((2, 2, 2, -1, 0, -1), (0.5857864376269049, 2, 3.414213562373095)),
        ((1, 13, 10, -3, -3, -6), (-1.583957883490135, 7.881702629192435, 17.702255254297697)),
        ((34, 13, 10, -3, -3, -6), (4.709552639531104, 17.66953281292159, 34.620914547547315)),
    ],
)
def test_published_principal_moments(entries, moments):
    body = MassProperties(1.0, np.zeros(3), tensor(*entries))
    np.testing.assert_allclose(body.principal().moments, moments, rtol=1e-14, atol=1e-14)


# ---- physics --------------------------------------------------------------------------------------------------------


@each(
    ("entries", "code"),
    [
        # drake, rotational_inertia_test.cc: valid and invalid tensors
        ((10, 10, 30, 0, 0, 0), "triangle-inequality"),
        ((4, 4, 4, 2.1, 0, 0), "triangle-inequality"),
        ((2, 2, 2, -0.8, 0, -0.8), "triangle-inequality"),
        ((2, 2, 2, -1, 0, -1), "triangle-inequality"),
        ((1, 13, 10, -3, -3, -6), "not-positive-definite"),
        ((34, 13, 10, -3, -3, -6), "triangle-inequality"),
        ((17, 13, 10, -3, -3, -6), None),
        ((20, 20, -1e-15, 0, 0, 0), None),
        ((1e-5, 1e-5, 1e-5, 0, 0, 0), None),
        ((2, 4, 6, 0, 0, 0), None),
        ((2, 4, 6.000000000000011, 0, 0, 0), None),  # drake takes 8 ε above equality, and refuses 64
        ((2, 4, 6.000000000000085, 0, 0, 0), None),
        ((2, 4, 6.0000001, 0, 0, 0), "triangle-inequality"),
    ],
)
@each("size", [1.0, 1e-9, 1e6])
def test_published_verdicts_at_any_size(entries, code, size):
    # moments go with size², at 1e-9 m an absolute tolerance would pass or fail everything
    body = MassProperties(1.0, np.zeros(3), tensor(*entries) * size**2)
    assert body.consistency().ok == (code is None)
    errors = [finding.code for finding in properties_findings(body) if finding.severity == "error"]
    assert errors == ([] if code is None else [code, "pseudo-inertia"])


@given(vectors, st.tuples(angles, angles, angles), vectors)
def test_three_forms_of_full_consistency_agree(moments, rpy, com):
    # Heins: Π ⪰ 0, S_c ⪰ 0, and I_c ⪰ 0 with the triangle inequality, for any tensor whatever
    body = diagonal(*moments, mass=2.0, com=com).transformed(Pose.from_xyz_rpy(rpy=rpy))
    a, b, c = sorted(moments)
    largest = max(map(abs, moments))
    # on the border the verdict is a matter of tolerance; tested above
    assume(largest > 1e-3 and min(abs(a), abs(a + b - c)) > 1e-6 * largest)
    report = body.consistency()
    by_inequality = a >= 0 and a + b >= c
    assert report.second_is_semidefinite == by_inequality
    assert report.ok == by_inequality
    assert report.inertia_is_semidefinite == (a >= 0)
    assert report.kind == "solid" or not is_solid(body.second_moment())
    assert report.triangle_margin == pytest.approx((a + b - c) / largest, abs=1e-12)
    pi = body.pseudo_inertia()
    floor = 1e-14 * np.abs(pi).max()  # eigenvalues of Π about a distant origin are this uncertain
    smallest = np.linalg.eigvalsh(pi)[0]
    if abs(smallest) > floor:
        assert (smallest > 0) == by_inequality


@given(clouds(), poses)
def test_real_bodies_have_no_errors(cloud, pose):
    body = MassProperties.from_point_masses(*cloud).transformed(pose)
    assert codes(body) == []
    assert body.consistency().kind == "solid"
    assert is_solid(body.second_moment())


def test_the_triangle_inequality_about_another_point_does_not_suffice():
    # m = 1 at (10, 0, 0) with I_c = diag(1, 0, 0): at the origin 1 + 100 ≥ 100, and still no body
    body = diagonal(1, 0, 0, com=(10.0, 0.0, 0.0))
    assert body.inertia_about([0, 0, 0]).diagonal().tolist() == [1.0, 100.0, 100.0]
    # Π is [[99.5, 10], [10, 1]] beside ½, ½: its smallest eigenvalue solves λ² − 100.5 λ − 0.5 = 0
    expected = (100.5 - math.sqrt(100.5**2 + 2)) / 2
    assert np.linalg.eigvalsh(body.pseudo_inertia())[0] == pytest.approx(expected, abs=1e-13)
    assert codes(body) == ["triangle-inequality", "pseudo-inertia"]
    assert body.consistency().triangle_margin == -1.0


@each(
    ("mass", "centre", "entries"),
    [
        (0.526, (0, 0, 0.03045), (-5.42101e-20, -5.42101e-20, 0, 0, 0, 0)),
        (0.2675, (0.008, 0, 0.0553), (0, 0, 0, 0, 1.35525e-20, 0)),
        (2.175, (0.00144, -0.15943, 0.00039), (0, 4.07592e-18, 0, 0, 0, -2.71051e-20)),
    ],
)
def test_the_rounding_of_zero_is_a_point(mass, centre, entries):
    """Links of a public humanoid whose inertia, moved to the centre of mass, left the rounding of 0 behind."""
    body = MassProperties(mass, centre, symmetric(*entries))
    assert [(f.code, f.severity) for f in properties_findings(body)] == [("degenerate-rank", "info")]
    far = MassProperties(mass, centre, 1e6 * symmetric(*entries))
    assert properties_findings(far)[0].severity == "error"


@each(
    ("moments", "severity"),
    [
        ((1.0144, 0.5044, 1.5188), "warning"),  # in three decimals 1.014, 0.504, 1.519
        ((1.0144e-7, 0.5044e-7, 1.5188e-7), "warning"),
        ((1.4, 2.4, 3.8), "error"),  # 1, 2, 4: nothing is known of it but that it is wrong
    ],
)
def test_a_plate_in_few_digits_is_a_warning_about_its_digits(moments, severity):
    """Ixx + Iyy = Izz of a plate: rounded to the nearest, the sum may lack a unit of the last digit."""
    digits = 0 if severity == "error" else 3 if moments[0] > 1 else 10
    printed = [round(x, digits) for x in moments]
    body = MassProperties(1.0, [0, 0, 0], np.diag(printed))
    assert printed[2] - printed[0] - printed[1] == pytest.approx(10.0**-digits, rel=1e-9)
    found = properties_findings(body)
    codes_of_both = ["triangle-inequality"] if severity == "warning" else ["triangle-inequality", "pseudo-inertia"]
    assert [f.code for f in found] == codes_of_both
    assert (found[0].severity, found[0].message.endswith("digits: print more")) == (severity, severity == "warning")


@each("size", [1.0, 1e-9, 1e6])
@each(
    ("points", "kind"),
    [
        ([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], "solid"),
        ([[0, 0, 0], [1, 0, 0], [0, 2, 0], [3, 3, 0]], "plate"),
        ([[0, 0, 0], [1, 2, 3], [2, 4, 6]], "rod"),
        ([[1, 2, 3]], "point"),
    ],
)
def test_thin_bodies_are_consistent_and_named(points, kind, size):
    pose = Pose.from_xyz_rpy([0.1 * size, 0.2 * size, -0.3 * size], [0.3, -0.4, 0.5])
    body = MassProperties.from_point_masses(np.ones(len(points)), np.array(points) * size).transformed(pose)
    assert body.consistency().kind == kind
    assert is_solid(body.second_moment()) == (kind == "solid")
    for power in (-250, -110, 110, 250):  # products of its entries are no double precision numbers
        assert is_solid(10.0**power / size**2 * body.second_moment()) == (kind == "solid")
    found = properties_findings(body)
    if kind == "solid":
        assert found == []
    else:
        assert [(f.code, f.severity) for f in found] == [("degenerate-rank", "info")]
        assert found[0].message.startswith(f"{kind}: ")


def test_a_body_a_hundred_thousand_times_wider_than_thick_is_still_a_solid():
    # S is extent²: 1e-10 of the largest, above the tolerance of 1e-12
    assert (
        MassProperties.from_point_masses(
            [1] * 6, [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1e-5], [0, 0, -1e-5]]
        )
        .consistency()
        .kind
        == "solid"
    )


def test_a_negative_body_is_held_and_reported():
    hole = -MassProperties.from_point_masses(MASSES, POINTS)
    assert codes(hole) == ["non-positive-mass", "not-positive-definite", "pseudo-inertia"]
    assert not hole.consistency().ok
    assert hole.consistency().kind is None


def test_no_mass_and_no_inertia_is_only_a_missing_mass():
    assert codes(diagonal(0, 0, 0, mass=0.0)) == ["non-positive-mass"]


MESSAGES = [
    (
        diagonal(1, 2, 4),
        [
            "principal moments (1.0, 2.0, 4.0) kg m²: 1.0 + 2.0 < 4.0 by 25 %, so no mass distribution has this inertia",
            (
                "pseudo-inertia is not positive semi-definite: mass times squared distance, summed along the direction "
                "(0.0, 0.0, 1.0), is -0.5 kg m², and a sum of squares cannot be negative"
            ),
        ],
    ),
    (
        diagonal(-1, 2, 2.5),
        [
            (
                "principal moments (-1.0, 2.0, 2.5) kg m²: -1.0 is negative, and no axis of a body has a negative moment of "
                "inertia"
            ),
            (
                "pseudo-inertia is not positive semi-definite: mass times squared distance, summed along the direction "
                "(0.0, 0.0, 1.0), is -0.75 kg m², and a sum of squares cannot be negative"
            ),
        ],
    ),
    (diagonal(1, 1, 1, mass=-2.5), ["mass is -2.5 kg; a body has a positive mass"]),
    (
        diagonal(1, 2, 3),
        ["plate: all mass lies in one plane through the centre of mass; right for a lamina, impossible for a solid"],
    ),
    (
        diagonal(0, 2, 2),
        ["rod: all mass lies on one line through the centre of mass; right for a wire, impossible for a solid"],
    ),
    (
        diagonal(0, 0, 0),
        ["point: the inertia about the centre of mass is zero; right for a point mass, impossible for a solid"],
    ),
]


@each(("body", "messages"), MESSAGES)
def test_the_text_of_every_finding(body, messages):
    assert [finding.message for finding in properties_findings(body)] == messages


# ---- structure ------------------------------------------------------------------------------------------------------

SKEWED = np.array([[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]])
REFUSED = [
    (lambda: MassProperties(math.nan, np.zeros(3), np.eye(3)), "mass must be finite, got nan"),
    (lambda: MassProperties("1", np.zeros(3), np.eye(3)), "mass must be a number, got '1'"),
    (
        lambda: MassProperties(1.0, np.ma.masked_equal([0.0, 0.0, 9.0], 9.0), np.eye(3)),
        "centre of mass must be numbers of shape (3,), got masked_array(data=[0.0, 0.0, --], mask=[False, False, True], fill_value=9.0)",
    ),
    (
        lambda: diagonal(1, 1, 1).transformed(np.eye(4)),
        "pose must be a massprops.Pose, got array([[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., 1., 0.], [0., 0., 0., 1.]])",
    ),
    (lambda: MassProperties(1.0, np.zeros(2), np.eye(3)), "centre of mass must have shape (3,), got (2,)"),
    (lambda: MassProperties(1.0, np.zeros(3), np.ones(6)), "inertia must have shape (3, 3), got (6,)"),
    (
        lambda: MassProperties(1.0, np.zeros(3), SKEWED),
        "inertia must be symmetric, got 0.1 at [0, 1] and 0.2 at [1, 0]; if the difference is rounding, pass (I + I.T) / 2",
    ),
    (lambda: diagonal(1, 1, 1).inertia_about([0, 0]), "point must have shape (3,), got (2,)"),
    (lambda: diagonal(1, 1, 1).scaled_to_mass(-1.0), "mass must be positive, got -1.0 kg"),
    (
        lambda: diagonal(1, 1, 1, mass=0.0).scaled_to_mass(1.0),
        "body has a mass of 0.0 kg, so its centre of mass is undefined",
    ),
    (lambda: MassProperties.from_point_masses([1, 2], [[0, 0, 0]]), "points must have shape (2, 3), got (1, 3)"),
    (
        lambda: MassProperties.from_point_masses([], np.zeros((0, 3))),
        "set of point masses has a mass of 0.0 kg, so its centre of mass is undefined",
    ),
    (
        lambda: MassProperties.from_pseudo_inertia(np.diag([1, 1, 1, 0])),
        "pseudo-inertia has a mass of 0.0 kg, so its centre of mass is undefined",
    ),
    (lambda: MassProperties.from_moments(UNIT), "expected one of density and mass, got neither"),
    (lambda: MassProperties.from_moments(UNIT, density=1, mass=1), "expected one of density and mass, got both"),
    (lambda: MassProperties.from_moments(UNIT, density=-1.0), "density must be positive, got -1.0 kg/m³"),
    (
        lambda: MassProperties.from_moments(Moments.zero([0, 0, 0]), density=1.0),
        "moments have a measure of 0.0, so there is no centre of mass",
    ),
    (
        lambda: MassProperties.from_moments(Moments.zero([0, 0]), density=1.0),
        "expected moments in space, got 2 dimensions",
    ),
]
UNIT = Moments(1.0, np.zeros(3), np.eye(3), np.zeros(3))


@each(("make", "message"), REFUSED)
def test_what_has_no_structure_is_refused(make, message):
    assert refused(InvalidInput, make) == message


def test_asymmetry_of_rounding_is_stored_as_its_symmetric_part():
    inertia = np.array([[1, 0.1, 0], [0.1 + 1e-14, 1, 0], [0, 0, 1]])
    stored = MassProperties(1.0, np.zeros(3), inertia).inertia
    assert (stored == stored.T).all()
    assert stored[0, 1] == pytest.approx(0.1 + 0.5e-14, rel=1e-15)


def products_in_single_precision(seed):
    """R diag R ᵀ in single precision, with distinct products: not symmetric to the last bit."""
    random = np.random.default_rng(seed)
    r = Pose.from_xyz_rpy(rpy=random.uniform(-3, 3, 3)).rotation.astype(np.float32)
    return r @ np.diag(random.uniform(1, 3, 3)).astype(np.float32) @ r.T


def test_a_tensor_in_single_precision_is_accepted_with_its_own_rounding():
    """Four in five of them were refused as not symmetric; in double precision the same numbers still are."""
    tensors = [products_in_single_precision(seed) for seed in range(100)]
    refused = 0
    for tensor in tensors:
        stored = MassProperties(1.0, np.zeros(3, np.float32), tensor).inertia
        np.testing.assert_allclose(stored, tensor, rtol=0, atol=1e-6)
        assert (stored == stored.T).all()
        body = MassProperties.from_second_moment(np.float32(1), [0, 0, 0], tensor)
        pi, six = body.pseudo_inertia().astype(np.float32), body.spatial_inertia().astype(np.float32)
        for back in (MassProperties.from_pseudo_inertia(pi), MassProperties.from_spatial_inertia(six)):
            assert_same(back, body, 1e-6)
        try:
            MassProperties(1.0, np.zeros(3), tensor.astype(np.float64))
        except InvalidInput:
            refused += 1
    assert refused > 50
    wrong = tensors[0].copy()
    wrong[0, 1] += 1e-5
    with pytest.raises(InvalidInput, match="must be symmetric"):
        MassProperties(1.0, np.zeros(3), wrong)


def test_a_body_cannot_be_changed():
    source = np.eye(3)
    body = MassProperties(1.0, np.zeros(3), source)
    source[0, 0] = 5.0
    assert body.inertia[0, 0] == 1.0
    for array in (body.com, body.inertia, body.principal().axes, body.principal().moments):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        body.mass = 2.0


def test_only_bodies_are_joined():
    for operation in (lambda: diagonal(1, 1, 1) + 1, lambda: 1 + diagonal(1, 1, 1), lambda: diagonal(1, 1, 1) - 1):
        with pytest.raises(TypeError):
            operation()


def test_a_margin_at_the_limit_itself_is_consistent():
    """The limit belongs to what is possible; one step beyond does not."""
    at, beyond = -CONSISTENCY_TOLERANCE, np.nextafter(-CONSISTENCY_TOLERANCE, -1)
    axis = (1.0, 0.0, 0.0)
    for value, possible in ((at, True), (beyond, False)):
        second = Consistency(1.0, (1.0, 1.0, 2.0), (value, 1.0, 1.0), axis)
        assert (second.second_margin, second.second_is_semidefinite, second.ok) == (value, possible, possible)
        assert second.pseudo_margin == value
        inertia = Consistency(1.0, (value, 1.0, 1.0), (0.0, 1.0, 1.0), axis)
        assert (inertia.inertia_margin, inertia.inertia_is_semidefinite) == (value, possible)
    assert Consistency(1.0, (1.0, 1.0, 1.0), (-at, 1.0, 1.0), axis).rank == 2
    assert Consistency(1.0, (1.0, 1.0, 1.0), (-beyond, 1.0, 1.0), axis).rank == 3


@each("seed", range(100))
def test_a_possible_body_in_single_precision_stays_possible(seed):
    random = np.random.default_rng(seed)
    thin = [1, random.uniform(0.01, 1), random.uniform(0.001, 1)]
    masses, places = random.uniform(0.1, 1, 6), random.normal(size=(6, 3)) * thin
    body = MassProperties.from_point_masses(masses, places)
    body = body.transformed(Pose.from_xyz_rpy(random.normal(size=3), random.uniform(-3, 3, 3)))
    single = MassProperties(np.float32(body.mass), body.com.astype(np.float32), body.inertia.astype(np.float32))
    assert body.consistency().ok
    assert single.consistency().ok


def no_body(body: MassProperties) -> list[tuple[str, str]]:
    return [(f.code, f.severity) for f in impossible_density(body)]


@pytest.mark.parametrize(
    ("mass", "moments", "severity"),
    [
        (5.4, (19125000, 19125000, 36000000), "error"),  # g mm² for kg m²
        (5.4, (1.9e7, 1.7e7, 3.6e7), "error"),  # the same of a plate, which has no volume
        (5.4, (19125, 19125, 36000), "error"),  # kg mm²
        (0.049, (1, 1, 1), "error"),  # a placeholder
        (2700, (0.0028, 0.0096, 0.0112), "error"),  # the mass alone in g
        (2700, (2.8, 9.6, 11.2), "error"),  # both in g
        (0.4, (1, 1, 1), "warning"),  # as a solid 0.006 kg/m³, and in the corners of a tetrahedron 0.1
        (1e-3, (1e-3, 1e-3, 1e-3), "warning"),  # a frame
        (0.1, (1e-6, 1e-6, 1e-6), "warning"),  # a point
        (10, (1e-20, 1e-20, 1e-20), "warning"),
    ],
)
def test_a_mass_and_an_inertia_that_no_body_has_together(
    mass: float, moments: tuple[float, ...], severity: str
) -> None:
    code = "impossible-density" if severity == "error" else "implausible-density"
    assert no_body(MassProperties(mass, [0, 0, 0], np.diag(moments))) == [(code, severity)]


@pytest.mark.parametrize(
    ("mass", "moments"),
    [
        (1e-3, (1e-6, 1e-6, 1e-6)),  # a frame
        (1, (1e-3, 1e-3, 1e-3)),
        (2.7e-3, (2 / 3 * 2.7e-3 * 0.02**2,) * 3),  # a table tennis ball
        (0.05, (0.05 * 0.3**2, 0.05 * 0.3**2, 0.0)),  # a wire
        (16.0, (16 * 20**2 / 12, 16 * 20**2 / 12, 16 * 20**2 / 6)),  # a solar sail, 20 m × 20 m
        (2.2e8, (2.2e8 * 15**2, 2.2e8 * 115**2, 2.2e8 * 115**2)),  # a ship of 460 m
        (4.2e5, (4.2e5 * 12**2, 4.2e5 * 30**2, 4.2e5 * 31**2)),  # a space station
        (1.0, (0, 0, 0)),
    ],
)
def test_light_wide_and_small_bodies_are_possible(mass: float, moments: tuple[float, ...]) -> None:
    assert no_body(MassProperties(mass, [1, 2, 3], np.diag(moments))) == []


@given(spread=st.tuples(*[st.floats(0.01, 100)] * 3), density=st.floats(0.1, 22600))
def test_four_points_a_uniform_ellipsoid_and_a_thin_shell_are_bodies(spread: tuple[float, ...], density: float) -> None:
    """The four corners of a tetrahedron have the least hull that is known; a hull of any density that materials have is no error."""
    squares = np.square(spread)  # of the spread along each axis
    corners = np.sqrt(squares) * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    volume = abs(np.linalg.det(corners[1:] - corners[0])) / 6
    for hull in (volume, 4 / 3 * math.pi * 5**1.5 * math.sqrt(squares.prod())):
        mass = density * hull
        body = MassProperties(mass, [0, 0, 0], mass * (squares.sum() * np.eye(3) - np.diag(squares)))
        assert "error" not in [severity for _, severity in no_body(body)]


def test_a_turned_rod_of_few_digits_is_within_their_rounding():
    """Both extents across a rod are 0, so that rounding makes both negative as often as not."""
    tensor = np.array([[0.797, -0.236, -0.326], [-0.236, 0.726, -0.379], [-0.326, -0.379, 0.477]])
    low = np.linalg.eigvalsh(0.5 * np.trace(tensor) * np.eye(3) - tensor)
    assert low[1] < 0
    assert "error" not in [f.severity for f in properties_findings(MassProperties(1.0, [0, 0, 0], tensor))]

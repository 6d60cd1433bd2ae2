"""Laws of the integrals, held against `massprops.measure`, and its closeness to exact rational arithmetic.

Tolerances. A facet's term in the volume is at most area × distance / 3, rounded a few times; so the volume of a body of
surface A and diameter D is uncertain by some ε A D, its central second moments by ε A D³, whatever cancels. Relatively
that is ε A D / V, which is not small for a body that is thin or hollow. `ROUNDINGS` of them are granted, each of 2⁻⁵³:
two are enough in practice, eight leave room for another order of summation.
"""

from __future__ import annotations

import math

import numpy as np
import oracles
import pytest
from cases import raised
from hypothesis import given
from hypothesis import strategies as st

import massprops

EPSILON = 2.0**-53
ROUNDINGS = 8
DENSITY = 2.5  # a power of two would hide nothing, one would

finite = {"allow_nan": False, "allow_infinity": False}
radii = st.lists(st.floats(0.25, 4, **finite), min_size=14, max_size=14)
quaternions = st.tuples(*[st.integers(-5, 5)] * 4).filter(any)
coordinates = st.floats(-10, 10, **finite)
offsets = st.tuples(coordinates, coordinates, coordinates)
bodies = st.builds(
    lambda r, q, t: oracles.moved(oracles.rotated(oracles.star_body(r), q), t), radii, quaternions, offsets
)
cells = st.sets(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=8)


def measured(triangles, **options) -> massprops.Measurement:
    return massprops.measure(triangles, density=DENSITY, **options)


def extent(triangles) -> tuple[float, float]:
    """Surface area and the diagonal of the bounds."""
    t = np.asarray(triangles, dtype=float)
    area = np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1).sum() / 2
    return area, float(np.linalg.norm(np.ptp(t.reshape(-1, 3), axis=0)))


def assert_close(result, volume, centre, inertia, triangles, *, inexact=0.0) -> None:
    """`result` has this volume, centre and inertia (times density).

    `inexact` is by how much the coordinates behind the two sides differ; it displaces the surface, which changes
    integrals by area × displacement × the integrand's size.
    """
    area, diameter = extent(triangles)
    slack = area * (ROUNDINGS * EPSILON * diameter + inexact)
    # Both centres round to doubles wherever they are.
    volume_slack, length_slack = slack, slack * diameter / abs(volume) + inexact + 2 * EPSILON * np.abs(centre).max()
    assert abs(result.volume - volume) <= volume_slack
    assert np.abs(result.center_of_mass - centre).max() <= length_slack
    assert np.abs(result.inertia - inertia).max() <= slack * diameter**2 * DENSITY


def assert_same(one, other, triangles, *, inexact=0.0) -> None:
    assert_close(one, other.volume, other.center_of_mass, other.inertia, triangles, inexact=inexact)


def assert_exact(result, body: oracles.ExactBody, triangles) -> None:
    inertia = DENSITY * oracles.floats(body.inertia)
    assert_close(result, float(body.volume), oracles.floats(body.centroid), inertia, triangles)


# --- the exact oracle ------------------------------------------------------------------------------------------------


@given(bodies)
def test_honest_bodies_measure_as_exact_arithmetic_says(triangles):
    assert_exact(measured(triangles), oracles.exact_body(triangles), triangles)


@pytest.mark.parametrize("sizes", [1e3, 1e6])
@given(radii, quaternions, st.tuples(*[st.floats(-1, 1)] * 3))
def test_distance_from_the_origin_costs_no_digits(sizes, r, q, direction):
    # The oracle takes the coordinates as they have rounded out there: what is compared is the integration alone.
    triangles = oracles.moved(oracles.rotated(oracles.star_body(r), q), 8 * sizes * np.array(direction))
    assert_exact(measured(triangles), oracles.exact_body(triangles), triangles)


@pytest.mark.parametrize("sizes", [0, 10, 1e3])
@given(radii, quaternions)
def test_single_precision_coordinates_are_taken_as_they_are(sizes, r, q):
    triangles = oracles.moved(oracles.rotated(oracles.star_body(r), q), sizes * np.array([8.0, -5.0, 3.0])).astype(
        np.float32
    )
    assert_exact(measured(triangles), oracles.exact_body(triangles), triangles)


@given(cells)
def test_polycubes_measure_as_their_cubes_add_up_to(some_cells):
    triangles, added = oracles.polycube(some_cells)
    result = measured(triangles)
    assert result.volume == pytest.approx(len(some_cells), rel=1e-14)  # halves and sixths of small integers
    assert_exact(result, oracles.exact_body(triangles), triangles)
    assert oracles.exact_moments(triangles) == added


@pytest.mark.parametrize("offset", [(0, 0, 0), (8e3, -5e3, 3e3), (8e6, -5e6, 3e6)])
@pytest.mark.parametrize(
    "make", [oracles.tetrahedron, oracles.bumpy_torus, oracles.generic_body, lambda: oracles.bumpy_torus(96, 64)]
)
def test_chosen_bodies_near_and_far_measure_as_exact_arithmetic_says(make, offset):
    # The last has 12,288 facets: more than a chunk.
    triangles = oracles.moved(make(), offset)
    assert_exact(measured(triangles), oracles.exact_body(triangles), triangles)


# --- one body, written differently -----------------------------------------------------------------------------------


@given(bodies, st.randoms(use_true_random=False))
def test_the_order_of_facets_does_not_matter(triangles, random):
    order = random.sample(range(len(triangles)), len(triangles))
    assert_same(measured(triangles[order]), measured(triangles), triangles)


@given(bodies, st.lists(st.integers(0, 2), min_size=24, max_size=24))
def test_the_first_corner_of_a_facet_does_not_matter(triangles, shifts):
    shifted = np.array([np.roll(t, k, axis=0) for t, k in zip(triangles, shifts, strict=True)])
    assert_same(measured(shifted), measured(triangles), triangles)


@given(bodies)
def test_all_facets_reversed_are_refused_and_flipped_are_the_same_body(triangles):
    error = raised(massprops.InvalidGeometry, measured, oracles.reversed_facets(triangles), repair="none")
    assert error.code == "inverted-surface"
    assert_same(measured(oracles.reversed_facets(triangles), on_inverted="flip"), measured(triangles), triangles)


@given(bodies, st.integers(0, 23))
def test_a_body_that_lacks_a_facet_has_no_volume(triangles, missing):
    refusal = raised(massprops.InvalidGeometry, measured, np.delete(triangles, missing, axis=0), repair="none")
    assert (refusal.code, refusal.findings[0].value) == ("open-edges", 3)


@given(bodies, st.integers(0, 23))
def test_a_body_with_one_facet_turned_round_has_no_volume(triangles, turned):
    triangles[turned] = triangles[turned, ::-1]
    refusal = raised(massprops.InvalidGeometry, measured, triangles, repair="none")
    assert (refusal.code, refusal.findings[0].value) == ("inconsistent-winding", 3)


@given(bodies, coordinates, st.integers(0, 23))
def test_facets_without_area_change_nothing(triangles, where, facet):
    a, b, _ = triangles[facet]
    needle, point = np.array([[a, b, b]]), np.full((1, 3, 3), where)
    padded = np.concatenate([triangles, needle, point])
    assert_same(measured(padded), measured(triangles), moved_bounds(triangles, where))


def moved_bounds(triangles, point):
    """With a facet of no area at `point`: the reference may lie there."""
    return np.concatenate([triangles, np.full((1, 3, 3), point)])


# --- the algebra of bodies -------------------------------------------------------------------------------------------


@given(bodies, bodies)
def test_joining_two_bodies_adds_their_properties(one, other):
    other = oracles.moved(other, (40, 0, 0))  # beside it: a body that overlaps itself is none
    both = np.concatenate([one, other])
    whole, parts = measured(both), measured(one).properties + measured(other).properties
    assert_close(whole, parts.mass / DENSITY, parts.com, parts.inertia, both)


@given(bodies)
def test_a_hole_is_subtracted(hole):
    block = oracles.box((-20, -21, -22), (18, 19, 20))
    holed = np.concatenate([block, oracles.reversed_facets(hole)])
    difference = measured(block).moments - measured(hole).moments
    result = measured(holed)
    assert_close(
        result, difference.measure, difference.centroid, DENSITY * inertia_of(difference.central_second()), holed
    )
    assert_exact(result, oracles.exact_body(holed), holed)


def inertia_of(second: np.ndarray) -> np.ndarray:
    return np.trace(second) * np.eye(3) - second


# --- maps ------------------------------------------------------------------------------------------------------------


@given(bodies, st.tuples(*[st.integers(-(2**20), 2**20)] * 3))
def test_moving_the_body_moves_the_centre_and_nothing_else(triangles, offset):
    # On a grid of 2⁻²⁰ the moved coordinates are exact.
    gridded = np.round(triangles * 2**20) / 2**20
    here, there = measured(gridded), measured(oracles.moved(gridded, offset))
    assert_close(there, here.volume, here.center_of_mass + offset, here.inertia, gridded)


def map_rounding(triangles, offset) -> float:
    """How far coordinates of A x + t are off: three products, three sums, and the rounding of A itself."""
    return 8 * EPSILON * (np.abs(triangles).max() * 3 + np.abs(offset).max())


@given(bodies, quaternions, offsets)
def test_measuring_with_a_pose_is_measuring_the_posed_body(triangles, quaternion, offset):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = oracles.floats(oracles.rotation(*quaternion)), offset
    pose = massprops.Pose.from_matrix(matrix)
    after = measured(oracles.mapped(triangles, matrix[:3, :3], offset))
    slack = map_rounding(triangles, offset)
    assert_same(measured(triangles, pose=pose), after, triangles, inexact=slack)
    transformed = measured(triangles).properties.transformed(pose)
    assert_close(after, transformed.mass / DENSITY, transformed.com, transformed.inertia, triangles, inexact=slack)


@given(bodies, st.tuples(*[st.integers(-3, 3)] * 9), offsets)
def test_an_affine_map_acts_on_the_moments_by_the_sandwich(triangles, entries, offset):
    # Mirrors turn the facets round; a map onto a plane leaves no body, so another takes its place.
    a = np.array(entries, dtype=float).reshape(3, 3)
    a = a if round(float(np.linalg.det(a))) else np.diag([1.0, -2.0, 3.0])
    det, image = float(np.linalg.det(a)), oracles.mapped(triangles, a, offset)
    image = image if det > 0 else oracles.reversed_facets(image)
    result, expected = measured(image).moments, measured(triangles).moments.mapped(a, offset)
    # Three errors meet: that of the body's own moments, carried along; the image's; and its rounded coordinates'.
    (area, diameter), (image_area, image_diameter) = extent(triangles), extent(image)
    norm, moved_by = np.linalg.norm(a, 2), map_rounding(3 * triangles, offset)
    before = abs(det) * ROUNDINGS * EPSILON * area * diameter
    after = image_area * (ROUNDINGS * EPSILON * image_diameter + moved_by)
    assert abs(result.measure - expected.measure) <= before + after
    second_slack = before * (norm * diameter) ** 2 + after * image_diameter**2
    assert np.abs(result.central_second() - expected.central_second()).max() <= second_slack
    centre_slack = (before * norm * diameter + after * image_diameter) / expected.measure + moved_by
    assert (
        np.abs(result.centroid - expected.centroid).max() <= centre_slack + 2 * EPSILON * np.abs(result.centroid).max()
    )


# --- physics ---------------------------------------------------------------------------------------------------------


@given(bodies)
def test_a_closed_outward_body_is_a_possible_body(triangles):
    # J ⪰ 0 and the triangle inequality: no eigenvalue below what rounding can do to the largest.
    result = measured(triangles)
    eigenvalues = np.linalg.eigvalsh(result.properties.pseudo_inertia())
    a, b, c = np.linalg.eigvalsh(result.inertia)
    assert eigenvalues[0] >= -ROUNDINGS * EPSILON * eigenvalues[-1]
    assert 0 < a <= b <= c <= (a + b) * (1 + ROUNDINGS * EPSILON)
    assert not [finding for finding in result.findings if finding.severity == "error"]


@pytest.mark.parametrize("aspect", [1e3, 1e6])
def test_a_thin_rod_keeps_the_digits_of_its_smallest_moment(aspect):
    # Izz of a rod is 1/aspect² of the others: taking it as a trace less Szz would leave none of its digits at 1e6.
    a, b = 1.0, 2.0
    rod = measured(oracles.box((5.0, 7.0, -3.0), (5.0 + a, 7.0 + b, -3.0 + aspect)))
    izz = DENSITY * a * b * aspect * (a * a + b * b) / 12
    assert rod.inertia[2, 2] == pytest.approx(izz, rel=1e-13)
    assert math.isclose(rod.volume, a * b * aspect, rel_tol=1e-14)

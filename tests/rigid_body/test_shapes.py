"""Closed forms against quadrature of the shape's own points, against meshes of it, and against each other.

The quadrature knows nothing of moments: it is given the points of the shape as a function of two or three parameters, takes
its measure from the derivatives of that function (by complex steps, exact to rounding), and sums with Gauss's rule.
"""

from __future__ import annotations

import inspect
import itertools
import math

import numpy as np
import pytest
from cases import each, refused
from hypothesis import given
from hypothesis import strategies as st

from massprops.errors import InvalidInput
from massprops.rigid_body import shapes

TURN = 2 * math.pi
#: Gauss's rule of 40 points integrates these analytic functions to rounding; the sums of 64,000 terms leave 1e-14.
QUADRATURE = 1e-13
#: A closed form is a dozen roundings of positive terms.
ROUNDING = 1e-14


def gauss(ranges, points=40):
    """Nodes, one row per parameter, and weights of the product rule over a box."""
    x, w = np.polynomial.legendre.leggauss(points)
    axes = [(0.5 * (b - a) * x + 0.5 * (a + b), 0.5 * (b - a) * w) for a, b in ranges]
    nodes = np.array([grid.ravel() for grid in np.meshgrid(*(n for n, _ in axes), indexing="ij")])
    weights = np.prod([grid.ravel() for grid in np.meshgrid(*(v for _, v in axes), indexing="ij")], axis=0)
    return nodes, weights


def content_of(tangents):
    """Length, area or volume spanned by one, two or three tangents, shape (n,)."""
    if len(tangents) == 1:
        return np.linalg.norm(tangents[0], axis=0)
    normal = np.cross(tangents[0], tangents[1], axis=0)
    return np.linalg.norm(normal, axis=0) if len(tangents) == 2 else np.abs((normal * tangents[2]).sum(axis=0))


def quadrature(pieces, points=40):
    """Measure, centre and second moment about it of a uniform body, from its points as functions of parameters."""
    measure, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for place, ranges in pieces:
        nodes, weights = gauss(ranges, points)
        x = np.array(np.broadcast_arrays(*place(*nodes)))
        step = 1e-100  # no difference is taken, so no step is too small
        tangents = [
            np.array(np.broadcast_arrays(*place(*[n + 1j * step * (k == i) for k, n in enumerate(nodes)]))).imag / step
            for i in range(len(nodes))
        ]
        w = weights * content_of(tangents)
        measure, first, second = measure + w.sum(), first + x @ w, second + (x * w) @ x.T
    centre = first / measure
    return measure, centre, second - measure * np.outer(centre, centre)


def assert_is(body, pieces, tolerance=QUADRATURE, points=40):
    measure, centre, second = quadrature(pieces, points)
    size = np.trace(second)
    assert body.mass == pytest.approx(2.5 * measure, rel=tolerance)
    np.testing.assert_allclose(body.com, centre, rtol=0, atol=tolerance * math.sqrt(size / measure))
    np.testing.assert_allclose(body.second_moment(), 2.5 * second, rtol=0, atol=tolerance * 2.5 * size)


def assert_same(one, other, tolerance=ROUNDING):
    assert one.mass == pytest.approx(other.mass, rel=tolerance)
    np.testing.assert_allclose(one.com, other.com, rtol=0, atol=tolerance * (1 + np.abs(other.com).max()))
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=0, atol=tolerance * np.abs(other.inertia).max())


# ---- points of the shapes -------------------------------------------------------------------------------------------


def ball(rx, ry, rz, theta=(0, math.pi), z=0.0):
    def place(s, t, f):
        return rx * s * np.sin(t) * np.cos(f), ry * s * np.sin(t) * np.sin(f), rz * s * np.cos(t) + z

    return place, [(0, 1), theta, (0, TURN)]


def ball_surface(rx, ry, rz, theta=(0, math.pi), z=0.0):
    def place(t, f):
        return rx * np.sin(t) * np.cos(f), ry * np.sin(t) * np.sin(f), rz * np.cos(t) + z

    return place, [theta, (0, TURN)]


def rotation_body(inner, outer, bottom, top):
    """Between the radii inner(z) and outer(z)."""

    def place(s, f, z):
        r = inner(z) + s * (outer(z) - inner(z))
        return r * np.cos(f), r * np.sin(f), z

    return place, [(0, 1), (0, TURN), (bottom, top)]


def rotation_surface(radius, bottom, top):
    return lambda f, z: (radius(z) * np.cos(f), radius(z) * np.sin(f), z), [(0, TURN), (bottom, top)]


def flat_disc(radius, z):
    return lambda s, f: (radius * s * np.cos(f), radius * s * np.sin(f), z + 0 * s), [(0, 1), (0, TURN)]


def ring(radius, tube):
    def place(s, u, f):
        r = radius + tube * s * np.cos(u)
        return r * np.cos(f), r * np.sin(f), tube * s * np.sin(u) + 0 * f

    return place


def rectangle(axis, at, a, b):
    """A plate across an axis: centred, of edges a and b along the next two axes."""

    def place(u, v):
        return tuple(np.roll(np.array(np.broadcast_arrays(at + 0 * u, u, v)), axis, axis=0))

    return place, [(-a / 2, a / 2), (-b / 2, b / 2)]


def box_faces(*edges):
    for axis, sign in itertools.product(range(3), (0.5, -0.5)):
        yield rectangle(axis, sign * edges[axis], edges[(axis + 1) % 3], edges[(axis + 2) % 3])


def constant(value):
    return lambda z: value + 0 * z


def triangle_prism(base, height, length, apex):
    def place(s, t, z):
        return s * (base + t * (apex - base)), s * t * height, z + 0 * s

    return place, [(0, 1), (0, 1), (0, length)]


HALF, OTHER_HALF = (0, math.pi / 2), (math.pi / 2, math.pi)

# in units in which no two lengths are equal
CASES = [
    (shapes.box, (2.0, 3.0, 5.0), [(lambda x, y, z: (x, y, z), [(-1, 1), (-1.5, 1.5), (-2.5, 2.5)])]),
    (shapes.sphere, (1.7,), [ball(1.7, 1.7, 1.7)]),
    (shapes.ellipsoid, (2.0, 3.0, 5.0), [ball(2, 3, 5)]),
    (shapes.cylinder, (1.7, 5.0), [rotation_body(constant(0), constant(1.7), -2.5, 2.5)]),
    (shapes.tube, (1.7, 1.1, 5.0), [rotation_body(constant(1.1), constant(1.7), -2.5, 2.5)]),
    (shapes.frustum, (1.7, 0.4, 5.0), [rotation_body(constant(0), lambda z: 1.05 - 0.26 * z, -2.5, 2.5)]),
    (shapes.frustum, (1.7, 0.0, 5.0), [rotation_body(constant(0), lambda z: 0.85 - 0.34 * z, -2.5, 2.5)]),
    (shapes.cone, (1.7, 5.0), [rotation_body(constant(0), lambda z: 1.7 * (1 - z / 5), 0, 5)]),
    (
        shapes.capsule,
        (1.7, 5.0),
        [
            rotation_body(constant(0), constant(1.7), -2.5, 2.5),
            ball(1.7, 1.7, 1.7, HALF, 2.5),
            ball(1.7, 1.7, 1.7, OTHER_HALF, -2.5),
        ],
    ),
    (shapes.torus, (1.7, 0.6), [(ring(1.7, 0.6), [(0, 1), (0, TURN), (0, TURN)])]),
    (shapes.triangular_prism, (2.0, 3.0, 5.0), [triangle_prism(2, 3, 5, 1)]),
    (shapes.triangular_prism, (2.0, 3.0, 5.0, -0.7), [triangle_prism(2, 3, 5, -0.7)]),
    (shapes.box_shell, (2.0, 3.0, 5.0), list(box_faces(2, 3, 5))),
    (shapes.sphere_shell, (1.7,), [ball_surface(1.7, 1.7, 1.7)]),
    (
        shapes.cylinder_shell,
        (1.7, 5.0),
        [rotation_surface(constant(1.7), -2.5, 2.5), flat_disc(1.7, 2.5), flat_disc(1.7, -2.5)],
    ),
    (shapes.pipe, (1.7, 5.0), [rotation_surface(constant(1.7), -2.5, 2.5)]),
    (shapes.cone_shell, (1.7, 5.0), [rotation_surface(lambda z: 1.7 * (1 - z / 5), 0, 5), flat_disc(1.7, 0.0)]),
    (
        shapes.capsule_shell,
        (1.7, 5.0),
        [
            rotation_surface(constant(1.7), -2.5, 2.5),
            ball_surface(1.7, 1.7, 1.7, HALF, 2.5),
            ball_surface(1.7, 1.7, 1.7, OTHER_HALF, -2.5),
        ],
    ),
    (shapes.torus_shell, (1.7, 0.6), [(lambda u, f: ring(1.7, 0.6)(1.0, u, f), [(0, TURN), (0, TURN)])]),
    (shapes.disc, (1.7,), [flat_disc(1.7, 0.0)]),
    (shapes.plate, (2.0, 3.0), [rectangle(2, 0.0, 2, 3)]),
    (shapes.rod, (5.0,), [(lambda z: (0 * z, 0 * z, z), [(-2.5, 2.5)])]),
]


@each(("function", "lengths", "pieces"), CASES)
def test_a_closed_form_is_the_integral_over_the_points(function, lengths, pieces):
    body = function(*lengths, density=2.5)
    assert_is(body, pieces)


def test_every_shape_has_its_integral():
    elsewhere = {"ellipsoid_shell", "homoeoid", "point"}  # below
    assert {s.function.__name__ for s in shapes.SHAPES.values()} == {c[0].__name__ for c in CASES} | elsewhere


# ---- the ellipsoid's shell ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("semi_axes", [(2.0, 3.0, 5.0), (5.0, 2.0, 3.0), (1.0, 1.0, 4.0), (4.0, 1.0, 4.0)])
def test_the_shell_of_an_ellipsoid_is_the_integral_over_its_surface(semi_axes):
    # the root in the measure has branch points near the real axis: 200 points each way
    assert_is(shapes.ellipsoid_shell(*semi_axes, density=2.5), [ball_surface(*semi_axes)], points=200)


@each("aspect", [1.0 + 1e-9, 1.5, 10.0, 1e3, 1e6])
def test_areas_of_spheroids_are_elementary(aspect):
    # e.g. Zwillinger, CRC Standard Mathematical Tables; in hyperbolic form, which does not cancel near the sphere
    area = shapes.ellipsoid_shell(aspect, aspect, 1, density=1).mass
    mu = math.acosh(aspect)  # oblate: e = tanh μ
    oblate = TURN * aspect**2 + TURN * mu / math.tanh(mu)
    assert area == pytest.approx(oblate, rel=1e-14)
    area = shapes.ellipsoid_shell(1, 1, aspect, density=1).mass
    e = math.tanh(mu)
    prolate = TURN * (1 + aspect * math.atan(math.sinh(mu)) / e)
    assert area == pytest.approx(prolate, rel=1e-14)


def test_a_round_ellipsoid_is_a_sphere():
    assert_same(shapes.ellipsoid_shell(1.7, 1.7, 1.7, density=2.5), shapes.sphere_shell(1.7, density=2.5))


def test_a_needle_and_a_flake_have_their_limits():
    # r(z) = a √(1 − z²/c²): area π² a c, mean z² c²/4, mean x² 3 a²/8, but for terms of (a/c)² log(c/a)
    a, c = 1e-4, 1.0
    needle = shapes.ellipsoid_shell(a, a, c, mass=1.0).second_moment().diagonal()
    np.testing.assert_allclose(needle, [3 * a * a / 8, 3 * a * a / 8, c * c / 4], rtol=1e-7)
    assert shapes.ellipsoid_shell(a, a, c, density=1.0).mass == pytest.approx(math.pi**2 * a * c, rel=1e-7)
    # two discs: mean x² a²/4, and z² = c² (1 − r²/a²), of mean c²/2
    flake = shapes.ellipsoid_shell(c, c, a, mass=1.0).second_moment().diagonal()
    np.testing.assert_allclose(flake, [c * c / 4, c * c / 4, a * a / 2], rtol=1e-6)


@given(st.permutations([0.3, 1.1, 7.0]))
def test_the_names_of_the_axes_do_not_matter(semi_axes):
    s = shapes.ellipsoid_shell(0.3, 1.1, 7.0, mass=2.0).second_moment().diagonal()
    by_length = dict(zip([0.3, 1.1, 7.0], s.tolist(), strict=True))
    permuted = shapes.ellipsoid_shell(*semi_axes, mass=2.0).second_moment().diagonal()
    np.testing.assert_allclose(permuted, [by_length[a] for a in semi_axes], rtol=ROUNDING)


@pytest.mark.parametrize("k", [1e-6, 0.3, 0.9])
def test_a_homoeoid_is_an_ellipsoid_less_a_similar_one(k):
    outer, inner = (shapes.ellipsoid(2 * s, 3 * s, 5 * s, density=2.5) for s in (1, k))
    assert_same(shapes.homoeoid(2, 3, 5, 2 * k, density=2.5), outer - inner)


def test_a_thin_homoeoid_is_not_the_shell_of_uniform_thickness():
    # Chandrasekhar, Ellipsoidal Figures of Equilibrium (1969), section 19: a homoeoid of no thickness has S = m/3 diag(a², b², c²)
    squares = np.array([2.0, 3.0, 5.0]) ** 2 / 3
    thin = shapes.homoeoid(2, 3, 5, 2 * (1 - 1e-9), mass=1.0).second_moment().diagonal()
    np.testing.assert_allclose(thin, squares, rtol=1e-8)
    uniform = shapes.ellipsoid_shell(2, 3, 5, mass=1.0).second_moment().diagonal()
    assert (np.abs(uniform / squares - 1) > 0.02).all()


def test_the_inner_ellipsoid_of_a_homoeoid_is_smaller():
    with pytest.raises(InvalidInput, match=r"inner_rx 2\.0 m must be below rx 2\.0 m"):
        shapes.homoeoid(2.0, 3.0, 5.0, 2.0, mass=1.0)


# ---- published ------------------------------------------------------------------------------------------------------


def test_shapes_published_by_mujoco():
    # corpus/truth/mujoco_mesh_inertia.json: user_mesh_test.cc, solid unit cube and hollow thin cube
    np.testing.assert_allclose(shapes.box(1, 1, 1, mass=1).inertia, np.eye(3) / 6, rtol=1e-15)
    hollow = shapes.box_shell(1, 1, 1, density=1)
    assert hollow.mass == 6.0
    np.testing.assert_allclose(hollow.inertia, np.eye(3) * 1.6666666666666667, rtol=1e-15)


# ---- the shapes to each other and to meshes -------------------------------------------------------------------------


def test_a_ring_may_close_its_hole():
    # R = r: the points are still told apart by their parameters, and the integral is the same
    assert_is(shapes.torus(1.7, 1.7, density=2.5), [(ring(1.7, 1.7), [(0, 1), (0, TURN), (0, TURN)])])


def test_the_apex_stands_over_the_middle_unless_told():
    assert_same(shapes.triangular_prism(2, 3, 5, mass=1), shapes.triangular_prism(2, 3, 5, 1.0, mass=1))


# ---- by name --------------------------------------------------------------------------------------------------------


def test_shapes_are_found_by_name_with_their_parameters():
    assert shapes.SHAPES["cylinder"].function is shapes.cylinder
    assert [p.name for p in shapes.SHAPES["cylinder"].parameters] == ["radius", "length"]
    assert shapes.SHAPES["box-shell"].dimension == 2
    assert shapes.SHAPES["rod"].summary == "Thin rod along z: S = m diag(0, 0, l²/12)."
    apex = shapes.SHAPES["triangular-prism"].parameters[-1]
    assert (apex.name, apex.kind, apex.optional) == ("apex", "coordinate", True)
    others = [p for s in shapes.SHAPES.values() for p in s.parameters if p.name not in ("apex", "top_radius")]
    assert all(p.kind == "length" and not p.optional for p in others)


@each("shape", shapes.SHAPES.values())
def test_a_shape_scales_with_the_powers_of_its_dimension(shape):
    lengths = {p.name: 2.0 - 0.3 * i for i, p in enumerate(shape.parameters)}
    if shape.name == "point":
        assert shape.function(mass=2.5).mass == 2.5
        return
    one = shape.function(**lengths, density=2.5)
    twice = shape.function(**{k: 2 * v for k, v in lengths.items()}, density=2.5)
    assert twice.mass == pytest.approx(one.mass * 2**shape.dimension, rel=ROUNDING)
    np.testing.assert_allclose(twice.inertia, one.inertia * 2 ** (shape.dimension + 2), rtol=1e-13)
    assert_same(shape.function(**lengths, mass=one.mass), one)
    assert one.consistency().ok


@each("shape", shapes.SHAPES.values())
def test_every_length_must_be_positive(shape):
    lengths = {p.name: 2.0 - 0.3 * i for i, p in enumerate(shape.parameters)}
    for parameter in (p for p in shape.parameters if p.kind == "length"):
        for bad, told in ((0.0, "positive, got 0.0 m"), (-1.0, "positive, got -1.0 m")):
            with pytest.raises(InvalidInput) as caught:
                shape.function(**{**lengths, parameter.name: bad}, mass=1.0)
            assert str(caught.value) == f"{parameter.name} must be {told}"


REFUSED = [
    (
        lambda: shapes.tube(1.0, 1.0, 2.0, mass=1),
        "inner_radius 1.0 m must be below outer_radius 1.0 m; give a smaller one",
    ),
    (
        lambda: shapes.torus(1.0, 1.5, mass=1),
        "tube_radius 1.5 m is above radius 1.0 m: the ring would run through itself",
    ),
    (lambda: shapes.point(density=1.0), "a point has no volume, so it needs a mass and takes no density"),
    (lambda: shapes.point(), "a point has no volume, so it needs a mass and takes no density"),
    (
        lambda: shapes.sphere(1, density="7800"),
        "density must be a number, got '7800'; massprops.units reads texts with units",
    ),
    (lambda: shapes.sphere(math.nan, mass=1), "radius must be finite, got nan"),
    (lambda: shapes.sphere(1.0), "expected one of density and mass, got neither"),
    (lambda: shapes.sphere(1.0, mass=-1.0), "mass must be positive, got -1.0 kg"),
    (lambda: shapes.plate(1, 2, density=-1.0), "density must be positive, got -1.0 kg/m²"),
    (lambda: shapes.rod(1, density=-1.0), "density must be positive, got -1.0 kg/m"),
    (lambda: shapes.triangular_prism(1, 1, 1, math.inf, mass=1), "apex must be finite, got inf"),
]


@each(("make", "message"), REFUSED)
def test_what_is_no_shape_is_refused(make, message):
    assert refused(InvalidInput, make) == message


def test_signatures_tell_what_a_shape_takes():
    for shape in shapes.SHAPES.values():
        assert list(inspect.signature(shape.function).parameters)[-2:] == ["density", "mass"]

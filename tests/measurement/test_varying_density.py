"""Density that varies in space: against exact rational integrals, closed forms of graded bodies, and its own ±.

Modules tested: `moments/weighted`.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from cases import each, refused
from console import valid
from oracles import box, determinant, moved, polycube, rational, rotated, simplex_monomial, tetrahedron
from tessellated import cylinder, sphere

from massprops import InvalidInput, PolynomialDensity, Pose, measure
from massprops.moments.weighted import _NODES, _STEP_WEIGHTS, _STEPS, _WEIGHTS
from massprops.writers.console import TextOutput
from massprops.writers.measurement import one_body

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
#: ρ = 5000 + 300 x − 200 y + 100 z + 7 x² + 5 y² + 9 z² − 4 x y + 2 x z + 6 y z: no two coefficients are alike.
POWERS = [(0, 0, 0), X, Y, Z, (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (1, 0, 1), (0, 1, 1)]
COEFFICIENTS = dict(zip(POWERS, (5000, 300, -200, 100, 7, 5, 9, -4, 2, 6), strict=True))
QUADRATIC = PolynomialDensity(5000, [300, -200, 100], [[7, -2, 1], [-2, 5, 3], [1, 3, 9]])
#: Unit cubes by their lowest corners.
ELBOW = [(3, -2, 5), (4, -2, 5), (5, -2, 5), (5, -1, 5), (5, -1, 6), (5, 0, 6)]
CAVITY = sorted({*itertools.product(range(3), repeat=3)} - {(1, 1, 1)})


def times(p, q):
    """The product of two polynomials, as coefficients by powers."""
    found = defaultdict(Fraction)
    for (a, x), (b, y) in itertools.product(p.items(), q.items()):
        found[tuple(i + j for i, j in zip(a, b, strict=True))] += x * y
    return found


def integral(solid, polynomial) -> Fraction:
    """Over the solid, as fractions: the coordinates of a tetrahedron with the origin are linear in three of its barycentric ones."""
    total = Fraction(0)
    for corners in solid:
        p = [[rational(x) for x in corner] for corner in corners]
        linear = [{unit: p[k][axis] for k, unit in enumerate((X, Y, Z))} for axis in range(3)]
        for powers, factor in polynomial.items():
            term = {(0, 0, 0): Fraction(factor)}
            for axis, power in enumerate(powers):
                for _ in range(power):
                    term = times(term, linear[axis])
            total += determinant(p) * sum(c * simplex_monomial(*a) for a, c in term.items())
    return total


def integral_of_cubes(cells, polynomial) -> Fraction:
    """Integral over unit cubes: products of integrals along the axes."""
    return sum(
        factor
        * math.prod(Fraction((i + 1) ** (n + 1) - i ** (n + 1), n + 1) for i, n in zip(cell, powers, strict=True))
        for cell in cells
        for powers, factor in polynomial.items()
    )


def exact(solid, polynomial, integral=integral):
    """Mass, centre, and inertia about the centre, of the solid with a density, as doubles that are rounded once."""
    mass = integral(solid, polynomial)
    c = [integral(solid, times(polynomial, {axis: 1})) / mass for axis in (X, Y, Z)]
    second = [
        [
            integral(solid, times(times(polynomial, {i: 1}), {j: 1})) - mass * c[m] * c[n]
            for n, j in enumerate((X, Y, Z))
        ]
        for m, i in enumerate((X, Y, Z))
    ]
    trace = sum(second[k][k] for k in range(3))
    tensor = [[float((trace if i == j else 0) - second[i][j]) for j in range(3)] for i in range(3)]
    return float(mass), [float(x) for x in c], np.array(tensor)


def assert_within(m, mass, com, tensor, tightest: float) -> None:
    """The truth is within the ±, and the ± is no more than a share of the numbers."""
    off, size = m.uncertainty, np.abs(tensor).max()
    assert abs(m.mass - mass) <= off.mass <= tightest * mass
    assert (np.abs(m.com - com) <= off.center_of_mass).all()
    assert (np.abs(m.inertia - tensor) <= off.inertia).all()
    assert off.inertia.max() <= 20 * tightest * size


@each("cells", [None, ELBOW, CAVITY])
def test_a_polynomial_is_integrated_exactly(cells) -> None:
    triangles = polycube(cells)[0] if cells else tetrahedron()
    expected = exact(cells, COEFFICIENTS, integral_of_cubes) if cells else exact(triangles, COEFFICIENTS)
    found = measure(triangles, density=QUADRATIC, nested="cavity")
    assert (found.method, found.grade) == ("exact", "proved")
    assert_within(found, *expected, 1e-9)
    assert set(found.sources) == {"arithmetic", "resolution"}
    # the same polynomial as any function: the quadrature stops at once, and the volume is that of the geometry
    again = measure(triangles, density=lambda points: QUADRATIC(points), nested="cavity")
    assert_within(again, *expected, 1e-9)
    assert again.volume == measure(triangles, nested="cavity").volume
    assert again.density == pytest.approx(again.mass / again.volume, rel=1e-15)


def test_the_rules_are_those_of_radon_and_gauss() -> None:
    """Monomials over the triangle up to degree 5, and over [0, 1] up to degree 7; constants have 16 digits."""
    for a, b in itertools.product(range(6), repeat=2):
        if a + b <= 5:
            found = (_WEIGHTS * _NODES[:, 0] ** a * _NODES[:, 1] ** b).sum() / 2
            assert found == pytest.approx(float(simplex_monomial(a, b)), rel=1e-14)
    assert [(_STEP_WEIGHTS * _STEPS**n).sum() for n in range(8)] == pytest.approx([1 / (n + 1) for n in range(8)])


def test_a_unit_a_pose_and_the_origin_of_a_polynomial() -> None:
    """In millimetres, placed: the density is one of the coordinates of the result, in metres."""
    pose = Pose.from_xyz_rpy([0.3, -2.0, 5.0], [0.4, -0.3, 0.9])
    body = measure(tetrahedron() * 1000, units="mm", density=QUADRATIC)
    for density in (lambda p: QUADRATIC(pose.inverse().apply(p)), _placed(QUADRATIC, pose)):
        placed = measure(tetrahedron() * 1000, units="mm", density=density, pose=pose)
        expected = body.properties.transformed(pose)
        assert placed.mass == pytest.approx(expected.mass, rel=1e-12)
        assert placed.com == pytest.approx(expected.com, rel=1e-12)
        assert placed.inertia == pytest.approx(expected.inertia, rel=1e-10)


def _placed(d: PolynomialDensity, pose: Pose) -> PolynomialDensity:
    r = pose.rotation
    return PolynomialDensity(d.constant, r @ d.gradient, r @ d.quadratic @ r.T, pose.apply(np.zeros(3)))


def test_a_box_whose_density_decays() -> None:
    """ρ = 1000 e^(−z/h) in a box a × b × L: ∫e^(−z/h) zⁿ by parts."""
    a, b, length, h = 0.2, 0.3, 0.5, 0.25
    found = measure(box((0, 0, 0), (a, b, length)), density=lambda p: 1000 * np.exp(-p[:, 2] / h))
    e = math.exp(-length / h)
    n0, n1 = h * (1 - e), h * (h - (h + length) * e)
    n2 = h * (2 * h * h - (2 * h * h + 2 * h * length + length**2) * e)
    mass, z = 1000 * a * b * n0, n1 / n0
    zz, xx, yy = 1000 * a * b * n2 - mass * z * z, mass * a * a / 12, mass * b * b / 12
    assert_within(found, mass, [a / 2, b / 2, z], np.diag([yy + zz, xx + zz, xx + yy]), 1e-6)


@each("solid", [sphere, cylinder])
def test_a_round_body_that_is_denser_outside(solid) -> None:
    """ρ = 1000 + 40 r², r the distance from the z axis, in a ball of 5 m and a cylinder of 3 m by 20 m; the ± has the facets in it.

    Ball: ∫r² = 8πR⁵/15, ∫r⁴ = 32πR⁷/105, ∫z² = 4πR⁵/15, ∫r²z² = 8πR⁷/105. Cylinder: ∫r² = πR⁴h/2, ∫r⁴ = πR⁶h/3, ∫r²z² = πR⁴h³/24.
    """
    triangles, form = solid(0.002)
    found = measure(
        triangles, density=PolynomialDensity(1000, quadratic=np.diag([40, 40, 0])), chord_tolerance=0.002, verify="xray"
    )
    if solid is sphere:
        r2, r4, r2z2 = 8 * math.pi * 5**5 / 15, 32 * math.pi * 5**7 / 105, 8 * math.pi * 5**7 / 105
    else:
        r2, r4, r2z2 = (math.pi * x for x in (3**4 * 20 / 2, 3**6 * 20 / 3, 3**4 * 20**3 / 24))
    mass = 1000 * form.volume + 40 * r2
    axial, zz = 1000 * r2 + 40 * r4, 1000 * form.second[2] + 40 * r2z2
    assert abs(found.mass - mass) <= found.uncertainty.mass <= 0.02 * mass
    expected = np.diag([axial / 2 + zz, axial / 2 + zz, axial])
    assert (np.abs(found.inertia - expected) <= found.uncertainty.inertia).all()
    assert found.inertia.diagonal() == pytest.approx(expected.diagonal(), rel=3e-3)  # the facets cut off a thousandth


def test_a_density_that_jumps_has_a_larger_uncertainty_that_holds() -> None:
    """Two layers: exact by two boxes, whatever the angle of the plane between them to the facets."""
    found = measure(box((0, 0, 0), (1, 1, 1)), density=lambda p: np.where(p[:, 2] < 0.37, 7800.0, 1200.0))
    low, high = measure(box((0, 0, 0), (1, 1, 0.37)), density=7800), measure(box((0, 0, 0.37), (1, 1, 1)), density=1200)
    whole = low.properties + high.properties
    assert_within(found, whole.mass, whole.com, whole.inertia, 0.02)


def test_a_density_that_is_the_same_everywhere_is_a_density() -> None:
    triangles = rotated(moved(polycube(ELBOW)[0], [1e3, 2e3, -1e3]))
    uniform = measure(triangles, density=7800)
    for density in (PolynomialDensity(7800), lambda p: np.full(len(p), 7800)):
        found = measure(triangles, density=density)
        assert found.mass == pytest.approx(uniform.mass, rel=1e-13)
        assert np.abs(found.com - uniform.com).max() < 1e-12 * 2e3
        assert found.inertia == pytest.approx(uniform.inertia, rel=1e-9, abs=1e-9 * uniform.inertia.max())
        assert (found.grade, found.volume) == (uniform.grade, uniform.volume)


def test_the_resolution_of_a_file_covers_the_coordinates_before_they_were_rounded() -> None:
    true = rotated(tetrahedron())
    mass, com, tensor = exact(true, COEFFICIENTS)
    found = measure(true.astype(np.float32), density=QUADRATIC)
    assert_within(found, mass, com, tensor, 1e-5)
    assert abs(found.mass - mass) > found.sources["arithmetic"].mass  # it is not only that of rounding


def test_the_result_says_what_it_is_and_follows_the_schema() -> None:
    found = measure(tetrahedron(), density=QUADRATIC, units="cm")
    result = valid(json.dumps(found.to_dict()))
    (note,) = (f for f in result["findings"] if f["code"] == "varying-density")
    assert note["severity"] == "info"
    assert "integrated exactly" in note["message"]
    assert result["density"] == note["value"]
    assert result["mass"] == pytest.approx(result["density"] * result["volume"])
    assert not [f for f in found.findings if f.code == "implausible-density"]
    other = measure(tetrahedron(), density=lambda p: 1 + p[:, 0] ** 4)
    assert "by quadrature" in str(other)
    assert "Density" in one_body(other, about=None, products="tensor", screen=TextOutput(verbose=True))


BOWL = PolynomialDensity(-10, quadratic=np.eye(3) * 1000, origin=[1.5, 1.5, 1.5])


@each(
    "density, options, said",
    [
        (PolynomialDensity(1000, [-1000, 0, 0]), {}, r"is -2000 kg/m³ at \(3, "),
        (BOWL, {}, r"is -10 kg/m³ at \(1.5, 1.5, 1.5\) m"),
        (lambda p: p[:, 0] - 1, {}, "must be a number that is not negative"),
        (lambda p: np.where(p[:, 0] > 1, np.nan, 1), {}, "is nan kg/m³ at"),
        (lambda p: p, {}, r"returns shape \(\d+, 3\) for \d+ points"),
        (lambda p: p.sum(), {}, r"returns shape \(\)"),
        (lambda p: float(p[0]), {}, "fails for"),
        (lambda p: p[:, 0] + 1j, {}, "fails for .* the densities are complex numbers"),
        (lambda p: 0 * p[:, 0], {}, "must not be zero everywhere"),
        (QUADRATIC, {"mass": 3}, "a density that varies and mass are mutually exclusive"),
        (QUADRATIC, {"exact": True}, "varies and exact are mutually exclusive"),
        (QUADRATIC, {"kind": "sheet"}, "varies and kind are mutually exclusive"),
    ],
)
def test_what_is_no_density_is_refused(density, options, said) -> None:
    with pytest.raises(InvalidInput, match=said):
        measure(box((0, 0, 0), (3, 3, 3)), density=density, **options)


def test_a_minimum_below_zero_outside_of_the_body_is_none_of_it() -> None:
    assert measure(polycube(CAVITY)[0], density=BOWL, nested="cavity").mass > 0


#: Two boxes that overlap by half of each.
OVERLAPPING = [((0, 0, 0), (1, 1, 1)), ((0.5, 0, 0), (1.5, 1, 1))]


def test_a_union_weighs_what_it_counts_once() -> None:
    pytest.importorskip("manifold3d")
    both = np.concatenate([box(*corners) for corners in OVERLAPPING])
    found = measure(both, density=QUADRATIC, on_overlap="union")
    assert found.mass == pytest.approx(measure(box((0, 0, 0), (1.5, 1, 1)), density=QUADRATIC).mass, rel=1e-12)


def test_what_has_no_triangles_is_refused(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "manifold3d", None)  # else they are those of the union
    both = np.concatenate([box(*corners) for corners in OVERLAPPING])
    with pytest.raises(InvalidInput, match="needs the triangles of a solid"):
        measure(both, density=QUADRATIC, on_overlap="union")


def test_a_section_has_no_density_that_varies() -> None:
    with pytest.raises(InvalidInput, match="a density that varies is for meshes"):
        measure([[0, 0], [1, 0], [0, 1]], density=QUADRATIC)


@each("arguments", [("x",), (1, [1, 2]), (1, [1, 2, float("nan")]), (1, [1, 2, 3], np.eye(2))])
def test_coefficients_are_numbers(arguments) -> None:
    assert "of a density must be" in refused(InvalidInput, PolynomialDensity, *arguments)

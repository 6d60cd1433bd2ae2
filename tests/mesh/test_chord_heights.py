"""The bound of a chord tolerance, against curved bodies in closed form that were written with that tolerance."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from cases import each
from oracles import box, bumpy_torus, indexed, mapped, moved, revolved, rotated, write_binary_stl
from tessellated import BODIES, TOLERANCES

import massprops
from massprops import measure
from massprops.formats.mesh.arrays import from_object
from massprops.mesh import chord_heights
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.integration import integrate

#: Rounding of sums and closed forms, relative to sizes of at most 50.
ROUNDING = 1e-11

written = functools.cache(lambda name, tolerance: BODIES[name](tolerance))


def compared(name: str, tolerance: float, stated: float):
    """Changes from the mesh to the true body and their bounds: of volume, centre and inertia, at a density of 1."""
    triangles, true = written(name, tolerance)
    result = measure(triangles, units="m", density=1.0, chord_tolerance=stated, verify="closed")
    x, y, z = map(float, true.second)
    inertia = np.diag([y + z, x + z, x + y])
    bound = result.sources["chord"]
    return (
        (abs(true.volume - result.volume), bound.volume),
        (np.abs(true.centroid - result.center_of_mass), bound.center_of_mass),
        (np.abs(inertia - result.inertia), bound.inertia + ROUNDING * inertia.max()),
    )


@each("tolerance", TOLERANCES)
@pytest.mark.parametrize("name", BODIES)
def test_the_true_body_is_within_the_bound_and_the_bound_within_five_times_the_change(name, tolerance):
    """A bound that fails gives a wrong ±; one of a hundred times the change gives none that is of use."""
    volume, center, inertia = compared(name, tolerance, tolerance)
    for change, bound in (volume, center, inertia):
        assert np.all(change <= bound + ROUNDING)
    assert volume[1] < 5 * volume[0]
    assert (np.diag(inertia[1]) < 5 * np.diag(inertia[0])).all()


@pytest.mark.parametrize("name", BODIES)
def test_a_tolerance_that_is_ten_times_too_large_costs_no_more_than_ten_times_the_change(name):
    """Angles bound the facets of a mesh that is finer than stated."""
    volume, center, inertia = compared(name, 0.003, 0.03)
    for change, bound in (volume, center, inertia):
        assert np.all(change <= bound + ROUNDING)
    assert volume[1] < 10 * volume[0]
    assert (np.diag(inertia[1]) < 10 * np.diag(inertia[0])).all()


@pytest.mark.parametrize("n", [48, 96, 192])
def test_a_turned_part_with_a_loose_tolerance_is_bounded_by_its_angles(n):
    """Steps, a chamfer and a groove, to 0.1 mm: every section is a regular polygon, n/2π sin(2π/n) of its circle."""
    profile = [(0, 0), (9, 0), (10, 1), (10, 20), (15, 20), (15, 35), (8, 35), (8, 60), (0, 60)]
    result = measure(revolved(profile, n), units="mm", chord_tolerance="0.1mm")
    true = result.volume / (n / (2 * math.pi) * math.sin(2 * math.pi / n))
    bound = result.sources["chord"].volume
    assert true - result.volume <= bound < 10 * (true - result.volume)


def test_flat_faces_between_sharp_edges_move_nothing():
    for tolerance in (0.1, 0.001):
        off = measure(rotated(box((0, 0, 0), (10, 20, 30))), chord_tolerance=tolerance, units="m").sources["chord"]
        assert off.volume < 1e-9 * 6000
        assert (off.center_of_mass < 1e-9).all()


def test_a_side_is_smooth_up_to_twice_the_tolerance():
    """A square prism is a cylinder to a tolerance of 0.6 r, and a box to one of 0.05 r."""
    r, h = 1.0, 40.0
    body = revolved([(0, 0), (r, 0), (r, h), (0, h)], 4)
    as_cylinder = measure(body, chord_tolerance=0.3, units="m").sources["chord"]
    as_box = measure(body, chord_tolerance=0.05, units="m").sources["chord"]
    assert as_cylinder.volume > (math.pi - 2) * r * r * h
    assert as_box.volume < 1e-9


def spherical_heights(triangles: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """From facets along their normals to the unit sphere, at the points with these barycentric coordinates."""
    a, b, c = triangles.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    x = np.einsum("k,fkx->fx", weights, triangles)
    along = (x * normal).sum(axis=1)
    return np.sqrt(along**2 + 1 - (x**2).sum(axis=1)) - along


@pytest.mark.parametrize("spread", [0.0, 0.5])
@pytest.mark.parametrize("n", [50, 500])
def test_every_point_of_an_irregular_sphere_is_within_the_height(n, spread):
    """Facets of all shapes; the assumption about slopes is checked where it is made: at points of single facets."""
    hull = pytest.importorskip("scipy.spatial").ConvexHull
    k = np.arange(n) + 0.5
    z, turn = 1 - 2 * k / n, k * math.pi * (1 + math.sqrt(5))
    points = np.stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z], axis=1)
    points += np.random.default_rng(7).normal(size=points.shape) * spread / math.sqrt(n)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    found = hull(points)
    a, b, c = points[found.simplices].transpose(1, 0, 2)
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(axis=1) < 0
    faces = np.where(inward[:, np.newaxis], found.simplices[:, ::-1], found.simplices)
    mesh = IndexedMesh(points, faces.astype(np.intp))
    tolerance = 1 - np.abs(found.equations[:, 3]).min()
    s = chord_heights._rises(mesh, tolerance)
    for w in [(1 / 3, 1 / 3, 1 / 3), (0.5, 0.5, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.6, 0.2, 0.2), (0.1, 0.1, 0.8)]:
        bound = 2 * (w[0] * w[1] * s[:, 0] + w[1] * w[2] * s[:, 1] + w[2] * w[0] * s[:, 2])
        assert (spherical_heights(mesh.corners, np.array(w)) <= np.minimum(bound, tolerance) * (1 + 1e-9)).all()


def test_the_integrals_of_the_height_are_those_of_its_polynomial():
    """One tetrahedron whose rises are given: products of barycentric coordinates integrate to 2 A Π m! / (Σ m + 2)!."""
    vertices, faces = indexed(mapped(box(), np.diag([1.0, 2, 3]), (0.3, -0.2, 0.1)))
    mesh = from_object((vertices, faces))
    solid = integrate(mesh).solid
    s = np.random.default_rng(1).uniform(0.1, 1, size=(len(faces), 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chord_heights, "_rises", lambda *_: s)
        patch.setattr(IndexedMesh, "of", classmethod(lambda cls, _: cls(vertices, faces)))
        spread = chord_heights.chord_displacement(mesh, solid, 1e6)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    nodes, weights = (nodes + 1) / 2, weights / 2
    volume, second = 0.0, np.zeros(3)
    for u, wu in zip(nodes, weights, strict=True):
        for v, wv in zip(nodes, weights, strict=True):
            bary = np.array([1 - u, u * (1 - v), u * v])  # Duffy: dA = 2 A u du dv
            p = np.einsum("k,fkx->fx", bary, vertices[faces]) - solid.centroid
            q = 2 * (bary[0] * bary[1] * s[:, 0] + bary[1] * bary[2] * s[:, 1] + bary[2] * bary[0] * s[:, 2])
            area = np.linalg.norm(IndexedMesh(vertices, faces).normals(), axis=1) * u * wu * wv
            volume += (area * q).sum()
            second += ((area * q)[:, np.newaxis] * p**2).sum(axis=0)
    assert spread.volume == pytest.approx(volume, rel=1e-12)
    assert np.diag(spread.second) == pytest.approx(second, rel=1e-12)
    assert spread.center == pytest.approx(np.sqrt(volume * second) / solid.measure, rel=1e-12)


def test_place_and_unit_do_not_matter():
    triangles, _ = written("torus", 0.1)
    plain = measure(triangles, chord_tolerance=0.1, units="m").sources["chord"]
    far = measure(moved(triangles, (1e4, -2e4, 3e4)), chord_tolerance="0.1 mm", units="mm").sources["chord"]
    assert far.volume == pytest.approx(1e-9 * plain.volume, rel=1e-6)
    assert far.center_of_mass == pytest.approx(1e-3 * plain.center_of_mass, rel=1e-6)


def test_above_the_size_limit_the_bound_is_tolerance_times_area(monkeypatch, tmp_path):
    """A file, too: its triangles are read again."""
    path = write_binary_stl(tmp_path / "torus.stl", bumpy_torus())
    fine = massprops.measure(path, chord_tolerance="0.001mm", units="mm")
    monkeypatch.setattr(chord_heights, "MOST_FACETS", 10)
    coarse = massprops.measure(path, chord_tolerance="0.001mm", units="mm")
    assert coarse.sources["chord"].volume == pytest.approx(1e-6 * coarse.area, rel=1e-9)
    assert 0 <= fine.sources["chord"].volume < coarse.sources["chord"].volume


def test_facets_with_a_side_that_two_others_share_have_only_the_tolerance():
    """Two boxes that share an edge: four facets meet there, and none is the neighbour of another."""
    boxes = np.concatenate([box((0, 0, 0), (1, 1, 1)), box((1, 1, 0), (2, 2, 1))])
    off = measure(boxes, chord_tolerance=0.01, units="m", verify="closed").sources["chord"]
    assert off.volume == pytest.approx(0.01 * 4 * 0.5, rel=1e-6)

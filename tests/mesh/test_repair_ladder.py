"""The repair ladder: what it closes is closed, its bounds hold the truth, and what needs no repair is not touched.

Modules tested: `mesh/repair/ladder`, `mesh/repair/bounds`, `mesh/repair/holes`.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import damage
import numpy as np
import pytest
from cases import each
from cores import CORES, core_of
from oracles import box, moebius_band
from scipy.spatial import Delaunay

from massprops import InvalidGeometry, measure
from massprops.formats.mesh.arrays import from_object
from massprops.mesh.boundary import Boundary
from massprops.mesh.indexed_mesh import IndexedMesh, OpenEdges
from massprops.mesh.repair import holes, ladder
from massprops.mesh.repair.bounds import Bound
from massprops.mesh.repair.facing_loops import _band, difference
from massprops.mesh.repair.holes import (
    Fills,
    Loops,
    _fill_by,
    _rings_of,
    fill,
    fills_of,
    least_missing,
    loops_of,
    open_bound,
)
from massprops.mesh.repair.ladder import Irreparable, RepairedMesh, close, repair
from massprops.mesh.repair.neighbours import pairs_within
from massprops.mesh.source import Triangles
from massprops.mesh.surface import Surface
from massprops.moments.integrals import Moments
from massprops.writers.verification import grade_in_words

#: Sums of some thousand tetrahedra: roundings of a volume, relative.
ROUNDING = 1e-12


def indexed(triangles: np.ndarray) -> IndexedMesh:
    return IndexedMesh.of(Triangles("x", len(triangles), lambda: iter([triangles])))


def closed(mesh: IndexedMesh) -> bool:
    return Boundary.of(np.ascontiguousarray(mesh.corners.transpose(1, 2, 0))).closed


def total(steps) -> Bound:
    bound = Bound.none()
    for s in steps:
        bound += s.bound
    return bound


@pytest.mark.parametrize("body", damage.SMALL)
def test_the_planted_bodies_are_closed(body: str) -> None:
    # else the truth that repairs are compared with would be none
    triangles = damage.SMALL[body]()
    assert closed(indexed(triangles))
    assert damage.moments(triangles)[0] > 0


@pytest.mark.parametrize("core", CORES)
def test_numbered_points_and_corners_make_the_same_mesh(core) -> None:
    """Repairs do not depend on the format: points in another order, one that no facet has, and the origin twice, as 0 and as −0."""
    expected = indexed(damage.SMALL["blob"]())
    expected = replace(expected, points=expected.points - expected.points[0])
    order = np.random.default_rng(2).permutation(len(expected.points))
    points = np.concatenate([[[-0.0, -0.0, -0.0]], expected.points[order], [[9, 9, 9]]])
    faces = 1 + np.argsort(order)[expected.faces]
    faces[3:][expected.faces[3:] == 0] = 0
    assert 0 < (faces == 0).sum() < (expected.faces == 0).sum()
    with core_of(core):
        mesh = IndexedMesh.of(from_object((points, faces)))
    assert (mesh.points == expected.points).all()
    assert not np.signbit(mesh.points[mesh.points == 0]).any()
    assert (mesh.faces == expected.faces).all()


@pytest.mark.parametrize("body", damage.SMALL)
def test_a_valid_mesh_is_not_touched(body: str) -> None:
    triangles = damage.placed(damage.SMALL[body](), np.random.default_rng(1))
    found = repair(indexed(triangles), "full")
    assert isinstance(found, RepairedMesh)
    assert found.steps == ()
    assert (found.mesh.corners == triangles).all()


@each("defect", damage.DAMAGES)
@each("body", damage.SMALL)
def test_the_interval_holds_the_truth(body: str, defect: str) -> None:
    rng = np.random.default_rng([list(damage.SMALL).index(body), list(damage.DAMAGES).index(defect)])
    triangles = damage.placed(damage.SMALL[body](), rng)
    volume, center, second = damage.moments(triangles)
    found = repair(indexed(damage.DAMAGES[defect](triangles, rng)), "full")
    if isinstance(found, Irreparable):
        assert "missing" in defect or "hole" in defect
        return
    assert closed(found.mesh)
    ours = damage.moments(found.mesh.corners)
    bound = total(found.steps)
    sign = np.sign(ours[0])  # which way round the whole is, others decide
    assert abs(sign * ours[0] - volume) <= bound.volume + ROUNDING * volume
    if bound.volume < 0.1 * volume:
        first = ours[0] * (ours[1] - found.reference)
        arm = ours[1] - found.reference
        about = Moments(ours[0], first, ours[2] + ours[0] * np.outer(arm, arm), found.reference)
        spread = bound.spread(about, found.reference)
        size = damage.size_of(triangles)
        assert (np.abs(ours[1] - center) <= spread.center + ROUNDING * size).all()
        assert (np.abs(sign * ours[2] - second) <= spread.second + ROUNDING * volume * size**2).all()


def test_the_order_of_the_facets_changes_no_bound() -> None:
    rng = np.random.default_rng(7)
    broken = damage.hole(0.02)(damage.placed(damage.blob(3), rng), rng)
    one = repair(indexed(broken), "full")
    other = repair(indexed(broken[rng.permutation(len(broken))]), "full")
    assert isinstance(one, RepairedMesh)
    assert isinstance(other, RepairedMesh)
    assert total(other.steps).volume == pytest.approx(total(one.steps).volume, rel=1e-9)


def test_a_double_sided_surface_keeps_one_side() -> None:
    triangles = damage.blob(2)
    found = repair(indexed(np.concatenate([triangles, triangles[:, ::-1]])), "safe")
    assert isinstance(found, RepairedMesh)
    assert [s.step for s in found.steps][:1] == ["drop"]
    assert abs(found.mesh.volume()) == pytest.approx(damage.moments(triangles)[0], rel=ROUNDING)
    assert total(found.steps).volume == 0


def test_a_moebius_strip_is_not_closed_by_turning_facets() -> None:
    assert isinstance(repair(indexed(moebius_band(30)), "full"), Irreparable)


def test_a_flat_lid_hides_nothing_and_a_corner_does() -> None:
    cube = damage.bracket(4)
    middles, normals = cube.mean(axis=1), np.cross(cube[:, 1] - cube[:, 0], cube[:, 2] - cube[:, 0])
    lid = (normals[:, 0] > 0) & (middles[:, 0] == middles[:, 0].max())
    open_lid = indexed(cube[~lid])
    (loop,) = loops_of(open_lid, open_lid.open_edges())
    assert fills_of(open_lid, loop).volume <= ROUNDING
    # the three facets at a corner of the outermost cell, whose missing tetrahedron has a sixth of the cell's volume
    corner = cube.reshape(-1, 3).min(axis=0)
    at = (cube == corner).all(axis=2).any(axis=1)
    cut = indexed(cube[~at])
    (loop,) = loops_of(cut, cut.open_edges())
    missing = abs(damage.moments(cube)[0] - abs(repair(cut, "full").mesh.volume()))
    assert 0 < missing <= fills_of(cut, loop).volume


def test_a_lid_that_nothing_forces_is_said_to_be_taken_for_flat() -> None:
    # of a cube without a side five sixths are left; a facet that is missing has one shape alone
    cube = box()
    found = repair(indexed(cube[(cube[..., 2] < 1).any(axis=1)]), "full")
    assert (
        found.steps[-1].text
        == "closed 1 loop, 17 % of the area; 17 % taken for flat faces, at which the body is assumed to end"
    )
    assert repair(indexed(cube[1:]), "full").steps[-1].text == "closed 1 loop, 8.3 % of the area"
    # a lid of 24 points is flat to its rounding, which is no ± to tell of
    found = measure(revolved([(0, 0), (2, 0), (2, 40), (0, 40)], (2,)), repair="full")
    assert grade_in_words(found) == "an estimate: a flat face was assumed in each gap that was filled"
    assert "±" not in found.findings[0].message


def test_every_loop_is_found_once_where_loops_touch() -> None:
    # two missing facets that share a corner: two loops of three edges, or one of six that touches itself
    sphere = damage.blob(2)
    first = sphere[0]
    touching = next(i for i in range(1, len(sphere)) if sum((sphere[i] == p).all(axis=1).any() for p in first) == 1)
    mesh = indexed(np.delete(sphere, [0, touching], axis=0))
    assert [loops.vertices.shape for loops in loops_of(mesh, mesh.open_edges())] == [(2, 3)]


def test_more_than_a_tenth_of_the_surface_is_not_filled() -> None:
    rng = np.random.default_rng(3)
    found = repair(indexed(damage.hole(0.4)(damage.blob(3), rng)), "full")
    assert isinstance(found, Irreparable)
    assert "missing" in found.reason


def test_a_large_face_in_the_plane_of_its_rim_is_closed_and_half_a_sphere_is_not() -> None:
    # the inner facets of a face of a cube, a sixth of its surface: what is left of the face shows its plane
    cube = damage.quarter(damage.quarter(damage.box_mesh(np.zeros(3), np.ones(3))))
    middles = cube.mean(axis=1)
    inner = (middles[:, 2] > 0.999) & (np.abs(middles[:, :2] - 0.5).max(axis=1) < 0.25)
    safe = repair(indexed(cube[~inner]), "safe")
    assert isinstance(safe, RepairedMesh)
    assert abs(safe.mesh.volume() - 1) <= ROUNDING
    assert total(safe.steps).volume <= ROUNDING
    sphere, faces = damage.sphere_mesh(3)
    half = sphere[faces]
    half = half[half.mean(axis=1)[:, 2] > 0]
    assert isinstance(repair(indexed(half), "full"), Irreparable)


# --- the bound of filled holes, against closed forms


def rim(points: np.ndarray, slopes: float | np.ndarray) -> tuple[IndexedMesh, Loops]:
    """A loop, shape (k, 3), with one facet along each edge, at these angles to the triangle between the edge and the centre."""
    at, after = np.arange(len(points)), np.roll(points, -1, axis=0)
    faces = np.stack([at, np.roll(at, -1), at + len(points)], axis=1)
    (loops,) = loops_of(IndexedMesh(points, faces), OpenEdges(at, np.roll(at, -1), at))
    outer = points + after - loops.center
    outer[:, 2] += np.tan(slopes) * np.linalg.norm((points + after) / 2 - loops.center, axis=1)
    return IndexedMesh(np.concatenate([points, outer]), faces), loops


def ring(k: int, heights: float | np.ndarray = 0.0) -> np.ndarray:
    angles = np.arange(k) * (2 * np.pi / k)
    return np.stack([np.cos(angles), np.sin(angles), np.broadcast_to(heights, k)], axis=1)


def antiprism(k: int, height: float) -> tuple[np.ndarray, float]:
    """A loop of 2 k points, in turn above and below a circle by this height, and the volume of its hull, a prismatoid."""
    ends, middle = k / 2 * np.sin(2 * np.pi / k), k * np.cos(np.pi / 2 / k) ** 2 * np.sin(np.pi / k)
    return ring(2 * k, [height, -height] * k), height / 3 * (2 * ends + 4 * middle)


def hidden(points: np.ndarray, degrees: float | np.ndarray) -> Fills:
    return fills_of(*rim(points, np.radians(degrees)))


@each("k", (3, 4, 5, 6, 9))
def test_what_a_flat_loop_hides_is_the_tip_that_its_rim_leads_to(k: int) -> None:
    """The missing tip of a regular pyramid lies between the loop and the planes of the facets around it: the bound is its volume."""
    area, inner = k / 2 * np.sin(2 * np.pi / k), np.cos(np.pi / k)
    for degrees in (0.5, 2, 20, 60, 74):
        found = hidden(ring(k), degrees)
        assert found.volume == pytest.approx(area * inner * np.tan(np.radians(degrees)) / 3, rel=1e-12)
        assert found.area == pytest.approx(area, rel=1e-12)
        assert (found.flat[0], found.in_plane[0]) == (True, False)  # at 0.5°, a bore can begin there
        assert hidden(ring(k), -degrees).volume == pytest.approx(found.volume, rel=1e-12)
    # a tip that is outside of some edges and inside of others is as large as the larger one: a patch has both
    mixed = [hidden(ring(6), [20 * s, -20] * 3).volume[0] for s in (1, 0, -1)]
    assert mixed == pytest.approx([mixed[2] / 2, mixed[2] / 2, mixed[2]], rel=1e-9)
    # where the rim is an edge of the body, a flat loop was a flat face; one facet that is steep leaves the others their share
    assert hidden(ring(k), 76).volume <= ROUNDING
    assert not hidden(ring(k), [30, *[0] * (k - 1)]).in_plane
    shares = [hidden(ring(k), [degrees, *[20] * (k - 1)]).volume for degrees in (76, 20)]
    assert shares[0] == pytest.approx(shares[1] * (k - 1) / k, rel=1e-12)


@each(
    ("points", "volume"),
    [
        (ring(4, [0.3, -0.3, 0.3, -0.3]), 2 * 2 * 0.6 / 6),  # a tetrahedron, by two opposite edges at right angles
        antiprism(3, 0.3),
        antiprism(12, 0.3),
        (np.array([*ring(4), [0.5, -0.6, 0.6]]), 2 * 0.6 / 3),  # a pyramid on a square
    ],
)
def test_what_a_loop_in_space_hides_is_its_hull_or_its_ball(points: np.ndarray, volume: float) -> None:
    """Facets that go on in the triangles of the fill add nothing to the hull; along an edge of the body nothing is known of its share."""
    ball = 4 / 3 * np.pi * rim(points, 0.0)[1].radius ** 3
    found = hidden(points, 0.0)
    assert (found.flat[0], found.in_plane[0]) == (False, False)
    assert found.volume == pytest.approx(volume, rel=1e-6)  # an angle of 0 from its cosine is as large as √(2 · 2⁻⁵³)
    sharp, one = hidden(points, 89.9), hidden(points, [89.9, *[0] * (len(points) - 1)])
    assert sharp.ended
    assert volume < one.volume <= sharp.volume <= ball * (1 + 1e-12)
    if len(points) % 2 == 0:  # all edges are alike, and their facets face away from each other
        assert sharp.volume == pytest.approx(ball)
        assert one.volume == pytest.approx(
            min(volume + ball / len(points), ball), rel=0.05
        )  # an ellipsoid that is nearly one
    assert volume < hidden(points, 30).volume <= hidden(points, 74).volume <= ball


@each(("scale", "height", "cut"), [(0.97, 0, True), (1, 0.5, False)])
def test_the_teeth_of_a_wall_that_is_cut_do_not_lead_from_one_of_its_sides_to_the_other(scale, height, cut) -> None:
    """A band up and down the teeth of both rims goes on from the walls, as one along a neck between its halves does: only this is one."""
    low, high = ring(12), scale * ring(24)
    low[:, 2], high[:, 2] = 0.1 * (-1.0) ** np.arange(12), height - 0.1 * (-1.0) ** np.arange(24)
    sides = (low[::-1], -20), (high, 20 if height else -19)
    facets = [[a, b, (0, 0, z)] for rim, z in sides for a, b in zip(rim, np.roll(rim, -1, 0), strict=True)]
    mesh = indexed(np.array(facets))
    band = replace(_band(*_rings_of(mesh, loops_of(mesh, mesh.open_edges()))), is_forced=False)
    found = _fill_by(mesh, band)
    assert found.ended[0] == cut
    assert (found.volume[0] > np.pi * (1 - 0.97**2) * 20) == cut  # the section of the wall, along the body


def test_an_edge_without_a_facet_leads_where_those_beside_it_do() -> None:
    mesh, loops = rim(ring(6), np.radians(20))
    rungs = replace(loops, facets=np.where(np.arange(6) % 3 > 0, loops.facets, -1))
    assert fills_of(mesh, rungs).volume == pytest.approx(fills_of(mesh, loops).volume, rel=1e-9)


def test_a_flat_piece_is_one_side_of_something_and_its_other_side_hides_a_ball() -> None:
    disc = IndexedMesh(ring(8), np.stack([np.zeros(6, int), np.arange(1, 7), np.arange(2, 8)], axis=1))
    found = fills_of(disc, loops_of(disc, disc.open_edges())[0])
    assert (found.flat[0], found.ended[0], found.volume) == (False, True, pytest.approx(4 / 3 * np.pi))


def test_a_long_piece_hides_an_ellipsoid() -> None:
    rectangle = IndexedMesh(
        np.array([[2, 0.2, 0], [-2, 0.2, 0], [-2, -0.2, 0], [2, -0.2, 0]]), np.array([[0, 1, 2], [0, 2, 3]])
    )
    found = fills_of(rectangle, loops_of(rectangle, rectangle.open_edges())[0])
    assert found.volume == pytest.approx(4 / 3 * np.pi * np.hypot(2, 0.2) * 0.2**2)


@pytest.mark.parametrize("body", damage.SMALL)
def test_a_long_hole_hides_no_more_than_its_bound(body: str) -> None:
    """Holes three to ten times as long as wide, across edges and corners too: what is answered holds the volume, and most are answered."""
    answered = 0
    for seed in range(8):
        rng = np.random.default_rng([seed, list(damage.SMALL).index(body)])
        whole = damage.quarter(damage.placed(damage.SMALL[body](), rng))
        arm = whole.mean(axis=1) - whole[rng.integers(len(whole))].mean(axis=0)
        direction = np.linalg.qr(rng.normal(size=(3, 1)))[0][:, 0]
        length, slimness = rng.uniform(0.1, 0.3) * damage.size_of(whole), rng.uniform(3, 10)
        along = arm @ direction
        inside = along**2 + slimness**2 * ((arm**2).sum(axis=1) - along**2) < length**2
        try:
            found = measure(whole[~inside], repair="full", units="m")
        except InvalidGeometry:
            continue
        answered += 1
        assert abs(found.volume - damage.moments(whole)[0]) <= found.uncertainty.volume * (1 + ROUNDING)
    assert answered >= 6


@pytest.mark.parametrize("thickness", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("share", [0.35, 0.5, 0.7])
def test_the_corner_of_a_plate_is_as_wide_as_the_cut_is_long(thickness: float, share: float) -> None:
    """The cut is a long thin hole, whose facets lead along both faces of the plate into the corner."""
    whole = damage.box_mesh(np.zeros(3), np.array([1.3, 1, thickness]))
    for _ in range(4):
        whole = damage.quarter(whole)
    kept = whole[whole.mean(axis=1) @ [0.9, 0.7, 0] > share]
    rest = IndexedMesh.of(from_object(kept))
    found = fill(rest, np.zeros(3))
    missed = 1.3 * thickness - found.mesh.volume()
    assert 0 < missed <= found.steps[0].bound.volume


def test_an_end_without_the_wall_to_it_is_no_body_of_its_own() -> None:
    """A cup, and apart from it a disc that is too small to be joined to its rim: not a cup with a lid beside a body of no volume."""
    at, lower = np.arange(24), np.stack([np.zeros(22, int), np.arange(2, 24), np.arange(1, 23)], axis=1)
    q = np.roll(at, -1)
    faces = [lower, np.stack([at, q, q + 24], axis=1), np.stack([at, q + 24, at + 24], axis=1), lower[:, ::-1] + 48]
    rings = [ring(24), ring(24) + np.array([0, 0, 1]), 0.9 * ring(24) + np.array([0, 0, 2])]
    with pytest.raises(InvalidGeometry):
        measure(np.concatenate(rings)[np.concatenate(faces)], repair="full", units="m")


def test_the_two_rims_of_a_flat_ring_have_no_band_between_them() -> None:
    """The end of a stepped shaft without its walls: the band would be the ring's own other side, and the end no part of the shaft."""
    whole = damage.shaft(24, 2)
    height = whole[:, :, 2]
    broken = whole[(height == 2).all(axis=1) | (height <= 1).all(axis=1)]
    with pytest.raises(InvalidGeometry, match="of the volume open"):
        measure(broken, repair="full", units="m")


def test_a_hull_without_scipy_is_a_slab_that_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    loop, volume = antiprism(12, 0.02)
    assert 10**3 * volume <= hidden(10 * loop, 0.0).volume <= 3 * 10**3 * volume


def test_a_point_on_an_edge_moves_no_centre_of_a_loop() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    loops = rim(np.insert(square, 1, [0.2, 0, 0], axis=0), 0.0)[1]
    assert loops.center[0] == pytest.approx([0.5, 0.5, 0], abs=1e-15)
    assert loops.radius[0] == pytest.approx(0.5**0.5)


CUBE = damage.quarter(damage.box_mesh(np.zeros(3), np.ones(3)))


def without(keep: np.ndarray) -> IndexedMesh:
    return indexed(CUBE[~keep])


@each("height", (0.0, 1.0))
@each("reference", ([0.5, 0.5, 0.5], [0.3, -0.4, 2.0], [4.0, 3.0, -1.0]))
def test_the_bound_of_an_open_surface_is_what_its_flat_lid_adds(height: float, reference: list[float]) -> None:
    """The fill of a missing flat face is that face, so the integral over the open surface is off by just its cone to the point."""
    box, r = damage.box_mesh(np.zeros(3), np.ones(3)), np.array(reference)
    lid = (box[:, :, 2] == height).all(axis=1)
    missing = Surface.of(box[lid], r).solid
    found = open_bound(indexed(box[~lid]), r)
    assert found.volume == pytest.approx(abs(missing.measure), rel=1e-12)
    assert found.first == pytest.approx(abs(missing.first), rel=1e-12, abs=1e-15)
    assert found.second == pytest.approx(abs(missing.second), rel=1e-12, abs=1e-15)
    lid = (CUBE[:, :, 2] == height).all(axis=1)
    middle = np.flatnonzero((CUBE % 1).any(axis=2).all(axis=1) & (CUBE[:, :, 0] == 0).all(axis=1))
    filled = fill(without(lid | (np.arange(len(CUBE)) == middle[0])), r)
    assert filled.shares[:3] == pytest.approx((1 / 6 + 1 / 48, 1 / 6 + 1 / 48, 1 / 48))


def test_the_step_names_the_largest_loop_and_bounds_it_wherever_it_is() -> None:
    """The tip of a pyramid, bounded about a point far away and about the middle of its base."""
    lower, upper = ring(4) * 2, ring(4) + np.array([0, 0, 1])
    at = np.arange(4)
    after = np.roll(at, -1)
    walls = np.concatenate([np.stack([at, after, after + 4], 1), np.stack([at, after + 4, at + 4], 1)])
    frustum = IndexedMesh(np.concatenate([lower, upper]), walls)
    (step,) = fill(frustum, np.zeros(3)).steps
    assert (step.count, step.where) == (2, pytest.approx((0, 0, 0), abs=1e-15))
    base = IndexedMesh(frustum.points, np.concatenate([walls, [[0, 2, 1], [0, 3, 2]]]))
    tip = np.concatenate([upper, [[0, 0, 2]]])[[[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [0, 2, 1], [0, 3, 2]]]
    volume, center, _ = damage.moments(tip)
    for r in ([-3.0, -4, -2], [0.0, 0, 1]):
        (step,) = fill(base, np.array(r)).steps
        assert step.bound.volume == pytest.approx(volume, rel=1e-12)
        assert (step.bound.first >= volume * np.abs(center - r)).all()
    assert open_bound(base, np.array(r)).volume == pytest.approx(
        volume, rel=1e-12
    )  # the fill itself is a cone of no height
    assert (step.bound.first >= volume / 4).all()  # ∫ |x| of either half of it: 1/4 from the plane of the other


# --- loops that face each other: caps or a band


def revolved(profile: list[tuple[float, float]], missing: tuple[int, ...] = (), n: int = 24) -> np.ndarray:
    """The solid of a closed profile (r, z), counter-clockwise, about z, without the walls that some of its edges sweep."""
    turn = 2 * np.pi * np.arange(n) / n
    rings = np.array([[(r * np.cos(a), r * np.sin(a), z) for a in turn] for r, z in profile])
    walls = []
    for k in range(len(profile)):
        if k not in missing:
            a, b = rings[k], rings[(k + 1) % len(profile)]
            c, d = np.roll(b, -1, axis=0), np.roll(a, -1, axis=0)
            walls += [np.stack(corners, axis=1) for corners in ((a, d, c), (a, c, b))]
    t = np.concatenate(walls)
    return t[np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1) > 0]


def disc(radius: float, n: int = 24) -> float:
    return n / 2 * np.sin(2 * np.pi / n) * radius**2


def washer(height: float) -> list[tuple[float, float]]:
    return [(1, 0), (3, 0), (3, height), (1, height)]


#: A column of two blocks with a gap of half their radius, whose wall is missing.
COLUMN = [(0, 0), (2, 0), (2, 1), (2, 2), (2, 3), (0, 3)]
FLATTENED = revolved(washer(0.4))[-48:] * [1, 1, 0]


@each(
    ("triangles", "volume", "grade", "readings"),
    [  # the wall of a thin washer is seen by the winding number; that of a thick one was flattened into its rim, or is open
        (
            revolved(washer(0.02), (3,)),
            0.02 * (disc(3) - disc(1)),
            "repaired",
            (0.02 * disc(3), 0.02 * (disc(3) - disc(1))),
        ),
        (
            np.concatenate([revolved(washer(0.4), (3,)), FLATTENED]),
            0.4 * (disc(3) - disc(1)),
            "repaired",
            (0.4 * disc(3), 0.4 * (disc(3) - disc(1))),
        ),
        (
            revolved(washer(0.4), (3,)),
            0.4 * (disc(3) - disc(1)),
            "estimated",
            (0.4 * disc(3), 0.4 * (disc(3) - disc(1))),
        ),
        (revolved(washer(9), (3,)), 9 * disc(3), "estimated", (9 * disc(3), 9 * (disc(3) - disc(1)))),
        (revolved(COLUMN, (2,)), 3 * disc(2), "estimated", (2 * disc(2), 3 * disc(2))),
        (revolved([(0, 0), (2, 0), (2, 9), (0, 9)], (0, 2)), 9 * disc(2), "estimated", ()),  # a tube without its ends
    ],
)
def test_facing_loops_are_capped_or_joined_as_the_evidence_says(
    triangles: np.ndarray, volume: float, grade: str, readings: tuple[float, ...]
) -> None:
    found = measure(triangles, repair="full", max_uncertainty=0.2)
    named = {name: v for r in found.repairs for name, v in r.readings}
    assert list(named.values()) == pytest.approx(readings, rel=1e-9)
    assert (found.grade, list(named)) == (grade, ["caps", "bands"][: len(readings)])
    assert found.volume == pytest.approx(volume, rel=1e-9)
    if grade == "repaired":
        assert found.uncertainty.volume <= 1e-6 * volume
    elif readings and readings[1] < readings[0]:  # a bore that is open: the ± reaches the other reading
        assert found.uncertainty.volume >= abs(readings[1] - readings[0]) * (1 - 1e-9)


#: Rings with the sections of an octagon and of a bore with a chamfer: walls between rims of unequal radius.
RING = [(3 + np.cos(a), np.sin(a)) for a in np.pi * (np.arange(8) + 0.5) / 4]
CHAMFERED = [(1, 0), (3, 0), (3, 2), (2, 2), (1, 1)]


@each(("profile", "missing"), [*((RING, k) for k in (1, 2, 3, 4, 6)), *((CHAMFERED, k) for k in (3, 4))])
def test_rims_of_unequal_radius_are_joined_or_both_readings_are_within_the_bound(profile, missing) -> None:
    # two caps would make a plug of the ring, and "no doubt" of it
    found = measure(revolved(profile, (missing,)), repair="full", max_uncertainty=0.9)
    least, most = found.uncertainty.volume_change
    truth = damage.moments(revolved(profile))[0]
    assert least <= truth - found.volume <= most
    (readings,) = (dict(step.readings) for step in found.repairs if step.step == "fill")
    assert readings["bands"] == pytest.approx(truth, rel=1e-9)
    apart = abs(readings["caps"] - readings["bands"])
    assert found.volume == pytest.approx(truth, rel=1e-9) or most - least >= 2 * apart


#: A deep bore, a conical one with an acute edge, a tiny one; a neck, and a cone between blocks far apart; a cup; a waist; a slot.
DEEP, BLIND = [(0.1, 0), (2, 0), (2, 4), (0.1, 4)], [(0, 2), (0.1, 2), (2, 0), (2, 3), (0, 3)]
TINY, NECK = (
    [(0.01, 0), (2, 0), (2, 1), (0.01, 1)],
    [(0, 0), (2, 0), (2, 1), (0.2, 1), (0.2, 3), (2, 3), (2, 5), (0, 5)],
)
CROWN, CUP = [(0, 0), (2, 0), (2, 2), (0.1, 3.5), (0, 4)], [(0, 0), (2, 0), (2, 3), (1.8, 3), (0.1, 1), (0, 1)]
WAIST, SLOT = (
    [(0, 0), (2, 0), (1.5, 0.2), (2, 0.4), (0, 0.4)],
    [(0, 0), (3, 0), (3, 1), (1, 1), (1, 1.2), (3, 1.2), (3, 2), (0, 2)],
)


@each(
    ("profile", "missing"),
    [
        *((DEEP, (3,)), (BLIND, (1,)), (TINY, (3,)), (NECK, (3,)), (CROWN, (2,)), (CUP, (4,))),
        *((WAIST, (0, 3)), (SLOT, (2, 4)), (NECK, (3, 6)), (washer(0.1), (1, 3))),
    ],
)
@each("sides", [3, 4, 24])
def test_what_is_missing_between_loops_is_within_the_bound(profile, missing, sides) -> None:
    """Also where the other reading has no doubt of its own: a wall that is far away, or seen at an acute angle, or of another pair."""
    flat = np.array([1, 0.5, 1])  # triangles with a centroid that is not the centre of their edges
    truth = damage.moments(revolved(profile, n=sides) * flat)[0]
    try:
        found = measure(revolved(profile, missing, sides) * flat, repair="full", max_uncertainty=0.9)
    except InvalidGeometry:
        return
    least, most = found.uncertainty.volume_change
    assert least <= (truth - found.volume) * (1 - 1e-9) <= most


@each("depth", [-0.9, 4])
@each(("sides", "rings"), [(3, 0), (4, 0), (24, 0), (5, 6), (24, 6)])
@each("level", ["safe", "full"])
def test_a_hole_within_a_flat_face_can_be_the_mouth_of_a_bore_or_of_a_boss(depth, sides, rings, level) -> None:
    """Both its wall and its end are missing. A face without a hole would have no vertices there, or in an even mesh none on a circle: that
    it was flat is said to be assumed.
    """
    face = [(4 - k / 2.5, 1) for k in range(rings + 1)]
    plate = revolved([(0, 0), (4, 0), *face, (1, 1), (1, 1 + depth), (0, 1 + depth)], n=sides)
    on_rim = np.linalg.norm(plate[..., :2], axis=2) <= 1 + 1e-9
    found = measure(plate[~(on_rim & (plate[..., 2] != 0)).all(axis=1)], repair=level)
    assert found.grade == "estimated"
    assert "taken for flat faces, at which the body is assumed to end" in found.findings[0].message


@each(
    ("sides", "slope", "radius"),
    [(4, 0.8, 1), (5, 1.9, 1), (24, -0.3, 1), (3, 0.5, 1), (3, 3, 0.4), (8, 4, 0.05), (24, 0.2, 0.01)],
)
def test_a_slanted_bore_without_its_wall_is_one_reading(sides: int, slope: float, radius: float) -> None:
    """A block with a bore that leans: its loops have no axis in common, but one shape, whatever it is and however small."""
    around, walls = 9 * ring(4), [revolved([(9, 0), (9, 1)], n=4)[:8]]
    for z in (0, 1):
        points = np.concatenate([radius * ring(sides) + np.array([slope * z, 0, 0]), around])
        faces = Delaunay(points[:, :2]).simplices
        corners = points[faces[(faces >= sides).any(axis=1)]] + np.array([0, 0, z])
        up = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0
        corners[up != (z == 1)] = corners[up != (z == 1)][:, ::-1]
        walls.append(corners)
    found = measure(np.concatenate(walls), repair="full")
    least, most = found.uncertainty.volume_change
    truth = 162 - disc(radius, sides)
    assert least <= (truth - found.volume) * (1 - 1e-9) <= most
    (readings,) = (dict(step.readings) for step in found.repairs if step.step == "fill")
    assert readings == {"caps": pytest.approx(162, rel=1e-9), "bands": pytest.approx(truth, rel=1e-9)}


def test_holes_of_no_area_face_nothing() -> None:
    """Facets split at a vertex on one edge: the loops are lines, and their directions are rounding, 0/0 for some of them."""
    a, b, c = damage.blob(2)[::3].transpose(1, 0, 2)
    middle = (a + b) / 2
    split = np.concatenate(
        [damage.blob(2)[1::3], damage.blob(2)[2::3], np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)]
    )
    mesh = indexed(split)
    assert not holes._rings_of(mesh, loops_of(mesh, mesh.open_edges()))


def test_loose_facets_are_not_compared_at_every_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    # far apart, so that no weld can close a tenth of them
    compared = []
    monkeypatch.setattr(ladder, "pairs_within", lambda *given: compared.append(len(given[1])) or pairs_within(*given))
    rng = np.random.default_rng(1)
    loose = damage.blob(3) + 1e-2 * rng.normal(size=(1280, 3, 3))
    found = close(indexed(loose))
    assert isinstance(found, Irreparable)
    assert set(compared) == {2000}  # the ends of a thousand edges


def test_a_first_look_at_what_is_missing_is_never_more_than_the_fill() -> None:
    for broken in (revolved(RING, (2,)), revolved(washer(0.4), (3,)), damage.blob(3)[40:]):
        mesh = indexed(broken)
        assert 0 <= least_missing(mesh)[0] <= fill(mesh, np.zeros(3)).shares[0] * (1 + 1e-12)
    least, whole = least_missing(indexed(damage.blob(3)[40:]))
    assert 0 < least == whole


def test_scattered_holes_of_a_fine_mesh_are_filled_and_not_drawn_together() -> None:
    # their short sides are within the tolerance of the largest weld
    sphere = damage.SMALL["blob"]()
    fine = np.concatenate([1000 * sphere, sphere + 5000])  # of which the second is small
    missing = np.delete(fine, len(sphere) + np.arange(5, 300, 40), axis=0)
    found = repair(indexed(missing), "safe")
    assert isinstance(found, RepairedMesh)
    assert [s.step for s in found.steps] == ["fill"]
    assert found.mesh.volume() == pytest.approx(damage.moments(fine)[0], rel=1e-9)


def test_numbered_points_give_the_mesh_that_their_triangles_give() -> None:
    """Also where points are there twice, in another order, or are no corner of a facet."""
    rng, mesh = np.random.default_rng(1), indexed(damage.SMALL["blob"]())
    points = np.concatenate([mesh.points, mesh.points, [[9, 9, 9]]])
    faces = mesh.faces + len(mesh.points) * rng.integers(0, 2, mesh.faces.shape)
    shuffled = rng.permutation(len(points))
    points, faces = points[shuffled], np.asfortranarray(np.argsort(shuffled)[faces])
    many = np.tile(faces, (3, 1))  # more facets than points
    found = IndexedMesh.of(from_object((points, many)))
    assert (found.faces == np.tile(mesh.faces, (3, 1))).all()
    assert (found.points == mesh.points).all()


@each(("sides", "others", "aside"), [(16, 16, 0), (16, 16, 0.1), (16, 24, 0.1), (12, 36, 0.2), (8, 40, 0.3)])
def test_a_band_is_the_same_in_any_order_of_facets_loops_and_axes(sides: int, others: int, aside: float) -> None:
    """Regular rims have no place where a band would have to begin; rounding puts no edge before one at its angle."""
    low, high = ring(sides), 0.8 * ring(others) + [aside, aside / 3, 0.5]
    high[:, 2] += aside * high[:, 0] / 5
    facets = [
        [a, b, (0, 0, z)]
        for rim, z in ((low[::-1], -1), (high, 2))
        for a, b in zip(rim, np.roll(rim, -1, 0), strict=True)
    ]
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        mesh = indexed(np.array(facets)[rng.permutation(len(facets))] @ np.linalg.qr(rng.normal(size=(3, 3)))[0])
        rings = _rings_of(mesh, loops_of(mesh, mesh.open_edges()))
        found.append(abs(difference(mesh, _band(*rings[:: 1 - 2 * (seed % 2)]))))
    assert found == pytest.approx([found[0]] * 6, rel=1e-12)


def test_a_band_that_makes_a_shell_look_inward_leaves_the_caps_open() -> None:
    """Two plates beside a body show their faces to each other: with a band they are a body that is inside out, with caps they are none."""
    plates = revolved([(0, 0), (1, 0), (1, 1), (0, 1)], (1,))[:, ::-1] + np.array([20, 0, 0])
    body = revolved([(0, -8), (6, -8), (6, 8), (0, 8)])
    found = fill(indexed(np.concatenate([body, plates])), np.zeros(3))
    assert found.steps[-1].bound.volume >= disc(1) * (1 - 1e-9)


def below(triangles: np.ndarray, direction: list[float], share: float) -> np.ndarray:
    """The facets whose middles are below this share of the height."""
    height = triangles.mean(axis=1) @ np.array(direction)
    return triangles[height <= height.min() + share * np.ptp(height)]


def outside(triangles: np.ndarray, center: list[float], radius: float) -> np.ndarray:
    """The facets whose middles are outside of a ball."""
    return triangles[np.linalg.norm(triangles.mean(axis=1) - center, axis=1) > radius]


def finer(triangles: np.ndarray) -> np.ndarray:
    return damage.quarter(damage.quarter(triangles))


#: Bodies, and what is left of them without an end: across a tube, across a bore, off the corner of a sheet, and between two flat pieces.
ENDS = {
    "tube": (tube := finer(damage.tube(24, 3)), below(tube, [0.1, 0.05, 1], 0.9)),
    "bore": (drilled := damage.quarter(damage.drilled_plate()), outside(drilled, [3, 1, 0.4], 1.4)),
    "sheet": (sheet := finer(finer(box(upper=(1, 0.7, 0.01)))), outside(sheet, [1, 0.7, 0], 0.25)),
    "pieces": (
        shaft := damage.shaft(32, 3),
        shaft[((middle := shaft.mean(axis=1))[:, 2] < 1.3) | ((shaft[:, :, 2] == 2).all(axis=1) & (middle[:, 0] > 0))],
    ),
}


@each("end", ENDS)
def test_the_bound_holds_an_end_that_is_cut_off_behind_walls(end: str) -> None:
    """Walls that run straight into a rim say nothing of how far they went on."""
    whole, left = ENDS[end]
    found = fill(indexed(left), whole.mean(axis=(0, 1)))
    missing = damage.moments(whole)[0] - abs(found.mesh.volume())
    assert 0.01 * damage.moments(whole)[0] < missing <= found.steps[-1].bound.volume


def test_a_fill_around_both_sides_of_a_plate_is_not_decided_by_the_winding_number() -> None:
    """It is the same without what is cut off, and near its value there a plate that ends."""
    plate = finer(finer(box(upper=(1.2, 0.58, 0.047))))
    assert fill(indexed(outside(plate, [0.6, 0.58, 0.02], 0.3)), np.zeros(3)).vague
    on_one_side = (plate[:, :, 2] == 0.047).all(axis=1) & (np.abs(plate.mean(axis=1)[:, 0] - 0.6) < 0.2)
    assert not fill(indexed(plate[~on_one_side]), np.zeros(3)).vague

"""The repair ladder: what it closes is closed, its bounds hold the truth, and what needs no repair is not touched."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from damage import (
    DAMAGES,
    SMALL,
    blob,
    box_mesh,
    bracket,
    hole,
    moments,
    placed,
    quarter,
    size_of,
    sphere_mesh,
)

from massprops.mesh.boundary import Boundary
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.bounds import Bound
from massprops.mesh.repair.holes import hidden_by, loops_of
from massprops.mesh.repair.ladder import Irreparable, RepairedMesh, repair
from massprops.mesh.source import Triangles
from massprops.moments.integrals import Moments

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


@pytest.mark.parametrize("body", SMALL)
def test_the_planted_bodies_are_closed(body: str) -> None:
    # else the truth that repairs are compared with would be none
    triangles = SMALL[body]()
    assert closed(indexed(triangles))
    assert moments(triangles)[0] > 0


@pytest.mark.parametrize("body", SMALL)
def test_a_valid_mesh_is_not_touched(body: str) -> None:
    triangles = placed(SMALL[body](), np.random.default_rng(1))
    found = repair(indexed(triangles), "full")
    assert isinstance(found, RepairedMesh)
    assert found.steps == ()
    assert (found.mesh.corners == triangles).all()


@each("damage", DAMAGES)
@each("body", SMALL)
def test_the_interval_holds_the_truth(body: str, damage: str) -> None:
    rng = np.random.default_rng([list(SMALL).index(body), list(DAMAGES).index(damage)])
    triangles = placed(SMALL[body](), rng)
    volume, center, second = moments(triangles)
    found = repair(indexed(DAMAGES[damage](triangles, rng)), "full")
    if isinstance(found, Irreparable):
        assert "missing" in damage or "hole" in damage
        return
    assert closed(found.mesh)
    ours = moments(found.mesh.corners)
    bound = total(found.steps)
    sign = np.sign(ours[0])  # which way round the whole is, others decide
    assert abs(sign * ours[0] - volume) <= bound.volume + ROUNDING * volume
    if bound.volume < 0.1 * volume:
        first = ours[0] * (ours[1] - found.reference)
        arm = ours[1] - found.reference
        about = Moments(ours[0], first, ours[2] + ours[0] * np.outer(arm, arm), found.reference)
        spread = bound.spread(about, found.reference)
        size = size_of(triangles)
        assert (np.abs(ours[1] - center) <= spread.center + ROUNDING * size).all()
        assert (np.abs(sign * ours[2] - second) <= spread.second + ROUNDING * volume * size**2).all()


def test_the_order_of_the_facets_changes_no_bound() -> None:
    rng = np.random.default_rng(7)
    broken = hole(0.02)(placed(blob(3), rng), rng)
    one = repair(indexed(broken), "full")
    other = repair(indexed(broken[rng.permutation(len(broken))]), "full")
    assert isinstance(one, RepairedMesh)
    assert isinstance(other, RepairedMesh)
    assert total(other.steps).volume == pytest.approx(total(one.steps).volume, rel=1e-9)


def test_a_double_sided_surface_keeps_one_side() -> None:
    triangles = blob(2)
    found = repair(indexed(np.concatenate([triangles, triangles[:, ::-1]])), "safe")
    assert isinstance(found, RepairedMesh)
    assert [s.step for s in found.steps][:1] == ["drop"]
    assert abs(found.mesh.volume()) == pytest.approx(moments(triangles)[0], rel=ROUNDING)
    assert total(found.steps).volume == 0


def test_a_moebius_strip_is_not_closed_by_turning_facets() -> None:
    n = 30
    at = np.arange(n + 1)
    u, half = 2 * np.pi * at / n, np.pi * at / n
    edge = [
        np.stack([(1 + w * np.cos(half)) * np.cos(u), (1 + w * np.cos(half)) * np.sin(u), w * np.sin(half)], axis=1)
        for w in (-0.3, 0.3)
    ]
    edge[0][n], edge[1][n] = edge[1][0], edge[0][0]
    quads = [(edge[0][i], edge[0][i + 1], edge[1][i + 1], edge[1][i]) for i in range(n)]
    strip = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    assert isinstance(repair(indexed(strip), "full"), Irreparable)


def test_a_flat_lid_hides_nothing_and_a_corner_does() -> None:
    cube = bracket(4)
    middles, normals = cube.mean(axis=1), np.cross(cube[:, 1] - cube[:, 0], cube[:, 2] - cube[:, 0])
    lid = (normals[:, 0] > 0) & (middles[:, 0] == middles[:, 0].max())
    open_lid = indexed(cube[~lid])
    (loop,) = loops_of(open_lid, open_lid.open_edges())
    assert hidden_by(open_lid, loop).volume <= ROUNDING
    # the three facets at a corner of the outermost cell, whose missing tetrahedron has a sixth of the cell's volume
    corner = cube.reshape(-1, 3).min(axis=0)
    at = (cube == corner).all(axis=2).any(axis=1)
    cut = indexed(cube[~at])
    (loop,) = loops_of(cut, cut.open_edges())
    missing = abs(moments(cube)[0] - abs(repair(cut, "full").mesh.volume()))
    assert 0 < missing <= hidden_by(cut, loop).volume


def test_every_loop_is_found_once_where_loops_touch() -> None:
    # two missing facets that share a corner: two loops of three edges, or one of six that touches itself
    sphere = blob(2)
    first = sphere[0]
    touching = next(i for i in range(1, len(sphere)) if sum((sphere[i] == p).all(axis=1).any() for p in first) == 1)
    mesh = indexed(np.delete(sphere, [0, touching], axis=0))
    assert [loops.vertices.shape for loops in loops_of(mesh, mesh.open_edges())] == [(2, 3)]


def test_more_than_a_tenth_of_the_surface_is_not_filled() -> None:
    rng = np.random.default_rng(3)
    found = repair(indexed(hole(0.4)(blob(3), rng)), "full")
    assert isinstance(found, Irreparable)
    assert "missing" in found.reason


def test_only_full_welds_wide_gaps() -> None:
    rng = np.random.default_rng(5)
    broken = indexed(DAMAGES["moved by 1e-4"](blob(2), rng))
    assert isinstance(repair(broken, "full"), RepairedMesh)
    assert isinstance(repair(broken, "safe"), Irreparable)


def test_a_large_face_in_the_plane_of_its_rim_is_closed_and_half_a_sphere_is_not() -> None:
    # the inner facets of a face of a cube, a sixth of its surface: what is left of the face shows its plane
    cube = quarter(quarter(box_mesh(np.zeros(3), np.ones(3))))
    middles = cube.mean(axis=1)
    inner = (middles[:, 2] > 0.999) & (np.abs(middles[:, :2] - 0.5).max(axis=1) < 0.25)
    safe = repair(indexed(cube[~inner]), "safe")
    assert isinstance(safe, RepairedMesh)
    assert abs(safe.mesh.volume() - 1) <= ROUNDING
    assert total(safe.steps).volume <= ROUNDING
    sphere, faces = sphere_mesh(3)
    half = sphere[faces]
    half = half[half.mean(axis=1)[:, 2] > 0]
    assert isinstance(repair(indexed(half), "full"), Irreparable)

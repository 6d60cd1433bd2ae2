"""Seams: rims that run along each other are joined, and what is printed holds the integrals of the body before it was cut.

Module tested: `mesh/repair/seams`.
"""

from __future__ import annotations

import contextlib
from itertools import product

import damage
import numpy as np
import pytest
from cases import each, plain_refusals, seeds

from massprops import InvalidGeometry, measure
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.holes import along_seams, loops_of
from massprops.mesh.repair.seams import WIDEST

BODIES = {**damage.SMALL, "tube": damage.tube, "plate": damage.drilled_plate}


def below(triangles: np.ndarray, height: np.ndarray) -> np.ndarray:
    """The parts of facets where a function is negative that is linear on each, of which `height`, shape (n, 3), has the corners."""
    found = [triangles[(height < 0).all(axis=1)]]
    for corners in (1, 2):
        cut = (height < 0).sum(axis=1) == corners
        t, h = triangles[cut], height[cut]
        alone = ((h < 0) == (corners == 1)).argmax(axis=1)
        (a, b, c), (at, bt, ct) = (
            [
                np.take_along_axis(x, ((alone + k) % 3).reshape(-1, 1, *[1] * (x.ndim - 2)), axis=1)[:, 0]
                for k in range(3)
            ]
            for x in (t, h)
        )
        p, q = (a + (other - a) * (at / (at - to))[:, None] for other, to in ((b, bt), (c, ct)))
        found += (
            [np.stack([a, p, q], axis=1)]
            if corners == 1
            else [np.stack([p, b, c], axis=1), np.stack([p, c, q], axis=1)]
        )
    return np.concatenate(found)


def cut(triangles: np.ndarray, gap: float, rng: np.random.Generator) -> np.ndarray:
    """A body without what lies within a gap, in sizes, around a wavy surface through its middle."""
    size = damage.size_of(triangles)
    normal, along = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    arm = triangles - triangles.mean(axis=(0, 1)) - rng.normal(size=3) * 0.05 * size
    height = arm @ normal + rng.uniform(0, 0.08) * size * np.sin(rng.uniform(6, 30) / size * (arm @ along))
    return np.concatenate([below(triangles, side * height + gap * size / 2) for side in (1, -1)])


@plain_refusals()
def test_a_body_that_is_cut_along_a_seam_is_measured_within_the_bound() -> None:
    """The seam meets smooth faces, edges and corners; what is answered holds the truth, and half of all is answered."""
    answered, cases = 0, [*product(enumerate(BODIES), seeds(4))]
    for (number, body), seed in cases:
        rng = np.random.default_rng([seed, number])
        whole = damage.placed(BODIES[body](), rng)
        try:
            found = measure(cut(whole, 10 ** rng.uniform(-3.3, -2.1), rng), density=1.0, repair="full", units="m")
        except InvalidGeometry:
            continue
        answered += 1
        volume, center, second = damage.moments(whole)
        inertia = np.trace(second) * np.eye(3) - second
        assert abs(found.volume - volume) <= found.uncertainty.volume, (body, seed)
        assert (abs(found.center_of_mass - center) <= found.uncertainty.center_of_mass).all(), (body, seed)
        assert (abs(found.properties.inertia - inertia) <= found.uncertainty.inertia).all(), (body, seed)
        assert "fill" in [r.step for r in found.repairs]
    assert answered >= len(cases) / 2


def test_a_lid_with_a_seam_along_three_of_its_edges_holds_what_is_cut_off_there() -> None:
    """The slit, which opens from the hinge on, cuts off a triangle of which the gap is the longest side; the bound holds that."""
    box = damage.box_mesh(np.zeros(3), np.array([1.0, 0.7, 0.5]))
    lid = (box[:, :, 2] == 0.5).all(axis=1)
    corner, gap = (box[:, :, 0] == 1) & (box[:, :, 2] == 0.5), np.array([0.005, 0.005, 0.004])
    inward = np.stack(
        [np.full(corner.shape, -1.0), np.where(box[:, :, 1] == 0, 1.0, -1.0), np.zeros(corner.shape)], axis=2
    )
    box[lid] += (corner[..., None] * inward * gap)[lid]
    box[~lid] -= (corner[..., None] * [0, 0, 0.004])[~lid]
    found = measure(box, repair="safe", units="m")
    assert 0 < 0.35 - found.volume <= found.uncertainty.volume < 2e-3 * 0.35


def rounded(triangles: np.ndarray) -> IndexedMesh:
    """The mesh in which the points that two facets get on their common edge are the same."""
    return IndexedMesh.of(from_soup(triangles.round(9)))


def loops(mesh: IndexedMesh) -> list[list[tuple[int, int]]]:
    """The edges of each loop, along seams."""
    groups = along_seams(mesh, loops_of(mesh, mesh.open_edges()))
    return [list(zip(row.tolist(), np.roll(row, -1).tolist(), strict=True)) for g in groups for row in g.vertices]


@each("gap", [0.9, 1.1])
def test_a_gap_is_a_seam_up_to_the_widest(gap: float) -> None:
    whole = damage.blob(3)
    normal, size = np.array([0.6, 0.0, 0.8]), damage.size_of(whole)
    halves = np.concatenate([below(whole, side * (whole @ normal) + gap * WIDEST * size / 2) for side in (1, -1)])
    assert (len(loops(rounded(halves))) > 2) == (gap < 1)


def test_every_edge_of_a_rim_is_of_one_loop_and_each_rung_of_two() -> None:
    """Rungs change no boundary: each is there once in both directions."""
    mesh = rounded(cut(damage.blob(3), 3e-3, np.random.default_rng(3)))
    edges = mesh.open_edges()
    found = [edge for loop in loops(mesh) for edge in loop]
    rims = set(zip(edges.start.tolist(), edges.end.tolist(), strict=True))
    rungs = set(found) - rims
    assert len(found) == len(set(found)) == len(rims) + len(rungs)
    assert len(rungs) > len(rims) / 4
    assert {(b, a) for a, b in rungs} == rungs


def test_the_rims_of_two_open_boxes_side_by_side_do_not_make_one_of_them() -> None:
    """Walls with a gap between them stay two walls: the strip over the gap and the lid over both are the same face from both sides."""
    box = damage.box_mesh(np.zeros(3), np.ones(3))
    box = box[~(box[:, :, 2] == 1).all(axis=1)]
    found = measure(np.concatenate([box, box + np.array([1.008, 0, 0])]), repair="full", units="m")
    assert found.volume == pytest.approx(2, abs=found.uncertainty.volume)


def test_the_two_rims_of_a_narrow_strip_of_facets_are_no_seam() -> None:
    """Of a tube, only the rings at its ends are left: they are closed by its walls, not each by its own back."""
    angle = 2 * np.pi * np.arange(24) / 24
    circle = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    inner, outer = 0.49 * circle, 0.52 * circle
    after = [np.roll(x, -1, axis=0) for x in (inner, outer)]
    ring = np.concatenate([np.stack(x, 1) for x in ((inner, outer, after[1]), (inner, after[1], after[0]))])
    tube = np.concatenate([ring + np.array([0, 0, 4.0]), ring[:, ::-1], damage.box_mesh(np.ones(3), np.full(3, 1.5))])
    truth = 0.125 + 12 * np.sin(np.pi / 12) * (0.52**2 - 0.49**2) * 4
    for most in (0.1, 0.5, 0.9):
        with contextlib.suppress(InvalidGeometry):
            found = measure(tube, repair="full", max_uncertainty=most, units="m")
            assert abs(found.volume - truth) <= found.uncertainty.volume + 1e-9

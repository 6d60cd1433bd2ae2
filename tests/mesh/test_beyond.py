"""What can go on beyond a fill: an end of a body that is cut off leaves the rim of a lid, or of a cut through a wall."""

from __future__ import annotations

import contextlib
import itertools
import math

import damage
import numpy as np
import pytest
from cases import each, plain_refusals
from damage import box_mesh, quarter
from test_seams import below

from massprops import InvalidGeometry, measure
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.beyond import lids_of_even_meshes, room
from massprops.mesh.repair.holes import fill, fills_of, loops_of
from massprops.mesh.winding_tree import WindingTree

LEVELS = [("safe", None), ("full", None), ("full", 0.9)]


def fine(triangles: np.ndarray, times: int = 3) -> np.ndarray:
    for _ in range(times):
        triangles = quarter(triangles)
    return triangles


def box(*size: float, low: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    return box_mesh(np.array(low, float), np.array(low, float) + size)


@plain_refusals()
def never_false(triangles: np.ndarray, truth: float) -> None:
    """Refused, or answered within the ±, at every level."""
    for level, most in LEVELS:
        with contextlib.suppress(InvalidGeometry):
            found = measure(triangles, repair=level, max_uncertainty=most, units="m")
            assert abs(found.volume - truth) <= found.uncertainty.volume + 1e-9 * truth, (level, found.volume)


PLATE = fine(box(1, 0.75, 0.02))
ROD = fine(box(2, 0.3, 0.3))


@each(("body", "truth"), [(PLATE, 0.015), (ROD, 0.18)])
@each("share", [0.2, 0.4, 0.6])
def test_an_end_that_is_cut_off_along_a_row_of_an_even_mesh_is_no_flat_face(body, truth, share) -> None:
    middle = body.mean(axis=1)[:, 0]
    never_false(body[middle < (1 - share) * body[:, :, 0].max()], truth)


@each("size", [(1, 0.75, 0.02), (2, 0.3, 0.3), (1, 1, 1)])
def test_a_missing_face_of_a_box_without_needless_vertices_is_a_flat_face(size) -> None:
    """Nothing but the end of the body makes an edge there."""
    body = box(*size)
    found = measure(body[~(body[:, :, 0] == size[0]).all(axis=1)], repair="full", max_uncertainty=0.3, units="m")
    assert found.volume == pytest.approx(math.prod(size), rel=1e-9)
    assert found.uncertainty.volume <= 1e-6 * found.volume


@each("side", [0.625, 0.75, 0.875])
def test_a_boss_that_is_gone_leaves_a_hole_that_is_no_small_part_of_the_face_around_it(side) -> None:
    """The boss, of this side and height 1, stood on a unit cube, of which the upper face is left around it."""
    cube = fine(box(1, 1, 1), 4)
    middle = cube.mean(axis=1)
    under = (cube[:, :, 2] == 1).all(axis=1) & (np.abs(middle[:, :2] - 0.5).max(axis=1) < side / 2)
    never_false(cube[~under], 1 + side * side)


def test_the_rim_of_a_thin_plate_that_is_cut_aslant_is_flat_in_no_sense() -> None:
    """The loop runs along one side of the plate and back along the other, a hundredth of its radius away: it is a cut, no face."""
    rng = np.random.default_rng(23)
    thick = 10 ** rng.uniform(-2.8, -1.8)
    plate = fine(box(1, 0.75, 1), 4) * [1, 1, thick]
    normal = rng.normal(size=3)
    along = plate.mean(axis=1) @ normal
    never_false(plate[along < along.max() - rng.uniform(0.1, 0.35) * np.ptp(along)], 0.75 * thick)


@each("radius", [0.05, 0.12, 0.25])
def test_facing_holes_in_both_sides_of_a_thin_plate_are_a_bore_or_two_patches(radius) -> None:
    """The winding number between them is that of no material, whichever is missing."""
    plate = PLATE * [1, 1, 0.2]
    apart = np.linalg.norm(plate.mean(axis=1)[:, :2] - [0.5, 0.375], axis=1)
    never_false(plate[apart > radius], 0.003)


@each(("seed", "share"), [(k, s) for k in range(3) for s in (0.1, 0.15, 0.2)])
def test_the_end_of_a_plate_is_gone_from_its_bore_on(seed, share) -> None:
    """Two narrow cuts beside the bore, both of a plane, beyond which there is a fifth of the plate."""
    rng = np.random.default_rng(seed)
    body = fine(damage.drilled_plate(3), 1) * [1, 0.6, 0.4]
    along = body.mean(axis=1) @ ([1, 0, 0] + 0.05 * rng.normal(size=3))
    never_false(body[along < along.max() - share * np.ptp(along)], damage.moments(body)[0])


def revolved(radius: np.ndarray, height: np.ndarray, sides: int = 32) -> np.ndarray:
    """Facets between circles around the z axis, outward from the first at the bottom to the last."""
    angle = 2 * np.pi * np.arange(sides) / sides
    circle = np.stack([np.cos(angle), np.sin(angle), np.ones(sides)], axis=1)
    rings = [circle * [r, r, z] for r, z in zip(radius, height, strict=True)]
    found = []
    for a, b in itertools.pairwise(rings):
        c, d = np.roll(a, -1, axis=0), np.roll(b, -1, axis=0)
        found += [np.stack(x, axis=1) for x in ((a, c, d), (a, d, b))]
    return damage.proper(np.concatenate(found))


def latitudes(first: float, rows: int = 24) -> np.ndarray:
    """Facets of the unit sphere from its south pole to a latitude, degrees."""
    t = np.radians(np.linspace(-90, first, rows + 1))
    return revolved(np.where(t > -np.pi / 2, np.cos(t), 0.0), np.sin(t))


@each("latitude", [-12, -7, -3, 3, 7, 12])
def test_a_ball_that_is_cut_near_its_equator_is_no_bowl_with_a_lid(latitude) -> None:
    never_false(latitudes(latitude), damage.moments(latitudes(90))[0])


@each("rows", [16, 24, 40])
def test_a_ball_that_is_cut_beside_a_row_across_its_equator_is_no_bowl_with_a_lid(rows) -> None:
    """The facets along the rim are perpendicular to the lid, as those of a cylinder are, but those behind them curve on."""
    never_false(latitudes(90 / (2 * rows - 1), rows), damage.moments(latitudes(90))[0])


@each("wall", [0.03, 0.1])
@each("latitude", [-20, 15, 50])
def test_a_hollow_ball_that_is_cut_is_no_bowl_with_an_end_of_its_wall(latitude, wall) -> None:
    """All above a latitude is gone, from both of its surfaces."""
    left, whole = (np.concatenate([x, (1 - wall) * x[:, ::-1]]) for x in (latitudes(latitude), latitudes(90)))
    never_false(left, damage.moments(whole)[0])


@each("thickness", [lambda z: 0.05 + 0.25 * abs(z - 1.5), lambda z: 0.4 * np.exp(-z)])
@each("height", [1, 2])
def test_a_blade_that_is_cut_across_is_no_body_with_a_lid(thickness, height) -> None:
    """Its walls curve on but for a few facets, where they are parallel."""
    at = np.linspace(0, 3, 25)
    x, y, z = revolved(np.array([0.0, *np.ones(25), 0]), np.array([0, *at, 3])).transpose(2, 0, 1)
    blade = np.stack([x, thickness(z) * y, z], axis=2)
    never_false(blade[z.max(axis=1) < height + 1e-6], damage.moments(blade)[0])


@each("wave", [0.04, 0.08, 0.12, 0.2])
def test_walls_that_run_together_before_a_waist_lead_to_no_tip(wave) -> None:
    """An hourglass that is cut above its waist, along a wave: the walls lean less there than behind."""
    at = np.linspace(0, 4, 61)
    radius = 1 - 0.75 * np.exp(-((at - 2) ** 2))
    glass = revolved(np.array([0.0, *radius, 0]), np.array([0, *at, 4])) * [1, 0.4, 1]
    x, y, z = glass.transpose(2, 0, 1)
    never_false(below(glass, z - 1.5 - wave * np.cos(2 * np.arctan2(y, x))), damage.moments(glass)[0])


def test_a_wall_with_one_bend_is_not_curved() -> None:
    """A cup of a cylinder and a cone, without its bottom, ends there: the cone meets the next face in an edge."""
    cup = revolved(np.array([0.0, 1, 1, 0.8, 0]), np.array([0.0, 0, 0.5, 2, 2]))
    found = measure(cup[~(cup[:, :, 2] == 0).all(axis=1)], repair="full", max_uncertainty=0.3, units="m")
    assert found.volume == pytest.approx(damage.moments(cup)[0], rel=1e-9)
    assert found.uncertainty.volume <= 1e-6 * found.volume


def jagged(body: np.ndarray, height: float, step: float) -> np.ndarray:
    """What is below a height, of which every other side ends a step lower."""
    middle = body.mean(axis=1)
    side = np.floor(np.arctan2(middle[:, 1], middle[:, 0]) / (np.pi / 16)) % 2
    return body[middle[:, 2] < height - step * side]


@each("power", [1, 0.9])
def test_teeth_of_a_rim_are_no_strip_whose_cell_the_hole_between_them_is(power) -> None:
    """The teeth are narrower than a seam, so that they are joined by rungs, all around a hole that is as wide as the tip was."""
    at = np.linspace(1, 0, 41)
    cone = np.concatenate([revolved(at**power, 2 * (1 - at)), revolved(np.array([0.0, 1]), np.zeros(2))])
    never_false(jagged(cone, 1.8, 0.05), damage.moments(cone)[0])


def test_past_a_thin_wall_that_is_cut_there_is_no_more_than_its_section_along_the_body() -> None:
    """A wide barrel of thin walls, of which one end is gone: a band joins both rims, and no ball as wide as the barrel is missing."""
    wall, at = 0.004, np.linspace(0, 2.5, 26)
    around = 1 + 0.2 * np.sin(at)
    shell = np.concatenate(
        [revolved(around, at), revolved(around - wall, at)[:, ::-1], revolved(np.array([1 - wall, 1]), np.zeros(2))]
    )
    x, y, z = shell.transpose(2, 0, 1)
    shell[:, :, 2] += np.where(z == 2.5, 0.1 * np.cos(2 * np.arctan2(y, x)), 0)
    mesh = IndexedMesh.of(from_soup(shell))
    edges, section = mesh.open_edges(), 2.2 * np.pi * wall
    flattened = mesh.points[
        np.stack([edges.start, edges.end], axis=1)
    ]  # facets without area along both rims: what is left of a band
    bound = fill(mesh, np.zeros(3), flattened).steps[0].bound.volume
    assert 0.5 * section <= bound <= 1.5 * section * mesh.size


def test_lids_of_one_plane_are_the_same_together_and_alone() -> None:
    """The upper face of a box has many holes, of which one leaves little of it; the pin beside it is open where it ends."""
    cube = fine(box(1, 1, 1), 4)
    middle = cube.mean(axis=1)
    up = (cube[:, :, 2] == 1).all(axis=1)
    small = up & (np.abs(np.mod(middle[:, :2] * 4, 1) - 0.5).max(axis=1) < 0.25)
    large = (cube[:, :, 1] == 1).all(axis=1) & (np.abs(middle[:, [0, 2]] - 0.5).max(axis=1) < 0.4)
    pin = fine(box(0.1, 0.1, 1, low=(2, 0, 0)))
    mesh = IndexedMesh.of(from_soup(np.concatenate([cube[~(small | large)], pin[~(pin[:, :, 2] == 1).all(axis=1)]])))
    fills = [fills_of(mesh, loops) for loops in loops_of(mesh, mesh.open_edges())]
    facet, center, outward, flat = (
        np.concatenate([getattr(f, k) for f in fills]) for k in ("facet", "center", "outward", "flat")
    )
    found = lids_of_even_meshes(mesh, facet, center, outward, flat)
    alone = [lids_of_even_meshes(mesh, facet[[i]], center[[i]], outward[[i]], flat[[i]])[0] for i in range(len(facet))]
    assert found.tolist() == alone
    assert len(found) > 10
    assert found.sum() == 2


def test_a_body_ahead_ends_what_can_go_on() -> None:
    """From 0.1 above a box towards another one, that begins at 3.2: distances are 0.5 times a power of 2."""
    soup = np.concatenate([box(1, 1, 1), box(1, 1, 1, low=(0, 0, 4.2))])
    tree = WindingTree.of(IndexedMesh.of(from_soup(soup)))
    at, up = np.array([[0.5, 0.5, 1.0]] * 2), np.array([[0, 0, 1.0], [0, 0, -1.0]])
    far = room(tree, at, up, np.array([0.5, 0.5]), 7.0, 1.0)
    assert far.tolist() == [4.0, 0.5]
    assert room(tree, at, up, np.array([0.5, 0.5]), 7.0, -1.0).tolist() == [7.0, 7.0]


@each("radius", [0.2, 0.3, 0.45])
@each("wall", [0.02, 0.1, 0.2])
def test_a_hole_through_both_sides_of_a_thin_shell_is_no_bore_for_certain(wall, radius) -> None:
    ball = latitudes(90)
    shell = np.concatenate([ball, (1 - wall) * ball[:, ::-1]])
    kept = np.linalg.norm(shell.mean(axis=1) - [0, 0, 1], axis=1) > radius
    never_false(shell[kept], damage.moments(ball)[0] * (1 - (1 - wall) ** 3))


@each("share", [0.15, 0.25, 0.35])
@each("wall", [0.03, 0.05])
@each("slope", [0, 0.03])
def test_a_hollow_box_that_is_cut_does_not_end_where_its_walls_do(wall, share, slope) -> None:
    """The rims of both walls are joined by a band, which closes the end, wherever that was."""
    size = np.array([1, 0.8, 0.6])
    outer, inner = fine(box(*size)), fine(box(*(size - 2 * wall), low=(wall, wall, wall)))
    hollow = np.concatenate([outer, inner[:, ::-1]])
    along = hollow.mean(axis=1) @ [1, slope, slope / 2]
    never_false(hollow[along < along.max() - share * np.ptp(along)], 0.48 - np.prod(size - 2 * wall))

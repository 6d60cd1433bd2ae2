"""Holes that lie in other bodies: the union has nothing of what they hide."""

import itertools

import numpy as np
import pytest
from cases import each
from damage import box_mesh, open_ball, quarter

from massprops import InvalidGeometry, measure
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.buried import _ball, shares_at_stake
from massprops.mesh.repair.holes import fill
from massprops.mesh.xray.verdict import ALPHA
from massprops.moments.arrays import unit_vectors

ROUND = 24


def post(low: float) -> np.ndarray:
    """Facets of a post of 0.6 × 0.6 from z = 0 to 2 above `low` and a slope, so that it ends in a rim that lies in no plane."""
    facets = box_mesh(np.array([-0.3, -0.3, 0.0]), np.array([0.3, 0.3, 2.0]))
    for _ in range(3):
        facets = quarter(facets)
    middle = facets.mean(axis=1)
    return facets[middle[:, 2] > low + 0.4 * middle[:, 0] ** 2 - 0.3 * middle[:, 1]]


def dome(radius: float, height: float, z: float) -> np.ndarray:
    """Facets of the top of a sphere, outward, of which the rim has this radius and is wavy about the height z; open below."""
    rows = np.sin(np.linspace(1, 0, 5) * np.pi / 2)
    angle = 2 * np.pi * np.arange(ROUND) / ROUND
    rings = [
        np.stack(
            [radius * r * np.cos(angle), radius * r * np.sin(angle), z + height * np.sqrt(1 - r * r) + 0 * angle], 1
        )
        for r in rows
    ]
    rings[0][:, 2] += 0.04 * np.cos(2 * angle)
    after = np.roll(np.arange(ROUND), -1)
    pairs = list(itertools.pairwise(rings))
    facets = np.concatenate(
        [np.stack(x, axis=1) for a, b in pairs for x in ((a, a[after], b[after]), (a, b[after], b))]
    )
    return facets[np.linalg.norm(np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0]), axis=1) > 1e-12]


BOX = box_mesh(-np.ones(3), np.ones(3))


def test_a_hole_in_another_body_hides_nothing() -> None:
    """A ball without its bottom lies in a box, to a half: the union is that with the bottom, which is not known from the file."""
    found = measure(np.concatenate([BOX, open_ball(0.75)]), units="m")
    truth = measure(np.concatenate([BOX, open_ball(0.75, whole=True)]), units="m", on_overlap="union")
    assert found.uncertainty.volume <= 0.01 * found.volume
    assert found.volume == pytest.approx(truth.volume, abs=found.uncertainty.volume + truth.uncertainty.volume)


def test_a_hole_hides_as_much_as_anywhere_where_overlaps_count_twice() -> None:
    """Then the bottom of the ball counts, too: within 0.5 %, which the union is, it is not known."""
    assert measure(np.concatenate([BOX, open_ball(0.75)]), units="m", max_uncertainty="0.5%").volume > 8
    with pytest.raises(InvalidGeometry, match="of the volume open"):
        measure(np.concatenate([BOX, open_ball(0.75)]), units="m", on_overlap="count", max_uncertainty="0.5%")


def hidden(box: np.ndarray, other: np.ndarray, *, unite: bool) -> float:
    """Volume that the holes of two bodies can hide."""
    mesh = IndexedMesh.of(from_soup(np.concatenate([box, other])))
    return fill(mesh, np.zeros(3), unite=unite).steps[0].bound.volume


def test_a_hole_that_is_partly_in_another_body_hides_the_rest() -> None:
    """The higher the rim, the more of what it hides can be outside."""
    united, alone = ([hidden(BOX, open_ball(z), unite=unite) for z in (0.6, 1.1, 1.3, 1.8)] for unite in (True, False))
    assert united == sorted(united)
    assert 0 < united[0] < alone[0] / 5  # a sample leaves a doubt
    assert united[0] < united[1] < alone[1]
    assert united[2:] == alone[2:]  # a third is outside


def test_a_cut_through_a_wall_in_another_body_can_go_on_beyond_it() -> None:
    """A post without its lower end may leave the box on the other side."""
    assert hidden(BOX, post(0.6), unite=True) == hidden(BOX, post(0.6), unite=False) > 0


def test_a_hole_in_the_wall_of_a_cavity_is_in_no_other_body() -> None:
    """All of a cavity lies in the body around it: what its hole hides is still missing or too much there."""
    cavity = open_ball(0)[:, ::-1]
    assert hidden(BOX, cavity, unite=True) == hidden(BOX, cavity, unite=False) > 0


def test_a_hole_near_that_of_the_other_body_is_not_known_to_be_in_it() -> None:
    """A ball without its bottom in a box whose top is gone around it: nobody knows where the box ends there."""
    box = BOX
    for _ in range(4):
        box = quarter(box)
    middle = box.mean(axis=1)
    box = box[(middle[:, 2] < 1) | (np.linalg.norm(middle, axis=1) > 1.3)]
    box = box[(middle := box.mean(axis=1))[:, 2] > -1]
    assert hidden(box, open_ball(0.75), unite=True) == hidden(box, open_ball(0.75), unite=False) > 0


def test_nothing_is_hidden_in_front_of_the_facets_along_a_hole() -> None:
    """A button on a box is a dome without a bottom: what can be missing is behind its facets, in the box."""
    radius, height = 0.3, 0.12
    button = dome(radius, height, 0.9)
    assert hidden(BOX, button, unite=True) < hidden(BOX, button, unite=False) / 4
    found = measure(np.concatenate([BOX, button]), units="m", repair="full")
    closed = np.concatenate([button, [[b, a, (0, 0, 0.5)] for a, b in rim(button)]])
    truth = measure(np.concatenate([BOX, closed]), units="m", on_overlap="union")
    assert found.volume == pytest.approx(truth.volume, abs=found.uncertainty.volume + truth.uncertainty.volume)


@each(("place", "share"), [((0, 0, 1), 1 / 2), ((0, 1, 1), 3 / 4), ((1, 1, 1), 7 / 8), ((0, 0, 0), 1)])
def test_another_patch_fills_the_ball_outside_of_a_body_or_empties_it_inside(place, share) -> None:
    """On a face, an edge and a corner of a box, and in its middle: the larger of both, whichever way its facets look."""
    for body in (BOX, BOX[:, ::-1]):
        mesh, one = IndexedMesh.of(from_soup(body)), np.ones(1)
        found = shares_at_stake(mesh, 12, np.zeros(1, int), one < 0, np.array([place], float), 0.5 * one, one)[0]
        assert share <= found <= min(share + 0.06, 1)


def test_half_spaces_hold_the_share_of_points_that_they_hold_of_the_ball() -> None:
    rng, points = np.random.default_rng(1), _ball()
    normal, h = unit_vectors(rng.normal(size=(20_000, 3))), rng.uniform(-1, 1, 20_000)
    share = (points @ normal.T > h).mean(axis=0)
    missed = (1 - h) ** 2 * (2 + h) / 4 - share
    assert (missed > -np.log(ALPHA) / len(points)).mean() <= ALPHA


def rim(facets: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Edges of one facet only."""
    mesh = IndexedMesh.of(from_soup(facets))
    edges = mesh.open_edges()
    return list(zip(mesh.points[edges.start], mesh.points[edges.end], strict=True))

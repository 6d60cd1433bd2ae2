"""Bodies that touch (`proof/contact`): against winding numbers that are counted body by body in rational geometry."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from cases import each
from oracles import box, moved, reversed_facets

import massprops
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.proof.embedding import Embedding, embedding_of

PROVED = ("embedded", "touching")
TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def found(triangles: np.ndarray) -> Embedding:
    return embedding_of(IndexedMesh.of(from_soup(np.asarray(triangles, dtype=np.float64))))


def boxes(rng: np.random.Generator) -> tuple[np.ndarray, set[int]]:
    """Boxes between points of a small lattice, some inside out, sheared; and w in the cells of the lattice."""
    side = int(rng.integers(1, 5))
    bodies, winding = [], np.zeros((side,) * 3, dtype=int)
    for _ in range(rng.integers(1, 6)):
        low = rng.integers(0, side, 3)
        high = rng.integers(low + 1, side + 1)
        sign = int(rng.choice([1, 1, 1, -1]))
        body = np.asarray(box(low.tolist(), high.tolist()), dtype=float)
        bodies.append(body if sign > 0 else reversed_facets(body))
        winding[tuple(slice(*span) for span in zip(low, high, strict=True))] += sign
    shear = rng.integers(-2, 3, (3, 3))
    turns = round(np.linalg.det(shear))
    return np.concatenate(bodies) @ (shear.T * np.sign(turns) if turns else np.eye(3)), set(
        winding.ravel().tolist()
    ) | {0}


def tetrahedra(rng: np.random.Generator) -> tuple[np.ndarray, set[int]]:
    """Tetrahedra between points of a small lattice, or of cubes cut into six; and w at the points of a fine one that is shifted.

    All are between 0 and 2.
    """
    bodies, cut = [], rng.random() < 0.6
    points = np.add(list(itertools.product(range(24), repeat=3)), [0.5, 0.31, 0.77]) / 12
    winding = np.zeros(len(points), dtype=int)
    while len(bodies) < rng.integers(2, 5):
        steps = np.cumsum(np.eye(3, dtype=int)[rng.permutation(3)], axis=0)
        corners = rng.integers(0, 2, 3) + np.vstack([[0, 0, 0], steps]) if cut else rng.integers(0, 3, (4, 3))
        arms = corners[1:] - corners[0]
        if not (volume := round(np.linalg.det(arms))):
            continue
        sign = int(rng.choice([1, 1, 1, -1]))
        body = corners[TETRAHEDRON][:, :: int(np.sign(volume)) * sign]
        shares = np.linalg.inv(arms.T) @ (points - corners[0]).T
        bodies.append(body)
        winding += sign * ((shares > 0).all(axis=0) & (shares.sum(axis=0) < 1))
    return np.concatenate(bodies), set(winding.tolist())


@pytest.mark.parametrize("assembly", [boxes, tetrahedra])
def test_bodies_that_touch_are_proved_where_no_point_is_inside_twice(assembly):
    counts = {True: 0, False: 0}
    for seed in range(70):
        triangles, winding = assembly(np.random.default_rng(seed))
        outcome = found(triangles).outcome
        valid = winding <= {0, 1}
        counts[valid] += 1
        assert (outcome in PROVED) <= valid, seed
        assert valid <= (outcome in PROVED or outcome == "crossing"), seed
    assert min(counts.values()) > 15


CUBE = np.asarray(box((0, 0, 0), (1, 1, 1)), dtype=float)
SMALL = np.add(CUBE / 2, (0.25, 0.25, 0))
NEEDLE = np.array([(0, 0, 0), (2, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], dtype=float)[
    [(0, 2, 1), (0, 4, 3), (4, 1, 3), (1, 2, 3), (2, 0, 3), (0, 1, 4)]
]
TIP = np.array([(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)], dtype=float)[TETRAHEDRON]
FLAT = np.array([[[0.2, 0.2, 0.5], [0.8, 0.2, 0.5], [0.2, 0.8, 0.5]]])


@each(
    ("bodies", "outcome"),
    [
        ([NEEDLE], "touching"),  # an edge that is split on one side only, closed by a facet without area
        ([CUBE, TIP], "embedded"),  # a pinched vertex
        ([CUBE, np.subtract(TIP, (0.5, 0.5, 0))], "touching"),  # a corner of one on a face of the other
        ([CUBE, reversed_facets(SMALL)], "touching"),  # a cavity at the wall
        ([CUBE, SMALL], "contact"),  # a body at the wall from inside: counted twice
        ([CUBE, reversed_facets(np.add(CUBE, (1, 0, 0)))], "contact"),  # one of two that touch is inside out
        ([reversed_facets(CUBE), reversed_facets(np.add(CUBE, (1, 0, 0)))], "contact"),
        ([CUBE, CUBE, reversed_facets(CUBE)], "touching"),  # two of three cancel
        ([CUBE, FLAT, reversed_facets(FLAT)], "touching"),  # a sheet
        ([CUBE, np.add(FLAT, (0, 0, 5)), reversed_facets(np.add(FLAT, (0, 0, 5)))], "touching"),
        ([CUBE, np.add(CUBE, (1, 1, 0)), np.add(CUBE, (0, 1, 0))], "touching"),
        ([CUBE, np.add(CUBE, (1, 1, 0)), np.add(CUBE, (0, 1, 0)), np.add(CUBE, (0.5, 0.5, 0.5))], "contact"),
        ([CUBE, np.add(SMALL, (0, 0, 1)), moved(CUBE, (7, 0, 0)), reversed_facets(moved(CUBE, (9, 0, 0)))], "contact"),
    ],
)
def test_contacts_of_every_kind(bodies, outcome):
    assert found(np.concatenate(bodies)).outcome == outcome


def test_a_touching_assembly_is_proved_whatever_its_place_and_its_area_is_that_of_its_faces():
    """Also where no coordinate is a short number: the second cube has the corners of the first."""
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    both = np.concatenate([CUBE, np.add(CUBE, (1, 0, 0))]).reshape(-1, 3) @ (turn * np.linalg.det(turn)).T + (
        1e3,
        -7,
        0.1,
    )
    result = massprops.measure(both.reshape(-1, 3, 3), units="m")
    assert (result.grade, "xray" in result.sources) == ("proved", False)
    assert abs(result.volume - 2) < 1e-9
    assert abs(result.area - 10) < 1e-9  # two faces lie on each other, and are no surface of the whole

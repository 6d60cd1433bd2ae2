"""A surface compared in tiles is what it is in one piece: each pair of facets and the edges at each point are in one tile."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from cores import CORES, compiled, core_of
from hypothesis import given
from hypothesis import strategies as st
from oracles import box, bumpy_torus, moved, reversed_facets, rotated

from massprops import native
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.box_tree import NO_LIMIT, BoxTree, TooManyPairs, facet_boxes
from massprops.mesh.enclosed_solid import MeshSurface
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.integration import integrate
from massprops.mesh.proof import nesting, tiles
from massprops.mesh.proof import prove as prove_module
from massprops.mesh.proof.embedding import embedding_of
from massprops.mesh.source import Triangles, indexed_chunks

TORUS = np.asarray(bumpy_torus(12, 8), dtype=float)
CUBE = np.asarray(box((0, 0, 0), (1, 1, 1)), dtype=float)


def double_cone(sides: int) -> np.ndarray:
    """Two corners with as many facets round each as make a fan."""
    angle = 2 * np.pi * np.arange(sides) / sides
    rim = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    upper = np.stack([rim, np.roll(rim, -1, axis=0), np.broadcast_to([0, 0, 1], rim.shape)], axis=1)
    return np.concatenate([upper, (upper * [1, 1, -1])[:, ::-1]])


def surfaces(seed: int) -> dict[str, np.ndarray]:
    """Surfaces that cross, touch, nest or are open, and facets of a lattice, some of them without area."""
    generator = np.random.default_rng(seed)
    cubes = np.concatenate([moved(CUBE, p) for p in generator.integers(0, 4, (12, 3))])
    needles = generator.uniform(-1, 1, (80, 1, 3)) + generator.uniform(-1, 1, (80, 3, 3)) * 10.0 ** generator.integers(
        -3, 1, (80, 1, 1)
    )
    return {
        "a torus": TORUS,
        "tori that cross": np.concatenate([TORUS, moved(rotated(TORUS), generator.uniform(-1, 1, 3))]),
        "nested": np.concatenate([TORUS * 4, reversed_facets(TORUS), moved(TORUS, (30, 0, 0))]),
        "fans": np.concatenate([moved(double_cone(100), (x, *generator.uniform(-1, 1, 2))) for x in (0, 4, 8)]),
        "nested at a corner": np.concatenate([double_cone(300), double_cone(300) * [0.3, 0.3, 0.5] + [0, 0, 0.5]]),
        "open": np.delete(TORUS, generator.integers(len(TORUS)), axis=0),
        "inconsistent": np.concatenate([TORUS[:5, ::-1], TORUS[5:]]),
        "cubes of a lattice": cubes,
        "facets of a lattice": generator.integers(0, 4, (90, 3, 3)).astype(float),
        "facets of all sizes": needles,
        "in a plane": np.append(generator.integers(0, 9, (60, 3, 2)), np.zeros((60, 3, 1)), axis=2).astype(float),
    }


def outcome(triangles: np.ndarray, jobs: int, most: int = NO_LIMIT) -> tuple[Any, ...]:
    found = embedding_of(IndexedMesh.of(from_soup(triangles)), most, jobs=jobs)
    return found.outcome, found.crossings.tolist(), found.contacts.tolist(), found.part.tolist(), found.closed


@pytest.mark.parametrize(
    ("core", "seed"), [("numpy", 0), *(pytest.param("native", seed, marks=compiled) for seed in range(3))]
)
def test_the_result_does_not_depend_on_tiles_and_threads(core, seed, monkeypatch):
    for name, triangles in surfaces(seed).items():
        with core_of(core):
            whole = outcome(triangles, 1)
            for size, jobs in ((len(triangles) // 2, 2), (len(triangles) // 7, 7)):
                monkeypatch.setattr(tiles, "SIZE", size)
                monkeypatch.setattr(nesting, "_BLOCK", 50)
                assert outcome(triangles, jobs) == whole, (name, size, jobs)
            monkeypatch.undo()


@pytest.mark.parametrize("core", CORES)
def test_a_hole_is_seen_wherever_a_tile_ends(core, monkeypatch):
    """An edge is counted at both of its ends, once each: every hole and every doubled facet leaves some."""
    with core_of(core):
        for size in (20, 100):
            monkeypatch.setattr(tiles, "SIZE", size)
            assert outcome(TORUS, 1)[4]
            for gone in range(0, len(TORUS), 13):
                assert not outcome(np.delete(TORUS, gone, axis=0), 1)[4]


@pytest.mark.parametrize("core", CORES)
def test_the_limit_of_pairs_does_not_depend_on_tiles_and_threads(core, monkeypatch):
    generator = np.random.default_rng(1)
    scale = 10.0 ** generator.integers(-5, 1, (360, 1, 1))
    triangles = generator.uniform(-1, 1, (360, 1, 3)) + scale * generator.normal(size=(360, 3, 3))
    mesh = IndexedMesh.of(from_soup(triangles))
    points = np.ldexp(mesh.points.T, -int(np.frexp(np.abs(mesh.points).max())[1]))
    pairs = sum(len(i) for i, _ in BoxTree.over(facet_boxes(points, mesh.faces.T)).pairs(10**9))
    monkeypatch.setattr("massprops.mesh.proof.embedding._INTEGERS", 1)
    with core_of(core):
        for size, jobs in ((1000, 1), (50, 1), (50, 7)):
            monkeypatch.setattr(tiles, "SIZE", size)
            outcome(triangles, jobs, pairs)
            with pytest.raises(TooManyPairs):
                outcome(triangles, jobs, pairs - 1)


@compiled
@given(seed=st.integers(0, 2**32), size=st.integers(2, 40), whole=st.booleans(), sample=st.sampled_from([2, 9, 99]))
def test_each_pair_and_each_point_is_in_one_tile(seed, size, whole, sample):
    """Pairs by their boxes, compared one by one; halves are chosen by few points or by all, so that some tiles have none of these."""
    generator = np.random.default_rng(seed)
    points = generator.integers(-3, 4, (50, 3)) / 4 if whole else generator.uniform(-1, 1, (50, 3)) ** 3
    reach = generator.integers(1, 50, 60)  # some facets are small, some are not
    first = generator.permuted(np.tile(np.arange(50), (60, 1)), axis=1)[:, :1]
    near = abs(points[first[:, 0], np.newaxis] - points).sum(axis=2).argsort(axis=1)
    faces = np.stack([first[:, 0], near[np.arange(60), 1 + reach // 2], near[np.arange(60), (2 + reach) % 50]], axis=1)
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])]
    low, high = points[faces].min(axis=1), points[faces].max(axis=1)
    pairs = {
        (i, j): 0 for i, j in combinations(range(len(faces)), 2) if ((low[i] <= high[j]) & (low[j] <= high[i])).all()
    }
    owners = np.zeros(50, int)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiles, "SIZE", size)
        patch.setattr(tiles, "_SAMPLE", sample)
        patch.setattr(tiles, "_AT_ONCE", 7 if sample == 9 else 50)
        tile, begin, order, before = tiles.divide(native._built()[0], points, faces.astype(np.int32))
    found = [slice(*begin[number : number + 2]) for number in range(len(begin) - 1)]
    assert len(found) > 1 or size > 20 or whole
    for number, part in enumerate(found):
        own, bits = order[part], before[part]
        assert (np.diff(own) > 0).all()
        assert (bits & tiles.SEVERAL > 0).tolist() == (np.bincount(order)[own] > 1).tolist()
        for i, j in combinations(range(len(own)), 2):
            pair = int(own[i]), int(own[j])
            if pair in pairs and not bits[i] & bits[j] & 7:
                pairs[pair] += 1
        inside = np.flatnonzero(tile == number)
        owners[inside] += 1
        assert set(np.flatnonzero(np.isin(faces, inside).any(axis=1))) <= set(own.tolist())
    assert set(pairs.values()) == {1}
    assert (owners[np.unique(faces)] == 1).all()


@pytest.mark.parametrize("core", CORES)
def test_points_beyond_those_that_halves_are_chosen_by(core, monkeypatch):
    """Halves are chosen by every eleventh point here; the farthest is none of them."""
    monkeypatch.setattr(tiles, "_SAMPLE", 30)
    monkeypatch.setattr(tiles, "SIZE", 60)
    far = np.concatenate([TORUS, moved(CUBE, (500, 600, 700)), moved(CUBE, (-900, 4, 4))])
    with core_of(core):
        assert outcome(far, 2)[0] == "embedded"


def numbered_otherwise(
    triangles: np.ndarray, case: str, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The same triangles with other numbers of their corners, or points that no facet has."""
    mesh = IndexedMesh.of(from_soup(triangles))
    points, faces = mesh.points, mesh.faces.astype(np.int64)
    if case == "each part by itself":
        return np.concatenate([points, points]), faces + len(points) * (generator.random((len(faces), 1)) < 0.5)
    if case == "some corners doubled":
        doubled = generator.random(faces.shape) < 0.02
        return np.concatenate([points, points]), faces + len(points) * doubled
    if case == "points of no facet, near":
        return np.concatenate([points.mean(axis=0)[np.newaxis], points]), faces + 1
    if case == "points of no facet, not finite":
        return np.concatenate([points, [[np.nan, 0, 0], [np.inf, 0, 0]]]), faces
    if case == "points of no facet, far":
        return np.concatenate([points, [[1e300, 0, 0]]]), faces
    return points, faces


@compiled
@pytest.mark.parametrize("case", ["as they are", "each part by itself", "some corners doubled", "points of no facet, near",
                                  "points of no facet, not finite", "points of no facet, far"])  # fmt: skip
def test_numbers_of_the_file_prove_what_positions_prove(case, monkeypatch):
    monkeypatch.setattr(tiles, "SIZE", 60)
    for seed in range(2):
        generator = np.random.default_rng(seed)
        for name, triangles in surfaces(seed).items():
            read = Triangles(name, len(triangles), indexed_chunks(*numbered_otherwise(triangles, case, generator)))
            told = []
            for least in (0, len(triangles)):
                monkeypatch.setattr(prove_module, "SIZE", least)
                surface = MeshSurface(read, integrate(read))
                told.append(prove_module.prove(surface, outward=surface.gathered.solid.measure > 0.1))
            assert told[0] == told[1], name


@compiled
def test_a_fine_mesh_needs_no_hash_of_its_points(monkeypatch):
    """Whose points have one number each; where two have several, they are found as before."""
    monkeypatch.setattr(tiles, "SIZE", 60)
    monkeypatch.setattr(prove_module, "SIZE", 60)
    mesh = IndexedMesh.of(from_soup(TORUS))
    points, apart = np.concatenate([mesh.points, mesh.points[mesh.faces[7]]]), mesh.faces.copy()
    apart[7] = len(mesh.points) + np.arange(3)
    for faces, hashed in ((mesh.faces, False), (apart, True)):
        read = Triangles("", len(faces), indexed_chunks(points, faces))
        surface = MeshSurface(read, integrate(read))
        assert prove_module.prove(surface) == (True, ())
        assert ("numbered" in vars(surface)) == hashed

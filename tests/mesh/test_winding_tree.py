"""Winding numbers by halves of a surface are those of all facets one by one."""

import numpy as np
import pytest
from damage import box_mesh, quarter

from massprops.mesh import winding_tree
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.winding_tree import WindingTree
from massprops.moments.arrays import winding_numbers


def box(times: int) -> np.ndarray:
    """Facets of a cube from −1 to 1, each cut in four several times."""
    facets = box_mesh(-np.ones(3), np.ones(3))
    for _ in range(times):
        facets = quarter(facets)
    return facets


def numbered(facets: np.ndarray) -> IndexedMesh:
    points, numbers = np.unique(facets.reshape(-1, 3), axis=0, return_inverse=True)
    return IndexedMesh(points, numbers.reshape(-1, 3).astype(np.int32))


@pytest.mark.parametrize("seed", range(12))
def test_the_same_as_facet_by_facet(seed: int) -> None:
    """With holes, facets turned round, facets twice or thrice and loose ones; all facets or some; near, far, and on the surface."""
    rng = np.random.default_rng(seed)
    facets = box(4)[rng.random(12 << 8) > rng.choice([0, 0.02, 0.5])]
    turned = rng.random(len(facets)) < rng.choice([0, 0.05])
    facets[turned] = facets[turned][:, ::-1]
    mesh = numbered(np.concatenate([facets, facets[: 40 * (seed % 3)], rng.normal(size=(20, 3, 3))]))
    center = facets[rng.integers(len(facets))].mean(axis=0)
    points = np.concatenate(
        [rng.normal(size=(40, 3)), center + 0.01 * rng.normal(size=(40, 3)), facets[:20].mean(axis=1), 1e6 * np.eye(3)]
    )
    tree, some = WindingTree.of(mesh), rng.random(len(mesh.faces)) < 0.5
    assert tree.winding_numbers(points) == pytest.approx(winding_numbers(points, mesh.corners), abs=1e-11)
    for of in (some, mesh.corners[:, 0, 0] < 0.3, np.zeros(len(some), bool)):
        found = tree.keeping(of).winding_numbers(points)
        assert found == pytest.approx(winding_numbers(points, mesh.corners[of]), abs=1e-11)


def test_whole_numbers_of_a_closed_surface() -> None:
    """Of a cube in a cube that is turned round: 0 outside, 1 between them, 0 in the inner one, and halfway on the outer."""
    mesh = numbered(np.concatenate([box(5), 0.5 * box(3)[:, ::-1]]))
    points = np.array([[2.0, 0, 0], [0.75, 0.1, 0.2], [0.1, 0, 0.3], [1, 0.123, 0.321], [-1e9, 0, 0]])
    assert WindingTree.of(mesh).winding_numbers(points) == pytest.approx([0, 1, 0, 0.5, 0], abs=1e-12)


def test_no_facets_wind_about_nothing() -> None:
    mesh = numbered(box(0))
    empty = WindingTree.of(mesh.keeping(np.zeros(12, bool)))
    assert empty.winding_numbers(np.zeros((3, 3))).tolist() == [0, 0, 0]


def test_many_points_about_one_facet_come_to_an_end() -> None:
    """More points than pairs that are worth a boundary, all in the box of one facet, which cannot be halved."""
    mesh = numbered(np.array([[[0.0, 0, 0], [1, 0, 1], [0, 1, 1]]]))
    points = np.random.default_rng(0).random((winding_tree._FEW + 1, 3))
    assert WindingTree.of(mesh).winding_numbers(points) == pytest.approx(
        winding_numbers(points, mesh.corners), abs=1e-15
    )


def test_facets_far_away_are_not_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 49,152 facets 64 points near a corner ask for a tenth at most; outside of all no facet of a closed surface is asked for."""
    pairs = 0

    def counted(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
        nonlocal pairs
        pairs += len(points) * len(corners)
        return winding_numbers(points, corners)

    tree = WindingTree.of(numbered(box(6)))
    monkeypatch.setattr(winding_tree, "winding_numbers", counted)
    points = 1 - 0.1 * np.random.default_rng(0).random((64, 3))
    assert tree.winding_numbers(points) == pytest.approx(np.ones(64), abs=1e-12)
    assert 0 < pairs < 64 * len(tree.order) / 10
    pairs = 0
    assert tree.winding_numbers(points + 1) == pytest.approx(np.zeros(64), abs=1e-12)
    assert pairs == 0

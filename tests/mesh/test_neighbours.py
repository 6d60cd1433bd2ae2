"""Pairs of points within a distance are those that comparing all of them finds."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each

from massprops.mesh.repair import neighbours
from massprops.mesh.repair.neighbours import pairs_within


@each("scale", [1.0, 1e-200, 1e150])
@each("offset", [0.0, 1e3])
def test_pairs_are_those_of_all_comparisons(scale: float, offset: float) -> None:
    rng = np.random.default_rng(0)
    points = scale * (rng.normal(size=(200, 3)) + offset)
    centers = np.concatenate([points[:50], scale * (rng.normal(size=(150, 3)) + offset)])
    radii = scale * 10 ** rng.uniform(-4, 0.5, len(centers))
    found = [pair for i, j in pairs_within(points, centers, radii) for pair in zip(i.tolist(), j.tolist(), strict=True)]
    distance = np.linalg.norm((points - centers[:, None]) / scale, axis=2)
    assert len(set(found)) == len(found)
    assert set(found) == set(zip(*(n.tolist() for n in np.nonzero(distance <= radii[:, None] / scale)), strict=True))


def test_batches_do_not_lose_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(0).random((100, 3))
    monkeypatch.setattr(neighbours, "_BATCH", 7)
    assert sum(len(i) for i, _ in pairs_within(points, points, np.full(100, 2.0))) == 100 * 100


def test_distances_that_are_too_large_give_no_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(0).random((100, 3))
    monkeypatch.setattr(neighbours, "MOST_PAIRS", 9_999)
    assert not list(pairs_within(points, points, np.full(100, 2.0)))

"""The solid of a surface with large holes, where its winding number tells inside from outside."""

from __future__ import annotations

import functools

import damage
import numpy as np
import pytest
from cases import each

from massprops import InvalidGeometry, measure
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.ladder import close
from massprops.mesh.repair.winding_estimate import solid_by_winding
from massprops.mesh.source import Triangles, slices


def without_cap(share: float) -> tuple[np.ndarray, np.ndarray]:
    """A bumpy sphere, whole and without some of its facets on one side."""
    whole = damage.placed(damage.blob(3), np.random.default_rng(2))
    height = whole.mean(axis=1) @ np.array([0.6, 0.0, 0.8])
    return whole, whole[height < np.quantile(height, 1 - share)]


def test_a_closed_surface_has_the_integrals_of_its_triangles() -> None:
    whole, _ = without_cap(0.1)
    mesh = IndexedMesh.of(from_soup(whole))
    found, off = solid_by_winding(Triangles("x", len(whole), functools.partial(slices, mesh.corners)), mesh, 0)
    assert found.measure == pytest.approx(damage.moments(whole)[0], rel=1e-12)
    # seven of ten thousand points, in a box of any direction around the box of the body
    assert 0 < off.volume < 7e-4 * 3**1.5 * np.prod(np.ptp(whole, axis=(0, 1)))


@each("share", [0.05, 0.12, 0.25])
def test_what_is_missing_of_a_round_body_is_within_the_bound(share: float) -> None:
    whole, broken = without_cap(share)
    closed = close(IndexedMesh.of(from_soup(broken)))
    mesh, fills = closed.filled.mesh, len(closed.filled.mesh.faces) - len(closed.mesh.faces)
    found, off = solid_by_winding(Triangles("x", len(mesh.faces), functools.partial(slices, mesh.corners)), mesh, fills)
    volume, center, second = damage.moments(whole)
    assert abs(found.measure - volume) <= off.volume
    assert (np.abs(found.centroid - center) <= off.center).all()
    assert (np.abs(found.central_second() - second) <= off.second).all()


def test_a_quarter_of_a_surface_in_small_holes_is_answered() -> None:
    whole = damage.placed(damage.blob(3), np.random.default_rng(2))
    broken = whole[np.random.default_rng(3).random(len(whole)) > 0.25]
    found = measure(broken, repair="full", units="m")
    assert abs(found.volume - damage.moments(whole)[0]) <= found.uncertainty.volume < 0.1 * found.volume


def test_more_than_a_tenth_is_missing_and_the_answer_says_how_well_it_is_known() -> None:
    whole, broken = without_cap(0.1)
    with pytest.raises(InvalidGeometry, match="of the surface is missing"):
        measure(broken, repair="full", units="m")
    found = measure(broken, repair="full", max_uncertainty=0.5, units="m")
    assert (found.grade, found.repairs[-1].step) == ("estimated", "fill")
    assert "the winding number at 10,092 points" in found.findings[0].message
    assert abs(found.volume - damage.moments(whole)[0]) <= found.uncertainty.volume

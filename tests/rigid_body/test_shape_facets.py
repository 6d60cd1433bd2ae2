"""Triangles of shapes: closed, on the right side of the true surface, and as near to it as their number allows."""

from __future__ import annotations

import numpy as np
import pytest

from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import Triangles
from massprops.mesh.surface import Surface
from massprops.rigid_body.shape_facets import facets_of_shape
from massprops.rigid_body.shapes import SHAPES

SOLIDS = {
    "box": {"x": 1.0, "y": 2.0, "z": 3.0},
    "sphere": {"radius": 2.0},
    "ellipsoid": {"rx": 1.0, "ry": 2.0, "rz": 3.0},
    "homoeoid": {"rx": 1.0, "ry": 2.0, "rz": 3.0, "inner_rx": 0.5},
    "cylinder": {"radius": 1.0, "length": 3.0},
    "tube": {"outer_radius": 2.0, "inner_radius": 1.0, "length": 3.0},
    "cone": {"radius": 1.0, "height": 3.0},
    "frustum": {"radius": 1.0, "top_radius": 2.0, "height": 3.0},
    "capsule": {"radius": 1.0, "length": 3.0},
    "torus": {"radius": 3.0, "tube_radius": 1.0},
    "triangular-prism": {"base": 1.0, "height": 2.0, "length": 3.0, "apex": 0.25},
}
#: How far a point is outside of each round shape: positive outside.
OUTSIDE = {
    "sphere": lambda r, z: np.hypot(r, z) - 2,
    "cylinder": lambda r, z: np.maximum(r - 1, abs(z) - 1.5),
    "tube": lambda r, z: np.maximum(abs(r - 1.5) - 0.5, abs(z) - 1.5),
    "cone": lambda r, z: np.maximum(r - (3 - z) / 3, -z),
    "frustum": lambda r, z: np.maximum(r - (1.5 + z / 3), abs(z) - 1.5),
    "capsule": lambda r, z: np.hypot(r, np.maximum(abs(z) - 1.5, 0)) - 1,
    "torus": lambda r, z: np.hypot(r - 3, z) - 1,
}


def facets(name: str, side: str) -> np.ndarray:
    found = facets_of_shape(name, SOLIDS[name], side)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_every_solid_has_triangles_and_nothing_else_has() -> None:
    assert set(SOLIDS) == {name for name, shape in SHAPES.items() if shape.dimension == 3}
    assert facets_of_shape("disc", {"radius": 1.0}) is None


@pytest.mark.parametrize("name", SOLIDS)
def test_the_true_volume_lies_between_that_of_both_closed_surfaces(name: str) -> None:
    true = SHAPES[name].function(**SOLIDS[name], density=1.0)
    inside, around = (Surface.of(facets(name, side), np.zeros(3)).solid for side in ("inside", "around"))
    for side in ("inside", "around"):
        corners = facets(name, side)
        mesh = Triangles(name, len(corners), lambda corners=corners: [corners])  # type: ignore[misc]
        assert not len(IndexedMesh.of(mesh).open_edges()), side
    flat = name in ("box", "triangular-prism")
    assert inside.measure <= true.mass * (1 + 1e-14)
    assert around.measure >= true.mass * (1 - 1e-14)
    assert around.measure - inside.measure <= (1e-14 if flat else 0.02) * true.mass
    np.testing.assert_allclose(inside.centroid, true.com, atol=1e-2)


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_point_is_on_the_wrong_side(name: str) -> None:
    weights = np.random.default_rng(1).dirichlet([0.5] * 3, 40)
    for side, sign in (("inside", 1), ("around", -1)):
        x, y, z = np.einsum("wk,nkx->xnw", weights, facets(name, side))
        assert (sign * OUTSIDE[name](np.hypot(x, y), z)).max() <= 1e-12, side

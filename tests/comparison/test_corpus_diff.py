"""Real meshes, moved and mirrored: diff finds the motion again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles import write_binary_stl
from places import CORPUS
from test_diff import TURN

from massprops.comparison import read_bodies, recognise
from massprops.errors import MasspropsError
from massprops.formats.registry import open_mesh
from massprops.measurement.options import Options

pytestmark = pytest.mark.skipif(
    not (CORPUS / "meshes").is_dir(), reason=f"no corpus of real meshes at {CORPUS}; MASSPROPS_CORPUS names its folder"
)

#: What a repair adds is not the same facets again where the file is moved: there the second moments are all that can be compared.
UNREPAIRED = Options(repair="none")
#: Larger ones say nothing more, and take longer.
MOST = 1_000_000
FILES = sorted(
    p for s in ("stl", "STL", "obj", "ply") for p in CORPUS.glob(f"meshes/**/*.{s}") if p.stat().st_size < MOST
)


@pytest.mark.parametrize("path", FILES, ids=[p.name for p in FILES])
def test_a_real_part_is_recognised_when_moved_and_when_mirrored(path: Path, tmp_path: Path) -> None:
    try:
        before = read_bodies(str(path), UNREPAIRED)[0]
    except MasspropsError as error:
        pytest.skip(f"it is refused, which other tests are about: {error.code}")
    with open_mesh(path) as mesh:
        triangles = np.concatenate([c.astype(np.float64) for c in mesh.chunks()])
    size = float(np.ptp(triangles, axis=(0, 1)).max())
    for hand in (1, -1):
        linear = TURN @ np.diag([1, hand, 1])
        image = triangles @ linear.T + np.array([0.3, -0.2, 0.5]) * size
        after = read_bodies(str(write_binary_stl(tmp_path / "image.stl", image[:, ::hand])), UNREPAIRED)[0]
        found = recognise(before, after)
        assert found.evidence == "facets"
        if path.name != "tet.ply":  # regular: its mirror image is a motion of it
            assert found.kind == ("moved" if hand > 0 else "mirrored")
            reflection = np.diag([-1.0 if a == found.mirror else 1.0 for a in "xyz"])
            # single precision of coordinates below twice the size, over the size: a least-squares fit is no worse
            np.testing.assert_allclose(found.pose.rotation @ reflection, linear, rtol=0, atol=2e-6)

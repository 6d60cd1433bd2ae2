"""Real plane files that the readers refuse, and why that is right; those that are measured stand in ``tests/test_corpus_2d.py``.

The folder is named by the environment variable MASSPROPS_CORPUS, else it is looked for beside the checkout, as ``../shared/corpus``.
"""

from __future__ import annotations

import math

import pytest
from cases import refused
from places import CORPUS

import massprops
from massprops.errors import ReadError

FOLDER = CORPUS / "2d"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"no corpus of plane files at {FOLDER}; MASSPROPS_CORPUS names its folder"
)

_POINT = "a line holds one point of the plane, x and y; comments begin with #"
_DXF = "the file is damaged, or not written by the rules of DXF; export it again"


@pytest.mark.parametrize(
    ("name", "message", "why"),
    [
        (
            "airfoil_dat/naca23021.dat",
            ":2: y '......' is not a number; a number is expected here; is the line damaged, or the file of another format?",
            "whoever leaves such lines out decides where the trailing edge is",
        ),
        (
            "airfoil_dat/nm26-3smoothed.dat",
            f":260: 'http://kipecoul.e-monsite.com/pages/p...' stands among the points; {_POINT}",
            "below it is a list of corrections, some of which look like points",
        ),
        (
            "trimesh_2d/cycloidal.dxf",
            f": no DXF drawing: missing 'AcDbSpline' subclass in SPLINE(#140505207361944); {_DXF}",
            "it says that it is of release 10, which has no splines, and its spline has no degree",
        ),
        (
            "trimesh_2d/spline_1.dxf",
            f": no DXF drawing: missing 'AcDbPolyline' subclass in LWPOLYLINE(#139925500921168); {_DXF}",
            "it says that it is of release 10, which has no such entity, and leaves out what later releases demand of one",
        ),
    ],
)
def test_files_are_refused_for_their_reason(name: str, message: str, why: str) -> None:
    assert refused(ReadError, massprops.measure, FOLDER / name) == f"{FOLDER / name}{message}", why


def test_three_lines_and_an_arc_are_a_rectangle_and_a_half_circle() -> None:
    # trimesh's chords are 2e-4 short of this
    assert massprops.measure(FOLDER / "trimesh_2d/single_arc.dxf").area == pytest.approx(8 + math.pi / 2, rel=1e-15)


def test_the_page_of_a_drawing_is_as_large_as_it_says() -> None:
    # 210 × 297 mm, and the polygon lies on it: another unit, or y the other way up, would show
    result = massprops.measure(FOLDER / "trimesh_2d/polygon.svg")
    assert result.input.unit == "mm"
    (left, bottom), (right, top) = result.bounds[:, :2]
    assert 0 <= left < right <= 0.21
    assert 0 <= bottom < top <= 0.297
    assert min(right - left, top - bottom) > 0.1

"""Real plane files, where they are at hand: measured and compared with what others measured, or refused for a reason.

The folder is named by the environment variable MASSPROPS_CORPUS, else it is looked for beside the checkout, as ``../shared/corpus``.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops
from massprops.errors import MasspropsError

CORPUS = Path(os.environ.get("MASSPROPS_CORPUS") or Path(__file__).resolve().parents[4] / "shared" / "corpus")
FOLDER = CORPUS / "2d"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"no corpus of plane files at {CORPUS}; MASSPROPS_CORPUS names its folder"
)

#: Polygons: both sums are of the same corners, some hundred of them, in doubles; the facts integrate about the file's origin.
SAME_POLYGON = 1e-12
#: Curves: trimesh measured chords of them, whose sagitta is up to this share of an area.
CHORDS = 5e-4


@dataclass(frozen=True)
class Expected:
    """What should become of a file: `measured` within a relative tolerance of the facts, or the code of the refusal; and why."""

    outcome: str
    why: str
    tolerance: float = SAME_POLYGON


_DEGREES = (
    "coordinates are longitudes and latitudes: RFC 7946 knows no others, and an area in square degrees means nothing"
)
_TEXT = "text among the points: whoever leaves it out decides what the outline is"
_R10 = "says that it is of release 10, which has no such entity, and leaves out what later releases demand of it"

EXPECTED = {
    "airfoil_dat/ag04.dat": Expected("measured", "blunt: closed by its format"),
    "airfoil_dat/clarky.dat": Expected("measured", "blunt"),
    "airfoil_dat/e387.dat": Expected("measured", "sharp"),
    "airfoil_dat/naca0012.dat": Expected("measured", "blunt"),
    "airfoil_dat/naca23021.dat": Expected("bad-number", f"{_TEXT}: '......' on line 2"),
    "airfoil_dat/nm26-3smoothed.dat": Expected("stray-text", f"{_TEXT}: a list of corrections from line 260 on"),
    "airfoil_dat/phonix10.dat": Expected("measured", "its footer has no number in it"),
    "airfoil_dat/sd7037.dat": Expected("measured", "sharp"),
    "sectionproperties/complex_shape.wkt": Expected("measured", "a polygon with a hole"),
    "sectionproperties/section_holes.dxf": Expected("measured", "polylines without bulges"),
    "trimesh_2d/MIL.svg": Expected("open-ring", "a drawing of strokes, twenty of which meet nothing"),
    "trimesh_2d/apu-mount.DXF": Expected("measured", "lines and arcs in two parts with holes", CHORDS),
    "trimesh_2d/broken_loop.dxf": Expected("open-ring", "its corners are a tenth apart"),
    "trimesh_2d/broken_pair.dxf": Expected("open-ring", "two corners are apart"),
    "trimesh_2d/cycloidal.dxf": Expected("bad-dxf", f"a SPLINE without its degree; {_R10}"),
    "trimesh_2d/insert.dxf": Expected("measured", "one rectangle, in two blocks"),
    "trimesh_2d/loose.dxf": Expected("open-ring", "a line leads from the circle into nothing"),
    "trimesh_2d/polygon.svg": Expected("measured", "an outline without a fill, in millimetres"),
    "trimesh_2d/single_arc.dxf": Expected("measured", "three lines and an arc", CHORDS),
    "trimesh_2d/spline_1.dxf": Expected("bad-dxf", f"an LWPOLYLINE; {_R10}"),
    "trimesh_2d/types.dxf": Expected("open-ring", "every kind of entity, side by side"),
    "trimesh_2d/wrench.dxf": Expected("measured", "lines and arcs, one hole", CHORDS),
    "turf_geojson/area_in__polygon.geojson": Expected("degrees", _DEGREES),
    "turf_geojson/in__imbalanced-polygon.geojson": Expected("degrees", _DEGREES),
    "turf_geojson/in__polygon.geojson": Expected("degrees", _DEGREES),
    "turf_geojson/out__imbalanced-polygon.geojson": Expected("degrees", _DEGREES),
    "turf_geojson/out__polygon.geojson": Expected("degrees", _DEGREES),
}
MEASURED = [name for name, expected in EXPECTED.items() if expected.outcome == "measured"]


def facts() -> dict[str, dict[str, Any]]:
    """What numpy and shapely (polygons) or trimesh (drawings) measured, by file, in units of the file."""
    path = FOLDER / "facts_2d.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def measured(name: str) -> massprops.Measurement:
    """In the unit of the file: one of them in millimetres and one in inches would look the same."""
    if name.lower().endswith("dxf"):
        pytest.importorskip("ezdxf", reason="DXF drawings are read through ezdxf")
    return massprops.measure(FOLDER / name, units="m")


def test_every_file_has_an_expectation() -> None:
    there = {str(p.relative_to(FOLDER)) for p in FOLDER.rglob("*") if p.is_file() and p.name != "facts_2d.json"}
    assert there == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_every_file_is_measured_or_refused_for_its_reason(name: str) -> None:
    expected = EXPECTED[name]
    if name.lower().endswith("dxf"):
        pytest.importorskip("ezdxf", reason="DXF drawings are read through ezdxf")
    if expected.outcome == "measured":
        assert massprops.measure(FOLDER / name).area > 0
        return
    with pytest.raises(MasspropsError) as caught:
        massprops.measure(FOLDER / name)
    assert caught.value.code == expected.outcome, expected.why


@pytest.mark.parametrize("name", [name for name in MEASURED if "area" in facts().get(Path(name).name, {})])
def test_areas_are_those_that_others_measured(name: str) -> None:
    fact = facts()[Path(name).name]
    result = measured(name)
    assert result.area == pytest.approx(np.sum(fact["area"]), rel=EXPECTED[name].tolerance)
    if "cx" in fact:
        np.testing.assert_allclose(
            result.center_of_mass[:2], [fact["cx"], fact["cy"]], rtol=0, atol=1e-12
        )  # chords of 1, plates of 7
        section = result.to_dict()["section"]["about_centroid"]
        found = [section["Ixx"], section["Iyy"], section["Ixy"]]
        # the facts shift from the origin: digits are lost where the moment about it is larger
        lost = 1e-13 * fact["area"] * (fact["cx"] ** 2 + fact["cy"] ** 2 + 1)
        np.testing.assert_allclose(found, [fact["Ix_c"], fact["Iy_c"], fact["Ixy_c"]], rtol=SAME_POLYGON, atol=lost)


def test_enough_files_are_compared() -> None:
    assert len([name for name in MEASURED if "area" in facts().get(Path(name).name, {})]) >= 12


def test_three_lines_and_an_arc_are_a_rectangle_and_a_half_circle() -> None:
    # trimesh's chords are 2e-4 short of this
    assert measured("trimesh_2d/single_arc.dxf").area == pytest.approx(8 + math.pi / 2, rel=1e-15)


def test_a_mistake_in_the_unit_would_show() -> None:
    # the page of this drawing is 210 mm wide, and its polygon fits on it
    result = massprops.measure(FOLDER / "trimesh_2d/polygon.svg")
    assert result.input.unit == "mm"
    low, high = result.bounds[:, :2]
    assert (low >= [0, -0.297]).all()
    assert (high <= [0.21, 0]).all()
    assert (high - low > 0.1).all()

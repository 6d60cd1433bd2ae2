"""Published sections and real plane files, where they are at hand: measured, and compared with what others state.

The folder is looked for as in `test_corpus`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ezdxf
import numpy as np
import pytest
from cases import each
from places import CORPUS

import massprops
from massprops.errors import MasspropsError

pytestmark = pytest.mark.skipif(
    not (CORPUS / "2d").is_dir(), reason=f"no corpus of plane files at {CORPUS}; MASSPROPS_CORPUS names its folder"
)


def truth(name: str, key: str) -> list[dict[str, Any]]:
    path = CORPUS / "truth" / name
    return json.loads(path.read_text(encoding="utf-8"))[key] if path.is_file() else []


#: Half a unit of the sixth digit, of which the tables print six, relative to the smallest first digit.
SIX_DIGITS = 5e-6
#: Sums of some hundred terms about the origin of the file, by the other program.
TOLERANCE = 1e-12


def rounding(value: float) -> float:
    """Half a unit of the third digit, relative."""
    return 0.5 * 10 ** (math.floor(math.log10(value)) - 2) / value


# --- published sections ------------------------------------------------------------------------------------------------


def i_section(s: dict[str, Any]) -> list[tuple[float, float, float]]:
    """x, y and bulge: an I with flanges b × tf, a web tw, and root fillets of radius r, a quarter turn clockwise each."""
    h, b, tw, tf, r = (s[k] for k in ("h", "b", "tw", "tf", "r"))
    quarter = -math.tan(math.pi / 8)
    x, y = tw / 2, h / 2 - tf
    right = [(b / 2, -h / 2, 0), (b / 2, -y, 0), (x + r, -y, quarter), (x, -y + r, 0)]
    right += [(x, y - r, quarter), (x + r, y, 0), (b / 2, y, 0), (b / 2, h / 2, 0)]
    # the other half is this one turned by half a turn
    return right + [(-px, -py, bulge) for px, py, bulge in right]


def polyline(points: list[tuple[float, float, float]]) -> Callable[[Any], None]:
    return lambda space: space.add_lwpolyline(points, format="xyb", close=True)


def dxf(path: Path, *draw: Callable[[Any], None]) -> Path:
    document = ezdxf.new("R2000", units=4)
    for add in draw:
        add(document.modelspace())
    document.saveas(path)
    return path


@pytest.mark.parametrize("s", truth("en_I_sections.json", "sections"), ids=lambda s: s["name"])
def test_european_sections_with_fillets_agree_with_their_tables(s: dict[str, Any], tmp_path: Path) -> None:
    # polygons in place of the fillets would be off by some 1e-4; half a turn too much by per cents
    m = massprops.measure(dxf(tmp_path / "section.dxf", polyline(i_section(s)))).section
    published = s["published"]
    i = m.about_centroid
    assert m.area * 1e6 == pytest.approx(published["A_mm2"], rel=SIX_DIGITS)
    assert i.Ixx * 1e12 == pytest.approx(published["Iy_mm4"], rel=SIX_DIGITS)  # y is the strong axis in these tables
    assert i.Iyy * 1e12 == pytest.approx(published["Iz_mm4"], rel=SIX_DIGITS)
    assert abs(i.Ixy) < 1e-14 * i.Ixx


@pytest.mark.parametrize("s", truth("aisc_round_hss_pipe.json", "sections"), ids=lambda s: s["name"])
def test_round_hollow_sections_agree_with_their_tables(s: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "tube.svg"
    outer, inner = s["OD"] / 2, s["OD"] / 2 - s["tdes"]
    circles = f'<circle cx="7" cy="3" r="{outer}"/><circle cx="7" cy="3" r="{inner}"/>'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg">{circles}</svg>')
    m = massprops.measure(path, units="in").section.scaled(1 / 0.0254)
    # diameter, wall and results are all printed with three digits: A ~ OD t, I ~ OD³ t; the wall, 93 % of a rounded one, twice
    od, t = rounding(s["OD"]), 2 * rounding(s["tdes"])
    assert m.area == pytest.approx(s["area"], rel=rounding(s["area"]) + 1.2 * od + t)
    assert m.about_centroid.Ixx == pytest.approx(s["Ix"], rel=rounding(s["Ix"]) + 3.5 * od + t)
    # and of the circles themselves, to the last digits
    assert m.area == pytest.approx(math.pi * (outer**2 - inner**2), rel=1e-12)


SECTIONS = [s for s in truth("sectionproperties_2d.json", "sections") if "points" in s]


@pytest.mark.parametrize("s", SECTIONS, ids=lambda s: s["name"])
def test_sections_agree_with_sectionproperties(s: dict[str, Any]) -> None:
    m = massprops.measure(s["points"]).section
    c, o, w = m.about_centroid, m.about([0, 0]), m.moduli
    mine = {
        "area": m.area, "perimeter": m.perimeter, "cx": m.centroid[0], "cy": m.centroid[1],
        "qx": m.area * m.centroid[1], "qy": m.area * m.centroid[0],
        "ixx_g": o.Ixx, "iyy_g": o.Iyy, "ixy_g": o.Ixy, "ixx_c": c.Ixx, "iyy_c": c.Iyy, "ixy_c": c.Ixy,
        "zxx_plus": w["x_plus"], "zxx_minus": w["x_minus"], "zyy_plus": w["y_plus"], "zyy_minus": w["y_minus"],
        "rx_c": m.radii_of_gyration[0], "ry_c": m.radii_of_gyration[1],
        "i11_c": m.principal_moments[1], "i22_c": m.principal_moments[0],
        # their axis 1 is axis 2 here, turned by half a turn
        "z11_plus": w["2_plus"], "z11_minus": w["2_minus"], "z22_plus": w["1_minus"], "z22_minus": w["1_plus"],
    }  # fmt: skip
    shared = mine.keys() & s["expected"].keys()
    assert len(shared) >= 10
    for key in shared:
        # seven digits are printed
        assert mine[key] == pytest.approx(s["expected"][key], rel=1e-6, abs=1e-6 * m.area**2), key
    if "phi" in s["expected"]:  # theirs is that of the strong axis, in degrees
        turn = math.radians(s["expected"]["phi"]) - m.principal_angle - math.pi / 2
        assert math.sin(turn) == pytest.approx(0, abs=1e-6)


#: They have no area, or less than the last bits of their coordinates can tell: JTS gives them the centroid of their outline.
DEGENERATE = ("A - empty", "A - invalid", "A - degenerate", "A - almost degenerate")


@pytest.mark.parametrize("case", truth("jts_wkt_centroids.json", "cases"), ids=lambda c: c["desc"])
def test_centroids_agree_with_jts(case: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "x.wkt"
    path.write_text(case["wkt"])
    if case["desc"].startswith(DEGENERATE):
        with pytest.raises(MasspropsError) as caught:
            massprops.measure(path, units="m")
        assert caught.value.exit_code in (3, 4)
        return
    m = massprops.measure(path, units="m")
    wanted = [float(x) for x in case["centroid"].removeprefix("POINT (").rstrip(")").split()]
    np.testing.assert_allclose(m.section.centroid, wanted, rtol=TOLERANCE)


# --- real files --------------------------------------------------------------------------------------------------------

#: What becomes of every file: the areas that others found, in its units, or the code of the refusal and why it is right.
EXPECTED: dict[str, tuple[str, str]] = {
    "airfoil_dat/ag04.dat": ("measured", "Selig; open trailing edge"),
    "airfoil_dat/clarky.dat": ("measured", "Selig; open trailing edge"),
    "airfoil_dat/e387.dat": ("measured", "Selig; closed"),
    "airfoil_dat/naca0012.dat": ("measured", "open trailing edge"),
    "airfoil_dat/phonix10.dat": ("measured", "text below the points"),
    "airfoil_dat/sd7037.dat": ("measured", "closed"),
    "sectionproperties/complex_shape.wkt": ("measured", "a hole"),
    "sectionproperties/section_holes.dxf": ("measured", "two holes"),
    "trimesh_2d/apu-mount.DXF": ("measured", "loose pieces"),
    "trimesh_2d/insert.dxf": ("measured", "a block, twice"),
    "trimesh_2d/wrench.dxf": ("measured", "loose pieces"),
    "trimesh_2d/polygon.svg": ("measured", "outlines only"),
    "trimesh_2d/single_arc.dxf": ("measured", "three lines and an arc, which trimesh flattens"),
    "trimesh_2d/types.dxf": ("open-ring", "loose lines beside the outline"),
    "trimesh_2d/broken_loop.dxf": ("open-ring", "a gap of 0.1"),
    "trimesh_2d/broken_pair.dxf": ("open-ring", "two chains that end apart"),
    "trimesh_2d/loose.dxf": ("open-ring", "a line that hangs on the outline"),
    "trimesh_2d/MIL.svg": ("open-ring", "lines of a plan, not outlines"),
    "turf_geojson/out__polygon.geojson": ("degrees", "longitude and latitude are no lengths"),
    "turf_geojson/area_in__polygon.geojson": ("degrees", "the same"),
    "turf_geojson/in__polygon.geojson": ("degrees", "the same"),
    "turf_geojson/in__imbalanced-polygon.geojson": ("degrees", "the same"),
    "turf_geojson/out__imbalanced-polygon.geojson": ("degrees", "the same"),
}
#: Read by rules that are tested with their readers.
ELSEWHERE = {
    "airfoil_dat/naca23021.dat",
    "airfoil_dat/nm26-3smoothed.dat",
    "trimesh_2d/cycloidal.dxf",
    "trimesh_2d/spline_1.dxf",
}
#: trimesh flattens the arc.
FLATTENED = {"single_arc.dxf": 1e-3, "apu-mount.DXF": 1e-3, "wrench.dxf": 1e-3, "section_holes.dxf": 1e-9}


def test_every_file_has_an_expectation() -> None:
    folder = CORPUS / "2d"
    there = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file() and p.suffix != ".json"}
    assert there == EXPECTED.keys() | ELSEWHERE


@each("name", EXPECTED)
def test_every_file_is_measured_or_refused_for_its_reason(name: str) -> None:
    outcome, why = EXPECTED[name]
    path = CORPUS / "2d" / name
    if outcome != "measured":
        with pytest.raises(MasspropsError) as caught:
            massprops.measure(path)
        assert caught.value.code == outcome, why
        assert "\n" not in str(caught.value)
        return
    m = massprops.measure(path)
    facts = json.loads((CORPUS / "2d" / "facts_2d.json").read_text(encoding="utf-8")).get(path.name, {})
    if "area" not in facts:
        return
    scale = {"inches": 0.0254, "millimeters": 1e-3}.get(facts.get("units", ""), 1.0)
    if m.input.unit == "m":
        scale = 1.0
    areas = facts["area"] if isinstance(facts["area"], list) else [facts["area"]]
    assert m.area / scale**2 == pytest.approx(sum(areas), rel=FLATTENED.get(path.name, TOLERANCE))
    if "Ix_c" in facts:
        i = m.section.about_centroid
        mine = np.array([i.Ixx, i.Iyy, i.Ixy])
        theirs = np.array([facts["Ix_c"], facts["Iy_c"], facts["Ixy_c"]])
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=TOLERANCE * facts["Iy_c"] * 10)
        np.testing.assert_allclose(m.section.centroid, [facts["cx"], facts["cy"]], rtol=0, atol=TOLERANCE)

"""Sections as SVG: outlines are the curves of the file, marks are where the numbers say, and names are text and nothing else."""

from __future__ import annotations

import io
import itertools
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, needs_browser
from hypothesis import given
from PIL import Image
from test_injection import foreign

from massprops import measure
from massprops.findings import Finding
from massprops.measurement.options import Options
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.section import read_parts
from massprops.section.curves import Polyline
from massprops.section.outline import Outline
from massprops.writers.picture import section_raster
from massprops.writers.picture.plotting import picture_of
from massprops.writers.picture.scene import DARK, LIGHT, Look
from massprops.writers.picture.section import core, section_svg

SVG = "{http://www.w3.org/2000/svg}"
ARC = '<svg xmlns="http://www.w3.org/2000/svg" width="100mm" height="100mm" viewBox="0 0 100 100"><path fill-rule="evenodd" d="{}"/></svg>'


def drawing(path: Path, **look: object) -> ET.Element:
    return ET.fromstring(picture_of(str(path), Options(), Look(**look)).data)  # type: ignore[arg-type]  # noqa: S314


def svg(tmp_path: Path, data: str) -> Path:
    (tmp_path / "s.svg").write_text(ARC.format(data), encoding="ascii")
    return tmp_path / "s.svg"


def outline(root: ET.Element) -> str:
    return next(p.get("d", "") for p in root.iter(SVG + "path") if p.get("fill-rule") == "evenodd")


def marks(root: ET.Element, kind: str) -> list[list[float]]:
    found = (c for c in root.iter(SVG + "circle") if c.get("class") == kind)
    return [[float(c.get("cx", "")), float(c.get("cy", ""))] for c in found]


def texts(root: ET.Element) -> list[str]:
    return [t.text or "" for t in root.iter(SVG + "text")]


def numbers(text: str) -> np.ndarray:
    return np.array([float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)])


def core_of(ring: np.ndarray) -> np.ndarray:
    section = measure(ring).section
    assert section is not None
    return core(ring, section)


def test_the_core_of_a_rectangle_is_its_middle_third_as_a_rhombus() -> None:
    # Timoshenko, Strength of Materials: half diagonals b/6 and h/6
    found = core_of(np.array([[1, 2], [7, 2], [7, 14], [1, 14.0]]))
    assert sorted(map(tuple, np.round(found, 12).tolist())) == [(-1, 0), (0, -2), (0, 2), (1, 0)]


def test_the_core_of_a_disc_has_a_quarter_of_its_radius() -> None:
    angle = np.arange(720) * (math.tau / 720)
    ring = 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    # a polygon of n sides differs from the circle by (π/n)² or so
    assert np.hypot(*core_of(ring).T) == pytest.approx(np.full(720, 0.5), rel=2 * (math.pi / 720) ** 2)


def test_the_core_is_that_of_the_hull() -> None:
    # a notch in a side changes the moments, and no side of the hull
    assert len(core_of(np.array([[0, 0], [3, 0], [3, 3], [1.5, 1.0], [0, 3]]))) == 4


@pytest.mark.parametrize(
    ("data", "words", "curves"),
    [
        ("M 10 10 H 90 V 90 H 10 Z", "L", 0),
        ("M 50 10 A 40 40 0 0 1 50 90 A 40 40 0 0 1 50 10 Z", "A", 4),  # in at most half turns
        ("M 10 10 Q 90 10 90 90 Z", "Q", 1),
        ("M 10 10 C 90 10 90 50 50 90 Z", "C", 1),
    ],
)
def test_curves_stay_curves(data: str, words: str, curves: int, tmp_path: Path) -> None:
    path = outline(drawing(svg(tmp_path, data)))
    assert len(re.findall(words, path)) == curves or words == "L"
    assert set(re.findall("[A-Z]", path)) <= {"M", "L", "Z", words}


def test_what_is_drawn_has_the_shape_and_the_centroid_of_the_file(tmp_path: Path) -> None:
    # an L from its corners; y of the file, which is SVG too, points downward as that of the picture does
    corners = np.array([[10, 10], [40, 10], [40, 70], [90, 70], [90, 90], [10, 90.0]])
    data = "M " + " L ".join(f"{x} {y}" for x, y in corners) + " Z"
    root = drawing(svg(tmp_path, data))
    drawn = numbers(outline(root)).reshape(-1, 2)
    scale = np.ptp(drawn, axis=0) / [80, 80]
    assert scale[0] == pytest.approx(scale[1], rel=1e-4)
    sides = np.hypot(*np.diff(drawn, axis=0).T)
    assert sides.sum() + math.hypot(*(drawn[-1] - drawn[0])) == pytest.approx(scale[0] * 320, rel=1e-4)
    (at,) = marks(root, "centroid")
    # the rectangles of the L: 30 × 80 and 50 × 20
    centroid = (2400 * np.array([25, 50]) + 1000 * np.array([65, 80])) / 3400
    assert at == pytest.approx((drawn.min(axis=0) + scale * (centroid - 10)).tolist(), abs=0.02)


def test_dimensions_and_ticks_are_in_the_units_asked_for(tmp_path: Path) -> None:
    root = drawing(svg(tmp_path, "M 10 10 H 60 V 35 H 10 Z"), units="cm")
    assert {"5 cm", "2.5 cm", "x [cm]", "y [cm]"} <= set(texts(root))
    # of a rectangle: b h³/12 about its long axis, h b³/12 about the other
    for start in ("area 12.5 cm²", f"I1 = {5 * 2.5**3 / 12:.6g} cm⁴", f"I2 = {2.5 * 5**3 / 12:.6g} cm⁴"):
        assert any(t.startswith(start) for t in texts(root))
    below = [t for t in root.iter(SVG + "text") if t.get("text-anchor") == "middle" and t.get("paint-order") is None]
    ticks = {t.text: float(t.get("x", "")) for t in below}
    along = numbers(outline(root)).reshape(-1, 2)[:, 0]
    assert ticks["6"] - ticks["1"] == pytest.approx(np.ptp(along), abs=0.02)
    assert ticks["1"] == pytest.approx(along.min(), abs=0.02)


#: Of each picture of a page: the boxes of its texts, from its own corner.
BOXES = """[...document.querySelectorAll('svg')].map(svg => {
  const at = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].map(t => {
    const box = t.getBoundingClientRect();
    return [box.left - at.left, box.top - at.top, box.right - at.left, box.bottom - at.top];
  });
})"""
#: Width, height and left end of sections.
SIZES = [(50, 40, 0), (0.0123456, 0.0045678, 0), (1.0, 0.125, 0), (7, 200.123, -1234), (3, 2, 123456), (1e6, 4e5, -5e5)]


@needs_browser
def test_no_text_leaves_the_picture_or_covers_another(chromium: Browser, tmp_path: Path) -> None:
    pictures = []
    for (width, height, left), units in [*zip(SIZES, itertools.cycle(("mm", "in"))), (SIZES[1], "in")]:
        # an L whose principal axes are oblique
        corners = np.array([[0, 0], [1, 0], [1, 0.3], [0.2, 0.3], [0.2, 1], [0, 1]]) * [width, height] + [left, 0]
        (tmp_path / "l.csv").write_text("\n".join(f"{x!r},{y!r}" for x, y in corners.tolist()), encoding="ascii")
        look = Look(size=(800, 600), units=units)
        pictures.append(picture_of(str(tmp_path / "l.csv"), Options(units="mm"), look).data.decode())
    bodies = (picture[picture.index("<svg") :] for picture in pictures)
    (tmp_path / "all.html").write_text('<!DOCTYPE html><meta charset="utf-8">' + "".join(bodies), encoding="utf-8")
    chromium.open(tmp_path / "all.html")
    found = chromium.js(BOXES)
    assert len(found) == len(pictures)
    for boxes in map(np.array, found):
        assert boxes[:, :2].min() >= 0
        assert (boxes[:, 2:] <= [800, 600]).all()
        assert len(boxes) > 12
        for a, b in itertools.combinations(boxes, 2):
            assert (np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])).min() <= 1


def test_light_and_dark_differ_in_colours_alone(tmp_path: Path) -> None:
    path = svg(tmp_path, "M 10 10 H 90 V 90 H 10 Z")
    light, dark = (picture_of(str(path), Options(), Look(theme=theme)).data.decode() for theme in (LIGHT, DARK))
    assert light != dark
    assert re.sub("#[0-9a-f]{6}", "#", light) == re.sub("#[0-9a-f]{6}", "#", dark)


def test_a_hole_is_in_the_same_path(tmp_path: Path) -> None:
    path = outline(drawing(svg(tmp_path, "M 10 10 H 90 V 90 H 10 Z M 30 30 V 60 H 60 V 30 Z")))
    assert path.count("M") == 2


def test_a_refused_section_is_drawn_with_its_defect_and_without_numbers(tmp_path: Path) -> None:
    """The bow tie (0, 0) (80, 80) (80, 0) (0, 80) crosses itself in the middle of its box."""
    path = svg(tmp_path, "M 10 10 L 90 90 V 10 L 10 90 Z")
    picture = picture_of(str(path), Options(), Look(units="mm"))
    assert picture.refused is not None
    root = ET.fromstring(picture.data)  # noqa: S314
    corners = numbers(outline(root)).reshape(-1, 2)
    (at,) = marks(root, "defect")
    assert at == pytest.approx((corners.min(axis=0) + corners.max(axis=0)) / 2, abs=0.02)
    assert "s.svg: refused: self-crossing" in texts(root)
    assert any(t.startswith("1 self-crossing: ") and " near (50, 50) mm" in t for t in texts(root))
    assert not any(t.startswith(("area", "centroid", "I1")) for t in texts(root))


def test_loose_pieces_are_drawn_open() -> None:
    ring = Outline((Polyline(np.array([[0, 0], [4, 0], [4, 3.0]])),), "line 1", "open")
    finding = Finding("open-ring", "error", "it does not close", where=(4.0, 3.0))
    root = ET.fromstring(section_svg("x", [(ring, 1.0)], None, [finding], OutputUnits(), Look(size=(400, 300))))  # noqa: S314
    drawn = [p.get("d", "") for p in root.iter(SVG + "path") if p.get("stroke-width") == "1.5"]
    assert outline(root) == ""
    points = numbers(drawn[1]).reshape(-1, 2)
    assert "Z" not in drawn[1]
    assert np.ptp(points, axis=0)[0] / np.ptp(points, axis=0)[1] == pytest.approx(4 / 3, rel=1e-4)


@pytest.mark.parametrize("points", [[[0, 0], [1, 1], [2, 2]], [[0, 0], [1e60, 0], [0, 1e60]]])
def test_a_line_and_huge_coordinates_are_drawn(points: list[list[float]], tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(f"{x},{y}" for x, y in points), encoding="ascii")
    picture = picture_of(str(path), Options(), Look())
    assert picture.refused is not None
    assert b"nan" not in picture.data
    assert b"inf" not in picture.data
    ET.fromstring(picture.data)  # noqa: S314


def test_a_tee_has_its_plastic_axes_and_its_shear_centre_where_the_numbers_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # flange 60 × 10 on a web of 20 × 50: both have an area of 10 × 60 mm² or more, and the half of 1600 mm² is 40 mm up the web
    tee = "M 10 80 H 30 V 30 H 50 V 20 H -10 V 30 H 10 Z"
    root = drawing(svg(tmp_path, tee))
    drawn = numbers(outline(root)).reshape(-1, 2)
    scale = np.ptp(drawn, axis=0) / [60, 60]
    level, upright = (
        numbers(p.get("d", "")).reshape(2, 2) for p in root.iter(SVG + "path") if p.get("class") == "plastic"
    )
    assert level[:, 1] == pytest.approx([drawn[:, 1].max() - 40 * scale[1]] * 2, abs=0.02)
    assert upright[:, 0] == pytest.approx([(drawn[:, 0].min() + drawn[:, 0].max()) / 2] * 2, abs=0.02)
    assert any(t.startswith("plastic Wx = ") for t in texts(root))
    assert marks(root, "shear") == []
    pytest.importorskip("sectionproperties")
    monkeypatch.setattr("massprops.section.torsion.AGREEMENT", 0.5)  # two coarse meshes are enough
    measured = measure(svg(tmp_path, tee), torsion=True)
    root = ET.fromstring(picture_of(str(tmp_path / "s.svg"), Options(torsion=True), Look()).data)  # noqa: S314
    (at,), drawn = marks(root, "shear"), numbers(outline(root)).reshape(-1, 2)
    assert measured.section is not None
    assert measured.section.torsion is not None
    bounds = measured.section.bounds
    share = (measured.section.torsion.shear_center - bounds[0]) / np.ptp(bounds, axis=0)
    assert np.subtract(at, [drawn[:, 0].min(), drawn[:, 1].max()]) * [1, -1] == pytest.approx(
        share * np.ptp(drawn, axis=0), abs=0.05
    )


def test_the_pixels_of_a_section_are_those_of_its_shape(tmp_path: Path) -> None:
    # a disc with a square hole off its middle: the coloured area, and the centre of what is not
    data = "M 50 10 A 40 40 0 0 1 50 90 A 40 40 0 0 1 50 10 Z M 55 20 H 65 V 30 H 55 Z"
    path, size = str(svg(tmp_path, data)), (840, 560)
    pixels = {}
    for kind in ("png", "pdf"):
        picture = picture_of(path, Options(), Look(size=size, format=kind))
        assert (picture.suffix, picture.data[:4]) == (kind, b"\x89PNG" if kind == "png" else b"%PDF")
        pixels[kind] = picture.data
    with Image.open(io.BytesIO(pixels["png"])) as image:
        shown = np.asarray(image).astype(float)
    assert shown.shape == (size[1], size[0], 3)
    root = drawing(Path(path), size=size)
    scale = size[0] / float(root.get("viewBox", "").split()[2])
    drawn = numbers(outline(root).split("M")[2])[:8].reshape(-1, 2) * scale
    column, row = drawn.mean(axis=0)
    assert (shown[int(row), int(column)] == LIGHT["background"]).all()
    blue = 0.75 * np.array(LIGHT["surface"]) + 0.25 * np.array(LIGHT["background"])
    covered = (abs(shown - blue).max(axis=2) < 3).sum()
    side = np.ptp(drawn[:, 0])
    expected = math.pi * (4 * side) ** 2 - side**2  # 40 mm and 10 mm
    assert 0.7 * expected < covered < expected  # axes, core and marks are drawn over it
    assert pixels["pdf"] == picture_of(path, Options(), Look(size=size, format="pdf")).data  # no time is in it


def test_points_in_one_pixel_and_lines_that_fill_the_picture_are_not_all_drawn(tmp_path: Path) -> None:
    """400,000 random points took minutes; points of a circle that are nearer than a pixel change nothing."""
    look = Look(size=(320, 240), format="png")
    shown = []
    for count in (2_000, 40_000):
        points = 1000 * np.exp(2j * np.pi * np.arange(count) / count)
        path = tmp_path / "circle.csv"
        path.write_text("".join(f"{p.real!r},{p.imag!r}\n" for p in points.tolist()), encoding="ascii")
        with Image.open(io.BytesIO(picture_of(str(path), Options(), look).data)) as image:
            shown.append(np.asarray(image).astype(int))
    assert (abs(shown[0] - shown[1]).max(axis=2) > 60).mean() < 0.002
    random = np.random.default_rng(1).random((20_000, 2))
    words = " ".join(f"{x},{y}" for x, y in random.tolist())
    kept = np.array(section_raster._points(words, 1000.0, 1e6))
    assert np.abs(np.diff(kept, axis=0)).sum() <= 1e6
    assert np.array_equal(kept, 1000 * random[: len(kept)])


RING = np.array([[0, 0], [2, 0], [2, 1], [0, 1.0]])


@given(foreign)
def test_names_are_text_and_nothing_else(name: str) -> None:
    look = Look(size=(400, 300))
    _, parts = read_parts([RING], Options())
    section = measure(RING).section
    assert section is not None
    outlines = [(o, p.scale) for p in parts for o in p.assembled.outlines]
    text = section_svg(name, outlines, section, (), OutputUnits(), look)
    root = ET.fromstring(text)  # noqa: S314  # our own text
    allowed = {SVG + tag for tag in ("svg", "title", "rect", "path", "text", "circle", "polygon")}
    finding = Finding("open-ring", "error", name, where=(1.0, 1.0))
    ring = Outline((Polyline(RING),), name, "open", name)
    refused = ET.fromstring(section_svg(name, [(ring, 1.0)], None, [finding], OutputUnits(), look))  # noqa: S314
    assert {e.tag for e in (*root.iter(), *refused.iter())} <= allowed
    assert not any(key.startswith("on") or "href" in key for e in root.iter() for key in e.attrib)

"""Walls along centre lines: closed forms of bends and tubes, and for lines the mitred buffer of shapely."""

from __future__ import annotations

import math

import ezdxf
import numpy as np
import pytest
from cases import each
from console import plain_failure, run
from hypothesis import assume, given
from hypothesis import strategies as st

import massprops
from massprops.errors import InvalidGeometry, InvalidInput
from massprops.section.curves import EllipticArc, Polyline
from massprops.section.walls import NoWall, walls


def drawn(path, *entities, unit: int = 4):
    """A drawing of polylines (points x, y, bulge; attributes)."""
    document = ezdxf.new("R2010")
    document.header["$INSUNITS"] = unit
    for points, attributes in entities:
        attributes = dict(attributes)
        closed = attributes.pop("closed", False)
        document.modelspace().add_lwpolyline(points, format="xyb", close=closed, dxfattribs=attributes)
    document.saveas(path)
    return path


def numbers(section) -> list[float]:
    i = section.about_centroid
    return [section.area, *section.centroid.tolist(), i.Ixx, i.Iyy, i.Ixy]


def annular_sector(r: float, t: float, half_angle: float) -> tuple[float, float, float, float]:
    """Area, distance of the centroid, and second moments about it: along the axis of symmetry and across."""
    outer, inner, a = r + t / 2, r - t / 2, half_angle
    area = a * (outer**2 - inner**2)
    x = 2 * math.sin(a) / 3 * (outer**3 - inner**3) / area
    quarter = (outer**4 - inner**4) / 4
    return area, x, quarter * (a + math.sin(2 * a) / 2) - area * x**2, quarter * (a - math.sin(2 * a) / 2)


def test_a_channel_of_constant_width_is_the_difference_of_two_rectangles(tmp_path) -> None:
    file = drawn(tmp_path / "c.dxf", ([(50, 0, 0), (0, 0, 0), (0, 100, 0), (50, 100, 0)], {"const_width": 2.0}))
    section = massprops.measure(file).section
    (big, x1), (small, x2) = ((51 * 102, 24.5), (49 * 98, 25.5))
    area = big - small
    x = (big * x1 - small * x2) / area
    iyy = big * (51**2 / 12 + (x1 - x) ** 2) - small * (49**2 / 12 + (x2 - x) ** 2)
    ixx = (51 * 102**3 - 49 * 98**3) / 12
    unit = 1e-3 ** np.array([2, 1, 1, 4, 4, 4])
    np.testing.assert_allclose(numbers(section), unit * [area, x, 50, ixx, iyy, 0], rtol=1e-13, atol=1e-24)


@each("sweep", [40.0, 180.0, 300.0, -90.0])
def test_a_bend_is_a_sector_of_a_ring(sweep: float, tmp_path) -> None:
    a = math.radians(abs(sweep)) / 2
    start, end = (20 * np.array([math.cos(s * a), math.sin(s * a)]) for s in ((-1, 1) if sweep > 0 else (1, -1)))
    bulge = math.copysign(math.tan(a / 2), sweep)
    file = drawn(tmp_path / "a.dxf", ([(*start, bulge), (*end, 0)], {"const_width": 3.0}), unit=6)
    area, x, iyy, ixx = annular_sector(20, 3, a)
    found = numbers(massprops.measure(file).section)
    np.testing.assert_allclose(found, [area, x, 0, ixx, iyy, 0], rtol=1e-12, atol=1e-12 * ixx)


def test_closed_lines_are_tubes(tmp_path) -> None:
    square, circle = [(0, 0, 0), (60, 0, 0), (60, 60, 0), (0, 60, 0)], [(0, 0, 1), (60, 0, 1)]
    for points, expected in ((square, 64**2 - 56**2), (circle, math.pi * (32**2 - 28**2))):
        file = drawn(tmp_path / "t.dxf", (points, {"closed": True}), unit=6)
        found = massprops.measure(file, kind="wall", thickness=4)
        assert found.section.area == pytest.approx(expected, rel=1e-13)
        assert found.findings[0].code == "walls"
        wide = drawn(tmp_path / "w.dxf", (points, {"closed": True, "const_width": 4.0}), unit=6)
        found = massprops.measure(wide)  # it may be the width of a pen
        assert "wide-polylines" in {f.code for f in found.findings}
        assert found.section.area > 2700


def test_walls_that_meet_count_once(tmp_path) -> None:
    entities = [([(0, y, 0), (100, y, 0)], {}) for y in (0, 200)] + [([(50, 0, 0), (50, 200, 0)], {})]
    found = massprops.measure(drawn(tmp_path / "i.dxf", *entities), kind="wall", thickness="6 mm")
    area = 2 * 100 * 6 + 194 * 6
    ixx = (100 * 206**3 - 94 * 194**3) / 12
    assert found.section.area == pytest.approx(area * 1e-6, rel=1e-12)
    assert found.section.about_centroid.Ixx == pytest.approx(ixx * 1e-12, rel=1e-12)
    assert "rings-united" in {f.code for f in found.findings}


#: Length and turn; GEOS takes turns that are nearly straight for none.
steps = st.tuples(st.floats(3, 20), st.floats(0.05, 2.4) | st.floats(-2.4, -0.05))


@given(path=st.lists(steps, min_size=1, max_size=5), thickness=st.floats(0.1, 1.0))
def test_a_wall_of_lines_is_a_mitred_buffer(path, thickness: float) -> None:
    import shapely

    points, heading = [np.zeros(2)], 0.3
    for step, turn in path:
        points.append(points[-1] + step * np.array([math.cos(heading), math.sin(heading)]))
        heading += turn
    line = shapely.LineString(points)
    wanted = line.buffer(thickness / 2, cap_style="flat", join_style="mitre", mitre_limit=50)
    (ring,) = walls([Polyline(np.array(points))], thickness, "a", "", closed=False)
    polygon = shapely.Polygon(ring.corners)
    assume(polygon.is_valid)  # a line that crosses its own wall is refused later
    assert ring.own_moments.measure == pytest.approx(thickness * line.length, rel=1e-12)
    assert polygon.symmetric_difference(wanted).area <= 1e-9 * polygon.area


def test_a_corner_between_a_line_and_an_arc_ends_where_both_parallels_meet() -> None:
    # a half circle of radius 10 about 0, and a line to the left from its end: the corner turns by 90°
    arc = EllipticArc.circular((0, 0), 10, 0, math.pi)
    (ring,) = walls([arc, Polyline(np.array([[-10, 0], [-30, 0]]))], 2, "a", "", closed=False)
    for radius, y in ((11, 1), (9, -1)):  # outside, and inside, where the sides of the line are at y = ±1
        point = -math.sqrt(radius**2 - 1), y
        assert np.hypot(*(ring.corners - point).T).min() < 1e-12
    with pytest.raises(NoWall, match="sharper than 30°"):
        walls([Polyline(np.array([[0, 0], [10, 0], [0, 1]]))], 1, "a", "", closed=False)
    with pytest.raises(NoWall, match="shorter than the corners at its ends take"):
        walls([Polyline(np.array([[0, 0], [10, 0], [10, 0.1], [0, 0.1]]))], 1, "a", "", closed=False)


def test_what_is_no_wall_is_refused(tmp_path) -> None:
    bend = drawn(tmp_path / "b.dxf", ([(0, 0, 1), (2, 0, 0)], {"const_width": 3.0}))
    with pytest.raises(
        InvalidGeometry,
        match=r"no-wall: LWPOLYLINE #\w+ is no centre line of a wall of 0.003 m: the radius of a bend is not above half the thickness",
    ):
        massprops.measure(bend)
    with pytest.raises(InvalidInput, match="thickness is that of its wall, and a mass needs a length"):
        massprops.measure(bend, kind="wall", thickness="0.5mm", density=7850)
    plain_failure(
        run("compute", bend, "--as", "sheet", "--thickness", "1mm"),
        2,
        f"{bend}: --as sheet is for meshes, and this is a plane file; leave it out",
    )


def test_layers_are_named(tmp_path) -> None:
    outline = ([(0, 0, 0), (300, 0, 0), (300, 500, 0), (0, 500, 0)], {"closed": True, "layer": "Beton C30"})
    bars = [([(x, 40, 1), (x + 20, 40, 1)], {"closed": True, "layer": "Bewehrung"}) for x in (30, 250)]
    found = massprops.measure(drawn(tmp_path / "rc.dxf", outline, *bars))
    (hole,) = (f for f in found.findings if f.code == "hole-of-layer")
    assert (
        hole.message
        == "2 rings of layer 'Bewehrung' are taken as holes in 'Beton C30'; see materials=, ratios=, layers="
    )
    loose = ([(0, -40, 0), (300, -40, 0)], {"layer": "DIM"})
    with pytest.raises(InvalidGeometry, match=r"^.*open-ring: 1 chain on the layer 'DIM' does not close"):
        massprops.measure(drawn(tmp_path / "dim.dxf", outline, loose))


@pytest.mark.parametrize("far", [0.0, 1e3, 1e6, 1e9])
def test_the_bound_holds_the_rounding_of_computed_corners_far_from_the_origin(tmp_path, far: float) -> None:
    """A wall of thickness 1/8 and length 5, one mm² that a drawing turns, and steps from corner to corner: the areas are known exactly."""
    drawn(tmp_path / "wall.dxf", (line := [(far, far), (far + 3, far + 4)], {}), unit=6)
    wall = massprops.measure(tmp_path / "wall.dxf", kind="wall", thickness=0.125)
    page = 'xmlns="http://www.w3.org/2000/svg" width="1e9mm" height="2mm" viewBox="0 0 1e9 2"'
    turned = f'<g transform="rotate(30)"><path d="M{far} 0h1v1h-1z"/></g>'
    steps = f'<path d="M{far} 0{"l.1 0" * 9}L{far + 1} 0V1H{far}z"/>'
    found = [(wall, 0.125 * math.dist(*line))]
    for shape in (turned, steps):
        (tmp_path / "a.svg").write_text(f"<svg {page}>{shape}</svg>", encoding="utf-8")
        found.append((massprops.measure(tmp_path / "a.svg"), 1e-6))
    for measured, area in found:
        section = measured.to_dict()["section"]
        assert abs(section["area"] - area) <= section["uncertainty"]["area"] + 1e-15 * area

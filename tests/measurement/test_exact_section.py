"""Exact results of sections with straight edges: every integral is the double nearest to the rational number that it is.

The oracle sums trapezoids between edges and the x axis, one power of y at a time, and shares no formula with the program.

Modules tested: `section/assemble`, `section/properties`, `section/uncertainty`, `measurement/section`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import ezdxf
import numpy as np
from cases import each, raised
from hypothesis import given
from hypothesis import strategies as st
from oracles import central_second as exact_central_second
from oracles import extruded_moments, inertia_of, lee_polygon_moments

import massprops
from massprops.errors import InvalidInput, MasspropsError

Rings = Sequence[Sequence[tuple[float, float]]]
#: Decimals that no double is, an edge along each axis, and a hole that runs the same way.
OUTER = [(0.1, 0.2), (7.3, 0.2), (9.7, 4.4), (3.3, 6.1), (0.1, 5.9)]
HOLE = [(2.0, 2.0), (3.1, 2.5), (2.5, 3.7)]
FEW = 4e-16


def trapezoids(ring: Sequence[tuple[float, float]]) -> dict[tuple[int, int], Fraction]:
    """∬ xᵃ yᵇ over what a ring encloses, by a and b, positive: with y = y0 + s t along an edge, integrated power by power of t."""
    found = {(a, b): Fraction(0) for a in range(3) for b in range(3 - a)}
    exact = [(Fraction(x), Fraction(y)) for x, y in ring]
    for (x0, y0), (x1, y1) in pairwise([*exact, exact[0]]):
        dx, dy = x1 - x0, y1 - y0
        for a, b in found:
            # ∫ xᵃ (y^(b+1) / (b+1)) dx from x0 to x1, with x = x0 + t dx and y = y0 + t dy
            for i in range(a + 1):
                for j in range(b + 2):
                    power = math.comb(a, i) * x0 ** (a - i) * dx**i * math.comb(b + 1, j) * y0 ** (b + 1 - j) * dy**j
                    found[a, b] -= power * dx / (i + j + 1) / (b + 1)
    return found if found[0, 0] > 0 else {k: -v for k, v in found.items()}


def truth(rings: Rings, unit: Fraction = Fraction(1), point: tuple[float, float] = (0.0, 0.0)) -> dict[str, object]:
    """The section of the first ring less the others, in metres, each number rounded once."""
    outer, *holes = map(trapezoids, rings)
    m = {k: outer[k] - sum(h[k] for h in holes) for k in outer}

    def about(px: Fraction, py: Fraction) -> dict[str, Fraction]:
        xx = m[2, 0] - 2 * px * m[1, 0] + px * px * m[0, 0]
        yy = m[0, 2] - 2 * py * m[0, 1] + py * py * m[0, 0]
        xy = m[1, 1] - px * m[0, 1] - py * m[1, 0] + px * py * m[0, 0]
        return {"Ixx": yy * unit**4, "Iyy": xx * unit**4, "Ixy": xy * unit**4}

    def rounded(values: dict[str, Fraction]) -> dict[str, float]:
        return {k: float(v) for k, v in values.items()}

    area = m[0, 0]
    center = about(m[1, 0] / area, m[0, 1] / area)
    origin = about(Fraction(0), Fraction(0))
    at = about(*(Fraction(x) / unit for x in point))
    return {
        "area": float(area * unit**2),
        "weighted_area": float(area * unit**2),
        "centroid": [float(m[1, 0] / area * unit), float(m[0, 1] / area * unit)],
        "about_centroid": rounded(center),
        "about_origin": rounded(origin),
        "about": {"point": list(point), **rounded(at)},
        "first_moments": {"Qx": float(m[0, 1] * unit**3), "Qy": float(m[1, 0] * unit**3)},
        "polar": float(center["Ixx"] + center["Iyy"]),
        "polar_about_origin": float(origin["Ixx"] + origin["Iyy"]),
    }


def write_csv(path: Path, rings: Rings) -> Path:
    path.write_text("\n\n".join("\n".join(f"{x!r},{y!r}" for x, y in ring) for ring in rings) + "\n")
    return path


def agrees(found: massprops.Measurement, wanted: dict[str, object], point: tuple[float, float] = (0.0, 0.0)) -> None:
    got = found.section.to_dict(point)
    assert {k: got[k] for k in wanted} == wanted


@each(
    "unit", {"mm": Fraction(1, 1000), "in": Fraction(254, 10000), "m": Fraction(1), "ft": Fraction(3048, 10000)}.items()
)
def test_every_integral_is_rounded_once_in_any_unit(tmp_path_factory, unit):
    name, size = unit
    path = write_csv(tmp_path_factory.mktemp("unit") / "a.csv", [OUTER, HOLE])
    point = (0.3, -0.7)
    agrees(massprops.measure(path, units=name, exact=True), truth([OUTER, HOLE], size, point), point)


@given(st.integers(0, 10**6), st.integers(0, 9), st.integers(3, 12))
def test_stars_near_and_far_are_rounded_once(seed, far, n):
    rng = np.random.default_rng(seed)
    angles = np.sort(rng.uniform(0, 2 * math.pi, n)) + np.linspace(0, 1e-3, n)
    radii = rng.uniform(0.3, 1, n)
    points = np.round(
        np.column_stack([radii * np.cos(angles), radii * np.sin(angles)]) + np.array([1, -1]) * 10.0**far, 4
    )
    try:
        found = massprops.measure(points, exact=True)
    except MasspropsError:
        return  # a star that does not go round its middle may cross itself where it is rounded
    agrees(found, truth([points.tolist()]))


def central(rings: Rings, **options) -> tuple[float, ...]:
    """Area and central moments of rings from memory."""
    shape = type("Polygon", (), {})()
    shape.exterior, *shape.interiors = (type("Ring", (), {"coords": ring})() for ring in rings)
    i = (found := massprops.measure(shape, exact=True, **options).section).about_centroid
    return (*found.centroid.tolist(), found.area, i.Ixx, i.Iyy, i.Ixy)


def mapped(rings: Rings, f: Callable[[float, float], tuple[float, float]]) -> Rings:
    return [[f(x, y) for x, y in ring] for ring in rings]


def test_laws_hold_to_the_bit():
    rings = [OUTER, HOLE]
    cx, cy, area, xx, yy, xy = central(rings)
    assert central([ring[::-1] for ring in rings]) == (cx, cy, area, xx, yy, xy)
    assert central([OUTER[2:] + OUTER[:2], HOLE[::-1]]) == (cx, cy, area, xx, yy, xy)
    assert central(mapped(rings, lambda x, y: (-y, x))) == (-cy, cx, area, yy, xx, -xy)
    assert central(mapped(rings, lambda x, y: (y, x))) == (cy, cx, area, yy, xx, xy)
    s = 2.0**-7
    scaled = central(mapped(rings, lambda x, y: (s * x, s * y)))
    assert scaled == (s * cx, s * cy, s**2 * area, s**4 * xx, s**4 * yy, s**4 * xy)
    binary = mapped(rings, lambda x, y: (round(x * 1024) / 1024, round(y * 1024) / 1024))
    moved = mapped(binary, lambda x, y: (x + 2**30, y - 2**31))  # no sum is rounded
    assert central(moved)[2:] == central(binary)[2:]


def test_holes_and_rings_count_by_every_rule(tmp_path):
    """A hole that turns the other way, the same way, and a ring beside it; a drawing whose rings all turn clockwise."""
    apart = [(20.0, 0.0), (22.0, 0.5), (20.5, 3.0)]
    outer, hole, beside = (trapezoids(r)[0, 0] for r in (OUTER, HOLE, apart))
    against, along = [OUTER, HOLE[::-1], apart], [OUTER, HOLE, apart]
    cases = [("evenodd", along, -1), ("evenodd", against, -1), ("nonzero", against, -1), ("nonzero", along, 0)]
    cases += [("orientation", against, -1), ("orientation", [ring[::-1] for ring in against], -1)]
    for rule, rings, sign in cases:
        found = massprops.measure(write_csv(tmp_path / "a.csv", rings), rings=rule, exact=True)
        assert found.section.area == float(outer + sign * hole + beside), rule


def test_the_solid_above_a_section_is_rounded_once():
    t = 0.003
    solid = extruded_moments(lee_polygon_moments(OUTER), 0, Fraction(t))
    found = massprops.measure(np.array(OUTER), thickness="3mm", density=2700, exact=True)
    assert found.volume == float(solid.measure)
    assert found.mass == float(2700 * solid.measure)
    assert found.com.tolist() == [float(x / solid.measure) for x in solid.first]
    wanted = inertia_of(exact_central_second(solid))
    assert found.inertia.tolist() == [[float(2700 * x) for x in row] for row in wanted]
    low = extruded_moments(lee_polygon_moments(OUTER), -Fraction(t) / 2, Fraction(t) / 2)
    centered = massprops.measure(np.array(OUTER), thickness="3mm", mass=0.1, centered=True, exact=True)
    assert centered.com.tolist() == [float(x / low.measure) for x in low.first]
    assert (centered.mass, centered.inertia[0, 0]) == (0.1, float(Fraction(0.1) / low.measure * wanted[0][0]))
    assert found.moments.measure == found.volume


def test_a_sheet_in_a_pose_is_moved_without_a_rounding():
    sheet = massprops.measure(np.array(OUTER), area_density=3, exact=True)
    moved = massprops.measure(np.array(OUTER), area_density=3, exact=True, pose="0.1 -8 1024")
    assert moved.inertia.tolist() == sheet.inertia.tolist()
    at = trapezoids(OUTER)
    center = [at[1, 0] / at[0, 0] + Fraction(0.1), at[0, 1] / at[0, 0] - 8, 1024]
    assert moved.com.tolist() == [float(x) for x in center]
    area = trapezoids(OUTER)[0, 0]
    assert sheet.mass == float(3 * area)


def test_parts_in_two_units_and_with_a_ratio_are_summed_before_they_are_rounded(tmp_path):
    inches, millimetres = write_csv(tmp_path / "in.csv", [OUTER]), tmp_path / "mm.csv"
    millimetres.write_text("x [mm],y [mm]\n" + "".join(f"{x + 1000!r},{y!r}\n" for x, y in HOLE))
    inches.write_text("x [in],y [in]\n" + inches.read_text())
    found = massprops.measure([inches, millimetres], exact=True, ratios={str(millimetres): 2.1})
    one, two = trapezoids(OUTER), trapezoids([(x + 1000, y) for x, y in HOLE])
    u, v, n = Fraction(254, 10000), Fraction(1, 1000), Fraction(2.1)
    area = one[0, 0] * u**2 + n * two[0, 0] * v**2
    q = one[0, 1] * u**3 + n * two[0, 1] * v**3
    section = found.section.to_dict()
    assert section["area"] == float(one[0, 0] * u**2 + two[0, 0] * v**2)
    assert section["weighted_area"] == float(area)
    assert section["centroid"][1] == float(q / area)
    assert section["about_centroid"]["Ixx"] == float(one[0, 2] * u**4 + n * two[0, 2] * v**4 - q * q / area)


def write_dxf(path: Path, rings: Rings, place: tuple[float, float] | None = None, **how) -> Path:
    """LWPOLYLINEs of a drawing, in a block where there is a place for it."""
    document = ezdxf.new("R2010")
    document.header["$INSUNITS"] = 4
    space = document.blocks.new("B") if place else document.modelspace()
    for ring in rings:
        space.add_lwpolyline(ring, format=how.get("format", "xy"), close=True)
    if place:
        document.modelspace().add_blockref("B", place)
    document.saveas(path)
    return path


def svg(shapes: str, page: str = 'width="20mm" height="20mm" viewBox="0 -20 20 20"') -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {page}>{shapes}</svg>'


def flipped(rings: Rings) -> Rings:
    return mapped(rings, lambda x, y: (x, -y))


def test_the_same_polygon_has_the_same_numbers_in_every_format(tmp_path):
    rings = [OUTER, HOLE]
    words = [" ".join(f"{x!r} {-y!r}" for x, y in ring) for ring in rings]
    closed = [[*map(list, ring), list(ring[0])] for ring in rings]
    texts = {
        "a.csv": "x [mm],y [mm]\n" + write_csv(tmp_path / "a.csv", rings).read_text(),
        "a.json": f'{{"outer": {closed[0]}, "holes": [{closed[1]}], "units": "mm"}}',
        "a.wkt": "POLYGON(" + ", ".join("(" + ", ".join(f"{x!r} {y!r}" for x, y in r) + ")" for r in closed) + ")",
        "a.geojson": f'{{"type": "Polygon", "coordinates": {closed}}}',
        "a.svg": svg(f'<path fill-rule="evenodd" d="M{words[0]}Z M{words[1]}Z"/>'),
        "b.svg": svg("".join(f'<polygon points="{w}" fill="none"/>' for w in words)),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    write_dxf(tmp_path / "a.dxf", rings)
    for name in (*texts, "a.dxf"):
        agrees(massprops.measure(tmp_path / name, units="mm", exact=True), truth(rings, Fraction(1, 1000)))


def test_pieces_whose_ends_are_equal_are_exact(tmp_path):
    document = ezdxf.new("R2010")
    for a, b in pairwise([*OUTER, OUTER[0]]):
        document.modelspace().add_line(a, b)
    document.saveas(tmp_path / "lines.dxf")
    agrees(massprops.measure(tmp_path / "lines.dxf", units="m", exact=True), truth([OUTER]))
    block = ezdxf.new("R2010")
    lines = block.blocks.new("B")
    for a, b in [(OUTER[0], OUTER[-1]), *pairwise(OUTER)]:  # the first runs the other way
        lines.add_line(a, b)
    block.modelspace().add_blockref("B", (0.1, 0.2))
    block.saveas(tmp_path / "block.dxf")
    told = str(raised(InvalidInput, massprops.measure, tmp_path / "block.dxf", units="m", exact=True))
    assert "in block 'B' are rounded: by a transform" in told
    document.modelspace()[0].dxf.end = (7.300001, 0.2)
    document.saveas(tmp_path / "gap.dxf")
    told = str(raised(InvalidInput, massprops.measure, tmp_path / "gap.dxf", units="m", exact=True))
    assert "no exact results: loose pieces were joined over gaps of up to 1e-06 m; close the outline" in told


ROUNDED = "the coordinates of {} are rounded: by a transform, the scale of the page, relative steps or a wall"
SQUARE = "M1 1H9V8H1Z"


@each(
    "case",
    [
        (
            '<circle cx="9" cy="9" r="5"/>',
            "circle on line 1 has a curve, near (0.014, -0.009) m, whose integrals are rounded",
        ),
        (
            f'<path d="{SQUARE} M2 2 Q3 4 5 3Z"/>',
            "path on line 1 has a curve, near (0.002, -0.002) m, whose integrals",
        ),
        (f'<g transform="rotate(30)"><path d="{SQUARE}"/></g>', ROUNDED.format("path on line 1")),
        (f'<path transform="scale(2)" d="{SQUARE}"/>', ROUNDED.format("path on line 1")),
        ('<path d="M0.1 0.1l0.2 0L0 5z"/>', ROUNDED.format("path on line 1")),
        ('<path d="M1 0.1v0.2L0 5z"/>', ROUNDED.format("path on line 1")),
        ('<path d="m0.1 0.1h1e-17L7 7L0 5z"/>', ROUNDED.format("path on line 1")),
        ('<rect x="0.1" y="0.1" width="0.2" height="5"/>', ROUNDED.format("rect on line 1")),
        ('<rect x="1mm" y="1mm" width="1mm" height="1mm"/>', ROUNDED.format("rect on line 1")),
    ],
)
def test_what_rounds_coordinates_in_a_drawing_is_refused_with_its_place(tmp_path_factory, case):
    shape, told = case
    path = tmp_path_factory.mktemp("svg") / "a.svg"
    path.write_text(svg(shape))
    error = raised(InvalidInput, massprops.measure, path, exact=True)
    assert f"no exact results: {told}" in str(error)
    assert massprops.measure(path).section.area > 0


def test_steps_and_pages_that_round_nothing_are_exact(tmp_path):
    path = tmp_path / "a.svg"
    path.write_text(svg('<path d="m1 1l0.5 0l0 5.25h-0.25z"/><rect x="9" y="9" width="0.5" height="2"/>'))
    rings = flipped([[(1.0, 1.0), (1.5, 1.0), (1.5, 6.25), (1.25, 6.25)]])
    area = trapezoids(rings[0])[0, 0] + 1
    assert massprops.measure(path, exact=True).section.area == float(area / 10**6)
    path.write_text(svg(f'<path d="{SQUARE}"/>', 'width="3mm" height="3mm" viewBox="0 0 10 10"'))
    assert "the scale of the page" in str(raised(InvalidInput, massprops.measure, path, exact=True))


def test_bulges_and_blocks_of_a_drawing_are_refused(tmp_path):
    bent = write_dxf(tmp_path / "bent.dxf", [[(*p, 0.2 if i == 2 else 0.0) for i, p in enumerate(OUTER)]], format="xyb")
    told = str(raised(InvalidInput, massprops.measure, bent, exact=True))
    assert "has a curve, near (0.0097, 0.0044) m, whose integrals are rounded; export it as a polygon" in told
    block = write_dxf(tmp_path / "block.dxf", [OUTER], (0.1, 0.2))
    assert "in block 'B' are rounded: by a transform" in str(raised(InvalidInput, massprops.measure, block, exact=True))
    still = write_dxf(tmp_path / "still.dxf", [OUTER], (0.0, 0.0))
    agrees(massprops.measure(still, exact=True), truth([OUTER], Fraction(1, 1000)))


def test_a_union_has_rounded_vertices_and_no_exact_results():
    crossing = [(0.0, 0.0), (3.0, 0.0), (3.0, 3.0), (0.3, -1.0)]
    assert massprops.measure(np.array(crossing), rings="nonzero").grade == "repaired"
    error = raised(InvalidInput, massprops.measure, np.array(crossing), rings="nonzero", exact=True)
    assert "no exact results: rings cross, and the points where they do would be rounded" in str(error)


def test_an_exact_section_states_the_error_of_one_rounding():
    found = massprops.measure(np.array(OUTER), exact=True).section
    off, u = found.errors(), 2.0**-53
    assert off["area"] == u * found.area
    assert off["centroid"] == [u * x for x in found.centroid.tolist()]
    assert off["about_centroid"]["Ixx"] <= FEW / 2 * found.about_centroid.Ixx
    plain = massprops.measure(np.array(OUTER)).section.errors()
    assert off["area"] < plain["area"] / 20
    # what is derived in floating point keeps room for its own roundings
    assert all(r >= 2 * FEW * x for r, x in zip(off["radii_of_gyration"], found.radii_of_gyration, strict=True))
    assert off["principal_moments"] >= 2 * FEW * found.principal_moments[1]

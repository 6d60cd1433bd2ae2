"""Plastic moduli and axes, principal moduli and statical moments: closed forms, handbooks, an independent bisection, and laws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
import shapely
from scipy.optimize import brentq

import massprops
from massprops.section.assemble import assemble
from massprops.section.curves import Curve, EllipticArc, Polyline
from massprops.section.plastic import Region
from massprops.section.properties import AXES, Section
from massprops.section.rings import PlanarSource, Ring
from tests.cases import each

RING = np.array([[0, 0], [7, -1], [9, 3], [5, 2.5], [6, 8], [1, 6.0]])
HOLE = np.array([[2, 1], [2.5, 4], [4, 1.5]])


def section(*points: Sequence[Sequence[float]] | np.ndarray) -> Section:
    return massprops.measure(shapely.Polygon(points[0], points[1:])).section


def curved(*rings: Sequence[Curve]) -> Section:
    source = PlanarSource(
        "curves", "test", "ascii", [Ring(tuple(curves), f"ring {k}") for k, curves in enumerate(rings)]
    )
    return assemble(source, source.rings, 1.0, "evenodd").section


def half_circle() -> tuple[float, float]:
    """Of the upper half of the unit circle: the height that halves it, and the moments of both parts about it, added."""
    height = brentq(lambda h: math.acos(h) - h * math.sqrt(1 - h * h) - math.pi / 4, 0, 1, xtol=1e-15)
    return height, 4 / 3 * (1 - height * height) ** 1.5 - 2 / 3


CIRCLE, INNER = EllipticArc.circle((3, 4), 2.0), EllipticArc.circle((3, 4), 1.5)
HALF = (EllipticArc.circular((0, 0), 1.0, 0.0, math.pi), Polyline([[-1, 0], [1, 0]]))
ELLIPSE = EllipticArc.elliptic((50, -20), (5.0, 0.0), 0.4)
BOX = [[0, 0], [2, 0], [2, 5], [0, 5]]
TEE = [[-5, 8], [-1, 8], [-1, 0], [1, 0], [1, 8], [5, 8], [5, 10], [-5, 10]]
TRIANGLE = [[0, 0], [4, 0], [0, 3]]


@each(
    "found, axis, modulus, at",
    [
        (section(BOX), "x", 2 * 25 / 4, 2.5),  # b d² / 4
        (section(BOX), "y", 5 * 4 / 4, 1.0),
        (section(BOX), "1", 5 * 4 / 4, 0.0),
        # flange of 20, web of 16: the axis is in the flange, 18 below it: 10 t = 18
        (section(TEE), "x", 16 * (8.2 - 4) + 10 * 0.2**2 / 2 + 10 * 1.8**2 / 2, 8.2),
        (section(TEE), "y", 2 * 10**2 / 4 + 8 * 2**2 / 4, 0.0),
        # similar triangles: the axis is at 1/√2 of the height from the apex
        (section(TRIANGLE), "x", 4 * 9 * (2 - math.sqrt(2)) / 6, 3 - 3 / math.sqrt(2)),
        (curved([CIRCLE]), "x", 4**3 / 6, 4.0),
        (curved([CIRCLE], [INNER]), "y", (4**3 - 3**3) / 6, 3.0),
        (curved([ELLIPSE]), "x", 4 * 5 * 2**2 / 3, -20.0),  # 4 a b² / 3
        (curved(HALF), "x", half_circle()[1], half_circle()[0]),
    ],
)
def test_closed_forms(found: Section, axis: str, modulus: float, at: float) -> None:
    plastic, off = found.plastic, found._halves[axis]
    assert plastic.modulus[axis] == pytest.approx(modulus, rel=2e-14)
    straight = all(isinstance(c, Polyline) for o in found.outlines for c in o.outline.curves)
    assert abs(plastic.modulus[axis] - modulus) <= off.modulus[1] <= (1e-12 if straight else 1e-7) * modulus
    assert off.offset[1] <= (1e-12 if straight else 1e-6) * (1 + abs(at))
    # on a curve, the axis is as near as a sliver is wide
    assert plastic.neutral_axes[axis] == pytest.approx(at, abs=1e-8)
    assert abs(plastic.neutral_axes[axis] - at) <= off.offset[1] + 1e-15 * abs(at)


COMB = [p for k in range(12) for p in ((k, 0), (k + 0.25, 3), (k + 0.75, 3), (k + 0.9, 0.5))] + [(11.9, -1), (0, -1)]
FLANGES = [
    [[x, y + (k % 2) / 8] for y in (low, low + 1) for k, x in enumerate(np.linspace(0, 4, 9)[:: 1 - 2 * int(y > low)])]
    for low in (0, 5)
]


@each(
    "found",
    [
        *(section(points) for points in (BOX, TEE, TRIANGLE, COMB)),
        section(RING, HOLE),
        curved([CIRCLE], [INNER]),
        curved([ELLIPSE]),
        curved(HALF),
        massprops.measure(shapely.MultiPolygon([shapely.Polygon(f) for f in FLANGES])).section,
    ],
)
def test_a_few_edges_at_a_time_give_the_same_halves(found: Section, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many edges, the level that halves the area is looked for near the centroid first: the range grows until it is there."""
    region = Region.of(found.outlines, found.moments.reference, float(np.ptp(found.bounds, axis=0).max()))
    for angle, block, near in ((0, 1, 1e-9), (0.3, 3, 0.01), (math.pi / 2, 4, 0.2)):
        normal = np.array([-math.sin(angle), math.cos(angle)])
        mean = float(normal @ (found.centroid - found.moments.reference))
        at_once = region.halves(normal, mean, 1e-9, 0.0)
        some = block * max(1, region.points.shape[1] // 40)  # of curves, a fortieth
        monkeypatch.setattr("massprops.section.plastic._BLOCK", some)
        monkeypatch.setattr("massprops.section.plastic._NEAR", near)
        by_some = region.halves(normal, mean, 1e-9, 0.0)
        monkeypatch.undo()
        for (_, its), (_, error) in zip(astuple(at_once), astuple(by_some), strict=True):
            assert its == pytest.approx(error, rel=1e-4)  # a level that is off by rounding cuts other slivers
        assert at_once.statical[0] == pytest.approx(by_some.statical[0], rel=1e-13)
        assert at_once.modulus[0] == pytest.approx(by_some.modulus[0], rel=1e-13)
        # within slivers, and where an area begins at a corner, the level is the root of the rounding
        assert at_once.offset[0] == pytest.approx(by_some.offset[0], abs=1e-8)


def i_section(h: float, b: float, tw: float, tf: float, r: float) -> Section:
    """With root fillets, quarters of circles."""
    x, y = tw / 2, h / 2 - tf
    centres, begins = [(x + r, r - y), (x + r, y - r), (-x - r, y - r), (-x - r, r - y)], [-90, 180, 90, 0]
    arcs = [EllipticArc.circular(c, r, math.radians(a), -math.pi / 2) for c, a in zip(centres, begins, strict=True)]
    corners = [(x + r, y), (b / 2, y), (b / 2, h / 2), (-b / 2, h / 2), (-b / 2, y), (-x - r, y)]
    webs = [Polyline([arcs[k].end, arcs[k + 1].start]) for k in (0, 2)]
    upper, lower = Polyline(np.array(corners)), Polyline(-np.array(corners))
    return curved([arcs[0], webs[0], arcs[1], upper, arcs[2], webs[1], arcs[3], lower])


@each(
    "h, b, tw, tf, r, strong, weak",
    [
        (80, 46, 3.8, 5.2, 5, 23.22, 5.818),  # IPE 80
        (200, 100, 5.6, 8.5, 12, 220.6, 44.61),  # IPE 200
        (300, 150, 7.1, 10.7, 15, 628.4, 125.2),  # IPE 300
        (600, 220, 12, 19, 24, 3512, 485.6),  # IPE 600
        (96, 100, 5, 8, 12, 83.01, 41.14),  # HE 100 A
        (200, 200, 9, 15, 18, 642.5, 305.8),  # HE 200 B
        (300, 300, 11, 19, 27, 1869, 870.1),  # HE 300 B
    ],
)
def test_the_tables_of_european_sections(*, h, b, tw, tf, r, strong, weak) -> None:  # type: ignore[no-untyped-def]
    """Wpl,y and Wpl,z in cm³ as the tables of EN 10365 print them, four digits."""
    found = i_section(h, b, tw, tf, r)
    for axis, published in (("x", strong), ("y", weak)):
        half_a_digit = 0.5 * 10 ** (math.floor(math.log10(published)) - 3)
        assert found.plastic.modulus[axis] / 1000 == pytest.approx(published, abs=half_a_digit)
        # doubly symmetric: both halves are the same
        assert found.statical_moments[axis] == pytest.approx(found.plastic.modulus[axis] / 2, rel=1e-12)


def test_the_custom_section_of_sectionproperties() -> None:
    """Seven digits, by bisection on a fine mesh: its tests, version 3.0.2. Its axis 1 is axis 2 here."""
    right = [[-10, 0], [110, 0], [100, 10], [55, 10], [55, 90], [100, 90], [110, 100], [110, 110]]
    found = section([*right, [-10, 110], [-10, 100], [0, 90], [45, 90], [45, 10], [-10, 10]])
    modulus = {"x": 153197.1, "y": 101494.3, "1": 101501.0, "2": 153346.3}
    assert found.plastic.modulus == pytest.approx(modulus, rel=1e-5)
    assert found.plastic.neutral_axes["x"] == pytest.approx(91.72040, rel=1e-5)
    assert found.plastic.neutral_axes["y"] == pytest.approx(49.77273, rel=1e-5)


def test_shape_factors_and_statical_moments_are_those_of_the_textbooks() -> None:
    box, disc = section(BOX), curved([CIRCLE])
    assert box.plastic.shape_factors == pytest.approx(dict.fromkeys(AXES, 1.5), rel=1e-14)
    assert disc.plastic.shape_factors["x"] == pytest.approx(16 / (3 * math.pi), rel=1e-12)
    assert box.statical_moments["x"] == pytest.approx(2 * 25 / 8, rel=1e-14)  # b d² / 8
    assert disc.statical_moments["y"] == pytest.approx(2 / 3 * 2**3, rel=1e-13)  # 2 r³ / 3
    assert section(TRIANGLE).statical_moments["x"] == pytest.approx(
        8 / 3 * 2 / 2 * 2 / 3, rel=1e-13
    )  # the part above is 8/3 × 2


def bisected(region: shapely.Polygon, normal: np.ndarray) -> tuple[float, float]:
    """Offset from the centroid and modulus, by clipping with GEOS."""
    centroid, along = np.array(region.centroid.coords[0]), np.array([normal[1], -normal[0]])

    def above(offset: float) -> Any:
        corners = [
            centroid + (offset + 99 * up) * normal + 99 * side * along
            for side, up in ((-1, 0), (1, 0), (1, 1), (-1, 1))
        ]
        return region.intersection(shapely.Polygon(corners))

    offset = brentq(lambda o: above(o).area - region.area / 2, -9, 9, xtol=1e-14)
    upper, lower = above(offset), region.difference(above(offset))
    arms = [
        abs((np.array(part.centroid.coords[0]) - centroid) @ normal - offset) * part.area for part in (upper, lower)
    ]
    return offset, sum(arms)


def test_an_independent_bisection_finds_the_same() -> None:
    found, region = section(RING, HOLE), shapely.Polygon(RING, [HOLE])
    c, s = math.cos(found.principal_angle), math.sin(found.principal_angle)
    for axis, normal in {"x": (0, 1), "y": (1, 0), "1": (-s, c), "2": (c, s)}.items():
        offset, modulus = bisected(region, np.array(normal))
        assert found.plastic.modulus[axis] == pytest.approx(modulus, rel=1e-13)
        origin = {"x": found.centroid[1], "y": found.centroid[0]}.get(axis, 0.0)
        assert found.plastic.neutral_axes[axis] - origin == pytest.approx(offset, abs=1e-13)
        heights = (RING - found.centroid) @ np.array(normal)
        i = dict(zip(AXES, (found.about_centroid.Ixx, found.about_centroid.Iyy, *found.principal_moments), strict=True))
        assert found.moduli[f"{axis}_plus"] == pytest.approx(i[axis] / heights.max(), rel=1e-13)
        assert found.moduli[f"{axis}_minus"] == pytest.approx(-i[axis] / heights.min(), rel=1e-13)


def numbers(found: Section) -> np.ndarray:
    p = found.plastic
    offsets = [p.neutral_axes["x"] - found.centroid[1], p.neutral_axes["y"] - found.centroid[0]]
    return np.array([*p.modulus.values(), *found.statical_moments.values(), *np.array([*offsets, p.neutral_axes["1"]])])


def test_laws_of_motion_and_scale() -> None:
    """Turned, moved, mirrored, scaled, or with points on its edges, a section is the same."""
    here = section(RING, HOLE)
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    turned, moved = section(RING @ turn.T, HOLE @ turn.T), section(RING + 1e3, HOLE + 1e3)
    for axis in "12":
        assert turned.plastic.modulus[axis] == pytest.approx(here.plastic.modulus[axis], rel=1e-12)
        assert turned.plastic.neutral_axes[axis] == pytest.approx(here.plastic.neutral_axes[axis], rel=1e-10)
        for side in ("plus", "minus"):
            assert turned.moduli[f"{axis}_{side}"] == pytest.approx(here.moduli[f"{axis}_{side}"], rel=1e-12)
    assert numbers(moved) == pytest.approx(numbers(here), rel=1e-9)
    assert numbers(section(RING * 1e-3, HOLE * 1e-3))[:8] == pytest.approx(1e-9 * numbers(here)[:8], rel=1e-12)
    mirrored = section(RING * [-1, 1], HOLE * [-1, 1])
    assert mirrored.plastic.modulus["y"] == pytest.approx(here.plastic.modulus["y"], rel=1e-13)
    assert mirrored.plastic.neutral_axes["y"] == pytest.approx(-here.plastic.neutral_axes["y"], rel=1e-13)
    finer = np.repeat(RING, 2, axis=0)
    finer[1::2] = (RING + np.roll(RING, -1, axis=0)) / 2
    assert numbers(section(finer, HOLE)) == pytest.approx(numbers(here), rel=1e-12)
    # a quarter turn swaps the axes: x becomes y
    quarter = section(RING[:, ::-1] * [-1, 1], HOLE[:, ::-1] * [-1, 1])
    assert quarter.plastic.modulus["y"] == pytest.approx(here.plastic.modulus["x"], rel=1e-13)


def test_parts_of_a_section_are_one_and_other_materials_have_no_plastic_modulus(tmp_path: Any) -> None:
    files = []
    for k, low in enumerate((0, 2)):  # a rectangle 2 × 5 in two pieces that touch
        files.append(tmp_path / f"part{k}.csv")
        files[-1].write_text("\n".join(f"{x},{y}" for x, y in [(0, low), (2, low), (2, [2, 5][k]), (0, [2, 5][k])]))
    whole = massprops.measure(files, units="m").section
    assert whole.plastic.modulus["x"] == pytest.approx(12.5, rel=1e-13)
    doubled = massprops.measure(files, units="m", ratios={str(files[1]): 2.0}).section
    assert doubled.plastic is None
    assert doubled.to_dict()["plastic"] is doubled.to_dict()["uncertainty"]["plastic"] is None
    # about the elastic centre, weighted: 2 · 2 · (y − 1) = 2 · 2 · 3 (3.5 − y) has y = 2.875
    assert doubled.centroid[1] == pytest.approx(2.875, rel=1e-14)
    assert doubled.statical_moments["x"] == pytest.approx(2 * 2 * (5 - 2.875) ** 2 / 2, rel=1e-13)


def test_in_a_gap_the_axis_is_the_middle_within_half_of_the_gap() -> None:
    """Two equal flanges without a web: every line between them halves the area."""
    flanges = shapely.MultiPolygon([shapely.box(0, 0, 4, 1), shapely.box(0, 5, 4, 6)])
    found = massprops.measure(flanges).section
    assert found.plastic.neutral_axes["x"] == pytest.approx(3, abs=1e-13)
    assert found.to_dict()["uncertainty"]["plastic"]["neutral_axes"]["x"] == pytest.approx(2, rel=1e-12)
    assert found.plastic.modulus["x"] == pytest.approx(2 * 4 * 2.5, rel=1e-14)


def test_the_bounds_hold_what_the_outline_can_do() -> None:
    """An outline 1 mm off in every direction, or in one: the largest section and one that is shifted on one side."""
    loose = massprops.measure([[0, 0], [2, 0], [2, 5], [0, 5]], chord_tolerance=0.001).section
    off, w = loose.to_dict()["uncertainty"], loose.moduli
    for low, high in ((-0.001, 0.001), (0.0, 0.001), (0.001, -0.001)):
        other = section([[low, low], [2 + high, low], [2 + high, 5 + high], [low, 5 + high]])
        for axis in AXES:
            assert abs(other.plastic.modulus[axis] - loose.plastic.modulus[axis]) <= off["plastic"]["modulus"][axis]
            assert abs(other.statical_moments[axis] - loose.statical_moments[axis]) <= off["statical_moments"][axis]
            moved = other.plastic.neutral_axes[axis] - loose.plastic.neutral_axes[axis]
            assert abs(moved) <= off["plastic"]["neutral_axes"][axis]
            for side in (f"{axis}_plus", f"{axis}_minus"):
                assert abs(other.moduli[side] - w[side]) <= off["moduli"][side]
    # and no more: the strip along the outline at the farthest fibre; half of it across the width, beside the error of the centroid
    strip, shift = 1.01 * 14 * 0.001, math.hypot(*off["centroid"])
    for axis, height, width in (("x", 5, 2), ("y", 2, 5)):
        assert off["plastic"]["modulus"][axis] == pytest.approx(strip * height, rel=1e-9)
        assert off["plastic"]["neutral_axes"][axis] == pytest.approx(strip / 2 / width + shift, rel=1e-9)
        assert off["statical_moments"][axis] == pytest.approx((strip * height + 10 * shift) / 2, rel=1e-9)

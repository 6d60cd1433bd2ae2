"""Plane sections (`section.assemble`, `measurement.section`): one area where there is one, else the reason and its place."""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from pathlib import Path

import ezdxf
import numpy as np
import pytest
import shapely
from cases import each, raised, refused
from console import plain_failure, run
from hypothesis import given
from hypothesis import strategies as st
from oracles import central_second, extruded_moments, floats, inertia_of, lee_polygon_moments, prism, regular_polygon

import massprops
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError
from massprops.findings import Finding
from massprops.frames import Pose
from massprops.section.assemble import assemble
from massprops.section.curves import Bezier, EllipticArc, Polyline
from massprops.section.parts import Assembled
from massprops.section.rings import PlanarSource, Ring
from massprops.section.topology import spikes
from massprops.section.uncertainty import plane_spreads

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]
#: Three distinct second moments, a centroid off every axis, and a notch.
GENERIC = [(1, 1), (9, 2), (8, 7), (5, 3), (2, 9)]
#: Some ten sums and products of numbers of one size.
FEW = 1e-14


def drawing(*rings: object, **options: object) -> PlanarSource:
    """Rings from lists of points, or from tuples of curves."""
    curves = [r if isinstance(r, tuple) else (Polyline(np.array(r, dtype=float)),) for r in rings]
    named = [Ring(c, f"ring {i}", **options) for i, c in enumerate(curves, 1)]
    return PlanarSource("x.dxf", "dxf", "ascii", named)


def assembled(source: PlanarSource, rule: str | None = "evenodd", **options: object) -> Assembled:
    return assemble(source, source.rings, 1.0, rule, **options)


def codes(a: Assembled) -> list[str]:
    return [f.code for f in a.findings]


# --- one area ----------------------------------------------------------------------------------------------------------

HOLE = [[1, 1], [2, 1], [2, 2], [1, 2]]
KEYHOLE = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0], [1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]
NEARLY = (EllipticArc.circle([2, 2], 2 - 1e-5),)
THIN = [(EllipticArc.circle([0, 0], 2),), (EllipticArc.circular([0, 0], 2 - 1e-5, 0.1, 2 * math.pi),)]
VALID = {
    "hole, same sense": ([SQUARE, HOLE], 15, []),
    "hole, other sense": ([SQUARE, HOLE[::-1]], 15, []),
    "island in the hole": ([SQUARE, [[1, 1], [3, 1], [3, 3], [1, 3]], [[1.5, 1.5], [2, 1.5], [2, 2]]], 12.125, []),
    "two apart": ([SQUARE, [[5, 0], [6, 0], [6, 1]]], 16.5, []),
    "hole at a corner of the outer ring": ([SQUARE, [[0, 0], [1, 2], [2, 2], [2, 1]]], 14, ["rings-touch"]),
    "hole along the outer ring": ([SQUARE, [[0, 1], [0, 2], [2, 2], [2, 1]]], 14, ["rings-touch"]),
    "side by side": ([SQUARE, [[4, 1], [6, 1], [6, 3], [4, 3]]], 20, ["rings-touch"]),
    "hole at the end of a slit": ([KEYHOLE], 15, ["self-touching"]),
    "two wings touching": ([[[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 1]]], 2, ["self-touching"]),
    "spike": ([[[0, 0], [4, 0], [4, 4], [6, 5], [4, 4], [0, 4]]], 16, ["spike", "self-touching"]),
    "points twice": ([[[0, 0], [4, 0], [4, 0], [4, 4], [0, 4], [0, 0]]], 16, ["duplicate-points"]),
    "round hole": ([SQUARE, (EllipticArc.circle([2, 2], 1),)], 16 - math.pi, []),
    "thin ring, its circles begun at different points": (THIN, math.pi * 1e-5 * (4 - 1e-5), []),
    "round hole nearly at the edge": ([SQUARE, NEARLY], 16 - math.pi * (2 - 1e-5) ** 2, []),
}


@each(("rings", "area", "said"), VALID.values())
def test_rings_that_bound_one_area_are_measured(rings: list, area: float, said: list[str]) -> None:
    a = assembled(drawing(*rings))
    assert a.section.area == pytest.approx(area, rel=FEW, abs=16 * FEW)  # a difference of areas up to 16
    assert shapely_area(rings, area) == pytest.approx(area, rel=FEW)  # the table above is right
    assert sorted(codes(a)) == sorted(said)


def shapely_area(rings: list, stated: float) -> float:
    """By an independent program, where all is straight: the symmetric difference of the rings."""
    if any(isinstance(r, tuple) for r in rings):
        return stated
    total = shapely.Polygon()
    for ring in rings:
        total = total.symmetric_difference(shapely.make_valid(shapely.Polygon(ring)))
    return float(total.area)


BOW = [[0, 0], [1, 1], [1, 0], [0, 1]]
BOW_AT_A_POINT = [[0, 0], [0.5, 0.5], [1, 1], [1, 0], [0.5, 0.5], [0, 1]]
OVERLAPPING = [[-1, 1], [2, 1], [2, 2], [-1, 2]]
MEND = "; correct the outline, or use rings='nonzero'"
CROSSES = "self-crossing: ring 1 crosses itself near {} m, so that it has no single area"
OVERLAP = "rings-cross: ring 1 and ring 2 cross near {} m, so that their areas overlap"
SAME = "duplicate-rings: ring 1 and ring 2 are the same ring, near {} m"
TWO_TURNS = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0], [3, 1], [3, 3], [1, 3]]
#: The place is the first in the order of the rings and their edges.
INVALID = {
    "figure eight": ([BOW], 0.5, CROSSES.format("(0.5, 0.5)")),
    "figure eight through a point": ([BOW_AT_A_POINT], 0.5, CROSSES.format("(0.5, 0.5)")),
    "the same way round twice": ([TWO_TURNS], 16, CROSSES.format("(0, 0)")),
    "overlapping": ([SQUARE, OVERLAPPING], 17, OVERLAP.format("(0, 1)") + " (and 1 more place)"),
    "across corners": ([SQUARE, [[8, 0], [4, 4], [0, 0]]], 24, OVERLAP.format("(0, 0)")),
    "twice the same": ([SQUARE, SQUARE[::-1]], None, SAME.format("(4, 0)")),
}


@each(("rings", "area", "said"), INVALID.values())
def test_where_there_is_no_single_area_the_place_is_told(rings: list, area: float | None, said: str) -> None:
    assert refused(InvalidGeometry, assembled, drawing(*rings)) == f"x.dxf: {said}{MEND}"
    if area is not None:
        a = assembled(drawing(*rings), "nonzero")
        # by an independent program: what each loop of a ring goes round; the ring of two turns is its outer one
        loops = [SQUARE] if len(rings[0]) == 8 else rings
        union = shapely.union_all([shapely.make_valid(shapely.Polygon(r)) for r in loops])
        assert area == union.area  # the table above is right
        assert (a.section.area, a.grade) == (pytest.approx(area, rel=FEW), "repaired")
        assert "rings-united" in codes(a)


FEW_POINTS = "ring 1 has {} distinct point{}, a ring needs at least 3, near {} m"
ON_A_LINE = "ring {} has all its points on one line, to the rounding of its coordinates, near {} m"
FLAT = (Bezier([[0, 0], [1, 0], [2, 0]]), Polyline([[2, 0], [0, 0]]))


@pytest.mark.parametrize(
    ("rings", "said"),
    [
        ([[[0, 0], [1, 1], [0, 0]]], FEW_POINTS.format(2, "s", "(0, 0)")),
        ([[[2, 3], [2, 3]]], FEW_POINTS.format(1, "", "(2, 3)")),
        ([(EllipticArc.circle([1e30, 1e30], 1e-9),)], FEW_POINTS.format(1, "", "(1e+30, 1e+30)")),
        ([[[0.1, 0.1], [0.2, 0.2], [0.7, 0.7]]], ON_A_LINE.format(1, "(0.1, 0.1)")),
        ([FLAT], "ring 1 encloses no area, near (0, 0) m"),
        ([SQUARE, [[5, 5], [6, 6], [7, 7]]], ON_A_LINE.format(2, "(5, 5)")),
    ],
)
@pytest.mark.parametrize("rule", ["evenodd", "nonzero", "orientation"])
def test_rings_without_an_inside_are_refused(rings: list, said: str, rule: str) -> None:
    """Also beside others: what is left out is not what the file says."""
    assert refused(InvalidGeometry, assembled, drawing(*rings), rule) == (
        f"x.dxf: zero-area: {said}; correct or remove the ring"
    )


@pytest.mark.parametrize("far", [50.0, 2.0**31, 1e16, 1e31])
def test_a_hole_that_crosses_the_outline_is_refused_however_long_it_is(far: float) -> None:
    """A ring that is flat in its own size is judged with the others before anything else is said of it."""
    outer = [[0, 0], [50, 0], [50, 20], [30, 40], [0, 30]]
    assert raised(InvalidGeometry, assembled, drawing(outer, [[10, 5], [10, 20], [30, far]])).code == "rings-cross"


@pytest.mark.parametrize("n", [3, 65, 200])
def test_rings_nested_in_each_other_count_in_turn(n: int) -> None:
    """Squares of half-widths 1 … n about a point: the even-odd rule leaves Σ (−1)^(n−k) 4 k² = 2 n (n + 1)."""
    rings = [[[k, -k], [k, k], [-k, k], [-k, -k]] for k in range(1, n + 1)]
    assert assembled(drawing(*rings)).section.area == 2 * n * (n + 1)
    assert assembled(drawing(*rings[::-1])).section.area == 2 * n * (n + 1)
    with pytest.raises(InvalidGeometry, match=f"rings count {n} times inside of ring 1"):
        assembled(drawing(*rings), "orientation")


def test_rings_that_would_take_for_ever_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("massprops.section.topology.MOST_PAIRS", 40)
    rings = [[[k, -k], [k, k], [-k, k], [-k, -k]] for k in range(1, 10)]
    caught = raised(InvalidGeometry, assembled, drawing(*rings))
    assert caught.code == "too-many-rings"
    assert str(caught).startswith("x.dxf: more than 40 pairs of rings lie inside each other")


def test_roles_of_the_file_are_held_to() -> None:
    source = drawing(SQUARE, [[5, 5], [6, 5], [6, 6]])
    outer, hole = source.rings
    source.rings = [Ring(outer.curves, "shell", role="outer"), Ring(hole.curves, "hole 1", role="hole")]
    said = "x.dxf: hole-outside: hole 1 is a hole that lies in no outer ring, or in another hole, near (5, 5) m; correct the outline"
    assert refused(InvalidGeometry, assembled, source) == said
    source = drawing(SQUARE, HOLE)
    source.rings = [Ring(r.curves, r.place, role="outer") for r in source.rings]
    assert refused(InvalidGeometry, assembled, source) == (
        "x.dxf: rings-overlap: ring 2 is an outer ring inside of another, near (1, 1) m" + MEND
    )


def test_a_hole_of_the_file_is_none_of_the_material_by_any_rule() -> None:
    """What two holes share would be filled, and a hole beside its outline would be a part."""
    across = [[1, 1], [5, 1], [5, 2], [1, 2]]
    for ring, said in (
        (HOLE, ""),
        (HOLE[::-1], ""),
        ([[5, 5], [6, 5], [6, 6]], "hole-outside"),
        (across, "rings-cross"),
    ):
        source = drawing(SQUARE, ring)
        source.rings = [replace(r, role=role) for r, role in zip(source.rings, ("outer", "hole"), strict=True)]
        for rule in ("evenodd", "nonzero"):
            if said:
                caught = raised(InvalidGeometry, assembled, source, rule)
                assert (caught.code, "nonzero" in str(caught.remedy)) == (said, False)
            else:
                assert assembled(source, rule).section.area == 15
    several = drawing(SQUARE, HOLE, [[1.5, 1.5], [3, 1.5], [3, 3]])
    several.rings = [replace(r, role=role) for r, role in zip(several.rings, ("outer", "hole", "hole"), strict=True)]
    for rule in ("evenodd", "nonzero"):
        assert raised(InvalidGeometry, assembled, several, rule).code == "rings-cross"


def test_the_rule_decides_what_a_ring_within_a_ring_is() -> None:
    same, other = drawing(SQUARE, HOLE), drawing(SQUARE, HOLE[::-1])
    assert assembled(same, "nonzero").section.area == 16
    assert assembled(other, "nonzero").section.area == 15
    assert assembled(other, "orientation").section.area == 15
    assert assembled(drawing(SQUARE[::-1], HOLE), "orientation").section.area == 15  # all of it turned round
    said = "x.dxf: rings-overlap: by their orientation, rings count 2 times inside of ring 2, near (1, 1) m"
    assert refused(InvalidGeometry, assembled, same, "orientation") == said + "; see rings='evenodd' or rings='nonzero'"


def test_a_polygon_is_filled_by_the_rule_that_the_file_states_for_it() -> None:
    """Another rule is the caller's, and remarked on where it matters."""
    source = drawing(SQUARE, HOLE)
    source.rings = [replace(ring, polygon=0, fill="nonzero") for ring in source.rings]
    assert assembled(source, None).section.area == 16  # both run the same way round
    assert assembled(source, None).findings == ()
    (finding,) = assembled(source).findings
    assert finding.code == "fill-rule"
    source.rings[1] = replace(source.rings[1], curves=(source.rings[1].curves[0].reversed(),))
    assert (assembled(source, None).section.area, assembled(source).findings) == (15, ())


def test_a_hole_of_one_polygon_is_none_of_another() -> None:
    """As in `MULTIPOLYGON (((A), (h)), ((B)))` with h in B."""
    drawn = drawing(np.add(SQUARE, [10, 0]), HOLE, SQUARE).rings
    roles = ("outer", 0), ("hole", 0), ("outer", 1)
    rings = [replace(ring, role=role, polygon=k) for ring, (role, k) in zip(drawn, roles, strict=True)]
    source = replace(drawing(SQUARE), rings=rings)
    for rule in (None, "evenodd"):
        text = refused(InvalidGeometry, assembled, source, rule)
        assert (
            "x.dxf: hole-outside: ring 2 is a hole that does not lie in the outer ring of its own polygon, near" in text
        )


# --- loose pieces ------------------------------------------------------------------------------------------------------


def pieces(*points: object, gap: float = 0.0) -> PlanarSource:
    lines = [Ring((Polyline(np.add(p, [0, gap * (i % 2)])),), f"LINE {i}", "open") for i, p in enumerate(points)]
    return PlanarSource("x.dxf", "dxf", "ascii", lines)


SIDES = ([[0, 0], [4, 0]], [[4, 4], [4, 0]], [[0, 4], [0, 0]], [[0, 4], [4, 4]])


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)])
def test_loose_pieces_are_joined_in_any_order_and_direction(order: tuple[int, ...]) -> None:
    a = assembled(pieces(*(SIDES[k] for k in order)))
    assert (a.section.area, a.section.perimeter) == (16, 16)
    assert [f.message for f in a.findings] == ["4 loose pieces were joined to 1 ring; the widest gap is 0 m"]


def test_gaps_are_closed_within_the_tolerance_and_no_further() -> None:
    (finding,) = assembled(pieces(*SIDES, gap=3e-6)).findings
    assert (finding.code, finding.value, finding.limit) == ("pieces-joined", pytest.approx(3e-6), pytest.approx(4e-6))
    assert raised(InvalidGeometry, assembled, pieces(*SIDES, gap=1e-3)).code == "open-ring"
    assert assembled(pieces(*SIDES, gap=1e-3), gap=2e-3).section.area == pytest.approx(16, rel=1e-3)


def test_loose_ends_are_listed() -> None:
    assert refused(InvalidGeometry, assembled, pieces(*SIDES[:3], [[7, 7], [8, 8]])) == (
        "x.dxf: open-ring: 2 chains do not close within 8e-06 m; loose ends at (4, 4) m and (0, 4) m, (7, 7) m and (8, 8) m; "
        "close the outline, leave other layers out with layers=, or widen gap="
    )


def test_arcs_and_lines_chain_into_a_stadium() -> None:
    parts = [
        (Polyline([[0, 0], [5, 0]]),),
        (EllipticArc.circular([5, 1], 1, -math.pi / 2, math.pi),),
        (Polyline([[0, 2], [5, 2]]),),
        (EllipticArc.circular([0, 1], 1, math.pi / 2, math.pi),),
    ]
    a = assembled(drawing(*parts, closing="open"))
    assert a.section.area == pytest.approx(10 + math.pi, rel=FEW)
    assert a.section.perimeter == pytest.approx(10 + 2 * math.pi, rel=FEW)
    np.testing.assert_allclose(a.section.bounds, [[-1, 0], [6, 2]], rtol=0, atol=FEW)


def test_what_a_format_leaves_open_is_closed_and_told() -> None:
    a = assembled(drawing([[1, 0.01], [0, 0], [1, -0.01]], closing="implied"))
    assert [(f.code, f.value) for f in a.findings] == [("gap-closed", pytest.approx(0.02))]
    assert a.section.area == pytest.approx(0.01)


# --- numbers -----------------------------------------------------------------------------------------------------------


def test_a_polygon_against_lee_in_rationals() -> None:
    hole = [(3, 3), (4, 3), (4, 4)]
    oracle = lee_polygon_moments(GENERIC, hole[::-1])
    m = massprops.measure(shapely.Polygon(GENERIC, [hole]), units="m").section
    (xx, xy), (_, yy) = floats(central_second(oracle))
    c = m.about_centroid
    np.testing.assert_allclose([c.Ixx, c.Iyy, c.Ixy], [yy, xx, xy], rtol=FEW)
    o = m.about([0, 0])
    (xx, xy), (_, yy) = floats(oracle.second)
    np.testing.assert_allclose([o.Ixx, o.Iyy, o.Ixy], [yy, xx, xy], rtol=FEW)
    assert m.polar == pytest.approx(c.Ixx + c.Iyy, rel=FEW)
    np.testing.assert_allclose(m.centroid, floats(tuple(f / oracle.area for f in oracle.first)), rtol=FEW)


def test_a_rectangle_turned_by_thirty_degrees() -> None:
    b, h, turn = 3.0, 1.0, math.radians(30)
    corners = np.array([[0, 0], [b, 0], [b, h], [0, h]]) - [b / 2, h / 2]
    r = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    s = massprops.measure(corners @ r.T).section
    np.testing.assert_allclose(s.principal_moments, [b * h**3 / 12, h * b**3 / 12], rtol=FEW)
    assert s.principal_angle == pytest.approx(turn, rel=FEW)
    assert massprops.measure(corners @ r).section.principal_angle == pytest.approx(-turn, rel=FEW)
    upright = massprops.measure(corners @ [[0, 1], [-1, 0]]).section
    assert upright.principal_angle == pytest.approx(math.pi / 2)


def test_moduli_belong_to_the_side_that_they_name() -> None:
    # a triangle: centroid at a third of its height, so top and bottom differ by two
    b, h = 3.0, 6.0
    w = massprops.measure([[0, 0], [b, 0], [0, h]]).section.moduli
    assert w["x_plus"] == pytest.approx(b * h**2 / 24, rel=FEW)
    assert w["x_minus"] == pytest.approx(b * h**2 / 12, rel=FEW)
    assert w["y_plus"] == pytest.approx(h * b**2 / 24, rel=FEW)
    assert w["y_minus"] == pytest.approx(h * b**2 / 12, rel=FEW)


# --- bodies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("centered", [False, True])
def test_an_extruded_section_is_the_prism(centered: bool) -> None:
    t = Fraction(5, 2)
    low = -t / 2 if centered else Fraction(0)
    exact = extruded_moments(lee_polygon_moments(GENERIC), low, low + t)
    m = massprops.measure(GENERIC, thickness=float(t), centered=centered, density=3)
    assert m.volume == pytest.approx(float(exact.volume), rel=FEW)
    wanted = floats(inertia_of(central_second(exact))) * 3
    np.testing.assert_allclose(m.inertia, wanted, rtol=0, atol=FEW * np.abs(wanted).max())
    np.testing.assert_allclose(m.center_of_mass, floats(exact.first) / float(exact.volume), rtol=FEW, atol=FEW)
    np.testing.assert_array_equal(m.bounds, [[1, 1, float(low)], [9, 9, float(low + t)]])


def test_an_extruded_section_is_the_mesh_of_the_prism() -> None:
    pose = Pose.from_xyz_rpy([1, -2, 3], [0.3, -0.4, 0.5])
    flat = massprops.measure(GENERIC, thickness=2.5, mass=7, pose=pose)
    mesh = massprops.measure(prism(GENERIC, 2.5), mass=7, pose=pose)
    np.testing.assert_allclose(flat.inertia, mesh.inertia, rtol=0, atol=1e-13 * np.abs(mesh.inertia).max())
    np.testing.assert_allclose(flat.center_of_mass, mesh.center_of_mass, rtol=1e-13)
    np.testing.assert_allclose(flat.bounds, mesh.bounds, rtol=0, atol=1e-13)
    assert flat.area == pytest.approx(mesh.area, rel=1e-13)
    assert (flat.volume, flat.density) == pytest.approx((mesh.volume, mesh.density), rel=1e-13)


def test_a_thin_prism_tends_to_its_lamina() -> None:
    sheet = massprops.measure(GENERIC, mass=7)
    for t in (1e-2, 1e-4):
        thin = massprops.measure(GENERIC, mass=7, thickness=t, centered=True)
        # Ixx and Iyy are larger by m t²/12, and nothing else is
        np.testing.assert_allclose(
            thin.inertia - sheet.inertia, 7 * t**2 / 12 * np.diag([1, 1, 0]), rtol=0, atol=1e-13 * 50
        )


def test_a_lamina_is_a_body_of_rank_two() -> None:
    m = massprops.measure(GENERIC, area_density=2.5)
    assert (m.method, m.volume, m.density) == ("lamina", None, 2.5)
    assert m.mass == pytest.approx(2.5 * m.area, rel=FEW)
    assert m.properties.consistency().kind == "plate"
    assert m.inertia[2, 2] == pytest.approx(m.inertia[0, 0] + m.inertia[1, 1], rel=FEW)  # perpendicular axes
    assert m.inertia[0, 1] == pytest.approx(
        -2.5 * m.section.about_centroid.Ixy, rel=FEW
    )  # tensor against engineers' sign


def test_bounds_of_a_turned_disc_are_the_discs(tmp_path: Path) -> None:
    path = tmp_path / "disc.svg"
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg"><circle cx="3" cy="0" r="2"/></svg>')
    turn = math.radians(40)
    m = massprops.measure(path, units="m", thickness=1, pose=Pose.from_xyz_rpy([0, 0, 0], [0, turn, 0]))
    # x' = x cos + z sin: the disc reaches 1 … 5 in x, the solid 0 … 1 in z
    np.testing.assert_allclose(m.bounds[:, 0], [math.cos(turn), 5 * math.cos(turn) + math.sin(turn)], rtol=FEW)
    np.testing.assert_allclose(m.bounds[:, 1], [-2, 2], rtol=FEW)


# --- composite sections ------------------------------------------------------------------------------------------------


def files(folder: Path) -> list[str]:
    """A rectangle 4 × 2 and, on top of it, one of 4 × 1."""
    (folder / "low.csv").write_text("0,0\n4,0\n4,2\n0,2\n")
    (folder / "top.csv").write_text("0,2\n4,2\n4,3\n0,3\n")
    return [str(folder / "low.csv"), str(folder / "top.csv")]


def test_a_composite_section_has_the_names_of_its_files_everywhere(tmp_path: Path) -> None:
    """Not that of the last one, of which the numbers are not."""
    words = ["compute", *files(tmp_path), "--combine", "--area-density", "2", "--format"]
    (tmp_path / "a.json").write_text(run(*words, "json").out, encoding="utf-8")
    assert repr(massprops.measure(files(tmp_path), units="m")).startswith("<low.csv + top.csv: ")
    for text in (run(*words, "csv").out, run("convert", tmp_path / "a.json", "--format", "csv").out):
        assert text.splitlines()[1].startswith("low + top,24.0,")


def test_a_folder_with_a_plus_is_one_file(tmp_path: Path) -> None:
    """Its name was taken for those of two files."""
    folder = tmp_path / "a + b"
    folder.mkdir()
    low, _ = files(folder)
    (folder / "a.json").write_text(run("compute", low, "--area-density", "2", "--format", "json").out, encoding="utf-8")
    assert repr(massprops.measure(low, units="m")).startswith("<low.csv: ")
    assert run("convert", folder / "a.json", "--format", "csv").out.splitlines()[1].startswith("low,")


def test_a_composite_section_is_weighted_with_its_ratios(tmp_path: Path) -> None:
    low, top = files(tmp_path)
    m = massprops.measure([low, top], units="m", ratios={top: 6})
    s = m.section
    assert (s.area, s.moments.measure) == (12, 32)  # 8 + 6 · 4
    assert s.centroid.tolist() == pytest.approx([2, (8 * 1 + 24 * 2.5) / 32])
    y = (8 * 1 + 24 * 2.5) / 32
    wanted = 4 * 2**3 / 12 + 8 * (y - 1) ** 2 + 6 * (4 / 12 + 4 * (2.5 - y) ** 2)
    assert s.about_centroid.Ixx == pytest.approx(wanted, rel=FEW)
    assert m.center_of_mass.tolist() == pytest.approx([2, 1.5, 0])  # a ratio of stiffness moves no mass


def test_parts_of_different_density_are_bodies_joined(tmp_path: Path) -> None:
    low, top = files(tmp_path)
    both = massprops.measure([low, top], units="m", thickness=0.5, densities={low: 1000, top: "7.8 g/cm3"})
    joined = (
        massprops.measure(low, units="m", thickness=0.5, density=1000).properties
        + massprops.measure(top, units="m", thickness=0.5, density=7800).properties
    )
    assert (both.mass, both.volume) == (pytest.approx(joined.mass, rel=FEW), 6)
    np.testing.assert_allclose(both.center_of_mass, joined.com, rtol=FEW)
    np.testing.assert_allclose(both.inertia, joined.inertia, rtol=0, atol=FEW * joined.inertia.max())


@pytest.mark.parametrize(
    ("other", "where"),
    [
        ("1,1\n2,1\n2,1.5\n", "(1, 1)"),  # inside
        ("3,1\n6,1\n6,1.5\n", "(4, 1)"),  # across
        ("0,0\n4,0\n4,2\n0,2\n", "(2, 0)"),  # the same: the middle of the first edge
        ("-1,-1\n9,-1\n9,9\n-1,9\n", "(0, 0)"),  # around
        ("4,0\n5,0\n5,1\n", None),  # beside
    ],
)
def test_parts_that_lie_on_each_other_are_remarked_on(tmp_path: Path, other: str, where: str | None) -> None:
    low, _ = files(tmp_path)
    path = tmp_path / "other.csv"
    path.write_text(other)
    found = [f.message for f in massprops.measure([low, str(path)], units="m").findings if f.code == "parts-overlap"]
    if where is None:
        assert found == []
        return
    (said,) = found
    names = (repr(low), repr(str(path))) if "-1" not in other else (repr(str(path)), repr(low))
    assert said == f"{names[0]} and {names[1]} overlap near {where} m; the shared area counts for both"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ratios": {"web": 2}}, "there is no part 'web'; parts: {0!r}, {1!r}"),
        (
            {"densities": {"LOW": 2}, "thickness": 1},
            "1 of 2 parts have no density: {1!r}; give each one its own, or a density for all others",
        ),
        ({"densities": {"LOW": 2, "TOP": 1}}, "a mass follows from the densities of parts and a thickness; give the thickness"),
        ({"density": 1}, "a sheet has a mass per area, and only a density is given; add thickness=, or give area_density="),
        ({"layers": ["web"]}, "there is no layer 'web'; layers with outlines: none"),
        ({"ratios": {"web": -1}}, "ratio of 'web' must be positive and finite, got -1"),
        ({"rings": "odd"}, "rings must be one of evenodd, nonzero, orientation, got 'odd'"),
        ({"gap": 0}, "gap must be positive, got 0.0 m"),
    ],
)  # fmt: skip
def test_options_that_contradict_the_section_are_refused(tmp_path: Path, options: dict, said: str) -> None:
    low, top = files(tmp_path)
    if "densities" in options:
        options = {**options, "densities": {{"LOW": low, "TOP": top}[k]: v for k, v in options["densities"].items()}}
    assert refused(InvalidInput, massprops.measure, [low, top], units="m", **options) == said.format(low, top)


def test_a_mesh_is_no_part_of_a_section(tmp_path: Path) -> None:
    low, _ = files(tmp_path)
    assert refused(InvalidInput, massprops.measure, [low, "part.stl"]) == (
        "part.stl: is a mesh, and only plane files are parts of a section; leave it out"
    )


def test_layers_of_one_file_are_parts(tmp_path: Path) -> None:
    document = ezdxf.new("R2000", units=6)  # m
    for layer, low, high in (("web", 0, 2), ("flange", 2, 3)):
        corners = [(0, low), (4, low), (4, high), (0, high)]
        document.modelspace().add_lwpolyline(corners, close=True, dxfattribs={"layer": layer})
    document.saveas(tmp_path / "x.dxf")
    section = massprops.measure(tmp_path / "x.dxf", ratios={"flange": 6}).section
    assert (section.area, section.moments.measure, section.centroid.tolist()) == (12, 32, [2, 2.125])
    assert massprops.measure(tmp_path / "x.dxf", layers=["web"]).area == 8
    for parts in ({"densities": {"web": 1000, "flange": 2000}}, {"density": 1000, "densities": {"fl*": "2 g/cm3"}}):
        heavy = massprops.measure(tmp_path / "x.dxf", **parts, thickness=1)
        assert (heavy.mass, heavy.volume) == (16000, 12)
        assert [(p.label.name, p.measurement.mass) for p in heavy.parts] == [("web", 8000), ("flange", 8000)]
    mixed = massprops.measure(tmp_path / "x.dxf", densities={"web": 1000}, materials={"flange": "steel"}, thickness=1)
    assert mixed.mass == 8000 + 4 * massprops.materials.find("steel").density
    with pytest.raises(
        InvalidInput, match="the ± of a density is supported for the parts of a mesh only; leave it out"
    ):
        massprops.measure(tmp_path / "x.dxf", density=1, densities={"web": "1000 +- 5"}, thickness=1)


@pytest.mark.parametrize("thickness", [None, 0.5])
def test_a_chord_tolerance_bounds_what_polygons_cut_off_circles(thickness: float | None) -> None:
    n, r = 24, 2.0
    inscribed = regular_polygon(n, r)
    sagitta = r * (1 - math.cos(math.pi / n))
    tolerance = f"{sagitta * 1.0001:.6f} m"  # printed with six decimals, never less
    mass_specification = {"area_density": 2.0} if thickness is None else {"thickness": thickness, "density": 2.0}
    m = massprops.measure(np.add(inscribed, (3, 1)), chord_tolerance=tolerance, **mass_specification)
    off = m.sources["chord"]
    height = thickness or 1.0
    area = math.pi * r * r
    assert off.mass >= 2 * height * area - m.mass > 0
    # of a plate of height h: m (3 r² + h²) / 12, m r² / 2; of a sheet without the h²
    flat = 0.0 if thickness is None else thickness**2
    true = 2 * height * area * np.diag([(3 * r * r + flat) / 12] * 2 + [r * r / 2])
    assert (np.abs(true - m.inertia) <= off.inertia + 1e-12).all()
    without = massprops.measure(np.add(inscribed, (3, 1)), **mass_specification)
    assert "chord" not in without.sources


def test_a_chord_tolerance_is_told_however_thin_the_section_is_or_refused() -> None:
    sliver = np.array([(0, 0), (4, 0), (4, 0.1), (0, 0.1)])  # area 0.4, perimeter 8.2
    off = massprops.measure(sliver, chord_tolerance=0.04, density="100 +- 10%", thickness=1)
    assert off.sources["chord"].volume == pytest.approx(0.04 * 8.2, rel=0.02)
    assert off.uncertainty.mass > 0.1 * off.mass
    assert refused(InvalidInput, massprops.measure, sliver, chord_tolerance=0.05) == (
        "a chord tolerance of 0.05 m along outlines of 8.2 m leaves nothing certain of the area; is its unit meant?"
    )


def test_options_of_meshes_are_refused() -> None:
    for name, value, told in (("kind", "sheet", "kind='sheet'"), ("verify", "proof", "verify")):
        assert refused(InvalidInput, massprops.measure, GENERIC, thickness=0.1, **{name: value}) == (
            f"{told} is for meshes, and this is a plane file; leave it out"
        )


@pytest.mark.parametrize("thickness", [None, 0.3])
def test_an_area_that_is_less_certain_than_the_limit_is_refused(thickness: float | None) -> None:
    # a square of 1 m², and 4 m of outlines that may be 1 mm off: 0.4 %, and what the corners add
    measure = partial(massprops.measure, np.array(SQUARE) / 4, chord_tolerance=1e-3, thickness=thickness)
    assert measure(max_uncertainty="0.41 %").area
    with pytest.raises(InvalidGeometry, match=r"area is known within ±0\.404 %, which exceeds the limit of 0\.39 %"):
        measure(max_uncertainty="0.39 %")


def test_a_unit_is_stated_where_every_file_states_it(tmp_path: Path) -> None:
    """A section of 20 m is named where the unit of one of its files is only assumed."""
    text = "0,{0}\n20,{0}\n20,{1}\n0,{1}\n"
    (tmp_path / "a.csv").write_text(text.format(0, 9))
    document = ezdxf.new(units=6)  # metres
    document.modelspace().add_lwpolyline([(0, 9), (20, 9), (20, 20), (0, 20)], close=True)
    document.saveas(tmp_path / "b.dxf")
    for names, count in ((["b.dxf", "a.csv"], 1), (["b.dxf"], 0), (["a.csv"], 1)):
        found = massprops.measure([str(tmp_path / name) for name in names]).findings
        assert [f.code for f in found].count("implausible-size") == count


def test_a_mesh_has_no_layers() -> None:
    assert refused(InvalidInput, massprops.measure, prism(GENERIC, 1), layers=["a"]) == (
        "layers is for plane files, and this is a mesh; leave it out"
    )


# --- the command line --------------------------------------------------------------------------------------------------


def test_json_of_a_section_is_that_of_the_schema(tmp_path: Path) -> None:
    low, top = files(tmp_path)
    for args in ("--about 1m,2m", "--thickness 5mm --density 2700", "--area-density 3 --about 1,2,3"):
        done = run("compute", low, "--units", "m", "--format", "json", *args.split())
        assert done.returncode == 0
        result = done.result
        assert (result["section"]["area"], result["perimeter"], result["centroid"]) == (8, 12, [2, 1])
        if "--about" in args:
            moments = {"Ixx": 8 / 3 + 8, "Iyy": pytest.approx(32 / 3 + 8), "Ixy": -8}
            assert result["section"]["about"] == {"point": [1, 2], **moments}
    done = run("compute", "--combine", low, top, "--ratio", f"{top}=6", "--format", "json", "--units", "m", "--hash")
    digests = "".join(hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in (low, top))
    assert done.result["input"]["sha256"] == hashlib.sha256(digests.encode()).hexdigest()
    assert json.loads(done.out)["section"]["weighted_area"] == 32
    assert json.loads(done.out)["input"]["path"] == f"{low} + {top}"


def test_urdf_of_a_plate(tmp_path: Path) -> None:
    low, _ = files(tmp_path)
    done = run("compute", low, "--units", "mm", "--thickness", "3mm", "--density", "2700", "--format", "urdf")
    assert (done.returncode, done.err) == (0, "")
    assert '<mass value="6.48e-05" />' in done.out


def test_refusals_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("0,0\n1,1\n1,0\n0,1\n")
    said = CROSSES.format("(0.5, 0.5)").replace("ring 1", "line 1") + "; correct the outline, or use --rings nonzero"
    plain_failure(run("compute", path, "--units", "m"), 4, f"{path}: {said}")


def test_a_section_in_forty_columns_keeps_its_digits(tmp_path: Path) -> None:
    low, _ = files(tmp_path)
    section = massprops.measure(low, units="m").section
    done = run("compute", low, "--units", "m", "--digits", "9", env={"COLUMNS": "40"})
    assert max(map(len, done.out.splitlines()[1:])) <= 40 or "/" in done.out.splitlines()[0]
    i = section.about_centroid
    shown = dict(re.findall(r"(I[xy]{2}) +(-?[\d.]\S*)", done.out))
    assert {name: float(x) for name, x in shown.items()} == {
        name: float(f"{value:.9g}") for name, value in (("Ixx", i.Ixx), ("Iyy", i.Iyy), ("Ixy", i.Ixy))
    }


def test_every_refusal_is_an_error_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    path.write_text("0,0\n1e60,0\n0,1e60\n")
    said = (
        "the section is 1e+60 units across and 1e+60 units from the origin: second moments of area need fourth powers, "
        "which leave double precision; scale or move the coordinates"
    )
    assert refused(MasspropsError, massprops.measure, path, units="m") == f"{path}: {said}"


# --- parts, sources, joints --------------------------------------------------------------------------------------------


def square_file(folder: Path, name: str = "sq.csv") -> str:
    (folder / name).write_text("0,0\n1,0\n1,1\n0,1\n")
    return str(folder / name)


def test_a_file_named_twice_counts_twice_and_is_not_certified(tmp_path: Path) -> None:
    """Parts are counted, not looked up by name; what two of them share is not bounded once."""
    sq = square_file(tmp_path)
    twice = massprops.measure([sq, sq])
    assert (twice.section.area, twice.moments.measure) == (2.0, 2.0)
    assert twice.grade == "closed"
    assert "parts-overlap" in [f.code for f in twice.findings]


def test_a_file_without_layers_is_one_part_of_its_own_name(tmp_path: Path) -> None:
    """Without layers there is nothing else to call it by, neither in an option nor in a message."""
    sq = square_file(tmp_path)
    assert massprops.measure(sq, ratios={sq: 2.0}).section.moments.measure == 2.0
    with pytest.raises(InvalidInput, match="no part 'other'") as error:
        massprops.measure(sq, ratios={"other": 2.0})
    assert error.value.hint == f"parts: {sq!r}"


@pytest.mark.parametrize("degrees", range(7, 187, 15))
def test_the_joints_of_a_half_ellipse_do_not_cross_whatever_its_direction(tmp_path: Path, degrees: int) -> None:
    """The ends of a computed arc differ from those of the line by rounding, which is no edge of its own."""
    turn = math.radians(degrees)
    major = 3 * math.cos(turn), 3 * math.sin(turn)
    minor = -major[1] / 2, major[0] / 2
    document = ezdxf.new()
    document.modelspace().add_ellipse((0, 0), major, 0.5, math.pi * 1.5, math.pi * 0.5)
    document.modelspace().add_line(minor, (-minor[0], -minor[1]))
    document.saveas(tmp_path / "half.dxf")
    area = massprops.measure(tmp_path / "half.dxf").section.area
    assert area == pytest.approx(math.pi * 3 * 1.5 / 2, rel=FEW)


# --- how far off ---------------------------------------------------------------------------------------------------------


def test_stated_tolerances_bound_what_the_ends_of_their_ranges_give() -> None:
    """Density and thickness may be off together; the tensor and the centre follow."""
    nominal = massprops.measure(np.array(GENERIC), density="7800 +- 1%", thickness="1 +- 0.1")
    worst = massprops.measure(np.array(GENERIC), density=7800 * 1.01, thickness=1.1)
    mass_specification = nominal.sources["matter"]
    assert mass_specification.mass == pytest.approx(worst.mass - nominal.mass, rel=1e-12)
    assert mass_specification.volume == pytest.approx(worst.volume - nominal.volume, rel=1e-12)
    assert mass_specification.center_of_mass == pytest.approx(worst.center_of_mass - nominal.center_of_mass, abs=1e-12)
    inertia = [m.properties.inertia for m in (nominal, worst)]
    # beside the bound of rounding, which the tolerances multiply
    assert mass_specification.inertia == pytest.approx(np.abs(inertia[1] - inertia[0]), abs=1e-12 * inertia[1].max())
    # and the outlines with them: a square whose sides are each 0.09 off (the bound is of first order)
    plate = massprops.measure(np.array(SQUARE), density="100 +- 10%", thickness="1 +- 0.1", chord_tolerance=0.1)
    most = massprops.measure(np.array(SQUARE) * 1.045 - 0.09, density=110, thickness=1.1)
    assert most.mass <= plate.mass + plate.uncertainty.mass_change[1] + 1e-9
    assert (np.abs(most.inertia - plate.inertia) <= plate.uncertainty.inertia).all()
    # (1.1² − 1) of what the outlines can be off is to be added to what the tolerances do alone
    alone = massprops.measure(np.array(SQUARE), density="100 +- 10%", thickness="1 +- 0.1")
    added = plate.sources["matter"].inertia - alone.sources["matter"].inertia
    assert (added >= 0.2 * plate.sources["chord"].inertia).all()
    given = massprops.measure(np.array(GENERIC), mass="5 +- 10%", thickness=1)
    assert given.sources["matter"].mass == pytest.approx(0.5)
    sheet = massprops.measure(np.array(GENERIC), area_density="2 +- 1%")
    assert sheet.sources["matter"].mass == pytest.approx(0.01 * sheet.mass)
    assert sheet.uncertainty.volume is None


@pytest.mark.parametrize("far", [0, 10])
@pytest.mark.parametrize("centered", [True, False])
def test_the_error_of_a_plate_is_that_of_the_largest_and_densest(far: int, centered: bool) -> None:
    """Outlines off by δ change a rectangle by the area P δ as far out as its corners; the errors of thickness and density multiply it."""
    corners, delta, area, reach = np.array([[-2, -1], [2, -1], [2, 1], [-2, 1.0]]), 0.01, 8, np.array([2, 1])
    how = {"thickness": "0.5 +- 4%", "density": "100 +- 3%", "chord_tolerance": delta, "centered": centered}
    off = massprops.measure(corners + far, **how).uncertainty
    strip = 12 * delta
    second, more = (np.diag([area * 0.5 / 12 * 16, area * 0.5 / 12 * 4, area * 0.5**3 / 12]) for _ in "ab")
    more[:2, :2] += 1.01 * 0.5 * strip * np.outer(reach, reach) / (1 - strip / area)
    more[2, 2] += 1.01 * strip * 0.5**3 / 12
    more *= 1.03 * np.array([[1.04, 1.04, 1], [1.04, 1.04, 1], [1, 1, 1.04**3]])
    gap = 100 * (more - second)
    x, y, z = gap.diagonal()
    np.fill_diagonal(gap, (y + z, x + z, x + y))
    assert off.volume == pytest.approx(0.5 * (1.04 * (area + 1.01 * strip) - area), rel=1e-9)
    assert off.mass == pytest.approx(50 * (1.03 * 1.04 * (area + 1.01 * strip) - area), rel=1e-9)
    away = 1.01 * strip * reach / (area - strip)
    assert off.center_of_mass == pytest.approx([*away, 0 if centered else 0.04 * 0.5 / 2], rel=1e-9, abs=1e-13)
    assert off.inertia == pytest.approx(gap, rel=1e-9, abs=1e-11)


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0.1, 1)), min_size=3, max_size=9), st.floats(-1e6, 1e6))
def test_rounding_stays_within_its_bound(radii: list[tuple[float, float]], far: float) -> None:
    """Against rationals, of the very coordinates that were given: star-shaped polygons, anywhere."""
    turn = [2 * math.pi * k / len(radii) for k in range(len(radii))]
    ring = [(far + r * math.cos(t), far / 3 + r * math.sin(t)) for t, (_, r) in zip(turn, radii, strict=True)]
    try:
        found = massprops.measure(np.array(ring), thickness=2)
    except MasspropsError:
        return
    x = [tuple(map(Fraction, p)) for p in ring]
    cross = [a[0] * b[1] - a[1] * b[0] for a, b in zip(x, x[1:] + x[:1], strict=True)]
    area = sum(cross) / 2
    center = [
        sum((a[k] + b[k]) * c for a, b, c in zip(x, x[1:] + x[:1], cross, strict=True)) / (6 * area) for k in (0, 1)
    ]
    off = found.sources["arithmetic"]
    assert abs(Fraction(found.volume) - 2 * area) <= off.volume
    assert all(abs(Fraction(float(found.center_of_mass[k])) - center[k]) <= off.center_of_mass[k] for k in (0, 1))
    assert off.center_of_mass[2] > 0  # the height is converted to metres, too


def test_flattening_and_gaps_are_sources_of_their_own() -> None:
    """The errors of flattened curves and of joined ends are part of the ±, beside their remarks."""
    pytest.importorskip("shapely")
    circles = drawing((EllipticArc.circle((0, 0), 1),), (EllipticArc.circle((1, 0), 1),))
    a = assembled(circles, "nonzero")
    missing = next(f.value for f in a.findings if f.code == "rings-united")
    measured = measured_of(a, "nonzero")
    assert measured.sources["estimate"].mass is None
    lens = 2 * math.pi - (2 * math.pi / 3 - math.sqrt(3) / 2)
    assert 0 < abs(measured.section.area - lens) <= missing
    gapped = measured_of(assembled(pieces(*SIDES, gap=1e-7)))
    assert gapped.sources["resolution"].center_of_mass[0] > 1e-8
    # the widest gap may be anywhere along the outlines; areas that are missing add up
    found = [Finding(code, "info", "", x) for code in ("pieces-joined", "rings-united") for x in (1e-3, 3e-3, 2e-3)]
    spreads = plane_spreads(gapped.section, found, weight=2.0)
    assert spreads["resolution"].volume == pytest.approx(1.01 * 2 * gapped.section.perimeter * 3e-3)
    assert spreads["estimate"].volume == pytest.approx(2 * 6e-3)


def measured_of(a: Assembled, rule: str = "evenodd", thickness: float | None = None) -> massprops.Measurement:
    from massprops.measurement.options import Options
    from massprops.measurement.result import Input
    from massprops.measurement.section import planar_measurement
    from massprops.section.parts import Part

    described = Input("x.dxf", "dxf", "ascii", "m", None)
    return planar_measurement([Part("x.dxf", a, Fraction(1))], Options(rings=rule, thickness=thickness), described)


def test_what_makes_no_difference_to_a_sheet_is_refused() -> None:
    with pytest.raises(InvalidInput, match="centered needs thickness"):
        massprops.measure(np.array(SQUARE), centered=True)


def exact_section(ring: list[tuple[float, float]]) -> dict[str, Fraction]:
    """Area, centroid and central second moments of a polygon of either sense in rationals."""
    exact = lee_polygon_moments(ring)
    if exact.area < 0:
        exact = lee_polygon_moments(ring[::-1])
    (xx, xy), (_, yy) = central_second(exact)
    cx, cy = (f / exact.area for f in exact.first)
    return {"area": exact.area, "cx": cx, "cy": cy, "Ixx": yy, "Iyy": xx, "Ixy": xy}


def exact_half(ring: list[tuple[float, float]], level: Fraction) -> tuple[Fraction, Fraction]:
    """Area of the part of a polygon below a level, and its first moment about it, in rationals: it is clipped (Sutherland and Hodgman)."""
    x = [tuple(map(Fraction, p)) for p in ring]
    clipped: list[tuple[Fraction, ...]] = []
    for (a, b), (c, d) in zip(x, x[1:] + x[:1], strict=True):
        if b <= level:
            clipped.append((a, b))
        if (b - level) * (d - level) < 0:
            clipped.append((a + (c - a) * (level - b) / (d - b), level))
    area = moment = Fraction(0)
    for (a, b), (c, d) in zip(clipped, clipped[1:] + clipped[:1], strict=True):
        area += (a * d - c * b) / 2
        moment += (a * (d - level) - c * (b - level)) * (2 * level - b - d) / 6
    return abs(area), abs(moment)


def exact_perimeter(ring: list[tuple[float, float]]) -> Fraction:
    """To 400 digits."""
    with localcontext() as context:
        context.prec = 400
        x = [tuple(map(Decimal, p)) for p in ring]
        edges = zip(x, x[1:] + x[:1], strict=True)
        return Fraction(sum((((a - c) ** 2 + (b - d) ** 2).sqrt() for (a, b), (c, d) in edges), Decimal(0)))


def test_a_perimeter_has_a_bound_only_where_one_is_known(tmp_path: Path) -> None:
    """Straight edges: their rounding; an outline that is known to a distance only can be of any length."""
    ring = np.array([[0, 0], [3, 0], [3, 4.0]])
    assert massprops.measure(ring).section.errors()["perimeter"] < 1e-13
    assert massprops.measure(ring, chord_tolerance=1e-3).section.errors()["perimeter"] is None
    drawing = tmp_path / "disc.svg"
    drawing.write_text('<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>')
    assert massprops.measure(drawing, units="m").section.errors()["perimeter"] is None


@given(st.floats(0, 14), st.floats(-3, 3), st.floats(0, 8), st.booleans(), st.integers(0, 10**6), st.booleans())
def test_thin_and_distant_sections_are_within_their_bounds_or_refused(
    aspect: float, angle: float, far: float, turned: bool, seed: int, exact: bool
) -> None:
    """Against rationals of the very coordinates: aspects up to 1e14, turned, and 1e8 sizes away."""
    rng = np.random.default_rng(seed)
    shape = np.array(
        [(0, 0), (1, rng.uniform(-0.3, 0.3)), (1, 1), (rng.uniform(0.2, 0.8), rng.uniform(0.5, 1.5)), (0, 1)]
    )
    shape[:, 0] *= 10**aspect
    c, s = (math.cos(angle), math.sin(angle)) if turned else (1.0, 0.0)
    ring = [(c * x - s * y + 10**far, s * x + c * y + 10**far) for x, y in shape.tolist()]
    try:
        found = massprops.measure(np.array(ring), exact=exact)
    except MasspropsError:
        return
    json.dumps(found.to_dict(), allow_nan=False)
    section, true = found.section.to_dict(), exact_section(ring)
    off = section["uncertainty"]
    assert abs(Fraction(section["area"]) - true["area"]) <= off["area"]
    assert abs(Fraction(section["perimeter"]) - exact_perimeter(ring)) <= off["perimeter"]
    for k, name in enumerate(("cx", "cy")):
        assert abs(Fraction(section["centroid"][k]) - true[name]) <= off["centroid"][k]
    for name in ("Ixx", "Iyy", "Ixy"):
        assert abs(Fraction(section["about_centroid"][name]) - true[name]) <= off["about_centroid"][name]
        assert math.isfinite(section["about_origin"][name])
    high = max(Fraction(y) for _, y in ring)
    if off["moduli"]["x_plus"] is not None:
        assert abs(Fraction(section["moduli"]["x_plus"]) - true["Ixx"] / (high - true["cy"])) <= off["moduli"]["x_plus"]
    level, slack = (section["plastic"]["neutral_axes"]["x"], off["plastic"]["neutral_axes"]["x"])
    below, moment = exact_half(ring, Fraction(level))
    assert (
        exact_half(ring, Fraction(level - slack))[0] <= true["area"] / 2 <= exact_half(ring, Fraction(level + slack))[0]
    )
    # W(c) = ∬ |y − c| is convex and smallest on the plastic axis: W(c) less the smallest one is |W′(c)| times the distance at most
    highest = 2 * moment + true["area"] * (true["cy"] - Fraction(level))
    lowest = highest - abs(2 * below - true["area"]) * Fraction(slack)
    shown, bound = (Fraction(found["plastic"]["modulus"]["x"]) for found in (section, off))
    assert lowest - bound <= shown <= highest + bound
    statical = exact_half(ring, true["cy"])[1]
    assert abs(Fraction(section["statical_moments"]["x"]) - statical) <= off["statical_moments"]["x"]
    radius = math.sqrt(true["Ixx"] / true["area"])
    assert abs(section["radii_of_gyration"][0] - radius) <= off["radii_of_gyration"][0] + 4e-16 * radius
    at_origin = true["Ixx"] + true["area"] * true["cy"] ** 2
    assert abs(Fraction(section["about_origin"]["Ixx"]) - at_origin) <= off["about_origin"]["Ixx"]


def test_a_turned_strip_has_all_its_digits() -> None:
    """The sums of doubles lose 1e-3 of the area of a strip 1e13 times as long as it is wide."""
    ring = [(0.0, 0.0), (3e6, 1e6), (3e6 - 1e-7, 1e6 + 3e-7), (-1e-7, 3e-7)]
    section, true = massprops.measure(np.array(ring)).section, exact_section(ring)
    assert section.area == float(true["area"])
    assert section.about_centroid.Ixx == pytest.approx(float(true["Ixx"]), rel=1e-15)


def test_the_bound_of_a_section_is_that_of_all_sources(tmp_path: Path) -> None:
    """A chord tolerance moves the outline: a square grown by it lies within the bounds, and in other units too."""
    path = tmp_path / "square.csv"
    path.write_text("0,0\n4,0\n4,4\n0,4\n")
    plain = massprops.measure(path, units="mm").section.to_dict()
    loose = massprops.measure(path, units="mm", chord_tolerance="0.01 mm").section.to_dict()
    assert plain["uncertainty"]["area"] < 2e-14 * plain["area"]
    grown = massprops.measure(np.array(SQUARE) * 0.001005 - 0.00001).section.to_dict()
    assert abs(grown["area"] - loose["area"]) <= loose["uncertainty"]["area"] * 1.01
    assert (
        abs(grown["about_centroid"]["Ixx"] - loose["about_centroid"]["Ixx"])
        <= loose["uncertainty"]["about_centroid"]["Ixx"]
    )


@pytest.mark.parametrize("at", [0, 1, 8190, 8191, 8192, 8193, 19_998])
def test_a_spike_is_found_wherever_a_long_ring_has_it(at: int) -> None:
    """Also where one stretch of points ends and the next begins."""
    turn = np.linspace(0, 2 * math.pi, 20_000, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    assert len(spikes(ring)) == 0
    # out and back by whole powers of two, so that the three points are on one line
    base = np.round(ring[at] * 1024) / 1024
    spiked = np.insert(ring, at, [base, 2 * base, base], axis=0)
    assert spikes(spiked).tolist() == [(2 * base).tolist()]

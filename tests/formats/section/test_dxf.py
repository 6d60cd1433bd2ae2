"""DXF: every entity against closed forms, blocks against the maps they are, every refusal by entity."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from cases import each
from planar_reading import area, codes, points, read, refusal

import massprops

ezdxf = pytest.importorskip("ezdxf", reason="DXF drawings are made and read through ezdxf")

SUMS = 1e-12
QUARTER = math.tan(math.pi / 8)


def drawing(draw, version: str = "R2010", units: int = 4, binary: bool = False) -> bytes:
    """A drawing made by ezdxf: `draw` is given its model space and the document."""
    document = ezdxf.new(version)
    document.header["$INSUNITS"] = units
    draw(document.modelspace(), document)
    stream = io.BytesIO() if binary else io.StringIO()
    document.write(stream, fmt="bin" if binary else "asc")
    return stream.getvalue() if binary else stream.getvalue().encode(document.output_encoding)


def rings(draw, version: str = "R2010", **request):
    return read(drawing(draw, version), "p.dxf", **request).rings


def areas(draw, version: str = "R2010") -> list[float]:
    return [area(ring) for ring in rings(draw, version)]


# --- entities ----------------------------------------------------------------------------------------------------------

SPLINE_CIRCLE = {
    "control_points": [(2, 0), (2, 2), (0, 2), (-2, 2), (-2, 0), (-2, -2), (0, -2), (2, -2), (2, 0)],
    "weights": [1, 0.5**0.5] * 4 + [1],
    "knots": [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4],
}


def rational_circle(space, _):
    spline = space.add_rational_spline(SPLINE_CIRCLE["control_points"], SPLINE_CIRCLE["weights"], degree=2)
    spline.knots = SPLINE_CIRCLE["knots"]


@each(
    ("draw", "size"),
    [
        (lambda m, _: m.add_circle((5e3, -7e3), 3), math.pi * 9),
        (lambda m, _: m.add_arc((1, 2), 3, 0, 360), math.pi * 9),
        (lambda m, _: m.add_arc((1, 2), 3, 20, 20), math.pi * 9),
        (lambda m, _: m.add_ellipse((1, 2), (3, 4), 0.5), math.pi * 5 * 2.5),
        (lambda m, _: m.add_lwpolyline([(0, 0), (4, 0), (4, 3)], close=True), 6),
        (lambda m, _: m.add_lwpolyline([(0, 0), (4, 0), (4, 3), (0, 0)]), 6),
        (lambda m, _: m.add_lwpolyline([(0, 0, 1), (4, 0, 1)], format="xyb", close=True), math.pi * 4),
        (lambda m, _: m.add_lwpolyline([(0, 0, -1), (4, 0, -1)], format="xyb", close=True), -math.pi * 4),
        (lambda m, _: m.add_lwpolyline([(3, 0, QUARTER), (0, 3, 0), (0, 0, 0)], format="xyb", close=True), math.pi * 9 / 4),
        (lambda m, _: m.add_polyline2d([(3, 0, QUARTER), (0, 3), (0, 0)], format="xyb", close=True), math.pi * 9 / 4),
        (lambda m, _: m.add_polyline3d([(0, 0, 5), (4, 0, 5), (4, 3, 5)], close=True), 6),
        (lambda m, _: m.add_spline().set_closed([(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)], degree=2), None),
        (rational_circle, math.pi * 4),
    ],
)  # fmt: skip
@each("version", ["R2000", "R2018"])
def test_closed_entities_have_their_textbook_areas(draw, size: float | None, version: str) -> None:
    (ring,) = rings(draw, version)
    # a closed quadratic B-spline cuts each corner of its control square by a third of that corner's half-edge triangle
    expected = 16 - 4 * (2 * 2 / 2) / 3 if size is None else size
    assert area(ring) == pytest.approx(expected, rel=SUMS)


def test_a_circle_is_one_arc_and_not_a_polygon() -> None:
    (ring,) = rings(lambda m, _: m.add_circle((5, 6), 3, dxfattribs={"layer": "holes"}))
    (arc,) = ring.curves
    assert (arc.center.tolist(), arc.circular_radius, arc.whole) == ([5, 6], 3, True)
    assert (ring.closing, ring.layer, ring.place.split(" #")[0]) == ("closed", "holes", "CIRCLE")


@each(
    ("draw", "start", "end"),
    [
        (lambda m, _: m.add_line((1, 2), (3, 4)), (1, 2), (3, 4)),
        (lambda m, _: m.add_arc((1, 1), 2, 90, 180), (1, 3), (-1, 1)),
        (lambda m, _: m.add_arc((1, 1), 2, 270, 0), (1, -1), (3, 1)),
        (lambda m, _: m.add_lwpolyline([(0, 0), (1, 0), (1, 1)]), (0, 0), (1, 1)),
        (lambda m, _: m.add_ellipse((0, 0), (2, 0), 0.5, 0, math.pi / 2), (2, 0), (0, 1)),
        (lambda m, _: m.add_open_spline([(0, 0), (1, 1), (2, 1), (3, 0)]), (0, 0), (3, 0)),
    ],
)
def test_open_entities_are_loose_pieces(draw, start, end) -> None:
    (ring,) = rings(draw)
    assert ring.closing == "open"
    np.testing.assert_allclose([ring.curves[0].start, ring.curves[-1].end], [start, end], rtol=0, atol=1e-15)


def test_arcs_turn_counter_clockwise_from_start_to_end() -> None:
    (ring,) = rings(lambda m, _: m.add_arc((0, 0), 1, 350, 10))
    assert ring.curves[0].sweep == pytest.approx(math.radians(20), rel=1e-14)
    assert ring.curves[0].bounds()[1, 0] == 1  # it passes the rightmost point


def test_neighbours_of_a_bulge_share_their_ends_bit_for_bit() -> None:
    table = [(0.1, 0.2, 0.3), (1.7, 0.3, 0), (2.2, 1.9, -0.7), (0.3, 1.1, 0.1)]
    (ring,) = rings(lambda m, _: m.add_lwpolyline(table, format="xyb", close=True))
    assert [c.start.tolist() for c in ring.curves] == [[x, y] for x, y, _ in table]
    for one, two in zip(ring.curves, [*ring.curves[1:], ring.curves[0]], strict=True):
        assert one.end.tobytes() == two.start.tobytes()


def test_frames_of_fitted_polylines_are_not_on_the_curve() -> None:
    def draw(space, _):
        line = space.add_polyline2d([(0, 0), (4, 0), (99, 99), (4, 4), (0, 4)], close=True)
        line.vertices[2].dxf.flags = 16

    assert areas(draw) == [16]


# --- hatches and solids ------------------------------------------------------------------------------------------------


def hatch_edges(space, _):
    path = space.add_hatch().paths.add_edge_path()
    path.add_line((0, 0), (4, 0))
    path.add_arc((4, 2), 2, -90, 90)
    path.add_line((4, 4), (0, 4))
    path.add_arc((0, 2), 2, -90, 90, ccw=False)


def test_a_hatch_is_the_figure_where_there_is_nothing_else() -> None:
    square = [(0, 0), (4, 0), (4, 4), (0, 4)]
    assert areas(lambda m, _: m.add_hatch().paths.add_polyline_path(square)) == [16]
    assert areas(lambda m, _: m.add_hatch().paths.add_polyline_path([(0, 0, 1), (4, 0, 1)])) == pytest.approx(
        [math.pi * 4], rel=SUMS
    )
    found = rings(hatch_edges)
    assert [ring.closing for ring in found] == ["open"] * 4
    # the last edge is drawn clockwise: it bulges inwards, and the figure is a band between two arcs
    ends = [[c.start.round(12).tolist(), c.end.round(12).tolist()] for ring in found for c in ring.curves]
    assert ends == [[[0, 0], [4, 0]], [[4, 0], [4, 4]], [[4, 4], [0, 4]], [[0, 4], [0, 0]]]
    assert [ring.curves[0].sweep for ring in (found[1], found[3])] == pytest.approx([math.pi, -math.pi], rel=1e-14)


def test_hatches_beside_outlines_are_left_out_with_a_remark() -> None:
    def draw(space, _):
        space.add_lwpolyline([(0, 0), (4, 0), (4, 3)], close=True)
        space.add_hatch().paths.add_polyline_path([(0, 0), (4, 0), (4, 3)])

    source = read(drawing(draw), "p.dxf")
    assert [area(r) for r in source.rings] == [6]
    assert codes(source) == ["skipped-fills"]


def test_a_fill_that_no_outline_bounds_is_a_warning_with_its_place(tmp_path) -> None:
    """It may be a part that is drawn without an outline: then the number is short of it."""

    def draw(space, _):
        space.add_lwpolyline([(0, 0), (4, 0), (4, 3)], close=True)
        space.add_hatch().paths.add_polyline_path([(0, 0), (4, 0), (4, 3)])
        space.add_solid([(10, 10), (12, 10), (10, 12), (12, 12)])

    source = read(drawing(draw), "p.dxf")
    (stray,) = [f for f in source.findings if f.code == "stray-fills"]
    assert stray.severity == "warning"
    assert "SOLID #" in stray.message
    assert "near (11, 10)" in stray.message
    (tmp_path / "p.dxf").write_bytes(drawing(draw))
    assert massprops.measure(tmp_path / "p.dxf").grade == "closed"


def test_solids_cross_their_last_corners_over() -> None:
    assert areas(lambda m, _: m.add_solid([(0, 0), (4, 0), (0, 3), (4, 3)])) == [12]
    assert areas(lambda m, _: m.add_solid([(0, 0), (4, 0), (4, 3)])) == [6]


# --- blocks ------------------------------------------------------------------------------------------------------------


def shapes(block) -> None:
    block.add_circle((3, 1), 2)
    block.add_lwpolyline([(0, 0, 0.4), (4, 0, 0), (4, 3, -0.3)], format="xyb", close=True)
    block.add_ellipse((1, 1), (2, 1), 0.3)


def in_block(insert: dict, base=(0, 0)):
    def draw(space, document):
        shapes(document.blocks.new("part", base_point=base))
        space.add_blockref("part", insert.pop("at", (0, 0)), dxfattribs=insert)

    return draw


def bounds(ring) -> np.ndarray:
    return np.array([curve.bounds() for curve in ring.curves])


@pytest.mark.parametrize("scale", [(1, 1), (2, 2), (2, 3), (-1, 1), (2, -3), (-2, -2)])
@pytest.mark.parametrize("angle", [0, 90, 30])
def test_a_block_is_its_map(scale, angle: float) -> None:
    plain = rings(lambda m, _: shapes(m))
    mapped = rings(in_block({"at": (10, 20), "xscale": scale[0], "yscale": scale[1], "rotation": angle}, base=(1, 2)))
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    linear = np.array([[c, -s], [s, c]]) @ np.diag(scale)
    for one, two in zip(plain, mapped, strict=True):
        assert area(two) == pytest.approx(scale[0] * scale[1] * area(one), rel=1e-11)
        for a, b in zip(one.curves, two.curves, strict=True):
            expected = (a.flattened(0.1) - [1, 2]) @ linear.T + [10, 20]
            if a.flattened(0.1).shape == b.flattened(0.1).shape:
                np.testing.assert_allclose(b.flattened(0.1), expected, rtol=0, atol=1e-12)
            np.testing.assert_allclose([b.start, b.end], [expected[0], expected[-1]], rtol=0, atol=1e-13)


def test_an_array_repeats_its_block_along_its_own_axes() -> None:
    def draw(space, document):
        document.blocks.new("hole").add_circle((0, 0), 1)
        grid = {"row_count": 2, "column_count": 3, "row_spacing": 10, "column_spacing": 5, "rotation": 90}
        space.add_blockref("hole", (100, 0), dxfattribs=grid)

    centers = [ring.curves[0].center.round(9).tolist() for ring in rings(draw)]
    assert sorted(centers) == sorted([100 - 10 * row, 5 * column] for row in range(2) for column in range(3))


def test_blocks_stand_in_blocks_and_layer_0_takes_the_layer_of_the_reference() -> None:
    def draw(space, document):
        inner = document.blocks.new("inner")
        inner.add_circle((1, 0), 1)
        inner.add_circle((1, 0), 2, dxfattribs={"layer": "own"})
        document.blocks.new("outer").add_blockref("inner", (2, 0), dxfattribs={"xscale": 3})
        space.add_blockref("outer", (10, 0), dxfattribs={"layer": "steel", "rotation": 90})

    found = rings(draw)
    assert [ring.layer for ring in found] == ["steel", "own"]
    assert [ring.curves[0].center.round(9).tolist() for ring in found] == [[10, 5], [10, 5]]
    assert area(found[0]) == pytest.approx(3 * math.pi, rel=SUMS)
    assert found[0].place.endswith(" in block 'inner'")


def test_what_is_drawn_from_below_is_seen_from_above() -> None:
    below = {"extrusion": (0, 0, -1)}
    (line,) = rings(
        lambda m, _: m.add_lwpolyline(
            [(1, 0, QUARTER), (0, 1, 0), (0, 0, 0)], format="xyb", close=True, dxfattribs=below
        )
    )
    assert area(line) == pytest.approx(-math.pi / 4, rel=SUMS)
    np.testing.assert_allclose(bounds(line)[:, :, 0].min(), -1)  # x is mirrored
    (circle,) = rings(lambda m, _: m.add_circle((5, 6), 3, dxfattribs=below))
    assert circle.curves[0].center.tolist() == [-5, 6]
    (arc,) = rings(lambda m, _: m.add_arc((0, 0), 1, 0, 90, dxfattribs=below))
    np.testing.assert_allclose([arc.curves[0].start, arc.curves[0].end], [[-1, 0], [0, 1]], atol=1e-15)
    (ellipse,) = rings(lambda m, _: m.add_ellipse((5, 6), (2, 0), 0.5, 0, math.pi / 2, dxfattribs=below))
    np.testing.assert_allclose([ellipse.curves[0].start, ellipse.curves[0].end], [[7, 6], [5, 5]], atol=1e-15)


def test_what_is_drawn_from_below_agrees_with_ezdxf() -> None:
    # an independent reader of the same rule: ezdxf's own points on the curves
    document = ezdxf.new()
    space = document.modelspace()
    for add in (
        lambda a: space.add_arc((3, 4), 2, 20, 80, dxfattribs=a),
        lambda a: space.add_ellipse((3, 4), (2, 1), 0.4, 0.3, 2, dxfattribs=a),
    ):
        for extrusion in ((0, 0, 1), (0, 0, -1)):
            entity = add({"extrusion": extrusion})
            expected = [(p.x, p.y) for p in entity.flattening(1e-3)]
            stream = io.StringIO()
            document.write(stream)
            (ring,) = read(stream.getvalue().encode(), "p.dxf").rings
            np.testing.assert_allclose(
                [ring.curves[0].start, ring.curves[0].end], [expected[0], expected[-1]], atol=1e-12
            )
            space.delete_entity(entity)


def test_arrays_of_blocks_from_below_stand_where_ezdxf_puts_them() -> None:
    def draw(space, document):
        document.blocks.new("hole").add_circle((1, 0), 1)
        grid = {
            "row_count": 2,
            "column_count": 3,
            "row_spacing": 10,
            "column_spacing": 5,
            "rotation": 30,
            "extrusion": (0, 0, -1),
        }
        nonlocal expected
        insert = space.add_blockref("hole", (100, 7), dxfattribs=grid)
        circles = [circle for copy in insert.multi_insert() for circle in copy.virtual_entities()]
        expected = [circle.ocs().to_wcs(circle.dxf.center) for circle in circles]

    expected: list = []
    centers = [ring.curves[0].center.tolist() for ring in rings(draw)]
    np.testing.assert_allclose(sorted(centers), sorted([c.x, c.y] for c in expected), rtol=0, atol=1e-12)
    assert len(centers) == 6


# --- files -------------------------------------------------------------------------------------------------------------


def square(space, _):
    space.add_lwpolyline([(0, 0), (4, 0), (4, 3)], close=True)


def test_binary_and_text_are_the_same_drawing() -> None:
    one, two = (read(drawing(square, binary=binary), "p.dxf") for binary in (False, True))
    assert points(one.rings[0]) == points(two.rings[0]) == [[0, 0], [4, 0], [4, 3], [0, 0]]
    assert (one.encoding, two.encoding) == ("ascii", "binary")


R12 = """0\nSECTION\n2\nENTITIES
0\nLINE\n8\nA\n10\n0.0\n20\n0.0\n11\n4.0\n21\n0.0
0\nPOLYLINE\n8\nB\n66\n1\n70\n1
0\nVERTEX\n8\nB\n10\n0.0\n20\n0.0\n42\n1.0
0\nVERTEX\n8\nB\n10\n2.0\n20\n0.0\n42\n1.0
0\nSEQEND\n0\nENDSEC\n0\nEOF\n"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_oldest_files_are_read(end: str) -> None:
    # written by hand: entities and nothing else, as scripts write them
    source = read(R12.replace("\n", end), "p.dxf")
    assert [(r.place.split()[0], r.layer, r.closing) for r in source.rings] == [
        ("LINE", "A", "open"),
        ("POLYLINE", "B", "closed"),
    ]
    assert area(source.rings[1]) == pytest.approx(math.pi, rel=SUMS)
    assert source.unit is None


@each(("number", "unit"), [(0, None), (1, "in"), (2, "ft"), (4, "mm"), (5, "cm"), (6, "m"), (9, "mil"), (13, "um")])
def test_the_unit_is_the_one_of_the_header(number: int, unit: str | None) -> None:
    assert read(drawing(square, units=number), "p.dxf").unit == unit


def test_a_strange_unit_is_refused_unless_another_is_given() -> None:
    data = drawing(square, units=18)  # astronomical units
    assert refusal(data, "p.dxf") == "p.dxf: $INSUNITS is 18, a unit that is not known here; say units="
    assert read(data, "p.dxf", units="mm").unit is None


def layered(space, document):
    for name in ("plate", "hidden"):
        document.layers.add(name)
        space.add_circle((0, 0), 1 if name == "plate" else 2, dxfattribs={"layer": name})
    document.layers.get("hidden").off()


def test_layers_are_chosen_by_name_and_hidden_ones_only_so() -> None:
    source = read(drawing(layered), "p.dxf")
    assert [r.layer for r in source.rings] == ["plate"]
    assert source.findings[0].message == "left out, because hidden: 1 entity on 'hidden'; see layers="
    assert [r.layer for r in read(drawing(layered), "p.dxf", layers=("HIDDEN",)).rings] == ["hidden"]


def test_what_cannot_be_measured_is_left_out_with_a_remark() -> None:
    def draw(space, document):
        square(space, document)
        space.add_text("M8")
        space.add_point((0, 0))
        space.add_line((1, 1), (1, 1))
        space.add_lwpolyline([(0, 0), (1, 0)], close=True)
        space.add_lwpolyline([(0, 0, 0.5, 0.5), (4, 0, 0.5, 0.2), (4, 3, 0.5, 0.5)], close=True)

    source = read(drawing(draw), "p.dxf")
    assert [f.message for f in source.findings] == [
        "left out: 1 LINE without length, 1 LWPOLYLINE without area, 1 POINT, 1 TEXT",
        "1 polyline has a width that varies, which is not measured: the middle lines are the outlines",
    ]


_AGAIN = "the file is damaged, or not written by the rules of DXF; export it again"
_MEND = "correct it in the drawing, or leave it out with layers="


@each(
    ("draw", "message"),
    [
        (lambda m, _: m.add_circle((0, 0), 0), "CIRCLE #2F on layer '0': its radius is 0.0, which is not positive"),
        (
            lambda m, _: m.add_line((0, 0, 0), (1, 1, 2)),
            "LINE #2F on layer '0': it does not lie in one plane: its points have heights from 0 to 2",
        ),
        (
            lambda m, _: m.add_circle((0, 0), 1, dxfattribs={"extrusion": (1, 0, 1)}),
            "CIRCLE #2F on layer '0': it is tilted: its plane looks along (1, 0, 1)",
        ),
        (
            lambda m, _: m.add_spline([(0, 0), (1, 1), (2, 0)]),
            "SPLINE #2F on layer '0': the spline has fit points alone, between which every program draws another curve",
        ),
        (lambda m, _: m.add_circle((math.nan, 0), 1), "CIRCLE #2F on layer '0': a coordinate is not finite"),
        (lambda m, _: m.add_blockref("none", (0, 0)), "INSERT #2F on layer '0': the block 'none' is not in the file"),
    ],
)
def test_bad_entities_are_refused_by_name(draw, message: str) -> None:
    assert refusal(drawing(draw), "p.dxf") == f"p.dxf: {message}; {_MEND}"


def test_splines_without_end_are_refused() -> None:
    table = [(i, i * i % 7, 0) for i in range(60_000)]
    message = "a spline of degree 3 with 60004 knots is more than is read; split it in the drawing"
    assert message in refusal(drawing(lambda m, _: m.add_spline().set_uniform(table, degree=3)), "p.dxf")


def test_blocks_that_hold_themselves_are_refused() -> None:
    def draw(space, document):
        document.blocks.new("a").add_blockref("b", (0, 0))
        document.blocks.new("b").add_blockref("a", (0, 0))
        space.add_blockref("a", (0, 0))

    assert "the block 'a' stands in itself" in refusal(drawing(draw), "p.dxf")


def test_arrays_without_end_are_refused() -> None:
    def draw(space, document):
        document.blocks.new("a").add_circle((0, 0), 1)
        space.add_blockref(
            "a", (0, 0), dxfattribs={"row_count": 30000, "column_count": 30000, "row_spacing": 1, "column_spacing": 1}
        )

    assert "the array has 30000 × 30000 copies" in refusal(drawing(draw), "p.dxf")


def paper(space, document):
    space.add_text("title")
    document.layout("Layout1").add_circle((0, 0), 1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda: drawing(lambda *_: None), "p.dxf: no outlines: model space is empty; draw the outlines in model space"),
        (
            lambda: drawing(paper),
            "p.dxf: no outlines: model space has only 1 TEXT; layout 'Layout1' has 1 CIRCLE; draw the outlines in model space",
        ),
        (
            lambda: drawing(square)[:-40],
            "p.dxf: the file does not end with 'EOF', as a DXF file does; it looks truncated; export or copy it again",
        ),
        (lambda: b"hello\n  0\nEOF\n", f'p.dxf: no DXF drawing: Invalid group code "hello " at line 1.; {_AGAIN}'),
    ],
)  # fmt: skip
def test_bad_drawings_are_refused(data, message: str) -> None:
    assert refusal(data(), "p.dxf") == message


def test_a_layer_without_outlines_says_which_have_them() -> None:
    message = "p.dxf: no outlines on the layers 'nope'; model space has 1 entity on 'hidden', 1 entity on 'plate'; name another layers="
    assert refusal(drawing(layered), "p.dxf", layers=("nope",)) == message

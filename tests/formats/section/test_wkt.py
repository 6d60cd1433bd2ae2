"""WKT: every geometry with an area, every number as `float()` reads it, and the line of what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from planar_reading import codes, points, read, refusal

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
HOLE = [[1, 1], [1, 2], [2, 2], [1, 1]]
S, H = "0 0, 4 0, 4 4, 0 4, 0 0", "1 1, 1 2, 2 2, 1 1"


@each(
    "text",
    [
        f"POLYGON (({S}), ({H}))",
        f"polygon(({S.replace(', ', ',')}),({H}))",
        f"\n POLYGON\n(\n({S.replace(', ', chr(10) + ', ')})\n,({H})\n)\n",
        f"MULTIPOLYGON ((({S}), ({H})))",
        f"GEOMETRYCOLLECTION (GEOMETRYCOLLECTION (POLYGON (({S}),({H}))))",
        f"SRID=25832;POLYGON (({S}), ({H}))",
        f"POLYGON (({S}), ({H}));\r\n",
        f"POLYGON ((  {S.replace(' ', '   ')}  ), ({H}))",
        f"POLYGON (({S.replace('4', '4.0e+0')}), ({H}))",
    ],
)
def test_every_way_to_write_a_polygon_gives_the_same_rings(text: str) -> None:
    source = read(text, "p.wkt")
    found = [(points(r), r.role, r.polygon, r.closing) for r in source.rings]
    assert found == [(SQUARE, "outer", 0, "closed"), (HOLE, "hole", 0, "closed")]
    assert source.unit == ("m" if "SRID" in text else None)


def test_several_geometries_are_several_polygons() -> None:
    source = read(f"POLYGON (({S}))\nMULTIPOLYGON ((({H})), (({S}), ({H})))\nTRIANGLE (({H}))", "p.wkt")
    assert [(r.polygon, r.role, r.place) for r in source.rings] == [
        (0, "outer", "line 1"),
        (1, "outer", "line 2"),
        (2, "outer", "line 2"),
        (2, "hole", "line 2"),
        (3, "outer", "line 3"),
    ]


@pytest.mark.parametrize("tag", ["POLYGON Z", "POLYGONZ", "POLYGON"])
def test_a_common_height_is_left_out_with_a_remark(tag: str) -> None:
    source = read(f"{tag} ((0 0 5, 4 0 5, 4 4 5, 0 4 5, 0 0 5))", "p.wkt")
    assert points(source.rings[0]) == SQUARE
    assert codes(source) == ["height-left-out"]


def test_what_has_no_area_is_left_out_with_a_remark() -> None:
    text = (
        f"POINT (1 2)\nLINESTRING (0 0, 1 1)\nMULTIPOINT ((1 2), (3 4))\nPOLYGON EMPTY\nMULTIPOLYGON (EMPTY, (({S})))"
    )
    source = read(text, "p.wkt")
    assert [points(r) for r in source.rings] == [SQUARE]
    assert (
        source.findings[0].message
        == "geometries without area were left out: 1 POINT, 1 LINESTRING, 1 MULTIPOINT, 2 POLYGON EMPTY"
    )


numbers = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers(-(10**25), 10**25).map(str)


@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=20), st.sampled_from([", ", ",", " ,\n", ",\t"]))
def test_every_number_is_what_float_makes_of_it(rows, comma: str) -> None:
    expected = np.array([[float(x), float(y)] for x, y in rows])
    if len({tuple(row) for row in expected.tolist()}) < 3:
        return
    (ring,) = read(f"POLYGON (({comma.join(' '.join(row) for row in rows)}))", "p.wkt").rings
    assert ring.curves[0].points.tobytes() == expected.tobytes()


def test_a_ring_that_is_not_closed_as_the_format_wants_is_closed_by_implication() -> None:
    (ring,) = read("POLYGON ((0 0, 4 0, 4 4))", "p.wkt").rings
    assert ring.closing == "implied"


def test_who_says_the_unit_is_believed() -> None:
    assert read(f"SRID=4326;POLYGON (({S}))", "p.wkt", units="mm").unit is None


_DAMAGED = "the file is damaged or cut off; export or copy it again"
_POINT = "separate x and y by a blank, and points by commas"


@each(
    ("text", "message"),
    [
        ("POLYGON ((0 0, 1 0, 1 1", f"p.wkt:1: the file ends inside a ring; {_DAMAGED}"),
        ("POLYGON ((0 0, 1 0, 1 1)", f"p.wkt:1: expected ')', found the end of the file; {_DAMAGED}"),
        ("POINT (1", f"p.wkt:1: the file ends inside a geometry; {_DAMAGED}"),
        ("\nPOLYGON (0 0, 1 0, 1 1)", f"p.wkt:2: expected '(', found '0 0, 1 0, 1 1)'; {_DAMAGED}"),
        ("POLYGON ((0 0, 1 0,\n\n oops, 1 1))", f"p.wkt:3: 'oops' is no point; {_POINT}"),
        ("POLYGON ((0 0, 1 0,\n1 nan, 1 1))", "p.wkt:2: y 'nan' is not a number; export the file again; a coordinate must be finite"),
        ("POLYGON ((0 0, 1 0, 1 1 3))", f"p.wkt:1: the point has 3 numbers, and 2 were expected; {_POINT}"),
        ("POLYGON Z ((0 0, 1 0, 1 1))", f"p.wkt:1: the point has 2 numbers, and 3 were expected; {_POINT}"),
        ("POLYGON ((0 0 1 1, 1 0 1 1, 1 1 1 1))", f"p.wkt:1: the point has 4 numbers; {_POINT}"),
        ("POLYGON ((0 0, 1 0, 1 1,))", f"p.wkt:1: the point has 0 numbers; {_POINT}"),
        ("POLYGON ((0,0 1,0 1,1 0))", f"p.wkt:1: '0' is no point; {_POINT}"),
        ("POLYGON (())", f"p.wkt:1: the point has 0 numbers; {_POINT}"),
        (
            "POLYGON ZM ((0 0 0 0, 1 0 0 0, 1 1 0 0))",
            "p.wkt:1: the points carry measures (M), which belong to no figure in the plane; export x and y alone",
        ),
        (
            "CURVEPOLYGON (CIRCULARSTRING (0 0, 1 1, 2 0, 1 -1, 0 0))",
            (
                "p.wkt:1: a CURVEPOLYGON is not read; of WKT, massprops reads polygons with straight edges;"
                " export it as a POLYGON, or the drawing as DXF or SVG"
            ),
        ),
        (f"POLYGON (({S})) junk", f"p.wkt:1: expected a geometry such as POLYGON, found 'junk'; {_DAMAGED}"),
        ("{}", f"p.wkt:1: expected a geometry such as POLYGON, found '{{}}'; {_DAMAGED}"),
        ("POLYGON EMPTY", "p.wkt: no polygons, only 1 POLYGON EMPTY; points, lines and empty geometries have no area"),
        ("POINT (1 2)", "p.wkt: no polygons, only 1 POINT; points, lines and empty geometries have no area"),
        ("POLYGON ((0 0, 1 1, 0 0))", "p.wkt: line 1: the ring has 2 different points, it needs at least 3; is the file cut off?"),
        ("GEOMETRYCOLLECTION (" * 40, f"p.wkt:1: collections are nested too deeply; {_DAMAGED}"),
        (
            f"SRID=1;POLYGON (({S}))\nSRID=2;POLYGON (({S}))",
            "p.wkt:2: SRID 2 after SRID 1: the geometries are in different systems; export them in one",
        ),
        (
            f"SRID=4326;POLYGON (({S}))",
            (
                "p.wkt: line 1: the coordinates are degrees (EPSG:4326), not lengths;"
                " project it to an equal-area system in metres first, or say units= if these are lengths"
            ),
        ),
    ],
)  # fmt: skip
def test_bad_wkt_is_refused_by_line(text: str, message: str) -> None:
    assert refusal(text, "p.wkt") == message

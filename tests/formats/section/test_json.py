"""JSON and GeoJSON: what is a figure, what are degrees, and the element that is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from planar_reading import codes, points, read, refusal

OUTER = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 2.5]]
HOLE = [[1.0, 1.0], [2.0, 1.0], [1.0, 2.0]]
FAR = [[9.0, 9.0], [10.0, 9.0], [9.0, 10.5]]


def closed(ring):
    return [*ring, ring[0]]


def geo(*polygons, **more) -> str:
    return json.dumps({"type": "MultiPolygon", "coordinates": [[closed(r) for r in p] for p in polygons], **more})


def test_a_list_of_points_is_a_ring() -> None:
    (ring,) = read(json.dumps(OUTER), "p.json").rings
    assert (points(ring), ring.closing, ring.role) == (OUTER, "closed", None)


def test_a_list_of_rings_leaves_their_roles_to_nesting() -> None:
    source = read(json.dumps([OUTER, HOLE]), "p.json")
    assert [(points(r), r.role, r.place) for r in source.rings] == [(OUTER, None, "[0]"), (HOLE, None, "[1]")]


def test_an_object_states_outer_holes_and_unit() -> None:
    source = read(json.dumps({"name": "plate", "outer": OUTER, "holes": [HOLE], "units": "mm"}), "p.json")
    assert [(points(r), r.role, r.polygon) for r in source.rings] == [(OUTER, "outer", 0), (HOLE, "hole", 0)]
    assert source.unit == "mm"


@given(
    st.lists(
        st.tuples(*2 * [st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)]),
        min_size=3,
        unique=True,
    )
)
def test_every_number_is_what_float_makes_of_it(rows) -> None:
    text = json.dumps(rows)
    if len({(float(x), float(y)) for x, y in rows}) < 3:
        return
    (ring,) = read(text, "p.json").rings
    assert ring.curves[0].points.tobytes() == np.array([[float(str(x)), float(str(y))] for x, y in rows]).tobytes()


@pytest.mark.parametrize("blank", ["", " ", "\n", "\n   "])
def test_every_layout_of_a_list_is_the_same_ring(blank: str) -> None:
    # one of them is read quickly, the others by way of Python's json
    text = json.dumps(OUTER).replace(" ", blank).replace("[[", f"[{blank}[") + blank
    assert points(read(text, "p.json").rings[0]) == OUTER


@each(
    "slip",
    [
        "[1,]2,",
        "[1,2],3[,4],",
        "[1,2]5,",
        "[1 2,3],",
        "[1,2]],[[3,4],",
        "[1,,2],",
        "[],",
        "[1,2],,",
        "[1;2],",
        "[[1,2],",
        "[1,2,3],",
    ],
)
def test_a_bracket_or_a_comma_out_of_place_is_refused(slip: str) -> None:
    text = f"[[0,0],{slip}[1,0],[1,1],[0,1]]"
    assert refusal(text, "p.json").startswith(("p.json:1: not valid JSON", "p.json: "))


METRES = {"crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}}
POLYGON = {"type": "Polygon", "coordinates": [closed(OUTER), closed(HOLE)]}


@each(
    "value",
    [
        POLYGON,
        {"type": "MultiPolygon", "coordinates": [POLYGON["coordinates"]]},
        {"type": "Feature", "properties": None, "geometry": POLYGON},
        {"type": "GeometryCollection", "geometries": [POLYGON]},
        {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": POLYGON}]},
    ],
)
@each("name", ["p.geojson", "p.json"])
def test_every_container_of_geojson_gives_the_same_polygon(value, name: str) -> None:
    source = read(json.dumps({**value, **METRES}), name)
    assert source.unit == "m"
    assert [(points(r), r.role, r.polygon, r.closing) for r in source.rings] == [
        (closed(OUTER), "outer", 0, "closed"),
        (closed(HOLE), "hole", 0, "closed"),
    ]


def test_polygons_are_counted_and_places_lead_to_the_ring() -> None:
    source = read(geo([OUTER, HOLE], [FAR], **METRES), "p.geojson")
    assert [r.polygon for r in source.rings] == [0, 0, 1]
    assert [r.place for r in source.rings] == ["coordinates[0][0]", "coordinates[0][1]", "coordinates[1][0]"]


def test_a_ring_that_is_not_closed_as_the_format_wants_is_closed_by_implication() -> None:
    source = read(json.dumps({"type": "Polygon", "coordinates": [OUTER], **METRES}), "p.geojson")
    assert source.rings[0].closing == "implied"


def test_points_and_lines_are_left_out_with_a_remark() -> None:
    point = {"type": "Point", "coordinates": [1, 2]}
    nothing = {"type": "Feature", "properties": {}, "geometry": None}
    features = [{"type": "Feature", "properties": {}, "geometry": g} for g in (point, POLYGON, point)]
    source = read(json.dumps({"type": "FeatureCollection", "features": [*features, nothing]}), "p.geojson", units="m")
    assert len(source.rings) == 2
    (finding,) = source.findings
    assert finding.message == "geometries without area were left out: 2 Point, 1 Feature without a geometry"


def test_a_common_height_is_left_out_with_a_remark() -> None:
    source = read(json.dumps([[x, y, 7.5] for x, y in OUTER]), "p.json")
    assert points(source.rings[0]) == OUTER
    assert codes(source) == ["height-left-out"]


_PROJECT = "project it to an equal-area system in metres first, or say units= if these are lengths"


@pytest.mark.parametrize("name", ["EPSG:4326", "urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::4258", None])
def test_degrees_are_refused(name: str | None) -> None:
    crs = {"crs": {"type": "name", "properties": {"name": name}}} if name else {}
    message = refusal(geo([OUTER], **crs), "p.geojson")
    assert "the coordinates are degrees (" in message
    assert message.endswith(f"not lengths; {_PROJECT}")


def test_who_says_the_unit_is_believed() -> None:
    source = read(geo([OUTER]), "p.geojson", units="km")
    assert source.unit is None  # the caller's holds
    assert points(source.rings[0]) == closed(OUTER)


_POINT = "a point is a list of two numbers, x and y"
_FORMS = 'a plane figure in JSON is [[x, y], …], {"outer": [[x, y], …], "holes": […]} or GeoJSON'
_DAMAGED = "the file is damaged or cut off; export or copy it again"


@each(
    ("text", "message"),
    [
        ("[[0,0],\n[1,0", f"p.json:2: not valid JSON: Expecting ',' delimiter at column 5; {_DAMAGED}"),
        ("[[0,0],[1,NaN],[1,1]]", "p.json: NaN is not a JSON number; numbers must be finite; export it again"),
        (
            "[[0,0],[1,1e999],[1,1]]",
            "p.json: the list[1]: a coordinate is too large for a double-precision number; a coordinate must be finite",
        ),
        ("[[0,0],[1,null],[1,1]]", f"p.json: the list[1]: a number is expected, found null; {_POINT}"),
        ("[[0,0],[1,true],[1,1]]", f"p.json: the list[1]: a number is expected, found true; {_POINT}"),
        ('[[0,0],[1,"2"],[1,1]]', f"p.json: the list[1]: a number is expected, found '2'; {_POINT}"),
        ("[[0,0],7,[1,1]]", f"p.json: the list[1]: a point is expected, found '7'; {_POINT}"),
        ("[[0,0],[1],[1,1]]", f"p.json: the list[1]: the point has 1 number; {_POINT}"),
        ("[[0,0],[1,0,0],[1,1]]", "p.json: the list[1]: the point has 3 numbers, the first one of the ring 2; export it in the plane"),
        (
            "[[0,0,1],[1,0,2],[1,1,1]]",
            (
                "p.json: the list: the figure does not lie in a plane z = const: there are the heights 1.0 and 2.0;"
                " project it on the plane before the export, or export a closed mesh"
            ),
        ),
        (
            '{"outer":[[0,0],[1,0],[1,1]],"holes":[[[0,0,0],[1,0,0],[1,1,0]]]}',
            "p.json: holes[0]: some rings have points of two numbers and others of three; export it in the plane",
        ),
        ("[]", f"p.json: the list: the list of points is empty; {_POINT}"),
        ("17", f"p.json: the list: a list of points is expected, found '17'; {_POINT}"),
        ("[[0,0],[1,1],[0,0]]", "p.json: the list: the ring has 2 different points, it needs at least 3; is the file cut off?"),
        ('{"outer":[],"outer":[]}', "p.json: duplicate key 'outer' in one object; export it again"),
        ('{"mass":[]}', f"p.json: the key 'mass' is not known; {_FORMS}"),
        ('{"holes":[]}', f"p.json: no key 'outer'; {_FORMS}"),
        ('{"outer":[[0,0],[1,0],[1,1]],"holes":1}', f"p.json: 'holes' is no list of rings; {_FORMS}"),
        ('{"outer":[[0,0],[1,0],[1,1]],"units":"parsec"}', "p.json: 'units' is 'parsec', which is no unit of length; for example mm"),
        ("[" * 100_000, f"p.json: JSON is nested too deeply; {_DAMAGED}"),
        ('{"type":"Topology"}', "p.json: the file: the type 'Topology' is none of GeoJSON; see RFC 7946"),
        ('{"type":"Polygon"}', "p.json: the file: a Polygon has a list of coordinates, and here it has none; see RFC 7946"),
        (
            '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":5}]}',
            "p.json: features[0].geometry: no GeoJSON object: it has no 'type'; see RFC 7946",
        ),
        ('{"type":"Point","coordinates":[1,2]}', "p.json: no polygons, only 1 Point; points and lines have no area"),
        (
            geo([OUTER], crs={"properties": {"name": "EPSG:3857"}}),
            f"p.json: crs: the coordinates are in a Mercator projection (EPSG:3857), which stretches areas; {_PROJECT}",
        ),
        (
            geo([OUTER], crs={"properties": {"name": "EPSG:2263"}}),  # New York, in survey feet
            "p.json: crs: the length unit of the reference system EPSG:2263 is not known here; say units=",
        ),
    ],
)  # fmt: skip
def test_bad_json_is_refused_by_element(text: str, message: str) -> None:
    assert refusal(text, "p.json") == message


def test_without_a_reference_system_large_coordinates_are_no_degrees() -> None:
    """What the file cannot mean is not said of it."""
    far = '{"type": "Polygon", "coordinates": [[[500, 0], [510, 0], [510, 10], [500, 0]]]}'
    assert refusal(far, "p.geojson") == (
        "p.geojson: no 'crs': coordinates would be degrees (WGS 84), up to 180, and here is one of 510;"
        " say units= if these are lengths"
    )

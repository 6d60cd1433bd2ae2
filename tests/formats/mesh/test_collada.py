"""COLLADA: positions as the text has them, placed as the scene says, and nothing else of the file.

Modules tested: `formats/mesh/collada`, `formats/mesh/placement`.
"""

from __future__ import annotations

import io
import math
import time
from pathlib import Path

import numpy as np
import oracles
import pytest
from cases import each, raised
from places import CORPUS

from massprops import measure
from massprops.errors import InvalidInput, ReadError
from massprops.formats.registry import open_mesh
from massprops.mesh.source import MeshFile

TETRAHEDRON = "1 2 3 7 -1 2 0 5 -4 3 3 9"
FACES = "0 2 1 0 1 3 1 2 3 0 3 2"
SOURCE = """<source id="{id}"><float_array id="{id}-a" count="{n}">{text}</float_array><technique_common>
<accessor source="#{id}-a" count="{rows}" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>"""
TRIANGLES = '<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles>'
NODE = '<node><instance_geometry url="#g"/></node>'


def document(
    positions: str = TETRAHEDRON,
    primitives: str = TRIANGLES.format(faces=FACES),
    nodes: str = NODE,
    asset: str = "",
    more: str = "",
) -> str:
    n = len(positions.split())
    source = SOURCE.format(id="p", n=n, rows=n // 3, text=positions)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>{asset}</asset>{more}
<library_geometries><geometry id="g"><mesh>{source}<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
{primitives}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def source(text: str) -> tuple[MeshFile, np.ndarray]:
    with open_mesh("-", format="dae", stdin=io.BytesIO(text.encode())) as mesh:
        return mesh, np.concatenate(list(mesh.chunks()))


def corners(**parts: str) -> np.ndarray:
    return source(document(**parts))[1]


def volume(triangles: np.ndarray) -> float:
    return float(np.einsum("ij,ij->", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])) / 6)


def refusal(text: str) -> ReadError:
    return raised(ReadError, source, text)


POINTS = np.array(TETRAHEDRON.split(), float).reshape(4, 3)
EXPECTED = POINTS[np.array(FACES.split(), int)].reshape(-1, 3, 3)


def test_positions_are_the_doubles_of_the_text() -> None:
    """Seventeen digits survive; in single precision all of these numbers would be others."""
    text = "0.1234567890123456 1e-7 3.0000000000000004 7 -1 2 0 5 -4 3 3 9"
    found = corners(positions=text)
    assert found[0, 0].tolist() == [float(x) for x in text.split()[:3]]
    assert (found[0, 0] != found[0, 0].astype(np.float32)).all()


def test_numbers_may_be_separated_by_any_white_space_and_comments() -> None:
    spaced = "1\n\t2\r\n3 7 -1 2 0<!-- a comment -->\f5 -4 3 3 9".replace("\f", " ")
    assert np.array_equal(source(document().replace(TETRAHEDRON, spaced))[1], EXPECTED)


@pytest.mark.parametrize(
    "primitives",
    [
        '<polylist count="4"><input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#none" offset="0"/>'
        "<vcount>3 3 3 3</vcount><p>" + " ".join(f"9 {i}" for i in FACES.split()) + "</p></polylist>",
        (
            '<polygons count="4"><input semantic="VERTEX" source="#v" offset="0"/>'
            "<p>0 2 1</p><p>0 1 3</p><p>1 2 3</p><p>0 3 2</p></polygons>"
        ),
        '<tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 3 0 2</p></tristrips>',
        '<trifans count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 3 2</p><p>1 2 3</p></trifans>',
    ],
)
def test_the_same_solid_in_every_kind_of_primitive(primitives: str) -> None:
    assert volume(corners(primitives=primitives)) == pytest.approx(float(oracles.TETRAHEDRON_VOLUME), rel=1e-14)


#: A block of 4 × 4 × 1 with a square hole through it: 12.
FRAME = "0 0 0 4 0 0 4 4 0 0 4 0 1 1 0 3 1 0 3 3 0 1 3 0 0 0 1 4 0 1 4 4 1 0 4 1 1 1 1 3 1 1 3 3 1 1 3 1"
WALLS = "0 1 9 8|1 2 10 9|2 3 11 10|3 0 8 11|5 4 12 13|6 5 13 14|7 6 14 15|4 7 15 12"


@pytest.mark.parametrize(("bottom", "top"), [("4 5 6 7", "12 15 14 13"), ("7 6 5 4", "12 13 14 15")])
def test_a_polygon_with_holes_is_what_lies_between(bottom: str, top: str) -> None:
    """Whichever way round a hole is written; other faces may stand before and behind it."""
    walls = [f"<p>{wall}</p>" for wall in WALLS.split("|")]
    faces = [f"<ph><p>0 3 2 1</p><h>{bottom}</h></ph>", *walls, f"<ph><p>8 9 10 11</p><h>{top}</h></ph>"]
    polygons = f'<polygons count="10"><input semantic="VERTEX" source="#v" offset="0"/>{"".join(faces)}</polygons>'
    found = corners(positions=FRAME, primitives=polygons)
    assert volume(found) == pytest.approx(12, rel=1e-14)
    outside = polygons.replace("<p>0 3 2 1", "<p>4 7 6 5").replace(f"<h>{bottom}", "<h>0 1 2 3")
    with pytest.raises(ReadError, match="a hole <h> is not inside its outline <p>"):
        source(document(positions=FRAME, primitives=outside))


def test_faces_of_two_corners_and_lines_are_left_out_and_noted() -> None:
    polylist = (
        '<polylist count="5"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3 2 3 3 3</vcount>'
        "<p>0 2 1 0 1 0 1 3 1 2 3 0 3 2</p></polylist><lines count='1'><p>0 1</p></lines>"
    )
    mesh, found = source(document(primitives=polylist))
    assert np.array_equal(found, EXPECTED)
    assert [(f.code, f.value) for f in mesh.findings] == [("skipped-elements", 2.0)]


QUARTER = "<translate>10 20 30</translate><rotate>0 0 1 90</rotate>"


@pytest.mark.parametrize(
    "transform",
    [
        QUARTER,
        "<matrix>0 -1 0 10 1 0 0 20 0 0 1 30 0 0 0 1</matrix>",
        # eye at (10, 20, 30), looking along −z of the node, with the node's y (−x of the scene) up
        "<lookat>10 20 30 10 20 0 -1 0 0</lookat>",
    ],
)
def test_a_node_is_placed_by_its_transforms(transform: str) -> None:
    found = corners(nodes=f"<node>{transform}<instance_geometry url='#g'/></node>")
    x, y, z = EXPECTED.transpose(2, 0, 1)
    assert np.array_equal(found, np.stack([10 - y, 20 + x, 30 + z], axis=2))


def test_transforms_of_nested_and_instanced_nodes_multiply() -> None:
    library = f'<library_nodes><node id="n">{NODE}<scale>2 1 1</scale></node></library_nodes>'
    nodes = f'<node>{QUARTER}<node><translate>1 0 0</translate><instance_node url="#n"/></node></node>'
    x, y, z = EXPECTED.transpose(2, 0, 1)
    found = corners(nodes=nodes, more=library)
    assert np.array_equal(found, np.stack([10 - y, 20 + (2 * x + 1), 30 + z], axis=2))


def test_ids_are_those_of_the_geometry_first() -> None:
    """As FreeCAD writes parts, each with a `cubeverts-array0`; two geometries of one id have no order."""
    twice = document(nodes=f'{NODE}<node><instance_geometry url="#h"/></node>')
    geometry = twice[twice.index("<geometry") : twice.index("</library_geometries>")]
    other = geometry.replace(TETRAHEDRON, "0 0 0 1 0 0 0 1 0 0 0 1")
    _, found = source(twice.replace(geometry, geometry + other.replace('id="g"', 'id="h"')))
    assert np.array_equal(found[:4], EXPECTED)
    assert volume(found[4:]) == pytest.approx(1 / 6)
    assert "'#g', but 2 elements have this id" in str(refusal(document().replace(geometry, geometry + other)))


def test_a_rotation_by_any_angle_is_that_of_rodrigues() -> None:
    found = corners(nodes="<node><rotate>1 2 2 40</rotate><instance_geometry url='#g'/></node>")
    k, angle = np.array([1, 2, 2]) / 3, math.radians(40)
    expected = (
        EXPECTED * math.cos(angle)
        + np.cross(k, EXPECTED) * math.sin(angle)
        + (EXPECTED @ k)[..., None] * k * (1 - math.cos(angle))
    )
    assert np.allclose(found, expected, rtol=0, atol=1e-14)


def test_a_mirror_keeps_the_outside_outside() -> None:
    nodes = "<node><scale>-2 1 1</scale><instance_geometry url='#g'/></node>"
    assert volume(corners(nodes=nodes)) == pytest.approx(2 * float(oracles.TETRAHEDRON_VOLUME), rel=1e-14)
    fan = '<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3 4</vcount><p>0 1 2 3 2 1 0</p></polylist>'
    left, right = (
        corners(primitives=fan, nodes=f"<node><scale>{x} 1 1</scale><instance_geometry url='#g'/></node>")
        for x in (-1, 1)
    )
    assert volume(left) == pytest.approx(volume(right), rel=1e-14)


@pytest.mark.parametrize(
    ("meter", "unit", "metres"), [("0.01", "cm", 0.01), ("1.00", "m", 1), ("0.0254", "in", 0.0254), ("0.3", "m", 0.3)]
)
def test_the_unit_is_the_one_that_the_file_states(meter: str, unit: str, metres: float) -> None:
    found = measure("-", format="dae", stdin=io.BytesIO(document(asset=f'<unit name="x" meter="{meter}"/>').encode()))
    assert found.input.unit == unit
    assert found.volume == pytest.approx(float(oracles.TETRAHEDRON_VOLUME) * metres**3, rel=1e-14)


def test_the_axes_are_those_of_the_file_whatever_it_calls_up() -> None:
    """As RViz and trimesh read it: a robot's links are drawn so."""
    assert np.array_equal(corners(asset="<up_axis>Y_UP</up_axis>"), EXPECTED)


def test_only_geometry_matters() -> None:
    """Lights, cameras, images and effects that are missing, and comments anywhere, keep no file from being read."""
    nodes = (
        '<node><!-- lamp --><instance_light url="#gone"/><instance_camera url="#gone"/><instance_geometry url="#g">'
        '<bind_material><technique_common><instance_material symbol="m" target="#gone"/></technique_common></bind_material>'
        "</instance_geometry></node>"
    )
    more = '<library_lights/><library_images><image id="i"><init_from>/no/such.png</init_from></image></library_images>'
    assert np.array_equal(corners(nodes=nodes, more=more), EXPECTED)


def test_a_skinned_mesh_is_measured_before_bending_and_that_is_said() -> None:
    more = (
        '<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1'
        "</bind_shape_matrix></skin></controller></library_controllers>"
    )
    mesh, found = source(document(nodes='<node><instance_controller url="#c"/></node>', more=more))
    assert np.array_equal(found, EXPECTED + np.array([5, 0, 0]))
    assert [(f.code, f.value) for f in mesh.findings] == [("skinned-mesh", 1.0)]


def test_digits_of_the_text_are_the_resolution_also_where_the_mesh_is_turned() -> None:
    """A turned coordinate has 17 digits, which the file never stated: the printed ± would be 10⁹ times too small."""
    digits = " ".join(f"{x:.6f}" for x in np.random.default_rng(1).uniform(1, 9, 300))
    faces = '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>'
    plain, _ = source(document(positions=digits, primitives=faces))
    nodes = "<node><rotate>1 2 2 40</rotate><instance_geometry url='#g'/></node>"
    turned, _ = source(document(positions=digits, primitives=faces, nodes=nodes))
    assert plain.half_unit == pytest.approx(0.5e-6, rel=1e-6)
    assert plain.half_unit <= turned.half_unit <= math.sqrt(3) * plain.half_unit * 1.000001
    assert (plain.is_rounded(), turned.is_rounded()) == (False, True)


def test_exact_results_are_refused_where_a_transform_rounds_the_coordinates() -> None:
    def exact(nodes: str, **others: str) -> float:
        stream = io.BytesIO(document(nodes=nodes, **others).encode())
        return measure("-", format="dae", stdin=stream, exact=True).volume

    assert exact(NODE) == float(oracles.TETRAHEDRON_VOLUME)
    quarter = "<translate>0.5 8 -1024</translate><rotate>0 1 0 -90</rotate>"
    assert exact(f"<node>{quarter}<instance_geometry url='#g'/></node>") == float(oracles.TETRAHEDRON_VOLUME)
    there_and_back = "<rotate>0 0 1 45</rotate><rotate>0 0 1 -45</rotate>"
    for turns in ("<rotate>1 2 2 40</rotate>", "<translate>0.1 0 0</translate>", there_and_back):
        with pytest.raises(InvalidInput, match="the file places its mesh by a transform"):
            exact(f"<node>{turns}<instance_geometry url='#g'/></node>")
    with pytest.raises(
        InvalidInput, match="the file places its mesh by a transform"
    ):  # its corners are sines and cosines
        exact(
            "<node><rotate>0 0 1 30</rotate><instance_geometry url='#g'/></node>", positions="0 0 0 1 0 0 0 1 0 0 0 1"
        )


@each(
    ("old", "new", "said"),
    [
        ("7 -1", "7 -1,5", "coordinate '-1,5' has a comma where a number has a decimal point"),
        ("7 -1", "7 NaN", "coordinate 'NaN' is not a number"),
        ('count="12"', 'count="13"', "<float_array> promises 13 numbers, but has 12"),
        ('count="4" stride', 'count="5" stride', "<accessor> needs more numbers than <float_array> has (12)"),
        ("0 3 2</p>", "0 3 4</p>", "a face refers to vertex 4, counted from 0, but its mesh has 4 vertices"),
        ("0 3 2</p>", "0 3 -2</p>", "'-2' in <p> is not an index or a count"),
        ('<triangles count="4">', '<triangles count="5">', "<triangles> promises 5 triangles, but has 12 corners"),
        ('url="#g"', 'url="#h"', "<instance_geometry> refers to '#h', but no <geometry> has this id"),
        ('url="#g"', 'url="b#g"', "<instance_geometry> refers to another file, 'b#g', which massprops does not follow"),
        ("<node>", "<node><skew>0 1 0 0 0 1 0</skew>", "massprops does not read <skew>"),
        ("<node>", "<node><rotate>0 0 1</rotate>", "<rotate> has 3 numbers, not 4"),
        ("<node>", "<node><rotate>0 0 0 9</rotate>", "<rotate> has no axis"),
        (
            "<node>",
            '<node id="n"><instance_node url="#n"/>',
            "the node contains itself, or nodes are nested too deeply",
        ),
        ("<node>", "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>", "the last row of <matrix> is not 0 0 0 1"),
        ("<node>", "<node><lookat>0 0 5 0 0 0 0 0 1</lookat>", "<lookat> looks along its own up direction"),
        ('count="4" stride', 'count="x" stride', "count='x' of <accessor> is not a count"),
        ('"POSITION"', '"NORMAL"', "<vertices> has 0 inputs of the semantic POSITION, not one"),
        ('name="Z" ', "", "a position has 2 coordinates, not 3"),
        ("<p>", "<ph/><p>", "<ph> has 0 outlines <p>, not one"),
        ("<p>", '<input semantic="NORMAL" source="#v" offset="4"/><p>', "<p> has 12 indices, not a multiple of 5"),
        ("<scene>", "<!--", "is not well-formed XML: unclosed token, column 1"),
        ("<asset>", '<asset><unit meter="-1"/>', "the unit is -1 m, and must be positive"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, said: str) -> None:
    text = document().replace(old, new, 1)
    message = refusal(text).message
    place, _, rest = message.partition(": ")
    assert rest == said
    assert place.startswith("-:")
    assert len(message) <= 200


def test_what_is_not_read_is_refused_where_it_stands() -> None:
    """Geometry that is no mesh, a controller that is no skin, faces that are not those of their sizes, and another root."""
    more = '<library_geometries><geometry id="e"/></library_geometries><library_controllers><controller id="c"/></library_controllers>'
    for nodes, said in (
        ('<node><instance_geometry url="#e"/></node>', "massprops does not read a <geometry> without a <mesh>"),
        ('<node><instance_controller url="#c"/></node>', "massprops does not read morph targets"),
    ):
        assert refusal(document(nodes=nodes, more=more)).message.partition(": ")[2] == said
    lists = TRIANGLES.format(faces=FACES).replace("triangles", "polylist").replace("<p>", "<vcount>3 3 3</vcount><p>")
    error = refusal(document(primitives=lists))
    assert error.message.endswith("<polylist> promises 4 faces, but has 3 with 9 corners, and 12 indices")
    assert refusal("<kml/>").message == "-:1: the root element is <kml>, not <COLLADA>"


def test_what_turns_by_nothing_needs_no_axis_and_empty_primitives_have_no_vertices() -> None:
    still = "<node><rotate>0 0 0 0</rotate><instance_geometry url='#g'/></node>"
    assert np.array_equal(corners(nodes=still), EXPECTED)
    empty = '<triangles count="0"/><triangles count="0"><input semantic="VERTEX" source="#v" offset="0"/></triangles>'
    assert np.array_equal(corners(primitives=empty + TRIANGLES.format(faces=FACES)), EXPECTED)


def test_a_file_without_a_scene_holds_no_facets() -> None:
    error = refusal(document().replace("<scene>", "<extra>").replace("</scene>", "</extra>"))
    assert error.code == "no-facets"


def test_a_scene_that_doubles_itself_ends() -> None:
    """A few lines can ask for 2³⁰ copies; the limit is stated instead of filling the memory."""
    levels = "".join(
        f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>' for i in range(30)
    )
    text = document(
        nodes='<node><instance_node url="#n0"/></node>', more=f'<library_nodes>{levels}<node id="n30"/></library_nodes>'
    )
    start = time.process_time()
    assert refusal(text).code == "unsupported-collada"
    assert time.process_time() - start < 10  # without the limit: days


@pytest.mark.filterwarnings("ignore:the matrix subclass", "ignore:Setting the shape on a NumPy array")
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
def test_real_files_agree_with_an_independent_reader() -> None:
    """pycollada reads coordinates as single precision: so many digits of the volume must agree, of every file."""
    collada = pytest.importorskip("collada")
    files = sorted(CORPUS.rglob("*.dae"))
    assert len(files) >= 10
    for path in files:
        ignored = [collada.common.DaeError, collada.common.DaeUnsupportedError, collada.common.DaeBrokenRefError]
        scene = collada.Collada(str(path), ignore=ignored).scene
        parts = []
        for geometry in scene.objects("geometry"):
            for primitive in geometry.primitives():
                cut = primitive.triangleset() if hasattr(primitive, "triangleset") else primitive
                mirrored = np.linalg.det(np.asarray(geometry.matrix, float)[:3, :3]) < 0
                parts.append(np.asarray(cut.vertex, float)[cut.vertex_index[:, ::-1] if mirrored else cut.vertex_index])
        expected = np.concatenate(parts)
        with open_mesh(Path(path)) as mesh:
            found = np.concatenate(list(mesh.chunks()))
        assert len(found) == len(expected), path.name
        size = np.abs(expected).max()
        assert np.abs(found.min(axis=(0, 1)) - expected.min(axis=(0, 1))).max() < 1e-6 * size, path.name
        assert abs(volume(found) - volume(expected)) < 1e-5 * size**3, path.name

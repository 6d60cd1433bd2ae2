"""Small hostile files are refused by a rule before they take long or much memory: the limits of docs/formats.md.

`benchmarks/small_files.py` measures files that take the most time and memory.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from console import run
from formats.mesh.test_collada import document
from oracles import box, moved

from massprops import measure
from massprops.diagnosis import robot_links
from massprops.errors import MasspropsError
from massprops.formats import xml
from massprops.formats.mesh import collada, placement, ply_header
from massprops.formats.mesh import gltf as gltf_reader
from massprops.formats.robot import includes, mjcf_model, opening
from massprops.formats.robot.opening import read_robot
from massprops.formats.section import dxf as dxf_reader
from massprops.formats.section.svg import document as svg
from massprops.formats.section.svg import path
from massprops.mesh import components, triangulation
from massprops.mesh.xray.line_grid import Lattice
from massprops.section import assemble, topology, union

BLOCK = "0\nBLOCK\n8\n0\n2\nB{0}\n70\n0\n10\n0\n20\n0\n30\n0\n3\nB{0}\n1\n\n{1}0\nENDBLK\n8\n0\n"
INSERT = "0\nINSERT\n8\n0\n2\nB{}\n10\n{}\n20\n0\n30\n0\n"
CIRCLE = "0\nCIRCLE\n8\n0\n10\n0\n20\n0\n30\n0\n40\n1\n"
#: An outline of 103 arcs.
VERTICES = "".join(f"0\nVERTEX\n8\n0\n10\n{i % 2}\n20\n{i}\n42\n1\n" for i in range(103))
POLYLINE = f"0\nSECTION\n2\nENTITIES\n0\nPOLYLINE\n8\n0\n66\n1\n70\n1\n{VERTICES}0\nSEQEND\n8\n0\n0\nENDSEC\n0\nEOF\n"


def dxf(deep: int, step: float, drawn: str) -> str:
    """Blocks that each hold the next one twice."""
    two = ("".join(INSERT.format(i + 1, x) for x in (0, step * 2**i)) for i in range(deep))
    blocks = "".join(BLOCK.format(i, own) for i, own in enumerate([*two, drawn]))
    entities = INSERT.format(0, 0)
    return f"0\nSECTION\n2\nBLOCKS\n{blocks}0\nENDSEC\n0\nSECTION\n2\nENTITIES\n{entities}0\nENDSEC\n0\nEOF\n"


def gltf(primitives: int, above: int = 0) -> str:
    """One mesh of primitives that have the same 60 vertices, 20 triangles each, below some nodes."""
    own = {"attributes": {"POSITION": 0}}
    view = {"buffer": 0, "byteLength": 720}
    tree = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "bufferViews": [view]}
    tree |= {"nodes": [*({"children": [i + 1]} for i in range(above)), {"mesh": 0}]}
    tree |= {"accessors": [{"bufferView": 0, "componentType": 5126, "count": 60, "type": "VEC3"}]}
    tree |= {"buffers": [{"uri": "data:;base64," + "A" * 960, "byteLength": 720}]}
    return json.dumps(tree | {"meshes": [{"primitives": [own] * primitives}]})


SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'
#: By file name: its text; the code of the refusal; the limit that is lowered for it, so that it is a short file, and to what.
HOSTILE = {
    "header.ply": (
        "ply\nformat ascii 1.0\n" + "".join(f"element e{i} 0\n" for i in range(101)),
        "bad-header",
        (ply_header, "MOST_NAMES", 100),
    ),
    "face.obj": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf" + " 1 2 3" * 334, "large-face", (triangulation, "MOST_CORNERS", 1000)),
    "copies.gltf": (gltf(100_000), "too-large", None),
    "scene.gltf": (gltf(101), "too-large", (placement, "MOST_INSTANCES", 100)),
    "deep.gltf": (gltf(1, above=10), "too-large", (gltf_reader, "DEEPEST", 10)),
    "accessor.dae": (document().replace('count="4" stride', 'count="999999999" stride'), "bad-collada", None),
    "nodes.dae": (
        document(nodes=f"<node>{'<scale>1 1 1</scale>' * 1000}</node>"),
        "unsupported-collada",
        (collada, "_MOST_NODES", 1000),
    ),
    "nothing.dxf": (dxf(40, 0, ""), "bad-entity", (dxf_reader, "_MOST", 100)),
    "apart.dxf": (dxf(8, 3, CIRCLE), "bad-entity", (dxf_reader, "_MOST", 100)),
    "curves.dxf": (POLYLINE, "bad-entity", (dxf_reader, "_MOST", 100)),
    "one_place.dxf": (dxf(5, 0, CIRCLE), "too-many-rings", (assemble, "MOST_POINTS", 1000)),
    "nested.wkt": (
        f"MULTIPOLYGON({','.join(f'((-{x} 0,{x} -{x},{x} {x},-{x} 0))' for x in range(1, 21))})",
        "too-many-rings",
        (topology, "MOST_PAIRS", 200),
    ),
    "rings.wkt": (
        f"MULTIPOLYGON({','.join(f'(({x} 0,{x}.5 0,{x} 1,{x} 0))' for x in range(101))})",
        "too-many-rings",
        (assemble, "MOST_RINGS", 100),
    ),
    "links.urdf": ('<robot name="r">' + '<link name="a"/>' * 2_001 + "</robot>", "too-large", None),
    "boxes.urdf": (
        '<robot name="r"><link name="a">'
        + '<visual><geometry><sphere radius="1"/></geometry></visual>' * 101
        + "</link></robot>",
        "too-large",
        (opening, "MOST_GEOMETRIES", 100),
    ),
    "curves.svg": (SVG.format(f'<path d="M0 0{"t1 1" * 700}Z"/>'), "bad-svg", (svg, "MOST_POINTS", 10_000)),
    "styles.svg": (
        SVG.format(f"<style>{'.a{fill:red}' * 40}</style>" + '<g class="a b"/>' * 26),
        "bad-svg",
        (svg, "MOST_CHOICES", 1000),
    ),
    "elements.urdf": ('<robot name="r">' + "<a/>" * 1000 + "</robot>", "too-large", (xml, "MOST_ELEMENTS", 1000)),
    "missing.sdf": (
        "<sdf><model>" + "<include><uri>b</uri></include>" * 101 + "</model></sdf>",
        "too-many-files",
        (includes, "_MOST_FAILED", 100),
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_small_hostile_file_is_refused_by_its_rule(name, tmp_path, monkeypatch):
    text, code, limit = HOSTILE[name]
    if limit:
        monkeypatch.setattr(*limit)
    (tmp_path / name).write_text(text)
    if name.endswith("dxf"):
        pytest.importorskip("ezdxf")
    with pytest.raises(MasspropsError) as caught:
        (read_robot if name.endswith(("urdf", "sdf")) else measure)(str(tmp_path / name))
    assert caught.value.code == code
    assert name in str(caught.value)
    assert "more than" in str(caught.value) or not limit
    assert caught.value.remedy


def test_the_documented_limits_are_those_of_the_program():
    table = (Path(__file__).parents[2] / "docs" / "formats.md").read_text().split("## Limits")[1]
    limits = [ply_header.MOST_NAMES, triangulation.MOST_CORNERS, triangulation.LARGEST, triangulation.MOST_CONCAVE]
    limits += [
        triangulation._MOST_PRODUCTS,
        placement.MOST_INSTANCES,
        gltf_reader.DEEPEST,
        placement.LARGEST,
        collada._MOST_NODES,
        includes._MOST_FAILED,
    ]
    limits += [xml.MOST_ELEMENTS, opening.MOST_LINKS, opening.MOST_GEOMETRIES, includes.MOST_FILES]
    limits += [dxf_reader._MOST, path.MOST_POINTS, svg.MOST_CHOICES, union.MOST_CROSSINGS, assemble.MOST_RINGS]
    limits += [topology.MOST_PAIRS, assemble.MOST_POINTS, components._SOME, robot_links._MOST_PAIRS]
    for limit in limits:
        assert re.search(rf"(?<![\d,]){limit:,}(?!,?\d)", table), limit


def test_an_included_file_that_is_refused_is_not_read_a_thousand_times(tmp_path, monkeypatch):
    """A thousand includes of a file that has too many elements: it counts towards what all of them may have."""
    monkeypatch.setattr(includes, "_MOST_BYTES", 1 << 16)
    read = []
    monkeypatch.setattr(includes, "parse", lambda data, name: read.append(name) or xml.parse(data, name))
    include = "".join(f"<include><name>{i}</name><uri>b.sdf</uri></include>" for i in range(1000))
    (tmp_path / "a.sdf").write_text(f'<sdf><model name="m">{include}</model></sdf>')
    (tmp_path / "b.sdf").write_text(f'<sdf><model name="m">{"<a/>" * 600}</model></sdf>')
    with pytest.raises(MasspropsError, match="are included"):
        read_robot(str(tmp_path / "a.sdf"))
    assert len(read) == 2  # the second one goes beyond 1,024 elements


def test_no_more_elements_of_a_body_are_read_than_a_robot_may_have(tmp_path, monkeypatch):
    monkeypatch.setattr(mjcf_model, "_MOST_ELEMENTS", 3)
    geoms = '<geom size="1"/>' * 9
    (tmp_path / "a.xml").write_text(f"<mujoco><worldbody><body>{geoms}</body></worldbody></mujoco>")
    (link,) = read_robot(str(tmp_path / "a.xml"))
    assert link.error.code == "too-large"
    assert link.visual == link.collision == ()


def test_crossings_that_are_resolved_are_bounded(tmp_path, monkeypatch):
    """A star of 21 points crosses itself in 21 × 18 / 2 places."""
    monkeypatch.setattr(union, "MOST_CROSSINGS", 21 * 18 // 2 - 1)
    turns = np.arange(21) * 10 * 2 * np.pi / 21
    np.savetxt(tmp_path / "star.csv", np.stack([np.cos(turns), np.sin(turns)], axis=1), delimiter=",", fmt="%.12f")
    with pytest.raises(MasspropsError) as caught:
        measure(str(tmp_path / "star.csv"), units="mm", rings="nonzero")
    assert caught.value.code == "too-many-crossings"


def test_bodies_that_lie_on_each_other_too_often_are_refused(monkeypatch):
    monkeypatch.setattr(components, "_SOME", -(10**9))
    with pytest.raises(MasspropsError, match="too many bodies lie on each other"):
        measure(np.concatenate([box(), moved(box(), (0.5, 0.5, 0.5))]), on_overlap="union")


def test_files_that_include_each_other_twice_read_a_bounded_number_of_bytes(tmp_path):
    """There are 2³⁰ includes of a large file; reading ends at 32 MiB."""
    include = "".join(f"<include><name>{i}</name><uri>m{{}}.sdf</uri></include>" for i in range(2))
    for i in range(30):
        (tmp_path / f"m{i}.sdf").write_text(f'<sdf><model name="m">{include.format(i + 1, i + 1)}</model></sdf>')
    (tmp_path / "m30.sdf").write_text(f'<sdf><model name="m"><link name="a">{" " * 9_000_000}</link></model></sdf>')
    with pytest.raises(MasspropsError, match="32 MiB") as caught:
        read_robot(str(tmp_path / "m0.sdf"))
    assert caught.value.code == "too-large"


def test_the_work_of_all_faces_that_are_not_star_shaped_is_bounded(monkeypatch):
    comb = np.array([(x, y, 0.0) for x, y in [(0, 0), (9, 0), (9, 9), (8, 1), (7, 9), (6, 1), (5, 9), (4, 1), (3, 9)]])
    faces = triangulation.Polygons(np.arange(9)[None].repeat(5, axis=0))
    assert len(triangulation.triangulate(comb, faces, 0, str)[0]) == 5 * 7
    monkeypatch.setattr(triangulation, "_MOST_PRODUCTS", 4 * (triangulation._FACE + 9 * 3))
    with pytest.raises(MasspropsError, match="4 is the last of many"):
        triangulation.triangulate(comb, faces, 0, str)


def test_lines_are_fewer_where_facets_lie_on_each_other_many_times_over():
    """49,000 copies of a unit cube: 40 lines a side would cross 2 × 49,000 × 4,800 facets, each 32 bytes."""
    for copies, lines in ((1, 40), (8, 40), (49_000, 4)):
        assert Lattice.affordable(np.array([[0.0] * 3, [1.0] * 3]), 6.0 * copies, 40, 1).lines == lines


def test_a_table_has_three_findings_of_one_code_and_the_json_has_all(tmp_path):
    bad = '<inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path = tmp_path / "a.urdf"
    path.write_text(
        f'<robot name="r">{"".join(f"<link name={chr(34)}l{i}{chr(34)}>{bad}</link>" for i in range(10))}</robot>'
    )
    table, full, data = (run("check", str(path), *more).stdout.decode() for more in ([], ["-v"], ["--format", "json"]))
    assert (table.count("non-positive-mass: l"), full.count("non-positive-mass: l")) == (3, 10)
    assert "non-positive-mass: and 7 more (-v)" in table
    assert data.count('"non-positive-mass"') == 10

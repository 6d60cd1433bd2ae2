"""Small hostile files are refused by a rule before they take long or much memory: the limits of docs/formats.md.

`benchmarks/small_files.py` measures files that take the most time and memory.
"""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from console import run
from formats.mesh.test_collada import document
from oracles import box, moved

from massprops import measure
from massprops.errors import MasspropsError
from massprops.formats.robot.opening import read_robot
from massprops.mesh import components, triangulation
from massprops.mesh.xray.line_grid import Lattice

BLOCK = "0\nBLOCK\n8\n0\n2\nB{0}\n70\n0\n10\n0\n20\n0\n30\n0\n3\nB{0}\n1\n\n{1}0\nENDBLK\n8\n0\n"
INSERT = "0\nINSERT\n8\n0\n2\nB{}\n10\n{}\n20\n0\n30\n0\n"
CIRCLE = "0\nCIRCLE\n8\n0\n10\n0\n20\n0\n30\n0\n40\n1\n"


def dxf(deep: int, step: float, drawn: str) -> str:
    """Blocks that each hold the next one twice."""
    two = ("".join(INSERT.format(i + 1, x) for x in (0, step * 2**i)) for i in range(deep))
    blocks = "".join(BLOCK.format(i, own) for i, own in enumerate([*two, drawn]))
    entities = INSERT.format(0, 0)
    return f"0\nSECTION\n2\nBLOCKS\n{blocks}0\nENDSEC\n0\nSECTION\n2\nENTITIES\n{entities}0\nENDSEC\n0\nEOF\n"


def gltf() -> str:
    """One mesh of 100,000 primitives that have the same 60 vertices, 20 triangles each."""
    own = {"attributes": {"POSITION": 0}}
    view = {"buffer": 0, "byteLength": 720}
    tree = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "bufferViews": [view]}
    tree |= {"accessors": [{"bufferView": 0, "componentType": 5126, "count": 60, "type": "VEC3"}]}
    tree |= {"buffers": [{"uri": "data:;base64," + "A" * 960, "byteLength": 720}]}
    return json.dumps(tree | {"meshes": [{"primitives": [own] * 100_000}]})


HOSTILE = {
    "header.ply": ("ply\nformat ascii 1.0\n" + "".join(f"element e{i} 0\n" for i in range(10_001)), "bad-header"),
    "face.obj": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf" + " 1 2 3" * 166_667, "large-face"),
    "copies.gltf": (gltf(), "too-large"),
    "accessor.dae": (document().replace('count="4" stride', 'count="999999999" stride'), "bad-collada"),
    "nodes.dae": (document(nodes=f"<node>{'<scale>1 1 1</scale>' * 100_000}</node>"), "unsupported-collada"),
    "nothing.dxf": (dxf(40, 0, ""), "bad-entity"),
    "apart.dxf": (dxf(24, 3, CIRCLE), "bad-entity"),
    "one_place.dxf": (dxf(14, 0, CIRCLE), "too-many-rings"),
    "rings.wkt": (
        f"MULTIPOLYGON({','.join(f'(({x} 0,{x}.5 0,{x} 1,{x} 0))' for x in range(30_001))})",
        "too-many-rings",
    ),
    "links.urdf": ('<robot name="r">' + '<link name="a"/>' * 2_001 + "</robot>", "too-large"),
    "boxes.urdf": (
        '<robot name="r"><link name="a">'
        + '<visual><geometry><sphere radius="1"/></geometry></visual>' * 20_001
        + "</link></robot>",
        "too-large",
    ),
    "curves.svg": (f'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0{"t1 1" * 70_000}Z"/></svg>', "bad-svg"),
    "elements.urdf": ('<robot name="r">' + "<a/>" * 500_000 + "</robot>", "too-large"),
    "missing.sdf": ("<sdf><model>" + "<include><uri>b</uri></include>" * 1_001 + "</model></sdf>", "too-many-files"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_small_hostile_file_is_refused_by_its_rule(name, tmp_path):
    text, code = HOSTILE[name]
    (tmp_path / name).write_text(text)
    if name.endswith("dxf"):
        pytest.importorskip("ezdxf")
    with pytest.raises(MasspropsError) as caught:
        (read_robot if name.endswith(("urdf", "sdf")) else measure)(str(tmp_path / name))
    assert caught.value.code == code
    assert name in str(caught.value)
    assert caught.value.remedy


def test_crossings_that_are_resolved_are_bounded(tmp_path):
    """A star of 201 points crosses itself in 201 × 198 / 2 places."""
    turns = np.arange(201) * 100 * 2 * np.pi / 201
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
        surface = SimpleNamespace(
            bounds=np.array([[0.0] * 3, [1.0] * 3]), sheet=SimpleNamespace(measure=6.0 * copies), seed=1
        )
        assert Lattice.affordable(surface, 40).lines == lines


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

"""Small hostile files: CPU time and memory of whole processes, against the bounds that docs/formats.md states.

    python benchmarks/small_files.py [PATTERN …]

Writes each file below 10 MB to a temporary folder, runs a command on it in a process of its own, and prints its size, the CPU time, the
greatest memory (RSS), the exit code, and `over` where it took more than 10 s or 1 GB, or where it ended with a traceback. With words,
only the cases whose names match one of them (`3mf*`). Processes are stopped after 30 s of CPU time, or at 4 GB of addresses.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
from usage import words

#: The bounds: seconds of CPU time, bytes of memory, bytes of the files.
SECONDS, MEMORY, LARGEST = 10.0, 1 << 30, 10_000_000
STOP_SECONDS, STOP_MEMORY = 30, 4 << 30
#: What a case writes: the file that is named on the command line, and those that it refers to.
Files = dict[str, bytes]
MeshIntegration = Callable[[], Files]
CASES: dict[str, tuple[str, MeshIntegration]] = {}

COMPUTE, CHECK = "compute", "check"
FILL = "fill --density 1000 -o filled.xml"
COMBINE = "combine"
TETRAHEDRON = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
BOX = '<collision><geometry><box size="1 1 1"/></geometry></collision>'


def case(*commands: str) -> Callable[[MeshIntegration], MeshIntegration]:
    """A case that these commands read."""

    def add(make: MeshIntegration) -> MeshIntegration:
        for command in commands:
            CASES[f"{make.__name__} {command.split()[0]}"] = command, make
        return make

    return add


def lines(*parts: str | Iterable[str]) -> bytes:
    """Text of some lines, and of some that are made."""
    return "\n".join([x for part in parts for x in ([part] if isinstance(part, str) else part)]).encode() + b"\n"


def circle(count: int, radius: float = 1.0) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def comb(count: int) -> np.ndarray:
    """Outline with that many concave corners, shape (2 count + 2, 2)."""
    x = np.arange(2 * count) / count
    teeth = np.stack([x, np.where(np.arange(2 * count) % 2, 0.5, 1.0)], axis=1)
    return np.concatenate([teeth, [[x[-1], 0], [0, 0]]])


# PLY, OBJ, OFF and STL


@case(COMPUTE)
def ply_elements() -> Files:
    elements = (f"element e{i} 0" for i in range(400_000))
    return {"a.ply": lines("ply", "format ascii 1.0", elements, "end_header")}


@case(COMPUTE)
def ply_properties() -> Files:
    properties = (f"property float p{i}" for i in range(400_000))
    return {"a.ply": lines("ply", "format ascii 1.0", "element vertex 0", properties, "end_header")}


@case(COMPUTE)
def ply_comments() -> Files:
    return {"a.ply": lines("ply", "format ascii 1.0", ("comment" for _ in range(1_200_000)), "end_header")}


@case(COMPUTE)
def ply_few_properties_many_rows() -> Files:
    header = lines("ply", "format ascii 1.0", "element vertex 4000000000", "property float x", "end_header")
    return {"a.ply": header + b"0\n" * 4_000_000}


def obj_face(points: np.ndarray) -> bytes:
    """A cone over one large face."""
    count = len(points)
    sides = (f"f {i + 1} {(i + 1) % count + 1} {count + 1}" for i in range(count))
    face = "f " + " ".join(str(i) for i in range(count, 0, -1))
    return lines((f"v {x:.7f} {y:.7f} 0" for x, y in points), "v 0.5 0.5 1", face, sides)


@case(COMPUTE)
def obj_concave_900() -> Files:
    return {"a.obj": obj_face(comb(900))}


@case(COMPUTE)
def obj_concave_many() -> Files:
    """Faces of as many concave corners as are triangulated, a hundred of them."""
    points = comb(900)
    face = "f " + " ".join(str(-i) for i in range(1, len(points) + 1))
    return {"a.obj": lines(*([(f"v {x:.7f} {y:.7f} 0" for x, y in points), face] * 100))}


@case(COMPUTE)
def obj_concave_4000() -> Files:
    return {"a.obj": obj_face(comb(4000))}


@case(COMPUTE)
def obj_long_face() -> Files:
    vertices = [f"v {x} {y} {z}" for x, y, z in TETRAHEDRON]
    return {"a.obj": lines(vertices, "f " + "1 2 3 " * 1_600_000)}


@case(COMPUTE)
def obj_round_face() -> Files:
    return {"a.obj": obj_face(circle(150_000))}


@case(COMPUTE)
def obj_same_faces() -> Files:
    faces = ("f 1 3 2" for _ in range(1_200_000))
    return {"a.obj": lines((f"v {x} {y} {z}" for x, y, z in TETRAHEDRON), faces)}


@case(COMPUTE)
def obj_groups() -> Files:
    groups = (f"g {i}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4" for i in range(200_000))
    return {"a.obj": lines((f"v {x} {y} {z}" for x, y, z in TETRAHEDRON), groups)}


@case(COMPUTE)
def obj_materials() -> Files:
    return {"a.obj": lines(f"usemtl {i}" for i in range(700_000))}


@case(COMPUTE)
def obj_backslashes() -> Files:
    return {"a.obj": b"f 1\\\n" * 2_000_000}


@case(COMPUTE, CHECK, "plot -o p.png", "report -o r.html", "repair -o r.stl")
def stl_large_tetrahedra() -> Files:
    """Closed bodies that all overlap each other: every line meets a third of the facets."""
    rng = np.random.default_rng(1)
    corners = np.array(TETRAHEDRON) + rng.normal(0, 1e-2, (49_000, 4, 3))
    facets = np.zeros(len(corners) * 4, dtype=[("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    facets["v"] = corners[:, np.array(FACES)].reshape(-1, 3, 3)
    return {"a.stl": bytes(80) + struct.pack("<I", len(facets)) + facets.tobytes()}


@case(COMPUTE, CHECK, "repair -o r.stl", "report -o r.html")
def stl_open_triangles() -> Files:
    """Facets without a neighbour: every edge is open."""
    rng = np.random.default_rng(1)
    facets = np.zeros(199_000, dtype=[("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    facets["v"] = rng.normal(size=(len(facets), 3, 3))
    return {"a.stl": bytes(80) + struct.pack("<I", len(facets)) + facets.tobytes()}


@case(COMPUTE)
def stl_solids() -> Files:
    return {"a.stl": b"solid\nendsolid\n" * 660_000}


@case(COMPUTE)
def stl_one_line() -> Files:
    return {"a.stl": b"solid " + b"facet normal 0 0 0 outer loop vertex " * 260_000}


@case(COMPUTE)
def stl_long_number() -> Files:
    return {"a.stl": b"solid\nfacet normal 0 0 0\nouter loop\nvertex " + b"1" * 9_000_000 + b" 0 0\n"}


@case("compute --part-density *=1000")
def obj_groups_apart() -> Files:
    """5,900 groups of a body each, which are measured one by one."""

    def bodies() -> Iterator[str]:
        for i in range(5_900):
            yield from (f"v {x + 2 * i} {y} {z}" for x, y, z in TETRAHEDRON)
            yield f"g {i}"
            yield from ("f {} {} {}".format(*(k - 4 for k in face)) for face in FACES)

    return {"a.obj": lines(bodies())}


@case(COMPUTE)
def ply_long_lists() -> Files:
    """Faces of 400,000 corners each, most of them one point."""
    header = lines(
        "ply", "format binary_little_endian 1.0", "element vertex 4", *(f"property float {x}" for x in "xyz")
    )
    header += lines("element face 6", "property list uint uint vertex_indices", "end_header")
    points = np.array(TETRAHEDRON, "<f4").tobytes()
    face = struct.pack("<I", 400_000) + np.tile(np.array([0, 2, 1, 3], "<u4"), 100_000).tobytes()
    return {"a.ply": header + points + face * 6}


@case(COMPUTE)
def off_counts() -> Files:
    return {"a.off": lines("OFF", "400000000 400000000 0", ("0 0 0" for _ in range(1_600_000)))}


@case(COMPUTE)
def off_large_face() -> Files:
    return {"a.off": lines("OFF", "3 1 0", "0 0 0", "1 0 0", "0 1 0", "4500000 " + "1 " * 4_500_000)}


# 3MF


def package(model: Iterable[bytes], extra: Files | None = None) -> bytes:
    """A 3MF package with this model."""
    path = Path(tempfile.mkstemp()[1])
    space = "http://schemas.openxmlformats.org/package/2006"
    kind = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
    relation = f'<Relationship Id="a" Type="{kind}" Target="/3D/m.model"/>'
    content = "application/vnd.ms-package.3dmanufacturing-3dmodel+xml"
    kinds = f'<Types xmlns="{space}/content-types"><Default Extension="model" ContentType="{content}"/></Types>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{space}/relationships">{relation}</Relationships>')
        archive.writestr("[Content_Types].xml", kinds)
        for name, text in (extra or {}).items():
            archive.writestr(name, text)
        with archive.open("3D/m.model", "w") as stream:
            for part in model:
                stream.write(part)
    try:
        return path.read_bytes()
    finally:
        path.unlink()


def model(resources: Iterable[str], build: Iterable[str], attributes: str = "") -> Iterator[bytes]:
    core = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
    yield f'<model unit="millimeter" xmlns="{core}" {attributes}><resources>'.encode()
    yield from (text.encode() for text in resources)
    yield b"</resources><build>"
    yield from (text.encode() for text in build)
    yield b"</build></model>"


def solid(vertices: Iterable[Iterable[float]], faces: Iterable[Iterable[int]], number: int = 1) -> Iterator[str]:
    """An object of a 3MF."""
    yield f'<object id="{number}"><mesh><vertices>'
    yield from ('<vertex x="{}" y="{}" z="{}"/>'.format(*v) for v in vertices)
    yield "</vertices><triangles>"
    yield from ('<triangle v1="{}" v2="{}" v3="{}"/>'.format(*f) for f in faces)
    yield "</triangles></mesh></object>"


def grid(n: int) -> tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]:
    """A slab of 2 × n × n squares, closed: points and triangles."""
    points = [(x, y, z) for z in (0, 1) for y in range(n + 1) for x in range(n + 1)]

    def at(x: int, y: int, z: int) -> int:
        return x + (n + 1) * (y + (n + 1) * z)

    faces = []
    for y in range(n):
        for x in range(n):
            a, b, c, d = at(x, y, 1), at(x + 1, y, 1), at(x + 1, y + 1, 1), at(x, y + 1, 1)
            faces += [(a, b, c), (a, c, d)]
            a, b, c, d = at(x, y, 0), at(x, y + 1, 0), at(x + 1, y + 1, 0), at(x + 1, y, 0)
            faces += [(a, b, c), (a, c, d)]
    for i in range(n):
        ends = (i, 0), (i + 1, 0), (n, i), (n, i + 1), (n - i, n), (n - i - 1, n), (0, n - i), (0, n - i - 1)
        for (x, y), (u, v) in zip(ends[::2], ends[1::2], strict=True):
            faces += [(at(x, y, 0), at(u, v, 0), at(u, v, 1)), (at(x, y, 0), at(u, v, 1), at(x, y, 1))]
    return points, faces


@case(COMPUTE)
def threemf_long_transform() -> Files:
    build = ['<item objectid="1" transform="', "0 " * 8_000_000, '"/>']
    return {"a.3mf": package(model(solid(TETRAHEDRON, FACES), build))}


@case(COMPUTE)
def threemf_namespaces() -> Files:
    resources = (f'<a:b xmlns:a="urn:{i}"/>' for i in range(300_000))
    return {"a.3mf": package(model([*solid(TETRAHEDRON, FACES), *resources], ['<item objectid="1"/>']))}


@case(COMPUTE, CHECK, "plot -o p.png", "report -o r.html", "repair -o r.stl")
def threemf_instances() -> Files:
    """A 20 kB package that places a mesh 19,000 times."""
    points, faces = grid(20)
    build = (
        f'<item objectid="1" transform="1 0 0 0 1 0 0 0 1 {30 * (i % 100)} {30 * (i // 100)} 0"/>'
        for i in range(19_000)
    )
    return {"a.3mf": package(model(solid(points, faces), build))}


@case(COMPUTE)
def threemf_components() -> Files:
    """Each object has the next twice."""
    objects = [*solid(TETRAHEDRON, FACES)]
    for i in range(2, 30):
        own = f'<component objectid="{i - 1}"/>' * 2
        objects.append(f'<object id="{i}"><components>{own}</components></object>')
    return {"a.3mf": package(model(objects, ['<item objectid="29"/>']))}


@case(COMPUTE)
def threemf_vertices() -> Files:
    def resources() -> Iterator[str]:
        yield '<object id="1"><mesh><vertices>'
        yield from ('<vertex x="0" y="0" z="0"/>' * 1000 for _ in range(8_000))
        yield '</vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object>'

    noise = np.random.default_rng(1).integers(0, 256, 5_000_000, np.uint8).tobytes()
    return {"a.3mf": package(model(resources(), ['<item objectid="1"/>']), {"noise": noise})}


@case(COMPUTE)
def threemf_triangles() -> Files:
    def resources() -> Iterator[str]:
        yield '<object id="1"><mesh><vertices>'
        yield from ('<vertex x="{}" y="{}" z="{}"/>'.format(*v) for v in TETRAHEDRON)
        yield "</vertices><triangles>"
        for _ in range(8_000):
            yield '<triangle v1="0" v2="2" v3="1"/>' * 1000
        yield "</triangles></mesh></object>"

    return {"a.3mf": package(model(resources(), ['<item objectid="1"/>']))}


@case(COMPUTE)
def threemf_parts() -> Files:
    return {
        "a.3mf": package(
            model(solid(TETRAHEDRON, FACES), ['<item objectid="1"/>']), {f"{i}": b"" for i in range(90_000)}
        )
    }


@case(COMPUTE)
def threemf_attributes() -> Files:
    names = " ".join(f'a{i}=""' for i in range(1_000_000))
    return {"a.3mf": package(model([f"<object {names}/>"], []))}


@case(COMPUTE)
def threemf_materials() -> Files:
    bases = '<base name="a" displaycolor="#000000"/>' * 400_000
    resources = [f'<basematerials id="9">{bases}</basematerials>', *solid(TETRAHEDRON, FACES)]
    return {"a.3mf": package(model(resources, ['<item objectid="1"/>']))}


@case(COMPUTE)
def threemf_objects() -> Files:
    resources = (text for i in range(1, 6_000) for text in solid(TETRAHEDRON, FACES, i))
    build = (f'<item objectid="{i}" transform="1 0 0 0 1 0 0 0 1 {2 * i} 0 0"/>' for i in range(1, 6_000))
    return {"a.3mf": package(model(resources, build))}


@case(COMPUTE)
def threemf_archive_in_archive() -> Files:
    inner = package(model(solid(TETRAHEDRON, FACES), ['<item objectid="1"/>']))
    for _ in range(50):
        inner = package(model(solid(TETRAHEDRON, FACES), ['<item objectid="1"/>']), {"inner.3mf": inner})
    return {"a.3mf": inner}


@case(COMPUTE)
def threemf_huge_numbers() -> Files:
    vertices = [tuple("9" * 9_000 for _ in range(3))] * 300
    return {"a.3mf": package(model(solid(vertices, FACES), ['<item objectid="1"/>']))}


# glTF and COLLADA


def gltf(nodes: list[dict[str, object]], roots: list[int], meshes: list[dict[str, object]] | None = None) -> bytes:
    points = np.array(TETRAHEDRON, "<f4").tobytes()
    corners = np.array(FACES, "<u2").tobytes()
    uri = "data:;base64," + base64.b64encode(points + corners).decode()
    own = [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": roots}],
        "nodes": nodes,
        "meshes": own if meshes is None else meshes,
        "buffers": [{"uri": uri, "byteLength": 72}],
        "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
    }
    return json.dumps(tree, separators=(",", ":")).encode()


@case(COMPUTE)
def gltf_nodes() -> Files:
    nodes = [{"mesh": 0, "translation": [2 * i, 0, 0]} for i in range(150_000)]
    return {"a.gltf": gltf(nodes, [*range(len(nodes))])}


@case(COMPUTE)
def gltf_chain() -> Files:
    nodes = [{"children": [i + 1]} for i in range(300_000)]
    return {"a.gltf": gltf([*nodes, {"mesh": 0}], [0])}


@case(COMPUTE)
def gltf_cycle() -> Files:
    nodes: list[dict[str, object]] = [{"children": [i + 1]} for i in range(100_000)]
    return {"a.gltf": gltf([*nodes, {"children": [0]}], [0])}


@case(COMPUTE)
def gltf_primitives() -> Files:
    """Primitives that all have the same vertices and indices, 1,000 of 100,000."""
    points = np.zeros((60_000, 3), "<f4").tobytes()
    corners = np.arange(60_000, dtype="<u2").tobytes()
    tree = json.loads(gltf([{"mesh": 0}], [0]))
    tree["buffers"] = [{"uri": "a.bin", "byteLength": len(points + corners)}]
    tree["bufferViews"][0]["byteLength"] = len(points)
    tree["bufferViews"][1] = {"buffer": 0, "byteOffset": len(points), "byteLength": len(corners)}
    tree["accessors"][0]["count"] = tree["accessors"][1]["count"] = 60_000
    tree["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}] * 100_000}]
    return {"a.gltf": json.dumps(tree, separators=(",", ":")).encode(), "a.bin": points + corners}


@case(COMPUTE)
def gltf_mesh_of_many_nodes() -> Files:
    """20,000 nodes with a mesh of 3,000 triangles each."""
    files = gltf_primitives()
    tree = json.loads(files["a.gltf"])
    tree["meshes"][0]["primitives"] = tree["meshes"][0]["primitives"][:1]
    tree["nodes"] = [{"mesh": 0}] * 100_000
    tree["scenes"][0]["nodes"] = [*range(100_000)]
    return files | {"a.gltf": json.dumps(tree, separators=(",", ":")).encode()}


@case(COMPUTE)
def gltf_numbers() -> Files:
    return {"a.gltf": b'{"asset":{"version":"2.0"},"a":[' + b"1," * 4_500_000 + b"1]}"}


@case(COMPUTE)
def gltf_deep() -> Files:
    return {"a.gltf": b'{"asset":{"version":"2.0"},"a":' + b"[" * 4_500_000}


@case(COMPUTE)
def gltf_long_integer() -> Files:
    return {"a.gltf": b'{"asset":{"version":"2.0"},"a":' + b"1" * 5_000_000 + b"}"}


def collada(nodes: str, library: str = "", geometry: str = "", shape: str = "") -> bytes:
    points = " ".join(str(x) for v in TETRAHEDRON for x in v)
    faces = " ".join(str(i) for f in FACES for i in f)
    own = geometry or (
        '<geometry id="g"><mesh><source id="s"><float_array id="f" count="12">'
        + points
        + "</float_array><technique_common>"
        '<accessor source="#f" count="4" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor>'
        '</technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices>'
        + (shape or f'<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles>')
        + "</mesh></geometry>"
    )
    return (
        f'<COLLADA version="1.4.1"><library_geometries>{own}</library_geometries><library_nodes>{library}</library_nodes>'
        f'<library_visual_scenes><visual_scene id="w">{nodes}</visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#w"/></scene></COLLADA>'
    ).encode()


@case(COMPUTE)
def dae_doubled_nodes() -> Files:
    library = "".join(f'<node id="n{i}">' + f'<instance_node url="#n{i + 1}"/>' * 2 + "</node>" for i in range(40))
    library += '<node id="n40"><instance_geometry url="#g"/></node>'
    return {"a.dae": collada('<node><instance_node url="#n0"/></node>', library)}


@case(COMPUTE)
def dae_instances() -> Files:
    return {"a.dae": collada('<node><instance_geometry url="#g"/></node>' * 99_000)}


@case(COMPUTE)
def dae_instances_in_a_node() -> Files:
    return {"a.dae": collada("<node>" + '<instance_geometry url="#g"/>' * 300_000 + "</node>")}


@case(COMPUTE)
def dae_same_ids() -> Files:
    """Every instance looks for its geometry among elements of one id."""
    same = '<a id="g"/>' * 50_000
    return {"a.dae": collada('<node><instance_geometry url="#g"/></node>' * 90_000, same)}


@case(COMPUTE)
def dae_many_polygons() -> Files:
    shape = '<polygons count="400000"><input semantic="VERTEX" source="#v" offset="0"/>' + "<p>0 1 2</p>" * 400_000
    return {"a.dae": collada("<node/>", shape=shape + "</polygons>")}


@case(COMPUTE)
def dae_inputs() -> Files:
    shape = '<triangles count="4"><input semantic="VERTEX" source="#v" offset="999999999"/><p>0 1 2</p></triangles>'
    return {"a.dae": collada('<node><instance_geometry url="#g"/></node>', shape=shape)}


@case(COMPUTE)
def dae_accessor() -> Files:
    text = collada('<node><instance_geometry url="#g"/></node>')
    return {"a.dae": text.replace(b'count="4" stride="3"', b'count="999999999" stride="3"')}


@case(COMPUTE)
def dae_transforms() -> Files:
    return {"a.dae": collada("<node>" + "<scale>1 1 1</scale>" * 400_000 + "</node>")}


# Sections


@case(COMPUTE)
def csv_commas() -> Files:
    return {"a.csv": b"0,0\n1,0\n" + b"," * 5_000_000}


@case(COMPUTE)
def csv_points() -> Files:
    return {"a.csv": lines(f"{x:.6f},{y:.6f}" for x, y in circle(450_000))}


@case(COMPUTE, CHECK, "plot -o p.png", "report -o r.html")
def csv_random_points() -> Files:
    points = np.random.default_rng(1).random((400_000, 2))
    return {"a.csv": lines(f"{x:.6f},{y:.6f}" for x, y in points)}


@case(COMPUTE, "report --rings nonzero -o r.html")
def csv_star() -> Files:
    """Points of a star whose every edge crosses nearly every other: 2,000 of them make two million crossings."""
    points = circle(2001)[(np.arange(2001) * 1000) % 2001]
    return {"a.csv": lines(f"{x:.12f},{y:.12f}" for x, y in points)}


@case(COMPUTE)
def csv_long_number() -> Files:
    return {"a.csv": b"0,0\n1,0\n" + b"1" * 5_000_000 + b",1\n"}


@case(COMPUTE)
def csv_repeated_points() -> Files:
    return {"a.csv": b"0,0\n1,0\n1,1\n0,1\n" * 500_000}


@case(COMPUTE)
def dat_lines() -> Files:
    return {"a.dat": b"name\n" + b"0 0\n" * 2_400_000}


def rings(count: int, concentric: bool) -> list[list[list[float]]]:
    n = int(count**0.5) + 1
    found = []
    for i in range(count):
        r = (count - i) / count if concentric else 0.4
        x, y = (0, 0) if concentric else divmod(i, n)
        found.append([[x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r], [x - r, y - r]])
    return found


def multi_polygon(outlines: list[list[list[float]]]) -> Files:
    """A GeoJSON file of polygons without holes."""
    text = json.dumps({"type": "MultiPolygon", "coordinates": [[ring] for ring in outlines]}, separators=(",", ":"))
    return {"a.geojson": text.encode()}


@case(COMPUTE)
def geojson_rings() -> Files:
    return multi_polygon(rings(60_000, False))


@case(COMPUTE)
def geojson_nested_rings() -> Files:
    return multi_polygon(rings(40_000, True))


@case(COMPUTE)
def geojson_same_rings() -> Files:
    one = [[0, 0], [1, 0], [1, 1], [0, 0]]
    return multi_polygon([one] * 250_000)


@case(COMPUTE)
def geojson_points() -> Files:
    ring = circle(300_000).round(9).tolist()
    return {"a.geojson": json.dumps({"type": "Polygon", "coordinates": [[*ring, ring[0]]]}).encode()[:LARGEST]}


@case(COMPUTE)
def geojson_collections() -> Files:
    return {"a.geojson": b'{"type":"GeometryCollection","geometries":[' * 200_000}


@case(COMPUTE)
def geojson_points_of_one() -> Files:
    return {"a.geojson": b'{"type":"Polygon","coordinates":[[' + b"[0,0]," * 1_600_000 + b"[0,0]]]}"}


@case(COMPUTE)
def json_deep() -> Files:
    return {"a.json": b"[" * 5_000_000}


@case(COMPUTE)
def json_long_number() -> Files:
    return {"a.json": b"[[0,0],[1,0],[1," + b"1" * 5_000_000 + b"]]"}


@case(COMPUTE)
def wkt_rings() -> Files:
    parts = ",".join("((" + ",".join(f"{x} {y}" for x, y in r) + "))" for r in rings(60_000, False))
    return {"a.wkt": f"MULTIPOLYGON({parts})".encode()}


@case(COMPUTE)
def wkt_parentheses() -> Files:
    return {"a.wkt": b"POLYGON " + b"(" * 5_000_000}


@case(COMPUTE)
def wkt_words() -> Files:
    return {"a.wkt": b"GEOMETRYCOLLECTION(" * 300_000}


@case(COMPUTE)
def wkt_nested_rings() -> Files:
    parts = ",".join("((" + ",".join(f"{x} {y}" for x, y in r) + "))" for r in rings(20_000, True))
    return {"a.wkt": f"MULTIPOLYGON({parts})".encode()}


def svg(content: str, attributes: str = "") -> bytes:
    text = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9mm" height="9mm" {attributes}>'
    return f"{text}{content}</svg>".encode()


@case(COMPUTE)
def svg_segments() -> Files:
    return {"a.svg": svg('<path d="M0 0' + "L1 0L1 1L0 1" * 200_000 + 'Z"/>')}


@case(COMPUTE)
def svg_round_path() -> Files:
    points = " ".join(f"{x:.6f},{y:.6f}" for x, y in circle(400_000))
    return {"a.svg": svg(f'<polygon points="{points}"/>')}


@case(COMPUTE)
def svg_curves() -> Files:
    return {"a.svg": svg('<path d="M0 0' + "q1 1 2 0t1 1" * 300_000 + 'Z"/>')}


@case(COMPUTE)
def svg_arcs() -> Files:
    return {"a.svg": svg('<path d="M0 0' + "a1 1 0 0 0 1 1" * 200_000 + 'Z"/>')}


@case(COMPUTE)
def svg_shapes() -> Files:
    shapes = (f'<rect x="{3 * (i % 300)}" y="{3 * (i // 300)}" width="1" height="1"/>' for i in range(90_000))
    return {"a.svg": svg("".join(shapes))}


@case(COMPUTE)
def svg_circles_of_one_place() -> Files:
    return {"a.svg": svg('<circle r="1"/>' * 300_000)}


@case(COMPUTE)
def svg_uses() -> Files:
    groups = "".join(f'<g id="g{i}">' + f'<use xlink:href="#g{i + 1}"/>' * 2 + "</g>" for i in range(40))
    return {"a.svg": svg(f'<defs>{groups}<g id="g40"><rect width="1" height="1"/></g></defs><use xlink:href="#g0"/>')}


@case(COMPUTE)
def svg_styles() -> Files:
    rules = "".join(f".a{i}{{fill:red}}" for i in range(200_000))
    shapes = '<rect class="a1 a2 a3" width="1" height="1"/>' * 100_000
    return {"a.svg": svg(f"<style>{rules}</style>{shapes}")}


@case(COMPUTE)
def svg_classes() -> Files:
    classes = " ".join(f"a{i}" for i in range(1_000_000))
    return {"a.svg": svg(f'<rect class="{classes}" width="1" height="1"/>')}


@case(COMPUTE)
def svg_transforms() -> Files:
    return {"a.svg": svg('<g transform="' + "scale(1)" * 1_000_000 + '"><rect width="1" height="1"/></g>')}


def dxf(entities: str, blocks: str = "") -> bytes:
    return (f"0\nSECTION\n2\nBLOCKS\n{blocks}0\nENDSEC\n" if blocks else "").encode() + (
        f"0\nSECTION\n2\nENTITIES\n{entities}0\nENDSEC\n0\nEOF\n".encode()
    )


def block(name: str, entities: str) -> str:
    return f"0\nBLOCK\n8\n0\n2\n{name}\n70\n0\n10\n0\n20\n0\n30\n0\n3\n{name}\n1\n\n{entities}0\nENDBLK\n8\n0\n"


def insert(name: str, x: float) -> str:
    return f"0\nINSERT\n8\n0\n2\n{name}\n10\n{x}\n20\n0\n30\n0\n"


CIRCLE = "0\nCIRCLE\n8\n0\n10\n0\n20\n0\n30\n0\n40\n1\n"


@case(COMPUTE)
def dxf_doubled_blocks() -> Files:
    blocks = "".join(block(f"B{i}", insert(f"B{i + 1}", 0) * 2) for i in range(14)) + block("B14", CIRCLE)
    return {"a.dxf": dxf(insert("B0", 0), blocks)}


@case(COMPUTE)
def dxf_doubled_blocks_apart() -> Files:
    blocks = "".join(block(f"B{i}", insert(f"B{i + 1}", 0) + insert(f"B{i + 1}", 3 * 2**i)) for i in range(24))
    return {"a.dxf": dxf(insert("B0", 0), blocks + block("B24", CIRCLE))}


@case(COMPUTE)
def dxf_empty_blocks() -> Files:
    """Doubled blocks that draw nothing."""
    blocks = "".join(block(f"B{i}", insert(f"B{i + 1}", 0) * 2) for i in range(40)) + block("B40", "")
    return {"a.dxf": dxf(insert("B0", 0), blocks)}


@case(COMPUTE)
def dxf_array() -> Files:
    """An INSERT of 30,000 rows and columns."""
    many = insert("B", 0) + "70\n30000\n71\n30000\n44\n3\n45\n3\n"
    return {"a.dxf": dxf(many, block("B", CIRCLE))}


@case(COMPUTE)
def dxf_same_circles() -> Files:
    return {"a.dxf": dxf(CIRCLE * 200_000)}


@case(COMPUTE)
def dxf_lines() -> Files:
    ends = np.concatenate([circle(120_000), np.roll(circle(120_000), 1, axis=0)], axis=1).tolist()
    line = "0\nLINE\n8\n0\n10\n{:.5f}\n20\n{:.5f}\n11\n{:.5f}\n21\n{:.5f}\n"
    return {"a.dxf": dxf("".join(line.format(*four) for four in ends))}


@case(COMPUTE)
def dxf_lines_of_one_point() -> Files:
    text = "".join(f"0\nLINE\n8\n0\n10\n0\n20\n0\n11\n{i}\n21\n1\n" for i in range(200_000))
    return {"a.dxf": dxf(text)}


@case(COMPUTE)
def dxf_spline() -> Files:
    knots = "".join(f"40\n{i}\n" for i in range(19_996))
    points = "".join(f"10\n{x:.4f}\n20\n{y:.4f}\n30\n0\n" for x, y in circle(19_992))
    head = "0\nSPLINE\n5\n1\n100\nAcDbEntity\n8\n0\n100\nAcDbSpline\n70\n8\n71\n3\n72\n19996\n73\n19992\n74\n0\n"
    return {"a.dxf": dxf(f"{head}{knots}{points}" * 8)}


# Robots


def urdf(content: Iterable[str] | str) -> bytes:
    return b'<robot name="r">' + "".join(content).encode() + b"</robot>"


def chain(count: int, link: str) -> Iterator[str]:
    for i in range(count):
        yield f'<link name="l{i}">{link}</link>'
        if i:
            ends = f'<parent link="l{i - 1}"/><child link="l{i}"/>'
            yield f'<joint name="j{i}" type="fixed">{ends}</joint>'


ROBOT = (CHECK, FILL, COMBINE, COMPUTE)


@case(*ROBOT)
def urdf_same_names() -> Files:
    return {"a.urdf": urdf('<link name="a"/>' * 400_000)}


@case(*ROBOT)
def urdf_chain() -> Files:
    return {"a.urdf": urdf(chain(85_000, ""))}


@case(*ROBOT)
def urdf_chain_of_bodies() -> Files:
    return {"a.urdf": urdf(chain(1_990, INERTIAL + BOX))}


@case(*ROBOT)
def urdf_many_links() -> Files:
    return {"a.urdf": urdf(f'<link name="l{i}">{BOX}</link>' for i in range(100_000))}


@case(*ROBOT)
def urdf_boxes() -> Files:
    """A link of 130,000 boxes."""
    return {"a.urdf": urdf(['<link name="a">', INERTIAL, BOX * 120_000, "</link>"])}


@case(*ROBOT)
def urdf_meshes() -> Files:
    """A link with the same mesh 4,000 times."""
    points, faces = grid(60)
    obj = lines(("v {} {} {}".format(*p) for p in points), ("f {} {} {}".format(*(i + 1 for i in f)) for f in faces))
    mesh = '<visual><geometry><mesh filename="a.obj"/></geometry></visual>' * 4_000
    return {"a.urdf": urdf(f'<link name="a">{mesh}</link>'), "a.obj": obj}


def copies(first: int) -> Files:
    """A link with the same mesh 4,000 times, each in its own place, without its first facets."""
    points, faces = grid(60)
    obj = lines(
        ("v {} {} {}".format(*p) for p in points), ("f {} {} {}".format(*(i + 1 for i in f)) for f in faces[first:])
    )
    places = (f'<origin xyz="{0.01 * i:.2f} 0 0"/>' for i in range(4_000))
    visuals = (f'<visual>{place}<geometry><mesh filename="a.obj"/></geometry></visual>' for place in places)
    return {"a.urdf": urdf(['<link name="a">', *visuals, "</link>"]), "a.obj": obj}


@case(*ROBOT)
def urdf_copies() -> Files:
    return copies(0)


@case(*ROBOT)
def urdf_open_copies() -> Files:
    return copies(1)


@case(*ROBOT)
def urdf_balls() -> Files:
    """A link of 19,000 balls of as many sizes."""
    balls = (f'<visual><geometry><sphere radius="{1 + i * 1e-6:.6f}"/></geometry></visual>' for i in range(19_000))
    return {"a.urdf": urdf(['<link name="a">', *balls, "</link>"])}


@case(CHECK)
def urdf_twins() -> Files:
    """Links of one geometry whose inertials all differ."""
    numbers = np.random.default_rng(1).uniform(0.1, 0.19, (1_990, 5)).tolist()
    inertial = '<inertial><origin xyz="{3:.4f} 0 0"/><mass value="{4:.4f}"/><inertia ixx="{0:.5f}" iyy="{1:.5f}" izz="{2:.5f}" '
    inertial += 'ixy="0.001" ixz="0.002" iyz="0"/></inertial>'
    return {"a.urdf": urdf(f'<link name="l{i}">{inertial.format(*five)}{BOX}</link>' for i, five in enumerate(numbers))}


@case(*ROBOT)
def urdf_mesh_of_many_links() -> Files:
    points, faces = grid(60)
    obj = lines(("v {} {} {}".format(*p) for p in points), ("f {} {} {}".format(*(i + 1 for i in f)) for f in faces))
    mesh = '<visual><geometry><mesh filename="a.obj"/></geometry></visual>'
    return {"a.urdf": urdf(chain(2_000, mesh)), "a.obj": obj}


@case(*ROBOT)
def urdf_bad_inertials() -> Files:
    bad = INERTIAL.replace('"1"', '"-1"')
    return {"a.urdf": urdf(chain(1_990, bad))}


@case(CHECK)
def urdf_deep() -> Files:
    return {"a.urdf": b"<robot>" + b"<a>" * 3_000_000}


@case(CHECK)
def urdf_cycle() -> Files:
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="a"/><child link="a"/></joint>' for i in range(100_000)
    )
    return {"a.urdf": urdf(f'<link name="a"/>{joints}')}


@case(CHECK)
def urdf_attributes() -> Files:
    return {"a.urdf": urdf("<link " + " ".join(f'a{i}=""' for i in range(900_000)) + "/>")}


def sdf(content: str) -> bytes:
    return f'<sdf version="1.9"><model name="m">{content}</model></sdf>'.encode()


@case(*ROBOT)
def sdf_doubled_includes() -> Files:
    include = "".join(f"<include><name>{i}</name><uri>m{{}}.sdf</uri></include>" for i in range(2))
    files = {f"m{i}.sdf": sdf(include.format(i + 1, i + 1)) for i in range(30)}
    return files | {"m30.sdf": sdf(f'<link name="a">{"<a/>" * 1_000}</link>')}


@case(*ROBOT)
def sdf_large_includes() -> Files:
    """A file of 5 MB, included 1,000 times."""
    include = "".join(f"<include><name>{i}</name><uri>b.sdf</uri></include>" for i in range(1_000))
    return {"a.sdf": sdf(include), "b.sdf": sdf(f'<link name="a">{"<a/>" * 1_000_000}</link>')}


@case(CHECK)
def sdf_missing_includes() -> Files:
    return {"a.sdf": sdf("<include><uri>model://b/c</uri></include>" * 200_000)}


@case(*ROBOT)
def sdf_frames() -> Files:
    frames = "".join(f'<frame name="f{i}" attached_to="f{i + 1}"/>' for i in range(100_000))
    return {"a.sdf": sdf(frames + '<frame name="f100000"/><link name="a"><pose relative_to="f0"/></link>')}


@case(*ROBOT)
def sdf_links() -> Files:
    return {
        "a.sdf": sdf("".join(f'<link name="l{i}"><inertial><mass>1</mass></inertial></link>' for i in range(100_000)))
    }


@case(*ROBOT)
def sdf_relative_links() -> Files:
    links = (f'<link name="l{i}"><pose relative_to="l{i + 1}">1 0 0 0 0 0</pose></link>' for i in range(4_900))
    return {"a.sdf": sdf("".join(links) + '<link name="l4900"/>')}


def mjcf(content: str) -> bytes:
    return f"<mujoco>{content}</mujoco>".encode()


@case(*ROBOT)
def mjcf_same_include() -> Files:
    return {"a.xml": mjcf('<include file="b.xml"/>' * 300_000), "b.xml": mjcf("<worldbody/>")}


@case(*ROBOT)
def mjcf_doubled_models() -> Files:
    """Each model attaches the next twice."""
    attach = "".join(f'<body name="{x}"><attach model="m" prefix="{x}"/></body>' for x in "ab")
    asset = '<asset><model name="m" file="m{}.xml"/></asset><worldbody>'
    files = {f"m{i}.xml": mjcf(asset.format(i + 1) + attach + "</worldbody>") for i in range(30)}
    return {"m0.xml": files["m0.xml"], **files, "m30.xml": mjcf('<worldbody><body><geom size="1"/></body></worldbody>')}


@case(*ROBOT)
def mjcf_large_attached() -> Files:
    models = '<asset><model name="m" file="b.xml"/></asset>'
    attach = "".join(f'<attach model="m" prefix="{i}"/>' for i in range(2_000))
    large = mjcf('<worldbody><body name="b">' + '<geom size="1"/>' * 200_000 + "</body></worldbody>")
    return {"a.xml": mjcf(f"{models}<worldbody>{attach}</worldbody>"), "b.xml": large}


@case(*ROBOT)
def mjcf_bodies() -> Files:
    return {"a.xml": mjcf("<worldbody>" + '<body><geom size="1"/></body>' * 250_000 + "</worldbody>")}


@case(*ROBOT)
def mjcf_geoms() -> Files:
    return {"a.xml": mjcf("<worldbody><body>" + '<geom size="1"/>' * 500_000 + "</body></worldbody>")}


@case(*ROBOT)
def mjcf_vertices() -> Files:
    rng = np.random.default_rng(1)
    points = " ".join(f"{x:.4f}" for x in rng.normal(size=1_200_000))
    asset = f'<asset><mesh name="m" vertex="{points}"/></asset>'
    return {"a.xml": mjcf(asset + '<worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>')}


@case(*ROBOT)
def mjcf_defaults() -> Files:
    deep = "".join(f'<default class="c{i}"><geom size="1"/>' for i in range(150)) + "</default>" * 150
    geoms = '<geom class="c149"/>' * 300_000
    return {"a.xml": mjcf(f"<default>{deep}</default><worldbody><body>{geoms}</body></worldbody>")}


@case(*ROBOT)
def mjcf_replicate() -> Files:
    inner = '<geom size="1"/>'
    for _ in range(5):
        inner = f'<replicate count="1000" offset="3 0 0">{inner}</replicate>'
    return {"a.xml": mjcf(f"<worldbody><body>{inner}</body></worldbody>")}


@case(*ROBOT)
def mjcf_nested_frames() -> Files:
    return {
        "a.xml": mjcf(
            "<worldbody>"
            + '<frame pos="1 0 0">' * 190
            + '<geom size="1"/>' * 200_000
            + "</frame>" * 190
            + "</worldbody>"
        )
    }


@case(COMBINE)
def mjcf_joints() -> Files:
    """A body of 60,000 joints, each determined by another."""
    joints, equalities = ("".join(f'<joint {name}="j{i}"/>' for i in range(60_000)) for name in ("name", "joint1"))
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    return {
        "a.xml": mjcf(
            f'<worldbody><body name="a">{joints}{inertial}</body></worldbody><equality>{equalities}</equality>'
        )
    }


# Assemblies, results and settings


@case(CHECK)
def json_golden_deep() -> Files:
    """Expected values of great depth beside a part."""
    part = (Path(__file__).resolve().parent.parent / "sample_meshes" / "bracket.stl").read_bytes()
    return {
        "a.stl": part,
        "a.stl.expected.json": b'{"mass":' + b"[" * 4_000_000,
        "massprops.toml": b"[check]\n" + b"x = [[1]]\n" * 600_000,
    }


@case("convert --format csv -o o.csv", CHECK, COMBINE)
def csv_one_cell() -> Files:
    header = "name,mass,com_x,com_y,com_z,Ixx,Iyy,Izz,Ixy,Ixz,Iyz"
    return {"a.csv": lines(header, "b" * 9_000_000 + ",1,0,0,0,1,1,1,0,0,0")}


@case("convert --format markdown -o o.md", CHECK)
def csv_quotes() -> Files:
    header = "name,mass,com_x,com_y,com_z,Ixx,Iyy,Izz,Ixy,Ixz,Iyz"
    return {"a.csv": (header + "\n" + '"' * 9_000_000).encode()}


@case(COMBINE, CHECK)
def toml_doubled_assemblies() -> Files:
    part = '[[part]]\nassembly = "{}.toml"\n'
    files = {f"{i}.toml": (part.format(i + 1) * 2).encode() for i in range(30)}
    return files | {"30.toml": b'[[part]]\nshape = "sphere"\nradius = 1\nmass = 1\n'}


@case(COMBINE)
def toml_parts() -> Files:
    return {"a.toml": b'[[part]]\nshape = "sphere"\nradius = 1\nmass = 1\n' * 180_000}


@case(COMBINE)
def toml_meshes() -> Files:
    points, faces = grid(60)
    obj = lines(("v {} {} {}".format(*p) for p in points), ("f {} {} {}".format(*(i + 1 for i in f)) for f in faces))
    return {"a.toml": b'[[part]]\nmesh = "a.obj"\nmass = 1\n' * 5_000, "a.obj": obj}


@case(COMBINE)
def toml_bodies_of_a_file() -> Files:
    """Parts that each name a body of one large file."""
    return {"a.toml": b'[[part]]\nbody = "a.urdf#l1"\n' * 5_000, **urdf_chain_of_bodies()}


@case(COMBINE)
def toml_poses() -> Files:
    poses = "[" + "[1,2,3]," * 1_000_000 + "]"
    return {"a.toml": f'[[part]]\nshape = "sphere"\nradius = 1\nmass = 1\nposes = {poses}\n'.encode()}


@case(COMBINE)
def toml_deep() -> Files:
    return {"a.toml": b"a = " + b"[" * 4_000_000}


@case(COMBINE)
def toml_dots() -> Files:
    return {"a.toml": b".".join([b"a"] * 3_000_000) + b" = 1\n"}


@case(COMBINE)
def toml_tables() -> Files:
    return {"a.toml": b"".join(b"[a.b.c%d]\n" % i for i in range(700_000))}


@case(COMBINE)
def toml_long_number() -> Files:
    return {"a.toml": b"a = " + b"1" * 5_000_000}


RESULT = {
    "name": "a",
    "mass": 1.0,
    "center_of_mass": [0, 0, 0],
    "inertia": {"tensor": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]},
}


@case("convert --format csv -o o.csv", CHECK, COMBINE, "convert --pose 1,2,3", "diff a.jsonl")
def json_bodies() -> Files:
    return {"a.jsonl": (json.dumps(RESULT, separators=(",", ":")).encode() + b"\n") * 95_000}


@case("convert --format csv -o o.csv", CHECK, COMBINE)
def csv_bodies() -> Files:
    header = "name,mass,com_x,com_y,com_z,Ixx,Iyy,Izz,Ixy,Ixz,Iyz"
    return {"a.csv": lines(header, (f"b{i},1,0,0,0,1,1,1,0,0,0" for i in range(250_000)))}


@case("convert --format json -o o.json")
def json_bodies_deep() -> Files:
    return {"a.json": b'{"mass":' + b'{"a":' * 1_500_000}


@case("compute --pose @poses.csv")
def stl_and_settings() -> Files:
    part = (Path(__file__).resolve().parent.parent / "sample_meshes" / "bracket.stl").read_bytes()
    return {
        "a.stl": part,
        "massprops.toml": b"[check]\n" + b"ignore = []\n" * 700_000,
        "poses.csv": b"1,2,3\n" * 1_500_000,
    }


def stopped() -> None:
    """Limits of a child."""
    resource.setrlimit(resource.RLIMIT_CPU, (STOP_SECONDS, STOP_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (STOP_MEMORY, STOP_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def measured(command: list[str], folder: Path) -> tuple[float, int, int, str]:
    """Seconds of CPU time, bytes of memory, exit code and last line of stderr of a process."""
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as errors:
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=errors, env=environment, preexec_fn=stopped)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    said = (folder / "stderr").read_bytes()[-300:].decode(errors="replace").split("\n")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, child.returncode, " ".join(said)[-150:]


def main(patterns: list[str]) -> int:
    """Print a row for each case; the number of those above the bounds."""
    print(f"{'case':44} {'kB':>6} {'CPU s':>6} {'MB':>6} {'exit':>4}")
    over = 0
    for name, (command, make) in CASES.items():
        if patterns and not any(fnmatch(name, p) for p in patterns):
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            files = make()
            for file, data in files.items():
                (folder / file).write_bytes(data)
            first, *options = command.split()
            program = [sys.executable, "-m", "massprops", first, next(iter(files)), *options]
            seconds, memory, code, said = measured(program, folder)
            large = max(map(len, files.values()))
            # a refusal is an exit code of its own, which no signal and no traceback gives
            bad = seconds > SECONDS or memory > MEMORY or code not in (0, 1, 2, 3, 4)
            over += bad
            note = f"over: {said}" if bad or large > LARGEST else ""
            print(
                f"{name:44} {large / 1e3:6.0f} {seconds:6.1f} {memory / 2**20:6.0f} {code:4} {note}".rstrip(),
                flush=True,
            )
    return over


if __name__ == "__main__":
    raise SystemExit(min(main(words(__doc__)), 1))

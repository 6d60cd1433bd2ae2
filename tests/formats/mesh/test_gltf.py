"""glTF: files of its buffers, kinds of accessors and primitives, poses, and extensions."""

from __future__ import annotations

import base64
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each, raised
from console import run
from oracles import exact_body

import massprops
from massprops.errors import InvalidInput, ReadError
from massprops.measurement.certificate import certificate_of

#: The tetrahedron between the origin and the unit points, volume 1/6.
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
FACES = np.array([0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3], "<u4")


def embedded(data: bytes) -> str:
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


def scene(points: np.ndarray = POINTS, indices: np.ndarray = FACES, *, uri: str = "", **others: Any) -> str:
    """A glTF file of one primitive; `uri` is the buffer of its points, by default in the file itself."""
    mode = others.pop("mode", 4)
    data = points.tobytes(), indices.tobytes()
    return json.dumps(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": mode}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3"},
                {"bufferView": 1, "componentType": 5125, "count": len(indices), "type": "SCALAR"},
            ],
            "bufferViews": [{"buffer": i, "byteLength": len(part)} for i, part in enumerate(data)],
            "buffers": [
                {"byteLength": len(data[0]), "uri": uri or embedded(data[0])},
                {"byteLength": len(data[1]), "uri": embedded(data[1])},
            ],
        }
        | others
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with buffers in it and below, and others beside it, to which links lead."""
    folder = tmp_path / "mine"
    for path in (folder / "a.bin", folder / "sub" / "b c.bin", tmp_path / "secret" / "a.bin"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(POINTS.tobytes())
    (folder / "link.bin").symlink_to(tmp_path / "secret" / "a.bin")
    (folder / "linked").symlink_to(tmp_path / "secret")
    (folder / "inner.bin").symlink_to(folder / "a.bin")
    return folder


INSIDE = (
    "a.bin",
    "./a.bin",
    "sub/../a.bin",
    "sub/b%20c.bin",
    "inner.bin",
    "file:a.bin",
    "FILE://{tree}/a.bin",
    "{tree}/a.bin",
)
OUTSIDE = (
    "../secret/a.bin", "sub/../../secret/a.bin", "{top}/secret/a.bin", "file:../secret/a.bin", "file://{top}/secret/a.bin",
    "File://{top}/secret/a.bin", "%2e%2e/secret/a.bin", "..%2Fsecret%2Fa.bin", "file:%2e./secret/a.bin", "link.bin", "linked/a.bin",
    "../secret/not-there.bin", "/dev/zero",
)  # fmt: skip


def test_buffers_are_files_below_the_folder_of_the_mesh(tree: Path) -> None:
    """A file from anybody could otherwise show the bytes of any other as bounds and coordinates."""
    path = tree / "part.gltf"
    for uri in (u.format(tree=tree) for u in INSIDE):
        path.write_text(scene(uri=uri), encoding="utf-8")
        assert massprops.measure(path).volume == pytest.approx(1 / 6), uri
    for uri in (u.format(top=tree.parent) for u in OUTSIDE):
        path.write_text(scene(uri=uri), encoding="utf-8")
        with pytest.raises(ReadError, match="which is outside the folder of the mesh and is not read") as caught:
            massprops.measure(path)
        assert (caught.value.code, caught.value.exit_code) == ("outside-file", 3)
        assert str(path) in str(caught.value), uri
        if uri.endswith("/a.bin"):
            assert massprops.measure(path, allow_outside=True).volume == pytest.approx(1 / 6), uri
    path.write_text(scene(uri="HTTPS://x.org/a.bin"), encoding="utf-8")
    with pytest.raises(ReadError, match="files of HTTPS: are not fetched"):
        massprops.measure(path, allow_outside=True)


def test_the_scheme_of_embedded_buffers_has_any_case(tmp_path: Path) -> None:
    (tmp_path / "part.gltf").write_text(scene().replace("data:", "DATA:"), encoding="utf-8")
    assert massprops.measure(tmp_path / "part.gltf").volume == pytest.approx(1 / 6)


def test_a_mesh_that_is_a_link_may_have_its_buffers_beside_either(tree: Path) -> None:
    """Packages are installed as links to the files of their source."""
    (tree / "part.gltf").write_text(scene(uri="a.bin"), encoding="utf-8")
    installed = tree.parent / "install"
    installed.mkdir()
    for name in ("part.gltf", "a.bin"):
        (installed / name).symlink_to(tree / name)
    assert massprops.measure(installed / "part.gltf").volume == pytest.approx(1 / 6)


ROBOT = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><geometry><mesh filename="{}"/></geometry></collision></link></robot>"""


def test_a_robot_reads_buffers_where_it_reads_meshes(tree: Path) -> None:
    """The mesh of a robot is as much from anybody as the robot itself."""
    robot, mesh = tree / "r.urdf", tree / "sub" / "part.gltf"
    robot.write_text(ROBOT.format("sub/part.gltf"), encoding="utf-8")
    for uri, allowed, seen in (
        ("../a.bin", [], True),  # in the folder of the robot
        ("../../secret/a.bin", [], False),
        ("../../secret/a.bin", ["--allow-outside"], True),
        ("../../secret/a.bin", ["--package", f"secret={tree.parent / 'secret'}"], True),
    ):
        mesh.write_text(scene(uri=uri), encoding="utf-8")
        done = run("check", str(robot), *allowed)
        assert ("outside-mesh" in done.out) is not seen, (uri, allowed, done.out)
        done = run("fill", str(robot), "--density", "1000", "--links", "all", *allowed)
        assert ("is outside the robot's folder and packages" in " ".join((done.out + done.err).split())) is not seen, (
            uri
        )


@each("command", ["compute", "check", "repair", "plot"])
def test_commands_read_outside_only_when_allowed(tree: Path, command: str) -> None:
    path = tree / "part.gltf"
    path.write_text(scene(uri="../secret/a.bin"), encoding="utf-8")
    output = {"repair": ["-o", str(tree / "o.stl")], "plot": ["-o", str(tree / "o.png")]}.get(command, [])
    done = run(command, str(path), *output)
    assert done.returncode == 3, done.err
    done = run(command, str(path), *output, "--allow-outside")
    assert done.returncode == 0, done.err


def test_worker_processes_have_the_permission_of_the_caller(tree: Path) -> None:
    for name in ("x.gltf", "y.gltf"):
        (tree / name).write_text(scene(uri="../secret/a.bin"), encoding="utf-8")
    paths = [tree / "x.gltf", tree / "y.gltf"]
    for allowed in (False, True):
        found = list(massprops.measure_many(paths, jobs=2, allow_outside=allowed))
        assert [outcome.error is None for outcome in found] == [allowed, allowed]


def test_strips_and_fans_are_the_triangles_of_the_specification(tmp_path: Path) -> None:
    """A closed strip of a tetrahedron, and one with repeated corners; two fans with their apex at the first corner are none of its
    faces twice. A strip whose every second triangle is not turned round is not closed."""
    strip = np.array([1, 0, 2, 3, 1, 0], "<u4")  # (1 0 2) (0 3 2) (2 3 1) (3 0 1)
    joined = np.array([1, 0, 2, 3, 3, 2, 2, 3, 1, 0], "<u4")
    for indices in (strip, joined):
        (tmp_path / "strip.gltf").write_text(scene(indices=indices, mode=5), encoding="utf-8")
        m = massprops.measure(tmp_path / "strip.gltf")
        assert (m.input.facets, m.volume, m.grade) == (4, pytest.approx(1 / 6), "proved")
    # a cone over a polygon, as a fan with its apex, and its base as a fan round a corner
    n = 12
    angle = 2 * np.pi * np.arange(n) / n
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    points = np.concatenate([[[0, 0, 1]], ring]).astype("<f4")
    tree = json.loads(scene(points, np.array([0, *range(1, n + 1), 1, *range(n, 0, -1)], "<u4"), mode=6))
    primitive, corners = tree["meshes"][0]["primitives"][0], tree["accessors"][1]
    tree["accessors"] += [corners | {"byteOffset": 4 * (n + 2), "count": n}]
    corners["count"] = n + 2
    tree["meshes"][0]["primitives"].append(primitive | {"indices": 2})
    (tmp_path / "fan.gltf").write_text(json.dumps(tree), encoding="utf-8")
    m = massprops.measure(tmp_path / "fan.gltf")
    polygon = n * np.sin(2 * np.pi / n) / 2  # of unit radius
    assert (m.input.facets, m.volume, m.grade) == (2 * n - 2, pytest.approx(polygon / 3, rel=1e-6), "proved")


def test_extensions_that_are_used_are_named(tmp_path: Path) -> None:
    """Levels of detail or hidden nodes change what there is; a file that does not require them is read without."""
    names = ["KHR_node_visibility", "MSFT_lod"]
    node = {"mesh": 0, "extensions": {"MSFT_lod": {"ids": [0]}, "KHR_materials_unlit": {}}}  # not declared
    used = {"extensionsUsed": [names[0], "KHR_texture_transform", "KHR_mesh_quantization"], "nodes": [node]}
    (tmp_path / "a.gltf").write_text(scene(**used), encoding="utf-8")
    m = massprops.measure(tmp_path / "a.gltf")
    found = [f for f in m.findings if f.code == "skipped-extension"]
    assert [f.message.split("'")[1] for f in found] == names
    assert {f.severity for f in found} == {"warning"}
    for name in names:
        (tmp_path / "a.gltf").write_text(scene(extensionsRequired=[name]), encoding="utf-8")
        with pytest.raises(ReadError, match=f"the extension {name} is required"):
            massprops.measure(tmp_path / "a.gltf")
    (tmp_path / "a.gltf").write_text(scene(extensionsUsed=[f"X_{i}" for i in range(101)]), encoding="utf-8")
    assert massprops.measure(tmp_path / "a.gltf").volume == pytest.approx(1 / 6)
    for name in ("KHR_draco_mesh_compression", "EXT_meshopt_compression"):
        (tmp_path / "a.gltf").write_text(scene(extensionsRequired=[name]), encoding="utf-8")
        with pytest.raises(ReadError, match=f"the extension {name} packs its data") as caught:
            massprops.measure(tmp_path / "a.gltf")
        assert "gltf-transform/cli cp FILE NEW.glb" in (caught.value.hint or "")


def built(
    path: Path, rows: dict[str, np.ndarray], entries: dict[str, Any], **accessors: dict[str, Any]
) -> massprops.Measurement:
    """The measured tetrahedron of other accessors: by name their rows, and what else each states; `entries` refer to them by name."""
    tree = json.loads(scene())
    kinds = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
    types = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
    numbers = {"POINTS": 0, "FACES": 1}
    for name, array in rows.items():
        numbers[name] = len(tree["accessors"])
        kind = {"componentType": kinds[array.dtype.str[1:]], "type": types[array.shape[1]], "count": len(array)}
        tree["accessors"].append({"bufferView": len(tree["bufferViews"]), **kind, **accessors.get(name, {})})
        tree["bufferViews"].append({"buffer": len(tree["buffers"]), "byteLength": array.nbytes})
        tree["buffers"].append({"uri": embedded(array.tobytes()), "byteLength": array.nbytes})
    tree |= json.loads(
        json.dumps(entries, default=str),
        object_hook=lambda d: {k: numbers.get(v, v) if isinstance(v, str) else v for k, v in d.items()},
    )
    path.write_text(json.dumps(tree), encoding="utf-8")
    return massprops.measure(path)


@each("kind", ["i1", "u1", "i2", "u2"])
@each("normalized", [True, False])
def test_quantized_coordinates_are_whole_numbers_with_their_scale(tmp_path: Path, kind: str, normalized: bool) -> None:
    """KHR_mesh_quantization: the largest number is 1, the least one of a signed type −1 as the one above it is; ± is half a step."""
    top = np.iinfo(kind).max
    points = (POINTS * top).astype("<" + kind)
    mesh = {"primitives": [{"attributes": {"POSITION": "Q"}, "indices": 1}]}
    scale = [1.0] * 3 if normalized else [1 / top] * 3
    found = built(
        tmp_path / "q.gltf",
        {"Q": points},
        {"meshes": [mesh], "nodes": [{"mesh": 0, "scale": scale}]},
        Q={"normalized": normalized},
    )
    assert found.volume == pytest.approx(1 / 6, rel=1e-12)
    assert found.uncertainty is not None
    assert 0.3 / top < found.uncertainty.volume < 6 / top  # half a step times an area of 2.4, and some more
    if kind[0] == "i" and normalized:
        least = np.array([[-top - 1, 0, 0], [0, 0, 0], [-top, top, 0], [-top, 0, top]], "<" + kind)
        assert built(
            tmp_path / "q.gltf", {"Q": least}, {"meshes": [mesh]}, Q={"normalized": True}
        ).volume == pytest.approx(1 / 6, rel=1e-12)


def test_sparse_rows_replace_some_and_may_stand_alone(tmp_path: Path) -> None:
    mesh = {"primitives": [{"attributes": {"POSITION": "S"}, "indices": 1}]}
    rows = {"I": np.array([[3], [1]], "<u1"), "V": np.array([[0, 0, 2], [3, 0, 0]], "<f4"), "S": POINTS}
    sparse = {"count": 2, "indices": {"bufferView": 2, "componentType": 5121}, "values": {"bufferView": 3}}
    assert built(tmp_path / "s.gltf", rows, {"meshes": [mesh]}, S={"sparse": sparse}).volume == pytest.approx(1.0)
    tree = json.loads((tmp_path / "s.gltf").read_text(encoding="utf-8"))
    del tree["accessors"][4]["bufferView"]  # zeros, then: a segment
    (tmp_path / "s.gltf").write_text(json.dumps(tree), encoding="utf-8")
    with pytest.raises(massprops.MasspropsError, match="volume"):
        massprops.measure(tmp_path / "s.gltf")
    tree["accessors"][4]["count"] = 10**9
    (tmp_path / "s.gltf").write_text(json.dumps(tree), encoding="utf-8")
    with pytest.raises(ReadError, match="an accessor without data is much larger than the file"):
        massprops.measure(tmp_path / "s.gltf")
    sparse["indices"]["componentType"] = 5120
    with pytest.raises(ReadError, match="sparse indices of component type 5120"):
        built(tmp_path / "s.gltf", rows, {"meshes": [mesh]}, S={"sparse": sparse})
    sparse["indices"]["componentType"] = 5121
    rows["I"][0] = 200
    with pytest.raises(ReadError, match="a sparse entry is for row 200"):
        built(tmp_path / "s.gltf", rows, {"meshes": [mesh]}, S={"sparse": sparse})


def test_interleaved_rows_are_read_with_their_stride(tmp_path: Path) -> None:
    data = np.concatenate([POINTS * 2, np.full((4, 2), 7, "<f4")], axis=1).astype("<f4")
    tree = json.loads(scene(data))
    tree["accessors"][0] |= {"count": 4}
    tree["bufferViews"][0]["byteStride"] = 20
    (tmp_path / "i.gltf").write_text(json.dumps(tree), encoding="utf-8")
    assert massprops.measure(tmp_path / "i.gltf").volume == pytest.approx(8 / 6)


def test_instances_stand_in_their_places(tmp_path: Path) -> None:
    """One to the side, one turned by a half about z, twice as large and mirrored: the sum of both, and its centre."""
    half = np.array([[0, 0, 0, 1], [0, 0, 1, 0]], "<f4")
    rows = {"T": np.array([[5, 0, 0], [0, -3, 0]], "<f4"), "R": half, "S": np.array([[1, 1, 1], [2, 2, -2]], "<f4")}
    copies = {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": "T", "ROTATION": "R", "SCALE": "S"}}}
    node = {"mesh": 0, "translation": [0, 0, 1], "extensions": copies}
    found = built(tmp_path / "c.gltf", rows, {"nodes": [node]})
    assert found.volume == pytest.approx(9 / 6)
    expected = (np.array([5.25, 0.25, 1.25]) + 8 * np.array([-0.5, -3.5, 0.5])) / 9
    np.testing.assert_allclose(found.center_of_mass, expected, rtol=1e-6)
    rows["S"] = rows["S"][:1]
    with pytest.raises(ReadError, match="the instances of a node are 1 or 2"):
        built(tmp_path / "c.gltf", rows, {"nodes": [node]})


def test_skins_and_targets_are_measured_as_they_stand(tmp_path: Path) -> None:
    """Each corner goes where its joint takes it, whatever the place of the mesh; a target moves the corners by its weight."""
    inverse = np.stack([np.eye(4), np.eye(4)]).astype("<f4")
    inverse[1, 3, 2] = -1  # written column by column: the joint is at z = 1 where the skin is bound
    rows = {
        "J": np.array([[0, 0, 0, 0]] * 3 + [[1, 0, 0, 0]], "<u1"),
        "W": np.array([[1, 0, 0, 0]] * 4, "<f4"),
        "B": inverse.reshape(2, 16),
    }
    attributes = {"POSITION": "POINTS", "JOINTS_0": "J", "WEIGHTS_0": "W"}
    mesh = {"primitives": [{"attributes": attributes, "indices": "FACES"}]}
    nodes = [{"mesh": 0, "skin": 0, "translation": [9, 9, 9]}, {"children": [2]}, {"translation": [0, 0, 3]}]
    skin = {"joints": [1, 2], "inverseBindMatrices": "B"}
    entries = {"meshes": [mesh], "nodes": nodes, "skins": [skin], "scenes": [{"nodes": [0, 1]}]}
    found = built(tmp_path / "k.gltf", rows, entries)
    assert (found.volume, found.center_of_mass[2]) == pytest.approx(
        (3 / 6, 3 / 4)
    )  # the joint of the tip went from 1 to 3
    assert [f.code for f in found.findings if f.code == "rest-pose"] == ["rest-pose"]
    rows["W"][:3] *= np.float32(0.5)  # weights are shares
    assert built(tmp_path / "k.gltf", rows, entries).volume == pytest.approx(3 / 6)
    whole = rows | {"Q": (POINTS * 32767).astype("<i2")}
    entries["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = "Q"
    packed = built(tmp_path / "k.gltf", whole, entries, Q={"normalized": True})
    assert packed.volume == pytest.approx(3 / 6)
    assert packed.uncertainty is not None
    assert packed.uncertainty.volume > 1e-5  # half a step of 1/32767 on an area of 2
    signed = rows | {"J": rows["J"].astype("<i1")}
    with pytest.raises(ReadError, match="indices as int8"):
        built(
            tmp_path / "k.gltf",
            signed,
            entries
            | {
                "meshes": [
                    mesh | {"primitives": [mesh["primitives"][0] | {"attributes": attributes | {"POSITION": 0}}]}
                ]
            },
        )
    entries["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = 0
    rows["W"][3] = 0
    with pytest.raises(ReadError, match="the weights of vertex 3, counted from 0, name no joint"):
        built(tmp_path / "k.gltf", rows, entries)
    target = {"D": np.array([[0, 0, 0]] * 3 + [[0, 0, 4]], "<f4")}
    mesh = {
        "primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "targets": [{"POSITION": "D"}]}],
        "weights": [0.25],
    }
    assert built(tmp_path / "m.gltf", target, {"meshes": [mesh]}).volume == pytest.approx(2 / 6)
    nodes = [{"mesh": 0, "weights": [0.5]}]
    assert built(tmp_path / "m.gltf", target, {"meshes": [mesh], "nodes": nodes}).volume == pytest.approx(3 / 6)
    del mesh["weights"]
    assert built(tmp_path / "m.gltf", target, {"meshes": [mesh]}).volume == pytest.approx(1 / 6)


def test_coordinates_that_are_not_finite_are_refused_where_they_stand_and_where_they_are_placed(tmp_path: Path) -> None:
    """A NaN of the file, and a scale of 1e308 that takes the point (2, 0, 0) beyond the largest double."""
    nan, far = POINTS.copy(), 2 * POINTS
    nan[3, 1] = np.nan
    placed = [{"mesh": 0, "scale": [1e308, 1, 1]}]
    for text, vertex in ((scene(nan), "3, counted from 0, is (0.0, nan, 1.0)"), (scene(far, nodes=placed), "1, ")):
        (tmp_path / "a.gltf").write_text(text)
        with pytest.raises(ReadError, match=re.escape(f"a.gltf: vertex {vertex}")) as caught:
            massprops.measure(tmp_path / "a.gltf")
        assert (caught.value.code, caught.value.hint) == (
            "non-finite",
            "export the file again; a coordinate must be finite",
        )


SKEW = np.array([[0.1, 0.2, 0.3], [3.1, -0.7, 1.1], [0.3, 2.7, -0.9], [0.7, 0.2, 4.3]], "<f4")
QUARTER = [0.0, 0.0, 0.7071068, 0.7071068]
#: Nodes below each other, the last with the mesh; whether the coordinates in the scene are rounded.
PLACES = (
    ([{}], False),
    ([{"translation": [0.5, -8, 1024]}], False),
    ([{"translation": [0.1, 0, 0]}], True),
    ([{"rotation": QUARTER}, {"rotation": [0, 0, 0, -1], "translation": [1, 2, 3]}], False),
    ([{"rotation": [0.5, 0.5, 0.5, 0.5]}, {"scale": [100, 100, 100]}], False),
    ([{"rotation": [0, 0, 0.3826834, 0.9238795]}], True),
    ([{"rotation": [0, 0, 0.7071068, 0.7071067]}], True),
    ([{"rotation": [0.5773503, 0.5773503, 0.5773503, 0]}], True),
    ([{"scale": [0.01, 0.01, 0.01]}], True),
    ([{"scale": [0.25, -2, 3]}], False),
    ([{"translation": [1e17, 0, 0]}, {"translation": [-1e17, 0, 0]}], False),
    ([{"translation": [0.1, 0, 0]}, {"translation": [0.2, 0, 0]}, {"translation": [-0.3, 0, 0]}], True),
    ([{"scale": [1 / 3] * 3}, {"scale": [3] * 3}], True),
    ([{"matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 2, 0.5, 0, 1]}], False),
)


@each("case", PLACES)
def test_exact_results_are_those_of_transforms_that_round_nothing(tmp_path_factory: Any, case: Any) -> None:
    """Against rationals of the transforms as the file states them, of which quaternions of one size are quarter turns."""
    nodes, is_rounded = case
    path = tmp_path_factory.mktemp("places") / "a.gltf"
    tree = [n | {"children": [k + 1]} for k, n in enumerate(nodes[:-1])] + [nodes[-1] | {"mesh": 0}]
    path.write_text(scene(SKEW, nodes=tree), encoding="utf-8")
    if is_rounded:
        told = str(raised(InvalidInput, massprops.measure, path, exact=True))
        assert (
            "no exact results: the file places its mesh by a transform, which rounds the coordinates; export it" in told
        )
        assert massprops.measure(path).volume is not None
        return
    points = [[Fraction(float(x)) for x in p] for p in SKEW]
    for node in reversed(nodes):
        points = [placed(node, p) for p in points]
    facets = [[points[i] for i in facet] for facet in FACES.reshape(-1, 3).tolist()]
    wanted = exact_body(facets)
    sign = 1 if wanted.volume > 0 else -1  # a mirror turns its facets round
    found = massprops.measure(path, exact=True, density=1)
    assert found.volume == float(sign * wanted.volume)
    assert found.com.tolist() == [float(x) for x in wanted.centroid]
    assert found.inertia.tolist() == [[float(sign * x) for x in row] for row in wanted.inertia]
    assert certificate_of(massprops.measure(path))["integrals"]["6 V"].isdigit()


def placed(node: dict[str, Any], point: list[Fraction]) -> list[Fraction]:
    if "matrix" in node:
        m = [Fraction(x) for x in node["matrix"]]
        return [sum(m[4 * j + i] * x for j, x in enumerate([*point, 1])) for i in range(3)]
    x, y, z = (Fraction(s) * x for s, x in zip(node.get("scale", (1, 1, 1)), point, strict=True))
    rotation = node.get("rotation")
    x, y, z = (-y, x, z) if rotation is QUARTER else (z, x, y) if rotation == [0.5] * 4 else (x, y, z)
    return [Fraction(t) + v for t, v in zip(node.get("translation", (0, 0, 0)), (x, y, z), strict=True)]


def test_coordinates_that_are_rounded_before_they_are_placed_are_not_exact(tmp_path: Path) -> None:
    """Shares of 127, a target that moves corners, and copies that are turned."""
    whole = {"Q": (POINTS * 64).astype("<i1")}  # of which each times the double nearest to 1/127 is a double
    mesh = {"primitives": [{"attributes": {"POSITION": "Q"}, "indices": 1}]}
    moved = {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "targets": [{"POSITION": "D"}]}]}
    target = {"D": (POINTS * 0.5).astype("<f4")}
    copies = {"EXT_mesh_gpu_instancing": {"attributes": {"ROTATION": "R"}}}
    skinned = {"J": np.zeros((4, 4), "<u1"), "W": np.array([[1, 0, 0, 0]] * 4, "<f4")}
    attributes = {"POSITION": 0, "JOINTS_0": "J", "WEIGHTS_0": "W"}
    bent = {"meshes": [{"primitives": [{"attributes": attributes, "indices": 1}]}], "skins": [{"joints": [0]}]}
    turned = {"R": np.array([[0, 0, 0.6, 0.8]], "<f4")}
    for rows, entries, kinds, is_exact in (
        (whole, {"meshes": [mesh]}, {"Q": {"normalized": True}}, False),
        (whole, {"meshes": [mesh]}, {}, True),
        (target, {"meshes": [moved | {"weights": [1.0]}]}, {}, False),
        (target, {"meshes": [moved | {"weights": [0.0]}]}, {}, True),
        (skinned, {**bent, "nodes": [{"mesh": 0, "skin": 0}]}, {}, False),
        (turned, {"nodes": [{"mesh": 0, "extensions": copies}]}, {}, False),
    ):
        built(tmp_path / "q.gltf", rows, entries, **kinds)
        if is_exact:
            assert massprops.measure(tmp_path / "q.gltf", exact=True).exact.measure
        else:
            raised(InvalidInput, massprops.measure, tmp_path / "q.gltf", exact=True)

"""Bodies of glTF scenes by the extensions for physics, and which files are robots (`formats/kinds.py`)."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each, refused
from console import run

import massprops
from massprops.errors import InvalidInput, ReadError
from massprops.formats.kinds import kind_of
from massprops.formats.robot import Link, LinkMesh, Primitive, UnsupportedGeometry, read_robot
from massprops.measurement.certificate import certificate_of

KHR, OMI = "KHR_physics_rigid_bodies", "OMI_physics_body"
#: A box of 1000 kg/m³, 0.1 × 0.2 × 0.3 m: its mass and moments by hand.
MASS, MOMENTS = 6.0, [0.5 * (0.04 + 0.09), 0.5 * (0.01 + 0.09), 0.5 * (0.01 + 0.04)]
SHAPES = [
    {"type": "box", "box": {"size": [0.1, 0.2, 0.3]}},
    {"type": "cylinder", "cylinder": {"radiusTop": 0.1, "radiusBottom": 0.1, "height": 0.5}},
    {"type": "cylinder", "cylinder": {"radiusTop": 0.0, "radiusBottom": 0.3, "height": 0.4}},
    {"type": "capsule", "capsule": {"radiusTop": 0.1, "radiusBottom": 0.1, "height": 0.5}},
    {"type": "sphere", "sphere": {"radius": 0.2}},
    {"type": "capsule", "capsule": {"radiusTop": 0.1, "radiusBottom": 0.2, "height": 0.5}},
    {"type": "plane", "plane": {}},
    {"type": "cylinder", "cylinder": {"radiusTop": 0.3, "radiusBottom": 0.0, "height": 0.4}},
]


def body(
    motion: dict[str, Any] | None = None, shape: int | None = 0, extension: str = KHR, **node: Any
) -> dict[str, Any]:
    """A node with a motion and a collider."""
    collider = (
        {} if shape is None else {"collider": {"geometry": {"shape": shape}} if extension == KHR else {"shape": shape}}
    )
    return {"name": "a", "extensions": {extension: ({} if motion is None else {"motion": motion}) | collider}, **node}


def saved(path: Path, *nodes: dict[str, Any], binary: bool = False) -> Path:
    """A file of these nodes, of which those that are nobody's child stand in the scene; its mesh 0 is a tetrahedron."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4").tobytes()
    faces = np.array([0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3], "<u4").tobytes()
    below = {child for node in nodes for child in node.get("children", ())}
    shapes = {"shapes": SHAPES}
    tree = {
        "asset": {"version": "2.0"},
        "extensionsUsed": [KHR, "KHR_implicit_shapes", OMI, "OMI_physics_shape"],
        "extensions": {"KHR_implicit_shapes": shapes, "OMI_physics_shape": shapes},
        "scenes": [{"nodes": [i for i in range(len(nodes)) if i not in below]}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 48}],
        "buffers": [{"byteLength": 96} | ({} if binary else {"uri": "b.bin"})],
    }
    text = json.dumps(tree, indent=2).encode()
    if not binary:
        path.write_bytes(text)
        (path.parent / "b.bin").write_bytes(points + faces)
        return path
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", 96, b"BIN\0") + points + faces
    path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks)
    return path


def link(path: Path, name: str = "a") -> Link:
    return next(link for link in read_robot(str(path)) if link.name == name)


TURN = [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]  # a quarter turn about z
STATED = {"mass": MASS, "inertiaDiagonal": MOMENTS, "centerOfMass": [0.0, 0.0, 0.0]}


@each("extension", [KHR, OMI])
@each("binary", [True, False])
def test_a_right_body_passes_and_an_impossible_one_fails(tmp_path: Path, extension: str, binary: bool) -> None:
    """The wound: a GLB that states an impossible inertia passed."""
    path = tmp_path / ("r.glb" if binary else "r.gltf")
    wrong = STATED | {"inertiaDiagonal": [1, 1, 5]}
    saved(
        path,
        body(STATED, extension=extension),
        body(wrong, extension=extension, name="b", translation=[3, 0, 0]),
        binary=binary,
    )
    assert kind_of(path) == "robot"
    assert run("check", str(path)).returncode == 1
    report = massprops.check(path)
    assert [(c.subject.place, c.status) for c in report.checked] == [("a", "ok"), ("b", "failed")]


def test_the_tensor_is_turned_from_both_sides(tmp_path: Path) -> None:
    """R D Rᵀ: a quarter turn about z exchanges x and y; R D would not be symmetric."""
    path = saved(tmp_path / "r.gltf", body(STATED | {"inertiaOrientation": TURN, "centerOfMass": [1, 2, 3]}))
    found = link(path).body
    assert found is not None
    expected = np.diag([MOMENTS[1], MOMENTS[0], MOMENTS[2]])
    np.testing.assert_allclose(found.properties.inertia, expected, atol=1e-16)
    np.testing.assert_allclose(found.properties.com, [1, 2, 3])
    (tilted,) = (link(saved(path, body(STATED | {"inertiaOrientation": [0.1, 0.1, 0.7, 0.7]}))),)
    assert tilted.body is not None
    np.testing.assert_array_equal(tilted.body.properties.inertia, tilted.body.properties.inertia.T)
    np.testing.assert_allclose(np.linalg.eigvalsh(tilted.body.properties.inertia), sorted(MOMENTS))


def test_descendants_belong_to_the_nearest_body_above(tmp_path: Path) -> None:
    """Their shapes are in its frame, which has no scale; a body below another one is a body of its own."""
    nodes = (
        body(STATED, None, rotation=TURN, translation=[5, 0, 0], children=[1, 2]),
        body(None, 0, name="shape", translation=[0, 0, 2], children=[3]),
        body(STATED, 4, name="b"),
        {"name": "mesh", "mesh": 0, "scale": [2, 2, 2], "translation": [1, 0, 0]},
    )
    path = saved(tmp_path / "r.gltf", *nodes)
    a, b = link(path), link(path, "b")
    assert [g.solid for g in b.collision] == [Primitive("sphere", {"radius": 0.2})]
    np.testing.assert_allclose(a.collision[0].pose.translation, [0, 0, 2], atol=1e-15)
    np.testing.assert_allclose(a.collision[0].pose.rotation, np.eye(3), atol=1e-15)
    assert [g.solid for g in a.visual] == [LinkMesh("r.gltf#own-mesh/3", is_own=True)]
    pose = a.placement().pose
    assert pose is not None
    np.testing.assert_allclose(pose.apply([0, 1, 0]), [4, 0, 0], atol=1e-15)


def test_what_is_not_measured_is_named(tmp_path: Path) -> None:
    hull = {"name": "h", "extensions": {KHR: {"motion": {}, "collider": {"geometry": {"node": 0, "convexHull": True}}}}}
    path = saved(
        tmp_path / "r.gltf",
        {"mesh": 0},
        body({}, 5),
        body({}, 6, name="b"),
        hull,
        body({}, 1, name="d", scale=[1, 1, 2]),
    )
    whys = [g.solid.why for x in read_robot(str(path)) for g in x.collision if isinstance(g.solid, UnsupportedGeometry)]
    assert whys == [
        "a capsule with two radii",
        "the shape 'plane' is not measured",
        "it collides with the convex hull of a mesh",
        "a cylinder that is scaled unevenly",
    ]


@each(
    "motion, code",
    [
        ({"mass": 0}, "infinite-mass"),
        (STATED | {"inertiaDiagonal": [0, 1, 1]}, "infinite-mass"),
        (STATED | {"isKinematic": True}, "infinite-mass"),
        ({"mass": [1]}, ""),
        ({"mass": "2"}, "bad-number"),
        ({"mass": 1, "inertiaDiagonal": [1, 2]}, "bad-number"),
        (STATED | {"mass": -1}, "non-positive-mass"),
        (STATED | {"inertiaOrientation": [0, 0, 0, 0]}, "bad-inertial"),
    ],
)
def test_odd_numbers_are_named(tmp_path: Path, motion: dict[str, Any], code: str) -> None:
    """0 stands for infinity; a motion without numbers leaves them to the simulator."""
    path = saved(tmp_path / "r.gltf", body(motion))
    (found,) = massprops.check(path).checked
    codes = [f.code for f in found.findings] + ([found.error.code] if found.error else [])
    assert code in codes or not code, codes


def test_names_that_are_not_unique_are_paths(tmp_path: Path) -> None:
    path = saved(tmp_path / "r.gltf", body(STATED, name="x", children=[1]), body(STATED, name="x"))
    assert [x.name for x in read_robot(str(path))] == ["x", "x/x"]


def test_a_scale_of_a_body_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "r.gltf", body(STATED | {"centerOfMass": [1, 0, 0]}, scale=[3, 3, 3]))
    found = link(path)
    assert found.body is not None
    assert [f.code for f in found.findings] == ["scaled-body"]
    np.testing.assert_allclose(found.body.properties.com, [3, 0, 0])


def test_a_node_is_measured_by_its_name(tmp_path: Path) -> None:
    """`FILE#NODE`: it and what is below it, in the frame of the scene."""
    nodes = (
        {"name": "w", "mesh": 0, "children": [1]},
        {"name": "v", "mesh": 0, "translation": [0, 0, 5]},
        {"name": "v", "mesh": 0, "translation": [9, 0, 0], "children": [3, 4]},
        {"name": "t"},
        {"name": "t"},
    )
    path = saved(tmp_path / "r.gltf", *nodes)
    assert massprops.measure(f"{path}#w").volume == pytest.approx(2 / 6)
    assert massprops.measure(f"{path}#w/v").volume == pytest.approx(1 / 6)
    assert massprops.measure(f"{path}#v").volume == pytest.approx(1 / 6)  # a path goes before a name
    assert massprops.measure(path).volume == pytest.approx(3 / 6)
    measured = massprops.measure(
        f"{path}#v"
    )  # a result names what was measured: a certificate of the file would be one of more
    assert measured.input.path == f"{path}#v"
    assert refused(InvalidInput, certificate_of, measured).startswith(
        f"{path}#v: no certificate: it is of a whole file"
    )
    for part in ("t", "r"):
        done = run("compute", f"{path}#{part}")
        assert done.returncode == 3, part
        assert part in done.err


@each(
    "extension, shape, expected",
    [
        (
            KHR,
            {"type": "capsule", "capsule": {"radiusTop": 0.1, "radiusBottom": 0.1, "height": 2}},
            ("capsule", 0.1, 2),
        ),
        (OMI, {"type": "capsule", "capsule": {"radius": 0.1, "height": 2}}, ("capsule", 0.1, 1.8)),
        (OMI, {"type": "cylinder", "cylinder": {"radius": 0.1, "height": 2}}, ("cylinder", 0.1, 2)),
        (KHR, {"type": "cylinder"}, ("cylinder", 0.25, 0.5)),
        (OMI, {"type": "capsule"}, ("capsule", 0.5, 1.0)),
        (KHR, {"type": "box"}, ("box", 1, 1, 1)),
        (OMI, {"type": "sphere", "sphere": {}}, ("sphere", 0.5)),
    ],
)
def test_lengths_are_those_of_each_extension(
    tmp_path: Path, extension: str, shape: dict[str, Any], expected: Any
) -> None:
    """KHR: a capsule's height is between the centres of its ends; OMI: it is all of it. What is not stated has a default."""
    path = saved(tmp_path / "r.gltf", body(STATED, extension=extension))
    tree = json.loads(path.read_text())
    for shapes in tree["extensions"].values():
        shapes["shapes"] = [shape]
    path.write_text(json.dumps(tree))
    solid = link(path).collision[0].solid
    assert isinstance(solid, Primitive)
    assert (solid.shape, *solid.lengths.values()) == (expected[0], *map(pytest.approx, expected[1:]))


@each(
    "key, value",
    [("type", 3), ("type", []), ("box", {"size": [1, 2]}), ("box", {"size": "123"}), ("box", 4), ("type", "sphere")],
)
def test_damaged_shapes_are_named_and_their_inertial_is_read(tmp_path: Path, key: str, value: Any) -> None:
    path = saved(tmp_path / "r.gltf", body(STATED))
    tree = json.loads(path.read_text())
    tree["extensions"]["KHR_implicit_shapes"]["shapes"] = [
        {"type": "box", "box": {"size": [1, 1, 1]}, "sphere": {"radius": "1"}} | {key: value}
    ]
    path.write_text(json.dumps(tree))
    found = link(path)
    assert found.body is not None
    assert isinstance(found.collision[0].solid, ReadError | UnsupportedGeometry)


@each(
    "extension, motion, mass",
    [
        (OMI, {"inertiaDiagonal": MOMENTS}, 1.0),
        (OMI, {"inertiaDiagonal": [0, 0, 0], "mass": 2}, None),
        (OMI, {"mass": 2, "inertiaDiagonal": MOMENTS}, 2.0),
        (KHR, {"inertiaDiagonal": MOMENTS}, None),
    ],
)
def test_what_is_not_stated_differs_between_the_extensions(
    tmp_path: Path, extension: str, motion: dict[str, Any], mass: float | None
) -> None:
    """OMI: a mass is 1 kg by default, and moments of 0 are left to the simulator; KHR: 0 is infinite."""
    found = link(saved(tmp_path / "r.gltf", body(motion, extension=extension)))
    assert (found.body and found.body.properties.mass) == mass
    assert found.findings == ()


@each("extension", [KHR, OMI])
@each("motion", [{}, {"mass": 7}])
def test_no_mass_comes_from_shapes_whose_density_no_extension_states(
    tmp_path: Path, extension: str, motion: dict[str, Any]
) -> None:
    path = saved(tmp_path / "r.gltf", body(motion, mesh=0, extension=extension))
    (checked,) = json.loads(run("check", path, "--format", "json").out)["checked"]
    assert [(f["code"], f["severity"], f["value"]) for f in checked["findings"]] == [
        ("geometry-without-inertial", "warning", None)
    ]
    assert run("combine", path).returncode == 3


def own_matrix(node: dict[str, Any]) -> Any:
    """T R S of a node, 4 × 4, by the formula of the specification."""
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    turn = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(turn) * np.array(node.get("scale", (1, 1, 1)))
    matrix[:3, 3] = node.get("translation", (0, 0, 0))
    return matrix


def random_place(rng: np.random.Generator, scale: Any) -> dict[str, Any]:
    """T R S of a node, with signs of the scale at random."""
    turn = rng.normal(size=4)
    signs = rng.choice([-1, 1], 3)
    return {
        "translation": rng.normal(size=3).tolist(),
        "rotation": (turn / np.linalg.norm(turn)).tolist(),
        "scale": (signs * np.broadcast_to(scale, 3)).tolist(),
    }


def in_the_scene(motion: dict[str, Any], matrix: Any) -> tuple[Any, Any]:
    """Centre and central tensor that a motion means, carried to the scene by the matrix of its node, a rotation or a mirror."""
    axes = matrix[:3, :3] @ own_matrix({"rotation": motion["inertiaOrientation"]})[:3, :3]
    centre = matrix @ [*motion["centerOfMass"], 1]
    return centre[:3], axes @ np.diag(motion["inertiaDiagonal"]) @ axes.T


def test_what_a_mirrored_node_states_is_in_its_own_space(tmp_path: Path) -> None:
    """The wound: a mirror was taken as a turn. Against matrices of the test: bodies below mirrored nodes, summed in the scene."""
    rng = np.random.default_rng(50)
    for _ in range(20):
        turn = random_place(rng, 1)["rotation"]
        motion = {"mass": 2.0, "inertiaDiagonal": [0.2, 0.3, 0.4], "inertiaOrientation": turn}
        motion["centerOfMass"] = rng.normal(size=3).tolist()
        above, own = random_place(rng, 1), random_place(rng, 1)
        path = saved(tmp_path / "r.gltf", {"children": [1], **above}, body(motion, None, **own))
        centre, tensor = in_the_scene(motion, own_matrix(above) @ own_matrix(own))
        found = massprops.combine(path).body.properties
        np.testing.assert_allclose(found.com, centre, atol=1e-14)
        np.testing.assert_allclose(found.inertia, tensor, atol=1e-14)


def test_a_collider_of_a_node_is_the_mesh_of_it_and_its_children_where_the_collider_is(tmp_path: Path) -> None:
    """Against trimesh: in the scene or not, scaled, mirrored, shared by two bodies; its own place does not count.

    Filled by it, the motion means the same body in the scene, also of a mirrored node.
    """
    trimesh = pytest.importorskip("trimesh")
    tetrahedron = trimesh.Trimesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    )
    rng = np.random.default_rng(51)
    for number in range(6):
        collider = {"collider": {"geometry": {"node": 4}}}
        places = [random_place(rng, 1), random_place(rng, rng.uniform(0.5, 1.2, 3)), random_place(rng, 1)]
        far, child = random_place(rng, 3), random_place(rng, rng.uniform(0.5, 1.2, 3))
        child["translation"] = [2.5, 0, 0]  # apart from the mesh of the node
        nodes = [
            {"name": "a", "extensions": {KHR: {"motion": {}}}, "children": [1], **places[0]},
            {"extensions": {KHR: collider}, **places[1]},
            {"name": "b", "extensions": {KHR: {"motion": {}} | collider}, **places[2]},
            {"name": "top", "children": [4], "scale": [7, 1, 1]},
            {"mesh": 0, "children": [5], **far},
            {"mesh": 0, **child},
        ]
        path = saved(tmp_path / "r.gltf", *nodes)
        tree = json.loads(path.read_text())
        tree["scenes"][0]["nodes"] = [0, 2, 3] if number % 2 else [0, 2]
        path.write_text(json.dumps(tree))
        done = massprops.fill(path, density=1000, links="all", geometry="collision")
        written = json.loads(done.data)["nodes"]
        at = {0: own_matrix(nodes[0]) @ own_matrix(nodes[1]), 2: own_matrix(nodes[2])}
        for index, matrix in at.items():
            pieces = [tetrahedron.copy().apply_transform(m) for m in (matrix, matrix @ own_matrix(nodes[5]))]
            for piece in pieces:
                piece.density = 1000.0
            masses = np.array([piece.mass for piece in pieces])
            centre = masses @ [piece.center_mass for piece in pieces] / masses.sum()
            arms = [piece.center_mass - centre for piece in pieces]
            moved = (m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True))
            tensor = sum(piece.moment_inertia for piece in pieces) + sum(moved)
            motion = written[index]["extensions"][KHR]["motion"]
            meant = in_the_scene(motion, own_matrix(nodes[index]))
            assert motion["mass"] == pytest.approx(masses.sum(), rel=1e-6)
            np.testing.assert_allclose(meant[0], centre, rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(meant[1], tensor, rtol=1e-6, atol=1e-6 * np.abs(tensor).max())
        path.write_bytes(done.data)
        report = massprops.check(path, geometry="collision")
        assert [c.status for c in report.checked] == ["ok", "ok"]


def test_a_mirrored_body_is_filled_in_the_space_of_its_node(tmp_path: Path) -> None:
    """The tetrahedron's centre is at a quarter of its edges, as the node sees it; a sheared node is left as it is."""
    node = {"mesh": 0, "scale": [-1, 1, 1]}
    path = saved(tmp_path / "r.gltf", body({}, None, **node))
    path.write_bytes(massprops.fill(path, density=1000, links="all").data)
    (written,) = json.loads(path.read_text())["nodes"]
    np.testing.assert_allclose(written["extensions"][KHR]["motion"]["centerOfMass"], [0.25, 0.25, 0.25])
    (checked,) = massprops.check(path).checked
    assert (checked.status, [f.severity for f in checked.findings]) == ("ok", ["info"])
    sheared = [1, 0, 0, 0, 0.6, 0.8, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    path = saved(tmp_path / "r.gltf", body({}, None, mesh=0, matrix=sheared))
    (filled,) = massprops.fill(path, density=1000, links="all").links
    assert filled.error is not None
    assert filled.error.code == "scaled-body"


@each("scale", [[2, 2, 2], [-1, 1, 1]])
def test_names_of_nodes_are_one_line_in_every_output(tmp_path: Path, scale: list[int]) -> None:
    """A line break in a name starts no line, which a CI runner could take for a command; the place in the JSON is whole."""
    name = "x: y\n::error title=pwn::evil\x1b[31m<img src=x>\u202e"
    node = body(STATED, name=name, scale=scale)
    path = saved(tmp_path / "r.gltf", node)
    for words in (
        *(["check", "--format", f] for f in ("table", "json", "junit", "sarif", "github", "gitlab", "markdown")),
        *(["combine", "--format", f] for f in ("table", "json", "csv")),
        ["explain"],
        ["fill", "--density", "1000", "--links", "all", "--check"],
        ["report", "-o", "-"],
        ["plot", "-o", "-"],
    ):
        done = run(words[0], str(path), *words[1:])
        text = done.out + done.err
        assert done.returncode in (0, 1, 4), (words, text)
        assert not any(line.lstrip().startswith("::error title=pwn") for line in text.splitlines()), words
        assert "\x1b[31m" not in text, words
        assert "<img src=x" not in text or words[0] in ("check", "combine", "explain", "fill"), words
    (checked,) = json.loads(run("check", str(path), "--format", "json").out)["checked"]
    assert checked["place"] == name

"""One geometry and one threshold: in every format, however the link is turned, and in `check`, `explain` and `fill`."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import oracles
import pytest
from cases import refused, seeds
from console import run
from random_robots import WRITERS, Numbers, RandomLink, RandomRobot, Solid, Written, frame, of_solid

import massprops
from massprops.diagnosis.robot_links import ComparedLink, LinkOptions, link_findings
from massprops.frames import Pose
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import box, cylinder

pytest.importorskip("pxr", reason="usd-core is not installable everywhere")

#: What a link is told for that has nothing to do with a mistake in one entry of its numbers, which only some axes have.
OF_THE_BODY = {
    "com-outside-bounds",
    "spread-outside-bounds",
    "inertia-too-large",
    "inertia-too-small",
    "implied-density",
}


def solid(kind: str, lengths: Sequence[float], pose: Pose) -> Solid:
    return Solid(kind, tuple(lengths), frame(pose.rotation, pose.translation))


def random_pose(rng: np.random.Generator, reach: float) -> Pose:
    q = rng.normal(size=4)
    return Pose(Pose.from_quaternion(xyzw=q / np.linalg.norm(q)).rotation, rng.normal(size=3) * reach)


def random_solids(rng: np.random.Generator, count: int) -> list[Solid]:
    """Solids that overlap, in no symmetric place."""
    counts = {"box": 3, "sphere": 1, "cylinder": 2}
    names = [str(rng.choice(list(counts))) for _ in range(count)]
    return [solid(n, rng.uniform(0.05, 0.2, size=counts[n]).tolist(), random_pose(rng, 0.03)) for n in names]


def compared(file: Written) -> ComparedLink:
    (found,) = (c for c in link_findings(file.path, None, LinkOptions()) if c.name in file.names)
    return found


def written(folder: Path, form: str, solids: Sequence[Solid], body: MassProperties, seed: int = 0) -> Written:
    """A robot of one link in a folder of its own."""
    (folder / form).mkdir(exist_ok=True)
    stated = Numbers(float(body.mass), body.com, body.inertia)
    link = RandomLink("a", tuple(solids), stated, stated, None, np.eye(4), fixed=False, seen=True, volume=0.0)
    return WRITERS[form](RandomRobot((link,)), folder / form, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", seeds(1))
def test_a_link_that_is_turned_is_told_for_the_same(tmp_path: Path, seed: int) -> None:
    """Bounds are those of the solids, not of a box around each; the sizes behind percentages turn with the link, too."""
    rng = np.random.default_rng(seed)
    solids = random_solids(rng, 2)
    start = written(tmp_path, "urdf", solids, MassProperties(1, [0, 0, 0], np.eye(3)))
    uniform = massprops.fill(start.path, density=2000, links="all", mass_from="density")
    right = uniform.links[0].after
    assert right is not None
    told = set()
    for away, factor in ((0.0, 1.0), (0.4, 1.0), (0.0, 8.0), (0.02, 0.1)):
        body = MassProperties(right.mass, right.com + away * np.array([0.6, 0, 0.8]), factor * right.inertia)
        first = None
        for form in WRITERS:
            pose = random_pose(rng, 0.2) if first else Pose.identity()
            turned = [replace(s, at=frame(pose.rotation, pose.translation) @ s.at) for s in solids]
            file = written(tmp_path, form, turned, body.transformed(pose))
            found = compared(file)
            said = sorted((f.code, f.severity) for f in found.findings if f.code in OF_THE_BODY)
            numbers = [
                found.numbers[k] for k in ("volume", "centre_distance", "tensor_distance", "largest_moment_ratio")
            ]
            first = first or (said, numbers)
            # of a collision geometry alone nothing is an error
            assert said == sorted((code, level if file.seen[0] else "warning") for code, level in first[0]), form
            assert numbers == pytest.approx(first[1], rel=2e-3, abs=2e-3), form
        told |= {code for code, _ in first[0]} if first else set()
    assert told >= {"com-outside-bounds", "spread-outside-bounds", "inertia-too-small"}


@pytest.mark.parametrize("form", ["urdf", "sdf", "mjcf"])
def test_a_ball_is_a_ball_however_it_is_turned(tmp_path: Path, form: str) -> None:
    for angle in (0.0, 0.3, np.pi / 4):
        solids = [solid("sphere", [0.1], Pose.from_xyz_rpy([0, 0, 0], [0, 0, angle]))]
        file = written(tmp_path, form, solids, MassProperties(1.0, [0.125, 0, 0], 0.004 * np.eye(3)))
        assert "com-outside-bounds" in [f.code for f in compared(file).findings if f.severity == "error"], angle


@pytest.mark.parametrize("seed", seeds(1))
def test_check_explain_and_fill_have_one_geometry(tmp_path: Path, seed: int) -> None:
    """A body has its space once: overlapping solids are united by all, and the numbers of one agree for the others."""
    rng = np.random.default_rng(100 + seed)
    solids = random_solids(rng, 3)
    summed = sum(of_solid(s, 1.0).mass for s in solids)
    for form in WRITERS:
        file = written(tmp_path, form, solids, MassProperties(1.0, [0.01, 0.02, 0.03], np.diag([0.01, 0.02, 0.025])))
        filled = massprops.fill(file.path, density=2000, links="all", mass_from="density")
        (link,) = (x for x in filled.links if x.after is not None)
        assert link.solid is not None
        before = compared(file)
        explained = massprops.explain(f"{file.path}#a")
        united = link.solid.moments.measure
        assert before.numbers["volume"] == united < 0.999 * summed
        assert explained.comparison is not None
        shown = ("implied_density", "centre_distance", "tensor_distance")
        assert [before.numbers[k] for k in shown] == [explained.comparison.to_dict()[k] for k in shown]
        # what `fill` writes is the geometry for the others
        again = file.path.with_stem("again")
        again.write_bytes(filled.data)
        if form == "usd":  # a layer over the stage
            continue
        after, unneeded = compared(replace(file, path=again)), massprops.explain(f"{again}#a")
        assert max(float(after.numbers[k] or 0) for k in shown[1:]) < 1e-5  # the digits that its ± supports
        assert (unneeded.verdict, [f for f in after.findings if f.code != "implied-density"]) == ("unneeded", [])


BOX, ROD = box(0.1, 0.2, 0.3, density=1000), cylinder(0.05, 0.3, density=1000)
#: A shape with its lengths, its inertial, and the moments of a wrong formula; None: a sign of its products.
SLIPS = {
    "products-sign": ("box", [0.1, 0.2, 0.3], BOX, None),
    "no 1/12": ("box", [0.1, 0.2, 0.3], BOX, 12 * BOX.inertia.diagonal()),
    "of a tube": ("cylinder", [0.05, 0.3], ROD, ROD.inertia.diagonal() + ROD.mass * 0.05**2 / 4 * np.array([1, 1, 2])),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_what_check_names_explain_looks_for(slip: str, tmp_path: Path) -> None:
    """A mistake that changes the tensor by less than bodies differ from their geometry is named by both; so is a formula."""
    name, lengths, body, moments = SLIPS[slip]
    pose = Pose.from_xyz_rpy([0.04, 0.07, 0.1], [0.03, -0.02, 0.04])
    right = body.transformed(pose)
    wrong = MassProperties(right.mass, right.com, 2 * np.diag(right.inertia.diagonal()) - right.inertia)
    if moments is not None:
        wrong = MassProperties(body.mass, body.com, np.diag(moments)).transformed(pose)
    for form in WRITERS:
        file = written(tmp_path, form, [solid(name, lengths, pose)], wrong)
        found = compared(file)
        explained = massprops.explain(f"{file.path}#a")
        named = {f.code for f in found.findings if f.severity != "info"}
        assert {"products-sign" if moments is None else "formula-slip"} & named, (form, named)
        assert named - OF_THE_BODY <= {h.kind for h in explained.hypotheses}
        assert explained.verdict in ("unique", "ambiguous")


@pytest.mark.parametrize(
    ("form", "words"),
    [("urdf", 'scale="0.001'), ("sdf", "<scale>0.001"), ("usd", "metersPerUnit"), ("gltf", "in metres")],
)
def test_a_mesh_in_millimetres_is_mended_in_the_words_of_the_format(tmp_path: Path, form: str, words: str) -> None:
    large, body = solid("box", [1e3, 1e3, 1e3], Pose.identity()), MassProperties(1.0, [0, 0, 0], np.eye(3))
    (link,) = massprops.fill(
        written(tmp_path, form, [large], body).path, density=2700, links="all", mass_from="density"
    ).links
    assert link.error is not None
    assert words in str(link.error)


EDGES = np.array([0.1, 0.2, 0.3])
#: A link that states no inertial, with a mesh as its visual geometry and a box as its collision geometry.
MESH_AND_BOX = {
    "urdf": """<robot name="r"><link name="a"><visual><geometry><mesh filename="part.stl"/></geometry></visual>
        <collision><geometry><box size="{box}"/></geometry></collision></link></robot>""",
    "sdf": """<sdf version="1.9"><model name="r"><link name="a">
        <visual name="v"><geometry><mesh><uri>part.stl</uri></mesh></geometry></visual>
        <collision name="c"><geometry><box><size>{box}</size></box></geometry></collision></link></model></sdf>""",
    "xml": """<mujoco><asset><mesh name="m" file="part.stl"/></asset><worldbody><body name="a"><freejoint/>
        <geom type="mesh" mesh="m" contype="0" conaffinity="0"/><geom type="box" size="{half}"/></body></worldbody></mujoco>""",
    "usda": """#usda 1.0
        (
        metersPerUnit = 1
        kilogramsPerUnit = 1
        upAxis = "Z"
        )
        def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{
        def Mesh "v"
        {{
        point3f[] points = [{points}]
        int[] faceVertexCounts = {counts}
        int[] faceVertexIndices = {faces}
        uniform token subdivisionScheme = "none"
        }}
        def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {{
        token purpose = "guide"
        double size = 1
        double3 xformOp:scale = ({box_commas})
        uniform token[] xformOpOrder = ["xformOp:scale"]
        }}
        }}""",
    "gltf": """{{"asset": {{"version": "2.0"}}, "extensionsUsed": ["KHR_physics_rigid_bodies", "KHR_implicit_shapes"],
        "extensions": {{"KHR_implicit_shapes": {{"shapes": [{{"type": "box", "box": {{"size": [{box_commas}]}}}}]}}}},
        "scenes": [{{"nodes": [0]}}], "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "count": {count}, "type": "VEC3", "min": {low}, "max": {high}}}],
        "bufferViews": [{{"buffer": 0, "byteLength": {bytes}}}], "buffers": [{{"byteLength": {bytes}, "uri": "{data}"}}],
        "nodes": [{{"name": "a", "mesh": 0, "extensions": {{"KHR_physics_rigid_bodies": {{
        "motion": {{}}, "collider": {{"geometry": {{"shape": 0}}}}}}}}}}]}}""",
}


def mesh_and_box(folder: Path, form: str, triangles: np.ndarray, edges: np.ndarray) -> Path:
    oracles.write_ascii_stl(folder / "part.stl", triangles)
    corners = triangles.reshape(-1, 3)
    data = corners.astype("<f4").tobytes()
    values = {
        "box": " ".join(map(str, edges)),
        "half": " ".join(map(str, edges / 2)),
        "box_commas": ", ".join(map(str, edges)),
        "points": ", ".join(f"({x!r}, {y!r}, {z!r})" for x, y, z in corners.tolist()),
        "counts": [3] * len(triangles),
        "faces": list(range(len(corners))),
        "count": len(corners),
        "bytes": len(data),
        "low": corners.min(axis=0).tolist(),
        "high": corners.max(axis=0).tolist(),
        "data": f"data:application/octet-stream;base64,{base64.b64encode(data).decode()}",
    }
    path = folder / f"robot.{form}"
    path.write_text(MESH_AND_BOX[form].format(**values), encoding="utf-8")
    return path


#: Facets that are taken from a box of `EDGES`, the edges of its collision shape over its own, and what is said of the geometry.
DAMAGE: dict[str, tuple[slice, float, set[str]]] = {
    "whole": (slice(0, 0), 3.0, set()),
    "one facet": (slice(0, 1), 3.0, set()),
    "half, and a box of its size": (slice(0, 6), 1.2, {"other-geometry"}),
    "half, and a larger box": (slice(0, 6), 1.3, {"broken-mesh"}),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("form", MESH_AND_BOX)
def test_what_fill_wrote_is_that_of_the_geometry_in_check(tmp_path: Path, form: str, damage: str) -> None:
    """A refused mesh was compared by its raw integral, with densities of twice the stated one; and `fill` had measured the box."""
    gone, times, said = DAMAGE[damage]
    triangles = np.delete(np.array(oracles.box(-EDGES / 2, EDGES / 2), float), gone, axis=0)
    path = mesh_and_box(tmp_path, form, triangles, EDGES * [times, 1, 1])
    for repair in ("full", "safe"):
        filled = massprops.fill(path, density=1000, repair=repair)
        (link,) = filled.links
        assert (link.error is None) == (said != {"broken-mesh"}) or repair == "safe"
        filled.save(tmp_path / f"filled.{form}")
        checked = link_findings(tmp_path / f"filled.{form}", None, LinkOptions(repair=repair))
        (found,) = (x for x in checked if x.name == "a")
        told = {"broken-mesh", "geometry-without-inertial"} if link.error else said
        assert {f.code for f in found.findings} == told
        assert found.numbers.get("implied_density") == (None if link.error else pytest.approx(1000, rel=1e-6))
        distances = [found.numbers.get(f"{k}_distance", 0.0) for k in ("centre", "tensor")]
        assert distances == pytest.approx([0, 0], abs=1e-6)  # single precision in glTF and USD


@pytest.mark.parametrize("form", MESH_AND_BOX)
def test_an_inertial_is_not_compared_with_a_mesh_that_is_refused(tmp_path: Path, form: str) -> None:
    """Nor is `fill` recommended where it refuses."""
    triangles = np.array(oracles.box(-EDGES / 2, EDGES / 2), float)
    path = mesh_and_box(tmp_path, form, triangles, EDGES * 2)
    massprops.fill(path, density=1000).save(tmp_path / f"filled.{form}")
    path = mesh_and_box(tmp_path, form, triangles[6:], EDGES * 2)
    (bare,) = (x for x in link_findings(path, None, LinkOptions()) if x.name == "a")
    assert bare.volume is None
    assert not any("massprops fill" in f.message for f in bare.findings)
    if form in ("usda", "gltf"):  # the stage, and the mesh, are in the file
        return
    (found,) = link_findings(tmp_path / f"filled.{form}", None, LinkOptions())
    assert ([f.code for f in found.findings], found.numbers.get("implied_density")) == (["broken-mesh"], None)


def test_a_centre_outside_the_hull_of_a_refused_mesh_is_a_warning(tmp_path: Path) -> None:
    """Its volume is not known; the rest of it, or the collision geometry, says where mass can be at all."""
    triangles = np.array(oracles.box(-EDGES / 2, EDGES / 2), float)[6:]
    inertial = '<inertial><origin xyz="{} 0 0"/><mass value="1"/>{}</inertial>'
    moments = '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/>'
    for x, times, said in ((0.04, 0, False), (0.4, 0, True), (0.4, 10, False)):
        path = mesh_and_box(tmp_path, "urdf", triangles, EDGES * max(times, 1e-3))
        text = path.read_text().replace('<link name="a">', f'<link name="a">{inertial.format(x, moments)}')
        path.write_text(text)
        (found,) = link_findings(path, None, LinkOptions())
        warned = [f.severity for f in found.findings if f.code == "com-outside-bounds"]
        assert warned == ["warning"] * said
        assert "broken-mesh" in {f.code for f in found.findings}
        assert [f.severity for f in massprops.explain(f"{path}#a").findings if f.code == "com-outside-bounds"] == warned
        assert not any("there is no geometry" in f.message for f in found.findings)


def test_a_geometry_that_is_given_is_repaired_as_that_of_links_or_refused(tmp_path: Path) -> None:
    """Open ones were integrated as they are: half of a box gave 2.4 times the density."""
    triangles = np.array(oracles.box(-EDGES / 2, EDGES / 2), float)
    path = mesh_and_box(tmp_path, "urdf", triangles, EDGES)
    massprops.fill(path, density=1000, in_place=True)
    one, half = tmp_path / "one.stl", tmp_path / "half.stl"
    oracles.write_ascii_stl(one, triangles[1:])
    oracles.write_ascii_stl(half, triangles[6:])
    explained = massprops.explain(f"{path}#a", against=one)
    assert explained.comparison is not None
    assert explained.comparison.density == pytest.approx(1000, rel=1e-9)
    assert refused(massprops.InvalidGeometry, massprops.explain, f"{path}#a", against=half).startswith(
        f"{half}: open-edges"
    )
    for command in ("check", "explain"):
        assert [run(command, f"{path}#a", "--against", mesh).returncode for mesh in (one, half)] == [0, 4]


def test_check_compares_a_link_whose_volume_fill_knows_well_enough(tmp_path: Path) -> None:
    """`max_uncertainty` was not passed on to the meshes of links."""
    # far away the corners of a foil are rounded by a fifth of its thickness
    oracles.write_binary_stl(tmp_path / "foil.stl", oracles.box((1000, 0, 0), (1001, 1, 5e-4)))
    path = tmp_path / "robot.urdf"
    visual = '<visual><geometry><mesh filename="foil.stl"/></geometry></visual>'
    path.write_text(f'<robot name="r"><link name="a">{visual}</link></robot>')
    massprops.fill(path, density=1000, max_uncertainty="50 %", in_place=True)
    for limit, known in ((None, False), ("50 %", True)):
        (found,) = massprops.check(path, max_uncertainty=limit).checked
        assert ("implied_density" in found.numbers, "broken-mesh" in {f.code for f in found.findings}) == (
            known,
            not known,
        )
        options = [] if limit is None else ["--max-uncertainty", limit]
        assert (b"broken-mesh" in run("check", path, *options).stdout) == (not known)

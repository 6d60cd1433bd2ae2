"""One geometry and one threshold: in every format, however the link is turned, and in `check`, `explain` and `fill`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import massprops
from massprops.diagnosis.robot_links import ComparedLink, LinkOptions, link_findings
from massprops.formats.bodies.snippets import snippet
from massprops.frames import Pose
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import box

#: A shape, its lengths in the order of the formats, and its place in the link.
Solid = tuple[str, tuple[float, ...], Pose]
SIZES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length")}
#: What a link is told for that has nothing to do with a mistake in one entry of its numbers, which only some axes have.
OF_THE_BODY = {
    "com-outside-bounds",
    "spread-outside-bounds",
    "inertia-too-large",
    "inertia-too-small",
    "implied-density",
}


def text(values: Sequence[float]) -> str:
    return " ".join(map(repr, np.asarray(values).tolist()))


def as_urdf(solids: Sequence[Solid], body: MassProperties) -> str:
    def shape(name: str, lengths: tuple[float, ...]) -> str:
        sizes = {"size": text(lengths)} if name == "box" else dict(zip(SIZES[name], map(repr, lengths), strict=True))
        return f"<{name} {' '.join(k + '=' + chr(34) + v + chr(34) for k, v in sizes.items())}/>"

    each = (
        f'<visual><origin xyz="{text(p.translation)}" rpy="{text(p.to_rpy())}"/><geometry>{shape(n, v)}</geometry></visual>'
        for n, v, p in solids
    )
    return f'<robot name="r"><link name="a">{snippet(body, "urdf")}{"".join(each)}</link></robot>'


def as_sdf(solids: Sequence[Solid], body: MassProperties) -> str:
    def shape(name: str, lengths: tuple[float, ...]) -> str:
        sizes = [("size", text(lengths))] if name == "box" else zip(SIZES[name], map(repr, lengths), strict=True)
        inside = "".join(f"<{k}>{v}</{k}>" for k, v in sizes)
        return f"<{name}>{inside}</{name}>"

    each = (
        f'<visual name="v{i}"><pose>{text([*p.translation, *p.to_rpy()])}</pose><geometry>{shape(n, v)}</geometry></visual>'
        for i, (n, v, p) in enumerate(solids)
    )
    return (
        f'<sdf version="1.9"><model name="m"><link name="a">{snippet(body, "sdf")}{"".join(each)}</link></model></sdf>'
    )


def as_mjcf(solids: Sequence[Solid], body: MassProperties) -> str:
    def geom(name: str, lengths: tuple[float, ...], pose: Pose) -> str:
        size = [x / 2 for x in lengths] if name == "box" else [lengths[0], *(x / 2 for x in lengths[1:])]
        x, y = text(pose.rotation[:, 0]), text(pose.rotation[:, 1])
        return f'<geom type="{name}" size="{text(size)}" pos="{text(pose.translation)}" xyaxes="{x} {y}" contype="0" conaffinity="0"/>'

    each = "".join(geom(*solid) for solid in solids)
    return f'<mujoco><worldbody><body name="a">{snippet(body, "mjcf")}{each}</body></worldbody></mujoco>'


def as_usd(solids: Sequence[Solid], body: MassProperties) -> str:
    def prim(number: int, name: str, lengths: tuple[float, ...], pose: Pose) -> str:
        own = {"box": "double size = 1", "sphere": f"double radius = {lengths[0]!r}"}.get(name, "")
        own = own or f'double radius = {lengths[0]!r}\ndouble height = {lengths[1]!r}\nuniform token axis = "Z"'
        scale = np.diag(lengths if name == "box" else (1.0, 1.0, 1.0))
        rows = np.eye(4)
        rows[:3, :3], rows[3, :3] = (pose.rotation @ scale).T, pose.translation
        matrix = ", ".join(f"({', '.join(map(repr, row))})" for row in rows.tolist())
        kind = {"box": "Cube", "sphere": "Sphere", "cylinder": "Cylinder"}[name]
        ops = f'matrix4d xformOp:transform = ({matrix})\nuniform token[] xformOpOrder = ["xformOp:transform"]'
        return f'def {kind} "s{number}"\n{{\n{own}\n{ops}\n}}\n'

    head = '#usda 1.0\n(\nmetersPerUnit = 1\nkilogramsPerUnit = 1\nupAxis = "Z"\n)\n'
    schemas = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI"]'
    each = "".join(prim(i, *solid) for i, solid in enumerate(solids))
    return f'{head}def Xform "a" ({schemas})\n{{\n{snippet(body, "usd")}{each}}}\n'


def as_gltf(solids: Sequence[Solid], body: MassProperties) -> str:
    to_y = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0.0]])  # z of a shape is y of its node
    names = {"box": "size", "sphere": "radius"}
    shapes, nodes = [], []
    for i, (name, lengths, pose) in enumerate(solids):
        if name == "cylinder":
            own = {"radiusTop": lengths[0], "radiusBottom": lengths[0], "height": lengths[1]}
        else:
            own = {names[name]: [lengths[0], lengths[2], lengths[1]] if name == "box" else lengths[0]}
        shapes.append({"type": name, name: own})
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = pose.rotation @ to_y.T, pose.translation
        collider = {"collider": {"geometry": {"shape": i}}}
        nodes.append({"matrix": matrix.T.ravel().tolist(), "extensions": {"KHR_physics_rigid_bodies": collider}})
    motion = json.loads("{" + snippet(body, "gltf") + "}")
    root = {"name": "a", "children": list(range(1, len(nodes) + 1)), "extensions": {"KHR_physics_rigid_bodies": motion}}
    scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [root, *nodes]}
    scene |= {"extensions": {"KHR_implicit_shapes": {"shapes": shapes}}}
    return json.dumps(scene | {"extensionsUsed": ["KHR_physics_rigid_bodies", "KHR_implicit_shapes"]})


FORMATS: dict[str, Callable[[Sequence[Solid], MassProperties], str]] = {
    "urdf": as_urdf,
    "sdf": as_sdf,
    "xml": as_mjcf,
    "usda": as_usd,
    "gltf": as_gltf,
}


def random_pose(rng: np.random.Generator, reach: float) -> Pose:
    q = rng.normal(size=4)
    return Pose(Pose.from_quaternion(xyzw=q / np.linalg.norm(q)).rotation, rng.normal(size=3) * reach)


def random_solids(rng: np.random.Generator, count: int) -> list[Solid]:
    """Solids that overlap, in no symmetric place."""
    counts = {"box": 3, "sphere": 1, "cylinder": 2}
    names = [str(rng.choice(list(counts))) for _ in range(count)]
    return [(n, tuple(rng.uniform(0.05, 0.2, size=counts[n]).tolist()), random_pose(rng, 0.03)) for n in names]


def compared(file: Path) -> ComparedLink:
    (found,) = (c for c in link_findings(file, None, LinkOptions()) if c.name and c.name.rpartition("/")[2] == "a")
    return found


def written(folder: Path, suffix: str, solids: Sequence[Solid], body: MassProperties) -> Path:
    file = folder / f"r.{suffix}"
    file.write_text(FORMATS[suffix](solids, body), encoding="utf-8")
    return file


@pytest.mark.parametrize("seed", range(2))
def test_a_link_that_is_turned_is_told_for_the_same(tmp_path: Path, seed: int) -> None:
    """Bounds are those of the solids, not of a box around each; the sizes behind percentages turn with the link, too."""
    rng = np.random.default_rng(seed)
    solids = random_solids(rng, 2)
    start = written(tmp_path, "urdf", solids, MassProperties(1, [0, 0, 0], np.eye(3)))
    uniform = massprops.fill(start, density=2000, links="all", mass_from="density")
    right = uniform.links[0].after
    assert right is not None
    told = set()
    for away, factor in ((0.0, 1.0), (0.4, 1.0), (0.0, 8.0), (0.02, 0.1)):
        body = MassProperties(right.mass, right.com + away * np.array([0.6, 0, 0.8]), factor * right.inertia)
        first = None
        for suffix in FORMATS:
            pose = random_pose(rng, 0.2) if first else Pose.identity()
            turned = [(n, v, pose @ p) for n, v, p in solids]
            found = compared(written(tmp_path, suffix, turned, body.transformed(pose)))
            said = sorted((f.code, f.severity) for f in found.findings if f.code in OF_THE_BODY)
            numbers = [
                found.numbers[k] for k in ("volume", "centre_distance", "tensor_distance", "largest_moment_ratio")
            ]
            first = first or (said, numbers)
            is_collider = suffix == "gltf"  # a collision geometry alone, of which nothing is an error
            assert said == sorted((code, "warning" if is_collider else level) for code, level in first[0]), suffix
            assert numbers == pytest.approx(first[1], rel=2e-3, abs=2e-3), suffix
        told |= {code for code, _ in first[0]} if first else set()
    assert told >= {"com-outside-bounds", "spread-outside-bounds", "inertia-too-small"}


@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml"])
def test_a_ball_is_a_ball_however_it_is_turned(tmp_path: Path, suffix: str) -> None:
    for angle in (0.0, 0.3, np.pi / 4):
        solids: list[Solid] = [("sphere", (0.1,), Pose.from_xyz_rpy([0, 0, 0], [0, 0, angle]))]
        file = written(tmp_path, suffix, solids, MassProperties(1.0, [0.125, 0, 0], 0.004 * np.eye(3)))
        assert "com-outside-bounds" in [f.code for f in compared(file).findings if f.severity == "error"], angle


@pytest.mark.parametrize("seed", range(2))
def test_check_explain_and_fill_have_one_geometry(tmp_path: Path, seed: int) -> None:
    """A body has its space once: overlapping solids are united by all, and the numbers of one agree for the others."""
    rng = np.random.default_rng(100 + seed)
    solids = random_solids(rng, 3)
    summed = sum(volume(n, v) for n, v, _ in solids)
    for suffix in FORMATS:
        file = written(tmp_path, suffix, solids, MassProperties(1.0, [0.01, 0.02, 0.03], np.diag([0.01, 0.02, 0.025])))
        filled = massprops.fill(file, density=2000, links="all", mass_from="density")
        (link,) = (x for x in filled.links if x.after is not None)
        assert link.solid is not None
        before = compared(file)
        name = before.name
        explained = massprops.explain(f"{file}#{name}")
        united = link.solid.moments.measure
        assert before.numbers["volume"] == united < 0.999 * summed
        assert explained.comparison is not None
        shown = ("implied_density", "centre_distance", "tensor_distance")
        assert [before.numbers[k] for k in shown] == [explained.comparison.to_dict()[k] for k in shown]
        # what `fill` writes is the geometry for the others
        again = tmp_path / f"again.{suffix}"
        again.write_bytes(filled.data)
        if suffix == "usda":  # a layer over the stage
            continue
        after, unneeded = compared(again), massprops.explain(f"{again}#{name}")
        assert max(float(after.numbers[k] or 0) for k in shown[1:]) < 1e-5  # the digits that its ± supports
        assert (unneeded.verdict, [f for f in after.findings if f.code != "implied-density"]) == ("unneeded", [])


def volume(name: str, lengths: tuple[float, ...]) -> float:
    if name == "box":
        return float(np.prod(lengths))
    return 4 / 3 * np.pi * lengths[0] ** 3 if name == "sphere" else np.pi * lengths[0] ** 2 * lengths[1]


def test_what_check_names_explain_looks_for(tmp_path: Path) -> None:
    """A mistake that changes the tensor by less than bodies differ from their geometry is named by both."""
    size = np.array([0.1, 0.2, 0.3])
    pose = Pose.from_xyz_rpy([0.04, 0.07, 0.1], [0.03, -0.02, 0.04])
    solids: list[Solid] = [("box", tuple(size.tolist()), pose)]
    right = box(*size.tolist(), density=1000).transformed(pose)
    wrong = MassProperties(right.mass, right.com, 2 * np.diag(right.inertia.diagonal()) - right.inertia)
    for suffix in FORMATS:
        file = written(tmp_path, suffix, solids, wrong)
        found = compared(file)
        explained = massprops.explain(f"{file}#{found.name}")
        named = {f.code for f in found.findings if f.severity != "info"}
        assert named
        assert named <= {h.kind for h in explained.hypotheses}
        assert explained.verdict in ("unique", "ambiguous")


@pytest.mark.parametrize(
    ("suffix", "words"),
    [("urdf", 'scale="0.001'), ("sdf", "<scale>0.001"), ("usda", "metersPerUnit"), ("gltf", "in metres")],
)
def test_a_mesh_in_millimetres_is_mended_in_the_words_of_the_format(tmp_path: Path, suffix: str, words: str) -> None:
    file = written(
        tmp_path, suffix, [("box", (1e3, 1e3, 1e3), Pose.identity())], MassProperties(1.0, [0, 0, 0], np.eye(3))
    )
    (link,) = massprops.fill(file, density=2700, links="all", mass_from="density").links
    assert link.error is not None
    assert words in str(link.error)

"""What Newton holds of random robots of its own elements is what is predicted, or not known."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import seeds
from simulated import Held, RandomInertial, compare, compare_random, lengths, numbers

pytestmark = pytest.mark.other_programs


def in_newton(path: Path) -> dict[str, Held]:
    newton = pytest.importorskip("newton", reason="newton is not installed")
    builder = newton.ModelBuilder()
    {".urdf": builder.add_urdf, ".xml": builder.add_mjcf, ".usda": builder.add_usd}[path.suffix](str(path))
    model = builder.finalize(device="cpu")
    names = [label.rpartition("/")[2] for label in model.body_label]
    mass, com, inertia = (np.asarray(a.numpy(), float) for a in (model.body_mass, model.body_com, model.body_inertia))
    return {name: (float(mass[k]), com[k], inertia[k].reshape(3, 3)) for k, name in enumerate(names)}


@pytest.fixture(scope="module", autouse=True)
def newton() -> Any:
    return pytest.importorskip("newton", reason="newton is not installed")


# ---- URDF ---------------------------------------------------------------------------------------------------------------


def urdf_shape(rng: random.Random) -> str:
    a, b, c = lengths(rng, 3)
    return rng.choice(
        [
            f'<box size="{a} {b} {c}"/>',
            f'<sphere radius="{a}"/>',
            f'<cylinder radius="{a}" length="{b}"/>',
            f'<capsule radius="{a}" length="{b}"/>',
            f'<capsule radius="{a}" length="{b}" height="{c}"/>',
            '<mesh filename="l.obj"/>',
            f'<mesh filename="l.stl" scale="{a} {b} {-c}"/>',
            '<mesh filename="inward.obj"/>',
        ]
    )


def urdf_link(rng: random.Random, name: str) -> str:
    inertial = RandomInertial(rng)
    odd = rng.choice([inertial.impossible, lambda: inertial.weightless(0), lambda: inertial])
    parts = [rng.choice(["", "", inertial.urdf(), inertial.urdf(), odd().urdf()])]
    for tag in ("visual", "collision", "collision"):
        if rng.random() < 0.5:
            origin = f'<origin xyz="{numbers(rng, 3)}" rpy="{numbers(rng, 3, 3.0)}"/>'
            parts.append(f"<{tag}>{origin}<geometry>{urdf_shape(rng)}</geometry></{tag}>")
    return f'<link name="{name}">{"".join(parts)}</link>'


def random_urdf(rng: random.Random) -> str:
    """A tree of links of all kinds, and a `<mujoco>` that Newton does not read."""
    options = ['inertiafromgeom="true"', 'boundmass="4"', 'boundinertia="2"', 'settotalmass="3"', ""]
    texts = [f'<robot name="r"><mujoco><compiler {rng.choice(options)}/></mujoco>', urdf_link(rng, "l0")]
    for k in range(1, rng.randrange(2, 6)):
        kind = rng.choice(["fixed", "continuous", "floating"])
        ends = f'<parent link="l{rng.randrange(k)}"/><child link="l{k}"/>'
        texts.append(f'{urdf_link(rng, f"l{k}")}<joint name="j{k}" type="{kind}">{ends}<axis xyz="0 0 1"/></joint>')
    return "".join([*texts, "</robot>"])


def test_newton_holds_what_is_predicted_of_random_urdf(tmp_path: Path) -> None:
    count = compare_random(tmp_path / "r.urdf", random_urdf, seeds(25), "newton", in_newton)
    assert count["unknown"] < 0.05 * count.total()
    assert count["refused"] < 0.05 * count.total()


# ---- MJCF ---------------------------------------------------------------------------------------------------------------

KINDS = ("exact", "convex", "shell", "legacy")


def mjcf_geom(rng: random.Random) -> str:
    more = rng.choice(
        ["", 'group="3"', 'contype="0" conaffinity="0"', 'class="heavy"', 'class="main"', 'class="inner"']
    )
    a, b, c = lengths(rng, 3)
    sizes = " ".join(map(str, (a, b, c)[: rng.choice([1, 2, 3]) if "heavy" in more or "inner" in more else 3]))
    shapes = [f'type="{shape}" size="{sizes}"' for shape in ("box", "sphere", "capsule", "cylinder", "ellipsoid")]
    shapes += [f'type="mesh" mesh="{how}"' for how in (*KINDS, "scaled", "inward", "inward-exact", "points", "inline")]
    ends = f'fromto="{numbers(rng, 6)}" size="{a}"'
    placed = rng.choice(
        [
            *(f"{shape} {mjcf_pose(rng)}" for shape in rng.sample(shapes, 4)),
            *(f'type="{shape}" {ends}' for shape in ("capsule", "cylinder", "box", "ellipsoid")),
        ]
    )
    weight = rng.choice(["", "", 'mass="3"', 'mass="0"', 'density="250"', 'density="9" mass=".5"'])
    return f"<geom {placed} {weight} {more}/>"


def mjcf_turn(rng: random.Random) -> str:
    turns = {"euler": numbers(rng, 3, 180), "quat": numbers(rng, 4), "axisangle": numbers(rng, 4, 90)}
    turns |= {"xyaxes": numbers(rng, 6), "zaxis": numbers(rng, 3)}
    name = rng.choice([*turns, ""])
    return f'{name}="{turns[name]}"' if name else ""


def mjcf_pose(rng: random.Random) -> str:
    return f'pos="{numbers(rng, 3)}" {mjcf_turn(rng)}'


def mjcf_contents(rng: random.Random, depth: int, names: itertools.count[int]) -> str:
    """What may stand in a body or a frame of it."""
    texts = [mjcf_geom(rng) for _ in range(rng.choice([0, 1, 1, 2]))]
    if depth and rng.random() < 0.3:
        class_ = rng.choice(["", 'childclass="heavy"'])
        texts.append(f"<frame {mjcf_pose(rng)} {class_}>{mjcf_contents(rng, depth - 1, names)}</frame>")
    if rng.random() < 0.15:
        texts.append(f'<replicate count="2" offset="0 0 .3">{mjcf_geom(rng)}</replicate>')
    texts += [mjcf_body(rng, depth - 1, names) for _ in range(rng.randrange(2) if depth else 0)]
    return "".join(texts)


def mjcf_body(rng: random.Random, depth: int, names: itertools.count[int]) -> str:
    inertial = RandomInertial(rng)
    stated = rng.choice(["", "", "", inertial.mjcf(), inertial.mjcf(), f"<frame>{inertial.mjcf()}</frame>"])
    if rng.random() < 0.05:
        stated = inertial.impossible().mjcf()
    joint = rng.choice(["", '<joint axis="0 1 0"/>', '<joint axis="0 1 0"/>', '<frame><joint axis="0 1 0"/></frame>'])
    class_ = rng.choice(["", "", 'childclass="heavy"'])
    contents = mjcf_contents(rng, depth, names)
    return f'<body name="b{next(names)}" pos="0 0 .3" {class_}>{joint}{stated}{contents}</body>'


COMPILER = {
    "inertiafromgeom": ("true", "false", "auto"),
    "balanceinertia": ("true", "false"),
    "boundmass": ("0.4", "5"),
    "boundinertia": ("0.01", "1.2"),
    "settotalmass": ("7",),
    "inertiagrouprange": ("0 2", "3 3"),
    "eulerseq": ("xyz", "ZYX", "XzY"),
    "angle": ("radian",),
}


def random_mjcf(rng: random.Random) -> str:
    options = " ".join(f'{k}="{rng.choice(v)}"' for k, v in COMPILER.items() if rng.random() < 0.2)
    meshes = "".join(f'<mesh name="{how}" file="l.obj" inertia="{how}"/>' for how in KINDS)
    meshes += '<mesh name="scaled" file="l.stl" scale="1 2 -1"/><mesh name="inward" file="inward.obj"/>'
    meshes += '<mesh name="inward-exact" file="inward.obj" inertia="exact"/>'
    meshes += '<mesh name="points" vertex="0 0 0 .3 0 0 0 .4 0 0 0 .5 .3 .4 .5"/>'
    meshes += '<mesh name="inline" vertex="0 0 0 .3 0 0 0 .4 0 0 0 .5" face="0 2 1 0 1 3 0 3 2 1 2 3"/>'
    main = rng.choice(["", 'class="main"', 'class="main"'])
    inner = f'<default class="inner"><geom group="2" {mjcf_turn(rng)}/></default>'
    heavy = f'<default class="heavy"><geom density="4000" {mjcf_turn(rng)} size="{rng.choice([".2", ".3 .1"])}"/>{inner}</default>'
    named = '<default class="main"/>' if not main else ""
    defaults = f'<default {main}><geom density="{rng.choice([500, 1000])}" size=".1 .2 .3"/>{heavy}{named}</default>'
    names = itertools.count()
    bodies = "".join(mjcf_body(rng, rng.randrange(3), names) for _ in range(rng.choice([1, 1, 2])))
    if rng.random() < 0.2:
        bodies += f'<replicate count="2" offset="1 0 0">{mjcf_body(rng, 0, names)}</replicate>'
    if rng.random() < 0.2:
        bodies = f'<frame euler="0 0 20">{bodies}</frame>'
    if rng.random() < 0.2:
        bodies += '<attach prefix="x_" body="b0"/>'
    return f"<mujoco><compiler {options}/>{defaults}<asset>{meshes}</asset><worldbody>{bodies}</worldbody></mujoco>"


def test_newton_holds_what_is_predicted_of_random_mjcf(tmp_path: Path) -> None:
    count = compare_random(tmp_path / "r.xml", random_mjcf, seeds(25), "newton", in_newton)
    assert count["unknown"] < 0.1 * count.total()


# ---- USD ----------------------------------------------------------------------------------------------------------------

TETRAHEDRON = (
    "point3f[] points = [(0, 0, 0), (.5, 0, 0), (0, .4, 0), (0, 0, .3)]\nint[] faceVertexCounts = [3, 3, 3, 3]\n"
    "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n"
)


def usd_vector(rng: random.Random, size: float = 1.0) -> str:
    return f"({numbers(rng, 3, size).replace(' ', ', ')})"


def usd_masses(rng: random.Random, of: str) -> str:
    """Attributes of the mass schema: all, some, or none."""
    inertial = RandomInertial(rng)
    moments = ", ".join(f"{m:.6f}" for m in np.linalg.eigvalsh(inertial.tensor))
    turn = ", ".join(f"{rng.gauss(0, 1):.4f}" for _ in range(4))
    stated = {
        "mass": f"float physics:mass = {inertial.mass}",
        "density": f"float physics:density = {rng.choice([250, 4000])}",
        "centre": f"point3f physics:centerOfMass = {usd_vector(rng)}",
        "moments": f"float3 physics:diagonalInertia = ({moments})",
        "axes": f"quatf physics:principalAxes = ({turn})",
    }
    of_body = (
        ["mass", "centre", "moments", "axes"],
        ["mass", "centre", "moments"],
        ["mass"],
        ["density"],
        ["mass", "density"],
    )
    some = rng.sample(list(stated), rng.randrange(1, 4))
    chosen = rng.choice([*of_body, some] if of == "body" else [["mass"], ["density"], ["density"], some])
    return "\n".join(stated[name] for name in chosen)


def usd_collider(rng: random.Random, name: str) -> str:
    a, b, c = lengths(rng, 3)
    axis = rng.choice("XYZ")
    kind, sizes = rng.choice(
        [
            ("Cube", f"double size = {a}"),
            ("Sphere", f"double radius = {a}"),
            ("Cylinder", f'double radius = {a}\ndouble height = {b}\nuniform token axis = "{axis}"'),
            ("Capsule", f'double radius = {a}\ndouble height = {b}\nuniform token axis = "{axis}"'),
            ("Cone", f'double radius = {a}\ndouble height = {b}\nuniform token axis = "{axis}"'),
            ("Mesh", TETRAHEDRON),
        ]
    )
    collides, weighed = rng.random() < 0.85, rng.random() < 0.3
    schemas = ['"PhysicsCollisionAPI"'] * collides + ['"PhysicsMassAPI"'] * weighed
    applied = f"prepend apiSchemas = [{', '.join(schemas)}]" if schemas else ""
    turn, place = usd_vector(rng, 180), usd_vector(rng)
    scale = f"({a + 0.5}, {b + 0.5}, {c + 0.5})" if kind == "Cube" else "(1.5, 1.5, 1.5)"
    order = '"xformOp:translate", "xformOp:rotateXYZ", "xformOp:scale"'
    pose = f"double3 xformOp:translate = {place}\nfloat3 xformOp:rotateXYZ = {turn}\nfloat3 xformOp:scale = {scale}\n"
    masses = usd_masses(rng, "collider") if weighed else ""
    return f'def {kind} "{name}" (\n{applied}\n)\n{{\n{sizes}\n{masses}\n{pose}uniform token[] xformOpOrder = [{order}]\n}}\n'


def usd_body(rng: random.Random, name: str) -> str:
    weighed = rng.random() < 0.7
    schemas = ['"PhysicsRigidBodyAPI"'] + ['"PhysicsMassAPI"'] * weighed
    inside = "".join(usd_collider(rng, f"c{k}") for k in range(rng.choice([0, 1, 1, 2])))
    masses = usd_masses(rng, "body") if weighed else ""
    return f'def Xform "{name}" (\nprepend apiSchemas = [{", ".join(schemas)}]\n)\n{{\n{masses}\n{inside}}}\n'


def random_usd(rng: random.Random) -> str:
    metres, kilograms = rng.choice([(1, 1)] * 6 + [(0.01, 1), (1, 0.001)])
    head = f"#usda 1.0\n(\nmetersPerUnit = {metres}\nkilogramsPerUnit = {kilograms}\n)\n"
    return head + 'def PhysicsScene "s"\n{\n}\n' + "".join(usd_body(rng, f"b{k}") for k in range(rng.choice([1, 2])))


def test_newton_holds_what_is_predicted_of_random_usd(tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installable everywhere")
    count = Counter[str]()
    for seed in seeds(8)[:60]:  # OpenUSD and Newton take four seconds for each
        path = tmp_path / f"r{seed}.usda"  # OpenUSD keeps the layers that it has read
        path.write_text(random_usd(random.Random(seed)), encoding="utf-8")  # noqa: S311
        count += compare(path, "newton", in_newton)
    assert count["unknown"] < 0.8 * count.total()

"""Random robots of the elements that simulators read, what the simulators make of them, and in what that is not what is predicted."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import differences, predicted, write_meshes

from massprops.diagnosis.engine_body import EngineBody, engines

#: Mass, centre and tensor about it, in the axes of the link, by its name; why it is refused, as text.
Real = dict[str, tuple[float, np.ndarray, np.ndarray]] | str


def _vector(rng: random.Random, size: float = 1.0, count: int = 3) -> str:
    return " ".join(f"{rng.uniform(-size, size):.4g}" for _ in range(count))


def _one_of(rng: random.Random, usual: list[str], rare: list[str], share: float = 0.04) -> str:
    return rng.choice(rare if rng.random() < share else usual)


def _moments(rng: random.Random) -> list[float]:
    """Principal moments of some body, sometimes of one within rounding of a plate."""
    a, b, c = (rng.uniform(0.1, 1) for _ in range(3))
    return [a + b, b + c, a + c] if rng.random() > 0.05 else [a, b, a + b]


def _tensor(rng: random.Random) -> list[float]:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""
    turn = np.linalg.qr(np.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)]))[0]
    found = turn @ np.diag(_moments(rng)) @ turn.T
    if rng.random() < 0.03:
        found[2, 2] *= rng.choice([5, -1, 0])
    return [*np.diag(found).tolist(), found[0, 1], found[0, 2], found[1, 2]]


# ---- URDF -------------------------------------------------------------------------------------------------------------------


def _origin(rng: random.Random) -> str:
    return f'<origin xyz="{_vector(rng)}" rpy="{_vector(rng, 3)}"/>' if rng.random() < 0.8 else ""


def _urdf_inertial(rng: random.Random) -> str:
    xx, yy, zz, xy, xz, yz = _tensor(rng) if rng.random() < 0.97 else [0.0] * 6
    mass = _one_of(rng, ["2", "0.5", "1e-3"], ["0", "-1"], 0.03)
    inertia = f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/>'
    return f'<inertial>{_origin(rng)}<mass value="{mass}"/>{inertia}</inertial>'


def _urdf_shape(rng: random.Random, tag: str) -> str:
    scale = _one_of(rng, ["", 'scale="2 2 2"', 'scale="1 2 -3"'], ['scale="2"'], 0.05)
    files = ["l.obj", "l.stl", "sub/l.obj"]
    mesh = _one_of(rng, files, ["text.stl", "missing.obj", "package://sub/l.obj", "points.obj"], 0.08)
    solids = ['<box size=".2 .4 .6"/>', '<sphere radius=".2"/>', '<cylinder radius=".1" length=".5"/>']
    solids += ['<capsule radius=".1" length=".5"/>', f'<mesh filename="{mesh}" {scale}/>']
    return f"<{tag}>{_origin(rng)}<geometry>{rng.choice(solids)}</geometry></{tag}>"


def random_urdf(rng: random.Random) -> str:
    """A tree of links with and without inertials and geometry, over all joints, with MuJoCo's `<compiler>`."""
    links, count = [], rng.randrange(1, 8)
    root = "world" if rng.random() < 0.15 else "l0"
    for k in range(count):
        name = f"l{k}" if k else root
        shapes = [_urdf_shape(rng, tag) for tag in ("visual", "collision") for _ in range(rng.choice([0, 0, 1, 1, 2]))]
        links.append(
            f'<link name="{name}">{_urdf_inertial(rng) if rng.random() < 0.85 else ""}{"".join(shapes)}</link>'
        )
        if k:
            above = rng.randrange(k)
            kinds = ["fixed", "fixed", "continuous", "revolute", "prismatic", "planar"]
            kind = _one_of(rng, kinds, ["floating", "other"], 0.03)
            limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
            ends = f'<parent link="{f"l{above}" if above else root}"/><child link="{name}"/><axis xyz="0 0 1"/>'
            links.append(f'<joint name="j{k}" type="{kind}">{_origin(rng)}{ends}{limit}</joint>')
    name = _one_of(rng, ['name="r"'], [""])
    return f"<robot {name}>{_urdf_compiler(rng)}{''.join(links)}</robot>"


def _urdf_compiler(rng: random.Random) -> str:
    stated = {
        "fusestatic": ("false", "true"),
        "discardvisual": ("false", "true"),
        "strippath": ("true",),
        "meshdir": ("sub",),
        **COMPILER,
    }
    shown = " ".join(f'{k}="{rng.choice(v)}"' for k, v in stated.items() if rng.random() < 0.12)
    return f"<mujoco><compiler {shown}/></mujoco>" if rng.random() < 0.6 else ""


# ---- MJCF -------------------------------------------------------------------------------------------------------------------

COMPILER = {
    "inertiafromgeom": ("true", "false", "auto"),
    "balanceinertia": ("true", "false"),
    "boundmass": ("0.4", "5"),
    "boundinertia": ("0.01", "1.2"),
    "settotalmass": ("7",),
    "inertiagrouprange": ("0 2", "0 0"),
}
_MJCF_COMPILER = COMPILER | {
    "angle": ("radian", "degree"),
    "eulerseq": ("zyx", "XYZ", "zxz"),
    "alignfree": ("true",),
    "fusestatic": ("true",),
    "discardvisual": ("true",),
    "strippath": ("true",),
    "meshdir": ("sub",),
}
KINDS = ("exact", "convex", "shell", "legacy")


def _turn(rng: random.Random) -> str:
    turns = [f'euler="{_vector(rng, 3)}"', f'quat="{_vector(rng, 1, 4)}"', f'axisangle="{_vector(rng, 1, 4)}"']
    return rng.choice([*turns, f'zaxis="{_vector(rng)}"', f'xyaxes="{_vector(rng, 1, 6)}"', ""])


def _geom(rng: random.Random) -> str:
    solids = [f'type="{shape}" size=".1 .2 .3"' for shape in ("box", "sphere", "capsule", "cylinder", "ellipsoid")]
    solids += [f'type="{shape}" size=".1" fromto="{_vector(rng, 1, 6)}"' for shape in ("box", "capsule", "ellipsoid")]
    meshes = [f'type="mesh" mesh="{name}"' for name in (*KINDS, "plain", "inline")]
    rare = [
        'type="plane" size="1 1 1"',
        'type="sphere" size="0"',
        'type="mesh" mesh="points"',
        'type="box" mesh="plain"',
    ]
    shape = _one_of(rng, [*solids, *meshes], rare)
    kind = rng.choice(["", "", "", 'class="light"', 'class="lighter"', 'class="bare"'])
    pose = "" if "fromto" in shape else f'pos="{_vector(rng)}" {_turn(rng)}'
    weight = _one_of(
        rng, ["", "", 'mass="3"', 'mass="0"', 'density="250"', 'density="9" mass=".5"'], ['mass="-1"'], 0.02
    )
    more = rng.choice(
        ["", "", 'group="3"', 'contype="0" conaffinity="0"', 'shellinertia="true"'] if rng.random() < 0.3 else [""]
    )
    return f"<geom {kind} {shape} {pose} {weight} {more}/>"


def _mjcf_inertial(rng: random.Random) -> str:
    moments = " ".join(map(str, _moments(rng) if rng.random() < 0.95 else [1, 1, 2.5]))
    full = " ".join(map(str, _tensor(rng)))
    how = rng.choice([f'diaginertia="{moments}" {_turn(rng)}', f'fullinertia="{full}"'])
    return f'<inertial pos="{_vector(rng)}" mass="{_one_of(rng, ["2", ".5"], ["0"], 0.02)}" {how}/>'


def _within(rng: random.Random, text: str, *, copies: bool = True) -> str:
    """Elements, sometimes in a frame or replicated."""
    chance = rng.random()
    if chance < 0.12:
        return f'<frame pos="{_vector(rng)}" {_turn(rng)}>{text}</frame>'
    if chance < 0.18 and copies:
        return f'<replicate count="{rng.randrange(1, 4)}" offset="{_vector(rng)}" euler="{_vector(rng)}">{text}</replicate>'
    return text


def _body(rng: random.Random, depth: int, names: list[str]) -> str:
    names.append(f"b{len(names)}")
    class_ = rng.choice(["", "", "", 'childclass="light"'])
    head = f'<body name="{names[-1]}" pos="{_vector(rng)}" {_turn(rng)} {class_}>'
    joints = ["", '<joint axis="0 1 0"/>', '<joint axis="0 1 0"/>', '<joint type="slide"/>']
    free = ["<freejoint/>", '<freejoint align="true"/>', '<joint type="free"/>']
    joint = rng.choice(free) if rng.random() < (0.3 if len(names) == 1 else 0.01) else rng.choice(joints)
    inertial = _within(rng, _mjcf_inertial(rng), copies=False) if rng.random() < 0.4 else ""
    geoms = "".join(_within(rng, _geom(rng)) for _ in range(rng.choice([0, 1, 1, 2, 3])))
    below = "".join(_within(rng, _body(rng, depth - 1, names)) for _ in range(rng.randrange(3) if depth else 0))
    return f"{head}{joint}{inertial}{geoms}{below}</body>"


def random_mjcf(rng: random.Random) -> str:
    """Bodies with all that changes their masses: classes, frames, copies, attached bodies, meshes, options of the compiler."""
    options = " ".join(f'{k}="{rng.choice(v)}"' for k, v in _MJCF_COMPILER.items() if rng.random() < 0.08)
    meshes = [f'<mesh name="{how}" file="l.obj" inertia="{how}"/>' for how in KINDS]
    scale = rng.choice(["1 2 1", "-1 1 1", "2 2 2"])
    meshes += [f'<mesh name="plain" file="l.obj" scale="{scale}"/>', f'<mesh name="inline" vertex="{_INLINE}"/>']
    meshes.append(
        _one_of(
            rng, [""], ['<mesh name="points" file="points.obj"/>', '<mesh file="l.stl"/>', '<mesh file="no.obj"/>'], 0.1
        )
    )
    top = rng.choice(["", '<geom density="500"/>', '<mesh scale=".5 .5 .5"/>'])
    inner = rng.choice(['<geom density="50"/>', '<geom density="50" mass="4"/>'])
    nested = '<default class="lighter"><geom group="1"/></default><default class="bare"/>'
    classes = f'<default>{top}<default class="light">{inner}{nested}</default></default>'
    names: list[str] = []
    bodies = "".join(_within(rng, _body(rng, rng.randrange(3), names)) for _ in range(rng.choice([1, 1, 2])))
    bodies += f'<attach body="{names[0]}" prefix="copy_"/>' if rng.random() < 0.08 else ""
    model = 'model="m"' if rng.random() < 0.95 else ""
    return f"<mujoco {model}><compiler {options}/>{classes}<asset>{''.join(meshes)}</asset><worldbody>{bodies}</worldbody></mujoco>"


_INLINE = "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1"


# ---- SDF --------------------------------------------------------------------------------------------------------------------


def _pose(rng: random.Random) -> str:
    return f"<pose>{_vector(rng)} {_vector(rng, 3)}</pose>" if rng.random() < 0.7 else ""


def _sdf_inertial(rng: random.Random) -> str:
    chance = rng.random()
    mass = f"<mass>{rng.choice(['2', '.5'])}</mass>"
    if chance < 0.25:
        density = rng.choice(["", "<density>250</density>"])
        return f'<inertial auto="true">{rng.choice(["", mass])}{density}</inertial>'
    xx, yy, zz, xy, xz, yz = _tensor(rng)
    parts = dict(zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (xx, yy, zz, xy, xz, yz), strict=True))
    inertia = "".join(f"<{k}>{v}</{k}>" for k, v in parts.items())
    return f"<inertial>{_pose(rng)}{mass}<inertia>{inertia}</inertia></inertial>" if chance < 0.9 else ""


def _sdf_collision(rng: random.Random, k: int) -> str:
    solids = ["<box><size>.2 .4 .6</size></box>", "<sphere><radius>.2</radius></sphere>"]
    solids += [f"<{tag}><radius>.1</radius><length>.5</length></{tag}>" for tag in ("cylinder", "capsule", "cone")]
    solids.append("<ellipsoid><radii>.1 .2 .3</radii></ellipsoid>")
    solids += [f"<mesh><uri>l.obj</uri>{scale}</mesh>" for scale in ("", "<scale>2 2 2</scale>")]
    density = rng.choice(["", "<density>500</density>"])
    return f'<collision name="c{k}">{_pose(rng)}{density}<geometry>{rng.choice(solids)}</geometry></collision>'


def random_sdf(rng: random.Random) -> str:
    """A chain of links, some in a model within the model, that states inertials, asks for them, or leaves them out."""
    links, inner = [], []
    for k in range(rng.randrange(1, 5)):
        collisions = "".join(_sdf_collision(rng, n) for n in range(rng.choice([0, 1, 1, 2])))
        link = f'<link name="l{k}">{_pose(rng)}{_sdf_inertial(rng)}{collisions}</link>'
        (inner if k and rng.random() < 0.2 else links).append(link)
    nested = f'<model name="n">{_pose(rng)}{"".join(inner)}</model>' if inner else ""
    return f'<sdf version="1.11"><model name="m">{_pose(rng)}{"".join(links)}{nested}</model></sdf>'


# ---- the simulators ---------------------------------------------------------------------------------------------------------


def in_mujoco(path: Path) -> Real:
    """What MuJoCo makes of a file."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(path))
    found = {}
    for body in map(model.body, range(1, model.nbody)):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, body.iquat)
        turn = turn.reshape(3, 3)
        found[body.name] = float(body.mass[0]), body.ipos.copy(), turn @ np.diag(body.inertia) @ turn.T
    return found


def in_drake(path: Path) -> Real:
    """What Drake makes of a file."""
    parsing = pytest.importorskip("pydrake.multibody.parsing", reason="the extra `engines` is not installed")
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex

    plant = MultibodyPlant(0.0)
    parsing.Parser(plant).AddModels(str(path))
    found = {}
    for body in (plant.get_body(BodyIndex(k)) for k in range(1, plant.num_bodies())):
        inertia = body.default_spatial_inertia()
        mass, com = inertia.get_mass(), inertia.get_com()
        tensor = inertia.Shift(com).CalcRotationalInertia().CopyToFullMatrix3() if mass else np.zeros((3, 3))
        found[body.scoped_name().get_full().partition("::")[2] if path.suffix == ".sdf" else body.name()] = (
            mass,
            com,
            tensor,
        )
    return found


def real(engine: Callable[[Path], Real], path: Path) -> Real:
    """What a simulator makes of a file, or why it refuses it, for which each has exceptions of its own."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of the packages that they import
            return engine(path)
    except Exception as error:
        return str(error)


def disagreements(found: Mapping[str, EngineBody], took: Real) -> list[str]:
    """In what a prediction is wrong: what is not known is not."""
    refused = [f"{name}: {body.rule}" for name, body in found.items() if body.verdict == "refused"]
    if isinstance(took, str):
        is_open = refused or any(body.verdict == "unknown" for body in found.values())
        return [] if is_open else [f"refused: {took}"]
    wrong = [f"is not refused: {rule}" for rule in refused]
    took = _with_flexcomps(took, found)
    for name, body in found.items():
        if body.takes is not None:
            wrong += [f"{name}: {what}; {body.rule}" for what in _differences(body, took.get(name))]
    return wrong + [f"{name}: not predicted" for name, (mass, _, _) in took.items() if mass and name not in found]


def _with_flexcomps(took: dict[str, Any], found: Mapping[str, EngineBody]) -> dict[str, Any]:
    """The bodies, those of each flexcomp (`name_0`, `name_1` …) as one of their masses, whose centre and tensor are as predicted."""
    result = dict(took)
    for name, body in found.items():
        parts = [each for each in took if name not in took and re.fullmatch(rf"{name}_\d+", each)]
        masses = [result.pop(each)[0] for each in parts]
        if masses and body.takes is not None:
            result[name] = sum(masses), body.takes.com, body.takes.inertia
    return result


def _differences(body: EngineBody, took: tuple[float, np.ndarray, np.ndarray] | None) -> list[str]:
    """Quantities that differ by more than single precision; a link without mass may be no body."""
    if took is None:
        return [f"{body.takes.mass} kg of no body"] if body.takes and body.takes.mass else []
    return differences(body, took)


def check_cases(
    folder: Path,
    engine: str,
    reader: Callable[[Path], Real],
    cases: dict[str, tuple[str, str]],
    but: Iterable[str] = (),
) -> None:
    """Each case is a file, and what is taken of its link `a`: a mass by hand, kg, ``refused`` or ``unknown``.

    The simulator takes the same, and each rule of it in `engines.toml`, `but` some, decides a case: one that none reaches is not tested,
    or is hidden.
    """
    write_meshes(folder)
    said = []
    for name, (text, expected) in cases.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        found = predicted(path, engine)
        body = found["a"]
        said += [(b.source, b.rule) for b in found.values()]
        taken = body.verdict if body.takes is None else body.takes.mass
        assert taken == (expected if expected.isalpha() else pytest.approx(float(expected), rel=1e-6)), (
            name,
            body.rule,
        )
        assert disagreements(found, real(reader, path)) == [], name
    for rule in engines()[engine].rules:
        decides = any(rule.source == source and words.startswith(rule.words) for source, words in said)
        assert decides or any(words in rule.words for words in but), rule


def check_random(
    folder: Path, engine: str, reader: Callable[[Path], Real], suffix: str, seeds: Iterable[int], taken: float
) -> None:
    """Of random robots, a share of at least `taken` is loaded, and what the simulator makes of each is what is predicted."""
    write_meshes(folder)
    path, loaded, compared, count = folder / f"r.{suffix}", 0, 0, 0
    for seed in seeds:
        path.write_text(RANDOM[suffix](random.Random(seed)), encoding="utf-8")  # noqa: S311
        found, took = predicted(path, engine), real(reader, path)
        assert disagreements(found, took) == [], (seed, path.read_text())
        count += 1
        if not isinstance(took, str):
            loaded += 1
            compared += sum(body.takes is not None for body in found.values())
    assert loaded > taken * count
    assert compared > loaded / 2


RANDOM = {"urdf": random_urdf, "xml": random_mjcf, "sdf": random_sdf}

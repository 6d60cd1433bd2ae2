"""What Gazebo makes of random robots is what is predicted, or not known.

SDFormat is read by libsdformat, which Drake contains: its numbers by Drake, its errors, for which Gazebo refuses a file, by its own
`Root::Load`.
It is built there without URDF, so that is lumped here as sdformat's `src/parser_urdf.cc` says, and the result is loaded like any other.
"""

from __future__ import annotations

import ctypes
import math
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cases import seeds
from console import run
from simulated import Held, RandomInertial, compare_random, lengths, numbers, predicted

Array = np.ndarray

# ---- libsdformat --------------------------------------------------------------------------------------------------------

_STRING = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
_PLACE = "_ZN12drake_vendor3sdf2v0"


class _Text(ctypes.Structure):
    """std::string of libstdc++: address, length, and room for short ones."""

    _fields_ = (("text", ctypes.c_char_p), ("length", ctypes.c_size_t), ("room", ctypes.c_char * 16))


def errors_of_libsdformat() -> Callable[[Path], bool]:
    """Whether `Root::Load` finds errors in a file; skips the test where Drake is not installed, or built in another way."""
    pydrake = pytest.importorskip("pydrake", reason="the extra `engines` is not installed")
    try:
        library = ctypes.CDLL(str(Path(pydrake.__file__).parent / "lib/libdrake.so"))
        new_config, new_root = (getattr(library, f"{_PLACE}{name}C1Ev") for name in ("12ParserConfig", "4Root"))
        load = getattr(library, f"{_PLACE}4Root4LoadERK{_STRING}RKNS1_12ParserConfigE")
    except (OSError, AttributeError) as error:
        pytest.skip(str(error))
    for function in (new_config, new_root, load):
        function.restype = None

    def has_errors(path: Path) -> bool:
        config, root, errors = ((ctypes.c_uint64 * 512)() for _ in range(3))
        name = str(path).encode()
        new_config(config)
        new_root(root)
        load(errors, root, ctypes.byref(_Text(name, len(name))), config)
        return bool(errors[0] != errors[1])  # begin and end of a std::vector

    return has_errors


def in_gazebo(path: Path) -> dict[str, Held]:
    """What libsdformat makes of the links of an SDFormat file."""
    if errors_of_libsdformat()(path):
        raise ValueError(path)
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex

    plant, found = MultibodyPlant(0.0), {}
    Parser(plant).AddModels(str(path))
    for body in (plant.get_body(BodyIndex(k)) for k in range(1, plant.num_bodies())):
        inertia = body.default_spatial_inertia()
        mass, com = inertia.get_mass(), inertia.get_com()
        tensor = inertia.Shift(com).CalcRotationalInertia().CopyToFullMatrix3() if mass else np.zeros((3, 3))
        found[body.name()] = mass, com, tensor
    return found


# ---- SDF ----------------------------------------------------------------------------------------------------------------


def sdf_collision(rng: random.Random, name: str) -> str:
    a, b, c = lengths(rng, 3)
    shape = rng.choice(
        [
            f"<box><size>{a} {b} {c}</size></box>",
            f"<sphere><radius>{a}</radius></sphere>",
            f"<cylinder><radius>{a}</radius><length>{b}</length></cylinder>",
            f"<capsule><radius>{a}</radius><length>{b}</length></capsule>",
            f"<ellipsoid><radii>{a} {b} {c}</radii></ellipsoid>",
            f"<cone><radius>{a}</radius><length>{b}</length></cone>",
        ]
    )
    density = rng.choice(["", "", f"<density>{rng.choice([250, 4000])}</density>"])
    turned = rng.choice(["", ' degrees="true"'])
    pose = f"<pose{turned}>{numbers(rng, 6)}</pose>"
    return f'<collision name="{name}">{density}{pose}<geometry>{shape}</geometry></collision>'


def sdf_inertial(rng: random.Random) -> str:
    inertial = RandomInertial(rng)
    odd = (
        RandomInertial(rng).weightless(rng.choice([0, -1])) if rng.random() < 0.5 else RandomInertial(rng).impossible()
    )
    density = rng.choice(["", "<density>700</density>"])
    mass = rng.choice(["", f"<mass>{inertial.mass}</mass>"])
    x, y, z, w = (rng.gauss(0, 1) for _ in range(4))
    norm = math.hypot(x, y, z, w)
    quaternion = f"{x / norm} {y / norm} {z / norm} {w / norm}"
    turned = f'<pose rotation_format="quat_xyzw">{numbers(rng, 3)} {quaternion}</pose>'
    automatic = f'<inertial auto="true">{density}{mass}</inertial>'
    stated = inertial.sdf()
    return rng.choice(
        [
            *("", stated, stated, stated, stated, automatic, automatic),
            re.sub("<pose>.*</pose>", turned, stated),
            re.sub("<i[xy][yz]>.*?</i[xy][yz]>", "", stated, count=1),
            odd.sdf() if rng.random() < 0.2 else stated,
        ]
    )


def sdf_link(rng: random.Random, name: str) -> str:
    collisions = "".join(sdf_collision(rng, f"c{k}") for k in range(rng.choice([0, 1, 1, 2])))
    return f'<link name="{name}"><pose>{numbers(rng, 6)}</pose>{sdf_inertial(rng)}{collisions}</link>'


def random_sdf(rng: random.Random) -> str:
    texts = [sdf_link(rng, "l0")]
    for k in range(1, rng.randrange(1, 4)):
        kind = rng.choice(["fixed", "revolute", "prismatic"])
        axis = "" if kind == "fixed" else "<axis><xyz>0 0 1</xyz></axis>"
        ends = f"<parent>l{rng.randrange(k)}</parent><child>l{k}</child>"
        texts.append(f'{sdf_link(rng, f"l{k}")}<joint name="j{k}" type="{kind}">{ends}{axis}</joint>')
    return f'<sdf version="1.11"><model name="m">{"".join(texts)}</model></sdf>'


@pytest.mark.other_programs
def test_gazebo_holds_what_is_predicted_of_random_sdf(tmp_path: Path) -> None:
    count = compare_random(tmp_path / "r.sdf", random_sdf, seeds(40), "gz", in_gazebo, 1e-9)
    assert count["unknown"] < 0.05 * count.total()


# ---- URDF ---------------------------------------------------------------------------------------------------------------


def turn(text: str) -> Array:
    """The matrix of roll, pitch and yaw about fixed axes."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(float(a)), math.cos(float(a))) for a in text.split())
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def frame(node: ET.Element) -> tuple[Array, Array]:
    origin = node.find("origin")
    stated = {} if origin is None else origin.attrib
    return turn(stated.get("rpy", "0 0 0")), np.array(stated.get("xyz", "0 0 0").split(), dtype=float)


def about_origin(link: ET.Element) -> Array | None:
    """Mass, first moments, and the tensor about the origin of the link, as one 5 × 3 array."""
    inertial = link.find("inertial")
    if inertial is None:
        return None
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    assert mass is not None
    assert inertia is not None
    xx, xy, xz, yy, yz, zz = (float(inertia.attrib[f"i{k}"]) for k in ("xx", "xy", "xz", "yy", "yz", "zz"))
    (axes, com), m = frame(inertial), float(mass.attrib["value"])
    tensor = axes @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T
    return np.vstack([np.full(3, m), m * com, tensor + m * (com @ com * np.eye(3) - np.outer(com, com))])


def moved(body: Array, axes: Array, shift: Array) -> Array:
    """The same in the frame of the parent: a shift adds what the parallel axes of both first and second moments say."""
    m, first, tensor = body[0, 0], axes @ body[1], axes @ body[2:] @ axes.T
    cross = np.outer(first, shift) + np.outer(shift, first)
    added = m * (shift @ shift * np.eye(3) - np.outer(shift, shift)) + 2 * first @ shift * np.eye(3) - cross
    return np.vstack([np.full(3, m), first + m * shift, tensor + added])


def converted(text: str) -> str:
    """The SDFormat that sdformat's parser of URDF makes, with the links' inertials alone."""
    robot = ET.fromstring(text)  # noqa: S314
    links = {link.attrib["name"]: link for link in robot.findall("link")}
    joints = {j.find("child").attrib["link"]: j for j in robot.findall("joint")}  # type: ignore[union-attr]
    parents = {child: j.find("parent").attrib["link"] for child, j in joints.items()}  # type: ignore[union-attr]
    kept = {
        gazebo.attrib.get("reference")
        for gazebo in robot.findall("gazebo")
        for flag in gazebo
        if flag.tag in ("preserveFixedJoint", "disableFixedJointLumping")
        and (flag.text or "").lower() in ("true", "1", "yes")
    }
    bodies = {name: body for name, link in links.items() if (body := about_origin(link)) is not None}
    (root,) = links.keys() - parents.keys()

    def lumps(child: str) -> bool:
        joint = joints[child]
        return joint.attrib["type"] == "fixed" and joint.attrib["name"] not in kept and parents[child] != "world"

    def lump(name: str) -> None:
        for child in (c for c, p in parents.items() if p == name):
            lump(child)
            if lumps(child) and child in bodies:
                bodies[name] = bodies.get(name, np.zeros((5, 3))) + moved(bodies[child], *frame(joints[child]))

    def make(name: str) -> list[str]:
        made, body = [], bodies.get(name)
        if name != "world" and (name == root or not lumps(name)):
            if body is None or body[0, 0] <= 0:
                return []
            com = body[1] / body[0, 0]
            tensor = body[2:] - body[0, 0] * (com @ com * np.eye(3) - np.outer(com, com))
            entries = zip(("xx", "xy", "xz", "yy", "yz", "zz"), tensor[np.triu_indices(3)], strict=True)
            inertia = "".join(f"<i{k}>{v!r}</i{k}>" for k, v in ((k, float(v)) for k, v in entries))
            pose = " ".join(repr(float(c)) for c in com)
            inertial = f"<pose>{pose} 0 0 0</pose><mass>{float(body[0, 0])!r}</mass><inertia>{inertia}</inertia>"
            made = [f'<link name="{name}"><inertial>{inertial}</inertial></link>']
        return [*made, *(text for child, p in parents.items() if p == name for text in make(child))]

    lump(root)
    return f'<sdf version="1.11"><model name="m">{"".join(make(root))}</model></sdf>'


def random_urdf(rng: random.Random) -> str:
    names, texts = [rng.choice(["l0", "l0", "l0", "world"])], []
    for k in range(rng.randrange(2, 8)):
        name = names[k]
        inertial = RandomInertial(rng)
        if rng.random() < 0.04:
            inertial.impossible()
        stated = rng.choice(["", inertial.urdf(), inertial.urdf(), inertial.urdf()])
        if name == "world" and rng.random() < 0.7:
            stated = ""
        texts.append(f'<link name="{name}">{stated}<visual><geometry><box size=".1 .2 .3"/></geometry></visual></link>')
        if k:
            kind = rng.choice(["fixed", "fixed", "continuous"])
            ends = f'<parent link="{rng.choice(names[:k])}"/><child link="{name}"/>'
            origin = f'<origin xyz="{numbers(rng, 3)}" rpy="{numbers(rng, 3, 3.0)}"/>'
            texts.append(f'<joint name="j{k}" type="{kind}">{ends}{origin}<axis xyz="0 0 1"/></joint>')
            flag, value = (
                rng.choice(["preserveFixedJoint", "disableFixedJointLumping"]),
                rng.choice(["true", "1", "false"]),
            )
            if rng.random() < 0.25:
                texts.append(f'<gazebo reference="j{k}"><{flag}>{value}</{flag}></gazebo>')
        names.append(f"l{k + 1}")
    return f'<robot name="r">{"".join(texts)}</robot>'


def made_of_urdf(path: Path) -> dict[str, Held]:
    other = path.with_suffix(".sdf")
    other.write_text(converted(path.read_text(encoding="utf-8")), encoding="utf-8")
    return {} if "<link" not in other.read_text(encoding="utf-8") else in_gazebo(other)


@pytest.mark.other_programs
def test_gazebo_holds_what_is_predicted_of_random_urdf(tmp_path: Path) -> None:
    """Links that are lumped are held by others, and those without mass are left out, with all below them."""
    path = tmp_path / "r.urdf"
    count = compare_random(path, random_urdf, seeds(60), "gz", made_of_urdf, 1e-9, whole=False)
    assert count["lumped"] > 0.2 * count.total()
    assert count["unknown"] < 0.05 * count.total()


FOOTPRINT = """<robot name="r"><link name="base_footprint"/><link name="base_link">{}</link>
<joint name="j" type="{}"><parent link="base_footprint"/><child link="base_link"/><origin xyz="0 0 .01"/></joint>{}</robot>"""
BODY = '<inertial><mass value="1"/><inertia ixx=".01" iyy=".011" izz=".015" ixy="0" ixz="0" iyz="0"/></inertial>'
KEPT = '<gazebo reference="j"><preserveFixedJoint>true</preserveFixedJoint></gazebo>'


def test_a_fixed_child_is_lumped_into_a_massless_root(tmp_path: Path) -> None:
    """As in TurtleBot3; over a joint that moves or is kept, the root is left out with all that is below."""
    path = tmp_path / "r.urdf"
    path.write_text(FOOTPRINT.format(BODY, "fixed", ""), encoding="utf-8")
    found = predicted(path, "gz")
    takes = found["base_footprint"].takes
    assert takes is not None
    assert (takes.mass, takes.com.tolist()) == (1.0, [0, 0, 0.01])
    assert takes.inertia.diagonal() == pytest.approx([0.01, 0.011, 0.015], rel=1e-12)
    assert {body.verdict for body in found.values()} == {"lumped"}
    shown = " ".join(run("check", path, "--engine", "gz").out.split())
    assert "base_footprint Gazebo 1 1 0 0 0.01 0.01 0.011 0.015 base_link Gazebo 0 1" in shown
    assert "Gazebo: 0 of 2 links differ, 2 lumped" in shown
    for more in (("revolute", ""), ("fixed", KEPT)):
        path.write_text(FOOTPRINT.format(BODY, *more), encoding="utf-8")
        assert {body.verdict for body in predicted(path, "gz").values()} == {"refused"}


def test_what_is_not_known_of_lumped_links_is_not_guessed(tmp_path: Path) -> None:
    """An inertial in `<gazebo>`, several roots, a cycle, and a mass of 0 that is lumped into one of 0."""
    path, link = tmp_path / "r.urdf", '<gazebo reference="base_link"><inertial><mass>2</mass></inertial></gazebo>'
    loop = '<joint name="k" type="fixed"><parent link="base_link"/><child link="base_footprint"/></joint>'
    nothing = BODY.replace('value="1"', 'value="0"')
    cases = ((BODY, link), (BODY, '<link name="c"/>'), (BODY, loop), (nothing, ""))
    for body, more in cases:
        path.write_text(FOOTPRINT.format(body, "fixed", more), encoding="utf-8")
        found = predicted(path, "gz")
        assert found["base_footprint"].verdict == found["base_link"].verdict == "unknown", more

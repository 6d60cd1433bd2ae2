"""Random robots, each as one truth that is written as URDF, SDF, MJCF, USD and glTF, in one of the ways that each format has.

`random_robot` draws a tree of links with solids, a density each, and the right inertials, by closed forms and exact sums that share no code
with the program. `plant` puts a slip into one link; `SLIPS` can be extended by tests of other mistakes. `WRITERS` write the files: the
numbers and their form (six entries or moments with axes, units, kinds of angles, frames, includes) are drawn anew for each.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import oracles
import trimesh

Rng = np.random.Generator
Matrix = np.ndarray


# --- the truth -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solid:
    """A shape by its lengths, along z, or by its triangles; `at` (4 × 4) places it in its link. All lengths are n/1024 m."""

    kind: str
    lengths: tuple[float, ...]
    at: Matrix
    triangles: Matrix | None = None

    @property
    def corners(self) -> Matrix | None:
        """Triangles, of a box too; None of what is round."""
        half = np.array(self.lengths) / 2
        return oracles.box(-half, half) if self.kind == "box" else self.triangles


@dataclass(frozen=True)
class Numbers:
    """Mass, centre, and tensor about it, along the axes of the link."""

    mass: float
    com: Matrix
    inertia: Matrix


@dataclass(frozen=True)
class RandomLink:
    """A link with its solids, the numbers that are right, and those that it states.

    `axes`: the axes (columns) along which it states moments, where a slip is about these. `seen`: whether its solids are visual too.
    """

    name: str
    solids: tuple[Solid, ...]
    right: Numbers
    stated: Numbers
    parent: int | None
    at: Matrix
    fixed: bool
    seen: bool
    volume: float
    slip: str = ""
    axes: Matrix | None = None

    @property
    def flat(self) -> bool:
        """Whether flat facets bound all of its solids."""
        return all(solid.corners is not None for solid in self.solids)


@dataclass(frozen=True)
class RandomRobot:
    """Links, parents first."""

    links: tuple[RandomLink, ...]

    def pose(self, k: int) -> Matrix:
        """X_RL of a link in the root, all joints at rest."""
        link = self.links[k]
        return link.at if link.parent is None else self.pose(link.parent) @ link.at

    def whole(self) -> Numbers:
        """What all links state together, in the frame of the root."""
        placed = []
        for k, link in enumerate(self.links):
            x = self.pose(k)
            turned = x[:3, :3] @ link.stated.inertia @ x[:3, :3].T
            placed.append(Numbers(link.stated.mass, x[:3, :3] @ link.stated.com + x[:3, 3], turned))
        return joined(placed)


def steiner(mass: float, arm: Matrix) -> Matrix:
    return mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def joined(parts: list[Numbers]) -> Numbers:
    mass = sum(p.mass for p in parts)
    com = sum(p.mass * p.com for p in parts) / mass
    return Numbers(mass, com, sum(p.inertia + steiner(p.mass, p.com - com) for p in parts))


def of_solid(solid: Solid, density: float) -> Numbers:
    """Closed forms, and exact sums over triangles."""
    if solid.triangles is not None:
        body = oracles.exact_body(solid.triangles)
        volume, com, inertia = (oracles.floats(x) for x in (body.volume, body.centroid, body.inertia))
    else:
        volume, second = _second(solid.kind, solid.lengths)
        com, inertia = np.zeros(3), np.diag(second.sum() - second)
    turn = solid.at[:3, :3]
    return Numbers(density * volume, turn @ com + solid.at[:3, 3], density * turn @ inertia @ turn.T)


def _second(kind: str, lengths: tuple[float, ...]) -> tuple[float, Matrix]:
    """Volume and ∫x², ∫y², ∫z² about the centre."""
    if kind == "capsule":  # a cylinder, and two half balls whose centres are 3/8 r from their flat sides
        r, h = lengths
        rod, ball = oracles.cylinder_form(r, h), oracles.sphere_form(r)
        along = ball.second[2] + ball.volume * (h * h / 4 + h * 3 / 8 * r)
        total = np.array(rod.second) + np.array([ball.second[0], ball.second[1], along])
        return rod.volume + ball.volume, total
    forms = {"box": oracles.box_form, "sphere": oracles.sphere_form, "cylinder": oracles.cylinder_form}
    form = forms[kind](*lengths)
    return float(form.volume), np.array(form.second, float)


def random_rotation(rng: Rng) -> Matrix:
    """Any, a quarter turn, or none."""
    kind = rng.random()
    if kind < 0.2:
        return np.eye(3)
    if kind < 0.35:
        turn = np.eye(3)[rng.permutation(3)]
        return turn * np.linalg.det(turn)
    return np.array(oracles.floats(oracles.rotation(*(int(i) for i in rng.integers(1, 9, 4) * rng.choice([-1, 1], 4)))))


def frame(turn: Matrix, shift: Any = (0, 0, 0)) -> Matrix:
    x = np.eye(4)
    x[:3, :3], x[:3, 3] = turn, shift
    return x


def random_frame(rng: Rng, reach: float) -> Matrix:
    return frame(random_rotation(rng), np.round(rng.uniform(-reach, reach, 3), 4))


def _dyadic(values: Any) -> Matrix:
    return np.round(np.asarray(values) * 1024) / 1024


def random_solid(rng: Rng, size: float, at: Matrix) -> Solid:
    """Of about this size, m, with three different lengths."""
    kind = str(rng.choice(["box", "box", "mesh", "mesh", "cylinder", "capsule", "sphere"]))
    long, middle, short = _dyadic(size * np.array([1.0, rng.uniform(0.55, 0.8), rng.uniform(0.25, 0.45)])).tolist()
    if kind == "mesh":
        points = _dyadic(rng.uniform(-0.5, 0.5, (9, 3)) * [long, middle, short])
        return Solid(kind, (), at, np.array(trimesh.convex.convex_hull(points).triangles))
    lengths = {"box": tuple(float(x) for x in rng.permutation([long, middle, short])), "sphere": (middle / 2,)}
    return Solid(kind, lengths.get(kind, (short / 2, long)), at)


def random_robot(rng: Rng, links: int | None = None) -> RandomRobot:
    """A robot without slips; solids do not overlap."""
    made: list[RandomLink] = []
    for k in range(links or int(rng.integers(1, 4))):
        size, density = float(rng.uniform(0.06, 0.5)), float(rng.integers(300, 8000))
        base, count = random_frame(rng, size), int(rng.choice([1, 1, 2, 3]))
        step = base[:3, 0] * 2.5 * size
        places = (frame(random_frame(rng, 0)[:3, :3], base[:3, 3] + i * step) for i in range(count))
        solids = tuple(random_solid(rng, size, base if count == 1 else at) for at in places)
        right = joined([of_solid(s, density) for s in solids])
        at = random_frame(rng, 1.0) if k else np.eye(4)
        parent = int(rng.integers(k)) if k else None
        name = f"{rng.choice(['arm', 'base', 'link', 'wheel', 'Hand'])}{k}"
        volume = right.mass / density
        rest = bool(rng.random() < 0.2), bool(rng.random() < 0.7)
        made.append(RandomLink(name, solids, right, right, parent, at, *rest, volume))
    return RandomRobot(tuple(made))


# --- slips -----------------------------------------------------------------------------------------------------------

Slip = Callable[[Numbers, Rng], Numbers]


def _off(i: Matrix) -> Matrix:
    return i - np.diag(np.diag(i))


def _entry(i: Matrix, place: tuple[int, int], value: float) -> Matrix:
    out = i.copy()
    out[place] = out[place[::-1]] = value
    return out


_PLACES = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
ENTRY = dict(zip(_PLACES, ("xx", "yy", "zz", "xy", "xz", "yz"), strict=True))


def _swapped(n: Numbers, rng: Rng) -> Numbers:
    a, b = (_PLACES[i] for i in rng.choice(6, 2, replace=False))
    return replace(n, inertia=_entry(_entry(n.inertia, a, n.inertia[b]), b, n.inertia[a]))


def _one_sign(n: Numbers, rng: Rng) -> Numbers:
    place = _PLACES[3 + int(rng.integers(3))]
    return replace(n, inertia=_entry(n.inertia, place, -n.inertia[place]))


def _one_point(n: Numbers, rng: Rng) -> Numbers:
    place = _PLACES[int(rng.integers(6))]
    return replace(n, inertia=_entry(n.inertia, place, n.inertia[place] * float(rng.choice([10.0, 0.1, 100.0]))))


#: Slips in the numbers of a link, by the kind of the finding that names them.
SLIPS: dict[str, Slip] = {
    "products-sign": lambda n, _: replace(n, inertia=n.inertia - 2 * _off(n.inertia)),
    "one-sign": _one_sign,
    "missing-products": lambda n, _: replace(n, inertia=n.inertia - _off(n.inertia)),
    "swapped-entries": _swapped,
    "decimal-point": _one_point,
    "permuted-axes": lambda n, rng: replace(n, inertia=np.roll(n.inertia, int(rng.integers(1, 3)), (0, 1))),
    "about-origin": lambda n, _: replace(n, inertia=n.inertia + steiner(n.mass, n.com)),
    "shifted-twice": lambda n, _: replace(n, inertia=n.inertia - steiner(n.mass, n.com)),
    "wrong-unit": lambda n, rng: replace(n, inertia=n.inertia * float(rng.choice([1e9, 1e7, 1e3]))),
    "mass-is-density": lambda n, _: n,  # the density is known to `plant`
    "missing-axes": lambda n, _: replace(n, inertia=np.diag(np.linalg.eigvalsh(n.inertia))),
    "centre-sign": lambda n, rng: replace(n, com=n.com * (1 - 2 * np.eye(3)[int(rng.integers(3))])),
    "centre-axes": lambda n, rng: replace(n, com=n.com[[[1, 0, 2], [2, 1, 0], [0, 2, 1]][int(rng.integers(3))]]),
    "wrong-axes": lambda n, _: n,  # of the frame: see `plant`
}


def plant(link: RandomLink, slip: str, rng: Rng) -> RandomLink:
    """The link with a slip in what it states."""
    right = link.right
    if slip == "mass-is-density":
        return replace(link, slip=slip, stated=replace(right, mass=right.mass / link.volume))
    if slip != "wrong-axes":
        stated = SLIPS[slip](right, rng)
        moments = np.abs(np.linalg.eigvalsh(stated.inertia))
        # a moment of 0 is infinite in glTF: there it is no slip of this kind
        return replace(link, slip=slip, stated=stated) if moments.min() > 1e-9 * moments.max() else link
    moments, axes = principal(right.inertia)
    w, x, y, z = quaternion(axes)
    turned = [(w, -x, -y, -z), (x, y, z, w), (z, w, x, y)][int(rng.integers(3))]
    wrong = rotation_of(*turned)
    return replace(link, slip=slip, axes=wrong, stated=replace(right, inertia=wrong @ np.diag(moments) @ wrong.T))


def with_slips(robot: RandomRobot, rng: Rng, share: float = 0.5) -> RandomRobot:
    """Some of the links with a slip each."""
    links = (plant(x, str(rng.choice(list(SLIPS))), rng) if rng.random() < share else x for x in robot.links)
    return RandomRobot(tuple(links))


# --- rotations -------------------------------------------------------------------------------------------------------


def principal(inertia: Matrix) -> tuple[Matrix, Matrix]:
    """Moments, and right-handed axes as columns."""
    moments, axes = np.linalg.eigh(inertia)
    axes[:, 2] *= np.linalg.det(axes)
    return moments, axes


def quaternion(r: Matrix) -> Matrix:
    """w x y z: the eigenvector of the largest eigenvalue of a matrix that is linear in R (Bar-Itzhack 2000)."""
    k = np.empty((4, 4))
    k[0, 0] = np.trace(r)
    k[0, 1:] = k[1:, 0] = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    k[1:, 1:] = r + r.T - np.trace(r) * np.eye(3)
    return np.linalg.eigh(k)[1][:, 3]


def rotation_of(w: float, x: float, y: float, z: float) -> Matrix:
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * k + 2 * k @ k


def rpy(r: Matrix) -> Matrix:
    """Roll, pitch and yaw: R = Rz Ry Rx."""
    if math.hypot(r[0, 0], r[1, 0]) < 1e-9:
        return np.array([math.atan2(-r[1, 2], r[1, 1]), math.atan2(-r[2, 0], 0.0), 0.0])
    pitch = math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0]))
    return np.array([math.atan2(r[2, 1], r[2, 2]), pitch, math.atan2(r[1, 0], r[0, 0])])


def words(values: Any) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(values))


def along_axes(link: RandomLink, rng: Rng, always: bool = False) -> tuple[Matrix, Matrix]:
    """The tensor that is written, and the axes along which: six entries along the link's, or moments along others."""
    stated = link.stated.inertia
    if link.axes is not None:
        return link.axes.T @ stated @ link.axes * np.eye(3), link.axes
    if not np.any(_off(stated)) or not (always or rng.random() < 0.4):
        return stated, np.eye(3)
    moments, axes = principal(stated)
    return np.diag(moments), axes


# --- writers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Written:
    """A robot file, its links by their names in it, which of them have visual geometry, and where the root is in its frame."""

    path: Path
    names: dict[str, int]
    seen: dict[int, bool]
    root: Matrix = field(default_factory=lambda: np.eye(4))


def _mesh_file(solid: Solid, folder: Path, name: str, rng: Rng, kinds: tuple[str, ...]) -> tuple[str, float]:
    """The name of a file of the triangles, and the scale that makes them metres."""
    unit = float(rng.choice([1.0, 0.001]))
    kind = str(rng.choice(kinds))
    mesh = trimesh.Trimesh(**trimesh.triangles.to_kwargs(solid.triangles / unit))
    mesh.merge_vertices()
    (folder / "meshes").mkdir(exist_ok=True)
    mesh.export(folder / "meshes" / f"{name}.{kind}")
    return f"meshes/{name}.{kind}", unit


def _kinds(link: RandomLink) -> tuple[str, ...]:
    return ("visual", "collision") if link.seen else ("collision",)


def _shape_xml(solid: Solid, attributes: bool) -> str:
    """A closed form as URDF has it, in attributes, or SDFormat, in elements."""
    names = {"box": ["size"], "sphere": ["radius"]}.get(solid.kind, ["radius", "length"])
    values = [words(solid.lengths)] if solid.kind == "box" else [words([x]) for x in solid.lengths]
    pairs = list(zip(names, values, strict=True))
    if attributes:
        return f"<{solid.kind} {' '.join(f'{k}={quoteattr(v)}' for k, v in pairs)}/>"
    return f"<{solid.kind}>{''.join(f'<{k}>{v}</{k}>' for k, v in pairs)}</{solid.kind}>"


def write_urdf(robot: RandomRobot, folder: Path, rng: Rng) -> Written:
    """URDF: roll, pitch and yaw, meshes in metres or millimetres."""

    def origin(x: Matrix) -> str:
        return f'<origin xyz="{words(x[:3, 3])}" rpy="{words(rpy(x[:3, :3]))}"/>'

    lines = []
    for k, link in enumerate(robot.links):
        tensor, axes = along_axes(link, rng)
        entries = " ".join(f'i{ENTRY[p]}="{float(tensor[p])!r}"' for p in _PLACES)
        inertial = f'{origin(frame(axes, link.stated.com))}<mass value="{link.stated.mass!r}"/><inertia {entries}/>'
        lines += [f"<link name={quoteattr(link.name)}><inertial>{inertial}</inertial>"]
        for i, solid in enumerate(link.solids):
            if solid.triangles is None:
                shape = _shape_xml(solid, attributes=True)
            else:
                file, scale = _mesh_file(solid, folder, f"u{k}_{i}", rng, ("stl", "obj", "ply"))
                shape = f'<mesh filename="{file}" scale="{words([scale] * 3)}"/>'
            lines += [f"<{w}>{origin(solid.at)}<geometry>{shape}</geometry></{w}>" for w in _kinds(link)]
        lines.append("</link>")
        if link.parent is not None:
            kind = "fixed" if link.fixed else str(rng.choice(["continuous", "floating", "revolute"]))
            limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>' if kind == "revolute" else ""
            ends = f"<parent link={quoteattr(robot.links[link.parent].name)}/><child link={quoteattr(link.name)}/>"
            axis = "" if kind in ("fixed", "floating") else '<axis xyz="0 0 1"/>'
            lines.append(f'<joint name="j{k}" type="{kind}">{origin(link.at)}{ends}{axis}{limit}</joint>')
    path = folder / "robot.urdf"
    path.write_text("\n".join(['<robot name="r">', *lines, "</robot>"]), encoding="utf-8")
    return Written(path, {x.name: k for k, x in enumerate(robot.links)}, {k: x.seen for k, x in enumerate(robot.links)})


def write_sdf(robot: RandomRobot, folder: Path, rng: Rng) -> Written:
    """SDFormat: poses in degrees or as quaternions, relative to frames or the parent; some links in an included model."""

    def pose(x: Matrix, relative: str = "") -> str:
        to, kind = f" relative_to={quoteattr(relative)}" if relative else "", rng.integers(3)
        if kind == 0:
            w, *xyz = quaternion(x[:3, :3])
            return f'<pose rotation_format="quat_xyzw"{to}>{words(x[:3, 3])} {words([*xyz, w])}</pose>'
        angles = rpy(x[:3, :3])
        degrees, turned = (' degrees="true"', np.degrees(angles)) if kind == 1 else ("", angles)
        return f"<pose{degrees}{to}>{words(x[:3, 3])} {words(turned)}</pose>"

    root = random_frame(rng, 1.0) if rng.random() < 0.3 else np.eye(4)
    own: list[str] = []
    parts = {"": own}
    names: dict[str, int] = {}
    prefix: dict[int, str] = {}
    for k, link in enumerate(robot.links):
        model = f"part{k}" if k and rng.random() < 0.25 else ""
        prefix[k] = f"{model}::" if model else ""
        names[prefix[k] + link.name] = k
        tensor, axes = along_axes(link, rng)
        entries = "".join(f"<i{ENTRY[p]}>{float(tensor[p])!r}</i{ENTRY[p]}>" for p in _PLACES)
        inertial = f"{pose(frame(axes, link.stated.com))}<mass>{link.stated.mass!r}</mass><inertia>{entries}</inertia>"
        solids = []
        for i, solid in enumerate(link.solids):
            if solid.triangles is None:
                shape = _shape_xml(solid, attributes=False)
            else:
                place = folder / model
                place.mkdir(exist_ok=True)
                file, scale = _mesh_file(solid, place, f"s{k}_{i}", rng, ("stl", "obj"))
                shape = f"<mesh><uri>{file}</uri><scale>{words([scale] * 3)}</scale></mesh>"
            solids += [f'<{w} name="{w}{i}">{pose(solid.at)}<geometry>{shape}</geometry></{w}>' for w in _kinds(link)]
        inside = f"<inertial>{inertial}</inertial>{''.join(solids)}</link>"
        above = "" if link.parent is None else prefix[link.parent] + robot.links[link.parent].name
        placed = pose(root if link.parent is None else link.at, above)
        if not model and above and rng.random() < 0.3:
            own.append(f'<frame name="f{k}">{placed}</frame>')
            placed = f'<pose relative_to="f{k}"/>'
        if model:
            parts[model] = [f"<link name={quoteattr(link.name)}>{inside}"]
            own.append(f"<include><uri>{model}.sdf</uri><name>{model}</name>{placed}</include>")
        else:
            own.append(f"<link name={quoteattr(link.name)}>{placed}{inside}")
        if above:
            ends = f"<parent>{above}</parent><child>{prefix[k] + link.name}</child>"
            kind, axis = ("fixed", "") if link.fixed else ("revolute", "<axis><xyz>0 0 1</xyz></axis>")
            own.append(f'<joint name="j{k}" type="{kind}">{ends}{axis}</joint>')
    for model, lines in parts.items():
        inside = "\n".join(lines)
        text = f'<sdf version="1.11"><model name={quoteattr(model or "r")}>{inside}</model></sdf>'
        (folder / f"{model or 'robot'}.sdf").write_text(
            text.replace("<uri>meshes", f"<uri>{model}/meshes") if model else text, encoding="utf-8"
        )
    seen = {k: x.seen for k, x in enumerate(robot.links)}
    return Written(folder / "robot.sdf", names, seen, root)


def write_mjcf(robot: RandomRobot, folder: Path, rng: Rng) -> Written:
    """MJCF: kinds of rotations, degrees or radians, classes of defaults, frames, meshes in files; some bodies in an included file."""
    degrees, root = bool(rng.random() < 0.5), random_frame(rng, 1.0) if rng.random() < 0.3 else np.eye(4)
    unit = 180 / math.pi if degrees else 1.0
    assets: list[str] = []
    included: dict[str, str] = {}

    def turn(r: Matrix) -> str:
        if np.array_equal(r, np.eye(3)):
            return ""
        kind, q = rng.integers(4), quaternion(r)
        if kind == 0:
            return f' quat="{words(q)}"'
        if kind == 1:
            return f' xyaxes="{words(r[:, :2].T)}"'
        if kind == 2:
            q = q if q[0] >= 0 else -q
            angle = 2 * math.atan2(float(np.linalg.norm(q[1:])), float(q[0]))
            return f' axisangle="{words([*q[1:], angle * unit])}"'
        return f' euler="{words(rpy(r) * unit)}"'  # eulerseq "XYZ", about fixed axes

    def at(x: Matrix) -> str:
        return f' pos="{words(x[:3, 3])}"{turn(x[:3, :3])}'

    def geoms(k: int, link: RandomLink) -> Iterator[str]:
        for i, solid in enumerate(link.solids):
            if solid.triangles is None:
                half = [x / 2 for x in solid.lengths] if solid.kind == "box" else list(solid.lengths)
                size = [half[0], half[1] / 2] if solid.kind in ("cylinder", "capsule") else half
                shape = f'type="{solid.kind}" size="{words(size)}"'
            else:
                file, scale = _mesh_file(solid, folder, f"m{k}_{i}", rng, ("stl", "obj"))
                assets.append(f'<mesh name="m{k}_{i}" file="{file}" scale="{words([scale] * 3)}"/>')
                shape = f'type="mesh" mesh="m{k}_{i}"'
            split = frame(np.eye(3), np.round(rng.uniform(-1, 1, 3), 3)) if rng.random() < 0.3 else None
            placed = solid.at if split is None else np.linalg.inv(split) @ solid.at
            for which in _kinds(link):
                geom = f'<geom class="{which}" {shape}{at(placed)}/>'
                yield geom if split is None else f"<frame{at(split)}>{geom}</frame>"

    def body(k: int) -> str:
        link = robot.links[k]
        tensor, axes = along_axes(link, rng)
        if np.array_equal(axes, np.eye(3)) and np.any(_off(tensor)):
            form = f'fullinertia="{words([tensor[p] for p in _PLACES])}"'
        else:
            form = f'diaginertia="{words(np.diag(tensor))}"{turn(axes)}'
        inertial = f'<inertial pos="{words(link.stated.com)}" mass="{link.stated.mass!r}" {form}/>'
        joint = "" if link.fixed or link.parent is None else '<joint axis="0 0 1"/>'
        inner = "".join(body(c) for c, other in enumerate(robot.links) if other.parent == k)
        placed = root if link.parent is None else link.at
        text = f"<body name={quoteattr(link.name)}{at(placed)}>{joint}{inertial}{''.join(geoms(k, link))}{inner}</body>"
        if link.parent is not None and rng.random() < 0.25:
            included[f"part{k}.xml"] = f"<mujocoinclude>{text}</mujocoinclude>"
            return f'<include file="part{k}.xml"/>'
        return text

    world = body(0)
    for name, text in included.items():
        (folder / name).write_text(text, encoding="utf-8")
    classes = (
        '<default class="visual"><geom contype="0" conaffinity="0" group="2"/></default><default class="collision"/>'
    )
    compiler = f'<compiler angle={quoteattr("degree" if degrees else "radian")} eulerseq="XYZ"/>'
    path = folder / "robot.xml"
    meshes = "".join(assets)
    top = f"{compiler}<default>{classes}</default><asset>{meshes}</asset><worldbody>{world}</worldbody>"
    path.write_text(f'<mujoco model="r">{top}</mujoco>', encoding="utf-8")
    seen = {k: x.seen for k, x in enumerate(robot.links)}
    return Written(path, {x.name: k for k, x in enumerate(robot.links)}, seen, root)


def write_usd(robot: RandomRobot, folder: Path, rng: Rng) -> Written:
    """USD: units of length and mass, matrices or operations, bodies side by side, in one layer or by reference."""
    metre, kilogram = float(rng.choice([1.0, 0.01, 0.001])), float(rng.choice([1.0, 0.001]))
    root = random_frame(rng, 1.0) if rng.random() < 0.3 else np.eye(4)
    units = f"metersPerUnit = {metre!r}\nkilogramsPerUnit = {kilogram!r}"
    head = f'#usda 1.0\n(\n{units}\nupAxis = "Z"\ndefaultPrim = "%s"\n)\n'

    def tup(values: Any) -> str:
        return f"({', '.join(repr(float(x)) for x in np.ravel(values))})"

    def op(x: Matrix, scale: Any = None) -> str:
        shift = x[:3, 3] / metre
        factors = np.ones(3) if scale is None else np.array(scale)
        if rng.random() < 0.5:
            rows = frame(x[:3, :3] * factors, shift).T
            listed = ", ".join(tup(row) for row in rows)
            return f'matrix4d xformOp:transform = ({listed})\nuniform token[] xformOpOrder = ["xformOp:transform"]\n'
        ops, text = ["translate"], f"double3 xformOp:translate = {tup(shift)}\n"
        if rng.random() < 0.5:
            ops, text = [*ops, "orient"], f"{text}quatd xformOp:orient = {tup(quaternion(x[:3, :3]))}\n"
        else:
            ops, text = [*ops, "rotateXYZ"], f"{text}double3 xformOp:rotateXYZ = {tup(np.degrees(rpy(x[:3, :3])))}\n"
        if scale is not None:
            ops, text = [*ops, "scale"], f"{text}double3 xformOp:scale = {tup(scale)}\n"
        listed = ", ".join(f'"xformOp:{o}"' for o in ops)
        return f"{text}uniform token[] xformOpOrder = [{listed}]\n"

    def gprim(name: str, solid: Solid, link: RandomLink, api: str) -> str:
        hidden = "" if link.seen else str(rng.choice(['token visibility = "invisible"\n', 'token purpose = "guide"\n']))
        if solid.triangles is not None:
            mesh = trimesh.Trimesh(**trimesh.triangles.to_kwargs(solid.triangles))
            mesh.merge_vertices()
            points = ", ".join(tup(p) for p in mesh.vertices / metre)
            faces = f"int[] faceVertexCounts = {[3] * len(mesh.faces)}\nint[] faceVertexIndices = {mesh.faces.ravel().tolist()}"
            text = f'point3f[] points = [{points}]\n{faces}\nuniform token subdivisionScheme = "none"\n{op(solid.at)}'
            return f'def Mesh "{name}"{api}\n{{\n{hidden}{text}}}\n'
        if solid.kind == "box":
            return f'def Cube "{name}"{api}\n{{\n{hidden}double size = 1\n{op(solid.at, np.array(solid.lengths) / metre)}}}\n'
        values = dict(zip(("radius", "height"), np.array(solid.lengths) / metre, strict=False))
        text = "".join(f"double {k} = {float(v)!r}\n" for k, v in values.items())
        axis = "" if solid.kind == "sphere" else 'uniform token axis = "Z"\n'
        return f'def {solid.kind.capitalize()} "{name}"{api}\n{{\n{hidden}{text}{axis}{op(solid.at)}}}\n'

    prims, seen = [], {}
    for k, link in enumerate(robot.links):
        tensor, axes = along_axes(link, rng, always=True)
        moments = np.diag(tensor) / (kilogram * metre**2)
        masses = f"float physics:mass = {link.stated.mass / kilogram!r}\npoint3f physics:centerOfMass = {tup(link.stated.com / metre)}\n"
        masses += f"float3 physics:diagonalInertia = {tup(moments)}\n"
        if not np.array_equal(axes, np.eye(3)) or rng.random() < 0.5:
            masses += f"quatf physics:principalAxes = {tup(quaternion(axes))}\n"
        collides = ' (prepend apiSchemas = ["PhysicsCollisionAPI"])' if not link.seen or rng.random() < 0.5 else ""
        inside = "".join(gprim(f"g{i}", solid, link, collides) for i, solid in enumerate(link.solids))
        api = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
        place, seen[k] = op(root @ robot.pose(k)), link.seen
        if rng.random() < 0.3:
            text = head % "p" + f'def Xform "p" {api})\n{{\n{masses}{inside}}}\n'
            (folder / f"part{k}.usda").write_text(text, encoding="utf-8")
            prims.append(f'def Xform "{link.name}" (prepend references = @./part{k}.usda@)\n{{\n{place}}}\n')
        else:
            prims.append(f'def Xform "{link.name}" {api})\n{{\n{place}{masses}{inside}}}\n')
        if link.parent is not None:
            kind = "Fixed" if link.fixed else "Revolute"
            above = f"</r/{robot.links[link.parent].name}>"
            local = f"point3f physics:localPos0 = {tup(link.at[:3, 3] / metre)}\n"
            local += f"quatf physics:localRot0 = {tup(quaternion(link.at[:3, :3]))}\n"
            local += "point3f physics:localPos1 = (0, 0, 0)\nquatf physics:localRot1 = (1, 0, 0, 0)\n"
            ends = f"rel physics:body0 = {above}\nrel physics:body1 = </r/{link.name}>\n"
            prims.append(f'def Physics{kind}Joint "j{k}"\n{{\n{ends}{local}}}\n')
    path = folder / "robot.usda"
    text = head % "r" + 'def Xform "r"\n{\n' + "".join(prims) + "}\n"
    path.write_text(text, encoding="utf-8")
    return Written(path, {x.name: k for k, x in enumerate(robot.links)}, seen, root)


def write_gltf(robot: RandomRobot, folder: Path, rng: Rng) -> Written:
    """glTF: bodies as nodes within each other or side by side, by matrices or rotations; visual meshes where all solids are flat."""
    root = random_frame(rng, 1.0) if rng.random() < 0.3 else np.eye(4)
    nodes: list[dict[str, Any]] = []
    meshes: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    views: list[dict[str, Any]] = []
    accessors: list[dict[str, Any]] = []
    data = bytearray()

    def node(x: Matrix, **more: Any) -> int:
        if rng.random() < 0.5:
            nodes.append({"matrix": x.T.ravel().tolist(), **more})
        else:
            w, *xyz = quaternion(x[:3, :3]).tolist()
            nodes.append({"translation": x[:3, 3].tolist(), "rotation": [*xyz, w], **more})
        return len(nodes) - 1

    def mesh_node(triangles: Matrix, at: Matrix) -> int:
        mesh = trimesh.Trimesh(**trimesh.triangles.to_kwargs(triangles))
        mesh.merge_vertices()
        arrays = (mesh.vertices.astype("<f4"), 5126, "VEC3"), (mesh.faces.astype("<u4").reshape(-1, 1), 5125, "SCALAR")
        for array, component, kind in arrays:
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": array.nbytes})
            bounds = {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()} if kind == "VEC3" else {}
            accessors.append(
                {"bufferView": len(views) - 1, "componentType": component, "count": len(array), "type": kind} | bounds
            )
            data.extend(array.tobytes())
        n = len(accessors)
        meshes.append({"primitives": [{"attributes": {"POSITION": n - 2}, "indices": n - 1}]})
        return node(at, mesh=len(meshes) - 1)

    def collider(solid: Solid) -> int:
        if solid.triangles is not None:
            bare = mesh_node(solid.triangles, np.eye(4))
            return node(solid.at, extensions={"KHR_physics_rigid_bodies": {"collider": {"geometry": {"node": bare}}}})
        if solid.kind == "box":
            sizes: dict[str, Any] = {"size": list(solid.lengths)}
        elif solid.kind == "sphere":
            sizes = {"radius": solid.lengths[0]}
        else:
            sizes = {"radiusTop": solid.lengths[0], "radiusBottom": solid.lengths[0], "height": solid.lengths[1]}
        shapes.append({"type": solid.kind, solid.kind: sizes})
        up = frame(np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0.0]]))  # takes y, the axis of shapes, to z
        up = up if solid.kind in ("cylinder", "capsule") else np.eye(4)
        shape = {"collider": {"geometry": {"shape": len(shapes) - 1}}}
        return node(solid.at @ up, extensions={"KHR_physics_rigid_bodies": shape})

    seen, names, top, made = {}, {}, [], {}
    for k, link in enumerate(robot.links):
        tensor, axes = along_axes(link, rng, always=True)
        w, *xyz = quaternion(axes).tolist()
        stated = link.stated
        motion = {"mass": stated.mass, "centerOfMass": stated.com.tolist(), "inertiaDiagonal": np.diag(tensor).tolist()}
        motion |= {} if np.array_equal(axes, np.eye(3)) else {"inertiaOrientation": [*xyz, w]}
        seen[k], names[link.name] = link.seen and link.flat, k
        children = [mesh_node(s.corners, s.at) for s in link.solids] if seen[k] else []
        children += [collider(s) for s in link.solids] if not seen[k] or rng.random() < 0.5 else []
        inner = link.parent is not None and rng.random() < 0.5
        place = (root if link.parent is None else link.at) if inner or link.parent is None else root @ robot.pose(k)
        extension = {"KHR_physics_rigid_bodies": {"motion": motion}}
        made[k] = node(place, name=link.name, extensions=extension, children=children)
        (nodes[made[link.parent]]["children"] if inner else top).append(made[k])
    buffer = f"data:application/octet-stream;base64,{base64.b64encode(bytes(data)).decode()}"
    used = ["KHR_physics_rigid_bodies", "KHR_implicit_shapes"]
    tree = {"asset": {"version": "2.0"}, "extensionsUsed": used, "scene": 0, "scenes": [{"nodes": top}]}
    tree |= {"nodes": [{k: v for k, v in n.items() if v != []} for n in nodes]}
    tree |= {"extensions": {"KHR_implicit_shapes": {"shapes": shapes}}} if shapes else {}
    if data:
        tree |= {"meshes": meshes, "accessors": accessors, "bufferViews": views}
        tree |= {"buffers": [{"byteLength": len(data), "uri": buffer}]}
    path = folder / "robot.gltf"
    path.write_text(json.dumps(tree), encoding="utf-8")
    return Written(path, names, seen, root)


WRITERS: dict[str, Callable[[RandomRobot, Path, Rng], Written]] = {
    "urdf": write_urdf,
    "sdf": write_sdf,
    "mjcf": write_mjcf,
    "usd": write_usd,
    "gltf": write_gltf,
}

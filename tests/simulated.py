"""Random inertials and shapes for robots that simulators load, and what these hold of them, by name of the link.

Each format has its own text of the same few things; what a simulator does with them is its own affair, and that of the tests.
"""

from __future__ import annotations

import random
import struct
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from massprops.diagnosis.engine_body import EngineBody
from massprops.diagnosis.robot_links import LinkOptions, link_findings

Array = np.ndarray
#: Mass, centre, and tensor about it in the axes of the link; None if the simulator does not say.
Held = tuple[float, Array | None, Array | None]

#: An L of 3 × 3 squares without 2 × 2, 0.14 m thick: no symmetry but one, and not convex.
OUTLINE = [(0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.3), (0, 0.3)]
CAPS = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
SIDES = [f for i in range(6) for f in ((i, (i + 1) % 6, (i + 1) % 6 + 6), (i, (i + 1) % 6 + 6, i + 6))]
FACES = [f[::-1] for f in CAPS] + [tuple(i + 6 for i in f) for f in CAPS] + SIDES
POINTS = np.array([(x, y, z) for z in (0, 0.14) for x, y in OUTLINE])
CORNERS = POINTS[np.array(FACES)]


def write_meshes(folder: Path) -> None:
    """The L as OBJ, inside out, flat, in another folder twice as large, as binary and text STL, and its points alone."""
    (folder / "sub").mkdir(exist_ok=True)
    points, larger = ([f"v {x} {y} {z}" for x, y, z in (size * POINTS).tolist()] for size in (1, 2))
    faces = [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    inward = [f"f {c + 1} {b + 1} {a + 1}" for a, b, c in FACES]
    flat = [line.rpartition(" ")[0] + " 0" for line in points]
    texts = {
        "l.obj": points + faces,
        "flat.obj": flat + faces,
        "inward.obj": points + inward,
        "sub/l.obj": larger + faces,
        "points.obj": points,
    }
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    facets = b"".join(struct.pack("<12fH", 0, 0, 0, *corners.ravel(), 0) for corners in CORNERS)
    (folder / "l.stl").write_bytes(bytes(80) + struct.pack("<I", len(CORNERS)) + facets)
    loops = ("outer loop\n" + "".join("vertex {} {} {}\n".format(*p) for p in c) + "endloop" for c in CORNERS.tolist())
    text = "".join(f"facet normal 0 0 0\n{loop}\nendfacet\n" for loop in loops)
    (folder / "text.stl").write_text(f"solid l\n{text}endsolid l\n", encoding="utf-8")


def numbers(rng: random.Random, count: int, size: float = 1.0) -> str:
    return " ".join(f"{rng.uniform(-size, size):.4f}" for _ in range(count))


def lengths(rng: random.Random, count: int) -> list[float]:
    return [round(rng.uniform(0.05, 0.6), 3) for _ in range(count)]


@dataclass
class RandomInertial:
    """A mass, and the tensor of points that are its corners: possible, and with products; or no body's, if it is asked for."""

    rng: random.Random
    mass: float = 0.0
    tensor: Array = field(default_factory=lambda: np.zeros((3, 3)))
    pose: str = ""

    def __post_init__(self) -> None:
        rng = self.rng
        self.mass = round(rng.uniform(0.1, 9), 3)
        points = np.array([[rng.uniform(-0.4, 0.4) for _ in range(3)] for _ in range(6)])
        second = np.cov(points.T, bias=True) * self.mass
        self.tensor = np.round(np.trace(second) * np.eye(3) - second, 6)
        self.pose = numbers(rng, 3)

    def impossible(self) -> RandomInertial:
        """The same with a moment that is too large."""
        moments = self.tensor.diagonal().tolist()
        self.tensor[2, 2] = round(sum(moments) * 1.5, 6)
        return self

    def weightless(self, mass: float) -> RandomInertial:
        self.mass = mass
        return self

    @property
    def entries(self) -> dict[str, float]:
        t = self.tensor
        return {
            "ixx": t[0, 0],
            "iyy": t[1, 1],
            "izz": t[2, 2],
            "ixy": t[0, 1],
            "ixz": t[0, 2],
            "iyz": t[1, 2],
        }

    def urdf(self) -> str:
        inertia = " ".join(f'{k}="{v}"' for k, v in self.entries.items())
        origin = f'<origin xyz="{self.pose}" rpy="{numbers(self.rng, 3, 2.0)}"/>'
        return f'<inertial>{origin}<mass value="{self.mass}"/><inertia {inertia}/></inertial>'

    def sdf(self, attributes: str = "") -> str:
        inertia = "".join(f"<{k}>{v}</{k}>" for k, v in self.entries.items())
        pose = f"<pose>{self.pose} {numbers(self.rng, 3, 2.0)}</pose>"
        return f"<inertial{attributes}>{pose}<mass>{self.mass}</mass><inertia>{inertia}</inertia></inertial>"

    def mjcf(self) -> str:
        head = f'<inertial pos="{self.pose}" mass="{self.mass}"'
        e = self.entries
        if self.rng.random() < 0.5:
            return f'{head} fullinertia="{" ".join(map(str, e.values()))}"/>'
        moments = np.linalg.eigvalsh(self.tensor)
        return f'{head} diaginertia="{" ".join(map(repr, moments.tolist()))}" euler="{numbers(self.rng, 3, 90.0)}"/>'


def in_axes(moments: Array, wxyz: Array) -> Array:
    """The tensor of principal moments along axes that a quaternion turns."""
    w, x, y, z = np.asarray(wxyz, dtype=float) / np.linalg.norm(wxyz)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + 2 * w * cross + 2 * cross @ cross
    return turn @ np.diag(moments) @ turn.T


def in_bullet(path: Path) -> dict[str, Held]:
    """What Bullet holds of a robot."""
    bullet = pytest.importorskip("pybullet", reason="pybullet is not installed")
    client = bullet.connect(bullet.DIRECT)
    try:
        (robot,) = [bullet.loadURDF(str(path))] if path.suffix == ".urdf" else bullet.loadSDF(str(path))
        joints = [bullet.getJointInfo(robot, k) for k in range(bullet.getNumJoints(robot))]
        names = [bullet.getBodyInfo(robot)[0], *(joint[12] for joint in joints)]
        found = {}
        for k, name in enumerate(names):
            mass, _, moments, com, (x, y, z, w), *_ = bullet.getDynamicsInfo(robot, k - 1)
            found[name.decode()] = mass, np.array(com), in_axes(np.array(moments), np.array([w, x, y, z]))
        return found
    finally:
        bullet.disconnect(client)


def predicted(path: Path, engine: str) -> dict[str, EngineBody]:
    """What is predicted of each link of a robot."""
    found = link_findings(path, None, LinkOptions(engines=(engine,)))
    return {f.link.name or f.link.place: f.engines[0] for f in found}


def differences(body: EngineBody, held: Held, rel: float = 1e-5, of_tensor: float = 1.0) -> list[str]:
    """Quantities that differ by more than a share; of moments, so many times that of the sums that they are differences of."""
    takes, (mass, com, tensor) = body.takes, held
    assert takes is not None
    size = np.sqrt(abs(np.trace(takes.inertia) / takes.mass)) + np.abs(takes.com).max() if takes.mass else 0.0
    wrong = [] if mass == pytest.approx(takes.mass, rel=rel) else [f"{takes.mass} kg, not {mass}"]
    if takes.mass and body.unknown != "center_of_mass" and com is not None:
        wrong += [] if com == pytest.approx(takes.com, abs=rel * size) else [f"centre {takes.com}, not {com}"]
    scale = abs(takes.mass) * size**2 + abs(np.trace(takes.inertia))
    if body.unknown != "principal_moments" and tensor is not None:
        close = tensor == pytest.approx(takes.inertia, abs=of_tensor * rel * scale)
        wrong += [] if close else [f"tensor {takes.inertia.tolist()}, not {tensor.tolist()}"]
    return wrong


def held_by(load: Callable[[Path], Mapping[str, Held]], path: Path) -> Mapping[str, Held] | None:
    """What a simulator holds; None if it refuses the file, for which each has exceptions of its own."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of the packages that they import
            return load(path)
    except ImportError:
        raise
    except Exception:
        return None


def compare(
    path: Path, engine: str, load: Callable[[Path], Mapping[str, Held]], rel: float = 1e-5, *, whole: bool = True
) -> Counter[str]:
    """The verdicts about a robot, each of which is what the simulator does with it: numbers, or the refusal of the whole file.

    A file in which a link is not known may be refused for it. `whole`: a link that is refused makes the simulator refuse the file;
    else it leaves that out.
    """
    found, held, text = predicted(path, engine), held_by(load, path), path.read_text(encoding="utf-8")
    count = Counter(body.verdict for body in found.values())
    if held is None:
        assert count["refused"] or count["unknown"], text
        return Counter(refused=1)
    assert not (count["refused"] and whole), (text, [b.rule for b in found.values()])
    for name, body in found.items():
        if body.verdict == "refused":
            assert name not in held, text
        elif body.verdict != "unknown":
            # single precision leaves less of moments than of the sums that they are differences of
            wrong = differences(body, held.get(name, (0.0, None, None)), rel, of_tensor=5)
            assert wrong == [], (body.rule, f"{name}: {text}")
    return count


def compare_random(
    path: Path,
    draw: Callable[[random.Random], str],
    seeds: Iterable[int],
    engine: str,
    load: Callable[[Path], Mapping[str, Held]],
    rel: float = 1e-5,
    *,
    whole: bool = True,
) -> Counter[str]:
    """The verdicts about random robots, each written to a file, as `compare` counts them."""
    write_meshes(path.parent)
    count = Counter[str]()
    for seed in seeds:
        path.write_text(draw(random.Random(seed)), encoding="utf-8")  # noqa: S311
        count += compare(path, engine, load, rel, whole=whole)
    return count

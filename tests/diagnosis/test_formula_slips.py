"""Slips planted in closed formulas of primitive shapes are named with the right numbers, and none of right ones.

In SDFormat, which has all shapes; in the others, `test_same_geometry.py`.

Modules tested: `diagnosis/formula_slips`, `diagnosis/reference`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from massprops.diagnosis.explanation import Explanation, explain
from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.frames import Pose


#: A moment about each axis from the second moments along them.
def sums(x: float, y: float, z: float) -> np.ndarray:
    return np.array([y + z, x + z, x + y])


def capsule(r: float, h: float) -> np.ndarray:
    """Two half balls: their centres are 3/8 r from their planes (Meriam and Kraige, table D/4)."""
    volumes = np.array([math.pi * r * r * h, 4 / 3 * math.pi * r**3])
    tube, caps = volumes / volumes.sum()
    along = tube * h * h / 12 + caps * (r * r / 5 - (3 / 8 * r) ** 2 + (h / 2 + 3 / 8 * r) ** 2)
    across = tube * r * r / 4 + caps * r * r / 5
    return sums(across, across, along)


RIGHT: dict[str, Callable[..., np.ndarray]] = {
    "box": lambda a, b, c: sums(a * a, b * b, c * c) / 12,
    "sphere": lambda r: sums(r * r, r * r, r * r) / 5,
    "cylinder": lambda r, h: sums(r * r / 4, r * r / 4, h * h / 12),
    "capsule": capsule,
    "ellipsoid": lambda a, b, c: sums(a * a, b * b, c * c) / 5,
    "cone": lambda r, h: sums(3 / 20 * r * r, 3 / 20 * r * r, 3 / 80 * h * h),
}
VOLUME: dict[str, Callable[..., float]] = {
    "box": lambda a, b, c: a * b * c,
    "sphere": lambda r: 4 / 3 * math.pi * r**3,
    "cylinder": lambda r, h: math.pi * r * r * h,
    "capsule": lambda r, h: math.pi * r * r * (h + 4 / 3 * r),
    "ellipsoid": lambda a, b, c: 4 / 3 * math.pi * a * b * c,
    "cone": lambda r, h: math.pi / 3 * r * r * h,
}
COUNT = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3, "cone": 2}
#: Slips of each shape: moments from mass and lengths.
SLIPS: dict[str, dict[str, Callable[..., Any]]] = {
    "box": {
        "no mass": lambda m, *s: RIGHT["box"](*s),
        "no 1/12": lambda m, *s: 12 * m * RIGHT["box"](*s),
        "1/3": lambda m, *s: 4 * m * RIGHT["box"](*s),
        "half sizes": lambda m, *s: m * RIGHT["box"](*(x / 2 for x in s)),
        "no sum": lambda m, a, b, c: m / 12 * np.array([a * a, b * b, c * c]),
        "all of them": lambda m, a, b, c: m / 12 * np.full(3, a * a + b * b + c * c),
        "12 of one": lambda m, a, b, c: m * np.array([b * b + c * c / 12, a * a + c * c / 12, a * a + b * b / 12]),
        "shell": lambda m, a, b, c: m * shell(a, b, c),
        "z from x": lambda m, *s: m * RIGHT["box"](*s)[[0, 1, 0]],
        "x from y": lambda m, *s: m * RIGHT["box"](*s)[[1, 1, 2]],
        "one edge twice": lambda m, a, b, c: m * RIGHT["box"](2 * a, b, c),
        "exchanged": lambda m, *s: m * RIGHT["box"](*s)[[1, 0, 2]],
        "no mass in z": lambda m, *s: RIGHT["box"](*s) * [m, m, 1],
        "some factor": lambda m, *s: 7.19 * m * RIGHT["box"](*s),
        "a plate": lambda m, a, b, c: m * RIGHT["box"](a, b, 0),
    },
    "sphere": {
        "no mass": lambda m, *s: RIGHT["sphere"](*s),
        "no 2/5": lambda m, r: m * r * r * np.ones(3),
        "shell": lambda m, r: 2 / 3 * m * r * r * np.ones(3),
        "disc": lambda m, r: m * r * r / 2 * np.ones(3),
        "diameter": lambda m, r: m * RIGHT["sphere"](2 * r),
        "half": lambda m, r: m * RIGHT["sphere"](r / 2),
        "x another": lambda m, r: m * RIGHT["sphere"](r) * [1.31, 1, 1],
    },
    "cylinder": {
        "no mass": lambda m, *s: RIGHT["cylinder"](*s),
        "no mass across": lambda m, *s: RIGHT["cylinder"](*s) * [1, 1, m],
        "no 1/12": lambda m, r, h: m * np.array([3 * r * r + h * h, 3 * r * r + h * h, r * r / 2]),
        "1/3": lambda m, r, h: m * np.array([r * r / 4 + h * h / 3, r * r / 4 + h * h / 3, r * r / 2]),
        "no 3": lambda m, r, h: m * np.array([(r * r + h * h) / 12, (r * r + h * h) / 12, r * r / 2]),
        "diameter": lambda m, r, h: m * RIGHT["cylinder"](2 * r, h),
        "half radius": lambda m, r, h: m * RIGHT["cylinder"](r / 2, h),
        "half length": lambda m, r, h: m * RIGHT["cylinder"](r, h / 2),
        "tube": lambda m, r, h: m * sums(r * r / 2, r * r / 2, h * h / 12),
        "ring": lambda m, r, h: m * sums(r * r / 2, r * r / 2, 0),
        "rod": lambda m, r, h: m * h * h / 12 * np.array([1, 1, 0]),
        "along x": lambda m, *s: m * RIGHT["cylinder"](*s)[[2, 1, 0]],
        "along y": lambda m, *s: m * RIGHT["cylinder"](*s)[[0, 2, 1]],
        "z from x": lambda m, *s: m * RIGHT["cylinder"](*s)[[0, 1, 0]],
        "y from z": lambda m, *s: m * RIGHT["cylinder"](*s)[[0, 2, 2]],
        "exchanged": lambda m, r, h: m * RIGHT["cylinder"](h, r),
        "its box": lambda m, r, h: m * RIGHT["box"](2 * r, 2 * r, h),
        "a ball": lambda m, r, h: m * RIGHT["sphere"](r),
        "no 1/2": lambda m, *s: m * RIGHT["cylinder"](*s) * [1, 1, 2],
    },
    "capsule": {
        "no mass": lambda m, *s: RIGHT["capsule"](*s),
        "cylinder": lambda m, *s: m * RIGHT["cylinder"](*s),
        "long cylinder": lambda m, r, h: m * RIGHT["cylinder"](r, h + 2 * r),
        "diameter": lambda m, r, h: m * RIGHT["capsule"](2 * r, h),
        "whole length": lambda m, r, h: m * RIGHT["capsule"](r, h + 2 * r),
        "along x": lambda m, *s: m * RIGHT["capsule"](*s)[[2, 1, 0]],
        "z from x": lambda m, *s: m * RIGHT["capsule"](*s)[[0, 1, 0]],
    },
    "ellipsoid": {
        "no mass": lambda m, *s: RIGHT["ellipsoid"](*s),
        "2/5": lambda m, *s: 2 * m * RIGHT["ellipsoid"](*s),
        "diameters": lambda m, *s: 4 * m * RIGHT["ellipsoid"](*s),
        "its box": lambda m, *s: m * RIGHT["box"](*(2 * x for x in s)),
        "no sum": lambda m, a, b, c: m / 5 * np.array([a * a, b * b, c * c]),
        "z from y": lambda m, *s: m * RIGHT["ellipsoid"](*s)[[0, 1, 1]],
    },
    "cone": {
        "no mass": lambda m, *s: RIGHT["cone"](*s),
        "cylinder": lambda m, *s: m * RIGHT["cylinder"](*s),
        "base": lambda m, r, h: m * (RIGHT["cone"](r, h) + np.array([1, 1, 0]) * (h / 4) ** 2),
        "diameter": lambda m, r, h: m * RIGHT["cone"](2 * r, h),
        "along y": lambda m, *s: m * RIGHT["cone"](*s)[[0, 2, 1]],
    },
}
#: Slips in the six entries along the axes of the inertial.
ENTRIES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Izz is Iyy": lambda i: i - np.diag([0, 0, i[2, 2] - i[1, 1]]),
    "Ixx is Iyy": lambda i: i - np.diag([i[0, 0] - i[1, 1], 0, 0]),
    "a product": lambda i: i + 0.2 * i[0, 0] * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]),
}


def shell(a: float, b: float, c: float) -> np.ndarray:
    """Six rectangles."""
    second, area = np.zeros(3), 2 * (a * b + b * c + a * c)
    for k, edges in enumerate(((b, c), (a, c), (a, b))):
        plates = 2 * edges[0] * edges[1] / area * np.array([a * a, b * b, c * c]) / 12
        plates[k] *= 3  # both are half an edge away
        second += plates
    return sums(*second)


def text(values: Any, digits: int = 12) -> str:
    return " ".join(f"{x:.{digits}g}" for x in np.ravel(values))


def rpy(turn: np.ndarray) -> list[float]:
    return [math.atan2(turn[2, 1], turn[2, 2]), -math.asin(turn[2, 0]), math.atan2(turn[1, 0], turn[0, 0])]


class Drawn:
    """A primitive of random size, mass and place, and the pose of its inertial; its right tensor along the axes of the shape."""

    def __init__(self, rng: np.random.Generator, shape: str, *, turned: bool = True) -> None:
        self.shape, self.lengths = (
            shape,
            10 ** rng.uniform(-1.7, -1.1) * rng.permutation([1.0, 1.7, 2.9])[: COUNT[shape]],
        )
        self.mass = float(10 ** rng.uniform(2.5, 3.9) * VOLUME[shape](*self.lengths))
        self.geometry, self.inertial = (
            Pose.from_xyz_rpy(rng.uniform(-0.2, 0.2, 3), rng.uniform(-1.2, 1.2, 3)) if turned else Pose.identity()
            for _ in range(2)
        )
        middle = np.array([0, 0, -self.lengths[-1] / 4 if shape == "cone" else 0.0])
        self.centre = self.geometry.apply(middle)
        self.right = self.mass * RIGHT[shape](*self.lengths)
        self.of_link = self.turned(self.right)

    def turned(self, moments: np.ndarray) -> np.ndarray:
        """Along the axes of the link."""
        r = self.geometry.rotation
        return r @ np.diag(moments) @ r.T

    def sdf(self, tensor: np.ndarray) -> str:
        names = {"box": ["size"], "ellipsoid": ["radii"], "sphere": ["radius"]}.get(self.shape, ["radius", "length"])
        sizes = [text(self.lengths)] if len(self.lengths) == 3 else map(text, self.lengths)
        shape = "".join(f"<{k}>{v}</{k}>" for k, v in zip(names, sizes, strict=True))
        turn, g = self.inertial.rotation, text([*self.geometry.translation, *rpy(self.geometry.rotation)])
        i = text(turn.T @ tensor @ turn).split()
        six = "".join(
            f"<{k}>{i[n]}</{k}>" for k, n in (("ixx", 0), ("ixy", 1), ("ixz", 2), ("iyy", 4), ("iyz", 5), ("izz", 8))
        )
        return (
            f'<sdf version="1.9"><model name="m"><link name="a"><inertial><pose>{text([*self.centre, *rpy(turn)])}</pose>'
            f"<mass>{self.mass!r}</mass><inertia>{six}</inertia></inertial><visual name='v'><pose>{g}"
            f"</pose><geometry><{self.shape}>{shape}</{self.shape}></geometry></visual></link></model></sdf>"
        )


def planted(rng: np.random.Generator, shape: str) -> Iterator[tuple[str, Drawn, np.ndarray]]:
    """Each slip in a body of its own, every other one turned, its tensor along the axes of the link."""
    for number, (name, slip) in enumerate(SLIPS[shape].items()):
        one = Drawn(rng, shape, turned=number % 2 == 0)
        yield name, one, one.turned(slip(one.mass, *one.lengths))
    for name, change in ENTRIES.items() if shape not in ("sphere",) else ():
        one = Drawn(rng, shape)
        turn = one.inertial.rotation
        yield name, one, turn @ change(turn.T @ one.of_link @ turn) @ turn.T


def explained(bodies: list[tuple[Drawn, np.ndarray]], folder: Path) -> Iterator[Explanation]:
    """What is said of each body, in a file of its own."""
    path = folder / "r.sdf"
    for one, tensor in bodies:
        path.write_text(one.sdf(tensor), encoding="utf-8")
        yield explain(path)


def test_a_slip_is_named_with_the_right_numbers(tmp_path: Path) -> None:
    rng, seen = np.random.default_rng(51), 0
    drawn = [
        (name, one, i)
        for shape in RIGHT
        for name, one, i in planted(rng, shape)
        if np.linalg.norm(i - one.of_link) > 0.05 * np.linalg.norm(one.of_link)
    ]
    found = explained([(one, i) for _, one, i in drawn], tmp_path)
    for (name, one, _), said in zip(drawn, found, strict=True):
        seen += 1
        named = [f.message for f in said.findings if f.severity != "info"]
        assert named, (one.shape, name)
        assert said.hypotheses, (one.shape, name, named)
        first = said.hypotheses[0].body
        # numbers in single precision, and angles of 12 digits
        assert np.linalg.norm(first.inertia - one.of_link) < 1e-5 * np.linalg.norm(one.of_link), (
            one.shape,
            name,
            named,
        )
        assert first.mass == pytest.approx(one.mass, rel=1e-6), (one.shape, name, named)
    assert seen > 60


def test_no_slip_is_named_of_right_bodies_nor_of_uneven_ones(tmp_path: Path) -> None:
    """Uneven: a lump of up to half of the mass inside the ball that the shape holds, at the place that makes the centre what it is."""
    rng = np.random.default_rng(52)
    right = [Drawn(rng, shape, turned=turned) for shape in RIGHT for turned in (True, False) for _ in range(2)]
    uneven = []
    for one in right:
        share, at = rng.uniform(0.05, 0.5), rng.normal(size=3)
        at *= rng.uniform(0.0, 0.4) * one.lengths.min() / np.linalg.norm(at)
        moved = share * (1 - share) * one.mass * (at @ at * np.eye(3) - np.outer(at, at))
        uneven.append(((1 - share) * one.of_link + moved, share * at))
    for body in explained([(one, one.of_link) for one in right], tmp_path):
        assert [f.code for f in body.findings] == []
    lumps = []
    for one, (tensor, offset) in zip(right, uneven, strict=True):
        one.centre = one.centre + offset
        lumps.append((one, tensor))
    for body in explained(lumps, tmp_path):
        assert body.hypotheses == ()


def test_a_tensor_of_zeros_follows_no_formula(tmp_path: Path) -> None:
    """In a turned frame each entry comes from one formula or another, and to its digits from none."""
    path, zeros = tmp_path / "r.urdf", " ".join(f'i{k}="0"' for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
    shape = '<collision><origin rpy="1 2 3"/><geometry><cylinder radius=".1" length=".5"/></geometry></collision></link></robot>'
    inertial = f'<inertial><mass value="1"/><inertia {zeros}/></inertial>'
    path.write_text(f'<robot name="r"><link name="a">{inertial}{shape}', encoding="utf-8")
    found = explain(f"{path}#a")
    assert not any(h.kind == "formula-slip" for h in found.hypotheses)


def of_link(
    tmp_path: Path, mass: float, moments: np.ndarray, visual: str, collision: str = "", turn: str = "0 0 0"
) -> dict[str, str]:
    """Severities of the findings on a link, by code."""
    x, y, z = (repr(float(m)) for m in moments)
    both = f"<visual><origin rpy='{turn}'/><geometry><{visual}/></geometry></visual>"
    both += f"<collision><geometry><{collision}/></geometry></collision>" if collision else ""
    given = f"<origin rpy='{turn}'/><mass value='{mass!r}'/><inertia ixx='{x}' iyy='{y}' izz='{z}' ixy='0' ixz='0' iyz='0'/>"
    file = tmp_path / "robot.urdf"
    text = f"<robot name='r'><link name='a'><inertial>{given}</inertial>{both}</link></robot>"
    file.write_text(text, encoding="utf-8")
    (only,) = link_findings(file, None, LinkOptions())
    return {f.code: f.severity for f in only.findings}


def test_numbers_of_the_collision_geometry_are_no_slip_in_the_formula_of_the_visual_one(tmp_path: Path) -> None:
    """A foot is drawn with half the radius of the ball on which it rolls: 2/5 m r² of that is no diameter for a radius."""
    foot = 0.06 * RIGHT["sphere"](0.02)
    assert of_link(tmp_path, 0.06, foot, "sphere radius='0.01'")["formula-slip"] == "error"
    both = of_link(tmp_path, 0.06, foot, "sphere radius='0.01'", "sphere radius='0.02'")
    assert both["differs-from-geometry"] == "info"
    assert not {"error"} & set(both.values())
    assert "formula-slip" not in both
    # of a third ball the slip is one
    assert of_link(tmp_path, 0.06, foot, "sphere radius='0.01'", "sphere radius='0.03'")["formula-slip"] == "error"
    # and where both are one geometry, grams are named
    size, mass = "box size='0.1 0.2 0.3'", 1000 * 2700 * 0.006
    grams = mass * RIGHT["box"](0.1, 0.2, 0.3)
    assert of_link(tmp_path, mass, grams, size, size)["wrong-unit"] == "error"


@pytest.mark.parametrize("turn", ["0 0 0", "0.3 0.2 0.1", "-1 0.7 2"])
@pytest.mark.parametrize("name", ["box", "cylinder"])
def test_moments_of_five_thirds_have_one_verdict_however_the_link_is_turned(
    tmp_path: Path, name: str, turn: str
) -> None:
    """5/3 is hollow over solid of a ball: rounding does not decide."""
    sizes = {"box": "size='0.3 0.2 0.1'", "cylinder": "radius='0.1' length='0.3'"}[name]
    moments = 5 / 3 * RIGHT[name](*{"box": (0.3, 0.2, 0.1), "cylinder": (0.1, 0.3)}[name])
    for digits in range(5, 12):
        rounded = np.array([float(f"{m:.{digits}g}") for m in moments])
        assert "formula-slip" not in of_link(tmp_path, 1.0, rounded, f"{name} {sizes}", turn=turn)


def test_a_bar_that_is_not_uniform_has_no_mass_in_pounds(tmp_path: Path) -> None:
    """With more of the mass in the middle it has about 0.45 of the moments: only numbers that are equal name the unit."""
    sizes = (0.469, 0.0192, 0.0122)
    for factor, is_named in ((0.45359237, True), (0.465, False)):
        moments = np.array([float(f"{m:.6g}") for m in 0.05 * factor * RIGHT["box"](*sizes)])
        every = of_link(tmp_path, 0.05, moments, f"box size='{sizes[0]} {sizes[1]} {sizes[2]}'")
        assert ("wrong-unit" in every) == is_named, factor

"""Relations across options: one body of exactly known numbers, asked for in ways that must agree, with options that meet each other.

Each seed draws a body with integer coordinates, a format, whether that states its unit, the unit that is given or replaces it, a density or
a mass with or without X a robot format written and read back. All numbers are known by exact arithmetic. A weekly job runs 600 seeds.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import oracles
import pytest
import trimesh
from cases import seeds
from console import run

import massprops
from massprops.frames import Pose
from massprops.units import length_unit

Rng = np.random.Generator
#: Formats with the unit that they state, which their writer puts there.
FORMATS = {"stl": None, "ascii.stl": None, "obj": None, "ply": None, "off": None, "glb": "m", "3mf": "mm", "dae": "m"}
UNITS = ("m", "mm", "cm", "in", "ft")
#: Quarter turns, which round nothing: roll, pitch and yaw in degrees.
TURNS = [(0, 0, 0), (90, 0, 0), (0, 0, 90), (180, 0, 90), (0, 90, 0), (90, 0, 270)]


@dataclass(frozen=True)
class Scene:
    """What is drawn, and the numbers that are right, in SI units and the frame of the result."""

    path: Path
    options: dict[str, str]
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    share: float
    volume: float


def scene(rng: Rng, folder: Path) -> Scene:
    """A random body in a file, options, and the truth about them."""
    points = rng.integers(-20, 21, (int(rng.integers(5, 12)), 3))
    while np.linalg.matrix_rank(points - points[0]) < 3:
        points = rng.integers(-20, 21, points.shape)
    hull = trimesh.convex.convex_hull(points.astype(float))
    name = str(rng.choice(list(FORMATS)))
    path, stated = folder / f"body.{name}", FORMATS[name]
    if name == "ascii.stl":
        oracles.write_ascii_stl(path, hull.triangles)
    else:
        hull.export(path)
    given, replacing = (str(rng.choice(UNITS)) if rng.random() < p else None for p in (0.6, 0.3))
    unit = replacing or stated or given or "m"
    scale = length_unit(unit)
    exact = oracles.exact_body(hull.triangles)
    volume, centre = float(exact.volume) * scale**3, oracles.floats(exact.centroid) * scale
    tensor = oracles.floats(exact.inertia) * scale**5  # at unit density
    share = float(rng.choice([0.0, 0.05]))
    tolerance = f" +- {share:.0%}" if share else ""
    if rng.random() < 0.5:
        density = float(rng.choice([2700.0, 1.0, 7850.0]))
        options = {"density": f"{density:g}{tolerance}"}
    else:
        mass = float(rng.choice([0.25, 3.0]))
        options, density = {"mass": f"{mass:g} kg{tolerance}"}, mass / volume
    if given:
        options["units"] = given
    if replacing:
        options["override_units"] = replacing
    place = str(rng.choice(["", "pose", "frame"]))
    if place:
        turn, shift = TURNS[rng.integers(len(TURNS))], rng.integers(-9, 10, 3)
        length = str(rng.choice(["mm", "m", ""]))  # a bare number is in the unit of the file
        options[place] = " ".join([*(f"{x}{length}" for x in shift), *(f"{a}deg" for a in turn)])
        pose = Pose.from_xyz_rpy(shift * (length_unit(length) if length else scale), np.radians(turn))
        if place == "frame":
            pose = pose.inverse()
        centre = pose.rotation @ centre + pose.translation
        tensor = pose.rotation @ tensor @ pose.rotation.T
    return Scene(path, options, density * volume, centre, density * tensor, share, volume)


def words(options: dict[str, str]) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]


def by_python(s: Scene, _rng: Rng) -> dict[str, Any]:
    return massprops.measure(s.path, **s.options).to_dict()


def by_shell(s: Scene, rng: Rng) -> dict[str, Any]:
    extra = rng.choice(
        ["--about=origin", "--exact", "--hash", "--verify=xray", "--jobs=2", "--output-units=in,lb", "-q"]
    )
    if extra == "--exact" and "density" not in s.options:
        extra = "--hash"
    answer = run("compute", s.path, *words(s.options), "--format=json", extra)
    assert answer.returncode == 0, answer.err
    return answer.result


def by_configuration(s: Scene, rng: Rng) -> dict[str, Any]:
    """Some of the options in the file, the others on the command line."""
    known = {k: v for k, v in s.options.items() if k in ("units", "override_units", "density") and rng.random() < 0.7}
    lines = "".join(f"{name.replace('_', '-')} = {json.dumps(value)}\n" for name, value in known.items())
    (s.path.parent / "massprops.toml").write_text(lines, encoding="utf-8")
    rest = {k: v for k, v in s.options.items() if k not in known}
    answer = run("compute", s.path.name, *words(rest), "--format=json", cwd=s.path.parent)
    assert answer.returncode == 0, answer.err
    return answer.result


def by_assembly(s: Scene, _rng: Rng) -> dict[str, Any]:
    if "frame" in s.options:
        return by_python(s, _rng)
    table = "".join(f"{name} = {json.dumps(value)}\n" for name, value in s.options.items())
    (s.path.parent / "a.toml").write_text(f'[[part]]\nmesh = "{s.path.name}"\n{table}', encoding="utf-8")
    return run("combine", s.path.parent / "a.toml", "--format=json").result


def moved_afterwards(s: Scene, _rng: Rng) -> dict[str, Any]:
    """The result without a pose, moved by it."""
    place = {k: v for k, v in s.options.items() if k in ("pose", "frame")}
    if any(not any(u in v.split()[0] for u in "m") for v in place.values()):
        return by_python(s, _rng)  # a bare length is in the unit of the file, which a result has not
    plain = run("compute", s.path, *words({k: v for k, v in s.options.items() if k not in place}), "--format=json")
    (s.path.parent / "r.json").write_bytes(plain.stdout)
    if not place:
        return run("combine", s.path.parent / "r.json", "--format=json").result
    return run("convert", s.path.parent / "r.json", *words(place), "--format=json").result


def through(dialect: str) -> Callable[[Scene, Rng], dict[str, Any]]:
    """Written in a format of inertials, and read back; these have no tolerances."""

    def ask(s: Scene, _rng: Rng) -> dict[str, Any]:
        # where the ± is smaller than what 17 digits show, the numbers are written in full
        written = run("compute", s.path, *words(s.options), f"--format={dialect}")
        assert written.returncode == 0, written.err
        path = s.path.parent / f"r.{ {'mjcf': 'xml', 'usd': 'usda', 'markdown': 'md'}.get(dialect, dialect) }"
        path.write_bytes(written.stdout)
        found = run("convert", path, "--format=json").result
        found["uncertainty"] = None
        return found

    return ask


WAYS: dict[str, Callable[[Scene, Rng], dict[str, Any]]] = {
    "python": by_python,
    "shell": by_shell,
    "configuration": by_configuration,
    "assembly": by_assembly,
    "moved": moved_afterwards,
    **{dialect: through(dialect) for dialect in ("urdf", "sdf", "mjcf", "csv")},
}


@pytest.mark.parametrize("seed", seeds(27))
def test_every_way_of_asking_gives_the_truth(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    way = list(WAYS)[seed % len(WAYS)]
    s = scene(rng, tmp_path)
    found = WAYS[way](s, rng)
    off = found.get("uncertainty") or {}
    size = np.abs(s.com).max() + (np.trace(s.inertia) / s.mass) ** 0.5
    written = (
        (1e-5 if s.share else 1e-7) if way in ("urdf", "sdf", "mjcf", "csv") else 1e-12
    )  # no digits that the ± does not support
    slack = {"mass": written * s.mass, "center_of_mass": written * size, "inertia": written * np.trace(s.inertia)}
    tensor = np.array(found["inertia"]["tensor"])
    is_central = found["inertia"]["about"] == "com"
    if not is_central:
        arm = np.array(found["center_of_mass"])
        steiner = found["mass"] * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
        tensor, slack["inertia"] = tensor - steiner, slack["inertia"] + written * np.trace(steiner)
    for key, value, true in (
        ("mass", found["mass"], s.mass),
        ("center_of_mass", found["center_of_mass"], s.com),
        ("inertia", tensor, s.inertia),
    ):
        gap = np.abs(np.array(value) - true)
        assert (gap <= slack[key]).all(), (way, key, s.options, value, true)
        if (
            off and s.share and key != "center_of_mass" and (is_central or key == "mass")
        ):  # the tolerance and the digits of the file
            least = s.share * np.abs(np.array(value))
            assert (np.array(off[key]) >= least * (1 - 1e-6) - slack[key]).all(), (way, key)
            assert np.max(off[key]) <= 1.5 * least.max(), (way, key)
    if found.get("volume") is not None and way in ("python", "shell", "configuration"):
        assert found["volume"] == pytest.approx(s.volume, rel=1e-12)


@pytest.mark.parametrize("seed", seeds(6))
def test_two_files_of_one_body_in_two_units_are_one_body(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    mesh = trimesh.convex.convex_hull(rng.integers(-20, 21, (9, 3)).astype(float))
    one, other = (str(name) for name in rng.permutation(["glb", "3mf", "dae", "obj"])[:2])
    stated = {"glb": "m", "3mf": "mm", "dae": "m", "obj": "in"}  # the last is given
    paths = []
    for name, unit in ((one, "m"), (other, "m")):
        copy = mesh.copy()
        copy.apply_scale(length_unit(unit) / length_unit(stated[name]) / 1024)
        paths.append(tmp_path / f"body.{name}")
        copy.export(paths[-1])
    first, second = (massprops.measure(p, units="in", density=1.0) for p in paths)
    assert second.volume == pytest.approx(first.volume, rel=1e-5)
    for pair in (paths, paths[::-1]):
        answer = run("diff", *pair, "--units=in", "--rtol=1e-4")
        assert answer.returncode == 0, answer.out + answer.err
    (tmp_path / "expected.json").write_bytes(
        run("compute", paths[0], "--units=in", "--density=1", "--format=json").stdout
    )
    answer = run("check", paths[1], "--units=in", "--density=1", "--expect", tmp_path / "expected.json", "--rtol=1e-4")
    assert answer.returncode == 0, answer.out + answer.err

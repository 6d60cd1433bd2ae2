"""One random robot, with slips or without, in five formats: the same numbers, the same findings and the same corrections by every command.

The suite draws a few; a weekly job draws thousands (`MASSPROPS_CASES`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_robots
from cases import seeds
from random_robots import Numbers, RandomLink, RandomRobot, Written

import massprops
from massprops.checking.report import Checked
from massprops.diagnosis.explanation import Explanation, explain_all
from massprops.diagnosis.robot_links import LinkOptions
from massprops.errors import MasspropsError

pytest.importorskip("pxr", reason="usd-core is not installable everywhere")
pytestmark = pytest.mark.xdist_group("usd")

#: USD states single precision: numbers agree to some 1e-7 of the largest, and differences of them by more.
SINGLE = 2e-6
#: Findings about the numbers alone, whatever geometry there is.
PHYSICS = {
    "impossible-density",
    "triangle-inequality",
    "pseudo-inertia",
    "not-positive-definite",
    "non-positive-mass",
    "implausible-mass",
}
#: Findings that only one format has: OpenUSD takes small moments for not stated.
OWN = {"usd-small-inertia"}


def written(folder: Path, seed: int, share: float = 0.5) -> tuple[RandomRobot, dict[str, Written]]:
    """The robot of a seed, and its files by format."""
    rng = np.random.default_rng(seed)
    robot = random_robots.with_slips(random_robots.random_robot(rng), rng, share)
    found = {}
    for name, write in random_robots.WRITERS.items():
        (folder / name).mkdir()
        found[name] = write(robot, folder / name, rng)
    return robot, found


def checked(file: Written) -> dict[int, Checked]:
    """Results of `check` by the number of the link."""
    report = massprops.check(file.path).checked
    assert {c.subject.place for c in report} == set(file.names), [(c.subject.place, c.error) for c in report]
    return {file.names[str(c.subject.place)]: c for c in report}


def codes(result: Checked) -> dict[str, str]:
    return {f.code: f.severity for f in result.findings if f.code not in OWN}


def extent(link: RandomLink) -> float:
    """Diagonal of the bounds along the axes of the link, by support functions."""
    low, high = [], []
    for solid in link.solids:
        turn, shift = solid.at[:3, :3], solid.at[:3, 3]
        corners = solid.corners
        if corners is not None:
            points = corners.reshape(-1, 3) @ turn.T + shift
            low, high = [*low, points.min(axis=0)], [*high, points.max(axis=0)]
            continue
        axis, radius, length = np.abs(turn[:, 2]), solid.lengths[0], [*solid.lengths, 0.0][1]
        across = np.sqrt(np.maximum(1 - axis**2, 0)) if solid.kind == "cylinder" else 1.0
        reach = radius * across + length / 2 * axis * (solid.kind != "sphere")
        low, high = [*low, shift - reach], [*high, shift + reach]
    return float(np.linalg.norm(np.max(high, axis=0) - np.min(low, axis=0)))


def distances(link: RandomLink) -> dict[str, float]:
    """Numbers that `check` says of a link, by their definitions."""
    stated, right = link.stated, link.right
    uniform = stated.mass / right.mass * right.inertia
    return {
        "mass": stated.mass,
        "volume": link.volume,
        "implied_density": stated.mass / link.volume,
        "tensor_distance": float(np.linalg.norm(stated.inertia - uniform) / np.linalg.norm(uniform)),
        "centre_distance": float(np.linalg.norm(stated.com - right.com)) / extent(link),
    }


def near(found: Any, true: Numbers, share: float = SINGLE) -> bool:
    """Whether mass, centre and tensor of a body are those."""
    size = np.sqrt(np.abs(true.inertia).max() / true.mass) + np.abs(true.com).max()
    return bool(
        abs(found.mass - true.mass) <= share * true.mass
        and np.abs(found.com - true.com).max() <= share * size
        and np.abs(found.inertia - true.inertia).max() <= share * np.abs(true.inertia).max()
    )


def judged(robot: RandomRobot, files: dict[str, Written]) -> None:
    """The same numbers, which are those of the truth, and the same findings; no slip passes as ok, and nothing else is one."""
    found = {name: checked(file) for name, file in files.items()}
    for k, link in enumerate(robot.links):
        note = (k, link.slip, [s.kind for s in link.solids])
        first = found["urdf"][k]
        for name, results in found.items():
            result = results[k]
            for key, value in distances(link).items():
                room, given = (
                    SINGLE * (1.0 + abs(value) if key.endswith("distance") else abs(value)),
                    result.numbers[key],
                )
                wide = (
                    2.0 if key == "centre_distance" else 1.0
                )  # over a size of the geometry, for which there are several measures
                assert value / wide - room <= given <= value * wide + room, (*note, name, key, given, value)
            # an error of the geometry says the density, too, and one that is only a warning there does not
            assert set(codes(result)) ^ set(codes(first)) <= {"impossible-density"}, (
                *note,
                name,
                codes(result),
                codes(first),
            )
            for code, severity in codes(result).items():
                if code not in codes(first):
                    continue
                is_soft = not files[name].seen[k] and code not in PHYSICS
                expected = codes(first)[code]
                if files["urdf"].seen[k] != files[name].seen[k] and is_soft:
                    expected = "warning" if expected == "error" else expected
                assert severity == expected, (*note, name, code)
                assert not (is_soft and severity == "error"), (*note, name, code)
        if not link.slip:
            assert codes(first) == {}, note
        elif max(distances(link)["tensor_distance"], distances(link)["centre_distance"]) > 0.05:
            assert first.status != "ok", note


def explained(robot: RandomRobot, files: dict[str, Written], _folder: Path) -> None:
    """The same mistakes in the same order, with the same corrected numbers."""
    every: dict[str, dict[int, Explanation]] = {}
    for name, file in files.items():
        bodies = massprops.open_bodies(str(file.path)).bodies
        found = explain_all(bodies, str(file.path), None, {}, LinkOptions(), nearest=False)
        every[name] = {file.names[str(b.name)]: each for b, (each, _) in zip(bodies, found, strict=True)}
    for k, link in enumerate(robot.links):
        first = every["urdf"][k]
        for name, found_in in every.items():
            other = found_in[k]
            note = (name, k, link.slip, [h.kind for h in other.hypotheses], [h.kind for h in first.hypotheses])
            assert other.verdict == first.verdict, note
            assert [h.kind for h in other.hypotheses] == [h.kind for h in first.hypotheses], note
            for one, same in zip(first.hypotheses, other.hypotheses, strict=True):
                body = one.body
                assert near(same.body, Numbers(body.mass, body.com, body.inertia), 50 * SINGLE), note


def filled(robot: RandomRobot, files: dict[str, Written], _folder: Path) -> None:
    """One density spread over the geometry is right again, in every format, and `check` finds nothing more."""
    density = next(x.right.mass / x.volume for x in robot.links)
    for name, file in files.items():
        done = massprops.fill(file.path, density=density, links="all", mass_from="density")
        for each in done.links:
            link = robot.links[file.names[each.name]]
            factor = density * link.volume / link.right.mass
            right = Numbers(factor * link.right.mass, link.right.com, factor * link.right.inertia)
            assert each.after is not None, (name, each.error)
            assert near(each.after, right), (name, each.name)
        for target, data in done.files.items():
            Path(target).write_bytes(data)
        again = massprops.check(done.target or file.path).checked
        assert [codes(c) for c in again] == [{}] * len(robot.links), (name, [c.findings for c in again])


def combined(robot: RandomRobot, files: dict[str, Written], _folder: Path) -> None:
    """All links as one body, in the frame of the file; a robot of which one is impossible is refused by all."""
    possible = all(
        min(np.linalg.eigvalsh(np.trace(x.stated.inertia) / 2 * np.eye(3) - x.stated.inertia)) > 0 for x in robot.links
    )
    for name, file in files.items():
        try:
            body = massprops.combine(file.path).body.properties
        except MasspropsError:
            assert not possible, name
            continue
        whole, turn = robot.whole(), file.root[:3, :3]
        placed = Numbers(whole.mass, turn @ whole.com + file.root[:3, 3], turn @ whole.inertia @ turn.T)
        assert near(body, placed, 10 * SINGLE), (name, body.mass, body.com, body.inertia, placed)


#: Dialects of inertials, and the suffixes of their files.
DIALECTS = {"urdf": "urdf", "sdf": "sdf", "mjcf": "xml", "usd": "usda", "csv": "csv", "json": "json"}


def converted(robot: RandomRobot, files: dict[str, Written], folder: Path) -> None:
    """Into a dialect and back, another one for each format."""
    turn = len(robot.links[0].name) + len(robot.links[0].solids)
    for k, (name, file) in enumerate(files.items()):
        dialect, suffix = list(DIALECTS.items())[(k + turn) % len(DIALECTS)]
        path = folder / f"{name}.{suffix}"
        path.write_text(massprops.convert(file.path, to=dialect), encoding="utf-8")
        bodies = massprops.open_bodies(str(path)).bodies
        assert len(bodies) == len(robot.links), (name, dialect)
        for body in bodies:
            link = robot.links[_index(file, str(body.name))]
            assert near(body.properties, link.stated), (name, dialect, body.name)


def _index(file: Written, name: str) -> int:
    """The link of a name, which USD writes with other letters."""
    plain = {"".join(c if c.isalnum() else "_" for c in n): k for n, k in file.names.items()}
    return file.names[name] if name in file.names else plain[name]


COMMANDS = (explained, filled, combined, converted)


@pytest.mark.parametrize("seed", seeds(6))
def test_a_robot_is_the_same_in_five_formats(tmp_path: Path, seed: int) -> None:
    robot, files = written(tmp_path, seed)
    judged(robot, files)
    COMMANDS[seed % len(COMMANDS)](robot, files, tmp_path)

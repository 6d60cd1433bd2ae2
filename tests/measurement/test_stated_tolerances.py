"""The ± of stated tolerances: of every kind of body and in any pose, what the ends of the tolerances give lies within it.

Modules tested: `measurement/mesh_integration`, `moments/uncertainty`.
"""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import seeds
from console import run, valid
from oracles import box, indexed

import massprops
from massprops import InvalidGeometry, Pose

#: A measured number and the same at the end of a tolerance are each rounded.
SLACK = 1 + 1e-9
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def tetrahedron(rng: np.random.Generator) -> np.ndarray:
    """Corners of a body with three different products of inertia, flat or slender, far from the origin or near to it."""
    while True:
        points = rng.normal(size=(4, 3)) * 10 ** rng.uniform(-1, 1, 3) + rng.normal(size=3) * rng.choice([0, 30])
        if np.linalg.det(points[1:] - points[0]) > 0.05:
            return points


def random_pose(rng: np.random.Generator) -> Pose:
    return Pose.from_xyz_rpy(rng.normal(size=3) * 10, rng.uniform(-3, 3, 3))


POINT = (0.5, -2.0, 3.0)


def numbers(m: Any) -> list[np.ndarray]:
    return [np.array(m.mass), m.center_of_mass, m.inertia, m.principal.moments, m.properties.inertia_about(POINT)]


def check_within(nominal: Any, ends: list[Any], *, largest: float) -> None:
    """The numbers of all ends lie within the ± of the nominal ones, which is at most `largest` times what is needed for the mass."""
    off, views = nominal.uncertainty, nominal.properties.uncertainty
    in_result = [np.array(off.mass), off.center_of_mass, off.inertia]
    in_views = [views.mass.bound, views.center_of_mass.bound, views.inertia.bound, views.principal_moments.bound]
    in_views.append(views.inertia_about(POINT).bound)
    sizes = [float(np.abs(x).max()) for x in numbers(nominal)]
    worst = 0.0
    for end in ends:
        for stated in (in_result, in_views):
            for name, size, a, b, bound in zip(
                ("mass", "com", "inertia", "principal", "about a point"),
                sizes,
                numbers(nominal),
                numbers(end),
                stated,
                strict=False,
            ):
                assert (np.abs(b - a) <= bound * SLACK + 1e-12 * size).all(), (name, b - a, bound)
        worst = max(worst, abs(end.mass - nominal.mass))
    assert worst > 0
    assert off.mass <= largest * worst


#: What an open surface bounds, or the walls of a needle that meet, may be no body: then there are no numbers.
REFUSED = ("triangle-inequality", "not-positive-definite", "zero-volume", "uncertain-volume")
KINDS: dict[str, dict[str, Any]] = {
    "solid": {"density": (2700, 0.1)},
    "given mass": {"mass": (1.5, 0.2)},
    "sheet": {"kind": "sheet", "density": (2700, 0.1), "thickness": (1e-3, 0.1)},
    "foil": {"kind": "sheet", "area_density": (0.5, 0.3)},
    "wall": {"kind": "wall", "density": (2700, 0.1), "thickness": (1e-3, 0.2), "repair": "none"},
    "infill": {"kind": "wall", "infill": 0.2, "density": (2700, 0.1), "thickness": (1e-3, 0.2), "repair": "none"},
    "hull": {"on_open": "hull", "density": (2700, 0.1)},
    "open": {"on_open": "integrate", "density": (2700, 0.1)},
    "shell": {"on_open": "shell", "density": (2700, 0.1), "thickness": (1e-3, 0.1)},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_ends_of_tolerances_lie_within_the_uncertainty(kind: str) -> None:
    stated = {name: value for name, value in KINDS[kind].items() if isinstance(value, tuple)}
    others = {name: value for name, value in KINDS[kind].items() if name not in stated}
    for seed in seeds(3):
        rng = np.random.default_rng(seed)
        points, pose = tetrahedron(rng), random_pose(rng)
        faces = FACES[:3] if "on_open" in others else FACES
        how = {**others, rng.choice(["pose", "frame"]): pose}
        given = {name: f"{value} +- {100 * share} %" for name, (value, share) in stated.items()}
        try:
            nominal = massprops.measure((points, faces), **how, **given)
        except InvalidGeometry as error:
            if kind in ("open", "wall", "infill") and error.code in REFUSED:
                continue
            raise
        walls_meet = kind in ("wall", "infill") and nominal.grade == "estimated"
        if walls_meet and nominal.uncertainty.mass >= nominal.mass:
            continue  # then the centre of mass has no bound
        ends = [
            massprops.measure(
                (points, faces),
                **how,
                **{k: v * (1 + f * s) for f, (k, (v, s)) in zip(at, stated.items(), strict=False)},
            )
            for at in [*product((-1, 1), repeat=len(stated)), rng.uniform(-1, 1, len(stated))]
        ]
        check_within(nominal, ends, largest=math.inf if walls_meet else 1.5)


@pytest.mark.parametrize("of_mass", ["density", "mass"])
def test_thick_sections_are_within_the_product_of_both_tolerances(of_mass: str) -> None:
    """A thickness and a mass that are both off: the centre moves with a mass that can be heavier, (m + δm) δc."""
    for seed in seeds(3):
        rng = np.random.default_rng(seed)
        ring, pose = rng.normal(size=(3, 2)) * 10 ** rng.uniform(-1, 1, 2), random_pose(rng) if seed % 4 < 2 else None
        given = {of_mass: (float(10 ** rng.uniform(-1, 3)), 0.05), "thickness": (float(10 ** rng.uniform(-2, 1)), 0.25)}
        how: dict[str, Any] = {"pose": pose, "centered": seed % 2 == 0}
        stated = {name: f"{value!r} +- {100 * share} %" for name, (value, share) in given.items()}
        nominal = massprops.measure(ring.tolist(), **how, **stated)
        ends = [
            massprops.measure(
                ring.tolist(), **how, **{k: v * (1 + f * s) for f, (k, (v, s)) in zip(at, given.items(), strict=True)}
            )
            for at in product((-1, 1), repeat=2)
        ]
        check_within(nominal, ends, largest=1.5)
        if pose is not None:
            continue  # turned axes mix what a thickness changes with what it leaves
        # a thickness changes no radius of gyration but by its own: the ± is no more than that needs, a few times over
        radii, off = nominal.properties.radii_of_gyration, nominal.properties.uncertainty.radii_of_gyration.bound
        changes = np.max([np.abs(end.properties.radii_of_gyration - radii) for end in ends], axis=0)
        assert (off <= 12 * changes.max() + 1e-12 * radii).all(), (off, changes)


def test_the_result_has_the_error_of_the_tensor_about_a_point() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    m = massprops.measure((points, FACES), density="2700 +- 10 %")
    found = valid(json.dumps(m.to_dict(about=POINT)))
    tensor, off = (np.array(x) for x in (found["inertia"]["tensor"], found["uncertainty"]["inertia_about"]))
    assert off == pytest.approx(0.1 * np.abs(tensor), rel=1e-9)
    assert "inertia_about" not in m.to_dict()["uncertainty"]


def test_a_pose_turns_the_uncertainty_with_the_body() -> None:
    """A rod turned by 45° has products as large as its moments; unturned they are 0, and so is their ±."""
    corners, faces = indexed(box((-0.5, -0.005, -0.005), (0.5, 0.005, 0.005)))
    m = 2700 * 1e-4
    turned = massprops.measure((corners, faces), density="2700 +- 10 %", pose="0 0 0 0 0 45deg")
    moment = 0.1 * m / 24  # half of m l²/12, to 1e-4
    assert turned.uncertainty.inertia[0, 0] == pytest.approx(moment, rel=1e-3)
    assert turned.uncertainty.inertia[0, 1] == pytest.approx(moment, rel=1e-3)
    assert turned.properties.uncertainty.inertia.bound[0, 1] == pytest.approx(moment, rel=1e-3)


def test_a_repair_is_within_its_bound_in_any_pose() -> None:
    """A small facet is missing: the truth about the whole body lies within the ± of the repaired one, however it is turned."""
    for seed in seeds(3):
        rng = np.random.default_rng(seed)
        points, pose = tetrahedron(rng), random_pose(rng)
        cut = points[0] + 0.02 * (points[1:] - points[0])  # a corner cut off: its triangle is the missing facet
        solid = np.concatenate([points[1:], cut])
        whole = [[0, 1, 2], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0], [3, 5, 4]]
        truth = massprops.measure((solid, whole), density=1000, pose=pose, on_inverted="flip")
        repaired = massprops.measure((solid, whole[:-1]), density=1000, pose=pose)
        assert repaired.grade in ("repaired", "estimated")
        off = repaired.uncertainty
        for a, b, bound in zip(
            numbers(truth)[:3], numbers(repaired)[:3], (off.mass, off.center_of_mass, off.inertia), strict=False
        ):
            assert (np.abs(a - b) <= np.asarray(bound) + 1e-12 * np.abs(a).max()).all(), seed


def test_a_standard_deviation_of_a_sheet_is_in_the_json(tmp_path: Path) -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    m = massprops.measure((points, FACES), kind="sheet", thickness=1e-3, density="2700 +- 10 % sigma")
    found = valid(json.dumps(m.to_dict()))["uncertainty"]
    assert found["sigma"]["mass"] == pytest.approx(0.1 * m.mass, rel=1e-9)
    assert (found["mass"], found["sources"]) == (None, {})
    (tmp_path / "sheet.json").write_text(json.dumps(m.to_dict()), encoding="utf-8")
    joined = run("combine", tmp_path / "sheet.json", "-f", "json").result
    assert joined["uncertainty"]["sigma"]["mass"] == pytest.approx(0.1 * m.mass, rel=1e-9)


def test_the_bounds_of_a_wall_are_its_volumes_at_both_ends(tmp_path: Any) -> None:
    """100 × 50 × 20 less the same with each side less two walls: 23,892.352 and 34,593.792 mm³ for 1.6 and 2.4 mm."""
    ply = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 6\n"
    ply += "property list uchar int vertex_indices\nend_header\n"
    ply += "".join(f"{x} {y} {z}\n" for x in (0, 100) for y in (0, 50) for z in (0, 20))
    ply += "4 0 1 3 2\n4 4 6 7 5\n4 0 4 5 1\n4 2 3 7 6\n4 0 2 6 4\n4 1 5 7 3\n"
    (tmp_path / "box.ply").write_text(ply, encoding="ascii")
    done = run(
        "compute", tmp_path / "box.ply", "--units", "mm", "--as", "wall", "--thickness", "2mm +- 0.4mm", "-f", "json"
    )
    volume, change = done.result["volume"], done.result["uncertainty"]["volume"]
    ends = [100 * 50 * 20 - (100 - 2 * t) * (50 - 2 * t) * (20 - 2 * t) for t in (1.6, 2.4)]
    assert volume - change <= ends[0] * 1e-9 * SLACK
    assert volume + change >= ends[1] * 1e-9 / SLACK
    assert change <= 1.1e-9 * (ends[1] - ends[0])


#: Options of a body of 6 m³, and the least and the most that its density can be; whose volume is off too where it is not given.
DENSITIES: list[tuple[dict[str, Any], float | None, bool, float | None]] = [
    ({"density": "1000 +- 1 %"}, 10.0, False, None),
    ({"density": "1000 +- 10"}, 10.0, False, None),
    ({"density": 1000}, 0.0, False, None),
    ({"mass": "6000 +- 1 %"}, 6060.0, True, None),
    ({"mass": 6000}, 6000.0, True, None),
    ({"density": "1000 +- 20 sigma"}, 0.0, False, 20.0),
    ({"density": "1000 +- 1 %", "kind": "sheet", "thickness": "1mm"}, 0.01, False, None),
    ({}, None, False, None),
]


@pytest.mark.parametrize(("given", "most", "by_volume", "sigma"), DENSITIES, ids=str)
def test_the_density_has_its_bound_in_json_as_in_tables(
    given: dict[str, Any], most: float | None, by_volume: bool, sigma: float | None
) -> None:
    """Of a stated mass by that and the volume, which is in the denominator; a density that is given is as exact as is stated."""
    rough = box((0, 0, 0), (1, 2, 3)).astype(np.float32)
    off = massprops.measure(rough, **given).to_dict()["uncertainty"]
    wanted = most / (6 - off["volume"]) - 1000 if by_volume and most else most
    assert off["density"] == (None if wanted is None else pytest.approx(wanted, rel=1e-6, abs=1e-9))
    assert (off["sigma"] or {}).get("density") == (None if sigma is None else pytest.approx(sigma, rel=1e-12))

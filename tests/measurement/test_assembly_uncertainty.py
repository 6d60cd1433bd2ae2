"""Errors that are stated or measured, from files through assemblies: against random samples and the corners of intervals."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from oracles import box

import massprops
from massprops import MassProperties, Pose, shapes
from massprops.formats.bodies import NamedBody
from massprops.formats.bodies.json_results import body_dict
from massprops.measurement.assembly import read_assembly

SAMPLES = 250_000
#: Two boxes of one material, cut by a hole in it; a sphere that is weighed, three times; a bar whose density has a bound.
PARTS = """
part = [
  {{name = "base", shape = "box", x = 1, y = 0.6, z = 0.2, density = "7800 +- 78{sigma}"}},
  {{name = "post", shape = "box", x = 0.1, y = 0.2, z = 1.5, density = "7.8 g/cm3 +- 1 %{sigma}", pose = "0.3 0.1 0.9 0.1 0.2 0.3"}},
  {{name = "window", shape = "cylinder", radius = 0.1, length = 0.2, density = "7800 +- 78{sigma}", hole = true, pose = "-0.2 0.1 0"}},
  {{name = "ball", shape = "sphere", radius = 0.2, mass = "90 kg +- 2 %{sigma}", poses = ["1 0 0", "0 1.5 0", "0 0 -2"]}},
  {{name = "bar", shape = "box", x = 0.3, y = 0.1, z = 2, density = "2700 +- 1 %", pose = "0 -1 1"}},
]
"""


def nominal_parts() -> list[MassProperties]:
    """The bodies of `PARTS`, one for each copy."""
    steel = 7800.0
    balls = [shapes.sphere(0.2, mass=90).translated(p) for p in ([1, 0, 0], [0, 1.5, 0], [0, 0, -2])]
    return [
        shapes.box(1, 0.6, 0.2, density=steel),
        shapes.box(0.1, 0.2, 1.5, density=steel).transformed(Pose.from_xyz_rpy([0.3, 0.1, 0.9], [0.1, 0.2, 0.3])),
        -shapes.cylinder(0.1, 0.2, density=steel).translated([-0.2, 0.1, 0]),
        *balls,
        shapes.box(0.3, 0.1, 2, density=2700).translated([0, -1, 1]),
    ]


def samples(factors: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Every view of the sum of the parts, each multiplied by its factors, shape (n,): by point masses, in global coordinates."""
    parts = nominal_parts()
    mass = sum(f * p.mass for f, p in zip(factors, parts, strict=True))
    com = sum((f * p.mass)[:, None] * p.com for f, p in zip(factors, parts, strict=True)) / mass[:, None]
    origin = sum(f[:, None, None] * p.inertia_about([0, 0, 0]) for f, p in zip(factors, parts, strict=True))
    square = (com * com).sum(axis=1)[:, None, None] * np.eye(3) - com[:, :, None] * com[:, None]
    inertia = origin - mass[:, None, None] * square
    return {
        "mass": mass,
        "center_of_mass": com,
        "inertia": inertia,
        "inertia_about": origin,
        "principal_moments": np.linalg.eigvalsh(inertia[:100_000]),
        "radii_of_gyration": np.sqrt(inertia.diagonal(axis1=1, axis2=2) / mass[:, None]),
    }


def result_of(tmp_path: Path, text: str, name: str = "a.toml") -> dict:
    (tmp_path / name).write_text(text)
    result = body_dict(read_assembly(str(tmp_path / name)).body, about="origin")
    return json.loads(json.dumps(result))


def test_standard_deviations_of_an_assembly_are_those_of_samples(tmp_path):
    """Every number of the result within 1 %, four standard errors and more.

    One density is shared and is cut out by the hole, each weighed copy errs by itself.
    """
    random = np.random.default_rng(11)
    steel, *balls = random.normal(1, 0.01, (1, SAMPLES)), *random.normal(1, 0.02, (3, SAMPLES))
    drawn = samples([steel[0], steel[0], steel[0], *balls, np.ones(SAMPLES)])
    off = result_of(tmp_path, PARTS.format(sigma=" sigma"))["uncertainty"]
    for name, values in drawn.items():
        spread = values.std(axis=0)
        np.testing.assert_allclose(off["sigma"][name], spread, rtol=0.01, atol=2e-3 * spread.max(), err_msg=name)
    # the bound of the bar stands beside them
    assert off["mass"] == pytest.approx(0.01 * 2700 * 0.06)
    assert off["sources"].keys() == {"density 2700 ± 27 kg/m³"}
    assert off["stated"].keys() == {"density 7800 ± 78 kg/m³ (σ)", "mass (σ)", "density 2700 ± 27 kg/m³"}


def test_bounds_of_an_assembly_hold_every_corner(tmp_path):
    corners = np.array(list(itertools.product([-1, 1], repeat=5))).T
    steel, bar = 1 + 0.01 * corners[0], 1 + 0.01 * corners[4]
    result = result_of(tmp_path, PARTS.format(sigma=""))
    found = samples([steel] * 3 + [*(1 + 0.02 * corners[1:4]), bar])
    middle = samples([np.ones(1)] * 7)
    for name, values in found.items():
        bound = np.array(result["uncertainty"][name])
        assert (np.abs(values - middle[name]) <= bound * (1 + 1e-9) + 1e-12).all(), name
    assert result["uncertainty"]["mass"] == pytest.approx(np.ptp(found["mass"]) / 2)
    assert result["uncertainty"]["sigma"] is None


def test_an_assembly_within_assemblies_keeps_the_correlation_of_its_densities(tmp_path):
    """Twice the same: the density is one error of both copies, the masses err one by one."""
    one = result_of(tmp_path, PARTS.format(sigma=" sigma"), "inner.toml")
    two = '[[part]]\nname = "both"\nassembly = "inner.toml"\ncount = 2\n'
    outer = result_of(tmp_path, two)["uncertainty"]["sigma"]["mass"]
    steel = 78 * (0.12 + 0.03 - np.pi * 0.002)
    assert one["uncertainty"]["sigma"]["mass"] == pytest.approx(np.hypot(steel, np.sqrt(3) * 1.8))
    assert outer == pytest.approx(np.hypot(2 * steel, np.sqrt(6) * 1.8))


def test_a_measured_mesh_and_its_result_bring_their_bounds(tmp_path):
    """By its file, and by its result in JSON: the same ±, which holds the body of a mesh that is moved within its resolution."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=np.float32) + np.float32(10)
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners.tolist()]
    (tmp_path / "part.obj").write_text("\n".join([*lines, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces), ""]))
    part = massprops.measure(tmp_path / "part.obj", density="1000 +- 5 %")
    (tmp_path / "part.json").write_text(json.dumps(part.to_dict(about="origin")))
    mesh = '[[part]]\nname = "a"\nmesh = "part.obj"\ndensity = "1000 +- 5 %"\npose = "1 2 3 0.1 0.2 0.3"\n'
    body = '[[part]]\nname = "a"\nbody = "part.json"\npose = "1 2 3 0.1 0.2 0.3"\n'
    of_mesh, of_body, of_both = (result_of(tmp_path, text)["uncertainty"] for text in (mesh, body, mesh + body))
    for name in ("mass", "center_of_mass", "inertia", "inertia_about", "principal_moments"):
        np.testing.assert_allclose(of_mesh[name], of_body[name], rtol=1e-9, err_msg=name)
    assert of_mesh["mass"] == pytest.approx(part.uncertainty.mass)
    assert of_both["mass"] == pytest.approx(2 * part.uncertainty.mass)
    assert of_both["stated"].keys() == {"density 1000 ± 50 kg/m³"}
    sigma = massprops.measure(tmp_path / "part.obj", density="1000 +- 50 sigma").to_dict()["uncertainty"]
    assert sigma["sigma"]["mass"] == pytest.approx(0.05 * part.mass)
    assert sigma["mass"] < 1e-2 * part.mass
    assert "matter" not in sigma["sources"]


def test_algebra_of_measured_bodies_adds_their_bounds():
    cube = massprops.measure(box(), mass="2 kg +- 0.1")
    whole = cube.properties + cube.properties.translated([4, 0, 0])
    off = whole.uncertainty
    assert off.mass.bound == pytest.approx(0.2, rel=1e-6)
    # one is heavier and the other lighter: the centre moves, since masses have errors of their own
    assert off.center_of_mass.bound[0] >= 2 * 0.1 / 2
    assert NamedBody("a", whole).properties.sources.keys() == {"mass", "bounds"}


def test_the_thickness_of_a_section_has_no_standard_deviation():
    with pytest.raises(massprops.errors.InvalidInput, match="thickness is supported only for sheets; give a bound"):
        massprops.measure([[0, 0], [1, 0], [1, 1], [0, 1]], density=1000, thickness="2mm +- 0.1mm sigma")
    sheet = shapes.plate(1, 1, mass=1)
    assert not sheet.sources

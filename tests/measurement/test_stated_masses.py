"""Masses and densities of models in a unit of mass that no file names: which one it is, and what becomes of them under each option.

Modules tested: `mesh/stated_masses`, `measurement/stated_masses`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cases import each, raised
from console import run, valid

from massprops import measure
from massprops.errors import InvalidGeometry, InvalidInput
from massprops.mesh.source import PartLabel
from massprops.mesh.stated_masses import StatedMasses
from massprops.rigid_body.mass_properties import MassProperties

GRIDS = [
    (0, 0, 0),
    (2, 0, 0),
    (2, 3, 0),
    (0, 3, 0),
    (0, 0, 5),
    (2, 0, 5),
    (2, 3, 5),
    (0, 3, 5),
    (4, 0, 0),
    (4, 3, 0),
    (4, 0, 5),
    (4, 3, 5),
]
NODES = "".join(f"GRID,{i},,{x}.,{y}.,{z}.\n" for i, (x, y, z) in enumerate(GRIDS, 1))
CELLS = "CHEXA,1,1,1,2,3,4,5,6,+\n+,7,8\nCHEXA,2,2,2,9,10,3,6,11,+\n+,12,7\nPSOLID,1,1\nPSOLID,2,2\n"
MATERIALS = "MAT1,1,,,,7.85-9\nMAT1,2,,,,2.7-9\n"
LUMP = "CONM2,9,7,,3.-8,1.,0.,0.\n"
PLATE = "CQUAD4,1,1,1,2,3,4\nPSHELL,1,1,.5\nMAT1,1,,,,7.85-9\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.nas"
    path.write_text(NODES + CELLS + MATERIALS + LUMP)
    return path


@each(
    "length, density, name, kilograms",
    [
        ("mm", 7.85e-9, "t", 1e3),
        ("mm", 7.85e-6, "kg", 1),
        ("mm", 7.85e-3, "g", 1e-3),
        ("m", 7850, "kg", 1),
        ("cm", 7.85, "g", 1e-3),
        ("in", 7.35e-4, "lbf·s²/in", 175.126836),
        ("in", 0.284, "lb", 0.45359237),
        ("ft", 15.2, "slug", 14.593903),
    ],
)
def test_the_unit_of_mass_is_the_one_that_makes_steel_steel(
    length: str, density: float, name: str, kilograms: float
) -> None:
    """Densities of steel as handbooks of each system print them."""
    found, value = StatedMasses({PartLabel("a"): density}).unit(length)
    assert (found, value) == (name, pytest.approx(kilograms, rel=1e-8))


@each(
    "length, densities, said",
    [
        (
            "mm",
            [7.85e-9, 7.85e-6],
            "no unit of mass makes the densities of the file (7.85e-09 to 7.85e-06) those of solids",
        ),
        ("m", [1.0], "a density of 1 in the file is a placeholder"),
        ("m", [7.85e-9], "no unit of mass makes"),
        ("in", [1.8e-3], "more than one unit of mass makes"),
        ("mm", [], "no density in the file tells its unit of mass (t, kg, g)"),
    ],
)
def test_a_unit_that_the_densities_do_not_tell_is_not_guessed(length: str, densities: list[float], said: str) -> None:
    masses = StatedMasses({PartLabel(str(i)): d for i, d in enumerate(densities)})
    assert said in raised(InvalidInput, masses.unit, length).text


def test_lumped_masses_join_the_solids_as_bodies_do(model: Path) -> None:
    """The sum is that of three bodies: two boxes and a point; volume and area stay those of the boxes."""
    found = measure(model, units="mm")
    boxes = [MassProperties.from_moments(measure_box(x), density=d) for x, d in ((1e-3, 7850), (3e-3, 2700))]
    point = MassProperties(3e-5, [3e-3, 3e-3, 5e-3], np.zeros((3, 3)))
    truth = boxes[0] + boxes[1] + point
    assert found.mass == pytest.approx(truth.mass, rel=1e-13)
    assert found.center_of_mass == pytest.approx(truth.com, rel=1e-12)
    assert found.inertia == pytest.approx(truth.inertia, rel=1e-11, abs=1e-20)
    assert found.properties is not None
    assert found.properties.mass == pytest.approx(truth.mass, rel=1e-13)
    assert found.volume == pytest.approx(60e-9)
    assert found.uniform_moments.centroid == pytest.approx([2e-3, 1.5e-3, 2.5e-3], rel=1e-12)
    assert found.uncertainty is not None
    assert found.uncertainty.mass == pytest.approx(0, abs=1e-12)
    posed = measure(model, units="mm", pose="1 2 3 0 0 0")
    assert posed.center_of_mass == pytest.approx(truth.com + np.array([1, 2, 3]) / 1e3, rel=1e-12)


def measure_box(x: float):  # type: ignore[no-untyped-def]  # Moments
    from massprops.moments.integrals import Moments

    size = np.array([2e-3, 3e-3, 5e-3])
    v = float(size.prod())
    return Moments(v, np.zeros(3), v * np.diag(size**2) / 12, np.array([x, 1.5e-3, 2.5e-3]))


def test_one_density_for_all_leaves_the_lumps(model: Path) -> None:
    found = measure(model, units="mm", density=1000)
    assert found.mass == pytest.approx(60e-6 + 3e-5, rel=1e-13)
    assert found.uniform_moments.centroid == pytest.approx([2e-3, 1.5e-3, 2.5e-3], rel=1e-9)
    assert measure(model, units="mm", densities={"PID 1": 1000, "PID 2": 2000}).mass == pytest.approx(90e-6 + 3e-5)


def test_a_total_that_lacks_masses_of_the_file_is_an_error(model: Path) -> None:
    """Without the unit the densities are not used; with a density of one's own the lumps are missing from a mass."""
    plain = measure(model)
    assert plain.mass is None
    assert {(f.code, f.severity) for f in plain.findings} == {
        ("unread-density", "warning"),
        ("unmeasured-structure", "warning"),
    }
    wrong = measure(model, units="m", density=1000)
    assert ("unmeasured-structure", "error") in {(f.code, f.severity) for f in wrong.findings}
    assert run("compute", model, "--density", "1000").returncode == 1
    exact = measure(model, units="mm", density=1000, exact=True)
    assert exact.mass == pytest.approx(60e-6, rel=1e-15)
    assert ("unmeasured-structure", "error") in {(f.code, f.severity) for f in exact.findings}
    given = measure(model, units="mm", mass=2)
    assert (given.mass, [f.severity for f in given.findings if f.code == "unmeasured-structure"]) == (2, ["warning"])
    error = raised(InvalidInput, measure, model, units="m")
    assert "with lengths in m, no unit of mass makes" in error.text
    assert "give the density of each part" in str(error.hint)


def test_tables_and_json_say_what_has_no_volume(model: Path) -> None:
    done = run("compute", model, "--units", "mm")
    assert done.returncode == 0
    assert "without a volume" in done.out
    value = valid(run("compute", model, "--units", "mm", "--format", "json").out)
    assert value["structures"] == {"mass": pytest.approx(3e-5), "center_of_mass": pytest.approx([3e-3, 3e-3, 5e-3])}
    assert value["mass"] == pytest.approx(sum(p["mass"] for p in value["parts"]) + 3e-5)
    assert json.loads(run("diff", model, model, "--units", "mm", "--format", "json").out)


def test_shells_alone_are_a_sheet_that_weighs_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "plate.bdf"
    path.write_text(NODES + PLATE + "CONM2,9,3,,1.-8\n")
    found = measure(path, units="mm")
    plate, lump = 6 * 0.5 * 7.85e-6, 1e-5
    assert (found.method, found.area) == ("shell", pytest.approx(6e-6))
    assert found.mass == pytest.approx(plate + lump)
    assert found.center_of_mass * 1e3 == pytest.approx(
        np.array([plate + 2 * lump, 1.5 * plate + 3 * lump, 0]) / (plate + lump)
    )
    turned = measure(path, units="mm", pose="0 0 0 0 0 1.5707963267948966")
    assert turned.center_of_mass[:2] == pytest.approx(found.center_of_mass[[1, 0]] * [-1, 1])
    assert raised(InvalidGeometry, measure, path).code == "open-edges"

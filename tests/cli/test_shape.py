"""`massprops shape` from outside."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from console import plain_failure, run

u = 2.0**-52


def test_a_shape_is_a_body() -> None:
    # steel, 7,850 kg/m³: m = ρ π r² l, Izz = ½ m r², Ixx = m (3 r² + l²) / 12
    mass = 7850 * np.pi * 0.02**2 * 0.1
    done = run("shape", "cylinder", "--radius", "20mm", "--length", "0.1", "--material", "steel", "--format", "urdf")
    assert (done.returncode, done.err) == (0, "")
    inertia = {k: float(v) for k, v in ET.fromstring(done.out).find("inertia").attrib.items()}  # noqa: S314
    assert inertia["izz"] == pytest.approx(mass * 0.02**2 / 2, rel=8 * u)
    assert inertia["iyy"] == inertia["ixx"] == pytest.approx(mass * (3 * 0.02**2 + 0.1**2) / 12, rel=8 * u)
    result = run("shape", "cylinder", "--radius", "20mm", "--length", "0.1", "--mass", "1", "-f", "json").result
    assert (result["name"], result["method"], result["grade"], result["input"]["path"]) == (
        "cylinder",
        "closed-form",
        "exact",
        None,
    )


SHAPE_USAGE = {
    "plat --mass 1": "unknown shape 'plat'; did you mean plate?",
    "box --x 1 --y 1 --z 1 --radius 1 --mass 1": "--radius is no length of box; it has --x, --y, --z",
    "box --x 1 --mass 1": "box needs y and z",
    "box --x 1 --y 1 --z 1": "no density, material or mass given for the box; give one of them",
    "box --x 1 --y 0 --z 1 --mass 1": "y must be positive, got 0.0 m",
    "rod --length 1 --density 1": "rod has no volume, so it needs a mass; give its mass",
}


@pytest.mark.parametrize("words", SHAPE_USAGE)
def test_shapes_that_cannot_be_are_refused(words: str) -> None:
    plain_failure(run("shape", *words.split()), 2, SHAPE_USAGE[words])


def test_a_density_that_no_material_has_is_reported_for_a_shape() -> None:
    done = run("shape", "box", "--x", "1", "--y", "1", "--z", "1", "--density", "7.8", "-f", "json")
    (found,) = json.loads(done.stdout)["findings"]
    assert (found["code"], found["severity"]) == ("implausible-density", "warning")
    assert "is 7.8 g/cm3 meant?" in found["message"]

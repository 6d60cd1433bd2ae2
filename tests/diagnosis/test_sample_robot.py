"""The sample robot states the exact inertial of its mesh, and, in one link, the mistake that its README names."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from places import ROOT

FOLDER = ROOT / "samples/robots"
#: Attribute of `<inertia>` to the row of the table in sample_meshes/README.md.
ENTRIES = {"ixx": "Ixx", "iyy": "Iyy", "izz": "Izz", "ixy": "Ixy", "ixz": "Ixz", "iyz": "Iyz"}


def exact() -> dict[str, float]:
    """Of the bracket, from the exact answers of the sample meshes."""
    page = (ROOT / "sample_meshes" / "README.md").read_text(encoding="utf-8")
    section = page.partition("\n### bracket\n")[2].partition("\n### ")[0]
    return {name: float(si) for name, si in re.findall(r"^\| (\w+) \| .*\| (\S+) \|$", section, flags=re.MULTILINE)}


@pytest.mark.parametrize(("link", "sign"), [("upper_arm", 1), ("forearm", -1)])
def test_links_state_the_exact_inertial_of_the_bracket(link: str, sign: int) -> None:
    """To the digits that are written; `forearm` has the products of inertia with the other sign."""
    tree = ElementTree.parse(FOLDER / "arm.urdf")  # noqa: S314 — the file is ours
    inertial = tree.find(f"link[@name='{link}']/inertial")
    assert inertial is not None
    attributes = inertial.find("inertia").attrib
    truth = exact()
    for key, row in ENTRIES.items():
        value = truth[row] * (sign if key in ("ixy", "ixz", "iyz") else 1)
        assert float(attributes[key]) == pytest.approx(value, rel=5e-6)  # six digits
    assert float(inertial.find("mass").get("value")) == pytest.approx(truth["m"], rel=1e-5)  # five
    centre = [float(x) for x in inertial.find("origin").get("xyz").split()]
    assert centre == pytest.approx([truth["Cx"], truth["Cy"], truth["Cz"]], abs=5e-7)  # six decimals


def test_the_mesh_is_the_sample_mesh() -> None:
    assert (FOLDER / "meshes" / "bracket.stl").read_bytes() == (ROOT / "sample_meshes" / "bracket.stl").read_bytes()

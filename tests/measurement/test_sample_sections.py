"""The sample sections are what their script writes, and the program measures them to their exact answers, in every format."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each, raised
from places import ROOT, script

import massprops
from massprops.errors import InvalidGeometry

FOLDER = ROOT / "samples/sections"


MAKE = script(FOLDER / "make_samples.py")
#: A, Cx, Cy, Ixx, Iyy, Ixy in units of the file.
EXACT = {
    "angle": MAKE.exact(MAKE.ANGLE),
    "plate": MAKE.exact(MAKE.PLATE, MAKE.WINDOW),
    "wedge": MAKE.exact(MAKE.WEDGE),
    "ring": (MAKE.exact_ring(40, 30)[0], 60, 0, MAKE.exact_ring(40, 30)[1], MAKE.exact_ring(40, 30)[1], 0),
    "ipe200": (MAKE.exact_ipe()[0], 0, 0, *MAKE.exact_ipe()[1:], 0),
}
MEASURED = [name for name in MAKE.samples() if not name.startswith("figure")]


@each("name", MAKE.samples())
def test_samples_are_what_their_script_writes(name: str) -> None:
    assert (FOLDER / name).read_bytes() == MAKE.samples()[name].encode()


def test_there_are_no_other_files() -> None:
    assert {p.name for p in FOLDER.iterdir() if p.is_file()} == {*MAKE.samples(), "README.md", "make_samples.py"}


@each("name", MEASURED)
def test_samples_have_their_exact_answers(name: str) -> None:
    exact = np.array([float(x) for x in EXACT[name.partition(".")[0]]])
    stated = name.endswith((".svg", ".dxf"))  # these state their unit
    section = massprops.measure(FOLDER / name, units=None if stated else "mm").section
    i = section.scaled(1000).about_centroid
    got = np.array([section.area * 1e6, *section.centroid * 1e3, i.Ixx, i.Iyy, i.Ixy])
    size = np.array([exact[0], *[exact[0] ** 0.5 + abs(exact[1:3]).max()] * 2, *[exact[3:5].max()] * 3])
    np.testing.assert_array_less(abs(got - exact), 1e-13 * size)  # some hundred terms and a change of units


def test_the_table_states_them() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name in ("angle", "plate", "wedge"):
        row = next(line for line in readme.splitlines() if line.startswith(f"| `{name}`"))
        a, cx, cy, *second = EXACT[name]
        cells = [c.strip() for c in row.strip("|").split("|")][2:]
        assert cells == [str(a), f"({cx}, {cy})", *(str(v).replace("-", "−") for v in second)]
    row = next(line for line in readme.splitlines() if line.startswith("| `ipe200`"))
    assert f"{EXACT['ipe200'][3]:.4f} | {EXACT['ipe200'][4]:.4f}" in row


def test_the_figure_eight_is_refused_and_its_lobes_are_measured_by_name() -> None:
    assert raised(InvalidGeometry, massprops.measure, FOLDER / "figure_eight.csv", units="mm").code == "self-crossing"
    section = massprops.measure(FOLDER / "figure_eight.csv", units="mm", rings="nonzero").section
    assert section.area * 1e6 == pytest.approx(100, rel=1e-14)

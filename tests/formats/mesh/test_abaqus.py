"""Abaqus input files: sections, materials, parts and instances, and masses beside the solids; closed forms are the truth."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from cases import each, raised

from massprops import measure
from massprops.errors import InvalidGeometry, ReadError
from massprops.measurement.result import Measurement

GRIDS = [(0, 0, 0), (2, 0, 0), (2, 3, 0), (0, 3, 0), (0, 0, 5), (2, 0, 5), (2, 3, 5), (0, 3, 5)]
NODES = "*NODE, NSET=all\n" + "".join(f"{i}, {x}., {y}., {z}.\n" for i, (x, y, z) in enumerate(GRIDS, 1))
HEX = "** a comment\n*Element, type=C3D8R,\n elset=Body\n 1, 1,2,3,4,5,6,7,8\n"
SECTION = "*Solid Section, elset=BODY, material=Steel\n,\n"
MATERIAL = '*MATERIAL, NAME="steel"\n*Elastic\n210000., .3\n*Density\n7.85e-09,\n'
BOX = NODES + HEX + SECTION + MATERIAL
STEEL, VOLUME = 7850.0, 30e-9


def measured(folder: Path, text: str, **options: object) -> Measurement:
    path = folder / "model.inp"
    path.write_text(text)
    return measure(path, **{"units": "mm", **options})  # type: ignore[arg-type]


def test_a_box_weighs_its_density_times_its_volume(tmp_path: Path) -> None:
    found = measured(tmp_path, BOX)
    assert (found.volume, found.mass) == (pytest.approx(VOLUME), pytest.approx(STEEL * VOLUME))
    assert [(p.label.name, p.label.material) for p in found.parts] == [("BODY", "Steel")]


@each("row", ["3,2.,3.", "3,2.,3.,", "3,2.,3.,,7."])
def test_a_coordinate_that_is_left_out_is_zero(tmp_path: Path, row: str) -> None:
    """Decks of CalculiX's own tests have such nodes; what follows the third coordinate is none."""
    text = (
        BOX.replace("\n3, 2., 3., 0.\n", f"\n{row}\n")
        .replace("\n1, 0., 0., 0.\n", "\n1\n")
        .replace("\n5, 0., 0., 5.\n", "\n5,,,5.\n")
    )
    assert {"1", row, "5,,,5."} <= {*text.splitlines()}
    assert measured(tmp_path, text).volume == pytest.approx(VOLUME)


def test_sets_name_elements_sets_and_ranges(tmp_path: Path) -> None:
    """Two hexahedra, by number, by range and by the name of another set; the second is of another material."""
    more = "9, 4.,0.,0.\n10, 4.,3.,0.\n11, 4.,0.,5.\n12, 4.,3.,5.\n"
    sets = "*ELSET, ELSET=one\n1,\n*ELSET, ELSET=two, GENERATE\n2, 2\n*ELSET, ELSET=both\none, two\n"
    elements = "*ELEMENT, TYPE=C3D8\n1, 1,2,3,4,5,6,7,8\n2, 2,9,10,3,6,11,\n12,7\n"
    sections = "*SOLID SECTION, ELSET=both, MATERIAL=steel\n*SOLID SECTION, ELSET=TWO, MATERIAL=alu\n"
    found = measured(
        tmp_path, NODES + more + elements + sets + sections + MATERIAL + "*MATERIAL, NAME=ALU\n*DENSITY\n2.7E-9\n"
    )
    assert {p.label.name: p.measurement.mass for p in found.parts} == {
        "both": pytest.approx(7850 * VOLUME),
        "TWO": pytest.approx(2700 * VOLUME),
    }


def test_instances_stand_where_they_are_moved_and_turned(tmp_path: Path) -> None:
    """Moved by 10 along x, then turned by a quarter about the axis through (10, 0, 0) along z: (x, y) → (10 − y, x)."""
    part = f"*PART, NAME=P\n{NODES}{HEX}{SECTION}*END PART\n"
    instances = "*INSTANCE, NAME=a, PART=p\n*END INSTANCE\n"
    instances += "*INSTANCE, NAME=b, PART=P\n10., 0., 0.\n10.,0.,0., 10.,0.,1., 90.\n*END INSTANCE\n"
    found = measured(tmp_path, f"{part}*ASSEMBLY, NAME=A\n{instances}*END ASSEMBLY\n{MATERIAL}")
    assert [p.label.path for p in found.parts] == ["a/BODY", "b/BODY"]
    centres = [p.measurement.center_of_mass * 1e3 for p in found.parts]
    assert centres == [pytest.approx([1, 1.5, 2.5]), pytest.approx([10 - 1.5, 1, 2.5])]
    assert measured(tmp_path, part + MATERIAL).volume == pytest.approx(VOLUME)


@each(
    "text, mass, centre",
    [
        ("*ELEMENT, TYPE=S4R, ELSET=s\n2, 5,6,7,8\n*SHELL SECTION, ELSET=s, MATERIAL=steel\n.5, 5\n", 3 * 7.85e-9, [1, 1.5, 5]),
        ("*ELEMENT, TYPE=S3, ELSET=s\n2, 1,2,3\n*SHELL SECTION, ELSET=s, MATERIAL=steel, DENSITY=1e-9\n.5\n",
         3 * (0.5 * 7.85e-9 + 1e-9), [4 / 3, 1, 0]),
        ("*ELEMENT, TYPE=S4, ELSET=s\n2, 5,6,7,8\n*SHELL SECTION, ELSET=s, COMPOSITE\n.2, 3, steel, 0.\n.1, 3, steel, 90.\n",
         6 * 0.3 * 7.85e-9, [1, 1.5, 5]),
        ("*ELEMENT, TYPE=M3D4, ELSET=s\n2, 5,6,7,8\n*MEMBRANE SECTION, ELSET=s, MATERIAL=steel\n.5\n", 3 * 7.85e-9, [1, 1.5, 5]),
        ("*ELEMENT, TYPE=B31, ELSET=s\n2, 1,7\n*BEAM SECTION, ELSET=s, MATERIAL=steel, SECTION=RECT\n2., 3.\n0.,1.,0.\n",
         math.sqrt(38) * 6 * 7.85e-9, [1, 1.5, 2.5]),
        ("*ELEMENT, TYPE=B31, ELSET=s\n2, 1,2\n*BEAM SECTION, ELSET=s, MATERIAL=steel, SECTION=PIPE\n2., .5\n",
         2 * math.pi * (4 - 2.25) * 7.85e-9, [1, 0, 0]),
        ("*ELEMENT, TYPE=B31, ELSET=s\n2, 1,2\n*BEAM SECTION, ELSET=s, MATERIAL=steel, SECTION=BOX\n6., 8., .5, 1., .5, 1.\n",
         2 * (2 * 6 * 1 + 2 * 6 * 0.5) * 7.85e-9, [1, 0, 0]),  # plates at top and bottom, and between them
        ("*ELEMENT, TYPE=B31, ELSET=s\n2, 1,2\n*BEAM SECTION, ELSET=s, MATERIAL=steel, SECTION=I\n5., 10., 4., 4., 1., 1., .5\n",
         2 * (2 * 4 * 1 + 8 * 0.5) * 7.85e-9, [1, 0, 0]),
        ("*ELEMENT, TYPE=T3D2, ELSET=s\n2, 1,2\n*SOLID SECTION, ELSET=s, MATERIAL=steel\n4.\n", 8 * 7.85e-9, [1, 0, 0]),
        ("*ELEMENT, TYPE=B31, ELSET=s\n2, 1,2\n*BEAM GENERAL SECTION, ELSET=s, DENSITY=1e-9, SECTION=GENERAL\n4.,1.,0.,1.,1.\n",
         8e-9, [1, 0, 0]),
        ("*ELEMENT, TYPE=MASS, ELSET=s\n2, 7\n*MASS, ELSET=s\n2e-9,\n", 2e-9, [2, 3, 5]),
    ],
)  # fmt: skip
def test_structure_weighs_what_its_section_says(tmp_path: Path, text: str, mass: float, centre: list[float]) -> None:
    found = measured(tmp_path, BOX + text)
    assert found.structures is not None
    assert found.structures.mass == pytest.approx(mass * 1e3, rel=1e-12)
    assert found.structures.com * 1e3 == pytest.approx(centre, rel=1e-12, abs=1e-15)
    assert found.mass == pytest.approx(STEEL * VOLUME + mass * 1e3, rel=1e-12)
    assert not [f for f in found.findings if f.severity == "error"]


def test_a_curved_beam_is_as_long_as_its_parabola(tmp_path: Path) -> None:
    """y = 1 − x² over (−1, 1): the length is √5 + asinh(2) / 2."""
    text = "*NODE\n20,-1.,10.,0.\n21,0.,11.,0.\n22,1.,10.,0.\n*ELEMENT, TYPE=B32, ELSET=s\n2, 20,21,22\n"
    text += "*BEAM SECTION, ELSET=s, MATERIAL=steel, SECTION=RECT\n1., 1.\n"
    found = measured(tmp_path, BOX + text)
    assert found.structures is not None
    assert found.structures.mass == pytest.approx(7.85e-6 * (math.sqrt(5) + math.asinh(2) / 2), rel=1e-12)


def test_a_lumped_mass_stands_at_a_node_of_an_instance(tmp_path: Path) -> None:
    """As Abaqus/CAE writes it, in the assembly: the node by the name of its instance, which is moved and turned."""
    part = f"*PART, NAME=p\n{NODES}{HEX}{SECTION}*END PART\n"
    text = (
        f"{part}*ASSEMBLY, NAME=a\n*INSTANCE, NAME=I-1, PART=p\n10., 0., 0.\n10.,0.,0., 10.,0.,1., 90.\n*END INSTANCE\n"
    )
    text += "*ELEMENT, TYPE=MASS, ELSET=m\n1, i-1.3\n*MASS, ELSET=m\n2e-9,\n*END ASSEMBLY\n"
    found = measured(tmp_path, text + MATERIAL)
    assert found.structures is not None
    assert found.structures.mass == pytest.approx(2e-6)
    assert found.structures.com * 1e3 == pytest.approx([7, 2, 0])
    assert not [f for f in found.findings if f.severity == "error"]
    assert (
        "no node has the number 'i-2.3'"
        in raised(ReadError, measured, tmp_path, text.replace("i-1.3", "i-2.3") + MATERIAL).text
    )


def test_a_rotary_inertia_is_about_its_node(tmp_path: Path) -> None:
    text = "*ELEMENT, TYPE=MASS, ELSET=m\n2, 7\n*MASS, ELSET=m\n2e-9,\n"
    text += "*ELEMENT, TYPE=ROTARYI, ELSET=r\n3, 7\n*ROTARY INERTIA, ELSET=r\n5e-8,6e-8,7e-8\n"
    found = measured(tmp_path, BOX + text)
    assert found.structures is not None
    assert found.structures.inertia == pytest.approx(np.diag([5e-11, 6e-11, 7e-11]), rel=1e-12)


@each(
    "text, said",
    [
        ("*ELEMENT, TYPE=S4, ELSET=s\n2, 5,6,7,8\n", "1 shell of s (no section)"),
        (
            "*ELEMENT, TYPE=S4, ELSET=s\n2, 5,6,7,8\n*SHELL SECTION, ELSET=s, MATERIAL=x\n.5\n",
            "1 shell of s (no density of x)",
        ),
        (
            "*ELEMENT, TYPE=S4, ELSET=s\n2, 5,6,7,8\n*SHELL SECTION, ELSET=s, MATERIAL=steel, OFFSET=SPOS\n.5\n",
            "OFFSET is not read",
        ),
        (
            "*ELEMENT, TYPE=B31, ELSET=s\n2, 1,2\n*BEAM SECTION, ELSET=s, MATERIAL=steel, SECTION=I\n1.,1.,1.\n",
            "1 B31 (section I)",
        ),
        ("*ELEMENT, TYPE=COH3D8, ELSET=s\n2, 1,2,3,4,1,2,3,4\n", "1 elements of the type COH3D8"),
        ("*MASS, ELSET=nowhere\n1.,\n", "1 *MASS of a set with elements that are not there"),
        (
            "*ELSET, ELSET=m, INSTANCE=i\n77,\n*MASS, ELSET=m\n1.,\n",
            "1 *MASS of a set with elements that are not there",
        ),
        ("*MATRIX ASSEMBLE, MASS=m\n", "1 *MATRIX ASSEMBLE"),
        (
            "*ELEMENT, TYPE=B31, ELSET=s\n2, 1,2\n*BEAM SECTION, ELSET=s, MATERIAL=steel, SECTION=BOX\n4.,4.,1.,1.,2.,1.\n",
            "1 B31 (section BOX)",
        ),
        ("*NONSTRUCTURAL MASS, ELSET=body, UNITS=TOTAL MASS\n1.\n", "1 *NONSTRUCTURAL MASS"),
        (
            "*ELEMENT, TYPE=ROTARYI, ELSET=r\n3, 7\n*ROTARY INERTIA, ELSET=r\n1.,1.,1.,.1\n",
            "1 *ROTARY INERTIA with products",
        ),
    ],
)
def test_what_bears_mass_and_is_not_read_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    found = measured(tmp_path, BOX + text)
    (finding,) = (f for f in found.findings if f.severity == "error")
    assert finding.code == "unmeasured-structure"
    assert said in finding.message


def test_connectors_springs_and_rigid_faces_bear_nothing(tmp_path: Path) -> None:
    text = "*ELEMENT, TYPE=CONN3D2\n2, part-1.1, part-1.2\n*ELEMENT, TYPE=SPRINGA\n3, 1, 2\n*ELEMENT, TYPE=R3D4\n4, 1,2,3,4\n"
    assert not [f for f in measured(tmp_path, BOX + text).findings if f.severity == "error"]


def test_a_mesh_alone_has_its_sets_as_parts(tmp_path: Path) -> None:
    """As meshers write it, with the faces that they meshed first."""
    found = measured(tmp_path, f"{NODES}{HEX}*ELEMENT, TYPE=CPS4, ELSET=skin\n2, 5,6,7,8\n", densities={"Body": 1000})
    assert found.mass == pytest.approx(30e-6)
    assert {f.code for f in found.findings} == {"skipped-elements"}


@each(
    "text, code, said",
    [
        ("*NODE\n1,0,0,x\n", "bad-number", "model.inp:1: a coordinate"),
        (NODES + "*ELEMENT, TYPE=C3D8\n1, 1,2,3,4,5,6,7,99\n", "bad-index", "no node has the number 99"),
        ("*INCLUDE, INPUT=mesh.inp\n", "unread-include", "model.inp:1: *INCLUDE is not followed"),
        (NODES + "*NCOPY, CHANGE NUMBER=1\n", "unread-include", "*NCOPY is not followed"),
        ("/PREP7\n", "wrong-format", "expected a keyword such as *NODE, got '/PREP7'"),
        (NODES.replace("*NODE", "*NODE, SYSTEM=C") + HEX, "bad-frame", "nodes in the system C"),
        (NODES + HEX.replace("1, 1,2,3,4,5,6,7,8", "1, 1,2,3,4,5,6,7"), "bad-cell", "has 7 of its 8 nodes"),
    ],
)
def test_what_is_damaged_is_refused_by_name(tmp_path: Path, text: str, code: str, said: str) -> None:
    error = raised(ReadError, measured, tmp_path, text)
    assert error.code == code
    assert said in error.text


def test_a_turned_cell_has_its_number_in_the_file(tmp_path: Path) -> None:
    text = NODES + "9, 4.,0.,0.\n10, 4.,3.,0.\n11, 4.,0.,5.\n12, 4.,3.,5.\n"
    text += "*ELEMENT, TYPE=C3D8\n1, 1,2,3,4,5,6,7,8\n77, 6,11,12,7,2,9,10,3\n"
    text = text.replace("\n77,", "\n*ELEMENT, TYPE=C3D8, ELSET=other\n77,")
    said = raised(InvalidGeometry, measured, tmp_path, text).text
    assert "1 of 2 cells (hexahedron) have a Jacobian that is not positive" in said
    assert "the first is cell 77 of other" in said

"""Nastran decks: the three formats of fields, coordinate systems, properties, and masses beside the solids; closed forms are the truth."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from cases import each, raised

from massprops import measure
from massprops.errors import ReadError
from massprops.formats.mesh.nastran import cards
from massprops.measurement.result import Measurement

#: A box of 2 × 3 × 5 mm of steel, in tonnes and millimetres.
GRIDS = [(0, 0, 0), (2, 0, 0), (2, 3, 0), (0, 3, 0), (0, 0, 5), (2, 0, 5), (2, 3, 5), (0, 3, 5)]
BOX = "".join(f"GRID,{i},,{x}.,{y}.,{z}.\n" for i, (x, y, z) in enumerate(GRIDS, 1))
BOX += "CHEXA,1,1,1,2,3,4,5,6,+\n+,7,8\nPSOLID,1,1\nMAT1,1,2.1+5,,.3,7.85-9\n"
STEEL, VOLUME = 7.85e-9 * 1e3 * 1e9, 30e-9


def measured(folder: Path, bulk: str, **options: object) -> Measurement:
    path = folder / "deck.bdf"
    path.write_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}ENDDATA\nthis is not read")
    return measure(path, **{"units": "mm", **options})  # type: ignore[arg-type]


def beside(folder: Path, bulk: str) -> tuple[float, list[float]]:
    """Mass without a volume, t, and its centre, mm."""
    found = measured(folder, BOX + bulk)
    assert found.mass == pytest.approx(
        STEEL * VOLUME + (0 if found.structures is None else found.structures.mass), rel=1e-14
    )
    assert not [f for f in found.findings if f.severity == "error"]
    return (0, []) if found.structures is None else (found.structures.mass / 1e3, (found.structures.com * 1e3).tolist())


def codes(found: Measurement) -> set[str]:
    return {f.code for f in found.findings if f.severity == "error"}


def test_fields_are_free_small_or_large() -> None:
    text = "GRID,7,,1.,2.5-1,-3.+2\nGRID           7              1.  2.5-1  -3.+2\n"
    text += "GRID*                  7                              1.           2.5-1\n*                 -3.0D2\n"
    text += "GRID*,7,,1.0,2.5E-1\n*,-300.\ngrid,7,,1.,.25,-300. $ comment\n"
    found = list(cards("x", text))
    assert [(c.name, c.whole(0), [c.number(i) for i in (2, 3, 4)]) for c in found] == [
        ("GRID", 7, [1.0, 0.25, -300.0])
    ] * 5
    assert [c.place for c in found] == ["x:1", "x:2", "x:3", "x:5", "x:7"]


def test_a_continuation_begins_where_the_next_eight_fields_do() -> None:
    (card,) = cards("x", "MAT9,1,1.,,,,\n,9.\n")
    assert (card.number(1), card.text(7), card.number(8)) == (1.0, "", 9.0)
    (card,) = cards(
        "x",
        "CTETRA  1       1       11      12      13      14      15      16      +A1\n+A1     17      18      19      20\n",
    )
    assert [card.whole(i) for i in range(2, 12)] == list(range(11, 21))


def test_a_box_weighs_its_density_times_its_volume(tmp_path: Path) -> None:
    found = measured(tmp_path, BOX)
    assert (found.volume, found.mass) == (pytest.approx(VOLUME), pytest.approx(STEEL * VOLUME))
    assert [str(p.label) for p in found.parts] == ["PID 1 (MID 1)"]
    assert "the unit of mass of the file is t" in next(f.message for f in found.findings if f.code == "mass-unit")


@each("kind", ["C", "S", "R"])
def test_nodes_in_systems_of_their_own(tmp_path: Path, kind: str) -> None:
    """A system that is given in another one: its z axis is x of the basic system, and its origin (1, 1, 1)."""
    nodes = []
    for p in GRIDS:
        x, y, z = (p[i] - 1 for i in (1, 2, 0))  # axes of the system are y, z, x of the basic one
        r, flat, turn = math.sqrt(x * x + y * y + z * z), math.hypot(x, y), math.degrees(math.atan2(y, x))
        own = {"R": (x, y, z), "C": (flat, turn, z), "S": (r, math.degrees(math.atan2(flat, z)), turn)}[kind]
        nodes.append(own)
    bulk = "".join(f"GRID*,{i},9,{a!r},{b!r}\n*,{c!r}\n" for i, (a, b, c) in enumerate(nodes, 1))
    bulk += "CORD2R,8,,1.,1.,1.,1.,1.,2.,\n,2.,1.,1.\n"
    # in system 8, whose axes are those of the basic one
    bulk += f"CORD2{kind},9,8,0.,0.,0.,1.,0.,0.,\n,0.,1.,0.\n"
    found = measured(tmp_path, bulk + BOX[BOX.index("CHEXA") :])
    assert found.volume == pytest.approx(VOLUME, rel=1e-9)
    assert found.center_of_mass == pytest.approx([1e-3, 1.5e-3, 2.5e-3], rel=1e-9)


def test_a_lumped_mass_has_an_offset_and_an_inertia_in_its_axes(tmp_path: Path) -> None:
    """System 4 is turned by a quarter about z: its x axis is y of the basic one. The tensor of CONM2 has products, ∫ x y dm."""
    bulk = "CORD2R,4,,0.,0.,0.,0.,0.,1.,\n,0.,1.,0.\nCONM2,7,2,4,2.-9,1.,2.,3.,,\n,5.-8,1.-8,6.-8,0.,0.,7.-8\n"
    found = measured(tmp_path, BOX + bulk)
    assert found.structures is not None
    assert found.structures.mass == pytest.approx(2e-6)
    assert found.structures.com * 1e3 == pytest.approx([2 - 2, 1, 3])
    unit = 1e3 * 1e-6
    inertia = np.array([[6, 1, 0], [1, 5, 0], [0, 0, 7]]) * 1e-8 * unit
    assert found.structures.inertia == pytest.approx(inertia, rel=1e-12)
    solid = measured(tmp_path, BOX)
    assert found.mass == pytest.approx(solid.mass + 2e-6)
    m, c = np.array([solid.mass, 2e-6]), np.array([solid.center_of_mass, found.structures.com])
    assert found.center_of_mass == pytest.approx(m @ c / m.sum(), rel=1e-12)
    d = c - found.center_of_mass
    shifted = sum(mass * (x @ x * np.eye(3) - np.outer(x, x)) for mass, x in zip(m, d, strict=True))
    assert found.inertia == pytest.approx(solid.inertia + inertia + shifted, rel=1e-12)
    assert found.volume == solid.volume
    assert measured(tmp_path, BOX + "CONM2,7,2,-1,2.-9,1.,2.,3.\n").structures.com * 1e3 == pytest.approx([1, 2, 3])


@each(
    "name, bulk, mass, centre",
    [
        ("shell", "CQUAD4,2,2,5,6,7,8\nPSHELL,2,1,.5,,,,,1.-9\n", 6 * (0.5 * 7.85e-9 + 1e-9), [1, 1.5, 5]),
        ("triangle", "CTRIA3,2,2,1,2,3\nPSHELL,2,1,.5\n", 3 * 0.5 * 7.85e-9, [4 / 3, 1, 0]),
        ("laminate", "CQUAD4,2,2,5,6,7,8\nPCOMP,2,,1.-9,,,,,SYM\n,1,.2,0.,,2,.1,45.\nMAT8,2,1.,1.,.3,1.,1.,1.,1.5-9\n",
         6 * (2 * (0.2 * 7.85e-9 + 0.1 * 1.5e-9) + 1e-9), [1, 1.5, 5]),
        ("bar", "CBAR,2,2,1,7,1.,0.,0.\nPBAR,2,1,2.,1.,1.,1.,3.-9\n", math.sqrt(38) * (2 * 7.85e-9 + 3e-9), [1, 1.5, 2.5]),
        ("rod", "CONROD,2,1,2,1,3.\n", 2 * 3 * 7.85e-9, [1, 0, 0]),
        ("tube", "CTUBE,2,2,1,2\nPTUBE,2,1,4.,1.\n", 2 * math.pi * 3 * 7.85e-9, [1, 0, 0]),
        ("thick tube", "CTUBE,2,2,1,2\nPTUBE,2,1,4.\n", 2 * math.pi * 4 * 7.85e-9, [1, 0, 0]),
        ("beam", "CBEAM,2,2,1,2,1.,0.,0.\nPBEAM,2,1,2.,1.,1.,,1.,3.-9\n", 2 * (2 * 7.85e-9 + 3e-9), [1, 0, 0]),
        ("uniform beam", "CBEAM,2,2,1,2,1.,0.,0.\nPBEAM,2,1,2.,1.,1.,,1.\n,,,,,,,,\n,YES,1.,2.,1.,1.\n,,,,,,,,\n,.8,.8\n",
         2 * 2 * 7.85e-9, [1, 0, 0]),
        *(
            (f"{card} {shape}", f"C{card[1:-1]},2,2,1,2,1.,0.,0.\n{card},2,1,,{shape}\n,{sizes},3.-9\n",
             2 * (area * 7.85e-9 + 3e-9), [1, 0, 0])
            for card in ("PBARL", "PBEAML")
            for shape, sizes, area in (
                ("ROD", "2.", 4 * math.pi), ("TUBE", "3.,2.", 5 * math.pi), ("TUBE2", "3.,1.", 5 * math.pi),
                ("BAR", "2.,3.", 6), ("BOX", "6.,8.,1.,.5", 18),  # two plates of 6 × 1 and two of 6 × 0.5
                ("I", "10.,4.,6.,.5,1.,2.", 4 + 12 + 3.5), ("T", "6.,8.,1.,.5", 6 + 3.5),
            )
        ),
    ],
)  # fmt: skip
def test_structure_weighs_what_its_property_says(
    tmp_path: Path, name: str, bulk: str, mass: float, centre: list[float]
) -> None:
    found = beside(tmp_path, bulk)
    assert found[0] == pytest.approx(mass, rel=1e-12), name
    assert found[1] == pytest.approx(centre, rel=1e-12)


@each(
    "bulk, said",
    [
        ("CQUAD4,2,2,5,6,7,8\nPSHELL,2,1\n", "1 shell of PID 2 (no thickness)"),
        ("CQUAD4,2,2,5,6,7,8\nPSHELL,2,3,1.\nMAT1,3,1.\n", "1 shell of PID 2 (no density)"),
        ("CQUAD4,2,2,5,6,7,8,0.,.5\nPSHELL,2,1,1.\n", "thicknesses of their own or offsets"),
        ("CQUAD4,2,2,5,6,7,8\nPCOMP,2,0.,1.-9\n,1,.2,0.\n", "an offset"),
        ("CBAR,2,2,1,2,1.,0.,0.\nPBARL,2,1,,BOX\n", "1 CBAR (sizes of BOX are left out)"),
        ("CBAR,2,2,1,2,1.,0.,0.\nPBARL,2,1,,HAT\n,1.,1.,1.,1.\n", "1 CBAR (section HAT)"),
        ("CBEAM,2,2,1,2,1.,0.,0.\nPBEAML,2,1,,ROD\n,1.,,YES,1.,2.\n", "1 CBEAM (stations)"),
        ("CBEAM,2,2,1,2,1.,0.,0.\nPBEAM,2,1,2.,1.,1.\n,,,,,,,,\n,NO,1.,3.\n", "1 CBEAM (stations)"),
        ("CBEAM,2,2,1,2,1.,0.,0.\nPBEAM,2,1,2.,1.,1.\n,NO,1.,2.\n,,,,,,,,\n,.5\n", "1 CBEAM (stations)"),
        ("CTUBE,2,2,1,2\nPTUBE,2,1,4.,1.,,3.\n", "1 CTUBE (stations)"),
        ("CBAR,2,2,1,2,1.,0.,0.,,\n,,,0.,1.,0.\nPBAR,2,1,2.\n", "1 CBAR (offsets)"),
        ("CONM1,2,1,,5.\n", "1 CONM1"),
        ("NSM,3,PSHELL,2,1.\n", "1 NSM"),
    ],
)
def test_what_bears_mass_and_is_not_read_is_an_error(tmp_path: Path, bulk: str, said: str) -> None:
    found = measured(tmp_path, BOX + bulk)
    (finding,) = (f for f in found.findings if f.severity == "error")
    assert finding.code == "unmeasured-structure"
    assert said in finding.message


def test_loads_and_sets_with_the_number_of_a_property_are_others(tmp_path: Path) -> None:
    """Numbers of loads are not those of properties: most loaded decks have both from 1 on."""
    loads = "PLOAD4,1,1,5.\nPLOAD,1,2.,1,2,3\nPCONV,1,1\nPLOAD2,1,3.,1\n"
    found = measured(tmp_path, BOX + loads)
    assert (found.mass, codes(found)) == (pytest.approx(STEEL * VOLUME), set())


def test_nodes_without_a_system_are_in_that_of_grdset(tmp_path: Path) -> None:
    """Turned by 90° about z: the box lies where x < 0; a node with system 0 states the basic one."""
    found = measured(tmp_path, BOX + "GRDSET,,5\nCORD2R,5,,0.,0.,0.,0.,0.,1.\n,0.,1.,0.\n")
    assert found.center_of_mass * 1e3 == pytest.approx([-1.5, 1, 2.5])
    basic = BOX.replace(",,", ",0,", 8)
    found = measured(tmp_path, basic + "GRDSET,,5\nCORD2R,5,,0.,0.,0.,0.,0.,1.\n,0.,1.,0.\n")
    assert found.center_of_mass * 1e3 == pytest.approx([1, 1.5, 2.5])


def test_a_mass_matrix_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "deck.bdf").write_text(
        f"SOL 103\nCEND\nM2GG = MASSES $ a\nBEGIN BULK\n{BOX}DMIG,MASSES,0,6,1\nENDDATA\n"
    )
    found = measure(tmp_path / "deck.bdf", units="mm")
    assert codes(found) == {"unmeasured-structure"}
    assert "the mass matrix of 'M2GG = MASSES'" in found.findings[0].message


def test_weights_are_masses_by_wtmass(tmp_path: Path) -> None:
    """Inches and pounds of force: 0.284 lb/in³ times 1/386.4 are slinches, as the solver has them."""
    inch = BOX.replace("7.85-9", ".284") + "PARAM,WTMASS,2.588-3\n"
    found = measured(tmp_path, inch, units="in")
    assert found.density == pytest.approx(0.284 * 2.588e-3 * 175.126836 / 0.0254**3, rel=1e-6)
    assert "lbf·s²/in" in next(f.message for f in found.findings if f.code == "mass-unit")


def test_a_mesh_without_properties_has_parts_by_number(tmp_path: Path) -> None:
    found = measured(
        tmp_path, BOX[: BOX.index("PSOLID")] + "CQUAD4,2,2,5,6,7,8\n", units=None, densities={"PID 1": 1000}
    )
    assert found.mass == pytest.approx(30e3)
    assert codes(found) == set()


@each(
    "bulk, code, said",
    [
        (BOX.replace("GRID,3", "GRID,33"), "bad-index", "no node has the number 3"),
        (BOX.replace("2.,3.,5.", "2.,x,5."), "bad-number", "deck.bdf:10: field 5 of GRID is 'x', not a number"),
        ("INCLUDE 'mesh.bdf'\n", "unread-include", "deck.bdf:4: \"INCLUDE 'mesh.bdf'\" is not followed"),
        (BOX.replace("GRID,1,,", "GRID,1,5,"), "bad-frame", "its coordinate system 5 is missing"),
        (BOX.replace("CHEXA,1,1,1,2,3,4,5,6,+\n+,7,8", "CHEXA,1,1,1,2,3,4,5,6,+\n+,7"), "bad-cell", "7 of its 8 nodes"),
        (BOX + "GRID,3,,9.,9.,9.\n", "bad-index", "deck.bdf:16: GRID 3 is also in line 6, with other values"),
        (BOX + "MAT1,1,2.1+5,,.3,2.7-9\n", "bad-index", "MAT1 1 is also in line 15"),
        (BOX + "BEGIN SUPER=1\n", "unread-include", "deck.bdf:16: 'BEGIN SUPER=1' begins another part of the model"),
        ("CHEXA,1,1,1,2,3,4,5,6,+A\n+B,7,8\n", "bad-continuation", "deck.bdf:5: the continuation '+B' does not follow"),
        ("CORD2R,1,,0.,0.,0.,0.,0.,1.,\n,1.,0.,0.\n", "no-facets", "no cell with a volume or an area"),
    ],
)
def test_what_is_damaged_is_refused_by_name(tmp_path: Path, bulk: str, code: str, said: str) -> None:
    error = raised(ReadError, measured, tmp_path, bulk)
    assert error.code == code
    assert said in error.text

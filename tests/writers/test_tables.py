"""Each table of the command line has its labels, and no more lines than it needs, at the widths of terminals."""

from __future__ import annotations

import csv
import io
import re
import shlex

import pytest
from console import run
from places import ROOT
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from massprops.checking.rules import rules
from massprops.writers.console import NAME, NUMBER, WORD, Hanging, TextOutput

BRACKET = "sample_meshes/bracket.stl"
CAVITY = "sample_meshes/cavity.stl"
SECTION = "samples/sections/ipe200.dxf"
ROBOT = "samples/robots/arm.urdf"
TROLLEY = "samples/assemblies/trolley.toml"
MOTOR = "samples/assemblies/motor.urdf"
STEEL = "--units mm --density 7800"
TENSOR = "Ixx|Iyy|Izz|Ixy|Ixz|Iyz|I1|I2|I3"

#: Of each command: its arguments, what is read in its table in this order, and the most lines at 40, 80 and 120 columns.
TABLES = {
    "part": (
        f"compute {BRACKET} {STEEL}",
        (
            "Mass [g]|Density [kg/m³]|Volume [mm³]|Surface area [mm²]|Centre of mass [mm]|x|y|z|Size [mm]|"
            f"Inertia about the centre of mass|[g mm²]|{TENSOR}|Findings"
        ),
        (36, 14, 14),
    ),
    "parts": (
        f"compute {BRACKET} {CAVITY} {STEEL}",
        "Mass [g]|x [mm]|y [mm]|z [mm]|bracket.stl|cavity.stl|total",
        (20, 5, 5),
    ),
    "section": (
        f"compute {SECTION} --output-units cm",
        (
            "Area [cm²]|Perimeter [cm]|Centroid [cm]|x|y|Size [cm]|Second moments about the centroid|[cm⁴]|Ixx|"
            "Iyy|Ixy|Polar moment [cm⁴]|Principal I [cm⁴]|I1|I2|Angle of axis 1 [deg]|W top, bottom [cm³]|Wx+|Wx-|"
            "W right, left [cm³]|Wy+|Wy-|Plastic W [cm³]|Wx|Wy|Findings"
        ),
        (40, 18, 17),
    ),
    "links": (
        f"check {ROBOT}",
        (
            "arm.urdf: failed|Mass [g]|Density [kg/m³]|Centre [%]|Inertia [%]|upper_arm|forearm|total|"
            "Centre, inertia: distance from the geometry"
        ),
        (30, 11, 9),
    ),
    "diff": (
        f"diff {BRACKET} {CAVITY} {STEEL}",
        (
            "Before|After|Change|Relative|Volume [mm³]|Area [mm²]|Mass [g]|Centre x [mm]|Max z [mm]|I1 [g mm²]|"
            "I3 [g mm²]|numbers:"
        ),
        (70, 21, 20),
    ),
    "combine": (
        f"combine {TROLLEY} --output-units mm",
        (
            "Each [kg]|All [kg]|x [mm]|y [mm]|z [mm]|deck|feet|4 ×|handle|total|Mass [kg]|Centre of mass [mm]|"
            f"Inertia about the centre of mass|[kg mm²]|{TENSOR}|Findings"
        ),
        (72, 20, 20),
    ),
    "shape": (
        "shape box --x 0.1 --y 0.2 --z 0.3 --mass 2",
        f"box: shape|Mass [kg]|Centre of mass [m]|Inertia about the centre of mass|[kg m²]|{TENSOR}|Findings",
        (20, 8, 8),
    ),
    "convert --pose": (
        f"convert {MOTOR} --pose '1 2 3'",
        f"URDF|Mass [kg]|Centre of mass [m]|x|y|z|Inertia about the centre of mass|{TENSOR}|Findings",
        (22, 9, 8),
    ),
    "explain": (
        f"explain {ROBOT} --output-units mm,g",
        "forearm|possible|Uniform box of this mass and inertia [mm]|along|implied density|g/mm³|1. products-sign",
        (40, 26, 23),
    ),
    "materials": ("materials alu", "aluminium 7075|2810", (40, 16, 9)),
    "fill": (
        f"fill {ROBOT} --links all --density 1000 --output-units mm,g --check",
        "upper_arm|before|after|forearm",
        (40, 26, 10),
    ),
}


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", TABLES)
def test_each_table_has_its_labels_and_its_height(name: str, width: int) -> None:
    command, labels, heights = TABLES[name]
    done = run(*shlex.split(command), cwd=ROOT, env={"COLUMNS": str(width)})
    assert done.returncode in (0, 1), done.err
    text = done.out or done.err  # the table of `fill` goes to stderr
    lines = [line for line in text.splitlines() if not line.startswith("massprops: ")]
    assert max(map(cell_len, lines)) <= width
    assert len(lines) <= heights[(40, 80, 120).index(width)], text
    rest = " ".join(text.split())
    if width == 40:  # blocks of lines have the names of rows, and a label each
        assert all(label in rest for label in labels.split("|") if re.fullmatch("[a-z_]+|I..", label)), text
        return
    for label in labels.split("|"):
        assert label in rest, (label, text)
        rest = rest if label in TENSOR else rest.split(label, 1)[1]


def test_the_list_of_codes_has_a_line_for_each() -> None:
    lines = run("check", "--list").out.splitlines()
    assert [line.split()[0] for line in lines] == list(rules())
    assert all(len(line.split()) > 2 for line in lines)


def test_a_handbook_section_prints_the_numbers_of_the_handbook() -> None:
    # EN 10365, IPE 200: A = 28.48 cm², Iy = 1943 cm⁴, Iz = 142.4 cm⁴, Wel,y = 194.3 cm³, Wel,z = 28.47 cm³,
    # Wpl,y = 220.6 cm³, Wpl,z = 44.61 cm³
    text = run("compute", SECTION, "--output-units", "cm", cwd=ROOT).out
    shown = {name: float(number) for name, number in re.findall(r"(Ixx|Iyy|Wx\+?|Wy\+?|Area \[cm²\]) +([\d.]+)", text)}
    published = {"Area [cm²]": 28.48, "Ixx": 1943, "Iyy": 142.4, "Wx+": 194.3, "Wy+": 28.47, "Wx": 220.6, "Wy": 44.61}
    assert {name: float(f"{shown[name]:.4g}") for name in published} == published


def test_rows_of_sections_have_moduli_and_no_empty_columns_of_masses() -> None:
    done = run("compute", SECTION, SECTION, "-f", "csv", "--output-units", "cm", cwd=ROOT)
    head, first, _ = csv.reader(io.StringIO(done.out))
    row = dict(zip(head, first, strict=True))
    assert [name for name, cell in row.items() if not cell] == ["error"]
    shown = [float(row[f"section Wel {end} [cm3]"]) for end in ("x_plus", "x_minus", "y_plus", "y_minus")]
    assert shown == pytest.approx([194.3, 194.3, 28.47, 28.47], rel=2e-4)  # EN 10365
    assert "mass [kg]" in run("compute", SECTION, BRACKET, "-f", "csv", cwd=ROOT).out.splitlines()[0]


def test_the_centre_of_mass_is_found_at_once() -> None:
    # by its name, at the left edge, its three numbers with their axes and one unit in the same line
    line = next(x for x in run("compute", BRACKET, *STEEL.split(), cwd=ROOT).out.splitlines() if "entre" in x)
    assert re.fullmatch(r"Centre of mass \[mm\] +x +34\.846\d* +y +20\.025\d* +z +5\.338\d* +± 0\.\d+", line)


def test_a_table_is_the_one_that_rich_draws() -> None:
    """Of 19,000 parts rich takes eight times as long; wide letters, a name that is exactly as long as there is room, and a total."""
    columns = {"Part": NAME, "Mass [g]": NUMBER, "質量": NUMBER, "Findings": WORD}
    rows = [
        ("a", "1", "–", Text("an-error", style="red")),
        ("銅" * 9, "12.5", "3", "nothing"),
        ("total", "13", "3", ""),
    ]
    theirs = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for title, how in columns.items():
        theirs.add_column(title, justify="right" if how is NUMBER else "left")
    for row in (*rows[:2], [""] * 4, rows[2]):
        theirs.add_row(*row)
    console = Console(file=io.StringIO(), width=47, markup=False, highlight=False, _environ={})
    console.print(theirs)
    expected = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert TextOutput(47).table(columns, rows, total=True).splitlines() == expected
    coloured = TextOutput(47, color=True).table(columns, rows, total=True)
    assert "\x1b[31man-error\x1b[0m" in coloured
    assert re.sub("\x1b\\[[0-9]*m", "", coloured).splitlines() == expected


def test_a_line_that_wraps_is_indented_below_its_start() -> None:
    words = "  inertia " + "by 12 % of the tensor " * 6
    text, narrow = Text(words.rstrip()), TextOutput(width=40)
    first, *rest = narrow.draw(Hanging(text)).splitlines()
    assert (len(rest) > 2, first[:4]) == (True, "  in")
    assert all(line.startswith("    ") and line[4] != " " for line in rest)
    assert " ".join([first, *rest]).split() == words.split()
    assert max(map(len, [first, *rest])) <= 40
    assert narrow.draw(Hanging(Text("x" * 40))) == "x" * 40 + "\n"


def test_words_in_a_column_of_numbers_have_no_unit_where_a_row_is_a_block() -> None:
    """'2 links kg/m³' would be said of a total; a number keeps its unit."""
    columns = {"Link": NAME, "Mass [kg]": NUMBER, "Density [kg/m³]": NUMBER}
    lines = [
        line.split()
        for line in TextOutput(20).table(columns, [["a" * 30, "4", "2700"], ["total", "4", "2 links"]]).splitlines()
    ]
    assert lines[-2:] == [["mass", "4", "kg"], ["density", "2", "links"]]
    assert ["density", "2700", "kg/m³"] in lines

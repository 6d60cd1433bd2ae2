"""A mass budget in a workbook is read as the same table in CSV."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from cases import refused
from places import ROOT

from massprops import combine
from massprops.cli import main
from massprops.errors import ReadError

TITLES = ["Part", "Unit mass [g]", "Qty", "x [mm]", "y [mm]", "z [mm]", "Growth [%]"]
ROWS = [["Motor", 1200, 1, -300, 0, 50.5, 2.5], ["Bolt", 12.5, 4, 0, 10, 0, None]]


def workbook(path: Path, *sheets: list[list[Any]], percent: str = "") -> str:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
        if percent:
            sheet[percent].number_format = "0.0%"
    book.save(path)
    return str(path)


def test_it_is_the_table_that_csv_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = workbook(tmp_path / "b.xlsx", [["Budget of 2026"], [], TITLES, *ROWS, ["Total", None, None]], [["notes"]])
    whole = combine(path)
    assert whole.body.properties.mass == pytest.approx(1.2 + 4 * 0.0125, rel=1e-15)
    assert whole.body.properties.com.tolist() == pytest.approx(
        [1.2 * -0.3 / 1.25, 0.05 * 0.01 / 1.25, 1.2 * 0.0505 / 1.25]
    )
    assert whole.budget is not None
    assert whole.budget.total.predicted.mass == pytest.approx(1.2 * 1.025 + 0.05)
    # Excel keeps a cell that shows 2.5 % as 0.025
    shares = [[*ROWS[0][:-1], 0.025], ROWS[1]]
    other = combine(workbook(tmp_path / "c.xlsx", [TITLES, *shares], percent="G2"))
    assert other.budget is not None
    assert other.budget.total.predicted.mass == pytest.approx(1.28, rel=1e-15)
    for words in (["plot", path, "-o", str(tmp_path / "b.png")], ["report", path, "-o", str(tmp_path / "b.html")]):
        assert main(words) == 0
    assert main(["compute", path]) == 3
    assert "it is a workbook: use 'massprops combine'" in capsys.readouterr().err


def test_csv_and_workbook_agree_to_the_last_bit(tmp_path: Path) -> None:
    csv = ROOT / "samples/assemblies/budget.csv"
    lines = [line.split(";") for line in csv.read_text(encoding="utf-8").replace('"Akku; links"', "Akku").splitlines()]
    cells = [[float(c.replace(",", ".")) if c[:1] in "-0123456789" and c else c for c in line] for line in lines]
    one, other = combine(csv), combine(workbook(tmp_path / "b.xlsx", cells))
    assert one.body.properties == other.body.properties
    assert one.budget is not None
    assert other.budget is not None
    assert one.budget.total.predicted == other.budget.total.predicted


@pytest.mark.parametrize(
    ("sheets", "what"),
    [
        (
            [[["a", "b"], [1, 2]]],
            ": no sheet has titles of masses; save the sheet as CSV that is meant, with name, mass",
        ),
        ([[TITLES, *ROWS]] * 2, ": several sheets have a table of masses: Sheet, Sheet1; save"),
        ([[TITLES, ["Motor", "=2*3", 1, 0, 0, 0]]], ": Sheet!B2 is a formula without its value; open and save"),
        ([[[*TITLES, "=A1"], ROWS[0]]], ": Sheet!H1 is a formula without its value; open and save"),
        ([[["=1", "b"], [1, 2]]], ": Sheet!A1 is a formula without its value; open and save"),
        ([[TITLES, ROWS[0], ["=1"]]], ": Sheet!A3 is a formula without its value; open and save"),
        ([[TITLES, ["Motor", "heavy", 1, 0, 0, 0]]], ": Sheet!2: Unit mass [g] 'heavy' is not a number"),
        ([[TITLES, ["Motor", None, 1, 0, 0, 0]]], ": Sheet!2: has no mass"),
        (
            [[[None, "All masses [g]"], ["Part", "Mass", "x [m]", "y [m]", "z [m]"], ["a", 1, 0, 0, 0]]],
            ": Sheet!2: 'All masses [g]' above the titles may be the unit of those without one; write the units into",
        ),
        ([[TITLES, ["Motor", True, 1, 0, 0, 0]]], ": Sheet!2: Unit mass [g] 'True' is not a number"),
    ],
)
def test_what_is_no_table_is_named(sheets: list[list[list[Any]]], what: str, tmp_path: Path) -> None:
    path = workbook(tmp_path / "b.xlsx", *sheets)
    assert refused(ReadError, combine, path).startswith(path + what)


def test_formulas_that_are_not_read_need_no_value(tmp_path: Path) -> None:
    """Above the titles, in a column of remarks and on another sheet; a row of nothing else is none."""
    rows = [["=1+1", "in [g]"], [*TITLES, "Note"], [*ROWS[0], "=2"], [*ROWS[1], "glued"], [*[None] * 7, "=3"]]
    path = workbook(tmp_path / "b.xlsx", [["=4"]], rows)
    assert combine(path).body.properties == combine(workbook(tmp_path / "c.xlsx", [TITLES, *ROWS])).body.properties


def test_what_is_no_workbook_is_named(tmp_path: Path) -> None:
    for name, data in (("a.xlsx", b"PK\3\4 no package"), ("b.xlsx", b"name,mass\n")):
        (tmp_path / name).write_bytes(data)
        assert "the package cannot be unpacked" in refused(ReadError, combine, tmp_path / name)


@pytest.mark.parametrize(
    ("cell", "form", "value"),
    [
        (1.5, '0.0" kg"', 1.5),
        (1500, '#,##0\\ "g"', 1.5),
        (1.5, "0.0 [$lb]", 1.5 * 0.45359237),
        (1500, 'General" g";[Red]-General" g";"-"', 1.5),
        (1500, '_-* #,##0.00" g"_-;-* #,##0.00" g"_-', 1.5),
        (1.5, '0.0" ca."', 1.5),
        (1500, "#,##0,", 1.5),
        (1500, '0.0," t"', 1500),
    ],
)
def test_a_number_is_what_its_format_shows(cell: float, form: str, value: float, tmp_path: Path) -> None:
    path = formatted(tmp_path / "b.xlsx", cell, form)
    assert combine(path).body.properties.mass == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("form", ['0" g each"', '0" g/pc"'])
def test_a_unit_with_other_words_is_not_passed_over(form: str, tmp_path: Path) -> None:
    assert "unknown unit" in refused(ReadError, combine, formatted(tmp_path / "b.xlsx", 1500, form))
    two = refused(ReadError, combine, formatted(tmp_path / "b.xlsx", 1500, '0" g";-0" kg"'))
    assert """Mass '1500 (0" g";-0" kg")' is not a number""" in two


def formatted(path: Path, cell: float, form: str) -> Path:
    """A workbook whose one mass has a format."""
    workbook(path, [["Part", "Mass", "x", "y", "z"], ["a", cell, 0, 0, 0]])
    book = openpyxl.load_workbook(path)
    book.active["B2"].number_format = form
    book.save(path)
    return path


def test_what_merged_and_hidden_cells_say_is_read_or_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    titles, rows = (
        ["Part", "Mass [kg]", "x", "y", "z", "Growth", "Group"],
        [["a", 1, 0, 0, 0, 0.1, "A"], ["b", 2, 1, 0, 0]],
    )
    path = workbook(tmp_path / "b.xlsx", [titles, *rows, ["c", 3, 0, 0, 0]])
    for cells, mass in (("G2:G3", 3), ("G2:G4", 6)):
        book = openpyxl.load_workbook(path)
        book.active.merge_cells(cells)
        book.active.row_dimensions[3].hidden = True
        book.active["XFD1048576"] = "far away"
        book.save(tmp_path / "c.xlsx")
        budget = combine(tmp_path / "c.xlsx").budget
        assert budget is not None
        assert [(line.name, line.basic.mass) for line in budget.groups] == [("A", mass)]
    assert main(["combine", str(tmp_path / "c.xlsx")]) == 0
    assert "c.xlsx: Sheet!3: is hidden, and is read\n" in capsys.readouterr().err
    book.active.merge_cells("F2:F3")
    book.save(path)
    assert refused(ReadError, combine, path).startswith(
        f"{path}: Sheet!F2:F3 is merged: one number for 2 rows; give each"
    )


def rewrite(path: str, part: str, old: bytes, new: bytes) -> None:
    """Replace bytes in a part of a package."""
    with zipfile.ZipFile(path) as package:
        files = {name: package.read(name) for name in package.namelist()}
    assert old in files[part]
    with zipfile.ZipFile(path, "w") as package:
        for name, data in files.items():
            package.writestr(name, data.replace(old, new) if name == part else data)


def test_a_formula_of_an_empty_text_has_a_value(tmp_path: Path) -> None:
    """Excel writes what =IF(…;"") gives as a text without letters."""
    path = workbook(tmp_path / "b.xlsx", [TITLES, [*ROWS[0][:-1], "=1"], ROWS[1]])
    rewrite(path, "xl/worksheets/sheet1.xml", b'<c r="G2"', b'<c t="str" r="G2"')
    assert combine(path).body.properties == combine(workbook(tmp_path / "c.xlsx", [TITLES, *ROWS])).body.properties


def test_a_format_that_is_missing_is_damage(tmp_path: Path) -> None:
    path = workbook(tmp_path / "b.xlsx", [TITLES, *ROWS])
    rewrite(path, "xl/styles.xml", b'numFmtId="0"', b'numFmtId="200"')
    assert refused(ReadError, combine, path).startswith(f"{path}: is no workbook that can be read: ")

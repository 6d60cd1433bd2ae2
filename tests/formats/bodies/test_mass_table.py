"""Tables of bodies by hand, by this program and by spreadsheets: the same numbers, or the row and column that is wrong."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from cases import each
from console import plain_failure, run
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from test_round_trip import SKEW, properties, ten

import massprops
from massprops.errors import ReadError
from massprops.formats.bodies import NamedBody, mass_table, write
from massprops.formats.bodies.mass_table import _Table, read, recognises

ENGLISH = "name,mass,x,y,z\nbattery,2.5,0.1,0,0\nmotor,1.2,-0.3,0,0.05\n"
GERMAN = "name;mass [g];x [mm];y [mm];z [mm]\nAkku;2500;100;0;0\nMotor;1200;-300;0;50\n"
COMMAS = 'Bezeichnung;Masse (g);x / cm;y in cm;z [mm]\n"A;1";2500,0;10,0;0;0\nMotor;1,2e3;-30,0;0;50,0\n'


def summed(rows):
    """Mass, centre and central tensor of point masses, in fractions."""
    mass = sum(m for m, *_ in rows)
    centre = [sum(m * p[i] for m, *p in rows) / mass for i in range(3)]
    about = [[sum(m * (p[i] - centre[i]) * (p[j] - centre[j]) for m, *p in rows) for j in range(3)] for i in range(3)]
    trace = sum(about[i][i] for i in range(3))
    return mass, centre, [[(trace if i == j else 0) - about[i][j] for j in range(3)] for i in range(3)]


@each(
    "text",
    [
        ENGLISH,
        GERMAN,
        COMMAS,
        "\ufeffsep=;\r\n" + COMMAS.replace("\n", ";;\r\n") + ";;;;;;\r\n",
        GERMAN.replace(";", "\t"),
    ],
)
def test_a_budget_of_point_masses(text: str, tmp_path) -> None:
    f = Fraction
    mass, centre, tensor = summed([(f(5, 2), f(1, 10), 0, 0), (f(6, 5), f(-3, 10), 0, f(1, 20))])
    file = tmp_path / "budget.csv"
    file.write_bytes(text.encode())
    whole = massprops.combine(file).body.properties
    assert whole.mass == pytest.approx(float(mass), rel=1e-15)
    np.testing.assert_allclose(whole.com, np.array(centre, float), rtol=0, atol=1e-16)
    np.testing.assert_allclose(whole.inertia, np.array(tensor, float), rtol=0, atol=1e-16)


def excel(text: str) -> str:
    """A table as a German spreadsheet saves it again: mark, semicolons, decimal commas, quotes, empty columns and rows."""
    out = io.StringIO()
    head, *rows = csv.reader(io.StringIO(text))
    table = csv.writer(out, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    table.writerow([*head, "", ""])
    for name, *numbers in rows:
        table.writerow([name, *(x.replace(".", ",") for x in numbers), "", ""])
    return "\ufeff" + out.getvalue() + ";" * len(head) + "\r\n"


@given(body=properties(), name=st.sampled_from(["a;b", 'a "b", c', "Träger 1,5", "=1+1", "two\nlines", "total"]))
def test_a_spreadsheet_hands_back_the_same_bodies(body, name: str) -> None:
    bodies = [NamedBody(name, SKEW), NamedBody("0,5", body)]
    found = read(excel(write(bodies, "csv")[0]), "a.csv").bodies
    assert [(b.name, ten(b.properties)) for b in found] == [(b.name, ten(b.properties)) for b in bodies]


def test_growth_groups_and_limits(tmp_path) -> None:
    file = tmp_path / "b.csv"
    file.write_text(
        "Teil;Anzahl;Einzelmasse [kg];x [m];y [m];z [m];Zuschlag [%];Baugruppe;limit [kg]\n"
        "Akku;2;1,25;1;0;0;10;Antrieb;3\nMotor;1;1,5;-2;0;0;;Antrieb;\nRumpf;;4;0;0;0,5;2,5;;\n"
    )
    budget = massprops.combine(file).budget
    assert [(x.name, x.basic.mass, x.limit) for x in budget.parts] == [
        ("Akku", 2.5, 3),
        ("Motor", 1.5, None),
        ("Rumpf", 4, None),
    ]
    assert [x.growth for x in budget.parts] == pytest.approx([0.25, 0, 0.1], rel=1e-12)
    assert [(x.name, x.basic.mass) for x in budget.groups] == [("Antrieb", 4)]
    kilos = "name,mass [kg],x,y,z,growth [g]\na,2,0,0,0,500\n"
    file.write_text(kilos)
    assert massprops.combine(file).budget.total.predicted.mass == pytest.approx(2.5)
    cells = "name,mass,x,y,z,growth,limit\na,2 kg,0,0,0,500 g,2.4 kg\nb,500g,1,0,0,10 %,\n"
    cells += "c,1e3 g,0,0,0,0.05,\nTotal,3.5 kg,,,,17.14 %,4000 g\n"
    file.write_text(cells)
    whole = massprops.combine(file)
    assert whole.budget.total.predicted.mass == pytest.approx(2.5 + 0.55 + 1.05)
    assert [f.message.replace("\xa0", " ") for f in whole.findings if f.code == "mass-budget"] == [
        "the predicted mass of a, 2.5 kg, exceeds its limit of 2.4 kg by 0.1 kg",
        "the predicted mass of the whole, 4.1 kg, exceeds its limit of 4 kg by 0.1 kg",
    ]


@each(("row", "limits"), [("Sum,3,,,,,7", {"A": 7}), ("Sum,4,,,,,7", {"": 7})])
def test_the_limit_of_a_sum_is_that_of_its_group_or_of_all(row: str, limits: dict[str, float], tmp_path: Path) -> None:
    parts = {
        "Sum,3": "a,1,0,0,0,A,\nb,2,0,0,0,A,\n{}\nc,1,0,0,0,,\n",
        "Sum,4": "a,1,0,0,0,A,\nb,2,0,0,0,A,\nc,1,0,0,0,,\n{}\n",
    }
    table = f"{HEAD},group,limit\n{parts[row[:5]].format(row)}"
    assert read(table, "a.csv").limits == limits
    for limit, code in (("7", 0), ("2", 1)):
        (tmp_path / "a.csv").write_text(table.replace(",7\n", f",{limit}\n"))
        done = run("check", "a.csv", cwd=tmp_path)
        said = " ".join(done.out.split())
        assert (done.returncode, "exceeds its limit of 2 kg" in said, " 3 links" in said) == (code, code == 1, True)
        assert run("check", "a.csv#a", cwd=tmp_path).returncode == 0
    with pytest.raises(
        ReadError, match=r"^a.csv:4: 'Sum' states a limit, and the rows that it is the sum of are no group"
    ):
        read(f"{HEAD},group,limit\na,1,0,0,0,A,\nb,2,0,0,0,,\nSum,3,,,,,7\nc,1,0,0,0,A,\n", "a.csv")


@each("command", ["check", "explain", "diff", "combine", "convert", "report", "plot"])
def test_every_command_says_how_rows_were_read(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ENGLISH + "note,,,,\nTotal,3.7,,,\n")
    (tmp_path / "b.csv").write_text(ENGLISH)
    output = {"report": ["-o", "a.html"], "plot": ["-o", "a.svg"], "diff": ["b.csv"]}.get(command, [])
    done = run(command, "a.csv", *output, cwd=tmp_path)
    page = (tmp_path / "a.html").read_text(encoding="utf-8") if command == "report" else ""
    said = " ".join(f"{done.out} {done.err} {page}".replace("&#39;", "'").split())
    whole = massprops.combine(tmp_path / "a.csv").findings
    assert [f.code for f in whole] == ["table-rows"] * 4
    for text in (
        "2 rows without a tensor",
        "no unit in the header",
        "'Total' is the sum of the 2 rows",
        "'note' has no",
    ):
        assert text in said or command == "plot" or (command == "check" and "(-v)" in said)
        assert any(text in f.message for f in whole)


@pytest.fixture(scope="module")
def parts_and_sum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table as `compute` writes it: parts of 12 cm³ of 1, 2.5 cm³ of 2 and 2.5 cm³ of 3 g/cm³, and their sum below them."""
    parts = [f"--part-density={k}={1000 * k}" for k in (1, 2, 3)]
    whole = run("compute", ROOT / "samples/parts/plate_and_posts.obj", "-u", "mm", *parts, "--format", "csv")
    table = tmp_path_factory.mktemp("parts") / "a.csv"
    table.write_text(whole.out, encoding="utf-8")
    return table


def test_the_sum_of_parts_is_no_body_that_is_written(parts_and_sum: Path) -> None:
    """Else a robot of these bodies would weigh twice as much; by its name it is written, as the only body."""
    done = run("convert", parts_and_sum, "--format", "urdf")
    assert "'plate_and_posts' is the sum of the 3 rows above it, and no body" in " ".join(done.err.split())
    alone = run("convert", f"{parts_and_sum}#plate_and_posts", "--format", "urdf").out
    for text in (done.out, massprops.convert(parts_and_sum, "urdf"), alone):
        assert sum(map(float, re.findall('<mass value="(.*)"', text))) == pytest.approx(0.0245)


def test_the_total_of_a_check_counts_the_sum_of_parts_once(parts_and_sum: Path) -> None:
    """As `compute` writes it below its parts; the sum is checked, too."""
    done = run("check", "a.csv", "--max-mass", "24.4g", cwd=parts_and_sum.parent)
    assert re.search(r"total +24\.5 +3 links", done.out)
    assert "plate_and_posts: mass 24.5 g exceeds the limit of 24.4 g" in " ".join(done.out.split())
    assert "'plate_and_posts' is the sum of the 3 rows above it" in " ".join(done.out.split())


@each("command", ["combine", "convert -f urdf", "explain", "diff a.csv#motor", "check"])
def test_one_row_has_the_remark_on_units_and_on_itself(command: str, tmp_path: Path) -> None:
    """A row that is named with # is read in the same units as the whole table."""
    (tmp_path / "a.csv").write_text(ENGLISH + "Total,3.7,,,\n")
    done = run(*command.split(), "a.csv#battery", cwd=tmp_path)
    said = " ".join(f"{done.out} {done.err}".split())
    assert "a.csv:1: no unit in the header: kg and m" in said
    assert "Total" not in said


def test_a_part_of_an_assembly_has_the_remarks_on_its_row(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ENGLISH)
    (tmp_path / "a.toml").write_text('[[part]]\nbody = "a.csv#motor"\n')
    assert "motor: a.csv:1: no unit in the header: kg and m" in run("combine", "a.toml", cwd=tmp_path).out


@each(
    "names", [("bolt", "bolt", "nut"), ("", "", "nut"), ("", "", ""), ("bolt", "bolt", "bolt (2)"), ("line 3", "", "")]
)
def test_a_check_knows_rows_of_one_name_and_of_none_apart(names: tuple[str, ...], tmp_path: Path) -> None:
    """What was recorded is found again; a change of one row is an error of this row; and all rows are in the total."""
    masses, table = [1, 2, 4], tmp_path / "a.csv"
    (tmp_path / "known.jsonl").unlink(missing_ok=True)

    def write_table() -> None:
        rows = (f"{name},{mass},{k},0,0\n" for k, (name, mass) in enumerate(zip(names, masses, strict=True)))
        table.write_text(f"{HEAD}\n{''.join(rows)}")

    write_table()
    assert run("check", table, "--expect", tmp_path / "known.jsonl", "--update").returncode == 0
    done = run("check", "a.csv", "--expect", "known.jsonl", cwd=tmp_path)
    assert (done.returncode, re.search(r"total +7 +3 links", done.out) is not None) == (0, True), done.out
    masses[1] = 3
    write_table()
    report = massprops.check(table, expect=tmp_path / "known.jsonl")
    assert [(c.subject.line, c.status) for c in report.checked[:3]] == [(2, "ok"), (3, "failed"), (4, "ok")]


def test_a_table_without_numbers_passes_no_check(tmp_path: Path) -> None:
    """Remarks on its rows were all that was found, and no error."""
    (tmp_path / "a.csv").write_text(f"{HEAD}\nbolt,,,,\nnut,,,,\n")
    report = massprops.check(tmp_path / "a.csv")
    assert [c.error.code for c in report.checked] == ["nothing-checked"]
    assert run("check", tmp_path / "a.csv").returncode == 3


def test_rows_of_a_workbook_without_a_name_have_its_rows(tmp_path: Path) -> None:
    """They were all "line None"."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [HEAD.split(","), [None, 1, 0, 0, 0], ["nut", 2, 0, 0, 0], [None, 4, 0, 0, 0]]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    places = [c.subject.place for c in massprops.check(tmp_path / "a.xlsx").checked]
    assert places[:3] == ["Sheet!2", "nut", "Sheet!4"]


def test_a_row_named_as_a_sum_above_all_others_is_refused() -> None:
    with pytest.raises(
        ReadError, match=r"^a.csv:2: the name 'Total station' is that of a sum, and no body is above it"
    ):
        read(f"{HEAD}\nTotal station,2,0,0,0\nTripod,3,0,0,0\nSum,5,0,0,0\n", "a.csv")


@each(("rows", "total", "is_right"), [
    (("1 kg", "1 kg"), "67 %", True),
    (("1 kg", "1 kg"), "90 %", False),
    (("10 %", "10 %"), "0.3 kg", True),
    (("10 %", "10 %"), "0.31 kg", False),
    (("10 %", "0.2 kg"), "0.30 kg", True),
    (("10 %", ""), "0.1 kg", True),
    (("10 %", ""), "0.0e999 kg", False),
])  # fmt: skip
def test_a_stated_growth_is_that_of_the_rows(rows: tuple[str, str], total: str, is_right: bool) -> None:
    """Shares and masses may stand in one column: digits of one are no rounding of the other."""
    table = f"{HEAD},growth\na,1,0,0,0,{rows[0]}\nb,2,1,0,0,{rows[1]}\nTotal,3,,,,{total}\n"
    if is_right:
        assert len(read(table, "a.csv").bodies) == 2
    else:
        with pytest.raises(ReadError, match="'Total' states"):
            read(table, "a.csv")


def test_a_row_of_the_sum_is_compared_and_no_body() -> None:
    total = ENGLISH + "Total,3.70,,,\n"
    found = read(total, "a.csv")
    assert [b.name for b in found.bodies] == ["battery", "motor"]
    assert found.remarks[-1] == "a.csv:4: 'Total' is the sum of the 2 rows above it, and no body"
    with pytest.raises(
        ReadError, match=r"^a.csv:4: 'Total' states 3.75 kg in 'mass.*', and the rows above it have 3.7 kg"
    ):
        read(total.replace("3.70", "3.75"), "a.csv")
    two = "name,mass [kg],x [m],y [m],z [m]\na,1,0,0,0\nb,3,1,0,2\nsum,4,0.75,{},1.5\n"
    assert len(read(two.format("0"), "a.csv").bodies) == 2
    with pytest.raises(ReadError, match=r"^a.csv:4: 'sum' states 5 m in 'y \[m\]', and the rows above it have 0 m"):
        read(two.format("5"), "a.csv")
    # rows that have no mass, or as much of it below zero, have no centre
    assert read("name,mass [kg],x [m],y [m],z [m]\na,,,,\ntotal,0,0,0,0\n", "a.csv").bodies == []
    assert len(read("name,mass [kg],x [m],y [m],z [m]\na,1,0,0,0\nb,-1,1,0,0\ntotal,0,0,0,0\n", "a.csv").bodies) == 2


@each("between", ["Subtotal,3.7,,,", "Zwischensumme Antrieb,3.7,,,"])
def test_sums_between_the_rows_count_nothing_twice(between: str) -> None:
    one, rest = f"{ENGLISH}{between}\n", "radio,1,0,0,0\nhull,2,0,0,0\n"
    for text in (one + rest, f"{one}{rest}Structure total,3,,,\nTOTAL:,6.70,,,\n"):
        assert [b.name for b in read(text, "a.csv").bodies] == ["battery", "motor", "radio", "hull"]
    wrong = r"^a.csv:6: 'Sum of both' states 7 kg in 'mass.*', and the rows above it have 4.7 kg"
    with pytest.raises(ReadError, match=wrong):
        read(f"{one}radio,1,0,0,0\nSum of both,7,,,\n", "a.csv")
    assert len(read(f"{ENGLISH}Totaliser,3.7,0,0,0\nsummer coat,1,0,0,0\n", "a.csv").bodies) == 4
    for head, mark in ((HEAD, "Wing,,,,\n"), (f"{HEAD},group", "")):  # a heading, or a group of its own
        rows = [f"{row},{row[0]}" if "group" in head else row for row in ("a,1,0,0,0", "b,2,0,0,0", "b,4,0,0,0")]
        table = f"{head}\n{rows[0]}\n{mark}{rows[1]}\n{rows[2]}\nSum,6,,,\n"
        assert "'Sum' is the sum of the 2 rows above it" in read(table, "a.csv").remarks[-1 - bool(mark)]
        with pytest.raises(ReadError, match="'Sum' states 4 kg"):
            read(table.replace("Sum,6", "Sum,4"), "a.csv")
    pair = "a,1,1,0,0\nb,1,0,0,0\nSum of two,2,,,\n"
    assert len(read(f"{HEAD}\n{2 * f'{2 * pair}Subtotal,4,,,{chr(10)}'}Ergebnis,8,,,\n", "a.csv").bodies) == 8


def test_the_rounding_of_rows_is_that_of_their_sum() -> None:
    """A spreadsheet writes CSV as it shows the cells, and adds up what it does not show."""
    assert len(read(f"{HEAD}\na,1,0,0,0\nTotal,1,0e999,0,0\n", "a.csv").bodies) == 1
    third = f"{HEAD}\n" + "a,0.33,1.67,0,0\n" * 3
    assert (
        "is the sum of the 3 rows above it but for rounding"
        in read(f"{third}Total,1.00,1.67,0,0\n", "a.csv").remarks[-1]
    )
    for wrong in ("Total,1.02,,,\n", "Total,1.000,,,\n", "Total,0.99,1.69,0,0\n"):
        with pytest.raises(ReadError, match="and the rows above it have"):
            read(third + wrong, "a.csv")
    with pytest.raises(ReadError, match=r"'Total' states 0 kg in 'mass.*', and the rows above it have 1 kg"):
        read(f"{HEAD}\na,1,0,0,0\nTotal,0e999,0,0,0\n", "a.csv")  # the last digit of nothing
    with pytest.raises(ReadError, match=r"'Total' states 2 kg in 'mass.*', and the rows above it have 1 kg"):
        read(f"{HEAD}\na,1,0,0,0\nTotal,2,0,0,0\n", "a.csv")  # both are rounded from one number


@each("total", ["", "Total,1e308,,,\n"])
def test_masses_too_large_to_add_up_are_refused(total: str) -> None:
    with pytest.raises(ReadError, match=r"^a.csv: the sum of the masses is too large for a double-precision number"):
        read(f"{HEAD}\na,1e308,0,0,0\nb,1e308,1,0,0\n{total}", "a.csv")


def test_the_least_of_several_limits_counts() -> None:
    parts = "a,1,0,0,0,A,\nb,2,0,0,0,A,\n"
    sums = "Subtotal,3,,,,,{}\nSum,3,,,,,{}\n"
    for limits in ((2, 9), (9, 2)):
        text = f"{HEAD},group,limit\n{parts}{sums.format(*limits)}"
        assert (read(text, "a.csv").limits, read(f"{text}c,1,0,0,0,,\n", "a.csv").limits) == ({"": 2.0}, {"A": 2.0})


def test_the_numbers_of_a_table_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A running total below each pair of rows, right but for rounding: neither all rows nor all starts again for each of them."""
    looked = []
    for name in ("_half_unit", "_wrong_sum"):
        method = getattr(_Table, name)
        monkeypatch.setattr(_Table, name, lambda *args, of=method: looked.append(of.__name__) or of(*args))
    rows = []
    for k in range(1, 101):
        rows += [f"a,{k}.33,0,0,0", f"b,{k}.33,0,0,0", f"Total,{k * (k + 1) + 0.67 * k:.2f},0,0,0"]
    text = "\n".join([HEAD, *rows])
    assert sum("but for rounding" in remark for remark in read(text, "a.csv").remarks) == 100
    assert (looked.count("_half_unit") < 3000, looked.count("_wrong_sum") < 200) == (True, True)


def test_a_sum_with_a_tensor_is_no_body_and_one_by_another_name_is_remarked() -> None:
    rows = "a,1,1,0,0,,,,,,\nb,3,-1,0,0,,,,,,\n"
    total = "{},4,-0.5,0,0,{}\n"
    tensor = f"{HEAD},Ixx,Iyy,Izz,Ixy,Ixz,Iyz\n{rows}"
    assert len(read(tensor + total.format("Total", "0,3,3,0,0,0"), "a.csv").bodies) == 2  # 1·1.5² + 3·0.5²
    with pytest.raises(
        ReadError, match=r"^a.csv:4: 'Total' states 5 kg m² in 'Iyy', and the rows above it have 3 kg m²"
    ):
        read(tensor + total.format("Total", "0,5,3,0,0,0"), "a.csv")
    rover = read(tensor + total.format("Rover", ",,,,,"), "a.csv")
    assert (len(rover.bodies), "if it is their sum, name it 'total'" in rover.remarks[-1]) == (3, True)


def test_units_that_are_assumed_are_named() -> None:
    heads = {"name,mass,x,y,z": "kg and m", "name,mass [g],x,y,z": "m", "name,mass [g],x [mm],y [mm],z": "m", HEAD: ""}
    for head, unit in heads.items():
        found = read(f"{head}\na,1,1,1,1\n", "a.csv").remarks[1:]
        assert found == ((f"a.csv:1: no unit in the header: {unit}",) if unit else ())
    assert len(read("name,mass,x,y,z\na,1 kg,1 mm,0,0.0\n", "a.csv").remarks) == 1


def test_only_bodies_of_the_mass_above_them_are_looked_at_as_sums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, are_one = [], mass_table._are_one
    monkeypatch.setattr(mass_table, "_are_one", lambda *bodies: looked.append(len(bodies)) or are_one(*bodies))
    rows = [f"b{k},1,{k},0,0,1,1,1,0,0,0" for k in range(50)]
    sizes = [1 + x * x for x in np.arange(50) - 24.5]
    rows.append(f"whole,50,24.5,0,0,50,{sum(sizes)},{sum(sizes)},0,0,0")
    (tmp_path / "a.csv").write_text("\n".join([f"{HEAD},Ixx,Iyy,Izz,Ixy,Ixz,Iyz", *rows]))
    assert massprops.combine(tmp_path / "a.csv").body.properties.mass == 50
    assert looked == [51]


def test_bodies_with_one_centre_are_no_sums_of_each_other(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text(
        f"{HEAD},Ixx,Iyy,Izz,Ixy,Ixz,Iyz\n" + "".join(f"b{m},{m},0,0,0,{m},{m},{m},0,0,0\n" for m in (1, 2, 3))
    )
    assert massprops.combine(table).body.properties.mass == 6


@each("options", [[], ["--digits", "3"], ["--output-units", "in,lb"]])
def test_the_parts_of_a_file_and_their_sum_weigh_what_the_file_does(options: list[str], tmp_path: Path) -> None:
    posts, table = ROOT / "samples/parts/plate_and_posts.obj", tmp_path / "parts.csv"
    materials = ["--units=mm", "--part-density=plate=1040", "--part-density=post*=7850"]
    table.write_text(run("compute", posts, posts, *materials, *options, "-f", "csv").out, encoding="utf-8")
    whole = 1040 * 60e-3 * 40e-3 * 5e-3 + 2 * 7850 * 10e-3 * 10e-3 * 25e-3
    assert massprops.combine(table).body.properties.mass == pytest.approx(
        2 * whole, rel=2e-3 if options[:1] == ["--digits"] else 1e-12
    )
    single = tmp_path / "one.obj"
    single.write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no tip\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", encoding="utf-8"
    )
    table.write_text(run("compute", single, "--part-density=tip=6", *options, "-f", "csv").out, encoding="utf-8")
    assert massprops.combine(table).body.properties.mass == pytest.approx(1, rel=1e-12)


HEAD = "name,mass [kg],x [m],y [m],z [m]"
GROWTH = "expected at most the mass, and not below 0; for example 15%, 0.15 or 0.2 kg"


@each(("text", "message"), [
    (f"{HEAD}\na,1,0,0\n", "a.csv:2: has 4 columns, the header has 5; is the line cut off?"),
    (f"{HEAD}\na,b,1,0,0,0\n", "a.csv:2: has 6 columns, the header has 5; is a decimal comma or a comma in a name not quoted?"),
    (f"{HEAD}\na,,0,0,0\n", "a.csv:2: has no mass; state it, or remove the row"),
    (f'{HEAD}\na,"1,234",0,0,0\n', ("a.csv:2: '1,234' may be 1.234 or 1234, and no other number decides it;"
        " export with '.' as the decimal separator and without separators of thousands")),
    (f"{HEAD},qty\na,1,0,0,0,3\n", ("a.csv:2: of 3 pieces, 'mass [kg]' may be that of one or of all;"
        " name the column 'unit mass' or 'total mass'")),
    (f"{HEAD},qty\na,1,0,0,0,1.5\n", "a.csv:2: qty is 1.5, expected a whole number from 1; correct it, or remove the row"),
    ("qty,unit mass,total mass,x,y,z\n2,1,3,0,0,0\n", "a.csv:2: 2 × 1.0 kg are not 3.0 kg; correct one of them"),
    (f"{HEAD},Ixx [kg m2]\na,1,0,0,0,1\n", ("a.csv:1: has no column 'Iyy'; expected: name, mass [kg], x [m], y [m], z [m],"
        " and for bodies that are no points Ixx … Iyz [kg m2]")),
    ("name,mass [mm],x,y,z\na,1,0,0,0\n", "a.csv:1: column 'mass [mm]': expected a mass, got a length: 'mm'; for example kg"),
    (f"{HEAD},x_cg [mm]\na,1,0,0,0,1\n", "a.csv:1: the columns 'x [m]' and 'x_cg [mm]' are both x; rename one of them"),
    (f"{HEAD}\na,1 g,0,0,0\n", "a.csv:2: '1 g' has another unit than its title, 'mass [kg]'; correct one of them"),
    (f"{HEAD},growth [%]\na,1,0,0,0,1 kg\n", "a.csv:2: '1 kg' has another unit than its title, 'growth [%]'; correct one of them"),
    (f"{HEAD},growth [g]\na,1,0,0,0,-5\n", "a.csv:2: growth [g] is -5, " + GROWTH),
    (f"{HEAD},growth\na,1,0,0,0,2 kg\n", "a.csv:2: growth is 2 kg, " + GROWTH),
    (f"{HEAD},growth\na,1,0,0,0,0.1\nb,1,0,0,0,\nTotal,2,,,,0.2\n", ("a.csv:4: 'Total' states 0.2 in 'growth',"
        " and the rows above it have 0.05; correct or remove it; give it another name if it is a part")),
    (f"{HEAD}\na,1,0,0,0\nTotal,1e9.5,,,\n", "a.csv:3: mass [kg] '1e9.5' is not a number; write a finite decimal number"),
    (f"{HEAD},margin\na,1,0,0,0,12\n", "a.csv:2: margin is 12, " + GROWTH),
    (f"{HEAD}\na,1,0,0,\n", "a.csv:2: z [m] '' is not a number; write a finite decimal number"),
    (f"{HEAD},Unit\na,1,0,0,0,g\n", ("a.csv:1: the column 'Unit' is not read, and changes what the others mean;"
        " write the units into the titles, as in 'mass [g]'")),
    (f"{HEAD},parent\nall,3,0,0,0,\na,1,0,0,0,all\nb,2,0,0,0,all\n", ("a.csv:1: the column 'parent' is not read, and changes"
        " what the others mean; remove it, and rows that have parts of their own")),
    (f"Level,{HEAD}\n1,all,3,0,0,0\n2,a,3,0,0,0\n", ("a.csv:1: the column 'Level' is not read, and changes what the others"
        " mean; remove it, and rows that have parts of their own")),
    (f"{HEAD},Ixx,Iyy,Izz,Ixy,Ixz,Iyz,yaw [deg]\na,1,0,0,0,1,1,1,0,0,0,90\n", ("a.csv:1: the column 'yaw [deg]' is not read, and"
        " changes what the others mean; give the tensor along the axes of the table")),
    (f'{HEAD}\n"a,1,0,0,0\n', "a.csv:2: is not CSV: unexpected end of data"),
    ("\n\n", ("a.csv: the table is empty; expected: name, mass [kg], x [m], y [m], z [m],"
        " and for bodies that are no points Ixx … Iyz [kg m2]")),
])  # fmt: skip
def test_bad_tables_are_refused_by_line(text: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(text, "a.csv")
    assert str(caught.value) == message


def test_columns_that_change_nothing_are_left_alone() -> None:
    for more in (
        "parent\na,1,0,0,0,wing\nb,1,1,0,0,wing\n",
        "level\na,1,0,0,0,2\nb,1,0,0,0,1\n",
        "yaw\na,1,0,0,0,90\n",
        "unit\na,1,0,0,0,\n",
    ):
        assert read(f"{HEAD},{more}", "a.csv").bodies


def test_tables_are_known_without_a_suffix() -> None:
    assert all(map(recognises, [ENGLISH, GERMAN, COMMAS, "sep=,\n" + ENGLISH]))
    assert not any(map(recognises, ["x,y\n0,0\n", "Mass = 3 kg\n", "", "mass properties of part\n", '"']))


def test_tables_go_from_command_to_command(tmp_path) -> None:
    cube = tmp_path / "a;b.obj"
    cube.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    table = run("compute", cube, "--units", "mm", "-m", "steel", "-f", "csv", "--output-units", "mm,g").out
    stated = json.loads(run("compute", cube, "--units", "mm", "-m", "steel", "-f", "json").out)
    again = json.loads(run("combine", "-", "-f", "json", stdin=excel(table).encode()).out)
    assert again["mass"] == pytest.approx(stated["mass"], rel=1e-15)
    np.testing.assert_allclose(again["inertia"]["tensor"], stated["inertia"]["tensor"], rtol=1e-14)
    assert again["parts"][0]["name"] == "a;b"
    failed = tmp_path / "failed.csv"
    failed.write_text(run("compute", cube, tmp_path / "none.stl", "-m", "steel", "-f", "csv").out)
    message = f"{failed}: no mass is stated for none, and a sum lacks no part; measure them, or remove their rows"
    plain_failure(run("combine", failed), 3, message)

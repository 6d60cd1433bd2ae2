"""Tables of measurements (report/measurement, quantities and console): every number is the measurement's, under its name, at any width.

Modules tested: `report/verification`, `formats/escaping`.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from cases import each
from damage import blob
from numpy.testing import assert_array_less
from oracles import box
from rich.cells import cell_len

import massprops
from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.frames import Pose
from massprops.materials import all_materials
from massprops.writers.console import TextOutput
from massprops.writers.materials import materials_text
from massprops.writers.measurement import one_body, several_bodies

VERTICES = np.array([[0.5, 1, 1.5], [3.5, -0.5, 1], [0, 2.5, -2], [1.5, 1.5, 4.5]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
#: Nine digits in SI: numbers that can be compared with those of the measurement.
SI = {"output_units": "m,kg", "digits": 9}
WIDE, NARROW = TextOutput(110, **SI), TextOutput(40, **SI)
WIDTHS = [TextOutput(width, **SI) for width in (110, 40, 200, 20)]
#: Bounds and standard deviations.
ERRORS = re.compile(r"[±σ−+] ?\d\S*")


def measured(faces: np.ndarray = FACES, **options: object) -> massprops.Measurement:
    return massprops.measure((VERTICES, faces), **{"mass": 2.5, **options})


def table(m: massprops.Measurement, screen: TextOutput = WIDE, about: object = None, products: str = "tensor") -> str:
    return one_body(m, about=about, products=products, screen=screen)


def numbers_after(text: str, label: str, count: int) -> list[float]:
    """The first `count` numbers that follow a label; the names of single entries and errors are passed over."""
    words = ERRORS.sub("", re.split("Findings|Checked", text)[0].split(label, 1)[1]).replace("√−", "").split()
    return [float(w) for w in words if re.fullmatch(r"-?\d\S*", w)][:count]


def nine(values: object) -> list[float]:
    return [float(f"{x:.9g}") for x in np.asarray(values, dtype=float).ravel()]


def six(tensor: np.ndarray) -> list[float]:
    return [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


@pytest.mark.parametrize(
    "screen", [TextOutput(80, output_units="m,kg"), TextOutput(40, output_units="m,kg")], ids=lambda s: s.width
)
def test_where_the_sign_is_known_the_table_says_how_much_less_and_more(screen: TextOutput) -> None:
    m = measured()
    known = replace(m.sources["arithmetic"], volume=3.0, volume_change=(-3.0, 0.5), mass=21.0, mass_change=(-21.0, 0.0))
    text = " ".join(table(replace(m, sources={"overlap": known}), screen).split())
    found = re.search(r"Volume \[m³\] ([\d.]+) −([\d.]+) \+([\d.]+)", text)
    assert found is not None
    shown, less, more = map(float, found.groups())  # two digits of each, rounded outward from the number that is shown
    assert m.volume - 3.1 < shown - less <= m.volume - 3 < m.volume + 0.5 <= shown + more < m.volume + 0.61
    assert "Mass [kg] 2.5 −21 +0" in text  # below its own bound, and shown with two digits


@pytest.mark.parametrize("screen", WIDTHS, ids=lambda s: s.width)
def test_every_number_stands_under_its_own_name(screen: TextOutput) -> None:
    # a CAD dialog with two swapped lines would be believed
    m = measured()
    text = " ".join(table(m, replace(screen, verbose=True)).split())  # labels may be broken over lines
    body = m.properties
    sign = ", axes of the file, Ixy = −∫ρxy [kg m²]"
    for label, values in {
        "Density [kg/m³]": m.density,
        "Volume [m³]": m.volume,
        "Surface area [m²]": m.area,
        "Mass [kg]": m.mass,
        "Centre of mass [m]": m.center_of_mass,
        "Bounds, min [m]": m.bounds[0],
        "Bounds, max [m]": m.bounds[1],
        "Size [m]": m.bounds[1] - m.bounds[0],
        "Radii of gyration [m]": body.radii_of_gyration,
        f"Inertia about the centre of mass{sign}": six(body.inertia),
        f"Inertia about the origin{sign}": six(body.inertia_about([0, 0, 0])),
        "principal moments": body.principal().moments,
        **{f"Axis of I{i + 1}": row for i, row in enumerate(body.principal().axes)},
    }.items():
        expected = nine(values)
        assert numbers_after(text, label, len(expected)) == expected, label


@pytest.mark.parametrize("screen", WIDTHS, ids=lambda s: s.width)
def test_every_bound_stands_behind_its_own_number(screen: TextOutput) -> None:
    # of a tensor the largest; of the centre the largest, or one each where there is a line for each; bounds have two digits, rounded up,
    # and hold what rounding took from a number whose digits they reach
    m = measured(mass="2.5 +- 0.1")
    text, off = " ".join(table(m, replace(screen, verbose=True)).split()), m.uncertainty
    for label, following, values, bounds in (
        ("Volume [m³]", "Surface area", [m.volume], [off.volume]),
        ("Mass [kg]", "Density", [m.mass], [off.mass]),
        ("Centre of mass [m]", "Size", m.com, off.center_of_mass),
        ("Inertia about the centre of mass", "principal moments", six(m.inertia), six(off.inertia)),
    ):
        stated = [float(x) for x in re.findall(r"± (\S+)", text.split(label, 1)[1].split(following, 1)[0])]
        lost = np.abs(np.subtract(numbers_after(text, label, len(values)), values))
        least = np.asarray(bounds) + np.where(np.less(lost, bounds), lost, 0.0)
        least = least if len(stated) == len(bounds) else least.max(keepdims=True)
        assert_array_less(least * (1 - 1e-8), stated, label)
        assert_array_less(stated, 1.1 * least, label)
    for label in ("Surface area", "Size"):  # nothing is said of these
        assert "±" not in text.split(label, 1)[1].split("[", 2)[1], label


def test_single_entries_have_the_names_of_their_places() -> None:
    m = measured()
    for screen in (WIDE, NARROW):
        text = table(m, screen)
        for i, a in enumerate("xyz"):
            for j, b in list(enumerate("xyz"))[i:]:
                shown = re.search(rf"I{a}{b} +(-?[\d.e-]+)", text.replace("Ixy = −", ""))
                assert float(shown[1]) == nine(m.inertia[i, j])[0]


def test_the_sign_of_products_is_the_one_that_the_table_states() -> None:
    m = measured()
    for products, sign, words in (("tensor", 1, "Ixy = −∫ρxy"), ("positive", -1, "Ixy = +∫ρxy")):
        text = table(m, NARROW, products=products)
        assert words in " ".join(text.split())
        assert float(re.search(r"^  Ixy +(\S+)$", text, re.MULTILINE)[1]) == nine(sign * m.inertia[0, 1])[0]
        assert float(re.search(r"^  Ixx +(\S+)$", text, re.MULTILINE)[1]) == nine(m.inertia[0, 0])[0]


def test_the_second_point_is_the_one_that_was_asked_for() -> None:
    m = measured()
    point = table(m, about=[0.0, 0.0, 0.25])
    label = "Inertia about (0, 0, 0.25) m, axes of the file, Ixy = −∫ρxy [kg m²]"
    assert numbers_after(" ".join(point.split()), label, 6) == nine(six(m.properties.inertia_about([0, 0, 0.25])))
    assert "Inertia about the origin" not in point
    assert "Inertia about (0, 0, 250) mm" in table(m, TextOutput(80, output_units="mm"), about=[0.0, 0.0, 0.25])
    assert table(m, about="com").count("Inertia about") == table(m).count("Inertia about") == 1


def test_without_a_mass_moments_are_per_density_and_say_so() -> None:
    m = measured(mass=None)
    text = " ".join(table(m).split())
    assert "Mass [kg]" not in text
    assert "kg m²" not in text
    label = "Inertia / density about the centre of mass, axes of the file, Ixy = −∫ρxy [m⁵]"
    assert numbers_after(text, label, 6) == nine(six(m.unit_density_properties.inertia))


def test_axes_name_their_owner() -> None:
    pose = Pose.parse("1 2 3")
    assert "axes of the file" in table(measured())
    assert "axes of the parent frame" in table(measured(pose=pose))
    assert "axes of the given frame" in table(measured(frame=pose))


def test_an_unverified_result_claims_nothing_about_its_surface() -> None:
    screen = replace(WIDE, verbose=True)
    closed, opened = table(measured(), screen), table(measured(FACES[:3], on_open="integrate"), screen)
    claim = "closed and consistently wound"
    assert claim in " ".join(closed.split())
    assert claim not in " ".join(opened.split())
    assert ": solid, unverified\n" in opened
    assert "; the surface is not verified\n" in opened
    assert "warning open-edges: " in opened


@pytest.mark.parametrize(("error", "share"), [(" +- 5 %", 0.05), ("", 0.0)])
@pytest.mark.parametrize("given", ["mass", "density"])
@pytest.mark.parametrize("chord", [0.0, 0.01])
def test_a_density_has_the_error_of_what_it_follows_from(given: str, error: str, share: float, chord: float) -> None:
    body = blob(2)
    known = {"chord_tolerance": chord} if chord else {}
    volume = massprops.measure(body, **known).volume
    m = massprops.measure(body, **{given: f"{volume if given == 'mass' else 1}{error}"}, **known)
    row = next(line for line in table(m).splitlines() if line.startswith("Density"))
    density, *bound = (float(x) for x in re.findall(r"[\d.]+(?:e-?\d+)?", row.split("]")[1]))
    off = m.uncertainty.volume / volume if given == "mass" else 0.0
    need = max((1 + share) / (1 - off), 1 + (share + off) / (1 + off)) - 1
    assert abs(density - 1) <= 1e-9
    assert (off > 1e-3) == (chord > 0 and given == "mass")
    assert not bound if need < 1e-9 else need * (1 - 1e-9) <= bound[0] <= 1.1 * need


def test_a_sheet_has_an_area_density_and_no_volume() -> None:
    text = table(measured(FACES[:3], mass=None, on_open="shell", area_density=3))
    assert re.search(r"^Density \[kg/m²\] +3$", text, re.MULTILINE)
    assert "Volume" not in text
    assert "thin shell, unverified" in text


def test_the_margin_is_that_of_the_triangle_inequality() -> None:
    m = measured()
    low, middle, high = np.linalg.eigvalsh(m.inertia)
    text = " ".join(table(m, replace(WIDE, verbose=True)).split())
    assert f"triangle inequality holds by {100 * (low + middle - high) / high:.3g} % of the largest moment" in text


def test_equal_moments_are_told() -> None:
    cube = massprops.measure(box(), mass=1)
    screen = replace(WIDE, verbose=True)
    assert table(cube, screen).count("(any)") == 3
    assert "(any)" not in table(measured(), screen)


def test_several_bodies_have_their_own_rows_and_a_total() -> None:
    a, b = measured(mass=2500), measured(mass=7000)
    both = several_bodies([("a.stl", a, None), ("b.stl", b, None)], screen=WIDE)
    rows = {line.split()[0]: line.split()[1:] for line in both.splitlines() if line}
    centre = [str(x) for x in nine(a.center_of_mass)]
    assert rows["File"] == ["Mass", "[kg]", "x", "[m]", "y", "[m]", "z", "[m]", "Grade"]
    assert rows["a.stl"] == ["2500", *centre, "proved"]
    assert rows["b.stl"] == ["7000", *centre, "proved"]
    assert [float(x) for x in rows["total"]] == [9500.0, *nine(a.center_of_mass)]


@pytest.mark.parametrize("code", ["open-edges", "self-intersecting-faces"])
def test_a_file_that_failed_is_a_row_with_its_code_and_there_is_no_total(code: str) -> None:
    # a sum without a part would be a wrong number
    error = InvalidGeometry("hole.stl: bad", code=code)
    text = several_bodies([("a.stl", measured(), None), ("hole.stl", None, error)], screen=TextOutput(80))
    assert text.splitlines()[0].split()[-2:] == ["Grade", "Findings"]
    assert text.splitlines()[2].split() == ["hole.stl", "–", "–", "–", "–", "–", code]
    assert "total" not in text


def test_the_column_of_grades_holds_grades_only() -> None:
    light, steel = measured(), measured(mass=None, density=7800)
    assert light.findings[0].code == "implausible-density"
    head, *rows = several_bodies([("a.stl", light, None), ("b.stl", steel, None)], screen=WIDE).splitlines()
    grades = [row[head.index("Grade") :].split() for row in rows[:2]]
    assert grades == [["proved", "implausible-density"], ["proved"]]
    assert "Findings" not in several_bodies([("a.stl", steel, None), ("b.stl", steel, None)], screen=WIDE)


def test_colour_changes_no_character_and_makes_units_and_bounds_quieter() -> None:
    m = measured(mass="2.5 +- 0.1")
    plain_text, coloured = (table(m, replace(TextOutput(80, **SI), color=color)) for color in (False, True))
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain_text
    assert not re.search(r"[ \t]$", plain_text + table(m, NARROW), re.MULTILINE)
    quiet = re.findall(r"\x1b\[2m(.*?)\x1b\[0m", coloured)
    assert {"[kg]", "[m]", "± 0.1"} <= {text.strip() for text in quiet}
    assert not any(re.search(r"\d", text) for text in quiet if "±" not in text and "I" not in text and "[" not in text)


@each(
    ("code", "number"),
    [("implausible-density", "Density"), ("implausible-size", "Size"), ("wide-uncertainty", "Volume")],
)
def test_a_warning_stands_below_the_number_that_it_is_about(code: str, number: str) -> None:
    m = replace(measured(mass=None, density=7800), findings=(Finding(code, "warning", "so it is"),))
    lines = table(m).splitlines()
    assert lines[lines.index(f"warning {code}: so it is") - 1].startswith(f"{number} [")
    assert "Findings" not in table(m)
    note = replace(m, findings=(Finding("welded-vertices", "warning", "so it is"),))
    assert table(note).splitlines()[-2:] == ["Findings", "  warning welded-vertices: so it is"]


def test_a_long_name_loses_its_middle_and_every_part_has_one_line() -> None:
    name = "assemblies/robots/arm/links/forearm_left_outer_shell.stl"
    m = measured(mass=None, density=7800)  # without a finding, which would have a column
    text = several_bodies([(name, m, None), ("b.stl", m, None)], screen=TextOutput(80))
    head, row, *_ = text.splitlines()
    assert row.startswith("as")
    assert row.split("…")[1].split()[0] == "/forearm_left_outer_shell.stl"
    assert len(text.splitlines()) == 5  # with a blank line before the total
    assert max(map(len, text.splitlines())) <= 80
    assert head.startswith("File ")


@pytest.mark.parametrize("width", [80, 40, 20])
@pytest.mark.parametrize(
    "name", ["漢字" * 30 + ".stl", "e\u0301" * 200 + ".stl", "x" * 300, "a/" * 99 + "\x1b[31m\n.stl", "\u202e" * 50]
)
def test_no_name_makes_a_table_wider_or_taller(name: str, width: int) -> None:
    text = several_bodies([(name, measured(), None), ("b.stl", measured(), None)], screen=TextOutput(width))
    assert max(map(cell_len, text.splitlines())) <= width
    assert "\x1b" not in text
    if width == 80:
        assert len(text.splitlines()) == 5


def test_names_that_differ_in_the_file_differ_in_the_table() -> None:
    names = [f"sample_meshes/long_folder/{name}tetrahedron.stl" for name in ("", "far_", "near_")]
    text = several_bodies([(name, measured(), None) for name in names], screen=TextOutput(80))
    assert len({line.split()[0] for line in text.splitlines()[1:4]}) == 3


def test_a_total_has_the_digits_that_its_bound_supports() -> None:
    m = measured(mass="2.5314 +- 0.1")
    rows = several_bodies([("a.stl", m, None), ("b.stl", m, None)], screen=TextOutput(80)).splitlines()
    assert rows[1].split()[1] == "2.53"
    assert rows[-1].split()[1] == "5.06"  # ± 0.2, as both masses are one statement or two: at most two decimals


def test_several_sections_have_their_areas_in_the_table() -> None:
    square = massprops.measure([[0, 0], [2, 0], [2, 2], [0, 2]], units="m")
    head, *rows = several_bodies([("a.csv", square, None), ("b.csv", square, None)], screen=TextOutput(80)).splitlines()
    assert "Area [m²]" in head
    assert [row.split()[:3] for row in rows] == [["a.csv", "4", "1"], ["b.csv", "4", "1"]]


def test_several_bodies_on_a_narrow_screen_have_their_own_blocks() -> None:
    a, b = measured(), measured(mass=7)
    error = InvalidGeometry("hole.stl: open", code="open-edges")
    text = several_bodies([("a.stl", a, None), ("hole.stl", None, error), ("b.stl", b, None)], screen=NARROW)
    blocks = re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]
    assert [block.split()[0] for block in blocks] == ["a.stl", "hole.stl", "b.stl"]
    assert [re.findall(r"mass +(\S+) kg", block) for block in blocks] == [["2.5"], [], ["7"]]
    assert blocks[1].split() == ["hole.stl", "open-edges"]


def test_the_table_of_a_section_has_no_word_of_solids() -> None:
    angle = massprops.measure([[0, 0], [0.03, 0], [0.03, 0.01], [0.01, 0.01], [0.01, 0.05], [0, 0.05]])
    assert angle.findings == ()
    assert not re.search("degenerate-rank|triangle|Inertia|Centre of mass", table(angle, TextOutput(80)))


def test_a_section_has_second_moments_about_the_point_asked_for() -> None:
    # a square of side 1 m with a corner at the origin, about its opposite corner: 1/3 and, of the products, 1/4
    text = table(massprops.measure([[0, 0], [1, 0], [1, 1], [0, 1]]), about=[1.0, 1.0])
    label = "Second moments about (1, 1) m: ∫y², ∫x², +∫xy [m⁴]"
    assert numbers_after(" ".join(text.split()), label, 3) == nine([1 / 3, 1 / 3, 1 / 4])
    assert "about the origin" not in text


def test_a_section_is_shown_in_the_units_of_handbooks() -> None:
    # a rectangle 100 × 200 mm: b h³ / 12 = 6666.67 cm⁴, h b³ / 12 = 1666.67 cm⁴; about its centroid, which is 0
    corners = np.array([[-0.05, -0.1], [0.05, -0.1], [0.05, 0.1], [-0.05, 0.1]])
    text = table(massprops.measure(corners), TextOutput(80, output_units="cm"))
    assert re.search(r"Ixx 6666\.67 +Iyy 1666\.67 +Ixy +0\n", text)
    assert re.search(r"Angle of axis 1 \[deg\] +90$", text, re.MULTILINE)
    assert re.search(r"Area \[cm²\] +200\n", text)
    assert "rad]" in table(massprops.measure(corners), TextOutput(80, output_units="rad"))


def test_a_number_below_its_own_bound_or_below_rounding_is_zero() -> None:
    cube = massprops.measure(box((-1, -1, -1), (1, 1, 1)) / 3, density=1000)
    cube = replace(cube, moments=cube.moments.moved(np.eye(3), [1e-17, 0, -3e-16]))
    for digits in (None, 17):
        text = table(cube, TextOutput(200, digits=digits))
        assert re.search(r"Centre of mass \[m\] +x +0 +y +0 +z +0\b", text)
        assert re.search(r"Ixy +0 +Ixz +0 +Iyz +0", text)


def test_quiet_prints_findings_alone() -> None:
    quiet = replace(WIDE, quiet=True)
    m = measured(FACES[:3], on_open="integrate")
    assert table(m, quiet).startswith("warning open-edges: ")
    fine = measured(mass=None, density=1000)
    assert table(fine, quiet) == ""
    assert several_bodies([("a.stl", m, None), ("b.stl", fine, None)], screen=quiet).count("open-edges") == 1


def test_materials_state_density_and_source_at_any_width() -> None:
    materials = all_materials()
    for screen in (TextOutput(40), TextOutput(200)):
        text = " ".join(materials_text(materials, screen=screen).split())
        for m in materials:
            assert re.search(rf"{re.escape(m.name)} +(density +)?{m.density:g}\b", text)
            assert m.source.split()[0] in text


@each(
    ("text", "shown"),
    [
        ("part.stl", "part.stl"),
        ("Träger 部品 ½ [bold]", "Träger 部品 ½ [bold]"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202egnp.stl", r"\u202egnp.stl"),
        ("\udcff", r"\udcff"),
        ("\u2028", r"\u2028"),
    ],
)
def test_foreign_text_steers_no_terminal(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_what_a_file_says_steers_no_terminal_either() -> None:
    foreign = Finding("odd-name", "info", "solid 'a\x1b[2Jb\nc' is empty")
    text = table(replace(measured(), findings=(foreign,)), TextOutput(200))
    assert "info odd-name: solid 'a\\x1b[2Jb\\nc' is empty" in text


def test_numbers_of_a_row_stay_in_one_line_or_get_one_each() -> None:
    m = measured()
    for width in range(40, 120):
        lines = table(m, replace(WIDE, width=width)).splitlines()
        row = next(line for line in lines if line.startswith("Centre of mass")).split("[m]")[1]
        assert len(re.findall(r"[xyz] +-?[\d.]+", row)) in (3, 0), width
        assert max(map(len, lines)) <= width


def test_the_report_is_blind_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    # the command line decides about width and colour; nothing below it may look
    m = measured(FACES[:3], on_open="integrate")
    before = table(m)
    for name, value in {"COLUMNS": "33", "FORCE_COLOR": "1", "TERM": "xterm-256color", "CLICOLOR_FORCE": "1"}.items():
        monkeypatch.setenv(name, value)
    assert table(m) == before


def test_the_area_of_a_section_and_stated_standard_deviations_are_printed() -> None:
    square = massprops.measure([[0, 0], [0.3, 0], [0.3, 0.7], [0, 0.7]], area_density="2 +- 5 % sigma")
    for width in (80, 38):
        text = table(square, TextOutput(width, output_units="m,kg"))
        assert re.search(r"Area \[m²\]\s+0\.21$", text, re.MULTILINE)
        assert re.search(r"Mass \[kg\]\s+0\.42\s+± \S+\s+σ 0\.021", text)


def test_an_estimate_says_how_much_the_repairs_leave_open() -> None:
    # a ball without its six highest facets, and a body inside it whose meaning is open: the sum of both
    ball = blob(3)
    low = ball.mean(axis=1)[:, 2].argsort()[:-6]
    facets = np.concatenate([ball[low], box((0, 0, 0), (0.1, 0.1, 0.1))])
    m = massprops.measure(facets, units="m", repair="full")
    assert {r.step for r in m.repairs} >= {"fill", "nest"}
    share = re.search(r"an estimate: the repairs leave (\S+) % of the volume open", table(m, WIDE))
    assert float(share[1]) / 100 == pytest.approx(sum(r.bound for r in m.repairs) / m.volume, rel=0.02)

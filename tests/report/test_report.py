"""Tables for people: every number is the measurement's, under its name, at any width."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import massprops
from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.frames import Pose
from massprops.materials import all_materials
from massprops.report.console import Screen
from massprops.report.materials import materials_text
from massprops.report.measurement import number, one_body, several_bodies

VERTICES = np.array([[0.5, 1, 1.5], [3.5, -0.5, 1], [0, 2.5, -2], [1.5, 1.5, 4.5]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
WIDE, NARROW = Screen(80), Screen(40)
#: One bound or several, with two digits each: no other number of a table has so few.
BOUNDS = re.compile(r"±(?: +\d\.\de[+-]\d+)+(?!\S)")


def measured(faces: np.ndarray = FACES, **options: object) -> massprops.Measurement:
    return massprops.measure((VERTICES, faces), **{"mass": 2.5, **options})


def table(m: massprops.Measurement, screen: Screen = WIDE, about: object = None, products: str = "tensor") -> str:
    return one_body(m, about=about, products=products, screen=screen)


def numbers_after(text: str, label: str, count: int) -> list[float]:
    """The first `count` numbers that follow a label; the names of single entries and what follows a ± are passed over."""
    words = BOUNDS.sub("", text.split("Checked", 1)[0].split(f"{label}]", 1)[1]).split()
    found = [float(w) for w in words if re.fullmatch(r"-?\d\S*", w) and not re.fullmatch(r"[123][xyz]", w)]
    return found[:count]


def nine(values: object) -> list[float]:
    return [float(f"{x:.9g}") for x in np.asarray(values, dtype=float).ravel()]


@pytest.mark.parametrize("screen", [WIDE, NARROW], ids=lambda s: s.width)
def test_where_the_sign_is_known_the_table_says_how_much_less_and_more(screen: Screen) -> None:
    m = measured()
    known = replace(m.sources["arithmetic"], volume=3.0, volume_change=(-3.0, 0.5), mass=21.0, mass_change=(-21.0, 0.0))
    text = " ".join(table(replace(m, sources={"overlap": known}), screen).split())
    assert f"Volume [m³] {m.volume:.9g} −3.0e+00 +5.0e-01" in text
    assert f"Mass [kg] {m.mass:.9g} −2.1e+01 +0.0e+00" in text


@pytest.mark.parametrize("screen", [WIDE, NARROW, Screen(200), Screen(20)], ids=lambda s: s.width)
def test_every_number_stands_under_its_own_name(screen: Screen) -> None:
    # a CAD dialog with two swapped lines would be believed
    m = measured()
    text = " ".join(table(m, screen).split())  # labels may be broken over lines
    body = m.properties
    for label, values in {
        "Density [kg/m³": m.density,
        "Volume [m³": m.volume,
        "Surface area [m²": m.area,
        "Mass [kg": m.mass,
        "Centre of mass [m": m.center_of_mass,
        "Bounds, min [m": m.bounds[0],
        "Bounds, max [m": m.bounds[1],
        "Size [m": m.bounds[1] - m.bounds[0],
        "Radii of gyration [m": body.radii_of_gyration,
        "Inertia about the centre of mass [kg m²": body.inertia,
        "Inertia about the origin [kg m²": body.inertia_about([0, 0, 0]),
        "Principal moments [kg m²": body.principal().moments,
    }.items():
        expected = nine(values)
        assert numbers_after(text, label, len(expected)) == expected, label
    # the last quantity; its label has no unit
    axes = text.replace("Principal axes, in rows", "Principal axes, in rows]")
    assert numbers_after(axes, "Principal axes, in rows", 9) == nine(body.principal().axes)


@pytest.mark.parametrize("screen", [WIDE, NARROW, Screen(200), Screen(20)], ids=lambda s: s.width)
def test_every_bound_stands_behind_its_own_number(screen: Screen) -> None:
    # of a tensor the largest; of the centre one each; bounds are rounded to two digits
    m = measured(mass="2.5 +- 0.1")
    text, off = " ".join(table(m, screen).split()), m.uncertainty
    for label, following, values in (
        ("Volume [m³]", "Surface area", [off.volume]),
        ("Mass [kg]", "Centre of mass", [off.mass]),
        ("Centre of mass [m]", "Bounds, min", off.center_of_mass),
        ("Inertia about the centre of mass [kg m²]", "Inertia about the origin", [off.inertia.max()]),
    ):
        stated = " ".join(BOUNDS.findall(text.split(label, 1)[1].split(following, 1)[0]))
        assert re.findall(r"\d\S+", stated) == [f"{v:.1e}" for v in values], label
    for label in ("Surface area", "Bounds, min", "Size", "Inertia about the origin"):  # nothing is said of these
        assert "±" not in text.split(label, 1)[1].split("[", 2)[1], label


def test_single_entries_have_the_names_of_their_places() -> None:
    m = measured()
    lines = table(m, NARROW).splitlines()
    start = lines.index("Inertia about the centre of mass [kg m²]")
    entries = dict(line.split() for line in lines[start + 1 : start + 10])
    assert entries == {f"I{a}{b}": number(m.inertia[i, j]) for i, a in enumerate("xyz") for j, b in enumerate("xyz")}


def test_the_sign_of_products_is_the_one_that_the_heading_states() -> None:
    m = measured()
    for products, sign, words in (("tensor", 1, "Ixy = −∫ρxy"), ("positive", -1, "Ixy = +∫ρxy")):
        text = table(m, NARROW, products=products)
        assert words in " ".join(text.split())
        assert re.search(r"^  Ixy +(\S+)$", text, re.MULTILINE)[1] == number(sign * m.inertia[0, 1])
        assert re.search(r"^  Ixx +(\S+)$", text, re.MULTILINE)[1] == number(m.inertia[0, 0])


def test_the_second_point_is_the_one_that_was_asked_for() -> None:
    m = measured()
    point = table(m, about=[0.0, 0.0, 0.25])
    assert "Inertia about (0, 0, 0.25) m [kg m²]" in point
    expected = nine(m.properties.inertia_about([0, 0, 0.25]))
    assert numbers_after(" ".join(point.split()), "Inertia about (0, 0, 0.25) m [kg m²", 9) == expected
    assert "Inertia about the origin" not in point
    assert table(m, about="com").count("Inertia about") == 1


def test_without_a_mass_moments_are_per_density_and_say_so() -> None:
    m = measured(mass=None)
    text = " ".join(table(m).split())
    assert "Mass [kg]" not in text
    assert "kg m²" not in text
    expected = nine(m.unit_density_properties.inertia)
    assert numbers_after(text, "Inertia / density about the centre of mass [m⁵", 9) == expected


def test_axes_name_their_owner() -> None:
    pose = Pose.parse("1 2 3")
    assert "axes of the file" in table(measured())
    assert "axes of the parent frame" in table(measured(pose=pose))
    assert "axes of the given frame" in table(measured(frame=pose))


def test_an_unverified_result_claims_nothing_about_its_surface() -> None:
    closed, opened = table(measured()), table(measured(FACES[:3], on_open="integrate"))
    claim = "closed and consistently wound"
    assert claim in " ".join(closed.split())
    assert claim not in " ".join(opened.split())
    assert "solid, unverified: the surface is not verified" in opened
    assert "warning open-edges: " in opened


def test_a_sheet_has_an_area_density_and_no_volume() -> None:
    text = table(measured(FACES[:3], mass=None, on_open="shell", area_density=3))
    assert re.search(r"^Density \[kg/m²\] +3$", text, re.MULTILINE)
    assert "Volume" not in text
    assert "thin shell, unverified" in text


def test_the_margin_is_that_of_the_triangle_inequality() -> None:
    m = measured()
    low, middle, high = np.linalg.eigvalsh(m.inertia)
    text = " ".join(table(m).split())
    assert f"triangle inequality holds by {100 * (low + middle - high) / high:.3g} % of the largest moment" in text


def test_equal_moments_are_told() -> None:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    cube = massprops.measure((corners, [[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)]), mass=1)
    assert "(equal ones: any axes in their plane)" in table(cube)
    assert "equal ones" not in table(measured())


@pytest.mark.parametrize("value", [0.1234567890123, -1.23456789e-100, 1e300, 123456789.4, -0.0, 5e-324])
def test_a_number_has_nine_digits_and_no_negative_zero(value: float) -> None:
    text = number(value)
    # nine digits: half a unit in the ninth; the smallest subnormal has none to lose
    assert float(text) == pytest.approx(value, rel=5e-9, abs=0)
    assert text != "-0"
    assert len(text) <= 16


def test_no_number_is_a_dash() -> None:
    assert number(None) == "–"


def test_several_bodies_have_their_own_rows() -> None:
    a, b = measured(mass=2500), measured(mass=7000)
    error = InvalidGeometry("hole.stl: open", code="open-edges")
    text = several_bodies([("a.stl", a, None), ("hole.stl", None, error), ("b.stl", b, None)], screen=WIDE)
    lines = text.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.split()[0].endswith(".stl")}
    x = number(a.center_of_mass[0])
    assert rows == {
        "a.stl": [number(a.volume), "2500", x, "certified"],
        "hole.stl": ["–", "–", "–", "open-edges"],
        "b.stl": [number(b.volume), "7000", x, "certified"],
    }
    assert [lines[2].split(), lines[3].split()] == [[number(v)] for v in a.center_of_mass[1:]]


@pytest.mark.parametrize("code", ["inconsistent-winding", "self-intersecting-faces", "open-edges"])
def test_codes_in_a_row_are_broken_at_their_hyphens(code: str) -> None:
    text = several_bodies([("a.stl", None, InvalidGeometry("a.stl: bad", code=code))], screen=WIDE)
    title, *rows = text.splitlines()
    lines = [row[title.index("Grade") :].strip() for row in rows]
    assert "".join(lines) == code
    assert all(line.endswith("-") for line in lines[:-1])


def test_several_bodies_on_a_narrow_screen_have_their_own_blocks() -> None:
    a, b = measured(), measured(mass=7)
    error = InvalidGeometry("hole.stl: open", code="open-edges")
    text = several_bodies([("a.stl", a, None), ("hole.stl", None, error), ("b.stl", b, None)], screen=NARROW)
    blocks = re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]
    assert [block.split()[0] for block in blocks] == ["a.stl", "hole.stl", "b.stl"]
    assert [re.findall(r"mass +(\S+) kg", block) for block in blocks] == [["2.5"], [], ["7"]]
    assert blocks[1].split() == ["hole.stl", "open-edges"]


def test_colour_adds_nothing_but_colour() -> None:
    m = measured(FACES[:3], on_open="integrate")
    colored = table(m, Screen(80, color=True))
    assert "\x1b[33m" in colored
    # what rich underlines in colour may end in blanks
    bare = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", colored).splitlines()]
    assert bare == table(m).splitlines()


def test_no_line_ends_in_blanks() -> None:
    m = measured(FACES[:3], on_open="integrate")
    for screen in (WIDE, NARROW):
        assert not re.search(r"[ \t]$", table(m, screen), re.MULTILINE)


def test_materials_state_density_and_source_at_any_width() -> None:
    materials = all_materials()
    for screen in (Screen(40), Screen(200)):
        text = " ".join(materials_text(materials, screen=screen).split())
        for m in materials:
            assert re.search(rf"{re.escape(m.name)} +(density +)?{m.density:g}\b", text)
            assert m.source.split()[0] in text


@pytest.mark.parametrize(
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
    text = table(replace(measured(), findings=(foreign,)), Screen(200))
    assert "info odd-name: solid 'a\\x1b[2Jb\\nc' is empty" in text


def test_numbers_of_a_row_stay_in_one_line_or_get_one_each() -> None:
    # the longest label decides from which width on there is room for three numbers beside it
    m = measured()
    moments = [number(x) for x in m.properties.principal().moments]
    for width in range(60, 90):
        lines = table(m, Screen(width)).splitlines()
        row = next(line for line in lines if line.startswith("Principal moments"))
        assert row.removeprefix("Principal moments [kg m²]").split() in (moments, []), width
    assert row.split()[-3:] == moments


def test_the_report_is_blind_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    # the command line decides about width and colour; nothing below it may look
    m = measured(FACES[:3], on_open="integrate")
    before = table(m)
    for name, value in {"COLUMNS": "33", "FORCE_COLOR": "1", "TERM": "xterm-256color", "CLICOLOR_FORCE": "1"}.items():
        monkeypatch.setenv(name, value)
    assert table(m) == before


def test_the_area_of_a_section_and_stated_standard_deviations_are_printed() -> None:
    square = massprops.measure([[0, 0], [0.3, 0], [0.3, 0.7], [0, 0.7]], area_density="2 +- 5 % sigma")
    text = table(square)
    assert f"0.21  ± {square.section.area_error:.1e}" in text
    assert re.search(r"Mass \[kg\] +0\.42  ± \S+  σ 2\.1e-02\n", text)
    narrow = table(square, Screen(width=38))
    assert "σ 2.1e-02" in narrow

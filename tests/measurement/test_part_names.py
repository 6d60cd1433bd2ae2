"""A part's number is a number: names and numbers differ by their syntax, and what could be both is refused."""

from __future__ import annotations

from pathlib import Path

import ezdxf
import pytest
from cases import each, refused
from console import run
from oracles import box_obj

import massprops
from massprops.errors import InvalidInput
from massprops.formats.address import Address
from massprops.materials import find
from massprops.measurement.part_names import by_part

#: Corners of boxes of 1 and 2 cm³, mm.
SMALL, LARGE = ((0, 0, 0), (10, 10, 10)), ((20, 0, 0), (30, 10, 20))


def boxes(path: Path, *names: str) -> str:
    """The two boxes as OBJ, each below its lines."""
    both = enumerate(zip(names, (SMALL, LARGE), strict=True))
    path.write_text("".join(box_obj(*corners, 8 * i, name) for i, (name, corners) in both))
    return str(path)


@each(
    "key, grams",
    [
        ("1", 1 + 4),  # the end of the other name is 1, and names end in words, not in numbers
        ("2", 2 + 2),
        (1, 1 + 4),
        (2, 2 + 2),
        ("no:1", 1 + 4),
        ("part 1", 2 + 2),
        ("name:part 1", 2 + 2),
        ("part*", 1 + 2),
    ],
)
def test_a_whole_number_is_that_of_the_list_of_parts(tmp_path: Path, key, grams: float) -> None:
    """No. 1 is the part that is called part 2."""
    path = boxes(tmp_path / "two.obj", "o part 2", "o part 1")
    m = massprops.measure(path, units="mm", densities={key: 1000}, density=2000)
    assert m.mass == pytest.approx(grams / 1000)
    by_material = massprops.measure(path, units="mm", materials={key: "steel"}, density=2000)
    steel = find("steel").density
    assert by_material.mass == pytest.approx(6e-3 + (6 - grams) * 1e-6 * (steel - 2000))


def test_what_could_be_a_name_and_a_number_is_refused(tmp_path: Path) -> None:
    """The message shows how to write each, and either way of writing is taken."""
    path = boxes(tmp_path / "two.obj", "o 2", "o b")
    what = "two.obj: '2' is the number of 'b' and the name of another part; write name:2 for the name, or no:2 for the number"
    assert what in refused(InvalidInput, massprops.measure, path, units="mm", densities={"2": 1000}, density=2000)
    assert what in run("compute", path, "-u", "mm", "--part-density", "2=1000", "-d", "2000").err

    def grams(key) -> float:
        return 1000 * massprops.measure(path, units="mm", densities={key: 1000}, density=2000).mass

    assert grams("name:2") == pytest.approx(1 + 4)
    assert grams("no:2") == grams(2) == pytest.approx(2 + 2)
    assert grams("1") == pytest.approx(1 + 4)
    paths = boxes(tmp_path / "paths.obj", "o x", "o asm/1")
    what = "write name:asm/1 for the name, or no:1 for the number"
    assert what in refused(InvalidInput, massprops.measure, paths, units="mm", densities={"1": 1000}, density=2000)


def test_a_number_is_of_the_list_that_is_shown(tmp_path: Path) -> None:
    """Where materials are the list, numbers are theirs; beside names of materials, a number is that of an object."""
    path = boxes(tmp_path / "one.obj", "o all\nusemtl 2", "usemtl 1")
    assert "or no:1 for the number" in refused(InvalidInput, massprops.measure, path, densities={"1": 1}, density=2)
    m = massprops.measure(path, units="mm", densities={"name:1": 1000}, density=2000)
    assert m.mass == pytest.approx(4e-3)
    two = boxes(tmp_path / "two.obj", "o a\nusemtl x", "o b\nusemtl y")
    assert massprops.measure(two, units="mm", densities={1: 1000, "y": 2000}).mass == pytest.approx(5e-3)


def test_a_name_that_is_the_parts_own_number_is_no_doubt(tmp_path: Path) -> None:
    """Parts 1 and 2 in this order mean the same by number and by name; of two parts 1 only one is No. 1."""
    path = boxes(tmp_path / "a.obj", "o 1", "o 2")
    assert massprops.measure(path, units="mm", densities={"1": 1000, "2": 2000}).mass == pytest.approx(5e-3)
    assert "name:1 for the name" in refused(InvalidInput, by_part, {"1": 5}, [("1",), ("1",)])
    assert by_part({"name:1": 5}, [("1",), ("1",)]) == [5, 5]
    assert by_part({"no:1": 5}, [("1",), ("1",)]) == [5, None]


def test_parts_of_sections_are_named_alike(tmp_path: Path) -> None:
    """Ratios and densities of files: the second is No. 2, and a file that is called 1 is not No. 1."""
    a, b = tmp_path / "1", tmp_path / "b.csv"
    b.write_text("0,0\n1,0\n1,1\n0,1\n")
    a.write_text("3,0\n5,0\n5,1\n3,1\n")
    both = [str(b), str(a)]

    def area(ratios) -> float:
        return massprops.measure(both, format="csv", ratios=ratios).section.moments.measure

    assert area({2: 10}) == area({"no:2": 10}) == area({str(a): 10}) == area({"name:" + str(a): 10}) == 21
    assert area({"2": 10}) == 21
    assert f"name:{a} for the name" in refused(InvalidInput, area, {"1": 10})
    assert massprops.measure(both, format="csv", densities={1: 5, "no:2": 7}, thickness=1).mass == 5 + 14


def test_links_and_layers_have_names_and_no_numbers(tmp_path: Path) -> None:
    """`name:` may stand before their names; a layer 2 is that layer, wherever it stands."""
    assert Address.parse("robot.urdf#name:1") == Address.parse("robot.urdf#1") == Address("robot.urdf", "1")
    robot = tmp_path / "r.urdf"
    inertial = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{name}">{inertial.format(mass)}</link>' for name, mass in (("2", 5), ("1", 7)))
    robot.write_text(f'<robot name="r">{links}</robot>')
    masses = [massprops.open_bodies(f"{robot}#{key}").bodies[0].properties.mass for key in ("1", "name:1", "name:2")]
    assert masses == [7, 7, 5]
    drawing, path = ezdxf.new(), tmp_path / "l.dxf"
    for layer, x, size in (("2", 0, 1), ("1", 5, 3)):
        corners = [(x, 0), (x + size, 0), (x + size, 1), (x, 1)]
        drawing.modelspace().add_lwpolyline(corners, close=True, dxfattribs={"layer": layer})
    drawing.saveas(path)
    for key in ("1", "name:1"):
        assert massprops.measure(path, override_units="m", layers=[key]).section.area == 3, key
    assert "or no:1" in refused(InvalidInput, massprops.measure, path, override_units="m", ratios={"1": 2})
    assert massprops.measure(path, override_units="m", ratios={1: 2}).section.moments.measure == 2 * 1 + 3


@each("key", [1.5, True, None, ("a",)])
def test_a_part_is_named_by_a_text_or_a_number(key) -> None:
    """Anything else is refused before a file is read."""
    assert "named by a text or a whole number" in refused(InvalidInput, massprops.measure, "no.obj", densities={key: 1})


def test_numbers_beyond_the_list_are_refused_with_it() -> None:
    """The message says how many there are."""
    assert "there is no part No. 3; the numbers are 1 to 2; parts: 'a', 'b'" in refused(
        InvalidInput, by_part, {"3": 1}, [("a",), ("b",)]
    )
    what = "'3' is a number, of 2 parts, and a name; write name:3 for the name"
    assert what in refused(InvalidInput, by_part, {"3": 1}, [("a",), ("3",)])
    assert "there is no part No. 3" in refused(InvalidInput, by_part, {"no:3": 1}, [("a",), ("3",)])
    assert by_part({"*": 1, "name:a*": 2}, [("a*",), ("ab",)]) == [2, 1]

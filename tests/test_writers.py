"""URDF: a second reader finds every number and every name again."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import massprops
from massprops.errors import InvalidInput
from massprops.frames import Pose
from massprops.writers import BODY_WRITERS

#: The skew tetrahedron: three distinct moments and three distinct products, so that no two numbers can be swapped unseen.
VERTICES = [[1, 2, 3], [7, -1, 2], [0, 5, -4], [3, 3, 9]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
#: Its central tensor at unit density, exact: the first oracle of the project.
PRODUCTS = {"ixy": 15023 / 480, "ixz": -1991 / 80, "iyz": 4163 / 240}

TENSOR = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def measured(**options: object) -> massprops.Measurement:
    vertices = np.array(VERTICES, dtype=np.float64)
    volume = np.linalg.det(vertices[FACES]).sum()
    faces = FACES if volume > 0 else [face[::-1] for face in FACES]
    return massprops.measure((vertices, faces), **{"density": 2.7, **options})


def write(measurement: massprops.Measurement, link: str | None = None) -> ET.Element:
    return ET.fromstring(BODY_WRITERS["urdf"](measurement, link))  # noqa: S314  # our own text


def numbers(element: ET.Element, attribute: str) -> list[float]:
    return [float(word) for word in element.attrib[attribute].split()]


@pytest.mark.parametrize("pose", [None, Pose.parse("0.3333333333333333 0 0 0.1 0.2 0.3")])
def test_all_ten_numbers_come_back_to_the_last_bit(pose: Pose | None) -> None:
    m = measured(pose=pose)
    inertial = write(m)
    assert inertial.tag == "inertial"
    assert [child.tag for child in inertial] == ["origin", "mass", "inertia"]
    assert m.properties is not None
    assert numbers(inertial.find("origin"), "xyz") == m.properties.com.tolist()
    assert float(inertial.find("mass").attrib["value"]) == m.mass
    assert {k: float(v) for k, v in inertial.find("inertia").attrib.items()} == {
        k: float(m.properties.inertia[ij]) for k, ij in TENSOR.items()
    }


def test_products_are_tensor_elements_along_the_axes_of_the_result() -> None:
    # swapped or positive products are the commonest mistake in robot files; eight ulps of summing and scaling are allowed
    inertial = write(measured(density=1))
    stated = {k: float(v) for k, v in inertial.find("inertia").attrib.items()}
    assert {k: stated[k] for k in PRODUCTS} == pytest.approx(PRODUCTS, rel=8 * 2**-52)
    assert numbers(inertial.find("origin"), "rpy") == [0, 0, 0]


def test_a_number_is_written_as_python_writes_it() -> None:
    # the shortest that round-trips: no numpy type's name, no cut digits, no padding
    m = measured(mass=0.1, density=None)
    assert f'<mass value="{m.mass!r}" />' in BODY_WRITERS["urdf"](m, None)


@pytest.mark.parametrize(
    "name", ["a \"b\" 'c'", "R&D <1>", "Träger_№5", "名前", "with blank", "a\nb\tc\rd", "😀", "]]>", "&amp;"]
)
def test_every_name_comes_back(name: str) -> None:
    link = write(measured(), name)
    assert (link.tag, link.attrib) == ("link", {"name": name})
    assert [child.tag for child in link] == ["inertial"]


def test_the_text_is_ascii() -> None:
    # stdout may have any encoding; ASCII says the same in all of them, and needs no declaration
    assert BODY_WRITERS["urdf"](measured(), "Träger").isascii()


@pytest.mark.parametrize("name", ["a\x01b", "a\x00", "\x1b[31m", "a\udcffb", "\ufffe"])
def test_a_name_that_xml_cannot_hold_is_refused(name: str) -> None:
    # written as it is, no reader would accept the file
    with pytest.raises(InvalidInput) as caught:
        BODY_WRITERS["urdf"](measured(), name)
    bad = next(c for c in name if not c.isprintable())
    assert str(caught.value) == (
        f"a link named {name!r} cannot be written in XML, because of {bad!r}; give another --link"
    )


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^the link's name is empty; give --link a name$"):
        BODY_WRITERS["urdf"](measured(), "")


def test_a_body_without_a_mass_is_refused() -> None:
    message = r"^URDF needs a mass, and only the geometry is known; give --density, --material or --mass$"
    with pytest.raises(InvalidInput, match=message):
        BODY_WRITERS["urdf"](measured(density=None), None)


def test_another_program_reads_the_same_body(tmp_path: Path) -> None:
    # the parallel-axis sum of what the file says must be the tensor about the origin that the library states
    m = measured()
    file = tmp_path / "part.urdf"
    file.write_text(BODY_WRITERS["urdf"](m, "part"), encoding="ascii")
    inertial = ET.parse(file).getroot().find("inertial")  # noqa: S314  # our own text
    mass, com = float(inertial.find("mass").attrib["value"]), np.array(numbers(inertial.find("origin"), "xyz"))
    i = {k: float(v) for k, v in inertial.find("inertia").attrib.items()}
    central = [[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]]
    about_origin = central + mass * (com @ com * np.eye(3) - np.outer(com, com))
    # a dozen roundings, each of at most half an ulp of the largest entry
    np.testing.assert_allclose(
        about_origin, m.properties.inertia_about([0, 0, 0]), rtol=0, atol=1e-14 * about_origin.max()
    )

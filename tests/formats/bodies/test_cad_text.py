"""Texts of nine CAD programs about one known body, in the layout and the signs of each: read in SI about the centre of mass.

The numbers are those of three boxes in closed form, printed as the program prints them.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import trimesh
from cases import each, refused
from console import run
from places import ROOT

from massprops.errors import ReadError, UnknownFormat
from massprops.formats.bodies import NamedBody
from massprops.formats.bodies.cad_text import PROGRAMS, is_cad_text, read
from massprops.formats.bodies.opening import open_bodies

DENSITY = 2700.0
#: Low and high corners, mm: the products of inertia of the three together are distinct.
BOXES = (((10, 20, -5), (70, 50, 15)), ((10, 20, 15), (22, 50, 60)), ((40, -10, -5), (70, 20, 2)))


def body(boxes=BOXES) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and tensor per density about the centre, SI: of each box m/12 (b² + c²), and parallel axes."""
    parts = [np.array(corners) / 1000 for corners in boxes]
    volumes = np.array([np.prod(high - low) for low, high in parts])
    middles = np.array([(low + high) / 2 for low, high in parts])
    centre = volumes @ middles / volumes.sum()
    second = sum(
        v * (np.diag((high - low) ** 2) / 12 + np.outer(at - centre, at - centre))
        for v, at, (low, high) in zip(volumes, middles, parts, strict=True)
    )
    return float(volumes.sum()), centre, np.trace(second) * np.eye(3) - second


VOLUME, CENTRE, PER_DENSITY = body()
MASS, INERTIA = DENSITY * VOLUME, DENSITY * PER_DENSITY


def entries(matrix: np.ndarray, form: str) -> dict[str, str]:
    return {a + b: format(matrix[i, j] + 0.0, form) for i, a in enumerate("xyz") for j, b in enumerate("xyz")}


def text_of(layout: str, kg: float, m: float, sign: int, form: str, products: str = "") -> str:
    """A layout with the numbers of the body in units of `kg` and `m`, products of the tensor's sign or the other."""
    turn = np.where(np.eye(3), 1, sign)
    origin = INERTIA + MASS * (CENTRE @ CENTRE * np.eye(3) - np.outer(CENTRE, CENTRE))
    second = np.trace(origin) / 2 * np.eye(3) - origin
    numbers = {"c": entries(turn * INERTIA / (kg * m**2), form), "o": entries(turn * origin / (kg * m**2), form)}
    numbers |= {"s": entries(second / DENSITY / m**5, form), "v": entries(PER_DENSITY / m**5, form)}
    at = {axis: format(x / m, form) for axis, x in zip("xyz", CENTRE, strict=True)}
    size = {"mass": MASS / kg, "volume": VOLUME / m**3, "density": DENSITY / kg * m**3}
    principal = [format(x / (kg * m**2), form) for x in np.linalg.eigvalsh(INERTIA)]
    return layout.format(
        at=at,
        p=principal,
        products=products,
        slugs=format(MASS / 14.59390294, ".6f"),
        **numbers,
        **{k: format(x, form) for k, x in size.items()},
    )


#: Help of SOLIDWORKS, "Mass Properties Dialog Box": the text of its Copy to Clipboard.
SOLIDWORKS = """Mass properties of bracket
     Configuration: Default
     Coordinate system: -- default --

Density = {density} pounds per cubic inch

Mass = {mass} pounds
Mass = {slugs} slugs

Volume = {volume} cubic inches

Surface area = 12.5  square inches

Center of mass: ( inches )
\tX = {at[x]}
\tY = {at[y]}
\tZ = {at[z]}

Principal axes of inertia and principal moments of inertia: ( pounds * square inches )
Taken at the center of mass.
\t Ix = (-0.17,  0.98,  0.00)   \tPx = {p[0]}
\t Iy = (-0.98, -0.17,  0.00)   \tPy = {p[1]}
\t Iz = ( 0.00,  0.00,  1.00)   \tPz = {p[2]}

Moments of inertia: ( pounds * square inches )
Taken at the center of mass and aligned with the output coordinate system. {products}
\tLxx = {c[xx]}\tLxy = {c[xy]}\tLxz = {c[xz]}
\tLyx = {c[yx]}\tLyy = {c[yy]}\tLyz = {c[yz]}
\tLzx = {c[zx]}\tLzy = {c[zy]}\tLzz = {c[zz]}

Moments of inertia: ( pounds * square inches )
Taken at the output coordinate system. {products}
\tIxx = {o[xx]}\tIxy = {o[xy]}\tIxz = {o[xz]}
\tIyx = {o[yx]}\tIyy = {o[yy]}\tIyz = {o[yz]}
\tIzx = {o[zx]}\tIzy = {o[zy]}\tIzz = {o[zz]}
"""
#: Help of Fusion, "Properties": the text of Copy to Clipboard.
FUSION = """bracket v1

Component Instances (1)
Area\t5876.196 mm^2
Density\t{density} g / mm^3
Mass\t{mass} g
Volume\t{volume} mm^3
Physical Material\tAluminum

Bounding Box
\tLength \t 60.00 mm
\tWidth \t 60.00 mm
World X,Y,Z\t0.00 mm, 0.00 mm, 0.00 mm
Center of Mass\t{at[x]} mm, {at[y]} mm, {at[z]} mm

Moment of Inertia at Center of Mass   (g mm^2)
\tIxx = {c[xx]}
\tIxy = {c[xy]}
\tIxz = {c[xz]}
\tIyx = {c[yx]}
\tIyy = {c[yy]}
\tIyz = {c[yz]}
\tIzx = {c[zx]}
\tIzy = {c[zy]}
\tIzz = {c[zz]}

Moment of Inertia at Origin   (g mm^2)
\tIxx = {o[xx]}
\tIxy = {o[xy]}
\tIxz = {o[xz]}
\tIyy = {o[yy]}
\tIyz = {o[yz]}
\tIzz = {o[zz]}
"""
#: Help of Creo Parametric, "About Working with Mass Property Parameters": the report objectname.m_p.
CREO = """VOLUME =  {volume}  MM^3
SURFACE AREA =  1.6000000e+03  MM^2
AVERAGE DENSITY =  {density} KILOGRAM / MM^3
MASS =  {mass} KILOGRAM

CENTER OF GRAVITY with respect to _BRACKET coordinate frame:
X   Y   Z     {at[x]}  {at[y]}  {at[z]}  MM

INERTIA with respect to _BRACKET coordinate frame:  (KILOGRAM * MM^2)

INERTIA TENSOR:
Ixx Ixy Ixz  {o[xx]}  {o[xy]} {o[xz]}
Iyx Iyy Iyz  {o[yx]}  {o[yy]} {o[yz]}
Izx Izy Izz  {o[zx]}  {o[zy]} {o[zz]}

INERTIA at CENTER OF GRAVITY with respect to _BRACKET coordinate frame:  (KILOGRAM * MM^2)

INERTIA TENSOR:
Ixx Ixy Ixz  {c[xx]}  {c[xy]} {c[xz]}
Iyx Iyy Iyz  {c[yx]}  {c[yy]} {c[yz]}
Izx Izy Izz  {c[zx]}  {c[zy]} {c[zz]}

PRINCIPAL MOMENTS OF INERTIA:  (KILOGRAM * MM^2)
I1  I2  I3    1.0000000e+00  2.0000000e+00  2.5000000e+00
"""
#: CATIA V5 help, "Measuring Inertia" and "Inertia Notations": Ixy is −Pxy.
CATIA = """Volume\t{volume}m3
Area\t0.022m2
Mass\t{mass}kg
Density\t{density}kg_m3
Center Of Gravity (G)
Gx\t{at[x]}m
Gy\t{at[y]}m
Gz\t{at[z]}m
Inertia Matrix / G
IoxG\t{c[xx]}kgxm2
IoyG\t{c[yy]}kgxm2
IozG\t{c[zz]}kgxm2
IxyG\t{c[xy]}kgxm2
IxzG\t{c[xz]}kgxm2
IyzG\t{c[yz]}kgxm2
Principal Moments / G
M1\t{p[0]}kgxm2
M2\t{p[1]}kgxm2
M3\t{p[2]}kgxm2
"""
#: Labels of UF_MODL_ask_mass_props_3d in the NX Open reference.
NX = """Volume = {volume} mm^3
Area = 5876.196 mm^2
Mass = {mass} kg
Centroid = {at[x]}, {at[y]}, {at[z]} mm
First Moments
Mx, My, Mz = 1.0, 2.0, 3.0
Moments of Inertia (WCS)
Ix, Iy, Iz = {o[xx]}, {o[yy]}, {o[zz]} kg mm^2
Moments of Inertia (Centroidal)
Ixc, Iyc, Izc = {c[xx]}, {c[yy]}, {c[zz]} kg mm^2
Moments of Inertia (Spherical)
I = 1.0
Products of Inertia (WCS)
Pyz, Pxz, Pxy = {o[yz]}, {o[xz]}, {o[xy]} kg mm^2
Products of Inertia (Centroidal)
Pyzc, Pxzc, Pxyc = {c[yz]}, {c[xz]}, {c[xy]} kg mm^2
"""
#: Autodesk's reference of GeneralOptions.UseNegativeIntegralForInertialProperties, and "iProperties - Physical Tab".
INVENTOR = """Physical Properties for bracket
General Properties:
\tMaterial:\tAluminum
\tDensity:\t{density} g/cm^3
\tMass:\t{mass} g (Relative Error = 0.000001%)
\tVolume:\t{volume} cm^3 (Relative Error = 0.000001%)
Center of Gravity:
\tX:\t{at[x]} cm (Relative Error = 0.000001%)
\tY:\t{at[y]} cm (Relative Error = 0.000001%)
\tZ:\t{at[z]} cm (Relative Error = 0.000001%)
Mass Moments of Inertia with respect to Center of Gravity(Calculated using {products} integral)
\tIxx\t{c[xx]} g cm^2
\tIyx Iyy\t{c[yx]} g cm^2\t{c[yy]} g cm^2
\tIzx Izy Izz\t{c[zx]} g cm^2\t{c[zy]} g cm^2\t{c[zz]} g cm^2
Principal Moments of Inertia with respect to Center of Gravity
\tI1:\t{p[0]} g cm^2
\tI2:\t{p[1]} g cm^2
\tI3:\t{p[2]} g cm^2
"""
#: Rhino help, "VolumeMoments": it knows no mass.
RHINO = """Volume = {volume} (+/- 1e-06) cubic millimeters
Volume Centroid = {at[x]},{at[y]},{at[z]} (+/- 1.5e-08,9.7e-15,1e-10)
Volume Moments:
   First Moments
   x: \t96239.2021 (+/- 7.1e-05)
   Second Moments
   xx: \t{s[xx]} (+/- 0.12)
   yy: \t{s[yy]} (+/- 0.12)
   zz: \t{s[zz]} (+/- 0.12)
   Product Moments
   xy: \t{s[xy]} (+/- 2e-06)
   yz: \t{s[yz]} (+/- 0.00012)
   zx: \t{s[zx]} (+/- 0.0078)
   Volume Moments of Inertia about World Coordinate Axes
   Ix: \t1.5 (+/- 0.0013)
Density = 2.7 g/cm^3
"""
#: FreeCAD, attributes of a shape in the Python console.
FREECAD = """Volume {volume}
CenterOfMass Vector ({at[x]}, {at[y]}, {at[z]})
MatrixOfInertia Matrix (({v[xx]},{v[xy]},{v[xz]},0),({v[yx]},{v[yy]},{v[yz]},0),({v[zx]},{v[zy]},{v[zz]},0),(0,0,0,1))
Density = 2700 kg/m^3
"""
#: Onshape's panel, typed; its API states the tensor.
ONSHAPE = """Onshape
Mass: {mass} lb
Center of mass: {at[x]} in, {at[y]} in, {at[z]} in
Moments of inertia (lb in^2)
Lxx: {c[xx]} Lxy: {c[xy]} Lxz: {c[xz]}
Lyy: {c[yy]} Lyz: {c[yz]} Lzz: {c[zz]}
"""
POUND, INCH = 0.45359237, 0.0254
#: Layout, units of mass and length, sign of products, form of numbers, note on the products, digits.
TEXTS = {
    "solidworks": (SOLIDWORKS, POUND, INCH, -1, ".8f", "(Using positive tensor notation.)"),
    "solidworks, negative": (SOLIDWORKS, POUND, INCH, 1, ".8f", "(Using negative tensor notation.)"),
    "solidworks, no note": (SOLIDWORKS, POUND, INCH, -1, ".8f", ""),
    "fusion": (FUSION, 1e-3, 1e-3, 1, ".3f", ""),
    "creo": (CREO, 1.0, 1e-3, 1, ".7e", ""),
    "catia": (CATIA, 1.0, 1.0, 1, ".7g", ""),
    "nx": (NX, 1.0, 1e-3, -1, ".9f", ""),
    "inventor": (INVENTOR, 1e-3, 1e-2, 1, ".6f", "negative"),
    "inventor, positive": (INVENTOR, 1e-3, 1e-2, -1, ".6f", "positive"),
    "rhino": (RHINO, 1e-3, 1e-3, 1, ".9g", ""),
    "freecad": (FREECAD, 1e-3, 1e-3, 1, ".9g", ""),
    "onshape": (ONSHAPE, POUND, INCH, 1, ".6f", ""),
}


def check(text: str, path: str = "a.txt", program: str = "auto") -> NamedBody:
    """The body of a text, once its ten numbers are those of the boxes, to the fewest digits that are printed."""
    (found,) = read(text, path, program).bodies
    assert found.properties.mass == pytest.approx(MASS, rel=1e-5)
    np.testing.assert_allclose(found.properties.com, CENTRE, rtol=2e-5)
    np.testing.assert_allclose(found.properties.inertia, INERTIA, atol=2e-5 * INERTIA.max())
    return found


@each("name", list(TEXTS))
def test_the_text_of_each_program_gives_the_body_back(name: str) -> None:
    """By itself, and by the name of the program; the program that is recognised is the one it is of."""
    text, program = text_of(*TEXTS[name]), name.partition(",")[0]
    assert is_cad_text(text)
    (note,) = check(text).findings
    assert (note.code, note.message.partition(":")[0]) == ("products-convention", PROGRAMS[program].title)
    check(text, program=program)
    check(text.replace("-", "−"))


def test_a_decimal_comma_is_read_where_no_number_has_a_point() -> None:
    for name in ("catia", "creo"):
        check(text_of(*TEXTS[name]).replace(".", ","))


@each(("name", "start", "end"), [
    ("solidworks, no note", "Moments of inertia: ( pounds * square inches )\nTaken at the output", "$"),
    ("fusion", "Moment of Inertia at Origin", "$"),
    ("creo", "INERTIA with respect", "INERTIA at CENTER"),
    ("nx", None, None),
])  # fmt: skip
def test_two_tensors_say_the_sign_and_one_has_that_of_the_program(
    name: str, start: str | None, end: str | None
) -> None:
    """The tensor about the origin has the products m x y more or less: no convention is needed, nor believed."""
    layout, kg, m, sign, form, note = TEXTS[name]
    for own in (sign, -sign):
        text = text_of(layout, kg, m, own, form, note)
        assert check(text).findings[0].message.endswith("the two tensors differ so")
        if start is None:
            alone = text.replace("(WCS)", "(Spherical)")
        else:
            alone = text.partition(start)[0] + (end + text.partition(end)[2] if end != "$" else "")
        alone = re.sub(r"P[xyz] = \S+", "", alone)
        if own == sign:
            assert (
                check(alone).findings[0].message.endswith(f"the convention of {PROGRAMS[name.partition(',')[0]].title}")
            )
        else:
            (other,) = read(alone, "a.txt").bodies
            assert other.properties.inertia[0, 1] == pytest.approx(-INERTIA[0, 1], rel=1e-3)


def test_principal_moments_say_the_sign_of_the_products_too() -> None:
    """The determinant of a tensor has the product of its three products, whatever the note or the program says."""
    for name in ("catia", "inventor", "solidworks", "solidworks, no note"):
        layout, kg, m, sign, form, note = TEXTS[name]
        for own in (sign, -sign):
            text = text_of(
                layout.partition("Moments of inertia: ( pounds * square inches )\nTaken at the output")[0],
                kg,
                m,
                own,
                form,
                note,
            )
            assert check(text).findings[0].message.endswith("the principal moments are those")


def test_a_tensor_about_the_origin_alone_is_moved_to_the_centre() -> None:
    for name in ("solidworks", "solidworks, negative"):
        before, com, origin = re.split(r"(?m)(?=^Moments? of [iI]nertia)", text_of(*TEXTS[name]))
        check(before + com)
        check(before + origin)


@each(("layout", "old", "new", "message"), [
    ("creo", "MASS =", "WEIGHT =", "a.txt: states no mass and no density; add a line with its density (Density = 7.85 g/cm^3)"),
    ("creo", "KILOGRAM\n", "BUSHEL\n", "a.txt: unknown unit 'BUSHEL'; known units of mass: kg g mg ug t lb oz slug"),
    ("creo", "  {at[z]}  MM", "  MM", "a.txt: states no centre of mass; copy the whole report"),
    ("creo", "Iyx", "Axx", "a.txt: states no whole tensor of inertia; copy its moments and its products"),
    ("nx", "{mass}", "1,234.5", "a.txt: '1,234.5' has thousands separators; write the numbers without them"),
    ("rhino", "Density = 2.7 g/cm^3", "", "a.txt: states no mass and no density; add a line with its density (Density = 7.85 g/cm^3)"),
    ("onshape", "(lb in^2)", "(lb in)", "a.txt: expected a moment of inertia, got a quantity in kg^1 m^1: 'lb in'; for example g mm^2"),
    ("onshape", "Mass: {mass} lb", "Mass: {mass}", "a.txt: 0.34822 has no unit; write it behind the number"),
])  # fmt: skip
def test_what_is_missing_is_named(layout: str, old: str, new: str, message: str) -> None:
    form, *how = TEXTS[layout]
    assert old in form
    changed = form.replace(old, new).replace("AVERAGE DENSITY", "AVERAGE" if "WEIGHT" in new else "AVERAGE DENSITY")
    assert refused(ReadError, read, text_of(changed, *how), "a.txt").startswith(message)


MESHLAB = """Mesh Bounding Box Size 60.000000 60.000000 65.000000
Mesh Surface Area is 5876.196289
Mesh Volume is {volume}
Center of Mass is {at[x]} {at[y]} {at[z]}
Inertia Tensor is :
| {v[xx]} {v[xy]} {v[xz]} |
| {v[yx]} {v[yy]} {v[yz]} |
| {v[zx]} {v[zy]} {v[zz]} |
Principal axes are :
| 1.0 0.0 0.0 |
| 0.0 1.0 0.0 |
| 0.0 0.0 1.0 |
axis momenta are :
| 1.0 2.0 3.0 |
"""


@each("matter", ["Mass = {mass} kg", "Density = 2700 kg/m^3", "Mass = {mass} kg\nDensity = 2700 kg/m^3"])
def test_a_tensor_of_the_volume_is_weighed_by_the_mass_or_the_density(matter: str) -> None:
    for layout, unit in ((MESHLAB, 1.0), (FREECAD.replace("Density = 2700 kg/m^3\n", ""), 1e-3)):
        text = text_of(layout + matter + "\n", 1.0, unit, 1, ".12g")
        assert is_cad_text(text)
        assert check(text).volume == pytest.approx(VOLUME)
    message = refused(ReadError, read, text_of(MESHLAB, 1.0, 1.0, 1, ".12g"), "a.txt")
    assert message.startswith("a.txt: states no mass and no density; add a line with its density")


WORDS = [
    "NX bracket",
    "for SolidWorks",
    "Onshape part",
    "creo.prt",
    "made in Inventor",
    "Rhino",
    "CATIA V5",
    "Fusion plate",
    "FreeCAD",
    "MeshLab",
]


@each("word", WORDS)
def test_no_name_in_a_text_decides_whose_convention_it_has(word: str) -> None:
    for name, how in TEXTS.items():
        alone = text_of(how[0].replace("Onshape\n", ""), *how[1:])
        for text in (f"part: {word}\n{alone}", f"{alone}\nremark: {word}\n", alone.replace("bracket", word)):
            assert check(text).findings[0].message.startswith(PROGRAMS[name.partition(",")[0]].title + ":"), (
                name,
                word,
            )


def test_a_layout_of_no_program_has_products_of_no_known_sign() -> None:
    """Typed numbers: the numbers decide where they can, an option does, and no guess."""
    text = text_of(ONSHAPE.replace("Onshape\n", "").replace(":", " ="), POUND, INCH, 1, ".6f")
    assert is_cad_text(text)
    message = refused(ReadError, read, text, "a.txt")
    assert "the sign of its products of inertia is not known" in message
    check(text, program="onshape")
    check(text_of(ONSHAPE.replace(":", " ="), POUND, INCH, -1, ".6f"), program="nx")
    no_products = re.sub(r"(L(?:xy|xz|yz) =) \S+", r"\1 0.0", text)
    assert read(no_products, "a.txt").bodies[0].properties.inertia[0, 1] == 0
    # both layouts in one text, of two conventions
    both = text_of(ONSHAPE + "Taken at the center of mass\n", POUND, INCH, 1, ".6f")
    assert "Onshape" in refused(ReadError, read, both, "a.txt")


def test_stated_axes_decide_the_sign_where_moments_cannot() -> None:
    """Products so small that both signs have the same principal moments to the digits that are printed."""
    tensor = np.array([[3.154, 0.063, -0.038], [0.063, 3.826, 0.018], [-0.038, 0.018, 2.607]])
    for sign in (1, -1):
        own = np.where(np.eye(3), tensor, sign * tensor)
        moments, axes = np.linalg.eigh(own)
        rows = "\n".join(
            f"\t I{a} = ({', '.join(f'{x:.5f}' for x in axis)})  P{a} = {m:.3f}"
            for a, axis, m in zip("xyz", axes.T, moments, strict=True)
        )
        text = "Mass = 2.381 pounds\nCenter of mass: ( inches )\nX = 0\nY = 0\nZ = 0\n\n"
        text += "Principal axes of inertia: ( pounds * square inches )\n"
        text += f"Taken at the center of mass.\n{rows}\n\nMoments of inertia: ( pounds * square inches )\nTaken at the center of mass\n"
        for i, a in enumerate("xyz"):
            text += "\t".join(f"L{a}{b} = {tensor[i, j]:.3f}" for j, b in enumerate("xyz")) + "\n"
        (found,) = read(text, "a.txt").bodies
        assert found.findings[0].message.endswith("the principal axes are those")
        np.testing.assert_allclose(found.properties.inertia, own * POUND * INCH**2, rtol=1e-12)


@each(("old", "new", "words"), [
    ("", "{text}", ("",)),  # the same report twice is one
    ("Mass = ", "Mass = 1", ("states its mass twice", "two reports")),
    ("X = ", "X = 9", ("states its centre of mass twice",)),
    ("Lxx = ", "Lxx = 9", ("states its moments of inertia twice",)),
    ("Volume = ", "Volume = 4", ("states its volume twice",)),
])  # fmt: skip
def test_two_reports_in_one_text_are_named(old: str, new: str, words: tuple[str, ...]) -> None:
    text = text_of(*TEXTS["solidworks"])
    if not old:
        check(text + text)
        return
    for both in (text + text.replace(old, new), text.replace(old, new) + text):
        message = refused(ReadError, read, both, "a.txt")
        assert all(word in message for word in words), message
    half = re.sub(r"Lyx = \S+", "Lyx = 9999", text)  # a tensor that is not symmetric
    assert "states its moments of inertia twice" in refused(ReadError, read, half, "a.txt")
    total = refused(ReadError, read, "Total Mass = 12.5 kg\n" + text_of(*TEXTS["fusion"]), "a.txt")
    assert "states its mass twice, 12.5 kg and" in total


@each(
    ("number", "readings"),
    [("12,345", "12345 or 12.345"), ("1,234", "1234 or 1.234"), ("999,000", "999000 or 999.000")],
)
def test_a_comma_that_can_separate_thousands_is_refused(number: str, readings: str) -> None:
    text = f"IoxG 1kgxm2\nMass {number} kg\nVolume 3 m3\n"
    message = refused(ReadError, read, text, "a.txt")
    assert message.startswith(f"a.txt: {number!r} can be {readings}")
    # another number says that commas are decimal, or that they are not
    decided = refused(ReadError, read, text + "Density 0,5 kg/m3\n", "a.txt")
    assert "can be" not in decided
    assert "thousands" in refused(ReadError, read, text + "Area 1,234,567 m2\n", "a.txt")


def test_the_commands_read_it_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    """`check` compares it with the mesh of the boxes, `explain` names a sign, and a table of points is still a section."""
    mesh, report, urdf = tmp_path / "part.stl", tmp_path / "dialog.txt", tmp_path / "a.urdf"
    trimesh.util.concatenate([trimesh.creation.box(bounds=corners) for corners in BOXES]).export(mesh)
    report.write_text(text_of(*TEXTS["solidworks, no note"]))
    assert run("check", report, "--against", mesh, "--units", "mm").returncode == 0
    copied = Path(report).read_bytes()
    assert run("check", "-", "--against", mesh, "--units", "mm", stdin=copied).returncode == 0
    assert run("check", "-", report, "--against", mesh, "--units", "mm", stdin=copied).returncode == 2
    for factor, status, words in ((1.005, 0, "0.498 % below"), (0.9, 1, "11.1 % above")):
        larger = SOLIDWORKS.replace("{volume}", f"{factor * VOLUME / INCH**3:.8f}")
        report.write_text(text_of(larger, *TEXTS["solidworks"][1:]))
        done = run("check", report, "--against", mesh, "--units", "mm")
        assert done.returncode == status
        assert "stated-volume: the volume of the geometry, 5.85e-05 m³, is" in " ".join(done.out.split())
        assert words in " ".join(done.out.split())
    wrong = text_of(ONSHAPE.removeprefix("Onshape"), POUND, INCH, -1, ".6f", "")
    done = run("explain", "-", "--cad", "onshape", "--against", mesh, "--units", "mm", stdin=wrong.encode())
    assert "1. products-sign: the products of inertia have the other sign" in done.out
    urdf.write_text(run("convert", report, "--format", "urdf").out)
    (read_back,) = open_bodies(urdf).bodies
    np.testing.assert_allclose(read_back.properties.inertia, INERTIA, atol=2e-5 * INERTIA.max())
    with pytest.raises(UnknownFormat, match="got a section"):
        open_bodies(ROOT / "samples/sections/angle.txt")

"""Several parts in one file: each has its own density, and the whole is the body that they are together."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from cases import each, refused
from console import run, valid
from oracles import NOTHING, Matrix, Vector, box_moments, box_obj, central
from places import ROOT

import massprops
from massprops.errors import InvalidGeometry, InvalidInput
from massprops.measurement import parts
from massprops.measurement.options import Options
from massprops.measurement.parts import options_by_part
from massprops.mesh.source import PartLabel

#: Of sums of a few terms.
FEW = 1e-12
PLATE, BOLTS = ((0, 0, 0), (10, 8, 1)), (((1, 1, 1), (2, 2, 4)), ((7, 5, 1), (8, 6, 5)))


def assembly(path: Path) -> str:
    """A plate of ABS with two bolts of steel that stand on it, mm."""
    names = ("plate\nusemtl ABS", "bolt_a\nusemtl steel", "bolt_b\nusemtl steel")
    boxes = enumerate(zip(names, (PLATE, *BOLTS), strict=True))
    path.write_text("".join(box_obj(*corners, 8 * i, f"o {name}") for i, (name, corners) in boxes))
    return str(path)


def closed_form(*boxes) -> tuple[Fraction, Vector, Matrix]:
    """Mass, centre and tensor of boxes (density, low, high) about their common centre; mm and kg/m³ in SI."""
    metres = ((density, *([Fraction(x) / 1000 for x in corner] for corner in corners)) for density, *corners in boxes)
    body = central(sum((density * box_moments(low, high) for density, low, high in metres), NOTHING))
    return body.volume, body.centroid, body.inertia


@each(
    "given",
    [
        {"densities": {"plate": 1040, "bolt_a": 7850, "bolt_b": "7.85 g/cm3"}},
        {"densities": {"plate": 1040, "bolt*": 7850}},
        {"density": 1040, "densities": {"steel": 7850}},  # the material of both
        {"density": 7850, "densities": {"*": 1, "pla*": 1040, "b*": 7850}, "refused": True},
        {"density": 1, "densities": {"bolt_?": 7850, "plate": 1040}},
        {"density": 7850, "densities": {"p*": 1, "plate": 1040}},  # a name goes before a pattern
        {"density": 7850, "densities": {"plate": 1040, "p*": 1}},
        {"densities": {"1": 1040, "2": 7850, "3": 7850}},
        {"densities": {"*": 7850, "1": 1040}},  # a number goes before a pattern, too
    ],
)
def test_parts_of_several_densities_are_one_body(tmp_path: Path, given) -> None:
    """Mass, centre and inertia are those of the closed form, and within the ± that is stated."""
    options = {k: v for k, v in given.items() if k != "refused"}
    path = assembly(tmp_path / "a.obj")
    if "refused" in given:
        with pytest.raises(InvalidInput, match="a density is given twice for the part 'plate'; give it once"):
            massprops.measure(path, units="mm", **options)
        return
    m = massprops.measure(path, units="mm", **options)
    mass, centre, tensor = closed_form((1040, *PLATE), *((7850, *bolt) for bolt in BOLTS))
    assert m.mass == pytest.approx(float(mass), rel=FEW)
    assert m.volume == pytest.approx(87e-9, rel=FEW)
    assert m.density == pytest.approx(m.mass / m.volume)
    np.testing.assert_allclose(m.com, np.array(centre, float), rtol=FEW)
    np.testing.assert_allclose(m.inertia, np.array(tensor, float), atol=FEW * float(tensor[2][2]))
    assert [str(p.label) for p in m.parts] == ["plate (ABS)", "bolt_a (steel)", "bolt_b (steel)"]
    assert [p.measurement.mass for p in m.parts] == pytest.approx([83.2e-6, 23.55e-6, 31.4e-6])
    assert 0 < m.uncertainty.mass < 1e-2 * m.mass
    assert (m.uncertainty.inertia > 0).all()


@pytest.mark.parametrize(
    "weighed",
    [
        ("--mass", "2kg"),
        ("--density", "1000"),
        ("--part-density", "1=1000", "--part-density", "bolt*=7800"),
        ("--part-density", "1=1000", "--part-density", "bolt*=7800", "--as", "sheet", "--thickness", "1mm"),
        ("--part-density", "1=1000", "--part-density", "bolt*=7800", "--as", "wall", "--thickness", "1mm"),
        (),
    ],
)
def test_a_file_of_parts_does_not_differ_from_its_own_result(tmp_path: Path, weighed: tuple[str, ...]) -> None:
    """However the parts were weighed: `check` measures them so again, and `diff` compares what both sides know."""
    assembly(tmp_path / "a.obj")
    done = run("compute", "a.obj", *weighed, "-f", "json", cwd=tmp_path)
    assert done.returncode == 0, done.err
    (tmp_path / "a.json").write_text(done.out, encoding="utf-8")
    assert run("check", "a.obj", "--expect", "a.json", cwd=tmp_path).returncode == 0
    assert run("diff", "a.obj", "a.json", cwd=tmp_path).returncode == int("--as" in weighed)  # no solid
    (tmp_path / "a.json").write_text(done.out.replace('"area": ', '"area": 1', 1), encoding="utf-8")
    assert run("check", "a.obj", "--expect", "a.json", cwd=tmp_path).returncode == 1


@each("kept", ["density = 7800", 'material = "steel"'])
def test_the_matter_of_the_configuration_is_that_of_the_parts_that_are_not_named(tmp_path: Path, kept: str) -> None:
    assembly(tmp_path / "a.obj")
    (tmp_path / "massprops.toml").write_text(kept + "\n")
    done = run("compute", "a.obj", "--part-density", "plate=1000", "--json", cwd=tmp_path)
    bolts = 7800 if "7800" in kept else massprops.materials.find("steel").density
    assert [p["density"] for p in done.result["parts"]] == [1000, bolts, bolts]


def test_materials_divide_one_object(tmp_path: Path) -> None:
    """Where the names that are given are no objects: the first way of dividing the file that has them all."""
    boxes = zip(("o all\nusemtl ABS", "usemtl steel", "usemtl steel"), (PLATE, *BOLTS), strict=True)
    path = tmp_path / "a.obj"
    path.write_text("".join(box_obj(*corners, 8 * i, before) for i, (before, corners) in enumerate(boxes)))
    m = massprops.measure(path, units="mm", densities={"ABS": 1040, "steel": 7850})
    assert m.mass == pytest.approx(float(closed_form((1040, *PLATE), *((7850, *b) for b in BOLTS))[0]))
    assert [p.label.name for p in m.parts] == ["ABS", "steel"]


def test_parts_that_share_a_density_share_its_error(tmp_path: Path) -> None:
    """Bounds of one density add up over the parts; centre and inertia know that it is one error, not two."""
    m = massprops.measure(
        assembly(tmp_path / "a.obj"), units="mm", verify="closed", density=1040, densities={"steel": "7850 +- 785"}
    )
    for sign in (-1, 1):
        mass, centre, tensor = closed_form((1040, *PLATE), *((7850 + sign * 785, *bolt) for bolt in BOLTS))
        assert abs(float(mass) - m.mass) == pytest.approx(m.uncertainty.mass, rel=1e-6)
        assert (abs(np.array(centre, float) - m.com) <= m.uncertainty.center_of_mass * (1 + 1e-9)).all()
        assert (abs(np.array(tensor, float) - m.inertia) <= m.uncertainty.inertia * (1 + 1e-9)).all()
    assert m.properties.sources["density 7850 ± 785 kg/m³"].shared


def test_the_parts_are_in_the_result_and_in_the_frame_of_the_whole(tmp_path: Path) -> None:
    pose = massprops.Pose.from_xyz_rpy([1, 2, 3], [0.3, -0.2, 0.9])
    m = massprops.measure(
        assembly(tmp_path / "a.obj"), units="mm", materials={"bolt*": "steel"}, density=1040, pose=pose
    )
    listed = m.to_dict()["parts"]
    assert [(p["name"], p["material"], p["density"]) for p in listed][1] == (
        "bolt_a",
        "steel",
        massprops.materials.find("steel").density,
    )
    total = sum(p["mass"] for p in listed)
    centre = sum(p["mass"] * np.array(p["center_of_mass"]) for p in listed) / total
    assert m.mass == pytest.approx(total)
    np.testing.assert_allclose(m.com, centre, rtol=FEW)
    np.testing.assert_allclose(
        massprops.measure(str(tmp_path / "a.obj"), units="mm", density=1, pose=pose).bounds, m.bounds, rtol=FEW
    )


@each(
    ("options", "message"),
    [
        ({"densities": {"plat": 1}}, "there is no part 'plat'; did you mean plate? parts: 'plate', 'ABS', 'bolt_a', 'steel', 'bolt_b'"),
        ({"densities": {"q*": 1}}, "there is no part 'q*'; parts: 'plate', 'ABS', 'bolt_a', 'steel', 'bolt_b'"),
        ({"densities": {"plate": 1}}, "2 of 3 parts have no density: 'bolt_a', 'bolt_b'; give each one its own"),
        ({"densities": {"plate": 1}, "materials": {"plate": "steel"}}, "densities and materials both name 'plate'; give one of them"),
        ({"densities": {"plate": "1 mm"}}, "'plate': expected a density"),
        ({"materials": {"plate": "unobtainium"}}, "'plate': unknown material 'unobtainium'"),
        ({"densities": {"4": 1}}, "there is no part No. 4; the numbers are 1 to 3; parts: 'plate'"),
        ({"mass": 1, "list_parts": True}, "list_parts and mass are mutually exclusive; give one of them"),
        ({"mass": 1, "densities": {"plate": 1}}, "densities and mass are mutually exclusive; give one of them"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_parts_is_refused_by_name(tmp_path: Path, options, message) -> None:
    assert message in refused(InvalidInput, massprops.measure, assembly(tmp_path / "a.obj"), units="mm", **options)


def test_more_parts_than_are_measured_one_by_one_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 8 MB had 60,000 of them and took a minute."""
    path = assembly(tmp_path / "a.obj")
    monkeypatch.setattr(parts, "MOST_PARTS", 2)
    found = refused(InvalidGeometry, massprops.measure, path, units="mm", densities={"*": 1000})
    assert found.startswith(f"{path}: the file has 3 parts, and at most 2 are measured one by one")
    assert massprops.measure(path, units="mm", density=1000).mass > 0


def test_the_list_of_parts_numbers_them_as_the_options_do(tmp_path: Path) -> None:
    """Volumes and bounds are those of the boxes; the number of a row chooses its part."""
    path = assembly(tmp_path / "a.obj")
    listed = run("compute", path, "--units", "mm", "--list-parts", "--output-units", "cm").out.splitlines()
    assert [" ".join(line.split()) for line in listed[1:]] == [
        "No. Part Volume [cm³] x [cm] y [cm] z [cm]",
        "1 plate (ABS) 0.08 0 to 1 0 to 0.8 0 to 0.1",
        "2 bolt_a (steel) 0.003 0.1 to 0.2 0.1 to 0.2 0.1 to 0.4",
        "3 bolt_b (steel) 0.004 0.7 to 0.8 0.5 to 0.6 0.1 to 0.5",
    ]
    found = json.loads(run("compute", path, "--units", "mm", "--list-parts", "--format", "json").out)["parts"]
    assert [part["bounds"]["max"] for part in found] == [
        [0.01, 0.008, 0.001],
        [0.002, 0.002, 0.004],
        [0.008, 0.006, 0.005],
    ]


def test_the_limit_of_the_uncertainty_is_that_of_each_part(tmp_path: Path) -> None:
    # a foil of 0.01, far away, beside a block: known within a fifth, and both together within less than a thousandth
    path = tmp_path / "two.obj"
    foil = (500.01, 0, 0), (501.02, 1.03, 0.01)
    path.write_text(box_obj((0, 0, 0), (3, 3, 1), 0, "o block") + box_obj(*foil, 8, "o foil"))
    found = massprops.measure(path, units="m", densities={"*": 1000})
    (error,) = (f for f in found.findings if f.code == "uncertain-volume")
    assert error.severity == "error"
    assert error.message.startswith("foil: the volume is known within ±")
    assert found.uncertainty is not None
    assert found.uncertainty.volume is not None
    assert found.uncertainty.volume < 1e-3 * found.moments.measure
    message = refused(InvalidGeometry, massprops.measure, path, units="m", list_parts=True, max_uncertainty="1 %")
    assert "#foil: the volume is known within ±" in message
    listed = run("compute", path, "--units", "m", "--list-parts")
    assert listed.returncode == 1
    assert "error: uncertain-volume: foil: " in listed.err
    path.write_text(box_obj((0, 0, 0), (3, 3, 1), 0, "o block") + box_obj((5, 0, 0), (6, 1, 1), 8, "o cube"))
    stated = massprops.measure(path, units="m", list_parts=True, chord_tolerance=0.05)
    assert "uncertain-volume" not in [f.code for f in stated.findings]  # what is stated does not count


def test_one_mass_of_several_parts_says_that_no_part_has_a_mass() -> None:
    """The parts of a 3MF file are bodies of their own; those of an OBJ file are one body, whose mass is its own."""
    parts = ROOT / "samples/parts"
    found = massprops.measure(parts / "plate_and_posts.3mf", mass=2)
    assert [f.message for f in found.findings if f.code == "one-density"] == [
        "the mass is that of 3 parts together, as of one density: the mass of each part is not known"
    ]
    assert (found.mass, found.density) == (2, pytest.approx(2 / 17000e-9))
    one = massprops.measure(parts / "plate_and_posts.obj", mass=2, units="mm")
    assert "one-density" not in {f.code for f in one.findings}


def test_the_page_of_a_report_has_a_row_for_each_part() -> None:
    page = massprops.report(ROOT / "samples/parts/plate_and_posts.3mf", density=1000)
    rows = page.partition("<caption>Parts</caption>")[2].partition("</table>")[0].split("<tr>")[2:]
    assert ["12" in rows[0], "plate (ABS)" in rows[0], "posts/post (steel)" in rows[2], len(rows)] == [1, 1, 1, 3]


def test_a_file_without_named_parts_says_what_has_some(tmp_path: Path) -> None:
    path = tmp_path / "box.off"
    path.write_text("OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n")
    with pytest.raises(
        InvalidInput, match="OFF files have no named parts; export it as OBJ, glTF, COLLADA, 3MF or STEP"
    ):
        massprops.measure(path, densities={"a": 1})


def test_a_material_on_one_side_of_a_body_is_no_part(tmp_path: Path) -> None:
    """The whole is closed, and its faces of one material are not: only the whole has a volume."""
    lines = box_obj(*PLATE, before="usemtl top").splitlines()
    path = tmp_path / "a.obj"
    path.write_text("\n".join([*lines[:-2], "usemtl bottom", *lines[-2:], ""]))
    assert massprops.measure(path, density=1).mass == 80
    with pytest.raises(InvalidGeometry, match="the part 'top' is not closed by itself, only the whole file is; export"):
        massprops.measure(path, densities={"top": 1, "bottom": 2})


@each("inner", [((8, 2, 0), (12, 4, 1)), ((2, 2, Fraction(1, 4)), (4, 4, Fraction(3, 4)))])
def test_parts_that_overlap_are_refused(tmp_path: Path, inner) -> None:
    """Across, or one inside the other: the space that both take would be counted with both densities."""
    inner = tuple(tuple(map(float, corner)) for corner in inner)
    path = tmp_path / "a.obj"
    path.write_text(box_obj(*PLATE, before="g a") + box_obj(*inner, 8, before="g b"))
    with pytest.raises(InvalidGeometry, match="parts overlap: ") as caught:
        massprops.measure(path, densities={"a": 1, "b": 2})
    assert caught.value.code in ("overlapping-bodies", "nested-bodies")
    counted = massprops.measure(path, densities={"a": 1, "b": 2}, on_overlap="count")
    size = np.subtract(inner[1], inner[0]).prod()
    assert (counted.mass, counted.grade) == (pytest.approx(80 + 2 * size), "closed")
    assert caught.value.code in {f.code for f in counted.findings}


def test_the_samples_are_one_body_in_two_formats() -> None:
    """Plate and posts as OBJ and as 3MF, where the posts are copies of one object: the closed form in SI units."""
    boxes = [(1040, (0, 0, 0), (60, 40, 5)), *((7850, (x, 15, 5), (x + 10, 25, 30)) for x in (10, 40))]
    mass, centre, tensor = closed_form(*boxes)
    for suffix, names in (("obj", ("plate", "post*")), ("3mf", ("ABS", "posts/post"))):
        path = ROOT / "samples/parts" / f"plate_and_posts.{suffix}"
        m = massprops.measure(path, units="mm", densities=dict(zip(names, (1040, 7850), strict=True)))
        assert (m.mass, m.grade) == (pytest.approx(float(mass), rel=FEW), "proved")
        np.testing.assert_allclose(m.com, np.array(centre, float), rtol=FEW)
        np.testing.assert_allclose(m.inertia, np.array(tensor, float), atol=FEW * float(tensor[1][1]))


def test_interlocked_parts_are_proved_apart(tmp_path: Path) -> None:
    """Two frames of boxes whose own boxes overlap; one of the parts is inside out, and is turned round before it is compared."""
    path = tmp_path / "a.obj"
    pair = [((0, 0, 0), (1, 1, 1)), ((5, 5, 5), (6, 6, 6))]
    between = box_obj((2, 2, 2), (3, 3, 3), 16, "o b").splitlines()
    inside_out = [" ".join([line.split()[0], *line.split()[:0:-1]]) if line[:2] == "f " else line for line in between]
    first = box_obj(*pair[0], before="o a") + box_obj(*pair[1], 8)
    path.write_text(first + box_obj((2, 2, 2), (3, 3, 3), 16, "o b"))
    m = massprops.measure(path, densities={"a": 1, "b": 2})
    assert (m.mass, m.grade) == (pytest.approx(4), "proved")
    path.write_text(first + "\n".join([*inside_out, ""]))
    m = massprops.measure(path, densities={"a": 1, "b": 2})
    assert (m.mass, m.grade, {f.code for f in m.findings if f.severity == "warning"}) == (
        pytest.approx(4),
        "repaired",
        {"inverted-surface", "implausible-density"},
    )


def test_nodes_and_materials_of_a_scene_are_parts(tmp_path: Path) -> None:
    """Nodes of glTF with their transforms, by name, path and material; trimesh writes it."""
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    for name, parent, x in (("base", None, 0), ("arm", "base", 4), ("arm tip", "arm", 4)):
        box = trimesh.creation.box((1, 2, 3))
        box.visual = trimesh.visual.TextureVisuals(material=trimesh.visual.material.PBRMaterial(name=f"m {name}"))
        scene.add_geometry(
            box,
            node_name=name,
            geom_name=name,
            parent_node_name=parent,
            transform=trimesh.transformations.translation_matrix([x, 0, 0]),
        )
    path = tmp_path / "a.glb"
    path.write_bytes(scene.export(file_type="glb"))
    m = massprops.measure(path, densities={"base": 1, "*/arm": 10, "m arm tip": 100})
    assert (m.mass, m.com.tolist()) == (pytest.approx(666), pytest.approx([(0 + 240 + 4800) / 666, 0, 0]))
    assert [p.label.path.rpartition("base")[2] for p in m.parts] == ["", "/arm", "/arm/arm tip"]


def test_every_output_has_the_parts_and_their_sum(tmp_path: Path) -> None:
    """JSON is valid and lists them, without a mass too; CSV has a row each, then the sum; what is found is said once."""
    path = assembly(tmp_path / "a.obj")
    given = ("compute", path, "--units", "mm", "--part-density", "plate=3", "--part-material", "bolt*=steel")
    result = valid(run(*given, "--format", "json").out)
    assert [(p["name"], p["count"], p["group"]) for p in result["parts"]] == [
        ("plate", 1, None),
        ("bolt_a", 1, None),
        ("bolt_b", 1, None),
    ]
    assert result["mass"] == pytest.approx(sum(p["mass"] for p in result["parts"]))
    rows = run(*given, "--format", "csv")
    table = [row.split(",") for row in rows.out.splitlines()]
    assert [row[0] for row in table] == ["name", "plate", "bolt_a", "bolt_b", "a"]
    assert float(table[-1][1]) == pytest.approx(sum(float(row[1]) for row in table[1:-1]))
    assert rows.err.count("implausible-density") == 1
    assert (
        valid(json.dumps(massprops.measure(path, units="mm", density=1, densities={"*": 2}).to_dict()))["parts"][0][
            "mass"
        ]
        == 160e-9
    )


def test_what_is_asked_goes_before_what_the_file_states() -> None:
    labels = [PartLabel("a", "x/a", density=3.0), PartLabel("b", density=4.0)]

    def densities(**given) -> list[float | None]:
        return [own.mass_specification.density for own in options_by_part(Options(**given), labels)]

    assert densities() == [3, 4]
    assert densities(densities={"x/*": 5}) == [5, 4]
    assert densities(density=6, densities={"b": 7}) == [6, 7]


def test_a_part_that_is_estimated_is_not_compared_with_others(tmp_path: Path) -> None:
    """The convex hull of an open part has no triangles: that it does not overlap another is not known, and that is said."""
    pytest.importorskip("scipy")
    opened = "\n".join(box_obj(*PLATE, before="o a").splitlines()[:-1])
    path = tmp_path / "a.obj"
    path.write_text(opened + "\n" + box_obj((2, 2, 0.5), (4, 4, 5), 8, "o b"))
    m = massprops.measure(path, densities={"a": 1, "b": 2}, on_open="hull")
    assert (m.mass, m.grade, m.uncertainty) == (pytest.approx(80 + 2 * 18), "unverified", None)
    assert "unverified-overlap" in {f.code for f in m.findings}


def test_long_names_are_shortened_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "a.obj"
    path.write_text(box_obj(*PLATE, before=f"o {'n' * 5000}"))
    with pytest.raises(InvalidInput, match="there is no part 'q'; parts: 'nnn") as caught:
        massprops.measure(path, densities={"q": 1})
    assert len(str(caught.value)) < 200 + len(str(tmp_path))

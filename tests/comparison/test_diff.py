"""diff: a body with itself, moved, mirrored, scaled, changed; what is compared with what; from outside.

Modules tested: `diff/compared_body`, `diff/comparison`, `diff/third_moments`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import oracles
import pytest
from console import plain_failure, run, valid
from hypothesis import given
from hypothesis import strategies as st

from massprops import diff
from massprops.comparison import ComparedBody, Comparison, Tolerances, compare, read_bodies, recognise
from massprops.comparison.comparison import compare_all
from massprops.comparison.third_moments import ThirdMoments, fit_similarity, map_third, shadow_distance
from massprops.errors import MasspropsError
from massprops.formats.bodies import NamedBody, write
from massprops.formats.bodies.json_results import body_dict
from massprops.frames import Pose
from massprops.measurement.options import Options
from massprops.measurement.output_units import OutputUnits
from massprops.rigid_body.mass_properties import MassProperties
from massprops.writers.diff import label

u = 2.0**-52
#: Three distinct principal moments, no symmetry, about a metre across.
BODY = np.asarray(oracles.generic_body(), float) / 8
TURN = np.array(oracles.floats(oracles.rotation()))
#: A coordinate in single precision is off by 2⁻²⁴ of its size, which is below four metres here; a fit of facets to facets is no worse.
SINGLE = 4 * 2.0**-24


def plan(density: float | None = 1000.0, units: str | None = None) -> Options:
    return Options(density=density, units=units)


def side(tmp_path: Path, name: str, triangles: np.ndarray, density: float | None = 1000.0) -> ComparedBody:
    return read_bodies(str(oracles.write_binary_stl(tmp_path / name, triangles)), plan(density))[0]


def beyond(comparison: Comparison) -> list[str]:
    return [c.name for c in comparison.changes if c.verdict == "beyond"]


# --- third moments --------------------------------------------------------------------------------------------------------


def third_by_points(triangles: np.ndarray) -> np.ndarray:
    """∫ x x x by a rule of degree three on each tetrahedron with the origin: Keast's five points, weights −4/5 and 9/20."""
    total = np.zeros((3, 3, 3))
    for corners in triangles:
        volume = np.linalg.det(corners) / 6
        points = np.vstack([np.zeros(3), corners])
        rule = [(-4 / 5, points.mean(axis=0)), *((9 / 20, points.sum(axis=0) / 6 + p / 3) for p in points)]
        for weight, p in rule:
            total += weight * volume * np.einsum("i,j,k", p, p, p)
    return total


def test_third_moments_are_those_of_a_cubature_of_degree_three() -> None:
    # a wrong coefficient would call a moved body another one, or a mirror image a motion
    third = ThirdMoments.of([BODY], np.zeros(3), len(BODY))
    np.testing.assert_allclose(third.tensor, third_by_points(BODY), rtol=0, atol=1e-13)  # some hundred terms below ten


def test_third_moments_of_a_box_are_products_of_powers() -> None:
    # [0, a] × [0, b] × [0, c]: ∫x³ = a⁴ b c / 4, ∫x²y = a³ b² c / 6, ∫xyz = a² b² c² / 8
    a, b, c = 1.0, 2.0, 3.0
    tensor = ThirdMoments.of([np.asarray(oracles.box((0, 0, 0), (1, 2, 3)), float)], np.zeros(3), 12).tensor
    assert tensor[0, 0, 0] == pytest.approx(a**4 * b * c / 4, rel=1e-14)
    assert tensor[0, 0, 1] == pytest.approx(a**3 * b**2 * c / 6, rel=1e-14)
    assert tensor[2, 0, 1] == pytest.approx(a**2 * b**2 * c**2 / 8, rel=1e-14)


def test_a_mirror_image_has_other_third_moments_and_the_same_second() -> None:
    mirrored = oracles.reversed_facets(oracles.mapped(BODY, np.diag([1, -1, 1])))
    one, other = (ThirdMoments.of([t], np.zeros(3), len(t)).tensor for t in (BODY, mirrored))
    np.testing.assert_allclose(map_third(one, np.diag([1.0, -1, 1])), other, rtol=0, atol=1e-13)
    second = (
        np.array(oracles.floats(oracles.exact_moments(BODY).second)),
        np.array(oracles.floats(oracles.exact_moments(mirrored).second)),
    )
    np.testing.assert_array_equal(np.abs(second[0]), np.abs(second[1]))


def test_corners_in_any_order_are_the_same_corners() -> None:
    shuffled = np.random.default_rng(1).permutation(BODY)[:, [2, 0, 1]]
    assert shadow_distance(BODY, shuffled) == 0
    moved = shuffled.copy()
    moved[0, 0, 2] += 0.01
    assert shadow_distance(BODY, moved) > 0.001


@given(st.floats(0.1, 10), st.sampled_from([1, -1]))
def test_facets_are_fitted_with_their_scale_and_handedness(scale: float, hand: int) -> None:
    linear = hand * TURN
    after = scale * BODY @ linear.T + [1, -2, 3]
    found, distance = fit_similarity(BODY, after[:, ::-1] if hand < 0 else after)
    np.testing.assert_allclose(found.linear, linear, rtol=0, atol=1e-13)
    assert found.scale == pytest.approx(scale, rel=1e-13)
    assert distance < 1e-12 * (scale + 4)


# --- the laws --------------------------------------------------------------------------------------------------------


def test_a_body_differs_in_nothing_from_itself(tmp_path: Path) -> None:
    same = side(tmp_path, "a.stl", BODY)
    found = compare(same, same)
    assert {c.verdict for c in found.changes} == {"equal"}
    assert len(found.changes) == 3 + 3 + 6 + 3 + 1
    assert (found.verdict, found.relation.kind, found.came, found.went) == ("equal", "same", (), ())


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_moved_body_is_recognised_with_its_pose(tmp_path: Path, shuffled: bool) -> None:
    pose = Pose(TURN, [0.25, -0.5, 1])
    image = pose.apply(BODY)
    image = np.random.default_rng(0).permutation(image) if shuffled else image
    found = compare(side(tmp_path, "a.stl", BODY), side(tmp_path, "b.stl", image))
    assert found.relation.kind == "moved"
    assert found.relation.evidence == ("corners" if shuffled else "facets")
    assert not found.relation.several
    tolerance = {"rtol": 0, "atol": 10 * SINGLE if shuffled else SINGLE}  # axes lose what the gaps of the moments are
    np.testing.assert_allclose(found.relation.pose.rotation, TURN, **tolerance)
    np.testing.assert_allclose(found.relation.pose.translation, pose.translation, **tolerance)
    assert all(n.startswith(("center", "bounds", "principal.axes")) for n in beyond(found))
    assert found.verdict == "beyond"


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_mirror_image_is_recognised_although_its_principal_moments_are_the_same(
    tmp_path: Path, axis: str, shuffled: bool
) -> None:
    signs = [-1.0 if a == axis else 1.0 for a in "xyz"]
    image = oracles.reversed_facets(oracles.mapped(BODY, np.diag(signs)))
    image = np.random.default_rng(0).permutation(image) if shuffled else image
    found = recognise(side(tmp_path, "a.stl", BODY), side(tmp_path, "b.stl", image))
    assert (found.kind, found.mirror, found.evidence) == ("mirrored", axis, "corners" if shuffled else "facets")
    np.testing.assert_allclose(found.pose.rotation, np.eye(3), rtol=0, atol=10 * SINGLE)
    np.testing.assert_allclose(found.pose.translation, 0, rtol=0, atol=10 * SINGLE)


def test_a_mirror_image_in_a_principal_plane_is_a_change_though_all_numbers_agree(tmp_path: Path) -> None:
    # centre, bounds, moments and axes stay: only the third moments and the facets know
    before = side(tmp_path, "a.stl", BODY)
    principal = before.shape.principal()
    assert principal.distinct
    local = (BODY - before.center_of_mass) @ principal.axes.T
    mirrored = oracles.reversed_facets(oracles.mapped(local, np.diag([1, 1, -1])))
    one, other = side(tmp_path, "l.stl", local), side(tmp_path, "m.stl", np.random.default_rng(0).permutation(mirrored))
    found = compare(one, other)
    assert {n for n in beyond(found) if not n.startswith("bounds")} == set()
    assert found.relation.kind == "mirrored"
    assert found.verdict == "beyond"


def test_a_change_of_unit_is_recognised_with_its_factor(tmp_path: Path) -> None:
    found = compare(side(tmp_path, "a.stl", BODY), side(tmp_path, "b.stl", 1000 * BODY)).relation
    assert found.kind == "same"
    assert found.scale == pytest.approx(1000, rel=1e-6)  # single precision, once on each side
    assert compare(side(tmp_path, "a.stl", BODY), side(tmp_path, "c.stl", 1.01 * BODY)).relation.scale == pytest.approx(
        1.01, rel=1e-6
    )


def test_one_vertex_moved_is_beyond_and_no_motion(tmp_path: Path) -> None:
    changed = BODY.copy()
    changed[(changed == BODY[0, 0]).all(axis=2)] += [0.01, 0, 0]
    found = compare(side(tmp_path, "a.stl", BODY), side(tmp_path, "b.stl", changed))
    assert "volume" in beyond(found)
    assert found.relation is None
    loose = compare(side(tmp_path, "a.stl", BODY), side(tmp_path, "b.stl", changed), Tolerances(0.1, angle=1))
    assert loose.verdict == "within"


def test_far_from_the_origin_single_precision_is_the_files_own_resolution(tmp_path: Path) -> None:
    # at 1 km single precision has steps of 6e-5 m: both files are right, and neither can say more
    there = BODY + np.array([1000, 0, 0])
    one, other = side(tmp_path, "a.stl", there), side(tmp_path, "b.stl", there + np.array([0, 3e-5, 0]))
    moved = compare(one, side(tmp_path, "c.stl", there + np.array([0, 0.01, 0])))
    assert "center_of_mass.y" in beyond(moved)
    precise = {c.name: c for c in compare(one, other).changes}
    assert precise["volume"].verdict != "beyond"
    assert precise["volume"].uncertainty > precise["volume"].limit
    assert {c.verdict for c in precise.values()} & {"beyond"} == set()


def test_the_motion_of_a_symmetric_body_is_one_of_several(tmp_path: Path) -> None:
    brick = np.asarray(oracles.box((0, 0, 0), (0.1, 0.2, 0.3)), float)
    corner = brick[0].mean(axis=0)  # another triangulation, so that no corner says which way round it is
    split = [[a, b, corner] for a, b in zip(brick[0], np.roll(brick[0], -1, axis=0), strict=True)]
    turned = np.concatenate([brick[1:], split]) @ TURN.T
    found = recognise(side(tmp_path, "a.stl", brick), side(tmp_path, "b.stl", turned))
    assert (found.kind, found.evidence, found.several) == ("moved", "third moments", True)
    cube = np.asarray(oracles.box((0, 0, 0), (0.1, 0.1, 0.1)), float)
    shuffled = np.random.default_rng(0).permutation(cube @ TURN.T)
    # no moment up to the third sees how a cube is turned: its bounds tell that it was, and nothing tells how
    alike = recognise(side(tmp_path, "c.stl", cube), side(tmp_path, "d.stl", shuffled))
    assert (alike.kind, alike.pose) == ("alike", None)
    still = np.random.default_rng(0).permutation(cube) + 0.5
    stays = recognise(side(tmp_path, "c.stl", cube), side(tmp_path, "f.stl", still))
    assert (stays.kind, stays.evidence) == ("moved", "corners")
    np.testing.assert_allclose(stays.pose.translation, 0.5, rtol=0, atol=SINGLE)
    exact = recognise(side(tmp_path, "c.stl", cube), side(tmp_path, "e.stl", cube @ TURN.T))
    assert exact.evidence == "facets"
    np.testing.assert_allclose(exact.pose.rotation, TURN, rtol=0, atol=4 * SINGLE)  # a tenth of a metre


def test_another_body_with_the_same_second_moments_is_not_called_moved(tmp_path: Path) -> None:
    # the equivalent box has the same volume and second moments; its third are zero, and its area is another
    before = side(tmp_path, "a.stl", BODY)
    torus = side(tmp_path, "t.stl", np.asarray(oracles.bumpy_torus(), float))
    assert recognise(before, torus) is None


def test_without_geometry_a_motion_is_told_from_second_moments_and_said_to_be() -> None:
    body = MassProperties(2.0, [1, 2, 3], [[1.0, 0.1, 0.2], [0.1, 1.5, 0.3], [0.2, 0.3, 2.0]])
    pose = Pose.from_xyz_rpy([0.1, 0.2, 0.3], [0.01, 0.02, 0.03])
    one, other = (
        ComparedBody(body_dict(NamedBody("arm", b)), "a.urdf", "a.urdf") for b in (body, body.transformed(pose))
    )
    found = recognise(one, other)
    assert (found.kind, found.evidence, found.several) == ("moved", "second moments", True)
    np.testing.assert_allclose(found.pose.rotation, pose.rotation, rtol=0, atol=100 * u)
    np.testing.assert_allclose(found.pose.translation, pose.translation, rtol=0, atol=1000 * u)


# --- from outside ----------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Path:
    oracles.write_binary_stl(tmp_path / "a.stl", BODY)
    oracles.write_binary_stl(tmp_path / "moved.stl", BODY @ TURN.T + [0.25, -0.5, 1])
    oracles.write_binary_stl(tmp_path / "mm.stl", 1000 * BODY)
    oracles.write_binary_stl(tmp_path / "open.stl", BODY[1:])
    return tmp_path


def test_nothing_changed_is_one_line_and_exit_0(files: Path) -> None:
    done = run("diff", "a.stl", "a.stl", cwd=files)
    assert (done.returncode, done.out, done.err) == (0, "a.stl → a.stl\n15 numbers: 15 equal\n", "")


@pytest.mark.parametrize("command", ["diff a.stl a.stl --json", "explain --json --mass 1", "explain --nearest -f urdf"])
def test_digits_are_of_what_people_read(command: str) -> None:
    """JSON and robot files have all digits; an option that rounds nothing there is refused, as `compute` does."""
    done = run(*command.split(), "--digits", "3")
    assert (done.returncode, done.out) == (2, "")
    assert done.err.startswith("massprops: --digits has no meaning for --format ")
    assert done.err.endswith(("it is for table, markdown\n", "it is for table\n"))


def test_a_change_is_exit_1_and_within_the_tolerance_exit_0(files: Path) -> None:
    done = run("diff", "a.stl", "moved.stl", cwd=files)
    assert (done.returncode, done.err) == (1, "")
    assert "the same body, moved by xyz " in done.out
    assert "(every facet fits)" in " ".join(done.out.split())
    assert run("diff", "a.stl", "moved.stl", "--atol-length", "3m", "--atol-angle", "180", cwd=files).returncode == 0


def test_a_unit_is_named(files: Path) -> None:
    done = run("diff", "a.stl", "mm.stl", cwd=files)
    assert done.returncode == 1
    said = "(m and mm are mixed up): the same body, neither moved nor turned (every facet fits)"
    assert said in " ".join(done.out.split())
    assert "kg" not in done.out.replace("kg m²", "")  # nobody stated a density
    small = [line.split("]")[1].split()[0] for line in done.out.splitlines() if line.startswith(("! Volume", "! I"))]
    assert len(small) == 4
    assert all(float(number) for number in small)  # numbers below the ± of the large body are not 0


def test_lines_hold_at_40_columns_without_losing_digits(files: Path) -> None:
    done = run("diff", "a.stl", "moved.stl", cwd=files, env={"COLUMNS": "40"})
    assert max(map(len, done.out.splitlines())) <= 40
    wide = run("diff", "a.stl", "moved.stl", cwd=files).out
    center = next(line.split()[4] for line in wide.splitlines() if line.startswith("! Centre x"))
    assert center in done.out


def test_json_and_markdown_state_the_same(files: Path) -> None:
    done = run("diff", "a.stl", "moved.stl", "-f", "json", cwd=files)
    found = done.result["diff"]
    assert (found["verdict"], found["relation"]["kind"], found["relation"]["evidence"]) == ("beyond", "moved", "facets")
    marked = run("diff", "a.stl", "moved.stl", "-f", "markdown", cwd=files).out
    rows = [line for line in marked.splitlines() if line.startswith("| !")]
    assert len(rows) == sum(c["verdict"] == "beyond" for c in found["changes"])


def test_results_are_compared_with_the_files_that_they_come_from(files: Path) -> None:
    (files / "a.json").write_text(run("compute", "a.stl", "--density", "1000", "-f", "json", cwd=files).out)
    done = run("diff", "a.json", "a.stl", "--density", "1000", cwd=files)
    assert (done.returncode, done.err) == (0, "")
    changed = run("diff", "a.json", "a.stl", "--density", "1001", cwd=files)
    assert changed.returncode == 1
    marked = [line[:6] for line in changed.out.splitlines() if line.startswith("!")]
    assert marked == ["! Mass", "! I1 [", "! I2 [", "! I3 ["]


def test_sections_of_any_format_are_compared_by_all_that_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rectangle b × h made higher by k: A and Iyy grow by k, Ixx by k³, its moduli by k²; both lengths by 2: J by 16."""
    pytest.importorskip("scipy")
    ring = "0 0, 40 0, 40 {0}, 0 {0}, 0 0"
    for name, text in {
        "flat.csv": "0,0\n40,0\n40,60\n0,60\n",
        "same.wkt": f"POLYGON (({ring.format(60)}))",
        "high.wkt": f"POLYGON (({ring.format(72)}))",
        "twice.csv": "0,0\n80,0\n80,120\n0,120\n",
    }.items():
        (tmp_path / name).write_text(text)
    mm = ("--units", "mm")
    same = run("diff", "flat.csv", "same.wkt", *mm, cwd=tmp_path)
    assert (same.returncode, same.err) == (0, "")
    (tmp_path / "flat.json").write_text(run("compute", "flat.csv", *mm, "-f", "json", cwd=tmp_path).out)
    done = run("diff", "flat.json", "high.wkt", *mm, "-f", "json", cwd=tmp_path)
    assert done.returncode == 1
    k = {c["name"]: c["after"] / c["before"] for c in done.result["diff"]["changes"] if c["before"]}
    powers = {"area": 1, "section.about_centroid.Iyy": 1, "section.about_centroid.Ixx": 3}
    powers |= {"section.moduli.x_plus": 2, "section.plastic.modulus.x": 2, "center_of_mass.y": 1, "bounds.max.x": 0}
    assert {name: k[name] for name in powers} == pytest.approx({name: 1.2**n for name, n in powers.items()})
    monkeypatch.setattr("massprops.section.torsion.AGREEMENT", 0.5)  # two coarse meshes, which are alike
    twice = run("diff", "flat.csv", "twice.csv", *mm, "--torsion", cwd=tmp_path).out
    (torsion,) = (line.split() for line in twice.splitlines() if "Torsion J" in line)
    assert float(torsion[5]) / float(torsion[4]) == pytest.approx(16, rel=1e-3)
    assert "Shear centre x [mm]" in twice
    every = run("diff", "flat.csv", "twice.csv", *mm, "--all", cwd=tmp_path).out
    assert " y [mm]" in every
    assert " z [mm]" not in every  # of a section nothing has a z
    skipped = " ".join(run("diff", "flat.json", "twice.csv", *mm, "--torsion", cwd=tmp_path).out.split())
    assert "only one side has it: section.torsion.constant, " in skipped


def test_stored_values_are_compared_body_by_body(tmp_path: Path) -> None:
    """The bodies are equal: one stated volume and one coordinate of a centre changed, and one body is new."""

    def stated(of: str, quantity: str, *numbers: float) -> dict[str, object]:
        return {"of": of, "quantity": quantity, "stored": list(numbers)}

    def with_stored(*values: dict[str, object]) -> ComparedBody:
        return replace(plain, value={**plain.value, "stored": [*values]})

    plain = side(tmp_path, "a.stl", oracles.box())
    centre = stated("a.b", "center_of_mass", 0.0, 1.0, 0.0)
    changed = stated("nut", "volume", 2.0001), stated("a.b", "center_of_mass", 0, 1.5, 0)
    old, new = with_stored(stated("nut", "volume", 2.0), centre), with_stored(*changed, stated("x", "area", 1))
    found = compare(old, new)
    assert beyond(found) == ["stored.nut.volume", "stored.a.b.center_of_mass.y"]
    assert found.skipped == ("stored.x.area",)
    assert compare(old, plain).skipped == ("stored",)
    assert [label(c, OutputUnits("mm")) for c in found.changes if c.verdict == "beyond"] == [
        "nut: stored volume [mm³]",
        "a.b: stored centre y [mm]",
    ]
    assert beyond(compare(old, with_stored(*changed), Tolerances(length=0.6, relative=1e-4))) == []


def test_a_section_and_a_body_have_nothing_to_compare(files: Path) -> None:
    """The area of a section is no surface area; the solid above a section is a body."""
    (files / "flat.csv").write_text("0,0\n40,0\n40,60\n0,60\n")
    done = run("diff", "flat.csv", "a.stl", cwd=files)
    assert (done.returncode, done.out) == (2, "")
    assert "flat.csv is a plane section, and a.stl a body" in done.err


def test_robots_are_matched_by_link(tmp_path: Path) -> None:
    arm = MassProperties(2.0, [1, 2, 3], np.diag([1.0, 1.5, 2.0]))
    heavier = MassProperties(2.1, [1, 2, 3], np.diag([1.0, 1.5, 2.0]))
    (tmp_path / "a.urdf").write_text(write([NamedBody("arm", arm), NamedBody("tip", arm)], "urdf")[0])
    (tmp_path / "b.sdf").write_text(write([NamedBody("tip", arm), NamedBody("arm", heavier)], "sdf")[0])
    done = run("diff", "a.urdf", "b.sdf", cwd=tmp_path)
    assert done.returncode == 1
    marked = [line for line in done.out.splitlines() if line.startswith("!")]
    assert [line.split() for line in marked] == [["!", "Mass", "[kg]", "2", "2.1", "+0.1", "+5", "%"]]
    assert run("diff", "a.urdf#tip", "b.sdf#tip", cwd=tmp_path).returncode == 0
    (tmp_path / "c.urdf").write_text(write([NamedBody("arm", arm)], "urdf")[0])
    gone = run("diff", "a.urdf#tip", "c.urdf", cwd=tmp_path)  # one body each: their names do not matter
    assert gone.returncode == 0


def test_folders_are_matched_by_name_and_a_bad_file_does_not_stop_the_others(files: Path) -> None:
    for folder, names in {"old": ("a", "moved", "open"), "new": ("a", "mm", "open")}.items():
        (files / folder).mkdir()
        for name in names:
            (files / folder / f"{name}.stl").write_bytes((files / f"{name}.stl").read_bytes())
    as_is = ("diff", "old", "new", "--repair", "none")
    done = run(*as_is, cwd=files)
    assert done.returncode == 4
    lines = [valid(line)["diff"] for line in run(*as_is, "-f", "json", cwd=files).out.splitlines()]
    assert [d["verdict"] for d in lines] == ["equal", "beyond", "beyond", None]
    assert [d["error"]["code"] for d in lines if d["error"]] == ["open-edges"]
    assert done.err.startswith("massprops: old/open.stl: open-edges: 3 of ")
    headings = [line for line in done.out.splitlines() if "/" in line]
    assert headings == ["old/a.stl → new/a.stl", "new/mm.stl: is new", "old/moved.stl: is gone"]


def test_an_inertial_may_come_from_standard_input(tmp_path: Path) -> None:
    text = write([NamedBody("arm", MassProperties(2.0, [1, 2, 3], np.diag([1.0, 1.5, 2.0])))], "urdf")[0]
    (tmp_path / "arm.urdf").write_text(text)
    done = run("diff", "arm.urdf", "-", stdin=text.replace('"2.0"', '"2.5"', 1).encode(), cwd=tmp_path)
    assert done.returncode == 1
    assert run("diff", "-", "arm.urdf", stdin=text.encode(), cwd=tmp_path).returncode == 0


def test_a_mesh_on_standard_input_has_the_type_that_is_given(tmp_path: Path) -> None:
    path = oracles.write_binary_stl(tmp_path / "a.stl", BODY)
    for sides in (("-", str(path)), (str(path), "-")):
        found = run("diff", *sides, "--type", "stl", "--json", stdin=path.read_bytes())
        changes = found.result["diff"]["changes"]
        assert {c["verdict"] for c in changes} == {"equal"}
        assert {"volume", "area", "center_of_mass.x"} <= {c["name"] for c in changes}
    assert run("diff", "-", str(path), "--type", "obj", stdin=path.read_bytes()).returncode == 3
    plain_failure(
        run("diff", str(path), str(path), "--type", "stl"),
        2,
        "--type is the format of standard input; name '-', or leave it out",
    )


@pytest.mark.parametrize("tensor", [[0, 0, 1e-35, 0, 0, 0], [1, 0, 0, 1, 0, -3], [-1, 0, 0, -1, 0, 2]])
def test_moments_that_add_up_to_nothing_or_less_have_no_scale(tensor: list[float]) -> None:
    """Links of public robots state such tensors; the ratio of lengths was not a number, and the whole comparison failed."""
    xx, xy, xz, yy, yz, zz = tensor
    body = MassProperties(1.3, [0.1, 0, 0], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    (side,) = read_bodies(body, plan())
    found = compare(side, side)
    assert (found.verdict, found.relation) == ("equal", None)


def test_usage(files: Path) -> None:
    (files / "folder").mkdir()
    for arguments, status, said in (
        ("- -", 2, "'-' (standard input) can be given only once"),
        ("folder a.stl", 2, "folder is a folder and a.stl is not; compare two files or two folders"),
        ("folder a.stl#part", 2, "folder is a folder and a.stl#part is not; compare two files or two folders"),
        ("- folder", 2, "folder is a folder and - is not; compare two files or two folders"),
        ("folder none#part", 2, "folder is a folder and none#part does not exist; compare two files or two folders"),
        ("folder none", 2, "folder is a folder and none does not exist; compare two files or two folders"),
        ("folder folder", 2, "folder: holds no file to compare; name another folder"),
        ("a.stl moved.stl -o a.stl", 2, "a.stl: is an input file; choose another --output"),
        ("a.stl none.stl", 3, "none.stl: no such file"),
    ):
        plain_failure(run("diff", *arguments.split(), cwd=files), status, said)


#: A link whose inertial MuJoCo infers, or SDFormat computes, of a density, and one that states its numbers.
INFERRED = """<mujoco><worldbody><body name="a"><geom type="box" size=".5 1 1.5" density="{}"/></body>
<body name="b"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
COMPUTED = """<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true"><density>{}</density></inertial>
<collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision></link>
<link name="b"><inertial><mass>1</mass></inertial></link></model></sdf>"""


@pytest.mark.parametrize(("name", "text"), [("r.xml", INFERRED), ("r.sdf", COMPUTED)])
def test_links_whose_inertials_are_computed_are_compared(tmp_path: Path, name: str, text: str) -> None:
    """Robots of which half doubled its mass were called equal, since the other half alone states numbers."""
    sides = [tmp_path / "old" / name, tmp_path / "new" / name]
    for path, density in zip(sides, (500, 1000), strict=True):
        path.parent.mkdir()
        path.write_text(text.format(density), encoding="utf-8")
    found = compare_all(*(read_bodies(side, plan()) for side in sides), Tolerances())
    assert {str(c.before).rpartition(" ")[2]: c.verdict for c in found} == {"a": "beyond", "b": "equal"}
    assert [read_bodies(f"{side}#a", plan())[0].mass for side in sides] == pytest.approx([3000, 6000])
    assert run("diff", *map(str, sides)).returncode == 1
    assert "known: a, b" in run("diff", f"{sides[0]}#c", str(sides[1])).err


def test_a_link_that_cannot_be_inferred_is_not_left_out(tmp_path: Path) -> None:
    text = '<mujoco><worldbody><body name="a"><geom class="d" type="box" size="1 1 1"/></body>'
    text += '<body name="b"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/></body></worldbody></mujoco>'
    (tmp_path / "r.xml").write_text(text, encoding="utf-8")
    with pytest.raises(MasspropsError, match="check the file that includes it"):
        read_bodies(str(tmp_path / "r.xml"), plan())
    assert read_bodies(f"{tmp_path}/r.xml#b", plan())[0].mass == 1


#: A robot of links that state their numbers, and of others.
FRAMES = "<robot name='r'>{}</robot>"
STATED = "<link name='{}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"


@pytest.mark.parametrize("names", ["a", "ab"])
@pytest.mark.parametrize(("old", "new"), [(0, 0), (1, 0), (2, 3)])
def test_links_without_an_inertial_are_counted(tmp_path: Path, names: str, old: int, new: int) -> None:
    """They were left out without a word, and robots whose links have lost their inertials looked equal."""
    sides = [tmp_path / name for name in ("old.urdf", "new.urdf")]
    for path, count in zip(sides, (old, new), strict=True):
        links = [*map(STATED.format, names), *(f"<link name='f{k}'/>" for k in range(count))]
        path.write_text(FRAMES.format("".join(links)), encoding="utf-8")
    *others, last = diff(*sides)
    assert [c.without_inertial for c in others] == [None] * (len(names) - 1)
    assert last.without_inertial == ((old, new) if old or new else None)
    said = f"not compared: {old} link{'s' * (old != 1)} before and {new} after that state no inertial"
    for form in ("table", "markdown"):
        done = run("diff", *map(str, sides), "--format", form)
        assert (done.returncode, done.out.replace("\n", " ").count(said)) == (0, int(bool(old or new)))
    rows = run("diff", *map(str, sides), "--format", "json").out
    lines = [rows] if len(names) == 1 else rows.splitlines()
    assert valid(lines[-1])["diff"]["without_inertial"] == ([old, new] if old or new else None)
    (one,) = diff(f"{sides[0]}#a", f"{sides[1]}#a")
    assert one.without_inertial is None


def test_links_whose_inertial_is_computed_are_none_without(tmp_path: Path) -> None:
    """MuJoCo infers that of a link with geoms; a body without one states nothing, and has nothing to infer it from."""
    path = tmp_path / "r.xml"
    path.write_text(INFERRED.format(500).replace("</worldbody>", '<body name="c"/></worldbody>'), encoding="utf-8")
    assert diff(path, path)[-1].without_inertial == (1, 1)


def test_files_are_read_with_the_settings_of_the_configuration(tmp_path: Path) -> None:
    """Lengths in cm are ten times those in mm: it read both in m, called them equal, and showed them in the units of the configuration."""
    sides = [str(oracles.write_binary_stl(tmp_path / name, BODY)) for name in ("a.stl", "b.stl")]
    text = 'units = "mm"\ndensity = 1000\noutput-units = "mm,kg"\n[files."b.stl"]\nunits = "cm"\n'
    (tmp_path / "massprops.toml").write_text(text, encoding="utf-8")
    relation = valid(run("diff", *sides, "--format", "json", cwd=tmp_path).out)["diff"]["relation"]
    assert relation["scale"] == pytest.approx(10, rel=SINGLE)
    assert run("diff", *sides, cwd=tmp_path).returncode == 1
    assert run("diff", *sides, "--units", "in", cwd=tmp_path).returncode == 0
    assert run("diff", *sides, "--no-config", cwd=tmp_path).returncode == 0
    run("compute", sides[0], "--output", tmp_path / "a.json", cwd=tmp_path)
    done = run("diff", sides[0], "a.json", cwd=tmp_path)
    assert done.returncode == 0
    assert "units mm, density 1000, output-units mm,kg" in " ".join(done.out.split())

"""Is it possible, what shape do the numbers claim, which mistake was made: by corrupting right bodies, and from outside."""

from __future__ import annotations

import os
import re
import shlex
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from console import plain_failure, run, valid
from hypothesis import given
from hypothesis import strategies as st
from oracles import tetrahedron, write_ascii_stl
from places import ROOT
from real_robots import ROBOTS, known_links, links_of, needs_robots

from massprops.diagnosis import common_mistakes as mistakes
from massprops.diagnosis.explanation import claimed_box, explain_body, is_thick
from massprops.diagnosis.geometry_comparison import inertial_of
from massprops.diagnosis.robot_links import reference_of_link
from massprops.formats.bodies import NamedBody, write
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.inertial.inertial import symmetric
from massprops.formats.robot.opening import read_text
from massprops.frames import Pose
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import box

#: Turned, and away from the origin: six different entries, none of them zero. Every tenth of a decimal is printed.
PART = box(0.04, 0.08, 0.2, density=2700).transformed(Pose.from_xyz_rpy([0.03, -0.05, 0.09], [0.4, -0.3, 0.9]))
#: Numbers come back through sums and differences of the entries of the tensor.
SAME = 1e-9


def explained(body: MassProperties, dialect: str = ""):
    return explain_body(NamedBody(None, body, dialect=dialect))


def is_among(body: MassProperties, hypotheses) -> bool:
    return any(
        h.body.mass == pytest.approx(body.mass, rel=SAME)
        and h.body.inertia == pytest.approx(body.inertia, abs=SAME * np.abs(body.inertia).max())
        for h in hypotheses
    )


def test_a_right_body_needs_no_explanation() -> None:
    found = explained(PART)
    assert (found.report.ok, found.verdict, found.hypotheses, found.findings) == (True, "unneeded", (), ())


def test_the_claimed_box_is_the_box() -> None:
    edges, axes = claimed_box(PART)
    # S of a box is m/12 of its squared edges; the rest is rounding
    assert edges == pytest.approx([0.04, 0.08, 0.2], rel=1e-12)
    turn = Pose.from_xyz_rpy(rpy=[0.4, -0.3, 0.9]).rotation
    assert np.abs(axes @ turn) == pytest.approx(np.eye(3), abs=1e-12)


def test_margins_are_the_values_of_the_findings() -> None:
    # moments 1, 2, 4: S has (tr I)/2 − I = 2.5, 1.5, −0.5; turning it changes no eigenvalue
    turn = Pose.from_xyz_rpy(rpy=[0.4, -0.3, 0.9]).rotation
    tensor = turn @ np.diag([1.0, 2.0, 4.0]) @ turn.T
    found = {f.code: f for f in explained(MassProperties(2.0, [0, 0, 0], 0.5 * (tensor + tensor.T))).findings}
    assert found["pseudo-inertia"].value == pytest.approx(-0.5 / 2.5, rel=1e-12)
    assert found["triangle-inequality"].value == pytest.approx((1 + 2 - 4) / 4, rel=1e-12)


def test_an_edge_of_no_body_is_negative() -> None:
    # S = (1.5 1 −0.5) + … : Sxx = (−1 + 2 + 4)/2, Syy = (1 − 2 + 4)/2, Szz = (1 + 2 − 4)/2; squares 12 S / m
    edges, _ = claimed_box(MassProperties(3.0, [0, 0, 0], np.diag([1.0, 2, 4])))
    assert edges == pytest.approx([-np.sqrt(2), np.sqrt(6), np.sqrt(10)], rel=1e-14)


SOURCES = (mistakes.one_sign, mistakes.decimal_point, mistakes.swapped_entries, mistakes.other_order)


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.__name__)
def test_whatever_mistake_makes_a_body_impossible_its_correction_is_among_the_hypotheses(source) -> None:
    # these are closed under inversion: undoing one is another of the same kind
    seen = 0
    for mistake in source(inertial_of(PART)):
        wrong = mistake.corrected.properties
        if not wrong.consistency().ok:
            seen += 1
            assert is_among(PART, explained(wrong).hypotheses), mistake.words
    assert seen >= 2


def test_a_negative_mass_is_a_sign() -> None:
    found = explained(MassProperties(-PART.mass, PART.com, PART.inertia))
    assert [(h.kind, h.words) for h in found.hypotheses] == [("one-sign", "the mass has the wrong sign")]
    assert found.verdict == "unique"


@given(st.data())
def test_every_hypothesis_is_possible_and_differs_from_what_is_stated(data: st.DataObject) -> None:
    entry = st.floats(-0.01, 0.02)
    xx, yy, zz, xy, xz, yz = (data.draw(entry) for _ in range(6))
    body = MassProperties(1.0, [0.1, 0, 0], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    found = explained(body)
    assert found.report.ok or found.verdict != "unneeded"
    assert (found.verdict in ("unneeded", "none")) == (found.hypotheses == ())
    for h in found.hypotheses:
        assert h.body.consistency().ok
        assert not np.array_equal(h.body.inertia, body.inertia) or h.body.mass != body.mass


def test_hypotheses_that_come_to_the_same_numbers_are_one() -> None:
    wrong = PART.inertia.copy()
    wrong[0, 0] *= -1
    found = explained(MassProperties(PART.mass, PART.com, wrong))
    keys = {tuple(np.round(mistakes.entries_of(h.body.inertia), 12)) for h in found.hypotheses}
    assert len(keys) == len(found.hypotheses) > 0


def test_orders_are_permutations_and_reading_right_changes_nothing() -> None:
    for order in mistakes.ORDERS.values():
        assert sorted(order) == list(range(6))
    # a row-by-row sextuple that was taken as diagonal-first: worked out by hand
    stated = replace(inertial_of(PART), tensor=np.array([[1.0, 4, 5], [4, 2, 6], [5, 6, 3]]))
    found = {s.words: mistakes.entries_of(s.corrected.tensor) for s in mistakes.other_order(stated)}
    words = "six numbers, row by row (Ixx Ixy Ixz Iyy Iyz Izz), were read as diagonal first (Ixx Iyy Izz Ixy Ixz Iyz)"
    # read as xx=1 yy=2 zz=3 xy=4 xz=5 yz=6, so they stood as 1 2 3 4 5 6, written xx xy xz yy yz zz
    assert found[words] == [1, 4, 6, 2, 3, 5]
    # the orders of MJCF and URDF, taken for each other, come first
    assert all("diagonal first" in text and "row by row" in text for text in list(found)[:2])


def test_six_of_nine_numbers_read_as_an_upper_triangle_are_recognised() -> None:
    # a reader of six numbers was given a whole tensor, row by row: Ixx Ixy Ixz Iyx Iyy Iyz
    xx, xy, xz, yy, yz, zz = PART.inertia.ravel()[:6].tolist()
    wrong = MassProperties(PART.mass, PART.com, symmetric(xx, yy, zz, xy, xz, yz))
    (hypothesis,) = [h for h in explained(wrong).hypotheses if "six of nine numbers" in h.words]
    known = ~np.eye(3, dtype=bool) | np.diag([True, True, False])
    assert hypothesis.body.inertia[known].tolist() == PART.inertia[known].tolist()
    low, high = re.search(r"Izz is lost and can be (\S+) to (\S+) kg m²", hypothesis.words).groups()
    assert float(low) < PART.inertia[2, 2] < float(high)
    assert hypothesis.body.inertia[2, 2] == pytest.approx((float(low) + float(high)) / 2, rel=1e-3)
    assert hypothesis.kind == "entry-order"


def test_too_few_digits_are_an_explanation_by_themselves() -> None:
    # a plate of 0.2 × 0.1 m: Izz = Ixx + Iyy, until each is rounded
    body = MassProperties(1.0, [0, 0, 0], np.diag([0.0008, 0.0033, 0.0042]))
    (only,) = explained(body).hypotheses
    assert only.kind == "rounding"
    assert only.body.consistency().ok
    # no entry moves by more than the digits leave open
    assert np.abs(only.body.inertia - body.inertia).max() <= 0.00005 * 1.5
    assert [
        h.kind for h in explained(MassProperties(1.0, [0, 0, 0], np.diag([0.0008, 0.0033, 0.0052]))).hypotheses
    ] != ["rounding"]


def test_it_is_never_applied() -> None:
    body = NamedBody("a", MassProperties(1.0, [0, 0, 0], np.diag([1.0, 2, 40])))
    found = explain_body(body)
    assert found.body is body
    assert found.body.properties.inertia.tolist() == np.diag([1.0, 2, 40]).tolist()


@pytest.mark.parametrize("dialect", ["urdf", "sdf", "mjcf", "csv"])
def test_the_text_is_the_correction_in_the_dialect_of_the_file(dialect: str) -> None:
    wrong = MassProperties(PART.mass, PART.com, PART.inertia * [[1, 1, 1], [1, -1, 1], [1, 1, 1]])
    for h in explained(wrong, dialect).hypotheses:
        (again,) = read_text(h.text, "pasted").bodies
        assert again.properties.inertia.tolist() == h.body.inertia.tolist()
        assert (again.properties.mass, again.properties.com.tolist()) == (h.body.mass, h.body.com.tolist())


def test_thin_and_strange_bodies_are_no_corrections() -> None:
    assert is_thick(PART.consistency())
    assert not is_thick(box(0.2, 0.2, 0.2 / 40, density=2700).consistency())
    assert explained(box(0.2, 0.2, 0.2, density=2700)).verdict == "unneeded"
    assert explained(box(0.2, 0.2, 0.2, density=1e6)).verdict != "unneeded"


# --- from outside ----------------------------------------------------------------------------------------------------


def mesh_robot(tmp_path: Path, tensor: np.ndarray) -> Path:
    """A link whose geometry is the skew tetrahedron in centimetres, with this tensor at its centre."""
    write_ascii_stl(tmp_path / "part.stl", tetrahedron())
    from massprops import measure

    part = measure(tmp_path / "part.stl", units="cm", density=2700).properties
    assert part is not None
    body = MassProperties(part.mass, part.com, part.inertia * tensor)
    link = write([NamedBody("arm", body)], "urdf")[0]
    visual = '<visual><geometry><mesh filename="part.stl" scale="0.01 0.01 0.01"/></geometry></visual></link>'
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{link.replace("</link>", visual)}<link name="base"/></robot>', encoding="utf-8")
    return path


OTHER_SIGN = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])


def test_a_link_is_compared_with_its_own_geometry(tmp_path: Path) -> None:
    path = mesh_robot(tmp_path, OTHER_SIGN)
    done = run("explain", f"{path}#arm")
    assert (done.returncode, done.err) == (1, "")
    assert "error products-sign: the inertia differs from that of the geometry" in done.out
    assert "One common mistake would explain it. A hypothesis, not a correction:" in done.out
    (pasted,) = re.findall(r"<inertial>.*</inertial>", done.out, re.DOTALL)
    (again,) = read_text(pasted, "pasted").bodies
    right = read_text(mesh_robot(tmp_path, np.ones((3, 3))).read_text(), "robot").bodies[0]
    assert again.properties.inertia.tolist() == right.properties.inertia.tolist()
    ET.fromstring(pasted)  # noqa: S314  # our own text


def test_the_same_part_elsewhere_in_the_robot_is_evidence(tmp_path: Path) -> None:
    """A geometry that is off by half of a product cannot tell its sign: another link of the same geometry can, for one link, too."""
    edges, place, turn = 0.02 * np.array([1.0, 2.0, 3.5]), [0.04, 0.07, 0.1], [0.03, -0.02, 0.04]
    body = box(*edges.tolist(), density=2000).transformed(Pose.from_xyz_rpy(place, turn))
    signs = np.array([[1, -1, 1], [-1, 1, 1], [1, 1, 1]])
    size, xyz, rpy = (" ".join(map(repr, v)) for v in ((edges * [1.03, 0.98, 1.02]).tolist(), place, turn))
    visual = f'<visual><origin xyz="{xyz}" rpy="{rpy}"/><geometry><box size="{size}"/></geometry></visual></link>'
    links = [
        write([NamedBody(name, MassProperties(body.mass, body.com, tensor))], "urdf")[0].replace("</link>", visual)
        for name, tensor in (("left", body.inertia * signs), ("right", body.inertia))
    ]
    robot = tmp_path / "robot.urdf"
    for count, said in ((2, True), (1, False)):
        robot.write_text(f'<robot name="r">{"".join(links[:count])}</robot>', encoding="utf-8")
        for command in ("explain", "check"):
            out = " ".join(run(command, f"{robot}#left", "-f", "json").out.split())
            assert ("the same part in link 'right'" in out) == said


def test_a_right_link_exits_with_0(tmp_path: Path) -> None:
    done = run("explain", f"{mesh_robot(tmp_path, np.ones((3, 3)))}#arm")
    assert (done.returncode, done.err) == (0, "")
    assert done.out.endswith("The numbers need no mistake to explain them.\n")
    assert "implied density 2700 kg/m³" in done.out


def test_json_follows_the_schema(tmp_path: Path) -> None:
    done = run("explain", f"{mesh_robot(tmp_path, OTHER_SIGN)}#arm", "--format", "json", "--fail-on", "never")
    assert done.returncode == 0
    result = valid(done.out)
    assert result["explanation"]["verdict"] == "unique"
    assert [h["kind"] for h in result["explanation"]["hypotheses"]] == ["products-sign"]
    alone = run("explain", f"{tmp_path / 'robot.urdf'}#arm", "--geometry", "none", "-f", "json")
    assert valid(alone.out)["explanation"]["comparison"] is None


def test_a_geometry_that_is_not_there_is_said(tmp_path: Path) -> None:
    path = mesh_robot(tmp_path, OTHER_SIGN)
    (tmp_path / "part.stl").unlink()
    done = run("explain", f"{path}#arm", "-f", "json")
    assert valid(done.out)["remarks"] == [f"the visual geometry at {path}:7 is not measured: part.stl: no such file"]


def test_standard_input_has_no_folder_to_look_for_meshes_in(tmp_path: Path) -> None:
    text = mesh_robot(tmp_path, np.ones((3, 3))).read_bytes()
    done = run("explain", "-", "-f", "json", stdin=text)
    assert (done.returncode, done.err) == (0, "")
    assert valid(done.out)["explanation"]["comparison"] is None


def test_packages_and_their_path(tmp_path: Path) -> None:
    path = mesh_robot(tmp_path, OTHER_SIGN)
    path.write_text(path.read_text().replace('"part.stl"', '"package://hand/meshes/part.stl"'), encoding="utf-8")
    write_ascii_stl(tmp_path / "far" / "hand" / "meshes" / "part.stl", tetrahedron())
    assert "error products-sign" not in run("explain", f"{path}#arm").out  # not found: nothing to compare with
    assert "error products-sign" in run("explain", f"{path}#arm", "--package", f"hand={tmp_path}/far/hand").out
    assert "error products-sign" in (
        run("explain", f"{path}#arm", env={"ROS_PACKAGE_PATH": f"/no{os.pathsep}{tmp_path}/far"}).out
    )


def test_numbers_on_the_command_line() -> None:
    i = PART.inertia * OTHER_SIGN
    six = " ".join(repr(float(i[p])) for p in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    nine = ", ".join(map(repr, i.ravel().tolist()))
    com = " ".join(map(repr, PART.com.tolist()))
    outs = [
        run("explain", "--mass", f"{PART.mass * 1000!r}g", "--com", com, "--inertia", n, "-f", "json")
        for n in (six, nine)
    ]
    first, second = (valid(done.out)["explanation"] for done in outs)
    assert first == second
    assert first["principal_moments"] == pytest.approx(np.linalg.eigvalsh(i).tolist(), rel=1e-12)


def test_a_part_beside_the_numbers(tmp_path: Path) -> None:
    part = write_ascii_stl(tmp_path / "part.stl", tetrahedron())
    numbers = shlex.split("--mass 1 --com '1cm 2cm 3cm' --inertia '0.01 0 0 0.01 0 0.01' --units cm")
    done = run("explain", *numbers, "--against", part)
    assert "placeholder-inertia" in done.out
    assert "  of the geometry " in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "no file and no numbers given; name a file, as robot.urdf#link, or give --mass and --inertia"),
        ("--mass 1", "--inertia is missing; name a file, as robot.urdf#link, or give --mass and --inertia"),
        ("x.urdf --mass 1", "--mass and FILE[#LINK]|CODE are mutually exclusive; give one of them"),
        ("--mass 1 --inertia '1 2 3'", "--inertia needs 6 or 9 numbers, got 3; Ixx Ixy Ixz Iyy Iyz Izz, or nine row by row"),
        ("--mass 1 --inertia '1 0 0 1 0 1' --com '1 2'", "--com needs 3 numbers, got 2"),
        ("--mass 1 --inertia '1 0 0 1 0 1' --units mm", "--units needs --against"),
        ("--mass 1 --inertia '1 0 0 1 0 1' --geometry visual", "--geometry needs FILE[#LINK]|CODE"),
        ("--mass 1 --inertia '1 0 0 1 0 1' --package a=.", "--package needs FILE[#LINK]|CODE"),
        ("--mass 1 --inertia '1 0 0 1 0 1' --gltf-up z", "--gltf-up needs FILE[#LINK]|CODE"),
        ("x.urdf --against x.stl --geometry visual", "--against and --geometry are mutually exclusive; give one of them"),
    ],
)  # fmt: skip
def test_wrong_usage(arguments: str, said: str) -> None:
    plain_failure(run("explain", *shlex.split(arguments)), 2, said)


def test_a_file_of_several_links_wants_one_named(tmp_path: Path) -> None:
    path = tmp_path / "two.urdf"
    path.write_text(write([NamedBody("a", PART), NamedBody("b", PART)], "urdf")[0], encoding="utf-8")
    done = run("explain", path, "--against", "mesh.stl")  # which of them is the mesh's?
    plain_failure(done, 2, f"{path}: has 2 bodies: a, b; name one: {path}#a")


@pytest.mark.parametrize(
    ("package", "said"),
    [
        ("hand", "--package 'hand' is not NAME=FOLDER; for example --package my_robot=../my_robot"),
        ("hand=/nowhere/at/all", "--package hand: /nowhere/at/all is not a folder"),
    ],
)
def test_wrong_packages(tmp_path: Path, package: str, said: str) -> None:
    path = mesh_robot(tmp_path, OTHER_SIGN)
    plain_failure(run("explain", f"{path}#arm", "--package", package), 2, said)


def test_the_examples_in_the_docs_print_what_they_say() -> None:
    text = ROOT.joinpath("docs", "explain.md").read_text(encoding="utf-8")
    (all_of_it, last_lines) = re.findall(r"```console\n\$ massprops (.*?)\n(.*?)```", text, re.DOTALL)
    command, printed = all_of_it
    done = run(*shlex.split(command))
    assert (done.returncode, done.out) == (1, printed)
    command, count = last_lines[0].split(" | tail -")
    done = run(*shlex.split(command))
    assert (done.returncode, "".join(done.out.splitlines(keepends=True)[-int(count) :])) == (0, last_lines[1])


def test_the_nearest_possible_inertia_is_printed_in_both_senses(tmp_path: Path) -> None:
    """What stands in the text, read back, is consistent, and differs from what is stated by the change that is printed."""
    part = write_ascii_stl(tmp_path / "part.stl", tetrahedron())
    numbers = ("explain", "--mass", "2", "--inertia", "1 0 0 1 0 3", "--nearest", "--fail-on", "never")
    found = valid(run(*numbers, "--against", part, "-f", "json").out)["explanation"]["nearest"]
    assert [n["sense"] for n in found] == ["frobenius", "affine-invariant"]
    for n in found:
        path = tmp_path / f"{n['sense']}.urdf"
        path.write_text(n["text"], encoding="utf-8")
        (read,) = open_bodies(str(path)).bodies
        assert read.properties.consistency().ok
        assert read.properties.inertia.tolist() == n["inertia"]
        assert np.array(n["inertia"]) == pytest.approx(np.diag([1.0, 1, 3]) + n["change"], abs=1e-15)
    # by hand: S = diag(1.5, 1.5, -0.5), so that 0.5 is added in z: to Ixx and Iyy
    assert found[0]["distance"] == pytest.approx(0.5, rel=1e-8)
    assert found[0]["relative"] == pytest.approx(0.5 / np.sqrt(1.5**2 + 1.5**2 + 0.5**2), rel=1e-8)
    assert found[0]["inertia"] == [pytest.approx(row, abs=1e-8) for row in ([1.5, 0, 0], [0, 1.5, 0], [0, 0, 3])]
    for dialect in ("urdf", "sdf", "mjcf"):
        path = tmp_path / f"alone.{dialect}"
        done = run(*numbers, "-o", path)
        assert (done.returncode, done.out) == (0, "")
        assert done.err == "massprops: the body: 0.5 kg m² from the stated inertia, 22.9 % of its size\n"
        (read,) = open_bodies(str(path)).bodies
        assert read.properties.inertia.tolist() == found[0]["inertia"]
    assert "--format urdf is of the nearest consistent inertia; add --nearest" in run(*numbers[:5], "-f", "urdf").err
    assert "every positive mass has a smaller one" in run("explain", "--mass", "-1", *numbers[3:6], "-f", "urdf").err
    narrow = run(*numbers, "--against", part, env={"COLUMNS": "40"}).out
    assert "Ixx           1         1.5         0.5\n" in narrow
    assert (
        "the stated one: it is possible" in run("explain", "--mass", "2", "--inertia", "1 0 0 1 0 1", "--nearest").out
    )
    negative = run("explain", "--mass", "-2", "--inertia", "1 0 0 1 0 1", "--nearest")
    assert "no consistent body is nearest to a mass of -2.0 kg" in negative.out
    assert (
        valid(run("explain", "--mass", "2", "--inertia", "1 0 0 1 0 1", "-f", "json").out)["explanation"]["nearest"]
        is None
    )


@needs_robots
def test_real_links_with_products_of_the_other_sign_are_explained_by_that_alone() -> None:
    seen = 0
    for entry in known_links():
        if "H_poi_negated" in entry["flags"]:
            seen += 1
            (link,) = (m for m in links_of(entry["file"]) if m.name == entry["link"])
            assert not link.geometry.findings
            body = open_bodies(f"{ROBOTS / entry['file']}#{entry['link']}").bodies[0]
            found = explain_body(body, reference_of_link(link.geometry), link.others)
            assert (found.verdict, [h.kind for h in found.hypotheses]) == ("unique", ["products-sign"])
            ours, mesh = found.hypotheses[0].body.inertia, np.array(entry["mesh_inertia"])
            # the corrected tensor is the mesh's, as another program measured it, to what explains
            assert np.linalg.norm(ours - mesh) < 0.05 * np.linalg.norm(mesh)
    assert seen == 8

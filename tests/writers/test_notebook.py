"""What a notebook shows, and the functions that are commands: `plot`, `report`, `diff`, `explain` and `shape` give what those write."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import console
import pytest
from cases import raised
from html_text import Html
from places import ROOT

import massprops

BRACKET, ARM = "sample_meshes/bracket.stl", "samples/robots/arm.urdf"


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_a_report_of_checks_is_a_table_of_files_verdicts_and_findings(tmp_path: Path) -> None:
    hostile = tmp_path / "<script>\x1b[31m.stl"
    hostile.write_bytes(Path("sample_meshes/open_bracket.stl").read_bytes())
    (tmp_path / "none.stl").touch()
    table = Html(
        massprops.check([BRACKET, str(hostile)], tmp_path / "none.stl", units="mm", repair="none")._repr_html_()
    )
    assert table.tags == {"table", "caption", "tr", "th", "td", "br"}
    verdicts = {row[0].rpartition("/")[2]: row[1:] for row in table.rows[1:]}
    assert {name: verdict for name, (verdict, _) in verdicts.items()} == {
        "bracket.stl": "ok",
        "<script>\\x1b[31m.stl": "failed",
        "none.stl": "unreadable",
    }
    assert verdicts["none.stl"][1].startswith("error empty-file: ")
    assert verdicts["<script>\\x1b[31m.stl"][1].startswith("error open-edges: 3 of 450 edges")


def test_a_filled_robot_is_a_table_of_its_links_before_and_after() -> None:
    filled = massprops.fill(ARM, links="all", density=7800)
    head, *rows = Html(filled._repr_html_()).rows
    assert head[:4] == ["Link", "", "Mass [kg]", "Density [kg/m³]"]
    # bracket of 28117.8 mm³, at 2700 and at 7800 kg/m³; `all` keeps no mass that is stated
    shown = {(row[0], row[1]): row[2] for row in rows}
    assert list(shown) == [(link, state) for link in ("upper_arm", "forearm") for state in ("before", "after")]
    for (name, state), mass in shown.items():
        (link,) = (link for link in filled.links if link.name == name)
        assert float(mass) == pytest.approx((link.before if state == "before" else link.after).mass, rel=1e-4)


def test_a_picture_and_a_report_are_those_of_the_commands(tmp_path: Path) -> None:
    options = ("--units", "mm", "--density", "7800")
    png, page = tmp_path / "part.png", tmp_path / "page.html"
    assert console.run("plot", BRACKET, *options, "--view", "top", "--dark", "-o", png).returncode == 0
    picture = massprops.plot(BRACKET, units="mm", density=7800, view="top", dark=True)
    assert picture.data == png.read_bytes() == picture._repr_png_()
    section = massprops.plot("samples/sections/angle.wkt", units="mm")
    assert section._repr_png_() is None
    assert ET.fromstring(section._repr_svg_()).tag.endswith("svg")  # noqa: S314  # our own

    assert console.run("report", BRACKET, ARM, *options, "-o", page).returncode == 1  # the robot has an error
    made = massprops.report([BRACKET, ARM], units="mm", density=7800)
    command, call = r"massprops report .*?(?=<)", r"massprops\.report\(.*?(?=<)"
    assert re.sub(call, "", made) == re.sub(command, "", page.read_text("utf-8"))
    frame = made._repr_html_()
    assert Html(frame).tags == {"iframe"}  # nothing of the page is outside its frame
    assert "<" not in frame[1 : frame.index("></iframe>")]


def test_what_changed_is_that_of_the_command() -> None:
    parts, links = (BRACKET, "sample_meshes/bracket.ply"), (f"{ARM}#upper_arm", f"{ARM}#forearm")
    for (before, after), units in ((parts, {"units": "mm"}), (links, {})):
        (found,) = massprops.diff(before, after, **units)
        options = [word for name, value in units.items() for word in (f"--{name}", value)]
        assert (
            found.to_dict() == json.loads(console.run("diff", before, after, *options, "--format", "json").out)["diff"]
        )


def test_an_explanation_is_that_of_the_command() -> None:
    for arguments, given in (([], {}), (["--nearest", "--geometry", "none"], {"nearest": True, "geometry": "none"})):
        printed = json.loads(console.run("explain", f"{ARM}#forearm", *arguments, "--format", "json").out)
        found = massprops.explain(f"{ARM}#forearm", **given).to_dict()
        assert found == {name: value for name, value in printed.items() if name != "remarks"}
    with pytest.raises(massprops.InvalidInput, match=r"has 2 bodies; name one with #, of upper_arm, forearm"):
        massprops.explain(ARM)


def test_a_shape_is_that_of_the_command() -> None:
    arguments = ("--outer-radius", "20mm", "--inner-radius", "18mm", "--length", "0.3", "--material", "steel")
    printed = json.loads(console.run("shape", "tube", *arguments, "--format", "json").out)
    made = massprops.shape("tube", outer_radius="20mm", inner_radius="18mm", length=0.3, material="steel")
    assert (made.mass, made.inertia.tolist()) == (printed["mass"], printed["inertia"]["tensor"])


def test_values_are_shown_in_a_line() -> None:
    """A cell that ends with one shows neither the bytes of a picture nor all that an assembly is made of."""
    arm, trolley = ROOT / "samples/robots/arm.urdf", ROOT / "samples/assemblies/trolley.toml"
    (change, *_) = massprops.diff(arm, arm)
    picture = massprops.plot(ROOT / "sample_meshes/bracket.stl", units="mm")
    shown = {
        "<Explanation: forearm, unique: products-sign>": massprops.explain(f"{arm}#forearm"),
        "<Assembly: trolley, 6 parts>": massprops.combine(trolley),
        f"<Comparison: {change.before} → {change.after}, 0 of ": change,
        "Picture(suffix='png', ": picture,
    }
    for start, value in shown.items():
        assert repr(value).startswith(start)
        assert repr(pickle.loads(pickle.dumps(value))) == repr(value)  # noqa: S301  # our own
        assert "\n" not in repr(value)
        assert len(repr(value)) < 400


def test_lists_are_taken_as_their_items() -> None:
    box = massprops.shapes.box(1, 2, 3, mass=4)
    assert massprops.combine([box, box], box).body.properties.mass == 12
    lift = massprops.Pose.from_xyz_rpy([0, 0, 1])
    assert massprops.combine([(box, lift)]).body.properties.com.tolist() == [0, 0, 1]
    for call, message in (
        (lambda: massprops.check([]), "sources: no file given"),
        (lambda: massprops.report([]), "sources: no file given"),
        (lambda: massprops.combine([]), "items: no body given"),
        (lambda: massprops.check([3]), "triangles must have shape (n, 3, 3)"),
        (lambda: massprops.plot(BRACKET, view="side"), "view must be one of front, top, right, iso, all"),
        (lambda: massprops.plot(BRACKET, show=["shadow"]), "show must be one of axes"),
        (lambda: massprops.report(BRACKET, densty=1), "there is no argument 'densty'"),
    ):
        assert message in raised(massprops.InvalidInput, call).message

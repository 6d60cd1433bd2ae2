"""`massprops plot` from outside."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from console import OUTWARD, ascii_stl, run
from places import ROOT

from massprops.cli import main
from massprops.mesh.proof import prove
from massprops.mesh.proof.embedding import embedding_of


def size(data: bytes) -> tuple[int, int]:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def test_a_part_is_a_png_of_the_size_asked_for(part: Path, tmp_path: Path) -> None:
    out = tmp_path / "part.png"
    done = run("plot", part, "-o", out, "--size", "320x200", "--density", "1000")
    assert (done.returncode, done.out, done.err) == (0, "", "")
    assert size(out.read_bytes()) == (320, 200)


def test_standard_output_gets_the_same_bytes_each_time(part: Path) -> None:
    first, second = (run("plot", part, "-o", "-", "--size", "200x150", "--view", "all", "--dark").stdout for _ in "ab")
    assert first == second
    assert size(first) == (200, 150)


def test_a_section_is_an_svg(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("x,y\n0,0\n2,0\n2,1\n0,1\n", encoding="ascii")
    done = run("plot", "s.csv", "-o", "s.svg", "--units", "mm", cwd=tmp_path)
    assert (done.returncode, done.err) == (0, "")
    assert ET.parse(tmp_path / "s.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314  # our own text


def test_a_robot_is_a_png(tmp_path: Path) -> None:
    link = '<link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{link}</robot>', encoding="ascii")
    done = run("plot", "r.urdf", "-o", "r.png", "--size", "200x150", cwd=tmp_path)
    assert (done.returncode, done.err) == (0, "")
    assert size((tmp_path / "r.png").read_bytes()) == (200, 150)
    done = run("plot", "r.urdf", "-o", "r.png", "--joint", "elbow=1", cwd=tmp_path)
    assert (done.returncode, done.out) == (3, "")
    assert "elbow" in done.err


def test_a_refused_mesh_is_drawn_and_said(hole: Path, tmp_path: Path) -> None:
    out = tmp_path / "open.png"
    done = run("plot", hole, "-o", out, "--size", "200x150")
    assert done.returncode == 0
    assert done.err.startswith(f"massprops: drawn without numbers: {hole}: open-edges: 3 of ")
    assert size(out.read_bytes()) == (200, 150)
    bow = tmp_path / "bow.csv"
    bow.write_text("0,0\n2,2\n2,0\n0,2\n", encoding="ascii")
    done = run("plot", bow, "-o", tmp_path / "bow.svg")
    assert done.returncode == 0
    assert done.err.startswith(f"massprops: drawn without numbers: {bow}: self-crossing: ")
    assert b"self-crossing" in (tmp_path / "bow.svg").read_bytes()
    done = run("report", bow, "-o", tmp_path / "bow.html")
    assert done.returncode == 4
    assert 'class="defect"' in (tmp_path / "bow.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("part.stl", "-o", "part.gif"),
            "part.gif: a picture is PNG, SVG or PDF, not gif; choose a .png, .svg or .pdf file",
        ),
        (
            ("s.csv", "-o", "s"),
            "s: a picture is PNG, SVG or PDF, not a file without a suffix; choose a .png, .svg or .pdf file",
        ),
        (
            ("s.csv", "-o", "s.svg", "--view", "top"),
            "--view is for meshes and robots, and this is a plane file; leave it out",
        ),
        (  # with a thickness it is a body, and drawn in its plane all the same
            ("s.csv", "-o", "s.svg", "--thickness", "2", "--axis", "0 0 0 0 0 1"),
            "--axis is for meshes and assemblies, and this is a plane file; leave it out",
        ),
        (("part.stl", "-o", "x.png", "--joint", "a=1"), "--joint is for robots, and this is a mesh; leave it out"),
        (("r.urdf", "-o", "x.png", "--show", "axes"), "--show is for meshes, and this is a robot; leave it out"),
        (("r.urdf", "--torsion", "-o", "x.svg"), "--torsion is for plane files, and this is a robot; leave it out"),
        (("-", "-o", "x.png"), "standard input is not drawn; name a file"),
        (
            ("part.stl", "-o", "x.png", "--size", "10x9999"),
            "--size '10x9999' is not WIDTHxHEIGHT of 100 to 4096 pixels; for example --size 1200x900",
        ),
        (
            ("part.stl", "-o", "x.png", "--show", "axis"),
            "--show 'axis' is not known; known: axes, ellipsoid, box, com, defects, bounds",
        ),
        (("part.stl", "-o", "part.stl", "-t", "stl"), "part.stl: is an input file; choose another --output"),
    ],
)
def test_what_cannot_be_drawn_is_said(arguments: tuple[str, ...], message: str, part: Path, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("x,y\n0,0\n2,0\n2,1\n0,1\n", encoding="ascii")
    done = run("plot", *arguments, cwd=part.parent)
    assert (done.returncode, done.out, done.err) == (2, "", f"massprops: {message}\n")
    assert not list(tmp_path.glob("*.png"))


def test_check_draws_what_failed_and_nothing_else(part: Path, tmp_path: Path) -> None:
    for name in ("a/open.stl", "b/open.stl"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    (tmp_path / "broken.stl").write_text("solid x", encoding="ascii")
    done = run("check", part.name, "a", "b", "broken.stl", "--pictures", "drawn", "-f", "markdown", cwd=tmp_path)
    assert "![a/open.stl](drawn/a_open.stl.png)" in done.out
    drawn = sorted(p.name for p in (tmp_path / "drawn").iterdir())
    assert drawn == ["a_open.stl.png", "b_open.stl.png"]
    assert size((tmp_path / "drawn" / drawn[0]).read_bytes()) == (1200, 900)


def test_reports_name_the_pictures_as_their_readers_look_for_them(tmp_path: Path) -> None:
    # Markdown from the folder of its file; JUnit from where the job runs, in the case that failed
    name = "x]]\n![a](b).stl"
    (tmp_path / name).write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    forms = ("-f", "markdown=out/a.md", "-f", "junit=out/a.xml")
    (tmp_path / "out").mkdir()
    done = run("check", name, "--pictures", "drawn", *forms, cwd=tmp_path)
    assert done.returncode == 1, done.err
    (picture,) = (tmp_path / "drawn").iterdir()
    assert re.fullmatch(r"[\w.-]+\.png", picture.name)
    assert f"](../drawn/{picture.name})" in (tmp_path / "out" / "a.md").read_text()
    cases = ET.parse(tmp_path / "out" / "a.xml").iter("testcase")  # noqa: S314  # our own text
    attached = {
        case.findtext("system-out"): case.find("failure") for case in cases if case.find("system-out") is not None
    }
    assert [text for text, failure in attached.items() if failure is not None] == [
        f"[[ATTACHMENT|drawn/{picture.name}]]"
    ]


@pytest.mark.parametrize(
    "name", ["bracket.stl", "inverted_bracket.ply", "overlapping_boxes.obj", "cavity.ply", "open_bracket.stl"]
)
@pytest.mark.parametrize("command", ["compute", "plot --size=300x225 -o {}.svg", "report -o {}.html", "check"])
def test_a_command_proves_a_mesh_once(name, command, tmp_path, monkeypatch):
    """Whatever else it asks of the surface: pictures, pages and repairs take what the measurement found."""
    counted = []
    monkeypatch.setattr(prove, "embedding_of", lambda *a, **k: counted.append(a) or embedding_of(*a, **k))
    main([*command.format(tmp_path / "out").split(), str(ROOT / "sample_meshes" / name), "--units", "mm"])
    assert len(counted) == 1

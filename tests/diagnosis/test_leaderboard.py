"""The page about robots of a folder: which links are impossible, wrong or cannot be judged, and the patch."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from console import run
from places import ROOT

from massprops.rigid_body.shapes import box

LINK = """<link name="{}"><inertial><mass value="1.5"/>
<inertia ixx="{}" ixy="0" ixz="0" iyy="{}" iyz="0" izz="{}"/></inertial>
<visual><geometry>{}</geometry></visual></link>"""
BOX = '<box size="0.04 0.08 0.2"/>'
RIGHT = box(0.04, 0.08, 0.2, mass=1.5).inertia.diagonal().tolist()


def robot(path: Path, *links: str) -> None:
    path.write_text(f'<robot name="r">{"".join(links)}</robot>', encoding="utf-8")


def test_a_page_counts_the_links_and_shows_the_patch(tmp_path: Path) -> None:
    right = LINK.format("right", *RIGHT, BOX)
    grams = LINK.format("grams", *RIGHT, BOX).replace("1.5", "1500")
    impossible = LINK.format("impossible", 1, 1, 3, BOX)
    missing = LINK.format("open", *RIGHT, '<mesh filename="none.stl"/>')
    robots = tmp_path / "robots"
    robots.mkdir()
    robot(robots / "good.urdf", right)
    robot(robots / "bad.urdf", right, grams, impossible, missing)
    before = {path: path.read_bytes() for path in robots.iterdir()}
    script = [sys.executable, str(ROOT / "benchmarks" / "leaderboard.py")]
    done = run(robots, "-o", tmp_path / "page.md", "-o", tmp_path / "page.html", program=script)
    assert (done.returncode, done.err) == (0, "")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert page.startswith("2 robots, 5 links: 1 impossible, 1 wrong, 1 unanswerable, 2 no error\n")
    assert [line for line in page.splitlines() if line.startswith(("| bad", "| good"))] == [
        "| bad | 4 | 1 | 1 | 1 | 1 |",
        "| good | 1 | 0 | 0 | 0 | 1 |",
    ]
    assert "- grams: wrong-unit: " in page
    assert "+++ bad.urdf (filled)" in page
    assert str(tmp_path) not in page
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert html.count("<table>") == html.count("</table>") == 1
    ET.fromstring(html[html.index("<table>") : html.index("</table>") + 8])  # noqa: S314  # our own text
    assert {path: path.read_bytes() for path in robots.iterdir()} == before

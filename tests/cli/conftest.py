"""Files that tests of several commands measure."""

from __future__ import annotations

from pathlib import Path

import pytest
from console import OUTWARD, ascii_stl
from robots import ARM, FAULTY, TIP

from massprops.formats.bodies import NamedBody, write


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """A good file."""
    path = tmp_path / "part.stl"
    path.write_text(ascii_stl(), encoding="ascii")
    return path


@pytest.fixture
def hole(tmp_path: Path) -> Path:
    """A surface that lacks a face: exit 4."""
    path = tmp_path / "hole.stl"
    path.write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    return path


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A good file, a kilometre across: one warning."""
    path = tmp_path / "large.stl"
    path.write_text(ascii_stl(scale=200.0), encoding="ascii")
    return path


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """Two links with an inertial and one without."""
    path = tmp_path / "robot.urdf"
    text = write([NamedBody("arm", ARM), NamedBody("tip", TIP)], "urdf")[0]
    path.write_text(text.replace("</robot>", '<link name="base" /></robot>'), encoding="ascii")
    return path


@pytest.fixture
def faulty_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A link without an inertial, an impossible one and a right one; the current folder is there."""
    path = tmp_path / "r.urdf"
    path.write_text(FAULTY)
    monkeypatch.chdir(tmp_path)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two parts, one of them deeper, beside a robot and a note; the current folder is there."""
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    for name in ("parts/a.stl", "parts/deep/b.stl"):
        (tmp_path / name).write_text(ascii_stl())
    (tmp_path / "parts" / "robot.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    (tmp_path / "parts" / "notes.txt").write_text("no part")
    monkeypatch.chdir(tmp_path)
    return tmp_path

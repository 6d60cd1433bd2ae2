"""Files that tests of several commands measure."""

from __future__ import annotations

from pathlib import Path

import pytest
from console import OUTWARD, ascii_stl


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

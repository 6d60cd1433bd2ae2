"""Formats of other packages: a tiny one is installed beside the program, and whatever fails in it is named."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from cases import refused
from console import run
from places import ROOT

import massprops
from massprops.formats.plugins import formats_of_others
from massprops.formats.table import FORMATS, MESHES, PLANAR

READER = """
def read(file):
    n = float(file.stream.read())
    corners = [[0, 0, 0], [n, 0, 0], [0, n, 0], [0, 0, n]]
    return corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]

def broken(file):
    raise RuntimeError("no luck")
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install a distribution with entry points, as pip lays them out."""

    def lay(name: str, *points: str) -> Path:
        folder = tmp_path / "site"
        info = folder / f"{name}-1.5.dist-info"
        info.mkdir(parents=True)
        (folder / "voxel_reader.py").write_text(READER)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
        (info / "entry_points.txt").write_text("[massprops.formats]\n" + "".join(f"{p}\n" for p in points))
        monkeypatch.syspath_prepend(folder)
        return folder

    formats_of_others.cache_clear()
    monkeypatch.chdir(tmp_path)
    Path("part.vox").write_text("6")
    yield lay
    formats_of_others.cache_clear()
    sys.modules.pop("voxel_reader", None)


def test_a_format_of_another_package_is_measured(install) -> None:
    install("voxels", "vox = voxel_reader:read")
    measured = massprops.measure("part.vox", units="cm", density=1000)
    assert measured.volume == pytest.approx(36e-6, rel=1e-15)
    assert (measured.input.path, measured.input.format, measured.grade) == ("part.vox", "vox", "proved")
    assert massprops.measure("part.vox", format="VOX").input.format == "vox"


def test_the_command_line_takes_it_too(install) -> None:
    folder = install("voxels", ".vox = voxel_reader:read")
    path = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])}
    done = run("compute", "part.vox", "--units", "cm", "-f", "json", env=path)
    assert done.result["volume"] == pytest.approx(36e-6, rel=1e-15)
    checked = run("check", ".", "-f", "json", env=path)
    assert [c["path"] for c in checked.result["checked"]] == ["part.vox"]


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("vox = voxel_reader:broken", "RuntimeError('no luck')"),
        ("vox = voxel_reader:missing", "AttributeError(\"module 'voxel_reader' has no attribute 'missing'\")"),
        ("vox = no_such_module:read", "ModuleNotFoundError(\"No module named 'no_such_module'\")"),
    ],
)
def test_a_broken_one_is_named_with_its_distribution(install, point: str, why: str) -> None:
    install("voxels", point)
    caught = refused(massprops.ReadError, massprops.measure, "part.vox")
    where = point.partition("= ")[2]
    assert caught == f"part.vox: the reader {where} of voxels 1.5 failed: {why}; update or remove that package"


def test_two_packages_of_one_suffix_are_named(install) -> None:
    install("voxels", "vox = voxel_reader:read")
    install("others", "vox = voxel_reader:broken")
    with pytest.raises(
        massprops.ReadError, match=r"several packages read \.vox: .* of others 1.5, .* of voxels 1.5; remove"
    ):
        massprops.measure("part.vox")


def test_a_suffix_of_ours_stays_ours(install) -> None:
    install("voxels", "stl = voxel_reader:broken", "csv = voxel_reader:broken")
    assert formats_of_others() == {}
    part = ROOT / "sample_meshes" / "bracket.stl"
    assert massprops.measure(part, units="mm").grade == "proved"


def test_the_known_formats_of_a_refusal_have_it(install) -> None:
    install("voxels", "vox = voxel_reader:read")
    Path("part.xyzw").write_text("6")
    with pytest.raises(massprops.UnknownFormat, match=r"known: .*\.txt .*\.vox .*\.wkt"):
        massprops.measure("part.xyzw")


def test_every_suffix_has_one_row() -> None:
    assert len(MESHES) + len(PLANAR) == sum(len(f.suffixes) or 1 for f in FORMATS)
    assert not MESHES.keys() & PLANAR.keys()

"""`massprops repair`, and the repairs of `massprops compute`.

Modules tested: `cli/repair`, `formats/mesh/writing`.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from console import run
from damage import blob, moments
from oracles import box, write_binary_stl
from robots import WITHOUT_INERTIALS

from massprops import measure
from massprops.formats.registry import open_mesh


@pytest.mark.parametrize("suffix", [".stl", ".ply", ".obj", ".glb", ".3mf", ".off", ".dae"])
def test_what_repair_writes_is_valid(tmp_path: Path, suffix: str) -> None:
    """Formats that state a unit hold the same lengths in it: glTF and COLLADA are written in metres, 3MF in millimetres.
    A second run replaces what the first has written."""
    triangles = blob(2)
    path = write_binary_stl(tmp_path / "hole.stl", np.delete(triangles, [3, 77], axis=0) * 1000)
    for _ in range(2):
        done = run("repair", path, "-o", tmp_path / f"mended{suffix}", "--repair", "full", "--units", "mm")
        assert (done.returncode, done.out) == (0, "")
    assert "filled-holes" in done.err
    unit = {".glb": "m", ".dae": "m", ".3mf": "mm"}.get(suffix)
    with open_mesh(tmp_path / f"mended{suffix}") as written:
        assert written.unit == unit
    found = measure(tmp_path / f"mended{suffix}", units=unit or "mm")
    assert found.grade == "proved"
    assert found.volume == pytest.approx(moments(triangles)[0], rel=0.01)


@pytest.mark.parametrize("suffix", [".glb", ".dae", ".3mf"])
def test_a_format_with_a_unit_needs_that_of_the_mesh(tmp_path: Path, suffix: str) -> None:
    path = write_binary_stl(tmp_path / "part.stl", blob(2))
    done = run("repair", path, "-o", tmp_path / f"out{suffix}")
    assert (done.returncode, "--units" in done.err, (tmp_path / f"out{suffix}").exists()) == (2, True, False)


@pytest.mark.parametrize("command", ["repair", "convert"])
def test_the_unit_of_what_is_written_is_said(tmp_path: Path, command: str) -> None:
    """An STL file states no unit: what is read in metres would be taken for millimetres. Unknown units write nothing."""
    part, scene, out = write_binary_stl(tmp_path / "part.stl", blob(2)), tmp_path / "part.glb", tmp_path / "out.stl"
    assert ", in m\n" in run(command, part, "-o", scene, "--units", "cm").err
    read = run(command, scene, "-o", out, "--units", "mm")
    assert ", in m\n" in read.err
    assert read.err.endswith("in m; --units mm is not applied\n")
    assert ", in" not in run(command, part, "-o", out).err
    out.unlink()
    assert (run(command, scene, "-o", out, "--units", "furlongs").returncode, out.exists()) == (2, False)


def test_an_stl_is_written_only_where_single_precision_holds_the_mesh(tmp_path: Path) -> None:
    """A box of 1 m as float32: at 1e8 m its corners fall together, at 1e5 m a tenth is rounded by a part in 1e2, 1e49 is infinite."""
    box = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    faces = "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
    for size, offset, wrong in ((1e49, 0, "inf"), (1.0, 1e8, "zero-volume"), (0.1, 1e5, "changes by"), (0.1, 1.0, "")):
        moved = re.sub(r"(?<= )[01]", lambda digit: repr(offset + size * int(digit[0])), box)  # noqa: B023  # called at once
        (tmp_path / "box.obj").write_text(moved + faces)
        done = run("repair", tmp_path / "box.obj", "-o", tmp_path / "box.stl")
        assert (done.returncode, done.out) == (2 if wrong else 0, ""), done.err
        assert wrong in done.err
        assert (tmp_path / "box.stl").exists() is not bool(wrong)
    assert measure(tmp_path / "box.stl").volume == pytest.approx(1e-3, rel=1e-5)


def test_what_cannot_be_repaired_writes_nothing(tmp_path: Path) -> None:
    half = blob(2)[:160]
    done = run("repair", write_binary_stl(tmp_path / "half.stl", half), "-o", tmp_path / "mended.stl")
    assert done.returncode == 4
    assert "of the surface is missing" in done.err
    assert not (tmp_path / "mended.stl").exists()


def test_no_remedy_names_an_option_that_the_command_does_not_have(tmp_path: Path) -> None:
    part = write_binary_stl(tmp_path / "gone.stl", blob()[::2])
    (tmp_path / "robot.urdf").write_text(WITHOUT_INERTIALS)
    for words in (["repair", part, "-o", "out.stl"], ["fill", "robot.urdf", "--density", "1000", "-o", "out.urdf"]):
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 4
        assert "open-edges" in done.err
        assert done.err.endswith("; mend it in the program that made it\n")
    assert "  before\n" not in done.err  # a link that could not be filled has no numbers
    assert run("compute", part).err.endswith("; see --on-open\n")


def test_solids_that_overlap_are_written_as_one(tmp_path: Path) -> None:
    pytest.importorskip("manifold3d")
    two = np.concatenate([box((0, 0, 0), (2, 3, 4)), box((1, 1, 1), (3, 4, 5))])
    written = tmp_path / "one.ply"
    done = run("repair", str(write_binary_stl(tmp_path / "two.stl", two)), "-o", str(written))
    assert done.returncode == 0
    found = measure(written, units="m", repair="none")
    assert found.volume == pytest.approx(24 + 24 - 1 * 2 * 3, rel=1e-12)
    assert found.grade == "proved"


def test_compute_repairs_on_request_and_says_every_step(tmp_path: Path) -> None:
    path = write_binary_stl(tmp_path / "hole.stl", np.delete(blob(3), [3, 77], axis=0))
    assert run("compute", path, "--repair", "none").returncode == 4
    assert run("compute", path).returncode == 0  # `safe` is the default
    result = run("compute", path, "--repair", "full", "-f", "json").result
    assert result["grade"] == "repaired"
    assert [(r["step"], r["count"]) for r in result["repairs"]] == [("fill", 2)]
    assert result["uncertainty"]["sources"]["fill"]["volume"] > 0
    checked = run("check", path, "--repair", "safe")
    assert (checked.returncode, "filled-holes" in checked.out) == (0, True)
    checked = run("check", path)  # it judges the file, not what the others would measure
    assert checked.returncode == 1
    assert f"repairable: --repair safe gives {result['volume']:.4g} m³ ± " in " ".join(checked.out.split())


@pytest.mark.parametrize("limit", ["1e-6", "0.5%", "3%"])
def test_the_advised_command_repairs_under_any_limit(tmp_path: Path, limit: str) -> None:
    """The hole of a flat side costs nothing: the advice was `--max-uncertainty 0%`, which is refused."""
    file = write_binary_stl(tmp_path / "a.stl", box((0, 0, 0), (2, 2, 2))[1:])
    advice = " ".join(run("check", file.name, "--max-uncertainty", limit, cwd=tmp_path).out.split()).partition(
        "massprops repair "
    )[2]
    words = [*advice.partition(" -o ")[0].split()[:-1], str(file)]
    assert (words[0], run("repair", *words, "-o", tmp_path / "b.stl").returncode) == ("--max-uncertainty", 0)
    assert measure(tmp_path / "b.stl", units="m").volume == pytest.approx(8, rel=1e-12)


def test_a_body_inside_out_across_a_wall_is_in_the_uncertainty_once_and_the_advice_repairs_it(tmp_path: Path) -> None:
    crossing = np.array(box((3, 1, 1), (5, 3, 3)), float)[:, ::-1]
    file = write_binary_stl(tmp_path / "a.stl", np.concatenate([box((0, 0, 0), (4, 4, 4)), crossing]))
    advice = (
        " ".join(run("check", file.name, cwd=tmp_path).out.split())
        .partition("massprops repair ")[2]
        .partition(" -o ")[0]
    )
    words = [*advice.split()[:-1], str(file)]
    done = run("repair", *words, "-o", tmp_path / "b.stl")
    body, cavity = 4**3 + 2**3 / 2, 4**3 - 2**3 / 2
    assert done.returncode == 0
    assert f"estimated, ±{100 * (body - cavity) / body:.3g}" in done.err
    result = run("compute", file, "--on-inverted", "flip", "--on-overlap", "union", "-f", "json").result
    assert (result["grade"], result["volume"]) == ("estimated", pytest.approx(body, rel=1e-6))
    assert sum(r["bound"] for r in result["repairs"]) == pytest.approx(body - cavity, rel=1e-6)

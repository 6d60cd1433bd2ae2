"""`massprops init` and `massprops materials`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from console import ascii_stl, plain_failure, run

from massprops.checking.config import Config


def test_materials_are_searched() -> None:
    found = run("materials", "alu")
    names = re.findall(r"^(\S.*?) {2,}\d", found.out, re.MULTILINE)
    assert names[0] == "aluminium"
    assert all("alu" in name.lower() for name in names)
    assert "oak" in run("materials", "wood").out
    plain_failure(run("materials", "zzzz"), 2, "no material is like 'zzzz'; 'massprops materials' lists them all")


def test_init_writes_a_configuration_that_is_valid_with_and_without_its_comments(folder: Path) -> None:
    done = run("init")
    assert (done.returncode, done.out) == (0, "")
    text = (folder / "massprops.toml").read_text(encoding="utf-8")
    config = Config.read(folder / "massprops.toml")
    assert config.run.paths == (".",)
    assert not config.common
    assert "2 meshes and plane files, 1 robot file" in text
    assert "2 .stl" in text
    keys = re.sub(r"^# (?=\[|[a-z-]+ = )", "", text, flags=re.MULTILINE)
    (folder / "massprops.toml").write_text(keys, encoding="utf-8")
    used = Config.read(folder / "massprops.toml")
    assert used.common["units"] == "mm"
    assert {pattern for pattern, _ in used.sections} == {"parts/a.stl", "parts/deep/b.stl", "parts/robot.urdf#*"}
    plain_failure(run("init"), 2, "massprops.toml: exists; --force replaces it")
    assert run("init", "--force", "parts").returncode == 0
    assert Config.read(folder / "massprops.toml").run.paths == ("parts",)
    assert run("init", "-o", "parts/deep/massprops.toml").returncode == 0
    assert Config.read(folder / "parts" / "deep" / "massprops.toml").run.paths == ("../..",)


@pytest.mark.parametrize(("scale", "is_used"), [(10.0, True), (0.1, False), (1e5, False)])
def test_init_uses_mm_where_the_files_are_too_large_for_parts_in_m(scale: float, is_used: bool, tmp_path: Path) -> None:
    # the tetrahedron is 3.5 × 3 × 6.5: 65 "m" across, 0.65, or 650 km, which is nothing in mm either
    (tmp_path / "a.stl").write_text(ascii_stl(scale=scale))
    assert run("init", cwd=tmp_path).returncode == 0
    text = (tmp_path / "massprops.toml").read_text(encoding="utf-8")
    assert Config.read(tmp_path / "massprops.toml").common == ({"units": "mm"} if is_used else {})
    assert ("In use, since 1 file is 65 across: too large for parts in m." in text) == is_used


def test_the_list_of_findings_is_cut_at_the_width_of_a_terminal_and_whole_in_a_pipe() -> None:
    whole, cut = (run("check", "--list", env=env).out.splitlines() for env in ({}, {"COLUMNS": "60"}))
    assert len(whole) == len(cut)
    assert max(map(len, whole)) > 80
    assert max(map(len, cut)) == 60
    for line, short in zip(whole, cut, strict=True):
        assert short == line or (short.endswith("…") and line.startswith(short[:-1].rstrip()))


def test_a_link_that_leads_in_circles_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "part.stl").write_text(ascii_stl())
    for link, target in (("a/up", ".."), ("self", "."), ("b", "a"), ("x", "x")):
        (tmp_path / link).symlink_to(target)
    for names in (["."], ["**/*.stl"], ["./**/*.stl"], ["a/**"], [str(tmp_path / "**" / "*.stl")]):
        done = run("compute", *names, "--format", "csv", cwd=tmp_path)
        assert (done.returncode, len(done.out.splitlines())) == (0, 2), names


def test_a_folder_or_pattern_without_a_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    plain_failure(
        run("compute", "empty", cwd=tmp_path),
        3,
        "empty: holds no mesh and no plane file; name another folder or a file, or see --include and --exclude",
    )
    plain_failure(run("compute", "*.xyz", cwd=tmp_path), 3, "*.xyz: no such file; no file matches this pattern")
    for command in ("compute", "check", "diff"):  # an unset variable is not the current folder
        done = run(command, "", *(["part.stl"] * (command == "diff")), cwd=tmp_path)
        assert done.returncode == 3
        assert "the name of the file is empty; is a variable unset?" in done.out + done.err


def test_a_configuration_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text(ascii_stl())
    (tmp_path / "massprops.toml").symlink_to("gone.toml")
    for command in ("compute", "check"):
        plain_failure(run(command, "part.stl", cwd=tmp_path), 2, f"{tmp_path}/massprops.toml: no such file")
    (tmp_path / "gone.toml").write_text("units = 3\n")
    for command in ("compute", "check"):
        done = run(command, "part.stl", cwd=tmp_path)
        assert done.returncode == 2
        assert "massprops.toml:1: units: expected a unit of length, got 3" in done.err

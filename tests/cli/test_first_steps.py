"""What a new user tries first: a picture without a name, units as they are typed, one link, quiet commands.

Modules tested: `cli/plot`, `cli/shape`, `cli/fill`, `cli/groups`, `writers/check`, `writers/fill`, `measurement/robot`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from console import ascii_stl

from massprops.cli import main
from massprops.cli.app import COMMANDS
from massprops.cli.groups import declarations

LINK = '<link name="{}"><inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{}</link>'
BOX = '<visual><geometry><box size=".1 .2 .3"/></geometry></visual>'


def test_a_picture_without_a_name_replaces_only_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("part.stl").write_text(ascii_stl(), encoding="utf-8")
    for _ in range(2):
        assert main(["plot", "part.stl", "--size", "100x100"]) == 0
        assert "written to part.png" in capsys.readouterr().err
    Path("part.png").write_bytes(b"\x89PNG of somebody else")
    assert main(["plot", "part.stl", "--size", "100x100"]) == 2
    assert "part.png: is there, and was not made by massprops" in capsys.readouterr().err
    assert Path("part.png").read_bytes() == b"\x89PNG of somebody else"


def test_every_command_can_be_quiet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, entry in COMMANDS.items():
        assert "-q" in {word for d in declarations(entry.load()[0]) if not d.is_argument for word in d.spellings}, name
    (tmp_path / "part.stl").write_text(ascii_stl(), encoding="utf-8")
    for words in (["report", "-o", str(tmp_path / "a.html")], ["repair", "-o", str(tmp_path / "b.ply")]):
        assert main([words[0], str(tmp_path / "part.stl"), *words[1:], "-q"]) == 0
        assert capsys.readouterr().err == ""


def test_a_shape_answers_in_the_units_that_were_given(capsys: pytest.CaptureFixture[str]) -> None:
    main(["shape", "box", "--x", "1in", "--y", "2in", "--z", "3in", "--mass", "2lb"])
    inches = capsys.readouterr().out
    # 2 lb (2² + 3²) in² / 12
    assert "Mass [lb]" in inches
    assert "Ixx  2.16667" in inches
    main(["shape", "box", "--x", "10mm", "--y", "20mm", "--z", "0.03", "--mass", "40g"])
    assert "[mm]" in capsys.readouterr().out
    main(["shape", "box", "--x", "1in", "--y", "20mm", "--z", "0.03", "--mass", "40g"])
    assert "[m]" in capsys.readouterr().out  # of several none


def test_a_robot_of_one_link_has_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.urdf"
    path.write_text(f'<robot name="r">{LINK.format("base", 2, BOX)}</robot>', encoding="utf-8")
    main(["check", str(path)])
    assert "Density [kg/m³]" in capsys.readouterr().out


def test_fill_says_what_it_replaces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.urdf"
    path.write_text(f'<robot name="r">{LINK.format("base", 600, BOX)}</robot>', encoding="utf-8")
    main(["fill", str(path), "--links", "all", "--density", "1240", "--diff"])
    # 600 kg in 6 l; 6 l of 1240 kg/m³
    assert "stated 600 kg, 100,000 kg/m³, replaced by 7.44 kg" in capsys.readouterr().err
    main(["fill", str(path), "--density", "1240", "--diff"])
    assert capsys.readouterr().err.startswith("massprops: no link to fill: those with geometry state their numbers")


@pytest.mark.parametrize(("limit", "is_outside"), [("1.57", False), ("1.5707", False), ("1.5", True), ("1.56", True)])
def test_a_limit_of_a_joint_is_as_exact_as_it_is_written(
    limit: str, is_outside: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "two.urdf"
    joint = f'<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="{limit}"/></joint>'
    path.write_text(
        f'<robot name="r">{LINK.format("a", 1, "")}{LINK.format("b", 1, "")}{joint}</robot>', encoding="utf-8"
    )
    main(["combine", str(path), "--joint", "j=90deg"])
    assert ("joint-limits" in capsys.readouterr().out) == is_outside

"""The kind of a file by its name and its first bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from massprops.formats.kinds import Kind, kind_of, measured_kind, named_kind

PHYSICS = '{"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_physics_rigid_bodies"]}'
FILES: list[tuple[str, str, Kind]] = [
    ("a.stl", "", "mesh"),
    ("A.STEP", "", "mesh"),
    ("a.gltf", '{"asset": {"version": "2.0"}}', "mesh"),
    ("a.gltf", PHYSICS, "robot"),
    ("a.usda", "", "robot"),
    ("a.urdf", "", "robot"),
    ("a.xml", "<x/>", "robot"),
    ("a.dxf", "", "section"),
    ("a.json", "[[0, 0], [1, 0], [1, 1]]", "section"),
    ("a.json", '{"schema": "massprops/1"}', "results"),
    ("a.jsonl", "", "results"),
    ("a.csv", "0,0\n1,0\n1,1\n", "section"),
    ("a.csv", "name,mass [kg]\n", "bodies"),
    ("a.txt", "Mass = 3 grams\n", "bodies"),
    ("a.txt", "0 0\n1 0\n", "section"),
    ("a.dat", "# ten-vector 1\n", "bodies"),
    ("a", "<robot/>", "bodies"),
    ("a.toml", "", "assembly"),
    ("a.md", "", "unknown"),
]


@pytest.mark.parametrize(("name", "text", "kind"), FILES)
def test_the_kind_is_told_by_the_suffix_or_the_first_bytes(tmp_path: Path, name: str, text: str, kind: Kind) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert kind_of(path) == kind
    assert kind_of(str(path)) == kind


def test_a_part_or_a_format_that_is_given_goes_before_the_suffix(tmp_path: Path) -> None:
    assert kind_of(f"{tmp_path}/a.glb#wheel") == "mesh"
    assert kind_of("arm.urdf", "stl") == "mesh"
    assert kind_of("arm.stl", "dxf") == "section"
    assert kind_of("-") == "bodies"
    (tmp_path / "a.glb").write_text('{"asset": 1, "KHR_physics_rigid_bodies": 1}', encoding="utf-8")
    assert [named_kind(f"{tmp_path}/a.glb{part}") for part in ("", "#wheel")] == ["robot", "robot"]
    assert named_kind("a.urdf#") == "stdin"  # what reads it says what is wrong


def test_a_table_of_masses_is_shown_as_an_assembly_and_points_with_masses_as_a_section(tmp_path: Path) -> None:
    for name, text, kind in [
        ("a.csv", "Bauteil;Masse (kg);x;y;z\n", "assembly"),
        ("a.txt", "part\tmass\tx\ty\tz\n", "assembly"),
        ("a.tsv", "Unit mass [g]\tpart\tx\ty\tz\n", "assembly"),
        ("a.csv", "name,x,y,mass\n", "section"),
        ("a.csv", "# of this mass\n0,0\n1,0\n", "section"),
        ("a.xlsx", "", "assembly"),
    ]:
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert measured_kind(tmp_path / name) == kind, text


def test_a_file_that_is_not_there_has_the_kind_of_its_suffix() -> None:
    assert [kind_of(f"none{suffix}") for suffix in (".stl", ".json", ".glb")] == ["mesh", "section", "mesh"]

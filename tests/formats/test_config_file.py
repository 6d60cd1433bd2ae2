"""Patterns and line numbers of configuration files."""

from __future__ import annotations

from cases import each

from massprops.formats.config_file import matches
from massprops.formats.text import lines_of


@each(
    ("pattern", "path", "place", "meant"),
    [
        ("*.stl", "a.stl", None, True),
        ("*.stl", "deep/er/a.stl", None, True),  # no slash: a name in any folder
        ("*.stl", "a.stl.bak", None, False),
        ("parts/*.stl", "parts/a.stl", None, True),
        ("parts/*.stl", "parts/left/a.stl", None, False),  # a star stays in its folder
        ("parts/**/*.stl", "parts/left/a.stl", None, True),
        ("parts/**/*.stl", "parts/a.stl", None, True),  # and two stars mean no folder as well
        ("parts/**", "parts/left/a.stl", None, True),
        ("./parts/a.stl", "parts/a.stl", None, True),
        ("a?.stl", "a1.stl", None, True),
        ("a[!0-9].stl", "a1.stl", None, False),
        ("a[!0-9].stl", "ab.stl", None, True),
        ("a.stl", "axstl", None, False),  # a dot is a dot
        ("*.urdf#left_*", "r.urdf", "left_arm", True),
        ("*.urdf#left_*", "r.urdf", "right_arm", False),
        ("*.urdf#left_*", "r.urdf", None, False),
        ("*.urdf", "r.urdf", "right_arm", True),
    ],
)
def test_a_pattern_means_what_people_mean_by_it(pattern: str, path: str, place: str | None, meant: bool) -> None:
    assert matches(pattern, path, place) is meant


TOML = """units = "mm"
[severity]
open-edges = "info"
[files."*.stl"]
mass = "1kg"
"max-mass" = 2
[tool.massprops]
units = "in"
[tool.massprops.files.'a [b].stl']  # odd, and allowed
volume.x = 1
"""


@each(
    ("header", "key", "line"),
    [
        ((), "units", 1),
        ((), "severity", 2),
        (("severity",), "open-edges", 3),
        (("files", "*.stl"), "mass", 5),
        (("files", "*.stl"), "max-mass", 6),
        (("tool", "massprops"), "units", 8),
        (("tool", "massprops", "files", "a [b].stl"), "volume", 10),
        ((), "mass", None),
    ],
)
def test_the_line_of_a_key_is_that_in_its_own_table(header: tuple[str, ...], key: str, line: int | None) -> None:
    assert lines_of(TOML).get((*header, key)) == line

"""A measurement in Python shows its name, its verdict, its mass and its centre, and is equal to the same one measured again."""

from __future__ import annotations

import numpy as np
import pytest
from html_text import Html
from places import ROOT

import massprops

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def tetrahedron(**options):
    return massprops.measure((CORNERS, FACES), **options)


def write_obj(path):
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    path.write_text("\n".join(lines))
    return path


def test_the_repr_is_one_line_with_name_grade_mass_and_centre(tmp_path):
    # volume abc/6 = 1 mm³, centre (a, b, c)/4
    part = massprops.measure(write_obj(tmp_path / "part.obj"), units="mm", density=1000)
    assert repr(part).startswith("<part.obj: proved, mass 1 mg")
    assert "\n" not in repr(part)
    assert repr(part).endswith(" mm>")
    assert "centre (0.25" in repr(part)
    assert "volume" in repr(massprops.measure(write_obj(tmp_path / "part.obj"), units="mm"))


def test_sections_reports_and_filled_robots_have_a_repr_of_one_line(tmp_path):
    # a rectangle 2 × 1 m, lower left corner at the origin: A = 2, centroid (1, 0.5), Ixx = 2·1³/12, Iyy = 1·2³/12
    section = massprops.measure(np.array([[0.0, 0], [2, 0], [2, 1], [0, 1]])).section
    assert repr(section) == "<Section: area 2 m², centroid (1, 0.5) m, Ixx 0.166667, Iyy 0.666667, Ixy 0 m⁴>"
    path = write_obj(tmp_path / "a\n\x1bb.obj")
    assert repr(massprops.check(path)) == "<Report: 1 file, 0 failed, 0 unreadable, 0 errors, 0 warnings>"
    robot = tmp_path / "a\n\x1bb.urdf"
    shape = '<geometry><box size="1 1 1"/></geometry>'
    robot.write_text(f'<robot name="r"><link name="l"><visual>{shape}</visual></link></robot>')
    filled = massprops.fill(robot, density=1000)
    assert repr(filled).endswith("a\\n\\x1bb.urdf, 1 of 1 link filled>")
    assert repr(filled).isprintable()


def test_the_text_is_a_short_table(tmp_path):
    lines = str(massprops.measure(write_obj(tmp_path / "part.obj"), units="mm", density=1000)).splitlines()
    assert [line.split()[0] for line in lines] == ["part.obj:", "mass", "volume", "area", "centre", "size", "principal"]
    assert max(map(len, lines)) <= 80


def test_a_mass_that_is_below_its_bound_leaves_moments_without_one():
    # far from the origin, corners in single precision leave its volume open by more than itself
    part = massprops.measure(ROOT / "sample_meshes" / "far_tetrahedron.stl", density=1000)
    assert repr(part).startswith("<far_tetrahedron.stl: estimated, mass 30 t, ")
    assert "±" not in next(line for line in str(part).splitlines() if line.startswith("principal"))


def test_a_hostile_name_is_text_in_notebooks_and_on_terminals(tmp_path):
    part = massprops.measure(write_obj(tmp_path / "<script>\x1b[31m.obj"))
    page = Html(part._repr_html_())
    assert "script" not in page.tags
    assert "<script>" in page.words
    assert "\x1b" not in page.words + str(part) + repr(part)


def test_equal_measurements_are_equal_by_value():
    one, same, other = tetrahedron(density=2.0), tetrahedron(density=2.0), tetrahedron(density=3.0)
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != "a text"
    assert one.properties == same.properties
    assert one.properties != other.properties


def test_the_numbers_are_reached_directly():
    part = tetrahedron(density=2.0)
    assert part.com.tolist() == part.center_of_mass.tolist()
    assert part.principal.moments.tolist() == part.properties.principal().moments.tolist()
    # ∫ρ (x² + y²) about the z axis: ρ abc (a² + b²) / 60
    assert part.inertia_about_axis([0, 0, 5], [0, 0, -2]) == pytest.approx(2.0 * 6 * (1 + 4) / 60, rel=1e-14)


def test_what_needs_a_mass_says_so():
    with pytest.raises(massprops.InvalidInput, match=r"mass of .* is not known"):
        _ = tetrahedron().principal


def test_notebooks_show_a_picture_of_the_file_as_it_was_measured(tmp_path):
    path = write_obj(tmp_path / "part.obj")
    part = massprops.measure(path, units="mm", density=1000)
    assert '<img alt="' in part._repr_html_()
    assert "data:image/png;base64," in part._repr_html_()
    assert "<img" not in tetrahedron()._repr_html_()  # arrays have no file
    path.write_text(path.read_text().replace("3.0", "4.0"))
    assert "<img" not in part._repr_html_()  # the file is another one now
    section = tmp_path / "section.csv"
    section.write_text("x,y\n0,0\n1,0\n1,2\n0,2\n")
    assert "<svg" in massprops.measure(section)._repr_html_()

"""Inertia about a line: sums over points, Steiner's theorem, and what the command line prints of it."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np
import pytest
from cases import each
from console import run, valid
from oracles import exact_moments, tetrahedron, write_ascii_stl

from massprops import MassProperties
from massprops.errors import InvalidInput
from massprops.rigid_body.line import Line

POINT, ALONG = [0.4, -1.0, 2.0], [1.0, 2.0, -2.0]


def test_it_is_the_sum_of_mass_times_distance_squared() -> None:
    random = np.random.default_rng(1)
    masses, points = random.uniform(1, 2, 6), random.normal(size=(6, 3))
    arms = points - POINT
    n = np.array(ALONG) / 3
    distances = np.linalg.norm(arms - np.outer(arms @ n, n), axis=1)
    found = Line.through(POINT, ALONG).of(MassProperties.from_point_masses(masses, points))
    # a dozen roundings of sums of six terms
    assert found.moment == pytest.approx((masses * distances**2).sum(), rel=1e-14)
    assert found.radius == pytest.approx(math.sqrt((masses * distances**2).sum() / masses.sum()), rel=1e-14)
    assert (found.moment_error, found.radius_error) == (None, None)
    hole = Line.through(POINT, ALONG).of(-MassProperties.from_point_masses(masses, points))
    assert (hole.moment, hole.radius) == (-found.moment, found.radius)


@each("scale", [1e-300, 1e-5, 1e300])
def test_the_length_of_the_direction_does_not_matter(scale) -> None:
    turned = Line.through(POINT, np.array(ALONG) * scale)
    assert turned.direction == pytest.approx(np.array(ALONG) / 3, rel=1e-15)


def test_compute_prints_it_in_every_format_for_numbers(tmp_path: Path) -> None:
    part = write_ascii_stl(tmp_path / "part.stl", tetrahedron())
    args = ("compute", part, "--density", "100", "--axis", "1m -2m 50cm 0 0 -3", "--about", "1,-2,0.5")
    found = valid(run(*args, "-f", "json").out)
    inertia, mass = found["inertia"], found["mass"]
    line = inertia["about_axis"]
    assert line["point"] == [1.0, -2.0, 0.5]
    assert line["direction"] == [0.0, 0.0, -1.0]
    # ρ ∫ (x − 1)² + (y + 2)², from exact integrals about the origin
    exact = exact_moments(tetrahedron())
    (x, y, _), s, v = exact.first, exact.second, exact.measure
    assert line["moment"] == pytest.approx(float(100 * (s[0][0] - 2 * x + v + s[1][1] + 4 * y + 4 * v)), rel=1e-13)
    assert line["moment"] == pytest.approx(inertia["tensor"][2][2], rel=1e-14)
    assert line["radius_of_gyration"] == pytest.approx(math.sqrt(line["moment"] / mass), rel=1e-14)
    off = found["uncertainty"]
    assert 0 < line["bound"]["moment"] < 1e-5 * line["moment"]
    assert off["sigma"] is None
    assert line["sigma"] == {"moment": 0.0, "radius_of_gyration": 0.0}
    (row,) = csv.DictReader(io.StringIO(run(*args[:-2], "-f", "csv").out))
    assert float(row["axis inertia [kg m2]"]) == line["moment"]
    assert float(row["axis radius of gyration [m]"]) == line["radius_of_gyration"]
    assert "Inertia about the line (1, -2, 0.5) m + t (0, 0, -1) [" in run(*args).out
    assert "Inertia / density about the line (1, -2, 0.5) m" in run("compute", part, *args[4:]).out
    assert valid(run("compute", part, *args[4:], "-f", "json").out)["inertia"] is None


@each(
    "axis, said",
    [
        ("0 0 0 0 0 0", "the direction of the axis must not be zero"),
        ("0 0 nan 0 0 1", "--axis 'nan' does not begin with a finite number"),
        ("0 0 0 0 0 1mm", "direction of --axis '1mm' is not a plain number"),
        ("0 0 1kg 0 0 1", "expected a length, got a mass"),
        ("0 0 1", "has 3 values, and a line needs 6"),
    ],
)
def test_what_is_no_line_is_a_usage_error(axis, said) -> None:
    failed = run("compute", "none.stl", "--axis", axis)
    assert (failed.returncode, failed.out) == (2, "")
    assert said in failed.err


def test_what_has_no_axis_says_so(tmp_path: Path) -> None:
    flat = tmp_path / "square.csv"
    flat.write_text("0,0\n1,0\n1,1\n0,1\n")
    assert (
        "this is a section without a thickness or an area density" in run("compute", flat, "--axis", "0 0 0 0 0 1").err
    )
    solid = valid(run("compute", flat, "--thickness", "6", "-d", "2", "--axis", "0 0 0 0 0 1", "-f", "json").out)
    # ∫∫ 2 · 6 · (x² + y²) over the unit square
    assert solid["inertia"]["about_axis"]["moment"] == pytest.approx(12 * 2 / 3, rel=1e-14)
    several = run("compute", "x.stl", "y.stl", "--axis", "0 0 0 0 0 1")
    assert "--axis is for one body, and there are 2; give one file" in several.err
    with pytest.raises(InvalidInput, match="not a finite number"):
        Line.through([1e200, 0, 0], [0, 0, 1]).of(MassProperties(1, [0, 0, 0], np.eye(3)))

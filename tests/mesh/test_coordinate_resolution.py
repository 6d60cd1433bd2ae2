"""How far coordinates may be off for having been rounded: never less than they are, and not much more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import moved, rotated

from massprops.formats.mesh.arrays import from_soup
from massprops.formats.registry import open_mesh
from massprops.mesh.coordinate_resolution import of_binary, of_text, resolution

EPSILON = 2.0**-53

#: How programs write numbers: name → text of a double, and half of the unit at a number of size x (in [10^m, 10^(m + 1))).
WRITERS: dict[str, tuple[Callable[[float], str], Callable[[int], float]]] = {
    **{f"%.{n}f": ((lambda x, n=n: f"{x:.{n}f}"), (lambda _, n=n: 0.5 * 10.0**-n)) for n in (3, 4, 6, 9)},
    **{f"%.{n}g": ((lambda x, n=n: f"{x:.{n}g}"), (lambda m, n=n: 0.5 * 10.0 ** (m + 1 - n))) for n in (6, 7, 10, 15)},
    **{f"%.{n}e": ((lambda x, n=n: f"{x:.{n}e}"), (lambda m, n=n: 0.5 * 10.0 ** (m - n))) for n in (5, 6, 8)},
    "repr": (repr, lambda m: 0.5 * 10.0 ** (m - 16)),
}
seeds = st.integers(0, 2**32 - 1)
each_writer = pytest.mark.parametrize("name", WRITERS)


def written(points, text: Callable[[float], str]) -> np.ndarray:
    """What a reader hands on of the points that a program wrote."""
    return np.array([float(text(x)) for x in np.ravel(points).tolist()]).reshape(np.shape(points))


def size(points) -> float:
    return float(np.abs(points).max())


def decade(points) -> int:
    return int(np.floor(np.log10(size(points))))


@each_writer
@given(seeds, st.integers(20, 100), st.sampled_from([0.03, 0.7, 1, 40, 999]), st.sampled_from([0, 1, 3000]))
def test_text_is_off_by_no_more_than_it_is_said_to_be(name, seed, facets, width, sizes):
    text, half_unit = WRITERS[name]
    points = width * (np.random.default_rng(seed).uniform(-1, 1, (facets, 3, 3)) + sizes)
    given = written(points, text)
    found = of_text(given, size(given))
    # a thousandth of the unit for the doubles that stand for the decimals
    assert np.abs(given - points).max() <= found.half_unit * 1.001
    # ten times too careful where the largest decade holds hardly any number, and the roundings of a double
    assert found.half_unit <= 10.01 * half_unit(decade(given)) + 2 * EPSILON * size(given)
    assert found.kind == "decimal"


@each_writer
def test_a_well_filled_decade_tells_the_unit_itself(name):
    text, half_unit = WRITERS[name]
    given = written(np.random.default_rng(1).uniform(1, 9, (300, 3, 3)), text)
    expected = half_unit(0) + np.spacing(size(given)) / 2
    if name == "repr":  # the shortest decimal may have a digit less than 17
        assert expected <= of_text(given, size(given)).half_unit <= 2 * expected
        return
    assert of_text(given, size(given)).half_unit == pytest.approx(expected, rel=1e-12)


def test_the_largest_coordinate_may_lie_outside_the_sample():
    # six significant digits: 3.14159 at one, 314.159 at a hundred
    given = written(np.random.default_rng(1).uniform(1, 9, (300, 3, 3)), "{:.6g}".format)
    assert of_text(given, 500.0).half_unit == pytest.approx(0.5e-3, rel=1e-6)


@pytest.mark.parametrize("text", ["{:.9g}".format, "{:.8e}".format, lambda x: str(np.float32(x)), "{:.9f}".format])
def test_digits_that_were_printed_from_single_precision_are_no_better_than_that(text):
    points = moved(rotated(oracles.bumpy_torus(12, 8)), (8, -5, 3))
    given = written(points.astype(np.float32), text)
    found = of_text(given, size(given))
    assert found.kind == "decimal of float32"
    # half a unit of single precision at numbers from 8 to 16 is 2⁻²¹; once lost, once more perhaps in printing
    assert np.abs(given - points).max() <= found.half_unit == 2 * 2**-21


def test_doubles_with_nine_digits_are_not_taken_for_single_precision():
    given = written(np.random.default_rng(1).uniform(1, 9, (300, 3, 3)), "{:.9g}".format)
    assert of_text(given, size(given)).kind == "decimal"


@pytest.mark.parametrize("triangles", [oracles.tetrahedron(), oracles.polycube([(0, 0, 0), (1, 0, 0)])[0] * 500])
def test_whole_numbers_are_exact(triangles):
    found = of_text(triangles, size(triangles))
    assert (found.half_unit, found.kind) == (0.0, "integer")


@pytest.mark.parametrize(
    ("upper", "half_unit"), [((0.5, 0.5, 0.5), 0.5e-6), ((12.7, 25.4, 3.175), 0.5e-4), ((0.7623456789, 1, 1), 0.5e-9)]
)
def test_dimensions_of_a_box_are_chosen_with_six_digits_at_least(upper, half_unit):
    box = oracles.box((0, 0, 0), upper)
    found = of_text(box, size(box))
    assert found.half_unit == pytest.approx(half_unit, rel=1e-6)
    assert found.kind == ("decimal" if half_unit == 0.5e-9 else "chosen")


def test_long_whole_numbers_may_be_what_is_left_of_others():
    # %g: 1234567.8 becomes 1.23457e+06, and 123456.7 becomes 123457
    for width in (1e5, 1e6, 1e9):
        points = width * np.random.default_rng(1).uniform(1, 9, (300, 3, 3))
        given = written(points, "{:.6g}".format)
        assert np.abs(given - points).max() <= of_text(given, size(given)).half_unit <= 0.51e-5 * width


def test_nothing_but_zeros():
    assert of_text(np.zeros((1, 3, 3)), 0.0).half_unit == 0.0


def test_numbers_beyond_single_precision_are_read():
    given = written(np.random.default_rng(1).uniform(1, 9, (300, 3, 3)) * 1e40, "{:.9g}".format)
    assert of_text(given, size(given)).half_unit == pytest.approx(0.5e32, rel=1e-6)


@given(seeds, st.floats(1e-30, 1e30))
def test_single_precision_is_off_by_half_a_unit_at_most(seed, width):
    points = width * np.random.default_rng(seed).uniform(-1, 1, (20, 3, 3))
    single = points.astype(np.float32)
    found = of_binary(single, size(single))
    assert np.abs(single - points).max() <= found.half_unit <= 2.0**-24 * size(single)
    assert found == of_binary(single.astype(np.float64), size(single))  # doubles that were single once


def test_doubles_are_off_by_half_a_unit_of_double_precision():
    points = np.random.default_rng(1).uniform(1, 2, (20, 3, 3))
    assert (of_binary(points, 1.5).half_unit, of_binary(points, 1.5).kind) == (2.0**-53, "float64")
    # short numbers are single-precision numbers too, and tell nothing
    assert of_binary(oracles.box((0, 0, 0), (0.5, 1, 3)), 3.0).kind == "float64"


def obj(points) -> str:
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in points.reshape(-1, 3).tolist()]
    return "\n".join([*lines, *(f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(len(points)))]) + "\n"


def test_text_files_are_told_from_binary_ones(tmp_path: Path):
    points = rotated(oracles.bumpy_torus(12, 8))
    path = tmp_path / "torus.obj"
    path.write_text(obj(points))
    with open_mesh(path) as mesh:
        given = np.concatenate(list(mesh.chunks()))
        found = resolution(mesh, size(given))
    assert np.abs(given - points).max() <= found.half_unit * 1.001 <= 5.01e-6
    assert resolution(from_soup(points.astype(np.float32)), size(points)).kind == "float32"

"""The sample meshes: made again, answered exactly, and measured by the program."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from cases import each, raised
from oracles import (
    ExactMoments,
    exact_body,
    exact_moments,
    extruded_moments,
    floats,
    lee_polygon_moments,
    polycube,
)
from places import ROOT, script

import massprops

FOLDER = ROOT / "sample_meshes"
UNITS = {"m": Fraction(1), "mm": Fraction(1, 1000)}


make_samples = script(FOLDER / "make_samples.py")
SAMPLES = {sample.name: sample for sample in make_samples.SAMPLES}
FILES = {name: sample for sample in SAMPLES.values() for name in sample.files}
MEASURED = {name: sample for name, sample in FILES.items() if not sample.refused}
each_file = pytest.mark.parametrize("name", FILES)


# --- the files -------------------------------------------------------------------------------------------------------


def test_the_script_makes_the_same_bytes_again(tmp_path):
    make_samples.main(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    committed = {name: (FOLDER / name).read_bytes() for name in made}
    assert made == committed
    assert made.keys() == {*FILES, "README.md"}


def test_no_sample_is_left_over_from_an_earlier_script():
    meshes = {path.name for path in FOLDER.iterdir() if path.suffix in {".stl", ".obj", ".ply"}}
    assert meshes == set(FILES)


@each_file
def test_samples_stay_small(name):
    assert (FOLDER / name).stat().st_size < 100_000


def _flipped_edges(sample) -> int:
    """Edges that the first three facets do not share among themselves: each is traversed twice one way."""
    edges = [frozenset(edge) for t in sample.triangles[:3] for edge in pairwise([*t, t[0]])]
    return sum(edges.count(edge) == 1 for edge in edges)


def test_the_bracket_is_its_sections_times_their_heights():
    # Floor plan less holes, layer by layer: an answer that knows nothing of the triangles.
    scale = make_samples.GRID
    plain, narrow, wide = (
        [(Fraction(x, scale), Fraction(y, scale)) for x, y in ring]
        for ring in (make_samples.PLAIN, make_samples.NARROW, make_samples.WIDE)
    )
    base, wall = [(0, 0), (80, 0), (80, 40), (0, 40)], [(0, 0), (8, 0), (8, 40), (0, 40)]

    def layer(bottom: int, top: int, outline: list, *holes: list) -> ExactMoments:
        return extruded_moments(lee_polygon_moments(outline, *(hole[::-1] for hole in holes)), bottom, top)

    layers = layer(0, 5, base, plain, narrow) + layer(5, 8, base, plain, wide) + layer(8, 20, wall)
    assert exact_moments(SAMPLES["bracket"].triangles) == layers


def test_the_union_of_the_overlapping_boxes_is_two_smaller_than_their_sum():
    # README.md promises 60 and 58: counted here in unit cubes.
    def cells(lower: tuple, upper: tuple) -> set:
        x, y, z = (range(a, b) for a, b in zip(lower, upper, strict=True))
        return {(i, j, k) for i in x for j in y for k in z}

    one, other = cells((0, 0, 0), (4, 3, 2)), cells((3, 1, 1), (6, 4, 5))
    assert exact_moments(SAMPLES["overlapping_boxes"].triangles) == polycube(one)[1] + polycube(other)[1]
    assert (len(one) + len(other), len(one | other)) == (60, 58)


# --- README.md -------------------------------------------------------------------------------------------------------


def readme_tables() -> dict[str, dict[str, list[str]]]:
    """Sample → quantity → its two columns."""
    sections = re.split(r"^### ", (FOLDER / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    rows = re.compile(r"^\| (\w+) \| (\S*) ?\| (\S+) \|$", re.MULTILINE)
    return {section.split()[0]: {q: [exact, si] for q, exact, si in rows.findall(section)} for section in sections}


@each("name", MEASURED)
def test_the_tables_hold_the_exact_answer_of_every_file(name):
    sample = FILES[name]
    body, unit = exact_body(sample.triangles), UNITS[sample.unit]
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    values = (body.volume, *body.centroid, xx, yy, zz, xy, xz, yz)
    exact = dict(zip(make_samples.QUANTITIES, values, strict=True))
    power = {"V": 3, "C": 1, "I": 5}
    density = {"V": 1, "C": 1, "I": sample.density}
    si = {q: float(value * unit ** power[q[0]] * density[q[0]]) for q, value in exact.items()}
    table = readme_tables()[sample.name]
    assert {q: Fraction(columns[0]) for q, columns in table.items() if q != "m"} == exact
    assert {q: float(columns[1]) for q, columns in table.items()} == si | {
        "m": float(body.volume * unit**3 * sample.density)
    }


def test_there_is_a_table_for_every_sample_that_is_measured():
    assert set(readme_tables()) == {sample.name for sample in MEASURED.values()}


# --- the program -----------------------------------------------------------------------------------------------------


def surface_area(triangles: list) -> float:
    """Half the lengths of the exact cross products, added exactly: only the square roots round."""
    lengths = []
    for triangle in triangles:
        a, b, c = (np.array([Fraction(x) for x in point], dtype=object) for point in triangle)
        normal = np.cross(b - a, c - a)
        lengths.append(float(normal @ normal) ** 0.5)
    return float(sum(map(Fraction, lengths)) / 2)


def _tolerance(name: str) -> float:
    # The tetrahedron's coordinates are small integers: products and sums of few terms, hardly a rounding. Far away the
    # file's numbers are still exact; only coordinates of 1.6e7 instead of 10 can cost digits. The others are sums of
    # up to 300 terms, in a unit that is not a power of two.
    return {"tetrahedron": 1e-14, "far_tetrahedron": 1e-12}.get(FILES[name].name, 1e-13)


@each("name", MEASURED)
def test_samples_measure_as_the_exact_oracle_says(name):
    sample, unit, tolerance = FILES[name], float(UNITS[FILES[name].unit]), _tolerance(name)
    body = exact_body(sample.triangles)
    policy = {"on_overlap": "count"} if sample.overlaps else {}
    measured = massprops.measure(FOLDER / name, density=sample.density, units=sample.unit, **policy)
    assert measured.volume == pytest.approx(float(body.volume) * unit**3, rel=tolerance)
    assert measured.mass == pytest.approx(float(body.volume) * unit**3 * sample.density, rel=tolerance)
    assert measured.area == pytest.approx(surface_area(sample.triangles) * unit**2, rel=tolerance)
    assert measured.center_of_mass == pytest.approx(floats(body.centroid) * unit, rel=tolerance)
    # The tetrahedra have no small entry: there each is held to the tolerance by itself.
    inertia = floats(body.inertia) * unit**5 * sample.density
    entry = np.abs(inertia) if "tetrahedron" in name else np.abs(inertia).max()
    assert (np.abs(measured.inertia - inertia) / entry).max() <= tolerance


@each("name", [name for name in MEASURED if not FILES[name].overlaps])
def test_samples_that_are_measured_are_proved(name):
    measured = massprops.measure(FOLDER / name, units=FILES[name].unit)
    # four kilometres away its coordinates are rounded to half a metre in single precision: more than its volume
    grade = "estimated" if name.startswith("far_") else "proved"
    assert (measured.method, measured.grade) == ("exact", grade)
    errors = [finding.code for finding in measured.findings if finding.severity == "error"]
    assert errors == (["uncertain-volume"] if name.startswith("far_") else [])


@pytest.mark.parametrize("name", [name for name in FILES if FILES[name].overlaps])
def test_the_overlap_is_refused_unless_a_policy_is_named(name):
    refusal = raised(massprops.InvalidGeometry, massprops.measure, FOLDER / name, repair="none")
    assert (refusal.exit_code, refusal.code) == (4, "overlapping-bodies")
    x, y, z = refusal.findings[0].where
    assert 3 < x < 4
    assert 1 < y < 3
    assert 1 < z < 2
    assert massprops.measure(FOLDER / name, on_overlap="count").grade == "closed"
    repaired = massprops.measure(FOLDER / name)  # two boxes of 24 and 36 m³ that share 2
    assert (repaired.grade, repaired.volume) == ("repaired", pytest.approx(58, rel=1e-6))


@each("name", [name for name in FILES if FILES[name].refused])
def test_broken_samples_are_refused_for_the_reason_that_readme_gives(name):
    sample = FILES[name]
    code, count = {
        "open_bracket": ("open-edges", 3),
        "inverted_bracket": ("inverted-surface", -7198159 / 256 * 1e-9),
        "flipped_bracket": ("inconsistent-winding", _flipped_edges(sample)),
    }[sample.name]
    refusal = raised(
        massprops.InvalidGeometry, massprops.measure, FOLDER / name, density=sample.density, units="mm", repair="none"
    )
    assert (refusal.exit_code, refusal.code) == (4, code)
    found = [(f.code, f.severity) for f in refusal.findings if f.code != "repairable"]
    assert found == [(code, "error")]
    assert refusal.findings[0].value == pytest.approx(count, rel=1e-13)  # a count, or the bracket's volume
    assert str(refusal).startswith(f"{FOLDER / name}: {code}: ")


@pytest.mark.parametrize(
    ("name", "step"), [("open_bracket", "fill"), ("inverted_bracket", "turn"), ("flipped_bracket", "flip")]
)
def test_broken_samples_are_repaired_to_the_bracket_unless_that_is_refused(name, step):
    # each has the facets of the bracket but for one missing flat triangle or their order
    bracket = massprops.measure(FOLDER / "bracket.stl", density=2700, units="mm")
    repaired = massprops.measure(FOLDER / f"{name}.stl", density=2700, units="mm")
    assert (repaired.grade, [r.step for r in repaired.repairs]) == ("repaired", [step])
    assert [f.severity for f in repaired.findings] == ["warning"]
    assert repaired.volume == pytest.approx(bracket.volume, rel=1e-13)
    assert repaired.inertia == pytest.approx(bracket.inertia, rel=0, abs=1e-13 * np.abs(bracket.inertia).max())

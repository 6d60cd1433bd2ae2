"""The table of quantities: the schema of results has the place of every number, and results have the numbers and their ± there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from console import SCHEMA
from numpy.testing import assert_allclose
from oracles import tetrahedron

import massprops
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.quantities import QUANTITIES, SECTION, Quantity, QuantityDefinition
from massprops.rigid_body.line import Line

SAMPLES = Path(__file__).parents[2] / "sample_meshes"
ALL = (*SECTION, *QUANTITIES.values())
#: No two of its numbers are equal, and none is zero.
ANGLE = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 6.0], [0.0, 6.0]]


def choices(kind: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema, or those that it refers to or leaves open."""
    inner = [SCHEMA["$defs"][kind["$ref"].rpartition("/")[2]]] if "$ref" in kind else kind.get("oneOf")
    return [kind] if inner is None else [c for one in inner for c in choices(one)]


@pytest.mark.parametrize("q", ALL, ids=lambda q: q.title)
def test_the_schema_has_the_place_of_every_number(q: QuantityDefinition) -> None:
    for keys in q.keys.values():
        found = choices({"$ref": "#/$defs/result"})
        for key in keys:
            inner = [k.get("items") if isinstance(key, int) else k.get("properties", {}).get(key) for k in found]
            found = [c for kind in inner if kind for c in choices(kind)]
        assert any("number" in kind["type"] for kind in found), keys


def test_results_have_every_number_and_its_error() -> None:
    solid = massprops.measure(tetrahedron(), density=7.0).to_dict(axis=Line.through([1, 2, 3], [0, 1, 1]))
    section = massprops.measure(ANGLE).to_dict(about=[1, 2])
    for q in ALL:
        result = section if "section" in q.path + q.error else solid
        if "torsion" not in q.path:  # needs an extra
            assert all(isinstance(x, float) for x in q.numbers(result) or [None]), q
            assert (
                not q.error or q.path == "section.principal.angle" or all(x >= 0 for x in q.errors(result) or [-1])
            ), q
        assert q.numbers({}) is None
        assert q.errors({}) is None


def test_each_number_of_a_quantity_has_a_name() -> None:
    for q in ALL:
        assert len(q.names.split()) in (0, len(q.components)), q
    assert [q.unit for q in map(QUANTITIES.get, ("mass", "density", "inertia.tensor")) if q] == ["kg", "kg/m³", "kg m²"]


def test_an_error_is_shown_where_it_reaches_the_last_digit_that_is_shown() -> None:
    units = OutputUnits()
    area = Quantity("", (0, 2), [28.4841], [6.7e-12])
    assert area.errors(units) == ""
    assert area.errors(units, everything=True) == "± 6.7e-12"
    assert replace(area, off=[5e-5]).errors(units) == "± 0.00005"
    assert replace(area, off=[4.9e-5]).errors(units) == ""
    assert replace(area, off=[4.9e-5]).errors(OutputUnits(digits=7)) == "± 0.000049"
    assert replace(area, sigma=[0.5]).errors(units) == "± 6.7e-12 σ 0.5"
    centre = Quantity("", (0, 1), [1e-17, 2.0, 0.0], [1e-16] * 3)  # zeros have no digits: those of the largest count
    assert centre.errors(units) == ""
    assert replace(centre, off=[1e-5, 0, 0]).errors(units) == "± 0.00001"


@pytest.mark.parametrize("output", ["m,kg", "in,lb", "mm,g"])
def test_what_is_shown_holds_what_is_known(output: str) -> None:
    """Number ± bound, as they are printed, contain the whole interval that they stand for, and little more than the rounding of both."""
    units, random = OutputUnits().chosen(output), np.random.default_rng(3)
    for _ in range(300):
        values = (random.normal(size=3) * 10.0 ** random.integers(-6, 6)).tolist()
        off = [abs(v) * 10.0 ** random.uniform(-7, 0) for v in values]
        q = Quantity("", (1, 2), values, off)
        for i, (n, v, d) in enumerate(zip(q.numbers(units), values, off, strict=True)):
            if said := q.errors(units, i):
                bound, gap = float(said.removeprefix("± ")), abs(units.of(v, (1, 2)) - float(n))
                least = units.of(d, (1, 2)) + gap
                assert least * (1 - 1e-8) <= bound < 1.1 * least, (n, said, v, d)


@pytest.mark.parametrize("kind", ["repaired", "wall", "extruded"])
def test_without_a_density_the_inertia_has_the_bounds_that_a_density_of_one_gives(tmp_path: Path, kind: str) -> None:
    """Inertia / density is no more certain than inertia."""
    square = tmp_path / "a.csv"
    square.write_text("x,y\n0,0\n4,0\n4,3\n0,3\n")
    source, given = {
        "repaired": (str(SAMPLES / "open_bracket.stl"), {"repair": "full"}),
        "wall": (str(SAMPLES / "bracket.stl"), {"kind": "wall", "thickness": "1 +- 0.2"}),
        "extruded": (str(square), {"thickness": "2 +- 10 %"}),
    }[kind]
    bare, full = (massprops.measure(source, units="mm", **given, **more) for more in ({}, {"density": 1.0}))
    assert bare.uncertainty.inertia is None
    found, expected = bare.unit_density_properties.uncertainty, full.properties.uncertainty
    assert_allclose(found.inertia.bound, expected.inertia.bound, rtol=1e-9)
    assert found.inertia.bound.max() > 1e-7 * bare.unit_density_properties.inertia.max()

"""Torsion by finite elements against closed forms: the ± of two meshes has to hold the truth."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import jsonschema
import numpy as np
import pytest
import shapely

import massprops
from massprops.errors import InvalidInput
from massprops.section import torsion
from massprops.section.assemble import assemble
from massprops.section.curves import Curve, EllipticArc, Polyline
from massprops.section.properties import Section
from massprops.section.rings import PlanarSource, Ring
from tests.console import SCHEMA

pytest.importorskip("sectionproperties")

BOX = [[0, 0], [2, 0], [2, 1], [0, 1]]


def section(*curves: Curve) -> Section:
    source = PlanarSource("curves", "test", "ascii", [Ring(curves, "ring")])
    return assemble(source, source.rings, 1.0, "evenodd").section


def test_a_triangle() -> None:
    """J of an equilateral triangle is a⁴ √3 / 80 (Roark's Formulas, 10.1), about the centroid."""
    corners = np.array([[-0.5, -math.sqrt(3) / 6], [0.5, -math.sqrt(3) / 6], [0, math.sqrt(3) / 3]]) * 0.02 + [7, 3]
    found = massprops.measure(corners, torsion=True)
    t = found.section.torsion
    assert abs(t.constant - 0.02**4 * math.sqrt(3) / 80) <= t.constant_error <= 1e-3 * t.constant
    assert np.abs(t.shear_center - [7, 3]).max() <= 1e-5 * 0.02
    jsonschema.validate(found.to_dict(), SCHEMA)
    assert json.loads(json.dumps(found.to_dict()))["section"]["torsion"]["constant"] == t.constant


def test_a_curve_is_refined_with_the_mesh() -> None:
    """Of a half circle: (π/2 − 4/π) r⁴, and without lateral contraction 8 r / (5 π) (Timoshenko and Goodier, Theory of Elasticity)."""
    half = section(EllipticArc.circular((0, 0), 1.0, 0.0, math.pi), Polyline([[-1, 0], [1, 0]]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torsion, "AGREEMENT", 0.02)  # two coarse meshes are enough, and the ± says so
        t = torsion.torsion_of(half, "half circle")
    assert abs(t.constant - (math.pi / 2 - 4 / math.pi)) <= t.constant_error <= 0.02 * t.constant
    assert abs(t.shear_center[0]) <= 1e-5
    assert abs(t.shear_center[1] - 8 / (5 * math.pi)) <= t.shear_center_error[1] <= 0.02


def test_a_chord_tolerance_is_part_of_the_error() -> None:
    """J of a rectangle grown by the tolerance on all sides, by the series of Timoshenko and Goodier, is within the ±, and near its end."""

    def constant(a: float, b: float) -> float:
        series = sum(math.tanh(n * math.pi * a / 2 / b) / n**5 for n in range(1, 99, 2))
        return a * b**3 * (1 / 3 - 64 / math.pi**5 * b / a * series)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torsion, "AGREEMENT", 0.02)
        t = massprops.measure(BOX, chord_tolerance=0.01, torsion=True).section.torsion
    grown = constant(2.02, 1.02) - constant(2, 1)
    assert grown <= t.constant_error <= 1.2 * grown
    assert abs(t.constant - constant(2, 1)) <= 0.02 * t.constant


def test_what_has_no_torsion_constant_is_refused(tmp_path: Any) -> None:
    pieces = shapely.MultiPolygon([shapely.box(0, 0, 1, 1), shapely.box(2, 0, 3, 1)])
    crossing = []
    for k in (0, 1):
        crossing.append(tmp_path / f"part{k}.csv")
        crossing[-1].write_text("\n".join(f"{x + k},{y}" for x, y in BOX))
    touching = shapely.Polygon([(0, 0), (10, 0), (10, 20), (0, 20)], [[(0, 2), (8, 2), (8, 18), (2, 18)]])
    refused: dict[str, Callable[[], object]] = {
        "the equations of torsion have no solution": lambda: massprops.measure(touching, torsion=True),
        "would need more than 1,000,002 elements": lambda: massprops.measure(shapely.box(0, 0, 1e6, 1), torsion=True),
        "this section has 2; measure each piece alone": lambda: massprops.measure(pieces, torsion=True),
        "neither overlap nor touch themselves": lambda: massprops.measure(crossing, units="m", torsion=True),
        "one material, and the parts have ratios": lambda: massprops.measure(
            crossing, units="m", ratios={str(crossing[0]): 2.0}, torsion=True
        ),
        "is for plane files, and this is a mesh": lambda: massprops.measure(np.zeros((4, 3, 3)), torsion=True),
    }
    for message, measured in refused.items():
        with pytest.raises(InvalidInput, match=message):
            measured()

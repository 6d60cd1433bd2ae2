"""What the tests of the plane readers share: text in, rings out; areas without the program's own integrals."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pytest

from massprops.errors import ReadError
from massprops.formats import load
from massprops.formats.table import PLANAR
from massprops.mesh.source import InputFile
from massprops.section.rings import PlanarSource, Request, Ring


def read(text: str | bytes, name: str, **request) -> PlanarSource:
    """Through the registry, as a file of that name would be."""
    data = text if isinstance(text, bytes) else text.encode()
    reader = load(PLANAR["." + name.rpartition(".")[2]].reader)
    return reader(InputFile(name, io.BytesIO(data), len(data)), Request(**request))


def refusal(text: str | bytes, name: str, **request) -> str:
    with pytest.raises(ReadError) as caught:
        read(text, name, **request)
    assert caught.value.exit_code == 3
    assert "\n" not in str(caught.value)
    return str(caught.value)


def points(ring: Ring) -> list[list[float]]:
    """Of a ring that is a list of points."""
    (curve,) = ring.curves
    return curve.points.tolist()


def codes(source: PlanarSource) -> list[str]:
    return [finding.code for finding in source.findings]


def area(ring: Ring, steps: int = 2000) -> float:
    """Signed area from points on each curve, joined by parabolas: ½ ∮ x dy − y dx, closed by a straight edge.

    Archimedes: between a parabola and its chord lie 4/3 of the triangle with the point in the middle. The error falls with the
    fourth power of the step: at 2000 steps it is far below the rounding of the sum, 1e-13 of the size.
    """
    total, origin = 0.0, np.array(ring.curves[0].start)
    for curve in ring.curves:
        if hasattr(curve, "points"):
            p = curve.points - origin
            total += cross(p[:-1], p[1:]).sum() / 2
        else:
            p = sampled(curve, steps) - origin
            a, m, b = p[:-2:2], p[1:-1:2], p[2::2]
            total += (cross(a, b) / 2 + 4 / 3 * cross(m - a, b - a) / 2).sum()
    return float(total)


def sampled(curve, steps: int) -> np.ndarray:
    """Points of an arc or a Bézier curve at equal steps of its parameter, from its defining formula."""
    t = np.linspace(0, 1, 2 * steps + 1)[:, None]
    if hasattr(curve, "sweep"):
        angle = curve.begin + curve.sweep * t
        return curve.center + curve.a * np.cos(angle) + curve.b * np.sin(angle)
    weights = np.ones(len(curve.control)) if curve.weights is None else curve.weights
    layers = [np.append(w * c, w) * np.ones((len(t), 1)) for c, w in zip(curve.control, weights, strict=True)]
    while len(layers) > 1:  # de Casteljau, in homogeneous coordinates
        layers = [(1 - t) * one + t * two for one, two in itertools.pairwise(layers)]
    return layers[0][:, :2] / layers[0][:, 2:]


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]

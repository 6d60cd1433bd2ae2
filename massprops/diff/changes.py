"""Numbers of two bodies side by side, each difference judged against a tolerance and against both uncertainties."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from massprops.diff.subjects import Side
from massprops.moments.arrays import length, product
from massprops.rigid_body.principal import Principal
from massprops.values import json_object

#: `equal`: the same number; `within`: the tolerance; `resolution`: more than the tolerance, and no more than both files are exact to.
Verdict = Literal["equal", "within", "resolution", "beyond"]
VERDICTS: tuple[Verdict, ...] = ("equal", "within", "resolution", "beyond")

#: Coordinates in single precision are good to 6e-8 of their size, and moments of a body to some of that.
RTOL = 1e-6


@dataclass(frozen=True)
class Tolerances:
    """What may differ.

    Attributes
    ----------
    relative : float
        Of a number; for coordinates, of the body's size.
    length : float
        m, for coordinates.
    mass : float
        kg.
    angle : float
        rad, for principal axes.
    """

    relative: float = RTOL
    length: float = 0.0
    mass: float = 0.0
    angle: float = 0.0


@dataclass(frozen=True)
class Change:
    """One number before and after, SI; angles in degrees.

    Attributes
    ----------
    name : str
        As the JSON result has it: ``volume``, ``center_of_mass.x``, ``principal.moments.1``, ``principal.axes``.
    unit : str
    before, after : float or None
        None for an angle between the two.
    difference : float
        After less before.
    scale : float
        What relative differences refer to.
    limit, uncertainty : float
        The tolerance, and how far both numbers together can be off.
    """

    name: str
    unit: str
    before: float | None
    after: float | None
    difference: float
    scale: float
    limit: float
    uncertainty: float

    @property
    def relative(self) -> float | None:
        """The difference over the scale; None where that is zero."""
        return self.difference / self.scale if self.scale else None

    @property
    def verdict(self) -> Verdict:
        """The best that can be said of the difference."""
        size = abs(self.difference)
        if size == 0:
            return "equal"
        if size <= self.limit:
            return "within"
        return "resolution" if size <= self.uncertainty else "beyond"

    def to_dict(self) -> dict[str, object]:
        """As the JSON schema spells it."""
        return json_object(self, "name unit before after difference relative limit uncertainty verdict")


def changes(before: Side, after: Side, tolerances: Tolerances = Tolerances()) -> list[Change]:  # frozen
    """All numbers that both sides know; what one of them does not know is not compared."""
    return [change for part in (_scalars, _coordinates, _inertia) for change in part(before, after, tolerances)]


def not_compared(before: Side, after: Side) -> list[str]:
    """Names of what only one side knows."""
    kinds = {"volume": "volume", "area": "area", "mass": "mass", "center_of_mass": "center", "bounds": "bounds"}
    return [n for n, field in kinds.items() if (getattr(before, field) is None) != (getattr(after, field) is None)]


def _scalars(before: Side, after: Side, tolerances: Tolerances) -> Iterator[Change]:
    floors = {"volume": ("m³", 0.0), "area": ("m²", 0.0), "mass": ("kg", tolerances.mass)}
    for name, (unit, floor) in floors.items():
        a, b = getattr(before, name), getattr(after, name)
        if a is not None and b is not None:
            off = getattr(before.off, name) + getattr(after.off, name)
            limit = max(tolerances.relative * max(abs(a), abs(b)), floor)
            yield Change(name, unit, a, b, b - a, abs(a), limit, off)


def _coordinates(before: Side, after: Side, tolerances: Tolerances) -> Iterator[Change]:
    size = before.size
    limit = max(tolerances.relative * max(size, after.size), tolerances.length)
    if before.center is not None and after.center is not None:
        off = before.off.center + after.off.center
        for x, a, b in zip("xyz", before.center.tolist(), after.center.tolist(), strict=True):
            yield Change(f"center_of_mass.{x}", "m", a, b, b - a, size, limit, off)
    if before.bounds is not None and after.bounds is not None:
        off = before.off.surface + after.off.surface
        for end, low, high in zip(("min", "max"), before.bounds.tolist(), after.bounds.tolist(), strict=True):
            for x, a, b in zip("xyz", low, high, strict=True):
                yield Change(f"bounds.{end}.{x}", "m", a, b, b - a, size, limit, off)


def _inertia(before: Side, after: Side, tolerances: Tolerances) -> Iterator[Change]:
    pair = _pair(before, after)
    if pair is None:
        return
    (a, off_a), (b, off_b), unit = pair
    largest = float(max(np.abs(a.moments).max(), np.abs(b.moments).max()))
    for i, (x, y) in enumerate(zip(a.moments.tolist(), b.moments.tolist(), strict=True), 1):
        limit = tolerances.relative * largest
        yield Change(f"principal.moments.{i}", unit, x, y, y - x, abs(x), limit, off_a + off_b)
    turned = turned_by(a, b)
    if turned is not None:
        limit = sum(axis_blur(p, tolerances.relative * float(np.abs(p.moments).max())) for p in (a, b))
        radians = turned, math.pi, max(limit, tolerances.angle), axis_blur(a, off_a) + axis_blur(b, off_b)
        yield Change("principal.axes", "°", None, None, *map(math.degrees, radians))


def _pair(before: Side, after: Side) -> tuple[tuple[Principal, float], tuple[Principal, float], str] | None:
    """The principal moments that can be compared, and how far each are off: of mass, or where a mass is missing of the geometry."""
    if before.body is not None and after.body is not None:
        return (before.body.principal(), before.off.inertia), (after.body.principal(), after.off.inertia), "kg m²"
    if before.shape is not None and after.shape is not None:
        return (before.shape.principal(), before.off.shape), (after.shape.principal(), after.off.shape), "m⁵"
    return None


def turned_by(before: Principal, after: Principal) -> float | None:
    """The angle by which principal axes turned, rad; None where no axis is a property of both bodies.

    Axes have no sense, so it is the least angle of the four rotations that take one triad to the other; where only one axis is distinct
    on both sides, the angle between those.
    """
    lines = [i for i in range(3) if not (before.arbitrary[i] or after.arbitrary[i])]
    if not lines:
        return None
    if np.array_equal(before.axes, after.axes):  # a product with its transpose is the unit matrix up to rounding
        return 0.0
    if len(lines) < 3:
        return max(_line_angle(before.axes[i], after.axes[i]) for i in lines)
    return min(rotation_angle(r) for r in triads(before, after))


def triads(before: Principal, after: Principal) -> list[np.ndarray]:
    """The four rotations that take the principal axes of one body to those of another."""
    signs = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
    return [product(after.axes.T * np.array(s), before.axes) for s in signs]


def rotation_angle(r: np.ndarray) -> float:
    """Of a rotation matrix, rad: |R − 1|² = 8 sin²(φ/2), which small angles do not cancel in."""
    return 2 * math.asin(min(1.0, length(r - np.eye(3)) / math.sqrt(8)))


def _line_angle(u: np.ndarray, v: np.ndarray) -> float:
    return math.atan2(length(np.cross(u, v)), abs(float((u * v).sum())))


def axis_blur(principal: Principal, off: float) -> float:
    """By how much axes can turn, rad, if the tensor changes by a norm of `off`: sin θ ≤ 2 off / gap (Yu, Wang and Samworth 2015)."""
    gaps = [g for g in np.diff(principal.moments).tolist() if g > 0]
    return math.asin(min(1.0, 2 * off / min(gaps))) if gaps and off else 0.0

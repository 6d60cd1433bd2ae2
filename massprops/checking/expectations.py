"""What was agreed about a body, and where a result does not keep to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from massprops import units
from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.units import Quantity

#: What can be required. Every word has a rule in `_MET`.
REQUIREMENTS = ("closed", "certified", "single-body")


@dataclass(frozen=True)
class Range:
    """A closed interval that a number was agreed to lie in, SI units."""

    low: float
    high: float

    @classmethod
    def parse(cls, value: Quantity, parse: Callable[[Quantity], float], example: str) -> Self:
        """From ``"1.2kg±5%"`` or ``"1.1kg..1.3kg"``.

        Raises
        ------
        InvalidInput
            If it is neither, or the limits are in the wrong order. A number alone says not how far it may be off.
        """
        if isinstance(value, str) and ".." in value:
            low, high = (parse(part.strip()) for part in value.split("..", 1))
            if low > high:
                raise InvalidInput(f"the range {value!r} begins above its end")
            return cls(low, high)
        middle, off = units.with_tolerance(value, parse)
        if off == 0.0:
            raise InvalidInput(f"{value!r} has no tolerance", hint=f"for example {example}")
        return cls(middle - off, middle + off)

    def broken(self, value: float) -> float | None:
        """The limit that `value` lies beyond; None if it lies between them."""
        return self.low if value < self.low else self.high if value > self.high else None

    def __str__(self) -> str:
        return f"{self.low:.6g} to {self.high:.6g}"


@dataclass(frozen=True)
class Box:
    """A box with its edges along the axes, metres."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]

    @classmethod
    def parse(cls, text: str) -> Self:
        """From six lengths ``"x0 y0 z0 x1 y1 z1"``; InvalidInput if it is not that, or a corner is not the lower one."""
        parts = text.replace(",", " ").split()
        if len(parts) != 6:
            raise InvalidInput(f"{text!r} is not six lengths", hint="for example '0 0 0 80mm 40mm 20mm'")
        a, b, c, d, e, f = (units.parse_length(p) for p in parts)
        if a > d or b > e or c > f:
            raise InvalidInput(f"{text!r} begins above its end", hint="give the lower corner first")
        return cls((a, b, c), (d, e, f))


@dataclass(frozen=True)
class Expectations:
    """What was agreed; None, or nothing required, where nothing was. SI units.

    Attributes
    ----------
    mass, volume, density_range : Range or None
    max_mass, max_size : float or None
        kg; m, of the longest side of the bounds.
    com_box : Box or None
        Where the centre of mass lies.
    require : tuple of str
        Some of `REQUIREMENTS`.
    """

    mass: Range | None = None
    max_mass: float | None = None
    volume: Range | None = None
    density_range: Range | None = None
    com_box: Box | None = None
    max_size: float | None = None
    require: tuple[str, ...] = ()

    def findings(self, result: Mapping[str, Any] | None) -> list[Finding]:
        """Where a result, as `massprops/1` spells it, does not keep to what was agreed; None: nothing could be measured."""
        if result is None:
            return self._not_measured("there is no valid integral", self.names)
        found = [*self._quantities(result), *self._center(result), *self._requirements(result)]
        missing = [name for name, value in found if value is None]
        return [f for _, f in found if f is not None] + self._not_measured("there is no such number", missing)

    @property
    def names(self) -> list[str]:
        """What was agreed, by the words of the configuration."""
        given = [f.name.replace("_", "-") for f in fields(self) if f.name != "require" and getattr(self, f.name)]
        return [*given, *self.require]

    def _quantities(self, result: Mapping[str, Any]) -> Iterator[tuple[str, Finding | None]]:
        size = _size(result)
        rows: tuple[tuple[str, str, str, float | None, Range | None], ...] = (
            ("mass", "unexpected-mass", "kg", result.get("mass"), self.mass),
            ("max-mass", "unexpected-mass", "kg", result.get("mass"), _at_most(self.max_mass)),
            ("volume", "unexpected-volume", "m³", result.get("volume"), self.volume),
            ("density-range", "unexpected-density", "kg/m³", _density(result), self.density_range),
            ("max-size", "unexpected-size", "m", size, _at_most(self.max_size)),
        )
        for name, code, unit, value, agreed in rows:
            if agreed is None:
                continue
            if value is None:
                yield name, None
            elif (limit := agreed.broken(value)) is not None:
                yield name, _unexpected(code, unit, value, agreed, limit)

    def _center(self, result: Mapping[str, Any]) -> Iterator[tuple[str, Finding | None]]:
        center, box = result.get("center_of_mass"), self.com_box
        if box is None:
            return
        if center is None:
            yield "com-box", None
            return
        for axis, x, low, high in zip("xyz", center, box.low, box.high, strict=False):
            if (limit := Range(low, high).broken(x)) is not None:
                message = f"the centre of mass has {axis} = {x:.6g} m; agreed is {low:.6g} to {high:.6g} m"
                yield "com-box", Finding("unexpected-center", "error", message, x, limit, tuple(center))

    def _requirements(self, result: Mapping[str, Any]) -> Iterator[tuple[str, Finding | None]]:
        for word in self.require:
            met, why = _MET[word](result)
            if met is None:
                yield word, None
            elif not met:
                yield word, Finding("requirement-not-met", "error", f"{word} is required, and {why}")

    def _not_measured(self, why: str, names: list[str]) -> list[Finding]:
        if not names:
            return []
        listed = ", ".join(dict.fromkeys(names))
        return [Finding("not-measured", "error", f"cannot be held against {listed}: {why}")]


def _at_most(limit: float | None) -> Range | None:
    return None if limit is None else Range(float("-inf"), limit)


def _unexpected(code: str, unit: str, value: float, agreed: Range, limit: float) -> Finding:
    quantity = code.removeprefix("unexpected-")
    side = "below" if value < limit else "above"
    off = f", and this is {abs(value - limit) / abs(limit):.2%} {side} it" if limit else ""
    allowed = f"at most {limit:.6g}" if agreed.low == float("-inf") else str(agreed)
    return Finding(
        code, "error", f"the {quantity} is {value:.6g} {unit}; agreed is {allowed} {unit}{off}", value, limit
    )


def _size(result: Mapping[str, Any]) -> float | None:
    bounds = result.get("bounds")
    return max(b - a for a, b in zip(bounds["min"], bounds["max"], strict=True)) if bounds else None


def _density(result: Mapping[str, Any]) -> float | None:
    """As stated, or mass per volume."""
    mass, volume = result.get("mass"), result.get("volume")
    return result.get("density") or (mass / volume if mass and volume else None)


def _closed(result: Mapping[str, Any]) -> tuple[bool | None, str]:
    grade = result.get("grade")
    if result.get("bounds") is None:  # it never had a surface
        return None, ""
    return grade in ("certified", "closed", "repaired", "estimated"), f"the grade is {grade}"


def _certified(result: Mapping[str, Any]) -> tuple[bool | None, str]:
    grade = result.get("grade")
    if result.get("bounds") is None:
        return None, ""
    return grade == "certified", f"the grade is {grade}"


def _single_body(result: Mapping[str, Any]) -> tuple[bool | None, str]:
    bodies = (result.get("input") or {}).get("bodies")
    return (None, "") if bodies is None else (bodies == 1, f"there are {bodies} separate bodies")


_MET: dict[str, Callable[[Mapping[str, Any]], tuple[bool | None, str]]] = {
    "closed": _closed,
    "certified": _certified,
    "single-body": _single_body,
}

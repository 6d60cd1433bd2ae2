"""Limits and requirements for a body, and the findings where a result violates them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from massprops import units
from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.units import Quantity
from massprops.wording import percent

#: What can be required.
REQUIREMENTS = ("closed", "certified", "single-body")


@dataclass(frozen=True)
class Range:
    """A closed interval of allowed values, SI units."""

    low: float
    high: float

    @classmethod
    def parse(cls, value: Quantity, parse: Callable[[Quantity], float], example: str) -> Self:
        """From ``"1.2kg±5%"`` or ``"1.1kg..1.3kg"``.

        Raises
        ------
        InvalidInput
            If it is neither, or the limits are in the wrong order. A number alone has no tolerance.
        """
        if isinstance(value, str) and ".." in value:
            low, high = (parse(part.strip()) for part in value.split("..", 1))
            if low > high:
                raise InvalidInput(f"the range {value!r} has its limits in the wrong order")
            return cls(low, high)
        middle, off = units.with_tolerance(value, parse)
        if off == 0.0:
            raise InvalidInput(f"{value!r} has no tolerance", hint=f"for example {example}")
        return cls(middle - off, middle + off)

    def broken(self, value: float) -> float | None:
        """The limit that `value` violates; None if it lies between them."""
        return self.low if value < self.low else self.high if value > self.high else None


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
            raise InvalidInput(f"{text!r} has its limits in the wrong order", hint="give the lower corner first")
        return cls((a, b, c), (d, e, f))


@dataclass(frozen=True)
class Expectations:
    """Limits and requirements; None, or nothing required, where there are none. SI units.

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
        """Where a result, as `massprops/1` spells it, violates them; None: there is no valid integral."""
        found = [] if result is None else [*self._quantities(result), *self._center(result), *self._required(result)]
        given = [
            f.name.replace("_", "-") for f in fields(Expectations) if f.name != "require" and getattr(self, f.name)
        ]
        missing = [*given, *self.require] if result is None else [name for name, value in found if value is None]
        if missing:
            why = "there is no valid integral" if result is None else "the result has none"
            message = f"cannot check {', '.join(dict.fromkeys(missing))}: {why}"
            found.append(("", Finding("not-measured", "error", message)))
        return [f for _, f in found if f is not None]

    def _quantities(self, result: Mapping[str, Any]) -> Iterator[tuple[str, Finding | None]]:
        mass, volume, bounds = result.get("mass"), result.get("volume"), result.get("bounds")
        density = result.get("density") or (mass / volume if mass and volume else None)
        size = max(b - a for a, b in zip(bounds["min"], bounds["max"], strict=True)) if bounds else None
        rows: tuple[tuple[str, str, str, float | None, Range | None], ...] = (
            ("mass", "mass", "kg", mass, self.mass),
            ("max-mass", "mass", "kg", mass, _at_most(self.max_mass)),
            ("volume", "volume", "m³", volume, self.volume),
            ("density-range", "density", "kg/m³", density, self.density_range),
            ("max-size", "size", "m", size, _at_most(self.max_size)),
        )
        for name, quantity, unit, value, allowed in rows:
            if allowed is not None and value is None:
                yield name, None
            elif allowed is not None and value is not None and (limit := allowed.broken(value)) is not None:
                yield name, _unexpected(f"unexpected-{quantity}", quantity, unit, value, limit)

    def _center(self, result: Mapping[str, Any]) -> Iterator[tuple[str, Finding | None]]:
        center, box = result.get("center_of_mass"), self.com_box
        if box is None:
            return
        if center is None:
            yield "com-box", None
        else:
            for axis, x, low, high in zip("xyz", center, box.low, box.high, strict=False):
                if (limit := Range(low, high).broken(x)) is not None:
                    yield "com-box", _unexpected("unexpected-center", f"centre of mass: {axis}", "m", x, limit, center)

    def _required(self, result: Mapping[str, Any]) -> Iterator[tuple[str, Finding | None]]:
        bodies, grade = (result.get("input") or {}).get("bodies"), result.get("grade")
        if result.get("bounds") is None:  # it never had a surface
            grade = None
        for word in self.require:
            known, met, why = bodies, bodies == 1, f"there are {bodies} separate bodies"
            if word != "single-body":
                known, met, why = grade, grade in _GRADES[word], f"the grade is {grade}"
            if known is None:
                yield word, None
            elif not met:
                yield word, Finding("requirement-not-met", "error", f"{word} is required, and {why}")


#: The grades that meet a requirement.
_GRADES = {"closed": ("proved", "certified", "closed", "repaired", "estimated"), "certified": ("proved", "certified")}


def _at_most(limit: float | None) -> Range | None:
    return None if limit is None else Range(float("-inf"), limit)


def _unexpected(
    code: str, name: str, unit: str, value: float, limit: float, where: Sequence[float] | None = None
) -> Finding:
    how = "is below" if value < limit else "exceeds"
    digits = 4 if f"{value:.4g}" != f"{limit:.4g}" else 9
    by = f" by {percent(abs(value - limit) / abs(limit), 2)}" if limit and where is None else ""
    message = f"{name} {value:.{digits}g} {unit} {how} the limit of {limit:.{digits}g} {unit}{by}"
    return Finding(code, "error", message, value, limit, None if where is None else tuple(where))

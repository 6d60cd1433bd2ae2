"""The units that people read: a length, a mass and an angle; and numbers with as many digits as they are known to."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Self

from massprops.errors import InvalidInput, require_type
from massprops.findings import without_marks
from massprops.units import MASS_LENGTH, Dimension, unit_of
from massprops.values import dataclass, regex

_NUMBER_TEXT = r"-?\d[\d.]*(?:e[-+]?\d+)?"
_NUMBER = regex(_NUMBER_TEXT)
_DIMENSIONS: dict[str, Dimension] = {
    "kg": (1, 0),
    "kg\xa0m²": (1, 2),
    "kg/m³": (1, -3),
    "m": (0, 1),
    "m²": (0, 2),
    "m³": (0, 3),
}
#: A number, or several in brackets, with a unit.
_QUANTITY = regex(
    rf"({_NUMBER_TEXT}|[(\[](?:{_NUMBER_TEXT}(?:, )?)+[)\]])\xa0({'|'.join(sorted(_DIMENSIONS, reverse=True))})(?![\w/²³])"
)
#: Digits of a number of which nothing says how far it can be off, and the most of any other.
DIGITS = 6
#: Characters of a number that is written without an exponent.
_PLAIN = 10

_ANGLES = {"deg": math.degrees(1.0), "rad": 1.0}
_POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: Units of mass in the order in which they are tried, of the system that the length belongs to.
_METRIC, _IMPERIAL = ("kg", "t", "g", "mg", "ug"), ("lb", "oz")
_LARGEST = 9999.5
_EXAMPLE = "for example mm,g or in,lb"
_IMPERIAL_LENGTHS = ("in", "ft", "yd", "mil")


@dataclass(frozen=True)
class OutputUnits:
    """Units of tables, which are for people; machine formats are SI.

    Attributes
    ----------
    length, mass, angle : str
        Symbols: ``mm``, ``g``, ``deg``.
    digits : int or None
        Significant digits; None: as many as the bound on a number's error supports, at most `DIGITS`.
    is_chosen : bool
        Whether the unit of mass was chosen: then densities are in these units, too, else in kg/m³ (lb/in³ beside inches).
    """

    length: str = "m"
    mass: str = "kg"
    angle: str = "deg"
    digits: int | None = None
    is_chosen: bool = field(default=False, compare=False)

    @classmethod
    def suited(cls, length: str, mass: float | None, digits: int | None = None, chosen: str | None = None) -> Self:
        """The unit that a file is in, and a unit of mass in which `mass`, kg, is a number from 1 to 9,999; but for the `chosen` ones."""
        units = cls(unit_of(length)[0], digits=digits).chosen(chosen)
        if units.is_chosen:
            return units
        symbol = units.length
        system = _IMPERIAL if symbol in _IMPERIAL_LENGTHS else _METRIC
        if not mass:
            return replace(units, mass=system[0])
        sizes = {unit: abs(mass) / float(unit_of(unit)[1]) for unit in system}
        fitting = [unit for unit, size in sizes.items() if 1.0 <= size < _LARGEST]
        nearest = min(sizes, key=lambda unit: abs(math.log(sizes[unit])))
        return replace(units, mass=[*fitting, nearest][0])

    def chosen(self, text: str | None) -> Self:
        """These units, but for those that a text names, in any order: ``mm,g``, ``in, lb``, ``cm``, ``deg``.

        Raises
        ------
        InvalidInput
            If there is no word, one is no unit of length, mass or angle, or two are of one kind.
        """
        require_type(text, str | None, "output_units", "a text, such as mm,g")
        found: dict[str, str] = {}
        words = (text or "").replace(",", " ").split()
        if text is not None and not words:
            raise InvalidInput("no unit is given", hint=_EXAMPLE, argument="output_units")
        for word in words:
            kind, symbol = ("angle", word) if word in _ANGLES else _kind_of(word)
            if kind in found:
                raise InvalidInput(f"{found[kind]!r} and {word!r} are both units of {kind}", argument="output_units")
            found[kind] = symbol
        return replace(self, **found, is_chosen=self.is_chosen or "mass" in found)  # type: ignore[arg-type]  # no numbers

    def of(self, value: float, dimension: Dimension) -> float:
        """A value in SI in these units, from its shortest decimal: 0.034846 m is 34.846 mm; `dimension`: powers of mass and length."""
        if not math.isfinite(value):
            return value
        (top, bottom), factor = Decimal(repr(float(value))).as_integer_ratio(), _factor(*self._of(dimension), dimension)
        try:
            # Python rounds a quotient of integers correctly
            return top * factor.denominator / (bottom * factor.numerator)
        except OverflowError:
            return math.copysign(math.inf, value)

    def of_angle(self, radians: float) -> float:
        """An angle in these units."""
        return radians * _ANGLES[self.angle]

    def label(self, dimension: Dimension) -> str:
        """``g mm²``, ``cm⁴``, ``kg/m³``; empty for a bare number."""
        mass, length = self._of(dimension)
        if dimension[0] > 0 > dimension[1]:
            return f"{_power(mass, dimension[0])}/{_power(length, -dimension[1])}"
        return " ".join(_power(unit, power) for unit, power in zip((mass, length), dimension, strict=True) if power)

    def text(self, value: float, dimension: Dimension) -> str:
        """A value in SI with the unit that it is shown in: ``12.5 mm``; tables, findings, pictures and pages say lengths by this."""
        return f"{self.number(self.of(value, dimension))} {self.label(dimension)}"

    def point(self, coordinates: Iterable[float]) -> str:
        """Coordinates in metres: ``(0, 0, 12.5) mm``."""
        return f"({', '.join(self.number(self.of(x, (0, 1))) for x in coordinates)}) {self.length}"

    def sentence(self, text: str) -> str:
        """A message with its quantities, which are SI with a no-break space before the unit, in these units."""
        return without_marks(_QUANTITY.sub(self._converted, text))

    def _converted(self, quantity: re.Match[str]) -> str:
        dimension, unit = _DIMENSIONS[quantity[2]], self.label(_DIMENSIONS[quantity[2]])

        def converted(number: re.Match[str]) -> str:
            digits = sum(c.isdigit() for c in number[0].partition("e")[0].lstrip("-0."))
            return number_text(self.of(float(number[0]), dimension), digits=max(digits, 3))

        return quantity[0] if unit == quantity[2] else f"{_NUMBER.sub(converted, quantity[1])} {unit}"

    def _of(self, dimension: Dimension) -> tuple[str, str]:
        """The units of mass and length that a quantity is shown in."""
        if self.is_chosen or not dimension[0] > 0 > dimension[1]:
            return self.mass, self.length
        return ("lb", "in") if unit_of(self.length)[0] in _IMPERIAL_LENGTHS else ("kg", "m")

    def number(self, value: float | None, off: float | None = None) -> str:
        """A number with the digits that `off`, a bound on its error, supports; see `rounded`."""
        return number_text(value, None if self.digits else off, self.digits or DIGITS)


def scale_lengths(text: str, factor: float) -> str:
    """A message whose lengths, areas and volumes are those of a body that is scaled by this factor."""

    def quantity(found: re.Match[str]) -> str:
        mass, power = _DIMENSIONS[found[2]]
        grown = _NUMBER.sub(lambda number: number_text(float(number[0]) * factor**power, digits=3), found[1])
        return found[0] if mass or factor == 1 else f"{grown}\xa0{found[2]}"

    return _QUANTITY.sub(quantity, text)


def number_text(value: float | None, off: float | None = None, digits: int = DIGITS) -> str:
    """A number as people read it: to the place of the second digit of `off`, two to `digits` significant, no zeros at the end.

    Examples
    --------
    >>> number_text(0.219318907, 4.9e-05), number_text(34.8460083, 0.01), number_text(28.84, 47.0), number_text(1943.2)
    ('0.219319', '34.846', '29', '1943.2')
    """
    if value is None:
        return "–"
    if not math.isfinite(value) or value == 0.0:
        return f"{value if not math.isfinite(value) else 0.0:g}"
    size = math.floor(math.log10(abs(value)))
    if off:
        supported = max(2, size - math.floor(math.log10(off)) + 2)
        digits = min(digits, supported)
    text = f"{value:.{digits - 1}e}"
    mantissa, _, exponent = text.partition("e")
    size = int(exponent)
    short = f"{_trimmed(mantissa)}e{size}"
    if not -5 <= size < 7:
        return short
    plain = _trimmed(f"{float(text):.{max(digits - 1 - size, 0)}f}")
    return plain if len(plain) <= _PLAIN or digits > DIGITS else short


def bound_text(bound: float) -> str:
    """A bound with two digits, rounded up.

    Examples
    --------
    >>> bound_text(0.0491), bound_text(27.000000000000004), bound_text(99.2)
    ('0.05', '27', '100')
    """
    text = number_text(bound, digits=2)
    is_less = float(text) < bound * (1 - 1e-9)  # 27.000000000000004 is 27
    return number_text(bound + 0.5 * last_place(bound, 2), digits=2) if is_less else text


def last_place(value: float, digits: int) -> float:
    """The place of the last of so many significant digits of a number: 0.001 of 28.4841 with 5; 0 of no number."""
    return 10.0 ** (math.floor(math.log10(value)) - digits + 1) if 0.0 < value < math.inf else 0.0


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


@cache
def _factor(mass: str, length: str, dimension: Dimension) -> Fraction:
    """The factor to SI of a quantity that is in these units."""
    found: Fraction = unit_of(mass)[1] ** dimension[0] * unit_of(length)[1] ** dimension[1]
    return found


def _kind_of(word: str) -> tuple[str, str]:
    try:
        symbol, _, dimension = unit_of(word)
    except InvalidInput as error:
        hint = error.hint if error.hint.startswith("did") else _EXAMPLE
        raise InvalidInput(f"unknown unit {word!r}", code=error.code, hint=hint, argument="output_units") from error
    for kind, powers in MASS_LENGTH.items():
        if dimension == powers:
            return kind, symbol
    raise InvalidInput(f"{word!r} is no unit of length, mass or angle", hint=_EXAMPLE, argument="output_units")


def _power(unit: str, power: int) -> str:
    return unit if power == 1 else unit + str(power).translate(_POWERS)

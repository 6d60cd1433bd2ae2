"""How finely a file says where its corners are: by how much a coordinate may be off because it was rounded when it was written.

Binary numbers say it themselves: half a unit in the last place, at the largest coordinate. Doubles all of which are single-precision
numbers have been rounded to those once, and are taken so.

Text says it by its digits, and what a reader hands on are doubles; but the shortest decimal that reads as a double is the one that
was written, trailing zeros aside. A number whose last digit stands at 10^e and whose first at 10^l tells that numbers whose first digit
stands at 10^m ≥ 10^l were written to 10^(e + m − l) or finer, whether the writer keeps decimals (`%f`: 10^e everywhere) or significant
digits (`%g`, `%e`, `repr`). The finest that any number tells holds for the largest coordinate; so the inference is safe for both kinds
of writer, and ten times too careful at worst where a decade holds only round numbers. Digits beyond single precision that agree with
single-precision numbers were printed from those: half of a last place was lost before, and up to as much in printing, since the
shortest decimal that reads as the same single-precision number may be anywhere nearer to it than to the next.

What nobody can tell from the digits: whether 12.5 was measured or meant. Whole numbers of up to five digits are taken as meant, so
exact (`%g` leaves whole numbers of longer ones). Where there are only a few different numbers (a box, a prism along the axes), they
are taken as dimensions that somebody chose and printed with six digits at least, as every common writer does.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.source import MeshFile
from massprops.values import dataclass

NumberKind = Literal["float32", "float64", "decimal", "decimal of float32", "chosen", "integer"]

#: Different numbers that are looked at: for each, that its last digit is no zero is 9 in 10.
_SAMPLE = 2000
#: Fewer different magnitudes than these are dimensions: any body that is not made of a few planes along the axes has more.
_FEW = 12
#: Significant digits that no common writer falls below (`%g`, iostream).
_LEAST_DIGITS = 6
#: So many numbers do not agree with single precision by accident: the chance is at most 1 in 4 for each.
_AGREEING, _TELLING = 20, 4
#: Beyond it there are no single-precision numbers.
_SINGLE_RANGE = 3e38
_SINGLE_BITS, _FEW_BITS = 24, 16


@dataclass(frozen=True)
class Resolution:
    """Largest error of coordinates that were rounded to what the file can hold.

    Attributes
    ----------
    half_unit : float
        In units of the file, for each coordinate.
    kind : str
        What it was rounded to: `float32`, `float64`, a `decimal` (perhaps `decimal of float32`); or `chosen` (a few short
        decimals), `integer` (exact, 0).
    """

    half_unit: float
    kind: NumberKind


def resolution(mesh: MeshFile, largest: float) -> Resolution:
    """Resolution of the coordinates of a file, from those of its first chunk.

    Parameters
    ----------
    mesh : MeshFile
        Its `encoding` says whether it was read from text; its `half_unit`, where there is one, is believed.
    largest : float
        Largest size of any coordinate in the whole file.
    """
    if mesh.half_unit is not None:
        return Resolution(mesh.half_unit, "float64")
    first = next(mesh.chunks())
    return of_text(first, largest) if mesh.encoding == "ascii" else of_binary(first, largest)


def of_binary(sample: NDArray[np.floating], largest: float) -> Resolution:
    """Half a unit in the last place of `largest`, in single or double precision; sample of any shape."""
    if sample.dtype == np.float32 or _is_single(sample.astype(np.float64)):
        return Resolution(_half_ulp(largest, np.float32), "float32")
    return Resolution(_half_ulp(largest, np.float64), "float64")


def of_text(sample: NDArray[np.floating], largest: float) -> Resolution:
    """Half a unit of the last digit that was written, as far as the numbers tell; see the head of this file."""
    numbers = _different(sample)
    places = [_places(x) for x in numbers]
    top = _places(largest)[0]
    if all(last >= 0 for _, last in places) and top + 1 < _LEAST_DIGITS:
        return Resolution(0.0, "integer")
    unit = min(last + max(0, top - first) for first, last in places)
    if largest < _SINGLE_RANGE and _printed_from_single(numbers, places):
        return Resolution(2 * _half_ulp(largest, np.float32), "decimal of float32")
    kind: NumberKind = "decimal"
    if len(numbers) < _FEW and unit > top + 1 - _LEAST_DIGITS:
        unit, kind = top + 1 - _LEAST_DIGITS, "chosen"
    return Resolution(0.5 * 10.0**unit + _half_ulp(largest, np.float64), kind)  # the latter from reading


def _half_ulp(largest: float, precision: type[np.floating]) -> float:
    kind = np.finfo(precision)
    exponent = max(math.frexp(largest)[1] - 1, int(kind.minexp))  # below it all numbers have the same distance
    return math.ldexp(0.5, exponent - int(kind.nmant))


def _is_single(values: NDArray[np.float64]) -> bool:
    """Whether all are single-precision numbers, and not only because they are short: 0.5 says nothing."""
    mantissas = np.frexp(values)[0]

    def fit(bits: int) -> bool:
        scaled = np.ldexp(mantissas, bits)
        return bool((scaled == np.rint(scaled)).all())

    return fit(_SINGLE_BITS) and not fit(_FEW_BITS)


def _different(sample: NDArray[np.floating]) -> list[float]:
    """Different magnitudes but zero, ascending, evenly thinned out if they are many."""
    # not `np.unique`, which imports `numpy.ma`, a tenth of the start of the program
    numbers = np.sort(np.abs(sample.astype(np.float64)), axis=None)
    numbers = numbers[np.diff(numbers, prepend=0.0) > 0]
    every = math.ceil(len(numbers) / _SAMPLE) or 1
    thinned: list[float] = numbers[::-1][::every].tolist()
    return thinned[::-1]


def _places(number: float) -> tuple[int, int]:
    """Decimal exponents of the first and the last digit of the shortest decimal: 12.5 has (1, −1), 100 has (2, 2)."""
    mantissa, _, power = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).rstrip("0")
    last = int(power or 0) + len(whole) - len(digits) if digits else 0
    return last + max(len(digits.lstrip("0")), 1) - 1, last


def _printed_from_single(numbers: list[float], places: list[tuple[int, int]]) -> bool:
    """Whether numbers with more digits than single precision has are all within their last digit of a single-precision number."""
    telling = 0
    for number, (_, last) in zip(numbers, places, strict=True):
        single = np.float32(number)
        unit = 10.0**last
        if unit * _TELLING > np.spacing(single):
            continue
        telling += 1
        if abs(number - float(single)) > unit * 0.5000001:
            return False
    return telling >= _AGREEING

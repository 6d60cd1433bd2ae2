"""Lengths, masses, densities and inertias with their units: text in, one SI float out.

A well-kept library of units (pint) was considered and declined: it takes about 0.3 s to import, longer than most
meshes take to measure, for the four dimensions that are needed here.

Factors are exact fractions, and the product with the number as it was typed is rounded to a float once.
A bare number is SI. Upper and lower case are interchangeable except where a prefix would be misread
(``Mg`` is a tonne, ``mg`` a milligram, and ``Mm`` is refused).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Real
from typing import TypeVar

from massprops.errors import InvalidInput, require_type, written
from massprops.values import dataclass, regex
from massprops.wording import did_you_mean

Dimension = tuple[int, int]  # powers of mass and of length
Quantity = str | float
N = TypeVar("N", bound=float | Fraction)


@dataclass(frozen=True)
class _Kind:
    name: str
    dimension: Dimension
    si: str
    example: str


_LENGTH = _Kind("length", (0, 1), "m", "12 mm")
_ANY = _Kind("unit", (0, 0), "", "12 mm")
_MASS = _Kind("mass", (1, 0), "kg", "1.2 kg")
_DENSITY = _Kind("density", (1, -3), "kg/m³", "7.8 g/cm3")
_AREA_DENSITY = _Kind("area density", (1, -2), "kg/m²", "2 kg/m2")
_VOLUME = _Kind("volume", (0, 3), "m³", "12 cm3")
_INERTIA = _Kind("moment of inertia", (1, 2), "kg m²", "34216.5 g mm^2")

#: The powers of mass and length of the units that people choose for tables.
MASS_LENGTH: dict[str, Dimension] = {"mass": (1, 0), "length": (0, 1)}
_NAMES: dict[Dimension, str] = {(0, 0): "bare number", (0, 2): "area", (1, -1): "mass per length"}
_KINDS = {kind.dimension: kind for kind in (_LENGTH, _MASS, _DENSITY, _AREA_DENSITY, _VOLUME, _INERTIA)}
_NAMES |= {dimension: kind.name for dimension, kind in _KINDS.items()}

# Exact by definition: the international yard and pound of 1959, and the standard gravity of 1901 inside the slug.
_INCH = Fraction("0.0254")
_POUND = Fraction("0.45359237")
_SLUG = _POUND * Fraction("9.80665") / (12 * _INCH)

# symbols (the first is the one that messages show), factor to SI, powers of mass and length
_TABLE: tuple[tuple[str, Fraction, Dimension], ...] = (
    ("m metre meter metres meters", Fraction(1), (0, 1)),
    ("dm decimetre decimeter", Fraction(1, 10), (0, 1)),
    ("cm centimetre centimeter centimetres centimeters", Fraction(1, 100), (0, 1)),
    ("mm MM millimetre millimeter millimetres millimeters", Fraction(1, 1000), (0, 1)),
    ("um micron microns micrometre micrometer micrometres micrometers", Fraction(1, 10**6), (0, 1)),
    ("nm nanometre nanometer nanometres nanometers", Fraction(1, 10**9), (0, 1)),
    ("km kilometre kilometer kilometres kilometers", Fraction(1000), (0, 1)),
    ('in inch inches "', _INCH, (0, 1)),
    ("ft foot feet '", 12 * _INCH, (0, 1)),
    ("yd yard yards", 36 * _INCH, (0, 1)),
    ("mil mils thou", _INCH / 1000, (0, 1)),
    ("kg kilogram kilograms kilogramme kilogrammes kilo kilos", Fraction(1), (1, 0)),
    ("g gram grams gramme grammes", Fraction(1, 1000), (1, 0)),
    ("mg milligram milligrams", Fraction(1, 10**6), (1, 0)),
    ("ug microgram micrograms", Fraction(1, 10**9), (1, 0)),
    ("t Mg tonne tonnes", Fraction(1000), (1, 0)),
    ("lb lbs lbm lbmass pound pounds", _POUND, (1, 0)),
    ("oz ounce ounces", _POUND / 16, (1, 0)),
    ("slug slugs", _SLUG, (1, 0)),
    ("l litre liter litres liters", Fraction(1, 1000), (0, 3)),
    ("ml millilitre milliliter millilitres milliliters", Fraction(1, 10**6), (0, 3)),
    ("cc ccm", Fraction(1, 10**6), (0, 3)),
    ("pcf", _POUND / (12 * _INCH) ** 3, (1, -3)),
    ("gsm", Fraction(1, 1000), (1, -2)),
)
_UNITS = {symbol: (factor, dimension) for symbols, factor, dimension in _TABLE for symbol in symbols.split()}
_CASE_MATTERS = {"mm", "mg", "ml"}  # M could stand for mega
_FOLDED = {symbol.lower(): value for symbol, value in _UNITS.items() if symbol.lower() not in _CASE_MATTERS}

_NUMBER = regex(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COMMA = regex(r"\s*([+-]?[0-9]+),([0-9]+)(?![0-9]*[.,])(.*)", re.DOTALL)
_FACTOR = regex(r"[\s*.]*([^\W\d_]+|[\"'])\s*(?:\^|\*\*)?\s*(-?[1-9])?(?![0-9])[\s*]*")
#: A number and the unit behind it, whose exponents stand at their letters, as a number that follows does not.
_QUANTITY = regex(
    rf"(?<![\d.])({_NUMBER.pattern})((?:[ *./]*(?:[^\W\d_]+|[\"'])(?: ?(?:\^|\*\*) ?)?(?:-?[1-9](?![\d.]))?)*)(?:[\s,;]+|$)"
)
# what people type, old[i] → new[i]: micro sign and Greek mu, superscripts, minus, dots, crosses, primes
_SPELLINGS = str.maketrans("µμ²³⁻−·⋅×″”′", 'uu23--  *""\'')
#: Longer numbers are no quantity, and an exponent of millions would cost gigabytes in exact arithmetic.
_LONGEST_NUMBER = 64
_PLUS_MINUS = regex(r"\+/-|\+-|±")


def parse_length(value: Quantity, *, name: str = "length", must_be_positive: bool = False, bare: str = "m") -> float:
    """Length in metres from ``"12mm"``, ``"1 in"`` or a number of metres.

    Parameters
    ----------
    value : str or real number
        A number is metres already.
    name : str
        What messages call it, such as ``thickness``.
    must_be_positive : bool
        Refuse zero and negative lengths.
    bare : str
        The unit of a text without one: that of the file which the length belongs to.

    Returns
    -------
    float
        m.

    Raises
    ------
    InvalidInput
        If it is not a finite length, or not positive where that is required.

    Examples
    --------
    >>> parse_length("12mm"), parse_length('1"'), parse_length(0.5)
    (0.012, 0.0254, 0.5)
    """
    length = _parse(value, _LENGTH, name, bare)
    return positive(length, name, _LENGTH.si) if must_be_positive else length


def parse_mass(value: Quantity, *, name: str = "mass") -> float:
    """Mass in kilograms, positive, from ``"1.2kg"`` or a number of kilograms.

    Returns
    -------
    float
        kg.

    Raises
    ------
    InvalidInput
        If it is not a finite positive mass.

    Examples
    --------
    >>> parse_mass("2 lb")
    0.90718474
    """
    return positive(_parse(value, _MASS, name), name, _MASS.si)


def parse_density(value: Quantity, *, name: str = "density") -> float:
    """Density in kg/m³, positive, from ``"7.8g/cm3"``, ``"0.098 lb/in^3"`` or a number of kg/m³.

    Returns
    -------
    float
        kg/m³.

    Raises
    ------
    InvalidInput
        If it is not a finite positive density.

    Examples
    --------
    >>> parse_density("7.8 g/cm3"), parse_density("2700 kg/m**3"), parse_density(1000)
    (7800.0, 2700.0, 1000.0)
    """
    return positive(_parse(value, _DENSITY, name), name, _DENSITY.si)


def parse_area_density(value: Quantity, *, name: str = "area density") -> float:
    """Mass per area in kg/m², positive, from ``"2 kg/m2"``, ``"80 gsm"`` or a number of kg/m².

    Returns
    -------
    float
        kg/m².

    Raises
    ------
    InvalidInput
        If it is not a finite positive area density.
    """
    return positive(_parse(value, _AREA_DENSITY, name), name, _AREA_DENSITY.si)


def parse_share(value: Quantity, *, name: str = "share", ends: bool = False) -> float:
    """A share of a whole, above 0 and below 1, from ``"1 %"`` or a number: 1 % is 0.01; with `ends` also nothing and all of it.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    InvalidInput
        If it is not one.

    Examples
    --------
    >>> parse_share("0.5 %"), parse_share(0.25)
    (0.005, 0.25)
    """
    try:
        text = str(value).strip()
    except ValueError:
        text = written(value)
    share = number(text.removesuffix("%").strip(), name=name) / (100 if text.endswith("%") else 1)
    if ends and not 0 <= share <= 1:
        raise InvalidInput(f"{name} must be from 0 to 1, got {text!r}", hint="for example 15% or 0.15")
    if not ends and not 0 < share < 1:
        raise InvalidInput(f"{name} must be above 0 and below 1, got {text!r}", hint="for example 1% or 0.01")
    return share


def parse_moments(value: str, *, name: str = "inertia") -> list[float]:
    """Moments of inertia in kg m² from ``"3 1 0 2 0 4 g mm^2"``, each with its unit, or bare numbers of kg m².

    A unit behind the last number alone is that of all; zeros need none.

    Returns
    -------
    list of float
        kg m².

    Raises
    ------
    InvalidInput
        If one is not a moment of inertia, or has no unit while others have one.

    Examples
    --------
    >>> parse_moments("34216.5 g mm^2")
    [3.42165e-05]
    >>> parse_moments("1 2, 0; 3 kg mm2")
    [1e-06, 2e-06, 0.0, 3e-06]
    """
    return _several(value, _INERTIA, name)


def parse_lengths(value: str, *, name: str = "length") -> list[float]:
    """Lengths in metres from ``"10 mm, 20 mm, 0"``, ``"1 2 3 mm"`` or bare numbers of metres; see `parse_moments`.

    Returns
    -------
    list of float
        m.

    Examples
    --------
    >>> parse_lengths("10 mm, 20 mm, 0")
    [0.01, 0.02, 0.0]
    """
    return _several(value, _LENGTH, name)


def _several(text: str, kind: _Kind, name: str) -> list[float]:
    require_type(text, str, name, f"a text, such as {kind.example}")
    plain = text.translate(_SPELLINGS).strip()
    if left := _QUANTITY.sub("", plain).strip():
        raise InvalidInput(f"{name} {text!r} cannot be read at {left!r:.40}", hint=f"for example {kind.example}")
    return [_parse(quantity, kind, name) for quantity in _with_units(_QUANTITY.findall(plain), text, name)]


def _with_units(found: Sequence[tuple[str, str]], text: str, name: str) -> list[str]:
    """Numbers with their units: that of the last alone is that of all."""
    units = [unit for _, unit in found]
    common = units[-1] if units and not any(units[:-1]) else ""
    if any(units) and any(float(digits) for digits, unit in found if not (unit or common)):
        what = f"{name} {text!r} has a number without a unit"
        raise InvalidInput(what, hint="give each its unit, or the last one that of all")
    return [f"{digits} {(unit or common).strip()}".strip() for digits, unit in found]


def parse_point(words: Sequence[str], *, name: str, bare: str = "m") -> list[float]:
    """Coordinates in metres of a point in words, ``10mm 20mm 0``; the unit of the last alone is that of all, bare numbers are in `bare`.

    Returns
    -------
    list of float
        m.

    Raises
    ------
    InvalidInput
        If one is no length, or some have a unit, and others none.
    """
    words = share_unit(words, name)
    return [parse_length(word, name=name, bare=bare) for word in words[::-1]][::-1]  # first the one with the unit


def share_unit(words: Sequence[str], name: str) -> Sequence[str]:
    """Words of numbers and units in which the unit of the last, if it alone has one, is that of all.

    Returns
    -------
    sequence of str
        Each with its unit.

    Raises
    ------
    InvalidInput
        If some have a unit, and others none.
    """
    matches = [_QUANTITY.fullmatch(word.translate(_SPELLINGS)) for word in words]
    found = [(match[1], match[2]) for match in matches if match]
    if len(found) < len(words):  # one is no number, which its reader says
        return words
    together = _with_units(found, " ".join(words), name)
    return [word if unit else one for word, one, (_, unit) in zip(words, together, found, strict=True)]


def parse_volume(value: Quantity, *, name: str = "volume") -> float:
    """Volume in m³, positive, from ``"12 cm3"``, ``"2 l"`` or a number of m³.

    Returns
    -------
    float
        m³.

    Raises
    ------
    InvalidInput
        If it is not a finite positive volume.

    Examples
    --------
    >>> parse_volume("12 cm3"), parse_volume("2 l")
    (1.2e-05, 0.002)
    """
    return positive(_parse(value, _VOLUME, name), name, _VOLUME.si)


def with_tolerance(value: Quantity, parse: Callable[[Quantity], float]) -> tuple[float, float]:
    """A quantity and its tolerance: ``"7800 +- 50"``, ``"1.2 kg ± 5 %"``, ``"7.8 g/cm3 +/- 0.1"``; 0.0 where none is said.

    Parameters
    ----------
    value : str or real number
        The quantity; a tolerance without a unit has that of the quantity.
    parse : callable
        `parse_density`, `parse_mass` …: what it is.

    Returns
    -------
    float, float
        The quantity and its tolerance, both SI.

    Raises
    ------
    InvalidInput
        If either is not such a quantity, or the tolerance is negative or not below the quantity.

    Examples
    --------
    >>> with_tolerance("7800 +- 50", parse_density)
    (7800.0, 50.0)
    >>> with_tolerance("2 kg ± 5%", parse_mass)
    (2.0, 0.1)
    """
    if not isinstance(value, str):
        return parse(value), 0.0
    whole, *others = _PLUS_MINUS.split(value)
    quantity = parse(whole)
    if not others:
        return quantity, 0.0
    text = others[0].strip()
    if others[1:]:
        raise InvalidInput(f"two tolerances in {value!r}", hint="for example 7800 +- 50")
    if text.endswith("%"):
        tolerance = quantity * positive(number(text[:-1].strip(), name="tolerance"), "tolerance", "%") / 100
    else:
        other, tolerance = map(parse, in_one_unit(whole.strip(), text))
        if other != quantity and tolerance < other:
            what = f"the quantity in {value!r} has no unit, and may have that of the tolerance"
            raise InvalidInput(what, hint="write the unit behind both")
    if not tolerance < quantity:
        raise InvalidInput(f"the tolerance in {value!r} is not smaller than the quantity itself")
    return quantity, tolerance


def in_one_unit(*texts: str) -> list[str]:
    """Two quantities, of which one without a unit has that of the other."""
    units = [_NUMBER.sub("", text.replace("−", "-"), count=1) for text in texts]
    return [text if unit else text + "".join(units) for text, unit in zip(texts, units, strict=True)]


def length_unit(unit: str) -> float:
    """Metres in one `unit` of length: ``length_unit("mm")`` is 0.001.

    Returns
    -------
    float
        m.

    Raises
    ------
    InvalidInput
        If it is not the name of a unit of length.
    """
    return float(exact_length_unit(unit))


def exact_length_unit(unit: str) -> Fraction:
    """Length unit in metres as a fraction: a thousandth, which no double is.

    Returns
    -------
    Fraction
        m.

    Raises
    ------
    InvalidInput
        If it is not the name of a unit of length.

    Examples
    --------
    >>> exact_length_unit("in")
    Fraction(127, 5000)
    """
    if not isinstance(unit, str) or (unit not in _UNITS and (not unit.strip() or _NUMBER.match(unit.strip()))):
        raise InvalidInput(f"expected a unit of length, got {unit!r}", hint="for example mm")
    factor, dimension = _unit(unit, unit, _LENGTH)
    _check_dimension(unit, dimension, _LENGTH)
    return factor


def unit_of(text: str) -> tuple[str, Fraction, Dimension]:
    """Usual symbol of a unit, its factor to SI, and its powers of mass and length: ``unit_of("gram")`` is ("g", 1/1000, (1, 0)).

    Returns
    -------
    str, Fraction, (int, int)
        Symbol, factor and powers.

    Raises
    ------
    InvalidInput
        If there is no such unit.
    """
    factor, dimension = _lookup(text.strip().translate(_SPELLINGS), text, _ANY)
    return next(s.split()[0] for s, f, d in _TABLE if (f, d) == (factor, dimension)), factor, dimension


def is_unit(text: str) -> bool:
    """Whether a text is a unit, of any powers of mass and length."""
    try:
        return bool(_unit(text, text, _ANY))
    except InvalidInput:
        return False


def factor_of(unit: str, dimension: Dimension) -> Fraction:
    """The factor to SI of a unit of these powers of mass and length: ``g mm2``; InvalidInput for another one."""
    example = _KINDS[dimension].example.partition(" ")[2] if dimension in _KINDS else "g mm2"
    kind = _Kind(_NAMES.get(dimension, "quantity"), dimension, "", example)
    factor, found = _unit(unit, unit, kind)
    _check_dimension(unit, found, kind)
    return factor


def positive(value: N, name: str, unit: str) -> N:
    """`value` itself, once it is known to be above zero and finite: the one place where that is required.

    Returns
    -------
    int, float or Fraction
        `value`.

    Raises
    ------
    InvalidInput
        ``density must be positive, got -2700.0 kg/m³``.
    """
    given: object = value
    if isinstance(given, bool) or not isinstance(given, Real):
        hint = "massprops.units reads texts with units" if isinstance(value, str) else ""
        raise InvalidInput(f"{name} must be a number, got {written(given)}", hint=hint)
    if not 0.0 < value <= sys.float_info.max:
        rule = "positive" if value <= 0.0 else "finite"
        raise InvalidInput(f"{name} must be {rule}, got {written(value)} {unit}", code="not-positive")
    return value


def number(text: str, *, name: str = "number") -> float:
    """A plain decimal number, finite: stricter than `float`, which reads ``1_0`` and ``nan``.

    Returns
    -------
    float

    Raises
    ------
    InvalidInput
        If `text` is anything else.
    """
    value, rest = _split_number(text, name)
    if rest:
        raise InvalidInput(f"{name} {text!r} is not a plain number")
    return float(value)


def _parse(value: Quantity, kind: _Kind, name: str, bare: str = "") -> float:
    if not isinstance(value, str):
        return _from_number(value, name)
    amount, unit = _split_number(value, name, kind.example)
    unit = unit or bare
    if not unit:
        return float(amount)
    factor, dimension = _unit(unit, value, kind)
    _check_dimension(value.strip(), dimension, kind)
    return _rounded(amount * factor, value, name)


def _from_number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInput(f"{name} must be a number or a text with a unit, got {written(value)}")
    try:
        as_float = float(value)
    except OverflowError:
        as_float = math.inf
    if not math.isfinite(as_float):
        raise InvalidInput(f"{name} must be finite, got {as_float!r}")
    return as_float


def _split_number(text: str, name: str, example: str = "") -> tuple[Fraction, str]:
    """The number at the start of `text`, exactly, and what follows it."""
    stripped = text.strip().replace("−", "-")
    hint = f"for example {example}" if example else ""
    if not stripped:
        raise InvalidInput(f"{name} is empty", hint=hint)
    _refuse_comma(stripped, name)
    match = _NUMBER.match(stripped)
    if match is None:
        raise InvalidInput(f"{name} {text!r} does not begin with a finite number", hint=hint)
    return _exactly(match.group(), text, name), stripped[match.end() :].strip()


def _refuse_comma(text: str, name: str) -> None:
    match = _COMMA.match(text)
    if match is None:
        return
    whole, digits, rest = match.groups()
    # 1,200 may be either number: name both
    written = f"{whole}.{digits}{rest}" + (f" or {whole}{digits}{rest}" if len(digits) == 3 else "")
    raise InvalidInput(f"{name} {text!r} has a comma; numbers have a decimal point", hint=f"write {written}")


def _exactly(digits: str, text: str, name: str) -> Fraction:
    value = float(digits)
    vanished = value == 0.0 and re.search("[1-9]", digits.lower().partition("e")[0])
    if len(digits) > _LONGEST_NUMBER or math.isinf(value) or vanished:
        raise _out_of_range(text, name)
    return Fraction(digits) if value else Fraction(0)


def _rounded(exact: Fraction, text: str, name: str) -> float:
    try:
        value = float(exact)
    except OverflowError:
        raise _out_of_range(text, name) from None
    if exact and not value:
        raise _out_of_range(text, name)
    return value


def _out_of_range(text: str, name: str) -> InvalidInput:
    shown = text if len(text) <= _LONGEST_NUMBER else text[:_LONGEST_NUMBER] + "…"
    return InvalidInput(f"{name} {shown!r} is outside the range of double-precision numbers")


def _unit(unit: str, text: str, kind: _Kind) -> tuple[Fraction, Dimension]:
    """Factor to SI and dimension of an expression such as ``g/cm3``, ``kg m^-3`` or ``lb/cu in``."""
    if unit in _UNITS:
        return _UNITS[unit]
    product = Fraction(1)
    mass = length = 0
    sign = 1
    for part in unit.translate(_SPELLINGS).replace(" per ", "/").split("/"):
        for factor, dimension, power in _factors(part, text, kind):
            product *= factor ** (sign * power)
            mass += sign * power * dimension[0]
            length += sign * power * dimension[1]
        sign = -1  # everything after the first stroke is below it
    return product, (mass, length)


def _factors(part: str, text: str, kind: _Kind) -> list[tuple[Fraction, Dimension, int]]:
    found: list[tuple[Fraction, Dimension, int]] = []
    part = re.sub(r"\b(?:cu|cubic)\.?\s+([a-z]+)", r"\1^3", re.sub(r"\b(?:sq|square)\.?\s+([a-z]+)", r"\1^2", part))
    position = 0
    while position < len(part) or not found:
        match = _FACTOR.match(part, position)
        if match is None:
            if _PLUS_MINUS.search(text):
                raise InvalidInput(f"{text.strip()!r} has a tolerance, which is not taken here", hint="leave it out")
            raise InvalidInput(f"unit of {text.strip()!r} cannot be read", hint=f"for example {kind.example}")
        found.append((*_lookup(match.group(1), text, kind), int(match.group(2) or 1)))
        position = match.end()
    return found


def _lookup(symbol: str, text: str, kind: _Kind) -> tuple[Fraction, Dimension]:
    known = _UNITS.get(symbol) or _FOLDED.get(symbol.lower())
    if known is None:
        where = f" in {text.strip()!r}" if text.strip() != symbol else ""
        raise InvalidInput(f"unknown unit {symbol!r}{where}", code="unknown-unit", hint=_nearest(symbol, kind))
    return known


def _nearest(symbol: str, kind: _Kind) -> str:
    dimension = (0, 1) if kind.dimension[0] == 0 else (1, 0)
    known = " ".join(symbols.split()[0] for symbols, _, of in _TABLE if of == dimension)
    words = [s for s, (_, of) in _UNITS.items() if of == dimension] if kind.dimension == dimension else _UNITS
    return did_you_mean(symbol, words, f"known units of {_NAMES[dimension]}: {known}")


def _check_dimension(text: str, dimension: Dimension, kind: _Kind) -> None:
    if dimension == kind.dimension:
        return
    name = _NAMES.get(dimension, f"quantity in kg^{dimension[0]} m^{dimension[1]}")
    what = f"expected {_article(kind.name)}, got {_article(name)}: {text!r}"
    raise InvalidInput(what, code="wrong-dimension", hint=f"for example {kind.example}")


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"

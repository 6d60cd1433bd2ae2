"""The text of a STEP file, for what the kernel drops or converts wrongly: its end, schema, number of solids, units, names, densities.

Tests: `tests/formats/mesh/test_step.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

_SOLIDS = re.compile(rb"=\s*\(?\s*(?:MANIFOLD_SOLID_BREP|BREP_WITH_VOIDS|FACETED_BREP)\s*\(")
#: The shape of a placed usage, the usages of shapes, and usages that only refer to others.
_PLACED = re.compile(rb"=\s*CONTEXT_DEPENDENT_SHAPE_REPRESENTATION\s*\(\s*#\d+\s*,\s*#(\d+)")
_SHAPE_OF = re.compile(rb"#(\d+)\s*=\s*PRODUCT_DEFINITION_SHAPE\s*\((?:[^;']|'[^']*')*?#(\d+)\s*\)\s*;")
_HIGHER = re.compile(rb"#(\d+)\s*=\s*SPECIFIED_HIGHER_USAGE_OCCURRENCE")
_SCHEMA = re.compile(rb"FILE_SCHEMA\s*\(\s*\(\s*'([^']*)'")
#: A statement of the data section: its number and its text, in which `;` may stand in quotes.
_STATEMENT = re.compile(r"#(\d+)\s*=\s*((?:[^;']|'[^']*')*);")
_SPACE = re.compile(r"('[^']*')|/\*.*?\*/|\s+", re.DOTALL)
_QUOTED = re.compile(rb"'[^']*'|/\*.*?\*/", re.DOTALL)
_DEFINED, _NAMED = re.compile(rb"#(\d+)\s*="), re.compile(rb"#(\d+)")
_REFERENCE = re.compile(r"#(\d+)")
_NUMBER = re.compile(r"\(\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*\)")
_PREFIXES = {"": 0, "KILO": 3, "HECTO": 2, "DECA": 1, "DECI": -1, "CENTI": -2, "MILLI": -3, "MICRO": -6, "MEGA": 6}
_ESCAPED = re.compile(r"\\X2\\((?:[0-9A-F]{4})+)\\X0\\|\\X\\([0-9A-F]{2})|''")
_SI = re.compile(r"SI_UNIT\s*\(\s*(?:\.(\w+)\.|\$)\s*,\s*\.(GRAM|METRE)\.\s*\)")
#: Statements that lead from a property to its product.
_TO_PRODUCT = (
    "PRODUCT_DEFINITION_SHAPE(",
    "PRODUCT_DEFINITION(",
    "PRODUCT_DEFINITION_WITH",
    "PRODUCT_DEFINITION_FORMATION",
    "PRODUCT(",
)
#: Protocols by words of the name of their schema.
_PROTOCOLS = {"CONFIG_CONTROL_DESIGN": "ap203", "AUTOMOTIVE_DESIGN": "ap214", "AP242": "ap242", "AP203": "ap203"}


def end_is_missing(data: bytes) -> bool:
    """Whether the last line of a file is not there."""
    return b"END-ISO-10303-21" not in data[-4096:].upper()


def missing_entities(data: bytes) -> int:
    """Number of entities that are referred to and missing."""
    text = _QUOTED.sub(b"", data)
    return len(set(_NAMED.findall(text)) - set(_DEFINED.findall(text)))


def damage(data: bytes) -> str:
    """Missing content of a file, or nothing."""
    if b"ISO-10303-21" not in data[:4096].upper():
        return "is not a STEP file (ISO 10303-21)"
    if end_is_missing(data):
        return "the line END-ISO-10303-21 is missing; it looks truncated"
    missing = missing_entities(data)
    return f"{missing} of its entities are referred to, and are not there; it is damaged" if missing else ""


def schema_of(data: bytes) -> str:
    """The application protocol: ``ap203``, ``ap214``, ``ap242``, or ``step`` for another one."""
    found = _SCHEMA.search(data[: 1 << 16])
    name = found[1].decode("latin-1").upper() if found else ""
    return next((short for word, short in _PROTOCOLS.items() if word in name), "step")


def solids_promised(data: bytes) -> int:
    """The number of solids that are written in the file."""
    return len(_SOLIDS.findall(data))


def usages_promised(data: bytes) -> int:
    """Number of usages of parts in assemblies that are placed in the file."""
    usages, higher = dict(_SHAPE_OF.findall(data)), set(_HIGHER.findall(data))
    return len({usages.get(shape, shape) for shape in _PLACED.findall(data)} - higher)


#: Statements of the data section by number, without spaces but in quotes.
Statements = Mapping[int, str]


def statements(data: bytes) -> Statements:
    """The statements of a file."""

    def kept(match: re.Match[str]) -> str:
        return " ".join(match[1].split()) if match[1] and "\n" in match[1] else match[1] or ""

    found = _STATEMENT.finditer(data.decode("utf-8", "replace"))
    return {int(m[1]): _SPACE.sub(kept, m[2]) if len(m[2].split(None, 1)) > 1 else m[2].strip() for m in found}


def references(text: str) -> list[int]:
    """Numbers of the entities that a statement refers to, in their order."""
    return [int(n) for n in _REFERENCE.findall(_without_words(text))]


def _without_words(text: str) -> str:
    return re.sub(r"'[^']*'", "''", text)


def words(text: str) -> list[str]:
    """Texts in quotes of a statement, without escapes."""

    def plain(match: re.Match[str]) -> str:
        return bytes.fromhex(match[1]).decode("utf-16-be", "replace") if match[1] else chr(int(match[2] or "27", 16))

    return [_ESCAPED.sub(plain, text) for text in re.findall(r"'((?:[^']|'')*)'", text)]


def representations(text: Statements) -> Iterator[tuple[str, str]]:
    """Property definitions with their representations."""
    for statement in text.values():
        if statement.startswith("PROPERTY_DEFINITION_REPRESENTATION") and len(found := references(statement)) == 2:
            yield text.get(found[0], ""), text.get(found[1], "")


def measure_of(text: Statements, item: str, powers: tuple[float, float]) -> tuple[str, float] | None:
    """Number of a measure as written, and its unit in kg and m; None unless that has these powers of mass and length."""
    number, at = _NUMBER.search(_without_words(item)), references(item)
    unit = unit_of(text, at[-1]) if number and at else None
    return (number[1], unit[0]) if number and unit and unit[1:] == powers else None


def unit_of(text: Statements, number: int, deepest: int = 8) -> tuple[float, float, float] | None:
    """A unit in kg and m, and its powers of mass and length; None if it has others, or is unknown."""
    unit, at = text.get(number, ""), references(text.get(number, ""))
    if deepest == 0:
        return None
    if si := _SI.search(unit):
        if (si[1] or "") not in _PREFIXES:
            return None
        factor = 10.0 ** _PREFIXES[si[1] or ""]
        return (factor / 1000, 1.0, 0.0) if si[2] == "GRAM" else (factor, 0.0, 1.0)
    if "CONVERSION_BASED_UNIT" in unit or "MEASURE_WITH_UNIT" in unit:
        # of the two that a conversion refers to, the dimensional exponents are no unit
        one = next((u for n in at if (u := unit_of(text, n, deepest - 1))), None)
        value = _NUMBER.search(_without_words(unit)) if "MEASURE_WITH_UNIT" in unit else None
        return one and (one[0] * (float(value[1]) if value else 1.0), *one[1:])
    if "DERIVED_UNIT" not in unit:
        return None
    found = [unit_of(text, n, deepest - 1) for n in at]
    exponent = re.search(r",\s*([-+]?[\d.]+)\s*\)$", unit)
    power = float(exponent[1]) if exponent else 1.0
    known = [u for u in found if u is not None]
    if not known or len(known) < len(found):
        return None
    mass, length = (sum(u[i] for u in known) * power for i in (1, 2))
    return math.prod(u[0] for u in known) ** power, mass, length


#: A density in kg/m³, or None; and whether its unit was that of a mass times a volume.
Density = tuple[float | None, bool]


def densities(data: bytes) -> dict[str, Density]:
    """Densities by name of product; None where the unit is not that of a density, or products of the same name differ.

    The kernel's conversion of their units is not used: it is off by 1000 for kg/m³.
    """
    if b"density" not in data.lower():
        return {}
    text = statements(data)
    found: dict[str, Density] = {}
    for definition, representation in representations(text):
        items = [text.get(n, "") for n in references(representation)]
        item = next((i for i in items if i.startswith("MEASURE_REPRESENTATION_ITEM")), "")
        if "density" not in f"{definition} {representation} {item}".lower() or not item:
            continue
        name, density = product_name(text, definition), _density(text, item)
        found[name] = density if found.get(name, density) == density else (None, False)
    return found


def _density(text: Statements, item: str) -> Density:
    """The density that a measure states; Fusion and Inventor write the length of its unit with the exponent +3."""
    for power in (-3.0, 3.0):
        value = measure_of(text, item, (1.0, power))
        if value and float(value[0]) > 0:
            elements = [unit_of(text, n) for n in references(text[references(item)[-1]])]
            volume = math.prod(u[0] for u in elements if u and not u[1])
            return float(value[0]) * value[1] / (volume**2 if power > 0 else 1.0), power > 0
    return None, False


def product_name(text: Statements, definition: str) -> str:
    """Name of the product that a property is of, or its identifier."""
    found = [*words(text.get(product_of(text, definition), "")), "", ""]
    return found[1] or found[0]


def product_of(text: Statements, statement: str) -> int:
    """Number of the product that a statement refers to: definition → formation → product; 0 if there is none."""
    number = 0
    for word in _TO_PRODUCT:
        number = next((n for n in references(statement) if text.get(n, "").startswith(word)), 0)
        statement = text.get(number, statement)
    return number

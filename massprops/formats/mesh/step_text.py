"""The text of a STEP file, for what the kernel drops or converts wrongly: its end, its schema, its number of solids, densities.

Tests: `tests/formats/mesh/test_step.py`.
"""

from __future__ import annotations

import re

_SOLIDS = re.compile(rb"=\s*\(?\s*(?:MANIFOLD_SOLID_BREP|BREP_WITH_VOIDS|FACETED_BREP)\s*\(")
_SCHEMA = re.compile(rb"FILE_SCHEMA\s*\(\s*\(\s*'([^']*)'")
#: A statement of the data section: its number and its text, in which `;` may stand in quotes.
_STATEMENT = re.compile(r"#(\d+)\s*=\s*((?:[^;']|'[^']*')*);")
_QUOTED = re.compile(rb"'[^']*'|/\*.*?\*/", re.DOTALL)
_DEFINED, _NAMED = re.compile(rb"#(\d+)\s*="), re.compile(rb"#(\d+)")
_REFERENCE = re.compile(r"#(\d+)")
_NUMBER = r"\(\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*\)"
_PREFIXES = {"": 0, "KILO": 3, "HECTO": 2, "DECA": 1, "DECI": -1, "CENTI": -2, "MILLI": -3, "MICRO": -6, "MEGA": 6}
_SI = re.compile(r"SI_UNIT\s*\(\s*(?:\.(\w+)\.|\$)\s*,\s*\.(GRAM|METRE)\.\s*\)")
#: Protocols by words of the name of their schema.
_PROTOCOLS = {"CONFIG_CONTROL_DESIGN": "ap203", "AUTOMOTIVE_DESIGN": "ap214", "AP242": "ap242", "AP203": "ap203"}


def end_is_missing(data: bytes) -> bool:
    """Whether the last line of a file is not there."""
    return b"END-ISO-10303-21" not in data[-4096:].upper()


def missing_entities(data: bytes) -> int:
    """Number of entities that are referred to and missing."""
    text = _QUOTED.sub(b"", data)
    return len(set(_NAMED.findall(text)) - set(_DEFINED.findall(text)))


def schema_of(data: bytes) -> str:
    """The application protocol: ``ap203``, ``ap214``, ``ap242``, or ``step`` for another one."""
    found = _SCHEMA.search(data[: 1 << 16])
    name = found[1].decode("latin-1").upper() if found else ""
    return next((short for word, short in _PROTOCOLS.items() if word in name), "step")


def solids_promised(data: bytes) -> int:
    """The number of solids that are written in the file."""
    return len(_SOLIDS.findall(data))


def densities(data: bytes) -> dict[str, float | None]:
    """Densities in kg/m³ by name of product; None where the unit is not that of a density, or products of the same name differ.

    The kernel's conversion of their units is not used: it is off by 1000 for kg/m³.
    """
    if b"density" not in data.lower():
        return {}
    statements = {int(m[1]): " ".join(m[2].split()) for m in _STATEMENT.finditer(data.decode("latin-1"))}
    found: dict[str, float | None] = {}
    for text in statements.values():
        if not text.startswith("PROPERTY_DEFINITION_REPRESENTATION"):
            continue
        definition, representation = (statements.get(int(n), "") for n in _REFERENCE.findall(text)[:2])
        items = [statements.get(int(n), "") for n in _REFERENCE.findall(representation)]
        item = next((i for i in items if i.startswith("MEASURE_REPRESENTATION_ITEM")), "")
        if "density" not in f"{definition} {representation} {item}".lower() or not item:
            continue
        name, value = _product(statements, definition), _density(statements, item)
        found[name] = value if found.get(name, value) == value else None
    return found


def _product(statements: dict[int, str], definition: str) -> str:
    """The name of the product that a property is of: definition → formation → product."""
    text = definition
    for word in ("PRODUCT_DEFINITION(", "PRODUCT_DEFINITION_FORMATION", "PRODUCT("):
        text = next((t for n in _REFERENCE.findall(text) if (t := statements.get(int(n), "")).startswith(word)), "")
    name = re.match(r"PRODUCT\(\s*'[^']*'\s*,\s*'([^']*)'", text)
    return name[1] if name else ""


def _density(statements: dict[int, str], item: str) -> float | None:
    value, unit = re.search(_NUMBER, item), _REFERENCE.findall(item)
    if value is None or not unit:
        return None
    powers = {"GRAM": 0.0, "METRE": 0.0}
    factor = float(value[1])
    for number in _REFERENCE.findall(statements.get(int(unit[-1]), "")):
        element = statements.get(int(number), "")
        exponent = re.search(r",\s*([-+]?[\d.]+)\s*\)$", element)
        one = _SI.search(statements.get(int((_REFERENCE.findall(element) or ["0"])[0]), ""))
        if exponent is None or one is None or (one[1] or "") not in _PREFIXES:
            return None
        power = float(exponent[1])
        powers[one[2]] += power
        factor *= 10.0 ** (_PREFIXES[one[1] or ""] * power)
    if powers != {"GRAM": 1.0, "METRE": -3.0} or factor <= 0:
        return None
    return factor / 1000

"""Geometric validation properties of STEP (ISO 10303-42, recommended practices of CAx-IF): what the CAD system says of its bodies.

A property is of a product definition (part or assembly), of a usage in an assembly (in the frame of that assembly), or of a shape
aspect, which is one solid of a part. The kernel does not read them: they are taken from the text, and its bodies are found by name.

Tests: `tests/formats/mesh/test_step_validation.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from massprops.formats.mesh import step_text
from massprops.formats.mesh.step_text import Statements, references, words
from massprops.mesh.exact_solid import ExactSolid
from massprops.mesh.stored_values import STORED, StoredValue

_PROPERTY = re.compile(rb"'geometric[ _]validation[ _]property'", re.IGNORECASE)
_ITEMS = {"volume measure": "volume", "surface area measure": "area", "wetted area measure": "area"}
_ITEMS |= {"centre point": "center_of_mass", "center point": "center_of_mass"}
_SOLID = ("MANIFOLD_SOLID_BREP", "BREP_WITH_VOIDS", "FACETED_BREP", "(BREP_WITH_VOIDS", "(FACETED_BREP")
_COORDINATES = re.compile(r"\(([-+.\deE, ]+)\)\s*\)$")

#: A usage, part or assembly as the kernel has it: see `step_kernel.Reading`.
Node = Mapping[str, Any]


def has_properties(data: bytes) -> bool:
    """Whether a file states any."""
    return _PROPERTY.search(data) is not None


def stored_values(
    text: Statements, nodes: Sequence[Node], solids: Sequence[ExactSolid], unit: float
) -> tuple[StoredValue, ...]:
    """All stored values, beside those of the bodies: `solids` are all instances, in `unit`, m."""
    shapes = _ShapeAspects(text)
    found = [
        (references(definition)[-1], *value)
        for definition, representation in step_text.representations(text)
        if _PROPERTY.search(definition.encode()) and references(definition)
        for value in _values(text, representation)
    ]
    # programs leave out zeros at the end: the longest number shows how many digits all were rounded to
    digits = max((len(re.sub(r"^[-+0.]*|\.|[eE].*", "", x)) for *_, numbers, _, _ in found for x in numbers), default=0)
    compared = []
    for target, quantity, numbers, factor, accuracy in found:
        of, node, solid, frame = _body(text, nodes, shapes, target)
        values = tuple(float(x) * factor for x in numbers)
        value = StoredValue(of, quantity, values)
        some = [] if node is None else solids[node["first"] : node["last"]][solid]
        if node is not None and some and not any(s.problem for s in some):
            pose = np.array(node[frame])
            pose[:, 3] *= 1e-3 / unit
            size = max(map(abs, values)) or 1.0
            rounding = 0.5 * 10.0 ** (math.floor(math.log10(size / factor)) + 1 - min(digits, 16)) * factor
            value = value.beside(ExactSolid.together(some), pose, unit, rounding, accuracy)
        compared.append(value)
    return tuple(compared)


def _values(text: Statements, representation: str) -> Iterator[tuple[str, list[str], float, float]]:
    """Stored values of a representation: quantity, numbers as written, unit in m, and the accuracy that its context states, m."""
    *items, context = references(representation) or [0]
    length, accuracy = _context(text, context)
    for item in (text.get(n, "") for n in items):
        quantity = _ITEMS.get((words(item) or [""])[0].strip().lower())
        if quantity == "center_of_mass" and (point := _COORDINATES.search(item)) and length:
            numbers = [x.strip() for x in point[1].split(",")]
            if len(numbers) == 3:
                yield quantity, numbers, length, accuracy
        elif quantity and (measure := step_text.measure_of(text, item, (0.0, float(STORED[quantity][2])))):
            yield quantity, [measure[0]], measure[1], accuracy


def _context(text: Statements, number: int) -> tuple[float | None, float]:
    """The length unit of a context in metres, and its distance accuracy, m."""
    length, accuracy = None, 0.0
    for n in references(text.get(number, "")):
        unit = step_text.unit_of(text, n)
        if unit is None or unit[1:] != (0.0, 1.0):
            continue
        if "UNCERTAINTY_MEASURE" in text[n]:
            accuracy = max(accuracy, unit[0])
        elif "LENGTH_UNIT" in text[n]:
            length = unit[0]
    return length, accuracy


class _ShapeAspects:
    """Solids of shape aspects."""

    def __init__(self, text: Statements) -> None:
        self.text = text
        #: The solid of a shape aspect; the place of a solid in the representation of its part, and how many that has.
        self.items: dict[int, int] = {}
        self.places: dict[int, tuple[int, int]] = {}
        definitions = {n: references(t) for n, t in text.items() if t.startswith(("PROPERTY_DEFINITION(", "SHAPE_DEF"))}
        for statement in text.values():
            at = references(statement)
            solids = [n for n in at if text.get(n, "").startswith(_SOLID)]
            if statement.startswith("GEOMETRIC_ITEM_SPECIFIC_USAGE") and solids:
                self.items[at[0]] = solids[-1]
            elif statement.startswith("SHAPE_DEFINITION_REPRESENTATION") and len(at) == 2:
                of = definitions.get(at[0]) or [0]
                own = [n for n in references(text.get(at[1], "")) if text.get(n, "").startswith(_SOLID)]
                if text.get(of[-1], "").startswith("SHAPE_ASPECT") and len(own) == 1:
                    self.items[of[-1]] = own[0]
            elif "SHAPE_REPRESENTATION" in statement:
                for i, n in enumerate(solids):
                    if len(solids) > self.places.get(n, (0, 0))[1]:
                        self.places[n] = i, len(solids)


def _body(
    text: Statements, nodes: Sequence[Node], shapes: _ShapeAspects, number: int
) -> tuple[str, Node | None, slice, str]:
    """The words for the body that a property is of, its node, which of its solids, and the key of its frame; no node if unknown."""
    target, every = text.get(number, ""), slice(None)
    if target.startswith("PRODUCT_DEFINITION_SHAPE") and (at := references(target)):
        number, target = at[-1], text.get(at[-1], "")
    if target.startswith("NEXT_ASSEMBLY_USAGE_OCCURRENCE"):
        outer, inner = (step_text.product_name(text, text.get(n, "")) for n in references(target)[:2])
        names = [name for name in words(target)[:2] if name]
        found = [n for n in nodes if n["usage"] in names and (n["above"], n["product"]) == (outer, inner)]
        return f"{' '.join(names[-1:])} in {outer}", found[0] if len(found) == 1 else None, every, "outer"
    part = step_text.product_name(text, target) if target.startswith("PRODUCT_DEFINITION") else ""
    if target.startswith("SHAPE_ASPECT"):
        definition = text.get((references(target) or [0])[0], "")
        part = step_text.product_name(text, text.get((references(definition) or [0])[-1], ""))
    found = [n for n in nodes if n["product"] == part]
    node = found[0] if len({n["label"] for n in found}) == 1 else None
    if not target.startswith("SHAPE_ASPECT"):
        return part, node, every, "pose"
    place, count = shapes.places.get(shapes.items.get(number, 0), (0, 0))
    known = node is not None and node["last"] - node["first"] == count
    name = (words(target) or [""])[0] or f"solid {place + 1}"
    return f"{name} of {part}", node if known else None, slice(place, place + 1), "pose"

"""Abaqus input files: nodes, elements, sets, sections, materials and lumped masses, also in parts and instances.

Read are *NODE, *ELEMENT, *ELSET, *PART, *INSTANCE; *SOLID SECTION, *SHELL SECTION, *SHELL GENERAL SECTION, *MEMBRANE SECTION, *BEAM SECTION
(CIRC, RECT, PIPE, symmetric BOX and I), *BEAM GENERAL SECTION (GENERAL); *MATERIAL, *DENSITY; *MASS, *ROTARY INERTIA, also at nodes of
instances. What else bears mass is named.

Source: Abaqus Keywords Reference Guide; Abaqus Elements Guide (types and orders of nodes).

Tests: `tests/formats/mesh/test_abaqus.py`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from massprops.errors import ReadError
from massprops.formats.mesh.fe_cells import KINDS
from massprops.formats.mesh.fe_model import (
    CellBlock,
    CellGroup,
    Model,
    beam,
    node_places,
    point_masses,
    source_of_model,
)
from massprops.formats.text import decode, parse_number, quote, shorten, split_lines
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.mesh.stated_masses import Structure
from massprops.moments.arrays import Array
from massprops.wording import plural

#: Names of element types: solids, shells and beams with their number of nodes.
_SOLID = re.compile(r"(?:D?C3D|SC)(\d+)(?!V)[A-Z]*")
_SHELL = re.compile(r"(?:DS|S|M3D|STRI|SFM3D|CPS|CPE)(3|4|6|8|9)(?:5|R5?|[A-Z])*")
_BEAM = re.compile(r"(?:B3|PIPE3|T3D)([123])(?:H|OS|OSH)?")
_MASSLESS = re.compile(r"(CONN|SPRING|DASHPOT|DCOUP|JOINT|GAP|ITS|R3D|RB3D|DRAG|ROTARYI|MASS).*")
_SOLIDS = {4: "tetra", 5: "pyramid", 6: "wedge", 8: "hexahedron", 10: "tetra10", 13: "pyramid13"}
_SOLIDS |= {15: "wedge15", 20: "hexahedron20", 27: "hexahedron27"}
_SHELLS = {3: "triangle", 4: "quad", 6: "triangle6", 8: "quad8", 9: "quad9"}
#: The middle of the cell, then those of the faces, in the order of VTK.
_ORDER = {"hexahedron27": [*range(20), 26, 24, 23, 25, 21, 22, 20]}
#: Keywords that make nodes or elements, or move them.
_REFUSED = {"INCLUDE", "NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SYSTEM", "SUBSTRUCTURE COPY"}
#: Keywords that state mass and are not read.
_UNREAD = {"NONSTRUCTURAL MASS", "MASS ADJUST", "MATRIX ASSEMBLE", "REBAR", "REBAR LAYER"}
_SECTIONS = {"SOLID SECTION", "SHELL SECTION", "SHELL GENERAL SECTION", "MEMBRANE SECTION", "SURFACE SECTION"}
_SECTIONS |= {"BEAM SECTION", "BEAM GENERAL SECTION"}


@dataclass(frozen=True)
class Keyword:
    """A keyword with its parameters and its lines of data, and where it stands."""

    name: str
    parameters: dict[str, str]
    rows: list[list[str]]
    place: str

    def numbers(self, row: int = 0) -> list[float]:
        """The numbers of a line of data; what is left out is 0."""
        texts = self.rows[row] if row < len(self.rows) else []
        return [
            parse_number(t.upper().replace("D", "E"), self.place, f"a number of *{self.name}") if t else 0.0
            for t in texts
        ]


@dataclass(eq=False)
class _Scope:
    """Nodes, elements, sets and sections that know each other: of a part, an instance or the whole file."""

    name: str = ""
    nodes: dict[int, list[float]] = field(default_factory=dict)
    elements: dict[int, tuple[str, list[int], str]] = field(default_factory=dict)
    remote: dict[int, str] = field(default_factory=dict)
    sets: dict[str, list[int | str]] = field(default_factory=dict)
    sections: list[Keyword] = field(default_factory=list)
    masses: list[Keyword] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)

    def sections_of(self) -> dict[int, Keyword]:
        """The section of each element: the last that has it."""
        return {n: key for key in self.sections for n in self.members(key.parameters.get("ELSET", ""))}

    def sets_of(self) -> dict[int, list[str]]:
        """The names of the sets of each element, where no sections name parts."""
        found: dict[int, list[str]] = {}
        for name in self.sets if not self.sections else ():
            for number in self.members(name):
                found.setdefault(number, []).append(self.written.get(name, name))
        return found

    def members(self, name: str, depth: int = 0) -> list[int]:
        """The elements of a set, which may name others."""
        found: list[int] = []
        for one in self.sets.get(name.upper(), ()):
            if isinstance(one, int):
                found.append(one)
            elif depth < 100:
                found += self.members(one, depth + 1)
        return found


@dataclass(eq=False)
class _Deck:
    """An input file as it is read: what its parts hold, and where these stand."""

    name: str
    flat: _Scope = field(default_factory=_Scope)
    parts: dict[str, _Scope] = field(default_factory=dict)
    instances: list[tuple[_Scope, Array, Array]] = field(default_factory=list)
    densities: dict[str, float] = field(default_factory=dict)
    unread: Counter[str] = field(default_factory=Counter)
    groups: dict[tuple[str, str], CellGroup] = field(default_factory=dict)
    structures: list[Structure] = field(default_factory=list)
    unmeasured: Counter[str] = field(default_factory=Counter)

    def read(self, text: str) -> None:
        """Take in all keywords."""
        scope, material, pending = self.flat, "", list[_Scope]()
        for key in keywords(self.name, text):
            name, given = key.name, key.parameters
            if name in _REFUSED or ("INPUT" in given and name in ("NODE", "ELEMENT", "ELSET")):
                what = f"*{name} is not followed"
                raise ReadError(
                    f"{key.place}: {what}", code="unread-include", hint="write all nodes and elements into the file"
                )
            if name == "PART":
                scope = self.parts[given.get("NAME", "").upper()] = _Scope()
            elif name == "INSTANCE":
                pending = [scope]
                scope = self._instance(key)
            elif name in ("END PART", "END INSTANCE"):
                scope = pending.pop() if pending else self.flat
            elif name == "MATERIAL":
                material = given.get("NAME", "").upper()
            elif name == "DENSITY" and len({row[0] for row in key.rows}) == 1:
                self.densities[material] = key.numbers()[0]
            elif name in _UNREAD:
                self.unmeasured[f"*{name}"] += 1
            else:
                _take(scope, key)

    def _instance(self, key: Keyword) -> _Scope:
        part = self.parts.get(key.parameters.get("PART", "").upper(), _Scope())
        own = _Scope(
            key.parameters.get("NAME", ""), dict(part.nodes), dict(part.elements), {}, dict(part.sets),
            list(part.sections), list(part.masses), dict(part.written),
        )  # fmt: skip
        shift, turn = np.zeros(3), np.eye(3)
        if key.rows:
            shift[: len(key.numbers())] = key.numbers()[:3]
        origin = shift
        if len(key.rows) > 1:
            a = np.array(key.numbers(1), float)
            turn = _rotation(a[3:6] - a[:3], math.radians(a[6]))
            origin = turn @ (shift - a[:3]) + a[:3]
        self.instances.append((own, turn, origin))
        return own

    def model(self) -> Model:
        """The model with all instances in their places."""
        points, blocks, start = [], list[CellBlock](), 0
        if not self.instances:
            self.instances = [(part, np.eye(3), np.zeros(3)) for part in self.parts.values()]
        for scope, turn, shift in [(self.flat, np.eye(3), np.zeros(3)), *self.instances]:
            own = np.array(list(scope.nodes.values()), float).reshape(-1, 3) @ turn.T + shift
            blocks += self._blocks(scope, own, start)
            points.append(own)
            start += len(own)
        texts = [f"{count} {what}" for what, count in self.unmeasured.items()]
        groups = list(self.groups.values())
        others = [d for d in self.densities.values() if d]
        return Model(np.concatenate(points), blocks, groups, "ascii", [], texts, self.structures, others)

    def _blocks(self, scope: _Scope, points: Array, start: int) -> Iterator[CellBlock]:
        """The cells of one scope; its beams and lumped masses are noted."""
        section_of, within = scope.sections_of(), scope.sets_of()
        found: dict[tuple[str, int], list[tuple[int, list[int]]]] = {}
        beams: list[tuple[float, Array]] = []
        for number, (type_, nodes, elset) in scope.elements.items():
            section = section_of.get(number)
            if kind := _kind(type_):
                elset = elset or " + ".join(within.get(number, [])) or type_
                group = self._group(scope, section, elset, KINDS[kind].is_solid)
                found.setdefault((kind, group), []).append((number, nodes[: KINDS[kind].size]))
            elif match := _BEAM.fullmatch(type_):
                count = 3 if type_ == "T3D3" or (match[1] == "2" and not type_.startswith("T")) else 2
                place = points[node_places(self.name, list(scope.nodes), [nodes[:count]])[0]]
                beams += self._beam(section, type_, place, is_mesh=not scope.sections)
            elif not _MASSLESS.fullmatch(type_):
                self.unmeasured[f"elements of the type {shorten(type_)}"] += 1
        if beams:
            self.structures.append(beam(beams))
        self._lumps(scope, points)
        for (kind, group), cells in found.items():
            rows = node_places(self.name, list(scope.nodes), [row for _, row in cells])
            rows = rows[:, _ORDER[kind]] if kind in _ORDER else rows
            yield CellBlock(KINDS[kind], rows + start, np.array([n for n, _ in cells]), np.full(len(cells), group))

    def _beam(self, section: Keyword | None, type_: str, place: Array, *, is_mesh: bool) -> list[tuple[float, Array]]:
        """A beam with its mass per length; none of a mesh alone, whose lines are sides of cells."""
        weight, why = self._of_length(section)
        if weight is None and not is_mesh:
            self.unmeasured[f"{type_} ({why})"] += 1
        return [] if weight is None else [(weight, place)]

    def _group(self, scope: _Scope, section: Keyword | None, elset: str, is_solid: bool) -> int:
        """Number of the group of an element."""
        name = section.parameters.get("ELSET", elset) if section else elset
        key = scope.name, f"{name}{'' if section is None else section.place}"
        if key not in self.groups:
            path = f"{scope.name}/{name}" if scope.name else name
            material = section.parameters.get("MATERIAL") if section else None
            density = self.densities.get((material or "").upper())
            if is_solid:
                self.groups[key] = CellGroup(PartLabel(name, path, material), density)
            else:
                weight, why = self._of_area(section) if scope.sections else (None, "")
                self.groups[key] = CellGroup(PartLabel(name, path, material), None, weight, why)
        return list(self.groups).index(key)

    def _of_area(self, section: Keyword | None) -> tuple[float | None, str]:
        """Mass per area of shells, or why it is not known."""
        if section is None:
            return None, "no section"
        given, more = section.parameters, 0.0
        if section.name == "SURFACE SECTION":
            return self._parameter(section, "DENSITY"), ""
        odd = {"NODAL THICKNESS", "OFFSET", "SHELL THICKNESS"} & {*given}
        if odd and (odd != {"OFFSET"} or given["OFFSET"].upper() not in ("0", "0.", "0.0", "MID")):
            return None, f"{min(odd)} is not read"
        if "DENSITY" in given:
            more = self._parameter(section, "DENSITY")
        layers = [(given.get("MATERIAL", ""), section.numbers()[0])] if section.rows and "MATERIAL" in given else []
        if "COMPOSITE" in given:
            layers = [
                (row[2], parse_number(row[0], section.place, "a thickness")) for row in section.rows if len(row) > 2
            ]
        if not layers:
            return (more, "") if more else (None, "no thickness and material")
        unknown = [m for m, _ in layers if not self.densities.get(m.upper())]
        if unknown and not more:
            return None, f"no density of {unknown[0]}"
        return more + sum(self.densities.get(m.upper(), 0.0) * t for m, t in layers), ""

    def _parameter(self, section: Keyword, name: str) -> float:
        return parse_number(section.parameters.get(name, "0"), section.place, name.lower())

    def _of_length(self, section: Keyword | None) -> tuple[float | None, str]:
        """Mass per length of beams and trusses, or why it is not known."""
        if section is None:
            return None, "no section"
        given = section.parameters
        shape, sizes = given.get("SECTION", "").upper(), section.numbers()
        area = {
            "CIRC": lambda: math.pi * sizes[0] ** 2,
            "RECT": lambda: sizes[0] * sizes[1],
            "PIPE": lambda: math.pi * (2 * sizes[0] - sizes[1]) * sizes[1],
            "GENERAL": lambda: sizes[0],
            "BOX": lambda: _box(*sizes[:6]),
            "I": lambda: _i_section(*sizes[:7]),
        }.get(shape if section.name != "SOLID SECTION" else "GENERAL")
        density = self._parameter(section, "DENSITY") or self.densities.get(given.get("MATERIAL", "").upper())
        least = {"RECT": 2, "PIPE": 2, "BOX": 6, "I": 7}.get(shape, 1)
        size = area() if area is not None and len(sizes) >= least else 0.0
        if not size or not density:
            return None, "no density" if size else f"section {shape or section.name}"
        return density * size, ""

    def _lumps(self, scope: _Scope, points: Array) -> None:
        """*MASS and *ROTARY INERTIA at nodes."""
        ids, parts = list(scope.nodes), []
        for key in scope.masses:
            numbers = key.numbers()
            of = [*scope.members(key.parameters.get("ELSET", ""))]
            if {"ORIENTATION", "TYPE"} & {*key.parameters} or any(numbers[3:6]) or not numbers:
                self.unmeasured[f"*{key.name} with products, types or axes of its own"] += 1
                continue
            mass, inertia = (numbers[0], []) if key.name == "MASS" else (0.0, numbers[:3])
            known = [number for number in of if number in scope.elements or number in scope.remote]
            if not known or len(known) < len(of):
                self.unmeasured[f"*{key.name} of a set with elements that are not there"] += 1
            for number in known:
                if number in scope.remote:
                    place = self._node_of_instance(scope.remote[number])
                else:
                    place = points[node_places(self.name, ids, [scope.elements[number][1][:1]])[0, 0]]
                parts.append((mass, place, np.diag([*inertia, 0.0, 0.0, 0.0][:3])))
        if parts:
            self.structures.append(point_masses(plural(len(parts), "lumped mass", "lumped masses"), parts))

    def _node_of_instance(self, text: str) -> Array:
        """A node by the name of its instance, ``Part-1-1.22``, where the instance stands."""
        instance, _, number = text.rpartition(".")
        for scope, turn, shift in self.instances:
            if scope.name.upper() == instance.strip('"').upper() and int(number) in scope.nodes:
                found: Array = turn @ np.array(scope.nodes[int(number)], float) + shift
                return found
        raise ReadError(f"{self.name}: no node has the number {quote(text)}", code="bad-index", hint="export it again")


def read(file: InputFile) -> MeshFile:
    """The solid cells of an Abaqus input file, with its sections as parts, and the masses beside them."""
    deck = _Deck(file.name)
    deck.read(decode(file.stream.read()))
    return source_of_model(file, deck.model())


def keywords(name: str, text: str) -> Iterator[Keyword]:
    """The keywords of a file with their data."""
    found: Keyword | None = None
    head = ""
    for i, line in enumerate(split_lines(text), 1):
        bare = line.strip()
        if not bare or bare.startswith("**"):
            continue
        if bare.startswith("*") or head:
            head += bare
            if bare.endswith(","):
                continue
            if found is not None:
                yield found
            found, head = _keyword(head, f"{name}:{i}"), ""
        elif found is None:
            what = f"expected a keyword such as *NODE, got {quote(bare)}"
            raise ReadError(
                f"{name}:{i}: {what}", code="wrong-format", hint="read are input files of Abaqus and CalculiX"
            )
        else:
            found.rows.append([part.strip() for part in bare.split(",")])
    if found is not None:
        yield found


def _keyword(line: str, place: str) -> Keyword:
    first, *others = line.lstrip("*").split(",")
    pairs = (part.partition("=") for part in others)
    given = {" ".join(key.upper().split()): value.strip().strip('"') for key, _, value in pairs if key.strip()}
    return Keyword(" ".join(first.upper().split()), given, [], place)


def _take(scope: _Scope, key: Keyword) -> None:
    """Put nodes, elements, sets and sections into their scope."""
    if key.name == "NODE":
        _nodes(scope, key)
    elif key.name == "ELEMENT":
        _elements(scope, key)
    elif key.name == "ELSET":
        _set(scope, key)
    elif key.name in _SECTIONS:
        scope.sections.append(key)
    elif key.name in ("MASS", "ROTARY INERTIA"):
        scope.masses.append(key)


def _nodes(scope: _Scope, key: Keyword) -> None:
    if (system := key.parameters.get("SYSTEM", "R").upper()) != "R":
        raise ReadError(f"{key.place}: nodes in the system {system}", code="bad-frame", hint="write them as x, y, z")
    for row in key.rows:
        written = (*row[1:4], "", "", "")[:3]  # a coordinate that is left out is 0
        x = [parse_number(t.upper().replace("D", "E") or "0", key.place, "a coordinate") for t in written]
        scope.nodes[_whole(key, row[0])] = x


def _set(scope: _Scope, key: Keyword) -> None:
    written = key.parameters.get("ELSET", "")
    scope.written.setdefault(written.upper(), written)
    own = scope.sets.setdefault(written.upper(), [])
    for row in key.rows:
        if "GENERATE" in key.parameters:
            first, last, step = ([_whole(key, t) for t in row if t] + [1])[:3]
            own += range(first, last + 1, step or 1)
        else:
            own += [int(t) if t.isdecimal() else t for t in row if t]


def _elements(scope: _Scope, key: Keyword) -> None:
    type_, elset = key.parameters.get("TYPE", "").upper(), key.parameters.get("ELSET", "")
    flat: list[str] = []
    own = scope.sets.setdefault(elset.upper(), []) if elset else []
    kind = _kind(type_)
    size = KINDS[kind].size if kind else 0
    for row in key.rows:
        flat += row
        if row[-1] == "":
            flat.pop()
            if not kind or len(flat) <= size:  # goes on in the next line
                continue
        if all(map(str.isdecimal, flat)):
            number, *nodes = map(int, flat)
            if len(nodes) < max(size, 1):
                what = f"element {number} of the type {type_} has {len(nodes)} of its {max(size, 1)} nodes"
                hint = "a line that goes on ends with a comma"
                raise ReadError(f"{key.place}: {what}", code="bad-cell", hint=hint)
            scope.elements[number] = type_, nodes, elset
            own.append(number)
        elif type_ in ("MASS", "ROTARYI") and re.fullmatch(r"\d+,.+\.\d+", ",".join(flat)):
            scope.remote[int(flat[0])] = flat[1]
            own.append(int(flat[0]))
        else:
            what = f"an element of the type {quote(type_)} has {quote(','.join(flat))}, not whole numbers"
            if not _MASSLESS.fullmatch(type_):
                raise ReadError(f"{key.place}: {what}", code="bad-number", hint="export the model again")
        flat = []


def _box(width: float, height: float, right: float, top: float, left: float, bottom: float) -> float:
    """Area of a box whose walls are as thick on both sides, so that its centroid is in the middle; else 0."""
    return width * height - (width - 2 * left) * (height - 2 * top) if (right, top) == (left, bottom) else 0.0


def _i_section(origin: float, height: float, lower: float, upper: float, t: float, u: float, web: float) -> float:
    """Area of an I-section that is symmetric about the line of the beam; else 0."""
    return 2 * lower * t + web * (height - 2 * t) if (2 * origin, lower, t) == (height, upper, u) else 0.0


@cache
def _kind(type_: str) -> str | None:
    """The kind of the cells of a type; None of beams, of lumped masses, and of what is not read."""
    if found := _SOLID.fullmatch(type_):
        return _SOLIDS.get(int(found[1]))
    found = _SHELL.fullmatch(type_)
    return _SHELLS[int(found[1])] if found else None


def _whole(key: Keyword, text: str) -> int:
    if not text.isdecimal():
        what = f"*{key.name} has {quote(text)} where a whole number belongs"
        raise ReadError(f"{key.place}: {what}", code="bad-number", hint="export the model again")
    return int(text)


def _rotation(axis: Array, angle: float) -> Array:
    """Matrix of a rotation about an axis (Rodrigues)."""
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    found: Array = np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)
    return found

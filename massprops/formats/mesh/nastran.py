"""Nastran bulk data: nodes, cells, properties, materials and lumped masses, in free, small and large fields.

Read are GRID, GRDSET, CORD2R/C/S; CTETRA, CPYRAM, CPENTA, CHEXA; CTRIA3/6/R, CQUAD4/8/R, CSHEAR; CROD, CONROD, CBAR, CBEAM, CTUBE; PSOLID,
PSHELL, PCOMP, PSHEAR, PROD, PBAR, PBARL, PBEAM, PBEAML (uniform ones), PTUBE; MAT1, MAT2, MAT8, MAT9; CONM2; PARAM WTMASS. Other cards
that bear mass are named.

Source: MSC Nastran Quick Reference Guide, "Bulk Data Entries" (fields of each card; format of bulk data).

Tests: `tests/formats/mesh/test_nastran.py`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

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
from massprops.formats.text import decode, quote, split_lines
from massprops.mesh.source import InputFile, MeshFile, PartLabel
from massprops.mesh.stated_masses import Structure
from massprops.moments.arrays import Array
from massprops.wording import plural

#: Columns of the fields of a line; the large ones are twice as wide.
_SMALL = [slice(start, start + 8) for start in range(8, 72, 8)]
_LARGE = [slice(start, start + 16) for start in range(8, 72, 16)]
_REAL = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+))(?:[EeDd]?([-+]?\d+))?")
#: Solid cells: kinds by number of nodes.
_SOLIDS = {
    "CTETRA": {4: "tetra", 10: "tetra10"},
    "CPYRAM": {5: "pyramid", 13: "pyramid13"},
    "CPYRA": {5: "pyramid", 13: "pyramid13"},
    "CPENTA": {6: "wedge", 15: "wedge15"},
    "CHEXA": {8: "hexahedron", 20: "hexahedron20"},
}
#: The order of VTK: upright edges come last.
_ORDER = {
    "hexahedron20": [*range(12), *range(16, 20), *range(12, 16)],
    "wedge15": [*range(9), *range(12, 15), *range(9, 12)],
}
#: Shells: kind, and where after their nodes are offsets and thicknesses of their own.
_SHELLS = {
    "CTRIA3": ("triangle", (6, 10, 11, 12)),
    "CTRIAR": ("triangle", (6, 10, 11, 12)),
    "CQUAD4": ("quad", (7, 10, 11, 12, 13)),
    "CQUADR": ("quad", (7, 10, 11, 12, 13)),
    "CSHEAR": ("quad", ()),
    "CTRIA6": ("triangle6", (9, 10, 11, 12)),
    "CQUAD8": ("quad8", (10, 11, 12, 13, 15)),
}
_BEAMS = {"CROD", "CONROD", "CTUBE", "CBAR", "CBEAM"}
#: Cards that bear mass, or may, and are not read.
_UNREAD = re.compile(
    r"C(?!ORD|ELAS|BUSH|DAMP|GAP|VISC|WELD|FAST|AERO|HBDY|ONV|LOAD|YJOIN|YSUP|YAX|YSYM|SET|ONTR)|NSML?1?$"
)
#: Properties of cells and beams, read or not; loads (PLOAD4), tables and sets have numbers of their own.
_PROPERTIES = re.compile(
    r"P(L?SOLID|SHELL|SHEAR|COMP[A-Z]*|L?PLANE|PPLANE|ROD|TUBE|BARL?|BEAM[L3]?|BCOMP|B[MR]SECT|BEND)"
)
#: Where a material has its density, behind its number.
_DENSITIES = {"MAT1": 4, "MAT2": 7, "MAT3": 7, "MAT8": 7, "MAT9": 22}


@dataclass(frozen=True)
class Card:
    """One entry: its fields behind the name, and the line that it begins in."""

    name: str
    fields: list[str]
    place: str

    def text(self, i: int) -> str:
        """Field i, empty where it is left out."""
        return self.fields[i] if i < len(self.fields) else ""

    def number(self, i: int, default: float = 0.0) -> float:
        """A real number, also as ``1.0-3``; ReadError of anything else."""
        if not (text := self.text(i)):
            return default
        if not (found := _REAL.fullmatch(text)):
            what = f"field {i + 2} of {self.name} is {quote(text)}, not a number"
            raise ReadError(f"{self.place}: {what}", code="bad-number", hint="export the model again")
        return float(f"{found[1]}e{found[2] or 0}")

    def whole(self, i: int, default: int = 0) -> int:
        """A whole number."""
        if i < len(self.fields) and self.fields[i].isdecimal():
            return int(self.fields[i])
        value = float(self.number(i, default))
        if not value.is_integer():
            what = f"field {i + 2} of {self.name} is {quote(self.text(i))}, not a whole number"
            raise ReadError(f"{self.place}: {what}", code="bad-number", hint="export the model again")
        return int(value)


def read(file: InputFile) -> MeshFile:
    """The solid cells of a Nastran deck, with its properties as parts, and the masses beside them."""
    return source_of_model(file, _Deck(file.name, decode(file.stream.read())).model())


def cards(name: str, text: str) -> Iterator[Card]:
    """The entries of the bulk data of a file."""
    head, fields, place, mark = "", list[str](), "", ""
    for i, line in _lines(name, text):
        first, own, next_mark = _split(line)
        own_mark = first.strip("+* ").upper()
        if not first.rstrip("*+ ") or first[0] in "+*":
            if mark and own_mark and mark != own_mark:
                what = f"the continuation {quote(first)} does not follow the line that ends with {quote(mark)}"
                raise ReadError(f"{name}:{i}: {what}", code="bad-continuation", hint="put the lines in sequence")
            fields, mark = fields + own, next_mark
            continue
        if head:
            yield Card(head, fields, place)
        head, fields, place, mark = first.rstrip("*").strip().upper(), own, f"{name}:{i}", next_mark
        if head == "ENDDATA":
            return
    if head:
        yield Card(head, fields, place)


def _lines(name: str, text: str) -> Iterator[tuple[int, str]]:
    """The lines of the bulk data without comments, and their numbers."""
    lines = split_lines(text)
    begin = next((i for i, line in enumerate(lines, 1) if re.match(r"\s*BEGIN\s+BULK", line, re.IGNORECASE)), 0)
    for i, written in enumerate(lines[begin:], begin + 1):
        if not (line := written.split("$")[0].rstrip().expandtabs(8)):
            continue
        if found := re.match(r"\s*(INCLUDE|BEGIN\b)", line, re.IGNORECASE):
            is_include = found[1].upper() == "INCLUDE"
            what = "is not followed" if is_include else "begins another part of the model, which is not read"
            hint = "write the model into one file" if is_include else "write the model without superelements"
            raise ReadError(f"{name}:{i}: {quote(line.strip())} {what}", code="unread-include", hint=hint)
        yield i, line


def _split(line: str) -> tuple[str, list[str], str]:
    """Name or mark of a line, its fields (four of a large line, else eight), and the mark of the line that goes on."""
    if "," in line:
        first, *own = (part.strip() for part in line.split(","))
        size = 4 if "*" in first else 8
        last = own[size] if size < len(own) else ""
        return first or "+", [*own[:size], *[""] * (size - len(own))], last.strip("+* ").upper()
    first = line[:8].strip() or "+"
    columns = _LARGE if "*" in first else _SMALL
    return first, [line[column].strip() for column in columns], line[72:80].strip("+* ").upper()


@dataclass(eq=False)
class _Deck:
    """A deck as it is read: cells, properties and materials by number."""

    name: str
    text: str
    systems: dict[int, Card] = field(default_factory=dict)
    places: dict[int, Card] = field(default_factory=dict)
    cells: dict[tuple[str, int, str], list[tuple[int, list[int]]]] = field(default_factory=dict)
    beams: list[Card] = field(default_factory=list)
    properties: dict[int, Card] = field(default_factory=dict)
    materials: dict[int, Card] = field(default_factory=dict)
    masses: dict[int, Card] = field(default_factory=dict)
    unread: Counter[str] = field(default_factory=Counter)
    scale: float = 1.0
    system: int = 0
    frames: dict[int, tuple[Array, Array]] = field(default_factory=dict)
    points: dict[int, Array] = field(default_factory=dict)

    def model(self) -> Model:
        """The model in the basic system."""
        for card in cards(self.name, self.text):
            self._take(card)
        points = np.array([self._point(i) for i in self.places]).reshape(-1, 3)
        groups, blocks = dict[tuple[int, str], CellGroup](), []
        for (kind, pid, own), cells in self.cells.items():
            groups.setdefault((pid, own), self._group(pid, own))
            nodes = node_places(self.name, list(self.places), [row for _, row in cells])
            nodes = nodes[:, _ORDER[kind]] if kind in _ORDER else nodes
            ids = np.full(len(cells), list(groups).index((pid, own)))
            blocks.append(CellBlock(KINDS[kind], nodes, np.array([eid for eid, _ in cells]), ids))
        unmeasured = [f"{count} {name}" for name, count in self.unread.items()]
        if found := re.search(r"^\s*(M2(GG|PP)\s*=[^$\n]*)", self.text, re.IGNORECASE | re.MULTILINE):
            unmeasured.append(f"the mass matrix of {quote(found[1].strip())}")
        structures = [*self._beams(unmeasured), *self._lumped()]
        others = [d for mid in self.materials if (d := self._density(mid))]
        return Model(points, blocks, list(groups.values()), "ascii", [], unmeasured, structures, others)

    def _take(self, card: Card) -> None:
        name = card.name
        if name in _SOLIDS:
            self._solid(card)
        elif name in _SHELLS:
            self._shell_cell(card)
        elif name in _BEAMS:
            self.beams.append(card)
        elif name == "PARAM" and card.text(0).upper() == "WTMASS":
            self.scale = card.number(1)
        elif name == "GRDSET":
            self.system = card.whole(1)
        elif (table := self._table(card)) is not None:
            other = table.setdefault(card.whole(0), card)
            if [t for t in other.fields if t] != [t for t in card.fields if t]:
                what = f"{name} {card.text(0)} is also in line {other.place.rpartition(':')[2]}, with other values"
                raise ReadError(f"{card.place}: {what}", code="bad-index", hint="keep one of them")
        elif _UNREAD.match(name):
            self.unread[name] += 1

    def _table(self, card: Card) -> dict[int, Card] | None:
        """Where a card is kept by its number."""
        tables = {"GRID": self.places, "CONM2": self.masses, **dict.fromkeys(_DENSITIES, self.materials)}
        if card.name.startswith("CORD"):
            return self.systems
        if _PROPERTIES.fullmatch(card.name):
            return self.properties
        return tables.get(card.name)

    def _shell_cell(self, card: Card) -> None:
        kind, fields = _SHELLS[card.name]
        own = "own" if any(card.text(i) and card.number(i) for i in fields) else ""
        nodes = [card.whole(i) for i in range(2, 2 + KINDS[kind].size)]
        kind, nodes = (kind, nodes) if all(nodes) else (KINDS[kind].shape, nodes[: KINDS[kind].corners])
        self.cells.setdefault((kind, card.whole(1), own), []).append((card.whole(0), nodes))

    def _solid(self, card: Card) -> None:
        kinds = _SOLIDS[card.name]
        written = [i for i in range(2, min(len(card.fields), 2 + max(kinds))) if card.fields[i]]
        kind = next(k for size, k in kinds.items() if max(written, default=2) < 2 + size)
        nodes = [card.whole(i) for i in range(2, 2 + KINDS[kind].size)]
        if not all(nodes):
            what = f"{card.name} {card.text(0)} has {sum(map(bool, nodes))} of its {len(nodes)} nodes"
            raise ReadError(
                f"{card.place}: {what}", code="bad-cell", hint="cells that lack nodes of some edges are not read"
            )
        self.cells.setdefault((kind, card.whole(1), ""), []).append((card.whole(0), nodes))

    def _point(self, number: int) -> Array:
        """A node in the basic system."""
        if number not in self.points:
            if (card := self.places.get(number)) is None:
                raise ReadError(
                    f"{self.name}: no node has the number {number}", code="bad-index", hint="export it again"
                )
            self.points[number] = self._placed(card, card.whole(1, self.system), [card.number(i) for i in (2, 3, 4)])
        return self.points[number]

    def _placed(self, card: Card, system: int, x: list[float]) -> Array:
        """Coordinates of a system in the basic one."""
        if not system:
            return np.array(x)
        origin, axes = self._frame(card, system)
        kind = self.systems[system].name[-1]
        if kind != "R":
            r, first, second = x[0], math.radians(x[1]), math.radians(x[2])
            flat = r if kind == "C" else r * math.sin(first)
            angle = first if kind == "C" else second
            x = [flat * math.cos(angle), flat * math.sin(angle), x[2] if kind == "C" else r * math.cos(first)]
        found: Array = origin + axes @ np.array(x)
        return found

    def _frame(self, card: Card, number: int, depth: int = 0) -> tuple[Array, Array]:
        """Origin and axes, as columns, of a system."""
        if not number:
            return np.zeros(3), np.eye(3)
        if number not in self.frames:
            own = self.systems.get(number)
            if own is None or not own.name.startswith("CORD2") or depth > 100:
                what = f"its coordinate system {number} is {own.name if own else 'missing'}; read are CORD2R, CORD2C, CORD2S"
                raise ReadError(f"{card.place}: {what}", code="bad-frame", hint="export the nodes in the basic system")
            self._frame(own, own.whole(1), depth + 1)
            a, b, c = (self._placed(own, own.whole(1), [own.number(i + j) for j in range(3)]) for i in (2, 5, 8))
            z = (b - a) / np.linalg.norm(b - a)
            y = np.cross(z, c - a)
            y = y / np.linalg.norm(y)
            self.frames[number] = a, np.column_stack([np.cross(y, z), y, z])
        return self.frames[number]

    def _density(self, mid: int) -> float | None:
        card = self.materials.get(mid)
        return card.number(_DENSITIES[card.name]) * self.scale or None if card else None

    def _group(self, pid: int, own: str) -> CellGroup:
        card = self.properties.get(pid)
        label, name = PartLabel(f"PID {pid}", f"PID {pid}"), card.name if card else "no property"
        if card and name in ("PSOLID", "PLSOLID"):
            mid = card.whole(1)
            return CellGroup(PartLabel(f"PID {pid}", f"PID {pid}", f"MID {mid}"), self._density(mid))
        if not self.properties:  # a mesh alone
            return CellGroup(label)
        if own or card is None or name not in _OF_AREA:
            why = "thicknesses of their own or offsets" if own else f"{name} is not read" if card else name
            return CellGroup(label, why=why)
        weight, why = _OF_AREA[name](self, card)
        return CellGroup(label, None, weight, why)

    def _shell(self, card: Card) -> tuple[float | None, str]:
        """Mass per area of PSHELL and PSHEAR."""
        i = {"PSHELL": 7, "PSHEAR": 3}[card.name]
        density, nsm = self._density(card.whole(1)), card.number(i) * self.scale
        if not card.text(2) or density is None:
            return None, "no thickness" if density else "no density"
        return density * card.number(2) + nsm, ""

    def _composite(self, card: Card) -> tuple[float | None, str]:
        """Mass per area of PCOMP."""
        total, height, mid, t = 0.0, 0.0, 0, 0.0
        for i in range(8, len(card.fields), 4):
            if not any(card.text(i + j) for j in range(4)):
                continue
            mid, t = card.whole(i, mid), card.number(i + 1, t)
            if (density := self._density(mid)) is None:
                return None, f"no density of MID {mid}"
            total, height = total + density * t, height + t
        twice = 2 if card.text(7).startswith("SYM") else 1
        if card.text(1) and not math.isclose(-2 * card.number(1), twice * height, rel_tol=1e-6):
            return None, "an offset"
        return total * twice + card.number(2) * self.scale, ""

    def _of_length(self, card: Card) -> tuple[float | None, str]:
        """Mass per length of a rod or beam; of a CONROD its card."""
        own = self.properties.get(card.whole(1)) if card.name != "CONROD" else card
        if own is None or own.name not in _SECTIONS:
            return None, f"{own.name} is not read" if own else "no property"
        density = self._density(own.whole(_SECTIONS[own.name][0]))
        area, nsm, why = _section(own)
        offsets = card.name in ("CBAR", "CBEAM") and any(card.number(i) for i in range(10, 16))
        why = "no density" if density is None else "offsets" if offsets else why
        return None if why or density is None else density * area + nsm * self.scale, why

    def _beams(self, unmeasured: list[str]) -> Iterator[Structure]:
        why: Counter[str] = Counter()
        parts = []
        for card in self.beams:
            a, b = (card.whole(i) for i in ((1, 2) if card.name == "CONROD" else (2, 3)))
            weight, reason = self._of_length(card)
            if weight is None and self.properties:
                why[f"{card.name} ({reason})"] += 1
            elif weight is not None:
                parts.append((weight, np.array([self._point(a), self._point(b)])))
        unmeasured += [f"{count} {name}" for name, count in why.items()]
        if parts:
            yield beam(parts)

    def _lumped(self) -> Iterator[Structure]:
        """CONM2: mass at a node, with an offset and an inertia in axes of its own."""
        parts = []
        for card in self.masses.values():
            system, x = card.whole(2), np.array([card.number(i) for i in (4, 5, 6)])
            node = self._point(card.whole(1))
            axes = np.eye(3) if system <= 0 else self._frame(card, system)[1]
            i11, i21, i22, i31, i32, i33 = (card.number(i) * self.scale for i in range(8, 14))
            inertia = np.array([[i11, -i21, -i31], [-i21, i22, -i32], [-i31, -i32, i33]])
            place = x if system == -1 else node + axes @ x
            parts.append((card.number(3) * self.scale, place, axes @ inertia @ axes.T))
        if parts:
            yield point_masses(plural(len(parts), "lumped mass", "lumped masses"), parts)


#: How properties of shells state the mass of an area.
_OF_AREA: Mapping[str, Callable[[_Deck, Card], tuple[float | None, str]]] = {
    "PSHELL": _Deck._shell,
    "PSHEAR": _Deck._shell,
    "PCOMP": _Deck._composite,
}
#: Where sections of beams have material, area and mass per length; those by shape have sizes instead.
_SECTIONS = {"PROD": (1, 2, 5), "PBAR": (1, 2, 6), "PBEAM": (1, 2, 7), "PTUBE": (1, 2, 4), "CONROD": (3, 4, 7)}
_SECTIONS |= {"PBARL": (1, 0, 0), "PBEAML": (1, 0, 0)}
#: Areas of shapes by their sizes, and how many these are.
_SHAPES: Mapping[str, tuple[int, Callable[..., float]]] = {
    "ROD": (1, lambda r: math.pi * r * r),
    "TUBE": (2, lambda outer, inner: math.pi * (outer - inner) * (outer + inner)),
    "TUBE2": (2, lambda r, t: math.pi * t * (2 * r - t)),
    "BAR": (2, lambda width, height: width * height),
    "BOX": (4, lambda width, height, flange, web: width * height - (width - 2 * web) * (height - 2 * flange)),
    "I": (6, lambda h, lower, upper, web, t, u: lower * t + upper * u + web * (h - t - u)),
    "T": (4, lambda width, height, flange, web: width * flange + web * (height - flange)),
}
#: What a station of a beam begins with.
_STATIONS = ("YES", "YESA", "NO")


def _section(own: Card) -> tuple[float, float, str]:
    """Area of a rod or beam, its further mass per length, and why they are not known."""
    if own.name in ("PBARL", "PBEAML"):
        shape = own.text(3).upper()
        if shape not in _SHAPES:
            return 0.0, 0.0, f"section {shape or 'without a type'}"
        count, area_of = _SHAPES[shape]
        sizes = [own.number(i) for i in range(8, 8 + count)]
        varies = own.name == "PBEAML" and any(own.fields[9 + count :])
        why = "" if all(sizes) else f"sizes of {shape} are left out"
        return area_of(*sizes), own.number(8 + count), "stations" if varies else why
    _, at_area, at_nsm = _SECTIONS[own.name]
    area, why = own.number(at_area), ""
    if own.name == "PTUBE":
        why = "stations" if own.number(5, area) != area else ""
        t = own.number(3) or area / 2
        area = math.pi * t * (area - t)
    elif own.name == "PBEAM":
        why = "" if _is_uniform(own) else "stations"
    return area, own.number(at_nsm), why


def _is_uniform(own: Card) -> bool:
    """Whether a PBEAM is the same along its length, and its mass lies on its line."""
    i = 8 if own.text(8).upper() in _STATIONS else 16
    while own.text(i).upper() in _STATIONS:
        if any(own.number(i + k, own.number(k)) != own.number(k) for k in (2, 7)):
            return False
        i += 16 if own.text(i).upper() == "YES" and own.text(i + 8).upper() not in _STATIONS else 8
    return not any(own.number(k) for k in (i + 4, i + 5, *range(i + 8, i + 16)))

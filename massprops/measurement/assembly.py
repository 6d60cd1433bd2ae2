"""Assemblies: parts with their poses, and the one rigid body that they make.

An assembly file is TOML. Every `[[part]]` has a `name` and one source: `mesh`, `shape`, `body` (a result, or `robot.urdf#link`) or
`assembly` (another such file); paths are relative to the file. Lengths and masses are SI or carry a unit. See
`sample_meshes/README.md` for an example with every key.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, get_args

from massprops.errors import (
    InvalidGeometry,
    InvalidInput,
    MasspropsError,
    ReadError,
    Remedy,
    UnknownFormat,
    as_read_error,
    require_type,
)
from massprops.findings import Finding
from massprops.formats.bodies import NamedBody
from massprops.formats.config_file import Lines
from massprops.formats.files import note_named, read_text, real_path
from massprops.formats.kinds import kind_of
from massprops.formats.search_path import SearchPath
from massprops.formats.text import BadToml, toml_of
from massprops.frames import Pose
from massprops.measurement.budget import AssemblyPart as AssemblyPart
from massprops.measurement.budget import Budget, grow, place_copies
from massprops.measurement.inferred import known_bodies
from massprops.measurement.options import Options
from massprops.measurement.pipeline import measure_with
from massprops.measurement.result import Measurement
from massprops.measurement.shared_space import MOST_COPIES, Occupant, Statements, resolve, space_of_mesh, space_of_shape
from massprops.mesh.repair.overlap import FilledSpace
from massprops.moments.arrays import ByValue, sum_of
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.mass_specification import MassSpecification
from massprops.rigid_body.shapes import SHAPES
from massprops.rigid_body.shapes_by_name import parse_lengths, shape_from_lengths
from massprops.rigid_body.uncertain import shift
from massprops.units import parse_mass, parse_share
from massprops.wording import did_you_mean, plural

SOURCES = ("mesh", "shape", "body", "assembly")
_UNITS = ("units", "override_units")
_MATTER = ("density", "material", "mass", "area_density", "thickness")
_PLACING = ("name", "pose", "poses", "count", "hole", "growth", "maturity", "group", "limit", "displaces", "priority")
_TOP = ("name", "part", "limit", "limits", "maturity", "overlap")
#: What is to be done where parts share space and nothing says which of them is there.
Overlap = Literal["error", "count"]
#: Files within files; deeper is a mistake that a cycle through links would make.
DEEPEST = 32
#: Findings of the parts that an assembly lists: one that is a part many times over would repeat its own without end.
MOST_FINDINGS = 200
_MORE = Finding("more-findings", "info", f"the parts have more findings than the {MOST_FINDINGS} that are listed")


@dataclass(frozen=True, eq=False)
class Assembly(ByValue):
    """Parts and their sum; of a robot also what was found about it, and the values of its joints, rad or m.

    `limits` are those of the mass budget, kg, by group, and by the empty name that of the whole; None where the file has no budget.
    `occupants` says of each part where its copies are, in the frame of the assembly; it is empty where no geometry is known.
    `frame` says in words whose frame all coordinates are in.
    """

    name: str
    parts: tuple[AssemblyPart, ...]
    place: str = ""
    findings: tuple[Finding, ...] = ()
    joints: Mapping[str, float] | None = None
    limits: Mapping[str, float] | None = None
    occupants: tuple[tuple[Occupant, ...], ...] = ()
    frame: str = "the assembly"

    def __repr__(self) -> str:
        """One line."""
        return f"<Assembly: {self.name}, {plural(len(self.parts), 'part')}>"

    @property
    def part_names(self) -> list[str]:
        """Names of the parts, each once: those after the first of a name, and those without one, have their number."""
        names: list[str] = []
        for number, part in enumerate(self.parts, 1):
            name = part.body.name or f"part {number}"
            names.append(f"{name} ({number})" if name in names else name)
        return names

    @property
    def budget(self) -> Budget | None:
        """Mass budget; None if no part has a growth, a group or a limit, and the whole has none."""
        limits = self.limits or {}
        is_budget = limits or any(part.is_budgeted for part in self.parts)
        return Budget.of(self.name, self.parts, limits) if is_budget else None

    @property
    def predicted(self) -> MassProperties:
        """All parts with their growth allowances as one rigid body."""
        return sum_of(part.predicted for part in self.parts)

    @property
    def body(self) -> NamedBody:
        """All parts as one rigid body, with what was found about them.

        Raises
        ------
        InvalidInput
            If the masses add up to zero.
        """
        total = sum_of(part.body.properties for part in self.parts)
        found = list(self.findings)
        found += [
            _name_part(f, part.body.name) for part in self.parts for f in part.body.findings if f.code != _MORE.code
        ]
        more = [_MORE] if len(found) > MOST_FINDINGS or any(_MORE in part.body.findings for part in self.parts) else []
        points = any(part.body.has_points for part in self.parts)
        return NamedBody(self.name, total, self.place, "assembly", (*found[:MOST_FINDINGS], *more), has_points=points)


def _name_part(finding: Finding, name: str | None) -> Finding:
    return replace(finding, message=f"{name}: {finding.marked}") if name else finding


def place_body(
    body: NamedBody,
    poses: Sequence[Pose],
    count: int = 1,
    *,
    hole: bool = False,
    predicted: MassProperties | None = None,
) -> AssemblyPart:
    """A part: `count` copies of a body at each pose X_AB of the body's frame B in the assembly's frame A; `predicted` is it with growth.

    Raises
    ------
    InvalidInput
        If the body has no positive mass: the poses of nothing mean nothing.
    """
    p = body.properties
    if p.mass <= 0.0:
        what = f"{body.name or 'the part'} has a mass of {p.mass!r}\xa0kg; a part has a positive mass"
        hint = "cut holes with hole = true" if p.mass < 0.0 else "leave it out"
        raise InvalidInput(what, code="non-positive-mass", hint=hint)

    def place(one: MassProperties) -> MassProperties:
        together = place_copies(one, poses, count)
        return -together if hole else together

    grown = None if predicted is None or predicted.mass == p.mass else place(predicted)
    points = body.has_points or not p.inertia.any()
    return AssemblyPart(replace(body.with_properties(place(p)), has_points=points), count * len(poses), grown)


def place_assembly(
    whole: Assembly, poses: Sequence[Pose], count: int = 1, *, growth: float = 0.0, maturity: str = ""
) -> AssemblyPart:
    """An assembly as a part of another one; its parts grow by their own classes, and otherwise all by `growth`.

    Raises
    ------
    InvalidInput
        If both have a growth, or the mass is not positive.
    """
    budget = whole.budget
    if budget is not None and budget.has_growth and (growth or maturity):
        what = "the parts of the assembly have a growth of their own"
        raise InvalidInput(what, hint="state it there or here")
    part = place_body(whole.body, poses, count, predicted=grow(whole.predicted, growth))
    if budget is None or not (budget.has_growth or budget.groups):  # it grows as one part does
        return replace(part, maturity=maturity)
    steepest = max(growth, *(p.growth if p.inside is None else p.steepest for p in whole.parts))
    return replace(part, maturity=maturity, inside=budget.inside(poses, count, growth, maturity), steepest=steepest)


def place_occupants(
    whole: Assembly, poses: Sequence[Pose], count: int = 1, name: str | None = None
) -> tuple[Occupant, ...]:
    """Where the copies of an assembly's parts are; those of one copy were compared in its own file."""
    prefix = "" if name is None else f"{name}/"
    inner = [o for own in whole.occupants for o in own]
    if not inner or len(inner) * len(poses) > MOST_COPIES:
        one = Occupant(name or whole.name, whole.body.properties, has_extent=True)
        return tuple(replace(one.transformed(pose), family=object(), count=count) for pose in poses)
    placed: list[Occupant] = []
    for pose in poses:
        family = object()
        placed += [replace(o.settled(family, prefix + o.name).transformed(pose), count=o.count * count) for o in inner]
    return tuple(placed)


def read_assembly(
    path: str,
    search: SearchPath | None = None,
    above: tuple[Path, ...] = (),
    known: dict[Path, Assembly] | None = None,
    overlap: Overlap | None = None,
) -> Assembly:
    """The assembly that a TOML file describes.

    Parameters
    ----------
    path : str
        The file; messages begin with it.
    search : SearchPath, optional
        Where the files that a robot file includes are looked for; by default around it.
    above : tuple of Path
        The assemblies that this one is a part of, outermost first.
    known : dict, optional
        Assemblies that have been read already: each file is read once, however often it is a part.
    overlap : {"error", "count"}, optional
        In place of what the file says about parts that share space.

    Returns
    -------
    Assembly
        Its parts in the common frame, and their sum.

    Raises
    ------
    ReadError
        With file and line: not TOML, an unknown key, a missing file, a cycle, a unit that is none, a part without a mass.
    InvalidGeometry
        If the mesh of a part has no valid integral.
    """
    require_type(path, str | Path, "path", "the name of a file")
    if kind_of(path) != "assembly":
        what = f"{path}: expected an assembly, a .toml file"
        raise UnknownFormat(what, hint="'massprops combine' takes bodies in other formats")
    text = read_text(path, code="bad-toml")
    try:
        document = toml_of(text)
    except BadToml as error:
        line = re.search(r"line (\d+)", str(error))
        place = f"{path}:{line[1]}" if line else path
        raise ReadError(f"{place}: is not TOML: {error}", code="bad-toml") from error
    lines = Lines(path, text)
    _check_keys(document, _TOP, partial(lines.place, ()), "an assembly")
    tables = document.get("part")
    if not isinstance(tables, list) or not tables:
        raise ReadError(f"{path}: an assembly has parts", code="no-parts", hint="begin each with [[part]]")
    chain, classes = (*above, real_path(path)), _shares(document, lines)
    known = {} if known is None else known
    readers = [_PartReader(table, number, lines, chain, known, search, classes) for number, table in enumerate(tables)]
    for reader in readers:
        reader.note_named()
    whole_parts = [r.part() for r in readers]
    statements = _statements(whole_parts, readers, overlap or _overlap(document, lines))
    parts, occupants, found = share_space(whole_parts, [r.occupants() for r in readers], statements, path, _SAY)
    parts = _cut_holes(parts, readers)
    groups = {part.group for part in parts}
    groups |= {line.name for part in parts if part.inside is not None and not part.group for line in part.inside.groups}
    limits = _limits(document, lines, groups)
    name = document.get("name", Path(path).stem)
    if not isinstance(name, str):
        raise ReadError(f"{lines.place((), 'name')}: name must be a text, got {name!r}", code="bad-value")
    whole = Assembly(name, parts, path, tuple(found), limits=limits, occupants=occupants)
    return whole if whole.budget is None else replace(whole, findings=(*found, *whole.budget.findings()))


def _overlap(document: Mapping[str, Any], lines: Lines) -> Overlap:
    value: Overlap = document.get("overlap", "error")
    if value not in get_args(Overlap):
        what = f"{lines.place((), 'overlap')}: overlap must be one of {', '.join(get_args(Overlap))}, got {value!r}"
        raise ReadError(what, code="bad-value")
    return value


#: How to say what is meant by parts that share space.
_SAY = (
    'move them apart, or say what is there: displaces = ["name"] or a priority in one part, overlap = "count" for both'
)


def _statements(parts: Sequence[AssemblyPart], readers: Sequence[_PartReader], overlap: Overlap) -> Statements:
    """Statements of the parts about space that they share."""
    names = [part.body.name or "" for part in parts]
    displaces = {k: r.displaced(k, names) for k, r in enumerate(readers) if "displaces" in r.table}
    for k, others in displaces.items():
        if holes := [other for other in others if parts[other].body.properties.mass < 0]:
            raise readers[k].bad("displaces", f"{names[holes[0]]} is a hole, in whose place nothing is")
        if both := [other for other in others if k in displaces.get(other, ())]:
            raise readers[k].bad("displaces", f"{names[k]} and {names[both[0]]} displace each other")
    return Statements(displaces, {k: r.priority() for k, r in enumerate(readers)}, overlap == "count")


def share_space(
    parts: Sequence[AssemblyPart],
    occupants: Sequence[Sequence[Occupant]],
    statements: Statements,
    place: str = "",
    hint: Remedy | str = "",
) -> tuple[tuple[AssemblyPart, ...], tuple[tuple[Occupant, ...], ...], list[Finding]]:
    """Parts with the space that is left to each; where their copies are then; and what was found; see `resolve`.

    Raises
    ------
    InvalidInput
        If a part is an assembly with a mass budget of its own, whose items are not known one by one here.
    """
    after, found = resolve(occupants, statements, place, hint)
    fitted = []
    for part, old, new in zip(parts, occupants, after, strict=True):
        if all(a.body is b.body for a, b in zip(old, new, strict=True)):
            fitted.append(part)
            continue
        changed = any(_numbers(a.body) != _numbers(b.body) for a, b in zip(old, new, strict=True))
        if part.inside is not None and changed:
            what = f"{part.body.name} has a mass budget of its own, and shares space with another part"
            raise InvalidInput(what, place=place, hint="say in its own file which part displaces which")
        properties = sum_of(o.body.repeated(o.count) for o in new)
        grown = None if part.grown is None else grow(properties, part.growth)
        if part.grown is not None and part.inside is not None:  # its items grow differently, each where it is
            error = properties.sources["shared space"].scaled(1 + part.steepest)
            grown = part.grown.with_source("shared space", error.moved(shift(properties.com - part.grown.com)))
        fitted.append(replace(part, body=part.body.with_properties(properties), grown=grown))
    return tuple(fitted), tuple(after), found


def _numbers(body: MassProperties) -> tuple[float, list[float], list[float]]:
    return body.mass, body.com.tolist(), body.inertia.ravel().tolist()


def _cut_holes(parts: Sequence[AssemblyPart], readers: Sequence[_PartReader]) -> tuple[AssemblyPart, ...]:
    """The parts, whose holes have the growth, the class and the group of what they are cut from."""
    hosts = [part for part in parts if part.body.properties.mass > 0]
    cut = [r.grows_with(part, hosts) for part, r in zip(parts, readers, strict=True)]
    left = {part.item: part.body.properties.mass for part in hosts if part.is_budgeted}
    for part, reader in zip(cut, readers, strict=True):
        if part.body.properties.mass < 0 and part.item in left:
            left[part.item] += part.body.properties.mass
            if left[part.item] <= 0:
                what = "the holes weigh as much as the part that they are cut from"
                raise reader.bad("hole", what, "look at the masses of the holes")
    return tuple(cut)


def _table(document: Mapping[str, Any], key: str, lines: Lines, example: str) -> Mapping[str, Any]:
    table = document.get(key, {})
    if not isinstance(table, dict):
        what = f"{lines.place((), key)}: {key} must be a table"
        raise ReadError(what, code="bad-value", hint=f"for example {example}")
    return table


def _shares(document: Mapping[str, Any], lines: Lines) -> dict[str, float]:
    """The growth of each maturity class."""
    shares = {}
    for name, value in _table(document, "maturity", lines, '[maturity] estimated = "25 %"').items():
        with as_read_error(lines.place(("maturity",), name)):
            shares[name] = parse_share(value, name=f"growth of {name}", ends=True)
    return shares


def _limits(document: Mapping[str, Any], lines: Lines, groups: set[str | None]) -> dict[str, float]:
    """The mass limits of groups, and of the whole by the empty name."""
    given = {"": document["limit"]} if "limit" in document else {}
    given |= _table(document, "limits", lines, '[limits] structure = "40 kg"')
    limits = {}
    for name, value in given.items():
        place = lines.place(("limits",), name) if name else lines.place((), "limit")
        if name and name not in groups:
            hint = did_you_mean(name, sorted(g for g in groups if g))
            raise ReadError(f"{place}: no part is in the group {name!r}", code="unknown-key", hint=hint)
        with as_read_error(place):
            limits[name] = parse_mass(value, name="limit")
    return limits


def _check_keys(table: Mapping[str, Any], known: Sequence[str], place: Callable[[str], str], what: str) -> None:
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known)
            raise ReadError(f"{place(key)}: {what} has no key {key!r}", code="unknown-key", hint=hint)


def _known_keys(kind: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    extra: dict[str, tuple[str, ...]] = {"mesh": (*_UNITS, *_MATTER), "shape": (*_MATTER, *_shape_keys(table))}
    return (kind, *_PLACING, *extra.get(kind, ()))


def _shape_keys(table: Mapping[str, Any]) -> tuple[str, ...]:
    """The lengths of the shape; of all shapes, if it is unknown and that has to be said first."""
    shapes = [SHAPES[table["shape"]]] if table.get("shape") in SHAPES else SHAPES.values()
    return tuple({p.name: None for shape in shapes for p in shape.parameters})


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(x, str) for x in value)


def measure_space(path: str, options: Options) -> tuple[Measurement, FilledSpace | None]:
    """A mesh and what it fills: not known of a section, and of parts of several densities."""
    spaces: list[FilledSpace | None] = []
    examine = lambda integration: spaces.append(space_of_mesh(integration))  # noqa: E731  # one line
    found = measure_with(options, path, examine=examine)
    return found, spaces[0] if spaces and not found.parts else None


def body_of_mesh(m: Measurement, source: str) -> NamedBody:
    """The body of a measured mesh; InvalidInput if it has no mass."""
    if m.properties is None:
        raise InvalidInput("the mesh has no mass, only geometry", hint="give density, material or mass")
    return NamedBody(Path(source).stem, m.properties, m.input.path, m.input.format, m.findings)


@dataclass(frozen=True)
class _PartReader:
    """The values of one `[[part]]`."""

    table: Mapping[str, Any]
    number: int
    lines: Lines
    above: tuple[Path, ...]
    known: dict[Path, Assembly]
    search: SearchPath | None
    classes: Mapping[str, float]

    def part(self) -> AssemblyPart:
        """All copies of the body, where they are."""
        place = self.place()
        if not isinstance(self.table, dict):
            raise ReadError(f"{place}: a part is a table", code="bad-value", hint="write [[part]] on a line of its own")
        given = [key for key in SOURCES if key in self.table]
        if len(given) != 1:
            what = " and ".join(given) if given else "none"
            raise ReadError(f"{place}: a part has one of {', '.join(SOURCES)}; this one has {what}", code="no-source")
        _check_keys(self.table, _known_keys(given[0], self.table), self.place, f"a part with a {given[0]}")
        body, poses = self.body(given[0]), self.poses()
        count = self.value("count", 1, lambda value: type(value) is int and value >= 1, "a whole number from 1")
        hole = self.value("hole", False, lambda value: isinstance(value, bool), "true or false")
        if "priority" in self.table and hole:
            raise self.bad(
                "priority", "a hole has no priority", 'name what it is cut from, for example displaces = ["plate"]'
            )
        growth, maturity = self.growth(hole=hole), self.table.get("maturity", "")
        group = self.value("group", None, lambda value: value is None or isinstance(value, str), "a text")
        with as_read_error(self.place(next((k for k in ("growth", "maturity") if k in self.table), ""))):
            if "assembly" in self.table and not hole:
                whole = replace(self._assembly(self.table["assembly"]), name=body.name or "")
                part = place_assembly(whole, poses, count, growth=growth, maturity=maturity)
                part = replace(part, body=replace(body, properties=part.body.properties))
            else:
                part = place_body(body, poses, count, hole=hole, predicted=grow(body.properties, growth))
        if "limit" in self.table and hole:
            raise self.bad("limit", "a hole has no limit", "give it to the part that the hole is cut from")
        limit = self.parsed("limit", parse_mass) if "limit" in self.table else None
        return replace(part, maturity=maturity, group=group, limit=limit)

    def grows_with(self, hole: AssemblyPart, parts: Sequence[AssemblyPart]) -> AssemblyPart:
        """A hole that grows with the part that it is cut from: the one that `displaces` names, or of its group, or the only one.

        A part that is no hole stays as it is.

        Raises
        ------
        ReadError
            If the parts that it can be cut from grow differently.
        """
        names = self.table.get("displaces", [])
        hosts = [part for part in parts if not names or part.body.name in names]
        if hole.group is not None:
            hosts = [part for part in hosts if part.group == hole.group]
        facts = {(round(p.growth, 12), p.maturity, p.group, p.limit) for p in hosts}
        is_mixed = len(facts) != 1 or any(p.inside is not None for p in hosts)
        if hole.body.properties.mass >= 0 or (len(hosts) > 1 and not any(part.is_budgeted for part in hosts)):
            return hole
        if is_mixed or (len(hosts) > 1 and (hosts[0].limit or (hosts[0].grown and not hosts[0].maturity))):
            what = "it is not known with which part this hole grows"
            hint = 'name it, for example displaces = ["plate"]; cut what belongs to an assembly in its own file'
            raise self.bad("hole", what, hint)
        host = hosts[0]
        grown = grow(hole.body.properties, host.growth) if host.grown else None
        item = host.item if len(hosts) == 1 else hole.item
        return replace(hole, grown=grown, maturity=host.maturity, group=host.group, item=item)

    def displaced(self, own: int, names: Sequence[str]) -> frozenset[int]:
        """Numbers of the parts that `displaces` names."""
        found = set[int]()
        for name in self.value("displaces", [], _are_texts, "a list of names of parts"):
            meant = {k for k, other in enumerate(names) if other == name and k != own}
            if not meant:
                hint = did_you_mean(name, [other for k, other in enumerate(names) if other and k != own])
                which = "no other part" if name == names[own] else "no part"
                raise self.bad("displaces", f"{which} {name!r}", hint)
            found |= meant
        return frozenset(found)

    def priority(self) -> float:
        """Rank of the part where it shares space with others; 0 by default."""
        value = self.value("priority", 0, lambda v: type(v) in (int, float) and math.isfinite(v), "a number")
        return float(value)

    def occupants(self) -> tuple[Occupant, ...]:
        """Where its copies are, in the frame of the assembly; each pose has its own."""
        count, hole = self.table.get("count", 1), self.table.get("hole", False)
        if "assembly" in self.table and not hole:
            whole = self._assembly(self.table["assembly"])
            return place_occupants(whole, self.poses(), count, self.table.get("name", whole.name))
        own = self._occupant(hole=hole)
        # each copy is compared with the others
        return tuple(replace(own.transformed(pose), family=object(), count=count) for pose in self.poses())

    def _occupant(self, *, hole: bool) -> Occupant:
        kind = next(key for key in SOURCES if key in self.table)
        body = self.body(kind)
        space = self._measured_space[1] if kind == "mesh" else None
        if kind == "shape":
            shape = SHAPES[self.table["shape"]]
            space = space_of_shape(shape.name, parse_lengths(shape, self.table))
        has_extent = space is None and kind != "shape"
        properties = -body.properties if hole else body.properties
        density = body.properties.mass / space.moments.measure if space else 0.0
        return Occupant(body.name or "?", properties, space, 1, density, has_extent, "mass" in self.table)

    def parsed(self, key: str, parse: Callable[..., float]) -> float:
        """The value of a key as a number; an error has its line."""
        with as_read_error(self.place(key)):
            return parse(self.table[key], name=key)

    def growth(self, *, hole: bool) -> float:
        """Mass growth allowance as a share of the basic mass: stated, or that of the maturity class."""
        stated = [key for key in ("growth", "maturity") if key in self.table]
        if not stated:
            return 0.0
        if hole:
            raise self.bad(stated[0], "a hole grows with the part that it is cut from", hint="leave it out")
        if len(stated) > 1:
            raise self.bad(stated[0], "growth and maturity are given together", hint="leave one of them out")
        if stated == ["growth"]:
            return self.parsed("growth", partial(parse_share, ends=True))
        name = self.table["maturity"]
        if not isinstance(name, str) or name not in self.classes:
            example = 'for example [maturity] estimated = "25 %"'
            hint = did_you_mean(str(name), list(self.classes)) if self.classes else example
            raise self.bad("maturity", f"no maturity class {name!r} in [maturity]", hint)
        return self.classes[name]

    def place(self, key: str = "") -> str:
        return self.lines.place(("part", self.number), key)

    def bad(self, key: str, message: str, hint: str = "") -> ReadError:
        return ReadError(f"{self.place(key)}: {message}", code="bad-value", hint=hint)

    def value(self, key: str, default: Any, good: Callable[[Any], bool], what: str) -> Any:
        """The value of a key, which has to be something."""
        value = self.table.get(key, default)
        if not good(value):
            raise self.bad(key, f"{key} must be {what}, got {value!r}")
        return value

    def body(self, kind: str) -> NamedBody:
        """The body in its own frame, under the name of the part."""
        source = self.table[kind]
        for key in (kind, "name", *_UNITS, "material"):
            self.value(key, "", lambda value: isinstance(value, str), "a text")
        read = {"mesh": self._mesh, "shape": self._shape, "body": self._body, "assembly": self._whole}[kind]
        try:
            found = read(source)
        except MasspropsError as error:
            place = self.place(self._culprit(error, kind))
            if isinstance(error, InvalidGeometry):
                raise error.at(place) from error
            raise ReadError(f"{place}: {error.message_in_file}", code=error.code, hint=error.remedy) from error
        return replace(found, name=self.table.get("name", found.name))

    def _culprit(self, error: MasspropsError, kind: str) -> str:
        """The key that the message begins with, or whose value it quotes, so that it can point at its line."""
        message = error.message_in_file.replace("area density", "area_density", 1)
        begins = (
            key
            for key, value in self.table.items()
            if message.startswith(f"{key} ") or (isinstance(value, str) and repr(value.strip()) in message)
        )
        return next(begins, kind)

    def _mesh(self, source: str) -> NamedBody:
        return body_of_mesh(self._measured_space[0], source)

    @cached_property
    def _measured_space(self) -> tuple[Measurement, FilledSpace | None]:
        """The mesh and what it fills: not known of a section, and of parts of several densities."""
        given: dict[str, Any] = {key: self.table[key] for key in (*_UNITS, *_MATTER) if key in self.table}
        if "thickness" in given:  # a bare length is in the unit of the file, as a text is read
            given["thickness"] = str(given["thickness"])
        return measure_space(self._path(self.table["mesh"]), Options(**given))

    def _shape(self, source: str) -> NamedBody:
        given: dict[str, Any] = {key: self.table.get(key) for key in _MATTER}
        mass_specification = MassSpecification.parse(**given)
        lengths = {key: self.table[key] for key in _shape_keys(self.table) if key in self.table}
        return NamedBody(source, shape_from_lengths(source, lengths, mass_specification), "", "shape")

    def _body(self, source: str) -> NamedBody:
        contents = known_bodies(self._path(source), search=self.search)
        bodies = contents.bodies
        if len(bodies) != 1:
            names = ", ".join(b.name or "?" for b in bodies[:8])
            what = f"{source}: holds {len(bodies)} bodies; a part is one body"
            raise InvalidInput(what, hint=f"choose one of {names} with #")
        return replace(bodies[0], findings=(*bodies[0].findings, *contents.notes)) if contents.of_rows else bodies[0]

    def _whole(self, source: str) -> NamedBody:
        return self._assembly(source).body

    def _assembly(self, source: str) -> Assembly:
        path = self._path(source)
        chain = [*self.above, real_path(path)]
        if chain[-1] in self.above or len(chain) > DEEPEST:
            circle = " → ".join(p.name for p in chain[-4:])
            raise InvalidInput(f"assemblies lead back to themselves: {circle}", code="cycle", hint="break the circle")
        if chain[-1] not in self.known:
            self.known[chain[-1]] = read_assembly(path, self.search, self.above, self.known)
        return self.known[chain[-1]]

    def note_named(self) -> None:
        """Record the file that it is read from, if there is one."""
        if isinstance(self.table, dict):
            for key in {"mesh", "body", "assembly"} & self.table.keys():
                note_named(self._path(str(self.table[key])))

    def _path(self, source: str) -> str:
        """The file as seen from here; the assembly's own folder is where its paths begin."""
        return str(Path(self.lines.path).parent / source)

    def poses(self) -> list[Pose]:
        """Where the copies are: one pose, several, or the frame of the assembly itself."""
        if "pose" in self.table and "poses" in self.table:
            raise self.bad("poses", "pose and poses are given together")
        key, values = "poses", self.table.get("poses", [[0, 0, 0]])
        if "pose" in self.table:
            key, values = "pose", [self.table["pose"]]
        if not isinstance(values, list) or not values:
            raise self.bad("poses", "poses must be a list of poses")
        return [self._pose(value, key) for value in values]

    def _pose(self, value: Any, key: str) -> Pose:
        """A text as on the command line, or a list of numbers and texts with units."""
        words = value if isinstance(value, str) else None
        if isinstance(value, list) and all(isinstance(x, int | float | str) for x in value):
            words = ", ".join(x.strip() if isinstance(x, str) else repr(x) for x in value)
        if words is None:
            hint = 'write "x y z" or "x y z roll pitch yaw"'
            raise self.bad(key, f"a pose is a text or a list of numbers, got {value!r}", hint)
        with as_read_error(self.place(key)):
            return Pose.parse(words, unit=self._measured_space[0].input.unit if "mesh" in self.table else "m")

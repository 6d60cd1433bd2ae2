"""Inertials that simulators take from a robot file, by the rules of `engines.toml`, beside those that it states or that its geometry has.

Tests: `tests/diagnosis/test_engines.py`.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePath
from typing import Any, Literal

import numpy as np

from massprops.diagnosis.link_geometry import Measurer
from massprops.diagnosis.lumped_links import lump_links
from massprops.diagnosis.reference import inertial_of
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, result_or_error
from massprops.findings import Finding
from massprops.formats.inertial.inertial import Inertial, NamedBody
from massprops.formats.inertial.numbers import number
from massprops.formats.inertial.simulator_rules import EIGENVALUE_ROUNDING, newton_refuses, predict, refuses
from massprops.formats.mesh.arrays import from_soup
from massprops.formats.registry import open_mesh
from massprops.formats.robot.links import ComputedInertial, Geometry, Link, LinkMesh, Primitive
from massprops.formats.robot.mjcf import Compiler, compiler_of
from massprops.formats.text import quote
from massprops.frames import Pose
from massprops.json_values import json_object
from massprops.measurement.inferred import NOTHING, Groups, geoms_with_mass, mesh_moments, weigh
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.moments.arrays import Array, length, sum_of, symmetric_eigen
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import SHAPES

Verdict = Literal["same", "differs", "lumped", "refused", "unknown"]
#: Numbers nearer than this, relative to the largest, are the same: what single precision and printed digits leave.
SAME = 1e-6
#: mjMINVAL: MuJoCo takes less for nothing.
_LEAST = 1e-15
#: Eigenvalues that MuJoCo may take for negative.
_NEAR_ZERO = 1e-14
_DEFAULT = MassProperties(1.0, np.zeros(3), np.eye(3))
_GROUPS: Groups = (0, 5)
#: m³: Newton gives a round geom of a stated mass no mass if it is smaller (_MIN_EXPLICIT_MASS_REFERENCE_MASS).
_LEAST_VOLUME = 1e-12
_LUMPS = "sdformat, src/parser_urdf.cc (ReduceInertialToParent, CreateSDF)"


@dataclass(frozen=True)
class EngineRule:
    """A rule of `engines.toml`; see there."""

    formats: Sequence[str]
    when: Sequence[str]
    takes: str
    words: str
    source: str
    unknown: str = ""


@dataclass(frozen=True)
class Engine:
    """A simulator: its title, its rules in their order, the rule of acceptance that it applies, and what of MJCF it honours.

    `reading`: by what name of `mjcf_model.READINGS` it reads MJCF, where it does not read it as MuJoCo does. `skips`: what of `through`
    its readers leave out. `meshes`: suffixes of the meshes that it reads, by format; it refuses a file that
    has others.
    """

    title: str
    honours: Sequence[str]
    rules: tuple[EngineRule, ...] = ()
    acceptance: str | None = None
    reading: str = ""
    skips: Sequence[str] = ()
    meshes: Mapping[str, Sequence[str]] = field(default_factory=dict)


@cache
def engines() -> Mapping[str, Engine]:
    """The simulators by name, as `engines.toml` has them."""
    found = tomllib.loads(Path(__file__).with_name("engines.toml").read_text(encoding="utf-8"))
    return {
        name: Engine(**entry | {"rules": tuple(EngineRule(**rule) for rule in entry.get("rules", ()))})
        for name, entry in found.items()
    }


@dataclass(frozen=True, eq=False)
class EngineBody:
    """The inertial that a simulator takes for a link.

    Attributes
    ----------
    engine : str
        Name of the simulator.
    rule, source : str
        The rule that decides, in words, and where it is documented.
    expected : MassProperties or None
        What the file states, or asks to be computed of the geometry; None if neither.
    takes : MassProperties or None
        None if it is refused or not known.
    unknown : str
        The quantity of `takes` that is not known: ``center_of_mass``, ``principal_moments`` or none.
    refused : bool
    lumped : bool
        Whether the simulator adds it to the link that it is fixed to, and holds none of this name.
    """

    engine: str
    rule: str
    source: str
    expected: MassProperties | None
    takes: MassProperties | None
    unknown: str = ""
    refused: bool = False
    lumped: bool = False

    @property
    def title(self) -> str:
        """Title of the simulator."""
        return engines()[self.engine].title

    @property
    def verdict(self) -> Verdict:
        """``same`` (also a body without mass where nothing is stated), ``differs``, ``lumped``, ``refused`` or ``unknown``."""
        if self.lumped:
            return "lumped"
        if self.takes is None:
            return "refused" if self.refused else "unknown"
        return "differs" if self._difference() else "same"

    def finding(self) -> Finding | None:
        """The warning about this link; None if the simulator takes it as it is stated, or that is not known."""
        if self.verdict in ("same", "lumped", "unknown"):
            return None
        what = "refuses this link" if self.refused else self._difference()
        value = None if self.takes is None else self.takes.mass
        limit = None if self.takes is None else 0.0 if self.expected is None else self.expected.mass
        return Finding(f"engine-{self.verdict}", "warning", f"{self.title} {what}: {self.rule}", value, limit)

    def _difference(self) -> str:
        """The first quantity that differs, in words; empty if none does."""
        mine, other = self.takes, self.expected
        if mine is None:
            return ""
        if other is None:
            return f"takes {mine.mass:.4g}\xa0kg where none is stated" if mine.mass else ""
        if abs(mine.mass - other.mass) > SAME * max(abs(mine.mass), abs(other.mass)):
            return f"takes {mine.mass:.4g}\xa0kg instead of {other.mass:.4g}\xa0kg"
        spread = np.sqrt(max(np.trace(other.inertia), 0.0) / other.mass) if other.mass > 0 else 0.0
        away = 0.0 if self.unknown == "center_of_mass" else length(mine.com - other.com)
        if away > SAME * (spread + length(other.com)):
            return f"takes a centre of mass {away:.3g}\xa0m away"
        if self.unknown == "principal_moments":
            return "takes other moments of inertia"
        if length(mine.inertia - other.inertia) > SAME * length(other.inertia):
            moments = [b.principal().moments for b in (mine, other)]
            if length(moments[0] - moments[1]) <= SAME * length(moments[1]):
                return "takes the same principal moments about other axes"
            one, two = (", ".join(f"{m:.3g}" for m in each) for each in moments)
            return f"takes principal moments of ({one})\xa0kg\xa0m² instead of ({two})\xa0kg\xa0m²"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Dictionary as the JSON schema spells it."""
        takes = _numbers(self.takes)
        if takes is not None and self.unknown:
            takes |= {self.unknown: None} | ({"inertia": None} if self.unknown == "principal_moments" else {})
        return json_object(self, "engine verdict rule source", takes=takes, expected=_numbers(self.expected))


def _numbers(body: MassProperties | None) -> dict[str, Any] | None:
    if body is None:
        return None
    moments = body.principal().moments
    return json_object(body, "mass inertia", center_of_mass=body.com, principal_moments=moments)


def engine_bodies(links: Sequence[Link], names: Sequence[str], measurer: Measurer) -> list[list[EngineBody]]:
    """Inertials that some simulators take, for each link of a robot in the order of the simulators.

    Raises
    ------
    InvalidInput
        If it is no robot in URDF, SDF, MJCF or USD.
    """
    if any(link.error is None and link.dialect not in ("urdf", "sdf", "mjcf", "usd") for link in links):
        what = "what engines compute is known for robots in URDF, SDF, MJCF and USD"
        raise InvalidInput(what, hint="leave the engines out, or convert the robot")
    by_engine = [_of_engine(name, links, measurer) for name in names]
    return [list(each) for each in zip(*by_engine, strict=True)]


def _of_engine(name: str, links: Sequence[Link], measurer: Measurer) -> list[EngineBody]:
    engine = engines()[name]
    faults = _mesh_faults(engine, links, measurer)
    found = [
        _Case(own, link, name, engine, measurer, faults).body()
        for link, own in zip(links, _as_read(links, engine), strict=True)
    ]
    if "lumping" in engine.honours:
        return _lumped(links, found)
    if "names" in engine.honours:
        names = Counter(str(link.name) for link in links if link.name is not None)
        names += Counter(
            f"{link.name}{k}" for link in links for k in range(_dummies(link) if "dummies" in engine.honours else 0)
        )
        found = [
            _refused(b, "its name is not the only one") if names[str(x.name)] > 1 else b
            for x, b in zip(links, found, strict=True)
        ]
    if "moving" in engine.honours:
        found = _fused(links, found)
        held, anchors = _held(links, found), _anchors(links)
        for k, (link, body) in enumerate(zip(links, found, strict=True)):
            if body.takes is not None and _moves(link) and not held[k]:
                found[k] = _refused(body, "a body that moves needs mass and inertia, or a body with both fixed to it")
            elif anchors[k] is not None and any("plane" in g.through for g in link.collision + link.visual):
                found[k] = _refused(body, "a body that moves has a plane")
            elif "free joint" in link.through and _is_below_a_body(links, k):
                found[k] = _refused(body, "a free joint below another body")
    if "settotalmass" in engine.honours:
        return list(_scaled(links, found))
    return found


def _as_read(links: Sequence[Link], engine: Engine) -> list[Link]:
    """Each link as the simulator reads it, through ``unread`` if it does not."""
    found, others = [], dict[tuple[str, int], list[Link]]()
    for link in links:
        if not engine.reading or link.reread is None:
            found.append(link)
            continue
        if not others:
            for other in link.reread(engine.reading):
                others.setdefault((other.place, other.element), []).append(other)
        same = others.get((link.place, link.element), [])
        named = [other for other in same if other.name == link.name] or [
            o for o in same if _numbered(o) and _numbered(link)
        ]
        found.append(named[0] if named else replace(link, through=link.through | {"unread"}))
    return found


def _numbered(link: Link) -> bool:
    """Whether a body has no name of its own, but a number."""
    return bool(re.fullmatch(r"body\d+", link.name or ""))


def _lumped(links: Sequence[Link], found: Sequence[EngineBody]) -> list[EngineBody]:
    """The bodies of Gazebo, in which links of URDF that are fixed to others are added to these."""
    bodies, own = list(found), [k for k, link in enumerate(links) if link.dialect == "urdf" and link.error is None]
    made = lump_links([links[k] for k in own], [found[k].expected for k in own])
    for k, link in zip(own, made, strict=True):
        if isinstance(link, MasspropsError):
            bodies[k] = replace(found[k], rule=f"not known: {link}", takes=None)
        else:
            source, rule = (_LUMPS, link.rule) if link.rule else (found[k].source, found[k].rule)
            bodies[k] = replace(found[k], takes=link.takes, lumped=link.is_lumped, rule=rule, source=source)
            bodies[k] = replace(bodies[k], refused=link.takes is None)
    return bodies


def _joints(link: Link) -> int:
    """The number of its joints; 0 where they cannot be read."""
    placement = result_or_error(link.placement)
    return 0 if isinstance(placement, MasspropsError) else len(placement.joints)


def _dummies(link: Link) -> int:
    """The bodies that Drake puts between the joints of one body of MJCF, with numbers behind its name."""
    return max(_joints(link) - 1, 0) if link.dialect == "mjcf" else 0


def _refused(body: EngineBody, rule: str) -> EngineBody:
    return replace(body, takes=None, refused=True, rule=rule)


def _parent(link: Link) -> str | None:
    placement = result_or_error(link.placement)
    return None if isinstance(placement, MasspropsError) else placement.parent


def _moves(link: Link) -> bool:
    """Whether a link moves in MuJoCo, which fixes the root of a URDF to the world."""
    return not link.fixed and (link.dialect != "urdf" or _parent(link) is not None)


def _held(links: Sequence[Link], found: Sequence[EngineBody]) -> list[bool]:
    """Whether each link, or one that is fixed to it, has mass and inertia; unknown bodies are taken to have them."""
    bodies = [x.takes for x in found]
    held = [b is None or (b.mass >= _LEAST and min(b.principal().moments) >= _LEAST) for b in bodies]
    place = {link.name: k for k, link in enumerate(links)}
    waiting = [k for k, holds in enumerate(held) if holds]
    while waiting:
        link = links[waiting.pop()]
        above = place.get(_parent(link)) if link.fixed else None
        if above is not None and not held[above]:
            held[above] = True
            waiting.append(above)
    return held


def _anchors(links: Sequence[Link]) -> list[int | None]:
    """The number of the link that carries each, through fixed joints: itself if it moves, None where that is the world."""
    place, found = {link.name: k for k, link in enumerate(links)}, []
    for k, link in enumerate(links):
        at: int | None = k
        for _ in links:  # at most, should they be a ring
            if at is None or not link.fixed:
                break
            at = place.get(_parent(link))
            link = link if at is None else links[at]
        found.append(at if at is not None and _moves(link) else None)
    return found


def _fuses(link: Link) -> bool:
    """Whether MuJoCo fuses fixed bodies of its file, which it does by default in URDF."""
    return link.settings.get("fusestatic", "true" if link.dialect == "urdf" else "false") == "true"


def _refits(link: Link) -> bool:
    """Whether MuJoCo would infer the inertial of fused bodies again, and change it."""
    compiler = _compiler(link)
    return compiler.from_geoms and bool(compiler.least_mass or compiler.least_moment or compiler.balances)


def _is_below_a_body(links: Sequence[Link], k: int) -> bool:
    """Whether a body is in another one, as far as it is not fused with the world."""
    above = next((x for x in links if x.name == _parent(links[k])), None)
    if above is None or (above.dialect == "urdf" and above.name == "world"):
        return False
    return not (_fuses(above) and _anchors(links)[links.index(above)] is None)


def _fused(links: Sequence[Link], found: Sequence[EngineBody]) -> list[EngineBody]:
    """The bodies that MuJoCo makes of links that it fuses with the one to which they are fixed, or with the world."""
    anchors, result = _anchors(links), []
    for k, (link, body) in enumerate(zip(links, found, strict=True)):
        anchor, members = anchors[k], [j for j, at in enumerate(anchors) if at == k]
        if not _fuses(link) or (anchor == k and len(members) == 1) or body.refused:
            result.append(body)
        elif link.dialect == "mjcf" or _refits(link):
            other = (
                "something refers to it"
                if link.dialect == "mjcf"
                else "bounds and inertiafromgeom would change it again"
            )
            result.append(replace(body, takes=None, rule=f"fusestatic fuses it, unless {other}"))
        elif anchor == k:
            result.append(_lump(links, found, members))
        elif body.takes is None:
            result.append(body)
        elif anchor is None:
            what = "fixed to the world, and fused with it (fusestatic)"
            result.append(replace(body, takes=NOTHING, unknown="", rule=what))
        else:
            what = f"fixed to {links[anchor].name}, and fused with it (fusestatic)"
            result.append(replace(body, takes=NOTHING, expected=None, unknown="", rule=what))
    return result


def _lump(links: Sequence[Link], found: Sequence[EngineBody], members: Sequence[int]) -> EngineBody:
    """The body of a link, the first of the members, with those that are fixed to it."""
    first = min(members, key=lambda k: (links[k].fixed, k))
    body, compiler = found[first], _compiler(links[first])
    rule = f"{body.rule}; with {len(members) - 1} links that are fixed to it (fusestatic)"
    takes = {k: found[k].takes for k in members}
    negative = {k for k in members if (stated := links[k].body) is not None and stated.properties.mass < 0}
    unknown = [links[k].name for k, b in takes.items() if b is None or k in negative or found[k].unknown]
    geoms = [k for k in members if any(geoms_with_mass(links[k].collision, compiler.groups))]
    counted = (geoms or [first]) if compiler.from_geoms else members
    if unknown:
        names = ", ".join(map(str, unknown))
        return replace(body, takes=None, rule=f"{rule}, and what these are together is not known: {names}")
    poses = {k: _pose_in(links, k, first) for k in members}

    def together(bodies: Mapping[int, MassProperties | None]) -> MassProperties | None:
        known = {k: b for k, b in bodies.items() if b is not None}
        return sum_of([NOTHING, *(b.transformed(poses[k]) for k, b in known.items() if b.mass)]) if known else None

    expected = together({k: found[k].expected for k in members})
    return replace(body, takes=together({k: takes[k] for k in counted}), expected=expected, rule=rule)


def _pose_in(links: Sequence[Link], k: int, base: int) -> Pose:
    """X_BL: the frame of a link in that of one to which it is fixed."""
    place, pose = {link.name: j for j, link in enumerate(links)}, Pose.identity()
    while k != base:
        placement = links[k].placement()
        pose, k = (placement.pose or Pose.identity()) @ pose, place[placement.parent]
    return pose


def _mesh_faults(engine: Engine, links: Sequence[Link], measurer: Measurer) -> dict[LinkMesh, str]:
    """Words of `_facts` for the meshes for which the simulator refuses the file."""
    meshes = {mesh: link.dialect for link in links for mesh in _read_meshes(link) if link.dialect in engine.meshes}
    return {
        mesh: why for mesh, dialect in meshes.items() if (why := _mesh_fault(mesh, engine.meshes[dialect], measurer))
    }


def _read_meshes(link: Link) -> Sequence[LinkMesh]:
    """The mesh files that a simulator opens for a link: in MJCF all of its file, in URDF those of collisions, unless visuals are kept."""
    if link.dialect == "mjcf":
        return link.declared
    drawn = link.visual if link.settings.get("discardvisual") == "false" else ()
    solids = (_in_folder(g, link).solid for g in (*drawn, *link.collision))
    return [solid for solid in solids if isinstance(solid, LinkMesh)]


def _mesh_fault(mesh: LinkMesh, suffixes: Sequence[str], measurer: Measurer) -> str:
    if "://" in mesh.uri:
        return "missing mesh"
    key = result_or_error(measurer.key, mesh)
    if isinstance(key, MasspropsError):
        return "missing mesh" if key.code == "missing-file" else ""
    suffix = mesh.uri.rpartition(".")[2].lower()
    if suffix == "stl" and isinstance(key, Path):
        with measurer.search.reading_meshes():
            found = result_or_error(_stl_suffix, key)
        suffix = found if isinstance(found, str) else suffix
    if isinstance(key, LinkMesh):
        suffix = "points"
    return ("one scale" if mesh.has_one_scale else "") if suffix in suffixes else "other mesh"


def _stl_suffix(path: Path) -> str:
    """``ascii`` of an STL file that is text."""
    with open_mesh(path) as mesh:
        return "ascii" if mesh.encoding == "ascii" else "stl"


def _in_folder(geometry: Geometry, link: Link) -> Geometry:
    """A geometry of URDF whose mesh is where MuJoCo opens it: in `meshdir`."""
    solid = geometry.solid
    if link.dialect != "urdf" or not isinstance(solid, LinkMesh):
        return geometry
    compiler = _compiler(link)
    return replace(
        geometry, solid=replace(solid, uri=posixpath.join(compiler.mesh_folder, compiler.stripped(solid.uri)))
    )


def _scaled(links: Sequence[Link], found: Sequence[EngineBody]) -> Iterator[EngineBody]:
    """The bodies, all scaled so that they add up to `settotalmass`."""
    total = sum(body.takes.mass for body in found if body.takes is not None)
    complete = all(body.takes is not None for body in found)
    for link, body in zip(links, found, strict=True):
        wanted = result_or_error(_compiler, link)
        if isinstance(wanted, MasspropsError) or wanted.total_mass <= 0 or body.takes is None:
            yield body
        elif not complete:
            yield replace(body, takes=None, rule=f"{body.rule}; settotalmass, and not all masses are known")
        else:
            factor = wanted.total_mass / max(total, _LEAST)
            takes = MassProperties(body.takes.mass * factor, body.takes.com, body.takes.inertia * factor)
            yield replace(body, takes=takes, rule=f"{body.rule}; settotalmass scales all masses")


def _compiler(link: Link) -> Compiler:
    return compiler_of(link.settings, link.place) if link.dialect in ("mjcf", "urdf") else Compiler()


class _Refused(Exception):
    """A geometry for which the simulator refuses the file."""


@dataclass(frozen=True)
class _Case:
    """A link as a simulator reads it, and as MuJoCo or its format means it, and this simulator."""

    link: Link
    meant: Link
    name: str
    engine: Engine
    measurer: Measurer
    faults: Mapping[LinkMesh, str]

    def body(self) -> EngineBody:
        """The inertial that the simulator takes; unknown where no rule is known, or what it needs cannot be read."""
        name, link = self.name, self.link
        try:
            for each in (self.meant, link):
                if each.error is not None:
                    raise each.error
            compiler = self._compiler
            stated, changed = self._stated(compiler)
            rule = self._rule(self._facts(compiler, stated))
            if rule is not None and rule.takes == "refused":
                expected = None if isinstance(known := result_or_error(self._expected), MasspropsError) else known
            else:
                expected = self._expected()
        except MasspropsError as error:
            return EngineBody(name, f"not known: {error}", "", None, None)
        if rule is None or (link.is_generated and name != "mujoco" and rule.takes != "absent"):
            return EngineBody(name, f"no rule is known for this case of {link.dialect.upper()}", "", expected, None)
        found = EngineBody(name, rule.words, rule.source, expected, None, rule.unknown, rule.takes == "refused")
        return self._corrected(self._applied(rule, found, stated, changed))

    @property
    def _compiler(self) -> Compiler:
        """The settings of `<compiler>` that the simulator reads."""
        return _compiler(self.link) if self.link.dialect == "mjcf" or "urdf" in self.engine.honours else Compiler()

    def _applied(self, rule: EngineRule, found: EngineBody, stated: NamedBody | None, changed: str) -> EngineBody:
        """The body by a rule, after the changes of the compiler; `changed` are those of the stated inertial, in words."""
        compiler = self._compiler
        try:
            takes = self._takes(rule.takes, compiler, stated)
        except _Refused as error:
            return _refused(found, str(error))
        except MasspropsError as error:
            return replace(found, rule=f"{rule.words}, which is not measured: {error}")
        if takes is not None and rule.takes not in ("stated", "absent") and "bounds" in self.engine.honours:
            before = takes.mass
            takes, changed = _bounded(takes, compiler)
            if takes.mass > before == 0 and self.name == "mujoco":
                # in 4.0 at the `pos` of the body, or of its only geom
                found = replace(found, unknown="center_of_mass")
        notes = [rule.words, *self._integrals(rule.takes), *([changed] if changed and takes is not None else [])]
        return replace(found, takes=takes, rule="; ".join(notes))

    def _corrected(self, found: EngineBody) -> EngineBody:
        """The body with unknown moments, if Newton corrects them."""
        takes = found.takes
        if "corrects" not in self.engine.honours or takes is None or not (takes.mass or takes.inertia.any()):
            return found
        if not takes.mass > 0:
            return replace(found, takes=NOTHING, rule="without a positive mass, it does not move")
        if refuses("newton", Inertial(takes.mass, Pose.identity(), takes.inertia)) is False:
            return found
        return replace(
            found, unknown="principal_moments", rule=f"{found.rule}; moments that it does not accept are corrected"
        )

    def _integrals(self, takes: str) -> list[str]:
        """Notes on geoms that are left out, and on other integrals than the exact one over meshes."""
        every = (*self.link.visual, *self.link.collision) if takes == "geoms" else ()
        left = {word for g in every for word in g.through if word in self.engine.skips}
        solids = (g.solid for g in every if "integral" in self.engine.honours)
        kinds = {s.integral for s in solids if isinstance(s, LinkMesh)} - {"exact"}
        return [f"without those of {word}" for word in sorted(left)] + [
            f"{k} integral over its mesh" for k in sorted(kinds)
        ]

    def _expected(self) -> MassProperties | None:
        link = self.meant
        if link.body is not None:
            return link.body.properties
        if link.automatic is not None:
            return self.measurer.automatic(link, link.automatic)[0]
        if link.infers and _compiler(link).infers:
            return weigh((*link.visual, *link.collision), _GROUPS, lambda g: self.measurer.place(g).moments)
        return None

    def _stated(self, compiler: Compiler) -> tuple[NamedBody | None, str]:
        """The stated inertial after the changes of the compiler, and those in words."""
        body = self.link.body
        if any(f"inertial in {tag}" in self.link.through for tag in self.engine.skips):
            return None, ""
        if body is None or "bounds" not in self.engine.honours:
            return body, ""
        properties, words = _bounded(body.properties, compiler)
        if not words:
            return body, ""
        return NamedBody.of(body.name, inertial_of(properties), body.place, body.dialect), words

    def _facts(self, compiler: Compiler, stated: NamedBody | None) -> set[str]:
        """Words that are true of the link.

        stated, computed (the file asks for that; overridden: moments, axes or centres are stated; weighed twice: the body states a mass,
        and its collisions others) or none; massless: no mass is stated, or 0; impossible: by the simulator's rule of acceptance;
        doubtful: by it, within rounding; indefinite: with a moment of 0 or less in a full tensor; held: fixed to its parent;
        collisions, meshes: its collision geometry; geoms: those that count have a mass; skipped: it stands in an element that the
        simulator skips; of SDF static root, incomplete (without mass or moments) and read otherwise; unlimited: a joint of its robot
        has no limits.
        """
        link = self.link
        acceptance = self._acceptance(stated)
        true = {
            "stated": stated is not None,
            "computed": link.automatic is not None,
            "overridden": link.automatic is not None and link.automatic.overrides,
            "static root": link.settings.get("static") == "1" and _parent(link) is None,
            "unlimited": "unlimited" in link.settings,
            "incomplete": "incomplete" in link.settings,
            "read otherwise": "pose" in link.settings or (link.dialect == "sdf" and "::" in (link.name or "")),
            "weighed twice": link.automatic is not None and _weighed_twice(link.automatic),
            "none": stated is None and link.automatic is None,
            "massless": link.automatic is None and (stated is None or stated.properties.mass <= 0),
            "impossible": acceptance == "error",
            "doubtful": acceptance == "warning",
            "indefinite": self._is_indefinite(),
            "held": link.fixed,
            "skipped": not link.through.isdisjoint({"unread", *self.engine.skips}),
            "nameless": "model" not in link.settings,
            "collisions": bool(link.geometry("collision")),
            "meshes": any(isinstance(g.solid, LinkMesh) for g in link.collision) and stated is None,
            "geoms": any(geoms_with_mass(self._geoms(), self._groups(compiler))),
            "other joint": "other joint" in link.through,
            "drake_ignore": "drake_ignore" in link.through,
            "aligned": self._is_aligned(),
            "strips paths": compiler.strips_paths and bool(link.declared),
            "discards": self._discards(compiler),
            "flexcomp": link.is_generated,
            "static joint": link.settings.get("static") in ("true", "1") and _joints(link) > 0,
            "global": link.settings.get("coordinate", "local") != "local",
            "repeated": "repeated" in link.settings,
            "bounded flexcomp": link.is_generated
            and bool(compiler.least_mass or compiler.least_moment or compiler.balances),
            "inertiafromgeom=true": compiler.from_geoms,
            "inertiafromgeom=false": not compiler.infers and stated is None,
            "world": link.name == "world",
            "other units": link.dialect == "usd" and {float(unit) for unit in link.settings.values()} != {1.0},
        }
        return {word for word, holds in true.items() if holds} | self._faults()

    def _faults(self) -> set[str]:
        """Words for geometry for which a simulator refuses the file."""
        link = self.link
        found = {self.faults[mesh] for mesh in _read_meshes(link) if mesh in self.faults}
        if link.dialect == "mjcf":
            every = self._geoms()
            weights = [g.stated[k] for g in every for k in ("mass", "density") if k in g.stated]
            found |= {"negative weight"} if any(number(w, link.place, "mass") < 0 for w in weights) else set()
            discards = "bounds" in self.engine.honours and link.settings.get("discardvisual") == "true"
            found = {"discarded mesh"} if found and discards else found
            found |= {
                word
                for word in ("fitted mesh", "undefined mesh", "posed fromto")
                if any(word in g.through for g in every)
            }
            shells = [g for g in every if isinstance(g.solid, LinkMesh) and g.stated.get("shellinertia") == "true"]
            found |= {"mesh shell"} if shells else set()
            found |= {"no size"} if any(g.is_empty and "plane" not in g.through for g in every) else set()
        return found

    def _discards(self, compiler: Compiler) -> bool:
        """Whether MuJoCo is to leave out visual geoms that have a mass."""
        return self.link.settings.get("discardvisual") == "true" and any(
            geoms_with_mass(self.link.visual, compiler.groups)
        )

    def _is_aligned(self) -> bool:
        """Whether MuJoCo moves the frame of the body to its centre and principal axes."""
        through, settings = self.link.through, self.link.settings
        return "aligned joint" in through or (
            "free joint" in through and settings.get("alignfree") == "true" and self.link.dialect == "urdf"
        )

    def _is_indefinite(self) -> bool:
        """Whether MuJoCo refuses a tensor, not three moments, before it changes it; one of zeros is none in URDF."""
        stated = None if self.link.body is None else self.link.body.stated
        if stated is None or stated.diagonal:
            return False
        return stated.moments[0] < -_NEAR_ZERO if stated.tensor.any() else self.link.dialect == "mjcf"

    def _acceptance(self, stated: NamedBody | None) -> str | None:
        """Severity of what the simulator's rule of acceptance finds; None if it takes the numbers."""
        if stated is not None and self.name == "newton" and stated.dialect == "mjcf":
            return "error" if newton_refuses(stated.properties.principal().moments) else None
        if stated is None or self.engine.acceptance is None:
            return None
        if "moving" in self.engine.honours:
            return self._balance(stated)
        numbers = stated.properties
        verdict = predict(self.engine.acceptance, stated) if numbers.inertia.any() or numbers.mass < 0 else None
        return None if verdict is None else verdict.severity

    def _balance(self, stated: NamedBody) -> str | None:
        """Severity of moments A + B < C after `boundinertia`, of a body that need not move; those of a tensor are rounded."""
        body, compiler = self.link.body or stated, _compiler(self.link)
        numbers = body.stated or Inertial(body.properties.mass, Pose.identity(), body.properties.inertia)
        a, b, c = (max(moment, compiler.least_moment) for moment in numbers.moments)
        doubt = 0.0 if numbers.is_principal else EIGENVALUE_ROUNDING * c
        if abs(a + b - c) < doubt or (doubt and abs(numbers.moments[0]) <= _NEAR_ZERO):
            return "warning"
        return "error" if a + b < c and not compiler.balances else None

    def _rule(self, facts: set[str]) -> EngineRule | None:
        rules = (r for r in self.engine.rules if self.link.dialect in r.formats and facts.issuperset(r.when))
        return next(rules, None)

    def _takes(self, what: str, compiler: Compiler, stated: NamedBody | None) -> MassProperties | None:
        link, body = self.link, _DEFAULT if stated is None else stated.properties
        if what in ("refused", "unknown"):
            return None
        if what == "collisions":
            return weigh(link.collision, _GROUPS, self._moments)
        if what == "geoms":
            return weigh(self._geoms(), self._groups(compiler), self._moments)
        if what == "computed":
            return self._expected()
        if what in ("nothing", "absent"):
            return NOTHING
        if what == "water":
            mass = body.mass if body.mass > 0 else 1.0
            ball = SHAPES["sphere"].function(radius=(3 * mass / (4000 * np.pi)) ** (1 / 3), density=1000.0)
            return MassProperties(mass, body.com, ball.inertia)
        return MassProperties(body.mass, body.com, body.mass * 0.002**2 / 6 * np.eye(3)) if what == "cube" else body

    def _geoms(self) -> list[Geometry]:
        """The geometries that may count: of URDF the collisions."""
        link = self.link
        if link.dialect == "urdf":
            return [_in_folder(g, link) if "urdf" in self.engine.honours else g for g in link.collision]
        return [g for g in (*link.visual, *link.collision) if g.through.isdisjoint(self.engine.skips)]

    def _groups(self, compiler: Compiler) -> Groups:
        return compiler.groups if "groups" in self.engine.honours else _GROUPS

    def _newton_moments(self, geometry: Geometry) -> Moments | None:
        """Moments of a geom in Newton; None where it has no mass.

        A capsule of URDF has the length that its `height` states, 1 m without one. A mesh is integrated as its asset of MJCF says, else
        exactly, and turned inside out if its volume is negative.
        """
        solid, is_urdf = geometry.solid, self.link.dialect == "urdf"
        if is_urdf and isinstance(solid, Primitive) and solid.shape == "capsule":
            length_ = number(geometry.stated.get("height", "1"), geometry.place, "height")
            geometry = replace(geometry, solid=Primitive.of("capsule", (solid.lengths["radius"], length_)))
        if not isinstance(solid, LinkMesh):
            found = self.measurer.place(geometry).moments
            is_small = isinstance(solid, Primitive) and solid.shape != "box" and found.measure < _LEAST_VOLUME
            return None if is_small and "mass" in geometry.stated else found
        if not solid.is_own and PurePath(solid.uri).suffix.lower() not in (".stl", ".obj"):
            raise InvalidGeometry(f"{geometry.place}: how Newton reads {quote(solid.uri)} is not known")
        how = solid.integral if self.link.dialect == "mjcf" else "exact"
        corners = self.measurer.corners(geometry, solid)
        found = mesh_moments(corners, how, solid)
        if how == "exact" and found.measure < -_LEAST:
            found = mesh_moments(corners[:, ::-1], how, solid)
        return found if found.measure > _LEAST else None

    def _moments(self, geometry: Geometry) -> Moments | None:
        """Moments of a geom as the simulator integrates them, of what the file has and not of a repaired surface."""
        if "shellinertia" in self.engine.honours and geometry.stated.get("shellinertia") == "true":
            raise InvalidGeometry(f"{geometry.place}: shellinertia is not computed")
        if self.name == "newton":
            return self._newton_moments(geometry)
        if "class" in geometry.through and "classes" not in self.engine.honours:
            raise InvalidGeometry(
                f"{geometry.place}: its class has no <geom>, or several, and the class around it has one"
            )
        if not isinstance(geometry.solid, LinkMesh):
            return self.measurer.place(geometry).moments
        how = geometry.solid.integral if "integral" in self.engine.honours else "exact"
        corners = self.measurer.corners(geometry, geometry.solid)
        found = mesh_moments(corners, how, geometry.solid)
        if "integral" not in self.engine.honours and not self._bounds_a_body(geometry.solid, corners, found):
            raise InvalidGeometry(f"{geometry.solid.uri} has no faces, is not closed, or is inside out")
        if not found.measure > _LEAST:
            raise _Refused(f"the integral over {geometry.solid.uri} is {found.measure:.3g}, and must be positive")
        return found

    def _bounds_a_body(self, mesh: LinkMesh, corners: Array, found: Moments) -> bool:
        """Whether any reader of a mesh file integrates over the same body."""
        is_file = isinstance(self.measurer.key(mesh), Path)
        return is_file and found.measure > 0 and not len(IndexedMesh.of(from_soup(corners)).open_edges())


def _weighed_twice(stated: ComputedInertial) -> bool:
    own = any(collider.mass is not None for collider in stated.colliders)
    return stated.mass is not None and (own or len(set(stated.densities)) > 1)


def _bounded(body: MassProperties, compiler: Compiler) -> tuple[MassProperties, str]:
    """A body after boundmass, boundinertia and balanceinertia, and these in words, empty if nothing changes."""
    moments, axes = symmetric_eigen(body.inertia)
    changes = [name for name in compiler.changes(body.mass, moments.tolist()) if name != "settotalmass"]
    if not changes and moments[0] < -_NEAR_ZERO:
        changes = ["boundinertia"]  # of 0, if none is stated
    if not changes:
        return body, ""
    mass, after = compiler.changed(body.mass, moments.tolist())
    return MassProperties(mass, body.com, axes @ np.diag(after) @ axes.T), f"changed by {' and '.join(changes)}"

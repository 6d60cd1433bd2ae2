"""Inertials that simulators take from a robot file, by the rules of `engines.toml`, beside those that it states or that its geometry has.

Tests: `tests/diagnosis/test_engines.py`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from massprops.formats.inertial.simulator_rules import newton_refuses, predict, refuses
from massprops.formats.robot.links import ComputedInertial, Geometry, Link, LinkMesh, Primitive
from massprops.formats.robot.mjcf import Compiler, compiler_of
from massprops.formats.text import quote
from massprops.frames import Pose
from massprops.json_values import json_object
from massprops.measurement.inferred import NOTHING, Groups, geoms_with_mass, mesh_moments, weigh
from massprops.moments.arrays import length, symmetric_eigen
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import SHAPES

Verdict = Literal["same", "differs", "lumped", "refused", "unknown"]
#: Numbers nearer than this, relative to the largest, are the same: what single precision and printed digits leave.
SAME = 1e-6
#: mjMINVAL: MuJoCo takes less for nothing.
_LEAST = 1e-15
_DEFAULT = MassProperties(1.0, np.zeros(3), np.eye(3))
_GROUPS: Groups = (0, 5)
#: m³: Newton gives a round geom of a stated mass no mass if it is smaller (_MIN_EXPLICIT_MASS_REFERENCE_MASS).
_LEAST_VOLUME = 1e-12
_LUMPS = "sdformat, src/parser_urdf.cc (ReduceInertialToParent, CreateSDF)"
_SKIPPED = "skipped, with the element of MJCF in which it stands or that makes it"


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

    reading: by what name of `mjcf_model.READINGS` it reads MJCF, where it does not read it as MuJoCo does.
    """

    title: str
    honours: Sequence[str]
    rules: tuple[EngineRule, ...] = ()
    acceptance: str | None = None
    reading: str = ""


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
            moments = [body.principal().moments for body in (mine, other)]
            if length(moments[0] - moments[1]) <= SAME * length(moments[1]):
                return "takes the same principal moments about other axes"
            one, two = (", ".join(f"{m:.3g}" for m in each) for each in moments)
            return f"takes principal moments of ({one})\xa0kg\xa0m² instead of ({two})\xa0kg\xa0m²"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Dictionary as the JSON schema spells it."""
        takes = _numbers(self.takes)
        if takes is not None and self.unknown:
            takes[self.unknown] = None
            takes["inertia"] = None if self.unknown == "principal_moments" else takes["inertia"]
        return json_object(self, "engine verdict rule source", takes=takes, expected=_numbers(self.expected))


def _numbers(body: MassProperties | None) -> dict[str, Any] | None:
    if body is None:
        return None
    return json_object(
        body, "mass", center_of_mass=body.com, principal_moments=body.principal().moments, inertia=body.inertia
    )


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
    found = [
        _Case(link, own, name, engine, measurer).body()
        for link, own in zip(links, _as_read(links, engine), strict=True)
    ]
    if "lumping" in engine.honours:
        return _lumped(links, found)
    if "moving" in engine.honours:
        held = _held(links, found)
        for k, (link, body) in enumerate(zip(links, found, strict=True)):
            if body.takes is not None and _moves(link) and not held[k]:
                found[k] = _refused(body, "a body that moves needs mass and inertia, or a body with both fixed to it")
    if "settotalmass" in engine.honours:
        return list(_scaled(links, found))
    return found


def _as_read(links: Sequence[Link], engine: Engine) -> list[Link | None]:
    """Each link as the simulator reads it, None if it does not."""
    found: list[Link | None] = []
    others: dict[tuple[str, int], list[Link]] = {}
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
        found.append(named[0] if named else None)
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
    """A link, as MuJoCo or its format means it and as a simulator reads it (None if it does not), and this simulator."""

    link: Link
    own: Link | None
    name: str
    engine: Engine
    measurer: Measurer

    def body(self) -> EngineBody:
        """The inertial that the simulator takes; unknown where no rule is known, or what it needs cannot be read."""
        name, link = self.name, self.own
        try:
            if self.link.error is not None:
                raise self.link.error
            expected = self._expected()
            if link is None:
                return EngineBody(name, _SKIPPED, "", expected, NOTHING)
            if link.error is not None:
                raise link.error
            compiler = self._compiler(link)
            stated, changed = self._stated(link, compiler)
            rule = self._rule(self._facts(link, compiler, stated))
        except MasspropsError as error:
            return EngineBody(name, f"not known: {error}", "", None, None)
        if rule is None or (link.is_generated and name != "mujoco"):
            return EngineBody(name, f"no rule is known for this case of {link.dialect.upper()}", "", expected, None)
        found = EngineBody(name, rule.words, rule.source, expected, None, rule.unknown, rule.takes == "refused")
        return self._corrected(self._applied(link, rule, found, stated, changed))

    def _applied(
        self, link: Link, rule: EngineRule, found: EngineBody, stated: NamedBody | None, changed: str
    ) -> EngineBody:
        """The body by a rule, after the changes of the compiler; `changed` are those of the stated inertial, in words."""
        compiler = self._compiler(link)
        try:
            takes = self._takes(link, rule.takes, compiler, stated)
        except _Refused as error:
            return _refused(found, str(error))
        except MasspropsError as error:
            return replace(found, rule=f"{rule.words}, which is not measured: {error}")
        if takes is not None and rule.takes != "stated" and "bounds" in self.engine.honours:
            before = takes.mass
            takes, changed = _bounded(takes, compiler)
            if (
                takes.mass > before == 0 and self.name == "mujoco"
            ):  # in 4.0 at the `pos` of the body, or of its only geom
                found = replace(found, unknown="center_of_mass")
        notes = [rule.words, *self._integrals(link, rule.takes), *([changed] if changed and takes is not None else [])]
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

    def _compiler(self, link: Link) -> Compiler:
        """The settings of `<compiler>` that the simulator reads."""
        return _compiler(link) if link.dialect == "mjcf" or "urdf" in self.engine.honours else Compiler()

    def _integrals(self, link: Link, takes: str) -> list[str]:
        """Other integrals than the exact one over meshes, in words."""
        solids = (g.solid for g in (*link.visual, *link.collision) if takes == "geoms")
        kinds = {s.integral for s in solids if isinstance(s, LinkMesh)} if "integral" in self.engine.honours else set()
        return [f"{kind} integral over its mesh" for kind in sorted(kinds - {"exact"})]

    def _expected(self) -> MassProperties | None:
        link = self.link
        if link.body is not None:
            return link.body.properties
        if link.automatic is not None:
            return self.measurer.automatic(link, link.automatic)[0]
        if link.infers and _compiler(link).infers:
            return weigh((*link.visual, *link.collision), _GROUPS, lambda g: self.measurer.place(g).moments)
        return None

    def _stated(self, link: Link, compiler: Compiler) -> tuple[NamedBody | None, str]:
        """The stated inertial after the changes of the compiler, and those in words."""
        body = link.body
        if body is None or "bounds" not in self.engine.honours:
            return body, ""
        properties, words = _bounded(body.properties, compiler)
        if not words:
            return body, ""
        return NamedBody.of(body.name, inertial_of(properties), body.place, body.dialect), words

    def _facts(self, link: Link, compiler: Compiler, stated: NamedBody | None) -> set[str]:
        """Words that are true of the link.

        stated, computed (the file asks for that; overridden: moments, axes or centres are stated) or none; weighed twice: the body
        states a mass, and its collisions others; impossible: by the simulator's rule of acceptance; held: fixed to its parent;
        collisions, meshes: its collision geometry; of SDF static root, incomplete (without mass or moments) and read otherwise;
        unlimited: a joint of its robot has no limits;
        geoms: those that count have a mass.
        """
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
            "impossible": self._is_impossible(stated),
            "held": link.fixed,
            "collisions": bool(link.geometry("collision")),
            "meshes": any(isinstance(g.solid, LinkMesh) for g in link.collision) and stated is None,
            "geoms": any(geoms_with_mass((*link.visual, *link.collision), self._groups(compiler))),
            "inertiafromgeom=true": compiler.from_geoms,
            "inertiafromgeom=false": not compiler.infers and stated is None,
            "world": link.name == "world",
            "other units": link.dialect == "usd" and {float(unit) for unit in link.settings.values()} != {1.0},
        }
        return {word for word, holds in true.items() if holds}

    def _is_impossible(self, stated: NamedBody | None) -> bool:
        if stated is not None and self.name == "newton" and stated.dialect == "mjcf":
            return newton_refuses(stated.properties.principal().moments)
        if stated is None or self.engine.acceptance is None:
            return False
        mass, inertia = stated.properties.mass, stated.properties.inertia
        if not inertia.any() or (mass == 0 and "moving" in self.engine.honours):
            return False  # whether it may be so depends on whether it moves
        verdict = predict(self.engine.acceptance, stated)
        return verdict is not None and verdict.severity == "error"

    def _rule(self, facts: set[str]) -> EngineRule | None:
        rules = (r for r in self.engine.rules if self.link.dialect in r.formats and facts.issuperset(r.when))
        return next(rules, None)

    def _takes(self, link: Link, what: str, compiler: Compiler, stated: NamedBody | None) -> MassProperties | None:
        body = _DEFAULT if stated is None else stated.properties
        if what in ("refused", "unknown"):
            return None
        if what == "collisions" or (what == "geoms" and link.dialect == "urdf"):
            return weigh(link.collision, _GROUPS, self._moments)
        if what == "geoms":
            return weigh((*link.visual, *link.collision), self._groups(compiler), self._moments)
        if what == "computed":
            return self._expected()
        if what == "nothing":
            return NOTHING
        if what == "water":
            mass = body.mass if body.mass > 0 else 1.0
            ball = SHAPES["sphere"].function(radius=(3 * mass / (4000 * np.pi)) ** (1 / 3), density=1000.0)
            return MassProperties(mass, body.com, ball.inertia)
        return MassProperties(body.mass, body.com, body.mass * 0.002**2 / 6 * np.eye(3)) if what == "cube" else body

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
        if not isinstance(geometry.solid, LinkMesh):
            return self.measurer.place(geometry).moments
        how = geometry.solid.integral if "integral" in self.engine.honours else "exact"
        found = mesh_moments(self.measurer.corners(geometry, geometry.solid), how, geometry.solid)
        if not found.measure > _LEAST:
            raise _Refused(f"the integral over {geometry.solid.uri} is {found.measure:.3g}, and must be positive")
        return found


def _weighed_twice(stated: ComputedInertial) -> bool:
    own = any(collider.mass is not None for collider in stated.colliders)
    return stated.mass is not None and (own or len(set(stated.densities)) > 1)


def _bounded(body: MassProperties, compiler: Compiler) -> tuple[MassProperties, str]:
    """A body after boundmass, boundinertia and balanceinertia, and these in words, empty if nothing changes."""
    moments, axes = symmetric_eigen(body.inertia)
    changes = [name for name in compiler.changes(body.mass, moments.tolist()) if name != "settotalmass"]
    if not changes:
        return body, ""
    mass, after = compiler.changed(body.mass, moments.tolist())
    return MassProperties(mass, body.com, axes @ np.diag(after) @ axes.T), f"changed by {' and '.join(changes)}"

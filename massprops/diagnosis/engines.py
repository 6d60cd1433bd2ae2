"""Inertials that simulators take from a robot file, by the rules of `engines.toml`, beside those that it states or that its geometry has.

Tests: `tests/diagnosis/test_engines.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from massprops.diagnosis.link_geometry import Measurer
from massprops.diagnosis.reference import inertial_of
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, result_or_error
from massprops.findings import Finding
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.inertial.simulator_rules import predict
from massprops.formats.robot.links import Geometry, Link, LinkMesh
from massprops.formats.robot.mjcf import Compiler, compiler_of
from massprops.json_values import json_object
from massprops.measurement.inferred import NOTHING, Groups, geoms_with_mass, mesh_moments, weigh
from massprops.moments.arrays import length, symmetric_eigen
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import SHAPES

Verdict = Literal["same", "differs", "refused", "unknown"]
#: Numbers nearer than this, relative to the largest, are the same: what single precision and printed digits leave.
SAME = 1e-6
#: mjMINVAL: MuJoCo takes less for nothing.
_LEAST = 1e-15
_DEFAULT = MassProperties(1.0, np.zeros(3), np.eye(3))
_GROUPS: Groups = (0, 5)


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
    """A simulator: its title, its rules in their order, the rule of acceptance that it applies, and what of MJCF it honours."""

    title: str
    rules: tuple[EngineRule, ...]
    honours: Sequence[str]
    acceptance: str | None = None


@cache
def engines() -> Mapping[str, Engine]:
    """The simulators by name, as `engines.toml` has them."""
    found = tomllib.loads(Path(__file__).with_name("engines.toml").read_text(encoding="utf-8"))
    return {
        name: Engine(**entry | {"rules": tuple(EngineRule(**rule) for rule in entry["rules"])})
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
    """

    engine: str
    rule: str
    source: str
    expected: MassProperties | None
    takes: MassProperties | None
    unknown: str = ""
    refused: bool = False

    @property
    def title(self) -> str:
        """Title of the simulator."""
        return engines()[self.engine].title

    @property
    def verdict(self) -> Verdict:
        """``same`` (also a body without mass where nothing is stated), ``differs``, ``refused`` or ``unknown``."""
        if self.takes is None:
            return "refused" if self.refused else "unknown"
        return "differs" if self._difference() else "same"

    def finding(self) -> Finding | None:
        """The warning about this link; None if the simulator takes it as it is stated, or that is not known."""
        if self.verdict in ("same", "unknown"):
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
            one, two = (", ".join(f"{m:.3g}" for m in b.principal().moments) for b in (mine, other))
            return f"takes principal moments of ({one})\xa0kg\xa0m² instead of ({two})\xa0kg\xa0m²"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Dictionary as the JSON schema spells it."""
        takes = _numbers(self.takes)
        if takes is not None and self.unknown:
            takes[self.unknown] = None
        return json_object(self, "engine verdict rule source", takes=takes, expected=_numbers(self.expected))


def _numbers(body: MassProperties | None) -> dict[str, Any] | None:
    if body is None:
        return None
    return json_object(body, "mass", center_of_mass=body.com, principal_moments=body.principal().moments)


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
    found = [_Case(link, name, engine, measurer).body() for link in links]
    if "moving" in engine.honours:
        held = _held(links, found)
        for k, (link, body) in enumerate(zip(links, found, strict=True)):
            if body.takes is not None and _moves(link) and not held[k]:
                found[k] = _refused(body, "a body that moves needs mass and inertia, or a body with both fixed to it")
    if "settotalmass" in engine.honours:
        return list(_scaled(links, found))
    return found


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
    """A link and a simulator."""

    link: Link
    name: str
    engine: Engine
    measurer: Measurer

    def body(self) -> EngineBody:
        """The inertial that the simulator takes; unknown where no rule is known, or what it needs cannot be read."""
        name, link = self.name, self.link
        try:
            if link.error is not None:
                raise link.error
            expected, compiler = self._expected(), _compiler(link)
            stated, changed = self._stated(compiler)
            rule = self._rule(self._facts(compiler, stated))
        except MasspropsError as error:
            return EngineBody(name, f"not known: {error}", "", None, None)
        if rule is None or (link.is_generated and name != "mujoco"):
            return EngineBody(name, f"no rule is known for this case of {link.dialect.upper()}", "", expected, None)
        found = EngineBody(name, rule.words, rule.source, expected, None, rule.unknown, rule.takes == "refused")
        try:
            takes = self._takes(rule.takes, compiler, stated)
        except _Refused as error:
            return _refused(found, str(error))
        except MasspropsError as error:
            return replace(found, rule=f"{rule.words}, which is not measured: {error}")
        if takes is not None and rule.takes != "stated" and "bounds" in self.engine.honours:
            before = takes.mass
            takes, changed = _bounded(takes, compiler)
            if takes.mass > before == 0:  # in MuJoCo 4.0 at the `pos` of the body, or of its only geom
                found = replace(found, unknown="center_of_mass")
        notes = [rule.words, *self._integrals(rule.takes), *([changed] if changed and takes is not None else [])]
        return replace(found, takes=takes, rule="; ".join(notes))

    def _integrals(self, takes: str) -> list[str]:
        """Other integrals than the exact one over meshes, in words."""
        solids = (g.solid for g in (*self.link.visual, *self.link.collision) if takes == "geoms")
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

    def _stated(self, compiler: Compiler) -> tuple[NamedBody | None, str]:
        """The stated inertial after the changes of the compiler, and those in words."""
        body = self.link.body
        if body is None or "bounds" not in self.engine.honours:
            return body, ""
        properties, words = _bounded(body.properties, compiler)
        if not words:
            return body, ""
        return NamedBody.of(body.name, inertial_of(properties), body.place, body.dialect), words

    def _facts(self, compiler: Compiler, stated: NamedBody | None) -> set[str]:
        """Words that are true of the link.

        stated, computed (the file asks for that; overridden: moments, axes or centres are stated) or none; massless: no mass is stated,
        or 0; impossible: by the simulator's rule of acceptance; held: fixed to its parent; collisions, meshes: its collision geometry;
        geoms: those that count have a mass.
        """
        link = self.link
        true = {
            "stated": stated is not None,
            "computed": link.automatic is not None,
            "overridden": link.automatic is not None and link.automatic.overrides,
            "none": stated is None and link.automatic is None,
            "massless": link.automatic is None and (stated is None or stated.properties.mass <= 0),
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

    def _takes(self, what: str, compiler: Compiler, stated: NamedBody | None) -> MassProperties | None:
        link, body = self.link, _DEFAULT if stated is None else stated.properties
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

    def _moments(self, geometry: Geometry) -> Moments:
        """Moments of a geom as the simulator integrates them, of what the file has and not of a repaired surface."""
        if "shellinertia" in self.engine.honours and geometry.stated.get("shellinertia") == "true":
            raise InvalidGeometry(f"{geometry.place}: shellinertia is not computed")
        if not isinstance(geometry.solid, LinkMesh):
            return self.measurer.place(geometry).moments
        how = geometry.solid.integral if "integral" in self.engine.honours else "exact"
        found = mesh_moments(self.measurer.corners(geometry, geometry.solid), how, geometry.solid)
        if not found.measure > _LEAST:
            raise _Refused(f"the integral over {geometry.solid.uri} is {found.measure:.3g}, and must be positive")
        return found


def _bounded(body: MassProperties, compiler: Compiler) -> tuple[MassProperties, str]:
    """A body after boundmass, boundinertia and balanceinertia, and these in words, empty if nothing changes."""
    moments, axes = symmetric_eigen(body.inertia)
    changes = [name for name in compiler.changes(body.mass, moments.tolist()) if name != "settotalmass"]
    if not changes:
        return body, ""
    mass, after = compiler.changed(body.mass, moments.tolist())
    return MassProperties(mass, body.com, axes @ np.diag(after) @ axes.T), f"changed by {' and '.join(changes)}"

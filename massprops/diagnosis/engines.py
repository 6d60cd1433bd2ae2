"""Inertials that simulators take from a robot file, by the rules of `engines.toml`, beside those that it states or that its geometry has.

Tests: `tests/diagnosis/test_engines.py`.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import numpy as np

from massprops.diagnosis.engine_body import LEAST, Engine, EngineBody, EngineRule, engines
from massprops.diagnosis.link_geometry import Measurer
from massprops.diagnosis.lumped_links import compiler_for, lumped_by_gazebo, lumped_by_mujoco, parent_of
from massprops.diagnosis.reference import inertial_of
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, result_or_error
from massprops.formats.inertial.inertial import Inertial, NamedBody
from massprops.formats.inertial.numbers import number
from massprops.formats.inertial.simulator_rules import EIGENVALUE_ROUNDING, newton_refuses, predict, refuses
from massprops.formats.mesh.arrays import from_soup
from massprops.formats.registry import open_mesh
from massprops.formats.robot.links import ComputedInertial, Geometry, Link, LinkMesh, Primitive, UnsupportedGeometry
from massprops.formats.robot.mjcf import Compiler
from massprops.formats.text import quote
from massprops.frames import Pose
from massprops.measurement.inferred import NOTHING, Groups, geoms_with_mass, mesh_moments, weigh
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.moments.arrays import Array, symmetric_eigen
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import SHAPES

#: Eigenvalues that MuJoCo may take for negative.
_NEAR_ZERO = 1e-14
_DEFAULT = MassProperties(1.0, np.zeros(3), np.eye(3))
_GROUPS: Groups = (0, 5)
#: m³: Newton gives a round geom of a stated mass no mass if it is smaller (_MIN_EXPLICIT_MASS_REFERENCE_MASS).
_LEAST_VOLUME = 1e-12


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
    if any("quat_xyzw" in link.through for link in links):  # which not every reader of URDF reads
        return [EngineBody(name, "not known: quat_xyzw is of URDF 1.1", "", None, None)] * len(links)
    engine = engines()[name]
    faults = _mesh_faults(engine, links, measurer)
    found = [_Case(_as_read(link, engine), link, name, engine, measurer, faults).body() for link in links]
    if "lumping" in engine.honours:
        found = lumped_by_gazebo(links, found)
    found = _told_apart(links, found, engine)
    if "fusestatic" in engine.honours:
        found = lumped_by_mujoco(links, found)
    if "settotalmass" in engine.honours:
        return list(_scaled(links, found))
    return found


def _told_apart(links: Sequence[Link], found: Sequence[EngineBody], engine: Engine) -> list[EngineBody]:
    """The bodies, refused where two have one name; Drake names those that it puts between joints, too.

    Newton takes two of MJCF; of URDF it leaves one out, or refuses the file, as the joints are.
    """
    is_refused = "names" in engine.honours
    names = Counter(x.name or "" for x in links if x.name and (is_refused or x.dialect == "urdf"))
    names += Counter(f"{x.name}{k}" for x in links for k in range(_dummies(x) if "dummies" in engine.honours else 0))
    answer, why = EngineBody.refuse if is_refused else EngineBody.with_unknown, "its name is not the only one"
    return [answer(b, why) if names[x.name or ""] > 1 else b for x, b in zip(links, found, strict=True)]


def _as_read(link: Link, engine: Engine) -> Link:
    return link.reread(engine.reading) if engine.reading and link.reread is not None else link


def _joints(link: Link) -> int:
    """The number of its joints; 0 where they cannot be read."""
    placement = result_or_error(link.placement)
    return 0 if isinstance(placement, MasspropsError) else len(placement.joints)


def _dummies(link: Link) -> int:
    """The bodies that Drake puts between the joints of one body of MJCF, with numbers behind its name."""
    return max(_joints(link) - 1, 0) if link.dialect == "mjcf" else 0


def _mesh_faults(engine: Engine, links: Sequence[Link], measurer: Measurer) -> dict[LinkMesh, str]:
    """Words of `_facts` for the meshes for which the simulator refuses the file."""
    meshes = {mesh: link.dialect for link in links for mesh in _read_meshes(link) if link.dialect in engine.meshes}
    is_lexical = "integral" in engine.honours  # MuJoCo shortens ``a/../b`` without looking for `a`
    opened = {m: replace(m, uri=posixpath.normpath(m.uri)) if is_lexical and "://" not in m.uri else m for m in meshes}
    found = {
        mesh: why
        for mesh, dialect in meshes.items()
        if (why := _mesh_fault(opened[mesh], engine.meshes[dialect], measurer))
    }
    if "integral" in engine.honours:  # which also decides on a scale of 0
        others = [m for m in meshes if found.get(m, "no size") == "no size"]
        found |= {m: _fault_of_integral(opened[m], meshes[m], measurer) for m in others}
    return found


def _fault_of_integral(mesh: LinkMesh, dialect: str, measurer: Measurer) -> str:
    """Word for a mesh file over which MuJoCo's integral is not positive, or may be not: it refuses the file, whatever uses the mesh."""
    how = mesh.integral if dialect == "mjcf" else "legacy"
    corners, plain = (
        result_or_error(measurer.corners, Geometry(m, Pose.identity(), ""), m)
        for m in (mesh, replace(mesh, scale=(1.0, 1.0, 1.0)))
    )
    if isinstance(corners, MasspropsError) or isinstance(plain, MasspropsError) or not len(corners):
        return "no size" if 0 in mesh.scale else ""
    if how in ("convex", "shell") and not mesh_moments(plain, "legacy").measure > LEAST:  # there is no hull
        return "no volume" if how == "convex" else "unread geometry"
    if how == "convex":
        return "no volume" if 0 in mesh.scale else ""
    return "" if how not in ("exact", "legacy", "shell") or mesh_moments(corners, how).measure > LEAST else "no volume"


def _read_meshes(link: Link) -> Sequence[LinkMesh]:
    """The mesh files that a simulator opens for a link: in MJCF all of its file, in URDF those of collisions, unless visuals are kept."""
    if link.dialect == "mjcf":
        return link.declared
    solids = (_in_folder(g, link).solid for g in _drawn(link))
    return [solid for solid in solids if isinstance(solid, LinkMesh)]


def _drawn(link: Link) -> Sequence[Geometry]:
    """The geometries of a link of URDF that MuJoCo reads: its collisions, and visuals if they are kept."""
    return [*(link.visual if link.settings.get("discardvisual") == "false" else ()), *link.collision]


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
    if 0 in mesh.scale:
        return "no size"
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
    compiler = compiler_for(link)
    uri = posixpath.join(compiler.mesh_folder, compiler.stripped(solid.uri))
    return replace(geometry, solid=replace(solid, uri=uri))


def _scaled(links: Sequence[Link], found: Sequence[EngineBody]) -> Iterator[EngineBody]:
    """The bodies, all scaled so that they add up to `settotalmass`."""
    total = sum(body.takes.mass for body in found if body.takes is not None)
    complete = all(body.takes is not None for body in found)
    for link, body in zip(links, found, strict=True):
        wanted = result_or_error(compiler_for, link)
        if isinstance(wanted, MasspropsError) or wanted.total_mass <= 0 or body.takes is None:
            yield body
        elif not complete:
            yield replace(body, takes=None, rule=f"{body.rule}; settotalmass, and not all masses are known")
        else:
            factor = wanted.total_mass / max(total, LEAST)
            takes = MassProperties(body.takes.mass * factor, body.takes.com, body.takes.inertia * factor)
            yield replace(body, takes=takes, rule=f"{body.rule}; settotalmass scales all masses")


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
        if rule is None or (link.is_generated and name != "mujoco" and rule.takes not in ("absent", "world")):
            return EngineBody(name, f"no rule is known for this case of {link.dialect.upper()}", "", expected, None)
        found = EngineBody(name, rule.words, rule.source, expected, None, rule.unknown, rule.takes == "refused")
        found = replace(found, lumped="into" if rule.takes == "world" else "")
        return self._corrected(self._applied(rule, found, stated, changed))

    @property
    def _compiler(self) -> Compiler:
        """The settings of `<compiler>` that the simulator reads."""
        return compiler_for(self.link) if self.link.dialect == "mjcf" or "urdf" in self.engine.honours else Compiler()

    def _applied(self, rule: EngineRule, found: EngineBody, stated: NamedBody | None, changed: str) -> EngineBody:
        """The body by a rule, after the changes of the compiler; `changed` are those of the stated inertial, in words."""
        compiler = self._compiler
        try:
            takes = self._takes(rule.takes, compiler, stated)
        except _Refused as error:
            return found.refuse(str(error))
        except MasspropsError as error:
            return replace(found, rule=f"{rule.words}, which is not measured: {error}")
        if takes is not None and rule.takes not in ("stated", "absent", "world") and "bounds" in self.engine.honours:
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
        rule = f"{found.rule}; moments that it does not accept are corrected"
        return replace(found, unknown="principal_moments", rule=rule)

    def _integrals(self, takes: str) -> list[str]:
        """Notes on geoms that are left out, and on other integrals than the exact one over meshes."""
        every = (*self.link.visual, *self.link.collision) if takes == "geoms" else ()
        left = {word for g in every for word in g.through if word in self.engine.skips}
        solids = (g.solid for g in every if "integral" in self.engine.honours)
        kinds = {s.integral for s in solids if isinstance(s, LinkMesh)} - {"exact"}
        notes = [f"without those of {word}" for word in sorted(left)]
        return notes + [f"{kind} integral over its mesh" for kind in sorted(kinds)]

    def _expected(self) -> MassProperties | None:
        link = self.meant
        if link.body is not None:
            return link.body.properties
        if link.automatic is not None:
            return self.measurer.automatic(link, link.automatic)[0]
        if link.infers and compiler_for(link).infers:
            return weigh((*link.visual, *link.collision), _GROUPS, lambda g: self.measurer.place(g).moments)
        return None

    def _stated(self, compiler: Compiler) -> tuple[NamedBody | None, str]:
        """The stated inertial after the changes of the compiler, and those in words."""
        body = self.link.body
        if self._skips("inertial in ", self.link.through):
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
        simulator skips; of SDF static root, incomplete (without mass or moments), no length (of a box or sphere) and read otherwise;
        unlimited: a joint of its robot has no limits; bad world, unread world: geometry of the world is faulty, or cannot be read.
        """
        link = self.link
        acceptance = self._acceptance(stated)
        true = {
            "stated": stated is not None,
            "computed": link.automatic is not None,
            "overridden": link.automatic is not None and link.automatic.overrides,
            "static root": link.settings.get("static") == "1" and parent_of(link) is None,
            "unlimited": "unlimited" in link.settings,
            "incomplete": "incomplete" in link.settings,
            "no length": link.dialect == "sdf" and any(map(_lacks_length, (*link.visual, *link.collision))),
            "read otherwise": "pose" in link.settings or (link.dialect == "sdf" and "::" in (link.name or "")),
            "weighed twice": link.automatic is not None and _weighed_twice(link.automatic),
            "none": stated is None and link.automatic is None,
            "massless": link.automatic is None and (stated is None or stated.properties.mass <= 0),
            "impossible": acceptance == "error",
            "doubtful": acceptance == "warning",
            "indefinite": self._is_indefinite(),
            "held": link.fixed or self._skips("joint in ", link.through),
            "skipped": self._skips("", link.through),
            "nameless": "model" not in link.settings,
            # libsdformat takes its default for a length of 0
            "collisions": bool(
                link.collision if link.dialect == "sdf" and link.automatic else link.geometry("collision")
            ),
            "meshes": any(isinstance(g.solid, LinkMesh) for g in link.collision) and stated is None,
            "geoms": any(geoms_with_mass(self._geoms(), self._groups(compiler))),
            "other joint": "other joint" in link.through,
            "drake_ignore": "drake_ignore" in link.through,
            "aligned": self._is_aligned(),
            "strips paths": compiler.strips_paths and bool(link.declared),
            "discards": self._discards(compiler),
            "flexcomp": link.is_generated,
            "static joint": link.settings.get("static") in ("true", "1") and _joints(link) > 0,
            "repeated": "repeated" in link.settings,
            "bounded flexcomp": link.is_generated
            and bool(compiler.least_mass or compiler.least_moment or compiler.balances),
            "inertiafromgeom=true": compiler.from_geoms,
            "inertiafromgeom=false": not compiler.infers and stated is None,
            "world": link.name == "world",
            "other units": link.dialect == "usd" and {float(unit) for unit in link.settings.values()} != {1.0},
        }
        world = self._faults_of([g for g in link.world() if g.through.isdisjoint(self.engine.skips)])
        bad, discards = world - {"unread geometry", "fitted mesh"}, link.settings.get("discardvisual") == "true"
        true["bad world"] = bool(bad) and not discards
        true["unread world"] = "unread geometry" in world or (bool(bad) and discards)
        return {word for word, holds in true.items() if holds} | self._faults()

    def _skips(self, what: str, through: frozenset[str]) -> bool:
        """Whether the simulator skips what stands in some elements, or a part of it, as ``inertial in``."""
        skipped = through.intersection(self.engine.skips)
        return any(word.startswith(what) if what else " in " not in word for word in skipped)

    def _loads(self, geometry: Geometry) -> bool:
        """Whether Bullet loads the file of a geometry, as far as is known."""
        solid = geometry.solid
        if isinstance(solid, LinkMesh):
            is_found = not isinstance(result_or_error(self.measurer.key, solid), MasspropsError)
            return is_found and solid.uri.lower().endswith((".obj", ".stl", ".dae"))
        return isinstance(solid, Primitive) and solid.shape in ("box", "sphere", "cylinder", "capsule")

    def _faults(self) -> set[str]:
        """Words for geometry for which a simulator refuses the file, or may refuse it."""
        link = self.link
        every: Sequence[Geometry] = (*link.visual, *link.collision)
        if link.dialect == "mjcf":
            every = self._geoms()
        elif "urdf" in self.engine.honours:
            every = _drawn(link)
        found = {self.faults[mesh] for mesh in _read_meshes(link) if mesh in self.faults} | self._faults_of(every)
        if link.dialect == "mjcf":
            weights = [(g, k) for g in every for k in ("mass", "density") if k in g.stated]
            found |= {"negative weight"} if any(number(g.stated[k], g.place, k) < 0 for g, k in weights) else set()
            discards = "bounds" in self.engine.honours and link.settings.get("discardvisual") == "true"
            found = {"discarded geom"} if found and discards else found
        return found

    def _faults_of(self, every: Sequence[Geometry]) -> set[str]:
        """Words for what is wrong with some geometry, but for the files of meshes."""
        sizes = [g.solid.lengths for g in every if isinstance(g.solid, Primitive) and "plane" not in g.through]
        is_flat = any(min(lengths.values(), default=1) <= 0 for lengths in sizes)
        is_flat = is_flat or ("bounds" in self.engine.honours and any("bad plane" in g.through for g in every))
        found = {"no size"} if is_flat else set()
        reads_others = self.link.dialect != "urdf" and "meshes" not in self.engine.honours  # planes, height fields …
        unread = (MasspropsError,) if reads_others else (MasspropsError, UnsupportedGeometry)
        faulty = any(
            isinstance(g.solid, unread) or not g.through.isdisjoint(("bad keyword", "bad number")) for g in every
        )
        faulty = faulty or ("meshes" in self.engine.honours and not all(map(self._loads, every)))
        found |= {"unread geometry"} if faulty else set()
        words = ("fitted mesh", "undefined asset", "bad fromto", "mesh shell")
        return found | {word for word in words if any(word in g.through for g in every)}

    def _discards(self, compiler: Compiler) -> bool:
        """Whether MuJoCo is to leave out visual geoms that have a mass."""
        discards = self.link.settings.get("discardvisual") == "true"
        return discards and any(geoms_with_mass(self.link.visual, compiler.groups))

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
        if self.name == "mujoco":
            return self._balance(stated)
        numbers = stated.properties
        verdict = predict(self.engine.acceptance, stated) if numbers.inertia.any() or numbers.mass < 0 else None
        return None if verdict is None else verdict.severity

    def _balance(self, stated: NamedBody) -> str | None:
        """Severity of moments A + B < C after `boundinertia`, of a body that need not move; those of a tensor are rounded."""
        body, compiler = self.link.body or stated, compiler_for(self.link)
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
        if what in ("nothing", "absent", "world"):
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
        if how == "exact" and found.measure < -LEAST:
            found = mesh_moments(corners[:, ::-1], how, solid)
        return found if found.measure > LEAST else None

    def _moments(self, geometry: Geometry) -> Moments | None:
        """Moments of a geom as the simulator integrates them, of what the file has and not of a repaired surface."""
        if "shellinertia" in self.engine.honours and geometry.stated.get("shellinertia") == "true":
            raise InvalidGeometry(f"{geometry.place}: shellinertia is not computed")
        if self.name == "newton":
            return self._newton_moments(geometry)
        if "class" in geometry.through and "classes" not in self.engine.honours:
            what = "its class has no <geom>, or several, and the class around it has one"
            raise InvalidGeometry(f"{geometry.place}: {what}")
        if not isinstance(geometry.solid, LinkMesh):
            return self.measurer.place(geometry).moments
        how = geometry.solid.integral if "integral" in self.engine.honours else "exact"
        corners = self.measurer.corners(geometry, geometry.solid)
        found = mesh_moments(corners, how, geometry.solid)
        if "integral" not in self.engine.honours and not self._bounds_a_body(geometry.solid, corners, found):
            raise InvalidGeometry(f"{geometry.solid.uri} has no faces, is not closed, or is inside out")
        if not found.measure > LEAST:
            raise _Refused(f"the integral over {geometry.solid.uri} is {found.measure:.3g}, and must be positive")
        return found

    def _bounds_a_body(self, mesh: LinkMesh, corners: Array, found: Moments) -> bool:
        """Whether any reader of a mesh file integrates over the same body."""
        is_file = isinstance(self.measurer.key(mesh), Path)
        return is_file and found.measure > 0 and not len(IndexedMesh.of(from_soup(corners)).open_edges())


def _lacks_length(geometry: Geometry) -> bool:
    """Whether a shape of SDFormat has a default for a length that Bullet has to read."""
    needed = {"box": "size", "sphere": "radius"}
    return isinstance(shape := geometry.solid, Primitive) and needed.get(shape.shape, "") not in {"", *geometry.stated}


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

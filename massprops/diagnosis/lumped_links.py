"""Links that a simulator holds as one body: those that are fixed to each other.

Gazebo (sdformat, `src/parser_urdf.cc`): `ReduceInertialToParent` adds the inertial of a fixed link of URDF to that of its parent, also
where that has none, and `CreateSDF` leaves out a link whose mass is then 0 or less, with all links below it. Nothing is lumped into a
root named ``world``, which is not made. `<gazebo>` can keep a joint (`preserveFixedJoint`, `disableFixedJointLumping`).

MuJoCo (`fusestatic`, the default in URDF): a fixed body becomes a part of its parent, or of the world, to which the root is fixed.

Tests: `tests/diagnosis/test_gazebo.py`, `tests/diagnosis/test_mujoco.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from massprops.diagnosis.engine_body import LEAST, EngineBody
from massprops.errors import InvalidGeometry, MasspropsError, ReadError, result_or_error
from massprops.formats.inertial.inertial import Inertial
from massprops.formats.inertial.simulator_rules import refuses
from massprops.formats.robot.kinematics import LinkPlacement
from massprops.formats.robot.links import Link
from massprops.formats.robot.mjcf import Compiler, compiler_of
from massprops.formats.robot.urdf import KEEPS_JOINT
from massprops.formats.text import quote
from massprops.frames import Pose
from massprops.measurement.inferred import NOTHING, geoms_with_mass
from massprops.moments.arrays import sum_of
from massprops.rigid_body.mass_properties import MassProperties

#: Of the largest moment: what sums in another order leave.
_ROUNDING = 1e-12
_LUMPS = "sdformat, src/parser_urdf.cc (ReduceInertialToParent, CreateSDF)"


def compiler_for(link: Link) -> Compiler:
    """The settings of MuJoCo's `<compiler>` for a link; the defaults in other formats."""
    return compiler_of(link.settings, link.place) if link.dialect in ("mjcf", "urdf") else Compiler()


def parent_of(link: Link) -> str | None:
    """The name of the link to which a link is joined; None where that cannot be read."""
    placement = result_or_error(link.placement)
    return None if isinstance(placement, MasspropsError) else placement.parent


@dataclass(frozen=True, eq=False)
class _FixedLinks:
    """The links of a robot with their bodies, and which of them are fixed to each other."""

    links: Sequence[Link]
    found: Sequence[EngineBody]
    _known: dict[int, tuple[int, Pose]] = field(default_factory=dict)

    @cached_property
    def _placements(self) -> list[LinkPlacement | MasspropsError]:
        return [result_or_error(link.placement) for link in self.links]

    @cached_property
    def _place(self) -> dict[str | None, int]:
        return {link.name: k for k, link in enumerate(self.links)}

    def placement(self, k: int) -> LinkPlacement:
        """Placement of a link; raises what it cannot be read for."""
        placement = self._placements[k]
        if isinstance(placement, MasspropsError):
            raise placement
        return placement

    def parent(self, k: int) -> int | None:
        """The link to which a link is joined."""
        return self._place.get(self.placement(k).parent)

    def above(self, k: int) -> int | None:
        """The parent of a link with which it is one body; None if it is none with it."""
        return self.parent(k) if self.links[k].fixed else None

    def place_in(self, k: int) -> tuple[int, Pose]:
        """The link into which a link is lumped in the end, itself if it is not, and its pose in that.

        Raises
        ------
        ReadError
            If it is below itself.
        """
        path = [k]
        while path[-1] not in self._known and (above := self.above(path[-1])) is not None:
            if len(path) > len(self.links):
                raise ReadError("a link is below itself", place=self.links[k].place, code="cycle")
            path.append(above)
        last = path.pop()
        head, pose = self._known.setdefault(last, (last, Pose.identity()))
        for at in reversed(path):
            pose = pose @ (self.placement(at).pose or Pose.identity())
            self._known[at] = head, pose
        return self._known[k]

    def head(self, k: int) -> int:
        """The link into which a link is lumped in the end, itself if it is not."""
        return self.place_in(k)[0]

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """The links that are lumped together, by the place of the one that stays."""
        found: dict[int, list[int]] = {}
        for k in range(len(self.links)):
            found.setdefault(self.head(k), []).append(k)
        return found

    def total(self, head: int, bodies: Sequence[MassProperties | None]) -> MassProperties | None:
        """The sum of a link and those that are lumped into it, in its frame; None if none has a body."""
        own = [b.transformed(self.place_in(k)[1]) for k in self.members[head] if (b := bodies[k]) is not None]
        return sum_of(own) if own else None

    def lumped(self, k: int, rule: str, source: str = "") -> EngineBody:
        """A link that is a part of another one, or of the world."""
        body = self.found[k]
        return replace(
            body, takes=NOTHING, refused=False, unknown="", rule=rule, source=source or body.source, lumped="into"
        )


# ---- Gazebo -----------------------------------------------------------------------------------------------------------------


def lumped_by_gazebo(links: Sequence[Link], found: Sequence[EngineBody]) -> list[EngineBody]:
    """The bodies of Gazebo, in which links of URDF that are fixed to others are added to these."""
    bodies, own = list(found), [k for k, link in enumerate(links) if link.dialect == "urdf" and link.error is None]
    robot = _InGazebo([links[k] for k in own], [found[k] for k in own])
    for at, k in enumerate(own):
        made = found[k] if found[k].verdict == "unknown" else result_or_error(robot.lump, at)
        bodies[k] = found[k].with_unknown(f"not known: {made}") if isinstance(made, MasspropsError) else made
    return bodies


@dataclass(frozen=True, eq=False)
class _InGazebo(_FixedLinks):
    """Links of URDF as Gazebo makes them."""

    _sums: dict[int, MassProperties] = field(default_factory=dict)
    _outs: dict[int, int | None] = field(default_factory=dict)

    def lump(self, k: int) -> EngineBody:
        """The link as Gazebo makes it; raises what makes that unknown."""
        if len(self._roots) > 1 and all("::" not in (link.name or "") for link in self.links):
            raise ReadError("the robot has several roots", place=self.links[k].place, code="not-a-tree")
        if self._is_world(k):
            return self.lumped(k, "a link of the name world is the world", _LUMPS)
        head, body = self.head(k), replace(self.found[k], source=_LUMPS)
        if (out := self._left_out(k)) is not None:
            of = "" if out == k else f", also of {quote(self.links[out].name or '')} above it"
            return body.refuse(f"no mass is stated{of}: left out, with all links below")
        if head != k:
            return self.lumped(k, f"lumped into {quote(self.links[head].name or '')}", _LUMPS)
        others = any(self._stated[m] is not None for m in self.members[k] if m != k)
        if self._refuses(k, is_sum=others):
            return body.refuse("an inertia that no body has is an error")
        takes = self._sum(k)
        if not others:
            return replace(self.found[k], takes=takes, refused=False)
        rule = "with the links that are lumped into it"
        return replace(body, takes=takes, expected=takes, refused=False, rule=rule, lumped="with")

    def _refuses(self, k: int, *, is_sum: bool) -> bool:
        total, stated = self._sum(k), self.links[k].body
        if not is_sum and stated is not None and stated.stated is not None:
            answer = refuses("gazebo", stated.stated)
        else:
            answer = refuses("gazebo", Inertial(total.mass, Pose.identity(), total.inertia))
            a, b, c = total.principal().moments.tolist()
            answer = None if min(abs(a), abs(a + b - c)) <= _ROUNDING * abs(c) else answer
        if answer is None:
            what = f"{self.links[k].place}: A + B − C is so near 0 that rounding decides whether it is accepted"
            raise InvalidGeometry(what, code="doubtful-inertia")
        return answer

    @cached_property
    def _stated(self) -> list[MassProperties | None]:
        return [body.expected for body in self.found]

    @cached_property
    def _roots(self) -> list[int]:
        placed = (k for k, placement in enumerate(self._placements) if not isinstance(placement, MasspropsError))
        return [k for k in placed if self.parent(k) is None]

    def _is_world(self, k: int) -> bool:
        return (self.links[k].name or "").rpartition("::")[2] == "world" and self.parent(k) is None

    def above(self, k: int) -> int | None:
        above = super().above(k)
        is_kept = above is None or self._is_world(above) or not KEEPS_JOINT.isdisjoint(self.links[k].gazebo)
        return None if is_kept else above

    def _sum(self, head: int) -> MassProperties:
        if head not in self._sums:
            for k in self.members[head]:
                self._check(k, is_lumped=k != head)
            self._sums[head] = self.total(head, self._stated) or NOTHING
        return self._sums[head]

    def _check(self, k: int, *, is_lumped: bool) -> None:
        """Raise what makes the sum of a link and others unknown."""
        body, above = self._stated[k], self.parent(k)
        if "inertial" in self.links[k].gazebo:
            raise ReadError("<gazebo> states an <inertial>", place=self.links[k].place, code="unread-element")
        own = None if above is None else self._stated[above]
        if is_lumped and body is not None and (body.mass < 0 or (body.mass == 0 and (own is None or own.mass <= 0))):
            what = f"{self.links[k].place}: {body.mass:g}\xa0kg is lumped into a link without mass"
            raise InvalidGeometry(what, code="zero-mass")

    def _left_out(self, k: int) -> int | None:
        """The link that stays without mass: this one, or one above it; None if it is made."""
        at, out, heads = k, None, list[int]()
        while not self._is_world(at) and len(heads) <= len(self.links):
            heads.append(self.head(at))
            if heads[-1] in self._outs or not self._sum(heads[-1]).mass > 0:
                out = self._outs.get(heads[-1], heads[-1])
                break
            if (above := self.parent(heads[-1])) is None:
                break
            at = above
        self._outs.update(dict.fromkeys(heads, out))
        return out


# ---- MuJoCo -----------------------------------------------------------------------------------------------------------------


def lumped_by_mujoco(links: Sequence[Link], found: Sequence[EngineBody]) -> list[EngineBody]:
    """The bodies of MuJoCo: fixed ones fused with others, and those that move refused where mass or inertia is missing."""
    robot = _InMujoco(links, found)
    bodies = [robot.fused(k) for k in range(len(links))]
    held = _InMujoco(links, bodies).held()
    for k, (link, body) in enumerate(zip(links, bodies, strict=True)):
        if body.takes is not None and _moves(link) and not held[k]:
            bodies[k] = body.refuse("a body that moves needs mass and inertia, or a body with both fixed to it")
        elif robot.anchor(k) is not None and any("plane" in g.through for g in link.collision + link.visual):
            why, discards = "a body that moves has a plane", link.settings.get("discardvisual") == "true"
            left_out = f"{why}, which discardvisual may leave out"
            bodies[k] = body.with_unknown(left_out) if discards else body.refuse(why)
        elif "free joint" in link.through and robot.is_below_a_body(k):
            bodies[k] = body.refuse("a free joint below another body")
    return bodies


def _moves(link: Link) -> bool:
    """Whether a link moves in MuJoCo, which fixes the root of a URDF to the world."""
    return not link.fixed and (link.dialect != "urdf" or parent_of(link) is not None)


def _fuses(link: Link) -> bool:
    """Whether MuJoCo fuses fixed bodies of its file, which it does by default in URDF."""
    return link.settings.get("fusestatic", "true" if link.dialect == "urdf" else "false") == "true"


def _bounds(compiler: Compiler) -> bool:
    """Whether MuJoCo is to change bodies one by one."""
    return bool(compiler.least_mass or compiler.least_moment or compiler.balances)


@dataclass(frozen=True, eq=False)
class _InMujoco(_FixedLinks):
    """Links of URDF or MJCF as MuJoCo makes them."""

    def anchor(self, k: int) -> int | None:
        """The link that carries a link, through fixed joints: itself if it moves; None where that is the world, or not known."""
        head = result_or_error(self.head, k)
        return None if isinstance(head, MasspropsError) or not _moves(self.links[head]) else head

    def held(self) -> list[bool]:
        """Whether each link, or one that is fixed to it, has mass and inertia; unknown bodies are taken to have them."""
        bodies = [x.takes for x in self.found]
        held = [b is None or (b.mass >= LEAST and min(b.principal().moments) >= LEAST) for b in bodies]
        for k in [k for k, holds in enumerate(held) if holds]:
            at = result_or_error(self.above, k)
            while isinstance(at, int) and not held[at]:
                held[at] = True
                at = result_or_error(self.above, at)
        return held

    def is_below_a_body(self, k: int) -> bool:
        """Whether a body is in another one, as far as it is not fused with the world."""
        above = self._place.get(parent_of(self.links[k]))
        if above is None or (self.links[above].dialect == "urdf" and self.links[above].name == "world"):
            return False
        return not (_fuses(self.links[above]) and self.anchor(above) is None)

    def fused(self, k: int) -> EngineBody:
        """The body that MuJoCo makes of a link."""
        link, body = self.links[k], self.found[k]
        if not _fuses(link) or body.refused or link.error is not None:
            return body
        made = result_or_error(self._fused, k)
        return body.with_unknown(f"not known: {made}") if isinstance(made, MasspropsError) else made

    def _fused(self, k: int) -> EngineBody:
        link, body, members, anchor = self.links[k], self.found[k], self.members.get(k, ()), self.anchor(k)
        if anchor == k and len(members) == 1:
            return body
        if link.dialect == "mjcf":
            return body.with_unknown("fusestatic fuses it, unless something refers to it")
        if (compiler := compiler_for(link)).from_geoms and _bounds(compiler):
            return body.with_unknown("fusestatic fuses it, unless bounds and inertiafromgeom would change it again")
        if anchor == k:
            return self._sum(k)
        if body.takes is None:
            return body
        into = "the world" if anchor is None else quote(self.links[anchor].name or "")
        return self.lumped(k, f"lumped into {into} (fusestatic)")

    def _sum(self, head: int) -> EngineBody:
        """The body of a link with those that are lumped into it."""
        body, compiler, members = self.found[head], compiler_for(self.links[head]), self.members[head]
        rule = f"{body.rule}; with the links that are lumped into it (fusestatic)"
        negative = {k for k in members if (stated := self.links[k].body) is not None and stated.properties.mass < 0}
        found = {k: self.found[k] for k in members}
        unknown = [self.links[k].name for k, x in found.items() if x.takes is None or k in negative or x.unknown]
        if unknown:
            return body.with_unknown(
                f"{rule}, and what these are together is not known: {', '.join(map(str, unknown))}"
            )
        geoms = [k for k in members if any(geoms_with_mass(self.links[k].collision, compiler.groups))]
        counted = (geoms or [head]) if compiler.from_geoms else members
        added = [x.takes if k in counted else None for k, x in enumerate(self.found)]
        takes, expected = (self._with_mass(head, bodies) for bodies in (added, [x.expected for x in self.found]))
        return replace(body, takes=takes or NOTHING, expected=expected, rule=rule, lumped="with")

    def _with_mass(self, head: int, bodies: Sequence[MassProperties | None]) -> MassProperties | None:
        """The sum of the bodies that have a mass; None if none is known."""
        is_known = any(bodies[k] is not None for k in self.members[head])
        return self.total(head, [b if b is not None and b.mass else None for b in bodies]) or (
            NOTHING if is_known else None
        )

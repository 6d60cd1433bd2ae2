"""Links as Gazebo makes them of URDF: fixed ones are lumped into their parents, and those that stay without mass are left out.

sdformat, `src/parser_urdf.cc`: `ReduceInertialToParent` adds the inertial of a fixed link to that of its parent, also where that
has none, and `CreateSDF` leaves out a link whose mass is then 0 or less, with all links below it. Nothing is lumped into a root
named ``world``, which is not made. `<gazebo>` can keep a joint (`preserveFixedJoint`, `disableFixedJointLumping`).

Tests: `tests/diagnosis/test_gazebo.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from massprops.errors import InvalidGeometry, MasspropsError, ReadError, result_or_error
from massprops.formats.inertial.inertial import Inertial
from massprops.formats.inertial.simulator_rules import refuses
from massprops.formats.robot.kinematics import LinkPlacement
from massprops.formats.robot.links import Link
from massprops.formats.robot.urdf import KEEPS_JOINT
from massprops.formats.text import quote
from massprops.frames import Pose
from massprops.measurement.inferred import NOTHING
from massprops.moments.arrays import sum_of
from massprops.rigid_body.mass_properties import MassProperties

#: Of the largest moment: what sums in another order leave.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class LumpedLink:
    """A link as Gazebo makes it: the body that it then holds, None if it leaves the link out or refuses it.

    `is_lumped`: it is added to another, or others to it. `rule` is empty if the link stays as it is.
    """

    takes: MassProperties | None
    rule: str = ""
    is_lumped: bool = False


def lump_links(links: Sequence[Link], stated: Sequence[MassProperties | None]) -> list[LumpedLink | MasspropsError]:
    """The links of URDF with these inertials as Gazebo makes them, or why that is not known."""
    robot = _Robot(links, stated)
    return [result_or_error(robot.lump, k) for k in range(len(links))]


@dataclass(frozen=True, eq=False)
class _Robot:
    """Links of URDF, and the inertial that each states."""

    links: Sequence[Link]
    stated: Sequence[MassProperties | None]

    def lump(self, k: int) -> LumpedLink:
        """The link as Gazebo makes it; raises what makes that unknown."""
        if len(self._roots) > 1 and all("::" not in (link.name or "") for link in self.links):
            raise ReadError("the robot has several roots", place=self.links[k].place, code="not-a-tree")
        if self._is_world(k):
            return LumpedLink(NOTHING, "the link world is not made")
        head, _ = self._head(k)
        if (out := self._left_out(k)) is not None:
            of = "" if out == k else f", also of {quote(self.links[out].name or '')} above it"
            return LumpedLink(None, f"no mass is stated{of}: left out, with all links below")
        if head != k:
            return LumpedLink(NOTHING, f"lumped into {quote(self.links[head].name or '')}", is_lumped=True)
        others = any(self.stated[m] is not None for m in self._members[k] if m != k)
        if self._refuses(k, is_sum=others):
            return LumpedLink(None, "an inertia that no body has is an error")
        return LumpedLink(self._total(k), "with the links that are lumped into it" if others else "", others)

    def _refuses(self, k: int, *, is_sum: bool) -> bool:
        total, stated = self._total(k), self.links[k].body
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

    def _placement(self, k: int) -> LinkPlacement:
        placement = self._placements[k]
        if isinstance(placement, MasspropsError):
            raise placement
        return placement

    @cached_property
    def _placements(self) -> list[LinkPlacement | MasspropsError]:
        return [result_or_error(link.placement) for link in self.links]

    @cached_property
    def _place(self) -> dict[str | None, int]:
        return {link.name: k for k, link in enumerate(self.links)}

    def _parent(self, k: int) -> int | None:
        return self._place.get(self._placement(k).parent)

    @cached_property
    def _roots(self) -> list[int]:
        placed = (k for k, placement in enumerate(self._placements) if not isinstance(placement, MasspropsError))
        return [k for k in placed if self._parent(k) is None]

    def _is_world(self, k: int) -> bool:
        return (self.links[k].name or "").rpartition("::")[2] == "world" and self._parent(k) is None

    def _is_lumped(self, k: int) -> bool:
        """Whether a link is lumped into its parent."""
        above, link = self._parent(k), self.links[k]
        return link.fixed and above is not None and not self._is_world(above) and KEEPS_JOINT.isdisjoint(link.gazebo)

    def _head(self, k: int) -> tuple[int, Pose]:
        """The link into which a link is lumped in the end, itself if it is not, and its pose in that."""
        pose = Pose.identity()
        for _ in self.links:
            above = self._parent(k)
            if above is None or not self._is_lumped(k):
                return k, pose
            pose, k = (self._placement(k).pose or Pose.identity()) @ pose, above
        raise ReadError("a link is below itself", place=self.links[k].place, code="cycle")

    @cached_property
    def _members(self) -> dict[int, list[int]]:
        """The links that are lumped together, by the place of the one that stays."""
        found: dict[int, list[int]] = {}
        for k in range(len(self.links)):
            found.setdefault(self._head(k)[0], []).append(k)
        return found

    def _total(self, head: int) -> MassProperties:
        """The sum of a link and those that are lumped into it, in its frame."""
        bodies = [body for k in self._members[head] if (body := self._moved(k)) is not None]
        return sum_of(bodies) if bodies else NOTHING

    def _moved(self, k: int) -> MassProperties | None:
        """The body of a link in the frame of that into which it is lumped, None if it states none."""
        (head, pose), body, above = self._head(k), self.stated[k], self._parent(k)
        if "inertial" in self.links[k].gazebo:
            raise ReadError("<gazebo> states an <inertial>", place=self.links[k].place, code="unread-element")
        own = None if above is None else self.stated[above]
        if body is not None and head != k and (body.mass < 0 or (body.mass == 0 and (own is None or own.mass <= 0))):
            what = f"{self.links[k].place}: {body.mass:g}\xa0kg is lumped into a link without mass"
            raise InvalidGeometry(what, code="zero-mass")
        return None if body is None else body.transformed(pose)

    def _left_out(self, k: int) -> int | None:
        """The link that stays without mass: this one, or one above it; None if it is made."""
        at: int | None = k
        for _ in self.links:
            if at is None or self._is_world(at):
                break
            head, _pose = self._head(at)
            if not self._total(head).mass > 0:
                return head
            at = self._parent(head)
        return None

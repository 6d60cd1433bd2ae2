"""Robots: the links of a URDF, SDF or MJCF file placed by their joints, and the one rigid body that they make."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from massprops.errors import InvalidInput, ReadError, Remedy
from massprops.findings import Finding
from massprops.formats.bodies import NamedBody
from massprops.formats.link_names import named_link, some
from massprops.formats.robot.kinematics import Joint, LinkPlacement
from massprops.formats.robot.links import Link
from massprops.formats.text import quote
from massprops.frames import Pose, parse_angle
from massprops.measurement.assembly import Assembly, place_body
from massprops.rigid_body.plausibility import body_findings
from massprops.units import Quantity, parse_length
from massprops.wording import plural

Missing = Literal["error", "ignore"]
#: Formats whose files have a frame of their own, beside those of their links.
_FRAMES = {"mjcf": "the world", "sdf": "the model, or its world", "usd": "the stage", "gltf": "the scene"}
#: A value this much beyond a limit is rounding: rad or m.
_ROUNDING = 1e-9
#: Digits of a limit from which on it is taken for a rounded number.
_WRITTEN = 3


@dataclass(frozen=True, eq=False)
class Robot:
    """A tree of links.

    Attributes
    ----------
    path : str
    links : mapping of str to Link
        In the order of the file.
    placements : mapping of str to LinkPlacement
        Parents are there too.
    """

    path: str
    links: Mapping[str, Link]
    placements: Mapping[str, LinkPlacement]

    @classmethod
    def of(cls, links: Sequence[Link], path: str) -> Robot:
        """The tree that the links of a file make.

        Raises
        ------
        ReadError
            If one cannot be read, two have the same name, or a parent is not there or is a descendant.
        """
        by_name: dict[str, Link] = {}
        for link in links:
            if link.error is not None:
                raise link.error
            name = link.name or "?"
            if name in by_name:
                raise ReadError(f"a second link is named {quote(name)}", place=link.place, code="ambiguous-link")
            by_name[name] = link
        robot = cls(path, by_name, {name: link.placement() for name, link in by_name.items()})
        reached = set(robot.below(robot.roots))
        for name, placement in robot.placements.items():
            if placement.parent is not None and placement.parent not in by_name:
                why = f"the parent of {quote(name)}, {quote(placement.parent)}, is not there"
                raise ReadError(why, place=placement.place, code="no-link")
            if name not in reached:
                why = f"link {quote(name)} is its own descendant, or that of one"
                raise ReadError(why, place=placement.place, code="not-a-tree")
        return robot

    @property
    def roots(self) -> list[str]:
        """The links without a parent."""
        return [name for name, placement in self.placements.items() if placement.parent is None]

    def below(self, roots: Sequence[str]) -> list[str]:
        """Links and all links that are joined to them, parents before children."""
        found: list[str] = []
        waiting = [*roots][::-1]
        while waiting:
            found.append(waiting.pop())
            waiting += self._children.get(found[-1], [])[::-1]
        return found

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {}
        for name, placement in self.placements.items():
            children.setdefault(placement.parent or "", []).append(name)
        return children

    def select(self, root: str | None) -> list[str]:
        """The links below `root` and itself; all of them by default."""
        if root is not None:
            return self.below([named_link(list(self.links.values()), root, self.path).name or "?"])
        if len(self.roots) > 1 and any(self.placements[name].pose is None for name in self.roots):
            what = f"{len(self.roots)} links have no parent: {some(self.roots)}"
            raise InvalidInput(what, place=self.path, code="not-a-tree", hint="choose one as the root, or alone with #")
        return self.below(self.roots)

    @cached_property
    def joints(self) -> dict[str, Joint]:
        """All joints that are not fixed, by name."""
        found: dict[str, Joint] = {}
        for joint in (joint for placement in self.placements.values() for joint in placement.joints):
            if joint.name in found:
                what = f"a second joint is named {quote(joint.name)}"
                raise ReadError(what, place=joint.place, code="ambiguous-joint")
            found[joint.name] = joint
        return found

    def values(self, given: Mapping[str, Quantity]) -> dict[str, float]:
        """The value of every joint: given, at rest, or that of a joint which it follows; raises what `massprops.combine` does."""
        values = dict(self._value(name, value) for name, value in given.items())
        for name in self.joints:
            chain = [name]
            while chain[-1] not in values and (leader := self._leader(chain)) is not None:
                chain.append(leader)
            for joint in (self.joints[follower] for follower in reversed(chain)):
                known = (0.0, 0.0)
                if joint.mimic is not None and joint.mimic.leader is not None:
                    known = values[joint.mimic.leader], self.joints[joint.mimic.leader].rest
                values.setdefault(joint.name, joint.rest if joint.mimic is None else joint.mimic.value(*known))
                if not math.isfinite(values[joint.name]):
                    what = f"the value of joint {quote(joint.name)} is not finite"
                    raise ReadError(what, place=joint.place, code="bad-number")
        return values

    def _leader(self, chain: Sequence[str]) -> str | None:
        """The joint that the last one of a chain follows."""
        joint = self.joints[chain[-1]]
        leader = None if joint.mimic is None else joint.mimic.leader
        if leader is not None and (leader in chain or leader not in self.joints):
            why = "itself" if leader in chain else f"{leader!r}, which is not a moving joint"
            raise ReadError(f"joint {joint.name!r} follows {why}", place=joint.place, code="bad-mimic")
        return leader

    def _value(self, given: str, value: Quantity) -> tuple[str, float]:
        """The full name of a joint and the value that it is given."""
        joint = named_link(list(self.joints.values()), given, self.path, "moving joint")
        if joint.mimic is not None:
            leader = f"give {joint.mimic.leader}" if joint.mimic.leader else ""
            what = f"joint {quote(given)} follows another"
            raise InvalidInput(what, place=joint.place, code="mimic-joint", hint=leader)
        if joint.kind == "other":
            raise InvalidInput(f"joint {quote(given)} has no single value, and stays at rest", place=joint.place)
        return joint.name, (parse_angle if joint.kind == "turn" else parse_length)(value, name=f"joint {given}")

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused
    def combine(self, joints: Mapping[str, Quantity], root: str | None, missing: Missing) -> Assembly:
        """All links, or a subtree, as one rigid body; see `massprops.combine`."""
        values, chosen = self.values(joints), self.select(root)
        poses, moved = self.poses(values, root)
        bodies, found = self.bodies(chosen, missing)
        parts = tuple(place_body(body, [poses[name]]) for name, body in bodies.items())
        found += _findings(moved, values)
        name = "" if self.path == "-" else Path(self.path).stem
        moving = {joint.name: values[joint.name] for joint in moved}
        return Assembly(name, parts, self.path, tuple(found), moving, frame=self._frame(root))

    def _frame(self, root: str | None) -> str:
        """The frame in which the links below `root`, or all, are placed, in words."""
        dialects = {link.body.dialect for link in self.links.values() if link.body is not None}
        is_placed = all(self.placements[name].pose is not None for name in self.roots)  # so are those of URDF in SDF
        of_file = next((_FRAMES[d] for d in dialects if d in _FRAMES), _FRAMES["sdf"] if is_placed else None)
        return of_file if root is None and of_file is not None else f"link {root or self.roots[0]}"

    def poses(self, values: Mapping[str, float], root: str | None = None) -> tuple[dict[str, Pose], list[Joint]]:
        """X_WL of the links below `root`, whose frame W then is, or of all; and the joints that were moved."""
        moved: list[Joint] = []
        poses: dict[str, Pose] = {}
        for name in self.select(root):
            placement = self.placements[name]
            pose = poses.get(placement.parent or "", Pose.identity())
            if root is None or poses:  # a root that was asked for is the frame
                pose = pose if placement.pose is None else pose @ placement.pose
                for joint in placement.joints:
                    pose = pose @ joint.motion(values[joint.name])
                    moved.append(joint)
            poses[name] = pose
        return poses, moved

    @np.errstate(over="ignore", invalid="ignore")
    def lump_fixed(self, missing: Missing) -> dict[str, NamedBody]:
        """The links that move, or are roots, each with what is fixed to it; those without mass are left out."""
        groups = self.groups()
        bodies, left_out = self.bodies(list(groups), missing)
        found: dict[str, NamedBody] = {}
        for name, body in bodies.items():
            head, pose = groups[name]
            total, findings = body.properties.transformed(pose), body.findings
            if head in found:
                total, findings = found[head].properties + total, found[head].findings + findings
            elif not found:
                findings += tuple(left_out)
            found[head] = replace(body, name=head, properties=total, stated=None, findings=findings)
        return found

    def groups(self) -> dict[str, tuple[str, Pose]]:
        """For each link, the link that it is merged into (itself, if it moves), and its pose in the frame of that.

        As Gazebo does, nothing is merged into a massless root of URDF that is named ``world``.
        """
        groups: dict[str, tuple[str, Pose]] = {}
        for name in self.below(self.roots):
            placement = self.placements[name]
            world = placement.parent == "world" and self.links["world"].body is None
            if placement.parent is None or placement.pose is None or placement.joints or world:
                groups[name] = name, Pose.identity()
            else:
                head, pose = groups[placement.parent]
                groups[name] = head, pose @ placement.pose
        return groups

    def bodies(self, names: Iterable[str], missing: Missing) -> tuple[dict[str, NamedBody], list[Finding]]:
        """The bodies with mass by link, and what is left out.

        Raises
        ------
        ReadError
            If a link has geometry and no inertial, unless `missing` ignores them, or none has mass; if the inertia is that of no mass.
        """
        bodies: dict[str, NamedBody] = {}
        lacking, changed = list[Link](), list[Finding]()
        for link in (self.links[name] for name in names):
            body = link.body or link.default
            mass = 0.0 if body is None else body.properties.mass
            if body is not None and mass <= 0.0 and (mass or body.properties.inertia.any()):
                what = f"{link.name or '?'} has a mass of {mass!r}\xa0kg{'' if mass else ' and an inertia'}"
                what += "; a body has a positive mass"
                computed = Remedy("'massprops fill' computes both from geometry, with {}", "links=all")
                remedy = computed if link.has_geometry else "correct it"
                raise ReadError(what, place=link.place, code="non-positive-mass", hint=remedy)
            noted = link.findings if body is None else body.findings if body.inferred and not mass else ()
            changed += (
                replace(f, message=f"{link.name}: {f.marked}") for f in noted if f.code == "changed-by-compiler"
            )
            if body is not None and mass:
                tensor = None if body.stated is None else body.stated.tensor
                impossible = (f for f in body_findings(body.properties, tensor) if f.severity == "error")
                found = (*body.findings, *link.findings, *impossible)
                bodies[link.name or "?"] = replace(body, findings=found)
            elif body is not None and body.inferred:
                continue  # none of its geoms counts
            elif link.has_geometry and (body is None or missing == "error"):  # a mass of 0 says that it is a frame
                lacking.append(link)
        if not bodies and missing == "ignore":
            what = "no link has a mass, so the robot has none"
            remedy = "'massprops fill' computes the inertials"
            raise ReadError(what, place=self.path, code="no-inertial", hint=remedy if lacking else "")
        if not bodies or (lacking and missing == "error"):
            listed = some([link.name or "?" for link in lacking])
            has = f"{plural(len(lacking), 'link has', 'links have')} geometry and no inertial: {listed}"
            hint = Remedy("'massprops fill' computes it; {} takes them as massless", "missing=ignore")
            what = has if lacking else "no link states a mass"
            raise ReadError(what, place=self.path, code="no-inertial", hint=hint if lacking else "")
        text = "has geometry and no inertial, and is taken as massless"
        code = "geometry-without-inertial"
        left_out = [Finding(code, "warning", f"{link.name}: {text}", where=link.place) for link in lacking]
        return bodies, [*changed, *left_out]


def _last_digit(limit: float) -> float:
    """One in the last digit of a limit that is written with three or more, as 1.57 or 1.5707 is for 90°; else rounding."""
    if not math.isfinite(limit):
        return 0.0
    _, digits, exponent = Decimal(repr(limit)).as_tuple()
    return max(10.0 ** int(exponent), _ROUNDING) if len(digits) >= _WRITTEN else _ROUNDING


def _findings(joints: Sequence[Joint], values: Mapping[str, float]) -> Iterator[Finding]:
    """Joints that are outside their limits, and those that are not moved."""
    for joint in joints:
        value, (lower, upper) = values[joint.name], joint.limits
        if joint.kind == "other":
            text = f"joint {joint.name} has several degrees of freedom, and is at rest"
            yield Finding("joint-at-rest", "info", text, where=joint.place)
        elif not lower - _last_digit(lower) <= value <= upper + _last_digit(upper):
            unit = "rad" if joint.kind == "turn" else "m"
            text = f"joint {joint.name} is at {value:.6g} {unit}, outside its limits {lower:.6g} … {upper:.6g} {unit}"
            yield Finding("joint-limits", "warning", text, value, lower if value < lower else upper, joint.place)

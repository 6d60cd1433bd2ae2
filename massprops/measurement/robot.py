"""Robots: the links of a URDF, SDF or MJCF file placed by their joints, and the one rigid body that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from massprops.errors import InvalidInput, ReadError
from massprops.findings import Finding
from massprops.formats.inertial import NamedBody
from massprops.formats.link_names import named_link, some
from massprops.formats.robot.kinematics import Joint, Placement
from massprops.formats.robot.links import Link
from massprops.formats.robot.mesh_paths import Finder
from massprops.formats.robot.opening import read_robot
from massprops.frames import Pose, parse_angle
from massprops.measurement.assembly import Assembly, placed
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import properties_findings
from massprops.units import Quantity, parse_length
from massprops.wording import did_you_mean, plural

Missing = Literal["error", "ignore"]
#: A value this much beyond a limit is rounding: rad or m.
_ROUNDING = 1e-9


def combine_robot(
    path: str | Path,
    *,
    joints: Mapping[str, Quantity] | None = None,
    root: str | None = None,
    missing: Missing = "error",
    packages: Mapping[str, str] | None = None,
    package_path: Sequence[str] = (),
    allow_outside: bool = False,
) -> Assembly:
    """The links of a robot as one rigid body, at a position of its joints.

    Parameters
    ----------
    path : str or Path
        URDF, SDF or MJCF.
    joints : mapping of str to float or str
        Values by name of joint: ``"90deg"``, ``"12mm"``; numbers are rad or m. The others are at rest: 0, in MJCF `ref`; joints that
        mimic another follow it.
    root : str, optional
        The link whose subtree is taken, in whose frame; by default all links, in the frame of the root link (URDF), the model (SDF; the
        world, if it has several models) or the world (MJCF).
    missing : {"error", "ignore"}
        Links that have geometry and no inertial: refuse them, or take them as massless with a warning.
    packages, package_path, allow_outside
        Where included files are looked for.

    Returns
    -------
    Assembly
        Its parts are the links that have mass, in the common frame.

    Raises
    ------
    ReadError
        If a link or joint cannot be read, the joints make no tree, or links have no inertial.
    InvalidInput
        If a joint or link is unknown, a joint cannot be set, or several links of URDF have no parent.
    """
    finder = Finder(Path(path).parent, packages or {}, package_path, allow_outside)
    return Robot.of(read_robot(str(path), finder=finder), str(path)).combined(joints or {}, root, missing)


@dataclass(frozen=True, eq=False)
class Robot:
    """A tree of links.

    Attributes
    ----------
    path : str
    links : mapping of str to Link
        In the order of the file.
    placements : mapping of str to Placement
        Parents are there too.
    """

    path: str
    links: Mapping[str, Link]
    placements: Mapping[str, Placement]

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
            if link.name in by_name:
                first = by_name[link.name].place
                raise ReadError(
                    f"a second link is named {link.name!r}, the first at {first}",
                    place=link.place,
                    code="ambiguous-link",
                )
            by_name[link.name or "?"] = link
        placements = {name: link.placement() for name, link in by_name.items()}
        robot = cls(path, by_name, placements)
        for name, placement in placements.items():
            if placement.parent is not None and placement.parent not in placements:
                hint = did_you_mean(placement.parent, placements, "")
                raise ReadError(
                    f"the parent of {name!r}, {placement.parent!r}, is not there",
                    place=placement.place,
                    code="no-link",
                    hint=hint,
                )
        if len(robot.order) < len(placements):
            name = next(name for name in placements if name not in robot.order)
            raise ReadError(
                f"link {name!r} is its own descendant, or that of one", place=placements[name].place, code="not-a-tree"
            )
        return robot

    @cached_property
    def order(self) -> dict[str, None]:
        """The links, parents before children, each as near to its place in the file as that allows."""
        children: dict[str | None, list[str]] = {}
        for name, placement in self.placements.items():
            children.setdefault(placement.parent, []).append(name)
        order: dict[str, None] = {}
        waiting = children.get(None, [])[::-1]
        while waiting:
            name = waiting.pop()
            order[name] = None
            waiting += children.get(name, [])[::-1]
        return order

    def subtree(self, root: str | None) -> list[str]:
        """The links below `root` and itself, parents first; all of them by default."""
        if root is not None:
            root = named_link(list(self.links.values()), root, self.path).name
            found = {root}
            for name in self.order:
                if self.placements[name].parent in found:
                    found.add(name)
            return [name for name in self.order if name in found]
        loose = [name for name, placement in self.placements.items() if placement.pose is None]
        if len(loose) > 1:
            raise InvalidInput(
                f"{len(loose)} links have no parent: {some(loose)}",
                place=self.path,
                code="not-a-tree",
                hint="choose one as the root, or alone with #",
            )
        return list(self.order)

    @cached_property
    def joints(self) -> dict[str, Joint]:
        """All joints that are not fixed, by name."""
        return {joint.name: joint for name in self.order for joint in self.placements[name].joints}

    def values(self, given: Mapping[str, Quantity]) -> dict[str, float]:
        """The value of every joint: given, at rest, or that of a joint which it follows; raises what `combine_robot` does."""
        values = {name: self._value(name, value) for name, value in given.items()}
        for name in self.joints:
            chain = [name]
            while chain[-1] not in values and (leader := self._leader(chain)) is not None:
                chain.append(leader)
            for joint in (self.joints[follower] for follower in reversed(chain)):
                known = (0.0, 0.0)
                if joint.mimic is not None and joint.mimic.leader is not None:
                    known = values[joint.mimic.leader], self.joints[joint.mimic.leader].rest
                values.setdefault(joint.name, joint.rest if joint.mimic is None else joint.mimic.value(*known))
        return values

    def _leader(self, chain: Sequence[str]) -> str | None:
        """The joint that the last one of a chain follows."""
        joint = self.joints[chain[-1]]
        leader = None if joint.mimic is None else joint.mimic.leader
        if leader is not None and (leader in chain or leader not in self.joints):
            why = "itself" if leader in chain else f"{leader!r}, which is not a moving joint"
            raise ReadError(f"joint {joint.name!r} follows {why}", place=joint.place, code="bad-mimic")
        return leader

    def _value(self, name: str, value: Quantity) -> float:
        joint = self.joints.get(name)
        if joint is None:
            moving = [joint.name for joint in self.joints.values() if joint.kind != "other" and joint.mimic is None]
            hint = did_you_mean(name, moving, f"joints: {some(moving)}" if moving else "all of its joints are fixed")
            raise InvalidInput(f"has no moving joint {name!r}", place=self.path, code="no-joint", hint=hint)
        if joint.mimic is not None:
            leader = f"give {joint.mimic.leader}" if joint.mimic.leader else ""
            raise InvalidInput(f"joint {name!r} follows another", place=joint.place, code="mimic-joint", hint=leader)
        if joint.kind == "other":
            raise InvalidInput(
                f"joint {name!r} has no single value", place=joint.place, code="no-joint", hint="it stays at rest"
            )
        parse = parse_angle if joint.kind == "turn" else parse_length
        return parse(value, name=f"joint {name}")

    def combined(self, joints: Mapping[str, Quantity], root: str | None, missing: Missing) -> Assembly:
        """All links, or a subtree, as one rigid body; see `combine_robot`."""
        values, chosen = self.values(joints), self.subtree(root)
        top = None if root is None else chosen[0]
        poses: dict[str, Pose] = {}
        for name in chosen:
            placement = self.placements[name]
            pose = poses.get(placement.parent or "", Pose.identity())
            if name != top:
                pose = pose if placement.pose is None else pose @ placement.pose
                for joint in placement.joints:
                    pose = pose @ joint.motion(values[joint.name])
            poses[name] = pose
        bodies, left_out = self.bodies(chosen, missing)
        parts = tuple(placed(body, [poses[name]]) for name, body in bodies.items())
        if not parts:
            raise ReadError("no link states a mass", place=self.path, code="no-inertial")
        moved = [joint for name in chosen if name != top for joint in self.placements[name].joints]
        found = (*left_out, *_of_limits(moved, values), *_of_neutral(moved))
        return Assembly(
            "" if self.path == "-" else Path(self.path).stem,
            parts,
            self.path,
            found,
            {j.name: values[j.name] for j in moved},
        )

    def lumped(self, missing: Missing) -> dict[str, NamedBody]:
        """The links that move, or are roots, each with what is fixed to it; those without mass are left out.

        As Gazebo does, nothing is merged into a massless root of URDF that is named ``world``.
        """
        groups = self.groups()
        bodies, left_out = self.bodies(list(self.order), missing)
        found: dict[str, NamedBody] = {}
        for name, (head, pose) in groups.items():
            if name in bodies:
                body = bodies[name].properties.transformed(pose)
                total: MassProperties = found[head].properties + body if head in found else body
                findings = (*(found[head].findings if head in found else ()), *bodies[name].findings)
                found[head] = replace(bodies[name], name=head, properties=total, stated=None, findings=findings)
        first = next(iter(found), None)
        if first is None:
            raise ReadError("no link states a mass", place=self.path, code="no-inertial")
        found[first] = replace(found[first], findings=(*found[first].findings, *left_out))
        return {name: found[name] for name in self.order if name in found}

    def groups(self) -> dict[str, tuple[str, Pose]]:
        """For each link, the link that it is merged into (itself, if it moves), and its pose in the frame of that."""
        groups: dict[str, tuple[str, Pose]] = {}
        for name in self.order:
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
            If a link has geometry and no inertial, unless `missing` ignores them.
        """
        bodies: dict[str, NamedBody] = {}
        lacking: list[Link] = []
        for link in (self.links[name] for name in names):
            body = link.body or link.default
            if body is not None and (body.properties.mass != 0.0 or body.properties.inertia.any()):
                impossible = (f for f in properties_findings(body.properties) if f.severity == "error")
                found = (*body.findings, *link.findings, *impossible)
                bodies[link.name or "?"] = replace(body, findings=found)
            elif link.visual or link.collision:
                lacking.append(link)
        if lacking and missing == "error":
            listed = some([link.name or "?" for link in lacking])
            raise ReadError(
                f"{plural(len(lacking), 'link has', 'links have')} geometry and no inertial: {listed}",
                place=self.path,
                code="no-inertial",
                hint="'massprops fill' computes it; --missing ignore takes them as massless",
            )
        text = "has geometry and no inertial, and is taken as massless"
        code = "geometry-without-inertial"
        return bodies, [Finding(code, "warning", f"{link.name}: {text}", where=link.place) for link in lacking]


def _of_limits(joints: Sequence[Joint], values: Mapping[str, float]) -> list[Finding]:
    found = []
    for joint in joints:
        value, (lower, upper) = values[joint.name], joint.limits
        if not lower - _ROUNDING <= value <= upper + _ROUNDING:
            unit = "rad" if joint.kind == "turn" else "m"
            text = f"joint {joint.name} is at {value:.6g} {unit}, outside its limits {lower:.6g} … {upper:.6g} {unit}"
            limit = lower if value < lower else upper
            found.append(Finding("joint-limits", "warning", text, value, limit, joint.place))
    return found


def _of_neutral(joints: Sequence[Joint]) -> list[Finding]:
    names = [joint.name for joint in joints if joint.kind == "other"]
    if not names:
        return []
    text = f"{plural(len(names), 'joint')} with several degrees of freedom at the neutral position: {some(names)}"
    return [Finding("joint-at-rest", "info", text)]

"""Inertials of links copied from their twins on the other side of a plane.

The plane goes through the origin of the nearest common ancestor of both links, P. With S the reflection in it and all joints at rest, a
point x of the link L has its image at X_RP S X_PL x in the link R: a rotation, a translation and one change of sign.

Tests: `tests/filling/test_mirroring.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

import numpy as np

from massprops.errors import InvalidInput, Remedy
from massprops.findings import Finding
from massprops.formats.link_names import some
from massprops.formats.robot.links import Link
from massprops.frames import MIRRORS, Plane, Pose
from massprops.measurement.robot import Robot
from massprops.moments.arrays import length
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.wording import did_you_mean, percent, plural

#: Share of the distances by which the positions of links may differ from mirrored ones: of coordinates with five digits.
_SAME_PLACE = 1e-4
#: Share of volume, size and inertia by which geometries may differ that are mirror images.
_SAME_SHAPE = 1e-2


@dataclass(frozen=True)
class Twin:
    """Two links by their numbers, the one that is copied first, the name of the other, and their poses in their common ancestor."""

    source: int
    target: int
    name: str
    ancestor: str
    source_pose: Pose
    target_pose: Pose

    def image(self, body: MassProperties, plane: Plane) -> MassProperties:
        """A body of the source, mirrored, in the frame of the target."""
        return body.transformed(self.source_pose).mirrored(plane).transformed(self.target_pose.inverse())

    def is_placed(self, plane: Plane) -> bool:
        """Whether the origin of the target is where the plane puts that of the source."""
        one, other = self.source_pose.translation, self.target_pose.translation
        return length(np.array(MIRRORS[plane]) * one - other) <= _SAME_PLACE * max(length(one), length(other))

    def difference(self, one: Moments, other: Moments, plane: Plane) -> str:
        """In which number the geometry of the target is not that of the source, mirrored; empty if it is."""
        volume, wanted = other.measure, one.measure
        if abs(volume - wanted) > _SAME_SHAPE * wanted:
            return f"its volume differs by {percent(abs(volume - wanted) / wanted)}"
        image = self.image(MassProperties.from_moments(one, density=1.0), plane)
        body = MassProperties.from_moments(other, density=1.0)
        size = float(np.sqrt(np.trace(body.inertia) / body.mass))
        if (off := length(image.com - body.com)) > _SAME_SHAPE * size:
            return f"its centre is {off:.3g}\xa0m away from there"
        off = float(np.abs(image.inertia - body.inertia).max() / np.abs(body.inertia).max())
        return f"its inertia differs by {percent(off)}" if off > _SAME_SHAPE else ""


def words_of(mirror: str | Sequence[str]) -> tuple[str, str]:
    """Words in the names of the links on each side, from ``"left=right"`` or a pair."""
    pair = mirror.split("=") if isinstance(mirror, str) else mirror
    words = [word.strip() for word in pair if isinstance(word, str)] if isinstance(pair, tuple | list) else []
    if len(words) != 2 or not all(words) or words[0] == words[1]:
        raise InvalidInput(f"must be two words, got {mirror!r}", parameter="mirror", hint="for example left=right")
    return words[0], words[1]


def twins_of(links: Sequence[Link], path: str, words: tuple[str, str]) -> list[Twin]:
    """The links whose names have the first word, each with that whose name has the second in its place.

    Raises
    ------
    InvalidInput
        If there is none, or one has no twin.
    ReadError
        If the links make no tree.
    """
    numbers = {link.name or "?": i for i, link in enumerate(links)}
    pairs = {name: name.replace(*words) for name in numbers if words[0] in name}
    if not pairs:
        hint = did_you_mean(words[0], numbers)
        raise InvalidInput(f"no link has {words[0]!r} in its name", argument="mirror", hint=hint)
    if missing := [f"{name} (no {twin})" for name, twin in pairs.items() if twin not in numbers]:
        what = f"{plural(len(missing), 'link has', 'links have')} no twin: {some(missing)}"
        raise InvalidInput(what, argument="mirror", hint=did_you_mean(pairs[missing[0].split(" (")[0]], numbers))
    robot = Robot.of(links, path)
    poses, _ = robot.poses(robot.values({}))
    found = []
    for name, twin in pairs.items():
        above = _ancestors(robot, twin)
        parent = next((a for a in _ancestors(robot, name) if a in above), None)
        if parent is None:
            what = f"{name} and {twin} have no common parent, through which the plane would go"
            raise InvalidInput(what, argument="mirror")
        seen = poses[parent].inverse()
        found.append(Twin(numbers[name], numbers[twin], twin, parent, seen @ poses[name], seen @ poses[twin]))
    return found


def _ancestors(robot: Robot, name: str) -> list[str]:
    """The links above one, the nearest first."""
    found: list[str] = []
    while (parent := robot.placements[name].parent) is not None:
        found.append(parent)
        name = parent
    return found


def plane_of(twins: Sequence[Twin], solids: Mapping[int, Moments], stated: Plane | None) -> tuple[Plane, list[Finding]]:
    """The plane that is stated, or the only one in which places and geometries of all twins are mirrored; and what there is to say.

    Raises
    ------
    InvalidInput
        If there is no such plane, or several.
    """
    if stated is not None:
        return stated, []
    planes = [cast("Plane", p) for p in get_args(Plane) if all(t.is_placed(p) for t in twins)]
    shaped = [(t, solids[t.source], solids[t.target]) for t in twins if {t.source, t.target} <= solids.keys()]
    off = {p: [(t, what) for t, a, b in shaped if (what := t.difference(a, b, p))] for p in planes}
    fitting = [p for p in planes if not off[p]]
    if len(fitting) != 1:
        why = f"{' and '.join(fitting)} fit" if fitting else "in none of xy, xz, yz are the links mirrored"
        if len(planes) == 1 and not fitting:
            twin, what = off[planes[0]][0]
            why = f"the links are placed as in {planes[0]}, but the geometry of {twin.name} is no image: {what}"
        hint = Remedy("give {}", "mirror_plane=xz")
        raise InvalidInput(f"the plane is not known: {why}", argument="mirror", code="no-mirror-plane", hint=hint)
    through = " and ".join(dict.fromkeys(t.ancestor for t in twins))
    text = f"the plane of the mirror is {fitting[0]} through the origin of {through}, by the places of the links"
    text += f" and the geometry of {len(shaped)} of {plural(len(twins), 'pair')}"
    return fitting[0], [Finding("mirror-plane", "info", text)]

"""Placement of links: the pose in the frame of the parent, and the joints that move it.

Formats place their joints in different frames. Here every joint moves the frame of its own link: X_PL(q) = X_PL(0) M₁(q₁) M₂(q₂) …, where
M(q) turns about a line or slides along it, and the line is stated in the frame of the link. That is URDF's joint as it stands, MJCF's
several joints of one body, and SDFormat's joint with a pose of its own.

Tests: `tests/formats/robot/test_links.py`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from massprops.frames import Pose
from massprops.moments.arrays import Array

#: ``other``: a joint with several degrees of freedom, or whose motion is not read; it stays at its neutral position.
JointType = Literal["turn", "slide", "other"]
#: By the words of URDF and SDFormat; the others are ``other``.
JOINT_TYPES: dict[str, JointType] = {"revolute": "turn", "continuous": "turn", "prismatic": "slide"}


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: its value is Σ cₖ xᵏ, x the value of the leader less its `reference`.

    Attributes
    ----------
    leader : str or None
        None: the value is constant, c₀.
    coefficients : tuple of float
        c₀, c₁ …
    reference : float or None
        None: the value of the leader at rest.
    """

    leader: str | None
    coefficients: tuple[float, ...]
    reference: float | None = 0.0

    def value(self, leader: float, rest: float) -> float:
        """The value of the follower, from that of the leader."""
        x = leader - (rest if self.reference is None else self.reference)
        return functools.reduce(lambda total, c: total * x + c, reversed(self.coefficients))


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint, in the frame of the link that it moves.

    Attributes
    ----------
    name, place : str
        ``file:line``.
    kind : {"turn", "slide", "other"}
    axis, point : ndarray, shape (3,)
        Unit vector along the axis, and a point on it, m.
    limits : (float, float)
        Of the value, rad or m.
    rest : float
        The value at which the link is where its pose says.
    mimic : Mimic or None
    """

    name: str
    place: str
    kind: JointType
    axis: Array
    point: Array
    limits: tuple[float, float] = (-math.inf, math.inf)
    rest: float = 0.0
    mimic: Mimic | None = None

    def motion(self, value: float) -> Pose:
        """M(q): the frame of the link, moved, in the frame at rest."""
        q = value - self.rest
        if self.kind == "slide":
            return Pose(np.eye(3), q * self.axis)
        if self.kind == "other" or q == 0.0:
            return Pose.identity()
        half = q / 2
        turned = Pose.from_quaternion(wxyz=[math.cos(half), *(math.sin(half) * self.axis).tolist()])
        return Pose(turned.rotation, self.point - turned.apply(self.point))


@dataclass(frozen=True, eq=False)
class LinkPlacement:
    """Placement of a link.

    Attributes
    ----------
    parent : str or None
        The link that it is joined to; None if it is placed in the frame of the file.
    pose : Pose or None
        X_PL with all joints at rest, in the frame of the parent or of the file; None for a root of URDF, which is placed nowhere.
    joints : tuple of Joint
        Between the two, outermost first; none if the link is fixed.
    place : str
        ``file:line`` of the joint, or of the link.
    """

    parent: str | None
    pose: Pose | None
    joints: tuple[Joint, ...] = ()
    place: str = ""

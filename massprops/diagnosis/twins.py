"""Links of one robot whose geometries are mirror images or copies of each other, as left and right are: they should state the same.

Where they do not, one of them is wrong: a mistake of this one is then as likely as one of the other, however rare mistakes are, until the
geometry of both is looked at.

Tests: `tests/diagnosis/test_evidence.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple, get_args

import numpy as np

from massprops.diagnosis.common_mistakes import About, Mistake, correction, entries_of, last_digits
from massprops.diagnosis.reference import Reference
from massprops.formats.inertial.inertial import Inertial, symmetric
from massprops.moments.arrays import length, sandwich
from massprops.rigid_body.mass_properties import MassProperties

#: Geometries nearer than this are mirror images: the centres over the size, tensors and volumes relative.
MIRRORED = 0.01
#: Only a mirror that fits so many times better than another, beyond rounding, rules the other out.
BETTER, ROUNDING = 10.0, 1e-4
#: Numbers nearer than this, relative, and in products this share of the largest entry, are the same.
SAME, NOTHING = 0.01, 1e-4
_MIRRORS = tuple(map(np.array, product((1.0, -1.0), repeat=3)))


class Neighbour(NamedTuple):
    """Another link of the robot: its inertial, None where none is stated, and its geometry."""

    stated: Inertial | None
    reference: Reference


#: The other links, by name.
Neighbours = Mapping[str | None, Neighbour]
#: Of a link that stands alone.
NO_NEIGHBOURS: Neighbours = {}


def _images(own: Reference, other: Neighbour) -> Iterator[MassProperties]:
    theirs, volume = other.reference, own.moments.measure
    if other.stated is None or other.stated.mass <= 0 or abs(theirs.moments.measure - volume) > MIRRORED * volume:
        return
    images = [(mirror * theirs.centroid, np.outer(mirror, mirror) * theirs.inertia) for mirror in _MIRRORS]
    away = [
        max(length(centre - own.centroid) / own.size, length(inertia - own.inertia) / length(own.inertia))
        for centre, inertia in images
    ]
    body = other.stated.properties
    for mirror, distance in zip(_MIRRORS, away, strict=True):
        if distance <= min(MIRRORED, BETTER * min(away) + ROUNDING):
            yield MassProperties(body.mass, mirror * body.com, np.outer(mirror, mirror) * body.inertia)


class Twins:
    """The twins of a link that state something else than it does."""

    def __init__(self, stated: Inertial, reference: Reference, robot: Neighbours) -> None:
        self._twins = [(name or "", body) for name, other in robot.items() for body in _images(reference, other)]
        self._centre = SAME * reference.size
        self._unit = symmetric(*last_digits(entries_of(stated.tensor))) if self._twins else 0.0
        as_it_is = correction(stated)
        self._open = {about: self._first(as_it_is._replace(about=about)) is None for about in get_args(About)}

    def confirming(self, mistake: Mistake) -> str | None:
        """The first that states what a mistake corrected does; None if there is none, or if one agrees with what is stated."""
        return self._first(mistake) if self._open[mistake.about] and mistake.geometry is None else None

    def _first(self, mistake: Mistake) -> str | None:
        return next((name for name, body in self._twins if self._agree(mistake, body)), None)

    def _agree(self, mistake: Mistake, twin: MassProperties) -> bool:
        """Whether the numbers that a mistake is about are equal; a unit of the last digit is no difference."""
        if mistake.about != "tensor" and length(mistake.centre - twin.com) > self._centre:
            return False
        if mistake.about == "centre":
            return True
        theirs = sandwich(mistake.rotation.T, twin.inertia)
        near = SAME * np.abs(theirs) + NOTHING * np.abs(theirs).max() + self._unit
        return abs(mistake.mass - twin.mass) <= SAME * twin.mass and bool(
            (np.abs(mistake.tensor - theirs) <= near).all()
        )

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
from massprops.moments.arrays import Array, length, sandwich

#: Geometries nearer than this are mirror images: the centres over the size, tensors and volumes relative.
MIRRORED = 0.01
#: A mirror that fits this many times better than another, beyond rounding, rules the other out.
BETTER, ROUNDING = 10.0, 1e-4
#: Numbers nearer than this, relative, and products nearer than this share of the largest entry, are the same.
SAME, SAME_PRODUCTS = 0.01, 1e-4
_MIRRORS = np.array([*product((1.0, -1.0), repeat=3)])
_SIGNS = _MIRRORS[:, :, np.newaxis] * _MIRRORS[:, np.newaxis]


class OtherLink(NamedTuple):
    """Another link of the robot: its inertial, None where none is stated, and its geometry."""

    stated: Inertial | None
    reference: Reference


#: The other links, by name.
OtherLinks = Mapping[str | None, OtherLink]
#: Of a link that stands alone.
NO_OTHERS: OtherLinks = {}


class _MirrorImage(NamedTuple):
    """Name of another link, and the mass, centre and tensor that it states, seen in a mirror."""

    name: str
    mass: float
    centre: Array
    tensor: Array


def _images(own: Reference, name: str, other: OtherLink) -> Iterator[_MirrorImage]:
    theirs, volume = other.reference, own.moments.measure
    if other.stated is None or other.stated.mass <= 0 or abs(theirs.moments.measure - volume) > MIRRORED * volume:
        return
    centres = _lengths(_MIRRORS * theirs.centroid - own.centroid) / own.size
    tensors = _lengths((_SIGNS * theirs.inertia - own.inertia).reshape(-1, 9)) / length(own.inertia)
    away, body = np.maximum(centres, tensors), other.stated.properties
    for i in np.flatnonzero(away <= min(MIRRORED, BETTER * away.min() + ROUNDING)):
        yield _MirrorImage(name, body.mass, _MIRRORS[i] * body.com, _SIGNS[i] * body.inertia)


def _lengths(vectors: Array) -> Array:
    found: Array = np.hypot.reduce(vectors, axis=1)
    return found


class MirroredLinks:
    """The twins of a link that state something else than it does."""

    def __init__(self, stated: Inertial, reference: Reference, others: OtherLinks) -> None:
        found = [image for name, other in others.items() for image in _images(reference, name or "", other)]
        self._names = [image.name for image in found]
        self._masses = np.array([image.mass for image in found])
        self._centres = np.array([image.centre for image in found]).reshape(-1, 3)
        self._tensors = np.array([image.tensor for image in found]).reshape(-1, 3, 3)
        self._traces, self._sizes = np.trace(self._tensors, axis1=1, axis2=2), _lengths(self._tensors.reshape(-1, 9))
        self._near = SAME * reference.size
        self._unit = symmetric(*last_digits(entries_of(stated.tensor))) if found else np.zeros((3, 3))
        as_it_is = correction(stated)
        self._open = {about: self._first(as_it_is._replace(about=about)) is None for about in get_args(About)}

    def confirming(self, mistake: Mistake) -> str | None:
        """The first that states what a mistake corrected does; None if there is none, or if one agrees with what is stated."""
        return self._first(mistake) if self._open[mistake.about] and mistake.geometry is None else None

    def _first(self, mistake: Mistake) -> str | None:
        """The first twin of which the numbers are those that a mistake is about; a unit of the last digit is no difference."""
        near = np.arange(len(self._names))
        if mistake.about != "centre":
            near = near[abs(mistake.mass - self._masses) <= SAME * self._masses]
        if mistake.about != "tensor" and len(near):
            near = near[_lengths(mistake.centre - self._centres[near]) <= self._near]
        if mistake.about != "centre" and len(near):  # no rotation changes the trace
            off, most = abs(mistake.tensor.trace() - self._traces[near]), 3 * (SAME + SAME_PRODUCTS) * self._sizes[near]
            near = near[off <= most + self._unit.trace()]
        return next((self._names[i] for i in near.tolist() if self._has_tensor(i, mistake)), None)

    def _has_tensor(self, twin: int, mistake: Mistake) -> bool:
        theirs = sandwich(mistake.rotation.T, self._tensors[twin])
        near = SAME * np.abs(theirs) + SAME_PRODUCTS * np.abs(theirs).max() + self._unit
        return mistake.about == "centre" or bool((np.abs(mistake.tensor - theirs) <= near).all())

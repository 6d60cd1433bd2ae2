"""Links of one robot whose geometries are mirror images or copies of each other, as left and right are: they should state the same.

Where they do not, one of them is wrong: a mistake of this one is then as likely as one of the other, however rare mistakes are, until the
geometry of both is looked at. Where all ten numbers of one are those of the other to the digits that are printed, once a mistake is
undone, this alone is evidence, whatever the density of the part: then only which of both is wrong is asked of the geometry.

Tests: `tests/diagnosis/test_evidence.py`.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterator, Mapping
from itertools import permutations, product
from typing import Any, NamedTuple, get_args

import numpy as np

from massprops.diagnosis.common_mistakes import (
    About,
    Mistake,
    all_mistakes,
    correction,
    entries_of,
    last_digits,
    mesh_frame,
    power_of_ten,
)
from massprops.diagnosis.reference import Reference, inertial_of
from massprops.formats.inertial.inertial import Inertial, symmetric
from massprops.moments.arrays import Array, length, sandwich
from massprops.rigid_body.mass_properties import MassProperties

#: Geometries nearer than this are mirror images: the centres over the size, tensors and volumes relative.
MIRRORED = 0.01
#: A mirror that fits this many times better than another, beyond rounding, rules the other out.
BETTER, ROUNDING = 10.0, 1e-4
#: Numbers nearer than this, relative, and products nearer than this share of the largest entry, are the same.
SAME, SAME_PRODUCTS = 0.01, 1e-4
#: All ten numbers nearer than this, of the largest entry and of the size, beyond one unit of the last digit, are equal.
EQUAL = 2e-5
#: Share of links whose numbers are copied from a twin.
SHARE = 0.1
#: Numbers of which one unit of the last digit is more of the largest entry say too little.
COARSE = 0.005
#: Of twins the one that is 1.5 times as far from an even body with a lump is the wrong one.
WORSE = math.log(1.5)
_MIRRORS = np.array([np.diag(signs) for signs in product((1.0, -1.0), repeat=3)])
#: Mirrors and right-angled turns.
_SYMMETRIES = np.array([m[list(order)] for order in permutations(range(3)) for m in _MIRRORS])


#: Of parts, kg/m³, and a distance from the geometry that is none.
TYPICAL_DENSITY, TINY = 1800.0, 1e-3


class OtherLink(NamedTuple):
    """Another link of the robot: its inertial, None where none is stated, and its geometry."""

    stated: Inertial | None
    reference: Reference


#: The other links, by name.
OtherLinks = Mapping[str | None, OtherLink]
#: Of a link that stands alone.
NO_OTHERS: OtherLinks = {}


class _MirrorImage(NamedTuple):
    """Name of another link, and the mass, centre and tensor that it states, seen in a mirror; and as they stand there."""

    name: str
    mass: float
    centre: Array
    tensor: Array
    given: MassProperties


def _images(own: Reference, name: str, other: OtherLink) -> Iterator[_MirrorImage]:
    theirs, volume = other.reference, own.moments.measure
    if other.stated is None or other.stated.mass <= 0 or abs(theirs.moments.measure - volume) > MIRRORED * volume:
        return
    maps, shifts = _MIRRORS, np.zeros((len(_MIRRORS), 3))
    if own.axes is not None and theirs.axes is not None:  # the same part, placed elsewhere
        turned = own.axes @ _SYMMETRIES @ theirs.axes.T
        maps, shifts = np.concatenate([maps, turned]), np.concatenate([shifts, own.centroid - turned @ theirs.centroid])
    centres = _lengths(maps @ theirs.centroid + shifts - own.centroid) / own.size
    turned_back = maps.transpose(0, 2, 1)
    tensors = _lengths((maps @ theirs.inertia @ turned_back - own.inertia).reshape(-1, 9)) / length(own.inertia)
    away, body = np.maximum(centres, tensors), other.stated.properties
    for i in np.flatnonzero(away <= min(MIRRORED, BETTER * away.min() + ROUNDING)):
        yield _MirrorImage(
            name, body.mass, maps[i] @ body.com + shifts[i], maps[i] @ body.inertia @ turned_back[i], body
        )


def _lengths(vectors: Array) -> Array:
    found: Array = np.hypot.reduce(vectors, axis=1)
    return found


class MirroredLinks:
    """The twins of a link that state something else than it does."""

    def __init__(self, stated: Inertial, reference: Reference, others: OtherLinks) -> None:
        found = [image for name, other in others.items() for image in _images(reference, name or "", other)]
        self._images = found
        self._names = [image.name for image in found]
        self._masses = np.array([image.mass for image in found])
        self._centres = np.array([image.centre for image in found]).reshape(-1, 3)
        self._tensors = np.array([image.tensor for image in found]).reshape(-1, 3, 3)
        self._traces, self._sizes = np.trace(self._tensors, axis1=1, axis2=2), _lengths(self._tensors.reshape(-1, 9))
        self._others = {name or "": other for name, other in others.items()}
        self._near, self._reference, self._stated = SAME * reference.size, reference, stated
        self._unit = symmetric(*last_digits(entries_of(stated.tensor))) if found else np.zeros((3, 3))
        self._place = min(last_digits(stated.frame.translation.tolist()))
        as_it_is = correction(stated)
        self._open = {about: self._first(as_it_is._replace(about=about)) is None for about in get_args(About)}

    def confirming(self, mistake: Mistake) -> str | None:
        """The first that states what a mistake corrected does; None if there is none, or if one agrees with what is stated."""
        is_open = self._names and self._open[mistake.about] and mistake.geometry is None
        return self._first(mistake) if is_open else None

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

    def exact(self) -> Iterator[tuple[Mistake, float, bool]]:
        """Mistakes without which all ten numbers are those of a twin, their shares, and whether this link is the wrong one of both."""
        stated = self._stated
        coarse = float(self._unit.max()) > COARSE * np.abs(stated.tensor).max()
        if not self._names or coarse or self._equal(correction(stated)) is not None:
            return
        before = _unevenness(stated, self._reference)
        for mistake, share in self._mistakes():
            twin = self._equal(mistake)
            if twin is not None:
                after = _unevenness(mistake.corrected, self._reference)
                if before > after - EQUAL or not self._is_of_twin(self._names[twin]):
                    words = f"{mistake.words}, as stated for the same part in link {reprlib.repr(self._names[twin])}"
                    yield mistake._replace(words=words, twin=True), share, before > after + WORSE

    def _mistakes(self) -> Iterator[tuple[Mistake, float]]:
        yield from self._copies()
        yield from _simple(self._stated, self._reference)

    def _copies(self) -> Iterator[tuple[Mistake, float]]:
        """The numbers of a twin that stand here as they stand there, although its geometry is mirrored or turned."""
        body, turned_back = self._stated.properties, self._stated.frame.rotation.T
        for image in self._images:
            near = EQUAL * np.abs(image.tensor).max() + self._unit.max()
            copied: dict[str, Any] = {}
            if np.abs(body.inertia - image.given.inertia).max() <= near < np.abs(body.inertia - image.tensor).max():
                copied["the inertia"] = {"tensor": sandwich(turned_back, image.tensor)}
            near = EQUAL * self._reference.size + self._place
            if length(body.com - image.given.com) <= near < length(body.com - image.centre):
                copied["the centre of mass"] = {"centre": image.centre}
            if copied:
                about: About = "all" if len(copied) > 1 else "tensor" if "the inertia" in copied else "centre"
                verb = "were" if len(copied) > 1 else "was"
                words = f"{' and '.join(copied)} {verb} copied, and not mirrored or turned with the geometry"
                numbers = {key: value for each in copied.values() for key, value in each.items()}
                yield correction(self._stated, "not-mirrored", words, about=about, **numbers), SHARE

    def _is_of_twin(self, name: str) -> bool:
        """Whether a mistake of the twin would make what it states of what this link does, too."""
        stated, reference = self._others[name]
        assert stated is not None  # noqa: S101  # it has been compared
        back = MirroredLinks(stated, reference, {"": OtherLink(self._stated, self._reference)})
        return any(back._equal(mistake) is not None for mistake, _ in back._mistakes())

    def _equal(self, mistake: Mistake) -> int | None:
        """The first twin whose ten numbers are those of a corrected link."""
        factor = max(1.0, length(mistake.centre) / (length(self._stated.frame.translation) or 1.0))
        is_equal = np.abs(mistake.mass - self._masses) <= 1e-4 * self._masses
        away = _lengths(mistake.centre - self._centres)
        is_equal &= away <= EQUAL * self._reference.size + 2 * factor * self._place
        if not is_equal.any():
            return None
        scale = length(mistake.tensor) / (length(self._stated.tensor) or 1.0)
        unit = max(scale, 1.0 if scale > 0.1 else 0.0) * self._unit.max()
        near = EQUAL * np.abs(self._tensors).max(axis=(1, 2)) + 2 * unit
        apart = np.abs(sandwich(mistake.rotation, mistake.tensor) - self._tensors).max(axis=(1, 2))
        return next(iter(np.flatnonzero(is_equal & (apart <= near)).tolist()), None)


def _simple(stated: Inertial, reference: Reference) -> Iterator[tuple[Mistake, float]]:
    """Mistakes that take no number from a geometry: of the numbers as they are written, and of the tensor along the axes of the link."""
    along_link = inertial_of(stated.properties)
    for given in (stated, along_link) if stated.frame.rotation.trace() < 3 else (stated,):
        yield from all_mistakes(given)
        for source in (power_of_ten, mesh_frame):
            yield from ((mistake, 0.01) for mistake in source(given, reference))
    for factor in (1e-3, 1e3, 1e-2, 1e2):
        for name, number in (("mass", stated.mass), ("tensor", stated.tensor), ("centre", stated.frame.translation)):
            what = {"mass": "the mass", "tensor": "the inertia", "centre": "the centre of mass"}[name]
            size = f"{max(factor, 1 / factor):.4g} times too {'large' if factor < 1 else 'small'}"
            about = "centre" if name == "centre" else "tensor"
            yield (
                correction(stated, "wrong-unit", f"{what} is {size}", **{name: number * factor, "about": about}),
                0.001,
            )


def _unevenness(stated: Inertial, reference: Reference) -> float:
    """Logarithm of the distance of a body from the geometry of uniform density with a lump at one point; an impossible one is far."""
    body = stated.properties
    second = 0.5 * body.inertia.trace() * np.eye(3) - body.inertia
    even = 0.5 * reference.inertia.trace() * np.eye(3) - reference.inertia
    arm = body.com - reference.centroid
    # a lump of the share s moves the centre by d: S / m = (1 − s) S₀ + (1 − s) / s d dᵀ
    terms = np.stack([even.ravel(), np.outer(arm, arm).ravel()], axis=1) / length(even)
    given = second.ravel() / body.mass / length(even)
    if not (np.isfinite(given).all() and np.isfinite(terms).all()):  # LAPACK prints what it is given
        return math.inf
    shares = (np.linalg.lstsq(terms[:, :n], given)[0] for n in (2, 1))
    rests = (length(given - terms[:, : len(s)] @ s) for s in shares if (s >= 0).all())
    rest = min(rests, default=length(given))  # negative moments are those of no share
    density = abs(math.log(abs(body.mass) / reference.moments.measure / TYPICAL_DENSITY))
    factor = abs(
        math.log(abs(second.trace()) / body.mass / even.trace() + TINY)
    )  # all mass in the middle is not likely, either
    impossible = 0 if body.consistency().ok else 10
    return math.log(rest + 0.1 * length(arm) / reference.size + TINY) + density + max(0, factor - 1) + impossible

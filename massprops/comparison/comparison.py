"""Two bodies compared: numbers, findings, and how one became the other: not at all, by a motion, a mirror image, a change of scale.

Tests: `tests/comparison/test_diff.py`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from massprops.comparison.compared_body import ComparedBody, read_bodies
from massprops.comparison.export_cost import ExportCost, export_cost
from massprops.comparison.third_moments import Similarity, ThirdMoments, fit_similarity, map_third, shadow_distance
from massprops.declarations import public
from massprops.errors import InvalidInput, MasspropsError
from massprops.findings import Finding
from massprops.formats.search_path import SearchPath
from massprops.frames import Pose
from massprops.grades import REPAIR_CODES
from massprops.json_values import json_object
from massprops.measurement.arguments import MeasureOptions
from massprops.measurement.gltf_axes import require_robots
from massprops.measurement.options import Options, check_names
from massprops.measurement.quantities import QUANTITIES, SECTION
from massprops.measurement.sources import check_measured
from massprops.moments.arrays import Array, cross_matrix, determinant, length, product
from massprops.rigid_body.as_json import inertia_about, point_of
from massprops.rigid_body.line import CENTRAL, InertiaReference
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.principal import Principal
from massprops.wording import plural

#: `equal`: the same number; `within`: the tolerance; `resolution`: more than the tolerance, and no more than both files are exact to.
ChangeVerdict = Literal["equal", "within", "resolution", "beyond"]
VERDICTS: tuple[ChangeVerdict, ...] = ("equal", "within", "resolution", "beyond")

#: Coordinates in single precision are good to 6e-8 of their size, and moments of a body to some of that.
RTOL = 1e-6


#: Rows and columns of the numbers of a tensor.
_SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
#: Quantities whose numbers are compared one by one.
_COMPARED = ("volume", "area", "mass", "center_of_mass", "bounds")
#: Those of sections.
_OF_SECTIONS = [
    q
    for q in SECTION
    if not q.is_detail
    and (q.dimension[1] > 2 or q.path == "section.torsion.shear_center")
    and q.path not in ("section.about_origin", "section.about", "section.polar")
]


@cache
def unit_and_numbers(name: str) -> tuple[str, list[str]]:
    """Unit of a quantity, and the names of its numbers in results: ``bounds.min.x``."""
    rows = [q for q in QUANTITIES.values() if q.path.partition(".")[0] == name]
    return rows[0].unit, [f"{q.path}.{number}" if number else q.path for q in rows for number in q.components]


@dataclass(frozen=True)
class Tolerances:
    """Tolerances for differences.

    Attributes
    ----------
    relative : float
        Of a number; for coordinates, of the body's size.
    length : float
        m, for coordinates.
    mass : float
        kg.
    angle : float
        rad, for principal axes.
    """

    relative: float = RTOL
    length: float = 0.0
    mass: float = 0.0
    angle: float = 0.0


@dataclass(frozen=True)
class Change:
    """One number before and after, SI; angles in degrees.

    Attributes
    ----------
    name : str
        As the JSON result has it: ``volume``, ``center_of_mass.x``, ``principal.moments.1``, ``principal.axes``.
    unit : str
    before, after : float or None
        None for an angle between the two.
    difference : float
        After less before.
    scale : float
        What relative differences refer to.
    limit, uncertainty : float
        The tolerance, and how far both numbers together can be off.
    """

    name: str
    unit: str
    before: float | None
    after: float | None
    difference: float
    scale: float
    limit: float
    uncertainty: float

    @property
    def relative(self) -> float | None:
        """The difference over the scale; None where that is zero."""
        return self.difference / self.scale if self.scale else None

    @property
    def verdict(self) -> ChangeVerdict:
        """Verdict on the difference, the mildest that holds."""
        size = abs(self.difference)
        if size == 0:
            return "equal"
        if size <= self.limit:
            return "within"
        return "resolution" if size <= self.uncertainty else "beyond"

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        return json_object(self, "name unit before after difference relative limit uncertainty verdict")


def changes(
    before: ComparedBody,
    after: ComparedBody,
    tolerances: Tolerances = Tolerances(),  # frozen
    reference: InertiaReference = CENTRAL,
) -> list[Change]:
    """Changes of all numbers that both bodies have; of inertia about the point and the line that are asked for, too."""
    return [
        *_quantities(before, after, tolerances),
        *_of_section(before, after, tolerances, reference),
        *_inertia(before, after, tolerances, reference),
        *_of_stored(before, after, tolerances),
    ]


def not_compared(before: ComparedBody, after: ComparedBody) -> list[str]:
    """Names of the quantities that only one side knows."""
    sides = before.value, after.value
    one, other = _stored(before), _stored(after)
    stored = [name for name in one | other if name not in one or name not in other] if one and other else []
    stored = ["stored"] if bool(one) != bool(other) else stored
    names = {q.path: None for q in _OF_SECTIONS if (q.numbers(sides[0]) is None) != (q.numbers(sides[1]) is None)}
    return [*(name for name in _COMPARED if bool(before.numbers(name)) != bool(after.numbers(name))), *names, *stored]


def _quantities(before: ComparedBody, after: ComparedBody, tolerances: Tolerances) -> Iterator[Change]:
    size, largest = before.size, max(before.size, after.size)
    for name in _COMPARED:
        unit, names = unit_and_numbers(name)
        off = before.off(name) + after.off(name)
        for number, a, b in zip(names, before.numbers(name), after.numbers(name), strict=False):
            if before.is_plane and number.endswith(".z"):
                continue
            scale, most, floor = abs(a), max(abs(a), abs(b)), tolerances.mass if name == "mass" else 0.0
            if unit == "m":
                scale, most, floor = size, largest, tolerances.length
            yield Change(number, unit, a, b, b - a, scale, max(tolerances.relative * most, floor), off)


def _section_about(value: Mapping[str, Any], reference: InertiaReference) -> Mapping[str, Any]:
    """A result with the second moments of its section about the point that is asked for, by Steiner's theorem."""
    section = value.get("section")
    if section is None or reference.about is None or reference.about == "com":
        return value
    arm = np.asarray(section["centroid"]) - point_of(reference.about)[:2]
    weight, own = section["weighted_area"], section["about_centroid"]
    x, y = (arm * weight).tolist()
    moved = {"Ixx": own["Ixx"] + y * arm[1], "Iyy": own["Iyy"] + x * arm[0], "Ixy": own["Ixy"] + x * arm[1]}
    return {**value, "section": {**section, "about": moved}}


def _of_section(
    before: ComparedBody, after: ComparedBody, tolerances: Tolerances, reference: InertiaReference
) -> Iterator[Change]:
    """Changes of second moments, moduli, and what torsion gives: the tolerance is that of the largest number of each quantity."""
    one, other = (_section_about(side.value, reference) for side in (before, after))
    for q in [*_OF_SECTIONS, QUANTITIES["section.about"]]:
        a, b = q.numbers(one), q.numbers(other)
        if a is None or b is None:
            continue
        offs = [x + y for x, y in zip(q.errors(one) or [0.0] * len(a), q.errors(other) or [0.0] * len(a), strict=True)]
        is_place = q.unit == "m"
        most = max(before.size, after.size) if is_place else max(map(abs, (*a, *b)))
        limit = max(tolerances.relative * most, tolerances.length * is_place)
        for number, x, y, off in zip("12" if q.names == "I1 I2" else q.components, a, b, offs, strict=True):
            scale = abs(x) if abs(x) > limit and not is_place else most
            yield Change(f"{q.path}.{number}".removesuffix("."), q.unit, x, y, y - x, scale, limit, off)


def _stored(body: ComparedBody) -> dict[str, Mapping[str, Any]]:
    """Values that the file states of its bodies, by their names in a comparison: ``stored.bolt.volume``."""
    return {f"stored.{value.get('of')}.{value['quantity']}": value for value in body.stored}


def _of_stored(before: ComparedBody, after: ComparedBody, tolerances: Tolerances) -> Iterator[Change]:
    """Changes of the values that both files state."""
    one, other = _stored(before), _stored(after)
    for name in (name for name in one if name in other):
        quantity = one[name]["quantity"]
        unit, numbers = unit_and_numbers(quantity)
        for number, a, b in zip(numbers, one[name]["stored"], other[name]["stored"], strict=False):
            most = max(before.size, after.size) if unit == "m" else max(abs(a), abs(b))
            limit = max(tolerances.relative * most, tolerances.length * (unit == "m"))
            yield Change(name + number.removeprefix(quantity), unit, a, b, b - a, most, limit, 0.0)


def _inertia(
    before: ComparedBody, after: ComparedBody, tolerances: Tolerances, reference: InertiaReference
) -> Iterator[Change]:
    """Changes of the principal moments and axes, and of what is asked for: of mass, or where a mass is missing of the geometry."""
    if before.properties is not None and after.properties is not None:
        one, other, unit, off_a, off_b = (
            before.properties,
            after.properties,
            "kg m²",
            before.off("inertia"),
            after.off("inertia"),
        )
    elif before.shape is not None and after.shape is not None:
        one, other, unit, off_a, off_b = before.shape, after.shape, "m⁵", before.off("shape"), after.off("shape")
    else:
        return
    a, b = one.principal(), other.principal()
    limit = tolerances.relative * float(max(np.abs(a.moments).max(), np.abs(b.moments).max()))
    for i, (x, y) in enumerate(zip(a.moments.tolist(), b.moments.tolist(), strict=True), 1):
        yield Change(f"principal.moments.{i}", unit, x, y, y - x, abs(x), limit, off_a + off_b)
    turned = turning_angle(a, b)
    if turned is not None:
        limit = sum(axis_blur(p, tolerances.relative * float(np.abs(p.moments).max())) for p in (a, b))
        radians = turned, math.pi, max(limit, tolerances.angle), axis_blur(a, off_a) + axis_blur(b, off_b)
        yield Change("principal.axes", "°", None, None, *map(math.degrees, radians))
    yield from _about((one, other), unit, tolerances, reference)


def _about(
    bodies: tuple[MassProperties, MassProperties], unit: str, tolerances: Tolerances, reference: InertiaReference
) -> Iterator[Change]:
    """Changes of the tensor about a point, and of the moment about a line: the tolerance is that of the largest number."""
    found: list[tuple[str, Array, Array]] = []
    if (point := reference.about) is not None:
        tensors, offs = (np.array(each) for each in zip(*(_tensor_about(b, point) for b in bodies), strict=True))
        found += [(f"inertia.tensor.{'xyz'[i]}{'xyz'[j]}", tensors[:, i, j], offs[:, i, j]) for i, j in _SIX]
    if (line := reference.line) is not None:
        moments = [line.of(b) for b in bodies]
        bounds = [0.0 if m.moment_error is None else float(m.moment_error.bound) for m in moments]
        found.append(("inertia.about_axis.moment", np.array([m.moment for m in moments]), np.array(bounds)))
    for name, numbers, offs in found:
        most = float(max(np.abs(other).max() for _, other, _ in found))
        x, y = numbers.tolist()
        limit = tolerances.relative * most
        yield Change(name, unit, x, y, y - x, abs(x) if abs(x) > limit else most, limit, float(offs.sum()))


def _tensor_about(body: MassProperties, point: ArrayLike | str) -> tuple[Array, Array]:
    """The tensor about a point and the bounds of its errors, shape (3, 3), kg m²."""
    tensor, off = inertia_about(body, point), body.uncertainty
    if not (body.sources and off.mass_is_certain):
        return tensor, np.zeros((3, 3))
    is_central = isinstance(point, str) and point == "com"
    return tensor, (off.inertia if is_central else off.inertia_about(point_of(point))).bound


def turning_angle(before: Principal, after: Principal) -> float | None:
    """The angle by which principal axes turned, rad; None where no axis is a property of both bodies.

    Axes have no sense, so it is the least angle of the four rotations that take one triad to the other; where only one axis is distinct
    on both sides, the angle between those.
    """
    lines = [i for i in range(3) if not (before.arbitrary[i] or after.arbitrary[i])]
    if not lines:
        return None
    if np.array_equal(before.axes, after.axes):  # a product with its transpose is the unit matrix up to rounding
        return 0.0
    if len(lines) < 3:
        pairs = [(before.axes[i], after.axes[i]) for i in lines]
        return max(math.atan2(length(np.cross(u, v)), abs(float((u * v).sum()))) for u, v in pairs)
    return min(rotation_angle(r) for r in triads(before, after))


def triads(before: Principal, after: Principal) -> list[np.ndarray]:
    """The four rotations that take the principal axes of one body to those of another."""
    signs = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
    return [product(after.axes.T * np.array(s), before.axes) for s in signs]


def rotation_angle(r: np.ndarray) -> float:
    """Angle of a rotation matrix, rad: |R − 1|² = 8 sin²(φ/2), which small angles do not cancel in."""
    return 2 * math.asin(min(1.0, length(r - np.eye(3)) / math.sqrt(8)))


def axis_blur(principal: Principal, off: float) -> float:
    """Largest angle of axes, rad, if the tensor changes by a norm of `off`: sin θ ≤ 2 off / gap (Yu, Wang and Samworth 2015)."""
    gaps = [g for g in np.diff(principal.moments).tolist() if g > 0]
    return math.asin(min(1.0, 2 * off / min(gaps))) if gaps and off else 0.0


#: `alike`: the same second moments, which do not determine the motion; `other`: the same second moments, another body.
RelationKind = Literal["same", "moved", "mirrored", "alike", "other"]
#: Facet by facet; corner by corner in any order; by third moments, which a mirror image changes; by second moments, which it may not.
Evidence = Literal["facets", "corners", "third moments", "second moments"]

_REFLECTIONS = {"x": np.diag([-1.0, 1, 1]), "y": np.diag([1.0, -1, 1]), "z": np.diag([1.0, 1, -1])}
#: Third moments are sums of as many terms as second moments, with one more factor that is off by a few times the tolerance of a length.
_THIRD = 10.0
#: A tolerance above this share of what it is compared with decides nothing.
_DECISIVE = 0.1


@dataclass(frozen=True, eq=False)
class BodyRelation:
    """x ↦ pose · scale · (mirror) x takes the body before to the body after.

    Attributes
    ----------
    kind : str
        ``same``: neither moved nor mirrored (it may be scaled); ``moved``; ``mirrored``; ``alike``; ``other``.
    evidence : str
    scale : float
        Of lengths; 1 where it is 1 within the tolerance.
    pose : Pose or None
        The motion, after scale and mirror; None where none is known.
    mirror : {"x", "y", "z"} or None
        The axis whose coordinate changes its sign first.
    several : bool
        Whether other motions, or a mirror image, would explain the numbers as well.
    """

    kind: RelationKind
    evidence: Evidence
    scale: float = 1.0
    pose: Pose | None = None
    mirror: str | None = None
    several: bool = False

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        pose = {"xyz": self.pose and self.pose.translation, "rpy": self.pose and self.pose.to_rpy()}
        return json_object(self, "kind evidence scale mirror", **pose, several=self.several)


def recognise(
    before: ComparedBody, after: ComparedBody, tolerances: Tolerances = Tolerances()
) -> BodyRelation | None:  # frozen
    """The relation between two bodies; None if they differ in more than place, handedness and scale, or too little is known.

    Parameters
    ----------
    before : ComparedBody
        The body that is mapped.
    after : ComparedBody
        Its image.
    tolerances : Tolerances
        Differences within them are none.
    """
    one, other = before.shape or before.properties, after.shape or after.properties
    if one is None or other is None or before.center_of_mass is None or after.center_of_mass is None:
        return None
    scale = _scale(before, after, tolerances)
    if scale is None:
        return None
    pair = _Pair(before, after, tolerances, scale, one.principal(), other.principal())
    return pair.by_facets() or pair.by_moments()


def _scale(before: ComparedBody, after: ComparedBody, tolerances: Tolerances) -> float | None:
    """The ratio of lengths, if all that has no place agrees with it; None if not."""
    a, b = before.shape or before.properties, after.shape or after.properties
    if a is None or b is None or a.mass <= 0 or b.mass <= 0 or (before.shape is None) != (after.shape is None):
        return None
    k, other = a.principal().moments / a.mass, b.principal().moments / b.mass
    if min(k[2], other[2], k.sum(), other.sum()) <= 0:  # products alone make moments of both signs
        return None
    squared = float(other.sum() / k.sum())
    # each ± as a share of its own body, whatever the size of the other
    shares = (_moment_error(s) / (p.mass * float(m[2])) for s, p, m in ((before, a, k), (after, b, other)))
    slack = 4 * tolerances.relative + 2 * sum(shares)
    ratios = [(k * squared, other)]
    if before.shape is not None:
        ratios.append((np.array([a.mass * squared**1.5]), np.array([b.mass])))
    if before.area and after.area:
        slack += before.off("area") / before.area + after.off("area") / after.area
        ratios.append((np.array([before.area * squared]), np.array([after.area])))
    if slack > _DECISIVE or any(np.abs(x - y).max() > slack * y.max() for x, y in ratios):
        return None
    scale = math.sqrt(squared)
    return 1.0 if abs(scale - 1) <= slack else scale


def _moment_error(side: ComparedBody) -> float:
    """Error bound of the principal moments that are compared."""
    return side.off("shape") if side.shape is not None else side.off("inertia")


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two bodies that differ by a motion, a mirror image and a `scale`, as far as their second moments tell; and their principal axes."""

    before: ComparedBody
    after: ComparedBody
    tolerances: Tolerances
    scale: float
    a: Principal
    b: Principal

    @property
    def blur(self) -> float:
        """Largest distance between corners that belong together, m."""
        limit = max(self.tolerances.relative * self.size, self.tolerances.length)
        return limit + self.before.off("surface") * self.scale + self.after.off("surface")

    @property
    def size(self) -> float:
        """Size of the larger body, m."""
        return max(self.before.size * self.scale, self.after.size)

    @cached_property
    def corners(self) -> tuple[Array, Array] | None:
        """Corners of the facets, if both bodies have as many."""
        one, other = self.before.third, self.after.third
        if one is None or other is None or one.corners is None or other.corners is None:
            return None
        return (one.corners, other.corners) if len(one.corners) == len(other.corners) else None

    def by_facets(self) -> BodyRelation | None:
        """The motion that takes facet i to facet i; None if the facets are others, or in another order."""
        if self.corners is None:
            return None
        found, distance = fit_similarity(*self.corners)
        if distance > self.blur or self.blur > _DECISIVE * self.size:
            return None
        if self.scale == 1:
            found = self._map(found.linear)
        return replace(self, scale=found.scale)._named(found, "facets", several=False)

    def by_moments(self) -> BodyRelation:
        """Relation by the second moments, and by the third ones where they are known."""
        candidates = _candidates(self.a, self.b)
        one, other = self.before.third, self.after.third
        if one is None or other is None:
            return self._likeliest(candidates[: 4 if self.a.distinct else 1], "second moments")
        if self._noise(one, other) > _DECISIVE * self._third_size:
            return BodyRelation("alike", "second moments", self.scale)
        fitting = [q for q in candidates if self._third_agrees(one, other, q)]
        if fitting:
            return self._likeliest(fitting, "third moments")
        # with equal moments the candidates are some of infinitely many
        kind: RelationKind = "other" if self.a.distinct and self.b.distinct else "alike"
        return BodyRelation(kind, "third moments", self.scale)

    def _third_agrees(self, one: ThirdMoments, other: ThirdMoments, linear: Array) -> bool:
        """Whether third moments are those of the image, within what both files are exact to."""
        image = self.scale**6 * map_third(one.tensor, linear)
        return float(np.abs(image - other.tensor).max()) <= self._noise(one, other)

    def _noise(self, one: ThirdMoments, other: ThirdMoments) -> float:
        """Error bound of the third moments of both bodies, in the size of the body after, m⁶."""
        noise = self.scale**6 * _third_noise(one, self.before, self.tolerances)
        return noise + _third_noise(other, self.after, self.tolerances)

    @property
    def _third_size(self) -> float:
        """Size that third moments of such a body can have: volume times the cube of its radius of gyration, m⁶."""
        body = self.after.shape
        return 0.0 if body is None else body.mass * _gyration(body) ** 3

    def _map(self, linear: Array) -> Similarity:
        """The map with this linear part that takes the centre of mass to the other."""
        center, image = np.asarray(self.before.center_of_mass), np.asarray(self.after.center_of_mass)
        return Similarity(self.scale, linear, image - self.scale * product(linear, center))

    def _likeliest(self, fitting: list[Array], evidence: Evidence) -> BodyRelation:
        """Relation by the first map that fits whose corners fit too, else by the first; rotations come before mirror images."""
        maps = list(map(self._map, fitting))
        if self.corners is not None:
            one, other = self.corners
            matching = [m for m in maps if shadow_distance(m.apply(one), other) <= self.blur]
            if matching:
                maps, evidence = matching, "corners"
        if evidence != "corners" and self._is_open(maps[0]):
            return BodyRelation("alike", evidence, self.scale)
        return self._named(maps[0], evidence, several=len(maps) > 1)

    def _is_open(self, found: Similarity) -> bool:
        """Whether equal principal moments hide how the body is turned: not where it stands in its bounds as before."""
        if self.a.distinct and self.b.distinct:
            return False
        if not np.array_equal(found.linear, np.eye(3)):
            return True
        if self.before.bounds is None or self.after.bounds is None:
            return False
        return float(np.abs(found.apply(self.before.bounds) - self.after.bounds).max()) > 2 * self.blur

    def _named(self, found: Similarity, evidence: Evidence, *, several: bool) -> BodyRelation:
        """The map in words: a mirror image in the axis that leaves the least rotation, and the motion that follows."""
        several = several or (not self.a.distinct and evidence != "facets")
        mirrored = determinant(found.linear) < 0
        mirror, rotation, translation = None, found.linear, found.translation
        if mirrored:  # the reflection that leaves the least rotation
            images = ((axis, product(found.linear, reflection)) for axis, reflection in _REFLECTIONS.items())
            mirror, rotation = min(images, key=lambda pair: rotation_angle(pair[1]))
        if self.size * rotation_angle(rotation) <= 2 * self.blur:
            # no rotation, up to what the files are exact to; far from the origin it would be seen in the translation
            rotation = np.eye(3)
            translation = self._map(rotation if mirror is None else _REFLECTIONS[mirror]).translation
            if not mirrored and length(translation) <= 2 * self.blur:
                return BodyRelation("same", evidence, self.scale)
        kind: RelationKind = "mirrored" if mirrored else "moved"
        return BodyRelation(kind, evidence, self.scale, Pose(rotation, translation), mirror, several)


def _candidates(a: Principal, b: Principal) -> list[Array]:
    """Orthogonal maps that take one tensor to the other: the rotations first, then the mirror images."""
    if a.distinct and b.distinct:
        proper = sorted(triads(a, b), key=rotation_angle)
        return [*proper, *(-q for q in proper)]
    lines = [i for i in range(3) if not (a.arbitrary[i] or b.arbitrary[i])]
    return [np.eye(3)] if not lines else [_shortest(a.axes[lines[0]], b.axes[lines[0]])]


def _shortest(u: Array, v: Array) -> Array:
    """The rotation by the least angle that takes the line along `u` to that along `v`."""
    v = v if float((u * v).sum()) >= 0 else -v
    cross = cross_matrix(np.cross(u, v))
    rotation: Array = np.eye(3) + cross + product(cross, cross) / (1 + float((u * v).sum()))
    return rotation


def _gyration(body: MassProperties) -> float:
    """Radius of gyration about the centre of mass, m."""
    return math.sqrt(float(np.trace(body.inertia)) / (2 * body.mass))


def _third_noise(third: ThirdMoments, side: ComparedBody, tolerances: Tolerances) -> float:
    """Error bound of third moments, m⁶: by the surface, by the tolerance, and by the axes that they are turned with."""
    body = side.shape
    if body is None:
        return math.inf
    radius = _gyration(body)
    blur = axis_blur(body.principal(), side.off("shape") + tolerances.relative * float(body.principal().moments[2]))
    limit = _THIRD * tolerances.relative * body.mass * radius**3
    return side.off("surface") * third.sensitivity + limit + 3 * blur * length(third.tensor)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Comparison of one body before and after.

    Attributes
    ----------
    before, after : str or None
        Where the body is; None where it is missing.
    changes : tuple of Change
        All numbers that both sides know.
    relation : BodyRelation or None
    came, went : tuple of Finding
        By their codes.
    stayed : tuple of Finding
        Repairs of both sides, as the side after states them: the numbers of both are those of repaired meshes.
    skipped : tuple of str
        What only one side knows.
    error : MasspropsError or None
        Why one of them could not be measured.
    unit : str
        The length unit of both files; m where they differ.
    export : ExportCost or None
        Where one file has the exact surfaces and the other one facets.
    without_inertial : (int, int) or None
        How many links of both files state no inertial, and are not compared: with the last body of the files, if there are any.
    """

    before: str | None
    after: str | None
    changes: tuple[Change, ...] = ()
    relation: BodyRelation | None = None
    came: tuple[Finding, ...] = ()
    went: tuple[Finding, ...] = ()
    stayed: tuple[Finding, ...] = ()
    skipped: tuple[str, ...] = ()
    error: MasspropsError | None = None
    unit: str = "m"
    export: ExportCost | None = None
    without_inertial: tuple[int, int] | None = None

    def __repr__(self) -> str:
        """One line."""
        beyond = sum(c.verdict == "beyond" for c in self.changes)
        return f"<Comparison: {self.before} → {self.after}, {beyond} of {plural(len(self.changes), 'number')} beyond the tolerance>"

    @property
    def verdict(self) -> ChangeVerdict:
        """The worst of all numbers; `beyond` also for a body that is missing, mirrored or another."""
        kind = None if self.relation is None else self.relation.kind
        if self.before is None or self.after is None or kind in ("mirrored", "other"):
            return "beyond"
        return max((c.verdict for c in self.changes), key=VERDICTS.index, default="equal")

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        found, verdict = json_object(self, "before after"), None if self.error is not None else self.verdict
        others = json_object(
            self,
            "changes relation came went stayed export without_inertial",
            not_compared=self.skipped,
            error=self.error,
        )
        return found | {"verdict": verdict} | others


def compare(
    before: ComparedBody,
    after: ComparedBody,
    tolerances: Tolerances = Tolerances(),  # frozen
    reference: InertiaReference = CENTRAL,
) -> Comparison:
    """Two bodies, number by number.

    Parameters
    ----------
    before : ComparedBody
        Differences are taken from it.
    after : ComparedBody
        What it has become.
    tolerances : Tolerances
        What may differ.
    reference : InertiaReference
        What inertia is compared about, besides its principal moments.

    Raises
    ------
    InvalidInput
        If one is a plane section and the other a body.
    """
    if before.is_plane != after.is_plane:
        kinds = ("a plane section" if side.is_plane else "a body" for side in (before, after))
        what = f"{_label(before)} is {next(kinds)}, and {_label(after)} {next(kinds)}"
        raise InvalidInput(what, hint="compare two sections or two bodies; a section with a thickness is a body")
    if (before.mass is None) != (after.mass is None):
        before, after = before.geometry or before, after.geometry or after
    old, new = ({f.code for f in side.findings} for side in (before, after))
    came = tuple(f for f in after.findings if f.code not in old)
    went = tuple(f for f in before.findings if f.code not in new)
    stayed = tuple(f for f in after.findings if f.code in old and f.code in REPAIR_CODES.values())
    numbers, relation = tuple(changes(before, after, tolerances, reference)), recognise(before, after, tolerances)
    _require_compared(numbers, reference)
    unit, skipped = before.unit if before.unit == after.unit else "m", tuple(not_compared(before, after))
    return Comparison(_label(before), _label(after), numbers, relation, came, went, stayed, skipped, unit=unit)


def _require_compared(numbers: Iterable[Change], reference: InertiaReference) -> None:
    """Raise InvalidInput if no inertia is compared about the point or the line: sections have none about a line, or above their plane."""
    compared = {change.name.rpartition(".")[0] for change in numbers}
    is_in_plane = isinstance(reference.about, str) or not any((reference.about or ())[2:])
    of_point = {"inertia.tensor"} | ({"section.about_centroid"} if is_in_plane else set())
    for parameter, asked, names in (
        ("about", reference.about, of_point),
        ("axis", reference.line, {"inertia.about_axis"}),
    ):
        if asked is not None and not compared & names:
            hint = "leave it out, or give a density, and the thickness of sections"
            raise InvalidInput("is for bodies, and no inertia is compared about it", parameter=parameter, hint=hint)


def compare_all(
    before: Sequence[ComparedBody],
    after: Sequence[ComparedBody],
    tolerances: Tolerances,
    reference: InertiaReference = CENTRAL,
) -> list[Comparison]:
    """The bodies of two files: one with one, else by their names, in the order of the file before; one body with a whole assembly."""
    old, new = (max((body.without_inertial for body in side), default=0) for side in (before, after))
    found = _compared(before, after, tolerances, reference)
    return [*found[:-1], replace(found[-1], without_inertial=(old, new))] if old or new else found


def _compared(
    before: Sequence[ComparedBody],
    after: Sequence[ComparedBody],
    tolerances: Tolerances,
    reference: InertiaReference,
) -> list[Comparison]:
    if 1 in (len(before), len(after)):
        before, after = ([b for b in side if b.name is None] or side for side in (before, after))
    if len(before) == len(after) == 1:
        found = compare(before[0], after[0], tolerances, reference)
        return [replace(found, export=export_cost(before[0], after[0]))]
    old, new = _by_name(before), _by_name(after)
    gone = [Comparison(_label(s), None) for name, s in old.items() if name not in new]
    came = [Comparison(None, _label(s)) for name, s in new.items() if name not in old]
    both = (compare(s, new[name], tolerances, reference) for name, s in old.items() if name in new)
    return [*both, *gone, *came]


def _by_name(sides: Sequence[ComparedBody]) -> dict[tuple[str | None, int], ComparedBody]:
    """Bodies by name, and their number among those of that name."""
    named: dict[tuple[str | None, int], ComparedBody] = {}
    for side in sides:
        named[side.name, sum(name == side.name for name, _ in named)] = side
    return named


def _label(side: ComparedBody) -> str:
    return side.place if side.name is None else f"{side.place}: {side.name}"


@public(lambda: MeasureOptions, Options)
def diff(
    before: Any,
    after: Any,
    *,
    tolerances: Tolerances = Tolerances(),  # frozen
    packages: Mapping[str, str] | None = None,
    **options: Unpack[MeasureOptions],
) -> list[Comparison]:
    """Changes from one file to another, as `massprops diff` finds them.

    Parameters
    ----------
    before, after : path or object
        Meshes, results, or robot files (``file`` or ``file#link``); measurements, of which the numbers are compared as they are; mass
        properties; meshes, solids and sections in memory as `massprops.measure` takes them.
    tolerances : Tolerances
        What may differ.
    packages : mapping, optional
        Folders of ``package://`` names.
    **options
        Those of `massprops.measure`, for meshes.

    Returns
    -------
    list of Comparison
        One, or one for each link; `verdict` is ``beyond`` where they differ by more than the tolerances.

    Raises
    ------
    InvalidInput, ReadError, InvalidGeometry
        What measuring a mesh and reading a body raise.
    """
    check_names(options)
    chosen, search = Options(**options), SearchPath(packages=packages or {})
    files = [os.fspath(s) for s in (before, after) if isinstance(s, str | os.PathLike)]
    require_robots(files, search)
    check_measured(options, files if len(files) == 2 else ["-"])
    old, new = (read_bodies(s, chosen, search=search) for s in (before, after))
    return compare_all(old, new, tolerances)

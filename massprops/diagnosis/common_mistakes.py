"""The common mistakes that turn a correct inertial into a wrong one, each as a hypothesis with its correction.

`TABLE` lists them all. Whether a hypothesis is likely is decided by `massprops.diagnosis.evidence` where there is a geometry, and by
`massprops.diagnosis.explanation` where there is none. Nothing is ever corrected in place.

Tests: `tests/diagnosis/test_evidence.py`.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations, permutations, product
from typing import Any, Literal, NamedTuple

import numpy as np

from massprops.diagnosis.reference import Reference
from massprops.formats.inertial.inertial import Inertial, symmetric
from massprops.frames import Pose
from massprops.moments.arrays import determinant, length, sandwich, symmetric_eigen
from massprops.rigid_body.consistency import last_digit
from massprops.rigid_body.plausibility import PLAUSIBLE_DENSITY
from massprops.rigid_body.tensors import Array, point_inertia
from massprops.wording import plural

#: The six entries of a symmetric tensor, and where they are in it.
ENTRIES = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}
#: Numbers that a mistake changes: the mass or the tensor, the centre of mass, or all of them.
About = Literal["tensor", "centre", "all"]


class Mistake(NamedTuple):
    """One mistake that may have been made, and the numbers without it.

    Attributes
    ----------
    kind : str
        A stable word, such as ``products-sign``.
    words : str
        What would have happened, as a clause: "the products of inertia have the other sign".
    mass : float
    tensor : ndarray, shape (3, 3)
        Along the axes of the inertial frame.
    rotation, centre : ndarray, shapes (3, 3) and (3,)
        Pose of the inertial frame in the link.
    about : {"tensor", "centre", "all"}
        Which of the numbers the mistake is about; the mass counts with the tensor.
    geometry : Reference or None
        The geometry that the numbers belong to, if not the link's own.
    free : int
        How many numbers of the correction are taken from the geometry, so that their agreement is no evidence.
    twin : bool
        Whether another link of the robot, which should state the same, has the numbers without the mistake.
    predicted : ndarray, shape (3, 3), or None
        The tensor that the mistake makes, where that is known without the stated one: then this is what the stated one is compared with.
    hollow : bool
        Whether the stated numbers are right if the part is hollow.
    """

    kind: str
    words: str
    mass: float
    tensor: Array
    rotation: Array
    centre: Array
    about: About = "tensor"
    geometry: Reference | None = None
    free: int = 0
    twin: bool = False
    predicted: Array | None = None
    hollow: bool = False

    @property
    def corrected(self) -> Inertial:
        """The numbers without the mistake."""
        return Inertial(self.mass, Pose(self.rotation, self.centre), self.tensor)

    def is_like(self, other: Mistake, tolerance: float) -> bool:
        """Whether both come to the same numbers, to `tolerance` of the largest entry of the tensor."""
        near = float(np.abs(self.tensor - other.tensor).max()) <= tolerance * float(np.abs(self.tensor).max())
        frames = np.array_equal(self.rotation, other.rotation) and np.array_equal(self.centre, other.centre)
        return near and frames and self.mass == other.mass and self.geometry is other.geometry


#: Share of the largest entry by which entries differ through rounding.
_SAME = 1e-6
#: Hypotheses of one kind about stated numbers; those about a geometry yield nothing without one.
MistakeSource = Callable[[Inertial, Reference | None], Iterator[Mistake]]


def products_sign(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """Products as +∫ρ x y, which several CAD dialogs print."""
    moments = np.diag(stated.tensor.diagonal())
    words = "the products of inertia have the other sign"
    yield correction(stated, "products-sign", words, tensor=2 * moments - stated.tensor)


def one_sign(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """A sign too many or too few, of one entry or of the mass."""
    if stated.mass < 0:
        yield correction(stated, "one-sign", "the mass has the wrong sign", mass=-stated.mass)
    entries = entries_of(stated.tensor)
    for k, name in enumerate(ENTRIES):
        if entries[k] != 0.0 and (k > 2 or entries[k] < 0):
            yield _entries(stated, "one-sign", f"{name} has the wrong sign", {k: -entries[k]})


def decimal_point(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """The decimal point or the exponent of one entry, by up to three places."""
    entries = entries_of(stated.tensor)
    true = None if reference is None else entries_of(_uniform(stated, reference))
    for (k, name), places in product(enumerate(ENTRIES), (1, -1, 2, -2, 3, -3)):
        moved = _scaled(entries[k], places)
        if entries[k] != 0.0 and (true is None or _is_near(moved, true[k])):
            yield _entries(stated, "decimal-point", f"the decimal point of {name} is {_too_far(places)}", {k: moved})


def power_of_ten(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """The mass or the whole tensor by a power of ten: only a geometry can tell."""
    if reference is None or stated.mass <= 0:
        return
    for places in (1, -1, 2, -2):  # 3 are grams and tonnes
        size = f"{10 ** abs(places)} times too {'small' if places > 0 else 'large'}"
        yield correction(stated, "decimal-point", f"the mass is {size}", mass=_scaled(stated.mass, places))
        yield correction(stated, "decimal-point", f"the inertia is {size}", tensor=stated.tensor * 10.0**places)


def swapped_entries(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """Two of the six entries in each other's place."""
    entries = entries_of(stated.tensor)
    least = _SAME * max(map(abs, entries))  # equal but for rounding, in single precision too: no exchange
    for (i, one), (j, other) in combinations(enumerate(ENTRIES), 2):
        if abs(entries[i] - entries[j]) > least:
            words = f"{one} and {other} are swapped"
            yield _entries(stated, "swapped-entries", words, {i: entries[j], j: entries[i]})


#: Orders in which programs list the six entries of a symmetric tensor, as numbers of `ENTRIES`; those of MJCF and URDF first.
ORDERS = {
    "diagonal first (Ixx Iyy Izz Ixy Ixz Iyz)": (0, 1, 2, 3, 4, 5),
    "row by row (Ixx Ixy Ixz Iyy Iyz Izz)": (0, 3, 4, 1, 5, 2),
    "lower triangle (Ixx Ixy Iyy Ixz Iyz Izz)": (0, 3, 1, 4, 5, 2),
    "Voigt's order (Ixx Iyy Izz Iyz Ixz Ixy)": (0, 1, 2, 5, 4, 3),
    "cyclic order (Ixx Iyy Izz Ixy Iyz Ixz)": (0, 1, 2, 3, 5, 4),
}


def other_order(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """Six numbers written in one order and read in another, the commoner orders first."""
    given, orders = entries_of(stated.tensor), list(ORDERS.items())
    for i, j in sorted(permutations(range(len(orders)), 2), key=sum):
        (written, was), (read, taken) = orders[i], orders[j]
        line = [given[k] for k in taken]  # as they stood, one after the other
        words = f"six numbers, {written}, were read as {read}"
        yield _entries(stated, "entry-order", words, {k: line[was.index(k)] for k in range(6)})


def first_six_of_nine(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """Ixx Ixy Ixz Iyx Iyy Iyz, the first six of nine numbers row by row, read as an upper triangle: Iyy repeats Ixy, and Izz is lost.

    Izz is put in the middle of the values for which the diagonal keeps the triangle inequality.
    """
    xx, repeated, yz, xy, xz, yy = entries_of(stated.tensor)
    if xy != 0.0 and repeated == xy and xx > 0 and yy > 0:
        low, high = abs(xx - yy), xx + yy
        words = "the first six of nine numbers, row by row, were read as the upper triangle"
        words = f"{words}; Izz is lost and can be {low:.4g} to {high:.4g} kg m²"
        yield correction(stated, "entry-order", words, tensor=symmetric(xx, yy, 0.5 * (low + high), xy, xz, yz))


def wrong_point(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """The parallel-axis term that was left in, or taken off once too often."""
    centre = stated.frame.translation
    if stated.mass <= 0 or not centre.any():
        return
    turn = stated.frame.rotation
    shift = sandwich(turn.T, point_inertia(stated.mass, centre))
    words = "the inertia is about the origin of the link, not the centre of mass"
    yield correction(stated, "about-origin", words, tensor=stated.tensor - shift)
    words = "the parallel-axis term of the centre of mass was subtracted twice"
    yield correction(stated, "shifted-twice", words, tensor=stated.tensor + shift)


#: Units of mass and length that stand together in the dialogs of CAD programs, in kg and m; tonnes and mm are those of finite elements.
_MASSES = {"kg": 1.0, "g": 1e-3, "t": 1e3, "lb": 0.45359237}
_LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254}
_PAIRS = [tuple(pair.split()) for pair in ("g mm", "g cm", "kg mm", "kg cm", "g m", "lb in", "lb m", "t mm", "t m")]


class _Units(NamedTuple):
    """Units in which numbers were stated, in words, and the factors to kg, m and kg m²."""

    words: str
    mass: float = 1.0
    metre: float = 1.0
    inertia: float = 1.0

    def correct(self, stated: Inertial) -> Mistake:
        """The numbers in kg, m and kg m²."""
        tensor, mass = self.inertia * stated.tensor, self.mass * stated.mass
        moved: dict[str, Any] = {"centre": self.metre * stated.frame.translation, "about": "all"}
        return correction(
            stated, "wrong-unit", self.words, mass=mass, tensor=tensor, **(moved if self.metre != 1.0 else {})
        )


def _units() -> Iterator[_Units]:
    """Units of the mass, of the inertia, of both, and of all numbers."""
    for kg, mass in list(_MASSES.items())[1:]:
        yield _Units(f"the mass is in {kg}", mass)
    for kg, m in _PAIRS:
        mass, metre = _MASSES[kg], _LENGTHS[m]
        unit, factor = f"{kg} {m}²", mass * metre**2
        yield _Units(f"the inertia is in {unit}", inertia=factor)
        if mass != 1.0:
            yield _Units(f"the mass is in {kg} and the inertia in {unit}", mass, inertia=factor)
        if metre != 1.0:
            yield _Units(f"the numbers are in {kg}, {m} and {unit}", mass, metre, factor)


_UNITS = tuple(_units())
#: Mass and inertia each in a unit of its own.
_MIXED = tuple(
    _Units(f"{one.words} and {other.words.replace(' is in ', ' in ')}", one.mass, inertia=other.inertia)
    for one, other in product(_UNITS, _UNITS)
    if one.mass != 1.0 and one.inertia == 1.0 and other.mass == 1.0 == other.metre
    if not any(u.mass == one.mass and u.inertia == other.inertia for u in _UNITS)
)


def _units_of(reference: Reference | None) -> list[_Units]:
    """Units that may have been meant: only a geometry can tell tonnes."""
    return [u for u in _UNITS if reference is not None or max(u.mass, u.inertia) <= 1.0]


def other_units(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """Grams for kilograms, millimetres for metres, in one of the numbers or in all."""
    yield from (units.correct(stated) for units in _units_of(reference))
    yield correction(stated, "wrong-unit", "the inertia was divided by a million", tensor=stated.tensor * 1e6)


def mixed_units(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """The mass and the inertia in units that do not belong together; of one number, and without a geometry, two factors prove nothing."""
    if reference is not None and not is_isotropic(stated):
        yield from (units.correct(stated) for units in _MIXED)


def several_at_once(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """Numbers copied from a CAD dialog with two or three mistakes: units, the sign of the products, the point.

    The sign is that of the tensor as it was copied.
    """
    turn, centre = stated.frame.rotation, stated.frame.translation
    signs = (False,) if is_diagonal(stated) else (False, True)
    points = (False, True) if centre.any() and stated.mass > 0 else (False,)
    tensors = stated.tensor, 2 * np.diag(stated.tensor.diagonal()) - stated.tensor
    shift = sandwich(turn.T, point_inertia(stated.mass, centre))
    for units, other_sign, origin in product((_Units(""), *_units_of(reference)), signs, points):
        words = [units.words] * bool(units.words) + ["the products of inertia have the other sign"] * other_sign
        words += ["the inertia is about the origin of the link"] * origin
        if len(words) < 2:  # a mistake of its own
            continue
        tensor = units.inertia * tensors[other_sign]
        if origin:
            tensor = tensor - units.mass * units.metre**2 * shift
        yield units.correct(stated)._replace(kind="several-mistakes", words=", and ".join(words), tensor=tensor)


def mass_is_density(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """A density in the place of the mass."""
    low, high = PLAUSIBLE_DENSITY
    if reference is not None and low <= stated.mass <= high:
        mass = stated.mass * reference.moments.measure
        yield correction(stated, "mass-is-density", f"the mass is a density, and {mass:.6g} kg the mass", mass=mass)


def _turns() -> Iterator[tuple[list[int], Array, str]]:
    """Right-angled turns: the order of the axes, the signs of the entries, and the axes by name."""
    for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3)):
        turn = np.zeros((3, 3))
        turn[range(3), order] = signs
        if determinant(turn) > 0 and not np.array_equal(turn, np.eye(3)):
            axes = ", ".join(f"{'−' if s < 0 else ''}{'xyz'[k]}" for k, s in zip(order, signs, strict=True))
            yield list(order), np.outer(signs, signs), axes


_TURNS = tuple(_turns())


def turned_axes(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """The tensor along axes that are those of the link in another order or direction: 23 right-angled turns."""
    for order, signs, axes in _TURNS:
        words = f"the inertia is along other axes: what is x, y, z should be {axes}"
        yield correction(stated, "permuted-axes", words, tensor=signs * stated.tensor[order][:, order])


def principal_axes(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """The stated principal moments belong along the axes of the geometry: the axes were left out, or are those of another frame."""
    if reference is None or _is_nearly_diagonal(reference.inertia):
        return
    moments = symmetric_eigen(stated.tensor)[0]
    _, columns = symmetric_eigen(reference.inertia)
    tensor = along_link(stated, sandwich(columns, np.diag(moments)))
    if is_diagonal(stated) and np.array_equal(stated.frame.rotation, np.eye(3)):
        words = (
            "the principal moments are stated without their axes: turn them, or state the frame of the principal axes"
        )
        yield correction(stated, "missing-axes", words, tensor=tensor)
    else:
        words = "it is along other axes: turn it, or state the rotation of its frame"
        yield correction(stated, "wrong-axes", words, tensor=tensor, free=3)


def turned_frame(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """The rotation of the inertial frame inverted, or from a quaternion whose w was taken from the other end."""
    if np.array_equal(stated.frame.rotation, np.eye(3)):
        return
    w, x, y, z = stated.frame.to_quaternion_wxyz().tolist()
    frames = {
        "the rotation of its axes is inverted (a conjugated quaternion)": (w, -x, -y, -z),
        "the quaternion of its axes has w last, and is read with w first": (z, w, x, y),
        "the quaternion of its axes has w first, and is read with w last": (x, y, z, w),
    }
    for words, wxyz in frames.items():
        yield correction(stated, "wrong-axes", words, rotation=Pose.from_quaternion(wxyz=wxyz).rotation)


def missing_products(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """The products of inertia left out."""
    if reference is not None and is_diagonal(stated):
        uniform = _uniform(stated, reference)
        tensor = uniform - np.diag(uniform.diagonal()) + np.diag(stated.tensor.diagonal())
        words = "the products of inertia are not 0: they are left out"
        yield correction(stated, "missing-products", words, tensor=tensor)


def negated_centre(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """The centre of mass with the other sign in one axis, or in all."""
    for signs, name in (((-1, 1, 1), "x"), ((1, -1, 1), "y"), ((1, 1, -1), "z"), ((-1, -1, -1), "x, y and z")):
        words = f"the centre of mass has the other sign in {name}"
        yield from _centre(stated, "centre-sign", words, stated.frame.translation * signs)


def turned_centre(stated: Inertial, _: Reference | None = None) -> Iterator[Mistake]:
    """The coordinates of the centre of mass in another order."""
    for order, names in (([1, 0, 2], "x and y"), ([2, 1, 0], "x and z"), ([0, 2, 1], "y and z")):
        words = f"{names} of the centre of mass are swapped"
        yield from _centre(stated, "centre-axes", words, stated.frame.translation[order])


def centre_units(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """The centre of mass in millimetres."""
    centre, own = stated.frame.translation, None if reference is None else reference.centroid
    # a thousandth of any centre is near the origin of the link: where the geometry's is near it too, the unit explains nothing
    if centre.any() and (own is None or length(own) > 3 * length(centre / 1000 - own)):
        yield from _centre(stated, "wrong-unit", "the centre of mass is in mm", centre / 1000)


def centre_decimal_point(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """The decimal point of one coordinate of the centre, by one place."""
    centre = stated.frame.translation
    for (k, name), places in product(enumerate("xyz"), (1, -1)):
        moved = centre.copy()
        moved[k] = _scaled(float(centre[k]), places)
        if centre[k] != 0.0 and (reference is None or _is_near(moved[k], float(reference.centroid[k]))):
            words = f"the decimal point of the centre's {name} is {_too_far(places)}"
            yield from _centre(stated, "decimal-point", words, moved)


#: Factors by which a mesh is too large if it is read in the wrong unit.
_MESH_SCALES = {1e3: "1000 times too large", 1e-3: "1000 times too small", 100.0: "100 times too large"}
_MESH_SCALES |= {0.01: "100 times too small", 1 / 0.0254: "39.4 times too large", 0.0254: "39.4 times too small"}


def mesh_scale(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """A mesh in mm, cm or inches without its scale; a single number, as a placeholder is, fits one of the scales too easily."""
    if reference is None or not reference.is_meshes or is_isotropic(stated):
        return
    for factor, words in _MESH_SCALES.items():
        text, scaled = f"the geometry is {words}: see its scale", reference.scaled(1 / factor)
        yield correction(stated, "mesh-scale", text, about="all", geometry=scaled)


def mesh_frame(stated: Inertial, reference: Reference | None = None) -> Iterator[Mistake]:
    """The inertial in the frame of the mesh, without the pose that the mesh has in the link."""
    pose = None if reference is None else reference.pose
    if pose is None:
        return
    words = "is in the frame of the mesh: the pose of the geometry is missing"
    if not np.array_equal(pose.rotation, np.eye(3)):
        right = pose @ stated.frame
        turned = correction(stated, "mesh-frame", f"the inertia {words}", rotation=right.rotation)
        yield turned
        yield turned._replace(words=f"the inertial {words}", centre=right.translation, about="all")
    elif pose.translation.any():
        moved = stated.frame.translation + pose.translation
        yield correction(stated, "mesh-frame", f"the centre of mass {words}", centre=moved, about="centre")


def other_links(stated: Inertial, others: Mapping[str | None, Reference]) -> Iterator[Mistake]:
    """The inertial of another link of the robot, by the geometry of each."""
    for name, reference in others.items():
        words = f"it is the inertial of the link {reprlib.repr(name)}"
        yield correction(stated, "other-link", words, about="all", geometry=reference)


#: Share of the mistakes that only the rest of the robot suggests.
OTHERS = 0.05
_ALONE: Mapping[str | None, Reference] = {}
#: Kinds of mistake, each with its frequency before the numbers are looked at; the hypotheses of one kind share it equally.
TABLE: tuple[tuple[MistakeSource, float], ...] = (
    (products_sign, 0.15),
    (one_sign, 0.15),
    (wrong_point, 0.15),
    (other_units, 0.30),
    (mixed_units, 0.01),
    (power_of_ten, 0.10),
    (several_at_once, 0.10),
    (mass_is_density, 0.02),
    (turned_axes, 0.10),
    (principal_axes, 0.10),
    (turned_frame, 0.05),
    (missing_products, 0.03),
    (other_order, 0.03),
    (first_six_of_nine, 0.01),
    (swapped_entries, 0.05),
    (decimal_point, 0.10),
    (negated_centre, 0.10),
    (turned_centre, 0.03),
    (centre_units, 0.05),
    (centre_decimal_point, 0.02),
    (mesh_scale, 0.10),
    (mesh_frame, 0.05),
)
#: Kinds that concern the principal moments, too, where these are stated along turned axes; the last one the axes alone.
_OF_MOMENTS = (decimal_point, swapped_entries, turned_axes, turned_frame)


def all_mistakes(
    stated: Inertial, reference: Reference | None = None, others: Mapping[str | None, Reference] = _ALONE
) -> Iterator[tuple[Mistake, float]]:
    """Every hypothesis of the table, and its share, along `along_body`; `others` are the geometries of the other links of the robot."""
    whole = along_body(stated)
    for source, share in TABLE:
        found = list(source(whole, reference))
        if whole is not stated and source in _OF_MOMENTS:
            found += [_turned_to(whole, mistake) for mistake in source(stated, reference)]
        yield from ((mistake, share / len(found)) for mistake in found)
    copied = list(other_links(whole, others))
    yield from ((mistake, OTHERS / len(copied)) for mistake in copied)


def along_body(stated: Inertial) -> Inertial:
    """The inertial along the axes of its link, where the file states principal moments along other axes: R D Rᵀ, which has products.

    USD, glTF and MJCF have no other form. Mistakes are made in the six entries before a program turns these into moments and axes.
    """
    if not is_diagonal(stated) or np.array_equal(stated.frame.rotation, np.eye(3)):
        return stated
    tensor = stated.tensor if is_isotropic(stated) else stated.properties.inertia  # not with products of rounding
    return Inertial(stated.mass, Pose(np.eye(3), stated.frame.translation), tensor)


def _turned_to(whole: Inertial, mistake: Mistake) -> Mistake:
    """A mistake in principal moments or in their axes, with its tensor along those of the link."""
    words = mistake.words if mistake.kind == "wrong-axes" else f"{mistake.words}, along the stated axes"
    tensor = sandwich(mistake.rotation, mistake.tensor)
    return mistake._replace(words=words, tensor=0.5 * (tensor + tensor.T), rotation=whole.frame.rotation)


def entries_of(tensor: Array) -> list[float]:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""
    return [float(tensor[place]) for place in ENTRIES.values()]


def is_isotropic(stated: Inertial) -> bool:
    """Whether the inertia is one number: three equal moments, and no products."""
    moments = stated.tensor.diagonal()
    return is_diagonal(stated) and bool((moments == moments[0]).all())


def is_round(stated: Inertial) -> bool:
    """Whether the first moment is a number of one or two significant digits."""
    moment = float(stated.tensor[0, 0])
    return moment != 0.0 and float(f"{moment:.1e}") == moment


def is_diagonal(stated: Inertial) -> bool:
    """Whether the products are zero, or so small that they are rounding."""
    tensor = stated.tensor
    off = tensor - np.diag(tensor.diagonal())
    return bool(np.abs(off).max() <= 1e-9 * np.abs(tensor).max())


def _is_nearly_diagonal(tensor: Array) -> bool:
    """Whether principal axes are along those of the link, to about a degree: right-angled turns say more about such a part."""
    return length(tensor - np.diag(tensor.diagonal())) <= 0.01 * length(tensor)


def along_link(stated: Inertial, tensor: Array) -> Array:
    """A tensor along the axes of the link, along those of the inertial."""
    own = sandwich(stated.frame.rotation.T, tensor)
    return 0.5 * (own + own.T)


def last_digits(values: Sequence[float]) -> list[float]:
    """One unit of the last digit of each of some numbers that were printed alike: to as many places, or to as many digits.

    The zeros at the end of one, which its shortest decimal lacks, are known from the others; so are the places of a 0.
    """
    own = [last_digit(x) for x in values]
    least = min(filter(None, own), default=0.0)
    most = max((math.log10(abs(x) / unit) for x, unit in zip(values, own, strict=True) if unit), default=0.0)
    places = [10.0 ** (math.floor(math.log10(abs(x))) - math.floor(most)) if x else 0.0 for x in values]
    return [min(unit or least, max(least, place)) for unit, place in zip(own, places, strict=True)]


def _uniform(stated: Inertial, reference: Reference) -> Array:
    """The geometry's tensor at the stated mass, along the axes of the inertial."""
    return abs(stated.mass) * sandwich(stated.frame.rotation.T, reference.inertia)


def _is_near(value: float, true: float) -> bool:
    """Whether a value is near the true one, and not only because both are nearly 0."""
    return abs(value - true) <= 0.5 * abs(true)


def _scaled(value: float, places: int) -> float:
    return float(Decimal(repr(value)).scaleb(places))


def _too_far(places: int) -> str:
    return f"{plural(abs(places), 'place')} too far to the {'left' if places > 0 else 'right'}"


def _entries(stated: Inertial, kind: str, words: str, others: Mapping[int, float]) -> Mistake:
    """Mistake that changed some of the six entries, by their number."""
    entries = [others.get(k, x) for k, x in enumerate(entries_of(stated.tensor))]
    return correction(stated, kind, words, tensor=symmetric(*entries))


def correction(stated: Inertial, kind: str = "", words: str = "", **numbers: Any) -> Mistake:
    """A mistake that changed these numbers, along the axes of the inertial; without any, the numbers as they are stated."""
    frame = stated.frame
    return Mistake(kind, words, stated.mass, stated.tensor, frame.rotation, frame.translation)._replace(**numbers)


def _centre(stated: Inertial, kind: str, words: str, centre: Array) -> Iterator[Mistake]:
    """Mistake that changed the centre; none where it is the same."""
    if not np.array_equal(centre, stated.frame.translation):
        yield correction(stated, kind, words, centre=centre, about="centre")

"""The small mistakes that turn a right inertial into a wrong one, each as the correction that would undo it.

A mistake is a hypothesis: it says what the numbers would be without it. Whether they are then possible, or those of a geometry, is
judged by `massprops.diagnosis.explanation` and `massprops.diagnosis.geometry_comparison`; nothing is ever corrected in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations, permutations, product

import numpy as np

from massprops.formats.inertial.inertial import Inertial, symmetric
from massprops.frames import Pose
from massprops.moments.arrays import determinant, sandwich
from massprops.rigid_body.tensors import Array, point_inertia
from massprops.wording import plural

ENTRIES = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, eq=False)
class Mistake:
    """One mistake that may have been made.

    Attributes
    ----------
    kind : str
        A stable word, such as ``products-sign``.
    words : str
        What would have happened, as a clause: "the products of inertia have the other sign".
    corrected : Inertial
        The numbers without it, along the axes that are stated.
    """

    kind: str
    words: str
    corrected: Inertial

    def is_like(self, other: Mistake, tolerance: float) -> bool:
        """Whether both come to the same numbers, to `tolerance` of the largest entry of the tensor."""
        one, two = self.corrected, other.corrected
        near = float(np.abs(one.tensor - two.tensor).max()) <= tolerance * float(np.abs(one.tensor).max())
        return near and one.mass == two.mass and np.array_equal(one.frame.translation, two.frame.translation)


Source = Callable[[Inertial], Iterator[Mistake]]


def products_sign(stated: Inertial) -> Iterator[Mistake]:
    """Products as +∫ρ x y, which several CAD dialogs print."""
    moments = np.diag(stated.tensor.diagonal())
    yield _tensor(stated, "products-sign", "the products of inertia have the other sign", 2 * moments - stated.tensor)


def one_sign(stated: Inertial) -> Iterator[Mistake]:
    """A sign too many or too few, of one entry or of the mass."""
    if stated.mass < 0:
        yield Mistake("one-sign", "the mass has the wrong sign", replace(stated, mass=-stated.mass))
    entries = entries_of(stated.tensor)
    for k, name in enumerate(ENTRIES):
        if entries[k] != 0.0 and (k > 2 or entries[k] < 0):
            yield _entries(stated, "one-sign", f"{name} has the wrong sign", {k: -entries[k]})


def decimal_point(stated: Inertial) -> Iterator[Mistake]:
    """The decimal point or the exponent of one entry, by up to three places."""
    entries = entries_of(stated.tensor)
    for (k, name), places in product(enumerate(ENTRIES), (1, -1, 2, -2, 3, -3)):
        if entries[k] != 0.0:
            words = f"{plural(abs(places), 'place')} too far to the {'left' if places > 0 else 'right'}"
            moved = {k: float(Decimal(repr(entries[k])).scaleb(places))}
            yield _entries(stated, "decimal-point", f"the decimal point of {name} is {words}", moved)


def swapped_entries(stated: Inertial) -> Iterator[Mistake]:
    """Two of the six entries in each other's place."""
    entries = entries_of(stated.tensor)
    for i, j in combinations(range(6), 2):
        if entries[i] != entries[j]:
            words = f"{ENTRIES[i]} and {ENTRIES[j]} are swapped"
            yield _entries(stated, "swapped-entries", words, {i: entries[j], j: entries[i]})


#: Orders in which programs list the six entries of a symmetric tensor, as indices into `ENTRIES`.
ORDERS = {
    "row by row (Ixx Ixy Ixz Iyy Iyz Izz)": (0, 3, 4, 1, 5, 2),
    "lower triangle (Ixx Ixy Iyy Ixz Iyz Izz)": (0, 3, 1, 4, 5, 2),
    "diagonal first (Ixx Iyy Izz Ixy Ixz Iyz)": (0, 1, 2, 3, 4, 5),
    "Voigt's order (Ixx Iyy Izz Iyz Ixz Ixy)": (0, 1, 2, 5, 4, 3),
    "cyclic order (Ixx Iyy Izz Ixy Iyz Ixz)": (0, 1, 2, 3, 5, 4),
}


def other_order(stated: Inertial) -> Iterator[Mistake]:
    """Six numbers written in one order and read in another."""
    given = entries_of(stated.tensor)
    for (written, was), (read, taken) in permutations(ORDERS.items(), 2):
        line = [given[k] for k in taken]  # as they stood, one after the other
        words = f"six numbers, {written}, were read as {read}"
        yield _entries(stated, "entry-order", words, {k: line[was.index(k)] for k in range(6)})


def first_six_of_nine(stated: Inertial) -> Iterator[Mistake]:
    """Ixx Ixy Ixz Iyx Iyy Iyz, the first six of nine numbers row by row, read as an upper triangle: Iyy repeats Ixy, and Izz is lost.

    Izz is put in the middle of the values for which the diagonal keeps the triangle inequality.
    """
    xx, repeated, yz, xy, xz, yy = entries_of(stated.tensor)
    if xy != 0.0 and repeated == xy and xx > 0 and yy > 0:
        low, high = abs(xx - yy), xx + yy
        words = "the first six of nine numbers, row by row, were read as the upper triangle"
        words = f"{words}; Izz is lost and can be {low:.4g} to {high:.4g} kg m²"
        yield _tensor(stated, "entry-order", words, symmetric(xx, yy, 0.5 * (low + high), xy, xz, yz))


def wrong_point(stated: Inertial) -> Iterator[Mistake]:
    """The parallel-axis term that was left in, or taken off once too often."""
    centre = stated.frame.translation
    if stated.mass <= 0 or not centre.any():
        return
    turn = stated.frame.rotation
    shift = sandwich(turn.T, point_inertia(stated.mass, centre))
    words = "the inertia is about the origin of the link, not the centre of mass"
    yield _tensor(stated, "about-origin", words, stated.tensor - shift)
    words = "the parallel-axis term of the centre of mass was subtracted twice"
    yield _tensor(stated, "shifted-twice", words, stated.tensor + shift)


#: What a number has to be multiplied by that was written in another unit.
_INERTIA_UNITS = {"g mm²": 1e-9, "g cm²": 1e-7, "kg mm²": 1e-6, "kg cm²": 1e-4, "g m²": 1e-3}


def other_units(stated: Inertial) -> Iterator[Mistake]:
    """Grams for kilograms, millimetres for metres, in one of the numbers or in all."""
    for unit, factor in _INERTIA_UNITS.items():
        yield _tensor(stated, "wrong-unit", f"the inertia is in {unit}", stated.tensor * factor)
    yield Mistake("wrong-unit", "the mass is in g", replace(stated, mass=stated.mass / 1000))
    both = _tensor(stated, "wrong-unit", "the mass is in g and the inertia in g mm²", stated.tensor * 1e-9)
    yield replace(both, corrected=replace(both.corrected, mass=stated.mass / 1000))
    yield _tensor(stated, "wrong-unit", "the inertia was divided by a million", stated.tensor * 1e6)


def turned_axes(stated: Inertial) -> Iterator[Mistake]:
    """The tensor along axes that are those of the link in another order or direction: 23 right-angled turns."""
    for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3)):
        turn = np.zeros((3, 3))
        turn[range(3), order] = signs
        if determinant(turn) > 0 and not np.array_equal(turn, np.eye(3)):
            axes = ", ".join(f"{'−' if s < 0 else ''}{'xyz'[k]}" for k, s in zip(order, signs, strict=True))
            words = f"the inertia is along other axes: what is x, y, z should be {axes}"
            yield _tensor(stated, "permuted-axes", words, sandwich(turn, stated.tensor))


def negated_centre(stated: Inertial) -> Iterator[Mistake]:
    """The centre of mass with the other sign in one axis, or in all."""
    centre = stated.frame.translation
    for which, name in ((0, "x"), (1, "y"), (2, "z"), ([0, 1, 2], "x, y and z")):
        moved = centre.copy()
        moved[which] *= -1.0
        if not np.array_equal(moved, centre):
            yield _centre(stated, "centre-sign", f"the centre of mass has the other sign in {name}", moved)


def turned_centre(stated: Inertial) -> Iterator[Mistake]:
    """The coordinates of the centre of mass in another order."""
    centre = stated.frame.translation
    for i, j in combinations(range(3), 2):
        moved = centre.copy()
        moved[[i, j]] = centre[[j, i]]
        if not np.array_equal(moved, centre):
            words = f"{'xyz'[i]} and {'xyz'[j]} of the centre of mass are swapped"
            yield _centre(stated, "centre-axes", words, moved)


def centre_units(stated: Inertial) -> Iterator[Mistake]:
    """The centre of mass in millimetres."""
    if stated.frame.translation.any():
        yield _centre(stated, "wrong-unit", "the centre of mass is in mm", stated.frame.translation / 1000)


#: What can be wrong with the tensor or the mass, likely mistakes first, and what can be wrong with the centre.
TENSOR_MISTAKES: tuple[Source, ...] = (
    products_sign,
    wrong_point,
    other_units,
    one_sign,
    turned_axes,
    other_order,
    first_six_of_nine,
    swapped_entries,
    decimal_point,
)
CENTRE_MISTAKES: tuple[Source, ...] = (negated_centre, turned_centre, centre_units)
#: Those so few that a tensor is rarely brought to that of a geometry by chance.
SIMPLE_MISTAKES: tuple[Source, ...] = (products_sign, wrong_point, other_units, one_sign, turned_axes)


def entries_of(tensor: Array) -> list[float]:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""
    return [float(tensor[place]) for place in _PLACES]


def along_link(stated: Inertial, tensor: Array) -> Inertial:
    """The inertial with a tensor that is given along the axes of the link."""
    own = sandwich(stated.frame.rotation.T, tensor)
    return replace(stated, tensor=0.5 * (own + own.T), diagonal=False)


def _entries(stated: Inertial, kind: str, words: str, changed: Mapping[int, float]) -> Mistake:
    """With some of the six entries changed, by their number."""
    entries = [changed.get(k, x) for k, x in enumerate(entries_of(stated.tensor))]
    return _tensor(stated, kind, words, symmetric(*entries))


def _tensor(stated: Inertial, kind: str, words: str, tensor: Array) -> Mistake:
    return Mistake(kind, words, replace(stated, tensor=tensor, diagonal=False))


def _centre(stated: Inertial, kind: str, words: str, centre: Array) -> Mistake:
    return Mistake(kind, words, replace(stated, frame=Pose(stated.frame.rotation, centre)))

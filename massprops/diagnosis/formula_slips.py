"""Slips in the closed formulas of primitive shapes, and the tensor of the box around a part in the place of its own.

The formulas are data: moments per kilogram about the axes of the shape, as functions of its lengths. A slip is named only where the stated
tensor is what it gives, to the printed digits: then the right one is that of the shape at the stated mass.

Tests: `tests/diagnosis/test_formula_slips.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from itertools import product as product_of

import numpy as np

from massprops.diagnosis.common_mistakes import Mistake, along_link, correction, entries_of, last_digits
from massprops.diagnosis.reference import Reference, SolidShape
from massprops.formats.inertial.inertial import Inertial, symmetric
from massprops.moments.arrays import length, product, sandwich
from massprops.rigid_body.shapes import SHAPES
from massprops.rigid_body.tensors import Array

#: Moments per kilogram about x, y and z.
Moments3 = tuple[float, float, float]
Formula = Callable[..., Moments3]

#: Numbers nearer than this share of the largest moment, beyond rounding, are those of a slip: lengths are rounded, too.
MATCHES = 1e-4
#: The same of a box around a mesh, whose edges are rounded to millimetres.
BOX_MATCHES = 4e-3
#: Slips nearer than this to the right tensor change nothing that is noticed.
LEAST = 0.02
#: Moments of a shape with a heavy core, and of one that is hollow, over those of a solid one.
CORE, HOLLOW = 0.1, 1.001 * 5 / 3
#: Moments nearer than this are copies of each other.
SAME = 1e-6
#: Share of links with each slip, and with one that is known by what is right, not by its formula.
SHARE, _UNKNOWN = 0.03, 0.002
_ALONG = "the moments are along"
_INSTEAD = "the formula of"
_HOLLOW = f"{_INSTEAD} a thin"
PRODUCTS = ("Ixy", "Ixz", "Iyz")
NAMES = ("Ixx", "Iyy", "Izz")


def _round(across: float, along: float) -> Moments3:
    return across, across, along


def _each(value: float) -> Moments3:
    return value, value, value


#: Factors of a whole formula, by shape.
FACTORS: dict[str, dict[str, float]] = {
    "box": {
        "1/12 was left out": 12,
        "1/3 stands for 1/12 (or full lengths for half lengths)": 4,
        "half lengths stand for full ones": 1 / 4,
        "1/6 stands for 1/12": 2,
        "1/2 stands for 1/12": 6,
        "1/24 stands for 1/12": 1 / 2,
        "1/12 stands there twice": 1 / 12,
    },
    "sphere": {
        "2/5 was left out": 5 / 2,
        "1/5 stands for 2/5": 1 / 2,
        "the factor of a disc, 1/2, stands for 2/5": 5 / 4,
        "the factor of a disc about its diameter, 1/4, stands for 2/5": 5 / 8,
        "5/2 stands for 2/5": 25 / 4,
        "the diameter stands for the radius": 4,
        "half the radius stands for it": 1 / 4,
        "1/12 stands for 2/5": 5 / 24,
        "2/5 stands there twice": 2 / 5,
        "3/5 stands for 2/5": 3 / 2,
        "1/3 stands for 2/5": 5 / 6,
    },
    "ellipsoid": {
        "1/5 was left out": 5,
        "2/5 stands for 1/5": 2,
        "the diameters stand for the radii": 4,
        "half the radii stand for them": 1 / 4,
        "1/12 stands for 1/5": 5 / 12,
        "1/3 stands for 1/5": 5 / 3,
    },
}
#: What stands for the sum (p² + q²) / 12 of two edges of a box.
PAIRS: dict[str, Callable[[float, float], float]] = {
    "the first square was left out": lambda p, q: q * q / 12,
    "the second square was left out": lambda p, q: p * p / 12,
    "the smaller square was left out": lambda p, q: max(p, q) ** 2 / 12,
    "the larger square was left out": lambda p, q: min(p, q) ** 2 / 12,
    "the square of the sum stands for the sum of the squares": lambda p, q: (p + q) ** 2 / 12,
    "the squares were subtracted": lambda p, q: abs(p * p - q * q) / 12,
    "the squares were left out": lambda p, q: (p + q) / 12,
    "doubles stand for squares": lambda p, q: (p + q) / 6,
    "a product stands for the sum of the squares": lambda p, q: p * q / 12,
    "the squares were multiplied": lambda p, q: (p * q) ** 2 / 12,
    "1/12 is of the first square alone": lambda p, q: p * p / 12 + q * q,
    "1/12 is of the second square alone": lambda p, q: p * p + q * q / 12,
    "half the length stands for the first one": lambda p, q: (p * p / 4 + q * q) / 12,
    "half the length stands for the second one": lambda p, q: (p * p + q * q / 4) / 12,
}
#: Formulas of other bodies that stand for that of a shape, by its lengths; "a thin …" is right if the part is hollow.
BODIES: dict[str, dict[str, Formula]] = {
    "box": {
        "a plate without thickness in x": lambda x, y, z: ((y * y + z * z) / 12, z * z / 12, y * y / 12),
        "a plate without thickness in y": lambda x, y, z: (z * z / 12, (x * x + z * z) / 12, x * x / 12),
        "a plate without thickness in z": lambda x, y, z: (y * y / 12, x * x / 12, (x * x + y * y) / 12),
        "a rod along x": lambda x, y, z: (0.0, x * x / 12, x * x / 12),
        "a rod along y": lambda x, y, z: (y * y / 12, 0.0, y * y / 12),
        "a rod along z": lambda x, y, z: (z * z / 12, z * z / 12, 0.0),
        "a cylinder of diameter x": lambda x, y, z: _round(x * x / 16 + z * z / 12, x * x / 8),
        "a ball of diameter x": lambda x, y, z: _each(x * x / 10),
        "a thin box": lambda x, y, z: _own("box-shell", (x, y, z)),
    },
    "sphere": {
        "a thin shell": lambda r: _each(2 / 3 * r * r),
        "a disc": lambda r: _round(r * r / 4, r * r / 2),
    },
    "cylinder": {
        "a thin tube": lambda r, h: _round(r * r / 2 + h * h / 12, r * r),
        "a thin can": lambda r, h: _own("cylinder-shell", (r, h)),
        "a thin ring": lambda r, h: _round(r * r / 2, r * r),
        "a disc without thickness": lambda r, h: _round(r * r / 4, r * r / 2),
        "a rod": lambda r, h: _round(h * h / 12, 0.0),
        "a rod about its end": lambda r, h: _round(h * h / 3, 0.0),
        "a rod across the axis, and of a cylinder about it": lambda r, h: _round(h * h / 12, r * r / 2),
        "a rod about its end, and of a cylinder about the axis": lambda r, h: _round(h * h / 3, r * r / 2),
        "a ball": lambda r, h: _each(2 / 5 * r * r),
        "a box of its radius and length": lambda r, h: _round((r * r + h * h) / 12, r * r / 6),
    },
    "capsule": {
        "a cylinder without its caps": lambda r, h: _own("cylinder", (r, h)),
        "a cylinder of the same ends": lambda r, h: _own("cylinder", (r, h + 2 * r)),
        "a rod": lambda r, h: _round(h * h / 12, 0.0),
        "a rod of the same ends": lambda r, h: _round((h + 2 * r) ** 2 / 12, 0.0),
        "a ball": lambda r, h: _each(2 / 5 * r * r),
        "a thin capsule": lambda r, h: _own("capsule-shell", (r, h)),
    },
    "ellipsoid": {
        "a thin ellipsoid": lambda x, y, z: _own("ellipsoid-shell", (x, y, z)),
        "a thin ellipsoid whose wall grows with the radius": lambda x, y, z: _sums(x * x / 3, y * y / 3, z * z / 3),
    },
    "frustum": {
        "a cylinder": lambda r, t, h: _own("cylinder", (r, h)),
        "a cone about its base": lambda r, t, h: _round(3 / 20 * r * r + h * h / 10, 3 / 10 * r * r),
        "a cone about its apex": lambda r, t, h: _round(3 / 20 * r * r + 3 / 5 * h * h, 3 / 10 * r * r),
        "a cone about its middle": lambda r, t, h: _round(3 / 20 * r * r + h * h / 10, 3 / 10 * r * r),
        "a thin cone": lambda r, t, h: _own("cone-shell", (r, h)),
    },
}
#: Other slips in the formula of a shape.
FORMULAS: dict[str, dict[str, Formula]] = {
    "box": {
        "each moment has its own edge": lambda x, y, z: (x * x / 12, y * y / 12, z * z / 12),
        "each moment has the next edge alone": lambda x, y, z: (y * y / 12, z * z / 12, x * x / 12),
        "each moment has the edge before it alone": lambda x, y, z: (z * z / 12, x * x / 12, y * y / 12),
        "all three squares were added": lambda x, y, z: _each((x * x + y * y + z * z) / 12),
    },
    "sphere": {
        "the square was left out": lambda r: _each(2 / 5 * r),
        "the double stands for the square": lambda r: _each(4 / 5 * r),
        "the cube stands for the square": lambda r: _each(2 / 5 * r**3),
    },
    "cylinder": {
        "1/12 was left out": lambda r, h: _round(3 * r * r + h * h, r * r / 2),
        "1/12 and 1/2 were left out": lambda r, h: _round(3 * r * r + h * h, r * r),
        "1/3 stands for 1/12": lambda r, h: _round((3 * r * r + h * h) / 3, r * r / 2),
        "1/3 stands for 1/12 of the length": lambda r, h: _round(r * r / 4 + h * h / 3, r * r / 2),
        "1/12 is of the radius alone": lambda r, h: _round(r * r / 4 + h * h, r * r / 2),
        "1/12 is of the length alone": lambda r, h: _round(3 * r * r + h * h / 12, r * r / 2),
        "the factor 3 was left out": lambda r, h: _round((r * r + h * h) / 12, r * r / 2),
        "the factor 3 is of the length": lambda r, h: _round((r * r + 3 * h * h) / 12, r * r / 2),
        "the factor 3 is of both squares": lambda r, h: _round((r * r + h * h) / 4, r * r / 2),
        "the factor 3 was squared": lambda r, h: _round((9 * r * r + h * h) / 12, r * r / 2),
        "1/2 stands for 1/4": lambda r, h: _round(r * r / 2 + h * h / 12, r * r / 2),
        "1/12 stands for 1/2, and the factor 3 was left out": lambda r, h: _round((r * r + h * h) / 12, r * r / 12),
        "the square of the radius was left out": lambda r, h: _round((3 * r + h * h) / 12, r / 2),
        "the square of the length was left out": lambda r, h: _round((3 * r * r + h) / 12, r * r / 2),
        "the squares were left out": lambda r, h: _round((3 * r + h) / 12, r / 2),
        "doubles stand for squares": lambda r, h: _round((3 * r + h) / 6, r),
        "the square of the sum stands for the sum of the squares": lambda r, h: _round(
            (3 * r + h) ** 2 / 12, r * r / 2
        ),
        "radius and length stand for each other": lambda r, h: _round((3 * h * h + r * r) / 12, h * h / 2),
    },
    "capsule": {
        "the length is that with the caps": lambda r, h: _own("capsule", (r, h + 2 * r)),
        "the parallel-axis terms of the caps were left out": lambda r, h: _capsule(r, h, 83 / 320, 0.0),
        "the caps are half balls about the ends of the cylinder": lambda r, h: _capsule(r, h, 2 / 5, h * h / 4),
        "the caps are half balls of which the centres are the ends": lambda r, h: _capsule(r, h, 83 / 320, h * h / 4),
    },
    "ellipsoid": {
        "each moment has its own radius": lambda x, y, z: (x * x / 5, y * y / 5, z * z / 5),
        "each moment has its own radius, as of a ball": lambda x, y, z: (2 / 5 * x * x, 2 / 5 * y * y, 2 / 5 * z * z),
        "all three squares were added": lambda x, y, z: _each((x * x + y * y + z * z) / 5),
    },
    "frustum": {
        "3/80 was left out": lambda r, t, h: _round(4 * r * r + h * h, 3 / 10 * r * r),
        "the factor 4 was left out": lambda r, t, h: _round(3 / 80 * (r * r + h * h), 3 / 10 * r * r),
        "1/2 stands for 3/10": lambda r, t, h: _round(_own("frustum", (r, t, h))[0], r * r / 2),
    },
}
#: Lengths of which twice or half stands in a formula, and what twice the length is.
_TWICE = {
    "radius": "the diameter",
    "rx": "the diameter along x",
    "ry": "the diameter along y",
    "rz": "the diameter along z",
}


def _sums(x: float, y: float, z: float) -> Moments3:
    """Moments from second moments along the axes."""
    return y + z, x + z, x + y


def _own(name: str, lengths: Sequence[float]) -> Moments3:
    """Moments per kilogram of a shape, by its lengths in order."""
    shape = SHAPES[name]
    body = shape.function(**dict(zip((p.name for p in shape.parameters), lengths, strict=True)), mass=1.0)
    x, y, z = body.inertia.diagonal().tolist()
    return x, y, z


def _capsule(r: float, h: float, cap: float, away: float) -> Moments3:
    """Moments of a capsule whose caps have cap · r² across the axis about their own point, and the square of its distance."""
    caps = 4 / 3 * r / (4 / 3 * r + h)  # share of the mass
    across = (1 - caps) * (r * r / 4 + h * h / 12) + caps * (cap * r * r + away)
    return _round(across, (1 - caps) * r * r / 2 + caps * 2 / 5 * r * r)


def wrong_formulas(name: str, lengths: Mapping[str, float], mass: float) -> Iterator[tuple[str, Moments3]]:
    """Slips in the formula of a shape: words, as a clause, and the moments per kilogram about the axes of the shape."""
    sizes = tuple(lengths.values())
    right = _own(name, sizes)
    yield "the mass was left out", _times(1 / mass, right)
    yield "the mass stands there twice", _times(mass, right)
    for words, factor in FACTORS.get(name, {}).items():
        yield words, _times(factor, right)
        yield f"{words}, and the mass was left out", _times(factor / mass, right)
    for words, formula in FORMULAS[name].items():
        yield words, formula(*sizes)
    for words, formula in BODIES[name].items():
        yield f"{_INSTEAD} {words} stands for that of the {name}", formula(*sizes)
    if name == "box":
        x, y, z = sizes
        yield from ((words, (of(y, z), of(x, z), of(x, y))) for words, of in PAIRS.items())
        first = (y * y / 12 + z * z / mass, x * x / 12 + z * z / mass, x * x / 12 + y * y / mass)
        yield "the mass and 1/12 are of the first square alone", first
    for k, key in enumerate(lengths):
        noun = f"edge {key}" if name == "box" else key
        names = (
            _TWICE.get(key, f"twice the {noun}"),
            f"half the {noun}",
            f"the {noun} in mm",
            f"a thousandth of the {noun}",
        )
        for words, factor in zip(names, (2.0, 0.5, 1e3, 1e-3), strict=True):
            yield (
                f"{words} stands for the {noun}",
                _own(name, [factor * x if i == k else x for i, x in enumerate(sizes)]),
            )
    for i, j, k in permutations(range(3)):
        yield f"{_ALONG} {'xyz'[i]}, {'xyz'[j]}, {'xyz'[k]} of the {name}", (right[i], right[j], right[k])
    yield from ((f"all three moments are {axis}", _each(value)) for axis, value in zip(NAMES, right, strict=True))


def _times(factor: float, moments: Moments3) -> Moments3:
    x, y, z = moments
    return factor * x, factor * y, factor * z


def formula_slips(stated: Inertial, reference: Reference) -> Iterator[tuple[Mistake, float]]:
    """Slips that give the stated tensor to its digits, each with its share of all links."""
    shape = reference.shape
    if shape is None or stated.mass <= 0:
        return
    right = along_link(stated, stated.mass * reference.inertia)
    unit = MATCHES * np.abs(stated.tensor).max() + symmetric(*last_digits(entries_of(stated.tensor)))
    axes = product(stated.frame.rotation.T, shape.axes)
    is_turned = np.abs(np.abs(axes).max(axis=0) - 1).max() > SAME
    for turn in (axes, np.eye(3)) if is_turned else (axes,):
        own, given = sandwich(turn.T, right), sandwich(turn.T, stated.tensor)
        slips = [(words, tensor, 0) for words, tensor in _tensors(shape, stated.mass, own)] if turn is axes else []
        slips += _wrong_entries(given, own)
        tensors = np.array([tensor for _, tensor, _ in slips])
        is_near = (np.abs(tensors - given) <= sandwich(np.abs(turn.T), unit)).all(axis=(1, 2))
        is_other = np.sqrt(((tensors - own) ** 2).sum(axis=(1, 2))) > LEAST * length(own)
        for k in np.flatnonzero(is_near & is_other & tensors.any(axis=(1, 2))).tolist():  # no formula gives zeros
            words, tensor, free = slips[k]
            if is_turned or not words.startswith(_ALONG):  # else a mistake of another kind
                numbers = {"tensor": right, "predicted": sandwich(turn, tensor), "free": free}
                slip = correction(stated, "formula-slip", words, hollow=words.startswith(_HOLLOW), **numbers)
                yield slip, _UNKNOWN if free else SHARE


def _tensors(shape: SolidShape, mass: float, right: Array) -> Iterator[tuple[str, Array]]:
    """Tensors along the axes of a shape, with a slip in all moments or in some."""
    moments = right.diagonal()
    slips = [(words, mass * np.array(of)) for words, of in wrong_formulas(shape.name, shape.lengths, mass)]
    some = (*product_of((True, False), repeat=3),)[:-1]
    if shape.name in ("cylinder", "capsule", "frustum"):
        some = ((True, True, True), (True, True, False), (False, False, True))
    for (words, wrong), which in product_of(slips, some):
        if all(which):
            yield words, np.diag(wrong)
        elif not words.startswith((_ALONG, _INSTEAD)):
            names = " and ".join(name for name, here in zip(NAMES, which, strict=True) if here)
            yield f"{words}, in {names}", np.diag(np.where(which, wrong, moments))


def _wrong_entries(stated: Array, right: Array) -> list[tuple[str, Array, int]]:
    """Tensors that are right but for one moment, the products or a factor: words, and how many numbers are as they are stated."""
    moments, found = stated.diagonal(), []
    for k, name in enumerate(NAMES):
        for j in range(3):
            tensor = right.copy()
            tensor[k, k] = moments[k] if j == k else right[j, j]
            copied = f"{name} is {'another number' if j == k else f'a copy of {NAMES[j]}'}, and all others are right"
            found.append((copied, tensor, int(j == k)))
    is_round = (
        abs(right[0, 0] - right[1, 1]) <= SAME * right[0, 0] and abs(moments[0] - moments[1]) <= SAME * moments[0]
    )
    if is_round:  # one number, of which only the other is evidence
        tensor = np.diag([moments[0], moments[1], right[2, 2]])
        found.append(("Ixx and Iyy are another number, and Izz is right", tensor, 4))
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        tensor = right.copy()
        tensor[i, j] = tensor[j, i] = stated[i, j]
        found.append((f"{PRODUCTS[k]} is another number, and all others are right", tensor, 1))
    products = stated - np.diag(moments - right.diagonal())
    found.append(("the products are others, and the moments are right", products, 3))
    factor = float(moments.sum() / right.trace())
    # else they are one number, which has some factor; between the limits a core or a hollow inside makes it
    if np.ptp(right.diagonal()) > LEAST * right.trace() and not CORE < factor < HOLLOW:
        found.append((f"all moments are {factor:.6g} times the right ones", factor * right, 1))
    return found


def bounding_boxes(stated: Inertial, reference: Reference) -> Iterator[tuple[Mistake, float]]:
    """Inertia and centre of the box around the geometry, along the axes of its file or of the link, for those of the geometry."""
    right = along_link(stated, abs(stated.mass) * reference.inertia)
    for lengths, axes, middle in reference.boxes:
        tensor = along_link(stated, sandwich(axes, stated.mass * np.diag(np.array(_own("box", lengths.tolist())))))
        words = "it is that of the bounding box"
        near = BOX_MATCHES * length(tensor)
        if length(tensor - right) > LEAST * length(right) and length(tensor - stated.tensor) <= near:
            yield correction(stated, "bounding-box", words, tensor=right, predicted=tensor), SHARE
        away, apart = stated.frame.translation - middle, length(middle - reference.centroid)
        if apart > LEAST * reference.size and length(away) <= BOX_MATCHES * reference.size:
            words = "it is the middle of the bounding box"
            yield correction(stated, "bounding-box", words, centre=reference.centroid + away, about="centre"), SHARE

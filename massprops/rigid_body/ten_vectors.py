"""The ten numbers of a body as a vector, in the order of the tool that is to read them: every tool has another.

A layout says in which order the six entries of the tensor stand, about which point the tensor is taken, and whether the
centre of mass or the first moment stands before it. All functions take leading axes: (…, 10), (…, 6), (…, 3, 3).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from massprops.errors import InvalidInput
from massprops.frames import finite_array
from massprops.moments.arrays import Array
from massprops.rigid_body.tensors import point_inertia
from massprops.values import dataclass

Ten = tuple[Array, Array, Array]

#: Orders of the six entries of a symmetric tensor, by the tool that writes them so.
TRIANGLES: dict[str, str] = {
    "urdf": "xx xy xz yy yz zz",
    "sdf": "xx xy xz yy yz zz",
    "mjcf": "xx yy zz xy xz yz",
    "pinocchio": "xx xy yy xz yz zz",
    "ksl": "xx yy zz xy yz zx",
    "voigt": "xx yy zz yz zx xy",
}


@dataclass(frozen=True)
class Layout:
    """How a tool writes mass, centre and inertia as ten numbers; the mass stands first in all of them.

    Attributes
    ----------
    triangle : str
        Order of the tensor's entries, a name in `TRIANGLES`.
    about : {"com", "origin"}
        The point that the tensor is taken about; its axes are those of the frame.
    first : {"com", "moment"}
        Numbers 1 to 3: the centre of mass, m, or the first moment m c, kg m.
    per_mass : bool
        Whether the tensor is divided by the mass (m²).
    source : str
        Where the tool says so.
    """

    triangle: str
    about: Literal["com", "origin"]
    first: Literal["com", "moment"]
    source: str
    per_mass: bool = False


#: Ten-vectors by the name of the tool.
LAYOUTS: dict[str, Layout] = {
    "urdf": Layout("urdf", "com", "com", "URDF <inertial>: mass, origin xyz (rpy zero), inertia ixx … izz"),
    "sdf": Layout("sdf", "com", "com", "SDFormat <inertial>: mass, pose, inertia ixx … izz"),
    "mjcf": Layout("mjcf", "com", "com", "MuJoCo <inertial>: mass, pos, fullinertia"),
    "ksl": Layout("ksl", "com", "moment", "KSL, ksl_inertia_t: m, mt, centroidal Ixx Iyy Izz Ixy Iyz Izx"),
    "pinocchio": Layout("pinocchio", "origin", "moment", "Pinocchio, Inertia::toDynamicParameters"),
    "spatial-v2": Layout("voigt", "origin", "moment", "spatial_v2_extended, inertiaMatToVec"),
    "drake": Layout("mjcf", "origin", "com", "Drake, parameter_conversion.h: mass, com, unit inertia", per_mass=True),
}


def layout(order: str) -> Layout:
    """The layout of this name.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    if not isinstance(order, str) or order not in LAYOUTS:
        raise InvalidInput(f"unknown ten-vector order {order!r}; known: {', '.join(sorted(LAYOUTS))}")
    return LAYOUTS[order]


def six_of(tensor: ArrayLike, order: str) -> Array:
    """The six entries of symmetric tensors in a named order: shape (…, 3, 3) → (…, 6).

    Raises
    ------
    InvalidInput
        If the order is unknown or the shape is another.

    Examples
    --------
    >>> six_of([[1, 4, 5], [4, 2, 6], [5, 6, 3]], "mjcf")
    array([1., 2., 3., 4., 5., 6.])
    """
    t = finite_array(tensor, (..., 3, 3), "tensor")
    rows, columns = _indices(order)
    entries: Array = t[..., rows, columns]
    return entries


def tensor_of(six: ArrayLike, order: str) -> Array:
    """Symmetric tensors from their six entries in a named order: shape (…, 6) → (…, 3, 3).

    Raises
    ------
    InvalidInput
        If the order is unknown or the shape is another.
    """
    entries = finite_array(six, (..., 6), "entries of a tensor")
    return np.take(entries, _places(order), axis=-1)


def pack(mass: ArrayLike, com: ArrayLike, inertia: ArrayLike, order: str, dtype: DTypeLike = np.float64) -> Array:
    """Ten-vectors, shape (…, 10), of bodies: masses (…), centres (…, 3), m, and central tensors (…, 3, 3), kg m², computed as `dtype`."""
    chosen = layout(order)
    m, c = np.asarray(mass, dtype=dtype), finite_array(com, (..., 3), "com", dtype)
    central = finite_array(inertia, (..., 3, 3), "inertia", dtype)
    tensor = central + point_inertia(m, c) if chosen.about == "origin" else central
    if chosen.per_mass:
        _require_masses(m, order)
        tensor = tensor / m[..., None, None]
    first = c if chosen.first == "com" else m[..., None] * c
    rows, columns = _indices(chosen.triangle)
    return np.concatenate([m[..., None], first, tensor[..., rows, columns]], axis=-1)


def unpack(vectors: ArrayLike, order: str, dtype: DTypeLike = np.float64) -> Ten:
    """Masses (…), centres of mass (…, 3) and central tensors (…, 3, 3) of ten-vectors, shape (…, 10), computed as `dtype`.

    A tensor about the origin n sizes of the body away has lost 2 log₁₀ n digits before it gets here.

    Raises
    ------
    InvalidInput
        If the order or type is unknown, the shape is another, a number is not finite or outside the range of the type, or the layout
        divides by a mass of zero.
    """
    chosen, kind = layout(order), float_type(dtype)
    given = np.float64 if np.asarray(vectors).dtype != kind else kind
    v = round_to(finite_array(vectors, (..., 10), "ten-vector", given), kind)
    # each number of all bodies in one stretch of memory: numpy is slow over short axes
    v = np.moveaxis(np.ascontiguousarray(np.moveaxis(v, -1, 0)), 0, -1)
    m = v[..., 0]
    if chosen.first == "moment" or chosen.per_mass:
        _require_masses(m, order)
    c = v[..., 1:4] / m[..., None] if chosen.first == "moment" else v[..., 1:4]
    tensor = np.moveaxis(np.moveaxis(v[..., 4:], -1, 0)[_places(chosen.triangle)], (0, 1), (-2, -1))
    if chosen.per_mass:
        tensor = tensor * m[..., None, None]
    return m, c, tensor - point_inertia(m, c) if chosen.about == "origin" else tensor


def float_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Single or double precision; InvalidInput for any other type."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise InvalidInput(f"a ten-vector is float32 or float64, got {dtype!r}") from None
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise InvalidInput(f"a ten-vector is float32 or float64, got {kind.name}")
    return kind


def round_to(vectors: Array, dtype: DTypeLike) -> Array:
    """Ten-vectors, shape (…, 10), in single or double precision.

    Raises
    ------
    InvalidInput
        If the type is neither, or the numbers of a body leave its range.
    """
    kind = float_type(dtype)
    if kind == vectors.dtype:
        return vectors
    limits = np.finfo(np.float32)
    # in one unit: small ones beside a large one may vanish, but not all
    for part in (vectors[..., :1], vectors[..., 1:4], vectors[..., 4:]):
        largest = np.abs(part).max(axis=-1)
        outside = (largest > float(limits.max)) | ((largest > 0.0) & (largest < float(limits.tiny)))
        if outside.any():
            hint = "use float64"
            raise InvalidInput(f"{float(largest[outside].flat[0])!r} is outside the range of float32", hint=hint)
    return vectors.astype(kind)


def _require_masses(mass: Array, order: str) -> None:
    if not mass.all():
        what = f"a {order} ten-vector needs a mass, got 0.0 kg: it holds products or quotients of it"
        raise InvalidInput(what, code="non-positive-mass")


def _indices(order: str) -> tuple[list[int], list[int]]:
    if order not in TRIANGLES:
        raise InvalidInput(f"unknown order {order!r} of a tensor's entries; known: {', '.join(sorted(TRIANGLES))}")
    pairs = TRIANGLES[order].split()
    return ["xyz".index(p[0]) for p in pairs], ["xyz".index(p[1]) for p in pairs]


def _places(order: str) -> NDArray[np.intp]:
    """For each entry of a tensor its index in the six, shape (3, 3)."""
    rows, columns = _indices(order)
    place = np.empty((3, 3), dtype=np.intp)
    place[rows, columns] = place[columns, rows] = range(6)
    return place

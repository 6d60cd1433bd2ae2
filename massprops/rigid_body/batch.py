"""Many bodies at once, as arrays of ten-vectors with any leading axes: what identification and sampling need.

>>> body = [2.0, 0, 0, 3, 4, 5, 6, 0, 0, 0]
>>> is_consistent([body, [2.0, 0, 0, 3, 1, 1, 9, 0, 0, 0]], order="mjcf")
array([ True, False])

With ``dtype=float32`` bodies are stored and computed in single precision. Let m and T be the sums of the masses and of the Frobenius norms
of the central tensors of the bodies that make one result, and L the largest distance from the origin of their centres, before and after,
and of the translation. With positive masses, every number then differs from the double result by at most `SINGLE_PRECISION` times

    m for a mass, L for a centre, m L for a first moment, T + m L² for a tensor, T / m + L² for one per mass,

as long as no product of them that is not zero is below 1e-37 or above 1e38 in SI units.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from massprops.errors import InvalidInput
from massprops.frames import finite_array, precision_of
from massprops.moments.arrays import Floats, symmetric_eigens
from massprops.rigid_body.consistency import CONSISTENCY_TOLERANCE
from massprops.rigid_body.ten_vectors import pack, unpack
from massprops.rigid_body.tensors import Array, point_inertia, second_of

#: 64 u, u = 2⁻²⁴: up to 49 roundings add up, where a tensor about the origin is taken to the centre, moved, and taken back.
SINGLE_PRECISION = 64 * 2.0**-24


def reordered(ten_vectors: ArrayLike, *, order: str, to: str, dtype: DTypeLike = np.float64) -> Floats:
    """Ten-vectors of one tool, shape (…, 10), in the order of another; see `massprops.rigid_body.ten_vectors.LAYOUTS`."""
    return pack(*unpack(ten_vectors, order, dtype), to, dtype)


def moved(
    ten_vectors: ArrayLike,
    *,
    order: str,
    rotation: ArrayLike | None = None,
    translation: ArrayLike | None = None,
    dtype: DTypeLike = np.float64,
) -> Floats:
    """Bodies under rigid motions x ↦ R x + t, shape (…, 10), as `MassProperties.transformed` moves one.

    Parameters
    ----------
    ten_vectors : array_like, shape (…, 10)
        In SI units and the named order.
    order : str
        A name in `massprops.rigid_body.ten_vectors.LAYOUTS`.
    rotation : array_like, shape (…, 3, 3), optional
        R, taken as it is: rotations, one for all or one for each.
    translation : array_like, shape (…, 3), optional
        t, m: one for all or one for each.
    dtype : data type
        float64 or float32, in which the bodies are stored and moved.

    Returns
    -------
    ndarray, shape (…, 10)
        Ten-vectors in the same order.

    Raises
    ------
    InvalidInput
        If a shape is wrong, or a number is not finite.
    """
    mass, com, inertia = unpack(ten_vectors, order, dtype)
    if rotation is not None:
        r = finite_array(rotation, (..., 3, 3), "rotation", dtype)
        com = np.stack([sum(r[..., i, k] * com[..., k] for k in range(3)) for i in range(3)], axis=-1)
        inertia = _rotated(r, inertia)
    if translation is not None:
        com = com + finite_array(translation, (..., 3), "translation", dtype)
    mass = np.broadcast_to(mass, com.shape[:-1])
    return pack(mass, com, np.broadcast_to(inertia, (*mass.shape, 3, 3)), order, dtype)


def summed(ten_vectors: ArrayLike, *, order: str, axis: int = 0, dtype: DTypeLike = np.float64) -> Floats:
    """The bodies along an axis as one rigid body, shape (…, 10) without that axis; a hole has a negative mass.

    About the common centre of mass, by parallel axes: nothing cancels where the bodies are far from the origin.

    Returns
    -------
    ndarray, shape (…, 10)
        Ten-vectors in the same order.

    Raises
    ------
    InvalidInput
        If a shape is wrong, a number is not finite, there is no such axis, or masses sum to zero.
    """
    mass, com, inertia = unpack(ten_vectors, order, dtype)
    if not -mass.ndim <= axis < mass.ndim:
        raise InvalidInput(f"there is no axis {axis} among those of shape {mass.shape}", argument="axis")
    axis %= mass.ndim
    total = _added(mass, axis)
    _require_masses(total)
    first = np.expand_dims(np.take(com, 0, axis), axis)  # sums relative to one of them: a distant centre is not rounded
    center = first + np.expand_dims(_added(mass[..., None] * (com - first), axis) / total[..., None], axis)
    about = inertia + point_inertia(mass, com - center)
    return pack(total, center.squeeze(axis), _added(about, axis), order, dtype)


def _added(terms: Array, axis: int) -> Array:
    """Sum along an axis, of the type of the terms; single precision rounds three halvings of them, and the rest is summed in double.

    numpy adds one body after the other here, which in single precision costs as many roundings as there are bodies.
    """
    rest = np.moveaxis(terms, axis, 0)
    for _ in range(3 if len(rest) >= 8 else 0):
        half = len(rest) // 2
        odd, rest = rest[2 * half :], rest[:half] + rest[half : 2 * half]
        rest[: len(odd)] += odd
    total: Array = rest.sum(axis=0, dtype=np.float64).astype(terms.dtype)
    return total


def merged(first: ArrayLike, second: ArrayLike, *, order: str, dtype: DTypeLike = np.float64) -> Floats:
    """Each body of one array with its counterpart in another as one rigid body, shape (…, 10); see `summed`."""
    (m, c, inertia), (other, d, theirs) = unpack(first, order, dtype), unpack(second, order, dtype)
    total = m + other
    _require_masses(total)
    share, arm = other / total, d - c
    return pack(total, c + share[..., None] * arm, inertia + theirs + point_inertia(m * share, arm), order, dtype)


def _rotated(r: Array, tensor: Array) -> Array:
    """R T Rᵀ of stacked matrices, shape (…, 3, 3), T symmetric: entry by entry, since numpy is slow over short axes."""
    shape = np.broadcast_shapes(r.shape, tensor.shape)
    r, t = (np.ascontiguousarray(np.moveaxis(m, (-2, -1), (0, 1))) for m in (r, tensor))
    found = np.empty((3, 3, *shape[:-2]), dtype=t.dtype)
    for i in range(3):
        row = [sum(r[i, k] * t[k, j] for k in range(3)) for j in range(3)]
        for j in range(i, 3):
            found[i, j] = found[j, i] = sum(row[k] * r[j, k] for k in range(3))
    return np.moveaxis(found, (0, 1), (-2, -1))


def _require_masses(total: Array) -> None:
    if not np.all(total):
        raise InvalidInput("masses sum to zero, so there is no centre of mass", code="non-positive-mass")


def pseudo_inertia_of(ten_vectors: ArrayLike, *, order: str) -> Array:
    """Π = [[∫ρ r rᵀ, m c], [m cᵀ, m]] about the origin, shape (…, 4, 4), of ten-vectors, shape (…, 10)."""
    mass, com, inertia = unpack(ten_vectors, order)
    m = mass[..., None]
    pi = np.empty((*mass.shape, 4, 4))
    pi[..., :3, :3] = second_of(inertia) + m[..., None] * com[..., :, None] * com[..., None, :]
    pi[..., :3, 3] = pi[..., 3, :3] = m * com
    pi[..., 3, 3] = mass
    return pi


def second_margins(ten_vectors: ArrayLike, *, order: str) -> Array:
    """Smallest eigenvalue of S about the centre of mass over the largest in size, shape (…), of ten-vectors, shape (…, 10).

    Negative: no body. Zero for a point, whose S is zero.
    """
    second = second_of(unpack(ten_vectors, order)[2])
    values = symmetric_eigens(second.reshape(-1, 3, 3))[0].reshape(second.shape[:-1])
    largest = np.abs(values).max(axis=-1)
    margins: Array = np.divide(values[..., 0], largest, out=np.zeros_like(largest), where=largest > 0.0)
    return margins


def is_consistent(ten_vectors: ArrayLike, *, order: str, tolerance: float | None = None) -> NDArray[np.bool_]:
    """Whether some non-negative distribution of mass has these parameters: m > 0 and S_c ⪰ 0.

    Parameters
    ----------
    ten_vectors : array_like, shape (…, 10)
        In SI units and the named order.
    order : str
        A name in `massprops.rigid_body.ten_vectors.LAYOUTS`.
    tolerance : float, optional
        Of the smallest eigenvalue of S_c, relative to the largest in size. The default is for tensors about the centre of
        mass: `CONSISTENCY_TOLERANCE`, and 1e-6 of float32 arrays. A tensor about an origin n sizes away needs n² times as much.

    Returns
    -------
    ndarray of bool, shape (…)
    """
    if tolerance is None:
        tolerance = max(CONSISTENCY_TOLERANCE, 16 * precision_of(ten_vectors))
    vectors = finite_array(ten_vectors, (..., 10), "ten-vector").copy()
    has_mass = vectors[..., 0] > 0.0
    vectors[..., 0] = np.where(has_mass, vectors[..., 0], 1.0)  # some layouts divide by it; the verdict is settled
    verdict: NDArray[np.bool_] = has_mass & (second_margins(vectors, order=order) >= -tolerance)
    return verdict

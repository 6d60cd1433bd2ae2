"""Many bodies at once, as arrays of ten-vectors with any leading axes: what identification and sampling need.

>>> body = [2.0, 0, 0, 3, 4, 5, 6, 0, 0, 0]
>>> is_consistent([body, [2.0, 0, 0, 3, 1, 1, 9, 0, 0, 0]], order="mjcf")
array([ True, False])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops.frames import precision_of
from massprops.rigid_body.consistency import CONSISTENCY_TOLERANCE
from massprops.rigid_body.ten_vectors import finite_vectors, pack, unpack
from massprops.rigid_body.tensors import Array, second_of


def reordered(ten_vectors: ArrayLike, *, order: str, to: str) -> Array:
    """Ten-vectors of one tool, shape (…, 10), in the order of another; see `massprops.rigid_body.ten_vectors.LAYOUTS`."""
    return pack(*unpack(ten_vectors, order), to)


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
    values = np.linalg.eigvalsh(second_of(unpack(ten_vectors, order)[2]))
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
    vectors = finite_vectors(ten_vectors)
    has_mass = vectors[..., 0] > 0.0
    vectors[..., 0] = np.where(has_mass, vectors[..., 0], 1.0)  # some layouts divide by it; the verdict is settled
    verdict: NDArray[np.bool_] = has_mass & (second_margins(vectors, order=order) >= -tolerance)
    return verdict

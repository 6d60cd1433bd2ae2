"""Array types, and the linear algebra of results: sums in a fixed order, so that the same input gives the same bytes everywhere.

Products of matrices and their decompositions in numpy are those of BLAS and LAPACK, whose rounding depends on the processor that they
choose their kernels for.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")
Array = NDArray[np.float64]
Index = NDArray[np.intp]
Integers = NDArray[np.integer]
Words = NDArray[np.uint64]
Mask = NDArray[np.bool_]
#: Coordinates as a file has them: single or double precision.
Floats = NDArray[np.floating]

#: ρ(points) in kg/m³, points of shape (n, 3) in metres.
Density = Callable[[Array], ArrayLike]


class ByValue:
    """Dataclasses that hold arrays, equal where all of their fields are, to the bit."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))


def _values(value: Any) -> Any:
    """Contents of a value as a tuple that can be compared and hashed; −0.0 is 0.0."""
    if isinstance(value, ByValue):
        return tuple(_values(getattr(value, f.name)) for f in fields(value) if f.compare)  # type: ignore[arg-type]  # they are dataclasses
    if isinstance(value, np.ndarray):
        return value.shape, tuple(value.ravel().tolist())
    if isinstance(value, Mapping):
        return frozenset((name, _values(v)) for name, v in value.items())
    return value


#: Pairs of a point and a triangle that are looked at together: their arrays stay in the cache of the processor.
_PAIRS = 1 << 13
#: A point this near to the plane of a triangle, of its distances from the corners, may be in it: the side is rounding.
_WITHIN = 1e-12
#: Each sweep squares what is left off the diagonal: five are enough, whatever the matrix.
_SWEEPS = 30
#: Matrices whose smallest singular value is a smaller share of the largest have a lower rank.
_FLAT = 1e-14
#: Newton's iteration converges quadratically: what follows so small a step is rounding.
_SETTLED = 1e-9


def sum_of(values: Iterable[T]) -> T:
    """The sum of one value or more for which there is no zero: moments, uncertainties, bodies."""
    return functools.reduce(operator.add, values)


def expand_counts(counts: Index, most: int) -> Iterator[tuple[Index, Index]]:
    """Each place as often as it counts, and which time it is, from 0; in blocks of `most`, or of one place that counts more."""
    ends = np.cumsum(counts, dtype=np.int64)  # all together may be more than a machine of 32 bits counts
    start = 0
    while start < len(ends):
        done = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + most, side="right")))
        own = counts[start:stop]
        place = np.repeat(np.arange(start, stop), own)
        yield place, np.arange(len(place)) - np.repeat(ends[start:stop] - own - done, own)
        start = stop


def product(a: Array, b: Array) -> Array:
    """a @ b, of shapes (…, n, m) or (…, m) and (m,) or (m, k), summed from the first term to the last."""
    if a.shape == b.shape == (3, 3) and a.dtype == b.dtype == np.float64:  # the same sums in half the time
        (p, q, r), (s, t, u), (v, w, x) = b.tolist()
        return np.array(
            [[i * p + j * s + k * v, i * q + j * t + k * w, i * r + j * u + k * x] for i, j, k in a.tolist()]
        )
    at = (..., np.newaxis) if b.ndim > 1 else ...
    total: Array = a[..., 0][at] * b[0]
    for j in range(1, len(b)):
        total = total + a[..., j][at] * b[j]
    return total


def permutes_axes(linear: Array) -> bool:
    """Whether a matrix, shape (d, d), turns by quarters and mirrors axes alone, which rounds nothing."""
    size = np.abs(linear)
    return bool(((size == 0) | (size == 1)).all() and (size.sum(axis=0) == 1).all())


def rounds(a: Array, b: Array) -> bool:
    """Whether `product` of finite matrices, shapes (n, m) and (m, k), rounds a product or a sum, or may.

    The errors of Dekker's product and Knuth's sum are 0 where nothing is rounded (Shewchuk 1997); below 1e-250 the first may underflow.
    """
    total: Array = np.zeros((len(a), b.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for x, y in zip(a.T[:, :, np.newaxis], b, strict=True):
            term = x * y
            x_high, y_high = (v * _SPLIT - (v * _SPLIT - v) for v in (x, y))
            x_low, y_low = x - x_high, y - y_high
            error = x_low * y_low - (((term - x_high * y_high) - x_low * y_high) - x_high * y_low)
            is_copy = (x == 0) | (y == 0) | (np.abs(y) == 1)
            if not (is_copy | ((error == 0) & (np.abs(term) > _TINY))).all():
                return True
            before, total = total, total + term
            added = total - before
            if not ((before - (total - added)) + (term - added) == 0).all():
                return True
    return False


#: Dekker's splitting of a double into two halves; and what is far above where its products underflow.
_SPLIT, _TINY = 2.0**27 + 1, 1e-250


def sandwich(r: Array, matrix: Array) -> Array:
    """R M Rᵀ, both of shape (3, 3)."""
    return product(product(r, matrix), r.T)


def determinant(matrix: Array) -> float:
    """Determinant of a matrix of shape (2, 2) or (3, 3)."""
    if len(matrix) == 2:
        (a, b), (c, d) = matrix.tolist()
        return float(a * d - b * c)
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    return float(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


def outer(u: Array, v: Array) -> Array:
    """u vᵀ of vectors, shape (len(u), len(v)): `numpy.outer` takes three times as long for short ones."""
    return u[:, np.newaxis] * v


def cross_matrix(vector: Array) -> Array:
    """[v]×, shape (3, 3): the matrix of u ↦ v × u."""
    x, y, z = vector.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def length(array: Array) -> float:
    """Euclidean norm of a vector, Frobenius norm of a matrix."""
    return math.hypot(*array.ravel().tolist())


def unit_vectors(vectors: Array) -> Array:
    """Vectors along the last axis, shortened to length 1; those of length 0 stay."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), np.finfo(float).tiny))


def winding_numbers(points: Array, corners: Array) -> Array:
    """Generalized winding number of a surface, shape (F, 3, 3), at points, shape (n, 3): its solid angle over 4π; on it, halfway.

    The solid angle of a triangle: Van Oosterom and Strackee 1983, IEEE Transactions on Biomedical Engineering 30: 125.
    """
    found, most = np.zeros(len(points)), max(1, _PAIRS // max(1, len(points)))
    from_point = points.T[:, :, np.newaxis]
    for first in range(0, len(corners), most):
        # coordinates apart, each a block of pairs: a quarter of the time of vectors of three
        a, b, c = corners[first : first + most].transpose(1, 2, 0)[:, :, np.newaxis] - from_point
        x, y, z = (np.sqrt(_dots(arm, arm)) for arm in (a, b, c))
        cosine = x * y * z + _dots(a, b) * z + _dots(b, c) * x + _dots(c, a) * y
        crossed = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]
        sine = _dots(a, crossed)
        # what a point within a triangle sees of it is on neither side
        cosine = np.where(np.abs(sine) > _WITHIN * (x * y * z), cosine, np.abs(cosine))
        found += np.arctan2(sine, cosine).sum(axis=1) / (2 * np.pi)
    return found


def _dots(a: Sequence[Array] | Array, b: Sequence[Array] | Array) -> Array:
    """Dot products of vectors whose coordinates are arrays."""
    found: Array = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return found


#: The axes that follow x, y, z, and those that follow these.
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


def nearest_orthogonal(matrix: Array) -> Array:
    """The orthogonal matrix Q nearest to a matrix, shape (3, 3): the polar factor, a reflection where the determinant is negative.

    Newton's iteration X ← (ζ X + X⁻ᵀ / ζ) / 2 (Higham, Functions of Matrices, 8.6). What a matrix of rank 2 leaves open is taken to be
    a rotation; a lower rank gives the unit matrix.
    """
    size = length(matrix)
    rows = max((np.cross(matrix[i], matrix[i - 1]) for i in range(3)), key=length)
    columns = max((np.cross(matrix[:, i], matrix[:, i - 1]) for i in range(3)), key=length)
    if length(rows) <= _FLAT * size**2:
        return np.eye(3)
    x: Array = matrix / size
    if abs(determinant(x)) <= _FLAT * length(rows) / size**2:
        normal = outer(columns / length(columns), rows / length(rows))
        x = x + (normal if determinant(x + normal) > 0 else -normal)
    for _ in range(_SWEEPS):
        one, two = x[_NEXT], x[_LAST]  # cross products of rows, which np.cross takes long for
        cofactors = one[:, _NEXT] * two[:, _LAST] - one[:, _LAST] * two[:, _NEXT]
        inverse = cofactors / determinant(x)
        zeta = math.sqrt(length(inverse) / length(x))
        after = (zeta * x + inverse / zeta) / 2
        if length(after - x) <= _SETTLED:
            return after
        x = after
    return x


def orthonormal(rows: Array) -> Array:
    """Rows made orthonormal one after the other (Gram and Schmidt), shape (3, 3), from rows that are nearly so."""
    found: list[Array] = []
    for row in rows:
        for _ in range(2):  # once more removes what rounding left
            row = functools.reduce(lambda r, u: r - u * float((u * r).sum()), found, row)
        found.append(row / length(row))
    return np.stack(found)


def symmetric_eigen(matrix: Array) -> tuple[Array, Array]:
    """Eigenvalues, ascending, shape (n,), and orthonormal eigenvectors as columns, shape (n, n), of a symmetric matrix (n, n), n = 2, 3.

    Cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5), until what is off the diagonal changes nothing.
    """
    n = len(matrix)
    # the diagonal; off it the entry of the pair that lacks each index; the vectors, one after the other
    d = [*matrix.diagonal().tolist(), 0.0]
    o = [matrix.item(1, 2), matrix.item(0, 2), matrix.item(0, 1)] if n == 3 else [0.0, 0.0, matrix.item(0, 1)]
    v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(_SWEEPS):
        if not any(o):
            break
        for p, q, r in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            off, low, high = o[r], d[p], d[q]
            o[r] = 0.0
            if off == 0 or (low + off == low and high + off == high):
                continue
            half = (high - low) / off / 2
            t = math.copysign(1.0, half) / (abs(half) + math.hypot(half, 1.0))
            c = 1.0 / math.hypot(t, 1.0)
            s = t * c
            d[p], d[q] = low - t * off, high + t * off
            o[q], o[p] = c * o[q] - s * o[p], s * o[q] + c * o[p]
            (x0, x1, x2), (y0, y1, y2) = v[p], v[q]
            v[p] = [c * x0 - s * y0, c * x1 - s * y1, c * x2 - s * y2]
            v[q] = [s * x0 + c * y0, s * x1 + c * y1, s * x2 + c * y2]
    order = sorted(range(n), key=d.__getitem__)
    return np.array([d[k] for k in order]), np.array([v[k][:n] for k in order]).T


def symmetric_eigens(matrices: Array) -> tuple[Array, Array]:
    """Eigenvalues, shape (n, 3), and eigenvectors as columns, (n, 3, 3), of many symmetric matrices, as `symmetric_eigen` for one."""
    a = np.array(matrices, dtype=np.float64)
    v = np.broadcast_to(np.eye(3), a.shape).copy()
    for _, (p, q) in itertools.product(range(_SWEEPS), ((0, 1), (0, 2), (1, 2))):
        off, low, high = a[:, p, q].copy(), a[:, p, p].copy(), a[:, q, q].copy()
        some = (low + off != low) | (high + off != high)
        half = np.divide(high - low, 2 * off, out=np.zeros_like(off), where=some)
        with np.errstate(over="ignore"):  # infinite where there is next to nothing to turn
            t = np.where(some, np.copysign(1.0, half) / (np.abs(half) + np.sqrt(half * half + 1)), 0.0)
        c = 1 / np.sqrt(t * t + 1)
        s = t * c
        a[:, p, p], a[:, q, q] = low - t * off, high + t * off
        a[:, p, q] = a[:, q, p] = 0.0
        r = 3 - p - q
        x, y = a[:, r, p].copy(), a[:, r, q].copy()
        a[:, r, p] = a[:, p, r] = c * x - s * y
        a[:, r, q] = a[:, q, r] = s * x + c * y
        x, y = v[:, :, p].copy(), v[:, :, q].copy()
        v[:, :, p], v[:, :, q] = c[:, None] * x - s[:, None] * y, s[:, None] * x + c[:, None] * y
        if not (a[:, 0, 1].any() or a[:, 0, 2].any() or a[:, 1, 2].any()):
            break
    values = a[:, range(3), range(3)]
    order = np.argsort(values, axis=1, kind="stable")
    return np.take_along_axis(values, order, axis=1), np.take_along_axis(v, order[:, np.newaxis], axis=2)

"""Array types, and the linear algebra of results: sums in a fixed order, so that the same input gives the same bytes everywhere.

Products of matrices and their decompositions in numpy are those of BLAS and LAPACK, whose rounding depends on the processor that they
choose their kernels for.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Integers = NDArray[np.integer]
Words = NDArray[np.uint64]
Mask = NDArray[np.bool_]
#: Coordinates as a file has them: single or double precision.
Floats = NDArray[np.floating]


class ByValue:
    """Dataclasses that hold arrays, equal where all of their fields are, to the bit."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))


def _values(value: Any) -> Any:
    """What a value is made of, as a tuple that can be compared and hashed; −0.0 is 0.0."""
    if isinstance(value, ByValue):
        return tuple(_values(getattr(value, f.name)) for f in fields(value))  # type: ignore[arg-type]  # they are dataclasses
    if isinstance(value, np.ndarray):
        return value.shape, tuple(value.ravel().tolist())
    if isinstance(value, Mapping):
        return frozenset((name, _values(v)) for name, v in value.items())
    return value


#: Each sweep squares what is left off the diagonal: five are enough, whatever the matrix.
_SWEEPS = 30


def product(a: Array, b: Array) -> Array:
    """a @ b, of shapes (…, n, m) or (…, m) and (m,) or (m, k), summed from the first term to the last."""
    columns = (a[..., j] if b.ndim == 1 else a[..., j, np.newaxis] for j in range(len(b)))
    total: Array = functools.reduce(operator.add, (column * row for column, row in zip(columns, b, strict=True)))
    return total


def sandwich(r: Array, matrix: Array) -> Array:
    """R M Rᵀ, both of shape (3, 3)."""
    return product(product(r, matrix), r.T)


def determinant(matrix: Array) -> float:
    """Of a matrix of shape (2, 2) or (3, 3)."""
    if len(matrix) == 2:
        (a, b), (c, d) = matrix.tolist()
        return float(a * d - b * c)
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    return float(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


def length(vector: Array) -> float:
    """Euclidean norm of a vector, shape (n,)."""
    return math.hypot(*vector.tolist())


def orthonormal(rows: Array) -> Array:
    """Rows made orthonormal one after the other (Gram and Schmidt), shape (3, 3), from rows that are nearly so."""
    found: list[Array] = []
    for row in rows:
        for _ in range(2):  # once more removes what rounding left
            row = functools.reduce(lambda r, u: r - u * float((u * r).sum()), found, row)
        found.append(row / length(row))
    return np.stack(found)


def symmetric_eigen(matrix: Array) -> tuple[Array, Array]:
    """Eigenvalues, ascending, shape (3,), and orthonormal eigenvectors as columns, shape (3, 3), of a symmetric matrix (3, 3).

    Cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5), until what is off the diagonal changes nothing.
    """
    a: list[list[float]] = matrix.tolist()
    v = np.eye(3).tolist()
    for _ in range(_SWEEPS):
        if a[0][1] == a[0][2] == a[1][2] == 0:
            break
        for p, q, r in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            off = a[p][q]
            if off == 0 or (a[p][p] + off == a[p][p] and a[q][q] + off == a[q][q]):
                a[p][q] = a[q][p] = 0.0
                continue
            half = (a[q][q] - a[p][p]) / off / 2
            t = math.copysign(1.0, half) / (abs(half) + math.hypot(half, 1.0))
            c = 1.0 / math.hypot(t, 1.0)
            s = t * c
            a[p][p] -= t * off
            a[q][q] += t * off
            a[p][q] = a[q][p] = 0.0
            x, y = a[r][p], a[r][q]
            a[r][p] = a[p][r] = c * x - s * y
            a[r][q] = a[q][r] = s * x + c * y
            for row in v:
                row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    values = np.array([a[i][i] for i in range(3)])
    order = np.argsort(values, kind="stable")
    return values[order], np.array(v)[:, order]

"""The boundary certificate: is the surface closed and consistently wound?

The integrals are right only when the boundary of the triangle chain vanishes: every directed edge a → b is cancelled by
b → a. Each vertex position is hashed, bit for bit, into a 64-bit number h and placed at (h, h²); the certificate adds up twice
the signed area of every triangle after that projection,

    Σ (h_b − h_a)(h_c − h_a)(h_c − h_b)   mod 2⁶⁴        (a Vandermonde determinant)

which is the sum of h_a h_b (h_b − h_a) over its directed edges, so a function of the boundary alone. A closed surface gives zero
always. An open one gives zero by accident most easily where a single triangle is wrong: two of its three corners have one hash, with a
probability of about 2⁻⁶⁴ for each two (`hash_positions`), or both words are zero otherwise. The product of the three differences u, v,
v − u is a multiple of 2ᵏ with a probability of P(k) = P(k − 3)/4 + 3/2ᵏ⁺¹ (all three are even, or one is), 2⁻⁴¹ at k = 64, and for both
words 2⁻⁸². In all: less than 2⁻⁶⁰. The proof counts the edges instead.
No vertex is merged, no edge is sorted, and triangles without area cancel by themselves.
"""

from __future__ import annotations

import os
from typing import Self

import numpy as np
from numpy.typing import NDArray

from massprops.values import dataclass

Words = NDArray[np.uint64]

_WORD = 0xFFFF_FFFF_FFFF_FFFF
_SHIFTS = {29: np.uint64(29), 32: np.uint64(32)}


def fresh_keys() -> Words:
    """Six odd multipliers from the system's randomness."""
    return np.frombuffer(os.urandom(48), dtype=np.uint64) | np.uint64(1)


#: Fresh in every process: nobody can craft a file that passes; the verdict does not depend on them.
KEYS = fresh_keys()


@dataclass(frozen=True)
class Boundary:
    """The certificate of a set of triangles: two words that are zero when their oriented boundary vanishes. Additive."""

    words: tuple[int, int] = (0, 0)

    @property
    def closed(self) -> bool:
        """Whether every directed edge is cancelled by its reverse."""
        return self.words == (0, 0)

    @classmethod
    def of(cls, corners: NDArray[np.floating]) -> Self:
        """The certificate of triangles, shape (3, 3, n) [corner, xyz, facet], float32 or float64, finite."""
        h = hash_positions(corners)
        return cls((_vandermonde(h), _vandermonde(_fold(h * KEYS[5], 32))))

    def __add__(self, other: Boundary) -> Self:
        a, b = ((x + y) & _WORD for x, y in zip(self.words, other.words, strict=True))
        return type(self)((a, b))


def hash_positions(corners: NDArray[np.floating]) -> Words:
    """A 64-bit hash of every corner's position, shape (3, n), of corners (3, 3, n) [corner, xyz, facet].

    Every step but the sums is a bijection. Two positions have one hash only if, in a sum h + z k, the difference of h is that of −z k:
    where 2ˢ is the largest power of two in the difference of z, with a probability of 2ˢ⁻⁶³ times that of 2ˢ being the largest in the
    difference of h, 2⁻ˢ⁻¹ of random words. After one multiplication and fold there are words whose differences have 2³¹ for every key, such
    as those that differ in their highest bit alone; so each sum has two before it. Keys that act after the last sum may be those of before.
    """
    corners = np.ascontiguousarray(corners) + corners.dtype.type(0)  # −0.0 + 0.0 = 0.0: one point, one hash
    k1, k2, k3, k4, k5, k6 = KEYS
    bits = corners.view(np.uint32 if corners.dtype == np.float32 else np.uint64)
    x, y, z = (_fold(bits[:, i].astype(np.uint64), 32) for i in range(3))
    h = _fold(x * k1, 32)
    h = _fold(_fold(h, 29) * k5, 32)
    h += y * k2
    h = _fold(_fold(h, 29) * k3, 32)
    h = _fold(_fold(h, 29) * k6, 32)
    h += z * k4
    return _fold(_fold(h, 29) * k5, 32)


def _fold(h: Words, shift: int) -> Words:
    """h ^ (h >> shift): a bijection that brings the high bits down."""
    return np.asarray(h ^ (h >> _SHIFTS[shift]))


def _vandermonde(h: Words) -> int:
    a, b, c = h
    return int(((b - a) * (c - a) * (c - b)).sum())
